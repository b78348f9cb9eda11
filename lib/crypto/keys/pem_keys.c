/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crypto/keys/pem_keys.c: keys in PEM blocks: private, public, or those of a certificate.  Apart from pem.c,
 * which is text alone.
 */
#include <openssl/err.h>

#include "crypto/keys/private.h"

static EVP_PKEY *read_certificate(const unsigned char *der, long len)
{
	X509 *cert = d2i_X509(NULL, &der, len);
	EVP_PKEY *key = cert ? X509_get_pubkey(cert) : NULL;

	X509_free(cert);
	return key;
}

static EVP_PKEY *read_public(const unsigned char *der, long len)
{
	return d2i_PUBKEY(NULL, &der, len);
}

static EVP_PKEY *read_rsa_public(const unsigned char *der, long len)
{
	return d2i_PublicKey(EVP_PKEY_RSA, NULL, &der, len);
}

static EVP_PKEY *read_private(const unsigned char *der, long len)
{
	return d2i_AutoPrivateKey(NULL, &der, len);
}

static const struct {
	const char *end; /* of the type of the block; the first that fits */
	EVP_PKEY *(*read)(const unsigned char *der, long len);
} kinds[] = {
	{ "CERTIFICATE", read_certificate },
	{ "RSA PUBLIC KEY", read_rsa_public },
	{ "PUBLIC KEY", read_public },
	{ "PRIVATE KEY", read_private },
};

EVP_PKEY *bl_pem_key(const struct bl_pem *pem)
{
	EVP_PKEY *key = NULL;
	size_t i = 0;

	while (i < BL_COUNT(kinds) &&
	       !bl_str_has_suffix(pem->type, bl_str(kinds[i].end)))
		i++;
	if (i < BL_COUNT(kinds))
		key = kinds[i].read((const unsigned char *)pem->der.ptr,
				    (long)pem->der.len);
	ERR_clear_error();
	return key;
}

EVP_PKEY *bl_private_key_of(struct bl_str der)
{
	EVP_PKEY *key =
		read_private((const unsigned char *)der.ptr, (long)der.len);

	ERR_clear_error();
	return key;
}

void bl_key_free(struct evp_pkey_st *key)
{
	EVP_PKEY_free(key);
}
