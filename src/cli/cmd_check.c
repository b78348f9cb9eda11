/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_check.c: belay check: what would be decided about a command line, a file
 * or a tool, by which rule, and what to do instead.  Nothing is run and nothing
 * is recorded.
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

/* ---- the question ------------------------------------------------------------ */

static enum bl_status find_question(struct cli *cli, struct cli_question *out,
				    struct bl_error *err)
{
	static const struct {
		size_t option;
		const char *subject;
	} rows[] = {
		{ OPT_READ, "read" },
		{ OPT_WRITE, "write" },
		{ OPT_MCP, "mcp" },
	};
	size_t count = 0;

	if (cli->operand_count) {
		cli_question_about(BL_STR("command"), cli_operand(cli, 0), out);
		count++;
	}
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		if (!cli_has(cli, rows[i].option))
			continue;
		cli_question_about(bl_str(rows[i].subject),
				   cli_value(cli, rows[i].option), out);
		count++;
	}
	if (count == 1)
		return BL_OK;
	return bl_fail(err, BL_USAGE,
		       "give one command line, --read, --write or --mcp");
}

static enum bl_status decide(struct cli *cli, struct bl_engine **out_engine,
			     struct bl_reply *out_reply, struct bl_error *err)
{
	struct cli_question question = { 0 };
	struct bl_str level = cli_value(cli, OPT_LEVEL);
	struct bl_str cwd =
		cli_has(cli, OPT_CWD) ? cli_value(cli, OPT_CWD) : BL_STR(".");
	enum bl_status status = find_question(cli, &question, err);

	if (!status)
		status = bl_path_resolve(&cli->arena, cwd, &question.cwd, err);
	if (!status && level.ptr && !bl_level_parse(level, &question.level))
		status = bl_fail(err, BL_USAGE,
				 "--level is off, relaxed, standard or strict");
	if (!status && cli_user_home(cli, &question.home, NULL))
		question.home = BL_STR("");
	return status ? status
		      : cli_ask(cli, &question, out_engine, out_reply, err);
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
			cli_put_decision(cli, &reply);
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
