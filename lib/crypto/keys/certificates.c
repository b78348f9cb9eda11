/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crypto/keys/certificates.c: certificates and requests as values, with the names
 * that Go's crypto/x509 gives to their fields.
 */
#include <openssl/bn.h>
#include <openssl/x509v3.h>

#include "crypto/keys/private.h"

static void put(struct bl_object_builder *to, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(to, bl_str(key), value);
}

struct bl_value bl_x509_bytes(struct bl_arena *arena, const void *bytes,
			      size_t len)
{
	struct bl_value text;
	struct bl_buf out;

	if (!bytes)
		return bl_value_null();
	bl_buf_init(&out, 0);
	bl_base64_put(&out, (struct bl_str){ bytes, len }, 0);
	text = bl_key_text(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

/* The bytes that an i2d function made, which are freed. */
static struct bl_value take_der(struct bl_arena *arena, unsigned char *der,
				int len)
{
	struct bl_value value = bl_value_null();

	if (len > 0)
		value = bl_x509_bytes(arena, der, (size_t)len);
	OPENSSL_free(der);
	return value;
}

static struct bl_value string_value(struct bl_arena *arena,
				    const ASN1_STRING *string)
{
	if (!string)
		return bl_value_null();
	return bl_x509_bytes(arena, ASN1_STRING_get0_data(string),
			     (size_t)ASN1_STRING_length(string));
}

struct bl_value bl_x509_number(struct bl_arena *arena, const BIGNUM *number)
{
	char *digits = number ? BN_bn2dec(number) : NULL;
	struct bl_value value = bl_value_null();
	struct bl_str text = bl_arena_copy_str(arena, bl_str(digits));

	if (digits && text.ptr)
		(void)!bl_number_from_text(text, &value);
	OPENSSL_free(digits);
	return value;
}

/* ---- names -------------------------------------------------------------- */

static struct bl_value object_id(struct bl_arena *arena,
				 const ASN1_OBJECT *object)
{
	struct bl_array_builder parts;
	char text[256];
	int len = OBJ_obj2txt(text, sizeof(text), object, 1);
	char *at = text;

	bl_array_builder_init(&parts, arena);
	while (len > 0 && len < (int)sizeof(text) && *at) {
		char *end = strchr(at, '.');
		struct bl_value number = bl_value_null();
		struct bl_str part = bl_arena_copy_str(
			arena, (struct bl_str){ at, end ? (size_t)(end - at)
							: strlen(at) });

		if (part.ptr)
			(void)!bl_number_from_text(part, &number);
		bl_array_builder_add(&parts, number);
		if (!end)
			break;
		at = end + 1;
	}
	return bl_array_builder_end(&parts);
}

static struct bl_value entry_text(struct bl_arena *arena,
				  const X509_NAME_ENTRY *entry)
{
	unsigned char *utf8 = NULL;
	int len = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry));
	struct bl_value text = bl_value_string(BL_STR(""));

	if (len >= 0)
		text = bl_key_text(arena, (struct bl_str){ (const char *)utf8,
							   (size_t)len });
	OPENSSL_free(utf8);
	return text;
}

/* Attributes that pkix.Name has fields for. */
static const struct {
	const char *key;
	int nid;
	bool is_list;
} name_fields[] = {
	{ "Country", NID_countryName, true },
	{ "Organization", NID_organizationName, true },
	{ "OrganizationalUnit", NID_organizationalUnitName, true },
	{ "Locality", NID_localityName, true },
	{ "Province", NID_stateOrProvinceName, true },
	{ "StreetAddress", NID_streetAddress, true },
	{ "PostalCode", NID_postalCode, true },
	{ "SerialNumber", NID_serialNumber, false },
	{ "CommonName", NID_commonName, false },
};

static struct bl_value name_field(struct bl_arena *arena, const X509_NAME *name,
				  int nid, bool is_list)
{
	struct bl_value last = bl_value_string(BL_STR(""));
	struct bl_array_builder list;
	int at = -1;

	bl_array_builder_init(&list, arena);
	for (;;) {
		at = X509_NAME_get_index_by_NID(name, nid, at);
		if (at < 0)
			break;
		last = entry_text(arena, X509_NAME_get_entry(name, at));
		bl_array_builder_add(&list, last);
	}
	if (!is_list)
		return last;
	return list.count ? bl_array_builder_end(&list) : bl_value_null();
}

