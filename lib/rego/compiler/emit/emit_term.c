/* SPDX-License-Identifier: Apache-2.0 */
/* Code for terms: values, references, calls, collections, patterns. */
#include "rego/compiler/emit/private.h"

bool bl_emit_is_ready(struct bl_emitter *e, const struct bl_rego_term *term)
{
	return bl_bound_makes_ready(e->resolver, &e->bound, term);
}

/* Is it a variable that has no value yet? */
static bool is_free(const struct bl_emitter *e, const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_VAR &&
	       !bl_bound_has(&e->bound, term->slot);
}

/* ---- references ------------------------------------------------------------------------- */

/* May it name one thing in base data, and another in other values? */
static bool is_base_key(const struct bl_rego_term *part)
{
	struct bl_str text = part->kind == BL_TERM_SCALAR
				     ? bl_value_text(part->as.value)
				     : (struct bl_str){ 0 };

	return !text.len || (*text.ptr >= '0' && *text.ptr <= '9');
}

/*
 * Parts from i on of a reference, of the value in a register; is_base: it is
 * of base data.
 */
static bl_register emit_parts(struct bl_emitter *e, bl_register value,
			      const struct bl_rego_term *ref, uint32_t i,
			      bool is_base)
{
	for (; i < ref->count && !e->failed; i++) {
		const struct bl_rego_term *part = ref->as.items[i];
		bl_register result;

		if (part->kind == BL_TERM_SCALAR &&
		    !(is_base && is_base_key(part))) {
			result = bl_emit_part(e, value, part->as.value);
		} else if (bl_emit_is_ready(e, part)) {
			bl_register key = bl_emit_value(e, part);

			result = bl_emit_registers(e, 1);
			bl_emit(e, is_base ? BL_OP_INDEX_BASE : BL_OP_INDEX,
				(struct bl_insn){ .a = result,
						  .b = value,
						  .c = key,
						  .j = e->fail });
		} else {
			struct bl_emit_round round =
				bl_emit_ref_loop(e, value, ref, i);

			result = round.value;
			bl_emit_match(e, part, round.key);
		}
		value = result;
	}
	return value;
}

/* Does a node give a value of its own (and not only through children)? */
static bool is_document(const struct bl_node *node)
{
	return node->kind == BL_RULE_COMPLETE || node->kind == BL_RULE_PARTIAL;
}

/*
 * Can the parts from..to behind node lead to a package, or a step on the way to
 * one?  A part that is not constant may be any key.
 */
static bool leads_to_package(const struct bl_node *node,
			     const struct bl_rego_term *ref, uint32_t from,
			     uint32_t to)
{
	const struct bl_rego_term *part = ref->as.items[from];
	const struct bl_node *child;

	if (is_document(node))
		return false;
	if (from == to)
		return node->first_child != NULL;
	if (part->kind == BL_TERM_SCALAR) {
		child = bl_node_find_child(node, part->as.value);
		return child && leads_to_package(child, ref, from + 1, to);
	}
	for (child = node->first_child; child; child = child->next_sibling)
		if (leads_to_package(child, ref, from + 1, to))
			return true;
	return false;
}

/* A document that is looked up: what of a reference leads to it. */
struct document {
	const struct bl_node *node;
	const struct bl_rego_term *ref;
	bl_register keys; /* the values of parts from..to */
	uint32_t from;
	uint32_t to;
};

/* Further parts that are known. */
static void take_ready(struct bl_emitter *e, struct document *doc)
{
	const struct bl_rego_term *ref = doc->ref;

	for (; doc->to < ref->count &&
	       bl_emit_is_ready(e, ref->as.items[doc->to]);
	     doc->to++)
		bl_emit_move(e, (bl_register)(doc->keys + doc->to - doc->from),
			     bl_emit_value(e, ref->as.items[doc->to]));
}

/*
 * data.packages[name].deny: the names are gone through without finding out
 * what else the packages have.  A part behind the name is what makes it worth it.
 */
