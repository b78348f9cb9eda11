/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.c: each line of the journal carries a digest of itself and of the
 * digest before it, so that a line that was changed, put in or taken out shows
 * (docs/formats/journal.md "The chain").
 *
 *   {"v":1,"id":"a"}  =>  {"v":1,"id":"a","chain":H}   H = sha256(P {"v":1,"id":"a"})
 *
 * where P is the digest of the line before, in its 64 digits, or nothing where
 * a chain begins.
 */
#include "base/hex.h"
#include "journal/private.h"

#define CHAIN_KEY ",\"chain\":\""
#define CHAIN_END "\"}"

enum { DIGITS = BL_SHA256_HEX_BYTES - 1 };

_Static_assert(BL_CHAIN_TAIL_BYTES ==
		       sizeof(CHAIN_KEY) - 1 + DIGITS + sizeof(CHAIN_END) - 1,
	       "the end of a line");

/* The digest of a line, here without its last brace, after the one before. */
static void digest(const char *before, struct bl_str body,
		   char out[BL_SHA256_HEX_BYTES])
{
	uint8_t bytes[BL_SHA256_BYTES];
	struct bl_sha256 sha;

	bl_sha256_init(&sha);
	bl_sha256_update(&sha, before, strlen(before));
	bl_sha256_update(&sha, body.ptr, body.len);
	bl_sha256_update(&sha, "}", 1);
	bl_sha256_end(&sha, bytes);
	bl_hex_encode(bytes, sizeof(bytes), out);
}

bool bl_chain_find(struct bl_str line, struct bl_chain *out_chain)
{
	size_t at;

	if (line.len < BL_CHAIN_TAIL_BYTES)
		return false;
	at = line.len - BL_CHAIN_TAIL_BYTES;
	if (memcmp(line.ptr + at, CHAIN_KEY, sizeof(CHAIN_KEY) - 1) != 0 ||
	    !bl_str_has_suffix(line, BL_STR(CHAIN_END)))
		return false;
	memcpy(out_chain->digest, line.ptr + at + sizeof(CHAIN_KEY) - 1,
	       DIGITS);
	out_chain->digest[DIGITS] = '\0';
	return true;
}

void bl_chain_put_room(struct bl_buf *out)
{
	static const char room[] = CHAIN_KEY "0000000000000000"
					     "0000000000000000"
					     "0000000000000000"
					     "0000000000000000" CHAIN_END;

	bl_buf_puts(out, room);
}

void bl_chain_fill(char *lines, size_t len, struct bl_chain *chain)
{
	char *end;

	for (char *line = lines; line < lines + len; line = end + 1) {
		char *link;

		end = memchr(line, '\n', (size_t)(lines + len - line));
		if (!end)
			return;
		link = end - BL_CHAIN_TAIL_BYTES;
		digest(chain->digest,
		       (struct bl_str){ line, (size_t)(link - line) },
		       chain->digest);
		memcpy(link + sizeof(CHAIN_KEY) - 1, chain->digest, DIGITS);
	}
}

bool bl_chain_holds(const struct bl_chain *before, struct bl_str line)
{
	struct bl_chain said;
	char found[BL_SHA256_HEX_BYTES];

	if (!bl_chain_find(line, &said))
		return false;
	digest(before->digest,
	       bl_str_slice(line, 0, line.len - BL_CHAIN_TAIL_BYTES), found);
	return memcmp(found, said.digest, sizeof(found)) == 0;
}
