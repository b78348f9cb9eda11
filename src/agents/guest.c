/* SPDX-License-Identifier: Apache-2.0 */
/* guest.c: the agents and their rows, and telling them apart. */
#include "agents/guest_internal.h"

static const struct guest_agent *const agents[BL_AGENT_COUNT] = {
	[BL_AGENT_CURSOR] = &bl_guest_cursor,
	[BL_AGENT_CLAUDE] = &bl_guest_claude,
	[BL_AGENT_FACTORY] = &bl_guest_factory,
	[BL_AGENT_OPENCODE] = &bl_guest_opencode,
};

const struct guest_agent *bl_guest_agent(enum bl_agent agent)
{
	return agents[agent];
}

const char *bl_agent_name(enum bl_agent agent)
{
	return agents[agent]->name;
}

bool bl_agent_parse(struct bl_str name, enum bl_agent *out_agent)
{
	for (enum bl_agent i = 0; i < BL_AGENT_COUNT; i++) {
		if (bl_str_is(name, agents[i]->name)) {
			*out_agent = i;
			return true;
		}
	}
	return false;
}

const struct bl_guest_event *bl_guest_events(enum bl_agent agent,
					     size_t *out_count)
{
	*out_count = agents[agent]->event_count;
	return agents[agent]->events;
}

const struct bl_guest_event *bl_guest_unknown_event(enum bl_agent agent)
{
	return &agents[agent]->unknown;
}

const char *const *bl_guest_unattended_modes(enum bl_agent agent)
{
	return agents[agent]->unattended_modes;
}

bool bl_guest_fails_closed(const struct bl_guest_event *event)
{
	switch ((unsigned)event->kind) {
	case BL_EVENT_TOOL_BEFORE:
	case BL_EVENT_PERMISSION:
	case BL_EVENT_SUBAGENT_START:
	case BL_EVENT_UNKNOWN:
		return event->abilities & BL_GUEST_CAN_REFUSE;
	default:
		return false;
	}
}

struct bl_value bl_guest_field(const struct guest_agent *agent,
			       struct bl_value payload, enum guest_field field)
{
	struct bl_value value = bl_value_undefined();

	for (size_t i = 0; i < GUEST_MAX_NAMES; i++) {
		const char *name = agent->fields[field][i];

		if (!name || bl_value_is_defined(value))
			break;
		value = bl_object_find(payload, bl_str(name));
	}
	return value;
}

/* ---- names -------------------------------------------------------------- */

static const char *const kind_names[BL_TOOL_KIND_COUNT] = {
	[BL_TOOL_NONE] = "",
#define TOOL_KIND(name, text, purpose) [BL_TOOL_##name] = text,
#include "agents/tool_kinds.def"
#undef TOOL_KIND
};

static const char *const kind_purposes[BL_TOOL_KIND_COUNT] = {
	[BL_TOOL_NONE] = "no tool",
#define TOOL_KIND(name, text, purpose) [BL_TOOL_##name] = purpose,
#include "agents/tool_kinds.def"
#undef TOOL_KIND
};

const char *bl_tool_kind_name(enum bl_tool_kind kind)
{
	return kind_names[kind];
}

const char *bl_tool_kind_purpose(enum bl_tool_kind kind)
{
	return kind_purposes[kind];
}

static const struct {
	const char *id;
	const char *text;
} losses[BL_GUEST_LOSS_COUNT] = {
#define LOSS(name, id, text) [BL_GUEST_LOSS_##name] = { id, text },
#include "agents/guest_losses.def"
#undef LOSS
};

const char *bl_guest_loss_id(enum bl_guest_loss loss)
{
	return losses[loss].id;
}

const char *bl_guest_loss_text(enum bl_guest_loss loss)
{
	return losses[loss].text;
}

