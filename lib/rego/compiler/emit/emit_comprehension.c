/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code for comprehensions: a collector, and the body, whose solutions go into it.
 * Where groups can save going through the body (emit_groups.c), looking them up is
 * put in front.
 */
#include "rego/compiler/emit/private.h"

static bool has_safe_heads(struct bl_emitter *e,
			   const struct bl_rego_term *term)
{
	struct bl_bound bound =
		bl_bound_copy(e->builder->compiler->arena, &e->bound);

	return !e->failed && bound.words &&
	       bl_order_heads(e->resolver, term->as.items, term->count, &bound);
}

enum bl_collector_kind bl_comprehension_kind(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_ARRAY_COMPREHENSION ? BL_COLLECT_ARRAY
	       : term->kind == BL_TERM_SET_COMPREHENSION ? BL_COLLECT_SET
							 : BL_COLLECT_OBJECT;
}

bool bl_emit_solutions(struct bl_emitter *e, const struct bl_rego_term *term,
		       struct bl_rego_body *body, bl_register out_values[2])
{
	bl_emit_body(e, body);
	if (!has_safe_heads(e, term)) {
		e->failed = true;
		return false;
	}
	for (uint32_t i = 0; i < term->count; i++)
		out_values[i] = bl_emit_value(e, term->as.items[i]);
	return true;
}

/* As it is written. */
static bl_register emit_plainly(struct bl_emitter *e,
				const struct bl_rego_term *term)
{
	enum bl_collector_kind kind = bl_comprehension_kind(term);
	bl_register collector = bl_emit_registers(e, 2);
	bl_label end = bl_emit_new_label(e);
	bl_register values[2] = { 0 };

	EMIT(e, COLLECT_BEGIN, .a = collector, .n = kind);
	e->fail = end;
	if (!bl_emit_solutions(e, term, term->body, values))
		return 0;
	if (kind == BL_COLLECT_OBJECT)
		EMIT(e, COLLECT_MEMBER, .a = collector, .b = values[0],
		     .c = values[1]);
	else
		EMIT(e, COLLECT_VALUE, .a = collector, .b = values[0]);
	EMIT(e, JUMP, .j = e->fail);
	bl_emit_place_label(e, end);
	EMIT(e, COLLECT_END, .a = (bl_register)(collector + 1), .b = collector);
	return (bl_register)(collector + 1);
}

bl_register bl_emit_comprehension(struct bl_emitter *e,
				  const struct bl_rego_term *term)
{
	struct bl_emitted code = { .from = (uint32_t)e->count,
				   .label_from = (bl_label)e->label_count };
	struct bl_first_loop first_loop = e->first_loop;
	uint32_t known_count = e->known_count;
	uint32_t loop_count = e->loop_count;
	struct bl_bound bound = e->bound;
	bl_label fail = e->fail;

	e->first_loop = (struct bl_first_loop){ 0 };
	e->bound = bl_bound_copy(e->builder->compiler->arena, &bound);
	if (!e->bound.words) {
		e->failed = true;
		e->bound = bound;
		return 0;
	}
	code.result = emit_plainly(e, term);
	code.first_loop = e->first_loop;
	e->first_loop = first_loop;
	e->fail = fail;
	e->bound = bound;
	e->known_count = known_count;
	e->loop_count = loop_count;
	if (!e->failed)
		bl_emit_groups(e, term, &code);
	return code.result;
}
