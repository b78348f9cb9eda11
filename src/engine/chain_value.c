/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of Everruns as the result object of docs/guide/everruns.md. */
#include "engine/private.h"

enum { RESULT_VERSION = 1 };

#define ADD(builder, name, value)                                              \
	bl_object_builder_add(builder, BL_STR(name), value)

static struct bl_value text_or_none(struct bl_str text)
{
	return text.len > 0 ? bl_value_string(text) : bl_value_undefined();
}

static struct bl_value word(const char *text)
{
	return bl_value_string(bl_str(text));
}

static struct bl_value
execution_value(const struct bl_everruns_execution *execution,
		struct bl_arena *arena)
{
	const struct bl_everruns_run *run = &execution->run;
	bool is_valid = execution->hook->broken.len == 0;
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	ADD(&object, "hook_id", bl_value_string(execution->id));
	ADD(&object, "file", text_or_none(execution->hook->file));
	ADD(&object, "outcome",
	    word(is_valid ? bl_everruns_outcome_name(run->outcome.kind)
			  : "not_valid"));
	ADD(&object, "effect",
	    word(bl_everruns_effect_name(execution->effect)));
	ADD(&object, "reason",
	    text_or_none(is_valid ? run->outcome.reason
				  : execution->hook->broken));
	if (run->ran) {
		int64_t us = run->child.elapsed_ns / 1000;

		ADD(&object, "duration_ms",
		    bl_number_from_double(arena, (double)us / 1000.0));
		ADD(&object, "stdout_bytes",
		    bl_value_integer((int64_t)run->child.output.len));
		ADD(&object, "stderr_bytes",
		    bl_value_integer((int64_t)run->child.errors.len));
	}
	if (run->ran && run->child.end == BL_CHILD_EXITED)
		ADD(&object, "exit_code", bl_value_integer(run->child.code));
	return bl_object_builder_end(&object);
}

/* The substitute for the result of a tool that was not run. */
static struct bl_value tool_result(const struct bl_everruns_chain *reply,
				   struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	ADD(&object, "result", bl_value_null());
	ADD(&object, "error",
	    bl_value_printf(arena, "blocked by pre_tool_use hook: %.*s",
			    BL_STR_ARG(reply->reason)));
	return bl_object_builder_end(&object);
}

static void add_block(const struct bl_everruns_chain *reply,
		      struct bl_object_builder *object)
{
	struct bl_str said = reply->user_message;

	ADD(object, "blocked_by", bl_value_string(reply->blocked_by));
	ADD(object, "reason",
	    bl_value_string(reply->reason.len ? reply->reason : BL_STR("")));
	ADD(object, "user_message",
	    said.ptr ? bl_value_string(said) : bl_value_undefined());
	if (reply->facts.event == BL_EVERRUNS_PRE_TOOL_USE) {
		ADD(object, "tool_result", tool_result(reply, object->arena));
		return;
	}
	ADD(object, "error", word("blocked_by_user_prompt_hook"));
	ADD(object, "assistant_message",
	    bl_value_string(said.ptr ? said : reply->reason));
}

struct bl_value bl_reply_chain_value(const struct bl_reply *whole,
				     struct bl_arena *arena)
{
	const struct bl_everruns_chain *reply = whole->chain;
	struct bl_object_builder object;
	struct bl_array_builder executions;

	bl_array_builder_init(&executions, arena);
	for (size_t i = 0; i < reply->execution_count; i++)
		bl_array_builder_add(
			&executions,
			execution_value(&reply->executions[i], arena));
	bl_object_builder_init(&object, arena);
	ADD(&object, "v", bl_value_integer(RESULT_VERSION));
	ADD(&object, "event", word(bl_everruns_event_name(reply->facts.event)));
	ADD(&object, "profile", word(whole->profile->name));
	ADD(&object, "decision", word(reply->is_blocked ? "deny" : "allow"));
	if (reply->is_blocked)
		add_block(reply, &object);
	ADD(&object, "data", reply->facts.data);
	ADD(&object, "executed_arguments", reply->executed_arguments);
	ADD(&object, "executions", bl_array_builder_end(&executions));
	ADD(&object, "notices", whole->notices);
	ADD(&object, "recorded", bl_value_boolean(whole->recorded));
	return bl_object_builder_end(&object);
}

/* ---- the answer --------------------------------------------------------------- */

/* As a hook of Everruns would say it. */
struct bl_value bl_event_chain_answer(const struct bl_event *event)
{
	const struct bl_everruns_chain *chain = event->chain;
	struct bl_object_builder object;

	bl_object_builder_init(&object, event->arena);
	ADD(&object, "decision", word(chain->is_blocked ? "block" : "allow"));
	if (chain->is_blocked) {
		ADD(&object, "reason", text_or_none(chain->reason));
		ADD(&object, "user_message", text_or_none(chain->user_message));
	}
	return bl_object_builder_end(&object);
}
