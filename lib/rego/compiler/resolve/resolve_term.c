/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terms: names to slots, rules, imports and builtins (docs/contracts/rego.md
 * "Names").
 */
#include "rego/compiler/resolve/resolve.h"

/* A name that is not a local variable, as a term; NULL when it means nothing. */
static struct bl_rego_term *resolve_global(struct bl_resolver *resolver,
					   const struct bl_rego_term *name)
{
	const struct bl_rego_import *import =
		bl_rego_scope_import(resolver, name->as.name);
	struct bl_node *node;
	struct bl_rego_term *copy;

	if (import) {
		const struct bl_rego_term *path = import->path;

		copy = bl_make_term(resolver,
				    (enum bl_rego_term_kind)path->kind,
				    name->range);
		if (!copy)
			return NULL;
		if (path->kind == BL_TERM_VAR) {
			copy->as.name = path->as.name;
			return copy;
		}
		copy->count = path->count;
		copy->as.items =
			NEW_ARRAY(resolver, struct bl_rego_term *, path->count);
		if (!copy->as.items)
			return NULL;
		memcpy(copy->as.items, path->as.items,
		       path->count * sizeof(*path->as.items));
		copy->as.items[0] =
			bl_make_var(resolver, path->as.items[0]->as.name,
				    BL_SLOT_NONE, name->range);
		return copy;
	}
	node = bl_rego_scope_find_rule(resolver, name->as.name);
	if (node)
		return bl_make_node_ref(resolver, node, name->range);
	if (bl_rego_scope_is_root_name(name->as.name))
		return bl_make_var(resolver, name->as.name, BL_SLOT_NONE,
				   name->range);
	return NULL;
}

static struct bl_rego_term *resolve_var(struct bl_resolver *resolver,
					const struct bl_rego_term *term)
{
	int32_t slot;
	struct bl_rego_term *global;

	if (bl_str_is(term->as.name, "_"))
		return bl_make_var(
			resolver, term->as.name,
			bl_rego_scope_new_slot(resolver, term->as.name),
			term->range);
	slot = bl_rego_scope_find(resolver->scope, term->as.name);
	if (slot == BL_SLOT_NONE) {
		global = resolve_global(resolver, term);
		if (global)
			return global;
		slot = bl_rego_scope_declare(resolver, term->as.name);
	}
	if (slot == BL_SLOT_OF_CLOSURES)
		slot = bl_rego_scope_declare(resolver, term->as.name);
	return bl_make_var(resolver, term->as.name, slot, term->range);
}

/* ---- references and calls ------------------------------------------------------------ */

/* head (resolved; a REF is spliced) with the parts of term from 1 on. */
static struct bl_rego_term *join_ref(struct bl_resolver *resolver,
				     struct bl_rego_term *head,
				     const struct bl_rego_term *term)
{
	uint32_t head_count = head->kind == BL_TERM_REF ? head->count : 1;
	struct bl_rego_term *ref =
		bl_make_term(resolver, BL_TERM_REF, term->range);

	if (!ref)
		return NULL;
	ref->count = head_count + term->count - 1;
	ref->as.items = NEW_ARRAY(resolver, struct bl_rego_term *, ref->count);
	if (!ref->as.items)
		return NULL;
	if (head->kind == BL_TERM_REF)
		memcpy(ref->as.items, head->as.items,
		       head_count * sizeof(*head->as.items));
	else
		ref->as.items[0] = head;
	for (uint32_t i = 1; i < term->count; i++) {
		ref->as.items[head_count + i - 1] =
			bl_resolve_term(resolver, term->as.items[i]);
		if (!ref->as.items[head_count + i - 1])
			return NULL;
	}
	return ref;
}

static struct bl_rego_term *resolve_ref(struct bl_resolver *resolver,
					const struct bl_rego_term *term)
{
	struct bl_rego_term *head =
		bl_resolve_term(resolver, term->as.items[0]);

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
	if (term->kind != BL_TERM_REF || term->as.items[0]->kind != BL_TERM_VAR)
		return text;
	bl_buf_init(&name, 0);
	bl_buf_put_str(&name, term->as.items[0]->as.name);
	for (uint32_t i = 1; i < term->count; i++) {
		const struct bl_rego_term *part = term->as.items[i];
		struct bl_str key;

		if (part->kind != BL_TERM_SCALAR ||
		    !bl_value_is(part->as.value, BL_KIND_STRING)) {
			bl_buf_clear(&name);
			return text;
		}
		key = bl_value_text(part->as.value);
		bl_buf_printf(&name, ".%.*s", BL_STR_ARG(key));
	}
	text = bl_arena_copy_str(resolver->compiler->arena, bl_buf_str(&name));
	bl_buf_clear(&name);
	return text;
}

