/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages, places and hints: those of docs/contracts/cursor-2.3.41.md "Hook
 * files" to the letter.
 */
#include "tap.h"

#include "findings.h"

#define STEPS_2_3                                                              \
	"beforeShellExecution, beforeMCPExecution, afterShellExecution, "      \
	"afterMCPExecution, beforeReadFile, afterFileEdit, "                   \
	"beforeTabFileRead, afterTabFileEdit, stop, beforeSubmitPrompt, "      \
	"afterAgentResponse, afterAgentThought"

/* One finding of a text: the one with that code. */
static const struct message {
	const char *profile;
	const char *text;
	const char *code;
	const char *place;
	const char *message;
	const char *hint; /* a part of it; NULL: absent */
} messages[] = {
	{ "cursor-2.3", "\n  []", "config-object", "2:3",
	  "Config must be an object", "\"version\": 1" },
	{ "cursor-2.3", "{\"version\":\"1\",\n\"hooks\":{}}", "version", "1:12",
	  "Config version must be a number", "\"version\": 1" },
	{ "cursor-2.3", "{\n\"hooks\":{}}", "version", "1:1",
	  "Config version must be a number", "add" },
	{ "cursor-2.3", "{\"version\":\n 1.5,\"hooks\":{}}", "version", "2:2",
	  "Config version must be a positive integer", "\"version\": 1" },
	{ "cursor-2.3", "{\"version\":0,\"hooks\":{}}", "version", "1:12",
	  "Config version must be a positive integer", "\"version\": 1" },
	{ "cursor-2.3", "{\"version\":1,\n  \"hooks\": []}", "hooks-object",
	  "2:12", "Config hooks must be an object", "\"hooks\": {}" },
	{ "cursor-2.3", "{\"version\":1,\"stop\":[]}", "hooks-object", "1:1",
	  "Config hooks must be an object", "events such as stop belong" },
	{ "cursor-2.3", "{\"version\":1,\"hooks\":{\n  \"Shell\":[]}}",
	  "unknown-step", "2:3",
	  "Unknown hook type: Shell. Valid types are: " STEPS_2_3, NULL },
	{ "cursor-2.3", "{\"version\":1,\"hooks\":{\n  \"preToolUse\":[]}}",
	  "unknown-step", "2:3",
	  "Unknown hook type: preToolUse. Valid types are: " STEPS_2_3,
	  "profile cursor knows this event" },
	{ "cursor-2.3", "{\"version\":1,\"hooks\":{\"Stop\":[]}}",
	  "unknown-step", "1:23",
	  "Unknown hook type: Stop. Valid types are: " STEPS_2_3,
	  "Claude Code's name; here it is called stop" },
	{ "cursor-2.3", "{\"version\":1,\"hooks\":{\"UserPromptSubmit\":[]}}",
	  "unknown-step", "1:23",
	  "Unknown hook type: UserPromptSubmit. Valid types are: " STEPS_2_3,
	  "called beforeSubmitPrompt" },
	{ "cursor-2.3", "{\"version\":1,\"hooks\":{\"Notification\":[]}}",
	  "unknown-step", "1:23",
	  "Unknown hook type: Notification. Valid types are: " STEPS_2_3,
	  "no counterpart" },
	{ "cursor-2.3", "{\"version\":1,\"hooks\":{\"beforeReadFiles\":[]}}",
	  "unknown-step", "1:23",
	  "Unknown hook type: beforeReadFiles. Valid types are: " STEPS_2_3,
	  "did you mean beforeReadFile?" },
	{ "cursor-2.3", "{\"version\":1,\"hooks\":{\"stop\": {}}}",
	  "step-array", "1:31", "Hooks for stop must be an array",
	  "\"stop\": [" },
	{ "cursor-2.3",
	  "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"x\"},\n 5]}}",
	  "entry-object", "2:2",
	  "Hook script must be an object with a command property",
	  "stop[1]: " },
	{ "cursor-2.3",
	  "{\"version\":1,\"hooks\":{\"stop\":[\n{\"command\": 5}]}}",
	  "command", "2:13", "Hook script command must be a string",
	  "stop[0]: " },
	{ "cursor", "{\"version\":1,\"hooks\":{\"stop\":[{\"x\": 5}]}}",
	  "command", "1:31", "Hook script command must be a string",
	  "stop[0]: add" },
	{ "cursor",
	  "{\"version\":1,\"hooks\":{\"stop\":[{\"matcher\":\"\","
	  "\"hooks\":[]}]}}",
	  "command", "1:31", "Hook script command must be a string",
	  "Claude Code group" },
	{ "cursor", "{\"version\":1,\"hooks\":{\"stop\":[{\"bash\":\"x\"}]}}",
	  "command", "1:31", "Hook script command must be a string",
	  "rename \"bash\" to \"command\"" },
	{ "cursor-2.3", "{\"version\":1,\n//x\n\"hooks\":{}}", "syntax", "2:1",
	  NULL, "comments are not allowed under profile cursor-2.3" },
	{ "cursor", "{\"version\":1,\n\"hooks\":{},\n}", "syntax", "2:11", NULL,
	  NULL },
	{ "cursor", "{\"version\":1,\"hooks\":{},\n \"version\":2}",
	  "repeated-key", "2:2",
	  "The key version occurs more than once; the last one counts", NULL },
#define ONE(rest)                                                              \
	"{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"x\",\n " rest "}]" \
	"}}"
	{ "cursor", ONE("\"type\":\"shell\""), "type", "2:9",
	  "Hook script type must be \"command\", \"prompt\" or \"webhook\"",
	  "stop[0]: " },
	{ "cursor", ONE("\"timeout\":\"30s\""), "timeout", "2:12",
	  "Hook script timeout must be a positive number of seconds",
	  "stop[0]: " },
	{ "cursor", ONE("\"timeout\":60000"), "timeout-long", "2:12",
	  "Hook script timeout is longer than an hour; 3600 seconds are used",
	  "not in milliseconds" },
	{ "cursor", ONE("\"timeout\":1500"), "timeout-unit", "2:12",
	  "Hook script timeout is in seconds, not in milliseconds",
	  "1500 seconds" },
	{ "cursor", ONE("\"loop_limit\":0"), "loop-limit", "2:15",
	  "Hook script loop_limit must be a positive integer or null",
	  "stop[0]: " },
	{ "cursor", ONE("\"failClosed\":\"true\""), "fail-closed", "2:15",
	  "Hook script failClosed must be a boolean", "without quotes" },
	{ "cursor", ONE("\"sandbox\":\"off\""), "sandbox", "2:12",
	  "Hook script sandbox must be one of none, workspace, readonly, "
	  "strict, or one of them and +network",
	  "stop[0]: leave sandbox out" },
	{ "cursor", ONE("\"matcher\":null"), "matcher", "2:12",
	  "Hook script matcher must be a string", "stop[0]: " },
	{ "cursor", ONE("\"matcher\":\"(\""), "matcher-syntax", "2:12", NULL,
	  "JavaScript has no" },
	{ "cursor", ONE("\"matcher\":\"done\""), "matcher-never", "2:12",
	  "Hook script matcher can never match: no known subject of stop holds "
	  "any of its alternatives",
	  "known are Stop" },
	{ "cursor", ONE("\"matcher\":\"stop\""), "matcher-never", "2:12", NULL,
	  "did you mean 'Stop'?  known are Stop" },
	{ "cursor", ONE("\"model\":null"), "model", "2:10",
	  "Hook script model must be a string", "stop[0]: " },
	{ "cursor", ONE("\"type\":\"prompt\""), "prompt", "1:31",
	  "Hook script prompt must be a string", "stop[0]: " },
	{ "cursor", ONE("\"failclosed\":true"), "misspelt-key", "2:2",
	  "failclosed is not a key that means anything here",
	  "did you mean failClosed?" },
	{ "cursor", ONE("\"pattern\":\"x\""), "misspelt-key", "2:2",
	  "pattern is not a key that means anything here",
	  "did you mean matcher?" },
	{ "cursor-2.3", ONE("\"matcher\":\"x\""), "no-effect", "2:2",
	  "matcher has no effect under profile cursor-2.3", "stop[0]: " },
	{ "cursor", "{\"version\":1,\"hooks\":{},\"stop_hook_loop_limit\":1}",
	  "deprecated", "1:25",
	  "stop_hook_loop_limit is deprecated and has no effect",
	  "loop_limit" },
	{ "cursor", "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"\"}]}}",
	  "command-empty", "1:42",
	  "Hook script command is empty: there is nothing to run",
	  "stop[0]: " },
	{ "cursor",
	  "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"\\u0000\"}]}}",
	  "command-nul", "1:42", "Hook script command contains a NUL character",
	  "stop[0]: " },
};

