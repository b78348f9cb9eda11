/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that are handed to a function instead of being run. */
#include "tap.h"

#include <pthread.h>

#include "json/json.h"
#include "running.h"

static void run_nothing(void *ctx, struct bl_own_call *call)
{
	(void)ctx;
	(void)call;
}

static void run_failing(void *ctx, struct bl_own_call *call)
{
	(void)ctx;
	bl_own_fail(call, BL_STR("no container \xff is free"));
}

/* Says how to end in the command: "STATUS OUTPUT". */
static void run_as_told(void *ctx, struct bl_own_call *call)
{
	struct bl_str output = bl_str_slice(call->command, 2, SIZE_MAX);

	(void)ctx;
	bl_own_exit(call, call->command.ptr[0] - '0', output,
		    BL_STR("its errors"));
}

static void hand_to(void (*run)(void *, struct bl_own_call *))
{
	static struct bl_own_executor own;

	own.run = run;
	new_event("cursor", "beforeShellExecution");
	context.own = &own;
}

static void test_ends(void)
{
	hand_to(run_as_told);
	CHECK_INT(
		run_one("0 {\"permission\":\"deny\",\"user_message\":\"no\"}"),
		BL_OUTCOME_ANSWERED);
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_DENY);
	CHECK(runs[0].ran);
	CHECK_INT(run_one("0 "), BL_OUTCOME_NO_OUTPUT);
	CHECK_INT(run_one("0 hello"), BL_OUTCOME_NOT_JSON);
	CHECK_INT(run_one("3 {}"), BL_OUTCOME_EXIT_CODE);
	CHECK_INT(runs[0].child.code, 3);
	CHECK(has(runs[0].outcome.reason, "its errors"));
	CHECK_INT(run_one("2 "), BL_OUTCOME_EXIT_2);
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_DENY);
}

static void test_failures(void)
{
	hand_to(run_failing);
	CHECK_INT(run_one("x"), BL_OUTCOME_CANNOT_START);
	CHECK(has(runs[0].outcome.reason,
		  "could not be started: no container \xef\xbf\xbd is free"));
	CHECK(!runs[0].ran);
	hand_to(run_nothing);
	CHECK_INT(run_one("x"), BL_OUTCOME_CANNOT_START);
	CHECK(has(runs[0].outcome.reason, "it gave no result"));
}

static void test_too_much(void)
{
	hand_to(run_as_told);
	context.max_output_bytes = 4;
	CHECK_INT(run_one("0 12345"), BL_OUTCOME_TOO_MUCH_OUTPUT);
	CHECK_INT(run_one("0  {} "), BL_OUTCOME_ANSWERED);
}

static void run_until_over(void *ctx, struct bl_own_call *call)
{
	(void)ctx;
	while (!bl_own_is_over(call))
		usleep(1000);
	bl_own_exit(call, 0, BL_STR("{\"permission\":\"allow\"}"), BL_STR(""));
}

/* An answer that comes too late does not count. */
static void test_late(void)
{
	struct bl_stop stop = { 0 };

	hand_to(run_until_over);
	add_hook("x", true)->timeout_ms = 30;
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_TIMEOUT);
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_DENY);
	stop.deadline_ns = bl_os_monotonic_ns() + 30000000;
	context.stop = &stop;
	CHECK_INT(run_one("x"), BL_OUTCOME_DEADLINE);
	CHECK_INT(run_one("x"), BL_OUTCOME_DEADLINE);
	CHECK(!runs[0].ran);
}

/* ---- with others ---------------------------------------------------------- */

static pthread_barrier_t barrier;

static void run_together(void *ctx, struct bl_own_call *call)
{
	(void)ctx;
	pthread_barrier_wait(&barrier);
	bl_own_exit(call, 0, BL_STR("{}"), BL_STR(""));
}

/* Neither comes back before the other was called. */
static void test_at_once(void)
{
	pthread_barrier_init(&barrier, NULL, 2);
	hand_to(run_together);
	add_hook("a", false);
	add_hook("b", false);
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(runs[0].outcome.kind, BL_OUTCOME_ANSWERED);
	CHECK_INT(runs[1].outcome.kind, BL_OUTCOME_ANSWERED);
	pthread_barrier_destroy(&barrier);
}

static struct bl_own_call seen;

static void run_looking(void *ctx, struct bl_own_call *call)
{
	seen = *call;
	*(int *)ctx += 1;
	bl_own_exit(call, 0, BL_STR("{\"permission\":\"allow\"}"), BL_STR(""));
}

/* The first that answers is the last that is called, in the older profile. */
static void test_in_turn_and_what_it_gets(void)
{
	int calls = 0;
	struct bl_own_executor own = { run_looking, &calls };

	new_event("cursor-2.3", "beforeShellExecution");
	context.own = &own;
	add_hook("first", false);
	add_hook("second", false);
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_INT(calls, 1);
	CHECK_INT(runs[1].outcome.kind, BL_OUTCOME_SKIPPED);
	CHECK(!strcmp(seen.event, "beforeShellExecution"));
	CHECK_STR(seen.command, "first");
	CHECK_STR(seen.payload, "{\"command\":\"ls\"}");
	CHECK(bl_str_equal(seen.dir, bl_str(place)));
	CHECK_INT(seen.timeout_ms, 20000);
	CHECK_STR(bl_value_text(
			  bl_object_find(seen.definition, BL_STR("source"))),
		  "user");
}

/* The embedder is not called with a team's script that is not the signed one. */
static void test_signed_script(void)
{
	static const char script[] = "0 {\"permission\":\"allow\"}";
	static struct bl_team_file file;
	static struct bl_team_folder team;
	int calls = 0;
	struct bl_own_executor own = { run_looking, &calls };

	new_event("cursor", "beforeShellExecution");
	context.own = &own;
	file.path = BL_STR("guard.sh");
	file.bytes = (int64_t)strlen(script);
	bl_sha256_hex(bl_str(script), file.sha256);
	team.path = bl_str(place);
	team.files = &file;
	team.file_count = 1;
	hook_file.team = &team;
	put("guard.sh", script);
	CHECK_INT(run_one("./guard.sh"), BL_OUTCOME_ANSWERED);
	CHECK_INT(calls, 1);
	put("guard.sh", "0 {\"permission\":\"ALLOW\"}");
	CHECK_INT(run_one("./guard.sh"), BL_OUTCOME_CHANGED);
	CHECK(has(runs[0].outcome.reason, "is not the file that was signed"));
	CHECK_INT(calls, 1);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_ends);
	RUN(test_failures);
	RUN(test_too_much);
	RUN(test_late);
	RUN(test_at_once);
	RUN(test_in_turn_and_what_it_gets);
	RUN(test_signed_script);
	place_close();
	return tap_end();
}