static void emit_names(struct bl_emitter *e, struct document *doc)
{
	const struct bl_rego_term *ref = doc->ref;
	struct bl_emit_round round;
	bl_register names;

	while (doc->to + 1 < ref->count && !e->failed &&
	       leads_to_package(doc->node, ref, doc->from, doc->to)) {
		names = bl_emit_registers(e, 1);
		EMIT(e, LOAD_DOCUMENT_KEYS, .a = names, .b = doc->keys,
		     .c = (uint16_t)(doc->to - doc->from),
		     .n = doc->node->index, .j = e->fail);
		round = bl_emit_loop(e, names);
		bl_emit_match(e, ref->as.items[doc->to], round.key);
		bl_emit_move(e, (bl_register)(doc->keys + doc->to - doc->from),
			     round.value);
		doc->to++;
		take_ready(e, doc);
	}
}

/*
 * data...: down the tree of documents as far as constants lead; from there the
 * machine looks up the keys that are known.
 */
static bl_register emit_data_ref(struct bl_emitter *e,
				 const struct bl_rego_term *ref)
{
	const struct bl_node *node = e->builder->compiler->root;
	struct document doc = { .ref = ref, .from = 1 };
	struct bl_fold_block block;
	struct bl_value value;
	bl_register result;
	bool is_base = false;
	bool folded;

	while (doc.from < ref->count && !is_document(node) &&
	       ref->as.items[doc.from]->kind == BL_TERM_SCALAR) {
		const struct bl_node *child = bl_node_find_child(
			node, ref->as.items[doc.from]->as.value);

		is_base = !child;
		if (is_base)
			break;
		node = child;
		doc.from++;
	}
	doc.node = node;
	doc.to = doc.from;
	folded = bl_fold_node(e, node, &value);
	if (folded)
		block = bl_fold_begin(e, value);
	doc.keys = bl_emit_registers(e, ref->count - doc.from);
	if (!folded && (!is_document(node) || node->first_child)) {
		take_ready(e, &doc);
		emit_names(e, &doc);
	}
	result = bl_emit_registers(e, 1);
	EMIT(e, LOAD_DOCUMENT, .a = result, .b = doc.keys,
	     .c = (uint16_t)(doc.to - doc.from), .n = node->index,
	     .j = e->fail);
	if (folded)
		result = bl_fold_end(e, block, result);
	return emit_parts(e, result, ref, doc.to, is_base);
}

static bl_register emit_ref(struct bl_emitter *e,
			    const struct bl_rego_term *ref)
{
	if (bl_term_is_root(ref->as.items[0], "data"))
		return emit_data_ref(e, ref);
	if (bl_term_is_root(ref->as.items[0], "input") && ref->count > 1 &&
	    ref->as.items[1]->kind == BL_TERM_SCALAR)
		return emit_parts(e,
				  bl_emit_part(e, BL_NO_REGISTER,
					       ref->as.items[1]->as.value),
				  ref, 2, false);
	return emit_parts(e, bl_emit_value(e, ref->as.items[0]), ref, 1, false);
}

static bl_register emit_var(struct bl_emitter *e,
			    const struct bl_rego_term *var)
{
	bl_register result;

	if (var->slot != BL_SLOT_NONE)
		return bl_emit_slot(e, var->slot);
	if (bl_str_is(var->as.name, "input"))
		return bl_emit_part(e, BL_NO_REGISTER, bl_value_undefined());
	result = bl_emit_registers(e, 1);
	EMIT(e, LOAD_DOCUMENT, .a = result, .n = 0, .j = e->fail);
	return result;
}

/* ---- calls ------------------------------------------------------------------------------- */

/* Comparisons that have an instruction: operands in order, or swapped. */
static const struct comparison {
	const char *builtin;
	enum bl_opcode op;
	bool swapped;
} comparisons[] = {
	{ "equal", BL_OP_JUMP_UNLESS_EQUAL, false },
	{ "neq", BL_OP_JUMP_IF_EQUAL, false },
	{ "lt", BL_OP_JUMP_UNLESS_LESS, false },
	{ "lte", BL_OP_JUMP_UNLESS_LESS_EQUAL, false },
	{ "gt", BL_OP_JUMP_UNLESS_LESS, true },
	{ "gte", BL_OP_JUMP_UNLESS_LESS_EQUAL, true },
};

