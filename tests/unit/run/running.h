/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks made by hand, run by the executor. */
#ifndef BELAY_TESTS_EXECUTOR_RUNNING_H
#define BELAY_TESTS_EXECUTOR_RUNNING_H

#include "../trust/place.h"
#include "decision/decision.h"
#include "run/run.h"
#include "json/json.h"

enum { MAX_HOOKS = 256 };

static struct bl_hook_file hook_file;
static struct bl_hook hooks[MAX_HOOKS];
static struct bl_execution runs[MAX_HOOKS];
static size_t hook_count;
static struct bl_execution_context context;

static inline const struct bl_hook_event *
step_of(const struct bl_profile *profile, const char *name)
{
	return bl_contract_find(bl_contract_get(profile->dialect),
				bl_str(name));
}

/* An empty place, no hooks, and the event that they will be for. */
static inline void new_event(const char *profile, const char *hook_event)
{
	place_empty();
	hook_count = 0;
	memset(hooks, 0, sizeof(hooks));
	memset(runs, 0, sizeof(runs));
	hook_file = (struct bl_hook_file){
		.source = BL_SOURCE_USER,
		.state = BL_HOOK_FILE_LOADED,
		.path = at("hooks.json"),
		.dir = bl_str(place),
	};
	context = (struct bl_execution_context){
		.profile = bl_profile_find(bl_str(profile)),
		.payload = BL_STR("{\"command\":\"ls\"}"),
	};
	context.hook_event = step_of(context.profile, hook_event);
	bl_json_read(&arena, context.payload, NULL, &context.payload_value,
		     NULL, NULL, NULL);
}

static inline struct bl_hook *add_hook(const char *command, bool fail_closed)
{
	struct bl_hook *hook = &hooks[hook_count];

	*hook = (struct bl_hook){
		.file = &hook_file,
		.hook_event = context.hook_event,
		.command = bl_arena_copy_str(&arena, bl_str(command)),
		.timeout_ms = 20000,
		.fail_closed = fail_closed,
	};
	runs[hook_count++].hook = hook;
	return hook;
}

static inline enum bl_status run_all(void)
{
	return bl_executor_run(&context, runs, hook_count, &arena, &error);
}

/* One hook alone: its outcome. */
static inline enum bl_outcome_kind run_one(const char *command)
{
	hook_count = 0;
	add_hook(command, false);
	if (run_all() != BL_OK)
		return BL_OUTCOME_COUNT;
	return runs[0].outcome.kind;
}

/* The verdict that one outcome comes to on its own. */
static inline enum bl_verdict verdict_of(const struct bl_execution *run)
{
	struct bl_decision decision = { .verdict = BL_VERDICT_COUNT };

	bl_decision_combine(&context.profile->combine,
			    context.hook_event->class,
			    context.hook_event->can_ask, &run->outcome, 1,
			    &arena, &decision, NULL);
	return decision.verdict;
}

static inline bool has(struct bl_str text, const char *part)
{
	return bl_str_find(text, bl_str(part), 0) != SIZE_MAX;
}

#endif
