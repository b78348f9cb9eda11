/* SPDX-License-Identifier: Apache-2.0 */
/* providers.aws.sign_req: AWS Signature Version 4. */
#include <stdlib.h>
#include <time.h>

#include "base/url.h"
#include "crypto/crypto.h"
#include "rego/builtins/external/functions.h"
#include "rego/builtins/external/parameters.h"

enum { MAX_HEADERS = 256 };

struct request {
	struct bl_str method;
	struct bl_str host;
	struct bl_str path;
	struct bl_str query;
	struct bl_str content_hash;
	struct bl_sigv4_header own[4]; /* what signing adds */
	size_t own_count;
	struct bl_sigv4_header headers[MAX_HEADERS]; /* what is signed */
	size_t header_count;
	struct bl_str date; /* YYYYMMDDTHHMMSSZ */
};

/* ---- operands ----------------------------------------------------------- */

static struct bl_str config(const struct bl_builtin_call *call,
			    const char *name)
{
	return bl_value_text(bl_object_find(call->args[1], bl_str(name)));
}

static bool check_operands(struct bl_builtin_call *call, int64_t *out_time,
			   bool *out_unsigned)
{
	static const char *const config_keys[] = { "aws_access_key",
						   "aws_region",
						   "aws_secret_access_key",
						   "aws_service" };
	static const char *const request_keys[] = { "method", "url" };
	struct bl_value off = bl_object_find(call->args[1],
					     BL_STR("disable_payload_signing"));

	if (!bl_parameters_required(call, 2, "AWS config parameters(s)",
				    config_keys, BL_COUNT(config_keys)))
		return false;
	if (!bl_number_is_plain(call->args[2], out_time))
		return bl_builtin_fault(call, BL_FAULT_TYPE,
					"operand 3 could not convert time_ns "
					"value into a unix timestamp");
	if (!bl_parameters_required(call, 1, "request parameters(s)",
				    request_keys, BL_COUNT(request_keys)))
		return false;
	*out_unsigned = bl_value_is_true(off);
	if (!bl_value_is_defined(off) || bl_value_is(off, BL_KIND_BOOLEAN))
		return true;
	return bl_builtin_fault(call, BL_FAULT_TYPE,
				"operand 2 invalid value for "
				"'disable_payload_signing' in AWS config");
}

/* Characters that a path may have unescaped. */
static bool is_path_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') ||
	       (c && strchr("-_.~$&+,/:;=@!'()*%", c));
}

static struct bl_str escaped_path(struct bl_builtin_call *call,
				  struct bl_str path)
{
	struct bl_buf out;
	struct bl_str text;

