/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Refusals: docs/contracts/cursor-2.3.41.md "Refusals",
 * docs/contracts/cursor.md "Refusal texts".
 */
#include "agents_test.h"

#define WORKAROUND_2_3                                                         \
	". Do not attempt to work around this restriction using alternative "  \
	"methods or commands."
#define SETTINGS                                                               \
	"\n\nThe hooks in force are listed on the Hooks page of the "          \
	"settings. "                                                           \
	"Do not suggest or try another way to reach the same result."
#define NOTE "\n\nDo not suggest or try another way to reach the same result."

static struct bl_enforcement enforce(int dialect, const char *event,
				     const struct bl_decision *decision,
				     const char *payload)
{
	struct bl_enforcement enforcement;
	struct bl_error err;

	memset(&enforcement, 0xa5, sizeof(enforcement));
	CHECK_STATUS(bl_hook_event_enforce(find_event(dialect, event), decision,
					   json(payload), &arena, &enforcement,
					   &err),
		     BL_OK);
	return enforcement;
}

static const struct {
	int dialect;
	const char *event;
	const char *user; /* the hooks' messages */
	const char *agent;
	const char *code;
	const char *user_text;
	const char *model_text;
	const char *error_text;
} refusal_rows[] = {
	{ OLD, "beforeShellExecution", NULL, NULL, "REJECTED_BY_HOOK",
	  "Command execution was blocked by a hook",
	  "The terminal command was rejected by a hook that prevents execution "
	  "of this command" WORKAROUND_2_3,
	  "Command execution was blocked by a hook" },
	{ OLD, "beforeShellExecution", "no rm", "use trash", "REJECTED_BY_HOOK",
	  "Command execution was blocked by a hook: no rm",
	  "The terminal command was rejected by a hook that prevents execution "
	  "of this command: use trash" WORKAROUND_2_3,
	  "Command execution was blocked by a hook" },
	{ OLD, "beforeShellExecution", "no rm", "", "REJECTED_BY_HOOK",
	  "Command execution was blocked by a hook: no rm",
	  "The terminal command was rejected by a hook that prevents execution "
	  "of this command" WORKAROUND_2_3,
	  "Command execution was blocked by a hook" },
	{ OLD, "beforeMCPExecution", "u", "a", "REJECTED_BY_HOOK",
	  "MCP tool execution was blocked by a hook: u",
	  "The MCP tool call was rejected by a hook that prevents execution of "
	  "this tool: a" WORKAROUND_2_3,
	  "MCP tool execution was blocked by a hook" },
	{ OLD, "beforeReadFile", NULL, NULL, "REJECTED_BY_HOOK",
	  "File reading was blocked by a security hook",
	  "The file read operation was rejected by a security hook that "
	  "prevents reading of this file" WORKAROUND_2_3,
	  "File reading was blocked by a security hook: "
	  "/w/a.txt" WORKAROUND_2_3 },
	{ OLD, "beforeTabFileRead", NULL, NULL, "REJECTED_BY_HOOK",
	  "File reading was blocked by a security hook",
	  "The file read operation was rejected by a security hook that "
	  "prevents reading of this file" WORKAROUND_2_3,
	  "File reading was blocked by a security hook: "
	  "/w/a.txt" WORKAROUND_2_3 },
	{ OLD, "beforeSubmitPrompt", NULL, NULL, "ERROR_HOOKS_BLOCKED",
	  "Submission blocked by hook", "", "Submission blocked by hook" },
	{ OLD, "beforeSubmitPrompt", "secret", NULL, "ERROR_HOOKS_BLOCKED",
	  "Submission blocked by hook: secret", "",
	  "Submission blocked by hook" },

	{ NEW, "beforeShellExecution", "no rm", NULL, "REJECTED_BY_HOOK",
	  "Command execution was blocked by a hook: no rm" SETTINGS,
	  "Command execution was blocked by a hook: no rm" SETTINGS,
	  "Command execution was blocked by a hook" },
	{ NEW, "beforeShellExecution", "no rm", "use trash", "REJECTED_BY_HOOK",
	  "Command execution was blocked by a hook: no rm" SETTINGS,
	  "Command execution was blocked by a hook: use trash" SETTINGS,
	  "Command execution was blocked by a hook" },
	{ NEW, "beforeShellExecution", NULL, NULL, "REJECTED_BY_HOOK",
	  "Command execution was blocked by a hook" SETTINGS,
	  "Command execution was blocked by a hook" SETTINGS,
	  "Command execution was blocked by a hook" },
	{ NEW, "beforeMCPExecution", "u", NULL, "REJECTED_BY_HOOK",
	  "MCP tool execution was blocked by a hook: u" SETTINGS,
	  "MCP tool execution was blocked by a hook: u" SETTINGS,
	  "MCP tool execution was blocked by a hook" },
	{ NEW, "beforeReadFile", "u", NULL, "REJECTED_BY_HOOK",
	  "File read was blocked by a hook: u" SETTINGS,
	  "File read was blocked by a hook: u" SETTINGS,
	  "File read was blocked by a hook" },
	{ NEW, "beforeTabFileRead", "u", NULL, "REJECTED_BY_HOOK",
	  "File read was blocked by a hook: u" SETTINGS,
	  "File read was blocked by a hook: u" SETTINGS,
	  "File read was blocked by a hook" },
	{ NEW, "preToolUse", "u1\n\n---\n\nu2", NULL, "REJECTED_BY_HOOK",
	  "u1\n\n---\n\nu2", "u1\n\n---\n\nu2" NOTE,
	  "Tool use was blocked by a hook" },
	{ NEW, "preToolUse", "u", "a", "REJECTED_BY_HOOK", "u", "a" NOTE,
	  "Tool use was blocked by a hook" },
	{ NEW, "preToolUse", NULL, NULL, "REJECTED_BY_HOOK",
	  "Tool use was blocked by a hook",
	  "Tool use was blocked by a hook" NOTE,
	  "Tool use was blocked by a hook" },
	{ NEW, "subagentStart", "u", NULL, "REJECTED_BY_HOOK",
	  "Subagent start was blocked by a hook: u" SETTINGS,
	  "Subagent start was blocked by a hook: u" SETTINGS,
	  "Subagent start was blocked by a hook" },
	{ NEW, "beforeSubmitPrompt", "u", NULL, "ERROR_HOOKS_BLOCKED",
	  "Submission blocked by hook: u", "", "Submission blocked by hook" },
};

