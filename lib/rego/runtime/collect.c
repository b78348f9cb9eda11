/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collections built by comprehensions and partial rules (docs/contracts/rego.md
 * "Collecting").
 */
#include "rego/runtime/vm.h"

static bool grow(struct bl_vm *vm, void **items, size_t count, size_t *cap,
		 size_t size)
{
	void *room = bl_arena_room(vm->arena, *items, count, cap, size);

	if (!room)
		return bl_vm_no_memory(vm);
	*items = room;
	return true;
}

/* Only code that no compiler made comes here. */
static bool no_collector(struct bl_vm *vm)
{
	return bl_vm_fault(vm, BL_FAULT_INTERNAL, NULL,
			   "the code adds to what is not a collector");
}

/* Memory taken so far stays for as long as the collector does. */
static void keep_for(struct bl_vm *vm, struct bl_collector *collector)
{
	bl_vm_pin(vm, collector->made_at);
	collector->kept_until = bl_arena_position(vm->arena);
}

/* ---- what is there already ------------------------------------------------ */

/*
 * Sets and objects of many solutions, most of which may be the same: a table of
 * hashes says so at once, so that they take no memory.
 */
enum { LEAST_TABLE = 32 };

static size_t entry_width(const struct bl_collector *collector)
{
	return collector->kind == BL_COLLECT_OBJECT ? 2 : 1;
}

static bool is_document(const struct bl_collector *collector)
{
	return collector->kind >= BL_COLLECT_DOCUMENT;
}

static size_t entry_count(const struct bl_collector *collector)
{
	return collector->count / entry_width(collector);
}

static uint32_t hash_of(const struct bl_document_entry *entry)
{
	uint64_t hash = bl_value_hash(entry->value);

	for (uint32_t i = 0; i < entry->key_count; i++)
		hash = hash * UINT64_C(0x9E3779B97F4A7C15) ^
		       bl_value_hash(entry->keys[i]);
	return (uint32_t)(hash ^ hash >> 32);
}

/* Keys and value of entry i. */
static struct bl_document_entry entry_at(const struct bl_collector *collector,
					 size_t i)
{
	size_t width = entry_width(collector);
	const struct bl_value *item = collector->items + i * width;

	if (is_document(collector))
		return collector->entries[i];
	return (struct bl_document_entry){ .keys = item,
					   .key_count = (uint32_t)width - 1,
					   .value = item[width - 1] };
}

static bool is_entry(const struct bl_document_entry *a,
		     const struct bl_document_entry *b)
{
	if (a->key_count != b->key_count || a->is_set != b->is_set ||
	    !bl_value_equal(a->value, b->value))
		return false;
	for (uint32_t i = 0; i < a->key_count; i++)
		if (!bl_value_equal(a->keys[i], b->keys[i]))
			return false;
	return true;
}

/* A slot: the hash above, entry + 1 below. */
static uint64_t slot_for(uint32_t hash, size_t i)
{
	return (uint64_t)hash << 32 | (uint32_t)(i + 1);
}

/*
 * The slot of an entry, or the empty one where it would be.  Hashes tell nearly all
 * others apart, so that these are not looked at.
 */
static uint64_t *slot_of(const struct bl_collector *collector,
			 const struct bl_document_entry *entry, uint32_t hash)
{
	size_t mask = collector->slot_count - 1;
	size_t at = hash & mask;

	for (; collector->slots[at]; at = (at + 1) & mask) {
		uint64_t slot = collector->slots[at];
		struct bl_document_entry other;

		if (slot >> 32 != hash)
			continue;
		other = entry_at(collector, (uint32_t)slot - 1);
		if (is_entry(&other, entry))
			break;
	}
	return &collector->slots[at];
}

/* No two in a table are alike. */
static void put_slot(struct bl_collector *collector, uint64_t slot)
{
	size_t mask = collector->slot_count - 1;
	size_t at = slot >> 32 & mask;

	while (collector->slots[at])
		at = (at + 1) & mask;
	collector->slots[at] = slot;
}

/* The first slots, of the entries that are there. */
static void fill_slots(struct bl_collector *collector)
{
	for (size_t i = 0; i < entry_count(collector); i++) {
		struct bl_document_entry entry = entry_at(collector, i);
		uint32_t hash = hash_of(&entry);
		uint64_t *slot = slot_of(collector, &entry, hash);

		*slot = *slot ? *slot : slot_for(hash, i);
	}
}

static bool make_slots(struct bl_vm *vm, struct bl_collector *collector)
{
	const uint64_t *old = collector->slots;
	size_t old_count = collector->slot_count;

	collector->slot_count = LEAST_TABLE * 4;
	while (collector->slot_count < entry_count(collector) * 2)
		collector->slot_count *= 2;
	collector->slots =
		bl_arena_new_array(vm->arena, uint64_t, collector->slot_count);
	if (!collector->slots)
		return bl_vm_no_memory(vm);
	keep_for(vm, collector);
	for (size_t i = 0; i < old_count; i++)
		if (old[i])
			put_slot(collector, old[i]);
	if (!old)
		fill_slots(collector);
	return true;
}

