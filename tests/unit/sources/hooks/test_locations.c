/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "world.h"

static void check_path(enum bl_source source, struct bl_str root,
		       struct bl_str expected)
{
	struct bl_str path;

	CHECK_STATUS(
		bl_hook_path(&options, source, root, &arena, &path, &error),
		BL_OK);
	CHECK_STR(path, expected.ptr);
}

static void paths_of_sources(void)
{
	struct bl_str none = BL_STR("");

	new_world("cursor");
	check_path(BL_SOURCE_ENTERPRISE, none, at(ENTERPRISE));
	check_path(BL_SOURCE_TEAM, none, at(TEAM));
	check_path(BL_SOURCE_PROJECT, at("w1"), at(PROJECT_1));
	check_path(BL_SOURCE_USER, none, at(USER));
	check_path(BL_SOURCE_PLUGIN, at("p"), at("p/hooks/hooks.json"));
	options.profile = profile("cursor-2.3");
	check_path(BL_SOURCE_TEAM, none,
		   at("home/.cursor/managed/team_*/hooks/hooks.json"));
	options.system_root = none;
	check_path(BL_SOURCE_ENTERPRISE, none,
		   BL_STR("/etc/cursor/hooks.json"));
}

/* Source and path of every file that would be read, in order. */
static void check_files(const char *const *expected)
{
	size_t count = 0;

	REQUIRE(load() == BL_OK);
	while (expected[count])
		count++;
	CHECK_INT(set.file_count, count);
	for (size_t i = 0; i < count && i < set.file_count; i++)
		CHECK_STR(set.files[i].path, at(expected[i]).ptr);
	bl_hook_set_clear(&set);
}

static void order_of_sources(void)
{
	static const char *const all[] = { ENTERPRISE, TEAM, PROJECT_1,
					   PROJECT_2,  USER, NULL };
	static const char *const without_home[] = { ENTERPRISE, PROJECT_1,
						    PROJECT_2, NULL };

	new_world("cursor");
	check_files(all);
	options.home = BL_STR("");
	check_files(without_home);
}

static void working_directories(void)
{
	static const char *const dirs[] = {
		"sys/etc/cursor",
		"home/.cursor/managed/active-team-hooks",
		"w1",
		"w2",
		"home/.cursor",
		"plug",
	};
	struct bl_str plugins[1] = { at("plug") };

	new_world("cursor");
	put("plug/hooks/hooks.json", ONE_STOP("x"));
	options.plugins = plugins;
	options.plugin_count = 1;
	REQUIRE(load() == BL_OK);
	REQUIRE(set.file_count == BL_COUNT(dirs));
	for (size_t i = 0; i < BL_COUNT(dirs); i++)
		CHECK_STR(set.files[i].dir, at(dirs[i]).ptr);
	CHECK_STR(set.files[2].workspace, at("w1").ptr);
	CHECK_STR(set.files[5].plugin, at("plug").ptr);
	CHECK_INT(set.files[4].workspace.len, 0);
}

/* 2.3.41: managed/team_ID/hooks, by id. */
static void team_folders(void)
{
	static const char *const files[] = {
		ENTERPRISE,
		"home/.cursor/managed/team_9/hooks/hooks.json",
		"home/.cursor/managed/team_10/hooks/hooks.json",
		"home/.cursor/managed/team_11/hooks/hooks.json",
		PROJECT_1,
		PROJECT_2,
		USER,
		NULL,
	};

	new_world("cursor-2.3");
	put("home/.cursor/managed/team_10/hooks/hooks.json", ONE_STOP("ten"));
	put("home/.cursor/managed/team_9/hooks/hooks.json", ONE_STOP("nine"));
	put("home/.cursor/managed/team_11/x", "");
	put("home/.cursor/managed/team_/hooks/hooks.json", ONE_STOP("none"));
	put("home/.cursor/managed/other/hooks/hooks.json", ONE_STOP("other"));
	put(TEAM, ONE_STOP("today"));
	check_files(files);
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "nine ten");
	options.profile = profile("cursor");
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "today");
}

/* A folder of teams that cannot be listed could hide a guard. */
static void team_folder_that_cannot_be_listed(void)
{
	if (bl_os_user_id() == 0) {
		printf("# root can list every folder\n");
		return;
	}
	new_world("cursor-2.3");
	put("home/.cursor/managed/team_9/hooks/hooks.json", ONE_STOP("nine"));
	REQUIRE(!chmod("home/.cursor/managed", 0));
	REQUIRE(load() == BL_OK);
	CHECK_INT(state_of("home/.cursor/managed"), BL_HOOK_FILE_BROKEN);
	CHECK_STR(findings(), "E unreadable");
}

/* ---- plugins -------------------------------------------------------- */

