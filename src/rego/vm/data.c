/* SPDX-License-Identifier: Apache-2.0 */
/* Documents: base data overlaid with those of rules (spec/rego.md 1.14). */
#include "rego/vm/vm.h"

struct bl_value bl_vm_index(struct bl_value value, struct bl_value key)
{
	int64_t index;

	switch (bl_value_kind(value)) {
	case BL_KIND_OBJECT:
		return bl_object_find_value(value, key);
	case BL_KIND_ARRAY:
		if (!bl_value_is(key, BL_KIND_NUMBER) ||
		    !bl_number_to_integer(key, &index) || index < 0)
			return bl_value_undefined();
		return bl_value_item(value, (size_t)index);
	case BL_KIND_SET:
		return bl_set_has(value, key) ? key : bl_value_undefined();
	default:
		return bl_value_undefined();
	}
}

/*
 * A step of a path straight into base data: a whole number also finds the key
 * that is its text, as paths of the storage are texts.
 */
static bool base_step(struct bl_vm *vm, struct bl_value base,
		      struct bl_value key, struct bl_value *out_value)
{
	struct bl_value text;
	int64_t index;

	*out_value = bl_vm_index(base, key);
	if (bl_value_is_defined(*out_value) ||
	    !bl_value_is(base, BL_KIND_OBJECT) ||
	    !bl_value_is(key, BL_KIND_NUMBER) ||
	    !bl_number_to_integer(key, &index))
		return true;
	text = bl_value_printf(vm->arena, "%lld", (long long)index);
	if (!bl_value_is_defined(text))
		return bl_vm_no_memory(vm);
	*out_value = bl_object_find_value(base, text);
	return true;
}

static size_t depth_of(const struct bl_node *node)
{
	size_t depth = 0;

	for (; node->parent; node = node->parent)
		depth++;
	return depth;
}

/* Is the node at or below a path that "with" has replaced? */
static bool is_overridden(const struct bl_vm *vm, const struct bl_node *node)
{
	for (const struct bl_override *o = vm->overrides; o; o = o->older) {
		size_t depth = depth_of(node);
		const struct bl_node *at = node;
		bool same = true;

		if (depth < o->count)
			continue;
		for (; depth > o->count; depth--)
			at = at->parent;
		for (; same && at->parent; at = at->parent)
			same = bl_value_equal(at->key, o->keys[--depth]);
		if (same)
			return true;
	}
	return false;
}

bool bl_vm_merge(struct bl_vm *vm, struct bl_value base,
		 struct bl_value virtual_document, struct bl_value *out_value)
{
	size_t base_count = bl_value_count(base);
	size_t count = 0;
	struct bl_member *members;

	if (!bl_value_is_defined(base) ||
	    !bl_value_is_defined(virtual_document)) {
		*out_value = bl_value_is_defined(base) ? base :
							 virtual_document;
		return true;
	}
	if (!bl_value_is(base, BL_KIND_OBJECT) ||
	    !bl_value_is(virtual_document, BL_KIND_OBJECT)) {
		*out_value = base;
		return true;
	}
	members = bl_arena_new_array(
		vm->arena, struct bl_member,
		base_count + bl_value_count(virtual_document) + 1);
	if (!members)
		return bl_vm_no_memory(vm);
	for (size_t i = 0; i < base_count; i++) {
		struct bl_value key = bl_object_key(base, i);

		members[count].key = key;
		if (!bl_vm_merge(vm, bl_object_value(base, i),
				 bl_object_find_value(virtual_document, key),
				 &members[count].value))
			return false;
		count++;
	}
	for (size_t i = 0; i < bl_value_count(virtual_document); i++) {
		struct bl_value key = bl_object_key(virtual_document, i);

		if (bl_value_is_defined(bl_object_find_value(base, key)))
			continue;
		members[count++] = (struct bl_member){
			key, bl_object_value(virtual_document, i)
		};
	}
	*out_value = bl_object_make(vm->arena, members, count, NULL);
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}

static bool document(struct bl_vm *vm, const struct bl_node *node,
		     struct bl_value base, struct bl_value *out_value);

/* The documents of the children, as one object. */
static bool children_document(struct bl_vm *vm, const struct bl_node *node,
			      struct bl_value *out_value)
{
	struct bl_array_builder pairs;
	struct bl_value list;

