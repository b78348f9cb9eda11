/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_test.c: belay test, the tests of a policy directory. */
#include <stdio.h>

#include "cli/event_cases.h"
#include "cli/rego/tests.h"
#include "os/os.h"

/* Of the options of policies the first: cli_policy_setup reads it. */
static const struct cli_option options[] = {
	[CLI_OPT_HARNESS] = { "harness", 0, CLI_VALUE, "AGENT",
			      "only the tests of this agent's policies, and "
			      "the agent of cases that do not tell" },
};

enum {
	EXIT_FAILED = 2, /* as rego test has it */
	TIMEOUT_SECONDS = 5,
	MAX_NAME_BYTES = 64,
};

struct tests {
	struct cli *cli;
	struct cli_decider decider;
	size_t count;
	size_t failed;
};

/* ---- results, as TAP -------------------------------------------------------- */

static void put_note(struct cli *cli, struct bl_str text)
{
	if (!text.len)
		return;
	bl_buf_puts(&cli->out, "# ");
	for (size_t at = 0; at < text.len;) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);

		cli_put_text(&cli->out, 0, bl_str_slice(text, at, end));
		if (end == SIZE_MAX || end + 1 >= text.len)
			break;
		bl_buf_puts(&cli->out, "\n# ");
		at = end + 1;
	}
	bl_buf_put_char(&cli->out, '\n');
}

/* One test: of an agent ("" for none), called name. */
static void put_result(struct tests *tests, bool passed, const char *agent,
		       struct bl_str name)
{
	struct bl_buf *out = &tests->cli->out;

	tests->count++;
	tests->failed += !passed;
	cli_put_styled(tests->cli, passed ? CLI_GREEN : CLI_RED,
		       passed ? "ok" : "not ok");
	bl_buf_printf(out, " %zu - %s%s", tests->count, agent,
		      *agent ? ": " : "");
	cli_put_text(out, 0, name);
}

/* ---- rules named test_... --------------------------------------------------- */

static void put_failed_case(void *context, const struct cli_case *one)
{
	if (one->failed && one->is_leaf)
		put_note(context, one->name);
}

static void put_rule(struct tests *tests, const struct cli_test *test,
		     const char *agent)
{
	const struct bl_rego_test *rule = test->rule;
	struct cli *cli = tests->cli;
	struct bl_str name = bl_arena_printf(&cli->arena, "%.*s.%.*s",
					     BL_STR_ARG(rule->package),
					     BL_STR_ARG(rule->name));

	put_result(tests,
		   test->outcome == CLI_TEST_PASS ||
			   test->outcome == CLI_TEST_SKIPPED,
		   agent, name);
	if (test->outcome == CLI_TEST_SKIPPED)
		bl_buf_puts(&cli->out, " # SKIP");
	bl_buf_put_char(&cli->out, '\n');
	if (test->outcome == CLI_TEST_PASS || test->outcome == CLI_TEST_SKIPPED)
		return;
	bl_buf_puts(&cli->out, "# ");
	cli_put_text(&cli->out, 0, rule->file);
	bl_buf_printf(&cli->out, ":%u\n", rule->line);
	put_note(cli, test->why);
	cli_each_case(test, put_failed_case, cli);
	put_note(cli, test->failed);
	put_note(cli, test->output);
}

static enum bl_status run_rules(struct tests *tests,
				const struct cli_rego_files *files,
				const char *agent, struct bl_error *err)
{
	struct bl_arena *arena = &tests->cli->arena;
	struct cli_test_run run = {
		.how = { .print = true, .tests = true },
		.files = files,
		.data = files->data,
		.timeout_ns = TIMEOUT_SECONDS * INT64_C(1000000000),
		.worker_count = bl_os_cpu_count(),
	};
	struct bl_diags diags;
	enum bl_status status;

	bl_diags_init(&diags, arena);
	status = bl_rego_compile(arena, files->sources, files->source_count,
				 &run.how, &diags, &run.policies, err);
	if (!status && run.policies)
		status = bl_rego_check_data(run.policies, files->data, &diags,
					    err);
	if (diags.first)
		cli_note_diags(tests->cli, &diags);
	if (status == BL_INVALID || (!status && !run.policies)) {
		put_result(tests, false, agent, BL_STR("policies compile"));
		bl_buf_put_char(&tests->cli->out, '\n');
		return BL_OK;
	}
	if (!status)
		status = cli_find_tests(&run, (struct bl_str){ 0 }, arena, err);
	if (!status && run.test_count)
		status = cli_run_tests(&run, arena, err);
	for (size_t i = 0; !status && i < run.test_count; i++)
		put_rule(tests, &run.tests[i], agent);
	cli_clear_tests(&run);
	return status;
}

