/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webhook/webhook.h: where an event is posted, how it is signed, and whether
 * the machine's owner wants that (docs/formats/webhook.md).
 *
 * A configuration never holds a secret, but says where it is: "file:/PATH" or
 * "env:NAME".  It is read when something is signed, so that it can be changed
 * at any time, and wiped afterwards; no message ever holds any of it.
 */
#ifndef BELAY_WEBHOOK_WEBHOOK_H
#define BELAY_WEBHOOK_WEBHOOK_H

#include "base/arena.h"
#include "base/error.h"
#include "http/http.h"
#include "value/value.h"

enum {
	BL_WEBHOOK_MAX_ADDRESSES = 64, /* of one webhook */
	BL_WEBHOOK_MIN_SECRET_BYTES = 16,
	BL_WEBHOOK_MAX_SECRET_BYTES = 4096,
};

struct bl_webhook {
	struct bl_http_url url;
	struct bl_str secret_file; /* one of these two is not empty */
	struct bl_str secret_env;
	struct bl_str ca_file;          /* empty: the system's */
	struct bl_networks allowed;     /* beside the internet's addresses */
	struct bl_value addresses;      /* the same as it was written */
	const struct bl_networks *most; /* that may be allowed; NULL: any */
	struct bl_str refused;          /* why it may not be sent; or empty */
};

/* ---- its parts ------------------------------------------------------ */

/* False when text is not a reference: it may be the secret itself. */
bool bl_webhook_read_secret(struct bl_str text, struct bl_webhook *webhook);

/* "file:/PATH", as it was written; ptr NULL: memory. */
struct bl_str bl_webhook_print_secret(const struct bl_webhook *webhook,
				      struct bl_arena *arena);

/*
 * An absolute path without blanks or what means something to a shell, since
 * trust pins it as a word of a command.
 */
bool bl_webhook_is_ca_file(struct bl_str text);

/* An array of strings (bl_network_parse): INVALID, or NO_MEMORY. */
enum bl_status bl_webhook_read_addresses(struct bl_value value,
					 struct bl_arena *arena,
					 struct bl_webhook *webhook,
					 struct bl_error *err);

/* ---- the machine's settings ----------------------------------------- */

struct bl_webhook_settings {
	struct bl_str path;
	bool is_there;
	struct bl_value hosts; /* array of strings, or undefined: any */
	const struct bl_networks *most;
	struct bl_str broken; /* why they cannot be used; empty: they can */
};

/* "/etc/belay/webhooks.json" below system_root; ptr NULL: memory. */
struct bl_str bl_webhook_settings_path(struct bl_str system_root,
				       struct bl_arena *arena);

/*
 * Reads them.  OK also when they are broken: not root's (or, below a
 * system_root, the user's), a link, writable by others, no JSON, or with a key
 * that is not an answer; then nothing may be sent.
 */
enum bl_status
bl_webhook_settings_read(struct bl_str system_root, struct bl_arena *arena,
			 struct bl_webhook_settings *out_settings,
			 struct bl_error *err);

/* Sets most and refused. */
enum bl_status
bl_webhook_settings_apply(const struct bl_webhook_settings *settings,
			  struct bl_webhook *webhook, struct bl_arena *arena,
			  struct bl_error *err);

/* ---- sending -------------------------------------------------------- */

/*
 * The request for an event, signed now: url, headers, body, allowed, most and
 * ca_file are set.  INVALID, NOT_FOUND, DENIED or SYSTEM when the secret cannot
 * be used: a secret file is regular, no link, belongs to root or the user, and
 * others can neither read nor write it (nor may its group write it).
 */
enum bl_status bl_webhook_request(const struct bl_webhook *webhook,
				  const char *event, struct bl_str body,
				  struct bl_arena *arena,
				  struct bl_http_request *out_request,
				  struct bl_error *err);

/*
 * The hexadecimal HMAC-SHA256 over "TIMESTAMP.BODY" into out (65 bytes).
 */
enum bl_status bl_webhook_sign(const struct bl_webhook *webhook,
			       struct bl_str timestamp, struct bl_str body,
			       char *out, struct bl_error *err);

/* Is it an answer whose body counts as output? */
static inline bool bl_webhook_is_output(const struct bl_http_result *result)
{
	return result->end == BL_HTTP_ANSWERED && result->status >= 200 &&
	       result->status < 300;
}

/*
 * The failure of a call without an answer, after "it ": "answered with HTTP status 500:
 * ..." (body: the part of the answer to show), "was not sent: ...".  ptr NULL:
 * memory.
 */
struct bl_str bl_webhook_say_end(const struct bl_http_request *request,
				 const struct bl_http_result *result,
				 struct bl_str body, struct bl_arena *arena);

#endif
