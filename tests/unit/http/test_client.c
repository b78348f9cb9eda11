/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib/http/client.c and transfer.c against a small server of our own on
 * loopback, without TLS (tests/live/webhook has the real thing).
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/http.h"
#include "os/os.h"
#include "tap.h"

/* ---- a server ------------------------------------------------------------- */

enum { MAX_ANSWER = 256 * 1024, REQUEST_ROOM = 16384 };

static struct server {
	int listener;
	unsigned port;
	pthread_t thread;
	/* The server's action for each request; set while nothing is going on. */
	const char *answer; /* NULL: hangs up */
	size_t answer_len;
	unsigned hang_up_after; /* so many requests of one connection */
	/* The requests it has seen; read while nothing is going on. */
	unsigned connections;
	unsigned requests;
	char last[REQUEST_ROOM];
} server;

/* Up to and with the body; false at the end of the connection. */
static bool take_request(int fd)
{
	size_t len = 0;

	for (;;) {
		ssize_t got = recv(fd, server.last + len,
				   sizeof(server.last) - 1 - len, 0);
		const char *body;
		const char *length;

		if (got <= 0)
			return false;
		len += (size_t)got;
		server.last[len] = '\0';
		body = strstr(server.last, "\r\n\r\n");
		length = strstr(server.last, "Content-Length: ");
		if (body && length &&
		    len >= (size_t)(body + 4 - server.last) +
				    strtoul(length + 16, NULL, 10))
			return true;
	}
}

static void serve(int fd)
{
	unsigned served = 0;

	server.connections++;
	while (take_request(fd)) {
		size_t sent = 0;

		server.requests++;
		if (!server.answer ||
		    (server.hang_up_after && served == server.hang_up_after))
			return;
		served++;
		while (sent < server.answer_len) {
			ssize_t put =
				send(fd, server.answer + sent,
				     server.answer_len - sent, MSG_NOSIGNAL);

			if (put <= 0)
				return;
			sent += (size_t)put;
		}
	}
}

/* Its own listener, whatever a test puts into `server` meanwhile. */
static void *serve_all(void *listener)
{
	int fd;

	while ((fd = accept((int)(intptr_t)listener, NULL, NULL)) >= 0) {
		serve(fd);
		close(fd);
	}
	return NULL;
}

static bool listen_on(unsigned port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(address);
	int yes = 1;

	server.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(server.listener, SOL_SOCKET, SO_REUSEADDR, &yes,
		   sizeof(yes));
	if (bind(server.listener, (struct sockaddr *)&address, len) ||
	    getsockname(server.listener, (struct sockaddr *)&address, &len))
		return false;
	server.port = ntohs(address.sin_port);
	return true;
}

static bool start_server(void)
{
	return !listen(server.listener, 16) &&
	       !pthread_create(&server.thread, NULL, serve_all,
			       (void *)(intptr_t)server.listener);
}

static void stop_server(void)
{
	shutdown(server.listener, SHUT_RDWR);
	pthread_join(server.thread, NULL);
	close(server.listener);
}

static void answer_with(const char *answer)
{
	server.answer = answer;
	server.answer_len = answer ? strlen(answer) : 0;
	server.connections = 0;
	server.requests = 0;
	server.hang_up_after = 0;
}

/* ---- a client ------------------------------------------------------------- */

static struct bl_arena arena;
static struct bl_http_client *client;
static const char *const no_headers[] = { "X-Mine: 1", NULL };
static struct bl_http_url url;

static struct bl_http_request request(const char *start, const char *end)
{
	static struct bl_network own;

	bl_network_parse(BL_STR("loopback"), &own, NULL);
	if (bl_http_url_parse(
		    bl_arena_printf(&arena, "%s:%u%s", start, server.port, end),
		    &arena, &url, NULL) != BL_OK)
		TAP_NOTE("no URL: %s", start);
	return (struct bl_http_request){
		.url = &url,
		.headers = no_headers,
		.body = BL_STR("{\"a\":1}"),
		.timeout_ms = 3000,
		.max_answer_bytes = 65536,
		.allowed = { &own, 1 },
	};
}

