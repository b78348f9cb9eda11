/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a decision beside its verdict and messages: each is made from
 * the answers that count by a rule of its own.
 */
#include "decision/private.h"

/* ---- fields of which one counts ------------------------------------------- */

static void win_value(const struct combining *c, struct bl_value *held,
		      struct bl_value value)
{
	if (!bl_value_is_defined(value))
		return;
	if (!bl_value_is_defined(*held) || c->rules->update == BL_UPDATE_LAST)
		*held = value;
}

static void win_text(const struct combining *c, struct bl_str *held,
		     struct bl_str text)
{
	if (!text.ptr)
		return;
	if (!held->ptr || c->rules->update == BL_UPDATE_LAST)
		*held = text;
}

/* Fields of which one answer's counts. */
static void take_single(struct combining *c)
{
	struct bl_decision *decision = &c->decision;
	size_t updates = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct bl_answer *answer = &c->outcomes[i].answer;

		if (!combining_uses(c, i))
			continue;
		if (c->rules->update != BL_UPDATE_MERGE)
			win_value(c, &decision->updated_input,
				  answer->updated_input);
		win_value(c, &decision->updated_output, answer->updated_output);
		win_text(c, &decision->followup_message,
			 answer->followup_message);
		updates += bl_value_is_defined(answer->updated_input);
	}
	decision->lost_updates = updates > 0 ? updates - 1 : 0;
}

/* ---- fields of which all count -------------------------------------------- */

static struct bl_value end_array(struct combining *c,
				 struct bl_array_builder *builder)
{
	struct bl_value array;

	if (builder->count == 0 && !builder->failed)
		return bl_value_undefined();
	array = bl_array_builder_end(builder);
	c->failed |= !bl_value_is_defined(array);
	return array;
}

/* BY_SEVERITY has made them already: agents read only so much. */
static void collect_contexts(struct combining *c)
{
	struct bl_array_builder builder;

	bl_array_builder_init(&builder, c->arena);
	for (size_t i = 0; i < c->count; i++) {
		const struct bl_answer *answer = &c->outcomes[i].answer;

		if (!combining_uses(c, i))
			continue;
		if (answer->additional_context.len > 0)
			bl_array_builder_add(
				&builder,
				bl_value_string(answer->additional_context));
		for (size_t k = 0; k < bl_value_count(answer->contexts); k++)
			bl_array_builder_add(
				&builder, bl_value_item(answer->contexts, k));
	}
	c->decision.additional_context = end_array(c, &builder);
}

/* Key by key; of a repeated key the last value counts (bl_object_make). */
static void merge_env(struct combining *c)
{
	struct bl_object_builder builder;

	bl_object_builder_init(&builder, c->arena);
	for (size_t i = 0; i < c->count; i++) {
		struct bl_value env = c->outcomes[i].answer.env;

		if (!combining_uses(c, i))
			continue;
		for (size_t k = 0; k < bl_value_count(env); k++)
			bl_object_builder_add(
				&builder, bl_value_text(bl_object_key(env, k)),
				bl_object_value(env, k));
	}
	if (builder.count == 0 && !builder.failed)
		return;
	c->decision.env = bl_object_builder_end(&builder);
	c->failed |= !bl_value_is_defined(c->decision.env);
}

/* A union in order: the paths are made the keys of an object. */
static void unite_plugin_paths(struct combining *c)
{
	struct bl_object_builder seen;
	struct bl_array_builder builder;
	struct bl_value paths;

	bl_object_builder_init(&seen, c->arena);
	for (size_t i = 0; i < c->count; i++) {
		struct bl_value list = c->outcomes[i].answer.plugin_paths;

		if (!combining_uses(c, i))
			continue;
		for (size_t k = 0; k < bl_value_count(list); k++)
			bl_object_builder_add(
				&seen, bl_value_text(bl_value_item(list, k)),
				bl_value_null());
	}
	if (seen.count == 0 && !seen.failed)
		return;
	paths = bl_object_builder_end(&seen);
	c->failed |= !bl_value_is_defined(paths);
	bl_array_builder_init(&builder, c->arena);
	for (size_t i = 0; i < bl_value_count(paths); i++)
		bl_array_builder_add(&builder, bl_object_key(paths, i));
	c->decision.plugin_paths = end_array(c, &builder);
}

/* ---- inputs that merge ------------------------------------------------------ */

enum { MAX_MERGE_DEPTH = 100 };

/* The members of both objects, deep; where both have one, strong's. */
static struct bl_value merge(struct bl_arena *arena, struct bl_value strong,
			     struct bl_value weak)
{
	static const struct bl_merge way = { BL_MERGE_FIRST | BL_MERGE_WHOLE,
					     MAX_MERGE_DEPTH };
	struct bl_value made = bl_value_undefined();

	if (bl_value_is_defined(strong))
		(void)bl_value_merge(arena, strong, weak, way, &made);
	return made;
}

struct bl_value bl_decision_merge_input(struct bl_arena *arena,
					struct bl_value input,
					struct bl_value update)
{
	return merge(arena, update, input);
}

/* Also of outcomes that did not make the verdict: the record shows it. */
static void merge_inputs(struct combining *c)
{
	struct outcome_group group = { .items = NULL };
	struct bl_value merged = bl_value_undefined();

	if (!combining_group(c, BL_VERB_MODIFY, &group))
		return;
	combining_sort(&group);
	for (size_t i = 0; i < group.count; i++) {
		struct bl_value own = group.items[i]->answer.updated_input;

		merged = i ? merge(c->arena, merged, own) : own;
	}
	c->decision.updated_input = merged;
	c->failed |= bl_arena_status(c->arena) != BL_OK;
}

void combining_fields(struct combining *c)
{
	take_single(c);
	if (c->rules->update == BL_UPDATE_MERGE)
		merge_inputs(c);
	if (c->rules->wording != BL_WORDING_BY_SEVERITY)
		collect_contexts(c);
	merge_env(c);
	unite_plugin_paths(c);
	if (bl_value_is_defined(c->decision.updated_input) &&
	    c->decision.verdict < BL_VERDICT_ASK)
		c->decision.attributes |= BL_REWRITES;
	if (bl_value_count(c->decision.additional_context))
		c->decision.attributes |= BL_CONTEXT;
}
