/* SPDX-License-Identifier: Apache-2.0 */
/* io.jwt.encode_sign and io.jwt.encode_sign_raw. */
#include "rego/builtins/external/jwt.h"

static bool header_fault(struct bl_builtin_call *call, const char *reason)
{
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"missing or invalid 'alg' header: %s", reason);
}

/* A value that OPA's reader of headers takes for a number: never an object. */
static bool looks_like_number(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!strchr("0123456789+-.eE", text.ptr[i]) || !text.ptr[i])
			return false;
	}
	return text.len > 0;
}

static bool read_header(struct bl_builtin_call *call, struct bl_str text,
			struct bl_value *out)
{
	*out = bl_value_null();
	if (!bl_str_trim(text).len)
		return header_fault(
			call, "cannot parse JSON: cannot parse empty string");
	if (looks_like_number(bl_str_trim(text)) ||
	    bl_builtin_read_json(call, text, out))
		return true;
	return bl_builtin_fault(
		call, BL_FAULT_BUILTIN,
		"missing or invalid 'alg' header: cannot parse JSON: %.*s",
		BL_STR_ARG(call->message));
}

static bool find_algorithm(struct bl_builtin_call *call, struct bl_value header,
			   const struct bl_jws_algorithm **out)
{
	struct bl_value alg = bl_object_find(header, BL_STR("alg"));
	struct bl_str name;

	if (!bl_value_is_defined(alg))
		return header_fault(call, "jwsbb: header \"alg\" not found");
	if (!bl_value_is(alg, BL_KIND_STRING))
		return header_fault(call,
				    "jwsbb: header \"alg\" is not a string");
	name = bl_value_text(alg);
	*out = bl_jws_find(name);
	if (*out)
		return true;
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"unknown JWS algorithm: %.*s",
				BL_STR_ARG(name));
}

/* A token that says that it is a JWT has JSON in it. */
static bool check_payload(struct bl_builtin_call *call, struct bl_value header,
			  struct bl_str payload)
{
	struct bl_value ignored;

	if (!bl_str_is(bl_value_text(bl_object_find(header, BL_STR("typ"))),
		       "JWT") ||
	    bl_builtin_read_json(call, payload, &ignored))
		return true;
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"type is JWT but payload is not JSON");
}

bool bl_jwt_sign(struct bl_builtin_call *call, struct bl_str header_text,
		 struct bl_str payload, const struct bl_jwk *key)
{
	const unsigned flags = BL_BASE64_URL | BL_BASE64_NO_PAD;
	const struct bl_jws_algorithm *algorithm;
	struct bl_value header;
	struct bl_buf signature;
	struct bl_buf token;
	bool ok;

	if (!read_header(call, header_text, &header) ||
	    !find_algorithm(call, header, &algorithm) ||
	    !check_payload(call, header, payload))
		return false;
	bl_buf_init(&token, 0);
	bl_buf_init(&signature, 0);
	bl_base64_put(&token, header_text, flags);
	bl_buf_put_char(&token, '.');
	bl_base64_put(&token, payload, flags);
	ok = bl_jws_sign(algorithm, key, bl_buf_str(&token), &signature);
	if (!ok && !bl_jws_key_fits(algorithm, key)) {
		bl_builtin_fault(call, BL_FAULT_BUILTIN,
				 "failed to sign: the key is not of the type "
				 "that %s needs",
				 algorithm->name);
	} else if (!ok) {
		bl_builtin_fault(call, BL_FAULT_BUILTIN,
				 "failed to sign: the key has no private part");
	} else {
		bl_buf_put_char(&token, '.');
		bl_base64_put(&token, bl_buf_str(&signature), flags);
		ok = bl_builtin_return_buf(call, &token);
	}
	bl_buf_clear(&signature);
	bl_buf_clear(&token);
	return ok;
}

static bool sign_by_jwk(struct bl_builtin_call *call, struct bl_str header,
			struct bl_str payload, struct bl_value jwk)
{
	const char *reason = "";
	struct bl_jwks keys;
	bool ok = bl_jwks_read(call->arena, jwk, &keys, &reason);

	if (!ok)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"failed to parse a JWK key: %s",
					reason);
	if (keys.count)
		ok = bl_jwt_sign(call, header, payload, &keys.keys[0]);
	else
		ok = bl_builtin_fault(call, BL_FAULT_BUILTIN,
				      "failed to parse a JWK key: no key");
	bl_jwks_clear(&keys);
	return ok;
}

bool bl_fn_io_jwt_encode_sign_raw(struct bl_builtin_call *call)
{
	struct bl_value jwk;

	if (!bl_builtin_read_json(call, bl_builtin_text(call, 2), &jwk))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"failed to parse a JWK key: %.*s",
					BL_STR_ARG(call->message));
	return sign_by_jwk(call, bl_builtin_text(call, 0),
			   bl_builtin_text(call, 1), jwk);
}

bool bl_fn_io_jwt_encode_sign(struct bl_builtin_call *call)
{
	struct bl_buf header;
	struct bl_buf payload;
	bool ok;

	bl_buf_init(&header, 0);
	bl_buf_init(&payload, 0);
	bl_go_json_put(&header, call->args[0]);
	bl_go_json_put(&payload, call->args[1]);
	if (bl_buf_status(&header) || bl_buf_status(&payload))
		ok = bl_builtin_memory_fault(call);
	else
		ok = sign_by_jwk(call, bl_buf_str(&header),
				 bl_buf_str(&payload), call->args[2]);
	bl_buf_clear(&header);
	bl_buf_clear(&payload);
	return ok;
}
