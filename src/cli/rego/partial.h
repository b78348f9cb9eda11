/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/partial.h: rego eval --partial, what is left of a query. */
#ifndef BELAY_CLI_REGO_PARTIAL_H
#define BELAY_CLI_REGO_PARTIAL_H

#include "base/diag.h"
#include "cli/rego/files.h"

/* Behind the option that a table names for them. */
enum {
	CLI_PARTIAL_ON,
	CLI_PARTIAL_UNKNOWNS,
	CLI_PARTIAL_DISABLE,
	CLI_PARTIAL_SHALLOW,
	CLI_PARTIAL_NONDETERMINISTIC,
	CLI_PARTIAL_COUNT,
};

#define CLI_PARTIAL_ROWS(at)                                                   \
	[(at) + CLI_PARTIAL_ON] = { "partial", 'p', CLI_FLAG, NULL,            \
				    "evaluate as far as it goes without "      \
				    "knowing input, and print what is left" }, \
		[(at) + CLI_PARTIAL_UNKNOWNS] = { "unknowns", 'u', CLI_LIST,   \
						  "REF",                       \
						  "what is not known with "    \
						  "--partial "                 \
						  "(default: input)" },        \
		[(at) + CLI_PARTIAL_DISABLE] = { "disable-inlining", 0,        \
						 CLI_LIST, "REF",              \
						 "rules that --partial "       \
						 "writes out "                 \
						 "and never puts in place" },  \
		[(at) + CLI_PARTIAL_SHALLOW] = { "shallow-inlining", 0,        \
						 CLI_FLAG, NULL,               \
						 "--partial writes out every " \
						 "rule "                       \
						 "that needs something "       \
						 "unknown" },                  \
		[(at) + CLI_PARTIAL_NONDETERMINISTIC] = {                      \
			"nondeterminstic-builtins", 0, CLI_FLAG, NULL,         \
			"--partial calls builtins such as time.now_ns, too"    \
		}

struct cli_partial {
	struct bl_str query;
	const struct bl_rego_policies *policies;
	const struct bl_rego_compile_options *how;
	const struct cli_rego_files *files;
	const struct bl_rego_options *options; /* input, data, ... */
};

/* Is it json, pretty or source?  USAGE; the name may be empty: json. */
enum bl_status cli_partial_check(struct bl_str format, struct bl_error *err);

/*
 * Evaluates in part, by the options from at on.  Errors as of
 * bl_rego_partial_run.
 */
enum bl_status cli_partial_ask(struct cli *cli, size_t at,
			       const struct cli_partial *asked,
			       struct bl_diags *diags,
			       struct bl_rego_partial *out_partial,
			       struct bl_error *err);

/* Prints it in that format. */
enum bl_status cli_partial_put(struct cli *cli, struct bl_str format,
			       const struct bl_rego_partial *partial,
			       struct bl_error *err);

#endif
