/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: takes variables that only hand something on out of a query.
 *
 *     a = input.x; gt(a, 1); plus(a, 2, b); b = y      ->   input.x > 1; y = input.x + 2
 *
 * Variables that are equal are one (a set of them has a root, and may have a
 * constant); "a = REFERENCE" and calls with a result are removed and put where a
 * stands.  A statement that was removed and then stands nowhere comes back: the reference has to be
 * defined; so does what gives a variable its value.
 */
#include <stdlib.h>

#include "rego/compiler/parse/visit.h"
#include "rego/partial/private.h"

/* A variable: in a set of equal ones, or removed, or both. */
struct known_var {
	int32_t id;
	bool is_equal;                 /* it is in a set */
	bool is_head;                  /* of a reference; of the root */
	size_t parent;                 /* index; its own: the root */
	struct bl_rego_term *constant; /* of the root; NULL: none */
	struct bl_rego_term *removed;  /* what it stands for; NULL: nothing */
};

struct propagator {
	struct bl_partial *pe;
	const struct bl_partial_live *live;
	struct known_var *vars;
	size_t count;
	size_t cap;
	struct bl_rego_term *
		*placeholders; /* references that only have to be defined */
	size_t placeholder_count;
	size_t placeholder_cap;
	bool negated; /* the statement that is changed */
	struct bl_partial_list out;
};

/* ---- sets ------------------------------------------------------------------------- */

static struct known_var *find(struct propagator *p, int32_t id)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->vars[i].id == id)
			return &p->vars[i];
	return NULL;
}

static struct known_var *make(struct propagator *p, int32_t id)
{
	struct known_var *known = find(p, id);

	if (known)
		return known;
	known = bl_partial_grow(p->pe, p->vars, p->count, &p->cap,
				sizeof(*known));
	if (!known)
		return NULL;
	p->vars = known;
	p->vars[p->count] = (struct known_var){ .id = id, .parent = p->count };
	return &p->vars[p->count++];
}

static struct known_var *root(struct propagator *p, struct known_var *known)
{
	while (p->vars[known->parent].id != known->id)
		known = &p->vars[known->parent];
	return known;
}

static struct known_var *root_of(struct propagator *p, int32_t id)
{
	struct known_var *known = find(p, id);

	return known ? root(p, known) : NULL;
}

static bool is_live(const struct propagator *p, int32_t id)
{
	return p->live->is_live(p->live, id);
}

/* False: two constants that differ; the query never holds. */
static bool merge(struct propagator *p, int32_t a, int32_t b, bool *ok)
{
	bool made = make(p, a) && make(p, b);
	struct known_var *x = made ? find(p, a) : NULL;
	struct known_var *y = made ? find(p, b) : NULL;
	struct known_var *top;
	struct known_var *below;

	if (!x || !y) {
		*ok = false;
		return true;
	}
	x->is_equal = y->is_equal = true;
	x = root(p, x);
	y = root(p, y);
	if (x == y)
		return true;
	top = is_live(p, x->id) ? x : y;
	below = top == x ? y : x;
	if (top->constant && below->constant &&
	    !bl_partial_equal(top->constant, below->constant))
		return false;
	if (!top->constant)
		top->constant = below->constant;
	below->parent = (size_t)(top - p->vars);
	return true;
}

static bool give_constant(struct propagator *p, int32_t id,
			  struct bl_rego_term *constant, bool *ok)
{
	struct known_var *known = make(p, id);

	if (!known) {
		*ok = false;
		return true;
	}
	known->is_equal = true;
	known = root(p, known);
	if (known->constant && !bl_partial_equal(known->constant, constant))
		return false;
	known->constant = constant;
	return true;
}

