/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of tools behind the agents' names of tools.  One table for all agents, since
 * they borrow names from each other, and none has two meanings.
 */
#include "agents/private.h"

static const struct {
	const char *native;
	enum bl_tool_kind kind;
	const char *name; /* NULL: as it is */
} tools[] = {
	{ "Bash", BL_TOOL_SHELL, NULL },
	{ "bash", BL_TOOL_SHELL, "Bash" },
	{ "Shell", BL_TOOL_SHELL, "Bash" },
	{ "BackgroundShell", BL_TOOL_SHELL, "Bash" },
	{ "WriteShellStdin", BL_TOOL_SHELL, NULL },
	{ "Execute", BL_TOOL_SHELL, "Bash" },
	{ "PowerShell", BL_TOOL_SHELL, NULL },
	{ "Monitor", BL_TOOL_SHELL, NULL },
	{ "run_shell_command", BL_TOOL_SHELL, "Bash" },
	{ "execute_command", BL_TOOL_SHELL, "Bash" },
	{ "run_terminal_cmd", BL_TOOL_SHELL, "Bash" },
	{ "run_terminal_command", BL_TOOL_SHELL, "Bash" },
	{ "shell", BL_TOOL_SHELL, "Bash" },
	{ "powershell", BL_TOOL_SHELL, "PowerShell" },
	{ "run_commands", BL_TOOL_SHELL, "Bash" },
	{ "run_command", BL_TOOL_SHELL, "Bash" },
	{ "run_in_terminal", BL_TOOL_SHELL, "Bash" },
	{ "send_to_terminal", BL_TOOL_SHELL, NULL },
	{ "exec", BL_TOOL_SHELL, "Bash" },
	{ "exec_command", BL_TOOL_SHELL, "Bash" },
	{ "shell_command", BL_TOOL_SHELL, "Bash" },
	{ "launch-process", BL_TOOL_SHELL, "Bash" },
	{ "write-process", BL_TOOL_SHELL, NULL },
	{ "execute_bash", BL_TOOL_SHELL, "Bash" },
	{ "execute_cmd", BL_TOOL_SHELL, "PowerShell" },
	{ "execute_pwsh", BL_TOOL_SHELL, "PowerShell" },
	{ "developer__shell", BL_TOOL_SHELL, "Bash" },
	{ "terminal", BL_TOOL_SHELL, "Bash" },
	{ "RunCommand", BL_TOOL_SHELL, "Bash" },

	{ "Read", BL_TOOL_FILE_READ, NULL },
	{ "read", BL_TOOL_FILE_READ, "Read" },
	{ "ReadFile", BL_TOOL_FILE_READ, "Read" },
	{ "read_file", BL_TOOL_FILE_READ, "Read" },
	{ "TabRead", BL_TOOL_FILE_READ, "Read" },
	{ "view", BL_TOOL_FILE_READ, "Read" },
	{ "read_files", BL_TOOL_FILE_READ, "Read" },
	{ "read_many_files", BL_TOOL_FILE_READ, "Read" },
	{ "view_file", BL_TOOL_FILE_READ, "Read" },
	{ "fs_read", BL_TOOL_FILE_READ, "Read" },

	{ "Write", BL_TOOL_FILE_WRITE, NULL },
	{ "write", BL_TOOL_FILE_WRITE, "Write" },
	{ "Create", BL_TOOL_FILE_WRITE, "Write" },
	{ "WriteFile", BL_TOOL_FILE_WRITE, "Write" },
	{ "write_file", BL_TOOL_FILE_WRITE, "Write" },
	{ "create_file", BL_TOOL_FILE_WRITE, "Write" },
	{ "create", BL_TOOL_FILE_WRITE, "Write" },
	{ "write_to_file", BL_TOOL_FILE_WRITE, "Write" },
	{ "save-file", BL_TOOL_FILE_WRITE, "Write" },
	{ "fs_write", BL_TOOL_FILE_WRITE, "Write" },
	{ "fs_append", BL_TOOL_FILE_EDIT, "Edit" },

	{ "Edit", BL_TOOL_FILE_EDIT, NULL },
	{ "edit", BL_TOOL_FILE_EDIT, "Edit" },
	{ "MultiEdit", BL_TOOL_FILE_EDIT, NULL },
	{ "multiedit", BL_TOOL_FILE_EDIT, "MultiEdit" },
	{ "NotebookEdit", BL_TOOL_FILE_EDIT, NULL },
	{ "EditNotebook", BL_TOOL_FILE_EDIT, "NotebookEdit" },
	{ "StrReplace", BL_TOOL_FILE_EDIT, "Edit" },
	{ "StrReplaceFile", BL_TOOL_FILE_EDIT, "Edit" },
	{ "TabWrite", BL_TOOL_FILE_EDIT, "Edit" },
	{ "replace", BL_TOOL_FILE_EDIT, "Edit" },
	{ "replace_in_file", BL_TOOL_FILE_EDIT, "Edit" },
	{ "search_replace", BL_TOOL_FILE_EDIT, "Edit" },
	{ "str_replace_editor", BL_TOOL_FILE_EDIT, "Edit" },
	{ "editor", BL_TOOL_FILE_EDIT, "Edit" },
	{ "edit_file", BL_TOOL_FILE_EDIT, "Edit" },
	{ "file_editor", BL_TOOL_FILE_EDIT, "Edit" },
	{ "developer__text_editor", BL_TOOL_FILE_EDIT, "Edit" },
	{ "str_replace", BL_TOOL_FILE_EDIT, "Edit" },
	{ "str-replace-editor", BL_TOOL_FILE_EDIT, "Edit" },
	{ "replace_file_content", BL_TOOL_FILE_EDIT, "Edit" },
	{ "multi_replace_file_content", BL_TOOL_FILE_EDIT, "MultiEdit" },
	{ "replace_string_in_file", BL_TOOL_FILE_EDIT, "Edit" },
	{ "multi_replace_string_in_file", BL_TOOL_FILE_EDIT, "MultiEdit" },
	{ "insert_edit_into_file", BL_TOOL_FILE_EDIT, "Edit" },
	{ "ApplyPatch", BL_TOOL_FILE_EDIT, NULL },
	{ "apply_patch", BL_TOOL_FILE_EDIT, "ApplyPatch" },
	{ "patch", BL_TOOL_FILE_EDIT, "Patch" },
	{ "Patch", BL_TOOL_FILE_EDIT, NULL },
	{ "Delete", BL_TOOL_FILE_DELETE, NULL },
	{ "delete_file", BL_TOOL_FILE_DELETE, "Delete" },
	{ "remove-files", BL_TOOL_FILE_DELETE, "Delete" },

	{ "Glob", BL_TOOL_SEARCH, NULL },
	{ "glob", BL_TOOL_SEARCH, "Glob" },
	{ "Grep", BL_TOOL_SEARCH, NULL },
	{ "grep", BL_TOOL_SEARCH, "Grep" },
	{ "LS", BL_TOOL_SEARCH, "List" },
	{ "List", BL_TOOL_SEARCH, NULL },
	{ "list", BL_TOOL_SEARCH, "List" },
	{ "SemanticSearch", BL_TOOL_SEARCH, NULL },
	{ "grep_search", BL_TOOL_SEARCH, "Grep" },
	{ "search_file_content", BL_TOOL_SEARCH, "Grep" },
	{ "search_files", BL_TOOL_SEARCH, "Grep" },
	{ "rg", BL_TOOL_SEARCH, "Grep" },
	{ "list_directory", BL_TOOL_SEARCH, "List" },
	{ "list_files", BL_TOOL_SEARCH, "List" },

	{ "WebFetch", BL_TOOL_WEB_FETCH, NULL },
	{ "webfetch", BL_TOOL_WEB_FETCH, "WebFetch" },
	{ "FetchUrl", BL_TOOL_WEB_FETCH, "WebFetch" },
	{ "Fetch", BL_TOOL_WEB_FETCH, "WebFetch" },
	{ "web_fetch", BL_TOOL_WEB_FETCH, "WebFetch" },
	{ "web-fetch", BL_TOOL_WEB_FETCH, "WebFetch" },
	{ "fetch_webpage", BL_TOOL_WEB_FETCH, "WebFetch" },
	{ "read_url_content", BL_TOOL_WEB_FETCH, "WebFetch" },
	{ "fetch", BL_TOOL_WEB_FETCH, "WebFetch" },
	{ "WebSearch", BL_TOOL_WEB_SEARCH, NULL },
	{ "websearch", BL_TOOL_WEB_SEARCH, "WebSearch" },
	{ "web_search", BL_TOOL_WEB_SEARCH, "WebSearch" },
	{ "google_web_search", BL_TOOL_WEB_SEARCH, "WebSearch" },
	{ "remote_web_search", BL_TOOL_WEB_SEARCH, "WebSearch" },
	{ "search_web", BL_TOOL_WEB_SEARCH, "WebSearch" },
	{ "web-search", BL_TOOL_WEB_SEARCH, "WebSearch" },

	{ "Task", BL_TOOL_SUBAGENT, NULL },
	{ "task", BL_TOOL_SUBAGENT, "Task" },
	{ "Agent", BL_TOOL_SUBAGENT, "Task" },
	{ "spawn_agent", BL_TOOL_SUBAGENT, "Task" },
	{ "invoke_agent", BL_TOOL_SUBAGENT, "Task" },
	{ "new_task", BL_TOOL_SUBAGENT, "Task" },
	{ "run_subagent", BL_TOOL_SUBAGENT, "Task" },
	{ "Skill", BL_TOOL_SKILL, NULL },
	{ "skill", BL_TOOL_SKILL, "Skill" },
	{ "activate_skill", BL_TOOL_SKILL, "Skill" },
	{ "TodoWrite", BL_TOOL_PLAN, NULL },
	{ "todowrite", BL_TOOL_PLAN, "TodoWrite" },
	{ "write_todos", BL_TOOL_PLAN, "TodoWrite" },
	{ "update_todo", BL_TOOL_PLAN, "TodoWrite" },
	{ "TodoRead", BL_TOOL_PLAN, NULL },
	{ "todoread", BL_TOOL_PLAN, "TodoRead" },
	{ "ExitPlanMode", BL_TOOL_PLAN, NULL },
	{ "AskUserQuestion", BL_TOOL_ASK_USER, NULL },
	{ "question", BL_TOOL_ASK_USER, "AskUserQuestion" },
	{ "ask_user", BL_TOOL_ASK_USER, "AskUserQuestion" },
	{ "use_mcp_tool", BL_TOOL_MCP, NULL },
	{ "access_mcp_resource", BL_TOOL_MCP, NULL },
	{ "ListMcpResources", BL_TOOL_MCP, NULL },
	{ "FetchMcpResource", BL_TOOL_MCP, NULL },
};

