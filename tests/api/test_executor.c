/* SPDX-License-Identifier: Apache-2.0 */
/* A function of the embedder runs the hooks. */
#include <belay.h>

#include "tap.h"

#include "home.h"

struct seen {
	int calls;
	bool is_good;
};

static void run_hook(void *context, belay_call *call)
{
	static const char answer[] =
		"{\"permission\":\"deny\",\"user_message\":\"not in here\"}";
	belay_call_output output = BELAY_CALL_OUTPUT_INIT;
	struct seen *seen = context;
	size_t size = 0;
	const char *payload = belay_call_payload(call, &size);

	seen->calls++;
	seen->is_good =
		!strcmp(belay_call_event(call), "beforeShellExecution") &&
		!strcmp(belay_call_command(call), "guard --strict") &&
		strstr(belay_call_definition_json(call),
		       "\"command\":\"guard --strict\"") &&
		strstr(belay_call_dir(call), ".cursor") &&
		belay_call_timeout_ms(call) == 60000 &&
		!belay_call_is_over(call) && size > 0 && payload[0] == '{';
	output.output = answer;
	output.output_size = strlen(answer);
	belay_call_exit(call, 0, &output);
}

static void run_failing(void *context, belay_call *call)
{
	(void)context;
	belay_call_fail(call, "the container is gone");
}

static void run_silent(void *context, belay_call *call)
{
	(void)context;
	belay_call_exit(call, 0, NULL);
}

static belay_engine *engine_with(belay_run_fn *run, void *context)
{
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_engine *engine = NULL;

	options.home = options.system_root = options.state_dir = home;
	options.run = run;
	options.run_context = context;
	belay_engine_new(&options, &engine, NULL);
	return engine;
}

static belay_reply *dispatch(belay_engine *engine)
{
	belay_reply *reply = NULL;

	CHECK_INT(belay_engine_dispatch(engine, NULL, shell, strlen(shell),
					&reply, NULL),
		  BELAY_OK);
	return reply;
}

static void test_it_runs_the_hooks(void)
{
	struct seen seen = { 0 };
	belay_engine *engine;
	belay_reply *reply;

	write_hooks("guard --strict");
	engine = engine_with(run_hook, &seen);
	reply = dispatch(engine);
	CHECK_INT(seen.calls, 1);
	CHECK(seen.is_good);
	CHECK_INT(belay_reply_verdict(reply), BELAY_DENY);
	CHECK(strstr(belay_reply_user_text(reply), "not in here"));
	CHECK_INT(belay_reply_recorded(reply), 1);
	belay_reply_free(reply);
	belay_engine_free(engine);
}

static void test_failures(void)
{
	belay_engine *engine = engine_with(run_failing, NULL);
	belay_reply *reply = dispatch(engine);

	CHECK(strstr(belay_reply_json(reply), "\"outcome\":\"cannot_start\""));
	CHECK(strstr(belay_reply_json(reply), "the container is gone"));
	belay_reply_free(reply);
	belay_engine_free(engine);
	engine = engine_with(run_silent, NULL);
	reply = dispatch(engine);
	CHECK(strstr(belay_reply_json(reply), "\"outcome\":\"no_output\""));
	belay_reply_free(reply);
	belay_engine_free(engine);
}

/* Options of an older caller do not have it. */
static void test_older_caller(void)
{
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	struct seen seen = { 0 };
	belay_engine *engine = NULL;

	options.home = options.system_root = options.state_dir = home;
	options.run = run_hook;
	options.run_context = &seen;
	options.struct_size = offsetof(belay_engine_options, run);
	REQUIRE(!belay_engine_new(&options, &engine, NULL));
	belay_reply_free(dispatch(engine));
	CHECK_INT(seen.calls, 0);
	belay_engine_free(engine);
}

static void test_null(void)
{
	CHECK(!belay_call_event(NULL) && !belay_call_command(NULL));
	CHECK(!belay_call_definition_json(NULL) && !belay_call_dir(NULL));
	CHECK(!belay_call_payload(NULL, NULL));
	CHECK_INT(belay_call_timeout_ms(NULL), 0);
	CHECK_INT(belay_call_is_over(NULL), 1);
	belay_call_exit(NULL, 0, NULL);
	belay_call_fail(NULL, "x");
}

int main(void)
{
	make_home();
	RUN(test_it_runs_the_hooks);
	RUN(test_failures);
	RUN(test_older_caller);
	RUN(test_null);
	return remove_home() ? tap_end() : 1;
}
