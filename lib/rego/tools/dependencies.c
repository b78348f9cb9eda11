/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The documents that a query needs: base documents (parts of input and data that no
 * rule makes) and virtual ones (rules), as `opa deps` lists them.
 *
 *     h if { y := input.a; y.b == 1; y.c }      input.a.b, input.a.c
 *
 * A variable that stands for a reference is put in the place of it: what counts is
 * the longer reference, as long as the variable itself is not used.
 */
#include <stdlib.h>

#include "rego/compiler/emit/compile.h"
#include "rego/compiler/parse/visit.h"
#include "rego/compiler/resolve/resolve.h"
#include "rego/tools/tools.h"

enum { MAX_REFS = 20000, MAX_DEPTH = 64 /* of variables */ };

/* A path: "input" or "data", then constants. */
struct path_list {
	struct bl_value *items; /* arrays */
	size_t count;
	size_t cap;
};

struct finder {
	struct bl_arena *arena;
	struct bl_compiler compiler;
	bool *visited; /* by node */
	struct path_list base;
	struct path_list virtual;
	bool failed; /* memory, or too many */
};

/* The references of a body: those of variables, and those that count. */
struct body_refs {
	struct bl_visitor visitor; /* first: see_term is given this */
	struct finder *finder;
	const struct bl_rego_term **refs; /* by number; of variable slots[] */
	int32_t *slots;
	size_t ref_count;
	size_t ref_cap;
	bool *used; /* by slot */
	int32_t slot_count;
	struct path_list found;
};

static bool add_path(struct finder *f, struct path_list *list,
		     struct bl_value path)
{
	if (list->count == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 16;
		struct bl_value *items =
			bl_arena_new_array(f->arena, struct bl_value, cap);

		if (!items || cap > MAX_REFS) {
			f->failed = true;
			return false;
		}
		if (list->count)
			memcpy(items, list->items,
			       list->count * sizeof(*items));
		list->items = items;
		list->cap = cap;
	}
	list->items[list->count++] = path;
	return true;
}

static bool is_root(const struct bl_rego_term *term)
{
	return bl_term_is_root(term, "input") || bl_term_is_root(term, "data");
}

/* ---- references of a body -------------------------------------------------- */

/* A path that something other than a constant follows ends in null. */
static bool is_cut(struct bl_value path)
{
	size_t count = bl_value_count(path);

	return count &&
	       bl_value_is(bl_value_item(path, count - 1), BL_KIND_NULL);
}

/* The path with the constants of a reference behind it. */
static struct bl_value with_parts(struct finder *f, struct bl_value path,
				  const struct bl_rego_term *ref)
{
	struct bl_array_builder parts;

	if (is_cut(path))
		return path;
	bl_array_builder_init(&parts, f->arena);
	for (size_t i = 0; i < bl_value_count(path); i++)
		bl_array_builder_add(&parts, bl_value_item(path, i));
	for (uint32_t i = 1; i < ref->count; i++) {
		if (ref->as.items[i]->kind != BL_TERM_SCALAR) {
			bl_array_builder_add(&parts, bl_value_null());
			break;
		}
		bl_array_builder_add(&parts, ref->as.items[i]->as.value);
	}
	return bl_array_builder_end(&parts);
}

static struct bl_value root_path(struct finder *f,
				 const struct bl_rego_term *root)
{
	struct bl_value name = bl_value_string(root->as.name);

	return bl_array_make(f->arena, &name, 1);
}

/* Adds the paths that a reference or variable stands for. */
static void add_expanded(struct body_refs *b, const struct bl_rego_term *term,
			 unsigned depth, struct path_list *out)
{
	const struct bl_rego_term *head =
		term->kind == BL_TERM_REF ? term->as.items[0] : term;
	struct path_list heads = { 0 };

	if (depth > MAX_DEPTH)
		return;
	if (is_root(head)) {
		add_path(b->finder, &heads, root_path(b->finder, head));
	} else if (head->kind == BL_TERM_VAR && head->slot >= 0) {
		for (size_t i = 0; i < b->ref_count; i++)
			if (b->slots[i] == head->slot)
				add_expanded(b, b->refs[i], depth + 1, &heads);
	}
	for (size_t i = 0; i < heads.count; i++) {
		struct bl_value path = heads.items[i];

		if (term->kind == BL_TERM_REF)
			path = with_parts(b->finder, path, term);
		if (!depth && is_cut(path))
			path = bl_array_make(b->finder->arena, path.as.items,
					     bl_value_count(path) - 1);
		add_path(b->finder, out, path);
	}
}

