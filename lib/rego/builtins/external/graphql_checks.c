/* SPDX-License-Identifier: Apache-2.0 */
/* GraphQL: are the definitions of a schema right (GraphQL, 3)? */
#include "rego/builtins/external/graphql_checks.h"

struct check {
	const struct bl_gql_schema *schema;
	struct bl_gql_error *error;
};

#define FAIL(c, node, ...)                                                     \
	bl_gql_fail_at((c)->schema->arena, (c)->error, node, __VA_ARGS__)

bool bl_gql_is_kind(struct bl_value def, const char *kind)
{
	return bl_str_is(bl_gql_get_text(def, "Kind"), kind);
}

bool bl_gql_is_input_type(struct bl_value def)
{
	return bl_gql_is_kind(def, "SCALAR") || bl_gql_is_kind(def, "ENUM") ||
	       bl_gql_is_kind(def, "INPUT_OBJECT");
}

bool bl_gql_is_composite(struct bl_value def)
{
	return bl_gql_is_kind(def, "OBJECT") ||
	       bl_gql_is_kind(def, "INTERFACE") || bl_gql_is_kind(def, "UNION");
}

static bool has_text(struct bl_value list, struct bl_str text)
{
	for (size_t i = 0; i < bl_value_count(list); i++) {
		if (bl_str_equal(bl_value_text(bl_value_item(list, i)), text))
			return true;
	}
	return false;
}

bool bl_gql_is_possible(struct bl_value def, struct bl_value object)
{
	struct bl_str name = bl_gql_get_text(def, "Name");
	struct bl_str object_name = bl_gql_get_text(object, "Name");

	if (bl_gql_is_kind(def, "UNION"))
		return has_text(bl_gql_get(def, "Types"), object_name);
	if (bl_gql_is_kind(def, "INTERFACE"))
		return has_text(bl_gql_get(object, "Interfaces"), name);
	return bl_str_equal(name, object_name);
}

/* ---- names, types, arguments -------------------------------------------- */

static bool check_name(struct check *c, struct bl_value node)
{
	struct bl_str name = bl_gql_get_text(node, "Name");

	if (!bl_str_has_prefix(name, BL_STR("__")))
		return true;
	return FAIL(c, node,
		    "Name \"%.*s\" must not begin with \"__\", which is "
		    "reserved by GraphQL introspection",
		    BL_STR_ARG(name));
}

static bool check_type(struct check *c, struct bl_value type)
{
	struct bl_str name = bl_gql_type_name(type);

	if (bl_value_is_defined(bl_gql_schema_type(c->schema, name)))
		return true;
	return FAIL(c, type, "Undefined type %.*s", BL_STR_ARG(name));
}

static bool is_non_null(struct bl_value type)
{
	return bl_value_is_true(bl_gql_get(type, "NonNull"));
}

/* Must a caller give this argument? */
static bool is_required(struct bl_value argument)
{
	return is_non_null(bl_gql_get(argument, "Type")) &&
	       !bl_value_is_defined(bl_gql_get(argument, "DefaultValue"));
}

static bool is_null_value(struct bl_value value)
{
	int64_t kind;

	return bl_number_to_integer(bl_gql_get(value, "Kind"), &kind) &&
	       kind == 6;
}

static bool check_directive_arguments(struct check *c,
				      struct bl_value directive,
				      struct bl_value def)
{
	struct bl_value given = bl_gql_get(directive, "Arguments");
	struct bl_value known = bl_gql_get(def, "Arguments");
	struct bl_str name = bl_gql_get_text(directive, "Name");

	for (size_t i = 0; i < bl_value_count(given); i++) {
		struct bl_str arg =
			bl_gql_get_text(bl_value_item(given, i), "Name");

		if (!bl_value_is_defined(bl_gql_find(known, arg)))
			return FAIL(c, directive,
				    "Undefined argument %.*s for directive "
				    "%.*s",
				    BL_STR_ARG(arg), BL_STR_ARG(name));
	}
	for (size_t i = 0; i < bl_value_count(known); i++) {
		struct bl_value arg = bl_value_item(known, i);
		struct bl_str arg_name = bl_gql_get_text(arg, "Name");
		struct bl_value value = bl_gql_find(given, arg_name);

		if (is_required(arg) &&
		    (!bl_value_is_defined(value) ||
		     is_null_value(bl_gql_get(value, "Value"))))
			return FAIL(c, directive,
				    "Argument %.*s for directive %.*s cannot "
				    "be null",
				    BL_STR_ARG(arg_name), BL_STR_ARG(name));
	}
	return true;
}

