/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <sys/stat.h>

#include "scratch.h"

static void join(void)
{
	static const struct {
		const char *dir, *name, *joined;
	} rows[] = {
		{ "/a", "b", "/a/b" },   { "/a/", "b", "/a/b" },
		{ "/", "b", "/b" },      { "/a", "/b", "/b" },
		{ "", "b", "b" },        { "a", "", "a/" },
		{ "a", "b/c", "a/b/c" }, { "", "", "" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_str path = bl_path_join(&arena, bl_str(rows[i].dir),
						  bl_str(rows[i].name));

		CHECK_STR(path, rows[i].joined);
		CHECK(path.ptr && path.ptr[path.len] == '\0');
	}
}

static void join_without_memory(void)
{
	struct bl_arena tiny;

	bl_arena_init(&tiny, NULL, 0, 1);
	CHECK(!bl_path_join(&tiny, BL_STR("a"), BL_STR("b")).ptr);
	CHECK_STATUS(bl_arena_status(&tiny), BL_LIMIT);
	bl_arena_clear(&tiny);
}

static void dir_and_base(void)
{
	static const struct {
		const char *path, *dir, *base;
	} rows[] = {
		{ "/a/b", "/a", "b" }, { "/x", "/", "x" }, { "x", ".", "x" },
		{ "a/b/", "a/b", "" }, { "/", "/", "" },   { "", ".", "" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		CHECK_STR(bl_path_dir(bl_str(rows[i].path)), rows[i].dir);
		CHECK_STR(bl_path_base(bl_str(rows[i].path)), rows[i].base);
	}
	CHECK(bl_path_is_absolute(BL_STR("/")));
	CHECK(!bl_path_is_absolute(BL_STR("a/b")));
	CHECK(!bl_path_is_absolute((struct bl_str){ NULL, 0 }));
}

static void in_folders(void)
{
	CHECK(bl_path_is_in(BL_STR("/a/b"), BL_STR("/a")));
	CHECK(bl_path_is_in(BL_STR("/a"), BL_STR("/a")));
	CHECK(!bl_path_is_in(BL_STR("/ab"), BL_STR("/a")));
	CHECK(!bl_path_is_in(BL_STR("/"), BL_STR("/a")));
}

static void resolve(void)
{
	struct bl_str path = { NULL, 0 };
	char expected[128];

	REQUIRE(!mkdir("real", 0755) && !symlink("real", "link"));
	snprintf(expected, sizeof(expected), "%s/real", scratch);
	CHECK_STATUS(bl_path_resolve(&arena, BL_STR("./link/../link/."), &path,
				     &error),
		     BL_OK);
	CHECK_STR(path, expected);
	CHECK_STATUS(bl_path_resolve(&arena, BL_STR("missing"), &path, &error),
		     BL_NOT_FOUND);
	CHECK_STR(path, expected); /* set only on success */
	CHECK_STATUS(bl_path_resolve(&arena, BL_STR("a\0b"), &path, &error),
		     BL_INVALID);
	REQUIRE(!symlink("loop", "loop"));
	CHECK_STATUS(bl_path_resolve(&arena, BL_STR("loop"), &path, &error),
		     BL_SYSTEM);
}

static void too_long(void)
{
	static char name[8192];
	struct bl_str path;

	memset(name, 'x', sizeof(name) - 1);
	CHECK_STATUS(bl_path_resolve(&arena, bl_str(name), &path, &error),
		     BL_SYSTEM);
	CHECK_INT(error.sys_errno, 36); /* ENAMETOOLONG */
}

static void current(void)
{
	struct bl_str path = { NULL, 0 };

	CHECK_STATUS(bl_path_current(&arena, &path, &error), BL_OK);
	CHECK_STR(path, scratch);
	REQUIRE(!mkdir("gone", 0755) && !chdir("gone") && !rmdir("../gone"));
	CHECK_STATUS(bl_path_current(&arena, &path, &error), BL_NOT_FOUND);
	REQUIRE(!chdir(scratch));
}

int main(void)
{
	if (!scratch_open())
		return 1;
	RUN(join);
	RUN(join_without_memory);
	RUN(dir_and_base);
	RUN(in_folders);
	RUN(resolve);
	RUN(too_long);
	RUN(current);
	scratch_close();
	return tap_end();
}
