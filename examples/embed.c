/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed.c: an agent that asks before it runs a command.  Hooks and policies
 * decide together: the hooks of HOME/.cursor and of the workspace, and the
 * workspace's .belay folder when it is trusted (belay trust add --folder).
 *
 *     cc embed.c $(pkg-config --cflags --libs belay) && ./a.out WORKSPACE HOME
 */
#include <belay.h>
#include <stdio.h>
#include <string.h>

static void print_reply(const belay_reply *reply)
{
	belay_text *why = NULL;

	puts(belay_reply_verdict(reply) >= BELAY_ASK ? "not run" : "run");
	puts(belay_reply_user_text(reply));
	for (size_t i = 0; i < belay_reply_notice_count(reply); i++)
		printf("note: %s\n", belay_reply_notice(reply, i));
	if (!belay_reply_explanation(reply, &why, NULL))
		printf("why: %s\n", belay_text_data(why));
	belay_text_free(why);
}

int main(int argc, char **argv)
{
	const char *event = "{\"hook_event_name\":\"beforeShellExecution\","
			    "\"command\":\"git push --force\"}";
	const char *workspace = argc > 1 ? argv[1] : ".";
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_dispatch_options dispatch = BELAY_DISPATCH_OPTIONS_INIT;
	belay_error error = BELAY_ERROR_INIT;
	belay_engine *engine = NULL;
	belay_reply *reply = NULL;
	belay_verdict verdict = BELAY_DENY; /* until somebody says otherwise */

	options.workspaces = &workspace;
	options.workspace_count = 1;
	options.home = argc > 2 ? argv[2] : NULL;
	dispatch.timeout_ms = 30000; /* what has no answer by then is refused */
	if (belay_engine_new(&options, &engine, &error) ||
	    belay_engine_dispatch_with(engine, &dispatch, event, strlen(event),
				       &reply, &error)) {
		fprintf(stderr, "refused: %s\n", error.message);
	} else {
		verdict = belay_reply_verdict(reply);
		print_reply(reply);
	}
	belay_reply_free(reply);
	belay_engine_free(engine);
	return verdict >= BELAY_ASK;
}
