/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GraphQL: a walk over a query document that applies the rules of validation
 * (GraphQL, 5) in gqlparser's order, up to the first failure.
 */
#include "rego/builtins/external/graphql.h"

enum { KIND_VARIABLE = 0, KIND_NULL = 6, KIND_LIST = 8, KIND_OBJECT = 9 };

struct walk {
	const struct bl_gql_schema *schema;
	struct bl_arena *arena;
	struct bl_gql_error *error;
	struct bl_value document;
	struct bl_value operations;
	struct bl_value fragments;
	bool *walked;              /* by fragment: in this operation */
	bool *spread;              /* by fragment: somewhere */
	struct bl_value operation; /* undefined in a fragment */
	struct bl_value variables;
	bool *used; /* by variable */
	size_t steps;
	uint32_t depth;
};

/* Where a value is. */
struct place {
	struct bl_value type; /* undefined: not known */
	struct bl_value def;
	bool has_default;
};

#define FAIL(w, node, ...)                                                     \
	bl_gql_fail_at((w)->arena, (w)->error, node, __VA_ARGS__)

static struct bl_value type_named(const struct walk *w, struct bl_str name)
{
	return bl_gql_schema_type(w->schema, name);
}

static struct bl_value def_of_type(const struct walk *w, struct bl_value type)
{
	return type_named(w, bl_gql_type_name(type));
}

static size_t index_of(struct bl_value list, const char *key,
		       struct bl_str name)
{
	for (size_t i = 0; i < bl_value_count(list); i++) {
		if (bl_str_equal(bl_gql_get_text(bl_value_item(list, i), key),
				 name))
			return i;
	}
	return SIZE_MAX;
}

static bool has_text(struct bl_value list, struct bl_str text)
{
	for (size_t i = 0; i < bl_value_count(list); i++) {
		if (bl_str_equal(bl_value_text(bl_value_item(list, i)), text))
			return true;
	}
	return false;
}

/* Counts a node; the limit is a failure. */
static bool step(struct walk *w, struct bl_value node)
{
	if (w->depth < BL_GQL_MAX_DEPTH && w->steps++ < BL_GQL_MAX_STEPS)
		return true;
	return FAIL(w, node, "the query is too complex");
}

static int64_t kind_of(struct bl_value value)
{
	int64_t kind;

	return bl_number_to_integer(bl_gql_get(value, "Kind"), &kind) ? kind
								      : -1;
}

/* The first item whose key an earlier one has; undefined: none. */
static struct bl_value find_repeat(struct bl_value list, const char *key)
{
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_value item = bl_value_item(list, i);

		if (index_of(list, key, bl_gql_get_text(item, key)) < i)
			return item;
	}
	return bl_value_undefined();
}

static struct bl_str suggest_names(struct walk *w, struct bl_str input,
				   struct bl_value list)
{
	size_t count = bl_value_count(list);
	struct bl_str *options =
		bl_arena_new_array(w->arena, struct bl_str, count + 1);

	for (size_t i = 0; options && i < count; i++)
		options[i] = bl_gql_get_text(bl_value_item(list, i), "Name");
	return options ? bl_gql_suggest(w->arena, input, options, count)
		       : BL_STR("");
}

/* ---- arguments ---------------------------------------------------------- */

static bool check_arguments(struct walk *w, struct bl_value node,
			    struct bl_value known, const char *what,
			    struct bl_str owner)
{
	struct bl_value given = bl_gql_get(node, "Arguments");

	for (size_t i = 0; i < bl_value_count(given); i++) {
		struct bl_str name =
			bl_gql_get_text(bl_value_item(given, i), "Name");
		struct bl_str hint;

		if (bl_value_is_defined(bl_gql_find(known, name)))
			continue;
		hint = suggest_names(w, name, known);
		return FAIL(w, node,
			    "Unknown argument \"%.*s\" on %s \"%.*s\"%.*s",
			    BL_STR_ARG(name), what, BL_STR_ARG(owner),
			    BL_STR_ARG(hint));
	}
	return true;
}

