/* SPDX-License-Identifier: Apache-2.0 */
#include "base/checksum.h"

#include <string.h>

uint64_t bl_checksum(const void *data, size_t len)
{
	const char *bytes = data;
	uint64_t lanes[4] = { 1, 2, 3, 4 };
	uint64_t word[4];
	uint64_t h = len;

	for (; len >= sizeof(word); len -= sizeof(word)) {
		memcpy(word, bytes, sizeof(word));
		bytes += sizeof(word);
		for (int i = 0; i < 4; i++) {
			lanes[i] = (lanes[i] ^ word[i]) *
				   UINT64_C(0x9E3779B97F4A7C15);
			lanes[i] ^= lanes[i] >> 29;
		}
	}
	memset(word, 0, sizeof(word));
	if (len)
		memcpy(word, bytes, len);
	for (int i = 0; i < 4; i++) {
		h = (h ^ lanes[i] ^ word[i]) * UINT64_C(0xC2B2AE3D27D4EB4F);
		h ^= h >> 32;
	}
	return h;
}
