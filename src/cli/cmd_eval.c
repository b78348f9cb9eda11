/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_eval.c: belay eval, the hook that agents call. */
#include <stdio.h>

#include "cli/policy_setup.h"

#include "os/os.h"

enum {
	OPT_STRICT = CLI_OPT_POLICY_COUNT,
	OPT_MAX_MEMORY,
	OPT_TIMEOUT,
	OPT_TRACE,
	OPT_LOG_LEVEL,
	OPT_DEBUG,
	OPT_DEBUG_FILES,
	OPT_DEBUG_ROUTING,
	OPT_DEBUG_DIR,
	OPT_OPA_PATH,
	OPT_LOG_PAYLOAD,
	OPT_NO_LOG,
	OPT_NO_CACHE,
	OPT_STATE_DIR,
	OPT_HOOKS,
	OPT_HOME,
};

#define FOR_CUPCAKE "accepted as Cupcake has it; no effect"

static const struct cli_option options[] = {
	CLI_POLICY_ROWS,
	[OPT_STRICT] = { "strict", 0, CLI_FLAG, NULL,
			 "exit status 1 when the answer refuses" },
	[OPT_MAX_MEMORY] = { "wasm-max-memory", 0, CLI_VALUE, "SIZE",
			     "what one rule may use: 10MB, 512KB, bytes "
			     "(1 MB to 1 GB; default 256MB)" },
	[OPT_TIMEOUT] = { "timeout", 0, CLI_NUMBER, "MS",
			  "what all policies and signals may take (default "
			  "15000)" },
	[OPT_TRACE] = { "trace", 0, CLI_VALUE, "LIST", FOR_CUPCAKE },
	[OPT_LOG_LEVEL] = { "log-level", 0, CLI_VALUE, "LEVEL", FOR_CUPCAKE },
	[OPT_DEBUG] = { "debug", 0, CLI_FLAG, NULL, FOR_CUPCAKE },
	[OPT_DEBUG_FILES] = { "debug-files", 0, CLI_FLAG, NULL, FOR_CUPCAKE },
	[OPT_DEBUG_ROUTING] = { "debug-routing", 0, CLI_FLAG, NULL,
				FOR_CUPCAKE },
	[OPT_DEBUG_DIR] = { "debug-dir", 0, CLI_VALUE, "DIR", FOR_CUPCAKE },
	[OPT_OPA_PATH] = { "opa-path", 0, CLI_VALUE, "PATH", FOR_CUPCAKE },
	[OPT_LOG_PAYLOAD] = { "log-payload", 0, CLI_FLAG, NULL,
			      "log event and report in full, not a digest" },
	[OPT_NO_LOG] = { "no-log", 0, CLI_FLAG, NULL, "log nothing" },
	[OPT_NO_CACHE] = { "no-cache", 0, CLI_FLAG, NULL,
			   "compile the policies, and keep no image of them" },
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_HOOKS] = { "hooks", 0, CLI_FLAG, NULL,
			"run the hooks of hooks.json too, before the policies "
			"are asked (Cursor)" },
	[OPT_HOME] = CLI_HOME_ROW,
};

_Static_assert(BL_COUNT(options) <= CLI_MAX_OPTIONS, "too many options");

/*
 * Agents give a hook 20 s (what 'belay init' registers) and then go on.  The
 * policies get 15; when even the refusal does not come out of that in time,
 * the last word does, still before the agent goes on.
 */
enum {
	USUAL_TIMEOUT_MS = 15000,
	LAST_WORD_AFTER_MS = 2500,
	NUMBER_BYTES = 16,
	LEAST_ANSWER_BYTES = 64,
	LEAST_MEMORY = 1 << 20,
	MOST_MEMORY = 1 << 30
};

/* "10MB", "512kb", "1048576". */
static enum bl_status parse_size(struct bl_str text, size_t *out_bytes,
				 struct bl_error *err)
{
	static const struct {
		const char *suffix;
		size_t unit;
	} units[] = { { "MB", 1 << 20 },
		      { "mb", 1 << 20 },
		      { "KB", 1 << 10 },
		      { "kb", 1 << 10 },
		      { "", 1 } };
	struct bl_str digits = text;
	size_t unit = 0;
	size_t bytes = 0;

