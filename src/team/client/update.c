/* SPDX-License-Identifier: Apache-2.0 */
/*
 * update.c: the documents, in TUF's order.  For instance, a machine that has root 1
 * and set 7 meets a server with root 2 and set 9:
 *
 *     GET /v1/root/2    signed by root 1's and by root 2's keys: kept
 *     GET /v1/root/3    404: root 2 is the newest
 *     GET /v1/set/fresh signed by root 2's fresh keys, not expired: kept
 *     GET /v1/set/manifest  its digest is what fresh says, signed by root 2's
 *                       set keys, version 9, not below the floor
 *
 * The time is taken once, at the start of the sync.  A document is read only after
 * its signatures were verified.
 */
#include <stdarg.h>

#include "team/client/private.h"

enum {
	MAX_ROOT_STEPS = 64, /* of one run */
	MAX_MACHINE_BYTES = 64 * 1024,
	DAY_S = 24 * 3600,
	HTTP_OK = 200,
	HTTP_NOT_MODIFIED = 304,
	HTTP_NOT_FOUND = 404,
};

enum bl_status team_refuse(struct team_update *update, enum bl_team_state state,
			   const char *fmt, ...)
{
	struct bl_str text;
	va_list args;

	va_start(args, fmt);
	text = bl_arena_vprintf(update->arena, fmt, args);
	va_end(args);
	update->session.state = state;
	if (!text.ptr)
		return bl_arena_fail(update->arena, update->err);
	return bl_fail(update->err, BL_DENIED, "%.*s", BL_STR_ARG(text));
}

/* An error that has its words already. */
static enum bl_status refuse_as(struct team_update *update,
				enum bl_team_state state, enum bl_status status)
{
	update->session.state = state;
	return status;
}

/* The latest time in a signed document is a time that has been. */
static void note_time(struct team_update *update, int64_t time)
{
	if (time > update->state->highest)
		update->state->highest = time;
}

static enum bl_status get(struct team_update *update, struct bl_str path,
			  struct bl_str etag, size_t max_bytes,
			  struct bl_http_reply *out)
{
	struct team_request request = { .method = "GET",
					.path = path,
					.etag = etag,
					.max_bytes = max_bytes };

	return path.ptr ? team_call(&update->session, &request, out)
			: bl_arena_fail(update->arena, update->err);
}

static enum bl_status check_team(struct team_update *update, const char *what,
				 struct bl_str team_id)
{
	if (bl_str_equal(team_id, update->account->team_id))
		return BL_OK;
	return team_refuse(update, BL_TEAM_WRONG_TEAM,
			   "%s is of the team '%.*s', and this machine is in "
			   "'%.*s'",
			   what, BL_STR_ARG(team_id),
			   BL_STR_ARG(update->account->team_id));
}

/* The clock against what the server's says, and against what was signed. */
static enum bl_status check_clock(struct team_update *update)
{
	int64_t server = update->session.server_time;
	int64_t apart = server > update->now ? server - update->now
					     : update->now - server;

	if (server && apart > DAY_S)
		return team_refuse(update, BL_TEAM_CLOCK_WRONG,
				   "this machine's clock and the server's are "
				   "%lld hours apart",
				   (long long)(apart / 3600));
	if (update->now < update->state->highest - TEAM_CLOCK_SLACK_S)
		return team_refuse(update, BL_TEAM_CLOCK_WRONG,
				   "the clock is before the time of a document "
				   "that this machine has had");
	return BL_OK;
}

/* ---- roots --------------------------------------------------------------------- */

static enum bl_status read_root(struct team_update *update, struct bl_str text,
				struct bl_team_root *out)
{
	enum bl_status status =
		bl_team_read_root(text, update->arena, out, update->err);

	if (status)
		return refuse_as(update, BL_TEAM_SIGNATURE_INVALID, status);
	return bl_team_verify(BL_TEAM_ROOT, text,
			      &out->roles[BL_TEAM_ROLE_ROOT],
			      &update->session.state, update->err);
}

static bool same_keys(const struct bl_team_role *a,
		      const struct bl_team_role *b)
{
	return a->key_count == b->key_count && a->threshold == b->threshold &&
	       !memcmp(a->keys, b->keys, a->key_count * sizeof(a->keys[0]));
}

