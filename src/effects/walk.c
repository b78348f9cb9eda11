/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/walk.c: the walk over the tree: lists, chains and pipelines.  The commands
 * inside of compound ones are compound.c's matter.
 *
 * Where ways part, the state is copied, and where they meet, joined.  A command
 * that may succeed or fail leaves two states, so that in `cd x && a; b` a runs
 * in x, and b in x or where it was:
 *
 *   cd x     S: in x            F: as before
 *   && a     runs from S        F stays
 *   ; b      S and F joined: the folder is x or the old one
 */
#include "effects/private.h"

/* ---- other texts ------------------------------------------------------------ */

bool effects_enter(struct effects_walk *walk, struct bl_str source,
		   bool has_marks, struct bl_shell_span span,
		   struct effects_nesting *saved)
{
	if (walk->depth >= walk->limits.depth) {
		effects_too_deep(walk, span);
		return false;
	}
	*saved = (struct effects_nesting){ walk->source, walk->span,
					   walk->is_nested, walk->has_marks };
	walk->depth++;
	walk->span = effects_span(walk, span);
	walk->is_nested = true;
	walk->source = source;
	walk->has_marks = has_marks;
	return true;
}

void effects_leave(struct effects_walk *walk,
		   const struct effects_nesting *saved)
{
	walk->depth--;
	walk->source = saved->source;
	walk->span = saved->span;
	walk->is_nested = saved->is_nested;
	walk->has_marks = saved->has_marks;
}

void effects_wrap(struct effects_walk *walk, struct bl_str name)
{
	struct effects_wrapper *wrapper =
		bl_arena_new(walk->arena, struct effects_wrapper);

	if (!wrapper)
		return;
	*wrapper = (struct effects_wrapper){ walk->wrapper, name };
	walk->wrapper = wrapper;
	walk->wrapper_count++;
}

void effects_unwrap(struct effects_walk *walk)
{
	if (!walk->wrapper_count)
		return;
	walk->wrapper = walk->wrapper->outer;
	walk->wrapper_count--;
}

/* The text for the parser: the 0 of a hole is 1, a glob is itself again. */
static struct bl_str as_source(struct effects_walk *walk,
			       struct effects_text text)
{
	char *bytes = bl_arena_alloc_aligned(walk->arena, text.len + 1, 1);
	size_t len = 0;

	if (!bytes)
		return (struct bl_str){ NULL, 0 };
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] || i + 1 == text.len)
			bytes[len++] = text.ptr[i];
		else if ((unsigned char)text.ptr[i + 1] >= EFFECTS_HOLE)
			bytes[len++] = 1;
	}
	return (struct bl_str){ bytes, len };
}

/* Is there nothing in the text but what is not known? */
static bool is_unknown(struct effects_text text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!text.ptr[i])
			i++;
		else if (text.ptr[i] != ' ' && text.ptr[i] != '\n')
			return false;
	}
	return true;
}

/* The unknown parts of a text that a shell runs. */
static void mark_code(struct effects_walk *walk, struct effects_text text,
		      struct bl_shell_span span)
{
	size_t known = effects_known_prefix(text);
	struct bl_str head =
		bl_str_trim(bl_str_slice(effects_str(text), 0, known));
	struct bl_fact_effect effect = { .kind = BL_FACT_EXECUTE,
					 .action = BL_STR("shell"),
					 .span = span };
	struct bl_fact_text fact = effects_fact_text(walk, text);

	effects_mark_cut(walk, text, span);
	if (known < text.len)
		effects_opaque(walk,
			       head.len ? BL_FACT_OPAQUE_PARTLY
					: BL_FACT_OPAQUE_CODE,
			       text, span);
	if (!fact.origins)
		return;
	effect.origins = fact.origins;
	effects_add(walk, &effect);
}

void effects_run_text(struct effects_walk *walk, struct effects_state *state,
		      struct effects_text text, bool is_child,
		      const struct effects_params *params,
		      struct bl_shell_span span)
{
	struct bl_shell_options options = { .extglob = state->has_extglob };
	struct bl_shell_script *script = NULL;
	struct effects_nesting saved;
	struct effects_state child = *state;
	struct effects_state *runs = is_child ? &child : state;
	struct effects_params before = state->params;
	bool is_known = effects_is_known(text);
	struct bl_str source;

	mark_code(walk, text, span);
	if (!text.len || is_unknown(text) ||
	    !effects_enter(walk, BL_STR(""), !is_known, span, &saved))
		return;
	source = is_known ? effects_str(text) : as_source(walk, text);
	walk->source = source;
	bl_shell_parse(walk->arena, source, &options, &script, NULL);
	if (params)
		runs->params = *params;
	if (script)
		effects_script(walk, runs, script);
	if (is_child)
		effects_run_traps(walk, runs);
	effects_settle(walk, runs);
	if (is_child)
		state->status = child.status;
	else
		state->params = before;
	effects_leave(walk, &saved);
}

