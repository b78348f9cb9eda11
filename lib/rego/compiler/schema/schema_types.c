/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON schemas to types, as OPA has it (docs/contracts/rego.md "Types"): an
 * object with properties has no others, of several types the first of a fixed
 * order counts, "oneOf", "not" and conditions tell nothing.
 */
#include "rego/compiler/types/check_types.h"
#include "rego/schema/schema.h"

enum {
	BOX_FROM = 50,     /* parts of a type that goes into a box */
	MAX_TYPE = 100000, /* parts of a type with all in it */
	MAX_MEMBERS = 900, /* of one object, array or union */
};

struct maker {
	struct bl_schema_reader *reader;
	unsigned nesting;
};

/* A type, and how many parts it has with all that is in boxes. */
struct made {
	const struct bl_type *type; /* NULL: problem says why, or no memory */
	size_t size;
};

static const struct made nothing = { NULL, 0 };

static struct made make(struct maker *maker,
			const struct bl_schema_node *schema);

static struct made refuse(struct maker *maker, const char *text)
{
	bl_schema_refuse(maker->reader, "%s", text);
	return nothing;
}

static struct made plain(const struct bl_type *type)
{
	return (struct made){ type, 1 };
}

/* ---- composites ----------------------------------------------------------- */

/* So that what it is put into does not grow by it. */
static const struct bl_type *boxed(struct maker *maker, struct made made)
{
	struct bl_type *box;

	if (!made.type || made.size < BOX_FROM ||
	    made.type->kind == BL_TYPE_BOX)
		return made.type;
	box = bl_arena_new(maker->reader->arena, struct bl_type);
	if (box)
		*box = (struct bl_type){ .kind = BL_TYPE_BOX,
					 .size = 1,
					 .rest = made.type };
	return box;
}

static bool has_room(struct maker *maker, size_t count, size_t size)
{
	if (count > MAX_MEMBERS)
		return bl_schema_refuse(maker->reader,
					"it has more than %d members in one",
					MAX_MEMBERS);
	return size <= MAX_TYPE ||
	       bl_schema_refuse(maker->reader,
				"its type has more than %d parts", MAX_TYPE);
}

/*
 * An object of properties, or an array of items.  Many that are not large go
 * into boxes, too: the type itself may have BL_TYPE_MAX_SIZE parts.
 */
static struct made make_of(struct maker *maker, enum bl_type_kind kind,
			   const struct bl_schema_list *list)
{
	struct bl_arena *arena = maker->reader->arena;
	struct bl_type type = { .kind = kind };
	struct made result = { NULL, 1 };
	size_t open = 0;

	type.items = bl_arena_new_array(arena, const struct bl_type *,
					list->count + 1);
	type.keys = bl_arena_new_array(arena, struct bl_value, list->count + 1);
	if (!type.items || !type.keys)
		return nothing;
	for (size_t i = 0; i < list->count; i++) {
		struct made item = make(maker, list->nodes[i]);

		if (!item.type)
			return nothing;
		result.size += item.size;
		if (!has_room(maker, i, result.size))
			return nothing;
		if (open > BL_TYPE_MAX_SIZE - MAX_MEMBERS - BOX_FROM)
			item.size = item.size > 1 ? BOX_FROM : 1;
		type.items[i] = boxed(maker, item);
		if (!type.items[i])
			return nothing;
		open += type.items[i]->size - 1;
		type.keys[i] = bl_value_string(list->nodes[i]->name);
	}
	type.count = list->count;
	if (kind == BL_TYPE_ARRAY)
		type.keys = NULL;
	result.type = bl_type_make(arena, &type);
	return result;
}

static struct made make_object(struct maker *maker,
			       const struct bl_schema_node *schema)
{
	static const struct bl_type open = {
		.kind = BL_TYPE_OBJECT,
		.size = 3,
		.key = &bl_type_any,
		.rest = &bl_type_any,
	};

	return schema->properties.count
		       ? make_of(maker, BL_TYPE_OBJECT, &schema->properties)
		       : (struct made){ &open, open.size };
}

static struct made make_array(struct maker *maker,
			      const struct bl_schema_node *schema)
{
	struct bl_type type = { .kind = BL_TYPE_ARRAY, .rest = &bl_type_any };
	struct made item = plain(type.rest);

	if (schema->items.count && !schema->is_every_item)
		return make_of(maker, BL_TYPE_ARRAY, &schema->items);
	if (schema->items.count)
		item = make(maker, schema->items.nodes[0]);
	if (!item.type)
		return nothing;
	type.rest = boxed(maker, item);
	item.type =
		type.rest ? bl_type_make(maker->reader->arena, &type) : NULL;
	item.size++;
	return item;
}

static bool has_type(const struct bl_schema_node *schema,
		     enum bl_schema_type type)
{
	for (uint8_t i = 0; i < schema->type_count; i++)
		if (schema->types[i] == type)
			return true;
	return false;
}

