/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the rule index of rules that each have one condition on the same value.
 *
 * Of the rules of data.p.deny, with the conditions on input.path
 *
 *     0  startswith(input.path, "/etc/")     3  input.path == "/etc/passwd"
 *     1  startswith(input.path, "/etc/ssh/") 4  endswith(input.path, ".pem")
 *     2  contains(input.path, "id_rsa")      5  input.path in {"/a", "/b"}
 *
 * the entries are sorted by kind, then by text:
 *
 *     equal   "/a" {5}  "/b" {5}  "/etc/passwd" {3}   found by hash
 *     prefix  "/etc/" {0}  "/etc/ssh/" {1}            the second's parent is the first
 *     suffix  ".pem" {4}                              sorted backwards
 *     part    "id_rsa" {2}, by its gram "id_r"        found by hash
 *
 * Looking up "/etc/ssh/id_rsa": no equal entry; the last prefix entry that is not
 * after it is "/etc/ssh/", which it begins with, so rule 1, and by the parent rule 0;
 * each window of four bytes is looked up among the grams, and "id_r" gives rule 2
 * once the whole "id_rsa" is found around it.  Rules 0, 1 and 2 are tried, in this
 * order; 3, 4 and 5 are never looked at.  The gram of a part is the one of its text
 * that the fewest other entries have.
 */
#include "rego/compiler/emit/rule_index.h"

#include <stdlib.h>

enum { GRAM_LEN_MAX = 4 };

/* A condition's item with the number of its rule, to be sorted. */
struct demand {
	struct bl_condition_item item;
	uint32_t rule;
};

struct maker {
	struct bl_emitter *e;
	struct bl_arena *arena;
	struct bl_rule_index rule_index;
	struct demand *demands;
	size_t demand_count;
	struct bl_rule_index_entry *entries;
	uint32_t *rules;
};

/* ---- order ------------------------------------------------------------------ */

