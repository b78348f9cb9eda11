/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include "event/event.h"
#include "json/json.h"

static const struct {
	enum bl_event_kind kind;
	const char *name;
	enum bl_phase phase;
} kind_rows[] = {
	{ BL_EVENT_WORKSPACE_OPEN, "workspace.open", BL_PHASE_NOTICE },
	{ BL_EVENT_SESSION_START, "session.start", BL_PHASE_NOTICE },
	{ BL_EVENT_SESSION_END, "session.end", BL_PHASE_NOTICE },
	{ BL_EVENT_PROMPT, "prompt", BL_PHASE_BEFORE },
	{ BL_EVENT_TOOL_BEFORE, "tool.before", BL_PHASE_BEFORE },
	{ BL_EVENT_TOOL_AFTER, "tool.after", BL_PHASE_AFTER },
	{ BL_EVENT_TOOL_FAILED, "tool.failed", BL_PHASE_AFTER },
	{ BL_EVENT_SHELL_BEFORE, "shell.before", BL_PHASE_BEFORE },
	{ BL_EVENT_SHELL_AFTER, "shell.after", BL_PHASE_AFTER },
	{ BL_EVENT_MCP_BEFORE, "mcp.before", BL_PHASE_BEFORE },
	{ BL_EVENT_MCP_AFTER, "mcp.after", BL_PHASE_AFTER },
	{ BL_EVENT_READ_BEFORE, "read.before", BL_PHASE_BEFORE },
	{ BL_EVENT_EDIT_AFTER, "edit.after", BL_PHASE_AFTER },
	{ BL_EVENT_SUBAGENT_START, "subagent.start", BL_PHASE_BEFORE },
	{ BL_EVENT_SUBAGENT_STOP, "subagent.stop", BL_PHASE_NOTICE },
	{ BL_EVENT_RESPONSE, "message.response", BL_PHASE_NOTICE },
	{ BL_EVENT_THOUGHT, "message.thought", BL_PHASE_NOTICE },
	{ BL_EVENT_COMPACT, "compact.before", BL_PHASE_NOTICE },
	{ BL_EVENT_STOP, "stop", BL_PHASE_NOTICE },
	{ BL_EVENT_STOP_FAILED, "stop.failed", BL_PHASE_NOTICE },
	{ BL_EVENT_PROMPT_EXPAND, "prompt.expand", BL_PHASE_BEFORE },
	{ BL_EVENT_PERMISSION, "permission", BL_PHASE_BEFORE },
	{ BL_EVENT_PERMISSION_DENIED, "permission.denied", BL_PHASE_AFTER },
	{ BL_EVENT_TOOL_BATCH, "tool.batch", BL_PHASE_AFTER },
	{ BL_EVENT_MODEL_SWITCH, "model.switch", BL_PHASE_BEFORE },
	{ BL_EVENT_MODEL_SWITCHED, "model.switched", BL_PHASE_AFTER },
	{ BL_EVENT_COMPACTED, "compact.after", BL_PHASE_NOTICE },
	{ BL_EVENT_NOTIFICATION, "notification", BL_PHASE_NOTICE },
	{ BL_EVENT_MESSAGE, "message", BL_PHASE_NOTICE },
	{ BL_EVENT_INSTRUCTIONS, "instructions.loaded", BL_PHASE_NOTICE },
	{ BL_EVENT_SETUP, "setup", BL_PHASE_NOTICE },
	{ BL_EVENT_CONFIG_CHANGE, "config.change", BL_PHASE_BEFORE },
	{ BL_EVENT_CWD_CHANGE, "cwd.change", BL_PHASE_NOTICE },
	{ BL_EVENT_FILE_CHANGE, "file.change", BL_PHASE_NOTICE },
	{ BL_EVENT_WORKTREE_CREATE, "worktree.create", BL_PHASE_BEFORE },
	{ BL_EVENT_WORKTREE_REMOVE, "worktree.remove", BL_PHASE_BEFORE },
	{ BL_EVENT_TASK_CREATED, "task.created", BL_PHASE_BEFORE },
	{ BL_EVENT_TASK_COMPLETED, "task.completed", BL_PHASE_BEFORE },
	{ BL_EVENT_TASK_IDLE, "task.idle", BL_PHASE_NOTICE },
	{ BL_EVENT_ELICITATION, "elicitation", BL_PHASE_BEFORE },
	{ BL_EVENT_ELICITATION_RESULT, "elicitation.result", BL_PHASE_BEFORE },
	{ BL_EVENT_UNKNOWN, "unknown", BL_PHASE_NOTICE },
};

