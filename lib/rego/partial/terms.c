/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: variables, copies of terms, constants.  A term whose
 * value is known as a whole is one SCALAR, whatever kind of value it is.
 */
#include "rego/compiler/parse/visit.h"
#include "rego/partial/private.h"

bool bl_partial_no_memory(struct bl_partial *pe)
{
	if (!pe->status)
		pe->status = bl_arena_fail(pe->arena, pe->err);
	if (!pe->status)
		pe->status = bl_fail_memory(pe->err);
	return false;
}

bool bl_partial_enter(struct bl_partial *pe)
{
	const struct bl_rego_options *run = &pe->options->run;

	if (run->is_over && pe->steps % 64 == 0 &&
	    run->is_over(run->is_over_context))
		pe->status = bl_fail(pe->err, BL_LIMIT,
				     "partial evaluation took too long");
	else if (++pe->steps > BL_PARTIAL_MAX_STEPS)
		pe->status = bl_fail(pe->err, BL_LIMIT,
				     "partial evaluation takes more than %d "
				     "steps",
				     BL_PARTIAL_MAX_STEPS);
	else if (pe->depth == BL_PARTIAL_MAX_DEPTH)
		pe->status = bl_fail(pe->err, BL_LIMIT,
				     "partial evaluation is more than %d "
				     "statements deep",
				     BL_PARTIAL_MAX_DEPTH);
	if (pe->status)
		return false;
	pe->depth++;
	return true;
}

void bl_partial_leave(struct bl_partial *pe)
{
	pe->depth--;
}

void *bl_partial_grow(struct bl_partial *pe, void *items, size_t count,
		      size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : 8;
	void *copy;

	if (count < *cap)
		return items;
	copy = more < SIZE_MAX / 2 / size
		       ? bl_arena_alloc(pe->arena, more * size)
		       : NULL;
	if (!copy) {
		bl_partial_no_memory(pe);
		return NULL;
	}
	if (count)
		memcpy(copy, items, count * size);
	*cap = more;
	return copy;
}

/* ---- new terms ------------------------------------------------------------ */

struct bl_rego_term *bl_partial_term(struct bl_partial *pe,
				     enum bl_rego_term_kind kind,
				     uint32_t count)
{
	struct bl_rego_term *t = bl_arena_new(pe->arena, struct bl_rego_term);

	if (t) {
		t->kind = (uint8_t)kind;
		t->count = count;
		t->slot = BL_SLOT_NONE;
		t->as.items = bl_arena_new_array(
			pe->arena, struct bl_rego_term *, count ? count : 1);
	}
	if (t && t->as.items)
		return t;
	bl_partial_no_memory(pe);
	return NULL;
}

struct bl_rego_term *bl_partial_constant(struct bl_partial *pe,
					 struct bl_value value)
{
	struct bl_rego_term *t = bl_arena_new(pe->arena, struct bl_rego_term);

	if (!t || !bl_value_is_defined(value)) {
		bl_partial_no_memory(pe);
		return NULL;
	}
	t->kind = BL_TERM_SCALAR;
	t->slot = BL_SLOT_NONE;
	t->as.value = value;
	return t;
}

static struct bl_rego_term *new_name(struct bl_partial *pe, struct bl_str name,
				     int32_t slot)
{
	struct bl_rego_term *t = bl_arena_new(pe->arena, struct bl_rego_term);

	if (!t) {
		bl_partial_no_memory(pe);
		return NULL;
	}
	t->kind = BL_TERM_VAR;
	t->as.name = name;
	t->slot = slot;
	return t;
}

struct bl_rego_term *bl_partial_root(struct bl_partial *pe, const char *name)
{
	return new_name(pe, bl_str(name), BL_SLOT_NONE);
}

struct bl_rego_term *bl_partial_root_named(struct bl_partial *pe,
					   struct bl_str name)
{
	return new_name(pe, name, BL_SLOT_NONE);
}

