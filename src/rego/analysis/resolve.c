/* SPDX-License-Identifier: Apache-2.0 */
/* Names to slots, rules, imports and builtins (spec/rego.md 1.6, 1.8). */
#include "rego/analysis/analysis.h"

/* One body's own names; the names of outer bodies are seen through parent. */
struct bl_scope {
	struct bl_scope *parent;
	struct bl_str *names;
	int32_t *slots;
	size_t count;
	size_t cap;
};

static struct bl_rego_term *resolve(struct bl_resolver *resolver,
				    const struct bl_rego_term *term);
static struct bl_rego_body *resolve_body(struct bl_resolver *resolver,
					 const struct bl_rego_body *body);

static void *new_bytes(struct bl_resolver *resolver, size_t count, size_t size)
{
	void *made = bl_arena_zalloc(resolver->compiler->arena,
				     count ? count : 1, size);

	if (!made)
		resolver->compiler->failed_memory = true;
	return made;
}

#define NEW(resolver, type) ((type *)new_bytes((resolver), 1, sizeof(type)))
#define NEW_ARRAY(resolver, type, count)                                       \
	((type *)new_bytes((resolver), (count), sizeof(type)))

/* ---- slots and scopes ----------------------------------------------------------- */

static int32_t new_slot(struct bl_resolver *resolver, struct bl_str name)
{
	size_t count = (size_t)resolver->slot_count;

	if (count == resolver->slot_cap) {
		size_t cap = resolver->slot_cap ? resolver->slot_cap * 2 : 16;
		struct bl_str *names =
			NEW_ARRAY(resolver, struct bl_str, cap);

		if (!names)
			return BL_SLOT_NONE;
		if (count)
			memcpy(names, resolver->slot_names,
			       count * sizeof(*names));
		resolver->slot_names = names;
		resolver->slot_cap = cap;
	}
	resolver->slot_names[count] = name;
	return resolver->slot_count++;
}

static void declare_slot(struct bl_resolver *resolver, struct bl_str name,
			 int32_t slot)
{
	struct bl_scope *scope = resolver->scope;

	if (scope->count == scope->cap) {
		size_t cap = scope->cap ? scope->cap * 2 : 8;
		struct bl_str *names =
			NEW_ARRAY(resolver, struct bl_str, cap);
		int32_t *slots = NEW_ARRAY(resolver, int32_t, cap);

		if (!names || !slots)
			return;
		if (scope->count) {
			memcpy(names, scope->names,
			       scope->count * sizeof(*names));
			memcpy(slots, scope->slots,
			       scope->count * sizeof(*slots));
		}
		scope->names = names;
		scope->slots = slots;
		scope->cap = cap;
	}
	scope->names[scope->count] = name;
	scope->slots[scope->count++] = slot;
}

static int32_t declare(struct bl_resolver *resolver, struct bl_str name)
{
	int32_t slot = new_slot(resolver, name);

	declare_slot(resolver, name, slot);
	return slot;
}

/* The newest declaration that can be seen, or BL_SLOT_NONE. */
static int32_t find_slot(const struct bl_scope *scope, struct bl_str name)
{
	for (; scope; scope = scope->parent)
		for (size_t i = scope->count; i > 0; i--)
			if (bl_str_equal(scope->names[i - 1], name))
				return scope->slots[i - 1];
	return BL_SLOT_NONE;
}

static bool declared_here(const struct bl_scope *scope, struct bl_str name)
{
	for (size_t i = 0; i < scope->count; i++)
		if (bl_str_equal(scope->names[i], name))
			return true;
	return false;
}

/* ---- global names ----------------------------------------------------------------- */

static const struct bl_rego_import *
find_import(const struct bl_rego_module *module, struct bl_str name)
{
	for (size_t i = 0; module && i < module->import_count; i++) {
		const struct bl_rego_import *import = &module->imports[i];
		const struct bl_rego_term *path = import->path;
		const struct bl_rego_term *last;
		struct bl_str head = path->kind == BL_TERM_VAR ?
					     path->as.name :
					     path->as.items[0]->as.name;

		if (bl_str_is(head, "future") || bl_str_is(head, "rego"))
			continue;
		last = path->kind == BL_TERM_VAR ?
			       path :
			       path->as.items[path->count - 1];
		if (bl_str_equal(import->alias.len ? import->alias :
				 last->kind == BL_TERM_VAR ?
					     last->as.name :
					     bl_value_text(last->as.value),
				 name))
			return import;
	}
	return NULL;
}