/*
 * The root's keys have changed for sets: what a thief of the old ones raised the
 * version to does not count.  Those for fresh: what he signed does not count.
 */
static void forget(struct team_update *update, const struct bl_team_root *next)
{
	const struct bl_team_role *roles = update->root.roles;

	if (!same_keys(&roles[BL_TEAM_ROLE_SET],
		       &next->roles[BL_TEAM_ROLE_SET])) {
		update->state->floor = 0;
		update->state->seen_count = 0;
		update->state->highest = 0;
	}
	if (!same_keys(&roles[BL_TEAM_ROLE_FRESH],
		       &next->roles[BL_TEAM_ROLE_FRESH])) {
		update->state->etag = (struct bl_str){ NULL, 0 };
		update->state->highest = 0;
	}
}

static enum bl_status keep_root(struct team_update *update, struct bl_str text,
				const struct bl_team_root *root)
{
	const struct bl_team_place *place = &update->session.client->place;
	enum bl_status status;

	forget(update, root);
	status = team_write_own(place, "root", text, TEAM_MANAGED_FILE_MODE,
				update->err);
	if (status)
		return status;
	update->root = *root;
	update->state->root_version = root->root_version;
	return team_state_write(place, update->state, update->err);
}

enum bl_status team_load_root(struct team_update *update)
{
	struct bl_str text;
	enum bl_status status = team_read_own(
		&update->session.client->place, "root", BL_TEAM_MAX_ROOT_BYTES,
		update->arena, &text, update->err);

	return status ? status : read_root(update, text, &update->root);
}

static enum bl_status get_root(struct team_update *update, int64_t version,
			       struct bl_http_reply *reply)
{
	return get(update,
		   bl_arena_printf(update->arena, "/v1/root/%lld",
				   (long long)version),
		   (struct bl_str){ NULL, 0 }, BL_TEAM_MAX_ROOT_BYTES, reply);
}

/* The first root: the one that was pinned, or whatever it is at first use. */
static enum bl_status first_root(struct team_update *update)
{
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_team_root root = { .root_version = 0 };
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status = get_root(update, 1, &reply);

	if (!status && reply.status != HTTP_OK)
		return team_refuse(update, BL_TEAM_INCOMPLETE,
				   "the server has no root 1 (status %d)",
				   reply.status);
	if (status)
		return status;
	bl_sha256_hex(reply.body, digest);
	if (update->session.client->place.is_managed &&
	    !update->account->root_sha256.len)
		return team_refuse(update, BL_TEAM_WRONG_KEY,
				   "the machine's team.json names no "
				   "root_sha256");
	if (update->account->root_sha256.len &&
	    !bl_str_is(update->account->root_sha256, digest))
		return team_refuse(update, BL_TEAM_WRONG_KEY,
				   "root 1 has the digest %.16s, and %.16s was "
				   "pinned",
				   digest, update->account->root_sha256.ptr);
	status = read_root(update, reply.body, &root);
	if (!status)
		status = check_team(update, "root 1", root.team_id);
	if (!status && root.root_version != 1)
		status = team_refuse(update, BL_TEAM_SIGNATURE_INVALID,
				     "root 1 says that it is root %lld",
				     (long long)root.root_version);
	if (!status)
		update->root = root; /* nothing to forget */
	return status ? status : keep_root(update, reply.body, &root);
}

/* One step up; *out_is_last: there is no higher one. */
static enum bl_status next_root(struct team_update *update, bool *out_is_last)
{
	int64_t version = update->root.root_version + 1;
	struct bl_team_root root = { .root_version = 0 };
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status = get_root(update, version, &reply);

