/* SPDX-License-Identifier: Apache-2.0 */
/* Code for rules: one function for each node of the tree that has rules. */
#include <stdlib.h>

#include "rego/analysis/checks.h"
#include "rego/bytecode/emit.h"

/* Registers of a rule function behind its arguments. */
enum { RESULT, CHAIN, FIXED_COUNT };

static bool has_block_not(const struct bl_rego_module *module)
{
	for (size_t i = 0; module && i < module->import_count; i++) {
		const struct bl_rego_term *path = module->imports[i].path;
		struct bl_str last;

		if (path->kind != BL_TERM_REF)
			continue;
		last = bl_value_text(path->as.items[path->count - 1]->as.value);
		if (bl_str_is(path->as.items[0]->as.name, "rego") &&
		    bl_str_is(last, "v2"))
			return true;
		if (bl_str_is(path->as.items[0]->as.name, "future") &&
		    path->count == 3 && bl_str_is(last, "not"))
			return true;
	}
	return false;
}

/* Gets the emitter ready for one rule, whose slots it has to know. */
static struct bl_resolved_rule *begin_rule(struct bl_emitter *e,
					   struct bl_resolver *resolver,
					   const struct bl_node *node,
					   const struct bl_rule *rule)
{
	struct bl_compiler *compiler = e->builder->compiler;
	const struct bl_rego_term *package = rule->module->package;
	struct bl_resolved_rule *resolved;

	*resolver = (struct bl_resolver){ .compiler = compiler,
					  .module = rule->module,
					  .package = compiler->root };
	for (uint32_t i = 0;
	     i < (package->kind == BL_TERM_VAR ? 1 : package->count); i++)
		resolver->package = bl_node_find_child(
			resolver->package,
			package->kind == BL_TERM_VAR
				? bl_value_string(package->as.name)
			: i == 0
				? bl_value_string(package->as.items[0]->as.name)
				: package->as.items[i]->as.value);
	e->resolver = resolver;
	e->rule = rule;
	e->place.module = (uint32_t)rule->module_index;
	e->place.offset = rule->syntax->range.from;
	e->block_not = has_block_not(rule->module);
	resolver->block_not = e->block_not;
	resolved = bl_resolve_rule(resolver, rule);
	if (!resolved) {
		e->failed = true;
		return NULL;
	}
	bl_check_rule(compiler, node, rule, resolved);
	e->slot_base = (uint32_t)node->arity + FIXED_COUNT;
	e->next_register = e->slot_base + (uint32_t)resolver->slot_count;
	if (e->next_register > e->max_register)
		e->max_register = e->next_register;
	e->bound = bl_bound_new(compiler->arena, resolver->slot_count);
	if (!e->bound.words || e->next_register > BL_MAX_REGISTERS)
		e->failed = true;
	return e->failed ? NULL : resolved;
}

static void check_head(struct bl_emitter *e,
		       const struct bl_resolved_rule *rule)
{
	struct bl_compiler *compiler = e->builder->compiler;
	size_t errors = compiler->diags->error_count;

	for (size_t i = 0; i < rule->key_count; i++)
		if (!bl_emit_is_ready(e, rule->keys[i]))
			bl_order_report(e->resolver, rule->keys[i], &e->bound);
	if (rule->value && !bl_emit_is_ready(e, rule->value))
		bl_order_report(e->resolver, rule->value, &e->bound);
	if (compiler->diags->error_count > errors)
		e->failed = true;
}

static bl_register emit_rule_value(struct bl_emitter *e,
				   const struct bl_resolved_rule *rule)
{
	bl_register result;

	if (rule->value)
		return bl_emit_value(e, rule->value);
	result = bl_emit_registers(e, 1);
	EMIT(e, CONSTANT, .a = result,
	     .n = bl_emit_constant(e, bl_value_boolean(true)));
	return result;
}

/*
 * Matches the patterns of the arguments.  One that has to be computed from
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
	bl_register value;

	e->bound = bl_bound_copy(e->builder->compiler->arena, &bound);
	if (!e->bound.words) {
		e->failed = true;
		return;
	}
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
	EMIT(e, ONCE, .a = into, .b = value, .n = is_function);
	EMIT(e, JUMP, .j = constant ? end : e->fail);
	bl_emit_place_label(e, end);
	e->bound = bound;
}

/* A rule with its else chain. */
static void emit_chain(struct bl_emitter *e, const struct bl_node *node,
		       const struct bl_resolved_rule *rule)
{
	bl_register result = (bl_register)(node->arity + RESULT);
	bl_register chain = (bl_register)(node->arity + CHAIN);
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
		EMIT(e, DEFINED, .b = chain, .j = next);
		EMIT(e, JUMP, .j = found);
		bl_emit_place_label(e, next);
	}
	EMIT(e, JUMP, .j = end);
	bl_emit_place_label(e, found);
	EMIT(e, ONCE, .a = result, .b = chain, .n = is_function);
	bl_emit_place_label(e, end);
}

