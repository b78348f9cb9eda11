/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_replay.c: belay replay, recorded events against other policies. */
#include "cli/event_cases.h"

enum {
	OPT_FORMAT = CLI_OPT_POLICY_COUNT,
	OPT_STATE_DIR,
	OPT_LINES,
};

static const struct cli_option options[] = {
	CLI_POLICY_ROWS,
	[OPT_FORMAT] = { "format", 0, CLI_VALUE, "FORMAT",
			 "human (the default) or json" },
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_LINES] = { "lines", 'n', CLI_NUMBER, "N",
			"look at the last N entries of the log (default: "
			"1000)" },
};

enum { USUAL_LINES = 1000, EXIT_CHANGED = 1 };

enum result { SAME, CHANGED, UNKNOWN, RESULTS };

static const struct {
	const char *word;
	enum cli_style style;
} results[RESULTS] = {
	[SAME] = { "same", CLI_GREEN },
	[CHANGED] = { "changed", CLI_RED },
	[UNKNOWN] = { "unknown", CLI_YELLOW },
};

struct replay {
	struct cli *cli;
	struct cli_decider decider;
	struct cli_event_cases cases;
	size_t counts[RESULTS];
	struct bl_array_builder events; /* of --format json */
	bool is_json;
};

/* One event, replayed. */
struct replayed {
	const struct cli_event_case *event;
	enum result result;
	struct bl_str event_name;
	struct bl_str decision; /* empty: none */
	struct bl_str reason;   /* of the decision */
	struct bl_str problem;  /* why it is unknown */
};

/* ---- what is shown ---------------------------------------------------------- */

static void put_text(struct bl_buf *out, struct bl_str text)
{
	cli_put_text(out, 2, text.len ? text : BL_STR("?"));
}

static void put_human(struct cli *cli, const struct replayed *one)
{
	struct bl_buf *out = &cli->out;

	cli_put_styled(cli, results[one->result].style,
		       results[one->result].word);
	bl_buf_put_char(out, ' ');
	put_text(out, one->event->name);
	bl_buf_printf(out, " %s ",
		      one->event->agent ? one->event->agent->name : "?");
	put_text(out, one->event_name);
	bl_buf_puts(out, ": ");
	put_text(out, one->event->decision);
	bl_buf_puts(out, " -> ");
	put_text(out, one->decision);
	if (one->result == CHANGED && one->reason.len) {
		bl_buf_puts(out, "\n  ");
		cli_put_text(out, 2, one->reason);
	}
	if (one->problem.len) {
		bl_buf_puts(out, "\n  ");
		cli_put_text(out, 2, one->problem);
	}
	bl_buf_put_char(out, '\n');
}

static void add_text(struct bl_object_builder *out, const char *name,
		     struct bl_str text)
{
	if (text.len)
		bl_object_builder_add(out, bl_str(name), bl_value_string(text));
}

static void add_json(struct replay *replay, const struct replayed *one)
{
	struct bl_arena *arena = &replay->cli->arena;
	struct bl_object_builder shown;

	bl_object_builder_init(&shown, arena);
	add_text(&shown, "name", one->event->name);
	if (one->event->agent)
		add_text(&shown, "harness", bl_str(one->event->agent->name));
	add_text(&shown, "event", bl_arena_copy_str(arena, one->event_name));
	add_text(&shown, "result", bl_str(results[one->result].word));
	add_text(&shown, "old", one->event->decision);
	add_text(&shown, "new", one->decision);
	add_text(&shown, "reason", bl_arena_copy_str(arena, one->reason));
	add_text(&shown, "problem", bl_arena_copy_str(arena, one->problem));
	bl_array_builder_add(&replay->events, bl_object_builder_end(&shown));
}

static void put_summary(struct replay *replay)
{
	struct cli *cli = replay->cli;
	struct bl_object_builder all;

	if (!replay->is_json) {
		for (int i = 0; i < RESULTS; i++)
			bl_buf_printf(&cli->out, "%s%zu %s", i ? ", " : "",
				      replay->counts[i], results[i].word);
		bl_buf_put_char(&cli->out, '\n');
		return;
	}
	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("events"),
			      bl_array_builder_end(&replay->events));
	for (int i = 0; i < RESULTS; i++)
		bl_object_builder_add(
			&all, bl_str(results[i].word),
			bl_value_integer((int64_t)replay->counts[i]));
	cli_put_json(cli, bl_object_builder_end(&all));
}

/* ---- replaying -------------------------------------------------------------- */

static void compare(struct replayed *one, const struct bl_reply *reply)
{
	one->decision = bl_str(bl_reply_word(reply));
	one->reason = reply->failure.len ? reply->failure
					 : reply->decision.user_message;
	if (reply->request.event)
		one->event_name = reply->request.event_name;
	if (!one->event->decision.len)
		one->problem = BL_STR("there is no old decision");
	else
		one->result = bl_str_equal(one->decision, one->event->decision)
				      ? SAME
				      : CHANGED;
}

