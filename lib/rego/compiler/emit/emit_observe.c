/* SPDX-License-Identifier: Apache-2.0 */
/* Code that tells an observer what happens, and print(). */
#include "rego/compiler/emit/private.h"

enum { MAX_VARIABLES = 32 }; /* shown of one statement */

static struct bl_program_mark *new_mark(struct bl_emitter *e,
					struct bl_rego_range range)
{
	struct bl_program *program = e->builder->program;
	const struct bl_rego_module *module = e->resolver->module;
	struct bl_str text = module ? module->text : program->query;
	struct bl_program_mark *mark;
	struct bl_place place;

	if (!bl_emit_grow(e, (void **)&program->marks, program->mark_count,
			  &e->builder->mark_cap, sizeof(*program->marks)))
		return NULL;
	mark = &program->marks[program->mark_count++];
	*mark = (struct bl_program_mark){ .shown.path = e->path,
					  .shown.nesting = e->nesting };
	if (module)
		mark->shown.file = module->file;
	if (range.to > text.len || range.from > range.to)
		return mark;
	place = bl_place_at(text, range.from);
	mark->shown.line = place.line;
	mark->shown.column = place.column;
	mark->shown.text =
		(struct bl_str){ text.ptr + range.from, range.to - range.from };
	return mark;
}

static uint32_t last_mark(const struct bl_emitter *e)
{
	return (uint32_t)e->builder->program->mark_count - 1;
}

static void observe(struct bl_emitter *e, enum bl_rego_event_kind kind,
		    uint32_t mark, bl_register b)
{
	EMIT(e, OBSERVE, .b = b, .c = (uint16_t)kind, .n = mark);
}

/* From the name to the value, without the body. */
static struct bl_rego_range head_range(const struct bl_rego_rule *rule)
{
	struct bl_rego_range range = rule->range;

	if (rule->value)
		range.to = rule->value->range.to;
	else if (rule->contains)
		range.to = rule->contains->range.to;
	else if (rule->arg_count)
		range.to = rule->args[rule->arg_count - 1]->range.to + 1;
	else if (rule->name)
		range.to = rule->name->range.to;
	else
		range.to = range.from + (uint32_t)strlen("else");
	return range;
}

uint32_t bl_emit_enter(struct bl_emitter *e, const struct bl_rego_rule *rule)
{
	struct bl_rego_range range = head_range(rule);
	struct bl_program_mark *mark;

	if (!bl_emit_observes(e))
		return 0;
	mark = new_mark(e, range);
	if (!mark)
		return 0;
	mark->shown.is_rule = true;
	observe(e, BL_REGO_ENTER, last_mark(e), 0);
	return last_mark(e);
}

/* The terms of the head, as if they were a statement. */
static const struct bl_rego_expr *
head_terms(struct bl_emitter *e, const struct bl_resolved_rule *rule)
{
	struct bl_arena *arena = e->builder->compiler->arena;
	struct bl_rego_expr *expr = bl_arena_new(arena, struct bl_rego_expr);
	struct bl_rego_term **terms = bl_arena_new_array(
		arena, struct bl_rego_term *, rule->key_count + 1);

	if (!expr || !terms) {
		e->failed = true;
		return NULL;
	}
	*expr = (struct bl_rego_expr){ .range = head_range(rule->syntax),
				       .terms = terms,
				       .term_count =
					       (uint32_t)rule->key_count };
	if (rule->key_count)
		memcpy(terms, rule->keys,
		       rule->key_count * sizeof(struct bl_rego_term *));
	if (rule->value)
		terms[expr->term_count++] = rule->value;
	return expr;
}

void bl_emit_exit(struct bl_emitter *e, uint32_t number, bl_register value,
		  const struct bl_resolved_rule *rule, bool is_set)
{
	struct bl_program_mark *mark;

	if (!bl_emit_observes(e) || e->failed)
		return;
	mark = &e->builder->program->marks[number];
	mark->is_set = is_set;
	mark->key_count = (uint32_t)rule->key_count;
	mark->expr = head_terms(e, rule);
	observe(e, BL_REGO_EXIT, number, value);
}

/* ---- variables ------------------------------------------------------------ */

static bool is_shown(const struct bl_emitter *e, int32_t slot)
{
	struct bl_str name;

	if (slot < 0 || slot >= e->resolver->slot_count ||
	    !bl_bound_has(&e->bound, slot))
		return false;
	name = e->resolver->slot_names[slot];
	return name.len && name.ptr[0] != '$' && !bl_str_is(name, "_");
}

static void add_variable(struct bl_emitter *e, struct bl_program_mark *mark,
			 int32_t slot)
{
	bl_register reg;

	if (!is_shown(e, slot) || mark->count == MAX_VARIABLES)
		return;
	reg = bl_emit_slot(e, slot);
	for (uint32_t i = 0; i < mark->count; i++)
		if (mark->registers[i] == reg)
			return;
	mark->names[mark->count] = e->resolver->slot_names[slot];
	mark->registers[mark->count++] = reg;
}

struct variable_finder {
	struct bl_visitor visitor; /* first: see_variable is given this */
	struct bl_emitter *e;
	struct bl_program_mark *mark;
};

/* Outside of closures, whose variables live for a moment. */
static bool see_variable(struct bl_visitor *visitor,
			 const struct bl_rego_term *term)
{
	struct variable_finder *finder = (struct variable_finder *)visitor;

	if (term->kind == BL_TERM_VAR)
		add_variable(finder->e, finder->mark, term->slot);
	return term->kind >= BL_TERM_REF && !bl_term_is_comprehension(term);
}

