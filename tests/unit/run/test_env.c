/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variables of docs/contracts/cursor.md "Environment", as a hook sees them.
 */
#include "tap.h"

#include "running.h"

static const char *const shown[] = {
	"CURSOR_PROJECT_DIR",     "CURSOR_VERSION",     "CURSOR_USER_EMAIL",
	"CURSOR_TRANSCRIPT_PATH", "CLAUDE_PROJECT_DIR", "CURSOR_PLUGIN_ROOT",
	"CLAUDE_PLUGIN_ROOT",     "BELAY_TEST",
};

/* The hook's variables, "-" for those that are not set. */
static void check_env(const char *payload, const char *expected)
{
	struct bl_buf command;

	bl_buf_init(&command, 0);
	bl_buf_puts(&command, "printf '{\"user_message\":\"%s\"}' \"");
	for (size_t i = 0; i < BL_COUNT(shown); i++)
		bl_buf_printf(&command, "${%s--} ", shown[i]);
	bl_buf_puts(&command, "\"");
	CHECK_STATUS(bl_json_read(&arena, bl_str(payload), NULL,
				  &context.payload_value, NULL, NULL, &error),
		     BL_OK);
	CHECK_INT(run_one(command.ptr), BL_OUTCOME_ANSWERED);
	CHECK_STR(runs[0].outcome.answer.user_message, expected);
	bl_buf_clear(&command);
}

#define FULL                                                                   \
	"{\"workspace_roots\":[\"/w/one\",\"/w/two\"],"                        \
	"\"cursor_version\":\"3.1\",\"user_email\":\"a@b.c\","                 \
	"\"transcript_path\":\"/t/x.jsonl\"}"

static void test_all(void)
{
	new_event("cursor", "beforeShellExecution");
	check_env(FULL, "/w/one 3.1 a@b.c /t/x.jsonl /w/one - - mine ");
}

static void test_none(void)
{
	new_event("cursor", "beforeShellExecution");
	check_env("{\"user_email\":null,\"transcript_path\":null,"
		  "\"cursor_version\":\"\"}",
		  "- - - - - - - mine ");
}

/* Variables inherited from another agent are not passed on. */
static void test_inherited(void)
{
	setenv("CURSOR_PLUGIN_ROOT", "/somebody/elses", 1);
	setenv("CURSOR_USER_EMAIL", "x@y.z", 1);
	new_event("cursor", "beforeShellExecution");
	check_env("{}", "- - - - - - - mine ");
	new_event("cursor-2.3", "beforeShellExecution");
	check_env(FULL, "- - x@y.z - - /somebody/elses - mine ");
	unsetenv("CURSOR_PLUGIN_ROOT");
	unsetenv("CURSOR_USER_EMAIL");
}

static void test_workspaces(void)
{
	const struct bl_str workspaces[] = { BL_STR("/w/three") };

	new_event("cursor", "beforeShellExecution");
	context.workspaces = workspaces;
	context.workspace_count = 1;
	check_env(FULL, "/w/three 3.1 a@b.c /t/x.jsonl /w/three - - mine ");
	hook_file.source = BL_SOURCE_PROJECT;
	hook_file.workspace = BL_STR("/w/four");
	check_env(FULL, "/w/four 3.1 a@b.c /t/x.jsonl /w/four - - mine ");
}

static void test_plugin(void)
{
	new_event("cursor", "beforeShellExecution");
	hook_file.source = BL_SOURCE_PLUGIN;
	hook_file.plugin = BL_STR("/p/q r");
	check_env("{}", "- - - - - /p/q r /p/q r mine ");
}

static enum bl_outcome_kind run_with_transcript(size_t len)
{
	char *path = malloc(len);
	struct bl_object_builder builder;
	enum bl_outcome_kind kind;

	if (!path)
		abort();
	memset(path, 'p', len);
	bl_object_builder_init(&builder, &arena);
	bl_object_builder_add(&builder, BL_STR("transcript_path"),
			      bl_value_string((struct bl_str){ path, len }));
	context.payload_value = bl_object_builder_end(&builder);
	kind = run_one("echo '{}'");
	free(path);
	return kind;
}

/* MAX_ARG_STRLEN is 131,072 bytes for "NAME=value" and its NUL. */
static void test_value_of_128_kib(void)
{
	size_t name_len = strlen("CURSOR_TRANSCRIPT_PATH=");

	new_event("cursor", "beforeShellExecution");
	CHECK_INT(run_with_transcript(131071 - name_len), BL_OUTCOME_ANSWERED);
	CHECK_INT(run_with_transcript(131072 - name_len),
		  BL_OUTCOME_CANNOT_START);
	CHECK(has(runs[0].outcome.reason, "CURSOR_TRANSCRIPT_PATH"));
	CHECK(has(runs[0].outcome.reason, "128 KiB"));
	CHECK_INT(run_with_transcript(131072), BL_OUTCOME_CANNOT_START);
}

static void test_nul(void)
{
	new_event("cursor", "beforeShellExecution");
	bl_json_read(&arena, BL_STR("{\"user_email\":\"a\\u0000b\"}"), NULL,
		     &context.payload_value, NULL, NULL, NULL);
	CHECK_INT(run_one("echo '{}'"), BL_OUTCOME_CANNOT_START);
	CHECK(has(runs[0].outcome.reason,
		  "CURSOR_USER_EMAIL would hold a NUL"));
}

int main(void)
{
	REQUIRE_PLACE();
	for (size_t i = 0; i < BL_COUNT(shown); i++)
		unsetenv(shown[i]);
	setenv("BELAY_TEST", "mine", 1);
	RUN(test_all);
	RUN(test_none);
	RUN(test_inherited);
	RUN(test_workspaces);
	RUN(test_plugin);
	RUN(test_value_of_128_kib);
	RUN(test_nul);
	place_close();
	return tap_end();
}