/*
 * The function that a call or a "with" names: a VAR with the builtin's full
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
		return bl_resolve_term(resolver, term);
	shadowed = term->kind == BL_TERM_VAR &&
		   (bl_rego_scope_import(resolver, name) ||
		    bl_rego_scope_find_rule(resolver, name));
	if (!shadowed &&
	    bl_callables_builtin(resolver->compiler->callables, name))
		return bl_make_var(resolver, name, BL_SLOT_NONE, term->range);
	if (bl_rego_scope_is_global(resolver, head->as.name) &&
	    bl_rego_scope_find(resolver->scope, head->as.name) == BL_SLOT_NONE)
		return bl_resolve_term(resolver, term);
	return bl_make_var(resolver, name, BL_SLOT_NONE, term->range);
}

/*
 * Members in the order of their keys, where these are constants: patterns on
 * both sides of "=" have them at the same places then.
 */
static void sort_members(struct bl_rego_term *object)
{
	struct bl_rego_term **items = object->as.items;

	for (uint32_t i = 0; i < object->count; i += 2)
		if (items[i]->kind != BL_TERM_SCALAR)
			return;
	for (uint32_t i = 2; i < object->count; i += 2) {
		struct bl_rego_term *key = items[i];
		struct bl_rego_term *value = items[i + 1];
		uint32_t at = i;

		for (; at > 0 && bl_value_compare(items[at - 2]->as.value,
						  key->as.value) > 0;
		     at -= 2) {
			items[at] = items[at - 2];
			items[at + 1] = items[at - 1];
		}
		items[at] = key;
		items[at + 1] = value;
	}
}

static struct bl_rego_term *copy_items(struct bl_resolver *resolver,
				       const struct bl_rego_term *term,
				       uint32_t from)
{
	struct bl_rego_term *copy = bl_make_term(
		resolver, (enum bl_rego_term_kind)term->kind, term->range);

	if (!copy)
		return NULL;
	copy->infix = term->infix;
	copy->count = term->count;
	copy->as.items =
		NEW_ARRAY(resolver, struct bl_rego_term *, term->count);
	for (uint32_t i = from; copy->as.items && i < term->count; i++) {
		copy->as.items[i] =
			bl_resolve_term(resolver, term->as.items[i]);
		if (!copy->as.items[i])
			return NULL;
	}
	if (copy->as.items && copy->kind == BL_TERM_OBJECT)
		sort_members(copy);
	return copy->as.items ? copy : NULL;
}

/* Is there a function of that name?  If not, says so, of each such call. */
static void check_function(struct bl_resolver *resolver,
			   const struct bl_rego_term *call)
{
	const struct bl_rego_term *callee = call->as.items[0];
	struct bl_str text;

	if (bl_call_builtin(call) || bl_call_node(resolver->compiler, call))
		return;
	resolver->calls_nothing = true;
	text = dotted_name(resolver, callee);
	if (!text.ptr)
		text = bl_str_slice(resolver->module
					    ? resolver->module->text
					    : resolver->compiler->query.text,
				    callee->range.from, callee->range.to);
	bl_compiler_error(resolver->compiler, resolver->module,
			  call->range.from, BL_FINDING_FUNCTION,
			  "undefined function %.*s", BL_STR_ARG(text));
}

/* The builtin of an operator; "=" is the language's own. */
static struct bl_rego_term *resolve_operator(struct bl_resolver *resolver,
					     const struct bl_rego_term *term)
{
	struct bl_str name = term->as.items[0]->as.name;

	return bl_str_is(name, "eq")
		       ? bl_make_callee(resolver, "eq", term->range)
		       : bl_make_var(resolver, name, BL_SLOT_NONE, term->range);
}

static struct bl_rego_term *resolve_call(struct bl_resolver *resolver,
					 const struct bl_rego_term *term)
{
	struct bl_rego_term *copy = copy_items(resolver, term, 1);

	if (!copy)
		return NULL;
	copy->as.items[0] =
		term->infix ? resolve_operator(resolver, term)
			    : resolve_function(resolver, term->as.items[0]);
	/* A path to a rule may have come to nothing halfway. */
	if (!copy->as.items[0] || resolver->compiler->failed_memory)
		return NULL;
	check_function(resolver, copy);
	return copy;
}

