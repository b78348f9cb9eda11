/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_check.c: belay check: what would be decided about a command line, a file
 * or a tool, by which rule, and what to do instead.  Nothing is run and nothing
 * is recorded; the event is made here, in the dialect of Claude Code.
 */
#include "cli/cli.h"
#include "cli/policy_setup.h"
#include "json/json.h"
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

/* A tool, and the field of its input that the operand is. */
struct question {
	const char *tool;
	const char *field;
	struct bl_str text;
};

static enum bl_status find_question(struct cli *cli, struct question *out,
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
		*out = (struct question){ "Bash", "command",
					  cli_operand(cli, 0) };
		count++;
	}
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		if (!cli_has(cli, rows[i].option))
			continue;
		*out = (struct question){ rows[i].tool, rows[i].field,
					  cli_value(cli, rows[i].option) };
		count++;
	}
	if (count == 1)
		return BL_OK;
	return bl_fail(err, BL_USAGE,
		       "give one command line, --read, --write or --mcp");
}

/* "server/tool" as Claude Code calls it: mcp__server__tool. */
static struct bl_str mcp_name(struct cli *cli, struct bl_str text)
{
	size_t slash = bl_str_find(text, BL_STR("/"), 0);
	struct bl_str server = bl_str_slice(text, 0, slash);
	struct bl_str tool = slash == SIZE_MAX
				     ? BL_STR("tool")
				     : bl_str_slice(text, slash + 1, SIZE_MAX);

	return bl_arena_printf(&cli->arena, "mcp__%.*s__%.*s",
			       BL_STR_ARG(server), BL_STR_ARG(tool));
}

static enum bl_status make_payload(struct cli *cli,
				   const struct question *question,
				   struct bl_str cwd, struct bl_str *out_text,
				   struct bl_error *err)
{
	struct bl_object_builder event;
	struct bl_object_builder input;
	struct bl_buf text;

	bl_object_builder_init(&event, &cli->arena);
	bl_object_builder_init(&input, &cli->arena);
	bl_object_builder_add(&input, bl_str(question->field),
			      bl_value_string(question->text));
	/* The fields by which the agent is known. */
	bl_object_builder_add(&event, BL_STR("session_id"),
			      bl_value_string(BL_STR("check")));
	bl_object_builder_add(&event, BL_STR("transcript_path"),
			      bl_value_string(BL_STR("/dev/null")));
	bl_object_builder_add(&event, BL_STR("hook_event_name"),
			      bl_value_string(BL_STR("PreToolUse")));
	bl_object_builder_add(
		&event, BL_STR("tool_name"),
		bl_value_string(question->tool
					? bl_str(question->tool)
					: mcp_name(cli, question->text)));
	bl_object_builder_add(&event, BL_STR("tool_input"),
			      bl_object_builder_end(&input));
	bl_object_builder_add(&event, BL_STR("cwd"), bl_value_string(cwd));
	bl_buf_init(&text, 0);
	bl_json_write(&text, bl_object_builder_end(&event), BL_JSON_COMPACT);
	*out_text = bl_arena_copy_str(&cli->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return out_text->ptr ? BL_OK : bl_arena_fail(&cli->arena, err);
}

/* ---- the decision ------------------------------------------------------------ */

/* The policies of the folder, or of the nearest one above it that has some. */
static struct bl_str find_policies(struct cli *cli, struct bl_str folder)
{
	for (;;) {
		struct bl_str found = bl_policy_dir_of(folder, &cli->arena);

		if (found.ptr || folder.len <= 1)
			return found;
		folder = bl_path_dir(folder);
	}
}

static enum bl_status set_up(struct cli *cli, struct bl_str cwd,
			     struct bl_str payload,
			     struct bl_engine_options *out_setup,
			     struct bl_error *err)
{
	struct bl_engine_policies *policies = &out_setup->policies;
	struct bl_str level = cli_value(cli, OPT_LEVEL);
	enum bl_status status = cli_policy_setup(cli, payload, out_setup, err);

	if (status)
		return status;
	out_setup->no_journal = true;
	if (!policies->dir.len)
		policies->dir = find_policies(cli, cwd);
	if (!policies->dir.len)
		policies->options.level = BL_LEVEL_STANDARD;
	if (level.ptr && !bl_level_parse(level, &policies->options.level))
		return bl_fail(err, BL_USAGE,
			       "--level is off, relaxed, standard or strict");
	return BL_OK;
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
	struct bl_engine_options setup;
	struct bl_request request = { .payload = BL_STR("") };
	struct question question = { 0 };
	struct bl_str cwd = BL_STR(".");
	enum bl_status status = find_question(cli, &question, err);

	if (cli_has(cli, OPT_CWD))
		cwd = cli_value(cli, OPT_CWD);
	if (!status)
		status = bl_path_resolve(&cli->arena, cwd, &cwd, err);
	if (!status)
		status = make_payload(cli, &question, cwd, &request.payload,
				      err);
	if (!status)
		status = set_up(cli, cwd, request.payload, &setup, err);
	if (!status)
		status = bl_engine_new(&setup, out_engine, err);
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
