/* SPDX-License-Identifier: Apache-2.0 */
/* crypto/keys/jws.c: JSON Web Signatures (RFC 7515, 7518, 8037). */
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include "crypto/keys/private.h"

enum { MAX_SIGNATURE_BYTES = 8192 };

static const struct bl_jws_algorithm algorithms[] = {
	{ "EdDSA", BL_JWS_EDDSA, BL_DIGEST_SHA512 },
	{ "ES256", BL_JWS_ECDSA, BL_DIGEST_SHA256 },
	{ "ES384", BL_JWS_ECDSA, BL_DIGEST_SHA384 },
	{ "ES512", BL_JWS_ECDSA, BL_DIGEST_SHA512 },
	{ "HS256", BL_JWS_HMAC, BL_DIGEST_SHA256 },
	{ "HS384", BL_JWS_HMAC, BL_DIGEST_SHA384 },
	{ "HS512", BL_JWS_HMAC, BL_DIGEST_SHA512 },
	{ "PS256", BL_JWS_PSS, BL_DIGEST_SHA256 },
	{ "PS384", BL_JWS_PSS, BL_DIGEST_SHA384 },
	{ "PS512", BL_JWS_PSS, BL_DIGEST_SHA512 },
	{ "RS256", BL_JWS_RSA, BL_DIGEST_SHA256 },
	{ "RS384", BL_JWS_RSA, BL_DIGEST_SHA384 },
	{ "RS512", BL_JWS_RSA, BL_DIGEST_SHA512 },
};

/* libcrypto's name for the type of key. */
static const char *const key_types[] = {
	[BL_JWS_HMAC] = NULL,  [BL_JWS_RSA] = "RSA",       [BL_JWS_PSS] = "RSA",
	[BL_JWS_ECDSA] = "EC", [BL_JWS_EDDSA] = "ED25519",
};

const struct bl_jws_algorithm *bl_jws_find(struct bl_str name)
{
	for (size_t i = 0; i < BL_COUNT(algorithms); i++) {
		if (bl_str_is(name, algorithms[i].name))
			return &algorithms[i];
	}
	return NULL;
}

bool bl_jws_key_fits(const struct bl_jws_algorithm *algorithm,
		     const struct bl_jwk *key)
{
	if (algorithm->kind == BL_JWS_HMAC)
		return !key->pkey;
	return key->pkey &&
	       EVP_PKEY_is_a(key->pkey, key_types[algorithm->kind]);
}

static const unsigned char *bytes_of(struct bl_str str)
{
	return (const unsigned char *)(str.len ? str.ptr : "");
}

/* Padding of RSA; nothing to do for the others. */
static bool set_padding(const struct bl_jws_algorithm *algorithm,
			EVP_PKEY_CTX *context, int salt)
{
	if (algorithm->kind != BL_JWS_PSS)
		return true;
	return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) >
		       0 &&
	       EVP_PKEY_CTX_set_rsa_pss_saltlen(context, salt) > 0;
}

static const EVP_MD *digest_for(const struct bl_jws_algorithm *algorithm)
{
	return algorithm->kind == BL_JWS_EDDSA
		       ? NULL
		       : bl_digest_method(algorithm->digest);
}

static bool verify_der(const struct bl_jws_algorithm *algorithm, EVP_PKEY *pkey,
		       struct bl_str text, const unsigned char *signature,
		       size_t len)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	EVP_PKEY_CTX *key_context = NULL;
	bool ok =
		context &&
		EVP_DigestVerifyInit(context, &key_context,
				     digest_for(algorithm), NULL, pkey) == 1 &&
		set_padding(algorithm, key_context, RSA_PSS_SALTLEN_AUTO) &&
		EVP_DigestVerify(context, signature, len, bytes_of(text),
				 text.len) == 1;

	EVP_MD_CTX_free(context);
	return ok;
}

/* r and s side by side, as JWS has them, to libcrypto's form. */
static bool verify_ecdsa(const struct bl_jws_algorithm *algorithm,
			 EVP_PKEY *pkey, struct bl_str text,
			 struct bl_str signature)
{
	int half = (int)(signature.len / 2);
	const unsigned char *at = bytes_of(signature);
	unsigned char *der = NULL;
	ECDSA_SIG *pair = ECDSA_SIG_new();
	BIGNUM *r = BN_bin2bn(at, half, NULL);
	BIGNUM *s = BN_bin2bn(at + half, (int)signature.len - half, NULL);
	bool ok = false;
	int len;

