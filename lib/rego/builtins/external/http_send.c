/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.send: one answer for each request of a query.  The embedder makes the
 * exchanges (struct bl_rego_network); redirects are followed here, where each
 * host is asked for again.
 */
#include "rego/builtins/external/http_request.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/url.h"
#include "base/utf8.h"

/* ---- what was sent before in this query ---------------------------------- */

static bool is_ignored(struct bl_value list, struct bl_value name)
{
	for (size_t i = 0; i < bl_value_count(list); i++)
		if (bl_value_equal(bl_value_item(list, i), name))
			return true;
	return false;
}

/* The headers that make requests differ. */
static struct bl_value counting_headers(struct bl_arena *arena,
					struct bl_value headers,
					struct bl_value ignored)
{
	struct bl_object_builder out;

	if (!bl_value_is(headers, BL_KIND_OBJECT))
		return headers;
	bl_object_builder_init(&out, arena);
	for (size_t i = 0; i < bl_value_count(headers); i++)
		if (!is_ignored(ignored, bl_object_key(headers, i)))
			bl_object_builder_add(
				&out, bl_value_text(bl_object_key(headers, i)),
				bl_object_value(headers, i));
	return bl_object_builder_end(&out);
}

/* ["http.send", request]; undefined: no memory. */
static struct bl_value key_of(struct bl_builtin_call *call)
{
	struct bl_value request = call->args[0];
	struct bl_value ignored =
		bl_object_find(request, BL_STR("cache_ignored_headers"));
	struct bl_value pair[2] = { bl_value_string(BL_STR("http.send")) };
	struct bl_object_builder out;

	bl_object_builder_init(&out, call->arena);
	for (size_t i = 0; i < bl_value_count(request); i++) {
		struct bl_str key = bl_value_text(bl_object_key(request, i));
		struct bl_value value = bl_object_value(request, i);

		if (bl_str_is(key, "headers"))
			value = counting_headers(call->arena, value, ignored);
		if (!bl_str_is(key, "cache_ignored_headers"))
			bl_object_builder_add(&out, key, value);
	}
	pair[1] = bl_object_builder_end(&out);
	return bl_value_is_defined(pair[1])
		       ? bl_array_make(call->arena, pair, 2)
		       : pair[1];
}

/* ---- what came back -------------------------------------------------------- */

/* Text as UTF-8: invalid bytes are replaced. */
static struct bl_value text_value(struct bl_builtin_call *call,
				  struct bl_str bytes)
{
	struct bl_buf out;
	struct bl_value value;
	char replacement[BL_UTF8_MAX_BYTES];
	size_t len = bl_utf8_encode(BL_REPLACEMENT_CHAR, replacement);

	if (bl_utf8_is_valid(bytes))
		return bl_builtin_string(call, bytes);
	bl_buf_init(&out, 0);
	while (bytes.len) {
		size_t good = bl_utf8_valid_prefix(bytes);

		bl_buf_put(&out, bytes.ptr, good);
		if (good < bytes.len)
			bl_buf_put(&out, replacement, len);
		bytes = bl_str_slice(bytes, good + 1, bytes.len);
	}
	value = bl_builtin_string(call, bl_buf_str(&out));
	bl_buf_clear(&out);
	return value;
}

/* The first one of that name; empty: absent. */
static struct bl_str find_header(const struct bl_rego_http_answer *answer,
				 const char *name)
{
	for (size_t i = 0; i < answer->header_count; i++)
		if (bl_ascii_equal(answer->headers[i].name, bl_str(name)))
			return answer->headers[i].value;
	return BL_STR("");
}

/* "application/json" and "application/...+json", as OPA looks at it. */
static bool is_json(const struct bl_rego_http_answer *answer)
{
	struct bl_str type = find_header(answer, "content-type");
	size_t slash;

	type = bl_str_trim(
		bl_str_slice(type, 0, bl_str_find(type, BL_STR(";"), 0)));
	slash = bl_str_find(type, BL_STR("/"), 0);
	if (!bl_ascii_equal(bl_str_slice(type, 0, slash),
			    BL_STR("application")))
		return false;
	type = bl_str_slice(type, slash + 1, type.len);
	return bl_ascii_equal(type, BL_STR("json")) ||
	       (type.len > 5 &&
		bl_ascii_equal(bl_str_slice(type, type.len - 5, type.len),
			       BL_STR("+json")));
}

static bool is_yaml(const struct bl_rego_http_answer *answer)
{
	struct bl_str type = find_header(answer, "content-type");

	return bl_str_find(type, BL_STR("application/yaml"), 0) != SIZE_MAX ||
	       bl_str_find(type, BL_STR("application/x-yaml"), 0) != SIZE_MAX;
}

