/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/compile.h: options that say what policies are compiled with. */
#ifndef BELAY_CLI_REGO_COMPILE_H
#define BELAY_CLI_REGO_COMPILE_H

#include "cli/rego/network.h"
#include "cli/rego/schemas.h"

/* Behind the option that a table names for them. */
enum {
	CLI_COMPILE_SCHEMA,
	CLI_COMPILE_CAPABILITIES,
	CLI_COMPILE_CHECK_COUNT, /* of those that do not evaluate */
	CLI_COMPILE_ALLOW_NET = CLI_COMPILE_CHECK_COUNT,
	CLI_COMPILE_COUNT,
};

#define CLI_COMPILE_CHECK_ROWS(at)                                             \
	[(at) + CLI_COMPILE_SCHEMA] = CLI_SCHEMA_ROW,                          \
		[(at) + CLI_COMPILE_CAPABILITIES] = CLI_CAPABILITIES_ROW

#define CLI_COMPILE_ROWS(at)                                                   \
	CLI_COMPILE_CHECK_ROWS(at),                                            \
		[(at) + CLI_COMPILE_ALLOW_NET] = CLI_ALLOW_NET_ROW

/*
 * Reads them from option at on into *how; the network goes into network, to be
 * cleared also when this failed.  NULL: nothing is evaluated, and the table has
 * CLI_COMPILE_CHECK_ROWS.
 */
enum bl_status cli_compile_options(struct cli *cli, size_t at,
				   struct bl_rego_compile_options *how,
				   struct cli_network *network,
				   struct bl_error *err);

#endif