static bool check_required(struct walk *w, struct bl_value node,
			   struct bl_value known, const char *what,
			   const char *mark)
{
	struct bl_value given = bl_gql_get(node, "Arguments");

	for (size_t i = 0; i < bl_value_count(known); i++) {
		struct bl_value arg = bl_value_item(known, i);
		struct bl_value type = bl_gql_get(arg, "Type");
		struct bl_str name = bl_gql_get_text(arg, "Name");
		struct bl_str owner, type_text;

		if (!bl_value_is_true(bl_gql_get(type, "NonNull")) ||
		    bl_value_is_defined(bl_gql_get(arg, "DefaultValue")) ||
		    bl_value_is_defined(bl_gql_find(given, name)))
			continue;
		owner = bl_gql_get_text(node, "Name");
		type_text = bl_gql_type_text(w->arena, type);
		return FAIL(w, node,
			    "%s \"%s%.*s\" argument \"%.*s\" of type \"%.*s\" "
			    "is required, but it was not provided",
			    what, mark, BL_STR_ARG(owner), BL_STR_ARG(name),
			    BL_STR_ARG(type_text));
	}
	return true;
}

static bool check_repeat(struct walk *w, struct bl_value list, const char *key,
			 const char *what, const char *mark)
{
	struct bl_value repeat = find_repeat(list, key);
	struct bl_str name = bl_gql_get_text(repeat, key);

	if (!bl_value_is_defined(repeat))
		return true;
	return FAIL(w, repeat, "There can be only one %s named \"%s%.*s\"",
		    what, mark, BL_STR_ARG(name));
}

/* ---- values ------------------------------------------------------------- */

/* May a variable of type be where other is wanted? */
static bool is_compatible(struct bl_value type, struct bl_value other,
			  bool other_non_null)
{
	for (size_t depth = 0; depth <= BL_GQL_MAX_DEPTH; depth++) {
		struct bl_value inner = bl_gql_get(type, "Elem");
		struct bl_value other_inner = bl_gql_get(other, "Elem");

		if (!bl_str_equal(bl_gql_get_text(type, "NamedType"),
				  bl_gql_get_text(other, "NamedType")) ||
		    bl_value_is_defined(inner) !=
			    bl_value_is_defined(other_inner) ||
		    (other_non_null &&
		     !bl_value_is_true(bl_gql_get(type, "NonNull"))))
			return false;
		if (!bl_value_is_defined(inner))
			return true;
		type = inner;
		other = other_inner;
		other_non_null = bl_value_is_true(bl_gql_get(other, "NonNull"));
	}
	return false;
}

static bool fail_position(struct walk *w, struct bl_value value,
			  struct bl_value own, struct bl_value expected)
{
	struct bl_str name = bl_gql_get_text(value, "Raw");
	struct bl_str own_text = bl_gql_type_text(w->arena, own);
	struct bl_str expected_text = bl_gql_type_text(w->arena, expected);

	return FAIL(w, value,
		    "Variable \"$%.*s\" of type \"%.*s\" used in position "
		    "expecting type \"%.*s\"",
		    BL_STR_ARG(name), BL_STR_ARG(own_text),
		    BL_STR_ARG(expected_text));
}

static bool check_variable(struct walk *w, struct bl_value value,
			   const struct place *place)
{
	struct bl_str name = bl_gql_get_text(value, "Raw");
	size_t at = index_of(w->variables, "Variable", name);
	struct bl_str op = bl_gql_get_text(w->operation, "Name");
	struct bl_value definition = bl_value_item(w->variables, at);
	struct bl_value initial = bl_gql_get(definition, "DefaultValue");
	struct bl_value type = bl_gql_get(definition, "Type");
	bool non_null = bl_value_is_true(bl_gql_get(place->type, "NonNull"));

	if (!bl_value_is_defined(w->operation))
		return true;
	if (at == SIZE_MAX && op.len)
		return FAIL(w, value,
			    "Variable \"$%.*s\" is not defined by operation "
			    "\"%.*s\"",
			    BL_STR_ARG(name), BL_STR_ARG(op));
	if (at == SIZE_MAX)
		return FAIL(w, value, "Variable \"$%.*s\" is not defined",
			    BL_STR_ARG(name));
	w->used[at] = true;
	if (place->has_default ||
	    (bl_value_is_defined(initial) && kind_of(initial) != KIND_NULL))
		non_null = false;
	if (!bl_value_is_defined(place->type) ||
	    is_compatible(type, place->type, non_null))
		return true;
	return fail_position(w, value, type, place->type);
}

