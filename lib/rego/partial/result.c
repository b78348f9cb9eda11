/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Partial evaluation: the texts of queries and of modules.  Variables get names
 * here: those of the query their own, others one that nothing else has; "_" where
 * a variable stands once.
 */
#include "json/json.h"
#include "rego/compiler/parse/print.h"
#include "rego/compiler/parse/visit.h"
#include "rego/partial/private.h"

/* ---- names ---------------------------------------------------------------------- */

struct name {
	int32_t id;
	size_t uses;
	struct bl_str text;
};

struct names {
	struct bl_partial_visitor visitor;
	struct bl_partial *pe;
	struct name *items;
	size_t count;
	size_t cap;
	size_t made;
};

static struct name *find(const struct names *names, int32_t id)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->items[i].id == id)
			return &names->items[i];
	return NULL;
}

static void count_use(struct bl_partial_visitor *visitor,
		      const struct bl_rego_term *var)
{
	struct names *names = (struct names *)visitor;
	struct name *one = find(names, var->slot);
	struct name *items;

	if (one) {
		one->uses++;
		return;
	}
	items = bl_partial_grow(names->pe, names->items, names->count,
				&names->cap, sizeof(*items));
	if (!items)
		return;
	names->items = items;
	names->items[names->count++] =
		(struct name){ .id = var->slot, .uses = 1 };
}

static bool is_taken(const struct names *names, struct bl_str text)
{
	for (size_t i = 0; i < names->count; i++)
		if (names->items[i].text.ptr &&
		    bl_str_equal(names->items[i].text, text))
			return true;
	return false;
}

/* "x" of the query; else "_" or "x__1". */
static bool give_name(struct names *names, struct name *one)
{
	struct bl_partial *pe = names->pe;
	struct bl_str own = pe->vars[one->id].name;

	if (pe->vars[one->id].is_kept && !is_taken(names, own)) {
		one->text = own;
		return true;
	}
	if (one->uses == 1) {
		one->text = BL_STR("_");
		return true;
	}
	if (!own.len || bl_str_is(own, "_") ||
	    bl_str_has_prefix(own, BL_STR("__")))
		own = BL_STR("local");
	do
		one->text = bl_arena_printf(pe->arena, "%.*s__%zu",
					    BL_STR_ARG(own), ++names->made);
	while (one->text.ptr &&
	       bl_value_is_defined(bl_object_find(pe->taken, one->text)));
	return one->text.ptr || bl_partial_no_memory(pe);
}

static bool give_names(struct names *names)
{
	for (int kept = 1; kept >= 0; kept--)
		for (size_t i = 0; i < names->count; i++)
			if (names->pe->vars[names->items[i].id].is_kept ==
				    (bool)kept &&
			    !give_name(names, &names->items[i]))
				return false;
	return !names->pe->status;
}

static struct names new_names(struct bl_partial *pe)
{
	return (struct names){ .visitor = { count_use, true, false },
			       .pe = pe };
}

static struct bl_rego_term *named(struct bl_partial_copier *copier,
				  const struct bl_rego_term *var)
{
	const struct names *names = copier->context;
	const struct name *one = find(names, var->slot);
	struct bl_rego_term *copy = bl_partial_var(copier->pe, var->slot);

	if (!copy || !one)
		return bl_partial_no_memory(copier->pe), NULL;
	copy->as.name = one->text;
	copy->slot = BL_SLOT_NONE;
	return copy;
}

static struct bl_partial_copier namer(struct names *names)
{
	return (struct bl_partial_copier){
		.pe = names->pe, .leaf = named, .open = true, .context = names
	};
}

/* ---- queries -------------------------------------------------------------------- */

/* Which of BL_KEYWORDS_V2 a statement is written with. */
struct keyword_use {
	struct bl_visitor visitor; /* first: see_statement is given this */
	unsigned used;
};

