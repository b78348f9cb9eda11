/* SPDX-License-Identifier: Apache-2.0 */
/* Modules as OPA writes them in JSON: rules, annotations, imports. */
#include "rego/analysis/analysis.h"
#include "rego/analysis/tree_json.h"
#include "rego/rego.h"
#include "rego/syntax/print.h"

/* ---- rules -------------------------------------------------------------- */

/* The body of a rule that has none. */
static struct bl_value true_body(struct bl_tree_writer *w,
				 struct bl_rego_range range)
{
	struct bl_object_builder one;
	struct bl_value expr;

	bl_object_builder_init(&one, w->arena);
	bl_tree_put(&one, "generated", bl_value_boolean(true));
	bl_tree_put(&one, "index", bl_value_integer(0));
	bl_tree_put_location(w, &one, range);
	bl_tree_put(&one, "terms",
		    bl_tree_node(w, "boolean", bl_value_boolean(true), range));
	expr = bl_object_builder_end(&one);
	return bl_array_make(w->arena, &expr, 1);
}

/* All of a rule; of a default, as OPA has it, the keyword. */
static struct bl_rego_range rule_range(const struct bl_rego_rule *rule)
{
	struct bl_rego_range range = rule->range;

	if (rule->is_default)
		range.to = range.from + 7;
	else if (rule->chained && rule->body)
		range.to = rule->body->range.to;
	for (; rule->else_rule; rule = rule->else_rule)
		range.to = rule->else_rule->range.to;
	return range;
}

/*
 * From the name (of an else: from the keyword) to the last of what it says
 * about the value.
 */
static struct bl_rego_range head_range(const struct bl_rego_rule *rule)
{
	struct bl_rego_range range = rule->range;

	if (rule->name)
		range = rule->name->range;
	else if (!rule->value)
		range.to = range.from + 4;
	for (size_t i = 0; i < rule->arg_count; i++)
		range.to = rule->args[i]->range.to + 1;
	if (rule->contains)
		range.to = rule->contains->range.to;
	if (rule->value)
		range.to = rule->value->range.to;
	return range;
}

/* What a rule without a body has its generated one from. */
static struct bl_rego_range body_range(const struct bl_rego_rule *rule)
{
	if (rule->is_default)
		return rule_range(rule);
	if (rule->contains)
		return rule->name->range;
	return rule->value && rule->name ? rule->value->range : rule->range;
}

/* "p[x]" and "p.x", which are keys of p in older Rego. */
static bool is_pair(const struct bl_rego_rule *rule)
{
	return rule->name->kind == BL_TERM_REF && rule->name->count == 2 &&
	       !rule->contains;
}

static bool has_key(const struct bl_tree_writer *w,
		    const struct bl_rego_rule *rule)
{
	if (bl_rego_rule_is_old_set(w->module, rule))
		return true;
	if (rule->has_args)
		return false;
	return rule->uses_if ? rule->name->as.items[1]->kind != BL_TERM_SCALAR
			     : rule->value != NULL;
}

/* The value of a head that gives none: most have no place. */
static struct bl_value generated_true(struct bl_tree_writer *w,
				      const struct bl_rego_rule *rule)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	if (!rule->name || is_pair(rule))
		bl_tree_put_location(w, &out, head_range(rule));
	bl_tree_put(&out, "type", bl_value_string(BL_STR("boolean")));
	bl_tree_put(&out, "value", bl_value_boolean(true));
	return bl_object_builder_end(&out);
}

/* name is of the rule whose head (or else) this is. */
static struct bl_value head_value(struct bl_tree_writer *w,
				  const struct bl_rego_rule *rule,
				  const struct bl_rego_rule *named)
{
	const struct bl_rego_term *name = named->name;
	bool old_set = bl_rego_rule_is_old_set(w->module, named);
	struct bl_object_builder out;

	if (old_set || (is_pair(named) && named->value))
		name = name->as.items[0];
	bl_object_builder_init(&out, w->arena);
	if (name->kind == BL_TERM_VAR)
		bl_tree_put(&out, "name", bl_value_string(name->as.name));
	if (named->has_args)
		bl_tree_put(&out, "args",
			    bl_tree_items(w, named->args, named->arg_count));
	if (rule->contains)
		bl_tree_put(&out, "key", bl_tree_term(w, rule->contains));
	else if (is_pair(named) && has_key(w, named))
		bl_tree_put(&out, "key",
			    bl_tree_term(w, named->name->as.items[1]));
	if (!rule->contains && !old_set)
		bl_tree_put(&out, "value",
			    rule->value ? bl_tree_term(w, rule->value)
					: generated_true(w, rule));
	if (rule->assigns)
		bl_tree_put(&out, "assign", bl_value_boolean(true));
	bl_tree_put(&out, "ref",
		    bl_object_find(bl_tree_ref(w, old_set ? name : named->name),
				   BL_STR("value")));
	bl_tree_put_location(w, &out, head_range(rule));
	return bl_object_builder_end(&out);
}

