/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/map.c: names as small numbers, and maps from those numbers that cost
 * nothing to copy.
 *
 * The walk copies all it knows wherever ways part, and joins it where they meet.
 * A map is a tree with eight children a node that is never changed: setting makes
 * new nodes on the way to the entry (one while there are eight names), and two
 * maps that come from one share all other nodes, so joining them costs what they
 * differ in.
 */
#include "effects/private.h"

struct node {
	const void *children[8];
};

static uint64_t hash(struct bl_str name)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < name.len; i++)
		h = (h ^ (unsigned char)name.ptr[i]) * 0x100000001b3u;
	return h ^ h >> 29;
}

static uint32_t *find_slot(const struct effects_names *names,
			   struct bl_str name)
{
	size_t at = hash(name) & (names->slot_count - 1);

	while (names->slots[at] &&
	       !bl_str_equal(names->items[names->slots[at] - 1], name))
		at = (at + 1) & (names->slot_count - 1);
	return &names->slots[at];
}

static bool grow_slots(struct bl_arena *arena, struct effects_names *names)
{
	size_t count = names->slot_count ? names->slot_count * 2 : 32;
	uint32_t *slots = bl_arena_new_array(arena, uint32_t, count);

	if (!slots)
		return false;
	names->slots = slots;
	names->slot_count = count;
	for (size_t i = 0; i < names->count; i++)
		*find_slot(names, names->items[i]) = (uint32_t)i + 1;
	return true;
}

uint32_t effects_name_id(struct bl_arena *arena, struct effects_names *names,
			 struct bl_str name)
{
	struct bl_str *items;
	uint32_t *slot;

	if (names->count * 2 >= names->slot_count && !grow_slots(arena, names))
		return 0;
	slot = find_slot(names, name);
	if (*slot)
		return *slot - 1;
	items = bl_arena_room(arena, names->items, names->count, &names->cap,
			      sizeof(*items));
	if (!items)
		return 0;
	names->items = items;
	items[names->count++] = name;
	*slot = (uint32_t)names->count;
	return *slot - 1;
}

const void *effects_map_get(struct effects_map map, uint32_t id)
{
	const void *at = map.root;

	if (map.depth < 10 && id >> (3 * map.depth))
		return NULL;
	for (uint32_t level = map.depth; at && level > 0; level--)
		at = ((const struct node *)at)
			     ->children[id >> (3 * (level - 1)) & 7];
	return at;
}

static const void *set(struct bl_arena *arena, const void *at, uint32_t level,
		       uint32_t id, const void *value)
{
	struct node *node;
	uint32_t child;

	if (!level)
		return value;
	node = bl_arena_new(arena, struct node);
	if (!node)
		return at;
	if (at)
		*node = *(const struct node *)at;
	child = id >> (3 * (level - 1)) & 7;
	node->children[child] =
		set(arena, node->children[child], level - 1, id, value);
	return node;
}

/* A copy of the map with at least depth levels. */
static struct effects_map deepen(struct bl_arena *arena, struct effects_map map,
				 uint32_t depth)
{
	while (map.depth < depth) {
		struct node *node = NULL;

		if (map.root) {
			node = bl_arena_new(arena, struct node);
			if (!node)
				return map;
			node->children[0] = map.root;
		}
		map.root = node;
		map.depth++;
	}
	return map;
}

struct effects_map effects_map_set(struct bl_arena *arena,
				   struct effects_map map, uint32_t id,
				   const void *value)
{
	uint32_t depth = 1;

	while (depth < 10 && id >> (3 * depth))
		depth++;
	map = deepen(arena, map, depth);
	if (map.depth >= depth)
		map.root = set(arena, map.root, map.depth, id, value);
	return map;
}

static const void *merge_nodes(struct bl_arena *arena, const void *a,
			       const void *b, uint32_t level,
			       effects_merge *merge, void *context)
{
	const struct node *left = a;
	const struct node *right = b;
	struct node *node;

	if (a == b)
		return a;
	if (!level)
		return merge(context, a, b);
	node = bl_arena_new(arena, struct node);
	if (!node)
		return a;
	for (int i = 0; i < 8; i++)
		node->children[i] =
			merge_nodes(arena, left ? left->children[i] : NULL,
				    right ? right->children[i] : NULL,
				    level - 1, merge, context);
	return node;
}

struct effects_map effects_map_merge(struct bl_arena *arena,
				     struct effects_map a, struct effects_map b,
				     effects_merge *merge, void *context)
{
	a = deepen(arena, a, b.depth);
	b = deepen(arena, b, a.depth);
	if (a.depth == b.depth)
		a.root = merge_nodes(arena, a.root, b.root, a.depth, merge,
				     context);
	return a;
}
