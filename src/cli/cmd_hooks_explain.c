/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_hooks_explain.c: belay hooks explain: match, but run nothing. */
#include "cli/cli.h"
#include "cli/summary.h"

#include "json/json.h"

enum { OPT_JSON = CLI_OPT_SETUP_COUNT };

static const struct cli_option options[] = {
	CLI_SETUP_ROWS,
	[OPT_JSON] = CLI_JSON_ROW,
};

/* It matches, and would fail without being sent: why; else empty. */
static struct bl_str refusal(const struct bl_reply_execution *execution)
{
	const struct bl_webhook *webhook = execution->hook->webhook;

	return webhook && execution->match <= BL_MATCH_RUNS_LIMIT
		       ? webhook->refused
		       : BL_STR("");
}

enum { MAX_SUBJECT_SHOWN = 200 };

/* "its matcher 'git push' matches 'git push --force'". */
static void put_matching(struct bl_buf *out, const struct bl_hook *hook,
			 const char *verb, struct bl_str subject)
{
	bool cut = subject.len > MAX_SUBJECT_SHOWN;

	bl_buf_puts(out, "its matcher '");
	cli_put_text(out, 6, hook->matcher);
	bl_buf_printf(out, "' %s '", verb);
	cli_put_text(out, 6, bl_str_slice(subject, 0, MAX_SUBJECT_SHOWN));
	bl_buf_puts(out, cut ? "...'" : "'");
}

static void put_why(struct bl_buf *out,
		    const struct bl_reply_execution *execution,
		    struct bl_str subject)
{
	const struct bl_hook *hook = execution->hook;
	enum bl_match match = execution->match;

	bl_buf_puts(out, ": ");
	if (refusal(execution).len > 0)
		cli_put_text(out, 6, refusal(execution));
	else if (match == BL_MATCH_RUNS && !hook->matcher.len)
		bl_buf_puts(out, "it has no matcher");
	else if (match == BL_MATCH_RUNS && !subject.ptr)
		bl_buf_puts(out, "its matcher has nothing to look at here");
	else if (match == BL_MATCH_RUNS)
		put_matching(out, hook, "matches", subject);
	else if (match == BL_MATCH_NO_MATCH)
		put_matching(out, hook, "does not match", subject);
	else
		bl_buf_puts(out, bl_match_text(match));
	bl_buf_put_char(out, '\n');
}

/* The text that matchers searched; the engine has read the payload already. */
static struct bl_str find_subject(struct cli *cli,
				  const struct bl_hook_event *hook_event,
				  struct bl_str payload)
{
	struct bl_value value;

	if (bl_json_read(&cli->arena, payload, NULL, &value, NULL, NULL, NULL))
		return (struct bl_str){ NULL, 0 };
	return bl_hook_event_subject(hook_event, value, &cli->arena);
}

static void put_reply(struct cli *cli, const struct bl_reply *reply,
		      struct bl_str subject)
{
	size_t others = 0;

	bl_buf_printf(&cli->out, "%s:\n", reply->hook_event->name);
	for (size_t i = 0; i < reply->execution_count; i++) {
		const struct bl_reply_execution *execution =
			&reply->executions[i];

		if (execution->match == BL_MATCH_OTHER_EVENT) {
			others++;
			continue;
		}
		cli_put_hook(&cli->out, 2, execution->hook);
		bl_buf_puts(&cli->out, "    ");
		cli_put_styled(cli,
			       bl_engine_would_run(execution) ? CLI_GREEN
							      : CLI_YELLOW,
			       bl_engine_would_run(execution) ? "runs"
							      : "does not run");
		put_why(&cli->out, execution, subject);
	}
	if (others == reply->execution_count)
		bl_buf_puts(&cli->out, "  no hook is for this event\n");
	if (others)
		bl_buf_printf(&cli->out, "  %zu hook%s for other events\n",
			      others, others == 1 ? " is" : "s are");
	cli_put_notices(&cli->out, reply->notices);
}

static int run_hooks_explain(struct cli *cli)
{
	struct bl_engine_options setup;
	struct bl_engine *engine = NULL;
	struct bl_request request = { .event_name = cli_operand(cli, 0) };
	struct bl_reply reply;
	struct bl_error err;
	enum bl_status status = cli_read_payload(cli, &request.payload, &err);

	if (!status)
		status = cli_setup(cli, request.payload, &setup, &err);
	if (!status)
		status = bl_engine_new(&setup, &engine, &err);
	if (!status)
		status = bl_engine_explain(engine, &request, &cli->arena,
					   &reply, &err);
	if (status) {
		bl_engine_free(engine);
		return cli_fail(cli, &err);
	}
	if (cli_has(cli, OPT_JSON))
		cli_put_json(cli, bl_reply_matches(&reply, &cli->arena));
	else
		put_reply(cli, &reply,
			  find_subject(cli, reply.hook_event, request.payload));
	bl_reply_clear(&reply);
	bl_engine_free(engine);
	return 0;
}

const struct cli_code cli_code_hooks_explain = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 1,
	.details = "The event is one JSON object on standard input, as for "
		   "'belay dispatch'.\n",
	.run = run_hooks_explain,
};
