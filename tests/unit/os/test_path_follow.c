/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where paths lead that may not be there (docs/contracts/cupcake.md "Paths",
 * "Behaviours").
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/os.h"
#include "tap.h"

static struct bl_arena arena;
static struct bl_error error;
static char dir[64] = "/tmp/belay-follow-XXXXXX";

/* Follows DIR/name; the result without DIR in front. */
static struct bl_str led(const char *name, bool *is_link)
{
	struct bl_str path = bl_arena_printf(&arena, "%s/%s", dir, name);
	struct bl_str out = { 0 };

	CHECK_STATUS(bl_path_follow(&arena, path, &out, is_link, &error),
		     BL_OK);
	if (bl_str_has_prefix(out, bl_str(dir)))
		return bl_str_slice(out, strlen(dir), out.len);
	return out;
}

static void link_to(const char *name, const char *target)
{
	if (symlink(target, name))
		printf("# cannot link %s\n", name);
}

static void paths(void)
{
	bool is_link;

	mkdir("sub", 0755);
	mkdir(".cupcake", 0700);
	link_to("link", ".cupcake/rulebook.yml");
	link_to("chain", "link");
	link_to("up", "sub/../.cupcake");
	link_to("gone", "../../../../../../nowhere/.cupcake/x");
	link_to("absolute", "/nowhere/./a/../b");
	CHECK_STR(led("link", &is_link), "/.cupcake/rulebook.yml");
	CHECK(is_link);
	CHECK_STR(led("chain", &is_link), "/.cupcake/rulebook.yml");
	CHECK(is_link);
	CHECK_STR(led("up/new/file", &is_link), "/.cupcake/new/file");
	CHECK(!is_link);
	CHECK_STR(led("gone", &is_link), "/nowhere/.cupcake/x");
	CHECK_STR(led("absolute", NULL), "/nowhere/b");
	CHECK_STR(led("a/../../../x", &is_link), "/x");
	CHECK(!is_link);
	CHECK_STR(led("missing/..//y/.", NULL), "/y");
	CHECK_STR(led("../../../../..", NULL), "/");
}

static void refusals(void)
{
	struct bl_str out;

	link_to("loop", "loop2");
	link_to("loop2", "loop");
	CHECK_STATUS(bl_path_follow(&arena,
				    bl_arena_printf(&arena, "%s/loop", dir),
				    &out, NULL, &error),
		     BL_LIMIT);
	CHECK_STATUS(bl_path_follow(&arena, BL_STR("a"), &out, NULL, &error),
		     BL_INVALID);
	CHECK_STATUS(
		bl_path_follow(&arena, BL_STR("/a\0b"), &out, NULL, &error),
		BL_INVALID);
}

int main(void)
{
	char command[128];

	bl_arena_init(&arena, NULL, 0, 0);
	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	RUN(paths);
	RUN(refusals);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		return 1;
	bl_arena_clear(&arena);
	return tap_end();
}
