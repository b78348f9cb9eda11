/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"
#include "tap.h"

static struct bl_arena arena;

static struct bl_value parse(const char *text)
{
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_json_read(&arena, bl_str(text), NULL, &value, NULL,
				  NULL, NULL),
		     BL_OK);
	return value;
}

static void check_written(struct bl_value value, enum bl_json_style style,
			  const char *expected)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_json_write(&buf, value, style);
	CHECK_STATUS(bl_buf_status(&buf), BL_OK);
	CHECK_STR(bl_buf_str(&buf), expected);
	bl_buf_clear(&buf);
}

static const char sample[] = " { \"b\" : [ 1.0 , -0, 1e3,[ ], { } ] ,"
			     "\"a\":{ \"y\":null,\"x\":true}, \"c\":false } ";

static void compact(void)
{
	check_written(parse(sample), BL_JSON_COMPACT,
		      "{\"b\":[1.0,-0,1e3,[],{}],\"a\":{\"y\":null,\"x\":true},"
		      "\"c\":false}");
}

static void pretty(void)
{
	check_written(parse(sample), BL_JSON_PRETTY,
		      "{\n  \"b\": [\n    1.0,\n    -0,\n    1e3,\n    [],\n"
		      "    {}\n  ],\n  \"a\": {\n    \"y\": null,\n"
		      "    \"x\": true\n  },\n  \"c\": false\n}");
	check_written(parse("[]"), BL_JSON_PRETTY, "[]");
}

static void canonical(void)
{
	check_written(parse(sample), BL_JSON_CANONICAL,
		      "{\"a\":{\"x\":true,\"y\":null},\"b\":[1,0,1000,[],{}],"
		      "\"c\":false}");
}

static void strings(void)
{
	static const struct {
		struct bl_str text;
		const char *json;
	} cases[] = {
		{ { NULL, 0 }, "\"\"" },
		{ { "plain", 5 }, "\"plain\"" },
		{ { "\"\\/\b\f\n\r\t", 8 }, "\"\\\"\\\\/\\b\\f\\n\\r\\t\"" },
		{ { "\0\x01\x1f\x7f", 4 }, "\"\\u0000\\u0001\\u001f\x7f\"" },
		{ { "\xC3\xA9\xF0\x9F\x98\x80", 6 },
		  "\"\xC3\xA9\xF0\x9F\x98\x80\"" },
		/* Impossible values: still JSON. */
		{ { "a\xFFz", 3 }, "\"a\xEF\xBF\xBDz\"" },
		{ { "\xC3", 1 }, "\"\xEF\xBF\xBD\"" },
		{ { "0123456789abcdefgh\n", 19 }, "\"0123456789abcdefgh\\n\"" },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++)
		check_written(bl_value_string(cases[i].text), BL_JSON_COMPACT,
			      cases[i].json);
}

static void beyond_json(void)
{
	struct bl_value items[] = { bl_value_integer(2), bl_value_integer(1),
				    bl_value_integer(2) };
	struct bl_value array = bl_array_make(&arena, items, 2);
	struct bl_value text = bl_value_string(BL_STR("q\""));
	struct bl_member members[] = {
		{ bl_array_make(&arena, &text, 1), bl_value_undefined() },
		{ bl_value_integer(7), array },
	};
	struct bl_value object = bl_object_make(&arena, members, 2, NULL);

	check_written(bl_set_make(&arena, items, 3), BL_JSON_COMPACT, "[1,2]");
	check_written(bl_value_undefined(), BL_JSON_COMPACT, "null");
	check_written(object, BL_JSON_COMPACT,
		      "{\"[\\\"q\\\\\\\"\\\"]\":null,\"7\":[2,1]}");
	check_written(object, BL_JSON_CANONICAL,
		      "{\"7\":[2,1],\"[\\\"q\\\\\\\"\\\"]\":null}");
	check_written(
		object, BL_JSON_PRETTY,
		"{\n  \"[\\\"q\\\\\\\"\\\"]\": null,\n  \"7\": [\n    2,\n"
		"    1\n  ]\n}");
}

static void limits(void)
{
	struct bl_member member = { bl_value_integer(1234567),
				    bl_value_null() };
	struct bl_buf buf;

	bl_buf_init(&buf, 10);
	bl_json_write(&buf, parse("[1,2,3,4,5]"), BL_JSON_COMPACT);
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	CHECK(buf.len <= 10);
	bl_buf_clear(&buf);
	bl_buf_init(&buf, 4);
	bl_json_write(&buf, bl_object_make(&arena, &member, 1, NULL),
		      BL_JSON_COMPACT);
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	bl_buf_clear(&buf);
}

static void deep_values(void)
{
	struct bl_value v = bl_value_null();
	struct bl_buf buf;

	for (int i = 0; i < BL_JSON_MAX_DEPTH; i++) {
		struct bl_member member = { bl_value_string(BL_STR("k")), v };

		v = i % 2 ? bl_object_make(&arena, &member, 1, NULL)
			  : bl_array_make(&arena, &v, 1);
	}
	bl_buf_init(&buf, 0);
	bl_json_write(&buf, v, BL_JSON_COMPACT);
	CHECK_STATUS(bl_buf_status(&buf), BL_OK);
	CHECK_INT(buf.len, 8 * (BL_JSON_MAX_DEPTH / 2) + 4);
	bl_buf_reset(&buf);
	bl_json_write(&buf, v, BL_JSON_CANONICAL);
	CHECK_INT(buf.len, 8 * (BL_JSON_MAX_DEPTH / 2) + 4);
	bl_buf_clear(&buf);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(compact);
	RUN(pretty);
	RUN(canonical);
	RUN(strings);
	RUN(beyond_json);
	RUN(limits);
	RUN(deep_values);
	bl_arena_clear(&arena);
	return tap_end();
}
