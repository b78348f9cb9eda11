/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.patch: RFC 6902, which OPA lets reach into sets, too. Each change is made
 * to a copy of the way to its place.
 */
#include "rego/builtins/functions.h"
#include "rego/builtins/json_paths.h"

enum change { CHANGE_ADD, CHANGE_REMOVE, CHANGE_REPLACE };

/* One change at one place. */
struct edit {
	struct bl_builtin_call *call;
	enum change change;
	struct bl_value path;
	struct bl_value value;
};

static struct bl_value apply(const struct edit *edit, struct bl_value document,
			     size_t depth);

/* Undefined, with a fault. */
static struct bl_value refuse(const struct edit *edit, const char *what)
{
	struct bl_buf path;

	bl_buf_init(&path, 1024);
	bl_builtin_form_put(&path, edit->path);
	bl_builtin_fault(edit->call, BL_FAULT_BUILTIN, "%s: path %s", what,
			 path.ptr);
	bl_buf_clear(&path);
	return bl_value_undefined();
}

/* A whole number without leading zeros, as number or text. */
static bool read_index(struct bl_value part, int64_t *out)
{
	struct bl_str text = bl_value_text(part);
	struct bl_value number;

	if (bl_value_is(part, BL_KIND_NUMBER))
		return bl_number_is_plain(part, out);
	return text.len && text.ptr[0] != '-' &&
	       !bl_number_from_text(text, &number) &&
	       bl_number_is_plain(number, out);
}

/* The index that part means in an array; false when not found. */
static bool find_index(const struct edit *edit, struct bl_value array,
		       struct bl_value part, bool may_append, size_t *out)
{
	size_t count = bl_value_count(array);
	int64_t i;

	if (may_append && bl_str_is(bl_value_text(part), "-")) {
		*out = count;
		return true;
	}
	if (!read_index(part, &i) || i < 0 ||
	    (uint64_t)i >= count + may_append) {
		refuse(edit, "no such array index");
		return false;
	}
	*out = (size_t)i;
	return true;
}

static struct bl_value change_array(const struct edit *edit,
				    struct bl_value array, size_t depth)
{
	bool last = depth + 1 == bl_value_count(edit->path);
	bool adds = last && edit->change == CHANGE_ADD;
	struct bl_array_builder out;
	struct bl_value item;
	size_t at;

	if (!find_index(edit, array, bl_value_item(edit->path, depth), adds,
			&at))
		return bl_value_undefined();
	item = edit->value;
	if (!last)
		item = apply(edit, bl_value_item(array, at), depth + 1);
	if (!bl_value_is_defined(item) &&
	    !(last && edit->change == CHANGE_REMOVE))
		return item;
	bl_array_builder_init(&out, edit->call->arena);
	for (size_t i = 0; i < bl_value_count(array) + adds; i++) {
		if (i == at && bl_value_is_defined(item))
			bl_array_builder_add(&out, item);
		if (i < bl_value_count(array) && (i != at || adds))
			bl_array_builder_add(&out, bl_value_item(array, i));
	}
	return bl_array_builder_end(&out);
}

static struct bl_value change_object(const struct edit *edit,
				     struct bl_value object, size_t depth)
{
	struct bl_value key = bl_value_item(edit->path, depth);
	size_t count = bl_value_count(object), kept = 0;
	size_t at = bl_object_find_index(object, key);
	bool last = depth + 1 == bl_value_count(edit->path);
	struct bl_value value = edit->value;
	struct bl_member *members;

	if (at == SIZE_MAX && !(last && edit->change == CHANGE_ADD))
		return refuse(edit, "no such key");
	if (!last)
		value = apply(edit, bl_object_value(object, at), depth + 1);
	if (!last && !bl_value_is_defined(value))
		return value;
	members = bl_arena_new_array(edit->call->arena, struct bl_member,
				     count + 1);
	if (!members)
		return bl_value_undefined();
	for (size_t i = 0; i < count; i++) {
		if (i != at)
			members[kept++] =
				(struct bl_member){ bl_object_key(object, i),
						    bl_object_value(object,
								    i) };
	}
	if (bl_value_is_defined(value))
		members[kept++] = (struct bl_member){ key, value };
	return bl_object_make(edit->call->arena, members, kept, NULL);
}

/* A part of the path is a member of the set. */
static struct bl_value change_set(const struct edit *edit, struct bl_value set,
				  size_t depth)
{
	struct bl_value key = bl_value_item(edit->path, depth);
	bool last = depth + 1 == bl_value_count(edit->path);
	struct bl_value value = edit->value;
	struct bl_array_builder out;

	if (!bl_set_has(set, key) && !(last && edit->change == CHANGE_ADD))
		return refuse(edit, "no such member");
	if (last && edit->change != CHANGE_REMOVE &&
	    !bl_value_equal(key, value))
		return refuse(edit, "a set's member is its own key");
	if (!last)
		value = apply(edit, key, depth + 1);
	if (!last && !bl_value_is_defined(value))
		return value;
	bl_array_builder_init(&out, edit->call->arena);
	for (size_t i = 0; i < bl_value_count(set); i++) {
		if (!bl_value_equal(bl_value_item(set, i), key))
			bl_array_builder_add(&out, bl_value_item(set, i));
	}
	if (bl_value_is_defined(value))
		bl_array_builder_add(&out, value);
	if (out.failed)
		return bl_value_undefined();
	return bl_set_make(edit->call->arena, out.items, out.count);
}

