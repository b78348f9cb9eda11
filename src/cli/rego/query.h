/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/query.h: the options of commands that ask a query. */
#ifndef BELAY_CLI_REGO_QUERY_H
#define BELAY_CLI_REGO_QUERY_H

#include "base/diag.h"
#include "cli/cli.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/files.h"

/* They come first in a table. */
enum {
	CLI_QUERY_DATA,
	CLI_QUERY_BUNDLE,
	CLI_QUERY_INPUT,
	CLI_QUERY_STDIN_INPUT,
	CLI_QUERY_STDIN,
	CLI_QUERY_PACKAGE,
	CLI_QUERY_IMPORT,
	CLI_QUERY_TARGET,
	CLI_QUERY_COUNT
};

#define CLI_QUERY_ROWS                                                         \
	[CLI_QUERY_DATA] = { "data", 'd', CLI_LIST, "PATH",                    \
			     "policies (.rego) and data (.json, .yaml), or "   \
			     "folders of them" },                              \
	[CLI_QUERY_BUNDLE] = { "bundle", 'b', CLI_LIST, "PATH",                \
			       "bundle: a folder or a .tar.gz; or alone, an "  \
			       "image" },                                      \
	[CLI_QUERY_INPUT] = { "input", 'i', CLI_VALUE, "FILE",                 \
			      "JSON or YAML file to be input" },               \
	[CLI_QUERY_STDIN_INPUT] = { "stdin-input", 'I', CLI_FLAG, NULL,        \
				    "read input from standard input" },        \
	[CLI_QUERY_STDIN] = { "stdin", 0, CLI_FLAG, NULL,                      \
			      "read the query from standard input" },          \
	[CLI_QUERY_PACKAGE] = { "package", 0, CLI_VALUE, "NAME",               \
				"the query sees the rules of this package" },  \
	[CLI_QUERY_IMPORT] = { "import", 0, CLI_LIST, "REF",                   \
			       "the query sees this import ('data.a.b as "     \
			       "c')" },                                        \
	[CLI_QUERY_TARGET] = CLI_TARGET_ROW

/* The query: the operand, or standard input; and what is said of targets. */
enum bl_status cli_read_query(struct cli *cli, struct bl_str *out_query,
			      struct bl_error *err);

/*
 * The module whose names the query sees; NULL without --package and --import.
 * Imports alone stand in a package that nobody has.
 */
enum bl_status cli_read_scope(struct cli *cli,
			      const struct bl_rego_module **out_scope,
			      struct bl_diags *diags, struct bl_error *err);

/* Files and bundles; how and bundle_options are the caller's to give. */
struct cli_rego_paths cli_query_paths(const struct cli *cli);

#endif
