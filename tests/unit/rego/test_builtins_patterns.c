/* SPDX-License-Identifier: Apache-2.0 */
#include "builtin_test.h"

static void regular_expressions(void)
{
	static const struct builtin_row rows[] = {
		{ "regex.match", "[\"^a+$\", \"aaa\"]", "true" },
		{ "re_match", "[\"b\", \"aaa\"]", "false" },
		{ "regex.is_valid", "[\"a(\"]", "false" },
		{ "regex.is_valid", "[1]", "false" },
		{ "regex.split", "[\"a\", \"banana\"]",
		  "[\"b\", \"n\", \"n\", \"\"]" },
		{ "regex.split", "[\"z+\", \"pizza\"]", "[\"pi\", \"a\"]" },
		{ "regex.find_n", "[\"a.\", \"ab ac ad\", 2]",
		  "[\"ab\", \"ac\"]" },
		{ "regex.find_n", "[\"a.\", \"ab ac\", -1]",
		  "[\"ab\", \"ac\"]" },
		{ "regex.find_n", "[\"a*\", \"baab\", -1]",
		  "[\"\", \"aa\", \"\"]" },
		{ "regex.find_all_string_submatch_n",
		  "[\"a(x*)b\", \"axxb ab\", -1]",
		  "[[\"axxb\", \"xx\"], [\"ab\", \"\"]]" },
		{ "regex.replace", "[\"foo\", \"(?P<x>o)\", \"${x}-\"]",
		  "fo-o-" },
		{ "regex.replace", "[\"ab\", \"(a)\", \"$1x\"]", "b" },
		{ "regex.replace", "[\"abc\", \"x*\", \"-\"]", "-a-b-c-" },
		{ "regex.replace", "[\"a\", \"a\", \"$$1\"]", "$1" },
		{ "regex.template_match",
		  "[\"urn:foo:{.*}\", \"urn:foo:bar\", \"{\", \"}\"]", "true" },
		{ "regex.template_match",
		  "[\"a.{b+}\", \"axbb\", \"{\", \"}\"]", "false" },
	};

	CHECK_ROWS(rows);
}

static void globs(void)
{
	static const struct builtin_row rows[] = {
		{ "glob.match", "[\"*.github.com\", [], \"api.github.com\"]",
		  "true" },
		{ "glob.match", "[\"*.com\", [], \"api.github.com\"]",
		  "false" },
		{ "glob.match", "[\"**.com\", [], \"api.github.com\"]",
		  "true" },
		{ "glob.match", "[\"*.com\", null, \"api.github.com\"]",
		  "true" },
		{ "glob.match", "[\"a:?\", [\":\"], \"a:b\"]", "true" },
		{ "glob.match", "[\"a?\", [\":\"], \"a:\"]", "false" },
		{ "glob.match", "[\"[!a-c]x\", [], \"dx\"]", "true" },
		{ "glob.match", "[\"{cat,bat,[fr]at}\", [], \"rat\"]", "true" },
		{ "glob.match", "[\"\\\\*\", [], \"*\"]", "true" },
		{ "glob.match", "[\"{a\", [], \"a\"]",
		  "eval_builtin_error: glob.match: not a glob: {a" },
		{ "glob.quote_meta", "[\"*.github.com\"]", "\\*.github.com" },
		{ "regex.globs_match", "[\"a.a.[0-9]+z\", \"aba.*z\"]",
		  "true" },
		{ "regex.globs_match", "[\"[a-c]+\", \"d*e\"]", "false" },
		{ "regex.globs_match", "[\"pqrs]\", \"a\"]",
		  "eval_builtin_error: regex.globs_match: input:pqrs], "
		  "pos:5, set-close ']' with no preceding '[': the input "
		  "provided is invalid" },
	};

	CHECK_ROWS(rows);
}

int main(void)
{
	RUN(regular_expressions);
	RUN(globs);
	return tap_end();
}
