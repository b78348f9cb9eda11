/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collections that grow member by member and may be read in between: what code
 * made of plans does (rego/plan).  A value of an object's builder may be
 * another builder, which then grows inside of it: so all that was made up to
 * then is kept (bl_vm_pin), whoever is older.
 */
#include "rego/runtime/vm.h"

enum { MAX_NESTING = 500 };

struct builder {
	enum bl_collector_kind kind;
	bool has_builders;
	struct bl_member *members; /* arrays and sets: value alone */
	size_t count;
	size_t cap;
	uint32_t *slots; /* of keys: member + 1 */
	size_t slot_count;
	struct bl_value settled; /* undefined: it grew since */
};

static struct builder *builder_in(struct bl_value reg)
{
	if (bl_value_is_defined(reg) || reg.reserved != BL_KEPT_BUILDER)
		return NULL;
	return (struct builder *)(uintptr_t)reg.as.object;
}

bool bl_vm_build(struct bl_vm *vm, enum bl_collector_kind kind,
		 struct bl_value *reg)
{
	struct builder *builder = bl_arena_new(vm->arena, struct builder);

	if (!builder)
		return bl_vm_no_memory(vm);
	builder->kind = kind;
	*reg = bl_value_undefined();
	reg->reserved = BL_KEPT_BUILDER;
	reg->as.object = (const void *)builder;
	return true;
}

bool bl_vm_exists(struct bl_value reg)
{
	return bl_value_is_defined(reg) || builder_in(reg);
}

/* ---- growing --------------------------------------------------------------- */

static uint32_t *slot_of(const struct builder *builder, struct bl_value key)
{
	size_t mask = builder->slot_count - 1;
	size_t at = (size_t)bl_value_hash(key) & mask;

	while (builder->slots[at] &&
	       !bl_value_equal(builder->members[builder->slots[at] - 1].key,
			       key))
		at = (at + 1) & mask;
	return &builder->slots[at];
}

/* Place for one more member: members, and twice as many slots. */
static bool grow(struct bl_vm *vm, struct builder *builder)
{
	size_t cap = builder->cap ? builder->cap * 2 : 8;
	struct bl_member *members;

	if (builder->count < builder->cap)
		return true;
	members = bl_arena_new_array(vm->arena, struct bl_member, cap);
	if (!members || cap > UINT32_MAX / 4)
		return bl_vm_no_memory(vm);
	if (builder->count)
		memcpy(members, builder->members,
		       builder->count * sizeof(*members));
	builder->members = members;
	builder->cap = cap;
	if (builder->kind != BL_COLLECT_OBJECT)
		return true;
	builder->slot_count = cap * 2;
	builder->slots =
		bl_arena_new_array(vm->arena, uint32_t, builder->slot_count);
	if (!builder->slots)
		return bl_vm_no_memory(vm);
	for (size_t i = 0; i < builder->count; i++)
		*slot_of(builder, members[i].key) = (uint32_t)i + 1;
	return true;
}

static bool wrong_kind(struct bl_vm *vm)
{
	return bl_vm_fault(
		vm, BL_FAULT_INTERNAL, NULL,
		"the code adds to a value that is not such a collection");
}

bool bl_vm_append(struct bl_vm *vm, struct bl_value reg, struct bl_value value)
{
	struct builder *builder = builder_in(reg);

	if (!builder || builder->kind == BL_COLLECT_OBJECT)
		return wrong_kind(vm);
	if (!grow(vm, builder))
		return false;
	builder->settled = bl_value_undefined();
	builder->members[builder->count++].value = value;
	bl_vm_pin(vm, 0);
	return true;
}

bool bl_vm_insert(struct bl_vm *vm, struct bl_value reg, struct bl_value key,
		  struct bl_value value, bool once,
		  const struct bl_insn_place *place)
{
	struct builder *builder = builder_in(reg);
	struct bl_member *member;
	uint32_t *slot;

	if (!builder || builder->kind != BL_COLLECT_OBJECT)
		return wrong_kind(vm);
	if (!grow(vm, builder))
		return false;
	slot = slot_of(builder, key);
	if (!*slot) {
		builder->members[builder->count++].key = key;
		*slot = (uint32_t)builder->count;
	} else if (once) {
		struct bl_value old;

		if (!bl_vm_settle(vm, builder->members[*slot - 1].value, &old))
			return false;
		if (!bl_value_equal(old, value))
			return bl_vm_fault(vm, BL_FAULT_CONFLICT, place,
					   "object keys must be unique");
	}
	member = &builder->members[*slot - 1];
	member->value = value;
	builder->has_builders |= builder_in(value) != NULL;
	bl_vm_pin(vm, 0);
	builder->settled = bl_value_undefined();
	return true;
}

