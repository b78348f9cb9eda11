/* SPDX-License-Identifier: Apache-2.0 */
/*
 * install.c: from an archive to a policy directory in force, and back to it from
 * the archive that was kept.  Apart from sync.c, which decides when.
 */
#include "opa/private.h"

enum { SET_DIGITS = 16 };

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

/* Is the archive whole, and within its limits?  Asked before it is read. */
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
 * Verifies it when the configuration has a key.  A bundle that cannot be read
 * without verifying, either, is broken content rather than badly signed.
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

/* The name goes into paths and texts: letters that no team's id has become '_'. */
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
	const struct bl_team_store store = { sync->client->place.use_dir,
					     sync->client->place.is_managed };
	enum bl_status status = bl_team_store_make(&store, sync->err);

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

enum bl_status opa_draft(struct opa_sync *sync)
{
	enum bl_status status = check_archive(sync, sync->archive);

	return status ? status
		      : disk(sync,
			     opa_write_own(&sync->client->place, OPA_NEW_FILE,
					   sync->archive, sync->err));
}

enum bl_status opa_install(struct opa_sync *sync, struct bl_str sha256,
			   struct bl_bundle *out)
{
	struct bl_str path =
		opa_path(&sync->client->place, OPA_NEW_FILE, sync->arena);
	enum bl_status status = path.ptr
					? install(sync, path, sha256, out)
					: bl_arena_fail(sync->arena, sync->err);

	if (status && path.ptr)
		bl_os_remove_file(path, NULL);
	return status;
}

bool opa_is_in_place(struct opa_sync *sync)
{
	return sync->state->version &&
	       !opa_check_in_place(&sync->client->place, sync->arena, NULL);
}

static enum bl_status install_kept(struct opa_sync *sync)
{
	struct bl_str path =
		opa_path(&sync->client->place, OPA_BUNDLE_FILE, sync->arena);
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_bundle bundle;
	struct bl_str text = { NULL, 0 };
	enum bl_status status;

	if (!path.ptr)
		return bl_arena_fail(sync->arena, sync->err);
	status = bl_team_read_guarded(path, BL_OPA_MAX_BUNDLE_BYTES,
				      sync->arena, &text, sync->err);
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

enum bl_status opa_repair(struct opa_sync *sync)
{
	enum bl_status status = install_kept(sync);

	/* Without a bundle its ETag would keep the server from sending one. */
	if (status)
		sync->state->etag = BL_STR("");
	return status;
}

/* ---- the record ------------------------------------------------------------------- */

enum bl_status opa_note_use(struct opa_sync *sync)
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

void opa_clean(struct opa_sync *sync)
{
	const struct bl_team_store store = { sync->client->place.dir,
					     sync->client->place.is_managed };
	struct bl_str record =
		bl_team_use_path(sync->arena, sync->client->place.use_dir);
	struct bl_team_use use = { .version = 0 };

	if (!record.ptr)
		return;
	(void)bl_team_read_use(record, sync->arena, &use, NULL);
	bl_team_store_clean(&store,
			    bl_str_slice(sync->state->sha256, 0, SET_DIGITS),
			    bl_path_base(use.policies), sync->arena);
}
