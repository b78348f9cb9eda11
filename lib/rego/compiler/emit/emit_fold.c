/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values known while compiling: plain builtins of constants, and rules that
 * are a constant.  "with" may replace functions and documents, and base data may
 * stand where a rule does, so the code that finds the value out is made, too:
 * LOAD_UNLESS_REPLACED skips it unless one of these is the case.
 */
#include "rego/builtins/functions.h"
#include "rego/compiler/emit/private.h"

enum {
	DEPTH_MAX = 32,
	OPERANDS_MAX_BYTES = 4096, /* of one call, about */
	SCRATCH_MAX_BYTES = 256 * 1024,
};

static bool fold(struct bl_emitter *e, const struct bl_rego_term *term,
		 unsigned depth, struct bl_value *out_value);

static bool fold_items(struct bl_emitter *e, struct bl_rego_term *const *terms,
		       size_t count, unsigned depth,
		       struct bl_value **out_items)
{
	struct bl_value *items = bl_arena_new_array(e->builder->compiler->arena,
						    struct bl_value, count + 1);

	for (size_t i = 0; items && i < count; i++)
		if (!fold(e, terms[i], depth, &items[i]))
			return false;
	*out_items = items;
	return items != NULL;
}

/* ---- rules ----------------------------------------------------------------- */

/* The rule that alone decides what the node is, without a condition. */
static const struct bl_rego_rule *only_rule(const struct bl_node *node)
{
	const struct bl_rego_rule *rule = node->default_rule;

	if (node->kind != BL_RULE_COMPLETE || node->first_child)
		return NULL;
	if (node->rules)
		rule = node->rules->next ? NULL : node->rules->syntax;
	return rule && !rule->body && !rule->else_rule && !rule->chained ? rule
									 : NULL;
}

bool bl_fold_node(struct bl_emitter *e, const struct bl_node *node,
		  struct bl_value *out_value)
{
	const struct bl_rego_rule *rule = only_rule(node);

	if (e->unfolded || bl_emit_observes(e) || !rule || !rule->value ||
	    !bl_term_is_constant(rule->value))
		return false;
	*out_value = bl_emit_make_constant(e, rule->value);
	return bl_value_is_defined(*out_value);
}

uint32_t bl_fold_parts(struct bl_emitter *e, const struct bl_rego_term *ref,
		       struct bl_value *out_value)
{
	const struct bl_node *node = e->builder->compiler->root;

	if (!bl_term_is_root(ref->as.items[0], "data"))
		return 0;
	for (uint32_t i = 1; i < ref->count; i++) {
		if (ref->as.items[i]->kind != BL_TERM_SCALAR)
			return 0;
		node = bl_node_find_child(node, ref->as.items[i]->as.value);
		if (!node)
			return 0;
		if (bl_fold_node(e, node, out_value))
			return i + 1;
	}
	return 0;
}

/* data.a.b.c, where data.a.b may be the rule. */
static bool fold_ref(struct bl_emitter *e, const struct bl_rego_term *ref,
		     struct bl_value *out_value)
{
	uint32_t from = bl_fold_parts(e, ref, out_value);

	for (uint32_t i = from; from && i < ref->count; i++) {
		if (ref->as.items[i]->kind != BL_TERM_SCALAR ||
		    bl_value_kind(*out_value) < BL_KIND_ARRAY)
			return false;
		*out_value = bl_builtin_child(*out_value,
					      ref->as.items[i]->as.value);
	}
	return from && bl_value_is_defined(*out_value);
}

/* ---- calls ------------------------------------------------------------------ */

/* Gives it the same value at any time, quickly, and nothing else? */
static bool is_pure(const struct bl_builtin *builtin)
{
	return builtin && builtin->function &&
	       !(builtin->flags &
		 (BL_BUILTIN_NONDETERMINISTIC | BL_BUILTIN_RELATION |
		  BL_BUILTIN_VOID | BL_BUILTIN_EXTERNAL | BL_BUILTIN_NETWORK |
		  BL_BUILTIN_FOREIGN)) &&
	       !bl_builtin_pattern_operands(builtin);
}

/* About how large it is, so that products of operands stay small. */
static size_t size_of(struct bl_value value)
{
	size_t size = sizeof(value) + value.len;
	size_t count = bl_value_count(value);

	for (size_t i = 0; i < count && size < OPERANDS_MAX_BYTES; i++) {
		if (bl_value_is(value, BL_KIND_OBJECT))
			size += size_of(bl_object_key(value, i)) +
				size_of(bl_object_value(value, i));
		else
			size += size_of(bl_value_item(value, i));
	}
	return size;
}

static bool run(const struct bl_builtin *builtin, const struct bl_value *args,
		struct bl_arena *arena, struct bl_value *out_value)
{
	struct bl_builtin_state state = { .quiet = true };
	struct bl_builtin_call call = { .arena = arena,
					.state = &state,
					.args = args,
					.arg_count = builtin->arity };

