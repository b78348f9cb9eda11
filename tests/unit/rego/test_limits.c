/* SPDX-License-Identifier: Apache-2.0 */
/* Too little memory, too deep, too long: an outcome each, never a crash. */
#include "rego/rego.h"
#include "rego/compiler/parse/parser.h"
#include "tap.h"

static const char module[] =
	"package p\n"
	"import rego.v1\n"
	"default allow := false\n"
	"allow if { some x in [1, 2, 3]; x > 2; not deny[x] }\n"
	"deny contains y if { y := [z | z := data.q[_]][_] }\n"
	"f(x) := {\"k\": $\"a {x}\"} if x != 1 else := {x | x := 1}\n"
	"r := f(2) if every k, v in {\"a\": 1} { v == 1; k }\n";

static enum bl_status ask(const char *text, size_t arena_bytes,
			  uint64_t instructions,
			  struct bl_rego_result *out_result)
{
	struct bl_rego_source source = { BL_STR("m.rego"), bl_str(text),
					 false };
	struct bl_rego_options options = { .max_steps = instructions };
	const struct bl_rego_policies *policies;
	struct bl_diags diags;
	struct bl_error err = { 0 };
	struct bl_arena arena;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, arena_bytes);
	bl_diags_init(&diags, &arena);
	status = bl_rego_compile(&arena, &source, 1, NULL, &diags, &policies,
				 &err);
	if (!status)
		status = bl_rego_query(policies, BL_STR("data.p"), &options,
				       &arena, &diags, out_result, &err);
	bl_arena_clear(&arena);
	return status;
}

/* Every size up to one that is enough. */
static void test_memory(void)
{
	struct bl_rego_result result = { 0 };
	bool enough = false;

	for (size_t bytes = 64; bytes < (1 << 20) && !enough; bytes += 512) {
		enum bl_status status = ask(module, bytes, 0, &result);

		CHECK(status == BL_OK || status == BL_NO_MEMORY ||
		      status == BL_LIMIT || status == BL_INVALID);
		enough = status == BL_OK && !result.fault_code;
	}
	CHECK(enough);
}

static void test_instructions(void)
{
	struct bl_rego_result result = { 0 };

	CHECK_STATUS(ask("package p\n"
			 "q if { numbers.range(1, 9)[i] > 100; i > 0 }\n",
			 1 << 20, 5, &result),
		     BL_OK);
	CHECK(result.fault_code &&
	      strcmp(result.fault_code, "eval_cancel_error") == 0);
}

static void check_nesting(char open, char close, size_t depth, bool fits)
{
	static char text[1 << 16];
	struct bl_rego_result result = { 0 };
	int len = snprintf(text, sizeof(text), "package p\nq := ");
	enum bl_status status;

	memset(text + len, open, depth);
	text[(size_t)len + depth] = '1';
	memset(text + len + depth + 1, close, depth);
	text[(size_t)len + depth * 2 + 1] = '\n';
	text[(size_t)len + depth * 2 + 2] = '\0';
	status = ask(text, (size_t)256 << 20, 0, &result);
	CHECK_STATUS(status, fits ? BL_OK : BL_INVALID);
}

static void test_nesting(void)
{
	check_nesting('[', ']', 100, true);
	check_nesting('{', '}', 100, true);
	check_nesting('(', ')', 100, true);
	check_nesting('[', ']', 20000, false);
	check_nesting('{', '}', 20000, false);
	check_nesting('(', ')', 20000, false);
}

/* A length whose low 32 bits are small is too long all the same. */
static void test_length(void)
{
	static const char text[] = "package p\n";
	struct bl_str huge = { text, ((size_t)1 << 32) + sizeof(text) - 1 };
	const struct bl_rego_module *parsed;
	struct bl_rego_body *body;
	struct bl_error err = { 0 };
	struct bl_arena arena;
	size_t offset = 1;

	bl_arena_init(&arena, NULL, 0, 1 << 20);
	CHECK_STATUS(bl_rego_parse(&arena, BL_STR("m.rego"), huge, false,
				   &parsed, &offset, &err),
		     BL_LIMIT);
	CHECK_STATUS(bl_rego_parse_query(&arena, huge, &body, &offset, &err),
		     BL_LIMIT);
	bl_arena_clear(&arena);
}

/* Children by hash: each rule of a big package is found, and only those. */
static void test_many_rules(void)
{
	enum { COUNT = 3000 };
	struct bl_rego_result result = { 0 };
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_printf(&text, "package p\nr0 := 0\n");
	for (int i = 1; i < COUNT; i++)
		bl_buf_printf(&text, "r%d := r%d + 1\n", i, (i - 1) / 2);
	bl_buf_printf(&text, "q if r%d > 10\n%c", COUNT - 1, '\0');
	CHECK_STATUS(ask(bl_buf_str(&text).ptr, (size_t)64 << 20, 0, &result),
		     BL_OK);
	text.len--;
	bl_buf_printf(&text, "bad := r%d + 1\n%c", COUNT, '\0');
	CHECK_STATUS(ask(bl_buf_str(&text).ptr, (size_t)64 << 20, 0, &result),
		     BL_INVALID);
	bl_buf_clear(&text);
}

/* Equal types, each a set of the one before: compared in linear time. */
static void test_deep_types(void)
{
	enum { DEPTH = 60 };
	struct bl_rego_result result = { 0 };
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "package p\nq := [");
	for (int i = 0; i < 2; i++) {
		for (int depth = 0; depth < DEPTH; depth++)
			bl_buf_put_char(&text, '{');
		bl_buf_printf(&text, "%d", i);
		for (int depth = 0; depth < DEPTH; depth++)
			bl_buf_put_char(&text, '}');
		bl_buf_put_char(&text, ',');
	}
	bl_buf_puts(&text, "][_]\n");
	CHECK_STATUS(ask(text.ptr, (size_t)64 << 20, 0, &result), BL_OK);
	bl_buf_clear(&text);
}

int main(void)
{
	RUN(test_memory);
	RUN(test_instructions);
	RUN(test_nesting);
	RUN(test_length);
	RUN(test_many_rules);
	RUN(test_deep_types);
	return tap_end();
}