/* By "type", else by what there is. */
static struct made make_typed(struct maker *maker,
			      const struct bl_schema_node *schema)
{
	if (has_type(schema, BL_SCHEMA_BOOLEAN))
		return plain(&bl_type_boolean);
	if (has_type(schema, BL_SCHEMA_STRING))
		return plain(&bl_type_string);
	if (has_type(schema, BL_SCHEMA_INTEGER) ||
	    has_type(schema, BL_SCHEMA_NUMBER))
		return plain(bl_type_of_scalar(bl_value_integer(0)));
	if (has_type(schema, BL_SCHEMA_OBJECT))
		return make_object(maker, schema);
	if (has_type(schema, BL_SCHEMA_ARRAY))
		return make_array(maker, schema);
	if (schema->properties.count)
		return make_object(maker, schema);
	return schema->items.count ? make_array(maker, schema)
				   : plain(&bl_type_any);
}

/* ---- one of, all of ------------------------------------------------------- */

static struct made make_any_of(struct maker *maker,
			       const struct bl_schema_node *schema)
{
	struct bl_arena *arena = maker->reader->arena;
	struct bl_schema_node core = *schema;
	struct made result = { NULL, 1 };

	core.any_of = (struct bl_schema_list){ 0 };
	if (core.type_count) {
		struct made own = make(maker, &core);
		const struct bl_type *type = bl_type_open(own.type);

		if (!type)
			return nothing;
		if (type->kind == BL_TYPE_OBJECT && type->count && !type->rest)
			result.type = boxed(maker, own);
	}
	for (size_t i = 0; i < schema->any_of.count; i++) {
		struct made one = make(maker, schema->any_of.nodes[i]);

		if (!one.type)
			return nothing;
		result.size += one.size;
		if (!has_room(maker, i, result.size))
			return nothing;
		result.type = bl_type_or(arena, boxed(maker, one), result.type);
	}
	return result;
}

/* The types as OPA writes them in a text. */
static struct bl_str types_text(struct maker *maker,
				const struct bl_schema_node *schema)
{
	struct bl_arena *arena = maker->reader->arena;
	struct bl_str text = BL_STR("");

	if (!schema->type_count)
		return BL_STR("Undefined");
	for (uint8_t i = 0; i < schema->type_count; i++)
		text = bl_arena_printf(arena, "%.*s%s%s", BL_STR_ARG(text),
				       i ? "," : "",
				       bl_schema_type_names[schema->types[i]]);
	return schema->type_count > 1
		       ? bl_arena_printf(arena, "[%.*s]", BL_STR_ARG(text))
		       : text;
}

static bool has_same_types(struct maker *maker, const struct bl_schema_node *a,
			   const struct bl_schema_node *b)
{
	return bl_str_equal(types_text(maker, a), types_text(maker, b));
}

/* A schema with properties is an object, one with items an array. */
static void add_type(struct bl_schema_node *schema)
{
	enum bl_schema_type type =
		schema->properties.count ? BL_SCHEMA_OBJECT : BL_SCHEMA_ARRAY;

	if ((schema->properties.count || schema->items.count) &&
	    !has_type(schema, type))
		schema->types[schema->type_count++] = (uint8_t)type;
}

/* Appends the nodes of more from `from` on to a copy of list. */
static bool join_lists(struct maker *maker, struct bl_schema_list *list,
		       const struct bl_schema_list *more, size_t from)
{
	size_t count = list->count + more->count - from;
	struct bl_schema_node **nodes = bl_arena_new_array(
		maker->reader->arena, struct bl_schema_node *, count + 1);

	if (!nodes || !has_room(maker, count, 0))
		return false;
	for (size_t i = 0; i < list->count; i++)
		nodes[i] = list->nodes[i];
	for (size_t i = from; i < more->count; i++)
		nodes[list->count + i - from] = more->nodes[i];
	*list = (struct bl_schema_list){ nodes, count, count };
	return true;
}

static bool merge_items(struct maker *maker, struct bl_schema_node *result,
			const struct bl_schema_node *other)
{
	size_t had = result->items.count;

	if (other->items.count > had &&
	    !join_lists(maker, &result->items, &other->items, had))
		return false;
	for (size_t i = 0; i < other->items.count; i++)
		if (!has_same_types(maker, result->items.nodes[i],
				    other->items.nodes[i]))
			return bl_schema_refuse(
				maker->reader, "unable to merge these schemas");
	return true;
}

/* Both must be of the same types; result is a copy. */
static bool merge(struct maker *maker, struct bl_schema_node *result,
		  const struct bl_schema_node *schema)
{
	struct bl_schema_node other = *schema;

	add_type(&other);
	if (!has_same_types(maker, result, &other)) {
		struct bl_str first = types_text(maker, result);
		struct bl_str second = types_text(maker, &other);

		return bl_schema_refuse(
			maker->reader,
			"unable to merge these schemas: type mismatch: %.*s "
			"and %.*s",
			BL_STR_ARG(first), BL_STR_ARG(second));
	}
	if (has_type(result, BL_SCHEMA_OBJECT) && result->properties.count &&
	    other.properties.count)
		return join_lists(maker, &result->properties, &other.properties,
				  0);
	return !has_type(result, BL_SCHEMA_ARRAY) || !result->items.count ||
	       !other.items.count || merge_items(maker, result, &other);
}

