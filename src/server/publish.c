/* SPDX-License-Identifier: Apache-2.0 */
/*
 * publish.c: from a draft to a signed set, and the hourly statement that says
 * which set is the newest.
 *
 * A set is prepared (its files are kept by digest, its manifest is written),
 * signed (here, when the server has a set key, or by an administrator on another
 * machine, who uploads the signed document), and then rolled out.  The server can
 * choose only among signed sets.
 */
#include "server/app.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	LOCK_PUBLISH = 7263,
	SET_DAYS = 90,
	FRESH_HOURS = 24,
	HOUR_SECONDS = 3600,
	DAY_SECONDS = 86400,
};

/* The oldest belay that reads sets. */
#define MIN_CLIENT "0.1.0"

/* ---- preparing ------------------------------------------------------------ */

static enum bl_status add_file(struct call *call,
			       struct bl_team_manifest *manifest,
			       struct bl_str path, struct bl_str content)
{
	struct bl_team_file *file = &manifest->files[manifest->file_count];

	*file = (struct bl_team_file){ .path = path,
				       .bytes = (int64_t)content.len };
	bl_sha256_hex(content, file->sha256);
	manifest->file_count++;
	return call_run(call,
			BL_DB_QUERY("INSERT INTO object VALUES ($1, $2, $3) ON "
				    "CONFLICT DO NOTHING",
				    bl_db_text(bl_str(file->sha256)),
				    bl_db_bytes(content),
				    bl_db_integer(call->now_ms)),
			NULL);
}

static enum bl_status add_hooks(struct call *call,
				struct bl_team_manifest *manifest)
{
	struct bl_team_hooks hooks;
	struct bl_buf bytes;
	struct bl_str kept;
	enum bl_status status = draft_hooks(call, &hooks);

	if (status)
		return status;
	bl_buf_init(&bytes, 0);
	bl_team_encode(BL_TEAM_RESPONSE, &hooks, &bytes);
	kept = bl_arena_copy_str(call->arena, bl_buf_str(&bytes));
	status = bl_buf_status(&bytes) || !kept.ptr
			 ? bl_fail_memory(&call->err)
			 : add_file(call, manifest, BL_STR(BL_TEAM_HOOKS_FILE),
				    kept);
	bl_buf_clear(&bytes);
	return status;
}

/* hooks.pb comes before policies/..., which come in order. */
static enum bl_status add_files(struct call *call,
				struct bl_team_manifest *manifest)
{
	struct bl_rows rows;
	enum bl_status status = call_ask(
		call, BL_DB_PLAIN("SELECT path, content FROM policy"), &rows);

	if (status)
		return status;
	if (rows.count + 1 > BL_TEAM_MAX_FILES)
		return bl_fail(&call->err, BL_INVALID, "more than %d files",
			       BL_TEAM_MAX_FILES);
	manifest->files = bl_arena_new_array(call->arena, struct bl_team_file,
					     rows.count + 1);
	if (!manifest->files)
		return bl_fail_memory(&call->err);
	status = add_hooks(call, manifest);
	for (size_t i = 0; !status && i < rows.count; i++) {
		struct bl_str path = bl_arena_printf(
			call->arena, BL_TEAM_POLICY_FOLDER "/%.*s",
			BL_STR_ARG(rows.cells[2 * i]));

		status = path.ptr ? add_file(call, manifest, path,
					     bl_rows_text(&rows, i, 1))
				  : bl_fail_memory(&call->err);
	}
	return status;
}

static int compare_files(const void *a, const void *b)
{
	const struct bl_team_file *x = a;
	const struct bl_team_file *y = b;

	return bl_str_compare(x->path, y->path);
}

/* The version that all machines without another choice have; 0: none. */
static enum bl_status version_in_force(struct bl_db *db, struct bl_arena *arena,
				       int64_t *out, struct bl_error *err)
{
	struct bl_rows rows;
	enum bl_status status = bl_db_ask(
		db,
		BL_DB_PLAIN("SELECT version FROM rollout WHERE state = 'active'"
			    " ORDER BY place DESC LIMIT 1"),
		arena, &rows, err);

	if (!status)
		*out = bl_rows_integer(&rows, 0, 0);
	return status;
}

static enum bl_status fill_manifest(struct call *call,
				    struct bl_team_manifest *manifest)
{
	struct bl_rows rows;
	int64_t now = call->now_ms / SECOND_MS;
	int64_t before = 0;
	enum bl_status status = bl_db_lock(call->db, LOCK_PUBLISH, &call->err);

