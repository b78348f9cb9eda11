/* SPDX-License-Identifier: Apache-2.0 */
/* GraphQL: can the fields of a selection set be merged (5.3.2)? */
#include "rego/builtins/external/graphql.h"

/* A field, as it is selected under a parent type. */
struct field {
	struct bl_value node;
	struct bl_value parent;
	struct bl_value type; /* undefined: not known */
	struct bl_str alias;
};

struct fields {
	struct field *items;
	size_t count;
	size_t cap;
};

struct overlap {
	const struct bl_gql_schema *schema;
	struct bl_arena *arena;
	struct bl_gql_error *error;
	struct bl_value fragments;
	size_t *steps;
	uint32_t depth;
	struct bl_value where; /* of the conflict */
};

static bool add(struct overlap *o, struct fields *to, struct field field)
{
	void *room = bl_arena_room(o->arena, to->items, to->count, &to->cap,
				   sizeof(*to->items));

	if (!room)
		return false;
	to->items = room;
	to->items[to->count++] = field;
	return true;
}

static bool add_field(struct overlap *o, struct fields *to,
		      struct bl_value node, struct bl_value parent)
{
	struct bl_str name = bl_gql_get_text(node, "Name");
	struct bl_value def = bl_gql_find(bl_gql_get(parent, "Fields"), name);

	return add(o, to,
		   (struct field){ node, parent, bl_gql_get(def, "Type"),
				   bl_gql_get_text(node, "Alias") });
}

/* Fields of the selections, with those of fragments (each once). */
static bool collect(struct overlap *o, struct fields *to,
		    struct bl_value selections, struct bl_value parent,
		    bool *seen)
{
	bool ok = o->depth < BL_GQL_MAX_DEPTH;

	o->depth++;
	for (size_t i = 0; ok && i < bl_value_count(selections); i++) {
		struct bl_value node = bl_value_item(selections, i);
		struct bl_str name = bl_gql_get_text(node, "Name");
		struct bl_value inner = node;
		struct bl_str type;

		ok = (*o->steps)++ < BL_GQL_MAX_STEPS;
		if (bl_value_is_defined(bl_gql_get(node, "Alias"))) {
			ok = ok && add_field(o, to, node, parent);
			continue;
		}
		if (name.len) {
			size_t at = 0;

			while (at < bl_value_count(o->fragments) &&
			       !bl_str_equal(
				       name,
				       bl_gql_get_text(
					       bl_value_item(o->fragments, at),
					       "Name")))
				at++;
			inner = bl_value_item(o->fragments, at);
			if (!bl_value_is_defined(inner) || seen[at])
				continue;
			seen[at] = true;
		}
		type = bl_gql_get_text(inner, "TypeCondition");
		ok = ok &&
		     collect(o, to, bl_gql_get(inner, "SelectionSet"),
			     type.len ? bl_gql_schema_type(o->schema, type)
				      : parent,
			     seen);
	}
	o->depth--;
	return ok;
}

static bool is_same_value(struct bl_value a, struct bl_value b, uint32_t depth)
{
	struct bl_value list = bl_gql_get(a, "Children");
	struct bl_value other = bl_gql_get(b, "Children");
	size_t count = bl_value_count(list);

	if (depth > BL_GQL_MAX_DEPTH ||
	    !bl_value_equal(bl_gql_get(a, "Kind"), bl_gql_get(b, "Kind")) ||
	    !bl_str_equal(bl_gql_get_text(a, "Raw"),
			  bl_gql_get_text(b, "Raw")) ||
	    count != bl_value_count(other))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct bl_value one = bl_value_item(list, i);
		struct bl_value two = bl_value_item(other, i);

		if (!bl_str_equal(bl_gql_get_text(one, "Name"),
				  bl_gql_get_text(two, "Name")) ||
		    !is_same_value(bl_gql_get(one, "Value"),
				   bl_gql_get(two, "Value"), depth + 1))
			return false;
	}
	return true;
}

static bool have_same_arguments(struct bl_value a, struct bl_value b)
{
	struct bl_value list = bl_gql_get(a, "Arguments");
	struct bl_value other = bl_gql_get(b, "Arguments");

	if (bl_value_count(list) != bl_value_count(other))
		return false;
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_value arg = bl_value_item(list, i);
		struct bl_value match =
			bl_gql_find(other, bl_gql_get_text(arg, "Name"));

		if (!bl_value_is_defined(match) ||
		    !is_same_value(bl_gql_get(arg, "Value"),
				   bl_gql_get(match, "Value"), 0))
			return false;
	}
	return true;
}

/* Are two types of answers impossible to tell apart? */
static bool do_types_conflict(const struct bl_gql_schema *schema,
			      struct bl_value a, struct bl_value b)
{
	for (size_t depth = 0; depth <= BL_GQL_MAX_DEPTH; depth++) {
		struct bl_value inner = bl_gql_get(a, "Elem");
		struct bl_value other = bl_gql_get(b, "Elem");

		if (bl_value_is_defined(inner) != bl_value_is_defined(other) ||
		    bl_value_is_true(bl_gql_get(a, "NonNull")) !=
			    bl_value_is_true(bl_gql_get(b, "NonNull")))
			return true;
		if (!bl_value_is_defined(inner))
			break;
		a = inner;
		b = other;
	}
	if (bl_gql_is_composite(
		    bl_gql_schema_type(schema, bl_gql_type_name(a))) &&
	    bl_gql_is_composite(
		    bl_gql_schema_type(schema, bl_gql_type_name(b))))
		return false;
	return !bl_str_equal(bl_gql_type_name(a), bl_gql_type_name(b));
}