/* inside (may be undefined) is the directive whose definition this is. */
static bool check_directives(struct check *c, struct bl_value list,
			     struct bl_str location, struct bl_value inside)
{
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_value directive = bl_value_item(list, i);
		struct bl_str name = bl_gql_get_text(directive, "Name");
		struct bl_value def =
			bl_object_find(c->schema->directives, name);

		if (!check_name(c, directive))
			return false;
		if (bl_value_is_defined(inside) &&
		    bl_str_equal(name, bl_gql_get_text(inside, "Name")))
			return FAIL(c, directive,
				    "Directive %.*s cannot refer to itself",
				    BL_STR_ARG(name));
		if (!bl_value_is_defined(def))
			return FAIL(c, directive, "Undefined directive %.*s",
				    BL_STR_ARG(name));
		if (!has_text(bl_gql_get(def, "Locations"), location))
			return FAIL(c, directive,
				    "Directive %.*s is not applicable on %.*s",
				    BL_STR_ARG(name), BL_STR_ARG(location));
		if (!check_directive_arguments(c, directive, def))
			return false;
	}
	return true;
}

static bool fail_argument(struct check *c, struct bl_value arg,
			  struct bl_value type, struct bl_value def)
{
	struct bl_str text = bl_gql_type_text(c->schema->arena, type);
	struct bl_str name = bl_gql_get_text(arg, "Name");
	struct bl_str kind = bl_gql_get_text(def, "Kind");

	return FAIL(c, arg,
		    "cannot use %.*s as argument %.*s because %.*s is not a "
		    "valid input type",
		    BL_STR_ARG(text), BL_STR_ARG(name), BL_STR_ARG(kind));
}

static bool check_arguments(struct check *c, struct bl_value list,
			    struct bl_value inside)
{
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_value arg = bl_value_item(list, i);
		struct bl_value type = bl_gql_get(arg, "Type");
		struct bl_value def;

		if (!check_name(c, arg) || !check_type(c, type))
			return false;
		def = bl_gql_schema_type(c->schema, bl_gql_type_name(type));
		if (!bl_gql_is_input_type(def))
			return fail_argument(c, arg, type, def);
		if (!check_directives(c, bl_gql_get(arg, "Directives"),
				      BL_STR("ARGUMENT_DEFINITION"), inside))
			return false;
	}
	return true;
}

/* ---- interfaces --------------------------------------------------------- */

static bool is_covariant(const struct bl_gql_schema *schema,
			 struct bl_value required, struct bl_value actual)
{
	for (size_t depth = 0; depth <= BL_GQL_MAX_DEPTH; depth++) {
		struct bl_str name = bl_gql_get_text(required, "NamedType");
		struct bl_str other = bl_gql_get_text(actual, "NamedType");

		if (is_non_null(required) && !is_non_null(actual))
			return false;
		if (name.len)
			return bl_str_equal(name, other) ||
			       (other.len &&
				bl_gql_is_possible(
					bl_gql_schema_type(schema, name),
					bl_gql_schema_type(schema, other)));
		required = bl_gql_get(required, "Elem");
		actual = bl_gql_get(actual, "Elem");
		if (!bl_value_is_defined(required) ||
		    !bl_value_is_defined(actual))
			return false;
	}
	return false;
}

/* Is a value of type other good where required is wanted? */
static bool is_compatible(struct bl_value required, struct bl_value other)
{
	for (size_t depth = 0; depth <= BL_GQL_MAX_DEPTH; depth++) {
		struct bl_value inner = bl_gql_get(required, "Elem");
		struct bl_value other_inner = bl_gql_get(other, "Elem");

		if (!bl_str_equal(bl_gql_get_text(required, "NamedType"),
				  bl_gql_get_text(other, "NamedType")))
			return false;
		if (bl_value_is_defined(inner) !=
		    bl_value_is_defined(other_inner))
			return false;
		if (is_non_null(other) && !is_non_null(required))
			return false;
		if (!bl_value_is_defined(inner))
			return true;
		required = inner;
		other = other_inner;
	}
	return false;
}

