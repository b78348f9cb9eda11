/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object of http.send, key by key.  Values of headers are never in a
 * message: they may be secrets.
 */
#include "base/ascii.h"
#include "rego/builtins/external/http_request.h"

#include "rego/builtins/external/parameters.h"

static const int64_t second_ns = 1000000000;
enum { USUAL_TIMEOUT_S = 5 };

struct reader {
	struct bl_builtin_call *call;
	struct bl_value object;
	struct bl_http_wish *wish;
};

/* "TEXT "WHAT"" */
static bool wrong(const struct reader *reader, const char *text,
		  struct bl_str what)
{
	return bl_builtin_fault(reader->call, BL_FAULT_BUILTIN, "%s \"%.*s\"",
				text, BL_STR_ARG(what));
}

/* As OPA words it: a value as it would stand in a policy. */
static bool wrong_value(const struct reader *reader, const char *key,
			struct bl_value value)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_go_json_put(&text, value);
	bl_builtin_fault(reader->call, BL_FAULT_BUILTIN,
			 "invalid value %s for field \"%s\"", text.ptr, key);
	bl_buf_clear(&text);
	return false;
}

/* ---- one value of each kind -------------------------------------------------- */

static bool read_text(const struct reader *reader, struct bl_value value,
		      const char *key, void *out)
{
	struct bl_str *text = out;

	if (!bl_value_is(value, BL_KIND_STRING))
		return bl_builtin_fault(reader->call, BL_FAULT_BUILTIN,
					"\"%s\" must be a string", key);
	*text = bl_value_text(value);
	return true;
}

static bool read_flag(const struct reader *reader, struct bl_value value,
		      const char *key, void *out)
{
	bool *flag = out;

	if (!bl_value_is(value, BL_KIND_BOOLEAN))
		return bl_builtin_fault(reader->call, BL_FAULT_BUILTIN,
					"invalid value for \"%s\" field", key);
	*flag = bl_value_is_true(value);
	return true;
}

static bool read_retries(const struct reader *reader, struct bl_value value,
			 const char *key, void *out)
{
	uint32_t *retries = out;
	int64_t count;

	if (!bl_value_is(value, BL_KIND_NUMBER) ||
	    !bl_number_is_plain(value, &count) || count < 0)
		return wrong_value(reader, key, value);
	*retries = count < BL_REGO_HTTP_MAX_RETRIES ? (uint32_t)count
						    : BL_REGO_HTTP_MAX_RETRIES;
	return true;
}

static bool read_integer(struct bl_str text, int64_t *out)
{
	bool negative = text.len && text.ptr[0] == '-';
	int64_t value = 0;

	for (size_t i = negative; i < text.len; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9' ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, text.ptr[i] - '0', &value))
			return false;
	*out = negative ? -value : value;
	return text.len > negative;
}

/* Nanoseconds, as a number or the text of one, or a duration of Go. */
static bool read_timeout(const struct reader *reader, struct bl_value value,
			 const char *key, void *out)
{
	struct bl_builtin_call part = *reader->call;
	int64_t *timeout = out;
	struct bl_value number = bl_value_undefined();
	struct bl_str text;

	(void)key;
	if (bl_value_is(value, BL_KIND_NUMBER) &&
	    bl_number_is_plain(value, timeout))
		return true;
	if (bl_value_is(value, BL_KIND_NUMBER))
		return bl_builtin_fault(reader->call, BL_FAULT_BUILTIN,
					"invalid timeout number value, must be "
					"int64");
	if (!bl_value_is(value, BL_KIND_STRING))
		return bl_builtin_fault(
			reader->call, BL_FAULT_TYPE,
			"operand 1 'timeout' must be one of {string, number} "
			"but got %s",
			bl_kind_name(bl_value_kind(value)));
	if (read_integer(bl_value_text(value), timeout))
		return true;
	part.args = &value;
	part.arg_count = 1;
	if (bl_fn_time_parse_duration_ns(&part))
		number = part.result;
	if (bl_value_is(number, BL_KIND_NUMBER) &&
	    bl_number_is_plain(number, timeout))
		return true;
	text = bl_value_text(value);
	return bl_builtin_fault(
		reader->call, BL_FAULT_BUILTIN,
		"invalid timeout value \"%.*s\": time: invalid duration "
		"\"%.*s\"",
		BL_STR_ARG(text), BL_STR_ARG(text));
}

static bool read_body(const struct reader *reader, struct bl_value value,
		      const char *key, void *out)
{
	struct bl_str *body = out;
	struct bl_buf text;

	(void)key;
	if (reader->wish->request.has_body)
		return true; /* raw_body comes before it */
	bl_buf_init(&text, 0);
	bl_go_json_put(&text, value);
	*body = bl_arena_copy_str(reader->call->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	reader->wish->request.has_body = true;
	return body->ptr || bl_builtin_memory_fault(reader->call);
}

static bool read_raw_body(const struct reader *reader, struct bl_value value,
			  const char *key, void *out)
{
	reader->wish->request.has_body = true;
	return read_text(reader, value, key, out);
}

/* Of a name or method: RFC 9110's token. */
static bool is_token(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9');

		if (!plain && (!c || !strchr("!#$%&'*+-.^_`|~", c)))
			return false;
	}
	return text.len > 0;
}

static bool is_header_value(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' ? text.ptr[i] != '\t'
						     : text.ptr[i] == 0x7f)
			return false;
	return true;
}

