/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every exit status crossed with every kind of output, as tabled in
 * docs/contracts/cursor.md "Failures" (its three columns).
 */
#include "tap.h"

#include "running.h"

#define ALLOW  "{\"permission\":\"allow\"}"
#define DENIAL "{\"permission\":\"deny\"}"

enum output {
	EMPTY,
	NEUTRAL,
	DENYING,
	ALLOWING,
	WRONG_TYPE,
	TEXT,
	TEXT_OBJECT,
	OBJECT_TEXT,
	TWO_OBJECTS,
	OUTPUT_COUNT
};

static const char *const outputs[OUTPUT_COUNT] = {
	[EMPTY] = "",
	[NEUTRAL] = "{}",
	[DENYING] = DENIAL,
	[ALLOWING] = ALLOW,
	[WRONG_TYPE] = "{\"permission\":\"maybe\"}",
	[TEXT] = "all is well",
	[TEXT_OBJECT] = "loading {x} \\n" DENIAL,
	[OBJECT_TEXT] = ALLOW "\\ndone",
	[TWO_OBJECTS] = DENIAL "\\n" ALLOW,
};

static const int codes[] = { 0, 1, 2, 3, 126, 127, 255 };

struct expected {
	enum bl_outcome_kind kind;
	enum bl_verdict verdict; /* on a permission step */
	enum bl_verdict closed;  /* the same with failClosed */
};

#define E(kind, verdict, closed)                                               \
	{                                                                      \
		BL_OUTCOME_##kind, BL_VERDICT_##verdict, BL_VERDICT_##closed   \
	}

/* Today's Cursor: exit 0 by output, else by status alone. */
static const struct expected today_good[OUTPUT_COUNT] = {
	[EMPTY] = E(NO_OUTPUT, NONE, DENY),
	[NEUTRAL] = E(ANSWERED, NONE, NONE),
	[DENYING] = E(ANSWERED, DENY, DENY),
	[ALLOWING] = E(ANSWERED, ALLOW, ALLOW),
	[WRONG_TYPE] = E(INVALID, DENY, DENY),
	[TEXT] = E(NOT_JSON, DENY, DENY),
	[TEXT_OBJECT] = E(ANSWERED, DENY, DENY),
	[OBJECT_TEXT] = E(NOT_JSON, DENY, DENY),
	[TWO_OBJECTS] = E(ANSWERED, ALLOW, ALLOW),
};

static const struct {
	int code;
	struct expected expected;
} today_failed[] = {
	{ 1, E(EXIT_CODE, NONE, DENY) },
	{ 2, E(EXIT_2, DENY, DENY) },
	{ 3, E(EXIT_CODE, NONE, DENY) },
	{ 126, E(CANNOT_START, NONE, DENY) },
	{ 127, E(CANNOT_START, NONE, DENY) },
	{ 255, E(EXIT_CODE, NONE, DENY) },
};

/* 2.3.41: a valid answer counts whatever the status; all else goes on. */
static const struct expected old_good[OUTPUT_COUNT] = {
	[EMPTY] = E(NO_OUTPUT, NONE, NONE),
	[NEUTRAL] = E(ANSWERED, NONE, NONE),
	[DENYING] = E(ANSWERED, DENY, DENY),
	[ALLOWING] = E(ANSWERED, ALLOW, ALLOW),
	[WRONG_TYPE] = E(INVALID, NONE, NONE),
	[TEXT] = E(NOT_JSON, NONE, NONE),
	[TEXT_OBJECT] = E(NOT_JSON, NONE, NONE),
	[OBJECT_TEXT] = E(NOT_JSON, NONE, NONE),
	[TWO_OBJECTS] = E(NOT_JSON, NONE, NONE),
};

static struct expected today(int code, enum output output)
{
	for (size_t i = 0; i < BL_COUNT(today_failed); i++) {
		if (today_failed[i].code == code)
			return today_failed[i].expected;
	}
	return today_good[output];
}

static struct expected old(int code, enum output output)
{
	struct expected expected = old_good[output];

	if (context.hook_event->class == BL_CLASS_OBSERVE &&
	    expected.kind == BL_OUTCOME_INVALID)
		expected.kind = BL_OUTCOME_ANSWERED;
	if (code != 0 && expected.kind != BL_OUTCOME_ANSWERED)
		expected.kind = today(code, output).kind;
	return expected;
}

