/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c: JSON schemas to nodes.  All keywords are checked, in the order and with
 * the texts of OPA; those that tell types are kept.  Where a reference leads is a
 * matter of its own (refs.c).
 */
#include "rego/schema/schema.h"

#include <stdarg.h>

#include "text/text.h"

const char *const bl_schema_type_names[BL_SCHEMA_TYPE_COUNT] = {
	[BL_SCHEMA_BOOLEAN] = "boolean", [BL_SCHEMA_STRING] = "string",
	[BL_SCHEMA_INTEGER] = "integer", [BL_SCHEMA_NUMBER] = "number",
	[BL_SCHEMA_OBJECT] = "object",   [BL_SCHEMA_ARRAY] = "array",
	[BL_SCHEMA_NULL] = "null",
};

/* A schema that is being read. */
struct reading {
	struct bl_schema_reader *reader;
	struct bl_value schema;
	struct bl_schema_node *node;
	struct bl_str base; /* what it is called, or what it is in */
};

static struct bl_schema_node *read_schema(struct bl_schema_reader *reader,
					  struct bl_value schema,
					  struct bl_str base);

bool bl_schema_refuse(struct bl_schema_reader *reader, const char *fmt, ...)
{
	struct bl_buf text;
	va_list args;

	if (reader->problem.ptr)
		return false;
	bl_buf_init(&text, 0);
	va_start(args, fmt);
	bl_buf_vprintf(&text, fmt, args);
	va_end(args);
	if (text.len > BL_SCHEMA_MAX_PROBLEM)
		text.len = BL_SCHEMA_MAX_PROBLEM;
	reader->problem = bl_arena_copy_str(reader->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return false;
}

static bool refuse_type(struct bl_schema_reader *reader, const char *expected,
			const char *given)
{
	return bl_schema_refuse(reader, "Invalid type. Expected: %s, given: %s",
				expected, given);
}

static struct bl_value find(const struct reading *r, const char *key)
{
	return bl_object_find(r->schema, bl_str(key));
}

static bool is_schema(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_OBJECT) ||
	       bl_value_is(value, BL_KIND_BOOLEAN);
}

/* ---- schemas in a schema ------------------------------------------------ */

static struct bl_schema_node *read_inside(struct reading *r,
					  struct bl_value schema)
{
	return read_schema(r->reader, schema, r->base);
}

/* Reads one into a list; list NULL: it is only checked. */
static bool read_into(struct reading *r, struct bl_schema_list *list,
		      struct bl_value schema, struct bl_str name)
{
	struct bl_schema_node *node = read_inside(r, schema);
	struct bl_schema_node **nodes;

	if (!node || !list)
		return node != NULL;
	node->name = name;
	nodes = bl_arena_room(r->reader->arena, list->nodes, list->count,
			      &list->cap, sizeof(struct bl_schema_node *));
	if (!nodes)
		return false;
	list->nodes = nodes;
	nodes[list->count++] = node;
	return true;
}

static bool read_members(struct reading *r, struct bl_schema_list *list,
			 struct bl_value members)
{
	for (size_t i = 0; i < bl_value_count(members); i++)
		if (!read_into(r, list, bl_object_value(members, i),
			       bl_value_text(bl_object_key(members, i))))
			return false;
	return true;
}

/* ---- keywords ------------------------------------------------------------ */

/* False: the schema is refused, or there is no memory. */
typedef bool (*read_keyword)(struct reading *r, const char *key,
			     struct bl_value value);

static bool read_text(struct reading *r, const char *key, struct bl_value value)
{
	return bl_value_is(value, BL_KIND_STRING) ||
	       refuse_type(r->reader, "string", key);
}

static bool read_definitions(struct reading *r, const char *key,
			     struct bl_value value)
{
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return refuse_type(r->reader, "Array Of Schemas", key);
	for (size_t i = 0; i < bl_value_count(value); i++)
		if (!is_schema(bl_object_value(value, i)))
			return refuse_type(r->reader, "Array Of Schemas", key);
	return read_members(r, NULL, value);
}

static bool add_type(struct reading *r, struct bl_value value)
{
	struct bl_schema_node *node = r->node;
	struct bl_str name = bl_value_text(value);
	uint8_t type = 0;

	while (type < BL_SCHEMA_TYPE_COUNT &&
	       !bl_str_is(name, bl_schema_type_names[type]))
		type++;
	if (type == BL_SCHEMA_TYPE_COUNT)
		return bl_schema_refuse(
			r->reader,
			"has a primitive type that is NOT VALID -- given: "
			"/%.*s/ Expected valid values are:[array boolean "
			"integer number null object string]",
			BL_STR_ARG(name));
	for (uint8_t i = 0; i < node->type_count; i++)
		if (node->types[i] == type)
			return bl_schema_refuse(r->reader,
						"%s type is duplicated",
						bl_schema_type_names[type]);
	node->types[node->type_count++] = type;
	return true;
}