/* How the name of an MCP tool is put together: prefix, server, between. */
static const struct {
	const char *prefix;
	const char *between; /* NULL: no server in it */
} mcp_names[] = {
	{ "mcp__", "__" }, { "MCP:", NULL },
	{ "mcp_", "_" }, /* Gemini CLI; the payload says it better */
	{ "mcp:", "/" },   { "@", "/" }, /* Kiro */
};

/* Cuts text at between into server and tool. */
static void split_mcp(struct bl_str text, const char *between,
		      struct tool *out_tool)
{
	size_t at = between ? bl_str_find(text, bl_str(between), 0) : SIZE_MAX;

	out_tool->kind = BL_TOOL_MCP;
	out_tool->tool = text;
	if (at == SIZE_MAX)
		return;
	out_tool->server = bl_str_slice(text, 0, at);
	out_tool->tool = bl_str_slice(text, at + strlen(between), SIZE_MAX);
}

/* "tool_name_server": the server is what stands behind the last between. */
static void swap_at_last(struct bl_str text, const char *between,
			 struct tool *out_tool)
{
	size_t last = 0;

	for (size_t at = bl_str_find(text, bl_str(between), 0); at != SIZE_MAX;
	     at = bl_str_find(text, bl_str(between), at + 1))
		last = at;
	out_tool->tool = bl_str_slice(text, 0, last);
	out_tool->server = bl_str_slice(text, last + strlen(between), SIZE_MAX);
}

