/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_explain.c: belay explain, how an event comes to its answer. */
#include "cli/capabilities.h"
#include "cli/log_rows.h"
#include "cli/policy_setup.h"

enum {
	OPT_CAPABILITIES = CLI_OPT_POLICY_COUNT,
	OPT_JSON,
	OPT_HOME,
	OPT_STATE_DIR,
};

static const struct cli_option options[] = {
	CLI_POLICY_ROWS,
	[OPT_CAPABILITIES] = { "capabilities", 0, CLI_FLAG, NULL,
			       "say what agents can do at each event; no event "
			       "is read" },
	[OPT_JSON] = CLI_JSON_ROW,
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
};

static void put_field(struct cli *cli, const char *label, struct bl_str text)
{
	bl_buf_printf(&cli->out, "%s: ", label);
	cli_put_text(&cli->out, 2, text.len ? text : BL_STR("-"));
	bl_buf_puts(&cli->out, "\n");
}

static void put_names(struct cli *cli, struct bl_names names)
{
	for (size_t i = 0; i < names.count; i++) {
		bl_buf_puts(&cli->out, i ? ", " : ": ");
		cli_put_text(&cli->out, 2, names.items[i]);
	}
}

static void put_routes(struct cli *cli, const struct bl_policy_report *report)
{
	bl_buf_puts(&cli->out, "\npolicies:\n");
	for (size_t i = 0; i < report->route_count; i++) {
		const struct bl_policy_routed *routed = &report->routes[i];

		bool runs = bl_route_runs(routed->route);

		bl_buf_puts(&cli->out, "  ");
		cli_put_styled(cli, runs ? CLI_GREEN : CLI_PLAIN,
			       runs ? "yes" : "no");
		bl_buf_puts(&cli->out, runs ? " " : "  ");
		cli_put_text(&cli->out, 2, routed->policy->package);
		bl_buf_printf(&cli->out, ": %s", bl_route_text(routed->route));
		put_names(cli, bl_policy_unmet(routed));
		bl_buf_puts(&cli->out, "\n");
	}
	if (!report->route_count)
		bl_buf_puts(&cli->out, "  none\n");
}

static void put_signals(struct cli *cli, const struct bl_policy_report *report)
{
	if (report->signal_count)
		bl_buf_puts(&cli->out, "\nsignals:\n");
	for (size_t i = 0; i < report->signal_count; i++) {
		const struct bl_signal_result *result = &report->signals[i];

		bl_buf_puts(&cli->out, "  ");
		cli_put_text(&cli->out, 2, result->name);
		bl_buf_printf(&cli->out, " (%lld ms): ",
			      (long long)(result->elapsed_ns / 1000000));
		if (result->problem.len) {
			cli_put_text(&cli->out, 2, result->problem);
			bl_buf_puts(&cli->out, "\n");
		} else {
			cli_put_json(cli, result->value);
		}
	}
}

static const enum cli_style verb_styles[BL_VERB_COUNT] = {
	[BL_VERB_HALT] = CLI_RED,    [BL_VERB_DENY] = CLI_RED,
	[BL_VERB_BLOCK] = CLI_RED,   [BL_VERB_ASK] = CLI_YELLOW,
	[BL_VERB_MODIFY] = CLI_BOLD, [BL_VERB_ADD_CONTEXT] = CLI_BOLD,
};

/* The rules and statements that made a decision. */
static void put_why(struct cli *cli, struct bl_value why)
{
	struct bl_str problem =
		bl_value_text(bl_object_find(why, BL_STR("problem")));
	struct bl_buf text;

	if (!bl_value_is_defined(why))
		return;
	bl_buf_init(&text, 0);
	bl_rego_put_explanation(&text, why, 6);
	if (!problem.len && !bl_buf_str(&text).len)
		problem = BL_STR("it came about in another way this time");
	if (problem.len) {
		bl_buf_puts(&cli->out, "    not explained: ");
		cli_put_text(&cli->out, 6, problem);
		bl_buf_puts(&cli->out, "\n");
	} else {
		bl_buf_puts(&cli->out, "    because:\n");
		cli_put_text(&cli->out, 0, bl_buf_str(&text));
	}
	bl_buf_clear(&text);
}

static void put_finding(struct cli *cli,
			const struct bl_policy_finding *finding)
{
	bl_buf_puts(&cli->out, "  ");
	cli_put_styled(cli, verb_styles[finding->verb],
		       bl_verb_name(finding->verb));
	bl_buf_printf(&cli->out, "%s [",
		      finding->counted ? "" : " (outranked)");
	cli_put_text(&cli->out, 2, finding->rule_id);
	bl_buf_puts(&cli->out, "] ");
	cli_put_text(&cli->out, 4, finding->reason);
	if (finding->document) {
		bl_buf_puts(&cli->out, "\n    at ");
		cli_put_text(&cli->out, 4, finding->document->file);
		bl_buf_printf(&cli->out, ":%u", finding->document->line);
	}
	bl_buf_puts(&cli->out, "\n");
	put_why(cli, finding->why);
}

