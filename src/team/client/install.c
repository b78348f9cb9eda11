/* SPDX-License-Identifier: Apache-2.0 */
/*
 * install.c: the files of a set: fetched, checked, put in place.
 *
 * The switch, for each folder of hooks:
 *     hooks.belay-new   written whole, each file and the folder synced
 *     in-force.json     names old and new digests
 *     hooks <-> hooks.belay-new   one exchange
 *     in-force.json     names the new digests
 * An event between two of these steps finds files that are signed.  The former
 * folder stays, as hooks.belay-former, for scripts that still run from it.
 */
#include "team/client/private.h"

#include "sources/hooks/hooks.h"

enum { HTTP_OK = 200 };

static uint32_t dir_mode(bool is_managed)
{
	return is_managed ? TEAM_MANAGED_DIR_MODE : TEAM_DIR_MODE;
}

/* A failure of the disk has a state of its own; the error has its words. */
static enum bl_status disk_failed(struct team_update *update,
				  enum bl_status status)
{
	enum { NO_SPACE = 28, QUOTA = 122 }; /* ENOSPC, EDQUOT */

	if (status && (update->err->sys_errno == NO_SPACE ||
		       update->err->sys_errno == QUOTA))
		update->session.state = BL_TEAM_DISK_FULL;
	return status;
}

/* ---- fetching ------------------------------------------------------------------- */

static struct bl_str set_path(const struct team_update *update, int64_t version,
			      struct bl_str sha256)
{
	struct bl_str name = team_set_name(version, sha256, update->arena);

	return bl_arena_printf(update->arena, "%.*s/sets/%.*s",
			       BL_STR_ARG(update->session.client->place.dir),
			       BL_STR_ARG(name));
}

static bool is_it(const struct bl_team_file *file, struct bl_str text)
{
	char digest[BL_SHA256_HEX_BYTES];

	if (file->bytes != (int64_t)text.len)
		return false;
	bl_sha256_hex(text, digest);
	return !strcmp(digest, file->sha256);
}

/* From the set in force: most files of the next one are the same. */
static bool take_from_set(struct team_update *update,
			  const struct bl_team_file *file, struct bl_str *out)
{
	const struct team_state *state = update->state;
	struct bl_str set =
		set_path(update, state->version, state->manifest_sha256);
	struct bl_str path = bl_path_join(update->arena, set, file->path);

	return state->version && path.ptr &&
	       !bl_os_read_file(path, BL_OPEN_NO_LINK, (size_t)file->bytes,
				update->arena, out, NULL, NULL) &&
	       is_it(file, *out);
}

static enum bl_status download(struct team_update *update,
			       const struct bl_team_file *file,
			       struct bl_str *out)
{
	struct team_request request = {
		.method = "GET",
		.path = bl_arena_printf(update->arena, "/v1/o/%s",
					file->sha256),
		.max_bytes = (size_t)file->bytes,
	};
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status =
		request.path.ptr ? team_call(&update->session, &request, &reply)
				 : bl_arena_fail(update->arena, update->err);

	if (status) {
		bl_error_context(update->err, "%.*s", BL_STR_ARG(file->path));
		return status;
	}
	if (reply.status != HTTP_OK)
		return team_refuse(update, BL_TEAM_INCOMPLETE,
				   "%.*s: the server does not have it (status "
				   "%d)",
				   BL_STR_ARG(file->path), reply.status);
	if (!is_it(file, reply.body))
		return team_refuse(update, BL_TEAM_INCOMPLETE,
				   "%.*s: what came is not what was signed",
				   BL_STR_ARG(file->path));
	*out = reply.body;
	return BL_OK;
}

enum bl_status team_fetch_files(struct team_update *update, bool is_offline)
{
	const struct bl_team_manifest *manifest = &update->manifest;
	enum bl_status status = BL_OK;

	update->contents = bl_arena_new_array(update->arena, struct bl_str,
					      manifest->file_count + 1);
	if (!update->contents)
		return bl_arena_fail(update->arena, update->err);
	for (size_t i = 0; !status && i < manifest->file_count; i++) {
		const struct bl_team_file *file = &manifest->files[i];

		if (take_from_set(update, file, &update->contents[i]))
			continue;
		if (is_offline)
			return team_refuse(update, BL_TEAM_TAMPERED,
					   "%.*s is not the file that was "
					   "signed",
					   BL_STR_ARG(file->path));
		status = download(update, file, &update->contents[i]);
	}
	return status;
}