void bl_agent_tool(const struct bl_agent *agent, struct bl_str native,
		   struct tool *out_tool)
{
	const char *between;

	*out_tool = (struct tool){ .kind = BL_TOOL_OTHER, .name = native };
	if (!native.len) {
		out_tool->kind = BL_TOOL_NONE;
		return;
	}
	for (size_t i = 0; i < BL_COUNT(tools); i++) {
		if (!bl_str_is(native, tools[i].native))
			continue;
		out_tool->kind = tools[i].kind;
		if (tools[i].name)
			out_tool->name = bl_str(tools[i].name);
		return;
	}
	for (size_t i = 0; i < BL_COUNT(mcp_names); i++) {
		struct bl_str prefix = bl_str(mcp_names[i].prefix);

		if (bl_str_has_prefix(native, prefix)) {
			split_mcp(bl_str_slice(native, prefix.len, SIZE_MAX),
				  mcp_names[i].between, out_tool);
			return;
		}
	}
	between = agent->payload->mcp_between;
	if (!between || bl_str_find(native, bl_str(between), 0) == SIZE_MAX)
		return;
	split_mcp(native, between, out_tool);
	if (agent->payload->mcp_server_is_last)
		swap_at_last(native, between, out_tool);
}

/* One edit in four letters; a letter of the other case is half of one. */
static bool is_near(struct bl_str name, const char *known)
{
	return bl_str_distance(name, bl_str(known)) <= 1 + name.len / 4;
}

