/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of the messages (docs/contracts/cursor-2.3.41.md "Service"),
 * and what wire.c and wire_json.c do with them alike.
 */
#include "team/fields.h"

#include "base/utf8.h"

#define SCALAR(number_, type_, name_, json_, record, member)                   \
	{                                                                      \
		.number = (number_), .type = FIELD_##type_, .name = (name_),   \
		.json_name = (json_),                                          \
		.offset = offsetof(struct record, member)                      \
	}

static const struct message messages[] = {
	[BL_TEAM_REQUEST] = {
		.name = "GetTeamHooksRequest",
		.size = sizeof(struct bl_team_request),
		.align = _Alignof(struct bl_team_request),
		.field_count = 1,
		.fields = {
			SCALAR(1, BOOL, "active_only", "activeOnly",
			       bl_team_request, active_only),
		},
	},
	[BL_TEAM_HOOK] = {
		.name = "TeamHook",
		.size = sizeof(struct bl_team_hook),
		.align = _Alignof(struct bl_team_hook),
		.field_count = 6,
		.fields = {
			SCALAR(1, INT64, "id", "id", bl_team_hook, id),
			SCALAR(2, STRING, "hook_step", "hookStep",
			       bl_team_hook, event_name),
			SCALAR(3, STRING, "script_name", "scriptName",
			       bl_team_hook, script_name),
			{ .number = 4, .type = FIELD_STRINGS,
			  .name = "operating_systems",
			  .json_name = "operatingSystems",
			  .offset = offsetof(struct bl_team_hook, systems),
			  .count_offset =
				  offsetof(struct bl_team_hook, system_count),
			  .most = BL_TEAM_MAX_SYSTEMS },
			SCALAR(5, BOOL, "is_active", "isActive", bl_team_hook,
			       is_active),
			SCALAR(6, STRING, "script_content", "scriptContent",
			       bl_team_hook, content),
		},
	},
	[BL_TEAM_RESPONSE] = {
		.name = "GetTeamHooksResponse",
		.size = sizeof(struct bl_team_hooks),
		.align = _Alignof(struct bl_team_hooks),
		.field_count = 1,
		.fields = {
			{ .number = 1, .type = FIELD_MESSAGES,
			  .name = "hooks", .json_name = "hooks",
			  .offset = offsetof(struct bl_team_hooks, items),
			  .count_offset =
				  offsetof(struct bl_team_hooks, count),
			  .most = BL_TEAM_MAX_HOOKS,
			  .message = BL_TEAM_HOOK },
		},
	},
};

const struct message *team_message(enum bl_team_message message)
{
	return &messages[message];
}

size_t team_field_index(const struct message *message, uint32_t number)
{
	for (size_t i = 0; i < message->field_count; i++)
		if (message->fields[i].number == number)
			return i;
	return SIZE_MAX;
}

size_t team_field_named(const struct message *message, struct bl_str name)
{
	for (size_t i = 0; i < message->field_count; i++)
		if (bl_str_is(name, message->fields[i].name) ||
		    bl_str_is(name, message->fields[i].json_name))
			return i;
	return SIZE_MAX;
}

/* A list's pointer has its own type: it is copied, not read as void *. */
struct list team_list_get(const void *record, const struct field *field)
{
	struct list list;

	memcpy(&list.items, (const char *)record + field->offset,
	       sizeof(list.items));
	memcpy(&list.count, (const char *)record + field->count_offset,
	       sizeof(list.count));
	return list;
}

void team_list_set(void *record, const struct field *field, struct list list)
{
	memcpy((char *)record + field->offset, &list.items, sizeof(list.items));
	memcpy((char *)record + field->count_offset, &list.count,
	       sizeof(list.count));
}

size_t team_item_size(const struct field *field)
{
	return field->type == FIELD_STRINGS ? sizeof(struct bl_str)
					    : messages[field->message].size;
}

enum bl_status team_check_text(struct bl_str text, const struct field *field,
			       struct bl_error *err)
{
	if (!bl_utf8_is_valid(text))
		return bl_fail(err, BL_SYNTAX, "%s is not UTF-8", field->name);
	if (text.len && memchr(text.ptr, 0, text.len))
		return bl_fail(err, BL_SYNTAX, "%s has a NUL in it",
			       field->name);
	return BL_OK;
}
