/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_schema.c: belay schema: the JSON Schema of a file that people write. */
#include "cli/cli.h"
#include "json/json.h"
#include "sources/policies/policies.h"

static const struct {
	const char *name;
	struct bl_value (*make)(struct bl_arena *arena);
} schemas[] = {
	{ "rulebook", bl_rulebook_schema },
};

static int run(struct cli *cli)
{
	struct bl_str name = cli_operand(cli, 0);
	struct bl_error err = { 0 };

	for (size_t i = 0; i < BL_COUNT(schemas); i++) {
		if (!bl_str_is(name, schemas[i].name))
			continue;
		bl_json_write(&cli->out, schemas[i].make(&cli->arena),
			      BL_JSON_PRETTY);
		bl_buf_put_char(&cli->out, '\n');
		return 0;
	}
	bl_fail(&err, BL_USAGE,
		"there is no schema of '%.*s'; there is: rulebook",
		BL_STR_ARG(name));
	return cli_fail(cli, &err);
}

const struct cli_code cli_code_schema = {
	.least_operands = 1,
	.most_operands = 1,
	.details = "Editors check a file by its schema; 'belay init' puts it "
		   "beside the rulebook that it makes.\n",
	.run = run,
};
