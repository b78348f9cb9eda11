/* SPDX-License-Identifier: Apache-2.0 */
/* The keys that the JWT functions take: PEM, a JWK, or a set of them. */
#include "rego/builtins/external/jwt.h"

/* The one key of a PEM text. */
static bool read_pem_key(struct bl_builtin_call *call, struct bl_str text,
			 const struct bl_pem *pem, struct bl_jwks *out)
{
	bool is_cert = bl_str_is(pem->type, "CERTIFICATE");

	if (pem->end < text.len)
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"extra data after a PEM certificate block");
	if (!is_cert && !bl_str_is(pem->type, "PUBLIC KEY"))
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"failed to extract a Key from the PEM certificate");
	*out = (struct bl_jwks){ .keys[0].pkey = bl_pem_key(pem) };
	if (!out->keys[0].pkey)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"failed to parse a PEM %s: malformed",
					is_cert ? "certificate" : "public key");
	out->count = 1;
	return true;
}

bool bl_jwt_keys(struct bl_builtin_call *call, struct bl_str text,
		 struct bl_jwks *out)
{
	const char *reason = "";
	struct bl_value value;
	struct bl_pem pem;

	if (bl_pem_next(call->arena, text, 0, &pem))
		return read_pem_key(call, text, &pem, out);
	if (!bl_builtin_read_json(call, text, &value))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"failed to parse a JWK key (set): %.*s",
					BL_STR_ARG(call->message));
	if (bl_jwks_read(call->arena, value, out, &reason))
		return true;
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"failed to parse a JWK key (set): %s", reason);
}
