/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/ansi.c: $'...' decoded, and text put into single quotes.  It stands
 * alone because the parser decodes while it scans, and readers of the tree
 * decode what other programs quote in the same way.
 */
#include "base/hex.h"
#include "shell/private.h"

/* Up to max digits at *pos; -1 when absent. */
static int64_t read_digits(struct bl_str text, size_t *pos, int base, int max)
{
	int64_t value = 0;
	int count = 0;

	while (count < max && *pos < text.len) {
		int digit = bl_hex_value(text.ptr[*pos]);

		if (digit < 0 || digit >= base)
			break;
		value = value * base + digit;
		(*pos)++;
		count++;
	}
	return count ? value : -1;
}

/* As UTF-8, also what is not a character (bash does the same). */
static size_t put_character(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xC0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xE0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3F));
		out[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | (c >> 18 & 7));
	out[1] = (char)(0x80 | (c >> 12 & 0x3F));
	out[2] = (char)(0x80 | (c >> 6 & 0x3F));
	out[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

static char simple_escape(char c)
{
	static const char from[] = "abeEfnrtv\\'\"?";
	static const char to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	const char *found = c ? strchr(from, c) : NULL;

	return found ? to[found - from] : 0;
}

/* \x41 \u20ac \U1f600 \101 \cA at *pos behind the \; -1: not one of them. */
static int64_t numeric_escape(struct bl_str text, size_t *pos)
{
	char c = text.ptr[*pos];
	size_t start = *pos;
	int64_t value;

	if (c >= '0' && c <= '7')
		return read_digits(text, pos, 8, 3) & 0xFF;
	(*pos)++;
	if (c == 'c' && *pos < text.len) {
		c = text.ptr[(*pos)++];
		if (c == '\\' && *pos < text.len && text.ptr[*pos] == '\\')
			(*pos)++;
		return c == '?' ? 0x7F : c & 0x1F;
	}
	value = c == 'x'   ? read_digits(text, pos, 16, 2)
		: c == 'u' ? read_digits(text, pos, 16, 4)
		: c == 'U' ? read_digits(text, pos, 16, 8)
			   : -1;
	if (value < 0)
		*pos = start;
	return value;
}

struct bl_str bl_shell_decode_ansi(struct bl_arena *arena, struct bl_str text)
{
	/* An escape is never shorter than what it stands for. */
	char *out = bl_arena_alloc_aligned(arena, text.len + 1, 1);
	size_t len = 0;

	if (!out)
		return (struct bl_str){ NULL, 0 };
	for (size_t i = 0; i < text.len;) {
		char c = text.ptr[i++], simple, kind;
		int64_t value;

		if (c != '\\' || i == text.len) {
			out[len++] = c;
			continue;
		}
		kind = text.ptr[i];
		simple = simple_escape(kind);
		if (simple) {
			out[len++] = simple;
			i++;
			continue;
		}
		value = numeric_escape(text, &i);
		if (value == 0)
			break; /* \0 ends the text */
		if (value < 0)
			out[len++] = '\\';
		else if (kind == 'u' || kind == 'U')
			len += put_character(out + len, (uint32_t)value);
		else
			out[len++] = (char)value;
	}
	return (struct bl_str){ out, len };
}

struct bl_str bl_shell_single_quote(struct bl_arena *arena, struct bl_str text)
{
	static const char quote[] = { '\'', '\\', '\'', '\'' };
	size_t len = 2, at = 0;
	char *out;

	for (size_t i = 0; i < text.len; i++)
		len += text.ptr[i] == '\'' ? sizeof(quote) : 1;
	out = bl_arena_alloc_aligned(arena, len, 1);
	if (!out)
		return (struct bl_str){ NULL, 0 };
	out[at++] = '\'';
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'') {
			memcpy(out + at, quote, sizeof(quote));
			at += sizeof(quote);
		} else {
			out[at++] = text.ptr[i];
		}
	}
	out[at] = '\'';
	return (struct bl_str){ out, len };
}
