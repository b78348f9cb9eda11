/* SPDX-License-Identifier: Apache-2.0 */
/*
 * collectors.c: one message to a collector, and whether it has arrived: OTLP over
 * HTTP, syslog over TCP or TLS.  Apart from the queue (export.c), which is the same for both.
 */
#include "server/export.h"

#include "crypto/tls/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	SEND_MS = 10 * SECOND_MS,
	CLOSE_MS = 3 * SECOND_MS, /* for a collector to see the end */
	MAX_ANSWER_BYTES = 64 * 1024,
	MAX_WHY = 128, /* of an answer's text that is shown */
	MAX_WAIT_SECONDS = 3600,
	NS_OF_MS = 1000000,
};

#define TLS_SCHEME "tls://"
#define CUT_SHORT  "the connection ended before all was there"

static void BL_PRINTF(3, 4)
	say(struct send_result *out, enum send_end end, const char *text, ...)
{
	va_list args;

	out->end = end;
	va_start(args, text);
	vsnprintf(out->why, sizeof(out->why), text, args);
	va_end(args);
}

/* ---- OTLP --------------------------------------------------------------------- */

/* The seconds of a header Retry-After, in milliseconds; 0: another form, or none. */
static int64_t retry_after(struct bl_str head)
{
	const char *at =
		head.ptr ? strcasestr(head.ptr, "\nretry-after:") : NULL;
	long seconds =
		at ? strtol(at + sizeof("\nretry-after:") - 1, NULL, 10) : 0;

	if (seconds < 0)
		return 0;
	return SECOND_MS * (int64_t)(seconds < MAX_WAIT_SECONDS
					     ? seconds
					     : MAX_WAIT_SECONDS);
}

/* {"partialSuccess": {"rejectedLogRecords": "3", "errorMessage": "..."}} */
static void read_partial(struct bl_str body, struct bl_arena *arena,
			 struct send_result *out)
{
	struct bl_value answer;
	struct bl_value partial;
	struct bl_value count;
	struct bl_str text;

	if (bl_json_read(arena, body, NULL, &answer, NULL, NULL, NULL))
		return;
	partial = bl_object_find(answer, BL_STR("partialSuccess"));
	count = bl_object_find(partial, BL_STR("rejectedLogRecords"));
	text = bl_value_text(count);
	if (text.len && bl_number_from_text(text, &count))
		return;
	if (!bl_number_to_integer(count, &out->refused) || out->refused <= 0) {
		out->refused = 0;
		return;
	}
	text = bl_value_text(bl_object_find(partial, BL_STR("errorMessage")));
	text = bl_str_slice(text, 0, MAX_WHY);
	say(out, SEND_TAKEN, "it did not keep %lld records: %.*s",
	    (long long)out->refused, BL_STR_ARG(text));
}

/*
 * OTLP has senders drop what is answered with anything but 429, 502, 503 and 504.
 * These records are an audit trail, so only what blames the records themselves drops
 * them; a wrong token or path is the operator's to mend, and they wait.
 */
static void judge(const struct bl_http_reply *reply, struct bl_arena *arena,
		  struct send_result *out)
{
	static const int blames[] = { 400, 413, 422 };
	struct bl_str text = bl_str_slice(reply->body, 0, MAX_WHY);

	if (reply->end != BL_HTTP_ANSWERED) {
		say(out, SEND_FAILED, "%s", reply->error);
		return;
	}
	if (reply->status >= 200 && reply->status < 300) {
		out->end = SEND_TAKEN;
		read_partial(reply->body, arena, out);
		return;
	}
	say(out, SEND_FAILED, "it answered %d: %.*s", reply->status,
	    BL_STR_ARG(text));
	out->retry_after_ms = retry_after(reply->head);
	for (size_t i = 0; i < BL_COUNT(blames); i++)
		if (reply->status == blames[i])
			out->end = SEND_REFUSED;
}

