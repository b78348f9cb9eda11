/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crypto/tls/tls.h: the client's side of a TLS connection over a socket that is
 * connected already, by libssl, for protocols that are not HTTP.
 *
 * TLS 1.2 or later; the other side's certificate must be good for the name that is
 * asked for.  The socket is not blocking: waiting is the caller's (wait), and so are
 * the socket and its end.  One thread at a time.
 */
#ifndef BELAY_CRYPTO_TLS_TLS_H
#define BELAY_CRYPTO_TLS_TLS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"

struct bl_tls; /* heap */

struct bl_tls_options {
	int fd;
	const char *host; /* a name or an address, as the certificate has it */
	/* PEM texts; ptr NULL: none, and without ca the system's count. */
	struct bl_str ca;
	struct bl_str client_cert;
	struct bl_str client_key;
	/* Until the socket can be read, or written; false: give up. */
	bool (*wait)(void *context, bool to_write);
	void *context;
};

/* Shakes hands.  INVALID: a PEM text; DENIED: no connection, with the reason. */
enum bl_status bl_tls_open(const struct bl_tls_options *options,
			   struct bl_tls **out_tls, struct bl_error *err);

/* All of text; SYSTEM. */
enum bl_status bl_tls_write(struct bl_tls *tls, struct bl_str text,
			    struct bl_error *err);

/*
 * Says that nothing more comes, and waits for the same from the other side, whose
 * bytes until then are dropped.  False: that did not come.
 */
bool bl_tls_end(struct bl_tls *tls);

/* Returns NULL; NULL is fine. */
struct bl_tls *bl_tls_free(struct bl_tls *tls);

#endif