static bool has_rules(const struct bl_node *node)
{
	if (node->rules || node->default_rule)
		return true;
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		if (!child->is_package && has_rules(child))
			return true;
	return false;
}

static struct bl_node *find_rule(const struct bl_resolver *resolver,
				 struct bl_str name)
{
	struct bl_node *node =
		resolver->package ?
			bl_node_find_child(resolver->package,
					   bl_value_string(name)) :
			NULL;

	return node && has_rules(node) ? node : NULL;
}

static bool is_root_name(struct bl_str name)
{
	return bl_str_is(name, "data") || bl_str_is(name, "input");
}

/* A name that is no local variable but means something. */
static bool is_global(const struct bl_resolver *resolver, struct bl_str name)
{
	return is_root_name(name) || find_import(resolver->module, name) ||
	       find_rule(resolver, name);
}

/* ---- making terms ------------------------------------------------------------------ */

static struct bl_rego_term *make_term(struct bl_resolver *resolver,
				      enum bl_rego_term_kind kind,
				      struct bl_rego_range range)
{
	struct bl_rego_term *term = NEW(resolver, struct bl_rego_term);

	if (term) {
		term->kind = (uint8_t)kind;
		term->range = range;
		term->slot = BL_SLOT_NONE;
	}
	return term;
}

static struct bl_rego_term *make_var(struct bl_resolver *resolver,
				     struct bl_str name, int32_t slot,
				     struct bl_rego_range range)
{
	struct bl_rego_term *term = make_term(resolver, BL_TERM_VAR, range);

	if (term) {
		term->as.name = name;
		term->slot = slot;
	}
	return term;
}

static struct bl_rego_term *make_scalar(struct bl_resolver *resolver,
					struct bl_value value,
					struct bl_rego_range range)
{
	struct bl_rego_term *term = make_term(resolver, BL_TERM_SCALAR, range);

	if (term)
		term->as.value = value;
	return term;
}

/* data.a.b of a node. */
static struct bl_rego_term *make_node_ref(struct bl_resolver *resolver,
					  const struct bl_node *node,
					  struct bl_rego_range range)
{
	struct bl_rego_term *term = make_term(resolver, BL_TERM_REF, range);
	uint32_t depth = 0;

	for (const struct bl_node *at = node; at->parent; at = at->parent)
		depth++;
	if (!term)
		return NULL;
	term->count = depth + 1;
	term->as.items =
		NEW_ARRAY(resolver, struct bl_rego_term *, depth + 1);
	if (!term->as.items)
		return NULL;
	for (const struct bl_node *at = node; at->parent; at = at->parent)
		term->as.items[depth--] =
			make_scalar(resolver, at->key, range);
	term->as.items[0] =
		make_var(resolver, BL_STR("data"), BL_SLOT_NONE, range);
	return term;
}

/* A name that is no local variable, as a term; NULL when it means nothing. */
static struct bl_rego_term *resolve_global(struct bl_resolver *resolver,
					   const struct bl_rego_term *name)
{
	const struct bl_rego_import *import =
		find_import(resolver->module, name->as.name);
	struct bl_node *node;
	struct bl_rego_term *copy;

	if (import) {
		const struct bl_rego_term *path = import->path;

		copy = make_term(resolver, (enum bl_rego_term_kind)path->kind,
				 name->range);
		if (!copy)
			return NULL;
		if (path->kind == BL_TERM_VAR) {
			copy->as.name = path->as.name;
			return copy;
		}
		copy->count = path->count;
		copy->as.items = NEW_ARRAY(resolver, struct bl_rego_term *,
					   path->count);
		if (!copy->as.items)
			return NULL;
		memcpy(copy->as.items, path->as.items,
		       path->count * sizeof(*path->as.items));
		copy->as.items[0] = make_var(resolver,
					     path->as.items[0]->as.name,
					     BL_SLOT_NONE, name->range);
		return copy;
	}
	node = find_rule(resolver, name->as.name);
	if (node)
		return make_node_ref(resolver, node, name->range);
	if (is_root_name(name->as.name))
		return make_var(resolver, name->as.name, BL_SLOT_NONE,
				name->range);
	return NULL;
}

