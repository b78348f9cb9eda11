/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk, graph.reachable and graph.reachable_paths: builtins whose answer can be
 * far larger than what they are given.
 */
#include "rego/builtins/functions.h"

/* ---- walk --------------------------------------------------------------- */

struct walker {
	struct bl_arena *arena;
	struct bl_array_builder found;
	struct bl_array_builder path;
};

static void visit(struct walker *walker, struct bl_value value);

static void visit_under(struct walker *walker, struct bl_value key,
			struct bl_value value)
{
	bl_array_builder_add(&walker->path, key);
	if (!walker->path.failed)
		visit(walker, value);
	walker->path.count -= !walker->path.failed;
}

static void visit(struct walker *walker, struct bl_value value)
{
	struct bl_value path = bl_array_make(walker->arena, walker->path.items,
					     walker->path.count);
	struct bl_value pair[2] = { path, value };

	if (!bl_value_is_defined(path)) {
		walker->found.failed = true;
		return;
	}
	bl_array_builder_add(&walker->found,
			     bl_array_make(walker->arena, pair, 2));
	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_value item = bl_value_item(value, i);

		if (walker->found.failed)
			return;
		if (bl_value_is(value, BL_KIND_ARRAY)) {
			visit_under(walker, bl_value_integer((int64_t)i), item);
		} else if (bl_value_is(value, BL_KIND_SET)) {
			visit_under(walker, item, item);
		} else {
			size_t member = bl_object_sorted_index(value, i);

			visit_under(walker, bl_object_key(value, member),
				    bl_object_value(value, member));
		}
	}
}

bool bl_fn_walk(struct bl_builtin_call *call)
{
	struct walker walker = { .arena = call->arena };

	bl_array_builder_init(&walker.found, call->arena);
	bl_array_builder_init(&walker.path, call->arena);
	visit(&walker, call->args[0]);
	if (walker.path.failed)
		return bl_builtin_memory_fault(call);
	return bl_builtin_return(call, bl_array_builder_end(&walker.found));
}

/* ---- reachable ---------------------------------------------------------- */

/*
 * seen says for each member of the graph whether it was reached; queue holds
 * those whose neighbours are still to be looked at.
 */
struct search {
	struct bl_value graph;
	bool *seen;
	size_t *queue;
	size_t count;
};

static void reach(struct search *search, struct bl_value nodes)
{
	for (size_t i = 0; i < bl_value_count(nodes); i++) {
		size_t at = bl_object_find_index(search->graph,
						 bl_value_item(nodes, i));

		if (at == SIZE_MAX || search->seen[at])
			continue;
		search->seen[at] = true;
		search->queue[search->count++] = at;
	}
}

bool bl_fn_graph_reachable(struct bl_builtin_call *call)
{
	size_t count = bl_value_count(call->args[0]);
	struct search search = {
		.graph = call->args[0],
		.seen = bl_arena_new_array(call->arena, bool, count + 1),
		.queue = bl_arena_new_array(call->arena, size_t, count + 1),
	};
	struct bl_array_builder found;

	if (!search.seen || !search.queue)
		return bl_builtin_memory_fault(call);
	reach(&search, call->args[1]);
	bl_array_builder_init(&found, call->arena);
	for (size_t i = 0; i < search.count; i++) {
		size_t at = search.queue[i];

		bl_array_builder_add(&found, bl_object_key(search.graph, at));
		reach(&search, bl_object_value(search.graph, at));
	}
	if (found.failed)
		return bl_builtin_memory_fault(call);
	return bl_builtin_return(
		call, bl_set_make(call->arena, found.items, found.count));
}

/* ---- reachable_paths ---------------------------------------------------- */

/* More paths than this are refused: there can be exponentially many. */
enum { MAX_PATHS = 1000000, MAX_DEPTH = 10000 };

struct paths {
	struct bl_arena *arena;
	struct bl_value graph;
	struct bl_array_builder path; /* from a start to here */
	struct bl_array_builder found;
	bool too_many;
};

static void end_path(struct paths *paths)
{
	if (paths->found.count >= MAX_PATHS || paths->path.count > MAX_DEPTH)
		paths->too_many = true;
	else
		bl_array_builder_add(&paths->found,
				     bl_array_make(paths->arena,
						   paths->path.items,
						   paths->path.count));
}

/* Is node on the path?  Next to the start this is not asked, as in OPA. */
static bool is_on_path(const struct paths *paths, struct bl_value node)
{
	for (size_t i = 0; i < paths->path.count && paths->path.count > 1;
	     i++) {
		if (bl_value_equal(paths->path.items[i], node))
			return true;
	}
	return false;
}

/* Goes on from the last node of the path. */
static void follow(struct paths *paths)
{
	struct bl_value here = paths->path.items[paths->path.count - 1];
	struct bl_value next = bl_object_find_value(paths->graph, here);

	if (!bl_value_count(next) || paths->path.count > MAX_DEPTH)
		end_path(paths);
	for (size_t i = 0; i < bl_value_count(next); i++) {
		struct bl_value node = bl_value_item(next, i);

		if (paths->too_many || paths->path.failed ||
		    paths->found.failed)
			return;
		if (bl_object_find_index(paths->graph, node) == SIZE_MAX ||
		    is_on_path(paths, node)) {
			end_path(paths);
			continue;
		}
		bl_array_builder_add(&paths->path, node);
		if (!paths->path.failed)
			follow(paths);
		paths->path.count -= !paths->path.failed;
	}
}

bool bl_fn_graph_reachable_paths(struct bl_builtin_call *call)
{
	struct paths paths = { .arena = call->arena, .graph = call->args[0] };

	bl_array_builder_init(&paths.path, call->arena);
	bl_array_builder_init(&paths.found, call->arena);
	for (size_t i = 0; i < bl_value_count(call->args[1]); i++) {
		struct bl_value start = bl_value_item(call->args[1], i);

		if (bl_object_find_index(paths.graph, start) == SIZE_MAX)
			continue;
		paths.path.count = 0;
		bl_array_builder_add(&paths.path, start);
		if (!paths.path.failed)
			follow(&paths);
	}
	if (paths.too_many)
		return bl_builtin_fault(call, BL_FAULT_CANCEL,
					"too many paths");
	if (paths.path.failed || paths.found.failed)
		return bl_builtin_memory_fault(call);
	return bl_builtin_return(
		call,
		bl_set_make(call->arena, paths.found.items, paths.found.count));
}