	*out_is_last = !status && reply.status == HTTP_NOT_FOUND;
	if (status || *out_is_last)
		return status;
	if (reply.status != HTTP_OK)
		return team_refuse(update, BL_TEAM_INCOMPLETE,
				   "root %lld: status %d", (long long)version,
				   reply.status);
	status = bl_team_verify(BL_TEAM_ROOT, reply.body,
				&update->root.roles[BL_TEAM_ROLE_ROOT],
				&update->session.state, update->err);
	if (!status)
		status = read_root(update, reply.body, &root);
	if (!status)
		status = check_team(update, "the new root", root.team_id);
	if (!status && root.root_version != version)
		status = team_refuse(update, BL_TEAM_ROLLED_BACK,
				     "root %lld says that it is root %lld",
				     (long long)version,
				     (long long)root.root_version);
	return status ? status : keep_root(update, reply.body, &root);
}

enum bl_status team_update_roots(struct team_update *update)
{
	bool is_last = false;
	enum bl_status status = team_load_root(update);

	if (status == BL_NOT_FOUND)
		status = first_root(update);
	for (int i = 0; !status && !is_last && i < MAX_ROOT_STEPS; i++)
		status = next_root(update, &is_last);
	/* First: by a clock that is wrong anything has expired. */
	if (!status)
		status = check_clock(update);
	if (!status && update->root.expires < update->now)
		status = team_refuse(update, BL_TEAM_EXPIRED_SET,
				     "root %lld has expired",
				     (long long)update->root.root_version);
	return status;
}

/* ---- fresh --------------------------------------------------------------------- */

static enum bl_status verify_fresh(struct team_update *update,
				   struct bl_str text)
{
	enum bl_status status = bl_team_verify(
		BL_TEAM_FRESH, text, &update->root.roles[BL_TEAM_ROLE_FRESH],
		&update->session.state, update->err);

	if (status)
		return status;
	status = bl_team_read_fresh(text, update->arena, &update->fresh,
				    update->err);
	if (status)
		return refuse_as(update, BL_TEAM_SIGNATURE_INVALID, status);
	return check_team(update, "the fresh statement", update->fresh.team_id);
}

static enum bl_status check_fresh(struct team_update *update)
{
	const struct bl_team_fresh *fresh = &update->fresh;

	if (fresh->issued > update->now + TEAM_CLOCK_SLACK_S)
		return team_refuse(
			update, BL_TEAM_CLOCK_WRONG,
			"the fresh statement was signed %lld "
			"minutes ahead of this machine's clock",
			(long long)((fresh->issued - update->now) / 60));
	if (fresh->issued < update->state->highest)
		return team_refuse(update, BL_TEAM_ROLLED_BACK,
				   "the fresh statement is older than one that "
				   "this machine has had");
	if (fresh->root_version != update->root.root_version)
		return team_refuse(update, BL_TEAM_INCOMPLETE,
				   "the fresh statement speaks of root %lld, "
				   "and the server's newest is %lld",
				   (long long)fresh->root_version,
				   (long long)update->root.root_version);
	if (fresh->expires < update->now)
		return team_refuse(update, BL_TEAM_STALE,
				   "the server's newest statement has expired");
	return BL_OK;
}

static enum bl_status keep_fresh(struct team_update *update,
				 const struct bl_http_reply *reply)
{
	const struct bl_team_place *place = &update->session.client->place;
	enum bl_status status =
		team_write_own(place, "fresh", reply->body,
			       TEAM_MANAGED_FILE_MODE, update->err);

	if (status)
		return status;
	note_time(update, update->fresh.issued);
	update->state->etag = bl_arena_copy_str(
		update->arena, bl_team_header(reply->head, "etag"));
	update->state->fresh_until = update->fresh.expires;
	return BL_OK;
}

static enum bl_status load_fresh(struct team_update *update)
{
	struct bl_str text;
	enum bl_status status = team_read_own(
		&update->session.client->place, "fresh",
		BL_TEAM_MAX_FRESH_BYTES, update->arena, &text, update->err);

	return status ? status : verify_fresh(update, text);
}

enum bl_status team_update_fresh(struct team_update *update)
{
	struct bl_http_reply reply = { .status = 0 };
	struct bl_str etag = update->state->etag;
	enum bl_status status;