static void put_findings(struct cli *cli, const struct bl_policy_report *report)
{
	bl_buf_puts(&cli->out, "\ndecisions:\n");
	for (size_t i = 0; i < report->finding_count; i++)
		put_finding(cli, &report->findings[i]);
	if (!report->finding_count)
		bl_buf_puts(&cli->out, "  none\n");
}

static void put_troubles(struct cli *cli, const struct bl_policy_report *report)
{
	if (report->trouble_count)
		bl_buf_puts(&cli->out, "\ntrouble:\n");
	for (size_t i = 0; i < report->trouble_count; i++) {
		const struct bl_policy_trouble *trouble = &report->troubles[i];

		bl_buf_printf(&cli->out, "  %s (%s): ",
			      bl_policy_failure_name(trouble->failure),
			      trouble->verdict == BL_VERDICT_NONE
				      ? "goes on"
				      : bl_verdict_name(trouble->verdict));
		cli_put_text(&cli->out, 4, trouble->text);
		bl_buf_puts(&cli->out, "\n");
	}
}

/* The agent does not do all that was decided. */
static void put_degradations(struct cli *cli, const struct bl_reply *reply)
{
	const char *said = bl_reply_word(reply);
	const char *done = bl_verb_name(reply->response.effect);
	bool is_refused = reply->decision.verdict == BL_VERDICT_DENY &&
			  reply->response.effect >= BL_VERB_BLOCK;

	for (unsigned loss = 0; loss < BL_DEGRADATION_COUNT; loss++) {
		if (!(reply->response.degradations & (1U << loss)))
			continue;
		cli_put_styled(cli, CLI_YELLOW, "note: ");
		if (strcmp(said, done) != 0 && !is_refused)
			bl_buf_printf(&cli->out,
				      "%s is answered as %s here, because ",
				      said, done);
		bl_buf_printf(&cli->out, "%s [%s]\n",
			      bl_degradation_text((enum bl_degradation)loss),
			      bl_degradation_id((enum bl_degradation)loss));
	}
}

/* The text that the agent reads, byte for byte but for the end of the line. */
static void put_answer(struct cli *cli, const struct bl_reply *reply)
{
	bl_buf_printf(&cli->out, "\ndecision: %s\neffect: %s\n",
		      bl_reply_word(reply),
		      bl_verb_name(reply->response.effect));
	put_degradations(cli, reply);
	bl_buf_printf(&cli->out, "exit status: %d\n",
		      reply->response.exit_code);
	put_field(cli, "answer", bl_str_trim(reply->response.output));
	if (reply->response.errors.len)
		put_field(cli, "standard error",
			  bl_str_trim(reply->response.errors));
	bl_buf_puts(&cli->out, "\nwhat becomes of decisions at this event:\n");
	cli_put_event_capabilities(cli, reply->request.event);
}

static void put_people(struct cli *cli, const struct bl_reply *reply)
{
	const struct bl_agent_request *request = &reply->request;

	put_field(cli, "agent", bl_str(request->agent->name));
	put_field(cli, "event", request->event_name);
	put_field(cli, "kind", bl_str(bl_event_kind_name(request->kind)));
	put_field(cli, "tool", request->tool_name);
	put_field(cli, "tool kind",
		  bl_str(bl_tool_kind_name(request->tool_kind)));
	put_routes(cli, &reply->report);
	put_signals(cli, &reply->report);
	put_troubles(cli, &reply->report);
	put_findings(cli, &reply->report);
	put_answer(cli, reply);
}

static void put_json(struct cli *cli, const struct bl_reply *reply)
{
	const struct bl_response *answer = &reply->response;
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("belay"), reply->request.canonical);
	bl_object_builder_add(
		&all, BL_STR("report"),
		bl_policy_report_value(&reply->report, &cli->arena));
	bl_object_builder_add(&all, BL_STR("decision"),
			      bl_value_string(bl_str(bl_reply_word(reply))));
	bl_object_builder_add(
		&all, BL_STR("effect"),
		bl_value_string(bl_str(bl_verb_name(answer->effect))));
	bl_object_builder_add(&all, BL_STR("losses"),
			      cli_degradations(cli, answer->degradations));
	bl_object_builder_add(&all, BL_STR("exit_code"),
			      bl_value_integer(answer->exit_code));
	bl_object_builder_add(&all, BL_STR("answer"),
			      bl_value_string(bl_str_trim(answer->output)));
	if (answer->errors.len)
		bl_object_builder_add(
			&all, BL_STR("errors"),
			bl_value_string(bl_str_trim(answer->errors)));
	bl_object_builder_add(
		&all, BL_STR("capabilities"),
		cli_event_capabilities(cli, reply->request.event));
	cli_put_json(cli, bl_object_builder_end(&all));
}

