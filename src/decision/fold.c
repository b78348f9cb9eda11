/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Combining outcomes (spec/cursor.md 2.11 and 2.12).  First every outcome's
 * effect is looked up, then the verdict is the largest, then each field is
 * merged by its own rule from the answers that count.
 */
#include "decision/decision.h"

struct fold {
	const struct bl_fold_rules *rules;
	enum bl_event_class class;
	bool can_ask;
	const struct bl_outcome *outcomes;
	size_t count;
	struct bl_arena *arena;
	uint8_t *effects;
	struct bl_decision decision;
	bool failed; /* memory is out */
};

/* ---- effects and the verdict -------------------------------------------- */

static enum bl_effect look_up_effect(const struct fold *fold,
				     const struct bl_outcome *outcome)
{
	const struct bl_outcome_rule *rule =
		&fold->rules->outcome[outcome->kind];
	const uint8_t *row =
		outcome->fail_closed ? rule->fail_closed : rule->effect;
	enum bl_effect effect = (enum bl_effect)row[fold->class];

	if (effect == BL_EFFECT_ASK_OR_DENY)
		return fold->can_ask ? BL_EFFECT_ASK : BL_EFFECT_DENY;
	if (effect == BL_EFFECT_ASK && !fold->can_ask)
		return BL_EFFECT_NOTHING;
	if (effect == BL_EFFECT_USE && outcome->kind != BL_OUTCOME_ANSWERED)
		return BL_EFFECT_NOTHING;
	return effect;
}

static void fill_effects(struct fold *fold)
{
	bool answered = false;

	for (size_t i = 0; i < fold->count; i++) {
		enum bl_effect effect =
			look_up_effect(fold, &fold->outcomes[i]);

		if (effect == BL_EFFECT_USE) {
			if (answered && fold->rules->first_valid_wins)
				effect = BL_EFFECT_NOTHING;
			answered = true;
		}
		fold->effects[i] = (uint8_t)effect;
	}
}

static bool is_used(const struct fold *fold, size_t i)
{
	return fold->effects[i] == BL_EFFECT_USE;
}

static enum bl_verdict answer_verdict(const struct fold *fold,
				      const struct bl_answer *answer)
{
	if (fold->class == BL_CLASS_PERMISSION)
		return answer->permission;
	if (fold->class == BL_CLASS_PROMPT && answer->stops)
		return BL_VERDICT_DENY;
	return BL_VERDICT_NONE;
}

/* What outcome i alone would come to. */
static enum bl_verdict outcome_verdict(const struct fold *fold, size_t i)
{
	if (fold->effects[i] == BL_EFFECT_DENY)
		return BL_VERDICT_DENY;
	if (fold->effects[i] == BL_EFFECT_ASK)
		return BL_VERDICT_ASK;
	if (is_used(fold, i))
		return answer_verdict(fold, &fold->outcomes[i].answer);
	return BL_VERDICT_NONE;
}

static void fold_verdict(struct fold *fold)
{
	for (size_t i = 0; i < fold->count; i++) {
		enum bl_verdict verdict = outcome_verdict(fold, i);

		if (verdict > fold->decision.verdict)
			fold->decision.verdict = verdict;
	}
}

/*
 * The answer that is handed on as it came.  Not when something else than an
 * answer made the verdict: the answer would then say the wrong thing.
 */
static void fold_first_answer(struct fold *fold)
{
	for (size_t i = 0; i < fold->count; i++) {
		if (!is_used(fold, i))
			continue;
		if (outcome_verdict(fold, i) == fold->decision.verdict)
			fold->decision.first_answer =
				fold->outcomes[i].answer.raw;
		return;
	}
}

/* ---- messages ----------------------------------------------------------- */

/* Do the messages of outcome i count? */
static bool speaks(const struct fold *fold, size_t i)
{
	if (fold->decision.verdict >= BL_VERDICT_ASK)
		return outcome_verdict(fold, i) == fold->decision.verdict;
	return fold->class == BL_CLASS_OBSERVE && is_used(fold, i);
}