	if (!status)
		status = call_ask(
			call,
			BL_DB_PLAIN("SELECT COALESCE(MAX(version), 0) FROM "
				    "signed_set"),
			&rows);
	if (!status)
		status = version_in_force(call->db, call->arena, &before,
					  &call->err);
	if (status)
		return status;
	*manifest = (struct bl_team_manifest){
		.team_id = call->app->team_id,
		.version = bl_rows_integer(&rows, 0, 0) + 1,
		.created = now,
		.expires = now + (int64_t)SET_DAYS * DAY_SECONDS,
		.min_client = BL_STR(MIN_CLIENT),
	};
	/* Machines may go back to the set that was in force, no further. */
	manifest->floor = before ? before : manifest->version;
	status = add_files(call, manifest);
	if (!status)
		qsort(manifest->files, manifest->file_count,
		      sizeof(*manifest->files), compare_files);
	return status;
}

/* Checks the signatures of a document by the current root. */
static enum bl_status check_signatures(struct call *call, struct bl_str text)
{
	enum bl_team_state state;
	struct bl_team_root root;
	enum bl_status status =
		publish_root(call->db, call->arena, &root, &call->err);

	if (!status)
		status = bl_team_verify(BL_TEAM_MANIFEST, text,
					&root.roles[BL_TEAM_ROLE_SET], &state,
					&call->err);
	return status;
}

static enum bl_status insert_set(struct call *call,
				 const struct bl_team_manifest *manifest,
				 struct bl_str document, bool is_signed)
{
	char digest[BL_SHA256_HEX_BYTES];

	bl_sha256_hex(document, digest);
	return call_run(
		call,
		BL_DB_QUERY("INSERT INTO signed_set VALUES ($1, $2, $3, $4, "
			    "$5, $6, $7, $8, $9)",
			    bl_db_integer(manifest->version),
			    bl_db_text(document), bl_db_text(bl_str(digest)),
			    bl_db_integer((int64_t)manifest->file_count),
			    bl_db_text(call_text(call, "note").ptr
					       ? call_text(call, "note")
					       : BL_STR("")),
			    bl_db_integer(call->now_ms),
			    bl_db_text(call->who->name),
			    is_signed ? bl_db_integer(call->now_ms)
				      : bl_db_null(),
			    bl_db_integer(manifest->expires * SECOND_MS)),
		NULL);
}

static enum bl_status prepare(struct call *call, struct bl_buf *document,
			      int64_t *out_version, bool *out_signed)
{
	struct bl_team_manifest manifest = { .version = 0 };
	enum bl_status status = fill_manifest(call, &manifest);

	if (!status)
		status =
			bl_team_write_manifest(&manifest, document, &call->err);
	if (!status && call->app->has_set_key) {
		status = bl_team_sign(BL_TEAM_MANIFEST, &call->app->set_key,
				      document, &call->err);
		/* A key that the root does not know, or too few of them. */
		if (!status)
			*out_signed =
				!check_signatures(call, bl_buf_str(document));
	}
	if (!status)
		status = insert_set(call, &manifest, bl_buf_str(document),
				    *out_signed);
	*out_version = manifest.version;
	return status;
}

/* POST /api/sets {"note"}: the draft becomes a set. */
enum bl_status route_set_prepare(struct call *call)
{
	struct bl_buf document;
	struct bl_str findings;
	struct bl_str target;
	bool is_good = false;
	bool is_signed = false;
	int64_t version = 0;
	enum bl_status status = draft_check(call, &is_good, &findings);

	if (status)
		return status;
	if (!is_good)
		return call_refuse(call, 400,
				   "the draft has errors: look at its "
				   "findings");
	bl_buf_init(&document, BL_TEAM_MAX_MANIFEST_BYTES);
	status = prepare(call, &document, &version, &is_signed);
	bl_buf_clear(&document);
	target = bl_arena_printf(call->arena, "%lld", (long long)version);
	if (!status)
		status = audit_add(call, is_signed ? "set.sign" : "set.prepare",
				   target, BL_STR(""));
	if (status)
		return status;
	bl_buf_printf(&call->out, "{\"version\":%lld,\"signed\":%s}\n",
		      (long long)version, is_signed ? "true" : "false");
	return call_send_json(call);
}

