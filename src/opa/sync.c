/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.c: one sync: fetch, verify, put in place as a whole, remember.
 *
 *     bundle.tar.gz.new   the archive, written and synced
 *     sets/SHA256         the policy directory, checked, written as a whole
 *     bundle.tar.gz       the archive gets its name
 *     in-force.json       from here on events read the new directory
 *     state.json
 * Killed between two of these steps, the next sync fetches again: the ETag is in
 * state.json.
 */
#include "opa/private.h"

#include <stdarg.h>

enum {
	FRESH_POLLS = 3,
	MAX_SETS = 1024,
	MOST_DOUBLINGS = 17, /* 2^17 s are more than a day */
	SET_DIGITS = 16,
};

#define NEW_FILE "bundle.new.tar.gz"

enum bl_status opa_refuse(struct opa_sync *sync, enum bl_team_state state,
			  const char *fmt, ...)
{
	struct bl_str text;
	va_list args;

	va_start(args, fmt);
	text = bl_arena_vprintf(sync->arena, fmt, args);
	va_end(args);
	sync->result = state;
	return text.ptr ? bl_fail(sync->err, BL_INVALID, "%.*s",
				  BL_STR_ARG(text))
			: bl_arena_fail(sync->arena, sync->err);
}

/* A full disk has a state of its own; the error has the words. */
static enum bl_status disk(struct opa_sync *sync, enum bl_status status)
{
	enum { NO_SPACE = 28, QUOTA = 122 }; /* ENOSPC, EDQUOT */

	if (status)
		sync->result = sync->err->sys_errno == NO_SPACE ||
					       sync->err->sys_errno == QUOTA
				       ? BL_TEAM_DISK_FULL
				       : BL_TEAM_INCOMPLETE;
	return status;
}

/* ---- reading the archive ---------------------------------------------------------- */

/* Is it whole, and not larger than it may be, before anything looks into it? */
static enum bl_status check_archive(struct opa_sync *sync, struct bl_str text)
{
	struct bl_bundle_files files = { NULL, 0, 0, false };
	struct bl_arena arena;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_bundle_unpack(&arena, text, BL_OPA_MAX_UNPACKED_BYTES,
				  &files, sync->err);
	if (status == BL_LIMIT)
		sync->result = BL_TEAM_REFUSED_CONTENT;
	else if (status)
		sync->result = BL_TEAM_INCOMPLETE;
	for (size_t i = 0; !status && i < files.count; i++)
		if (bl_str_is(files.items[i].path, "patch.json"))
			status = opa_refuse(sync, BL_TEAM_REFUSED_CONTENT,
					    "the server sent a delta, which no "
					    "signature covers: belay asks for "
					    "snapshots");
	bl_arena_clear(&arena);
	return status;
}

/*
 * Verified, when the configuration has a key.  Failures that are there without
 * verifying, too, are of the content.
 */
static enum bl_status read_bundle(struct opa_sync *sync, struct bl_str path,
				  struct bl_bundle *out)
{
	struct bl_bundle_options options = {
		.verification = sync->config->verification
	};
	struct bl_bundle other;
	struct bl_arena arena;
	enum bl_status status =
		bl_bundle_read(sync->arena, path, &options, out, sync->err);

	if (!status)
		return BL_OK;
	bl_arena_init(&arena, NULL, 0, 0);
	options.verification = NULL;
	options.skip_verify = true;
	sync->result = bl_bundle_read(&arena, path, &options, &other, NULL)
			       ? BL_TEAM_REFUSED_CONTENT
			       : BL_TEAM_SIGNATURE_INVALID;
	bl_arena_clear(&arena);
	if (sync->result == BL_TEAM_SIGNATURE_INVALID &&
	    !sync->config->verification)
		return opa_refuse(sync, sync->result,
				  "the bundle is signed, and %.*s names no key "
				  "for it: bundles.%.*s.signing.keyid",
				  BL_STR_ARG(sync->config->file),
				  BL_STR_ARG(sync->config->name));
	return status;
}

/* ---- putting in place --------------------------------------------------------------- */

static struct bl_str set_path(const struct opa_sync *sync, struct bl_str sha256)
{
	struct bl_str start = bl_str_slice(sha256, 0, SET_DIGITS);

