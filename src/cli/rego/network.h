/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/network.h: the network of policies, off unless hosts are named. */
#ifndef BELAY_CLI_REGO_NETWORK_H
#define BELAY_CLI_REGO_NETWORK_H

#include "cli/cli.h"
#include "rego/rego.h"

/* The rows of OPT_CAPABILITIES and OPT_ALLOW_NET, wherever those are. */
#define CLI_CAPABILITIES_ROW                                                   \
	{                                                                      \
		"capabilities", 0, CLI_VALUE, "FILE",                          \
			"what policies may use, as 'belay rego capabilities' " \
			"prints it; or a release of OPA: v1.22.3"              \
	}
#define CLI_ALLOW_NET_ROW                                                      \
	{                                                                      \
		"allow-net", 0, CLI_LIST, "HOST",                              \
			"http.send and net.lookup_ip_addr may reach this "     \
			"host; off otherwise"                                  \
	}

/* A file of OPA's form; NULL when the option is not given. */
enum bl_status
cli_read_capabilities(struct cli *cli, size_t option,
		      const struct bl_rego_capabilities **out_capabilities,
		      struct bl_error *err);

struct bl_http_client;

/* `use` is for struct bl_rego_options: NULL when no host may be reached. */
struct cli_network {
	const struct bl_rego_network *use;
	struct bl_rego_network network;
	struct bl_http_client *client;
};

/*
 * The hosts of option, a list, and those of capabilities' "allow_net" (which
 * may be NULL).  Cleared also when it failed.
 */
enum bl_status cli_network_init(struct cli_network *network, struct cli *cli,
				size_t option,
				const struct bl_rego_capabilities *capabilities,
				struct bl_error *err);
void cli_network_clear(struct cli_network *network);

#endif
