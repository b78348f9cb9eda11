/* SPDX-License-Identifier: Apache-2.0 */
#include "rego/bundle/private.h"
#include "tap.h"

static struct bl_arena arena;
static struct bl_error err;

static void there_and_back(void)
{
	static char name[300];
	struct bl_bundle_file files[] = {
		{ .path = BL_STR("data.json"), .text = BL_STR("{}\n") },
		{ .path = BL_STR("x/p.rego"), .text = BL_STR("package x\n") },
		{ .path = BL_STR("empty"), .text = BL_STR("") },
		{ .path = { name, sizeof(name) }, .text = BL_STR("long") },
		{ .path = { name, 99 }, .text = BL_STR("just") },
		{ .path = { name, 100 }, .text = BL_STR("over") },
	};
	struct bl_bundle_files again;
	struct bl_buf out;

	memset(name, 'n', sizeof(name));
	bl_buf_init(&out, 0);
	REQUIRE(!bl_bundle_pack(files, BL_COUNT(files), &out, &err));
	REQUIRE(!bl_bundle_unpack(&arena, bl_buf_str(&out), 0, &again, &err));
	REQUIRE(again.count == BL_COUNT(files));
	for (size_t i = 0; i < BL_COUNT(files); i++) {
		CHECK(bl_str_equal(again.items[i].path, files[i].path));
		CHECK(bl_str_equal(again.items[i].text, files[i].text));
	}
	CHECK_STR(again.items[1].shown, "/x/p.rego");
	bl_buf_clear(&out);
}

static void same_bytes(void)
{
	struct bl_bundle_file file = { .path = BL_STR("a"),
				       .text = BL_STR("text") };
	struct bl_buf one;
	struct bl_buf two;

	bl_buf_init(&one, 0);
	bl_buf_init(&two, 0);
	REQUIRE(!bl_bundle_pack(&file, 1, &one, &err));
	REQUIRE(!bl_bundle_pack(&file, 1, &two, &err));
	CHECK(bl_str_equal(bl_buf_str(&one), bl_buf_str(&two)));
	/* RFC 1952: the time is in bytes 4 to 7, and zero says "none". */
	CHECK(!memcmp(one.ptr, "\x1f\x8b\x08\0\0\0\0\0", 8));
	bl_buf_clear(&one);
	bl_buf_clear(&two);
}

static void no_room(void)
{
	struct bl_bundle_file file = { .path = BL_STR("a"),
				       .text = BL_STR("text") };
	struct bl_buf out;

	bl_buf_init(&out, 100);
	CHECK_STATUS(bl_bundle_pack(&file, 1, &out, &err), BL_LIMIT);
	bl_buf_clear(&out);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(there_and_back);
	RUN(same_bytes);
	RUN(no_room);
	bl_arena_clear(&arena);
	return tap_end();
}