/* Names for the messages about def and the interface that it implements. */
struct pair {
	struct bl_value def;
	struct bl_str name;
	struct bl_str interface;
};

static bool check_field_arguments(struct check *c, const struct pair *pair,
				  struct bl_value required,
				  struct bl_value found)
{
	struct bl_str field = bl_gql_get_text(required, "Name");
	struct bl_value wanted = bl_gql_get(required, "Arguments");
	struct bl_value given = bl_gql_get(found, "Arguments");

	for (size_t i = 0; i < bl_value_count(wanted); i++) {
		struct bl_value arg = bl_value_item(wanted, i);
		struct bl_str name = bl_gql_get_text(arg, "Name");
		struct bl_value other = bl_gql_find(given, name);

		if (!bl_value_is_defined(other))
			return FAIL(c, pair->def,
				    "For %.*s to implement %.*s the field "
				    "%.*s must have the same arguments but it "
				    "is missing %.*s",
				    BL_STR_ARG(pair->name),
				    BL_STR_ARG(pair->interface),
				    BL_STR_ARG(field), BL_STR_ARG(name));
		if (!is_compatible(bl_gql_get(arg, "Type"),
				   bl_gql_get(other, "Type")))
			return FAIL(c, pair->def,
				    "For %.*s to implement %.*s the field "
				    "%.*s must have the same arguments but "
				    "%.*s has the wrong type",
				    BL_STR_ARG(pair->name),
				    BL_STR_ARG(pair->interface),
				    BL_STR_ARG(field), BL_STR_ARG(name));
	}
	for (size_t i = 0; i < bl_value_count(given); i++) {
		struct bl_value arg = bl_value_item(given, i);
		struct bl_str name = bl_gql_get_text(arg, "Name");

		if (is_required(arg) &&
		    !bl_value_is_defined(bl_gql_find(wanted, name)))
			return FAIL(c, found,
				    "For %.*s to implement %.*s any "
				    "additional arguments on %.*s must be "
				    "optional or have a default value but "
				    "%.*s is required",
				    BL_STR_ARG(pair->name),
				    BL_STR_ARG(pair->interface),
				    BL_STR_ARG(field), BL_STR_ARG(name));
	}
	return true;
}

static bool check_fields_of(struct check *c, const struct pair *pair,
			    struct bl_value interface)
{
	struct bl_value wanted = bl_gql_get(interface, "Fields");
	struct bl_value given = bl_gql_get(pair->def, "Fields");

	for (size_t i = 0; i < bl_value_count(wanted); i++) {
		struct bl_value field = bl_value_item(wanted, i);
		struct bl_str name = bl_gql_get_text(field, "Name");
		struct bl_value found = bl_gql_find(given, name);
		struct bl_value type = bl_gql_get(field, "Type");

		if (!bl_value_is_defined(found))
			return FAIL(c, pair->def,
				    "For %.*s to implement %.*s it must have a "
				    "field called %.*s",
				    BL_STR_ARG(pair->name),
				    BL_STR_ARG(pair->interface),
				    BL_STR_ARG(name));
		if (!is_covariant(c->schema, type, bl_gql_get(found, "Type"))) {
			struct bl_str text =
				bl_gql_type_text(c->schema->arena, type);

			return FAIL(c, found,
				    "For %.*s to implement %.*s the field "
				    "%.*s must have type %.*s",
				    BL_STR_ARG(pair->name),
				    BL_STR_ARG(pair->interface),
				    BL_STR_ARG(name), BL_STR_ARG(text));
		}
		if (!check_field_arguments(c, pair, field, found))
			return false;
	}
	return true;
}

static bool check_ancestors(struct check *c, const struct pair *pair,
			    struct bl_value interface)
{
	struct bl_value above = bl_gql_get(interface, "Interfaces");
	struct bl_value mine = bl_gql_get(pair->def, "Interfaces");