	return bl_arena_printf(sync->arena, "%.*s/sets/%.*s",
			       BL_STR_ARG(sync->client->place.dir),
			       BL_STR_ARG(start));
}

/* Letters of a team's id for others, since the name stands in paths and texts. */
static struct bl_str team_id(const struct opa_sync *sync)
{
	struct bl_str name = sync->state->name;
	char id[BL_TEAM_ID_BYTES];
	size_t len = 0;

	for (; len < name.len && len < sizeof(id); len++) {
		id[len] = name.ptr[len];
		if (!bl_team_id_is_good((struct bl_str){ id, len + 1 }))
			id[len] = '_';
	}
	return bl_arena_copy_str(sync->arena, (struct bl_str){ id, len });
}

static enum bl_status write_use(struct opa_sync *sync, struct bl_team_use *use)
{
	const struct bl_opa_state *state = sync->state;
	enum bl_status status = bl_os_make_dirs(sync->client->place.use_dir,
						sync->client->place.is_managed
							? OPA_MANAGED_DIR_MODE
							: OPA_DIR_MODE,
						sync->err);

	use->team_id = team_id(sync);
	use->server = sync->config->service->url;
	use->is_managed = sync->client->place.is_managed;
	use->is_accepted = true; /* the configuration is the owner's act */
	use->state = state->state;
	use->detail = state->detail;
	use->version = state->version;
	use->checked = state->checked;
	use->fresh_until = state->fresh_until;
	use->aged = BL_TEAM_AGED_KEEP;
	return status ? status : bl_team_write_use(use, sync->err);
}

static enum bl_status write_set(struct opa_sync *sync,
				const struct bl_team_content *content,
				struct bl_str path)
{
	const struct bl_opa_client *client = sync->client;
	enum bl_status status = disk(
		sync, bl_team_write_folder(path, client->place.is_managed,
					   content, sync->arena, sync->err));

	if (status || !client->prepare)
		return status;
	status = client->prepare(client->context, path, sync->err);
	if (status)
		sync->result = BL_TEAM_REFUSED_CONTENT;
	return status;
}

/* From the archive at path, whose digest is sha256, to a directory in force. */
static enum bl_status install(struct opa_sync *sync, struct bl_str path,
			      struct bl_str sha256, struct bl_bundle *out)
{
	struct bl_team_content content;
	struct bl_team_use use = {
		.file = bl_team_use_path(sync->arena,
					 sync->client->place.use_dir),
		.policies = set_path(sync, sha256),
	};
	struct bl_str kept =
		opa_path(&sync->client->place, OPA_BUNDLE_FILE, sync->arena);
	enum bl_status status = read_bundle(sync, path, out);

	if (status)
		return status;
	if (!use.file.ptr || !use.policies.ptr || !kept.ptr)
		return bl_arena_fail(sync->arena, sync->err);
	status = bl_opa_make_directory(out, sync->arena, &content, sync->err);
	if (status) {
		sync->result = BL_TEAM_REFUSED_CONTENT;
		return status;
	}
	status = write_set(sync, &content, use.policies);
	if (!status && !bl_str_equal(path, kept))
		status = disk(sync, bl_os_rename(path, kept, sync->err));
	if (status)
		return status;
	use.policy_files = bl_arena_new_array(sync->arena, struct bl_team_file,
					      content.count);
	if (!use.policy_files)
		return bl_arena_fail(sync->arena, sync->err);
	memcpy(use.policy_files, content.files,
	       content.count * sizeof(*content.files));
	use.policy_file_count = content.count;
	return disk(sync, write_use(sync, &use));
}

static bool is_in_place(struct opa_sync *sync)
{
	return sync->state->version &&
	       !opa_check_in_place(&sync->client->place, sync->arena, NULL);
}

/* The bundle that was in force, from the archive that was kept. */
static enum bl_status repair(struct opa_sync *sync)
{
	struct bl_str path =
		opa_path(&sync->client->place, OPA_BUNDLE_FILE, sync->arena);
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_bundle bundle;
	struct bl_str text = { NULL, 0 };
	enum bl_status status =
		path.ptr ? bl_team_read_guarded(path, BL_OPA_MAX_BUNDLE_BYTES,
						sync->arena, &text, sync->err)
			 : bl_arena_fail(sync->arena, sync->err);

