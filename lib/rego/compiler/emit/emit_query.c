/* SPDX-License-Identifier: Apache-2.0 */
/* Code for queries: every solution with its variables and statements. */
#include "rego/compiler/check/checks.h"
#include "rego/compiler/emit/private.h"

/* The result of a query: names, and the slots that hold their values. */
struct shown {
	struct bl_str *names;
	int32_t *slots;
	size_t count;
};

static bool is_void(const struct bl_callables *callables,
		    const struct bl_rego_term *callee)
{
	const struct bl_builtin *row =
		callee->kind == BL_TERM_VAR
			? bl_callables_builtin(callables, callee->as.name)
			: NULL;

	return row && row->flags & BL_BUILTIN_VOID;
}

/*
 * Has the statement a value of its own?  Statements that bind or test do not:
 * they show that they held.
 */
static bool has_value(const struct bl_callables *callables,
		      const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *term;

	if (expr->kind != BL_EXPR_TERM || expr->negated)
		return false;
	term = expr->terms[0];
	if (term->kind != BL_TERM_CALL)
		return true;
	if (!term->infix)
		return !is_void(callables, term->as.items[0]);
	return !bl_str_is(term->as.items[0]->as.name, "eq") &&
	       !bl_str_is(term->as.items[0]->as.name, "assign");
}

static struct bl_rego_term *new_var(struct bl_arena *arena, struct bl_str name,
				    struct bl_rego_range range)
{
	struct bl_rego_term *var = bl_arena_new(arena, struct bl_rego_term);

	if (var) {
		var->kind = BL_TERM_VAR;
		var->as.name = name;
		var->range = range;
	}
	return var;
}

/*
 * "$N = statement" for statement N; `statement` itself may be false only when
 * it is the whole query, which is what the caller then wants to see.
 */
static bool bind_statement(struct bl_arena *arena, struct bl_rego_expr *expr,
			   size_t number)
{
	struct bl_rego_term *call = bl_arena_new(arena, struct bl_rego_term);
	struct bl_rego_term **items =
		bl_arena_new_array(arena, struct bl_rego_term *, 3);
	struct bl_rego_term **terms =
		bl_arena_new_array(arena, struct bl_rego_term *, 1);
	struct bl_str name = bl_arena_printf(arena, "$%08zu", number);

	if (!call || !items || !terms || !name.ptr)
		return false;
	*call = (struct bl_rego_term){ .kind = BL_TERM_CALL,
				       .infix = true,
				       .count = 3,
				       .range = expr->range,
				       .as.items = items };
	items[0] = new_var(arena, BL_STR("eq"), expr->range);
	items[1] = new_var(arena, name, expr->range);
	items[2] = expr->terms[0];
	terms[0] = call;
	expr->terms = terms;
	return items[0] && items[1];
}

/* "$N = true", for statement N without a value. */
static struct bl_rego_expr *held_statement(struct bl_arena *arena,
					   const struct bl_rego_expr *like,
					   size_t number)
{
	struct bl_rego_expr *expr = bl_arena_new(arena, struct bl_rego_expr);
	struct bl_rego_term *value = bl_arena_new(arena, struct bl_rego_term);

	if (!expr || !value)
		return NULL;
	value->kind = BL_TERM_SCALAR;
	value->as.value = bl_value_boolean(true);
	value->range = like->range;
	expr->kind = BL_EXPR_TERM;
	expr->range = like->range;
	expr->term_count = 1;
	expr->terms = &value;
	return bind_statement(arena, expr, number) ? expr : NULL;
}

/* "$N" behind "$N = statement": it must not be false. */
static struct bl_rego_expr *test_statement(struct bl_arena *arena,
					   const struct bl_rego_expr *bound)
{
	struct bl_rego_expr *test = bl_arena_new(arena, struct bl_rego_expr);

	if (!test)
		return NULL;
	test->kind = BL_EXPR_TERM;
	test->range = bound->range;
	test->term_count = 1;
	test->terms = bound->terms[0]->as.items + 1;
	return test;
}

