/* SPDX-License-Identifier: Apache-2.0 */
#include "builtin_test.h"

/* Values of RFC 4648, section 10. */
static void base64(void)
{
	static const struct builtin_row rows[] = {
		{ "base64.encode", "[\"fooba\"]", "Zm9vYmE=" },
		{ "base64.decode", "[\"Zm9vYg==\"]", "foob" },
		{ "base64.decode", "[\"Zm9v\\nYg==\"]", "foob" },
		{ "base64.decode", "[\"Zm9vYg=\"]",
		  "eval_builtin_error: base64.decode: illegal base64 data at "
		  "input byte 7" },
		{ "base64.decode", "[\"Zm9*\"]",
		  "eval_builtin_error: base64.decode: illegal base64 data at "
		  "input byte 3" },
		{ "base64.is_valid", "[\"Zg==\"]", "true" },
		{ "base64.is_valid", "[1]", "false" },
		{ "base64url.encode_no_pad", "[\"\\u00ff\\u00fe>\"]",
		  "w7_Dvj4" },
		{ "base64url.decode", "[\"w7_Dvj4\"]", "\u00ff\u00fe>" },
		{ "base64url.decode", "[\"abcde\"]",
		  "eval_builtin_error: base64url.decode: illegal base64url "
		  "string: abcde" },
		{ "hex.encode", "[\"lorem\"]", "6c6f72656d" },
		{ "hex.decode", "[\"6C6f\"]", "lo" },
		{ "hex.decode", "[\"fghi\"]",
		  "eval_builtin_error: hex.decode: encoding/hex: invalid "
		  "byte: U+0067 'g'" },
		{ "hex.decode", "[\"abc\"]",
		  "eval_builtin_error: hex.decode: encoding/hex: odd length "
		  "hex string" },
	};

	CHECK_ROWS(rows);
}

static void json(void)
{
	static const struct builtin_row rows[] = {
		{ "json.marshal", "[{\"b\": 1.50, \"a\": [\"<x>\"]}]",
		  "{\"a\":[\"\\u003cx\\u003e\"],\"b\":1.50}" },
		{ "json.marshal", "[{\"$set\": [2, 1]}]", "[1,2]" },
		{ "json.marshal_with_options", "[[1, {}], {\"indent\": \" \"}]",
		  "[\n 1,\n {}\n]" },
		{ "json.marshal_with_options", "[\"a\", {\"prefix\": \"> \"}]",
		  "> \"a\"" },
		{ "json.marshal_with_options", "[[], {\"k\": 1}]",
		  "eval_type_error: json.marshal_with_options: operand 2 "
		  "object contained unknown key \"k\"" },
		{ "json.unmarshal", "[\" {\\\"a\\\": 1e3} \"]",
		  "{\"a\": 1e3}" },
		{ "json.is_valid", "[\"{} x\"]", "false" },
		{ "json.is_valid", "[5]", "false" },
	};

	CHECK_ROWS(rows);
}

static void urls(void)
{
	static const struct builtin_row rows[] = {
		{ "urlquery.encode", "[\"a b&\\u00e9~\"]", "a+b%26%C3%A9~" },
		{ "urlquery.decode", "[\"a+b%26\"]", "a b&" },
		{ "urlquery.decode", "[\"%zz\"]",
		  "eval_builtin_error: urlquery.decode: invalid URL escape "
		  "\"%zz\"" },
		{ "urlquery.encode_object",
		  "[{\"b\": \"2\", \"a\": [\"x\", \"y\"]}]", "a=x&a=y&b=2" },
		{ "urlquery.encode_object", "[{\"a\": 1}]",
		  "eval_type_error: urlquery.encode_object: operand 1 values "
		  "must be string, array[string], or set[string]" },
		{ "urlquery.decode_object", "[\"a=1&b&a=2\"]",
		  "{\"a\": [\"1\", \"2\"], \"b\": [\"\"]}" },
		{ "uri.parse", "[\"HTTPS://u@[::1]:80/a%20b?x#f\"]",
		  "{\"fragment\": \"f\", \"hostname\": \"::1\", \"path\": "
		  "\"/a b\", \"port\": \"80\", \"raw_path\": \"/a b\", "
		  "\"raw_query\": \"x\", \"scheme\": \"https\"}" },
		{ "uri.parse", "[\"/a%2Fb\"]",
		  "{\"path\": \"/a/b\", \"raw_path\": \"/a%2Fb\"}" },
		{ "uri.is_valid", "[\"\"]", "false" },
		{ "uri.is_valid", "[\"http://a:b/\"]", "false" },
		{ "uri.is_valid", "[\":x\"]", "false" },
		{ "uri.is_valid", "[\"mailto:a@b\"]", "true" },
	};

	CHECK_ROWS(rows);
}

static void networks(void)
{
	static const struct builtin_row rows[] = {
		{ "net.cidr_contains", "[\"10.0.0.0/8\", \"10.1.2.3\"]",
		  "true" },
		{ "net.cidr_contains", "[\"10.0.0.0/8\", \"10.0.0.0/7\"]",
		  "false" },
		{ "net.cidr_contains", "[\"2001:db8::/32\", \"2001:db8::1\"]",
		  "true" },
		{ "net.cidr_contains", "[\"10.0.0.0/33\", \"10.0.0.0\"]",
		  "eval_builtin_error: net.cidr_contains: invalid CIDR "
		  "address: 10.0.0.0/33" },
		{ "net.cidr_is_valid", "[\"010.0.0.0/8\"]", "false" },
		{ "net.cidr_intersects",
		  "[\"192.168.0.0/16\", \"192.168.1.0/24\"]", "true" },
		{ "net.cidr_expand", "[\"10.0.0.3/31\"]",
		  "{\"10.0.0.2\", \"10.0.0.3\"}" },
		{ "net.cidr_expand", "[\"::/0\"]",
		  "eval_cancel_error: net.cidr_expand: network is too "
		  "large" },
		{ "net.cidr_merge",
		  "[[\"255.255.255.254/32\", "
		  "\"255.255.255.255/32\"]]",
		  "{\"255.255.255.254/31\"}" },
		{ "net.cidr_merge", "[[\"2001:db8:0:0:1::/80\"]]",
		  "{\"2001:db8:0:0:1::/80\"}" },
		{ "net.cidr_merge", "[[\"::1\"]]",
		  "eval_builtin_error: net.cidr_merge: IPv6 invalid: needs "
		  "prefix length" },
		{ "net.cidr_contains_matches",
		  "[[\"1.1.1.0/24\"], {\"$set\": [\"1.1.1.1\"]}]",
		  "{[0, \"1.1.1.1\"]}" },
	};

	CHECK_ROWS(rows);
}

int main(void)
{
	RUN(base64);
	RUN(json);
	RUN(urls);
	RUN(networks);
	return tap_end();
}
