/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/state.c: what a shell knows at one moment, and how two such moments
 * become one where ways meet.
 *
 * A variable that one way set to a and the other to b may be a or b.  A command
 * that uses it is walked once for each value (a choice): all uses in that command
 * take the same one.  simple.c goes through the choices.
 */
#include "effects/private.h"

/* Names that refer to names, one after the other; more are a circle. */
enum { REFERENCES = 8 };

struct effects_text effects_hole(struct effects_walk *walk, struct bl_str label,
				 uint32_t origins, bool may_be_empty)
{
	uint32_t number = walk->hole_count;
	char *bytes = bl_arena_alloc_aligned(walk->arena, 2, 1);

	if (!bytes)
		return (struct effects_text){ "\0\xFE", 2, origins };
	if (number < EFFECTS_HOLES) {
		walk->hole_count++;
		walk->holes[number] =
			(struct effects_hole){ label, origins, UINT32_MAX,
					       may_be_empty };
	} else {
		number = EFFECTS_HOLES;
		walk->holes[number].origins |= origins;
		walk->holes[number].may_be_empty = true;
	}
	bytes[0] = 0;
	bytes[1] = (char)(EFFECTS_HOLE + number);
	return (struct effects_text){ bytes, 2, origins };
}

struct bl_shell_span effects_span(const struct effects_walk *walk,
				  struct bl_shell_span span)
{
	return walk->is_nested ? walk->span : span;
}

/* ---- variables -------------------------------------------------------------- */

/* The variable that a name stands for: declare -n a=b makes a another name of b. */
static struct bl_str referred(struct effects_walk *walk,
			      const struct effects_state *state,
			      struct bl_str name)
{
	for (unsigned links = 0; links < REFERENCES; links++) {
		const struct effects_variable *variable = effects_map_get(
			state->variables,
			effects_name_id(walk->arena, &walk->names, name));

		if (!variable || !variable->is_reference || !variable->count ||
		    !effects_is_known(variable->values[0]))
			return name;
		name = effects_str(variable->values[0]);
	}
	return name;
}

const struct effects_variable *
effects_variable(struct effects_walk *walk, const struct effects_state *state,
		 struct bl_str name)
{
	name = referred(walk, state, name);
	return effects_map_get(
		state->variables,
		effects_name_id(walk->arena, &walk->names, name));
}

void effects_set_variable(struct effects_walk *walk,
			  struct effects_state *state, struct bl_str name,
			  const struct effects_variable *variable)
{
	struct effects_variable *copy =
		bl_arena_new(walk->arena, struct effects_variable);
	uint32_t id;

	if (!copy)
		return;
	*copy = *variable;
	name = referred(walk, state, name);
	id = effects_name_id(walk->arena, &walk->names, name);
	state->variables =
		effects_map_set(walk->arena, state->variables, id, copy);
}

void effects_set(struct effects_walk *walk, struct effects_state *state,
		 struct bl_str name, struct effects_text value)
{
	const struct effects_variable *old =
		effects_variable(walk, state, name);
	struct effects_variable variable = { .count = 1 };
	struct effects_text *values =
		bl_arena_new_array(walk->arena, struct effects_text, 1);

	if (!values || (old && old->is_readonly))
		return;
	values[0] = value;
	variable.values = values;
	variable.is_exported = old && old->is_exported;
	effects_set_variable(walk, state, name, &variable);
}

/* Which of count values is taken now; UINT32_MAX: too many choices. */
static uint32_t choose(struct effects_walk *walk, const void *values,
		       uint32_t count)
{
	struct effects_choice *choice = walk->choices;

	for (uint32_t i = 0; i < walk->choice_count; i++, choice++) {
		if (choice->values == values)
			return choice->at;
	}
	if (walk->choice_count == EFFECTS_CHOICES)
		return UINT32_MAX;
	walk->choice_count++;
	*choice = (struct effects_choice){ values, 0, count };
	return 0;
}