static void add_all(struct bl_emitter *e, struct bl_program_mark *mark,
		    const struct bl_rego_expr *expr)
{
	struct variable_finder finder = { { .term = see_variable }, e, mark };

	/* Names of "every" are of its body only. */
	if (expr->kind != BL_EXPR_EVERY)
		bl_visit_terms(&finder.visitor, expr->terms, expr->term_count);
}

uint32_t bl_emit_begin_statement(struct bl_emitter *e,
				 const struct bl_rego_expr *expr)
{
	struct bl_arena *arena = e->builder->compiler->arena;
	struct bl_program_mark *mark;

	if (!bl_emit_observes(e))
		return 0;
	mark = new_mark(e, expr->range);
	if (!mark)
		return 0;
	mark->expr = expr;
	mark->shown.is_declaration = expr->kind == BL_EXPR_SOME;
	mark->shown.is_some_in = expr->kind == BL_EXPR_SOME_IN;
	mark->names = bl_arena_new_array(arena, struct bl_str, MAX_VARIABLES);
	mark->registers = bl_arena_new_array(arena, uint16_t, MAX_VARIABLES);
	if (!mark->names || !mark->registers) {
		e->failed = true;
		return 0;
	}
	add_all(e, mark, expr);
	mark->bound_before = mark->count;
	observe(e, BL_REGO_EVAL, last_mark(e), 0);
	return last_mark(e);
}

/* A key behind the name of the test in its head: "a" and k of test_x.a[k]. */
static const struct bl_rego_term *case_key(const struct bl_resolved_rule *rule,
					   uint32_t part, size_t i)
{
	const struct bl_rego_term *name = rule->syntax->name;
	size_t constants =
		bl_rego_path_length(name) - 1 - part - rule->key_count;

	return i < constants ? bl_rego_path_part(name, part + 1 + (uint32_t)i)
			     : rule->keys[i - constants];
}

/* The keys of a rule test_x[key], as soon as they are known. */
static void note_case(struct bl_emitter *e)
{
	const struct bl_resolved_rule *rule = e->cases;
	uint32_t part = 0;
	bl_register keys;
	size_t count;

	if (!rule || !bl_test_find_part(rule->syntax->name, &part))
		return;
	for (size_t i = 0; i < rule->key_count; i++)
		if (!bl_emit_is_ready(e, rule->keys[i]))
			return;
	count = bl_rego_path_length(rule->syntax->name) - 1 - part;
	keys = bl_emit_registers(e, count);
	for (size_t i = 0; i < count && !e->failed; i++)
		bl_emit_move(e, (bl_register)(keys + i),
			     bl_emit_value(e, case_key(rule, part, i)));
	observe(e, BL_REGO_CASE, (uint32_t)count, keys);
	e->cases = NULL;
}

void bl_emit_begin_cases(struct bl_emitter *e,
			 const struct bl_resolved_rule *rule, bool is_set)
{
	const struct bl_rego_term *name = rule->syntax->name;
	uint32_t part;

	e->cases = NULL;
	if (e->builder->compiler->options.tests && !is_set && rule->key_count &&
	    name && bl_test_find_part(name, &part) &&
	    part + rule->key_count < bl_rego_path_length(name))
		e->cases = rule;
}

void bl_emit_end_statement(struct bl_emitter *e,
			   const struct bl_rego_expr *expr, uint32_t mark)
{
	if (e->failed)
		return;
	if (bl_emit_observes(e)) {
		if (!expr->negated)
			add_all(e, &e->builder->program->marks[mark], expr);
		observe(e, BL_REGO_HELD, mark, 0);
	}
	if (e->nesting == 1)
		note_case(e);
}

void bl_emit_note_operands(struct bl_emitter *e, bl_register a, bl_register b)
{
	bl_register pair;

	if (!bl_emit_observes(e))
		return;
	pair = bl_emit_registers(e, 2);
	EMIT(e, MOVE, .a = pair, .b = a);
	EMIT(e, MOVE, .a = (bl_register)(pair + 1), .b = b);
	observe(e, BL_REGO_OPERANDS, 0, pair);
}

/* ---- print ------------------------------------------------------------------ */

/* The set of a term's values, empty when it is undefined. */
static void emit_values_of(struct bl_emitter *e,
			   const struct bl_rego_term *term, bl_register into)
{
	struct bl_bound before = e->bound;
	bl_register collector = bl_emit_registers(e, 1);
	bl_label outer = e->fail;
	bl_register value;

	e->bound = bl_bound_copy(e->builder->compiler->arena, &before);
	if (!e->bound.words) {
		e->failed = true;
		return;
	}
	EMIT(e, COLLECT_BEGIN, .a = collector, .n = BL_COLLECT_SET);
	e->fail = bl_emit_new_label(e);
	value = bl_emit_value(e, term);
	EMIT(e, COLLECT_VALUE, .a = collector, .b = value);
	bl_emit_place_label(e, e->fail);
	EMIT(e, COLLECT_END, .a = into, .b = collector);
	e->fail = outer;
	e->bound = before;
}

void bl_emit_print(struct bl_emitter *e, const struct bl_rego_term *call)
{
	uint32_t count = call->count - 1;
	bl_register sets;

	if (!e->builder->compiler->options.print)
		return;
	sets = bl_emit_registers(e, count + 1);
	for (uint32_t i = 0; i < count && !e->failed; i++)
		emit_values_of(e, call->as.items[i + 1],
			       (bl_register)(sets + i));
	e->place.offset = call->range.from;
	EMIT(e, PRINT, .b = sets, .c = (uint16_t)count);
}