static struct bl_rego_term *resolve_var(struct bl_resolver *resolver,
					const struct bl_rego_term *term)
{
	int32_t slot;
	struct bl_rego_term *global;

	if (bl_str_is(term->as.name, "_"))
		return make_var(resolver, term->as.name,
				new_slot(resolver, term->as.name),
				term->range);
	slot = find_slot(resolver->scope, term->as.name);
	if (slot == BL_SLOT_NONE) {
		global = resolve_global(resolver, term);
		if (global)
			return global;
		slot = declare(resolver, term->as.name);
	}
	return make_var(resolver, term->as.name, slot, term->range);
}

/* ---- references and calls ------------------------------------------------------------ */

/* head (resolved; a REF is spliced) with the parts of term from 1 on. */
static struct bl_rego_term *join_ref(struct bl_resolver *resolver,
				     struct bl_rego_term *head,
				     const struct bl_rego_term *term)
{
	uint32_t head_count = head->kind == BL_TERM_REF ? head->count : 1;
	struct bl_rego_term *ref =
		make_term(resolver, BL_TERM_REF, term->range);

	if (!ref)
		return NULL;
	ref->count = head_count + term->count - 1;
	ref->as.items =
		NEW_ARRAY(resolver, struct bl_rego_term *, ref->count);
	if (!ref->as.items)
		return NULL;
	if (head->kind == BL_TERM_REF)
		memcpy(ref->as.items, head->as.items,
		       head_count * sizeof(*head->as.items));
	else
		ref->as.items[0] = head;
	for (uint32_t i = 1; i < term->count; i++) {
		ref->as.items[head_count + i - 1] =
			resolve(resolver, term->as.items[i]);
		if (!ref->as.items[head_count + i - 1])
			return NULL;
	}
	return ref;
}

static struct bl_rego_term *resolve_ref(struct bl_resolver *resolver,
					const struct bl_rego_term *term)
{
	struct bl_rego_term *head = resolve(resolver, term->as.items[0]);

	return head ? join_ref(resolver, head, term) : NULL;
}

/* "a.b.c" of a name or a reference of names; ptr NULL when it is neither. */
static struct bl_str dotted_name(struct bl_resolver *resolver,
				 const struct bl_rego_term *term)
{
	struct bl_buf name;
	struct bl_str text = { 0 };

	if (term->kind == BL_TERM_VAR)
		return term->as.name;
	if (term->kind != BL_TERM_REF ||
	    term->as.items[0]->kind != BL_TERM_VAR)
		return text;
	bl_buf_init(&name, 0);
	bl_buf_put_str(&name, term->as.items[0]->as.name);
	for (uint32_t i = 1; i < term->count; i++) {
		const struct bl_rego_term *part = term->as.items[i];

		if (part->kind != BL_TERM_SCALAR ||
		    !bl_value_is(part->as.value, BL_KIND_STRING)) {
			bl_buf_clear(&name);
			return text;
		}
		bl_buf_printf(&name, ".%.*s",
			      BL_STR_ARG(bl_value_text(part->as.value)));
	}
	text = bl_arena_copy_str(resolver->compiler->arena,
				 bl_buf_str(&name));
	bl_buf_clear(&name);
	return text;
}

/*
 * What a call or a "with" names as a function: a VAR with the builtin's full
 * name, or data... of a rule.  A local name, a rule or an import comes before
 * a builtin.
 */
static struct bl_rego_term *resolve_function(struct bl_resolver *resolver,
					     const struct bl_rego_term *term)
{
	const struct bl_rego_term *head =
		term->kind == BL_TERM_REF ? term->as.items[0] : term;
	struct bl_str name = dotted_name(resolver, term);
	bool shadowed;

	if (head->kind != BL_TERM_VAR || !name.ptr)
		return resolve(resolver, term);
	shadowed = term->kind == BL_TERM_VAR &&
		   (find_import(resolver->module, name) ||
		    find_rule(resolver, name));
	if (!shadowed && bl_builtin_find(name))
		return make_var(resolver, name, BL_SLOT_NONE, term->range);
	if (is_global(resolver, head->as.name) &&
	    find_slot(resolver->scope, head->as.name) == BL_SLOT_NONE)
		return resolve(resolver, term);
	return make_var(resolver, name, BL_SLOT_NONE, term->range);
}

