/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c: replies and hooks, told to people. */
#include "cli/summary.h"

static const enum cli_style verdict_styles[BL_VERDICT_COUNT] = {
	[BL_VERDICT_NONE] = CLI_GREEN,
	[BL_VERDICT_ALLOW] = CLI_GREEN,
	[BL_VERDICT_ASK] = CLI_YELLOW,
	[BL_VERDICT_DENY] = CLI_RED,
};

static const char *const verdict_words[BL_VERDICT_COUNT] = {
	[BL_VERDICT_NONE] = "go on",
	[BL_VERDICT_ALLOW] = "allow",
	[BL_VERDICT_ASK] = "ask",
	[BL_VERDICT_DENY] = "deny",
};

static bool any_ran(const struct bl_reply *reply)
{
	for (size_t i = 0; i < reply->execution_count; i++) {
		if (reply->executions[i].ran)
			return true;
	}
	return false;
}

/* "  to the user: TEXT", lines after the first indented. */
static void put_labelled(struct bl_buf *out, const char *label,
			 struct bl_str text)
{
	if (!text.len)
		return;
	bl_buf_printf(out, "  %s: ", label);
	cli_put_text(out, 4, text);
	bl_buf_put_char(out, '\n');
}

void cli_put_hook(struct bl_buf *out, size_t indent, const struct bl_hook *hook)
{
	struct bl_str text = hook->command;

	bl_buf_printf(out, "%*s%s: ", (int)indent, "",
		      bl_source_name(hook->file->source));
	if (hook->type == BL_HOOK_PROMPT) {
		bl_buf_puts(out, "(prompt) ");
		text = hook->prompt;
	}
	cli_put_text(out, indent + 2, text.len ? text : hook->file->path);
	bl_buf_put_char(out, '\n');
}

void cli_put_notices(struct bl_buf *out, struct bl_value notices)
{
	for (size_t i = 0; i < bl_value_count(notices); i++)
		put_labelled(out, "notice",
			     bl_value_text(bl_value_item(notices, i)));
}

static void put_child_end(struct bl_buf *out,
			  const struct bl_reply_execution *execution)
{
	const struct bl_child_result *child = &execution->child;

	if (execution->outcome.kind == BL_OUTCOME_EXIT_CODE ||
	    execution->outcome.kind == BL_OUTCOME_EXIT_2)
		bl_buf_printf(out, " %d", child->code);
	if (execution->outcome.kind == BL_OUTCOME_SIGNAL)
		bl_buf_printf(out, " %d", child->code);
	if (execution->ran)
		bl_buf_printf(out, " after %.1f ms",
			      (double)child->elapsed_ns / 1e6);
}

/* The verdict of the hook, in a word: "deny, ". */
static void put_said(struct bl_buf *out, const struct bl_answer *answer)
{
	if (answer->stops)
		bl_buf_puts(out, "stop, ");
	else if (answer->permission != BL_VERDICT_NONE)
		bl_buf_printf(out, "%s, ", bl_verdict_name(answer->permission));
}

static void put_execution(struct bl_buf *out,
			  const struct bl_reply_execution *execution)
{
	const struct bl_outcome *outcome = &execution->outcome;

	cli_put_hook(out, 2, execution->hook);
	bl_buf_puts(out, "    ");
	if (!execution->ran && execution->match > BL_MATCH_RUNS_LIMIT) {
		bl_buf_printf(out, "not run: %s\n",
			      bl_match_text(execution->match));
		return;
	}
	if (outcome->kind == BL_OUTCOME_ANSWERED)
		put_said(out, &outcome->answer);
	bl_buf_puts(out, bl_outcome_name(outcome->kind));
	put_child_end(out, execution);
	if (outcome->kind != BL_OUTCOME_ANSWERED && outcome->reason.len) {
		bl_buf_puts(out, ": ");
		cli_put_text(out, 6, outcome->reason);
	}
	bl_buf_put_char(out, '\n');
}

