/* SPDX-License-Identifier: Apache-2.0 */
/* Signals (docs/contracts/cupcake.md "Signals", "Behaviours"). */
#include "world.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "sandbox/linux_abi.h"

#define NEEDS(list)                                                            \
	"#     required_events: [E]\n#     required_signals: [" list "]\n"

static struct bl_value value_of(const char *name)
{
	return bl_object_find(bl_object_find(report.input, BL_STR("signals")),
			      bl_str(name));
}

static const struct {
	const char *name;
	const char *command;
	const char *json;
} outputs[] = {
	{ "text", "echo '  main  '", "\"main\"" },
	{ "string", "echo '\"main\"'", "\"main\"" },
	{ "object", "echo '{\"a\": {\"b\": 1}}'", "{\"a\":{\"b\":1}}" },
	{ "array", "echo '[1, 2]'", "[1,2]" },
	{ "number", "echo 42", "42" },
	{ "bad", "echo '{oops'", "\"{oops\"" },
	{ "empty", "true", "\"\"" },
	{ "fails", "echo o; echo e >&2; exit 3",
	  "{\"exit_code\":3,\"output\":\"o\",\"error\":\"e\","
	  "\"success\""
	  ":false}" },
	{ "killed", "kill -9 $$",
	  "{\"exit_code\":-1,\"output\":\"\",\"error\":\"\","
	  "\"success\":false}" },
	{ "event", "cat", "{\"x\":1}" },
};

static void results(void)
{
	char book[4096] = "signals:\n";
	char names[256] = "";

	for (size_t i = 0; i < BL_COUNT(outputs); i++) {
		size_t used = strlen(book);
		const char *from = outputs[i].command;

		used += (size_t)snprintf(book + used, sizeof(book) - used,
					 "  %s: {command: '", outputs[i].name);
		for (; *from; from++) {
			if (*from == '\'')
				book[used++] = '\'';
			book[used++] = *from;
		}
		snprintf(book + used, sizeof(book) - used, "'}\n");
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 "%s%s", i ? ", " : "", outputs[i].name);
	}
	world_begin();
	world_file(".belay/rulebook.yml", book);
	{
		char routing[512];

		snprintf(routing, sizeof(routing),
			 "#     required_events: [E]\n"
			 "#     required_signals: [%s]\n",
			 names);
		world_policy("p", routing, "");
	}
	world_load();
	if (diags.error_count)
		print_diags();
	world_decide("E", "tool.before", "", "", "{\"x\":1}");
	for (size_t i = 0; i < BL_COUNT(outputs); i++) {
		if (!bl_value_equal(value_of(outputs[i].name),
				    world_json(outputs[i].json))) {
			tap_failures++;
			TAP_NOTE("%s", outputs[i].name);
		}
	}
	CHECK_INT(report.trouble_count, 0);
}

/* Programs of signals/, by their own names; a path with a blank works. */
static void found_programs(void)
{
	world_begin();
	world_program(".belay/signals/git branch.sh", "#!/bin/sh\necho main\n");
	world_file(".belay/signals/plain.txt", "no program\n");
	world_policy("p", NEEDS("git branch, plain"), "");
	world_load();
	world_decide("E", "tool.before", "", "", "{}");
	CHECK_STR(bl_value_text(value_of("git branch")), "main");
	CHECK(!bl_value_is_defined(value_of("plain")));
	REQUIRE(report.trouble_count == 1);
	CHECK_INT(report.troubles[0].failure, BL_FAILURE_SIGNAL_MISSING);
	CHECK(has_text(report.troubles[0].text, "cannot be started"));
}

/* Only those needed, all at once, each once. */
static void needed(void)
{
	int64_t before;

	world_begin();
	world_file(".belay/rulebook.yml",
		   "signals:\n  a: {command: 'sleep 0.3; echo a >> log'}\n"
		   "  b: {command: 'sleep 0.3'}\n"
		   "  never: {command: 'echo never >> log'}\n");
	world_policy("p", NEEDS("a, b"), "");
	world_policy("q", NEEDS("a"), "");
	world_policy("r",
		     "#     required_events: [F]\n"
		     "#     required_signals: [never]\n",
		     "");
	if (chdir(world))
		abort();
	world_load();
	before = bl_os_monotonic_ns();
	world_decide("E", "tool.before", "", "", "{}");
	CHECK(bl_os_monotonic_ns() - before < INT64_C(590000000));
	CHECK_INT(report.signal_count, 2);
	{
		struct bl_str text;

		REQUIRE(!bl_os_read_file(BL_STR("log"), 0, 100, &arena, &text,
					 NULL, &error));
		CHECK_STR(text, "a\n");
	}
	/* None needed: no object. */
	world_begin();
	world_policy("p", "#     required_events: [E]\n", "");
	world_load();
	world_decide("E", "tool.before", "", "", "{}");
	CHECK(!bl_value_is_defined(
		bl_object_find(report.input, BL_STR("signals"))));
}