	if (status)
		return opa_refuse(sync, BL_TEAM_TAMPERED,
				  "the bundle in force is damaged, and so is "
				  "its archive: %s",
				  sync->err ? sync->err->message : "");
	bl_sha256_hex(text, digest);
	if (!bl_str_is(sync->state->sha256, digest))
		return opa_refuse(sync, BL_TEAM_TAMPERED,
				  "%.*s is not the bundle that was fetched",
				  BL_STR_ARG(path));
	return install(sync, path, sync->state->sha256, &bundle);
}

/* ---- the answer ------------------------------------------------------------------- */

static void note_new(struct opa_sync *sync, const struct bl_bundle *bundle,
		     const char *digest)
{
	struct bl_opa_state *state = sync->state;

	state->sha256 = bl_arena_copy_str(sync->arena, bl_str(digest));
	state->etag = sync->etag;
	state->revision = bundle->manifest.revision;
	state->key = sync->key;
	state->activated = sync->now;
	state->has_changed = true;
}

static void note_checked(struct opa_sync *sync)
{
	struct bl_opa_state *state = sync->state;
	int64_t polls = FRESH_POLLS * sync->config->max_delay_s;
	int64_t timer = FRESH_POLLS * (int64_t)BL_TEAM_REFRESH_S;

	state->checked = sync->now;
	state->fresh_until = sync->now + (polls > timer ? polls : timer);
}

static enum bl_status take_archive(struct opa_sync *sync)
{
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_opa_state before = *sync->state;
	struct bl_bundle bundle;
	struct bl_str path =
		opa_path(&sync->client->place, NEW_FILE, sync->arena);
	enum bl_status status;

	bl_sha256_hex(sync->archive, digest);
	sync->state->downloaded = sync->now;
	if (bl_str_is(sync->state->sha256, digest) &&
	    bl_str_equal(sync->state->key, sync->key) && is_in_place(sync)) {
		sync->is_unmodified = true;
		sync->state->etag = sync->etag;
		note_checked(sync);
		return BL_OK;
	}
	status = check_archive(sync, sync->archive);
	if (!status)
		status =
			disk(sync, opa_write_own(&sync->client->place, NEW_FILE,
						 sync->archive, sync->err));
	if (status)
		return status;
	sync->state->version++;
	sync->state->state = BL_TEAM_CURRENT;
	sync->state->detail = BL_STR("");
	note_checked(sync);
	status = path.ptr ? install(sync, path, bl_str(digest), &bundle)
			  : bl_arena_fail(sync->arena, sync->err);
	if (!status) {
		note_new(sync, &bundle, digest);
		return BL_OK;
	}
	if (path.ptr)
		bl_os_remove_file(path, NULL);
	*sync->state = before;
	sync->state->downloaded = sync->now;
	return status;
}

static enum bl_status take_answer(struct opa_sync *sync)
{
	enum bl_status status = BL_OK;

	if (sync->is_unmodified && !is_in_place(sync))
		status = repair(sync);
	else if (!sync->is_unmodified)
		status = take_archive(sync);
	if (status)
		return status;
	if (sync->is_unmodified)
		note_checked(sync);
	sync->result =
		sync->is_unmodified ? BL_TEAM_NOT_MODIFIED : BL_TEAM_CURRENT;
	return BL_OK;
}

/* ---- what it came to ----------------------------------------------------------------- */

static int64_t wait_after(int64_t failures, int64_t longest_s, int64_t asked_s)
{
	int64_t doublings =
		failures < MOST_DOUBLINGS ? failures : MOST_DOUBLINGS;
	int64_t most = (int64_t)1 << doublings;
	uint32_t chance;

	if (most > longest_s)
		most = longest_s;
	if (bl_os_random(&chance, sizeof(chance), NULL))
		chance = UINT32_MAX;
	if (asked_s)
		return asked_s + (int64_t)chance % (asked_s / 2 + 1);
	return 1 + (int64_t)chance % most;
}

static bool is_newest(enum bl_team_state state)
{
	return bl_team_state_in_force(state) == BL_TEAM_NEWEST;
}

static void note_result(struct opa_sync *sync, enum bl_team_state before,
			enum bl_status status)
{
	struct bl_opa_state *state = sync->state;

