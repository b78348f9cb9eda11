/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c: two objects as one.  Bundles, object.union, plans, decisions and what an
 * agent is answered all lay objects over each other; they differ only in whose member
 * counts where both have one.
 */
#include "value/value.h"

struct merging {
	struct bl_arena *arena;
	unsigned how;
};

/* With room for all members of two objects. */
struct members {
	struct bl_member *items;
	size_t count;
};

static enum bl_status merge(const struct merging *m, struct bl_value a,
			    struct bl_value b, unsigned depth,
			    struct bl_value *out_value);

/* Two that are not both objects. */
static enum bl_status choose(const struct merging *m, struct bl_value a,
			     struct bl_value b, struct bl_value *out_value)
{
	if ((m->how & BL_MERGE_AGREE) && !bl_value_equal(a, b))
		return BL_EXISTS;
	*out_value = m->how & BL_MERGE_SECOND ? b : a;
	return BL_OK;
}

static enum bl_status merge_members(const struct merging *m, struct bl_value a,
				    struct bl_value b, unsigned depth,
				    struct members *members)
{
	for (size_t i = 0; i < bl_value_count(a); i++) {
		struct bl_member *to = &members->items[members->count++];
		enum bl_status status = BL_OK;
		struct bl_value other;

		to->key = bl_object_key(a, i);
		to->value = bl_object_value(a, i);
		other = bl_object_find_value(b, to->key);
		if (bl_value_is_defined(other))
			status = merge(m, to->value, other, depth, &to->value);
		if (status)
			return status;
	}
	for (size_t i = 0; i < bl_value_count(b); i++) {
		struct bl_value key = bl_object_key(b, i);

		if (!bl_value_is_defined(bl_object_find_value(a, key)))
			members->items[members->count++] =
				(struct bl_member){ key,
						    bl_object_value(b, i) };
	}
	return BL_OK;
}

static enum bl_status merge(const struct merging *m, struct bl_value a,
			    struct bl_value b, unsigned depth,
			    struct bl_value *out_value)
{
	struct members members = { NULL, 0 };
	struct bl_value made;
	enum bl_status status;

	if (!bl_value_is(a, BL_KIND_OBJECT) || !bl_value_is(b, BL_KIND_OBJECT))
		return choose(m, a, b, out_value);
	if (!depth)
		return m->how & BL_MERGE_WHOLE ? choose(m, a, b, out_value)
					       : BL_LIMIT;
	members.items =
		bl_arena_new_array(m->arena, struct bl_member,
				   bl_value_count(a) + bl_value_count(b) + 1);
	if (!members.items)
		return BL_NO_MEMORY;
	status = merge_members(m, a, b, depth - 1, &members);
	if (status)
		return status;
	made = bl_object_make(m->arena, members.items, members.count, NULL);
	if (!bl_value_is_defined(made))
		return BL_NO_MEMORY;
	*out_value = made;
	return BL_OK;
}

enum bl_status bl_value_merge(struct bl_arena *arena, struct bl_value a,
			      struct bl_value b, struct bl_merge way,
			      struct bl_value *out_value)
{
	struct merging m = { arena, way.how };

	if (!bl_value_is_defined(a) || !bl_value_is_defined(b)) {
		*out_value = bl_value_is_defined(a) ? a : b;
		return BL_OK;
	}
	return merge(&m, a, b, way.depth, out_value);
}
