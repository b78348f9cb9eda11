/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_log.c: belay log, belay log show and belay log verify. */
#include "cli/log_rows.h"

#include "json/json.h"

enum {
	OPT_HOME,
	OPT_STATE_DIR,
	OPT_JSON,
	OPT_FOLLOW,
	OPT_LINES,
	OPT_DENIED,
	OPT_SINCE,
	OPT_AGENT,
	OPT_RULE,
};

static const struct cli_option options[] = {
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_JSON] = { "json", 0, CLI_FLAG, NULL, "print JSON, one line each" },
	[OPT_FOLLOW] = { "follow", 'f', CLI_FLAG, NULL,
			 "go on with what is logged from now on" },
	[OPT_LINES] = { "lines", 'n', CLI_NUMBER, "N",
			"show the last N (default: 100)" },
	[OPT_DENIED] = { "denied", 0, CLI_FLAG, NULL, "only what was refused" },
	[OPT_SINCE] = { "since", 0, CLI_VALUE, "TIME",
			"only from then on: 30m, 2h, 7d, 2026-11-28 (UTC)" },
	[OPT_AGENT] = { "agent", 0, CLI_VALUE, "AGENT",
			"only of this agent, or profile" },
	[OPT_RULE] = { "rule", 0, CLI_VALUE, "RULE",
		       "only by this rule, or a rule of this pack" },
};

/* ---- belay log ---------------------------------------------------------- */

static enum bl_status read_filter(struct cli *cli,
				  struct cli_log_filter *out_filter,
				  struct bl_error *err)
{
	*out_filter = (struct cli_log_filter){
		.denied = cli_has(cli, OPT_DENIED),
		.agent = cli_value(cli, OPT_AGENT),
		.rule = cli_value(cli, OPT_RULE),
	};
	if (!cli_has(cli, OPT_SINCE))
		return BL_OK;
	return cli_log_parse_since(&cli->arena, cli_value(cli, OPT_SINCE),
				   &out_filter->since, err);
}

static bool is_filtered(const struct cli *cli)
{
	return cli_has(cli, OPT_DENIED) || cli_has(cli, OPT_SINCE) ||
	       cli_has(cli, OPT_AGENT) || cli_has(cli, OPT_RULE);
}

static void put(struct cli *cli, const struct cli_log_row *row)
{
	if (cli_has(cli, OPT_JSON))
		cli_put_json(cli, row->entry);
	else
		cli_log_put(cli, row);
}

struct follower {
	struct cli *cli;
	const struct cli_log_filter *filter;
	enum bl_status status;
	struct bl_error *err;
};

static bool follow_line(void *context, struct bl_str line)
{
	struct follower *follower = context;
	struct cli_log_row row;
	struct bl_arena arena;
	struct bl_value entry;

	bl_arena_init(&arena, NULL, 0, 0);
	if (!bl_json_read(&arena, line, NULL, &entry, NULL, NULL, NULL)) {
		cli_log_read(&arena, entry, &row);
		if (cli_log_takes(follower->filter, &row))
			put(follower->cli, &row);
	}
	bl_arena_clear(&arena);
	follower->status = cli_flush(follower->cli, follower->err);
	return !follower->status;
}

static enum bl_status follow(struct cli *cli, struct bl_str dir,
			     const struct cli_log_filter *filter,
			     struct bl_error *err)
{
	struct follower follower = { cli, filter, BL_OK, err };
	enum bl_status status = cli_flush(cli, err);

	if (!status)
		status =
			bl_journal_follow(dir, -1, follow_line, &follower, err);
	return status ? status : follower.status;
}

/* The last of those that are wanted. */
static void put_entries(struct cli *cli, const struct bl_value *entries,
			size_t count, size_t most,
			const struct cli_log_filter *filter)
{
	struct cli_log_row row;
	size_t first = count;
	size_t left = most;

	while (first > 0 && left > 0) {
		cli_log_read(&cli->arena, entries[--first], &row);
		left -= cli_log_takes(filter, &row);
	}
	for (size_t i = first; i < count; i++) {
		cli_log_read(&cli->arena, entries[i], &row);
		if (cli_log_takes(filter, &row))
			put(cli, &row);
	}
}

static int run_log(struct cli *cli)
{
	struct cli_log_filter filter;
	struct bl_str dir;
	struct bl_value *entries;
	size_t most = cli_has(cli, OPT_LINES) ? cli->given[OPT_LINES].number
					      : BL_JOURNAL_SHOWN;
	size_t count = 0;
	size_t bad = 0;
	struct bl_error err;
	enum bl_status status = read_filter(cli, &filter, &err);

	if (!status)
		status = cli_journal_dir(cli, OPT_STATE_DIR, OPT_HOME, &dir,
					 &err);
	if (!status)
		status = bl_journal_read_last(
			dir, is_filtered(cli) ? CLI_LOG_MAX : most, &cli->arena,
			&entries, &count, &bad, &err);
	if (!status)
		put_entries(cli, entries, count, most, &filter);
	if (!status && !cli->out.len && !cli_has(cli, OPT_FOLLOW) &&
	    !cli_has(cli, OPT_JSON))
		cli_note("belay: nothing %s\n",
			 count ? "in the log fits" : "is logged yet");
	if (!status && bad)
		cli_note("belay: %zu line%s of the log cannot be read\n", bad,
			 bad == 1 ? "" : "s");
	if (!status && cli_has(cli, OPT_FOLLOW))
		status = follow(cli, dir, &filter, &err);
	return status ? cli_fail(cli, &err) : 0;
}

