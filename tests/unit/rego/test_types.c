/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types: each rule by which they are joined, merged, compared and looked into.
 * The expectations are what OPA 1.22.3's package types, and unifies and
 * mergeTypes of its package ast, say of the same types; they are written in the
 * notation of the tables of builtins, "f" before the arguments of a function and ">"
 * before its result, "" for what is not known.
 */
#include "rego/compiler/types/types.h"
#include "tap.h"

static struct bl_arena arena;

static const struct bl_type *read_one(const char **p);

static void read_item(struct bl_type *type, const char **p)
{
	if (**p == '*') {
		++*p;
		if (type->kind == BL_TYPE_OBJECT)
			type->key = read_one(p);
		type->rest = read_one(p);
		return;
	}
	if (**p == '\'') {
		type->keys[type->count] =
			bl_value_string((struct bl_str){ *p + 1, 1 });
		*p += 3;
	}
	type->items[type->count++] = read_one(p);
}

static const struct bl_type *read_composite(enum bl_type_kind kind, char close,
					    const char **p)
{
	struct bl_type type = { .kind = kind };

	type.items = bl_arena_new_array(&arena, const struct bl_type *, 8);
	type.keys = bl_arena_new_array(&arena, struct bl_value, 8);
	while (**p != close)
		read_item(&type, p);
	++*p;
	if (kind == BL_TYPE_SET && type.count) {
		type.count = 0;
		type.rest = type.items[0];
	}
	if (kind == BL_TYPE_FUNCTION)
		type.rest = read_one(p);
	return bl_type_make(&arena, &type);
}

static const struct bl_type *read_one(const char **p)
{
	switch (*(*p)++) {
	case 'z':
		return bl_type_of_scalar(bl_value_null());
	case 'b':
		return bl_type_of_scalar(bl_value_boolean(false));
	case 'n':
		return bl_type_of_scalar(bl_value_integer(1));
	case 's':
		return bl_type_of_scalar(bl_value_string(BL_STR("")));
	case '[':
		return read_composite(BL_TYPE_ARRAY, ']', p);
	case '{':
		return read_composite(BL_TYPE_SET, '}', p);
	case '(':
		return read_composite(BL_TYPE_OBJECT, ')', p);
	case '<':
		return read_composite(BL_TYPE_ANY, '>', p);
	case 'f':
		return read_composite(BL_TYPE_FUNCTION, '>', p);
	default:
		return &bl_type_any;
	}
}

static const struct bl_type *read_type(const char *text)
{
	return *text ? read_one(&text) : NULL;
}

/* Checks that a type is written like that. */
static void check_type(const struct bl_type *type, const char *expected)
{
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_type_put(&out, type);
	CHECK_STR(bl_buf_str(&out), expected);
	bl_buf_clear(&out);
}

static const struct {
	const char *type;
	const char *text;
} names[] = {
	{ "z", "null" },
	{ "b", "boolean" },
	{ "n", "number" },
	{ "s", "string" },
	{ "a", "any" },
	{ "<ns>", "any<number, string>" },
	{ "[]", "array" },
	{ "[n]", "array<number>" },
	{ "[ns]", "array<number, string>" },
	{ "[*n]", "array[number]" },
	{ "[n*s]", "array<number>[string]" },
	{ "{}", "set" },
	{ "{n}", "set[number]" },
	{ "{<ns>}", "set[any<number, string>]" },
	{ "()", "object" },
	{ "('a'n)", "object<a: number>" },
	{ "('a's'b'n)", "object<a: string, b: number>" },
	{ "(*sn)", "object[string: number]" },
	{ "('a'n*sb)", "object<a: number>[string: boolean]" },
	{ "fn>s", "(number) => string" },
	{ "fs>s", "(string) => string" },
	{ "fnn>s", "(number, number) => string" },
};

static void texts(void)
{
	for (size_t i = 0; i < BL_COUNT(names); i++)
		check_type(read_type(names[i].type), names[i].text);
	check_type(NULL, "??"
			 "?");
}

/* By the types of names, in both directions. */
static const char *const unified[] = {
	"1000100000000000000000", /* z */
	"0100100000000000000000", /* b */
	"0010110000000000000000", /* n */
	"0001110000000000000000", /* s */
	"1111111111111111111000", /* a */
	"0011110000000000000000", /* <ns> */
	"0000101001000000000000", /* [] */
	"0000100101100000000000", /* [n] */
	"0000100010100000000000", /* [ns] */
	"0000101101000000000000", /* [*n] */
	"0000100110100000000000", /* [n*s] */
	"0000100000011100000000", /* {} */
	"0000100000011100000000", /* {n} */
	"0000100000011100000000", /* {<ns>} */
	"0000100000000010011000", /* () */
	"0000100000000001011000", /* ('a'n) */
	"0000100000000000100000", /* ('a's'b'n) */
	"0000100000000011010000", /* (*sn) */
	"0000100000000011001000", /* ('a'n*sb) */
	"0000000000000000000100", /* fn>s */
	"0000000000000000000010", /* fs>s */
	"0000000000000000000001", /* fnn>s */
};