static struct bl_http_result run(const struct bl_http_request *what)
{
	struct bl_http_result result = { .end = BL_HTTP_NO_CLIENT };
	struct bl_error err = { 0 };

	if (bl_http_run(client, what, 1, &arena, &result, &err) != BL_OK)
		TAP_NOTE("failed: %s", err.message);
	return result;
}

static bool new_client(void)
{
	client = bl_http_client_free(client);
	return bl_http_client_new(&client, NULL) == BL_OK;
}

#define OK_ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

static void a_request_and_its_answer(void)
{
	struct bl_http_request what = request("http://127.0.0.1", "/a?b");
	struct bl_http_result result;

	REQUIRE(new_client());
	answer_with("HTTP/1.1 418 Teapot\r\nContent-Length: 3\r\n\r\nabc");
	result = run(&what);
	CHECK_INT(result.end, BL_HTTP_ANSWERED);
	CHECK_INT(result.status, 418);
	CHECK_STR(result.body, "abc");
	CHECK_INT(result.attempts, 1);
	CHECK(result.elapsed_ns > 0);
	CHECK_STR(bl_str(result.error), "");
	CHECK(!strncmp(server.last, "POST /a?b HTTP/1.1\r\n", 20));
	CHECK(strstr(server.last, "\r\nX-Mine: 1\r\n"));
	CHECK(!strstr(server.last, "Expect"));
	CHECK(!strstr(server.last, "Accept-Encoding"));
	CHECK(strstr(server.last, "\r\n\r\n{\"a\":1}"));
}

static void connections_are_used_again(void)
{
	struct bl_http_request what = request("http://127.0.0.1", "/");

	REQUIRE(new_client());
	answer_with(OK_ANSWER);
	for (int i = 0; i < 5; i++)
		CHECK_INT(run(&what).end, BL_HTTP_ANSWERED);
	CHECK_INT(server.requests, 5);
	CHECK_INT(server.connections, 1);
}

/* The connection is there, but this request may not use it. */
static void a_used_connection_is_checked_again(void)
{
	struct bl_http_request what = request("http://127.0.0.1", "/");
	struct bl_http_result result;

	REQUIRE(new_client());
	answer_with(OK_ANSWER);
	CHECK_INT(run(&what).end, BL_HTTP_ANSWERED);
	what.allowed.count = 0;
	result = run(&what);
	CHECK_INT(result.end, BL_HTTP_NOT_ALLOWED);
	CHECK(strstr(result.error, "127.0.0.1 (loopback)"));
	CHECK_INT(server.requests, 1);
}

/*
 * The server hangs up in the moment in which the second request arrives:
 * libcurl would send it once more, and that could be twice for the server.
 */
static void a_request_is_sent_once(void)
{
	struct bl_http_request what = request("http://127.0.0.1", "/");
	struct bl_http_result result;

	REQUIRE(new_client());
	answer_with(OK_ANSWER);
	server.hang_up_after = 1;
	CHECK_INT(run(&what).end, BL_HTTP_ANSWERED);
	result = run(&what);
	CHECK_INT(result.end, BL_HTTP_BROKEN);
	CHECK_INT(server.requests, 2);
	CHECK_INT(result.attempts, 1);
}

static void names_are_checked_by_what_they_resolve_to(void)
{
	static const char *const inside[] = {
		"127.0.0.1", "10.1.2.3",          "169.254.169.254",
		"[::1]",     "[fd00::1]",         "[fe80::1]",
		"0.0.0.0",   "[::ffff:10.0.0.1]",
	};
	struct bl_http_request what = request("https://hook.example", "/");

	REQUIRE(new_client());
	answer_with(OK_ANSWER);
	what.allowed.count = 0;
	for (size_t i = 0; i < BL_COUNT(inside); i++) {
		struct bl_http_result result;
		struct bl_str resolve = bl_arena_printf(
			&arena, "hook.example:%u:%s", server.port, inside[i]);

		REQUIRE(new_client());
		what.resolve = resolve.ptr;
		result = run(&what);
		if (result.end != BL_HTTP_NOT_ALLOWED) {
			TAP_NOTE("%s: %d %s", inside[i], (int)result.end,
				 result.error);
			CHECK(false);
		}
	}
	CHECK_INT(server.connections, 0);
}

