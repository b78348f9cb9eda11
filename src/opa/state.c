/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.c: where a client of OPA keeps its state, and which bundle is in force.
 */
#include "base/hex.h"
#include "opa/private.h"

enum { ID_BYTES = 16 };

#define STATE_FILE     "state.json" /* of bl_team_store_read_state */
#define MANAGED_CONFIG "/etc/belay/opa.yaml"
#define USER_CONFIG    ".config/belay/opa.yaml"

/* ---- places --------------------------------------------------------------------- */

enum bl_status bl_opa_find_place(struct bl_str system_root, struct bl_str home,
				 struct bl_str config, struct bl_arena *arena,
				 struct bl_opa_place *out, struct bl_error *err)
{
	struct bl_str managed = bl_arena_printf(arena, "%.*s" MANAGED_CONFIG,
						BL_STR_ARG(system_root));
	struct bl_file_info info;
	struct bl_opa_place place = { .config = config,
				      .system_root = system_root,
				      .home = home };

	if (!managed.ptr)
		return bl_arena_fail(arena, err);
	place.is_managed =
		!config.len && !bl_os_info_path(managed, &info, NULL);
	if (place.is_managed && info.uid != 0 && !system_root.len)
		return bl_fail(err, BL_DENIED, "%.*s does not belong to root",
			       BL_STR_ARG(managed));
	if (place.is_managed)
		place.config = managed;
	else if (!config.len)
		place.config = bl_path_join(arena, home, BL_STR(USER_CONFIG));
	place.use_dir = place.is_managed
				? bl_team_managed_dir(arena, system_root)
				: bl_team_user_dir(arena, home);
	if (place.use_dir.ptr)
		place.dir = bl_path_join(arena, bl_path_dir(place.use_dir),
					 BL_STR("opa"));
	if (!place.config.ptr || !place.dir.ptr)
		return bl_arena_fail(arena, err);
	*out = place;
	return BL_OK;
}

struct bl_str opa_path(const struct bl_opa_place *place, const char *name,
		       struct bl_arena *arena)
{
	return bl_path_join(arena, place->dir, bl_str(name));
}

static struct bl_team_store store_of(const struct bl_opa_place *place)
{
	return (struct bl_team_store){ place->dir, place->is_managed };
}

enum bl_status opa_write_own(const struct bl_opa_place *place, const char *name,
			     struct bl_str text, struct bl_error *err)
{
	const struct bl_team_store store = store_of(place);

	return bl_team_store_write(
		&store, name, text,
		place->is_managed ? OPA_MANAGED_FILE_MODE : OPA_FILE_MODE, err);
}

enum bl_status opa_lock(const struct bl_opa_place *place,
			struct bl_arena *arena, int *out_fd,
			struct bl_error *err)
{
	const struct bl_team_store store = store_of(place);

	return bl_team_store_lock(&store, arena, out_fd, err);
}

/* ---- state.json ----------------------------------------------------------------- */

static const struct bl_team_member items[] = {
#define MEMBER(member, kind) BL_TEAM_MEMBER(struct bl_opa_state, member, kind)
	MEMBER(state, STATE),     MEMBER(id, TEXT),
	MEMBER(name, TEXT),       MEMBER(url, TEXT),
	MEMBER(etag, TEXT),       MEMBER(sha256, TEXT),
	MEMBER(revision, TEXT),   MEMBER(key, TEXT),
	MEMBER(detail, TEXT),     MEMBER(version, NUMBER),
	MEMBER(since, TIME),      MEMBER(tried, TIME),
	MEMBER(checked, TIME),    MEMBER(fresh_until, TIME),
	MEMBER(downloaded, TIME), MEMBER(activated, TIME),
	MEMBER(next_try, TIME),   MEMBER(failures, NUMBER),
#undef MEMBER
};

static const struct bl_team_members members = { items, BL_COUNT(items) };

