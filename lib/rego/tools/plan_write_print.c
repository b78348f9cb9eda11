/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: calls of print(). */
#include "rego/tools/plan_writer.h"

static struct bl_value operand_of(struct plan_writer *w, uint32_t number)
{
	return plan_operand_value(w, plan_local_operand(number));
}

/* The set of a term's values, empty when it is undefined. */
static uint32_t values_of(struct plan_writer *w,
			  const struct bl_rego_term *term)
{
	uint32_t set = plan_new_local(w);
	struct bl_bound bound = plan_enter(w);
	struct plan_operand value;

	PLAN_ADD(w, "MakeSetStmt", { "target", PLAN_NUMBER(set) });
	plan_open(w);
	value = plan_value(w, term);
	PLAN_ADD(w, "SetAddStmt", { "value", plan_operand_value(w, value) },
		 { "set", PLAN_NUMBER(set) });
	plan_add_block(w, plan_close(w));
	plan_leave(w, bound);
	return set;
}

void plan_print(struct plan_writer *w, const struct bl_rego_term *call)
{
	size_t count = call->count - 1;
	uint32_t *sets = bl_arena_new_array(w->arena, uint32_t, count + 1);
	uint32_t all = plan_new_local(w);
	struct bl_value arg = operand_of(w, all);

	for (size_t i = 0; sets && i < count; i++)
		sets[i] = values_of(w, call->as.items[i + 1]);
	PLAN_ADD(w, "MakeArrayStmt", { "capacity", PLAN_NUMBER(count) },
		 { "target", PLAN_NUMBER(all) });
	for (size_t i = 0; sets && i < count; i++)
		PLAN_ADD(w, "ArrayAppendStmt",
			 { "value", operand_of(w, sets[i]) },
			 { "array", PLAN_NUMBER(all) });
	PLAN_ADD(w, "CallStmt", { "func", bl_value_string(BL_STR(PLAN_PRINT)) },
		 { "args", bl_array_make(w->arena, &arg, 1) },
		 { "result", PLAN_NUMBER(plan_new_local(w)) });
	w->prints = true;
}

static struct bl_value object_of(struct plan_writer *w,
				 const struct plan_field *fields, size_t count)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, w->arena);
	for (size_t i = 0; i < count; i++)
		bl_object_builder_add(&out, bl_str(fields[i].name),
				      fields[i].value);
	return bl_object_builder_end(&out);
}
#define OBJECT(w, ...)                                                         \
	object_of((w), (const struct plan_field[]){ __VA_ARGS__ },             \
		  sizeof((const struct plan_field[]){ __VA_ARGS__ }) /         \
			  sizeof(struct plan_field))

static struct bl_value text(const char *name)
{
	return bl_value_string(bl_str(name));
}

struct bl_value plan_print_declaration(struct plan_writer *w)
{
	struct bl_value any = OBJECT(w, { "type", text("any") });
	struct bl_value set = OBJECT(w, { "of", any }, { "type", text("set") });
	struct bl_value sets =
		OBJECT(w, { "dynamic", set }, { "type", text("array") });
	struct bl_value args = bl_array_make(w->arena, &sets, 1);
	struct bl_value decl =
		OBJECT(w, { "args", args }, { "type", text("function") });

	return OBJECT(w, { "name", text(PLAN_PRINT) }, { "decl", decl });
}
