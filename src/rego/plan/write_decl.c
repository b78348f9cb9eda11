/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: what builtins take and give, as OPA writes types in JSON. */
#include "rego/analysis/types.h"
#include "rego/plan/writer.h"

static const char *const names[] = {
	[BL_TYPE_NULL] = "null",         [BL_TYPE_BOOLEAN] = "boolean",
	[BL_TYPE_NUMBER] = "number",     [BL_TYPE_STRING] = "string",
	[BL_TYPE_ARRAY] = "array",       [BL_TYPE_OBJECT] = "object",
	[BL_TYPE_SET] = "set",           [BL_TYPE_ANY] = "any",
	[BL_TYPE_FUNCTION] = "function",
};

static struct bl_value type_value(struct plan_writer *w,
				  const struct bl_type *type);

static struct bl_value list_of(struct plan_writer *w,
			       const struct bl_type *type)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < type->count; i++)
		bl_array_builder_add(&list, type_value(w, type->items[i]));
	return bl_array_builder_end(&list);
}

/* Known members: {"key", "value"}. */
static struct bl_value members_of(struct plan_writer *w,
				  const struct bl_type *type)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < type->count; i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, w->arena);
		bl_object_builder_add(&one, BL_STR("key"), type->keys[i]);
		bl_object_builder_add(&one, BL_STR("value"),
				      type_value(w, type->items[i]));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

/* Further members of an object: {"key", "value"}. */
static struct bl_value further(struct plan_writer *w,
			       const struct bl_type *type)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	bl_object_builder_add(&out, BL_STR("key"), type_value(w, type->key));
	bl_object_builder_add(&out, BL_STR("value"), type_value(w, type->rest));
	return bl_object_builder_end(&out);
}

static struct bl_value type_value(struct plan_writer *w,
				  const struct bl_type *type)
{
	struct bl_object_builder out;

	if (!type)
		type = &bl_type_any;
	bl_object_builder_init(&out, w->arena);
	bl_object_builder_add(&out, BL_STR("type"),
			      bl_value_string(bl_str(names[type->kind])));
	if (type->kind == BL_TYPE_ANY && type->count)
		bl_object_builder_add(&out, BL_STR("of"), list_of(w, type));
	if (type->kind == BL_TYPE_SET)
		bl_object_builder_add(&out, BL_STR("of"),
				      type_value(w, type->rest));
	if (type->kind == BL_TYPE_ARRAY && type->count)
		bl_object_builder_add(&out, BL_STR("static"), list_of(w, type));
	if (type->kind == BL_TYPE_ARRAY && type->rest)
		bl_object_builder_add(&out, BL_STR("dynamic"),
				      type_value(w, type->rest));
	if (type->kind == BL_TYPE_OBJECT && type->count)
		bl_object_builder_add(&out, BL_STR("static"),
				      members_of(w, type));
	if (type->kind == BL_TYPE_OBJECT && type->rest)
		bl_object_builder_add(&out, BL_STR("dynamic"),
				      further(w, type));
	return bl_object_builder_end(&out);
}

struct bl_value plan_declaration(struct plan_writer *w,
				 const struct bl_builtin *builtin)
{
	struct bl_signatures signatures = { .arena = w->arena };
	const struct bl_signature *signature =
		bl_signature_find(&signatures, bl_str(builtin->name));
	const struct bl_type *type = signature ? signature->type : NULL;
	struct bl_array_builder args;
	struct bl_object_builder out;

	bl_array_builder_init(&args, w->arena);
	for (size_t i = 0; i < builtin->arity; i++)
		bl_array_builder_add(&args,
				     type_value(w, type && i < type->count
							   ? type->items[i]
							   : NULL));
	bl_object_builder_init(&out, w->arena);
	bl_object_builder_add(&out, BL_STR("args"),
			      bl_array_builder_end(&args));
	bl_object_builder_add(&out, BL_STR("result"),
			      type_value(w, type ? type->rest : NULL));
	bl_object_builder_add(&out, BL_STR("type"),
			      bl_value_string(BL_STR("function")));
	return bl_object_builder_end(&out);
}
