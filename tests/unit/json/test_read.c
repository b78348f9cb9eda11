/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "json/json.h"
#include "tap.h"

static struct bl_arena arena;

static struct bl_value read_ok(struct bl_str text,
			       const struct bl_json_options *options,
			       struct bl_json_report *report)
{
	struct bl_value value = bl_value_undefined();
	struct bl_place place = { 0 };
	struct bl_error err = { 0 };

	CHECK_STATUS(bl_json_read(&arena, text, options, &value, report, &place,
				  &err),
		     BL_OK);
	if (!bl_value_is_defined(value))
		TAP_NOTE("%u:%u: %s", place.line, place.column, err.message);
	return value;
}

static struct bl_value strict(const char *text)
{
	return read_ok(bl_str(text), NULL, NULL);
}

static void kinds_of_values(void)
{
	struct bl_value v = strict(" {\"n\":null,\"t\":true,\"f\":false,"
				   "\"i\":-12,\"d\":1.50,\"s\":\"x\","
				   "\"a\":[1,[]],\"o\":{\"\":0}} ");
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	CHECK_INT(bl_value_count(v), 8);
	CHECK(bl_value_is(bl_object_find(v, BL_STR("n")), BL_KIND_NULL));
	CHECK(bl_value_is_true(bl_object_find(v, BL_STR("t"))));
	CHECK(bl_value_equal(bl_object_find(v, BL_STR("f")),
			     bl_value_boolean(false)));
	CHECK(bl_value_equal(bl_object_find(v, BL_STR("i")),
			     bl_value_integer(-12)));
	bl_number_put(&buf, bl_object_find(v, BL_STR("d")));
	CHECK_STR(bl_buf_str(&buf), "1.50");
	CHECK_STR(bl_value_text(bl_object_find(v, BL_STR("s"))), "x");
	CHECK_INT(bl_value_count(bl_object_find(v, BL_STR("a"))), 2);
	CHECK(bl_value_equal(
		bl_object_find(bl_object_find(v, BL_STR("o")), BL_STR("")),
		bl_value_integer(0)));
	CHECK_STR(bl_value_text(bl_object_key(v, 6)), "a");
	bl_buf_clear(&buf);
}

static void strings(void)
{
	static const struct {
		const char *json;
		struct bl_str text;
	} cases[] = {
		{ "\"\"", { "", 0 } },
		{ "\"plain\"", { "plain", 5 } },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", { "\"\\/\b\f\n\r\t", 8 } },
		{ "\"a\\u0000b\"", { "a\0b", 3 } },
		{ "\"\\u0041\\u00e9\\u20AC\"", { "A\xC3\xA9\xE2\x82\xAC", 6 } },
		{ "\"\\ud83d\\ude00!\"", { "\xF0\x9F\x98\x80!", 5 } },
		{ "\"0123456789abcdef\\n0123456789abcdef\"",
		  { "0123456789abcdef\n0123456789abcdef", 33 } },
		{ "\"\xC3\xA9\\u00e9\"", { "\xC3\xA9\xC3\xA9", 4 } },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_value v = strict(cases[i].json);

		CHECK(bl_value_is(v, BL_KIND_STRING));
		CHECK(bl_str_equal(bl_value_text(v), cases[i].text));
	}
}

static void no_copies(void)
{
	static const char text[] = "[\"borrowed\",1.25]";
	struct bl_value v = strict(text);

	CHECK(bl_value_text(bl_value_item(v, 0)).ptr == text + 2);
}

