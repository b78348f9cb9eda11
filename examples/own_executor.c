/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_executor.c: hooks that no shell runs.  An agent with a sandbox of its own
 * hands in a function; belay finds the hooks, calls it for each, and judges
 * what comes back as it judges a child's end.
 *
 *     cc own_executor.c $(pkg-config --cflags --libs belay) &&
 *         ./a.out HOME COMMAND
 */
#include <belay.h>
#include <stdio.h>
#include <string.h>

/* The one program that this sandbox has. */
static void run_hook(void *context, belay_call *call)
{
	static const char no[] = "{\"permission\":\"deny\",\"user_message\":"
				 "\"the sandbox does not push\"}";
	belay_call_output output = BELAY_CALL_OUTPUT_INIT;
	int *calls = (int *)context;

	++*calls;
	if (strcmp(belay_call_command(call), "no-push") != 0) {
		belay_call_fail(call, "the sandbox has no such program");
		return;
	}
	output.output =
		strstr(belay_call_payload(call, NULL), "push") ? no : "{}";
	output.output_size = strlen(output.output);
	belay_call_exit(call, 0, &output);
}

int main(int argc, char **argv)
{
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_error error = BELAY_ERROR_INIT;
	belay_engine *engine = NULL;
	belay_reply *reply = NULL;
	belay_verdict verdict = BELAY_DENY;
	char event[256];
	int calls = 0;
	int length;

	/* A real program writes its JSON with care for quotes. */
	length = snprintf(event, sizeof(event),
			  "{\"hook_event_name\":\"beforeShellExecution\","
			  "\"command\":\"%s\"}",
			  argc > 2 ? argv[2] : "git push");
	options.home = argc > 1 ? argv[1] : NULL;
	options.run = run_hook;
	options.run_context = &calls;
	if (length < 0 || (size_t)length >= sizeof(event) ||
	    belay_engine_new(&options, &engine, &error) ||
	    belay_engine_dispatch(engine, NULL, event, (size_t)length, &reply,
				  &error)) {
		fprintf(stderr, "refused: %s\n", error.message);
	} else {
		verdict = belay_reply_verdict(reply);
		printf("%s, after %d call%s\n",
		       verdict >= BELAY_ASK ? "not run" : "run", calls,
		       calls == 1 ? "" : "s");
		puts(belay_reply_user_text(reply));
	}
	belay_reply_free(reply);
	belay_engine_free(engine);
	return verdict >= BELAY_ASK;
}
