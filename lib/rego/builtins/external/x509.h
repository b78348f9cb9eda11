/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/external/x509.h: certificates and keys as Go's structures. */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_X509_H
#define BELAY_REGO_BUILTINS_EXTERNAL_X509_H

#include "rego/builtins/external/crypto.h"

/* The fields of x509.Certificate and x509.CertificateRequest. */
struct bl_value bl_x509_certificate(struct bl_builtin_call *call, X509 *cert);
struct bl_value bl_x509_request(struct bl_builtin_call *call, X509_REQ *req);

/* A key as rsa.PublicKey, ecdsa.PrivateKey, ... */
struct bl_value bl_x509_public_key(struct bl_builtin_call *call,
				   const EVP_PKEY *key);
struct bl_value bl_x509_private_key(struct bl_builtin_call *call,
				    const EVP_PKEY *key);

/* Bytes as base64; null for a NULL pointer. */
struct bl_value bl_x509_bytes(struct bl_builtin_call *call, const void *bytes,
			      size_t len);
struct bl_value bl_x509_number(struct bl_builtin_call *call,
			       const BIGNUM *number);

/*
 * The PEM text that text is, or has in base64; *out_is_pem false: other bytes
 * were in base64.  False: a fault is set.
 */
bool bl_x509_unwrap(struct bl_builtin_call *call, struct bl_str text,
		    struct bl_str *out, bool *out_is_pem);

enum { BL_X509_MAX_CERTS = 1024 };

struct bl_x509_list {
	X509 *certs[BL_X509_MAX_CERTS];
	size_t count;
};

/* All certificates of an operand.  False: a fault is set, the list empty. */
bool bl_x509_read(struct bl_builtin_call *call, struct bl_str text,
		  struct bl_x509_list *out);
void bl_x509_clear(struct bl_x509_list *list);

#endif