static struct bl_value name_value(struct bl_arena *arena, const X509_NAME *name)
{
	struct bl_object_builder out;
	struct bl_array_builder all;

	bl_object_builder_init(&out, arena);
	bl_array_builder_init(&all, arena);
	for (size_t i = 0; i < BL_COUNT(name_fields); i++)
		put(&out, name_fields[i].key,
		    name_field(arena, name, name_fields[i].nid,
			       name_fields[i].is_list));
	for (int i = 0; i < X509_NAME_entry_count(name); i++) {
		X509_NAME_ENTRY *entry = X509_NAME_get_entry(name, i);
		struct bl_object_builder one;

		bl_object_builder_init(&one, arena);
		put(&one, "Type",
		    object_id(arena, X509_NAME_ENTRY_get_object(entry)));
		put(&one, "Value", entry_text(arena, entry));
		bl_array_builder_add(&all, bl_object_builder_end(&one));
	}
	put(&out, "Names",
	    all.count ? bl_array_builder_end(&all) : bl_value_null());
	put(&out, "ExtraNames", bl_value_null());
	return bl_object_builder_end(&out);
}

static struct bl_value raw_name(struct bl_arena *arena, const X509_NAME *name)
{
	unsigned char *der = NULL;
	int len = i2d_X509_NAME(name, &der);

	return take_der(arena, der, len);
}

/* ---- alternative names -------------------------------------------------- */

static struct bl_value ip_text(struct bl_arena *arena,
			       const ASN1_OCTET_STRING *ip)
{
	char *text = NULL;
	struct bl_value value = bl_value_null();
	BIO *bio = BIO_new(BIO_s_mem());
	const unsigned char *b = ASN1_STRING_get0_data(ip);

	if (ASN1_STRING_length(ip) == 4) {
		value = bl_value_printf(arena, "%u.%u.%u.%u", b[0], b[1], b[2],
					b[3]);
	} else if (bio) {
		GENERAL_NAME name = { .type = GEN_IPADD };
		long len;

		name.d.iPAddress = (ASN1_OCTET_STRING *)(uintptr_t)ip;
		GENERAL_NAME_print(bio, &name);
		len = BIO_get_mem_data(bio, &text);
		if (len > 11) /* after "IP Address:" */
			value = bl_key_text(
				arena,
				(struct bl_str){ text + 11, (size_t)len - 11 });
	}
	BIO_free(bio);
	return value;
}

/* The names of one type, or null. */
static struct bl_value alternatives(struct bl_arena *arena,
				    const GENERAL_NAMES *names, int type)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (int i = 0; names && i < sk_GENERAL_NAME_num(names); i++) {
		const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, i);
		const ASN1_STRING *text;

		if (name->type != type)
			continue;
		if (type == GEN_IPADD) {
			bl_array_builder_add(&list,
					     ip_text(arena, name->d.iPAddress));
			continue;
		}
		text = name->d.ia5;
		bl_array_builder_add(
			&list,
			bl_key_text(
				arena,
				(struct bl_str){
					(const char *)ASN1_STRING_get0_data(
						text),
					(size_t)ASN1_STRING_length(text) }));
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_null();
}

static void put_alternatives(struct bl_arena *arena,
			     struct bl_object_builder *out,
			     const GENERAL_NAMES *names)
{
	put(out, "DNSNames", alternatives(arena, names, GEN_DNS));
	put(out, "EmailAddresses", alternatives(arena, names, GEN_EMAIL));
	put(out, "IPAddresses", alternatives(arena, names, GEN_IPADD));
	put(out, "URIStrings", alternatives(arena, names, GEN_URI));
}

/* ---- extensions --------------------------------------------------------- */

