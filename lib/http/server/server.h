/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http/server/server.h: an HTTP server that is careful about what it lets in.
 *
 * libmicrohttpd reads the bytes, a table of routes says what is answered.
 * Every request passes these checks before a handler sees it:
 *
 * - exactly one Host, at most one Content-Length, Transfer-Encoding and
 *   Authorization, and never both of the framing headers: libmicrohttpd lets
 *   such requests through, and a proxy in front may read them differently
 *   (request smuggling).  The connection is closed without an answer;
 * - the path is matched as it was sent: nothing is decoded, so a '%' outside
 *   the query is refused;
 * - the body has at most the bytes that the route allows, before and after
 *   gzip, and comes within the time for requests.
 *
 * Handlers of a route run in one of libmicrohttpd's threads, and must not
 * block; those of a route with BL_SERVER_WORK run in a pool of workers, behind
 * a queue with an end: when that is full, the answer is 503 with Retry-After.
 *
 * A library of its own: only programs that serve link libmicrohttpd.
 */
#ifndef BELAY_HTTP_SERVER_SERVER_H
#define BELAY_HTTP_SERVER_SERVER_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "http/http.h"
#include "value/value.h"

enum bl_server_method {
	BL_SERVER_GET = 1, /* also answers HEAD */
	BL_SERVER_POST = 2,
	BL_SERVER_PUT = 4,
	BL_SERVER_DELETE = 8,
};

enum bl_server_route_flags {
	BL_SERVER_WORK = 1, /* by a worker, since it may block */
};

enum {
	BL_SERVER_MAX_PARTS = 3,    /* of a path that a route leaves open */
	BL_SERVER_MAX_HEADERS = 24, /* of a reply */
	BL_SERVER_MAX_PART_BYTES = 128,
};

struct bl_server;
struct bl_server_request;
struct bl_server_reply;

struct bl_server_route {
	unsigned method; /* enum bl_server_method */
	unsigned flags;  /* enum bl_server_route_flags */
	/*
	 * "/v1/root/{}": {} stands for one part of the path, 1 to 128 bytes of
	 * [A-Za-z0-9._-] that do not begin with a period.
	 */
	const char *path;
	size_t max_body; /* bytes; 0: a body is refused */
	void (*handle)(struct bl_server_request *request,
		       struct bl_server_reply *reply);
	unsigned data; /* the caller's own, as who may use the route */
};

/* ---- requests ----------------------------------------------------------- */

struct bl_server_request {
	const struct bl_server_route *route;
	void *context;         /* bl_server_options.context */
	struct bl_arena arena; /* ends with the request */
	unsigned method;
	struct bl_str path;
	struct bl_str query; /* behind the question mark, as it was sent */
	struct bl_str parts[BL_SERVER_MAX_PARTS];
	struct bl_str body; /* all of it, without gzip */
	struct bl_ip peer;
	int64_t started_ns; /* monotonic */
	void *caller;       /* for admit, to hand on to handle */
};

/* A header's value; ptr NULL: absent.  Lives as long as the request. */
struct bl_str bl_server_header(const struct bl_server_request *request,
			       const char *name);

/*
 * The value of name in a text of the form "a=1&b=two+words%21", decoded, in the
 * request's arena; ptr NULL: absent, given twice, or not UTF-8 without NUL.
 */
struct bl_str bl_server_field(struct bl_server_request *request,
			      struct bl_str form, const char *name);

/* The value of a cookie, not decoded; ptr NULL: absent. */
struct bl_str bl_server_cookie(const struct bl_server_request *request,
			       const char *name);

/* Is the Content-Type application/json? */
bool bl_server_is_json(const struct bl_server_request *request);

/*
 * The body as a JSON object, in the request's arena.  SYNTAX; INVALID: it is
 * another value, or gives a key twice, which two readers could take in two ways.
 */
enum bl_status bl_server_read_object(struct bl_server_request *request,
				     struct bl_value *out_object,
				     struct bl_error *err);

/* ---- replies ------------------------------------------------------------ */

struct bl_server_reply {
	int status;         /* 200 unless set */
	const char *type;   /* Content-Type; NULL: none */
	struct bl_str body; /* of the arena, or lives as long as the server */
	bool closes;        /* the connection, after this reply */
	bool is_out_of_memory; /* then the reply is a 503 */
	unsigned header_count;
	struct {
		const char *name;
		const char *value;
	} headers[BL_SERVER_MAX_HEADERS];
};

/*
 * name and value are borrowed: constants, or in the request's arena.  A value
 * with a control character is left out, so nobody adds headers through it.
 */
void bl_server_reply_header(struct bl_server_reply *reply, const char *name,
			    const char *value);