/* ---- descriptors ------------------------------------------------------------ */

void effects_set_fd(struct effects_walk *walk, struct effects_state *state,
		    uint32_t number, const struct effects_fd *fd)
{
	struct effects_fds *fds = bl_arena_new(walk->arena, struct effects_fds);

	if (!fds || number >= EFFECTS_FDS)
		return;
	*fds = *state->fds;
	fds->items[number] = *fd;
	state->fds = fds;
}

static struct effects_sink *new_sink(struct effects_walk *walk)
{
	struct effects_sink *sink =
		bl_arena_new(walk->arena, struct effects_sink);

	if (!sink)
		return NULL;
	effects_builder_init(&sink->text, walk->arena,
			     walk->limits.content_bytes);
	sink->is_kept = true;
	sink->effect = UINT32_MAX;
	return sink;
}

static struct effects_text sink_text(const struct effects_sink *sink)
{
	struct effects_text text = effects_built(&sink->text);

	text.origins |= sink->sends;
	return text;
}

struct effects_text effects_capture(struct effects_walk *walk,
				    struct effects_state *state,
				    const struct bl_shell_script *script)
{
	struct effects_state child = *state;
	struct effects_sink *sink = new_sink(walk);
	struct effects_fd fd = { .sink = sink };

	if (!sink)
		return (struct effects_text){ "", 0, 0 };
	effects_set_fd(walk, &child, 1, &fd);
	child.failed = NULL;
	child.traps = NULL;
	effects_script(walk, &child, script);
	effects_settle(walk, &child);
	effects_run_traps(walk, &child);
	state->status = child.status;
	return sink_text(sink);
}

/* ---- lists and chains ------------------------------------------------------- */

void effects_settle(struct effects_walk *walk, struct effects_state *state)
{
	const struct effects_state *failed = state->failed;

	state->failed = NULL;
	if (!failed)
		return;
	if (state->stops_on_error)
		state->maybe |= EFFECTS_END_SHELL;
	else
		effects_state_merge(walk, state, failed);
}

void effects_part(struct effects_outcome *outcome,
		  const struct effects_state *state)
{
	outcome->may_succeed = state->status != EFFECTS_FAILURE;
	outcome->may_fail = state->status != EFFECTS_SUCCESS;
	outcome->success = *state;
	outcome->failure = state->failed ? *state->failed : *state;
	outcome->success.failed = NULL;
	outcome->failure.failed = NULL;
	outcome->success.status = EFFECTS_SUCCESS;
	outcome->failure.status = EFFECTS_FAILURE;
}

/* One state of the two; the failure is kept beside it. */
static void unite(struct effects_walk *walk,
		  const struct effects_outcome *outcome,
		  struct effects_state *state)
{
	struct effects_state *failed;

	*state = outcome->may_succeed ? outcome->success : outcome->failure;
	if (!outcome->may_succeed || !outcome->may_fail)
		return;
	state->status = EFFECTS_EITHER;
	failed = bl_arena_new(walk->arena, struct effects_state);
	if (!failed)
		return;
	*failed = outcome->failure;
	state->failed = failed;
}

void effects_add_way(struct effects_walk *walk, struct effects_state *into,
		     bool *has, const struct effects_state *state)
{
	if (*has)
		effects_state_merge(walk, into, state);
	else
		*into = *state;
	*has = true;
}

static void run_pipeline(struct effects_walk *walk, struct effects_state *state,
			 const struct bl_shell_pipeline *pipeline);

/* The next pipeline of a chain, from success (&&) or from failure (||). */
static void run_joined(struct effects_walk *walk, struct effects_outcome *all,
		       const struct bl_shell_pipeline *pipeline)
{
	bool is_and = pipeline->join == BL_SHELL_AND;
	bool is_maybe = walk->is_maybe;
	struct effects_state state = is_and ? all->success : all->failure;
	struct effects_outcome own;

	if (is_and ? !all->may_succeed : !all->may_fail)
		return;
	walk->is_maybe =
		is_maybe || (is_and ? all->may_fail : all->may_succeed);
	run_pipeline(walk, &state, pipeline);
	walk->is_maybe = is_maybe;
	effects_part(&own, &state);
	if (is_and) {
		all->success = own.success;
		all->may_succeed = own.may_succeed;
		if (own.may_fail)
			effects_add_way(walk, &all->failure, &all->may_fail,
					&own.failure);
	} else {
		all->failure = own.failure;
		all->may_fail = own.may_fail;
		if (own.may_succeed)
			effects_add_way(walk, &all->success, &all->may_succeed,
					&own.success);
	}
}

static void run_chain(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_chain *chain)
{
	const struct bl_shell_pipeline *pipeline = chain->pipelines;
	struct effects_outcome outcome;

	run_pipeline(walk, state, pipeline);
	if (!pipeline->next)
		return;
	effects_part(&outcome, state);
	for (pipeline = pipeline->next; pipeline; pipeline = pipeline->next)
		run_joined(walk, &outcome, pipeline);
	unite(walk, &outcome, state);
}

