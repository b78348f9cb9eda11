/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comprehensions that are found out for all values of an outer name at once
 * (runtime/groups.c says how they are looked up).
 *
 *     some key in keys
 *     names := [e.name | some e in data.edges; lower(e.from) == key]
 *
 * A key is an outer name, or a constant part of one (user.id), that a statement
 * says to be equal to something found out inside.  When nothing has used it before,
 * that statement can give it its value as well as test it, and the body has
 * the same solutions, for all keys:
 *
 *     function of the groups             in front of the comprehension
 *       some e in data.edges               FIND_GROUP key -> end
 *       key = lower(e.from)                ... as it is written
 *       ADD_TO_GROUP key: e.name         end:
 *
 * All that the body does for a key, the function has to do as well; else an
 * error could be missed that the comprehension would come to.  So the statements must
 * stand in the same order with and without a value of the keys, which is tried:
 * [e | f(key); some e in xs; e.id == key] calls f for a key that no e has, and is
 * left as it is.
 *
 * Other outer names are arguments of the function.  Three kinds of comprehensions
 * stay as they are: where a key is part of such a name, since groups are of no use
 * when the arguments are others each time; where the only key leads to the rounds
 * of the first loop anyway (emit_loop.c); and where it is evaluated once.
 */
#include "rego/compiler/emit/private.h"
#include "rego/compiler/parse/visit.h"
#include "rego/compiler/resolve/resolve.h"

enum {
	KEYS_MAX = 4,
	OUTER_MAX = 8,
	DEPTH_MAX =
		2, /* of groups in functions of groups: code for each twice */
};

struct key {
	const struct bl_rego_term *outer; /* VAR, or REF with constant parts */
	int32_t slot;                     /* of the outer name */
	size_t at;                        /* its statement */
	uint32_t side;                    /* the item of it that is the key */
	uint32_t name_count;              /* how often the name stands there */
	int32_t bound_slot;               /* what the function gives a value */
};

/* Names in a term or body. */
struct names {
	struct bl_visitor visitor; /* first: see_name is given this */
	const struct bl_bound *outer;
	uint32_t *counts; /* by slot, of outer names */
	int32_t slot;     /* counted in slot_count */
	uint32_t slot_count;
	bool has_register; /* a name that stands for a register of this code */
	bool has_inner;
};

struct grouping {
	struct bl_emitter *e;
	const struct bl_rego_term *term;
	struct key keys[KEYS_MAX];
	uint32_t key_count;
	int32_t outer[OUTER_MAX]; /* slots of the other outer names */
	uint32_t outer_count;
	bool reads_keys; /* names that are keys stand elsewhere, too */
};

/* ---- names ------------------------------------------------------------------ */

static bool see_name(struct bl_visitor *visitor,
		     const struct bl_rego_term *term)
{
	struct names *names = (struct names *)visitor;

	if (term->kind != BL_TERM_VAR || term->slot == BL_SLOT_NONE)
		return true;
	names->has_register |= term->slot < BL_SLOT_NONE;
	names->slot_count += term->slot == names->slot;
	if (!bl_bound_has(names->outer, term->slot))
		names->has_inner = true;
	else if (names->counts && term->slot >= 0)
		names->counts[term->slot]++;
	return true;
}

static struct names begin_names(const struct grouping *g, uint32_t *counts)
{
	return (struct names){ .visitor.term = see_name,
			       .outer = &g->e->bound,
			       .counts = counts,
			       .slot = BL_SLOT_NONE };
}

static bool has_inner_name(const struct grouping *g,
			   const struct bl_rego_term *term)
{
	struct names names = begin_names(g, NULL);

	bl_visit_term(&names.visitor, term);
	return names.has_inner;
}

static uint32_t count_name(const struct grouping *g,
			   const struct bl_rego_expr *expr, int32_t slot)
{
	struct names names = begin_names(g, NULL);

	names.slot = slot;
	bl_visit_expr(&names.visitor, expr);
	return names.slot_count;
}

/* ---- keys ------------------------------------------------------------------- */