/* The body is a copy of the text.  NO_MEMORY, also when the text ran out of it. */
enum bl_status bl_server_reply_text(struct bl_server_request *request,
				    struct bl_server_reply *reply,
				    const char *type, const struct bl_buf *text,
				    struct bl_error *err);

/* The HTTP status that stands for a failure. */
int bl_server_http_status(enum bl_status status);

/*
 * {"code": ..., "message": ...} as the reply; code is Connect's word for the
 * HTTP status.  503 and 507 also say when to ask again.
 */
void bl_server_reply_error(struct bl_server_request *request,
			   struct bl_server_reply *reply, int http_status,
			   const char *message);

/* ---- pages -------------------------------------------------------------- */

/* A file of the program's pages, as tools/embed-text --table writes it. */
struct bl_server_file {
	const char *name; /* "app.js"; NULL: behind the last one */
	const char *text;
};

struct bl_server_pages {
	const struct bl_server_file *files; /* "index.html": the document */
	/* All of them show the document, as "/" does; NULL behind the last. */
	const char *const *paths;
};

/* For "/assets/{}": the file of that name.  NOT_FOUND. */
enum bl_status bl_server_reply_asset(const struct bl_server_request *request,
				     struct bl_server_reply *reply,
				     const struct bl_server_pages *pages,
				     struct bl_error *err);

/* For "/" and "/{}": the document.  NOT_FOUND: the path is not a page's. */
enum bl_status bl_server_reply_page(const struct bl_server_request *request,
				    struct bl_server_reply *reply,
				    const struct bl_server_pages *pages,
				    struct bl_error *err);

/*
 * Adds the headers that every reply of a program with pages has, beside its own
 * Content-Security-Policy and Cache-Control.
 */
void bl_server_reply_page_headers(struct bl_server_reply *reply);

/* ---- the server --------------------------------------------------------- */

struct bl_server_options {
	const char *listen; /* "ADDRESS:PORT", IPv6 in brackets; port 0: any */
	const struct bl_server_route *routes;
	size_t route_count;
	void *context; /* handed to each handler */

	/*
	 * Asked once the route is known and before the body is read (then
	 * request->body is empty): false refuses with what it put in reply.
	 * A request without a route has route NULL.  Must not block.  NULL:
	 * all may pass.
	 */
	bool (*admit)(struct bl_server_request *request,
		      struct bl_server_reply *reply);

	/* Called for every reply, also for those that the server made itself. */
	void (*finish)(struct bl_server_request *request,
		       struct bl_server_reply *reply);

	/* Called about once a second by bl_server_run.  NULL: nothing to do. */
	void (*tick)(void *context);

	const char *tls_cert; /* PEM texts; both or NULL */
	const char *tls_key;
	unsigned threads;         /* of libmicrohttpd; 0: 2 */
	unsigned workers;         /* 0: 4 */
	unsigned max_waiting;     /* for a worker; 0: 512 */
	unsigned max_connections; /* 0: 8192 */
	unsigned max_of_address;  /* connections of one; 0: no limit */
	unsigned request_ms;      /* for head and body; 0: 30,000 */
	unsigned idle_ms;         /* between requests; 0: 30,000 */
	unsigned stop_ms;         /* for requests that run; 0: 10,000 */
};

/*
 * Binds and listens; requests are answered from now on, except that those for
 * workers wait until bl_server_run.  The texts and tables of options live
 * longer than the server.
 */
enum bl_status bl_server_new(const struct bl_server_options *options,
			     struct bl_server **out_server,
			     struct bl_error *err);

/* "127.0.0.1:43121", with the real port; lives as long as the server. */
const char *bl_server_address(const struct bl_server *server);

/*
 * Works until bl_server_stop: with this thread and as many more as there are
 * workers.  Then takes no new connections, waits for the requests that run (at
 * most stop_ms), and closes.
 */
void bl_server_run(struct bl_server *server);

/* From any thread, or a signal's handler. */
void bl_server_stop(struct bl_server *server);

/* After bl_server_run, or instead of it.  Returns NULL; NULL is fine. */
struct bl_server *bl_server_free(struct bl_server *server);

struct bl_server_counts {
	uint64_t requests;
	uint64_t refused; /* closed by the check of headers */
	uint64_t shed;    /* answered 503, because no worker was free */
	uint64_t late; /* closed, because the request took too long to come */
	unsigned connections;
	unsigned waiting; /* requests for a worker */
};

struct bl_server_counts bl_server_count(struct bl_server *server);

/* Are routes and path matched?  For routes without a server, as in tests. */
const struct bl_server_route *
bl_server_route_find(const struct bl_server_route *routes, size_t count,
		     unsigned method, struct bl_str path,
		     struct bl_str parts[BL_SERVER_MAX_PARTS],
		     unsigned *out_methods);

#endif