int32_t bl_partial_new_vars(struct bl_partial *pe, size_t count)
{
	size_t first = pe->var_count;

	if (first + count > INT32_MAX / 2) {
		bl_partial_no_memory(pe);
		return -1;
	}
	while (pe->var_count < first + count) {
		struct bl_partial_var *vars =
			bl_partial_grow(pe, pe->vars, pe->var_count,
					&pe->var_cap, sizeof(*pe->vars));

		if (!vars)
			return -1;
		pe->vars = vars;
		pe->vars[pe->var_count++] = (struct bl_partial_var){ 0 };
	}
	return (int32_t)first;
}

struct bl_rego_term *bl_partial_var(struct bl_partial *pe, int32_t id)
{
	return id < 0 ? NULL : new_name(pe, pe->vars[id].name, id);
}

struct bl_rego_term *bl_partial_fresh(struct bl_partial *pe)
{
	return bl_partial_var(pe, bl_partial_new_vars(pe, 1));
}

/* ---- statements ----------------------------------------------------------- */

struct bl_rego_expr *bl_partial_expr(struct bl_partial *pe,
				     struct bl_rego_term *only)
{
	struct bl_rego_expr *statement =
		bl_arena_new(pe->arena, struct bl_rego_expr);
	struct bl_rego_term **terms =
		bl_arena_new_array(pe->arena, struct bl_rego_term *, 1);

	if (!statement || !terms || !only) {
		bl_partial_no_memory(pe);
		return NULL;
	}
	terms[0] = only;
	statement->kind = BL_EXPR_TERM;
	statement->term_count = 1;
	statement->terms = terms;
	return statement;
}

struct bl_rego_expr *bl_partial_equality(struct bl_partial *pe,
					 struct bl_rego_term *a,
					 struct bl_rego_term *b)
{
	struct bl_rego_term *call = bl_partial_term(pe, BL_TERM_CALL, 3);

	if (!call || !a || !b)
		return NULL;
	call->infix = true;
	call->as.items[0] = bl_partial_root(pe, "eq");
	call->as.items[1] = a;
	call->as.items[2] = b;
	return call->as.items[0] ? bl_partial_expr(pe, call) : NULL;
}

bool bl_partial_is_equality(const struct bl_rego_expr *statement)
{
	const struct bl_rego_term *call;

	if (statement->kind != BL_EXPR_TERM)
		return false;
	call = statement->terms[0];
	return call->kind == BL_TERM_CALL && call->count == 3 &&
	       call->as.items[0]->kind == BL_TERM_VAR &&
	       bl_str_is(call->as.items[0]->as.name, "eq");
}

/* ---- copies --------------------------------------------------------------- */

/* One constant for an array, set or object whose items are all known. */
static struct bl_rego_term *fold(struct bl_partial *pe, struct bl_rego_term *t)
{
	struct bl_value *values;
	struct bl_value whole;

	if (t->kind != BL_TERM_ARRAY && t->kind != BL_TERM_SET &&
	    t->kind != BL_TERM_OBJECT)
		return t;
	for (uint32_t i = 0; i < t->count; i++)
		if (t->as.items[i]->kind != BL_TERM_SCALAR)
			return t;
	values = bl_arena_new_array(pe->arena, struct bl_value, t->count + 1);
	if (!values) {
		bl_partial_no_memory(pe);
		return NULL;
	}
	for (uint32_t i = 0; i < t->count; i++)
		values[i] = t->as.items[i]->as.value;
	if (t->kind == BL_TERM_ARRAY) {
		whole = bl_array_make(pe->arena, values, t->count);
	} else if (t->kind == BL_TERM_SET) {
		whole = bl_set_make(pe->arena, values, t->count);
	} else {
		struct bl_member *members = bl_arena_new_array(
			pe->arena, struct bl_member, t->count / 2 + 1);

		if (!members)
			return bl_partial_no_memory(pe), NULL;
		for (uint32_t i = 0; i < t->count; i += 2)
			members[i / 2] =
				(struct bl_member){ values[i], values[i + 1] };
		whole = bl_object_make(pe->arena, members, t->count / 2, NULL);
	}
	return bl_partial_constant(pe, whole);
}

