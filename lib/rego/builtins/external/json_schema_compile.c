/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Schema: is a schema itself right? */
#include "rego/builtins/external/json_schema.h"

/* How a keyword holds schemas. */
enum shape {
	SHAPE_SCHEMA,  /* one */
	SHAPE_SCHEMAS, /* an array of them */
	SHAPE_EITHER,  /* one, or an array */
	SHAPE_MAP,     /* an object of them */
	SHAPE_TEXTS,   /* none: an array of strings */
	SHAPE_COUNT,   /* none: a number */
	SHAPE_PATTERN, /* none: a regular expression */
};

static const struct {
	const char *key;
	enum shape shape;
} keywords[] = {
	{ "additionalItems", SHAPE_SCHEMA },
	{ "additionalProperties", SHAPE_SCHEMA },
	{ "allOf", SHAPE_SCHEMAS },
	{ "anyOf", SHAPE_SCHEMAS },
	{ "contains", SHAPE_SCHEMA },
	{ "definitions", SHAPE_MAP },
	{ "else", SHAPE_SCHEMA },
	{ "if", SHAPE_SCHEMA },
	{ "items", SHAPE_EITHER },
	{ "maxItems", SHAPE_COUNT },
	{ "maxLength", SHAPE_COUNT },
	{ "maxProperties", SHAPE_COUNT },
	{ "minItems", SHAPE_COUNT },
	{ "minLength", SHAPE_COUNT },
	{ "minProperties", SHAPE_COUNT },
	{ "multipleOf", SHAPE_COUNT },
	{ "not", SHAPE_SCHEMA },
	{ "oneOf", SHAPE_SCHEMAS },
	{ "pattern", SHAPE_PATTERN },
	{ "patternProperties", SHAPE_MAP },
	{ "properties", SHAPE_MAP },
	{ "propertyNames", SHAPE_SCHEMA },
	{ "required", SHAPE_TEXTS },
	{ "then", SHAPE_SCHEMA },
};

struct compile {
	struct bl_builtin_call *call;
	uint32_t depth;
};

static bool compile(struct compile *c, struct bl_value schema);

static bool wrong_kind(struct compile *c, const char *key, const char *wanted)
{
	return bl_builtin_fault(c->call, BL_FAULT_BUILTIN,
				"%s must be of type %s", key, wanted);
}

static bool check_type_name(struct compile *c, struct bl_value type)
{
	static const char *const names[] = { "array",  "boolean", "integer",
					     "number", "null",    "object",
					     "string" };
	struct bl_str name = bl_value_text(type);

	for (size_t i = 0; i < BL_COUNT(names); i++) {
		if (bl_str_is(name, names[i]))
			return true;
	}
	return bl_builtin_fault(
		c->call, BL_FAULT_BUILTIN,
		"has a primitive type that is NOT VALID -- given: /%.*s/ "
		"Expected valid values are:[array boolean integer number null "
		"object string]",
		BL_STR_ARG(name));
}

static bool check_type(struct compile *c, struct bl_value type)
{
	if (!bl_value_is_defined(type))
		return true;
	if (bl_value_is(type, BL_KIND_STRING))
		return check_type_name(c, type);
	if (!bl_value_is(type, BL_KIND_ARRAY))
		return wrong_kind(c, "type", "string/array of strings");
	for (size_t i = 0; i < bl_value_count(type); i++) {
		if (!check_type_name(c, bl_value_item(type, i)))
			return false;
	}
	return true;
}

static bool check_list(struct compile *c, const char *key, struct bl_value list,
		       bool of_texts)
{
	if (!bl_value_is(list, BL_KIND_ARRAY))
		return wrong_kind(c, key, "array");
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_value item = bl_value_item(list, i);

		if (of_texts && !bl_value_is(item, BL_KIND_STRING))
			return wrong_kind(c, key, "array of strings");
		if (!of_texts && !compile(c, item))
			return false;
	}
	return true;
}

static bool check_map(struct compile *c, const char *key, struct bl_value map)
{
	if (!bl_value_is(map, BL_KIND_OBJECT))
		return wrong_kind(c, key, "object");
	for (size_t i = 0; i < bl_value_count(map); i++) {
		if (!compile(c, bl_object_value(map, i)))
			return false;
	}
	return true;
}

static bool check_pattern(struct compile *c, const char *key,
			  struct bl_value pattern)
{
	const struct bl_regex *regex;

	if (!bl_value_is(pattern, BL_KIND_STRING))
		return wrong_kind(c, key, "string");
	return bl_builtin_regex(c->call, bl_value_text(pattern), &regex);
}

static bool check_keyword(struct compile *c, size_t i, struct bl_value value)
{
	const char *key = keywords[i].key;

	switch (keywords[i].shape) {
	case SHAPE_SCHEMA:
		return compile(c, value);
	case SHAPE_SCHEMAS:
		return check_list(c, key, value, false);
	case SHAPE_EITHER:
		return bl_value_is(value, BL_KIND_ARRAY)
			       ? check_list(c, key, value, false)
			       : compile(c, value);
	case SHAPE_MAP:
		return check_map(c, key, value);
	case SHAPE_TEXTS:
		return check_list(c, key, value, true);
	case SHAPE_COUNT:
		return bl_value_is(value, BL_KIND_NUMBER) ||
		       wrong_kind(c, key, "number");
	case SHAPE_PATTERN:
		return check_pattern(c, key, value);
	}
	return true;
}

static bool compile_object(struct compile *c, struct bl_value schema)
{
	if (!check_type(c, bl_schema_get(schema, "type")))
		return false;
	for (size_t i = 0; i < BL_COUNT(keywords); i++) {
		struct bl_value value = bl_schema_get(schema, keywords[i].key);

		if (bl_value_is_defined(value) && !check_keyword(c, i, value))
			return false;
	}
	return true;
}

static bool compile(struct compile *c, struct bl_value schema)
{
	bool ok;

	if (bl_value_is(schema, BL_KIND_BOOLEAN))
		return true;
	if (!bl_value_is(schema, BL_KIND_OBJECT))
		return bl_builtin_fault(c->call, BL_FAULT_BUILTIN,
					"schema is not an object or boolean");
	if (c->depth >= BL_SCHEMA_MAX_DEPTH)
		return bl_builtin_fault(c->call, BL_FAULT_CANCEL,
					"schema is nested too deeply");
	c->depth++;
	ok = compile_object(c, schema);
	c->depth--;
	return ok;
}

bool bl_schema_compile(struct bl_builtin_call *call, struct bl_value schema)
{
	struct compile c = { .call = call };

	return compile(&c, schema);
}
