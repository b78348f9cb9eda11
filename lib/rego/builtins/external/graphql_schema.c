/* SPDX-License-Identifier: Apache-2.0 */
/* GraphQL: a schema of a document, with its extensions and the prelude. */
#include "rego/builtins/external/graphql_checks.h"

/* The types of every schema (GraphQL, 3.5, 3.13, 4.2). */
static const char prelude[] =
	"scalar Int scalar Float scalar String scalar Boolean scalar ID "
	"directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | "
	"INLINE_FRAGMENT "
	"directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | "
	"INLINE_FRAGMENT "
	"directive @deprecated(reason: String = \"No longer supported\") on "
	"FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | "
	"ENUM_VALUE "
	"directive @specifiedBy(url: String!) on SCALAR "
	"directive @defer(if: Boolean = true, label: String) on "
	"FRAGMENT_SPREAD | INLINE_FRAGMENT "
	"directive @oneOf on INPUT_OBJECT "
	"type __Schema { description: String types: [__Type!]! "
	"queryType: __Type! mutationType: __Type subscriptionType: __Type "
	"directives: [__Directive!]! } "
	"type __Type { kind: __TypeKind! name: String description: String "
	"specifiedByURL: String "
	"fields(includeDeprecated: Boolean = false): [__Field!] "
	"interfaces: [__Type!] possibleTypes: [__Type!] "
	"enumValues(includeDeprecated: Boolean = false): [__EnumValue!] "
	"inputFields(includeDeprecated: Boolean = false): [__InputValue!] "
	"ofType: __Type isOneOf: Boolean } "
	"type __Field { name: String! description: String "
	"args(includeDeprecated: Boolean = false): [__InputValue!]! "
	"type: __Type! isDeprecated: Boolean! deprecationReason: String } "
	"type __InputValue { name: String! description: String "
	"type: __Type! defaultValue: String isDeprecated: Boolean! "
	"deprecationReason: String } "
	"type __EnumValue { name: String! description: String "
	"isDeprecated: Boolean! deprecationReason: String } "
	"enum __TypeKind { SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT "
	"LIST NON_NULL } "
	"type __Directive { name: String! description: String "
	"locations: [__DirectiveLocation!]! "
	"args(includeDeprecated: Boolean = false): [__InputValue!]! "
	"isRepeatable: Boolean! } "
	"enum __DirectiveLocation { QUERY MUTATION SUBSCRIPTION FIELD "
	"FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT "
	"VARIABLE_DEFINITION SCHEMA SCALAR OBJECT FIELD_DEFINITION "
	"ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT "
	"INPUT_FIELD_DEFINITION }";

/* Fields that the root of queries has besides its own. */
static const char root_fields[] =
	"extend type Query { __schema: __Schema! __type(name: String!): "
	"__Type }";

struct build {
	struct bl_gql_schema *schema;
	struct bl_arena *arena;
	struct bl_gql_error *error;
	struct bl_value *types; /* definitions, extended */
	size_t type_count;
	size_t built_in_count;
};

/* ---- collecting --------------------------------------------------------- */

static struct bl_value concat(struct bl_arena *arena, struct bl_value a,
			      struct bl_value b)
{
	struct bl_array_builder items;

	if (!bl_value_count(b))
		return a;
	bl_array_builder_init(&items, arena);
	for (size_t i = 0; i < bl_value_count(a); i++)
		bl_array_builder_add(&items, bl_value_item(a, i));
	for (size_t i = 0; i < bl_value_count(b); i++)
		bl_array_builder_add(&items, bl_value_item(b, i));
	return bl_array_builder_end(&items);
}

/* def with what ext adds to it. */
static struct bl_value extended(struct bl_arena *arena, struct bl_value def,
				struct bl_value ext)
{
	static const char *const lists[] = { "Directives", "Interfaces",
					     "Fields", "Types", "EnumValues" };
	struct bl_object_builder node;