/* The parts of a reference whose head has become one itself. */
static struct bl_rego_term *splice(struct bl_partial *pe,
				   struct bl_rego_term *ref)
{
	struct bl_rego_term *head = ref->as.items[0];
	struct bl_rego_term *whole;

	if (head->kind != BL_TERM_REF)
		return ref;
	whole = bl_partial_term(pe, BL_TERM_REF, head->count + ref->count - 1);
	if (!whole)
		return NULL;
	memcpy(whole->as.items, head->as.items,
	       head->count * sizeof(*head->as.items));
	memcpy(whole->as.items + head->count, ref->as.items + 1,
	       (ref->count - 1) * sizeof(*head->as.items));
	return whole;
}

/* A constant as it is written: arrays and the like with their items. */
static struct bl_rego_term *open_constant(struct bl_partial *pe,
					  struct bl_value value)
{
	static const uint8_t kinds[BL_KIND_COUNT] = {
		[BL_KIND_ARRAY] = BL_TERM_ARRAY,
		[BL_KIND_SET] = BL_TERM_SET,
		[BL_KIND_OBJECT] = BL_TERM_OBJECT,
	};
	uint8_t kind = kinds[bl_value_kind(value)];
	size_t count = kind ? bl_value_count(value) : 0;
	struct bl_rego_term *t;

	if (!kind)
		return bl_partial_constant(pe, value);
	t = bl_partial_term(
		pe, (enum bl_rego_term_kind)kind,
		(uint32_t)(kind == BL_TERM_OBJECT ? count * 2 : count));
	for (size_t i = 0; t && i < count; i++) {
		size_t at = kind == BL_TERM_OBJECT
				    ? bl_object_sorted_index(value, i)
				    : i;

		if (kind == BL_TERM_OBJECT) {
			t->as.items[i * 2] =
				open_constant(pe, bl_object_key(value, at));
			t->as.items[i * 2 + 1] =
				open_constant(pe, bl_object_value(value, at));
		} else {
			t->as.items[i] =
				open_constant(pe, bl_value_item(value, i));
		}
	}
	return pe->status ? NULL : t;
}

struct bl_rego_term *bl_partial_copy(struct bl_partial_copier *copier,
				     const struct bl_rego_term *t)
{
	struct bl_partial *pe = copier->pe;
	struct bl_rego_term *copy;

	if (bl_partial_is_var(t))
		return copier->leaf(copier, t);
	if (t->kind == BL_TERM_SCALAR && copier->open)
		return open_constant(pe, t->as.value);
	copy = bl_arena_new(pe->arena, struct bl_rego_term);
	if (!copy) {
		bl_partial_no_memory(pe);
		return NULL;
	}
	*copy = *t;
	if (t->kind == BL_TERM_SCALAR || t->kind == BL_TERM_VAR)
		return copy;
	copy->as.items = bl_arena_new_array(pe->arena, struct bl_rego_term *,
					    t->count ? t->count : 1);
	if (!copy->as.items) {
		bl_partial_no_memory(pe);
		return NULL;
	}
	for (uint32_t i = 0; i < t->count; i++) {
		copy->as.items[i] = bl_partial_copy(copier, t->as.items[i]);
		if (!copy->as.items[i])
			return NULL;
	}
	if (bl_partial_is_closure(t)) {
		copy->body = bl_partial_copy_body(copier, t->body);
		return copy->body ? copy : NULL;
	}
	if (t->kind == BL_TERM_REF)
		return splice(pe, copy);
	return copier->fold ? fold(pe, copy) : copy;
}

