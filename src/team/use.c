/* SPDX-License-Identifier: Apache-2.0 */
/*
 * use.c: the record of what is in force, written by sync and read at every event.
 * In the static program, so it needs no library.
 */
#include "json/json.h"
#include "os/os.h"
#include "team/document.h"

enum { USE_VERSION = 1, USE_MODE = 0600, MANAGED_MODE = 0644, MAX_DEPTH = 8 };

/* The clock may be this much behind the one that wrote the record. */
enum { CLOCK_SLACK_S = 600 };

static const char *const aged_names[] = {
	[BL_TEAM_AGED_KEEP] = "keep",
	[BL_TEAM_AGED_ASK] = "ask",
	[BL_TEAM_AGED_DENY] = "deny",
};

const char *bl_team_aged_name(enum bl_team_aged aged)
{
	return aged_names[aged];
}

bool bl_team_aged_find(struct bl_str name, enum bl_team_aged *out_aged)
{
	for (size_t i = 0; i < BL_COUNT(aged_names); i++) {
		if (!bl_str_is(name, aged_names[i]))
			continue;
		*out_aged = (enum bl_team_aged)i;
		return true;
	}
	return false;
}

/* ---- places ------------------------------------------------------------------- */

struct bl_str bl_team_managed_dir(struct bl_arena *arena,
				  struct bl_str system_root)
{
	return bl_arena_printf(arena, "%.*s/var/lib/belay/team",
			       BL_STR_ARG(system_root));
}

struct bl_str bl_team_user_dir(struct bl_arena *arena, struct bl_str home)
{
	return bl_path_join(arena, home, BL_STR(".local/state/belay/team"));
}

struct bl_str bl_team_use_path(struct bl_arena *arena, struct bl_str dir)
{
	return dir.ptr ? bl_path_join(arena, dir, BL_STR("in-force.json"))
		       : dir;
}

/* ---- reading ------------------------------------------------------------------ */

static bool is_true(struct bl_value object, const char *name)
{
	return bl_value_is_true(bl_object_find(object, bl_str(name)));
}

static enum bl_status read_file(struct bl_value value, struct bl_team_file *out,
				struct bl_error *err)
{
	enum bl_status status = team_get_text(value, "path", &out->path, err);

	if (!status)
		status = team_get_integer(value, "bytes", 0, &out->bytes, err);
	return status ? status
		      : team_get_digest(value, "sha256", out->sha256, err);
}

static enum bl_status read_files(struct bl_value object, struct bl_arena *arena,
				 struct bl_team_file **out, size_t *out_count,
				 struct bl_error *err)
{
	struct bl_value list;
	enum bl_status status = team_get_list(
		object, "files", 4 * BL_TEAM_MAX_FILES, &list, err);

	if (status)
		return status;
	*out_count = bl_value_count(list);
	*out = bl_arena_new_array(arena, struct bl_team_file, *out_count + 1);
	if (!*out)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; !status && i < *out_count; i++)
		status = read_file(bl_value_item(list, i), &(*out)[i], err);
	return status;
}

static enum bl_status read_folders(struct bl_value use, struct bl_arena *arena,
				   struct bl_team_use *out,
				   struct bl_error *err)
{
	enum { MAX_FOLDERS = 16 };
	struct bl_value list;
	enum bl_status status =
		team_get_list(use, "folders", MAX_FOLDERS, &list, err);

	if (status)
		return status;
	out->folder_count = bl_value_count(list);
	out->folders = bl_arena_new_array(arena, struct bl_team_folder,
					  out->folder_count + 1);
	if (!out->folders)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; !status && i < out->folder_count; i++) {
		struct bl_team_folder *folder = &out->folders[i];
		struct bl_value value = bl_value_item(list, i);

		status = team_get_text(value, "profile", &folder->profile, err);
		if (!status)
			status = team_get_text(value, "path", &folder->path,
					       err);
		if (!status)
			status = read_files(value, arena, &folder->files,
					    &folder->file_count, err);
	}
	return status;
}

static enum bl_status read_policies(struct bl_value use, struct bl_arena *arena,
				    struct bl_team_use *out,
				    struct bl_error *err)
{
	struct bl_value policies = bl_object_find(use, BL_STR("policies"));
	enum bl_status status;

	if (!bl_value_is_defined(policies))
		return BL_OK;
	status = team_get_text(policies, "path", &out->policies, err);
	return status ? status
		      : read_files(policies, arena, &out->policy_files,
				   &out->policy_file_count, err);
}

static enum bl_status read_numbers(struct bl_value use, struct bl_team_use *out,
				   struct bl_error *err)
{
	enum bl_status status =
		team_get_integer(use, "version", 0, &out->version, err);