static void add_case(int code, enum output output, bool fail_closed)
{
	char command[256];

	snprintf(command, sizeof(command), "printf '%s'; exit %d",
		 outputs[output], code);
	add_hook(command, fail_closed);
}

static void check_case(const struct bl_execution *run, struct expected expected)
{
	bool observes = context.hook_event->class == BL_CLASS_OBSERVE;
	enum bl_verdict verdict =
		run->hook->fail_closed ? expected.closed : expected.verdict;

	/* Any object is an answer there, and nothing can be refused. */
	if (observes && expected.kind == BL_OUTCOME_INVALID)
		expected.kind = BL_OUTCOME_ANSWERED;
	if (observes)
		verdict = BL_VERDICT_NONE;
	if (run->outcome.kind == expected.kind && verdict_of(run) == verdict)
		return;
	tap_failures++;
	TAP_NOTE("%s, %s, failClosed %d: %.*s: %d and %d, not %d and %d",
		 context.profile->name, context.hook_event->name,
		 run->hook->fail_closed, BL_STR_ARG(run->hook->command),
		 run->outcome.kind, verdict_of(run), expected.kind, verdict);
}

static void check_today(const char *hook_event)
{
	size_t i = 0;

	new_event("cursor", hook_event);
	for (size_t c = 0; c < BL_COUNT(codes); c++)
		for (int output = 0; output < OUTPUT_COUNT; output++)
			for (int closed = 0; closed < 2; closed++)
				add_case(codes[c], output, closed);
	CHECK_STATUS(run_all(), BL_OK);
	for (size_t c = 0; c < BL_COUNT(codes); c++)
		for (int output = 0; output < OUTPUT_COUNT; output++)
			for (int closed = 0; closed < 2; closed++)
				check_case(&runs[i++], today(codes[c], output));
}

static void check_old(const char *hook_event)
{
	new_event("cursor-2.3", hook_event);
	for (size_t c = 0; c < BL_COUNT(codes); c++)
		for (int output = 0; output < OUTPUT_COUNT; output++) {
			hook_count = 0;
			add_case(codes[c], output, false);
			CHECK_STATUS(run_all(), BL_OK);
			check_case(&runs[0], old(codes[c], output));
		}
}

static void test_today_permission(void)
{
	check_today("beforeShellExecution");
}

static void test_today_observe(void)
{
	check_today("afterShellExecution");
}

static void test_old_permission(void)
{
	check_old("beforeShellExecution");
}

static void test_old_observe(void)
{
	check_old("afterShellExecution");
}

/* The reason of a hook with failClosed, and of one without. */
static void check_reason(const char *command, const char *closed,
			 const char *open)
{
	hook_count = 0;
	add_hook(command, true);
	add_hook(command, false);
	CHECK_STATUS(run_all(), BL_OK);
	CHECK_STR(runs[0].outcome.reason, closed);
	CHECK_STR(runs[1].outcome.reason, open);
}

/* docs/contracts/cursor.md "Refusal texts": what the texts have to say. */
static void test_reasons(void)
{
	new_event("cursor", "beforeShellExecution");
	check_reason("echo '  oops' >&2; exit 3",
		     "Hook is configured to fail closed: \"echo '  oops' >&2; "
		     "exit 3\" failed with exit code 3: oops",
		     "Hook \"echo '  oops' >&2; exit 3\" failed with exit code "
		     "3: oops");
	check_reason("echo no >&2; echo yes; exit 2",
		     "Hook blocked with message: no",
		     "Hook blocked with message: no");
	check_reason("true",
		     "Hook is configured to fail closed: \"true\" returned no "
		     "output",
		     "Hook \"true\" returned no output");
	check_reason("echo '{\"permission\":\"maybe\",\"user_message\":1}'",
		     "Blocked for safety: hook \"echo "
		     "'{\"permission\":\"maybe\",\"user_message\":1}'\" "
		     "returned an invalid answer: Invalid permission value. "
		     "Expected one of: allow, deny, ask, or undefined; Invalid "
		     "user_message value. Expected a string if provided",
		     "Blocked for safety: hook \"echo "
		     "'{\"permission\":\"maybe\",\"user_message\":1}'\" "
		     "returned an invalid answer: Invalid permission value. "
		     "Expected one of: allow, deny, ask, or undefined; Invalid "
		     "user_message value. Expected a string if provided");
	check_reason("kill -9 $$",
		     "Hook is configured to fail closed: \"kill -9 $$\" "
		     "execution failed: ended by signal 9 (SIGKILL)",
		     "Hook \"kill -9 $$\" execution failed: ended by signal 9 "
		     "(SIGKILL)");
}

