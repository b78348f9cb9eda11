/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: terms, references, calls, comprehensions, patterns. */
#include "rego/tools/plan_writer.h"

static const struct plan_operand nothing = { PLAN_BOOLEAN, 0 };

bool plan_is_ready(struct plan_writer *w, const struct bl_rego_term *term)
{
	return bl_bound_makes_ready(w->resolver, &w->bound, term);
}

static struct bl_value local(uint32_t number)
{
	return PLAN_NUMBER(number);
}

static struct bl_value operand_of(struct plan_writer *w, uint32_t number)
{
	return plan_operand_value(w, plan_local_operand(number));
}

/* ---- constants ------------------------------------------------------------------ */

struct bl_value plan_constant_of(struct plan_writer *w,
				 const struct bl_rego_term *term)
{
	struct bl_value *items;

	if (term->kind == BL_TERM_SCALAR)
		return term->as.value;
	if (term->kind != BL_TERM_ARRAY && term->kind != BL_TERM_OBJECT &&
	    term->kind != BL_TERM_SET)
		return bl_value_undefined();
	items = bl_arena_new_array(w->arena, struct bl_value, term->count + 1);
	for (uint32_t i = 0; items && i < term->count; i++) {
		items[i] = plan_constant_of(w, term->as.items[i]);
		if (!bl_value_is_defined(items[i]))
			return items[i];
	}
	if (!items)
		return bl_value_undefined();
	if (term->kind == BL_TERM_ARRAY)
		return bl_array_make(w->arena, items, term->count);
	if (term->kind == BL_TERM_SET)
		return bl_set_make(w->arena, items, term->count);
	return bl_object_make(w->arena, (const struct bl_member *)(void *)items,
			      term->count / 2, NULL);
}

static struct plan_operand number_operand(struct plan_writer *w,
					  struct bl_value number)
{
	uint32_t target = plan_new_local(w);
	struct bl_value index;
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_number_put(&text, number);
	index = PLAN_NUMBER(
		plan_string(w, bl_arena_copy_str(w->arena, bl_buf_str(&text))));
	bl_buf_clear(&text);
	/* OPA writes both, since it once wrote the wrong one. */
	PLAN_ADD(w, "MakeNumberRefStmt", { "index", index }, { "Index", index },
		 { "target", local(target) });
	return plan_local_operand(target);
}

static void make(struct plan_writer *w, const char *type, uint32_t target)
{
	PLAN_ADD(w, type, { "target", local(target) });
}

static void insert(struct plan_writer *w, uint32_t object,
		   struct plan_operand key, struct plan_operand value)
{
	PLAN_ADD(w, "ObjectInsertStmt", { "key", plan_operand_value(w, key) },
		 { "value", plan_operand_value(w, value) },
		 { "object", local(object) });
}

static void append(struct plan_writer *w, uint32_t array,
		   struct plan_operand value)
{
	PLAN_ADD(w, "ArrayAppendStmt",
		 { "value", plan_operand_value(w, value) },
		 { "array", local(array) });
}

static void add(struct plan_writer *w, uint32_t set, struct plan_operand value)
{
	PLAN_ADD(w, "SetAddStmt", { "value", plan_operand_value(w, value) },
		 { "set", local(set) });
}

static void make_array(struct plan_writer *w, size_t count, uint32_t target)
{
	PLAN_ADD(w, "MakeArrayStmt", { "capacity", PLAN_NUMBER(count) },
		 { "target", local(target) });
}

static struct plan_operand collection_operand(struct plan_writer *w,
					      struct bl_value value)
{
	uint32_t target = plan_new_local(w);
	size_t count = bl_value_count(value);

	if (bl_value_is(value, BL_KIND_ARRAY)) {
		make_array(w, count, target);
		for (size_t i = 0; i < count; i++)
			append(w, target,
			       plan_constant_operand(w,
						     bl_value_item(value, i)));
	} else if (bl_value_is(value, BL_KIND_SET)) {
		make(w, "MakeSetStmt", target);
		for (size_t i = 0; i < count; i++)
			add(w, target,
			    plan_constant_operand(w, bl_value_item(value, i)));
	} else {
		make(w, "MakeObjectStmt", target);
		for (size_t i = 0; i < count; i++)
			insert(w, target,
			       plan_constant_operand(w,
						     bl_object_key(value, i)),
			       plan_constant_operand(
				       w, bl_object_value(value, i)));
	}
	return plan_local_operand(target);
}