static void lone_surrogates(void)
{
	static const struct {
		const char *json;
		const char *text;
	} cases[] = {
		{ "\"\\ud800\"", "\xEF\xBF\xBD" },
		{ "\"\\udc00\"", "\xEF\xBF\xBD" },
		{ "\"\\ud800\\ud800\"", "\xEF\xBF\xBD\xEF\xBF\xBD" },
		{ "\"\\ud800\\u0041\"", "\xEF\xBF\xBD"
					"A" },
		{ "\"\\ud800\\ud83d\\ude00\"", "\xEF\xBF\xBD\xF0\x9F\x98\x80" },
		{ "\"\\ud800\\n\"", "\xEF\xBF\xBD\n" },
	};
	struct bl_json_report report;

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_value v =
			read_ok(bl_str(cases[i].json), NULL, &report);

		CHECK_STR(bl_value_text(v), cases[i].text);
		CHECK(report.had_lone_surrogate);
	}
	read_ok(BL_STR("\"\\ud83d\\ude00\""), NULL, &report);
	CHECK(!report.had_lone_surrogate);
}

static void repeated_keys(void)
{
	struct bl_json_report report;
	struct bl_value v = read_ok(
		BL_STR("{\"a\":1,\n \"b\":2, \"\\u0061\":3,\n\"b\":4,\"a\":5}"),
		NULL, &report);

	CHECK_INT(bl_value_count(v), 2);
	CHECK_STR(bl_value_text(bl_object_key(v, 0)), "a");
	CHECK(bl_value_equal(bl_object_value(v, 0), bl_value_integer(5)));
	CHECK(bl_value_equal(bl_object_value(v, 1), bl_value_integer(4)));
	CHECK_INT(report.repeated_key_count, 3);
	CHECK_STR(report.repeated_key, "a");
	CHECK_INT(report.repeated_place.line, 2);
	CHECK_INT(report.repeated_place.column, 9);
	CHECK_INT(report.repeated_place.offset, 16);
	read_ok(BL_STR("{\"a\":1}"), NULL, &report);
	CHECK_INT(report.repeated_key_count, 0);
}

static void messages(void)
{
	static const struct {
		const char *json;
		uint32_t line;
		uint32_t column;
		const char *message;
	} cases[] = {
		{ "", 1, 1, "the end of the text, where a value was expected" },
		{ " \n ", 2, 2,
		  "the end of the text, where a value was expected" },
		{ "[1,]", 1, 3,
		  "a comma before ']' (trailing commas are not JSON)" },
		{ "{\"a\":1,\n}", 1, 7,
		  "a comma before '}' (trailing commas are not JSON)" },
		{ "{\"a\" 1}", 1, 6,
		  "'1', where ':' after a key was expected" },
		{ "{\"a\":}", 1, 6, "'}', where a value was expected" },
		{ "{a:1}", 1, 2,
		  "'a', where a key in double quotes or '}' was expected" },
		{ "{\"a\":1,b:2}", 1, 8,
		  "'b', where a key in double quotes was expected" },
		{ "{\"a\":1 \"b\":2}", 1, 8,
		  "'\"', where ',' or '}' was expected" },
		{ "[1\n2]", 2, 1, "'2', where ',' or ']' was expected" },
		{ "['a']", 1, 2, "a single quote, where a value was expected" },
		{ "1 2", 1, 3, "'2', where the end of the text was expected" },
		{ "nul", 1, 1, "'n', where a value was expected" },
		{ "// x\n1", 1, 1, "'/', where a value was expected" },
		{ "01", 1, 1, "a number that starts with a needless 0" },
		{ "-x", 1, 2, "'x', where a digit of a number was expected" },
		{ "1.", 1, 3,
		  "the end of the text, where a digit after the decimal point "
		  "was expected" },
		{ "1e+", 1, 4,
		  "the end of the text, where a digit of the exponent was "
		  "expected" },
		{ "\"abc", 1, 1, "a string that is not closed with '\"'" },
		{ "\"a\\", 1, 1, "a string that is not closed with '\"'" },
		{ "\"a\tb\"", 1, 3,
		  "control character U+0009 in a string (it must be escaped)" },
		{ "\"\\x\"", 1, 2,
		  "a backslash before 'x', which is not an escape" },
		{ "\"\\u12g4\"", 1, 2,
		  "\\u without four hexadecimal digits after it" },
		{ "\"a\xFF\"", 1, 3, "byte 0xFF is not UTF-8" },
		{ "[\xFF]", 1, 2, "byte 0xFF, where a value was expected" },
		{ "[\xC2\xA0]", 1, 2, "U+00A0, where a value was expected" },
		{ "\xEF\xBB\xBF{}", 1, 1,
		  "a byte order mark (U+FEFF) before the value" },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_place place = { 0 };
		struct bl_error err = { 0 };
		struct bl_value v;

		CHECK_STATUS(bl_json_read(&arena, bl_str(cases[i].json), NULL,
					  &v, NULL, &place, &err),
			     BL_SYNTAX);
		CHECK_STATUS(err.status, BL_SYNTAX);
		CHECK_STR(bl_str(err.message), cases[i].message);
		CHECK_INT(place.line, cases[i].line);
		CHECK_INT(place.column, cases[i].column);
	}
	CHECK_STATUS(
		bl_json_read(&arena, BL_STR("?"), NULL, NULL, NULL, NULL, NULL),
		BL_SYNTAX);
	CHECK_STATUS(bl_json_read(&arena, (struct bl_str){ NULL, 0 }, NULL,
				  NULL, NULL, NULL, NULL),
		     BL_SYNTAX);
}

