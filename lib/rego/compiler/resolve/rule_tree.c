/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of packages and rules (docs/contracts/rego.md "Rule heads", "Compile
 * checks", "Conflicts and recursion").
 */
#include "rego/compiler/check/checks.h"
#include "rego/compiler/parse/print.h"

/* With fewer children than that, a list is as quick as a table. */
enum { LEAST_TABLE = 16 };

static void put_in_table(struct bl_node *node, struct bl_node *child)
{
	size_t at = (size_t)bl_value_hash(child->key);

	while (node->table[at & (node->table_size - 1)])
		at++;
	node->table[at & (node->table_size - 1)] = child;
}

struct bl_node *bl_node_find_child(const struct bl_node *node,
				   struct bl_value key)
{
	struct bl_node *child;

	if (node->table) {
		size_t mask = node->table_size - 1;
		size_t at = (size_t)bl_value_hash(key);

		for (; (child = node->table[at & mask]); at++)
			if (bl_value_equal(child->key, key))
				return child;
		return NULL;
	}
	for (child = node->first_child; child; child = child->next_sibling)
		if (bl_value_equal(child->key, key))
			return child;
	return NULL;
}

/* Keeps the table at most half full; false without memory. */
static bool index_child(struct bl_compiler *compiler, struct bl_node *node,
			struct bl_node *child)
{
	size_t size;

	if (++node->child_count < LEAST_TABLE)
		return true;
	if (node->table && node->child_count <= node->table_size / 2) {
		put_in_table(node, child);
		return true;
	}
	size = node->table_size ? node->table_size * 2
				: (size_t)LEAST_TABLE * 4;
	node->table =
		bl_arena_new_array(compiler->arena, struct bl_node *, size);
	if (!node->table)
		return false;
	node->table_size = size;
	for (struct bl_node *at = node->first_child; at; at = at->next_sibling)
		put_in_table(node, at);
	return true;
}

struct bl_node *bl_node_make_child(struct bl_compiler *compiler,
				   struct bl_node *parent, struct bl_value key)
{
	struct bl_node *node = parent ? bl_node_find_child(parent, key) : NULL;

	if (node)
		return node;
	node = bl_arena_new(compiler->arena, struct bl_node);
	if (!node) {
		compiler->failed_memory = true;
		return NULL;
	}
	node->key = key;
	node->parent = parent;
	node->rules_tail = &node->rules;
	node->index = compiler->node_count++;
	if (!parent)
		return node;
	if (parent->last_child)
		parent->last_child->next_sibling = node;
	else
		parent->first_child = node;
	parent->last_child = node;
	if (index_child(compiler, parent, node))
		return node;
	compiler->failed_memory = true;
	return NULL;
}

struct bl_str bl_node_path(const struct bl_compiler *compiler,
			   const struct bl_node *node)
{
	const struct bl_node **way; /* from the node up, without the root */
	struct bl_str text;
	struct bl_buf path;
	size_t count = 0;

	if (!node->parent)
		return BL_STR("data");
	for (const struct bl_node *at = node; at->parent; at = at->parent)
		count++;
	way = bl_arena_new_array(compiler->arena, const struct bl_node *,
				 count);
	if (!way)
		return (struct bl_str){ 0 };
	for (size_t i = 0; i < count; i++, node = node->parent)
		way[i] = node;
	bl_buf_init(&path, 0);
	bl_buf_puts(&path, "data");
	while (count > 0)
		bl_rego_put_key(&path, way[--count]->key);
	text = bl_arena_copy_str(compiler->arena, bl_buf_str(&path));
	bl_buf_clear(&path);
	return text;
}

struct bl_node *bl_package_node(const struct bl_compiler *compiler,
				const struct bl_rego_module *module)
{
	struct bl_node *node = compiler->root;

	for (uint32_t i = 0; node && i < bl_rego_path_length(module->package);
	     i++)
		node = bl_node_find_child(node,
					  bl_rego_path_key(module->package, i));
	return node;
}

/* Later passes go down the tree by recursion. */
static bool is_too_deep(struct bl_compiler *compiler,
			const struct bl_rego_module *module,
			const struct bl_rego_term *path)
{
	if (bl_rego_path_length(path) <= BL_REGO_MAX_NESTING)
		return false;
	bl_compiler_error(compiler, module, path->range.from, BL_FINDING_LIMIT,
			  "path has more than %d parts", BL_REGO_MAX_NESTING);
	return true;
}

static struct bl_node *walk_package(struct bl_compiler *compiler,
				    const struct bl_rego_term *path)
{
	struct bl_node *node = compiler->root;

	for (uint32_t i = 0; node && i < bl_rego_path_length(path); i++)
		node = bl_node_make_child(compiler, node,
					  bl_rego_path_key(path, i));
	if (node)
		node->is_package = true;
	return node;
}

static enum bl_rule_kind kind_of(const struct bl_rego_rule *rule, bool dynamic)
{
	if (rule->arg_count) /* "f()" is not a function to OPA */
		return BL_RULE_FUNCTION;
	return rule->contains || dynamic ? BL_RULE_PARTIAL : BL_RULE_COMPLETE;
}

/* Adds to the end of a list of rules; NULL without memory. */
static struct bl_rule **append(struct bl_compiler *compiler,
			       struct bl_rule **tail,
			       const struct bl_rule *rule)
{
	struct bl_rule *copy = bl_arena_new(compiler->arena, struct bl_rule);

	if (!copy) {
		compiler->failed_memory = true;
		return tail;
	}
	*copy = *rule;
	*tail = copy;
	return &copy->next;
}

/* Puts a rule on its node; what does not go together is found afterwards. */
static void add_rule(struct bl_compiler *compiler, struct bl_node *node,
		     const struct bl_rule *rule, enum bl_rule_kind kind)
{
	const struct bl_rego_rule *syntax = rule->syntax;
	struct bl_rule **tail = &node->more_defaults;

	if (node->kind == BL_RULE_NONE) {
		node->kind = kind;
		node->arity = syntax->arg_count;
	}
	if (!syntax->is_default) {
		node->rules_tail = append(compiler, node->rules_tail, rule);
		return;
	}
	if (!node->default_rule) {
		node->default_rule = syntax;
		node->default_module = rule->module;
		return;
	}
	while (*tail)
		tail = &(*tail)->next;
	append(compiler, tail, rule);
}

/* The rule with "contains" where it is meant. */
static const struct bl_rego_rule *as_set(struct bl_compiler *compiler,
					 const struct bl_rego_module *module,
					 const struct bl_rego_rule *syntax)
{
	struct bl_rego_rule *copy;

	if (!bl_rego_rule_is_old_set(module, syntax))
		return syntax;
	copy = bl_arena_new(compiler->arena, struct bl_rego_rule);
	if (!copy) {
		compiler->failed_memory = true;
		return syntax;
	}
	*copy = *syntax;
	copy->name = syntax->name->as.items[0];
	copy->contains = syntax->name->as.items[1];
	return copy;
}

static void place_rule(struct bl_compiler *compiler, struct bl_node *package,
		       size_t module_index, const struct bl_rego_rule *syntax)
{
	const struct bl_rego_module *module = compiler->modules[module_index];
	const struct bl_rego_rule *rule_of = as_set(compiler, module, syntax);
	const struct bl_rego_term *name = rule_of->name;
	struct bl_node *node = package;
	struct bl_rule rule = { .syntax = rule_of,
				.module = module,
				.module_index = module_index,
				.is_set = rule_of->contains != NULL };
	uint32_t i;

	if (is_too_deep(compiler, module, name))
		return;
	if (compiler->options.tests) {
		rule.syntax = rule_of = bl_test_add(compiler, package, &rule);
		name = rule_of->name;
	}
	for (i = 0; node && i < bl_rego_path_length(name); i++) {
		if (i > 0 && bl_rego_path_part(name, i)->kind != BL_TERM_SCALAR)
			break;
		node = bl_node_make_child(compiler, node,
					  bl_rego_path_key(name, i));
	}
	rule.key_from = i;
	if (node)
		add_rule(compiler, node, &rule,
			 kind_of(rule_of, i < bl_rego_path_length(name)));
}

bool bl_analysis_build_tree(struct bl_compiler *compiler)
{
	compiler->root =
		bl_node_make_child(compiler, NULL, bl_value_undefined());
	for (size_t i = 0; compiler->root && i < compiler->module_count; i++) {
		const struct bl_rego_module *module = compiler->modules[i];
		struct bl_node *package =
			is_too_deep(compiler, module, module->package)
				? NULL
				: walk_package(compiler, module->package);

		for (size_t j = 0; package && j < module->rule_count; j++)
			for (const struct bl_rego_rule *rule = module->rules[j];
			     rule; rule = rule->chained)
				place_rule(compiler, package, i, rule);
	}
	if (compiler->failed_memory || !compiler->root)
		return false;
	return bl_check_conflicts(compiler);
}
