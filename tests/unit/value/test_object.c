/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "value/value.h"

enum { MANY = 300, NAME_BYTES = 16 };

static struct bl_arena arena;
static char names[MANY][NAME_BYTES];
static struct bl_member members[MANY];

static struct bl_value text(const char *s)
{
	return bl_value_string(bl_str(s));
}

/* count members "k<n>" with values 0, 1, ... in a scattered order. */
static struct bl_value scattered(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], NAME_BYTES, "k%zu", i * 7 % count);
		members[i] = (struct bl_member){ text(names[i]),
						 bl_value_integer((int)i) };
	}
	return bl_object_make(&arena, members, count, NULL);
}

static void find_and_order(void)
{
	static const size_t sizes[] = { 1, 2, 8, 9, 16, 17, 31, 100, MANY };

	for (size_t s = 0; s < BL_COUNT(sizes); s++) {
		struct bl_value object = scattered(sizes[s]);

		REQUIRE(bl_value_is(object, BL_KIND_OBJECT));
		CHECK_INT(bl_value_count(object), sizes[s]);
		for (size_t i = 0; i < sizes[s]; i++) {
			struct bl_value got =
				bl_object_find(object, bl_str(names[i]));

			CHECK_STR(bl_value_text(bl_object_key(object, i)),
				  names[i]);
			CHECK(bl_value_equal(got, bl_value_integer((int)i)));
			CHECK(bl_value_equal(bl_object_value(object, i), got));
			CHECK_INT(bl_object_find_index(object, text(names[i])),
				  i);
		}
		for (size_t i = 1; i < sizes[s]; i++) {
			size_t a = bl_object_sorted_index(object, i - 1);
			size_t b = bl_object_sorted_index(object, i);

			CHECK(strcmp(names[a], names[b]) < 0);
		}
		CHECK(!bl_value_is_defined(
			bl_object_find(object, BL_STR("absent"))));
		CHECK(!bl_value_is_defined(bl_object_find(object, BL_STR(""))));
		CHECK(bl_object_sorted_index(object, sizes[s]) == SIZE_MAX);
		CHECK(!bl_value_is_defined(bl_object_key(object, sizes[s])));
		CHECK(!bl_value_is_defined(bl_object_value(object, sizes[s])));
	}
}

static void empty_and_wrong_kinds(void)
{
	struct bl_value none = bl_object_make(&arena, NULL, 0, NULL);

	CHECK(bl_value_is(none, BL_KIND_OBJECT));
	CHECK_INT(bl_value_count(none), 0);
	CHECK(!bl_value_is_defined(bl_object_find(none, BL_STR("a"))));
	CHECK(!bl_value_is_defined(bl_object_key(none, 0)));
	CHECK(!bl_value_is_defined(
		bl_object_find(bl_value_null(), BL_STR("a"))));
	CHECK(!bl_value_is_defined(bl_object_key(bl_value_integer(1), 0)));
	CHECK(!bl_value_is_defined(bl_object_value(bl_value_integer(1), 0)));
	CHECK(bl_object_sorted_index(bl_value_null(), 0) == SIZE_MAX);
	CHECK(bl_object_find_index(bl_value_null(), text("a")) == SIZE_MAX);
}

static void repeats(void)
{
	struct bl_member few[] = {
		{ text("a"), bl_value_integer(1) },
		{ text("b"), bl_value_integer(2) },
		{ text("b"), bl_value_integer(3) },
		{ text("a"), bl_value_integer(4) },
		{ text("c"), bl_value_integer(5) },
		{ text("a"), bl_value_integer(6) },
	};
	size_t repeat = 0;
	struct bl_value object = bl_object_make(&arena, few, 6, &repeat);

	CHECK_INT(repeat, 2);
	CHECK_INT(bl_value_count(object), 3);
	CHECK_STR(bl_value_text(bl_object_key(object, 0)), "a");
	CHECK_STR(bl_value_text(bl_object_key(object, 1)), "b");
	CHECK_STR(bl_value_text(bl_object_key(object, 2)), "c");
	CHECK(bl_value_equal(bl_object_value(object, 0), bl_value_integer(6)));
	CHECK(bl_value_equal(bl_object_value(object, 1), bl_value_integer(3)));
	CHECK(bl_value_equal(bl_object_find(object, BL_STR("c")),
			     bl_value_integer(5)));
	bl_object_make(&arena, few, 2, &repeat);
	CHECK(repeat == SIZE_MAX);
}

