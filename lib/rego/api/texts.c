/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reports shared by the functions of the public header: errors, texts, JSON,
 * diagnostics.
 */
#include "rego/api/private.h"

#include <stdlib.h>

#include "json/json.h"

#define SAME(name) _Static_assert(REGO_##name == API_EXIT_##name, #name)
enum {
#define STATUS(name, exit_code, text) API_EXIT_##name = (exit_code),
#include "base/status.def"
#undef STATUS
};
SAME(OK);
SAME(USAGE);
SAME(SYNTAX);
SAME(INVALID);
SAME(NOT_FOUND);
SAME(EXISTS);
SAME(UNSUPPORTED);
SAME(NO_MEMORY);
SAME(SYSTEM);
SAME(LIMIT);
SAME(TIMEOUT);

const char *rego_version(void)
{
	return BELAY_VERSION;
}

/* ---- errors -------------------------------------------------------------- */

rego_status api_fail(const struct bl_error *err, rego_error *to)
{
	rego_status status = bl_status_exit_code(err->status);

	if (to && to->struct_size > offsetof(rego_error, message)) {
		size_t room = to->struct_size - offsetof(rego_error, message);

		if (room > sizeof(to->message))
			room = sizeof(to->message);
		room = strnlen(err->message, room - 1);
		to->status = status;
		memcpy(to->message, err->message, room);
		to->message[room] = '\0';
	}
	return status;
}

rego_status api_fail_memory(rego_error *to)
{
	struct bl_error err;

	bl_fail_memory(&err);
	return api_fail(&err, to);
}

rego_status api_fail_null(rego_error *to, const char *what)
{
	struct bl_error err;

	bl_fail(&err, BL_USAGE, "%s is NULL", what);
	return api_fail(&err, to);
}

/* ---- texts --------------------------------------------------------------- */

rego_text *api_text(struct bl_buf *buf)
{
	rego_text *text = bl_buf_status(buf) ? NULL : malloc(sizeof(*text));

	if (text)
		text->buf = *buf;
	else
		bl_buf_clear(buf);
	return text;
}

const char *rego_text_data(const rego_text *text)
{
	return text ? text->buf.ptr : NULL;
}

size_t rego_text_size(const rego_text *text)
{
	return text ? text->buf.len : 0;
}

void rego_text_free(rego_text *text)
{
	if (text)
		bl_buf_clear(&text->buf);
	free(text);
}

/* ---- JSON ---------------------------------------------------------------- */

const char *api_json(struct bl_arena *arena, struct bl_value value)
{
	struct bl_buf buf;
	struct bl_str copy = { 0 };

	bl_buf_init(&buf, 0);
	bl_json_write(&buf, value, BL_JSON_COMPACT);
	if (!bl_buf_status(&buf))
		copy = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return copy.ptr;
}

enum bl_status api_read_json(struct bl_arena *arena, struct bl_str text,
			     struct bl_value *out_value, struct bl_error *err)
{
	struct bl_str copy = bl_arena_copy_str(arena, text);
	struct bl_place place;
	enum bl_status status;

	if (!copy.ptr)
		return bl_arena_fail(arena, err);
	status = bl_json_read(arena, copy, NULL, out_value, NULL, &place, err);
	if (status == BL_SYNTAX)
		bl_error_context(err, "%u:%u", place.line, place.column);
	return status;
}

/* ---- diagnostics --------------------------------------------------------- */

void api_give_diags(const struct bl_diags *diags, rego_text **out)
{
	struct bl_buf buf;

	if (!out)
		return;
	*out = NULL;
	if (!diags->first)
		return;
	bl_buf_init(&buf, 0);
	bl_json_write_diags(&buf, diags);
	*out = api_text(&buf);
}

void api_take_first(const struct bl_diags *diags, struct bl_error *err)
{
	const struct bl_diag *diag = diags->first;

	while (diag && diag->severity != BL_SEVERITY_ERROR)
		diag = diag->next;
	if (diag)
		bl_fail(err, err->status, "%.*s:%u:%u: %s: %.*s",
			BL_STR_ARG(diag->file), diag->place.line,
			diag->place.column, diag->code,
			BL_STR_ARG(diag->message));
}