struct plan_operand plan_constant_operand(struct plan_writer *w,
					  struct bl_value value)
{
	uint32_t target;

	switch (bl_value_kind(value)) {
	case BL_KIND_BOOLEAN:
		return (struct plan_operand){ PLAN_BOOLEAN, value.as.boolean };
	case BL_KIND_STRING:
		return plan_string_operand(w, bl_value_text(value));
	case BL_KIND_NUMBER:
		return number_operand(w, value);
	case BL_KIND_NULL:
		target = plan_new_local(w);
		make(w, "MakeNullStmt", target);
		return plan_local_operand(target);
	case BL_KIND_ARRAY:
	case BL_KIND_OBJECT:
	case BL_KIND_SET:
		return collection_operand(w, value);
	case BL_KIND_UNDEFINED:
	case BL_KIND_COUNT:
		break;
	}
	return nothing;
}

/* ---- references ------------------------------------------------------------------ */

static uint32_t dot(struct plan_writer *w, struct plan_operand source,
		    struct plan_operand key)
{
	uint32_t target = plan_new_local(w);

	PLAN_ADD(w, "DotStmt", { "source", plan_operand_value(w, source) },
		 { "key", plan_operand_value(w, key) },
		 { "target", local(target) });
	return target;
}

static struct plan_operand parts(struct plan_writer *w,
				 struct plan_operand value,
				 const struct bl_rego_term *ref, uint32_t i)
{
	for (; i < ref->count && !w->status; i++) {
		const struct bl_rego_term *part = ref->as.items[i];
		uint32_t key;
		uint32_t member;

		if (plan_is_ready(w, part)) {
			value = plan_local_operand(
				dot(w, value, plan_value(w, part)));
			continue;
		}
		plan_open_scan(w, value, &key, &member);
		value = plan_local_operand(member);
		plan_match(w, part, plan_local_operand(key));
	}
	return value;
}

static bool is_document(const struct bl_node *node)
{
	return node->kind == BL_RULE_COMPLETE || node->kind == BL_RULE_PARTIAL;
}

struct plan_operand plan_base(struct plan_writer *w, const struct bl_node *node)
{
	struct plan_operand above;

	if (!node->parent)
		return plan_local_operand(PLAN_DATA);
	above = plan_base(w, node->parent);
	return plan_local_operand(
		dot(w, above, plan_constant_operand(w, node->key)));
}

struct plan_operand plan_call_wanted(struct plan_writer *w,
				     struct plan_wanted wanted,
				     const struct plan_operand *args,
				     size_t count)
{
	struct bl_value name = bl_value_string(plan_called_name(w, wanted));
	const struct plan_generation *set = w->generations[wanted.generation];
	uint32_t result = plan_new_local(w);
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	bl_array_builder_add(&list, operand_of(w, PLAN_INPUT));
	bl_array_builder_add(&list, operand_of(w, PLAN_DATA));
	for (size_t i = 0; i < set->count; i++)
		if (set->items[i].by_local)
			bl_array_builder_add(
				&list,
				operand_of(w, plan_handed_local(
						      w, &set->items[i])));
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&list, plan_operand_value(w, args[i]));
	PLAN_ADD(w, "CallStmt", { "func", name },
		 { "args", bl_array_builder_end(&list) },
		 { "result", local(result) });
	return plan_local_operand(result);
}

struct plan_operand plan_document(struct plan_writer *w,
				  const struct bl_node *node)
{
	struct plan_wanted wanted = { node, w->generation, false };

	if (plan_replaced(w, NULL, node))
		return plan_base(w, node);
	wanted.is_extent = !is_document(node) || node->first_child;
	return plan_call_wanted(w, wanted, NULL, 0);
}