static struct bl_rego_term *copy_items(struct bl_resolver *resolver,
				       const struct bl_rego_term *term,
				       uint32_t from)
{
	struct bl_rego_term *copy = make_term(
		resolver, (enum bl_rego_term_kind)term->kind, term->range);

	if (!copy)
		return NULL;
	copy->infix = term->infix;
	copy->count = term->count;
	copy->as.items =
		NEW_ARRAY(resolver, struct bl_rego_term *, term->count);
	for (uint32_t i = from; copy->as.items && i < term->count; i++) {
		copy->as.items[i] = resolve(resolver, term->as.items[i]);
		if (!copy->as.items[i])
			return NULL;
	}
	return copy->as.items ? copy : NULL;
}

static struct bl_rego_term *resolve_call(struct bl_resolver *resolver,
					 const struct bl_rego_term *term)
{
	struct bl_rego_term *copy = copy_items(resolver, term, 1);

	if (!copy)
		return NULL;
	copy->as.items[0] =
		term->infix ? make_var(resolver, term->as.items[0]->as.name,
				       BL_SLOT_NONE, term->range) :
			      resolve_function(resolver, term->as.items[0]);
	return copy->as.items[0] ? copy : NULL;
}

/* ---- comprehensions and templates ------------------------------------------------------ */

/* The slots made since slot_from belong to this closure. */
static void set_own_slots(const struct bl_resolver *resolver,
			  struct bl_rego_body *body, int32_t slot_from)
{
	body->slot_from = slot_from;
	body->slot_to = resolver->slot_count;
}

static struct bl_rego_term *
resolve_comprehension(struct bl_resolver *resolver,
		      const struct bl_rego_term *term)
{
	struct bl_scope scope = { .parent = resolver->scope };
	int32_t slot_from = resolver->slot_count;
	struct bl_rego_term *copy;
	struct bl_rego_body *body;

	resolver->scope = &scope;
	body = resolve_body(resolver, term->body);
	copy = body ? copy_items(resolver, term, 0) : NULL;
	if (copy) {
		copy->body = body;
		set_own_slots(resolver, body, slot_from);
	}
	resolver->scope = scope.parent;
	return copy;
}

static struct bl_rego_expr *make_expr(struct bl_resolver *resolver,
				      const struct bl_rego_expr *like)
{
	struct bl_rego_expr *expr = NEW(resolver, struct bl_rego_expr);

	if (!expr)
		return NULL;
	*expr = *like;
	expr->terms = NEW_ARRAY(resolver, struct bl_rego_term *,
				like->term_count);
	expr->bodies = NEW_ARRAY(resolver, struct bl_rego_body *,
				 like->body_count);
	expr->withs =
		NEW_ARRAY(resolver, struct bl_rego_with, like->with_count);
	return expr->terms && expr->bodies && expr->withs ? expr : NULL;
}

/* Does a value of "with" name a builtin, which then replaces a function? */
static bool names_builtin(struct bl_resolver *resolver,
			  const struct bl_rego_term *term)
{
	struct bl_str name = dotted_name(resolver, term);
	struct bl_str head;

	if (!name.ptr || !bl_builtin_find(name))
		return false;
	head = term->kind == BL_TERM_VAR ? name : term->as.items[0]->as.name;
	return find_slot(resolver->scope, head) == BL_SLOT_NONE &&
	       !is_global(resolver, head);
}

static bool resolve_withs(struct bl_resolver *resolver,
			  const struct bl_rego_expr *expr,
			  struct bl_rego_expr *copy)
{
	for (uint32_t i = 0; i < expr->with_count; i++) {
		copy->withs[i].target =
			resolve_function(resolver, expr->withs[i].target);
		copy->withs[i].value =
			names_builtin(resolver, expr->withs[i].value) ?
				resolve_function(resolver,
						 expr->withs[i].value) :
				resolve(resolver, expr->withs[i].value);
		if (!copy->withs[i].target || !copy->withs[i].value)
			return false;
	}
	return true;
}

