/* SPDX-License-Identifier: Apache-2.0 */
/* Modules as OPA writes them in JSON: rules, annotations, imports. */
#include "rego/compiler/resolve/analysis.h"
#include "rego/tools/ast_json.h"
#include "rego/tools/tools.h"
#include "rego/compiler/parse/print.h"

/* ---- rules -------------------------------------------------------------- */

/* The body of a rule without one. */
static struct bl_value true_body(struct bl_ast_writer *w,
				 struct bl_rego_range range)
{
	struct bl_object_builder one;
	struct bl_value expr;

	bl_object_builder_init(&one, w->arena);
	bl_ast_put(&one, "generated", bl_value_boolean(true));
	bl_ast_put(&one, "index", bl_value_integer(0));
	bl_ast_put_location(w, &one, range);
	bl_ast_put(&one, "terms",
		   bl_ast_node(w, "boolean", bl_value_boolean(true), range));
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

/* The source of the body generated for a rule without one. */
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

/* Variables in it; "data" and "input" at its head do not count. */
static bool is_ground(const struct bl_rego_term *term)
{
	uint32_t i = term->kind == BL_TERM_REF;

	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		return true;
	case BL_TERM_REF:
	case BL_TERM_CALL:
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		for (; i < term->count; i++)
			if (!is_ground(term->as.items[i]))
				return false;
		return true;
	case BL_TERM_VAR:
	case BL_TERM_TEMPLATE:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		break;
	}
	return false;
}

/* Has "p[x]" a key, as OPA says it? */
static bool has_key(const struct bl_ast_writer *w,
		    const struct bl_rego_rule *rule)
{
	const struct bl_rego_term *part = rule->name->as.items[1];

	if (bl_rego_rule_is_old_set(w->module, rule))
		return true;
	if (rule->arg_count || rule->is_default)
		return false;
	return rule->uses_if ? part->kind == BL_TERM_REF || !is_ground(part)
			     : rule->value != NULL;
}

/* A head of one name has it as its name, "p[x]" and "p.x" have it at times. */
static const struct bl_rego_term *head_name(const struct bl_ast_writer *w,
					    const struct bl_rego_rule *rule)
{
	if (!is_pair(rule))
		return rule->name;
	if (bl_rego_rule_is_old_set(w->module, rule) ||
	    (!rule->is_default &&
	     (rule->arg_count ? rule->uses_if : rule->value != NULL)))
		return rule->name->as.items[0];
	return rule->name;
}

/* The value of a head that gives none: most have no place. */
static struct bl_value generated_true(struct bl_ast_writer *w,
				      const struct bl_rego_rule *rule)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	if (!rule->name || is_pair(rule))
		bl_ast_put_location(w, &out, head_range(rule));
	bl_ast_put(&out, "type", bl_value_string(BL_STR("boolean")));
	bl_ast_put(&out, "value", bl_value_boolean(true));
	return bl_object_builder_end(&out);
}

/* The members that the heads of a rule, its else rules and further bodies share. */
struct head {
	const struct bl_rego_rule *rule; /* that has the name */
	struct bl_value ref;
	struct bl_value args;
	struct bl_value key;
	struct bl_value value;
};

/* In the order of the text, which is that of the numbers of "_". */
static struct head read_head(struct bl_ast_writer *w,
			     const struct bl_rego_rule *rule)
{
	struct head head = { .rule = rule };
	bool old_set = bl_rego_rule_is_old_set(w->module, rule);
	struct bl_value ref =
		bl_object_find(bl_ast_ref(w, rule->name), BL_STR("value"));

	head.key = bl_value_undefined();
	head.value = bl_value_undefined();
	head.ref =
		old_set ? bl_object_find(bl_ast_ref(w, rule->name->as.items[0]),
					 BL_STR("value"))
			: ref;
	head.args = bl_ast_items(w, rule->args, rule->arg_count);
	if (rule->contains)
		head.key = bl_ast_term(w, rule->contains);
	else if (is_pair(rule) && has_key(w, rule))
		head.key = bl_value_item(ref, 1);
	if (!rule->contains && !old_set)
		head.value = rule->value ? bl_ast_term(w, rule->value)
					 : generated_true(w, rule);
	return head;
}

/* Arguments once more: "_" is another variable, inside of others it is not. */
static struct bl_value new_args(struct bl_ast_writer *w,
				const struct head *head)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < head->rule->arg_count; i++) {
		const struct bl_rego_term *arg = head->rule->args[i];
		bool fresh = arg->kind == BL_TERM_VAR &&
			     bl_str_is(arg->as.name, "_");

		bl_array_builder_add(&list,
				     fresh ? bl_ast_term(w, arg)
					   : bl_value_item(head->args, i));
	}
	return bl_array_builder_end(&list);
}