/* Parts of a reference that are known when it is evaluated. */
struct known_keys {
	const struct bl_rego_term *ref;
	struct plan_operand *keys; /* by part */
	uint32_t to;               /* one behind */
	uint32_t result;
};

static void give(struct plan_writer *w, const struct known_keys *known,
		 struct plan_operand value, uint32_t from)
{
	for (uint32_t i = from; i < known->to; i++)
		value = plan_local_operand(dot(w, value, known->keys[i]));
	PLAN_ADD(w, "AssignVarStmt", { "source", plan_operand_value(w, value) },
		 { "target", local(known->result) });
}

static void choose(struct plan_writer *w, const struct known_keys *known,
		   const struct bl_node *node, uint32_t from);

/* One block for each child that the key may name, and one for base data. */
static void choose_child(struct plan_writer *w, const struct known_keys *known,
			 const struct bl_node *node, uint32_t from)
{
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling) {
		struct plan_operand name;

		if (child->kind == BL_RULE_FUNCTION)
			continue;
		plan_open(w);
		name = plan_constant_operand(w, child->key);
		PLAN_ADD(w, "EqualStmt",
			 { "a", plan_operand_value(w, known->keys[from]) },
			 { "b", plan_operand_value(w, name) });
		choose(w, known, child, from + 1);
		plan_add_block(w, plan_close(w));
	}
	plan_open(w);
	PLAN_ADD(w, "IsUndefinedStmt",
		 { "source", PLAN_NUMBER(known->result) });
	give(w, known, plan_base(w, node), from);
	plan_add_block(w, plan_close(w));
}

/* Down the tree by the keys that are known. */
static void choose(struct plan_writer *w, const struct known_keys *known,
		   const struct bl_node *node, uint32_t from)
{
	const struct bl_rego_term *part = known->ref->as.items[from];
	const struct bl_node *child;

	if (from == known->to || is_document(node) ||
	    plan_replaced(w, NULL, node)) {
		give(w, known, plan_document(w, node), from);
		return;
	}
	if (part->kind != BL_TERM_SCALAR) {
		choose_child(w, known, node, from);
		return;
	}
	child = bl_node_find_child(node, part->as.value);
	if (child && child->kind != BL_RULE_FUNCTION)
		choose(w, known, child, from + 1);
	else
		give(w, known, plan_base(w, node), from);
}

/* data.a[x].b of a node that is a package: which child is known at run time. */
static struct plan_operand dynamic_ref(struct plan_writer *w,
				       const struct bl_rego_term *ref,
				       const struct bl_node *node,
				       uint32_t from)
{
	struct known_keys known = { .ref = ref, .to = from };

	known.keys = bl_arena_new_array(w->arena, struct plan_operand,
					ref->count + 1);
	while (known.keys && known.to < ref->count &&
	       plan_is_ready(w, ref->as.items[known.to])) {
		known.keys[known.to] = plan_value(w, ref->as.items[known.to]);
		known.to++;
	}
	known.result = plan_new_local(w);
	PLAN_ADD(w, "ResetLocalStmt", { "target", local(known.result) });
	plan_open(w);
	choose(w, &known, node, from);
	plan_add_block(w, plan_close(w));
	PLAN_ADD(w, "IsDefinedStmt", { "source", PLAN_NUMBER(known.result) });
	return parts(w, plan_local_operand(known.result), ref, known.to);
}

/* Down the tree of rules as far as constants lead. */
static struct plan_operand data_ref(struct plan_writer *w,
				    const struct bl_rego_term *ref)
{
	const struct bl_node *node = w->compiler->root;
	uint32_t from = 1;

	while (from < ref->count && !is_document(node) &&
	       !plan_replaced(w, NULL, node) &&
	       ref->as.items[from]->kind == BL_TERM_SCALAR) {
		const struct bl_node *child =
			bl_node_find_child(node, ref->as.items[from]->as.value);

		/* No rule gives it: base data alone. */
		if (!child || child->kind == BL_RULE_FUNCTION)
			return parts(w, plan_base(w, node), ref, from);
		node = child;
		from++;
	}
	if (from < ref->count && !is_document(node) &&
	    !plan_replaced(w, NULL, node) &&
	    plan_is_ready(w, ref->as.items[from]))
		return dynamic_ref(w, ref, node, from);
	return parts(w, plan_document(w, node), ref, from);
}

