/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How Cursor words a refusal.  The texts of 2.3.41 and the short prefixes of
 * today are interface (docs/contracts/cursor-2.3.41.md "Refusals",
 * docs/contracts/cursor.md "Refusal texts"); the rest is belay's own wording.
 */
#include "agents/internal.h"

#define REJECTED "REJECTED_BY_HOOK"

/* ---- 2.3.41 ------------------------------------------------------------- */

#define NO_WORKAROUND_2_3                                                      \
	". Do not attempt to work around this restriction using alternative "  \
	"methods or commands."

#define SHELL_USER_2_3 "Command execution was blocked by a hook"
#define MCP_USER_2_3   "MCP tool execution was blocked by a hook"
#define READ_USER_2_3  "File reading was blocked by a security hook"

const struct bl_refusal_texts bl_cursor_2_3_shell_refusal = {
	.code = REJECTED,
	.user = SHELL_USER_2_3,
	.model = "The terminal command was rejected by a hook that prevents "
		 "execution of this command",
	.model_tail = NO_WORKAROUND_2_3,
	.error = SHELL_USER_2_3,
};

const struct bl_refusal_texts bl_cursor_2_3_mcp_refusal = {
	.code = REJECTED,
	.user = MCP_USER_2_3,
	.model = "The MCP tool call was rejected by a hook that prevents "
		 "execution of this tool",
	.model_tail = NO_WORKAROUND_2_3,
	.error = MCP_USER_2_3,
};

const struct bl_refusal_texts bl_cursor_2_3_read_refusal = {
	.code = REJECTED,
	.user = READ_USER_2_3,
	.model = "The file read operation was rejected by a security hook that "
		 "prevents reading of this file",
	.model_tail = NO_WORKAROUND_2_3,
	.error = READ_USER_2_3,
	.error_path_field = "file_path",
	.error_tail = NO_WORKAROUND_2_3,
};

/* The prompt's refusal is the same in both dialects. */
const struct bl_refusal_texts bl_cursor_prompt_refusal = {
	.code = "ERROR_HOOKS_BLOCKED",
	.user = "Submission blocked by hook",
	.error = "Submission blocked by hook",
};

/* ---- today -------------------------------------------------------------- */

#define NO_WORKAROUND                                                          \
	"Do not suggest or try another way to reach the same result."
#define SETTINGS                                                               \
	"\n\nThe hooks in force are listed on the Hooks page of the "          \
	"settings. " NO_WORKAROUND

#define SHELL_TEXT    "Command execution was blocked by a hook"
#define MCP_TEXT      "MCP tool execution was blocked by a hook"
#define READ_TEXT     "File read was blocked by a hook"
#define TOOL_TEXT     "Tool use was blocked by a hook"
#define SUBAGENT_TEXT "Subagent start was blocked by a hook"

#define SAME_TEXT_FOR_ALL(text)                                                \
	{                                                                      \
		.code = REJECTED, .user = text, .user_tail = SETTINGS,         \
		.model = text, .model_tail = SETTINGS, .error = text,          \
		.model_gets_user_message = true,                               \
	}

const struct bl_refusal_texts bl_cursor_shell_refusal =
	SAME_TEXT_FOR_ALL(SHELL_TEXT);
const struct bl_refusal_texts bl_cursor_mcp_refusal =
	SAME_TEXT_FOR_ALL(MCP_TEXT);
const struct bl_refusal_texts bl_cursor_read_refusal =
	SAME_TEXT_FOR_ALL(READ_TEXT);
const struct bl_refusal_texts bl_cursor_subagent_refusal =
	SAME_TEXT_FOR_ALL(SUBAGENT_TEXT);

const struct bl_refusal_texts bl_cursor_tool_refusal = {
	.code = REJECTED,
	.user = TOOL_TEXT,
	.model = TOOL_TEXT,
	.model_tail = "\n\n" NO_WORKAROUND,
	.error = TOOL_TEXT,
	.message_alone = true,
	.model_gets_user_message = true,
};
