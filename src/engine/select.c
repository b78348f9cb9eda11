/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which hooks an event has to do with, and the outcomes of those that are not
 * run.
 */
#include "engine/private.h"

/* By enum bl_match: is it run, else its outcome */
static const struct {
	bool runs;
	bool counts; /* else it is left out */
	enum bl_outcome_kind outcome;
} matches[BL_MATCH_COUNT] = {
	[BL_MATCH_RUNS] = { true, true, BL_OUTCOME_SKIPPED },
	[BL_MATCH_RUNS_LIMIT] = { true, true, BL_OUTCOME_SKIPPED },
	[BL_MATCH_OTHER_EVENT] = { false, false, BL_OUTCOME_SKIPPED },
	[BL_MATCH_NO_MATCH] = { false, false, BL_OUTCOME_SKIPPED },
	[BL_MATCH_LOOP_LIMIT] = { false, true, BL_OUTCOME_LOOP_LIMIT },
	[BL_MATCH_PROMPT] = { false, true, BL_OUTCOME_NOT_SUPPORTED },
	[BL_MATCH_UNTRUSTED] = { false, true, BL_OUTCOME_UNTRUSTED },
	[BL_MATCH_CHANGED] = { false, true, BL_OUTCOME_CHANGED },
	[BL_MATCH_NEEDS_TOOLS] = { false, true, BL_OUTCOME_SKIPPED },
};

bool bl_engine_match_runs(enum bl_match match)
{
	return matches[match].runs;
}

/* ---- reasons ------------------------------------------------------------ */

static struct bl_str say_untrusted(struct bl_event *event,
				   const struct bl_hook *hook)
{
	if (hook->file->team)
		return bl_arena_printf(
			event->arena, "Hook \"%.*s\" was not run: %.*s",
			BL_STR_ARG(hook->command), BL_STR_ARG(hook->file->why));
	return bl_arena_printf(event->arena,
			       "Hook \"%.*s\" was not run: the workspace is "
			       "not trusted. To trust it: belay trust add %.*s",
			       BL_STR_ARG(hook->command),
			       BL_STR_ARG(hook->file->workspace));
}

static struct bl_str say_changed(struct bl_event *event,
				 const struct bl_hook *hook)
{
	const struct bl_hook_file *file = hook->file;

	if (file->team)
		return bl_arena_printf(event->arena,
				       "Hooks of the team were not run: %.*s",
				       BL_STR_ARG(file->why));
	return bl_arena_printf(event->arena,
			       "Hooks of %.*s were not run: %.*s. Look at "
			       "them, then: belay trust add %.*s",
			       BL_STR_ARG(file->path), BL_STR_ARG(file->why),
			       BL_STR_ARG(file->workspace));
}

static struct bl_str say_broken(struct bl_event *event,
				const struct bl_hook *hook)
{
	const struct bl_hook_file *file = hook->file;

	return bl_arena_printf(event->arena, "%s: %.*s: %.*s",
			       bl_source_is_managed(file->source)
				       ? "The hooks that this system requires "
					 "cannot be used"
				       : "A hook that fails closed cannot be "
					 "used",
			       BL_STR_ARG(file->path), BL_STR_ARG(file->why));
}

static struct bl_str loop_count(struct bl_event *event)
{
	struct bl_buf buf;
	struct bl_str text;