	if (!pair || !r || !s || !ECDSA_SIG_set0(pair, r, s)) {
		BN_free(r);
		BN_free(s);
		ECDSA_SIG_free(pair);
		return false;
	}
	len = i2d_ECDSA_SIG(pair, &der);
	if (len > 0)
		ok = verify_der(algorithm, pkey, text, der, (size_t)len);
	OPENSSL_free(der);
	ECDSA_SIG_free(pair);
	return ok;
}

static bool verify_hmac(const struct bl_jws_algorithm *algorithm,
			struct bl_str secret, struct bl_str text,
			struct bl_str signature)
{
	struct bl_digest mac;

	return bl_hmac_of(algorithm->digest, secret, text, &mac) &&
	       mac.len == signature.len &&
	       !CRYPTO_memcmp(mac.bytes, signature.ptr, mac.len);
}

bool bl_jws_verify(const struct bl_jws_algorithm *algorithm,
		   const struct bl_jwk *key, struct bl_str text,
		   struct bl_str signature)
{
	bool ok;

	if (!bl_jws_key_fits(algorithm, key) ||
	    signature.len > MAX_SIGNATURE_BYTES)
		return false;
	if (algorithm->kind == BL_JWS_HMAC)
		return verify_hmac(algorithm, key->secret, text, signature);
	if (algorithm->kind == BL_JWS_ECDSA)
		ok = verify_ecdsa(algorithm, key->pkey, text, signature);
	else
		ok = verify_der(algorithm, key->pkey, text, bytes_of(signature),
				signature.len);
	ERR_clear_error();
	return ok;
}

/* ---- signing ------------------------------------------------------------ */

/* libcrypto's form of an ECDSA signature to r and s of fixed width. */
static bool put_pair(const EVP_PKEY *pkey, const unsigned char *der, size_t len,
		     struct bl_buf *out)
{
	unsigned char bytes[2 * 66];
	int width = (EVP_PKEY_get_bits(pkey) + 7) / 8;
	ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)len);
	bool ok =
		pair && width <= 66 &&
		BN_bn2binpad(ECDSA_SIG_get0_r(pair), bytes, width) > 0 &&
		BN_bn2binpad(ECDSA_SIG_get0_s(pair), bytes + width, width) > 0;

	if (ok)
		bl_buf_put(out, bytes, 2 * (size_t)width);
	ECDSA_SIG_free(pair);
	return ok;
}

static bool sign_der(const struct bl_jws_algorithm *algorithm, EVP_PKEY *pkey,
		     struct bl_str text, struct bl_buf *out)
{
	unsigned char bytes[MAX_SIGNATURE_BYTES];
	size_t len = sizeof(bytes);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	EVP_PKEY_CTX *key_context = NULL;
	bool ok = context &&
		  EVP_DigestSignInit(context, &key_context,
				     digest_for(algorithm), NULL, pkey) == 1 &&
		  set_padding(algorithm, key_context, RSA_PSS_SALTLEN_DIGEST) &&
		  EVP_DigestSign(context, bytes, &len, bytes_of(text),
				 text.len) == 1;

	EVP_MD_CTX_free(context);
	if (ok && algorithm->kind == BL_JWS_ECDSA)
		return put_pair(pkey, bytes, len, out);
	if (ok)
		bl_buf_put(out, bytes, len);
	return ok;
}

bool bl_jws_sign(const struct bl_jws_algorithm *algorithm,
		 const struct bl_jwk *key, struct bl_str text,
		 struct bl_buf *out_signature)
{
	struct bl_digest mac;
	bool ok;

	if (!bl_jws_key_fits(algorithm, key))
		return false;
	if (algorithm->kind == BL_JWS_HMAC) {
		ok = bl_hmac_of(algorithm->digest, key->secret, text, &mac);
		if (ok)
			bl_buf_put_str(out_signature, bl_digest_str(&mac));
		return ok;
	}
	ok = sign_der(algorithm, key->pkey, text, out_signature);
	ERR_clear_error();
	return ok;
}
