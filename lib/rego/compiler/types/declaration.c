/* SPDX-License-Identifier: Apache-2.0 */
/* Types of builtins, as OPA writes them in JSON. */
#include "rego/compiler/check/callables.h"
#include "rego/compiler/types/types.h"

enum { MAX_DEPTH = 32, MAX_ARGS = 16 };

static const char *const names[] = {
	[BL_TYPE_NULL] = "null",         [BL_TYPE_BOOLEAN] = "boolean",
	[BL_TYPE_NUMBER] = "number",     [BL_TYPE_STRING] = "string",
	[BL_TYPE_ARRAY] = "array",       [BL_TYPE_OBJECT] = "object",
	[BL_TYPE_SET] = "set",           [BL_TYPE_ANY] = "any",
	[BL_TYPE_FUNCTION] = "function",
};

/* ---- writing ------------------------------------------------------------- */

static void put(struct bl_object_builder *to, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(to, bl_str(key), value);
}

static struct bl_value write_type(struct bl_arena *arena,
				  const struct bl_type *type,
				  struct bl_str name);

static struct bl_value write_list(struct bl_arena *arena,
				  const struct bl_type *type)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < type->count; i++)
		bl_array_builder_add(
			&list, write_type(arena, type->items[i], BL_STR("")));
	return bl_array_builder_end(&list);
}

static struct bl_value write_member(struct bl_arena *arena, struct bl_value key,
				    const struct bl_type *value)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, arena);
	put(&out, "key", key);
	put(&out, "value", write_type(arena, value, BL_STR("")));
	return bl_object_builder_end(&out);
}

static void put_object(struct bl_object_builder *out, struct bl_arena *arena,
		       const struct bl_type *type)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < type->count; i++)
		bl_array_builder_add(&list, write_member(arena, type->keys[i],
							 type->items[i]));
	if (type->count)
		put(out, "static", bl_array_builder_end(&list));
	if (type->rest)
		put(out, "dynamic",
		    write_member(arena,
				 write_type(arena, type->key, BL_STR("")),
				 type->rest));
}

static struct bl_value write_type(struct bl_arena *arena,
				  const struct bl_type *type,
				  struct bl_str name)
{
	struct bl_object_builder out;

	if (!type)
		type = &bl_type_any;
	bl_object_builder_init(&out, arena);
	put(&out, "type", bl_value_string(bl_str(names[type->kind])));
	if (name.len)
		put(&out, "name", bl_value_string(name));
	if (type->kind == BL_TYPE_ANY && type->count)
		put(&out, "of", write_list(arena, type));
	if (type->kind == BL_TYPE_SET)
		put(&out, "of", write_type(arena, type->rest, BL_STR("")));
	if (type->kind == BL_TYPE_ARRAY && type->count)
		put(&out, "static", write_list(arena, type));
	if (type->kind == BL_TYPE_ARRAY && type->rest)
		put(&out, "dynamic", write_type(arena, type->rest, BL_STR("")));
	if (type->kind == BL_TYPE_OBJECT)
		put_object(&out, arena, type);
	return bl_object_builder_end(&out);
}

struct bl_value bl_declaration_write(struct bl_arena *arena,
				     const struct bl_builtin *builtin,
				     const struct bl_signature *signature)
{
	const struct bl_type *type = signature ? signature->type : NULL;
	const struct bl_str *called = signature ? signature->names : NULL;
	struct bl_array_builder args;
	struct bl_object_builder out;

	bl_array_builder_init(&args, arena);
	for (size_t i = 0; i < builtin->arity; i++)
		bl_array_builder_add(
			&args,
			write_type(arena,
				   type && i < type->count ? type->items[i]
							   : NULL,
				   called ? called[i] : BL_STR("")));
	bl_object_builder_init(&out, arena);
	if (builtin->arity)
		put(&out, "args", bl_array_builder_end(&args));
	else if (builtin->flags & BL_BUILTIN_VOID) /* print */
		put(&out, "variadic",
		    write_type(arena, &bl_type_any, BL_STR("")));
	if (type || !(builtin->flags & BL_BUILTIN_VOID))
		put(&out, "result",
		    write_type(arena, type ? type->rest : NULL,
			       called ? called[builtin->arity] : BL_STR("")));
	put(&out, "type", bl_value_string(BL_STR("function")));
	return bl_object_builder_end(&out);
}

/* ---- reading ------------------------------------------------------------- */

struct reader {
	struct bl_arena *arena;
	struct bl_error *err;
	enum bl_status status; /* the first failure */
	unsigned depth;
};

static const struct bl_type *fail(struct reader *reader, const char *what)
{
	if (!reader->status)
		reader->status = bl_fail(reader->err, BL_INVALID, "%s", what);
	return &bl_type_any;
}

static const struct bl_type *no_memory(struct reader *reader)
{
	if (!reader->status)
		reader->status = bl_arena_fail(reader->arena, reader->err);
	return &bl_type_any;
}

static const struct bl_type *read_type(struct reader *reader,
				       struct bl_value value);

static struct bl_value field(struct bl_value object, const char *key)
{
	return bl_object_find(object, bl_str(key));
}

