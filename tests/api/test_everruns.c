/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile of Everruns through the same calls; its contract is a library
 * interface, to which a dispatcher is handed in (docs/contracts/everruns.md).
 */
#include <belay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static char home[64];
static belay_error error = BELAY_ERROR_INIT;
static belay_reply *reply;

static const char event[] =
	"{\"session_id\":\"s\",\"turn_id\":null,\"org_id\":null,"
	"\"agent_id\":null,\"data\":{\"tool_name\":\"bash\","
	"\"arguments\":{\"commands\":\"rm -rf x\"}}}";

static void write_hook(const char *command, const char *on_error)
{
	char text[256];
	FILE *file;

	snprintf(text, sizeof(text), "mkdir -p '%s/.config/everruns'", home);
	if (system(text))
		abort();
	snprintf(text, sizeof(text), "%s/.config/everruns/hooks.json", home);
	file = fopen(text, "w");
	if (!file)
		abort();
	fprintf(file,
		"{\"hooks\":[{\"id\":\"no-rm\",\"event\":\"pre_tool_use\","
		"\"executor\":{\"type\":\"bash\",\"command\":\"%s\"},"
		"\"timeout_ms\":1000,\"on_error\":\"%s\"}]}",
		command, on_error);
	fclose(file);
}

static belay_engine *open_engine(belay_run_fn *run, void *context)
{
	static const char *workspaces[1];
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_engine *engine = NULL;

	workspaces[0] = home;
	options.profile = "everruns";
	options.home = options.system_root = options.state_dir = home;
	options.workspaces = workspaces;
	options.workspace_count = 1;
	options.least_sandbox = "none"; /* places differ in what they have */
	options.run = run;
	options.run_context = context;
	if (belay_engine_new(&options, &engine, &error))
		TAP_NOTE("%s", error.message);
	return engine;
}

static belay_verdict decide(belay_engine *engine)
{
	belay_reply_free(reply);
	reply = NULL;
	if (belay_engine_dispatch(engine, "pre_tool_use", event, strlen(event),
				  &reply, &error))
		TAP_NOTE("%s", error.message);
	return belay_reply_verdict(reply);
}

static void test_children(void)
{
	belay_engine *engine;

	write_hook("echo no rm -rf >&2; exit 1", "block");
	engine = open_engine(NULL, NULL);
	REQUIRE(engine);
	CHECK_INT(decide(engine), BELAY_DENY);
	CHECK(strstr(belay_reply_json(reply), "\"reason\":\"no rm -rf\""));
	CHECK(strstr(belay_reply_model_text(reply), "no rm -rf"));
	CHECK_INT(belay_reply_exit_code(reply), 2);
	CHECK_INT(belay_reply_recorded(reply), 1);
	write_hook("true", "block");
	CHECK_INT(belay_engine_reload(engine, &error), BELAY_OK);
	CHECK(decide(engine) <= BELAY_ALLOW);
	CHECK_INT(belay_reply_exit_code(reply), 0);
	belay_engine_free(engine);
}

static void run_hook(void *context, belay_call *call)
{
	static const char answer[] = "{\"decision\":\"block\",\"reason\":\"the "
				     "dispatcher says no\"}";
	belay_call_output output = BELAY_CALL_OUTPUT_INIT;
	int *calls = context;

	if (!strcmp(belay_call_event(call), "pre_tool_use") &&
	    !strcmp(belay_call_command(call), "guard") &&
	    strstr(belay_call_definition_json(call), "\"id\":\"user:no-rm\"") &&
	    strstr(belay_call_payload(call, NULL), "\"rm -rf x\"") &&
	    belay_call_timeout_ms(call) == 1000)
		++*calls;
	output.output = answer;
	output.output_size = strlen(answer);
	belay_call_exit(call, 0, &output);
}

static void run_failing(void *context, belay_call *call)
{
	(void)context;
	belay_call_fail(call, "there is no sandbox");
}

/* The failure text of a dispatcher is the message, and blocks here. */
static void test_own_executor(void)
{
	int calls = 0;
	belay_engine *engine;

	write_hook("guard", "block");
	engine = open_engine(run_hook, &calls);
	REQUIRE(engine);
	CHECK_INT(decide(engine), BELAY_DENY);
	CHECK_INT(calls, 1);
	CHECK(strstr(belay_reply_json(reply), "the dispatcher says no"));
	belay_engine_free(engine);
	engine = open_engine(run_failing, NULL);
	CHECK_INT(decide(engine), BELAY_DENY);
	CHECK(strstr(belay_reply_json(reply), "there is no sandbox"));
	belay_engine_free(engine);
}

/* Not even a hook whose failures do not matter lets a stopped event pass. */
static void test_deadline(void)
{
	belay_dispatch_options options = BELAY_DISPATCH_OPTIONS_INIT;
	belay_engine *engine;
	belay_text *log = NULL;

	write_hook("sleep 30", "allow");
	engine = open_engine(NULL, NULL);
	REQUIRE(engine);
	options.event = "pre_tool_use";
	options.timeout_ms = 200;
	belay_reply_free(reply);
	reply = NULL;
	CHECK_INT(belay_engine_dispatch_with(engine, &options, event,
					     strlen(event), &reply, &error),
		  BELAY_OK);
	CHECK_INT(belay_reply_verdict(reply), BELAY_DENY);
	CHECK(strstr(belay_reply_json(reply),
		     "hook was stopped: the time for the decision was up"));
	CHECK_INT(belay_engine_log_json(engine, 1, &log, &error), BELAY_OK);
	CHECK(strstr(belay_text_data(log), "\"outcome\":\"deadline\""));
	belay_text_free(log);
	belay_engine_free(engine);
}

/* The listings are of hook files of the other kind. */
static void test_other_calls(void)
{
	belay_engine *engine = open_engine(NULL, NULL);
	belay_text *text = NULL;

	REQUIRE(engine);
	CHECK_INT(belay_engine_has_hook(engine, "pre_tool_use"), 1);
	CHECK_INT(belay_engine_has_hook(engine, "nonesuch"), 0);
	CHECK_INT(belay_engine_hooks_json(engine, &text, &error),
		  BELAY_UNSUPPORTED);
	CHECK_INT(belay_engine_explain_json(engine, "pre_tool_use", event,
					    strlen(event), &text, &error),
		  BELAY_UNSUPPORTED);
	CHECK(!text);
	CHECK_INT(belay_engine_dispatch(engine, "nonesuch", event,
					strlen(event), &reply, &error),
		  BELAY_NOT_FOUND);
	belay_engine_free(engine);
}

int main(void)
{
	char command[96];

	strcpy(home, "/tmp/belay-everruns-XXXXXX");
	if (!mkdtemp(home))
		return 1;
	RUN(test_children);
	RUN(test_own_executor);
	RUN(test_deadline);
	RUN(test_other_calls);
	belay_reply_free(reply);
	snprintf(command, sizeof(command), "rm -rf '%s'", home);
	return system(command) ? 1 : tap_end();
}