static void refusals_are_worded(void)
{
	for (size_t i = 0; i < BL_COUNT(refusal_rows); i++) {
		const struct bl_decision decision = {
			.verdict = BL_VERDICT_DENY,
			.user_message = bl_str(refusal_rows[i].user),
			.agent_message = bl_str(refusal_rows[i].agent),
		};
		struct bl_enforcement enforcement = enforce(
			refusal_rows[i].dialect, refusal_rows[i].event,
			&decision, "{\"\":\"x\",\"file_path\":\"/w/a.txt\"}");

		CHECK_INT(enforcement.verdict, BL_VERDICT_DENY);
		CHECK_STR(bl_str(enforcement.code), refusal_rows[i].code);
		CHECK_STR(enforcement.user_text, refusal_rows[i].user_text);
		CHECK_STR(enforcement.model_text, refusal_rows[i].model_text);
		CHECK_STR(enforcement.error_text, refusal_rows[i].error_text);
		CHECK(!enforcement.followup.ptr);
	}
}

static void read_refusal_without_a_path(void)
{
	const struct bl_decision decision = { .verdict = BL_VERDICT_DENY };

	CHECK_STR(enforce(OLD, "beforeReadFile", &decision, "{}").error_text,
		  "File reading was blocked by a security hook" WORKAROUND_2_3);
	CHECK_STR(enforce(OLD, "beforeReadFile", &decision, "{\"file_path\":7}")
			  .error_text,
		  "File reading was blocked by a security hook" WORKAROUND_2_3);
}

/* The effect of each verdict on every event. */
static void only_what_the_event_can_do_is_enforced(void)
{
	for (int dialect = 0; dialect < BL_DIALECT_COUNT; dialect++) {
		for (size_t s = 0; event_names[dialect][s]; s++) {
			const char *name = event_names[dialect][s];
			const struct bl_hook_event *event =
				find_event(dialect, name);

			for (int v = 0; v < BL_VERDICT_COUNT; v++) {
				const struct bl_decision decision = {
					.verdict = (enum bl_verdict)v,
				};
				enum bl_verdict want = decision.verdict;
				struct bl_enforcement enforcement =
					enforce(dialect, name, &decision, "{}");

				if (v == BL_VERDICT_DENY &&
				    event->class == BL_CLASS_OBSERVE)
					want = BL_VERDICT_NONE;
				if (v == BL_VERDICT_ASK && !event->can_ask)
					want = BL_VERDICT_NONE;
				CHECK_INT(enforcement.verdict, want);
				CHECK((enforcement.code != NULL) ==
				      (want == BL_VERDICT_DENY));
			}
		}
	}
}