/* The body as a value: null where its type is not understood. */
static struct bl_value read_body(struct bl_builtin_call *call,
				 const struct bl_http_wish *wish,
				 const struct bl_rego_http_answer *answer,
				 struct bl_value raw)
{
	struct bl_builtin_call part = *call;
	bool ok = false;

	part.args = &raw;
	part.arg_count = 1;
	if (wish->as_json || is_json(answer))
		ok = bl_fn_json_unmarshal(&part);
	else if (wish->as_yaml || is_yaml(answer))
		ok = bl_fn_yaml_unmarshal(&part);
	return ok && bl_value_is_defined(part.result) ? part.result
						      : bl_value_null();
}

static struct bl_str lower_name(struct bl_arena *arena, struct bl_str name)
{
	struct bl_str copy = bl_arena_copy_str(arena, name);
	char *bytes = (char *)(uintptr_t)copy.ptr;

	for (size_t i = 0; bytes && i < copy.len; i++)
		if (bytes[i] >= 'A' && bytes[i] <= 'Z')
			bytes[i] = (char)(bytes[i] - 'A' + 'a');
	return copy;
}

/* Names in lower case to the arrays of their values. */
static struct bl_value headers_value(struct bl_builtin_call *call,
				     const struct bl_rego_http_answer *answer)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, call->arena);
	for (size_t i = 0; i < answer->header_count; i++) {
		struct bl_str name = answer->headers[i].name;
		struct bl_array_builder values;
		bool known = false;

		for (size_t j = 0; j < i && !known; j++)
			known = bl_ascii_equal(answer->headers[j].name, name);
		if (known)
			continue;
		bl_array_builder_init(&values, call->arena);
		for (size_t j = i; j < answer->header_count; j++)
			if (bl_ascii_equal(answer->headers[j].name, name))
				bl_array_builder_add(
					&values,
					text_value(call,
						   answer->headers[j].value));
		bl_object_builder_add(&out, lower_name(call->arena, name),
				      bl_array_builder_end(&values));
	}
	return bl_object_builder_end(&out);
}

static struct bl_value answer_value(struct bl_builtin_call *call,
				    const struct bl_http_wish *wish,
				    const struct bl_rego_http_answer *answer)
{
	struct bl_value raw = text_value(call, answer->body);
	struct bl_str status =
		bl_arena_printf(call->arena, "%u %.*s", answer->status,
				BL_STR_ARG(answer->reason));
	struct bl_object_builder out;

	if (!bl_value_is_defined(raw) || !status.ptr)
		return bl_value_undefined();
	bl_object_builder_init(&out, call->arena);
	bl_object_builder_add(&out, BL_STR("status"), text_value(call, status));
	bl_object_builder_add(&out, BL_STR("status_code"),
			      bl_value_integer(answer->status));
	bl_object_builder_add(&out, BL_STR("body"),
			      read_body(call, wish, answer, raw));
	bl_object_builder_add(&out, BL_STR("raw_body"), raw);
	bl_object_builder_add(&out, BL_STR("headers"),
			      headers_value(call, answer));
	return bl_object_builder_end(&out);
}

/* ---- sending ---------------------------------------------------------------- */

/* The cause of the end, for the message of raise_error. */
struct failure {
	bool is_too_large;
	bool is_fault;        /* the call has it */
	struct bl_str text;   /* else what went wrong on the way */
	struct bl_str raised; /* the same as an error, when that differs */
};

static const char too_late[] =
	"context deadline exceeded (Client.Timeout exceeded while awaiting "
	"headers)";

/* "Get" of "GET", as Go words it. */
static struct bl_str operation_of(struct bl_arena *arena, struct bl_str method)
{
	struct bl_str rest =
		lower_name(arena, bl_str_slice(method, 1, method.len));

	return bl_arena_printf(arena, "%c%.*s", *method.ptr, BL_STR_ARG(rest));
}

static bool fail_with(struct bl_builtin_call *call,
		      const struct bl_rego_http_request *request,
		      struct failure *failure, const char *what)
{
	bool timed_out = what == too_late;
	struct bl_str method = operation_of(call->arena, request->method);

	failure->text = bl_arena_printf(call->arena, "%.*s \"%.*s\": %s",
					BL_STR_ARG(method),
					BL_STR_ARG(request->url), what);
	failure->raised =
		bl_arena_printf(call->arena, "%.*s %.*s: request timed out",
				BL_STR_ARG(method), BL_STR_ARG(request->url));
	if (!timed_out)
		failure->raised = failure->text;
	if (!failure->text.ptr || !failure->raised.ptr) {
		bl_builtin_memory_fault(call);
		failure->is_fault = true;
	}
	return false;
}

