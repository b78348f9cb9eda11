/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib/http/server over real sockets: requests that two programs could read in
 * two ways, slow and large ones, a queue that is full, a graceful stop.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "http/server/private.h"
#include "os/os.h"
#include "tap.h"

enum { ANSWER_ROOM = 65536, PATIENCE_MS = 20000 };

/* ---- a server -------------------------------------------------------------- */

static atomic_uint calls;     /* of say() */
static atomic_bool may_go_on; /* slow() waits for it */
static atomic_uint slow_begun;

static void say(struct bl_server_request *request,
		struct bl_server_reply *reply)
{
	atomic_fetch_add(&calls, 1);
	reply->type = "text/plain";
	reply->body = bl_arena_printf(&request->arena, "[%.*s|%.*s|%.*s]",
				      BL_STR_ARG(request->parts[0]),
				      BL_STR_ARG(request->query),
				      BL_STR_ARG(request->body));
}

static void slow(struct bl_server_request *request,
		 struct bl_server_reply *reply)
{
	atomic_fetch_add(&slow_begun, 1);
	while (!atomic_load(&may_go_on))
		usleep(1000);
	reply->body = request->body;
}

static void field(struct bl_server_request *request,
		  struct bl_server_reply *reply)
{
	struct bl_str a = bl_server_field(request, request->query, "a");

	reply->body = a.ptr ? bl_arena_printf(&request->arena, "<%.*s>",
					      BL_STR_ARG(a))
			    : BL_STR("absent");
}

static void peer(struct bl_server_request *request,
		 struct bl_server_reply *reply)
{
	char ip[BL_IP_TEXT_BYTES];

	bl_ip_print(&request->peer, ip);
	reply->body = bl_arena_printf(&request->arena, "%s", ip);
}

static const struct bl_server_route routes[] = {
	{ BL_SERVER_GET, 0, "/say", 0, say, 0 },
	{ BL_SERVER_GET, 0, "/field", 0, field, 0 },
	{ BL_SERVER_POST, BL_SERVER_WORK, "/say", 1000, say, 0 },
	{ BL_SERVER_GET, 0, "/o/{}", 0, say, 0 },
	{ BL_SERVER_GET, BL_SERVER_WORK, "/slow", 0, slow, 0 },
	{ BL_SERVER_GET, 0, "/closed", 0, say, 1 },
	{ BL_SERVER_GET, 0, "/peer", 0, peer, 0 },
};

static bool admit(struct bl_server_request *request,
		  struct bl_server_reply *reply)
{
	if (!request->route || !request->route->data)
		return true;
	reply->status = 401;
	return false;
}

static struct bl_server *server;
static pthread_t thread;

static void *run(void *argument)
{
	bl_server_run(argument);
	return NULL;
}

static bool start(const struct bl_server_options *more)
{
	struct bl_server_options options = *more;
	struct bl_error err;

	if (!options.listen)
		options.listen = "127.0.0.1:0";
	options.routes = routes;
	options.route_count = BL_COUNT(routes);
	options.admit = admit;
	if (bl_server_new(&options, &server, &err)) {
		TAP_NOTE("%s", err.message);
		return false;
	}
	return !pthread_create(&thread, NULL, run, server);
}

static void end(void)
{
	bl_server_stop(server);
	pthread_join(thread, NULL);
	server = bl_server_free(server);
}

/* ---- a client --------------------------------------------------------------- */