/*
 * A rule with what may follow it: else first, so that it is written once.
 * named is the rule that has the name.
 */
static struct bl_value rule_value(struct bl_tree_writer *w,
				  const struct bl_rego_rule *rule,
				  const struct bl_rego_rule *named,
				  struct bl_value annotations)
{
	const struct bl_rego_rule *chain[256];
	struct bl_value value = bl_value_undefined();
	size_t count = 0;

	for (; rule && count < BL_COUNT(chain); rule = rule->else_rule)
		chain[count++] = rule;
	while (count--) {
		struct bl_object_builder out;

		rule = chain[count];
		bl_object_builder_init(&out, w->arena);
		if (!count)
			bl_tree_put(&out, "annotations", annotations);
		bl_tree_put(&out, "body",
			    rule->body ? bl_tree_body(w, rule->body)
				       : true_body(w, body_range(rule)));
		if (rule->is_default)
			bl_tree_put(&out, "default", bl_value_boolean(true));
		bl_tree_put(&out, "else", value);
		bl_tree_put(&out, "head", head_value(w, rule, named));
		bl_tree_put_location(w, &out, rule_range(rule));
		value = bl_object_builder_end(&out);
	}
	return value;
}

/* ---- annotations -------------------------------------------------------- */

static bool same_name(const struct bl_tree_writer *w,
		      const struct bl_rego_rule *a,
		      const struct bl_rego_rule *b)
{
	struct bl_str text = w->module->text;

	return bl_str_equal(
		bl_str_slice(text, a->name->range.from, a->name->range.to),
		bl_str_slice(text, b->name->range.from, b->name->range.to));
}

/* What is known of annotations, in the order that OPA gives them. */
static struct bl_value annotation_value(struct bl_tree_writer *w,
					const struct bl_rego_annotation *one,
					const char *scope)
{
	static const char *const keys[] = {
		"authors",
		"compile",
		"custom",
		"description",
		"entrypoint",
		"organizations",
		"related_resources",
		"schemas",
		"scope",
		"title",
	};
	struct bl_value read =
		bl_annotation_write_out(w->arena, one->value, scope);
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	bl_tree_put_location(w, &out,
			     (struct bl_rego_range){ one->from, one->to });
	for (size_t i = 0; i < BL_COUNT(keys); i++)
		bl_tree_put(&out, keys[i],
			    bl_object_find(read, bl_str(keys[i])));
	return bl_object_builder_end(&out);
}

/* Scope "rule" belongs to the next rule, "document" to all of its name. */
static void attach(struct bl_tree_writer *w, size_t next,
		   struct bl_value annotation)
{
	const struct bl_rego_module *module = w->module;
	bool all = bl_str_is(
		bl_value_text(bl_object_find(annotation, BL_STR("scope"))),
		"document");

	for (size_t i = all ? 0 : next;
	     i < (all ? module->rule_count : next + 1); i++) {
		struct bl_array_builder list;

		if (i != next &&
		    !same_name(w, module->rules[i], module->rules[next]))
			continue;
		bl_array_builder_init(&list, w->arena);
		for (size_t j = 0; j < bl_value_count(w->of_rule[i]); j++)
			bl_array_builder_add(&list,
					     bl_value_item(w->of_rule[i], j));
		bl_array_builder_add(&list, annotation);
		w->of_rule[i] = bl_array_builder_end(&list);
	}
}

static void take_annotation(void *context, const struct bl_rego_annotation *one)
{
	struct bl_tree_writer *w = context;
	const struct bl_rego_module *module = w->module;
	struct bl_value entrypoint =
		bl_object_find(one->value, BL_STR("entrypoint"));
	const char *scope = one->before_package            ? "package"
			    : bl_value_is_true(entrypoint) ? "document"
							   : "rule";
	struct bl_value annotation = annotation_value(w, one, scope);
	size_t next = 0;

	bl_array_builder_add(&w->annotations, annotation);
	while (next < module->rule_count &&
	       module->rules[next]->range.from < one->to)
		next++;
	if (!one->before_package && next < module->rule_count)
		attach(w, next, annotation);
}