/* Does term go through something, outside of closures? */
static bool goes_through(const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_SCALAR || term->kind == BL_TERM_VAR ||
	    term->kind == BL_TERM_TEMPLATE ||
	    term->kind >= BL_TERM_ARRAY_COMPREHENSION)
		return false;
	for (uint32_t i = 0; i < term->count; i++)
		if ((term->kind == BL_TERM_REF && i &&
		     term->as.items[i]->kind == BL_TERM_VAR) ||
		    goes_through(term->as.items[i]))
			return true;
	return false;
}

/*
 * Is false no solution?  It is one when the only statement of a query is false
 * and can be so just once.
 */
static bool must_hold(const struct bl_rego_body *query)
{
	const struct bl_rego_expr *only = query->exprs[0];

	if (query->count > 1 || goes_through(only->terms[0]))
		return true;
	for (uint32_t i = 0; i < only->with_count; i++)
		if (goes_through(only->withs[i].value))
			return true;
	return false;
}

/*
 * A copy of the query whose statements give their values names.  A "some x"
 * only declares, and shows nothing.
 */
static struct bl_rego_body *show_statements(const struct bl_compiler *compiler,
					    const struct bl_rego_body *body)
{
	struct bl_arena *arena = compiler->arena;
	struct bl_rego_body *copy = bl_arena_new(arena, struct bl_rego_body);
	size_t made = 0;

	if (!copy)
		return NULL;
	*copy = *body;
	copy->exprs = bl_arena_new_array(arena, struct bl_rego_expr *,
					 body->count * 2);
	for (size_t i = 0; copy->exprs && i < body->count; i++) {
		struct bl_rego_expr *expr =
			bl_arena_new(arena, struct bl_rego_expr);
		struct bl_rego_expr *more;

		if (!expr)
			return NULL;
		*expr = *body->exprs[i];
		copy->exprs[made++] = expr;
		if (expr->kind == BL_EXPR_SOME)
			continue;
		if (!has_value(compiler->callables, expr)) {
			more = held_statement(arena, expr, i);
		} else {
			if (!bind_statement(arena, expr, i))
				return NULL;
			if (!must_hold(body))
				continue;
			more = test_statement(arena, expr);
		}
		if (!more)
			return NULL;
		copy->exprs[made++] = more;
	}
	copy->count = made;
	return copy->exprs ? copy : NULL;
}

static bool emit_query_code(struct bl_emitter *e, struct bl_rego_body *body,
			    const struct shown *shown)
{
	bl_label end = bl_emit_new_label(e);
	bl_register collector = bl_emit_registers(e, 2);
	bl_register pairs;
	bl_register object;
	size_t count = 0;

	EMIT(e, COLLECT_BEGIN, .a = collector, .n = BL_COLLECT_ARRAY);
	e->fail = end;
	bl_emit_body(e, body);
	pairs = bl_emit_registers(e, shown->count * 2);
	for (size_t i = 0; i < shown->count && !e->failed; i++) {
		bl_register key = (bl_register)(pairs + count * 2);
		struct bl_value name = bl_value_string(shown->names[i]);

		if (!bl_bound_has(&e->bound, shown->slots[i]))
			continue;
		EMIT(e, LOAD_CONSTANT, .a = key,
		     .n = bl_emit_constant(e, name));
		bl_emit_move(e, (bl_register)(key + 1),
			     bl_emit_slot(e, shown->slots[i]));
		count++;
	}
	object = bl_emit_registers(e, 1);
	EMIT(e, MAKE_OBJECT, .a = object, .b = pairs, .c = (uint16_t)count);
	EMIT(e, COLLECT_VALUE, .a = collector, .b = object);
	EMIT(e, JUMP, .j = e->fail);
	bl_emit_place_label(e, end);
	EMIT(e, COLLECT_END, .a = (bl_register)(collector + 1), .b = collector);
	EMIT(e, RETURN, .a = (bl_register)(collector + 1));
	return !e->failed;
}