static struct bl_str compare(struct overlap *o, const struct fields *a,
			     const struct fields *b, bool exclusive);

static bool collect_inner(struct overlap *o, struct fields *to,
			  const struct field *of)
{
	bool *seen = bl_arena_new_array(o->arena, bool,
					bl_value_count(o->fragments) + 1);

	return seen && collect(o, to, bl_gql_get(of->node, "SelectionSet"),
			       bl_gql_schema_type(o->schema,
						  bl_gql_type_name(of->type)),
			       seen);
}

static struct bl_str conflicting_types(struct overlap *o, struct bl_value a,
				       struct bl_value b)
{
	struct bl_str text_a = bl_gql_type_text(o->arena, a);
	struct bl_str text_b = bl_gql_type_text(o->arena, b);

	return bl_arena_printf(
		o->arena, "they return conflicting types \"%.*s\" and \"%.*s\"",
		BL_STR_ARG(text_a), BL_STR_ARG(text_b));
}

/* Why the two conflict; "" when they do not. */
static struct bl_str reason_for(struct overlap *o, const struct field *a,
				const struct field *b, bool exclusive)
{
	struct fields inner_a = { .count = 0 };
	struct fields inner_b = { .count = 0 };
	struct bl_str name_a = bl_gql_get_text(a->node, "Name");
	struct bl_str name_b = bl_gql_get_text(b->node, "Name");
	struct bl_str inner;

	exclusive = exclusive ||
		    (bl_gql_is_kind(a->parent, "OBJECT") &&
		     bl_gql_is_kind(b->parent, "OBJECT") &&
		     !bl_str_equal(bl_gql_get_text(a->parent, "Name"),
				   bl_gql_get_text(b->parent, "Name")));
	if (!exclusive && !bl_str_equal(name_a, name_b))
		return bl_arena_printf(o->arena,
				       "\"%.*s\" and \"%.*s\" are different "
				       "fields",
				       BL_STR_ARG(name_a), BL_STR_ARG(name_b));
	if (!exclusive && !have_same_arguments(a->node, b->node))
		return BL_STR("they have differing arguments");
	if (bl_value_is_defined(a->type) && bl_value_is_defined(b->type) &&
	    do_types_conflict(o->schema, a->type, b->type))
		return conflicting_types(o, a->type, b->type);
	if (!collect_inner(o, &inner_a, a) || !collect_inner(o, &inner_b, b))
		return BL_STR("the query is too complex");
	inner = compare(o, &inner_a, &inner_b, exclusive);
	return inner;
}

static struct bl_str compare(struct overlap *o, const struct fields *a,
			     const struct fields *b, bool exclusive)
{
	struct bl_str reason = BL_STR("");

	if (o->depth >= BL_GQL_MAX_DEPTH)
		return BL_STR("the query is too complex");
	o->depth++;
	for (size_t i = 0; !reason.len && i < a->count; i++) {
		for (size_t k = a == b ? i + 1 : 0; k < b->count; k++) {
			if ((*o->steps)++ >= BL_GQL_MAX_STEPS) {
				reason = BL_STR("the query is too complex");
				break;
			}
			if (!bl_str_equal(a->items[i].alias, b->items[k].alias))
				continue;
			reason = reason_for(o, &a->items[i], &b->items[k],
					    exclusive);
			if (!reason.len)
				continue;
			o->where = b->items[k].node;
			if (a != b)
				reason = bl_arena_printf(
					o->arena,
					"subfields \"%.*s\" conflict because "
					"%.*s",
					BL_STR_ARG(a->items[i].alias),
					BL_STR_ARG(reason));
			break;
		}
	}
	o->depth--;
	return reason;
}

bool bl_gql_check_overlap(const struct bl_gql_schema *schema,
			  struct bl_value document, struct bl_value selections,
			  struct bl_value parent, size_t *steps,
			  struct bl_gql_error *error)
{
	struct overlap o = {
		.schema = schema,
		.arena = schema->arena,
		.error = error,
		.fragments = bl_gql_get(document, "Fragments"),
	};
	struct fields fields = { .count = 0 };
	bool *seen = bl_arena_new_array(o.arena, bool,
					bl_value_count(o.fragments) + 1);
	struct bl_str reason;
	struct bl_str alias;

	o.steps = steps;
	if (!bl_value_count(selections))
		return true;
	if (!seen || !collect(&o, &fields, selections, parent, seen))
		return bl_gql_fail_at(o.arena, error, document,
				      "the query is too complex");
	reason = compare(&o, &fields, &fields, false);
	if (!reason.len)
		return true;
	alias = bl_gql_get_text(o.where, "Alias");
	return bl_gql_fail_at(o.arena, error, o.where,
			      "Fields \"%.*s\" conflict because %.*s. Use "
			      "different aliases on the fields to fetch both "
			      "if this was intentional",
			      BL_STR_ARG(alias), BL_STR_ARG(reason));
}
