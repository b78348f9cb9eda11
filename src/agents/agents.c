/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries over the tables of all agents: names, rows, kinds, and which
 * agent sent a payload.  It stands alone since it knows no agent.
 */
#include "agents/private.h"

/* ---- agents ------------------------------------------------------------- */

const char *bl_scope_name(enum bl_scope scope)
{
	static const char *const names[BL_SCOPE_COUNT] = {
		[BL_SCOPE_PROJECT] = "project",
		[BL_SCOPE_USER] = "user",
		[BL_SCOPE_MANAGED] = "managed",
	};

	return names[scope];
}

const struct bl_agent *bl_agent_find(struct bl_str name)
{
	for (size_t i = 0; bl_agents[i]; i++)
		if (bl_str_is(name, bl_agents[i]->name))
			return bl_agents[i];
	return NULL;
}

/* The list may be shorter than index: it is walked. */
const char *bl_agent_name_at(size_t index)
{
	for (size_t i = 0; bl_agents[i]; i++)
		if (i == index)
			return bl_agents[i]->name;
	return NULL;
}

size_t bl_agent_index(const struct bl_agent *agent)
{
	size_t i = 0;

	while (bl_agents[i] != agent)
		i++;
	return i;
}

static const struct bl_hook_event *
find_event(const struct bl_hook_event *events, size_t count, struct bl_str name)
{
	for (size_t i = 0; i < count; i++)
		if (bl_str_is(name, events[i].name))
			return &events[i];
	return NULL;
}

const struct bl_hook_event *bl_agent_find_event(const struct bl_agent *agent,
						struct bl_str name)
{
	return find_event(agent->events, agent->event_count, name);
}

/* The value at "a.b". */
static struct bl_value find_path(struct bl_value value, struct bl_str path)
{
	for (size_t at = 0, end; at < path.len; at = end + 1) {
		end = bl_str_find(path, BL_STR("."), at);
		if (end == SIZE_MAX)
			end = path.len;
		value = bl_object_find(value, bl_str_slice(path, at, end));
	}
	return value;
}

struct bl_value bl_agent_field(const struct bl_agent *agent,
			       struct bl_value payload,
			       enum payload_field field)
{
	struct bl_value value = bl_value_undefined();

	for (size_t i = 0; i < MAX_NAMES; i++) {
		const char *name = agent->payload->fields[field][i];

		if (!name || bl_value_is_defined(value))
			break;
		value = find_path(payload, bl_str(name));
	}
	return value;
}

/* ---- contracts ---------------------------------------------------------- */

static const struct bl_contract *const contracts[BL_DIALECT_COUNT] = {
	[BL_DIALECT_CURSOR_2_3] = &bl_cursor_2_3_contract,
	[BL_DIALECT_CURSOR] = &bl_cursor_contract,
};

const struct bl_contract *bl_contract_get(enum bl_dialect dialect)
{
	return contracts[dialect];
}

const struct bl_hook_event *bl_contract_find(const struct bl_contract *contract,
					     struct bl_str name)
{
	return find_event(contract->events, contract->event_count, name);
}

void bl_contract_put_names(const struct bl_contract *contract,
			   struct bl_buf *out)
{
	for (size_t i = 0; i < contract->event_count; i++) {
		if (i > 0)
			bl_buf_puts(out, ", ");
		bl_buf_puts(out, contract->events[i].name);
	}
}

/* ---- kinds -------------------------------------------------------------- */

/* Kinds that say with what tool something is done, for policies. */
static const struct {
	enum bl_event_kind kind;
	enum bl_event_kind policy_kind;
	enum bl_tool_kind tool;
} tool_events[] = {
	{ BL_EVENT_SHELL_BEFORE, BL_EVENT_TOOL_BEFORE, BL_TOOL_SHELL },
	{ BL_EVENT_SHELL_AFTER, BL_EVENT_TOOL_AFTER, BL_TOOL_SHELL },
	{ BL_EVENT_MCP_BEFORE, BL_EVENT_TOOL_BEFORE, BL_TOOL_MCP },
	{ BL_EVENT_MCP_AFTER, BL_EVENT_TOOL_AFTER, BL_TOOL_MCP },
	{ BL_EVENT_READ_BEFORE, BL_EVENT_TOOL_BEFORE, BL_TOOL_FILE_READ },
	{ BL_EVENT_EDIT_AFTER, BL_EVENT_TOOL_AFTER, BL_TOOL_FILE_EDIT },
};

