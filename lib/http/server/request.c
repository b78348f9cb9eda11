/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c: one request from its first line to its reply.
 *
 * libmicrohttpd calls server_on_request with the head alone, then with each
 * piece of the body, then once more.  A reply is made in the last call; in the
 * first one only the connection can be closed, which is what a request gets that
 * two programs could read in two ways.
 */
#include "http/server/private.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	MAX_URI_BYTES = 4096,
	MAX_REQUEST_BYTES = 64 << 20, /* memory beside the body */
	DROPPED_BYTES_MAX = 1 << 20,  /* of a body that is refused */
};

static const struct {
	const char *name;
	unsigned method;
} methods[] = {
	{ "GET", BL_SERVER_GET },       { "HEAD", BL_SERVER_GET },
	{ "POST", BL_SERVER_POST },     { "PUT", BL_SERVER_PUT },
	{ "DELETE", BL_SERVER_DELETE },
};

/* ---- the public part ------------------------------------------------------ */

struct bl_str bl_server_header(const struct bl_server_request *request,
			       const char *name)
{
	const struct server_request *own =
		(const struct server_request *)request;
	const char *value = NULL;
	size_t len = 0;

	if (!own->connection || MHD_lookup_connection_value_n(
					own->connection, MHD_HEADER_KIND, name,
					strlen(name), &value, &len) != MHD_YES)
		return (struct bl_str){ NULL, 0 };
	return (struct bl_str){ value ? value : "", len };
}

void bl_server_reply_header(struct bl_server_reply *reply, const char *name,
			    const char *value)
{
	if (!value || reply->header_count == BL_SERVER_MAX_HEADERS) {
		reply->is_out_of_memory |= !value;
		return;
	}
	for (const char *c = value; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			return;
	reply->headers[reply->header_count].name = name;
	reply->headers[reply->header_count++].value = value;
}

void server_refuse(struct server_request *request, int status, const char *text)
{
	request->reply.status = status;
	request->reply.type = "text/plain; charset=utf-8";
	request->reply.body = bl_str(text);
	request->is_refused = true;
}

/* ---- the head ------------------------------------------------------------- */

void *server_on_uri(void *context, const char *uri,
		    struct MHD_Connection *connection)
{
	struct bl_server *server = context;
	struct server_request *request = calloc(1, sizeof(*request));
	const union MHD_ConnectionInfo *info;

	if (!request)
		return NULL;
	request->server = server;
	request->connection = connection;
	request->uri = strndup(uri, MAX_URI_BYTES);
	request->open.context = server->options.context;
	request->open.started_ns = bl_os_monotonic_ns();
	request->reply.status = 200;
	bl_arena_init(&request->open.arena, request->first,
		      sizeof(request->first), MAX_REQUEST_BYTES);
	bl_buf_init(&request->taken, 0);
	info = MHD_get_connection_info(connection,
				       MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	request->peer = info ? info->socket_context : NULL;
	server_peer_began(request);
	atomic_fetch_add(&server->running, 1);
	return request;
}

struct counts {
	unsigned host;
	unsigned length;
	unsigned coding;
	unsigned authorization;
	bool is_odd; /* a name that is not one */
};

static bool is_named(const char *name, size_t len, const char *wanted)
{
	return len == strlen(wanted) && !strncasecmp(name, wanted, len);
}

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind,
				    const char *name, size_t name_len,
				    const char *value, size_t value_len)
{
	struct counts *counts = context;

	(void)kind;
	(void)value;
	(void)value_len;
	counts->host += is_named(name, name_len, "Host");
	counts->length += is_named(name, name_len, "Content-Length");
	counts->coding += is_named(name, name_len, "Transfer-Encoding");
	counts->authorization += is_named(name, name_len, "Authorization");
	for (size_t i = 0; i < name_len; i++)
		counts->is_odd |= (unsigned char)name[i] <= ' ';
	return MHD_YES;
}

/* Can nobody read these headers in another way? */
static bool is_plain_head(struct MHD_Connection *connection)
{
	struct counts counts = { 0 };

	MHD_get_connection_values_n(connection, MHD_HEADER_KIND, count_header,
				    &counts);
	return counts.host == 1 && counts.length + counts.coding <= 1 &&
	       counts.authorization <= 1 && !counts.is_odd;
}

static void take_peer(struct server_request *request)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		request->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct bl_ip *peer = &request->open.peer;

	if (!info || !info->client_addr)
		return;
	if (info->client_addr->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, info->client_addr, sizeof(in));
		peer->len = 4;
		memcpy(peer->bytes, &in.sin_addr, 4);
	} else if (info->client_addr->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, info->client_addr, sizeof(in6));
		/* On "[::]" IPv4 comes as ::ffff:192.0.2.1. */
		peer->len = IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr) ? 4 : 16;
		memcpy(peer->bytes, in6.sin6_addr.s6_addr + 16 - peer->len,
		       peer->len);
	}
}

