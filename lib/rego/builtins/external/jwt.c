/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Web Tokens (RFC 7519): taking apart, and checking the signature. */
#include "base/hex.h"
#include "rego/builtins/external/jwt.h"

/* How deep tokens may be in tokens. */
enum { MAX_NESTING = 32 };

/* ---- parts -------------------------------------------------------------- */

bool bl_jwt_split(struct bl_builtin_call *call, struct bl_str token,
		  struct bl_jwt *out)
{
	const struct bl_str period = BL_STR(".");
	size_t first = bl_str_find(token, period, 0);
	size_t count = 1;
	size_t second = SIZE_MAX;

	if (first == SIZE_MAX)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"encoded JWT had no period separators");
	for (size_t i = 0; i < token.len; i++)
		count += token.ptr[i] == '.';
	second = bl_str_find(token, period, first + 1);
	if (count != 3)
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"encoded JWT must have 3 sections, found %zu", count);
	*out = (struct bl_jwt){
		.header_text = bl_str_slice(token, 0, first),
		.payload_text = bl_str_slice(token, first + 1, second),
		.signature_text = bl_str_slice(token, second + 1, SIZE_MAX),
		.signed_text = bl_str_slice(token, 0, second),
	};
	return true;
}

static bool decode_part(struct bl_builtin_call *call, const char *part,
			struct bl_str text, struct bl_str *out)
{
	size_t offset;

	if (bl_base64url_bytes(call->arena, text, out, &offset))
		return true;
	if (offset == SIZE_MAX)
		return bl_builtin_fault(
			call, BL_FAULT_BUILTIN,
			"JWT %s had invalid encoding: illegal base64url "
			"string: %.*s",
			part, BL_STR_ARG(text));
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"JWT %s had invalid encoding: illegal base64 "
				"data at input byte %zu",
				part, offset);
}

bool bl_jwt_read_object(struct bl_builtin_call *call, struct bl_str text,
			struct bl_value *out)
{
	if (!bl_builtin_read_json(call, text, out))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"invalid JSON: %.*s",
					BL_STR_ARG(call->message));
	if (bl_value_is(*out, BL_KIND_OBJECT))
		return true;
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"decoded JSON type was not an Object");
}

bool bl_jwt_read_header(struct bl_builtin_call *call, struct bl_jwt *jwt)
{
	struct bl_str text;

	if (!decode_part(call, "header", jwt->header_text, &text) ||
	    !bl_jwt_read_object(call, text, &jwt->header))
		return false;
	if (!bl_value_is_defined(bl_object_find(jwt->header, BL_STR("enc"))))
		return true;
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"JWT is a JWE object, which is not supported");
}

bool bl_jwt_read_signature(struct bl_builtin_call *call, struct bl_jwt *jwt)
{
	return decode_part(call, "signature", jwt->signature_text,
			   &jwt->signature);
}

bool bl_jwt_payload(struct bl_builtin_call *call, const struct bl_jwt *jwt,
		    struct bl_str *out)
{
	return decode_part(call, "payload", jwt->payload_text, out);
}

/* ---- io.jwt.decode ------------------------------------------------------ */

/* A token inside a token is a JSON string. */
static struct bl_str without_quotes(struct bl_str text)
{
	while (bl_str_has_prefix(text, BL_STR("\"")))
		text = bl_str_slice(text, 1, SIZE_MAX);
	while (bl_str_has_suffix(text, BL_STR("\"")))
		text = bl_str_slice(text, 0, text.len - 1);
	return text;
}

static bool is_nested(const struct bl_jwt *jwt)
{
	return bl_str_is(
		bl_value_text(bl_object_find(jwt->header, BL_STR("cty"))),
		"JWT");
}

static bool return_parts(struct bl_builtin_call *call, struct bl_jwt *jwt,
			 struct bl_value payload)
{
	struct bl_value parts[3] = { jwt->header, payload };
	struct bl_buf hex;

	if (!bl_jwt_read_signature(call, jwt))
		return false;
	bl_buf_init(&hex, 0);
	bl_hex_put(&hex, jwt->signature);
	if (!bl_builtin_return_buf(call, &hex))
		return false;
	parts[2] = call->result;
	return bl_builtin_return(call, bl_array_make(call->arena, parts, 3));
}