static bool exchange(struct bl_builtin_call *call,
		     const struct bl_rego_http_request *request,
		     struct bl_rego_http_answer *answer,
		     struct failure *failure)
{
	const struct bl_rego_network *network = call->state->host.network;
	struct bl_str error;

	*answer = (struct bl_rego_http_answer){ .end = BL_REGO_HTTP_FAILED };
	network->send(network->context, request, call->arena, answer);
	error = bl_arena_copy_str(call->arena, answer->error);
	switch (answer->end) {
	case BL_REGO_HTTP_ANSWERED:
		return true;
	case BL_REGO_HTTP_TIMED_OUT:
		return fail_with(call, request, failure, too_late);
	case BL_REGO_HTTP_TOO_LARGE:
		failure->is_too_large = true;
		return fail_with(call, request, failure,
				 "the answer is larger than allowed");
	case BL_REGO_HTTP_FAILED:
		return fail_with(call, request, failure,
				 error.ptr ? error.ptr : "failed");
	case BL_REGO_HTTP_INVALID:
		bl_builtin_fault(call, BL_FAULT_BUILTIN, "%.*s",
				 BL_STR_ARG(error));
		break;
	case BL_REGO_HTTP_OVER:
		bl_builtin_fault(call, BL_FAULT_CANCEL,
				 "the time for the evaluation is over");
		break;
	case BL_REGO_HTTP_NO_MEMORY:
		bl_builtin_memory_fault(call);
		break;
	}
	failure->is_fault = true;
	return false;
}

/* Headers that are for the first host alone, as Go has it. */
static bool stays_behind(struct bl_str name)
{
	static const char *const names[] = {
		"authorization", "www-authenticate",    "cookie",
		"cookie2",       "proxy-authorization", "proxy-authenticate",
		"host",
	};

	for (size_t i = 0; i < BL_COUNT(names); i++)
		if (bl_ascii_equal(name, bl_str(names[i])))
			return true;
	return false;
}

static bool drop_headers(struct bl_builtin_call *call,
			 struct bl_rego_http_request *request)
{
	struct bl_rego_header *kept = bl_arena_new_array(
		call->arena, struct bl_rego_header, request->header_count + 1);
	size_t count = 0;

	if (!kept)
		return bl_builtin_memory_fault(call);
	for (size_t i = 0; i < request->header_count; i++)
		if (!stays_behind(request->headers[i].name))
			kept[count++] = request->headers[i];
	request->headers = kept;
	request->header_count = count;
	request->server_name = BL_STR("");
	return true;
}

/* The request for the place that an answer names.  False: a fault. */
static bool redirect(struct bl_builtin_call *call,
		     struct bl_rego_http_request *request, uint32_t status,
		     struct bl_str to)
{
	struct bl_str before = request->host;
	struct bl_str url = bl_url_resolve(call->arena, request->url, to);

	if (!url.ptr)
		return bl_builtin_memory_fault(call);
	if (status < 307) {
		if (!bl_str_is(request->method, "HEAD"))
			request->method = BL_STR("GET");
		request->has_body = false;
		request->body = BL_STR("");
	}
	return bl_rego_http_read_url(call, url, request) &&
	       (bl_ascii_equal(before, request->host) ||
		drop_headers(call, request));
}

static bool is_redirect(const struct bl_rego_http_answer *answer,
			struct bl_str *out_to)
{
	*out_to = find_header(answer, "location");
	return out_to->len &&
	       ((answer->status >= 301 && answer->status <= 303) ||
		answer->status == 307 || answer->status == 308);
}

/* The text of a fault that redirect or a host gave, as Go words it. */
static bool fail_on_way(struct bl_builtin_call *call,
			const struct bl_rego_http_request *request,
			struct failure *failure)
{
	if (call->fault != BL_FAULT_BUILTIN) {
		failure->is_fault = true;
		return false;
	}
	call->fault = BL_FAULT_NONE;
	return fail_with(call, request, failure,
			 call->message.ptr ? call->message.ptr
					   : "it cannot be followed");
}

/* All exchanges until there is an answer.  False: failure says why. */
static bool send_all(struct bl_builtin_call *call,
		     const struct bl_http_wish *wish,
		     struct bl_rego_http_answer *answer,
		     struct failure *failure)
{
	struct bl_rego_http_request request = wish->request;
	struct bl_str to;

