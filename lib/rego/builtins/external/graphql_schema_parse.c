/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GraphQL: type system documents. The parts that they share with queries are in
 * graphql_parse.c.
 */
#include "rego/builtins/external/graphql.h"

/* Description and name, as many nodes begin. */
static void named_node(struct bl_gql_parser *p, struct bl_object_builder *node)
{
	struct bl_value text = bl_gql_description(p);

	bl_gql_node(p, node);
	bl_gql_add(node, "Description", text);
	bl_gql_add(node, "Name", bl_gql_name(p));
}

/* An argument, or a field of an input object. */
static struct bl_value input_value(struct bl_gql_parser *p)
{
	struct bl_object_builder node;

	named_node(p, &node);
	bl_gql_expect(p, BL_GQL_COLON);
	bl_gql_add(&node, "Type", bl_gql_type(p));
	if (bl_gql_skip(p, BL_GQL_EQUALS))
		bl_gql_add(&node, "DefaultValue", bl_gql_value(p, true));
	bl_gql_add(&node, "Directives", bl_gql_directives(p, true));
	return bl_object_builder_end(&node);
}

static struct bl_value argument_definitions(struct bl_gql_parser *p)
{
	return bl_gql_list(p, BL_GQL_PAREN_L, BL_GQL_PAREN_R, true,
			   input_value);
}

static struct bl_value field_definition(struct bl_gql_parser *p)
{
	struct bl_object_builder node;

	named_node(p, &node);
	bl_gql_add(&node, "Arguments", argument_definitions(p));
	bl_gql_expect(p, BL_GQL_COLON);
	bl_gql_add(&node, "Type", bl_gql_type(p));
	bl_gql_add(&node, "Directives", bl_gql_directives(p, true));
	return bl_object_builder_end(&node);
}

static struct bl_value enum_value(struct bl_gql_parser *p)
{
	struct bl_object_builder node;

	named_node(p, &node);
	bl_gql_add(&node, "Directives", bl_gql_directives(p, true));
	return bl_object_builder_end(&node);
}

/* Names with mark between them, and maybe one in front. */
static struct bl_value names(struct bl_gql_parser *p, enum bl_gql_kind mark)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, p->lexer.arena);
	bl_gql_skip(p, mark);
	do
		bl_array_builder_add(&list, bl_gql_name(p));
	while (bl_gql_skip(p, mark));
	return bl_array_builder_end(&list);
}

/* ---- definitions of types ----------------------------------------------- */

struct type_kind {
	const char *word;
	const char *kind;
	bool has_interfaces;
	bool has_types;
	const char *list; /* what is in the braces, if there are any */
	bl_gql_item item;
};

static const struct type_kind type_kinds[] = {
	{ "scalar", "SCALAR", false, false, NULL, NULL },
	{ "type", "OBJECT", true, false, "Fields", field_definition },
	{ "interface", "INTERFACE", true, false, "Fields", field_definition },
	{ "union", "UNION", false, true, NULL, NULL },
	{ "enum", "ENUM", false, false, "EnumValues", enum_value },
	{ "input", "INPUT_OBJECT", false, false, "Fields", input_value },
};

static const struct type_kind *peek_type_kind(const struct bl_gql_parser *p)
{
	for (size_t i = 0; i < BL_COUNT(type_kinds); i++) {
		if (bl_gql_peek_word(p, type_kinds[i].word))
			return &type_kinds[i];
	}
	return NULL;
}

static struct bl_value type_definition(struct bl_gql_parser *p,
				       const struct type_kind *kind,
				       struct bl_value text, bool extends)
{
	struct bl_object_builder node;
	struct bl_value list;
	size_t empty;

	bl_gql_next(p);
	bl_gql_node(p, &node);
	bl_gql_add(&node, "Kind", bl_gql_text(kind->kind));
	bl_gql_add(&node, "Description", text);
	bl_gql_add(&node, "BuiltIn", bl_value_boolean(false));
	bl_gql_add(&node, "Name", bl_gql_name(p));
	empty = node.count;
	if (kind->has_interfaces && bl_gql_peek_word(p, "implements")) {
		bl_gql_next(p);
		bl_gql_add(&node, "Interfaces", names(p, BL_GQL_AMP));
	}
	bl_gql_add(&node, "Directives", bl_gql_directives(p, true));
	if (kind->has_types && bl_gql_skip(p, BL_GQL_EQUALS))
		bl_gql_add(&node, "Types", names(p, BL_GQL_PIPE));
	if (kind->list) {
		list = bl_gql_list(p, BL_GQL_BRACE_L, BL_GQL_BRACE_R, true,
				   kind->item);
		bl_gql_add(&node, kind->list, list);
	}
	if (extends && node.count == empty)
		bl_gql_unexpected(p, &p->peek);
	return bl_object_builder_end(&node);
}

/* ---- the schema itself, directives -------------------------------------- */

static struct bl_value operation_type(struct bl_gql_parser *p)
{
	struct bl_object_builder node;

	bl_gql_node(p, &node);
	if (!bl_gql_peek_word(p, "query") && !bl_gql_peek_word(p, "mutation") &&
	    !bl_gql_peek_word(p, "subscription"))
		bl_gql_unexpected(p, &p->peek);
	bl_gql_add(&node, "Operation", bl_gql_name(p));
	bl_gql_expect(p, BL_GQL_COLON);
	bl_gql_add(&node, "Type", bl_gql_name(p));
	return bl_object_builder_end(&node);
}

static struct bl_value schema_definition(struct bl_gql_parser *p,
					 struct bl_value text, bool extends)
{
	struct bl_object_builder node;
	size_t empty;

