/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eval: reads lines {"module", "other", "input"}, writes for each the value of data.p
 * as canonical JSON, "error CODE", or "refused MESSAGE".
 */
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"
#include "rego/rego.h"

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
	const struct bl_rego_policies *policies;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err = { 0 };
	struct bl_value first;

	bl_diags_init(&diags, arena);
	if (bl_rego_compile(arena, sources, 2, NULL, &diags, &policies, &err) ||
	    bl_rego_query(policies, BL_STR("data.p"), &options, arena, &diags,
			  &result, &err)) {
		if (diags.first) {
			struct bl_str text = diags.first->message;
			struct bl_str line = bl_str_slice(
				text, 0, bl_str_find(text, BL_STR("\n"), 0));

			bl_buf_printf(out, "refused %s: %.*s",
				      diags.first->code, BL_STR_ARG(line));
		} else
			bl_buf_printf(out, "refused %s", err.message);
		return;
	}
	if (result.fault_code) {
		bl_buf_printf(out, "error %s", result.fault_code);
		return;
	}
	first = bl_object_find(bl_value_item(result.solutions, 0),
			       BL_STR("expressions"));
	bl_json_write(out, bl_value_item(first, 0), BL_JSON_CANONICAL);
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