	bl_array_builder_init(&pairs, vm->arena);
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling) {
		struct bl_value value;

		if (child->kind == BL_RULE_FUNCTION && !child->first_child)
			continue;
		if (!node->parent &&
		    bl_str_is(bl_value_text(child->key), "system"))
			continue;
		if (!document(vm, child, bl_value_undefined(), &value))
			return false;
		if (!bl_value_is_defined(value))
			continue;
		bl_array_builder_add(&pairs, child->key);
		bl_array_builder_add(&pairs, value);
	}
	list = bl_array_builder_end(&pairs);
	if (!bl_value_is_defined(list))
		return bl_vm_no_memory(vm);
	*out_value = bl_object_make(
		vm->arena,
		(const struct bl_member *)(const void *)list.as.items,
		bl_value_count(list) / 2, NULL);
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}

/* All of a node: its rules, its children, and base data below its path. */
static bool document(struct bl_vm *vm, const struct bl_node *node,
		     struct bl_value base, struct bl_value *out_value)
{
	struct bl_value own = bl_value_undefined();
	struct bl_value below = bl_value_undefined();

	if (is_overridden(vm, node)) {
		*out_value = base;
		return true;
	}
	if (node->kind == BL_RULE_COMPLETE || node->kind == BL_RULE_PARTIAL)
		if (!bl_vm_call(vm, node->function, NULL, 0, &own))
			return false;
	if (node->first_child || node->kind == BL_RULE_NONE) {
		if (!children_document(vm, node, &below) ||
		    !bl_vm_merge(vm, below, own, &own))
			return false;
	}
	return bl_vm_merge(vm, base, own, out_value);
}

static bool base_at(struct bl_vm *vm, const struct bl_node *node,
		    struct bl_value *out_value)
{
	struct bl_value above;

	if (!node->parent) {
		*out_value = vm->data;
		return true;
	}
	return base_at(vm, node->parent, &above) &&
	       base_step(vm, above, node->key, out_value);
}

bool bl_vm_data(struct bl_vm *vm, const struct bl_node *node,
		const struct bl_value *keys, size_t count,
		struct bl_value *out_value)
{
	struct bl_value base;
	struct bl_value value;
	size_t i = 0;

	if (!base_at(vm, node, &base))
		return false;
	for (; node && i < count; i++) {
		if (is_overridden(vm, node)) {
			node = NULL;
			break;
		}
		if (node->kind == BL_RULE_COMPLETE ||
		    node->kind == BL_RULE_PARTIAL)
			break;
		if (!base_step(vm, base, keys[i], &base))
			return false;
		node = bl_node_find_child(node, keys[i]);
		if (node && node->kind == BL_RULE_FUNCTION)
			node = NULL;
	}
	value = base;
	if (node && !document(vm, node, base, &value))
		return false;
	for (; i < count && bl_value_is_defined(value); i++) {
		if (node)
			value = bl_vm_index(value, keys[i]);
		else if (!base_step(vm, value, keys[i], &value))
			return false;
	}
	*out_value = value;
	return true;
}

bool bl_vm_put_path(struct bl_vm *vm, struct bl_value value,
		    const struct bl_value *keys, size_t count,
		    struct bl_value replacement, struct bl_value *out_value)
{
	struct bl_member *members;
	size_t old = bl_value_is(value, BL_KIND_OBJECT) ?
			     bl_value_count(value) :
			     0;
	size_t made = 0;
	struct bl_value below = bl_value_undefined();

	if (count == 0) {
		*out_value = replacement;
		return true;
	}
	members = bl_arena_new_array(vm->arena, struct bl_member, old + 1);
	if (!members)
		return bl_vm_no_memory(vm);
	for (size_t i = 0; i < old; i++) {
		struct bl_value key = bl_object_key(value, i);

		if (bl_value_equal(key, keys[0]))
			below = bl_object_value(value, i);
		else
			members[made++] = (struct bl_member){
				key, bl_object_value(value, i)
			};
	}
	members[made].key = keys[0];
	if (!bl_vm_put_path(vm, below, keys + 1, count - 1, replacement,
			    &members[made].value))
		return false;
	*out_value = bl_object_make(vm->arena, members, made + 1, NULL);
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}
