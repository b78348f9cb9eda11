/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/external/jwt.h: what the files of the JWT functions share. */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_JWT_H
#define BELAY_REGO_BUILTINS_EXTERNAL_JWT_H

#include "crypto/keys/keys.h"
#include "rego/builtins/external/functions.h"

/*
 * The keys of operand text: one PEM block, a JWK, or a JWK set.  False: the
 * fault is set.
 */
bool bl_jwt_keys(struct bl_builtin_call *call, struct bl_str text,
		 struct bl_jwks *out);

/*
 * The token of a header (JSON) and a payload as the call's result.  False: a
 * fault is set.
 */
bool bl_jwt_sign(struct bl_builtin_call *call, struct bl_str header_text,
		 struct bl_str payload, const struct bl_jwk *key);

/* A token, cut at its periods, and its header. */
struct bl_jwt {
	struct bl_str header_text;
	struct bl_str payload_text;
	struct bl_str signature_text;
	struct bl_str signed_text; /* HEADER.PAYLOAD */
	struct bl_value header;    /* an object */
	struct bl_str signature;   /* bytes */
};

/* Cuts the token; false: a fault is set. */
bool bl_jwt_split(struct bl_builtin_call *call, struct bl_str token,
		  struct bl_jwt *out);

/* Each decodes one part; false: a fault is set. */
bool bl_jwt_read_header(struct bl_builtin_call *call, struct bl_jwt *jwt);
bool bl_jwt_read_signature(struct bl_builtin_call *call, struct bl_jwt *jwt);

/* The bytes of the payload. */
bool bl_jwt_payload(struct bl_builtin_call *call, const struct bl_jwt *jwt,
		    struct bl_str *out);

/* text as a JSON object; false: a fault is set. */
bool bl_jwt_read_object(struct bl_builtin_call *call, struct bl_str text,
			struct bl_value *out);

/* Is there a key that verifies the token?  By the rules for kid and alg. */
bool bl_jwt_verify_by_keys(const struct bl_jws_algorithm *algorithm,
			   const struct bl_jwks *keys,
			   const struct bl_jwt *jwt);

#endif