bool effects_value(struct effects_walk *walk, const struct effects_state *state,
		   struct bl_str name, struct effects_text *out)
{
	const struct effects_variable *variable =
		effects_variable(walk, state, name);
	uint32_t at = 0;

	if (!variable || variable->is_unset)
		return false;
	if (variable->count > 1 && !variable->is_array)
		at = choose(walk, variable->values, variable->count);
	if (at >= variable->count)
		return false;
	*out = variable->values[at];
	return true;
}

struct effects_text effects_cwd(struct effects_walk *walk,
				const struct effects_state *state)
{
	uint32_t at = 0;

	if (state->cwd_count > 1)
		at = choose(walk, state->cwds, state->cwd_count);
	if (at >= state->cwd_count)
		return (struct effects_text){ NULL, 0, 0 };
	return state->cwds[at];
}

void effects_set_cwd(struct effects_walk *walk, struct effects_state *state,
		     struct effects_text cwd)
{
	struct effects_text *cwds =
		bl_arena_new_array(walk->arena, struct effects_text, 1);
	struct effects_text old = effects_cwd(walk, state);

	effects_set(walk, state, BL_STR("OLDPWD"),
		    old.ptr ? old : walk->no_folder);
	effects_set(walk, state, BL_STR("PWD"),
		    cwd.ptr ? cwd : walk->no_folder);
	state->cwd_count = cwds && cwd.ptr ? 1 : 0;
	state->cwds = cwds;
	if (cwds)
		cwds[0] = cwd;
}

/* ---- joining ---------------------------------------------------------------- */

static bool is_same(struct effects_text a, struct effects_text b)
{
	return a.len == b.len && (!a.len || !memcmp(a.ptr, b.ptr, a.len));
}

/* Adds more texts to count of them, each once; false: too many. */
static bool unite(struct effects_text *texts, uint32_t *count,
		  const struct effects_text *more, uint32_t more_count)
{
	for (uint32_t i = 0; i < more_count; i++) {
		uint32_t at = 0;

		while (at < *count && !is_same(texts[at], more[i]))
			at++;
		if (at < *count) {
			texts[at].origins |= more[i].origins;
			continue;
		}
		if (*count == EFFECTS_CHOICES)
			return false;
		texts[(*count)++] = more[i];
	}
	return true;
}

/* The values of both, and what there is when one way did not set it. */
static bool unite_values(struct effects_walk *walk,
			 struct effects_variable *both,
			 struct effects_text *values,
			 const struct effects_variable *a,
			 const struct effects_variable *b)
{
	struct effects_text other = { "", 0, 0 };

	if (a && !unite(values, &both->count, a->values, a->count))
		return false;
	if (b && !unite(values, &both->count, b->values, b->count))
		return false;
	if (a && b && !both->may_be_unset)
		return true;
	if (!a || !b)
		other = effects_hole(walk, BL_STR("$(...)"),
				     BL_FACT_FROM_VARIABLE, true);
	return unite(values, &both->count, &other, 1);
}

static const void *merge_variables(void *context, const void *a, const void *b)
{
	struct effects_walk *walk = context;
	const struct effects_variable *left = a ? a : b;
	const struct effects_variable *right = b ? b : a;
	struct effects_variable *both =
		bl_arena_new(walk->arena, struct effects_variable);
	struct effects_text *values = bl_arena_new_array(
		walk->arena, struct effects_text, EFFECTS_CHOICES + 1);

	if (!left || !right || !both || !values)
		return left;
	both->is_exported = left->is_exported || right->is_exported;
	both->is_array = left->is_array || right->is_array;
	both->is_unset = a && b && left->is_unset && right->is_unset;
	both->may_be_unset = left->may_be_unset || right->may_be_unset ||
			     left->is_unset || right->is_unset;
	both->values = values;
	if (both->is_array || !unite_values(walk, both, values, a, b)) {
		values[0] = effects_hole(walk, BL_STR("$(...)"),
					 BL_FACT_FROM_VARIABLE, true);
		both->count = 1;
	}
	return both;
}

