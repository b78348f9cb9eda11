/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.c: opening the database and the keys, and the first start: a team, its
 * keys, its first root, and a token for its first administrator.
 *
 * The keys of a new team lie beside the database, which is enough for a small
 * team, and is said in the log: those for roots and sets can be moved to another
 * machine at any time, since the server works without them.
 */
#include "base/hex.h"
#include "server/app.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	FOLDER_MODE = 0700,
	FILE_MODE = 0600,
	ROOT_YEARS = 2,
	YEAR_SECONDS = 365 * 86400,
	STORE_CONNECTIONS = 8,
	KEY_FILE_BYTES = 256,
};

/* A key's file is one line: this and 64 digits (belay team keygen). */
#define KEY_WORD "belay-ed25519-secret "

/* ---- keys ----------------------------------------------------------------- */

static struct bl_str key_path(struct bl_arena *arena,
			      const struct app_options *options,
			      const char *name)
{
	return bl_arena_printf(arena, "%.*s/%s.key", BL_STR_ARG(options->keys),
			       name);
}

static enum bl_status parse_key(struct bl_str text, const char *name,
				struct bl_ed25519_secret *out,
				struct bl_error *err)
{
	struct bl_str digits =
		bl_str_slice(text, sizeof(KEY_WORD) - 1, SIZE_MAX);

	if (bl_str_has_prefix(text, BL_STR(KEY_WORD)) &&
	    bl_hex_decode(digits, out->bytes, sizeof(out->bytes)))
		return BL_OK;
	return bl_fail(err, BL_CONFIG,
		       "%s.key is not a key of belay team keygen", name);
}

/* *out_found false when there is no such file. */
static enum bl_status read_key(const struct app_options *options,
			       const char *name, struct bl_ed25519_secret *out,
			       bool *out_found, struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_str text;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_os_read_file(key_path(&arena, options, name), 0,
				 KEY_FILE_BYTES, &arena, &text, NULL, err);
	*out_found = !status;
	if (status == BL_NOT_FOUND)
		status = BL_OK;
	else if (!status)
		status = parse_key(bl_str_trim(text), name, out, err);
	bl_arena_clear(&arena);
	return status;
}

static enum bl_status make_key(const struct app_options *options,
			       const char *name,
			       struct bl_ed25519_secret *out_secret,
			       struct bl_ed25519_public *out_public,
			       struct bl_error *err)
{
	char line[sizeof(KEY_WORD) + 2 * BL_ED25519_KEY_BYTES + 1] = KEY_WORD;
	size_t len = sizeof(KEY_WORD) - 1;
	struct bl_arena arena;
	enum bl_status status =
		bl_ed25519_generate(out_secret, out_public, err);

	if (status)
		return status;
	bl_hex_encode(out_secret->bytes, sizeof(out_secret->bytes), line + len);
	len += 2 * BL_ED25519_KEY_BYTES;
	line[len++] = '\n';
	bl_arena_init(&arena, NULL, 0, 0);
	status =
		bl_os_create_file(key_path(&arena, options, name),
				  (struct bl_str){ line, len }, FILE_MODE, err);
	if (status == BL_EXISTS)
		bl_error_context(err, "keys of another team are there");
	explicit_bzero(line, sizeof(line));
	bl_arena_clear(&arena);
	return status;
}

/* ---- the first start ------------------------------------------------------ */

static enum bl_status new_team_id(struct app *app, struct bl_arena *arena,
				  struct bl_error *err)
{
	char id[APP_ID_BYTES];
	enum bl_status status = app_new_id(id, err);

	if (status)
		return status;
	app->team_id = app->options.team.len
			       ? bl_arena_copy_str(arena, app->options.team)
			       : bl_arena_printf(arena, "team-%.8s", id);
	return app->team_id.ptr ? BL_OK : bl_fail_memory(err);
}

/* Root 1: one key for each role, each a threshold of its own. */
static enum bl_status make_root(struct app *app, struct bl_buf *out,
				struct bl_error *err)
{
	static const char *const names[BL_TEAM_ROLE_COUNT] = {
		[BL_TEAM_ROLE_ROOT] = "root",
		[BL_TEAM_ROLE_SET] = "set",
		[BL_TEAM_ROLE_FRESH] = "fresh",
	};
	struct bl_ed25519_secret secrets[BL_TEAM_ROLE_COUNT];
	struct bl_team_root root = {
		.team_id = app->team_id,
		.root_version = 1,
		.expires = bl_os_wall_ms() / SECOND_MS +
			   (int64_t)ROOT_YEARS * YEAR_SECONDS,
	};
	enum bl_status status = BL_OK;

