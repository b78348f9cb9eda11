/* SPDX-License-Identifier: Apache-2.0 */
/*
 * draft.c: what the next set would be: hooks, and the files of a policy directory.
 * It may be wrong while people write; only a draft without errors becomes a set.
 */
#include "server/app.h"

#include <stdio.h>
#include <stdlib.h>

#include "agents/agents.h"
#include "sources/policies/policies.h"

enum {
	LOCK_DRAFT = 7266,
	MAX_POLICY_BYTES = 1 << 20,
	FOLDER_MODE = 0700,
	FILE_MODE = 0600,
};

#define HOOK_COLUMNS                                                           \
	"id, step, name, systems, active, content, changed, changed_by"
#define HOOK_FORM "id#,step,name,systems!,active?,content,changed#,changed_by"

/* ---- hooks ---------------------------------------------------------------- */

static enum bl_status read_systems(struct call *call, struct bl_str json,
				   struct bl_team_hook *hook)
{
	struct bl_value list;
	enum bl_status status = bl_json_read(call->arena, json, NULL, &list,
					     NULL, NULL, &call->err);

	if (status)
		return status;
	hook->system_count = bl_value_count(list);
	hook->systems = bl_arena_new_array(call->arena, struct bl_str,
					   hook->system_count + 1);
	if (!hook->systems)
		return bl_fail_memory(&call->err);
	for (size_t i = 0; i < hook->system_count; i++)
		hook->systems[i] = bl_value_text(bl_value_item(list, i));
	return BL_OK;
}

enum bl_status draft_hooks(struct call *call, struct bl_team_hooks *out)
{
	struct bl_rows rows;
	enum bl_status status = call_ask(
		call,
		BL_DB_PLAIN("SELECT " HOOK_COLUMNS " FROM hook ORDER BY id"),
		&rows);

	if (status)
		return status;
	out->count = rows.count;
	out->items = bl_arena_new_array(call->arena, struct bl_team_hook,
					rows.count + 1);
	if (!out->items)
		return bl_fail_memory(&call->err);
	for (size_t i = 0; !status && i < rows.count; i++) {
		struct bl_team_hook *hook = &out->items[i];

		hook->id = bl_rows_integer(&rows, i, 0);
		hook->event_name = bl_rows_text(&rows, i, 1);
		hook->script_name = bl_rows_text(&rows, i, 2);
		hook->is_active = bl_rows_integer(&rows, i, 4) != 0;
		hook->content = bl_rows_text(&rows, i, 5);
		status = read_systems(call, bl_rows_text(&rows, i, 3), hook);
	}
	return status;
}

/* The body as a row; INVALID. */
static enum bl_status put_hook(struct call *call, int64_t id)
{
	struct bl_value systems = bl_object_find(call->body, BL_STR("systems"));
	struct bl_value active = bl_object_find(call->body, BL_STR("active"));
	struct bl_str json = bl_value_is_defined(systems)
				     ? app_json(call->arena, systems)
				     : BL_STR("[]");
	bool is_active =
		!bl_value_is_defined(active) || bl_value_is_true(active);

	if (!call_text(call, "step").len || !call_text(call, "name").len)
		return bl_fail(&call->err, BL_INVALID,
			       "a hook needs step, name and content");
	if (!json.ptr)
		return bl_fail_memory(&call->err);
	return call_run(
		call,
		BL_DB_QUERY("INSERT INTO hook (" HOOK_COLUMNS ") VALUES ($1, "
			    "$2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO "
			    "UPDATE SET step = excluded.step, name = "
			    "excluded.name, systems = excluded.systems, active "
			    "= excluded.active, content = excluded.content, "
			    "changed = excluded.changed, changed_by = "
			    "excluded.changed_by",
			    bl_db_integer(id),
			    bl_db_text(call_text(call, "step")),
			    bl_db_text(call_text(call, "name")),
			    bl_db_text(json), bl_db_integer(is_active),
			    bl_db_text(call_text(call, "content").ptr
					       ? call_text(call, "content")
					       : BL_STR("")),
			    bl_db_integer(call->now_ms),
			    bl_db_text(call->who->name)),
		NULL);
}

