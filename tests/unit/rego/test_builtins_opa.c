/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges of builtins where another answer seems as good: the answers are those that
 * `opa eval` of 1.22.3 printed.
 */
#include "policies.h"

static const struct {
	const char *expression;
	const char *answer;
} rows[] = {
	{ "product([0.1,3])", "0.30000000000000004" },
	{ "product([1.0,2])", "2" },
	{ "product([1.5,2,0.7])", "2.1" },
	{ "object.subset([], set())", "false" },
	{ "json.marshal({1: \"x\", \"1\": \"y\"})",
	  "\"{\\\"1\\\":\\\"y\\\"}\"" },
	{ "json.marshal({{1}: 2, [1]: 3, null: 4, true: 5})",
	  "\"{\\\"[1]\\\":2,\\\"null\\\":4,\\\"true\\\":5}\"" },
	{ "json.marshal({2: 1, 10: 1, \"3\": 4, \"10\": 7, \"b\":1, \"a\""
	  ":2, \"a!\": 1})",
	  "\"{\\\"10\\\":7,\\\"2\\\":1,\\\"3\\\":4,\\\"a\\\":2,\\\"a!\\\""
	  ":1,\\\"b\\\":1}\"" },
	{ "yaml.marshal([[1,[2]],{\"x\":{\"y\":[]}}, {}, \"\", \"yes\", "
	  "\"1\", null, \"a: b\", \"multi\\nline\", 1e2, 0.00001, 1e21, -"
	  "0.0])",
	  "\"- - 1\\n  - - 2\\n- x:\\n    \\\"y\\\": []\\n- {}\\n- \\\""
	  "\\\"\\n- \\\"yes\\\"\\n- \\\"1\\\"\\n- null\\n- 'a: b'\\n- |-"
	  "\\n  multi\\n  line\\n- 100\\n- 1e-05\\n- 1e+21\\n- -0\\n\"" },
	{ "yaml.marshal({\"a\":{\"b\":{\"c\":[[1],[{\"d\":1}]]}}})",
	  "\"a:\\n  b:\\n    c:\\n      - - 1\\n      - - d: 1\\n\"" },
	{ "json.match_schema({\"a\": 1}, {\"type\":\"array\"})",
	  "[false,[{\"desc\":\"Invalid type. Expected: array, given: obje"
	  "ct\",\"error\":\"(Root): Invalid type. Expected: array, given:"
	  " object\",\"field\":\"(Root)\",\"type\":\"invalid_type\"}]]" },
	{ "json.match_schema({\"a\":1}, {\"enum\": [1,2]})",
	  "[false,[{\"desc\":\"(Root) must be one of the following: 1, 2"
	  "\",\"error\":\"(Root): (Root) must be one of the following: 1,"
	  " 2\",\"field\":\"(Root)\",\"type\":\"enum\"}]]" },
	{ "yaml.marshal({\"a\":\"2020-01-01\",\"b\":\"12:30:45"
	  "\",\"c\":\"<<\",\"d\":\"2020-1-1 10:00:00\",\"e\":\""
	  "20-01-01\",\"f\":\"2020-13-01\",\"g\":\"190:70\",\"h"
	  "\":\"1:2.5\"})",
	  "\"a: \\\"2020-01-01\\\"\\nb: \\\"12:30:45\\\"\\nc: "
	  "\\\"<<\\\"\\nd: \\\"2020-1-1 10:00:00\\\"\\ne: 20-01"
	  "-01\\nf: 2020-13-01\\ng: 190:70\\nh: \\\"1:2.5\\\""
	  "\\n\"" },
	{ "yaml.marshal([\"tab\\t\\n x\",\"a\\tb\"])",
	  "\"- |-\\n  tab\\t\\n   x\\n- \\\"a\\\\tb\\\"\\n\"" },
	{ "yaml.unmarshal(\"a: 1e3\\nb: 1.50\\nc: 1e-9\\nd: 202"
	  "0-01-01\\ne: 1e30\")",
	  "{\"a\":1000,\"b\":1.5,\"c\":1e-9,\"d\":\"2020-01-01"
	  "\",\"e\":1e+30}" },
	{ "sprintf(\"%x|%X|%b|%.3x|%x\",[1.5,2.5,1.5,1.1,-0.375"
	  "])",
	  "\"0x1.8p+00|0X1.4P+01|6755399441055744p-52|0x1.19ap+"
	  "00|-0x1.8p-02\"" },
	{ "strings.render_template(\"{{urlquery .x}} {{slice .x"
	  " 1}} {{slice .x 1 2}} {{slice .l 1}}\",{\"x\":\"a<b "
	  "c\",\"l\":[1,2,3]})",
	  "\"a%3Cb+c <b c < [2 3]\"" },
	{ "strings.render_template(\"{{slice .x 2 1}}\",{\"x\":"
	  "\"abc\"})",
	  "undefined" },
	{ "strings.render_template(\"{{slice .x 4}}\",{\"x\":\""
	  "abc\"})",
	  "undefined" },
	{ "regex.globs_match(\"a*\", \"b*\")", "false" },
	{ "regex.globs_match(\"\", \"a*\")", "false" },
	{ "regex.globs_match(\"\", \"\")", "true" },
	{ "regex.globs_match(\".*\", \"\")", "false" },
	{ "regex.globs_match(\"\\\\\", \"a\")", "undefined" },
	{ "regex.globs_match(\"[-a]\", \"-\")", "undefined" },
	{ "regex.globs_match(\"[a-c-e]\", \"d\")", "undefined" },
	{ "regex.globs_match(\"a*\", \"a*\")", "true" },
	{ "regex.globs_match(\"a*b\", \"b\")", "true" },
	{ "regex.globs_match(\"a+\", \"a*\")", "true" },
	{ "semver.is_valid(\"9223372036854775807.0.0\")", "true" },
	{ "semver.is_valid(\"9223372036854775808.0.0\")", "false" },
	{ "net.cidr_contains(\"10.0.0.0/08\",\"10.1.1.1\")", "true" },
	{ "time.format([1,\"UTC\",\"__2 Jan\"])", "\"  1 Jan\"" },
	{ "time.format([1,\"UTC\",\"_2006 __2006\"])", "\"_1970   1070\"" },
	{ "time.parse_ns(\"2006 __2\",\"2020 100\")", "1586390400000000000" },
	{ "time.parse_ns(\"2006 __2\",\"2020   5\")", "1578182400000000000" },
	{ "time.parse_ns(\"2006 __2\",\"2020 5\")", "1578182400000000000" },
	{ "time.parse_ns(\"2006-__2\",\"2021- 45\")", "1613260800000000000" },
	{ "time.parse_ns(\"2006 002\",\"2020 366\")", "1609372800000000000" },
	{ "time.parse_ns(\"2006 002\",\"2021 366\")", "undefined" },
	{ "time.parse_ns(\"2006 002\",\"2021 000\")", "undefined" },
	{ "time.parse_ns(\"2006 __2 01 02\",\"2021 045 02 14\")",
	  "1613260800000000000" },
	{ "time.parse_ns(\"2006 __2 01 02\",\"2021 045 02 13\")", "undefined" },
	{ "time.parse_ns(\"2006 __2 01 02\",\"2021 045 03 14\")", "undefined" },
	{ "json.marshal(numbers.range(1e1,12))", "\"[10,11,12]\"" },
	{ "json.marshal(numbers.range(-0.0,1))", "\"[0,1]\"" },
	{ "strings.render_template(\"{{.x | js}}\", {\"x\": [1,\"<\"]})",
	  "\"[1 \\\\u003C]\"" },
	{ "strings.render_template(\"{{index .x 1}}\", {\"x\": [1,2]})",
	  "\"2\"" },
	{ "strings.render_template(\"{{index .x \\\"a\\\"}}\", {\"x\": {"
	  "\"a\": 5}})",
	  "\"5\"" },
	{ "strings.render_template(\"{{index .x \\\"a\\\" 1}}\", {\"x\": "
	  "{\"a\": [5,6]}})",
	  "\"6\"" },
	{ "strings.render_template(\"{{index .x 5}}\", {\"x\": [1,2]})",
	  "undefined" },
	{ "strings.render_template(\"{{index .x -1}}\", {\"x\": [1,2]})",
	  "undefined" },
	{ "strings.render_template(\"{{index .x \\\"b\\\"}}\", {\"x\": {"
	  "\"a\": 5}})",
	  "\"<undefined>\"" },
	{ "strings.render_template(\"{{index .x 0}}\", {\"x\": \"abc\"})",
	  "\"97\"" },
	{ "strings.render_template(\"{{index .x}}\", {\"x\": \"abc\"})",
	  "\"abc\"" },
	{ "strings.render_template(\"{{index .x 1.0}}\", {\"x\": [1,2]})",
	  "undefined" },
	{ "strings.render_template(\"{{js 1}} {{js true}} {{js}}\", {})",
	  "\"1 true \"" },
	{ "strings.render_template(\"{{js \\\"a\\\" \\\"b\\\" 1 2}}\", {}"
	  ")",
	  "\"ab1 2\"" },
	{ "strings.render_template(\"{{index .x 1 | printf \\\"%v\\\"}}\""
	  ", {\"x\": [1,\"q\"]})",
	  "\"q\"" },
	{ "strings.render_template(\"{{index . \\\"x\\\"}}\", {\"x\": 4})",
	  "\"4\"" },
	{ "strings.render_template(\"{{index .x nil}}\", {\"x\": [4]})",
	  "undefined" },
	{ "strings.render_template(\"{{index .y 1}}\", {\"x\": [4]})",
	  "undefined" },
	{ "strings.render_template(\"{{index 5 1}}\", {})", "undefined" },
	{ "strings.render_template(\"{{index .x true}}\", {\"x\": [4]})",
	  "undefined" },
	{ "strings.render_template(\"{{index .x \\\"1\\\"}}\", {\"x\": [4"
	  ",5]})",
	  "undefined" },
	{ "strings.render_template(\"{{index .x 1}}\", {\"x\": {\"1\": 5}"
	  "})",
	  "undefined" },
	{ "sprintf(\"%d\", [\"a\"])", "\"%!d(string=a)\"" },
	{ "sprintf(\"%d\", [1.5])", "\"%!d(float64=1.5)\"" },
	{ "sprintf(\"%s\", [1])", "\"%!s(int64=1)\"" },
	{ "sprintf(\"%s\", [1.5])", "\"%!s(float64=1.5)\"" },
	{ "sprintf(\"%s\", [true])", "\"true\"" },
	{ "sprintf(\"%s\", [null])", "\"null\"" },
	{ "sprintf(\"%d\", [true])", "\"%!d(string=true)\"" },
	{ "sprintf(\"%x\", [\"ab\"])", "\"6162\"" },
	{ "sprintf(\"%t\", [\"ab\"])", "\"%!t(string=ab)\"" },
	{ "sprintf(\"%t\", [1])", "\"%!t(int64=1)\"" },
	{ "sprintf(\"%f\", [\"a\"])", "\"%!f(string=a)\"" },
	{ "sprintf(\"%f\", [1])", "\"%!f(int64=1)\"" },
	{ "sprintf(\"%e\", [1])", "\"%!e(int64=1)\"" },
	{ "sprintf(\"%g\", [1])", "\"%!g(int64=1)\"" },
	{ "sprintf(\"%q\", [1])", "\"'\\\\x01'\"" },
	{ "sprintf(\"%q\", [\"a\"])", "\"\\\"a\\\"\"" },
	{ "sprintf(\"%q\", [[1,\"a\"]])",
	  "\"\\\"[1, \\\\\\\"a\\\\\\\"]\\\"\"" },
	{ "sprintf(\"%c\", [65])", "\"A\"" },
	{ "sprintf(\"%c\", [\"a\"])", "\"%!c(string=a)\"" },
	{ "sprintf(\"%U\", [65])", "\"U+0041\"" },
	{ "sprintf(\"%z\", [65])", "\"%!z(int64=65)\"" },
	{ "sprintf(\"%!\", [65])", "\"%!!(int64=65)\"" },
	{ "sprintf(\"%\", [65])", "\"%!(NOVERB)%!(EXTRA int64=65)\"" },
	{ "sprintf(\"%d %d\", [65])", "\"65 %!d(MISSING)\"" },
	{ "sprintf(\"%d\", [65, 66])", "\"65%!(EXTRA int64=66)\"" },
	{ "sprintf(\"%d\", [])", "\"%!d(MISSING)\"" },
	{ "sprintf(\"%[2]d %[1]d\", [1,2])", "\"2 1\"" },
	{ "sprintf(\"%[3]d\", [1,2])", "\"%!d(BADINDEX)\"" },
	{ "sprintf(\"%*d\", [5,2])", "\"    2\"" },
	{ "sprintf(\"%*d\", [\"a\",2])", "\"%!(BADWIDTH)2\"" },
	{ "sprintf(\"%.*f\", [2,2.5])", "\"2.50\"" },
	{ "sprintf(\"%-5d|\", [2])", "\"2    |\"" },
	{ "sprintf(\"%+d\", [2])", "\"+2\"" },
	{ "sprintf(\"%05d\", [2])", "\"00002\"" },
	{ "sprintf(\"%T\", [2])", "\"int64\"" },
	{ "sprintf(\"%T\", [\"a\"])", "\"string\"" },
	{ "sprintf(\"%T\", [[1]])", "\"string\"" },
	{ "sprintf(\"%T\", [true])", "\"string\"" },
	{ "sprintf(\"%T\", [1.5])", "\"float64\"" },
	{ "sprintf(\"%T\", [{\"a\":1}])", "\"string\"" },
	{ "sprintf(\"%T\", [{1}])", "\"string\"" },
	{ "sprintf(\"%T\", [null])", "\"string\"" },
	{ "sprintf(\"%w\", [\"a\"])", "\"%!w(string=a)\"" },
	{ "sprintf(\"%v\", [1e3])", "\"1000\"" },
	{ "sprintf(\"%d\", [1e3])", "\"%!d(float64=1000)\"" },
	{ "sprintf(\"%o %O %b %X\", [8,8,8,255])", "\"10 0o10 1000 FF\"" },
	{ "sprintf(\"%d\", [[1,2]])", "\"%!d(string=[1, 2])\"" },
	{ "sprintf(\"%s\", [[1,2]])", "\"[1, 2]\"" },
	{ "sprintf(\"%x\", [[1,2]])", "\"5b312c20325d\"" },
	{ "sprintf(\"%d\", [{\"a\":1}])", "\"%!d(string={\\\"a\\\": 1})\"" },
	{ "sprintf(\"%s\", [{\"a\":1}])", "\"{\\\"a\\\": 1}\"" },
	{ "sprintf(\"%d\", [null])", "\"%!d(string=null)\"" },
	{ "sprintf(\"%x\", [null])", "\"6e756c6c\"" },
	{ "sprintf(\"%t\", [null])", "\"%!t(string=null)\"" },
	{ "sprintf(\"%v\", [null])", "\"null\"" },
	{ "sprintf(\"%s %s\", [\"a\"])", "\"a %!s(MISSING)\"" },
	{ "sprintf(\"%#v\", [\"a\"])", "\"\\\"a\\\"\"" },
	{ "sprintf(\"%#v\", [1])", "\"1\"" },
	{ "sprintf(\"%+v\", [1])", "\"1\"" },
	{ "sprintf(\"%#x\", [\"a\"])", "\"0x61\"" },
	{ "sprintf(\"% x\", [\"abc\"])", "\"61 62 63\"" },
	{ "sprintf(\"%6.2f|\", [3.14159])", "\"  3.14|\"" },
	{ "sprintf(\"%10s|%-10s|\", [\"a\",\"b\"])",
	  "\"         a|b         |\"" },
	{ "sprintf(\"%.2s\", [\"abc\"])", "\"ab\"" },
	{ "sprintf(\"%5t\", [true])", "\"%!t(string= true)\"" },
	{ "sprintf(\"%q\", [true])", "\"\\\"true\\\"\"" },
	{ "sprintf(\"%e\", [true])", "\"%!e(string=true)\"" },
	{ "sprintf(\"%d\", [1.0])", "\"%!d(float64=1)\"" },
	{ "sprintf(\"%s\", [1.0])", "\"%!s(float64=1)\"" },
	{ "sprintf(\"%d\", [-0])", "\"0\"" },
	{ "sprintf(\"%y %d\", [1,2])", "\"%!y(int64=1) 2\"" },
	{ "sprintf(\"%d%%\", [1])", "\"1%\"" },
	{ "sprintf(\"%-\", [1])", "\"%!(NOVERB)%!(EXTRA int64=1)\"" },
	{ "sprintf(\"%[1]\", [1])", "\"%!(NOVERB)\"" },
	{ "sprintf(\"%[1]*d\", [1])", "\"%!d(MISSING)\"" },
	{ "sprintf(\"%x\", [true])", "\"74727565\"" },
	{ "sprintf(\"%c\", [1.5])", "\"%!c(float64=1.5)\"" },
	{ "sprintf(\"%c\", [true])", "\"%!c(string=true)\"" },
	{ "sprintf(\"%U\", [\"a\"])", "\"%!U(string=a)\"" },
	{ "sprintf(\"%g\", [\"a\"])", "\"%!g(string=a)\"" },
	{ "sprintf(\"%s\", [{1,2}])", "\"{1, 2}\"" },
	{ "sprintf(\"%d\", [{1,2}])", "\"%!d(string={1, 2})\"" },
	{ "sprintf(\"%t\", [[1]])", "\"%!t(string=[1])\"" },
	{ "sprintf(\"%t\", [{\"a\":1}])", "\"%!t(string={\\\"a\\\": 1})\"" },
	{ "sprintf(\"%q\", [{\"a\":1}])",
	  "\"\\\"{\\\\\\\"a\\\\\\\": 1}\\\"\"" },
	{ "sprintf(\"%q\", [{\"a\"}])", "\"\\\"{\\\\\\\"a\\\\\\\"}\\\"\"" },
	{ "sprintf(\"%x\", [{\"a\":1}])", "\"7b2261223a20317d\"" },
	{ "sprintf(\"%5d|\", [\"a\"])", "\"%!d(string=    a)|\"" },
	{ "sprintf(\"%.3d|\", [\"a\"])", "\"%!d(string=a)|\"" },
	{ "sprintf(\"%+d|\", [\"a\"])", "\"%!d(string=a)|\"" },
	{ "sprintf(\"%[2]d\", [\"a\"])", "\"%!d(BADINDEX)\"" },
	{ "count(numbers.range(1,10000000))", "10000000" },
};

static void edges(void)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_arena arena;
		struct bl_str rule;

		bl_arena_init(&arena, NULL, 0, 0);
		rule = bl_arena_printf(&arena, "r := %s\n", rows[i].expression);
		CHECK_STR(answer_of(&arena, rule.ptr, "p.r",
				    bl_value_undefined()),
			  rows[i].answer);
		bl_arena_clear(&arena);
	}
}

int main(void)
{
	RUN(edges);
	return tap_end();
}
