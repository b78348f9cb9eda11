/* SPDX-License-Identifier: Apache-2.0 */
/* YAML documents to values, places and failures. */
#include "tap.h"
#include "yaml/yaml.h"

static char memory[1 << 16];
static struct bl_arena arena;
static struct bl_error error;
static uint32_t line;

static struct bl_value read_text(const char *text, enum bl_status expected)
{
	struct bl_value value = { 0 };

	bl_arena_clear(&arena);
	bl_arena_init(&arena, memory, sizeof(memory), 0);
	CHECK_STATUS(
		bl_yaml_read(&arena, bl_str(text), &value, &line, NULL, &error),
		expected);
	return value;
}

static struct bl_value at(struct bl_value object, const char *key)
{
	return bl_object_find(object, bl_str(key));
}

static void collections(void)
{
	struct bl_value value = read_text("a: [1, two, true]\n"
					  "b:\n"
					  "  c: 'x'\n"
					  "  3: null\n"
					  "  yes: 1\n",
					  BL_OK);
	struct bl_value list = at(value, "a");
	struct bl_value inner = at(value, "b");

	CHECK_INT(bl_value_count(value), 2);
	CHECK_INT(bl_value_count(list), 3);
	CHECK(bl_value_equal(bl_value_item(list, 0), bl_value_integer(1)));
	CHECK_STR(bl_value_text(bl_value_item(list, 1)), "two");
	CHECK(bl_value_is_true(bl_value_item(list, 2)));
	CHECK_STR(bl_value_text(at(inner, "c")), "x");
	CHECK(bl_value_is(at(inner, "3"), BL_KIND_NULL));
	/* A boolean of YAML 1.1, a text of 1.2 and of OPA. */
	CHECK(bl_value_equal(at(inner, "yes"), bl_value_integer(1)));
	CHECK(bl_value_is(read_text("", BL_OK), BL_KIND_NULL));
}

static void anchors_and_merges(void)
{
	struct bl_value value = read_text("base: &b {x: 1, z: 2}\n"
					  "one:\n"
					  "  <<: *b\n"
					  "  z: 3\n",
					  BL_OK);
	struct bl_value one = at(value, "one");

	CHECK(bl_value_equal(at(one, "x"), bl_value_integer(1)));
	CHECK(bl_value_equal(at(one, "z"), bl_value_integer(3)));
}

static void failures(void)
{
	char deep[1203];

	read_text("a: [1\nb: 2\n", BL_SYNTAX);
	CHECK_INT(line, 1);
	CHECK_STR(bl_str_slice(bl_str(error.message), 0, 13), "yaml: line 1:");
	read_text("a: *nobody\n", BL_SYNTAX);
	CHECK_STR(bl_str(error.message),
		  "yaml: unknown anchor 'nobody' referenced");
	read_text("a: .inf\n", BL_SYNTAX);
	memset(deep, '[', 600);
	memset(deep + 600, ']', 600);
	deep[1200] = 0;
	read_text(deep, BL_LIMIT);
	CHECK_INT(error.status, BL_LIMIT);
	read_text("a: &a [x,x,x,x,x,x,x,x,x,x]\n"
		  "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
		  "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
		  "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
		  "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
		  "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
		  BL_LIMIT);
}

static void out_of_memory(void)
{
	struct bl_arena small;
	struct bl_value value;

	bl_arena_init(&small, NULL, 0, 16);
	CHECK_STATUS(bl_yaml_read(&small, BL_STR("a: [b, c]"), &value, NULL,
				  NULL, &error),
		     BL_LIMIT);
	bl_arena_clear(&small);
}

static void places(void)
{
	const struct bl_yaml_places *where;
	struct bl_value value;
	struct bl_place place;

	bl_arena_clear(&arena);
	bl_arena_init(&arena, memory, sizeof(memory), 0);
	REQUIRE(!bl_yaml_read(&arena, BL_STR("a: 1\nb:\n  - 'x'\n"), &value,
			      NULL, &where, &error));
	place = bl_yaml_place(where, bl_object_key(value, 1));
	CHECK_INT(place.line, 2);
	CHECK_INT(place.column, 1);
	place = bl_yaml_place(where, bl_value_item(at(value, "b"), 0));
	CHECK_INT(place.line, 3);
	CHECK_INT(place.column, 5);
	CHECK_INT(bl_yaml_place(where, bl_value_integer(1)).line, 0);
}

int main(void)
{
	bl_arena_init(&arena, memory, sizeof(memory), 0);
	RUN(collections);
	RUN(anchors_and_merges);
	RUN(failures);
	RUN(out_of_memory);
	RUN(places);
	bl_arena_clear(&arena);
	return tap_end();
}
