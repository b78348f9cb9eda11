/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comprehensions that are looked up by the values of outer names.
 *
 *     some key in keys
 *     names := [e.name | some e in data.edges; lower(e.from) == key]
 *
 * For each key the comprehension goes through all edges.  The emitter makes a second
 * function of it (emit_groups.c), in which key has no value before: it gives the
 * names of all keys at once, each with the key that it belongs to.
 *
 *     FIND_GROUP      the names of key: goes on behind the comprehension
 *     ...             the comprehension as it is written, for when there are no groups
 *
 *     function        for each edge: ADD_TO_GROUP, the key lower(e.from), then e.name
 *
 * A group is a collector of its own, found by the hash of its keys; so what it holds
 * comes in the order in which the comprehension would have collected it.  It is closed
 * when it is asked for, so a conflict of keys in it is found then or never.
 *
 * Nothing may be seen of this but the time it takes:
 *
 *   - Groups are made after the comprehension was found out as it is written at least
 *     once.  Making them may take as many steps as were taken since then, or it is given up
 *     until there were twice as many; steps that were in vain do not count.
 *   - Any fault on the way (a conflict, too many steps, a builtin whose answer may
 *     change) ends the making, and the comprehension itself is evaluated: it comes to
 *     the fault in its own time, or never.
 *   - 1 and 1.0 are equal but not the same.  Where a value may depend on which of the
 *     two the key is, groups with such keys are not used.
 *
 * Groups belong to the values of the other outer names (compared by identity) and to
 * the replacements of "with" under which they were made.
 */
#include "rego/runtime/vm.h"

enum {
	SITES = 16,         /* chains of comprehensions, by number */
	GROUPS_MAX = 8,     /* of one comprehension, for other outer values */
	MISSES_MAX = 16,    /* then nobody looks any more */
	LEAST_STEPS = 32,   /* below that a comprehension is not worth it */
	LEAST_SLOTS = 32,   /* of a table */
	KEY_DEPTH = 4,      /* arrays in arrays in keys */
	STEP_BYTES = 128,   /* that a step of making them may need, about */
	LEAST_BYTES = 4096, /* and what is needed anyway */
};

struct group {
	uint64_t hash;
	const struct bl_value *keys;
	bool has_one_form;     /* of all its keys, in all its solutions */
	struct bl_value value; /* undefined: not closed yet */
	struct bl_collector collector;
};

enum state { STATE_NONE, STATE_MADE, STATE_NEVER };

struct bl_groups {
	struct bl_groups *next;
	const struct bl_vm_memo *memo; /* of the replacements */
	const struct bl_replacement *replacements;
	const struct bl_value *outer; /* values of the other names */
	size_t outer_count;
	enum state state;
	uint64_t begun_at; /* step */
	uint64_t try_at;   /* steps since then */
	size_t container;  /* position: they are kept as long as that */
	size_t kept_until; /* position where something was added last */

	struct bl_value empty; /* what those without a group have */
	enum bl_collector_kind kind;
	bool reads_keys; /* a value may depend on the keys */
	uint32_t key_count;
	struct group *groups;
	size_t count;
	size_t cap;
	uint32_t *slots; /* group + 1 by hash */
	size_t slot_count;
};

struct bl_group_site {
	struct bl_group_site *next;
	uint32_t function;
	uint32_t misses; /* in a row */
	struct bl_groups *groups;
};

/* ---- values ---------------------------------------------------------------- */

/* Not only equal: the same piece of memory, or the same number. */
static bool is_identical(struct bl_value a, struct bl_value b)
{
	if (a.kind != b.kind || a.form != b.form || a.len != b.len)
		return false;
	if (a.kind == BL_KIND_BOOLEAN)
		return a.as.boolean == b.as.boolean;
	return a.kind < BL_KIND_NUMBER || a.as.integer == b.as.integer;
}

/* Is every value that equals it the same, unlike 1 and 1.0? */
static bool has_one_form(struct bl_value value, int depth)
{
	if (value.kind != BL_KIND_ARRAY)
		return value.kind <= BL_KIND_STRING &&
		       (value.kind != BL_KIND_NUMBER || !value.form);
	for (size_t i = 0; i < bl_value_count(value); i++)
		if (!depth || !has_one_form(bl_value_item(value, i), depth - 1))
			return false;
	return true;
}

static bool have_one_form(const struct bl_value *keys, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!has_one_form(keys[i], KEY_DEPTH))
			return false;
	return true;
}

static uint64_t hash_of(const struct bl_value *keys, uint32_t count)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < count; i++)
		hash = hash * UINT64_C(0x9E3779B97F4A7C15) ^
		       bl_value_hash(keys[i]);
	return hash ^ hash >> 32;
}