/* GET /api/sets */
enum bl_status route_sets(struct call *call)
{
	return call_list(
		call, "sets",
		BL_DB_PLAIN("SELECT version, sha256, files, note, created, "
			    "created_by, signed, expires FROM signed_set ORDER "
			    "BY version DESC LIMIT 200"),
		"version#,sha256,files#,note,created#,created_by,signed#,"
		"expires#");
}

static enum bl_status find_document(struct call *call, struct bl_str *out)
{
	struct bl_rows rows;
	enum bl_status status = call_ask(
		call,
		BL_DB_QUERY("SELECT document FROM signed_set WHERE CAST(version"
			    " AS TEXT) = $1",
			    bl_db_text(call->request->parts[0])),
		&rows);

	if (!status && !rows.count)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "there is no such set");
	if (!status)
		*out = bl_rows_text(&rows, 0, 0);
	return status;
}

/* GET /api/sets/N/document: to be signed elsewhere. */
enum bl_status route_set_document(struct call *call)
{
	struct bl_str text;
	enum bl_status status = find_document(call, &text);

	if (status)
		return status;
	call->reply->type = "text/plain; charset=utf-8";
	call->reply->body = text;
	return BL_OK;
}

static struct bl_str first_line(struct bl_str text)
{
	return bl_str_slice(text, 0, bl_str_find(text, BL_STR("\n"), 0));
}

/* PUT /api/sets/N/document: as it comes back, with signatures. */
enum bl_status route_set_sign(struct call *call)
{
	struct bl_str text = call->request->body;
	char digest[BL_SHA256_HEX_BYTES];
	uint64_t changed = 0;
	struct bl_str was;
	enum bl_status status = find_document(call, &was);

	if (!status && !bl_str_equal(first_line(text), first_line(was)))
		status = bl_fail(&call->err, BL_INVALID,
				 "it is not the document of this set");
	if (!status)
		status = check_signatures(call, text);
	if (status)
		return status;
	bl_sha256_hex(text, digest);
	status = call_run(
		call,
		BL_DB_QUERY("UPDATE signed_set SET document = $1, sha256 = $2, "
			    "signed = $3 WHERE CAST(version AS TEXT) = $4 AND "
			    "signed IS NULL",
			    bl_db_text(text), bl_db_text(bl_str(digest)),
			    bl_db_integer(call->now_ms),
			    bl_db_text(call->request->parts[0])),
		&changed);
	if (!status && !changed)
		status = bl_fail(&call->err, BL_EXISTS,
				 "the set is signed already");
	if (!status)
		status = audit_add(call, "set.sign", call->request->parts[0],
				   BL_STR(""));
	return status ? status
		      : call_send_member(call, "sha256", bl_str(digest));
}

/* ---- roots ---------------------------------------------------------------- */

enum bl_status publish_root(struct bl_db *db, struct bl_arena *arena,
			    struct bl_team_root *out, struct bl_error *err)
{
	struct bl_rows rows;
	enum bl_status status = bl_db_ask(
		db,
		BL_DB_PLAIN("SELECT document FROM root ORDER BY version DESC "
			    "LIMIT 1"),
		arena, &rows, err);

	if (!status && !rows.count)
		status = bl_fail(err, BL_NOT_FOUND, "the team has no root");
	return status ? status
		      : bl_team_read_root(bl_rows_text(&rows, 0, 0), arena, out,
					  err);
}

/* POST /api/roots: the next root, signed by the old keys and the new. */
enum bl_status route_root_add(struct call *call)
{
	struct bl_str text = call->request->body;
	struct bl_team_root now;
	struct bl_team_root next;
	enum bl_team_state state;
	enum bl_status status =
		publish_root(call->db, call->arena, &now, &call->err);

	if (!status)
		status =
			bl_team_read_root(text, call->arena, &next, &call->err);
	if (!status && (next.root_version != now.root_version + 1 ||
			!bl_str_equal(next.team_id, now.team_id)))
		status = bl_fail(&call->err, BL_INVALID,
				 "it is not root %lld of this team",
				 (long long)now.root_version + 1);
	if (!status)
		status = bl_team_verify(BL_TEAM_ROOT, text,
					&now.roles[BL_TEAM_ROLE_ROOT], &state,
					&call->err);
	if (!status)
		status = bl_team_verify(BL_TEAM_ROOT, text,
					&next.roles[BL_TEAM_ROLE_ROOT], &state,
					&call->err);
	if (!status)
		status = call_run(call,
				  BL_DB_QUERY("INSERT INTO root VALUES ($1, "
					      "$2, $3)",
					      bl_db_integer(next.root_version),
					      bl_db_text(text),
					      bl_db_integer(call->now_ms)),
				  NULL);
	if (!status)
		status =
			audit_add(call, "root.add",
				  bl_arena_printf(call->arena, "%lld",
						  (long long)next.root_version),
				  BL_STR(""));
	if (!status)
		status = publish_fresh(call->app, call->db, true, &call->err);
	return status ? status
		      : call_send_member(call, "team_id", next.team_id);
}

