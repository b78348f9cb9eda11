/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several hooks, time, and what they do with their input
 * (docs/contracts/cursor.md "Edge behaviour").
 */
#include "tap.h"

#include <errno.h>
#include <signal.h>

#include "running.h"

static int64_t started_ms;

static void start_clock(void)
{
	started_ms = bl_os_monotonic_ns() / 1000000;
}

static int64_t passed_ms(void)
{
	return bl_os_monotonic_ns() / 1000000 - started_ms;
}

/* ---- several ------------------------------------------------------------ */

/* Neither ends before the other has begun. */
static void test_at_once(void)
{
	new_event("cursor", "beforeShellExecution");
	add_hook("touch a; until [ -e b ]; do sleep 0.01; done; echo '{}'",
		 false);
	add_hook("touch b; until [ -e a ]; do sleep 0.01; done; echo '{}'",
		 false);
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_ANSWERED);
	CHECK_INT(runs[1].outcome.kind, BL_OUTCOME_ANSWERED);
	CHECK(runs[0].ran && runs[0].started_wall_ms > 0);
}

static void test_in_turn(void)
{
	new_event("cursor-2.3", "beforeShellExecution");
	add_hook("echo text; touch first", false);
	add_hook("[ -e first ] && exit 1", false);
	add_hook("echo '{\"permission\":\"allow\"}'", false);
	add_hook("touch fourth; echo '{\"permission\":\"deny\"}'", false);
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_NOT_JSON);
	CHECK_INT(runs[1].outcome.kind, BL_OUTCOME_EXIT_CODE);
	CHECK_INT(runs[2].outcome.kind, BL_OUTCOME_ANSWERED);
	CHECK_INT(runs[3].outcome.kind, BL_OUTCOME_SKIPPED);
	CHECK(runs[2].ran && !runs[3].ran);
	CHECK(access("fourth", F_OK) != 0);
}

/* A hook that cannot be started does not keep the others from running. */
static void test_mixed(void)
{
	new_event("cursor", "beforeShellExecution");
	add_hook("echo '{}'", false);
	add_hook("x", false)->command = BL_STR("a\0b");
	add_hook("exit 9", false);
	add_hook("", true)->type = BL_HOOK_PROMPT;
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_ANSWERED);
	CHECK_INT(runs[1].outcome.kind, BL_OUTCOME_CANNOT_START);
	CHECK_INT(runs[2].outcome.kind, BL_OUTCOME_EXIT_CODE);
	CHECK_INT(runs[2].child.code, 9);
	CHECK_INT(runs[3].outcome.kind, BL_OUTCOME_NOT_SUPPORTED);
	CHECK(runs[3].outcome.fail_closed);
}

/* ---- stopping ----------------------------------------------------------- */

/* Both profiles refuse, and what had not begun does not begin. */
static void test_stopped(void)
{
	struct bl_flag flag;
	struct bl_stop stop = { NULL, 0 };

	new_event("cursor-2.3", "beforeShellExecution");
	context.stop = &stop;
	add_hook("exec sleep 20", false);
	add_hook("touch second", false);
	start_clock();
	stop.deadline_ns = bl_os_monotonic_ns() + 201000000;
	CHECK_STATUS(run_all(), BL_OK);
	CHECK(passed_ms() >= 200 && passed_ms() < 3000);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(runs[i].outcome.kind, BL_OUTCOME_DEADLINE);
		CHECK_INT(verdict_of(&runs[i]), BL_VERDICT_DENY);
		CHECK(has(runs[i].outcome.reason, "Blocked for safety: hook "));
		CHECK(has(runs[i].outcome.reason,
			  "was stopped: the time for the decision was up"));
	}
	CHECK(runs[0].ran && !runs[1].ran);
	CHECK(access("second", F_OK) != 0);

	REQUIRE(!bl_flag_init(&flag, NULL));
	bl_flag_raise(&flag);
	new_event("cursor", "beforeShellExecution");
	stop = (struct bl_stop){ &flag, 0 };
	context.stop = &stop;
	add_hook("touch third", false);
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_CANCELLED);
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_DENY);
	CHECK(has(runs[0].outcome.reason, "the action was cancelled"));
	CHECK(access("third", F_OK) != 0);
	bl_flag_clear(&flag);
}

/* ---- time --------------------------------------------------------------- */

static void run_for(uint32_t timeout_ms, const char *command)
{
	hook_count = 0;
	add_hook(command, true)->timeout_ms = timeout_ms;
	start_clock();
	CHECK_STATUS(run_all(), BL_OK);
}

static void test_timeout(void)
{
	new_event("cursor", "beforeShellExecution");
	run_for(200, "echo '{\"permission\":\"allow\"}'; exec sleep 20");
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_TIMEOUT);
	CHECK(has(runs[0].outcome.reason, "Hook is configured to fail closed"));
	CHECK(has(runs[0].outcome.reason, "execution failed: "));
	CHECK(has(runs[0].outcome.reason, "timed out after 200 ms"));
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_DENY);
	CHECK(passed_ms() >= 200 && passed_ms() < 3000);
}

