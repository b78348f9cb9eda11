/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c: replies and what functions of routes ask of their call. */
#include "server/app.h"

#include <stdlib.h>

enum bl_status call_refuse(struct call *call, int http_status,
			   const char *message)
{
	bl_server_reply_error(call->request, call->reply, http_status, message);
	return bl_fail(&call->err, BL_DENIED, "%s", message);
}

enum bl_status call_send(struct call *call, const char *type)
{
	return bl_server_reply_text(call->request, call->reply, type,
				    &call->out, &call->err);
}

enum bl_status call_send_json(struct call *call)
{
	return call_send(call, "application/json");
}

enum bl_status call_send_member(struct call *call, const char *name,
				struct bl_str text)
{
	bl_buf_printf(&call->out, "{\"%s\":", name);
	bl_json_write_string(&call->out, text);
	bl_buf_puts(&call->out, "}");
	return call_send_json(call);
}

/* ---- rows ----------------------------------------------------------------- */

static void put_cell(struct bl_buf *out, struct bl_str cell, char form)
{
	if (!cell.ptr)
		bl_buf_puts(out, "null");
	else if (form == '#' || form == '!')
		bl_buf_put_str(out, cell.len ? cell : BL_STR("null"));
	else if (form == '?')
		bl_buf_puts(out, bl_str_is(cell, "0") ? "false" : "true");
	else
		bl_json_write_string(out, cell);
}

void app_put_row(struct bl_buf *out, const struct bl_rows *rows, size_t row,
		 const char *columns)
{
	struct bl_str all = bl_str(columns);
	size_t at = 0;

	bl_buf_put_char(out, '{');
	for (size_t i = 0; at < all.len; i++) {
		size_t end = bl_str_find(all, BL_STR(","), at);
		struct bl_str name = bl_str_slice(all, at, end);
		char form = name.ptr[name.len - 1];

		at = end == SIZE_MAX ? all.len : end + 1;
		if (form == '#' || form == '!' || form == '?')
			name.len--;
		bl_buf_puts(out, i ? ",\"" : "\"");
		bl_buf_put_str(out, name);
		bl_buf_puts(out, "\":");
		put_cell(out, bl_rows_text(rows, row, i), form);
	}
	bl_buf_put_char(out, '}');
}

void app_put_rows(struct bl_buf *out, const struct bl_rows *rows,
		  const char *columns)
{
	bl_buf_put_char(out, '[');
	for (size_t i = 0; i < rows->count; i++) {
		bl_buf_puts(out, i ? ",\n" : "");
		app_put_row(out, rows, i, columns);
	}
	bl_buf_put_char(out, ']');
}

enum bl_status call_list(struct call *call, const char *name,
			 const struct bl_db_query *query, const char *columns)
{
	struct bl_rows rows;
	enum bl_status status = call_ask(call, query, &rows);

	if (status)
		return status;
	bl_buf_printf(&call->out, "{\"%s\":", name);
	app_put_rows(&call->out, &rows, columns);
	bl_buf_puts(&call->out, "}\n");
	return call_send_json(call);
}

/* ---- what was asked ------------------------------------------------------- */

struct bl_str call_text(struct call *call, const char *name)
{
	return bl_value_text(bl_object_find(call->body, bl_str(name)));
}

int64_t call_integer(struct call *call, const char *name, int64_t missing)
{
	int64_t number;

	return bl_number_to_integer(bl_object_find(call->body, bl_str(name)),
				    &number)
		       ? number
		       : missing;
}

struct bl_str call_query(struct call *call, const char *name)
{
	return bl_server_field(call->request, call->request->query, name);
}

int64_t call_query_integer(struct call *call, const char *name, int64_t missing)
{
	struct bl_str text = call_query(call, name);
	char *end;
	long long number;

	if (!text.len || text.len > 18)
		return missing;
	number = strtoll(text.ptr, &end, 10);
	return *end ? missing : number;
}

enum bl_status call_run(struct call *call, const struct bl_db_query *query,
			uint64_t *out_changes)
{
	return bl_db_run(call->db, query, out_changes, &call->err);
}

enum bl_status call_ask(struct call *call, const struct bl_db_query *query,
			struct bl_rows *out_rows)
{
	return bl_db_ask(call->db, query, call->arena, out_rows, &call->err);
}

struct bl_str app_clean_text(struct bl_arena *arena, struct bl_str text,
			     size_t most)
{
	char *copy;

	if (text.len > most) {
		while (most && ((unsigned char)text.ptr[most] & 0xC0) == 0x80)
			most--;
		text.len = most;
	}
	if (!text.len)
		return BL_STR("");
	if (!memchr(text.ptr, '\0', text.len))
		return text;
	text = bl_arena_copy_str(arena, text);
	copy = (char *)(uintptr_t)text.ptr;
	for (size_t i = 0; copy && i < text.len; i++)
		if (!copy[i])
			copy[i] = '?';
	return copy ? text : BL_STR("");
}

struct bl_str app_json(struct bl_arena *arena, struct bl_value value)
{
	struct bl_str text;
	struct bl_buf out;

	bl_buf_init(&out, 0);
	bl_json_write(&out, value, BL_JSON_CANONICAL);
	text = bl_buf_status(&out) ? (struct bl_str){ NULL, 0 }
				   : bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}
