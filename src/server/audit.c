/* SPDX-License-Identifier: Apache-2.0 */
/*
 * audit.c: who changed what.  Each entry has the SHA-256 of the one before it and
 * of itself, and every statement of freshness carries the last of them to the
 * machines: who rewrites the past has to rewrite what others have seen.
 */
#include "base/hex.h"
#include "server/app.h"

enum { LOCK_AUDIT = 7262, MAX_SHOWN = 500, CHECK_SLICE = 1000 };

/* The digest of an entry behind another. */
static void link_entry(struct bl_str before, const struct bl_str fields[5],
		       char out[BL_SHA256_HEX_BYTES])
{
	uint8_t digest[BL_SHA256_BYTES];
	struct bl_sha256 sha;

	bl_sha256_init(&sha);
	bl_sha256_update(&sha, before.ptr ? before.ptr : "", before.len);
	for (size_t i = 0; i < 5; i++) {
		bl_sha256_update(&sha, "\n", 1);
		bl_sha256_update(&sha, fields[i].ptr, fields[i].len);
	}
	bl_sha256_end(&sha, digest);
	bl_hex_encode(digest, sizeof(digest), out);
}

enum bl_status audit_head(struct bl_db *db, struct bl_arena *arena,
			  struct bl_str *out_hash, struct bl_error *err)
{
	struct bl_rows rows;
	enum bl_status status = bl_db_ask(
		db,
		BL_DB_PLAIN("SELECT hash FROM audit ORDER BY seq DESC LIMIT 1"),
		arena, &rows, err);

	if (!status)
		*out_hash = rows.count ? bl_rows_text(&rows, 0, 0) : BL_STR("");
	return status;
}

enum bl_status audit_add_by(struct bl_db *db, struct bl_str actor,
			    const char *action, struct bl_str target,
			    struct bl_str detail, struct bl_error *err)
{
	char hash[BL_SHA256_HEX_BYTES];
	struct bl_arena arena;
	struct bl_rows rows = { 0 };
	int64_t now = bl_os_wall_ms();
	enum bl_status status = bl_db_lock(db, LOCK_AUDIT, err);
	struct bl_str fields[5];

	bl_arena_init(&arena, NULL, 0, 0);
	if (!status)
		status = bl_db_ask(db,
				   BL_DB_PLAIN("SELECT hash, seq FROM audit "
					       "ORDER BY seq DESC LIMIT 1"),
				   &arena, &rows, err);
	fields[0] = bl_arena_printf(&arena, "%lld", (long long)now);
	fields[1] = actor;
	fields[2] = bl_str(action);
	fields[3] = target.ptr ? target : BL_STR("");
	fields[4] = detail.len ? detail : BL_STR("{}");
	if (!status && !fields[0].ptr)
		status = bl_fail_memory(err);
	if (!status) {
		link_entry(bl_rows_text(&rows, 0, 0), fields, hash);
		status = bl_db_run(
			db,
			BL_DB_QUERY(
				"INSERT INTO audit VALUES ($1, $2, $3, $4, "
				"$5, $6, $7)",
				bl_db_integer(bl_rows_integer(&rows, 0, 1) + 1),
				bl_db_integer(now), bl_db_text(fields[1]),
				bl_db_text(fields[2]), bl_db_text(fields[3]),
				bl_db_text(fields[4]),
				bl_db_text(bl_str(hash))),
			NULL, err);
	}
	bl_arena_clear(&arena);
	return status;
}

enum bl_status audit_add(struct call *call, const char *action,
			 struct bl_str target, struct bl_str detail)
{
	return audit_add_by(call->db, call->who->name, action, target, detail,
			    &call->err);
}

/* GET /api/audit?before=SEQ */
enum bl_status route_audit(struct call *call)
{
	int64_t before = call_query_integer(call, "before", INT64_MAX);

	return call_list(
		call, "entries",
		BL_DB_QUERY("SELECT seq, at, actor, action, target, detail, "
			    "hash FROM audit WHERE seq < $1 ORDER BY seq DESC "
			    "LIMIT $2",
			    bl_db_integer(before), bl_db_integer(MAX_SHOWN)),
		"seq#,at#,actor,action,target,detail!,hash");
}

/* Walks a slice; *broken is the first entry that does not fit, or 0. */
static enum bl_status check_slice(struct call *call, int64_t *last,
				  char head[BL_SHA256_HEX_BYTES],
				  int64_t *broken, size_t *count)
{
	struct bl_rows rows;
	enum bl_status status = call_ask(
		call,
		BL_DB_QUERY("SELECT seq, hash, at, actor, action, target, "
			    "detail FROM audit WHERE seq > $1 ORDER BY seq "
			    "LIMIT $2",
			    bl_db_integer(*last), bl_db_integer(CHECK_SLICE)),
		&rows);

	if (status)
		return status;
	*count = rows.count;
	for (size_t i = 0; i < rows.count && !*broken; i++) {
		char hash[BL_SHA256_HEX_BYTES];
		struct bl_str fields[5];

		for (size_t j = 0; j < 5; j++)
			fields[j] = bl_rows_text(&rows, i, 2 + j);
		link_entry(bl_str(head), fields, hash);
		if (bl_rows_integer(&rows, i, 0) != *last + 1 ||
		    !bl_str_is(bl_rows_text(&rows, i, 1), hash))
			*broken = bl_rows_integer(&rows, i, 0);
		*last = bl_rows_integer(&rows, i, 0);
		memcpy(head, hash, BL_SHA256_HEX_BYTES);
	}
	return BL_OK;
}

/* GET /api/audit/check */
enum bl_status route_audit_check(struct call *call)
{
	char head[BL_SHA256_HEX_BYTES] = "";
	int64_t last = 0;
	int64_t broken = 0;
	size_t count = CHECK_SLICE;
	enum bl_status status = BL_OK;

	while (!status && !broken && count == CHECK_SLICE)
		status = check_slice(call, &last, head, &broken, &count);
	if (status)
		return status;
	bl_buf_printf(&call->out,
		      "{\"whole\":%s,\"entries\":%lld,\"broken_at\":%lld,"
		      "\"head\":\"%s\"}",
		      broken ? "false" : "true", (long long)last,
		      (long long)broken, head);
	return call_send_json(call);
}