/* An outer name, or a constant part of one? */
static bool is_outer(const struct grouping *g, const struct bl_rego_term *term,
		     int32_t *out_slot)
{
	const struct bl_rego_term *name =
		term->kind == BL_TERM_REF ? term->as.items[0] : term;

	if (name->kind != BL_TERM_VAR || name->slot < 0 ||
	    !bl_bound_has(&g->e->bound, name->slot))
		return false;
	for (uint32_t i = 1; term->kind == BL_TERM_REF && i < term->count; i++)
		if (term->as.items[i]->kind != BL_TERM_SCALAR)
			return false;
	*out_slot = name->slot;
	return true;
}

static bool is_equation(const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *term =
		expr->kind == BL_EXPR_TERM ? expr->terms[0] : NULL;

	return term && !expr->negated && !expr->with_count &&
	       term->kind == BL_TERM_CALL && term->count == 3 &&
	       term->as.items[0]->kind == BL_TERM_VAR &&
	       (bl_str_is(term->as.items[0]->as.name, "equal") ||
		bl_str_is(term->as.items[0]->as.name, "eq"));
}

/* Notes the statement when it says what a key is. */
static void look_at(struct grouping *g, size_t at, const uint32_t *before)
{
	const struct bl_rego_expr *expr = g->term->body->exprs[at];
	struct bl_rego_term *const *items =
		is_equation(expr) ? expr->terms[0]->as.items : NULL;
	int32_t slot;

	for (uint32_t side = 1; items && side < 3; side++) {
		if (g->key_count == KEYS_MAX ||
		    !is_outer(g, items[side], &slot) || before[slot] ||
		    count_name(g, expr, slot) != 1 ||
		    !has_inner_name(g, items[3 - side]))
			continue;
		g->keys[g->key_count++] = (struct key){ .outer = items[side],
							.slot = slot,
							.at = at,
							.side = side,
							.bound_slot = slot };
		return;
	}
}

/* Counts how often each outer name stands in all of it. */
static bool find_keys(struct grouping *g, uint32_t *counts)
{
	struct names names = begin_names(g, counts);
	const struct bl_rego_body *body = g->term->body;

	for (size_t i = 0; i < body->count; i++) {
		look_at(g, i, counts);
		/* A part of the name stands in one more statement: both are keys. */
		bl_visit_expr(&names.visitor, body->exprs[i]);
		for (uint32_t k = 0; k < g->key_count; k++)
			if (g->keys[k].at == i &&
			    g->keys[k].outer->kind == BL_TERM_REF)
				counts[g->keys[k].slot]--;
	}
	bl_visit_terms(&names.visitor, g->term->as.items, g->term->count);
	return g->key_count && !names.has_register;
}

/*
 * A name of which a part is a key stands nowhere else; the others are keys
 * themselves, or arguments.
 */
static bool choose_outer(struct grouping *g, uint32_t *counts)
{
	int32_t slot_count = g->e->resolver->slot_count;

	for (uint32_t k = 0; k < g->key_count; k++) {
		struct key *key = &g->keys[k];

		if (key->outer->kind == BL_TERM_REF) {
			if (counts[key->slot])
				return false;
			key->bound_slot = slot_count + (int32_t)k;
			continue;
		}
		g->reads_keys |= counts[key->slot] > 1;
		counts[key->slot] = 0;
	}
	for (int32_t slot = 0; slot < slot_count; slot++) {
		if (!counts[slot])
			continue;
		if (g->outer_count == OUTER_MAX)
			return false;
		g->outer[g->outer_count++] = slot;
	}
	return true;
}

/* ---- the function ----------------------------------------------------------- */

/* key = other, in the place of other == key. */
static struct bl_rego_expr *giving(struct grouping *g, const struct key *key)
{
	struct bl_resolver *resolver = g->e->resolver;
	const struct bl_rego_expr *expr = g->term->body->exprs[key->at];
	struct bl_rego_term *name =
		bl_make_term(resolver, BL_TERM_VAR, key->outer->range);

	if (!name)
		return NULL;
	name->slot = key->bound_slot;
	name->as.name = BL_STR("key");
	return bl_make_statement(resolver, "eq", name,
				 expr->terms[0]->as.items[3 - key->side]);
}

