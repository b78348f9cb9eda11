/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http/http.h: a careful HTTP client, for webhooks.
 *
 * It never does the following: follow a redirect, decode a compressed body, use a proxy
 * of the environment, read a .netrc, talk to a server whose certificate it
 * could not verify, or send one request twice.
 *
 * Where it may connect to: addresses that the whole internet shares, and of
 * the others (loopback, private, ...) only what the request allows.  The
 * address is looked at when the socket is made, and again, for connections
 * that are used once more, before the request is sent: the checked address is
 * the connected one, whatever a name resolves to from one moment to the next.
 *
 * URLs and addresses are pure and everywhere.  The client is libcurl behind
 * our own header, loaded by dlopen on first use, so that nobody pays for it who
 * does not post; the static program has no HTTP (bl_http_is_linked).
 */
#ifndef BELAY_HTTP_HTTP_H
#define BELAY_HTTP_HTTP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/ip.h"

/* ---- addresses ---------------------------------------------------------- */

/*
 * The reason why an address is not one of the public internet: "loopback",
 * "private", "shared", "link-local", "reserved", "multicast", "unspecified";
 * NULL when it is one.  IPv6 addresses that stand for an IPv4 address
 * (mapped, NAT64, 6to4, ...) are what that is.
 */
const char *bl_network_kind(const struct bl_ip *ip);

/* Some addresses: those of a kind, or those that begin alike. */
struct bl_network {
	const char *kind; /* NULL: first and bits */
	struct bl_ip first;
	unsigned bits;
};

struct bl_networks {
	const struct bl_network *items;
	size_t count;
};

/*
 * "loopback", "private" (also IPv6's unique local addresses), "shared"
 * (100.64.0.0/10), "link-local", or a network ("10.1.0.0/16", "fd00::/8") or
 * address.  INVALID for anything else, host bits included.
 */
enum bl_status bl_network_parse(struct bl_str text,
				struct bl_network *out_network,
				struct bl_error *err);

/*
 * Is it an address of the internet, or one of these networks?  Unspecified and
 * multicast addresses are never allowed, and those that only lead to another
 * one (NAT64, 6to4) by a network of their own kind, not by that other one's.
 */
bool bl_network_allows(const struct bl_ip *ip,
		       const struct bl_networks *networks);

/* ---- URLs --------------------------------------------------------------- */

enum { BL_HTTP_MAX_URL_BYTES = 2048 };

struct bl_http_url {
	struct bl_str text; /* in its one form; ends with NUL */
	struct bl_str host; /* lower case; an IPv6 address without brackets */
	uint16_t port;
	bool is_plain; /* http: then it is this machine's own (loopback) */
};

/*
 * Reads "https://HOST[:PORT][/PATH][?QUERY]" into arena; "http" only with a
 * host of this machine: localhost, 127.0.0.1, [::1].  INVALID for user names,
 * fragments, anything but ASCII, addresses in odd spellings (0x7f.1).
 */
enum bl_status bl_http_url_parse(struct bl_str text, struct bl_arena *arena,
				 struct bl_http_url *out_url,
				 struct bl_error *err);

/*
 * Does a pattern cover the URL's host?  "HOST" or "*.DOMAIN" (any name below,
 * not the domain itself), with ":PORT" only that port.
 */
bool bl_http_host_matches(struct bl_str pattern, const struct bl_http_url *url);

/* Appends text as a part of a query: all but RFC 3986's unreserved escaped. */
void bl_http_put_escaped(struct bl_buf *out, struct bl_str text);

/* ---- the client --------------------------------------------------------- */

struct bl_http_client; /* heap; keeps connections for the next request */

/* False in the static program: then run is UNSUPPORTED. */
bool bl_http_is_linked(void);

/* Cheap: the library is loaded when something is first sent. */
enum bl_status bl_http_client_new(struct bl_http_client **out_client,
				  struct bl_error *err);

/* No run may be going on.  Returns NULL; NULL is fine. */
struct bl_http_client *bl_http_client_free(struct bl_http_client *client);