static void test_timeout_of_one_that_ignores_term(void)
{
	new_event("cursor", "beforeShellExecution");
	run_for(200, "trap '' TERM; while :; do sleep 1; done");
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_TIMEOUT);
	CHECK(passed_ms() < 4000);
}

static pid_t read_pid(const char *name)
{
	FILE *file = fopen(at(name).ptr, "r");
	int pid = 0;

	if (!file || fscanf(file, "%d", &pid) != 1)
		pid = 0;
	if (file)
		fclose(file);
	return pid;
}

/* Gone, or dead and waiting for its parent. */
static bool is_gone(pid_t pid)
{
	for (int i = 0; i < 200; i++) {
		if (kill(pid, 0) && errno == ESRCH)
			return true;
		usleep(10000);
	}
	return false;
}

static void test_timeout_of_a_grandchild_in_a_new_session(void)
{
	pid_t pid;

	new_event("cursor", "beforeShellExecution");
	run_for(400, "setsid sh -c 'echo $$ >pid; exec sleep 30' & wait");
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_TIMEOUT);
	CHECK(passed_ms() < 4000);
	pid = read_pid("pid");
	REQUIRE(pid > 0);
	CHECK(is_gone(pid));
}

static void test_background_child_with_our_output(void)
{
	new_event("cursor", "beforeShellExecution");
	run_for(20000, "echo $$ >pid; sleep 3 & echo '{}'");
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_ANSWERED);
	CHECK(passed_ms() < 2000);
}

/* ---- input and output --------------------------------------------------- */

static void test_endless_output(void)
{
	new_event("cursor", "beforeShellExecution");
	run_for(60000, "head -c 1073741824 /dev/zero");
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_TOO_MUCH_OUTPUT);
	CHECK(has(runs[0].outcome.reason, "printed too much"));
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_DENY);
}

/*
 * The sizes at which older transports failed (docs/contracts/cursor.md
 * "Payload"), and large ones.
 */
static const size_t sizes[] = {
	0, 1, 98277, 98278, 131028, 131029, 1 << 20, 100 << 20,
};

static void test_payload_sizes(void)
{
	char *payload = malloc(100 << 20);
	char expected[32];

	REQUIRE(payload);
	memset(payload, 'x', 100 << 20);
	new_event("cursor", "beforeShellExecution");
	for (size_t i = 0; i < BL_COUNT(sizes); i++) {
		context.payload = (struct bl_str){ payload, sizes[i] };
		CHECK_INT(run_one("printf '{\"user_message\":\"%d\"}' "
				  "$(wc -c)"),
			  BL_OUTCOME_ANSWERED);
		snprintf(expected, sizeof(expected), "%zu", sizes[i]);
		CHECK_STR(runs[0].outcome.answer.user_message, expected);
		CHECK_INT(runs[0].child.input_taken_bytes, sizes[i]);
	}
	free(payload);
}

static void test_input_that_is_not_read(void)
{
	static const char *const commands[] = {
		"echo '{}'",
		"exec <&-; sleep 0.05; echo '{}'",
		"head -c 10 >/dev/null; echo '{}'",
		"dd bs=1000 count=50 of=/dev/null 2>/dev/null; echo '{}'",
	};
	char *payload = malloc(10 << 20);

	REQUIRE(payload);
	memset(payload, 'x', 10 << 20);
	new_event("cursor", "beforeShellExecution");
	context.payload = (struct bl_str){ payload, 10 << 20 };
	for (size_t i = 0; i < BL_COUNT(commands); i++) {
		CHECK_INT(run_one(commands[i]), BL_OUTCOME_ANSWERED);
		CHECK(runs[0].child.input_taken_bytes < 10 << 20);
	}
	free(payload);
}

/* A payload is the very bytes, and standard error is not an answer. */
static void test_payload_is_unchanged(void)
{
	new_event("cursor", "beforeShellExecution");
	context.payload = BL_STR("{ \"user_message\" : \"\\u00e9 $x `y`\" }\n");
	CHECK_INT(run_one("tee got; echo '{\"permission\":\"deny\"}' >&2"),
		  BL_OUTCOME_ANSWERED);
	CHECK_STR(runs[0].child.output,
		  "{ \"user_message\" : \"\\u00e9 $x `y`\" }\n");
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_NONE);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_at_once);
	RUN(test_in_turn);
	RUN(test_mixed);
	RUN(test_stopped);
	RUN(test_timeout);
	RUN(test_timeout_of_one_that_ignores_term);
	RUN(test_timeout_of_a_grandchild_in_a_new_session);
	RUN(test_background_child_with_our_output);
	RUN(test_endless_output);
	RUN(test_payload_sizes);
	RUN(test_input_that_is_not_read);
	RUN(test_payload_is_unchanged);
	place_close();
	return tap_end();
}