static bool see_statement(struct bl_visitor *visitor,
			  const struct bl_rego_expr *statement)
{
	struct keyword_use *use = (struct keyword_use *)visitor;

	if (statement->kind == BL_EXPR_NOT_BODY)
		use->used |= BL_KEYWORD_NOT_BODY;
	else if (statement->kind == BL_EXPR_LOGICAL)
		use->used |= statement->is_or ? BL_KEYWORD_OR : BL_KEYWORD_AND;
	return true;
}

static unsigned keywords_in(const struct bl_rego_expr *statement)
{
	struct keyword_use use = { .visitor.expr = see_statement };

	bl_visit_expr(&use.visitor, statement);
	return use.used;
}

bool bl_partial_put_query(struct bl_partial *pe,
			  const struct bl_partial_list *list,
			  struct bl_rego_partial_query *out_query)
{
	struct names names = new_names(pe);
	struct bl_partial_copier copier = namer(&names);
	struct bl_buf text;

	out_query->needs_imports = false;
	for (size_t i = 0; i < list->count; i++)
		out_query->needs_imports |= keywords_in(list->exprs[i]) != 0;
	for (size_t i = 0; i < list->count; i++)
		bl_partial_each_var_of(&names.visitor, list->exprs[i]);
	if (!give_names(&names))
		return false;
	bl_buf_init(&text, 0);
	for (size_t i = 0; i < list->count && !pe->status; i++) {
		struct bl_rego_expr *one =
			bl_partial_copy_expr(&copier, list->exprs[i]);

		if (i)
			bl_buf_put_char(&text, '\n');
		if (one)
			bl_rego_print_expr(&text, one);
	}
	out_query->text = bl_arena_copy_str(pe->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return !pe->status && (out_query->text.ptr || bl_partial_no_memory(pe));
}

/* ---- rules that are written out ----------------------------------------------------- */

/* "partial" in front of the names of a package. */
static struct bl_value support_package(struct bl_partial *pe,
				       const struct bl_rego_module *module)
{
	struct bl_value own = module ? bl_rego_package_path(pe->arena, module)
				     : bl_array_make(pe->arena, NULL, 0);
	struct bl_array_builder path;

	bl_array_builder_init(&path, pe->arena);
	bl_array_builder_add(&path, bl_value_string(BL_STR("partial")));
	for (size_t i = 0; i < bl_value_count(own); i++)
		bl_array_builder_add(&path, bl_value_item(own, i));
	return bl_array_builder_end(&path);
}

static struct bl_partial_module *module_of(struct bl_partial *pe,
					   struct bl_value package)
{
	struct bl_partial_module *modules;

	for (size_t i = 0; i < pe->module_count; i++)
		if (bl_value_equal(pe->modules[i].package, package))
			return &pe->modules[i];
	modules = bl_partial_grow(pe, pe->modules, pe->module_count,
				  &pe->module_cap, sizeof(*modules));
	if (!modules || !bl_value_is_defined(package))
		return NULL;
	pe->modules = modules;
	pe->modules[pe->module_count] =
		(struct bl_partial_module){ .package = package };
	return &pe->modules[pe->module_count++];
}

static bool insert(struct bl_partial *pe, const struct bl_rego_module *module,
		   struct bl_rego_rule *rule)
{
	struct bl_partial_module *into =
		module_of(pe, support_package(pe, module));
	struct bl_rego_rule **rules;