	bl_object_builder_init(&node, arena);
	for (size_t i = 0; i < bl_value_count(def); i++)
		bl_object_builder_add(&node,
				      bl_value_text(bl_object_key(def, i)),
				      bl_object_value(def, i));
	for (size_t i = 0; i < BL_COUNT(lists); i++)
		bl_gql_add(&node, lists[i],
			   concat(arena, bl_gql_get(def, lists[i]),
				  bl_gql_get(ext, lists[i])));
	return bl_object_builder_end(&node);
}

static struct bl_value *find_type(struct build *b, struct bl_str name)
{
	for (size_t i = 0; i < b->type_count; i++) {
		if (bl_str_equal(bl_gql_get_text(b->types[i], "Name"), name))
			return &b->types[i];
	}
	return NULL;
}

static bool extend_type(struct build *b, struct bl_value ext)
{
	struct bl_str name = bl_gql_get_text(ext, "Name");
	struct bl_value *def = find_type(b, name);
	struct bl_str kind = bl_gql_get_text(ext, "Kind");
	struct bl_str base;

	if (!def) {
		b->types[b->type_count++] = ext;
		return true;
	}
	base = bl_gql_get_text(*def, "Kind");
	if (!bl_str_equal(base, kind))
		return bl_gql_fail_at(b->arena, b->error, ext,
				      "Cannot extend type %.*s because the "
				      "base type is a %.*s, not %.*s",
				      BL_STR_ARG(name), BL_STR_ARG(base),
				      BL_STR_ARG(kind));
	*def = extended(b->arena, *def, ext);
	return true;
}

/* An object of nodes by their names; a repeated one is a failure. */
static struct bl_value by_name(struct build *b, const struct bl_value *nodes,
			       size_t count, size_t *out_repeat)
{
	struct bl_member *members =
		bl_arena_new_array(b->arena, struct bl_member, count + 1);

	*out_repeat = SIZE_MAX;
	if (!members)
		return bl_value_undefined();
	for (size_t i = 0; i < count; i++)
		members[i] = (struct bl_member){
			bl_value_string(bl_gql_get_text(nodes[i], "Name")),
			nodes[i]
		};
	return bl_object_make(b->arena, members, count, out_repeat);
}

static bool fail_redeclared(struct build *b, const char *what,
			    struct bl_value again)
{
	struct bl_str name = bl_gql_get_text(again, "Name");

	return bl_gql_fail_at(b->arena, b->error, again,
			      "Cannot redeclare %s %.*s", what,
			      BL_STR_ARG(name));
}

static bool collect_types(struct build *b, struct bl_value base,
			  struct bl_value document)
{
	struct bl_value mine = bl_gql_get(document, "Definitions");
	struct bl_value more = bl_gql_get(document, "Extensions");
	struct bl_value all =
		concat(b->arena, bl_gql_get(base, "Definitions"), mine);
	size_t count = bl_value_count(all);
	size_t repeat;

	b->types = bl_arena_new_array(b->arena, struct bl_value,
				      count + bl_value_count(more) + 1);
	if (!b->types)
		return bl_gql_fail_at(b->arena, b->error, document,
				      "memory is out");
	b->built_in_count = count - bl_value_count(mine);
	for (size_t i = 0; i < count; i++)
		b->types[b->type_count++] = bl_value_item(all, i);
	by_name(b, b->types, count, &repeat);
	if (repeat != SIZE_MAX)
		return fail_redeclared(b, "type", b->types[repeat]);
	for (size_t i = 0; i < bl_value_count(more); i++) {
		if (!extend_type(b, bl_value_item(more, i)))
			return false;
	}
	b->schema->types = by_name(b, b->types, b->type_count, &repeat);
	return true;
}

/* The prelude's directives may be declared again, once. */
static bool collect_directives(struct build *b, struct bl_value base,
			       struct bl_value document)
{
	struct bl_value theirs = bl_gql_get(base, "Directives");
	struct bl_value mine = bl_gql_get(document, "Directives");
	struct bl_value all = concat(b->arena, theirs, mine);
	size_t repeat;

