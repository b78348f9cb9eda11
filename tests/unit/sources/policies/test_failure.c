/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The effect of each failure (issue 4, "failure is a table"): events that can be
 * stopped are refused with the reason, prompt, stop and session events go on;
 * on_error in the rulebook changes it.
 */
#include "world.h"

#define ANY "#     required_events: [\"*\"]\n"

static const struct {
	enum bl_policy_failure failure;
	enum bl_verdict permission;
} table[] = {
	{ BL_FAILURE_NO_DIRECTORY, BL_VERDICT_DENY },
	{ BL_FAILURE_RULEBOOK, BL_VERDICT_DENY },
	{ BL_FAILURE_COMPILE, BL_VERDICT_DENY },
	{ BL_FAILURE_METADATA, BL_VERDICT_DENY },
	{ BL_FAILURE_ENGINE, BL_VERDICT_DENY },
	{ BL_FAILURE_LIMIT, BL_VERDICT_DENY },
	{ BL_FAILURE_DEADLINE, BL_VERDICT_DENY },
	{ BL_FAILURE_CANCELLED, BL_VERDICT_DENY },
	{ BL_FAILURE_BUILTIN, BL_VERDICT_NONE },
	{ BL_FAILURE_MALFORMED, BL_VERDICT_DENY },
	{ BL_FAILURE_SIGNAL_TIMEOUT, BL_VERDICT_DENY },
	{ BL_FAILURE_SIGNAL_DEMANDED, BL_VERDICT_DENY },
	{ BL_FAILURE_SIGNAL_MISSING, BL_VERDICT_NONE },
	{ BL_FAILURE_SIGNAL_SANDBOX, BL_VERDICT_NONE },
	{ BL_FAILURE_WEAKENING, BL_VERDICT_NONE },
};

static void all_rows(void)
{
	CHECK_INT(BL_COUNT(table), BL_FAILURE_COUNT);
	for (size_t i = 0; i < BL_COUNT(table); i++) {
		enum bl_policy_failure failure = table[i].failure;

		CHECK_INT(failure, i);
		CHECK_INT(
			bl_policy_failure_verdict(failure, BL_CLASS_PERMISSION),
			table[i].permission);
		CHECK_INT(bl_policy_failure_verdict(failure, BL_CLASS_PROMPT),
			  BL_VERDICT_NONE);
		CHECK_INT(bl_policy_failure_verdict(failure, BL_CLASS_OBSERVE),
			  BL_VERDICT_NONE);
	}
}

/* Decides by options on an event of a class. */
static void decide(enum bl_event_class class, struct bl_policy_options options)
{
	struct bl_policy_event event = {
		.name = BL_STR("Event"),
		.canonical = BL_STR("some.event"),
		.class = class,
		.input = world_json("{}"),
	};

	CHECK_STATUS(bl_policy_decide(set, &event, &options, &arena, &report,
				      &error),
		     BL_OK);
}

/* The failure happens in the world as it is: it refuses, or is reported. */
static void check(enum bl_policy_failure failure, const char *words,
		  struct bl_policy_options options)
{
	static const enum bl_event_class open[] = { BL_CLASS_PROMPT,
						    BL_CLASS_OBSERVE };

	decide(BL_CLASS_PERMISSION, options);
	if (report.trouble_count < 1 || report.troubles[0].failure != failure ||
	    !has_text(report.troubles[0].text, words)) {
		tap_failures++;
		TAP_NOTE("%s: %zu troubles", words, report.trouble_count);
		for (size_t i = 0; i < report.trouble_count; i++)
			TAP_NOTE("%s: %.*s",
				 bl_policy_failure_name(
					 report.troubles[i].failure),
				 BL_STR_ARG(report.troubles[i].text));
		return;
	}
	if (bl_policy_failure_verdict(failure, BL_CLASS_PERMISSION) ==
	    BL_VERDICT_DENY) {
		CHECK_STR(verb(), "deny");
		CHECK(has_text(report.decision.user_message, words));
	} else {
		CHECK_STR(verb(), "none");
	}
	for (size_t i = 0; i < 2; i++) {
		decide(open[i], options);
		CHECK_STR(verb(), "none");
		CHECK(report.trouble_count > 0);
	}
}

