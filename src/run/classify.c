/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Classifies how a child ended: an outcome with its reason
 * (docs/contracts/cursor.md "Failures", "Refusal texts").
 */
#include "run/private.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "base/utf8.h"

/* ---- text --------------------------------------------------------------- */

struct bl_str bl_executor_clean(struct bl_arena *arena, struct bl_str text)
{
	size_t at = bl_utf8_valid_prefix(text);
	size_t len = at;
	size_t room;
	char *clean;

	if (at == text.len)
		return text.ptr ? text : BL_STR("");
	if (!bl_mul_size(text.len, 3, &room))
		return (struct bl_str){ NULL, 0 };
	clean = bl_arena_alloc_aligned(arena, room, 1);
	if (!clean)
		return (struct bl_str){ NULL, 0 };
	memcpy(clean, text.ptr, at);
	while (at < text.len) {
		struct bl_str rest = bl_str_slice(text, at + 1, text.len);
		size_t good = bl_utf8_valid_prefix(rest);

		len += bl_utf8_encode(BL_REPLACEMENT_CHAR, clean + len);
		memcpy(clean + len, rest.ptr, good);
		len += good;
		at += 1 + good;
	}
	return (struct bl_str){ clean, len };
}

static const struct {
	int number;
	const char *name;
} signals[] = {
	{ SIGHUP, "SIGHUP" },   { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },
	{ SIGILL, "SIGILL" },   { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
	{ SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" },   { SIGKILL, "SIGKILL" },
	{ SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
	{ SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
	{ SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" }, { SIGSYS, "SIGSYS" },
};

static const char *signal_name(int number)
{
	for (size_t i = 0; i < BL_COUNT(signals); i++) {
		if (signals[i].number == number)
			return signals[i].name;
	}
	return "signal";
}

/* ": " and what it said on standard error, or nothing. */
static struct bl_str with_errors(struct bl_arena *arena, struct bl_str errors,
				 const char *what)
{
	errors = bl_str_trim(errors);
	if (errors.len == 0)
		return bl_arena_copy_str(arena, bl_str(what));
	return bl_arena_printf(arena, "%s: %.*s", what, BL_STR_ARG(errors));
}

/* ---- one function for each way to end ----------------------------------- */

typedef struct bl_str say(struct bl_arena *arena,
			  const struct bl_child_result *child,
			  struct bl_str errors);

static struct bl_str say_exit(struct bl_arena *arena,
			      const struct bl_child_result *child,
			      struct bl_str errors)
{
	char what[64];

	snprintf(what, sizeof(what), "failed with exit code %d", child->code);
	return with_errors(arena, errors, what);
}

static struct bl_str say_shell(struct bl_arena *arena,
			       const struct bl_child_result *child,
			       struct bl_str errors)
{
	char what[80];

	snprintf(what, sizeof(what), "could not be started (exit code %d, %s)",
		 child->code,
		 child->code == 126 ? "not executable" : "not found");
	return with_errors(arena, errors, what);
}

static struct bl_str say_signal(struct bl_arena *arena,
				const struct bl_child_result *child,
				struct bl_str errors)
{
	char what[80];

	snprintf(what, sizeof(what),
		 "execution failed: ended by signal %d (%s)", child->code,
		 signal_name(child->code));
	return with_errors(arena, errors, what);
}

static struct bl_str say_too_much(struct bl_arena *arena,
				  const struct bl_child_result *child,
				  struct bl_str errors)
{
	(void)errors;
	return bl_arena_printf(arena,
			       "printed too much and was killed (after %zu "
			       "bytes)",
			       child->output.len);
}

static struct bl_str say_stopped(struct bl_arena *arena,
				 const struct bl_child_result *child,
				 struct bl_str errors)
{
	(void)errors;
	return bl_arena_printf(arena, child->code == BL_STOP_CANCELLED
					      ? "was stopped: the action was "
						"cancelled"
					      : "was stopped: the time for "
						"the decision was up");
}

static struct bl_str say_start(struct bl_arena *arena,
			       const struct bl_child_result *child,
			       struct bl_str errors)
{
	(void)errors;
	return bl_arena_printf(arena, "could not be started (%s): %s",
			       child->stage ? child->stage : "start",
			       strerror(child->code));
}

static struct bl_str say_unreadable(struct bl_arena *arena,
				    const struct bl_child_result *child,
				    struct bl_str errors)
{
	(void)errors;
	return bl_arena_printf(arena,
			       "execution failed: its output could not be read "
			       "to the end: %s",
			       strerror(child->code));
}

/* Exit codes with a meaning of their own; EXITED with another is the last. */
static const struct {
	enum bl_child_end end;
	int code; /* ANY_CODE */
	enum bl_outcome_kind kind;
	say *say; /* NULL: the output says it */
} ends[] = {
#define ANY_CODE (-1)
	{ BL_CHILD_EXITED, 0, BL_OUTCOME_ANSWERED, NULL },
	{ BL_CHILD_EXITED, 2, BL_OUTCOME_EXIT_2, say_exit },
	{ BL_CHILD_EXITED, 126, BL_OUTCOME_CANNOT_START, say_shell },
	{ BL_CHILD_EXITED, 127, BL_OUTCOME_CANNOT_START, say_shell },
	{ BL_CHILD_EXITED, ANY_CODE, BL_OUTCOME_EXIT_CODE, say_exit },
	{ BL_CHILD_SIGNALLED, ANY_CODE, BL_OUTCOME_SIGNAL, say_signal },
	{ BL_CHILD_TIMED_OUT, ANY_CODE, BL_OUTCOME_TIMEOUT, NULL },
	{ BL_CHILD_TOO_MUCH, ANY_CODE, BL_OUTCOME_TOO_MUCH_OUTPUT,
	  say_too_much },
	{ BL_CHILD_UNREADABLE, ANY_CODE, BL_OUTCOME_UNREADABLE,
	  say_unreadable },
	{ BL_CHILD_CANNOT_START, ANY_CODE, BL_OUTCOME_CANNOT_START, say_start },
	{ BL_CHILD_STOPPED, BL_STOP_CANCELLED, BL_OUTCOME_CANCELLED,
	  say_stopped },
	{ BL_CHILD_STOPPED, BL_STOP_DEADLINE, BL_OUTCOME_DEADLINE,
	  say_stopped },
};

static size_t find_end(const struct bl_child_result *child)
{
	size_t i = 0;

	while (ends[i].end != child->end ||
	       (ends[i].code != ANY_CODE && ends[i].code != child->code))
		i++;
	return i;
}

/*
 * The system had not what a child needs, be it only to run /bin/sh: that is not
 * the hook's fault.  An agent can bring it about, by limits that it sets on its
 * host.
 */
static bool lacks_resources(const struct bl_child_result *child)
{
	static const char *const stages[] = { "pipe", "fork", "setup", "exec" };
	static const int errors[] = { ENOMEM, EAGAIN, EMFILE, ENFILE, EIO };

	if (child->end != BL_CHILD_CANNOT_START)
		return false;
	for (size_t i = 0; i < BL_COUNT(stages); i++)
		if (child->stage && !strcmp(child->stage, stages[i]))
			return true;
	for (size_t i = 0; i < BL_COUNT(errors); i++)
		if (child->code == errors[i])
			return true;
	return false;
}

/* A folder that is not there is named, since the shell was not the one. */
static struct bl_str say_folder(struct bl_arena *arena,
				const struct bl_execution *execution)
{
	return bl_arena_printf(arena,
			       "could not be started: its working folder "
			       "%.*s: %s",
			       BL_STR_ARG(execution->hook->file->dir),
			       strerror(execution->child.code));
}

static struct bl_str say_timeout(struct bl_arena *arena,
				 const struct bl_execution *execution)
{
	return bl_arena_printf(arena,
			       "execution failed: the hook timed out after %u "
			       "ms",
			       (unsigned)execution->hook->timeout_ms);
}

static struct bl_str say_end(const struct bl_execution *execution, size_t end,
			     struct bl_arena *arena)
{
	const struct bl_child_result *child = &execution->child;

	if (child->end == BL_CHILD_TIMED_OUT)
		return say_timeout(arena, execution);
	if (child->end == BL_CHILD_CANNOT_START && child->stage &&
	    !strcmp(child->stage, "chdir"))
		return say_folder(arena, execution);
	return ends[end].say(arena, child, child->errors);
}

/*
 * The shell says "not found" of a script that is there when the program that
 * is to read it is not.
 */
static void find_interpreter(struct bl_execution *execution,
			     struct bl_arena *arena)
{
	struct bl_script_fault fault =
		bl_hook_check_start(execution->hook, arena);

	if (!fault.of_interpreter || !fault.text.ptr)
		return;
	execution->outcome.kind = BL_OUTCOME_NO_INTERPRETER;
	execution->outcome.reason =
		bl_arena_printf(arena,
				"could not be started (exit code %d): "
				"%.*s",
				execution->child.code, BL_STR_ARG(fault.text));
}

/* ---- classifying -------------------------------------------------------- */

static bool output_counts(const struct bl_execution_context *context,
			  const struct bl_child_result *child)
{
	if (child->end == BL_CHILD_EXITED && child->code == 0)
		return true;
	return context->profile->failure_output_counts &&
	       (child->end == BL_CHILD_EXITED ||
		child->end == BL_CHILD_SIGNALLED);
}

enum bl_status bl_executor_classify(const struct bl_execution_context *context,
				    struct bl_execution *execution,
				    struct bl_arena *arena,
				    struct bl_error *err)
{
	struct bl_outcome *outcome = &execution->outcome;
	size_t end = find_end(&execution->child);

	execution->child.errors =
		bl_executor_clean(arena, execution->child.errors);
	if (!execution->child.errors.ptr)
		return bl_arena_fail(arena, err);
	if (output_counts(context, &execution->child)) {
		enum bl_status status = bl_executor_read_answer(
			context->profile, context->hook_event,
			execution->child.output, arena, outcome,
			&execution->response, err);

		if (status != BL_OK || outcome->kind == BL_OUTCOME_ANSWERED)
			return status;
	}
	/* A failure stays one, whatever was wrong with its output. */
	if (ends[end].kind != BL_OUTCOME_ANSWERED &&
	    outcome->kind != BL_OUTCOME_AMBIGUOUS) {
		outcome->kind = ends[end].kind;
		if (lacks_resources(&execution->child))
			outcome->kind = BL_OUTCOME_NO_RESOURCES;
		outcome->reason = say_end(execution, end, arena);
		if (outcome->kind == BL_OUTCOME_CANNOT_START &&
		    execution->child.end == BL_CHILD_EXITED)
			find_interpreter(execution, arena);
		if (outcome->reason.ptr && execution->child.has_leftovers)
			outcome->reason = bl_arena_printf(
				arena,
				"%.*s; processes that it started may still be "
				"running",
				BL_STR_ARG(outcome->reason));
		if (!outcome->reason.ptr)
			return bl_arena_fail(arena, err);
	}
	return bl_executor_word(context, execution, arena, err);
}

/* ---- wording ------------------------------------------------------------ */

static enum bl_effect effect_of(const struct bl_execution_context *context,
				const struct bl_outcome *outcome, bool closed)
{
	const struct bl_outcome_rule *rule =
		&context->profile->combine.outcome[outcome->kind];

	return (enum bl_effect)(
		closed ? rule->fail_closed
		       : rule->effect)[context->hook_event->class];
}

/* Why the hook's failure refuses the action, when it does. */
static const char *explain(const struct bl_execution_context *context,
			   const struct bl_outcome *outcome)
{
	if (effect_of(context, outcome, false) == BL_EFFECT_DENY)
		return "Blocked for safety: hook ";
	if (outcome->fail_closed &&
	    effect_of(context, outcome, true) == BL_EFFECT_DENY)
		return "Hook is configured to fail closed: ";
	return "Hook ";
}

enum { SHOWN_COMMAND_BYTES = 200 };

enum bl_status bl_executor_word(const struct bl_execution_context *context,
				struct bl_execution *execution,
				struct bl_arena *arena, struct bl_error *err)
{
	struct bl_outcome *outcome = &execution->outcome;
	struct bl_str command = execution->hook->command;
	size_t shown = command.len;

	if (outcome->kind == BL_OUTCOME_EXIT_2 &&
	    context->profile->exit_2_blocks) {
		struct bl_str errors = bl_str_trim(execution->child.errors);

		outcome->reason = bl_arena_printf(arena,
						  "Hook blocked with message: "
						  "%.*s",
						  BL_STR_ARG(errors));
	} else {
		if (shown > SHOWN_COMMAND_BYTES)
			shown = bl_utf8_valid_prefix(
				bl_str_slice(command, 0, SHOWN_COMMAND_BYTES));
		outcome->reason = bl_arena_printf(
			arena, "%s\"%.*s%s\" %.*s", explain(context, outcome),
			(int)shown, command.ptr,
			shown < command.len ? "..." : "",
			BL_STR_ARG(outcome->reason));
	}
	return outcome->reason.ptr ? BL_OK : bl_arena_fail(arena, err);
}
