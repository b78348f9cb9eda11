/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team_make.c: documents of a team, written as a site of static files: what
 * belay-server serves, any web server can.
 *
 *     OUT/v1/root/1  OUT/v1/set/manifest  OUT/v1/set/fresh  OUT/v1/o/SHA256
 *
 * The folder of a set has hooks/hooks.json (the founding contract's form, each
 * command "./NAME", with operating_systems where it is not for all), the scripts
 * beside it, and policies/, a policy directory.
 */
#include "cli/team_keys.h"

#include "json/json.h"
#include "os/os.h"

enum { SITE_FILE_MODE = 0644, SITE_DIR_MODE = 0755, MAX_NESTING = 16 };

static int64_t now_s(void)
{
	return bl_os_wall_ms() / 1000;
}

/* ---- a site ------------------------------------------------------------------------- */

static enum bl_status write_site(struct cli *cli,
				 const struct cli_team_making *making,
				 struct bl_str name, struct bl_str text,
				 struct bl_error *err)
{
	struct bl_str path =
		bl_arena_printf(&cli->arena, "%.*s/v1/%.*s",
				BL_STR_ARG(making->out), BL_STR_ARG(name));
	enum bl_status status = path.ptr ? bl_os_make_dirs(bl_path_dir(path),
							   SITE_DIR_MODE, err)
					 : bl_arena_fail(&cli->arena, err);

	return status ? status
		      : bl_os_replace_file(path, text, SITE_FILE_MODE, err);
}

static enum bl_status write_object(struct cli *cli,
				   const struct cli_team_making *making,
				   struct bl_str text,
				   char sha256[BL_SHA256_HEX_BYTES],
				   struct bl_error *err)
{
	struct bl_str name;

	bl_sha256_hex(text, sha256);
	name = bl_arena_printf(&cli->arena, "o/%s", sha256);
	return name.ptr ? write_site(cli, making, name, text, err)
			: bl_arena_fail(&cli->arena, err);
}

/* Signs by all keys, and writes; ends text. */
static enum bl_status sign_and_write(struct cli *cli,
				     const struct cli_team_making *making,
				     enum bl_team_document kind,
				     struct bl_buf *text, struct bl_error *err)
{
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_str name = BL_STR("set/fresh");
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < making->key_count; i++)
		status = bl_team_sign(kind, &making->keys[i], text, err);
	if (kind == BL_TEAM_ROOT)
		name = bl_arena_printf(&cli->arena, "root/%lld",
				       (long long)making->version);
	if (kind == BL_TEAM_MANIFEST)
		name = BL_STR("set/manifest");
	if (!status && kind == BL_TEAM_MANIFEST)
		status = write_object(cli, making, bl_buf_str(text), digest,
				      err);
	if (!status)
		status = write_site(cli, making, name, bl_buf_str(text), err);
	if (!status)
		bl_sha256_hex(bl_buf_str(text), digest);
	if (!status)
		bl_buf_printf(&cli->out, "%s %s\n", digest, name.ptr);
	bl_buf_clear(text);
	return status;
}

/* ---- root --------------------------------------------------------------------------- */

enum bl_status cli_team_make_root(struct cli *cli,
				  const struct cli_team_making *making,
				  struct bl_error *err)
{
	struct bl_team_root root = {
		.team_id = making->team_id,
		.root_version = making->version,
		.expires = now_s() + making->life_s,
	};
	struct bl_team_role own = { .key_count = 0 };
	struct bl_buf text;
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < making->key_count; i++)
		status = bl_ed25519_public_of(&making->keys[i],
					      &own.keys[own.key_count++], err);
	own.threshold = own.key_count;
	for (int i = 0; i < BL_TEAM_ROLE_COUNT; i++)
		root.roles[i] =
			making->roles[i].key_count ? making->roles[i] : own;
	if (status)
		return status;
	bl_buf_init(&text, 0);
	status = bl_team_write_root(&root, &text, err);
	if (status) {
		bl_buf_clear(&text);
		return status;
	}
	return sign_and_write(cli, making, BL_TEAM_ROOT, &text, err);
}

/* ---- fresh -------------------------------------------------------------------------- */

static enum bl_status newest_root(struct cli *cli,
				  const struct cli_team_making *making,
				  int64_t *out_version, struct bl_error *err)
{
	enum { MOST = 100000 };
	struct bl_file_info info;

	for (int64_t version = 1; version < MOST; version++) {
		struct bl_str path = bl_arena_printf(
			&cli->arena, "%.*s/v1/root/%lld",
			BL_STR_ARG(making->out), (long long)version);

		if (!path.ptr)
			return bl_arena_fail(&cli->arena, err);
		if (bl_os_info_path(path, &info, NULL)) {
			*out_version = version - 1;
			break;
		}
	}
	return *out_version ? BL_OK
			    : bl_fail(err, BL_NOT_FOUND,
				      "%.*s has no root 1 yet: --make root",
				      BL_STR_ARG(making->out));
}