static bool read_header(const struct reader *reader, struct bl_value headers,
			size_t i, struct bl_rego_header *out)
{
	struct bl_value value = bl_object_value(headers, i);

	out->name = bl_value_text(bl_object_key(headers, i));
	out->value = bl_value_text(value);
	if (!bl_value_is(value, BL_KIND_STRING))
		return wrong(reader, "invalid type for headers value of",
			     out->name);
	if (!is_token(out->name))
		return wrong(reader, "net/http: invalid header field name",
			     out->name);
	if (!is_header_value(out->value))
		return wrong(reader, "net/http: invalid header field value for",
			     out->name);
	return true;
}

static bool read_headers(const struct reader *reader, struct bl_value value,
			 const char *key, void *out)
{
	struct bl_rego_http_request *request = &reader->wish->request;
	size_t count = bl_value_count(value);
	struct bl_rego_header *headers;

	(void)key;
	(void)out;
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return bl_builtin_fault(reader->call, BL_FAULT_BUILTIN,
					"invalid type for headers key");
	if (count > BL_REGO_HTTP_MAX_HEADERS)
		return bl_builtin_fault(reader->call, BL_FAULT_CANCEL,
					"more than %d headers",
					BL_REGO_HTTP_MAX_HEADERS);
	headers = bl_arena_new_array(reader->call->arena, struct bl_rego_header,
				     count + 1);
	if (!headers)
		return bl_builtin_memory_fault(reader->call);
	for (size_t i = 0; i < count; i++)
		if (!read_header(reader, value, i, &headers[i]))
			return false;
	request->headers = headers;
	request->header_count = count;
	return true;
}

/* Keys of the cache between queries, which there is not one of. */
static bool take(const struct reader *reader, struct bl_value value,
		 const char *key, void *out)
{
	(void)reader;
	(void)value;
	(void)key;
	(void)out;
	return true;
}

static bool read_mode(const struct reader *reader, struct bl_value value,
		      const char *key, void *out)
{
	struct bl_str text = bl_value_text(value);

	(void)key;
	(void)out;
	if (bl_str_is(text, "serialized") || bl_str_is(text, "deserialized"))
		return true;
	return wrong(
		reader,
		"invalid value specified for \"caching_mode\" field:", text);
}

static bool read_ignored(const struct reader *reader, struct bl_value value,
			 const char *key, void *out)
{
	(void)key;
	(void)out;
	for (size_t i = 0; bl_value_is(value, BL_KIND_ARRAY); i++) {
		if (i == bl_value_count(value))
			return true;
		if (!bl_value_is(bl_value_item(value, i), BL_KIND_STRING))
			break;
	}
	return bl_builtin_fault(reader->call, BL_FAULT_BUILTIN,
				"cache_ignored_headers must be an array of "
				"strings");
}

/* ---- all keys ---------------------------------------------------------------- */

#define AT(field) offsetof(struct bl_http_wish, field)