	for (size_t i = 0; i <= BL_REGO_HTTP_MAX_REDIRECTS; i++) {
		if (!exchange(call, &request, answer, failure))
			return false;
		if (!wish->redirects || !is_redirect(answer, &to))
			return true;
		if (!redirect(call, &request, answer->status, to) ||
		    !bl_rego_http_is_allowed(call, request.host))
			return fail_on_way(call, &request, failure);
	}
	return fail_with(call, &request, failure, "stopped after 10 redirects");
}

/* ---- errors ------------------------------------------------------------------- */

/* With raise_error false. */
static bool return_error(struct bl_builtin_call *call, bool network,
			 struct bl_str text)
{
	struct bl_object_builder error;
	struct bl_object_builder out;

	bl_object_builder_init(&error, call->arena);
	bl_object_builder_add(
		&error, BL_STR("code"),
		bl_value_string(network ? BL_STR("eval_http_send_"
						 "network_error")
					: BL_STR("eval_http_send_"
						 "internal_error")));
	bl_object_builder_add(&error, BL_STR("message"),
			      text_value(call, text));
	bl_object_builder_init(&out, call->arena);
	bl_object_builder_add(&out, BL_STR("status_code"), bl_value_integer(0));
	bl_object_builder_add(&out, BL_STR("error"),
			      bl_object_builder_end(&error));
	call->fault = BL_FAULT_NONE;
	return bl_builtin_return(call, bl_object_builder_end(&out));
}

/* A fault of the call as it is, or as an object. */
static bool settle_fault(struct bl_builtin_call *call, bool raise)
{
	struct bl_str text;

	if (raise ||
	    (call->fault != BL_FAULT_BUILTIN && call->fault != BL_FAULT_TYPE))
		return false;
	text = bl_arena_printf(call->arena, "%s: http.send: %.*s",
			       bl_rego_fault_code(call->fault),
			       BL_STR_ARG(call->message));
	return text.ptr ? return_error(call, false, text)
			: bl_builtin_memory_fault(call);
}

static bool settle_failure(struct bl_builtin_call *call, bool raise,
			   const struct failure *failure)
{
	if (failure->is_fault)
		return settle_fault(call, raise);
	if (!raise)
		return return_error(call, true, failure->text);
	/* A limit of ours is never taken for "undefined". */
	return bl_builtin_fault(call,
				failure->is_too_large ? BL_FAULT_CANCEL
						      : BL_FAULT_BUILTIN,
				"%.*s", BL_STR_ARG(failure->raised));
}

/* ---- the builtin ---------------------------------------------------------------- */

static bool send(struct bl_builtin_call *call, bool raise)
{
	struct bl_http_wish wish;
	struct bl_rego_http_answer answer;
	struct failure failure = { 0 };

	if (!bl_rego_http_read_wish(call, &wish) ||
	    !bl_rego_http_read_url(call, wish.request.url, &wish.request) ||
	    !bl_rego_http_is_allowed(call, wish.request.host))
		return settle_fault(call, raise);
	if (!send_all(call, &wish, &answer, &failure))
		return settle_failure(call, raise, &failure);
	return bl_builtin_return(call, answer_value(call, &wish, &answer));
}

/* Results are objects; an error is remembered by its text. */
static bool send_and_keep(struct bl_builtin_call *call, struct bl_value key,
			  bool raise)
{
	bool ok = send(call, raise);
	struct bl_str message = call->message;
	struct bl_value known = call->result;

	if (!ok && call->fault != BL_FAULT_BUILTIN)
		return false;
	if (!ok)
		known = bl_builtin_string(call, message);
	return (bl_value_is_defined(known) || bl_builtin_memory_fault(call)) &&
	       bl_builtin_memo_add(call, key, known) && ok;
}

bool bl_fn_http_send(struct bl_builtin_call *call)
{
	struct bl_value raise =
		bl_object_find(call->args[0], BL_STR("raise_error"));
	struct bl_builtin_state *state = call->state;
	bool quiet = state->quiet;
	struct bl_value key = key_of(call);
	struct bl_value known;
	struct bl_str why;
	bool ok;

	if (bl_value_is_defined(raise) && !bl_value_is(raise, BL_KIND_BOOLEAN))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"invalid value for raise_error field");
	if (!bl_value_is_defined(key))
		return bl_builtin_memory_fault(call);
	known = bl_builtin_memo_find(call, key);
	why = bl_value_text(known);
	if (why.ptr)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%.*s",
					BL_STR_ARG(why));
	if (bl_value_is_defined(known))
		return bl_builtin_return(call, known);
	state->quiet = false; /* messages may become results */
	ok = send_and_keep(call, key,
			   !bl_value_is_defined(raise) ||
				   bl_value_is_true(raise));
	state->quiet = quiet;
	return ok;
}
