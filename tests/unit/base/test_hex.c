/* SPDX-License-Identifier: Apache-2.0 */
/* lib/base/hex.c: digits are digits, as many as were asked for. */
#include "base/base.h"
#include "base/hex.h"
#include "tap.h"

static void numbers(void)
{
	struct bl_str text = BL_STR("x00e9FFff0g");

	CHECK_INT(bl_hex_read(text, 1, 4), 0xe9);
	CHECK_INT(bl_hex_read(text, 5, 4), 0xffff);
	CHECK_INT(bl_hex_read(text, 1, 0), 0);
	CHECK_INT(bl_hex_read(text, 0, 1), -1);
	CHECK_INT(bl_hex_read(text, 9, 2), -1);
	CHECK_INT(bl_hex_read(text, 10, 2), -1);
	CHECK_INT(bl_hex_read(text, 12, 1), -1);
	CHECK_INT(bl_hex_read(text, SIZE_MAX, 2), -1);
	CHECK_INT(bl_hex_read(BL_STR("+1"), 0, 2), -1);
	CHECK_INT(bl_hex_read(BL_STR(" 1"), 0, 2), -1);
}

static void bytes(void)
{
	static const uint8_t data[] = { 0x00, 0x7f, 0xab, 0xff };
	uint8_t back[4] = { 1, 2, 3, 4 };
	char text[9];

	bl_hex_encode(data, sizeof(data), text);
	CHECK_STR(bl_str(text), "007fabff");
	CHECK(!bl_hex_decode(BL_STR("007fabf"), back, 4));
	CHECK(!bl_hex_decode(BL_STR("007fabff0"), back, 4));
	CHECK(!bl_hex_decode(BL_STR("007fabfx"), back, 4));
	CHECK(!bl_hex_decode(BL_STR("007FABFF"), back, 4));
	CHECK_INT(back[3], 4); /* untouched */
	CHECK(bl_hex_decode(bl_str(text), back, 4));
	CHECK(!memcmp(back, data, sizeof(data)));
	CHECK(bl_hex_is(BL_STR("0a"), 1));
	CHECK(!bl_hex_is(BL_STR("0A"), 1));
	CHECK(bl_hex_is(BL_STR(""), 0));
}

static void appended(void)
{
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_buf_puts(&out, "#");
	bl_hex_put(&out, (struct bl_str){ "\x01\xfe", 2 });
	CHECK_STR(bl_buf_str(&out), "#01fe");
	bl_buf_clear(&out);
}

int main(void)
{
	RUN(numbers);
	RUN(bytes);
	RUN(appended);
	return tap_end();
}