static struct place place_of(const struct walk *w, struct bl_value definition)
{
	struct bl_value initial = bl_gql_get(definition, "DefaultValue");
	struct place place = { .type = bl_gql_get(definition, "Type") };

	place.def = def_of_type(w, place.type);
	place.has_default =
		bl_value_is_defined(initial) && kind_of(initial) != KIND_NULL;
	return place;
}

static bool walk_value(struct walk *w, struct bl_value value,
		       const struct place *place);

static bool walk_children(struct walk *w, struct bl_value value,
			  const struct place *place)
{
	struct bl_value children = bl_gql_get(value, "Children");
	struct bl_value fields = bl_gql_get(place->def, "Fields");
	bool is_object = kind_of(value) == KIND_OBJECT;

	for (size_t i = 0; i < bl_value_count(children); i++) {
		struct bl_value child = bl_value_item(children, i);
		struct bl_value elem = bl_gql_get(place->type, "Elem");
		struct place inner = { .has_default = false };

		if (is_object)
			inner = place_of(
				w, bl_gql_find(fields,
					       bl_gql_get_text(child, "Name")));
		else if (bl_value_is_defined(elem))
			inner = (struct place){ elem, place->def, false };
		if (!walk_value(w, bl_gql_get(child, "Value"), &inner))
			return false;
	}
	return true;
}

static bool walk_value(struct walk *w, struct bl_value value,
		       const struct place *place)
{
	int64_t kind = kind_of(value);
	bool ok;

	if (!step(w, value))
		return false;
	w->depth++;
	ok = (kind != KIND_OBJECT && kind != KIND_LIST) ||
	     walk_children(w, value, place);
	w->depth--;
	if (!ok)
		return false;
	if (kind == KIND_VARIABLE)
		return check_variable(w, value, place);
	if (kind == KIND_OBJECT &&
	    !check_repeat(w, bl_gql_get(value, "Children"), "Name",
			  "input field", ""))
		return false;
	return bl_gql_check_value(w->schema, value, place->type, place->def,
				  w->error);
}

static bool walk_arguments(struct walk *w, struct bl_value node,
			   struct bl_value known)
{
	struct bl_value given = bl_gql_get(node, "Arguments");

	for (size_t i = 0; i < bl_value_count(given); i++) {
		struct bl_value arg = bl_value_item(given, i);
		struct place place = place_of(
			w, bl_gql_find(known, bl_gql_get_text(arg, "Name")));

		if (!walk_value(w, bl_gql_get(arg, "Value"), &place))
			return false;
	}
	return true;
}

/* ---- directives --------------------------------------------------------- */

static bool walk_directive(struct walk *w, struct bl_value directive,
			   const char *location)
{
	struct bl_str name = bl_gql_get_text(directive, "Name");
	struct bl_value def = bl_object_find(w->schema->directives, name);
	struct bl_value known = bl_gql_get(def, "Arguments");
	struct bl_str owner =
		bl_arena_printf(w->arena, "@%.*s", BL_STR_ARG(name));

	if (!walk_arguments(w, directive, known))
		return false;
	if (!bl_value_is_defined(def))
		return FAIL(w, directive, "Unknown directive \"@%.*s\"",
			    BL_STR_ARG(name));
	if (!check_arguments(w, directive, known, "directive", owner))
		return false;
	if (!has_text(bl_gql_get(def, "Locations"), bl_str(location)))
		return FAIL(w, directive,
			    "Directive \"@%.*s\" may not be used on %s",
			    BL_STR_ARG(name), location);
	return check_required(w, directive, known, "Directive", "@") &&
	       check_repeat(w, bl_gql_get(directive, "Arguments"), "Name",
			    "argument", "");
}

static bool walk_directives(struct walk *w, struct bl_value node,
			    const char *location)
{
	struct bl_value list = bl_gql_get(node, "Directives");

	for (size_t i = 0; i < bl_value_count(list); i++) {
		if (!walk_directive(w, bl_value_item(list, i), location))
			return false;
	}
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_value item = bl_value_item(list, i);
		struct bl_str name = bl_gql_get_text(item, "Name");
		struct bl_value def =
			bl_object_find(w->schema->directives, name);

		if (index_of(list, "Name", name) < i &&
		    !bl_value_is_true(bl_gql_get(def, "IsRepeatable")))
			return FAIL(w, item,
				    "The directive \"@%.*s\" can only be used "
				    "once at this location",
				    BL_STR_ARG(name));
	}
	return true;
}