/* Items of "static" or "of"; of objects {"key", "value"}. */
static bool read_list(struct reader *reader, struct bl_value list,
		      struct bl_type *type)
{
	bool keyed = type->kind == BL_TYPE_OBJECT;
	size_t count = bl_value_count(list);

	if (bl_value_is_defined(list) && !bl_value_is(list, BL_KIND_ARRAY)) {
		fail(reader, "a list of types is not an array");
		return false;
	}
	type->items = bl_arena_new_array(reader->arena, const struct bl_type *,
					 count + 1);
	type->keys =
		bl_arena_new_array(reader->arena, struct bl_value, count + 1);
	if (!type->items || !type->keys) {
		no_memory(reader);
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		struct bl_value item = bl_value_item(list, i);

		type->keys[i] = field(item, "key");
		if (keyed && !bl_value_is_defined(type->keys[i]))
			fail(reader, "a known member has no key");
		type->items[i] =
			read_type(reader, keyed ? field(item, "value") : item);
	}
	type->count = count;
	return true;
}

static const struct bl_type *read_composite(struct reader *reader,
					    enum bl_type_kind kind,
					    struct bl_value value)
{
	struct bl_type type = { .kind = kind };
	struct bl_value dynamic = field(value, "dynamic");
	bool has_rest = bl_value_is_defined(dynamic);

	if (kind == BL_TYPE_SET) {
		type.rest = read_type(reader, field(value, "of"));
		return bl_type_make(reader->arena, &type);
	}
	if (!read_list(reader,
		       field(value, kind == BL_TYPE_ANY ? "of" : "static"),
		       &type))
		return &bl_type_any;
	if (kind == BL_TYPE_ANY && !type.count)
		return &bl_type_any;
	if (kind == BL_TYPE_OBJECT && has_rest) {
		type.key = read_type(reader, field(dynamic, "key"));
		type.rest = read_type(reader, field(dynamic, "value"));
	} else if (kind == BL_TYPE_ARRAY && has_rest) {
		type.rest = read_type(reader, dynamic);
	}
	return bl_type_make(reader->arena, &type);
}

static const struct bl_type *read_type(struct reader *reader,
				       struct bl_value value)
{
	struct bl_str name = bl_value_text(field(value, "type"));
	const struct bl_type *type;
	size_t kind = 0;

	while (kind < BL_TYPE_FUNCTION && !bl_str_is(name, names[kind]))
		kind++;
	switch ((enum bl_type_kind)kind) {
	case BL_TYPE_NULL:
		return bl_type_of_scalar(bl_value_null());
	case BL_TYPE_BOOLEAN:
		return &bl_type_boolean;
	case BL_TYPE_NUMBER:
		return bl_type_of_scalar(bl_value_integer(0));
	case BL_TYPE_STRING:
		return &bl_type_string;
	case BL_TYPE_FUNCTION:
	case BL_TYPE_BOX:
		return fail(reader, "there is no such type");
	case BL_TYPE_ARRAY:
	case BL_TYPE_OBJECT:
	case BL_TYPE_SET:
	case BL_TYPE_ANY:
		break;
	}
	if (reader->depth == MAX_DEPTH)
		return fail(reader, "its types are nested too deeply");
	reader->depth++;
	type = read_composite(reader, (enum bl_type_kind)kind, value);
	reader->depth--;
	return type;
}

enum bl_status bl_declaration_read(struct bl_arena *arena,
				   struct bl_value declaration,
				   const struct bl_signature **out_signature,
				   bool *out_is_void, struct bl_error *err)
{
	struct reader reader = { .arena = arena, .err = err };
	struct bl_value args = field(declaration, "args");
	struct bl_value result = field(declaration, "result");
	size_t count = bl_value_count(args);
	struct bl_type type = { .kind = BL_TYPE_FUNCTION };
	struct bl_signature *signature =
		bl_arena_new(arena, struct bl_signature);
	struct bl_str *called =
		bl_arena_new_array(arena, struct bl_str, count + 1);

	if (!bl_str_is(bl_value_text(field(declaration, "type")), "function"))
		return bl_fail(err, BL_INVALID, "its type is not \"function\"");
	if (count > MAX_ARGS)
		return bl_fail(err, BL_INVALID, "it has too many arguments");
	if (!signature || !called)
		return bl_arena_fail(arena, err);
	if (!read_list(&reader, args, &type))
		return reader.status;
	for (size_t i = 0; i < count; i++)
		called[i] =
			bl_value_text(field(bl_value_item(args, i), "name"));
	called[count] = bl_value_text(field(result, "name"));
	*out_is_void = !bl_value_is_defined(result);
	type.rest =
		*out_is_void ? &bl_type_boolean : read_type(&reader, result);
	signature->type = bl_type_make(arena, &type);
	signature->names = called;
	if (!reader.status && bl_arena_status(arena))
		no_memory(&reader);
	if (!reader.status && signature->type->kind != BL_TYPE_FUNCTION)
		fail(&reader, "its types are too large");
	if (!reader.status)
		*out_signature = signature;
	return reader.status;
}