static void emit_default(struct bl_emitter *e, const struct bl_node *node)
{
	bl_register result = (bl_register)(node->arity + RESULT);
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
	EMIT(e, DEFINED, .b = result, .j = undefined);
	EMIT(e, JUMP, .j = end);
	bl_emit_place_label(e, undefined);
	resolved = begin_rule(e, &resolver, node, &rule);
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
	bl_register value;

	e->fail = end;
	if (rule->body)
		bl_emit_body(e, rule->body);
	if (!e->failed)
		check_head(e, rule);
	for (size_t i = 0; i < rule->key_count && !e->failed; i++) {
		value = bl_emit_value(e, rule->keys[i]);
		EMIT(e, MOVE, .a = (bl_register)(path + i), .b = value);
	}
	if (e->failed)
		return;
	value = emit_rule_value(e, rule);
	e->place.offset = rule->syntax->range.from;
	EMIT(e, MOVE, .a = (bl_register)(path + rule->key_count), .b = value);
	EMIT(e, ADD_PATH, .a = RESULT, .b = path,
	     .c = (uint16_t)rule->key_count, .n = is_set);
	EMIT(e, JUMP, .j = e->fail);
	bl_emit_place_label(e, end);
}

void bl_emit_finish(struct bl_emitter *e, uint32_t index, size_t arity)
{
	struct bl_function *function = &e->builder->program->functions[index];

	if (e->failed)
		return;
	for (size_t i = 0; i < e->count; i++)
		if (e->code[i].op != BL_OP_WITH_FUNCTION && e->label_count > 0)
			e->code[i].j = e->code[i].j < e->label_count
					       ? e->labels[e->code[i].j]
					       : 0;
	*function = (struct bl_function){
		.code = bl_program_rel(e->builder->program, e->code),
		.places = bl_program_rel(e->builder->program, e->places),
		.code_count = (uint32_t)e->count,
		.register_count = e->max_register,
		.arity = (uint32_t)arity,
		.is_rule = arity == 0
	};
}

/* Are there keys behind the node, so that its document is an object? */
static bool has_dynamic_keys(const struct bl_rule *rule)
{
	const struct bl_rego_term *name = rule->syntax->name;

	return name->kind == BL_TERM_REF && rule->key_from < name->count;
}

static void emit_node(struct bl_program_builder *builder,
		      const struct bl_node *node)
{
	struct bl_emitter e = { .builder = builder };
	bool partial = node->kind == BL_RULE_PARTIAL;
	struct bl_resolver resolver;

	e.max_register = (uint32_t)node->arity + FIXED_COUNT;
	e.next_register = e.max_register;
	if (partial)
		EMIT(&e, COLLECT, .a = RESULT, .n = BL_COLLECT_DOCUMENT,
		     .b = node->rules && node->rules->is_set &&
			  !has_dynamic_keys(node->rules));
	else
		EMIT(&e, UNDEFINE, .a = (bl_register)(node->arity + RESULT));
	for (const struct bl_rule *rule = node->rules; rule;
	     rule = rule->next) {
		struct bl_resolved_rule *resolved =
			begin_rule(&e, &resolver, node, rule);

		if (resolved && partial)
			emit_partial(&e, resolved, rule->is_set);
		else if (resolved)
			emit_chain(&e, node, resolved);
		if (e.failed && builder->compiler->failed_memory)
			return;
		/* Errors of one rule do not hide those of the next. */
		e.failed = e.failed && builder->compiler->failed_memory;
	}
	if (partial) {
		EMIT(&e, CLOSE, .a = CHAIN, .b = RESULT);
		EMIT(&e, RETURN, .a = CHAIN);
	} else {
		emit_default(&e, node);
		EMIT(&e, RETURN, .a = (bl_register)(node->arity + RESULT));
	}
	bl_emit_finish(&e, node->function, node->arity);
}

/* ---- the tree of documents ------------------------------------------------ */

static int compare_keys(const void *a, const void *b)
{
	const struct bl_node *const *x = a;
	const struct bl_node *const *y = b;

	return bl_value_compare((*x)->key, (*y)->key);
}

