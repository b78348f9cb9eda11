/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of policies as JSON, in the form of opa. */
#include "cli/rego/errors.h"

#include "json/json.h"

/* Where something is wrong; line 0: anywhere in the file. */
struct spot {
	struct bl_str file;
	uint32_t line;
	uint32_t column;
};

static struct bl_value make_spot(struct bl_arena *arena, struct spot spot)
{
	struct bl_object_builder place;

	if (!spot.line && !spot.file.len)
		return bl_value_undefined();
	bl_object_builder_init(&place, arena);
	bl_object_builder_add(&place, BL_STR("file"),
			      bl_value_string(spot.file));
	if (spot.line) {
		bl_object_builder_add(&place, BL_STR("row"),
				      bl_value_integer(spot.line));
		bl_object_builder_add(&place, BL_STR("col"),
				      bl_value_integer(spot.column));
	}
	return bl_object_builder_end(&place);
}

/*
 * More about a finding: of a syntax error the line and the index in it, as opa has them,
 * else the lines below the first one of its message.
 */
static struct bl_value make_details(struct bl_arena *arena,
				    const struct bl_diag *diag, size_t first)
{
	struct bl_object_builder details;

	bl_object_builder_init(&details, arena);
	if (first < diag->message.len)
		bl_object_builder_add(
			&details, BL_STR("text"),
			bl_value_string(bl_str_slice(diag->message, first + 2,
						     SIZE_MAX)));
	else if (bl_str_is(bl_str(diag->code), "rego_parse_error") &&
		 diag->source_line.len) {
		bl_object_builder_add(&details, BL_STR("line"),
				      bl_value_string(diag->source_line));
		bl_object_builder_add(&details, BL_STR("idx"),
				      bl_value_integer(diag->place.column - 1));
	}
	return bl_object_builder_end(&details);
}

/* {"message", "code", "location"}, as opa has it. */
static void add_error(struct bl_object_builder *one, struct bl_str message,
		      const char *code, struct spot spot)
{
	bl_object_builder_add(one, BL_STR("message"), bl_value_string(message));
	if (code)
		bl_object_builder_add(one, BL_STR("code"),
				      bl_value_string(bl_str(code)));
	bl_object_builder_add(one, BL_STR("location"),
			      make_spot(one->arena, spot));
}

static struct bl_value make_finding(struct bl_arena *arena,
				    const struct bl_diag *diag)
{
	struct bl_object_builder one;
	size_t first = bl_str_find(diag->message, BL_STR("\n\t"), 0);
	struct bl_value details = make_details(arena, diag, first);

	bl_object_builder_init(&one, arena);
	add_error(&one, bl_str_slice(diag->message, 0, first), diag->code,
		  (struct spot){ diag->file, diag->place.line,
				 diag->place.column });
	if (bl_value_count(details))
		bl_object_builder_add(&one, BL_STR("details"), details);
	return bl_object_builder_end(&one);
}

struct bl_value cli_rego_errors(struct bl_arena *arena,
				const struct bl_diags *diags,
				const struct bl_error *err)
{
	static const struct spot nowhere = { 0 };
	struct bl_object_builder one;
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (const struct bl_diag *diag = diags->first; diag; diag = diag->next)
		bl_array_builder_add(&list, make_finding(arena, diag));
	if (!list.count) {
		bl_object_builder_init(&one, arena);
		add_error(&one, bl_str(err->message), NULL, nowhere);
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

struct bl_value cli_rego_fault(struct bl_arena *arena,
			       const struct bl_rego_result *result)
{
	struct bl_object_builder one;

	bl_object_builder_init(&one, arena);
	add_error(&one, result->fault_text, result->fault_code,
		  (struct spot){ result->fault_file, result->fault_line,
				 result->fault_column });
	return bl_object_builder_end(&one);
}

void cli_put_rego_errors(struct cli *cli, struct bl_value errors)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("errors"), errors);
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
