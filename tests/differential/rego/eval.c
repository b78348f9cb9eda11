/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval: reads lines {"module", "other", "input"}, writes for each the value of
 * data.p as canonical JSON, "error CODE", or "refused MESSAGE".  A case with a
 * "plan" runs that.  With a "query": its solutions, or as a JSON text all that is
 * wrong with it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "rego/rego.h"

static int compare_texts(const void *a, const void *b)
{
	const struct bl_str *x = a;
	const struct bl_str *y = b;

	return bl_str_compare(*x, *y);
}

/* All that is wrong with a query, in the order of the texts. */
static void put_texts(struct bl_arena *arena, const struct bl_diags *diags,
		      struct bl_buf *out)
{
	struct bl_str lines[64];
	size_t count = 0;
	struct bl_buf text;

	for (const struct bl_diag *at = diags->first;
	     at && count < BL_COUNT(lines); at = at->next)
		lines[count++] = bl_arena_printf(
			arena, "%u:%u: %s: %.*s", at->place.line,
			at->place.column, at->code, BL_STR_ARG(at->message));
	qsort(lines, count, sizeof(*lines), compare_texts);
	bl_buf_init(&text, 0);
	for (size_t i = 0; i < count; i++)
		bl_buf_printf(&text, "%s%.*s", i ? "\n" : "refused ",
			      BL_STR_ARG(lines[i]));
	bl_json_write(out, bl_value_string(bl_buf_str(&text)), BL_JSON_COMPACT);
	bl_buf_clear(&text);
}

static void put_refused(struct bl_buf *out, const struct bl_diags *diags,
			const struct bl_error *err)
{
	struct bl_str text;

	if (!diags->first) {
		bl_buf_printf(out, "refused %s", err->message);
		return;
	}
	text = diags->first->message;
	text = bl_str_slice(text, 0, bl_str_find(text, BL_STR("\n"), 0));
	bl_buf_printf(out, "refused %s: %.*s", diags->first->code,
		      BL_STR_ARG(text));
}

/* {"result": value} of the plan that OPA made. */
static enum bl_status run_plan(struct bl_arena *arena, struct bl_value plan,
			       const struct bl_rego_options *options,
			       struct bl_rego_result *result,
			       struct bl_error *err)
{
	const struct bl_rego_policies *policies;
	enum bl_status status =
		bl_rego_load_plan(arena, plan, NULL, &policies, err);

	return status ? status
		      : bl_rego_run_plan(policies, BL_STR("p"), options, arena,
					 result, err);
}

/* The value of data.p, of a plan's result or of a query's. */
static void put_value(struct bl_buf *out, const struct bl_rego_result *result,
		      bool of_plan)
{
	struct bl_value first = bl_value_item(result->solutions, 0);
	struct bl_value values = bl_object_find(first, BL_STR("expressions"));

	bl_json_write(out,
		      of_plan ? bl_object_find(first, BL_STR("result"))
			      : bl_value_item(values, 0),
		      BL_JSON_CANONICAL);
}

static void put_answer(struct bl_arena *arena, struct bl_value test,
		       struct bl_buf *out)
{
	struct bl_rego_source sources[] = {
		{ .file = BL_STR("m.rego"),
		  .text = bl_value_text(
			  bl_object_find(test, BL_STR("module"))) },
		{ .file = BL_STR("o.rego"),
		  .text = bl_value_text(
			  bl_object_find(test, BL_STR("other"))) },
	};
	struct bl_rego_options options = {
		.input = bl_object_find(test, BL_STR("input")),
	};
	struct bl_value plan = bl_object_find(test, BL_STR("plan"));
	struct bl_str query =
		bl_value_text(bl_object_find(test, BL_STR("query")));
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err = { 0 };
	enum bl_status status;

	bl_diags_init(&diags, arena);
	status = bl_rego_compile(arena, sources, 2, NULL, &diags, &policies,
				 &err);
	if (!status)
		status =
			bl_value_is_defined(plan)
				? run_plan(arena, plan, &options, &result, &err)
				: bl_rego_query(policies,
						query.len ? query
							  : BL_STR("data.p"),
						&options, arena, &diags,
						&result, &err);
	if (status && query.len && diags.first)
		put_texts(arena, &diags, out);
	else if (status)
		put_refused(out, &diags, &err);
	if (status)
		return;
	if (result.fault_code)
		bl_buf_printf(out, "error %s", result.fault_code);
	else if (query.len)
		bl_json_write(out, result.solutions, BL_JSON_CANONICAL);
	else
		put_value(out, &result, bl_value_is_defined(plan));
}

int main(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	while ((len = getline(&line, &cap, stdin)) > 0) {
		struct bl_str text = { line, (size_t)len };
		struct bl_arena arena;
		struct bl_value test;
		struct bl_buf out;

		bl_arena_init(&arena, NULL, 0, 0);
		bl_buf_init(&out, 0);
		if (!bl_json_read(&arena, text, NULL, &test, NULL, NULL, NULL))
			put_answer(&arena, test, &out);
		printf("%s\n", out.ptr);
		bl_buf_clear(&out);
		bl_arena_clear(&arena);
	}
	free(line);
	return 0;
}
