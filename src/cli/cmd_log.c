/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_log.c: belay log and belay log show. */
#include "cli/cli.h"

#include "json/json.h"

enum { OPT_HOME, OPT_STATE_DIR, OPT_JSON, OPT_FOLLOW, OPT_LINES };

static const struct cli_option options[] = {
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_JSON] = { "json", 0, CLI_FLAG, NULL, "print JSON, one line each" },
	[OPT_FOLLOW] = { "follow", 'f', CLI_FLAG, NULL,
			 "go on with what is logged from now on" },
	[OPT_LINES] = { "lines", 'n', CLI_NUMBER, "N",
			"show the last N (default: 100)" },
};

static struct bl_str text_of(struct bl_value entry, const char *key)
{
	return bl_value_text(bl_object_find(entry, bl_str(key)));
}

static void put_field(struct bl_buf *out, struct bl_value entry,
		      const char *key)
{
	struct bl_str text = text_of(entry, key);

	cli_put_text(out, 2, text.len ? text : BL_STR("-"));
}

/* The outcome of a hook, or the decision of policies and the agent. */
static void put_result(struct bl_buf *out, struct bl_value entry)
{
	if (text_of(entry, "decision").len) {
		put_field(out, entry, "profile");
		bl_buf_puts(out, ", ");
		put_field(out, entry, "decision");
		return;
	}
	put_field(out, entry, "outcome");
	bl_buf_puts(out, ", ");
	put_field(out, entry, "asked");
}

/* Two lines: when, what and what came of it; and whose. */
static void put_entry(struct bl_buf *out, struct bl_value entry)
{
	struct bl_value duration = bl_object_find(entry, BL_STR("duration_ms"));

	put_field(out, entry, "time");
	bl_buf_put_char(out, ' ');
	put_field(out, entry, "step");
	bl_buf_puts(out, ": ");
	put_result(out, entry);
	if (bl_value_is_defined(duration))
		bl_buf_printf(out, ", %.1f ms", bl_number_to_double(duration));
	bl_buf_puts(out, "\n  ");
	put_field(out, entry, "id");
	bl_buf_put_char(out, ' ');
	put_field(out, entry, "source");
	bl_buf_puts(out, ": ");
	put_field(out, entry,
		  text_of(entry, "command").len ? "command" : "file");
	if (text_of(entry, "decision").len && text_of(entry, "reason").len) {
		bl_buf_puts(out, "\n  ");
		cli_put_text(out, 2, text_of(entry, "reason"));
	}
	bl_buf_put_char(out, '\n');
}

static void put(struct cli *cli, struct bl_value entry)
{
	if (cli_has(cli, OPT_JSON))
		cli_put_json(cli, entry);
	else
		put_entry(&cli->out, entry);
}

struct follower {
	struct cli *cli;
	enum bl_status status;
	struct bl_error *err;
};

static bool follow_line(void *context, struct bl_str line)
{
	struct follower *follower = context;
	struct bl_arena arena;
	struct bl_value entry;

	bl_arena_init(&arena, NULL, 0, 0);
	if (!bl_json_read(&arena, line, NULL, &entry, NULL, NULL, NULL))
		put(follower->cli, entry);
	bl_arena_clear(&arena);
	follower->status = cli_flush(follower->cli, follower->err);
	return !follower->status;
}

static enum bl_status follow(struct cli *cli, struct bl_str dir,
			     struct bl_error *err)
{
	struct follower follower = { cli, BL_OK, err };
	enum bl_status status = cli_flush(cli, err);

	if (!status)
		status =
			bl_journal_follow(dir, -1, follow_line, &follower, err);
	return status ? status : follower.status;
}

static int run_log(struct cli *cli)
{
	struct bl_str dir;
	struct bl_value *entries;
	size_t most = cli_has(cli, OPT_LINES) ? cli->given[OPT_LINES].number
					      : BL_JOURNAL_SHOWN;
	size_t count = 0;
	size_t bad = 0;
	struct bl_error err;
	enum bl_status status =
		cli_journal_dir(cli, OPT_STATE_DIR, OPT_HOME, &dir, &err);

	if (!status)
		status = bl_journal_read_last(dir, most, &cli->arena, &entries,
					      &count, &bad, &err);
	for (size_t i = 0; !status && i < count; i++)
		put(cli, entries[i]);
	if (!status && bad)
		cli_note("belay: %zu line%s of the log cannot be read\n", bad,
			 bad == 1 ? "" : "s");
	if (!status && cli_has(cli, OPT_FOLLOW))
		status = follow(cli, dir, &err);
	return status ? cli_fail(cli, &err) : 0;
}

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

const struct cli_code cli_code_log = {
	.options = options,
	.option_count = BL_COUNT(options),
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