static void no_directory(void)
{
	struct bl_policy_load_options options = {
		.places[BL_POLICY_PROJECT].missing =
			BL_STR("no policy directory here"),
		.agent = BL_STR("test"),
	};

	world_begin();
	CHECK_STATUS(bl_policy_load(&options, &arena, &diags, &set, &error),
		     BL_OK);
	check(BL_FAILURE_NO_DIRECTORY, "no policy directory here",
	      (struct bl_policy_options){ 0 });
	/* A directory without anything for this agent does not count. */
	world_begin();
	world_file(".belay/policies/one/a.rego", "package a\n");
	world_load();
	check(BL_FAILURE_NO_DIRECTORY, "run `belay init --harness test`",
	      (struct bl_policy_options){ 0 });
}

static void broken_files(void)
{
	world_begin();
	world_policy("a", ANY, "");
	world_file(".belay/rulebook.yml", "signals: 3\n");
	world_load();
	check(BL_FAILURE_RULEBOOK, "rulebook.yml:1: signals must be a mapping",
	      (struct bl_policy_options){ 0 });
	world_begin();
	world_policy("a", ANY, "deny contains x if { y := z }\n");
	world_load();
	check(BL_FAILURE_COMPILE, "policies/test/a.rego:", //
	      (struct bl_policy_options){ 0 });
	world_begin();
	world_policy("a", ANY, "x := no.such_builtin(1)\n");
	world_load();
	check(BL_FAILURE_COMPILE, "no.such_builtin",
	      (struct bl_policy_options){ 0 });
	world_begin();
	world_policy("a", "#     required_events: Stop\n", "");
	world_load();
	check(BL_FAILURE_METADATA, "required_events must be a list of names",
	      (struct bl_policy_options){ 0 });
}

static void evaluation(void)
{
	static const char loop[] =
		"deny contains \"x\" if {\n"
		"\tsome i in numbers.range(1, 100000)\n"
		"\tsome j in numbers.range(1, 100000)\n\ti + j < 0\n}\n";
	struct bl_flag flag;
	struct bl_stop stop = { &flag, 0 };

	world_begin();
	world_policy("a", ANY, "deny := 1\ndeny := 2 if true\n");
	world_load();
	check(BL_FAILURE_ENGINE, "policy cupcake.policies.a",
	      (struct bl_policy_options){ 0 });
	world_begin();
	world_policy("a", ANY, loop);
	world_load();
	check(BL_FAILURE_LIMIT, "cupcake.policies.a",
	      (struct bl_policy_options){ .max_steps = 100000 });
	check(BL_FAILURE_DEADLINE, "cupcake.policies.a",
	      (struct bl_policy_options){ .timeout_ms = 30 });
	REQUIRE(!bl_flag_init(&flag, &error));
	bl_flag_raise(&flag);
	check(BL_FAILURE_CANCELLED, "cupcake.policies.a",
	      (struct bl_policy_options){ .stop = &stop });
	bl_flag_clear(&flag);
	stop = (struct bl_stop){ NULL, 1 };
	check(BL_FAILURE_DEADLINE, "cupcake.policies.a",
	      (struct bl_policy_options){ .stop = &stop });
	world_begin();
	world_policy("a", ANY,
		     "deny contains \"x\" if "
		     "count(numbers.range(1, 1000000)) < 0\n");
	world_load();
	check(BL_FAILURE_LIMIT, "cupcake.policies.a",
	      (struct bl_policy_options){ .max_bytes = 1 << 20 });
	world_begin();
	world_policy("a", ANY, "deny contains 17\n");
	world_load();
	check(BL_FAILURE_MALFORMED,
	      "policy cupcake.policies.a gave a malformed deny decision",
	      (struct bl_policy_options){ 0 });
}

