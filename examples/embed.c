/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed.c: an agent that asks before it runs a command.
 *
 *     cc embed.c $(pkg-config --cflags --libs belay) && ./a.out WORKSPACE HOME
 */
#include <belay.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	const char *event = "{\"hook_event_name\":\"beforeShellExecution\","
			    "\"command\":\"git push --force\"}";
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_error error = BELAY_ERROR_INIT;
	belay_engine *engine = NULL;
	belay_reply *reply = NULL;
	belay_verdict verdict = BELAY_DENY; /* until somebody says otherwise */

	options.workspaces = (const char *const *)&argv[1];
	options.workspace_count = argc > 1;
	options.home = argc > 2 ? argv[2] : NULL;
	if (belay_engine_new(&options, &engine, &error) ||
	    belay_engine_dispatch(engine, NULL, event, strlen(event), &reply,
				  &error)) {
		fprintf(stderr, "refused: %s\n", error.message);
	} else {
		verdict = belay_reply_verdict(reply);
		puts(verdict >= BELAY_ASK ? "not run" : "run");
		puts(belay_reply_user_text(reply));
	}
	belay_reply_free(reply);
	belay_engine_free(engine);
	return verdict >= BELAY_ASK;
}
