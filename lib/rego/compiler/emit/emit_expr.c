/* SPDX-License-Identifier: Apache-2.0 */
/* Code for statements: unification, tests, negation, some, every, with. */
#include "rego/compiler/emit/private.h"

static void emit_positive(struct bl_emitter *e,
			  const struct bl_rego_expr *expr);

/* The state that a block inside a statement must restore. */
struct saved {
	bl_label fail;
	struct bl_bound bound;
	uint32_t known_from;
	uint32_t known_count;
	uint32_t hoisted_from;
	uint32_t loop_count;
};

/* Begins a block whose failures go to end. */
static struct saved begin_block(struct bl_emitter *e, bl_label end)
{
	struct saved saved = { e->fail,        e->bound,        e->known_from,
			       e->known_count, e->hoisted_from, e->loop_count };

	e->bound = bl_bound_copy(e->builder->compiler->arena, &saved.bound);
	if (!e->bound.words) {
		e->failed = true;
		e->bound = saved.bound;
	}
	e->fail = end;
	return saved;
}

static void end_block(struct bl_emitter *e, struct saved saved)
{
	e->fail = saved.fail;
	e->bound = saved.bound;
	e->known_from = saved.known_from;
	e->known_count = saved.known_count;
	e->hoisted_from = saved.hoisted_from;
	e->loop_count = saved.loop_count;
}

/* ---- unification ---------------------------------------------------------------------- */

static void emit_unify(struct bl_emitter *e, const struct bl_rego_term *a,
		       const struct bl_rego_term *b);

/* Two arrays or objects, pair by pair as they become ready. */
static void emit_pairs(struct bl_emitter *e, const struct bl_rego_term *a,
		       const struct bl_rego_term *b)
{
	uint32_t step = a->kind == BL_TERM_OBJECT ? 2 : 1;
	bool *done = bl_arena_new_array(e->builder->compiler->arena, bool,
					a->count + 1);
	bool progress = true;

	if (!done) {
		e->failed = true;
		return;
	}
	while (progress) {
		progress = false;
		for (uint32_t i = step - 1; i < a->count; i += step) {
			if (done[i] ||
			    !bl_bound_can_unify(e->resolver, &e->bound,
						a->as.items[i], b->as.items[i]))
				continue;
			emit_unify(e, a->as.items[i], b->as.items[i]);
			done[i] = progress = true;
		}
	}
}

/* Two known values, shown to the observer before they are compared. */
static void emit_equal(struct bl_emitter *e, const struct bl_rego_term *a,
		       const struct bl_rego_term *b)
{
	bl_register left = bl_emit_value(e, a);
	bl_register right = bl_emit_value(e, b);

	bl_emit_note_operands(e, left, right);
	EMIT(e, JUMP_UNLESS_EQUAL, .b = left, .c = right, .j = e->fail);
}

static void emit_unify(struct bl_emitter *e, const struct bl_rego_term *a,
		       const struct bl_rego_term *b)
{
	if (bl_terms_have_same_shape(a, b) &&
	    (bl_bound_leaves_free(&e->bound, a) ||
	     bl_bound_leaves_free(&e->bound, b)))
		emit_pairs(e, a, b);
	else if (bl_bound_leaves_free(&e->bound, b) || !bl_emit_is_ready(e, b))
		bl_emit_match(e, b, bl_emit_value(e, a));
	else if (bl_emit_observes(e) && bl_emit_is_ready(e, a))
		emit_equal(e, a, b);
	else
		bl_emit_match(e, a, bl_emit_value(e, b));
}

/* ---- plain statements ------------------------------------------------------------------- */

static bool calls(const struct bl_rego_term *term, const char *builtin)
{
	return term->kind == BL_TERM_CALL && term->count == 3 &&
	       term->as.items[0]->kind == BL_TERM_VAR &&
	       bl_str_is(term->as.items[0]->as.name, builtin);
}

/* x == constant, either way round. */
static bool emit_constant_test(struct bl_emitter *e,
			       const struct bl_rego_term *term)
{
	struct bl_rego_term **items = term->as.items;
	bool first = bl_term_is_constant(items[1]);
	bl_register value;

	if (!calls(term, "equal") || first == bl_term_is_constant(items[2]))
		return false;
	value = bl_emit_value(e, items[first ? 2 : 1]);
	EMIT(e, JUMP_UNLESS_CONSTANT, .b = value,
	     .n = bl_emit_constant(
		     e, bl_emit_make_constant(e, items[first ? 1 : 2])),
	     .j = e->fail);
	return true;
}

