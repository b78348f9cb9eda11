/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of the emitter about a statement before it makes code: which sides can be found
 * out now, which can be taken apart.
 */
#include "rego/compiler/resolve/analysis.h"

/* ---- sets of slots -------------------------------------------------------------- */

struct bl_bound bl_bound_new(struct bl_arena *arena, int32_t slot_count)
{
	struct bl_bound bound = { .word_count = (size_t)slot_count / 64 + 1 };

	bound.words = bl_arena_new_array(arena, uint64_t, bound.word_count);
	return bound;
}

struct bl_bound bl_bound_copy(struct bl_arena *arena,
			      const struct bl_bound *bound)
{
	struct bl_bound copy = *bound;

	copy.words = bl_arena_new_array(arena, uint64_t, bound->word_count);
	if (copy.words)
		memcpy(copy.words, bound->words,
		       bound->word_count * sizeof(*copy.words));
	return copy;
}

bool bl_bound_has(const struct bl_bound *bound, int32_t slot)
{
	/* Without memory there is no set: the failure is noted elsewhere. */
	return slot < 0 ||
	       (bound->words && (bound->words[slot / 64] >> (slot % 64) & 1));
}

void bl_bound_add(struct bl_bound *bound, int32_t slot)
{
	if (slot >= 0 && bound->words)
		bound->words[slot / 64] |= UINT64_C(1) << (slot % 64);
}

/* ---- what is asked of statements ------------------------------------------------ */

static bool is_list(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_OBJECT;
}

bool bl_bound_leaves_free(const struct bl_bound *bound,
			  const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_VAR)
		return !bl_bound_has(bound, term->slot);
	if (!is_list(term))
		return false;
	for (uint32_t i = 0; i < term->count; i++)
		if (bl_bound_leaves_free(bound, term->as.items[i]))
			return true;
	return false;
}

bool bl_bound_makes_ready(struct bl_resolver *resolver,
			  const struct bl_bound *bound,
			  const struct bl_rego_term *term)
{
	struct bl_bound trial = bl_bound_copy(resolver->compiler->arena, bound);

	return trial.words && bl_order_value(resolver, term, &trial);
}

bool bl_bound_can_unify(struct bl_resolver *resolver,
			const struct bl_bound *bound,
			const struct bl_rego_term *a,
			const struct bl_rego_term *b)
{
	if (bl_bound_makes_ready(resolver, bound, a) ||
	    bl_bound_makes_ready(resolver, bound, b))
		return true;
	if (a->kind != b->kind || a->count != b->count || !is_list(a))
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (bl_bound_can_unify(resolver, bound, a->as.items[i],
				       b->as.items[i]))
			return true;
	return false;
}

bool bl_terms_have_same_shape(const struct bl_rego_term *a,
			      const struct bl_rego_term *b)
{
	if (a->kind != b->kind || a->count != b->count || !is_list(a))
		return false;
	for (uint32_t i = 0; a->kind == BL_TERM_OBJECT && i < a->count; i += 2)
		if (a->as.items[i]->kind != BL_TERM_SCALAR ||
		    b->as.items[i]->kind != BL_TERM_SCALAR ||
		    !bl_value_equal(a->as.items[i]->as.value,
				    b->as.items[i]->as.value))
			return false;
	return true;
}

bool bl_term_is_pulled_out(const struct bl_rego_term *term, bool of_equality)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
	case BL_TERM_TEMPLATE:
		return false;
	case BL_TERM_VAR:
		return term->slot == BL_SLOT_NONE && !of_equality;
	case BL_TERM_REF:
		return !of_equality;
	case BL_TERM_CALL:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		return true;
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		for (uint32_t i = 0; i < term->count; i++)
			if (bl_term_is_pulled_out(term->as.items[i], false))
				return true;
		return false;
	}
	return false;
}