static void many_repeats(void)
{
	struct bl_value object;
	size_t repeat;

	for (size_t i = 0; i < MANY; i++) {
		snprintf(names[i], NAME_BYTES, "k%zu", i % 50);
		members[i] = (struct bl_member){ text(names[i]),
						 bl_value_integer((int)i) };
	}
	object = bl_object_make(&arena, members, MANY, &repeat);
	CHECK_INT(repeat, 50);
	REQUIRE(bl_value_count(object) == 50);
	for (size_t i = 0; i < 50; i++) {
		CHECK_STR(bl_value_text(bl_object_key(object, i)), names[i]);
		CHECK(bl_value_equal(bl_object_find(object, bl_str(names[i])),
				     bl_value_integer((int)(250 + i))));
	}
}

static void similar_keys(void)
{
	/* Ascending by bytes; zero padding must not make two of them equal. */
	static const struct bl_str keys[] = {
		{ "", 0 },          { "\0", 1 },
		{ "\0\0", 2 },      { "a", 1 },
		{ "a\0", 2 },       { "a\0b", 3 },
		{ "abcdefg", 7 },   { "abcdefg\0", 8 },
		{ "abcdefgh", 8 },  { "abcdefgh\0", 9 },
		{ "abcdefgha", 9 }, { "abcdefghb", 9 },
		{ "\xC3\xA9", 2 },  { "\xF0\x9F\x98\x80", 4 },
	};
	enum { COUNT = BL_COUNT(keys) };
	struct bl_member some[COUNT];
	struct bl_value object;
	size_t repeat;

	for (size_t i = 0; i < COUNT; i++)
		some[i] = (struct bl_member){ bl_value_string(
						      keys[COUNT - 1 - i]),
					      bl_value_integer((int)i) };
	object = bl_object_make(&arena, some, COUNT, &repeat);
	CHECK(repeat == SIZE_MAX);
	CHECK_INT(bl_value_count(object), COUNT);
	for (size_t i = 0; i < COUNT; i++)
		CHECK_INT(bl_object_sorted_index(object, i), COUNT - 1 - i);
}

static void keys_of_any_kind(void)
{
	struct bl_value one;
	struct bl_member some[] = {
		{ bl_value_null(), text("null") },
		{ text("1"), text("string") },
		{ bl_value_integer(1), text("number") },
		{ bl_array_make(&arena, NULL, 0), text("array") },
		{ bl_value_boolean(true), text("true") },
	};
	struct bl_value object = bl_object_make(&arena, some, 5, NULL);

	REQUIRE(!bl_number_from_text(BL_STR("1.0"), &one));
	CHECK_STR(bl_value_text(bl_object_find_value(object, one)), "number");
	CHECK_STR(bl_value_text(bl_object_find(object, BL_STR("1"))), "string");
	CHECK_STR(bl_value_text(bl_object_find_value(
			  object, bl_array_make(&arena, NULL, 0))),
		  "array");
	CHECK_INT(bl_object_sorted_index(object, 0), 0);
	CHECK_INT(bl_object_sorted_index(object, 1), 4);
	CHECK_INT(bl_object_sorted_index(object, 4), 3);
}

static void memory_out(void)
{
	char room[256];
	struct bl_arena small;

	bl_arena_init(&small, NULL, 0, 64);
	scattered(40);
	CHECK(!bl_value_is_defined(bl_object_make(&small, members, 40, NULL)));
	CHECK_STATUS(bl_arena_status(&small), BL_LIMIT);
	bl_arena_clear(&small);
	/* Room for the members, none for their order. */
	bl_arena_init(&small, NULL, 0, 40 * sizeof(struct bl_member) + 128);
	CHECK(!bl_value_is_defined(bl_object_make(&small, members, 40, NULL)));
	bl_arena_clear(&small);
	bl_arena_init(&small, room, sizeof(room), 1);
	CHECK(bl_value_is_defined(bl_object_make(&small, members, 2, NULL)));
	CHECK(!bl_value_is_defined(
		bl_object_make(&small, members, SIZE_MAX / 8, NULL)));
	bl_arena_clear(&small);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(find_and_order);
	RUN(empty_and_wrong_kinds);
	RUN(repeats);
	RUN(many_repeats);
	RUN(similar_keys);
	RUN(keys_of_any_kind);
	RUN(memory_out);
	bl_arena_clear(&arena);
	return tap_end();
}
