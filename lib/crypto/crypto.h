/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crypto/crypto.h: digests, HMAC and signatures.  SHA-256 is our own (FIPS
 * 180-4), because the static program must not link a library.  Signatures are
 * libcrypto's behind this header, in a library of their own (signatures_dep):
 * the static program does not have them.
 */
#ifndef BELAY_CRYPTO_CRYPTO_H
#define BELAY_CRYPTO_CRYPTO_H

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

enum {
	BL_SHA256_BYTES = 32,
	BL_SHA256_HEX_BYTES = 65, /* with the final NUL */
};

struct bl_sha256 {
	uint32_t state[8];
	uint64_t total_bytes;
	uint8_t block[64];
};

void bl_sha256_init(struct bl_sha256 *sha);
void bl_sha256_update(struct bl_sha256 *sha, const void *data, size_t len);
void bl_sha256_end(struct bl_sha256 *sha, uint8_t out[BL_SHA256_BYTES]);

/* The digest of text as lower-case hexadecimal digits. */
void bl_sha256_hex(struct bl_str text, char out[BL_SHA256_HEX_BYTES]);

/* HMAC-SHA256 (RFC 2104): init with the key, update as often as needed, end. */
struct bl_hmac_sha256 {
	struct bl_sha256 inner;
	struct bl_sha256 outer;
};

void bl_hmac_sha256_init(struct bl_hmac_sha256 *hmac, struct bl_str key);
void bl_hmac_sha256_update(struct bl_hmac_sha256 *hmac, struct bl_str data);

/* Also wipes what hmac knew of the key. */
void bl_hmac_sha256_end(struct bl_hmac_sha256 *hmac,
			uint8_t out[BL_SHA256_BYTES]);

/* A request as AWS Signature Version 4 signs it. */
struct bl_sigv4_header {
	struct bl_str name; /* lower case */
	struct bl_str value;
};

struct bl_sigv4 {
	struct bl_str method;
	struct bl_str path;                    /* escaped, as it is sent */
	struct bl_str query;                   /* in its canonical form */
	const struct bl_sigv4_header *headers; /* by name */
	size_t header_count;
	struct bl_str
		content_hash; /* lower-case hexadecimal, or another word */
	struct bl_str date;   /* YYYYMMDDTHHMMSSZ */
	struct bl_str key;    /* its name */
	struct bl_str secret;
	struct bl_str region;
	struct bl_str service;
};

/* Appends the value of the header Authorization.  False: memory is out. */
bool bl_sigv4_put(struct bl_buf *out, const struct bl_sigv4 *request);

/* ---- Ed25519 signatures (RFC 8032) ----------------------------------------- */

enum { BL_ED25519_KEY_BYTES = 32, BL_ED25519_SIGNATURE_BYTES = 64 };

struct bl_ed25519_public {
	uint8_t bytes[BL_ED25519_KEY_BYTES];
};

/* RFC 8032's seed.  Its holder wipes it (bl_ed25519_wipe). */
struct bl_ed25519_secret {
	uint8_t bytes[BL_ED25519_KEY_BYTES];
};

struct bl_ed25519_signature {
	uint8_t bytes[BL_ED25519_SIGNATURE_BYTES];
};

/* A new pair of keys from libcrypto's randomness.  SYSTEM. */
enum bl_status bl_ed25519_generate(struct bl_ed25519_secret *out_secret,
				   struct bl_ed25519_public *out_public,
				   struct bl_error *err);

/* The public key that belongs to a secret one.  SYSTEM. */
enum bl_status bl_ed25519_public_of(const struct bl_ed25519_secret *secret,
				    struct bl_ed25519_public *out_public,
				    struct bl_error *err);

enum bl_status bl_ed25519_sign(const struct bl_ed25519_secret *secret,
			       struct bl_str text,
			       struct bl_ed25519_signature *out_signature,
			       struct bl_error *err);

/* False too for a key that bl_ed25519_check_key refuses. */
bool bl_ed25519_verify(const struct bl_ed25519_public *key, struct bl_str text,
		       const struct bl_ed25519_signature *signature);

/*
 * INVALID for a key whose point has a small order (a signature by it can be
 * made without any secret), or is not written in its one form (y >= p), in
 * which one key would count as two.
 */
enum bl_status bl_ed25519_check_key(const struct bl_ed25519_public *key,
				    struct bl_error *err);

/* Overwrites the secret in a way that the compiler does not leave out. */
void bl_ed25519_wipe(struct bl_ed25519_secret *secret);

#endif
