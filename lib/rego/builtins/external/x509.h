/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/external/x509.h: what the functions of certificates and keys share. */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_X509_H
#define BELAY_REGO_BUILTINS_EXTERNAL_X509_H

#include "crypto/keys/keys.h"
#include "rego/builtins/external/functions.h"

/*
 * The PEM text that text is, or has in base64; *out_is_pem false: other bytes
 * were in base64.  False: a fault is set.
 */
bool bl_certs_unwrap(struct bl_builtin_call *call, struct bl_str text,
		     struct bl_str *out, bool *out_is_pem);

/* All certificates of an operand.  False: a fault is set, the list empty. */
bool bl_certs_read(struct bl_builtin_call *call, struct bl_str text,
		   struct bl_x509_list *out);

#endif