struct bl_rego_expr *bl_partial_copy_expr(struct bl_partial_copier *copier,
					  const struct bl_rego_expr *statement)
{
	struct bl_arena *arena = copier->pe->arena;
	struct bl_rego_expr *copy = bl_arena_new(arena, struct bl_rego_expr);

	if (!copy)
		return bl_partial_no_memory(copier->pe), NULL;
	*copy = *statement;
	copy->terms = bl_arena_new_array(arena, struct bl_rego_term *,
					 statement->term_count + 1);
	copy->bodies = bl_arena_new_array(arena, struct bl_rego_body *,
					  statement->body_count + 1);
	copy->withs = bl_arena_new_array(arena, struct bl_rego_with,
					 statement->with_count + 1);
	if (!copy->terms || !copy->bodies || !copy->withs)
		return bl_partial_no_memory(copier->pe), NULL;
	for (uint32_t i = 0; i < statement->term_count; i++)
		copy->terms[i] = bl_partial_copy(copier, statement->terms[i]);
	for (uint32_t i = 0; i < statement->body_count; i++)
		copy->bodies[i] =
			bl_partial_copy_body(copier, statement->bodies[i]);
	for (uint32_t i = 0; i < statement->with_count; i++) {
		copy->withs[i].target = statement->withs[i].target;
		copy->withs[i].value =
			bl_partial_copy(copier, statement->withs[i].value);
	}
	return copier->pe->status ? NULL : copy;
}

struct bl_rego_body *bl_partial_copy_body(struct bl_partial_copier *copier,
					  const struct bl_rego_body *body)
{
	struct bl_arena *arena = copier->pe->arena;
	struct bl_rego_body *copy = bl_arena_new(arena, struct bl_rego_body);

	if (!copy)
		return bl_partial_no_memory(copier->pe), NULL;
	*copy = *body;
	copy->slot_from += copier->base;
	copy->slot_to += copier->base;
	copy->exprs = bl_arena_new_array(arena, struct bl_rego_expr *,
					 body->count + 1);
	if (!copy->exprs)
		return bl_partial_no_memory(copier->pe), NULL;
	for (size_t i = 0; i < body->count; i++)
		copy->exprs[i] = bl_partial_copy_expr(copier, body->exprs[i]);
	return copier->pe->status ? NULL : copy;
}

static struct bl_rego_term *renamed(struct bl_partial_copier *copier,
				    const struct bl_rego_term *var)
{
	struct bl_partial_var *own =
		&copier->pe->vars[var->slot + copier->base];

	if (!own->name.len)
		own->name = var->as.name;
	return new_name(copier->pe, own->name, var->slot + copier->base);
}

struct bl_rego_term *bl_partial_rename(struct bl_partial *pe,
				       const struct bl_rego_term *t,
				       int32_t base)
{
	struct bl_partial_copier copier = { .pe = pe,
					    .leaf = renamed,
					    .base = base };

	return bl_partial_copy(&copier, t);
}

struct bl_rego_body *bl_partial_rename_body(struct bl_partial *pe,
					    const struct bl_rego_body *body,
					    int32_t base)
{
	struct bl_partial_copier copier = { .pe = pe,
					    .leaf = renamed,
					    .base = base };

	return bl_partial_copy_body(&copier, body);
}

struct bl_rego_term *bl_partial_deref(const struct bl_partial *pe,
				      struct bl_rego_term *t)
{
	while (bl_partial_is_var(t) && pe->vars[t->slot].value)
		t = pe->vars[t->slot].value;
	return t;
}

static struct bl_rego_term *plugged(struct bl_partial_copier *copier,
				    const struct bl_rego_term *var)
{
	struct bl_partial *pe = copier->pe;
	struct bl_rego_term *value = pe->vars[var->slot].value;

	if (!value)
		return new_name(pe, var->as.name, var->slot);
	return bl_partial_copy(copier, value);
}

struct bl_rego_term *bl_partial_plug(struct bl_partial *pe,
				     struct bl_rego_term *t)
{
	struct bl_partial_copier copier = { .pe = pe,
					    .leaf = plugged,
					    .fold = true };

	return t->kind == BL_TERM_SCALAR ? t : bl_partial_copy(&copier, t);
}

struct bl_rego_expr *bl_partial_plug_expr(struct bl_partial *pe,
					  const struct bl_rego_expr *statement)
{
	struct bl_partial_copier copier = { .pe = pe,
					    .leaf = plugged,
					    .fold = true };

	return bl_partial_copy_expr(&copier, statement);
}

struct bl_rego_body *bl_partial_plug_body(struct bl_partial *pe,
					  const struct bl_rego_body *body)
{
	struct bl_partial_copier copier = { .pe = pe,
					    .leaf = plugged,
					    .fold = true };

	return bl_partial_copy_body(&copier, body);
}

