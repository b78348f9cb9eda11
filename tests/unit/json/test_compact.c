/* SPDX-License-Identifier: Apache-2.0 */
/* Compact reading gives the values of ordinary reading, and owns its memory. */
#include <stdlib.h>
#include <unistd.h>

#include "json/json.h"
#include "tap.h"

static const struct bl_json_options compact = { .compact = true };
static const struct bl_json_options giving = { .compact = true,
					       .give_back_text = true };

static struct bl_arena arena;

/* A text of its own, which is overwritten once it was read. */
static struct bl_value read_and_lose(struct bl_str text,
				     const struct bl_json_options *options,
				     struct bl_json_report *report)
{
	struct bl_value value = bl_value_undefined();
	struct bl_error err = { 0 };
	char *own = malloc(text.len + 1);

	if (!own)
		abort();
	memcpy(own, text.ptr, text.len);
	CHECK_STATUS(bl_json_read(&arena, (struct bl_str){ own, text.len },
				  options, &value, report, NULL, &err),
		     BL_OK);
	memset(own, '?', text.len);
	free(own);
	return value;
}

static void check_same(struct bl_str text)
{
	struct bl_value plain, value;
	struct bl_buf a, b;

	REQUIRE(!bl_json_read(&arena, text, NULL, &plain, NULL, NULL, NULL));
	value = read_and_lose(text, &compact, NULL);
	CHECK(bl_value_equal(plain, value));
	CHECK(bl_value_hash(plain) == bl_value_hash(value));
	bl_buf_init(&a, 0);
	bl_buf_init(&b, 0);
	bl_json_write(&a, plain, BL_JSON_COMPACT);
	bl_json_write(&b, value, BL_JSON_COMPACT);
	CHECK_STR(bl_buf_str(&a), bl_buf_str(&b).ptr);
	bl_buf_clear(&a);
	bl_buf_clear(&b);
}

static void same_values(void)
{
	static const char *const texts[] = {
		"null",
		"true",
		" -12 ",
		"1.50",
		"\"short\"",
		"\"longer than a word\"",
		"\"\\u0041\\n\"",
		"\"with \\\"escapes\\\" and \\ud83d\\ude00 that are longer\"",
		"[]",
		"{}",
		"[[],{},[[]],{\"\":{}}]",
		"[1,\"a\",null,false,{\"a\":[true]}]",
		"[{\"id\":1,\"name\":\"x\"},{\"id\":2,\"name\":\"y\"}]",
		"[{\"b\":1,\"a\":2},{\"a\":1,\"b\":2},{\"b\":3,\"a\":4}]",
		"{\"a\":1,\"b\":2,\"a\":3}",
		"[123456789012345678901234567890,1e400,9223372036854775807]",
		"{\"caf\xC3\xA9\":\"na\xC3\xAFve \xE2\x82\xAC\"}",
		"[\"nul \\u0000 in it\",\"\\u0000\"]",
	};

	for (size_t i = 0; i < BL_COUNT(texts); i++)
		check_same(bl_str(texts[i]));
}

/* count records, with escapes and long texts among them. */
static void put_records(struct bl_buf *out, int count, const char *gap)
{
	bl_buf_puts(out, "{");
	for (int i = 0; i < count; i++) {
		bl_buf_printf(out, "%s\"user-%06d\":{\"name\":\"Name %d\",%s",
			      i ? "," : "", i * 7919 % count, i, gap);
		bl_buf_printf(out,
			      "\"note\":\"line\\n%d\",\"quota\":%d.%02d,"
			      "\"a longer key\":[\"read\",\"w\",%d],\"on\":%s}",
			      i, i, i % 100, -i, i % 3 ? "true" : "false");
	}
	bl_buf_puts(out, "}");
}

static void many_records(void)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	put_records(&text, 3000, "");
	check_same(bl_buf_str(&text));
	bl_buf_clear(&text);
}

