/* SPDX-License-Identifier: Apache-2.0 */
/* json.match_schema and json.verify_schema, as gojsonschema checks. */
#include "rego/builtins/external/json_schema.h"

#include <stdio.h>
#include <stdlib.h>

static void check_node(struct bl_conform *check, struct bl_value schema,
		       struct bl_value node, struct bl_str context);

/* ---- errors ------------------------------------------------------------- */

void bl_conform_fault(struct bl_conform *check, const char *reason)
{
	if (!check->faulted)
		bl_builtin_fault(check->call, BL_FAULT_BUILTIN, "%s", reason);
	check->faulted = true;
}

void bl_conform_error(struct bl_conform *check, struct bl_str context,
		      const char *type, const char *fmt, ...)
{
	const struct bl_str root = BL_STR("(Root).");
	struct bl_arena *arena = check->call->arena;
	struct bl_object_builder error;
	struct bl_value desc;
	struct bl_value text;
	char message[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	if (bl_str_has_prefix(context, root))
		context = bl_str_slice(context, root.len, SIZE_MAX);
	desc = bl_builtin_string(check->call, bl_str(message));
	text = bl_value_printf(arena, "%.*s: %s", BL_STR_ARG(context), message);
	bl_object_builder_init(&error, arena);
	bl_object_builder_add(&error, BL_STR("error"), text);
	bl_object_builder_add(&error, BL_STR("type"),
			      bl_value_string(bl_str(type)));
	bl_object_builder_add(&error, BL_STR("field"),
			      bl_value_string(context));
	bl_object_builder_add(&error, BL_STR("desc"), desc);
	bl_array_builder_add(&check->errors, bl_object_builder_end(&error));
}

static struct bl_str inside(struct bl_conform *check, struct bl_str context,
			    struct bl_str key)
{
	return bl_arena_printf(check->call->arena, "%.*s.%.*s",
			       BL_STR_ARG(context), BL_STR_ARG(key));
}

/* Does the node fit?  Errors are not kept. */
static bool fits(struct bl_conform *check, struct bl_value schema,
		 struct bl_value node, struct bl_str context)
{
	struct bl_array_builder kept = check->errors;
	bool ok;

	bl_array_builder_init(&check->errors, check->call->arena);
	check_node(check, schema, node, context);
	ok = !check->errors.count;
	check->errors = kept;
	return ok;
}

/* ---- types -------------------------------------------------------------- */

static const char *type_name(struct bl_value node)
{
	if (bl_value_is(node, BL_KIND_NUMBER) && bl_number_is_integral(node))
		return "integer";
	return bl_kind_name(bl_value_kind(node));
}

static bool is_of_type(struct bl_value node, struct bl_str type)
{
	return bl_str_is(type, type_name(node)) ||
	       (bl_str_is(type, "number") && bl_value_is(node, BL_KIND_NUMBER));
}

static bool check_type(struct bl_conform *check, struct bl_value type,
		       struct bl_value node, struct bl_str context)
{
	struct bl_buf names;
	bool ok = !bl_value_is_defined(type) ||
		  is_of_type(node, bl_value_text(type));

	bl_buf_init(&names, 0);
	bl_buf_put_str(&names, bl_value_text(type));
	for (size_t i = 0; i < bl_value_count(type); i++) {
		struct bl_str name = bl_value_text(bl_value_item(type, i));

		ok = ok || is_of_type(node, name);
		bl_buf_printf(&names, "%s%.*s", i ? "," : "[",
			      BL_STR_ARG(name));
	}
	if (bl_value_count(type))
		bl_buf_puts(&names, "]");
	if (!ok)
		bl_conform_error(check, context, "invalid_type",
				 "Invalid type. Expected: %s, given: %s",
				 names.ptr, type_name(node));
	bl_buf_clear(&names);
	return ok;
}

/* ---- combinations ------------------------------------------------------- */

static size_t count_fits(struct bl_conform *check, struct bl_value list,
			 struct bl_value node, struct bl_str context)
{
	size_t count = 0;

	for (size_t i = 0; i < bl_value_count(list); i++)
		count += fits(check, bl_value_item(list, i), node, context);
	return count;
}

static void check_condition(struct bl_conform *check, struct bl_value schema,
			    struct bl_value node, struct bl_str context)
{
	struct bl_value test = bl_conform_get(schema, "if");
	struct bl_value then;
	bool ok;

	if (!bl_value_is_defined(test))
		return;
	ok = fits(check, test, node, context);
	then = bl_conform_get(schema, ok ? "then" : "else");
	if (!bl_value_is_defined(then) || fits(check, then, node, context))
		return;
	if (ok)
		bl_conform_error(check, context, "condition_then",
				 "Must validate \"then\" as \"if\" was valid");
	else
		bl_conform_error(
			check, context, "condition_else",
			"Must validate \"else\" as \"if\" was not valid");
	check_node(check, then, node, context);
}

static void check_combined(struct bl_conform *check, struct bl_value schema,
			   struct bl_value node, struct bl_str context)
{
	struct bl_value any = bl_conform_get(schema, "anyOf");
	struct bl_value one = bl_conform_get(schema, "oneOf");
	struct bl_value all = bl_conform_get(schema, "allOf");
	struct bl_value none = bl_conform_get(schema, "not");

	if (bl_value_count(any) && !count_fits(check, any, node, context))
		bl_conform_error(check, context, "number_any_of",
				 "Must validate at least one schema (anyOf)");
	if (bl_value_count(one) && count_fits(check, one, node, context) != 1)
		bl_conform_error(
			check, context, "number_one_of",
			"Must validate one and only one schema (oneOf)");
	if (count_fits(check, all, node, context) != bl_value_count(all)) {
		for (size_t i = 0; i < bl_value_count(all); i++)
			check_node(check, bl_value_item(all, i), node, context);
		bl_conform_error(check, context, "number_all_of",
				 "Must validate all the schemas (allOf)");
	}
	if (bl_value_is_defined(none) && fits(check, none, node, context))
		bl_conform_error(check, context, "number_not",
				 "Must not validate the schema (not)");
	check_condition(check, schema, node, context);
}

/* ---- arrays ------------------------------------------------------------- */

static void check_unique(struct bl_conform *check, struct bl_value node,
			 struct bl_str context)
{
	size_t count = bl_value_count(node);

	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1; k < count; k++) {
			if (check->steps++ >= BL_CONFORM_MAX_STEPS) {
				bl_conform_fault(check, "too many checks");
				return;
			}
			if (bl_value_equal(bl_value_item(node, i),
					   bl_value_item(node, k))) {
				bl_conform_error(
					check, context, "unique",
					"array items[%zu,%zu] must be unique",
					i, k);
				return;
			}
		}
	}
}

