/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/builtins/external/crypto.h: what crypto.c, jwk.c, jwt.c, x509*.c and aws.c
 * share of libcrypto.
 */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_CRYPTO_H
#define BELAY_REGO_BUILTINS_EXTERNAL_CRYPTO_H

#include <openssl/evp.h>
#include <openssl/x509.h>

#include "rego/builtins/external/functions.h"

/* A digest of at most EVP_MAX_MD_SIZE bytes. */
struct bl_digest {
	unsigned char bytes[EVP_MAX_MD_SIZE];
	unsigned int len;
};

static inline struct bl_str bl_digest_str(const struct bl_digest *digest)
{
	return (struct bl_str){ (const char *)digest->bytes, digest->len };
}

/* False when libcrypto fails. */
bool bl_digest_of(const EVP_MD *md, struct bl_str text, struct bl_digest *out);
bool bl_hmac_of(const EVP_MD *md, struct bl_str key, struct bl_str text,
		struct bl_digest *out);

/* ---- PEM ---------------------------------------------------------------- */

struct bl_pem {
	struct bl_str type; /* "CERTIFICATE"; part of the text */
	struct bl_str der;  /* in the call's arena */
	size_t end;         /* where the rest of the text begins */
};

enum { BL_PEM_MAX_BLOCKS = 1024 };

/*
 * The first complete block of text at or after from, as Go's pem.Decode finds
 * it; false when absent (or when memory is out).
 */
bool bl_pem_next(struct bl_builtin_call *call, struct bl_str text, size_t from,
		 struct bl_pem *out);

/*
 * The key of a block: a private one, a public one, or a certificate's.  NULL:
 * it is not one, or damaged.
 */
EVP_PKEY *bl_pem_key(const struct bl_pem *pem);
EVP_PKEY *bl_private_key_of(struct bl_str der);

/*
 * base64 (standard, padded) into the arena.  False: a fault "illegal base64
 * data at input byte N".
 */
bool bl_base64_into_arena(struct bl_builtin_call *call, struct bl_str text,
			  struct bl_str *out);

/* ---- JSON Web Keys ------------------------------------------------------ */

enum { BL_JWK_MAX_KEYS = 256 };

struct bl_jwk {
	EVP_PKEY *pkey;       /* NULL: symmetric */
	struct bl_str secret; /* of a symmetric key */
	struct bl_str kid;    /* "" when absent */
	struct bl_str alg;
};

struct bl_jwks {
	struct bl_jwk keys[BL_JWK_MAX_KEYS];
	size_t count;
};

/* Reads a JWK, or a set of them ("keys").  False: *reason says why. */
bool bl_jwks_read(struct bl_builtin_call *call, struct bl_value jwk,
		  struct bl_jwks *out, const char **reason);

/*
 * The keys of operand text: one PEM block, a JWK, or a JWK set.  False: the
 * fault is set.
 */
bool bl_jwks_from_text(struct bl_builtin_call *call, struct bl_str text,
		       struct bl_jwks *out);

void bl_jwks_clear(struct bl_jwks *keys);

/* An RSA private key as a JWK object; undefined when it is not one. */
struct bl_value bl_jwk_of_rsa(struct bl_builtin_call *call,
			      const EVP_PKEY *pkey);

/* base64url without padding (or with) into the arena, as the JWT functions
 * read it.  False: *out_offset is where it is bad, SIZE_MAX for its length. */
bool bl_base64url_into_arena(struct bl_builtin_call *call, struct bl_str text,
			     struct bl_str *out, size_t *out_offset);

#endif