	for (int i = 0; !status && i < BL_TEAM_ROLE_COUNT; i++) {
		root.roles[i].key_count = root.roles[i].threshold = 1;
		status = make_key(&app->options, names[i], &secrets[i],
				  &root.roles[i].keys[0], err);
	}
	if (!status)
		status = bl_team_write_root(&root, out, err);
	if (!status)
		status = bl_team_sign(BL_TEAM_ROOT, &secrets[BL_TEAM_ROLE_ROOT],
				      out, err);
	for (int i = 0; i < BL_TEAM_ROLE_COUNT; i++)
		bl_ed25519_wipe(&secrets[i]);
	return status;
}

static enum bl_status put_team(struct app *app, struct bl_db *db,
			       struct bl_str root, char token[APP_TOKEN_BYTES],
			       struct bl_error *err)
{
	struct token_row row = {
		.kind = 'p',
		.name = BL_STR("first administrator"),
		.role = ROLE_ADMIN,
		.created_by = BL_STR("belay-server"),
	};
	char id[APP_ID_BYTES];
	enum bl_status status = setting_set(db, "team_id", app->team_id, err);

	if (!status)
		status = bl_db_run(
			db,
			BL_DB_QUERY("INSERT INTO root VALUES (1, $1, $2)",
				    bl_db_text(root),
				    bl_db_integer(bl_os_wall_ms())),
			NULL, err);
	if (!status)
		status = token_insert(db, &row, token, id, err);
	if (!status)
		status = epoch_raise(db, err);
	if (!status)
		status = audit_add_by(db, BL_STR("belay-server"), "team.create",
				      app->team_id, BL_STR(""), err);
	return status;
}

static enum bl_status make_team(struct app *app, struct bl_arena *arena,
				struct bl_db *db, struct bl_error *err)
{
	char token[APP_TOKEN_BYTES];
	struct bl_buf root;
	enum bl_status status =
		bl_os_make_dirs(app->options.keys, FOLDER_MODE, err);

	bl_buf_init(&root, BL_TEAM_MAX_ROOT_BYTES);
	if (!status)
		status = new_team_id(app, arena, err);
	if (!status)
		status = make_root(app, &root, err);
	if (!status)
		status = put_team(app, db, bl_buf_str(&root), token, err);
	bl_buf_clear(&root);
	if (status)
		return status;
	printf("A new team, %.*s.  The token of its first administrator, shown "
	       "only now:\n\n    %s\n\n",
	       BL_STR_ARG(app->team_id), token);
	fflush(stdout);
	app_log(LOG_WARNING,
		"the team's signing keys are on this machine, in %.*s; the "
		"guide for hardening says how to keep those for roots and sets "
		"elsewhere",
		BL_STR_ARG(app->options.keys));
	return BL_OK;
}

/* The team of the database; a new one where it has no team. */
static enum bl_status find_team(struct app *app, struct bl_arena *arena,
				struct bl_error *err)
{
	struct bl_str id = { NULL, 0 };
	struct bl_db *db;
	enum bl_status status = bl_db_begin(app->store, BL_DB_WRITE, &db, err);

	if (status)
		return status;
	status = bl_db_lock(db, 7264, err);
	if (!status)
		status = setting_get(db, "team_id", arena, &id, err);
	if (!status && id.ptr)
		app->team_id = id;
	else if (!status)
		status = make_team(app, arena, db, err);
	return bl_db_end(db, status, err);
}

enum bl_status app_open(struct app *app, const struct app_options *options,
			struct bl_error *err)
{
	static struct bl_arena arena; /* texts that stay as long as the app */
	enum bl_status status;

	*app = (struct app){ .options = *options,
			     .started_ms = bl_os_wall_ms() };
	bl_arena_init(&arena, NULL, 0, 0);
	pthread_mutex_init(&app->catching_up, NULL);
	app->is_secure =
		app->options.tls_key.len > 0 ||
		bl_str_has_prefix(app->options.public_url, BL_STR("https://"));
	app->callers = callers_new();
	app->snapshot = snapshot_new();
	app->seen = seen_new();
	if (!app->callers || !app->snapshot || !app->seen)
		return bl_fail_memory(err);
	status = bl_os_make_dirs(app->options.data, FOLDER_MODE, err);
	if (!status)
		status = bl_store_open(app->options.database, STORE_CONNECTIONS,
				       &app->store, err);
	if (!status)
		status = find_team(app, &arena, err);
	if (!status)
		status = read_key(options, "fresh", &app->fresh_key,
				  &app->has_fresh_key, err);
	if (!status)
		status = read_key(options, "set", &app->set_key,
				  &app->has_set_key, err);
	if (!status)
		status = app_catch_up(app, true, err);
	return status;
}

void app_close(struct app *app)
{
	bl_ed25519_wipe(&app->fresh_key);
	bl_ed25519_wipe(&app->set_key);
	app->callers = callers_free(app->callers);
	app->snapshot = snapshot_free(app->snapshot);
	app->seen = seen_free(app->seen);
	app->store = bl_store_close(app->store);
	pthread_mutex_destroy(&app->catching_up);
}