static bool are_equal(const struct bl_value *a, const struct bl_value *b,
		      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!bl_value_equal(a[i], b[i]))
			return false;
	return true;
}

/* ---- the table of one comprehension ------------------------------------------ */

static void keep(struct bl_vm *vm, struct bl_groups *groups)
{
	bl_vm_pin(vm, groups->container);
	groups->kept_until = bl_arena_position(vm->arena);
}

/* The slot of a group with these keys, or the empty one where it would be. */
static uint32_t *slot_of(const struct bl_groups *groups,
			 const struct bl_value *keys, uint64_t hash)
{
	size_t mask = groups->slot_count - 1;
	size_t at = (size_t)hash & mask;

	while (groups->slots[at]) {
		const struct group *group =
			&groups->groups[groups->slots[at] - 1];

		if (group->hash == hash &&
		    are_equal(group->keys, keys, groups->key_count))
			break;
		at = (at + 1) & mask;
	}
	return &groups->slots[at];
}

static bool grow_slots(struct bl_vm *vm, struct bl_groups *groups)
{
	size_t size = groups->slot_count ? groups->slot_count * 4
					 : (size_t)LEAST_SLOTS;
	uint32_t *slots = bl_arena_new_array(vm->arena, uint32_t, size);

	if (!slots)
		return bl_vm_no_memory(vm);
	groups->slots = slots;
	groups->slot_count = size;
	for (size_t i = 0; i < groups->count; i++)
		*slot_of(groups, groups->groups[i].keys,
			 groups->groups[i].hash) = (uint32_t)i + 1;
	return true;
}

static struct group *new_group(struct bl_vm *vm, struct bl_groups *groups,
			       const struct bl_value *keys, uint64_t hash)
{
	struct bl_value *copy = bl_arena_new_array(vm->arena, struct bl_value,
						   groups->key_count + 1u);
	struct group *room =
		bl_arena_room(vm->arena, groups->groups, groups->count,
			      &groups->cap, sizeof(*groups->groups));

	if (!copy || !room) {
		bl_vm_no_memory(vm);
		return NULL;
	}
	memcpy(copy, keys, groups->key_count * sizeof(*copy));
	groups->groups = room;
	room[groups->count] =
		(struct group){ .hash = hash,
				.keys = copy,
				.has_one_form = true,
				.collector = { .kind = groups->kind,
					       .made_at = groups->container } };
	return &room[groups->count++];
}

/* The group of these keys; NULL: a fault. */
static struct group *get_group(struct bl_vm *vm, struct bl_groups *groups,
			       const struct bl_value *keys)
{
	uint64_t hash = hash_of(keys, groups->key_count);
	struct group *group;
	uint32_t *slot;

	if (groups->count * 2 >= groups->slot_count && !grow_slots(vm, groups))
		return NULL;
	slot = slot_of(groups, keys, hash);
	if (*slot)
		return &groups->groups[*slot - 1];
	group = new_group(vm, groups, keys, hash);
	if (group)
		*slot = (uint32_t)groups->count;
	return group;
}

/* ---- making ------------------------------------------------------------------ */

/* The groups that a function is making (struct bl_vm). */
struct bl_grouping {
	const struct bl_grouping *outer;
	struct bl_groups *groups;
	uint64_t last_step;
	size_t last_position;
};

bool bl_vm_grouping_is_over(const struct bl_vm *vm)
{
	return vm->grouping &&
	       (vm->steps > vm->grouping->last_step ||
		bl_arena_position(vm->arena) > vm->grouping->last_position);
}

bool bl_vm_shows(struct bl_vm *vm, const struct bl_insn_place *place)
{
	return !vm->grouping || bl_vm_fault(vm, BL_FAULT_BUILTIN, place,
					    "not while groups are made");
}

uint64_t bl_vm_grouping_last_step(const struct bl_vm *vm)
{
	return vm->grouping ? vm->grouping->last_step : UINT64_MAX;
}

/* Of the first solution; code that no compiler made may change its mind. */
static bool takes_solution(struct bl_groups *groups, const struct bl_insn *insn)
{
	enum bl_collector_kind kind = (enum bl_collector_kind)insn->n;
	uint32_t key_count = insn->c - (uint32_t)(kind == BL_COLLECT_OBJECT);

	if (kind > BL_COLLECT_OBJECT || !insn->c)
		return false;
	if (!groups->count) {
		groups->kind = kind;
		groups->key_count = key_count;
		groups->reads_keys = insn->a != 0;
	}
	return groups->kind == kind && groups->key_count == key_count;
}

