/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_schema.c: belay schema: the JSON Schema of a file. */
#include "cli/cli.h"
#include "cli/schemas.h"
#include "json/json.h"

static enum bl_status fail_unknown(struct bl_str name, struct bl_error *err)
{
	struct bl_buf names;
	enum bl_status status;

	bl_buf_init(&names, 0);
	for (size_t i = 0; cli_schema_name(i); i++)
		bl_buf_printf(&names, "%s%s", i ? ", " : "",
			      cli_schema_name(i));
	status = bl_fail(err, BL_USAGE,
			 "there is no schema of '%.*s'; there are: %s",
			 BL_STR_ARG(name), names.ptr);
	bl_buf_clear(&names);
	return status;
}

static int run_schema(struct cli *cli)
{
	struct bl_str name = cli_operand(cli, 0);
	struct bl_value schema = cli_schema(&cli->arena, name);
	struct bl_error err = { 0 };

	if (bl_arena_status(&cli->arena)) {
		bl_arena_fail(&cli->arena, &err);
		return cli_fail(cli, &err);
	}
	if (!bl_value_is_defined(schema)) {
		fail_unknown(name, &err);
		return cli_fail(cli, &err);
	}
	bl_json_write(&cli->out, schema, BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
	return 0;
}

const struct cli_code cli_code_schema = {
	.least_operands = 1,
	.most_operands = 1,
	.details =
		"SCHEMA is rulebook, hooks (hooks.json of Cursor), hooks-2.3 "
		"(of Cursor 2.3.41), everruns (its user hooks), case (of "
		"'belay test'), journal (a line of it) or result (of 'belay "
		"dispatch --json').\n"
		"\n"
		"Editors check a file by its schema; 'belay init' puts that "
		"of the rulebook beside the one that it makes, which names "
		"it in its first line.\n",
	.run = run_schema,
};
