/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_eval.c: belay eval, the hook that agents call. */
#include "cli/eval_compile.h"
#include "cli/eval_record.h"
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

static enum bl_status set_up(struct cli *cli, struct bl_str payload,
			     struct bl_eval_options *eval, struct bl_error *err)
{
	enum bl_status status = cli_policy_setup(cli, payload, eval, err);

	eval->is_strict = cli_has(cli, OPT_STRICT);
	eval->passes_unmodified = cli->is_cupcake;
	eval->policy.timeout_ms =
		cli_has(cli, OPT_TIMEOUT)
			? (uint32_t)cli->given[OPT_TIMEOUT].number
			: USUAL_TIMEOUT_MS;
	cli_last_word_after(eval->policy.timeout_ms + LAST_WORD_AFTER_MS);
	if (!status && cli_has(cli, OPT_MAX_MEMORY))
		status = parse_size(cli_value(cli, OPT_MAX_MEMORY),
				    &eval->policy.max_bytes, err);
	return status;
}

static int put_answer(struct cli *cli, const struct bl_response *answer)
{
	struct bl_str errors = bl_str_trim(answer->errors);

	bl_buf_put_str(&cli->out, answer->output);
	if (answer->errors.len)
		cli_note("%.*s\n", BL_STR_ARG(errors));
	return answer->exit_code;
}

/* Belay itself failed: refuses in the one way that needs no event. */
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

/*
 * What went wrong on the way, on standard error: agents show it to people.  A
 * builtin that failed and decided nothing is Rego's everyday "undefined": the
 * log and belay explain have it.
 */
static void note_troubles(const struct bl_eval *eval)
{
	for (size_t i = 0; i < eval->report.trouble_count; i++) {
		const struct bl_policy_trouble *trouble =
			&eval->report.troubles[i];

		if (trouble->failure == BL_FAILURE_BUILTIN &&
		    trouble->verdict == BL_VERDICT_NONE)
			continue;
		cli_note("belay: %s: %.*s\n",
			 bl_policy_failure_name(trouble->failure),
			 BL_STR_ARG(trouble->text));
	}
}

/*
 * Into the journal.  The answer is made by then, and stays what it is: that it
 * could not be recorded is only said.
 */
static void log_it(struct cli *cli, struct cli_eval_record *record)
{
	struct bl_journal_options journal = {
		.full_payload = cli_has(cli, OPT_LOG_PAYLOAD),
	};
	struct bl_error err = { 0 };
	enum bl_status status;

	if (cli_has(cli, OPT_NO_LOG))
		return;
	/* There is no --home: without the one option, the user's home. */
	status = cli_journal_dir(cli, OPT_STATE_DIR, OPT_STATE_DIR,
				 &journal.dir, &err);
	if (!status)
		status = cli_record_eval(record, &journal, &cli->arena, &err);
	if (status)
		cli_note("belay: not recorded: %s\n", err.message);
}

/* From images, when they are there; otherwise by the compiler. */
static enum bl_status load(struct cli *cli,
			   const struct bl_eval_options *eval_options,
			   struct bl_str payload, struct bl_eval *eval,
			   struct bl_error *err)
{
	if (eval_options->cache && !bl_eval_open(&cli->arena, eval, NULL))
		return BL_OK;
	return cli_eval_compile(cli, payload, eval, err);
}

/* ---- all of it ---------------------------------------------------------------- */

/* From the event to the answer; OK unless belay itself failed. */
static enum bl_status decide(struct cli *cli,
			     const struct bl_eval_options *eval_options,
			     struct bl_str payload, struct bl_eval *eval,
			     struct bl_error *err)
{
	enum bl_status status =
		bl_eval_begin(eval_options, &cli->arena, eval, err);

	if (!status)
		status = bl_eval_read(eval_options, payload, &cli->arena, eval,
				      err);
	if (!status && !eval->complaint.len)
		status = load(cli, eval_options, payload, eval, err);
	if (!status)
		status = bl_eval_decide(eval_options, &cli->arena, eval, err);
	return status;
}

static int run(struct cli *cli)
{
	struct bl_eval_options eval_options;
	struct bl_policy_cache cache;
	struct bl_eval eval = { 0 };
	struct bl_str payload = BL_STR("");
	struct bl_error err = { 0 };
	struct bl_error usage = { 0 };
	struct cli_eval_record record = { .eval = &eval };
	enum bl_status status = cli_read_payload(cli, &payload, &err);
	int code;

	/*
	 * There will be an answer.  Room for it keeps a page of small pieces in
	 * use, which musl otherwise maps and lets go for each text in between.
	 */
	(void)bl_buf_reserve(&cli->out, LEAST_ANSWER_BYTES);
	if (set_up(cli, payload, &eval_options, &usage))
		return cli_fail(cli, &usage);
	if (!cli_has(cli, OPT_NO_CACHE) && cli_policy_cache(cli, &cache))
		eval_options.cache = &cache;
	record.agent = eval_options.agent;
	record.time_ms = bl_os_wall_ms();
	record.started_ns = bl_os_monotonic_ns();
	if (!status)
		status = decide(cli, &eval_options, payload, &eval, &err);
	if (status) {
		code = refuse(cli, eval_options.agent, &err);
		record.failure = bl_str(err.message);
	} else {
		note_troubles(&eval);
		code = put_answer(cli, &eval.answer);
		record.failure = eval.complaint;
	}
	record.payload_text = payload;
	log_it(cli, &record);
	if (!status && bl_eval_telemetry(&eval, record.time_ms,
					 record.started_ns, &cli->arena, &err))
		cli_note("belay: no telemetry: %s\n", err.message);
	bl_eval_clear(&eval);
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
		"an event that is no JSON (docs/internals/policies.md).\n"
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
	.run = run,
};
