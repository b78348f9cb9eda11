/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 as in FIPS 180-4, section 6.2. Our own, as the static program chains
 * the log with it and links nothing.
 */
#include "base/hex.h"
#include "crypto/crypto.h"

static const uint32_t first_state[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned by)
{
	return x >> by | x << (32 - by);
}

static uint32_t load(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
	       (uint32_t)at[2] << 8 | at[3];
}

static void store(uint8_t *at, uint32_t x)
{
	at[0] = (uint8_t)(x >> 24);
	at[1] = (uint8_t)(x >> 16);
	at[2] = (uint8_t)(x >> 8);
	at[3] = (uint8_t)x;
}

/*
 * The next word of the message schedule in place of word i, in a window of
 * 16 (the indices are constants once the calls are expanded).
 */
static inline uint32_t extend(uint32_t w[16], unsigned i)
{
	uint32_t w2 = w[(i + 14) % 16];
	uint32_t w15 = w[(i + 1) % 16];

	w[i] += (rotate(w2, 17) ^ rotate(w2, 19) ^ w2 >> 10) + w[(i + 9) % 16] +
		(rotate(w15, 7) ^ rotate(w15, 18) ^ w15 >> 3);
	return w[i];
}

/*
 * One round.  The eight working variables do not move: they are renamed from
 * round to round, and after eight rounds the names are back.
 */
#define ROUND(a, b, c, d, e, f, g, h, word, constant)                          \
	do {                                                                   \
		uint32_t t = (h) + (constant) + (word) +                       \
			     (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +  \
			     ((g) ^ ((e) & ((f) ^ (g))));                      \
		(d) += t;                                                      \
		(h) = t + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +     \
		      (((a) & (b)) | ((c) & ((a) | (b))));                     \
	} while (0)

/* Eight rounds from round i on; word(j) is the schedule's word for i + j. */
#define EIGHT_ROUNDS(word, k)                                                  \
	do {                                                                   \
		ROUND(a, b, c, d, e, f, g, h, word(0), (k)[0]);                \
		ROUND(h, a, b, c, d, e, f, g, word(1), (k)[1]);                \
		ROUND(g, h, a, b, c, d, e, f, word(2), (k)[2]);                \
		ROUND(f, g, h, a, b, c, d, e, word(3), (k)[3]);                \
		ROUND(e, f, g, h, a, b, c, d, word(4), (k)[4]);                \
		ROUND(d, e, f, g, h, a, b, c, word(5), (k)[5]);                \
		ROUND(c, d, e, f, g, h, a, b, word(6), (k)[6]);                \
		ROUND(b, c, d, e, f, g, h, a, word(7), (k)[7]);                \
	} while (0)

#define LOW_WORD(j)       (w[j])
#define HIGH_WORD(j)      (w[(j) + 8])
#define NEXT_LOW_WORD(j)  extend(w, j)
#define NEXT_HIGH_WORD(j) extend(w, (j) + 8)

static void compress_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[16];
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

	for (unsigned i = 0; i < 16; i++)
		w[i] = load(block + 4 * (size_t)i);
	EIGHT_ROUNDS(LOW_WORD, round_constants);
	EIGHT_ROUNDS(HIGH_WORD, round_constants + 8);
	for (unsigned i = 16; i < 64; i += 16) {
		EIGHT_ROUNDS(NEXT_LOW_WORD, round_constants + i);
		EIGHT_ROUNDS(NEXT_HIGH_WORD, round_constants + i + 8);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void bl_sha256_init(struct bl_sha256 *sha)
{
	memcpy(sha->state, first_state, sizeof(sha->state));
	sha->total_bytes = 0;
}

void bl_sha256_update(struct bl_sha256 *sha, const void *data, size_t len)
{
	const uint8_t *at = data;
	size_t held = (size_t)(sha->total_bytes % sizeof(sha->block));

	sha->total_bytes += len;
	if (held) {
		size_t piece = sizeof(sha->block) - held;

		if (piece > len)
			piece = len;
		if (piece)
			memcpy(sha->block + held, at, piece);
		if (held + piece < sizeof(sha->block))
			return;
		compress_block(sha->state, sha->block);
		at += piece;
		len -= piece;
	}
	for (; len >= sizeof(sha->block); len -= sizeof(sha->block)) {
		compress_block(sha->state, at);
		at += sizeof(sha->block);
	}
	if (len)
		memcpy(sha->block, at, len);
}

void bl_sha256_end(struct bl_sha256 *sha, uint8_t out[BL_SHA256_BYTES])
{
	uint64_t bits = sha->total_bytes * 8;
	size_t held = (size_t)(sha->total_bytes % sizeof(sha->block));

	sha->block[held++] = 0x80;
	if (held > 56) {
		memset(sha->block + held, 0, sizeof(sha->block) - held);
		compress_block(sha->state, sha->block);
		held = 0;
	}
	memset(sha->block + held, 0, 56 - held);
	store(sha->block + 56, (uint32_t)(bits >> 32));
	store(sha->block + 60, (uint32_t)bits);
	compress_block(sha->state, sha->block);
	for (int i = 0; i < 8; i++)
		store(out + 4 * i, sha->state[i]);
}

void bl_sha256_hex(struct bl_str text, char out[BL_SHA256_HEX_BYTES])
{
	struct bl_sha256 sha;
	uint8_t digest[BL_SHA256_BYTES];

	bl_sha256_init(&sha);
	bl_sha256_update(&sha, text.ptr, text.len);
	bl_sha256_end(&sha, digest);
	bl_hex_encode(digest, sizeof(digest), out);
}
