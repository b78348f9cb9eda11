/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question.c: an event made here, in the dialect of Claude Code, decided and
 * forgotten: for belay check, and for the commands that write rules and show
 * what they do.
 */
#include "cli/question.h"

#include "cli/cli.h"
#include "json/json.h"
#include "os/os.h"

bool cli_question_about(struct bl_str subject, struct bl_str text,
			struct cli_question *out)
{
	static const struct {
		const char *subject;
		const char *tool;
		const char *field;
	} rows[] = {
		{ "command", "Bash", "command" },
		{ "read", "Read", "file_path" },
		{ "write", "Write", "file_path" },
		{ "mcp", NULL, "name" },
		{ "host", "WebFetch", "url" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		if (!bl_str_is(subject, rows[i].subject))
			continue;
		*out = (struct cli_question){ .tool = rows[i].tool,
					      .field = rows[i].field,
					      .text = text };
		return true;
	}
	return false;
}

/* ---- the event -------------------------------------------------------------- */

/* "server/tool" as Claude Code calls it: mcp__server__tool. */
static struct bl_str mcp_name(struct bl_arena *arena, struct bl_str text)
{
	size_t slash = bl_str_find(text, BL_STR("/"), 0);
	struct bl_str server = bl_str_slice(text, 0, slash);
	struct bl_str tool = slash == SIZE_MAX
				     ? BL_STR("tool")
				     : bl_str_slice(text, slash + 1, SIZE_MAX);

	return bl_arena_printf(arena, "mcp__%.*s__%.*s", BL_STR_ARG(server),
			       BL_STR_ARG(tool));
}

enum bl_status cli_question_payload(struct bl_arena *arena,
				    const struct cli_question *question,
				    struct bl_str *out_text,
				    struct bl_error *err)
{
	struct bl_object_builder event;
	struct bl_object_builder input;
	struct bl_buf text;

	bl_object_builder_init(&event, arena);
	bl_object_builder_init(&input, arena);
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
					: mcp_name(arena, question->text)));
	bl_object_builder_add(&event, BL_STR("tool_input"),
			      bl_object_builder_end(&input));
	bl_object_builder_add(&event, BL_STR("cwd"),
			      bl_value_string(question->cwd));
	bl_buf_init(&text, 0);
	bl_json_write(&text, bl_object_builder_end(&event), BL_JSON_COMPACT);
	*out_text = bl_arena_copy_str(arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return out_text->ptr ? BL_OK : bl_arena_fail(arena, err);
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

static enum bl_status set_up(struct cli *cli,
			     const struct cli_question *question,
			     struct bl_str payload,
			     struct bl_engine_options *out_setup,
			     struct bl_error *err)
{
	struct bl_engine_policies *policies = &out_setup->policies;
	enum bl_status status = cli_policy_setup(cli, payload, out_setup, err);

	if (status)
		return status;
	out_setup->no_journal = true;
	if (!policies->dir.len)
		policies->dir = find_policies(cli, question->cwd);
	if (!policies->dir.len)
		policies->options.usual_level = BL_LEVEL_STANDARD;
	policies->options.level = question->level;
	policies->options.home = question->home;
	return BL_OK;
}

enum bl_status cli_question_engine(struct cli *cli,
				   const struct cli_question *question,
				   struct bl_engine **out_engine,
				   struct bl_error *err)
{
	struct bl_engine_options setup;
	struct bl_str payload;
	enum bl_status status =
		cli_question_payload(&cli->arena, question, &payload, err);

	if (!status)
		status = set_up(cli, question, payload, &setup, err);
	return status ? status : bl_engine_new(&setup, out_engine, err);
}

enum bl_status cli_ask(struct cli *cli, const struct cli_question *question,
		       struct bl_engine **out_engine,
		       struct bl_reply *out_reply, struct bl_error *err)
{
	struct bl_request request = { .payload = BL_STR("") };
	enum bl_status status = cli_question_payload(&cli->arena, question,
						     &request.payload, err);

	if (!status)
		status = cli_question_engine(cli, question, out_engine, err);
	if (!status)
		status = bl_engine_dispatch(*out_engine, &request, &cli->arena,
					    out_reply, err);
	return status;
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

static void put_finding(struct cli *cli,
			const struct bl_policy_finding *finding)
{
	put_field(cli, "rule", finding->rule_id);
	put_field(cli, "because",
		  finding->user.ptr ? finding->user : finding->reason);
	put_field(cli, "instead", finding->safe_alternative);
}

/* Of a rule whose mode is monitor. */
static void put_monitored(struct cli *cli,
			  const struct bl_policy_finding *finding)
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

void cli_put_decision(struct cli *cli, const struct bl_reply *reply)
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
