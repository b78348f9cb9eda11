/* SPDX-License-Identifier: Apache-2.0 */
#include "builtin_test.h"

/* Texts as gqlparser has them (docs/contracts/rego.md "GraphQL"). */
static void syntax(void)
{
	static const struct builtin_row rows[] = {
		{ "graphql.parse_query", "[\"{ a: b }\"]",
		  "{\"Operations\": [{\"Name\": \"\", \"Operation\": "
		  "\"query\", \"SelectionSet\": [{\"Alias\": \"a\", \"Name\": "
		  "\"b\"}]}]}" },
		{ "graphql.parse_query", "[\"{\"]",
		  "eval_builtin_error: graphql.parse_query: Expected Name, "
		  "found <EOF> in GraphQL string at location 1:2" },
		{ "graphql.parse_query", "[\"query ($a: [Int!]! = [$b]) {a}\"]",
		  "eval_builtin_error: graphql.parse_query: Unexpected $ in "
		  "GraphQL string at location 1:23" },
		{ "graphql.parse_query", "[\"{ a(b: \\\"x\\ny\\\") }\"]",
		  "eval_builtin_error: graphql.parse_query: Unexpected "
		  "<Invalid> in GraphQL string at location 1:10" },
		{ "graphql.parse_schema", "[\"type A {}\"]",
		  "eval_builtin_error: graphql.parse_schema: expected at "
		  "least one definition, found } in GraphQL string at "
		  "location 1:9" },
		{ "graphql.parse_schema",
		  "[\"\\\"\\\"\\\"\\n  one\\n    two\\n\\\"\\\"\\\" scalar "
		  "A\"]",
		  "{\"Definitions\": [{\"BuiltIn\": false, \"Description\": "
		  "\"one\\n  two\", \"Kind\": \"SCALAR\", \"Name\": \"A\"}]}" },
		{ "graphql.schema_is_valid", "[1]",
		  "eval_type_error: graphql.schema_is_valid: operand 0 must "
		  "be one of {string, object} but got number" },
	};

	CHECK_ROWS(rows);
}

#define SCHEMA                                                                 \
	"type Query { a(n: Int! m: E): A u: U i: I } "                         \
	"type A implements I { b: String c: A } type B { d: Int } "            \
	"union U = A | B interface I { b: String } enum E { X Y } "            \
	"input In { k: Int! }"
#define PARSE(query) "[\"" query "\", \"" SCHEMA "\"]"
#define FAULT        "eval_builtin_error: graphql.parse: "
#define AT           " in GraphQL string at location "

static void rules(void)
{
	static const struct builtin_row rows[] = {
		{ "graphql.parse", PARSE("{ zzzz }"),
		  FAULT "Cannot query field \"zzzz\" on type \"Query\"" AT
			"1:3" },
		{ "graphql.parse", PARSE("{ a(n: 1) }"),
		  FAULT "Field \"a\" of type \"A\" must have a selection of "
			"subfields. Did you mean \"a { ... }\"?" AT "1:3" },
		{ "graphql.parse", PARSE("{ a(n: 1) { b { __typename } } }"),
		  FAULT "Field \"b\" must not have a selection since type "
			"\"String\" has no subfields" AT "1:13" },
		{ "graphql.parse", PARSE("{ a { b } }"),
		  FAULT "Field \"a\" argument \"n\" of type \"Int!\" is "
			"required, but it was not provided" AT "1:3" },
		{ "graphql.parse", PARSE("{ a(n: true) { b } }"),
		  FAULT "Int cannot represent non-integer value: true" AT
			"1:8" },
		{ "graphql.parse", PARSE("{ a(n: 1, m: Z) { b } }"),
		  FAULT "Value \"Z\" does not exist in \"E\" enum" AT "1:14" },
		{ "graphql.parse", PARSE("{ a(n: $v) { b } }"),
		  FAULT "Variable \"$v\" is not defined" AT "1:8" },
		{ "graphql.parse",
		  PARSE("query Q($v: Int) { u { ... on A { b } } }"),
		  FAULT "Variable \"$v\" is never used in operation \"Q\"" AT
			"1:9" },
		{ "graphql.parse", PARSE("{ u { ...F } }"),
		  FAULT "Unknown fragment \"F\"" AT "1:10" },
		{ "graphql.parse", PARSE("{ i { ... on B { d } } }"),
		  FAULT "Fragment cannot be spread here as objects of type "
			"\"I\" can never be of type \"B\"" AT "1:11" },
		{ "graphql.parse",
		  PARSE("{ x: a(n: 1) { b } x: a(n: 2) { b } }"),
		  FAULT "Fields \"x\" conflict because they have differing "
			"arguments. Use different aliases on the fields to "
			"fetch both if this was intentional" AT "1:20" },
		{ "graphql.parse", PARSE("{ i { b } } { i { b } }"),
		  FAULT "This anonymous operation must be the only defined "
			"operation" AT "1:1" },
		{ "graphql.parse", PARSE("mutation { x }"),
		  FAULT "Schema does not support operation type "
			"\"mutation\"" AT "1:1" },
		{ "graphql.is_valid",
		  PARSE("{ ...F } fragment F on Query { ...F }"), "false" },
		{ "graphql.is_valid", PARSE("{ i { b @skip(if: true) } }"),
		  "true" },
		{ "graphql.is_valid", PARSE("{ i { b @nope } }"), "false" },
		{ "graphql.is_valid", PARSE("{ __schema { types { name } } }"),
		  "true" },
	};

	CHECK_ROWS(rows);
}

static void schemas(void)
{
	static const struct builtin_row rows[] = {
		{ "graphql.schema_is_valid", "[\"" SCHEMA "\"]", "true" },
		{ "graphql.schema_is_valid", "[\"type A { b: Nope }\"]",
		  "false" },
		{ "graphql.schema_is_valid", "[\"scalar A scalar A\"]",
		  "false" },
		{ "graphql.schema_is_valid", "[\"type __A { b: Int }\"]",
		  "false" },
		{ "graphql.schema_is_valid",
		  "[\"interface I { a: Int } type A implements I { b: Int "
		  "}\"]",
		  "false" },
		{ "graphql.schema_is_valid", "[\"enum E { true }\"]", "false" },
	};

	CHECK_ROWS(rows);
}

/* Nesting without end is a fault, not the end of the stack. */
static void limits(void)
{
	struct bl_buf query;
	struct bl_buf out;

	bl_buf_init(&query, 0);
	bl_buf_init(&out, 0);
	bl_buf_puts(&query, "[\"");
	for (size_t i = 0; i < 100000; i++)
		bl_buf_puts(&query, "{a");
	bl_buf_puts(&query, "\"]");
	call_builtin("graphql.parse_query", query.ptr, &out);
	CHECK(bl_str_has_prefix(bl_buf_str(&out),
				BL_STR("eval_builtin_error: "
				       "graphql.parse_query: nested more than "
				       "200 levels deep")));
	bl_buf_clear(&query);
	bl_buf_clear(&out);
}

int main(void)
{
	RUN(syntax);
	RUN(rules);
	RUN(schemas);
	RUN(limits);
	return tap_end();
}
