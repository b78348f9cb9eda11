/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of many rules can hold of a value, without trying each.  The content of an index
 * is worked out in compiler/emit/rule_index_build.c.
 */
#include "rego/runtime/vm.h"

#include <stdlib.h>

struct search {
	struct bl_vm *vm;
	const struct bl_rule_index *rule_index;
	const struct bl_rule_index_entry *entries;
	const uint32_t *rules;
	struct bl_rule_list *list;
	bool failed;
};

static bool make_room(struct search *search, uint32_t count)
{
	struct bl_rule_list *list = search->list;
	size_t cap = list->cap ? list->cap : 16;
	uint32_t *bigger;

	if (list->cap - list->count >= count)
		return true;
	while (cap - list->count < count)
		cap *= 2;
	bigger = bl_arena_alloc(search->vm->arena, cap * sizeof(*bigger));
	if (!bigger) {
		search->failed = true;
		return bl_vm_no_memory(search->vm);
	}
	if (list->count)
		memcpy(bigger, list->rules, list->count * sizeof(*bigger));
	list->rules = bigger;
	list->cap = (uint32_t)cap;
	return true;
}

static void add_entry(struct search *search, uint32_t entry)
{
	const struct bl_rule_index_entry *e = &search->entries[entry];
	struct bl_rule_list *list = search->list;

	if (!make_room(search, e->rule_count))
		return;
	memcpy(list->rules + list->count, search->rules + e->rules_from,
	       e->rule_count * sizeof(*list->rules));
	list->count += e->rule_count;
}

static struct bl_value constant_of(const struct search *search, uint32_t entry)
{
	return bl_program_constant(search->vm->program,
				   search->entries[entry].constant);
}

static void find_equal(struct search *search, struct bl_value subject)
{
	const struct bl_rule_index *rule_index = search->rule_index;
	const uint32_t *slots =
		bl_program_at(search->vm->program, rule_index->equal_slots);
	uint32_t at = (uint32_t)bl_value_hash(subject);

	for (; slots[at & rule_index->equal_mask]; at++) {
		uint32_t entry = slots[at & rule_index->equal_mask] - 1;

		if (bl_value_equal(constant_of(search, entry), subject)) {
			add_entry(search, entry);
			return;
		}
	}
}

/* Compares as entries are sorted; texts of suffixes are read backwards. */
static int compare(struct bl_str a, struct bl_str b, bool backwards)
{
	size_t least = a.len < b.len ? a.len : b.len;
	int c;

	if (!backwards) {
		c = least ? memcmp(a.ptr, b.ptr, least) : 0;
		return c ? c : (a.len > b.len) - (a.len < b.len);
	}
	for (size_t i = 1; i <= least; i++) {
		c = (unsigned char)a.ptr[a.len - i] -
		    (unsigned char)b.ptr[b.len - i];
		if (c)
			return c;
	}
	return (a.len > b.len) - (a.len < b.len);
}

/*
 * Everything that text begins with is the last entry not behind it, or on the
 * chain of that entry's parents.
 */
static void find_beginnings(struct search *search, struct bl_str text,
			    uint32_t from, uint32_t to, bool backwards)
{
	uint32_t first = from;
	uint32_t at;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (compare(bl_value_text(constant_of(search, middle)), text,
			    backwards) <= 0)
			from = middle + 1;
		else
			to = middle;
	}
	for (at = from > first ? from : 0; at;
	     at = search->entries[at - 1].parent) {
		struct bl_str other =
			bl_value_text(constant_of(search, at - 1));

		if (backwards ? bl_str_has_suffix(text, other)
			      : bl_str_has_prefix(text, other))
			add_entry(search, at - 1);
	}
}

static bool is_part(const struct search *search, uint32_t entry,
		    struct bl_str text, size_t at)
{
	struct bl_str part = bl_value_text(constant_of(search, entry));
	size_t before = search->entries[entry].gram_at;

	return at >= before && text.len - (at - before) >= part.len &&
	       (!part.ptr ||
		!memcmp(text.ptr + at - before, part.ptr, part.len));
}

/* The parts whose gram is at byte `at` of the text. */
static void find_at(struct search *search, const uint32_t *slots,
		    struct bl_str text, size_t at, uint32_t len)
{
	uint32_t mask = search->rule_index->gram_mask;
	uint32_t gram = 0;
	uint32_t hash;

	memcpy(&gram, text.ptr + at, len);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	gram = __builtin_bswap32(gram);
#endif
	for (hash = bl_gram_hash(gram, len); slots[hash & mask]; hash++) {
		uint32_t entry = slots[hash & mask] - 1;

		if (search->entries[entry].gram == gram &&
		    search->entries[entry].gram_len == len &&
		    is_part(search, entry, text, at))
			add_entry(search, entry);
	}
}

static void find_parts(struct search *search, struct bl_str text)
{
	const uint32_t *slots = bl_program_at(search->vm->program,
					      search->rule_index->gram_slots);

	for (uint32_t len = 1; len <= 4; len++) {
		if (!(search->rule_index->gram_lens & 1u << len))
			continue;
		for (size_t at = 0; at + len <= text.len; at++)
			find_at(search, slots, text, at, len);
	}
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* In the order in which they were written, each once. */
static void settle(struct bl_rule_list *list)
{
	uint32_t kept = 0;

	if (list->count < 2)
		return;
	qsort(list->rules, list->count, sizeof(*list->rules), compare_numbers);
	for (uint32_t i = 0; i < list->count; i++)
		if (!kept || list->rules[kept - 1] != list->rules[i])
			list->rules[kept++] = list->rules[i];
	list->count = kept;
}

bool bl_vm_find_rules(struct bl_vm *vm, const struct bl_rule_index *rule_index,
		      struct bl_value subject, struct bl_rule_list *list)
{
	struct search search = {
		.vm = vm,
		.rule_index = rule_index,
		.entries = bl_program_at(vm->program, rule_index->entries),
		.rules = bl_program_at(vm->program, rule_index->rules),
		.list = list,
	};
	struct bl_str text = bl_value_text(subject);

	if (rule_index->equal_mask)
		find_equal(&search, subject);
	if (bl_value_is(subject, BL_KIND_STRING)) {
		find_beginnings(&search, text, rule_index->prefix_from,
				rule_index->prefix_to, false);
		find_beginnings(&search, text, rule_index->suffix_from,
				rule_index->suffix_to, true);
		if (rule_index->gram_mask)
			find_parts(&search, text);
	}
	settle(list);
	return !search.failed;
}

bool bl_vm_all_rules(struct bl_vm *vm, const struct bl_rule_index *rule_index,
		     struct bl_rule_list *list)
{
	struct search search = { .vm = vm, .list = list };

	if (!make_room(&search, rule_index->target_count))
		return false;
	for (uint32_t i = 0; i < rule_index->target_count; i++)
		list->rules[i] = i;
	list->count = rule_index->target_count;
	return true;
}