/* A large event and a child that does not read it; too much output. */
static void hostile(void)
{
	size_t len = 1 << 20;
	char *input = malloc(len + 32);

	REQUIRE(input);
	snprintf(input, 8, "{\"x\":\"");
	memset(input + 6, 'a', len);
	snprintf(input + 6 + len, 8, "\"}");
	world_begin();
	world_file(".belay/rulebook.yml",
		   "signals:\n  deaf: {command: 'echo fine'}\n"
		   "  loud: {command: 'yes'}\n"
		   "  bytes: {command: \"printf '\\\\377'\"}\n");
	world_policy("p", NEEDS("deaf, loud, bytes"), "");
	world_load();
	world_decide("E", "tool.before", "", "", input);
	free(input);
	CHECK_STR(bl_value_text(value_of("deaf")), "fine");
	CHECK(!bl_value_is_defined(value_of("loud")));
	CHECK(!bl_value_is_defined(value_of("bytes")));
	CHECK_INT(report.trouble_count, 2);
	CHECK(has_text(report.troubles[0].text, "printed more than"));
	CHECK(has_text(report.troubles[1].text, "not UTF-8"));
}

/* A recorded event is decided by what was recorded; nothing runs. */
static void recorded(void)
{
	struct bl_policy_options options = { 0 };
	struct bl_policy_event event = { .name = BL_STR("E"),
					 .canonical = BL_STR("tool.before"),
					 .class = BL_CLASS_PERMISSION };

	world_begin();
	world_file(".belay/rulebook.yml",
		   "signals: {a: {command: 'echo live'}}\n");
	world_policy("p", NEEDS("a, b"), "");
	world_load();
	event.input = world_json("{}");
	options.recorded_signals = world_json("{\"a\":\"then\"}");
	CHECK_STATUS(bl_policy_decide(set, &event, &options, &arena, &report,
				      &error),
		     BL_OK);
	CHECK_STR(bl_value_text(value_of("a")), "then");
	REQUIRE(report.trouble_count == 1);
	CHECK(has_text(report.troubles[0].text,
		       "signal b: is not in the record"));
}

/* ---- in a sandbox ----------------------------------------------------- */

static bool is_missing_because(const char *name, const char *why)
{
	for (size_t i = 0; i < report.signal_count; i++) {
		if (!bl_str_is(report.signals[i].name, name))
			continue;
		TAP_NOTE("%s: %.*s", name,
			 BL_STR_ARG(report.signals[i].problem));
		return !bl_value_is_defined(report.signals[i].value) &&
		       has_text(report.signals[i].problem, why);
	}
	return false;
}

/*
 * Options not given keep their defaults; those given go for programs of signals/ too,
 * which are seen there.  The environment stays outside, the event comes in.
 */
static void sandboxed(void)
{
	world_begin();
	world_file(".belay/rulebook.yml",
		   "sandbox: readonly\n"
		   "signals:\n"
		   "  free: {command: 'echo x >made && echo done', "
		   "sandbox: none}\n"
		   "  fenced: {command: 'echo x >other || echo refused'}\n"
		   "  may: {command: 'echo x >third && echo done', "
		   "sandbox: workspace}\n"
		   "  event: {command: 'cat'}\n"
		   "  secret: {command: 'echo $BELAY_TEST_SECRET.$PWD'}\n"
		   "  loud: {command: 'yes'}\n");
	world_program(".belay/signals/found", "#!/bin/sh\necho found\n");
	world_policy("p",
		     NEEDS("free, fenced, may, event, secret, loud, found"),
		     "");
	world_load();
	if (chdir(world) || setenv("BELAY_TEST_SECRET", "secret", 1))
		abort();
	world_decide("E", "tool.before", "", "", "{\"x\":1}");
	CHECK_STR(bl_value_text(value_of("free")), "done");
	CHECK_STR(bl_value_text(value_of("fenced")), "refused");
	CHECK_STR(bl_value_text(value_of("may")), "done");
	CHECK(bl_value_equal(value_of("event"), world_json("{\"x\":1}")));
	CHECK(!has_text(bl_value_text(value_of("secret")), "secret"));
	CHECK_STR(bl_value_text(value_of("found")), "found");
	CHECK(is_missing_because("loud", "printed more than 65536 bytes"));
	CHECK(!access("made", F_OK) && !access("third", F_OK));
	CHECK(access("other", F_OK));
}

/* In a folder of the project the whole project is the workspace. */
static void workspace_of_project(void)
{
	world_begin();
	world_file(".belay/rulebook.yml",
		   "signals: {a: {command: 'cat above ../above', "
		   "sandbox: readonly}}\n");
	world_file("above", "from the project\n");
	world_file("sub/above", "from here\n");
	world_policy("p", NEEDS("a"), "");
	world_load();
	if (chdir(world) || chdir("sub"))
		abort();
	world_decide("E", "tool.before", "", "", "{}");
	CHECK_STR(bl_value_text(value_of("a")), "from here\nfrom the project");
}