/*
 * Is an entry that is about to be added there?  If not, the table has it from
 * now on.  False: a fault.
 */
static bool find_entry(struct bl_vm *vm, struct bl_collector *collector,
		       const struct bl_document_entry *entry, bool *out_found)
{
	size_t count = entry_count(collector);
	uint32_t hash;
	uint64_t *slot;

	*out_found = false;
	if (collector->kind == BL_COLLECT_ARRAY || count < LEAST_TABLE ||
	    count >= UINT32_MAX)
		return true;
	if (count * 4 >= collector->slot_count * 3 &&
	    !make_slots(vm, collector))
		return false;
	hash = hash_of(entry);
	slot = slot_of(collector, entry, hash);
	*out_found = *slot != 0;
	*slot = *slot ? *slot : slot_for(hash, count);
	return true;
}

/* ---- adding --------------------------------------------------------------- */

static bool add_item(struct bl_vm *vm, struct bl_collector *collector,
		     struct bl_value value)
{
	if (!grow(vm, (void **)&collector->items, collector->count,
		  &collector->cap, sizeof(value)))
		return false;
	collector->items[collector->count++] = value;
	return true;
}

bool bl_collector_add(struct bl_vm *vm, struct bl_collector *collector,
		      struct bl_value value)
{
	struct bl_document_entry entry = { .value = value };
	size_t cap;
	bool found;

	if (!collector || (collector->kind != BL_COLLECT_ARRAY &&
			   collector->kind != BL_COLLECT_SET))
		return no_collector(vm);
	if (!find_entry(vm, collector, &entry, &found) || found)
		return !vm->fault;
	cap = collector->cap;
	if (!add_item(vm, collector, value))
		return false;
	if (bl_vm_is_made(value) || collector->cap != cap)
		keep_for(vm, collector);
	return true;
}

bool bl_collector_add_member(struct bl_vm *vm, struct bl_collector *collector,
			     struct bl_value key, struct bl_value value)
{
	struct bl_document_entry entry = { .keys = &key,
					   .key_count = 1,
					   .value = value };
	bool found;

	if (!collector || collector->kind != BL_COLLECT_OBJECT)
		return no_collector(vm);
	if (!find_entry(vm, collector, &entry, &found) || found)
		return !vm->fault;
	if (!add_item(vm, collector, key) || !add_item(vm, collector, value))
		return false;
	keep_for(vm, collector);
	return true;
}

bool bl_collector_add_path(struct bl_vm *vm, struct bl_collector *collector,
			   const struct bl_document_entry *entry)
{
	struct bl_value *copy;
	bool found;

	if (!collector || !is_document(collector))
		return no_collector(vm);
	if (!find_entry(vm, collector, entry, &found) || found)
		return !vm->fault;
	copy = bl_arena_new_array(vm->arena, struct bl_value,
				  entry->key_count + 1u);
	if (!copy)
		return bl_vm_no_memory(vm);
	memcpy(copy, entry->keys, entry->key_count * sizeof(*copy));
	if (!grow(vm, (void **)&collector->entries, collector->count,
		  &collector->cap, sizeof(*collector->entries)))
		return false;
	collector->entries[collector->count] = *entry;
	collector->entries[collector->count++].keys = copy;
	keep_for(vm, collector);
	return true;
}

static bool conflict(struct bl_vm *vm, const struct bl_insn_place *place)
{
	return bl_vm_fault(vm, BL_FAULT_CONFLICT, place,
			   "object keys must be unique");
}

/* Members in the order of their keys (stable), by merging. */
static void sort_members(struct bl_member *members, size_t count,
			 struct bl_member *spare)
{
	size_t half = count / 2;
	size_t i = 0;
	size_t j = half;

	if (count < 2)
		return;
	sort_members(members, half, spare);
	sort_members(members + half, count - half, spare);
	for (size_t k = 0; k < count; k++) {
		bool left = j >= count ||
			    (i < half && bl_value_compare(members[i].key,
							  members[j].key) <= 0);

		spare[k] = members[left ? i++ : j++];
	}
	memcpy(members, spare, count * sizeof(*members));
}

/* An object of pairs (key, value, key, ...); unequal values for one key clash. */
static bool close_object(struct bl_vm *vm, const struct bl_value *pairs,
			 size_t count, const struct bl_insn_place *place,
			 struct bl_value *out_value)
{
	struct bl_member *members =
		bl_arena_new_array(vm->arena, struct bl_member, count + 1);
	struct bl_member *spare =
		bl_arena_new_array(vm->arena, struct bl_member, count + 1);
	size_t kept = 0;