static bool is_over(void *context)
{
	return bl_flag_is_raised(context);
}

void send_otlp(const struct send_to *to, struct bl_str body,
	       struct send_result *out)
{
	struct bl_str header = to->options->export_otlp_header;
	const char *const headers[] = {
		"Content-Type: application/json",
		"User-Agent: belay-server/" BELAY_VERSION,
		header.len ? header.ptr : NULL, NULL
	};
	struct bl_http_call call = {
		.method = "POST",
		.url = to->options->export_otlp.ptr,
		.headers = headers,
		.body = body,
		.timeout_ms = SEND_MS,
		.max_answer_bytes = MAX_ANSWER_BYTES,
		.ca = to->options->export_ca,
		.client_cert = to->options->export_cert,
		.client_key = to->options->export_key,
		.is_over = is_over,
		.context = (void *)(uintptr_t)to->stop,
	};
	struct bl_http_reply reply;
	struct bl_arena arena;
	struct bl_error err;

	*out = (struct send_result){ .end = SEND_FAILED };
	bl_arena_init(&arena, NULL, 0, 0);
	if (bl_http_exchange(to->http, &call, &arena, &reply, &err))
		say(out, SEND_FAILED, "%s", err.message);
	else
		judge(&reply, &arena, out);
	bl_arena_clear(&arena);
}

/* ---- syslog -------------------------------------------------------------------- */

bool export_split_address(struct bl_str text, struct bl_arena *arena,
			  struct export_address *out)
{
	struct bl_str host;
	struct bl_str port;
	const char *colon;

	out->is_tls = bl_str_has_prefix(text, BL_STR(TLS_SCHEME));
	if (out->is_tls)
		text = bl_str_slice(text, sizeof(TLS_SCHEME) - 1, SIZE_MAX);
	colon = text.len ? strrchr(text.ptr, ':') : NULL;
	if (!colon)
		return false;
	host = bl_str_slice(text, 0, (size_t)(colon - text.ptr));
	port = bl_str_slice(text, host.len + 1, SIZE_MAX);
	if (host.len > 2 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']')
		host = bl_str_slice(host, 1, host.len - 1);
	out->host = bl_arena_copy_str(arena, host).ptr;
	out->port = bl_arena_copy_str(arena, port).ptr;
	if (!out->host || !out->port || !host.len || !port.len || port.len > 5)
		return false;
	return strspn(out->port, "0123456789") == port.len &&
	       strtol(out->port, NULL, 10) <= UINT16_MAX;
}

/* A connection that is being written to. */
struct line {
	int fd;
	const struct bl_flag *stop;
	int64_t until_ns;
};

/* Waits for events; false when the time is up or all is to stop. */
static bool wait_for(const struct line *line, short events)
{
	struct pollfd fds[2] = { { .fd = line->fd, .events = events },
				 { .fd = line->stop->fd, .events = POLLIN } };
	int64_t left_ms =
		(line->until_ns - bl_os_monotonic_ns()) / NS_OF_MS + 1;

	return left_ms > 0 && poll(fds, 2, (int)left_ms) > 0 && !fds[1].revents;
}

static bool dial(struct line *line, const struct addrinfo *address)
{
	int error = 0;
	socklen_t len = sizeof(error);

	line->fd = socket(address->ai_family,
			  SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (line->fd < 0)
		return false;
	if (!connect(line->fd, address->ai_addr, address->ai_addrlen))
		return true;
	if (errno == EINPROGRESS && wait_for(line, POLLOUT) &&
	    !getsockopt(line->fd, SOL_SOCKET, SO_ERROR, &error, &len) && !error)
		return true;
	error = error ? error : errno;
	close(line->fd);
	line->fd = -1;
	errno = error;
	return false;
}

/* The first of the name's addresses that answers. */
static bool connect_to(struct line *line, const char *host, const char *port,
		       struct send_result *out)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *all = NULL;
	int failed = getaddrinfo(host, port, &hints, &all);

	for (struct addrinfo *one = all; one && line->fd < 0;
	     one = one->ai_next)
		dial(line, one);
	if (line->fd < 0)
		say(out, SEND_FAILED, "it could not be reached: %s",
		    failed ? gai_strerror(failed) : strerror(errno));
	if (all)
		freeaddrinfo(all);
	return line->fd >= 0;
}

