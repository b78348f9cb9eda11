/* SPDX-License-Identifier: Apache-2.0 */
/* crypto.x509.*: certificates and requests. */
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "rego/builtins/external/x509.h"

/* ---- reading ------------------------------------------------------------ */

bool bl_x509_unwrap(struct bl_builtin_call *call, struct bl_str text,
		    struct bl_str *out, bool *out_is_pem)
{
	const struct bl_str mark = BL_STR("-----BEGIN");

	*out = text;
	*out_is_pem = true;
	if (bl_str_has_prefix(text, mark))
		return true;
	if (!bl_base64_into_arena(call, text, out))
		return false;
	*out_is_pem = bl_str_has_prefix(*out, mark);
	return true;
}

void bl_x509_clear(struct bl_x509_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		X509_free(list->certs[i]);
	list->count = 0;
	ERR_clear_error();
}

static bool malformed(struct bl_builtin_call *call, struct bl_x509_list *list)
{
	bl_x509_clear(list);
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"x509: malformed certificate");
}

/* Adds the certificates that stand one after the other in der. */
static bool add_der(struct bl_x509_list *list, struct bl_str der)
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

bool bl_x509_read(struct bl_builtin_call *call, struct bl_str text,
		  struct bl_x509_list *out)
{
	struct bl_pem pem = { .end = 0 };
	size_t at = 0;
	bool is_pem;

	out->count = 0;
	if (!bl_x509_unwrap(call, text, &text, &is_pem))
		return false;
	if (!is_pem)
		return add_der(out, text) || malformed(call, out);
	while (bl_pem_next(call, text, at, &pem)) {
		at = pem.end;
		if (bl_str_is(pem.type, "CERTIFICATE") &&
		    !add_der(out, pem.der))
			return malformed(call, out);
	}
	return true;
}

static struct bl_value list_value(struct bl_builtin_call *call,
				  X509 *const *certs, size_t count)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, call->arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&list,
				     bl_x509_certificate(call, certs[i]));
	return bl_array_builder_end(&list);
}

bool bl_fn_crypto_x509_parse_certificates(struct bl_builtin_call *call)
{
	struct bl_x509_list list;
	struct bl_value value;

	if (!bl_x509_read(call, bl_builtin_text(call, 0), &list))
		return false;
	value = list_value(call, list.certs, list.count);
	bl_x509_clear(&list);
	return bl_builtin_return(call, value);
}

bool bl_fn_crypto_x509_parse_certificate_request(struct bl_builtin_call *call)
{
	struct bl_str text;
	const unsigned char *der;
	struct bl_value value;
	struct bl_pem pem;
	X509_REQ *req;
	bool is_pem;

	if (!bl_x509_unwrap(call, bl_builtin_text(call, 0), &text, &is_pem))
		return false;
	if (is_pem) {
		if (!bl_pem_next(call, text, 0, &pem))
			return bl_builtin_fault(call, BL_FAULT_BUILTIN,
						"invalid PEM-encoded "
						"certificate signing request");
		text = pem.der;
	}
	der = (const unsigned char *)text.ptr;
	req = d2i_X509_REQ(NULL, &der, (long)text.len);
	ERR_clear_error();
	if (!req)
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"asn1: structure error: malformed certificate request");
	value = bl_x509_request(call, req);
	X509_REQ_free(req);
	ERR_clear_error();
	return bl_builtin_return(call, value);
}

/* ---- verification ------------------------------------------------------- */

struct options {
	struct bl_str host;
	int64_t time; /* seconds */
	int purpose;  /* of libcrypto; 0: any */
};

/* Names of key usages, and what libcrypto checks for them. */
static const struct {
	const char *name;
	int purpose;
} usages[] = {
	{ "KeyUsageAny", X509_PURPOSE_ANY },
	{ "KeyUsageServerAuth", X509_PURPOSE_SSL_SERVER },
	{ "KeyUsageClientAuth", X509_PURPOSE_SSL_CLIENT },
	{ "KeyUsageEmailProtection", X509_PURPOSE_SMIME_SIGN },
	{ "KeyUsageTimeStamping", X509_PURPOSE_TIMESTAMP_SIGN },
	{ "KeyUsageOCSPSigning", X509_PURPOSE_OCSP_HELPER },
};

static bool read_usages(struct bl_builtin_call *call, struct bl_value list,
			struct options *to)
{
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_str name = bl_value_text(bl_value_item(list, i));
		size_t k = 0;