/* ---- looking -------------------------------------------------------------- */

bool bl_partial_equal(const struct bl_rego_term *a,
		      const struct bl_rego_term *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == BL_TERM_SCALAR)
		return bl_value_equal(a->as.value, b->as.value);
	if (a->kind == BL_TERM_VAR)
		return a->slot == b->slot &&
		       (a->slot >= 0 || bl_str_equal(a->as.name, b->as.name));
	if (bl_partial_is_closure(a) || a->count != b->count)
		return a == b;
	for (uint32_t i = 0; i < a->count; i++)
		if (!bl_partial_equal(a->as.items[i], b->as.items[i]))
			return false;
	return true;
}

bool bl_partial_is_array(const struct bl_rego_term *t)
{
	return t->kind == BL_TERM_ARRAY ||
	       (t->kind == BL_TERM_SCALAR &&
		bl_value_is(t->as.value, BL_KIND_ARRAY));
}

bool bl_partial_is_object(const struct bl_rego_term *t)
{
	return t->kind == BL_TERM_OBJECT ||
	       (t->kind == BL_TERM_SCALAR &&
		bl_value_is(t->as.value, BL_KIND_OBJECT));
}

size_t bl_partial_item_count(const struct bl_rego_term *t)
{
	if (t->kind == BL_TERM_SCALAR)
		return t->as.value.kind >= BL_KIND_ARRAY
			       ? bl_value_count(t->as.value)
			       : 0;
	return t->kind == BL_TERM_OBJECT ? t->count / 2 : t->count;
}

struct bl_rego_term *bl_partial_item(struct bl_partial *pe,
				     const struct bl_rego_term *t, size_t i)
{
	if (t->kind == BL_TERM_OBJECT)
		return t->as.items[i * 2 + 1];
	if (t->kind != BL_TERM_SCALAR)
		return t->as.items[i];
	if (bl_value_is(t->as.value, BL_KIND_OBJECT))
		return bl_partial_constant(
			pe,
			bl_object_value(t->as.value, bl_object_sorted_index(
							     t->as.value, i)));
	return bl_partial_constant(pe, bl_value_item(t->as.value, i));
}

struct bl_rego_term *bl_partial_key(struct bl_partial *pe,
				    const struct bl_rego_term *t, size_t i)
{
	if (t->kind == BL_TERM_OBJECT)
		return t->as.items[i * 2];
	if (bl_partial_is_object(t))
		return bl_partial_constant(
			pe,
			bl_object_key(t->as.value,
				      bl_object_sorted_index(t->as.value, i)));
	if (bl_partial_is_array(t))
		return bl_partial_constant(pe, bl_value_integer((int64_t)i));
	return bl_partial_item(pe, t, i); /* of a set */
}

struct each_var {
	struct bl_visitor walk; /* first: the functions are given this */
	struct bl_partial_visitor *visitor;
};

static bool see_term(struct bl_visitor *walk, const struct bl_rego_term *t)
{
	struct bl_partial_visitor *visitor = ((struct each_var *)walk)->visitor;

	if (bl_partial_is_var(t))
		visitor->visit(visitor, t);
	if (t->kind != BL_TERM_CALL &&
	    !(t->kind == BL_TERM_REF && visitor->skip_heads))
		return t->kind != BL_TERM_TEMPLATE;
	bl_visit_terms(walk, t->as.items + 1, t->count - 1);
	return false;
}

static bool see_body(struct bl_visitor *walk, const struct bl_rego_body *body)
{
	(void)body;
	return ((struct each_var *)walk)->visitor->closed;
}

void bl_partial_each_var(struct bl_partial_visitor *visitor,
			 const struct bl_rego_term *t)
{
	struct each_var each = { { .term = see_term, .body = see_body },
				 visitor };

	bl_visit_term(&each.walk, t);
}

void bl_partial_each_var_of(struct bl_partial_visitor *visitor,
			    const struct bl_rego_expr *statement)
{
	struct each_var each = { { .term = see_term, .body = see_body },
				 visitor };

	bl_visit_expr(&each.walk, statement);
}