static const char *const verb_names[BL_RULING_COUNT] = {
	[BL_RULING_ALLOW] = "allow", [BL_RULING_MODIFY] = "modify",
	[BL_RULING_ASK] = "ask",     [BL_RULING_BLOCK] = "block",
	[BL_RULING_DENY] = "deny",   [BL_RULING_HALT] = "halt",
};

const char *bl_ruling_verb_name(enum bl_ruling_verb verb)
{
	return verb_names[verb];
}

/* ---- which agent -------------------------------------------------------- */

/* Fields that must all be there, in the order in which marks are tried. */
static const struct {
	enum bl_agent agent;
	const char *fields[3];
	const char *evidence;
} payload_marks[] = {
	{ BL_AGENT_CURSOR, { "cursor_version" }, "payload: cursor_version" },
	{ BL_AGENT_CURSOR,
	  { "conversation_id", "generation_id" },
	  "payload: conversation_id and generation_id" },
	{ BL_AGENT_FACTORY,
	  { "hookEventName", "sessionId", "permissionMode" },
	  "payload: hookEventName, sessionId and permissionMode" },
	{ BL_AGENT_OPENCODE, { "tool", "args" }, "payload: tool and args" },
};

/* Claude's marks are the last: others set them, too. */
static const struct {
	enum bl_agent agent;
	const char *name;
	const char *evidence;
} environment_marks[] = {
	{ BL_AGENT_CURSOR, "CURSOR_VERSION", "environment: CURSOR_VERSION" },
	{ BL_AGENT_CURSOR, "CURSOR_PROJECT_DIR",
	  "environment: CURSOR_PROJECT_DIR" },
	{ BL_AGENT_FACTORY, "FACTORY_PROJECT_DIR",
	  "environment: FACTORY_PROJECT_DIR" },
	{ BL_AGENT_CLAUDE, "CLAUDE_CODE_SESSION_ID",
	  "environment: CLAUDE_CODE_SESSION_ID" },
	{ BL_AGENT_CLAUDE, "CLAUDECODE", "environment: CLAUDECODE" },
	{ BL_AGENT_OPENCODE, "OPENCODE", "environment: OPENCODE" },
};

static bool has_fields(struct bl_value payload, const char *const fields[3])
{
	for (size_t i = 0; i < 3 && fields[i]; i++)
		if (!bl_value_is_defined(
			    bl_object_find(payload, bl_str(fields[i]))))
			return false;
	return true;
}

/* Event names begin with a small letter at Cursor alone. */
static bool has_cursor_event(struct bl_value payload)
{
	struct bl_str name = bl_value_text(
		bl_object_find(payload, BL_STR("hook_event_name")));

	for (size_t i = 0; i < bl_guest_cursor.event_count; i++)
		if (bl_str_is(name, bl_guest_cursor.events[i].name))
			return true;
	return false;
}

bool bl_agent_detect(struct bl_value payload,
		     struct bl_str (*getenv)(const char *name),
		     enum bl_agent *out_agent, const char **out_evidence)
{
	for (size_t i = 0; i < BL_COUNT(payload_marks); i++) {
		if (!has_fields(payload, payload_marks[i].fields))
			continue;
		*out_agent = payload_marks[i].agent;
		*out_evidence = payload_marks[i].evidence;
		return true;
	}
	if (has_cursor_event(payload)) {
		*out_agent = BL_AGENT_CURSOR;
		*out_evidence = "payload: hook_event_name";
		return true;
	}
	for (size_t i = 0; i < BL_COUNT(environment_marks); i++) {
		if (!getenv(environment_marks[i].name).len)
			continue;
		*out_agent = environment_marks[i].agent;
		*out_evidence = environment_marks[i].evidence;
		return true;
	}
	if (has_fields(payload,
		       (const char *const[3]){ "hook_event_name", "session_id",
					       "transcript_path" })) {
		*out_agent = BL_AGENT_CLAUDE;
		*out_evidence = "payload: Claude Code's fields";
		return true;
	}
	return false;
}