/* Counts between two limits. */
static void check_count(struct bl_conform *check, struct bl_value schema,
			size_t count, struct bl_str context, bool is_array)
{
	struct bl_value min =
		bl_conform_get(schema, is_array ? "minItems" : "minProperties");
	struct bl_value max =
		bl_conform_get(schema, is_array ? "maxItems" : "maxProperties");
	int64_t limit;

	if (bl_number_to_integer(min, &limit) && (int64_t)count < limit)
		bl_conform_error(
			check, context,
			is_array ? "array_min_items" : "array_min_properties",
			is_array ? "Array must have at least %lld items"
				 : "Must have at least %lld properties",
			(long long)limit);
	if (bl_number_to_integer(max, &limit) && (int64_t)count > limit)
		bl_conform_error(check, context,
				 is_array ? "array_max_items"
					  : "array_max_properties",
				 is_array ? "Array must have at most %lld items"
					  : "Must have at most %lld properties",
				 (long long)limit);
}

/* The schema of item i; undefined: anything goes. */
static struct bl_value item_schema(struct bl_value schema, size_t i)
{
	struct bl_value items = bl_conform_get(schema, "items");

	if (!bl_value_is(items, BL_KIND_ARRAY))
		return items;
	if (i < bl_value_count(items))
		return bl_value_item(items, i);
	return bl_conform_get(schema, "additionalItems");
}

static void check_array(struct bl_conform *check, struct bl_value schema,
			struct bl_value node, struct bl_str context)
{
	struct bl_value contains = bl_conform_get(schema, "contains");
	size_t count = bl_value_count(node);
	bool found = !bl_value_is_defined(contains);

	check_count(check, schema, count, context, true);
	if (bl_value_is_true(bl_conform_get(schema, "uniqueItems")))
		check_unique(check, node, context);
	for (size_t i = 0; i < count && !check->faulted; i++) {
		struct bl_value item = bl_value_item(node, i);
		struct bl_value of = item_schema(schema, i);
		struct bl_str at = bl_arena_printf(
			check->call->arena, "%.*s.%zu", BL_STR_ARG(context), i);

		found = found || fits(check, contains, item, at);
		if (bl_value_is(of, BL_KIND_BOOLEAN) && !of.as.boolean)
			bl_conform_error(
				check, context, "array_no_additional_items",
				"No additional items allowed on array");
		else if (bl_value_is_defined(of))
			check_node(check, of, item, at);
	}
	if (!found)
		bl_conform_error(check, context, "contains",
				 "At least one of the items must match");
}

