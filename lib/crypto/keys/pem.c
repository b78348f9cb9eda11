/* SPDX-License-Identifier: Apache-2.0 */
/* crypto/keys/pem.c: PEM blocks, as Go's encoding/pem finds them: text alone. */
#include "crypto/keys/private.h"

/* Bytes that out holds, in the arena. */
static bool into_arena(struct bl_arena *arena, struct bl_buf *out,
		       struct bl_str *result)
{
	bool ok = !bl_buf_status(out);

	if (ok) {
		*result = bl_arena_copy_str(arena, bl_buf_str(out));
		ok = result->ptr != NULL;
	}
	bl_buf_clear(out);
	return ok;
}

bool bl_base64url_bytes(struct bl_arena *arena, struct bl_str text,
			struct bl_str *out, size_t *out_offset)
{
	bool padded = bl_str_has_suffix(text, BL_STR("="));
	struct bl_buf bytes;

	*out_offset = SIZE_MAX;
	if (!padded && text.len % 4 == 1)
		return false;
	bl_buf_init(&bytes, 0);
	if (bl_base64_decode(&bytes, text,
			     padded ? BL_BASE64_URL
				    : BL_BASE64_URL | BL_BASE64_NO_PAD,
			     out_offset))
		return into_arena(arena, &bytes, out);
	bl_buf_clear(&bytes);
	return false;
}

/* Is there "-----WORD " at a line start?  Returns where the type begins. */
static size_t find_mark(struct bl_str text, struct bl_str mark, size_t from)
{
	for (;;) {
		size_t at = bl_str_find(text, mark, from);

		if (at == SIZE_MAX)
			return SIZE_MAX;
		if (at == 0 || text.ptr[at - 1] == '\n')
			return at + mark.len;
		from = at + 1;
	}
}

/* The line that starts at from, without its end; *next is after it. */
static struct bl_str line_at(struct bl_str text, size_t from, size_t *next)
{
	size_t end = bl_str_find(text, BL_STR("\n"), from);

	*next = end == SIZE_MAX ? text.len : end + 1;
	return bl_str_trim(bl_str_slice(text, from, *next));
}

/* Skips "Key: value" header lines. */
static size_t skip_headers(struct bl_str text, size_t at)
{
	for (;;) {
		size_t next;
		struct bl_str line = line_at(text, at, &next);

		if (bl_str_find(line, BL_STR(":"), 0) == SIZE_MAX)
			return at;
		at = next;
	}
}

/* The block whose type begins at at. */
static bool read_block(struct bl_arena *arena, struct bl_str text, size_t at,
		       struct bl_pem *out)
{
	const struct bl_str dashes = BL_STR("-----");
	size_t body;
	struct bl_str line = line_at(text, at, &body);
	struct bl_str tail;
	struct bl_buf bytes;
	size_t end;
	size_t offset;

	if (!bl_str_has_suffix(line, dashes))
		return false;
	out->type = bl_str_slice(line, 0, line.len - dashes.len);
	body = skip_headers(text, body);
	end = find_mark(text, BL_STR("-----END "), body);
	if (end == SIZE_MAX)
		return false;
	tail = bl_str_slice(text, end, end + out->type.len + dashes.len);
	if (!bl_str_has_prefix(tail, out->type) ||
	    !bl_str_has_suffix(tail, dashes) ||
	    tail.len != out->type.len + dashes.len)
		return false;
	bl_buf_init(&bytes, 0);
	if (!bl_base64_decode(&bytes,
			      bl_str_trim(bl_str_slice(text, body, end - 9)), 0,
			      &offset)) {
		bl_buf_clear(&bytes);
		return false;
	}
	if (bl_str_trim(line_at(text, end + tail.len, &out->end)).len)
		out->end = end + tail.len;
	return into_arena(arena, &bytes, &out->der);
}

bool bl_pem_next(struct bl_arena *arena, struct bl_str text, size_t from,
		 struct bl_pem *out)
{
	for (;;) {
		size_t at = find_mark(text, BL_STR("-----BEGIN "), from);

		if (at == SIZE_MAX)
			return false;
		if (read_block(arena, text, at, out))
			return true;
		from = at;
	}
}