enum {
	BL_HTTP_MAX_REQUESTS = 1024,      /* of one run */
	BL_HTTP_MAX_HEADER_BYTES = 65536, /* of one answer, all together */
	BL_HTTP_ERROR_BYTES = 256,
};

struct bl_stop; /* os/os.h */

/* A POST. */
struct bl_http_request {
	const struct bl_http_url *url;
	const char *const *headers; /* "Name: value", NULL-ended */
	struct bl_str body;
	uint32_t timeout_ms; /* all of it, repeated attempts too; not 0 */
	size_t max_answer_bytes;
	const char *ca_file; /* PEM, instead of the system's; NULL: those */
	struct bl_networks allowed;
	const struct bl_networks *most; /* that may be allowed; NULL: any */
	/* "HOST:PORT:ADDRESS" instead of asking the resolver; NULL: ask. */
	const char *resolve;
	const struct bl_stop *stop; /* NULL: nobody stops it */
};

enum bl_http_end {
	BL_HTTP_ANSWERED,      /* status and body, whatever the status */
	BL_HTTP_TIMED_OUT,     /* the time was up */
	BL_HTTP_TOO_MUCH,      /* more answer than allowed */
	BL_HTTP_NOT_ALLOWED,   /* its address is not allowed */
	BL_HTTP_NOT_CONNECTED, /* name, connection or TLS: nothing was sent */
	BL_HTTP_BROKEN,        /* ended after something was sent */
	BL_HTTP_NO_CLIENT,     /* libcurl is not there, or too old */
	BL_HTTP_STOPPED,       /* by its stop: status is the bl_stop_reason */
};

struct bl_http_result {
	enum bl_http_end end;
	int status;         /* ANSWERED, STOPPED */
	struct bl_str body; /* ANSWERED; in the arena */
	uint32_t attempts;  /* connections that were tried */
	int64_t elapsed_ns;
	char error[BL_HTTP_ERROR_BYTES]; /* a sentence; "" when ANSWERED */
};

/*
 * Sends count requests at once and waits for all.  Before a connection is
 * there nothing was sent, so it is tried again, a few times, as long as there
 * is time; after that never.  OK also when requests failed (that is in the
 * results).  Several threads may use one client at once.
 */
enum bl_status bl_http_run(struct bl_http_client *client,
			   const struct bl_http_request *requests, size_t count,
			   struct bl_arena *arena,
			   struct bl_http_result *results,
			   struct bl_error *err);

/* ---- one exchange ------------------------------------------------------- */

/*
 * A request of any kind to a server that the caller has made sure of: no
 * address is refused.  The rest is as for webhooks: no redirects, no proxy, no
 * decoding, nothing sent twice.
 */
struct bl_http_call {
	const char *method;
	const char *url; /* "http[s]://HOST[:PORT]/..." */
	/* Of the URL; "HOST" or "[ADDRESS]" to connect to instead; or NULL. */
	const char *connect_to;
	const char *const *headers; /* "Name: value" or "Name;", NULL-ended */
	struct bl_str body;
	uint32_t timeout_ms;
	size_t max_answer_bytes;
	/* PEM texts; ptr NULL: none, and no ca means the system's */
	struct bl_str ca;
	struct bl_str client_cert;
	struct bl_str client_key;
	bool system_certs; /* beside ca */
	bool skip_verify;
	bool (*is_over)(void *context); /* asked now and then; may be NULL */
	void *context;
};

struct bl_http_reply {
	enum bl_http_end end;
	bool is_over;       /* is_over said so; end is TIMED_OUT */
	bool is_too_early;  /* NOT_CONNECTED: the certificate begins later */
	int status;         /* ANSWERED */
	struct bl_str head; /* status line and header lines; in the arena */
	struct bl_str body; /* in the arena */
	char error[BL_HTTP_ERROR_BYTES]; /* a sentence; "" when ANSWERED */
};

/* OK also when there is no answer; else NO_MEMORY, LIMIT or UNSUPPORTED. */
enum bl_status bl_http_exchange(struct bl_http_client *client,
				const struct bl_http_call *call,
				struct bl_arena *arena,
				struct bl_http_reply *out_reply,
				struct bl_error *err);

#endif
