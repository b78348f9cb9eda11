/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.c: a server's life: the socket, libmicrohttpd's options, running and
 * stopping.
 */
#include "http/server/private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	/*
	 * Of each connection, for the head of a request.  32 KiB, the default,
	 * costs four times the memory for connections that only wait.
	 */
	CONNECTION_BYTES = 12288,
	BACKLOG = 1024,
	TICK_MS = 1000,
	STOP_STEP_MS = 20,
	MAX_OPTIONS = 20,
};

/* ---- the socket ----------------------------------------------------------- */

struct listener {
	struct sockaddr_storage address;
	socklen_t len;
	struct bl_ip ip;
};

static enum bl_status parse_listen(const char *text, struct listener *out,
				   struct bl_error *err)
{
	struct bl_str all = bl_str(text);
	const char *colon = strrchr(text, ':');
	struct bl_str host;
	char *end;
	unsigned long port;

	if (!colon || !colon[1])
		return bl_fail(err, BL_USAGE,
			       "\"%s\" is not an ADDRESS:PORT to listen on",
			       text);
	port = strtoul(colon + 1, &end, 10);
	host = bl_str_slice(all, 0, (size_t)(colon - text));
	if (host.len > 1 && host.ptr[0] == '[')
		host = bl_str_slice(host, 1, host.len - 1);
	if (*end || port > UINT16_MAX || !bl_ip_parse(host, &out->ip))
		return bl_fail(err, BL_USAGE,
			       "\"%s\" is not an ADDRESS:PORT to listen on",
			       text);
	memset(&out->address, 0, sizeof(out->address));
	if (out->ip.len == 4) {
		struct sockaddr_in in = { .sin_family = AF_INET,
					  .sin_port = htons((uint16_t)port) };

		memcpy(&in.sin_addr, out->ip.bytes, 4);
		memcpy(&out->address, &in, sizeof(in));
		out->len = sizeof(in);
	} else {
		struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
					    .sin6_port =
						    htons((uint16_t)port) };

		memcpy(&in6.sin6_addr, out->ip.bytes, 16);
		memcpy(&out->address, &in6, sizeof(in6));
		out->len = sizeof(in6);
	}
	return BL_OK;
}

static void print_address(struct bl_server *server, struct listener *listener)
{
	char ip[BL_IP_TEXT_BYTES];
	uint16_t port;

	if (listener->ip.len == 4) {
		struct sockaddr_in in;

		memcpy(&in, &listener->address, sizeof(in));
		port = ntohs(in.sin_port);
	} else {
		struct sockaddr_in6 in6;

		memcpy(&in6, &listener->address, sizeof(in6));
		port = ntohs(in6.sin6_port);
	}
	bl_ip_print(&listener->ip, ip);
	snprintf(server->address, sizeof(server->address),
		 listener->ip.len == 4 ? "%s:%u" : "[%s]:%u", ip,
		 (unsigned)port);
}

static enum bl_status open_listener(struct bl_server *server, int *out_fd,
				    struct bl_error *err)
{
	struct listener listener;
	enum bl_status status =
		parse_listen(server->options.listen, &listener, err);
	int yes = 1;
	int fd;

	if (status)
		return status;
	fd = socket(listener.address.ss_family,
		    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return bl_fail_errno(err, errno, "cannot make a socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, (struct sockaddr *)&listener.address, listener.len) ||
	    listen(fd, BACKLOG) ||
	    getsockname(fd, (struct sockaddr *)&listener.address,
			&listener.len)) {
		status = bl_fail_errno(err, errno, "cannot listen on %s",
				       server->options.listen);
		close(fd);
		return status;
	}
	print_address(server, &listener);
	*out_fd = fd;
	return BL_OK;
}

/* ---- libmicrohttpd -------------------------------------------------------- */

/* Nothing is decoded: the handler's path is the one that was sent. */
static size_t keep_escapes(void *context, struct MHD_Connection *connection,
			   char *text)
{
	(void)context;
	(void)connection;
	return strlen(text);
}

static void set_defaults(struct bl_server_options *options)
{
	static const struct {
		size_t at;
		unsigned value;
	} defaults[] = {
		{ offsetof(struct bl_server_options, threads), 2 },
		{ offsetof(struct bl_server_options, workers), 4 },
		{ offsetof(struct bl_server_options, max_waiting), 512 },
		{ offsetof(struct bl_server_options, max_connections), 8192 },
		{ offsetof(struct bl_server_options, request_ms), 30000 },
		{ offsetof(struct bl_server_options, idle_ms), 30000 },
		{ offsetof(struct bl_server_options, stop_ms), 10000 },
	};

	for (size_t i = 0; i < BL_COUNT(defaults); i++) {
		unsigned *value =
			(unsigned *)((char *)options + defaults[i].at);

		if (!*value)
			*value = defaults[i].value;
	}
}

static struct MHD_Daemon *start_daemon(struct bl_server *server, int fd)
{
	const struct bl_server_options *options = &server->options;
	struct MHD_OptionItem items[] = {
		{ MHD_OPTION_LISTEN_SOCKET, fd, NULL },
		{ MHD_OPTION_THREAD_POOL_SIZE, options->threads, NULL },
		{ MHD_OPTION_CONNECTION_LIMIT, options->max_connections, NULL },
		{ MHD_OPTION_PER_IP_CONNECTION_LIMIT, options->max_of_address,
		  NULL },
		{ MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES, NULL },
		{ MHD_OPTION_CONNECTION_TIMEOUT,
		  (options->idle_ms + 999) / 1000, NULL },
		{ MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL },
		{ MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)server_on_uri,
		  server },
		{ MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)server_on_completed,
		  server },
		{ MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)server_on_connection,
		  server },
		{ MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)keep_escapes, NULL },
		{ options->tls_key ? MHD_OPTION_HTTPS_MEM_KEY : MHD_OPTION_END,
		  0, (void *)(uintptr_t)options->tls_key },
		{ MHD_OPTION_HTTPS_MEM_CERT, 0,
		  (void *)(uintptr_t)options->tls_cert },
		{ MHD_OPTION_END, 0, NULL },
	};
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD |
			 MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC |
			 (options->tls_key ? MHD_USE_TLS : 0);

	return MHD_start_daemon(flags, 0, NULL, NULL, server_on_request, server,
				MHD_OPTION_ARRAY, items, MHD_OPTION_END);
}

