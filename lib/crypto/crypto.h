/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crypto/crypto.h: digests and HMAC.  SHA-256 is our own (FIPS 180-4), because
 * the static program must not link a library; signatures will come from libcrypto
 * behind this header.
 */
#ifndef BELAY_CRYPTO_CRYPTO_H
#define BELAY_CRYPTO_CRYPTO_H

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

/* 2 * len digits and a NUL. */
void bl_hex_encode(const uint8_t *data, size_t len, char *out);

#endif
