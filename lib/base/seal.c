/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums over the parts of an image, as it is written and as it is read. */
#include "base/seal.h"

#include "base/checksum.h"

static uint64_t sum_of(const struct bl_seal *seal, size_t block)
{
	size_t at = seal->from + block * BL_SEAL_BLOCK_BYTES;
	size_t len = seal->to - at;

	return bl_checksum(seal->base + at, len < BL_SEAL_BLOCK_BYTES
						    ? len
						    : BL_SEAL_BLOCK_BYTES);
}

void bl_seal_make(const struct bl_seal *seal, uint64_t *sums)
{
	for (size_t i = 0; i < bl_seal_count(seal->from, seal->to); i++)
		sums[i] = sum_of(seal, i);
}

bool bl_seal_check(const struct bl_seal *seal, uint8_t *known, uint64_t at,
		   uint64_t bytes)
{
	size_t first, last;

	if (at < seal->from || at > seal->to || bytes > seal->to - at)
		return false;
	if (!bytes)
		return true;
	first = (at - seal->from) / BL_SEAL_BLOCK_BYTES;
	last = (at + bytes - 1 - seal->from) / BL_SEAL_BLOCK_BYTES;
	for (size_t i = first; i <= last; i++) {
		uint8_t bit = (uint8_t)(1u << i % 8);

		if (known && known[i / 8] & bit)
			continue;
		if (sum_of(seal, i) != seal->sums[i])
			return false;
		if (known)
			known[i / 8] |= bit;
	}
	return true;
}