static void asking_shows_the_message(void)
{
	const struct bl_decision decision = {
		.verdict = BL_VERDICT_ASK,
		.user_message = BL_STR("sure?"),
		.agent_message = BL_STR("a"),
	};
	struct bl_enforcement asks =
		enforce(NEW, "beforeShellExecution", &decision, "{}");
	struct bl_enforcement cannot =
		enforce(NEW, "preToolUse", &decision, "{}");

	CHECK_INT(asks.verdict, BL_VERDICT_ASK);
	CHECK_STR(asks.user_text, "sure?");
	CHECK_INT(asks.model_text.len, 0);
	CHECK_INT(asks.error_text.len, 0);
	CHECK_INT(cannot.verdict, BL_VERDICT_NONE);
	CHECK_INT(cannot.user_text.len, 0);
}

static void notices_show_their_message(void)
{
	const struct bl_decision decision = { .user_message = BL_STR("hi") };

	CHECK_STR(enforce(NEW, "preCompact", &decision, "{}").user_text, "hi");
	CHECK_INT(enforce(NEW, "beforeShellExecution", &decision, "{}")
			  .user_text.len,
		  0);
}

static void followups(void)
{
	static const struct {
		int dialect;
		const char *event;
		const char *payload;
		const char *message;
		const char *followup; /* NULL: none */
	} rows[] = {
		{ OLD, "stop", "{\"status\":\"completed\"}", "go", "go" },
		{ OLD, "stop", "{\"status\":\"aborted\"}", "go", "go" },
		{ OLD, "stop", "{}", NULL, NULL },
		{ OLD, "stop", "{}", "", NULL },
		{ NEW, "stop", "{\"status\":\"error\"}", "go", "go" },
		{ NEW, "subagentStop", "{\"status\":\"completed\"}", "go",
		  "go" },
		{ NEW, "subagentStop", "{\"status\":\"error\"}", "go", NULL },
		{ NEW, "subagentStop", "{\"status\":\"aborted\"}", "go", NULL },
		{ NEW, "subagentStop", "{}", "go", NULL },
		{ NEW, "subagentStop", "{\"status\":true}", "go", NULL },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		const struct bl_decision decision = {
			.followup_message = bl_str(rows[i].message),
		};
		struct bl_str followup = enforce(rows[i].dialect, rows[i].event,
						 &decision, rows[i].payload)
						 .followup;

		CHECK((followup.ptr != NULL) == (rows[i].followup != NULL));
		CHECK_STR(followup, rows[i].followup ? rows[i].followup : "");
	}
}

static void messages_keep_every_byte(void)
{
	const struct bl_decision decision = {
		.verdict = BL_VERDICT_DENY,
		.user_message = BL_STR("a\0b"),
	};
	struct bl_str text =
		enforce(NEW, "preToolUse", &decision, "{}").user_text;

	CHECK_INT(text.len, 3);
	CHECK(text.len == 3 && !memcmp(text.ptr, "a\0b", 3));
}

static void out_of_memory_is_reported(void)
{
	const struct bl_decision decision = {
		.verdict = BL_VERDICT_DENY,
		.user_message = BL_STR("u"),
	};
	size_t failures = 0;

	for (size_t limit = 1;; limit++) {
		struct bl_enforcement enforcement = { .code = "kept" };
		struct bl_error err = { 0 };
		enum bl_status status;
		struct bl_arena tiny;

		REQUIRE(limit < 100000);
		bl_arena_init(&tiny, NULL, 0, limit);
		status = bl_hook_event_enforce(
			find_event(OLD, "beforeReadFile"), &decision,
			json("{}"), &tiny, &enforcement, &err);
		bl_arena_clear(&tiny);
		if (status == BL_OK)
			break;
		failures++;
		CHECK_STATUS(status, BL_LIMIT);
		CHECK_STATUS(err.status, BL_LIMIT);
		CHECK_STR(bl_str(enforcement.code), "kept");
	}
	CHECK(failures > 10);
}

int main(void)
{
	bl_arena_init(&arena, NULL, 0, 0);
	RUN(refusals_are_worded);
	RUN(read_refusal_without_a_path);
	RUN(only_what_the_event_can_do_is_enforced);
	RUN(asking_shows_the_message);
	RUN(notices_show_their_message);
	RUN(followups);
	RUN(messages_keep_every_byte);
	RUN(out_of_memory_is_reported);
	bl_arena_clear(&arena);
	return tap_end();
}