/* One address of a name is inside, the other is allowed. */
static void an_allowed_address_is_enough(void)
{
	struct bl_http_request what = request("http://localhost", "/");
	struct bl_str resolve = bl_arena_printf(
		&arena, "localhost:%u:10.1.2.3,127.0.0.1", server.port);

	REQUIRE(new_client());
	answer_with(OK_ANSWER);
	what.resolve = resolve.ptr;
	CHECK_INT(run(&what).end, BL_HTTP_ANSWERED);
	CHECK_INT(server.requests, 1);
}

/* http stays on this machine, also when more is allowed. */
static void plain_http_is_for_loopback_only(void)
{
	struct bl_http_request what = request("http://localhost", "/");
	struct bl_str resolve =
		bl_arena_printf(&arena, "localhost:%u:10.1.2.3", server.port);
	struct bl_network any;

	REQUIRE(new_client());
	REQUIRE(bl_network_parse(BL_STR("10.0.0.0/8"), &any, NULL) == BL_OK);
	what.allowed = (struct bl_networks){ &any, 1 };
	what.resolve = resolve.ptr;
	CHECK_INT(run(&what).end, BL_HTTP_NOT_ALLOWED);
}

static void the_machine_may_allow_less(void)
{
	struct bl_http_request what = request("http://127.0.0.1", "/");
	struct bl_networks none = { NULL, 0 };

	REQUIRE(new_client());
	answer_with(OK_ANSWER);
	what.most = &none;
	CHECK_INT(run(&what).end, BL_HTTP_NOT_ALLOWED);
	what.most = &what.allowed;
	CHECK_INT(run(&what).end, BL_HTTP_ANSWERED);
}

/* An answer with a body of that size, with or without its length. */
static char *sized(size_t size, bool with_length)
{
	char *text = malloc(MAX_ANSWER);
	int len;

	if (!text)
		return NULL;
	len = with_length
		      ? snprintf(text, MAX_ANSWER,
				 "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n"
				 "\r\n",
				 size)
		      : snprintf(text, MAX_ANSWER,
				 "HTTP/1.1 200 OK\r\n"
				 "Transfer-Encoding: chunked\r\n\r\n%zx\r\n",
				 size);
	memset(text + len, 'x', size);
	strcpy(text + len + size, with_length ? "" : "\r\n0\r\n\r\n");
	return text;
}

static void answers_have_a_limit(void)
{
	static const struct {
		size_t size;
		bool with_length;
		enum bl_http_end end;
	} cases[] = {
		{ 65536, true, BL_HTTP_ANSWERED },
		{ 65537, true, BL_HTTP_TOO_MUCH },
		{ 65536, false, BL_HTTP_ANSWERED },
		{ 65537, false, BL_HTTP_TOO_MUCH },
	};

	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		struct bl_http_request what = request("http://127.0.0.1", "/");
		struct bl_http_result result;
		char *text = sized(cases[i].size, cases[i].with_length);

		REQUIRE(text && new_client());
		answer_with(text);
		result = run(&what);
		CHECK_INT(result.end, cases[i].end);
		if (result.end == BL_HTTP_ANSWERED)
			CHECK_INT(result.body.len, cases[i].size);
		free(text);
	}
}

static void headers_have_a_limit(void)
{
	struct bl_http_request what = request("http://127.0.0.1", "/");
	char *text = malloc(MAX_ANSWER);
	size_t len;

	REQUIRE(text && new_client());
	len = (size_t)sprintf(text, "HTTP/1.1 200 OK\r\n");
	while (len < BL_HTTP_MAX_HEADER_BYTES)
		len += (size_t)sprintf(text + len, "X-Filler: %0100d\r\n", 0);
	strcpy(text + len, "Content-Length: 0\r\n\r\n");
	answer_with(text);
	CHECK_INT(run(&what).end, BL_HTTP_TOO_MUCH);
	free(text);
}

