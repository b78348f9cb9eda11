/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools_exec.c: becoming belay-tools.  It is looked for where belay itself was
 * installed, and nowhere that the environment names: whoever can set PATH must
 * not choose what decides.
 */
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

enum bl_status cli_become_tools(struct cli *cli, struct bl_str input,
				struct bl_error *err)
{
	struct bl_str path;
	enum bl_status status = find_tools(cli, &path, err);
	const char **argv;

	if (status)
		return status;
	argv = bl_arena_new_array(&cli->arena, const char *,
				  (size_t)cli->argc + 1);
	if (!argv)
		return bl_arena_fail(&cli->arena, err);
	memcpy(argv, cli->argv, (size_t)cli->argc * sizeof(*argv));
	return bl_os_exec(path, argv, input, err);
}