/* ---- selections --------------------------------------------------------- */

static bool walk_selections(struct walk *w, struct bl_value node,
			    struct bl_value parent);

static struct bl_value field_definition(struct bl_value parent,
					struct bl_str name)
{
	return bl_gql_find(bl_gql_get(parent, "Fields"), name);
}

static bool check_leaf(struct walk *w, struct bl_value field,
		       struct bl_value type, struct bl_value def)
{
	bool has_selection =
		bl_value_count(bl_gql_get(field, "SelectionSet")) > 0;
	struct bl_str name = bl_gql_get_text(field, "Name");
	struct bl_str text;

	if (!bl_value_is_defined(def) ||
	    bl_gql_is_composite(def) == has_selection)
		return true;
	text = bl_gql_type_text(w->arena, type);
	if (has_selection)
		return FAIL(w, field,
			    "Field \"%.*s\" must not have a selection since "
			    "type \"%.*s\" has no subfields",
			    BL_STR_ARG(name), BL_STR_ARG(text));
	return FAIL(w, field,
		    "Field \"%.*s\" of type \"%.*s\" must have a selection of "
		    "subfields. Did you mean \"%.*s { ... }\"?",
		    BL_STR_ARG(name), BL_STR_ARG(text), BL_STR_ARG(name));
}

static bool fail_unknown_field(struct walk *w, struct bl_value field,
			       struct bl_value parent)
{
	struct bl_str name = bl_gql_get_text(field, "Name");
	struct bl_str parent_name = bl_gql_get_text(parent, "Name");
	struct bl_str hint =
		suggest_names(w, name, bl_gql_get(parent, "Fields"));

	return FAIL(
		w, field, "Cannot query field \"%.*s\" on type \"%.*s\"%.*s",
		BL_STR_ARG(name), BL_STR_ARG(parent_name), BL_STR_ARG(hint));
}

static bool walk_field(struct walk *w, struct bl_value field,
		       struct bl_value parent)
{
	struct bl_str name = bl_gql_get_text(field, "Name");
	struct bl_str parent_name = bl_gql_get_text(parent, "Name");
	bool is_type_name = bl_str_is(name, "__typename");
	struct bl_value def = field_definition(parent, name);
	struct bl_value type = bl_gql_get(def, "Type");
	struct bl_value next = is_type_name ? type_named(w, BL_STR("String"))
					    : def_of_type(w, type);
	struct bl_value known = bl_gql_get(def, "Arguments");
	struct bl_str owner;

	if (!walk_arguments(w, field, known) ||
	    !walk_directives(w, field, "FIELD") ||
	    !walk_selections(w, field, next))
		return false;
	if (!bl_value_is_defined(parent))
		return true;
	if (!bl_value_is_defined(def) && !is_type_name)
		return fail_unknown_field(w, field, parent);

	owner = bl_arena_printf(w->arena, "%.*s.%.*s", BL_STR_ARG(parent_name),
				BL_STR_ARG(name));
	return check_arguments(w, field, known, "field", owner) &&
	       bl_gql_check_overlap(w->schema, w->document,
				    bl_gql_get(field, "SelectionSet"), next,
				    &w->steps, w->error) &&
	       check_required(w, field, known, "Field", "") &&
	       check_leaf(w, field, type, next) &&
	       check_repeat(w, bl_gql_get(field, "Arguments"), "Name",
			    "argument", "");
}

/* Can an object be of both types? */
static bool do_types_meet(const struct walk *w, struct bl_value a,
			  struct bl_value b)
{
	for (size_t i = 0; i < bl_value_count(w->schema->types); i++) {
		struct bl_value object = bl_object_value(w->schema->types, i);

		if (bl_gql_is_kind(object, "OBJECT") &&
		    bl_gql_is_possible(a, object) &&
		    bl_gql_is_possible(b, object))
			return true;
	}
	return false;
}

