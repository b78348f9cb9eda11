/* SPDX-License-Identifier: Apache-2.0 */
#include <zlib.h>

#include "tar_maker.h"
#include "tap.h"

static struct bl_arena arena;
static struct bl_bundle_files files;
static struct bl_error err;

/* A gzip text. */
static struct bl_str gzip(struct bl_str text)
{
	size_t cap = text.len + 1024;
	char *out = bl_arena_alloc(&arena, cap);
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)text.ptr,
			    .avail_in = (uInt)text.len,
			    .next_out = (Bytef *)out,
			    .avail_out = (uInt)cap };

	deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
	deflate(&stream, Z_FINISH);
	deflateEnd(&stream);
	return (struct bl_str){ out, stream.total_out };
}

static struct bl_str archive_of(const char *name, size_t size)
{
	char *zeros = bl_arena_zalloc(&arena, size + 1, 1);
	struct tar_header header = tar_head('0', name, size);
	struct bl_buf tar;
	struct bl_str result;

	bl_buf_init(&tar, 0);
	tar_put_header(&tar, &header, (struct bl_str){ zeros, size });
	tar_end(&tar);
	result = gzip(bl_buf_str(&tar));
	bl_buf_clear(&tar);
	return result;
}

static void whole(void)
{
	struct bl_str archive = archive_of("a", 200000);

	CHECK_STATUS(bl_bundle_unpack(&arena, archive, 0, &files, &err), BL_OK);
	REQUIRE(files.count == 1);
	CHECK_STR(files.items[0].path, "a");
	CHECK_INT(files.items[0].text.len, 200000);
}

/* Two gzip texts, one behind the other, are what both are. */
static void two_members(void)
{
	struct bl_buf tar;
	struct bl_buf both;

	bl_buf_init(&tar, 0);
	bl_buf_init(&both, 0);
	tar_put(&tar, '0', "a", "x");
	bl_buf_put_str(&both, gzip(bl_buf_str(&tar)));
	bl_buf_reset(&tar);
	tar_put(&tar, '0', "b", "y");
	bl_buf_put_str(&both, gzip(bl_buf_str(&tar)));
	CHECK_STATUS(
		bl_bundle_unpack(&arena, bl_buf_str(&both), 0, &files, &err),
		BL_OK);
	CHECK_INT(files.count, 2);
	bl_buf_clear(&tar);
	bl_buf_clear(&both);
}

static void bomb(void)
{
	struct bl_str archive = archive_of("a", 8 << 20);

	CHECK(archive.len < 20000);
	CHECK_STATUS(bl_bundle_unpack(&arena, archive, 1 << 20, &files, &err),
		     BL_LIMIT);
	CHECK_STR(bl_str(err.message), "it unpacks to more than 1048576 bytes");
	CHECK_STATUS(bl_bundle_unpack(&arena, archive, 9 << 20, &files, &err),
		     BL_OK);
}

static void damage(void)
{
	struct bl_str archive = archive_of("a", 1000);
	char *copy = (char *)(uintptr_t)bl_arena_copy_str(&arena, archive).ptr;

	for (size_t len = 0; len < archive.len; len++)
		CHECK_STATUS(bl_bundle_unpack(&arena,
					      bl_str_slice(archive, 0, len), 0,
					      &files, &err),
			     BL_INVALID);
	CHECK_STR(bl_str(err.message), "archive read failed: unexpected EOF");
	copy[archive.len - 6] ^= 1; /* of the checksum */
	CHECK_STATUS(bl_bundle_unpack(&arena,
				      (struct bl_str){ copy, archive.len }, 0,
				      &files, &err),
		     BL_INVALID);
	CHECK_STATUS(bl_bundle_unpack(&arena, BL_STR("package x\n"), 0, &files,
				      &err),
		     BL_INVALID);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(whole);
	RUN(two_members);
	RUN(bomb);
	RUN(damage);
	bl_arena_clear(&arena);
	return tap_end();
}