/* The arena takes less than half of what it takes otherwise. */
static void takes_less(void)
{
	struct bl_arena plain, small;
	struct bl_value value;
	struct bl_buf text;

	bl_buf_init(&text, 0);
	put_records(&text, 20000, "");
	bl_arena_init(&plain, NULL, 0, 0);
	bl_arena_init(&small, NULL, 0, 0);
	REQUIRE(!bl_json_read(&plain, bl_buf_str(&text), NULL, &value, NULL,
			      NULL, NULL));
	REQUIRE(!bl_json_read(&small, bl_buf_str(&text), &compact, &value, NULL,
			      NULL, NULL));
	CHECK(plain.used_bytes + text.len > 2 * small.used_bytes);
	bl_arena_clear(&plain);
	bl_arena_clear(&small);
	bl_buf_clear(&text);
}

/* How many bytes at the start of text are no more what they were. */
static size_t lost(struct bl_str text)
{
	size_t at = 0;

	while (at < text.len && !text.ptr[at])
		at++;
	return at;
}

/*
 * text in memory of its own, read while it is given back, from a place that
 * is on no page's start.
 */
static enum bl_status read_giving(const struct bl_buf *text, size_t *out_lost,
				  struct bl_value *out_value,
				  struct bl_place *out_place)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *room = NULL;
	enum bl_status status;

	if (posix_memalign((void **)&room, page, text->len + page))
		abort();
	memset(room, ' ', page);
	memcpy(room + 100, text->ptr, text->len);
	status = bl_json_read(&arena, (struct bl_str){ room + 100, text->len },
			      &giving, out_value, NULL, out_place, NULL);
	*out_lost = lost((struct bl_str){ room + page, text->len - page });
	CHECK(room[0] == ' ' && room[100] == text->ptr[0]);
	CHECK(room[99 + text->len] == text->ptr[text->len - 1]);
	free(room);
	return status;
}

static void text_is_given_back(void)
{
	struct bl_value plain, value;
	struct bl_buf text;
	size_t bytes = 0;

	bl_buf_init(&text, 0);
	put_records(&text, 20000, "");
	REQUIRE(!bl_json_read(&arena, bl_buf_str(&text), NULL, &plain, NULL,
			      NULL, NULL));
	CHECK_STATUS(read_giving(&text, &bytes, &value, NULL), BL_OK);
	CHECK(bytes > text.len - 512 * 1024);
	CHECK(bl_value_equal(plain, value));
	bl_buf_clear(&text);
}

/* Errors have their place, though the lines before are gone. */
static void places_stay_right(void)
{
	static const char *const gaps[] = { "", "\n\t" };

	for (size_t i = 0; i < BL_COUNT(gaps); i++) {
		struct bl_place expected = { 0 }, place = { 0 };
		struct bl_value value;
		struct bl_buf text;
		size_t bytes = 0;

		bl_buf_init(&text, 0);
		put_records(&text, 20000, gaps[i]);
		text.ptr[text.len - 1] = ']';
		CHECK_STATUS(bl_json_read(&arena, bl_buf_str(&text), NULL,
					  &value, NULL, &expected, NULL),
			     BL_SYNTAX);
		CHECK_STATUS(read_giving(&text, &bytes, &value, &place),
			     BL_SYNTAX);
		CHECK(bytes > text.len / 2);
		CHECK_INT(place.line, expected.line);
		CHECK_INT(place.column, expected.column);
		CHECK_INT(place.offset, expected.offset);
		CHECK_INT(place.offset, text.len - 1);
		bl_buf_clear(&text);
	}
}

/* A text of one page or two is left alone. */
static void small_text_stays(void)
{
	struct bl_value value;
	struct bl_buf text;
	size_t bytes = 0;

	bl_buf_init(&text, 0);
	put_records(&text, 100, "");
	CHECK_STATUS(read_giving(&text, &bytes, &value, NULL), BL_OK);
	CHECK_INT(bytes, 0);
	bl_buf_clear(&text);
}

