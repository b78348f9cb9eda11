/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools_exec.c: handing a command over to belay-tools.  It is looked for where
 * belay itself was installed, and nowhere that the environment names: whoever
 * can set PATH must not choose what decides.
 *
 * An ordinary command becomes belay-tools.  A command that decides waits for
 * it: a belay-tools that crashes, cannot be loaded or is not belay-tools at all
 * must end in a refusal with words, since agents go on after status 127 or 139.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

#include "os/os.h"

/* Relative to the folder of the running program. */
static const char *const places[] = {
	"../libexec/belay/belay-tools", "belay-tools", /* in the build folder */
};

static bool is_program(struct bl_str path)
{
	struct bl_file_info info;

	return !bl_os_info_path(path, &info, NULL) &&
	       info.type == BL_FILE_REGULAR && (info.mode & 0111);
}

static enum bl_status find_tools(struct cli *cli, struct bl_str *out_path,
				 struct bl_error *err)
{
	struct bl_str self;
	struct bl_str path;
	enum bl_status status = bl_os_self_path(&cli->arena, &self, err);

	if (status)
		return status;
	for (size_t i = 0; i < BL_COUNT(places); i++) {
		path = bl_path_join(&cli->arena, bl_path_dir(self),
				    bl_str(places[i]));
		if (!path.ptr)
			return bl_arena_fail(&cli->arena, err);
		if (is_program(path)) {
			*out_path = path;
			return BL_OK;
		}
	}
	path = bl_path_dir(self);
	return bl_fail(err, BL_NOT_FOUND,
		       "this needs belay-tools, which is neither in "
		       "'%.*s/../libexec/belay' nor beside belay; is the "
		       "installation complete?",
		       BL_STR_ARG(path));
}

/*
 * Set for belay-tools alone: belay finds it when "belay-tools" is belay, which
 * would hand the command over for ever.
 */
#define HANDED_OVER "BELAY_HANDED_OVER"

void cli_note_arrival(void)
{
	if (cli_is_tools)
		unsetenv(HANDED_OVER);
}

/*
 * The statuses that belay-tools cannot end with by itself.  1 is that of a loader
 * that lacks a version of a library; a hook has it only where it refuses by it.
 */
static bool is_broken(const struct cli *cli, int status)
{
	return status < 0 || status == 126 || status == 127 ||
	       (status == 1 && cli->command->is_hook && !cli->one_refuses);
}

static enum bl_status run_tools(const struct cli *cli, struct bl_str path,
				const char *const *argv, struct bl_str input,
				int *out_code, struct bl_error *err)
{
	enum bl_status status =
		bl_os_run_program(path, argv, input, out_code, err);

	if (status || !is_broken(cli, *out_code))
		return status;
	if (*out_code < 0)
		return bl_fail(err, BL_SYSTEM, "'%.*s' was ended by signal %d",
			       BL_STR_ARG(path), -*out_code);
	return bl_fail(err, BL_SYSTEM,
		       "'%.*s' cannot be run here (exit status %d); is the "
		       "installation complete?",
		       BL_STR_ARG(path), *out_code);
}

enum bl_status cli_become_tools(struct cli *cli, struct bl_str input,
				struct bl_error *err)
{
	struct bl_str path = { NULL, 0 };
	enum bl_status status;
	const char **argv;
	int code;

	if (bl_os_getenv(HANDED_OVER).ptr)
		return bl_fail(err, BL_CONFIG,
			       "belay-tools is not belay-tools but belay; is "
			       "the installation complete?");
	status = find_tools(cli, &path, err);
	if (status)
		return status;
	argv = bl_arena_new_array(&cli->arena, const char *,
				  (size_t)cli->argc + 1);
	if (!argv)
		return bl_arena_fail(&cli->arena, err);
	memcpy(argv, cli->argv, (size_t)cli->argc * sizeof(*argv));
	setenv(HANDED_OVER, "1", 1);
	if (!cli->command || !cli->command->decides)
		return bl_os_exec(path, argv, input, err);
	status = run_tools(cli, path, argv, input, &code, err);
	if (!status)
		_exit(code);
	return status;
}
