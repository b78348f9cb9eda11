/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hooks_init.c: belay hooks init: writes the sample set-up. */
#include "cli/cli.h"

#include "os/os.h"
#include "setup/setup.h"

enum { OPT_HOME, OPT_DIR, OPT_GLOBAL };

static const struct cli_option options[] = {
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_DIR] = { "dir", 0, CLI_VALUE, "DIR",
		      "the project (default: the one around this folder)" },
	[OPT_GLOBAL] = { "global", 0, CLI_FLAG, NULL,
			 "for every project of this user: in the home "
			 "directory" },
};

static enum bl_status make_file(struct cli *cli, struct bl_str path,
				struct bl_str text, uint32_t mode,
				struct bl_error *err)
{
	enum bl_status status = bl_os_make_dirs(bl_path_dir(path), 0755, err);
	const char *what = "made ";

	if (!status)
		status = bl_os_create_file(path, text, mode, err);
	if (status && status != BL_EXISTS)
		return status;
	if (status)
		what = "kept, since it is there already: ";
	bl_buf_puts(&cli->out, what);
	cli_put_text(&cli->out, 2, path);
	bl_buf_put_char(&cli->out, '\n');
	return BL_OK;
}

/* The project of --dir, else the one around the current folder. */
static enum bl_status find_project(struct cli *cli, struct bl_str *out_project,
				   struct bl_error *err)
{
	bool is_project;

	if (cli_has(cli, OPT_DIR))
		return cli_absolute(cli, cli_value(cli, OPT_DIR), out_project,
				    err);
	return bl_setup_find_root(&cli->arena, BL_STR("."), out_project,
				  &is_project, err);
}

/* The folder that holds hooks.json; *out_project stays empty with --global. */
static enum bl_status find_folder(struct cli *cli, struct bl_str *out_folder,
				  struct bl_str *out_project,
				  struct bl_error *err)
{
	struct bl_hook_options places = { .profile = bl_profile_at(0) };
	bool is_global = cli_has(cli, OPT_GLOBAL);
	struct bl_str path = { NULL, 0 };
	enum bl_status status;

	if (is_global && cli_has(cli, OPT_DIR))
		return bl_fail(err, BL_USAGE,
			       "--global and --dir exclude each other");
	status = is_global ? cli_home(cli, OPT_HOME, &places.home, err)
			   : find_project(cli, out_project, err);
	if (!status)
		status = bl_hook_path(
			&places, is_global ? BL_SOURCE_USER : BL_SOURCE_PROJECT,
			*out_project, &cli->arena, &path, err);
	if (!status)
		*out_folder = bl_path_dir(path);
	return status;
}

static enum bl_status make(struct cli *cli, struct bl_str *out_project,
			   struct bl_error *err)
{
	const struct bl_setup_sample *sample;
	struct bl_str folder;
	enum bl_status status = find_folder(cli, &folder, out_project, err);

	for (size_t i = 0;
	     !status && (sample = bl_setup_sample(out_project->len > 0, i));
	     i++)
		status = make_file(
			cli,
			bl_path_join(&cli->arena, folder, bl_str(sample->path)),
			bl_str(sample->text), sample->mode, err);
	return status;
}

static int run_hooks_init(struct cli *cli)
{
	struct bl_str project = BL_STR("");
	struct bl_error err;

	if (make(cli, &project, &err))
		return cli_fail(cli, &err);
	if (project.len) {
		bl_buf_puts(&cli->out, "what hooks.json names runs once the "
				       "project is trusted: belay trust add ");
		cli_put_text(&cli->out, 2, project);
		bl_buf_put_char(&cli->out, '\n');
	}
	return 0;
}

const struct cli_code cli_code_hooks_init = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"Makes a hook script that refuses to publish packages, and a "
		"hooks.json that registers it, in the project around this "
		"folder as 'belay init' finds it.\n",
	.run = run_hooks_init,
};