enum bl_status team_check_content(struct team_update *update)
{
	const struct bl_team_manifest *manifest = &update->manifest;
	const struct bl_team_file *file =
		bl_team_find_file(manifest, BL_STR(BL_TEAM_HOOKS_FILE));
	enum bl_status status;

	update->hooks = (struct bl_team_hooks){ NULL, 0 };
	if (!file)
		return BL_OK;
	status = bl_team_decode(BL_TEAM_RESPONSE,
				update->contents[file - manifest->files],
				update->arena, &update->hooks, update->err);
	if (!status)
		status = bl_team_check_hooks(
			&update->hooks, bl_contract_get(BL_DIALECT_CURSOR_2_3),
			update->err);
	if (status)
		update->session.state = BL_TEAM_REFUSED_CONTENT;
	return status;
}

/* ---- the set's folder ------------------------------------------------------------- */

static enum bl_status create(struct bl_str path, struct bl_str text,
			     uint32_t mode, bool is_managed,
			     struct bl_error *err)
{
	enum bl_status status;

	if (!path.ptr)
		return bl_fail_memory(err);
	status = bl_os_make_dirs(bl_path_dir(path), dir_mode(is_managed), err);
	return status ? status : bl_os_create_file(path, text, mode, err);
}

static enum bl_status write_file(struct team_update *update,
				 struct bl_str folder, struct bl_str name,
				 struct bl_str text, uint32_t mode)
{
	return create(bl_path_join(update->arena, folder, name), text, mode,
		      update->session.client->place.is_managed, update->err);
}

enum bl_status bl_team_write_folder(struct bl_str path, bool is_managed,
				    const struct bl_team_content *content,
				    struct bl_arena *arena,
				    struct bl_error *err)
{
	struct bl_str draft =
		bl_arena_printf(arena, "%.*s.tmp", BL_STR_ARG(path));
	struct bl_file_info info;
	enum bl_status status;

	if (!draft.ptr)
		return bl_arena_fail(arena, err);
	if (!bl_os_info_path(draft, &info, NULL))
		bl_os_remove_tree(draft, NULL);
	status = bl_os_make_dirs(draft, dir_mode(is_managed), err);
	for (size_t i = 0; !status && i < content->count; i++)
		status = create(
			bl_path_join(arena, draft, content->files[i].path),
			content->texts[i], TEAM_MANAGED_FILE_MODE, is_managed,
			err);
	if (!status)
		status = bl_os_sync_dir(draft, err);
	/* There already, and something in it was not as signed. */
	if (!status && !bl_os_info_path(path, &info, NULL))
		status = bl_os_remove_tree(path, err);
	if (!status)
		status = bl_os_rename(draft, path, err);
	if (!status)
		status = bl_os_sync_dir(bl_path_dir(path), err);
	if (status)
		bl_os_remove_tree(draft, NULL);
	return status;
}

static enum bl_status write_set(struct team_update *update, struct bl_str path)
{
	const struct bl_team_content content = {
		.files = update->manifest.files,
		.texts = update->contents,
		.count = update->manifest.file_count,
	};

	return bl_team_write_folder(path,
				    update->session.client->place.is_managed,
				    &content, update->arena, update->err);
}

/* ---- folders of hooks --------------------------------------------------------------- */

/* Where a profile looks for the team's hooks; ptr NULL: nowhere, or memory. */
static struct bl_str hook_folder(const struct bl_team_place *place,
				 const struct bl_profile *profile,
				 struct bl_str team_id, struct bl_arena *arena)
{
	struct bl_str path = place->home;

	if (!profile->team_folder[0])
		return (struct bl_str){ NULL, 0 };
	if (place->is_managed)
		return bl_arena_printf(arena, "%.*s/hooks/%s",
				       BL_STR_ARG(place->dir), profile->name);
	for (size_t i = 0; i < BL_COUNT(profile->team_folder) &&
			   profile->team_folder[i] && path.ptr;
	     i++) {
		const char *part = profile->team_folder[i];
		const char *star = strchr(part, '*');

		path = star ? bl_arena_printf(arena, "%.*s/%.*s%.*s%s",
					      BL_STR_ARG(path),
					      (int)(star - part), part,
					      BL_STR_ARG(team_id), star + 1)
			    : bl_path_join(arena, path, bl_str(part));
	}
	return path;
}