static void emit_statement(struct bl_emitter *e,
			   const struct bl_rego_term *term)
{
	bl_register operands[2];

	if (calls(term, "eq") || calls(term, "assign")) {
		emit_unify(e, term->as.items[1], term->as.items[2]);
		return;
	}
	if (term->kind == BL_TERM_CALL && term->count == 3 &&
	    term->as.items[0]->kind == BL_TERM_VAR &&
	    bl_rego_is_comparison(term->as.items[0]->as.name)) {
		if (!bl_emit_observes(e) && emit_constant_test(e, term))
			return;
		bl_emit_operands(e, term->as.items + 1, operands);
		bl_emit_note_operands(e, operands[0], operands[1]);
		bl_emit_comparison(e, term->as.items[0]->as.name, operands,
				   e->fail);
		return;
	}
	operands[0] = bl_emit_value(e, term);
	EMIT(e, JUMP_UNLESS_TRUE, .b = operands[0], .j = e->fail);
}

/* ---- some, every ---------------------------------------------------------------------- */

static void emit_some_in(struct bl_emitter *e, const struct bl_rego_expr *expr)
{
	uint32_t last = expr->term_count - 1;
	bl_register domain = bl_emit_value(e, expr->terms[last]);
	struct bl_emit_round round;

	round = bl_emit_value_loop(e, domain, expr->terms[last - 1]);
	if (last == 2)
		bl_emit_match(e, expr->terms[0], round.key);
	bl_emit_match(e, expr->terms[last - 1], round.value);
}

static void emit_every(struct bl_emitter *e, const struct bl_rego_expr *expr)
{
	uint32_t last = expr->term_count - 1;
	bl_register domain = bl_emit_value(e, expr->terms[last]);
	bl_label end = bl_emit_new_label(e);
	bl_label no = bl_emit_new_label(e);
	bl_label next;
	struct saved saved;
	struct bl_emit_round round;

	EMIT(e, JUMP_UNLESS_COLLECTION, .b = domain, .j = e->fail);
	saved = begin_block(e, end);
	round = bl_emit_loop(e, domain);
	next = e->fail;
	e->fail = no;
	if (last == 2)
		bl_emit_match(e, expr->terms[0], round.key);
	bl_emit_match(e, expr->terms[last - 1], round.value);
	bl_emit_body(e, expr->bodies[0]);
	EMIT(e, JUMP, .j = next);
	bl_emit_place_label(e, no);
	EMIT(e, JUMP, .j = saved.fail);
	bl_emit_place_label(e, end);
	end_block(e, saved);
}

/* ---- not, and, or --------------------------------------------------------------------- */

/* Goes to `yes` when the body has a solution, else falls through. */
static void emit_test(struct bl_emitter *e, struct bl_rego_body *body,
		      bl_label yes)
{
	bl_label end = bl_emit_new_label(e);
	struct saved saved = begin_block(e, end);

	bl_emit_body(e, body);
	EMIT(e, JUMP, .j = yes);
	bl_emit_place_label(e, end);
	end_block(e, saved);
}

static void emit_logical(struct bl_emitter *e, const struct bl_rego_expr *expr)
{
	bl_label yes = bl_emit_new_label(e);

	for (uint32_t i = 0; i < expr->body_count; i++) {
		if (expr->is_or) {
			emit_test(e, expr->bodies[i], yes);
		} else {
			bl_label one = bl_emit_new_label(e);

			emit_test(e, expr->bodies[i], one);
			EMIT(e, JUMP, .j = e->fail);
			bl_emit_place_label(e, one);
		}
	}
	if (expr->is_or)
		EMIT(e, JUMP, .j = e->fail);
	bl_emit_place_label(e, yes);
}

/* A variable that has the value of a term now; NULL without memory. */
static struct bl_rego_term *evaluated(struct bl_emitter *e,
				      const struct bl_rego_term *term)
{
	struct bl_rego_term *var =
		bl_arena_new(e->builder->compiler->arena, struct bl_rego_term);

	if (!var)
		return NULL;
	var->kind = BL_TERM_VAR;
	var->range = term->range;
	var->slot = bl_register_slot(bl_emit_value(e, term));
	return var;
}

/* A copy of a reference or call whose items may be replaced. */
static struct bl_rego_term *copy_term(struct bl_emitter *e,
				      const struct bl_rego_term *term)
{
	struct bl_arena *arena = e->builder->compiler->arena;
	struct bl_rego_term *copy = bl_arena_new(arena, struct bl_rego_term);

	if (!copy)
		return NULL;
	*copy = *term;
	if (term->kind != BL_TERM_CALL && term->kind != BL_TERM_REF)
		return copy;
	copy->as.items =
		bl_arena_new_array(arena, struct bl_rego_term *, term->count);
	if (!copy->as.items)
		return NULL;
	memcpy(copy->as.items, term->as.items,
	       term->count * sizeof(struct bl_rego_term *));
	return copy;
}

