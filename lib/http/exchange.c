/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.c: one request by libcurl, as its caller wants it. */
#include "http/curl.h"

#include <stdio.h>

#include "base/buf.h"
#include "os/os.h"

enum { POLL_MS = 50 }; /* is_over is asked that often */

struct exchange {
	const struct bl_curl *curl;
	const struct bl_http_call *call;
	CURL *easy;
	CURLM *multi;
	struct curl_slist *headers;
	struct curl_slist *connect_to;
	struct bl_buf head;
	struct bl_buf body;
	bool is_sent;
	bool is_over;
	bool has_too_much;
};

/* ---- what comes back ------------------------------------------------------ */

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
	struct exchange *x = context;
	size_t len = size * count;

	if (len > x->call->max_answer_bytes - x->body.len) {
		x->has_too_much = true;
		return 0;
	}
	bl_buf_put(&x->body, data, len);
	return bl_buf_status(&x->body) == BL_OK ? len : 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static size_t take_header(char *data, size_t size, size_t count, void *context)
{
	struct exchange *x = context;
	size_t len = size * count;

	/* Only the last of several answers counts ("100 Continue"). */
	if (bl_str_has_prefix((struct bl_str){ data, len }, BL_STR("HTTP/")))
		bl_buf_reset(&x->head);
	if (len > BL_HTTP_MAX_HEADER_BYTES - x->head.len) {
		x->has_too_much = true;
		return 0;
	}
	bl_buf_put(&x->head, data, len);
	return bl_buf_status(&x->head) == BL_OK ? len : 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static int before_sending(void *context, char *address, char *own_address,
			  int port, int own_port)
{
	struct exchange *x = context;

	(void)address;
	(void)own_address;
	(void)port;
	(void)own_port;
	if (x->is_sent)
		return CURL_PREREQFUNC_ABORT;
	x->is_sent = true;
	return CURL_PREREQFUNC_OK;
}

/* ---- what is asked for ------------------------------------------------------ */

static bool make_lists(struct exchange *x)
{
	const struct bl_http_call *call = x->call;
	char place[512];

	for (const char *const *at = call->headers; *at; at++)
		if (!bl_curl_add_line(x->curl, &x->headers, *at))
			return false;
	if (!call->connect_to)
		return true;
	snprintf(place, sizeof(place), "::%s:", call->connect_to);
	return bl_curl_add_line(x->curl, &x->connect_to, place);
}

static CURLcode set_blob(struct exchange *x, CURLoption option,
			 struct bl_str text)
{
	struct curl_blob blob = { .data = (void *)(uintptr_t)text.ptr,
				  .len = text.len,
				  .flags = CURL_BLOB_COPY };

	return text.ptr ? x->curl->easy_setopt(x->easy, option, &blob)
			: CURLE_OK;
}

static CURLcode set_trust(struct exchange *x)
{
	const struct bl_http_call *call = x->call;
	__typeof__(x->curl->easy_setopt) set = x->curl->easy_setopt;
	CURLcode bad =
		set(x->easy, CURLOPT_SSL_VERIFYPEER, (long)!call->skip_verify);

	if (!bad)
		bad = set(x->easy, CURLOPT_SSL_VERIFYHOST,
			  call->skip_verify ? 0L : 2L);
	if (!bad)
		bad = set_blob(x, CURLOPT_CAINFO_BLOB, call->ca);
	/* Else the system's folder would count beside it. */
	if (!bad && call->ca.ptr && !call->system_certs)
		bad = set(x->easy, CURLOPT_CAPATH, (char *)NULL);
	if (!bad)
		bad = set_blob(x, CURLOPT_SSLCERT_BLOB, call->client_cert);
	if (!bad)
		bad = set_blob(x, CURLOPT_SSLKEY_BLOB, call->client_key);
	return bad;
}

/* Methods that say how long their body is even when absent. */
static bool wants_body(const char *method)
{
	static const char *const names[] = { "POST", "PUT", "PATCH" };

	for (size_t i = 0; i < BL_COUNT(names); i++)
		if (!strcmp(method, names[i]))
			return true;
	return false;
}

static CURLcode set_method(struct exchange *x)
{
	const struct bl_http_call *call = x->call;
	__typeof__(x->curl->easy_setopt) set = x->curl->easy_setopt;
	CURLcode bad = CURLE_OK;

	if (call->body.len || wants_body(call->method)) {
		bad = set(x->easy, CURLOPT_POSTFIELDSIZE_LARGE,
			  (curl_off_t)call->body.len);
		if (!bad)
			bad = set(x->easy, CURLOPT_POSTFIELDS,
				  call->body.len ? call->body.ptr : "");
	} else if (!strcmp(call->method, "HEAD")) {
		bad = set(x->easy, CURLOPT_NOBODY, 1L);
	}
	return bad ? bad : set(x->easy, CURLOPT_CUSTOMREQUEST, call->method);
}

static CURLcode set_request(struct exchange *x)
{
	const struct bl_http_call *call = x->call;
	__typeof__(x->curl->easy_setopt) set = x->curl->easy_setopt;
	CURLcode bad = bl_curl_set_up(x->curl, x->easy, call->url,
				      (long)call->timeout_ms);

	if (!bad)
		bad = set(x->easy, CURLOPT_FRESH_CONNECT, 1L);
	if (!bad)
		bad = set(x->easy, CURLOPT_FORBID_REUSE, 1L);
	if (!bad)
		bad = set(x->easy, CURLOPT_HTTPHEADER, x->headers);
	if (!bad && x->connect_to)
		bad = set(x->easy, CURLOPT_CONNECT_TO, x->connect_to);
	if (!bad)
		bad = set_method(x);
	return bad ? bad : set_trust(x);
}

static CURLcode set_callbacks(struct exchange *x)
{
	__typeof__(x->curl->easy_setopt) set = x->curl->easy_setopt;
	CURLcode bad = set(x->easy, CURLOPT_PREREQFUNCTION, before_sending);

	if (!bad)
		bad = set(x->easy, CURLOPT_PREREQDATA, x);
	if (!bad)
		bad = set(x->easy, CURLOPT_WRITEFUNCTION, take_body);
	if (!bad)
		bad = set(x->easy, CURLOPT_WRITEDATA, x);
	if (!bad)
		bad = set(x->easy, CURLOPT_HEADERFUNCTION, take_header);
	if (!bad)
		bad = set(x->easy, CURLOPT_HEADERDATA, x);
	return bad;
}

/* ---- the exchange ------------------------------------------------------------ */

/* Until it has ended, which *out_code says, or is over; false: neither. */
static bool wait_for_end(struct exchange *x, CURLcode *out_code)
{
	int running = 1;
	int left;
	CURLMsg *message;

	while (running) {
		if (x->call->is_over && x->call->is_over(x->call->context)) {
			x->is_over = true;
			*out_code = CURLE_OPERATION_TIMEDOUT;
			return true;
		}
		if (x->curl->multi_perform(x->multi, &running))
			return false;
		if (running &&
		    x->curl->multi_poll(x->multi, NULL, 0, POLL_MS, NULL))
			return false;
	}
	message = x->curl->multi_info_read(x->multi, &left);
	if (!message || message->msg != CURLMSG_DONE)
		return false;
	*out_code = message->data.result;
	return true;
}

static enum bl_http_end end_of(const struct exchange *x, CURLcode code)
{
	if (x->has_too_much)
		return BL_HTTP_TOO_MUCH;
	if (code == CURLE_OK)
		return BL_HTTP_ANSWERED;
	if (code == CURLE_OPERATION_TIMEDOUT)
		return BL_HTTP_TIMED_OUT;
	return x->is_sent ? BL_HTTP_BROKEN : BL_HTTP_NOT_CONNECTED;
}

/* A certificate that is good at another time: the clock may be the one to blame. */
static bool explain_time(struct exchange *x, struct bl_http_reply *reply)
{
	static const struct {
		long result; /* OpenSSL's X509_V_ERR_... */
		bool is_too_early;
		const char *text;
	} rows[] = {
		{ 9, true, "is not valid yet" },
		{ 10, false, "has expired" },
	};
	char now[BL_OS_TIME_TEXT_BYTES];
	long result = 0;

	x->curl->easy_getinfo(x->easy, CURLINFO_SSL_VERIFYRESULT, &result);
	bl_os_format_time(bl_os_wall_ms(), now);
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		if (result != rows[i].result)
			continue;
		reply->is_too_early = rows[i].is_too_early;
		snprintf(reply->error, sizeof(reply->error),
			 "its certificate %s by this machine's clock, which "
			 "says %.10s: is that the date?",
			 rows[i].text, now);
		return true;
	}
	return false;
}