/* Printing nothing is an answer, except where an answer is demanded. */
static void silence(void)
{
	world_begin();
	world_file(".belay/rulebook.yml", "signals:\n  a: {command: 'true'}\n");
	world_policy("p", NEEDS("a"), "");
	world_load();
	world_decide("E", "tool.before", "", "", "{}");
	CHECK_INT(report.trouble_count, 0);
	world_policy("p", NEEDS("a") "#     demanded_signals: [a]\n", "");
	world_load();
	world_decide("E", "tool.before", "", "", "{}");
	REQUIRE(report.trouble_count == 1);
	CHECK_INT(report.troubles[0].failure, BL_FAILURE_SIGNAL_DEMANDED);
	CHECK_INT(report.troubles[0].verdict, BL_VERDICT_DENY);
}

/* A sandbox that cannot be is the signal's failure, not a way around it. */
static void sandbox_refused(void)
{
	world_begin();
	world_file(".belay/rulebook.yml",
		   "on_error: deny\nsandbox: readonly\n"
		   "signals:\n  a: {command: 'echo x >/tmp/made'}\n");
	world_policy("p", NEEDS("a") "#     demanded_signals: [a]\n", "");
	world_load();
	if (chdir("/"))
		abort();
	world_decide("E", "tool.before", "", "", "{}");
	CHECK(is_missing_because("a", "was not run: the workspace of the "
				      "sandbox, '/', is the whole file "
				      "system"));
	REQUIRE(report.trouble_count == 1);
	CHECK_INT(report.troubles[0].failure, BL_FAILURE_SIGNAL_DEMANDED);
	CHECK_INT(report.troubles[0].verdict, BL_VERDICT_DENY);
}

/* From here on this program gets no namespaces, as in a container. */
static void forbid_namespaces(void)
{
	static const struct bl_bpf_insn code[] = {
		{ 0x20, 0, 0, 0 },           /* the call's number */
		{ 0x15, 4, 0, SYS_clone3 },  /* to ENOSYS */
		{ 0x15, 1, 0, SYS_clone },   /* to its flags */
		{ 0x15, 0, 4, SYS_unshare }, /* to its flags, or allow */
		{ 0x20, 0, 0, 16 },          /* the low half of the flags */
		{ 0x45, 1, 2, 0x7e020000 },  /* CLONE_NEW* */
		{ 0x06, 0, 0, 0x00050000 | ENOSYS },
		{ 0x06, 0, 0, 0x00050000 | EPERM },
		{ 0x06, 0, 0, 0x7fff0000 }, /* allow */
	};
	const struct bl_bpf_program program = { BL_COUNT(code), code };

	REQUIRE(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
		!syscall(SYS_seccomp, BL_SECCOMP_SET_FILTER, 0, &program));
}

#define NO_ROOT_OF_ITS_OWN                                                     \
	"was not run: sandbox profile strict needs a layer that this "         \
	"machine does not give: mount ("

/* A missing requirement is named; other signals go on, and say so, once. */
static void layer_refused(void)
{
	world_begin();
	world_file(".belay/rulebook.yml",
		   "signals:\n"
		   "  needs: {command: 'echo x', sandbox: strict}\n"
		   "  less: {command: 'echo x', sandbox: readonly}\n"
		   "  more: {command: 'echo y', sandbox: workspace}\n");
	world_policy("p", NEEDS("needs, less, more"), "");
	world_load();
	if (chdir(world))
		abort();
	forbid_namespaces();
	world_decide("E", "tool.before", "", "", "{}");
	CHECK(is_missing_because("needs", bl_os_user_id() == 0
						  ? NO_ROOT_OF_ITS_OWN "clone"
						  : NO_ROOT_OF_ITS_OWN
						  "needs user, clone"));
	CHECK_STR(bl_value_text(value_of("less")), "x");
	CHECK_STR(bl_value_text(value_of("more")), "y");
	REQUIRE(report.trouble_count == 2);
	CHECK_INT(report.troubles[0].failure, BL_FAILURE_SIGNAL_SANDBOX);
	CHECK_INT(report.troubles[0].verdict, BL_VERDICT_NONE);
	CHECK(has_text(report.troubles[0].text, "without user"));
	CHECK_INT(report.troubles[1].failure, BL_FAILURE_SIGNAL_MISSING);
}

int main(void)
{
	RUN(results);
	RUN(found_programs);
	RUN(needed);
	RUN(hostile);
	RUN(recorded);
	RUN(sandboxed);
	RUN(workspace_of_project);
	RUN(silence);
	RUN(sandbox_refused);
	RUN(layer_refused); /* the last: it cannot be undone */
	world_end();
	return tap_end();
}