static bool add_folder(struct tests *tests, const char *name,
		       struct bl_str *folders, size_t *count)
{
	struct bl_file_info info;
	struct bl_str path = bl_path_join(
		&tests->cli->arena, tests->decider.policy_dir, bl_str(name));

	if (!path.ptr || bl_os_info_path(path, &info, NULL) ||
	    info.type != BL_FILE_DIRECTORY)
		return false;
	folders[(*count)++] = path;
	return true;
}

/* The policies of one agent (NULL: of none) with those of all, and tests. */
static enum bl_status test_agent(struct tests *tests, const char *agent,
				 bool *out_found, struct bl_error *err)
{
	struct cli_rego_files files = { 0 };
	struct bl_arena *arena = &tests->cli->arena;
	struct bl_str folder;
	struct bl_policy_validate_options wanted = {
		.dir = tests->decider.policy_dir,
		.agent = bl_str(agent ? agent : "all"),
		.agent_at = bl_agent_name_at,
	};
	struct bl_names paths;
	char name[MAX_NAME_BYTES];
	size_t count = 0;
	enum bl_status status;

	*out_found = true;
	if (agent) {
		snprintf(name, sizeof(name), "policies/%s", agent);
		*out_found = add_folder(tests, name, &folder, &count);
	}
	if (!*out_found)
		return BL_OK;
	status = bl_policy_paths(&wanted, arena, &paths, err);
	if (!status && paths.count)
		status = cli_read_rego_sources(tests->cli, paths.items,
					       paths.count, &files, err);
	if (!status)
		status = bl_policy_add_libraries(arena, &files.sources,
						 &files.source_count, err);
	if (status || !files.source_count)
		return status;
	return run_rules(tests, &files, agent ? agent : "", err);
}

/* Each agent that has policies of its own; where none has, those of all. */
static enum bl_status test_rules(struct tests *tests, struct bl_error *err)
{
	struct bl_str wanted = cli_value(tests->cli, CLI_OPT_HARNESS);
	enum bl_status status = BL_OK;
	bool found = false;
	bool any = false;

	for (size_t i = 0; !status && bl_agents[i]; i++) {
		if (wanted.ptr && !bl_str_is(wanted, bl_agents[i]->name))
			continue;
		status = test_agent(tests, bl_agents[i]->name, &found, err);
		any |= found;
	}
	if (!status && !any)
		status = test_agent(tests, NULL, &found, err);
	return status;
}

/* ---- events ----------------------------------------------------------------- */

/*
 * Something broken that makes an expectation hold, or fail, by accident: then
 * nothing was tested.  A reason that is expected says that it is meant.
 */
static struct bl_str find_breakage(const struct cli_event_case *one,
				   const struct bl_reply *reply)
{
	const struct bl_policy_report *report = &reply->report;

	for (int i = 0; reply->policies && i < BL_POLICY_ORIGINS; i++)
		if (reply->policies->dirs[i].problem_count)
			return reply->policies->dirs[i].problems[0].text;
	for (size_t i = 0; i < report->trouble_count; i++)
		if (report->troubles[i].verdict != BL_VERDICT_NONE &&
		    !one->reason_contains.len)
			return report->troubles[i].text;
	return BL_STR("");
}

static bool is_as_expected(const struct cli_event_case *one,
			   struct bl_str decision, struct bl_str reason)
{
	return bl_str_equal(decision, one->decision) &&
	       (!one->reason_contains.len ||
		bl_str_find(reason, one->reason_contains, 0) != SIZE_MAX);
}

static void put_difference(struct cli *cli, const struct cli_event_case *one,
			   struct bl_str decision, struct bl_str reason)
{
	bl_buf_printf(&cli->out, "# expected %.*s", BL_STR_ARG(one->decision));
	if (one->reason_contains.len) {
		bl_buf_puts(&cli->out, ", because of: ");
		cli_put_text(&cli->out, 2, one->reason_contains);
	}
	bl_buf_printf(&cli->out, "\n# got %.*s", BL_STR_ARG(decision));
	if (reason.len)
		bl_buf_puts(&cli->out, ", because of:");
	bl_buf_put_char(&cli->out, '\n');
	put_note(cli, reason);
}

