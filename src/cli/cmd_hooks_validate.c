/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hooks_validate.c: belay hooks validate. */
#include "cli/cli.h"

#include "json/json.h"
#include "os/os.h"

enum { OPT_SOURCE = CLI_OPT_SETUP_COUNT, OPT_FORMAT };

static const struct cli_option options[] = {
	CLI_SETUP_ROWS,
	[OPT_SOURCE] = { "source", 0, CLI_VALUE, "SOURCE",
			 "judge FILE as one of this source (default: user)" },
	[OPT_FORMAT] = { "format", 0, CLI_VALUE, "FORMAT",
			 "human (the default), json or sarif" },
};

static void put_human(struct cli *cli, const struct bl_diags *diags)
{
	bl_diags_print(diags, cli->colour, &cli->out);
	bl_buf_printf(&cli->out, "%zu error%s, %zu warning%s\n",
		      diags->error_count, diags->error_count == 1 ? "" : "s",
		      diags->warning_count,
		      diags->warning_count == 1 ? "" : "s");
}

static void put_json(struct cli *cli, const struct bl_diags *diags)
{
	bl_json_write_diags(&cli->out, diags);
}

static void put_sarif(struct cli *cli, const struct bl_diags *diags)
{
	bl_json_write_sarif(&cli->out, diags, BELAY_VERSION);
}

static const struct format {
	const char *name;
	void (*put)(struct cli *cli, const struct bl_diags *diags);
} formats[] = {
	{ "human", put_human },
	{ "json", put_json },
	{ "sarif", put_sarif },
};

static enum bl_status find_format(struct cli *cli,
				  const struct format **out_format,
				  struct bl_error *err)
{
	struct bl_str name = cli_value(cli, OPT_FORMAT);

	for (size_t i = 0; i < BL_COUNT(formats); i++) {
		if (!name.ptr || bl_str_is(name, formats[i].name)) {
			*out_format = &formats[i];
			return BL_OK;
		}
	}
	return bl_fail(err, BL_USAGE,
		       "there is no format '%.*s'; there are human, json and "
		       "sarif",
		       BL_STR_ARG(name));
}

static enum bl_status find_source(struct cli *cli, enum bl_source *out_source,
				  struct bl_error *err)
{
	struct bl_str name = cli_value(cli, OPT_SOURCE);

	*out_source = BL_SOURCE_USER;
	if (!name.ptr)
		return BL_OK;
	for (enum bl_source i = 0; i < BL_SOURCE_COUNT; i++) {
		if (bl_str_is(name, bl_source_name(i))) {
			*out_source = i;
			return BL_OK;
		}
	}
	return bl_fail(err, BL_USAGE,
		       "there is no source '%.*s'; there are enterprise, team, "
		       "project, user and plugin",
		       BL_STR_ARG(name));
}

static enum bl_status validate_everruns(struct cli *cli,
					const struct bl_everruns_rules *rules,
					const struct bl_diag_source *text,
					struct bl_diags *diags,
					struct bl_error *err)
{
	struct bl_everruns_source source = { .text = *text };
	struct bl_everruns_set set;

	bl_everruns_set_init(&set, rules, &cli->arena);
	return bl_everruns_set_add(&set, &source, diags, err);
}

static enum bl_status validate_files(struct cli *cli, struct bl_diags *diags,
				     struct bl_error *err)
{
	struct bl_limits limits = bl_limits_default();
	const struct bl_profile *profile = NULL;
	enum bl_source source = BL_SOURCE_USER;
	enum bl_status status =
		cli_profile(cli, CLI_OPT_PROFILE, &profile, err);

	if (!status)
		status = find_source(cli, &source, err);
	for (size_t i = 0; !status && i < cli->operand_count; i++) {
		struct bl_diag_source text = { .file = cli->operands[i] };

		status = bl_os_read_file(text.file, 0, limits.config_bytes,
					 &cli->arena, &text.text, NULL, err);
		if (!status && profile->everruns)
			status = validate_everruns(cli, profile->everruns,
						   &text, diags, err);
		else if (!status)
			status = bl_hook_file_validate(profile, source, &text,
						       diags, err);
	}
	return status;
}

static int report(struct cli *cli, const struct format *format,
		  const struct bl_diags *diags)
{
	format->put(cli, diags);
	return diags->error_count ? bl_status_exit_code(BL_INVALID) : 0;
}

/* Is there any file at all?  For Everruns the set's files are not known here. */
static bool has_files(const struct bl_hook_set *set)
{
	if (set->profile->everruns)
		return true;
	for (size_t i = 0; i < set->file_count; i++)
		if (set->files[i].state != BL_HOOK_FILE_MISSING)
			return true;
	return false;
}

static enum bl_status fail_empty(struct bl_error *err)
{
	return bl_fail(
		err, BL_NOT_FOUND,
		"nothing was checked: there is no hook file here; 'belay "
		"hooks list' shows where one is looked for");
}

/* Without FILE: every file that the setup options find. */
static int validate_all(struct cli *cli, const struct format *format)
{
	struct bl_engine_options setup;
	struct bl_engine *engine = NULL;
	const struct bl_snapshot *snapshot;
	struct bl_error err;
	enum bl_status status = cli_setup(cli, BL_STR(""), &setup, &err);
	int code;

	setup.check_start = true;
	/* Every file that dispatch would find, trusted or not. */
	if (!status && setup.profile->everruns)
		setup.trust_all = true;
	if (!status)
		status = bl_engine_new(&setup, &engine, &err);
	if (status)
		return cli_fail(cli, &err);
	snapshot = bl_engine_snapshot(engine);
	if (has_files(bl_snapshot_set(snapshot))) {
		code = report(cli, format, &bl_snapshot_set(snapshot)->diags);
	} else {
		fail_empty(&err);
		code = cli_fail(cli, &err);
	}
	bl_snapshot_unref(snapshot);
	bl_engine_free(engine);
	return code;
}

static int run_hooks_validate(struct cli *cli)
{
	const struct format *format = NULL;
	struct bl_diags diags;
	struct bl_error err;
	enum bl_status status;

	if (find_format(cli, &format, &err))
		return cli_fail(cli, &err);
	if (!cli->operand_count)
		return validate_all(cli, format);
	bl_diags_init(&diags, &cli->arena);
	status = validate_files(cli, &diags, &err);
	if (status)
		return cli_fail(cli, &err);
	return report(cli, format, &diags);
}

const struct cli_code cli_code_hooks_validate = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = CLI_MAX_OPERANDS,
	.takes_everruns = true,
	.details =
		"Without FILE, every hook file that applies here is checked; "
		"where it is missing, that is a failure (67).\n"
		"Exit status: 0 when there is no error, 66 when there is one, "
		"other when a file cannot be read.\n",
	.run = run_hooks_validate,
};
