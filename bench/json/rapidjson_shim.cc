/* SPDX-License-Identifier: Apache-2.0 */
/* RapidJSON behind two C functions, for bench_json.c. */
#include <rapidjson/document.h>

extern "C" int rapidjson_parse(const char *text, size_t len);
extern "C" int rapidjson_parse_strict(const char *text, size_t len);

/* As RapidJSON comes: UTF-8 is not checked. */
int rapidjson_parse(const char *text, size_t len)
{
	rapidjson::Document document;

	document.Parse(text, len);
	return document.HasParseError() ? 0 : 1;
}

/* Checking UTF-8 as we do, which is the fair comparison. */
int rapidjson_parse_strict(const char *text, size_t len)
{
	rapidjson::Document document;

	document.Parse<rapidjson::kParseValidateEncodingFlag>(text, len);
	return document.HasParseError() ? 0 : 1;
}
