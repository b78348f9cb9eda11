/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HMAC as in RFC 2104, over our SHA-256: the static program signs and links
 * nothing.
 */
#include "crypto/crypto.h"

enum { BLOCK_BYTES = 64, INNER = 0x36, OUTER = 0x5c };

/* Feeds the key, padded to a block, with every byte changed by mask. */
static void begin(struct bl_sha256 *sha, const uint8_t key[BLOCK_BYTES],
		  uint8_t mask)
{
	uint8_t block[BLOCK_BYTES];

	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = key[i] ^ mask;
	bl_sha256_init(sha);
	bl_sha256_update(sha, block, sizeof(block));
	explicit_bzero(block, sizeof(block));
}

void bl_hmac_sha256_init(struct bl_hmac_sha256 *hmac, struct bl_str key)
{
	uint8_t block[BLOCK_BYTES] = { 0 };

	if (key.len > sizeof(block)) {
		bl_sha256_init(&hmac->inner);
		bl_sha256_update(&hmac->inner, key.ptr, key.len);
		bl_sha256_end(&hmac->inner, block);
	} else if (key.len > 0) {
		memcpy(block, key.ptr, key.len);
	}
	begin(&hmac->inner, block, INNER);
	begin(&hmac->outer, block, OUTER);
	explicit_bzero(block, sizeof(block));
}

void bl_hmac_sha256_update(struct bl_hmac_sha256 *hmac, struct bl_str data)
{
	bl_sha256_update(&hmac->inner, data.ptr, data.len);
}

void bl_hmac_sha256_end(struct bl_hmac_sha256 *hmac,
			uint8_t out[BL_SHA256_BYTES])
{
	bl_sha256_end(&hmac->inner, out);
	bl_sha256_update(&hmac->outer, out, BL_SHA256_BYTES);
	bl_sha256_end(&hmac->outer, out);
	explicit_bzero(hmac, sizeof(*hmac));
}
