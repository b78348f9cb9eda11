/* SPDX-License-Identifier: Apache-2.0 */
#include "json/private.h"
#include "tap.h"

static size_t length_of(const char *text)
{
	return bl_json_escape_length(text, text + strlen(text));
}

static void lengths(void)
{
	static const char simple[] = "\"\\/bfnrt";
	static const char nul[2] = { '\\', '\0' };

	for (int c = 1; c < 256; c++) {
		char text[3] = { '\\', (char)c, '\0' };

		CHECK_INT(length_of(text), strchr(simple, c) ? 2 : 0);
	}
	CHECK_INT(bl_json_escape_length(nul, nul + 2), 0);
	CHECK_INT(length_of("\\"), 0);
	CHECK_INT(length_of("\\u"), 0);
	CHECK_INT(length_of("\\u123"), 0);
	CHECK_INT(length_of("\\u123g"), 0);
	CHECK_INT(length_of("\\u 123"), 0);
	CHECK_INT(length_of("\\u+123"), 0);
	CHECK_INT(length_of("\\u0aF9"), 6);
	CHECK_INT(length_of("\\u00000"), 6);
}

static void check_decoded(struct bl_str raw, const char *expected, bool lone)
{
	char room[64];
	bool was_lone = false;
	size_t len;

	REQUIRE(raw.len <= sizeof(room));
	len = bl_json_unescape(raw, room, &was_lone);
	CHECK(len <= raw.len);
	CHECK_STR(((struct bl_str){ room, len }), expected);
	CHECK(was_lone == lone);
}

static void decoding(void)
{
	check_decoded(BL_STR(""), "", false);
	check_decoded(BL_STR("plain"), "plain", false);
	check_decoded(BL_STR("\\\\\\\"\\/\\b\\f\\n\\r\\t"), "\\\"/\b\f\n\r\t",
		      false);
	check_decoded(BL_STR("a\\u0041z"), "aAz", false);
	check_decoded(BL_STR("\\u20ac\\u00E9"), "\xE2\x82\xAC\xC3\xA9", false);
	check_decoded(BL_STR("\\ud834\\udd1e"), "\xF0\x9D\x84\x9E", false);
	check_decoded(BL_STR("\\uD83D\\uDE00\\n"), "\xF0\x9F\x98\x80\n", false);
	check_decoded(BL_STR("\\ud83dx"), "\xEF\xBF\xBDx", true);
	check_decoded(BL_STR("\\ud83d\\n"), "\xEF\xBF\xBD\n", true);
	check_decoded(BL_STR("\\udc00\\ud800"), "\xEF\xBF\xBD\xEF\xBF\xBD",
		      true);
	check_decoded(BL_STR("\\ufffd"), "\xEF\xBF\xBD", false);
}

int main(void)
{
	RUN(lengths);
	RUN(decoding);
	return tap_end();
}
