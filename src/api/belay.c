/* SPDX-License-Identifier: Apache-2.0 */
/* belay.c: the exported functions, thin over engine and journal. */
#include <belay.h>

#include <stdlib.h>

#include "engine/engine.h"
#include "json/json.h"

#define STATUS(name, exit_code, text)                                          \
	_Static_assert(BELAY_##name == (exit_code), #name);
#include "base/status.def"
#undef STATUS

_Static_assert(BELAY_NONE == BL_VERDICT_NONE &&
		       BELAY_ALLOW == BL_VERDICT_ALLOW &&
		       BELAY_ASK == BL_VERDICT_ASK &&
		       BELAY_DENY == BL_VERDICT_DENY,
	       "verdicts");

struct belay_engine {
	struct bl_arena arena; /* of the texts below; fixed once made */
	struct bl_engine *engine;
	struct bl_str journal_dir;
};

struct belay_reply {
	struct bl_arena arena;
	struct bl_reply reply;
	struct bl_str json;
	struct bl_str answer;
	struct bl_str user;
	struct bl_str model;
	struct bl_str followup;
};

struct belay_text {
	struct bl_buf buf;
};

/* ---- errors ------------------------------------------------------------- */

/* An older caller's struct may be shorter, and then the message is. */
static belay_status fail(const struct bl_error *from, belay_error *to)
{
	size_t room;

	if (to && to->struct_size > offsetof(belay_error, message)) {
		room = to->struct_size - offsetof(belay_error, message);
		if (room > sizeof(to->message))
			room = sizeof(to->message);
		to->status = bl_status_exit_code(from->status);
		room = strnlen(from->message, room - 1);
		memcpy(to->message, from->message, room);
		to->message[room] = '\0';
	}
	return bl_status_exit_code(from->status);
}

static belay_status fail_null(belay_error *to, const char *what)
{
	struct bl_error err;

	bl_fail(&err, BL_USAGE, "%s is NULL", what);
	return fail(&err, to);
}

const char *belay_version(void)
{
	return BELAY_VERSION;
}

const char *belay_status_text(belay_status status)
{
	for (enum bl_status i = 0; i < BL_STATUS_COUNT; i++) {
		if (bl_status_exit_code(i) == status)
			return bl_status_text(i);
	}
	return "unknown status";
}

/* ---- engines ------------------------------------------------------------ */

static enum bl_status copy_list(struct bl_arena *arena,
				const char *const *texts, size_t count,
				const struct bl_str **out_list,
				struct bl_error *err)
{
	struct bl_str *list = bl_arena_new_array(arena, struct bl_str, count);

	if (!list)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < count; i++) {
		if (!texts[i])
			return bl_fail(err, BL_USAGE, "folder %zu is NULL", i);
		list[i] = bl_str(texts[i]);
	}
	*out_list = list;
	return BL_OK;
}

/* What older callers have, and no more, is read of their struct. */
#define HAS(options, member)                                                   \
	((options)->struct_size >=                                             \
	 offsetof(belay_engine_options, member) + sizeof((options)->member))

static enum bl_status read_least_sandbox(const belay_engine_options *from,
					 struct bl_engine_options *to,
					 struct bl_error *err)
{
	if (!HAS(from, least_sandbox) || !from->least_sandbox ||
	    bl_sandbox_parse(bl_str(from->least_sandbox), &to->least_sandbox))
		return BL_OK;
	return bl_fail(err, BL_NOT_FOUND, "there is no sandbox profile '%s'",
		       from->least_sandbox);
}

static enum bl_status read_options(const belay_engine_options *from,
				   struct bl_arena *arena,
				   struct bl_engine_options *to,
				   struct bl_error *err)
{
	enum bl_status status;

	if (!HAS(from, agent_version))
		return bl_fail(err, BL_USAGE,
			       "struct_size of the options is not set");
	if ((from->workspace_count && !from->workspaces) ||
	    (from->plugin_count && !from->plugins))
		return bl_fail(err, BL_USAGE, "a list of folders is NULL");
	if (from->profile) {
		to->profile = bl_profile_find(bl_str(from->profile));
		if (!to->profile)
			return bl_fail(err, BL_NOT_FOUND,
				       "there is no profile '%s'",
				       from->profile);
	}
	to->workspace_count = from->workspace_count;
	to->plugin_count = from->plugin_count;
	to->home = bl_str(from->home);
	to->system_root = bl_str(from->system_root);
	to->journal.dir = bl_str(from->state_dir);
	to->agent_version = from->agent_version;
	to->lenient = from->flags & BELAY_LENIENT;
	to->no_project_gate = from->flags & BELAY_NO_PROJECT_GATE;
	to->trust_all = from->flags & BELAY_TRUST_ALL;
	to->no_journal = from->flags & BELAY_NO_LOG;
	to->journal.full_payload = from->flags & BELAY_LOG_PAYLOAD;
	status = read_least_sandbox(from, to, err);
	if (!status)
		status = copy_list(arena, from->workspaces,
				   from->workspace_count, &to->workspaces, err);
	if (status)
		return status;
	return copy_list(arena, from->plugins, from->plugin_count, &to->plugins,
			 err);
}