static bool read_type(struct reading *r, const char *key, struct bl_value value)
{
	static const char expected[] = "string/Array Of Strings";

	if (bl_value_is(value, BL_KIND_STRING))
		return add_type(r, value);
	if (!bl_value_is(value, BL_KIND_ARRAY))
		return refuse_type(r->reader, key, expected);
	for (size_t i = 0; i < bl_value_count(value); i++) {
		if (!bl_value_is(bl_value_item(value, i), BL_KIND_STRING))
			return refuse_type(r->reader, key, expected);
		if (!add_type(r, bl_value_item(value, i)))
			return false;
	}
	return true;
}

static bool read_properties(struct reading *r, const char *key,
			    struct bl_value value)
{
	(void)key;
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return bl_schema_refuse(r->reader,
					"Properties must be of type object");
	return read_members(r, &r->node->properties, value);
}

static bool read_pattern(struct reading *r, const char *key,
			 struct bl_value value)
{
	const struct bl_regex *regex;

	return read_text(r, key, value) &&
	       (!r->reader->has_patterns ||
		bl_regex_compile(r->reader->arena, bl_value_text(value),
				 BL_REGEX_RE2, &regex, NULL, NULL) == BL_OK ||
		bl_schema_refuse(r->reader, "%s must be a valid regex", key));
}

/* Further properties or items. */
static bool read_further(struct reading *r, const char *key,
			 struct bl_value value)
{
	if (!is_schema(value))
		return refuse_type(r->reader, "boolean/Valid Schema", key);
	return bl_value_is(value, BL_KIND_BOOLEAN) ||
	       read_inside(r, value) != NULL;
}

static bool read_patterns(struct reading *r, const char *key,
			  struct bl_value value)
{
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return refuse_type(r->reader, "Valid Schema", key);
	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_str pattern = bl_value_text(bl_object_key(value, i));
		const struct bl_regex *regex;

		if (bl_regex_compile(r->reader->arena, pattern, BL_REGEX_RE2,
				     &regex, NULL, NULL))
			return bl_schema_refuse(r->reader,
						"Invalid regex pattern '%.*s'",
						BL_STR_ARG(pattern));
	}
	return read_members(r, NULL, value);
}

static bool read_names(struct reading *r, const char *key,
		       struct bl_value value)
{
	(void)key;
	if (r->reader->draft == 4)
		return true;
	if (!is_schema(value))
		return refuse_type(r->reader, "Valid Schema",
				   "patternProperties");
	return read_inside(r, value) != NULL;
}

static bool read_dependency(struct reading *r, struct bl_value value)
{
	bool ok = is_schema(value) || bl_value_is(value, BL_KIND_ARRAY);

	if (is_schema(value))
		return read_inside(r, value) != NULL;
	for (size_t i = 0; ok && i < bl_value_count(value); i++)
		ok = bl_value_is(bl_value_item(value, i), BL_KIND_STRING);
	return ok || bl_schema_refuse(r->reader,
				      "Dependency must be of type Schema Or "
				      "Array Of Strings");
}

static bool read_dependencies(struct reading *r, const char *key,
			      struct bl_value value)
{
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return bl_schema_refuse(r->reader, "%s must be of type object",
					key);
	for (size_t i = 0; i < bl_value_count(value); i++)
		if (!read_dependency(r, bl_object_value(value, i)))
			return false;
	return true;
}

static bool read_items(struct reading *r, const char *key,
		       struct bl_value value)
{
	static const char expected[] = "Valid Schema/Array Of Schemas";

	r->node->is_every_item = is_schema(value);
	if (is_schema(value))
		return read_into(r, &r->node->items, value, BL_STR(""));
	if (!bl_value_is(value, BL_KIND_ARRAY))
		return refuse_type(r->reader, expected, key);
	for (size_t i = 0; i < bl_value_count(value); i++) {
		if (!is_schema(bl_value_item(value, i)))
			return refuse_type(r->reader, expected, key);
		if (!read_into(r, &r->node->items, bl_value_item(value, i),
			       BL_STR("")))
			return false;
	}
	return true;
}