enum bl_status bl_server_new(const struct bl_server_options *options,
			     struct bl_server **out_server,
			     struct bl_error *err)
{
	struct bl_server *server = calloc(1, sizeof(*server));
	enum bl_status status;
	int fd = -1;

	if (!server)
		return bl_fail_memory(err);
	server->options = *options;
	set_defaults(&server->options);
	server->last = &server->first;
	pthread_mutex_init(&server->lock, NULL);
	pthread_mutex_init(&server->peers_lock, NULL);
	pthread_cond_init(&server->wake, NULL);
	status = bl_flag_init(&server->stop, err);
	if (!status)
		status = open_listener(server, &fd, err);
	if (!status) {
		server->daemon = start_daemon(server, fd);
		if (!server->daemon) {
			close(fd);
			status = bl_fail(err, BL_SYSTEM,
					 "the HTTP server does not start; "
					 "are certificate and key right?");
		}
	}
	if (status) {
		bl_server_free(server);
		return status;
	}
	*out_server = server;
	return BL_OK;
}

const char *bl_server_address(const struct bl_server *server)
{
	return server->address;
}

/* ---- running -------------------------------------------------------------- */

/* Takes no new connections, and waits for the requests that run. */
static void wind_down(struct bl_server *server)
{
	MHD_socket fd = MHD_quiesce_daemon(server->daemon);
	unsigned waited_ms = 0;

	while (atomic_load(&server->running) &&
	       waited_ms < server->options.stop_ms) {
		bl_os_wait_readable(-1, STOP_STEP_MS);
		waited_ms += STOP_STEP_MS;
		server_peers_close_late(server);
	}
	server_end_work(server);
	if (fd != MHD_INVALID_SOCKET)
		close(fd);
}

static void live(void *context, uint32_t number)
{
	struct bl_server *server = context;

	if (number) {
		server_work(server);
		return;
	}
	while (!bl_os_wait_readable(server->stop.fd, TICK_MS)) {
		server_peers_close_late(server);
		if (server->options.tick)
			server->options.tick(server->options.context);
	}
	wind_down(server);
}

void bl_server_run(struct bl_server *server)
{
	bl_os_parallel(server->options.workers + 1, live, server);
	/* All workers are at home, so no connection is suspended. */
	MHD_stop_daemon(server->daemon);
	server->daemon = NULL;
}

void bl_server_stop(struct bl_server *server)
{
	bl_flag_raise(&server->stop);
}

struct bl_server *bl_server_free(struct bl_server *server)
{
	if (!server)
		return NULL;
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	bl_flag_clear(&server->stop);
	pthread_cond_destroy(&server->wake);
	pthread_mutex_destroy(&server->peers_lock);
	pthread_mutex_destroy(&server->lock);
	free(server);
	return NULL;
}

struct bl_server_counts bl_server_count(struct bl_server *server)
{
	struct bl_server_counts counts = {
		.requests = atomic_load(&server->requests),
		.refused = atomic_load(&server->refused),
		.shed = atomic_load(&server->shed),
		.late = atomic_load(&server->late),
		.connections = atomic_load(&server->connections),
	};

	pthread_mutex_lock(&server->lock);
	counts.waiting = server->waiting;
	pthread_mutex_unlock(&server->lock);
	return counts;
}
