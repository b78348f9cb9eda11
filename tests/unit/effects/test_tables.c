/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the tables: each file is sorted (look-up is a binary search), each
 * row has only roles, kinds, details and attributes that exist.
 */
#include <stdlib.h>

#include "effects/private.h"
#include "tap.h"

struct row {
	const char *name, *options, *operands, *effects;
};

#define PROGRAM(name, options, operands, effects)                              \
	{ name, options, operands, effects },
#define SAME(name, other) { name, other, NULL, NULL },
#define FAMILY(name)      static const struct row name##_rows[] =
#include "effects/tables/families.def"
#undef FAMILY
#undef PROGRAM
#undef SAME

static const struct {
	const char *name;
	const struct row *rows;
	size_t count;
} families[] = {
#define FAMILY(name) { #name, name##_rows, BL_COUNT(name##_rows) },
#define FAMILY_NAMES
#include "effects/tables/families.def"
#undef FAMILY_NAMES
#undef FAMILY
};

static void sorted(void)
{
	for (size_t i = 0; i < BL_COUNT(families); i++) {
		for (size_t n = 1; n < families[i].count; n++) {
			const char *before = families[i].rows[n - 1].name;
			const char *name = families[i].rows[n].name;

			if (strcmp(before, name) >= 0) {
				CHECK(!"a row stands in the wrong place");
				TAP_NOTE("%s: %s stands before %s",
					 families[i].name, before, name);
			}
		}
	}
}

static void enough(void)
{
	size_t programs = 0;

	for (size_t i = 0; i < BL_COUNT(families); i++) {
		for (size_t n = 0; n < families[i].count; n++)
			programs += !strchr(families[i].rows[n].name, ' ');
	}
	CHECK(programs >= 300);
}

static bool is_kind(struct bl_str name)
{
	for (int i = 0; i < BL_FACT_KIND_COUNT; i++) {
		if (bl_str_is(name, bl_fact_kind_name(i)))
			return true;
	}
	return false;
}

static bool is_detail(struct bl_str name)
{
	for (int i = 0; i < BL_FACT_DETAIL_COUNT; i++) {
		if (bl_str_is(name, bl_fact_detail_name(i)))
			return true;
	}
	return false;
}

static void wrong(const struct row *row, struct bl_str what)
{
	CHECK(!"a row has a word that means nothing");
	TAP_NOTE("%s: %.*s", row->name, BL_STR_ARG(what));
}

/* Kinds and details of the clauses. */
static void check_effects(const struct row *row)
{
	struct bl_str text = bl_str(row->effects);
	size_t at = 0;

	while (at < text.len) {
		size_t end = bl_str_find(text, BL_STR(";"), at);
		struct bl_str clause, kind;
		size_t question, plus;

		if (end == SIZE_MAX)
			end = text.len;
		clause = bl_str_trim(bl_str_slice(text, at, end));
		at = end + 1;
		question = bl_str_find(clause, BL_STR("? "), 0);
		if (question != SIZE_MAX)
			clause = bl_str_slice(clause, question + 2, SIZE_MAX);
		kind = bl_str_slice(clause, 0,
				    bl_str_find(clause, BL_STR(" "), 0));
		kind = bl_str_slice(kind, 0, bl_str_find(kind, BL_STR(":"), 0));
		if (kind.len && !is_kind(kind))
			wrong(row, kind);
		plus = bl_str_find(clause, BL_STR("+"), 0);
		while (plus != SIZE_MAX) {
			size_t stop = bl_str_find(clause, BL_STR(" "), plus);
			struct bl_str detail =
				bl_str_slice(clause, plus + 1, stop);

			if (!is_detail(detail))
				wrong(row, detail);
			plus = bl_str_find(clause, BL_STR("+"), plus + 1);
		}
	}
}

static void check_role(const struct row *row, struct bl_str role)
{
	static const char *const own[] = { "setting", "header",  "sshoption",
					   "forward", "reverse", "listen",
					   "later",   "arg-file" };

	for (size_t i = 0; i < BL_COUNT(own); i++) {
		if (bl_str_is(role, own[i]))
			return;
	}
	if (role.len && !effects_role_find(role))
		wrong(row, role);
}

static void check_operands(const struct row *row)
{
	struct bl_str text = bl_str(row->operands);
	size_t at = 0;

	while (at < text.len) {
		size_t end = bl_str_find(text, BL_STR(" "), at);
		struct bl_str word;
		size_t len = 0;

		if (end == SIZE_MAX)
			end = text.len;
		word = bl_str_slice(text, at, end);
		at = end + 1;
		if (!word.len || word.ptr[0] == '@')
			continue;
		while (len < word.len && !strchr("./?:", word.ptr[len]))
			len++;
		check_role(row, bl_str_slice(word, 0, len));
	}
}

static void check_options(const struct row *row)
{
	struct bl_str text = bl_str(row->options);
	size_t at = 0;

	while (at < text.len) {
		size_t end = bl_str_find(text, BL_STR(" "), at);
		struct bl_str word;
		size_t equals, stop = 0;

		if (end == SIZE_MAX)
			end = text.len;
		word = bl_str_slice(text, at, end);
		at = end + 1;
		equals = bl_str_find(word, BL_STR("="), 0);
		if (equals == SIZE_MAX)
			equals = bl_str_find(word, BL_STR("?"), 0);
		if (equals == SIZE_MAX)
			continue;
		stop = equals + 1;
		while (stop < word.len && !strchr("+!*?", word.ptr[stop]))
			stop++;
		check_role(row, bl_str_slice(word, equals + 1, stop));
	}
}

static void words(void)
{
	for (size_t i = 0; i < BL_COUNT(families); i++) {
		for (size_t n = 0; n < families[i].count; n++) {
			const struct row *row = &families[i].rows[n];

			if (!row->operands)
				continue;
			check_effects(row);
			check_operands(row);
			check_options(row);
		}
	}
}

int main(void)
{
	RUN(sorted);
	RUN(enough);
	RUN(words);
	return tap_end();
}
