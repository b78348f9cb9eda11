/* SPDX-License-Identifier: Apache-2.0 */
/* Private keys: crypto.parse_private_keys, parse_keypair, and RSA as JWK. */
#include "rego/builtins/external/x509.h"

static void put(struct bl_object_builder *to, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(to, bl_str(key), value);
}

/* The next private key of PEM text at or after *at; NULL: no more. */
static struct evp_pkey_st *next_key(struct bl_builtin_call *call,
				    struct bl_str text, size_t *at)
{
	struct bl_pem pem;

	while (bl_pem_next(call->arena, text, *at, &pem)) {
		struct evp_pkey_st *key = NULL;

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
	struct evp_pkey_st *key;

	if (!text.len)
		return bl_builtin_return(call, bl_value_null());
	if (!bl_certs_unwrap(call, text, &text, &is_pem))
		return false;
	bl_array_builder_init(&keys, call->arena);
	while (is_pem && (key = next_key(call, text, &at))) {
		bl_array_builder_add(&keys,
				     bl_x509_private_key(call->arena, key));
		bl_key_free(key);
	}
	return bl_builtin_return(call, bl_array_builder_end(&keys));
}

bool bl_fn_crypto_x509_parse_rsa_private_key(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);
	struct bl_value jwk;
	size_t at = 0;
	struct evp_pkey_st *key;
	bool is_pem;

	if (!text.len)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"input PEM data was empty");
	if (!bl_certs_unwrap(call, text, &text, &is_pem))
		return false;
	key = is_pem ? next_key(call, text, &at) : bl_private_key_of(text);
	if (!key)
		return bl_builtin_return(call, bl_value_null());
	jwk = bl_jwk_of_rsa(call->arena, key);
	bl_key_free(key);
	if (!bl_value_is_defined(jwk))
		jwk = bl_value_null();
	return bl_builtin_return(call, jwk);
}

/* ---- pairs -------------------------------------------------------------- */

static struct bl_value pair_value(struct bl_builtin_call *call,
				  const struct bl_x509_list *list,
				  const struct evp_pkey_st *key)
{
	struct bl_array_builder chain;
	struct bl_object_builder out;

	bl_array_builder_init(&chain, call->arena);
	for (size_t i = 0; i < list->count; i++) {
		struct bl_value cert =
			bl_x509_certificate(call->arena, list->certs[i]);

		bl_array_builder_add(&chain,
				     bl_object_find(cert, BL_STR("Raw")));
	}
	bl_object_builder_init(&out, call->arena);
	put(&out, "Certificate", bl_array_builder_end(&chain));
	put(&out, "PrivateKey", bl_x509_private_key(call->arena, key));
	put(&out, "SupportedSignatureAlgorithms", bl_value_null());
	put(&out, "OCSPStaple", bl_value_null());
	put(&out, "SignedCertificateTimestamps", bl_value_null());
	put(&out, "Leaf", bl_x509_certificate(call->arena, list->certs[0]));
	return bl_object_builder_end(&out);
}

static bool return_pair(struct bl_builtin_call *call,
			const struct bl_x509_list *list,
			const struct evp_pkey_st *key)
{
	if (!list->count)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"tls: failed to find any PEM data in "
					"certificate input");
	if (!key)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"tls: failed to find any PEM data in "
					"key input");
	if (!bl_x509_has_key(list->certs[0], key))
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"tls: private key does not match public key");
	return bl_builtin_return(call, pair_value(call, list, key));
}

bool bl_fn_crypto_x509_parse_keypair(struct bl_builtin_call *call)
{
	struct bl_x509_list list;
	struct bl_str text;
	struct evp_pkey_st *key;
	size_t at = 0;
	bool is_pem;
	bool ok;

	if (!bl_certs_unwrap(call, bl_builtin_text(call, 1), &text, &is_pem) ||
	    !bl_certs_read(call, bl_builtin_text(call, 0), &list))
		return false;
	key = is_pem ? next_key(call, text, &at) : NULL;
	ok = return_pair(call, &list, key);
	bl_key_free(key);
	bl_x509_clear(&list);
	return ok;
}