	if (!status)
		status =
			team_get_integer(use, "checked", 0, &out->checked, err);
	if (!status)
		status = team_get_integer(use, "fresh_until", 0,
					  &out->fresh_until, err);
	if (!status)
		status = team_get_integer(use, "max_age_s", 0, &out->max_age_s,
					  err);
	return status;
}

static enum bl_status read_words(struct bl_value use, struct bl_team_use *out,
				 struct bl_error *err)
{
	struct bl_str state = { NULL, 0 };
	struct bl_str aged = { NULL, 0 };
	enum bl_status status =
		team_get_text(use, "team_id", &out->team_id, err);

	if (!status)
		status = team_get_text(use, "server", &out->server, err);
	if (!status)
		status = team_get_text(use, "state", &state, err);
	if (!status)
		status = team_get_text(use, "detail", &out->detail, err);
	if (!status)
		status = team_get_text(use, "aged", &aged, err);
	if (!status && !bl_team_state_find(state, &out->state))
		status = bl_fail(err, BL_INVALID, "there is no state '%.*s'",
				 BL_STR_ARG(state));
	if (!status && !bl_team_aged_find(aged, &out->aged))
		status = bl_fail(err, BL_INVALID, "its aged is '%.*s'",
				 BL_STR_ARG(aged));
	out->is_accepted = is_true(use, "accepted");
	out->is_managed = is_true(use, "managed");
	return status;
}

/* Nobody but its user (or root) may have written it. */
static enum bl_status check_owner(const struct bl_file_info *info,
				  struct bl_error *err)
{
	if (info->uid != 0 && info->uid != bl_os_user_id())
		return bl_fail(err, BL_DENIED,
			       "it belongs to neither root nor this user");
	if (info->mode & 022)
		return bl_fail(err, BL_DENIED, "others can write it");
	return BL_OK;
}

enum bl_status bl_team_read_use(struct bl_str path, struct bl_arena *arena,
				struct bl_team_use *out, struct bl_error *err)
{
	struct bl_json_options options = { .max_depth = MAX_DEPTH };
	struct bl_file_info info;
	struct bl_value use;
	struct bl_str text;
	enum bl_status status =
		bl_os_read_file(path, BL_OPEN_NO_LINK, BL_TEAM_MAX_USE_BYTES,
				arena, &text, &info, err);

	*out = (struct bl_team_use){ .file = path };
	if (status)
		return status;
	status = check_owner(&info, err);
	if (!status)
		status = bl_json_read(arena, text, &options, &use, NULL, NULL,
				      err);
	if (!status)
		status = read_words(use, out, err);
	if (!status)
		status = read_numbers(use, out, err);
	if (!status)
		status = read_folders(use, arena, out, err);
	if (!status)
		status = read_policies(use, arena, out, err);
	if (status)
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
	return status == BL_NOT_FOUND ? BL_INVALID : status;
}

static enum bl_status find_managed(struct bl_str system_root,
				   struct bl_arena *arena,
				   struct bl_team_use *out,
				   struct bl_error *err)
{
	struct bl_str path = bl_team_use_path(
		arena, bl_team_managed_dir(arena, system_root));
	struct bl_file_info info;
	enum bl_status status;

	if (!path.ptr)
		return bl_arena_fail(arena, err);
	status = bl_team_read_use(path, arena, out, err);
	if (status)
		return status;
	if (bl_os_info_path(path, &info, NULL) ||
	    (info.uid != 0 && !system_root.len))
		return bl_fail(err, BL_DENIED, "%.*s does not belong to root",
			       BL_STR_ARG(path));
	out->is_managed = true;
	return BL_OK;
}

enum bl_status bl_team_find_use(struct bl_str system_root, struct bl_str home,
				struct bl_arena *arena, struct bl_team_use *out,
				struct bl_error *err)
{
	enum bl_status status = find_managed(system_root, arena, out, err);
	struct bl_str path;

	if (status != BL_NOT_FOUND || !home.len)
		return status;
	path = bl_team_use_path(arena, bl_team_user_dir(arena, home));
	if (!path.ptr)
		return bl_arena_fail(arena, err);
	status = bl_team_read_use(path, arena, out, err);
	out->is_managed = false;
	return status;
}

void bl_team_look(struct bl_str system_root, struct bl_str home,
		  struct bl_arena *arena, struct bl_team_found *out)
{
	struct bl_error err;

	*out = (struct bl_team_found){ .status = BL_OK };
	out->status =
		bl_team_find_use(system_root, home, arena, &out->use, &err);
	if (out->status)
		out->why = bl_arena_copy_str(arena, bl_str(err.message));
}

/* ---- asking ------------------------------------------------------------------- */

