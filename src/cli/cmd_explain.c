/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_explain.c: belay explain, how an event comes to its answer. */
#include "cli/policy_setup.h"

enum { OPT_JSON = CLI_OPT_POLICY_COUNT };

static const struct cli_option options[] = {
	CLI_POLICY_ROWS,
	[OPT_JSON] = CLI_JSON_ROW,
};

static void put_field(struct cli *cli, const char *label, struct bl_str text)
{
	bl_buf_printf(&cli->out, "%s: ", label);
	cli_put_text(&cli->out, 2, text.len ? text : BL_STR("-"));
	bl_buf_puts(&cli->out, "\n");
}

static void put_routes(struct cli *cli, const struct bl_policy_report *report)
{
	bl_buf_puts(&cli->out, "\npolicies:\n");
	for (size_t i = 0; i < report->route_count; i++) {
		const struct bl_policy_routed *routed = &report->routes[i];

		bl_buf_printf(&cli->out, "  %s ",
			      bl_route_runs(routed->route) ? "yes" : "no ");
		cli_put_text(&cli->out, 2, routed->policy->package);
		bl_buf_printf(&cli->out, ": %s\n",
			      bl_route_text(routed->route));
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

static void put_findings(struct cli *cli, const struct bl_policy_report *report)
{
	bl_buf_puts(&cli->out, "\ndecisions:\n");
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct bl_finding *finding = &report->findings[i];

		bl_buf_printf(&cli->out, "  %s%s [",
			      bl_verb_name(finding->verb),
			      finding->counted ? "" : " (outranked)");
		cli_put_text(&cli->out, 2, finding->rule_id);
		bl_buf_puts(&cli->out, "] ");
		cli_put_text(&cli->out, 4, finding->reason);
		if (finding->document) {
			bl_buf_puts(&cli->out, "\n    at ");
			cli_put_text(&cli->out, 4, finding->document->file);
			bl_buf_printf(&cli->out, ":%u",
				      finding->document->line);
		}
		bl_buf_puts(&cli->out, "\n");
	}
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

/* What the agent can do at this event, and what of the answer is lost. */
static void put_answer(struct cli *cli, const struct bl_eval *eval)
{
	static const struct {
		unsigned bit;
		const char *name;
	} abilities[] = {
		{ BL_GUEST_CAN_REFUSE, "refuse" },
		{ BL_GUEST_CAN_ASK, "ask" },
		{ BL_GUEST_CAN_REWRITE, "change the input" },
		{ BL_GUEST_CAN_CONTEXT, "take context" },
		{ BL_GUEST_CAN_CONTINUE, "go on instead of ending" },
		{ BL_GUEST_CAN_HALT, "end the turn" },
		{ BL_GUEST_CAN_FEEDBACK, "take feedback" },
	};
	const char *separator = "";

	bl_buf_puts(&cli->out, "\nthe agent can here: ");
	for (size_t i = 0; i < BL_COUNT(abilities); i++) {
		if (!(eval->request.event->abilities & abilities[i].bit))
			continue;
		bl_buf_printf(&cli->out, "%s%s", separator, abilities[i].name);
		separator = ", ";
	}
	bl_buf_printf(&cli->out, "%s\neffect: %s\n",
		      *separator ? "" : "nothing",
		      bl_ruling_verb_name(eval->answer.effect));
	for (unsigned loss = 0; loss < BL_GUEST_LOSS_COUNT; loss++)
		if (eval->answer.losses & (1U << loss))
			bl_buf_printf(
				&cli->out, "note: %s [%s]\n",
				bl_guest_loss_text((enum bl_guest_loss)loss),
				bl_guest_loss_id((enum bl_guest_loss)loss));
	bl_buf_puts(&cli->out, "answer: ");
	cli_put_text(&cli->out, 2, bl_str_trim(eval->answer.output));
	bl_buf_puts(&cli->out, "\n");
}

static void put_people(struct cli *cli, const struct bl_eval *eval)
{
	const struct bl_guest_request *request = &eval->request;

	put_field(cli, "agent", bl_str(bl_agent_name(request->agent)));
	put_field(cli, "event", request->event_name);
	put_field(cli, "kind", bl_str(bl_event_kind_name(request->kind)));
	put_field(cli, "tool", request->tool_name);
	put_field(cli, "tool kind",
		  bl_str(bl_tool_kind_name(request->tool_kind)));
	put_routes(cli, &eval->report);
	put_signals(cli, &eval->report);
	put_troubles(cli, &eval->report);
	put_findings(cli, &eval->report);
	put_answer(cli, eval);
}

static void put_json(struct cli *cli, const struct bl_eval *eval)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("belay"), eval->request.canonical);
	bl_object_builder_add(
		&all, BL_STR("report"),
		bl_policy_report_value(&eval->report, &cli->arena));
	bl_object_builder_add(
		&all, BL_STR("answer"),
		bl_value_string(bl_str_trim(eval->answer.output)));
	cli_put_json(cli, bl_object_builder_end(&all));
}

static int run(struct cli *cli)
{
	struct bl_eval_options eval_options;
	struct bl_eval eval = { 0 };
	struct bl_diags diags;
	struct bl_str payload;
	struct bl_error err;
	enum bl_status status = cli_read_payload(cli, &payload, &err);

	bl_diags_init(&diags, &cli->arena);
	if (!status)
		status = cli_policy_setup(cli, payload, &eval_options, &err);
	if (!status)
		status = bl_eval_load(&eval_options, &cli->arena, &diags, &eval,
				      &err);
	if (!status)
		status = bl_eval_event(&eval_options, payload, &cli->arena,
				       &eval, &err);
	bl_eval_clear(&eval);
	if (!status && !eval.request.event)
		status = bl_fail(&err, BL_INVALID, "%.*s",
				 BL_STR_ARG(eval.complaint));
	if (status)
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_JSON))
		put_json(cli, &eval);
	else
		put_people(cli, &eval);
	return 0;
}

const struct cli_code cli_code_explain = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details = "Decides the event on standard input as 'belay eval' does, "
		   "signals included, and says how: which policies took part "
		   "and why the others did not, what they said and where, what "
		   "went wrong, and what the agent makes of the answer.\n",
	.run = run,
};