enum bl_status cli_team_make_fresh(struct cli *cli,
				   const struct cli_team_making *making,
				   struct bl_error *err)
{
	struct bl_str path = bl_path_join(&cli->arena, making->out,
					  BL_STR("v1/set/manifest"));
	struct bl_team_choice choice = { .share = BL_TEAM_SHARES };
	struct bl_team_fresh fresh = { .issued = now_s(),
				       .expires = now_s() + making->life_s,
				       .choices = &choice,
				       .choice_count = 1 };
	struct bl_team_manifest manifest;
	struct bl_str text = { NULL, 0 };
	struct bl_buf out;
	enum bl_status status =
		path.ptr ? bl_os_read_file(path, 0, BL_TEAM_MAX_MANIFEST_BYTES,
					   &cli->arena, &text, NULL, err)
			 : bl_arena_fail(&cli->arena, err);

	if (!status)
		status = newest_root(cli, making, &fresh.root_version, err);
	if (!status)
		status = bl_team_read_manifest(text, &cli->arena, &manifest,
					       err);
	if (status)
		return status;
	fresh.team_id = manifest.team_id;
	choice.version = manifest.version;
	bl_sha256_hex(text, choice.sha256);
	bl_buf_init(&out, 0);
	status = bl_team_write_fresh(&fresh, &out, err);
	if (status) {
		bl_buf_clear(&out);
		return status;
	}
	return sign_and_write(cli, making, BL_TEAM_FRESH, &out, err);
}

/* ---- a set: its hooks ----------------------------------------------------------------- */

/* A set while its folder is read. */
struct set {
	struct cli *cli;
	const struct cli_team_making *making;
	struct bl_team_hook hooks[BL_TEAM_MAX_HOOKS];
	size_t hook_count;
	struct bl_team_file files[BL_TEAM_MAX_FILES];
	size_t file_count;
	struct bl_error *err;
};

static enum bl_status add_file(struct set *set, struct bl_str path,
			       struct bl_str text)
{
	struct bl_team_file *file = &set->files[set->file_count];
	size_t at = set->file_count;
	enum bl_status status;

	if (set->file_count == BL_TEAM_MAX_FILES)
		return bl_fail(set->err, BL_LIMIT, "more than %d files",
			       (int)BL_TEAM_MAX_FILES);
	*file = (struct bl_team_file){ .path = path,
				       .bytes = (int64_t)text.len };
	status = write_object(set->cli, set->making, text, file->sha256,
			      set->err);
	/* By path, rising. */
	for (; at > 0 && bl_str_compare(set->files[at - 1].path, path) > 0;
	     at--) {
		struct bl_team_file swapped = set->files[at];

		set->files[at] = set->files[at - 1];
		set->files[at - 1] = swapped;
	}
	set->file_count++;
	return status;
}

static enum bl_status read_systems(struct set *set, struct bl_value entry,
				   struct bl_team_hook *hook)
{
	struct bl_value list =
		bl_object_find(entry, BL_STR("operating_systems"));

	hook->system_count = bl_value_count(list);
	hook->systems = bl_arena_new_array(&set->cli->arena, struct bl_str,
					   hook->system_count + 1);
	if (!hook->systems)
		return bl_arena_fail(&set->cli->arena, set->err);
	for (size_t i = 0; i < hook->system_count; i++)
		hook->systems[i] = bl_value_text(bl_value_item(list, i));
	return BL_OK;
}

static enum bl_status add_hook(struct set *set, struct bl_str folder,
			       struct bl_str event_name, struct bl_value entry)
{
	struct bl_str command =
		bl_value_text(bl_object_find(entry, BL_STR("command")));
	struct bl_team_hook *hook;
	struct bl_str path;
	enum bl_status status;

	if (!bl_str_has_prefix(command, BL_STR("./")))
		return bl_fail(set->err, BL_INVALID,
			       "%.*s: the command '%.*s' is not ./NAME",
			       BL_STR_ARG(event_name), BL_STR_ARG(command));
	if (set->hook_count == BL_TEAM_MAX_HOOKS)
		return bl_fail(set->err, BL_LIMIT, "more than %d hooks",
			       (int)BL_TEAM_MAX_HOOKS);
	hook = &set->hooks[set->hook_count++];
	*hook = (struct bl_team_hook){
		.id = (int64_t)set->hook_count,
		.event_name = event_name,
		.script_name = bl_str_slice(command, 2, SIZE_MAX),
		.is_active = true,
	};
	path = bl_path_join(&set->cli->arena, folder, hook->script_name);
	status = path.ptr ? bl_os_read_file(path, 0, BL_TEAM_MAX_SCRIPT_BYTES,
					    &set->cli->arena, &hook->content,
					    NULL, set->err)
			  : bl_arena_fail(&set->cli->arena, set->err);
	return status ? status : read_systems(set, entry, hook);
}

static enum bl_status read_hooks(struct set *set, struct bl_str folder,
				 struct bl_str text)
{
	struct bl_value events, file;
	enum bl_status status = bl_json_read(&set->cli->arena, text, NULL,
					     &file, NULL, NULL, set->err);