enum bl_team_state bl_team_use_state(const struct bl_team_use *use,
				     int64_t now_s)
{
	int64_t age = now_s - use->checked;

	if (!use->is_accepted && !use->is_managed)
		return BL_TEAM_NOTICE_PENDING;
	if (age < -CLOCK_SLACK_S)
		return BL_TEAM_CLOCK_WRONG;
	if (use->max_age_s && age > use->max_age_s)
		return BL_TEAM_TOO_OLD;
	if (now_s > use->fresh_until && (use->state == BL_TEAM_CURRENT ||
					 use->state == BL_TEAM_NOT_MODIFIED))
		return BL_TEAM_STALE;
	return use->state;
}

enum bl_status bl_team_get_policies(const struct bl_team_found *found,
				    int64_t now_s, struct bl_str *out_dir,
				    struct bl_error *err)
{
	const struct bl_team_use *use = &found->use;
	enum bl_team_state state;

	if (found->status)
		return bl_fail(err, found->status, "%.*s",
			       BL_STR_ARG(found->why));
	state = bl_team_use_state(use, now_s);
	if (!use->policies.len || state == BL_TEAM_NOTICE_PENDING)
		return bl_fail(err, BL_NOT_FOUND,
			       "no policies of a team are in force");
	if (state == BL_TEAM_TOO_OLD && use->aged == BL_TEAM_AGED_DENY)
		return bl_fail(err, BL_DENIED, "%s: %s (team %.*s)",
			       bl_team_state_name(state),
			       bl_team_state_text(state),
			       BL_STR_ARG(use->team_id));
	*out_dir = use->policies;
	return BL_OK;
}

enum bl_status bl_team_find_policies(struct bl_str system_root,
				     struct bl_str home, int64_t now_s,
				     struct bl_arena *arena,
				     struct bl_str *out_dir,
				     struct bl_error *err)
{
	struct bl_team_found found;

	bl_team_look(system_root, home, arena, &found);
	return bl_team_get_policies(&found, now_s, out_dir, err);
}

const struct bl_team_folder *bl_team_find_folder(const struct bl_team_use *use,
						 struct bl_str profile)
{
	for (size_t i = 0; i < use->folder_count; i++)
		if (bl_str_equal(use->folders[i].profile, profile))
			return &use->folders[i];
	return NULL;
}

bool bl_team_is_signed(const struct bl_team_file *files, size_t count,
		       struct bl_str name, struct bl_str bytes)
{
	char digest[BL_SHA256_HEX_BYTES] = "";

	for (size_t i = 0; i < count; i++) {
		if (!bl_str_equal(files[i].path, name) ||
		    files[i].bytes != (int64_t)bytes.len)
			continue;
		if (!digest[0])
			bl_sha256_hex(bytes, digest);
		if (!strcmp(files[i].sha256, digest))
			return true;
	}
	return false;
}

/* ---- the policy directory ------------------------------------------------------- */

/* A walk over the directory: each file it meets must be signed. */
struct walk {
	const struct bl_team_use *use;
	struct bl_arena *arena;
	size_t met;
	struct bl_error *err;
};

static enum bl_status check_policy(struct walk *walk, struct bl_str path)
{
	struct bl_str name =
		bl_str_slice(path, walk->use->policies.len + 1, SIZE_MAX);
	size_t position = bl_arena_position(walk->arena);
	struct bl_str text;
	enum bl_status status =
		bl_os_read_file(path, BL_OPEN_NO_LINK, BL_TEAM_MAX_FILE_BYTES,
				walk->arena, &text, NULL, walk->err);

	if (!status &&
	    !bl_team_is_signed(walk->use->policy_files,
			       walk->use->policy_file_count, name, text))
		status = bl_fail(walk->err, BL_DENIED,
				 "%.*s is not the file that was signed",
				 BL_STR_ARG(path));
	bl_arena_rewind(walk->arena, position);
	walk->met++;
	return status;
}

/* Recursion: as deep as folders of a path of 255 bytes are, at most 16. */
static enum bl_status check_folder(struct walk *walk, struct bl_str folder,
				   int depth)
{
	enum { MAX_NESTING = 16 };
	struct bl_str *names;
	size_t count;
	enum bl_status status =
		bl_os_list_dir(folder, BL_TEAM_MAX_FILES, walk->arena, &names,
			       &count, walk->err);

	if (!status && depth > MAX_NESTING)
		status = bl_fail(walk->err, BL_LIMIT, "%.*s is too deep",
				 BL_STR_ARG(folder));
	for (size_t i = 0; !status && i < count; i++) {
		struct bl_str path =
			bl_path_join(walk->arena, folder, names[i]);
		struct bl_file_info info;

		if (!path.ptr)
			return bl_arena_fail(walk->arena, walk->err);
		status = bl_os_info_path(path, &info, walk->err);
		if (!status)
			status = info.type == BL_FILE_DIRECTORY
					 ? check_folder(walk, path, depth + 1)
					 : check_policy(walk, path);
	}
	return status;
}

