/* SPDX-License-Identifier: Apache-2.0 */
/* Private keys: crypto.parse_private_keys, parse_keypair, and RSA as JWK. */
#include <openssl/bn.h>
#include <openssl/core_names.h>

#include "rego/builtins/external/x509.h"

static void put(struct bl_object_builder *to, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(to, bl_str(key), value);
}

/* A number of the key; null when absent. */
static struct bl_value number_of(struct bl_builtin_call *call,
				 const EVP_PKEY *key, const char *name)
{
	BIGNUM *number = NULL;
	struct bl_value value = bl_value_null();

	if (EVP_PKEY_get_bn_param(key, name, &number))
		value = bl_x509_number(call, number);
	BN_clear_free(number);
	return value;
}

static struct bl_value raw_key(struct bl_builtin_call *call,
			       const EVP_PKEY *key, bool private)
{
	unsigned char bytes[64];
	size_t len = 32;
	size_t more = 32;

	/* Go's private key is the seed and the public key. */
	if (private && EVP_PKEY_get_raw_private_key(key, bytes, &len) == 1 &&
	    EVP_PKEY_get_raw_public_key(key, bytes + 32, &more) == 1)
		return bl_x509_bytes(call, bytes, 64);
	if (!private && EVP_PKEY_get_raw_public_key(key, bytes, &len) == 1)
		return bl_x509_bytes(call, bytes, len);
	return bl_value_null();
}

static void put_public(struct bl_builtin_call *call,
		       struct bl_object_builder *out, const EVP_PKEY *key)
{
	if (EVP_PKEY_is_a(key, "RSA")) {
		put(out, "N", number_of(call, key, OSSL_PKEY_PARAM_RSA_N));
		put(out, "E", number_of(call, key, OSSL_PKEY_PARAM_RSA_E));
	} else {
		put(out, "Curve", bl_object_make(call->arena, NULL, 0, NULL));
		put(out, "X", number_of(call, key, OSSL_PKEY_PARAM_EC_PUB_X));
		put(out, "Y", number_of(call, key, OSSL_PKEY_PARAM_EC_PUB_Y));
	}
}

struct bl_value bl_x509_public_key(struct bl_builtin_call *call,
				   const EVP_PKEY *key)
{
	struct bl_object_builder out;

	if (!EVP_PKEY_is_a(key, "RSA") && !EVP_PKEY_is_a(key, "EC"))
		return raw_key(call, key, false);
	bl_object_builder_init(&out, call->arena);
	put_public(call, &out, key);
	return bl_object_builder_end(&out);
}

static struct bl_value rsa_precomputed(struct bl_builtin_call *call,
				       const EVP_PKEY *key)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, call->arena);
	put(&out, "Dp", number_of(call, key, OSSL_PKEY_PARAM_RSA_EXPONENT1));
	put(&out, "Dq", number_of(call, key, OSSL_PKEY_PARAM_RSA_EXPONENT2));
	put(&out, "Qinv",
	    number_of(call, key, OSSL_PKEY_PARAM_RSA_COEFFICIENT1));
	put(&out, "CRTValues", bl_array_make(call->arena, NULL, 0));
	return bl_object_builder_end(&out);
}

struct bl_value bl_x509_private_key(struct bl_builtin_call *call,
				    const EVP_PKEY *key)
{
	struct bl_object_builder out;
	struct bl_value primes[2];

	if (!EVP_PKEY_is_a(key, "RSA") && !EVP_PKEY_is_a(key, "EC"))
		return raw_key(call, key, true);
	bl_object_builder_init(&out, call->arena);
	put_public(call, &out, key);
	if (EVP_PKEY_is_a(key, "RSA")) {
		put(&out, "D", number_of(call, key, OSSL_PKEY_PARAM_RSA_D));
		primes[0] = number_of(call, key, OSSL_PKEY_PARAM_RSA_FACTOR1);
		primes[1] = number_of(call, key, OSSL_PKEY_PARAM_RSA_FACTOR2);
		put(&out, "Primes", bl_array_make(call->arena, primes, 2));
		put(&out, "Precomputed", rsa_precomputed(call, key));
	} else {
		put(&out, "D", number_of(call, key, OSSL_PKEY_PARAM_PRIV_KEY));
	}
	return bl_object_builder_end(&out);
}