static void unifying(void)
{
	for (size_t i = 0; i < BL_COUNT(names); i++)
		for (size_t j = 0; j < BL_COUNT(names); j++)
			CHECK(bl_type_unifies(read_type(names[i].type),
					      read_type(names[j].type)) ==
			      (unified[i][j] == '1'));
	CHECK(!bl_type_unifies(NULL, &bl_type_any));
	CHECK(!bl_type_unifies(&bl_type_any, NULL));
}

struct pair {
	const char *a;
	const char *b;
	const char *text;
};

static const struct pair joined[] = {
	{ "n", "n", "number" },
	{ "n", "s", "any<number, string>" },
	{ "s", "n", "any<number, string>" },
	{ "<ns>", "n", "any<number, string>" },
	{ "n", "<bz>", "any<null, boolean, number>" },
	{ "<ns>", "<sz>", "any<null, number, string>" },
	{ "a", "n", "any" },
	{ "", "n", "number" },
	{ "[n]", "[n]", "array<number>" },
	{ "[n]", "[s]", "any<array<number>, array<string>>" },
	{ "[*s]", "[n]", "any<array<number>, array[string]>" },
	{ "{n}", "{s}", "any<set[number], set[string]>" },
	{ "{}", "{s}", "any<set, set[string]>" },
	{ "()", "('a'n)", "any<object, object<a: number>>" },
	{ "('a'n)", "('a's)", "any<object<a: number>, object<a: string>>" },
	{ "('a'n)", "('b'n)", "any<object<a: number>, object<b: number>>" },
	{ "('a'n'b's)", "('a'n)",
	  "any<object<a: number>, object<a: number, b: string>>" },
	{ "(*sn)", "(*ss)",
	  "any<object[string: number], object[string: string]>" },
	{ "(*sn)", "('a'n)", "any<object<a: number>, object[string: number]>" },
	{ "[nn]", "[n]", "any<array<number>, array<number, number>>" },
	{ "[n]", "{n}", "any<array<number>, set[number]>" },
	{ "fn>s", "fs>n", "(any<number, string>) => any<number, string>" },
	{ "fn>s", "n", "???" },
	{ "fn>s", "fnn>s",
	  "??"
	  "?" },
};

static void joining(void)
{
	for (size_t i = 0; i < BL_COUNT(joined); i++)
		check_type(bl_type_or(&arena, read_type(joined[i].a),
				      read_type(joined[i].b)),
			   joined[i].text);
}

static const struct pair merged[] = {
	{ "", "n", "number" },
	{ "n", "", "number" },
	{ "n", "s", "any<number, string>" },
	{ "{n}", "{s}", "set[any<number, string>]" },
	{ "{}", "{s}", "set[string]" },
	{ "(*sn)", "(*ss)", "object[string: any<number, string>]" },
	{ "(*sn)", "(*nn)", "object[any<number, string>: number]" },
	{ "()", "(*ss)", "object[string: string]" },
	{ "(*ss)", "()", "object[string: string]" },
	{ "(*s(*sn))", "(*s(*ss))",
	  "object[string: object[string: any<number, string>]]" },
	{ "('a'n)", "(*ss)", "any<object<a: number>, object[string: string]>" },
	{ "('a'n)", "('a's)", "any<object<a: number>, object<a: string>>" },
	{ "<n(*sn)>", "(*ss)",
	  "any<number, object[string: any<number, string>]>" },
	{ "(*ss)", "<n(*sn)>",
	  "any<number, object[string: any<number, string>]>" },
	{ "<ns>", "(*ss)", "any<number, string, object[string: string]>" },
	{ "n", "<sz>", "any<null, number, string>" },
	{ "[n]", "[s]", "any<array<number>, array<string>>" },
	{ "fn>s", "fs>n", "(any<number, string>) => any<number, string>" },
};

static void merging(void)
{
	for (size_t i = 0; i < BL_COUNT(merged); i++)
		check_type(bl_type_merge(&arena, read_type(merged[i].a),
					 read_type(merged[i].b)),
			   merged[i].text);
}

