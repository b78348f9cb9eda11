/* SPDX-License-Identifier: Apache-2.0 */
/* decision/private.h: what the files that combine outcomes share. */
#ifndef BELAY_DECISION_PRIVATE_H
#define BELAY_DECISION_PRIVATE_H

#include "decision/decision.h"

/* One decision in the making. */
struct combining {
	const struct bl_combine_rules *rules;
	enum bl_event_class class;
	bool can_ask;
	const struct bl_outcome *outcomes;
	size_t count;
	struct bl_arena *arena;
	uint8_t *effects;
	struct bl_decision decision;
	bool failed;           /* memory is out, or what is below */
	enum bl_status status; /* of a text that became too long */
};

/* Does the answer of outcome i count? */
static inline bool combining_uses(const struct combining *c, size_t i)
{
	return c->effects[i] == BL_EFFECT_USE;
}

/* combine.c: what outcome i alone would come to. */
enum bl_verdict combining_verdict(const struct combining *c, size_t i);

/* Outcomes with one verb. */
struct outcome_group {
	const struct bl_outcome **items;
	size_t count;
};

/* messages.c: false when memory is out (c->failed is set then). */
bool combining_group(struct combining *c, enum bl_verb verb,
		     struct outcome_group *out_group);
void combining_sort(struct outcome_group *group);

/* messages.c, fields.c: fill c->decision, once it has its verdict. */
void combining_messages(struct combining *c);
void combining_fields(struct combining *c);

#endif
