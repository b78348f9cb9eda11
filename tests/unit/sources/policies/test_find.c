/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where policy directories are looked for (docs/contracts/cupcake.md
 * "Directories", "Global directory").
 */
#include "world.h"

/* The path found from the world, without the world in front. */
static struct bl_str found(const char *given, enum bl_status expected)
{
	struct bl_str path = BL_STR("");
	char real[4096];
	enum bl_status status =
		bl_policy_find_dir(bl_str(given), &arena, &path, &error);

	CHECK_STATUS(status, expected);
	if (status || !realpath(world, real))
		return BL_STR("");
	return bl_str_slice(path, strlen(real) + 1, path.len);
}

static void enter(void)
{
	world_begin();
	if (chdir(world))
		abort();
}

static void directories(void)
{
	enter();
	world_file(".cupcake/policies/x/a.rego", "");
	CHECK_STR(found("", BL_OK), ".cupcake");
	CHECK_STR(found(".", BL_OK), ".cupcake");
	CHECK_STR(found(".cupcake", BL_OK), ".cupcake");
	CHECK_STR(found(".cupcake/", BL_OK), ".cupcake");
	CHECK_STR(found("./policies", BL_OK), ".cupcake");
	CHECK_STR(found(".cupcake/policies", BL_OK), ".cupcake");
	world_file(".belay/policies/x/a.rego", "");
	CHECK_STR(found("", BL_OK), ".belay");
	CHECK_STR(found(".cupcake", BL_OK), ".cupcake");
	world_file("other/policies/x/a.rego", "");
	CHECK_STR(found("other", BL_OK), "other");
	/* Links are followed; a folder further up is not looked for. */
	CHECK(!symlink("../.cupcake", "other/.belay"));
	CHECK_STR(found("other", BL_OK), ".cupcake");
	world_file("nested/deep/x", "");
	CHECK(!chdir("nested/deep"));
	found("", BL_NOT_FOUND);
}

static void refusals(void)
{
	enter();
	found("", BL_NOT_FOUND);
	CHECK(strstr(error.message, "/.belay nor "));
	CHECK(strstr(error.message, "run `belay init` in "));
	found("sub/.belay", BL_NOT_FOUND);
	CHECK(strstr(error.message, "/sub/.belay: run `belay init` in "));
	world_file(".belay", "a file");
	found("", BL_NOT_FOUND);
}

static void global(void)
{
	struct bl_str path;
	char config[128];

	enter();
	world_path(config, sizeof(config), "config");
	CHECK_STATUS(bl_policy_find_global(BL_STR(""), bl_str(config), &arena,
					   &path, &error),
		     BL_OK);
	CHECK_INT(path.len, 0);
	world_file("config/cupcake/policies/x/a.rego", "");
	CHECK_STATUS(bl_policy_find_global(BL_STR(""), bl_str(config), &arena,
					   &path, &error),
		     BL_OK);
	CHECK(bl_str_has_suffix(path, BL_STR("/config/cupcake")));
	CHECK_STATUS(bl_policy_find_global(BL_STR("config/cupcake"), BL_STR(""),
					   &arena, &path, &error),
		     BL_INVALID);
	CHECK_STATUS(bl_policy_find_global(BL_STR("/nowhere/at/all"),
					   BL_STR(""), &arena, &path, &error),
		     BL_NOT_FOUND);
	CHECK_STATUS(bl_policy_find_global(bl_str(config), BL_STR(""), &arena,
					   &path, &error),
		     BL_OK);
	CHECK(bl_str_has_suffix(path, BL_STR("/config")));
}

int main(void)
{
	RUN(directories);
	RUN(refusals);
	RUN(global);
	world_end();
	return tap_end();
}