static const struct bl_diag *find_diag(const struct bl_diags *diags,
				       const char *code)
{
	const struct bl_diag *diag = diags->first;

	while (diag && strcmp(diag->code + 6, code) != 0)
		diag = diag->next;
	return diag;
}

static void check_message(const struct message *message)
{
	struct bl_arena arena;
	struct bl_diags diags;
	const struct bl_diag *diag;
	char where[32] = "";

	bl_arena_init(&arena, NULL, 0, 0);
	CHECK_STATUS(validate_as(message->profile, BL_SOURCE_USER,
				 bl_str(message->text), &arena, &diags),
		     BL_OK);
	diag = find_diag(&diags, message->code);
	if (!diag) {
		tap_failures++;
		TAP_NOTE("no %s in %s", message->code, message->text);
		bl_arena_clear(&arena);
		return;
	}
	snprintf(where, sizeof(where), "%u:%u", (unsigned)diag->place.line,
		 (unsigned)diag->place.column);
	if (strcmp(where, message->place) != 0) {
		tap_failures++;
		TAP_NOTE("%s: at %s, not at %s", message->text, where,
			 message->place);
	}
	CHECK_STR(diag->file, "hooks.json");
	CHECK(diag->message.len > 0);
	if (message->message)
		CHECK_STR(diag->message, message->message);
	if (!message->hint)
		CHECK_INT(diag->hint.len, 0);
	else if (bl_str_find(diag->hint, bl_str(message->hint), 0) ==
		 SIZE_MAX) {
		tap_failures++;
		TAP_NOTE("hint of %s is %.*s", message->text,
			 BL_STR_ARG(diag->hint));
	}
	bl_arena_clear(&arena);
}

static void messages_and_places(void)
{
	for (size_t i = 0; i < BL_COUNT(messages); i++)
		check_message(&messages[i]);
}

/* Today's list of valid types is today's. */
static void valid_types_of_today(void)
{
	struct bl_arena arena;
	struct bl_diags diags;

	bl_arena_init(&arena, NULL, 0, 0);
	validate_as("cursor", BL_SOURCE_USER,
		    BL_STR("{\"version\":1,\"hooks\":{\"x\":[]}}"), &arena,
		    &diags);
	REQUIRE(diags.first);
	CHECK(bl_str_has_prefix(diags.first->message,
				BL_STR("Unknown hook type: x. Valid types "
				       "are: ")));
	CHECK(bl_str_find(diags.first->message, BL_STR("workspaceOpen"), 0) !=
	      SIZE_MAX);
	CHECK(bl_str_find(diags.first->message, BL_STR("preToolUse, "), 0) !=
	      SIZE_MAX);
	bl_arena_clear(&arena);
}

int main(void)
{
	RUN(messages_and_places);
	RUN(valid_types_of_today);
	return tap_end();
}
