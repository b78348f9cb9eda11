/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules that cannot stand beside, above or below each other
 * (docs/contracts/rego.md "Conflicts and recursion").
 */
#include <stdlib.h>

#include "rego/compiler/check/checks.h"
#include "rego/compiler/parse/print.h"

/* Does its node stand for all of its head? */
static bool is_ground(const struct bl_rule *rule)
{
	return rule->key_from >= bl_rego_path_length(rule->syntax->name);
}

static uint32_t line_of(const struct bl_rule *rule)
{
	return bl_place_at(rule->module->text, rule->syntax->range.from).line;
}

void bl_put_rule_path(struct bl_buf *out, const struct bl_compiler *compiler,
		      const struct bl_node *node, const struct bl_rule *rule)
{
	const struct bl_rego_term *name = rule->syntax->name;

	bl_buf_put_str(out, bl_node_path(compiler, node));
	for (size_t i = rule->key_from; i < bl_rego_path_length(name); i++) {
		const struct bl_rego_term *part = name->as.items[i];
		struct bl_str text = part->kind == BL_TERM_SCALAR
					     ? bl_value_text(part->as.value)
					     : (struct bl_str){ 0 };
		struct bl_str written = bl_str_slice(
			rule->module->text, part->range.from, part->range.to);

		if (text.ptr && bl_rego_is_plain_name(text))
			bl_buf_printf(out, ".%.*s", BL_STR_ARG(text));
		else
			bl_buf_printf(out, "[%.*s]", BL_STR_ARG(written));
	}
}

/* Where the module says what its package is. */
static uint32_t package_at(const struct bl_rego_module *module)
{
	static const char word[] = "package";
	uint32_t at = module->package->range.from;

	while (at > 0 && !bl_str_has_prefix(bl_str_slice(module->text, at,
							 module->text.len),
					    bl_str(word)))
		at--;
	return at;
}

/* ---- the rules of a node --------------------------------------------------------------- */

struct summary {
	struct bl_rule first; /* as written, defaults among them */
	struct bl_rule last;
	const struct bl_rule *second_default;
	struct bl_rule default_rule;
	size_t count;
	size_t least_arity;
	size_t most_arity;
	bool has_single;
	bool has_multiple; /* contains */
	bool has_complete;
	bool has_partial;
	bool has_set;    /* contains, without keys */
	bool has_object; /* contains, with keys */
	bool has_ground;
	bool has_keys;
};

static bool is_before(const struct bl_rule *a, const struct bl_rule *b)
{
	if (a->module_index != b->module_index)
		return a->module_index < b->module_index;
	return a->syntax->range.from < b->syntax->range.from;
}

static void count_rule(struct summary *sum, const struct bl_rule *rule)
{
	const struct bl_rego_rule *syntax = rule->syntax;
	bool ground = is_ground(rule);

	if (!sum->count || is_before(rule, &sum->first))
		sum->first = *rule;
	if (!sum->count || is_before(&sum->last, rule))
		sum->last = *rule;
	if (!sum->count || syntax->arg_count < sum->least_arity)
		sum->least_arity = syntax->arg_count;
	if (syntax->arg_count > sum->most_arity)
		sum->most_arity = syntax->arg_count;
	sum->count++;
	sum->has_ground |= ground;
	sum->has_keys |= !ground;
	sum->has_single |= !rule->is_set;
	sum->has_multiple |= rule->is_set;
	sum->has_complete |= !rule->is_set && ground;
	sum->has_partial |= rule->is_set || !ground;
	sum->has_set |= rule->is_set && ground;
	sum->has_object |= rule->is_set && !ground;
}

static struct bl_rule default_of(const struct bl_compiler *compiler,
				 const struct bl_node *node)
{
	struct bl_rule rule = { .syntax = node->default_rule,
				.module = node->default_module,
				.key_from = SIZE_MAX };

	while (rule.module_index < compiler->module_count &&
	       compiler->modules[rule.module_index] != rule.module)
		rule.module_index++;
	return rule;
}

static struct summary sum_up(const struct bl_compiler *compiler,
			     const struct bl_node *node)
{
	struct summary sum = { .second_default = node->more_defaults };

	if (node->default_rule) {
		sum.default_rule = default_of(compiler, node);
		count_rule(&sum, &sum.default_rule);
	}
	for (const struct bl_rule *rule = node->more_defaults; rule;
	     rule = rule->next)
		count_rule(&sum, rule);
	for (const struct bl_rule *rule = node->rules; rule; rule = rule->next)
		count_rule(&sum, rule);
	return sum;
}

/* ---- rules below rules ------------------------------------------------------------------- */

struct listing {
	const struct bl_compiler *compiler;
	bool functions_only;
	struct bl_buf text; /* a line for each rule */
};

static void list_rule(struct listing *listing, const struct bl_node *node,
		      const struct bl_rule *rule)
{
	bl_buf_puts(&listing->text, "\n  rule ");
	bl_put_rule_path(&listing->text, listing->compiler, node, rule);
	bl_buf_printf(&listing->text, " at %.*s:%u",
		      BL_STR_ARG(rule->module->file), line_of(rule));
}

static bool is_listed(const struct listing *listing, const struct bl_rule *rule)
{
	return !listing->functions_only || rule->syntax->arg_count;
}

/* A rule that stands for all of its node stands for the nodes below, too. */
static bool list_ground(struct listing *listing, const struct bl_node *node)
{
	struct summary sum = sum_up(listing->compiler, node);

	if (sum.count && is_ground(&sum.first) &&
	    is_listed(listing, &sum.first)) {
		list_rule(listing, node, &sum.first);
		return true;
	}
	for (const struct bl_rule *rule = node->rules; rule; rule = rule->next)
		if (is_ground(rule) && is_listed(listing, rule)) {
			list_rule(listing, node, rule);
			return true;
		}
	return false;
}

