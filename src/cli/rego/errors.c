/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of policies as JSON, in the form of opa. */
#include "cli/rego/errors.h"

#include "json/json.h"

/* One of {"errors": [{"message", "code", "location"}]}, as opa has it. */
static void add_error(struct bl_array_builder *list, struct bl_arena *arena,
		      struct bl_str message, const char *code,
		      const struct bl_diag *diag)
{
	struct bl_object_builder one;
	struct bl_object_builder place;

	bl_object_builder_init(&one, arena);
	bl_object_builder_add(&one, BL_STR("message"),
			      bl_value_string(message));
	if (code)
		bl_object_builder_add(&one, BL_STR("code"),
				      bl_value_string(bl_str(code)));
	if (diag) {
		bl_object_builder_init(&place, arena);
		bl_object_builder_add(&place, BL_STR("file"),
				      bl_value_string(diag->file));
		bl_object_builder_add(&place, BL_STR("row"),
				      bl_value_integer(diag->place.line));
		bl_object_builder_add(&place, BL_STR("col"),
				      bl_value_integer(diag->place.column));
		bl_object_builder_add(&one, BL_STR("location"),
				      bl_object_builder_end(&place));
	}
	bl_array_builder_add(list, bl_object_builder_end(&one));
}

void cli_put_rego_errors(struct cli *cli, const struct bl_diags *diags,
			 const char *code, const struct bl_error *err)
{
	struct bl_object_builder all;
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (const struct bl_diag *diag = diags->first; diag; diag = diag->next)
		add_error(&list, &cli->arena, diag->message, diag->code, diag);
	if (!list.count)
		add_error(&list, &cli->arena, bl_str(err->message), code, NULL);
	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("errors"),
			      bl_array_builder_end(&list));
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

void cli_limit_diags(struct bl_diags *diags, size_t most)
{
	static const struct bl_diag_source nowhere = { 0 };
	struct bl_diag *last = diags->first;
	size_t kept = 1;

	if (!most || !last)
		return;
	for (; kept < most && last->next; kept++)
		last = last->next;
	if (!last->next)
		return;
	last->next = NULL;
	diags->tail = &last->next;
	diags->stored_count = kept;
	diags->dropped_count = 0;
	bl_diags_add(diags, BL_SEVERITY_ERROR, "rego_compile_error", &nowhere,
		     (struct bl_place){ 0 }, NULL, "error limit reached");
}
