/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"
#include "tap.h"

/*
 * The whole of Unicode, by the definition (Unicode 15, table 3-6), written
 * differently from the code under test: by arithmetic on the value.
 */
static size_t by_definition(uint32_t rune, unsigned char *out)
{
	if (rune < 0x80) {
		out[0] = (unsigned char)rune;
		return 1;
	}
	if (rune < 0x800) {
		out[0] = (unsigned char)(192 + rune / 64);
		out[1] = (unsigned char)(128 + rune % 64);
		return 2;
	}
	if (rune < 0x10000) {
		out[0] = (unsigned char)(224 + rune / 4096);
		out[1] = (unsigned char)(128 + rune / 64 % 64);
		out[2] = (unsigned char)(128 + rune % 64);
		return 3;
	}
	out[0] = (unsigned char)(240 + rune / 262144);
	out[1] = (unsigned char)(128 + rune / 4096 % 64);
	out[2] = (unsigned char)(128 + rune / 64 % 64);
	out[3] = (unsigned char)(128 + rune % 64);
	return 4;
}

static bool is_surrogate(uint32_t rune)
{
	return rune >= 0xD800 && rune <= 0xDFFF;
}

static void every_character_goes_both_ways(void)
{
	size_t wrong = 0;

	for (uint32_t rune = 0; rune <= 0x10FFFF; rune++) {
		unsigned char expected[4];
		char out[4];
		size_t len = by_definition(rune, expected);
		struct bl_str text = { (const char *)expected, len };
		uint32_t back = 0;

		if (is_surrogate(rune)) {
			wrong += bl_utf8_decode(text, 0, &back) != 0;
			wrong += bl_utf8_is_valid(text);
			continue;
		}
		wrong += bl_utf8_encode(rune, out) != len;
		wrong += memcmp(out, expected, len) != 0;
		wrong += bl_utf8_decode(text, 0, &back) != len || back != rune;
		wrong += !bl_utf8_is_valid(text);
	}
	CHECK_INT(wrong, 0);
}

static void what_is_no_character_is_replaced(void)
{
	static const uint32_t runes[] = { 0xD800, 0xDFFF, 0x110000,
					  UINT32_MAX };

	for (size_t i = 0; i < BL_COUNT(runes); i++) {
		char out[4];

		CHECK_INT(bl_utf8_encode(runes[i], out), 3);
		CHECK(!memcmp(out, "\xEF\xBF\xBD", 3));
	}
}

/* Every pair of bytes: valid are two ASCII bytes and C2..DF, 80..BF. */
static void every_pair_of_bytes(void)
{
	size_t wrong = 0;

	for (unsigned a = 0; a < 256; a++)
		for (unsigned b = 0; b < 256; b++) {
			char pair[2] = { (char)a, (char)b };
			bool good = (a < 0x80 && b < 0x80) ||
				    (a >= 0xC2 && a <= 0xDF && b >= 0x80 &&
				     b <= 0xBF);

			wrong += bl_utf8_is_valid((struct bl_str){ pair, 2 }) !=
				 good;
		}
	CHECK_INT(wrong, 0);
}

static void malformed_sequences_are_refused(void)
{
	static const char *const texts[] = {
		"\x80",             /* continuation alone */
		"\xC0\xAF",         /* overlong */
		"\xC1\xBF",         /* overlong */
		"\xE0\x80\xAF",     /* overlong */
		"\xE0\x9F\xBF",     /* overlong */
		"\xF0\x80\x80\xAF", /* overlong */
		"\xF0\x8F\xBF\xBF", /* overlong */
		"\xF4\x90\x80\x80", /* above U+10FFFF */
		"\xF5\x80\x80\x80", /* no lead byte */
		"\xF8\x88\x80\x80\x80",
		"\xFF",
		"\xE2\x82",     /* ends early */
		"\xF0\x9F\x98", /* ends early */
		"\xE2\x28\xA1", /* no continuation */
		"\xE2\x82\x28",
		"\xF0\x9F\x28\x80",
		"\xED\xA0\x80", /* surrogate */
		"\xED\xBF\xBF", /* surrogate */
	};

	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		uint32_t rune = 1234;

		CHECK_INT(bl_utf8_decode(bl_str(texts[i]), 0, &rune), 0);
		CHECK_INT(rune, 1234);
		CHECK(!bl_utf8_is_valid(bl_str(texts[i])));
	}
}

static void decode_stays_inside(void)
{
	struct bl_str text = { "a\xE2\x82\xAC", 4 };
	uint32_t rune = 0;

	CHECK_INT(bl_utf8_decode(text, 1, &rune), 3);
	CHECK_INT(rune, 0x20AC);
	CHECK_INT(bl_utf8_decode(text, 2, &rune), 0);
	CHECK_INT(bl_utf8_decode(text, 4, &rune), 0);
	CHECK_INT(bl_utf8_decode(text, 400, &rune), 0);
	CHECK_INT(bl_utf8_decode((struct bl_str){ text.ptr, 3 }, 1, &rune), 0);
	CHECK_INT(bl_utf8_decode((struct bl_str){ NULL, 0 }, 0, &rune), 0);
}

/* The scan takes eight bytes at a time: try each place of an error. */
static void valid_prefix_finds_the_very_byte(void)
{
	char text[40];

	for (size_t len = 0; len <= sizeof(text); len++) {
		memset(text, 'a', sizeof(text));
		CHECK_INT(bl_utf8_valid_prefix((struct bl_str){ text, len }),
			  len);
		for (size_t bad = 0; bad < len; bad++) {
			text[bad] = (char)0xFF;
			CHECK_INT(bl_utf8_valid_prefix(
					  (struct bl_str){ text, len }),
				  bad);
			text[bad] = 'a';
		}
	}
	CHECK_INT(bl_utf8_valid_prefix(BL_STR("1234567\xE2\x82\xAC"
					      "89")),
		  12);
	CHECK_INT(bl_utf8_valid_prefix(BL_STR("1234567\xE2\x82"
					      "x9")),
		  7);
	CHECK(bl_utf8_is_valid((struct bl_str){ NULL, 0 }));
}

int main(void)
{
	RUN(every_character_goes_both_ways);
	RUN(what_is_no_character_is_replaced);
	RUN(every_pair_of_bytes);
	RUN(malformed_sequences_are_refused);
	RUN(decode_stays_inside);
	RUN(valid_prefix_finds_the_very_byte);
	return tap_end();
}
