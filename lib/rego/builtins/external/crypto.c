/* SPDX-License-Identifier: Apache-2.0 */
/* Digests and MACs. */
#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include "rego/builtins/external/crypto.h"

bool bl_digest_of(const EVP_MD *md, struct bl_str text, struct bl_digest *out)
{
	const char *bytes = text.len ? text.ptr : "";

	return EVP_Digest(bytes, text.len, out->bytes, &out->len, md, NULL) ==
	       1;
}

bool bl_hmac_of(const EVP_MD *md, struct bl_str key, struct bl_str text,
		struct bl_digest *out)
{
	if (key.len > INT32_MAX)
		return false;
	return HMAC(md, key.len ? key.ptr : "", (int)key.len,
		    (const unsigned char *)(text.len ? text.ptr : ""), text.len,
		    out->bytes, &out->len) != NULL;
}

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

static bool digest(struct bl_builtin_call *call, const EVP_MD *md)
{
	struct bl_digest result;
	bool ok = bl_digest_of(md, bl_builtin_text(call, 0), &result);

	return return_hex(call, ok, &result);
}

bool bl_fn_crypto_md5(struct bl_builtin_call *call)
{
	return digest(call, EVP_md5());
}

bool bl_fn_crypto_sha1(struct bl_builtin_call *call)
{
	return digest(call, EVP_sha1());
}

bool bl_fn_crypto_sha256(struct bl_builtin_call *call)
{
	return digest(call, EVP_sha256());
}

static bool hmac(struct bl_builtin_call *call, const EVP_MD *md)
{
	struct bl_digest result;
	bool ok = bl_hmac_of(md, bl_builtin_text(call, 1),
			     bl_builtin_text(call, 0), &result);

	return return_hex(call, ok, &result);
}

bool bl_fn_crypto_hmac_md5(struct bl_builtin_call *call)
{
	return hmac(call, EVP_md5());
}

bool bl_fn_crypto_hmac_sha1(struct bl_builtin_call *call)
{
	return hmac(call, EVP_sha1());
}

bool bl_fn_crypto_hmac_sha256(struct bl_builtin_call *call)
{
	return hmac(call, EVP_sha256());
}

bool bl_fn_crypto_hmac_sha512(struct bl_builtin_call *call)
{
	return hmac(call, EVP_sha512());
}

bool bl_fn_crypto_hmac_equal(struct bl_builtin_call *call)
{
	struct bl_str a = bl_builtin_text(call, 0);
	struct bl_str b = bl_builtin_text(call, 1);

	return bl_builtin_return_boolean(
		call, a.len == b.len &&
			      (!a.len || !CRYPTO_memcmp(a.ptr, b.ptr, a.len)));
}