static bool make_sets(struct propagator *p, const struct bl_partial_list *list,
		      bool *ok)
{
	for (size_t i = 0; i < list->count && *ok; i++) {
		const struct bl_rego_expr *one = list->exprs[i];
		struct bl_rego_term *a;
		struct bl_rego_term *b;
		bool holds = true;

		if (!bl_partial_is_equality(one) || one->negated ||
		    one->with_count)
			continue;
		a = one->terms[0]->as.items[1];
		b = one->terms[0]->as.items[2];
		if (bl_partial_is_var(a) && bl_partial_is_var(b))
			holds = merge(p, a->slot, b->slot, ok);
		else if (bl_partial_is_var(a) && b->kind == BL_TERM_SCALAR)
			holds = give_constant(p, a->slot, b, ok);
		else if (bl_partial_is_var(b) && a->kind == BL_TERM_SCALAR)
			holds = give_constant(p, b->slot, a, ok);
		if (!holds)
			return false;
	}
	return true;
}

/* Variables with parts behind them stay variables. */
struct head_finder {
	struct bl_visitor visitor; /* first: note_head is given this */
	struct propagator *p;
};

static bool note_head(struct bl_visitor *visitor, const struct bl_rego_term *t)
{
	struct propagator *p = ((struct head_finder *)visitor)->p;
	struct known_var *head;

	if (t->kind != BL_TERM_REF || !bl_partial_is_var(t->as.items[0]))
		return true;
	head = make(p, t->as.items[0]->slot);
	head = head ? root(p, head) : NULL;
	if (head) {
		head->constant = NULL;
		head->is_head = true;
	}
	return true;
}

/* ---- putting things in place --------------------------------------------------------- */

struct var_finder {
	struct bl_partial_visitor visitor;
	int32_t id; /* -1: any */
	bool found;
};

static void find_var(struct bl_partial_visitor *visitor,
		     const struct bl_rego_term *var)
{
	struct var_finder *finder = (struct var_finder *)visitor;

	finder->found |= finder->id < 0 || var->slot == finder->id;
}

static bool has_var(const struct bl_rego_term *t, int32_t id)
{
	struct var_finder finder = { { find_var, true, false }, id, false };

	bl_partial_each_var(&finder.visitor, t);
	return finder.found;
}

static struct bl_rego_term *in_place(struct bl_partial_copier *copier,
				     const struct bl_rego_term *var)
{
	struct propagator *p = copier->context;
	const struct known_var *known = root_of(p, var->slot);

	if (!known)
		return bl_partial_var(p->pe, var->slot);
	if (known->constant)
		return known->constant;
	if (!known->removed || (p->negated && has_var(known->removed, -1)) ||
	    has_var(known->removed, known->id))
		return bl_partial_var(p->pe, known->id);
	return known->removed;
}

/* True: the statement is not needed, and noted for where it will stand. */
static bool remove_equality(struct propagator *p, struct bl_rego_term *a,
			    struct bl_rego_term *b, bool *ok)
{
	struct known_var *known;
	struct bl_rego_term **list;

	if (bl_partial_equal(a, b)) {
		if (a->kind != BL_TERM_REF || bl_partial_is_var(a->as.items[0]))
			return true;
		list = bl_partial_grow(p->pe, p->placeholders,
				       p->placeholder_count,
				       &p->placeholder_cap, sizeof(*list));
		*ok = list != NULL;
		if (list) {
			p->placeholders = list;
			list[p->placeholder_count++] = a;
		}
		return true;
	}
	if (!bl_partial_is_var(a) || is_live(p, a->slot) ||
	    (b->kind != BL_TERM_REF && b->kind != BL_TERM_CALL))
		return false;
	known = make(p, a->slot);
	if (!known) {
		*ok = false;
		return true;
	}
	root(p, known)->removed = b;
	return true;
}

static size_t arity_of(const struct bl_partial *pe,
		       const struct bl_rego_term *call)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	const struct bl_rego_term *callee = call->as.items[0];
	const struct bl_node *node;
	struct bl_rego_term own;

	if (builtin)
		return builtin->arity;
	node = bl_call_node(&pe->compiler, call);
	if (node || callee->kind != BL_TERM_REF || callee->count < 3)
		return node ? node->arity : SIZE_MAX / 2;
	/* data.partial.p.f is data.p.f. */
	own = *callee;
	own.count = callee->count - 1;
	own.as.items = callee->as.items + 1;
	{
		struct bl_rego_term *items[1] = { &own };
		struct bl_rego_term *root_name = own.as.items[0];
		const struct bl_rego_term other = { .kind = BL_TERM_CALL,
						    .count = 1,
						    .as.items = items };

		own.as.items[0] = callee->as.items[0];
		node = bl_call_node(&pe->compiler, &other);
		own.as.items[0] = root_name;
	}
	return node ? node->arity : SIZE_MAX / 2;
}

