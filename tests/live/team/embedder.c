/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedder WORKSPACE HOME CALL...: a machine in a team, seen by a program that
 * links libbelay.  One engine; each CALL is refresh, due, state, accept or
 * dispatch, and prints a line: its JSON, or why it failed.
 */
#include <belay.h>

#include <stdio.h>
#include <string.h>

static const char payload[] =
	"{\"hook_event_name\":\"beforeShellExecution\",\"command\":\"ls\","
	"\"cwd\":\"/\"}";

static belay_status put_text(belay_status status, belay_text *const *text)
{
	if (!status)
		puts(belay_text_data(*text));
	belay_text_free(*text);
	return status;
}

static belay_status refresh(belay_engine *engine, belay_error *error)
{
	belay_text *text = NULL;

	return put_text(belay_engine_refresh_team(engine, 0, &text, error),
			&text);
}

static belay_status refresh_when_due(belay_engine *engine, belay_error *error)
{
	belay_text *text = NULL;

	return put_text(belay_engine_refresh_team(
				engine, BELAY_REFRESH_WHEN_DUE, &text, error),
			&text);
}

static belay_status state(belay_engine *engine, belay_error *error)
{
	belay_text *text = NULL;

	return put_text(belay_engine_team_json(engine, &text, error), &text);
}

static belay_status accept(belay_engine *engine, belay_error *error)
{
	belay_status status = belay_engine_accept_team(engine, error);

	if (!status)
		puts("accepted");
	return status;
}

static belay_status dispatch(belay_engine *engine, belay_error *error)
{
	belay_reply *reply = NULL;
	belay_status status =
		belay_engine_dispatch(engine, "beforeShellExecution", payload,
				      strlen(payload), &reply, error);

	if (!status)
		puts(belay_reply_json(reply));
	belay_reply_free(reply);
	return status;
}

static const struct {
	const char *name;
	belay_status (*make)(belay_engine *engine, belay_error *error);
} calls[] = {
	{ "refresh", refresh }, { "due", refresh_when_due }, { "state", state },
	{ "accept", accept },   { "dispatch", dispatch },
};

static int make_call(belay_engine *engine, const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		belay_error error = BELAY_ERROR_INIT;

		if (strcmp(name, calls[i].name) != 0)
			continue;
		if (calls[i].make(engine, &error))
			printf("failed: %s\n", error.message);
		return 0;
	}
	fprintf(stderr, "embedder: there is no call %s\n", name);
	return 1;
}

int main(int argc, char **argv)
{
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_engine *engine;
	belay_error error = BELAY_ERROR_INIT;
	int failed = 0;

	if (argc < 3)
		return 2;
	options.workspaces = (const char *const *)&argv[1];
	options.workspace_count = 1;
	options.home = argv[2];
	if (belay_engine_new(&options, &engine, &error)) {
		fprintf(stderr, "embedder: %s\n", error.message);
		return 1;
	}
	for (int i = 3; i < argc && !failed; i++)
		failed = make_call(engine, argv[i]);
	belay_engine_free(engine);
	return failed;
}