static struct bl_value extensions(struct bl_arena *arena,
				  const STACK_OF(X509_EXTENSION) * list)
{
	struct bl_array_builder all;

	bl_array_builder_init(&all, arena);
	for (int i = 0; list && i < sk_X509_EXTENSION_num(list); i++) {
		X509_EXTENSION *extension = sk_X509_EXTENSION_value(list, i);
		struct bl_object_builder one;

		bl_object_builder_init(&one, arena);
		put(&one, "Id",
		    object_id(arena, X509_EXTENSION_get_object(extension)));
		put(&one, "Critical",
		    bl_value_boolean(X509_EXTENSION_get_critical(extension)));
		put(&one, "Value",
		    string_value(arena, X509_EXTENSION_get_data(extension)));
		bl_array_builder_add(&all, bl_object_builder_end(&one));
	}
	return all.count ? bl_array_builder_end(&all) : bl_value_null();
}

/* Go's number of an algorithm; 0 for one that it does not know. */
static int64_t signature_algorithm(int nid)
{
	static const int nids[] = {
		NID_undef,
		NID_md2WithRSAEncryption,
		NID_md5WithRSAEncryption,
		NID_sha1WithRSAEncryption,
		NID_sha256WithRSAEncryption,
		NID_sha384WithRSAEncryption,
		NID_sha512WithRSAEncryption,
		NID_dsaWithSHA1,
		NID_dsa_with_SHA256,
		NID_ecdsa_with_SHA1,
		NID_ecdsa_with_SHA256,
		NID_ecdsa_with_SHA384,
		NID_ecdsa_with_SHA512,
		NID_rsassaPss,
		NID_rsassaPss,
		NID_rsassaPss,
		NID_ED25519,
	};

	for (size_t i = 1; i < BL_COUNT(nids); i++) {
		if (nid == nids[i])
			return (int64_t)i;
	}
	return 0;
}

static int64_t key_algorithm(const EVP_PKEY *key)
{
	if (key && EVP_PKEY_is_a(key, "RSA"))
		return 1;
	if (key && EVP_PKEY_is_a(key, "DSA"))
		return 2;
	if (key && EVP_PKEY_is_a(key, "EC"))
		return 3;
	return key && EVP_PKEY_is_a(key, "ED25519") ? 4 : 0;
}

static struct bl_value time_value(struct bl_arena *arena, const ASN1_TIME *time)
{
	struct tm tm;

	if (ASN1_TIME_to_tm(time, &tm) != 1)
		return bl_value_null();
	return bl_value_printf(arena, "%04d-%02d-%02dT%02d:%02d:%02dZ",
			       tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
			       tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* ---- certificates ------------------------------------------------------- */

static void put_constraints(struct bl_object_builder *out, X509 *cert)
{
	BASIC_CONSTRAINTS *basic =
		X509_get_ext_d2i(cert, NID_basic_constraints, NULL, NULL);
	long path =
		basic && basic->pathlen ? ASN1_INTEGER_get(basic->pathlen) : -1;

	put(out, "BasicConstraintsValid", bl_value_boolean(basic != NULL));
	put(out, "IsCA", bl_value_boolean(basic && basic->ca));
	put(out, "MaxPathLen", bl_value_integer(basic ? path : 0));
	put(out, "MaxPathLenZero", bl_value_boolean(path == 0));
	BASIC_CONSTRAINTS_free(basic);
}

static void put_signature(struct bl_arena *arena, struct bl_object_builder *out,
			  int nid, const ASN1_BIT_STRING *signature,
			  EVP_PKEY *key)
{
	put(out, "Signature", string_value(arena, signature));
	put(out, "SignatureAlgorithm",
	    bl_value_integer(signature_algorithm(nid)));
	put(out, "PublicKeyAlgorithm", bl_value_integer(key_algorithm(key)));
	put(out, "PublicKey",
	    key ? bl_x509_public_key(arena, key) : bl_value_null());
}

/* Bits of ASN.1 (numbered from the left of a byte) as Go numbers them. */
static int64_t key_usage(X509 *cert)
{
	ASN1_BIT_STRING *bits =
		X509_get_ext_d2i(cert, NID_key_usage, NULL, NULL);
	int64_t usage = 0;

	for (int i = 0; bits && i < 9; i++)
		usage |= (int64_t)ASN1_BIT_STRING_get_bit(bits, i) << i;
	ASN1_BIT_STRING_free(bits);
	return usage;
}

static void put_raw(struct bl_arena *arena, struct bl_object_builder *out,
		    X509 *cert)
{
	unsigned char *der = NULL;
	int len = i2d_X509(cert, &der);

	put(out, "Raw", take_der(arena, der, len));
	der = NULL;
	len = i2d_re_X509_tbs(cert, &der);
	put(out, "RawTBSCertificate", take_der(arena, der, len));
	der = NULL;
	len = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(cert), &der);
	put(out, "RawSubjectPublicKeyInfo", take_der(arena, der, len));
	put(out, "RawSubject", raw_name(arena, X509_get_subject_name(cert)));
	put(out, "RawIssuer", raw_name(arena, X509_get_issuer_name(cert)));
}

struct bl_value bl_x509_certificate(struct bl_arena *arena, X509 *cert)
{
	GENERAL_NAMES *names =
		X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
	BIGNUM *serial = ASN1_INTEGER_to_BN(X509_get0_serialNumber(cert), NULL);
	const ASN1_BIT_STRING *signature;
	struct bl_object_builder out;
	EVP_PKEY *key = X509_get_pubkey(cert);

