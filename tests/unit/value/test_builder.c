/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "value/value.h"

static void objects(void)
{
	struct bl_object_builder builder;
	struct bl_arena arena;
	struct bl_value object;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_object_builder_init(&builder, &arena);
	object = bl_object_builder_end(&builder);
	CHECK(bl_value_is(object, BL_KIND_OBJECT));
	CHECK_INT(bl_value_count(object), 0);
	for (int i = 0; i < 100; i++) {
		struct bl_str key = bl_arena_printf(&arena, "key%d", i);

		bl_object_builder_add(&builder, key, bl_value_integer(i));
	}
	bl_object_builder_add(&builder, BL_STR("no"), bl_value_undefined());
	bl_object_builder_add(&builder, BL_STR("key5"), bl_value_null());
	object = bl_object_builder_end(&builder);
	CHECK_INT(bl_value_count(object), 100);
	CHECK_STR(bl_value_text(bl_object_key(object, 99)), "key99");
	CHECK(bl_value_equal(bl_object_find(object, BL_STR("key42")),
			     bl_value_integer(42)));
	CHECK(bl_value_is(bl_object_find(object, BL_STR("key5")),
			  BL_KIND_NULL));
	CHECK(!bl_value_is_defined(bl_object_find(object, BL_STR("no"))));
	bl_arena_clear(&arena);
}

static void arrays(void)
{
	struct bl_array_builder builder;
	struct bl_arena arena;
	struct bl_value array;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_array_builder_init(&builder, &arena);
	array = bl_array_builder_end(&builder);
	CHECK(bl_value_is(array, BL_KIND_ARRAY));
	CHECK_INT(bl_value_count(array), 0);
	for (int i = 0; i < 100; i++)
		bl_array_builder_add(&builder, bl_value_integer(i));
	array = bl_array_builder_end(&builder);
	REQUIRE(bl_value_count(array) == 100);
	for (int i = 0; i < 100; i++)
		CHECK(bl_value_equal(bl_value_item(array, (size_t)i),
				     bl_value_integer(i)));
	bl_arena_clear(&arena);
}

static void memory_out(void)
{
	struct bl_object_builder objects_of;
	struct bl_array_builder arrays_of;
	struct bl_arena small;

	bl_arena_init(&small, NULL, 0, 1024);
	bl_object_builder_init(&objects_of, &small);
	for (int i = 0; i < 100; i++)
		bl_object_builder_add(&objects_of, BL_STR("k"),
				      bl_value_null());
	CHECK(!bl_value_is_defined(bl_object_builder_end(&objects_of)));
	bl_arena_clear(&small);
	bl_array_builder_init(&arrays_of, &small);
	for (int i = 0; i < 100; i++)
		bl_array_builder_add(&arrays_of, bl_value_null());
	CHECK(!bl_value_is_defined(bl_array_builder_end(&arrays_of)));
	CHECK_STATUS(bl_arena_status(&small), BL_LIMIT);
	bl_arena_clear(&small);
}

/* Room for a known number is one piece, and is not left when there are more. */
static void room_is_reserved(void)
{
	static const char keys[] = "abc";
	struct bl_arena arena, small;
	struct bl_object_builder object;
	struct bl_array_builder array;
	size_t before;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_arena_init(&small, NULL, 0, 1000);
	bl_array_builder_init(&array, &arena);
	bl_array_builder_reserve(&array, 2);
	before = bl_arena_position(&arena);
	bl_array_builder_add(&array, bl_value_integer(0));
	bl_array_builder_add(&array, bl_value_integer(1));
	CHECK_INT(bl_arena_position(&arena), before);
	bl_array_builder_add(&array, bl_value_integer(2));
	CHECK_INT(bl_value_count(bl_array_builder_end(&array)), 3);
	bl_object_builder_init(&object, &arena);
	bl_object_builder_reserve(&object, 2);
	for (size_t i = 0; i < 3; i++)
		bl_object_builder_add(&object, (struct bl_str){ &keys[i], 1 },
				      bl_value_integer(1));
	CHECK_INT(bl_value_count(bl_object_builder_end(&object)), 3);
	bl_object_builder_init(&object, &small);
	bl_object_builder_reserve(&object, SIZE_MAX / 16);
	CHECK(!bl_value_is_defined(bl_object_builder_end(&object)));
	bl_array_builder_init(&array, &small);
	bl_array_builder_reserve(&array, 1000);
	CHECK(!bl_value_is_defined(bl_array_builder_end(&array)));
	bl_arena_clear(&small);
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(objects);
	RUN(arrays);
	RUN(memory_out);
	RUN(room_is_reserved);
	return tap_end();
}
