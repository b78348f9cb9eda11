/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.c: what machines ask for every half hour, kept ready in memory: the
 * statement of freshness, the manifests that it names, their hooks in every form
 * of the founding contract's call, the roots.  A poll costs no question to the
 * database.  Immutable once made; a new one replaces it as a whole.
 */
#include "base/hex.h"
#include "server/app.h"

#include <stdio.h>
#include <stdlib.h>

enum { ANSWERS = 4, MAX_ROOTS = 1024 };

struct held_set {
	int64_t version;
	struct bl_str sha256;
	struct bl_str document;
	/* GetTeamHooksResponse: binary, binary of active ones, JSON, ... */
	struct bl_str answers[ANSWERS];
};

struct held {
	struct bl_arena arena;
	struct bl_str fresh; /* ptr NULL: nothing is published */
	char etag[BL_SHA256_HEX_BYTES + 2];
	struct bl_team_fresh statement;
	struct held_set sets[BL_TEAM_MAX_SETS]; /* of the choices */
	struct bl_rows roots;                   /* version, document */
};

struct snapshot {
	pthread_rwlock_t lock;
	struct held *held;
};

struct snapshot *snapshot_new(void)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (snapshot)
		pthread_rwlock_init(&snapshot->lock, NULL);
	return snapshot;
}

static void free_held(struct held *held)
{
	if (!held)
		return;
	bl_arena_clear(&held->arena);
	free(held);
}

struct snapshot *snapshot_free(struct snapshot *snapshot)
{
	if (!snapshot)
		return NULL;
	free_held(snapshot->held);
	pthread_rwlock_destroy(&snapshot->lock);
	free(snapshot);
	return NULL;
}

/* ---- making one ----------------------------------------------------------- */

/* Only the hooks that are active. */
static void keep_active(struct bl_team_hooks *hooks)
{
	size_t kept = 0;

	for (size_t i = 0; i < hooks->count; i++)
		if (hooks->items[i].is_active)
			hooks->items[kept++] = hooks->items[i];
	hooks->count = kept;
}

/* The four answers from the bytes of hooks.pb. */
static enum bl_status make_answers(struct held *held, struct held_set *set,
				   struct bl_str bytes, struct bl_error *err)
{
	struct bl_team_hooks hooks = { 0 };
	enum bl_status status = bl_team_decode(BL_TEAM_RESPONSE, bytes,
					       &held->arena, &hooks, err);

	set->answers[0] = bytes;
	for (size_t i = 1; !status && i < ANSWERS; i++) {
		/* In the order 2, 1, 3: all as JSON before they are fewer. */
		size_t which = i == 1 ? 2 : i == 2 ? 1 : 3;
		struct bl_buf out;

		if (which == 1)
			keep_active(&hooks);
		bl_buf_init(&out, 0);
		if (which >= 2)
			bl_team_encode_json(BL_TEAM_RESPONSE, &hooks, &out);
		else
			bl_team_encode(BL_TEAM_RESPONSE, &hooks, &out);
		set->answers[which] =
			bl_arena_copy_str(&held->arena, bl_buf_str(&out));
		if (bl_buf_status(&out) || !set->answers[which].ptr)
			status = bl_fail_memory(err);
		bl_buf_clear(&out);
	}
	return status;
}

static enum bl_status load_set(struct held *held, struct bl_db *db, size_t i,
			       struct bl_error *err)
{
	struct held_set *set = &held->sets[i];
	struct bl_team_manifest manifest;
	const struct bl_team_file *hooks;
	struct bl_rows rows;
	enum bl_status status;

	set->version = held->statement.choices[i].version;
	status = bl_db_ask(db,
			   BL_DB_QUERY("SELECT document, sha256 FROM "
				       "signed_set WHERE version = $1",
				       bl_db_integer(set->version)),
			   &held->arena, &rows, err);
	if (status)
		return status;
	set->document = bl_rows_text(&rows, 0, 0);
	set->sha256 = bl_rows_text(&rows, 0, 1);
	status = bl_team_read_manifest(set->document, &held->arena, &manifest,
				       err);
	if (status)
		return status;
	hooks = bl_team_find_file(&manifest, BL_STR(BL_TEAM_HOOKS_FILE));
	if (!hooks)
		return make_answers(held, set, BL_STR(""), err);
	status = bl_db_ask(
		db,
		BL_DB_QUERY("SELECT content FROM object WHERE sha256 = $1",
			    bl_db_text(bl_str(hooks->sha256))),
		&held->arena, &rows, err);
	/* Answering "no hooks" would take them away from machines. */
	if (!status && !rows.count)
		status = bl_fail(err, BL_SYSTEM,
				 "the database has lost %s of set %lld (object "
				 "%s): restore it from a backup",
				 BL_TEAM_HOOKS_FILE, (long long)set->version,
				 hooks->sha256);
	return status ? status
		      : make_answers(held, set, bl_rows_text(&rows, 0, 0), err);
}

