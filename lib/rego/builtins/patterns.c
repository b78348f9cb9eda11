/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of regular expressions and globs: those that were compiled with the
 * policies, and those that a query compiles once and keeps.
 */
#include "rego/builtins/functions.h"
#include "text/text.h"

/* Programs of the query; a slot holds the last pattern that fell on it. */
struct bl_builtin_regexes {
	struct {
		struct bl_str pattern;
		const struct bl_regex *regex;
	} slots[64];
};

bool bl_builtin_regex(struct bl_builtin_call *call, struct bl_str pattern,
		      const struct bl_regex **out_regex)
{
	struct bl_builtin_regexes *known = call->state->regexes;
	struct bl_error err;
	size_t slot = (size_t)bl_value_hash(bl_value_string(pattern)) %
		      BL_COUNT(known->slots);

	if (!known) {
		known = bl_arena_new(call->arena, struct bl_builtin_regexes);
		if (!known)
			return bl_builtin_memory_fault(call);
		call->state->regexes = known;
	}
	if (known->slots[slot].regex &&
	    bl_str_equal(known->slots[slot].pattern, pattern)) {
		*out_regex = known->slots[slot].regex;
		return true;
	}
	if (bl_regex_compile(call->arena, pattern, BL_REGEX_RE2, out_regex,
			     NULL, &err))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%s",
					err.message);
	known->slots[slot].pattern = pattern;
	known->slots[slot].regex = *out_regex;
	return true;
}

void bl_builtin_forget(struct bl_builtin_state *state,
		       const struct bl_arena *arena, size_t position)
{
	struct bl_builtin_regexes *known = state->regexes;

	if (!known || bl_arena_is_newer(arena, position, known)) {
		state->regexes = NULL;
		return;
	}
	for (size_t i = 0; i < BL_COUNT(known->slots); i++)
		if (bl_arena_is_newer(arena, position, known->slots[i].regex) ||
		    bl_arena_is_newer(arena, position,
				      known->slots[i].pattern.ptr))
			known->slots[i].regex = NULL;
}

bool bl_builtin_regex_of(struct bl_builtin_call *call, size_t i,
			 const struct bl_regex **out_regex)
{
	*out_regex = call->regex;
	return *out_regex ||
	       bl_builtin_regex(call, bl_builtin_text(call, i), out_regex);
}

/* ---- ahead ---------------------------------------------------------------- */

static bool first_text(struct bl_builtin_call *call, struct bl_str *out_pattern)
{
	*out_pattern = bl_builtin_text(call, 0);
	return true;
}

static bool second_text(struct bl_builtin_call *call,
			struct bl_str *out_pattern)
{
	*out_pattern = bl_builtin_text(call, 1);
	return true;
}

/* Where the pattern of a builtin is, and how it becomes an expression. */
static const struct pattern_row {
	bl_builtin_function function;
	unsigned operands;
	bool (*pattern)(struct bl_builtin_call *call,
			struct bl_str *out_pattern);
} rows[] = {
	{ bl_fn_regex_match, 1u << 0, first_text },
	{ bl_fn_regex_find_n, 1u << 0, first_text },
	{ bl_fn_regex_find_all_string_submatch_n, 1u << 0, first_text },
	{ bl_fn_regex_split, 1u << 0, first_text },
	{ bl_fn_regex_replace, 1u << 1, second_text },
	{ bl_fn_regex_template_match, 1u << 0 | 1u << 2 | 1u << 3,
	  bl_builtin_template_pattern },
	{ bl_fn_glob_match, 1u << 0 | 1u << 1, bl_builtin_glob_pattern },
};

static const struct pattern_row *find_row(const struct bl_builtin *builtin)
{
	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (rows[i].function == builtin->function)
			return &rows[i];
	return NULL;
}

unsigned bl_builtin_pattern_operands(const struct bl_builtin *builtin)
{
	const struct pattern_row *row = find_row(builtin);

	return row ? row->operands : 0;
}

/* Are the operands of the pattern of the kinds that the builtin takes? */
static bool are_right(const struct bl_builtin *builtin, unsigned operands,
		      const struct bl_builtin_call *call)
{
	struct bl_builtin_masks masks = bl_builtin_masks_of(builtin);

	for (size_t i = 0; i < BL_BUILTIN_MASKS; i++)
		if (operands >> i & 1 &&
		    (i >= call->arg_count ||
		     !(masks.wanted[i] & 1u << call->args[i].kind)))
			return false;
	return true;
}

bool bl_builtin_compile_pattern(const struct bl_builtin *builtin,
				struct bl_builtin_call *call,
				const struct bl_regex **out_regex)
{
	const struct pattern_row *row = find_row(builtin);
	struct bl_str pattern;

	return row && are_right(builtin, row->operands, call) &&
	       row->pattern(call, &pattern) &&
	       !bl_regex_compile(call->arena, pattern, BL_REGEX_RE2, out_regex,
				 NULL, NULL);
}
