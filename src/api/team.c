/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The team of this machine: refreshing its set, the state, the answer to the
 * notice.  Thin over team/client; what changes on the disk counts when the engine
 * reloads.
 */
#include "api/private.h"
#include "http/http.h"
#include "team/client/client.h"

/* One call: its memory, and where the team is. */
struct call {
	struct bl_arena arena;
	struct bl_team_place place;
};

static enum bl_status begin(const belay_engine *engine, struct call *call,
			    struct bl_error *err)
{
	bl_arena_init(&call->arena, NULL, 0, 0);
	return bl_team_find_place(engine->system_root, engine->home,
				  &call->arena, &call->place, err);
}

static enum bl_status reload(const belay_engine *engine, struct bl_error *err)
{
	bool has_changed;

	return bl_engine_reload_if_changed(engine->engine, &has_changed, err);
}

static enum bl_status put_report(struct call *call,
				 const struct bl_team_report *report,
				 struct bl_value *out, struct bl_error *err)
{
	struct bl_team_account account;
	enum bl_status status =
		bl_team_read_account(&call->place, &call->arena, &account, err);

	if (!status)
		*out = bl_team_report_value(&account, report, &call->arena);
	return status;
}

static enum bl_status refresh(const belay_engine *engine, struct call *call,
			      uint32_t flags, struct bl_value *out,
			      struct bl_error *err)
{
	struct bl_team_client client = {
		.place = call->place,
		.prepare = bl_engine_prepare_policies,
		.context = &call->arena,
		.is_background = flags & BELAY_REFRESH_WHEN_DUE,
	};
	struct bl_team_report report;
	struct bl_error waiting;
	enum bl_status status = bl_http_client_new(&client.http, err);

	if (status)
		return status;
	status = bl_team_refresh(&client, engine->journal_dir, &call->arena,
				 &report, &waiting, err);
	bl_http_client_free(client.http);
	if (!status)
		status = reload(engine, err);
	return status ? status : put_report(call, &report, out, err);
}

static enum bl_status look(const belay_engine *engine, struct call *call,
			   uint32_t flags, struct bl_value *out,
			   struct bl_error *err)
{
	struct bl_team_report report;
	enum bl_status status =
		bl_team_status(&call->place, &call->arena, &report, err);

	(void)engine;
	(void)flags;
	return status ? status : put_report(call, &report, out, err);
}

/* Gives out the report that a call finds. */
static belay_status
tell(belay_engine *engine, uint32_t flags,
     enum bl_status (*find)(const belay_engine *engine, struct call *call,
			    uint32_t flags, struct bl_value *out,
			    struct bl_error *err),
     belay_text **out_text, belay_error *error)
{
	struct bl_value value = bl_value_undefined();
	struct bl_error err;
	struct call call;
	enum bl_status status;
	belay_status result;

	if (!engine || !out_text)
		return bl_api_fail_null(error, "engine or out_text");
	status = begin(engine, &call, &err);
	if (!status)
		status = find(engine, &call, flags, &value, &err);
	result = status ? bl_api_fail(&err, error)
			: bl_api_text(value, out_text, error);
	bl_arena_clear(&call.arena);
	return result;
}

belay_status belay_engine_refresh_team(belay_engine *engine, uint32_t flags,
				       belay_text **out_text,
				       belay_error *error)
{
	return tell(engine, flags, refresh, out_text, error);
}

belay_status belay_engine_team_json(belay_engine *engine, belay_text **out_text,
				    belay_error *error)
{
	return tell(engine, 0, look, out_text, error);
}

belay_status belay_engine_accept_team(belay_engine *engine, belay_error *error)
{
	struct bl_error err;
	struct call call;
	enum bl_status status;

	if (!engine)
		return bl_api_fail_null(error, "engine");
	status = begin(engine, &call, &err);
	if (!status)
		status = bl_team_accept(&call.place, &call.arena, &err);
	bl_arena_clear(&call.arena);
	if (!status)
		status = reload(engine, &err);
	return status ? bl_api_fail(&err, error) : BELAY_OK;
}