/* ---- comprehensions and templates ------------------------------------------------------ */

/* The slots made since slot_from belong to this closure. */
void bl_resolve_own_slots(const struct bl_resolver *resolver,
			  struct bl_rego_body *body, int32_t slot_from)
{
	body->slot_from = slot_from;
	body->slot_to = resolver->slot_count;
}

static struct bl_rego_term *
resolve_comprehension(struct bl_resolver *resolver,
		      const struct bl_rego_term *term)
{
	struct bl_rego_scope scope = { .parent = resolver->scope };
	int32_t slot_from = resolver->slot_count;
	struct bl_rego_term *copy;
	struct bl_rego_body *body;

	resolver->scope = &scope;
	resolver->next.heads = term->as.items;
	resolver->next.head_count = term->count;
	body = bl_resolve_body(resolver, term->body);
	copy = body ? copy_items(resolver, term, 0) : NULL;
	if (copy) {
		copy->body = body;
		bl_resolve_heads_first(resolver,
				       &(struct bl_head_terms){ copy->as.items,
								copy->count,
								NULL },
				       &copy->body, slot_from);
		for (uint32_t i = 0; i < copy->count; i++)
			if (!resolver->compiler->options.observe)
				bl_resolve_head_calls_first(resolver,
							    &copy->as.items[i],
							    &copy->body);
		bl_resolve_own_slots(resolver, body, slot_from);
	}
	resolver->scope = scope.parent;
	return copy;
}

struct bl_rego_expr *bl_make_expr(struct bl_resolver *resolver,
				  const struct bl_rego_expr *like)
{
	struct bl_rego_expr *expr = NEW(resolver, struct bl_rego_expr);

	if (!expr)
		return NULL;
	*expr = *like;
	expr->terms =
		NEW_ARRAY(resolver, struct bl_rego_term *, like->term_count);
	expr->bodies =
		NEW_ARRAY(resolver, struct bl_rego_body *, like->body_count);
	expr->withs =
		NEW_ARRAY(resolver, struct bl_rego_with, like->with_count);
	return expr->terms && expr->bodies && expr->withs ? expr : NULL;
}

/* Does a value of "with" name a builtin, which then replaces a function? */
bool bl_resolve_names_builtin(struct bl_resolver *resolver,
			      const struct bl_rego_term *term)
{
	struct bl_str name = dotted_name(resolver, term);
	struct bl_str head;

	if (!name.ptr ||
	    !bl_callables_builtin(resolver->compiler->callables, name))
		return false;
	head = term->kind == BL_TERM_VAR ? name : term->as.items[0]->as.name;
	return bl_rego_scope_find(resolver->scope, head) == BL_SLOT_NONE &&
	       !bl_rego_scope_is_global(resolver, head);
}

bool bl_resolve_withs(struct bl_resolver *resolver,
		      const struct bl_rego_expr *expr,
		      struct bl_rego_expr *copy)
{
	for (uint32_t i = 0; i < expr->with_count; i++) {
		copy->withs[i].target =
			resolve_function(resolver, expr->withs[i].target);
		copy->withs[i].value =
			bl_resolve_names_builtin(resolver, expr->withs[i].value)
				? resolve_function(resolver,
						   expr->withs[i].value)
				: bl_resolve_term(resolver,
						  expr->withs[i].value);
		if (!copy->withs[i].target || !copy->withs[i].value)
			return false;
	}
	return true;
}

/*
 * A part of a template has one value: its names are those of the body around
 * it (own: the slots from there on are not), and no relation is called.
 */
static void check_hole(struct bl_resolver *resolver,
		       const struct bl_rego_term *term, uint32_t offset,
		       int32_t own)
{
	bool composite = term->kind >= BL_TERM_REF &&
			 term->kind < BL_TERM_ARRAY_COMPREHENSION;

	if (term->kind == BL_TERM_VAR && term->slot >= own)
		bl_compiler_error(resolver->compiler, resolver->module, offset,
				  BL_FINDING_CALL, "var %.*s is undeclared",
				  BL_STR_ARG(term->as.name));
	for (uint32_t i = 0; composite && i < term->count; i++)
		check_hole(resolver, term->as.items[i], offset, own);
}

