/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "value/value.h"

static struct bl_arena arena;

static void kinds(void)
{
	CHECK_INT(sizeof(struct bl_value), 16);
	CHECK_STR(bl_str(bl_kind_name(BL_KIND_UNDEFINED)), "undefined");
	CHECK_STR(bl_str(bl_kind_name(BL_KIND_NULL)), "null");
	CHECK_STR(bl_str(bl_kind_name(BL_KIND_BOOLEAN)), "boolean");
	CHECK_STR(bl_str(bl_kind_name(BL_KIND_NUMBER)), "number");
	CHECK_STR(bl_str(bl_kind_name(BL_KIND_STRING)), "string");
	CHECK_STR(bl_str(bl_kind_name(BL_KIND_ARRAY)), "array");
	CHECK_STR(bl_str(bl_kind_name(BL_KIND_OBJECT)), "object");
	CHECK_STR(bl_str(bl_kind_name(BL_KIND_SET)), "set");
	CHECK_STR(bl_str(bl_kind_name(BL_KIND_COUNT)), "unknown");
	CHECK(bl_value_is_true(bl_value_boolean(true)));
	CHECK(!bl_value_is_true(bl_value_boolean(false)));
	CHECK(!bl_value_is_true(bl_value_integer(1)));
	CHECK_INT(bl_value_count(bl_value_string(BL_STR("abc"))), 0);
	CHECK_INT(bl_value_text(bl_value_null()).len, 0);
}

static void arrays(void)
{
	struct bl_value items[] = { bl_value_integer(3), bl_value_null() };
	struct bl_value array = bl_array_make(&arena, items, 2);

	items[0] = bl_value_null(); /* the array has a copy */
	CHECK_INT(bl_value_count(array), 2);
	CHECK(bl_value_equal(bl_value_item(array, 0), bl_value_integer(3)));
	CHECK(!bl_value_is_defined(bl_value_item(array, 2)));
	CHECK(!bl_value_is_defined(bl_value_item(bl_value_null(), 0)));
	CHECK(bl_value_is(bl_array_make(&arena, NULL, 0), BL_KIND_ARRAY));
}

static void sets(void)
{
	struct bl_value items[] = {
		bl_value_integer(5),
		bl_value_string(BL_STR("x")),
		bl_value_null(),
		bl_value_integer(1),
		bl_value_string(BL_STR("x")),
		bl_value_integer(5),
	};
	struct bl_value set = bl_set_make(&arena, items, BL_COUNT(items));
	struct bl_value five;

	REQUIRE(bl_value_count(set) == 4);
	CHECK(bl_value_is(bl_value_item(set, 0), BL_KIND_NULL));
	CHECK(bl_value_equal(bl_value_item(set, 1), bl_value_integer(1)));
	CHECK(bl_value_equal(bl_value_item(set, 2), bl_value_integer(5)));
	CHECK_STR(bl_value_text(bl_value_item(set, 3)), "x");
	REQUIRE(!bl_number_from_text(BL_STR("5.0"), &five));
	CHECK(bl_set_has(set, five));
	CHECK(bl_set_has(set, bl_value_null()));
	CHECK(!bl_set_has(set, bl_value_integer(2)));
	CHECK(!bl_set_has(bl_array_make(&arena, items, 1), items[0]));
	CHECK(!bl_set_has(bl_set_make(&arena, NULL, 0), items[0]));
}

static void large_sets(void)
{
	enum { COUNT = 1000 };
	static struct bl_value items[COUNT];
	struct bl_value set;

	for (int i = 0; i < COUNT; i++)
		items[i] = bl_value_integer(i * 37 % COUNT / 2);
	set = bl_set_make(&arena, items, COUNT);
	REQUIRE(bl_value_count(set) == COUNT / 2);
	for (int i = 0; i < COUNT / 2; i++)
		CHECK(bl_value_equal(bl_value_item(set, (size_t)i),
				     bl_value_integer(i)));
}

/* A value with a part of every kind, in other. */
static struct bl_value mixed(struct bl_arena *other)
{
	struct bl_value items[] = {
		bl_value_null(),
		bl_value_boolean(true),
		bl_value_integer(7),
		bl_value_printf(other, "%s-%d", "text", 1),
		bl_value_string(BL_STR("")),
		bl_array_make(other, NULL, 0),
		bl_object_make(other, NULL, 0, NULL),
		bl_number_from_double(other, 0.5),
	};
	struct bl_member members[20];
	char name[8];

	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "k%d", i);
		members[i].key = bl_value_printf(other, "%s", name);
		members[i].value =
			i % 2 ? bl_array_make(other, items, BL_COUNT(items))
			      : bl_set_make(other, items, BL_COUNT(items));
	}
	return bl_object_make(other, members, 20, NULL);
}