static const struct comparison *find_comparison(struct bl_str builtin)
{
	for (size_t i = 0; i < BL_COUNT(comparisons); i++)
		if (bl_str_is(builtin, comparisons[i].builtin))
			return &comparisons[i];
	return NULL;
}

bool bl_rego_is_comparison(struct bl_str builtin)
{
	return find_comparison(builtin) != NULL;
}

void bl_emit_operands(struct bl_emitter *e, struct bl_rego_term *const *terms,
		      bl_register out_operands[2])
{
	/* One may bind what the other needs. */
	size_t first = !bl_emit_is_ready(e, terms[0]);

	out_operands[first] = bl_emit_value(e, terms[first]);
	out_operands[!first] = bl_emit_value(e, terms[!first]);
}

void bl_emit_comparison(struct bl_emitter *e, struct bl_str builtin,
			const bl_register operands[2], bl_label no)
{
	const struct comparison *found = find_comparison(builtin);

	bl_emit(e, found->op,
		(struct bl_insn){ .b = operands[found->swapped],
				  .c = operands[!found->swapped],
				  .j = no });
}

/* A comparison as a boolean. */
static bl_register emit_comparison_value(struct bl_emitter *e,
					 struct bl_str builtin,
					 struct bl_rego_term *const *terms)
{
	bl_label no = bl_emit_new_label(e);
	bl_label end = bl_emit_new_label(e);
	bl_register operands[2];
	bl_register result;

	bl_emit_operands(e, terms, operands);
	result = bl_emit_registers(e, 1);
	bl_emit_comparison(e, builtin, operands, no);
	EMIT(e, LOAD_CONSTANT, .a = result,
	     .n = bl_emit_constant(e, bl_value_boolean(true)));
	EMIT(e, JUMP, .j = end);
	bl_emit_place_label(e, no);
	EMIT(e, LOAD_CONSTANT, .a = result,
	     .n = bl_emit_constant(e, bl_value_boolean(false)));
	bl_emit_place_label(e, end);
	return result;
}

/* The call of a builtin with its operands in registers from args on. */
static bl_register emit_builtin(struct bl_emitter *e,
				const struct bl_builtin *builtin,
				struct bl_rego_term *const *terms,
				bl_register args)
{
	bl_register result = bl_emit_registers(e, 1);
	uint32_t pattern;

	if (bl_emit_pattern(e, builtin, terms, &pattern))
		EMIT(e, CALL_BUILTIN_PATTERN, .a = result, .b = args,
		     .c = builtin->arity, .n = pattern, .j = e->fail);
	else
		EMIT(e, CALL_BUILTIN, .a = result, .b = args,
		     .c = builtin->arity,
		     .n = bl_emit_builtin_index(e, builtin), .j = e->fail);
	if (builtin->flags & BL_BUILTIN_RELATION)
		result = bl_emit_loop(e, result).value;
	return result;
}

static bl_register emit_constant(struct bl_emitter *e, struct bl_value value)
{
	bl_register result = bl_emit_registers(e, 1);

	EMIT(e, LOAD_CONSTANT, .a = result, .n = bl_emit_constant(e, value));
	return result;
}

/*
 * The builtins that the compiler does itself: print is left out or kept, metadata is
 * known here, "=" as a value compares.
 */
static bl_register emit_compiled_builtin(struct bl_emitter *e,
					 const struct bl_builtin *builtin,
					 const struct bl_rego_term *call)
{
	if (builtin->flags & BL_BUILTIN_VOID) {
		bl_emit_print(e, call);
		return emit_constant(e, bl_value_boolean(true));
	}
	if (!strcmp(builtin->name, "rego.metadata.rule") ||
	    !strcmp(builtin->name, "rego.metadata.chain"))
		return emit_constant(
			e, bl_annotations_of(e->builder->compiler,
					     e->resolver->module, e->rule,
					     !strcmp(builtin->name,
						     "rego.metadata.chain")));
	return emit_comparison_value(e, BL_STR("equal"), call->as.items + 1);
}

