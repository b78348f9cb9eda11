/* SPDX-License-Identifier: Apache-2.0 */
/* From modules to a program: files, the tree of documents, functions. */
#include <stdlib.h>

#include "rego/compiler/check/checks.h"
#include "rego/compiler/emit/private.h"

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

/* Of the first rule, or of the default that is the only one. */
static struct bl_insn_place first_place(const struct bl_compiler *compiler,
					const struct bl_node *node)
{
	struct bl_insn_place place = { UINT32_MAX, 0 };

	if (node->rules)
		return (struct bl_insn_place){
			(uint32_t)node->rules->module_index,
			node->rules->syntax->range.from,
		};
	for (size_t i = 0; node->default_rule && i < compiler->module_count;
	     i++)
		if (compiler->modules[i] == node->default_module)
			place = (struct bl_insn_place){
				(uint32_t)i, node->default_rule->range.from
			};
	return place;
}

static struct bl_program_node program_node(struct bl_program_builder *builder,
					   struct bl_node *node)
{
	struct bl_program *program = builder->program;

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
		.place = first_place(builder->compiler, node),
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
		program->nodes[i] = program_node(builder, nodes[i]);
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

static void emit_rules(struct bl_program_builder *builder)
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
	builder->function_cap = program->function_count + 1;
	for (size_t i = 0; i < program->node_count; i++)
		if (nodes[i]->function != BL_NO_FUNCTION) {
			bl_emit_node(builder, nodes[i]);
			program->functions[nodes[i]->function].node =
				(uint32_t)i;
		}
	for (size_t i = 1; i < program->node_count; i++)
		program->nodes[i].key = bl_emit_constant(&e, nodes[i]->key);
	compiler->failed_memory |= e.failed;
}

/* Each pass as long as OPA would come to it. */
static void analyse(struct bl_program_builder *builder)
{
	struct bl_compiler *compiler = builder->compiler;
	const struct bl_findings *findings = &compiler->findings;
	struct bl_program *program = builder->program;

	if (bl_check_names(compiler) && bl_analysis_build_tree(compiler))
		emit_rules(builder);
	program->tests = compiler->tests;
	program->test_count = compiler->test_count;
	if (!findings->ending_count && !compiler->failed_memory &&
	    bl_check_recursion(compiler))
		program->types = bl_check_types(compiler);
	bl_findings_report(compiler);
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
	struct bl_program_builder builder = {
		.compiler = &compiler,
		.program = out_program,
		.patterns = { .program = out_program, .arena = arena },
	};

	size_t errors = diags->error_count;
	enum bl_status status =
		bl_callables_make(arena, options, &compiler.callables, err);

	if (status)
		return status;
	*out_program = (struct bl_program){
		.callables = compiler.callables,
		.features = bl_callables_features(compiler.callables),
		.is_observed = compiler.options.observe,
		.has_print = compiler.options.print,
	};
	bl_callables_check_modules(compiler.callables, modules, module_count,
				   diags);
	if (diags->error_count == errors)
		analyse(&builder);
	if (compiler.failed_memory)
		return bl_arena_fail(arena, err);
	errors = diags->error_count - errors;
	if (errors)
		return bl_fail(err, BL_INVALID,
			       "the policies do not compile: %zu error%s",
			       errors, errors == 1 ? "" : "s");
	return BL_OK;
}