/* Puts the children of a node behind each other into nodes, by key. */
static uint32_t put_children(const struct bl_node *node, struct bl_node **nodes)
{
	uint32_t count = 0;

	for (struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		nodes[count++] = child;
	if (count)
		qsort(nodes, count, sizeof(struct bl_node *), compare_keys);
	return count;
}

/* How far below a node the values of its own rules stand: its longest keys. */
static uint32_t key_depth(const struct bl_node *node)
{
	size_t depth = 0;

	for (const struct bl_rule *rule = node->rules; rule;
	     rule = rule->next) {
		const struct bl_rego_term *name = rule->syntax->name;
		size_t keys = name->kind == BL_TERM_REF
				      ? name->count - rule->key_from
				      : 0;

		if (keys > depth)
			depth = keys;
	}
	return (uint32_t)depth;
}

static struct bl_insn_place first_place(const struct bl_node *node)
{
	struct bl_insn_place none = { UINT32_MAX, 0 };

	if (!node->rules)
		return none;
	return (struct bl_insn_place){
		(uint32_t)node->rules->module_index,
		node->rules->syntax->range.from,
	};
}

static struct bl_program_node program_node(struct bl_program *program,
					   struct bl_node *node)
{
	node->function = node->kind == BL_RULE_NONE
				 ? BL_NO_FUNCTION
				 : (uint32_t)program->function_count++;
	return (struct bl_program_node){
		.parent = node->parent ? node->parent->index : BL_NO_NODE,
		.kind = (uint16_t)node->kind,
		.is_package = node->is_package,
		.function = node->function,
		.arity = (uint32_t)node->arity,
		.key_depth = key_depth(node),
		.place = first_place(node),
	};
}

/*
 * Numbers the nodes level by level, so that children are neighbours, and
 * describes each for the machine.  *out_nodes has them in that order.
 */
static bool make_nodes(struct bl_program_builder *builder,
		       struct bl_node ***out_nodes)
{
	struct bl_compiler *compiler = builder->compiler;
	struct bl_program *program = builder->program;
	size_t count = compiler->node_count;
	struct bl_node **nodes =
		bl_arena_new_array(compiler->arena, struct bl_node *, count);
	uint32_t made = 1;

	program->nodes = bl_arena_new_array(compiler->arena,
					    struct bl_program_node, count);
	if (!nodes || !program->nodes)
		return false;
	nodes[0] = compiler->root;
	for (uint32_t i = 0; i < made; i++) {
		nodes[i]->index = i;
		program->nodes[i] = program_node(program, nodes[i]);
		program->nodes[i].first_child = made;
		program->nodes[i].child_count =
			put_children(nodes[i], nodes + made);
		made += program->nodes[i].child_count;
	}
	program->node_count = made;
	*out_nodes = nodes;
	return true;
}

static bool make_file(struct bl_program_builder *builder,
		      const struct bl_rego_module *module,
		      struct bl_program_file *out_file)
{
	size_t count = 1;
	uint32_t *lines;

	for (size_t i = 0; i < module->text.len; i++)
		count += module->text.ptr[i] == '\n';
	lines = bl_arena_new_array(builder->compiler->arena, uint32_t, count);
	if (!lines)
		return false;
	count = 1;
	for (size_t i = 0; i < module->text.len; i++)
		if (module->text.ptr[i] == '\n')
			lines[count++] = (uint32_t)i + 1;
	*out_file = (struct bl_program_file){
		.name = bl_program_rel(builder->program, module->file.ptr),
		.name_len = (uint32_t)module->file.len,
		.lines = bl_program_rel(builder->program, lines),
		.line_count = (uint32_t)count,
	};
	return true;
}

static bool make_files(struct bl_program_builder *builder)
{
	struct bl_compiler *compiler = builder->compiler;
	struct bl_program *program = builder->program;

	program->files =
		bl_arena_new_array(compiler->arena, struct bl_program_file,
				   compiler->module_count + 1);
	for (size_t i = 0; program->files && i < compiler->module_count; i++)
		if (!make_file(builder, compiler->modules[i],
			       &program->files[program->file_count++]))
			return false;
	return program->files != NULL;
}

void bl_emit_rules(struct bl_program_builder *builder)
{
	struct bl_program *program = builder->program;
	struct bl_compiler *compiler = builder->compiler;
	struct bl_emitter e = { .builder = builder };
	struct bl_node **nodes = NULL;

	if (!make_files(builder) || !make_nodes(builder, &nodes)) {
		compiler->failed_memory = true;
		return;
	}
	program->functions =
		bl_arena_new_array(compiler->arena, struct bl_function,
				   program->function_count + 1);
	if (!program->functions) {
		compiler->failed_memory = true;
		return;
	}
	for (size_t i = 0; i < program->node_count; i++)
		if (nodes[i]->function != BL_NO_FUNCTION)
			emit_node(builder, nodes[i]);
	for (size_t i = 1; i < program->node_count; i++)
		program->nodes[i].key = bl_emit_constant(&e, nodes[i]->key);
	compiler->failed_memory |= e.failed;
}

enum bl_status bl_program_compile(const struct bl_rego_module *const *modules,
				  size_t module_count,
				  const struct bl_rego_compile_options *options,
				  struct bl_arena *arena,
				  struct bl_diags *diags,
				  struct bl_program *out_program,
				  struct bl_error *err)
{
	struct bl_compiler compiler = {
		.arena = arena,
		.diags = diags,
		.options = options ? *options
				   : (struct bl_rego_compile_options){ 0 },
		.modules = modules,
		.module_count = module_count
	};
	struct bl_program_builder builder = { .compiler = &compiler,
					      .program = out_program };

	*out_program = (struct bl_program){ 0 };
	if (bl_check_names(&compiler) && bl_analysis_build_tree(&compiler))
		bl_emit_rules(&builder);
	if (!diags->error_count && !compiler.failed_memory)
		bl_check_recursion(&compiler);
	if (compiler.failed_memory)
		return bl_arena_fail(arena, err);
	if (diags->error_count)
		return bl_fail(err, BL_INVALID,
			       "the policies do not compile: %zu error%s",
			       diags->error_count,
			       diags->error_count == 1 ? "" : "s");
	return BL_OK;
}