bool bl_fn_io_jwt_decode(struct bl_builtin_call *call)
{
	struct bl_str token = bl_builtin_text(call, 0);

	for (size_t depth = 0; depth < MAX_NESTING; depth++) {
		struct bl_str text;
		struct bl_value payload;
		struct bl_jwt jwt;

		if (!bl_jwt_split(call, token, &jwt) ||
		    !bl_jwt_read_header(call, &jwt) ||
		    !bl_jwt_payload(call, &jwt, &text))
			return false;
		if (is_nested(&jwt)) {
			token = without_quotes(text);
			continue;
		}
		return bl_jwt_read_object(call, text, &payload) &&
		       return_parts(call, &jwt, payload);
	}
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"JWT is nested too deeply");
}

/* ---- io.jwt.verify_* ---------------------------------------------------- */

static const struct bl_jwk *find_by_kid(const struct bl_jwks *keys,
					struct bl_str kid)
{
	for (size_t i = 0; kid.len && i < keys->count; i++) {
		if (bl_str_equal(keys->keys[i].kid, kid))
			return &keys->keys[i];
	}
	return NULL;
}

bool bl_jwt_verify_by_keys(const struct bl_jws_algorithm *algorithm,
			   const struct bl_jwks *keys, const struct bl_jwt *jwt)
{
	struct bl_value header = jwt->header;
	struct bl_str kid =
		bl_value_text(bl_object_find(header, BL_STR("kid")));
	struct bl_str alg =
		bl_value_text(bl_object_find(header, BL_STR("alg")));
	const struct bl_jwk *named = find_by_kid(keys, kid);

	if (named)
		return bl_jws_verify(algorithm, named, jwt->signed_text,
				     jwt->signature);
	for (size_t i = 0; i < keys->count; i++) {
		const struct bl_jwk *key = &keys->keys[i];

		if (key->alg.len && !bl_str_equal(key->alg, alg))
			continue;
		if (bl_jws_verify(algorithm, key, jwt->signed_text,
				  jwt->signature))
			return true;
	}
	return false;
}

static bool verify(struct bl_builtin_call *call, const char *name)
{
	struct bl_jwks keys;
	struct bl_jwt jwt;
	bool ok;

	if (!bl_jwt_split(call, bl_builtin_text(call, 0), &jwt) ||
	    !bl_jwt_keys(call, bl_builtin_text(call, 1), &keys))
		return false;
	ok = bl_jwt_read_signature(call, &jwt) &&
	     bl_jwt_read_header(call, &jwt) &&
	     bl_builtin_return_boolean(
		     call, bl_jwt_verify_by_keys(bl_jws_find(bl_str(name)),
						 &keys, &jwt));
	bl_jwks_clear(&keys);
	return ok;
}

static bool verify_secret(struct bl_builtin_call *call, const char *name)
{
	struct bl_jwk key = { .secret = bl_builtin_text(call, 1) };
	struct bl_jwt jwt;

	if (!bl_jwt_split(call, bl_builtin_text(call, 0), &jwt) ||
	    !bl_jwt_read_signature(call, &jwt))
		return false;
	return bl_builtin_return_boolean(
		call, bl_jws_verify(bl_jws_find(bl_str(name)), &key,
				    jwt.signed_text, jwt.signature));
}

#define VERIFY(function, algorithm, how)                                       \
	bool function(struct bl_builtin_call *call)                            \
	{                                                                      \
		return how(call, algorithm);                                   \
	}

VERIFY(bl_fn_io_jwt_verify_eddsa, "EdDSA", verify)
VERIFY(bl_fn_io_jwt_verify_es256, "ES256", verify)
VERIFY(bl_fn_io_jwt_verify_es384, "ES384", verify)
VERIFY(bl_fn_io_jwt_verify_es512, "ES512", verify)
VERIFY(bl_fn_io_jwt_verify_hs256, "HS256", verify_secret)
VERIFY(bl_fn_io_jwt_verify_hs384, "HS384", verify_secret)
VERIFY(bl_fn_io_jwt_verify_hs512, "HS512", verify_secret)
VERIFY(bl_fn_io_jwt_verify_ps256, "PS256", verify)
VERIFY(bl_fn_io_jwt_verify_ps384, "PS384", verify)
VERIFY(bl_fn_io_jwt_verify_ps512, "PS512", verify)
VERIFY(bl_fn_io_jwt_verify_rs256, "RS256", verify)
VERIFY(bl_fn_io_jwt_verify_rs384, "RS384", verify)
VERIFY(bl_fn_io_jwt_verify_rs512, "RS512", verify)
