/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_capabilities.c: belay rego capabilities, what policies may use. */
#include "cli/rego/files.h"
#include "json/json.h"

static int run_capabilities(struct cli *cli)
{
	struct bl_value shown;
	struct bl_error err;
	enum bl_status status = BL_OK;

	if (cli->operand_count) {
		status = bl_rego_release_capabilities(
			&cli->arena, cli_operand(cli, 0), &shown, &err);
	} else {
		shown = bl_rego_own_capabilities(&cli->arena);
		if (!bl_value_is_defined(shown))
			status = bl_arena_fail(&cli->arena, &err);
	}
	if (status)
		return cli_fail(cli, &err);
	bl_json_write(&cli->out, shown, BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
	return 0;
}

const struct cli_code cli_code_rego_capabilities = {
	.most_operands = 1,
	.details =
		"The form is that of 'opa capabilities'; with RELEASE "
		"('v0.50.0'), the capabilities\n"
		"of that release of OPA, as far as belay has them.  Leave "
		"out what policies may\n"
		"not use and give the file, or just a release, to "
		"--capabilities of rego eval,\n"
		"check, test, build and bench.\n"
		"\n"
		"  builtins         a builtin that is not in the list is an "
		"undefined function\n"
		"  future_keywords  what 'import future.keywords...' may name\n"
		"  features         parts of the language; with "
		"\"graphql_descriptions\", which is\n"
		"                   ours, trees of GraphQL queries have the "
		"descriptions of OPA 1.22\n"
		"  allow_net        hosts that http.send and "
		"net.lookup_ip_addr may reach.  Without\n"
		"                   it no host is allowed, where opa allows "
		"all\n",
	.run = run_capabilities,
};