	/* Without the statement that goes with it an ETag is of no use. */
	if (etag.len && load_fresh(update))
		etag = (struct bl_str){ NULL, 0 };
	status = get(update, BL_STR("/v1/set/fresh"), etag,
		     BL_TEAM_MAX_FRESH_BYTES, &reply);
	if (status)
		return status;
	update->wants_renewal =
		bl_str_is(bl_team_header(reply.head, "belay-token"), "renew");
	status = check_clock(update);
	if (status)
		return status;
	update->is_unmodified = etag.len && reply.status == HTTP_NOT_MODIFIED;
	if (!update->is_unmodified && reply.status != HTTP_OK)
		return team_refuse(update, BL_TEAM_INCOMPLETE,
				   "the server has no fresh statement (status "
				   "%d)",
				   reply.status);
	if (!update->is_unmodified)
		status = verify_fresh(update, reply.body);
	if (!status)
		status = check_fresh(update);
	if (!status && !update->is_unmodified)
		status = keep_fresh(update, &reply);
	if (!status)
		update->state->checked = update->now;
	return status;
}

/* ---- the manifest ---------------------------------------------------------------- */

/* Against what this machine has had. */
static enum bl_status check_versions(struct team_update *update)
{
	const struct bl_team_choice *choice = update->choice;

	if (choice->version < update->state->floor)
		return team_refuse(update, BL_TEAM_ROLLED_BACK,
				   "the server offers set %lld, and this "
				   "machine may not go below %lld",
				   (long long)choice->version,
				   (long long)update->state->floor);
	for (size_t i = 0; i < update->state->seen_count; i++) {
		const struct team_seen *seen = &update->state->seen[i];

		if (seen->version == choice->version &&
		    strcmp(seen->sha256, choice->sha256) != 0)
			return team_refuse(update, BL_TEAM_ROLLED_BACK,
					   "set %lld is another one than this "
					   "machine has had under that number",
					   (long long)choice->version);
	}
	return BL_OK;
}

/* Is "0.9.1" above this belay?  A part that is not a number counts as 0. */
static bool is_too_new(struct bl_str wanted)
{
	struct bl_str own = BL_STR(BELAY_VERSION);

	for (int part = 0; part < 3; part++) {
		int64_t numbers[2] = { 0, 0 };
		struct bl_str *texts[2] = { &wanted, &own };

		for (int i = 0; i < 2; i++) {
			size_t at = 0;

			while (at < texts[i]->len && texts[i]->ptr[at] >= '0' &&
			       texts[i]->ptr[at] <= '9' &&
			       numbers[i] < INT32_MAX)
				numbers[i] = numbers[i] * 10 +
					     (texts[i]->ptr[at++] - '0');
			*texts[i] = bl_str_slice(*texts[i], at + 1, SIZE_MAX);
		}
		if (numbers[0] != numbers[1])
			return numbers[0] > numbers[1];
	}
	return false;
}

/* Signatures and rules of update->manifest_text. */
static enum bl_status verify_manifest(struct team_update *update)
{
	struct bl_team_manifest *manifest = &update->manifest;
	enum bl_status status =
		bl_team_verify(BL_TEAM_MANIFEST, update->manifest_text,
			       &update->root.roles[BL_TEAM_ROLE_SET],
			       &update->session.state, update->err);

	if (status)
		return status;
	status = bl_team_read_manifest(update->manifest_text, update->arena,
				       manifest, update->err);
	if (status)
		return refuse_as(update, BL_TEAM_REFUSED_CONTENT, status);
	return check_team(update, "the manifest", manifest->team_id);
}

static enum bl_status check_manifest(struct team_update *update)
{
	const struct bl_team_manifest *manifest = &update->manifest;

	if (manifest->version != update->choice->version)
		return team_refuse(update, BL_TEAM_ROLLED_BACK,
				   "the manifest is of set %lld, and the fresh "
				   "statement speaks of %lld",
				   (long long)manifest->version,
				   (long long)update->choice->version);
	if (is_too_new(manifest->min_client))
		return team_refuse(
			update, BL_TEAM_CLIENT_TOO_OLD,
			"set %lld needs belay %.*s, and this is " BELAY_VERSION,
			(long long)manifest->version,
			BL_STR_ARG(manifest->min_client));
	if (manifest->expires < update->now)
		return team_refuse(update, BL_TEAM_EXPIRED_SET,
				   "set %lld has expired",
				   (long long)manifest->version);
	return BL_OK;
}