static enum bl_status load(struct held *held, struct bl_db *db,
			   struct bl_error *err)
{
	char digest[BL_SHA256_HEX_BYTES];
	enum bl_status status =
		setting_get(db, "fresh", &held->arena, &held->fresh, err);

	if (!status)
		status = bl_db_ask(db,
				   BL_DB_QUERY("SELECT version, document FROM "
					       "root ORDER BY version LIMIT $1",
					       bl_db_integer(MAX_ROOTS)),
				   &held->arena, &held->roots, err);
	if (status || !held->fresh.ptr)
		return status;
	bl_sha256_hex(held->fresh, digest);
	snprintf(held->etag, sizeof(held->etag), "\"%s\"", digest);
	status = bl_team_read_fresh(held->fresh, &held->arena, &held->statement,
				    err);
	for (size_t i = 0; !status && i < held->statement.choice_count; i++)
		status = load_set(held, db, i, err);
	return status;
}

enum bl_status snapshot_load(struct app *app, struct bl_db *db,
			     struct bl_error *err)
{
	struct held *held = calloc(1, sizeof(*held));
	struct held *before;
	enum bl_status status;

	if (!held)
		return bl_fail_memory(err);
	bl_arena_init(&held->arena, NULL, 0, 0);
	status = load(held, db, err);
	if (status) {
		free_held(held);
		return status;
	}
	pthread_rwlock_wrlock(&app->snapshot->lock);
	before = app->snapshot->held;
	app->snapshot->held = held;
	pthread_rwlock_unlock(&app->snapshot->lock);
	free_held(before);
	return BL_OK;
}

/* ---- asking it ------------------------------------------------------------ */

/* The set that the caller is to take; people see what all take.  NULL: none. */
static const struct held_set *set_of(const struct held *held,
				     struct bl_arena *arena,
				     const struct caller *who)
{
	const struct bl_team_fresh *fresh = &held->statement;
	const struct bl_team_choice *choice;
	struct bl_str labels[64];
	struct bl_value list = bl_value_undefined();
	size_t count = 0;

	if (!held->fresh.ptr || !fresh->choice_count)
		return NULL;
	choice = &fresh->choices[fresh->choice_count - 1];
	if (who->machine.len) {
		if (bl_json_read(arena, who->labels, NULL, &list, NULL, NULL,
				 NULL))
			return NULL;
		while (count < BL_COUNT(labels) &&
		       count < bl_value_count(list)) {
			labels[count] =
				bl_value_text(bl_value_item(list, count));
			count++;
		}
		choice = bl_team_choose(fresh, who->machine, labels, count);
	}
	return choice ? &held->sets[choice - fresh->choices] : NULL;
}

/* The body, or 304 when the caller has it already.  etag is with quotes. */
static enum bl_status answer(struct call *call, struct bl_str body,
			     const char *etag, const char *caching)
{
	struct bl_str had = bl_server_header(call->request, "If-None-Match");
	struct bl_str kept = bl_arena_copy_str(call->arena, bl_str(etag));

	if (!kept.ptr)
		return bl_fail_memory(&call->err);
	bl_server_reply_header(call->reply, "ETag", kept.ptr);
	bl_server_reply_header(call->reply, "Cache-Control", caching);
	if (bl_str_is(had, etag)) {
		call->reply->status = 304;
		return BL_OK;
	}
	call->reply->type = "application/json";
	call->reply->body = bl_arena_copy_str(call->arena, body);
	return call->reply->body.ptr ? BL_OK : bl_fail_memory(&call->err);
}

/* GET /v1/set/fresh */
enum bl_status route_fresh(struct call *call)
{
	struct snapshot *snapshot = call->app->snapshot;
	enum bl_status status;

	if (call->who->wants_renewal)
		bl_server_reply_header(call->reply, "Belay-Token", "renew");
	pthread_rwlock_rdlock(&snapshot->lock);
	status = snapshot->held->fresh.ptr
			 ? answer(call, snapshot->held->fresh,
				  snapshot->held->etag, "private, no-cache")
			 : bl_fail(&call->err, BL_NOT_FOUND,
				   "no set has been published yet");
	pthread_rwlock_unlock(&snapshot->lock);
	return status;
}

/* GET /v1/set/manifest */
enum bl_status route_manifest(struct call *call)
{
	struct snapshot *snapshot = call->app->snapshot;
	char etag[BL_SHA256_HEX_BYTES + 2];
	const struct held_set *set;
	enum bl_status status;

	pthread_rwlock_rdlock(&snapshot->lock);
	set = set_of(snapshot->held, call->arena, call->who);
	if (set) {
		snprintf(etag, sizeof(etag), "\"%.*s\"",
			 BL_STR_ARG(set->sha256));
		status = answer(call, set->document, etag, "private, no-cache");
	} else {
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "no set has been published yet");
	}
	pthread_rwlock_unlock(&snapshot->lock);
	return status;
}