/* ---- objects ------------------------------------------------------------ */

static void check_required(struct bl_conform *check, struct bl_value schema,
			   struct bl_value node, struct bl_str context)
{
	struct bl_value list = bl_conform_get(schema, "required");

	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_str name = bl_value_text(bl_value_item(list, i));

		if (!bl_value_is_defined(bl_object_find(node, name)))
			bl_conform_error(check, context, "required",
					 "%.*s is required", BL_STR_ARG(name));
	}
}

static void check_dependencies(struct bl_conform *check, struct bl_value schema,
			       struct bl_value node, struct bl_str context)
{
	struct bl_value map = bl_conform_get(schema, "dependencies");

	for (size_t i = 0; i < bl_value_count(map); i++) {
		struct bl_value need = bl_object_value(map, i);

		if (!bl_value_is_defined(
			    bl_object_find_value(node, bl_object_key(map, i))))
			continue;
		if (!bl_value_is(need, BL_KIND_ARRAY)) {
			check_node(check, need, node, context);
			continue;
		}
		for (size_t k = 0; k < bl_value_count(need); k++) {
			struct bl_str name =
				bl_value_text(bl_value_item(need, k));

			if (!bl_value_is_defined(bl_object_find(node, name)))
				bl_conform_error(check, context,
						 "missing_dependency",
						 "Has a dependency on %.*s",
						 BL_STR_ARG(name));
		}
	}
}

/* Checks a member by all patterns that its name matches; was there one? */
static bool check_patterns(struct bl_conform *check, struct bl_value schema,
			   struct bl_str name, struct bl_value value,
			   struct bl_str context)
{
	struct bl_value map = bl_conform_get(schema, "patternProperties");
	bool matched = false;

	for (size_t i = 0; i < bl_value_count(map); i++) {
		if (!bl_conform_matches(check, bl_object_key(map, i), name))
			continue;
		matched = true;
		check_node(check, bl_object_value(map, i), value, context);
	}
	return matched;
}

static void check_member(struct bl_conform *check, struct bl_value schema,
			 struct bl_value key, struct bl_value value,
			 struct bl_str context)
{
	struct bl_str name = bl_value_text(key);
	struct bl_value of =
		bl_object_find_value(bl_conform_get(schema, "properties"), key);
	struct bl_value more = bl_conform_get(schema, "additionalProperties");
	struct bl_value names = bl_conform_get(schema, "propertyNames");
	struct bl_str at = inside(check, context, name);
	bool matched = check_patterns(check, schema, name, value, at);

	if (bl_value_is_defined(names) && !fits(check, names, key, at))
		bl_conform_error(check, context, "invalid_property_name",
				 "Property name of \"%.*s\" does not match",
				 BL_STR_ARG(name));
	if (bl_value_is_defined(of))
		check_node(check, of, value, at);
	else if (bl_value_is(more, BL_KIND_BOOLEAN) && !more.as.boolean &&
		 !matched)
		bl_conform_error(check, context,
				 "additional_property_not_allowed",
				 "Additional property %.*s is not allowed",
				 BL_STR_ARG(name));
	else if (bl_value_is_defined(more) && !matched)
		check_node(check, more, value, at);
}

static void check_object(struct bl_conform *check, struct bl_value schema,
			 struct bl_value node, struct bl_str context)
{
	check_count(check, schema, bl_value_count(node), context, false);
	check_required(check, schema, node, context);
	check_dependencies(check, schema, node, context);
	for (size_t i = 0; i < bl_value_count(node) && !check->faulted; i++) {
		size_t at = bl_object_sorted_index(node, i);

		check_member(check, schema, bl_object_key(node, at),
			     bl_object_value(node, at), context);
	}
}

/* ---- nodes -------------------------------------------------------------- */

static void check_by_object(struct bl_conform *check, struct bl_value schema,
			    struct bl_value node, struct bl_str context)
{
	struct bl_value target = bl_schema_target(&check->schema, schema);

