/* SPDX-License-Identifier: Apache-2.0 */
/* Which configuration files count (docs/contracts/everruns.md "Files"). */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "everruns_test.h"

static char world[] = "/tmp/belay-everruns-XXXXXX";

static struct bl_str path(const char *name)
{
	return bl_path_join(&arena, bl_str(world), bl_str(name));
}

#define CONFIG(id)                                                             \
	"{\"hooks\":[{\"id\":\"" id "\",\"event\":\"turn_end\",\"executor\":"  \
	"{\"type\":\"bash\",\"command\":\"true\"}}]}"

static void put(const char *name, const char *text)
{
	CHECK_STATUS(bl_os_make_dirs(bl_path_dir(path(name)), 0755, NULL),
		     BL_OK);
	CHECK_STATUS(bl_os_replace_file(path(name), bl_str(text), 0644, NULL),
		     BL_OK);
}

static struct bl_everruns_set load(bool trust_all, const char *config)
{
	struct bl_everruns_options options = {
		.rules = rules("everruns"),
		.config = config ? path(config) : BL_STR(""),
		.home = path("home"),
		.workspace = path("ws"),
		.trust_all = trust_all,
	};
	struct bl_everruns_set set;

	bl_everruns_set_init(&set, options.rules, &arena);
	CHECK_STATUS(bl_everruns_load(&options, &arena, NULL, &set, NULL),
		     BL_OK);
	return set;
}

static void no_files(void)
{
	struct bl_everruns_set set = load(true, NULL);

	CHECK_INT(set.hook_count, 0);
	CHECK(!set.broken.ptr);
	CHECK_INT(set.notices.count, 0);
}

static void both_files(void)
{
	struct bl_everruns_set set;

	put("home/.config/everruns/hooks.json", CONFIG("global"));
	put("ws/.agents/hooks.json", CONFIG("local"));
	set = load(true, NULL);
	REQUIRE(set.hook_count == 2);
	CHECK_STR(set.hooks[0].id, "user:global");
	CHECK_STR(set.hooks[1].id, "user:local");
	/* A workspace that nobody trusts supplies none. */
	set = load(false, NULL);
	CHECK_INT(set.hook_count, 1);
	CHECK_INT(set.notices.count, 1);
}

static void one_named_file(void)
{
	struct bl_everruns_options options = {
		.rules = rules("everruns"),
		.config = path("none.json"),
	};
	struct bl_everruns_set set;

	put("own.json", CONFIG("own"));
	set = load(true, "own.json");
	REQUIRE(set.hook_count == 1);
	CHECK_STR(set.hooks[0].id, "user:own");
	CHECK_STATUS(bl_everruns_load(&options, &arena, NULL, &set, NULL),
		     BL_NOT_FOUND);
}

static void broken_files(void)
{
	struct bl_everruns_set set;

	put("home/.config/everruns/hooks.json", "{");
	set = load(true, NULL);
	CHECK(set.broken.ptr != NULL);
	CHECK_INT(set.hook_count, 1); /* the workspace's is fine */
	put("home/.config/everruns/hooks.json", "{}");
	/* A link instead of the workspace's file is not followed. */
	CHECK_INT(unlink(path("ws/.agents/hooks.json").ptr), 0);
	CHECK_INT(symlink(path("own.json").ptr,
			  path("ws/.agents/hooks.json").ptr),
		  0);
	set = load(true, NULL);
	CHECK(set.broken.ptr != NULL);
	CHECK_INT(set.hook_count, 0);
}

int main(void)
{
	char command[100];
	int removed;

	bl_arena_init(&arena, NULL, 0, 0);
	if (!mkdtemp(world))
		return 1;
	RUN(no_files);
	RUN(both_files);
	RUN(one_named_file);
	RUN(broken_files);
	snprintf(command, sizeof(command), "rm -r %s", world);
	removed = system(command);
	bl_arena_clear(&arena);
	return removed ? 1 : tap_end();
}