/* ---- reading --------------------------------------------------------------- */

static bool settle(struct bl_vm *vm, struct bl_value reg, int depth,
		   struct bl_value *out_value)
{
	struct builder *builder = builder_in(reg);
	struct bl_member *members;
	struct bl_value *items;

	if (!builder) {
		*out_value = reg;
		return true;
	}
	*out_value = builder->settled;
	if (bl_value_is_defined(*out_value) && !builder->has_builders)
		return true;
	/* Builders may hold each other more often than there are of them. */
	vm->steps += builder->count + 1;
	if (depth >= MAX_NESTING ||
	    (vm->limits.steps && vm->steps > vm->limits.steps))
		return bl_vm_fault(vm, BL_FAULT_CANCEL, NULL,
				   "the limit of nested collections was "
				   "reached");
	members = bl_arena_new_array(vm->arena, struct bl_member,
				     builder->count + 1);
	if (!members)
		return bl_vm_no_memory(vm);
	items = (struct bl_value *)(void *)members;
	for (size_t i = 0; i < builder->count; i++) {
		struct bl_value value;

		if (!settle(vm, builder->members[i].value, depth + 1, &value))
			return false;
		if (builder->kind == BL_COLLECT_OBJECT)
			members[i] =
				(struct bl_member){ builder->members[i].key,
						    value };
		else
			items[i] = value;
	}
	if (builder->kind == BL_COLLECT_OBJECT)
		*out_value = bl_object_make(vm->arena, members, builder->count,
					    NULL);
	else if (builder->kind == BL_COLLECT_SET)
		*out_value = bl_set_make(vm->arena, items, builder->count);
	else
		*out_value = bl_array_make(vm->arena, items, builder->count);
	builder->settled = *out_value;
	bl_vm_pin(vm, 0);
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}

bool bl_vm_settle(struct bl_vm *vm, struct bl_value reg,
		  struct bl_value *out_value)
{
	return settle(vm, reg, 0, out_value);
}

bool bl_vm_look(struct bl_vm *vm, struct bl_value reg, struct bl_value key,
		struct bl_value *out_value)
{
	struct builder *builder = builder_in(reg);
	struct bl_value value;

	if (builder && builder->kind == BL_COLLECT_OBJECT) {
		uint32_t slot = builder->count ? *slot_of(builder, key) : 0;

		*out_value = slot ? builder->members[slot - 1].value
				  : bl_value_undefined();
		return true;
	}
	if (!bl_vm_settle(vm, reg, &value))
		return false;
	*out_value = bl_vm_index(value, key);
	return true;
}

/* ---- objects as one -------------------------------------------------------- */

bool bl_vm_merge(struct bl_vm *vm, struct bl_value a, struct bl_value b,
		 struct bl_value *out_value)
{
	static const struct bl_merge way = { BL_MERGE_FIRST, MAX_NESTING };
	enum bl_status status;

	*out_value = bl_value_undefined();
	if (!bl_value_is_defined(a) || !bl_value_is_defined(b))
		return true;
	status = bl_value_merge(vm->arena, a, b, way, out_value);
	if (status == BL_LIMIT)
		return bl_vm_fault(vm, BL_FAULT_CANCEL, NULL,
				   "the limit of nested collections was "
				   "reached");
	return status == BL_OK || bl_vm_no_memory(vm);
}

/* ---- calls by path --------------------------------------------------------- */

bool bl_vm_call_path(struct bl_vm *vm, const struct bl_value *args,
		     size_t arg_count, const struct bl_value *keys,
		     size_t key_count, struct bl_value *out_result)
{
	const struct bl_program *program = vm->program;
	uint32_t node = 0;

	*out_result = bl_value_undefined();
	for (size_t i = 0; i < key_count && node != BL_NO_NODE; i++)
		node = bl_program_child(program, node, keys[i]);
	if (node == BL_NO_NODE ||
	    program->nodes[node].function == BL_NO_FUNCTION ||
	    program->nodes[node].arity != arg_count)
		return true;
	return bl_vm_call(vm, program->nodes[node].function, args, arg_count,
			  out_result);
}