static void repeated_keys(void)
{
	struct bl_json_report report;
	struct bl_value value =
		read_and_lose(BL_STR("[{\"a\":1,\n \"a long key\":2,\"a\":3,"
				     "\"a long key\":4},{\"b\":1,\"b\":2}]"),
			      &compact, &report);

	CHECK_INT(report.repeated_key_count, 3);
	CHECK_STR(report.repeated_key, "a");
	CHECK_INT(report.repeated_place.line, 2);
	CHECK_INT(report.repeated_place.column, 17);
	CHECK_INT(bl_value_count(bl_value_item(value, 0)), 2);
	CHECK(bl_value_equal(
		bl_object_find(bl_value_item(value, 0), BL_STR("a long key")),
		bl_value_integer(4)));
}

/* Asking for places gives them, and a value that is not compact. */
static void places_count(void)
{
	struct bl_json_places *places = NULL;
	struct bl_json_options options = { .compact = true,
					   .give_back_text = true,
					   .out_places = &places };
	struct bl_value value;

	REQUIRE(!bl_json_read(&arena, BL_STR("[1,\n 2]"), &options, &value,
			      NULL, NULL, NULL));
	CHECK_INT(bl_json_value_place(places, value, 1).line, 2);
}

static void errors(void)
{
	static const char *const texts[] = {
		"",           "[",  "{\"a\"",    "[1,]",
		"{\"a\":1,}", "\"", "[\"\\x\"]", "01",
	};

	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		struct bl_place expected = { 0 }, place = { 0 };
		struct bl_error why = { 0 }, err = { 0 };
		struct bl_value value;

		bl_json_read(&arena, bl_str(texts[i]), NULL, &value, NULL,
			     &expected, &why);
		CHECK_STATUS(bl_json_read(&arena, bl_str(texts[i]), &compact,
					  &value, NULL, &place, &err),
			     BL_SYNTAX);
		CHECK_INT(place.offset, expected.offset);
		CHECK_STR(bl_str(err.message), why.message);
	}
}

static void deep(void)
{
	enum { LEVELS = 10000 };
	struct bl_json_options options = { .compact = true,
					   .max_depth = BL_JSON_MAX_DEPTH };
	struct bl_value value;
	struct bl_buf text;
	size_t depth = 0;

	bl_buf_init(&text, 0);
	for (int i = 0; i < LEVELS; i++)
		bl_buf_puts(&text, i % 2 ? "[" : "{\"next\":");
	bl_buf_puts(&text, "1");
	for (int i = LEVELS; i > 0; i--)
		bl_buf_puts(&text, i % 2 ? "}" : "]");
	REQUIRE(!bl_json_read(&arena, bl_buf_str(&text), &options, &value, NULL,
			      NULL, NULL));
	for (; bl_value_count(value); depth++)
		value = bl_value_is(value, BL_KIND_OBJECT)
				? bl_object_value(value, 0)
				: bl_value_item(value, 0);
	CHECK_INT(depth, LEVELS);
	CHECK(bl_value_equal(value, bl_value_integer(1)));
	CHECK_STATUS(bl_json_read(&arena, bl_buf_str(&text), &compact, &value,
				  NULL, NULL, NULL),
		     BL_LIMIT);
	bl_buf_clear(&text);
}

/* Whatever the arena's limit, the outcome is the value or LIMIT. */
static void memory_running_out(void)
{
	struct bl_value value;
	struct bl_buf text;
	bool done = false;

	bl_buf_init(&text, 0);
	put_records(&text, 300, "");
	for (size_t limit = 1; !done; limit += limit / 4 + 1) {
		struct bl_arena small;
		enum bl_status status;

		bl_arena_init(&small, NULL, 0, limit);
		status = bl_json_read(&small, bl_buf_str(&text), &compact,
				      &value, NULL, NULL, NULL);
		done = status == BL_OK;
		CHECK(done || status == BL_LIMIT);
		CHECK(!done || bl_value_count(value) == 300);
		bl_arena_clear(&small);
	}
	bl_buf_clear(&text);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(same_values);
	RUN(many_records);
	RUN(takes_less);
	RUN(text_is_given_back);
	RUN(places_stay_right);
	RUN(small_text_stays);
	RUN(repeated_keys);
	RUN(places_count);
	RUN(errors);
	RUN(deep);
	RUN(memory_running_out);
	bl_arena_clear(&arena);
	return tap_end();
}