/* {v | v = hole}: a part of a template that may be undefined. */
static struct bl_rego_term *template_part(struct bl_resolver *resolver,
					  const struct bl_rego_expr *hole)
{
	struct bl_rego_range range = hole->range;
	int32_t slot_from = resolver->slot_count;
	int32_t slot = new_slot(resolver, BL_STR("_"));
	struct bl_rego_term *part =
		make_term(resolver, BL_TERM_SET_COMPREHENSION, range);
	struct bl_rego_term *eq = make_term(resolver, BL_TERM_CALL, range);
	struct bl_rego_expr *expr = make_expr(resolver, hole);
	struct bl_rego_body *body = NEW(resolver, struct bl_rego_body);

	if (!part || !eq || !expr || !body)
		return NULL;
	eq->infix = true;
	eq->count = 3;
	eq->as.items = NEW_ARRAY(resolver, struct bl_rego_term *, 3);
	part->as.items = NEW_ARRAY(resolver, struct bl_rego_term *, 1);
	body->exprs = NEW_ARRAY(resolver, struct bl_rego_expr *, 1);
	if (!eq->as.items || !part->as.items || !body->exprs)
		return NULL;
	eq->as.items[0] =
		make_var(resolver, BL_STR("eq"), BL_SLOT_NONE, range);
	eq->as.items[1] = make_var(resolver, BL_STR("_"), slot, range);
	eq->as.items[2] = resolve(resolver, hole->terms[0]);
	part->count = 1;
	part->as.items[0] = make_var(resolver, BL_STR("_"), slot, range);
	part->body = body;
	body->count = 1;
	body->exprs[0] = expr;
	expr->terms[0] = eq;
	if (!eq->as.items[2] || !resolve_withs(resolver, hole, expr))
		return NULL;
	set_own_slots(resolver, body, slot_from);
	return part;
}

static struct bl_rego_term *resolve_template(struct bl_resolver *resolver,
					     const struct bl_rego_term *term)
{
	struct bl_rego_term *call =
		make_term(resolver, BL_TERM_CALL, term->range);
	struct bl_rego_term *parts =
		make_term(resolver, BL_TERM_ARRAY, term->range);

	if (!call || !parts)
		return NULL;
	call->count = 2;
	call->as.items = NEW_ARRAY(resolver, struct bl_rego_term *, 2);
	parts->count = (uint32_t)term->body->count;
	parts->as.items =
		NEW_ARRAY(resolver, struct bl_rego_term *, parts->count);
	if (!call->as.items || !parts->as.items)
		return NULL;
	for (uint32_t i = 0; i < parts->count; i++) {
		const struct bl_rego_expr *part = term->body->exprs[i];
		bool constant = part->terms[0]->kind == BL_TERM_SCALAR &&
				!part->with_count;

		parts->as.items[i] =
			constant ? resolve(resolver, part->terms[0]) :
				   template_part(resolver, part);
		if (!parts->as.items[i])
			return NULL;
	}
	call->as.items[0] = make_var(resolver,
				     BL_STR("internal.template_string"),
				     BL_SLOT_NONE, term->range);
	call->as.items[1] = parts;
	return call;
}

static struct bl_rego_term *resolve(struct bl_resolver *resolver,
				    const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		return make_scalar(resolver, term->as.value, term->range);
	case BL_TERM_TEMPLATE:
		return resolve_template(resolver, term);
	case BL_TERM_VAR:
		return resolve_var(resolver, term);
	case BL_TERM_REF:
		return resolve_ref(resolver, term);
	case BL_TERM_CALL:
		return resolve_call(resolver, term);
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		return copy_items(resolver, term, 0);
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		return resolve_comprehension(resolver, term);
	}
	return NULL;
}

/* ---- statements ------------------------------------------------------------------------- */

static bool is_assignment(const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *term =
		expr->kind == BL_EXPR_TERM ? expr->terms[0] : NULL;

	return term && term->kind == BL_TERM_CALL && term->infix &&
	       bl_str_is(term->as.items[0]->as.name, "assign");
}

/* The variables of a pattern, declared here: arrays, and values of objects. */
static void declare_pattern(struct bl_resolver *resolver,
			    const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_VAR) {
		if (!bl_str_is(term->as.name, "_"))
			declare(resolver, term->as.name);
		return;
	}
	if (term->kind == BL_TERM_ARRAY)
		for (uint32_t i = 0; i < term->count; i++)
			declare_pattern(resolver, term->as.items[i]);
	if (term->kind == BL_TERM_OBJECT)
		for (uint32_t i = 1; i < term->count; i += 2)
			declare_pattern(resolver, term->as.items[i]);
}

