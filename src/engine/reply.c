/* SPDX-License-Identifier: Apache-2.0 */
/* Replies as the result object of docs/formats/result.md. */
#include "engine/private.h"

enum { RESULT_VERSION = 1 };

static struct bl_value text_or_none(struct bl_str text)
{
	return text.len > 0 ? bl_value_string(text) : bl_value_undefined();
}

static struct bl_value word(const char *text)
{
	return text ? bl_value_string(bl_str(text)) : bl_value_undefined();
}

/* Whole microseconds: three digits after the point are enough. */
static struct bl_value milliseconds(struct bl_arena *arena, int64_t ns)
{
	int64_t us = ns / 1000;

	return bl_number_from_double(arena, (double)us / 1000.0);
}

#define ADD(builder, name, value)                                              \
	bl_object_builder_add(builder, BL_STR(name), value)

static struct bl_value enforcement_value(const struct bl_enforcement *enforced,
					 struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	ADD(&object, "verdict", word(bl_verdict_name(enforced->verdict)));
	ADD(&object, "code", word(enforced->code));
	ADD(&object, "user", text_or_none(enforced->user_text));
	ADD(&object, "model", text_or_none(enforced->model_text));
	ADD(&object, "error", text_or_none(enforced->error_text));
	ADD(&object, "followup", text_or_none(enforced->followup));
	return bl_object_builder_end(&object);
}

static const char *const effect_names[] = {
	[BL_EFFECT_NOTHING] = "nothing",  [BL_EFFECT_USE] = "use",
	[BL_EFFECT_DENY] = "deny",        [BL_EFFECT_ASK] = "ask",
	[BL_EFFECT_ASK_OR_DENY] = "deny", /* never: combining settles it */
};

static void add_run(struct bl_object_builder *object,
		    const struct bl_child_result *child)
{
	ADD(object, "duration_ms",
	    milliseconds(object->arena, child->elapsed_ns));
	if (child->end == BL_CHILD_EXITED)
		ADD(object, "exit_code", bl_value_integer(child->code));
	if (child->end == BL_CHILD_SIGNALLED)
		ADD(object, "signal", bl_value_integer(child->code));
}

static struct bl_value execution_value(const struct bl_reply *reply,
				       const struct bl_reply_execution *e,
				       struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	if (e->id[0])
		ADD(&object, "id", word(e->id));
	ADD(&object, "source", word(bl_source_name(e->hook->file->source)));
	ADD(&object, "file", text_or_none(e->hook->file->path));
	ADD(&object, "command", text_or_none(e->hook->command));
	ADD(&object, "outcome", word(bl_outcome_name(e->outcome.kind)));
	ADD(&object, "effect", word(effect_names[e->effect]));
	ADD(&object, "asked",
	    word(bl_verdict_name(
		    bl_engine_execution_verdict(reply->hook_event, e))));
	if (e->ran)
		add_run(&object, &e->child);
	ADD(&object, "sandbox", text_or_none(e->layers));
	ADD(&object, "reason", text_or_none(e->outcome.reason));
	ADD(&object, "stderr", text_or_none(e->child.errors));
	return bl_object_builder_end(&object);
}

static struct bl_value executions_value(const struct bl_reply *reply,
					struct bl_arena *arena)
{
	struct bl_array_builder array;

	bl_array_builder_init(&array, arena);
	for (size_t i = 0; i < reply->execution_count; i++)
		bl_array_builder_add(
			&array,
			execution_value(reply, &reply->executions[i], arena));
	return bl_array_builder_end(&array);
}

/* The decision of policies alone; undefined: they were not asked. */
static struct bl_value policies_value(const struct bl_reply *reply,
				      struct bl_arena *arena)
{
	const struct bl_decision *decision = &reply->report.decision;
	struct bl_object_builder object;

	if (!reply->policies)
		return bl_value_undefined();
	bl_object_builder_init(&object, arena);
	if (reply->policy_id[0])
		ADD(&object, "id", word(reply->policy_id));
	ADD(&object, "decision",
	    word(bl_verb_name(bl_decision_verb(decision))));
	ADD(&object, "reason", text_or_none(decision->user_message));
	ADD(&object, "report", bl_policy_report_brief(&reply->report, arena));
	return bl_object_builder_end(&object);
}

/* FORM_HOOK: what the hook of the agent does. */
static struct bl_value response_value(const struct bl_reply *reply,
				      struct bl_arena *arena)
{
	const struct bl_response *response = &reply->response;
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	ADD(&object, "output", text_or_none(response->output));
	ADD(&object, "errors", text_or_none(response->errors));
	ADD(&object, "exit_code", bl_value_integer(response->exit_code));
	ADD(&object, "effect", word(bl_verb_name(response->effect)));
	ADD(&object, "failure", text_or_none(reply->failure));
	return bl_object_builder_end(&object);
}

/* Hook files know it by one name, policies by another. */
static void add_event(struct bl_object_builder *object,
		      const struct bl_reply *reply)
{
	const struct bl_agent_request *request = &reply->request;

	if (reply->hook_event) {
		ADD(object, "event", word(reply->hook_event->name));
		ADD(object, "kind",
		    word(bl_event_kind_name(reply->hook_event->kind)));
	} else if (request->event) {
		ADD(object, "event", text_or_none(request->event_name));
		ADD(object, "kind", word(bl_event_kind_name(request->kind)));
	}
}

