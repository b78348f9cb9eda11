/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rego_eval.c: belay rego eval, one query. */
#include "cli/rego_files.h"
#include "json/json.h"
#include "os/os.h"

enum { OPT_DATA, OPT_INPUT, OPT_STDIN, OPT_STRICT, OPT_VALUES };

static const struct cli_option options[] = {
	[OPT_DATA] = { "data", 'd', CLI_LIST, "PATH",
		       "policies (.rego) and data (.json, .yaml), or folders "
		       "of "
		       "them" },
	[OPT_INPUT] = { "input", 'i', CLI_VALUE, "FILE",
			"JSON or YAML file to be input" },
	[OPT_STDIN] = { "stdin-input", 'I', CLI_FLAG, NULL,
			"read input from standard input" },
	[OPT_STRICT] = { "strict-builtin-errors", 0, CLI_FLAG, NULL,
			 "an error of a builtin ends the evaluation" },
	[OPT_VALUES] = { "values", 0, CLI_FLAG, NULL,
			 "print the values of the statements only" },
};

static enum bl_status read_input(struct cli *cli, struct bl_value *out_input,
				 struct bl_error *err)
{
	struct bl_str text;
	struct bl_str name = BL_STR("standard input");
	enum bl_status status;

	*out_input = bl_value_undefined();
	if (cli_has(cli, OPT_STDIN)) {
		status = cli_read_payload(cli, &text, err);
	} else if (cli_has(cli, OPT_INPUT)) {
		struct bl_limits limits = bl_limits_default();

		name = cli_value(cli, OPT_INPUT);
		status = bl_os_read_file(name, 0, limits.payload_bytes,
					 &cli->arena, &text, NULL, err);
		if (status)
			bl_error_context(err, "%.*s", BL_STR_ARG(name));
	} else {
		return BL_OK;
	}
	if (status)
		return status;
	return cli_parse_data(cli, name, text, out_input, err);
}

/* Each value of each solution on a line. */
static void put_values(struct cli *cli, struct bl_value solutions)
{
	for (size_t i = 0; i < bl_value_count(solutions); i++) {
		struct bl_value values = bl_object_find(
			bl_value_item(solutions, i), BL_STR("expressions"));

		for (size_t j = 0; j < bl_value_count(values); j++)
			cli_put_json(cli, bl_value_item(values, j));
	}
}

/* {"result": [{"expressions": [{"value": V}], "bindings": {}}]}, as opa has. */
static void put_result(struct cli *cli, struct bl_value solutions)
{
	struct bl_object_builder all;
	struct bl_array_builder shown;

	bl_array_builder_init(&shown, &cli->arena);
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
		bl_array_builder_add(&shown, bl_object_builder_end(&one));
	}
	bl_object_builder_init(&all, &cli->arena);
	if (bl_value_count(solutions))
		bl_object_builder_add(&all, BL_STR("result"),
				      bl_array_builder_end(&shown));
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

static int run(struct cli *cli)
{
	const struct cli_given *data = &cli->given[OPT_DATA];
	struct bl_rego_options query = {
		.strict_builtin_errors = cli_has(cli, OPT_STRICT),
		.now_ns = bl_os_wall_ms() * 1000000,
	};
	const struct bl_rego_policies *policies;
	struct cli_rego_files files;
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err;
	enum bl_status status = cli_compile_rego(cli, data->values, data->count,
						 &files, &policies, &err);

	bl_diags_init(&diags, &cli->arena);
	if (!status)
		status = read_input(cli, &query.input, &err);
	if (status)
		return cli_fail(cli, &err);
	query.data = files.data;
	status = bl_rego_query(policies, cli_operand(cli, 0), &query,
			       &cli->arena, &diags, &result, &err);
	if (status) {
		cli_note_diags(cli, &diags);
		return cli_fail(cli, &err);
	}
	if (result.fault_code) {
		bl_fail(&err, BL_INVALID, "%.*s", BL_STR_ARG(result.fault));
		return cli_fail(cli, &err);
	}
	if (cli_has(cli, OPT_VALUES))
		put_values(cli, result.solutions);
	else
		put_result(cli, result.solutions);
	return 0;
}

const struct cli_code cli_code_rego_eval = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = 1,
	.details = "QUERY is Rego: one statement or several with ';' between "
		   "them.  The result\n"
		   "is JSON as 'opa eval' prints it; an undefined query is "
		   "'{}'.\n",
	.run = run,
};