bool bl_vm_add_to_group(struct bl_vm *vm, const struct bl_insn *insn,
			const struct bl_value *keys)
{
	struct bl_groups *groups = vm->grouping ? vm->grouping->groups : NULL;
	const struct bl_value *value = keys + insn->c;
	struct group *group;

	if (!groups || !takes_solution(groups, insn))
		return bl_vm_fault(vm, BL_FAULT_INTERNAL, NULL,
				   "the code adds to what is not a group");
	if (bl_vm_grouping_is_over(vm))
		return bl_vm_fault(vm, BL_FAULT_CANCEL, NULL,
				   "grouping takes too long");
	group = get_group(vm, groups, keys);
	if (!group)
		return false;
	group->has_one_form &=
		!groups->reads_keys || have_one_form(keys, groups->key_count);
	if (!(groups->kind == BL_COLLECT_OBJECT
		      ? bl_collector_add_member(vm, &group->collector,
						value[-1], *value)
		      : bl_collector_add(vm, &group->collector, *value)))
		return false;
	keep(vm, groups);
	return true;
}

/* How far the arena may come: half of what is left, and not more than is usual. */
static size_t last_position(const struct bl_vm *vm, uint64_t steps)
{
	const struct bl_arena *arena = vm->arena;
	size_t bytes = (arena->limit_bytes - arena->used_bytes) / 2;

	if (steps < (bytes - bytes / 4) / STEP_BYTES)
		bytes = (size_t)steps * STEP_BYTES + LEAST_BYTES;
	return bl_arena_position(arena) + bytes;
}

static void forget_fault(struct bl_vm *vm)
{
	vm->fault = BL_FAULT_NONE;
	vm->fault_message = (struct bl_str){ 0 };
	vm->fault_place = (struct bl_insn_place){ 0 };
}

/* Calls the function; false: it did not come to its end, and no trace is left. */
static bool run_function(struct bl_vm *vm, struct bl_groups *groups,
			 uint32_t function, uint64_t steps)
{
	struct bl_vm before = *vm;
	struct bl_grouping grouping = { .outer = vm->grouping,
					.groups = groups,
					.last_step = vm->steps + steps,
					.last_position =
						last_position(vm, steps) };
	bool ok;

	if (grouping.last_step > bl_vm_grouping_last_step(vm))
		grouping.last_step = bl_vm_grouping_last_step(vm);
	if (vm->limits.steps && grouping.last_step > vm->limits.steps)
		grouping.last_step = vm->limits.steps;
	if (vm->next_check > grouping.last_step)
		vm->next_check = grouping.last_step;
	vm->grouping = &grouping;
	ok = bl_vm_call(vm, function, groups->outer, groups->outer_count,
			&groups->empty);
	vm->grouping = grouping.outer;
	vm->next_check = before.next_check;
	if (ok) {
		keep(vm, groups);
		return true;
	}
	vm->steps = before.steps;
	vm->input = before.input;
	vm->data = before.data;
	vm->memo = before.memo;
	vm->replacements = before.replacements;
	vm->overrides = before.overrides;
	return false;
}

/* False: a fault that the comprehension would come to as well. */
static bool make_groups(struct bl_vm *vm, struct bl_groups *groups,
			uint32_t function)
{
	uint64_t steps;
	bool is_over;

	/* It was begun inside a making that was given up. */
	if (groups->begun_at > vm->steps)
		groups->begun_at = vm->steps;
	steps = vm->steps - groups->begun_at;
	if (steps < LEAST_STEPS || steps < groups->try_at)
		return true;
	if (run_function(vm, groups, function, steps)) {
		groups->state = STATE_MADE;
		return true;
	}
	if (bl_arena_status(vm->arena))
		return false;
	is_over = vm->fault == BL_FAULT_CANCEL;
	groups->state = is_over ? STATE_NONE : STATE_NEVER;
	groups->try_at = steps * 2;
	groups->groups = NULL;
	groups->slots = NULL;
	groups->count = groups->cap = groups->slot_count = 0;
	forget_fault(vm);
	return true;
}

/* ---- finding ----------------------------------------------------------------- */

static struct bl_group_site *get_site(struct bl_vm *vm, uint32_t function)
{
	struct bl_group_site **chain;
	struct bl_group_site *site;

	if (!vm->group_sites) {
		vm->group_sites = bl_arena_new_array(
			vm->arena, struct bl_group_site *, SITES);
		bl_vm_pin(vm, 0);
	}
	if (!vm->group_sites)
		return NULL;
	chain = &vm->group_sites[function % SITES];
	for (site = *chain; site; site = site->next)
		if (site->function == function)
			return site;
	site = bl_arena_new(vm->arena, struct bl_group_site);
	if (!site)
		return NULL;
	site->function = function;
	site->next = *chain;
	*chain = site;
	bl_vm_pin(vm, 0);
	return site;
}

static bool are_of(const struct bl_vm *vm, const struct bl_groups *groups,
		   const struct bl_value *outer, size_t count)
{
	if (groups->memo != vm->memo ||
	    groups->replacements != vm->replacements)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!is_identical(groups->outer[i], outer[i]))
			return false;
	return true;
}

