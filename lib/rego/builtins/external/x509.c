/* SPDX-License-Identifier: Apache-2.0 */
/* crypto.x509.*: certificates and requests. */
#include "rego/builtins/external/x509.h"

/* ---- reading ------------------------------------------------------------ */

/* base64 (standard, padded) into the arena. */
static bool base64_bytes(struct bl_builtin_call *call, struct bl_str text,
			 struct bl_str *out)
{
	struct bl_buf bytes;
	size_t offset = 0;

	bl_buf_init(&bytes, 0);
	if (!bl_base64_decode(&bytes, text, 0, &offset)) {
		bl_buf_clear(&bytes);
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"illegal base64 data at input byte %zu",
					offset);
	}
	*out = bl_arena_copy_str(call->arena, bl_buf_str(&bytes));
	bl_buf_clear(&bytes);
	return out->ptr || bl_builtin_memory_fault(call);
}

bool bl_certs_unwrap(struct bl_builtin_call *call, struct bl_str text,
		     struct bl_str *out, bool *out_is_pem)
{
	const struct bl_str mark = BL_STR("-----BEGIN");

	*out = text;
	*out_is_pem = true;
	if (bl_str_has_prefix(text, mark))
		return true;
	if (!base64_bytes(call, text, out))
		return false;
	*out_is_pem = bl_str_has_prefix(*out, mark);
	return true;
}

static bool malformed(struct bl_builtin_call *call, struct bl_x509_list *list)
{
	bl_x509_clear(list);
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"x509: malformed certificate");
}

bool bl_certs_read(struct bl_builtin_call *call, struct bl_str text,
		   struct bl_x509_list *out)
{
	struct bl_pem pem = { .end = 0 };
	size_t at = 0;
	bool is_pem;

	out->count = 0;
	if (!bl_certs_unwrap(call, text, &text, &is_pem))
		return false;
	if (!is_pem)
		return bl_x509_add(out, text) || malformed(call, out);
	while (bl_pem_next(call->arena, text, at, &pem)) {
		at = pem.end;
		if (bl_str_is(pem.type, "CERTIFICATE") &&
		    !bl_x509_add(out, pem.der))
			return malformed(call, out);
	}
	return true;
}

static struct bl_value list_value(struct bl_builtin_call *call,
				  struct x509_st *const *certs, size_t count)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, call->arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(
			&list, bl_x509_certificate(call->arena, certs[i]));
	return bl_array_builder_end(&list);
}

bool bl_fn_crypto_x509_parse_certificates(struct bl_builtin_call *call)
{
	struct bl_x509_list list;
	struct bl_value value;

	if (!bl_certs_read(call, bl_builtin_text(call, 0), &list))
		return false;
	value = list_value(call, list.certs, list.count);
	bl_x509_clear(&list);
	return bl_builtin_return(call, value);
}

bool bl_fn_crypto_x509_parse_certificate_request(struct bl_builtin_call *call)
{
	struct bl_str text;
	struct bl_value value;
	struct bl_pem pem;
	bool is_pem;

	if (!bl_certs_unwrap(call, bl_builtin_text(call, 0), &text, &is_pem))
		return false;
	if (is_pem) {
		if (!bl_pem_next(call->arena, text, 0, &pem))
			return bl_builtin_fault(call, BL_FAULT_BUILTIN,
						"invalid PEM-encoded "
						"certificate signing request");
		text = pem.der;
	}
	value = bl_x509_request(call->arena, text);
	if (!bl_value_is_defined(value))
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"asn1: structure error: malformed certificate request");
	return bl_builtin_return(call, value);
}

/* ---- verification ------------------------------------------------------- */

/* Names of key usages. */
static const struct {
	const char *name;
	enum bl_x509_usage usage;
} usages[] = {
	{ "KeyUsageAny", BL_X509_ANY_USAGE },
	{ "KeyUsageServerAuth", BL_X509_SERVER },
	{ "KeyUsageClientAuth", BL_X509_CLIENT },
	{ "KeyUsageEmailProtection", BL_X509_MAIL },
	{ "KeyUsageTimeStamping", BL_X509_TIME_STAMPS },
	{ "KeyUsageOCSPSigning", BL_X509_OCSP },
};

static bool read_usages(struct bl_builtin_call *call, struct bl_value list,
			struct bl_x509_options *to)
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
		to->usage = usages[k].usage;
	}
	return true;
}

static bool read_options(struct bl_builtin_call *call,
			 struct bl_x509_options *to)
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
			ok = bl_number_to_integer(value, &to->time_s);
			to->time_s /= 1000000000;
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

static bool verify(struct bl_builtin_call *call,
		   const struct bl_x509_options *by)
{
	struct bl_value parts[2] = { bl_value_boolean(false),
				     bl_array_make(call->arena, NULL, 0) };
	struct bl_x509_list list;

	/* Text that cannot be read is not valid, rather than a fault. */
	if (!bl_certs_read(call, bl_builtin_text(call, 0), &list))
		call->fault = BL_FAULT_NONE;
	if (list.count >= 2) {
		struct bl_value chain = bl_x509_verify(call->arena, &list, by);

		if (bl_value_is_defined(chain)) {
			parts[0] = bl_value_boolean(true);
			parts[1] = chain;
		}
	}
	bl_x509_clear(&list);
	return bl_builtin_return(call, bl_array_make(call->arena, parts, 2));
}

static struct bl_x509_options
default_options(const struct bl_builtin_call *call)
{
	return (struct bl_x509_options){
		.time_s = call->state->host.now_ns / 1000000000,
		.usage = BL_X509_SERVER,
	};
}

bool bl_fn_crypto_x509_parse_and_verify_certificates(
	struct bl_builtin_call *call)
{
	struct bl_x509_options options = default_options(call);

	return verify(call, &options);
}

bool bl_fn_crypto_x509_parse_and_verify_certificates_with_options(
	struct bl_builtin_call *call)
{
	struct bl_x509_options options = default_options(call);

	return read_options(call, &options) && verify(call, &options);
}