static int compare_keys(const void *a, const void *b)
{
	const struct bl_node *const *x = a;
	const struct bl_node *const *y = b;

	return bl_value_compare((*x)->key, (*y)->key);
}

/* Rules below node, in the order of their paths. */
static void list_below(struct listing *listing, const struct bl_node *node)
{
	const struct bl_node **children;
	size_t count = 0;

	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		count++;
	children = bl_arena_new_array(listing->compiler->arena,
				      const struct bl_node *, count + 1);
	if (!children)
		return;
	count = 0;
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		children[count++] = child;
	qsort(children, count, sizeof(*children), compare_keys);
	for (size_t i = 0; i < count; i++) {
		if (list_ground(listing, children[i]))
			continue;
		list_below(listing, children[i]);
		for (const struct bl_rule *rule = children[i]->rules; rule;
		     rule = rule->next)
			if (!is_ground(rule) && is_listed(listing, rule))
				list_rule(listing, children[i], rule);
	}
}

/* ---- checks --------------------------------------------------------------------------------- */

static void report(struct bl_compiler *compiler, const struct bl_node *node,
		   const struct summary *sum, const char *before,
		   struct bl_str after)
{
	struct bl_buf name;

	bl_buf_init(&name, 0);
	bl_put_rule_path(&name, compiler, node, &sum->last);
	bl_compiler_error(compiler, sum->first.module,
			  sum->first.syntax->range.from, BL_FINDING_CONFLICT,
			  "%s %s %.*s", before, name.ptr, BL_STR_ARG(after));
	bl_buf_clear(&name);
}

/* Was something below it that cannot be there? */
static bool check_below(struct bl_compiler *compiler,
			const struct bl_node *node, const struct summary *sum)
{
	struct listing listing = { .compiler = compiler,
				   .functions_only = !sum->has_ground };
	bool found;

	if (!node->first_child)
		return false;
	bl_buf_init(&listing.text, 0);
	bl_buf_puts(&listing.text, "conflicts with:");
	list_below(&listing, node);
	found = bl_buf_str(&listing.text).len > strlen("conflicts with:");
	if (found)
		report(compiler, node, sum, "rule", bl_buf_str(&listing.text));
	bl_buf_clear(&listing.text);
	return found;
}

static void put_place(struct bl_buf *out, const struct bl_rule *rule)
{
	bl_buf_printf(out, "%.*s:%u", BL_STR_ARG(rule->module->file),
		      line_of(rule));
}

static void report_defaults(struct bl_compiler *compiler,
			    const struct bl_node *node,
			    const struct summary *sum)
{
	const struct bl_rego_module *module = sum->default_rule.module;
	struct bl_str path = bl_node_path(compiler, node);
	struct bl_buf places;

	bl_buf_init(&places, 0);
	put_place(&places, &sum->default_rule);
	for (const struct bl_rule *rule = sum->second_default; rule;
	     rule = rule->next) {
		bl_buf_puts(&places, ", ");
		put_place(&places, rule);
	}
	bl_compiler_error(compiler, module, package_at(module),
			  BL_FINDING_CONFLICT,
			  "multiple default rules %.*s found at %s",
			  BL_STR_ARG(path), places.ptr);
	bl_buf_clear(&places);
}

static void check_node(struct bl_compiler *compiler, const struct bl_node *node)
{
	struct summary sum = { 0 };

	if (node->kind != BL_RULE_NONE)
		sum = sum_up(compiler, node);
	if (sum.count && check_below(compiler, node, &sum))
		return;
	if ((sum.has_single && sum.has_multiple) ||
	    sum.least_arity != sum.most_arity ||
	    (sum.has_complete && sum.has_partial) ||
	    (sum.has_set && sum.has_object))
		report(compiler, node, &sum, "conflicting rules",
		       BL_STR("found"));
	else if (sum.second_default)
		report_defaults(compiler, node, &sum);
}

static void report_package(struct bl_compiler *compiler,
			   const struct bl_node *node,
			   const struct bl_rule *rule)
{
	const struct bl_rego_module *module = rule->module;
	struct bl_str path = bl_node_path(compiler, node);
	struct bl_str package = bl_str_slice(path, strlen("data."), path.len);
	struct bl_rego_range range = rule->syntax->name->range;
	struct bl_str name = bl_str_slice(module->text, range.from, range.to);

	for (size_t i = 0; i < compiler->module_count; i++)
		if (bl_package_node(compiler, compiler->modules[i]) == node)
			bl_compiler_error(
				compiler, module, package_at(module),
				BL_FINDING_CONFLICT,
				"package %.*s conflicts with rule %.*s defined "
				"at %.*s:%u",
				BL_STR_ARG(package), BL_STR_ARG(name),
				BL_STR_ARG(module->file), line_of(rule));
}

/* A package where a rule is. */
static void check_package(struct bl_compiler *compiler,
			  const struct bl_node *node)
{
	struct bl_rule rule;

	if (!node->is_package || node->kind == BL_RULE_NONE)
		return;
	if (node->default_rule) {
		rule = default_of(compiler, node);
		report_package(compiler, node, &rule);
	}
	for (const struct bl_rule *at = node->more_defaults; at; at = at->next)
		report_package(compiler, node, at);
	for (const struct bl_rule *at = node->rules; at; at = at->next)
		if (is_ground(at))
			report_package(compiler, node, at);
}

static void check_all(struct bl_compiler *compiler, const struct bl_node *node)
{
	check_node(compiler, node);
	check_package(compiler, node);
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		check_all(compiler, child);
}

bool bl_check_conflicts(struct bl_compiler *compiler)
{
	check_all(compiler, compiler->root);
	return !compiler->findings.ending_count;
}
