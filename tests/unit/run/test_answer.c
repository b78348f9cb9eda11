/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading standard output: docs/contracts/cursor.md "Hook output",
 * docs/contracts/cursor-2.3.41.md "Hook output".
 */
#include "tap.h"

#include "running.h"

static struct bl_outcome outcome;
static struct bl_value response;

static enum bl_outcome_kind read_as(const char *profile, struct bl_str output)
{
	const struct bl_profile *rules = bl_profile_find(bl_str(profile));

	memset(&outcome, 0, sizeof(outcome));
	response = bl_value_undefined();
	if (bl_executor_read_answer(
		    rules, step_of(rules, "beforeShellExecution"), output,
		    &arena, &outcome, &response, &error) != BL_OK)
		return BL_OUTCOME_COUNT;
	return outcome.kind;
}

#define TODAY(text) read_as("cursor", BL_STR(text))
#define OLD(text)   read_as("cursor-2.3", BL_STR(text))

static void test_plain(void)
{
	CHECK_INT(TODAY(" \r\n\t{\"permission\":\"deny\","
			"\"user_message\":\"no\"}\r\n"),
		  BL_OUTCOME_ANSWERED);
	CHECK_INT(outcome.answer.permission, BL_VERDICT_DENY);
	CHECK_STR(outcome.answer.user_message, "no");
	CHECK_INT(bl_value_count(response), 2);
	CHECK_INT(TODAY("{}"), BL_OUTCOME_ANSWERED);
	CHECK_INT(TODAY("{\"anything\":[1,2]}"), BL_OUTCOME_ANSWERED);
}

static void test_nothing(void)
{
	CHECK_INT(TODAY(""), BL_OUTCOME_NO_OUTPUT);
	CHECK_INT(TODAY(" \r\n\t "), BL_OUTCOME_NO_OUTPUT);
	CHECK(!bl_value_is_defined(response));
}

static void test_invalid(void)
{
	CHECK_INT(TODAY("[]"), BL_OUTCOME_INVALID);
	CHECK_STR(outcome.reason,
		  "returned an invalid answer: Expected an object");
	CHECK_INT(TODAY("null"), BL_OUTCOME_INVALID);
	CHECK_INT(TODAY("\"{}\""), BL_OUTCOME_INVALID);
	CHECK_INT(TODAY("{\"user_message\":null}"), BL_OUTCOME_INVALID);
	CHECK(bl_value_is_defined(response));
}

static void test_noise_before(void)
{
	CHECK_INT(TODAY("hello\n{\"permission\":\"deny\"}"),
		  BL_OUTCOME_ANSWERED);
	CHECK_INT(outcome.answer.permission, BL_VERDICT_DENY);
	/* braces and quotes in the noise, an object within the object */
	CHECK_INT(TODAY("fn() { it's } \" {\"x\":{\"y\":{}},"
			"\"permission\":\"ask\"}"),
		  BL_OUTCOME_ANSWERED);
	CHECK_INT(outcome.answer.permission, BL_VERDICT_ASK);
	CHECK_INT(TODAY("{\"permission\":\"deny\"}{\"permission\":\"allow\"}"),
		  BL_OUTCOME_ANSWERED);
	CHECK_INT(outcome.answer.permission, BL_VERDICT_ALLOW);
	/* the last object, whether it is a valid answer or not */
	CHECK_INT(TODAY("{\"permission\":\"deny\"}{\"permission\":1}"),
		  BL_OUTCOME_INVALID);
}

static void test_noise_that_is_not_forgiven(void)
{
	CHECK_INT(TODAY("{\"permission\":\"allow\"} ok"), BL_OUTCOME_NOT_JSON);
	CHECK_INT(TODAY("text }"), BL_OUTCOME_NOT_JSON);
	CHECK_INT(TODAY("}"), BL_OUTCOME_NOT_JSON);
	CHECK_INT(TODAY("{\"permission\":\"allow\",}"), BL_OUTCOME_NOT_JSON);
	CHECK_INT(TODAY("noise [{}]"), BL_OUTCOME_NOT_JSON);
	CHECK_INT(OLD("hello\n{\"permission\":\"deny\"}"), BL_OUTCOME_NOT_JSON);
	CHECK(has(outcome.reason, "returned output that is not JSON"));
}

static void test_not_utf8(void)
{
	CHECK_INT(TODAY("{\"user_message\":\"\xFF\"}"), BL_OUTCOME_NOT_JSON);
	CHECK_INT(TODAY("\xFF {\"permission\":\"allow\"}"),
		  BL_OUTCOME_NOT_JSON);
}

static void test_control_characters_stay(void)
{
	CHECK_INT(TODAY("{\"user_message\":\"a\\u001b[31mb\"}"),
		  BL_OUTCOME_ANSWERED);
	CHECK_STR(outcome.answer.user_message, "a\x1b[31mb");
}

static int64_t now_ms(void)
{
	return bl_os_monotonic_ns() / 1000000;
}

static struct bl_str repeat(const char *part, size_t times, const char *end)
{
	struct bl_buf text;
	struct bl_str copy;

	bl_buf_init(&text, 0);
	for (size_t i = 0; i < times; i++)
		bl_buf_puts(&text, part);
	bl_buf_puts(&text, end);
	copy = bl_arena_copy_str(&arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

/* Effort is bounded: a megabyte of openings is not a million readings. */
static void test_hostile_output_takes_no_time(void)
{
	static const struct {
		const char *part, *end;
	} cases[] = {
		{ "{", "}" },   { "{\"a\":", "}" }, { "{\"a\":1} ", "x}" },
		{ "{\"", "}" }, { "[", "}" },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_str text =
			repeat(cases[i].part, 200000, cases[i].end);
		int64_t start = now_ms();

		CHECK_INT(read_as("cursor", text), BL_OUTCOME_NOT_JSON);
		CHECK(now_ms() - start < 2000);
	}
}

static void test_last_of_many_objects(void)
{
	struct bl_str text = repeat("{\"permission\":\"deny\"}\n", 2000,
				    "{\"permission\":\"allow\"}");

	CHECK_INT(read_as("cursor", text), BL_OUTCOME_ANSWERED);
	CHECK_INT(outcome.answer.permission, BL_VERDICT_ALLOW);
}

static void test_memory(void)
{
	const struct bl_profile *rules = bl_profile_at(0);
	struct bl_arena small;
	struct bl_str text = repeat("[1],", 10000, "1]");

	bl_arena_init(&small, NULL, 0, 4096);
	CHECK_STATUS(bl_executor_read_answer(
			     rules, step_of(rules, "beforeShellExecution"),
			     repeat("[", 1, text.ptr), &small, &outcome,
			     &response, &error),
		     BL_LIMIT);
	bl_arena_clear(&small);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_plain);
	RUN(test_nothing);
	RUN(test_invalid);
	RUN(test_noise_before);
	RUN(test_noise_that_is_not_forgiven);
	RUN(test_not_utf8);
	RUN(test_control_characters_stay);
	RUN(test_hostile_output_takes_no_time);
	RUN(test_last_of_many_objects);
	RUN(test_memory);
	place_close();
	return tap_end();
}
