/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "place.h"
#include "trust/trust.h"

static struct bl_str why;

static enum bl_owner_verdict judge_path(struct bl_str path)
{
	struct bl_file_info info = { 0 };
	int fd = -1;

	CHECK_STATUS(bl_os_open(path, 0, &fd, &error), BL_OK);
	CHECK_STATUS(bl_os_info(fd, &info, &error), BL_OK);
	bl_os_close(fd);
	return bl_trust_check_owner(path, &info, &arena, &why);
}

static enum bl_owner_verdict judge(const char *name)
{
	return judge_path(at(name));
}

static bool why_has(const char *text)
{
	return bl_str_find(why, bl_str(text), 0) != SIZE_MAX;
}

static void own_file_is_fine(void)
{
	put("a/b/file", "x");
	CHECK_INT(judge("a/b/file"), BL_OWNER_OK);
	CHECK_INT(why.len, 0);
	REQUIRE(!chmod("a/b/file", 0600));
	CHECK_INT(judge("a/b/file"), BL_OWNER_OK);
}

static void writable_file(void)
{
	static const mode_t modes[] = { 0666, 0664, 0602, 0620, 0777 };

	for (size_t i = 0; i < BL_COUNT(modes); i++) {
		REQUIRE(!chmod("a/b/file", modes[i]));
		CHECK_INT(judge("a/b/file"), BL_OWNER_OTHERS_WRITE);
		CHECK(why_has("others can write"));
		CHECK(why_has("a/b/file"));
	}
	REQUIRE(!chmod("a/b/file", 0644));
}

static void writable_folder(void)
{
	REQUIRE(!chmod("a", 0777));
	CHECK_INT(judge("a/b/file"), BL_OWNER_FOLDER);
	CHECK(why_has(at("a").ptr));
	/* With the sticky bit nobody can exchange what is not theirs. */
	REQUIRE(!chmod("a", 01777));
	CHECK_INT(judge("a/b/file"), BL_OWNER_OK);
	REQUIRE(!chmod("a", 0775));
	CHECK_INT(judge("a/b/file"), BL_OWNER_FOLDER);
	REQUIRE(!chmod("a", 0755));
	CHECK_INT(judge("a/b/file"), BL_OWNER_OK);
}

/* The folders of a link's target count too. */
static void writable_folder_behind_a_link(void)
{
	put("open/file", "x");
	REQUIRE(!chmod("open", 0777));
	REQUIRE(!symlink("../open/file", "a/link"));
	CHECK_INT(judge("a/link"), BL_OWNER_FOLDER);
	CHECK(why_has(at("open").ptr));
	REQUIRE(!symlink("../open", "a/linked"));
	CHECK_INT(judge("a/linked/file"), BL_OWNER_FOLDER);
	REQUIRE(!chmod("open", 0755));
	CHECK_INT(judge("a/link"), BL_OWNER_OK);
	CHECK_INT(judge("a/linked/file"), BL_OWNER_OK);
}

static void strangers(void)
{
	struct bl_file_info info = { .type = BL_FILE_REGULAR, .mode = 0644 };

	info.uid = bl_os_user_id() + 4242;
	CHECK_INT(bl_trust_check_owner(at("a/b/file"), &info, &arena, &why),
		  BL_OWNER_STRANGER);
	CHECK(why_has("neither root nor you"));
	info.uid = 0;
	CHECK_INT(bl_trust_check_owner(at("a/b/file"), &info, &arena, &why),
		  BL_OWNER_OK);
	if (bl_os_user_id() != 0)
		return;
	REQUIRE(!chown("a", 4242, 0));
	CHECK_INT(judge("a/b/file"), BL_OWNER_FOLDER);
	CHECK(why_has("4242"));
	REQUIRE(!chown("a", 0, 0));
	REQUIRE(!chown("a/b/file", 4242, 0));
	CHECK_INT(judge("a/b/file"), BL_OWNER_STRANGER);
	CHECK(why_has("4242"));
}

static void relative_path(void)
{
	struct bl_file_info info = { .uid = bl_os_user_id(), .mode = 0644 };

	CHECK_INT(bl_trust_check_owner(BL_STR("file"), &info, &arena, &why),
		  BL_OWNER_FOLDER);
	CHECK(why_has("not absolute"));
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(own_file_is_fine);
	RUN(writable_file);
	RUN(writable_folder);
	RUN(writable_folder_behind_a_link);
	RUN(strangers);
	RUN(relative_path);
	place_close();
	return tap_end();
}