/* The body in which keys get their values; NULL: without memory. */
static struct bl_rego_body *open_body(struct grouping *g)
{
	struct bl_resolver *resolver = g->e->resolver;
	const struct bl_rego_body *from = g->term->body;
	struct bl_rego_body *body = NEW(resolver, struct bl_rego_body);
	struct bl_rego_expr **exprs =
		NEW_ARRAY(resolver, struct bl_rego_expr *, from->count);

	if (!body || !exprs)
		return NULL;
	memcpy(exprs, from->exprs, from->count * sizeof(struct bl_rego_expr *));
	for (uint32_t k = 0; k < g->key_count; k++) {
		exprs[g->keys[k].at] = giving(g, &g->keys[k]);
		if (!exprs[g->keys[k].at])
			return NULL;
	}
	*body = *from;
	body->exprs = exprs;
	return body;
}

/* Do the statements stand as they are also when keys have no value before? */
static bool keeps_order(struct bl_emitter *e, const struct bl_rego_body *body)
{
	struct bl_arena *arena = e->builder->compiler->arena;
	struct bl_bound trial = bl_bound_copy(arena, &e->bound);
	struct bl_rego_body copy = *body;
	size_t bytes = body->count * sizeof(struct bl_rego_expr *);

	copy.exprs = bl_arena_alloc(arena, bytes);
	if (!copy.exprs || !trial.words)
		return false;
	memcpy(copy.exprs, body->exprs, bytes);
	return bl_order_try_body(e->resolver, &copy, &trial) &&
	       !memcmp(copy.exprs, body->exprs, bytes);
}

static void emit_function(struct bl_emitter *e, const struct grouping *g,
			  struct bl_rego_body *body)
{
	enum bl_collector_kind kind = bl_comprehension_kind(g->term);
	bl_register run =
		bl_emit_registers(e, g->key_count + (size_t)g->term->count);
	bl_register result = bl_emit_registers(e, 2);
	bl_register values[2] = { 0 };
	bl_label end = bl_emit_new_label(e);

	e->fail = end;
	if (!bl_emit_solutions(e, g->term, body, values))
		return;
	for (uint32_t k = 0; k < g->key_count; k++)
		bl_emit_move(e, (bl_register)(run + k),
			     bl_emit_slot(e, g->keys[k].bound_slot));
	for (uint32_t i = 0; i < g->term->count; i++)
		bl_emit_move(e, (bl_register)(run + g->key_count + i),
			     values[i]);
	EMIT(e, ADD_TO_GROUP, .a = g->reads_keys, .b = run,
	     .c = (uint16_t)(g->key_count + g->term->count - 1), .n = kind);
	EMIT(e, JUMP, .j = e->fail);
	bl_emit_place_label(e, end);
	EMIT(e, COLLECT_BEGIN, .a = result, .n = kind);
	EMIT(e, COLLECT_END, .a = (bl_register)(result + 1), .b = result);
	EMIT(e, RETURN, .a = (bl_register)(result + 1));
}

/* The number of the function, or BL_NO_FUNCTION. */
static uint32_t make_function(struct grouping *g)
{
	struct bl_emitter *from = g->e;
	struct bl_program *program = from->builder->program;
	struct bl_resolver resolver = *from->resolver;
	struct bl_emitter e = { .builder = from->builder,
				.resolver = &resolver,
				.place = from->place,
				.block_not = from->block_not,
				.rule = from->rule,
				.slot_base = g->outer_count,
				.loop_count = 1,
				.group_depth = from->group_depth + 1 };
	struct bl_rego_body *body = open_body(g);

	resolver.slot_count += (int32_t)g->key_count;
	e.bound = bl_bound_new(from->builder->compiler->arena,
			       resolver.slot_count);
	e.next_register = e.max_register =
		e.slot_base + (uint32_t)resolver.slot_count;
	if (!body || !e.bound.words || e.next_register > BL_MAX_REGISTERS)
		return BL_NO_FUNCTION;
	for (uint32_t i = 0; i < g->outer_count; i++) {
		EMIT(&e, MOVE, .a = bl_emit_slot(&e, g->outer[i]),
		     .b = (bl_register)i);
		bl_bound_add(&e.bound, g->outer[i]);
	}
	if (!keeps_order(&e, body))
		return BL_NO_FUNCTION;
	emit_function(&e, g, body);
	if (e.failed ||
	    !bl_emit_grow(&e, (void **)&program->functions,
			  program->function_count, &e.builder->function_cap,
			  sizeof(*program->functions)))
		return BL_NO_FUNCTION;
	bl_emit_finish(&e, (uint32_t)program->function_count, g->outer_count);
	program->functions[program->function_count].is_rule = false;
	return (uint32_t)program->function_count++;
}