	for (size_t i = 0; i < BL_COUNT(units) && !unit; i++)
		if (bl_str_has_suffix(text, bl_str(units[i].suffix))) {
			unit = units[i].unit;
			digits.len -= strlen(units[i].suffix);
		}
	for (size_t i = 0; i < digits.len; i++) {
		if (digits.ptr[i] < '0' || digits.ptr[i] > '9' ||
		    bytes > MOST_MEMORY)
			digits.len = 0;
		else
			bytes = bytes * 10 + (size_t)(digits.ptr[i] - '0');
	}
	if (!digits.len || bytes > MOST_MEMORY / unit ||
	    bytes * unit < LEAST_MEMORY)
		return bl_fail(err, BL_USAGE,
			       "--wasm-max-memory must be from 1MB to 1024MB, "
			       "not %.*s",
			       BL_STR_ARG(text));
	*out_bytes = bytes * unit;
	return BL_OK;
}

/* ---- the engine ----------------------------------------------------------- */

/* Hooks run first: policies judge the rewritten input. */
static const enum bl_asked with_hooks[] = { BL_ASK_HOOKS, BL_ASK_POLICIES,
					    BL_ASK_NOBODY };

/* belay runs the hook files of one agent. */
static enum bl_status add_hooks(struct cli *cli, struct bl_str payload,
				struct bl_engine_options *engine,
				struct bl_error *err)
{
	const char *agent = bl_contract_get(BL_DIALECT_CURSOR)->agent;

	if (!cli_has(cli, OPT_HOOKS))
		return BL_OK;
	if (strcmp(engine->agent.agent->name, agent) != 0)
		return bl_fail(err, BL_USAGE,
			       "--hooks runs the hooks of %s, and this is an "
			       "event of %s",
			       agent, engine->agent.agent->name);
	engine->sources = with_hooks;
	if (cli_home(cli, OPT_HOME, &engine->home, err))
		return err->status;
	return cli_event_workspaces(cli, payload, engine, err);
}

/*
 * Where decisions are recorded.  That they cannot be is only said: the answer
 * is what it is.
 */
static void set_journal(struct cli *cli, struct bl_engine_options *engine)
{
	struct bl_error err = { 0 };

	engine->no_journal = cli_has(cli, OPT_NO_LOG);
	engine->journal.full_payload = cli_has(cli, OPT_LOG_PAYLOAD);
	if (!cli_journal_dir(cli, OPT_STATE_DIR, OPT_HOME, &engine->journal.dir,
			     &err) ||
	    engine->no_journal)
		return;
	engine->no_journal = true;
	cli_note("belay: not recorded: %s\n", err.message);
}

/*
 * The time that policies and signals may take: it counts from the start, as
 * that of the agent does, so waiting for the event is part of it.  Never 0, which
 * would be no limit: a process that was stopped has had its time.
 */
static uint32_t timeout_ms(const struct cli *cli, int64_t started_ns)
{
	int64_t waited_ms = (bl_os_monotonic_ns() - started_ns) / 1000000;

	if (cli_has(cli, OPT_TIMEOUT))
		return (uint32_t)cli->given[OPT_TIMEOUT].number;
	return waited_ms < USUAL_TIMEOUT_MS
		       ? (uint32_t)(USUAL_TIMEOUT_MS - waited_ms)
		       : 1;
}

static enum bl_status set_up(struct cli *cli, struct bl_str payload,
			     struct bl_policy_cache *cache,
			     struct bl_engine_options *engine,
			     struct bl_error *err)
{
	enum bl_status status = cli_policy_setup(cli, payload, engine, err);
	struct bl_policy_options *policy = &engine->policies.options;

	if (!status)
		status = cli_user_policies(cli, OPT_HOME, OPT_STATE_DIR,
					   cli_has(cli, OPT_NO_CACHE) ? NULL
								      : cache,
					   &engine->policies, err);
	engine->no_reload = true;
	engine->agent.is_strict = cli_has(cli, OPT_STRICT);
	if (!status && cli_has(cli, OPT_MAX_MEMORY))
		status = parse_size(cli_value(cli, OPT_MAX_MEMORY),
				    &policy->max_bytes, err);
	if (!status)
		status = add_hooks(cli, payload, engine, err);
	if (status)
		return status;
	set_journal(cli, engine);
	return BL_OK;
}

/* ---- the answer ------------------------------------------------------------- */

static int put_answer(struct cli *cli, const struct bl_response *answer)
{
	struct bl_str errors = bl_str_trim(answer->errors);

	bl_buf_put_str(&cli->out, answer->output);
	if (answer->errors.len)
		cli_note("%.*s\n", BL_STR_ARG(errors));
	return answer->exit_code;
}