static void broken_answers(void)
{
	static const char *const answers[] = {
		NULL,
		"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
		"SSH-2.0-OpenSSH_9.2\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	};
	struct bl_http_request what = request("http://127.0.0.1", "/");

	what.timeout_ms = 300;
	for (size_t i = 0; i < BL_COUNT(answers); i++) {
		struct bl_http_result result;

		REQUIRE(new_client());
		answer_with(answers[i]);
		result = run(&what);
		if (result.end != BL_HTTP_BROKEN &&
		    result.end != BL_HTTP_TIMED_OUT) {
			TAP_NOTE("answer %zu: %d", i, (int)result.end);
			CHECK(false);
		}
		CHECK(result.error[0]);
		CHECK_INT(server.requests, 1);
	}
}

/* The backlog takes the connection, and nobody ever answers. */
static void nobody_answers(void)
{
	struct bl_http_request what = request("http://127.0.0.1", "/");
	struct server saved = server;
	struct bl_http_result result;

	REQUIRE(new_client());
	REQUIRE(listen_on(0) && !listen(server.listener, 16));
	what = request("http://127.0.0.1", "/");
	what.timeout_ms = 150;
	result = run(&what);
	CHECK_INT(result.end, BL_HTTP_TIMED_OUT);
	CHECK(result.elapsed_ns >= 140 * 1000000LL);
	CHECK(result.elapsed_ns < 1000 * 1000000LL);
	close(server.listener);

	/* Nor is there anybody to connect to now. */
	result = run(&what);
	CHECK_INT(result.end, BL_HTTP_NOT_CONNECTED);
	CHECK_INT(result.attempts, 2); /* a third would be after the deadline */
	CHECK(result.elapsed_ns < 150 * 1000000LL);
	what.timeout_ms = 3000;
	result = run(&what);
	CHECK_INT(result.end, BL_HTTP_NOT_CONNECTED);
	CHECK_INT(result.attempts, 4);
	server = saved;
}

static void *raise_soon(void *flag)
{
	usleep(150 * 1000);
	bl_flag_raise(flag);
	return NULL;
}

/* Nobody answers, and nobody waits for it. */
static void a_stop_ends_it(void)
{
	struct bl_http_request what;
	struct server saved = server;
	struct bl_http_result result;
	struct bl_flag flag;
	struct bl_stop stop = { NULL, 0 };
	int64_t deadline;
	pthread_t thread;

	REQUIRE(new_client() && !bl_flag_init(&flag, NULL));
	REQUIRE(listen_on(0) && !listen(server.listener, 16));
	what = request("http://127.0.0.1", "/");
	what.timeout_ms = 20000;
	what.stop = &stop;
	deadline = bl_os_monotonic_ns() + 150000000;
	stop.deadline_ns = deadline;
	result = run(&what);
	CHECK_INT(result.end, BL_HTTP_STOPPED);
	CHECK_INT(result.status, BL_STOP_DEADLINE);
	CHECK(bl_os_monotonic_ns() >= deadline);
	CHECK(result.elapsed_ns < 10000 * 1000000LL); /* of 20 s */
	stop = (struct bl_stop){ &flag, 0 };
	pthread_create(&thread, NULL, raise_soon, &flag);
	result = run(&what);
	pthread_join(thread, NULL);
	CHECK_INT(result.end, BL_HTTP_STOPPED);
	CHECK_INT(result.status, BL_STOP_CANCELLED);
	CHECK(result.elapsed_ns < 900 * 1000000LL);
	result = run(&what);
	CHECK_INT(result.end, BL_HTTP_STOPPED);
	CHECK_INT(result.attempts, 0);
	bl_flag_clear(&flag);
	close(server.listener);
	server = saved;
}

static void *start_late(void *unused)
{
	usleep(250 * 1000);
	if (!start_server())
		TAP_NOTE("no server");
	return unused;
}

static void somebody_comes_late(void)
{
	struct bl_http_request what;
	struct server saved = server;
	struct bl_http_result result;
	pthread_t thread;

	REQUIRE(new_client());
	REQUIRE(listen_on(0)); /* bound, and not listening: refused */
	answer_with(OK_ANSWER);
	what = request("http://127.0.0.1", "/");
	REQUIRE(!pthread_create(&thread, NULL, start_late, NULL));
	result = run(&what);
	pthread_join(thread, NULL);
	CHECK_INT(result.end, BL_HTTP_ANSWERED);
	CHECK(result.attempts >= 2);
	CHECK_INT(server.requests, 1);
	REQUIRE(new_client()); /* which hangs up */
	stop_server();
	server = saved;
}

static void many_at_once(void)
{
	struct bl_http_request what[20];
	struct bl_http_result results[BL_COUNT(what)];

	REQUIRE(new_client());
	answer_with("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
		    "Connection: close\r\n\r\n{}");
	server.hang_up_after = 1;
	for (size_t i = 0; i < BL_COUNT(what); i++)
		what[i] = request("http://127.0.0.1", "/");
	CHECK_STATUS(bl_http_run(client, what, BL_COUNT(what), &arena, results,
				 NULL),
		     BL_OK);
	for (size_t i = 0; i < BL_COUNT(what); i++)
		CHECK_INT(results[i].end, BL_HTTP_ANSWERED);
	CHECK_INT(server.requests, BL_COUNT(what));
}

struct worker_results {
	struct bl_http_request what;
	enum bl_http_end ends[4];
};

static void work(void *context, uint32_t i)
{
	struct worker_results *shared = context;
	struct bl_http_result result = { .end = BL_HTTP_NO_CLIENT };
	struct bl_arena own;

	bl_arena_init(&own, NULL, 0, 0);
	for (int n = 0; n < 5; n++) {
		if (bl_http_run(client, &shared->what, 1, &own, &result,
				NULL) != BL_OK ||
		    result.end != BL_HTTP_ANSWERED)
			break;
	}
	shared->ends[i] = result.end;
	bl_arena_clear(&own);
}

static void threads_share_a_client(void)
{
	struct worker_results shared = { .what = request("http://127.0.0.1",
							 "/") };

	REQUIRE(new_client());
	/* One connection at a time is served, so none may stay open. */
	answer_with("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
		    "Connection: close\r\n\r\n{}");
	bl_os_parallel(BL_COUNT(shared.ends), work, &shared);
	for (size_t i = 0; i < BL_COUNT(shared.ends); i++)
		CHECK_INT(shared.ends[i], BL_HTTP_ANSWERED);
}

static void too_many_requests(void)
{
	struct bl_error err;

	REQUIRE(new_client());
	CHECK_STATUS(bl_http_run(client, NULL, BL_HTTP_MAX_REQUESTS + 1, &arena,
				 NULL, &err),
		     BL_LIMIT);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	if (!listen_on(0) || !start_server())
		return 1;
	RUN(a_request_and_its_answer);
	RUN(connections_are_used_again);
	RUN(a_used_connection_is_checked_again);
	RUN(a_request_is_sent_once);
	RUN(names_are_checked_by_what_they_resolve_to);
	RUN(an_allowed_address_is_enough);
	RUN(plain_http_is_for_loopback_only);
	RUN(the_machine_may_allow_less);
	RUN(answers_have_a_limit);
	RUN(headers_have_a_limit);
	RUN(broken_answers);
	RUN(nobody_answers);
	RUN(a_stop_ends_it);
	RUN(somebody_comes_late);
	RUN(many_at_once);
	RUN(threads_share_a_client);
	RUN(too_many_requests);
	client = bl_http_client_free(client);
	stop_server();
	bl_arena_clear(&arena);
	return tap_end();
}