	if (!into)
		return bl_partial_no_memory(pe);
	rules = bl_partial_grow(pe, into->rules, into->count, &into->cap,
				sizeof(*rules));
	if (!rules)
		return false;
	into->rules = rules;
	into->rules[into->count++] = rule;
	return true;
}

/* The head's name with these keys at its end. */
static struct bl_rego_term *head_name(struct bl_partial *pe,
				      const struct bl_partial_support *support,
				      const struct bl_rego_rule *syntax)
{
	const struct bl_rego_term *own = syntax->name;
	struct bl_rego_term *name;

	if (own->kind == BL_TERM_VAR)
		return bl_partial_root_named(pe, own->as.name);
	name = bl_partial_term(pe, BL_TERM_REF, own->count);
	if (!name)
		return NULL;
	memcpy(name->as.items, own->as.items,
	       own->count * sizeof(*own->as.items));
	name->as.items[0] =
		bl_partial_root_named(pe, own->as.items[0]->as.name);
	for (size_t i = 0; i < support->key_count; i++)
		name->as.items[own->count - support->key_count + i] =
			support->keys[i];
	return name->as.items[0] ? name : NULL;
}

static void count_head(struct names *names, const struct bl_rego_term *t)
{
	if (!t)
		return;
	/* Twice, so that it is not "_". */
	bl_partial_each_var(&names->visitor, t);
	bl_partial_each_var(&names->visitor, t);
}

static struct bl_rego_body *named_body(struct bl_partial_copier *copier,
				       const struct bl_partial_list *list)
{
	const struct bl_rego_body body = { .exprs = list->exprs,
					   .count = list->count };

	return bl_partial_copy_body(copier, &body);
}

/* Adds a rule whose head and body have numbers for variables. */
static bool add_rule(struct bl_partial *pe, const struct bl_rego_module *module,
		     const struct bl_rego_rule *given,
		     const struct bl_partial_list *body)
{
	struct names names = new_names(pe);
	struct bl_partial_copier copier = namer(&names);
	struct bl_rego_rule *rule =
		bl_arena_new(pe->arena, struct bl_rego_rule);

	if (!rule)
		return bl_partial_no_memory(pe);
	*rule = *given;
	count_head(&names, given->name);
	count_head(&names, given->contains);
	count_head(&names, given->value);
	for (size_t i = 0; i < given->arg_count; i++)
		count_head(&names, given->args[i]);
	for (size_t i = 0; body && i < body->count; i++)
		bl_partial_each_var_of(&names.visitor, body->exprs[i]);
	if (!give_names(&names))
		return false;
	rule->name = bl_partial_copy(&copier, given->name);
	if (given->contains)
		rule->contains = bl_partial_copy(&copier, given->contains);
	if (given->value)
		rule->value = bl_partial_copy(&copier, given->value);
	rule->args = bl_arena_new_array(pe->arena, struct bl_rego_term *,
					given->arg_count + 1);
	if (!rule->args)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < given->arg_count; i++)
		rule->args[i] = bl_partial_copy(&copier, given->args[i]);
	if (body) {
		struct bl_partial_list own = *body;

		if (!own.count &&
		    !bl_partial_add(
			    pe, &own,
			    bl_partial_expr(
				    pe, bl_partial_constant(
						pe, bl_value_boolean(true)))))
			return false;
		rule->body = named_body(&copier, &own);
	}
	return !pe->status && insert(pe, module, rule);
}

bool bl_partial_add_support(struct bl_partial *pe,
			    const struct bl_partial_support *support)
{
	const struct bl_rego_rule *syntax =
		support->written ? support->written->syntax
				 : support->node->default_rule;
	const struct bl_rego_module *module =
		support->written ? support->written->module
				 : support->node->default_module;
	struct bl_rego_rule rule = {
		.is_default = !support->written,
		.assigns = true,
		.uses_if = true,
		.has_args = support->arg_count > 0,
		.args = support->args,
		.arg_count = support->arg_count,
		.contains = support->contains,
		.value = support->value,
	};

	rule.name = head_name(pe, support, syntax);
	return rule.name && add_rule(pe, module, &rule, support->body);
}

bool bl_partial_add_made_support(struct bl_partial *pe, struct bl_str name,
				 struct bl_rego_term **args, size_t arg_count,
				 const struct bl_partial_list *body)
{
	struct bl_rego_rule rule = {
		.assigns = true,
		.uses_if = true,
		.has_args = arg_count > 0,
		.args = args,
		.arg_count = arg_count,
		.value = bl_partial_constant(pe, bl_value_boolean(true)),
	};

	rule.name = bl_partial_root_named(pe, name);
	return rule.name && rule.value && add_rule(pe, NULL, &rule, body);
}

