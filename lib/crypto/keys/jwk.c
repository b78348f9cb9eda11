/* SPDX-License-Identifier: Apache-2.0 */
/* crypto/keys/jwk.c: JSON Web Keys (RFC 7517, 7518, 8037). */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include "crypto/keys/private.h"

enum { MAX_KEY_BYTES = 8192 };

/* A JWK's members and libcrypto's names for them. */
struct number_name {
	const char *jwk;
	const char *param;
};

static const struct number_name rsa_numbers[] = {
	{ "n", OSSL_PKEY_PARAM_RSA_N },
	{ "e", OSSL_PKEY_PARAM_RSA_E },
	{ "d", OSSL_PKEY_PARAM_RSA_D },
	{ "p", OSSL_PKEY_PARAM_RSA_FACTOR1 },
	{ "q", OSSL_PKEY_PARAM_RSA_FACTOR2 },
	{ "dp", OSSL_PKEY_PARAM_RSA_EXPONENT1 },
	{ "dq", OSSL_PKEY_PARAM_RSA_EXPONENT2 },
	{ "qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1 },
};

struct curve {
	const char *jwk;
	const char *group;
	size_t bytes; /* of a coordinate */
};

static const struct curve curves[] = {
	{ "P-256", "prime256v1", 32 },
	{ "P-384", "secp384r1", 48 },
	{ "P-521", "secp521r1", 66 },
};

static const char *const algorithms[] = {
	"HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256",
	"PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA",
};

/* The bytes of a base64url member; false when it is missing or bad. */
static bool member_bytes(struct bl_arena *arena, struct bl_value jwk,
			 const char *name, struct bl_str *out)
{
	struct bl_value member = bl_object_find(jwk, bl_str(name));
	size_t offset;

	if (!bl_value_is(member, BL_KIND_STRING))
		return false;
	return bl_base64url_bytes(arena, bl_value_text(member), out, &offset) &&
	       out->len <= MAX_KEY_BYTES;
}

/* A key of what bld holds; bld is freed. */
static EVP_PKEY *key_from(const char *type, OSSL_PARAM_BLD *bld, bool private)
{
	OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(bld);
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
	EVP_PKEY *key = NULL;
	int selection = private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;

	if (!params || !context || EVP_PKEY_fromdata_init(context) != 1 ||
	    EVP_PKEY_fromdata(context, &key, selection, params) != 1)
		key = NULL;
	EVP_PKEY_CTX_free(context);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(bld);
	return key;
}

static EVP_PKEY *read_rsa(struct bl_arena *arena, struct bl_value jwk)
{
	OSSL_PARAM_BLD *bld = OSSL_PARAM_BLD_new();
	BIGNUM *numbers[BL_COUNT(rsa_numbers)] = { 0 };
	EVP_PKEY *key = NULL;
	size_t count = 0;

	for (; bld && count < BL_COUNT(rsa_numbers); count++) {
		struct bl_str bytes;

		if (!member_bytes(arena, jwk, rsa_numbers[count].jwk, &bytes))
			break;
		numbers[count] = BN_bin2bn((const unsigned char *)bytes.ptr,
					   (int)bytes.len, NULL);
		if (!OSSL_PARAM_BLD_push_BN(bld, rsa_numbers[count].param,
					    numbers[count]))
			break;
	}
	/* A public key has n and e, a private one d and maybe the rest. */
	if (count >= 2)
		key = key_from("RSA", bld, count > 2);
	else
		OSSL_PARAM_BLD_free(bld);
	for (size_t i = 0; i < BL_COUNT(numbers); i++)
		BN_clear_free(numbers[i]);
	return key;
}

static const struct curve *find_curve(struct bl_str name)
{
	for (size_t i = 0; i < BL_COUNT(curves); i++) {
		if (bl_str_is(name, curves[i].jwk))
			return &curves[i];
	}
	return NULL;
}

/* Right-aligns bytes in width places of to. */
static bool align(struct bl_str bytes, unsigned char *to, size_t width)
{
	while (bytes.len > width && !*bytes.ptr)
		bytes = bl_str_slice(bytes, 1, SIZE_MAX);
	if (bytes.len > width)
		return false;
	memset(to, 0, width - bytes.len);
	memcpy(to + width - bytes.len, bytes.ptr, bytes.len);
	return true;
}

static EVP_PKEY *read_ec(struct bl_arena *arena, struct bl_value jwk)
{
	const struct curve *curve =
		find_curve(bl_value_text(bl_object_find(jwk, BL_STR("crv"))));
	unsigned char point[1 + 2 * 66] = { 4 }; /* uncompressed */
	BIGNUM *secret = NULL;
	OSSL_PARAM_BLD *bld;
	struct bl_str x;
	struct bl_str y;
	struct bl_str d;
	EVP_PKEY *key;
	bool ok;

	if (!curve || !member_bytes(arena, jwk, "x", &x) ||
	    !member_bytes(arena, jwk, "y", &y) ||
	    !align(x, point + 1, curve->bytes) ||
	    !align(y, point + 1 + curve->bytes, curve->bytes))
		return NULL;
	bld = OSSL_PARAM_BLD_new();
	ok = bld &&
	     OSSL_PARAM_BLD_push_utf8_string(bld, OSSL_PKEY_PARAM_GROUP_NAME,
					     curve->group, 0) &&
	     OSSL_PARAM_BLD_push_octet_string(bld, OSSL_PKEY_PARAM_PUB_KEY,
					      point, 1 + 2 * curve->bytes);
	if (ok && member_bytes(arena, jwk, "d", &d)) {
		secret = BN_bin2bn((const unsigned char *)d.ptr, (int)d.len,
				   NULL);
		ok = OSSL_PARAM_BLD_push_BN(bld, OSSL_PKEY_PARAM_PRIV_KEY,
					    secret);
	}
	if (!ok) {
		OSSL_PARAM_BLD_free(bld);
		bld = NULL;
	}
	key = bld ? key_from("EC", bld, secret != NULL) : NULL;
	BN_clear_free(secret);
	return key;
}

static EVP_PKEY *read_okp(struct bl_arena *arena, struct bl_value jwk)
{
	struct bl_str bytes;

	if (!bl_str_is(bl_value_text(bl_object_find(jwk, BL_STR("crv"))),
		       "Ed25519"))
		return NULL;
	if (member_bytes(arena, jwk, "d", &bytes))
		return EVP_PKEY_new_raw_private_key(
			EVP_PKEY_ED25519, NULL,
			(const unsigned char *)bytes.ptr, bytes.len);
	if (!member_bytes(arena, jwk, "x", &bytes))
		return NULL;
	return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL,
					   (const unsigned char *)bytes.ptr,
					   bytes.len);
}