	state->state = sync->result;
	state->tried = sync->now;
	if (before != state->state &&
	    !(is_newest(before) && is_newest(state->state))) {
		state->since = sync->now;
		state->has_changed = true;
	}
	if (!status) {
		state->detail = BL_STR("");
		state->failures = 0;
		state->next_try = 0;
		return;
	}
	state->detail =
		bl_arena_copy_str(sync->arena, bl_str(sync->err->message));
	state->failures++;
	state->next_try = sync->now + wait_after(state->failures,
						 sync->config->max_delay_s,
						 sync->retry_after_s);
}

/* The record with the state as it is now; without a record no bundle is in force. */
static enum bl_status note_use(struct opa_sync *sync)
{
	struct bl_str path =
		bl_team_use_path(sync->arena, sync->client->place.use_dir);
	struct bl_team_use use = { .version = 0 };
	enum bl_status status;

	if (!path.ptr)
		return bl_arena_fail(sync->arena, sync->err);
	if (!sync->state->version)
		return BL_OK;
	status = bl_team_read_use(path, sync->arena, &use, sync->err);
	return status ? status : write_use(sync, &use);
}

/* Takes all sets but the one in force away, drafts among them. */
static void clean(struct opa_sync *sync)
{
	struct bl_str sets =
		opa_path(&sync->client->place, "sets", sync->arena);
	struct bl_str keep = bl_str_slice(sync->state->sha256, 0, SET_DIGITS);
	struct bl_str *names;
	size_t count;

	if (!sets.ptr ||
	    bl_os_list_dir(sets, MAX_SETS, sync->arena, &names, &count, NULL))
		return;
	for (size_t i = 0; i < count; i++) {
		struct bl_str path = bl_path_join(sync->arena, sets, names[i]);

		if (path.ptr && !bl_str_equal(names[i], keep))
			bl_os_remove_tree(path, NULL);
	}
}

/* ---- a sync -------------------------------------------------------------------------- */

/* One machine has one owner of its policies. */
static enum bl_status check_team(const struct bl_opa_place *place,
				 struct bl_arena *arena, struct bl_error *err)
{
	struct bl_team_account account = { .max_age_s = 0 };
	struct bl_team_place team;
	enum bl_status status = bl_team_find_place(
		place->system_root, place->home, arena, &team, err);

	if (!status)
		status = bl_team_read_account(&team, arena, &account, err);
	if (status == BL_NOT_FOUND)
		return BL_OK;
	if (status)
		return status;
	return bl_fail(err, BL_EXISTS,
		       "this machine is in the team '%.*s', whose policies are "
		       "in force: belay team logout, first",
		       BL_STR_ARG(account.team_id));
}

static enum bl_status key_digest(struct opa_sync *sync,
				 const struct bl_bundle_verification *how)
{
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_str text = bl_arena_printf(
		sync->arena, "%.*s\n%.*s\n%.*s", BL_STR_ARG(how->key.algorithm),
		BL_STR_ARG(how->scope), BL_STR_ARG(how->key.text));

	if (!text.ptr)
		return BL_NO_MEMORY;
	bl_sha256_hex(text, digest);
	sync->key = bl_arena_copy_str(sync->arena, bl_str(digest));
	return sync->key.ptr ? BL_OK : BL_NO_MEMORY;
}

/* The ETag of another bundle does not count for this one. */
static enum bl_status begin_state(struct opa_sync *sync)
{
	const struct bl_opa_config *config = sync->config;
	const struct bl_bundle_verification *how = config->verification;
	struct bl_opa_state *state = sync->state;
	struct bl_str url = bl_arena_printf(sync->arena, "%.*s/%.*s",
					    BL_STR_ARG(config->service->url),
					    BL_STR_ARG(config->resource));

	if (!url.ptr)
		return bl_arena_fail(sync->arena, sync->err);
	if (how && key_digest(sync, how))
		return bl_arena_fail(sync->arena, sync->err);
	/* A bundle that another key verified must be fetched and verified. */
	if (!bl_str_equal(state->url, url) ||
	    !bl_str_equal(state->key, sync->key))
		state->etag = BL_STR("");
	state->name = config->name;
	state->url = url;
	return BL_OK;
}