static void put_policies(struct cli *cli, const struct bl_reply *reply)
{
	const struct bl_policy_report *report = &reply->report;

	bl_buf_printf(&cli->out, "policies: %s\n",
		      bl_verb_name(bl_decision_verb(&report->decision)));
	for (size_t i = 0; i < report->finding_count; i++) {
		const struct bl_policy_finding *finding = &report->findings[i];

		bl_buf_printf(&cli->out, "  %s%s [",
			      bl_verb_name(finding->verb),
			      finding->counted ? "" : " (outranked)");
		cli_put_text(&cli->out, 2, finding->rule_id);
		bl_buf_puts(&cli->out, "] ");
		cli_put_text(&cli->out, 4, finding->reason);
		bl_buf_put_char(&cli->out, '\n');
	}
}

/* ---- Everruns --------------------------------------------------------------- */

static void put_chain_execution(struct cli *cli,
				const struct bl_everruns_execution *execution)
{
	const struct bl_everruns_run *run = &execution->run;
	struct bl_str why = execution->hook->broken;

	bl_buf_puts(&cli->out, "  ");
	cli_put_text(&cli->out, 4, execution->id);
	if (why.len)
		bl_buf_puts(&cli->out, ": not valid");
	else
		bl_buf_printf(&cli->out, ": %s",
			      bl_everruns_outcome_name(run->outcome.kind));
	bl_buf_printf(&cli->out, " (%s)",
		      bl_everruns_effect_name(execution->effect));
	if (run->ran)
		bl_buf_printf(&cli->out, " after %.1f ms",
			      (double)run->child.elapsed_ns / 1e6);
	if (!why.len)
		why = run->outcome.reason;
	if (why.len) {
		bl_buf_puts(&cli->out, ": ");
		cli_put_text(&cli->out, 4, why);
	}
	bl_buf_put_char(&cli->out, '\n');
}

static void put_chain(struct cli *cli, const struct bl_reply *reply)
{
	const struct bl_everruns_chain *chain = reply->chain;

	bl_buf_printf(&cli->out,
		      "%s: ", bl_everruns_event_name(chain->facts.event));
	cli_put_styled(cli, chain->is_blocked ? CLI_RED : CLI_GREEN,
		       chain->is_blocked ? "deny" : "allow");
	bl_buf_put_char(&cli->out, '\n');
	put_labelled(&cli->out, "by", chain->blocked_by);
	put_labelled(&cli->out, "reason", chain->reason);
	put_labelled(&cli->out, "to the user", chain->user_message);
	if (chain->execution_count)
		bl_buf_puts(&cli->out, "hooks:\n");
	for (size_t i = 0; i < chain->execution_count; i++)
		put_chain_execution(cli, &chain->executions[i]);
	cli_put_notices(&cli->out, reply->notices);
}

/* ---- a whole reply ---------------------------------------------------------- */

void cli_put_reply(struct cli *cli, const struct bl_reply *reply)
{
	const struct bl_enforcement *enforcement = &reply->enforcement;
	enum bl_verdict verdict = enforcement->verdict;
	struct bl_buf *out = &cli->out;

	if (reply->chain) {
		put_chain(cli, reply);
		return;
	}
	bl_buf_printf(out, "%s: ", reply->hook_event->name);
	cli_put_styled(cli, verdict_styles[verdict], verdict_words[verdict]);
	if (enforcement->code)
		bl_buf_printf(out, " (%s)", enforcement->code);
	else if (verdict == BL_VERDICT_NONE && !any_ran(reply) &&
		 !reply->policies)
		bl_buf_puts(out, " (no hook ran)");
	bl_buf_put_char(out, '\n');
	put_labelled(out, "to the user", enforcement->user_text);
	put_labelled(out, "to the model", enforcement->model_text);
	put_labelled(out, "next prompt", enforcement->followup);
	cli_put_notices(out, reply->notices);
	if (reply->execution_count)
		bl_buf_puts(out, "hooks:\n");
	for (size_t i = 0; i < reply->execution_count; i++)
		put_execution(out, &reply->executions[i]);
	if (reply->policies)
		put_policies(cli, reply);
}
