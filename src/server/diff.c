/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.c: what the draft changes: file by file, before and after, beside the set
 * that is in force.  The pages show the lines.
 */
#include "server/app.h"

struct side {
	struct bl_str path;
	struct bl_str before; /* ptr NULL: it is not there */
	struct bl_str after;
};

struct sides {
	struct side *items;
	size_t count;
	size_t cap;
};

/* The row of a path, made when missing; NULL: memory. */
static struct side *side_of(struct call *call, struct sides *sides,
			    struct bl_str path)
{
	struct side *items;

	for (size_t i = 0; i < sides->count; i++)
		if (bl_str_equal(sides->items[i].path, path))
			return &sides->items[i];
	items = bl_arena_room(call->arena, sides->items, sides->count,
			      &sides->cap, sizeof(*items));
	if (!items)
		return NULL;
	sides->items = items;
	items[sides->count] = (struct side){ .path = path };
	return &items[sides->count++];
}

/* A hook as a text that people can compare. */
static struct bl_str describe(struct call *call,
			      const struct bl_team_hook *hook)
{
	struct bl_buf text;
	struct bl_str kept;

	bl_buf_init(&text, 0);
	bl_buf_printf(&text, "step: %.*s\nactive: %s\nsystems:",
		      BL_STR_ARG(hook->event_name),
		      hook->is_active ? "yes" : "no");
	for (size_t i = 0; i < hook->system_count; i++)
		bl_buf_printf(&text, " %.*s", BL_STR_ARG(hook->systems[i]));
	bl_buf_printf(&text, "%s\n\n", hook->system_count ? "" : " all");
	bl_buf_put_str(&text, hook->content);
	kept = bl_arena_copy_str(call->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return kept;
}

static enum bl_status add_hooks(struct call *call, struct sides *sides,
				const struct bl_team_hooks *hooks,
				bool is_before)
{
	for (size_t i = 0; i < hooks->count; i++) {
		const struct bl_team_hook *hook = &hooks->items[i];
		struct bl_str path =
			bl_arena_printf(call->arena, "hooks/%.*s",
					BL_STR_ARG(hook->script_name));
		struct side *side = side_of(call, sides, path);

		if (!side)
			return bl_fail_memory(&call->err);
		*(is_before ? &side->before : &side->after) =
			describe(call, hook);
	}
	return BL_OK;
}

static enum bl_status add_object(struct call *call, struct sides *sides,
				 const struct bl_team_file *file)
{
	struct bl_team_hooks hooks = { 0 };
	struct bl_rows rows;
	struct side *side;
	enum bl_status status = call_ask(
		call,
		BL_DB_QUERY("SELECT content FROM object WHERE sha256 = $1",
			    bl_db_text(bl_str(file->sha256))),
		&rows);

	if (status)
		return status;
	if (bl_str_is(file->path, BL_TEAM_HOOKS_FILE)) {
		status = bl_team_decode(BL_TEAM_RESPONSE,
					bl_rows_text(&rows, 0, 0), call->arena,
					&hooks, &call->err);
		return status ? status : add_hooks(call, sides, &hooks, true);
	}
	side = side_of(call, sides, file->path);
	if (!side)
		return bl_fail_memory(&call->err);
	side->before = bl_rows_text(&rows, 0, 0);
	return BL_OK;
}

/* The set that most machines have. */
static enum bl_status add_set(struct call *call, struct sides *sides)
{
	struct bl_team_manifest manifest;
	struct bl_rows rows;
	enum bl_status status = call_ask(
		call,
		BL_DB_PLAIN("SELECT document FROM signed_set WHERE version = "
			    "(SELECT version FROM rollout WHERE state = "
			    "'active' ORDER BY place DESC LIMIT 1)"),
		&rows);

	if (status || !rows.count)
		return status;
	status = bl_team_read_manifest(bl_rows_text(&rows, 0, 0), call->arena,
				       &manifest, &call->err);
	for (size_t i = 0; !status && i < manifest.file_count; i++)
		status = add_object(call, sides, &manifest.files[i]);
	return status;
}

static enum bl_status add_draft(struct call *call, struct sides *sides)
{
	struct bl_team_hooks hooks;
	struct bl_rows rows;
	enum bl_status status = draft_hooks(call, &hooks);

	if (!status)
		status = add_hooks(call, sides, &hooks, false);
	if (!status)
		status = call_ask(call,
				  BL_DB_PLAIN("SELECT path, content FROM policy"
					      " ORDER BY path"),
				  &rows);
	for (size_t i = 0; !status && i < rows.count; i++) {
		struct bl_str path = bl_arena_printf(
			call->arena, BL_TEAM_POLICY_FOLDER "/%.*s",
			BL_STR_ARG(rows.cells[2 * i]));
		struct side *side = side_of(call, sides, path);

		if (!side)
			return bl_fail_memory(&call->err);
		side->after = bl_rows_text(&rows, i, 1);
	}
	return status;
}

static void put_side(struct bl_buf *out, const struct side *side)
{
	const struct bl_str texts[] = { side->before, side->after };
	static const char *const names[] = { "before", "after" };

	bl_buf_puts(out, "{\"path\":");
	bl_json_write_string(out, side->path);
	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		bl_buf_printf(out, ",\"%s\":", names[i]);
		if (texts[i].ptr)
			bl_json_write_string(out, texts[i]);
		else
			bl_buf_puts(out, "null");
	}
	bl_buf_puts(out, "}");
}

/* GET /api/draft/diff: {"files": [{"path", "before", "after"}]} */
enum bl_status route_draft_diff(struct call *call)
{
	struct sides sides = { 0 };
	bool is_first = true;
	enum bl_status status = add_set(call, &sides);

	if (!status)
		status = add_draft(call, &sides);
	if (status)
		return status;
	bl_buf_puts(&call->out, "{\"files\":[");
	for (size_t i = 0; i < sides.count; i++) {
		const struct side *side = &sides.items[i];

		if (side->before.ptr && side->after.ptr &&
		    bl_str_equal(side->before, side->after))
			continue;
		bl_buf_puts(&call->out, is_first ? "" : ",");
		put_side(&call->out, side);
		is_first = false;
	}
	bl_buf_puts(&call->out, "]}\n");
	return call_send_json(call);
}
