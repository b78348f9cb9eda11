/* SPDX-License-Identifier: Apache-2.0 */
/* A checksum against accidents, for images: fast, and no signature. */
#include "base/checksum.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* Odd, with their bits well spread: each lane begins with one of its own. */
static const uint64_t keys[8] = {
	UINT64_C(0x9E3779B97F4A7C15), UINT64_C(0xC2B2AE3D27D4EB4F),
	UINT64_C(0x165667B19E3779F9), UINT64_C(0xD6E8FEB86659FD93),
	UINT64_C(0xA0761D6478BD642F), UINT64_C(0xE7037ED1A0B428DB),
	UINT64_C(0x8EBC6AF09C88C6E3), UINT64_C(0x589965CC75374CC3),
};

/* Each bit of the product depends on bits of both; none of it is thrown away. */
static inline uint64_t fold(uint64_t a, uint64_t b)
{
	wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Sixteen bytes into a lane. */
static inline uint64_t take(uint64_t lane, const char *bytes, uint64_t key)
{
	uint64_t words[2];

	memcpy(words, bytes, sizeof(words));
	return fold(lane ^ words[0], key ^ words[1]);
}

/* Lanes that do not wait for each other keep the multiplier busy. */
uint64_t bl_checksum(const void *data, size_t len)
{
	const char *bytes = data;
	uint64_t a = keys[0], b = keys[1], c = keys[2], d = keys[3];
	char rest[64] = { 0 };
	size_t left = len;

	for (; left >= sizeof(rest); left -= sizeof(rest)) {
		a = take(a, bytes, keys[4]);
		b = take(b, bytes + 16, keys[5]);
		c = take(c, bytes + 32, keys[6]);
		d = take(d, bytes + 48, keys[7]);
		bytes += sizeof(rest);
	}
	if (left) {
		memcpy(rest, bytes, left);
		a = take(a, rest, keys[4]);
		b = take(b, rest + 16, keys[5]);
		c = take(c, rest + 32, keys[6]);
		d = take(d, rest + 48, keys[7]);
	}
	return fold(fold(a ^ len, b ^ keys[4]), fold(c ^ keys[5], d ^ keys[6]));
}