static void copies(void)
{
	struct bl_arena other;
	struct bl_value from, to, again;
	uint64_t hash;

	bl_arena_init(&other, NULL, 0, 0);
	from = mixed(&other);
	hash = bl_value_hash(from);
	to = bl_value_copy(&arena, from);
	CHECK(bl_value_equal(from, to));
	CHECK_INT(bl_object_find_index(to, bl_object_key(to, 13)), 13);
	bl_arena_clear(&other); /* nothing of the copy was there */
	CHECK(bl_value_hash(to) == hash);
	bl_arena_init(&other, NULL, 0, 0);
	again = mixed(&other);
	CHECK(bl_value_equal(again, to));
	bl_arena_clear(&other);
	CHECK(!bl_value_is_defined(
		bl_value_copy(&arena, bl_value_undefined())));
}

/* However much memory there is, a copy is whole or undefined. */
static void memory_out(void)
{
	static char room[16384];
	struct bl_value from = mixed(&arena);
	struct bl_arena small;
	size_t whole = 0, none = 0;

	for (size_t size = 0; size < sizeof(room); size += 24) {
		struct bl_value copy;

		bl_arena_init(&small, room, size, 1);
		copy = bl_value_copy(&small, from);
		if (bl_value_is_defined(copy)) {
			whole++;
			CHECK(bl_value_equal(copy, from));
		} else {
			none++;
			CHECK_STATUS(bl_arena_status(&small), BL_LIMIT);
		}
		bl_arena_clear(&small);
	}
	CHECK(whole > 0);
	CHECK(none > 0);
	bl_arena_init(&small, NULL, 0, 1);
	CHECK(!bl_value_is_defined(bl_array_make(&small, &from, 1)));
	CHECK(!bl_value_is_defined(bl_array_make(&small, &from, SIZE_MAX)));
	CHECK(!bl_value_is_defined(bl_set_make(&small, &from, 1)));
	CHECK(!bl_value_is_defined(bl_set_make(&small, &from, SIZE_MAX)));
	CHECK(!bl_value_is_defined(bl_value_printf(&small, "%d", 1)));
	bl_arena_clear(&small);
}

/* The order, which is given back, may be in another block than the set. */
static void set_across_blocks(void)
{
	struct bl_value items[40];

	for (size_t room = 64; room < 4096; room += 16) {
		static char first[4096];
		struct bl_arena small;
		struct bl_value set;

		bl_arena_init(&small, first, room, 0);
		for (size_t i = 0; i < BL_COUNT(items); i++)
			items[i] = bl_value_integer((int)(i * 7 % 10));
		set = bl_set_make(&small, items, BL_COUNT(items));
		REQUIRE(bl_value_count(set) == 10);
		CHECK(small.next <= small.end);
		CHECK((size_t)(small.end - small.next) <=
		      (small.blocks ? small.used_bytes : room));
		for (int i = 0; i < 10; i++)
			CHECK(bl_set_has(set, bl_value_integer(i)));
		bl_arena_clear(&small);
	}
}

static void shared_parts_weigh_each_time(void)
{
	struct bl_value value = bl_value_integer(1);
	struct bl_value pair[2];
	struct bl_array_builder list;
	uint64_t weight = 1;

	CHECK_INT(bl_value_weight(value), 1);
	CHECK_INT(bl_value_weight(bl_array_make(&arena, NULL, 0)), 1);
	/* Exact to nine bits, and never more than it is. */
	for (int i = 0; i < 30; i++) {
		pair[0] = pair[1] = value;
		if (i % 3 == 0)
			value = bl_array_make(&arena, pair, 2);
		else if (i % 3 == 1)
			value = bl_object_make(
				&arena,
				&(struct bl_member){ bl_value_integer(0),
						     value },
				1, NULL);
		else
			value = bl_set_make(&arena, pair, 2);
		weight = 1 + (i % 3 == 0   ? 2 * weight
			      : i % 3 == 1 ? 1 + weight
					   : weight);
		CHECK(bl_value_weight(value) <= weight);
		CHECK(bl_value_weight(value) >= weight - weight / 32);
	}
	CHECK_INT(bl_value_weight(bl_value_copy(&arena, value)),
		  bl_value_weight(value));
	bl_array_builder_init(&list, &arena);
	for (int i = 0; i < 100; i++)
		bl_array_builder_add(&list, bl_value_integer(i));
	CHECK_INT(bl_value_weight(bl_array_builder_end(&list)), 101);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(kinds);
	RUN(arrays);
	RUN(sets);
	RUN(large_sets);
	RUN(copies);
	RUN(memory_out);
	RUN(set_across_blocks);
	bl_arena_clear(&arena);
	RUN(shared_parts_weigh_each_time);
	return tap_end();
}
