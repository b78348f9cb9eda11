/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>

#include "tap.h"

#include "scratch.h"

static struct bl_str *names;
static size_t count;

static enum bl_status list(const char *path, size_t max)
{
	int before = open_descriptors();
	enum bl_status status;

	names = NULL;
	count = 0;
	status = bl_os_list_dir(bl_str(path), max, &arena, &names, &count,
				&error);
	CHECK_INT(open_descriptors(), before);
	return status;
}

static void sorted_by_bytes(void)
{
	static const char *const sorted[] = { ".hidden", "A", "B",       "a",
					      "a.b",     "b", "\xc3\xa4" };

	REQUIRE(!mkdir("names", 0755) && !chdir("names"));
	for (size_t i = BL_COUNT(sorted); i--;)
		write_text(sorted[i], "");
	CHECK_STATUS(list(".", 100), BL_OK);
	CHECK_INT(count, BL_COUNT(sorted));
	for (size_t i = 0; i < count; i++)
		CHECK_STR(names[i], sorted[i]);
	REQUIRE(!chdir(".."));
}

static void limit(void)
{
	CHECK_STATUS(list("names", 7), BL_OK);
	CHECK_STATUS(list("names", 6), BL_LIMIT);
	CHECK_INT(count, 0);
}

static void many(void)
{
	REQUIRE(!mkdir("many", 0755) && !chdir("many"));
	for (int i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%03d", i);
		write_text(name, "");
	}
	REQUIRE(!chdir(".."));
	CHECK_STATUS(list("many", 1000), BL_OK);
	CHECK_INT(count, 1000);
	CHECK(count && bl_str_is(names[0], "000") &&
	      bl_str_is(names[999], "999"));
}

static void other_things(void)
{
	REQUIRE(!mkdir("void", 0755));
	CHECK_STATUS(list("void", 0), BL_OK);
	CHECK_INT(count, 0);
	CHECK_STATUS(list("missing", 10), BL_NOT_FOUND);
	CHECK_STATUS(list("names/a", 10), BL_NOT_FOUND);
}

static void without_memory(void)
{
	struct bl_arena tiny;

	bl_arena_init(&tiny, NULL, 0, 200);
	CHECK_STATUS(bl_os_list_dir(BL_STR("names"), 10, &tiny, &names, &count,
				    &error),
		     BL_LIMIT);
	bl_arena_clear(&tiny);
}

static void make_dirs(void)
{
	struct bl_file_info info;

	CHECK_STATUS(bl_os_make_dirs(BL_STR("p/q//r/"), 0700, &error), BL_OK);
	CHECK_STATUS(bl_os_info_path(BL_STR("p/q/r"), &info, &error), BL_OK);
	CHECK_INT(info.type, BL_FILE_DIRECTORY);
	CHECK_INT(info.mode, 0700);
	CHECK_STATUS(bl_os_info_path(BL_STR("p"), &info, &error), BL_OK);
	CHECK_INT(info.mode, 0700);
	CHECK_STATUS(bl_os_make_dirs(BL_STR("p/q/r"), 0755, &error), BL_OK);
	CHECK_STATUS(bl_os_make_dirs(BL_STR("/"), 0755, &error), BL_OK);
	CHECK_STATUS(bl_os_make_dirs(BL_STR("."), 0755, &error), BL_OK);
	CHECK_STATUS(bl_os_make_dirs(BL_STR(""), 0755, &error), BL_NOT_FOUND);
	write_text("plain", "");
	CHECK_STATUS(bl_os_make_dirs(BL_STR("plain"), 0755, &error),
		     BL_INVALID);
	CHECK_STATUS(bl_os_make_dirs(BL_STR("plain/x"), 0755, &error),
		     BL_NOT_FOUND);
	REQUIRE(!symlink("nowhere", "dangling"));
	CHECK(bl_os_make_dirs(BL_STR("dangling/x"), 0755, &error));
	CHECK_STATUS(bl_os_info_path(BL_STR("nowhere"), &info, &error),
		     BL_NOT_FOUND);
}

/* A folder that goes while it is read is not one that is empty. */
static void gone(void)
{
	char path[64];
	int fd;

	REQUIRE(!mkdir("going", 0755));
	fd = open("going", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	REQUIRE(!rmdir("going"));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	CHECK_STATUS(list(path, 10), BL_SYSTEM);
	close(fd);
}

int main(void)
{
	if (!scratch_open())
		return 1;
	umask(022);
	RUN(sorted_by_bytes);
	RUN(limit);
	RUN(many);
	RUN(other_things);
	RUN(without_memory);
	RUN(make_dirs);
	RUN(gone);
	scratch_close();
	return tap_end();
}
