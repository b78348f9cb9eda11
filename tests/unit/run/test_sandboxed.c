/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks that ask for a sandbox.  Needs Landlock or a mount namespace. */
#include "tap.h"

#include <stdlib.h>

#include "running.h"

static struct bl_str folder;

static enum bl_outcome_kind run_in(const char *sandbox, const char *command)
{
	struct bl_sandbox_request request = { 0 };
	struct bl_hook *hook;

	hook_count = 0;
	hook = add_hook(command, false);
	if (!bl_sandbox_parse(bl_str(sandbox), &request))
		return BL_OUTCOME_COUNT;
	hook->sandbox = request.profile;
	hook->sandbox_network = request.network;
	if (run_all() != BL_OK)
		return BL_OUTCOME_COUNT;
	return runs[0].outcome.kind;
}

/* The event, with the place as its workspace. */
static void new_place(void)
{
	new_event("cursor", "beforeShellExecution");
	folder = bl_str(place);
	context.workspaces = &folder;
	context.workspace_count = 1;
	setenv("SECRET_TOKEN", "secret", 1);
}

#define SAY(shell) "printf '{\"user_message\":\"%s\"}' \"" shell "\""

static void test_environment(void)
{
	new_place();
	CHECK_INT(run_in("workspace", SAY("$SECRET_TOKEN/$BELAY_SANDBOX")),
		  BL_OUTCOME_ANSWERED);
	CHECK_STR(runs[0].outcome.answer.user_message, "/workspace");
	CHECK_INT(run_in("workspace", SAY("$CURSOR_PROJECT_DIR")),
		  BL_OUTCOME_ANSWERED);
	CHECK_STR(runs[0].outcome.answer.user_message, place);
	CHECK_INT(run_in("none", SAY("$SECRET_TOKEN/$BELAY_SANDBOX")),
		  BL_OUTCOME_ANSWERED);
	CHECK_STR(runs[0].outcome.answer.user_message, "secret/");
}

static void test_payload_and_script(void)
{
	new_place();
	put("guard.sh", "#!/bin/sh\ncat\n");
	chmod(at("guard.sh").ptr, 0755);
	CHECK_INT(run_in("readonly", "./guard.sh"), BL_OUTCOME_ANSWERED);
	CHECK(has(runs[0].child.output, "{\"command\":\"ls\"}"));
	CHECK(has(runs[0].layers, "seccomp"));
}

/* The folder of a hook file outside of the workspace can be read, not written.
 */
static void test_folder_of_the_file(void)
{
	static struct bl_str elsewhere;

	new_place();
	mkdir(at("ws").ptr, 0755);
	put("guard.sh", "#!/bin/sh\necho x >new 2>/dev/null && exit 1\n"
			"echo '{}'\n");
	chmod(at("guard.sh").ptr, 0755);
	elsewhere = at("ws");
	context.workspaces = &elsewhere;
	CHECK_INT(run_in("workspace", "./guard.sh"), BL_OUTCOME_ANSWERED);
	CHECK_INT(run_in("workspace", "echo x >\"$CURSOR_PROJECT_DIR/new\" && "
				      "echo '{}'"),
		  BL_OUTCOME_ANSWERED);
	CHECK_INT(run_in("readonly", "echo x >\"$CURSOR_PROJECT_DIR/other\" "
				     "2>/dev/null || echo '{}'"),
		  BL_OUTCOME_ANSWERED);
}

static void test_refused(void)
{
	const struct bl_str gone = BL_STR("/nonexistent/workspace");

	new_place();
	context.workspaces = &gone;
	CHECK_INT(run_in("workspace", "echo '{}'"), BL_OUTCOME_CANNOT_START);
	CHECK(!runs[0].ran);
	CHECK(has(runs[0].outcome.reason,
		  "could not be started: the workspace of the sandbox"));
	context.workspace_count = 0;
	CHECK_INT(run_in("workspace", "echo '{}'"), BL_OUTCOME_CANNOT_START);
	CHECK(has(runs[0].outcome.reason, "needs a workspace"));
}

static void test_too_much_output(void)
{
	new_place();
	CHECK_INT(run_in("workspace", "yes >&2"), BL_OUTCOME_TOO_MUCH_OUTPUT);
	CHECK(runs[0].child.errors.len <= BL_SANDBOX_OUTPUT_BYTES);
}

/* A missing feature is reported with its reason. */
static void test_missing(void)
{
	struct bl_sandbox_machine machine;
	bl_layers works;

	new_place();
	CHECK_STATUS(bl_sandbox_probe(&machine, &works, &arena, &error), BL_OK);
	CHECK_INT(run_in("workspace", "echo '{}'"), BL_OUTCOME_ANSWERED);
	CHECK_INT(runs[0].missing_layers.len > 0,
		  (works | BL_LAYERS_EXTRA) !=
			  ((bl_layers)1 << BL_LAYER_COUNT) - 1);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_environment);
	RUN(test_payload_and_script);
	RUN(test_folder_of_the_file);
	RUN(test_refused);
	RUN(test_too_much_output);
	RUN(test_missing);
	place_close();
	return tap_end();
}