static bool check_spread(struct walk *w, struct bl_value node,
			 struct bl_value parent, struct bl_str type_name,
			 struct bl_str label)
{
	struct bl_value type = type_named(w, type_name);
	struct bl_str parent_name = bl_gql_get_text(parent, "Name");

	if (!bl_gql_is_composite(parent) || !bl_gql_is_composite(type) ||
	    do_types_meet(w, parent, type))
		return true;
	return FAIL(w, node,
		    "Fragment%.*s cannot be spread here as objects of type "
		    "\"%.*s\" can never be of type \"%.*s\"",
		    BL_STR_ARG(label), BL_STR_ARG(parent_name),
		    BL_STR_ARG(type_name));
}

static bool check_condition(struct walk *w, struct bl_value node,
			    struct bl_str label)
{
	struct bl_str name = bl_gql_get_text(node, "TypeCondition");
	struct bl_value type = type_named(w, name);

	if (name.len && !bl_value_is_defined(type))
		return FAIL(w, node, "Unknown type \"%.*s\"", BL_STR_ARG(name));
	if (!name.len || bl_gql_is_composite(type))
		return true;
	return FAIL(w, node,
		    "Fragment%.*s cannot condition on non composite type "
		    "\"%.*s\"",
		    BL_STR_ARG(label), BL_STR_ARG(name));
}

static bool walk_inline(struct walk *w, struct bl_value node,
			struct bl_value parent)
{
	struct bl_str condition = bl_gql_get_text(node, "TypeCondition");
	struct bl_value next =
		condition.len ? type_named(w, condition) : parent;

	return walk_directives(w, node, "INLINE_FRAGMENT") &&
	       walk_selections(w, node, next) &&
	       check_condition(w, node, BL_STR("")) &&
	       bl_gql_check_overlap(w->schema, w->document,
				    bl_gql_get(node, "SelectionSet"), next,
				    &w->steps, w->error) &&
	       (!condition.len ||
		check_spread(w, node, parent, condition, BL_STR("")));
}

static bool walk_spread(struct walk *w, struct bl_value node,
			struct bl_value parent)
{
	struct bl_str name = bl_gql_get_text(node, "Name");
	size_t at = index_of(w->fragments, "Name", name);
	struct bl_value fragment = bl_value_item(w->fragments, at);
	struct bl_str condition = bl_gql_get_text(fragment, "TypeCondition");

	if (!walk_directives(w, node, "FRAGMENT_SPREAD"))
		return false;
	if (at == SIZE_MAX)
		return FAIL(w, node, "Unknown fragment \"%.*s\"",
			    BL_STR_ARG(name));
	w->spread[at] = true;
	if (!w->walked[at]) {
		w->walked[at] = true;
		if (!walk_selections(w, fragment, type_named(w, condition)))
			return false;
	}
	return check_spread(
		w, node, parent, condition,
		bl_arena_printf(w->arena, " \"%.*s\"", BL_STR_ARG(name)));
}

static bool walk_selections(struct walk *w, struct bl_value node,
			    struct bl_value parent)
{
	struct bl_value list = bl_gql_get(node, "SelectionSet");
	bool ok = step(w, node);

	w->depth++;
	for (size_t i = 0; ok && i < bl_value_count(list); i++) {
		struct bl_value item = bl_value_item(list, i);

		if (bl_value_is_defined(bl_gql_get(item, "Alias")))
			ok = walk_field(w, item, parent);
		else if (bl_value_is_defined(bl_gql_get(item, "Name")))
			ok = walk_spread(w, item, parent);
		else
			ok = walk_inline(w, item, parent);
	}
	w->depth--;
	return ok;
}

/* ---- fragments ---------------------------------------------------------- */