static void check_hole_call(struct bl_resolver *resolver,
			    const struct bl_rego_term *term)
{
	const struct bl_builtin *builtin =
		term->kind == BL_TERM_CALL ? bl_call_builtin(term) : NULL;

	if (builtin && builtin->flags & BL_BUILTIN_RELATION)
		bl_compiler_error(
			resolver->compiler, resolver->module, term->range.from,
			BL_FINDING_CALL,
			"illegal call to relation built-in '%s' that may cause "
			"multiple outputs",
			builtin->name);
}

/* {v | v = hole}: a part of a template that may be undefined. */
static struct bl_rego_term *template_part(struct bl_resolver *resolver,
					  const struct bl_rego_expr *hole)
{
	/* One of OPA's own: when it is unsafe something else is, too. */
	struct bl_str name = BL_STR("__local__");
	struct bl_rego_range range = hole->range;
	int32_t slot_from = resolver->slot_count;
	int32_t slot = bl_rego_scope_new_slot(resolver, name);
	struct bl_rego_term *part =
		bl_make_term(resolver, BL_TERM_SET_COMPREHENSION, range);
	struct bl_rego_expr *expr = bl_make_expr(resolver, hole);
	struct bl_rego_body *body = NEW(resolver, struct bl_rego_body);
	struct bl_rego_term *value;

	if (!part || !expr || !body)
		return NULL;
	part->as.items = NEW_ARRAY(resolver, struct bl_rego_term *, 1);
	body->exprs = NEW_ARRAY(resolver, struct bl_rego_expr *, 1);
	if (!part->as.items || !body->exprs)
		return NULL;
	value = bl_resolve_term(resolver, hole->terms[0]);
	part->count = 1;
	part->as.items[0] = bl_make_var(resolver, name, slot, range);
	part->body = body;
	body->count = 1;
	body->exprs[0] = expr;
	expr->terms[0] = bl_make_operator(
		resolver, "eq", bl_make_var(resolver, name, slot, range),
		value);
	if (!expr->terms[0])
		return NULL;
	/* A reference that is just a name is unsafe if it is nobody's. */
	if (value->kind != BL_TERM_VAR)
		check_hole(resolver, value, value->range.from, slot + 1);
	check_hole_call(resolver, value);
	if (!bl_resolve_withs(resolver, hole, expr))
		return NULL;
	bl_resolve_own_slots(resolver, body, slot_from);
	return part;
}

static struct bl_rego_term *resolve_template(struct bl_resolver *resolver,
					     const struct bl_rego_term *term)
{
	struct bl_rego_term *call =
		bl_make_term(resolver, BL_TERM_CALL, term->range);
	struct bl_rego_term *parts =
		bl_make_term(resolver, BL_TERM_ARRAY, term->range);

	if (!call || !parts)
		return NULL;
	if (!bl_callables_has_templates(resolver->compiler->callables))
		bl_compiler_error(resolver->compiler, resolver->module,
				  term->range.from, BL_FINDING_SYNTAX,
				  "template strings are not supported by "
				  "current capabilities");
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
			constant ? bl_resolve_term(resolver, part->terms[0])
				 : template_part(resolver, part);
		if (!parts->as.items[i])
			return NULL;
	}
	call->as.items[0] = bl_make_callee(resolver, "internal.template_string",
					   term->range);
	call->as.items[1] = parts;
	return call;
}

struct bl_rego_term *bl_resolve_term(struct bl_resolver *resolver,
				     const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		return bl_make_scalar(resolver, term->as.value, term->range);
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

/* ---- asking ---------------------------------------------------------------------------------- */

bool bl_term_is_root(const struct bl_rego_term *term, const char *name)
{
	return term->kind == BL_TERM_VAR && term->slot == BL_SLOT_NONE &&
	       bl_str_is(term->as.name, name);
}

const struct bl_builtin *bl_call_builtin(const struct bl_rego_term *call)
{
	const struct bl_rego_term *callee = call->as.items[0];

	return callee->kind == BL_TERM_VAR ? callee->builtin : NULL;
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
		node = callee->as.items[i]->kind == BL_TERM_SCALAR
			       ? bl_node_find_child(
					 node, callee->as.items[i]->as.value)
			       : NULL;
	return node && node->kind == BL_RULE_FUNCTION ? node : NULL;
}