static int compare_backwards(struct bl_str a, struct bl_str b)
{
	size_t least = a.len < b.len ? a.len : b.len;

	for (size_t i = 1; i <= least; i++) {
		unsigned char x = (unsigned char)a.ptr[a.len - i];
		unsigned char y = (unsigned char)b.ptr[b.len - i];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return a.len < b.len ? -1 : a.len > b.len;
}

static int compare_demands(const void *a, const void *b)
{
	const struct demand *x = a;
	const struct demand *y = b;
	int c;

	if (x->item.kind != y->item.kind)
		return x->item.kind < y->item.kind ? -1 : 1;
	c = x->item.kind == BL_CONDITION_SUFFIX
		    ? compare_backwards(bl_value_text(x->item.value),
					bl_value_text(y->item.value))
		    : bl_value_compare(x->item.value, y->item.value);
	if (c)
		return c;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

/* ---- entries ---------------------------------------------------------------- */

static bool same_item(const struct bl_condition_item *a,
		      const struct bl_condition_item *b)
{
	return a->kind == b->kind && bl_value_equal(a->value, b->value);
}

static void add_entry(struct maker *maker, const struct demand *demand)
{
	maker->entries[maker->rule_index.entry_count++] =
		(struct bl_rule_index_entry){
			.constant =
				bl_emit_constant(maker->e, demand->item.value),
			.rules_from = maker->rule_index.rules_count,
		};
}

/* Sorted demands become entries; `first` gets where each kind begins. */
static void make_entries(struct maker *maker,
			 uint32_t first[BL_CONDITION_KIND_COUNT + 1])
{
	struct bl_rule_index *rule_index = &maker->rule_index;
	int kind = 0;

	first[0] = 0;
	for (size_t i = 0; i < maker->demand_count; i++) {
		const struct demand *demand = &maker->demands[i];

		while (kind < (int)demand->item.kind)
			first[++kind] = rule_index->entry_count;
		if (i == 0 || !same_item(&demand->item, &demand[-1].item))
			add_entry(maker, demand);
		else if (demand->rule == demand[-1].rule)
			continue;
		maker->rules[rule_index->rules_count++] = demand->rule;
		maker->entries[rule_index->entry_count - 1].rule_count++;
	}
	while (kind < BL_CONDITION_KIND_COUNT)
		first[++kind] = rule_index->entry_count;
}

static struct bl_str text_of(const struct maker *maker, uint32_t entry)
{
	return bl_value_text(bl_program_constant(
		maker->e->builder->program, maker->entries[entry].constant));
}

static bool begins_with(struct bl_str text, struct bl_str other, bool backwards)
{
	return backwards ? bl_str_has_suffix(text, other)
			 : bl_str_has_prefix(text, other);
}

/* In sorted order the entries that one begins with are a stack. */
static void link_parents(struct maker *maker, uint32_t from, uint32_t to,
			 bool backwards)
{
	for (uint32_t i = from; i < to; i++) {
		uint32_t above = i > from ? i : 0; /* entry + 1 */

		while (above &&
		       !begins_with(text_of(maker, i),
				    text_of(maker, above - 1), backwards))
			above = maker->entries[above - 1].parent;
		maker->entries[i].parent = above;
	}
}

/* ---- hashes ----------------------------------------------------------------- */

/* Empty slots for count entries; NULL when memory is out. */
static uint32_t *new_slots(struct maker *maker, size_t count,
			   uint32_t *out_mask)
{
	size_t size = 8;

	while (size < count * 2)
		size *= 2;
	*out_mask = (uint32_t)size - 1;
	return bl_arena_new_array(maker->arena, uint32_t, size);
}

static void put_slot(uint32_t *slots, uint32_t mask, uint32_t hash,
		     uint32_t entry)
{
	while (slots[hash & mask])
		hash++;
	slots[hash & mask] = entry + 1;
}

static bool hash_values(struct maker *maker, uint32_t from, uint32_t to)
{
	const struct bl_program *program = maker->e->builder->program;
	struct bl_rule_index *rule_index = &maker->rule_index;
	uint32_t *slots;

	if (from == to)
		return true;
	slots = new_slots(maker, to - from, &rule_index->equal_mask);
	for (uint32_t i = from; slots && i < to; i++)
		put_slot(slots, rule_index->equal_mask,
			 (uint32_t)bl_value_hash(bl_program_constant(
				 program, maker->entries[i].constant)),
			 i);
	rule_index->equal_slots = bl_program_rel(program, slots);
	return slots != NULL;
}

static uint32_t gram_of(struct bl_str text, size_t at, size_t len)
{
	uint32_t gram = 0;

	for (size_t i = 0; i < len; i++)
		gram |= (uint32_t)(unsigned char)text.ptr[at + i] << (8 * i);
	return gram;
}

/* How many entries would share the gram: the fewer, the better it tells. */
static size_t count_gram(const uint32_t *counts, uint32_t mask, uint32_t gram,
			 uint32_t len)
{
	return counts[bl_gram_hash(gram, len) & mask];
}

/* The rarest gram of an entry's text. */
static void choose_gram(struct maker *maker, uint32_t entry,
			const uint32_t *counts, uint32_t mask)
{
	struct bl_rule_index_entry *e = &maker->entries[entry];
	struct bl_str text = text_of(maker, entry);
	size_t best = SIZE_MAX;

	e->gram_len = text.len < GRAM_LEN_MAX ? (uint32_t)text.len
					      : (uint32_t)GRAM_LEN_MAX;
	for (size_t at = 0; at + e->gram_len <= text.len; at++) {
		uint32_t gram = gram_of(text, at, e->gram_len);
		size_t count = count_gram(counts, mask, gram, e->gram_len);

		if (count >= best)
			continue;
		best = count;
		e->gram = gram;
		e->gram_at = (uint32_t)at;
	}
	maker->rule_index.gram_lens |= 1u << e->gram_len;
}

static bool hash_parts(struct maker *maker, uint32_t from, uint32_t to)
{
	const struct bl_program *program = maker->e->builder->program;
	struct bl_rule_index *rule_index = &maker->rule_index;
	uint32_t mask;
	uint32_t *counts;
	uint32_t *slots;

	if (from == to)
		return true;
	counts = new_slots(maker, (size_t)(to - from) * 16, &mask);
	slots = new_slots(maker, to - from, &rule_index->gram_mask);
	if (!counts || !slots)
		return false;
	for (uint32_t i = from; i < to; i++) {
		struct bl_str text = text_of(maker, i);
		size_t len = text.len < GRAM_LEN_MAX ? text.len : GRAM_LEN_MAX;

		for (size_t at = 0; at + len <= text.len; at++)
			counts[bl_gram_hash(gram_of(text, at, len),
					    (uint32_t)len) &
			       mask]++;
	}
	for (uint32_t i = from; i < to; i++) {
		choose_gram(maker, i, counts, mask);
		put_slot(slots, rule_index->gram_mask,
			 bl_gram_hash(maker->entries[i].gram,
				      maker->entries[i].gram_len),
			 i);
	}
	rule_index->gram_slots = bl_program_rel(program, slots);
	return true;
}

/* ---- all of it -------------------------------------------------------------- */

static bool gather(struct maker *maker, struct bl_condition *const *conditions,
		   size_t count)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		total += conditions[i]->item_count;
	maker->demands = bl_arena_new_array(maker->arena, struct demand, total);
	maker->entries = bl_arena_new_array(maker->arena,
					    struct bl_rule_index_entry, total);
	maker->rules = bl_arena_new_array(maker->arena, uint32_t, total);
	if (!maker->demands || !maker->entries || !maker->rules)
		return false;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < conditions[i]->item_count; j++)
			maker->demands[maker->demand_count++] =
				(struct demand){ conditions[i]->items[j],
						 (uint32_t)i };
	qsort(maker->demands, total, sizeof(struct demand), compare_demands);
	return true;
}