static void local_plugins(void)
{
	new_world("cursor");
	put("home/.cursor/plugins/local/b/hooks/hooks.json", ONE_STOP("b"));
	put("home/.cursor/plugins/local/a/hooks/hooks.json", ONE_STOP("a"));
	put("home/.cursor/plugins/local/none/README", "");
	put("home/.cursor/plugins/local/file", "");
	put("outside/hooks/hooks.json", ONE_STOP("outside"));
	REQUIRE(!symlink(at("outside").ptr,
			 at("home/.cursor/plugins/local/c").ptr));
	REQUIRE(!symlink("a", at("home/.cursor/plugins/local/d").ptr));
	REQUIRE(!symlink("gone", at("home/.cursor/plugins/local/e").ptr));
	REQUIRE(load() == BL_OK);
	/* d leads to a, which is inside: its hooks are there twice. */
	CHECK_STR(commands(), "a b a");
	CHECK_STR(findings(), "W plugin-linked");
	options.profile = profile("cursor-2.3");
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "");
}

static void given_plugins_come_first(void)
{
	struct bl_str plugins[2];

	new_world("cursor");
	plugins[0] = at("z");
	plugins[1] = at("y");
	put("home/.cursor/plugins/local/a/hooks/hooks.json", ONE_STOP("a"));
	put("y/hooks/hooks.json", ONE_STOP("y"));
	put("z/hooks/hooks.json", ONE_STOP("z"));
	options.plugins = plugins;
	options.plugin_count = 2;
	REQUIRE(load() == BL_OK);
	CHECK_STR(commands(), "z y a");
}

/* The file that plugin.json names, or that plugin.json is invalid. */
static const struct {
	const char *manifest;
	const char *commands;
	const char *findings;
} manifests[] = {
	{ "{}", "usual", "ok" },
	{ "{\"name\":\"x\"}", "usual", "ok" },
	{ "{\"hooks\":\"./my/hooks.json\"}", "mine", "ok" },
	{ "{\"hooks\":\"my/hooks.json\"}", "mine", "ok" },
	{ "{\"hooks\":\"my/gone.json\"}", "", "ok" },
	{ "{\"hooks\":\"../out.json\"}", "", "W plugin-manifest" },
	{ "{\"hooks\":\"my/../../out.json\"}", "", "W plugin-manifest" },
	{ "{\"hooks\":\"/etc/passwd\"}", "", "W plugin-manifest" },
	{ "{\"hooks\":\"\"}", "", "W plugin-manifest" },
	{ "{\"hooks\":\"a\\u0000b\"}", "", "W plugin-manifest" },
	{ "{\"hooks\":{}}", "", "W plugin-manifest" },
	{ "{\"hooks\":null}", "", "W plugin-manifest" },
	{ "{", "", "W plugin-manifest" },
	{ "{\"hooks\":\"link/hooks.json\"}", "", "E linked" },
	{ "{\"hooks\":\"inner/hooks.json\"}", "mine", "ok" },
};

static void plugin_manifests(void)
{
	struct bl_str plugins[1];

	new_world("cursor");
	plugins[0] = at("p");
	options.plugins = plugins;
	options.plugin_count = 1;
	put("p/hooks/hooks.json", ONE_STOP("usual"));
	put("p/my/hooks.json", ONE_STOP("mine"));
	put("out.json", ONE_STOP("out"));
	put("out/hooks.json", ONE_STOP("out"));
	REQUIRE(!symlink("../out", "p/link") && !symlink("my", "p/inner"));
	for (size_t i = 0; i < BL_COUNT(manifests); i++) {
		put("p/.cursor-plugin/plugin.json", manifests[i].manifest);
		REQUIRE(load() == BL_OK);
		CHECK_STR(commands(), manifests[i].commands);
		CHECK_STR(findings(), manifests[i].findings);
		bl_hook_set_clear(&set);
	}
}

static void too_many_folders(void)
{
	struct bl_str many[300];

	new_world("cursor");
	for (size_t i = 0; i < BL_COUNT(many); i++)
		many[i] = at("w1");
	options.workspaces = many;
	options.workspace_count = 64;
	CHECK_STATUS(load(), BL_OK);
	bl_hook_set_clear(&set);
	options.workspace_count = 65;
	CHECK_STATUS(load(), BL_LIMIT);
	CHECK(strstr(error.message, "64 workspaces"));
	options.workspace_count = 1;
	options.plugins = many;
	options.plugin_count = 256;
	CHECK_STATUS(load(), BL_OK);
	bl_hook_set_clear(&set);
	options.plugin_count = 257;
	CHECK_STATUS(load(), BL_LIMIT);
	CHECK(strstr(error.message, "256 plugins"));
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(paths_of_sources);
	RUN(order_of_sources);
	RUN(working_directories);
	RUN(team_folders);
	RUN(team_folder_that_cannot_be_listed);
	RUN(local_plugins);
	RUN(given_plugins_come_first);
	RUN(plugin_manifests);
	RUN(too_many_folders);
	place_close();
	return tap_end();
}