/* "f(x, a)" is "a = f(x)". */
static bool remove_call(struct propagator *p, struct bl_rego_term *call,
			bool *ok)
{
	struct bl_rego_term *result = call->as.items[call->count - 1];
	struct bl_rego_term *shorter;
	struct known_var *known;

	if (call->count < 2 || call->count != arity_of(p->pe, call) + 2 ||
	    !bl_partial_is_var(result) || is_live(p, result->slot))
		return false;
	known = make(p, result->slot);
	if (known && root(p, known)->is_head)
		return false;
	shorter = bl_partial_term(p->pe, BL_TERM_CALL, call->count - 1);
	*ok = known && shorter;
	if (!*ok)
		return true;
	memcpy(shorter->as.items, call->as.items,
	       shorter->count * sizeof(*call->as.items));
	shorter->infix = call->infix;
	root(p, known)->removed = shorter;
	return true;
}

static bool is_needed(struct propagator *p, const struct bl_rego_expr *one,
		      bool *ok)
{
	struct bl_rego_term *only;

	if (one->negated || one->with_count || one->kind != BL_EXPR_TERM)
		return true;
	only = one->terms[0];
	if (bl_partial_is_equality(one))
		return !remove_equality(p, only->as.items[1], only->as.items[2],
					ok) &&
		       !remove_equality(p, only->as.items[2], only->as.items[1],
					ok);
	if (only->kind == BL_TERM_CALL)
		return !remove_call(p, only, ok);
	return only->kind != BL_TERM_SCALAR ||
	       bl_value_equal(only->as.value, bl_value_boolean(false));
}

/* ---- bodies of "not" -------------------------------------------------------------------- */

struct inner_live {
	struct bl_partial_live live;
	struct propagator *outer;
};

static bool is_seen_outside(const struct bl_partial_live *live, int32_t id)
{
	const struct inner_live *inner = (const struct inner_live *)live;

	return is_live(inner->outer, id) || find(inner->outer, id);
}

static bool propagate_not(struct propagator *p, struct bl_rego_expr *one)
{
	struct inner_live live = { { is_seen_outside }, p };
	struct bl_rego_body *body = one->bodies[0];
	struct bl_partial_list list = { body->exprs, body->count, body->count };

	if (!bl_partial_propagate(p->pe, &live.live, true, &list))
		return false;
	body->exprs = list.exprs;
	body->count = list.count;
	return true;
}

/* ---- what has to come back ---------------------------------------------------------------- */

static bool stands_in(const struct bl_rego_term *value,
		      const struct bl_rego_term *t)
{
	if (bl_partial_is_closure(t))
		return false;
	if (value->kind == BL_TERM_REF && t->kind == BL_TERM_REF &&
	    t->count >= value->count) {
		bool same = true;

		for (uint32_t i = 0; same && i < value->count; i++)
			same = bl_partial_equal(value->as.items[i],
						t->as.items[i]);
		if (same)
			return true;
	}
	if (bl_partial_equal(value, t))
		return true;
	if (t->kind == BL_TERM_SCALAR || t->kind == BL_TERM_VAR)
		return false;
	for (uint32_t i = 0; i < t->count; i++)
		if (stands_in(value, t->as.items[i]))
			return true;
	return false;
}

static bool stands_somewhere(const struct propagator *p,
			     const struct bl_rego_term *value)
{
	for (size_t i = 0; i < p->out.count; i++) {
		const struct bl_rego_expr *one = p->out.exprs[i];

		for (uint32_t j = 0; j < one->term_count; j++)
			if (stands_in(value, one->terms[j]))
				return true;
		for (uint32_t j = 0; j < one->with_count; j++)
			if (stands_in(value, one->withs[j].value))
				return true;
	}
	return false;
}

