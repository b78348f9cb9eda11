/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents: base data overlaid with those of rules (docs/contracts/rego.md
 * "Documents").
 */
#include "rego/runtime/vm.h"

struct bl_value bl_vm_index(struct bl_value value, struct bl_value key)
{
	int64_t index;

	if (bl_value_is(value, BL_KIND_OBJECT))
		return bl_object_find_value(value, key);
	if (bl_value_is(value, BL_KIND_SET))
		return bl_set_has(value, key) ? key : bl_value_undefined();
	if (bl_value_is(value, BL_KIND_ARRAY) &&
	    bl_value_is(key, BL_KIND_NUMBER) &&
	    bl_number_to_integer(key, &index) && index >= 0)
		return bl_value_item(value, (size_t)index);
	return bl_value_undefined();
}

/* An item of an array by the text of its number, or undefined. */
static struct bl_value item_by_text(struct bl_value array, struct bl_str text)
{
	size_t index = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9' || i == 9)
			return bl_value_undefined();
		index = index * 10 + (size_t)(text.ptr[i] - '0');
	}
	return text.len ? bl_value_item(array, index) : bl_value_undefined();
}

bool bl_vm_base_step(struct bl_vm *vm, struct bl_value base,
		     struct bl_value key, struct bl_value *out_value)
{
	struct bl_value text;
	int64_t index;

	*out_value = bl_value_is(base, BL_KIND_ARRAY) &&
				     bl_value_is(key, BL_KIND_STRING)
			     ? item_by_text(base, bl_value_text(key))
			     : bl_vm_index(base, key);
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

static const struct bl_program_node *node_at(const struct bl_vm *vm,
					     uint32_t node)
{
	return &vm->program->nodes[node];
}

/*
 * A child's data is found by its key; by that key as a number as well (see
 * bl_vm_base_step), so keys that are numbers count as base data.
 */
static bool child_is_apart(const struct bl_vm *vm, uint32_t child,
			   struct bl_value base)
{
	struct bl_value key =
		bl_program_constant(vm->program, node_at(vm, child)->key);
	struct bl_value below = bl_vm_index(base, key);

	if (bl_value_is(key, BL_KIND_NUMBER))
		return false;
	return !bl_value_is_defined(below) || bl_vm_is_apart(vm, child, below);
}

bool bl_vm_is_apart(const struct bl_vm *vm, uint32_t node, struct bl_value base)
{
	const struct bl_program_node *of = node_at(vm, node);

	if (of->kind == BL_RULE_COMPLETE)
		return false;
	if (!bl_value_count(base))
		return true;
	for (uint32_t i = 0; i < of->child_count; i++)
		if (!child_is_apart(vm, of->first_child + i, base))
			return false;
	return true;
}

static struct bl_value key_of(const struct bl_vm *vm, uint32_t node)
{
	return bl_program_constant(vm->program, node_at(vm, node)->key);
}

static size_t depth_of(const struct bl_vm *vm, uint32_t node)
{
	size_t depth = 0;

	for (; node; node = node_at(vm, node)->parent)
		depth++;
	return depth;
}

/* Is the node at or below a path that "with" has replaced? */
static bool is_overridden(const struct bl_vm *vm, uint32_t node)
{
	for (const struct bl_override *o = vm->overrides; o; o = o->older) {
		size_t depth = depth_of(vm, node);
		uint32_t at = node;
		bool same = true;

		if (depth < o->count)
			continue;
		for (; depth > o->count; depth--)
			at = node_at(vm, at)->parent;
		for (; same && at; at = node_at(vm, at)->parent)
			same = bl_value_equal(key_of(vm, at), o->keys[--depth]);
		if (same)
			return true;
	}
	return false;
}

/* The conflict of two documents that are not both objects. */
static bool clash(struct bl_vm *vm, const struct bl_program_node *rules,
		  struct bl_value a, struct bl_value b,
		  struct bl_value *out_value)
{
	struct bl_array_builder both;
	struct bl_value list;

	*out_value = a;
	if (!rules || bl_value_equal(a, b))
		return true; /* base data wins */
	if (!bl_value_is(a, BL_KIND_SET) || !bl_value_is(b, BL_KIND_SET))
		return bl_vm_fault(
			vm, BL_FAULT_CONFLICT,
			bl_function_places(
				vm->program,
				&vm->program->functions[rules->function]),
			"object keys must be unique");
	bl_array_builder_init(&both, vm->arena);
	for (size_t i = 0; i < bl_value_count(a); i++)
		bl_array_builder_add(&both, bl_value_item(a, i));
	for (size_t i = 0; i < bl_value_count(b); i++)
		bl_array_builder_add(&both, bl_value_item(b, i));
	list = bl_array_builder_end(&both);
	*out_value =
		bl_set_make(vm->arena, list.as.items, bl_value_count(list));
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}

/*
 * Two documents put together: base data over those of rules (rules is NULL),
 * or those of a node's own rules and of its children (rules is the node, and
 * depth is how far above the values of its rules we are: inside of a value
 * nothing is put together).
 */
static bool merge(struct bl_vm *vm, const struct bl_program_node *rules,
		  size_t depth, struct bl_value a, struct bl_value b,
		  struct bl_value *out_value)
{
	size_t a_count = bl_value_count(a);
	size_t count = 0;
	struct bl_member *members;

