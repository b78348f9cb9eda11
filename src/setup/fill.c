/* SPDX-License-Identifier: Apache-2.0 */
/* fill.c: texts with places to fill. */
#include "setup/private.h"

#include "json/json.h"

static const struct setup_word *
find_word(struct bl_str rest, const struct setup_word *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bl_str_has_prefix(rest, bl_str(words[i].name)))
			return &words[i];
	return NULL;
}

struct bl_str bl_setup_fill(struct bl_arena *arena, const char *text,
			    const struct setup_word *words, size_t count)
{
	struct bl_str from = bl_str(text);
	struct bl_str filled = { NULL, 0 };
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	for (size_t at = 0; at < from.len;) {
		struct bl_str rest = bl_str_slice(from, at, SIZE_MAX);
		const struct setup_word *word = find_word(rest, words, count);

		if (!word) {
			bl_buf_put_char(&buf, from.ptr[at++]);
			continue;
		}
		if (word->is_json)
			bl_json_write_string(&buf, word->text);
		else
			bl_buf_put_str(&buf, word->text);
		at += strlen(word->name);
	}
	if (!bl_buf_status(&buf))
		filled = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return filled;
}