/* Fills annotations and of_rule. */
static bool read_annotations(struct bl_tree_writer *w)
{
	w->of_rule = bl_arena_new_array(w->arena, struct bl_value,
					w->module->rule_count + 1);
	bl_array_builder_init(&w->annotations, w->arena);
	if (!w->of_rule)
		return false;
	for (size_t i = 0; i < w->module->rule_count; i++)
		w->of_rule[i] = bl_value_undefined();
	return !(w->parts & BL_REGO_TREE_ANNOTATIONS) ||
	       !bl_rego_each_annotation(w->module, w->arena, take_annotation, w,
					NULL);
}

/* ---- modules ------------------------------------------------------------ */

static struct bl_value rules(struct bl_tree_writer *w)
{
	const struct bl_rego_module *module = w->module;
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < module->rule_count; i++) {
		const struct bl_rego_rule *rule = module->rules[i];
		struct bl_value annotations = w->of_rule[i];

		for (; rule; rule = rule->chained) {
			bl_array_builder_add(&list, rule_value(w, rule,
							       module->rules[i],
							       annotations));
			annotations = bl_value_undefined();
		}
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

/* A part of a package's path: strings, whatever it was written as. */
static struct bl_value package_part(struct bl_tree_writer *w,
				    const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_VAR)
		return bl_tree_scalar(w, bl_value_string(term->as.name),
				      term->range);
	return bl_tree_term(w, term);
}

static struct bl_value package(struct bl_tree_writer *w)
{
	const struct bl_rego_term *path = w->module->package;
	const struct bl_rego_term *first =
		path->kind == BL_TERM_REF ? path->as.items[0] : path;
	uint32_t from = w->module->package_from;
	struct bl_array_builder parts;
	struct bl_object_builder out;

	bl_array_builder_init(&parts, w->arena);
	bl_array_builder_add(&parts,
			     bl_tree_var(w, BL_STR("data"), first->range));
	bl_array_builder_add(&parts, package_part(w, first));
	for (size_t i = 1; path->kind == BL_TERM_REF && i < path->count; i++)
		bl_array_builder_add(&parts,
				     package_part(w, path->as.items[i]));
	bl_object_builder_init(&out, w->arena);
	bl_tree_put_location(w, &out, (struct bl_rego_range){ from, from + 7 });
	bl_tree_put(&out, "path", bl_array_builder_end(&parts));
	return bl_object_builder_end(&out);
}

static struct bl_value imports(struct bl_tree_writer *w)
{
	const struct bl_rego_module *module = w->module;
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < module->import_count; i++) {
		const struct bl_rego_import *import = &module->imports[i];
		uint32_t from = import->range.from;
		uint32_t to = import->range.to;
		struct bl_rego_range alias = { to - (uint32_t)import->alias.len,
					       to };
		struct bl_object_builder out;

		bl_object_builder_init(&out, w->arena);
		if (import->alias.len)
			bl_tree_put(&out, "alias",
				    bl_value_string(import->alias));
		if (import->alias.len && w->parts & BL_REGO_TREE_LOCATIONS)
			bl_tree_put(&out, "alias_location",
				    bl_tree_place(&w->places, alias, true));
		bl_tree_put_location(w, &out,
				     (struct bl_rego_range){ from, from + 6 });
		bl_tree_put(&out, "path", bl_tree_ref(w, import->path));
		bl_array_builder_add(&list, bl_object_builder_end(&out));
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

struct bl_value bl_rego_tree(const struct bl_rego_module *module,
			     unsigned parts, struct bl_arena *arena)
{
	struct bl_tree_writer w = { .arena = arena,
				    .module = module,
				    .parts = parts };
	struct bl_object_builder out;

	if (!bl_tree_places_init(&w.places, arena, module) ||
	    !read_annotations(&w))
		return bl_value_undefined();
	bl_object_builder_init(&out, arena);
	bl_tree_put(&out, "package", package(&w));
	bl_tree_put(&out, "imports", imports(&w));
	if (w.annotations.count)
		bl_tree_put(&out, "annotations",
			    bl_array_builder_end(&w.annotations));
	bl_tree_put(&out, "rules", rules(&w));
	if (parts & BL_REGO_TREE_COMMENTS)
		bl_tree_put(&out, "comments",
			    bl_tree_comments(&w.places,
					     parts & BL_REGO_TREE_LOCATIONS));
	return arena->status ? bl_value_undefined()
			     : bl_object_builder_end(&out);
}