/* raw_body comes before body, which it replaces. */
static const struct {
	const char *key;
	bool (*read)(const struct reader *reader, struct bl_value value,
		     const char *key, void *out);
	size_t at;
} keys[] = {
	{ "method", read_text, AT(request.method) },
	{ "url", read_text, AT(request.url) },
	{ "raw_body", read_raw_body, AT(request.body) },
	{ "body", read_body, AT(request.body) },
	{ "enable_redirect", read_flag, AT(redirects) },
	{ "force_json_decode", read_flag, AT(as_json) },
	{ "force_yaml_decode", read_flag, AT(as_yaml) },
	{ "headers", read_headers, 0 },
	{ "tls_use_system_certs", read_flag, AT(request.system_certs) },
	{ "tls_ca_cert", read_text, AT(request.ca.text) },
	{ "tls_ca_cert_file", read_text, AT(request.ca.file) },
	{ "tls_ca_cert_env_variable", read_text, AT(request.ca.variable) },
	{ "tls_client_cert", read_text, AT(request.client_cert.text) },
	{ "tls_client_cert_file", read_text, AT(request.client_cert.file) },
	{ "tls_client_cert_env_variable", read_text,
	  AT(request.client_cert.variable) },
	{ "tls_client_key", read_text, AT(request.client_key.text) },
	{ "tls_client_key_file", read_text, AT(request.client_key.file) },
	{ "tls_client_key_env_variable", read_text,
	  AT(request.client_key.variable) },
	{ "tls_insecure_skip_verify", read_flag, AT(request.skip_verify) },
	{ "tls_server_name", read_text, AT(request.server_name) },
	{ "timeout", read_timeout, AT(request.timeout_ns) },
	{ "max_retry_attempts", read_retries, AT(request.retries) },
	{ "caching_mode", read_mode, 0 },
	{ "cache_ignored_headers", read_ignored, 0 },
	{ "cache", take, 0 },
	{ "force_cache", take, 0 },
	{ "force_cache_duration_seconds", take, 0 },
	{ "raise_error", take, 0 },
};

static bool is_known(struct bl_str key)
{
	for (size_t i = 0; i < BL_COUNT(keys); i++)
		if (bl_str_is(key, keys[i].key))
			return true;
	return false;
}

/* No other keys, and those that have to be there. */
static bool check_keys(struct bl_builtin_call *call)
{
	static const char *const required[] = { "method", "url" };
	struct bl_value object = call->args[0];
	struct bl_array_builder unknown;
	struct bl_array_builder missing;

	bl_array_builder_init(&unknown, call->arena);
	bl_array_builder_init(&missing, call->arena);
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_value key = bl_object_key(object, i);

		if (!is_known(bl_value_text(key)))
			bl_array_builder_add(&unknown, key);
	}
	for (size_t i = 0; i < BL_COUNT(required); i++)
		if (!bl_value_is_defined(
			    bl_object_find(object, bl_str(required[i]))))
			bl_array_builder_add(
				&missing, bl_value_string(bl_str(required[i])));
	return bl_parameters_none(call, 1, "invalid request parameters(s)",
				  &unknown) &&
	       bl_parameters_none(call, 1,
				  "missing required request parameters(s)",
				  &missing);
}

static bool put_method(const struct reader *reader)
{
	struct bl_str *method = &reader->wish->request.method;
	char *upper =
		bl_arena_alloc_aligned(reader->call->arena, method->len + 1, 1);

	if (!upper)
		return bl_builtin_memory_fault(reader->call);
	for (size_t i = 0; i < method->len; i++) {
		char c = method->ptr[i];

		upper[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
	}
	method->ptr = upper;
	if (!method->len)
		*method = BL_STR("GET");
	return is_token(*method) ||
	       wrong(reader, "net/http: invalid method", *method);
}

/* A "Host" header names the server, too, unless the policy does. */
static void use_host_header(struct bl_rego_http_request *request)
{
	for (size_t i = 0; i < request->header_count; i++)
		if (!request->server_name.len &&
		    bl_ascii_equal(request->headers[i].name, BL_STR("host")))
			request->server_name = request->headers[i].value;
}

bool bl_rego_http_read_wish(struct bl_builtin_call *call,
			    struct bl_http_wish *out)
{
	struct reader reader = { call, call->args[0], out };

	*out = (struct bl_http_wish){
		.request = { .timeout_ns = USUAL_TIMEOUT_S * second_ns,
			     .max_answer_bytes = BL_REGO_HTTP_MAX_ANSWER_BYTES,
			     .is_over = call->state->is_over,
			     .is_over_context = call->state->is_over_context },
	};
	if (!check_keys(call))
		return false;
	if (!call->state->host.network)
		return bl_builtin_fault(call, BL_FAULT_CANCEL,
					"requests are not allowed here");
	for (size_t i = 0; i < BL_COUNT(keys); i++) {
		struct bl_value value =
			bl_object_find(reader.object, bl_str(keys[i].key));

		if (bl_value_is_defined(value) &&
		    !keys[i].read(&reader, value, keys[i].key,
				  (char *)out + keys[i].at))
			return false;
	}
	if (out->request.timeout_ns <= 0 ||
	    out->request.timeout_ns > BL_REGO_HTTP_MAX_TIMEOUT_S * second_ns)
		out->request.timeout_ns =
			BL_REGO_HTTP_MAX_TIMEOUT_S * second_ns;
	use_host_header(&out->request);
	return put_method(&reader);
}