static const struct {
	const char *type;
	const char *keys;
	const char *values;
	const char *at_a;
	const char *at_1;
} parts[] = {
	{ "z", "???", "???", "???", "???" },
	{ "b", "???", "???", "???", "???" },
	{ "n", "???", "???", "???", "???" },
	{ "s", "???", "???", "???", "???" },
	{ "a", "any", "any", "any", "any" },
	{ "<ns>", "???", "???", "???", "???" },
	{ "[]", "number", "???", "???", "???" },
	{ "[n]", "number", "number", "???", "???" },
	{ "[ns]", "number", "any<number, string>", "???", "string" },
	{ "[*n]", "number", "number", "???", "number" },
	{ "[n*s]", "number", "any<number, string>", "???", "string" },
	{ "{}", "???", "???", "???", "???" },
	{ "{n}", "number", "number", "???", "number" },
	{ "{<ns>}", "any<number, string>", "any<number, string>", "string",
	  "number" },
	{ "()", "???", "???", "???", "???" },
	{ "('a'n)", "string", "number", "number", "???" },
	{ "('a's'b'n)", "string", "any<number, string>", "string", "???" },
	{ "(*sn)", "string", "number", "number", "???" },
	{ "('a'n*sb)", "string", "any<boolean, number>", "number", "???" },
	{ "fn>s", "???", "???", "???", "???" },
	{ "fs>s", "???", "???", "???", "???" },
	{ "fnn>s", "???", "???", "???", "???" },
};

static void inside(void)
{
	for (size_t i = 0; i < BL_COUNT(parts); i++) {
		const struct bl_type *type = read_type(parts[i].type);

		check_type(bl_type_keys(&arena, type), parts[i].keys);
		check_type(bl_type_values(&arena, type), parts[i].values);
		check_type(bl_type_select(&arena, type,
					  bl_value_string(BL_STR("a"))),
			   parts[i].at_a);
		check_type(bl_type_select(&arena, type, bl_value_integer(1)),
			   parts[i].at_1);
	}
}

static void unknown(void)
{
	static const char *const known[] = { "z",      "a",     "<ns>", "[]",
					     "[n*s]",  "{n}",   "()",   "<{}n>",
					     "('a'n)", "(*sn)", "fn>s" };
	static const char *const open[] = { "",        "{}",     "[{}]",
					    "('a'{})", "(*s{})", "{{}}" };

	for (size_t i = 0; i < BL_COUNT(known); i++)
		CHECK(!bl_type_is_unknown(read_type(known[i])));
	for (size_t i = 0; i < BL_COUNT(open); i++)
		CHECK(bl_type_is_unknown(read_type(open[i])));
}

/* A document that "with" may fill is of any type. */
static void emptiness(void)
{
	static const struct {
		const char *type;
		const char *text;
	} rows[] = {
		{ "()", "any" },
		{ "[]", "any" },
		{ "{}", "any" },
		{ "n", "number" },
		{ "[n[]]", "array<number, any>" },
		{ "[*()]", "array[any]" },
		{ "('a'()'b'n)", "object<a: any, b: number>" },
		{ "(*s{})", "object[string: any]" },
		{ "{()}", "set[any]" },
		{ "<n()>", "any" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		check_type(
			bl_type_without_empty(&arena, read_type(rows[i].type)),
			rows[i].text);
	CHECK(!bl_type_has_empty(read_type("('a'n*s[*n])")));
	CHECK(bl_type_has_empty(read_type("('a'[()])")));
}

/* A type that is too large, or finds no memory, becomes any. */
static void limits(void)
{
	struct bl_type large = { .kind = BL_TYPE_ARRAY,
				 .count = BL_TYPE_MAX_SIZE };
	const struct bl_type **items = bl_arena_new_array(
		&arena, const struct bl_type *, BL_TYPE_MAX_SIZE);

	for (size_t i = 0; i < BL_TYPE_MAX_SIZE; i++)
		items[i] = &bl_type_string;
	large.items = items;
	CHECK(bl_type_is_any(bl_type_make(&arena, &large)));
	large.count = 900;
	CHECK(!bl_type_is_any(bl_type_make(&arena, &large)));
}

/* Signatures: names and types, and none for what is not a builtin. */
static void signatures(void)
{
	struct bl_signatures table = { .arena = &arena };
	const struct bl_signature *found =
		bl_signature_find(&table, BL_STR("count"));

	check_type(found->type, "(any<string, array[any], object[any: any], "
				"set[any]>) => number");
	CHECK_STR(found->names[0], "collection");
	CHECK_STR(found->names[1], "n");
	CHECK(bl_signature_find(&table, BL_STR("count")) == found);
	check_type(bl_signature_find(&table, BL_STR("walk"))->type,
		   "(any) => array<array[any], any>");
	check_type(bl_signature_find(&table, BL_STR("glob.match"))->type,
		   "(string, any<null, array[string]>, string) => boolean");
	CHECK(!bl_signature_find(&table, BL_STR("nothing")));
	CHECK(!bl_signature_find(&table, BL_STR("")));
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(texts);
	RUN(unifying);
	RUN(joining);
	RUN(merging);
	RUN(inside);
	RUN(unknown);
	RUN(emptiness);
	RUN(limits);
	RUN(signatures);
	bl_arena_clear(&arena);
	return tap_end();
}
