/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References to data evaluate nothing else, and data does not overrule rules.  Answers are
 * those of OPA 1.22.3.
 */
#include "policies.h"

struct text {
	const char *file;
	const char *text;
};

enum { SOURCES_MAX = 8 };

/* As JSON: the document of a path, or the code of its fault. */
static struct bl_str ask(struct bl_arena *arena, const struct text *texts,
			 size_t count, const char *path, const char *data)
{
	struct bl_rego_source sources[SOURCES_MAX] = { 0 };
	struct bl_rego_options options = { 0 };
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err = { 0 };

	bl_diags_init(&diags, arena);
	for (size_t i = 0; i < count && i < SOURCES_MAX; i++) {
		sources[i].file = bl_str(texts[i].file);
		sources[i].text = bl_str(texts[i].text);
	}
	CHECK_STATUS(bl_json_read(arena, bl_str(data), NULL, &options.data,
				  NULL, NULL, NULL),
		     BL_OK);
	if (bl_rego_compile(arena, sources, count, NULL, &diags, &policies,
			    &err))
		return BL_STR("does not compile");
	if (bl_rego_document(policies, bl_rego_find(policies, bl_str(path)),
			     &options, arena, &result, &err))
		return BL_STR("does not run");
	return result.fault_code ? bl_str(result.fault_code)
				 : as_json(arena, result.document);
}

static const struct text packages[] = {
	{ "a.rego", "package pols.a\n"
		    "deny contains \"no\" if input.x\n" },
	{ "b.rego", "package pols.b\n"
		    "deny contains \"b\"\n"
		    "boom := 1\n"
		    "boom := 2 if true\n"
		    "leaf := {\"z\": {\"deny\": 1}}\n"
		    "f(x) := x\n" },
	{ "c.rego", "package pols.c.d\n"
		    "deny contains \"d\"\n" },
	{ "q.rego",
	  "package q\n"
	  "names contains [n, m] if data.pols[n].deny[m]\n"
	  "by := {n: d | d := data.pols[n].deny}\n"
	  "deep contains [a, b, m] if data.pols[a][b].deny[m]\n"
	  "known contains m if {\n"
	  "  some n in [\"a\", \"b\"]; data.pols[n].deny[m] }\n"
	  "whole contains n if data.pols[n]\n"
	  "replaced contains [n, m] if {\n"
	  "  data.pols[n].deny[m] with data.pols.b as {\"deny\": [7]} }\n" },
};

static struct bl_str ask_packages(struct bl_arena *arena, const char *path)
{
	return ask(arena, packages, BL_COUNT(packages), path,
		   "{\"pols\": {\"e\": {\"deny\": [\"e\"]}, \"s\": 1}}");
}

/* pols.b.boom conflicts: it decides only where it is asked for. */
static void only_what_is_asked_is_evaluated(void)
{
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	CHECK_STR(ask_packages(&arena, "q.names"), "[[\"b\",\"b\"],[\"e\",0]]");
	CHECK_STR(ask_packages(&arena, "q.by"),
		  "{\"a\":[],\"b\":[\"b\"],\"e\":[\"e\"]}");
	CHECK_STR(ask_packages(&arena, "q.known"), "[\"b\"]");
	CHECK_STR(ask_packages(&arena, "q.replaced"), "[[\"b\",0],[\"e\",0]]");
	CHECK_STR(ask_packages(&arena, "q.whole"), "eval_conflict_error");
	/* Every rule of pols.b is asked whether it has such a member. */
	CHECK_STR(ask_packages(&arena, "q.deep"), "eval_conflict_error");
	bl_arena_clear(&arena);
}

/* ---- data where rules are --------------------------------------------------- */

static const struct {
	const char *data;
	const char *messages;
} overlaps[] = {
	{ "{\"p\": {\"allow\": false}}", "2:1 p/allow;" },
	{ "{\"p\": {\"allow\": {\"z\": false}}}", "2:1 p/allow;" },
	{ "{\"p\": {\"m\": {\"x\": 5}}}", "3:1 p/m/x;" },
	{ "{\"p\": {\"m\": 6}}", "3:1 p/m/x;" },
	{ "{\"p\": {\"s\": [5]}}", "4:3 p/s;" },
	{ "{\"p\": {\"f\": null}}", "5:1 p/f;" },
	{ "{\"p\": {\"d\": null}}", "6:1 p/d;" },
	{ "{\"p\": [1]}", "2:1 p/allow;6:1 p/d;5:1 p/f;3:1 p/m/x;4:3 p/s;" },
	{ "{\"p\": {\"other\": 1, \"m\": {\"y\": 1}}}", "" },
	{ "{\"p\": {}}", "" },
	{ "{}", "" },
};

static void data_does_not_overrule_rules(void)
{
	struct bl_arena arena;
	const struct bl_rego_policies *policies;

	bl_arena_init(&arena, NULL, 0, 0);
	policies = compile(&arena,
			   "package p\n"
			   "allow := true\n"
			   "m.x := 1\n"
			   "  s contains 1\n"
			   "f(x) := x\n"
			   "default d := 3\n",
			   false);
	for (size_t i = 0; policies && i < BL_COUNT(overlaps); i++) {
		struct bl_value data;
		struct bl_diags diags;
		struct bl_buf found;
		enum bl_status status;

		bl_buf_init(&found, 0);
		bl_diags_init(&diags, &arena);
		CHECK_STATUS(bl_json_read(&arena, bl_str(overlaps[i].data),
					  NULL, &data, NULL, NULL, NULL),
			     BL_OK);
		status = bl_rego_check_data(policies, data, &diags, NULL);
		CHECK_STATUS(status, diags.first ? BL_INVALID : BL_OK);
		for (const struct bl_diag *d = diags.first; d; d = d->next) {
			struct bl_str path = bl_str_slice(
				d->message,
				strlen("conflicting rule for data path "),
				d->message.len - strlen(" found"));

			bl_buf_printf(&found, "%u:%u %.*s;", d->place.line,
				      d->place.column, BL_STR_ARG(path));
		}
		CHECK_STR(bl_buf_str(&found), overlaps[i].messages);
		bl_buf_clear(&found);
	}
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(only_what_is_asked_is_evaluated);
	RUN(data_does_not_overrule_rules);
	return tap_end();
}