/* A random UUID (RFC 9562, version 4). */
static enum bl_status new_id(struct bl_arena *arena, struct bl_str *out,
			     struct bl_error *err)
{
	uint8_t random[ID_BYTES];
	char hex[2 * ID_BYTES + 1];
	enum bl_status status = bl_os_random(random, sizeof(random), err);

	if (status)
		return status;
	random[6] = (uint8_t)((random[6] & 0x0f) | 0x40);
	random[8] = (uint8_t)((random[8] & 0x3f) | 0x80);
	bl_hex_encode(random, sizeof(random), hex);
	*out = bl_arena_printf(arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8,
			       hex + 12, hex + 16, hex + 20);
	return out->ptr ? BL_OK : bl_arena_fail(arena, err);
}

enum bl_status opa_state_read(const struct bl_opa_place *place,
			      struct bl_arena *arena, struct bl_opa_state *out,
			      struct bl_error *err)
{
	const struct bl_team_store store = store_of(place);
	struct bl_value value;
	enum bl_status status;

	*out = (struct bl_opa_state){ .state = BL_TEAM_LOGGED_OUT };
	status = bl_team_store_read_state(&store, &members, arena, out, &value,
					  err);
	return status == BL_NOT_FOUND ? new_id(arena, &out->id, err) : status;
}

enum bl_status opa_state_write(const struct bl_opa_place *place,
			       const struct bl_opa_state *state,
			       struct bl_error *err)
{
	const struct bl_team_store store = store_of(place);
	struct bl_object_builder object;
	struct bl_arena arena;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_object_builder_init(&object, &arena);
	bl_team_add_members(&object, &members, state);
	status = bl_team_store_write_state(&store,
					   bl_object_builder_end(&object), err);
	bl_arena_clear(&arena);
	return status;
}

/* As `belay opa status --json` shows it; undefined: it is left out. */
static struct bl_value shown_value(const struct bl_team_member *member,
				   const struct bl_opa_state *state,
				   struct bl_arena *arena)
{
	struct bl_value value = bl_team_member_value(member, state);
	char text[BL_OS_TIME_TEXT_BYTES];
	int64_t time;

	if (member->kind == BL_TEAM_MEMBER_NUMBER)
		return bl_value_undefined();
	if (member->kind != BL_TEAM_MEMBER_TIME)
		return bl_value_text(value).len ? value : bl_value_undefined();
	if (!bl_number_is_plain(value, &time) || !time)
		return bl_value_undefined();
	bl_os_format_time(time * 1000, text);
	return bl_value_printf(arena, "%s", text);
}

struct bl_value bl_opa_state_value(const struct bl_opa_state *state,
				   struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(
		&object, BL_STR("text"),
		bl_value_string(bl_str(bl_team_state_text(state->state))));
	bl_object_builder_add(&object, BL_STR("signed"),
			      bl_value_boolean(state->key.len > 0));
	for (size_t i = 0; i < members.count; i++)
		bl_object_builder_add(&object, bl_str(items[i].name),
				      shown_value(&items[i], state, arena));
	return bl_object_builder_end(&object);
}

/* ---- what is in force ------------------------------------------------------------ */

static enum bl_status read_use(const struct bl_opa_place *place,
			       struct bl_arena *arena, struct bl_team_use *out,
			       struct bl_error *err)
{
	struct bl_str path = bl_team_use_path(arena, place->use_dir);

	return path.ptr ? bl_team_read_use(path, arena, out, err)
			: bl_arena_fail(arena, err);
}

enum bl_status opa_check_in_place(const struct bl_opa_place *place,
				  struct bl_arena *arena, struct bl_error *err)
{
	struct bl_team_use use = { .version = 0 };
	enum bl_status status = read_use(place, arena, &use, err);

	if (status)
		return status;
	return use.policies.len
		       ? bl_team_check_policies(&use, err)
		       : bl_fail(err, BL_DENIED, "%.*s names no policies",
				 BL_STR_ARG(use.file));
}