/* "left := right": the right side does not see the names of the left. */
static bool resolve_assignment(struct bl_resolver *resolver,
			       const struct bl_rego_expr *expr,
			       struct bl_rego_expr *copy)
{
	const struct bl_rego_term *term = expr->terms[0];
	struct bl_rego_term *call =
		make_term(resolver, BL_TERM_CALL, term->range);

	if (!call)
		return false;
	call->infix = true;
	call->count = 3;
	call->as.items = NEW_ARRAY(resolver, struct bl_rego_term *, 3);
	if (!call->as.items)
		return false;
	call->as.items[0] = make_var(resolver, BL_STR("assign"), BL_SLOT_NONE,
				     term->range);
	call->as.items[2] = resolve(resolver, term->as.items[2]);
	declare_pattern(resolver, term->as.items[1]);
	call->as.items[1] = resolve(resolver, term->as.items[1]);
	copy->terms[0] = call;
	return call->as.items[1] && call->as.items[2];
}

/* "some k, v in xs": xs first, then the patterns' names. */
static bool resolve_some_in(struct bl_resolver *resolver,
			    const struct bl_rego_expr *expr,
			    struct bl_rego_expr *copy)
{
	uint32_t last = expr->term_count - 1;

	copy->terms[last] = resolve(resolver, expr->terms[last]);
	for (uint32_t i = 0; i < last; i++)
		declare_pattern(resolver, expr->terms[i]);
	for (uint32_t i = 0; i < last; i++) {
		copy->terms[i] = resolve(resolver, expr->terms[i]);
		if (!copy->terms[i])
			return false;
	}
	return copy->terms[last] != NULL;
}

static bool resolve_every(struct bl_resolver *resolver,
			  const struct bl_rego_expr *expr,
			  struct bl_rego_expr *copy)
{
	struct bl_scope scope = { .parent = resolver->scope };
	uint32_t last = expr->term_count - 1;
	int32_t slot_from;
	bool ok;

	copy->terms[last] = resolve(resolver, expr->terms[last]);
	slot_from = resolver->slot_count;
	resolver->scope = &scope;
	for (uint32_t i = 0; i < last; i++) {
		declare_pattern(resolver, expr->terms[i]);
		copy->terms[i] = resolve(resolver, expr->terms[i]);
	}
	copy->bodies[0] = resolve_body(resolver, expr->bodies[0]);
	ok = copy->terms[last] && copy->bodies[0];
	if (ok)
		set_own_slots(resolver, copy->bodies[0], slot_from);
	resolver->scope = scope.parent;
	return ok;
}

static bool resolve_bodies(struct bl_resolver *resolver,
			   const struct bl_rego_expr *expr,
			   struct bl_rego_expr *copy)
{
	for (uint32_t i = 0; i < expr->body_count; i++) {
		struct bl_scope scope = { .parent = resolver->scope };
		int32_t slot_from = resolver->slot_count;

		resolver->scope = &scope;
		copy->bodies[i] = resolve_body(resolver, expr->bodies[i]);
		resolver->scope = scope.parent;
		if (!copy->bodies[i])
			return false;
		set_own_slots(resolver, copy->bodies[i], slot_from);
	}
	return true;
}

static bool resolve_statement(struct bl_resolver *resolver,
			      const struct bl_rego_expr *expr,
			      struct bl_rego_expr *copy)
{
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		if (is_assignment(expr))
			return resolve_assignment(resolver, expr, copy);
		copy->terms[0] = resolve(resolver, expr->terms[0]);
		return copy->terms[0] != NULL;
	case BL_EXPR_SOME:
		for (uint32_t i = 0; i < expr->term_count; i++) {
			declare_pattern(resolver, expr->terms[i]);
			copy->terms[i] = resolve(resolver, expr->terms[i]);
			if (!copy->terms[i])
				return false;
		}
		return true;
	case BL_EXPR_SOME_IN:
		return resolve_some_in(resolver, expr, copy);
	case BL_EXPR_EVERY:
		return resolve_every(resolver, expr, copy);
	case BL_EXPR_NOT_BODY:
	case BL_EXPR_LOGICAL:
		return resolve_bodies(resolver, expr, copy);
	}
	return false;
}

/* ---- names that are not declared ---------------------------------------------------------- */

