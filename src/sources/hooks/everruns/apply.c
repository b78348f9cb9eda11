/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The effect of each outcome at each event (docs/contracts/everruns.md "Outcomes"),
 * as a table.
 */
#include "sources/hooks/everruns/private.h"

static const char *const names[BL_EVERRUNS_EFFECT_COUNT] = {
	[BL_EVERRUNS_NOTHING] = "nothing", [BL_EVERRUNS_REWROTE] = "rewrote",
	[BL_EVERRUNS_ENDED] = "blocked",   [BL_EVERRUNS_WARNED] = "warned",
	[BL_EVERRUNS_IGNORED] = "ignored", [BL_EVERRUNS_MARKED] = "error",
};

const char *bl_everruns_effect_name(enum bl_everruns_effect effect)
{
	return names[effect];
}

/* Applies a patch to data; true when a part of it counted. */
typedef bool mutate_fn(struct bl_arena *arena, struct bl_value patch,
		       struct bl_value *data);

static struct bl_value part(struct bl_value patch, const char *key)
{
	return bl_object_find(patch, bl_str(key));
}

/* Shallow: what is nested is replaced whole. */
static bool mutate_arguments(struct bl_arena *arena, struct bl_value patch,
			     struct bl_value *data)
{
	struct bl_value given = part(patch, "arguments");
	struct bl_value held = part(*data, "arguments");
	struct bl_object_builder builder;

	if (!bl_value_is(given, BL_KIND_OBJECT))
		return false;
	bl_object_builder_init(&builder, arena);
	for (size_t i = 0;
	     bl_value_is(held, BL_KIND_OBJECT) && i < bl_value_count(held); i++)
		bl_object_builder_add(&builder,
				      bl_value_text(bl_object_key(held, i)),
				      bl_object_value(held, i));
	for (size_t i = 0; i < bl_value_count(given); i++)
		bl_object_builder_add(&builder,
				      bl_value_text(bl_object_key(given, i)),
				      bl_object_value(given, i));
	*data = bl_everruns_with(arena, *data, "arguments",
				 bl_object_builder_end(&builder));
	return true;
}

static bool mutate_message(struct bl_arena *arena, struct bl_value patch,
			   struct bl_value *data)
{
	struct bl_value given = part(patch, "message");

	if (!bl_value_is(given, BL_KIND_STRING))
		return false;
	*data = bl_everruns_with(arena, *data, "message", given);
	return true;
}

static void set_error(struct bl_arena *arena, struct bl_value text,
		      struct bl_value *data)
{
	*data = bl_everruns_with(arena, *data, "error", text);
	*data = bl_everruns_with(arena, *data, "success",
				 bl_value_boolean(false));
}

/* The result with a context for the model beside it. */
static struct bl_value add_context(struct bl_arena *arena,
				   struct bl_value result,
				   struct bl_value context)
{
	struct bl_object_builder builder;

	if (bl_value_is(result, BL_KIND_OBJECT))
		return bl_everruns_with(arena, result, "hook_context", context);
	bl_object_builder_init(&builder, arena);
	bl_object_builder_add(&builder, BL_STR("value"), result);
	bl_object_builder_add(&builder, BL_STR("hook_context"), context);
	return bl_object_builder_end(&builder);
}

static bool mutate_result(struct bl_arena *arena, struct bl_value patch,
			  struct bl_value *data)
{
	struct bl_value result = part(patch, "result");
	struct bl_value error = part(patch, "error");
	struct bl_value context = part(patch, "additional_context");
	bool counts = false;

	if (bl_value_is_defined(result)) {
		*data = bl_everruns_with(arena, *data, "result", result);
		counts = true;
	}
	if (bl_value_is(error, BL_KIND_STRING)) {
		set_error(arena, error, data);
		counts = true;
	}
	if (bl_value_is(context, BL_KIND_STRING)) {
		result = add_context(arena, part(*data, "result"), context);
		*data = bl_everruns_with(arena, *data, "result", result);
		counts = true;
	}
	return counts;
}

/* NULL: nothing can be rewritten. */
static mutate_fn *const mutators[BL_EVERRUNS_EVENT_COUNT] = {
	[BL_EVERRUNS_USER_PROMPT_SUBMIT] = mutate_message,
	[BL_EVERRUNS_PRE_TOOL_USE] = mutate_arguments,
	[BL_EVERRUNS_POST_TOOL_USE] = mutate_result,
};

struct chain {
	struct bl_everruns_chain *reply;
	struct bl_everruns_execution *execution;
	struct bl_arena *arena;
	struct bl_array_builder *notices;
};

