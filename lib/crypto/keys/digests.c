/* SPDX-License-Identifier: Apache-2.0 */
/* crypto/keys/digests.c: digests and MACs of libcrypto, by name. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "crypto/keys/private.h"

const EVP_MD *bl_digest_method(enum bl_digest_kind kind)
{
	static const EVP_MD *(*const methods[])(void) = {
		[BL_DIGEST_MD5] = EVP_md5,
		[BL_DIGEST_SHA1] = EVP_sha1,
		[BL_DIGEST_SHA224] = EVP_sha224,
		[BL_DIGEST_SHA256] = EVP_sha256,
		[BL_DIGEST_SHA384] = EVP_sha384,
		[BL_DIGEST_SHA512] = EVP_sha512,
		[BL_DIGEST_SHA512_224] = EVP_sha512_224,
		[BL_DIGEST_SHA512_256] = EVP_sha512_256,
	};

	return methods[kind]();
}

bool bl_digest_of(enum bl_digest_kind kind, struct bl_str text,
		  struct bl_digest *out)
{
	return EVP_Digest(text.len ? text.ptr : "", text.len, out->bytes,
			  &out->len, bl_digest_method(kind), NULL) == 1;
}

bool bl_hmac_of(enum bl_digest_kind kind, struct bl_str key, struct bl_str text,
		struct bl_digest *out)
{
	if (key.len > INT32_MAX)
		return false;
	return HMAC(bl_digest_method(kind), key.len ? key.ptr : "",
		    (int)key.len,
		    (const unsigned char *)(text.len ? text.ptr : ""), text.len,
		    out->bytes, &out->len) != NULL;
}

bool bl_digest_equal(struct bl_str a, struct bl_str b)
{
	return a.len == b.len &&
	       (!a.len || !CRYPTO_memcmp(a.ptr, b.ptr, a.len));
}