/* Without groups yet; the oldest of too many are forgotten. */
static struct bl_groups *new_groups(struct bl_vm *vm,
				    struct bl_group_site *site,
				    const struct bl_value *outer, size_t count)
{
	struct bl_groups *groups = bl_arena_new(vm->arena, struct bl_groups);
	struct bl_value *copy =
		bl_arena_new_array(vm->arena, struct bl_value, count + 1);
	struct bl_groups *at = groups;

	if (!groups || !copy)
		return NULL;
	if (count)
		memcpy(copy, outer, count * sizeof(*copy));
	*groups = (struct bl_groups){ .next = site->groups,
				      .memo = vm->memo,
				      .replacements = vm->replacements,
				      .outer = copy,
				      .outer_count = count,
				      .begun_at = vm->steps,
				      .container = vm->memo->made_at };
	for (size_t i = 0; i < count; i++) {
		size_t position = bl_vm_is_made(copy[i])
					  ? bl_arena_position_of(
						    vm->arena, copy[i].as.text)
					  : 0;

		if (position >= groups->container)
			groups->container = position + 1;
	}
	site->groups = groups;
	for (size_t i = 1; at && i < GROUPS_MAX; i++)
		at = at->next;
	if (at)
		at->next = NULL;
	keep(vm, groups);
	return groups;
}

/* False: a fault.  NULL: the comprehension is to be evaluated. */
static bool find_groups(struct bl_vm *vm, uint32_t function,
			const struct bl_value *outer, size_t count,
			struct bl_groups **out_groups)
{
	struct bl_group_site *site = get_site(vm, function);
	struct bl_groups *groups;

	*out_groups = NULL;
	if (!site)
		return bl_vm_no_memory(vm);
	if (site->misses == MISSES_MAX)
		return true;
	for (groups = site->groups; groups; groups = groups->next)
		if (are_of(vm, groups, outer, count))
			break;
	if (!groups) {
		site->misses++;
		return new_groups(vm, site, outer, count) ||
		       bl_vm_no_memory(vm);
	}
	site->misses = 0;
	if (groups->state == STATE_NONE && !make_groups(vm, groups, function))
		return false;
	if (groups->state == STATE_MADE)
		*out_groups = groups;
	return true;
}

/* Gives the group its value; it stays undefined when it has to be found out otherwise. */
static bool close_group(struct bl_vm *vm, struct bl_groups *groups,
			struct group *group)
{
	struct bl_value value;

	if (bl_value_is_defined(group->value))
		return true;
	if (!bl_collector_close(vm, &group->collector, NULL, &value)) {
		if (bl_arena_status(vm->arena))
			return false;
		forget_fault(vm);
		return true;
	}
	if (bl_value_weight(value) <= BL_VM_MAX_WEIGHT)
		group->value = value;
	keep(vm, groups);
	return true;
}

bool bl_vm_find_group(struct bl_vm *vm, const struct bl_insn *insn,
		      const struct bl_value *keys, struct bl_value *out_value)
{
	uint32_t outer_count = vm->program->functions[insn->n].arity;
	uint32_t key_count = insn->c - outer_count;
	struct bl_groups *groups;
	struct group *group;
	uint32_t slot;

	*out_value = bl_value_undefined();
	if (vm->conflicts)
		return true;
	if (!find_groups(vm, insn->n, keys + key_count, outer_count, &groups))
		return false;
	if (!groups)
		return true;
	slot = groups->count && groups->key_count == key_count
		       ? *slot_of(groups, keys, hash_of(keys, key_count))
		       : 0;
	if (!slot) {
		*out_value = groups->empty;
		return true;
	}
	group = &groups->groups[slot - 1];
	if (groups->reads_keys &&
	    !(group->has_one_form && have_one_form(keys, key_count)))
		return true;
	if (!close_group(vm, groups, group))
		return false;
	*out_value = group->value;
	return true;
}

void bl_vm_drop_groups(struct bl_vm *vm, size_t position)
{
	struct bl_groups **at;

	if (!vm->group_sites)
		return;
	if (bl_arena_is_newer(vm->arena, position, vm->group_sites)) {
		vm->group_sites = NULL;
		return;
	}
	for (size_t i = 0; i < SITES; i++) {
		while (vm->group_sites[i] &&
		       bl_arena_is_newer(vm->arena, position,
					 vm->group_sites[i]))
			vm->group_sites[i] = vm->group_sites[i]->next;
		for (struct bl_group_site *site = vm->group_sites[i]; site;
		     site = site->next)
			for (at = &site->groups; *at;) {
				if ((*at)->kept_until > position)
					*at = (*at)->next;
				else
					at = &(*at)->next;
			}
	}
}