/* The capabilities of the named agent, or of all. */
static int explain_capabilities(struct cli *cli)
{
	struct bl_str name = cli_value(cli, CLI_OPT_HARNESS);
	struct bl_array_builder list;
	struct bl_error err;
	const struct bl_agent *only = NULL;

	if (name.ptr && cli_get_agent(name, &only, &err))
		return cli_fail(cli, &err);
	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; bl_agents[i]; i++) {
		const struct bl_agent *agent = bl_agents[i];
		struct bl_value rows;

		if (only && agent != only)
			continue;
		if (!cli_has(cli, OPT_JSON)) {
			cli_put_capabilities(cli, agent);
			continue;
		}
		rows = cli_capabilities(cli, agent);
		for (size_t j = 0; j < bl_value_count(rows); j++)
			bl_array_builder_add(&list, bl_value_item(rows, j));
	}
	if (cli_has(cli, OPT_JSON))
		cli_put_json(cli, bl_array_builder_end(&list));
	return 0;
}

/* An entry of the log: its result, and the rules that made it. */
static int explain_entry(struct cli *cli)
{
	struct cli_log_row row;
	struct bl_value entry;
	struct bl_error err;
	struct bl_str dir;
	enum bl_status status =
		cli_journal_dir(cli, OPT_STATE_DIR, OPT_HOME, &dir, &err);

	if (!status)
		status = bl_journal_find(dir, cli_operand(cli, 0), &cli->arena,
					 &entry, &err);
	if (status)
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_JSON)) {
		cli_put_json(cli, entry);
		return 0;
	}
	cli_log_read(&cli->arena, entry, &row);
	cli_log_explain(cli, &row);
	return 0;
}

static enum bl_status decide(struct cli *cli, struct bl_engine **out_engine,
			     struct bl_reply *out_reply, struct bl_error *err)
{
	struct bl_engine_options setup;
	struct bl_request request = { .payload = BL_STR("") };
	enum bl_status status = cli_read_payload(cli, &request.payload, err);

	if (!status && !bl_str_trim(request.payload).len)
		return bl_fail(err, BL_USAGE,
			       "nothing to explain: give the ID of an entry of "
			       "the log, or an event on standard input");
	if (!status)
		status = cli_policy_setup(cli, request.payload, &setup, err);
	if (status)
		return status;
	setup.policies.explain = true;
	status = bl_engine_new(&setup, out_engine, err);
	if (!status)
		status = bl_engine_dispatch(*out_engine, &request, &cli->arena,
					    out_reply, err);
	if (!status && out_reply->failure.len) {
		status = bl_fail(err, BL_INVALID, "%.*s",
				 BL_STR_ARG(out_reply->failure));
		bl_reply_clear(out_reply);
	}
	return status;
}

static int run_explain(struct cli *cli)
{
	struct bl_engine *engine = NULL;
	struct bl_reply reply;
	struct bl_error err;
	enum bl_status status;

	if (cli_has(cli, OPT_CAPABILITIES))
		return explain_capabilities(cli);
	if (cli->operand_count)
		return explain_entry(cli);
	status = decide(cli, &engine, &reply, &err);
	if (!status && cli_has(cli, OPT_JSON))
		put_json(cli, &reply);
	else if (!status)
		put_people(cli, &reply);
	if (!status)
		bl_reply_clear(&reply);
	bl_engine_free(engine);
	return status ? cli_fail(cli, &err) : 0;
}

const struct cli_code cli_code_explain = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 1,
	.details =
		"With ID, explains an entry of the log ('belay log' shows the "
		"beginning of its id): what the agent was told, by which "
		"rules, "
		"and what to do in its place.\n"
		"\n"
		"Without it, decides the event on standard input as 'belay "
		"eval' does, "
		"signals included, and says how: which policies took part "
		"and why the others did not, what they decided, the rules and "
		"statements with the values that made it so, what went "
		"wrong, and what the agent makes of the answer.\n"
		"\n"
		"--capabilities prints what becomes of each decision at "
		"every event of the agent, or of all agents.\n",
	.run = run_explain,
};
