/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking up the rounds of a loop whose value has a certain part.
 *
 *     some id in input.ids
 *     some user in data.users          # 10,000 rounds for each id
 *     user.id == id                    # compared with what is known before the loop
 *
 * The emitter marks such a loop (LOOP_BEGIN_WHERE) with the path of the part, ["id"],
 * and the register of the other side.  The first time a collection is gone through as
 * it is: a table would cost more than it saves.  When the same one is asked for again
 * (for the second id), the hash of user.id of each round goes into a table:
 *
 *     heads[hash & mask] -> round + 1 -> following[round] -> ... -> 0
 *
 * rounds of one hash chained in their order, so that results come as without the table.
 * The comparison itself stays in the code, so equal hashes of other values do no harm.
 */
#include "rego/runtime/vm.h"

enum {
	LEAST_ROUNDS = 8, /* below that going through is as good */
	JOINS_MAX = 32,   /* collections that are remembered */
};

/* The rounds of one collection by the hash of one part. */
struct bl_join {
	struct bl_join *next;
	const void *members; /* identity of the collection */
	uint32_t path;       /* constant */
	uint32_t mask;
	uint32_t *heads; /* round + 1; NULL: not made yet */
	uint32_t *following;
	uint32_t *hashes;
};

static const void *identity(struct bl_value collection)
{
	return bl_value_is(collection, BL_KIND_OBJECT)
		       ? (const void *)collection.as.object
		       : (const void *)collection.as.items;
}

static struct bl_join *find_join(struct bl_vm *vm, struct bl_value collection,
				 uint32_t path, bool *out_is_new)
{
	const void *members = identity(collection);
	struct bl_join *join;
	size_t count = 0;

	*out_is_new = false;
	for (join = vm->joins; join; join = join->next, count++)
		if (join->members == members && join->path == path)
			return join;
	if (count >= JOINS_MAX)
		return NULL;
	join = bl_arena_new(vm->arena, struct bl_join);
	if (!join)
		return NULL;
	join->members = members;
	join->path = path;
	join->next = vm->joins;
	vm->joins = join;
	*out_is_new = true;
	return join;
}

/* The value of a round: of an object in the order of its keys. */
static struct bl_value value_of(struct bl_value collection, size_t round)
{
	if (bl_value_is(collection, BL_KIND_OBJECT))
		return bl_object_value(
			collection, bl_object_sorted_index(collection, round));
	return bl_value_item(collection, round);
}

static struct bl_value part_of(struct bl_value value, struct bl_value path)
{
	for (size_t i = 0; i < bl_value_count(path); i++)
		value = bl_vm_index(value, bl_value_item(path, i));
	return value;
}

static bool make_table(struct bl_vm *vm, struct bl_join *join,
		       struct bl_value collection)
{
	struct bl_value path = bl_program_constant(vm->program, join->path);
	size_t count = bl_value_count(collection);
	size_t size = 16;

	while (size < count)
		size *= 2;
	join->mask = (uint32_t)size - 1;
	join->following = bl_arena_new_array(vm->arena, uint32_t, count);
	join->hashes = bl_arena_new_array(vm->arena, uint32_t, count);
	join->heads = bl_arena_new_array(vm->arena, uint32_t, size);
	if (!join->following || !join->hashes || !join->heads)
		return bl_vm_no_memory(vm);
	/* From the last on, so that the first one is found first. */
	for (size_t i = count; i-- > 0;) {
		struct bl_value part = part_of(value_of(collection, i), path);
		uint32_t hash = (uint32_t)bl_value_hash(part);

		join->hashes[i] = hash;
		if (!bl_value_is_defined(part))
			continue;
		join->following[i] = join->heads[hash & join->mask];
		join->heads[hash & join->mask] = (uint32_t)i + 1;
	}
	/* It is worth as long as the collection is. */
	bl_vm_pin(vm, bl_arena_position_of(vm->arena, join->members) + 1);
	return true;
}

void bl_vm_drop_joins(struct bl_vm *vm, size_t position)
{
	struct bl_join **at = &vm->joins;
	struct bl_join *join;

	while ((join = *at)) {
		if (bl_arena_is_newer(vm->arena, position, join)) {
			*at = join->next;
			continue;
		}
		if (bl_arena_is_newer(vm->arena, position, join->heads) ||
		    bl_arena_is_newer(vm->arena, position, join->following) ||
		    bl_arena_is_newer(vm->arena, position, join->hashes))
			join->heads = NULL;
		at = &join->next;
	}
}

bool bl_vm_look_up(struct bl_vm *vm, struct bl_value collection,
		   struct bl_value key, uint32_t path,
		   struct bl_join_cursor **out_cursor)
{
	struct bl_join_cursor *cursor;
	struct bl_join *join;
	bool is_new;

	*out_cursor = NULL;
	if (bl_value_count(collection) < LEAST_ROUNDS)
		return true;
	join = find_join(vm, collection, path, &is_new);
	if (!join || is_new)
		return true;
	if (!join->heads && !make_table(vm, join, collection))
		return false;
	cursor = bl_arena_new(vm->arena, struct bl_join_cursor);
	if (!cursor)
		return bl_vm_no_memory(vm);
	cursor->join = join;
	cursor->collection = collection;
	cursor->hash = (uint32_t)bl_value_hash(key);
	cursor->next = join->heads[cursor->hash & join->mask];
	*out_cursor = cursor;
	return true;
}

size_t bl_vm_next_round(struct bl_join_cursor *cursor)
{
	const struct bl_join *join = cursor->join;

	while (cursor->next) {
		uint32_t round = cursor->next - 1;

		cursor->next = join->following[round];
		if (join->hashes[round] == cursor->hash)
			return round;
	}
	return SIZE_MAX;
}