/* ---- looking up --------------------------------------------------------------- */

static void emit_find(struct grouping *g, uint32_t function, bl_register result,
		      bl_label found)
{
	struct bl_emitter *e = g->e;
	uint32_t count = g->key_count + g->outer_count;
	bl_register run = bl_emit_registers(e, count);

	for (uint32_t k = 0; k < g->key_count; k++)
		bl_emit_move(e, (bl_register)(run + k),
			     bl_emit_value(e, g->keys[k].outer));
	for (uint32_t i = 0; i < g->outer_count; i++)
		EMIT(e, MOVE, .a = (bl_register)(run + g->key_count + i),
		     .b = bl_emit_slot(e, g->outer[i]));
	EMIT(e, FIND_GROUP, .a = result, .b = run, .c = (uint16_t)count,
	     .n = function, .j = found);
}

/* Changes the order of two neighbours: the items before and from `middle` on. */
static bool rotate(struct bl_emitter *e, void *items, size_t size,
		   uint32_t from, uint32_t middle)
{
	size_t bytes = (e->count - middle) * size;
	char *begin = (char *)items + from * size;
	void *spare = bl_arena_alloc(e->builder->compiler->arena, bytes);

	if (!spare) {
		e->failed = true;
		return false;
	}
	memcpy(spare, (char *)items + middle * size, bytes);
	memmove(begin + bytes, begin, (middle - from) * size);
	memcpy(begin, spare, bytes);
	return true;
}

/* Puts the code from middle on in front of that of the comprehension. */
static void put_in_front(struct bl_emitter *e, const struct bl_emitted *code,
			 uint32_t middle)
{
	uint32_t added = (uint32_t)e->count - middle;

	if (e->failed ||
	    !rotate(e, e->code, sizeof(*e->code), code->from, middle) ||
	    !rotate(e, e->places, sizeof(*e->places), code->from, middle))
		return;
	for (size_t i = code->label_from; i < e->label_count; i++) {
		if (e->labels[i] >= middle)
			e->labels[i] -= middle - code->from;
		else if (e->labels[i] >= code->from)
			e->labels[i] += added;
	}
}

void bl_emit_groups(struct bl_emitter *e, const struct bl_rego_term *term,
		    const struct bl_emitted *code)
{
	struct grouping g = { .e = e, .term = term };
	uint32_t known_count = e->known_count;
	uint32_t middle = (uint32_t)e->count;
	bool is_called = e->rule && e->slot_base > e->fixed_count;
	bl_label fail = e->fail;
	bl_label found;
	uint32_t function;
	uint32_t *counts;

	if (bl_emit_observes(e) || e->unfolded || !code->first_loop.is_there ||
	    e->group_depth == DEPTH_MAX || !(e->loop_count || is_called))
		return;
	counts = bl_arena_new_array(e->builder->compiler->arena, uint32_t,
				    (size_t)e->resolver->slot_count + 1);
	if (!counts || !find_keys(&g, counts) ||
	    (g.key_count == 1 &&
	     code->first_loop.joined_with == g.keys[0].outer) ||
	    !choose_outer(&g, counts))
		return;
	function = make_function(&g);
	if (function == BL_NO_FUNCTION)
		return;
	found = bl_emit_new_label(e);
	e->fail = bl_emit_new_label(e);
	emit_find(&g, function, code->result, found);
	bl_emit_place_label(e, e->fail);
	e->fail = fail;
	e->known_count = known_count;
	put_in_front(e, code, middle);
	bl_emit_place_label(e, found);
}