/* Under the lock: the answer, repairs, and what is remembered of it all. */
static enum bl_status apply(struct opa_sync *sync, enum bl_status fetched)
{
	enum bl_team_state before = sync->state->state;
	struct bl_error *err = sync->err;
	struct bl_error other = { 0 };
	enum bl_status status = fetched ? fetched : take_answer(sync);

	if (status && sync->state->version && !is_in_place(sync)) {
		enum bl_team_state result = sync->result;

		sync->err = &other;
		if (!repair(sync))
			sync->result = result;
		else
			*err = other;
		sync->err = err;
	}
	note_result(sync, before, status);
	return status == BL_NO_MEMORY ? status : BL_OK;
}

static enum bl_status sync_locked(struct opa_sync *sync, enum bl_status fetched)
{
	const struct bl_opa_place *place = &sync->client->place;
	struct bl_opa_state now;
	struct bl_error *err = sync->err;
	enum bl_status status = opa_state_read(place, sync->arena, &now, err);

	if (status)
		return status;
	/* Another sync was faster, or the bundle was taken away meanwhile. */
	if (now.version != sync->state->version ||
	    !bl_str_equal(now.sha256, sync->state->sha256))
		return bl_fail(err, BL_TIMEOUT,
			       "another sync was faster: try again");
	status = apply(sync, fetched);
	if (!status)
		status = opa_state_write(place, sync->state, err);
	if (!status)
		status = note_use(sync);
	if (!status)
		clean(sync);
	return status;
}

static enum bl_status fetch_and_apply(struct opa_sync *sync)
{
	struct bl_error why = { 0 };
	struct bl_error *err = sync->err;
	enum bl_status fetched;
	enum bl_status status;
	int lock = -1;

	/* Held for the disk alone: a long poll takes minutes. */
	fetched = opa_fetch(sync);
	sync->now = bl_os_wall_ms() / 1000;
	if (fetched)
		why = *err;
	if (fetched == BL_NO_MEMORY || fetched == BL_UNSUPPORTED)
		return fetched;
	status = opa_lock(&sync->client->place, sync->arena, &lock, err);
	if (!status && fetched)
		*err = why;
	if (!status)
		status = sync_locked(sync, fetched);
	bl_os_close(lock);
	return status;
}

static enum bl_status record(const struct bl_opa_client *client,
			     const struct bl_opa_state *state,
			     struct bl_arena *arena, struct bl_error *err)
{
	struct bl_team_report report = { .state = state->state,
					 .detail = state->detail,
					 .version = state->version };

	return state->has_changed
		       ? bl_team_record("belay opa sync", client->journal_dir,
					&report, arena, err)
		       : BL_OK;
}

enum bl_status bl_opa_sync(const struct bl_opa_client *client,
			   const struct bl_opa_config *config,
			   struct bl_arena *arena, struct bl_opa_state *out,
			   struct bl_error *out_waiting, struct bl_error *err)
{
	struct bl_error why = { 0 };
	struct opa_sync sync = { .client = client,
				 .config = config,
				 .state = out,
				 .arena = arena,
				 .now = bl_os_wall_ms() / 1000,
				 .err = &why };
	enum bl_status status = check_team(&client->place, arena, err);

	*out_waiting = (struct bl_error){ 0 };
	if (!status)
		status = opa_state_read(&client->place, arena, out, err);
	if (status)
		return status;
	status = begin_state(&sync);
	if (!status)
		status = fetch_and_apply(&sync);
	if (status) {
		if (err)
			*err = why;
		return status;
	}
	status = record(client, out, arena, err);
	/* A read that found nothing has left its words there. */
	if (!status && !opa_post(client, config, out, arena, out_waiting))
		*out_waiting = (struct bl_error){ 0 };
	return status;
}

enum bl_status bl_opa_read_config(const struct bl_opa_place *place,
				  struct bl_arena *arena,
				  struct bl_opa_config *out,
				  struct bl_error *err)
{
	struct bl_str text;
	enum bl_status status = bl_team_read_guarded(
		place->config, BL_OPA_MAX_CONFIG_BYTES, arena, &text, err);

	if (status == BL_NOT_FOUND)
		return bl_fail(err, BL_NOT_FOUND,
			       "%.*s is missing: put OPA's configuration "
			       "there, or name it with --config",
			       BL_STR_ARG(place->config));
	return status ? status
		      : bl_opa_parse_config(place->config, text, arena, out,
					    err);
}
