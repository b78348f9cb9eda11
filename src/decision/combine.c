/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Combining outcomes: which of them count, and the verdict.  Messages
 * (messages.c) and the other fields (fields.c) have rules of their own.
 *
 * First every outcome's effect is looked up in the table, then the verdict is
 * the strictest of what each outcome alone would come to.  For instance, by
 * the rules of today's Cursor, on an event that can be refused:
 *
 *	hook 1: answered allow         effect use,     alone: allow
 *	hook 2: exit status 2          effect deny,    alone: deny
 *	hook 3: timed out              effect nothing, alone: none
 *
 * The decision is deny, and only hook 2 speaks: its reason is the message.
 * Had hook 3 failClosed, it would be deny as well, and both would speak.
 */
#include "decision/private.h"

/* ---- effects and the verdict -------------------------------------------- */

static enum bl_effect look_up_effect(const struct combining *c,
				     const struct bl_outcome *outcome)
{
	const struct bl_outcome_rule *rule = &c->rules->outcome[outcome->kind];
	const uint8_t *row =
		outcome->fail_closed ? rule->fail_closed : rule->effect;
	enum bl_effect effect = (enum bl_effect)row[c->class];

	if (effect == BL_EFFECT_ASK_OR_DENY)
		return c->can_ask ? BL_EFFECT_ASK : BL_EFFECT_DENY;
	if (effect == BL_EFFECT_ASK && !c->can_ask)
		return BL_EFFECT_NOTHING;
	if (effect == BL_EFFECT_USE && outcome->kind != BL_OUTCOME_ANSWERED)
		return BL_EFFECT_NOTHING;
	return effect;
}

static void fill_effects(struct combining *c)
{
	bool answered = false;

	for (size_t i = 0; i < c->count; i++) {
		enum bl_effect effect = look_up_effect(c, &c->outcomes[i]);

		if (effect == BL_EFFECT_USE) {
			if (answered && c->rules->pick == BL_PICK_FIRST)
				effect = BL_EFFECT_NOTHING;
			answered = true;
		}
		c->effects[i] = (uint8_t)effect;
	}
}

static enum bl_verdict answer_verdict(const struct combining *c,
				      const struct bl_answer *answer)
{
	if (c->rules->any_class || c->class == BL_CLASS_PERMISSION)
		return answer->permission;
	if (c->class == BL_CLASS_PROMPT && answer->stops)
		return BL_VERDICT_DENY;
	return BL_VERDICT_NONE;
}

enum bl_verdict combining_verdict(const struct combining *c, size_t i)
{
	if (c->effects[i] == BL_EFFECT_DENY)
		return BL_VERDICT_DENY;
	if (c->effects[i] == BL_EFFECT_ASK)
		return BL_VERDICT_ASK;
	if (combining_uses(c, i))
		return answer_verdict(c, &c->outcomes[i].answer);
	return BL_VERDICT_NONE;
}

/*
 * How strong a verdict with its attributes is: halt before deny, deny before
 * block, a rewriting allow before a plain one.
 */
static unsigned strength(enum bl_verdict verdict, unsigned attributes)
{
	unsigned base = 3 * (unsigned)verdict + 1;

	if (attributes & (BL_HALTS | BL_REWRITES))
		return base + 1;
	return attributes & BL_FEEDBACK ? base - 1 : base;
}

static unsigned attributes_of(const struct combining *c, size_t i)
{
	return combining_uses(c, i) ? c->outcomes[i].answer.attributes : 0;
}

static void choose_verdict(struct combining *c)
{
	struct bl_decision *decision = &c->decision;
	unsigned strongest = strength(BL_VERDICT_NONE, 0);

	for (size_t i = 0; i < c->count; i++) {
		enum bl_verdict verdict = combining_verdict(c, i);
		unsigned attributes = attributes_of(c, i);

		if (strength(verdict, attributes) <= strongest)
			continue;
		strongest = strength(verdict, attributes);
		decision->verdict = verdict;
		decision->attributes = attributes & ~(unsigned)BL_CONTEXT;
	}
}

/*
 * The answer that is handed on as it came.  Not when something else than an
 * answer made the verdict: the answer would then say the wrong thing.
 */
static void keep_first_answer(struct combining *c)
{
	for (size_t i = 0; i < c->count; i++) {
		if (!combining_uses(c, i))
			continue;
		if (combining_verdict(c, i) == c->decision.verdict)
			c->decision.first_answer = c->outcomes[i].answer.raw;
		return;
	}
}

/* ---- the whole -------------------------------------------------------------- */

/* An answer counts wherever it comes from; a source without an answer says nothing. */
#define ANSWERS_COUNT                                                          \
	[BL_OUTCOME_ANSWERED] = {                                              \
		.effect = { BL_EFFECT_USE, BL_EFFECT_USE, BL_EFFECT_USE },     \
		.fail_closed = { BL_EFFECT_USE, BL_EFFECT_USE, BL_EFFECT_USE } \
	}

const struct bl_combine_rules bl_combine_policies = {
	.pick = BL_PICK_STRICTEST,
	.update = BL_UPDATE_MERGE,
	.wording = BL_WORDING_BY_SEVERITY,
	.any_class = true,
	.outcome = { ANSWERS_COUNT },
};

const struct bl_combine_rules bl_combine_sources = {
	.pick = BL_PICK_STRICTEST,
	.update = BL_UPDATE_LAST,
	.wording = BL_WORDING_JOINED,
	.any_class = true,
	.outcome = { ANSWERS_COUNT },
};

static enum bl_status fail(const struct combining *c, struct bl_error *err)
{
	if (bl_arena_status(c->arena) != BL_OK)
		return bl_arena_fail(c->arena, err);
	if (c->status != BL_OK)
		return bl_fail(err, c->status, "the reason is too long");
	return bl_fail(err, BL_LIMIT, "the hooks' answers are too large");
}

enum bl_status bl_decision_combine(const struct bl_combine_rules *rules,
				   enum bl_event_class class, bool can_ask,
				   const struct bl_outcome *outcomes,
				   size_t outcome_count, struct bl_arena *arena,
				   struct bl_decision *out_decision,
				   struct bl_error *err)
{
	struct combining c = {
		.rules = rules,
		.class = class,
		.can_ask = can_ask,
		.outcomes = outcomes,
		.count = outcome_count,
		.arena = arena,
	};

	if (outcome_count > 0) {
		c.effects = bl_arena_new_array(arena, uint8_t, outcome_count);
		if (!c.effects)
			return bl_arena_fail(arena, err);
		fill_effects(&c);
	}
	choose_verdict(&c);
	if (rules->pick == BL_PICK_FIRST)
		keep_first_answer(&c);
	combining_messages(&c);
	combining_fields(&c);
	if (c.failed)
		return fail(&c, err);
	c.decision.effects = c.effects;
	*out_decision = c.decision;
	return BL_OK;
}