/* rule is the one that has the name, or another one with this head. */
static struct bl_value head_value(struct bl_ast_writer *w,
				  const struct head *head,
				  const struct bl_rego_rule *rule,
				  struct bl_value args, struct bl_value value)
{
	const struct bl_rego_term *name = head_name(w, head->rule);
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	if (name->kind == BL_TERM_VAR)
		bl_ast_put(&out, "name", bl_value_string(name->as.name));
	if (head->rule->arg_count)
		bl_ast_put(&out, "args", args);
	bl_ast_put(&out, "key", head->key);
	bl_ast_put(&out, "value", value);
	if (rule->assigns)
		bl_ast_put(&out, "assign", bl_value_boolean(true));
	bl_ast_put(&out, "ref", head->ref);
	bl_ast_put_location(w, &out, head_range(rule));
	return bl_object_builder_end(&out);
}

static struct bl_value body_value(struct bl_ast_writer *w,
				  const struct bl_rego_rule *rule)
{
	return rule->body ? bl_ast_body(w, rule->body)
			  : true_body(w, body_range(rule));
}

/* An else rule, and what follows it. */
static struct bl_value else_values(struct bl_ast_writer *w,
				   const struct head *head,
				   const struct bl_rego_rule *rule)
{
	const struct bl_rego_rule *chain[256];
	struct bl_value heads[BL_COUNT(chain)];
	struct bl_value bodies[BL_COUNT(chain)];
	struct bl_value value = bl_value_undefined();
	size_t count = 0;

	for (; rule && count < BL_COUNT(chain); rule = rule->else_rule) {
		struct bl_value args = new_args(w, head);

		heads[count] =
			head_value(w, head, rule, args,
				   rule->value ? bl_ast_term(w, rule->value)
					       : generated_true(w, rule));
		bodies[count] = body_value(w, rule);
		chain[count++] = rule;
	}
	while (count--) {
		struct bl_object_builder out;

		bl_object_builder_init(&out, w->arena);
		bl_ast_put(&out, "body", bodies[count]);
		bl_ast_put(&out, "else", value);
		bl_ast_put(&out, "head", heads[count]);
		bl_ast_put_location(w, &out, rule_range(chain[count]));
		value = bl_object_builder_end(&out);
	}
	return value;
}

/* A rule with the else rules that may follow it. */
static struct bl_value rule_value(struct bl_ast_writer *w,
				  const struct head *head,
				  const struct bl_rego_rule *rule,
				  struct bl_value annotations)
{
	struct bl_value body = body_value(w, rule);
	struct bl_value args =
		rule == head->rule ? head->args : new_args(w, head);
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	bl_ast_put(&out, "annotations", annotations);
	bl_ast_put(&out, "body", body);
	if (rule->is_default)
		bl_ast_put(&out, "default", bl_value_boolean(true));
	bl_ast_put(&out, "else", else_values(w, head, rule->else_rule));
	bl_ast_put(&out, "head", head_value(w, head, rule, args, head->value));
	bl_ast_put_location(w, &out, rule_range(rule));
	return bl_object_builder_end(&out);
}

/* ---- annotations -------------------------------------------------------- */

static bool same_name(const struct bl_ast_writer *w,
		      const struct bl_rego_rule *a,
		      const struct bl_rego_rule *b)
{
	struct bl_str text = w->module->text;

	return bl_str_equal(
		bl_str_slice(text, a->name->range.from, a->name->range.to),
		bl_str_slice(text, b->name->range.from, b->name->range.to));
}

/* For bl_annotation_write_out: references as a tree has them. */
struct annotation_refs {
	struct bl_annotation_refs refs;
	const struct bl_ast_writer *tree;
};

static struct bl_value
write_annotation_ref(const struct bl_annotation_refs *refs,
		     const struct bl_rego_module *text,
		     const struct bl_rego_term *ref, bool with_places)
{
	const struct bl_ast_writer *w =
		((const struct annotation_refs *)(const void *)refs)->tree;
	struct bl_ast_writer tree = {
		.arena = w->arena,
		.module = text,
		.parts = with_places ? w->parts : 0,
	};

	if (!bl_ast_places_init(&tree.places, w->arena, text))
		return bl_value_string(text->text);
	return bl_object_find(bl_ast_ref(&tree, ref), BL_STR("value"));
}