/* Room for one more function, in a copy of the table. */
static bool copy_functions(struct bl_program *program, struct bl_arena *arena)
{
	struct bl_function *functions = bl_arena_new_array(
		arena, struct bl_function, program->function_count + 1);

	if (!functions)
		return false;
	if (program->function_count)
		memcpy(functions, program->functions,
		       program->function_count * sizeof(*functions));
	program->functions = functions;
	program->function_count++;
	return true;
}

/*
 * The tree as the analysis of a query needs it: names, kinds and functions,
 * without the rules.  NULL when memory is out.
 */
static struct bl_node *make_tree(const struct bl_program *program,
				 struct bl_arena *arena)
{
	struct bl_node *nodes = bl_arena_new_array(arena, struct bl_node,
						   program->node_count + 1);

	for (uint32_t i = 0; nodes && i < program->node_count; i++) {
		const struct bl_program_node *from = &program->nodes[i];
		struct bl_node *node = &nodes[i];

		node->index = i;
		node->kind = (enum bl_rule_kind)from->kind;
		node->is_package = from->is_package;
		node->function = from->function;
		node->arity = from->arity;
		node->rules_tail = &node->rules;
		if (i == 0)
			continue;
		node->key = bl_program_constant(program, from->key);
		node->parent = &nodes[from->parent];
		if (node->parent->last_child)
			node->parent->last_child->next_sibling = node;
		else
			node->parent->first_child = node;
		node->parent->last_child = node;
	}
	return nodes;
}

static enum bl_status does_not_compile(struct bl_compiler *compiler,
				       struct bl_error *err)
{
	bl_findings_report(compiler);
	return bl_fail(err, BL_INVALID, "the query does not compile");
}

enum bl_status
bl_program_add_query(struct bl_program *program, const struct bl_query *query,
		     struct bl_arena *arena, struct bl_diags *diags,
		     uint32_t *out_function, struct bl_error *err)
{
	struct bl_compiler compiler = { .options.observe = program->is_observed,
					.options.print = program->has_print,
					.callables = program->callables,
					.arena = arena,
					.diags = diags,
					.query = query->source,
					.root = make_tree(program, arena),
					.node_count =
						(uint32_t)program->node_count };
	/* Full tables grow into copies. */
	struct bl_program_builder builder = {
		.compiler = &compiler,
		.program = program,
		.constant_cap = program->constant_count,
		.builtin_cap = program->builtin_count,
		.patterns = { .program = program,
			      .arena = arena,
			      .cap = program->pattern_count },
		.mark_cap = program->mark_count,
	};
	struct bl_resolver resolver = {
		.compiler = &compiler,
		.query_scope = query->scope,
		.package = query->scope
				   ? bl_package_node(&compiler, query->scope)
				   : NULL
	};
	struct bl_emitter e = { .builder = &builder, .resolver = &resolver };
	struct bl_rego_body *resolved = show_statements(&compiler, query->body);
	struct shown shown;

	if (resolved && compiler.root)
		resolved = bl_resolve_query(&resolver, resolved, &shown.names,
					    &shown.slots, &shown.count);
	if (resolved && compiler.root)
		bl_check_query(&resolver, resolved, program->types);
	if (compiler.findings.count && !compiler.failed_memory)
		return does_not_compile(&compiler, err);
	if (!resolved || !compiler.root || !copy_functions(program, arena))
		return bl_arena_fail(arena, err);
	builder.function_cap = program->function_count;
	*out_function = (uint32_t)program->function_count - 1;
	e.place.module = UINT32_MAX;
	e.next_register = e.max_register = (uint32_t)resolver.slot_count;
	e.bound = bl_bound_new(arena, resolver.slot_count);
	if (!e.bound.words)
		return bl_arena_fail(arena, err);
	if (emit_query_code(&e, resolved, &shown) && !compiler.findings.count &&
	    !query->is_checked)
		bl_check_query_types(&resolver, resolved, program->types);
	if (e.failed || compiler.failed_memory || compiler.findings.count) {
		if (compiler.failed_memory)
			return bl_arena_fail(arena, err);
		return does_not_compile(&compiler, err);
	}
	bl_emit_finish(&e, *out_function, 0);
	return BL_OK;
}
