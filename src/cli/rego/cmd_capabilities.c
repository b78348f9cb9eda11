/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_capabilities.c: belay rego capabilities, what policies may use. */
#include "cli/rego/files.h"
#include "json/json.h"

static int run(struct cli *cli)
{
	struct bl_value own = bl_rego_own_capabilities(&cli->arena);
	struct bl_error err;

	if (!bl_value_is_defined(own)) {
		bl_arena_fail(&cli->arena, &err);
		return cli_fail(cli, &err);
	}
	bl_json_write(&cli->out, own, BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
	return 0;
}

const struct cli_code cli_code_rego_capabilities = {
	.details =
		"The form is that of 'opa capabilities'.  Leave out what "
		"policies may not use\n"
		"and give the file to --capabilities of rego eval, check, "
		"test, build and bench.\n"
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
	.run = run,
};
