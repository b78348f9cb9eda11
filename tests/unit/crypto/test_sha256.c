/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hex.h"
#include "tap.h"

#include <stdlib.h>

#include "crypto/crypto.h"

/* NIST's examples for FIPS 180-4 (csrc.nist.gov, SHA256.pdf, SHA2_Additional).
 */
static const struct {
	const char *text;
	const char *digest;
} examples[] = {
	{ "", "e3b0c44298fc1c149afbf4c8996fb924"
	      "27ae41e4649b934ca495991b7852b855" },
	{ "abc", "ba7816bf8f01cfea414140de5dae2223"
		 "b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
	  "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

static void nist_examples(void)
{
	for (size_t i = 0; i < BL_COUNT(examples); i++) {
		char hex[BL_SHA256_HEX_BYTES];

		bl_sha256_hex(bl_str(examples[i].text), hex);
		CHECK_STR(bl_str(hex), examples[i].digest);
	}
}

static void million_letters_in_pieces(void)
{
	static const size_t steps[] = { 1, 3, 63, 64, 65, 127, 1000 };
	char *text = malloc(1000000);

	REQUIRE(text);
	memset(text, 'a', 1000000);
	for (size_t i = 0; i < BL_COUNT(steps); i++) {
		struct bl_sha256 sha;
		uint8_t digest[BL_SHA256_BYTES];
		char hex[BL_SHA256_HEX_BYTES];

		bl_sha256_init(&sha);
		for (size_t at = 0; at < 1000000; at += steps[i]) {
			size_t left = 1000000 - at;

			bl_sha256_update(&sha, text + at,
					 left < steps[i] ? left : steps[i]);
			bl_sha256_update(&sha, NULL, 0);
		}
		bl_sha256_end(&sha, digest);
		bl_hex_encode(digest, sizeof(digest), hex);
		CHECK_STR(bl_str(hex), "cdc76e5c9914fb9281a1c7e284d73e67"
				       "f1809a48a497200e046d39ccc7112cd0");
	}
	free(text);
}

/* The lengths around the padding's borders, against coreutils. */
static void lengths_against_sha256sum(void)
{
	static const int lengths[] = { 1,   54,  55,  56,  57,  63,
				       64,  65,  111, 119, 120, 127,
				       128, 129, 183, 184, 4096 };
	static char zeros[4096];

	for (size_t i = 0; i < BL_COUNT(lengths); i++) {
		char command[80], expected[65] = "";
		char hex[BL_SHA256_HEX_BYTES];
		FILE *tool;

		snprintf(command, sizeof(command),
			 "head -c %d /dev/zero | sha256sum", lengths[i]);
		tool = popen(command, "r");
		REQUIRE(tool);
		REQUIRE(fgets(expected, sizeof(expected), tool));
		pclose(tool);
		bl_sha256_hex((struct bl_str){ zeros, (size_t)lengths[i] },
			      hex);
		CHECK_STR(bl_str(hex), expected);
	}
}

static void hex_digits(void)
{
	static const uint8_t data[] = { 0x00, 0x0f, 0xf0, 0xff, 0xa5 };
	char text[2 * sizeof(data) + 2];

	memset(text, '?', sizeof(text));
	bl_hex_encode(data, sizeof(data), text);
	CHECK_STR(bl_str(text), "000ff0ffa5");
	CHECK(text[2 * sizeof(data) + 1] == '?');
	bl_hex_encode(NULL, 0, text);
	CHECK_STR(bl_str(text), "");
}

int main(void)
{
	RUN(nist_examples);
	RUN(million_letters_in_pieces);
	RUN(lengths_against_sha256sum);
	RUN(hex_digits);
	return tap_end();
}