static void kinds_have_names_phases_and_purposes(void)
{
	CHECK_INT(BL_COUNT(kind_rows), BL_EVENT_KIND_COUNT);
	for (size_t i = 0; i < BL_COUNT(kind_rows); i++) {
		enum bl_event_kind kind = kind_rows[i].kind;
		const char *purpose = bl_event_kind_purpose(kind);

		CHECK_STR(bl_str(bl_event_kind_name(kind)), kind_rows[i].name);
		CHECK_INT(bl_event_kind_phase(kind), kind_rows[i].phase);
		CHECK(strlen(purpose) > 0);
		CHECK(!strchr(purpose, '\n'));
	}
}

static void phases_have_names(void)
{
	CHECK_STR(bl_str(bl_phase_name(BL_PHASE_BEFORE)), "before");
	CHECK_STR(bl_str(bl_phase_name(BL_PHASE_AFTER)), "after");
	CHECK_STR(bl_str(bl_phase_name(BL_PHASE_NOTICE)), "notice");
}

static void field_types_have_names(void)
{
	static const char *const names[BL_FIELD_TYPE_COUNT] = {
		[BL_FIELD_ANY] = "any value",
		[BL_FIELD_STRING] = "string",
		[BL_FIELD_STRING_OR_NULL] = "string or null",
		[BL_FIELD_BOOLEAN] = "boolean",
		[BL_FIELD_NUMBER] = "number",
		[BL_FIELD_INTEGER] = "integer",
		[BL_FIELD_OBJECT] = "object",
		[BL_FIELD_ARRAY] = "array",
		[BL_FIELD_STRINGS] = "array of strings",
		[BL_FIELD_STRING_MAP] = "object of strings",
		[BL_FIELD_PERMISSION] = "allow, deny or ask",
		[BL_FIELD_PERMISSION_READ] = "allow or deny",
	};

	for (size_t i = 0; i < BL_FIELD_TYPE_COUNT; i++)
		CHECK_STR(bl_str(bl_field_type_name((enum bl_field_type)i)),
			  names[i]);
}

/* For each value, one letter for each type that accepts it. */
static const struct {
	const char *json;
	const char *types;
} acceptance[] = {
	/* a any, s string, z string or null, b boolean, n number, i integer,
	 * o object, y array, t strings, m string map, p permission,
	 * r permission of reads */
	{ "null", "az" },
	{ "true", "ab" },
	{ "false", "ab" },
	{ "1", "ani" },
	{ "2.0", "ani" },
	{ "20e-1", "ani" },
	{ "-3", "ani" },
	{ "1.5", "an" },
	{ "1e400", "ani" },
	{ "123456789012345678901234567890", "ani" },
	{ "\"\"", "asz" },
	{ "\"x\"", "asz" },
	{ "\"1\"", "asz" },
	{ "\"allow\"", "aszpr" },
	{ "\"deny\"", "aszpr" },
	{ "\"ask\"", "aszp" },
	{ "\"Allow\"", "asz" },
	{ "\"deny \"", "asz" },
	{ "\"none\"", "asz" },
	{ "\"maybe\"", "asz" },
	{ "[]", "ayt" },
	{ "[\"a\",\"\"]", "ayt" },
	{ "[\"a\",null]", "ay" },
	{ "[[\"a\"]]", "ay" },
	{ "{}", "aom" },
	{ "{\"k\":\"v\"}", "aom" },
	{ "{\"k\":\"v\",\"l\":1}", "ao" },
	{ "{\"k\":null}", "ao" },
	{ "{\"permission\":\"allow\"}", "aom" },
};

static void field_types_accept(void)
{
	static const char letters[] = "aszbnioytmpr";
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	CHECK_INT(sizeof(letters) - 1, BL_FIELD_TYPE_COUNT);
	for (size_t i = 0; i < BL_COUNT(acceptance); i++) {
		const char *json = acceptance[i].json;
		struct bl_value value;

		CHECK_STATUS(bl_json_read(&arena, bl_str(json), NULL, &value,
					  NULL, NULL, NULL),
			     BL_OK);
		for (size_t t = 0; t < BL_FIELD_TYPE_COUNT; t++) {
			enum bl_field_type type = (enum bl_field_type)t;
			bool want = strchr(acceptance[i].types, letters[t]);

			if (bl_field_type_accepts(type, value) != want)
				TAP_NOTE("%s as %s", json,
					 bl_field_type_name(type));
			CHECK(bl_field_type_accepts(type, value) == want);
		}
	}
	bl_arena_clear(&arena);
}

static void undefined_is_of_no_type(void)
{
	for (size_t t = 0; t < BL_FIELD_TYPE_COUNT; t++)
		CHECK(!bl_field_type_accepts((enum bl_field_type)t,
					     bl_value_undefined()));
}

int main(void)
{
	RUN(kinds_have_names_phases_and_purposes);
	RUN(phases_have_names);
	RUN(field_types_have_names);
	RUN(field_types_accept);
	RUN(undefined_is_of_no_type);
	return tap_end();
}
