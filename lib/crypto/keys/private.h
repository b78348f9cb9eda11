/* SPDX-License-Identifier: Apache-2.0 */
/* crypto/keys/private.h: what the files of this module share of libcrypto. */
#ifndef BELAY_CRYPTO_KEYS_PRIVATE_H
#define BELAY_CRYPTO_KEYS_PRIVATE_H

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "base/base64.h"
#include "base/buf.h"
#include "crypto/keys/keys.h"

const EVP_MD *bl_digest_method(enum bl_digest_kind kind);

/* A copy of text as a value; undefined when memory is out. */
static inline struct bl_value bl_key_text(struct bl_arena *arena,
					  struct bl_str text)
{
	if (text.len > UINT32_MAX)
		return bl_value_undefined();
	text = bl_arena_copy_str(arena, text);
	return text.ptr ? bl_value_string(text) : bl_value_undefined();
}

/* Bytes as base64; null for a NULL pointer. */
struct bl_value bl_x509_bytes(struct bl_arena *arena, const void *bytes,
			      size_t len);
struct bl_value bl_x509_request_fields(struct bl_arena *arena, X509_REQ *req);
struct bl_value bl_x509_number(struct bl_arena *arena, const BIGNUM *number);

#endif