	bl_gql_next(p);
	bl_gql_node(p, &node);
	bl_gql_add(&node, "Description", text);
	empty = node.count;
	bl_gql_add(&node, "Directives", bl_gql_directives(p, true));
	bl_gql_add(&node, "OperationTypes",
		   bl_gql_list(p, BL_GQL_BRACE_L, BL_GQL_BRACE_R, true,
			       operation_type));
	if (extends && node.count == empty)
		bl_gql_unexpected(p, &p->peek);
	return bl_object_builder_end(&node);
}

static void check_location(struct bl_gql_parser *p)
{
	static const char *const locations[] = {
		"QUERY",
		"MUTATION",
		"SUBSCRIPTION",
		"FIELD",
		"FRAGMENT_DEFINITION",
		"FRAGMENT_SPREAD",
		"INLINE_FRAGMENT",
		"VARIABLE_DEFINITION",
		"SCHEMA",
		"SCALAR",
		"OBJECT",
		"FIELD_DEFINITION",
		"ARGUMENT_DEFINITION",
		"INTERFACE",
		"UNION",
		"ENUM",
		"ENUM_VALUE",
		"INPUT_OBJECT",
		"INPUT_FIELD_DEFINITION",
	};

	if (p->peek.kind != BL_GQL_NAME)
		return;
	for (size_t i = 0; i < BL_COUNT(locations); i++) {
		if (bl_str_is(p->peek.value, locations[i]))
			return;
	}
	bl_gql_unexpected(p, &p->peek);
}

static struct bl_value locations(struct bl_gql_parser *p)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, p->lexer.arena);
	bl_gql_skip(p, BL_GQL_PIPE);
	do {
		check_location(p);
		bl_array_builder_add(&list, bl_gql_name(p));
	} while (bl_gql_skip(p, BL_GQL_PIPE));
	return bl_array_builder_end(&list);
}

static struct bl_value directive_definition(struct bl_gql_parser *p,
					    struct bl_value text)
{
	struct bl_object_builder node;
	bool repeatable;

	bl_gql_next(p);
	bl_gql_expect(p, BL_GQL_AT);
	bl_gql_node(p, &node);
	bl_gql_add(&node, "Description", text);
	bl_gql_add(&node, "Name", bl_gql_name(p));
	bl_gql_add(&node, "Arguments", argument_definitions(p));
	repeatable = bl_gql_peek_word(p, "repeatable");
	if (repeatable)
		bl_gql_next(p);
	bl_gql_expect_word(p, "on");
	bl_gql_add(&node, "Locations", locations(p));
	bl_gql_add(&node, "IsRepeatable", bl_value_boolean(repeatable));
	return bl_object_builder_end(&node);
}

/* ---- documents ---------------------------------------------------------- */

enum list {
	LIST_SCHEMA,
	LIST_SCHEMA_EXTENSION,
	LIST_DIRECTIVES,
	LIST_DEFINITIONS,
	LIST_EXTENSIONS,
	LIST_COUNT
};

static const char *const list_names[] = {
	[LIST_SCHEMA] = "Schema",
	[LIST_SCHEMA_EXTENSION] = "SchemaExtension",
	[LIST_DIRECTIVES] = "Directives",
	[LIST_DEFINITIONS] = "Definitions",
	[LIST_EXTENSIONS] = "Extensions",
};

static void extension(struct bl_gql_parser *p, struct bl_array_builder *lists)
{
	const struct type_kind *kind;
	struct bl_value empty = bl_gql_text("");

	bl_gql_next(p);
	kind = peek_type_kind(p);
	if (kind)
		bl_array_builder_add(&lists[LIST_EXTENSIONS],
				     type_definition(p, kind, empty, true));
	else if (bl_gql_peek_word(p, "schema"))
		bl_array_builder_add(&lists[LIST_SCHEMA_EXTENSION],
				     schema_definition(p, empty, true));
	else
		bl_gql_unexpected(p, &p->peek);
}

static void definition(struct bl_gql_parser *p, struct bl_array_builder *lists)
{
	bool described = bl_gql_at_description(p);
	struct bl_value text = bl_gql_description(p);
	const struct type_kind *kind = peek_type_kind(p);

	if (kind)
		bl_array_builder_add(&lists[LIST_DEFINITIONS],
				     type_definition(p, kind, text, false));
	else if (bl_gql_peek_word(p, "schema"))
		bl_array_builder_add(&lists[LIST_SCHEMA],
				     schema_definition(p, text, false));
	else if (bl_gql_peek_word(p, "directive"))
		bl_array_builder_add(&lists[LIST_DIRECTIVES],
				     directive_definition(p, text));
	else if (bl_gql_peek_word(p, "extend") && described)
		bl_gql_unexpected(p, &p->last);
	else if (bl_gql_peek_word(p, "extend"))
		extension(p, lists);
	else
		bl_gql_unexpected(p, &p->peek);
}

struct bl_value bl_gql_parse_schema(struct bl_arena *arena, struct bl_str text,
				    struct bl_gql_error *out_error)
{
	struct bl_array_builder lists[LIST_COUNT];
	struct bl_object_builder node;
	struct bl_gql_parser p;

	bl_gql_parser_init(&p, arena, text);
	bl_object_builder_init(&node, arena);
	for (size_t i = 0; i < LIST_COUNT; i++)
		bl_array_builder_init(&lists[i], arena);
	while (p.peek.kind != BL_GQL_EOF && !p.error.failed)
		definition(&p, lists);
	*out_error = p.error;
	if (p.error.failed)
		return bl_value_undefined();
	for (size_t i = 0; i < LIST_COUNT; i++)
		bl_gql_add(&node, list_names[i],
			   bl_array_builder_end(&lists[i]));
	return bl_object_builder_end(&node);
}
