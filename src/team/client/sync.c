/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.c: one sync from its lock to its report, and the answers of people.  The
 * steps are in update.c and install.c; here is what they come to.
 */
#include "team/client/private.h"

enum {
	LONGEST_WAIT_S = 1800,
	MOST_DOUBLINGS = 11, /* 2^11 s are more than half an hour */
};

static int64_t now_s(void)
{
	return bl_os_wall_ms() / 1000;
}

static enum bl_status open_lock(const struct bl_team_place *place,
				struct bl_arena *arena, int *out_fd,
				struct bl_error *err)
{
	const struct bl_team_store store = team_store(place);

	return bl_team_store_lock(&store, arena, out_fd, err);
}

/* ---- the fingerprint ---------------------------------------------------------------- */

/*
 * Of what the first-time notice is about: team, server and root keys.  A new set
 * does not change it.
 */
static struct bl_str fingerprint_of(const struct bl_team_account *account,
				    const struct bl_team_root *root,
				    struct bl_arena *arena)
{
	const struct bl_team_role *role = &root->roles[BL_TEAM_ROLE_ROOT];
	char ids[BL_TEAM_MAX_KEYS][BL_SHA256_HEX_BYTES];
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_str text = bl_arena_printf(arena, "%.*s\n%.*s\n",
					     BL_STR_ARG(account->team_id),
					     BL_STR_ARG(account->server));

	for (size_t i = 0; i < role->key_count; i++) {
		char id[BL_SHA256_HEX_BYTES];
		size_t at = i;

		bl_team_key_id(&role->keys[i], id);
		for (; at > 0 && strcmp(ids[at - 1], id) > 0; at--)
			memcpy(ids[at], ids[at - 1], sizeof(ids[at]));
		memcpy(ids[at], id, sizeof(id));
	}
	for (size_t i = 0; text.ptr && i < role->key_count; i++)
		text = bl_arena_printf(arena, "%.*s%s\n", BL_STR_ARG(text),
				       ids[i]);
	if (!text.ptr)
		return text;
	bl_sha256_hex(text, digest);
	return bl_arena_copy_str(arena, bl_str(digest));
}

/* The trusted root's fingerprint; empty when there is no root yet. */
static struct bl_str stored_fingerprint(const struct bl_team_place *place,
					const struct bl_team_account *account,
					struct bl_arena *arena)
{
	const struct bl_team_client client = { .place = *place };
	struct bl_error err = { 0 };
	struct team_update update = { .session = { .client = &client },
				      .account = account,
				      .arena = arena,
				      .err = &err };

	if (team_load_root(&update))
		return (struct bl_str){ NULL, 0 };
	return fingerprint_of(account, &update.root, arena);
}

/*
 * Does the notice wait for an answer?  A root that cannot be read (nor fetched)
 * does not take an answer back.
 */
static bool is_pending(const struct bl_team_place *place,
		       const struct bl_team_account *account,
		       struct bl_str fingerprint)
{
	if (place->is_managed)
		return false;
	return fingerprint.len ? !bl_str_equal(account->accepted, fingerprint)
			       : !account->accepted.len;
}

/* ---- the steps ------------------------------------------------------------------------ */

static enum bl_status put_in_place(struct team_update *update, bool is_offline)
{
	enum bl_status status = team_fetch_files(update, is_offline);

	if (!status)
		status = team_check_content(update);
	return status ? status : team_install(update);
}

/* Is the set that was chosen the one in force, and untouched? */
static bool is_in_place(struct team_update *update)
{
	return update->state->version == update->choice->version &&
	       bl_str_is(update->state->manifest_sha256,
			 update->choice->sha256) &&
	       !team_check_in_place(&update->session.client->place,
				    update->arena, NULL);
}

static enum bl_status steps(struct team_update *update)
{
	enum bl_status status = team_update_roots(update);