	for (size_t i = 0; i < bl_value_count(above); i++) {
		struct bl_str name = bl_value_text(bl_value_item(above, i));

		if (has_text(mine, name))
			continue;
		if (bl_str_equal(name, pair->name))
			return FAIL(c, pair->def,
				    "Type %.*s cannot implement %.*s because "
				    "it would create a circular reference",
				    BL_STR_ARG(pair->name),
				    BL_STR_ARG(pair->interface));
		return FAIL(c, pair->def,
			    "Type %.*s must implement %.*s because it is "
			    "implemented by %.*s",
			    BL_STR_ARG(pair->name), BL_STR_ARG(name),
			    BL_STR_ARG(pair->interface));
	}
	return true;
}

static bool check_interfaces(struct check *c, struct bl_value def)
{
	struct bl_value list = bl_gql_get(def, "Interfaces");

	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct pair pair = {
			.def = def,
			.name = bl_gql_get_text(def, "Name"),
			.interface = bl_value_text(bl_value_item(list, i)),
		};
		struct bl_value interface =
			bl_gql_schema_type(c->schema, pair.interface);
		struct bl_str kind = bl_gql_get_text(interface, "Kind");

		if (!bl_value_is_defined(interface))
			return FAIL(c, def, "Undefined type \"%.*s\"",
				    BL_STR_ARG(pair.interface));
		if (!bl_gql_is_kind(interface, "INTERFACE"))
			return FAIL(
				c, def, "\"%.*s\" is a non interface type %.*s",
				BL_STR_ARG(pair.interface), BL_STR_ARG(kind));
		if (!check_fields_of(c, &pair, interface) ||
		    !check_ancestors(c, &pair, interface))
			return false;
	}
	return true;
}

/* ---- one definition ----------------------------------------------------- */

static bool check_fields(struct check *c, struct bl_value def)
{
	struct bl_value fields = bl_gql_get(def, "Fields");
	struct bl_str location = bl_gql_is_kind(def, "INPUT_OBJECT")
					 ? BL_STR("INPUT_FIELD_DEFINITION")
					 : BL_STR("FIELD_DEFINITION");

	for (size_t i = 0; i < bl_value_count(fields); i++) {
		struct bl_value field = bl_value_item(fields, i);

		if (!check_name(c, field) ||
		    !check_type(c, bl_gql_get(field, "Type")) ||
		    !check_arguments(c, bl_gql_get(field, "Arguments"),
				     bl_value_undefined()) ||
		    !check_directives(c, bl_gql_get(field, "Directives"),
				      location, bl_value_undefined()))
			return false;
	}
	return true;
}

static bool check_members(struct check *c, struct bl_value def)
{
	struct bl_value types = bl_gql_get(def, "Types");
	struct bl_str kind = bl_gql_get_text(def, "Kind");

	for (size_t i = 0; i < bl_value_count(types); i++) {
		struct bl_str name = bl_value_text(bl_value_item(types, i));
		struct bl_value type = bl_gql_schema_type(c->schema, name);

		if (!bl_value_is_defined(type))
			return FAIL(c, def, "Undefined type \"%.*s\"",
				    BL_STR_ARG(name));
		if (!bl_gql_is_kind(type, "OBJECT"))
			return FAIL(c, def, "%.*s type \"%.*s\" must be OBJECT",
				    BL_STR_ARG(kind), BL_STR_ARG(name));
	}
	return true;
}

static bool check_enum(struct check *c, struct bl_value def)
{
	static const char *const words[] = { "true", "false", "null" };
	struct bl_value values = bl_gql_get(def, "EnumValues");
	struct bl_str type = bl_gql_get_text(def, "Name");

	for (size_t i = 0; i < bl_value_count(values); i++) {
		struct bl_str name =
			bl_gql_get_text(bl_value_item(values, i), "Name");

		for (size_t k = 0; k < BL_COUNT(words); k++) {
			if (bl_str_is(name, words[k]))
				return FAIL(c, def,
					    "ENUM %.*s: non-enum value %.*s",
					    BL_STR_ARG(type), BL_STR_ARG(name));
		}
	}
	return true;
}