static int dial(void)
{
	const char *colon = strrchr(bl_server_address(server), ':');
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(colon + 1)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* All that comes until the other side closes, as text. */
static const char *receive(int fd)
{
	static char answer[ANSWER_ROOM];
	size_t len = 0;
	ssize_t got;

	while (len < sizeof(answer) - 1 &&
	       (got = recv(fd, answer + len, sizeof(answer) - 1 - len, 0)) > 0)
		len += (size_t)got;
	answer[len] = '\0';
	close(fd);
	return answer;
}

static const char *ask_bytes(const char *text, size_t len)
{
	int fd = dial();

	if (fd < 0)
		return "no connection";
	send(fd, text, len, MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	return receive(fd);
}

static const char *ask(const char *text)
{
	return ask_bytes(text, strlen(text));
}

/* The status of the first answer; 0: there is no answer. */
static int status_of(const char *answer)
{
	return strncmp(answer, "HTTP/1.1 ", 9) ? 0 : atoi(answer + 9);
}

static bool ends_with(const char *answer, const char *end_text)
{
	return bl_str_has_suffix(bl_str(answer), bl_str(end_text));
}

#define H "Host: a\r\n"
#define GET(path, more)                                                        \
	"GET " path " HTTP/1.1\r\n" H more "Connection: close\r\n\r\n"

/* ---- tests ------------------------------------------------------------------- */

static void routes_answer(void)
{
	const char *answer;

	REQUIRE(start(&(struct bl_server_options){ 0 }));
	CHECK(ends_with(ask(GET("/say?a=%41+b", "")), "[|a=%41+b|]"));
	CHECK(ends_with(ask(GET("/o/a.b-C_9", "")), "[a.b-C_9||]"));
	CHECK_INT(status_of(ask(GET("/o/.hidden", ""))), 404);
	CHECK_INT(status_of(ask(GET("/o/", ""))), 404);
	CHECK_INT(status_of(ask(GET("/o/a/b", ""))), 404);
	CHECK_INT(status_of(ask(GET("/nothing", ""))), 404);
	CHECK_INT(status_of(ask(GET("/closed", ""))), 401);
	answer = ask("DELETE /say HTTP/1.1\r\n" H "Connection: close\r\n\r\n");
	CHECK_INT(status_of(answer), 405);
	CHECK(strstr(answer, "Allow: GET, HEAD, POST\r\n"));
	answer = ask("HEAD /say HTTP/1.1\r\n" H "Connection: close\r\n\r\n");
	CHECK_INT(status_of(answer), 200);
	CHECK(ends_with(answer, "\r\n\r\n"));
	end();
}

/* Each is another spelling of a path that has a route. */
static void paths_are_not_decoded(void)
{
	REQUIRE(start(&(struct bl_server_options){ 0 }));
	CHECK_INT(status_of(ask(GET("/%73ay", ""))), 404);
	CHECK_INT(status_of(ask(GET("/o/..%2fsay", ""))), 404);
	CHECK_INT(status_of(ask(GET("/o/a%00b", ""))), 404);
	CHECK_INT(status_of(ask(GET("//say", ""))), 404);
	CHECK_INT(status_of(ask(GET("/o/../say", ""))), 404);
	CHECK_INT(status_of(ask(GET("http://a/say", ""))), 404);
	end();
}

static void fields_are_decoded(void)
{
	REQUIRE(start(&(struct bl_server_options){ 0 }));
	CHECK(ends_with(ask(GET("/field?b=1&a=x+%41%c3%a9", "")),
			"<x A\xc3\xa9>"));
	CHECK(ends_with(ask(GET("/field?a=", "")), "<>"));
	CHECK(ends_with(ask(GET("/field?aa=1", "")), "absent"));
	CHECK(ends_with(ask(GET("/field?a=1&a=2", "")), "absent"));
	CHECK(ends_with(ask(GET("/field?a=%00", "")), "absent"));
	CHECK(ends_with(ask(GET("/field?a=%4", "")), "absent"));
	CHECK(ends_with(ask(GET("/field?a=%ff", "")), "absent"));
	end();
}

/*
 * Closed without an answer, and the second request that such bytes hide is
 * not run.
 */
static void smuggling_is_closed(void)
{
	static const char *const heads[] = {
		"Content-Length: 3\r\nContent-Length: 60\r\n",
		"Content-Length: 3\r\nContent-Length: 3\r\n",
		"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
		"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
		"Host: b\r\nContent-Length: 3\r\n",
		"Authorization: a\r\nAuthorization: b\r\nContent-Length: 3\r\n",
	};

	REQUIRE(start(&(struct bl_server_options){ 0 }));
	for (size_t i = 0; i < BL_COUNT(heads); i++) {
		char text[1024];
		const char *answer;
		unsigned before = atomic_load(&calls);

		snprintf(text, sizeof(text),
			 "POST /say HTTP/1.1\r\n" H "%s\r\nabc%s", heads[i],
			 GET("/say", ""));
		answer = ask(text);
		CHECK_STR(bl_str(answer), "");
		CHECK_INT(atomic_load(&calls), before);
	}
	CHECK_INT(bl_server_count(server).refused, BL_COUNT(heads));
	CHECK_INT(status_of(ask(
			  "GET /say HTTP/1.1\r\nConnection: close\r\n\r\n")),
		  400);
	CHECK_INT(status_of(ask("GET /say HTTP/1.1\r\nHost : a\r\n\r\n")), 400);
	CHECK_INT(status_of(ask("POST /say HTTP/1.1\r\n" H
				"Content-Length: +3\r\n\r\nabc")),
		  400);
	end();
}

static void bodies_have_an_end(void)
{
	char text[8192];
	int len;

	REQUIRE(start(&(struct bl_server_options){ 0 }));
	CHECK(ends_with(
		ask("POST /say HTTP/1.1\r\n" H
		    "Content-Length: 3\r\nConnection: close\r\n\r\nabc"),
		"[||abc]"));
	CHECK(ends_with(ask("POST /say HTTP/1.1\r\n" H
			    "Transfer-Encoding: chunked\r\nConnection: close"
			    "\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
			"[||abc]"));
	CHECK_INT(status_of(ask("POST /say HTTP/1.1\r\n" H
				"Content-Length: 1001\r\n\r\n")),
		  413);
	len = snprintf(text, sizeof(text),
		       "POST /say HTTP/1.1\r\n" H
		       "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
		       "3e9\r\n%01001d\r\n0\r\n\r\n",
		       0);
	CHECK_INT(status_of(ask_bytes(text, (size_t)len)), 413);
	CHECK_INT(status_of(ask("GET /say HTTP/1.1\r\n" H
				"Content-Length: 3\r\n\r\nabc")),
		  413);
	end();
}

/* Sends count bytes "a" packed by gzip. */
static const char *ask_packed(size_t count, const char *coding)
{
	char *plain = malloc(count);
	char packed[4096];
	char text[8192];
	z_stream stream = { 0 };
	int head;

	memset(plain, 'a', count);
	deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	stream.next_in = (Bytef *)plain;
	stream.avail_in = (uInt)count;
	stream.next_out = (Bytef *)packed;
	stream.avail_out = sizeof(packed);
	deflate(&stream, Z_FINISH);
	deflateEnd(&stream);
	free(plain);
	head = snprintf(text, sizeof(text),
			"POST /say HTTP/1.1\r\n" H "Content-Encoding: %s\r\n"
			"Content-Length: %lu\r\nConnection: close\r\n\r\n",
			coding, stream.total_out);
	memcpy(text + head, packed, stream.total_out);
	return ask_bytes(text, (size_t)head + stream.total_out);
}

static void gzip_has_an_end(void)
{
	REQUIRE(start(&(struct bl_server_options){ 0 }));
	CHECK(ends_with(ask_packed(4, "gzip"), "[||aaaa]"));
	CHECK_INT(status_of(ask_packed(1000, "gzip")), 200);
	CHECK(ends_with(ask_packed(1001, "gzip"),
			"\r\n\r\nthe body is too large when it is unpacked\n"));
	CHECK_INT(status_of(ask_packed(900000, "gzip")), 413);
	CHECK_INT(status_of(ask_packed(4, "br")), 415);
	CHECK_INT(
		status_of(ask("POST /say HTTP/1.1\r\n" H
			      "Content-Encoding: gzip\r\nContent-Length: 3\r\n"
			      "Connection: close\r\n\r\nabc")),
		400);
	end();
}

static void slow_senders_are_closed(void)
{
	int fd;
	char byte;

	REQUIRE(start(&(struct bl_server_options){ .request_ms = 300,
						   .idle_ms = 300 }));
	fd = dial();
	REQUIRE(fd >= 0);
	send(fd, "POST /say HTTP/1.1\r\n" H "Content-Length: 900\r\n\r\n", 52,
	     MSG_NOSIGNAL);
	/* A byte at a time, for ever: each begins libmicrohttpd's time anew. */
	for (int i = 0; i < PATIENCE_MS / 100; i++) {
		if (send(fd, "a", 1, MSG_NOSIGNAL) < 0)
			break;
		usleep(100000);
		if (bl_server_count(server).late)
			break;
	}
	CHECK_INT(bl_server_count(server).late, 1);
	CHECK(recv(fd, &byte, 1, 0) <= 0);
	close(fd);
	end();
}

static void a_full_queue_sheds(void)
{
	int waiting[3];
	const char *answer;

	atomic_store(&may_go_on, false);
	REQUIRE(start(
		&(struct bl_server_options){ .workers = 1, .max_waiting = 2 }));
	for (int i = 0; i < 3; i++) {
		waiting[i] = dial();
		send(waiting[i], GET("/slow", ""), strlen(GET("/slow", "")), 0);
		/* The first is taken by the worker, the others wait. */
		while (!i ? !atomic_load(&slow_begun)
			  : bl_server_count(server).waiting < (unsigned)i)
			usleep(1000);
	}
	answer = ask(GET("/slow", ""));
	CHECK_INT(status_of(answer), 503);
	CHECK(strstr(answer, "Retry-After: 30\r\n"));
	/* Those that need no worker are answered all the while. */
	CHECK_INT(status_of(ask(GET("/say", ""))), 200);
	atomic_store(&may_go_on, true);
	for (int i = 0; i < 3; i++)
		CHECK_INT(status_of(receive(waiting[i])), 200);
	end();
}

static void stopping_waits_for_requests(void)
{
	unsigned begun = atomic_load(&slow_begun);
	int fd;

	atomic_store(&may_go_on, false);
	REQUIRE(start(&(struct bl_server_options){ 0 }));
	fd = dial();
	send(fd, GET("/slow", ""), strlen(GET("/slow", "")), 0);
	while (atomic_load(&slow_begun) == begun)
		usleep(1000);
	bl_server_stop(server);
	usleep(100000);
	atomic_store(&may_go_on, true);
	CHECK_INT(status_of(receive(fd)), 200);
	end();
}

/* Nobody would resume its connection any more. */
static void a_server_without_workers_queues_nothing(void)
{
	static struct server_request request;
	struct bl_server ending = { .options = { .max_waiting = 1 } };

	pthread_mutex_init(&ending.lock, NULL);
	pthread_cond_init(&ending.wake, NULL);
	ending.last = &ending.first;
	request.server = &ending;
	server_end_work(&ending);
	CHECK(!server_queue(&request));
	CHECK_INT(ending.waiting, 0);
	pthread_cond_destroy(&ending.wake);
	pthread_mutex_destroy(&ending.lock);
}

/* Else all callers by IPv4 would share what one of ::/64 may ask. */
static void a_mapped_address_is_what_it_maps(void)
{
	REQUIRE(start(&(struct bl_server_options){ .listen = "[::]:0" }));
	CHECK(ends_with(ask(GET("/peer", "")), "127.0.0.1"));
	end();
}

static void a_bad_address_is_refused(void)
{
	static const char *const bad[] = { "127.0.0.1", "localhost:1",
					   "127.0.0.1:x",
					   "127.0.0.1:", "127.0.0.1:70000" };

	for (size_t i = 0; i < BL_COUNT(bad); i++) {
		struct bl_server_options options = { .listen = bad[i],
						     .routes = routes,
						     .route_count = 1 };
		struct bl_error err;

		CHECK_STATUS(bl_server_new(&options, &server, &err), BL_USAGE);
	}
}

int main(void)
{
	RUN(routes_answer);
	RUN(paths_are_not_decoded);
	RUN(fields_are_decoded);
	RUN(smuggling_is_closed);
	RUN(bodies_have_an_end);
	RUN(gzip_has_an_end);
	RUN(slow_senders_are_closed);
	RUN(a_full_queue_sheds);
	RUN(stopping_waits_for_requests);
	RUN(a_server_without_workers_queues_nothing);
	RUN(a_mapped_address_is_what_it_maps);
	RUN(a_bad_address_is_refused);
	return tap_end();
}