	if (status)
		return status;
	update->fingerprint =
		fingerprint_of(update->account, &update->root, update->arena);
	if (!update->fingerprint.ptr)
		return bl_arena_fail(update->arena, update->err);
	status = team_update_fresh(update);
	if (!status)
		status = team_update_manifest(update);
	if (!status && !is_in_place(update))
		status = put_in_place(update, false);
	if (!status)
		update->session.state = update->is_unmodified
						? BL_TEAM_NOT_MODIFIED
						: BL_TEAM_CURRENT;
	return status;
}

/*
 * The server could not help: is what is in force as it was signed?  If not, the
 * set's own files may be.
 */
static void repair(struct team_update *update)
{
	enum bl_team_state state = update->session.state;
	struct bl_error why = { 0 };
	struct bl_error *err = update->err;
	enum bl_status status;

	if (!update->state->version ||
	    !team_check_in_place(&update->session.client->place, update->arena,
				 &why))
		return;
	update->err = &why;
	update->session.err = &why;
	status = team_load_root(update);
	if (!status)
		status = team_load_manifest(update);
	if (!status) {
		update->fingerprint = fingerprint_of(
			update->account, &update->root, update->arena);
		status = put_in_place(update, true);
	}
	update->err = err;
	update->session.err = err;
	update->session.state = status ? BL_TEAM_TAMPERED : state;
	if (status)
		*err = why;
}

/* ---- what it came to ---------------------------------------------------------------- */

/* Full jitter: anything up to twice as long after each failure. */
static int64_t wait_after(int64_t failures, int64_t asked_s)
{
	int64_t doublings =
		failures < MOST_DOUBLINGS ? failures : MOST_DOUBLINGS;
	int64_t most = (int64_t)1 << doublings;
	uint32_t chance = 0;

	if (most > LONGEST_WAIT_S)
		most = LONGEST_WAIT_S;
	if (bl_os_random(&chance, sizeof(chance), NULL))
		chance = UINT32_MAX;
	if (asked_s) /* as long as the server said, and up to half again */
		return asked_s + (int64_t)chance % (asked_s / 2 + 1);
	return 1 + (int64_t)chance % most;
}

/* States by which the server's set is to blame: it is not fetched again. */
static bool blames_set(enum bl_team_state state)
{
	return state == BL_TEAM_SIGNATURE_INVALID ||
	       state == BL_TEAM_WRONG_KEY || state == BL_TEAM_WRONG_TEAM ||
	       state == BL_TEAM_REFUSED_CONTENT ||
	       state == BL_TEAM_CLIENT_TOO_OLD;
}

static void note_result(struct team_update *update, enum bl_status status)
{
	struct team_state *state = update->state;
	enum bl_team_state before = state->state;
	const struct team_session *session = &update->session;

	state->state = session->state;
	if (before != state->state)
		state->since = update->now;
	if (!status) {
		state->detail = (struct bl_str){ NULL, 0 };
		state->refused_sha256 = (struct bl_str){ NULL, 0 };
		state->failures = 0;
		state->next_try = 0;
		return;
	}
	state->detail =
		bl_arena_copy_str(update->arena, bl_str(update->err->message));
	if (update->choice && blames_set(state->state))
		state->refused_sha256 = bl_arena_copy_str(
			update->arena, bl_str(update->choice->sha256));
	state->failures++;
	state->next_try = update->now +
			  wait_after(state->failures, session->retry_after_s);
}

static void fill_report(const struct team_state *state,
			struct bl_team_report *out)
{
	out->state = state->state;
	out->detail = state->detail;
	out->since = state->since;
	out->tried = state->tried;
	out->checked = state->checked;
	out->fresh_until = state->fresh_until;
	out->next_try = state->next_try;
	out->version = state->version;
	out->root_version = state->root_version;
	out->manifest_sha256 = state->manifest_sha256;
}

static bool is_newest(enum bl_team_state state)
{
	return bl_team_state_in_force(state) == BL_TEAM_NEWEST;
}

/* ---- a sync ------------------------------------------------------------------------- */