static void judge(struct tests *tests, const struct cli_event_case *one,
		  const struct bl_reply *reply)
{
	struct bl_str decision = bl_str(bl_reply_word(reply));
	struct bl_str reason = reply->failure.len
				       ? reply->failure
				       : reply->decision.user_message;
	struct bl_str broken = find_breakage(one, reply);
	bool fits = is_as_expected(one, decision, reason);

	put_result(tests, fits && !broken.len, one->agent->name, one->name);
	bl_buf_put_char(&tests->cli->out, '\n');
	if (!fits)
		put_difference(tests->cli, one, decision, reason);
	else if (broken.len)
		put_note(tests->cli, broken);
}

static enum bl_status test_event(struct tests *tests,
				 struct cli_event_case *one,
				 struct bl_arena *arena, struct bl_error *err)
{
	struct bl_str wanted = cli_value(tests->cli, CLI_OPT_HARNESS);
	struct bl_reply reply;
	enum bl_status status;

	if (wanted.ptr && one->agent && !bl_str_is(wanted, one->agent->name))
		return BL_OK;
	if (!one->decision.len)
		status = bl_fail(
			err, BL_INVALID,
			"expect.decision is missing: nothing is tested");
	else
		status = cli_decide_case(&tests->decider, one, arena, &reply,
					 err);
	if (!status) {
		judge(tests, one, &reply);
		bl_reply_clear(&reply);
	} else if (status == BL_USAGE || status == BL_INVALID) {
		put_result(tests, false, "", one->name);
		bl_buf_put_char(&tests->cli->out, '\n');
		put_note(tests->cli, bl_str(err->message));
		status = BL_OK;
	}
	return status;
}

static enum bl_status test_events(struct tests *tests, struct bl_error *err)
{
	struct cli_event_cases cases = { 0 };
	struct bl_str folder;
	size_t count = 0;
	struct bl_arena arena;
	enum bl_status status;

	if (!add_folder(tests, "tests", &folder, &count))
		return BL_OK;
	status = cli_add_event_cases(tests->cli, folder, &cases, err);
	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; !status && i < cases.count; i++) {
		/* The folder is known; its files are what is told apart. */
		cases.items[i].name = bl_path_base(cases.items[i].name);
		status = test_event(tests, &cases.items[i], &arena, err);
		bl_arena_reset(&arena);
		cli_show_progress(tests->cli, i + 1, "cases");
	}
	cli_show_progress(tests->cli, 0, NULL);
	bl_arena_clear(&arena);
	return status;
}

static int fail_empty(struct cli *cli)
{
	struct bl_error err;

	bl_fail(&err, BL_NOT_FOUND,
		"nothing was tested: there is neither a rule named test_... "
		"nor "
		"a case in tests/*.json");
	return cli_fail(cli, &err);
}

static int run_test(struct cli *cli)
{
	struct tests tests = { .cli = cli };
	struct bl_engine_options unused;
	struct bl_error err;
	enum bl_status status = BL_OK;

	if (cli_has(cli, CLI_OPT_HARNESS))
		status = cli_policy_setup(cli, BL_STR(""), &unused, &err);
	if (!status)
		status = cli_decider_init(&tests.decider, cli,
					  cli_operand(cli, 0), &err);
	/* A test must not depend on who runs it. */
	tests.decider.no_global = true;
	if (!status)
		status = test_rules(&tests, &err);
	if (!status)
		status = test_events(&tests, &err);
	cli_decider_clear(&tests.decider);
	if (!status && bl_arena_status(&cli->arena))
		status = bl_arena_fail(&cli->arena, &err);
	if (status)
		return cli_fail(cli, &err);
	bl_buf_printf(&cli->out, "1..%zu\n", tests.count);
	if (!tests.count)
		return fail_empty(cli);
	return tests.failed ? EXIT_FAILED : 0;
}

const struct cli_code cli_code_test = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 1,
	.details = "Runs, as TAP, the rules test_... of the policies and of "
		   "DIR/tests, "
		   "once for each agent that has policies, and the cases "
		   "DIR/tests/*.json: an event, and what has to be decided "
		   "(belay-eval(1)).  The user's global policies take no "
		   "part.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  every test passes\n"
		   "  2  one does not\n"
		   "  67 there is no test\n",
	.run = run_test,
};