/* Behind references, however many; NULL: without end. */
static const struct bl_schema_node *resolve(struct maker *maker,
					    const struct bl_schema_node *schema)
{
	for (unsigned i = 0; i < BL_SCHEMA_MAX_NESTING; i++) {
		if (!schema->target)
			return schema;
		schema = schema->target;
	}
	bl_schema_refuse(maker->reader, "schemas are nested more than %d deep",
			 BL_SCHEMA_MAX_NESTING);
	return NULL;
}

static struct made make_all_of(struct maker *maker,
			       const struct bl_schema_node *schema)
{
	struct bl_schema_node result = { 0 };
	struct bl_schema_node own = *schema;
	bool found = false;

	own.all_of = (struct bl_schema_list){ 0 };
	for (size_t i = 0; i < schema->all_of.count; i++) {
		const struct bl_schema_node *one =
			resolve(maker, schema->all_of.nodes[i]);

		if (!one)
			return nothing;
		if (!one->type_count && one->any_of.count &&
		    !one->properties.count && !one->items.count)
			continue;
		if (!found) {
			result = *one;
			add_type(&result);
		} else if (!merge(maker, &result, one)) {
			return nothing;
		}
		found = true;
	}
	if (!found)
		return plain(&bl_type_any);
	if ((has_type(&own, BL_SCHEMA_OBJECT) &&
	     has_type(&result, BL_SCHEMA_OBJECT)) ||
	    (has_type(&own, BL_SCHEMA_ARRAY) &&
	     has_type(&result, BL_SCHEMA_ARRAY))) {
		if (!merge(maker, &result, &own))
			return nothing;
	} else if (own.type_count && !has_same_types(maker, &own, &result)) {
		return refuse(maker, "unable to merge these schemas");
	}
	return make(maker, &result);
}

/* ---- references ----------------------------------------------------------- */

/* A name for the type of target, which is being made. */
static const struct bl_type *name_for(struct maker *maker,
				      struct bl_schema_node *target)
{
	struct bl_value *name =
		bl_arena_new(maker->reader->arena, struct bl_value);

	if (target->box)
		return target->box;
	target->box = bl_arena_new(maker->reader->arena, struct bl_type);
	if (!name || !target->box)
		return NULL;
	*name = bl_value_string(target->ref);
	*target->box = (struct bl_type){
		.kind = BL_TYPE_BOX,
		.size = 1,
		.keys = name,
		.rest = &bl_type_any, /* until it is known */
	};
	return target->box;
}

static struct made make_target(struct maker *maker,
			       struct bl_schema_node *target)
{
	struct made made;

	if (target->type)
		return (struct made){ target->type, target->type_size };
	if (target->is_open)
		return plain(name_for(maker, target));
	/* OPA gives a name to what has one, not to what only leads to it. */
	target->is_open = !target->target;
	made = make(maker, target);
	target->is_open = false;
	if (target->target)
		return made;
	target->type = boxed(maker, made);
	target->type_size = made.size;
	if (target->box && made.type)
		target->box->rest = bl_type_open(made.type);
	return (struct made){ target->type, made.size };
}

static struct made make_node(struct maker *maker,
			     const struct bl_schema_node *schema)
{
	if (schema->target)
		return make_target(maker, schema->target);
	if (schema->any_of.count)
		return make_any_of(maker, schema);
	if (schema->all_of.count)
		return make_all_of(maker, schema);
	return make_typed(maker, schema);
}

static struct made make(struct maker *maker,
			const struct bl_schema_node *schema)
{
	struct made made;

	if (maker->nesting == BL_SCHEMA_MAX_NESTING)
		return refuse(maker, "schemas are nested too deeply");
	maker->nesting++;
	made = make_node(maker, schema);
	maker->nesting--;
	return made;
}

const struct bl_type *bl_types_of_schema(struct bl_arena *arena,
					 struct bl_value schema,
					 struct bl_str *out_problem)
{
	struct bl_schema_reader reader = { .arena = arena, .root = schema };
	struct maker maker = { .reader = &reader };
	const struct bl_schema_node *root = bl_schema_read(&reader);
	const char *stage = "unable to compile the schema";

	*out_problem = BL_STR("");
	if (root) {
		const struct bl_type *type = boxed(&maker, make(&maker, root));

		if (type)
			return type;
		stage = "type checking";
	}
	if (reader.problem.ptr)
		*out_problem = bl_arena_printf(arena, "%s: %.*s", stage,
					       BL_STR_ARG(reader.problem));
	return NULL;
}