static void put_allowed(struct server_request *request, unsigned allowed)
{
	static const char *const names[] = { "GET, HEAD", "POST", "PUT",
					     "DELETE" };
	struct bl_buf text;

	bl_buf_init(&text, 0);
	for (unsigned i = 0; i < BL_COUNT(names); i++)
		if (allowed & 1u << i)
			bl_buf_printf(&text, "%s%s", text.len ? ", " : "",
				      names[i]);
	bl_server_reply_header(
		&request->reply, "Allow",
		bl_arena_copy_str(&request->open.arena, bl_buf_str(&text)).ptr);
	bl_buf_clear(&text);
	server_refuse(request, 405, "method not allowed\n");
}

/* Path, query and route; a reply when there is nothing to do. */
static void find_route(struct server_request *request, const char *method)
{
	struct bl_server_request *open = &request->open;
	struct bl_str uri = bl_str(request->uri);
	size_t mark = bl_str_find(uri, BL_STR("?"), 0);
	unsigned allowed = 0;

	for (size_t i = 0; i < BL_COUNT(methods); i++)
		if (!strcmp(method, methods[i].name))
			open->method = methods[i].method;
	open->path = bl_str_slice(uri, 0, mark);
	if (mark != SIZE_MAX)
		open->query = bl_str_slice(uri, mark + 1, SIZE_MAX);
	if (!request->uri || uri.len >= MAX_URI_BYTES) {
		server_refuse(request, 414, "the path is too long\n");
		return;
	}
	open->route = bl_server_route_find(request->server->options.routes,
					   request->server->options.route_count,
					   open->method, open->path,
					   open->parts, &allowed);
	if (open->route)
		return;
	if (allowed)
		put_allowed(request, allowed);
	else
		server_refuse(request, 404, "not found\n");
}

/* A body whose length is announced is refused before it comes. */
static void check_length(struct server_request *request)
{
	struct bl_str text = bl_server_header(&request->open, "Content-Length");
	size_t max_body = request->open.route->max_body;
	unsigned long long length = text.len ? strtoull(text.ptr, NULL, 10) : 0;

	if (length > max_body)
		server_refuse(request, 413, "the body is too large\n");
}

/* ---- the body ------------------------------------------------------------- */

static enum MHD_Result take_piece(struct server_request *request,
				  const char *piece, size_t *piece_len)
{
	size_t len = *piece_len;

	*piece_len = 0;
	if (request->is_refused) {
		request->dropped_bytes += len;
		return request->dropped_bytes > DROPPED_BYTES_MAX ? MHD_NO
								  : MHD_YES;
	}
	bl_buf_put(&request->taken, piece, len);
	if (bl_buf_status(&request->taken) == BL_LIMIT)
		server_refuse(request, 413, "the body is too large\n");
	else if (bl_buf_status(&request->taken))
		server_refuse(request, 503, "out of memory\n");
	return MHD_YES;
}

/* ---- the reply ------------------------------------------------------------ */

static enum MHD_Result send_reply(struct server_request *request)
{
	struct bl_server_reply *reply = &request->reply;
	struct MHD_Response *response;
	enum MHD_Result result = MHD_YES;

