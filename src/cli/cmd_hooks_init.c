/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hooks_init.c: belay hooks init: writes the sample set-up. */
#include "cli/cli.h"

#include "os/os.h"
#include "setup/setup.h"

enum { OPT_HOME, OPT_DIR };

static const struct cli_option options[] = {
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_DIR] = { "dir", 0, CLI_VALUE, "DIR",
		      "make it in this project, not in the home directory" },
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

/* The folder that holds hooks.json. */
static enum bl_status find_folder(struct cli *cli, struct bl_str *out_folder,
				  struct bl_error *err)
{
	struct bl_hook_options places = { .profile = bl_profile_at(0) };
	enum bl_source source = BL_SOURCE_USER;
	struct bl_str path = { NULL, 0 };
	struct bl_str project = { NULL, 0 };
	enum bl_status status = BL_OK;

	if (cli_has(cli, OPT_DIR)) {
		source = BL_SOURCE_PROJECT;
		status = cli_absolute(cli, cli_value(cli, OPT_DIR), &project,
				      err);
	} else {
		status = cli_home(cli, OPT_HOME, &places.home, err);
	}
	if (!status)
		status = bl_hook_path(&places, source, project, &cli->arena,
				      &path, err);
	if (!status)
		*out_folder = bl_path_dir(path);
	return status;
}

static enum bl_status make(struct cli *cli, struct bl_error *err)
{
	const struct bl_setup_sample *sample;
	struct bl_str folder;
	enum bl_status status = find_folder(cli, &folder, err);

	for (size_t i = 0;
	     !status && (sample = bl_setup_sample(cli_has(cli, OPT_DIR), i));
	     i++)
		status = make_file(
			cli,
			bl_path_join(&cli->arena, folder, bl_str(sample->path)),
			bl_str(sample->text), sample->mode, err);
	return status;
}

static int run(struct cli *cli)
{
	struct bl_error err;

	if (make(cli, &err))
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_DIR)) {
		bl_buf_puts(&cli->out, "what hooks.json names runs once the "
				       "project is trusted: belay trust add ");
		cli_put_text(&cli->out, 2, cli_value(cli, OPT_DIR));
		bl_buf_put_char(&cli->out, '\n');
	}
	return 0;
}

const struct cli_code cli_code_hooks_init = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Makes a hook script that notes every prompt in a file, and "
		   "a hooks.json that registers it.\n",
	.run = run,
};
