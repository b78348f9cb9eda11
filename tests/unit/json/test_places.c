/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"
#include "tap.h"

static struct bl_arena arena;

static struct bl_value read_places(struct bl_str text,
				   struct bl_json_places **places)
{
	struct bl_json_options options = { .out_places = places,
					   .allow_comments = true };
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(
		bl_json_read(&arena, text, &options, &value, NULL, NULL, NULL),
		BL_OK);
	return value;
}

#define CHECK_PLACE(actual, want_line, want_column, want_offset)               \
	do {                                                                   \
		struct bl_place at = (actual);                                 \
		CHECK_INT(at.line, want_line);                                 \
		CHECK_INT(at.column, want_column);                             \
		CHECK_INT(at.offset, want_offset);                             \
	} while (0)

static void members_and_items(void)
{
	struct bl_json_places *places = NULL;
	struct bl_value root = read_places(
		BL_STR("// c\n{\n \"a\": [10,\n  20],\n \"\\u0062\" : {}}"),
		&places);
	struct bl_value list = bl_object_find(root, BL_STR("a"));

	REQUIRE(places);
	CHECK_PLACE(bl_json_root_place(places), 2, 1, 5);
	CHECK_PLACE(bl_json_key_place(places, root, 0), 3, 2, 8);
	CHECK_PLACE(bl_json_value_place(places, root, 0), 3, 7, 13);
	CHECK_PLACE(bl_json_key_place(places, root, 1), 5, 2, 26);
	CHECK_PLACE(bl_json_value_place(places, root, 1), 5, 13, 37);
	CHECK_PLACE(bl_json_value_place(places, list, 0), 3, 8, 14);
	CHECK_PLACE(bl_json_value_place(places, list, 1), 4, 3, 20);
}

static void not_known(void)
{
	struct bl_json_places *places = NULL;
	struct bl_value root =
		read_places(BL_STR("{\"a\":[],\"b\":[1]}"), &places);
	struct bl_value one = bl_value_integer(1);

	REQUIRE(places);
	CHECK_INT(bl_json_key_place(places, root, 2).line, 0);
	CHECK_INT(bl_json_value_place(places, root, 2).line, 0);
	CHECK_INT(bl_json_value_place(places, bl_object_value(root, 0), 0).line,
		  0);
	CHECK_INT(bl_json_key_place(places, bl_object_value(root, 1), 0).line,
		  0);
	CHECK_INT(bl_json_value_place(places, one, 0).line, 0);
	CHECK_INT(bl_json_value_place(places, bl_array_make(&arena, &one, 1), 0)
			  .line,
		  0);
	read_places(BL_STR(" 5"), &places);
	CHECK_PLACE(bl_json_root_place(places), 1, 2, 1);
	CHECK_INT(bl_json_value_place(places, root, 0).line, 0);
}

/* The place of the first key and of the value that counted. */
static void repeated_keys(void)
{
	struct bl_json_places *places = NULL;
	struct bl_value root = read_places(
		BL_STR("{\"a\":1,\n\"b\":2,\n\"a\":3,\n\"a\":4}"), &places);

	REQUIRE(places);
	REQUIRE(bl_value_count(root) == 2);
	CHECK_PLACE(bl_json_key_place(places, root, 0), 1, 2, 1);
	CHECK_PLACE(bl_json_value_place(places, root, 0), 4, 5, 26);
	CHECK_PLACE(bl_json_key_place(places, root, 1), 2, 1, 8);
	CHECK_PLACE(bl_json_value_place(places, root, 1), 2, 5, 12);
}

static void many_containers(void)
{
	enum { COUNT = 1000 };
	struct bl_json_places *places = NULL;
	struct bl_value root;
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_buf_puts(&buf, "[");
	for (int i = 0; i < COUNT; i++)
		bl_buf_puts(&buf, i ? ",\n{\"k\":[7]}" : "\n{\"k\":[7]}");
	bl_buf_puts(&buf, "]");
	root = read_places(bl_buf_str(&buf), &places);
	REQUIRE(bl_value_count(root) == COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		struct bl_value object = bl_value_item(root, i);
		struct bl_value list = bl_object_value(object, 0);

		CHECK_INT(bl_json_value_place(places, root, i).line, i + 2);
		CHECK_INT(bl_json_key_place(places, object, 0).line, i + 2);
		CHECK_INT(bl_json_value_place(places, list, 0).line, i + 2);
		CHECK_INT(bl_json_value_place(places, list, 0).column, 7);
	}
	bl_buf_clear(&buf);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(members_and_items);
	RUN(not_known);
	RUN(repeated_keys);
	RUN(many_containers);
	bl_arena_clear(&arena);
	return tap_end();
}
