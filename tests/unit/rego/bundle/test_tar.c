/* SPDX-License-Identifier: Apache-2.0 */
#include "tar_maker.h"
#include "tap.h"

static struct bl_arena arena;
static struct bl_buf tar;
static struct bl_bundle_files files;
static struct bl_error err;

static enum bl_status read_it(void)
{
	struct bl_str copy = bl_arena_copy_str(&arena, bl_buf_str(&tar));

	bl_buf_reset(&tar);
	return bundle_read_tar(&arena, copy, &files, &err);
}

static void plain(void)
{
	tar_put(&tar, '5', "x/", "");
	tar_put(&tar, '0', "x/p.rego", "package x");
	tar_put(&tar, '\0', "old", "");
	tar_put(&tar, '\0', "folder/", "");
	tar_end(&tar);
	tar_put(&tar, '0', "behind", "");
	CHECK_STATUS(read_it(), BL_OK);
	REQUIRE(files.count == 2);
	CHECK_STR(files.items[0].path, "x/p.rego");
	CHECK_STR(files.items[0].text, "package x");
	CHECK_STR(files.items[1].path, "old");
	CHECK_STR(files.items[1].text, "");
	/* An archive may end without zeros; Go's reader takes it, too. */
	tar_put(&tar, '0', "a", "b");
	CHECK_STATUS(read_it(), BL_OK);
	CHECK_INT(files.count, 1);
	CHECK_STATUS(read_it(), BL_OK);
	CHECK_INT(files.count, 0);
}

static void prefix(void)
{
	struct tar_header header = tar_head('0', "name", 0);

	memcpy(header.prefix, "some/folders", 12);
	tar_seal(&header);
	tar_put_header(&tar, &header, BL_STR(""));
	CHECK_STATUS(read_it(), BL_OK);
	REQUIRE(files.count == 1);
	CHECK_STR(files.items[0].path, "some/folders/name");
	/* GNU has other things there. */
	memcpy(header.magic, "ustar ", 6);
	tar_seal(&header);
	tar_put_header(&tar, &header, BL_STR(""));
	CHECK_STATUS(read_it(), BL_OK);
	REQUIRE(files.count == 1);
	CHECK_STR(files.items[0].path, "name");
}

static void gnu_numbers(void)
{
	struct tar_header header = tar_head('0', "name", 0);

	memset(header.size, 0, sizeof(header.size));
	header.size[0] = (char)0x80;
	header.size[11] = 3;
	tar_seal(&header);
	tar_put_header(&tar, &header, BL_STR("abc"));
	CHECK_STATUS(read_it(), BL_OK);
	REQUIRE(files.count == 1);
	CHECK_STR(files.items[0].text, "abc");
	memset(header.size, 0xff, sizeof(header.size));
	tar_seal(&header);
	tar_put_header(&tar, &header, BL_STR("abc"));
	CHECK_STATUS(read_it(), BL_INVALID);
}

static void long_names(void)
{
	tar_put(&tar, 'L', "././@LongLink", "long/name");
	tar_put(&tar, '0', "short", "1");
	tar_put(&tar, 'x', "PaxHeaders/x", "12 path=a/b\n9 mtime=\n");
	tar_put(&tar, '0', "short", "2");
	tar_put(&tar, 'g', "pax_global_header", "21 comment=anything.\n");
	tar_put(&tar, 'x', "PaxHeaders/x", "9 size=1\n");
	tar_put(&tar, '0', "third", "3");
	tar_end(&tar);
	CHECK_STATUS(read_it(), BL_OK);
	REQUIRE(files.count == 3);
	CHECK_STR(files.items[0].path, "long/name");
	CHECK_STR(files.items[1].path, "a/b");
	CHECK_STR(files.items[1].text, "2");
	CHECK_STR(files.items[2].path, "third");
	CHECK_STR(files.items[2].text, "3");
}

static void bad_pax(void)
{
	static const char *const texts[] = {
		"x",
		"path=a\n",
		"12 path=a/b",
		"99 path=a\n",
		"0 path=a\n",
		"9 path a\n\n",
		"12 path=a/bX",
		"2 \n",
		"10 size=-1\n",
		"99999999999999999999999 path=a\n",
		"23 GNU.sparse.major=1\n",
	};

	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		tar_put(&tar, 'x', "PaxHeaders/x", texts[i]);
		tar_put(&tar, '0', "a", "");
		tar_end(&tar);
		CHECK_STATUS(read_it(), BL_INVALID);
	}
	tar_put(&tar, 'x', "PaxHeaders/x", "12 path=a/b\n");
	tar_end(&tar);
	CHECK_STATUS(read_it(), BL_INVALID);
}

static void refused_members(void)
{
	static const char types[] = { '1', '2', '3', '4', '6', 'K',
				      'S', 'D', 'M', 'V', 'z' };

	for (size_t i = 0; i < BL_COUNT(types); i++) {
		tar_put(&tar, types[i], "name", "");
		tar_end(&tar);
		CHECK_STATUS(read_it(), BL_INVALID);
	}
	tar_put(&tar, '0', "../out", "");
	CHECK_STATUS(read_it(), BL_INVALID);
	tar_put(&tar, '0', "a", "1");
	tar_put(&tar, '0', "./a", "2");
	CHECK_STATUS(read_it(), BL_INVALID);
	tar_put(&tar, '0', "", "1");
	CHECK_STATUS(read_it(), BL_INVALID);
}

static void damage(void)
{
	struct tar_header header = tar_head('0', "name", 3);

	tar_put_header(&tar, &header, BL_STR("abc"));
	tar.len = sizeof(header) + 2;
	CHECK_STATUS(read_it(), BL_INVALID);
	CHECK(strstr(err.message, "it ends within a file"));
	tar_put_header(&tar, &header, BL_STR("abc"));
	tar.len = 100;
	CHECK_STATUS(read_it(), BL_INVALID);
	CHECK(strstr(err.message, "it ends within a header"));
	header.name[0] = 'N';
	tar_put_header(&tar, &header, BL_STR("abc"));
	CHECK_STATUS(read_it(), BL_INVALID);
	CHECK(strstr(err.message, "checksum"));
	header.size[0] = '9';
	tar_seal(&header);
	tar_put_header(&tar, &header, BL_STR("abc"));
	CHECK_STATUS(read_it(), BL_INVALID);
	CHECK(strstr(err.message, "size"));
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&tar, 0);
	RUN(plain);
	RUN(prefix);
	RUN(gnu_numbers);
	RUN(long_names);
	RUN(bad_pax);
	RUN(refused_members);
	RUN(damage);
	bl_buf_clear(&tar);
	bl_arena_clear(&arena);
	return tap_end();
}