static void test_reason_where_nothing_is_refused(void)
{
	new_event("cursor", "afterShellExecution");
	check_reason("exit 3", "Hook \"exit 3\" failed with exit code 3",
		     "Hook \"exit 3\" failed with exit code 3");
	hook_count = 0;
	CHECK_INT(run_one("echo text"), BL_OUTCOME_NOT_JSON);
	CHECK(bl_str_has_prefix(runs[0].outcome.reason,
				BL_STR("Hook \"echo text\" returned output "
				       "that is not JSON")));
}

/* 2.3.41 gives exit 2 no meaning, so its text is that of any other. */
static void test_exit_2_in_2_3(void)
{
	new_event("cursor-2.3", "beforeShellExecution");
	CHECK_INT(run_one("echo no >&2; exit 2"), BL_OUTCOME_EXIT_2);
	CHECK_STR(runs[0].outcome.reason,
		  "Hook \"echo no >&2; exit 2\" failed with exit code 2: no");
}

static void test_long_command_is_shortened(void)
{
	char command[600];

	memset(command, 'x', sizeof(command));
	memcpy(command, "exit 7 #", 8);
	command[sizeof(command) - 1] = '\0';
	new_event("cursor", "beforeShellExecution");
	CHECK_INT(run_one(command), BL_OUTCOME_EXIT_CODE);
	CHECK(has(runs[0].outcome.reason, "xxx...\" failed with exit code 7"));
	CHECK(runs[0].outcome.reason.len < 300);
}

static void test_errors_are_made_utf8(void)
{
	new_event("cursor", "beforeShellExecution");
	CHECK_INT(run_one("printf 'a\\377b\\303\\251\\303' >&2; exit 2"),
		  BL_OUTCOME_EXIT_2);
	CHECK_STR(runs[0].outcome.reason, "Hook blocked with message: "
					  "a\xEF\xBF\xBD"
					  "b\xC3\xA9\xEF\xBF\xBD");
	CHECK_STR(runs[0].child.errors, "a\xEF\xBF\xBD"
					"b\xC3\xA9\xEF\xBF\xBD");
}

static const struct {
	const char *command;
	int number;
	const char *name;
} signal_cases[] = {
	{ "kill -KILL $$", 9, "(SIGKILL)" },
	{ "kill -SEGV $$", 11, "(SIGSEGV)" },
	{ "kill -PIPE $$", 13, "(SIGPIPE)" },
};

static void test_signals(void)
{
	new_event("cursor", "beforeShellExecution");
	for (size_t i = 0; i < BL_COUNT(signal_cases); i++) {
		CHECK_INT(run_one(signal_cases[i].command), BL_OUTCOME_SIGNAL);
		CHECK_INT(runs[0].child.code, signal_cases[i].number);
		CHECK(has(runs[0].outcome.reason, signal_cases[i].name));
		CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_NONE);
	}
}

/*
 * docs/contracts/cursor-2.3.41.md "Running", 5: the output of a script that
 * fails is still read.
 */
static void test_output_of_a_killed_script_in_2_3(void)
{
	new_event("cursor-2.3", "beforeShellExecution");
	CHECK_INT(run_one("echo '" DENIAL "'; kill -9 $$"),
		  BL_OUTCOME_ANSWERED);
	CHECK_INT(verdict_of(&runs[0]), BL_VERDICT_DENY);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_today_permission);
	RUN(test_today_observe);
	RUN(test_old_permission);
	RUN(test_old_observe);
	RUN(test_reasons);
	RUN(test_reason_where_nothing_is_refused);
	RUN(test_exit_2_in_2_3);
	RUN(test_long_command_is_shortened);
	RUN(test_errors_are_made_utf8);
	RUN(test_signals);
	RUN(test_output_of_a_killed_script_in_2_3);
	place_close();
	return tap_end();
}
