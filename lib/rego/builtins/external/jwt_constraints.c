/* SPDX-License-Identifier: Apache-2.0 */
/* io.jwt.decode_verify: a token under constraints (RFC 7519, 7.2). */
#include "rego/builtins/external/jwt.h"

#include <strings.h>

enum { MAX_NESTING = 32 };

struct constraints {
	struct bl_jwks keys;
	bool has_keys;
	struct bl_str secret;
	struct bl_str alg;
	struct bl_str iss;
	struct bl_str aud;
	double now; /* seconds */
};

/* ---- reading them ------------------------------------------------------- */

static bool read_text(struct bl_builtin_call *call, struct bl_str name,
		      struct bl_value value, struct bl_str *out)
{
	if (!bl_value_is(value, BL_KIND_STRING))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"%.*s constraint: must be a string",
					BL_STR_ARG(name));
	*out = bl_value_text(value);
	return true;
}

static bool read_cert(struct bl_builtin_call *call, struct bl_str name,
		      struct bl_value value, struct constraints *to)
{
	struct bl_str text;

	if (!read_text(call, name, value, &text) ||
	    !bl_jwt_keys(call, text, &to->keys))
		return false;
	to->has_keys = true;
	return true;
}

static bool read_time(struct bl_builtin_call *call, struct bl_value value,
		      struct constraints *to)
{
	double time = bl_number_to_double(value);

	if (!bl_value_is(value, BL_KIND_NUMBER))
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"token time constraint: must be a number");
	if (time < 0)
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"token time constraint: must not be negative");
	to->now = time / 1e9;
	return true;
}

static bool read_one(struct bl_builtin_call *call, struct bl_str name,
		     struct bl_value value, struct constraints *to)
{
	if (bl_str_is(name, "cert"))
		return read_cert(call, name, value, to);
	if (bl_str_is(name, "time"))
		return read_time(call, value, to);
	if (bl_str_is(name, "secret"))
		return read_text(call, name, value, &to->secret);
	if (bl_str_is(name, "alg"))
		return read_text(call, name, value, &to->alg);
	if (bl_str_is(name, "iss"))
		return read_text(call, name, value, &to->iss);
	if (bl_str_is(name, "aud"))
		return read_text(call, name, value, &to->aud);
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"unknown token validation constraint: %.*s",
				BL_STR_ARG(name));
}

static bool read_all(struct bl_builtin_call *call, struct constraints *to)
{
	struct bl_value object = call->args[1];

	to->now = (double)call->state->host.now_ns / 1e9;
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_str name = bl_value_text(bl_object_key(object, i));

		if (!read_one(call, name, bl_object_value(object, i), to))
			return false;
	}
	if (to->has_keys && to->secret.len)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"duplicate key constraints");
	if (!to->has_keys && !to->secret.len)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"no key constraint");
	return true;
}

/* ---- the signature ------------------------------------------------------ */

/* A header that must be understood, is there, and is not known to us? */
static bool has_unknown_critical(struct bl_value header)
{
	static const char *const known[] = { "alg", "kid", "typ", "cty",
					     "crit" };
	struct bl_value list = bl_object_find(header, BL_STR("crit"));

	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_str name = bl_value_text(bl_value_item(list, i));
		bool is_known = false;

		for (size_t k = 0; k < BL_COUNT(known); k++)
			is_known |= bl_str_is(name, known[k]);
		if (!is_known &&
		    bl_value_is_defined(bl_object_find(header, name)))
			return true;
	}
	return false;
}

static bool check_header(struct bl_builtin_call *call, struct bl_value header)
{
	static const char *const texts[] = { "alg", "kid", "typ", "cty" };

	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		struct bl_value value =
			bl_object_find(header, bl_str(texts[i]));

		if (bl_value_is_defined(value) &&
		    !bl_value_is(value, BL_KIND_STRING))
			return bl_builtin_fault(call, BL_FAULT_BUILTIN,
						"the value of header \"%s\" "
						"must be a string",
						texts[i]);
	}
	return true;
}

static bool verify(struct bl_builtin_call *call, const struct constraints *by,
		   struct bl_str alg, const struct bl_jwt *jwt, bool *out_valid)
{
	const struct bl_jws_algorithm *algorithm = bl_jws_find(alg);
	struct bl_jwk secret = { .secret = by->secret };

	if (!algorithm)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"unknown JWS algorithm: %.*s",
					BL_STR_ARG(alg));
	if (by->has_keys) {
		*out_valid = bl_jwt_verify_by_keys(algorithm, &by->keys, jwt);
		return true;
	}
	if (!bl_jws_key_fits(algorithm, &secret))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"incorrect public key type");
	*out_valid = bl_jws_verify(algorithm, &secret, jwt->signed_text,
				   jwt->signature);
	return true;
}

