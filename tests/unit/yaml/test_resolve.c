/* SPDX-License-Identifier: Apache-2.0 */
/* The values of plain scalars, by YAML 1.1's and 1.2's rules as go-yaml. */
#include "tap.h"
#include "yaml/yaml.h"

static char memory[4096];

static void kinds(void)
{
	static const struct {
		const char *text;
		enum bl_kind kind;
	} rows[] = {
		{ "", BL_KIND_NULL },          { "~", BL_KIND_NULL },
		{ "NULL", BL_KIND_NULL },      { "nULL", BL_KIND_STRING },
		{ "True", BL_KIND_BOOLEAN },   { "FALSE", BL_KIND_BOOLEAN },
		{ "yes", BL_KIND_STRING },     { "Off", BL_KIND_STRING },
		{ "y", BL_KIND_STRING },       { "tRUE", BL_KIND_STRING },
		{ "oFF", BL_KIND_STRING },     { "12", BL_KIND_NUMBER },
		{ "1.2.3", BL_KIND_STRING },   { "-", BL_KIND_STRING },
		{ ".inf", BL_KIND_UNDEFINED }, { "-.INF", BL_KIND_UNDEFINED },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bl_arena arena;

		bl_arena_init(&arena, memory, sizeof(memory), 0);
		CHECK_INT(bl_value_kind(bl_yaml_resolve(&arena,
							bl_str(rows[i].text))),
			  rows[i].kind);
		bl_arena_clear(&arena);
	}
}

static void numbers(void)
{
	static const struct {
		const char *text;
		int64_t number;
	} rows[] = {
		{ "0x1F", 31 }, { "0o17", 15 },   { "0b101", 5 },
		{ "017", 15 },  { "-0x10", -16 }, { "1_000", 1000 },
		{ "+12", 12 },  { "1.", 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bl_arena arena;

		bl_arena_init(&arena, memory, sizeof(memory), 0);
		CHECK(bl_value_equal(
			bl_yaml_resolve(&arena, bl_str(rows[i].text)),
			bl_value_integer(rows[i].number)));
		bl_arena_clear(&arena);
	}
}

int main(void)
{
	RUN(kinds);
	RUN(numbers);
	return tap_end();
}
