/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules that need themselves (docs/contracts/rego.md "Conflicts and recursion").
 *
 *     a if b        b if c        c if { b; d }        d if input.x
 *
 * Needs: a -> b, b -> c, c -> b, c -> d.  Nodes that nothing left needs are taken away
 * first: a (nothing needs it).  Then nothing more: b and c need each other, d is needed
 * by c.  The rest is in a cycle or behind one, so from each of them the shortest way
 * back to itself is searched: "rule data.p.b is recursive: data.p.b -> data.p.c ->
 * data.p.b", the same from c; d finds none.  Without cycles everything is taken away, in
 * one pass and without recursion of our own, and the order in which that happened is
 * the one in which types are found out, backwards.
 *
 * Only when nodes are left are their rules looked at one by one, as p[x].a may need
 * p[x].b.
 */
#include "rego/compiler/check/checks.h"

enum {
	MAX_REPORTS = 10, /* OPA stops there as well */
	/* Of rules that need rules; with more, nodes are reported. */
	MAX_RULE_NEEDS = 1 << 18,
	/*
	 * Whether nodes may need each other where none of their rules needs
	 * itself.  Not yet: the machine evaluates all rules of a node at once,
	 * and the order of types is one of nodes.
	 */
	NODES_MAY_BE_CIRCULAR = false,
};

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

/* Nodes or rules, by number, and which need which. */
struct search {
	struct bl_compiler *compiler;
	struct bl_need **needs; /* NULL: absent */
	uint32_t count;
	const struct bl_node **nodes;
	const struct bl_checked_rule **rules; /* of the nodes; NULL: none */
	uint32_t *incoming;                   /* needs of what is left */
	uint32_t *queue;
	uint32_t *came_from; /* the one before on the way; UINT32_MAX: none */
};

static bool begin_search(struct search *search)
{
	struct bl_arena *arena = search->compiler->arena;
	uint32_t count = search->count;

	search->nodes =
		bl_arena_new_array(arena, const struct bl_node *, count + 1);
	search->incoming = bl_arena_new_array(arena, uint32_t, count + 1);
	search->queue = bl_arena_new_array(arena, uint32_t, count + 1);
	search->came_from = bl_arena_new_array(arena, uint32_t, count + 1);
	if (search->nodes && search->incoming && search->queue &&
	    search->came_from)
		return true;
	search->compiler->failed_memory = true;
	return false;
}

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

/* Takes away, again and again, what nothing left needs; how many stay? */
static uint32_t take_away(struct search *search)
{
	uint32_t count = search->count;
	uint32_t done = 0;
	uint32_t taken = 0;

	for (uint32_t i = 0; search->needs && i < count; i++)
		for (const struct bl_need *need = search->needs[i]; need;
		     need = need->next)
			search->incoming[need->to]++;
	for (uint32_t i = 0; i < count; i++)
		if (!search->incoming[i])
			search->queue[taken++] = i;
	while (search->needs && done < taken)
		for (const struct bl_need *need =
			     search->needs[search->queue[done++]];
		     need; need = need->next)
			if (!--search->incoming[need->to])
				search->queue[taken++] = need->to;
	return count - taken;
}