	if (!bl_value_is_defined(a) || !bl_value_is_defined(b)) {
		*out_value = bl_value_is_defined(a) ? a : b;
		return true;
	}
	if (!bl_value_is(a, BL_KIND_OBJECT) ||
	    !bl_value_is(b, BL_KIND_OBJECT) || (rules && depth == 0))
		return clash(vm, rules, a, b, out_value);
	members = bl_arena_new_array(vm->arena, struct bl_member,
				     a_count + bl_value_count(b) + 1);
	if (!members)
		return bl_vm_no_memory(vm);
	for (size_t i = 0; i < a_count; i++) {
		struct bl_value key = bl_object_key(a, i);

		members[count].key = key;
		if (!merge(vm, rules, depth - 1, bl_object_value(a, i),
			   bl_object_find_value(b, key), &members[count].value))
			return false;
		count++;
	}
	for (size_t i = 0; i < bl_value_count(b); i++) {
		struct bl_value key = bl_object_key(b, i);

		if (bl_value_is_defined(bl_object_find_value(a, key)))
			continue;
		members[count++] =
			(struct bl_member){ key, bl_object_value(b, i) };
	}
	*out_value = bl_object_make(vm->arena, members, count, NULL);
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}

static bool document(struct bl_vm *vm, uint32_t index, struct bl_value base,
		     struct bl_value *out_value);

/* May a child have a document?  A function may not, and data.system is apart. */
static bool has_document(const struct bl_vm *vm, uint32_t parent,
			 uint32_t child)
{
	const struct bl_program_node *node = node_at(vm, child);

	if (node->kind == BL_RULE_FUNCTION && !node->child_count)
		return false;
	return parent || !bl_str_is(bl_value_text(key_of(vm, child)), "system");
}

/* The documents of the children, as one object. */
static bool children_document(struct bl_vm *vm, uint32_t parent,
			      struct bl_value *out_value)
{
	uint32_t from = node_at(vm, parent)->first_child;
	uint32_t to = from + node_at(vm, parent)->child_count;
	struct bl_array_builder pairs;
	struct bl_value list;