enum bl_status bl_team_check_policies(const struct bl_team_use *use,
				      struct bl_error *err)
{
	struct bl_arena arena;
	struct walk walk = { .use = use, .arena = &arena, .err = err };
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	status = check_folder(&walk, use->policies, 0);
	if (!status && walk.met != use->policy_file_count)
		status = bl_fail(err, BL_DENIED,
				 "%.*s has lost a file that was signed",
				 BL_STR_ARG(use->policies));
	bl_arena_clear(&arena);
	return status;
}

/* ---- writing ------------------------------------------------------------------ */

static struct bl_value files_value(struct bl_arena *arena,
				   const struct bl_team_file *files,
				   size_t count)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < count; i++) {
		struct bl_object_builder object;

		bl_object_builder_init(&object, arena);
		bl_object_builder_add(&object, BL_STR("path"),
				      bl_value_string(files[i].path));
		bl_object_builder_add(&object, BL_STR("bytes"),
				      bl_value_integer(files[i].bytes));
		bl_object_builder_add(&object, BL_STR("sha256"),
				      bl_value_string(bl_str(files[i].sha256)));
		bl_array_builder_add(&list, bl_object_builder_end(&object));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value folders_value(struct bl_arena *arena,
				     const struct bl_team_use *use)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < use->folder_count; i++) {
		const struct bl_team_folder *folder = &use->folders[i];
		struct bl_object_builder object;

		bl_object_builder_init(&object, arena);
		bl_object_builder_add(&object, BL_STR("profile"),
				      bl_value_string(folder->profile));
		bl_object_builder_add(&object, BL_STR("path"),
				      bl_value_string(folder->path));
		bl_object_builder_add(
			&object, BL_STR("files"),
			files_value(arena, folder->files, folder->file_count));
		bl_array_builder_add(&list, bl_object_builder_end(&object));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value policies_value(struct bl_arena *arena,
				      const struct bl_team_use *use)
{
	struct bl_object_builder object;

	if (!use->policies.len)
		return bl_value_undefined();
	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("path"),
			      bl_value_string(use->policies));
	bl_object_builder_add(
		&object, BL_STR("files"),
		files_value(arena, use->policy_files, use->policy_file_count));
	return bl_object_builder_end(&object);
}

static struct bl_value use_value(struct bl_arena *arena,
				 const struct bl_team_use *use)
{
	const struct {
		const char *name;
		struct bl_value value;
	} members[] = {
		{ "v", bl_value_integer(USE_VERSION) },
		{ "team_id", bl_value_string(use->team_id) },
		{ "server", bl_value_string(use->server) },
		{ "managed", bl_value_boolean(use->is_managed) },
		{ "accepted", bl_value_boolean(use->is_accepted) },
		{ "state",
		  bl_value_string(bl_str(bl_team_state_name(use->state))) },
		{ "detail", bl_value_string(use->detail) },
		{ "version", bl_value_integer(use->version) },
		{ "checked", bl_value_integer(use->checked) },
		{ "fresh_until", bl_value_integer(use->fresh_until) },
		{ "max_age_s", bl_value_integer(use->max_age_s) },
		{ "aged",
		  bl_value_string(bl_str(bl_team_aged_name(use->aged))) },
		{ "folders", folders_value(arena, use) },
		{ "policies", policies_value(arena, use) },
	};
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	for (size_t i = 0; i < BL_COUNT(members); i++)
		bl_object_builder_add(&object, bl_str(members[i].name),
				      members[i].value);
	return bl_object_builder_end(&object);
}

enum bl_status bl_team_write_use(const struct bl_team_use *use,
				 struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_value value;
	struct bl_buf text;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	value = use_value(&arena, use);
	bl_buf_init(&text, BL_TEAM_MAX_USE_BYTES);
	bl_json_write(&text, value, BL_JSON_PRETTY);
	bl_buf_put_char(&text, '\n');
	status = bl_value_is_defined(value) ? bl_buf_status(&text)
					    : BL_NO_MEMORY;
	if (status)
		status = bl_fail(err, status, "%.*s", BL_STR_ARG(use->file));
	else
		status = bl_os_replace_file(
			use->file, bl_buf_str(&text),
			use->is_managed ? MANAGED_MODE : USE_MODE, err);
	bl_buf_clear(&text);
	bl_arena_clear(&arena);
	return status;
}