/* Finds a way from the selections back to the fragment called name. */
static bool leads_back(struct walk *w, struct bl_value node, struct bl_str name,
		       bool *seen)
{
	struct bl_value list = bl_gql_get(node, "SelectionSet");
	bool found = false;

	if (w->depth >= BL_GQL_MAX_DEPTH || w->steps++ >= BL_GQL_MAX_STEPS)
		return false;
	w->depth++;
	for (size_t i = 0; !found && i < bl_value_count(list); i++) {
		struct bl_value item = bl_value_item(list, i);
		struct bl_str to = bl_gql_get_text(item, "Name");
		bool is_spread = to.len && !bl_value_is_defined(
						   bl_gql_get(item, "Alias"));
		size_t at = is_spread ? index_of(w->fragments, "Name", to)
				      : SIZE_MAX;

		if (is_spread && bl_str_equal(to, name)) {
			found = true;
		} else if (at != SIZE_MAX && !seen[at]) {
			seen[at] = true;
			found = leads_back(w, bl_value_item(w->fragments, at),
					   name, seen);
		} else if (!is_spread) {
			found = leads_back(w, item, name, seen);
		}
	}
	w->depth--;
	return found;
}

static bool check_cycle(struct walk *w, struct bl_value fragment)
{
	struct bl_str name = bl_gql_get_text(fragment, "Name");
	bool *seen = bl_arena_new_array(w->arena, bool,
					bl_value_count(w->fragments) + 1);

	if (seen && !leads_back(w, fragment, name, seen))
		return true;
	return FAIL(w, fragment,
		    "Cannot spread fragment \"%.*s\" within itself",
		    BL_STR_ARG(name));
}

static bool walk_fragment(struct walk *w, size_t i)
{
	struct bl_value fragment = bl_value_item(w->fragments, i);
	struct bl_str name = bl_gql_get_text(fragment, "Name");
	struct bl_value type =
		type_named(w, bl_gql_get_text(fragment, "TypeCondition"));
	struct bl_str label =
		bl_arena_printf(w->arena, " \"%.*s\"", BL_STR_ARG(name));

	if (!walk_directives(w, fragment, "FRAGMENT_DEFINITION") ||
	    !walk_selections(w, fragment, type) ||
	    !check_condition(w, fragment, label) || !check_cycle(w, fragment))
		return false;
	if (!w->spread[i])
		return FAIL(w, fragment, "Fragment \"%.*s\" is never used",
			    BL_STR_ARG(name));
	if (!bl_gql_check_overlap(w->schema, w->document,
				  bl_gql_get(fragment, "SelectionSet"), type,
				  &w->steps, w->error))
		return false;
	if (index_of(w->fragments, "Name", name) < i)
		return FAIL(w, fragment,
			    "There can be only one fragment named \"%.*s\"",
			    BL_STR_ARG(name));
	return true;
}

/* ---- operations --------------------------------------------------------- */

struct root {
	struct bl_value def;
	const char *location;
};

static struct root root_of(const struct walk *w, struct bl_str operation)
{
	const struct bl_gql_schema *schema = w->schema;

	if (bl_str_is(operation, "mutation"))
		return (struct root){ schema->mutation, "MUTATION" };
	if (bl_str_is(operation, "subscription"))
		return (struct root){ schema->subscription, "SUBSCRIPTION" };
	return (struct root){ schema->query, "QUERY" };
}

static bool walk_variables(struct walk *w)
{
	for (size_t i = 0; i < bl_value_count(w->variables); i++) {
		struct bl_value item = bl_value_item(w->variables, i);
		struct bl_str type = bl_gql_type_name(bl_gql_get(item, "Type"));

		if (!bl_value_is_defined(type_named(w, type)))
			return FAIL(w, item, "Unknown type \"%.*s\"",
				    BL_STR_ARG(type));
	}
	for (size_t i = 0; i < bl_value_count(w->variables); i++) {
		struct bl_value item = bl_value_item(w->variables, i);
		struct bl_value initial = bl_gql_get(item, "DefaultValue");
		struct place place = place_of(w, item);

		if (bl_value_is_defined(initial) &&
		    !walk_value(w, initial, &place))
			return false;
		if (!walk_directives(w, item, "VARIABLE_DEFINITION"))
			return false;
	}
	return true;
}

static bool check_variables(struct walk *w)
{
	struct bl_str op = bl_gql_get_text(w->operation, "Name");

	for (size_t i = 0; i < bl_value_count(w->variables); i++) {
		struct bl_value item = bl_value_item(w->variables, i);
		struct bl_str name = bl_gql_get_text(item, "Variable");

		if (w->used[i])
			continue;
		if (op.len)
			return FAIL(w, item,
				    "Variable \"$%.*s\" is never used in "
				    "operation \"%.*s\"",
				    BL_STR_ARG(name), BL_STR_ARG(op));
		return FAIL(w, item, "Variable \"$%.*s\" is never used",
			    BL_STR_ARG(name));
	}
	return true;
}