	bl_object_builder_init(&out, arena);
	put_raw(arena, &out, cert);
	X509_get0_signature(&signature, NULL, cert);
	put_signature(arena, &out, X509_get_signature_nid(cert), signature,
		      key);
	put(&out, "Version", bl_value_integer(X509_get_version(cert) + 1));
	put(&out, "SerialNumber", bl_x509_number(arena, serial));
	put(&out, "Issuer", name_value(arena, X509_get_issuer_name(cert)));
	put(&out, "Subject", name_value(arena, X509_get_subject_name(cert)));
	put(&out, "NotBefore", time_value(arena, X509_get0_notBefore(cert)));
	put(&out, "NotAfter", time_value(arena, X509_get0_notAfter(cert)));
	put(&out, "KeyUsage", bl_value_integer(key_usage(cert)));
	put(&out, "Extensions", extensions(arena, X509_get0_extensions(cert)));
	put(&out, "ExtraExtensions", bl_value_null());
	put_constraints(&out, cert);
	put(&out, "SubjectKeyId",
	    string_value(arena, X509_get0_subject_key_id(cert)));
	put(&out, "AuthorityKeyId",
	    string_value(arena, X509_get0_authority_key_id(cert)));
	put_alternatives(arena, &out, names);
	GENERAL_NAMES_free(names);
	BN_free(serial);
	EVP_PKEY_free(key);
	return bl_object_builder_end(&out);
}

struct bl_value bl_x509_request_fields(struct bl_arena *arena, X509_REQ *req)
{
	STACK_OF(X509_EXTENSION) *list = X509_REQ_get_extensions(req);
	GENERAL_NAMES *names =
		X509V3_get_d2i(list, NID_subject_alt_name, NULL, NULL);
	const ASN1_BIT_STRING *signature;
	EVP_PKEY *key = X509_REQ_get_pubkey(req);
	struct bl_object_builder out;
	unsigned char *der = NULL;
	int len = i2d_X509_REQ(req, &der);

	bl_object_builder_init(&out, arena);
	put(&out, "Raw", take_der(arena, der, len));
	der = NULL;
	len = i2d_re_X509_REQ_tbs(req, &der);
	put(&out, "RawTBSCertificateRequest", take_der(arena, der, len));
	put(&out, "RawSubject",
	    raw_name(arena, X509_REQ_get_subject_name(req)));
	X509_REQ_get0_signature(req, &signature, NULL);
	put_signature(arena, &out, X509_REQ_get_signature_nid(req), signature,
		      key);
	put(&out, "Version", bl_value_integer(X509_REQ_get_version(req)));
	put(&out, "Subject", name_value(arena, X509_REQ_get_subject_name(req)));
	put(&out, "Extensions", extensions(arena, list));
	put(&out, "ExtraExtensions", bl_value_null());
	put_alternatives(arena, &out, names);
	GENERAL_NAMES_free(names);
	sk_X509_EXTENSION_pop_free(list, X509_EXTENSION_free);
	EVP_PKEY_free(key);
	return bl_object_builder_end(&out);
}
