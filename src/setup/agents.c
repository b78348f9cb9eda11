/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agents.c: where the agents keep hooks, and what belay puts there: rows, and
 * what reads them without the files.  docs/contracts/cupcake.md "Registration",
 * docs/contracts/agents.md "Claude Code", "Factory Droid", "OpenCode",
 * "Registration", docs/contracts/cursor.md "Sources".
 */
#include "os/os.h"
#include "setup/agents.h"

const struct setup_agent bl_setup_agents[BL_AGENT_COUNT] = {
	[BL_AGENT_CURSOR] = {
		.form = SETUP_FLAT,
		.folder = ".cursor",
		.global_folder = ".cursor",
		.files = { { ".cursor/hooks.json", ".cursor/hooks.json" } },
		.has_version = true,
		.project = "",
		.variable = "CURSOR_PROJECT_DIR",
		.entries = {
			{ "beforeShellExecution", .fails_closed = true },
			{ "beforeMCPExecution", .fails_closed = true },
			{ "beforeReadFile", .fails_closed = true },
			{ "preToolUse", "Write|Delete|EditNotebook|ApplyPatch",
			  .fails_closed = true, .is_new = true },
			{ "afterFileEdit" },
			{ "beforeSubmitPrompt" },
			{ "stop" },
		},
		.event =
			"{\"conversation_id\":\"canary\",\"generation_id\":"
			"\"canary\",\"hook_event_name\":"
			"\"beforeShellExecution\",\"command\":"
			"@command,\"cwd\":@cwd}",
	},
	[BL_AGENT_CLAUDE] = {
		.form = SETUP_GROUPS,
		.folder = ".claude",
		.global_folder = ".claude",
		.files = { { ".claude/settings.json",
			     ".claude/settings.json" } },
		.timeout_s = 20,
		.project = "\"$CLAUDE_PROJECT_DIR\"/",
		.variable = "CLAUDE_PROJECT_DIR",
		.entries = {
			{ "PreToolUse", "*" },
			{ "PostToolUse", "*" },
			{ "UserPromptSubmit" },
			{ "SessionStart" },
			{ "Stop" },
			{ "SubagentStop" },
		},
		.event =
			"{\"session_id\":\"canary\",\"transcript_path\":\"\","
			"\"hook_event_name\":\"PreToolUse\",\"tool_name\":"
			"\"Bash\",\"tool_input\":{\"command\":"
			"@command},\"cwd\":@cwd}",
	},
	[BL_AGENT_FACTORY] = {
		.form = SETUP_GROUPS,
		.folder = ".factory",
		.global_folder = ".factory",
		/* settings.json is read only where hooks.json is missing */
		.files = { { ".factory/hooks.json", ".factory/hooks.json",
			     .is_top_level = true, .is_optional = true },
			   { ".factory/settings.json",
			     ".factory/settings.json" } },
		.timeout_s = 20,
		.project = "\"$FACTORY_PROJECT_DIR\"/",
		.variable = "FACTORY_PROJECT_DIR",
		.entries = {
			{ "PreToolUse", "*" },
			{ "PostToolUse", "*" },
			{ "UserPromptSubmit" },
			{ "SessionStart" },
			{ "Stop" },
			{ "SubagentStop" },
		},
		.event =
			"{\"session_id\":\"canary\",\"hook_event_name\":"
			"\"PreToolUse\",\"tool_name\":\"Execute\","
			"\"tool_input\":{\"command\":@command},"
			"\"cwd\":@cwd}",
	},
	[BL_AGENT_OPENCODE] = {
		.form = SETUP_PLUGIN,
		.folder = ".opencode",
		.global_folder = ".config/opencode",
		.files = { { ".opencode/plugins/belay.js",
			     ".config/opencode/plugins/belay.js" } },
		.project = "",
		.event =
			"{\"session_id\":\"canary\",\"hook_event_name\":"
			"\"PreToolUse\",\"tool\":\"bash\",\"args\":{"
			"\"command\":@command},\"cwd\":@cwd}",
	},
};

/* ---- command lines ------------------------------------------------------ */

static bool is_plain(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && !strchr("/._-+@%:,=", c))
			return false;
	}
	return text.len > 0;
}

void bl_setup_put_word(struct bl_buf *out, struct bl_str text)
{
	if (is_plain(text)) {
		bl_buf_put_str(out, text);
		return;
	}
	bl_buf_put_char(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			bl_buf_puts(out, "'\\''");
		else
			bl_buf_put_char(out, text.ptr[i]);
	}
	bl_buf_put_char(out, '\'');
}

struct bl_str bl_setup_command(const struct bl_setup *setup,
			       struct bl_arena *arena)
{
	const struct setup_agent *agent = &bl_setup_agents[setup->agent];
	struct bl_str command = { NULL, 0 };
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_setup_put_word(&buf, setup->program);
	bl_buf_printf(&buf, " eval --harness %s --policy-dir ",
		      bl_agent_name(setup->agent));
	if (setup->is_global) {
		bl_setup_put_word(&buf, setup->policy_dir);
	} else {
		bl_buf_puts(&buf, agent->project);
		bl_setup_put_word(&buf, bl_path_base(setup->policy_dir));
	}
	if (!bl_buf_status(&buf))
		command = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return command;
}

/* ---- files -------------------------------------------------------------- */

enum bl_status bl_setup_file(const struct bl_setup *setup,
			     struct bl_arena *arena, struct bl_str *out_path,
			     struct bl_error *err)
{
	const struct setup_agent *agent = &bl_setup_agents[setup->agent];

	for (size_t i = 0; i < SETUP_MAX_FILES; i++) {
		const struct setup_file *file = &agent->files[i];
		struct bl_file_info info;

		if (!file->project)
			break;
		*out_path =
			bl_path_join(arena, setup->root,
				     bl_str(setup->is_global ? file->global
							     : file->project));
		if (!out_path->ptr)
			return bl_arena_fail(arena, err);
		if (!file->is_optional ||
		    !bl_os_info_path(*out_path, &info, NULL))
			return BL_OK;
	}
	return bl_fail(err, BL_NOT_FOUND, "%s has no configuration file",
		       bl_agent_name(setup->agent));
}

bool bl_setup_is_used(const struct bl_setup *setup, struct bl_arena *arena)
{
	const struct setup_agent *agent = &bl_setup_agents[setup->agent];
	struct bl_file_info info;
	struct bl_str folder =
		bl_path_join(arena, setup->root,
			     bl_str(setup->is_global ? agent->global_folder
						     : agent->folder));

	return folder.ptr && !bl_os_info_path(folder, &info, NULL);
}
