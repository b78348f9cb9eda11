/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c: what libcurl is told and asked about one request. */
#include "http/transfer.h"

#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

enum { MS_NS = 1000000, MAX_IDLE_CONNECTION_S = 30 };

void bl_transfer_init(struct bl_transfer *transfer, const struct bl_curl *curl,
		      const struct bl_http_request *request,
		      struct bl_http_result *result)
{
	*transfer = (struct bl_transfer){
		.curl = curl,
		.request = request,
		.result = result,
		.started_ns = bl_os_monotonic_ns(),
	};
	transfer->deadline_ns =
		transfer->started_ns + (int64_t)request->timeout_ms * MS_NS;
	*result = (struct bl_http_result){ .end = BL_HTTP_NOT_CONNECTED };
	bl_buf_init(&transfer->body, request->max_answer_bytes);
}

/* ---- addresses ---------------------------------------------------------- */

/* http is for this machine, whatever else is allowed. */
static bool may_connect(const struct bl_http_request *request,
			const struct bl_ip *ip)
{
	const char *kind = bl_network_kind(ip);

	if (request->url->is_plain && (!kind || strcmp(kind, "loopback") != 0))
		return false;
	return bl_network_allows(ip, &request->allowed) &&
	       (!request->most || bl_network_allows(ip, request->most));
}

static bool read_address(const struct curl_sockaddr *address,
			 struct bl_ip *out_ip)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (address->family == AF_INET) {
		memcpy(&v4, &address->addr, sizeof(v4));
		*out_ip = (struct bl_ip){ .len = sizeof(v4.sin_addr) };
		memcpy(out_ip->bytes, &v4.sin_addr, sizeof(v4.sin_addr));
		return true;
	}
	if (address->family != AF_INET6)
		return false;
	/* libcurl keeps room for the largest of them behind addr. */
	memcpy(&v6, &address->addr, sizeof(v6));
	*out_ip = (struct bl_ip){ .len = sizeof(v6.sin6_addr) };
	memcpy(out_ip->bytes, &v6.sin6_addr, sizeof(v6.sin6_addr));
	return true;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose,
				 struct curl_sockaddr *address)
{
	struct bl_transfer *transfer = context;
	struct bl_ip ip;

	(void)purpose;
	if (!read_address(address, &ip))
		return CURL_SOCKET_BAD;
	if (!may_connect(transfer->request, &ip)) {
		transfer->where = ip;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC,
		      address->protocol);
}

/*
 * Called when a connection is there, a new one or one that is used again, just
 * before the request is sent.  A second call would be a second sending, which
 * libcurl tries when a used connection turns out to be gone.
 */
/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static int before_sending(void *context, char *address, char *own_address,
			  int port, int own_port)
{
	struct bl_transfer *transfer = context;
	struct bl_ip ip;

	(void)own_address;
	(void)port;
	(void)own_port;
	if (transfer->is_sent)
		return CURL_PREREQFUNC_ABORT;
	if (!bl_ip_parse(bl_str(address), &ip))
		return CURL_PREREQFUNC_ABORT;
	if (!may_connect(transfer->request, &ip)) {
		transfer->where = ip;
		return CURL_PREREQFUNC_ABORT;
	}
	transfer->where.len = 0;
	transfer->is_sent = true;
	return CURL_PREREQFUNC_OK;
}

/* ---- the answer --------------------------------------------------------- */

static size_t take_body(char *data, size_t size, size_t count, void *context)
{
	struct bl_transfer *transfer = context;
	size_t len = size * count;
	size_t room = transfer->request->max_answer_bytes - transfer->body.len;

	if (len > room) {
		transfer->has_too_much = true;
		return 0;
	}
	bl_buf_put(&transfer->body, data, len);
	return bl_buf_status(&transfer->body) == BL_OK ? len : 0;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): libcurl's type */
static size_t take_header(char *data, size_t size, size_t count, void *context)
{
	struct bl_transfer *transfer = context;

	(void)data;
	transfer->header_bytes += size * count;
	if (transfer->header_bytes <= BL_HTTP_MAX_HEADER_BYTES)
		return size * count;
	transfer->has_too_much = true;
	return 0;
}

