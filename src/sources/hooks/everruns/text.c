/* SPDX-License-Identifier: Apache-2.0 */
/* White space as Unicode has it, globs' alternatives, text that is not UTF-8. */
#include "base/utf8.h"
#include "sources/hooks/everruns/private.h"

static bool is_space(uint32_t rune)
{
	return (rune >= 9 && rune <= 13) || rune == ' ' || rune == 0x85 ||
	       rune == 0xA0 || rune == 0x1680 ||
	       (rune >= 0x2000 && rune <= 0x200A) || rune == 0x2028 ||
	       rune == 0x2029 || rune == 0x202F || rune == 0x205F ||
	       rune == 0x3000;
}

struct bl_str bl_everruns_trim_start(struct bl_str text)
{
	size_t at = 0;

	while (at < text.len) {
		uint32_t rune = 0;
		size_t len = bl_utf8_decode(text, at, &rune);

		if (len == 0 || !is_space(rune))
			break;
		at += len;
	}
	return bl_str_slice(text, at, text.len);
}

struct bl_str bl_everruns_trim(struct bl_str text)
{
	text = bl_everruns_trim_start(text);
	while (text.len > 0) {
		size_t at = text.len - 1;
		uint32_t rune = 0;

		while (at > 0 && ((unsigned char)text.ptr[at] & 0xC0) == 0x80)
			at--;
		if (bl_utf8_decode(text, at, &rune) != text.len - at ||
		    !is_space(rune))
			break;
		text.len = at;
	}
	return text;
}

bool bl_everruns_next_alternative(struct bl_str *rest, struct bl_str *out)
{
	while (rest->ptr) {
		size_t bar = bl_str_find(*rest, BL_STR("|"), 0);
		struct bl_str part = bl_str_slice(*rest, 0, bar);

		*rest = bar == SIZE_MAX
				? (struct bl_str){ NULL, 0 }
				: bl_str_slice(*rest, bar + 1, rest->len);
		part = bl_everruns_trim(part);
		if (part.len > 0) {
			*out = part;
			return true;
		}
	}
	return false;
}

void bl_everruns_note(struct bl_array_builder *notices, const char *fmt, ...)
{
	va_list args;
	struct bl_str text;

	va_start(args, fmt);
	text = bl_arena_vprintf(notices->arena, fmt, args);
	va_end(args);
	bl_array_builder_add(notices, text.ptr ? bl_value_string(text)
					       : bl_value_undefined());
}

struct bl_str bl_everruns_clean(struct bl_arena *arena, struct bl_str text)
{
	struct bl_str clean = { NULL, 0 };
	struct bl_buf buf;
	size_t at = 0;

	bl_buf_init(&buf, 0);
	while (at < text.len) {
		struct bl_str rest = bl_str_slice(text, at, text.len);
		size_t good = bl_utf8_valid_prefix(rest);

		bl_buf_put(&buf, rest.ptr, good);
		at += good;
		if (at < text.len) {
			bl_buf_puts(&buf, "\xEF\xBF\xBD");
			at++;
		}
	}
	if (bl_buf_status(&buf) == BL_OK)
		clean = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return clean;
}
