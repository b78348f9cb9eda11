/* SPDX-License-Identifier: Apache-2.0 */
/* lib/value/merge.c: whose member counts, how deep, and in which order. */
#include "json/json.h"
#include "tap.h"
#include "value/value.h"

static struct bl_arena arena;

static struct bl_value json(const char *text)
{
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_json_read(&arena, bl_str(text), NULL, &value, NULL,
				  NULL, NULL),
		     BL_OK);
	return value;
}

static const struct {
	const char *a;
	const char *b;
	struct bl_merge way;
	enum bl_status status;
	const char *made;
} rows[] = {
	{ "{\"b\":1,\"a\":2}",
	  "{\"c\":3,\"a\":4}",
	  { BL_MERGE_FIRST, 9 },
	  BL_OK,
	  "{\"b\":1,\"a\":2,\"c\":3}" },
	{ "{\"b\":1,\"a\":2}",
	  "{\"c\":3,\"a\":4}",
	  { BL_MERGE_SECOND, 9 },
	  BL_OK,
	  "{\"b\":1,\"a\":4,\"c\":3}" },
	{ "{\"a\":{\"x\":1}}",
	  "{\"a\":{\"y\":2}}",
	  { BL_MERGE_AGREE, 9 },
	  BL_OK,
	  "{\"a\":{\"x\":1,\"y\":2}}" },
	{ "{\"a\":{\"x\":1}}",
	  "{\"a\":{\"x\":1.0}}",
	  { BL_MERGE_AGREE, 9 },
	  BL_OK,
	  "{\"a\":{\"x\":1}}" },
	{ "{\"a\":{\"x\":1}}",
	  "{\"a\":{\"x\":2}}",
	  { BL_MERGE_AGREE, 9 },
	  BL_EXISTS,
	  NULL },
	{ "{\"a\":{\"x\":1}}",
	  "{\"a\":3}",
	  { BL_MERGE_SECOND, 9 },
	  BL_OK,
	  "{\"a\":3}" },
	{ "[1]", "{\"a\":3}", { BL_MERGE_FIRST, 9 }, BL_OK, "[1]" },
	{ "{\"a\":{\"x\":1}}",
	  "{\"a\":{\"y\":2}}",
	  { BL_MERGE_SECOND, 1 },
	  BL_LIMIT,
	  NULL },
	{ "{\"a\":{\"x\":1}}",
	  "{\"a\":{\"y\":2}}",
	  { BL_MERGE_SECOND | BL_MERGE_WHOLE, 1 },
	  BL_OK,
	  "{\"a\":{\"y\":2}}" },
	{ "{}",
	  "{\"a\":{\"y\":2}}",
	  { BL_MERGE_FIRST, 1 },
	  BL_OK,
	  "{\"a\":{\"y\":2}}" },
};

static void merges(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bl_value made = bl_value_undefined();
		struct bl_buf text;

		CHECK_STATUS(bl_value_merge(&arena, json(rows[i].a),
					    json(rows[i].b), rows[i].way,
					    &made),
			     rows[i].status);
		if (!rows[i].made) {
			CHECK(!bl_value_is_defined(made));
			continue;
		}
		bl_buf_init(&text, 0);
		bl_json_write(&text, made, BL_JSON_COMPACT);
		CHECK_STR(bl_buf_str(&text), rows[i].made);
		bl_buf_clear(&text);
	}
}

static void undefined(void)
{
	static const struct bl_merge first = { BL_MERGE_FIRST, 1 };
	static const struct bl_merge second = { BL_MERGE_SECOND, 1 };
	struct bl_value made;

	CHECK_STATUS(bl_value_merge(&arena, bl_value_undefined(), json("1"),
				    first, &made),
		     BL_OK);
	CHECK(bl_value_equal(made, json("1")));
	CHECK_STATUS(bl_value_merge(&arena, json("2"), bl_value_undefined(),
				    second, &made),
		     BL_OK);
	CHECK(bl_value_equal(made, json("2")));
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 1 << 20);
	RUN(merges);
	RUN(undefined);
	bl_arena_clear(&arena);
	return tap_end();
}