/* There is not even an engine: refuses in the one way that needs none. */
static int refuse(struct cli *cli, const struct bl_agent *agent,
		  const struct bl_error *err)
{
	struct bl_response answer;
	struct bl_buf text;
	int code;

	bl_buf_init(&text, 0);
	bl_agent_emergency(agent, bl_str(err->message), &text, &answer);
	code = put_answer(cli, &answer);
	bl_buf_clear(&text);
	return code;
}

/* On standard error: agents show it to people. */
static void note_notices(const struct bl_reply *reply)
{
	if (!bl_value_is_defined(reply->notices))
		cli_note("belay: memory is out, also for notices\n");
	for (size_t i = 0; i < bl_value_count(reply->notices); i++) {
		struct bl_str text =
			bl_value_text(bl_value_item(reply->notices, i));

		cli_note("belay: %.*s\n", BL_STR_ARG(text));
	}
}

/*
 * Hands over to belay-tools, which is told how much of the time is left.  Returns
 * only when that failed.
 */
static void hand_over(struct cli *cli, struct bl_str payload,
		      struct bl_error *err)
{
	static char timeout[] = "--timeout";
	static char left[NUMBER_BYTES];
	uint32_t left_ms = cli_last_word_left();
	char **argv =
		bl_arena_new_array(&cli->arena, char *, (size_t)cli->argc + 2);

	if (argv && !cli_has(cli, OPT_TIMEOUT)) {
		snprintf(left, sizeof(left), "%u",
			 left_ms > LAST_WORD_AFTER_MS
				 ? left_ms - LAST_WORD_AFTER_MS
				 : 1);
		memcpy(argv, cli->argv, (size_t)cli->argc * sizeof(*argv));
		argv[cli->argc++] = timeout;
		argv[cli->argc++] = left;
		cli->argv = argv;
	}
	cli->one_refuses = cli_has(cli, OPT_STRICT);
	cli_become_tools(cli, payload, err);
}

/* By this program, else by belay-tools, else refused. */
static enum bl_status decide(struct cli *cli, struct bl_engine *engine,
			     struct bl_request *request,
			     struct bl_reply *out_reply, struct bl_error *err)
{
	enum bl_status status = bl_engine_dispatch(engine, request, &cli->arena,
						   out_reply, err);

	if (status != BL_UNSUPPORTED)
		return status;
	if (!cli_is_tools)
		hand_over(cli, request->payload, err);
	request->failure = err;
	return bl_engine_dispatch(engine, request, &cli->arena, out_reply, err);
}

static int run_eval(struct cli *cli)
{
	struct bl_engine_options setup;
	struct bl_engine *engine = NULL;
	struct bl_policy_cache cache;
	struct bl_request request = { .payload = BL_STR("") };
	struct bl_reply reply;
	struct bl_error unread = { 0 };
	struct bl_error err = { 0 };
	enum bl_status status;
	int64_t started_ns = bl_os_monotonic_ns();
	uint32_t most_ms;
	int code;

	if (cli_read_payload(cli, &request.payload, &unread))
		request.failure = &unread;
	most_ms = timeout_ms(cli, started_ns);
	cli_last_word_after(most_ms + LAST_WORD_AFTER_MS);
	/*
	 * There will be an answer.  Room for it keeps a page of small pieces in
	 * use, which musl otherwise maps and lets go for each text in between.
	 */
	(void)bl_buf_reserve(&cli->out, LEAST_ANSWER_BYTES);
	if (set_up(cli, request.payload, &cache, &setup, &err))
		return cli_fail(cli, &err);
	setup.policies.options.timeout_ms = most_ms;
	status = bl_engine_new(&setup, &engine, &err);
	if (!status)
		status = decide(cli, engine, &request, &reply, &err);
	if (status) {
		code = refuse(cli, setup.agent.agent, &err);
	} else {
		note_notices(&reply);
		code = put_answer(cli, &reply.response);
		bl_reply_clear(&reply);
	}
	bl_engine_free(engine);
	return code;
}

const struct cli_code cli_code_eval = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"The event is one JSON object on standard input, as the agent "
		"hands it to its hooks; the answer, in the agent's own format, "
		"is one line of JSON.  What cannot be decided is refused where "
		"it can be: policies that do not compile, a signal that hangs, "
		"an event that is not JSON (docs/internals/policies.md).\n"
		"\n"
		"Every decision is logged ('belay log'); with --log-payload "
		"'belay replay' can try it on other policies.\n"
		"\n"
		"Exit status:\n"
		"  0      the answer says all\n"
		"  1      with --strict: it refuses\n"
		"  2      refused, without an answer: standard error says "
		"why; also\n"
		"         when this command line is wrong\n",
	.run = run_eval,
};
