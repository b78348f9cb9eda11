/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Digests and signed texts for bundles, by crypto/keys and jwt.c: the only way from
 * outside to these, so that they stay free to change.
 */
#include "base/hex.h"
#include "rego/builtins/external/external.h"
#include "rego/builtins/external/jwt.h"

static const struct {
	const char *name;
	enum bl_digest_kind kind;
} digests[] = {
	{ "SHA-256", BL_DIGEST_SHA256 },
	{ "MD5", BL_DIGEST_MD5 },
	{ "SHA-1", BL_DIGEST_SHA1 },
	{ "SHA-224", BL_DIGEST_SHA224 },
	{ "SHA-384", BL_DIGEST_SHA384 },
	{ "SHA-512", BL_DIGEST_SHA512 },
	{ "SHA-512-224", BL_DIGEST_SHA512_224 },
	{ "SHA-512-256", BL_DIGEST_SHA512_256 },
};

enum bl_status bl_rego_digest(struct bl_str algorithm, struct bl_str text,
			      struct bl_buf *out_hex, struct bl_error *err)
{
	struct bl_digest digest;
	size_t i = 0;

	while (i < BL_COUNT(digests) && !bl_str_is(algorithm, digests[i].name))
		i++;
	if (i == BL_COUNT(digests))
		return bl_fail(err, BL_UNSUPPORTED,
			       "unsupported hashing algorithm: %.*s",
			       BL_STR_ARG(algorithm));
	if (!bl_digest_of(digests[i].kind, text, &digest))
		return bl_fail(err, BL_UNSUPPORTED,
			       "libcrypto does not compute %s here",
			       digests[i].name);
	bl_hex_put(out_hex, bl_digest_str(&digest));
	return bl_buf_status(out_hex) ? bl_fail_memory(err) : BL_OK;
}

/* The fault of a call as an error. */
static enum bl_status fault(const struct bl_builtin_call *call,
			    struct bl_error *err)
{
	if (call->fault == BL_FAULT_INTERNAL)
		return bl_arena_fail(call->arena, err);
	return bl_fail(err, BL_INVALID, "%.*s", BL_STR_ARG(call->message));
}

/* A key in the text; its pkey is to be freed. */
static enum bl_status read_key(struct bl_builtin_call *call,
			       const struct bl_jws_algorithm *algorithm,
			       struct bl_str text, struct bl_jwk *out_key,
			       struct bl_error *err)
{
	struct bl_pem pem;

	*out_key = (struct bl_jwk){ .secret = text };
	if (algorithm->kind == BL_JWS_HMAC)
		return BL_OK;
	if (!bl_pem_next(call->arena, text, 0, &pem))
		return bl_fail(err, BL_INVALID,
			       "failed to parse PEM block containing the key");
	out_key->pkey = bl_pem_key(&pem);
	if (!out_key->pkey)
		return bl_fail(err, BL_INVALID, "no key of a known type: %.*s",
			       BL_STR_ARG(pem.type));
	if (bl_jws_key_fits(algorithm, out_key))
		return BL_OK;
	bl_key_free(out_key->pkey);
	return bl_fail(err, BL_INVALID,
		       "the key is not of the type that %s needs",
		       algorithm->name);
}

static enum bl_status find_algorithm(struct bl_str name,
				     const struct bl_jws_algorithm **out,
				     struct bl_error *err)
{
	*out = bl_jws_find(name);
	if (*out)
		return BL_OK;
	return bl_fail(err, BL_INVALID, "unknown signature algorithm: %.*s",
		       BL_STR_ARG(name));
}

/* The header as a token has it, with what is always in it. */
static struct bl_value complete(struct bl_arena *arena, struct bl_value header,
				struct bl_str algorithm)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, arena);
	for (size_t i = 0; i < bl_value_count(header); i++)
		bl_object_builder_add(&all,
				      bl_value_text(bl_object_key(header, i)),
				      bl_object_value(header, i));
	bl_object_builder_add(&all, BL_STR("alg"), bl_value_string(algorithm));
	bl_object_builder_add(&all, BL_STR("typ"),
			      bl_value_string(BL_STR("JWT")));
	return bl_object_builder_end(&all);
}

enum bl_status bl_rego_sign_token(struct bl_arena *arena,
				  const struct bl_rego_key *key,
				  struct bl_value header, struct bl_str payload,
				  struct bl_str *out_token,
				  struct bl_error *err)
{
	struct bl_builtin_state state = { 0 };
	struct bl_builtin_call call = { .arena = arena, .state = &state };
	const struct bl_jws_algorithm *how;
	struct bl_jwk read;
	struct bl_buf text;
	enum bl_status status = find_algorithm(key->algorithm, &how, err);

	header = complete(arena, header, key->algorithm);
	if (!status && !bl_value_is_defined(header))
		status = bl_arena_fail(arena, err);
	if (!status)
		status = read_key(&call, how, key->text, &read, err);
	if (status)
		return status;
	bl_buf_init(&text, 0);
	bl_go_json_put(&text, header);
	if (bl_buf_status(&text))
		status = bl_fail_memory(err);
	else if (bl_jwt_sign(&call, bl_buf_str(&text), payload, &read))
		*out_token = bl_value_text(call.result);
	else
		status = fault(&call, err);
	bl_buf_clear(&text);
	bl_key_free(read.pkey);
	return status;
}

enum bl_status bl_rego_verify_token(struct bl_arena *arena,
				    const struct bl_rego_key *key,
				    struct bl_str token,
				    struct bl_str *out_payload,
				    struct bl_error *err)
{
	struct bl_builtin_state state = { 0 };
	struct bl_builtin_call call = { .arena = arena, .state = &state };
	const struct bl_jws_algorithm *how;
	struct bl_jwk read;
	struct bl_jwt jwt;
	enum bl_status status = find_algorithm(key->algorithm, &how, err);

	if (status)
		return status;
	if (!bl_jwt_split(&call, token, &jwt) ||
	    !bl_jwt_read_header(&call, &jwt) ||
	    !bl_jwt_read_signature(&call, &jwt) ||
	    !bl_jwt_payload(&call, &jwt, out_payload))
		return fault(&call, err);
	status = read_key(&call, how, key->text, &read, err);
	if (status)
		return status;
	if (!bl_jws_verify(how, &read, jwt.signed_text, jwt.signature))
		status = bl_fail(err, BL_INVALID,
				 "failed to verify JWT signature: the key did "
				 "not make it by %s",
				 how->name);
	bl_key_free(read.pkey);
	return status;
}