static bool see_term(struct bl_visitor *visitor,
		     const struct bl_rego_term *term)
{
	struct body_refs *b = (struct body_refs *)visitor;

	if (term->kind == BL_TERM_VAR && term->slot >= 0 &&
	    term->slot < b->slot_count)
		b->used[term->slot] = true;
	if (term->kind == BL_TERM_REF || is_root(term))
		add_expanded(b, term, 0, &b->found);
	if ((term->kind != BL_TERM_REF && term->kind != BL_TERM_CALL) ||
	    term->as.items[0]->kind != BL_TERM_VAR)
		return term->kind != BL_TERM_TEMPLATE;
	bl_visit_terms(visitor, term->as.items + 1, term->count - 1);
	return false;
}

static bool is_variable(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_VAR && term->slot >= 0;
}

static bool is_reference(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_REF || is_root(term);
}

/* "x = REF": x stands for it; parts in brackets are used all the same. */
static bool note_equality(struct body_refs *b, const struct bl_rego_term *name,
			  const struct bl_rego_term *ref)
{
	if (!is_variable(name) || !is_reference(ref))
		return false;
	if (b->ref_count == b->ref_cap) {
		size_t cap = b->ref_cap ? b->ref_cap * 2 : 16;
		const struct bl_rego_term **refs = bl_arena_new_array(
			b->finder->arena, const struct bl_rego_term *, cap);
		int32_t *slots =
			bl_arena_new_array(b->finder->arena, int32_t, cap);

		if (!refs || !slots) {
			b->finder->failed = true;
			return true;
		}
		if (b->ref_count) {
			memcpy(refs, b->refs, b->ref_count * sizeof(*refs));
			memcpy(slots, b->slots, b->ref_count * sizeof(*slots));
		}
		b->refs = refs;
		b->slots = slots;
		b->ref_cap = cap;
	}
	b->refs[b->ref_count] = ref;
	b->slots[b->ref_count++] = name->slot;
	if (ref->kind == BL_TERM_REF)
		bl_visit_terms(&b->visitor, ref->as.items + 1, ref->count - 1);
	return true;
}

/* Equalities, and "some x in xs", which is x = xs[_]. */
static bool is_noted(struct body_refs *b, const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *call;
	const struct bl_rego_term *callee;
	uint32_t last = expr->term_count - 1;

	if (expr->negated || expr->with_count)
		return false;
	if (expr->kind == BL_EXPR_SOME_IN) {
		struct bl_rego_term *ref;

		if (last == 2)
			bl_visit_term(&b->visitor, expr->terms[0]);
		if (!is_variable(expr->terms[last - 1]) ||
		    !is_reference(expr->terms[last]))
			return false;
		ref = bl_arena_new(b->finder->arena, struct bl_rego_term);
		if (!ref)
			return !(b->finder->failed = true);
		*ref = *expr->terms[last];
		if (ref->kind == BL_TERM_REF) {
			ref->as.items = bl_arena_new_array(
				b->finder->arena, struct bl_rego_term *,
				ref->count + 1);
			if (!ref->as.items)
				return !(b->finder->failed = true);
			memcpy(ref->as.items, expr->terms[last]->as.items,
			       ref->count * sizeof(*ref->as.items));
			ref->as.items[ref->count++] = expr->terms[last - 1];
		}
		return note_equality(b, expr->terms[last - 1], ref);
	}
	if (expr->kind != BL_EXPR_TERM)
		return false;
	call = expr->terms[0];
	if (call->kind != BL_TERM_CALL || call->count != 3)
		return false;
	callee = call->as.items[0];
	if (callee->kind != BL_TERM_VAR ||
	    (!bl_str_is(callee->as.name, "eq") &&
	     !bl_str_is(callee->as.name, "assign") &&
	     !bl_str_is(callee->as.name, "equal")))
		return false;
	return note_equality(b, call->as.items[1], call->as.items[2]) ||
	       note_equality(b, call->as.items[2], call->as.items[1]);
}