static bool check_variable_types(struct walk *w)
{
	for (size_t i = 0; i < bl_value_count(w->variables); i++) {
		struct bl_value item = bl_value_item(w->variables, i);
		struct bl_value type = bl_gql_get(item, "Type");
		struct bl_str name, text;

		if (bl_gql_is_input_type(def_of_type(w, type)))
			continue;
		name = bl_gql_get_text(item, "Variable");
		text = bl_gql_type_text(w->arena, type);
		return FAIL(w, item,
			    "Variable \"$%.*s\" cannot be non-input type "
			    "\"%.*s\"",
			    BL_STR_ARG(name), BL_STR_ARG(text));
	}
	return true;
}

/* The rules that look at an operation as a whole. */
static bool check_operation(struct walk *w, size_t i, const struct root *root)
{
	struct bl_value op = w->operation;
	struct bl_str name = bl_gql_get_text(op, "Name");
	struct bl_str kind = bl_gql_get_text(op, "Operation");
	struct bl_value selections = bl_gql_get(op, "SelectionSet");

	if (!bl_value_is_defined(root->def))
		return FAIL(w, op,
			    "Schema does not support operation type \"%.*s\"",
			    BL_STR_ARG(kind));
	if (!name.len && bl_value_count(w->operations) > 1)
		return FAIL(w, op,
			    "This anonymous operation must be the only "
			    "defined operation");
	if (!check_variables(w) ||
	    !bl_gql_check_overlap(w->schema, w->document, selections, root->def,
				  &w->steps, w->error))
		return false;
	if (!strcmp(root->location, "SUBSCRIPTION") &&
	    bl_value_count(selections) > 1)
		return FAIL(w, bl_value_item(selections, 1),
			    name.len ? "Subscription \"%.*s\" must select "
				       "only one top level field"
				     : "%.*sAnonymous Subscription must select "
				       "only one top level field",
			    BL_STR_ARG(name));
	if (index_of(w->operations, "Name", name) < i)
		return FAIL(w, op,
			    "There can be only one operation named \"%.*s\"",
			    BL_STR_ARG(name));
	return check_repeat(w, w->variables, "Variable", "variable", "$") &&
	       check_variable_types(w);
}

static bool walk_operation(struct walk *w, size_t i)
{
	struct bl_value op = bl_value_item(w->operations, i);
	struct root root = root_of(w, bl_gql_get_text(op, "Operation"));
	size_t fragment_count = bl_value_count(w->fragments);

	w->operation = op;
	w->variables = bl_gql_get(op, "VariableDefinitions");
	w->used = bl_arena_new_array(w->arena, bool,
				     bl_value_count(w->variables) + 1);
	if (!w->used)
		return FAIL(w, op, "memory is out");
	memset(w->walked, 0, fragment_count * sizeof(*w->walked));
	return walk_variables(w) && walk_directives(w, op, root.location) &&
	       walk_selections(w, op, root.def) && check_operation(w, i, &root);
}

bool bl_gql_validate(const struct bl_gql_schema *schema,
		     struct bl_value document, struct bl_gql_error *error)
{
	struct walk w = {
		.schema = schema,
		.arena = schema->arena,
		.error = error,
		.document = document,
		.operations = bl_gql_get(document, "Operations"),
		.fragments = bl_gql_get(document, "Fragments"),
	};
	size_t count = bl_value_count(w.fragments);

	*error = (struct bl_gql_error){ .failed = false };
	w.walked = bl_arena_new_array(w.arena, bool, count + 1);
	w.spread = bl_arena_new_array(w.arena, bool, count + 1);
	if (!w.walked || !w.spread)
		return FAIL(&w, document, "memory is out");
	for (size_t i = 0; i < bl_value_count(w.operations); i++) {
		if (!walk_operation(&w, i))
			return false;
	}
	w.operation = bl_value_undefined();
	w.variables = bl_value_undefined();
	for (size_t i = 0; i < count; i++) {
		memset(w.walked, 0, count * sizeof(*w.walked));
		if (!walk_fragment(&w, i))
			return false;
	}
	return true;
}