/* The references and calls in the brackets of a reference. */
static struct bl_rego_term *pull_out_keys(struct bl_emitter *e,
					  const struct bl_rego_term *term)
{
	struct bl_rego_term *copy = copy_term(e, term);

	for (uint32_t i = 1;
	     copy && term->kind == BL_TERM_REF && i < term->count; i++)
		if (bl_term_is_pulled_out(term->as.items[i], false)) {
			copy->as.items[i] = evaluated(e, term->as.items[i]);
			if (!copy->as.items[i])
				return NULL;
		}
	return copy;
}

/*
 * The statement of a plain "not" with what stands before it evaluated first:
 * a copy of term in which those parts are registers.
 */
static struct bl_rego_term *pull_out(struct bl_emitter *e,
				     const struct bl_rego_term *term)
{
	bool of_equality = calls(term, "equal") || calls(term, "eq");
	struct bl_rego_term *copy;

	if (term->kind != BL_TERM_CALL)
		return pull_out_keys(e, term);
	copy = copy_term(e, term);
	for (uint32_t i = 1; copy && i < term->count; i++) {
		struct bl_rego_term *item = term->as.items[i];

		copy->as.items[i] = bl_term_is_pulled_out(item, of_equality)
					    ? evaluated(e, item)
					    : pull_out_keys(e, item);
		if (!copy->as.items[i])
			return NULL;
	}
	return copy;
}

static void emit_not(struct bl_emitter *e, const struct bl_rego_expr *expr)
{
	struct bl_rego_expr inner = *expr;
	struct bl_rego_term *term = NULL;
	bl_label end = bl_emit_new_label(e);
	struct saved saved;

	inner.negated = false;
	inner.with_count = 0;
	if (expr->kind == BL_EXPR_TERM && !e->block_not) {
		term = pull_out(e, expr->terms[0]);
		if (!term) {
			e->failed = true;
			return;
		}
		inner.terms = &term;
	}
	saved = begin_block(e, end);
	emit_positive(e, &inner);
	EMIT(e, JUMP, .j = saved.fail);
	bl_emit_place_label(e, end);
	end_block(e, saved);
}

static void emit_not_body(struct bl_emitter *e, const struct bl_rego_expr *expr)
{
	emit_test(e, expr->bodies[0], e->fail);
}

static void emit_positive(struct bl_emitter *e, const struct bl_rego_expr *expr)
{
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		emit_statement(e, expr->terms[0]);
		break;
	case BL_EXPR_SOME:
		break;
	case BL_EXPR_SOME_IN:
		emit_some_in(e, expr);
		break;
	case BL_EXPR_EVERY:
		emit_every(e, expr);
		break;
	case BL_EXPR_NOT_BODY:
		emit_not_body(e, expr);
		break;
	case BL_EXPR_LOGICAL:
		emit_logical(e, expr);
		break;
	}
}

static void emit_plain(struct bl_emitter *e, const struct bl_rego_expr *expr)
{
	if (expr->negated)
		emit_not(e, expr);
	else
		emit_positive(e, expr);
}

/* ---- with -------------------------------------------------------------------------------- */

/* The number of a function among the targets of "with", or BL_NO_FUNCTION. */
static uint32_t function_target(struct bl_emitter *e,
				const struct bl_rego_term *term)
{
	struct bl_rego_term *items[1] = { (
		struct bl_rego_term *)(uintptr_t)term };
	struct bl_rego_term call = { .kind = BL_TERM_CALL,
				     .count = 1,
				     .as.items = items };
	const struct bl_builtin *builtin = bl_call_builtin(&call);
	const struct bl_node *node;

	if (builtin)
		return BL_TARGET_BUILTIN | bl_emit_builtin_index(e, builtin);
	node = bl_call_node(e->builder->compiler, &call);
	return node ? node->function : BL_NO_FUNCTION;
}

/* One replacement whose value was computed outside. */
static void emit_replacement(struct bl_emitter *e,
			     const struct bl_rego_with *with, bl_register value,
			     uint32_t by)
{
	const struct bl_rego_term *target = with->target;
	uint32_t function = function_target(e, target);
	bool is_data = bl_term_is_root(target, "data") ||
		       (target->kind == BL_TERM_REF &&
			bl_term_is_root(target->as.items[0], "data"));
	uint32_t count = target->kind == BL_TERM_REF ? target->count - 1 : 0;
	bl_register keys;

	if (function != BL_NO_FUNCTION) {
		if (by != BL_NO_FUNCTION)
			EMIT(e, WITH_FUNCTION, .n = function, .j = by);
		else
			EMIT(e, WITH_CALL, .a = value, .n = function);
		return;
	}
	keys = bl_emit_values(e, target->as.items + 1, count);
	if (is_data)
		EMIT(e, WITH_DATA, .a = value, .b = keys, .c = (uint16_t)count);
	else
		EMIT(e, WITH_INPUT, .a = value, .b = keys,
		     .c = (uint16_t)count);
}

