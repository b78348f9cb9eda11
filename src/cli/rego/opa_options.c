/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of opa that belay does not have: taken in silence, or refused with what to do
 * instead.
 */
#include "cli/rego/opa_options.h"

#define PARTIAL "only 'rego eval' evaluates in part; ask with the whole input"
#define SERVER  "belay has no policy server; leave it out"
#define SIGNING "keys are given by --signing-key and --verification-key"
#define WASM    "belay runs no WebAssembly; leave it out"
#define PLAN    "belay reads plans and writes none; leave it out"

const struct cli_foreign cli_opa_options[] = {
	/* Taken: they tune what is not there, or say what is so anyway. */
	{ " eval ", "disable-early-exit", 0, false, NULL },
	{ " eval ", "disable-indexing", 0, false, NULL },
	{ " eval bench ", "optimize-store-for-read-speed", 0, false, NULL },
	{ " eval test ", "var-values", 0, false, NULL },
	{ " eval ", "pretty-limit", 0, true, NULL },
	{ " fmt ", "check-result", 0, false, NULL },
	{ " build ", "debug", 0, false, NULL },
	{ " build ", "follow-symlinks", 0, false, NULL },
	{ " eval check test fmt build inspect bench parse ", "v1-compatible", 0,
	  false, NULL },
	{ " bench test ", "benchmem", 0, false, NULL },

	{ " bench ", "partial", 'p', false, PARTIAL },
	{ " bench ", "unknowns", 'u', true, PARTIAL },
	{ " build ", "partial-namespace", 0, true, PARTIAL },
	{ " eval ", "instrument", 0, false,
	  "--metrics says what a query takes, --profile each statement" },
	{ " eval test ", "coverage-runs", 0, true,
	  "lines that did not run have no kinds; leave it out" },
	{ " bench ", "e2e", 0, false, SERVER },
	{ " bench ", "config-file", 'c', true, SERVER },
	{ " bench ", "shutdown-grace-period", 0, true, SERVER },
	{ " bench ", "shutdown-wait-period", 0, true, SERVER },
	{ " build sign ", "signing-plugin", 0, true, SIGNING },
	{ " build ", "wasm-include-print", 0, false, WASM },
	{ " build ", "plan-addons", 0, true, PLAN },
	{ " build ", "prune-unused", 0, false, PLAN },
	{ " build ", "format", 0, true, PLAN },
	{ NULL, NULL, 0, false, NULL },
};

enum bl_status cli_check_target(const struct cli *cli, size_t option,
				struct bl_error *err)
{
	struct bl_str name = cli_value(cli, option);

	if (!name.ptr || bl_str_is(name, "rego"))
		return BL_OK;
	return bl_fail(err, BL_USAGE, "there is no target '%.*s', but rego",
		       BL_STR_ARG(name));
}

enum bl_status cli_check_level(const struct cli *cli, size_t option,
			       struct bl_error *err)
{
	if (!cli->given[option].number)
		return BL_OK;
	return bl_fail(err, BL_USAGE,
		       "policies are optimised when they are compiled, not "
		       "before: there is no level but 0");
}
