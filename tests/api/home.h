/* SPDX-License-Identifier: Apache-2.0 */
/* A home with one hook, and engines that look at it. */
#ifndef BELAY_TESTS_API_HOME_H
#define BELAY_TESTS_API_HOME_H

#include <belay.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[64];
static const char shell[] =
	"{\"hook_event_name\":\"beforeShellExecution\",\"command\":\"ls\"}";

static inline void write_hooks_for(const char *event, const char *command)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/.cursor/hooks.json", home);
	file = fopen(path, "w");
	fprintf(file,
		"{\"version\":1,\"hooks\":{\"%s\":"
		"[{\"command\":\"%s\"}]}}",
		event, command);
	fclose(file);
}

static inline void write_hooks(const char *command)
{
	write_hooks_for("beforeShellExecution", command);
}

static inline void make_home(void)
{
	char path[128];

	strcpy(home, "/tmp/belay-api-XXXXXX");
	if (!mkdtemp(home))
		abort();
	snprintf(path, sizeof(path), "%s/.cursor", home);
	mkdir(path, 0755);
}

static inline belay_engine *new_engine(uint32_t flags)
{
	belay_engine_options options = BELAY_ENGINE_OPTIONS_INIT;
	belay_error error = BELAY_ERROR_INIT;
	belay_engine *engine = NULL;

	options.home = home;
	options.system_root = home;
	options.state_dir = home;
	options.flags = flags;
	if (belay_engine_new(&options, &engine, &error))
		printf("# %s\n", error.message);
	return engine;
}

#define DENY                                                                   \
	"echo "                                                                \
	"'{\\\"permission\\\":\\\"deny\\\",\\\"user_message\\\":\\\"no\\\"}'"

static inline bool remove_home(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", home);
	return system(command) == 0;
}

#endif