static bool has_event_before(const struct team_update *update, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (bl_team_hook_applies(&update->hooks.items[i],
					 bl_team_system_name()) &&
		    bl_str_equal(update->hooks.items[i].event_name,
				 update->hooks.items[at].event_name))
			return true;
	return false;
}

/* The commands of an event, in the order of the response. */
static struct bl_value event_value(const struct team_update *update,
				   struct bl_str event_name)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, update->arena);
	for (size_t i = 0; i < update->hooks.count; i++) {
		const struct bl_team_hook *hook = &update->hooks.items[i];
		struct bl_object_builder entry;

		if (!bl_str_equal(hook->event_name, event_name) ||
		    !bl_team_hook_applies(hook, bl_team_system_name()))
			continue;
		bl_object_builder_init(&entry, update->arena);
		bl_object_builder_add(
			&entry, BL_STR("command"),
			bl_value_printf(update->arena, "./%.*s",
					BL_STR_ARG(hook->script_name)));
		bl_array_builder_add(&list, bl_object_builder_end(&entry));
	}
	return bl_array_builder_end(&list);
}

/* hooks.json in the founding contract's form. */
static struct bl_str hooks_json(const struct team_update *update)
{
	struct bl_object_builder file, events;
	struct bl_str text;
	struct bl_buf out;