typedef struct bl_str message_fn(const struct fold *fold, size_t i);

static struct bl_str user_message(const struct fold *fold, size_t i)
{
	const struct bl_outcome *outcome = &fold->outcomes[i];

	return is_used(fold, i) ? outcome->answer.user_message
				: outcome->reason;
}

static struct bl_str agent_message(const struct fold *fold, size_t i)
{
	if (!is_used(fold, i))
		return (struct bl_str){ NULL, 0 };
	return fold->outcomes[i].answer.agent_message;
}

static struct bl_str spoken(const struct fold *fold, size_t i,
			    message_fn *message)
{
	return speaks(fold, i) ? message(fold, i) : (struct bl_str){ NULL, 0 };
}

/* The length of all messages joined; *out_last is the last of them. */
static bool measure(const struct fold *fold, message_fn *message,
		    size_t *out_count, size_t *out_len, struct bl_str *out_last)
{
	const size_t separator_len = sizeof(BL_MESSAGE_SEPARATOR) - 1;

	for (size_t i = 0; i < fold->count; i++) {
		struct bl_str part = spoken(fold, i, message);

		if (part.len == 0)
			continue;
		if ((*out_count > 0 &&
		     !bl_add_size(*out_len, separator_len, out_len)) ||
		    !bl_add_size(*out_len, part.len, out_len))
			return false;
		*out_last = part;
		*out_count += 1;
	}
	return true;
}

static char *append(char *at, struct bl_str part)
{
	memcpy(at, part.ptr, part.len);
	return at + part.len;
}

/* The messages that count, in order; one alone is borrowed. */
static struct bl_str join(struct fold *fold, message_fn *message)
{
	struct bl_str joined = { NULL, 0 };
	size_t count = 0;
	size_t len = 0;
	char *start;
	char *at;

	if (!measure(fold, message, &count, &len, &joined)) {
		fold->failed = true;
		return (struct bl_str){ NULL, 0 };
	}
	if (count <= 1)
		return joined;
	start = at = bl_arena_alloc_aligned(fold->arena, len, 1);
	if (!start) {
		fold->failed = true;
		return (struct bl_str){ NULL, 0 };
	}
	for (size_t i = 0; i < fold->count; i++) {
		struct bl_str part = spoken(fold, i, message);

		if (part.len == 0)
			continue;
		if (at != start)
			at = append(at, BL_STR(BL_MESSAGE_SEPARATOR));
		at = append(at, part);
	}
	return (struct bl_str){ start, len };
}

/* ---- the other fields --------------------------------------------------- */

static void win_value(const struct fold *fold, struct bl_value *held,
		      struct bl_value value)
{
	if (!bl_value_is_defined(value))
		return;
	if (!bl_value_is_defined(*held) ||
	    fold->rules->single_winner == BL_WINNER_LAST)
		*held = value;
}

static void win_text(const struct fold *fold, struct bl_str *held,
		     struct bl_str text)
{
	if (!text.ptr)
		return;
	if (!held->ptr || fold->rules->single_winner == BL_WINNER_LAST)
		*held = text;
}

/* Fields of which one answer's counts. */
static void fold_single(struct fold *fold)
{
	struct bl_decision *decision = &fold->decision;
	size_t updates = 0;

	for (size_t i = 0; i < fold->count; i++) {
		const struct bl_answer *answer = &fold->outcomes[i].answer;

		if (!is_used(fold, i))
			continue;
		win_value(fold, &decision->updated_input,
			  answer->updated_input);
		win_value(fold, &decision->updated_output,
			  answer->updated_output);
		win_text(fold, &decision->followup_message,
			 answer->followup_message);
		updates += bl_value_is_defined(answer->updated_input);
	}
	decision->lost_updates = updates > 0 ? updates - 1 : 0;
}

static struct bl_value end_array(struct fold *fold,
				 struct bl_array_builder *builder)
{
	struct bl_value array;