static bool read_multiple(struct reading *r, const char *key,
			  struct bl_value value)
{
	if (!bl_value_is(value, BL_KIND_NUMBER))
		return refuse_type(r->reader, "Number", key);
	return bl_number_sign(value) > 0 ||
	       bl_schema_refuse(r->reader, "%s must be strictly greater than 0",
				key);
}

static bool read_bound(struct reading *r, const char *key,
		       struct bl_value value)
{
	return bl_value_is(value, BL_KIND_NUMBER) ||
	       bl_schema_refuse(r->reader, "%s must be of a Number", key);
}

/* Before draft 6, whether the bound itself is left out. */
static bool read_exclusive(struct reading *r, const char *key,
			   struct bl_value value)
{
	const char *bound =
		key[sizeof("exclusiveM") - 1] == 'i' ? "minimum" : "maximum";

	if (r->reader->draft != 4 && bl_value_is(value, BL_KIND_NUMBER))
		return true;
	if ((r->reader->draft != 4 && r->reader->draft != 0) ||
	    !bl_value_is(value, BL_KIND_BOOLEAN))
		return refuse_type(r->reader,
				   r->reader->draft == 4   ? "boolean"
				   : r->reader->draft == 0 ? "boolean/number"
							   : "number",
				   key);
	return bl_value_is_defined(find(r, bound)) ||
	       bl_schema_refuse(r->reader, "%s cannot be used without %s", key,
				bound);
}

static bool read_count(struct reading *r, const char *key,
		       struct bl_value value)
{
	int64_t count;

	if (!bl_value_is(value, BL_KIND_NUMBER) ||
	    !bl_number_to_integer(value, &count))
		return bl_schema_refuse(r->reader, "%s must be of an integer",
					key);
	return count >= 0 || bl_schema_refuse(r->reader,
					      "%s must be greater than or "
					      "equal to 0",
					      key);
}

/* maxLength and maxProperties, against the least. */
static bool read_most(struct reading *r, const char *key, struct bl_value value)
{
	const char *least_key =
		key[sizeof("max") - 1] == 'L' ? "minLength" : "minProperties";
	struct bl_value least = find(r, least_key);

	return read_count(r, key, value) &&
	       (!bl_value_is_defined(least) ||
		bl_value_compare(least, value) <= 0 ||
		bl_schema_refuse(r->reader, "%s cannot be greater than %s",
				 least_key, key));
}

static bool read_required(struct reading *r, const char *key,
			  struct bl_value value)
{
	if (!bl_value_is(value, BL_KIND_ARRAY))
		return bl_schema_refuse(r->reader, "%s must be of an array",
					key);
	for (size_t i = 0; i < bl_value_count(value); i++)
		if (!bl_value_is(bl_value_item(value, i), BL_KIND_STRING))
			return refuse_type(r->reader, "string", key);
	return bl_value_count(bl_set_make(r->reader->arena, value.as.items,
					  bl_value_count(value))) ==
		       bl_value_count(value) ||
	       bl_schema_refuse(r->reader, "%s items must be unique", key);
}

static bool read_enum(struct reading *r, const char *key, struct bl_value value)
{
	if (!bl_value_is(value, BL_KIND_ARRAY))
		return bl_schema_refuse(r->reader, "%s must be of an array",
					key);
	return bl_value_count(bl_set_make(r->reader->arena, value.as.items,
					  bl_value_count(value))) ==
		       bl_value_count(value) ||
	       bl_schema_refuse(r->reader, "%s items must be unique", key);
}

static bool read_switch(struct reading *r, const char *key,
			struct bl_value value)
{
	return bl_value_is(value, BL_KIND_BOOLEAN) ||
	       bl_schema_refuse(r->reader, "%s must be of a boolean", key);
}

static bool read_contains(struct reading *r, const char *key,
			  struct bl_value value)
{
	(void)key;
	return r->reader->draft == 4 || read_inside(r, value) != NULL;
}

static bool read_list(struct reading *r, const char *key, struct bl_value value)
{
	struct bl_schema_list *list = !strcmp(key, "anyOf")   ? &r->node->any_of
				      : !strcmp(key, "allOf") ? &r->node->all_of
							      : NULL;

	if (!bl_value_is(value, BL_KIND_ARRAY))
		return bl_schema_refuse(r->reader, "%s must be of an array",
					key);
	for (size_t i = 0; i < bl_value_count(value); i++)
		if (!read_into(r, list, bl_value_item(value, i), BL_STR("")))
			return false;
	return true;
}