	if (status)
		return status;
	events = bl_object_find(file, BL_STR("hooks"));
	if (!bl_value_is(events, BL_KIND_OBJECT))
		return bl_fail(set->err, BL_INVALID,
			       "hooks.json has no object hooks");
	for (size_t i = 0; !status && i < bl_value_count(events); i++) {
		struct bl_value list = bl_object_value(events, i);

		for (size_t j = 0; !status && j < bl_value_count(list); j++)
			status = add_hook(
				set, folder,
				bl_value_text(bl_object_key(events, i)),
				bl_value_item(list, j));
	}
	return status;
}

/* hooks.pb, where the folder has hooks. */
static enum bl_status pack_hooks(struct set *set)
{
	struct bl_str folder = bl_path_join(&set->cli->arena, set->making->from,
					    BL_STR("hooks"));
	struct bl_str path =
		bl_path_join(&set->cli->arena, folder, BL_STR("hooks.json"));
	struct bl_team_hooks hooks = { set->hooks, 0 };
	struct bl_str text = { NULL, 0 };
	struct bl_buf out;
	enum bl_status status =
		path.ptr ? bl_os_read_file(path, 0, BL_TEAM_MAX_SCRIPT_BYTES,
					   &set->cli->arena, &text, NULL,
					   set->err)
			 : bl_arena_fail(&set->cli->arena, set->err);

	if (status == BL_NOT_FOUND)
		return BL_OK;
	if (!status)
		status = read_hooks(set, folder, text);
	hooks.count = set->hook_count;
	if (!status)
		status = bl_team_check_hooks(
			&hooks, bl_contract_get(BL_DIALECT_CURSOR_2_3),
			set->err);
	if (status)
		return status;
	bl_buf_init(&out, 0);
	bl_team_encode(BL_TEAM_RESPONSE, &hooks, &out);
	status = bl_buf_status(&out) ? bl_fail_memory(set->err)
				     : add_file(set, BL_STR(BL_TEAM_HOOKS_FILE),
						bl_buf_str(&out));
	bl_buf_clear(&out);
	return status;
}

/* ---- a set: its policies ---------------------------------------------------------------- */

static enum bl_status add_policy(struct set *set, struct bl_str path,
				 struct bl_str name)
{
	struct bl_str text = { NULL, 0 };
	enum bl_status status =
		bl_os_read_file(path, 0, BL_TEAM_MAX_FILE_BYTES,
				&set->cli->arena, &text, NULL, set->err);

	return status ? status : add_file(set, name, text);
}

/* Recursion: MAX_NESTING folders inside each other. */
static enum bl_status add_policies(struct set *set, struct bl_str folder,
				   struct bl_str name, int depth)
{
	struct bl_str *names;
	size_t count;
	enum bl_status status =
		bl_os_list_dir(folder, BL_TEAM_MAX_FILES, &set->cli->arena,
			       &names, &count, set->err);

	if (status == BL_NOT_FOUND && !depth)
		return BL_OK;
	if (!status && depth > MAX_NESTING)
		return bl_fail(set->err, BL_LIMIT, "%.*s is too deep",
			       BL_STR_ARG(folder));
	for (size_t i = 0; !status && i < count; i++) {
		struct bl_str path =
			bl_path_join(&set->cli->arena, folder, names[i]);
		struct bl_str inner =
			bl_path_join(&set->cli->arena, name, names[i]);
		struct bl_file_info info;

		if (!path.ptr || !inner.ptr)
			return bl_arena_fail(&set->cli->arena, set->err);
		status = bl_os_info_target(path, &info, set->err);
		if (!status)
			status = info.type == BL_FILE_DIRECTORY
					 ? add_policies(set, path, inner,
							depth + 1)
					 : add_policy(set, path, inner);
	}
	return status;
}

enum bl_status cli_team_make_set(struct cli *cli,
				 const struct cli_team_making *making,
				 struct bl_error *err)
{
	struct set *set = bl_arena_new(&cli->arena, struct set);
	struct bl_str policies = bl_path_join(&cli->arena, making->from,
					      BL_STR(BL_TEAM_POLICY_FOLDER));
	struct bl_team_manifest manifest = {
		.team_id = making->team_id,
		.version = making->version,
		.floor = making->floor ? making->floor : making->version,
		.created = now_s(),
		.expires = now_s() + making->life_s,
		.min_client = BL_STR("0.1.0"),
	};
	struct bl_buf text;
	enum bl_status status;

	if (!set || !policies.ptr)
		return bl_arena_fail(&cli->arena, err);
	set->cli = cli;
	set->making = making;
	set->err = err;
	status = pack_hooks(set);
	if (!status)
		status = add_policies(set, policies,
				      BL_STR(BL_TEAM_POLICY_FOLDER), 0);
	if (status)
		return status;
	manifest.files = set->files;
	manifest.file_count = set->file_count;
	bl_buf_init(&text, 0);
	status = bl_team_write_manifest(&manifest, &text, err);
	if (status) {
		bl_buf_clear(&text);
		return status;
	}
	return sign_and_write(cli, making, BL_TEAM_MANIFEST, &text, err);
}
