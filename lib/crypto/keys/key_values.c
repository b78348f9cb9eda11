/* SPDX-License-Identifier: Apache-2.0 */
/* crypto/keys/key_values.c: keys as values, with the names of Go's rsa, ecdsa, ed25519. */
#include <openssl/bn.h>
#include <openssl/core_names.h>

#include "crypto/keys/private.h"

static void put(struct bl_object_builder *to, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(to, bl_str(key), value);
}

/* A number of the key; null when absent. */
static struct bl_value number_of(struct bl_arena *arena, const EVP_PKEY *key,
				 const char *name)
{
	BIGNUM *number = NULL;
	struct bl_value value = bl_value_null();

	if (EVP_PKEY_get_bn_param(key, name, &number))
		value = bl_x509_number(arena, number);
	BN_clear_free(number);
	return value;
}

static struct bl_value raw_key(struct bl_arena *arena, const EVP_PKEY *key,
			       bool private)
{
	unsigned char bytes[64];
	size_t len = 32;
	size_t more = 32;

	/* Go's private key is the seed and the public key. */
	if (private && EVP_PKEY_get_raw_private_key(key, bytes, &len) == 1 &&
	    EVP_PKEY_get_raw_public_key(key, bytes + 32, &more) == 1)
		return bl_x509_bytes(arena, bytes, 64);
	if (!private && EVP_PKEY_get_raw_public_key(key, bytes, &len) == 1)
		return bl_x509_bytes(arena, bytes, len);
	return bl_value_null();
}

static void put_public(struct bl_arena *arena, struct bl_object_builder *out,
		       const EVP_PKEY *key)
{
	if (EVP_PKEY_is_a(key, "RSA")) {
		put(out, "N", number_of(arena, key, OSSL_PKEY_PARAM_RSA_N));
		put(out, "E", number_of(arena, key, OSSL_PKEY_PARAM_RSA_E));
	} else {
		put(out, "Curve", bl_object_make(arena, NULL, 0, NULL));
		put(out, "X", number_of(arena, key, OSSL_PKEY_PARAM_EC_PUB_X));
		put(out, "Y", number_of(arena, key, OSSL_PKEY_PARAM_EC_PUB_Y));
	}
}

struct bl_value bl_x509_public_key(struct bl_arena *arena, const EVP_PKEY *key)
{
	struct bl_object_builder out;

	if (!EVP_PKEY_is_a(key, "RSA") && !EVP_PKEY_is_a(key, "EC"))
		return raw_key(arena, key, false);
	bl_object_builder_init(&out, arena);
	put_public(arena, &out, key);
	return bl_object_builder_end(&out);
}

static struct bl_value rsa_precomputed(struct bl_arena *arena,
				       const EVP_PKEY *key)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, arena);
	put(&out, "Dp", number_of(arena, key, OSSL_PKEY_PARAM_RSA_EXPONENT1));
	put(&out, "Dq", number_of(arena, key, OSSL_PKEY_PARAM_RSA_EXPONENT2));
	put(&out, "Qinv",
	    number_of(arena, key, OSSL_PKEY_PARAM_RSA_COEFFICIENT1));
	put(&out, "CRTValues", bl_array_make(arena, NULL, 0));
	return bl_object_builder_end(&out);
}

struct bl_value bl_x509_private_key(struct bl_arena *arena, const EVP_PKEY *key)
{
	struct bl_object_builder out;
	struct bl_value primes[2];

	if (!EVP_PKEY_is_a(key, "RSA") && !EVP_PKEY_is_a(key, "EC"))
		return raw_key(arena, key, true);
	bl_object_builder_init(&out, arena);
	put_public(arena, &out, key);
	if (EVP_PKEY_is_a(key, "RSA")) {
		put(&out, "D", number_of(arena, key, OSSL_PKEY_PARAM_RSA_D));
		primes[0] = number_of(arena, key, OSSL_PKEY_PARAM_RSA_FACTOR1);
		primes[1] = number_of(arena, key, OSSL_PKEY_PARAM_RSA_FACTOR2);
		put(&out, "Primes", bl_array_make(arena, primes, 2));
		put(&out, "Precomputed", rsa_precomputed(arena, key));
	} else {
		put(&out, "D", number_of(arena, key, OSSL_PKEY_PARAM_PRIV_KEY));
	}
	return bl_object_builder_end(&out);
}
