/* SPDX-License-Identifier: Apache-2.0 */
#include "builtin_test.h"

static void arrays_and_sets(void)
{
	static const struct builtin_row rows[] = {
		{ "array.concat", "[[1], [2, 3]]", "[1, 2, 3]" },
		{ "array.reverse", "[[1, 2]]", "[2, 1]" },
		{ "array.slice", "[[1, 2, 3, 4], 1, 3]", "[2, 3]" },
		{ "array.slice", "[[1, 2, 3], -5, 2]", "[1, 2]" },
		{ "array.slice", "[[1, 2, 3], 2, 1]", "[]" },
		{ "array.slice", "[[1, 2, 3], 1, 99]", "[2, 3]" },
		{ "array.flatten", "[[1, [2, [3]], []]]", "[1, 2, [3]]" },
		{ "and", "[{\"$set\": [1, 2]}, {\"$set\": [2, 3]}]", "{2}" },
		{ "or", "[{\"$set\": [1]}, {\"$set\": [2]}]", "{1, 2}" },
		{ "intersection",
		  "[{\"$set\": [{\"$set\": [1, 2]}, {\"$set\": [2, 3]}]}]",
		  "{2}" },
		{ "intersection", "[{\"$set\": []}]", "set()" },
		{ "union", "[{\"$set\": [{\"$set\": [1]}, {\"$set\": [3]}]}]",
		  "{1, 3}" },
	};

	CHECK_ROWS(rows);
}

static void objects(void)
{
	static const struct builtin_row rows[] = {
		{ "object.get", "[{\"a\": {\"b\": [5]}}, [\"a\", \"b\", 0], 1]",
		  "5" },
		{ "object.get", "[{\"a\": 1}, [], 0]", "{\"a\": 1}" },
		{ "object.get", "[{\"a\": 1}, \"z\", 0]", "0" },
		{ "object.get", "[{\"a\": [1]}, [\"a\", \"0\"], 9]", "9" },
		{ "object.keys", "[{\"b\": 1, \"a\": 2}]", "{\"a\", \"b\"}" },
		{ "object.remove", "[{\"a\": 1, \"b\": 2}, [\"a\"]]",
		  "{\"b\": 2}" },
		{ "object.filter", "[{\"a\": 1, \"b\": 2}, {\"a\": null}]",
		  "{\"a\": 1}" },
		{ "object.union",
		  "[{\"a\": {\"x\": 1}, \"b\": 1}, {\"a\": {\"y\": 2}, "
		  "\"b\": [2]}]",
		  "{\"a\": {\"x\": 1, \"y\": 2}, \"b\": [2]}" },
		{ "object.union_n",
		  "[[{\"a\": {\"b\": 1}}, {\"a\": 5}, {\"a\": {\"c\": 2}}]]",
		  "{\"a\": {\"c\": 2}}" },
		{ "object.subset",
		  "[{\"a\": {\"b\": 1, \"c\": 2}}, "
		  "{\"a\": {\"b\": 1}}]",
		  "true" },
		{ "object.subset", "[[1, 2, 3, 4], [2, 3]]", "true" },
		{ "object.subset", "[[1, 2, 3], [1, 3]]", "false" },
		{ "object.subset", "[[1, 2, 3], {\"$set\": [1, 3]}]", "true" },
		{ "object.subset", "[{}, []]",
		  "eval_type_error: object.subset: both arguments "
		  "object.subset must be of the same type or array and set" },
	};

	CHECK_ROWS(rows);
}

