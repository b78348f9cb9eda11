/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_check.c: belay check: what would be decided about a command line, a file
 * or a tool, by which rule, and what to do instead.  Nothing is run and nothing
 * is recorded; the event is made here, in the dialect of Claude Code.
 */
#include "cli/cli.h"
#include "cli/question.h"
#include "os/os.h"

enum {
	OPT_CWD = CLI_OPT_POLICY_COUNT,
	OPT_READ,
	OPT_WRITE,
	OPT_MCP,
	OPT_LEVEL,
	OPT_JSON,
};

static const struct cli_option options[] = {
	CLI_POLICY_ROWS,
	[OPT_CWD] = { "cwd", 0, CLI_VALUE, "DIR",
		      "where the line would run (default: here)" },
	[OPT_READ] = { "read", 0, CLI_VALUE, "PATH",
		       "a file that a tool would read" },
	[OPT_WRITE] = { "write", 0, CLI_VALUE, "PATH",
			"a file that a tool would write" },
	[OPT_MCP] = { "mcp", 0, CLI_VALUE, "TOOL",
		      "a tool of an MCP server: server/tool" },
	[OPT_LEVEL] = { "level", 0, CLI_VALUE, "LEVEL",
			"as if the rulebook said this level (default: what it "
			"says; standard where there is no rulebook)" },
	[OPT_JSON] = CLI_JSON_ROW,
};

/* ---- the event -------------------------------------------------------------- */

static enum bl_status find_question(struct cli *cli, struct cli_question *out,
				    struct bl_error *err)
{
	static const struct {
		size_t option;
		const char *tool;
		const char *field;
	} rows[] = {
		{ OPT_READ, "Read", "file_path" },
		{ OPT_WRITE, "Write", "file_path" },
		{ OPT_MCP, NULL, "name" },
	};
	size_t count = 0;

	if (cli->operand_count) {
		*out = (struct cli_question){ "Bash", "command",
					      cli_operand(cli, 0) };
		count++;
	}
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		if (!cli_has(cli, rows[i].option))
			continue;
		*out = (struct cli_question){ rows[i].tool, rows[i].field,
					      cli_value(cli, rows[i].option) };
		count++;
	}
	if (count == 1)
		return BL_OK;
	return bl_fail(err, BL_USAGE,
		       "give one command line, --read, --write or --mcp");
}

/* ---- for people --------------------------------------------------------------- */

static void put_field(struct cli *cli, const char *label, struct bl_str text)
{
	if (!text.len)
		return;
	bl_buf_printf(&cli->out, "  %-9s", label);
	cli_put_text(&cli->out, 11, text);
	bl_buf_put_char(&cli->out, '\n');
}

static void put_finding(struct cli *cli, const struct bl_finding *finding)
{
	put_field(cli, "rule", finding->rule_id);
	put_field(cli, "because",
		  finding->user.ptr ? finding->user : finding->reason);
	put_field(cli, "instead", finding->safe_alternative);
}

/* Of a rule whose mode is monitor. */
static void put_monitored(struct cli *cli, const struct bl_finding *finding)
{
	put_field(cli, "recorded", finding->rule_id);
	put_field(cli, "because", finding->reason);
	put_field(cli, "would be",
		  finding->verb == BL_VERB_ASK ? BL_STR("asked about")
					       : BL_STR("refused"));
}

static const struct {
	const char *word;
	enum cli_style style;
} verdicts[] = {
	[BL_VERDICT_NONE] = { "goes on", CLI_GREEN },
	[BL_VERDICT_ALLOW] = { "goes on", CLI_GREEN },
	[BL_VERDICT_ASK] = { "a person is asked", CLI_YELLOW },
	[BL_VERDICT_DENY] = { "refused", CLI_RED },
};

static void put_people(struct cli *cli, const struct bl_reply *reply)
{
	const struct bl_policy_report *report = &reply->report;
	enum bl_verdict verdict = reply->decision.verdict;

	cli_put_styled(cli, verdicts[verdict].style, verdicts[verdict].word);
	bl_buf_put_char(&cli->out, '\n');
	put_field(cli, "because", reply->failure);
	for (size_t i = 0; i < report->finding_count; i++)
		if (report->findings[i].counted)
			put_finding(cli, &report->findings[i]);
	for (size_t i = 0; i < report->spared_count && verdict < BL_VERDICT_ASK;
	     i++)
		put_monitored(cli, &report->spared[i]);
	for (size_t i = 0; i < report->trouble_count; i++)
		put_field(cli, "trouble", report->troubles[i].text);
}

static void put_json(struct cli *cli, const struct bl_reply *reply)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("verdict"),
			      bl_value_string(bl_str(bl_verdict_name(
				      reply->decision.verdict))));
	bl_object_builder_add(
		&all, BL_STR("report"),
		bl_policy_report_value(&reply->report, &cli->arena));
	bl_object_builder_add(&all, BL_STR("facts"), reply->report.facts);
	cli_put_json(cli, bl_object_builder_end(&all));
}

static enum bl_status decide(struct cli *cli, struct bl_engine **out_engine,
			     struct bl_reply *out_reply, struct bl_error *err)
{
	struct bl_request request = { .payload = BL_STR("") };
	struct cli_question question = { 0 };
	struct bl_str cwd = BL_STR(".");
	enum bl_status status = find_question(cli, &question, err);

	if (cli_has(cli, OPT_CWD))
		cwd = cli_value(cli, OPT_CWD);
	if (!status)
		status = bl_path_resolve(&cli->arena, cwd, &cwd, err);
	if (!status)
		status = cli_question_payload(&cli->arena, &question, cwd,
					      &request.payload, err);
	if (!status)
		status = cli_question_engine(cli, OPT_LEVEL, cwd, out_engine,
					     err);
	if (!status)
		status = bl_engine_dispatch(*out_engine, &request, &cli->arena,
					    out_reply, err);
	return status;
}

static int run_check(struct cli *cli)
{
	struct bl_engine *engine = NULL;
	struct bl_reply reply;
	struct bl_error err = { 0 };
	enum bl_status status = decide(cli, &engine, &reply, &err);
	int code = 0;

	if (!status) {
		if (cli_has(cli, OPT_JSON))
			put_json(cli, &reply);
		else
			put_people(cli, &reply);
		code = bl_verdict_exit_code(reply.decision.verdict);
		bl_reply_clear(&reply);
	}
	bl_engine_free(engine);
	return status ? cli_fail(cli, &err) : code;
}

const struct cli_code cli_code_check = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 1,
	.details =
		"Says what belay would decide, by which rule, and what to do "
		"instead.  Nothing is run, and nothing is recorded.\n"
		"\n"
		"Exit status:\n"
		"  0      it goes on\n"
		"  2      refused\n"
		"  3      a person is asked\n",
	.run = run_check,
};
