/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: statements of bodies: tests, unification, negation, with. */
#include "rego/tools/plan_writer.h"

static void positive(struct plan_writer *w, const struct bl_rego_expr *expr);

struct bl_bound plan_enter(struct plan_writer *w)
{
	struct bl_bound saved = w->bound;

	w->bound = bl_bound_copy(w->arena, &saved);
	if (!w->bound.words) {
		plan_writer_fail(w, bl_arena_why(w->arena),
				 "there is no memory for it");
		w->bound = saved;
	}
	return saved;
}

void plan_leave(struct plan_writer *w, struct bl_bound bound)
{
	w->bound = bound;
}

static struct bl_value operand_of(struct plan_writer *w, uint32_t number)
{
	return plan_operand_value(w, plan_local_operand(number));
}

static void set_true(struct plan_writer *w, uint32_t target)
{
	const struct plan_operand yes = { PLAN_BOOLEAN, true };

	PLAN_ADD(w, "AssignVarStmt", { "source", plan_operand_value(w, yes) },
		 { "target", PLAN_NUMBER(target) });
}

/* ---- unification ------------------------------------------------------------------- */

static void unify(struct plan_writer *w, const struct bl_rego_term *a,
		  const struct bl_rego_term *b);

/* Two arrays or objects, pair by pair as they become ready. */
static void unify_pairs(struct plan_writer *w, const struct bl_rego_term *a,
			const struct bl_rego_term *b)
{
	uint32_t step = a->kind == BL_TERM_OBJECT ? 2 : 1;
	bool *done = bl_arena_new_array(w->arena, bool, a->count + 1);
	bool progress = done != NULL;

	while (progress && !w->status) {
		progress = false;
		for (uint32_t i = step - 1; i < a->count; i += step) {
			if (done[i] ||
			    !bl_bound_can_unify(w->resolver, &w->bound,
						a->as.items[i], b->as.items[i]))
				continue;
			unify(w, a->as.items[i], b->as.items[i]);
			done[i] = progress = true;
		}
	}
}

static void unify(struct plan_writer *w, const struct bl_rego_term *a,
		  const struct bl_rego_term *b)
{
	if (bl_terms_have_same_shape(a, b) &&
	    (bl_bound_leaves_free(&w->bound, a) ||
	     bl_bound_leaves_free(&w->bound, b)))
		unify_pairs(w, a, b);
	else if (bl_bound_leaves_free(&w->bound, b) || !plan_is_ready(w, b))
		plan_match(w, b, plan_value(w, a));
	else
		plan_match(w, a, plan_value(w, b));
}

/* ---- plain statements ---------------------------------------------------------------- */

static bool calls(const struct bl_rego_term *term, const char *builtin)
{
	return term->kind == BL_TERM_CALL && term->count == 3 &&
	       term->as.items[0]->kind == BL_TERM_VAR &&
	       bl_str_is(term->as.items[0]->as.name, builtin);
}

static void statement(struct plan_writer *w, const struct bl_rego_term *term)
{
	const struct plan_operand no = { PLAN_BOOLEAN, false };
	struct plan_operand value;

	if (calls(term, "eq") || calls(term, "assign")) {
		unify(w, term->as.items[1], term->as.items[2]);
		return;
	}
	value = plan_value(w, term);
	PLAN_ADD(w, "NotEqualStmt", { "a", plan_operand_value(w, value) },
		 { "b", plan_operand_value(w, no) });
}

/* ---- some, every ------------------------------------------------------------------------ */

static void match_round(struct plan_writer *w, const struct bl_rego_expr *expr,
			uint32_t key, uint32_t value)
{
	uint32_t last = expr->term_count - 1;

	if (last == 2)
		plan_match(w, expr->terms[0], plan_local_operand(key));
	plan_match(w, expr->terms[last - 1], plan_local_operand(value));
}

static void some_in(struct plan_writer *w, const struct bl_rego_expr *expr)
{
	uint32_t key;
	uint32_t value;

	plan_open_scan(w, plan_value(w, expr->terms[expr->term_count - 1]),
		       &key, &value);
	match_round(w, expr, key, value);
}

/* Goes on only when a block of these ended with a true condition. */
static void check_collection(struct plan_writer *w, uint32_t domain)
{
	static const char *const kinds[] = { "IsArrayStmt", "IsObjectStmt",
					     "IsSetStmt" };
	uint32_t ok = plan_new_local(w);

	PLAN_ADD(w, "ResetLocalStmt", { "target", PLAN_NUMBER(ok) });
	for (size_t i = 0; i < BL_COUNT(kinds); i++) {
		plan_open(w);
		PLAN_ADD(w, kinds[i], { "source", operand_of(w, domain) });
		set_true(w, ok);
		plan_add_block(w, plan_close(w));
	}
	PLAN_ADD(w, "IsDefinedStmt", { "source", PLAN_NUMBER(ok) });
}

