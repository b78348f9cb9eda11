/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_dispatch.c: belay dispatch, the hook service of an agent. */
#include "cli/policy_setup.h"
#include "cli/summary.h"

enum {
	OPT_JSON = CLI_OPT_SETUP_COUNT,
	OPT_AGENT_VERSION,
	OPT_LOG_PAYLOAD,
	OPT_NO_LOG,
	OPT_STATE_DIR,
	OPT_CONFIG,
	OPT_SANDBOX,
};

static const struct cli_option options[] = {
	CLI_SETUP_ROWS,
	[OPT_JSON] = { "json", 0, CLI_FLAG, NULL,
		       "print the result as one JSON object" },
	[OPT_AGENT_VERSION] = { "agent-version", 0, CLI_VALUE, "VERSION",
				"cursor_version of payloads, in place of "
				"theirs" },
	[OPT_LOG_PAYLOAD] = { "log-payload", 0, CLI_FLAG, NULL,
			      "log payload and answer in full, not a digest" },
	[OPT_NO_LOG] = { "no-log", 0, CLI_FLAG, NULL, "log nothing" },
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_CONFIG] = { "config", 0, CLI_VALUE, "FILE",
			 "the one hook file to read (profiles everruns)" },
	[OPT_SANDBOX] = { "sandbox", 0, CLI_VALUE, "SANDBOX",
			  "the least confinement of commands; none: as they "
			  "ask (everruns: workspace)" },
};

_Static_assert(BL_COUNT(options) <= CLI_MAX_OPTIONS, "too many options");

/* No decision: belay's own failure, which the caller must take as a no. */
static int fail(struct cli *cli, const struct bl_error *err)
{
	if (cli_has(cli, OPT_JSON))
		cli_put_json(cli, bl_reply_failure_value(err, &cli->arena));
	return cli_fail(cli, err);
}

static enum bl_status read_sandbox(struct cli *cli,
				   struct bl_sandbox_request *out_least,
				   struct bl_error *err)
{
	struct bl_str text = cli_value(cli, OPT_SANDBOX);
	struct bl_buf names;

	if (!cli_has(cli, OPT_SANDBOX) || bl_sandbox_parse(text, out_least))
		return BL_OK;
	bl_buf_init(&names, 0);
	bl_sandbox_print_names(&names);
	bl_fail(err, BL_USAGE, "there is no sandbox '%.*s' (there are %.*s)",
		BL_STR_ARG(text), (int)names.len, names.ptr);
	bl_buf_clear(&names);
	return BL_USAGE;
}

static enum bl_status make_engine(struct cli *cli, struct bl_str payload,
				  struct bl_policy_cache *cache,
				  struct bl_engine **out_engine,
				  struct bl_error *err)
{
	struct bl_engine_options engine = { 0 };
	enum bl_status status = cli_setup(cli, payload, &engine, err);

	if (status)
		return status;
	if (cli_has(cli, OPT_CONFIG) && !engine.profile->everruns)
		return bl_fail(err, BL_USAGE,
			       "--config is for the profiles of Everruns");
	if (cli_has(cli, OPT_CONFIG))
		status = cli_absolute(cli, cli_value(cli, OPT_CONFIG),
				      &engine.config, err);
	if (status)
		return status;
	status = read_sandbox(cli, &engine.least_sandbox, err);
	if (status)
		return status;
	engine.sources = NULL; /* the profile's */
	engine.agent_version = cli_value(cli, OPT_AGENT_VERSION).ptr;
	engine.policies = cli_policies(cli);
	status = cli_user_policies(cli, CLI_OPT_HOME, OPT_STATE_DIR, cache,
				   &engine.policies, err);
	if (status)
		return status;
	engine.no_reload = true;
	engine.no_journal = cli_has(cli, OPT_NO_LOG);
	engine.journal.full_payload = cli_has(cli, OPT_LOG_PAYLOAD);
	if (cli_has(cli, OPT_STATE_DIR)) {
		status = cli_absolute(cli, cli_value(cli, OPT_STATE_DIR),
				      &engine.journal.dir, err);
		if (status)
			return status;
	}
	return bl_engine_new(&engine, out_engine, err);
}

static int report(struct cli *cli, const struct bl_reply *reply)
{
	struct bl_error err;
	struct bl_value value;

	if (!cli_has(cli, OPT_JSON)) {
		cli_put_reply(cli, reply);
		return bl_verdict_exit_code(reply->enforcement.verdict);
	}
	value = bl_reply_to_value(reply, &cli->arena);
	if (!bl_value_is_defined(value)) {
		bl_arena_fail(&cli->arena, &err);
		return fail(cli, &err);
	}
	cli_put_json(cli, value);
	return bl_verdict_exit_code(reply->enforcement.verdict);
}

static int run_dispatch(struct cli *cli)
{
	struct bl_engine *engine = NULL;
	struct bl_policy_cache cache;
	struct bl_request request = { .event_name = cli_operand(cli, 0) };
	struct bl_reply reply;
	struct bl_error err;
	enum bl_status status;
	int code;

	status = cli_read_payload(cli, &request.payload, &err);
	if (!status)
		status = make_engine(cli, request.payload, &cache, &engine,
				     &err);
	if (!status)
		status = bl_engine_dispatch(engine, &request, &cli->arena,
					    &reply, &err);
	if (status == BL_UNSUPPORTED && !cli_is_tools)
		cli_become_tools(cli, request.payload, &err);
	if (status) {
		bl_engine_free(engine);
		return fail(cli, &err);
	}
	code = report(cli, &reply);
	bl_reply_clear(&reply);
	bl_engine_free(engine);
	return code;
}

const struct cli_code cli_code_dispatch = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 1,
	.takes_everruns = true,
	.details =
		"The event is one JSON object on standard input.  EVENT may be "
		"left out when it has a hook_event_name.\n"
		"\n"
		"With --profile everruns or everruns-original the event and "
		"the hooks are those of Everruns (docs/guide/everruns.md).\n"
		"\n"
		"Exit status:\n"
		"  0      go on\n"
		"  2      refused\n"
		"  3      ask the user\n"
		"  other  belay failed: take it as refused\n"
		"         ('belay help --tables statuses')\n",
	.run = run_dispatch,
};