static struct plan_operand variable(struct plan_writer *w,
				    const struct bl_rego_term *var)
{
	uint32_t number = PLAN_INPUT;

	if (var->slot != BL_SLOT_NONE)
		return plan_local_operand(plan_slot(w, var->slot));
	if (!bl_str_is(var->as.name, "input"))
		return plan_document(w, w->compiler->root);
	PLAN_ADD(w, "IsDefinedStmt", { "source", PLAN_NUMBER(number) });
	return plan_local_operand(number);
}

static struct plan_operand reference(struct plan_writer *w,
				     const struct bl_rego_term *ref)
{
	if (bl_term_is_root(ref->as.items[0], "data"))
		return data_ref(w, ref);
	return parts(w, plan_value(w, ref->as.items[0]), ref, 1);
}

/* ---- calls ------------------------------------------------------------------------ */

/* Values of terms, each as soon as what it needs is bound. */
static bool values(struct plan_writer *w, struct bl_rego_term *const *terms,
		   size_t count, struct plan_operand *out)
{
	bool *done = bl_arena_new_array(w->arena, bool, count + 1);
	bool progress = true;

	if (!done)
		return plan_writer_fail(w, bl_arena_why(w->arena),
					"there is no memory for it");
	while (progress && !w->status) {
		progress = false;
		for (size_t i = 0; i < count; i++) {
			if (done[i] || !plan_is_ready(w, terms[i]))
				continue;
			out[i] = plan_value(w, terms[i]);
			done[i] = progress = true;
		}
	}
	return !w->status;
}

static void note_builtin(struct plan_writer *w,
			 const struct bl_builtin *builtin)
{
	const struct bl_builtin *row;

	for (size_t i = 0; i < PLAN_WRITER_BUILTINS &&
			   (row = bl_callables_at(w->compiler->callables, i));
	     i++)
		if (row == builtin)
			w->used_builtins[i / 64] |= UINT64_C(1) << (i % 64);
}

/* A builtin by its name; the solutions of a relation are gone through. */
static struct plan_operand call_builtin(struct plan_writer *w,
					const struct bl_builtin *builtin,
					const struct plan_operand *args,
					size_t count)
{
	uint32_t result = plan_new_local(w);
	struct bl_array_builder list;
	uint32_t key;
	uint32_t value;

	note_builtin(w, builtin);
	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&list, plan_operand_value(w, args[i]));
	PLAN_ADD(w, "CallStmt",
		 { "func", bl_value_string(bl_str(builtin->name)) },
		 { "args", bl_array_builder_end(&list) },
		 { "result", local(result) });
	if (!(builtin->flags & BL_BUILTIN_RELATION))
		return plan_local_operand(result);
	plan_open_scan(w, plan_local_operand(result), &key, &value);
	return plan_local_operand(value);
}

/* What is known when the plan is made. */
static struct plan_operand compiled_builtin(struct plan_writer *w,
					    const struct bl_builtin *builtin,
					    const struct bl_rego_term *call)
{
	bool chain = !strcmp(builtin->name, "rego.metadata.chain");
	struct plan_operand args[2] = { nothing, nothing };

	if (builtin->flags & BL_BUILTIN_VOID) {
		plan_print(w, call);
		return (struct plan_operand){ PLAN_BOOLEAN, true };
	}
	if (chain || !strcmp(builtin->name, "rego.metadata.rule"))
		return plan_constant_operand(
			w, bl_annotations_of(w->compiler, w->resolver->module,
					     w->rule, chain));
	if (!values(w, call->as.items + 1, 2, args))
		return nothing;
	return call_builtin(w, bl_builtin_find(BL_STR("equal")), args, 2);
}