/* GET /v1/root/N */
enum bl_status route_root(struct call *call)
{
	struct snapshot *snapshot = call->app->snapshot;
	struct bl_str number = call->request->parts[0];
	enum bl_status status =
		bl_fail(&call->err, BL_NOT_FOUND, "there is no such root");

	pthread_rwlock_rdlock(&snapshot->lock);
	for (size_t i = 0; i < snapshot->held->roots.count; i++) {
		char etag[BL_SHA256_HEX_BYTES + 2];
		char digest[BL_SHA256_HEX_BYTES];
		struct bl_str document =
			bl_rows_text(&snapshot->held->roots, i, 1);

		if (!bl_str_equal(bl_rows_text(&snapshot->held->roots, i, 0),
				  number))
			continue;
		bl_sha256_hex(document, digest);
		snprintf(etag, sizeof(etag), "\"%s\"", digest);
		status = answer(call, document, etag,
				"public, max-age=31536000, immutable");
	}
	pthread_rwlock_unlock(&snapshot->lock);
	return status;
}

/* GET /v1/o/SHA256: a file of a set, or a manifest. */
enum bl_status route_object(struct call *call)
{
	struct bl_str sha256 = call->request->parts[0];
	char etag[BL_SHA256_HEX_BYTES + 2];
	uint8_t digest[BL_SHA256_BYTES];
	struct bl_rows rows;
	enum bl_status status;

	if (!bl_hex_decode(sha256, digest, sizeof(digest)))
		return bl_fail(&call->err, BL_NOT_FOUND,
			       "there is no such object");
	status = call_ask(
		call,
		BL_DB_QUERY("SELECT content FROM object WHERE sha256 = $1",
			    bl_db_text(sha256)),
		&rows);
	if (!status && !rows.count)
		status = call_ask(call,
				  BL_DB_QUERY("SELECT document FROM signed_set "
					      "WHERE sha256 = $1 AND signed IS "
					      "NOT NULL",
					      bl_db_text(sha256)),
				  &rows);
	if (!status && !rows.count)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "there is no such object");
	if (status)
		return status;
	snprintf(etag, sizeof(etag), "\"%.*s\"", BL_STR_ARG(sha256));
	status = answer(call, bl_rows_text(&rows, 0, 0), etag,
			"private, max-age=31536000, immutable");
	if (call->reply->type)
		call->reply->type = "application/octet-stream";
	return status;
}

/* ---- the founding contract's call ----------------------------------------- */

/* Without parameters: "application/json; charset=utf-8" is JSON. */
static struct bl_str media_type(struct bl_str header)
{
	return bl_str_trim(
		bl_str_slice(header, 0, bl_str_find(header, BL_STR(";"), 0)));
}

/* POST /belay.team.v1.TeamService/GetTeamHooks */
enum bl_status route_team_hooks(struct call *call)
{
	struct snapshot *snapshot = call->app->snapshot;
	struct bl_str type =
		media_type(bl_server_header(call->request, "Content-Type"));
	struct bl_str protocol =
		bl_server_header(call->request, "Connect-Protocol-Version");
	bool is_json = bl_str_is(type, BL_TEAM_TYPE_JSON);
	struct bl_team_request wanted = { 0 };
	const struct held_set *set;
	struct bl_str body = is_json ? BL_STR("{}") : BL_STR("");
	enum bl_status status;

	if (!is_json && !bl_str_is(type, BL_TEAM_TYPE_BINARY)) {
		bl_server_reply_header(call->reply, "Accept-Post",
				       BL_TEAM_TYPE_BINARY
				       ", " BL_TEAM_TYPE_JSON);
		return call_refuse(call, 415,
				   "the content type is not one of "
				   "application/proto, application/json");
	}
	if (protocol.ptr && !bl_str_is(protocol, "1"))
		return bl_fail(&call->err, BL_INVALID,
			       "connect-protocol-version is not 1");
	status = is_json ? bl_team_decode_json(BL_TEAM_REQUEST,
					       call->request->body, true,
					       call->arena, &wanted, &call->err)
			 : bl_team_decode(BL_TEAM_REQUEST, call->request->body,
					  call->arena, &wanted, &call->err);
	if (status)
		return status;
	pthread_rwlock_rdlock(&snapshot->lock);
	set = set_of(snapshot->held, call->arena, call->who);
	if (set)
		body = bl_arena_copy_str(
			call->arena,
			set->answers[(is_json ? 2 : 0) + wanted.active_only]);
	pthread_rwlock_unlock(&snapshot->lock);
	if (!body.ptr)
		return bl_fail_memory(&call->err);
	call->reply->type = is_json ? BL_TEAM_TYPE_JSON : BL_TEAM_TYPE_BINARY;
	call->reply->body = body;
	bl_server_reply_header(call->reply, "Cache-Control", "no-store");
	return BL_OK;
}
