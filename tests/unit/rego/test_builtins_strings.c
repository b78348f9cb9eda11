/* SPDX-License-Identifier: Apache-2.0 */
#include "builtin_test.h"

static void searching(void)
{
	static const struct builtin_row rows[] = {
		{ "contains", "[\"abc\", \"\"]", "true" },
		{ "startswith", "[\"abc\", \"ab\"]", "true" },
		{ "endswith", "[\"abc\", \"ab\"]", "false" },
		{ "indexof", "[\"h\\u00e9llo\", \"l\"]", "2" },
		{ "indexof", "[\"abc\", \"z\"]", "-1" },
		{ "indexof", "[\"abc\", \"\"]",
		  "eval_builtin_error: indexof: empty search character" },
		{ "indexof_n", "[\"\\u00e9aaa\", \"aa\"]", "[1, 2]" },
		{ "strings.count", "[\"aaaa\", \"aa\"]", "2" },
		{ "strings.count", "[\"\\u00e9\", \"\"]", "2" },
		{ "substring", "[\"h\\u00e9llo\", 1, 2]", "\u00e9l" },
		{ "substring", "[\"abc\", 1, -1]", "bc" },
		{ "substring", "[\"abc\", 9, 1]", "" },
		{ "substring", "[\"abc\", -1, 1]",
		  "eval_builtin_error: substring: negative offset" },
		{ "strings.any_prefix_match", "[[\"x\", \"ab\"], \"a\"]",
		  "true" },
		{ "strings.any_suffix_match",
		  "[\"ab\", {\"$set\": [\"a\", \"c\"]}]", "false" },
	};

	CHECK_ROWS(rows);
}

static void changing(void)
{
	static const struct builtin_row rows[] = {
		{ "lower", "[\"\\u00c9\\u0130A\"]", "\u00e9ia" },
		{ "upper", "[\"\\u00e9\\u00df\\u03c3z\"]",
		  "\u00c9\u00df\u03a3Z" },
		{ "strings.reverse", "[\"a\\u00e9b\"]", "b\u00e9a" },
		{ "replace", "[\"aaa\", \"a\", \"b\"]", "bbb" },
		{ "replace", "[\"ab\", \"\", \"-\"]", "-a-b-" },
		{ "strings.replace_n",
		  "[{\"<\": \"&lt;\", \">\": \"&gt;\"}, "
		  "\"a<b>\"]",
		  "a&lt;b&gt;" },
		{ "strings.replace_n",
		  "[{\"a\": \"1\", \"aa\": \"2\"}, "
		  "\"aa\"]",
		  "11" },
		{ "strings.replace_n", "[{\"a\": 1}, \"a\"]",
		  "eval_type_error: strings.replace_n: operand 1 non-string "
		  "value found in pattern object" },
		{ "trim", "[\"xxaxx\", \"x\"]", "a" },
		{ "trim", "[\"\\u00e9a\\u00e9\", \"\\u00e9\"]", "a" },
		{ "trim_left", "[\"xax\", \"x\"]", "ax" },
		{ "trim_right", "[\"xax\", \"x\"]", "xa" },
		{ "trim_prefix", "[\"aab\", \"a\"]", "ab" },
		{ "trim_suffix", "[\"abb\", \"b\"]", "ab" },
		{ "trim_space", "[\"\\u00a0 a\\u3000\\n\"]", "a" },
	};

	CHECK_ROWS(rows);
}

static void lists(void)
{
	static const struct builtin_row rows[] = {
		{ "concat", "[\",\", [\"a\", \"b\"]]", "a,b" },
		{ "concat", "[\"\", {\"$set\": [\"b\", \"a\"]}]", "ab" },
		{ "concat", "[\",\", [1]]",
		  "eval_type_error: concat: operand 2 must be array of "
		  "strings but got array containing number" },
		{ "split", "[\"a,b,\", \",\"]", "[\"a\", \"b\", \"\"]" },
		{ "split", "[\"a\\u00e9\", \"\"]", "[\"a\", \"\u00e9\"]" },
		{ "split", "[\"\", \",\"]", "[\"\"]" },
		{ "split", "[\"\", \"\"]", "[]" },
		{ "strings.split_n", "[\"a,b,c,d\", \",\", 2]",
		  "[\"a\", \"b\"]" },
		{ "strings.split_n", "[\"a,b,c,d\", \",\", -2]",
		  "[\"c\", \"d\"]" },
		{ "strings.split_n", "[\"a,b\", \",\", 0]", "[]" },
	};

	CHECK_ROWS(rows);
}

int main(void)
{
	RUN(searching);
	RUN(changing);
	RUN(lists);
	return tap_end();
}