const char *bl_agent_near_tool(struct bl_str name)
{
	const char *near = NULL;

	for (size_t i = 0; i < BL_COUNT(mcp_names); i++)
		if (bl_str_has_prefix(name, bl_str(mcp_names[i].prefix)))
			return NULL;
	for (enum bl_tool_kind i = BL_TOOL_NONE; i < BL_TOOL_KIND_COUNT; i++)
		if (bl_str_is(name, bl_tool_kind_name(i)))
			return NULL;
	for (size_t i = 0; i < BL_COUNT(tools); i++) {
		if (bl_str_is(name, tools[i].native) ||
		    (tools[i].name && bl_str_is(name, tools[i].name)))
			return NULL;
		if (!near && is_near(name, tools[i].native))
			near = tools[i].native;
	}
	return near;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Differ the two in the case of letters alone, from the first letter on? */
static bool is_recased(struct bl_str name, struct bl_str known)
{
	if (name.len != known.len || !name.len ||
	    is_upper(name.ptr[0]) == is_upper(known.ptr[0]))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if ((name.ptr[i] | 0x20) != (known.ptr[i] | 0x20))
			return false;
	return true;
}

/* A tool that the agent's row of the event before a tool knows; empty: none. */
static struct bl_str known_tool(const struct bl_agent *agent)
{
	for (size_t i = 0; i < agent->event_count; i++) {
		const struct bl_hook_event *event = &agent->events[i];

		if (event->kind == BL_EVENT_TOOL_BEFORE &&
		    event->subject_values)
			return bl_str(event->subject_values[0]);
	}
	return BL_STR("");
}

/* How policies see a tool of the agent, that for shell commands; empty: not known. */
static struct bl_str shell_tool(const struct bl_agent *agent)
{
	struct bl_str mark = BL_STR("\"tool_name\":\"");
	struct bl_str canary;
	size_t at, end;

	if (agent->renames_tools)
		return BL_STR("Bash");
	if (!agent->registration || !agent->registration->canary)
		return BL_STR("");
	canary = bl_str(agent->registration->canary);
	at = bl_str_find(canary, mark, 0);
	if (at == SIZE_MAX)
		return known_tool(agent);
	at += mark.len;
	end = bl_str_find(canary, BL_STR("\""), at);
	return bl_str_slice(canary, at, end);
}

const char *bl_agent_recased_tool(const struct bl_agent *agent,
				  struct bl_str name,
				  enum bl_tool_kind *out_kind)
{
	struct bl_str shell = agent ? shell_tool(agent) : BL_STR("");

	if (agent && !shell.len)
		return NULL;
	for (size_t i = 0; i < BL_COUNT(tools); i++) {
		struct bl_str native = bl_str(tools[i].native);

		if (!is_recased(name, native) ||
		    (agent && is_upper(native.ptr[0]) != is_upper(*shell.ptr)))
			continue;
		*out_kind = tools[i].kind;
		return tools[i].native;
	}
	return NULL;
}
