/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding configuration files: the user's, then the workspace's
 * (docs/contracts/everruns.md "Files").
 */
#include "base/limits.h"
#include "sources/hooks/everruns/private.h"
#include "trust/trust.h"

#define USER_FILE      ".config/everruns/hooks.json"
#define WORKSPACE_FILE ".agents/hooks.json"

struct loading {
	const struct bl_everruns_options *options;
	struct bl_everruns_set *set;
	struct bl_arena *arena;
	struct bl_diags *diags; /* may be NULL */
	struct bl_error *err;
};

/* A file that is there and cannot be read may hold the very guard. */
static enum bl_status unreadable(struct loading *loading, struct bl_str path,
				 const struct bl_error *why)
{
	struct bl_everruns_set *set = loading->set;
	struct bl_diag_source source = { .file = path };
	struct bl_str text = bl_arena_printf(
		loading->arena, "user_hooks config parse failed: %.*s: %s",
		BL_STR_ARG(path), why->message);

	if (!text.ptr)
		return bl_arena_fail(loading->arena, loading->err);
	if (!set->broken.ptr)
		set->broken = text;
	if (loading->diags)
		bl_diags_add(loading->diags, BL_SEVERITY_ERROR,
			     "everruns/unreadable", &source,
			     (struct bl_place){ 0 }, NULL, "%s", why->message);
	return BL_OK;
}

static enum bl_status add_file(struct loading *loading, struct bl_str path,
			       bool is_workspace)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_everruns_source source = {
		.text = { .file = path },
		.is_workspace = is_workspace,
	};
	struct bl_error why = { 0 };
	enum bl_status status;

	if (!path.ptr)
		return bl_arena_fail(loading->arena, loading->err);
	status = bl_os_read_file(path, is_workspace ? BL_OPEN_NO_LINK : 0,
				 limits.config_bytes, loading->arena,
				 &source.text.text, NULL, &why);
	if (status == BL_NOT_FOUND && loading->options->config.len == 0)
		return BL_OK;
	if (status == BL_NOT_FOUND)
		return bl_fail(loading->err, status, "%s", why.message);
	if (status != BL_OK)
		return unreadable(loading, path, &why);
	return bl_everruns_set_add(loading->set, &source, loading->diags,
				   loading->err);
}

/*
 * An agent can write its workspace, and a repository brings files along: only
 * a folder that is trusted as a whole may supply hooks.
 */
static bool is_trusted(struct loading *loading)
{
	const struct bl_everruns_options *options = loading->options;
	const struct bl_trust_record *record;
	struct bl_trust_store store;

	if (options->trust_all)
		return true;
	if (bl_trust_read(loading->arena, options->home, &store, NULL) != BL_OK)
		return false;
	record = bl_trust_find(&store, options->workspace);
	return record && record->mode == BL_TRUST_FOLDER;
}

static enum bl_status add_workspace(struct loading *loading)
{
	struct bl_str path =
		bl_path_join(loading->arena, loading->options->workspace,
			     BL_STR(WORKSPACE_FILE));
	struct bl_file_info info;

	if (!path.ptr)
		return bl_arena_fail(loading->arena, loading->err);
	if (bl_os_info_path(path, &info, NULL) == BL_NOT_FOUND)
		return BL_OK;
	if (is_trusted(loading))
		return add_file(loading, path, true);
	bl_everruns_note(&loading->set->notices,
			 "%.*s: its hooks were not run, since the folder is "
			 "not trusted as a whole. To trust it: belay trust add "
			 "--folder %.*s",
			 BL_STR_ARG(path),
			 BL_STR_ARG(loading->options->workspace));
	return BL_OK;
}

/* The rules of the machine's owner for webhooks, where there are any. */
static enum bl_status apply_settings(struct loading *loading)
{
	struct bl_webhook_settings settings = { .path = { NULL, 0 } };
	enum bl_status status = BL_OK;

	for (size_t i = 0; status == BL_OK && i < loading->set->hook_count;
	     i++) {
		struct bl_everruns_hook *hook = &loading->set->hooks[i];

		if (!hook->is_webhook || hook->broken.len > 0)
			continue;
		if (!settings.path.ptr)
			status = bl_webhook_settings_read(
				loading->options->system_root, loading->arena,
				&settings, loading->err);
		if (status == BL_OK)
			status = bl_webhook_settings_apply(
				&settings, &hook->webhook, loading->arena,
				loading->err);
	}
	return status;
}

enum bl_status bl_everruns_load(const struct bl_everruns_options *options,
				struct bl_arena *arena, struct bl_diags *diags,
				struct bl_everruns_set *out_set,
				struct bl_error *err)
{
	struct bl_everruns_set set;
	struct loading loading = { options, &set, arena, diags, err };
	enum bl_status status;

	bl_everruns_set_init(&set, options->rules, arena);
	if (options->config.len > 0) {
		status = add_file(&loading, options->config, false);
	} else {
		status = add_file(
			&loading,
			bl_path_join(arena, options->home, BL_STR(USER_FILE)),
			false);
		if (status == BL_OK)
			status = add_workspace(&loading);
	}
	if (status == BL_OK)
		status = apply_settings(&loading);
	if (status == BL_OK)
		*out_set = set;
	return status;
}
