/* SPDX-License-Identifier: Apache-2.0 */
#include "builtin_test.h"

/* Every row is found by its name, and each table is sorted. */
static void names(void)
{
	size_t count = 0, falls = 0;

	for (; bl_builtin_at(count); count++) {
		const struct bl_builtin *row = bl_builtin_at(count);

		CHECK(bl_builtin_find(bl_str(row->name)) == row);
		CHECK(row->arity <= 4);
		CHECK(row->doc && row->doc[0]);
		if (count &&
		    strcmp(bl_builtin_at(count - 1)->name, row->name) >= 0)
			falls++;
	}
	/*
	 * docs/contracts/rego.md "Builtins": 206 names, of which 48 need
	 * libraries.
	 */
	CHECK(count >= 158);
	CHECK(count <= 206);
	CHECK(falls <= 10); /* families beside the core */
	CHECK(!bl_builtin_find(BL_STR("nothing")));
	CHECK(!bl_builtin_find(BL_STR("")));
	CHECK(!bl_builtin_find(BL_STR("counts")));
}

static void flags(void)
{
	CHECK(bl_builtin_find(BL_STR("walk"))->flags & BL_BUILTIN_RELATION);
	CHECK(bl_builtin_find(BL_STR("plus"))->flags & BL_BUILTIN_INFIX);
	CHECK(bl_builtin_find(BL_STR("any"))->flags & BL_BUILTIN_DEPRECATED);
	CHECK(bl_builtin_find(BL_STR("rand.intn"))->flags &
	      BL_BUILTIN_NONDETERMINISTIC);
	CHECK(bl_builtin_find(BL_STR("eq"))->flags & BL_BUILTIN_FIXED);
	CHECK(!bl_builtin_find(BL_STR("eq"))->function);
}

static void operand_types(void)
{
	static const struct builtin_row rows[] = {
		{ "count", "[null]",
		  "eval_type_error: count: operand 1 must be one of {array, "
		  "object, set, string} but got null" },
		{ "array.concat", "[[], {}]",
		  "eval_type_error: array.concat: operand 2 must be array but "
		  "got object" },
		{ "object.remove", "[{}, true]",
		  "eval_type_error: object.remove: operand 2 must be one of "
		  "{object, set, array} but got boolean" },
		{ "strings.reverse", "[1]",
		  "eval_type_error: reverse: operand 1 must be string but got "
		  "number" },
		{ "strings.any_prefix_match", "[[\"a\", 1], \"a\"]",
		  "eval_type_error: strings.any_prefix_match: operand 1 must "
		  "be array of strings but got array containing number" },
		{ "sum", "[{\"$set\": [\"a\"]}]",
		  "eval_type_error: sum: operand 1 must be set of numbers but "
		  "got set containing string" },
	};

	CHECK_ROWS(rows);
}

static void comparison(void)
{
	static const struct builtin_row rows[] = {
		{ "equal", "[1, 1.0]", "true" },
		{ "equal", "[1, \"1\"]", "false" },
		{ "neq", "[[1], [1]]", "false" },
		{ "lt", "[null, false]", "true" },
		{ "lt", "[{\"$set\": []}, {}]", "false" },
		{ "gt", "[[], \"z\"]", "true" },
		{ "lte", "[2, 2]", "true" },
		{ "gte", "[1, 2]", "false" },
		{ "internal.member_2", "[2, {\"a\": 2}]", "true" },
		{ "internal.member_2", "[\"a\", {\"a\": 2}]", "false" },
		{ "internal.member_2", "[1, {\"$set\": [1]}]", "true" },
		{ "internal.member_2", "[\"a\", \"abc\"]", "false" },
		{ "internal.member_3", "[1, \"b\", [\"a\", \"b\"]]", "true" },
		{ "internal.member_3", "[\"1\", \"b\", [\"a\", \"b\"]]",
		  "false" },
		{ "internal.member_3", "[\"k\", 1, {\"k\": 1}]", "true" },
		{ "internal.member_3", "[1, 1, {\"$set\": [1]}]", "true" },
		{ "internal.member_3", "[1, 2, {\"$set\": [1, 2]}]", "false" },
	};

	CHECK_ROWS(rows);
}

static void types(void)
{
	static const struct builtin_row rows[] = {
		{ "type_name", "[{\"$set\": []}]", "set" },
		{ "type_name", "[null]", "null" },
		{ "is_string", "[1]", "false" },
		{ "is_object", "[{}]", "true" },
		{ "cast_array", "[{\"$set\": [2, 1]}]", "[1, 2]" },
		{ "cast_set", "[[1, 1]]", "{1}" },
		{ "cast_string", "[1]",
		  "eval_type_error: cast_string: operand 1 must be string but "
		  "got number" },
		{ "to_number", "[null]", "0" },
		{ "to_number", "[true]", "1" },
		{ "to_number", "[\"1.50\"]", "1.50" },
		{ "to_number", "[\"+5\"]", "5" },
		{ "to_number", "[\"  1\"]",
		  "eval_builtin_error: to_number: strconv.ParseFloat: parsing "
		  "\"  1\": invalid syntax" },
		{ "to_number", "[\"-Inf\"]",
		  "eval_type_error: to_number: operand 1 must be valid number "
		  "string but got string" },
		{ "to_number", "[\"1e999\"]",
		  "eval_builtin_error: to_number: strconv.ParseFloat: parsing "
		  "\"1e999\": value out of range" },
	};

	CHECK_ROWS(rows);
}

static void runtime(void)
{
	static const struct builtin_row rows[] = {
		{ "opa.runtime", "[]", "{}" },
		{ "trace", "[\"x\"]", "true" },
		{ "internal.template_string",
		  "[[\"a \", {\"$set\": [[1, \"x\"]]}, {\"$set\": []}]]",
		  "a [1, \"x\"]<undefined>" },
		{ "internal.template_string", "[[{\"$set\": [1, 2]}]]",
		  "eval_conflict_error: internal.template_string: "
		  "template-strings must not produce multiple outputs" },
	};

	CHECK_ROWS(rows);
}

int main(void)
{
	RUN(names);
	RUN(flags);
	RUN(operand_types);
	RUN(comparison);
	RUN(types);
	RUN(runtime);
	return tap_end();
}
