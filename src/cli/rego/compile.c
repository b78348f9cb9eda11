/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that say what policies are compiled with: schemas, capabilities, the
 * network.
 */
#include "cli/rego/compile.h"

enum bl_status cli_compile_options(struct cli *cli, size_t at,
				   struct bl_rego_compile_options *how,
				   struct cli_network *network,
				   struct bl_error *err)
{
	enum bl_status status =
		cli_read_schemas(cli, cli_value(cli, at + CLI_COMPILE_SCHEMA),
				 &how->schemas, err);

	if (!status)
		status = cli_read_capabilities(cli,
					       at + CLI_COMPILE_CAPABILITIES,
					       &how->capabilities, err);
	if (!status && network)
		status = cli_network_init(network, cli,
					  at + CLI_COMPILE_ALLOW_NET,
					  how->capabilities, err);
	return status;
}