	bl_object_builder_init(&events, update->arena);
	for (size_t i = 0; i < update->hooks.count; i++) {
		const struct bl_team_hook *hook = &update->hooks.items[i];

		if (bl_team_hook_applies(hook, bl_team_system_name()) &&
		    !has_event_before(update, i))
			bl_object_builder_add(
				&events, hook->event_name,
				event_value(update, hook->event_name));
	}
	bl_object_builder_init(&file, update->arena);
	bl_object_builder_add(&file, BL_STR("version"), bl_value_integer(1));
	bl_object_builder_add(&file, BL_STR("hooks"),
			      bl_object_builder_end(&events));
	bl_buf_init(&out, 0);
	bl_json_write(&out, bl_object_builder_end(&file), BL_JSON_PRETTY);
	bl_buf_put_char(&out, '\n');
	text = bl_buf_status(&out)
		       ? (struct bl_str){ NULL, 0 }
		       : bl_arena_copy_str(update->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

static void note_file(struct bl_team_folder *folder, struct bl_str name,
		      struct bl_str text)
{
	struct bl_team_file *file = &folder->files[folder->file_count++];

	file->path = name;
	file->bytes = (int64_t)text.len;
	bl_sha256_hex(text, file->sha256);
}

/* Writes a folder of hooks beside its place, and lists it. */
static enum bl_status write_hooks(struct team_update *update,
				  struct bl_team_folder *folder,
				  struct bl_str json)
{
	struct bl_str draft =
		bl_arena_printf(update->arena, "%.*s" TEAM_NEW_SUFFIX,
				BL_STR_ARG(folder->path));
	struct bl_file_info info;
	enum bl_status status = BL_OK;

	folder->files = bl_arena_new_array(update->arena, struct bl_team_file,
					   update->hooks.count + 1);
	if (!draft.ptr || !folder->files)
		return bl_arena_fail(update->arena, update->err);
	if (!bl_os_info_path(draft, &info, NULL))
		status = bl_os_remove_tree(draft, update->err);
	if (!status)
		status = write_file(update, draft, BL_STR("hooks.json"), json,
				    TEAM_MANAGED_FILE_MODE);
	note_file(folder, BL_STR("hooks.json"), json);
	for (size_t i = 0; !status && i < update->hooks.count; i++) {
		const struct bl_team_hook *hook = &update->hooks.items[i];

		if (!bl_team_hook_applies(hook, bl_team_system_name()))
			continue;
		status = write_file(update, draft, hook->script_name,
				    hook->content, TEAM_SCRIPT_MODE);
		note_file(folder, hook->script_name, hook->content);
	}
	return status ? status : bl_os_sync_dir(draft, update->err);
}

static enum bl_status switch_folder(struct team_update *update,
				    struct bl_str path)
{
	struct bl_arena *arena = update->arena;
	struct bl_str draft = bl_arena_printf(arena, "%.*s" TEAM_NEW_SUFFIX,
					      BL_STR_ARG(path));
	struct bl_str former = bl_arena_printf(arena, "%.*s" TEAM_FORMER_SUFFIX,
					       BL_STR_ARG(path));
	struct bl_file_info info;
	enum bl_status status = BL_OK;

	if (!draft.ptr || !former.ptr)
		return bl_arena_fail(arena, update->err);
	if (!bl_os_info_path(former, &info, NULL))
		status = bl_os_remove_tree(former, update->err);
	if (status)
		return status;
	if (bl_os_info_path(path, &info, NULL)) {
		status = bl_os_rename(draft, path, update->err);
	} else {
		status = bl_os_exchange(draft, path, update->err);
		if (!status)
			status = bl_os_rename(draft, former, update->err);
	}
	return status ? status : bl_os_sync_dir(bl_path_dir(path), update->err);
}

/* ---- the record ------------------------------------------------------------------ */

static void fill_use(struct bl_team_use *use, const struct bl_team_place *place,
		     const struct bl_team_account *account,
		     const struct team_state *state)
{
	use->team_id = account->team_id;
	use->server = account->server;
	use->is_managed = place->is_managed;
	use->state = state->state;
	use->detail = state->detail;
	use->checked = state->checked;
	use->fresh_until = state->fresh_until;
	use->max_age_s = account->max_age_s;
	use->aged = account->aged;
}

enum bl_status team_note_state(const struct bl_team_place *place,
			       const struct bl_team_account *account,
			       const struct team_state *state, bool is_accepted,
			       struct bl_arena *arena, struct bl_error *err)
{
	struct bl_str path = bl_team_use_path(arena, place->dir);
	struct bl_team_use use = { .file = path };
	enum bl_status status =
		path.ptr ? bl_team_read_use(path, arena, &use, err)
			 : bl_arena_fail(arena, err);

	/* A record that cannot be used refuses; an empty one would not. */
	if (status && status != BL_NOT_FOUND)
		return status;
	fill_use(&use, place, account, state);
	use.is_accepted = is_accepted;
	return bl_team_write_use(&use, err);
}

/* The folder with the digests of both generations. */
static enum bl_status join(struct team_update *update,
			   const struct bl_team_use *former,
			   const struct bl_team_folder *next,
			   struct bl_team_folder *out)
{
	const struct bl_team_folder *before =
		bl_team_find_folder(former, next->profile);
	size_t more = before ? before->file_count : 0;

	*out = *next;
	out->files = bl_arena_new_array(update->arena, struct bl_team_file,
					next->file_count + more + 1);
	if (!out->files)
		return bl_arena_fail(update->arena, update->err);
	memcpy(out->files, next->files,
	       next->file_count * sizeof(*next->files));
	if (more)
		memcpy(out->files + next->file_count, before->files,
		       more * sizeof(*before->files));
	out->file_count += more;
	return BL_OK;
}

/* The policies of the set, relative to their folder. */
static enum bl_status list_policies(struct team_update *update,
				    struct bl_str set, struct bl_team_use *use)
{
	const struct bl_team_manifest *manifest = &update->manifest;
	struct bl_str start = BL_STR(BL_TEAM_POLICY_FOLDER "/");

	use->policies = (struct bl_str){ NULL, 0 };
	use->policy_file_count = 0;
	use->policy_files = bl_arena_new_array(
		update->arena, struct bl_team_file, manifest->file_count + 1);
	if (!use->policy_files)
		return bl_arena_fail(update->arena, update->err);
	for (size_t i = 0; i < manifest->file_count; i++) {
		struct bl_team_file file = manifest->files[i];

		if (!bl_str_has_prefix(file.path, start))
			continue;
		file.path = bl_str_slice(file.path, start.len, SIZE_MAX);
		use->policy_files[use->policy_file_count++] = file;
	}
	if (!use->policy_file_count)
		return BL_OK;
	use->policies =
		bl_path_join(update->arena, set, BL_STR(BL_TEAM_POLICY_FOLDER));
	return use->policies.ptr ? BL_OK
				 : bl_arena_fail(update->arena, update->err);
}

static enum bl_status prepare_policies(struct team_update *update,
				       struct bl_str dir)
{
	const struct bl_team_client *client = update->session.client;
	enum bl_status status;

	if (!dir.len || !client->prepare)
		return BL_OK;
	status = client->prepare(client->context, dir, update->err);
	if (status)
		update->session.state = BL_TEAM_REFUSED_CONTENT;
	return status;
}

/* ---- putting in place -------------------------------------------------------------- */

enum { MAX_FOLDERS = 8 };

/* A set on its way from its draft to being in force. */
struct installation {
	struct team_update *update;
	struct bl_team_use former;
	struct bl_team_use next;
	struct bl_team_folder folders[MAX_FOLDERS];
	struct bl_team_folder joined[MAX_FOLDERS];
};

static enum bl_status write_all_hooks(struct installation *in)
{
	struct team_update *update = in->update;
	struct bl_str json = hooks_json(update);
	enum bl_status status = BL_OK;
	const struct bl_profile *profile;

	if (!json.ptr)
		return bl_arena_fail(update->arena, update->err);
	for (size_t i = 0; !status && (profile = bl_profile_at(i)) != NULL;
	     i++) {
		struct bl_team_folder *folder =
			&in->folders[in->next.folder_count];

		folder->profile = bl_str(profile->name);
		folder->path =
			hook_folder(&update->session.client->place, profile,
				    update->account->team_id, update->arena);
		if (!folder->path.ptr || in->next.folder_count == MAX_FOLDERS)
			continue;
		folder->file_count = 0;
		status = write_hooks(update, folder, json);
		if (!status)
			status = join(update, &in->former, folder,
				      &in->joined[in->next.folder_count]);
		in->next.folder_count++;
	}
	return status;
}

/* Both generations are signed, then the switch, then the new one alone is. */
static enum bl_status switch_over(struct installation *in)
{
	struct team_update *update = in->update;
	enum bl_status status;

	in->next.folders = in->joined;
	status = bl_team_write_use(&in->next, update->err);
	for (size_t i = 0; !status && i < in->next.folder_count; i++)
		status = switch_folder(update, in->folders[i].path);
	in->next.folders = in->folders;
	return status ? status : bl_team_write_use(&in->next, update->err);
}

static void remember(struct team_update *update)
{
	struct team_state *state = update->state;
	const struct bl_team_manifest *manifest = &update->manifest;
	struct team_seen seen = { .version = manifest->version };
	size_t kept = 0;

	bl_sha256_hex(update->manifest_text, seen.sha256);
	state->version = manifest->version;
	state->manifest_sha256 =
		bl_arena_copy_str(update->arena, bl_str(seen.sha256));
	if (manifest->floor > state->floor)
		state->floor = manifest->floor;
	for (size_t i = 0; i < state->seen_count; i++)
		if (state->seen[i].version != seen.version &&
		    state->seen[i].version >= state->floor)
			state->seen[kept++] = state->seen[i];
	if (kept == TEAM_MAX_SEEN) {
		memmove(state->seen, state->seen + 1,
			(kept - 1) * sizeof(state->seen[0]));
		kept--;
	}
	state->seen[kept] = seen;
	state->seen_count = kept + 1;
}

static enum bl_status install(struct installation *in)
{
	struct team_update *update = in->update;
	const struct bl_team_place *place = &update->session.client->place;
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_str set;
	enum bl_status status;

	bl_sha256_hex(update->manifest_text, digest);
	set = set_path(update, update->manifest.version, bl_str(digest));
	in->next.file = bl_team_use_path(update->arena, place->dir);
	if (!set.ptr || !in->next.file.ptr)
		return bl_arena_fail(update->arena, update->err);
	if (bl_team_read_use(in->next.file, update->arena, &in->former, NULL))
		in->former = (struct bl_team_use){ .version = 0 };
	fill_use(&in->next, place, update->account, update->state);
	in->next.version = update->manifest.version;
	in->next.is_accepted =
		bl_str_equal(update->account->accepted, update->fingerprint);
	status = write_set(update, set);
	if (!status)
		status = list_policies(update, set, &in->next);
	if (!status)
		status = prepare_policies(update, in->next.policies);
	if (!status)
		status = write_all_hooks(in);
	if (!status)
		status =
			team_write_own(place, "manifest", update->manifest_text,
				       TEAM_MANAGED_FILE_MODE, update->err);
	if (!status)
		status = switch_over(in);
	if (status)
		return status;
	remember(update);
	return BL_OK;
}

enum bl_status team_install(struct team_update *update)
{
	struct installation in = { .update = update };

	update->session.state = BL_TEAM_INCOMPLETE;
	return disk_failed(update, install(&in));
}
