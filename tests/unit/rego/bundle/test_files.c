/* SPDX-License-Identifier: Apache-2.0 */
#include "rego/bundle/private.h"
#include "tap.h"

static struct bl_arena arena;

static enum bl_status add(struct bl_bundle_files *files, const char *name,
			  struct bl_error *err)
{
	return bundle_add_file(&arena, files, bl_str(name), BL_STR("x"), err);
}

static void paths(void)
{
	struct bl_bundle_files files = { 0 };
	struct bl_error err;

	CHECK_STATUS(add(&files, "x/p.rego", &err), BL_OK);
	CHECK_STATUS(add(&files, "/data.json", &err), BL_OK);
	CHECK_STATUS(add(&files, "./a//./b", &err), BL_OK);
	REQUIRE(files.count == 3);
	CHECK_STR(files.items[0].path, "x/p.rego");
	CHECK_STR(files.items[0].shown, "x/p.rego");
	CHECK_STR(files.items[1].path, "data.json");
	CHECK_STR(files.items[1].shown, "/data.json");
	CHECK_STR(files.items[2].path, "a/b");
}

static void refused_names(void)
{
	static const char *const names[] = { "..", "a/../b", "../a", "a/..", "",
					     "/",  ".",      "./",   "\xff" };
	struct bl_bundle_files files = { 0 };
	struct bl_error err;

	for (size_t i = 0; i < BL_COUNT(names); i++)
		CHECK_STATUS(add(&files, names[i], &err), BL_INVALID);
	CHECK_STATUS(bundle_add_file(&arena, &files,
				     (struct bl_str){ "a\0b", 3 }, BL_STR(""),
				     &err),
		     BL_INVALID);
	CHECK_INT(files.count, 0);
	/* three dots are a name */
	CHECK_STATUS(add(&files, ".../...", &err), BL_OK);
}

static void limits(void)
{
	static char name[BL_BUNDLE_MAX_NAME_BYTES + 2];
	struct bl_bundle_files files = { 0 };
	struct bl_error err;

	memset(name, 'a', BL_BUNDLE_MAX_NAME_BYTES);
	CHECK_STATUS(add(&files, name, &err), BL_OK);
	name[BL_BUNDLE_MAX_NAME_BYTES] = 'a';
	CHECK_STATUS(add(&files, name, &err), BL_LIMIT);
	for (size_t i = 0; i < 2 * (BL_BUNDLE_MAX_DEPTH + 1); i++)
		name[i] = i % 2 ? '/' : 'a';
	name[2 * BL_BUNDLE_MAX_DEPTH - 1] = '\0';
	CHECK_STATUS(add(&files, name, &err), BL_OK);
	name[2 * BL_BUNDLE_MAX_DEPTH - 1] = '/';
	name[2 * BL_BUNDLE_MAX_DEPTH + 1] = '\0';
	CHECK_STATUS(add(&files, name, &err), BL_LIMIT);
	files.count = files.cap = BL_BUNDLE_MAX_FILES;
	CHECK_STATUS(add(&files, "one", &err), BL_LIMIT);
}

static void twice(void)
{
	struct bl_bundle_files files = { 0 };
	struct bl_error err;

	CHECK_STATUS(add(&files, "b", &err), BL_OK);
	CHECK_STATUS(add(&files, "a", &err), BL_OK);
	CHECK_STATUS(bundle_check_unique(&arena, &files, &err), BL_OK);
	CHECK_STATUS(add(&files, "/b", &err), BL_OK);
	CHECK_STATUS(bundle_check_unique(&arena, &files, &err), BL_INVALID);
	CHECK_STR(bl_str(err.message), "'b': a file that is there twice");
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(paths);
	RUN(refused_names);
	RUN(limits);
	RUN(twice);
	bl_arena_clear(&arena);
	return tap_end();
}
