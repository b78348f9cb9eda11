/* SPDX-License-Identifier: Apache-2.0 */
/* Members of sets and objects of a syntax tree, in the order of OPA. */
#include <stdlib.h>

#include "rego/tools/ast_json.h"

static int compare_nodes(struct bl_value a, struct bl_value b);

static struct bl_value part(struct bl_value node, const char *name)
{
	return bl_object_find(node, bl_str(name));
}

/* Lists of nodes, or of lists of them. */
static int compare_lists(struct bl_value a, struct bl_value b)
{
	size_t left = bl_value_count(a);
	size_t right = bl_value_count(b);

	for (size_t i = 0; i < left && i < right; i++) {
		int order =
			compare_nodes(bl_value_item(a, i), bl_value_item(b, i));

		if (order)
			return order;
	}
	return left < right ? -1 : left > right;
}

static int compare_comprehensions(struct bl_value a, struct bl_value b)
{
	static const char *const heads[] = { "key", "value", "term" };

	for (size_t i = 0; i < BL_COUNT(heads); i++) {
		int order = bl_value_is_defined(part(a, heads[i]))
				    ? compare_nodes(part(a, heads[i]),
						    part(b, heads[i]))
				    : 0;

		if (order)
			return order;
	}
	return bl_value_compare(part(a, "body"), part(b, "body"));
}

/* Types in order, and how two values of one are compared. */
static const struct {
	const char *type;
	int (*compare)(struct bl_value a, struct bl_value b);
} types[] = {
	{ "null", bl_value_compare },
	{ "boolean", bl_value_compare },
	{ "number", bl_value_compare },
	{ "string", bl_value_compare },
	{ "templatestring", bl_value_compare },
	{ "var", bl_value_compare },
	{ "ref", compare_lists },
	{ "array", compare_lists },
	{ "object", compare_lists },
	{ "set", compare_lists },
	{ "arraycomprehension", compare_comprehensions },
	{ "objectcomprehension", compare_comprehensions },
	{ "setcomprehension", compare_comprehensions },
	{ "call", compare_lists },
};

static size_t rank_of(struct bl_value node)
{
	struct bl_str type = bl_value_text(part(node, "type"));
	size_t rank = 0;

	while (rank < BL_COUNT(types) && !bl_str_is(type, types[rank].type))
		rank++;
	return rank;
}

/* Trees are as deep as the parser lets them be: BL_REGO_MAX_NESTING. */
static int compare_nodes(struct bl_value a, struct bl_value b)
{
	size_t left;
	size_t right;

	if (bl_value_is(a, BL_KIND_ARRAY))
		return compare_lists(a, b);
	left = rank_of(a);
	right = rank_of(b);
	if (left != right)
		return left < right ? -1 : 1;
	return left < BL_COUNT(types)
		       ? types[left].compare(part(a, "value"), part(b, "value"))
		       : bl_value_compare(a, b);
}

/* A member; of an object: the pair of key and value. */
struct member {
	struct bl_value key;
	struct bl_value value;
	size_t index;
};

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left;
	const struct member *b = right;
	int order = compare_nodes(a->key, b->key);

	if (order)
		return order;
	return a->index < b->index ? -1 : 1;
}

struct bl_value bl_ast_in_order(struct bl_arena *arena, struct bl_value list,
				bool is_object)
{
	size_t count = bl_value_count(list);
	struct member *members =
		bl_arena_new_array(arena, struct member, count + 1);
	struct bl_array_builder out;

	if (!members)
		return list;
	for (size_t i = 0; i < count; i++) {
		struct bl_value item = bl_value_item(list, i);

		members[i] = (struct member){
			.key = is_object ? bl_value_item(item, 0) : item,
			.value = is_object ? bl_value_item(item, 1) : item,
			.index = i,
		};
	}
	qsort(members, count, sizeof(*members), compare_members);
	bl_array_builder_init(&out, arena);
	for (size_t i = 0; i < count;) {
		struct bl_value pair[2] = { members[i].key, members[i].value };

		/* Of equal keys the last one's value is left. */
		while (++i < count && !compare_nodes(pair[0], members[i].key))
			pair[1] = members[i].value;
		bl_array_builder_add(&out,
				     is_object ? bl_array_make(arena, pair, 2)
					       : pair[0]);
	}
	return bl_array_builder_end(&out);
}