	if (!bl_builtin_run(builtin, NULL, &call))
		return false;
	*out_value = call.result;
	return bl_value_is_defined(call.result);
}

/* A call that fails is left to the evaluation: it may be an error there. */
static bool fold_call(struct bl_emitter *e, const struct bl_rego_term *call,
		      unsigned depth, struct bl_value *out_value)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	struct bl_value *args = NULL;
	struct bl_arena scratch;
	size_t size = 0;
	bool ok;

	if (!is_pure(builtin) || call->count != builtin->arity + 1u ||
	    !fold_items(e, call->as.items + 1, builtin->arity, depth, &args))
		return false;
	for (size_t i = 0; i < builtin->arity; i++)
		size += size_of(args[i]);
	if (size > OPERANDS_MAX_BYTES)
		return false;
	/* Values up to this size are worth keeping. */
	bl_arena_init(&scratch, NULL, 0, SCRATCH_MAX_BYTES);
	ok = run(builtin, args, &scratch, out_value);
	bl_arena_clear(&scratch);
	return ok && run(builtin, args, e->builder->compiler->arena, out_value);
}

/* ---- terms ------------------------------------------------------------------ */

static bool fold_collection(struct bl_emitter *e,
			    const struct bl_rego_term *term, unsigned depth,
			    struct bl_value *out_value)
{
	struct bl_arena *arena = e->builder->compiler->arena;
	struct bl_value *items = NULL;

	if (!fold_items(e, term->as.items, term->count, depth, &items))
		return false;
	if (term->kind == BL_TERM_ARRAY)
		*out_value = bl_array_make(arena, items, term->count);
	else if (term->kind == BL_TERM_SET)
		*out_value = bl_set_make(arena, items, term->count);
	else
		*out_value = bl_object_make(
			arena, (const struct bl_member *)(const void *)items,
			term->count / 2, NULL);
	return bl_value_is_defined(*out_value);
}

static bool fold(struct bl_emitter *e, const struct bl_rego_term *term,
		 unsigned depth, struct bl_value *out_value)
{
	if (bl_term_is_constant(term)) {
		*out_value = bl_emit_make_constant(e, term);
		return bl_value_is_defined(*out_value);
	}
	if (depth >= DEPTH_MAX)
		return false;
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_REF:
		return fold_ref(e, term, out_value);
	case BL_TERM_CALL:
		return fold_call(e, term, depth + 1, out_value);
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		return fold_collection(e, term, depth + 1, out_value);
	case BL_TERM_SCALAR:
	case BL_TERM_TEMPLATE:
	case BL_TERM_VAR:
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		break;
	}
	return false;
}

/* Is every leaf a constant or a part of data?  Else nothing is tried. */
static bool can_fold(const struct bl_rego_term *term, unsigned depth)
{
	if (term->kind == BL_TERM_SCALAR)
		return true;
	if (depth >= DEPTH_MAX)
		return false;
	if (term->kind == BL_TERM_REF)
		return bl_term_is_root(term->as.items[0], "data");
	if (term->kind != BL_TERM_CALL && term->kind != BL_TERM_ARRAY &&
	    term->kind != BL_TERM_SET && term->kind != BL_TERM_OBJECT)
		return false;
	if (term->kind == BL_TERM_CALL && !is_pure(bl_call_builtin(term)))
		return false;
	for (uint32_t i = term->kind == BL_TERM_CALL; i < term->count; i++)
		if (!can_fold(term->as.items[i], depth + 1))
			return false;
	return true;
}

bool bl_fold(struct bl_emitter *e, const struct bl_rego_term *term,
	     struct bl_value *out_value)
{
	if (bl_term_is_constant(term)) {
		*out_value = bl_emit_make_constant(e, term);
		return bl_value_is_defined(*out_value);
	}
	return !e->unfolded && !bl_emit_observes(e) && can_fold(term, 0) &&
	       fold(e, term, 0, out_value);
}

struct bl_fold_block bl_fold_begin(struct bl_emitter *e, struct bl_value value)
{
	struct bl_fold_block block = { .result = bl_emit_registers(e, 1),
				       .end = bl_emit_new_label(e),
				       .known_count = e->known_count };

	EMIT(e, LOAD_UNLESS_REPLACED, .a = block.result,
	     .n = bl_emit_constant(e, value), .j = block.end);
	e->unfolded = true;
	return block;
}

bl_register bl_fold_end(struct bl_emitter *e, struct bl_fold_block block,
			bl_register value)
{
	e->unfolded = false;
	e->known_count = block.known_count;
	bl_emit_move(e, block.result, value);
	bl_emit_place_label(e, block.end);
	return block.result;
}