	by_name(b, mine.as.items, bl_value_count(mine), &repeat);
	if (repeat != SIZE_MAX)
		return fail_redeclared(b, "directive",
				       bl_value_item(mine, repeat));
	b->schema->directives =
		by_name(b, all.as.items, bl_value_count(all), &repeat);
	return true;
}

/* ---- roots -------------------------------------------------------------- */

static struct bl_value *root_of(struct bl_gql_schema *schema,
				struct bl_str operation)
{
	if (bl_str_is(operation, "mutation"))
		return &schema->mutation;
	return bl_str_is(operation, "subscription") ? &schema->subscription
						    : &schema->query;
}

static bool take_roots(struct build *b, struct bl_value definitions)
{
	for (size_t i = 0; i < bl_value_count(definitions); i++) {
		struct bl_value list = bl_gql_get(bl_value_item(definitions, i),
						  "OperationTypes");

		for (size_t k = 0; k < bl_value_count(list); k++) {
			struct bl_value entry = bl_value_item(list, k);
			struct bl_str op = bl_gql_get_text(entry, "Operation");
			struct bl_str name = bl_gql_get_text(entry, "Type");
			struct bl_value type =
				bl_gql_schema_type(b->schema, name);

			if (!bl_value_is_defined(type))
				return bl_gql_fail_at(
					b->arena, b->error, entry,
					"Schema root %.*s refers to a type "
					"%.*s that does not exist",
					BL_STR_ARG(op), BL_STR_ARG(name));
			*root_of(b->schema, op) = type;
		}
	}
	return true;
}

static bool find_roots(struct build *b, struct bl_value document)
{
	struct bl_value schemas = bl_gql_get(document, "Schema");

	if (bl_value_count(schemas) > 1)
		return bl_gql_fail_at(b->arena, b->error,
				      bl_value_item(schemas, 1),
				      "Cannot have multiple schema entry "
				      "points, consider schema extensions "
				      "instead");
	return take_roots(b, schemas) &&
	       take_roots(b, bl_gql_get(document, "SchemaExtension"));
}

/* Without a schema definition the usual names are the roots. */
static void infer_roots(struct build *b)
{
	static const char *const names[] = { "Query", "Mutation",
					     "Subscription" };
	struct bl_value *roots[] = { &b->schema->query, &b->schema->mutation,
				     &b->schema->subscription };

	for (size_t i = 0; i < BL_COUNT(names); i++) {
		if (!bl_value_is_defined(*roots[i]))
			*roots[i] =
				bl_gql_schema_type(b->schema, bl_str(names[i]));
	}
}

static bool add_root_fields(struct build *b)
{
	struct bl_value extra =
		bl_gql_parse_schema(b->arena, bl_str(root_fields), b->error);
	struct bl_value ext = bl_value_item(bl_gql_get(extra, "Extensions"), 0);
	struct bl_value *def;
	size_t repeat;

	if (!bl_value_is_defined(b->schema->query))
		return true;
	def = find_type(b, bl_gql_get_text(b->schema->query, "Name"));
	if (!def)
		return true;
	*def = extended(b->arena, *def, ext);
	b->schema->query = *def;
	b->schema->types = by_name(b, b->types, b->type_count, &repeat);
	return true;
}

bool bl_gql_schema_make(struct bl_arena *arena, struct bl_value document,
			struct bl_gql_schema *out, struct bl_gql_error *error)
{
	struct build b = { .schema = out, .arena = arena, .error = error };
	struct bl_value base;

	*out = (struct bl_gql_schema){ .arena = arena };
	*error = (struct bl_gql_error){ .failed = false };
	base = bl_gql_parse_schema(arena, bl_str(prelude), error);
	if (error->failed || !collect_types(&b, base, document) ||
	    !collect_directives(&b, base, document) ||
	    !find_roots(&b, document) ||
	    !bl_gql_check_definitions(out, b.built_in_count, error))
		return false;
	if (!bl_value_count(bl_gql_get(document, "Schema")))
		infer_roots(&b);
	return add_root_fields(&b);
}