/* ---- belay log show ----------------------------------------------------- */

static int run_show(struct cli *cli)
{
	struct bl_str dir;
	struct bl_value entry;
	struct bl_error err;
	enum bl_status status =
		cli_journal_dir(cli, OPT_STATE_DIR, OPT_HOME, &dir, &err);

	if (!status)
		status = bl_journal_find(dir, cli_operand(cli, 0), &cli->arena,
					 &entry, &err);
	if (status)
		return cli_fail(cli, &err);
	bl_json_write(&cli->out, entry,
		      cli_has(cli, OPT_JSON) ? BL_JSON_COMPACT
					     : BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
	return 0;
}

/* ---- belay log verify --------------------------------------------------- */

enum { OPT_EXPECT = OPT_JSON + 1 };

static const struct cli_option verify_options[] = {
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_JSON] = CLI_JSON_ROW,
	[OPT_EXPECT] = { "expect", 0, CLI_VALUE, "DIGEST",
			 "a last link that was noted before: it must be "
			 "there" },
};

static void put_check(struct cli *cli, const struct bl_journal_check *check)
{
	struct bl_buf *out = &cli->out;

	bl_buf_printf(out, "%llu lines in %u chain%s: ",
		      (unsigned long long)check->lines, check->chains,
		      check->chains == 1 ? "" : "s");
	if (check->is_broken)
		bl_buf_printf(
			out, "BROKEN at line %llu of journal.jsonl%s%.0u\n",
			(unsigned long long)check->broken_line,
			check->broken_file ? "." : "", check->broken_file);
	else
		bl_buf_puts(out, "whole\n");
	if (check->begins_within)
		bl_buf_puts(out, "the oldest line follows one that is gone "
				 "(rotated away, or removed)\n");
	if (check->unchained)
		bl_buf_printf(out,
			      "%llu lines have no link (torn, or of an older "
			      "belay)\n",
			      (unsigned long long)check->unchained);
	if (check->lines)
		bl_buf_printf(out, "last link %s\n", check->last);
}

static void put_check_json(struct cli *cli,
			   const struct bl_journal_check *check)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, &cli->arena);
	bl_object_builder_add(&out, BL_STR("whole"),
			      bl_value_boolean(!check->is_broken));
	bl_object_builder_add(&out, BL_STR("lines"),
			      bl_value_integer((int64_t)check->lines));
	bl_object_builder_add(&out, BL_STR("chains"),
			      bl_value_integer(check->chains));
	bl_object_builder_add(&out, BL_STR("unchained"),
			      bl_value_integer((int64_t)check->unchained));
	bl_object_builder_add(&out, BL_STR("begins_within"),
			      bl_value_boolean(check->begins_within));
	if (check->is_broken) {
		bl_object_builder_add(&out, BL_STR("broken_file"),
				      bl_value_integer(check->broken_file));
		bl_object_builder_add(
			&out, BL_STR("broken_line"),
			bl_value_integer((int64_t)check->broken_line));
	}
	bl_object_builder_add(&out, BL_STR("last"),
			      bl_value_string(bl_arena_copy_str(
				      &cli->arena, bl_str(check->last))));
	cli_put_json(cli, bl_object_builder_end(&out));
}

static int run_verify(struct cli *cli)
{
	struct bl_str noted = cli_value(cli, OPT_EXPECT);
	struct bl_journal_check check;
	struct bl_str dir;
	struct bl_error err;
	enum bl_status status =
		cli_journal_dir(cli, OPT_STATE_DIR, OPT_HOME, &dir, &err);

	if (!status)
		status = bl_journal_verify(dir, noted, &check, &err);
	if (status)
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_JSON))
		put_check_json(cli, &check);
	else
		put_check(cli, &check);
	if (noted.len && !check.has_noted)
		bl_fail(&err, BL_INVALID,
			"the link that was noted is not there: lines were "
			"removed, or all links were made anew");
	else if (check.is_broken)
		bl_fail(&err, BL_INVALID,
			"a line is not the one that belay wrote there");
	else
		return 0;
	return cli_fail(cli, &err);
}

const struct cli_code cli_code_log = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"One line an entry: the beginning of its id, the time (UTC), "
		"the agent, what it was told, the command or file, the rules "
		"and why. 'belay explain ID' says more about one, 'belay log "
		"show ID' everything. Entries of the events with which 'belay "
		"init' tries itself out are marked [canary]. With a filter, "
		"the last 50000 entries are looked at.\n",
	.run = run_log,
};

const struct cli_code cli_code_log_show = {
	.options = options,
	.option_count = OPT_JSON + 1,
	.least_operands = 1,
	.most_operands = 1,
	.details = "ID may be the beginning of one, if no other begins so.\n",
	.run = run_show,
};

const struct cli_code cli_code_log_verify = {
	.options = verify_options,
	.option_count = BL_COUNT(verify_options),
	.details =
		"Each line carries a digest of itself and of the line before. "
		"A chain that is whole says that no line was changed, put in "
		"or taken out of the middle by something that did not write "
		"all later links anew. The links have no key: note the last "
		"one where the agent's user cannot write, and ask for it with "
		"--expect; what came before it is then as it was.\n"
		"\n"
		"Exit status: 0 when it is whole, 66 when it is not.\n",
	.run = run_verify,
};
