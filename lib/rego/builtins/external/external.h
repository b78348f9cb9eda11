/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/builtins/external/external.h: digests and signed texts (RFC 7515) as the
 * builtins have them, for bundles.
 */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_EXTERNAL_H
#define BELAY_REGO_BUILTINS_EXTERNAL_EXTERNAL_H

#include "base/buf.h"
#include "base/error.h"
#include "value/value.h"

/*
 * Appends the digest of text in hexadecimal digits, by its name in bundles:
 * "SHA-256", "SHA-512-224", "MD5", ...  UNSUPPORTED: not found.
 */
enum bl_status bl_rego_digest(struct bl_str algorithm, struct bl_str text,
			      struct bl_buf *out_hex, struct bl_error *err);

struct bl_rego_key {
	struct bl_str algorithm; /* "RS256", "ES384", "HS512", "EdDSA", ... */
	struct bl_str text;      /* PEM; of HS256, HS384, HS512 the secret */
};

/*
 * HEADER.PAYLOAD.SIGNATURE in arena: header (an object) gets "alg" and "typ".
 * INVALID: no such algorithm, or not the text of a private key that fits.
 */
enum bl_status bl_rego_sign_token(struct bl_arena *arena,
				  const struct bl_rego_key *key,
				  struct bl_value header, struct bl_str payload,
				  struct bl_str *out_token,
				  struct bl_error *err);

/*
 * The payload of a token, in arena, once its signature is found to be that of
 * the key, which may be a public one, a private one or a certificate.  The algorithm that the token names itself does not count.
 * INVALID: no such algorithm, no key, no token, or not signed by the key.
 */
enum bl_status bl_rego_verify_token(struct bl_arena *arena,
				    const struct bl_rego_key *key,
				    struct bl_str token,
				    struct bl_str *out_payload,
				    struct bl_error *err);

#endif