static void json_paths(void)
{
	static const struct builtin_row rows[] = {
		{ "json.filter",
		  "[{\"a\": {\"b\": 1, \"c\": 2}, \"d\": 3}, [\"a/b\"]]",
		  "{\"a\": {\"b\": 1}}" },
		{ "json.filter", "[{\"a\": [1, 2, 3]}, [\"a/0\", \"/a/2\"]]",
		  "{\"a\": [1, 3]}" },
		{ "json.filter", "[{\"a/b\": 1, \"c\": 2}, [\"a~1b\"]]",
		  "{\"a/b\": 1}" },
		{ "json.remove",
		  "[{\"a\": {\"b\": 1, \"c\": 2}}, {\"$set\": "
		  "[[\"a\", \"b\"]]}]",
		  "{\"a\": {\"c\": 2}}" },
		{ "json.remove", "[{\"a\": [1, 2, 3]}, [\"a/0\", \"a/1\"]]",
		  "{\"a\": [3]}" },
		{ "json.remove", "[{\"a\": 1}, [\"a/b/c\"]]", "{\"a\": 1}" },
		{ "json.remove", "[{\"a\": 1}, [5]]",
		  "eval_type_error: json.remove: operand 2 must be one of "
		  "{set, array} containing string paths or array of path "
		  "segments but got number" },
	};

	CHECK_ROWS(rows);
}

/* Cases of RFC 6902, appendix A, and sets. */
static void json_patch(void)
{
	static const struct builtin_row rows[] = {
		{ "json.patch",
		  "[{\"foo\": [\"bar\", \"baz\"]}, [{\"op\": \"add\", "
		  "\"path\": \"/foo/1\", \"value\": \"qux\"}]]",
		  "{\"foo\": [\"bar\", \"qux\", \"baz\"]}" },
		{ "json.patch",
		  "[{\"foo\": [\"all\", \"grass\", \"cows\", \"eat\"]}, "
		  "[{\"op\": \"move\", \"from\": \"/foo/1\", \"path\": "
		  "\"/foo/3\"}]]",
		  "{\"foo\": [\"all\", \"cows\", \"eat\", \"grass\"]}" },
		{ "json.patch",
		  "[{\"a\": {\"$set\": [1, 2]}}, [{\"op\": \"remove\", "
		  "\"path\": [\"a\", 1]}]]",
		  "{\"a\": {2}}" },
		{ "json.patch",
		  "[[1], [{\"op\": \"add\", \"path\": \"/-\", \"value\": "
		  "2}]]",
		  "[1, 2]" },
		{ "json.patch",
		  "[[1, 2], [{\"op\": \"replace\", \"path\": \"/01\", "
		  "\"value\": 3}]]",
		  "eval_builtin_error: json.patch: no such array index: path "
		  "[\"01\"]" },
		{ "json.patch",
		  "[{\"baz\": \"qux\"}, [{\"op\": \"test\", \"path\": "
		  "\"/baz\", \"value\": \"bar\"}]]",
		  "eval_builtin_error: json.patch: value from EditTree != "
		  "patch value" },
	};

	CHECK_ROWS(rows);
}

static void graphs(void)
{
	static const struct builtin_row rows[] = {
		{ "walk", "[{\"a\": [5]}]",
		  "[[[], {\"a\": [5]}], [[\"a\"], [5]], [[\"a\", 0], 5]]" },
		{ "graph.reachable",
		  "[{\"a\": [\"b\"], \"b\": [\"c\"], \"d\": []}, [\"a\"]]",
		  "{\"a\", \"b\"}" },
		{ "graph.reachable_paths",
		  "[{\"a\": [\"b\"], \"b\": [\"c\"], \"c\": [\"a\"]}, "
		  "[\"a\"]]",
		  "{[\"a\", \"b\", \"c\"]}" },
		{ "graph.reachable_paths", "[{\"a\": [\"a\"]}, [\"a\"]]",
		  "{[\"a\", \"a\"]}" },
		{ "graph.reachable_paths", "[{\"a\": [\"x\"]}, [\"a\"]]",
		  "{[\"a\"]}" },
		{ "graph.reachable_paths", "[{\"a\": []}, [\"b\"]]", "set()" },
	};

	CHECK_ROWS(rows);
}

int main(void)
{
	RUN(arrays_and_sets);
	RUN(objects);
	RUN(json_paths);
	RUN(json_patch);
	RUN(graphs);
	return tap_end();
}