/* Where the log is, for belay_engine_log_json. */
static enum bl_status find_journal(belay_engine *engine,
				   const struct bl_engine_options *options,
				   struct bl_error *err)
{
	struct bl_str home = options->home;
	enum bl_status status = BL_OK;

	if (options->journal.dir.len) {
		engine->journal_dir =
			bl_arena_copy_str(&engine->arena, options->journal.dir);
		return engine->journal_dir.ptr
			       ? BL_OK
			       : bl_arena_fail(&engine->arena, err);
	}
	if (!home.len)
		status = bl_os_home(&engine->arena, &home, err);
	if (!status)
		status = bl_journal_dir(&engine->arena, home,
					&engine->journal_dir, err);
	return status;
}

belay_status belay_engine_new(const belay_engine_options *options,
			      belay_engine **out_engine, belay_error *error)
{
	static const belay_engine_options none = BELAY_ENGINE_OPTIONS_INIT;
	struct bl_engine_options plain = { 0 };
	struct bl_error err;
	belay_engine *engine;
	enum bl_status status;

	if (!out_engine)
		return fail_null(error, "out_engine");
	engine = calloc(1, sizeof(*engine));
	if (!engine) {
		bl_fail_memory(&err);
		return fail(&err, error);
	}
	bl_arena_init(&engine->arena, NULL, 0, 0);
	status = read_options(options ? options : &none, &engine->arena, &plain,
			      &err);
	if (!status)
		status = find_journal(engine, &plain, &err);
	if (!status)
		status = bl_engine_new(&plain, &engine->engine, &err);
	if (status) {
		belay_engine_free(engine);
		return fail(&err, error);
	}
	*out_engine = engine;
	return BELAY_OK;
}

void belay_engine_free(belay_engine *engine)
{
	if (!engine)
		return;
	bl_engine_free(engine->engine);
	bl_arena_clear(&engine->arena);
	free(engine);
}

belay_status belay_engine_reload(belay_engine *engine, belay_error *error)
{
	struct bl_error err;

	if (!engine)
		return fail_null(error, "engine");
	if (bl_engine_reload(engine->engine, &err))
		return fail(&err, error);
	return BELAY_OK;
}

belay_status belay_engine_reload_if_changed(belay_engine *engine,
					    int32_t *changed,
					    belay_error *error)
{
	struct bl_error err;
	bool was_changed = false;

	if (!engine)
		return fail_null(error, "engine");
	if (bl_engine_reload_if_changed(engine->engine, &was_changed, &err))
		return fail(&err, error);
	if (changed)
		*changed = was_changed;
	return BELAY_OK;
}

int32_t belay_engine_has_hook(belay_engine *engine, const char *event)
{
	return engine && event &&
	       bl_engine_has_hook(engine->engine, bl_str(event));
}

/* ---- texts -------------------------------------------------------------- */

const char *belay_text_data(const belay_text *text)
{
	return text ? text->buf.ptr : NULL;
}

size_t belay_text_size(const belay_text *text)
{
	return text ? text->buf.len : 0;
}

void belay_text_free(belay_text *text)
{
	if (!text)
		return;
	bl_buf_clear(&text->buf);
	free(text);
}

static belay_status text_of(struct bl_value value, belay_text **out_text,
			    belay_error *error)
{
	struct bl_error err;
	belay_text *text = calloc(1, sizeof(*text));

	bl_fail_memory(&err);
	if (!text || !bl_value_is_defined(value)) {
		free(text);
		return fail(&err, error);
	}
	bl_buf_init(&text->buf, 0);
	bl_json_write(&text->buf, value, BL_JSON_COMPACT);
	if (bl_buf_status(&text->buf)) {
		belay_text_free(text);
		return fail(&err, error);
	}
	*out_text = text;
	return BELAY_OK;
}

belay_status belay_engine_hooks_json(belay_engine *engine,
				     belay_text **out_text, belay_error *error)
{
	const struct bl_snapshot *snapshot;
	struct bl_arena arena;
	belay_status status;

	if (!engine || !out_text)
		return fail_null(error, "engine or out_text");
	bl_arena_init(&arena, NULL, 0, 0);
	snapshot = bl_engine_snapshot(engine->engine);
	status =
		text_of(bl_hook_set_to_value(bl_snapshot_set(snapshot), &arena),
			out_text, error);
	bl_snapshot_unref(snapshot);
	bl_arena_clear(&arena);
	return status;
}