static enum bl_status replay_one(struct replay *replay,
				 struct cli_event_case *event,
				 struct bl_arena *arena, struct bl_error *err)
{
	struct replayed one = {
		.event = event,
		.result = UNKNOWN,
		.event_name = event->event_name,
		.problem = event->problem,
	};
	struct bl_reply reply = { .profile = NULL };
	enum bl_status status = BL_OK;

	if (!event->problem.len) {
		status = cli_decide_case(&replay->decider, event, arena, &reply,
					 err);
		if (!status)
			compare(&one, &reply);
		else if (status == BL_USAGE)
			one.problem = bl_str(err->message);
		else
			return status;
	}
	replay->counts[one.result]++;
	if (replay->is_json)
		add_json(replay, &one);
	else
		put_human(replay->cli, &one);
	bl_reply_clear(&reply);
	return BL_OK;
}

/* With --harness, what the log knows to be of another agent is left out. */
static bool is_wanted(struct cli *cli, const struct cli_event_case *event)
{
	struct bl_str harness = cli_value(cli, CLI_OPT_HARNESS);

	return !harness.ptr || !event->agent ||
	       bl_str_is(harness, event->agent->name);
}

static enum bl_status replay_all(struct replay *replay, struct bl_error *err)
{
	enum bl_status status = BL_OK;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; !status && i < replay->cases.count; i++) {
		struct cli_event_case *event = &replay->cases.items[i];

		if (is_wanted(replay->cli, event))
			status = replay_one(replay, event, &arena, err);
		bl_arena_reset(&arena);
		cli_show_progress(replay->cli, i + 1, "events");
	}
	cli_show_progress(replay->cli, 0, NULL);
	bl_arena_clear(&arena);
	return status;
}

static enum bl_status collect(struct replay *replay, struct bl_error *err)
{
	struct cli *cli = replay->cli;
	struct bl_str dir;
	size_t most = cli_has(cli, OPT_LINES) ? cli->given[OPT_LINES].number
					      : USUAL_LINES;
	enum bl_status status = BL_OK;

	for (size_t i = 0; !status && i < cli->operand_count; i++)
		status = cli_add_event_cases(cli, cli->operands[i],
					     &replay->cases, err);
	if (status || cli->operand_count)
		return status;
	/* There is no --home: without the one option, the user's home. */
	status = cli_journal_dir(cli, OPT_STATE_DIR, OPT_STATE_DIR, &dir, err);
	if (!status)
		status = cli_add_journal_cases(cli, dir, most, &replay->cases,
					       err);
	return status;
}

static enum bl_status check_options(struct cli *cli, struct bl_error *err)
{
	struct bl_str format = cli_value(cli, OPT_FORMAT);
	struct bl_engine_options unused;

	if (format.ptr && !bl_str_is(format, "json") &&
	    !bl_str_is(format, "human"))
		return bl_fail(err, BL_USAGE, "--format is human or json");
	if (!cli_has(cli, CLI_OPT_HARNESS))
		return BL_OK;
	return cli_policy_setup(cli, BL_STR(""), &unused, err);
}

static int run_replay(struct cli *cli)
{
	struct replay replay = {
		.cli = cli,
		.is_json = bl_str_is(cli_value(cli, OPT_FORMAT), "json"),
	};
	struct bl_error err;
	enum bl_status status = check_options(cli, &err);

	bl_array_builder_init(&replay.events, &cli->arena);
	if (!status)
		status = cli_decider_init(&replay.decider, cli,
					  cli_value(cli, CLI_OPT_POLICY_DIR),
					  &err);
	if (!status)
		status = collect(&replay, &err);
	if (!status)
		status = replay_all(&replay, &err);
	if (!status)
		put_summary(&replay);
	if (!status && bl_arena_status(&cli->arena))
		status = bl_arena_fail(&cli->arena, &err);
	cli_decider_clear(&replay.decider);
	if (status)
		return cli_fail(cli, &err);
	return replay.counts[CHANGED] ? EXIT_CHANGED : 0;
}

const struct cli_code cli_code_replay = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = CLI_MAX_OPERANDS,
	.details =
		"Decides recorded events anew, by the policies of "
		"--policy-dir, "
		"and compares.  The events are those that 'belay eval "
		"--log-payload' has logged, with the results of their signals; "
		"or, of each PATH, a payload or a case of 'belay test', a "
		"folder's *.json.  Nothing is logged.\n"
		"\n"
		"Exit status:\n"
		"  0  no decision changed\n"
		"  1  one did\n",
	.run = run_replay,
};
