/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: statements that depend on nothing unknown.  The machine
 * evaluates each as a query of its own, with the values of variables in place;
 * variables without one are named after their numbers, and get theirs from its
 * solutions.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rego/partial/private.h"
#include "rego/runtime/private.h"

enum { NAME_BYTES = 24 };

/* "v12" for variable 12. */
static struct bl_rego_term *by_number(struct bl_partial_copier *copier,
				      const struct bl_rego_term *var)
{
	struct bl_partial *pe = copier->pe;
	struct bl_str name = bl_arena_printf(pe->arena, "v%d", (int)var->slot);
	struct bl_rego_term *copy = bl_partial_var(pe, var->slot);

	if (!copy || !name.ptr)
		return bl_partial_no_memory(pe), NULL;
	copy->as.name = name;
	copy->slot = 0;
	return copy;
}

/* A syntax tree as if it had been written. */
static struct bl_rego_expr *as_written(struct bl_partial *pe,
				       const struct bl_rego_expr *statement)
{
	struct bl_partial_copier copier = { .pe = pe,
					    .leaf = by_number,
					    .open = true };
	struct bl_rego_expr *given = bl_partial_plug_expr(pe, statement);

	return given ? bl_partial_copy_expr(&copier, given) : NULL;
}

static bool fail_fault(struct bl_partial *pe,
		       const struct bl_rego_result *result)
{
	pe->out->fault_code = result->fault_code;
	pe->out->fault = result->fault;
	pe->status =
		bl_fail(pe->err, BL_INVALID, "%.*s", BL_STR_ARG(result->fault));
	return false;
}

/* Solutions as bl_rego_run gives them. */
static bool ask(struct bl_partial *pe, const struct bl_rego_expr *statement,
		struct bl_value *out_solutions)
{
	struct bl_rego_prepared prepared = {
		.program = pe->policies->program,
	};
	struct bl_rego_expr *written = as_written(pe, statement);
	struct bl_rego_body body = { .exprs = &written, .count = 1 };
	struct bl_query query = { .body = &body, .is_checked = true };
	struct bl_rego_result result = { 0 };
	struct bl_diags diags;

	if (!written)
		return false;
	bl_diags_init(&diags, pe->arena);
	pe->status = bl_program_add_query(&prepared.program, &query, pe->arena,
					  &diags, &prepared.function, pe->err);
	if (!pe->status)
		pe->status = bl_rego_run(&prepared, &pe->options->run,
					 pe->arena, &result, pe->err);
	if (pe->status == BL_INVALID && diags.first)
		bl_fail(pe->err, BL_INVALID, "%.*s",
			BL_STR_ARG(diags.first->message));
	if (pe->status)
		return false;
	if (result.fault_code)
		return fail_fault(pe, &result);
	*out_solutions = result.solutions;
	return true;
}

/* Gives variables the values of one solution; *out_count of them, in ids. */
static bool bind(struct bl_partial *pe, struct bl_value bindings, int32_t *ids,
		 size_t *out_count)
{
	for (size_t i = 0; i < bl_value_count(bindings); i++) {
		struct bl_str name = bl_value_text(bl_object_key(bindings, i));
		char text[NAME_BYTES];
		int32_t id;
		struct bl_rego_term *given;

		if (name.len < 2 || name.ptr[0] != 'v' ||
		    name.len >= sizeof(text))
			continue;
		snprintf(text, sizeof(text), "%.*s", BL_STR_ARG(name));
		id = (int32_t)strtol(text + 1, NULL, 10);
		if (id < 0 || (size_t)id >= pe->var_count || pe->vars[id].value)
			continue;
		given = bl_partial_constant(pe, bl_object_value(bindings, i));
		if (!given)
			return false;
		pe->vars[id].value = given;
		ids[(*out_count)++] = id;
	}
	return true;
}

bool bl_partial_known(struct bl_partial *pe,
		      const struct bl_rego_expr *statement,
		      const struct bl_partial_next *next)
{
	struct bl_rego_expr all = *statement;
	struct bl_rego_with *withs = bl_arena_new_array(
		pe->arena, struct bl_rego_with,
		statement->with_count + pe->withs.known_count + 1);
	struct bl_value solutions;

	if (!withs)
		return bl_partial_no_memory(pe);
	for (uint32_t i = 0; i < pe->withs.known_count; i++)
		withs[i] = pe->withs.known[i];
	for (uint32_t i = 0; i < statement->with_count; i++)
		withs[pe->withs.known_count + i] = statement->withs[i];
	all.with_count += pe->withs.known_count;
	all.withs = withs;
	if (!ask(pe, &all, &solutions))
		return false;
	for (size_t i = 0; i < bl_value_count(solutions); i++) {
		struct bl_value one = bl_value_item(solutions, i);
		struct bl_value bindings =
			bl_object_find(one, BL_STR("bindings"));
		struct bl_value shown = bl_value_item(
			bl_object_find(one, BL_STR("expressions")), 0);
		int32_t *ids = bl_arena_new_array(pe->arena, int32_t,
						  bl_value_count(bindings) + 1);
		size_t count = 0;
		bool ok;

		if (!ids)
			return bl_partial_no_memory(pe);
		if (bl_value_is(shown, BL_KIND_BOOLEAN) &&
		    !bl_value_is_true(shown))
			continue;
		ok = bind(pe, bindings, ids, &count) && bl_partial_go(pe, next);
		for (size_t j = 0; j < count; j++)
			pe->vars[ids[j]].value = NULL;
		if (!ok)
			return false;
	}
	return true;
}

struct bl_rego_term *bl_partial_known_value(struct bl_partial *pe,
					    const struct bl_rego_term *ref,
					    uint32_t count, bool *ok)
{
	struct bl_rego_term *prefix = bl_partial_term(pe, BL_TERM_REF, count);
	struct bl_rego_term *name = bl_partial_fresh(pe);
	struct bl_rego_expr *statement;
	struct bl_value solutions;

	*ok = false;
	if (!prefix || !name)
		return NULL;
	memcpy(prefix->as.items, ref->as.items, count * sizeof(*ref->as.items));
	statement = bl_partial_equality(pe, name, prefix);
	if (!statement)
		return NULL;
	statement->withs = (struct bl_rego_with *)(uintptr_t)pe->withs.known;
	statement->with_count = pe->withs.known_count;
	if (!ask(pe, statement, &solutions))
		return NULL;
	*ok = true;
	if (!bl_value_count(solutions))
		return NULL;
	return bl_partial_constant(
		pe, bl_object_value(bl_object_find(bl_value_item(solutions, 0),
						   BL_STR("bindings")),
				    0));
}