static enum bl_status note(struct exchange *x, CURLcode code,
			   struct bl_arena *arena, struct bl_http_reply *reply,
			   struct bl_error *err)
{
	long status = 0;

	reply->end = end_of(x, code);
	reply->is_over = x->is_over;
	/* libcurl's longer texts may hold what a server said. */
	if (reply->end != BL_HTTP_ANSWERED) {
		if (code == CURLE_PEER_FAILED_VERIFICATION &&
		    explain_time(x, reply))
			return BL_OK;
		snprintf(reply->error, sizeof(reply->error), "%s",
			 x->curl->easy_strerror(code));
		return BL_OK;
	}
	x->curl->easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
	reply->status = (int)status;
	reply->head = bl_arena_copy_str(arena, bl_buf_str(&x->head));
	reply->body = bl_arena_copy_str(arena, bl_buf_str(&x->body));
	return reply->head.ptr && reply->body.ptr ? BL_OK
						  : bl_arena_fail(arena, err);
}

static enum bl_status perform(struct exchange *x, struct bl_arena *arena,
			      struct bl_http_reply *reply, struct bl_error *err)
{
	CURLcode code;

	if (!x->easy || !x->multi || !make_lists(x))
		return bl_fail_memory(err);
	code = set_request(x);
	if (!code)
		code = set_callbacks(x);
	if (code == CURLE_OUT_OF_MEMORY)
		return bl_fail_memory(err);
	if (code)
		return bl_fail(err, BL_UNSUPPORTED, "libcurl: %s",
			       x->curl->easy_strerror(code));
	if (x->curl->multi_add_handle(x->multi, x->easy))
		return bl_fail_memory(err);
	if (!wait_for_end(x, &code))
		code = CURLE_OUT_OF_MEMORY;
	x->curl->multi_remove_handle(x->multi, x->easy);
	if (bl_buf_status(&x->body) || bl_buf_status(&x->head) ||
	    code == CURLE_OUT_OF_MEMORY)
		return bl_fail_memory(err);
	return note(x, code, arena, reply, err);
}

enum bl_status bl_http_exchange(struct bl_http_client *client,
				const struct bl_http_call *call,
				struct bl_arena *arena,
				struct bl_http_reply *out_reply,
				struct bl_error *err)
{
	struct exchange x = { .call = call };
	enum bl_status status = bl_http_client_curl(client, &x.curl, err);

	*out_reply = (struct bl_http_reply){ .end = BL_HTTP_NO_CLIENT };
	if (status)
		return status;
	bl_buf_init(&x.head, 0);
	bl_buf_init(&x.body, 0);
	x.easy = x.curl->easy_init();
	x.multi = x.curl->multi_init();
	status = perform(&x, arena, out_reply, err);
	if (x.easy)
		x.curl->easy_cleanup(x.easy);
	if (x.multi)
		x.curl->multi_cleanup(x.multi);
	x.curl->slist_free_all(x.headers);
	x.curl->slist_free_all(x.connect_to);
	bl_buf_clear(&x.head);
	bl_buf_clear(&x.body);
	return status;
}