/* No round may leave its condition undefined. */
static void every(struct plan_writer *w, const struct bl_rego_expr *expr)
{
	uint32_t domain = plan_as_local(
		w, plan_value(w, expr->terms[expr->term_count - 1]));
	struct bl_bound bound = plan_enter(w);
	uint32_t failed = plan_new_local(w);
	uint32_t held = plan_new_local(w);
	uint32_t key;
	uint32_t value;

	check_collection(w, domain);
	PLAN_ADD(w, "ResetLocalStmt", { "target", PLAN_NUMBER(failed) });
	plan_open(w);
	plan_open_scan(w, plan_local_operand(domain), &key, &value);
	PLAN_ADD(w, "ResetLocalStmt", { "target", PLAN_NUMBER(held) });
	plan_open(w);
	match_round(w, expr, key, value);
	plan_body(w, expr->bodies[0]);
	set_true(w, held);
	plan_add_block(w, plan_close(w));
	PLAN_ADD(w, "IsUndefinedStmt", { "source", PLAN_NUMBER(held) });
	set_true(w, failed);
	plan_add_block(w, plan_close(w));
	PLAN_ADD(w, "IsUndefinedStmt", { "source", PLAN_NUMBER(failed) });
	plan_leave(w, bound);
}

/* ---- not, and, or ------------------------------------------------------------------------- */

/* *out_held is defined behind it when the body has a solution. */
static void test(struct plan_writer *w, struct bl_rego_body *body,
		 uint32_t held)
{
	struct bl_bound bound = plan_enter(w);

	plan_open(w);
	plan_body(w, body);
	set_true(w, held);
	plan_add_block(w, plan_close(w));
	plan_leave(w, bound);
}

static void logical(struct plan_writer *w, const struct bl_rego_expr *expr)
{
	uint32_t held = plan_new_local(w);

	PLAN_ADD(w, "ResetLocalStmt", { "target", PLAN_NUMBER(held) });
	for (uint32_t i = 0; i < expr->body_count; i++) {
		if (expr->is_or && i) {
			plan_open(w);
			PLAN_ADD(w, "IsUndefinedStmt",
				 { "source", PLAN_NUMBER(held) });
			test(w, expr->bodies[i], held);
			plan_add_block(w, plan_close(w));
			continue;
		}
		if (i)
			PLAN_ADD(w, "ResetLocalStmt",
				 { "target", PLAN_NUMBER(held) });
		test(w, expr->bodies[i], held);
		if (!expr->is_or)
			PLAN_ADD(w, "IsDefinedStmt",
				 { "source", PLAN_NUMBER(held) });
	}
	PLAN_ADD(w, "IsDefinedStmt", { "source", PLAN_NUMBER(held) });
}

static void not_body(struct plan_writer *w, const struct bl_rego_expr *expr)
{
	uint32_t held = plan_new_local(w);

	PLAN_ADD(w, "ResetLocalStmt", { "target", PLAN_NUMBER(held) });
	test(w, expr->bodies[0], held);
	PLAN_ADD(w, "IsUndefinedStmt", { "source", PLAN_NUMBER(held) });
}

/* A variable that stands for the local of a value. */
static struct bl_rego_term *evaluated(struct plan_writer *w,
				      const struct bl_rego_term *item)
{
	struct bl_rego_term *var = bl_arena_new(w->arena, struct bl_rego_term);
	uint32_t number = plan_as_local(w, plan_value(w, item));

	if (var) {
		var->kind = BL_TERM_VAR;
		var->range = item->range;
		var->slot = BL_SLOT_NONE - 1 - (int32_t)number;
	}
	return var;
}

/* The term with what stands before a plain "not" evaluated. */
static struct bl_rego_term *pull_out(struct plan_writer *w,
				     struct bl_rego_term *term)
{
	struct bl_rego_term *copy = bl_arena_new(w->arena, struct bl_rego_term);
	bool of_equality = calls(term, "equal") || calls(term, "eq");

	if (!copy || term->kind != BL_TERM_CALL)
		return term;
	*copy = *term;
	copy->as.items = bl_arena_new_array(w->arena, struct bl_rego_term *,
					    term->count);
	for (uint32_t i = 0; copy->as.items && i < term->count; i++) {
		struct bl_rego_term *item = term->as.items[i];

		copy->as.items[i] =
			i && bl_term_is_pulled_out(item, of_equality)
				? evaluated(w, item)
				: item;
		if (!copy->as.items[i])
			return term;
	}
	return copy->as.items ? copy : term;
}