/* One argument more than it takes: the result is unified with it. */
static bl_register emit_call_result(struct bl_emitter *e,
				    const struct bl_rego_term *call,
				    size_t arity, bl_register result)
{
	if (call->count - 1 == arity)
		return result;
	bl_emit_match(e, call->as.items[arity + 1], result);
	return emit_constant(e, bl_value_boolean(true));
}

static bl_register emit_call(struct bl_emitter *e,
			     const struct bl_rego_term *call)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	const struct bl_node *node = bl_call_node(e->builder->compiler, call);
	size_t arity = builtin ? builtin->arity : node->arity;
	bl_register args;
	bl_register result;

	if (builtin &&
	    builtin->flags & BL_BUILTIN_VOID) /* any number of them */
		return emit_compiled_builtin(e, builtin, call);
	if (call->count != arity + 1 && call->count != arity + 2)
		return 0; /* reported by now */
	if (builtin && !builtin->function)
		return emit_compiled_builtin(e, builtin, call);
	if (builtin && bl_rego_is_comparison(bl_str(builtin->name))) {
		result = emit_comparison_value(e, bl_str(builtin->name),
					       call->as.items + 1);
		return emit_call_result(e, call, arity, result);
	}
	args = bl_emit_values(e, call->as.items + 1, arity);
	e->place.offset = call->range.from;
	if (builtin) {
		result = emit_builtin(e, builtin, call->as.items + 1, args);
	} else {
		result = bl_emit_registers(e, 1);
		EMIT(e, CALL_FUNCTION, .a = result, .b = args,
		     .c = (uint16_t)arity, .n = node->function, .j = e->fail);
	}
	return emit_call_result(e, call, arity, result);
}

/* ---- collections --------------------------------------------------------------------------- */

static bl_register emit_collection(struct bl_emitter *e,
				   const struct bl_rego_term *term)
{
	bl_register items = bl_emit_values(e, term->as.items, term->count);
	bl_register result = bl_emit_registers(e, 1);

	if (term->kind == BL_TERM_ARRAY)
		EMIT(e, MAKE_ARRAY, .a = result, .b = items,
		     .c = (uint16_t)term->count);
	else if (term->kind == BL_TERM_SET)
		EMIT(e, MAKE_SET, .a = result, .b = items,
		     .c = (uint16_t)term->count);
	else
		EMIT(e, MAKE_OBJECT, .a = result, .b = items,
		     .c = (uint16_t)(term->count / 2));
	return result;
}

/* ---- values -------------------------------------------------------------------------------- */

struct bl_value bl_emit_make_constant(struct bl_emitter *e,
				      const struct bl_rego_term *term)
{
	struct bl_arena *arena = e->builder->compiler->arena;
	struct bl_value *items;

	if (term->kind == BL_TERM_SCALAR)
		return term->as.value;
	items = bl_arena_new_array(arena, struct bl_value, term->count + 1);
	for (uint32_t i = 0; items && i < term->count; i++)
		items[i] = bl_emit_make_constant(e, term->as.items[i]);
	if (!items) {
		e->failed = true;
		return bl_value_undefined();
	}
	if (term->kind == BL_TERM_ARRAY)
		return bl_array_make(arena, items, term->count);
	if (term->kind == BL_TERM_SET)
		return bl_set_make(arena, items, term->count);
	return bl_object_make(arena, (const struct bl_member *)(void *)items,
			      term->count / 2, NULL);
}

static bl_register emit_value(struct bl_emitter *e,
			      const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_VAR:
		return emit_var(e, term);
	case BL_TERM_REF:
		return emit_ref(e, term);
	case BL_TERM_CALL:
		return emit_call(e, term);
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		return emit_collection(e, term);
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		return bl_emit_comprehension(e, term);
	case BL_TERM_SCALAR:
	case BL_TERM_TEMPLATE:
		break;
	}
	return 0;
}