static bool write_all(const struct line *line, struct bl_str body)
{
	size_t at = 0;

	while (at < body.len) {
		ssize_t sent = send(line->fd, body.ptr + at, body.len - at,
				    MSG_NOSIGNAL);

		if (sent > 0)
			at += (size_t)sent;
		else if ((errno != EAGAIN && errno != EINTR) ||
			 !wait_for(line, POLLOUT))
			return false;
	}
	return true;
}

static void begin_end(struct line *line)
{
	line->until_ns = bl_os_monotonic_ns() + (int64_t)CLOSE_MS * NS_OF_MS;
}

/*
 * Syslog has no acknowledgement.  So the end of the stream is sent, and that of the
 * other side is waited for: a collector closes when it has read all.  A collector
 * that keeps its side open has all once TCP has nothing left to acknowledge.
 */
static bool close_line(struct line *line)
{
	char dropped[512];
	ssize_t got = -1;
	int left = 1;

	begin_end(line);
	if (shutdown(line->fd, SHUT_WR))
		return false;
	while (got && wait_for(line, POLLIN)) {
		got = recv(line->fd, dropped, sizeof(dropped), 0);
		if (got < 0 && errno != EAGAIN && errno != EINTR)
			return false;
	}
	return !got || (!ioctl(line->fd, SIOCOUTQ, &left) && !left);
}

static bool wait_for_tls(void *context, bool to_write)
{
	return wait_for(context, to_write ? POLLOUT : POLLIN);
}

/* RFC 5425: the same octets, within TLS. */
static void send_within_tls(struct line *line, const struct send_to *to,
			    const char *host, struct bl_str body,
			    struct send_result *out)
{
	const struct bl_tls_options options = {
		.fd = line->fd,
		.host = host,
		.ca = to->options->export_ca,
		.client_cert = to->options->export_cert,
		.client_key = to->options->export_key,
		.wait = wait_for_tls,
		.context = line,
	};
	struct bl_tls *tls = NULL;
	struct bl_error err;
	enum bl_status status = bl_tls_open(&options, &tls, &err);

	if (!status)
		status = bl_tls_write(tls, body, &err);
	if (status) {
		say(out, SEND_FAILED, "%s", err.message);
	} else {
		begin_end(line);
		/* Many only close the connection. */
		if (!bl_tls_end(tls) && !close_line(line))
			say(out, SEND_FAILED, CUT_SHORT);
	}
	bl_tls_free(tls);
}

void send_syslog(const struct send_to *to, struct bl_str body,
		 struct send_result *out)
{
	struct line line = { .fd = -1,
			     .stop = to->stop,
			     .until_ns = bl_os_monotonic_ns() +
					 (int64_t)SEND_MS * NS_OF_MS };
	struct export_address address;
	struct bl_arena arena;

	*out = (struct send_result){ .end = SEND_TAKEN };
	bl_arena_init(&arena, NULL, 0, 0);
	if (!export_split_address(to->options->export_syslog, &arena, &address))
		say(out, SEND_FAILED, "its address cannot be read");
	else if (!connect_to(&line, address.host, address.port, out))
		; /* out says it */
	else if (address.is_tls)
		send_within_tls(&line, to, address.host, body, out);
	else if (!write_all(&line, body) || !close_line(&line))
		say(out, SEND_FAILED, CUT_SHORT);
	if (line.fd >= 0)
		close(line.fd);
	bl_arena_clear(&arena);
}