		while (k < BL_COUNT(usages) && !bl_str_is(name, usages[k].name))
			k++;
		if (k == BL_COUNT(usages))
			return bl_builtin_fault(
				call, BL_FAULT_BUILTIN,
				"invalid entries for 'KeyUsages' found: "
				"\"%.*s\"",
				BL_STR_ARG(name));
		to->purpose = usages[k].purpose;
	}
	return true;
}

static bool read_options(struct bl_builtin_call *call, struct options *to)
{
	struct bl_value object = call->args[1];

	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str key = bl_value_text(bl_object_key(object, i));
		struct bl_value value = bl_object_value(object, i);
		bool ok = true;

		if (bl_str_is(key, "DNSName")) {
			ok = bl_value_is(value, BL_KIND_STRING);
			to->host = bl_value_text(value);
		} else if (bl_str_is(key, "CurrentTime")) {
			ok = bl_number_to_integer(value, &to->time);
			to->time /= 1000000000;
		} else if (bl_str_is(key, "MaxConstraintComparisons")) {
			ok = bl_value_is(value, BL_KIND_NUMBER);
		} else if (bl_str_is(key, "KeyUsages")) {
			if (!read_usages(call, value, to))
				return false;
		} else {
			return bl_builtin_fault(call, BL_FAULT_BUILTIN,
						"invalid key option: '%.*s'",
						BL_STR_ARG(key));
		}
		if (!ok)
			return bl_builtin_fault(
				call, BL_FAULT_BUILTIN,
				"'%.*s' has a value of the wrong type",
				BL_STR_ARG(key));
	}
	return true;
}

static void set_parameters(X509_VERIFY_PARAM *param, const struct options *by)
{
	X509_VERIFY_PARAM_set_time(param, (time_t)by->time);
	X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_PARTIAL_CHAIN);
	if (by->purpose != X509_PURPOSE_ANY)
		X509_VERIFY_PARAM_set_purpose(param, by->purpose);
	if (by->host.len)
		X509_VERIFY_PARAM_set1_host(param, by->host.ptr, by->host.len);
}

/* The chain from the last certificate to the first; undefined: none. */
static struct bl_value verify_list(struct bl_builtin_call *call,
				   const struct bl_x509_list *list,
				   const struct options *by)
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
	if (ok) {
		set_parameters(X509_STORE_CTX_get0_param(context), by);
		ok = X509_verify_cert(context) == 1;
	}
	if (ok) {
		STACK_OF(X509) *found = X509_STORE_CTX_get0_chain(context);
		struct bl_array_builder items;

		bl_array_builder_init(&items, call->arena);
		for (int i = 0; i < sk_X509_num(found); i++)
			bl_array_builder_add(
				&items, bl_x509_certificate(
						call, sk_X509_value(found, i)));
		chain = bl_array_builder_end(&items);
	}
	sk_X509_free(between);
	X509_STORE_CTX_free(context);
	X509_STORE_free(store);
	return chain;
}

static bool verify(struct bl_builtin_call *call, const struct options *by)
{
	struct bl_value parts[2] = { bl_value_boolean(false),
				     bl_array_make(call->arena, NULL, 0) };
	struct bl_x509_list list;

	/* Text that cannot be read is not valid, rather than a fault. */
	if (!bl_x509_read(call, bl_builtin_text(call, 0), &list))
		call->fault = BL_FAULT_NONE;
	if (list.count >= 2) {
		struct bl_value chain = verify_list(call, &list, by);

		if (bl_value_is_defined(chain)) {
			parts[0] = bl_value_boolean(true);
			parts[1] = chain;
		}
	}
	bl_x509_clear(&list);
	return bl_builtin_return(call, bl_array_make(call->arena, parts, 2));
}

static struct options default_options(const struct bl_builtin_call *call)
{
	return (struct options){
		.time = call->state->host.now_ns / 1000000000,
		.purpose = X509_PURPOSE_SSL_SERVER,
	};
}

bool bl_fn_crypto_x509_parse_and_verify_certificates(
	struct bl_builtin_call *call)
{
	struct options options = default_options(call);

	return verify(call, &options);
}

bool bl_fn_crypto_x509_parse_and_verify_certificates_with_options(
	struct bl_builtin_call *call)
{
	struct options options = default_options(call);

	return read_options(call, &options) && verify(call, &options);
}