/* The changed document; undefined: fault, or memory. */
static struct bl_value apply(const struct edit *edit, struct bl_value document,
			     size_t depth)
{
	if (depth == bl_value_count(edit->path))
		return edit->change == CHANGE_REMOVE ? bl_value_null()
						     : edit->value;
	if (bl_value_is(document, BL_KIND_OBJECT))
		return change_object(edit, document, depth);
	if (bl_value_is(document, BL_KIND_ARRAY))
		return change_array(edit, document, depth);
	if (bl_value_is(document, BL_KIND_SET))
		return change_set(edit, document, depth);
	return refuse(edit, "nothing is under a scalar");
}

static struct bl_value look_up(const struct edit *edit,
			       struct bl_value document, struct bl_value path)
{
	for (size_t i = 0; i < bl_value_count(path); i++) {
		struct bl_value part = bl_value_item(path, i);
		int64_t index;

		if (bl_value_is(document, BL_KIND_ARRAY))
			document =
				read_index(part, &index) && index >= 0
					? bl_value_item(document, (size_t)index)
					: bl_value_undefined();
		else
			document = bl_builtin_child(document, part);
	}
	return bl_value_is_defined(document) ? document
					     : refuse(edit, "no such value");
}

/* ---- operations --------------------------------------------------------- */

struct operation {
	struct bl_str name;
	struct bl_value path;
	struct bl_value from;
	struct bl_value value;
};

static bool is_known(struct bl_str name)
{
	static const char *const names[] = { "add",  "remove", "replace",
					     "move", "copy",   "test" };

	for (size_t i = 0; i < BL_COUNT(names); i++) {
		if (bl_str_is(name, names[i]))
			return true;
	}
	return false;
}

static bool wants_value(struct bl_str name)
{
	return bl_str_is(name, "add") || bl_str_is(name, "replace") ||
	       bl_str_is(name, "test");
}

static bool wants_from(struct bl_str name)
{
	return bl_str_is(name, "move") || bl_str_is(name, "copy");
}

static bool read_operation(struct bl_builtin_call *call, struct bl_value patch,
			   struct operation *out)
{
	const char *missing = NULL;

	out->name = bl_value_text(bl_object_find(patch, BL_STR("op")));
	out->path = bl_builtin_path_parts(
		call->arena, bl_object_find(patch, BL_STR("path")));
	out->from = bl_builtin_path_parts(
		call->arena, bl_object_find(patch, BL_STR("from")));
	out->value = bl_object_find(patch, BL_STR("value"));
	if (!is_known(out->name))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"unrecognized op: '%.*s'",
					BL_STR_ARG(out->name));
	if (!bl_value_is_defined(out->path))
		missing = "path";
	else if (wants_from(out->name) && !bl_value_is_defined(out->from))
		missing = "from";
	else if (wants_value(out->name) && !bl_value_is_defined(out->value))
		missing = "value";
	if (missing)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"missing '%s' attribute", missing);
	return true;
}

static bool run_operation(struct bl_builtin_call *call,
			  const struct operation *operation,
			  struct bl_value *document)
{
	struct edit edit = { .call = call,
			     .change = CHANGE_ADD,
			     .path = operation->path,
			     .value = operation->value };
	struct bl_value result = *document;

	if (bl_str_is(operation->name, "test")) {
		struct bl_value found = look_up(&edit, result, operation->path);

		if (!bl_value_is_defined(found))
			return false;
		if (!bl_value_equal(found, operation->value))
			return bl_builtin_fault(call, BL_FAULT_BUILTIN,
						"value from EditTree != patch "
						"value");
		return true;
	}
	if (wants_from(operation->name))
		edit.value = look_up(&edit, result, operation->from);
	if (call->fault)
		return false;
	if (bl_str_is(operation->name, "move")) {
		struct edit removal = { call, CHANGE_REMOVE, operation->from,
					bl_value_undefined() };

		result = apply(&removal, result, 0);
	} else if (bl_str_is(operation->name, "remove")) {
		edit.change = CHANGE_REMOVE;
		edit.value = bl_value_undefined();
	} else if (bl_str_is(operation->name, "replace")) {
		edit.change = CHANGE_REPLACE;
	}
	if (bl_value_is_defined(result))
		result = apply(&edit, result, 0);
	*document = result;
	if (bl_value_is_defined(result))
		return true;
	return call->fault ? false : bl_builtin_memory_fault(call);
}

bool bl_fn_json_patch(struct bl_builtin_call *call)
{
	struct bl_value document = call->args[0];

	if (!bl_builtin_wants_items(call, 2, BL_KIND_OBJECT))
		return false;
	for (size_t i = 0; i < bl_value_count(call->args[1]); i++) {
		struct operation operation;

		if (!read_operation(call, bl_value_item(call->args[1], i),
				    &operation) ||
		    !run_operation(call, &operation, &document))
			return false;
	}
	call->result = document;
	return true;
}