enum bl_status bl_opa_status(const struct bl_opa_place *place,
			     struct bl_arena *arena, struct bl_opa_state *out,
			     struct bl_error *err)
{
	struct bl_team_use use = { .version = 0 };
	struct bl_error why = { 0 };
	enum bl_status status = opa_state_read(place, arena, out, err);

	if (!status && !out->tried)
		status = bl_fail(err, BL_NOT_FOUND,
				 "no bundle was ever asked for here: belay opa "
				 "sync");
	if (status || !out->version)
		return status;
	status = opa_check_in_place(place, arena, &why);
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(err);
	if (status) {
		out->state = BL_TEAM_TAMPERED;
		out->detail = bl_arena_copy_str(arena, bl_str(why.message));
		return BL_OK;
	}
	status = read_use(place, arena, &use, err);
	if (!status)
		out->state = bl_team_use_state(&use, bl_os_wall_ms() / 1000);
	return status;
}

static bool has_bundle(struct bl_str dir, struct bl_arena *arena)
{
	struct bl_str path = bl_path_join(arena, bl_path_dir(dir),
					  BL_STR("opa/" OPA_BUNDLE_FILE));
	struct bl_file_info info;

	return path.ptr && !bl_os_info_path(path, &info, NULL);
}

bool bl_opa_is_in_force(struct bl_str system_root, struct bl_str home,
			struct bl_arena *arena)
{
	return has_bundle(bl_team_managed_dir(arena, system_root), arena) ||
	       has_bundle(bl_team_user_dir(arena, home), arena);
}

/* The record first: from then on nothing of the folder counts. */
static enum bl_status leave_locked(const struct bl_opa_place *place,
				   struct bl_arena *arena, struct bl_error *err)
{
	static const char *const names[] = { "sets", OPA_BUNDLE_FILE,
					     OPA_NEW_FILE, STATE_FILE,
					     "log.json" };
	struct bl_str record = bl_team_use_path(arena, place->use_dir);
	struct bl_file_info info;
	enum bl_status status = BL_OK;

	if (!record.ptr)
		return bl_arena_fail(arena, err);
	if (!bl_os_info_path(record, &info, NULL))
		status = bl_os_remove_file(record, err);
	for (size_t i = 0; !status && i < BL_COUNT(names); i++) {
		struct bl_str path = opa_path(place, names[i], arena);

		if (!path.ptr)
			return bl_arena_fail(arena, err);
		if (!bl_os_info_path(path, &info, NULL))
			status = info.type == BL_FILE_DIRECTORY
					 ? bl_os_remove_tree(path, err)
					 : bl_os_remove_file(path, err);
	}
	return status;
}

enum bl_status bl_opa_leave(const struct bl_opa_place *place,
			    struct bl_arena *arena, struct bl_error *err)
{
	struct bl_str path = opa_path(place, STATE_FILE, arena);
	struct bl_str kept = opa_path(place, OPA_BUNDLE_FILE, arena);
	struct bl_file_info info;
	int lock = -1;
	enum bl_status status;

	if (!path.ptr || !kept.ptr)
		return bl_arena_fail(arena, err);
	/* A first sync that was killed leaves an archive without a state. */
	if (bl_os_info_path(path, &info, NULL) &&
	    bl_os_info_path(kept, &info, NULL))
		return bl_fail(err, BL_NOT_FOUND,
			       "no bundle of OPA's is in force here");
	if (place->is_managed && info.uid != bl_os_user_id())
		return bl_fail(err, BL_DENIED,
			       "root's %.*s has put the bundle in force: only "
			       "root takes it out",
			       BL_STR_ARG(place->config));
	status = opa_lock(place, arena, &lock, err);
	if (!status)
		status = leave_locked(place, arena, err);
	bl_os_close(lock);
	return status;
}