	if (!members || !spare)
		return bl_vm_no_memory(vm);
	for (size_t i = 0; i < count; i++)
		members[i] =
			(struct bl_member){ pairs[i * 2], pairs[i * 2 + 1] };
	sort_members(members, count, spare);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 &&
		    bl_value_equal(members[kept - 1].key, members[i].key)) {
			if (!bl_value_equal(members[kept - 1].value,
					    members[i].value))
				return conflict(vm, place);
			continue;
		}
		members[kept++] = members[i];
	}
	*out_value = bl_object_make(vm->arena, members, kept, NULL);
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}

/* ---- documents --------------------------------------------------------------------------- */

static void sort_entries(struct bl_document_entry *entries, size_t count,
			 size_t level, struct bl_document_entry *spare)
{
	size_t half = count / 2;
	size_t i = 0;
	size_t j = half;

	if (count < 2)
		return;
	sort_entries(entries, half, level, spare);
	sort_entries(entries + half, count - half, level, spare);
	for (size_t k = 0; k < count; k++) {
		bool left = j >= count ||
			    (i < half &&
			     bl_value_compare(entries[i].keys[level],
					      entries[j].keys[level]) <= 0);

		spare[k] = entries[left ? i++ : j++];
	}
	memcpy(entries, spare, count * sizeof(*entries));
}

/* Entries that end at this level: one value, or the members of a set. */
static bool close_leaf(struct bl_vm *vm,
		       const struct bl_document_entry *entries, size_t count,
		       struct bl_value *out_value)
{
	struct bl_value *items;

	if (!entries[0].is_set) {
		for (size_t i = 1; i < count; i++)
			if (entries[i].is_set ||
			    !bl_value_equal(entries[0].value, entries[i].value))
				return conflict(vm, entries[i].place);
		*out_value = entries[0].value;
		return true;
	}
	items = bl_arena_new_array(vm->arena, struct bl_value, count);
	if (!items)
		return bl_vm_no_memory(vm);
	for (size_t i = 0; i < count; i++) {
		if (!entries[i].is_set)
			return conflict(vm, entries[i].place);
		items[i] = entries[i].value;
	}
	*out_value = bl_set_make(vm->arena, items, count);
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}

static bool close_level(struct bl_vm *vm, struct bl_document_entry *entries,
			size_t count, size_t level,
			const struct bl_insn_place *place,
			struct bl_value *out_value)
{
	struct bl_document_entry *spare;
	struct bl_member *members;
	size_t made = 0;
	size_t leaves = 0;

	for (size_t i = 0; i < count; i++)
		leaves += entries[i].key_count == level;
	if (leaves > 0 && leaves < count)
		return conflict(vm, place);
	if (leaves > 0)
		return close_leaf(vm, entries, count, out_value);
	spare = bl_arena_new_array(vm->arena, struct bl_document_entry,
				   count + 1);
	members = bl_arena_new_array(vm->arena, struct bl_member, count + 1);
	if (!spare || !members)
		return bl_vm_no_memory(vm);
	sort_entries(entries, count, level, spare);
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count; to++)
			if (!bl_value_equal(entries[from].keys[level],
					    entries[to].keys[level]))
				break;
		members[made].key = entries[from].keys[level];
		if (!close_level(vm, entries + from, to - from, level + 1,
				 place, &members[made].value))
			return false;
		made++;
	}
	*out_value = bl_object_make(vm->arena, members, made, NULL);
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}

bool bl_collector_close(struct bl_vm *vm, const struct bl_collector *collector,
			const struct bl_insn_place *place,
			struct bl_value *out_value)
{
	if (!collector)
		return no_collector(vm);
	switch (collector->kind) {
	case BL_COLLECT_ARRAY:
		*out_value = bl_array_make(vm->arena, collector->items,
					   collector->count);
		break;
	case BL_COLLECT_SET:
		*out_value = bl_set_make(vm->arena, collector->items,
					 collector->count);
		break;
	case BL_COLLECT_OBJECT:
		return close_object(vm, collector->items, collector->count / 2,
				    place, out_value);
	case BL_COLLECT_DOCUMENT:
	case BL_COLLECT_BELOW_KEYS:
		if (collector->count)
			return close_level(vm, collector->entries,
					   collector->count, 0, place,
					   out_value);
		if (collector->kind == BL_COLLECT_BELOW_KEYS) {
			*out_value = bl_value_undefined();
			return true;
		}
		*out_value = collector->is_set
				     ? bl_set_make(vm->arena, NULL, 0)
				     : bl_object_make(vm->arena, NULL, 0, NULL);
		break;
	}
	return bl_value_is_defined(*out_value) || bl_vm_no_memory(vm);
}
