/* SPDX-License-Identifier: Apache-2.0 */
#include "base/seal.h"

#include <string.h>

#include "tap.h"

enum { FROM = 24, TO = FROM + 3 * BL_SEAL_BLOCK_BYTES + 5 };

static char bytes[TO + 8];
static uint64_t sums[4];
static const struct bl_seal seal = {
	.base = bytes, .from = FROM, .to = TO, .sums = sums
};

static void begin(void)
{
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	bl_seal_make(&seal, sums);
}

static void counts(void)
{
	CHECK_INT(bl_seal_count(FROM, FROM), 0);
	CHECK_INT(bl_seal_count(FROM, FROM + 1), 1);
	CHECK_INT(bl_seal_count(FROM, FROM + BL_SEAL_BLOCK_BYTES), 1);
	CHECK_INT(bl_seal_count(FROM, TO), 4);
}

static void outside(void)
{
	begin();
	CHECK(bl_seal_holds(&seal, NULL, FROM, TO - FROM));
	CHECK(bl_seal_holds(&seal, NULL, TO, 0));
	CHECK(!bl_seal_holds(&seal, NULL, FROM - 1, 2));
	CHECK(!bl_seal_holds(&seal, NULL, TO - 1, 2));
	CHECK(!bl_seal_holds(&seal, NULL, TO + 1, 0));
	CHECK(!bl_seal_holds(&seal, NULL, FROM, UINT64_MAX));
	CHECK(!bl_seal_holds(&seal, NULL, UINT64_MAX, 2));
}

/* Each byte is missed by the block that it is in, and by no other. */
static void broken(void)
{
	begin();
	for (size_t i = FROM; i < TO; i++) {
		size_t block = (i - FROM) / BL_SEAL_BLOCK_BYTES;

		bytes[i] ^= 1;
		for (size_t j = 0; j < 4; j++)
			if (bl_seal_holds(&seal, NULL,
					  FROM + j * BL_SEAL_BLOCK_BYTES,
					  5) == (j == block)) {
				CHECK_INT(i, -1);
				return;
			}
		bytes[i] ^= 1;
	}
	bytes[FROM + BL_SEAL_BLOCK_BYTES] ^= 1;
	CHECK(!bl_seal_holds(&seal, NULL, FROM + BL_SEAL_BLOCK_BYTES - 1, 2));
	CHECK(bl_seal_holds(&seal, NULL, FROM, BL_SEAL_BLOCK_BYTES));
}

/* A sealed file found whole is not checked again; a broken one is. */
static void known(void)
{
	uint8_t bits[1] = { 0 };

	begin();
	CHECK(bl_seal_holds(&seal, bits, FROM + BL_SEAL_BLOCK_BYTES, 1));
	CHECK_INT(bits[0], 2);
	bytes[FROM] ^= 1;
	CHECK(!bl_seal_holds(&seal, bits, FROM, 1));
	CHECK_INT(bits[0], 2);
	bytes[FROM] ^= 1;
	CHECK(bl_seal_holds(&seal, bits, FROM, TO - FROM));
	CHECK_INT(bits[0], 15);
}

int main(void)
{
	RUN(counts);
	RUN(outside);
	RUN(broken);
	RUN(known);
	return tap_end();
}
