/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_check.c: belay rego check, and belay rego bytecode. */
#include "cli/rego/bundle_options.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/compile.h"
#include "cli/rego/errors.h"
#include "cli/rego/files.h"
#include "json/json.h"

enum {
	OPT_FORMAT,
	OPT_STRICT,
	OPT_MAX_ERRORS,
	OPT_V0_V1,
	OPT_REGO_V1,
	OPT_BUNDLE,
	OPT_COMPILE, /* CLI_COMPILE_CHECK_ROWS from here */
	OPT_BUNDLES =
		OPT_COMPILE +
		CLI_COMPILE_CHECK_COUNT, /* CLI_BUNDLE_READ_ROWS from here */
};

enum { EXIT_ERROR = 1 /* as opa has it */ };

static const struct cli_option check_options[] = {
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "CHECK_FORMAT",
			 "human (the default; or pretty), json or sarif" },
	[OPT_STRICT] = CLI_STRICT_ROW,
	[OPT_MAX_ERRORS] = CLI_MAX_ERRORS_ROW,
	[OPT_V0_V1] = { "v0-v1", 0, CLI_FLAG, NULL,
			"policies must be right by both, Rego v0 and v1" },
	[OPT_REGO_V1] = { "rego-v1", 0, CLI_FLAG, NULL, "the same" },
	[OPT_BUNDLE] = CLI_BUNDLE_ROW,
	CLI_COMPILE_CHECK_ROWS(OPT_COMPILE),
	CLI_BUNDLE_READ_ROWS(OPT_BUNDLES),
};

static int put_findings(struct cli *cli, const struct bl_diags *diags)
{
	struct bl_str format = cli_value(cli, OPT_FORMAT);
	struct bl_error err;

	if (bl_str_is(format, "json")) {
		if (diags->first)
			cli_put_rego_errors(
				cli, cli_rego_errors(&cli->arena, diags, NULL));
	} else if (bl_str_is(format, "sarif")) {
		bl_json_write_sarif(&cli->out, diags, BELAY_VERSION);
	} else if (!format.len || bl_str_is(format, "human") ||
		   bl_str_is(format, "pretty")) {
		bl_diags_print(diags, cli->colour, &cli->out);
	} else {
		bl_fail(&err, BL_USAGE, "there is no format '%.*s'",
			BL_STR_ARG(format));
		return cli_fail(cli, &err);
	}
	return diags->error_count ? EXIT_ERROR : 0;
}

/* Compiles; with --v0-v1 also by the rules before v1. */
static enum bl_status check(struct cli *cli, struct cli_rego_files *files,
			    struct bl_diags *diags, struct bl_error *err)
{
	struct bl_rego_compile_options options = { .strict = cli_has(
							   cli, OPT_STRICT) };
	const struct bl_rego_policies *policies;
	enum bl_status status =
		cli_compile_options(cli, OPT_COMPILE, &options, NULL, err);

	if (!status)
		status = bl_rego_compile(&cli->arena, files->sources,
					 files->source_count, &options, diags,
					 &policies, err);
	if (status || !(cli_has(cli, OPT_V0_V1) || cli_has(cli, OPT_REGO_V1)))
		return status;
	for (size_t i = 0; i < files->source_count; i++)
		files->sources[i].v0 = true;
	return bl_rego_compile(&cli->arena, files->sources, files->source_count,
			       &options, diags, &policies, err);
}

static int run_check(struct cli *cli)
{
	struct cli_rego_files files;
	struct bl_diags diags;
	struct bl_error err;
	struct cli_rego_paths paths =
		cli_rego_operands(cli, cli_has(cli, OPT_BUNDLE));
	struct bl_bundle_options bundle_options;
	enum bl_status status =
		cli_bundle_options(cli, OPT_BUNDLES, cli_has(cli, OPT_BUNDLE),
				   &bundle_options, &err);

	bl_diags_init(&diags, &cli->arena);
	diags.most = CLI_MAX_DIAGS;
	paths.bundle_options = &bundle_options;
	paths.diags = &diags;
	paths.modules_only = true;
	if (!status)
		status = cli_read_rego(cli, &paths, &files, &err);
	if (!status)
		status = check(cli, &files, &diags, &err);
	if (status && !diags.error_count)
		return cli_fail_with(cli, &err, EXIT_ERROR);
	cli_limit_diags(&diags, cli->given[OPT_MAX_ERRORS].number);
	return put_findings(cli, &diags);
}

const struct cli_code cli_code_rego_check = {
	.options = check_options,
	.option_count = BL_COUNT(check_options),
	.least_operands = 1,
	.most_operands = CLI_MAX_OPERANDS,
	.details = "Prints what is wrong with policies, and nothing when "
		   "nothing is.  JSON is as\n"
		   "opa's: {\"errors\": [{\"message\", \"code\", "
		   "\"location\"}]}.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  they compile\n"
		   "  1  they do not, or cannot be read\n",
	.run = run_check,
	.foreign = cli_opa_options,
};

enum { OPT_CODE_BUNDLE };

static const struct cli_option bytecode_options[] = {
	[OPT_CODE_BUNDLE] = CLI_BUNDLE_ROW,
};

static int run_bytecode(struct cli *cli)
{
	static const struct bl_bundle_options unverified = {
		.skip_verify = true,
	};
	struct cli_rego_paths paths =
		cli_rego_operands(cli, cli_has(cli, OPT_CODE_BUNDLE));
	const struct bl_rego_policies *policies;
	struct cli_rego_files files;
	struct bl_error err;

	paths.bundle_options = &unverified;
	if (cli_compile_rego(cli, &paths, &files, NULL, &policies, &err))
		return cli_fail(cli, &err);
	bl_rego_disassemble(&cli->out, policies);
	return 0;
}

const struct cli_code cli_code_rego_bytecode = {
	.options = bytecode_options,
	.option_count = BL_COUNT(bytecode_options),
	.least_operands = 1,
	.most_operands = CLI_MAX_OPERANDS,
	.details = "One instruction a line, for those who work on the "
		   "compiler.\n",
	.run = run_bytecode,
};
