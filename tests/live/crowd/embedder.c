/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedder WORKSPACE HOME STATE EVENTS: that many events in one engine of
 * libbelay.  Prints how many were decided and recorded, the memory that it has
 * after a tenth of them and at the end, in KiB, and how many children are left.
 */
#include <belay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char payload[] = "{\"status\":\"completed\",\"loop_count\":0}";

static long resident_kib(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = -1;

	if (file) {
		if (fscanf(file, "%*d %ld", &pages) != 1)
			pages = -1;
		fclose(file);
	}
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* How many of the events were decided and recorded. */
static int dispatch(belay_engine *engine, int first, int count)
{
	int fine = 0;

	for (int i = first; i < first + count; i++) {
		belay_reply *reply = NULL;
		char number[16];

		snprintf(number, sizeof(number), "%d", i);
		if (setenv("CROWD", number, 1) ||
		    belay_engine_dispatch(engine, "stop", payload,
					  strlen(payload), &reply, NULL))
			continue;
		fine += belay_reply_recorded(reply);
		belay_reply_free(reply);
	}
	return fine;
}

int main(int argc, char **argv)
{
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_engine *engine;
	int events = argc == 5 ? atoi(argv[4]) : 0;
	int children = 0, fine;
	long before, after;

	if (events < 10)
		return 2;
	options.workspaces = (const char *const *)&argv[1];
	options.workspace_count = 1;
	options.home = argv[2];
	options.state_dir = argv[3];
	if (belay_engine_new(&options, &engine, NULL))
		return 2;
	fine = dispatch(engine, 0, events / 10);
	before = resident_kib();
	fine += dispatch(engine, events / 10, events - events / 10);
	after = resident_kib();
	while (waitpid(-1, NULL, WNOHANG) >= 0)
		children++;
	printf("%d %ld %ld %d\n", fine, before, after, children);
	belay_engine_free(engine);
	return 0;
}
