/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

static void equality_looks_at_length_and_bytes(void)
{
	CHECK(bl_str_equal(BL_STR("ab"), BL_STR("ab")));
	CHECK(!bl_str_equal(BL_STR("ab"), BL_STR("abc")));
	CHECK(!bl_str_equal(BL_STR("ab"), BL_STR("aB")));
	CHECK(bl_str_equal(BL_STR("a\0b"), ((struct bl_str){ "a\0b", 3 })));
	CHECK(!bl_str_equal(BL_STR("a\0b"), BL_STR("a\0c")));
}

static void null_is_the_empty_string(void)
{
	struct bl_str nothing = bl_str(NULL);

	CHECK_INT(nothing.len, 0);
	CHECK(bl_str_equal(nothing, BL_STR("")));
	CHECK(bl_str_has_prefix(nothing, nothing));
	CHECK(bl_str_has_suffix(BL_STR("x"), nothing));
	CHECK_INT(bl_str_compare(nothing, BL_STR("")), 0);
	CHECK_INT(bl_str_trim(nothing).len, 0);
	CHECK_INT(bl_str_find(nothing, nothing, 0), 0);
}

static void prefix_and_suffix(void)
{
	CHECK(bl_str_has_prefix(BL_STR("hooks.json"), BL_STR("hooks")));
	CHECK(!bl_str_has_prefix(BL_STR("hook"), BL_STR("hooks")));
	CHECK(!bl_str_has_prefix(BL_STR("xhooks"), BL_STR("hooks")));
	CHECK(bl_str_has_suffix(BL_STR("hooks.json"), BL_STR(".json")));
	CHECK(!bl_str_has_suffix(BL_STR("json"), BL_STR(".json")));
	CHECK(!bl_str_has_suffix(BL_STR(".jsonx"), BL_STR(".json")));
}

static void slice_stays_inside(void)
{
	struct bl_str s = BL_STR("abcdef");

	CHECK_STR(bl_str_slice(s, 1, 3), "bc");
	CHECK_STR(bl_str_slice(s, 4, 100), "ef");
	CHECK_STR(bl_str_slice(s, 6, 6), "");
	CHECK_STR(bl_str_slice(s, 3, 2), "");
	CHECK_STR(bl_str_slice(s, 9, SIZE_MAX), "");
	CHECK_STR(bl_str_slice(s, 0, SIZE_MAX), "abcdef");
}

static void trim_takes_the_six_white_characters(void)
{
	CHECK_STR(bl_str_trim(BL_STR(" \t\r\n\f\va b\v\f\n\r\t ")), "a b");
	CHECK_STR(bl_str_trim(BL_STR(" \t ")), "");
	CHECK_STR(bl_str_trim(BL_STR("\b a")), "\b a");
	/* a no-break space is text */
	CHECK_STR(bl_str_trim(BL_STR("\xC2\xA0")), "\xC2\xA0");
}

static void find_gives_the_first_at_or_after(void)
{
	struct bl_str s = BL_STR("abcabc");

	CHECK_INT(bl_str_find(s, BL_STR("abc"), 0), 0);
	CHECK_INT(bl_str_find(s, BL_STR("abc"), 1), 3);
	CHECK_INT(bl_str_find(s, BL_STR("c"), 5), 5);
	CHECK(bl_str_find(s, BL_STR("abc"), 4) == SIZE_MAX);
	CHECK(bl_str_find(s, BL_STR("c"), 6) == SIZE_MAX);
	CHECK(bl_str_find(s, BL_STR("abcd"), 0) == SIZE_MAX);
	CHECK(bl_str_find(s, BL_STR("abcabcabc"), 0) == SIZE_MAX);
	CHECK(bl_str_find(s, BL_STR("a"), 100) == SIZE_MAX);
	CHECK_INT(bl_str_find(BL_STR("aab"), BL_STR("ab"), 0), 1);
}

static void find_of_nothing_is_where_it_starts(void)
{
	CHECK_INT(bl_str_find(BL_STR("ab"), BL_STR(""), 0), 0);
	CHECK_INT(bl_str_find(BL_STR("ab"), BL_STR(""), 2), 2);
	CHECK(bl_str_find(BL_STR("ab"), BL_STR(""), 3) == SIZE_MAX);
}

static void compare_orders_by_unsigned_bytes(void)
{
	CHECK(bl_str_compare(BL_STR("a"), BL_STR("b")) < 0);
	CHECK(bl_str_compare(BL_STR("b"), BL_STR("a")) > 0);
	CHECK(bl_str_compare(BL_STR("a"), BL_STR("ab")) < 0);
	CHECK(bl_str_compare(BL_STR("ab"), BL_STR("a")) > 0);
	CHECK(bl_str_compare(BL_STR("z"), BL_STR("\xC3\xA9")) < 0);
	CHECK_INT(bl_str_compare(BL_STR("a\0b"), BL_STR("a\0b")), 0);
}

/* Expected values: counted by hand from the rule in base/str.h. */
static void distance_counts_edits(void)
{
	CHECK_INT(bl_str_distance(BL_STR(""), BL_STR("")), 0);
	CHECK_INT(bl_str_distance(BL_STR("stop"), BL_STR("stop")), 0);
	CHECK_INT(bl_str_distance(BL_STR(""), BL_STR("abc")), 3);
	CHECK_INT(bl_str_distance(BL_STR("stop"), BL_STR("stops")), 1);
	CHECK_INT(bl_str_distance(BL_STR("stop"), BL_STR("top")), 1);
	CHECK_INT(bl_str_distance(BL_STR("stop"), BL_STR("step")), 1);
	CHECK_INT(bl_str_distance(BL_STR("stop"), BL_STR("sotp")), 1);
	CHECK_INT(bl_str_distance(BL_STR("kitten"), BL_STR("sitting")), 3);
}

static void distance_counts_case_as_half(void)
{
	CHECK_INT(bl_str_distance(BL_STR("stop"), BL_STR("Stop")), 1);
	CHECK_INT(bl_str_distance(BL_STR("stop"), BL_STR("STop")), 1);
	CHECK_INT(bl_str_distance(BL_STR("stop"), BL_STR("STOP")), 2);
}

static void distance_is_for_short_text_only(void)
{
	char text[65];
	struct bl_str longest = { text, 64 };
	struct bl_str too_long = { text, 65 };

	memset(text, 'a', sizeof(text));
	CHECK_INT(bl_str_distance(longest, BL_STR("")), 64);
	CHECK_INT(bl_str_distance(longest, longest), 0);
	CHECK(bl_str_distance(too_long, BL_STR("a")) == SIZE_MAX);
	CHECK(bl_str_distance(BL_STR("a"), too_long) == SIZE_MAX);
}

int main(void)
{
	RUN(equality_looks_at_length_and_bytes);
	RUN(null_is_the_empty_string);
	RUN(prefix_and_suffix);
	RUN(slice_stays_inside);
	RUN(trim_takes_the_six_white_characters);
	RUN(find_gives_the_first_at_or_after);
	RUN(find_of_nothing_is_where_it_starts);
	RUN(compare_orders_by_unsigned_bytes);
	RUN(distance_counts_edits);
	RUN(distance_counts_case_as_half);
	RUN(distance_is_for_short_text_only);
	return tap_end();
}