/* The members of annotations, in OPA's order. */
static struct bl_value annotation_value(struct bl_ast_writer *w,
					const struct bl_rego_annotation *one,
					const char *scope)
{
	static const char *const keys[] = {
		"authors",    "compile", "custom",        "description",
		"entrypoint", "labels",  "organizations", "related_resources",
		"schemas",    "scope",   "title",
	};
	const struct annotation_refs to = { { write_annotation_ref }, w };
	struct bl_value read =
		bl_annotation_write_out(w->arena, one->value, scope, &to.refs);
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	bl_ast_put_location(w, &out,
			    (struct bl_rego_range){ one->from, one->to });
	for (size_t i = 0; i < BL_COUNT(keys); i++)
		bl_ast_put(&out, keys[i],
			   bl_object_find(read, bl_str(keys[i])));
	return bl_object_builder_end(&out);
}

/* Scope "rule" belongs to the next rule, "document" to all of its name. */
static void attach(struct bl_ast_writer *w, size_t next,
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
	struct bl_ast_writer *w = context;
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
static bool read_annotations(struct bl_ast_writer *w)
{
	w->of_rule = bl_arena_new_array(w->arena, struct bl_value,
					w->module->rule_count + 1);
	bl_array_builder_init(&w->annotations, w->arena);
	if (!w->of_rule)
		return false;
	for (size_t i = 0; i < w->module->rule_count; i++)
		w->of_rule[i] = bl_value_undefined();
	return !(w->parts & BL_REGO_AST_ANNOTATIONS) ||
	       !bl_rego_each_annotation(w->module, w->arena, take_annotation, w,
					NULL);
}

/* ---- modules ------------------------------------------------------------ */

static struct bl_value rules(struct bl_ast_writer *w)
{
	const struct bl_rego_module *module = w->module;
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < module->rule_count; i++) {
		const struct bl_rego_rule *rule = module->rules[i];
		struct bl_value annotations = w->of_rule[i];
		struct head head = read_head(w, rule);

		for (; rule; rule = rule->chained) {
			bl_array_builder_add(
				&list, rule_value(w, &head, rule, annotations));
			annotations = bl_value_undefined();
		}
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

/* A part of a package's path: strings, whatever it was written as. */
static struct bl_value package_part(struct bl_ast_writer *w,
				    const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_VAR)
		return bl_ast_scalar(w, bl_value_string(term->as.name),
				     term->range);
	return bl_ast_term(w, term);
}

static struct bl_value package(struct bl_ast_writer *w)
{
	const struct bl_rego_term *path = w->module->package;
	const struct bl_rego_term *first =
		path->kind == BL_TERM_REF ? path->as.items[0] : path;
	uint32_t from = w->module->package_from;
	struct bl_array_builder parts;
	struct bl_object_builder out;

	bl_array_builder_init(&parts, w->arena);
	bl_array_builder_add(&parts,
			     bl_ast_var(w, BL_STR("data"), first->range));
	bl_array_builder_add(&parts, package_part(w, first));
	for (size_t i = 1; path->kind == BL_TERM_REF && i < path->count; i++)
		bl_array_builder_add(&parts,
				     package_part(w, path->as.items[i]));
	bl_object_builder_init(&out, w->arena);
	bl_ast_put_location(w, &out, (struct bl_rego_range){ from, from + 7 });
	bl_ast_put(&out, "path", bl_array_builder_end(&parts));
	return bl_object_builder_end(&out);
}

static struct bl_value imports(struct bl_ast_writer *w)
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
			bl_ast_put(&out, "alias",
				   bl_value_string(import->alias));
		if (import->alias.len && w->parts & BL_REGO_AST_LOCATIONS)
			bl_ast_put(&out, "alias_location",
				   bl_ast_place(&w->places, alias, true));
		bl_ast_put_location(w, &out,
				    (struct bl_rego_range){ from, from + 6 });
		bl_ast_put(&out, "path", bl_ast_ref(w, import->path));
		bl_array_builder_add(&list, bl_object_builder_end(&out));
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

struct bl_value bl_rego_ast_json(const struct bl_rego_module *module,
				 unsigned parts, struct bl_arena *arena)
{
	struct bl_ast_writer w = { .arena = arena,
				   .module = module,
				   .blocks = bl_rego_not_takes_blocks(module),
				   .parts = parts };
	struct bl_object_builder out;

	if (!bl_ast_places_init(&w.places, arena, module) ||
	    !read_annotations(&w))
		return bl_value_undefined();
	bl_object_builder_init(&out, arena);
	bl_ast_put(&out, "package", package(&w));
	bl_ast_put(&out, "imports", imports(&w));
	if (w.annotations.count)
		bl_ast_put(&out, "annotations",
			   bl_array_builder_end(&w.annotations));
	bl_ast_put(&out, "rules", rules(&w));
	if (parts & BL_REGO_AST_COMMENTS)
		bl_ast_put(&out, "comments",
			   bl_ast_comments(&w.places,
					   parts & BL_REGO_AST_LOCATIONS));
	return arena->status ? bl_value_undefined()
			     : bl_object_builder_end(&out);
}
