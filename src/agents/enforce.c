/* SPDX-License-Identifier: Apache-2.0 */
#include "agents/internal.h"

/* sentence, ": " and message when there is one, tail. */
static struct bl_str word(struct bl_arena *arena,
			  const struct bl_refusal_texts *texts,
			  const char *sentence, struct bl_str message,
			  const char *tail)
{
	bool alone = texts->message_alone && message.len > 0;
	const struct bl_str parts[] = {
		bl_str(alone ? NULL : sentence),
		bl_str(alone || message.len == 0 ? NULL : ": "),
		message,
		bl_str(tail),
	};

	if (!sentence)
		return BL_STR("");
	return bl_harness_concat(arena, parts, BL_COUNT(parts));
}

static enum bl_status refuse(const struct bl_refusal_texts *texts,
			     const struct bl_decision *decision,
			     struct bl_value payload, struct bl_arena *arena,
			     struct bl_enforcement *enforcement)
{
	struct bl_str for_model = decision->agent_message;
	struct bl_str path = { NULL, 0 };

	if (texts->error_path_field)
		path = bl_value_text(bl_object_find(
			payload, bl_str(texts->error_path_field)));
	if (for_model.len == 0 && texts->model_gets_user_message)
		for_model = decision->user_message;
	enforcement->code = texts->code;
	enforcement->user_text = word(arena, texts, texts->user,
				      decision->user_message, texts->user_tail);
	enforcement->model_text =
		word(arena, texts, texts->model, for_model, texts->model_tail);
	enforcement->error_text =
		word(arena, texts, texts->error, path, texts->error_tail);
	if (!enforcement->user_text.ptr || !enforcement->model_text.ptr ||
	    !enforcement->error_text.ptr)
		return BL_NO_MEMORY;
	return BL_OK;
}

/* What the step can do of what was decided. */
static enum bl_verdict enforceable(const struct bl_step *step,
				   enum bl_verdict verdict)
{
	if (verdict == BL_VERDICT_DENY && !step->refusal)
		return BL_VERDICT_NONE;
	if (verdict == BL_VERDICT_ASK && !step->can_ask)
		return BL_VERDICT_NONE;
	return verdict;
}

static struct bl_str followup(const struct bl_step *step,
			      const struct bl_decision *decision,
			      struct bl_value payload)
{
	struct bl_str status =
		bl_value_text(bl_object_find(payload, BL_STR("status")));

	if (decision->followup_message.len == 0 ||
	    (step->followup_status &&
	     !bl_str_is(status, step->followup_status)))
		return (struct bl_str){ NULL, 0 };
	return decision->followup_message;
}

enum bl_status bl_harness_enforce(const struct bl_step *step,
				  const struct bl_decision *decision,
				  struct bl_value payload,
				  struct bl_arena *arena,
				  struct bl_enforcement *out_enforcement,
				  struct bl_error *err)
{
	struct bl_enforcement enforcement = {
		.verdict = enforceable(step, decision->verdict),
		.followup = followup(step, decision, payload),
	};

	if (enforcement.verdict == BL_VERDICT_DENY) {
		if (refuse(step->refusal, decision, payload, arena,
			   &enforcement) != BL_OK)
			return bl_arena_fail(arena, err);
	} else if (enforcement.verdict == BL_VERDICT_ASK ||
		   step->class == BL_CLASS_OBSERVE) {
		enforcement.user_text = decision->user_message;
	}
	*out_enforcement = enforcement;
	return BL_OK;
}
