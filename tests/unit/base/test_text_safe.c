/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_safe.h"
#include "base/utf8.h"
#include "tap.h"

static struct bl_buf shown;

static struct bl_str safe(struct bl_str text)
{
	bl_buf_reset(&shown);
	bl_text_put_safe(&shown, text);
	return bl_buf_str(&shown);
}

static void plain_text_is_left_alone(void)
{
	CHECK_STR(safe(BL_STR("")), "");
	CHECK_STR(safe(BL_STR("a b\tc~\\")), "a b\tc~\\");
	CHECK_STR(safe(BL_STR("gr\xC3\xBC\xC3\x9F \xE2\x82\xAC "
			      "\xF0\x9F\x98\x80 \xE6\x97\xA5")),
		  "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80 "
		  "\xE6\x97\xA5");
}

static void no_control_character_gets_through(void)
{
	CHECK_STR(safe(BL_STR("\x1B[31m")), "\\u{1B}[31m");
	CHECK_STR(safe(BL_STR("a\r\nb")), "a\\u{D}\\u{A}b");
	CHECK_STR(safe(BL_STR("a\0b")), "a\\u{0}b");
	CHECK_STR(safe(BL_STR("\x7F\xC2\x9B")), "\\u{7F}\\u{9B}");
	for (uint32_t rune = 0; rune < 0xA0; rune++) {
		char text[4];
		size_t len = bl_utf8_encode(rune, text);
		struct bl_str out = safe((struct bl_str){ text, len });
		bool plain = rune == '\t' || (rune >= 0x20 && rune < 0x7F);

		CHECK((out.len == len) == plain);
	}
}

static void bytes_that_are_not_text_are_spelled(void)
{
	CHECK_STR(safe(BL_STR("a\xFF\xC3")), "a\\xFF\\xC3");
	CHECK_STR(safe(BL_STR("\xE2\x82z")), "\\xE2\\x82z");
	CHECK_STR(safe(BL_STR("\xED\xA0\x80")), "\\xED\\xA0\\x80");
}

/*
 * Unicode's Bidi_Control property, and the zero-width, filler and tag
 * characters that hide text (Default_Ignorable_Code_Point).
 */
static void nothing_reorders_or_hides_text(void)
{
	static const uint32_t runes[] = {
		0x061C, 0x200E, 0x200F, 0x202A,  0x202B,  0x202C,  0x202D,
		0x202E, 0x2066, 0x2067, 0x2068,  0x2069,  0x200B,  0x200C,
		0x200D, 0x2060, 0xFEFF, 0x00AD,  0x034F,  0x115F,  0x1160,
		0x17B4, 0x17B5, 0x180B, 0x180E,  0x3164,  0xFFA0,  0x2028,
		0x2029, 0xFFF9, 0xFFFB, 0xE0001, 0xE0020, 0xE007F, 0xE01EF,
	};

	for (size_t i = 0; i < BL_COUNT(runes); i++) {
		char text[4];
		char expected[16];
		size_t len = bl_utf8_encode(runes[i], text);

		snprintf(expected, sizeof(expected), "\\u{%X}",
			 (unsigned)runes[i]);
		CHECK_STR(safe((struct bl_str){ text, len }), expected);
	}
}

static void a_full_buffer_says_so(void)
{
	struct bl_buf small;

	bl_buf_init(&small, 8);
	bl_text_put_safe(&small, BL_STR("1234567\x1B"));
	CHECK_STATUS(bl_buf_status(&small), BL_LIMIT);
	CHECK_STR(bl_buf_str(&small), "1234567");
	bl_buf_clear(&small);
}

int main(void)
{
	bl_buf_init(&shown, 0);
	RUN(plain_text_is_left_alone);
	RUN(no_control_character_gets_through);
	RUN(bytes_that_are_not_text_are_spelled);
	RUN(nothing_reorders_or_hides_text);
	RUN(a_full_buffer_says_so);
	bl_buf_clear(&shown);
	return tap_end();
}