static void negated(struct plan_writer *w, const struct bl_rego_expr *expr)
{
	uint32_t held = plan_new_local(w);
	struct bl_rego_expr inner = *expr;
	struct bl_rego_term *term = NULL;
	struct bl_bound bound;

	inner.negated = false;
	inner.with_count = 0;
	if (expr->kind == BL_EXPR_TERM && !w->block_not) {
		term = pull_out(w, expr->terms[0]);
		inner.terms = &term;
	}
	PLAN_ADD(w, "ResetLocalStmt", { "target", PLAN_NUMBER(held) });
	bound = plan_enter(w);
	plan_open(w);
	positive(w, &inner);
	set_true(w, held);
	plan_add_block(w, plan_close(w));
	plan_leave(w, bound);
	PLAN_ADD(w, "IsUndefinedStmt", { "source", PLAN_NUMBER(held) });
}

static void positive(struct plan_writer *w, const struct bl_rego_expr *expr)
{
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		statement(w, expr->terms[0]);
		break;
	case BL_EXPR_SOME:
		break;
	case BL_EXPR_SOME_IN:
		some_in(w, expr);
		break;
	case BL_EXPR_EVERY:
		every(w, expr);
		break;
	case BL_EXPR_NOT_BODY:
		not_body(w, expr);
		break;
	case BL_EXPR_LOGICAL:
		logical(w, expr);
		break;
	}
}

static void plain(struct plan_writer *w, const struct bl_rego_expr *expr)
{
	if (expr->negated)
		negated(w, expr);
	else
		positive(w, expr);
}

/* ---- with --------------------------------------------------------------------------------- */

/* One replacement: a local at a path, or what the generation knows. */
struct replacing {
	bool of_local;
	uint32_t local; /* PLAN_INPUT or PLAN_DATA */
	struct bl_value path;
	struct plan_operand value;
};

static struct bl_value path_of(struct plan_writer *w,
			       const struct bl_rego_term *target)
{
	uint32_t count = target->kind == BL_TERM_REF ? target->count : 1;
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (uint32_t i = 1; i < count; i++) {
		const struct bl_rego_term *part = target->as.items[i];

		if (part->kind != BL_TERM_SCALAR ||
		    !bl_value_is(part->as.value, BL_KIND_STRING))
			plan_writer_fail(w, BL_UNSUPPORTED,
					 "the target of a 'with' has a part "
					 "that is no string");
		else
			bl_array_builder_add(
				&list,
				PLAN_NUMBER(plan_string(
					w, bl_value_text(part->as.value))));
	}
	return bl_array_builder_end(&list);
}

/* The node of a target below data, when rules give something there. */
static const struct bl_node *target_node(struct plan_writer *w,
					 const struct bl_rego_term *target)
{
	const struct bl_node *node = w->compiler->root;
	uint32_t count = target->kind == BL_TERM_REF ? target->count : 1;

	for (uint32_t i = 1; node && i < count; i++)
		node = bl_node_find_child(node, target->as.items[i]->as.value);
	return node;
}

/* A constant is known everywhere; what is computed has to be handed on. */
static void replace_by_value(struct plan_writer *w,
			     const struct bl_rego_term *value,
			     struct plan_replacement *more)
{
	struct plan_handed_on *on = &w->handed_on[w->handed_on_count];

	more->by_value = plan_constant_of(w, value);
	more->by_local = !bl_value_is_defined(more->by_value);
	if (!more->by_local)
		return;
	if (w->handed_on_count == PLAN_WRITER_REPLACEMENTS) {
		plan_writer_fail(w, BL_LIMIT, "more than %d replacements",
				 PLAN_WRITER_REPLACEMENTS);
		return;
	}
	*on = (struct plan_handed_on){ *more,
				       plan_as_local(w, plan_value(w, value)) };
	w->handed_on_count++;
}

/* Adds to *generation what the replacement does to functions. */
static struct replacing replacement(struct plan_writer *w,
				    const struct bl_rego_with *with,
				    uint32_t *generation)
{
	const struct bl_rego_term *target = with->target;
	struct plan_replacement more = { 0 };
	struct replacing one = { 0 };

	plan_named_function(w, target, &more.builtin, &more.node);
	if (more.builtin || more.node) {
		plan_named_function(w, with->value, &more.by_builtin,
				    &more.by_node);
		if (!more.by_builtin && !more.by_node)
			replace_by_value(w, with->value, &more);
		*generation = plan_generation_with(w, *generation, &more);
		return one;
	}
	one.of_local = true;
	one.local =
		bl_term_is_root(target, "input") ||
				(target->kind == BL_TERM_REF &&
				 bl_term_is_root(target->as.items[0], "input"))
			? PLAN_INPUT
			: PLAN_DATA;
	one.path = path_of(w, target);
	one.value = plan_value(w, with->value);
	more.node = one.local == PLAN_DATA ? target_node(w, target) : NULL;
	if (more.node)
		*generation = plan_generation_with(w, *generation, &more);
	return one;
}