/* ---- an attempt --------------------------------------------------------- */

/* Beside those of every request (bl_curl_set_up). */
static const struct {
	CURLoption option;
	long value;
} settings[] = {
	{ CURLOPT_POST, 1 },
	{ CURLOPT_SSL_VERIFYPEER, 1 },
	{ CURLOPT_SSL_VERIFYHOST, 2 },
	{ CURLOPT_MAXAGE_CONN, MAX_IDLE_CONNECTION_S },
};

static bool add_lines(const struct bl_curl *curl, struct curl_slist **list,
		      const char *const *lines)
{
	for (; *lines; lines++)
		if (!bl_curl_add_line(curl, list, *lines))
			return false;
	return true;
}

static bool make_lists(struct bl_transfer *transfer)
{
	const struct bl_http_request *request = transfer->request;
	/* libcurl would wait for a 100 before it sends a long body. */
	const char *const usual[] = { "Expect:", NULL };
	const char *const resolve[] = { request->resolve, NULL };

	return add_lines(transfer->curl, &transfer->headers,
			 request->headers) &&
	       add_lines(transfer->curl, &transfer->headers, usual) &&
	       add_lines(transfer->curl, &transfer->resolve, resolve);
}

/* The first failure, CURLE_OK when all are set. */
static CURLcode set_request(struct bl_transfer *transfer, long timeout_ms)
{
	const struct bl_http_request *request = transfer->request;
	__typeof__(transfer->curl->easy_setopt) set =
		transfer->curl->easy_setopt;
	CURL *easy = transfer->easy;
	CURLcode bad = bl_curl_set_up(transfer->curl, easy,
				      request->url->text.ptr, timeout_ms);

	for (size_t i = 0; i < BL_COUNT(settings) && !bad; i++)
		bad = set(easy, settings[i].option, settings[i].value);
	if (!bad)
		bad = set(easy, CURLOPT_POSTFIELDS,
			  request->body.len ? request->body.ptr : "");
	if (!bad)
		bad = set(easy, CURLOPT_POSTFIELDSIZE_LARGE,
			  (curl_off_t)request->body.len);
	if (!bad)
		bad = set(easy, CURLOPT_HTTPHEADER, transfer->headers);
	if (!bad && transfer->resolve)
		bad = set(easy, CURLOPT_RESOLVE, transfer->resolve);
	if (!bad && request->ca_file)
		bad = set(easy, CURLOPT_CAINFO, request->ca_file);
	if (!bad && request->ca_file)
		bad = set(easy, CURLOPT_CAPATH, (char *)NULL);
	return bad;
}

