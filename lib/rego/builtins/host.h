/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/builtins/host.h: what an evaluation cannot know by itself, and an embedder
 * supplies: the time, time zones, randomness, other machines.
 */
#ifndef BELAY_REGO_BUILTINS_HOST_H
#define BELAY_REGO_BUILTINS_HOST_H

#include "base/arena.h"
#include "base/str.h"
#include "value/value.h"

enum {
	BL_REGO_HTTP_MAX_HEADERS = 200,
	BL_REGO_HTTP_MAX_REDIRECTS = 10,
	BL_REGO_HTTP_MAX_RETRIES = 10,
	BL_REGO_HTTP_MAX_ANSWER_BYTES = 16 << 20,
	BL_REGO_HTTP_MAX_TIMEOUT_S = 300, /* "no limit" is this one */
};

struct bl_rego_header {
	struct bl_str name;
	struct bl_str value;
};

/* PEM as a text, in a file, in a variable of the environment; ptr NULL: no. */
struct bl_rego_pem {
	struct bl_str text;
	struct bl_str file;
	struct bl_str variable;
};

/* One exchange: neither redirects nor proxies, and no other host. */
struct bl_rego_http_request {
	struct bl_str method; /* a token, in capitals */
	/* "http[s]://HOST[:PORT]/...", of ASCII, without user and fragment */
	struct bl_str url;
	struct bl_str host; /* of url, in lower case, [] left out */
	bool is_tls;        /* https */
	struct bl_str port; /* as it is written; empty: the usual one */
	bool has_body;      /* the policy gave one, perhaps an empty one */
	struct bl_str body;
	/* Without line ends; "Host" is one of them where a policy gave it. */
	const struct bl_rego_header *headers;
	size_t header_count;
	int64_t timeout_ns;
	uint32_t retries; /* when nothing came back */
	size_t max_answer_bytes;
	/* The name of the server, when it is not host; empty: host. */
	struct bl_str server_name;
	bool skip_verify;
	bool system_certs; /* beside ca */
	struct bl_rego_pem ca;
	struct bl_rego_pem client_cert;
	struct bl_rego_pem client_key;
	/* Asked now and then; true ends it (BL_REGO_HTTP_OVER). */
	bool (*is_over)(void *context);
	void *is_over_context;
};

enum bl_rego_http_end {
	BL_REGO_HTTP_ANSWERED,
	BL_REGO_HTTP_TIMED_OUT,
	BL_REGO_HTTP_TOO_LARGE, /* more than max_answer_bytes */
	BL_REGO_HTTP_FAILED,    /* on the way: error says why */
	BL_REGO_HTTP_INVALID,   /* it cannot be sent as it is: error says why */
	BL_REGO_HTTP_OVER,
	BL_REGO_HTTP_NO_MEMORY,
};

/* In the arena of the call; errors tell nothing of headers and bodies. */
struct bl_rego_http_answer {
	enum bl_rego_http_end end;
	struct bl_str error;
	uint32_t status;
	struct bl_str reason; /* "OK" */
	const struct bl_rego_header *headers;
	size_t header_count;
	struct bl_str body;
};

/* How policies reach other machines; the functions get context. */
struct bl_rego_network {
	/* Which ones: names or addresses as they stand in a URL or call. */
	const struct bl_str *hosts;
	size_t host_count;
	void *context;
	void (*send)(void *context, const struct bl_rego_http_request *request,
		     struct bl_arena *arena,
		     struct bl_rego_http_answer *out_answer);
	/* *out_set: addresses as strings.  False: *out_error says why. */
	bool (*lookup)(void *context, struct bl_str name,
		       struct bl_arena *arena, struct bl_value *out_set,
		       struct bl_str *out_error);
};

/* All zero: the time is 1970, and the rest is refused. */
struct bl_rego_host {
	int64_t now_ns; /* of time.now_ns */
	void *context;  /* of the two below, and of an embedder's functions */
	/*
	 * The TZif file of a time zone, in arena; name is "Europe/Paris", never
	 * with ".." or a leading "/".  NULL: absent.
	 */
	bool (*read_zone)(void *context, struct bl_arena *arena,
			  struct bl_str name, struct bl_str *out_tzif);
	/* Fills out.  NULL: what needs it fails. */
	bool (*fill_random)(void *context, void *out, size_t len);
	/* NULL: http.send and net.lookup_ip_addr end the evaluation. */
	const struct bl_rego_network *network;
};

#endif