	bl_buf_init(&out, 0);
	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];

		if (is_path_char(c))
			bl_buf_put_char(&out, c);
		else
			bl_buf_printf(&out, "%%%02X", (unsigned char)c);
	}
	text = bl_arena_copy_str(call->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

/* The host has its port; what comes before "@" is not signed. */
static void split_url(struct bl_builtin_call *call, struct bl_str text,
		      struct request *to)
{
	struct bl_url url = bl_url_split(text);

	to->host = url.authority;
	if (url.user.ptr)
		to->host = bl_str_slice(to->host, url.user.len + 1, SIZE_MAX);
	to->path =
		escaped_path(call, url.authority.ptr ? url.path : BL_STR(""));
	to->query = url.query;
}

/* ---- digests ------------------------------------------------------------ */

static struct bl_str hex_sha256(struct bl_builtin_call *call,
				struct bl_str text)
{
	char hex[BL_SHA256_HEX_BYTES];

	bl_sha256_hex(text, hex);
	return bl_arena_copy_str(call->arena, bl_str(hex));
}

static struct bl_str body_hash(struct bl_builtin_call *call)
{
	struct bl_value raw = bl_object_find(call->args[0], BL_STR("raw_body"));
	struct bl_value body = bl_object_find(call->args[0], BL_STR("body"));
	struct bl_str text;
	struct bl_buf json;

	if (bl_value_is(raw, BL_KIND_STRING) || !bl_value_is_defined(body))
		return hex_sha256(call, bl_value_text(raw));
	bl_buf_init(&json, 0);
	bl_go_json_put(&json, body);
	text = hex_sha256(call, bl_buf_str(&json));
	bl_buf_clear(&json);
	return text;
}

/* ---- headers ------------------------------------------------------------ */

static void add_own(struct request *to, const char *name, struct bl_str value)
{
	to->own[to->own_count++] =
		(struct bl_sigv4_header){ bl_str(name), value };
}

static bool set_header(struct request *to, struct bl_str name,
		       struct bl_str value)
{
	size_t i = 0;

	while (i < to->header_count && !bl_str_equal(to->headers[i].name, name))
		i++;
	if (i == MAX_HEADERS)
		return false;
	to->header_count += i == to->header_count;
	to->headers[i] = (struct bl_sigv4_header){ name, value };
	return true;
}

static bool is_ignored(struct bl_str name)
{
	static const char *const names[] = { "authorization", "user-agent",
					     "x-amzn-trace-id" };

	for (size_t i = 0; i < BL_COUNT(names); i++) {
		if (bl_str_is(name, names[i]))
			return true;
	}
	return false;
}

static struct bl_str lower(struct bl_builtin_call *call, struct bl_str name)
{
	struct bl_str text = { NULL, 0 };
	char *to = bl_arena_alloc(call->arena, name.len + 1);

	if (!to)
		return text;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		to[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	return (struct bl_str){ to, name.len };
}

static int compare_headers(const void *a, const void *b)
{
	const struct bl_sigv4_header *one = a;
	const struct bl_sigv4_header *two = b;

	return bl_str_compare(one->name, two->name);
}

static bool collect_headers(struct bl_builtin_call *call, struct request *to)
{
	struct bl_value given =
		bl_object_find(call->args[0], BL_STR("headers"));

	for (size_t i = 0; i < to->own_count; i++)
		set_header(to, to->own[i].name, to->own[i].value);
	for (size_t i = 0; i < bl_value_count(given); i++) {
		struct bl_str name =
			lower(call, bl_value_text(bl_object_key(given, i)));

		if (is_ignored(name))
			continue;
		if (!set_header(to, name,
				bl_value_text(bl_object_value(given, i))))
			return bl_builtin_fault(call, BL_FAULT_CANCEL,
						"more than %d headers",
						MAX_HEADERS);
	}
	qsort(to->headers, to->header_count, sizeof(*to->headers),
	      compare_headers);
	return true;
}

/* ---- the signature ------------------------------------------------------ */

static struct bl_value authorization(struct bl_builtin_call *call,
				     const struct request *request)
{
	const struct bl_sigv4 what = {
		.method = request->method,
		.path = request->path,
		.query = request->query,
		.headers = request->headers,
		.header_count = request->header_count,
		.content_hash = request->content_hash,
		.date = request->date,
		.key = config(call, "aws_access_key"),
		.secret = config(call, "aws_secret_access_key"),
		.region = config(call, "aws_region"),
		.service = config(call, "aws_service"),
	};
	struct bl_value value = bl_value_undefined();
	struct bl_buf out;

	bl_buf_init(&out, 0);
	if (bl_sigv4_put(&out, &what))
		value = bl_builtin_string(call, bl_buf_str(&out));
	bl_buf_clear(&out);
	return value;
}

/* The request's headers, those of signing instead of its own. */
static struct bl_value signed_request(struct bl_builtin_call *call,
				      const struct request *request)
{
	struct bl_value given =
		bl_object_find(call->args[0], BL_STR("headers"));
	struct bl_object_builder headers;
	struct bl_object_builder out;

	bl_object_builder_init(&headers, call->arena);
	for (size_t i = 0; i < bl_value_count(given); i++)
		bl_object_builder_add(&headers,
				      bl_value_text(bl_object_key(given, i)),
				      bl_object_value(given, i));
	bl_object_builder_add(&headers, BL_STR("Authorization"),
			      authorization(call, request));
	for (size_t i = 0; i < request->own_count; i++)
		bl_object_builder_add(&headers, request->own[i].name,
				      bl_value_string(request->own[i].value));
	bl_object_builder_init(&out, call->arena);
	for (size_t i = 0; i < bl_value_count(call->args[0]); i++)
		bl_object_builder_add(
			&out, bl_value_text(bl_object_key(call->args[0], i)),
			bl_object_value(call->args[0], i));
	bl_object_builder_add(&out, BL_STR("headers"),
			      bl_object_builder_end(&headers));
	return bl_object_builder_end(&out);
}

static bool set_date(struct bl_builtin_call *call, int64_t ns,
		     struct request *to)
{
	time_t seconds = (time_t)(ns / 1000000000 - (ns % 1000000000 < 0));
	struct tm tm;

	if (!gmtime_r(&seconds, &tm))
		return bl_builtin_memory_fault(call);
	to->date = bl_arena_printf(call->arena, "%04d%02d%02dT%02d%02d%02dZ",
				   tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
				   tm.tm_hour, tm.tm_min, tm.tm_sec);
	return to->date.ptr || bl_builtin_memory_fault(call);
}

bool bl_fn_providers_aws_sign_req(struct bl_builtin_call *call)
{
	struct bl_str service = config(call, "aws_service");
	struct bl_str token = config(call, "aws_session_token");
	struct request request = { .own_count = 0 };
	struct bl_value object = call->args[0];
	bool is_unsigned;
	int64_t ns;

	if (!check_operands(call, &ns, &is_unsigned) ||
	    !set_date(call, ns, &request))
		return false;
	request.method =
		bl_value_text(bl_object_find(object, BL_STR("method")));
	split_url(call, bl_value_text(bl_object_find(object, BL_STR("url"))),
		  &request);
	request.content_hash =
		is_unsigned ? BL_STR("UNSIGNED-PAYLOAD") : body_hash(call);
	add_own(&request, "host", request.host);
	add_own(&request, "x-amz-date", request.date);
	if (bl_str_is(service, "s3") || bl_str_is(service, "glacier"))
		add_own(&request, "x-amz-content-sha256", request.content_hash);
	if (token.len)
		add_own(&request, "x-amz-security-token", token);
	return collect_headers(call, &request) &&
	       bl_builtin_return(call, signed_request(call, &request));
}