static void comments_and_bom(void)
{
	struct bl_json_options options = { .allow_comments = true,
					   .allow_bom = true };
	struct bl_json_report report;
	struct bl_place place;
	struct bl_error err;
	struct bl_value v = read_ok(BL_STR("\xEF\xBB\xBF// one\n{/* two */"
					   "\"//\":[1,/**/2]} // end"),
				    &options, &report);

	CHECK(report.had_bom);
	CHECK(report.had_comments);
	CHECK_INT(bl_value_count(bl_object_find(v, BL_STR("//"))), 2);
	read_ok(BL_STR("\"/* */\""), &options, &report);
	CHECK(!report.had_bom);
	CHECK(!report.had_comments);
	CHECK_STATUS(bl_json_read(&arena, BL_STR("[1,\n /* 2]"), &options, &v,
				  NULL, &place, &err),
		     BL_SYNTAX);
	CHECK_STR(bl_str(err.message), "a comment that is not closed with */");
	CHECK_INT(place.line, 2);
	CHECK_INT(place.column, 2);
	CHECK_STATUS(bl_json_read(&arena, BL_STR("1 // \xC3("), &options, &v,
				  NULL, &place, &err),
		     BL_SYNTAX);
	CHECK_STR(bl_str(err.message), "byte 0xC3 is not UTF-8 (in a comment)");
	CHECK_INT(place.column, 6);
	CHECK_STATUS(bl_json_read(&arena, BL_STR("1 /x"), &options, &v, NULL,
				  &place, &err),
		     BL_SYNTAX);
}

/* depth levels of arrays. */
static char *nested(size_t depth)
{
	char *text = malloc(2 * depth + 1);

	if (text) {
		memset(text, '[', depth);
		memset(text + depth, ']', depth);
		text[2 * depth] = '\0';
	}
	return text;
}

static void check_depth(size_t depth, uint32_t max, enum bl_status expected)
{
	struct bl_json_options options = { .max_depth = max };
	char *text = nested(depth);
	struct bl_place place;
	struct bl_error err;
	struct bl_value v;

	REQUIRE(text);
	CHECK_STATUS(bl_json_read(&arena, bl_str(text), &options, &v, NULL,
				  &place, &err),
		     expected);
	if (expected)
		CHECK_INT(place.offset, depth - 1);
	free(text);
}

