/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code for rules, one at a time: arguments, body, value, else. How the rules of
 * one node are tried and joined is emit_node.c's matter.
 */
#include "rego/compiler/check/checks.h"
#include "rego/compiler/emit/private.h"

struct bl_resolved_rule *bl_emit_begin_rule(struct bl_emitter *e,
					    struct bl_resolver *resolver,
					    const struct bl_node *node,
					    const struct bl_rule *rule)
{
	struct bl_compiler *compiler = e->builder->compiler;
	size_t errors;
	struct bl_resolved_rule *resolved;

	*resolver = (struct bl_resolver){ .compiler = compiler,
					  .module = rule->module,
					  .package = bl_package_node(
						  compiler, rule->module) };
	e->resolver = resolver;
	e->rule = rule;
	if (bl_emit_observes(e))
		e->path = bl_node_path(compiler, node);
	e->known_from = e->known_count = 0;
	e->loop_count = 0;
	e->place.module = (uint32_t)rule->module_index;
	e->place.offset = rule->syntax->range.from;
	e->block_not = bl_module_has_block_not(rule->module);
	resolver->block_not = e->block_not;
	resolved = bl_resolve_rule(resolver, rule);
	if (!resolved) {
		e->failed = true;
		return NULL;
	}
	errors = compiler->findings.ending_count;
	bl_check_rule(compiler, node, rule, resolved);
	e->slot_base = (uint32_t)node->arity + e->fixed_count;
	e->next_register = e->slot_base + (uint32_t)resolver->slot_count;
	if (e->next_register > e->max_register)
		e->max_register = e->next_register;
	e->bound = bl_bound_new(compiler->arena, resolver->slot_count);
	if (!e->bound.words || e->next_register > BL_MAX_REGISTERS ||
	    compiler->findings.ending_count > errors)
		e->failed = true;
	return e->failed ? NULL : resolved;
}

static void check_head(struct bl_emitter *e,
		       const struct bl_resolved_rule *rule)
{
	struct bl_arena *arena = e->builder->compiler->arena;
	struct bl_rego_term **terms = bl_arena_new_array(
		arena, struct bl_rego_term *, rule->key_count + 1);
	struct bl_bound bound = bl_bound_copy(arena, &e->bound);
	size_t count = rule->key_count;

	if (!terms || !bound.words) {
		e->failed = true;
		return;
	}
	for (size_t i = 0; i < count; i++)
		terms[i] = rule->keys[i];
	if (rule->value)
		terms[count++] = rule->value;
	if (!bl_order_heads(e->resolver, terms, count, &bound))
		e->failed = true;
}

static bl_register emit_rule_value(struct bl_emitter *e,
				   const struct bl_resolved_rule *rule)
{
	bl_register result;

	if (rule->value)
		return bl_emit_value(e, rule->value);
	result = bl_emit_registers(e, 1);
	EMIT(e, LOAD_CONSTANT, .a = result,
	     .n = bl_emit_constant(e, bl_value_boolean(true)));
	return result;
}

/*
 * Matches the patterns of the arguments.  A pattern that has to be computed from
 * variables of the body (a template string) is matched behind the body.
 */
static void match_args(struct bl_emitter *e,
		       const struct bl_resolved_rule *rule, bool behind_body)
{
	for (size_t i = 0; i < rule->arg_count && !e->failed; i++) {
		const struct bl_rego_term *arg = rule->args[i];
		bool computed = arg->kind == BL_TERM_CALL;

		if (computed == behind_body)
			bl_emit_match(e, arg, (bl_register)i);
	}
}

/*
 * One rule of a chain: its solutions go into register `into`.  Stops at the
 * first one when all would give the same constant.
 */
static void emit_one(struct bl_emitter *e, const struct bl_resolved_rule *rule,
		     bl_register into, bool is_function)
{
	bl_label end = bl_emit_new_label(e);
	struct bl_bound bound = e->bound;
	bool constant = !rule->value || rule->value->kind == BL_TERM_SCALAR;
	uint32_t mark = bl_emit_enter(e, rule->syntax);
	bl_register value;

	e->bound = bl_bound_copy(e->builder->compiler->arena, &bound);
	if (!e->bound.words) {
		e->failed = true;
		return;
	}
	e->known_from = e->known_count = 0;
	e->loop_count = 0;
	e->fail = end;
	match_args(e, rule, false);
	if (rule->body)
		bl_emit_body(e, rule->body);
	match_args(e, rule, true);
	if (!e->failed)
		check_head(e, rule);
	if (e->failed)
		return;
	e->place.offset = rule->syntax->range.from;
	value = emit_rule_value(e, rule);
	e->place.offset = rule->syntax->range.from;
	bl_emit_exit(e, mark, value, rule, false);
	if (e->one_value) {
		EMIT(e, RETURN, .a = value);
	} else {
		EMIT(e, MOVE_ONCE, .a = into, .b = value, .n = is_function);
		EMIT(e, JUMP, .j = constant ? end : e->fail);
	}
	bl_emit_place_label(e, end);
	e->bound = bound;
}