/* The part that a kind of type needs at least once, and its fields' types. */
static const struct {
	const char *kind;
	const char *list;
	const char *what;
	bool is_input;
} contents[] = {
	{ "OBJECT", "Fields", "fields", false },
	{ "INTERFACE", "Fields", "fields", false },
	{ "ENUM", "EnumValues", "unique enum values", false },
	{ "INPUT_OBJECT", "Fields", "input fields", true },
};

static bool check_field_kinds(struct check *c, struct bl_value def,
			      bool is_input)
{
	struct bl_value fields = bl_gql_get(def, "Fields");
	struct bl_str def_kind = bl_gql_get_text(def, "Kind");
	struct bl_str def_name = bl_gql_get_text(def, "Name");

	for (size_t i = 0; i < bl_value_count(fields); i++) {
		struct bl_value field = bl_value_item(fields, i);
		struct bl_value type = bl_gql_schema_type(
			c->schema, bl_gql_type_name(bl_gql_get(field, "Type")));
		struct bl_str kind = bl_gql_get_text(type, "Kind");
		struct bl_str name = bl_gql_get_text(field, "Name");

		if (is_input && !bl_gql_is_input_type(type))
			return FAIL(c, field,
				    "%.*s %.*s: field must be one of SCALAR, "
				    "ENUM, INPUT_OBJECT",
				    BL_STR_ARG(kind), BL_STR_ARG(name));
		if (!is_input && bl_gql_is_kind(type, "INPUT_OBJECT"))
			return FAIL(c, field,
				    "%.*s %.*s: field must be one of SCALAR, "
				    "OBJECT, INTERFACE, UNION, ENUM",
				    BL_STR_ARG(def_kind), BL_STR_ARG(def_name));
	}
	return true;
}

static bool check_contents(struct check *c, struct bl_value def)
{
	struct bl_str name = bl_gql_get_text(def, "Name");

	for (size_t i = 0; i < BL_COUNT(contents); i++) {
		if (!bl_gql_is_kind(def, contents[i].kind))
			continue;
		if (!bl_value_count(bl_gql_get(def, contents[i].list)))
			return FAIL(c, def,
				    "%s %.*s: must define one or more %s",
				    contents[i].kind, BL_STR_ARG(name),
				    contents[i].what);
		return check_field_kinds(c, def, contents[i].is_input) &&
		       check_enum(c, def);
	}
	return true;
}

static bool check_unique_fields(struct check *c, struct bl_value def)
{
	struct bl_value fields = bl_gql_get(def, "Fields");
	size_t count = bl_value_count(fields);
	struct bl_str owner = bl_gql_get_text(def, "Name");

	for (size_t i = 0; i < count; i++) {
		struct bl_value field = bl_value_item(fields, i);
		struct bl_str name = bl_gql_get_text(field, "Name");
		struct bl_value first = bl_gql_find(fields, name);

		if (first.as.object != field.as.object)
			return FAIL(c, field,
				    "Field %.*s.%.*s can only be defined once",
				    BL_STR_ARG(owner), BL_STR_ARG(name));
	}
	return true;
}

static bool check_definition(struct check *c, struct bl_value def,
			     bool is_built_in)
{
	return check_fields(c, def) && check_members(c, def) &&
	       check_interfaces(c, def) && check_contents(c, def) &&
	       check_unique_fields(c, def) &&
	       (is_built_in || check_name(c, def)) &&
	       check_directives(c, bl_gql_get(def, "Directives"),
				bl_gql_get_text(def, "Kind"),
				bl_value_undefined());
}

bool bl_gql_check_definitions(const struct bl_gql_schema *schema,
			      size_t built_in_count, struct bl_gql_error *error)
{
	struct check c = { schema, error };

	for (size_t i = 0; i < bl_value_count(schema->types); i++) {
		size_t at = bl_object_sorted_index(schema->types, i);

		if (!check_definition(&c, bl_object_value(schema->types, at),
				      at < built_in_count))
			return false;
	}
	for (size_t i = 0; i < bl_value_count(schema->directives); i++) {
		size_t at = bl_object_sorted_index(schema->directives, i);
		struct bl_value def = bl_object_value(schema->directives, at);

		if (!check_name(&c, def) ||
		    !check_arguments(&c, bl_gql_get(def, "Arguments"), def))
			return false;
	}
	return true;
}
