/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that the caller owns, and the JSON that is in them. */
#include <stdlib.h>

#include "api/private.h"
#include "json/json.h"

const char *belay_text_data(const belay_text *text)
{
	return text ? text->buf.ptr : NULL;
}

size_t belay_text_size(const belay_text *text)
{
	return text ? text->buf.len : 0;
}

void belay_text_free(belay_text *text)
{
	if (!text)
		return;
	bl_buf_clear(&text->buf);
	free(text);
}

belay_status bl_api_take_text(struct bl_buf *buf, belay_text **out_text,
			      belay_error *error)
{
	struct bl_error err;
	belay_text *text = calloc(1, sizeof(*text));

	if (!text || bl_buf_status(buf)) {
		bl_fail_memory(&err);
		bl_buf_clear(buf);
		free(text);
		return bl_api_fail(&err, error);
	}
	text->buf = *buf;
	*out_text = text;
	return BELAY_OK;
}

belay_status bl_api_text(struct bl_value value, belay_text **out_text,
			 belay_error *error)
{
	struct bl_error err;
	struct bl_buf buf;

	if (!bl_value_is_defined(value)) {
		bl_fail_memory(&err);
		return bl_api_fail(&err, error);
	}
	bl_buf_init(&buf, 0);
	bl_json_write(&buf, value, BL_JSON_COMPACT);
	return bl_api_take_text(&buf, out_text, error);
}

struct bl_str bl_api_json(struct bl_arena *arena, struct bl_value value)
{
	struct bl_buf buf;
	struct bl_str text = { NULL, 0 };

	bl_buf_init(&buf, 0);
	bl_json_write(&buf, value, BL_JSON_COMPACT);
	if (bl_value_is_defined(value) && !bl_buf_status(&buf))
		text = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return text;
}
