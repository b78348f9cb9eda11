/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_mcp_proxy.c: belay mcp-proxy, between an MCP client and a server. */
#include <unistd.h>

#include "cli/policy_setup.h"

#include "base/hex.h"
#include "base/limits.h"
#include "crypto/crypto.h"
#include "mcp/mcp.h"
#include "os/os.h"

enum {
	OPT_POLICY_DIR,
	OPT_GLOBAL_CONFIG,
	OPT_SERVER,
	OPT_TIMEOUT,
	OPT_ASK,
	OPT_ASK_TIMEOUT,
	OPT_LOG_PAYLOAD,
	OPT_NO_LOG,
	OPT_STATE_DIR,
	OPT_HOME,
};

static const struct cli_option options[] = {
	[OPT_POLICY_DIR] = CLI_POLICY_DIR_ROW,
	[OPT_GLOBAL_CONFIG] = CLI_GLOBAL_CONFIG_ROW,
	[OPT_SERVER] = { "server", 0, CLI_VALUE, "NAME",
			 "the server's name in policies: tools are "
			 "mcp__NAME__TOOL (default: its program's)" },
	[OPT_TIMEOUT] = { "timeout", 0, CLI_NUMBER, "MS",
			  "what the policies and signals of one call may take "
			  "(default 15000)" },
	[OPT_ASK] = { "ask", 0, CLI_FLAG, NULL,
		      "put questions to the person at the client, where it "
		      "shows them (default: a question is a refusal)" },
	[OPT_ASK_TIMEOUT] = { "ask-timeout", 0, CLI_DURATION, "DURATION",
			      "how long such a question may be open (default "
			      "5m)" },
	[OPT_LOG_PAYLOAD] = { "log-payload", 0, CLI_FLAG, NULL,
			      "log calls and results in full, not a digest" },
	[OPT_NO_LOG] = { "no-log", 0, CLI_FLAG, NULL, "log nothing" },
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_HOME] = CLI_HOME_ROW,
};

_Static_assert(BL_COUNT(options) <= CLI_MAX_OPTIONS, "too many options");

enum {
	USUAL_TIMEOUT_MS = 15000,
	MOST_CALLS = 256,   /* without an answer */
	MOST_QUESTIONS = 8, /* open at a time */
	USUAL_QUESTION_MS = 5 * 60 * 1000,
	PREFIX_BYTES = 16, /* of chance, in the ids of questions */
	GRACE_MS = 10000,  /* for a server whose client has gone */
	FAILED_STATUS = 1, /* of a server that a signal has ended */
};

/* One run of the proxy. */
struct proxy {
	struct cli *cli;
	struct bl_engine_options setup;
	struct bl_policy_cache cache;
	struct bl_limits limits;
	struct bl_str server;
	struct bl_mcp *mcp;
};

/* ---- decisions ---------------------------------------------------------- */

static void note(void *context, const char *text)
{
	(void)context;
	cli_note("belay mcp-proxy: %s\n", text);
}

static void note_notices(const struct bl_reply *reply)
{
	for (size_t i = 0; i < bl_value_count(reply->notices); i++) {
		struct bl_str text =
			bl_value_text(bl_value_item(reply->notices, i));

		cli_note("belay mcp-proxy: %.*s\n", BL_STR_ARG(text));
	}
}

/* An engine an event: a rule that was changed meanwhile counts. */
static enum bl_status decide(void *context, struct bl_str payload,
			     struct bl_arena *arena,
			     struct bl_response *out_response,
			     struct bl_error *err)
{
	struct proxy *proxy = context;
	struct bl_request request = { .payload = payload };
	struct bl_engine *engine = NULL;
	struct bl_reply reply;
	enum bl_status status = bl_engine_new(&proxy->setup, &engine, err);

	if (!status)
		status = bl_engine_dispatch(engine, &request, arena, &reply,
					    err);
	if (!status) {
		note_notices(&reply);
		*out_response = reply.response;
		/* The texts of an answer to no event are the reply's own. */
		out_response->output =
			bl_arena_copy_str(arena, reply.response.output);
		out_response->errors =
			bl_arena_copy_str(arena, reply.response.errors);
		bl_reply_clear(&reply);
		if (bl_arena_status(arena))
			status = bl_arena_fail(arena, err);
	}
	bl_engine_free(engine);
	return status;
}

