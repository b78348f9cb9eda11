/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_fmt.c: belay rego fmt, policies in the layout of `opa fmt`. */
#include <unistd.h>

#include "cli/rego/bundle_options.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/files.h"
#include "cli/text_diff.h"
#include "os/os.h"

enum {
	OPT_WRITE,
	OPT_LIST,
	OPT_DIFF,
	OPT_FAIL,
	OPT_V0,
	OPT_V0_V1,
	OPT_REGO_V1,
	OPT_DROP,
};

enum { EXIT_STDIN = 1, EXIT_FILE = 2 }; /* as opa has them */

static const struct cli_option options[] = {
	[OPT_WRITE] = { "write", 'w', CLI_FLAG, NULL,
			"write files back instead of printing them" },
	[OPT_LIST] = { "list", 'l', CLI_FLAG, NULL,
		       "print the names of files that would change" },
	[OPT_DIFF] = { "diff", 'd', CLI_FLAG, NULL,
		       "print what would change, as a unified diff" },
	[OPT_FAIL] = { "fail", 0, CLI_FLAG, NULL,
		       "exit status 2 when a file would change" },
	[OPT_V0] = CLI_V0_ROW,
	[OPT_V0_V1] = { "v0-v1", 0, CLI_FLAG, NULL,
			"read by the rules before Rego v1, and write what is "
			"right by both" },
	[OPT_REGO_V1] = { "rego-v1", 0, CLI_FLAG, NULL, "the same" },
	[OPT_DROP] = { "drop-v0-imports", 0, CLI_FLAG, NULL,
		       "leave out 'import rego.v1' and 'future.keywords'" },
};

/* The formatted text in the arena; SYNTAX when text is not a module. */
static enum bl_status format_text(struct cli *cli, struct bl_str name,
				  struct bl_str text, struct bl_str *out_text,
				  struct bl_error *err)
{
	const struct bl_rego_module *module;
	struct bl_place place;
	struct bl_buf out;
	size_t offset = 0;
	bool both = cli_has(cli, OPT_V0_V1) || cli_has(cli, OPT_REGO_V1);
	enum bl_status status = bl_rego_parse(&cli->arena, name, text,
					      both || cli_has(cli, OPT_V0),
					      &module, &offset, err);

	if (status) {
		place = bl_place_at(text, offset);
		bl_error_context(err, "%.*s:%u:%u", BL_STR_ARG(name),
				 place.line, place.column);
		return status;
	}
	if (both)
		module = bl_rego_change_version(&cli->arena, module,
						BL_REGO_V0_AND_V1);
	else if (cli_has(cli, OPT_DROP) && !cli_has(cli, OPT_V0))
		module = bl_rego_change_version(&cli->arena, module,
						BL_REGO_DROP_V0_IMPORTS);
	if (!module)
		return bl_arena_fail(&cli->arena, err);
	bl_buf_init(&out, 0);
	status = bl_rego_format(&cli->arena, module, &out, err);
	if (status)
		bl_error_context(err, "%.*s", BL_STR_ARG(name));
	*out_text = bl_arena_copy_str(&cli->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	if (!status && !out_text->ptr)
		status = bl_arena_fail(&cli->arena, err);
	return status;
}

static int format_stdin(struct cli *cli)
{
	struct bl_str text;
	struct bl_error err;

	if (cli_read_input(cli, &text, &err) ||
	    format_text(cli, BL_STR("stdin"), text, &text, &err))
		return cli_fail_with(cli, &err, EXIT_STDIN);
	bl_buf_put_str(&cli->out, text);
	return 0;
}

static enum bl_status show(struct cli *cli, const struct bl_rego_source *source,
			   struct bl_str formatted, struct bl_error *err)
{
	bool changed = !bl_str_equal(source->text, formatted);

	if (cli_has(cli, OPT_LIST)) {
		if (changed)
			bl_buf_printf(&cli->out, "%.*s\n",
				      BL_STR_ARG(source->file));
	} else if (cli_has(cli, OPT_DIFF)) {
		if (changed)
			return cli_put_diff(&cli->arena, &cli->out,
					    source->file, source->text,
					    formatted, err);
	} else if (!cli_has(cli, OPT_WRITE)) {
		if (!cli_has(cli, OPT_FAIL) || !changed)
			bl_buf_put_str(&cli->out, formatted);
	} else if (changed) {
		struct bl_file_info info;
		enum bl_status status =
			bl_os_info_path(source->file, &info, err);

		if (!status)
			status = bl_os_replace_file(source->file, formatted,
						    info.mode & 07777, err);
		if (status)
			bl_error_context(err, "%.*s", BL_STR_ARG(source->file));
		return status;
	}
	return BL_OK;
}

static int run_fmt(struct cli *cli)
{
	struct cli_rego_files files;
	struct bl_error err;
	bool changed = false;

	if (!cli->operand_count)
		return format_stdin(cli);
	if (cli_read_rego_sources(cli, cli->operands, cli->operand_count,
				  &files, &err))
		return cli_fail_with(cli, &err, EXIT_FILE);
	for (size_t i = 0; i < files.source_count; i++) {
		struct bl_rego_source *source = &files.sources[i];
		struct bl_str formatted = { 0 };

		if (format_text(cli, source->file, source->text, &formatted,
				&err) ||
		    show(cli, source, formatted, &err))
			return cli_fail_with(cli, &err, EXIT_FILE);
		changed = changed || !bl_str_equal(source->text, formatted);
	}
	return changed && cli_has(cli, OPT_FAIL) ? EXIT_FILE : 0;
}

const struct cli_code cli_code_rego_fmt = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = CLI_MAX_OPERANDS,
	.details =
		"Prints policies in the layout of 'opa fmt', with their "
		"comments.  Without PATH\n"
		"it reads standard input.  A file that is not a policy is "
		"never touched.\n"
		"\n"
		"Exit status:\n"
		"  0  it is done\n"
		"  1  standard input is not a policy\n"
		"  2  a file is not a policy; or would change, with --fail\n",
	.run = run_fmt,
	.foreign = cli_opa_options,
};