struct bl_value bl_reply_to_value(const struct bl_reply *reply,
				  struct bl_arena *arena)
{
	const struct bl_decision *decision = &reply->decision;
	struct bl_object_builder object;

	if (reply->chain)
		return bl_reply_chain_value(reply, arena);
	bl_object_builder_init(&object, arena);
	ADD(&object, "v", bl_value_integer(RESULT_VERSION));
	add_event(&object, reply);
	ADD(&object, "profile", word(reply->profile->name));
	ADD(&object, "answer", reply->answer);
	ADD(&object, "decision", word(bl_verdict_name(decision->verdict)));
	if (bl_value_is_defined(reply->answer))
		ADD(&object, "enforcement",
		    enforcement_value(&reply->enforcement, arena));
	else
		ADD(&object, "response", response_value(reply, arena));
	ADD(&object, "executions", executions_value(reply, arena));
	ADD(&object, "policies", policies_value(reply, arena));
	ADD(&object, "notices", reply->notices);
	ADD(&object, "recorded", bl_value_boolean(reply->recorded));
	return bl_object_builder_end(&object);
}

/* ---- explanations ----------------------------------------------------------- */

struct bl_value bl_reply_explanation(const struct bl_reply *reply,
				     struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	add_event(&object, reply);
	ADD(&object, "decision", word(bl_reply_word(reply)));
	ADD(&object, "hooks", executions_value(reply, arena));
	if (reply->policies)
		ADD(&object, "policies",
		    bl_policy_report_value(&reply->report, arena));
	ADD(&object, "notices", reply->notices);
	return bl_object_builder_end(&object);
}

bool bl_engine_would_run(const struct bl_reply_execution *execution)
{
	const struct bl_webhook *webhook = execution->hook->webhook;

	return execution->match <= BL_MATCH_RUNS_LIMIT &&
	       !(webhook && webhook->refused.len);
}

static struct bl_value match_value(const struct bl_reply_execution *execution,
				   struct bl_arena *arena)
{
	const struct bl_hook *hook = execution->hook;
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	ADD(&object, "source", word(bl_source_name(hook->file->source)));
	ADD(&object, "file", bl_value_string(hook->file->path));
	ADD(&object, "step", word(hook->hook_event->name));
	ADD(&object, "command", text_or_none(hook->command));
	ADD(&object, "runs", bl_value_boolean(bl_engine_would_run(execution)));
	ADD(&object, "match", word(bl_match_name(execution->match)));
	return bl_object_builder_end(&object);
}

struct bl_value bl_reply_matches(const struct bl_reply *reply,
				 struct bl_arena *arena)
{
	struct bl_object_builder object;
	struct bl_array_builder hooks;

	bl_array_builder_init(&hooks, arena);
	for (size_t i = 0; i < reply->execution_count; i++)
		bl_array_builder_add(&hooks,
				     match_value(&reply->executions[i], arena));
	bl_object_builder_init(&object, arena);
	ADD(&object, "event", word(reply->hook_event->name));
	ADD(&object, "hooks", bl_array_builder_end(&hooks));
	ADD(&object, "notices", reply->notices);
	return bl_object_builder_end(&object);
}

/* ---- failure ------------------------------------------------------------ */

#define FAILURE_CODE "UNDECIDED"

/* Refuses whichever of the agent's questions it is taken as an answer to. */
static struct bl_value refusal(struct bl_str message, struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	ADD(&object, "permission", word("deny"));
	ADD(&object, "continue", bl_value_boolean(false));
	ADD(&object, "user_message", bl_value_string(message));
	return bl_object_builder_end(&object);
}

static struct bl_value error_value(const struct bl_error *err,
				   struct bl_str message,
				   struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	ADD(&object, "status", word(bl_status_name(err->status)));
	ADD(&object, "message", bl_value_string(message));
	return bl_object_builder_end(&object);
}

struct bl_value bl_reply_failure_value(const struct bl_error *err,
				       struct bl_arena *arena)
{
	struct bl_str message = bl_arena_copy_str(arena, bl_str(err->message));
	struct bl_value none = bl_array_make(arena, NULL, 0);
	struct bl_enforcement enforcement = {
		.verdict = BL_VERDICT_DENY,
		.code = FAILURE_CODE,
		.user_text = message,
		.model_text = message,
	};
	struct bl_object_builder object;

	if (!message.ptr)
		return bl_value_undefined();
	bl_object_builder_init(&object, arena);
	ADD(&object, "v", bl_value_integer(RESULT_VERSION));
	ADD(&object, "answer", refusal(message, arena));
	ADD(&object, "decision", word(bl_verdict_name(BL_VERDICT_DENY)));
	ADD(&object, "enforcement", enforcement_value(&enforcement, arena));
	ADD(&object, "executions", none);
	ADD(&object, "notices", none);
	ADD(&object, "recorded", bl_value_boolean(false));
	ADD(&object, "error", error_value(err, message, arena));
	return bl_object_builder_end(&object);
}