static bool read_key(struct bl_arena *arena, struct bl_value jwk,
		     struct bl_jwk *out, const char **reason)
{
	static const struct {
		const char *kty;
		EVP_PKEY *(*read)(struct bl_arena *, struct bl_value);
	} kinds[] = { { "RSA", read_rsa },
		      { "EC", read_ec },
		      { "OKP", read_okp } };
	struct bl_str kty = bl_value_text(bl_object_find(jwk, BL_STR("kty")));

	*out = (struct bl_jwk){
		.kid = bl_value_text(bl_object_find(jwk, BL_STR("kid"))),
		.alg = bl_value_text(bl_object_find(jwk, BL_STR("alg"))),
	};
	*reason = "invalid or incomplete key";
	if (bl_str_is(kty, "oct"))
		return member_bytes(arena, jwk, "k", &out->secret);
	for (size_t i = 0; i < BL_COUNT(kinds); i++) {
		if (!bl_str_is(kty, kinds[i].kty))
			continue;
		out->pkey = kinds[i].read(arena, jwk);
		return out->pkey != NULL;
	}
	*reason = "invalid key type";
	return false;
}

static bool is_known_algorithm(struct bl_str alg)
{
	for (size_t i = 0; i < BL_COUNT(algorithms); i++) {
		if (bl_str_is(alg, algorithms[i]))
			return true;
	}
	return false;
}

bool bl_jwks_read(struct bl_arena *arena, struct bl_value jwk,
		  struct bl_jwks *out, const char **reason)
{
	struct bl_value set = bl_object_find(jwk, BL_STR("keys"));
	size_t count = bl_value_count(set);

	out->count = 0;
	*reason = "not a JSON object";
	if (!bl_value_is(jwk, BL_KIND_OBJECT))
		return false;
	if (!bl_value_is(set, BL_KIND_ARRAY)) {
		if (!read_key(arena, jwk, &out->keys[0], reason))
			return false;
		out->count = 1;
		return true;
	}
	*reason = "too many keys";
	if (count > BL_JWK_MAX_KEYS)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct bl_value key = bl_value_item(set, i);
		struct bl_value alg = bl_object_find(key, BL_STR("alg"));

		if (bl_value_is_defined(alg) &&
		    !is_known_algorithm(bl_value_text(alg)))
			continue;
		if (!read_key(arena, key, &out->keys[out->count], reason)) {
			bl_jwks_clear(out);
			return false;
		}
		out->count++;
	}
	return true;
}

void bl_jwks_clear(struct bl_jwks *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		EVP_PKEY_free(keys->keys[i].pkey);
	keys->count = 0;
}

struct bl_value bl_jwk_of_rsa(struct bl_arena *arena, const EVP_PKEY *pkey)
{
	unsigned char bytes[MAX_KEY_BYTES];
	struct bl_object_builder object;

	if (!EVP_PKEY_is_a(pkey, "RSA"))
		return bl_value_undefined();
	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("kty"),
			      bl_value_string(BL_STR("RSA")));
	for (size_t i = 0; i < BL_COUNT(rsa_numbers); i++) {
		BIGNUM *number = NULL;
		struct bl_buf text;

		if (!EVP_PKEY_get_bn_param(pkey, rsa_numbers[i].param, &number))
			continue;
		bl_buf_init(&text, 0);
		if (BN_num_bytes(number) <= MAX_KEY_BYTES) {
			size_t len = (size_t)BN_bn2bin(number, bytes);

			bl_base64_put(
				&text,
				(struct bl_str){ (const char *)bytes, len },
				BL_BASE64_URL | BL_BASE64_NO_PAD);
		}
		bl_object_builder_add(&object, bl_str(rsa_numbers[i].jwk),
				      bl_key_text(arena, bl_buf_str(&text)));
		bl_buf_clear(&text);
		BN_clear_free(number);
	}
	return bl_object_builder_end(&object);
}
