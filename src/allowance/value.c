/* SPDX-License-Identifier: Apache-2.0 */
/* value.c: an allowance as an object: of its file, and of the journal. */
#include "allowance/private.h"

static struct bl_value text_list(const struct bl_str *texts, size_t count,
				 struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&list, bl_value_string(texts[i]));
	return bl_array_builder_end(&list);
}

static void add_text(struct bl_object_builder *to, const char *name,
		     struct bl_str text)
{
	bl_object_builder_add(to, bl_str(name), bl_value_string(text));
}

/* The action and the code. */
static void add_action(struct bl_object_builder *to,
		       const struct bl_allowance *from, struct bl_arena *arena)
{
	add_text(to, "code", from->code);
	add_text(to, "action", from->action.digest);
	add_text(to, "agent", from->action.agent);
	add_text(to, "workspace", from->action.workspace);
	bl_object_builder_add(
		to, BL_STR("rules"),
		text_list(from->action.rules, from->action.rule_count, arena));
}

static void add_grant(struct bl_object_builder *to,
		      const struct bl_allowance *from)
{
	add_text(to, "by", from->by);
	bl_object_builder_add(to, BL_STR("granted"),
			      bl_value_integer(from->granted_ms));
	bl_object_builder_add(to, BL_STR("until"),
			      bl_value_integer(from->until_ms));
	bl_object_builder_add(to, BL_STR("once"),
			      bl_value_boolean(from->is_once));
}

struct bl_value bl_allowance_value(const struct bl_allowance *allowance,
				   const char *state, struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	add_text(&object, "state", bl_str(state));
	add_action(&object, allowance, arena);
	if (allowance->until_ms)
		add_grant(&object, allowance);
	return bl_object_builder_end(&object);
}

struct bl_value allowance_file_value(const struct bl_allowance *allowance,
				     struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("version"),
			      bl_value_integer(ALLOWANCE_VERSION));
	add_action(&object, allowance, arena);
	add_text(&object, "what", allowance->what);
	add_grant(&object, allowance);
	return bl_object_builder_end(&object);
}