	if (reply->is_out_of_memory)
		server_refuse(request, 503, "out of memory\n");
	if (request->server->options.finish)
		request->server->options.finish(&request->open, reply);
	response = MHD_create_response_from_buffer(
		reply->body.len, (void *)(uintptr_t)reply->body.ptr,
		MHD_RESPMEM_PERSISTENT);
	if (!response)
		return MHD_NO;
	if (reply->type)
		result = MHD_add_response_header(response, "Content-Type",
						 reply->type);
	for (unsigned i = 0; i < reply->header_count; i++)
		if (MHD_add_response_header(response, reply->headers[i].name,
					    reply->headers[i].value) != MHD_YES)
			result = MHD_NO;
	if (reply->closes &&
	    MHD_add_response_header(response, "Connection", "close") != MHD_YES)
		result = MHD_NO;
	if (result == MHD_YES)
		result = MHD_queue_response(request->connection,
					    (unsigned)reply->status, response);
	MHD_destroy_response(response);
	return result;
}

/* The first call.  NO closes the connection. */
static enum MHD_Result take_head(struct server_request *request,
				 const char *method)
{
	struct bl_server *server = request->server;

	request->is_known = true;
	atomic_fetch_add(&server->requests, 1);
	if (!is_plain_head(request->connection)) {
		atomic_fetch_add(&server->refused, 1);
		return MHD_NO;
	}
	take_peer(request);
	find_route(request, method);
	if (!request->is_refused)
		check_length(request);
	if (!request->is_refused && server->options.admit &&
	    !server->options.admit(&request->open, &request->reply))
		request->is_refused = true;
	if (request->open.route)
		request->taken.max = request->open.route->max_body;
	/* Nobody waits for a body that is not wanted. */
	if (request->reply.status == 413)
		return send_reply(request);
	return MHD_YES;
}

/* Why a body could not be unpacked, by status. */
static const char *unzip_text(int status)
{
	static const struct {
		int status;
		const char *text;
	} rows[] = {
		{ 400, "the body is not one whole stream of gzip\n" },
		{ 413, "the body is too large when it is unpacked\n" },
		{ 415, "Content-Encoding is not one of gzip, identity\n" },
		{ 503, "out of memory\n" },
	};
	size_t i = 0;

	while (rows[i].status != status && i + 1 < BL_COUNT(rows))
		i++;
	return rows[i].text;
}

/* The body is whole: to the handler with it. */
static enum MHD_Result act(struct server_request *request)
{
	int refused;

	server_peer_is_held(request);
	if (request->is_refused || request->is_worked)
		return send_reply(request);
	request->open.body = bl_buf_str(&request->taken);
	refused = server_unzip(request);
	if (refused) {
		server_refuse(request, refused, unzip_text(refused));
	} else if (!(request->open.route->flags & BL_SERVER_WORK)) {
		request->open.route->handle(&request->open, &request->reply);
	} else if (server_queue(request)) {
		return MHD_YES;
	} else {
		atomic_fetch_add(&request->server->shed, 1);
		bl_server_reply_header(&request->reply, "Retry-After", "30");
		server_refuse(request, 503, "too busy; try again later\n");
	}
	return send_reply(request);
}

enum MHD_Result server_on_request(void *context,
				  struct MHD_Connection *connection,
				  const char *url, const char *method,
				  const char *version, const char *piece,
				  size_t *piece_len, void **state)
{
	struct server_request *request = *state;

	(void)context;
	(void)connection;
	(void)url;
	(void)version;
	if (!request)
		return MHD_NO;
	if (!request->is_known)
		return take_head(request, method);
	if (*piece_len)
		return take_piece(request, piece, piece_len);
	return act(request);
}

void server_on_completed(void *context, struct MHD_Connection *connection,
			 void **state, enum MHD_RequestTerminationCode code)
{
	struct server_request *request = *state;

	(void)context;
	(void)connection;
	(void)code;
	if (!request)
		return;
	*state = NULL;
	server_peer_ended(request);
	atomic_fetch_sub(&request->server->running, 1);
	bl_arena_clear(&request->open.arena);
	bl_buf_clear(&request->taken);
	free(request->uri);
	free(request);
}
