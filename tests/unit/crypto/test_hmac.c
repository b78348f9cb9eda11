/* SPDX-License-Identifier: Apache-2.0 */
/* lib/crypto/hmac.c with the test cases of RFC 4231. */
#include "base/hex.h"
#include "crypto/crypto.h"
#include "tap.h"

/* A text is bytes, or one byte over and over. */
struct piece {
	const char *text;
	char byte;
	size_t count;
};

static const struct {
	struct piece key;
	struct piece data;
	size_t digits; /* case 5 gives the first half only */
	const char *mac;
} cases[] = {
	{ { .byte = 0x0b, .count = 20 },
	  { .text = "Hi There" },
	  64,
	  "b0344c61d8db38535ca8afceaf0bf12b"
	  "881dc200c9833da726e9376c2e32cff7" },
	{ { .text = "Jefe" },
	  { .text = "what do ya want for nothing?" },
	  64,
	  "5bdcc146bf60754e6a042426089575c7"
	  "5a003f089d2739839dec58b964ec3843" },
	{ { .byte = (char)0xaa, .count = 20 },
	  { .byte = (char)0xdd, .count = 50 },
	  64,
	  "773ea91e36800e46854db8ebd09181a7"
	  "2959098b3ef8c122d9635514ced565fe" },
	{ { .text = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d"
		    "\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19" },
	  { .byte = (char)0xcd, .count = 50 },
	  64,
	  "82558a389a443c0ea4cc819899f2083a"
	  "85f0faa3e578f8077a2e3ff46729665b" },
	{ { .byte = 0x0c, .count = 20 },
	  { .text = "Test With Truncation" },
	  32,
	  "a3b6167473100ee06e0c796c2955552b" },
	{ { .byte = (char)0xaa, .count = 131 },
	  { .text = "Test Using Larger Than Block-Size Key - Hash Key First" },
	  64,
	  "60e431591ee0b67f0d8a26aacbf5b77f"
	  "8e0bc6213728c5140546040f0ee37f54" },
	{ { .byte = (char)0xaa, .count = 131 },
	  { .text = "This is a test using a larger than block-size key and a "
		    "larger than block-size data. The key needs to be hashed "
		    "before being used by the HMAC algorithm." },
	  64,
	  "9b09ffa71b942fcb27635fbcd5b0e944"
	  "bfdc63644f0713938a7f51535c3a35e2" },
};

static struct bl_str lay_out(const struct piece *piece, char *room)
{
	if (piece->text)
		return bl_str(piece->text);
	memset(room, piece->byte, piece->count);
	return (struct bl_str){ room, piece->count };
}

static void the_cases_of_rfc_4231(void)
{
	for (size_t i = 0; i < BL_COUNT(cases); i++) {
		char key[256];
		char data[256];
		char hex[BL_SHA256_HEX_BYTES];
		uint8_t mac[BL_SHA256_BYTES];
		struct bl_hmac_sha256 hmac;

		bl_hmac_sha256_init(&hmac, lay_out(&cases[i].key, key));
		bl_hmac_sha256_update(&hmac, lay_out(&cases[i].data, data));
		bl_hmac_sha256_end(&hmac, mac);
		bl_hex_encode(mac, sizeof(mac), hex);
		CHECK_STR(bl_str_slice(bl_str(hex), 0, cases[i].digits),
			  cases[i].mac);
	}
}

static void data_may_come_in_pieces(void)
{
	char key[256];
	char hex[BL_SHA256_HEX_BYTES];
	uint8_t mac[BL_SHA256_BYTES];
	struct bl_hmac_sha256 hmac;
	char room[256];
	struct bl_str data = lay_out(&cases[6].data, room);

	bl_hmac_sha256_init(&hmac, lay_out(&cases[6].key, key));
	for (size_t i = 0; i < data.len; i++)
		bl_hmac_sha256_update(&hmac, bl_str_slice(data, i, i + 1));
	bl_hmac_sha256_end(&hmac, mac);
	bl_hex_encode(mac, sizeof(mac), hex);
	CHECK_STR(bl_str(hex), cases[6].mac);
}

static void nothing_of_the_key_is_left(void)
{
	static const struct bl_hmac_sha256 wiped;
	struct bl_hmac_sha256 hmac;
	uint8_t mac[BL_SHA256_BYTES];

	memset(&hmac, 0x55, sizeof(hmac));
	bl_hmac_sha256_init(&hmac, BL_STR("key"));
	bl_hmac_sha256_end(&hmac, mac);
	CHECK(!memcmp(&hmac, &wiped, sizeof(hmac)));
}

int main(void)
{
	RUN(the_cases_of_rfc_4231);
	RUN(data_may_come_in_pieces);
	RUN(nothing_of_the_key_is_left);
	return tap_end();
}