/* The call of what a function is replaced by. */
static struct plan_operand call_replacement(struct plan_writer *w,
					    const struct plan_replacement *by,
					    const struct plan_operand *args,
					    size_t count)
{
	uint32_t outside = plan_generation_of_replacements(w, w->generation);

	if (by->by_builtin)
		return call_builtin(w, by->by_builtin, args, count);
	if (by->by_node)
		return plan_call_wanted(
			w, (struct plan_wanted){ by->by_node, outside, false },
			args, count);
	for (size_t i = 0; i < count; i++)
		PLAN_ADD(w, "IsDefinedStmt",
			 { "source", PLAN_NUMBER(plan_as_local(w, args[i])) });
	if (by->by_local)
		return plan_local_operand(plan_handed_local(w, by));
	return plan_constant_operand(w, by->by_value);
}

static struct plan_operand call_of(struct plan_writer *w,
				   const struct bl_rego_term *call)
{
	const struct bl_builtin *builtin = bl_call_builtin(call);
	const struct bl_node *node = bl_call_node(w->compiler, call);
	const struct plan_replacement *by = plan_replaced(w, builtin, node);
	size_t count = call->count - 1;
	size_t arity = builtin ? builtin->arity : node ? node->arity : count;
	struct plan_operand *args;
	struct plan_operand result;

	if (builtin &&
	    (builtin->flags & BL_BUILTIN_VOID || (!builtin->function && !by)))
		return compiled_builtin(w, builtin, call);
	args = bl_arena_new_array(w->arena, struct plan_operand, count + 1);
	if (!args || (!builtin && !node) || count < arity) {
		plan_writer_fail(w, args ? BL_INVALID : bl_arena_why(w->arena),
				 "a call cannot be planned");
		return nothing;
	}
	if (!values(w, call->as.items + 1, arity, args))
		return nothing;
	if (by)
		result = call_replacement(w, by, args, arity);
	else if (builtin)
		result = call_builtin(w, builtin, args, arity);
	else
		result = plan_call_wanted(
			w, (struct plan_wanted){ node, w->generation, false },
			args, arity);
	if (count == arity)
		return result;
	plan_match(w, call->as.items[arity + 1], result);
	return (struct plan_operand){ PLAN_BOOLEAN, true };
}

void plan_named_function(struct plan_writer *w, const struct bl_rego_term *term,
			 const struct bl_builtin **out_builtin,
			 const struct bl_node **out_node)
{
	struct bl_rego_term *items[1] = { (
		struct bl_rego_term *)(uintptr_t)term };
	struct bl_rego_term call = { .kind = BL_TERM_CALL,
				     .count = 1,
				     .as.items = items };

	*out_builtin = bl_call_builtin(&call);
	*out_node = *out_builtin ? NULL : bl_call_node(w->compiler, &call);
}

/* ---- collections -------------------------------------------------------------------- */

static struct plan_operand collection(struct plan_writer *w,
				      const struct bl_rego_term *term)
{
	struct plan_operand *items = bl_arena_new_array(
		w->arena, struct plan_operand, term->count + 1);
	uint32_t target;

	if (!items || !values(w, term->as.items, term->count, items))
		return nothing;
	target = plan_new_local(w);
	if (term->kind == BL_TERM_ARRAY)
		make_array(w, term->count, target);
	else
		make(w,
		     term->kind == BL_TERM_SET ? "MakeSetStmt"
					       : "MakeObjectStmt",
		     target);
	for (uint32_t i = 0; i < term->count; i++) {
		if (term->kind == BL_TERM_ARRAY)
			append(w, target, items[i]);
		else if (term->kind == BL_TERM_SET)
			add(w, target, items[i]);
		else if (i % 2)
			insert(w, target, items[i - 1], items[i]);
	}
	return plan_local_operand(target);
}

