/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_sign.c: belay rego sign, .signatures.json of bundles. */
#include "cli/rego/bundle_options.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/files.h"
#include "os/os.h"

enum { OPT_BUNDLE, OPT_KEY, OPT_ALGORITHM, OPT_CLAIMS, OPT_FOLDER };

enum { OUTPUT_MODE = 0644, EXIT_ERROR = 1 /* as opa has it */ };

static const struct cli_option options[] = {
	[OPT_BUNDLE] = CLI_BUNDLE_ROW,
	[OPT_KEY] = CLI_SIGNING_KEY_ROW,
	[OPT_ALGORITHM] = CLI_SIGNING_ALG_ROW,
	[OPT_CLAIMS] = CLI_CLAIMS_FILE_ROW,
	[OPT_FOLDER] = { "output-file-path", 'o', CLI_VALUE, "DIR",
			 "where to write .signatures.json (default: the "
			 "current folder)" },
};

/* The files of all operands in one list. */
static enum bl_status list_files(struct cli *cli, struct bl_bundle_files *all,
				 struct bl_error *err)
{
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < cli->operand_count; i++) {
		struct bl_bundle_files one = { 0 };
		struct bl_bundle_file *joined;

		status = bl_bundle_list(&cli->arena, cli->operands[i], NULL,
					&one, err);
		if (status)
			break;
		joined = bl_arena_new_array(&cli->arena, struct bl_bundle_file,
					    all->count + one.count + 1);
		if (!joined)
			return bl_arena_fail(&cli->arena, err);
		for (size_t j = 0; j < all->count; j++)
			joined[j] = all->items[j];
		for (size_t j = 0; j < one.count; j++)
			joined[all->count + j] = one.items[j];
		all->items = joined;
		all->count += one.count;
	}
	return status;
}

static enum bl_status sign(struct cli *cli, struct bl_error *err)
{
	static const struct cli_signing_rows rows = { OPT_KEY, OPT_ALGORITHM,
						      OPT_CLAIMS };
	struct bl_str folder = cli_value(cli, OPT_FOLDER);
	struct bl_bundle_files files = { 0 };
	struct bl_bundle_signing how;
	struct bl_str path;
	struct bl_str text;
	enum bl_status status;

	if (!cli_has(cli, OPT_KEY))
		return bl_fail(err, BL_USAGE, "--signing-key is needed");
	if (!cli_has(cli, OPT_BUNDLE))
		return bl_fail(err, BL_USAGE,
			       "only bundles are signed: give --bundle");
	status = cli_bundle_signing(cli, &rows, &how, err);
	if (!status)
		status = list_files(cli, &files, err);
	if (!status)
		status = bl_bundle_sign(&cli->arena, files.items, files.count,
					&how, &text, err);
	if (status)
		return status;
	path = bl_path_join(&cli->arena, folder.ptr ? folder : BL_STR("."),
			    BL_STR(".signatures.json"));
	if (!path.ptr)
		return bl_arena_fail(&cli->arena, err);
	return bl_os_replace_file(path, text, OUTPUT_MODE, err);
}

static int run_sign(struct cli *cli)
{
	struct bl_error err = { 0 };

	return sign(cli, &err) ? cli_fail_with(cli, &err, EXIT_ERROR) : 0;
}

const struct cli_code cli_code_rego_sign = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = CLI_MAX_OPERANDS,
	.details =
		"Writes .signatures.json: one JSON Web Token over the digests "
		"of all files,\n"
		"as opa sign does.  Names in it begin with PATH where that is "
		"a folder, so\n"
		"the bundle is verified by the same PATH.\n",
	.run = run_sign,
	.foreign = cli_opa_options,
};