/* ---- setting up --------------------------------------------------------- */

static enum bl_status set_places(struct proxy *proxy, struct bl_error *err)
{
	struct cli *cli = proxy->cli;
	struct bl_engine_options *setup = &proxy->setup;
	struct bl_policy_options *policy = &setup->policies.options;
	struct bl_error problem = { 0 };

	cli_policy_places(cli, BL_STR(""), OPT_POLICY_DIR, OPT_GLOBAL_CONFIG,
			  setup);
	setup->agent.agent = bl_agent_find(BL_STR("mcp"));
	setup->no_reload = true;
	policy->timeout_ms = cli_has(cli, OPT_TIMEOUT)
				     ? (uint32_t)cli->given[OPT_TIMEOUT].number
				     : USUAL_TIMEOUT_MS;
	if (cli_user_policies(cli, OPT_HOME, OPT_STATE_DIR, &proxy->cache,
			      &setup->policies, err))
		return err->status;
	setup->no_journal = cli_has(cli, OPT_NO_LOG);
	setup->journal.full_payload = cli_has(cli, OPT_LOG_PAYLOAD);
	if (cli_journal_dir(cli, OPT_STATE_DIR, OPT_HOME, &setup->journal.dir,
			    &problem)) {
		setup->no_journal = true;
		cli_note("belay mcp-proxy: not recorded: %s\n",
			 problem.message);
	}
	return BL_OK;
}

static enum bl_status name_server(struct proxy *proxy, struct bl_error *err)
{
	struct cli *cli = proxy->cli;
	struct bl_str name = cli_value(cli, OPT_SERVER);
	struct bl_buf clean;

	if (!name.ptr)
		name = bl_path_base(cli_operand(cli, 0));
	bl_buf_init(&clean, 0);
	bl_mcp_put_name(&clean, name);
	proxy->server = bl_arena_copy_str(&cli->arena, bl_buf_str(&clean));
	bl_buf_clear(&clean);
	if (!proxy->server.ptr)
		return bl_arena_fail(&cli->arena, err);
	if (!proxy->server.len)
		return bl_fail(err, BL_USAGE,
			       "'%.*s' has no letter or digit to name a server "
			       "by: give it --server NAME",
			       BL_STR_ARG(name));
	return BL_OK;
}

static int64_t now_ms(void *context)
{
	(void)context;
	return bl_os_monotonic_ns() / 1000000;
}

/* Where a person has switched it on: a client could say yes by itself. */
static enum bl_status set_questions(struct cli *cli,
				    struct bl_mcp_options *session,
				    struct bl_error *err)
{
	uint64_t ms = cli->given[OPT_ASK_TIMEOUT].number / 1000000;
	uint8_t chance[PREFIX_BYTES];
	char digits[PREFIX_BYTES * 2 + 1];

	if (cli_has(cli, OPT_ASK_TIMEOUT) && (!ms || ms > INT32_MAX))
		return bl_fail(err, BL_USAGE,
			       "--ask-timeout is from 1ms to 24 days");
	if (!cli_has(cli, OPT_ASK))
		return BL_OK;
	if (bl_os_random(chance, sizeof(chance), err))
		return err->status;
	bl_hex_encode(chance, sizeof(chance), digits);
	session->question_prefix =
		bl_arena_printf(&cli->arena, "belay-%s-", digits);
	session->question_ms = ms ? (uint32_t)ms : USUAL_QUESTION_MS;
	session->most_questions = MOST_QUESTIONS;
	session->now_ms = now_ms;
	return session->question_prefix.ptr ? BL_OK
					    : bl_arena_fail(&cli->arena, err);
}

static enum bl_status open_session(struct proxy *proxy, struct bl_error *err)
{
	char id[BL_JOURNAL_ID_BYTES];
	struct bl_mcp_options session = {
		.server = proxy->server,
		.max_depth = (uint32_t)proxy->limits.json_depth,
		.max_arena_bytes = proxy->limits.event_arena_bytes,
		.most_calls = MOST_CALLS,
		.decide = decide,
		.note = note,
		.context = proxy,
	};
	enum bl_status status = bl_journal_new_id(id, err);

