/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that a rule's statements give one of a few constants, so that what is
 * in brackets tells which rules a reference needs (docs/contracts/rego.md
 * "Conflicts and recursion").
 */
#include "rego/compiler/check/checks.h"
#include "rego/compiler/parse/visit.h"

/* Terms that are constants all through; all: false when there are others. */
struct values {
	const struct bl_rego_term **terms;
	size_t count;
	bool all;
};

static void add(struct values *values, const struct bl_rego_term *term)
{
	if (values->count == BL_KNOWN_MAX)
		values->all = false;
	else
		values->terms[values->count++] = term;
}

static struct values begin(struct bl_compiler *compiler)
{
	struct values values = { .all = true };

	values.terms = bl_arena_new_array(
		compiler->arena, const struct bl_rego_term *, BL_KNOWN_MAX);
	if (!values.terms) {
		compiler->failed_memory = true;
		values.all = false;
	}
	return values;
}

/* Has a member of a collection that key?  So it is with every array's index. */
static bool is_member(const struct bl_rego_term *term, uint32_t index,
		      const struct bl_rego_term *key)
{
	if (key->kind != BL_TERM_SCALAR)
		return true;
	if (term->kind == BL_TERM_ARRAY)
		return bl_value_equal(bl_value_integer(index), key->as.value);
	return term->as.items[index]->kind == BL_TERM_SCALAR &&
	       bl_value_equal(term->as.items[index]->as.value, key->as.value);
}

/* The tree behind each of the values with that key; NULL: with any. */
static struct values step(struct bl_compiler *compiler,
			  const struct values *from,
			  const struct bl_rego_term *key)
{
	struct values values = begin(compiler);

	for (size_t i = 0; values.all && i < from->count; i++) {
		const struct bl_rego_term *term = from->terms[i];
		uint32_t pair = term->kind == BL_TERM_OBJECT;

		if (term->kind == BL_TERM_SCALAR) {
			values.all = key && key->kind == BL_TERM_SCALAR;
			continue;
		}
		for (uint32_t j = 0; values.all && j < term->count;
		     j += 1 + pair)
			if (!key || is_member(term, j, key))
				add(&values, term->as.items[j + pair]);
	}
	return values;
}

static struct values values_of(struct bl_compiler *compiler,
			       const struct bl_known *known,
			       const struct bl_rego_term *term)
{
	const struct bl_rego_term *head =
		term->kind == BL_TERM_REF ? term->as.items[0] : term;
	const struct bl_known_name *name = bl_known_find(known, head);
	struct values values = { 0 };

	if (name) {
		values = (struct values){ name->terms, name->count, true };
	} else if (bl_term_is_constant(head)) {
		values = begin(compiler);
		if (values.all)
			add(&values, head);
	}
	for (uint32_t i = 1;
	     values.all && term->kind == BL_TERM_REF && i < term->count; i++)
		values = step(compiler, &values, term->as.items[i]);
	return values;
}

static bool learn(struct bl_compiler *compiler, struct bl_known *known,
		  const struct bl_rego_term *var, const struct values *values)
{
	struct bl_known_name *room;

	if (var->kind != BL_TERM_VAR || var->slot < 0 || !values->all)
		return false;
	if (bl_known_find(known, var))
		return true;
	room = bl_arena_room(compiler->arena, known->names, known->count,
			     &known->cap, sizeof(*room));
	if (!room) {
		compiler->failed_memory = true;
		return false;
	}
	known->names = room;
	room[known->count++] = (struct bl_known_name){ var->slot, values->terms,
						       values->count };
	return true;
}

const struct bl_known_name *bl_known_find(const struct bl_known *known,
					  const struct bl_rego_term *term)
{
	if (term->kind != BL_TERM_VAR || term->slot < 0)
		return NULL;
	for (size_t i = 0; i < known->count; i++)
		if (known->names[i].slot == term->slot)
			return &known->names[i];
	return NULL;
}

static void learn_equation(struct bl_compiler *compiler, struct bl_known *known,
			   const struct bl_rego_term *a,
			   const struct bl_rego_term *b)
{
	struct values values;

	if (a->kind == BL_TERM_VAR) {
		values = values_of(compiler, known, b);
		if (learn(compiler, known, a, &values))
			return;
	}
	if (b->kind == BL_TERM_VAR) {
		values = values_of(compiler, known, a);
		learn(compiler, known, b, &values);
	}
}

void bl_known_learn(struct bl_compiler *compiler, struct bl_known *known,
		    const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *term;
	struct values values;

	if (expr->negated || expr->with_count)
		return;
	if (expr->kind == BL_EXPR_SOME_IN) {
		uint32_t last = expr->term_count - 1;

		values = values_of(compiler, known, expr->terms[last]);
		if (values.all)
			values = step(compiler, &values,
				      last == 2 ? expr->terms[0] : NULL);
		learn(compiler, known, expr->terms[last - 1], &values);
	}
	if (expr->kind != BL_EXPR_TERM)
		return;
	term = expr->terms[0];
	if (term->kind == BL_TERM_CALL && term->count == 3 &&
	    term->as.items[0]->kind == BL_TERM_VAR &&
	    (bl_str_is(term->as.items[0]->as.name, "eq") ||
	     bl_str_is(term->as.items[0]->as.name, "assign")))
		learn_equation(compiler, known, term->as.items[1],
			       term->as.items[2]);
}

bool bl_known_values(struct bl_compiler *compiler, const struct bl_known *known,
		     const struct bl_rego_term *term,
		     struct bl_known_name *out_values)
{
	const struct bl_known_name *name = bl_known_find(known, term);
	struct values values;

	if (name)
		*out_values = *name;
	if (name || term->kind != BL_TERM_REF)
		return name != NULL;
	values = values_of(compiler, known, term);
	*out_values = (struct bl_known_name){ BL_SLOT_NONE, values.terms,
					      values.count };
	return values.all;
}