/* Is name declared by a statement of this body itself? */
static bool pattern_declares(const struct bl_rego_term *term,
			     struct bl_str name)
{
	if (term->kind == BL_TERM_VAR)
		return bl_str_equal(term->as.name, name);
	if (term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_OBJECT)
		for (uint32_t i = 0; i < term->count; i++)
			if ((term->kind == BL_TERM_ARRAY || i % 2 == 1) &&
			    pattern_declares(term->as.items[i], name))
				return true;
	return false;
}

static bool body_declares(const struct bl_rego_body *body, struct bl_str name)
{
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];
		uint32_t count = expr->kind == BL_EXPR_SOME ?
					 expr->term_count :
				 expr->kind == BL_EXPR_SOME_IN ?
					 expr->term_count - 1 :
					 0;

		if (is_assignment(expr) &&
		    pattern_declares(expr->terms[0]->as.items[1], name))
			return true;
		for (uint32_t j = 0; j < count; j++)
			if (pattern_declares(expr->terms[j], name))
				return true;
	}
	return false;
}

/*
 * Gives the plain names of a term (not those inside closures) that mean
 * nothing yet a slot of this body.
 */
static void declare_implicit(struct bl_resolver *resolver,
			     const struct bl_rego_body *body,
			     const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
	case BL_TERM_TEMPLATE:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		return;
	case BL_TERM_VAR:
		if (!bl_str_is(term->as.name, "_") &&
		    find_slot(resolver->scope, term->as.name) ==
			    BL_SLOT_NONE &&
		    !is_global(resolver, term->as.name) &&
		    !(body && body_declares(body, term->as.name)))
			declare(resolver, term->as.name);
		return;
	case BL_TERM_REF:
	case BL_TERM_CALL:
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		for (uint32_t i = term->kind == BL_TERM_CALL; i < term->count;
		     i++)
			declare_implicit(resolver, body, term->as.items[i]);
		return;
	}
}

static void declare_implicits(struct bl_resolver *resolver,
			      const struct bl_rego_body *body)
{
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];
		uint32_t from = expr->kind == BL_EXPR_EVERY ?
					expr->term_count - 1 :
					0;

		for (uint32_t j = from; j < expr->term_count; j++)
			declare_implicit(resolver, body, expr->terms[j]);
		for (uint32_t j = 0; j < expr->with_count; j++)
			if (!names_builtin(resolver, expr->withs[j].value))
				declare_implicit(resolver, body,
						 expr->withs[j].value);
	}
}

static struct bl_rego_body *resolve_body(struct bl_resolver *resolver,
					 const struct bl_rego_body *body)
{
	struct bl_rego_body *copy = NEW(resolver, struct bl_rego_body);

	if (!copy)
		return NULL;
	*copy = *body;
	copy->exprs =
		NEW_ARRAY(resolver, struct bl_rego_expr *, body->count);
	if (!copy->exprs)
		return NULL;
	declare_implicits(resolver, body);
	for (size_t i = 0; i < body->count; i++) {
		copy->exprs[i] = make_expr(resolver, body->exprs[i]);
		if (!copy->exprs[i] ||
		    !resolve_statement(resolver, body->exprs[i],
				       copy->exprs[i]) ||
		    !resolve_withs(resolver, body->exprs[i], copy->exprs[i]))
			return NULL;
	}
	return copy;
}

/* ---- rules and queries --------------------------------------------------------------------- */

static struct bl_rego_term **resolve_list(struct bl_resolver *resolver,
					  struct bl_rego_term *const *terms,
					  size_t count)
{
	struct bl_rego_term **copies =
		NEW_ARRAY(resolver, struct bl_rego_term *, count);

	for (size_t i = 0; copies && i < count; i++) {
		copies[i] = resolve(resolver, terms[i]);
		if (!copies[i])
			return NULL;
	}
	return copies;
}