static bool is_prefix(struct bl_value shorter, struct bl_value longer)
{
	if (bl_value_count(shorter) > bl_value_count(longer))
		return false;
	for (size_t i = 0; i < bl_value_count(shorter); i++)
		if (!bl_value_equal(bl_value_item(shorter, i),
				    bl_value_item(longer, i)))
			return false;
	return true;
}

/* References of variables: of those that are used, or where nothing is longer. */
static void add_of_variables(struct body_refs *b)
{
	size_t before = b->found.count;

	for (size_t i = 0; i < b->ref_count; i++) {
		struct path_list paths = { 0 };
		bool used =
			b->slots[i] >= b->slot_count || b->used[b->slots[i]];

		add_expanded(b, b->refs[i], 0, &paths);
		for (size_t j = 0; j < paths.count; j++) {
			bool covered = false;

			for (size_t k = 0; !used && !covered && k < before; k++)
				covered = is_prefix(paths.items[j],
						    b->found.items[k]);
			if (!covered)
				add_path(b->finder, &b->found, paths.items[j]);
		}
	}
}

static int compare_paths(const void *a, const void *b)
{
	return bl_value_compare(*(const struct bl_value *)a,
				*(const struct bl_value *)b);
}

/* Sorted, each once; minimal: none that begins with another one. */
static void tidy(struct path_list *list, bool minimal)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items),
		      compare_paths);
	for (size_t i = 0; i < list->count; i++) {
		if (kept &&
		    (minimal ? is_prefix(list->items[kept - 1], list->items[i])
			     : bl_value_equal(list->items[kept - 1],
					      list->items[i])))
			continue;
		list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

/* ---- rules ------------------------------------------------------------------- */

static void follow(struct finder *f, const struct path_list *paths);

/* As many slots as the resolver has; uses are those of the head, at first. */
static bool begin(struct finder *f, struct body_refs *b, int32_t slot_count)
{
	*b = (struct body_refs){ .visitor.term = see_term,
				 .finder = f,
				 .slot_count = slot_count };
	b->used = bl_arena_new_array(f->arena, bool, (size_t)slot_count + 1);
	f->failed |= !b->used;
	return b->used != NULL;
}

static void visit_body(struct body_refs *b, const struct bl_rego_body *body)
{
	bool *noted =
		bl_arena_new_array(b->finder->arena, bool, body->count + 1);

	if (!noted) {
		b->finder->failed = true;
		return;
	}
	for (size_t i = 0; i < body->count; i++)
		noted[i] = is_noted(b, body->exprs[i]);
	for (size_t i = 0; i < body->count; i++)
		if (!noted[i])
			bl_visit_expr(&b->visitor, body->exprs[i]);
}

static void end(struct body_refs *b)
{
	add_of_variables(b);
	tidy(&b->found, true);
	follow(b->finder, &b->found);
}

static void visit_rule(struct finder *f, const struct bl_rule *rule)
{
	struct bl_resolver resolver = {
		.compiler = &f->compiler,
		.module = rule->module,
		.package = bl_package_node(&f->compiler, rule->module),
	};
	struct bl_resolved_rule *resolved = bl_resolve_rule(&resolver, rule);
	struct body_refs all = { 0 };

	if (!resolved) {
		f->failed = true;
		return;
	}
	if (!begin(f, &all, resolver.slot_count))
		return;
	for (; resolved; resolved = resolved->else_rule) {
		if (resolved->body)
			visit_body(&all, resolved->body);
		bl_visit_terms(&all.visitor, resolved->keys,
			       resolved->key_count);
		bl_visit_term(&all.visitor, resolved->value);
	}
	end(&all);
}

/* The path of a rule: of its node. */
static struct bl_value node_path(struct finder *f, const struct bl_node *node)
{
	struct bl_array_builder parts;
	struct bl_value above;
	struct bl_value data = bl_value_string(BL_STR("data"));

	if (!node->parent)
		return bl_array_make(f->arena, &data, 1);
	above = node_path(f, node->parent);
	bl_array_builder_init(&parts, f->arena);
	for (size_t i = 0; i < bl_value_count(above); i++)
		bl_array_builder_add(&parts, bl_value_item(above, i));
	bl_array_builder_add(&parts, node->key);
	return bl_array_builder_end(&parts);
}

static void visit_node(struct finder *f, const struct bl_node *node)
{
	if (f->visited[node->index] || f->failed)
		return;
	f->visited[node->index] = true;
	add_path(f, &f->virtual, node_path(f, node));
	for (const struct bl_rule *rule = node->rules; rule && !f->failed;
	     rule = rule->next)
		visit_rule(f, rule);
}

static bool has_rules(const struct bl_node *node)
{
	return node->rules || node->default_rule;
}

/* All rules at and below a node; false: nothing is there. */
static bool visit_below(struct finder *f, const struct bl_node *node)
{
	bool any = has_rules(node);

	if (any)
		visit_node(f, node);
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		any |= visit_below(f, child);
	return any;
}

static void follow(struct finder *f, const struct path_list *paths)
{
	for (size_t i = 0; i < paths->count && !f->failed; i++) {
		struct bl_value path = paths->items[i];
		const struct bl_node *node = f->compiler.root;
		size_t at = 1;
		bool any = false;

		if (!bl_str_is(bl_value_text(bl_value_item(path, 0)), "data")) {
			add_path(f, &f->base, path);
			continue;
		}
		for (; node && at < bl_value_count(path); at++) {
			node = bl_node_find_child(node,
						  bl_value_item(path, at));
			if (node && at + 1 < bl_value_count(path) &&
			    has_rules(node)) {
				visit_node(f, node);
				any = true;
			}
		}
		if (node)
			any |= visit_below(f, node);
		if (!any)
			add_path(f, &f->base, path);
	}
}

/* ---- queries ------------------------------------------------------------------- */

static enum bl_status read_policies(struct finder *f,
				    const struct bl_rego_source *sources,
				    size_t count, struct bl_diags *diags,
				    struct bl_error *err)
{
	const struct bl_rego_module **modules = bl_arena_new_array(
		f->arena, const struct bl_rego_module *, count + 1);

	if (!modules)
		return bl_arena_fail(f->arena, err);
	for (size_t i = 0; i < count; i++) {
		enum bl_status status = bl_rego_parse_all(
			f->arena, &sources[i], diags, &modules[i], err);

		if (status)
			return status;
	}
	f->compiler = (struct bl_compiler){ .arena = f->arena,
					    .diags = diags,
					    .options.observe = true,
					    .modules = modules,
					    .module_count = count };
	if (!bl_analysis_build_tree(&f->compiler))
		return bl_arena_fail(f->arena, err);
	f->visited =
		bl_arena_new_array(f->arena, bool, f->compiler.node_count + 1);
	return f->visited ? BL_OK : bl_arena_fail(f->arena, err);
}

enum bl_status bl_rego_find_dependencies(
	struct bl_arena *arena, const struct bl_rego_source *sources,
	size_t source_count, struct bl_str query, struct bl_diags *diags,
	struct bl_rego_dependencies *out_dependencies, struct bl_error *err)
{
	struct finder f = { .arena = arena };
	struct bl_resolver resolver = { .compiler = &f.compiler };
	struct bl_rego_body *body = NULL;
	struct bl_rego_body *resolved;
	struct body_refs all = { 0 };
	struct bl_str *names;
	int32_t *slots;
	size_t count;
	size_t offset;
	enum bl_status status =
		bl_rego_parse_query(arena, query, &body, &offset, err);

	if (!status)
		status = read_policies(&f, sources, source_count, diags, err);
	if (status)
		return status;
	resolved = bl_resolve_query(&resolver, body, &names, &slots, &count);
	if (!resolved || !begin(&f, &all, resolver.slot_count))
		return bl_arena_fail(arena, err);
	/* The variables of a query are its result. */
	for (size_t i = 0; i < count; i++)
		all.used[slots[i]] = true;
	visit_body(&all, resolved);
	end(&all);
	if (f.failed || f.compiler.failed_memory)
		return arena->status ? bl_arena_fail(arena, err)
				     : bl_fail(err, BL_LIMIT,
					       "there are more than %d "
					       "documents",
					       MAX_REFS / 2);
	tidy(&f.base, false);
	tidy(&f.virtual, false);
	out_dependencies->base =
		bl_array_make(arena, f.base.items, f.base.count);
	out_dependencies->virtual = bl_array_make(arena, f.virtual.items,
						  f.virtual.count);
	return BL_OK;
}
