/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c: a client's folder of state: its files, its lock, and state.json, whose
 * members a table names.  Apart from account.c and state.c, since opa/ keeps its
 * own folder by the same rules.
 */
#include "team/client/private.h"

enum {
	LOCK_MS = 10 * 1000,
	MAX_RECORD_BYTES = 256 * 1024,
	MAX_DEPTH = 8,
	MAX_SETS = 1024,
};

#define RECORD_FILE "state.json"

/* ---- files ---------------------------------------------------------------------- */

enum bl_status bl_team_store_make(const struct bl_team_store *store,
				  struct bl_error *err)
{
	return bl_os_make_dirs(
		store->dir,
		store->is_managed ? TEAM_MANAGED_DIR_MODE : TEAM_DIR_MODE, err);
}

enum bl_status bl_team_store_write(const struct bl_team_store *store,
				   const char *name, struct bl_str text,
				   uint32_t mode, struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_str path;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	path = bl_path_join(&arena, store->dir, bl_str(name));
	status = path.ptr ? bl_team_store_make(store, err)
			  : bl_arena_fail(&arena, err);
	if (!status)
		status = bl_os_replace_file(path, text, mode, err);
	bl_arena_clear(&arena);
	return status;
}

enum bl_status bl_team_store_lock(const struct bl_team_store *store,
				  struct bl_arena *arena, int *out_fd,
				  struct bl_error *err)
{
	struct bl_str path = bl_path_join(arena, store->dir, BL_STR("lock"));
	enum bl_status status = path.ptr ? bl_team_store_make(store, err)
					 : bl_arena_fail(arena, err);

	return status ? status
		      : bl_os_open_locked(path, TEAM_FILE_MODE, LOCK_MS, out_fd,
					  err);
}

void bl_team_store_clean(const struct bl_team_store *store,
			 struct bl_str by_state, struct bl_str by_record,
			 struct bl_arena *arena)
{
	struct bl_str sets = bl_path_join(arena, store->dir, BL_STR("sets"));
	struct bl_str *names;
	size_t count;

	if (!sets.ptr ||
	    bl_os_list_dir(sets, MAX_SETS, arena, &names, &count, NULL))
		return;
	for (size_t i = 0; i < count; i++) {
		struct bl_str path = bl_path_join(arena, sets, names[i]);

		if (path.ptr && !bl_str_equal(names[i], by_state) &&
		    !bl_str_equal(names[i], by_record))
			bl_os_remove_tree(path, NULL);
	}
}

/* ---- state.json ----------------------------------------------------------------- */

static enum bl_status read_number(struct bl_value value, const char *name,
				  void *out, struct bl_error *err)
{
	int64_t number;

	if (!bl_number_is_plain(value, &number) || number < 0)
		return bl_fail(err, BL_INVALID, "its %s is not a number", name);
	memcpy(out, &number, sizeof(number));
	return BL_OK;
}

static enum bl_status read_state(struct bl_value value, void *out,
				 struct bl_error *err)
{
	struct bl_str name = bl_value_text(value);
	enum bl_team_state state;

	if (!bl_team_state_find(name, &state))
		return bl_fail(err, BL_INVALID, "there is no state '%.*s'",
			       BL_STR_ARG(name));
	memcpy(out, &state, sizeof(state));
	return BL_OK;
}

static enum bl_status read_member(struct bl_value object,
				  const struct bl_team_member *member,
				  char *out, struct bl_error *err)
{
	struct bl_value value = bl_object_find(object, bl_str(member->name));
	struct bl_str text = bl_value_text(value);

	switch (member->kind) {
	case BL_TEAM_MEMBER_TEXT:
		memcpy(out + member->offset, &text, sizeof(text));
		return BL_OK;
	case BL_TEAM_MEMBER_STATE:
		return read_state(value, out + member->offset, err);
	case BL_TEAM_MEMBER_NUMBER:
	case BL_TEAM_MEMBER_TIME:
		break;
	}
	return read_number(value, member->name, out + member->offset, err);
}

enum bl_status bl_team_store_read_state(const struct bl_team_store *store,
					const struct bl_team_members *members,
					struct bl_arena *arena, void *out,
					struct bl_value *out_object,
					struct bl_error *err)
{
	struct bl_json_options options = { .max_depth = MAX_DEPTH };
	struct bl_str path =
		bl_path_join(arena, store->dir, BL_STR(RECORD_FILE));
	struct bl_str text = { NULL, 0 };
	enum bl_status status =
		path.ptr ? bl_team_read_guarded(path, MAX_RECORD_BYTES, arena,
						&text, err)
			 : bl_arena_fail(arena, err);

	if (status)
		return status;
	status = bl_json_read(arena, text, &options, out_object, NULL, NULL,
			      err);
	for (size_t i = 0; !status && i < members->count; i++)
		status = read_member(*out_object, &members->items[i], out, err);
	if (status)
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
	return status;
}

struct bl_value bl_team_member_value(const struct bl_team_member *member,
				     const void *from)
{
	const char *at = (const char *)from + member->offset;
	enum bl_team_state state;
	struct bl_str text;
	int64_t number;

	switch (member->kind) {
	case BL_TEAM_MEMBER_TEXT:
		memcpy(&text, at, sizeof(text));
		return bl_value_string(text);
	case BL_TEAM_MEMBER_STATE:
		memcpy(&state, at, sizeof(state));
		return bl_value_string(bl_str(bl_team_state_name(state)));
	case BL_TEAM_MEMBER_NUMBER:
	case BL_TEAM_MEMBER_TIME:
		break;
	}
	memcpy(&number, at, sizeof(number));
	return bl_value_integer(number);
}

void bl_team_add_members(struct bl_object_builder *object,
			 const struct bl_team_members *members,
			 const void *from)
{
	for (size_t i = 0; i < members->count; i++) {
		const struct bl_team_member *member = &members->items[i];

		bl_object_builder_add(object, bl_str(member->name),
				      bl_team_member_value(member, from));
	}
}

enum bl_status bl_team_store_write_state(const struct bl_team_store *store,
					 struct bl_value object,
					 struct bl_error *err)
{
	struct bl_buf text;
	enum bl_status status;

	if (!bl_value_is_defined(object))
		return bl_fail_memory(err);
	bl_buf_init(&text, MAX_RECORD_BYTES);
	bl_json_write(&text, object, BL_JSON_PRETTY);
	bl_buf_put_char(&text, '\n');
	status = bl_buf_status(&text);
	if (status)
		status = bl_fail(err, status, RECORD_FILE);
	else
		status = bl_team_store_write(
			store, RECORD_FILE, bl_buf_str(&text),
			store->is_managed ? TEAM_MANAGED_FILE_MODE
					  : TEAM_FILE_MODE,
			err);
	bl_buf_clear(&text);
	return status;
}
