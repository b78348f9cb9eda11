/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/seal.h: checksums of a file's blocks, so that a reader checks what it
 * uses and leaves the rest of the file alone.  Memory is what costs: bytes that
 * nobody looks at need not even be fetched.
 *
 * A seal finds what a crash or a disk did, as base/checksum.h says.
 */
#ifndef BELAY_BASE_SEAL_H
#define BELAY_BASE_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Small enough that a record alone does not cost a page. */
enum { BL_SEAL_BLOCK_BYTES = 512 };

/* Of the bytes from `from` up to `to`, both counted from base. */
struct bl_seal {
	const char *base;
	size_t from;
	size_t to;
	const uint64_t *sums; /* of each block; checked by whoever opened it */
};

static inline size_t bl_seal_count(size_t from, size_t to)
{
	return (to - from) / BL_SEAL_BLOCK_BYTES +
	       ((to - from) % BL_SEAL_BLOCK_BYTES != 0);
}

/* Computes the sums: bl_seal_count of them. */
void bl_seal_make(const struct bl_seal *seal, uint64_t *sums);

/* The slow path of bl_seal_holds. */
bool bl_seal_check(const struct bl_seal *seal, uint8_t *known, uint64_t at,
		   uint64_t bytes);

/*
 * Are the bytes from `at` on inside of the seal, and unbroken?  known has a bit
 * for each block that was found so before; NULL: nothing is remembered.
 */
static inline bool bl_seal_holds(const struct bl_seal *seal, uint8_t *known,
				 uint64_t at, uint64_t bytes)
{
	uint64_t from = at - seal->from;
	uint64_t block = from / BL_SEAL_BLOCK_BYTES;

	/* Most pieces are small, and of a block that others are of, too. */
	if (known && at >= seal->from && bytes - 1 < BL_SEAL_BLOCK_BYTES &&
	    at <= seal->to && bytes <= seal->to - at &&
	    (from + bytes - 1) / BL_SEAL_BLOCK_BYTES == block &&
	    known[block / 8] >> block % 8 & 1)
		return true;
	return bl_seal_check(seal, known, at, bytes);
}

#endif
