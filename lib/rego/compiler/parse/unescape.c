/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text that a string or a piece of a template stands for.  Apart from the lexer:
 * most strings have no escape and are borrowed from the module.
 */
#include "base/hex.h"
#include "base/utf8.h"
#include "rego/compiler/parse/lexer.h"

/* One escape: the byte after the backslash and what it stands for. */
static const char simple_escapes[][2] = {
	{ '"', '"' },  { '\\', '\\' }, { '/', '/' },  { 'b', '\b' },
	{ 'f', '\f' }, { 'n', '\n' },  { 'r', '\r' }, { 't', '\t' },
};

/*
 * The \u escape whose "u" is at *at: moves *at behind it (and behind the
 * second half of a pair).  A lone surrogate is U+FFFD; -1 when malformed.
 */
static int32_t take_unicode(struct bl_str piece, size_t *at)
{
	int32_t rune = bl_hex_read(piece, *at + 1, 4);
	int32_t low;

	if (rune < 0)
		return -1;
	*at += 5;
	if (rune < 0xD800 || rune > 0xDFFF)
		return rune;
	if (rune > 0xDBFF || *at + 1 >= piece.len || piece.ptr[*at] != '\\' ||
	    piece.ptr[*at + 1] != 'u')
		return BL_REPLACEMENT_CHAR;
	low = bl_hex_read(piece, *at + 2, 4);
	if (low < 0xDC00 || low > 0xDFFF)
		return BL_REPLACEMENT_CHAR;
	*at += 6;
	return 0x10000 + ((rune - 0xD800) << 10) + (low - 0xDC00);
}

/* The escape whose backslash is at *at; false when it is not one. */
static bool take_escape(struct bl_str piece, enum bl_rego_quoting quoting,
			size_t *at, char *out, size_t *len)
{
	char c = *at + 1 < piece.len ? piece.ptr[*at + 1] : '\0';
	int32_t rune;

	if (quoting == BL_REGO_RAW_TEMPLATE && c != '{') {
		out[(*len)++] = piece.ptr[(*at)++];
		return true;
	}
	if (quoting != BL_REGO_PLAIN && c == '{') {
		out[(*len)++] = '{';
		*at += 2;
		return true;
	}
	for (size_t i = 0; i < BL_COUNT(simple_escapes); i++) {
		if (simple_escapes[i][0] == c) {
			out[(*len)++] = simple_escapes[i][1];
			*at += 2;
			return true;
		}
	}
	if (c != 'u')
		return false;
	(*at)++;
	rune = take_unicode(piece, at);
	if (rune < 0)
		return false;
	*len += bl_utf8_encode((uint32_t)rune, out + *len);
	return true;
}

enum bl_status bl_rego_unescape(struct bl_arena *arena, struct bl_str piece,
				enum bl_rego_quoting quoting,
				struct bl_str *out_text, size_t *out_offset,
				struct bl_error *err)
{
	size_t len = 0;
	size_t at = 0;
	char *out;

	if (piece.len == 0 || !memchr(piece.ptr, '\\', piece.len)) {
		*out_text = piece;
		return BL_OK;
	}
	/* No escape stands for more bytes than it is written with. */
	out = bl_arena_alloc_aligned(arena, piece.len, 1);
	if (!out)
		return bl_arena_fail(arena, err);
	while (at < piece.len) {
		if (piece.ptr[at] != '\\') {
			out[len++] = piece.ptr[at++];
			continue;
		}
		*out_offset = at;
		if (!take_escape(piece, quoting, &at, out, &len))
			return bl_fail(err, BL_SYNTAX,
				       "illegal string escape sequence");
	}
	*out_text = (struct bl_str){ out, len };
	return BL_OK;
}