void effects_list(struct effects_walk *walk, struct effects_state *state,
		  const struct bl_shell_list *list)
{
	const struct bl_shell_chain *chain = list ? list->chains : NULL;

	for (; chain && !walk->is_over; chain = chain->next) {
		effects_settle(walk, state);
		if (state->ended)
			return;
		if (chain->is_background) {
			struct effects_state child = *state;

			run_chain(walk, &child, chain);
			state->status = EFFECTS_SUCCESS;
		} else {
			run_chain(walk, state, chain);
		}
	}
}

void effects_script(struct effects_walk *walk, struct effects_state *state,
		    const struct bl_shell_script *script)
{
	effects_list(walk, state, script->list);
	if (script->fault.kind == BL_SHELL_TOO_DEEP ||
	    script->fault.kind == BL_SHELL_TOO_MUCH)
		effects_opaque(walk, BL_FACT_OPAQUE_LIMIT,
			       effects_text(script->fault.message),
			       script->fault.span);
	else if (script->fault.kind != BL_SHELL_NO_FAULT)
		effects_opaque(walk, BL_FACT_OPAQUE_SYNTAX,
			       effects_text(script->fault.message),
			       script->fault.span);
	if (script->fault.kind != BL_SHELL_NO_FAULT)
		state->ended |= EFFECTS_END_SHELL;
}

/* ---- pipelines -------------------------------------------------------------- */

/* a | b | c: each in a copy of the shell, with what the one before prints. */
static void run_pipe(struct effects_walk *walk, struct effects_state *state,
		     const struct bl_shell_command *command)
{
	struct effects_fd input = state->fds->items[0];
	size_t writer = SIZE_MAX; /* the one command of the stage before */

	for (; command && !walk->is_over; command = command->next) {
		struct effects_state child = *state;
		struct effects_fd output = { .sink = NULL };
		size_t first = walk->command_count;
		bool is_one;

		child.failed = NULL;
		child.traps = NULL;
		effects_set_fd(walk, &child, 0, &input);
		if (command->next) {
			output.sink = new_sink(walk);
			if (!output.sink)
				return;
			effects_set_fd(walk, &child, 1, &output);
		}
		effects_run(walk, &child, command);
		effects_settle(walk, &child);
		effects_run_traps(walk, &child);
		state->status = child.status;
		is_one = walk->command_count == first + 1;
		if (is_one && writer != SIZE_MAX)
			effects_muffle(walk, writer, first);
		writer = is_one ? first : SIZE_MAX;
		if (command->next)
			input = (struct effects_fd){
				.is_known = true,
				.content = sink_text(output.sink),
			};
	}
}

void effects_negate(struct effects_walk *walk, struct effects_state *state)
{
	struct effects_outcome outcome, negated;

	effects_part(&outcome, state);
	negated.may_succeed = outcome.may_fail;
	negated.may_fail = outcome.may_succeed;
	negated.success = outcome.failure;
	negated.failure = outcome.success;
	negated.success.status = EFFECTS_SUCCESS;
	negated.failure.status = EFFECTS_FAILURE;
	unite(walk, &negated, state);
}

static void run_pipeline(struct effects_walk *walk, struct effects_state *state,
			 const struct bl_shell_pipeline *pipeline)
{
	bool is_maybe = walk->is_maybe;

	state->failed = NULL;
	walk->is_maybe = is_maybe || state->maybe;
	if (!state->ended && pipeline->commands) {
		if (pipeline->commands->next)
			run_pipe(walk, state, pipeline->commands);
		else
			effects_run(walk, state, pipeline->commands);
	}
	walk->is_maybe = is_maybe;
	if (pipeline->is_negated)
		effects_negate(walk, state);
}

void effects_run(struct effects_walk *walk, struct effects_state *state,
		 const struct bl_shell_command *command)
{
	const struct effects_fds *fds = state->fds;
	struct effects_redirected redirected = { 0 };

	if (walk->is_over)
		return;
	if (++walk->steps > walk->limits.steps) {
		effects_opaque(walk, BL_FACT_OPAQUE_LIMIT,
			       effects_text(BL_STR("too many steps")),
			       command->span);
		return;
	}
	if (command->kind == BL_SHELL_SIMPLE_COMMAND) {
		effects_simple(walk, state, command);
		return;
	}
	walk->command = UINT32_MAX;
	if (command->kind != BL_SHELL_FUNCTION_COMMAND)
		effects_redirect(walk, state, command->redirections,
				 &redirected);
	effects_compound(walk, state, command);
	state->fds = fds;
	if (state->failed) {
		struct effects_state *failed =
			bl_arena_new(walk->arena, struct effects_state);

		if (failed) {
			*failed = *state->failed;
			failed->fds = fds;
			state->failed = failed;
		}
	}
}
