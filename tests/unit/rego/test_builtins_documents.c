/* SPDX-License-Identifier: Apache-2.0 */
#include "builtin_test.h"

static void yaml(void)
{
	static const struct builtin_row rows[] = {
		{ "yaml.unmarshal",
		  "[\"a: &x [1, 0x1F, 017, 1_000, .5]\\nb: *x\\nc: ~\\n\"]",
		  "{\"a\": [1, 31, 15, 1000, 0.5], \"b\": [1, 31, 15, 1000, "
		  "0.5], \"c\": null}" },
		{ "yaml.unmarshal", "[\"[yes, off, True, 'yes', 1.2.3]\"]",
		  "[\"yes\", \"off\", true, \"yes\", \"1.2.3\"]" },
		{ "yaml.unmarshal",
		  "[\"d: &d {a: 1, b: 2}\\ne: {<<: *d, b: 3}\\n\"]",
		  "{\"d\": {\"a\": 1, \"b\": 2}, \"e\": {\"a\": 1, \"b\": "
		  "3}}" },
		{ "yaml.unmarshal", "[\"{1: a, true: b}\"]",
		  "{\"1\": \"a\", \"true\": \"b\"}" },
		{ "yaml.unmarshal", "[\"*a\"]",
		  "eval_builtin_error: yaml.unmarshal: yaml: unknown anchor "
		  "'a' referenced" },
		{ "yaml.is_valid", "[\"a: [\"]", "false" },
		{ "yaml.is_valid", "[7]", "false" },
		{ "yaml.marshal",
		  "[{\"b\": [1, {\"c\": \"x\", \"d\": []}], \"a\": \"yes\"}]",
		  "a: \"yes\"\nb:\n  - 1\n  - c: x\n    d: []\n" },
		{ "yaml.marshal", "[[\"a: b\", \"l1\\nl2\\n\", \"\", \"12\"]]",
		  "- 'a: b'\n- |\n  l1\n  l2\n- \"\"\n- \"12\"\n" },
	};

	CHECK_ROWS(rows);
}

static void schema(void)
{
	static const struct builtin_row rows[] = {
		{ "json.match_schema",
		  "[{\"a\": 1.5}, {\"properties\": {\"a\": {\"type\": "
		  "\"integer\"}}}]",
		  "[false, [{\"desc\": \"Invalid type. Expected: integer, "
		  "given: number\", \"error\": \"a: Invalid type. Expected: "
		  "integer, given: number\", \"field\": \"a\", \"type\": "
		  "\"invalid_type\"}]]" },
		{ "json.match_schema", "[{}, {\"required\": [\"a\"]}]",
		  "[false, [{\"desc\": \"a is required\", \"error\": "
		  "\"(Root): a is required\", \"field\": \"(Root)\", "
		  "\"type\": \"required\"}]]" },
		{ "json.match_schema",
		  "[{\"a\": {\"a\": {}}}, {\"additionalProperties\": "
		  "{\"$ref\": \"#\"}}]",
		  "[true, []]" },
		{ "json.match_schema", "[{}, {\"$ref\": \"#\"}]",
		  "eval_builtin_error: json.match_schema: too many checks" },
		{ "json.match_schema",
		  "[{\"a\": \"abc\"}, {\"properties\": {\"a\": {\"pattern\": "
		  "\"^b\", \"maxLength\": 3}}}]",
		  "[false, [{\"desc\": \"Does not match pattern '^b'\", "
		  "\"error\": \"a: Does not match pattern '^b'\", \"field\": "
		  "\"a\", \"type\": \"pattern\"}]]" },
		{ "json.match_schema",
		  "[{\"a\": 5}, {\"properties\": {\"a\": {\"minimum\": 5, "
		  "\"exclusiveMinimum\": true}}}]",
		  "[false, [{\"desc\": \"Must be greater than 5\", \"error\": "
		  "\"a: Must be greater than 5\", \"field\": \"a\", \"type\": "
		  "\"number_gt\"}]]" },
		{ "json.match_schema",
		  "[{\"a\": 1}, {\"properties\": {\"a\": {\"$ref\": "
		  "\"#/definitions/x%20y\"}}, \"definitions\": {\"x y\": "
		  "{\"minimum\": 2}}}]",
		  "[false, [{\"desc\": \"Must be greater than or equal to 2\", "
		  "\"error\": \"a: Must be greater than or equal to 2\", "
		  "\"field\": \"a\", \"type\": \"number_gte\"}]]" },
		{ "json.match_schema",
		  "[1, {\"$ref\": \"http://a.test/whole\", \"definitions\": "
		  "{\"w\": {\"$id\": \"http://a.test/whole\", \"type\": "
		  "\"integer\"}}}]",
		  "eval_type_error: json.match_schema: operand 1 must be one "
		  "of "
		  "{object, string} but got number" },
		{ "json.match_schema",
		  "[\"1\", {\"$ref\": \"http://a.test/whole\", "
		  "\"definitions\": {\"w\": {\"$id\": "
		  "\"http://a.test/whole\", \"type\": \"integer\"}}}]",
		  "[true, []]" },
		{ "json.match_schema",
		  "[{}, {\"$ref\": \"#/definitions/none\", \"definitions\": "
		  "{\"other\": {}}}]",
		  "eval_builtin_error: json.match_schema: Object has no key "
		  "'none'" },
		{ "json.match_schema", "[{}, {\"pattern\": \"(\"}]",
		  "eval_builtin_error: json.match_schema: pattern must be a "
		  "valid regex" },
	};

	CHECK_ROWS(rows);
}