static bool read_one(struct reading *r, const char *key, struct bl_value value)
{
	if (!is_schema(value))
		return bl_schema_refuse(r->reader, "%s must be of an object",
					key);
	return read_inside(r, value) != NULL;
}

static bool read_condition(struct reading *r, const char *key,
			   struct bl_value value)
{
	return (r->reader->draft && r->reader->draft < 7) ||
	       read_one(r, key, value);
}

static const struct {
	const char *key;
	read_keyword read;
} keywords[] = {
	{ "type", read_type },
	{ "properties", read_properties },
	{ "additionalProperties", read_further },
	{ "patternProperties", read_patterns },
	{ "propertyNames", read_names },
	{ "dependencies", read_dependencies },
	{ "items", read_items },
	{ "additionalItems", read_further },
	{ "multipleOf", read_multiple },
	{ "minimum", read_bound },
	{ "exclusiveMinimum", read_exclusive },
	{ "maximum", read_bound },
	{ "exclusiveMaximum", read_exclusive },
	{ "minLength", read_count },
	{ "maxLength", read_most },
	{ "pattern", read_pattern },
	{ "format", read_text },
	{ "minProperties", read_count },
	{ "maxProperties", read_most },
	{ "required", read_required },
	{ "minItems", read_count },
	{ "maxItems", read_count },
	{ "uniqueItems", read_switch },
	{ "contains", read_contains },
	{ "enum", read_enum },
	{ "oneOf", read_list },
	{ "anyOf", read_list },
	{ "allOf", read_list },
	{ "not", read_one },
	{ "if", read_condition },
	{ "then", read_condition },
	{ "else", read_condition },
};

/* Those that are read even beside a "$ref". */
static const struct {
	const char *key;
	read_keyword read;
} first_keywords[] = {
	{ "definitions", read_definitions },
	{ "title", read_text },
	{ "description", read_text },
	{ "$ref", read_text },
};

/* ---- references --------------------------------------------------------- */

static size_t bucket_of(struct bl_str ref)
{
	return bl_value_hash(bl_value_string(ref)) % BL_SCHEMA_BUCKETS;
}

static size_t bucket_of_object(const struct bl_object *object)
{
	return ((uintptr_t)object >> 4) % BL_SCHEMA_BUCKETS;
}

static struct bl_schema_node *find_target(struct bl_schema_reader *reader,
					  struct bl_str ref)
{
	const struct bl_schema_target *at = reader->targets[bucket_of(ref)];

	for (; at; at = at->next)
		if (bl_str_equal(at->ref, ref))
			return at->node;
	return NULL;
}

/* Keeps what the "$ref" of the schema leads to. */
static bool note_target(struct reading *r)
{
	struct bl_schema_reader *reader = r->reader;
	const struct bl_object *object = r->schema.as.object;
	struct bl_schema_ref *ref =
		bl_arena_new(reader->arena, struct bl_schema_ref);
	struct bl_schema_ref **bucket = &reader->refs[bucket_of_object(object)];

	if (!r->node->target || !ref)
		return false;
	*ref = (struct bl_schema_ref){ object, r->node->target, *bucket };
	*bucket = ref;
	return true;
}

struct bl_value bl_schema_target(const struct bl_schema_reader *reader,
				 struct bl_value schema)
{
	const struct bl_object *object = schema.as.object;
	const struct bl_schema_ref *ref =
		reader->refs[bucket_of_object(object)];

	while (ref && ref->from != object)
		ref = ref->next;
	return ref ? ref->to->schema : bl_value_undefined();
}

static bool read_keywords(struct reading *r);

/* The target is known before it is read, since it may lead to itself. */
static struct bl_schema_node *read_target(struct reading *r, struct bl_str ref)
{
	struct bl_schema_reader *reader = r->reader;
	struct bl_schema_target *target =
		bl_arena_new(reader->arena, struct bl_schema_target);
	struct bl_schema_node *node =
		bl_arena_new(reader->arena, struct bl_schema_node);
	struct reading inside = { .reader = reader, .node = node };
	struct bl_schema_target **bucket;
	size_t mark = bl_str_find(ref, BL_STR("#"), 0);

