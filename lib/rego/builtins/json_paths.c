/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.filter and json.remove: many paths at once, as a tree of keys. json.patch
 * changes one place after the other and has its own file.
 */
#include "rego/builtins/json_paths.h"

#include <stdio.h>

#include "rego/builtins/functions.h"

/* ---- paths -------------------------------------------------------------- */

/* With "~1" as "/" and "~0" as "~". */
static struct bl_value decode_part(struct bl_arena *arena, struct bl_str part)
{
	char *text;
	size_t len = 0;

	if (bl_str_find(part, BL_STR("~"), 0) == SIZE_MAX)
		return bl_value_string(part);
	text = bl_arena_alloc_aligned(arena, part.len, 1);
	if (!text)
		return bl_value_undefined();
	for (size_t i = 0; i < part.len; i++) {
		char next = i + 1 < part.len ? part.ptr[i + 1] : 0;
		bool escape =
			part.ptr[i] == '~' && (next == '0' || next == '1');

		text[len++] = part.ptr[i];
		if (escape && next == '1')
			text[len - 1] = '/';
		i += escape;
	}
	return bl_value_string((struct bl_str){ text, len });
}

struct bl_value bl_builtin_path_parts(struct bl_arena *arena,
				      struct bl_value path)
{
	struct bl_str text = bl_value_text(path);
	struct bl_array_builder parts;

	if (bl_value_is(path, BL_KIND_ARRAY))
		return path;
	if (!bl_value_is(path, BL_KIND_STRING))
		return bl_value_undefined();
	bl_array_builder_init(&parts, arena);
	if (!text.len)
		return bl_array_builder_end(&parts);
	while (text.len && text.ptr[0] == '/')
		text = bl_str_slice(text, 1, text.len);
	for (size_t from = 0, to; from <= text.len; from = to + 1) {
		to = bl_str_find(text, BL_STR("/"), from);
		if (to == SIZE_MAX)
			to = text.len;
		bl_array_builder_add(
			&parts,
			decode_part(arena, bl_str_slice(text, from, to)));
	}
	return bl_array_builder_end(&parts);
}

/*
 * Paths paths[from..to), sorted, that are alike in their first depth parts,
 * as a tree: an object from the next part on, or null where a path ends.
 */
static struct bl_value tree_of(struct bl_arena *arena, struct bl_value paths,
			       size_t from, size_t to, size_t depth)
{
	struct bl_member *members;
	size_t count = 0;

	if (depth && bl_value_count(bl_value_item(paths, from)) == depth)
		return bl_value_null();
	members = bl_arena_new_array(arena, struct bl_member, to - from + 1);
	if (!members)
		return bl_value_undefined();
	for (size_t i = from, next; i < to; i = next) {
		struct bl_value part =
			bl_value_item(bl_value_item(paths, i), depth);

		next = i + 1;
		if (!bl_value_is_defined(part))
			continue; /* the empty path */
		while (next < to &&
		       bl_value_equal(part,
				      bl_value_item(bl_value_item(paths, next),
						    depth)))
			next++;
		members[count].key = part;
		members[count++].value =
			tree_of(arena, paths, i, next, depth + 1);
	}
	return bl_object_make(arena, members, count, NULL);
}

/* The tree of operand 2.  False: fault. */
static bool read_paths(struct bl_builtin_call *call, struct bl_value *out_tree)
{
	struct bl_value operand = call->args[1], paths;
	struct bl_array_builder list;

	bl_array_builder_init(&list, call->arena);
	for (size_t i = 0; i < bl_value_count(operand); i++) {
		struct bl_value path = bl_value_item(operand, i);

		if (!bl_value_is(path, BL_KIND_STRING) &&
		    !bl_value_is(path, BL_KIND_ARRAY))
			return bl_builtin_operand_fault(
				call, 2,
				"one of {set, array} containing string paths "
				"or array of path segments",
				bl_kind_name(bl_value_kind(path)));
		bl_array_builder_add(&list,
				     bl_builtin_path_parts(call->arena, path));
	}
	if (list.failed)
		return bl_builtin_memory_fault(call);
	paths = bl_set_make(call->arena, list.items, list.count);
	*out_tree = tree_of(call->arena, paths, 0, bl_value_count(paths), 0);
	return bl_value_is_defined(*out_tree) || bl_builtin_memory_fault(call);
}

/* The subtree for item i of an array. */
static struct bl_value tree_at_index(struct bl_value tree, size_t i)
{
	char text[24];

	snprintf(text, sizeof(text), "%zu", i);
	return bl_object_find(tree, bl_str(text));
}

/* ---- editing ------------------------------------------------------------ */

/* keep: only what the tree names; otherwise all but that. */
struct editor {
	struct bl_arena *arena;
	bool keep;
};

static struct bl_value edit(const struct editor *editor, struct bl_value value,
			    struct bl_value tree);

/* The member's new value; undefined when it goes. */
static struct bl_value edit_member(const struct editor *editor,
				   struct bl_value value, struct bl_value tree)
{
	if (!bl_value_is_defined(tree))
		return editor->keep ? tree : value;
	if (bl_value_is(tree, BL_KIND_NULL))
		return editor->keep ? value : bl_value_undefined();
	return edit(editor, value, tree);
}

static struct bl_value edit_object(const struct editor *editor,
				   struct bl_value object, struct bl_value tree)
{
	size_t count = 0;
	struct bl_member *members = bl_arena_new_array(
		editor->arena, struct bl_member, bl_value_count(object) + 1);

	if (!members)
		return bl_value_undefined();
	for (size_t i = 0; i < bl_value_count(object); i++) {
		struct bl_value key = bl_object_key(object, i);
		struct bl_value value =
			edit_member(editor, bl_object_value(object, i),
				    bl_object_find_value(tree, key));

		if (bl_value_is_defined(value))
			members[count++] = (struct bl_member){ key, value };
	}
	return bl_object_make(editor->arena, members, count, NULL);
}

static struct bl_value edit_items(const struct editor *editor,
				  struct bl_value items, struct bl_value tree)
{
	bool is_set = bl_value_is(items, BL_KIND_SET);
	struct bl_array_builder out;

	bl_array_builder_init(&out, editor->arena);
	for (size_t i = 0; i < bl_value_count(items); i++) {
		struct bl_value item = bl_value_item(items, i);
		struct bl_value below =
			is_set ? bl_object_find_value(tree, item)
			       : tree_at_index(tree, i);

		item = edit_member(editor, item, below);
		if (bl_value_is_defined(item))
			bl_array_builder_add(&out, item);
	}
	if (!is_set || out.failed)
		return bl_array_builder_end(&out);
	return bl_set_make(editor->arena, out.items, out.count);
}

static struct bl_value edit(const struct editor *editor, struct bl_value value,
			    struct bl_value tree)
{
	if (bl_value_is(value, BL_KIND_OBJECT))
		return edit_object(editor, value, tree);
	if (value.kind < BL_KIND_ARRAY)
		return value;
	return edit_items(editor, value, tree);
}

static bool run(struct bl_builtin_call *call, bool keep)
{
	struct editor editor = { call->arena, keep };
	struct bl_value tree;

	if (!read_paths(call, &tree))
		return false;
	return bl_builtin_return(call, edit(&editor, call->args[0], tree));
}

bool bl_fn_json_filter(struct bl_builtin_call *call)
{
	return run(call, true);
}

bool bl_fn_json_remove(struct bl_builtin_call *call)
{
	return run(call, false);
}