/* The slots that the statement binds, in a new array; *out_count of them. */
static int32_t *new_bindings(struct bl_emitter *e,
			     const struct bl_bound *before, size_t *out_count)
{
	int32_t *slots =
		bl_arena_new_array(e->builder->compiler->arena, int32_t,
				   (size_t)e->resolver->slot_count + 1);
	size_t count = 0;

	if (!slots)
		e->failed = true;
	for (int32_t i = 0; slots && i < e->resolver->slot_count; i++)
		if (bl_bound_has(&e->bound, i) && !bl_bound_has(before, i))
			slots[count++] = i;
	*out_count = count;
	return slots;
}

/*
 * Solutions are found under the replacements, kept in an array, and gone
 * through after the replacements have ended.
 */
static void emit_with(struct bl_emitter *e, const struct bl_rego_expr *expr)
{
	bl_register values = bl_emit_registers(e, expr->with_count);
	uint32_t *by = bl_arena_new_array(e->builder->compiler->arena, uint32_t,
					  expr->with_count);
	bl_register collector = bl_emit_registers(e, 2);
	bl_register tuple = (bl_register)(collector + 1);
	bl_label end = bl_emit_new_label(e);
	bl_register first;
	struct saved saved;
	int32_t *slots;
	size_t count;
	bl_register value;

	if (!by) {
		e->failed = true;
		return;
	}
	for (uint32_t i = 0; i < expr->with_count; i++) {
		bool is_function = function_target(e, expr->withs[i].target) !=
				   BL_NO_FUNCTION;

		by[i] = is_function ? function_target(e, expr->withs[i].value)
				    : BL_NO_FUNCTION;
		if (by[i] != BL_NO_FUNCTION)
			continue;
		value = bl_emit_value(e, expr->withs[i].value);
		bl_emit_move(e, (bl_register)(values + i), value);
	}
	EMIT(e, COLLECT_BEGIN, .a = collector, .n = BL_COLLECT_ARRAY);
	EMIT(e, WITH_BEGIN, .a = 0);
	saved = begin_block(e, end);
	e->known_from = e->known_count;
	e->hoisted_from = e->hoisted_count;
	for (uint32_t i = 0; i < expr->with_count; i++)
		emit_replacement(e, &expr->withs[i], (bl_register)(values + i),
				 by[i]);
	emit_plain(e, expr);
	slots = new_bindings(e, &saved.bound, &count);
	first = bl_emit_registers(e, count);
	for (size_t i = 0; slots && i < count; i++)
		bl_emit_move(e, (bl_register)(first + i),
			     bl_emit_slot(e, slots[i]));
	EMIT(e, MAKE_ARRAY, .a = tuple, .b = first, .c = (uint16_t)count);
	EMIT(e, COLLECT_VALUE, .a = collector, .b = tuple);
	EMIT(e, JUMP, .j = count ? e->fail : end);
	bl_emit_place_label(e, end);
	EMIT(e, WITH_END, .a = 0);
	EMIT(e, COLLECT_END, .a = tuple, .b = collector);
	end_block(e, saved);
	value = bl_emit_loop(e, tuple).value;
	for (size_t i = 0; slots && i < count; i++) {
		EMIT(e, INDEX_CONSTANT, .a = bl_emit_slot(e, slots[i]),
		     .b = value,
		     .n = bl_emit_constant(e, bl_value_integer((int64_t)i)),
		     .j = e->fail);
		bl_bound_add(&e->bound, slots[i]);
	}
}

void bl_emit_body(struct bl_emitter *e, struct bl_rego_body *body)
{
	struct bl_bound trial =
		bl_bound_copy(e->builder->compiler->arena, &e->bound);
	const struct bl_rego_body *outer = e->body;
	size_t outer_at = e->body_at;
	uint32_t outer_hoisted = e->hoisted_count;
	uint32_t mark;

	if (!trial.words || !bl_order_body(e->resolver, body, &trial)) {
		e->failed = true;
		return;
	}
	e->nesting++;
	for (size_t i = 0; i < body->count && !e->failed; i++) {
		e->body = body;
		e->body_at = i;
		e->place.offset = body->exprs[i]->range.from;
		mark = bl_emit_begin_statement(e, body->exprs[i]);
		if (body->exprs[i]->with_count)
			emit_with(e, body->exprs[i]);
		else
			emit_plain(e, body->exprs[i]);
		e->place.offset = body->exprs[i]->range.from;
		bl_emit_end_statement(e, body->exprs[i], mark);
	}
	e->nesting--;
	e->body = outer;
	e->body_at = outer_at;
	e->hoisted_count = outer_hoisted;
}