static void signals(void)
{
	world_begin();
	world_file(".belay/rulebook.yml",
		   "signals: {slow: {command: 'sleep 61', timeout_seconds: "
		   "0.1}}\n");
	world_policy("a", ANY "#     required_signals: [slow]\n", "");
	world_load();
	check(BL_FAILURE_SIGNAL_TIMEOUT, "signal slow: did not end within",
	      (struct bl_policy_options){ 0 });
	world_begin();
	world_policy("a", ANY "#     demanded_signals: [ghost]\n", "");
	world_load();
	check(BL_FAILURE_SIGNAL_DEMANDED, "signal ghost: the rulebook has no",
	      (struct bl_policy_options){ 0 });
	world_begin();
	world_policy("a", ANY "#     required_signals: [ghost]\n", "");
	world_load();
	check(BL_FAILURE_SIGNAL_MISSING, "signal ghost: the rulebook has no",
	      (struct bl_policy_options){ 0 });
}

/* A team's directory that cannot be used refuses, whatever the user's says. */
static void of_team(void)
{
	world_begin();
	world_file("global/rulebook.yml", "on_error: allow\n");
	world_policy("a", ANY, "");
	world_load();
	world_options.places[BL_POLICY_TEAM].missing = BL_STR("tampered: x");
	CHECK_STATUS(
		bl_policy_load(&world_options, &arena, &diags, &set, &error),
		BL_OK);
	check(BL_FAILURE_NO_DIRECTORY, "tampered: x",
	      (struct bl_policy_options){ 0 });
	/* A project without a directory: the nearest one before it says. */
	world_begin();
	world_file("team/rulebook.yml", "on_error: allow\n");
	world_load();
	world_options.places[BL_POLICY_PROJECT].path = BL_STR("");
	world_options.places[BL_POLICY_PROJECT].missing = BL_STR("none here");
	CHECK_STATUS(
		bl_policy_load(&world_options, &arena, &diags, &set, &error),
		BL_OK);
	decide(BL_CLASS_PERMISSION, (struct bl_policy_options){ 0 });
	CHECK_STR(verb(), "none");
	CHECK_INT(report.trouble_count, 1);
}

