/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.c: one sync: fetch, verify, put in place as a whole, remember.  Its steps
 * are in fetch.c and install.c.
 *
 *     bundle.new.tar.gz   the archive, written and synced
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
	MOST_DOUBLINGS = 17, /* 2^17 s are more than a day */
};

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
	enum bl_status status;

	bl_sha256_hex(sync->archive, digest);
	sync->state->downloaded = sync->now;
	if (bl_str_is(sync->state->sha256, digest) &&
	    bl_str_equal(sync->state->key, sync->key) &&
	    opa_is_in_place(sync)) {
		sync->is_unmodified = true;
		sync->state->etag = sync->etag;
		note_checked(sync);
		return BL_OK;
	}
	status = opa_draft(sync);
	if (status)
		return status;
	sync->state->version++;
	sync->state->state = BL_TEAM_CURRENT;
	sync->state->detail = BL_STR("");
	note_checked(sync);
	status = opa_install(sync, bl_str(digest), &bundle);
	if (!status) {
		note_new(sync, &bundle, digest);
		return BL_OK;
	}
	*sync->state = before;
	sync->state->downloaded = sync->now;
	return status;
}

static enum bl_status take_answer(struct opa_sync *sync)
{
	enum bl_status status = BL_OK;

	if (sync->is_unmodified && !opa_is_in_place(sync))
		status = opa_repair(sync);
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

/* An ETag counts only for the address and the key that it came with. */
static enum bl_status begin_state(struct opa_sync *sync)
{
	const struct bl_opa_config *config = sync->config;
	const struct bl_bundle_verification *how = config->verification;
	struct bl_opa_state *state = sync->state;
	struct bl_str base = config->service->is_oci ? BL_STR("oci:/")
						     : config->service->url;
	struct bl_str url =
		bl_arena_printf(sync->arena, "%.*s/%.*s", BL_STR_ARG(base),
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

	if (status && sync->state->version && !opa_is_in_place(sync)) {
		enum bl_team_state result = sync->result;

		sync->err = &other;
		if (!opa_repair(sync))
			sync->result = result;
		else
			*err = other;
		sync->err = err;
	}
	note_result(sync, before, status);
	return status == BL_NO_MEMORY ? status : BL_OK;
}

/* The state that the sync, or following, began with was taken away. */
static enum bl_status refuse_left(struct bl_opa_state *state,
				  struct bl_error *err)
{
	state->was_left = true;
	return bl_fail(err, BL_NOT_FOUND,
		       "'belay opa leave' has taken the bundle out of force "
		       "meanwhile");
}

/* why: what fetching failed for, if it did. */
static enum bl_status sync_locked(struct opa_sync *sync, enum bl_status fetched,
				  const struct bl_error *why)
{
	const struct bl_opa_place *place = &sync->client->place;
	struct bl_opa_state now;
	struct bl_error *err = sync->err;
	enum bl_status status = opa_state_read(place, sync->arena, &now, err);

	if (status)
		return status;
	if (sync->state->tried && !bl_str_equal(now.id, sync->state->id))
		return refuse_left(sync->state, err);
	if (now.version != sync->state->version ||
	    !bl_str_equal(now.sha256, sync->state->sha256))
		return bl_fail(err, BL_TIMEOUT,
			       "another sync was faster: try again");
	/* A state that is not there yet has left an error. */
	if (fetched)
		*err = *why;
	status = apply(sync, fetched);
	if (!status)
		status = opa_state_write(place, sync->state, err);
	if (!status)
		status = opa_note_use(sync);
	if (!status)
		opa_clean(sync);
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
	if (!status)
		status = sync_locked(sync, fetched, &why);
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
	if (!status && client->id.len && !bl_str_equal(client->id, out->id))
		status = refuse_left(out, err);
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
	/* Reads that found no file have left their errors there. */
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