/* The memory of another team is not of this one. */
static void begin_state(struct team_update *update)
{
	const struct bl_team_place *place = &update->session.client->place;
	static const char *const files[] = { "root", "fresh", "manifest" };

	if (bl_str_equal(update->state->team_id, update->account->team_id))
		return;
	for (size_t i = 0; i < BL_COUNT(files); i++) {
		struct bl_str path = team_path(place, files[i], update->arena);

		if (path.ptr)
			bl_os_remove_file(path, NULL);
	}
	*update->state = (struct team_state){
		.team_id = update->account->team_id,
		.state = BL_TEAM_LOGGED_OUT,
	};
}

static enum bl_status run(struct team_update *update,
			  struct bl_team_report *out)
{
	struct team_state *state = update->state;
	const struct bl_team_place *place = &update->session.client->place;
	int64_t version = state->version;
	enum bl_team_state before = state->state;
	struct bl_error why = { 0 };
	struct bl_error *err = update->err;
	enum bl_status status;

	update->err = &why;
	update->session.err = &why;
	state->tried = update->now;
	team_clean(place, state, update->arena);
	update->fingerprint =
		stored_fingerprint(place, update->account, update->arena);
	status = steps(update);
	if (status)
		repair(update);
	note_result(update, status);
	/* If not now, then with the next sync: the old token is good so long. */
	if (update->wants_renewal)
		(void)team_renew_token(&update->session);
	update->err = err;
	update->session.err = err;
	if (bl_arena_status(update->arena))
		return bl_arena_fail(update->arena, err);
	fill_report(state, out);
	out->fingerprint = update->fingerprint;
	out->is_pending =
		is_pending(place, update->account, update->fingerprint);
	out->has_changed = version != state->version ||
			   (before != state->state &&
			    !(is_newest(before) && is_newest(state->state)));
	status = team_state_write(place, state, err);
	if (!status)
		status = team_note_state(place, update->account, state,
					 !out->is_pending, update->arena,
					 update->err);
	return status;
}

static enum bl_status sync_locked(const struct bl_team_client *client,
				  struct bl_arena *arena,
				  struct bl_team_report *out,
				  struct bl_error *err)
{
	struct bl_team_account account;
	struct team_state state;
	struct team_update update = {
		.session = { .client = client,
			     .account = &account,
			     .arena = arena,
			     .err = err },
		.account = &account,
		.state = &state,
		.arena = arena,
		.now = now_s(),
		.err = err,
	};
	enum bl_status status =
		bl_team_read_account(&client->place, arena, &account, err);

	if (!status)
		status = team_state_read(&client->place, arena, &state, err);
	if (status)
		return status;
	begin_state(&update);
	/* A try in the future was planned by a clock that was wrong. */
	if (client->is_background && update.now >= state.tried &&
	    update.now < state.next_try) {
		fill_report(&state, out);
		return BL_OK;
	}
	status = team_token_read(&client->place, &account, arena,
				 &update.session.token, err);
	if (!status)
		status = team_session_begin(&update.session);
	return status ? status : run(&update, out);
}

enum bl_status bl_team_sync(const struct bl_team_client *client,
			    struct bl_arena *arena,
			    struct bl_team_report *out_report,
			    struct bl_error *err)
{
	int lock = -1;
	enum bl_status status = open_lock(&client->place, arena, &lock, err);

	*out_report = (struct bl_team_report){ .state = BL_TEAM_LOGGED_OUT };
	if (!status)
		status = sync_locked(client, arena, out_report, err);
	bl_os_close(lock);
	return status;
}

/* ---- without the server --------------------------------------------------------------- */

/* The state as an event would see it now. */
static void look(const struct bl_team_place *place, struct bl_arena *arena,
		 struct bl_team_report *out)
{
	struct bl_str path = bl_team_use_path(arena, place->dir);
	struct bl_team_use use = { .version = 0 };
	struct bl_error err = { 0 };

	if (!path.ptr || bl_team_read_use(path, arena, &use, NULL))
		return;
	if (use.version &&
	    team_check_in_place(place, arena, &err) == BL_DENIED) {
		out->state = BL_TEAM_TAMPERED;
		out->detail = bl_arena_copy_str(arena, bl_str(err.message));
		return;
	}
	if (use.is_accepted || use.is_managed)
		out->state = bl_team_use_state(&use, now_s());
}