	bl_array_builder_init(&pairs, vm->arena);
	for (uint32_t child = from; child < to; child++) {
		struct bl_value key = key_of(vm, child);
		struct bl_value value;

		if (!has_document(vm, parent, child))
			continue;
		if (!document(vm, child, bl_value_undefined(), &value))
			return false;
		if (!bl_value_is_defined(value))
			continue;
		bl_array_builder_add(&pairs, key);
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

static bool is_document(const struct bl_program_node *node)
{
	return node->kind == BL_RULE_COMPLETE || node->kind == BL_RULE_PARTIAL;
}

/* See BL_COLLECT_BELOW_KEYS. */
static bool is_below_keys(const struct bl_vm *vm, uint32_t index)
{
	for (uint32_t at = index; at; at = node_at(vm, at)->parent)
		if (at != index && node_at(vm, at)->kind == BL_RULE_PARTIAL)
			return true;
	return false;
}

/* All of a node: its rules, its children, and base data below its path. */
static bool document(struct bl_vm *vm, uint32_t index, struct bl_value base,
		     struct bl_value *out_value)
{
	const struct bl_program_node *node = node_at(vm, index);
	struct bl_value own = bl_value_undefined();
	struct bl_value below = bl_value_undefined();

	if (is_overridden(vm, index)) {
		*out_value = base;
		return true;
	}
	if (is_document(node))
		if (!bl_vm_call(vm, node->function, NULL, 0, &own))
			return false;
	if (node->child_count || node->kind == BL_RULE_NONE) {
		if (!children_document(vm, index, &below))
			return false;
		if (!bl_value_count(below) && is_below_keys(vm, index))
			below = bl_value_undefined();
		if (!merge(vm, node, node->key_depth, below, own, &own))
			return false;
	}
	return merge(vm, NULL, 0, base, own, out_value);
}

static bool base_at(struct bl_vm *vm, uint32_t node, struct bl_value *out_value)
{
	struct bl_value above;

	if (!node) {
		*out_value = vm->data;
		return true;
	}
	if (!base_at(vm, node_at(vm, node)->parent, &above))
		return false;
	if (!bl_value_count(above)) {
		*out_value = bl_value_undefined();
		return true;
	}
	return bl_vm_base_step(vm, above, key_of(vm, node), out_value);
}

/* A place in the documents that keys lead to from a node. */
struct place {
	uint32_t node; /* BL_NO_NODE: only base data is there */
	struct bl_value base;
	size_t used; /* keys; a rule's value takes the others */
};

static bool find_place(struct bl_vm *vm, uint32_t node,
		       const struct bl_value *keys, size_t count,
		       struct place *out_place)
{
	struct bl_value base;
	size_t i = 0;

	if (!base_at(vm, node, &base))
		return false;
	for (; node != BL_NO_NODE && i < count; i++) {
		if (is_overridden(vm, node)) {
			node = BL_NO_NODE;
			break;
		}
		if (is_document(node_at(vm, node)))
			break;
		if (!bl_vm_base_step(vm, base, keys[i], &base))
			return false;
		node = bl_program_child(vm->program, node, keys[i]);
		if (node != BL_NO_NODE &&
		    node_at(vm, node)->kind == BL_RULE_FUNCTION)
			node = BL_NO_NODE;
	}
	*out_place = (struct place){ node, base, i };
	return true;
}

bool bl_vm_data(struct bl_vm *vm, uint32_t node, const struct bl_value *keys,
		size_t count, struct bl_value *out_value)
{
	struct place at;
	struct bl_value value;

	/* Most often there is nothing but the rules of the node. */
	if (!count && !vm->overrides && !bl_value_count(vm->data) &&
	    is_document(node_at(vm, node)) && !node_at(vm, node)->child_count)
		return bl_vm_call(vm, node_at(vm, node)->function, NULL, 0,
				  out_value);
	if (!find_place(vm, node, keys, count, &at))
		return false;
	value = at.base;
	if (at.node != BL_NO_NODE && !document(vm, at.node, at.base, &value))
		return false;
	for (size_t i = at.used; i < count && bl_value_is_defined(value); i++) {
		if (at.node != BL_NO_NODE)
			value = bl_vm_index(value, keys[i]);
		else if (!bl_vm_base_step(vm, value, keys[i], &value))
			return false;
	}
	*out_value = value;
	return true;
}

/* Adds the keys of a value. */
static void add_keys(struct bl_array_builder *keys, struct bl_value value)
{
	for (size_t i = 0; i < bl_value_count(value); i++)
		bl_array_builder_add(keys,
				     bl_value_is(value, BL_KIND_OBJECT)
					     ? bl_object_key(value, i)
				     : bl_value_is(value, BL_KIND_SET)
					     ? bl_value_item(value, i)
					     : bl_value_integer((int64_t)i));
}

/* Adds those of the children of a node that may have a document. */
static void add_children(struct bl_vm *vm, uint32_t parent,
			 struct bl_array_builder *keys)
{
	uint32_t from = node_at(vm, parent)->first_child;
	uint32_t to = from + node_at(vm, parent)->child_count;

	for (uint32_t child = from; child < to; child++)
		if (has_document(vm, parent, child))
			bl_array_builder_add(keys, key_of(vm, child));
}

bool bl_vm_data_keys(struct bl_vm *vm, uint32_t node,
		     const struct bl_value *keys, size_t count,
		     struct bl_value *out_keys)
{
	struct bl_array_builder found;
	struct bl_value value;
	struct place at;

	if (!find_place(vm, node, keys, count, &at))
		return false;
	bl_array_builder_init(&found, vm->arena);
	if (at.used == count && at.node != BL_NO_NODE &&
	    !is_document(node_at(vm, at.node)) && !is_overridden(vm, at.node)) {
		add_keys(&found, at.base);
		if (!bl_value_is_defined(at.base) ||
		    bl_value_is(at.base, BL_KIND_OBJECT))
			add_children(vm, at.node, &found);
	} else {
		if (!bl_vm_data(vm, node, keys, count, &value))
			return false;
		add_keys(&found, value);
	}
	value = bl_array_builder_end(&found);
	if (bl_value_is_defined(value))
		value = bl_set_of(vm->arena, value);
	*out_keys = value;
	return bl_value_is_defined(value) || bl_vm_no_memory(vm);
}

bool bl_vm_put_path(struct bl_vm *vm, struct bl_value value,
		    const struct bl_value *keys, size_t count,
		    struct bl_value replacement, struct bl_value *out_value)
{
	struct bl_member *members;
	size_t old =
		bl_value_is(value, BL_KIND_OBJECT) ? bl_value_count(value) : 0;
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
			members[made++] =
				(struct bl_member){ key,
						    bl_object_value(value, i) };
	}
	members[made].key = keys[0];
	if (!bl_vm_put_path(vm, below, keys + 1, count - 1, replacement,
			    &members[made].value))
		return false;
	*out_value = bl_object_make(vm->arena, members, made + 1, NULL);
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}