static bool has_digest(struct bl_str text, const char *sha256)
{
	char digest[BL_SHA256_HEX_BYTES];

	bl_sha256_hex(text, digest);
	return !strcmp(digest, sha256);
}

/* The one that is kept, when it is the wanted one; else the server's. */
static enum bl_status get_manifest(struct team_update *update)
{
	static const char *const places[] = { "/v1/set/manifest", "/v1/o/" };
	const char *wanted = update->choice->sha256;
	struct bl_http_reply reply = { .status = 0 };
	enum bl_status status =
		team_read_own(&update->session.client->place, "manifest",
			      BL_TEAM_MAX_MANIFEST_BYTES, update->arena,
			      &update->manifest_text, NULL);

	if (!status && has_digest(update->manifest_text, wanted))
		return BL_OK;
	for (size_t i = 0; i < BL_COUNT(places); i++) {
		status = get(update,
			     bl_arena_printf(update->arena, "%s%s", places[i],
					     i ? wanted : ""),
			     (struct bl_str){ NULL, 0 },
			     BL_TEAM_MAX_MANIFEST_BYTES, &reply);
		if (status)
			return status;
		update->manifest_text = reply.body;
		if (reply.status == HTTP_OK && has_digest(reply.body, wanted))
			return BL_OK;
	}
	return team_refuse(update, BL_TEAM_INCOMPLETE,
			   "the manifest of set %lld is not the one that the "
			   "fresh statement names (status %d)",
			   (long long)update->choice->version, reply.status);
}

static bool has_label(const struct bl_team_fresh *fresh)
{
	for (size_t i = 0; i < fresh->choice_count; i++)
		if (fresh->choices[i].label.len)
			return true;
	return false;
}

/*
 * The labels are the server's: an administrator changes them there.  They are
 * asked for only while a choice wants one, and choose only among signed sets.  A
 * server that just serves files answers 404: then those of the enrolment count.
 */
static enum bl_status update_labels(struct team_update *update,
				    struct bl_team_account *account)
{
	struct bl_http_reply reply = { .status = 0 };
	struct bl_value value;
	enum bl_status status;

	if (!has_label(&update->fresh))
		return BL_OK;
	status = get(update, BL_STR("/v1/machine"), (struct bl_str){ NULL, 0 },
		     MAX_MACHINE_BYTES, &reply);
	if (status || reply.status == HTTP_NOT_FOUND)
		return status;
	if (reply.status != HTTP_OK ||
	    bl_json_read(update->arena, reply.body, NULL, &value, NULL, NULL,
			 NULL) ||
	    team_read_labels(value, update->arena, account, NULL))
		return team_refuse(update, BL_TEAM_INCOMPLETE,
				   "the server does not say which labels this "
				   "machine has (status %d)",
				   reply.status);
	return BL_OK;
}

enum bl_status team_update_manifest(struct team_update *update)
{
	struct bl_team_account account = *update->account;
	enum bl_status status = update_labels(update, &account);

	if (status)
		return status;
	update->choice = bl_team_choose(&update->fresh, account.machine_id,
					account.labels, account.label_count);
	if (update->session.client->is_background &&
	    bl_str_is(update->state->refused_sha256, update->choice->sha256))
		return team_refuse(update, update->state->state, "%.*s",
				   BL_STR_ARG(update->state->detail));
	status = check_versions(update);
	if (!status)
		status = get_manifest(update);
	if (!status)
		status = verify_manifest(update);
	return status ? status : check_manifest(update);
}

enum bl_status team_load_manifest(struct team_update *update)
{
	enum bl_status status =
		team_read_own(&update->session.client->place, "manifest",
			      BL_TEAM_MAX_MANIFEST_BYTES, update->arena,
			      &update->manifest_text, update->err);

	if (!status && !bl_str_is(update->state->manifest_sha256, "") &&
	    !has_digest(update->manifest_text,
			bl_arena_copy_str(update->arena,
					  update->state->manifest_sha256)
				.ptr))
		status = team_refuse(update, BL_TEAM_TAMPERED,
				     "the manifest in the folder of state is "
				     "another one");
	return status ? status : verify_manifest(update);
}