/* ---- modules -------------------------------------------------------------------------- */

/* "import future.keywords.or", and so on, as far as they are needed. */
static bool add_imports(struct bl_partial *pe, struct bl_rego_module *module)
{
	static const struct {
		unsigned keyword;
		const char *name;
	} rows[] = {
		{ BL_KEYWORD_AND, "and" },
		{ BL_KEYWORD_NOT_BODY, "not" },
		{ BL_KEYWORD_OR, "or" },
	};
	unsigned needed = 0;

	for (size_t i = 0; i < module->rule_count; i++)
		for (size_t j = 0; module->rules[i]->body &&
				   j < module->rules[i]->body->count;
		     j++)
			needed |= keywords_in(module->rules[i]->body->exprs[j]);
	module->imports = bl_arena_new_array(pe->arena, struct bl_rego_import,
					     BL_COUNT(rows));
	if (!module->imports)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_rego_term *path;

		if (!(needed & rows[i].keyword))
			continue;
		path = bl_partial_term(pe, BL_TERM_REF, 3);
		if (!path)
			return false;
		path->as.items[0] = bl_partial_root(pe, "future");
		path->as.items[1] = bl_partial_constant(
			pe, bl_value_string(BL_STR("keywords")));
		path->as.items[2] = bl_partial_constant(
			pe, bl_value_string(bl_str(rows[i].name)));
		module->imports[module->import_count++].path = path;
	}
	return !pe->status;
}

/* "package partial.a", defaults first. */
static bool module_text(struct bl_partial *pe,
			const struct bl_partial_module *module,
			struct bl_str *out_text)
{
	size_t count = bl_value_count(module->package);
	struct bl_rego_term *package =
		bl_partial_term(pe, BL_TERM_REF, (uint32_t)count);
	struct bl_rego_module made = { 0 };
	struct bl_buf text;

	made.rules = bl_arena_new_array(pe->arena, struct bl_rego_rule *,
					module->count + 1);
	if (!package || !made.rules)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < count; i++)
		package->as.items[i] = bl_partial_constant(
			pe, bl_value_item(module->package, i));
	package->as.items[0] = bl_partial_root(pe, "partial");
	made.package = count > 1 ? package : package->as.items[0];
	for (int wanted = 1; wanted >= 0; wanted--)
		for (size_t i = 0; i < module->count; i++)
			if (module->rules[i]->is_default == (bool)wanted)
				made.rules[made.rule_count++] =
					module->rules[i];
	if (pe->status || !add_imports(pe, &made))
		return false;
	bl_buf_init(&text, 0);
	bl_rego_print(&text, &made);
	*out_text = bl_arena_copy_str(pe->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return out_text->ptr || bl_partial_no_memory(pe);
}

bool bl_partial_put_support(struct bl_partial *pe)
{
	struct bl_str *texts = bl_arena_new_array(pe->arena, struct bl_str,
						  pe->module_count + 1);
	size_t made = 0;

	if (!texts)
		return bl_partial_no_memory(pe);
	for (size_t i = 0; i < pe->module_count; i++) {
		size_t at = made++;
		struct bl_partial_module module = pe->modules[i];

		/* In the order of packages: few, so inserted one by one. */
		for (; at && bl_value_compare(pe->modules[at - 1].package,
					      module.package) > 0;
		     at--)
			pe->modules[at] = pe->modules[at - 1];
		pe->modules[at] = module;
	}
	for (size_t i = 0; i < made; i++)
		if (!module_text(pe, &pe->modules[i], &texts[i]))
			return false;
	pe->out->support = texts;
	pe->out->support_count = made;
	return true;
}
