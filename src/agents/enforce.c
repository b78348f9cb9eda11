/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Enforces a decision where belay runs the agent's hooks: what the event
 * can do of it, and how the agent words a refusal.  It stands alone since it
 * needs nothing of how outputs are read.
 */
#include "agents/private.h"

/* sentence, ": " and message when there is one, tail. */
static struct bl_str word(struct bl_arena *arena,
			  const struct bl_refusal_messages *messages,
			  const char *sentence, struct bl_str message,
			  const char *tail)
{
	bool alone = messages->message_alone && message.len > 0;
	const struct bl_str parts[] = {
		bl_str(alone ? NULL : sentence),
		bl_str(alone || message.len == 0 ? NULL : ": "),
		message,
		bl_str(tail),
	};

	if (!sentence)
		return BL_STR("");
	return bl_agent_concat(arena, parts, BL_COUNT(parts));
}

static enum bl_status refuse(const struct bl_refusal_messages *messages,
			     const struct bl_decision *decision,
			     struct bl_value payload, struct bl_arena *arena,
			     struct bl_enforcement *enforcement)
{
	struct bl_str for_model = decision->agent_message;
	struct bl_str path = { NULL, 0 };

	if (messages->error_path_field)
		path = bl_value_text(bl_object_find(
			payload, bl_str(messages->error_path_field)));
	if (for_model.len == 0 && messages->model_gets_user_message)
		for_model = decision->user_message;
	enforcement->code = messages->code;
	enforcement->user_text =
		word(arena, messages, messages->user, decision->user_message,
		     messages->user_tail);
	enforcement->model_text = word(arena, messages, messages->model,
				       for_model, messages->model_tail);
	enforcement->error_text = word(arena, messages, messages->error, path,
				       messages->error_tail);
	if (!enforcement->user_text.ptr || !enforcement->model_text.ptr ||
	    !enforcement->error_text.ptr)
		return BL_NO_MEMORY;
	return BL_OK;
}

/* The part of the decision that the event can carry out. */
static enum bl_verdict enforceable(const struct bl_hook_event *event,
				   enum bl_verdict verdict)
{
	if (verdict == BL_VERDICT_DENY && !event->refusal)
		return BL_VERDICT_NONE;
	if (verdict == BL_VERDICT_ASK && !event->can_ask)
		return BL_VERDICT_NONE;
	return verdict;
}

static struct bl_str followup(const struct bl_hook_event *event,
			      const struct bl_decision *decision,
			      struct bl_value payload)
{
	struct bl_str status =
		bl_value_text(bl_object_find(payload, BL_STR("status")));

	if (decision->followup_message.len == 0 ||
	    (event->followup_status &&
	     !bl_str_is(status, event->followup_status)))
		return (struct bl_str){ NULL, 0 };
	return decision->followup_message;
}

enum bl_status bl_hook_event_enforce(const struct bl_hook_event *event,
				     const struct bl_decision *decision,
				     struct bl_value payload,
				     struct bl_arena *arena,
				     struct bl_enforcement *out_enforcement,
				     struct bl_error *err)
{
	struct bl_enforcement enforcement = {
		.verdict = enforceable(event, decision->verdict),
		.followup = followup(event, decision, payload),
	};

	if (enforcement.verdict == BL_VERDICT_DENY) {
		if (refuse(event->refusal, decision, payload, arena,
			   &enforcement) != BL_OK)
			return bl_arena_fail(arena, err);
	} else if (enforcement.verdict == BL_VERDICT_ASK ||
		   event->class == BL_CLASS_OBSERVE) {
		enforcement.user_text = decision->user_message;
	}
	*out_enforcement = enforcement;
	return BL_OK;
}
