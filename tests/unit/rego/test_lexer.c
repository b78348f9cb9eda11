/* SPDX-License-Identifier: Apache-2.0 */
#include "rego/compiler/parse/lexer.h"
#include "tap.h"

static enum bl_status lex(struct bl_arena *arena, struct bl_str text,
			  struct bl_rego_tokens *out, size_t *out_offset)
{
	struct bl_error err = { 0 };

	return bl_rego_lex(arena, text, 0, text.len, out, out_offset, &err);
}

static void test_places(void)
{
	struct bl_rego_tokens tokens;
	struct bl_arena arena;
	size_t offset;

	bl_arena_init(&arena, NULL, 0, 1 << 20);
	CHECK_STATUS(lex(&arena, BL_STR("a # c\r\n:=b"), &tokens, &offset),
		     BL_OK);
	CHECK_INT(tokens.count, 4);
	CHECK_INT(tokens.comment_count, 1);
	CHECK_INT(tokens.comments[0].from, 2);
	CHECK_INT(tokens.comments[0].to, 5);
	CHECK(tokens.tokens[1].newline_before);
	CHECK_INT(tokens.tokens[1].from, 7);
	CHECK(!tokens.tokens[2].space_before);
	CHECK_INT(tokens.tokens[3].kind, BL_TOKEN_EOF);
	bl_arena_clear(&arena);
}

static void test_failures(void)
{
	static const struct {
		struct bl_str text;
		size_t offset;
	} bad[] = {
		{ { "a !x", 4 }, 2 },
		{ { "ab\0", 3 }, 2 },
		{ { "a \xff", 3 }, 2 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bl_rego_tokens tokens;
		struct bl_arena arena;
		size_t offset = 99;

		bl_arena_init(&arena, NULL, 0, 1 << 20);
		CHECK_STATUS(lex(&arena, bad[i].text, &tokens, &offset),
			     BL_SYNTAX);
		CHECK_INT(offset, bad[i].offset);
		bl_arena_clear(&arena);
	}
}

static void test_limits(void)
{
	struct bl_rego_tokens tokens;
	struct bl_arena arena;
	struct bl_error err = { 0 };
	size_t offset = 0;

	bl_arena_init(&arena, NULL, 0, 16);
	CHECK_STATUS(lex(&arena, BL_STR("a b c d e"), &tokens, &offset),
		     BL_LIMIT);
	CHECK_STATUS(bl_rego_lex(&arena, BL_STR("a"), 0,
				 BL_REGO_MAX_SOURCE_BYTES + 1, &tokens, &offset,
				 &err),
		     BL_LIMIT);
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(test_places);
	RUN(test_failures);
	RUN(test_limits);
	return tap_end();
}
