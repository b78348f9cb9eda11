/* SPDX-License-Identifier: Apache-2.0 */
/* cases.tsv against our two engines for JavaScript's patterns. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "tap.h"
#include "text/text.h"

enum { LINE_MAX_BYTES = 4096 };

struct row {
	struct bl_str pattern;
	struct bl_str text;
	const char *result;
	const char *kind;
};

/* Replaces %XX in place. */
static struct bl_str decode(char *field)
{
	char *to = field;

	for (const char *from = field; *from; from++) {
		char hex[3] = { 0 };

		if (*from != '%') {
			*to++ = *from;
			continue;
		}
		memcpy(hex, from + 1, 2);
		*to++ = (char)strtoul(hex, NULL, 16);
		from += 2;
	}
	return (struct bl_str){ field, (size_t)(to - field) };
}

/* Whether a compiled pattern gives the result of the row. */
static bool check_regular(const struct row *row, const struct bl_regex *regex,
			  struct bl_arena *arena)
{
	bool expected = !strcmp(row->result, "match");
	struct bl_span span;
	bool found, found_span;

	return !bl_regex_search(regex, arena, row->text, 0, NULL, 0, &found) &&
	       !bl_regex_search(regex, arena, row->text, 0, &span, 1,
				&found_span) &&
	       found == expected && found_span == expected;
}

/* The backtracking engine; it may give up where the other one must not. */
static bool check_backtrack(const struct row *row, bool may_give_up)
{
	struct bl_backtrack *backtrack;
	enum bl_status status;
	bool found = false;

	if (bl_backtrack_compile(row->pattern, &backtrack, NULL, NULL))
		return false;
	status = bl_backtrack_search(backtrack, row->text, &found, NULL);
	bl_backtrack_free(backtrack);
	if (status == BL_LIMIT)
		return may_give_up;
	return !status && found == !strcmp(row->result, "match");
}

static bool check_row(const struct row *row)
{
	struct bl_arena arena;
	const struct bl_regex *regex;
	enum bl_status status;
	bool good;

	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_regex_compile(&arena, row->pattern, BL_REGEX_JAVASCRIPT,
				  &regex, NULL, NULL);
	if (!strcmp(row->result, "syntax"))
		good = status == BL_SYNTAX &&
		       bl_backtrack_compile(row->pattern,
					    &(struct bl_backtrack *){ NULL },
					    NULL, NULL) == BL_SYNTAX;
	else if (!strcmp(row->kind, "irregular"))
		good = status == BL_UNSUPPORTED && check_backtrack(row, false);
	else /* the other engine must agree */
		good = !status && check_regular(row, regex, &arena) &&
		       check_backtrack(row, true);
	bl_arena_clear(&arena);
	return good;
}

static bool split(char *line, struct row *out)
{
	char *fields[4];

	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < 4; i++) {
		fields[i] = strsep(&line, "\t");
		if (!fields[i])
			return false;
	}
	*out = (struct row){ decode(fields[0]), decode(fields[1]), fields[2],
			     fields[3] };
	return true;
}

static void table(void)
{
	FILE *file = fopen("tests/conformance/regex_js/cases.tsv", "r");
	char line[LINE_MAX_BYTES];
	size_t count = 0;

	REQUIRE(file != NULL);
	for (int number = 1; fgets(line, sizeof(line), file); number++) {
		struct row row;

		if (line[0] == '#')
			continue;
		REQUIRE(split(line, &row));
		count++;
		if (!check_row(&row)) {
			tap_failures++;
			TAP_NOTE("line %d: %.*s should be: %s %s", number,
				 BL_STR_ARG(row.pattern), row.result, row.kind);
		}
	}
	fclose(file);
	CHECK(count >= 150);
}

int main(void)
{
	RUN(table);
	return tap_end();
}