/* Variables that have a value once the statements hold. */
struct safety {
	struct propagator *p;
	int32_t *ids;
	size_t count;
	size_t cap;
	struct bl_partial_visitor visitor; /* adds to it */
	struct bl_partial_visitor looking; /* for one that is missing */
	bool is_missing;
};

static bool is_safe(const struct safety *s, int32_t id)
{
	if (is_live(s->p, id))
		return true;
	for (size_t i = 0; i < s->count; i++)
		if (s->ids[i] == id)
			return true;
	return false;
}

static void add_safe(struct bl_partial_visitor *visitor,
		     const struct bl_rego_term *var)
{
	struct safety *s = (struct safety *)((char *)visitor -
					     offsetof(struct safety, visitor));
	int32_t *ids;

	if (is_safe(s, var->slot))
		return;
	ids = bl_partial_grow(s->p->pe, s->ids, s->count, &s->cap,
			      sizeof(*ids));
	if (!ids)
		return;
	s->ids = ids;
	s->ids[s->count++] = var->slot;
}

static void look_for(struct bl_partial_visitor *visitor,
		     const struct bl_rego_term *var)
{
	struct safety *s = (struct safety *)((char *)visitor -
					     offsetof(struct safety, looking));

	s->is_missing |= !is_safe(s, var->slot);
}

static bool is_ready(struct safety *s, const struct bl_rego_term *t)
{
	s->is_missing = false;
	bl_partial_each_var(&s->looking, t);
	return !s->is_missing;
}

/* Adds the variables that references and results of calls in t give values. */
static void add_parts(struct safety *s, const struct bl_rego_term *t)
{
	if (t->kind == BL_TERM_SCALAR || t->kind == BL_TERM_VAR ||
	    bl_partial_is_closure(t))
		return;
	for (uint32_t i = 0; i < t->count; i++)
		add_parts(s, t->as.items[i]);
	if (t->kind == BL_TERM_REF && (!bl_partial_is_var(t->as.items[0]) ||
				       is_safe(s, t->as.items[0]->slot)))
		for (uint32_t i = 1; i < t->count; i++)
			bl_partial_each_var(&s->visitor, t->as.items[i]);
	if (t->kind == BL_TERM_CALL && t->count == arity_of(s->p->pe, t) + 2)
		bl_partial_each_var(&s->visitor, t->as.items[t->count - 1]);
}

static void add_given(struct safety *s, const struct bl_rego_expr *one)
{
	if (one->negated || one->kind != BL_EXPR_TERM)
		return;
	add_parts(s, one->terms[0]);
	if (!bl_partial_is_equality(one))
		return;
	for (uint32_t i = 1; i <= 2; i++)
		if (is_ready(s, one->terms[0]->as.items[i]) &&
		    one->terms[0]->as.items[3 - i]->kind != BL_TERM_REF)
			bl_partial_each_var(&s->visitor,
					    one->terms[0]->as.items[3 - i]);
}

static void find_safe(struct safety *s)
{
	size_t before;

	do {
		before = s->count;
		for (size_t i = 0; i < s->p->out.count; i++)
			add_given(s, s->p->out.exprs[i]);
	} while (s->count > before);
}

static bool is_all_safe(struct safety *s)
{
	s->is_missing = false;
	for (size_t i = 0; i < s->p->out.count; i++)
		bl_partial_each_var_of(&s->looking, s->p->out.exprs[i]);
	return !s->is_missing;
}

static int by_id_down(const void *a, const void *b)
{
	const struct known_var *x = a;
	const struct known_var *y = b;

	return x->id < y->id ? 1 : x->id > y->id ? -1 : 0;
}

