/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crypto/keys/keys.h: digests, keys, signatures and certificates by libcrypto.  No
 * other module includes OpenSSL's headers; its keys and certificates are known here by the
 * names of their structs alone.
 *
 * Nothing here is in the static program, whose digests are crypto/crypto.h.
 * Functions that give a struct evp_pkey_st give it to the caller (bl_key_free).
 */
#ifndef BELAY_CRYPTO_KEYS_KEYS_H
#define BELAY_CRYPTO_KEYS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "value/value.h"

struct evp_pkey_st; /* a key: EVP_PKEY */
struct x509_st;     /* a certificate: X509 */

/* ---- digests ------------------------------------------------------------ */

enum bl_digest_kind {
	BL_DIGEST_MD5,
	BL_DIGEST_SHA1,
	BL_DIGEST_SHA224,
	BL_DIGEST_SHA256,
	BL_DIGEST_SHA384,
	BL_DIGEST_SHA512,
	BL_DIGEST_SHA512_224,
	BL_DIGEST_SHA512_256,
};

enum { BL_DIGEST_MAX_BYTES = 64 };

struct bl_digest {
	unsigned char bytes[BL_DIGEST_MAX_BYTES];
	unsigned int len;
};

static inline struct bl_str bl_digest_str(const struct bl_digest *digest)
{
	return (struct bl_str){ (const char *)digest->bytes, digest->len };
}

/* False when libcrypto fails. */
bool bl_digest_of(enum bl_digest_kind kind, struct bl_str text,
		  struct bl_digest *out);
bool bl_hmac_of(enum bl_digest_kind kind, struct bl_str key, struct bl_str text,
		struct bl_digest *out);

/* In a time that does not depend on where they differ. */
bool bl_digest_equal(struct bl_str a, struct bl_str b);

/* ---- PEM ---------------------------------------------------------------- */

struct bl_pem {
	struct bl_str type; /* "CERTIFICATE"; part of the text */
	struct bl_str der;  /* in the arena */
	size_t end;         /* where the rest of the text begins */
};

/*
 * The first complete block of text at or after from, as Go's pem.Decode finds
 * it; false when absent (or when memory is out).
 */
bool bl_pem_next(struct bl_arena *arena, struct bl_str text, size_t from,
		 struct bl_pem *out);

/*
 * The key of a block: a private one, a public one, or a certificate's.  NULL:
 * it is not one, or damaged.
 */
struct evp_pkey_st *bl_pem_key(const struct bl_pem *pem);
/* The private key of DER; NULL: it is not one. */
struct evp_pkey_st *bl_private_key_of(struct bl_str der);

void bl_key_free(struct evp_pkey_st *key);

/*
 * base64url without padding (or with) into the arena, as JWT has it.  False:
 * *out_offset is where it is bad, SIZE_MAX for its length.
 */
bool bl_base64url_bytes(struct bl_arena *arena, struct bl_str text,
			struct bl_str *out, size_t *out_offset);

/* ---- JSON Web Keys ------------------------------------------------------ */

enum { BL_JWK_MAX_KEYS = 256 };

struct bl_jwk {
	struct evp_pkey_st *pkey; /* NULL: symmetric */
	struct bl_str secret;     /* of a symmetric key */
	struct bl_str kid;        /* "" when absent */
	struct bl_str alg;
};

struct bl_jwks {
	struct bl_jwk keys[BL_JWK_MAX_KEYS];
	size_t count;
};

/* Reads a JWK, or a set of them ("keys").  False: *reason says why. */
bool bl_jwks_read(struct bl_arena *arena, struct bl_value jwk,
		  struct bl_jwks *out, const char **reason);
void bl_jwks_clear(struct bl_jwks *keys);

/* An RSA private key as a JWK object; undefined when it is not one. */
struct bl_value bl_jwk_of_rsa(struct bl_arena *arena,
			      const struct evp_pkey_st *pkey);

/* ---- JSON Web Signatures ------------------------------------------------ */

enum bl_jws_kind {
	BL_JWS_HMAC,
	BL_JWS_RSA,
	BL_JWS_PSS,
	BL_JWS_ECDSA,
	BL_JWS_EDDSA,
};

struct bl_jws_algorithm {
	const char *name;
	enum bl_jws_kind kind;
	enum bl_digest_kind digest;
};

/* NULL for an algorithm that is not known. */
const struct bl_jws_algorithm *bl_jws_find(struct bl_str name);

/* Does the key fit the algorithm at all? */
bool bl_jws_key_fits(const struct bl_jws_algorithm *algorithm,
		     const struct bl_jwk *key);

/* A faithful signature (or MAC) of text by key? */
bool bl_jws_verify(const struct bl_jws_algorithm *algorithm,
		   const struct bl_jwk *key, struct bl_str text,
		   struct bl_str signature);

/* Appends the signature.  False: the key does not fit, or has no private part. */
bool bl_jws_sign(const struct bl_jws_algorithm *algorithm,
		 const struct bl_jwk *key, struct bl_str text,
		 struct bl_buf *out_signature);

/* ---- certificates ------------------------------------------------------- */

enum { BL_X509_MAX_CERTS = 1024 };

struct bl_x509_list {
	struct x509_st *certs[BL_X509_MAX_CERTS];
	size_t count;
};

/* Adds the certificates that stand one after the other in der; false: bad. */
bool bl_x509_add(struct bl_x509_list *list, struct bl_str der);
void bl_x509_clear(struct bl_x509_list *list);
bool bl_x509_has_key(struct x509_st *cert, const struct evp_pkey_st *key);

/* The fields of Go's x509.Certificate and, of a request in DER, of
 * x509.CertificateRequest; undefined: der is not one. */
struct bl_value bl_x509_certificate(struct bl_arena *arena,
				    struct x509_st *cert);
struct bl_value bl_x509_request(struct bl_arena *arena, struct bl_str der);

/* A key as rsa.PublicKey, ecdsa.PrivateKey, ... */
struct bl_value bl_x509_public_key(struct bl_arena *arena,
				   const struct evp_pkey_st *key);
struct bl_value bl_x509_private_key(struct bl_arena *arena,
				    const struct evp_pkey_st *key);

enum bl_x509_usage {
	BL_X509_ANY_USAGE,
	BL_X509_SERVER,
	BL_X509_CLIENT,
	BL_X509_MAIL,
	BL_X509_TIME_STAMPS,
	BL_X509_OCSP,
};

struct bl_x509_options {
	struct bl_str host; /* empty: any */
	int64_t time_s;     /* since 1970 */
	enum bl_x509_usage usage;
};

/*
 * The chain from the last certificate to the first, which is trusted, as an
 * array of certificates; undefined: no chain leads there.
 */
struct bl_value bl_x509_verify(struct bl_arena *arena,
			       const struct bl_x509_list *list,
			       const struct bl_x509_options *by);

#endif
