/* SPDX-License-Identifier: Apache-2.0 */
/* crypto/keys/chains.c: lists of certificates, and whether one leads to another. */
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "crypto/keys/private.h"

void bl_x509_clear(struct bl_x509_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		X509_free(list->certs[i]);
	list->count = 0;
	ERR_clear_error();
}

bool bl_x509_add(struct bl_x509_list *list, struct bl_str der)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	const unsigned char *end = at + der.len;

	while (at < end && list->count < BL_X509_MAX_CERTS) {
		X509 *cert = d2i_X509(NULL, &at, end - at);

		if (!cert)
			return false;
		list->certs[list->count++] = cert;
	}
	return at == end;
}

/* libcrypto's check for each usage. */
static const int purposes[] = {
	[BL_X509_ANY_USAGE] = X509_PURPOSE_ANY,
	[BL_X509_SERVER] = X509_PURPOSE_SSL_SERVER,
	[BL_X509_CLIENT] = X509_PURPOSE_SSL_CLIENT,
	[BL_X509_MAIL] = X509_PURPOSE_SMIME_SIGN,
	[BL_X509_TIME_STAMPS] = X509_PURPOSE_TIMESTAMP_SIGN,
	[BL_X509_OCSP] = X509_PURPOSE_OCSP_HELPER,
};

/* False where libcrypto does not take one: what is not set is not checked. */
static bool set_parameters(X509_VERIFY_PARAM *param,
			   const struct bl_x509_options *by)
{
	X509_VERIFY_PARAM_set_time(param, (time_t)by->time_s);
	if (X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN) != 1)
		return false;
	if (by->usage != BL_X509_ANY_USAGE &&
	    X509_VERIFY_PARAM_set_purpose(param, purposes[by->usage]) != 1)
		return false;
	return !by->host.len ||
	       (!memchr(by->host.ptr, '\0', by->host.len) &&
		X509_VERIFY_PARAM_set1_host(param, by->host.ptr,
					    by->host.len) == 1);
}

struct bl_value bl_x509_verify(struct bl_arena *arena,
			       const struct bl_x509_list *list,
			       const struct bl_x509_options *by)
{
	X509_STORE *store = X509_STORE_new();
	X509_STORE_CTX *context = X509_STORE_CTX_new();
	STACK_OF(X509) *between = sk_X509_new_null();
	struct bl_value chain = bl_value_undefined();
	bool ok = store && context && between &&
		  X509_STORE_add_cert(store, list->certs[0]);

	for (size_t i = 1; ok && i + 1 < list->count; i++)
		ok = sk_X509_push(between, list->certs[i]) > 0;
	ok = ok && X509_STORE_CTX_init(context, store,
				       list->certs[list->count - 1], between);
	ok = ok && set_parameters(X509_STORE_CTX_get0_param(context), by) &&
	     X509_verify_cert(context) == 1;
	if (ok) {
		STACK_OF(X509) *found = X509_STORE_CTX_get0_chain(context);
		struct bl_array_builder items;

		bl_array_builder_init(&items, arena);
		for (int i = 0; i < sk_X509_num(found); i++)
			bl_array_builder_add(
				&items,
				bl_x509_certificate(arena,
						    sk_X509_value(found, i)));
		chain = bl_array_builder_end(&items);
	}
	sk_X509_free(between);
	X509_STORE_CTX_free(context);
	X509_STORE_free(store);
	return chain;
}

struct bl_value bl_x509_request(struct bl_arena *arena, struct bl_str der)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	X509_REQ *request = d2i_X509_REQ(NULL, &at, (long)der.len);
	struct bl_value value = bl_value_undefined();

	ERR_clear_error();
	if (request)
		value = bl_x509_request_fields(arena, request);
	X509_REQ_free(request);
	ERR_clear_error();
	return value;
}

bool bl_x509_has_key(struct x509_st *cert, const struct evp_pkey_st *key)
{
	EVP_PKEY *public = X509_get_pubkey(cert);
	bool fits = public && EVP_PKEY_eq(public, key) == 1;

	EVP_PKEY_free(public);
	return fits;
}