	if (bl_value_is_defined(target)) {
		check_node(check, target, node, context);
		return;
	}
	if (!check_type(check, bl_conform_get(schema, "type"), node, context))
		return;
	check_combined(check, schema, node, context);
	bl_conform_common(check, schema, node, context);
	if (bl_value_is(node, BL_KIND_NUMBER))
		bl_conform_number(check, schema, node, context);
	else if (bl_value_is(node, BL_KIND_STRING))
		bl_conform_string(check, schema, node, context);
	else if (bl_value_is(node, BL_KIND_ARRAY))
		check_array(check, schema, node, context);
	else if (bl_value_is(node, BL_KIND_OBJECT))
		check_object(check, schema, node, context);
}

static void check_node(struct bl_conform *check, struct bl_value schema,
		       struct bl_value node, struct bl_str context)
{
	if (check->faulted)
		return;
	if (check->depth >= BL_CONFORM_MAX_DEPTH ||
	    check->steps++ >= BL_CONFORM_MAX_STEPS) {
		bl_conform_fault(check, "too many checks");
		return;
	}
	check->depth++;
	if (bl_value_is(schema, BL_KIND_OBJECT))
		check_by_object(check, schema, node, context);
	else if (!bl_value_is_true(schema))
		bl_conform_error(check, context, "false",
				 "False always fails validation");
	check->depth--;
}

/* ---- the functions ------------------------------------------------------ */

/* Operand i, from JSON text when it is a string; sets become arrays. */
static bool read_operand(struct bl_builtin_call *call, size_t i,
			 struct bl_value *out)
{
	enum bl_kind kind = bl_value_kind(call->args[i]);
	struct bl_buf json;
	struct bl_str text;

	if (kind == BL_KIND_STRING)
		return bl_builtin_read_json(call, bl_builtin_text(call, i),
					    out);
	if (kind != BL_KIND_OBJECT)
		return bl_builtin_fault(call, BL_FAULT_TYPE,
					"operand %zu must be one of {object, "
					"string} but got %s",
					i + 1, bl_kind_name(kind));
	bl_buf_init(&json, 0);
	bl_go_json_put(&json, call->args[i]);
	text = bl_arena_copy_str(call->arena, bl_buf_str(&json));
	bl_buf_clear(&json);
	return text.ptr ? bl_builtin_read_json(call, text, out)
			: bl_builtin_memory_fault(call);
}

/* Reads the schema for all checks; false: the call's fault is set. */
static bool read_schema(struct bl_builtin_call *call,
			struct bl_schema_reader *reader, struct bl_value schema)
{
	*reader = (struct bl_schema_reader){ .arena = call->arena,
					     .root = schema,
					     .has_patterns = true };
	if (bl_schema_read(reader))
		return true;
	return reader->problem.ptr
		       ? bl_builtin_fault(call, BL_FAULT_BUILTIN, "%.*s",
					  BL_STR_ARG(reader->problem))
		       : bl_builtin_memory_fault(call);
}

bool bl_fn_json_match_schema(struct bl_builtin_call *call)
{
	struct bl_conform check = { .call = call };
	struct bl_value pair[2];
	struct bl_value document;
	struct bl_value schema;

	if (!read_operand(call, 0, &document) ||
	    !read_operand(call, 1, &schema) ||
	    !read_schema(call, &check.schema, schema))
		return false;
	bl_array_builder_init(&check.errors, call->arena);
	check_node(&check, schema, document, BL_STR("(Root)"));
	if (check.faulted)
		return false;
	pair[0] = bl_value_boolean(!check.errors.count);
	pair[1] = bl_array_builder_end(&check.errors);
	return bl_builtin_return(call, bl_array_make(call->arena, pair, 2));
}

bool bl_fn_json_verify_schema(struct bl_builtin_call *call)
{
	struct bl_value pair[2] = { bl_value_boolean(true), bl_value_null() };
	struct bl_schema_reader reader;
	struct bl_value schema;
	enum bl_kind kind = bl_value_kind(call->args[0]);
	bool quiet = call->state->quiet;
	bool ok;

	if (kind != BL_KIND_STRING && kind != BL_KIND_OBJECT)
		return read_operand(call, 0, &schema);
	call->state->quiet = false; /* the message is the answer */
	ok = read_operand(call, 0, &schema) &&
	     read_schema(call, &reader, schema);
	call->state->quiet = quiet;
	if (!ok) {
		pair[0] = bl_value_boolean(false);
		pair[1] = bl_value_printf(call->arena, "jsonschema: %.*s",
					  BL_STR_ARG(call->message));
		call->fault = BL_FAULT_NONE;
	}
	return bl_builtin_return(call, bl_array_make(call->arena, pair, 2));
}