enum bl_event_kind bl_hook_event_policy_kind(const struct bl_hook_event *event,
					     enum bl_tool_kind *out_tool)
{
	enum bl_event_kind kind = event->kind;
	enum bl_tool_kind tool = BL_TOOL_NONE;

	for (size_t i = 0; i < BL_COUNT(tool_events); i++) {
		if (event->kind != tool_events[i].kind)
			continue;
		kind = tool_events[i].policy_kind;
		tool = tool_events[i].tool;
	}
	if (event->tool)
		tool = event->tool;
	if (out_tool)
		*out_tool = tool;
	return kind;
}

bool bl_hook_event_fails_closed(const struct bl_hook_event *event)
{
	switch ((unsigned)bl_hook_event_policy_kind(event, NULL)) {
	case BL_EVENT_TOOL_BEFORE:
	case BL_EVENT_PERMISSION:
	case BL_EVENT_SUBAGENT_START:
	case BL_EVENT_UNKNOWN:
		return event->capabilities & BL_CAN_REFUSE;
	default:
		return false;
	}
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
} degradations[BL_DEGRADATION_COUNT] = {
#define DEGRADATION(name, id, text) [BL_DEGRADED_##name] = { id, text },
#include "agents/degradations.def"
#undef DEGRADATION
};

const char *bl_degradation_id(enum bl_degradation degradation)
{
	return degradations[degradation].id;
}

const char *bl_degradation_text(enum bl_degradation degradation)
{
	return degradations[degradation].text;
}

/* ---- which agent: docs/contracts/agents.md "Detection" ------------------ */

static bool has_fields(struct bl_value payload, const struct mark *mark)
{
	for (size_t i = 0; i < MARK_MAX_NAMES && mark->names[i]; i++)
		if (!bl_value_is_defined(
			    bl_object_find(payload, bl_str(mark->names[i]))))
			return false;
	return true;
}

static bool has_event(const struct bl_agent *agent, struct bl_value payload)
{
	struct bl_str name =
		bl_value_text(bl_agent_field(agent, payload, PAYLOAD_EVENT));

	return bl_agent_find_event(agent, name) != NULL;
}

static bool has_mark(const struct bl_agent *agent, const struct mark *mark,
		     struct bl_value payload,
		     struct bl_str (*getenv)(const char *name))
{
	switch ((unsigned)mark->rank) {
	case MARK_EVENT_NAME:
		return has_event(agent, payload);
	case MARK_ENVIRONMENT:
	case MARK_INHERITED:
		return getenv(mark->names[0]).len > 0;
	default:
		return has_fields(payload, mark);
	}
}

/* The agent's first mark of that rank that is there; NULL: none is. */
static const char *find_mark(const struct bl_agent *agent, enum mark_rank rank,
			     struct bl_value payload,
			     struct bl_str (*getenv)(const char *name))
{
	const struct mark *marks = agent->payload->marks;

	for (size_t i = 0; i < MAX_MARKS && marks[i].evidence; i++)
		if (marks[i].rank == rank &&
		    has_mark(agent, &marks[i], payload, getenv))
			return marks[i].evidence;
	return NULL;
}

const struct bl_agent *
bl_agent_detect(struct bl_value payload,
		struct bl_str (*getenv)(const char *name),
		const char **out_evidence)
{
	for (enum mark_rank rank = 0; rank < MARK_RANK_COUNT; rank++) {
		for (size_t i = 0; bl_agents[i]; i++) {
			const char *evidence =
				find_mark(bl_agents[i], rank, payload, getenv);

			if (!evidence)
				continue;
			*out_evidence = evidence;
			return bl_agents[i];
		}
	}
	return NULL;
}