/* The rules for all hooks together, after a change of one. */
static enum bl_status check_hooks(struct call *call)
{
	struct bl_team_hooks hooks;
	enum bl_status status = draft_hooks(call, &hooks);

	return status ? status
		      : bl_team_check_hooks(
				&hooks, bl_contract_get(BL_DIALECT_CURSOR_2_3),
				&call->err);
}

static enum bl_status finish(struct call *call, const char *action,
			     struct bl_str target)
{
	enum bl_status status = audit_add(call, action, target, BL_STR(""));

	return status ? status : call_send_member(call, "changed", target);
}

/* POST /api/draft/hooks */
enum bl_status route_hook_add(struct call *call)
{
	struct bl_rows rows;
	int64_t id;
	/* Two at once would take the same id, and one replace the other. */
	enum bl_status status = bl_db_lock(call->db, LOCK_DRAFT, &call->err);

	if (!status)
		status = call_ask(
			call,
			BL_DB_PLAIN("SELECT COALESCE(MAX(id), 0) FROM hook"),
			&rows);
	if (status)
		return status;
	id = bl_rows_integer(&rows, 0, 0) + 1;
	status = put_hook(call, id);
	if (!status)
		status = check_hooks(call);
	return status ? status
		      : finish(call, "hook.add",
			       bl_arena_printf(call->arena, "%lld",
					       (long long)id));
}

/* PUT /api/draft/hooks/ID */
enum bl_status route_hook_set(struct call *call)
{
	struct bl_str part = call->request->parts[0];
	int64_t id = part.len <= 18
			     ? strtoll(bl_arena_copy_str(call->arena, part).ptr,
				       NULL, 10)
			     : 0;
	enum bl_status status;

	if (id <= 0)
		return bl_fail(&call->err, BL_NOT_FOUND,
			       "there is no such hook");
	status = put_hook(call, id);
	if (!status)
		status = check_hooks(call);
	return status ? status : finish(call, "hook.change", part);
}

/* DELETE /api/draft/hooks/ID */
enum bl_status route_hook_remove(struct call *call)
{
	uint64_t changed = 0;
	enum bl_status status = call_run(
		call,
		BL_DB_QUERY("DELETE FROM hook WHERE CAST(id AS TEXT) = $1",
			    bl_db_text(call->request->parts[0])),
		&changed);

	if (!status && !changed)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "there is no such hook");
	return status ? status
		      : finish(call, "hook.remove", call->request->parts[0]);
}

/* ---- policies ------------------------------------------------------------- */

/* A path below the policy directory: its rulebook, its policies and data. */
static enum bl_status check_path(struct call *call, struct bl_str path)
{
	static const char *const ends[] = { ".rego", ".json", ".yml", ".yaml" };
	struct bl_str whole = bl_arena_printf(
		call->arena, BL_TEAM_POLICY_FOLDER "/%.*s", BL_STR_ARG(path));

	if (whole.ptr && path.len && bl_team_path_is_good(whole))
		for (size_t i = 0; i < BL_COUNT(ends); i++)
			if (bl_str_has_suffix(path, bl_str(ends[i])))
				return BL_OK;
	return bl_fail(&call->err, BL_INVALID,
		       "a path is rulebook.yml or policies/NAME.rego, of "
		       "[A-Za-z0-9._-]");
}

/* PUT /api/draft/policies {"path", "content"} */
enum bl_status route_policy_set(struct call *call)
{
	struct bl_str path = call_text(call, "path");
	struct bl_str content = call_text(call, "content");
	enum bl_status status = check_path(call, path);

