/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands and folders that can or cannot be started (docs/contracts/cursor.md
 * "Edge behaviour").
 */
#include "tap.h"

#include "running.h"

static void make_script(const char *name, const char *text, mode_t mode)
{
	put(name, text);
	chmod(at(name).ptr, mode);
}

static void test_runs_in_the_folder(void)
{
	new_event("cursor", "beforeShellExecution");
	CHECK_INT(run_one("printf '{\"user_message\":\"%s\"}' \"$PWD\""),
		  BL_OUTCOME_ANSWERED);
	CHECK_STR(runs[0].outcome.answer.user_message, place);
}

static void test_missing_folder(void)
{
	new_event("cursor", "beforeShellExecution");
	hook_file.dir = BL_STR("/nonexistent/folder");
	CHECK_INT(run_one("echo '{}'"), BL_OUTCOME_CANNOT_START);
	CHECK(!runs[0].ran);
	CHECK(has(runs[0].outcome.reason,
		  "its working folder /nonexistent/folder: No such file"));
}

static void test_not_executable(void)
{
	new_event("cursor", "beforeShellExecution");
	make_script("guard.sh", "#!/bin/sh\necho '{}'\n", 0644);
	CHECK_INT(run_one("./guard.sh"), BL_OUTCOME_CANNOT_START);
	CHECK(has(runs[0].outcome.reason, "exit code 126, not executable"));
	CHECK(has(runs[0].outcome.reason, "guard.sh: "));
	CHECK(runs[0].child.errors.len > 0);
}

static void test_crlf(void)
{
	new_event("cursor", "beforeShellExecution");
	make_script("guard.sh", "#!/bin/sh\r\necho '{}'\r\n", 0755);
	CHECK_INT(run_one("./guard.sh"), BL_OUTCOME_NO_INTERPRETER);
	CHECK(has(runs[0].outcome.reason, "exit code 127"));
	CHECK(has(runs[0].outcome.reason, "ends with a carriage return"));
	make_script("guard.sh", "#!/no/such/program\necho '{}'\n", 0755);
	CHECK_INT(run_one("./guard.sh"), BL_OUTCOME_NO_INTERPRETER);
	CHECK(has(runs[0].outcome.reason, "is missing: /no/such/program"));
}

static void test_removed(void)
{
	struct bl_str script;

	new_event("cursor", "beforeShellExecution");
	make_script("guard.sh", "#!/bin/sh\necho '{}'\n", 0755);
	script = at("guard.sh");
	CHECK_INT(run_one("./guard.sh"), BL_OUTCOME_ANSWERED);
	unlink(script.ptr);
	CHECK_INT(run_one("./guard.sh"), BL_OUTCOME_CANNOT_START);
	hook_count = 0;
	add_hook("./guard.sh", true);
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_DENY);
}

static void test_empty_path(void)
{
	struct bl_str path = bl_arena_copy_str(&arena, bl_os_getenv("PATH"));

	new_event("cursor", "beforeShellExecution");
	setenv("PATH", "", 1);
	CHECK_INT(run_one("echo '{}'"), BL_OUTCOME_ANSWERED);
	CHECK_INT(run_one("sed -n p"), BL_OUTCOME_CANNOT_START);
	setenv("PATH", path.ptr, 1);
}

/* len bytes: a command that answers, and a comment. */
static char *long_command(size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		abort();
	memset(text, 'x', len);
	memcpy(text, "echo '{}' #", 11);
	text[len] = '\0';
	return text;
}

static void test_long_command(void)
{
	char *fits = long_command(131071);
	char *too_long = long_command(131072);

	new_event("cursor", "beforeShellExecution");
	CHECK_INT(run_one(fits), BL_OUTCOME_ANSWERED);
	CHECK_INT(run_one(too_long), BL_OUTCOME_CANNOT_START);
	CHECK(has(runs[0].outcome.reason, "128 KiB"));
	CHECK(!runs[0].ran);
	free(fits);
	free(too_long);
}

static void test_nul(void)
{
	new_event("cursor", "beforeShellExecution");
	add_hook("echo '{}'", false)->command = BL_STR("echo '{}'\0; rm x");
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_CANNOT_START);
	CHECK(has(runs[0].outcome.reason, "NUL"));
}

static void test_output_cap(void)
{
	new_event("cursor", "beforeShellExecution");
	context.max_output_bytes = 1000;
	context.max_error_bytes = 10;
	CHECK_INT(run_one("head -c 1000 /dev/zero | tr '\\0' ' '"),
		  BL_OUTCOME_NO_OUTPUT);
	CHECK_INT(run_one("head -c 1001 /dev/zero | tr '\\0' ' '"),
		  BL_OUTCOME_TOO_MUCH_OUTPUT);
	CHECK_INT(run_one("echo 1234567890abc >&2; echo '{}'"),
		  BL_OUTCOME_ANSWERED);
	CHECK_STR(runs[0].child.errors, "1234567890");
	CHECK(runs[0].child.errors_cut);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_runs_in_the_folder);
	RUN(test_missing_folder);
	RUN(test_not_executable);
	RUN(test_crlf);
	RUN(test_removed);
	RUN(test_empty_path);
	RUN(test_long_command);
	RUN(test_nul);
	RUN(test_output_cap);
	place_close();
	return tap_end();
}