static CURLcode set_callbacks(struct bl_transfer *transfer)
{
	__typeof__(transfer->curl->easy_setopt) set =
		transfer->curl->easy_setopt;
	CURL *easy = transfer->easy;
	CURLcode bad = set(easy, CURLOPT_ERRORBUFFER, transfer->error);

	if (!bad)
		bad = set(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
	if (!bad)
		bad = set(easy, CURLOPT_OPENSOCKETDATA, transfer);
	if (!bad)
		bad = set(easy, CURLOPT_PREREQFUNCTION, before_sending);
	if (!bad)
		bad = set(easy, CURLOPT_PREREQDATA, transfer);
	if (!bad)
		bad = set(easy, CURLOPT_WRITEFUNCTION, take_body);
	if (!bad)
		bad = set(easy, CURLOPT_WRITEDATA, transfer);
	if (!bad)
		bad = set(easy, CURLOPT_HEADERFUNCTION, take_header);
	if (!bad)
		bad = set(easy, CURLOPT_HEADERDATA, transfer);
	return bad;
}

enum bl_status bl_transfer_open(struct bl_transfer *transfer,
				struct bl_error *err)
{
	int64_t left = transfer->deadline_ns - bl_os_monotonic_ns();
	CURLcode bad = CURLE_OUT_OF_MEMORY;

	transfer->easy = transfer->curl->easy_init();
	if (transfer->easy && make_lists(transfer)) {
		bad = set_request(transfer,
				  left > MS_NS ? (long)(left / MS_NS) : 1);
		if (!bad)
			bad = set_callbacks(transfer);
	}
	if (!bad) {
		transfer->result->attempts++;
		return BL_OK;
	}
	bl_transfer_close(transfer);
	if (bad == CURLE_OUT_OF_MEMORY)
		return bl_fail_memory(err);
	return bl_fail(err, BL_SYSTEM, "libcurl: %s",
		       transfer->curl->easy_strerror(bad));
}

void bl_transfer_close(struct bl_transfer *transfer)
{
	if (transfer->easy)
		transfer->curl->easy_cleanup(transfer->easy);
	transfer->curl->slist_free_all(transfer->headers);
	transfer->curl->slist_free_all(transfer->resolve);
	transfer->easy = NULL;
	transfer->headers = NULL;
	transfer->resolve = NULL;
}

/* ---- the result --------------------------------------------------------- */

/* Trouble that may be gone the next moment. */
static const CURLcode passing[] = {
	CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT,
	CURLE_SSL_CONNECT_ERROR,    CURLE_SEND_ERROR,
	CURLE_RECV_ERROR,
};

bool bl_transfer_may_retry(const struct bl_transfer *transfer, CURLcode code)
{
	if (transfer->is_sent || transfer->where.len > 0)
		return false;
	for (size_t i = 0; i < BL_COUNT(passing); i++) {
		if (code == passing[i])
			return true;
	}
	return false;
}

static void say_refused(struct bl_transfer *transfer)
{
	const struct bl_ip *ip = &transfer->where;
	struct bl_http_result *result = transfer->result;
	const char *kind = bl_network_kind(ip);
	char text[BL_IP_TEXT_BYTES];

	bl_ip_print(ip, text);
	snprintf(result->error, sizeof(result->error),
		 "its host has the address %s (%s), which is not allowed", text,
		 kind ? kind : "not this machine's own");
}

static enum bl_http_end end_of(const struct bl_transfer *transfer,
			       CURLcode code)
{
	if (transfer->where.len > 0)
		return BL_HTTP_NOT_ALLOWED;
	if (transfer->has_too_much)
		return BL_HTTP_TOO_MUCH;
	if (code == CURLE_OK)
		return BL_HTTP_ANSWERED;
	if (code == CURLE_OPERATION_TIMEDOUT)
		return BL_HTTP_TIMED_OUT;
	return transfer->is_sent ? BL_HTTP_BROKEN : BL_HTTP_NOT_CONNECTED;
}

void bl_transfer_note(struct bl_transfer *transfer, CURLcode code)
{
	struct bl_http_result *result = transfer->result;
	const char *error = transfer->error[0]
				    ? transfer->error
				    : transfer->curl->easy_strerror(code);
	long status = 0;

	result->end = end_of(transfer, code);
	result->elapsed_ns = bl_os_monotonic_ns() - transfer->started_ns;
	result->error[0] = '\0';
	if (result->end == BL_HTTP_ANSWERED) {
		transfer->curl->easy_getinfo(transfer->easy,
					     CURLINFO_RESPONSE_CODE, &status);
		result->status = (int)status;
	} else if (result->end == BL_HTTP_NOT_ALLOWED) {
		say_refused(transfer);
	} else {
		snprintf(result->error, sizeof(result->error), "%s", error);
	}
}

enum bl_status bl_transfer_take(struct bl_transfer *transfer,
				struct bl_arena *arena, struct bl_error *err)
{
	struct bl_http_result *result = transfer->result;

	if (bl_buf_status(&transfer->body) != BL_OK)
		return bl_fail_memory(err);
	if (result->end != BL_HTTP_ANSWERED)
		return BL_OK;
	result->body = bl_arena_copy_str(arena, bl_buf_str(&transfer->body));
	return result->body.ptr ? BL_OK : bl_arena_fail(arena, err);
}
