/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/walk.c: the walk over the tree: lists, pipelines, compound commands.
 *
 * Where ways part, the state is copied, and where they meet, joined.  A command
 * that may succeed or fail leaves two states, so that in `cd x && a; b` a runs
 * in x, and b in x or where it was:
 *
 *   cd x     S: in x            F: as before
 *   && a     runs from S        F stays
 *   ; b      S and F joined: the folder is x or the old one
 *
 * A loop over a known list is walked item by item.  Another loop is walked
 * twice: silently, to learn what its body changes, then from what it may find.
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

/* The two states that a command leaves. */
struct outcome {
	struct effects_state success, failure;
	bool may_succeed, may_fail;
};

static void part(struct outcome *outcome, const struct effects_state *state)
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
static void unite(struct effects_walk *walk, const struct outcome *outcome,
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

static void add_way(struct effects_walk *walk, struct effects_state *into,
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
static void run_joined(struct effects_walk *walk, struct outcome *all,
		       const struct bl_shell_pipeline *pipeline)
{
	bool is_and = pipeline->join == BL_SHELL_AND;
	bool is_maybe = walk->is_maybe;
	struct effects_state state = is_and ? all->success : all->failure;
	struct outcome own;

	if (is_and ? !all->may_succeed : !all->may_fail)
		return;
	walk->is_maybe =
		is_maybe || (is_and ? all->may_fail : all->may_succeed);
	run_pipeline(walk, &state, pipeline);
	walk->is_maybe = is_maybe;
	part(&own, &state);
	if (is_and) {
		all->success = own.success;
		all->may_succeed = own.may_succeed;
		if (own.may_fail)
			add_way(walk, &all->failure, &all->may_fail,
				&own.failure);
	} else {
		all->failure = own.failure;
		all->may_fail = own.may_fail;
		if (own.may_succeed)
			add_way(walk, &all->success, &all->may_succeed,
				&own.success);
	}
}

static void run_chain(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_chain *chain)
{
	const struct bl_shell_pipeline *pipeline = chain->pipelines;
	struct outcome outcome;

	run_pipeline(walk, state, pipeline);
	if (!pipeline->next)
		return;
	part(&outcome, state);
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

static void negate(struct effects_walk *walk, struct effects_state *state)
{
	struct outcome outcome, negated;

	part(&outcome, state);
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
		negate(walk, state);
}

/* ---- compound commands ------------------------------------------------------ */

static void run_subshell(struct effects_walk *walk, struct effects_state *state,
			 const struct bl_shell_list *list)
{
	struct effects_state child = *state;

	child.traps = NULL;
	effects_list(walk, &child, list);
	effects_settle(walk, &child);
	effects_run_traps(walk, &child);
	state->status = child.status;
}

static void run_if(struct effects_walk *walk, struct effects_state *state,
		   const struct bl_shell_command *command)
{
	const struct bl_shell_branch *branch = command->choice.branches;
	bool is_maybe = walk->is_maybe;
	struct effects_state after;
	bool has_after = false;

	for (; branch && !walk->is_over; branch = branch->next) {
		struct outcome outcome;

		effects_list(walk, state, branch->condition);
		part(&outcome, state);
		if (outcome.may_succeed) {
			walk->is_maybe = walk->is_maybe || outcome.may_fail;
			effects_list(walk, &outcome.success, branch->body);
			effects_settle(walk, &outcome.success);
			add_way(walk, &after, &has_after, &outcome.success);
		}
		*state = outcome.failure;
		if (!outcome.may_fail)
			break;
	}
	if (!branch) {
		state->status = EFFECTS_SUCCESS;
		effects_list(walk, state, command->choice.otherwise);
		effects_settle(walk, state);
		add_way(walk, &after, &has_after, state);
	}
	walk->is_maybe = is_maybe;
	if (has_after)
		*state = after;
}

/* Ends what break and continue have ended; false: no further turn. */
static bool end_turn(struct effects_state *state)
{
	bool goes_on = !(state->ended & ~(uint32_t)EFFECTS_END_LOOP);

	state->ended &= ~(uint32_t)(EFFECTS_END_LOOP | EFFECTS_END_BREAK);
	return goes_on;
}

static void end_loop(struct effects_state *state, uint32_t maybe)
{
	uint32_t loop = EFFECTS_END_LOOP | EFFECTS_END_BREAK;

	state->ended &= ~loop;
	state->maybe = (state->maybe & ~loop) | (maybe & loop);
}

/*
 * A turn whose number nobody knows: silently first, so that the second walk
 * begins with what the body may have changed.  A loop in such a silent walk is
 * walked once.
 */
struct turn {
	void (*run)(struct effects_walk *walk, struct effects_state *state,
		    const void *context);
	const void *context;
};

static void run_unknown_turns(struct effects_walk *walk,
			      struct effects_state *state,
			      const struct turn *turn)
{
	bool is_maybe = walk->is_maybe;
	struct effects_state first = *state;

	walk->is_maybe = true;
	if (!walk->is_silent) {
		walk->is_silent = true;
		turn->run(walk, &first, turn->context);
		walk->is_silent = false;
		end_turn(&first);
		effects_settle(walk, &first);
		first.fds = state->fds;
		effects_state_merge(walk, state, &first);
	}
	first = *state;
	turn->run(walk, &first, turn->context);
	end_turn(&first);
	effects_settle(walk, &first);
	first.fds = state->fds;
	effects_state_merge(walk, state, &first);
	walk->is_maybe = is_maybe;
	state->status = EFFECTS_EITHER;
}

struct while_turn {
	const struct bl_shell_command *command;
};

static void run_while_turn(struct effects_walk *walk,
			   struct effects_state *state, const void *context)
{
	const struct while_turn *turn = context;
	bool is_until = turn->command->kind == BL_SHELL_UNTIL_COMMAND;
	struct outcome outcome;

	effects_list(walk, state, turn->command->loop.condition);
	if (is_until)
		negate(walk, state);
	part(&outcome, state);
	*state = outcome.success;
	effects_list(walk, state, turn->command->loop.body);
}

/* Has the turn changed what a next one would find? */
static bool has_changed(const struct effects_state *a,
			const struct effects_state *b)
{
	return a->variables.root != b->variables.root || a->cwds != b->cwds ||
	       a->fds != b->fds;
}

static void run_while(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_command *command)
{
	struct while_turn context = { command };
	struct turn turn = { run_while_turn, &context };
	bool is_until = command->kind == BL_SHELL_UNTIL_COMMAND;
	uint32_t maybe = state->maybe;

	for (uint32_t i = 0; i < walk->limits.loop_items; i++) {
		struct effects_state before = *state;
		size_t commands = walk->command_count;
		size_t effects = walk->effect_count;
		size_t opaque = walk->opaque_count;
		struct outcome outcome;

		effects_list(walk, state, command->loop.condition);
		if (is_until)
			negate(walk, state);
		part(&outcome, state);
		if (outcome.may_succeed && outcome.may_fail) {
			walk->command_count = commands;
			walk->effect_count = effects;
			walk->opaque_count = opaque;
			*state = before;
			run_unknown_turns(walk, state, &turn);
			break;
		}
		*state =
			outcome.may_succeed ? outcome.success : outcome.failure;
		if (!outcome.may_succeed || walk->is_over) {
			/* The loop's status is that of its last turn. */
			state->status = i ? EFFECTS_EITHER : EFFECTS_SUCCESS;
			state->failed = NULL;
			break;
		}
		effects_list(walk, state, command->loop.body);
		effects_settle(walk, state);
		if (!end_turn(state) || !has_changed(&before, state))
			break;
	}
	end_loop(state, maybe);
}

struct each_turn {
	const struct bl_shell_command *command;
	struct bl_str name;
	struct effects_text value;
};

static void run_each_turn(struct effects_walk *walk,
			  struct effects_state *state, const void *context)
{
	const struct each_turn *turn = context;

	effects_set(walk, state, turn->name, turn->value);
	effects_list(walk, state, turn->command->each.body);
}

static void loop_args(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_command *command,
		      struct effects_args *args)
{
	if (command->each.has_words) {
		effects_expand(walk, state, command->each.words, args);
		return;
	}
	for (uint32_t i = 0; i < state->params.count; i++)
		effects_args_add(walk, args, state->params.items[i],
				 command->span);
	if (!state->params.is_known)
		effects_args_add(walk, args,
				 effects_hole(walk, BL_STR("$@"),
					      BL_FACT_FROM_VARIABLE, true),
				 command->span);
}

static void run_for(struct effects_walk *walk, struct effects_state *state,
		    const struct bl_shell_command *command)
{
	struct effects_args args = { 0 };
	struct effects_text name =
		effects_expand_one(walk, state, command->each.name);
	struct each_turn context = { command, effects_str(name), { "", 0, 0 } };
	struct turn turn = { run_each_turn, &context };
	uint32_t maybe = state->maybe;

	loop_args(walk, state, command, &args);
	state->status = EFFECTS_SUCCESS;
	for (size_t i = 0; i < args.count && !walk->is_over; i++) {
		context.value = args.items[i].text;
		if (i == walk->limits.loop_items) {
			effects_opaque(walk, BL_FACT_OPAQUE_ARGUMENTS,
				       effects_text(BL_STR("for")),
				       command->span);
			context.value =
				effects_hole(walk, BL_STR("$(...)"), 0, false);
		}
		if (!effects_is_known(context.value)) {
			run_unknown_turns(walk, state, &turn);
		} else {
			run_each_turn(walk, state, &context);
			effects_settle(walk, state);
			if (!end_turn(state))
				break;
		}
		if (i == walk->limits.loop_items)
			break;
	}
	end_loop(state, maybe);
}

static void run_select(struct effects_walk *walk, struct effects_state *state,
		       const struct bl_shell_command *command)
{
	struct effects_args args = { 0 };
	struct effects_text name =
		effects_expand_one(walk, state, command->each.name);
	struct each_turn context = { command, effects_str(name), { "", 0, 0 } };
	struct turn turn = { run_each_turn, &context };
	uint32_t maybe = state->maybe;

	loop_args(walk, state, command, &args);
	for (size_t i = 0; i < args.count && i < EFFECTS_CHOICES; i++) {
		context.value = args.items[i].text;
		run_unknown_turns(walk, state, &turn);
	}
	end_loop(state, maybe);
}

/* An expression of for ((;;)); true unless it is known to be 0. */
static bool evaluate(struct effects_walk *walk, struct effects_state *state,
		     const struct bl_shell_word *word, bool *out_known)
{
	int64_t value = 1;

	*out_known = true;
	if (!word)
		return true;
	*out_known = effects_arithmetic(
		walk, state, effects_expand_one(walk, state, word), &value);
	return !*out_known || value;
}

static void run_count_turn(struct effects_walk *walk,
			   struct effects_state *state, const void *context)
{
	const struct bl_shell_command *command = context;
	bool is_known;

	effects_list(walk, state, command->count.body);
	effects_settle(walk, state);
	evaluate(walk, state, command->count.step, &is_known);
}

static void run_count(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_command *command)
{
	struct turn turn = { run_count_turn, command };
	uint32_t maybe = state->maybe;
	bool is_known;

	evaluate(walk, state, command->count.start, &is_known);
	for (uint32_t i = 0; i < walk->limits.loop_items; i++) {
		bool goes =
			evaluate(walk, state, command->count.test, &is_known);

		if (!is_known) {
			run_unknown_turns(walk, state, &turn);
			break;
		}
		if (!goes || walk->is_over)
			break;
		run_count_turn(walk, state, command);
		if (!end_turn(state) || !command->count.test)
			break;
	}
	end_loop(state, maybe);
}

enum matching { MATCHES_NOT, MATCHES_MAYBE, MATCHES };

static enum matching match_clause(struct effects_walk *walk,
				  struct effects_state *state,
				  const struct bl_shell_clause *clause,
				  struct effects_text subject)
{
	const struct bl_shell_word *word = clause->patterns;
	enum matching result = MATCHES_NOT;

	for (; word; word = word->next) {
		struct effects_text pattern =
			effects_expand_pattern(walk, state, word);
		bool matches = false;

		if (effects_is(pattern, "*"))
			return MATCHES;
		if (!effects_is_known(pattern) || !effects_is_known(subject) ||
		    bl_shell_match(effects_str(pattern), effects_str(subject),
				   state->has_extglob ? BL_SHELL_MATCH_EXTGLOB
						      : 0,
				   &matches) != BL_SHELL_KNOWN)
			result = MATCHES_MAYBE;
		else if (matches)
			return MATCHES;
	}
	return result;
}

/* The bodies that follow from clause: its own and those it falls into. */
static const struct bl_shell_clause *
run_clause(struct effects_walk *walk, struct effects_state *state,
	   const struct bl_shell_clause *clause)
{
	for (;;) {
		effects_list(walk, state, clause->body);
		effects_settle(walk, state);
		if (clause->end != BL_SHELL_CLAUSE_FALL || !clause->next)
			return clause;
		clause = clause->next;
	}
}

static void run_case(struct effects_walk *walk, struct effects_state *state,
		     const struct bl_shell_command *command)
{
	const struct bl_shell_clause *clause = command->cases.clauses;
	struct effects_text subject =
		effects_expand_one(walk, state, command->cases.subject);
	bool is_maybe = walk->is_maybe;
	struct effects_state after;
	bool has_after = false;
	bool is_done = false;

	state->status = EFFECTS_SUCCESS;
	for (; clause && !is_done && !walk->is_over; clause = clause->next) {
		struct effects_state body = *state;
		enum matching matching =
			match_clause(walk, state, clause, subject);

		if (matching == MATCHES_NOT)
			continue;
		walk->is_maybe = walk->is_maybe || matching == MATCHES_MAYBE;
		clause = run_clause(walk, &body, clause);
		if (clause->end == BL_SHELL_CLAUSE_TEST_ON) {
			if (matching == MATCHES)
				*state = body;
			else
				effects_state_merge(walk, state, &body);
			continue;
		}
		add_way(walk, &after, &has_after, &body);
		is_done = matching == MATCHES;
	}
	walk->is_maybe = is_maybe;
	if (!is_done)
		add_way(walk, &after, &has_after, state);
	*state = after;
}

/* ---- [[ ]] ------------------------------------------------------------------ */

static enum effects_status from_bool(bool is_true)
{
	return is_true ? EFFECTS_SUCCESS : EFFECTS_FAILURE;
}

static enum effects_status test_unary(struct effects_walk *walk,
				      struct effects_state *state,
				      const struct bl_shell_test *test)
{
	struct effects_text left = effects_expand_one(walk, state, test->left);

	if (!effects_is_known(left))
		return EFFECTS_EITHER;
	if (bl_str_is(test->op, "-n"))
		return from_bool(left.len);
	if (bl_str_is(test->op, "-z"))
		return from_bool(!left.len);
	if (bl_str_is(test->op, "-v") &&
	    memchr(left.ptr ? left.ptr : "", '[', left.len)) {
		int64_t value;

		effects_arithmetic(walk, state, left, &value);
	}
	return EFFECTS_EITHER;
}

static enum effects_status test_binary(struct effects_walk *walk,
				       struct effects_state *state,
				       const struct bl_shell_test *test)
{
	bool is_equal = bl_str_is(test->op, "==") || bl_str_is(test->op, "=");
	bool is_unequal = bl_str_is(test->op, "!=");
	struct effects_text left = effects_expand_one(walk, state, test->left);
	struct effects_text right =
		effects_expand_pattern(walk, state, test->right);
	bool matches = false;
	int64_t value;

	if (test->op.len && test->op.ptr[0] == '-') {
		/* -eq and its kind evaluate both sides as arithmetic. */
		effects_arithmetic(walk, state, left, &value);
		effects_arithmetic(walk, state, right, &value);
	}
	if ((!is_equal && !is_unequal) || !effects_is_known(left) ||
	    !effects_is_known(right) ||
	    bl_shell_match(effects_str(right), effects_str(left),
			   BL_SHELL_MATCH_EXTGLOB, &matches) != BL_SHELL_KNOWN)
		return EFFECTS_EITHER;
	return from_bool(matches == is_equal);
}

static enum effects_status run_test(struct effects_walk *walk,
				    struct effects_state *state,
				    const struct bl_shell_test *test)
{
	enum effects_status first, second;
	bool is_and;

	switch (test->kind) {
	case BL_SHELL_TEST_WORD:
		return from_bool(
			effects_expand_one(walk, state, test->left).len);
	case BL_SHELL_TEST_UNARY:
		return test_unary(walk, state, test);
	case BL_SHELL_TEST_BINARY:
		return test_binary(walk, state, test);
	case BL_SHELL_TEST_GROUP:
		return run_test(walk, state, test->first);
	case BL_SHELL_TEST_NOT:
		first = run_test(walk, state, test->first);
		return first == EFFECTS_EITHER
			       ? EFFECTS_EITHER
			       : from_bool(first == EFFECTS_FAILURE);
	case BL_SHELL_TEST_AND:
	case BL_SHELL_TEST_OR:
		break;
	}
	is_and = test->kind == BL_SHELL_TEST_AND;
	first = run_test(walk, state, test->first);
	if (first == from_bool(!is_and))
		return first;
	second = run_test(walk, state, test->second);
	return first == EFFECTS_EITHER && second != from_bool(!is_and)
		       ? EFFECTS_EITHER
		       : second;
}

/* ---- one command ------------------------------------------------------------ */

static void run_arithmetic(struct effects_walk *walk,
			   struct effects_state *state,
			   const struct bl_shell_command *command)
{
	int64_t value;
	struct effects_text text =
		effects_expand_one(walk, state, command->expression);

	state->status = effects_arithmetic(walk, state, text, &value)
				? from_bool(value)
				: EFFECTS_EITHER;
}

static void define(struct effects_walk *walk, struct effects_state *state,
		   const struct bl_shell_command *command)
{
	struct effects_function *function =
		bl_arena_new(walk->arena, struct effects_function);
	struct effects_text name =
		effects_expand_one(walk, state, command->function.name);

	if (!function)
		return;
	function->body = command->function.body;
	function->name = effects_str(name);
	function->span = walk->span;
	function->is_nested = walk->is_nested;
	state->functions = effects_map_set(
		walk->arena, state->functions,
		effects_name_id(walk->arena, &walk->names, function->name),
		function);
	state->status = EFFECTS_SUCCESS;
}

static void run_compound(struct effects_walk *walk, struct effects_state *state,
			 const struct bl_shell_command *command)
{
	struct effects_state child;
	struct effects_fd fd;

	switch (command->kind) {
	case BL_SHELL_GROUP_COMMAND:
		effects_list(walk, state, command->list);
		break;
	case BL_SHELL_SUBSHELL_COMMAND:
		run_subshell(walk, state, command->list);
		break;
	case BL_SHELL_IF_COMMAND:
		run_if(walk, state, command);
		break;
	case BL_SHELL_WHILE_COMMAND:
	case BL_SHELL_UNTIL_COMMAND:
		run_while(walk, state, command);
		break;
	case BL_SHELL_FOR_COMMAND:
		run_for(walk, state, command);
		break;
	case BL_SHELL_SELECT_COMMAND:
		run_select(walk, state, command);
		break;
	case BL_SHELL_ARITHMETIC_FOR_COMMAND:
		run_count(walk, state, command);
		break;
	case BL_SHELL_CASE_COMMAND:
		run_case(walk, state, command);
		break;
	case BL_SHELL_ARITHMETIC_COMMAND:
		run_arithmetic(walk, state, command);
		break;
	case BL_SHELL_CONDITION_COMMAND:
		state->status = run_test(walk, state, command->test);
		break;
	case BL_SHELL_COPROCESS_COMMAND:
		child = *state;
		fd = (struct effects_fd){
			.is_known = true, /* a pipe, that others write to */
			.content = effects_hole(walk, BL_STR("coproc"),
						BL_FACT_FROM_INPUT, true),
		};
		effects_set_fd(walk, &child, 0, &fd);
		effects_run(walk, &child, command->coprocess.body);
		state->status = EFFECTS_SUCCESS;
		break;
	case BL_SHELL_FUNCTION_COMMAND:
		define(walk, state, command);
		break;
	case BL_SHELL_SIMPLE_COMMAND:
	case BL_SHELL_COMMAND_COUNT:
		break;
	}
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
	run_compound(walk, state, command);
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