/* ---- reading ------------------------------------------------------------ */

/* The next private key of PEM text at or after *at; NULL: no more. */
static EVP_PKEY *next_key(struct bl_builtin_call *call, struct bl_str text,
			  size_t *at)
{
	struct bl_pem pem;

	while (bl_pem_next(call, text, *at, &pem)) {
		EVP_PKEY *key = NULL;

		*at = pem.end;
		if (bl_str_has_suffix(pem.type, BL_STR("PRIVATE KEY")))
			key = bl_pem_key(&pem);
		if (key)
			return key;
	}
	return NULL;
}

bool bl_fn_crypto_parse_private_keys(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);
	struct bl_array_builder keys;
	size_t at = 0;
	bool is_pem;
	EVP_PKEY *key;

	if (!text.len)
		return bl_builtin_return(call, bl_value_null());
	if (!bl_x509_unwrap(call, text, &text, &is_pem))
		return false;
	bl_array_builder_init(&keys, call->arena);
	while (is_pem && (key = next_key(call, text, &at))) {
		bl_array_builder_add(&keys, bl_x509_private_key(call, key));
		EVP_PKEY_free(key);
	}
	return bl_builtin_return(call, bl_array_builder_end(&keys));
}

bool bl_fn_crypto_x509_parse_rsa_private_key(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);
	struct bl_value jwk;
	size_t at = 0;
	EVP_PKEY *key;
	bool is_pem;

	if (!text.len)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"input PEM data was empty");
	if (!bl_x509_unwrap(call, text, &text, &is_pem))
		return false;
	key = is_pem ? next_key(call, text, &at) : bl_private_key_of(text);
	if (!key)
		return bl_builtin_return(call, bl_value_null());
	jwk = bl_jwk_of_rsa(call, key);
	EVP_PKEY_free(key);
	if (!bl_value_is_defined(jwk))
		jwk = bl_value_null();
	return bl_builtin_return(call, jwk);
}

/* ---- pairs -------------------------------------------------------------- */

static struct bl_value pair_value(struct bl_builtin_call *call,
				  const struct bl_x509_list *list,
				  const EVP_PKEY *key)
{
	struct bl_array_builder chain;
	struct bl_object_builder out;

	bl_array_builder_init(&chain, call->arena);
	for (size_t i = 0; i < list->count; i++) {
		struct bl_value cert =
			bl_x509_certificate(call, list->certs[i]);

		bl_array_builder_add(&chain,
				     bl_object_find(cert, BL_STR("Raw")));
	}
	bl_object_builder_init(&out, call->arena);
	put(&out, "Certificate", bl_array_builder_end(&chain));
	put(&out, "PrivateKey", bl_x509_private_key(call, key));
	put(&out, "SupportedSignatureAlgorithms", bl_value_null());
	put(&out, "OCSPStaple", bl_value_null());
	put(&out, "SignedCertificateTimestamps", bl_value_null());
	put(&out, "Leaf", bl_x509_certificate(call, list->certs[0]));
	return bl_object_builder_end(&out);
}

static bool return_pair(struct bl_builtin_call *call,
			const struct bl_x509_list *list, const EVP_PKEY *key)
{
	EVP_PKEY *public;
	bool fits;

	if (!list->count)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"tls: failed to find any PEM data in "
					"certificate input");
	if (!key)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"tls: failed to find any PEM data in "
					"key input");
	public = X509_get_pubkey(list->certs[0]);
	fits = public && EVP_PKEY_eq(public, key) == 1;
	EVP_PKEY_free(public);
	if (!fits)
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"tls: private key does not match public key");
	return bl_builtin_return(call, pair_value(call, list, key));
}

bool bl_fn_crypto_x509_parse_keypair(struct bl_builtin_call *call)
{
	struct bl_x509_list list;
	struct bl_str text;
	EVP_PKEY *key;
	size_t at = 0;
	bool is_pem;
	bool ok;

	if (!bl_x509_unwrap(call, bl_builtin_text(call, 1), &text, &is_pem) ||
	    !bl_x509_read(call, bl_builtin_text(call, 0), &list))
		return false;
	key = is_pem ? next_key(call, text, &at) : NULL;
	ok = return_pair(call, &list, key);
	EVP_PKEY_free(key);
	bl_x509_clear(&list);
	return ok;
}
