/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which OPA types rules: as they stand in the files, each behind
 * those that it needs.  It can be seen where a reference needs none of the
 * rules below a package that it leads into.
 */
#include "rego/compiler/types/check_types.h"

#include <stdlib.h>

/* A node with rules, and where the first of them stands. */
struct entry {
	const struct bl_node *node;
	struct bl_str file;
	uint32_t offset;
};

/* A node whose needs are being gone through. */
struct visit {
	uint32_t entry;
	uint32_t *needs; /* entries, in order */
	size_t count;
	size_t next;
};

struct sorter {
	struct checker *checker;
	struct entry *entries;
	size_t count;
	uint32_t *entry_of; /* by node */
	bool *seen;         /* by entry */
	struct visit *visits;
	size_t depth;
	const struct bl_node **order;
	size_t done;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a;
	const struct entry *y = b;
	int order = x->file.ptr == y->file.ptr
			    ? 0
			    : bl_str_compare(x->file, y->file);

	return order ? order
		     : (x->offset > y->offset) - (x->offset < y->offset);
}

static int compare_indices(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void add_entry(struct sorter *sorter, const struct bl_node *node,
		      const struct bl_checked_rule *rule)
{
	struct entry first = { node, rule->module->file,
			       rule->syntax->range.from };

	for (rule = rule->next; rule; rule = rule->next) {
		struct entry other = { node, rule->module->file,
				       rule->syntax->range.from };

		if (compare_entries(&other, &first) < 0)
			first = other;
	}
	sorter->entries[sorter->count++] = first;
}

static bool push(struct sorter *sorter, uint32_t entry)
{
	const struct bl_compiler *compiler = sorter->checker->compiler;
	uint32_t index = sorter->entries[entry].node->index;
	const struct bl_need *first =
		compiler->needs ? compiler->needs[index] : NULL;
	struct visit *visit = &sorter->visits[sorter->depth++];

	*visit = (struct visit){ .entry = entry };
	sorter->seen[entry] = true;
	for (const struct bl_need *need = first; need; need = need->next)
		visit->count++;
	if (!visit->count)
		return true;
	visit->needs = bl_types_alloc(sorter->checker, visit->count,
				      sizeof(*visit->needs));
	if (!visit->needs)
		return false;
	visit->count = 0;
	for (const struct bl_need *need = first; need; need = need->next)
		if (compiler->checked[need->to])
			visit->needs[visit->count++] =
				sorter->entry_of[need->to];
	if (visit->count > 1)
		qsort(visit->needs, visit->count, sizeof(*visit->needs),
		      compare_indices);
	return true;
}

static bool visit_all(struct sorter *sorter)
{
	for (uint32_t i = 0; i < sorter->count; i++) {
		if (!sorter->seen[i] && !push(sorter, i))
			return false;
		while (sorter->depth) {
			struct visit *top = &sorter->visits[sorter->depth - 1];

			if (top->next == top->count) {
				sorter->order[sorter->done++] =
					sorter->entries[top->entry].node;
				sorter->depth--;
			} else if (!sorter->seen[top->needs[top->next++]] &&
				   !push(sorter, top->needs[top->next - 1])) {
				return false;
			}
		}
	}
	return true;
}

const struct bl_node **bl_types_order(struct checker *checker,
				      size_t *out_count)
{
	const struct bl_compiler *compiler = checker->compiler;
	size_t count = compiler->node_count;
	struct sorter sorter = { .checker = checker };

	sorter.entries =
		bl_types_alloc(checker, count, sizeof(*sorter.entries));
	sorter.entry_of =
		bl_types_alloc(checker, count, sizeof(*sorter.entry_of));
	sorter.seen = bl_types_alloc(checker, count, sizeof(*sorter.seen));
	sorter.visits = bl_types_alloc(checker, count, sizeof(*sorter.visits));
	sorter.order = bl_types_alloc(checker, count, sizeof(*sorter.order));
	if (compiler->failed_memory)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct bl_node *node = compiler->order[i];

		if (compiler->checked[node->index])
			add_entry(&sorter, node,
				  compiler->checked[node->index]);
	}
	qsort(sorter.entries, sorter.count, sizeof(*sorter.entries),
	      compare_entries);
	for (uint32_t i = 0; i < sorter.count; i++)
		sorter.entry_of[sorter.entries[i].node->index] = i;
	if (!visit_all(&sorter))
		return NULL;
	*out_count = sorter.done;
	return sorter.order;
}