static void on_error(void)
{
	static const struct {
		const char *rulebook;
		const char *verb;
	} rows[] = {
		{ "on_error: ask\n", "ask" },
		{ "on_error: allow\n", "none" },
		{ "on_error: {some.event: ask, '*': allow}\n", "ask" },
		{ "on_error: {Event: allow, some.event: ask}\n", "none" },
		{ "on_error: {other.event: allow}\n", "deny" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		world_begin();
		world_file(".belay/rulebook.yml", rows[i].rulebook);
		world_policy("a", ANY, "deny contains 17\n");
		world_load();
		decide(BL_CLASS_PERMISSION, (struct bl_policy_options){ 0 });
		CHECK_STR(verb(), rows[i].verb);
		CHECK_INT(report.trouble_count, 1);
	}
	/* Also the other way: a prompt that is refused when policies fail. */
	world_begin();
	world_file(".belay/rulebook.yml", "on_error: {some.event: deny}\n");
	world_policy("a", ANY, "deny contains 17\n");
	world_load();
	decide(BL_CLASS_PROMPT, (struct bl_policy_options){ 0 });
	CHECK_STR(verb(), "deny");
	/* A failure that is only reported stays so. */
	world_begin();
	world_file(".belay/rulebook.yml", "on_error: deny\n");
	world_policy("a", ANY "#     required_signals: [ghost]\n", "");
	world_load();
	decide(BL_CLASS_PERMISSION, (struct bl_policy_options){ 0 });
	CHECK_STR(verb(), "none");
}

/*
 * A builtin that fails keeps a refusal from being made: that is said, once,
 * with its place, and refuses only where the rulebook has it so.
 */
static void builtins(void)
{
	static const char rules[] = "bad if to_number(\"x\") > 1\n"
				    "deny contains \"x\" if bad\n"
				    "halt contains \"x\" if bad\n"
				    "ask contains \"y\" if not bad\n";

	world_begin();
	world_policy("a", ANY, rules);
	world_load();
	decide(BL_CLASS_PERMISSION, (struct bl_policy_options){ 0 });
	CHECK_STR(verb(), "ask");
	REQUIRE(report.trouble_count == 1);
	CHECK_INT(report.troubles[0].failure, BL_FAILURE_BUILTIN);
	CHECK_INT(report.troubles[0].verdict, BL_VERDICT_NONE);
	CHECK(has_text(report.troubles[0].text,
		       "policies/test/a.rego:10: to_number: "));
	world_file(".belay/rulebook.yml", "on_error: deny\n");
	world_load();
	decide(BL_CLASS_PERMISSION, (struct bl_policy_options){ 0 });
	CHECK_STR(verb(), "deny");
	CHECK(has_text(report.decision.user_message, "a.rego:10: to_number: "));
	CHECK_INT(report.trouble_count, 1);
	/* Of another event it does not speak. */
	world_file(".belay/rulebook.yml", "on_error: {other: deny}\n");
	world_load();
	decide(BL_CLASS_PERMISSION, (struct bl_policy_options){ 0 });
	CHECK_STR(verb(), "ask");
}

/* input.belay has null for what there is not: asking about it is not a failure. */
static void builtins_of_nothing(void)
{
	world_begin();
	world_policy("a", ANY,
		     "deny contains \"x\" if "
		     "contains(lower(json.unmarshal(\"null\")), \"x\")\n");
	world_load();
	decide(BL_CLASS_PERMISSION, (struct bl_policy_options){ 0 });
	CHECK_INT(report.trouble_count, 0);
	world_begin();
	world_policy("a", ANY,
		     "deny contains \"x\" if "
		     "contains(lower(json.unmarshal(\"5\")), \"x\")\n");
	world_load();
	decide(BL_CLASS_PERMISSION, (struct bl_policy_options){ 0 });
	REQUIRE(report.trouble_count == 1);
	CHECK(has_text(report.troubles[0].text,
		       "a.rego:10: lower: operand 1 must be string but got "
		       "number"));
}

/* Not a thousand lines, and no failure is lost without a word. */
static void many_builtins(void)
{
	char rules[4096] = "";

	for (int i = 0; i < 40; i++)
		strcat(rules, "deny contains \"x\" if to_number(\"x\") > 1\n");
	world_begin();
	world_policy("a", ANY, rules);
	world_load();
	decide(BL_CLASS_PERMISSION, (struct bl_policy_options){ 0 });
	CHECK_STR(verb(), "none");
	REQUIRE(report.trouble_count == 17);
	CHECK(has_text(report.troubles[0].text, "a.rego:10: "));
	CHECK(has_text(report.troubles[15].text, "a.rego:25: "));
	CHECK_STR(report.troubles[16].text, "more builtins failed");
}

/* A loop of failures takes no more memory than a few of them. */
static void endless_builtins(void)
{
	world_begin();
	world_policy("a", ANY,
		     "deny contains \"x\" if {\n"
		     "\tsome i in numbers.range(1, 300000)\n"
		     "\tto_number(sprintf(\"x%d\", [i % 2])) > 1\n}\n");
	world_load();
	decide(BL_CLASS_PERMISSION,
	       (struct bl_policy_options){ .max_bytes = 40 << 20 });
	CHECK_STR(verb(), "none");
	REQUIRE(report.trouble_count == 3);
	CHECK(has_text(report.troubles[0].text, "parsing \"x1\""));
	CHECK(has_text(report.troubles[1].text, "parsing \"x0\""));
	CHECK(has_text(report.troubles[2].text,
		       "a.rego:12: further errors are not told"));
}

int main(void)
{
	RUN(all_rows);
	RUN(no_directory);
	RUN(broken_files);
	RUN(evaluation);
	RUN(signals);
	RUN(of_team);
	RUN(on_error);
	RUN(builtins);
	RUN(builtins_of_nothing);
	RUN(many_builtins);
	RUN(endless_builtins);
	world_end();
	return tap_end();
}
