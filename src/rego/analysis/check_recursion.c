/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules that need themselves (spec/rego.md 1.11).  Nodes that nothing in a
 * cycle needs are taken away first, without recursion of our own, so that the
 * usual case costs one pass.
 */
#include "rego/analysis/checks.h"

enum { MAX_REPORTS = 10 }; /* OPA stops there as well */

void bl_needs_add(struct bl_compiler *compiler, const struct bl_node *from,
		  const struct bl_node *to, const struct bl_rule *rule)
{
	struct bl_need *need;

	if (!compiler->needs) {
		compiler->needs =
			bl_arena_new_array(compiler->arena, struct bl_need *,
					   compiler->node_count);
		if (!compiler->needs) {
			compiler->failed_memory = true;
			return;
		}
	}
	for (need = compiler->needs[from->index]; need; need = need->next)
		if (need->to == to->index)
			return;
	need = bl_arena_new(compiler->arena, struct bl_need);
	if (!need) {
		compiler->failed_memory = true;
		return;
	}
	*need = (struct bl_need){ .to = to->index,
				  .module = rule->module,
				  .offset = rule->syntax->range.from,
				  .next = compiler->needs[from->index] };
	compiler->needs[from->index] = need;
}

struct search {
	struct bl_compiler *compiler;
	const struct bl_node **nodes; /* by index */
	uint32_t *incoming;           /* needs of the nodes that are left */
	uint32_t *queue;
	uint32_t *came_from; /* node before it on the way; UINT32_MAX: none */
};

static bool note_order(struct search *search)
{
	struct bl_compiler *compiler = search->compiler;

	compiler->order = bl_arena_new_array(
		compiler->arena, const struct bl_node *, compiler->node_count);
	if (!compiler->order) {
		compiler->failed_memory = true;
		return false;
	}
	for (uint32_t i = 0; i < compiler->node_count; i++)
		compiler->order[i] = search->nodes[search->queue[i]];
	return true;
}

/* Takes away, again and again, every node that no node left needs. */
static uint32_t take_away(struct search *search)
{
	uint32_t count = search->compiler->node_count;
	uint32_t done = 0;
	uint32_t taken = 0;

	for (uint32_t i = 0; search->compiler->needs && i < count; i++)
		for (const struct bl_need *need = search->compiler->needs[i];
		     need; need = need->next)
			search->incoming[need->to]++;
	for (uint32_t i = 0; i < count; i++)
		if (!search->incoming[i])
			search->queue[taken++] = i;
	while (search->compiler->needs && done < taken)
		for (const struct bl_need *need =
			     search->compiler->needs[search->queue[done++]];
		     need; need = need->next)
			if (!--search->incoming[need->to])
				search->queue[taken++] = need->to;
	return count - taken;
}

/* The shortest way from a node to itself, into came_from. */
static bool find_way(struct search *search, uint32_t start)
{
	uint32_t count = search->compiler->node_count;
	uint32_t done = 0;
	uint32_t filled = 0;

	for (uint32_t i = 0; i < count; i++)
		search->came_from[i] = UINT32_MAX;
	search->queue[filled++] = start;
	while (done < filled) {
		uint32_t at = search->queue[done++];

		for (const struct bl_need *need = search->compiler->needs[at];
		     need; need = need->next) {
			if (search->came_from[need->to] != UINT32_MAX)
				continue;
			search->came_from[need->to] = at;
			if (need->to == start)
				return true;
			search->queue[filled++] = need->to;
		}
	}
	return false;
}

static void put_path(const struct search *search, uint32_t index,
		     struct bl_buf *out)
{
	struct bl_str path =
		bl_node_path(search->compiler, search->nodes[index]);

	bl_buf_printf(out, "%.*s", BL_STR_ARG(path));
}

/* " -> data.a" for each step behind start, as text. */
static void put_way(const struct search *search, uint32_t start,
		    struct bl_buf *out)
{
	uint32_t count = 0;
	uint32_t at = start;

	do {
		search->queue[count++] = at;
		at = search->came_from[at];
	} while (at != start);
	put_path(search, start, out);
	for (; count > 0; count--) {
		bl_buf_puts(out, " -> ");
		put_path(search, search->queue[count - 1], out);
	}
}

static bool report(struct search *search, uint32_t start)
{
	const struct bl_need *need;
	uint32_t second = start;
	struct bl_buf name;
	struct bl_buf way;

	if (!find_way(search, start))
		return false;
	while (search->came_from[second] != start)
		second = search->came_from[second];
	/* The need that the way begins with says where. */
	for (need = search->compiler->needs[start]; need && need->to != second;)
		need = need->next;
	if (!need)
		return false;
	bl_buf_init(&name, 0);
	bl_buf_init(&way, 0);
	put_path(search, start, &name);
	put_way(search, start, &way);
	bl_compiler_error(search->compiler, need->module, need->offset,
			  "rego_recursion_error", "rule %s is recursive: %s",
			  name.ptr, way.ptr);
	bl_buf_clear(&name);
	bl_buf_clear(&way);
	return true;
}

static void list_nodes(struct search *search, const struct bl_node *node)
{
	search->nodes[node->index] = node;
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		list_nodes(search, child);
}

bool bl_check_recursion(struct bl_compiler *compiler)
{
	struct bl_arena *arena = compiler->arena;
	uint32_t count = compiler->node_count;
	struct search search = {
		.compiler = compiler,
		.nodes = bl_arena_new_array(arena, const struct bl_node *,
					    count),
		.incoming = bl_arena_new_array(arena, uint32_t, count),
		.queue = bl_arena_new_array(arena, uint32_t, count + 1),
		.came_from = bl_arena_new_array(arena, uint32_t, count),
	};
	uint32_t reports = 0;

	if (!search.nodes || !search.incoming || !search.queue ||
	    !search.came_from) {
		compiler->failed_memory = true;
		return false;
	}
	list_nodes(&search, compiler->root);
	if (!take_away(&search))
		return note_order(&search);
	for (uint32_t i = 0; i < count && reports < MAX_REPORTS; i++)
		reports += search.incoming[i] && report(&search, i);
	return reports == 0;
}