enum bl_status bl_team_status(const struct bl_team_place *place,
			      struct bl_arena *arena,
			      struct bl_team_report *out_report,
			      struct bl_error *err)
{
	struct bl_team_account account;
	struct team_state state;
	enum bl_status status =
		bl_team_read_account(place, arena, &account, err);

	*out_report = (struct bl_team_report){ .state = BL_TEAM_LOGGED_OUT };
	if (!status)
		status = team_state_read(place, arena, &state, err);
	if (status)
		return status;
	fill_report(&state, out_report);
	out_report->fingerprint = stored_fingerprint(place, &account, arena);
	out_report->is_pending =
		is_pending(place, &account, out_report->fingerprint);
	look(place, arena, out_report);
	return bl_arena_status(arena) ? bl_arena_fail(arena, err) : BL_OK;
}

static enum bl_status accept_locked(const struct bl_team_place *place,
				    struct bl_arena *arena,
				    struct bl_error *err)
{
	struct bl_team_account account;
	struct team_state state;
	enum bl_status status =
		bl_team_read_account(place, arena, &account, err);

	if (!status)
		status = team_state_read(place, arena, &state, err);
	if (status)
		return status;
	account.accepted = stored_fingerprint(place, &account, arena);
	if (!account.accepted.len)
		return bl_fail(err, BL_NOT_FOUND,
			       "there is nothing to accept yet: belay team "
			       "sync");
	status = team_account_write(place, &account, err);
	if (status)
		return status;
	return team_note_state(place, &account, &state, true, arena, err);
}

enum bl_status bl_team_accept(const struct bl_team_place *place,
			      struct bl_arena *arena, struct bl_error *err)
{
	int lock = -1;
	enum bl_status status;

	if (place->is_managed)
		return bl_fail(err, BL_INVALID,
			       "this machine is managed: root's %.*s has "
			       "accepted the team",
			       BL_STR_ARG(place->account));
	status = open_lock(place, arena, &lock, err);
	if (!status)
		status = accept_locked(place, arena, err);
	bl_os_close(lock);
	return status;
}

static enum bl_status note_logout(const struct bl_team_place *place,
				  struct bl_arena *arena, struct bl_error *err)
{
	struct team_state state;
	enum bl_status status = team_state_read(place, arena, &state, err);

	if (status)
		return status;
	state.state = BL_TEAM_LOGGED_OUT;
	state.version = 0;
	state.manifest_sha256 = (struct bl_str){ NULL, 0 };
	state.refused_sha256 = (struct bl_str){ NULL, 0 };
	state.next_try = 0;
	return team_state_write(place, &state, err);
}

/* A keyring that is locked does not keep the machine in the team. */
static enum bl_status logout_locked(const struct bl_team_place *place,
				    struct bl_arena *arena,
				    struct bl_error *err)
{
	struct bl_team_account account = { .has_keyring = false };
	struct bl_error why = { 0 };
	enum bl_status kept;
	enum bl_status status = team_uninstall(place, arena, err);

	if (status)
		return status;
	/* A damaged account is taken away, too. */
	(void)bl_team_read_account(place, arena, &account, NULL);
	kept = team_token_remove(place, &account, &why);
	status = bl_os_remove_file(place->account, err);
	if (!status || status == BL_NOT_FOUND)
		status = note_logout(place, arena, err);
	return status || !kept
		       ? status
		       : bl_fail(err, kept,
				 "this machine is out of the team, but its "
				 "token is left: have it revoked on the server "
				 "(%s)",
				 why.message);
}

enum bl_status bl_team_logout(const struct bl_team_place *place,
			      struct bl_arena *arena, struct bl_error *err)
{
	int lock = -1;
	enum bl_status status;

	if (place->is_managed)
		return bl_fail(
			err, BL_DENIED,
			"this machine is managed: root puts it in a team "
			"by %.*s, and takes it out by removing that file",
			BL_STR_ARG(place->account));
	status = open_lock(place, arena, &lock, err);
	if (!status)
		status = logout_locked(place, arena, err);
	bl_os_close(lock);
	return status;
}