/* Facts that the code finds out on the way are not known behind it. */
static bl_register emit_hoisted(struct bl_emitter *e,
				const struct bl_hoisted *hoisted)
{
	bl_label known = bl_emit_new_label(e);
	uint32_t known_count = e->known_count;
	bl_register reg = hoisted->reg;

	EMIT(e, JUMP_IF_DEFINED, .b = reg, .j = known);
	bl_emit_move(e, reg, emit_value(e, hoisted->term));
	EMIT(e, KEEP, .a = hoisted->loop);
	bl_emit_place_label(e, known);
	e->known_count = known_count;
	return reg;
}

bl_register bl_emit_value(struct bl_emitter *e, const struct bl_rego_term *term)
{
	const struct bl_hoisted *hoisted = bl_emit_hoisted(e, term);
	struct bl_fold_block block;
	struct bl_value value;

	if (bl_term_is_constant(term))
		return emit_constant(e, bl_emit_make_constant(e, term));
	if (hoisted)
		return emit_hoisted(e, hoisted);
	if (!bl_fold(e, term, &value))
		return emit_value(e, term);
	block = bl_fold_begin(e, value);
	return bl_fold_end(e, block, emit_value(e, term));
}

bl_register bl_emit_values(struct bl_emitter *e,
			   struct bl_rego_term *const *terms, size_t count)
{
	bl_register values = bl_emit_registers(e, count);
	bool *done = bl_arena_new_array(e->builder->compiler->arena, bool,
					count + 1);
	bool progress = true;

	if (!done)
		e->failed = true;
	/* One may bind what another needs: each as soon as it is ready. */
	while (progress && !e->failed) {
		progress = false;
		for (size_t i = 0; i < count; i++) {
			bl_register value;

			if (done[i] || !bl_emit_is_ready(e, terms[i]))
				continue;
			value = bl_emit_value(e, terms[i]);
			bl_emit_move(e, (bl_register)(values + i), value);
			done[i] = progress = true;
		}
	}
	return values;
}

/* ---- patterns ------------------------------------------------------------------------------ */

static bl_register emit_index(struct bl_emitter *e, bl_register value,
			      const struct bl_rego_term *key_term,
			      uint32_t index)
{
	bl_register result;

	if (key_term) {
		bl_register key = bl_emit_value(e, key_term);

		result = bl_emit_registers(e, 1);
		EMIT(e, INDEX, .a = result, .b = value, .c = key, .j = e->fail);
		return result;
	}
	result = bl_emit_registers(e, 1);
	EMIT(e, INDEX_CONSTANT, .a = result, .b = value,
	     .n = bl_emit_constant(e, bl_value_integer(index)), .j = e->fail);
	return result;
}

void bl_emit_match(struct bl_emitter *e, const struct bl_rego_term *pattern,
		   bl_register value)
{
	if (is_free(e, pattern)) {
		bl_emit_move(e, bl_emit_slot(e, pattern->slot), value);
		bl_bound_add(&e->bound, pattern->slot);
	} else if (bl_term_is_constant(pattern)) {
		EMIT(e, JUMP_UNLESS_CONSTANT, .b = value,
		     .n = bl_emit_constant(e,
					   bl_emit_make_constant(e, pattern)),
		     .j = e->fail);
	} else if (pattern->kind == BL_TERM_ARRAY) {
		EMIT(e, JUMP_UNLESS_ARRAY, .b = value, .n = pattern->count,
		     .j = e->fail);
		for (uint32_t i = 0; i < pattern->count; i++)
			bl_emit_match(e, pattern->as.items[i],
				      emit_index(e, value, NULL, i));
	} else if (pattern->kind == BL_TERM_OBJECT) {
		EMIT(e, JUMP_UNLESS_OBJECT, .b = value, .n = pattern->count / 2,
		     .j = e->fail);
		for (uint32_t i = 0; i < pattern->count; i += 2)
			bl_emit_match(
				e, pattern->as.items[i + 1],
				emit_index(e, value, pattern->as.items[i], 0));
	} else {
		bl_register other = bl_emit_value(e, pattern);

		EMIT(e, JUMP_UNLESS_EQUAL, .b = value, .c = other,
		     .j = e->fail);
	}
}
