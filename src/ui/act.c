/* SPDX-License-Identifier: Apache-2.0 */
/*
 * act.c: what a person does on the pages beside reading: trying out what would
 * be decided, and saying which workspaces are trusted.
 */
#include "sources/policies/policies.h"
#include "ui/app.h"

/* GET /api/me: where these pages are. */
enum bl_status route_me(struct call *call)
{
	const struct app *app = call->app;

	bl_buf_puts(&call->out,
		    "{\"version\":\"" BELAY_VERSION "\",\"project\":");
	bl_json_write_string(&call->out, app->project);
	bl_buf_puts(&call->out, ",\"home\":");
	bl_json_write_string(&call->out, app->home);
	bl_buf_puts(&call->out, ",\"log\":");
	bl_json_write_string(&call->out, app->state);
	bl_buf_printf(&call->out, ",\"idle_s\":%lld}\n",
		      (long long)(app->idle_ns / 1000000000));
	return call_send_json(call);
}

/* ---- trying ------------------------------------------------------------------ */

/* The policies that decide here, as for the agents of this person. */
static enum bl_status add_policies(struct call *call, struct ask *ask)
{
	struct bl_str dir = BL_STR("");
	enum bl_status status = bl_policy_find_global(
		BL_STR(""), call->app->config, call->arena, &dir, &call->err);

	if (!status && dir.len)
		status = ask_add_option(call, ask, "global-config", dir);
	return status;
}

/* {"event": "..."}: decided as belay explain does it, for people. */
static enum bl_status try_event(struct call *call, struct bl_str event)
{
	struct ask ask = { .words = { call->app->tools.ptr, "explain",
				      "--json" },
			   .count = 3,
			   .input = event };
	struct bl_str agent = call_text(call, "agent");
	enum bl_status status = add_policies(call, &ask);

	if (!status && agent.len)
		status = ask_add_option(call, &ask, "harness", agent);
	return status ? status : ask_send(call, &ask);
}

/*
 * POST /api/try {"command" | "read" | "write" | "mcp": text, "level": ...} or
 * {"event": JSON as text, "agent": ...}.  Nothing is run or recorded.
 */
enum bl_status route_try(struct call *call)
{
	static const char *const subjects[] = { "read", "write", "mcp",
						"level" };
	struct ask ask = { .words = { call->app->tools.ptr, "check", "--json" },
			   .count = 3 };
	struct bl_str command = call_text(call, "command");
	struct bl_str event = call_text(call, "event");
	enum bl_status status;

	if (event.ptr)
		return try_event(call, event);
	status = add_policies(call, &ask);
	for (size_t i = 0; !status && i < BL_COUNT(subjects); i++) {
		struct bl_str text = call_text(call, subjects[i]);

		if (text.len)
			status = ask_add_option(call, &ask, subjects[i], text);
	}
	if (status)
		return status;
	if (command.ptr && memchr(command.ptr, '\0', command.len))
		return bl_fail(&call->err, BL_INVALID, "the line has a NUL");
	if (command.len) {
		command = bl_arena_copy_str(call->arena, command);
		if (!command.ptr)
			return bl_fail_memory(&call->err);
		ask_add(&ask, "--");
		ask_add(&ask, command.ptr);
	}
	return ask_send(call, &ask);
}

/* ---- trust --------------------------------------------------------------------- */

/* POST /api/trust {"workspace": path, "trust": bool, "folder", "forget": bool} */
enum bl_status route_trust(struct call *call)
{
	struct bl_str workspace = call_text(call, "workspace");
	bool is_added = call_flag(call, "trust");
	struct ask ask = { .words = { call->app->tools.ptr, "trust",
				      is_added ? "add" : "remove" },
			   .count = 3,
			   .is_text = true };
	enum bl_status status;

	if (!bl_path_is_absolute(workspace) ||
	    memchr(workspace.ptr, '\0', workspace.len))
		return bl_fail(&call->err, BL_INVALID,
			       "workspace is not an absolute path");
	status = ask_add_option(call, &ask, "home", call->app->home);
	if (status)
		return status;
	if (is_added && call_flag(call, "folder"))
		ask_add(&ask, "--folder");
	if (!is_added && call_flag(call, "forget"))
		ask_add(&ask, "--forget");
	workspace = bl_arena_copy_str(call->arena, workspace);
	if (!workspace.ptr)
		return bl_fail_memory(&call->err);
	ask_add(&ask, "--");
	ask_add(&ask, workspace.ptr);
	return ask_send(call, &ask);
}
