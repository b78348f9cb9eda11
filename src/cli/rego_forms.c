/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rego_forms.h"

#include "json/json.h"

/* Each value of each solution on a line. */
static void put_values(struct cli *cli, const struct cli_rego_shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->solutions); i++) {
		struct bl_value values =
			bl_object_find(bl_value_item(shown->solutions, i),
				       BL_STR("expressions"));

		for (size_t j = 0; j < bl_value_count(values); j++)
			cli_put_json(cli, bl_value_item(values, j));
	}
}

/* {"result": [{"expressions": [{"value": V}], "bindings": {}}]}, as opa has. */
static void put_result(struct cli *cli, const struct cli_rego_shown *shown)
{
	struct bl_object_builder all;
	struct bl_array_builder list;
	struct bl_value solutions = shown->solutions;

	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; i < bl_value_count(solutions); i++) {
		struct bl_value solution = bl_value_item(solutions, i);
		struct bl_value values =
			bl_object_find(solution, BL_STR("expressions"));
		struct bl_value bindings =
			bl_object_find(solution, BL_STR("bindings"));
		struct bl_object_builder one;
		struct bl_array_builder expressions;

		bl_object_builder_init(&one, &cli->arena);
		bl_array_builder_init(&expressions, &cli->arena);
		for (size_t j = 0; j < bl_value_count(values); j++) {
			struct bl_object_builder expression;

			bl_object_builder_init(&expression, &cli->arena);
			bl_object_builder_add(&expression, BL_STR("value"),
					      bl_value_item(values, j));
			bl_array_builder_add(
				&expressions,
				bl_object_builder_end(&expression));
		}
		if (bl_value_count(values))
			bl_object_builder_add(
				&one, BL_STR("expressions"),
				bl_array_builder_end(&expressions));
		if (bl_value_count(bindings))
			bl_object_builder_add(&one, BL_STR("bindings"),
					      bindings);
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	bl_object_builder_init(&all, &cli->arena);
	if (bl_value_count(solutions))
		bl_object_builder_add(&all, BL_STR("result"),
				      bl_array_builder_end(&list));
	if (bl_value_is_defined(shown->metrics))
		bl_object_builder_add(&all, BL_STR("metrics"), shown->metrics);
	if (bl_value_is_defined(shown->profile))
		bl_object_builder_add(&all, BL_STR("profile"), shown->profile);
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

static void put_pretty(struct cli *cli, struct bl_value value)
{
	bl_json_write(&cli->out, value, BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

/* The values of each solution as one array. */
static void put_arrays(struct cli *cli, const struct cli_rego_shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->solutions); i++)
		put_pretty(cli,
			   bl_object_find(bl_value_item(shown->solutions, i),
					  BL_STR("expressions")));
}

/* The bindings of each solution. */
static void put_bindings(struct cli *cli, const struct cli_rego_shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->solutions); i++)
		put_pretty(cli,
			   bl_object_find(bl_value_item(shown->solutions, i),
					  BL_STR("bindings")));
}

/* Values on a line for each solution; strings without their quotes. */
static void put_raw(struct cli *cli, const struct cli_rego_shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->solutions); i++) {
		struct bl_value values =
			bl_object_find(bl_value_item(shown->solutions, i),
				       BL_STR("expressions"));

		for (size_t j = 0; j < bl_value_count(values); j++) {
			struct bl_value value = bl_value_item(values, j);

			if (j > 0)
				bl_buf_put_char(&cli->out, ' ');
			if (bl_value_is(value, BL_KIND_STRING))
				bl_buf_put_str(&cli->out, bl_value_text(value));
			else
				bl_json_write(&cli->out, value,
					      BL_JSON_COMPACT);
		}
		bl_buf_put_char(&cli->out, '\n');
	}
}

/* Values, or variables where the query has some. */
static void put_for_people(struct cli *cli, const struct cli_rego_shown *shown)
{
	if (!bl_value_count(shown->solutions))
		bl_buf_puts(&cli->out, "undefined\n");
	for (size_t i = 0; i < bl_value_count(shown->solutions); i++) {
		struct bl_value solution = bl_value_item(shown->solutions, i);
		struct bl_value bindings =
			bl_object_find(solution, BL_STR("bindings"));
		struct bl_value values =
			bl_object_find(solution, BL_STR("expressions"));

		if (bl_value_count(bindings)) {
			put_pretty(cli, bindings);
			continue;
		}
		for (size_t j = 0; j < bl_value_count(values); j++)
			put_pretty(cli, bl_value_item(values, j));
	}
}

/* That something was evaluated, whatever came out. */
static void put_nothing(struct cli *cli, const struct cli_rego_shown *shown)
{
	(void)shown;
	bl_buf_puts(&cli->out, "{\n  \"result\": \"discarded\"\n}\n");
}

static const struct cli_rego_form forms[] = {
	{ "json", true, put_result },    { "pretty", false, put_for_people },
	{ "values", false, put_arrays }, { "bindings", false, put_bindings },
	{ "raw", false, put_raw },       { "discard", false, put_nothing },
	{ "lines", false, put_values },
};

const struct cli_rego_form *cli_find_rego_form(struct bl_str name)
{
	for (size_t i = 0; i < BL_COUNT(forms); i++)
		if (bl_str_is(name, forms[i].name))
			return &forms[i];
	return NULL;
}

/* {"errors": [{"code", "location", "message"}]}, as opa has it. */
static void put_error(struct bl_array_builder *list, struct bl_arena *arena,
		      struct bl_str code, struct bl_str message,
		      const struct bl_diag *diag)
{
	struct bl_object_builder one;
	struct bl_object_builder place;

	bl_object_builder_init(&one, arena);
	bl_object_builder_add(&one, BL_STR("message"),
			      bl_value_string(message));
	bl_object_builder_add(&one, BL_STR("code"), bl_value_string(code));
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
			 const struct bl_rego_result *result)
{
	struct bl_object_builder all;
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (const struct bl_diag *diag = diags->first; diag; diag = diag->next)
		put_error(&list, &cli->arena, bl_str(diag->code), diag->message,
			  diag);
	if (result)
		put_error(&list, &cli->arena, bl_str(result->fault_code),
			  result->fault, NULL);
	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("errors"),
			      bl_array_builder_end(&list));
	put_pretty(cli, bl_object_builder_end(&all));
}
