/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ed25519.c: Ed25519 by libcrypto.  In a library of its own, so that what does not
 * sign or verify does not link libcrypto.
 */
#include <openssl/err.h>
#include <openssl/evp.h>

#include "crypto/crypto.h"

static enum bl_status refused(struct bl_error *err, const char *what)
{
	ERR_clear_error();
	return bl_fail(err, BL_SYSTEM, "libcrypto did not %s", what);
}

static const unsigned char *bytes_of(struct bl_str text)
{
	return (const unsigned char *)(text.len ? text.ptr : "");
}

static EVP_PKEY *secret_key(const struct bl_ed25519_secret *secret)
{
	return EVP_PKEY_new_raw_private_key(
		EVP_PKEY_ED25519, NULL, secret->bytes, sizeof(secret->bytes));
}

static bool get_public(const EVP_PKEY *key, struct bl_ed25519_public *out)
{
	size_t len = sizeof(out->bytes);

	return EVP_PKEY_get_raw_public_key(key, out->bytes, &len) == 1 &&
	       len == sizeof(out->bytes);
}

enum bl_status bl_ed25519_generate(struct bl_ed25519_secret *out_secret,
				   struct bl_ed25519_public *out_public,
				   struct bl_error *err)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	size_t len = sizeof(out_secret->bytes);
	bool ok = key &&
		  EVP_PKEY_get_raw_private_key(key, out_secret->bytes, &len) ==
			  1 &&
		  len == sizeof(out_secret->bytes) &&
		  get_public(key, out_public);

	EVP_PKEY_free(key);
	return ok ? BL_OK : refused(err, "make a key");
}

enum bl_status bl_ed25519_public_of(const struct bl_ed25519_secret *secret,
				    struct bl_ed25519_public *out_public,
				    struct bl_error *err)
{
	EVP_PKEY *key = secret_key(secret);
	bool ok = key && get_public(key, out_public);

	EVP_PKEY_free(key);
	return ok ? BL_OK : refused(err, "read the key");
}

enum bl_status bl_ed25519_sign(const struct bl_ed25519_secret *secret,
			       struct bl_str text,
			       struct bl_ed25519_signature *out_signature,
			       struct bl_error *err)
{
	EVP_PKEY *key = secret_key(secret);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	size_t len = sizeof(out_signature->bytes);
	bool ok = key && context &&
		  EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
		  EVP_DigestSign(context, out_signature->bytes, &len,
				 bytes_of(text), text.len) == 1 &&
		  len == sizeof(out_signature->bytes);

	EVP_MD_CTX_free(context);
	EVP_PKEY_free(key);
	return ok ? BL_OK : refused(err, "sign");
}

bool bl_ed25519_verify(const struct bl_ed25519_public *key, struct bl_str text,
		       const struct bl_ed25519_signature *signature)
{
	EVP_PKEY *public = NULL;
	EVP_MD_CTX *context = NULL;
	bool ok;

	if (bl_ed25519_check_key(key, NULL))
		return false;
	public = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key->bytes,
					     sizeof(key->bytes));
	context = EVP_MD_CTX_new();
	ok = public && context &&
	     EVP_DigestVerifyInit(context, NULL, NULL, NULL, public) == 1 &&
	     EVP_DigestVerify(context, signature->bytes,
			      sizeof(signature->bytes), bytes_of(text),
			      text.len) == 1;
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(public);
	ERR_clear_error();
	return ok;
}