	if (!status)
		status = bl_path_current(&proxy->cli->arena, &session.cwd, err);
	if (!status)
		status = set_questions(proxy->cli, &session, err);
	if (status)
		return status;
	session.session = bl_str(id);
	return bl_mcp_new(&session, &proxy->mcp, err);
}

/* ---- running ------------------------------------------------------------ */

static enum bl_status on_line(void *context, enum bl_side from,
			      struct bl_str line,
			      struct bl_buf *const outs[BL_SIDE_COUNT],
			      struct bl_error *err)
{
	struct bl_mcp *mcp = context;

	if (from == BL_SIDE_CLIENT)
		return bl_mcp_from_client(mcp, line, outs[BL_SIDE_SERVER],
					  outs[BL_SIDE_CLIENT], err);
	return bl_mcp_from_server(mcp, line, outs[BL_SIDE_CLIENT], err);
}

static enum bl_status on_wait(void *context,
			      struct bl_buf *const outs[BL_SIDE_COUNT],
			      int *out_wait_ms, struct bl_error *err)
{
	return bl_mcp_end_late_questions(context, outs[BL_SIDE_CLIENT],
					 out_wait_ms, err);
}

static const char *const *make_argv(struct cli *cli)
{
	const char **argv = bl_arena_new_array(&cli->arena, const char *,
					       cli->operand_count + 1);

	for (size_t i = 0; argv && i < cli->operand_count; i++)
		argv[i] = cli->operands[i].ptr;
	return argv;
}

/* The exit status: the server's, where nothing went wrong here. */
static int relay(struct proxy *proxy, const char *const *argv)
{
	struct cli *cli = proxy->cli;
	struct bl_relay_options relaying = {
		.on_line = on_line,
		.on_wait = on_wait,
		.context = proxy->mcp,
		.max_line_bytes = proxy->limits.payload_bytes,
		.grace_ms = GRACE_MS,
	};
	struct bl_peer peer;
	struct bl_error err;
	enum bl_status status = bl_peer_start(argv, &cli->arena, &peer, &err);
	int ended;

	if (status)
		return cli_fail(cli, &err);
	status = bl_peer_relay(&peer, STDIN_FILENO, STDOUT_FILENO, &relaying,
			       &err);
	ended = bl_peer_end(&peer, BL_CHILD_GRACE_MS);
	if (status)
		return cli_fail(cli, &err);
	if (ended < 0)
		cli_note("belay mcp-proxy: signal %d has ended the server\n",
			 -ended);
	return ended < 0 ? FAILED_STATUS : ended;
}

static int run_mcp_proxy(struct cli *cli)
{
	struct proxy proxy = { .cli = cli, .limits = bl_limits_default() };
	const char *const *argv = make_argv(cli);
	struct bl_error err;
	enum bl_status status = BL_OK;
	int code;

	if (!argv)
		status = bl_arena_fail(&cli->arena, &err);
	if (!status)
		status = set_places(&proxy, &err);
	if (!status)
		status = name_server(&proxy, &err);
	if (!status)
		status = open_session(&proxy, &err);
	code = status ? cli_fail(cli, &err) : relay(&proxy, argv);
	bl_mcp_free(proxy.mcp);
	return code;
}

const struct cli_code cli_code_mcp_proxy = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = CLI_MAX_OPERANDS,
	.details =
		"For agents without hooks: put 'belay mcp-proxy --server NAME "
		"--' in front of the server's command in the client's "
		"configuration. Every tools/call is decided as 'belay eval' "
		"decides MCP tools, and every result; a refused call never "
		"reaches the server, and the client gets the reason as the "
		"result of a tool that failed. All else passes byte for byte. "
		"A question to a person is a refusal that says how the person "
		"lets the call pass; with --ask the client puts it to the "
		"person, if it can (the protocol's elicitation), and the call "
		"waits for the answer.\n"
		"\n"
		"Its policies are those of the agent 'mcp'. Servers over HTTP "
		"are not reached through it (docs/guide/mcp.md).\n"
		"\n"
		"The exit status is the server's.\n",
	.run = run_mcp_proxy,
};