/* The slots that the statement binds; *out_count of them. */
static int32_t *new_bindings(struct plan_writer *w,
			     const struct bl_bound *before, size_t *out_count)
{
	int32_t *slots = bl_arena_new_array(
		w->arena, int32_t, (size_t)w->resolver->slot_count + 1);
	size_t count = 0;

	for (int32_t i = 0; slots && i < w->resolver->slot_count; i++)
		if (bl_bound_has(&w->bound, i) && !bl_bound_has(before, i))
			slots[count++] = i;
	*out_count = count;
	return slots;
}

/* The values of slots as an array, appended to another. */
static void keep(struct plan_writer *w, uint32_t collector,
		 const int32_t *slots, size_t count)
{
	uint32_t tuple = plan_new_local(w);

	PLAN_ADD(w, "MakeArrayStmt", { "capacity", PLAN_NUMBER(count) },
		 { "target", PLAN_NUMBER(tuple) });
	for (size_t i = 0; slots && i < count; i++)
		PLAN_ADD(w, "ArrayAppendStmt",
			 { "value", operand_of(w, plan_slot(w, slots[i])) },
			 { "array", PLAN_NUMBER(tuple) });
	PLAN_ADD(w, "ArrayAppendStmt", { "value", operand_of(w, tuple) },
		 { "array", PLAN_NUMBER(collector) });
}

/* The block that was just closed, with the local replaced around it. */
static struct bl_value replaced(struct plan_writer *w, struct bl_value block,
				const struct replacing *one)
{
	plan_open(w);
	PLAN_ADD(w, "WithStmt", { "local", PLAN_NUMBER(one->local) },
		 { "path", one->path },
		 { "value", plan_operand_value(w, one->value) },
		 { "block", block });
	return plan_close(w);
}

/* Goes through the kept solutions, giving their values to the slots again. */
static void give_back(struct plan_writer *w, uint32_t collector,
		      const int32_t *slots, size_t count)
{
	uint32_t key;
	uint32_t tuple;

	plan_open_scan(w, plan_local_operand(collector), &key, &tuple);
	for (size_t i = 0; slots && i < count; i++) {
		struct plan_operand index =
			plan_constant_operand(w, bl_value_integer((int64_t)i));

		PLAN_ADD(w, "DotStmt", { "source", operand_of(w, tuple) },
			 { "key", plan_operand_value(w, index) },
			 { "target", PLAN_NUMBER(plan_slot(w, slots[i])) });
		bl_bound_add(&w->bound, slots[i]);
	}
}

/*
 * Solutions are found under the replacements, kept, and gone through after
 * they have ended.
 */
static void with(struct plan_writer *w, const struct bl_rego_expr *expr)
{
	struct replacing *all = bl_arena_new_array(w->arena, struct replacing,
						   expr->with_count);
	uint32_t outer = w->generation;
	uint32_t generation = outer;
	uint32_t collector = plan_new_local(w);
	size_t handed_on = w->handed_on_count;
	struct bl_bound before;
	struct bl_value block;
	int32_t *slots;
	size_t count;

	for (uint32_t i = 0; all && i < expr->with_count; i++)
		all[i] = replacement(w, &expr->withs[i], &generation);
	if (!all || w->status)
		return;
	PLAN_ADD(w, "MakeArrayStmt", { "capacity", PLAN_NUMBER(0) },
		 { "target", PLAN_NUMBER(collector) });
	before = plan_enter(w);
	w->generation = generation;
	plan_open(w);
	plain(w, expr);
	slots = new_bindings(w, &before, &count);
	keep(w, collector, slots, count);
	block = plan_close(w);
	w->generation = outer;
	w->handed_on_count = handed_on;
	plan_leave(w, before);
	for (uint32_t i = expr->with_count; i > 0; i--)
		if (all[i - 1].of_local)
			block = replaced(w, block, &all[i - 1]);
	plan_add_block(w, block);
	give_back(w, collector, slots, count);
}

void plan_body(struct plan_writer *w, struct bl_rego_body *body)
{
	struct bl_bound trial = bl_bound_copy(w->arena, &w->bound);

	if (w->status)
		return;
	if (!trial.words || !bl_order_body(w->resolver, body, &trial)) {
		plan_writer_fail(w, BL_INVALID, "a body has no order");
		return;
	}
	for (size_t i = 0; i < body->count && !w->status; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];

		plan_at(w, w->resolver->module, expr->range.from);
		if (expr->with_count)
			with(w, expr);
		else
			plain(w, expr);
	}
}