	if (!target || !node || !bl_schema_follow(reader, ref, &inside.schema))
		return NULL;
	if (!is_schema(inside.schema)) {
		bl_schema_refuse(reader, "Valid Schema must be of type object");
		return NULL;
	}
	bucket = &reader->targets[bucket_of(ref)];
	*target = (struct bl_schema_target){ ref, node, *bucket };
	*bucket = target;
	node->ref = ref;
	node->schema = inside.schema;
	inside.base = bl_str_slice(ref, 0, mark == SIZE_MAX ? ref.len : mark);
	return read_keywords(&inside) ? node : NULL;
}

static bool read_ref(struct reading *r, struct bl_str text)
{
	struct bl_str ref = bl_schema_absolute(r->reader->arena, r->base, text);

	if (!ref.ptr)
		return false;
	r->node->target = find_target(r->reader, ref);
	if (!r->node->target)
		r->node->target = read_target(r, ref);
	return note_target(r);
}

/* ---- schemas ------------------------------------------------------------- */

static bool read_all(struct reading *r)
{
	struct bl_str id = bl_value_text(find(r, "$id"));
	struct bl_value ref = find(r, "$ref");

	if (!id.ptr)
		id = bl_value_text(find(r, "id"));
	if (id.ptr)
		r->base = bl_schema_absolute(r->reader->arena, r->base, id);
	for (size_t i = 0; i < BL_COUNT(first_keywords); i++) {
		struct bl_value value = find(r, first_keywords[i].key);

		if (bl_value_is_defined(value) &&
		    !first_keywords[i].read(r, first_keywords[i].key, value))
			return false;
	}
	if (bl_value_is_defined(ref))
		return read_ref(r, bl_value_text(ref));
	for (size_t i = 0; i < BL_COUNT(keywords); i++) {
		struct bl_value value = find(r, keywords[i].key);

		if (bl_value_is_defined(value) &&
		    !keywords[i].read(r, keywords[i].key, value))
			return false;
	}
	return true;
}

static bool read_keywords(struct reading *r)
{
	struct bl_schema_reader *reader = r->reader;
	bool ok;

	if (bl_value_is(r->schema, BL_KIND_BOOLEAN) && reader->draft != 4)
		return true;
	if (!bl_value_is(r->schema, BL_KIND_OBJECT))
		return bl_schema_refuse(
			reader, "Expected: Valid Schema, given: Invalid JSON");
	if (reader->nesting == BL_SCHEMA_MAX_NESTING)
		return bl_schema_refuse(reader,
					"schemas are nested more than %d deep",
					BL_SCHEMA_MAX_NESTING);
	if (reader->node_count++ == BL_SCHEMA_MAX_NODES)
		return bl_schema_refuse(reader,
					"it has more than %d schemas inside",
					BL_SCHEMA_MAX_NODES);
	reader->nesting++;
	ok = read_all(r);
	reader->nesting--;
	return ok;
}

static struct bl_schema_node *read_schema(struct bl_schema_reader *reader,
					  struct bl_value schema,
					  struct bl_str base)
{
	struct bl_schema_node *node =
		bl_arena_new(reader->arena, struct bl_schema_node);
	struct reading r = { reader, schema, node, base };

	if (!node)
		return NULL;
	node->schema = schema;
	return read_keywords(&r) ? node : NULL;
}

/* Which rules the schema says that it is written by; 0: those of all. */
static bool read_draft(struct bl_schema_reader *reader)
{
	static const struct {
		const char *url;
		int draft;
	} drafts[] = {
		{ "http://json-schema.org/draft-04/schema", 4 },
		{ "http://json-schema.org/draft-06/schema", 6 },
		{ "http://json-schema.org/draft-07/schema", 7 },
	};
	struct bl_value value = bl_object_find(reader->root, BL_STR("$schema"));
	struct bl_str url = bl_value_text(value);

	if (bl_value_is_defined(value) && !url.ptr)
		return bl_schema_refuse(reader,
					"$schema must be of type string");
	if (bl_str_has_suffix(url, BL_STR("#")))
		url = bl_str_slice(url, 0, url.len - 1);
	for (size_t i = 0; i < BL_COUNT(drafts); i++)
		if (bl_str_is(url, drafts[i].url))
			reader->draft = drafts[i].draft;
	return true;
}

struct bl_schema_node *bl_schema_read(struct bl_schema_reader *reader)
{
	if (!is_schema(reader->root)) {
		bl_schema_refuse(reader, "schema is invalid");
		return NULL;
	}
	if ((bl_value_is(reader->root, BL_KIND_OBJECT) &&
	     !read_draft(reader)) ||
	    !bl_schema_note_ids(reader, reader->root, BL_STR("")))
		return NULL;
	return read_schema(reader, reader->root, BL_STR(""));
}