	bl_buf_init(&buf, 0);
	bl_number_put(&buf,
		      bl_object_find(event->payload, BL_STR("loop_count")));
	text = bl_arena_copy_str(event->arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return text;
}

/* The words of 2.3.41, whose limit is before all hooks, are interface. */
static struct bl_str say_loop_limit(struct bl_event *event,
				    const struct bl_hook *hook)
{
	struct bl_str count = loop_count(event);

	if (event->profile->loop_limit_is_global)
		return bl_arena_printf(event->arena,
				       "Stop hook auto-loop limit reached "
				       "(loop_count=%.*s). Skipping stop hooks",
				       BL_STR_ARG(count));
	return bl_arena_printf(event->arena,
			       "Hook \"%.*s\" was not run: loop_count %.*s has "
			       "reached its limit of %u",
			       BL_STR_ARG(hook->command), BL_STR_ARG(count),
			       (unsigned)hook->loop_limit);
}

static struct bl_str say_prompt(struct bl_event *event,
				const struct bl_hook *hook)
{
	(void)hook;
	return bl_arena_printf(event->arena,
			       "A prompt hook was not run: prompt hooks need a "
			       "model, which belay does not have");
}

typedef struct bl_str say(struct bl_event *event, const struct bl_hook *hook);

static say *const reasons[BL_OUTCOME_COUNT] = {
	[BL_OUTCOME_UNTRUSTED] = say_untrusted,
	[BL_OUTCOME_CHANGED] = say_changed,
	[BL_OUTCOME_CHANGED_FILE] = say_changed,
	[BL_OUTCOME_BROKEN_SOURCE] = say_broken,
	[BL_OUTCOME_LOOP_LIMIT] = say_loop_limit,
	[BL_OUTCOME_NOT_SUPPORTED] = say_prompt,
};

/* ---- the list ----------------------------------------------------------- */

static struct bl_reply_execution *add(struct bl_event *event,
				      const struct bl_hook *hook,
				      enum bl_match match,
				      enum bl_outcome_kind kind)
{
	struct bl_reply *reply = event->reply;
	struct bl_reply_execution *execution =
		&reply->executions[reply->execution_count++];

	execution->hook = hook;
	execution->match = match;
	execution->outcome.kind = kind;
	execution->outcome.fail_closed = hook->fail_closed;
	if (reasons[kind])
		execution->outcome.reason = reasons[kind](event, hook);
	return execution;
}

/* The file as a whole: a hook that stands for all that it may have had. */
static enum bl_status add_file(struct bl_event *event,
			       const struct bl_hook_file *file,
			       struct bl_error *err)
{
	bool changed = file->state == BL_HOOK_FILE_CHANGED;
	struct bl_hook *hook = bl_arena_new(event->arena, struct bl_hook);

	if (!hook)
		return bl_arena_fail(event->arena, err);
	hook->file = file;
	hook->hook_event = event->hook_event;
	add(event, hook, changed ? BL_MATCH_CHANGED : BL_MATCH_RUNS,
	    changed ? BL_OUTCOME_CHANGED_FILE : BL_OUTCOME_BROKEN_SOURCE);
	return BL_OK;
}

static enum bl_status add_hook(struct bl_event *event,
			       const struct bl_hook *hook, struct bl_error *err)
{
	enum bl_match match = bl_hook_match(event->set, hook, event->hook_event,
					    event->payload, event->arena);

	if (match == BL_MATCH_NEEDS_TOOLS)
		return bl_fail(err, BL_UNSUPPORTED,
			       "hook \"%.*s\" needs belay-tools",
			       BL_STR_ARG(hook->command));
	if (matches[match].counts)
		add(event, hook, match, matches[match].outcome);
	return BL_OK;
}

enum bl_status bl_event_select(struct bl_event *event, struct bl_error *err)
{
	const struct bl_hook_set *set = event->set;
	enum bl_status status = BL_OK;
	size_t next = 0;

	event->reply->executions =
		bl_arena_new_array(event->arena, struct bl_reply_execution,
				   set->hook_count + set->file_count);
	if (!event->reply->executions)
		return bl_arena_fail(event->arena, err);
	/* Hooks are in the order of the files. */
	for (size_t i = 0; status == BL_OK && i < set->file_count; i++) {
		const struct bl_hook_file *file = &set->files[i];
		size_t before = event->reply->execution_count;

		for (; status == BL_OK && next < set->hook_count &&
		       set->hooks[next].file == file;
		     next++)
			status = add_hook(event, &set->hooks[next], err);
		if (status == BL_OK &&
		    event->hook_event->class != BL_CLASS_OBSERVE &&
		    (before == event->reply->execution_count
			     ? bl_file_fails_closed(set, file,
						    event->hook_event)
			     : bl_hook_lost_guard(file, set->contract,
						  event->hook_event)))
			status = add_file(event, file, err);
	}
	if (status == BL_OK)
		status = bl_arena_status(event->arena) == BL_OK
				 ? BL_OK
				 : bl_arena_fail(event->arena, err);
	return status;
}
