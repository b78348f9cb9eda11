/* SPDX-License-Identifier: Apache-2.0 */
/* value, json and text without memory: NO_MEMORY, never another value. */
#include "../unit/tap.h"

#include "json/json.h"
#include "text/text.h"
#include "torture.h"

static struct bl_error error;
static struct bl_str input;

#define HEAD "{\"deny\":true,\"deep\":[[[1,2.50,\"\\u00e9\"]]],\"items\":["

/* Large enough that objects, arrays and the reader's stack all grow. */
static struct bl_str make_input(struct bl_buf *text)
{
	bl_buf_puts(text, HEAD);
	for (int i = 0; i < 3000; i++)
		bl_buf_printf(text, "%s{\"k%d\":\"v\\n%d\"}", i ? "," : "", i,
			      i);
	bl_buf_puts(text, "]}");
	return bl_buf_str(text);
}

/* Read, copied and written again, with nothing missing. */
static enum bl_status round_trip(void)
{
	const struct bl_json_options options = { .allow_comments = true };
	struct bl_value value = { 0 };
	struct bl_arena own;
	struct bl_buf out;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	bl_buf_init(&out, 0);
	status =
		bl_json_read(&own, input, &options, &value, NULL, NULL, &error);
	if (!status) {
		struct bl_value copy = bl_value_copy(&own, value);

		status = bl_arena_status(&own);
		CHECK((copy.kind == BL_KIND_UNDEFINED) == (status != BL_OK));
		value = copy;
	}
	if (!status) {
		bl_json_write(&out, value, BL_JSON_COMPACT);
		status = bl_buf_status(&out);
	}
	if (!status) {
		CHECK(bl_str_find(bl_buf_str(&out), BL_STR("\"deny\":true"),
				  0) == 1);
		CHECK_INT(
			bl_value_count(bl_object_find(value, BL_STR("items"))),
			3000);
	}
	bl_buf_clear(&out);
	bl_arena_clear(&own);
	return status;
}

/* An object of its members or none, never one without some of them. */
static enum bl_status build_object(void)
{
	struct bl_object_builder builder;
	struct bl_arena own;
	struct bl_value object;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	bl_object_builder_init(&builder, &own);
	for (int i = 0; i < 5000; i++) {
		struct bl_str key = bl_arena_printf(&own, "key %d", i);

		if (!key.ptr)
			break;
		bl_object_builder_add(&builder, key,
				      bl_value_printf(&own, "value %d", i));
	}
	object = bl_object_builder_end(&builder);
	status = bl_arena_status(&own);
	if (status)
		CHECK(object.kind == BL_KIND_UNDEFINED ||
		      bl_value_count(object) < 5000);
	else
		CHECK_INT(bl_value_count(object), 5000);
	bl_arena_clear(&own);
	return status;
}

/* OK says that there is a match; it never denies a match. */
static enum bl_status compile_and_search(void)
{
	const struct bl_regex *regex = NULL;
	struct bl_span spans[3];
	struct bl_arena own;
	bool found = false;
	enum bl_status status;

	bl_arena_init(&own, NULL, 0, 0);
	status = bl_regex_compile(&own,
				  BL_STR("(git|hg) +(\\w+ ){0,300}push.*--f"),
				  BL_REGEX_JAVASCRIPT, &regex, NULL, &error);
	CHECK((regex != NULL) == (status == BL_OK));
	if (!status)
		status = bl_regex_search(regex, &own,
					 BL_STR("x; git -C a push o --force"),
					 0, spans, 3, &found);
	if (!status)
		CHECK(!found);
	if (!status)
		status = bl_regex_search(regex, &own,
					 BL_STR("x; git a b push o --force"), 0,
					 spans, 3, &found);
	if (!status)
		CHECK(found && spans[0].from == 3);
	bl_arena_clear(&own);
	return status;
}

static enum bl_status backtrack(void)
{
	struct bl_backtrack *program = NULL;
	bool found = false;
	enum bl_status status;

	status = bl_backtrack_compile(BL_STR("^(?!git )(\\w+) \\1"), &program,
				      NULL, &error);
	CHECK((program != NULL) == (status == BL_OK));
	if (!status)
		status = bl_backtrack_search(program, BL_STR("rm rm"), &found,
					     &error);
	if (!status)
		CHECK(found);
	bl_backtrack_free(program);
	return status;
}

static void values_without_memory(void)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	input = make_input(&text);
	CHECK(torture_run(TORTURE_ALLOCATIONS, round_trip, BL_NO_MEMORY) > 5);
	CHECK(torture_run(TORTURE_ALLOCATIONS, build_object, BL_NO_MEMORY) > 2);
	bl_buf_clear(&text);
}

static void patterns_without_memory(void)
{
	CHECK(torture_run(TORTURE_ALLOCATIONS, compile_and_search,
			  BL_NO_MEMORY) > 1);
	CHECK(torture_run(TORTURE_ALLOCATIONS, backtrack, BL_NO_MEMORY) >= 0);
}

int main(void)
{
	RUN(values_without_memory);
	RUN(patterns_without_memory);
	return tap_end();
}
