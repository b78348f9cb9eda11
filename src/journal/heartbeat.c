/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heartbeat.c: when an agent's events last reached belay, a small file for
 * each agent and workspace.  Apart from the journal, since it says that belay
 * is asked at all: also where nothing is recorded, and after files were rotated
 * away.
 *
 * DIR/seen/claude-0123456789abcdef holds the agent, the workspace and the first
 * event's time; its time of change is that of the last event.  So an event
 * costs one system call once the file is there.
 */
#include "journal/private.h"

#include "json/json.h"

enum {
	DIR_MODE = 0700,
	FILE_MODE = 0600,
	MAX_FILES = 256,
	MAX_LISTED = 4096,
	MAX_FILE_BYTES = 16 * 1024,
	NAME_DIGITS = 16,
};

static struct bl_str folder_of(struct bl_arena *arena, struct bl_str dir)
{
	return bl_path_join(arena, dir, BL_STR("seen"));
}

static struct bl_str file_of(struct bl_arena *arena,
			     const struct bl_heartbeat *beat,
			     struct bl_str folder)
{
	char digest[BL_SHA256_HEX_BYTES];

	bl_sha256_hex(beat->workspace, digest);
	return bl_arena_printf(arena, "%.*s/%.*s-%.*s", BL_STR_ARG(folder),
			       BL_STR_ARG(beat->agent), NAME_DIGITS, digest);
}

/* ---- making room -------------------------------------------------------- */

/* Removes the file of those listed whose last event is the longest ago. */
static void remove_oldest(struct bl_arena *arena, struct bl_str folder,
			  const struct bl_str *names, size_t count)
{
	struct bl_str oldest = { NULL, 0 };
	int64_t oldest_ns = INT64_MAX;

	for (size_t i = 0; i < count; i++) {
		struct bl_file_info info;
		struct bl_str path = bl_path_join(arena, folder, names[i]);

		if (!path.ptr || bl_os_info_path(path, &info, NULL) != BL_OK ||
		    info.mtime_ns >= oldest_ns)
			continue;
		oldest_ns = info.mtime_ns;
		oldest = path;
	}
	if (oldest.ptr)
		(void)bl_os_remove_file(oldest, NULL);
}

static enum bl_status make_room(struct bl_arena *arena, struct bl_str folder,
				struct bl_error *err)
{
	struct bl_str *names;
	size_t count = 0;
	enum bl_status status =
		bl_os_list_dir(folder, MAX_LISTED, arena, &names, &count, err);

	if (status == BL_OK && count >= MAX_FILES)
		remove_oldest(arena, folder, names, count);
	return status;
}

/* ---- an event ----------------------------------------------------------- */

static enum bl_status make(struct bl_arena *arena, struct bl_str folder,
			   struct bl_str path, const struct bl_heartbeat *beat,
			   struct bl_error *err)
{
	struct bl_buf text;
	enum bl_status status = bl_os_make_dirs(folder, DIR_MODE, err);

	if (status == BL_OK)
		status = make_room(arena, folder, err);
	if (status != BL_OK)
		return status;
	bl_buf_init(&text, MAX_FILE_BYTES);
	bl_buf_puts(&text, "{\"v\":1,\"agent\":");
	bl_json_write_string(&text, beat->agent);
	bl_buf_puts(&text, ",\"workspace\":");
	bl_json_write_string(&text, beat->workspace);
	bl_buf_printf(&text, ",\"since_ms\":%lld}\n",
		      (long long)beat->since_ms);
	status = bl_buf_status(&text);
	if (status == BL_OK)
		status = bl_os_replace_cached(path, bl_buf_str(&text),
					      FILE_MODE, err);
	else
		bl_fail(err, status, "the workspace's name is too long");
	bl_buf_clear(&text);
	return status;
}

enum bl_status bl_heartbeat_note(struct bl_str dir,
				 const struct bl_heartbeat *beat,
				 struct bl_error *err)
{
	char memory[1024];
	struct bl_arena arena;
	struct bl_str folder, path;
	enum bl_status status;

	bl_arena_init(&arena, memory, sizeof(memory), 0);
	folder = folder_of(&arena, dir);
	path = file_of(&arena, beat, folder);
	if (!folder.ptr || !path.ptr)
		status = bl_arena_fail(&arena, err);
	else
		status = bl_os_touch(path, err);
	if (status == BL_NOT_FOUND)
		status = make(&arena, folder, path, beat, err);
	bl_arena_clear(&arena);
	return status;
}

/* ---- reading ------------------------------------------------------------ */

/* False: it is not a file of ours. */
static bool read_one(struct bl_arena *arena, struct bl_str path,
		     struct bl_heartbeat *out_beat)
{
	struct bl_file_info info;
	struct bl_value value;
	struct bl_str text;

	if (bl_os_read_file(path, BL_OPEN_NO_LINK, MAX_FILE_BYTES, arena, &text,
			    &info, NULL) != BL_OK ||
	    bl_json_read(arena, text, NULL, &value, NULL, NULL, NULL) != BL_OK)
		return false;
	*out_beat = (struct bl_heartbeat){
		.agent = bl_value_text(bl_object_find(value, BL_STR("agent"))),
		.workspace = bl_value_text(
			bl_object_find(value, BL_STR("workspace"))),
		.last_ms = info.mtime_ns / 1000000,
	};
	value = bl_object_find(value, BL_STR("since_ms"));
	return out_beat->agent.len && bl_value_is(value, BL_KIND_NUMBER) &&
	       bl_number_to_integer(value, &out_beat->since_ms);
}

enum bl_status bl_heartbeat_list(struct bl_str dir, struct bl_arena *arena,
				 struct bl_heartbeat **out_beats,
				 size_t *out_count, struct bl_error *err)
{
	struct bl_str folder = folder_of(arena, dir);
	struct bl_heartbeat *beats;
	struct bl_str *names = NULL;
	size_t count = 0;
	size_t found = 0;
	enum bl_status status;

	if (!folder.ptr)
		return bl_arena_fail(arena, err);
	status = bl_os_list_dir(folder, MAX_LISTED, arena, &names, &count, err);
	if (status != BL_OK && status != BL_NOT_FOUND)
		return status;
	beats = bl_arena_new_array(arena, struct bl_heartbeat, count + 1);
	if (!beats)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count; i++) {
		struct bl_str path = bl_path_join(arena, folder, names[i]);

		if (path.ptr && read_one(arena, path, &beats[found]))
			found++;
	}
	*out_beats = beats;
	*out_count = found;
	return BL_OK;
}