/* A function that only one way defines is there, maybe. */
static const void *merge_either(void *context, const void *a, const void *b)
{
	(void)context;
	return b ? b : a;
}

static void merge_cwd(struct effects_walk *walk, struct effects_state *into,
		      const struct effects_state *other)
{
	struct effects_text *cwds;

	if (into->cwds == other->cwds && into->cwd_count == other->cwd_count)
		return;
	if (!into->cwd_count || !other->cwd_count) {
		into->cwd_count = 0;
		return;
	}
	cwds = bl_arena_new_array(walk->arena, struct effects_text,
				  EFFECTS_CHOICES + 1);
	if (!cwds)
		return;
	memcpy(cwds, into->cwds, into->cwd_count * sizeof(*cwds));
	if (!unite(cwds, &into->cwd_count, other->cwds, other->cwd_count))
		into->cwd_count = 0;
	into->cwds = cwds;
}

static void merge_flags(struct effects_state *into,
			const struct effects_state *other)
{
	into->has_extglob |= other->has_extglob;
	into->has_aliases |= other->has_aliases;
	into->no_globs &= other->no_globs;
	into->stops_on_error |= other->stops_on_error;
	if (into->status != other->status)
		into->status = EFFECTS_EITHER;
	if (into->params.items != other->params.items ||
	    into->params.count != other->params.count)
		into->params.is_known = false;
}

void effects_state_merge(struct effects_walk *walk, struct effects_state *into,
			 const struct effects_state *other)
{
	uint32_t maybe =
		into->maybe | other->maybe | into->ended | other->ended;

	if (into->ended && !other->ended) {
		*into = *other;
		into->maybe = maybe;
		return;
	}
	if (!into->ended && other->ended) {
		into->maybe = maybe;
		return;
	}
	into->variables =
		effects_map_merge(walk->arena, into->variables,
				  other->variables, merge_variables, walk);
	into->functions =
		effects_map_merge(walk->arena, into->functions,
				  other->functions, merge_either, walk);
	into->aliases = effects_map_merge(walk->arena, into->aliases,
					  other->aliases, merge_either, walk);
	merge_cwd(walk, into, other);
	merge_flags(into, other);
	if (!into->traps)
		into->traps = other->traps;
	into->ended &= other->ended;
	if (!into->ended)
		into->maybe = maybe;
}

/* ---- the beginning ---------------------------------------------------------- */

static void set_exported(struct effects_walk *walk, struct effects_state *state,
			 struct bl_str name, struct bl_str value)
{
	struct effects_text *values =
		bl_arena_new_array(walk->arena, struct effects_text, 1);
	struct effects_variable variable = { .count = 1,
					     .is_exported = true,
					     .is_inherited = true };

	if (!values)
		return;
	values[0] = effects_text(value);
	variable.values = values;
	effects_set_variable(walk, state, name, &variable);
}

void effects_state_init(struct effects_walk *walk, struct effects_state *state)
{
	const struct bl_effects_input *input = walk->input;
	struct effects_text *cwds =
		bl_arena_new_array(walk->arena, struct effects_text, 1);

	*state = (struct effects_state){ .params.is_known = true,
					 .status = EFFECTS_SUCCESS };
	for (size_t i = 0; i < input->environment_count; i++)
		set_exported(walk, state, input->environment[i].name,
			     input->environment[i].value);
	if (input->home.len)
		set_exported(walk, state, BL_STR("HOME"), input->home);
	if (input->user.len)
		set_exported(walk, state, BL_STR("USER"), input->user);
	effects_set(walk, state, BL_STR("IFS"), effects_text(BL_STR(" \t\n")));
	if (input->cwd.len && cwds) {
		cwds[0] = effects_text(input->cwd);
		state->cwds = cwds;
		state->cwd_count = 1;
		set_exported(walk, state, BL_STR("PWD"), input->cwd);
	}
}