/* The shortest way from one to itself, into came_from. */
static bool find_way(struct search *search, uint32_t start)
{
	uint32_t done = 0;
	uint32_t filled = 0;

	for (uint32_t i = 0; i < search->count; i++)
		search->came_from[i] = UINT32_MAX;
	search->queue[filled++] = start;
	while (done < filled) {
		uint32_t at = search->queue[done++];

		for (const struct bl_need *need = search->needs[at]; need;
		     need = need->next) {
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

/* ---- reporting ------------------------------------------------------------------------ */

static void put_name(const struct search *search, uint32_t at,
		     struct bl_buf *out)
{
	const struct bl_checked_rule *checked =
		search->rules ? search->rules[at] : NULL;
	const struct bl_node *node = search->nodes[at];
	struct bl_rule rule;

	if (!checked) {
		bl_buf_put_str(out, bl_node_path(search->compiler, node));
		return;
	}
	rule = (struct bl_rule){ .syntax = checked->syntax,
				 .module = checked->module,
				 .key_from = SIZE_MAX };
	if (checked->resolved->key_count)
		rule.key_from = checked->syntax->name->count -
				checked->resolved->key_count;
	bl_put_rule_path(out, search->compiler, node, &rule);
}

/* "data.a -> data.b -> data.a", the way that was found. */
static void put_way(const struct search *search, uint32_t start,
		    struct bl_buf *out)
{
	uint32_t count = 0;
	uint32_t at = start;

	do {
		search->queue[count++] = at;
		at = search->came_from[at];
	} while (at != start);
	put_name(search, start, out);
	for (; count > 0; count--) {
		bl_buf_puts(out, " -> ");
		put_name(search, search->queue[count - 1], out);
	}
}

static bool report(struct search *search, uint32_t start)
{
	const struct bl_need *need;
	uint32_t second = start;
	struct bl_buf text;

	if (!find_way(search, start))
		return false;
	while (search->came_from[second] != start)
		second = search->came_from[second];
	/* The need that the way begins with says where. */
	for (need = search->needs[start]; need && need->to != second;)
		need = need->next;
	if (!need)
		return false;
	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "rule ");
	put_name(search, start, &text);
	bl_buf_puts(&text, " is recursive: ");
	put_way(search, start, &text);
	bl_compiler_error(search->compiler, need->module, need->offset,
			  BL_FINDING_RECURSION, "%s", text.ptr);
	bl_buf_clear(&text);
	return true;
}

static bool report_all(struct search *search)
{
	uint32_t reports = 0;

	for (uint32_t i = 0; i < search->count && reports < MAX_REPORTS; i++)
		reports += search->incoming[i] && report(search, i);
	return reports > 0;
}

/* ---- rule by rule ------------------------------------------------------------------------- */

/* Needs of one rule after the other. */
struct collection {
	struct bl_reached reached; /* first: add_need is given this */
	struct search *search;
	uint32_t from;
	uint32_t *last_from; /* by rule: who was the last to need it, + 1 */
	uint32_t total;
};

static void add_need(struct bl_reached *reached,
		     const struct bl_checked_rule *rule)
{
	struct collection *collection = (struct collection *)reached;
	struct search *search = collection->search;
	const struct bl_checked_rule *from = search->rules[collection->from];
	uint32_t to = rule->number;
	struct bl_need *need;

	/* Numbers of others than these rules are those of nothing. */
	if (to >= search->count || search->rules[to] != rule ||
	    collection->last_from[to] == collection->from + 1 ||
	    collection->total == MAX_RULE_NEEDS)
		return;
	collection->last_from[to] = collection->from + 1;
	collection->total++;
	need = bl_arena_new(search->compiler->arena, struct bl_need);
	if (!need) {
		search->compiler->failed_memory = true;
		return;
	}
	*need = (struct bl_need){ .to = to,
				  .module = from->module,
				  .offset = from->syntax->range.from,
				  .next = search->needs[collection->from] };
	search->needs[collection->from] = need;
}

/* Numbers the rules of the nodes that are left, as they were written. */
static void number_rules(const struct search *nodes, struct search *rules)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < nodes->count; i++) {
		struct bl_checked_rule *rule =
			nodes->incoming[i] ? nodes->compiler->checked[i] : NULL;
		uint32_t at;

		for (struct bl_checked_rule *each = rule; each;
		     each = each->next)
			end++;
		for (at = end; rule; rule = rule->next) {
			rule->number = --at;
			rules->rules[at] = rule;
			rules->nodes[at] = nodes->nodes[i];
		}
	}
}

/* Reports rules of the nodes left that need themselves; false: none does. */
static bool report_rules(const struct search *nodes)
{
	struct bl_compiler *compiler = nodes->compiler;
	struct search rules = { .compiler = compiler };
	struct collection collection = { .reached = { add_need },
					 .search = &rules };

	for (uint32_t i = 0; compiler->checked && i < nodes->count; i++)
		for (const struct bl_checked_rule *rule =
			     nodes->incoming[i] ? compiler->checked[i] : NULL;
		     rule; rule = rule->next)
			rules.count++;
	rules.rules = bl_arena_new_array(compiler->arena,
					 const struct bl_checked_rule *,
					 rules.count + 1);
	rules.needs = bl_arena_new_array(compiler->arena, struct bl_need *,
					 rules.count + 1);
	collection.last_from =
		bl_arena_new_array(compiler->arena, uint32_t, rules.count + 1);
	if (!rules.count || !begin_search(&rules) || !rules.rules ||
	    !rules.needs || !collection.last_from)
		return false;
	number_rules(nodes, &rules);
	for (; collection.from < rules.count; collection.from++)
		bl_each_reached(compiler, rules.nodes[collection.from],
				rules.rules[collection.from],
				&collection.reached);
	return collection.total < MAX_RULE_NEEDS && take_away(&rules) &&
	       report_all(&rules);
}

/* ---- the check ---------------------------------------------------------------------------- */

static void list_nodes(struct search *search, const struct bl_node *node)
{
	search->nodes[node->index] = node;
	for (const struct bl_node *child = node->first_child; child;
	     child = child->next_sibling)
		list_nodes(search, child);
}

bool bl_check_recursion(struct bl_compiler *compiler)
{
	struct search search = { .compiler = compiler,
				 .needs = compiler->needs,
				 .count = compiler->node_count };

	if (!begin_search(&search))
		return false;
	list_nodes(&search, compiler->root);
	if (!take_away(&search))
		return note_order(&search);
	if (report_rules(&search) || compiler->failed_memory)
		return false;
	return NODES_MAY_BE_CIRCULAR || !report_all(&search);
}