static void allow(struct chain *chain)
{
	chain->execution->effect = BL_EVERRUNS_NOTHING;
}

/* It said what does not count here. */
static void ignore(struct chain *chain, const char *why)
{
	const struct bl_everruns_execution *execution = chain->execution;

	chain->execution->effect = BL_EVERRUNS_IGNORED;
	bl_everruns_note(chain->notices, "hook %.*s: its %s does not count: %s",
			 BL_STR_ARG(execution->id),
			 bl_everruns_outcome_name(execution->run.outcome.kind),
			 why);
}

static void mutate(struct chain *chain)
{
	const struct bl_everruns_execution *execution = chain->execution;
	struct bl_everruns_event_facts *facts = &chain->reply->facts;
	mutate_fn *change = mutators[facts->event];

	if (!change)
		ignore(chain, "nothing can be rewritten at this event");
	else if (execution->hook->is_gate)
		ignore(chain, "it is a policy gate");
	else if (!change(chain->arena, execution->run.outcome.patch,
			 &facts->data))
		ignore(chain, "the patch holds nothing that can be rewritten");
	else
		chain->execution->effect = BL_EVERRUNS_REWROTE;
}

static void end_chain(struct chain *chain, struct bl_str reason,
		      struct bl_str user_message)
{
	struct bl_everruns_chain *reply = chain->reply;

	chain->execution->effect = BL_EVERRUNS_ENDED;
	reply->is_blocked = true;
	reply->blocked_by = chain->execution->id;
	reply->reason = reason;
	if (!reply->rules->drops_user_message ||
	    reply->facts.event != BL_EVERRUNS_PRE_TOOL_USE)
		reply->user_message = user_message;
}

static void block(struct chain *chain)
{
	const struct bl_everruns_outcome *outcome =
		&chain->execution->run.outcome;

	if (bl_everruns_event_can_block(chain->reply->facts.event))
		end_chain(chain, outcome->reason, outcome->user_message);
	else
		ignore(chain, "this event cannot be blocked");
}

/* on_error "block": what that comes to depends on the event. */
static void fail_closed(struct chain *chain)
{
	const struct bl_everruns_execution *execution = chain->execution;
	struct bl_everruns_event_facts *facts = &chain->reply->facts;
	struct bl_str why = execution->run.outcome.reason;

	if (bl_everruns_event_can_block(facts->event)) {
		end_chain(chain,
			  bl_arena_printf(
				  chain->arena, "hook %.*s errored: %.*s",
				  BL_STR_ARG(execution->id), BL_STR_ARG(why)),
			  (struct bl_str){ NULL, 0 });
	} else if (facts->event == BL_EVERRUNS_POST_TOOL_USE) {
		chain->execution->effect = BL_EVERRUNS_MARKED;
		set_error(chain->arena,
			  bl_value_printf(chain->arena, "hook %.*s: %.*s",
					  BL_STR_ARG(execution->id),
					  BL_STR_ARG(why)),
			  &facts->data);
	} else {
		chain->execution->effect = BL_EVERRUNS_WARNED;
	}
}

static void fail(struct chain *chain)
{
	const struct bl_everruns_execution *execution = chain->execution;

	switch (execution->hook->on_error) {
	case BL_EVERRUNS_BLOCK:
		fail_closed(chain);
		break;
	case BL_EVERRUNS_ALLOW:
		chain->execution->effect = BL_EVERRUNS_NOTHING;
		break;
	case BL_EVERRUNS_WARN:
	case BL_EVERRUNS_ON_ERROR_COUNT:
		chain->execution->effect = BL_EVERRUNS_WARNED;
		break;
	}
	if (chain->execution->effect == BL_EVERRUNS_WARNED)
		bl_everruns_note(chain->notices, "hook %.*s: %.*s",
				 BL_STR_ARG(execution->id),
				 BL_STR_ARG(execution->run.outcome.reason));
}

static void (*const appliers[BL_EVERRUNS_OUTCOME_COUNT])(struct chain *) = {
	[BL_EVERRUNS_ALLOWED] = allow,
	[BL_EVERRUNS_MUTATED] = mutate,
	[BL_EVERRUNS_BLOCKED] = block,
	[BL_EVERRUNS_FAILED] = fail,
};

void bl_everruns_apply(struct bl_everruns_chain *reply,
		       struct bl_everruns_execution *execution,
		       struct bl_arena *arena, struct bl_array_builder *notices)
{
	struct chain chain = { reply, execution, arena, notices };

	appliers[execution->run.outcome.kind](&chain);
}