/* "a = REMOVED" when nothing else has it, or needs a. */
static bool bring_back(struct propagator *p, struct safety *s)
{
	struct known_var *vars = bl_arena_new_array(
		p->pe->arena, struct known_var, p->count + 1);

	if (!vars)
		return bl_partial_no_memory(p->pe);
	if (p->count) {
		memcpy(vars, p->vars, p->count * sizeof(*vars));
		qsort(vars, p->count, sizeof(*vars), by_id_down);
	}
	for (size_t i = 0; i < p->count; i++) {
		struct bl_rego_term *name;
		struct bl_rego_expr *statement;
		bool missing;

		if (!vars[i].removed)
			continue;
		missing = !is_safe(s, vars[i].id) && !is_all_safe(s);
		if (missing) {
			struct var_finder finder = { { find_var, false, false },
						     vars[i].id,
						     false };

			for (size_t j = 0; j < p->out.count; j++)
				bl_partial_each_var_of(&finder.visitor,
						       p->out.exprs[j]);
			missing = finder.found;
		}
		if (!missing && stands_somewhere(p, vars[i].removed))
			continue;
		name = bl_partial_var(p->pe, vars[i].id);
		statement =
			name ? bl_partial_equality(p->pe, name, vars[i].removed)
			     : NULL;
		if (!statement || !bl_partial_add(p->pe, &p->out, statement))
			return false;
		find_safe(s);
	}
	for (size_t i = 0; i < p->placeholder_count; i++)
		if (!stands_somewhere(p, p->placeholders[i]) &&
		    !bl_partial_add(p->pe, &p->out,
				    bl_partial_expr(p->pe, p->placeholders[i])))
			return false;
	return true;
}

/* Variables that are wanted get their values. */
static bool bind_live(struct propagator *p)
{
	for (size_t i = 0; i < p->count; i++) {
		struct known_var *known = &p->vars[i];
		const struct known_var *top = root(p, known);
		struct bl_rego_term *given = NULL;
		struct bl_rego_term *name;

		if (!known->is_equal || !is_live(p, known->id))
			continue;
		if (top->constant)
			given = top->constant;
		else if (top->removed)
			given = top->removed;
		else if (top->id != known->id)
			given = bl_partial_var(p->pe, top->id);
		else
			continue;
		name = bl_partial_var(p->pe, known->id);
		if (!given || !name ||
		    !bl_partial_add(p->pe, &p->out,
				    bl_partial_equality(p->pe, name, given)))
			return false;
	}
	return true;
}

static bool change_all(struct propagator *p, const struct bl_partial_list *list)
{
	struct bl_partial_copier copier = {
		.pe = p->pe, .leaf = in_place, .fold = true, .context = p
	};

	for (size_t i = 0; i < list->count; i++) {
		struct bl_rego_expr *one;
		bool ok = true;

		p->negated = list->exprs[i]->negated;
		one = bl_partial_copy_expr(&copier, list->exprs[i]);
		if (!one)
			return false;
		if (one->kind == BL_EXPR_NOT_BODY && !propagate_not(p, one))
			return false;
		if (is_needed(p, one, &ok) &&
		    !bl_partial_add(p->pe, &p->out, one))
			return false;
		if (!ok)
			return false;
	}
	return true;
}

bool bl_partial_propagate(struct bl_partial *pe,
			  const struct bl_partial_live *live, bool not_empty,
			  struct bl_partial_list *list)
{
	struct propagator p = { .pe = pe, .live = live };
	struct safety safety = { .p = &p,
				 .visitor = { add_safe, false, true },
				 .looking = { look_for, false, false } };
	struct head_finder heads = { { .term = note_head }, &p };
	bool ok = true;

	if (!make_sets(&p, list, &ok))
		return true;
	for (size_t i = 0; ok && i < list->count; i++)
		bl_visit_expr(&heads.visitor, list->exprs[i]);
	if (!ok || pe->status || !change_all(&p, list) || !bind_live(&p))
		return false;
	find_safe(&safety);
	if (!bring_back(&p, &safety) || pe->status)
		return false;
	if (!is_all_safe(&safety))
		return true; /* as it was: safe, if longer */
	if (not_empty && !p.out.count &&
	    !bl_partial_add(
		    pe, &p.out,
		    bl_partial_expr(pe, bl_partial_constant(
						pe, bl_value_boolean(true)))))
		return false;
	*list = p.out;
	return true;
}