	if (!status && content.len > MAX_POLICY_BYTES)
		status = bl_fail(&call->err, BL_INVALID,
				 "a policy has at most 1 MiB");
	if (!status)
		status = call_run(
			call,
			BL_DB_QUERY(
				"INSERT INTO policy VALUES ($1, $2, $3, "
				"$4) ON CONFLICT (path) DO UPDATE SET "
				"content = excluded.content, changed = "
				"excluded.changed, changed_by = "
				"excluded.changed_by",
				bl_db_text(path),
				bl_db_text(content.ptr ? content : BL_STR("")),
				bl_db_integer(call->now_ms),
				bl_db_text(call->who->name)),
			NULL);
	return status ? status : finish(call, "policy.change", path);
}

/* DELETE /api/draft/policies?path=PATH */
enum bl_status route_policy_remove(struct call *call)
{
	struct bl_str path = call_query(call, "path");
	uint64_t changed = 0;
	enum bl_status status =
		call_run(call,
			 BL_DB_QUERY("DELETE FROM policy WHERE path = $1",
				     bl_db_text(path)),
			 &changed);

	if (!status && !changed)
		status = bl_fail(&call->err, BL_NOT_FOUND,
				 "there is no such policy");
	return status ? status : finish(call, "policy.remove", path);
}

/* ---- as a folder ---------------------------------------------------------- */

static enum bl_status write_file(struct call *call, struct bl_str folder,
				 struct bl_str path, struct bl_str content)
{
	struct bl_str whole = bl_path_join(call->arena, folder, path);
	enum bl_status status =
		whole.ptr ? bl_os_make_dirs(bl_path_dir(whole), FOLDER_MODE,
					    &call->err)
			  : bl_fail_memory(&call->err);

	/* Made anew: nobody waits for the disk. */
	return status ? status
		      : bl_os_replace_cached(whole, content, FILE_MODE,
					     &call->err);
}

enum bl_status draft_write(struct call *call, struct bl_str *out_folder)
{
	char id[APP_ID_BYTES];
	struct bl_rows rows;
	struct bl_str folder;
	enum bl_status status = app_new_id(id, &call->err);

	if (!status)
		status = call_ask(
			call, BL_DB_PLAIN("SELECT path, content FROM policy"),
			&rows);
	if (status)
		return status;
	folder = bl_arena_printf(call->arena, "%.*s/work/%s/.belay",
				 BL_STR_ARG(call->app->options.data), id);
	status = folder.ptr ? bl_os_make_dirs(folder, FOLDER_MODE, &call->err)
			    : bl_fail_memory(&call->err);
	for (size_t i = 0; !status && i < rows.count; i++)
		status = write_file(call, folder, bl_rows_text(&rows, i, 0),
				    bl_rows_text(&rows, i, 1));
	if (status)
		draft_remove(call, folder);
	else
		*out_folder = folder;
	return status;
}

/* A folder and all below it: what draft_write has made, no deeper than a path. */
static void remove_tree(struct bl_arena *arena, struct bl_str path, int depth)
{
	struct bl_error ignored;
	struct bl_file_info info;
	struct bl_str *names;
	size_t count;

	if (bl_os_info_path(path, &info, &ignored))
		return;
	if (info.type != BL_FILE_DIRECTORY) {
		(void)bl_os_remove_file(path, &ignored);
		return;
	}
	if (depth > 0 && !bl_os_list_dir(path, BL_TEAM_MAX_FILES, arena, &names,
					 &count, &ignored))
		for (size_t i = 0; i < count; i++)
			remove_tree(arena, bl_path_join(arena, path, names[i]),
				    depth - 1);
	(void)bl_os_remove_dir(path, &ignored);
}

void draft_remove(struct call *call, struct bl_str folder)
{
	enum { DEPTH = 128 };

	if (folder.ptr)
		remove_tree(call->arena, bl_path_dir(folder), DEPTH);
}

/* ---- checking ------------------------------------------------------------- */

/* Names of files in findings as people know them, not as they lie here. */
static void shorten_names(struct bl_diags *diags, struct bl_str folder)
{
	for (struct bl_diag *diag = diags->first; diag; diag = diag->next)
		if (bl_path_is_in(diag->file, folder) &&
		    diag->file.len > folder.len)
			diag->file = bl_str_slice(diag->file, folder.len + 1,
						  SIZE_MAX);
}