static struct plan_operand comprehension(struct plan_writer *w,
					 const struct bl_rego_term *term)
{
	uint32_t target = plan_new_local(w);
	struct bl_bound bound = plan_enter(w);

	if (term->kind == BL_TERM_ARRAY_COMPREHENSION)
		make_array(w, 0, target);
	else
		make(w,
		     term->kind == BL_TERM_SET_COMPREHENSION ? "MakeSetStmt"
							     : "MakeObjectStmt",
		     target);
	plan_open(w);
	plan_body(w, term->body);
	if (term->kind == BL_TERM_ARRAY_COMPREHENSION) {
		append(w, target, plan_value(w, term->as.items[0]));
	} else if (term->kind == BL_TERM_SET_COMPREHENSION) {
		add(w, target, plan_value(w, term->as.items[0]));
	} else {
		struct plan_operand key = plan_value(w, term->as.items[0]);
		struct plan_operand value = plan_value(w, term->as.items[1]);

		PLAN_ADD(w, "ObjectInsertOnceStmt",
			 { "key", plan_operand_value(w, key) },
			 { "value", plan_operand_value(w, value) },
			 { "object", local(target) });
	}
	plan_add_block(w, plan_close(w));
	plan_leave(w, bound);
	return plan_local_operand(target);
}

struct plan_operand plan_value(struct plan_writer *w,
			       const struct bl_rego_term *term)
{
	struct bl_value constant = plan_constant_of(w, term);

	if (w->status)
		return nothing;
	if (bl_value_is_defined(constant))
		return plan_constant_operand(w, constant);
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_VAR:
		return variable(w, term);
	case BL_TERM_REF:
		return reference(w, term);
	case BL_TERM_CALL:
		return call_of(w, term);
	case BL_TERM_ARRAY:
	case BL_TERM_SET:
	case BL_TERM_OBJECT:
		return collection(w, term);
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		return comprehension(w, term);
	case BL_TERM_SCALAR:
	case BL_TERM_TEMPLATE:
		break;
	}
	return nothing;
}

/* ---- patterns ------------------------------------------------------------------------ */

static void match_equal(struct plan_writer *w, struct plan_operand a,
			struct plan_operand b)
{
	PLAN_ADD(w, "EqualStmt", { "a", plan_operand_value(w, a) },
		 { "b", plan_operand_value(w, b) });
}

/* Is it of this type, with so many members? */
static void match_size(struct plan_writer *w, const char *type,
		       struct plan_operand value, size_t count)
{
	uint32_t length = plan_new_local(w);
	uint32_t wanted = plan_new_local(w);

	PLAN_ADD(w, type, { "source", plan_operand_value(w, value) });
	PLAN_ADD(w, "LenStmt", { "source", plan_operand_value(w, value) },
		 { "target", local(length) });
	PLAN_ADD(w, "MakeNumberIntStmt", { "value", PLAN_NUMBER(count) },
		 { "target", local(wanted) });
	match_equal(w, plan_local_operand(length), plan_local_operand(wanted));
}

static void match_items(struct plan_writer *w,
			const struct bl_rego_term *pattern,
			struct plan_operand value)
{
	bool is_array = pattern->kind == BL_TERM_ARRAY;
	uint32_t step = is_array ? 1 : 2;

	match_size(w, is_array ? "IsArrayStmt" : "IsObjectStmt", value,
		   pattern->count / step);
	for (uint32_t i = 0; i < pattern->count && !w->status; i += step) {
		struct plan_operand key =
			is_array ? plan_constant_operand(w, bl_value_integer(i))
				 : plan_value(w, pattern->as.items[i]);

		plan_match(w, pattern->as.items[i + step - 1],
			   plan_local_operand(dot(w, value, key)));
	}
}

void plan_match(struct plan_writer *w, const struct bl_rego_term *pattern,
		struct plan_operand value)
{
	if (w->status)
		return;
	if (pattern->kind == BL_TERM_VAR &&
	    !bl_bound_has(&w->bound, pattern->slot)) {
		PLAN_ADD(w, "AssignVarStmt",
			 { "source", plan_operand_value(w, value) },
			 { "target", local(plan_slot(w, pattern->slot)) });
		bl_bound_add(&w->bound, pattern->slot);
	} else if ((pattern->kind == BL_TERM_ARRAY ||
		    pattern->kind == BL_TERM_OBJECT) &&
		   !bl_value_is_defined(plan_constant_of(w, pattern))) {
		match_items(w, pattern, value);
	} else {
		match_equal(w, value, plan_value(w, pattern));
	}
}