/* A rule with its else chain. */
static void emit_chain(struct bl_emitter *e, const struct bl_node *node,
		       const struct bl_resolved_rule *rule)
{
	bl_register result = (bl_register)(node->arity + BL_RULE_RESULT);
	bl_register chain = (bl_register)(node->arity + BL_RULE_CHAIN);
	bool is_function = node->kind == BL_RULE_FUNCTION;
	bl_label found;
	bl_label end;

	if (!rule->else_rule) {
		emit_one(e, rule, result, is_function);
		return;
	}
	found = bl_emit_new_label(e);
	end = bl_emit_new_label(e);
	EMIT(e, UNDEFINE, .a = chain);
	for (; rule && !e->failed; rule = rule->else_rule) {
		bl_label next = bl_emit_new_label(e);

		emit_one(e, rule, chain, is_function);
		EMIT(e, JUMP_UNLESS_DEFINED, .b = chain, .j = next);
		EMIT(e, JUMP, .j = found);
		bl_emit_place_label(e, next);
	}
	EMIT(e, JUMP, .j = end);
	bl_emit_place_label(e, found);
	EMIT(e, MOVE_ONCE, .a = result, .b = chain, .n = is_function);
	bl_emit_place_label(e, end);
}

void bl_emit_default(struct bl_emitter *e, const struct bl_node *node)
{
	bl_register result = (bl_register)(node->arity + BL_RULE_RESULT);
	struct bl_rule rule = { .syntax = node->default_rule,
				.module = node->default_module,
				.key_from = SIZE_MAX };
	struct bl_resolver resolver;
	struct bl_resolved_rule *resolved;
	bl_label end;
	bl_label undefined;

	if (!node->default_rule)
		return;
	for (size_t i = 0; i < e->builder->compiler->module_count; i++)
		if (e->builder->compiler->modules[i] == node->default_module)
			rule.module_index = i;
	end = bl_emit_new_label(e);
	undefined = bl_emit_new_label(e);
	EMIT(e, JUMP_UNLESS_DEFINED, .b = result, .j = undefined);
	EMIT(e, JUMP, .j = end);
	bl_emit_place_label(e, undefined);
	resolved = bl_emit_begin_rule(e, &resolver, node, &rule);
	if (resolved)
		emit_one(e, resolved, result, false);
	bl_emit_place_label(e, end);
}

/* Solutions of a partial rule, added to the collector in register 0. */
static void emit_partial(struct bl_emitter *e,
			 const struct bl_resolved_rule *rule, bool is_set)
{
	bl_label end = bl_emit_new_label(e);
	bl_register path = bl_emit_registers(e, rule->key_count + 1);
	uint32_t mark = bl_emit_enter(e, rule->syntax);
	bl_register value;

	e->fail = end;
	bl_emit_begin_cases(e, rule, is_set);
	if (rule->body)
		bl_emit_body(e, rule->body);
	e->cases = NULL;
	if (!e->failed)
		check_head(e, rule);
	for (size_t i = 0; i < rule->key_count && !e->failed; i++) {
		value = bl_emit_value(e, rule->keys[i]);
		bl_emit_move(e, (bl_register)(path + i), value);
	}
	if (e->failed)
		return;
	value = emit_rule_value(e, rule);
	e->place.offset = rule->syntax->range.from;
	bl_emit_move(e, (bl_register)(path + rule->key_count), value);
	bl_emit_exit(e, mark, (bl_register)(path + rule->key_count), rule,
		     is_set);
	EMIT(e, COLLECT_PATH, .a = BL_RULE_RESULT, .b = path,
	     .c = (uint16_t)rule->key_count, .n = is_set);
	EMIT(e, JUMP, .j = e->fail);
	bl_emit_place_label(e, end);
}

void bl_emit_rule(struct bl_emitter *e, const struct bl_node *node,
		  const struct bl_rule *rule,
		  const struct bl_resolved_rule *resolved)
{
	if (node->kind == BL_RULE_PARTIAL)
		emit_partial(e, resolved, rule->is_set);
	else
		emit_chain(e, node, resolved);
}