static bool fill(struct maker *maker, size_t count, uint32_t *targets)
{
	const struct bl_program *program = maker->e->builder->program;
	struct bl_rule_index *rule_index = &maker->rule_index;
	uint32_t first[BL_CONDITION_KIND_COUNT + 1];

	make_entries(maker, first);
	rule_index->prefix_from = first[BL_CONDITION_PREFIX];
	rule_index->prefix_to = first[BL_CONDITION_PREFIX + 1];
	rule_index->suffix_from = first[BL_CONDITION_SUFFIX];
	rule_index->suffix_to = first[BL_CONDITION_SUFFIX + 1];
	link_parents(maker, rule_index->prefix_from, rule_index->prefix_to,
		     false);
	link_parents(maker, rule_index->suffix_from, rule_index->suffix_to,
		     true);
	rule_index->entries = bl_program_rel(program, maker->entries);
	rule_index->rules = bl_program_rel(program, maker->rules);
	rule_index->targets = bl_program_rel(program, targets);
	rule_index->target_count = (uint32_t)count;
	return hash_values(maker, first[BL_CONDITION_EQUAL],
			   first[BL_CONDITION_EQUAL + 1]) &&
	       hash_parts(maker, first[BL_CONDITION_PART],
			  first[BL_CONDITION_PART + 1]) &&
	       !maker->e->failed;
}

bool bl_rule_index_make(struct bl_emitter *e,
			struct bl_condition *const *conditions, size_t count,
			uint32_t *out_index, uint32_t **out_targets)
{
	struct bl_program *program = e->builder->program;
	struct maker maker = { .e = e, .arena = e->builder->compiler->arena };
	uint32_t *targets = bl_arena_new_array(maker.arena, uint32_t, count);

	if (!targets || !gather(&maker, conditions, count) ||
	    !fill(&maker, count, targets) ||
	    !bl_emit_grow(e, (void **)&program->rule_indexes,
			  program->rule_index_count,
			  &e->builder->rule_index_cap,
			  sizeof(maker.rule_index))) {
		e->failed = true;
		return false;
	}
	*out_targets = targets;
	*out_index = (uint32_t)program->rule_index_count;
	program->rule_indexes[program->rule_index_count++] = maker.rule_index;
	return true;
}
