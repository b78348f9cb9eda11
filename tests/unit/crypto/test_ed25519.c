/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lib/crypto/ed25519.c and ed25519_key.c with the vectors of RFC 8032, section
 * 7.1, and the eight points of small order.
 */
#include "base/hex.h"
#include "crypto/crypto.h"
#include "tap.h"

static const struct {
	const char *secret;
	const char *public;
	const char *text;
	const char *signature;
} vectors[] = {
	{ "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
	  "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
	  "",
	  "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
	  "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b" },
	{ "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
	  "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
	  "72",
	  "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
	  "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00" },
	{ "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
	  "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
	  "af82",
	  "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
	  "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a" },
};

static void unhex(const char *digits, uint8_t *out, size_t len)
{
	CHECK(bl_hex_decode(bl_str(digits), out, len));
}

static void the_vectors(void)
{
	for (size_t i = 0; i < BL_COUNT(vectors); i++) {
		struct bl_ed25519_secret secret;
		struct bl_ed25519_public key, expected;
		struct bl_ed25519_signature signature, wanted;
		uint8_t bytes[8];
		struct bl_str text = { (const char *)bytes,
				       strlen(vectors[i].text) / 2 };

		unhex(vectors[i].secret, secret.bytes, 32);
		unhex(vectors[i].public, expected.bytes, 32);
		unhex(vectors[i].signature, wanted.bytes, 64);
		unhex(vectors[i].text, bytes, text.len);
		CHECK_STATUS(bl_ed25519_public_of(&secret, &key, NULL), BL_OK);
		CHECK(!memcmp(key.bytes, expected.bytes, 32));
		CHECK_STATUS(bl_ed25519_sign(&secret, text, &signature, NULL),
			     BL_OK);
		CHECK(!memcmp(signature.bytes, wanted.bytes, 64));
		CHECK(bl_ed25519_verify(&key, text, &signature));
		signature.bytes[i] ^= 1;
		CHECK(!bl_ed25519_verify(&key, text, &signature));
		signature.bytes[i] ^= 1;
		CHECK(!bl_ed25519_verify(&key, BL_STR("other"), &signature));
	}
}

static void new_keys_differ(void)
{
	struct bl_ed25519_secret one, two, zero = { { 0 } };
	struct bl_ed25519_public a, b;
	struct bl_ed25519_signature signature;

	CHECK_STATUS(bl_ed25519_generate(&one, &a, NULL), BL_OK);
	CHECK_STATUS(bl_ed25519_generate(&two, &b, NULL), BL_OK);
	CHECK(memcmp(one.bytes, two.bytes, 32));
	CHECK(memcmp(a.bytes, b.bytes, 32));
	CHECK_STATUS(bl_ed25519_sign(&one, BL_STR("x"), &signature, NULL),
		     BL_OK);
	CHECK(bl_ed25519_verify(&a, BL_STR("x"), &signature));
	CHECK(!bl_ed25519_verify(&b, BL_STR("x"), &signature));
	bl_ed25519_wipe(&one);
	CHECK(!memcmp(one.bytes, zero.bytes, 32));
}

/* The eight points, and the forms with y >= p of those that have one. */
static const char *const refused[] = {
	"0100000000000000000000000000000000000000000000000000000000000000",
	"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"0000000000000000000000000000000000000000000000000000000000000000",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
	"edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
	"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
};

static void weak_keys_are_refused(void)
{
	struct bl_ed25519_signature zero = { { 0 } };
	struct bl_ed25519_public key;

	for (size_t i = 0; i < BL_COUNT(refused); i++) {
		unhex(refused[i], key.bytes, 32);
		CHECK_STATUS(bl_ed25519_check_key(&key, NULL), BL_INVALID);
		CHECK(!bl_ed25519_verify(&key, BL_STR("x"), &zero));
	}
	/* R = the identity, S = 0: by the identity's key anything is signed. */
	zero.bytes[0] = 1;
	unhex(refused[0], key.bytes, 32);
	CHECK(!bl_ed25519_verify(&key, BL_STR("x"), &zero));
	unhex(vectors[0].public, key.bytes, 32);
	CHECK_STATUS(bl_ed25519_check_key(&key, NULL), BL_OK);
}

static void only_its_own_digits_are_hex(void)
{
	uint8_t out[2];

	CHECK(bl_hex_decode(BL_STR("0aff"), out, 2));
	CHECK(out[0] == 0x0a && out[1] == 0xff);
	CHECK(!bl_hex_decode(BL_STR("0aFF"), out, 2));
	CHECK(!bl_hex_decode(BL_STR("0af"), out, 2));
	CHECK(!bl_hex_decode(BL_STR("0aff0"), out, 2));
	CHECK(!bl_hex_decode(BL_STR("0xff"), out, 2));
}

int main(void)
{
	RUN(the_vectors);
	RUN(new_keys_differ);
	RUN(weak_keys_are_refused);
	RUN(only_its_own_digits_are_hex);
	return tap_end();
}