/* One token, without what is in it; *out_valid false: not verified. */
static bool open_token(struct bl_builtin_call *call, struct bl_str token,
		       const struct constraints *by, struct bl_jwt *jwt,
		       bool *out_valid)
{
	struct bl_str alg;

	*out_valid = false;
	if (!bl_jwt_split(call, token, jwt) || !bl_jwt_read_header(call, jwt) ||
	    !check_header(call, jwt->header))
		return false;
	alg = bl_value_text(bl_object_find(jwt->header, BL_STR("alg")));
	if (!alg.len || has_unknown_critical(jwt->header) ||
	    (by->alg.len && !bl_str_equal(by->alg, alg)))
		return true;
	return bl_jwt_read_signature(call, jwt) &&
	       verify(call, by, alg, jwt, out_valid);
}

/* ---- claims ------------------------------------------------------------- */

static bool audience_fits(struct bl_value claim, struct bl_str wanted)
{
	if (bl_value_is(claim, BL_KIND_STRING))
		return bl_str_equal(bl_value_text(claim), wanted);
	for (size_t i = 0; i < bl_value_count(claim); i++) {
		struct bl_value item = bl_value_item(claim, i);

		if (bl_value_is(item, BL_KIND_STRING) &&
		    bl_str_equal(bl_value_text(item), wanted))
			return true;
	}
	return false;
}

/* The number of a claim; *out_there false: absent. */
static bool read_number(struct bl_builtin_call *call, struct bl_value payload,
			const char *name, bool *out_there, double *out)
{
	struct bl_value claim = bl_object_find(payload, bl_str(name));

	*out_there = bl_value_is_defined(claim);
	if (*out_there && !bl_value_is(claim, BL_KIND_NUMBER))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"%s value must be a number", name);
	*out = bl_number_to_double(claim);
	return true;
}

static bool check_claims(struct bl_builtin_call *call,
			 const struct constraints *by, struct bl_value payload,
			 bool *out_valid)
{
	struct bl_value iss = bl_object_find(payload, BL_STR("iss"));
	struct bl_value aud = bl_object_find(payload, BL_STR("aud"));
	bool there;
	double time;

	*out_valid = false;
	if (by->iss.len && !bl_str_equal(bl_value_text(iss), by->iss))
		return true;
	if (bl_value_is_defined(aud) ? !audience_fits(aud, by->aud)
				     : by->aud.len > 0)
		return true;
	if (!read_number(call, payload, "exp", &there, &time))
		return false;
	if (there && by->now >= time)
		return true;
	if (!read_number(call, payload, "nbf", &there, &time))
		return false;
	*out_valid = !there || by->now >= time;
	return true;
}

/* ---- all together ------------------------------------------------------- */

static bool return_triple(struct bl_builtin_call *call, bool valid,
			  struct bl_value header, struct bl_value payload)
{
	struct bl_value empty = bl_object_make(call->arena, NULL, 0, NULL);
	struct bl_value triple[3] = { bl_value_boolean(valid),
				      valid ? header : empty,
				      valid ? payload : empty };

	return bl_builtin_return(call, bl_array_make(call->arena, triple, 3));
}

static bool is_nested(const struct bl_jwt *jwt)
{
	struct bl_str cty =
		bl_value_text(bl_object_find(jwt->header, BL_STR("cty")));

	return cty.len == 3 && !strncasecmp(cty.ptr, "JWT", 3);
}

static bool decode_verify(struct bl_builtin_call *call,
			  const struct constraints *by)
{
	struct bl_str token = bl_builtin_text(call, 0);

	for (size_t depth = 0; depth < MAX_NESTING; depth++) {
		struct bl_value payload;
		struct bl_str text;
		struct bl_jwt jwt;
		bool valid;

		if (!open_token(call, token, by, &jwt, &valid))
			return false;
		if (!valid)
			return return_triple(call, false, jwt.header,
					     jwt.header);
		if (!bl_jwt_payload(call, &jwt, &text))
			return false;
		if (is_nested(&jwt)) {
			token = text;
			continue;
		}
		return bl_jwt_read_object(call, text, &payload) &&
		       check_claims(call, by, payload, &valid) &&
		       return_triple(call, valid, jwt.header, payload);
	}
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"JWT is nested too deeply");
}

bool bl_fn_io_jwt_decode_verify(struct bl_builtin_call *call)
{
	struct constraints by = { .keys = { .count = 0 } };
	bool ok = read_all(call, &by) && decode_verify(call, &by);

	bl_jwks_clear(&by.keys);
	return ok;
}
