/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_loop.c: several commands decided at once by a program with one thread
 * and a poll loop.  Each dispatch is an operation with a descriptor; a real
 * program has its sockets and pipes in the same poll.
 *
 *     cc event_loop.c $(pkg-config --cflags --libs belay) &&
 *         ./a.out HOME COMMAND...
 */
#include <belay.h>
#include <poll.h>
#include <stdio.h>

enum { MOST = 8, TIMEOUT_MS = 30000 };

struct job {
	const char *command;
	belay_operation *operation; /* NULL: it is decided */
};

/* An event that cannot even be asked about is refused. */
static void start(belay_engine *engine, struct job *job)
{
	belay_dispatch_options options = BELAY_DISPATCH_OPTIONS_INIT;
	belay_error error = BELAY_ERROR_INIT;
	char event[256];
	int length;

	/* A real program writes its JSON with care for quotes. */
	length = snprintf(event, sizeof(event),
			  "{\"hook_event_name\":\"beforeShellExecution\","
			  "\"command\":\"%s\"}",
			  job->command);
	options.timeout_ms = TIMEOUT_MS;
	if (length < 0 || (size_t)length >= sizeof(event) ||
	    belay_dispatch_start(engine, &options, event, (size_t)length,
				 &job->operation, &error))
		printf("%s: refused: %s\n", job->command, error.message);
}

static void finish(struct job *job)
{
	belay_error error = BELAY_ERROR_INIT;
	belay_reply *reply = NULL;

	if (belay_operation_collect(job->operation, &reply, &error))
		printf("%s: refused: %s\n", job->command, error.message);
	else
		printf("%s: %s\n", job->command,
		       belay_reply_verdict(reply) >= BELAY_ASK ? "not run"
							       : "run");
	belay_reply_free(reply);
	belay_operation_free(job->operation);
	job->operation = NULL;
}

/* Waits for those that are not decided, and takes those that are. */
static int turn(struct job *jobs, int count)
{
	struct pollfd polls[MOST];
	int waiting = 0;

	for (int i = 0; i < count; i++) {
		polls[i].fd = belay_operation_fd(jobs[i].operation); /* or -1 */
		polls[i].events = POLLIN;
		polls[i].revents = 0;
		waiting += jobs[i].operation != NULL;
	}
	if (!waiting || poll(polls, (nfds_t)count, -1) < 0)
		return 0;
	for (int i = 0; i < count; i++)
		if (polls[i].revents)
			finish(&jobs[i]);
	return 1;
}

int main(int argc, char **argv)
{
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_error error = BELAY_ERROR_INIT;
	belay_engine *engine = NULL;
	struct job jobs[MOST];
	int count = 0;

	options.home = argc > 1 ? argv[1] : NULL;
	if (belay_engine_new(&options, &engine, &error)) {
		fprintf(stderr, "%s\n", error.message);
		return 1;
	}
	for (; count < MOST && count + 2 < argc; count++) {
		jobs[count].command = argv[count + 2];
		jobs[count].operation = NULL;
		start(engine, &jobs[count]);
	}
	while (turn(jobs, count))
		;
	for (int i = 0; i < count; i++) /* poll failed: given up */
		belay_operation_free(jobs[i].operation);
	belay_engine_free(engine);
	return 0;
}
