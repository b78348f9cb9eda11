/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/compound.c: commands that hold others: if, loops, case, [[ ]], functions.
 * Each is walked on every way that the shell may take; walk.c joins the ways.
 *
 * A loop over a known list is walked item by item.  Another loop is walked
 * twice: silently, to learn what its body changes, then from what it may find.
 *
 *   for f in a b; do rm $f; done     rm a, rm b
 *   while read f; do rm $f; done     maybe rm of a text that is not known
 */
#include "effects/private.h"

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
		struct effects_outcome outcome;

		effects_list(walk, state, branch->condition);
		effects_part(&outcome, state);
		if (outcome.may_succeed) {
			walk->is_maybe = walk->is_maybe || outcome.may_fail;
			effects_list(walk, &outcome.success, branch->body);
			effects_settle(walk, &outcome.success);
			effects_add_way(walk, &after, &has_after,
					&outcome.success);
		}
		*state = outcome.failure;
		if (!outcome.may_fail)
			break;
	}
	if (!branch) {
		state->status = EFFECTS_SUCCESS;
		effects_list(walk, state, command->choice.otherwise);
		effects_settle(walk, state);
		effects_add_way(walk, &after, &has_after, state);
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
	struct effects_outcome outcome;

	effects_list(walk, state, turn->command->loop.condition);
	if (is_until)
		effects_negate(walk, state);
	effects_part(&outcome, state);
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
		struct effects_outcome outcome;

		effects_list(walk, state, command->loop.condition);
		if (is_until)
			effects_negate(walk, state);
		effects_part(&outcome, state);
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
		effects_add_way(walk, &after, &has_after, &body);
		is_done = matching == MATCHES;
	}
	walk->is_maybe = is_maybe;
	if (!is_done)
		effects_add_way(walk, &after, &has_after, state);
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

/* ---- arithmetic, functions, and which of all ----------------------------------- */

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

void effects_compound(struct effects_walk *walk, struct effects_state *state,
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
