/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and their slots, and new nodes that stand for slots: what resolve.c and
 * resolve_term.c build on.
 */
#include "rego/compiler/resolve/resolve.h"
#include "rego/compiler/parse/print.h"

void *bl_resolve_alloc(struct bl_resolver *resolver, size_t count, size_t size)
{
	void *made = bl_arena_zalloc(resolver->compiler->arena,
				     count ? count : 1, size);

	if (!made)
		resolver->compiler->failed_memory = true;
	return made;
}

/* ---- slots and scopes ----------------------------------------------------------- */

int32_t bl_rego_scope_new_slot(struct bl_resolver *resolver, struct bl_str name)
{
	size_t count = (size_t)resolver->slot_count;
	void *room = bl_arena_room(
		resolver->compiler->arena, resolver->slot_names, count,
		&resolver->slot_cap, sizeof(*resolver->slot_names));

	if (!room) {
		resolver->compiler->failed_memory = true;
		return BL_SLOT_NONE;
	}
	resolver->slot_names = room;
	resolver->slot_names[count] = name;
	return resolver->slot_count++;
}

static void declare_slot(struct bl_resolver *resolver, struct bl_str name,
			 int32_t slot)
{
	struct bl_rego_scope *scope = resolver->scope;

	if (scope->count == scope->cap) {
		size_t cap = scope->cap ? scope->cap * 2 : 8;
		struct bl_str *names = NEW_ARRAY(resolver, struct bl_str, cap);
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

int32_t bl_rego_scope_declare(struct bl_resolver *resolver, struct bl_str name)
{
	const struct bl_rego_scope *scope = resolver->scope;
	int32_t slot;

	for (size_t i = 0; i < scope->early_count; i++)
		if (bl_str_equal(scope->names[i], name))
			return scope->slots[i];
	slot = bl_rego_scope_new_slot(resolver, name);
	declare_slot(resolver, name, slot);
	return slot;
}

void bl_rego_scope_leave_to_closures(struct bl_resolver *resolver,
				     struct bl_str name)
{
	declare_slot(resolver, name, BL_SLOT_OF_CLOSURES);
}

/* The newest declaration that can be seen, or BL_SLOT_NONE. */
int32_t bl_rego_scope_find(const struct bl_rego_scope *scope,
			   struct bl_str name)
{
	for (; scope; scope = scope->parent)
		for (size_t i = scope->count; i > 0; i--)
			if (bl_str_equal(scope->names[i - 1], name))
				return scope->slots[i - 1];
	return BL_SLOT_NONE;
}

bool bl_rego_scope_has(const struct bl_rego_scope *scope, struct bl_str name)
{
	for (size_t i = 0; i < scope->count; i++)
		if (bl_str_equal(scope->names[i], name))
			return true;
	return false;
}

/* ---- global names ----------------------------------------------------------------- */

struct bl_str bl_import_name(const struct bl_rego_import *import)
{
	const struct bl_rego_term *path = import->path;

	if (import->alias.len)
		return import->alias;
	return path->kind == BL_TERM_VAR
		       ? path->as.name
		       : bl_value_text(
				 path->as.items[path->count - 1]->as.value);
}

const struct bl_rego_import *
bl_rego_scope_find_import(const struct bl_rego_module *module,
			  struct bl_str name)
{
	for (size_t i = 0; module && i < module->import_count; i++) {
		const struct bl_rego_import *import = &module->imports[i];
		const struct bl_rego_term *path = import->path;
		struct bl_str head = path->kind == BL_TERM_VAR
					     ? path->as.name
					     : path->as.items[0]->as.name;

		if (!bl_str_is(head, "future") && !bl_str_is(head, "rego") &&
		    bl_str_equal(bl_import_name(import), name))
			return import;
	}
	return NULL;
}

static bool has_rules(const struct bl_node *node)
{
	if (node->kind != BL_RULE_NONE)
		return true;
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		if (!child->is_package && has_rules(child))
			return true;
	return false;
}

struct bl_node *bl_rego_scope_find_rule(const struct bl_resolver *resolver,
					struct bl_str name)
{
	struct bl_node *node =
		resolver->package ? bl_node_find_child(resolver->package,
						       bl_value_string(name))
				  : NULL;

	return node && has_rules(node) ? node : NULL;
}

bool bl_rego_scope_is_root_name(struct bl_str name)
{
	return bl_str_is(name, "data") || bl_str_is(name, "input");
}

const struct bl_rego_import *
bl_rego_scope_import(const struct bl_resolver *resolver, struct bl_str name)
{
	return bl_rego_scope_find_import(
		resolver->module ? resolver->module : resolver->query_scope,
		name);
}

/* A name that is not a local variable but means something. */
bool bl_rego_scope_is_global(const struct bl_resolver *resolver,
			     struct bl_str name)
{
	return bl_rego_scope_is_root_name(name) ||
	       bl_rego_scope_import(resolver, name) ||
	       bl_rego_scope_find_rule(resolver, name);
}

/* ---- making terms ------------------------------------------------------------------ */

struct bl_rego_term *bl_make_term(struct bl_resolver *resolver,
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

struct bl_rego_term *bl_make_var(struct bl_resolver *resolver,
				 struct bl_str name, int32_t slot,
				 struct bl_rego_range range)
{
	struct bl_rego_term *term = bl_make_term(resolver, BL_TERM_VAR, range);

	if (term) {
		term->as.name = name;
		term->slot = slot;
		if (slot == BL_SLOT_NONE)
			term->builtin = bl_callables_builtin(
				resolver->compiler->callables, name);
	}
	return term;
}

struct bl_rego_term *bl_make_callee(struct bl_resolver *resolver,
				    const char *name,
				    struct bl_rego_range range)
{
	struct bl_rego_term *term =
		bl_make_var(resolver, bl_str(name), BL_SLOT_NONE, range);

	if (term)
		term->builtin = bl_builtin_find(bl_str(name));
	return term;
}

struct bl_rego_term *bl_make_scalar(struct bl_resolver *resolver,
				    struct bl_value value,
				    struct bl_rego_range range)
{
	struct bl_rego_term *term =
		bl_make_term(resolver, BL_TERM_SCALAR, range);

	if (term)
		term->as.value = value;
	return term;
}

/* data.a.b of a node. */
struct bl_rego_term *bl_make_node_ref(struct bl_resolver *resolver,
				      const struct bl_node *node,
				      struct bl_rego_range range)
{
	struct bl_rego_term *term = bl_make_term(resolver, BL_TERM_REF, range);
	uint32_t depth = 0;

	for (const struct bl_node *at = node; at->parent; at = at->parent)
		depth++;
	if (!term)
		return NULL;
	term->count = depth + 1;
	term->as.items = NEW_ARRAY(resolver, struct bl_rego_term *, depth + 1);
	if (!term->as.items)
		return NULL;
	for (const struct bl_node *at = node; at->parent; at = at->parent)
		term->as.items[depth--] =
			bl_make_scalar(resolver, at->key, range);
	term->as.items[0] =
		bl_make_var(resolver, BL_STR("data"), BL_SLOT_NONE, range);
	return term;
}

bool bl_module_has_block_not(const struct bl_rego_module *module)
{
	return module && bl_rego_not_takes_blocks(module);
}

struct bl_rego_term *bl_make_blank(struct bl_resolver *resolver,
				   struct bl_rego_range range)
{
	return bl_make_var(resolver, BL_STR("_"),
			   bl_rego_scope_new_slot(resolver, BL_STR("_")),
			   range);
}

struct bl_rego_term *bl_make_operator(struct bl_resolver *resolver,
				      const char *name, struct bl_rego_term *a,
				      struct bl_rego_term *b)
{
	struct bl_rego_term *call =
		a && b ? bl_make_term(resolver, BL_TERM_CALL, b->range) : NULL;

	if (!call)
		return NULL;
	call->infix = true;
	call->count = 3;
	call->as.items = NEW_ARRAY(resolver, struct bl_rego_term *, 3);
	if (!call->as.items)
		return NULL;
	call->as.items[0] = bl_make_callee(resolver, name, b->range);
	call->as.items[1] = a;
	call->as.items[2] = b;
	return call->as.items[0] ? call : NULL;
}

struct bl_rego_expr *bl_make_statement(struct bl_resolver *resolver,
				       const char *name, struct bl_rego_term *a,
				       struct bl_rego_term *b)
{
	struct bl_rego_term *call = bl_make_operator(resolver, name, a, b);
	struct bl_rego_expr *expr =
		call ? NEW(resolver, struct bl_rego_expr) : NULL;

	if (!expr)
		return NULL;
	expr->kind = BL_EXPR_TERM;
	expr->range = call->range;
	expr->term_count = 1;
	expr->terms = NEW_ARRAY(resolver, struct bl_rego_term *, 1);
	if (!expr->terms)
		return NULL;
	expr->terms[0] = call;
	return expr;
}

void bl_statements_add(struct bl_resolver *resolver,
		       struct bl_statements *statements,
		       struct bl_rego_expr *expr)
{
	struct bl_rego_expr **room =
		expr ? bl_arena_room(resolver->compiler->arena,
				     statements->exprs, statements->count,
				     &statements->cap, sizeof(*room))
		     : NULL;

	if (!room) {
		resolver->compiler->failed_memory = true;
		return;
	}
	statements->exprs = room;
	room[statements->count++] = expr;
}
