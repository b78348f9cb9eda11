/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crypto.md5, crypto.hmac.* and their like: digests and MACs as text.
 * Certificates (x509.c) and tokens (jwt.c) can be left out of a build; bundles
 * need this.
 */
#include "base/hex.h"
#include "crypto/keys/keys.h"
#include "rego/builtins/external/functions.h"

static bool return_hex(struct bl_builtin_call *call, bool ok,
		       const struct bl_digest *digest)
{
	struct bl_buf out;

	if (!ok)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"the digest is not available");
	bl_buf_init(&out, 0);
	bl_hex_put(&out, bl_digest_str(digest));
	return bl_builtin_return_buf(call, &out);
}

static bool digest(struct bl_builtin_call *call, enum bl_digest_kind kind)
{
	struct bl_digest result;
	bool ok = bl_digest_of(kind, bl_builtin_text(call, 0), &result);

	return return_hex(call, ok, &result);
}

bool bl_fn_crypto_md5(struct bl_builtin_call *call)
{
	return digest(call, BL_DIGEST_MD5);
}

bool bl_fn_crypto_sha1(struct bl_builtin_call *call)
{
	return digest(call, BL_DIGEST_SHA1);
}

bool bl_fn_crypto_sha256(struct bl_builtin_call *call)
{
	return digest(call, BL_DIGEST_SHA256);
}

static bool hmac(struct bl_builtin_call *call, enum bl_digest_kind kind)
{
	struct bl_digest result;
	bool ok = bl_hmac_of(kind, bl_builtin_text(call, 1),
			     bl_builtin_text(call, 0), &result);

	return return_hex(call, ok, &result);
}

bool bl_fn_crypto_hmac_md5(struct bl_builtin_call *call)
{
	return hmac(call, BL_DIGEST_MD5);
}

bool bl_fn_crypto_hmac_sha1(struct bl_builtin_call *call)
{
	return hmac(call, BL_DIGEST_SHA1);
}

bool bl_fn_crypto_hmac_sha256(struct bl_builtin_call *call)
{
	return hmac(call, BL_DIGEST_SHA256);
}

bool bl_fn_crypto_hmac_sha512(struct bl_builtin_call *call)
{
	return hmac(call, BL_DIGEST_SHA512);
}

bool bl_fn_crypto_hmac_equal(struct bl_builtin_call *call)
{
	return bl_builtin_return_boolean(
		call, bl_digest_equal(bl_builtin_text(call, 0),
				      bl_builtin_text(call, 1)));
}