static enum bl_status check_policies(struct call *call, struct bl_diags *diags)
{
	struct bl_policy_validate_options options = {
		.agent_at = bl_agent_name_at,
		.near_tool = bl_agent_near_tool,
	};
	struct bl_str folder = { NULL, 0 };
	size_t files;
	enum bl_status status = draft_write(call, &folder);

	if (status)
		return status;
	/* Without links, as findings name it. */
	status = bl_path_resolve(call->arena, folder, &options.dir, &call->err);
	if (!status)
		status = bl_policy_validate(&options, call->arena, diags,
					    &files, &call->err);
	shorten_names(diags, options.dir);
	draft_remove(call, folder);
	return status;
}

enum bl_status draft_check(struct call *call, bool *out_is_good,
			   struct bl_str *out_json)
{
	struct bl_diag_source source = { BL_STR("hooks"), { NULL, 0 } };
	struct bl_diags diags;
	struct bl_buf out;
	enum bl_status status = check_hooks(call);

	bl_diags_init(&diags, call->arena);
	if (status == BL_INVALID || status == BL_LIMIT)
		bl_diags_add(&diags, BL_SEVERITY_ERROR, "team/hooks", &source,
			     (struct bl_place){ 0 }, NULL, "%s",
			     call->err.message);
	else if (status)
		return status;
	status = check_policies(call, &diags);
	if (status)
		return status;
	*out_is_good = !diags.error_count;
	bl_buf_init(&out, 0);
	bl_json_write_diags(&out, &diags);
	*out_json = bl_arena_copy_str(call->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return out_json->ptr ? BL_OK : bl_fail_memory(&call->err);
}

/* ---- looking -------------------------------------------------------------- */

/* GET /api/draft */
enum bl_status route_draft(struct call *call)
{
	struct bl_rows hooks;
	struct bl_rows policies;
	struct bl_str findings = { NULL, 0 };
	bool is_good = false;
	enum bl_status status = call_ask(
		call,
		BL_DB_PLAIN("SELECT " HOOK_COLUMNS " FROM hook ORDER BY id"),
		&hooks);

	if (!status)
		status = call_ask(
			call,
			BL_DB_PLAIN("SELECT path, content, changed, changed_by "
				    "FROM policy ORDER BY path"),
			&policies);
	if (!status)
		status = draft_check(call, &is_good, &findings);
	if (status)
		return status;
	bl_buf_puts(&call->out, "{\"hooks\":");
	app_put_rows(&call->out, &hooks, HOOK_FORM);
	bl_buf_puts(&call->out, ",\"policies\":");
	app_put_rows(&call->out, &policies, "path,content,changed#,changed_by");
	bl_buf_printf(&call->out, ",\"is_good\":%s,\"findings\":",
		      is_good ? "true" : "false");
	bl_buf_put_str(&call->out, findings);
	bl_buf_puts(&call->out, "}\n");
	return call_send_json(call);
}

/*
 * POST /api/draft/check {"path", "content"}: findings of the draft as it would
 * be with that file; nothing is kept (the transaction is taken back).
 */
enum bl_status route_draft_check(struct call *call)
{
	struct bl_str path = call_text(call, "path");
	struct bl_str findings = { NULL, 0 };
	bool is_good = false;
	enum bl_status status = BL_OK;

	if (path.len) {
		status = route_policy_set(call);
		bl_buf_reset(&call->out);
	}
	if (!status)
		status = draft_check(call, &is_good, &findings);
	if (status)
		return status;
	bl_buf_printf(&call->out, "{\"is_good\":%s,\"findings\":%.*s}\n",
		      is_good ? "true" : "false", BL_STR_ARG(findings));
	status = call_send_json(call);
	/* A refusal with a reply takes the change back. */
	return status ? status
		      : bl_fail(&call->err, BL_DENIED, "only looked at");
}