static void limits(void)
{
	struct bl_json_options options = { .max_bytes = 4 };
	struct bl_place place;
	struct bl_error err;
	struct bl_value v;

	check_depth(BL_JSON_DEFAULT_DEPTH, 0, BL_OK);
	check_depth(BL_JSON_DEFAULT_DEPTH + 1, 0, BL_LIMIT);
	check_depth(3, 3, BL_OK);
	check_depth(4, 3, BL_LIMIT);
	check_depth(BL_JSON_MAX_DEPTH, BL_JSON_MAX_DEPTH, BL_OK);
	check_depth(BL_JSON_MAX_DEPTH + 1, UINT32_MAX, BL_LIMIT);
	CHECK_STATUS(bl_json_read(&arena, BL_STR("1234"), &options, &v, NULL,
				  &place, &err),
		     BL_OK);
	CHECK_STATUS(bl_json_read(&arena, BL_STR("12345"), &options, &v, NULL,
				  &place, &err),
		     BL_LIMIT);
	CHECK_STR(bl_str(err.message), "a text of more than 4 bytes");
	CHECK_STATUS(bl_json_read(&arena, BL_STR("[1, 1e1000001]"), NULL, &v,
				  NULL, &place, &err),
		     BL_LIMIT);
	CHECK_INT(place.column, 5);
	check_depth(5, 4, BL_LIMIT);
}

/* Many values at once, on a heap of the reader's own. */
static void many_values(void)
{
	enum { COUNT = 5000 };
	struct bl_value v;
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	for (int i = 0; i < COUNT; i++)
		bl_buf_printf(&buf, "%s{\"k\":[%d]}", i ? "," : "[", i);
	bl_buf_puts(&buf, "]");
	v = read_ok(bl_buf_str(&buf), NULL, NULL);
	REQUIRE(bl_value_count(v) == COUNT);
	for (int i = 0; i < COUNT; i++) {
		struct bl_value list = bl_object_find(
			bl_value_item(v, (size_t)i), BL_STR("k"));

		CHECK(bl_value_equal(bl_value_item(list, 0),
				     bl_value_integer(i)));
	}
	bl_buf_clear(&buf);
}

/* However little memory there is, the reader says so. */
static void memory_out(void)
{
	const struct bl_str text = BL_STR(
		"{\"a\":[1,2,{\"x\\n\":\"esc\\u0061pe\"}],\"a\":[[],[3]]}");
	static char room[4096];
	size_t read = 0, refused = 0;

	for (size_t size = 0; size < sizeof(room); size += 8) {
		struct bl_json_places *places = NULL;
		struct bl_json_options options = { .out_places = &places };
		struct bl_error err = { 0 };
		struct bl_arena small;
		struct bl_value v;
		enum bl_status status;

		bl_arena_init(&small, room, size, 1);
		status = bl_json_read(&small, text, &options, &v, NULL, NULL,
				      &err);
		CHECK(status == BL_OK || status == BL_LIMIT);
		CHECK_STATUS(err.status, status);
		read += status == BL_OK;
		refused += status != BL_OK;
		bl_arena_clear(&small);
	}
	CHECK(read > 0);
	CHECK(refused > 0);
}

/* Values that wait for their container are held to the limit, too. */
static void scratch_limit(void)
{
	enum { COUNT = 4000, LIMIT = 32 * 1024 };
	struct bl_arena small;
	struct bl_error err;
	struct bl_value v;
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_buf_puts(&buf, "[1");
	for (int i = 0; i < COUNT; i++)
		bl_buf_puts(&buf, ",1");
	bl_arena_init(&small, NULL, 0, LIMIT);
	CHECK_STATUS(bl_json_read(&small, bl_buf_str(&buf), NULL, &v, NULL,
				  NULL, &err),
		     BL_LIMIT);
	CHECK_STR(bl_str(err.message),
		  "more than 32768 bytes of memory would be needed");
	bl_arena_clear(&small);
	bl_buf_clear(&buf);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(kinds_of_values);
	RUN(strings);
	RUN(no_copies);
	RUN(lone_surrogates);
	RUN(repeated_keys);
	RUN(messages);
	RUN(comments_and_bom);
	RUN(limits);
	RUN(many_values);
	RUN(memory_out);
	RUN(scratch_limit);
	bl_arena_clear(&arena);
	return tap_end();
}