belay_status belay_engine_log_json(belay_engine *engine, size_t max,
				   belay_text **out_text, belay_error *error)
{
	struct bl_value *entries;
	size_t count;
	struct bl_arena arena;
	struct bl_error err;
	belay_status status;

	if (!engine || !out_text)
		return fail_null(error, "engine or out_text");
	bl_arena_init(&arena, NULL, 0, 0);
	if (bl_journal_read_last(engine->journal_dir, max, &arena, &entries,
				 &count, NULL, &err))
		status = fail(&err, error);
	else
		status = text_of(bl_array_make(&arena, entries, count),
				 out_text, error);
	bl_arena_clear(&arena);
	return status;
}

/* ---- events ------------------------------------------------------------- */

static struct bl_str json_text(struct bl_arena *arena, struct bl_value value)
{
	struct bl_buf buf;
	struct bl_str text = { NULL, 0 };

	bl_buf_init(&buf, 0);
	bl_json_write(&buf, value, BL_JSON_COMPACT);
	if (bl_value_is_defined(value) && !bl_buf_status(&buf))
		text = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return text;
}

/* Everything that the functions below return, made while failing is possible.
 */
static enum bl_status fill_texts(belay_reply *reply, struct bl_error *err)
{
	const struct bl_enforcement *what = &reply->reply.enforcement;
	struct bl_arena *arena = &reply->arena;

	reply->json = json_text(arena, bl_reply_to_value(&reply->reply, arena));
	reply->answer = json_text(arena, reply->reply.answer);
	reply->user = bl_arena_copy_str(arena, what->user_text);
	reply->model = bl_arena_copy_str(arena, what->model_text);
	if (what->followup.ptr)
		reply->followup = bl_arena_copy_str(arena, what->followup);
	if (!reply->json.ptr || !reply->answer.ptr || !reply->user.ptr ||
	    !reply->model.ptr || (what->followup.ptr && !reply->followup.ptr))
		return bl_fail_memory(err);
	return BL_OK;
}

belay_status belay_engine_dispatch(belay_engine *engine, const char *event,
				   const char *payload, size_t payload_size,
				   belay_reply **out_reply, belay_error *error)
{
	struct bl_limits limits = bl_limits_default();
	struct bl_request request = { bl_str(event),
				      { payload, payload_size } };
	struct bl_error err;
	belay_reply *reply;
	enum bl_status status;

	if (!engine || !payload || !out_reply)
		return fail_null(error, "engine, payload or out_reply");
	reply = calloc(1, sizeof(*reply));
	if (!reply) {
		bl_fail_memory(&err);
		return fail(&err, error);
	}
	bl_arena_init(&reply->arena, NULL, 0, limits.event_arena_bytes);
	/* values borrow from the payload, which is the caller's */
	request.payload = bl_arena_copy_str(&reply->arena, request.payload);
	status = request.payload.ptr ? BL_OK
				     : bl_arena_fail(&reply->arena, &err);
	if (!status)
		status = bl_engine_dispatch(engine->engine, &request,
					    &reply->arena, &reply->reply, &err);
	if (!status)
		status = fill_texts(reply, &err);
	if (status) {
		belay_reply_free(reply);
		return fail(&err, error);
	}
	*out_reply = reply;
	return BELAY_OK;
}

void belay_reply_free(belay_reply *reply)
{
	if (!reply)
		return;
	if (reply->reply.snapshot)
		bl_reply_clear(&reply->reply);
	bl_arena_clear(&reply->arena);
	free(reply);
}

belay_verdict belay_reply_verdict(const belay_reply *reply)
{
	return reply ? (belay_verdict)reply->reply.enforcement.verdict
		     : BELAY_DENY;
}

const char *belay_reply_json(const belay_reply *reply)
{
	return reply ? reply->json.ptr : NULL;
}

const char *belay_reply_answer_json(const belay_reply *reply)
{
	return reply ? reply->answer.ptr : NULL;
}

const char *belay_reply_user_text(const belay_reply *reply)
{
	return reply ? reply->user.ptr : NULL;
}

const char *belay_reply_model_text(const belay_reply *reply)
{
	return reply ? reply->model.ptr : NULL;
}

const char *belay_reply_followup(const belay_reply *reply)
{
	return reply ? reply->followup.ptr : NULL;
}

int32_t belay_reply_recorded(const belay_reply *reply)
{
	return reply && reply->reply.recorded;
}