/* One rule of a chain in a scope of its own. */
static struct bl_resolved_rule *
resolve_chain(struct bl_resolver *resolver, const struct bl_rule *rule,
	      const struct bl_rego_rule *syntax)
{
	struct bl_scope scope = { .parent = resolver->scope };
	struct bl_resolved_rule *resolved =
		NEW(resolver, struct bl_resolved_rule);
	const struct bl_rego_term *value =
		syntax->contains ? syntax->contains : syntax->value;
	bool ok = true;

	if (!resolved)
		return NULL;
	resolver->scope = &scope;
	resolved->syntax = syntax;
	if (syntax->body) {
		resolved->body = resolve_body(resolver, syntax->body);
		ok = resolved->body != NULL;
	}
	if (ok && value) {
		resolved->value = resolve(resolver, value);
		ok = resolved->value != NULL;
	}
	if (ok && syntax->name && syntax->name->kind == BL_TERM_REF &&
	    rule->key_from < syntax->name->count) {
		resolved->key_count = syntax->name->count - rule->key_from;
		resolved->keys = resolve_list(
			resolver, syntax->name->as.items + rule->key_from,
			resolved->key_count);
		ok = resolved->keys != NULL;
	}
	resolver->scope = scope.parent;
	if (ok && syntax->else_rule) {
		resolved->else_rule =
			resolve_chain(resolver, rule, syntax->else_rule);
		ok = resolved->else_rule != NULL;
	}
	return ok ? resolved : NULL;
}

/* Every name of an argument pattern is a variable of the rule. */
static void declare_argument(struct bl_resolver *resolver,
			     const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_VAR) {
		if (!bl_str_is(term->as.name, "_") &&
		    !declared_here(resolver->scope, term->as.name))
			declare(resolver, term->as.name);
		return;
	}
	if (term->kind == BL_TERM_ARRAY || term->kind == BL_TERM_SET)
		for (uint32_t i = 0; i < term->count; i++)
			declare_argument(resolver, term->as.items[i]);
	if (term->kind == BL_TERM_OBJECT)
		for (uint32_t i = 1; i < term->count; i += 2)
			declare_argument(resolver, term->as.items[i]);
}

struct bl_resolved_rule *bl_resolve_rule(struct bl_resolver *resolver,
					 const struct bl_rule *rule)
{
	const struct bl_rego_rule *syntax = rule->syntax;
	struct bl_scope scope = { 0 };
	struct bl_rego_term **args;
	struct bl_resolved_rule *resolved;

	resolver->scope = &scope;
	for (size_t i = 0; i < syntax->arg_count; i++)
		declare_argument(resolver, syntax->args[i]);
	args = resolve_list(resolver, syntax->args, syntax->arg_count);
	resolved = args ? resolve_chain(resolver, rule, syntax) : NULL;
	for (struct bl_resolved_rule *at = resolved; at; at = at->else_rule) {
		at->args = args;
		at->arg_count = syntax->arg_count;
	}
	resolver->scope = NULL;
	return resolved;
}

struct bl_rego_body *bl_resolve_query(struct bl_resolver *resolver,
				      const struct bl_rego_body *body,
				      struct bl_str **out_names,
				      int32_t **out_slots, size_t *out_count)
{
	struct bl_scope scope = { 0 };
	struct bl_rego_body *resolved;

	resolver->scope = &scope;
	resolved = resolve_body(resolver, body);
	resolver->scope = NULL;
	*out_names = scope.names;
	*out_slots = scope.slots;
	*out_count = scope.count;
	return resolved;
}

/* ---- asking ---------------------------------------------------------------------------------- */

bool bl_term_is_root(const struct bl_rego_term *term, const char *name)
{
	return term->kind == BL_TERM_VAR && term->slot == BL_SLOT_NONE &&
	       bl_str_is(term->as.name, name);
}

const struct bl_builtin *bl_call_builtin(const struct bl_rego_term *call)
{
	const struct bl_rego_term *callee = call->as.items[0];

	return callee->kind == BL_TERM_VAR ? bl_builtin_find(callee->as.name) :
					     NULL;
}

struct bl_node *bl_call_node(const struct bl_compiler *compiler,
			     const struct bl_rego_term *call)
{
	const struct bl_rego_term *callee = call->as.items[0];
	struct bl_node *node = compiler->root;

	if (callee->kind != BL_TERM_REF ||
	    !bl_term_is_root(callee->as.items[0], "data"))
		return NULL;
	for (uint32_t i = 1; node && i < callee->count; i++)
		node = callee->as.items[i]->kind == BL_TERM_SCALAR ?
			       bl_node_find_child(
				       node, callee->as.items[i]->as.value) :
			       NULL;
	return node && node->kind == BL_RULE_FUNCTION ? node : NULL;
}