/* Of each format texts that OPA's checkers take, and texts that they refuse. */
static void formats(void)
{
	static const char *const rows[][3] = {
		{ "date", "2024-02-29", "2023-02-29" },
		{ "date", "2024-12-31", "2024-13-01" },
		{ "time", "23:59:59", "24:00:00" },
		{ "time", "10:00:00+01:00", "10:00" },
		{ "date-time", "2024-02-29T10:00:00.5Z",
		  "2024-02-29 10:00:00" },
		{ "date-time", "2024-02-29", "2024-02-30T10:00:00Z" },
		{ "email", "a@b", "a" },
		{ "ipv4", "192.0.2.1", "192.0.2.01" },
		{ "ipv4", "::ffff:192.0.2.1", "::1" },
		{ "ipv6", "fe80::1", "192.0.2.1" },
		{ "uri", "http://a.test/b?c", "/b" },
		{ "uri", "mailto:a@b.test", "a b" },
		{ "uri-reference", "/b", "http://[::1/" },
		{ "uri-reference", "", "a\\\\b" },
		{ "hostname", "a-1.b.test", "-a.test" },
		{ "uuid", "01234567-89ab-cdef-0123-456789ABCDEF",
		  "01234567-89ab-cdef-0123-456789ABCDEFG" },
		{ "regex", "a+", "a(" },
		{ "json-pointer", "/a~1b/0", "a" },
		{ "relative-json-pointer", "1/a", "/a" },
		{ "unknown", "anything", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t k = 1; k < 3 && rows[i][k]; k++) {
			char args[256], wanted[512];
			struct builtin_row row = { "json.match_schema", args,
						   wanted };

			snprintf(args, sizeof(args),
				 "[{\"a\": \"%s\"}, {\"properties\": {\"a\": "
				 "{\"format\": \"%s\"}}}]",
				 rows[i][k], rows[i][0]);
			snprintf(
				wanted, sizeof(wanted),
				k == 1 ? "[true, []]"
				       : "[false, [{\"desc\": \"Does not match "
					 "format '%s'\", \"error\": \"a: Does "
					 "not "
					 "match format '%s'\", \"field\": "
					 "\"a\", "
					 "\"type\": \"format\"}]]",
				rows[i][0], rows[i][0]);
			check_rows(&row, 1);
		}
}

/* The reader checks every keyword, in OPA's words. */
static void bad_schema(void)
{
	static const struct builtin_row rows[] = {
		{ "json.verify_schema", "[{\"required\": 1}]",
		  "[false, \"jsonschema: required must be of an array\"]" },
		{ "json.verify_schema",
		  "[{\"maxLength\": 1, \"minLength\": 2}]",
		  "[false, \"jsonschema: minLength cannot be greater than "
		  "maxLength\"]" },
		{ "json.verify_schema", "[{\"multipleOf\": 0}]",
		  "[false, \"jsonschema: multipleOf must be strictly greater "
		  "than 0\"]" },
	};

	CHECK_ROWS(rows);
}

static void templates(void)
{
	static const struct builtin_row rows[] = {
		{ "strings.render_template",
		  "[\"{{range $k, $v := .m}}{{$k}}={{$v}};{{end}}\", {\"m\": "
		  "{\"b\": 2, \"a\": 1}}]",
		  "a=1;b=2;" },
		{ "strings.render_template",
		  "[\"{{range .l}}x{{else}}none{{end}}\", {\"l\": []}]",
		  "none" },
		{ "strings.render_template",
		  "[\"a {{- if gt .n 1 }} big {{- else if eq .n 1 }} one "
		  "{{- else }} small {{- end }}\", {\"n\": 1}]",
		  "a one" },
		{ "strings.render_template",
		  "[\"{{with .a}}{{.b}}{{end}}{{/* no */}}{{len .l}}\", "
		  "{\"a\": {\"b\": \"x\"}, \"l\": [1, 2]}]",
		  "x2" },
		{ "strings.render_template",
		  "[\"{{printf \\\"%s-%d\\\" .a 7 | html}}\", {\"a\": "
		  "\"<\"}]",
		  "&lt;-7" },
		{ "strings.render_template",
		  "[\"{{$x := .a}}{{$x = 2}}{{$x}}{{.none}}\", {\"a\": 1}]",
		  "2<undefined>" },
		{ "strings.render_template", "[\"{{.a\", {}]",
		  "eval_builtin_error: strings.render_template: template: "
		  "unclosed action" },
		{ "strings.render_template", "[\"{{if .a}}\", {}]",
		  "eval_builtin_error: strings.render_template: template: "
		  "unexpected EOF" },
		{ "strings.render_template", "[\"{{nope}}\", {}]",
		  "eval_builtin_error: strings.render_template: template: "
		  "function \"nope\" not defined" },
	};

	CHECK_ROWS(rows);
}

static void modules(void)
{
	static const struct builtin_row rows[] = {
		{ "rego.parse_module", "[\"x.rego\", \"package a.b\"]",
		  "{\"package\": {\"path\": [{\"type\": \"var\", \"value\": "
		  "\"data\"}, {\"type\": \"string\", \"value\": \"a\"}, "
		  "{\"type\": \"string\", \"value\": \"b\"}]}}" },
		{ "rego.parse_module", "[\"x.rego\", \"package a.\"]",
		  "eval_builtin_error: rego.parse_module: 1 error occurred: "
		  "x.rego:1: rego_parse_error: unexpected eof token: expected "
		  "identifier" },
	};

	CHECK_ROWS(rows);
}

static void requests(void)
{
	static const struct builtin_row rows[] = {
		{ "http.send", "[{\"url\": \"http://x\", \"no\": 1}]",
		  "eval_type_error: http.send: operand 1 invalid request "
		  "parameters(s): {\"no\"}" },
		{ "http.send", "[{\"method\": \"get\", \"url\": \"http://x\"}]",
		  "eval_cancel_error: http.send: requests are not allowed "
		  "here" },
		{ "net.lookup_ip_addr", "[\"10.0.0.1\"]", "{\"10.0.0.1\"}" },
		{ "net.lookup_ip_addr", "[\"example.com\"]",
		  "eval_cancel_error: net.lookup_ip_addr: look-ups are not "
		  "allowed here" },
		{ "providers.aws.sign_req", "[{}, {}, 1]",
		  "eval_type_error: providers.aws.sign_req: operand 2 missing "
		  "required AWS config parameters(s): {\"aws_access_key\", "
		  "\"aws_region\", \"aws_secret_access_key\", "
		  "\"aws_service\"}" },
	};

	CHECK_ROWS(rows);
}

int main(void)
{
	RUN(yaml);
	RUN(schema);
	RUN(formats);
	RUN(bad_schema);
	RUN(templates);
	RUN(modules);
	RUN(requests);
	return tap_end();
}