/* ---- freshness ------------------------------------------------------------ */

static enum bl_status fill_choices(struct bl_db *db, struct bl_arena *arena,
				   struct bl_team_fresh *fresh,
				   struct bl_error *err)
{
	struct bl_rows rows;
	enum bl_status status = bl_db_ask(
		db,
		BL_DB_QUERY("SELECT r.version, s.sha256, r.share, r.label FROM "
			    "rollout r JOIN signed_set s ON s.version = "
			    "r.version WHERE r.state = 'active' ORDER BY "
			    "r.place LIMIT $1",
			    bl_db_integer(BL_TEAM_MAX_SETS)),
		arena, &rows, err);

	if (status)
		return status;
	fresh->choices = bl_arena_new_array(arena, struct bl_team_choice,
					    rows.count + 1);
	if (!fresh->choices)
		return bl_fail_memory(err);
	fresh->choice_count = rows.count;
	for (size_t i = 0; i < rows.count; i++) {
		struct bl_team_choice *choice = &fresh->choices[i];
		struct bl_str sha256 = bl_rows_text(&rows, i, 1);

		choice->version = bl_rows_integer(&rows, i, 0);
		snprintf(choice->sha256, sizeof(choice->sha256), "%.*s",
			 BL_STR_ARG(sha256));
		choice->share = (uint32_t)bl_rows_integer(&rows, i, 2);
		choice->label = bl_rows_text(&rows, i, 3);
	}
	return BL_OK;
}

static enum bl_status write_fresh(struct app *app, struct bl_db *db,
				  struct bl_arena *arena, struct bl_error *err)
{
	int64_t now = bl_os_wall_ms() / SECOND_MS;
	struct bl_team_fresh fresh = {
		.team_id = app->team_id,
		.issued = now,
		.expires = now + (int64_t)FRESH_HOURS * HOUR_SECONDS,
	};
	struct bl_team_root root;
	struct bl_buf text;
	enum bl_status status = publish_root(db, arena, &root, err);

	if (!status)
		status = fill_choices(db, arena, &fresh, err);
	if (!status)
		status = audit_head(db, arena, &fresh.audit, err);
	if (status || !fresh.choice_count)
		return status;
	fresh.root_version = root.root_version;
	bl_buf_init(&text, BL_TEAM_MAX_FRESH_BYTES);
	status = bl_team_write_fresh(&fresh, &text, err);
	if (!status)
		status = bl_team_sign(BL_TEAM_FRESH, &app->fresh_key, &text,
				      err);
	if (!status)
		status = setting_set(db, "fresh", bl_buf_str(&text), err);
	if (!status)
		status = epoch_raise(db, err);
	bl_buf_clear(&text);
	return status;
}

/* When the statement that is there was issued, in seconds; 0: nothing is published. */
static enum bl_status read_issued(struct bl_db *db, struct bl_arena *arena,
				  int64_t *out, struct bl_error *err)
{
	struct bl_team_fresh fresh;
	struct bl_str text;
	enum bl_status status = setting_get(db, "fresh", arena, &text, err);

	*out = 0;
	if (status || !text.ptr)
		return status;
	status = bl_team_read_fresh(text, arena, &fresh, err);
	if (!status)
		*out = fresh.issued;
	return status;
}

enum bl_status publish_fresh(struct app *app, struct bl_db *db, bool forced,
			     struct bl_error *err)
{
	int64_t now = bl_os_wall_ms() / SECOND_MS;
	struct bl_arena arena;
	int64_t issued = 0;
	enum bl_status status;

	if (!app->has_fresh_key)
		return forced ? bl_fail(err, BL_UNSUPPORTED,
					"this server has no fresh.key")
			      : BL_OK;
	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_db_lock(db, LOCK_PUBLISH, err);
	if (!status && !forced)
		status = read_issued(db, &arena, &issued, err);
	if (!status && now - issued >= HOUR_SECONDS)
		status = write_fresh(app, db, &arena, err);
	bl_arena_clear(&arena);
	return status;
}