	if (builder->count == 0 && !builder->failed)
		return bl_value_undefined();
	array = bl_array_builder_end(builder);
	fold->failed |= !bl_value_is_defined(array);
	return array;
}

static void fold_context(struct fold *fold)
{
	struct bl_array_builder builder;

	bl_array_builder_init(&builder, fold->arena);
	for (size_t i = 0; i < fold->count; i++) {
		struct bl_str text =
			fold->outcomes[i].answer.additional_context;

		if (is_used(fold, i) && text.len > 0)
			bl_array_builder_add(&builder, bl_value_string(text));
	}
	fold->decision.additional_context = end_array(fold, &builder);
}

/* Key by key; of a repeated key the last value counts (bl_object_make). */
static void fold_env(struct fold *fold)
{
	struct bl_object_builder builder;

	bl_object_builder_init(&builder, fold->arena);
	for (size_t i = 0; i < fold->count; i++) {
		struct bl_value env = fold->outcomes[i].answer.env;

		if (!is_used(fold, i))
			continue;
		for (size_t k = 0; k < bl_value_count(env); k++)
			bl_object_builder_add(
				&builder, bl_value_text(bl_object_key(env, k)),
				bl_object_value(env, k));
	}
	if (builder.count == 0 && !builder.failed)
		return;
	fold->decision.env = bl_object_builder_end(&builder);
	fold->failed |= !bl_value_is_defined(fold->decision.env);
}

/* A union in order: the paths are made the keys of an object. */
static void fold_plugin_paths(struct fold *fold)
{
	struct bl_object_builder seen;
	struct bl_array_builder builder;
	struct bl_value paths;

	bl_object_builder_init(&seen, fold->arena);
	for (size_t i = 0; i < fold->count; i++) {
		struct bl_value list = fold->outcomes[i].answer.plugin_paths;

		if (!is_used(fold, i))
			continue;
		for (size_t k = 0; k < bl_value_count(list); k++)
			bl_object_builder_add(
				&seen, bl_value_text(bl_value_item(list, k)),
				bl_value_null());
	}
	if (seen.count == 0 && !seen.failed)
		return;
	paths = bl_object_builder_end(&seen);
	fold->failed |= !bl_value_is_defined(paths);
	bl_array_builder_init(&builder, fold->arena);
	for (size_t i = 0; i < bl_value_count(paths); i++)
		bl_array_builder_add(&builder, bl_object_key(paths, i));
	fold->decision.plugin_paths = end_array(fold, &builder);
}

/* ---- the door ----------------------------------------------------------- */

enum bl_status bl_decision_fold(const struct bl_fold_rules *rules,
				enum bl_event_class class, bool can_ask,
				const struct bl_outcome *outcomes,
				size_t outcome_count, struct bl_arena *arena,
				struct bl_decision *out_decision,
				struct bl_error *err)
{
	struct fold fold = {
		.rules = rules,
		.class = class,
		.can_ask = can_ask,
		.outcomes = outcomes,
		.count = outcome_count,
		.arena = arena,
	};

	if (outcome_count > 0) {
		fold.effects =
			bl_arena_new_array(arena, uint8_t, outcome_count);
		if (!fold.effects)
			return bl_arena_fail(arena, err);
		fill_effects(&fold);
	}
	fold_verdict(&fold);
	if (rules->first_valid_wins)
		fold_first_answer(&fold);
	fold.decision.user_message = join(&fold, user_message);
	fold.decision.agent_message = join(&fold, agent_message);
	fold_single(&fold);
	fold_context(&fold);
	fold_env(&fold);
	fold_plugin_paths(&fold);
	if (fold.failed)
		return bl_arena_status(arena) == BL_OK
			       ? bl_fail(err, BL_LIMIT,
					 "the hooks' answers are too large")
			       : bl_arena_fail(arena, err);
	fold.decision.effects = fold.effects;
	*out_decision = fold.decision;
	return BL_OK;
}
