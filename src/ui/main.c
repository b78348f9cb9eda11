/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c: belay-ui: serves the pages of one machine to the person at its
 * terminal, until they have seen enough.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "setup/setup.h"
#include "ui/routes.h"
#include "ui/ui.h"

static struct app app;

static void on_signal(int number)
{
	(void)number;
	bl_server_stop(app.server);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

/* belay-tools lies beside this program. */
static enum bl_status find_tools(struct bl_arena *arena, struct bl_error *err)
{
	struct bl_str self;
	enum bl_status status = bl_os_self_path(arena, &self, err);

	if (status)
		return status;
	app.tools =
		bl_path_join(arena, bl_path_dir(self), BL_STR("belay-tools"));
	return app.tools.ptr ? BL_OK : bl_fail_memory(err);
}

static enum bl_status take_arguments(int argc, char **argv,
				     struct bl_error *err)
{
	if (argc != BL_UI_ARGUMENTS)
		return bl_fail(err, BL_USAGE,
			       "this is a part of belay: run 'belay ui'");
	app.project = bl_str(argv[BL_UI_PROJECT]);
	app.home = bl_str(argv[BL_UI_HOME]);
	app.config = bl_str(argv[BL_UI_CONFIG]);
	app.state = bl_str(argv[BL_UI_STATE]);
	app.idle_ns = strtoll(argv[BL_UI_IDLE_S], NULL, 10) * 1000000000LL;
	return BL_OK;
}

static void say_goodbye(void)
{
	if (atomic_load(&app.is_stolen))
		fputs("belay ui: the link was used a second time. If you did "
		      "not open it twice, another program has read it. belay "
		      "ui has ended; what was changed is in rulebook.yml and "
		      "in 'belay trust list'.\n",
		      stderr);
	else if (atomic_load(&app.is_idle))
		fputs("belay ui: nobody asked for a while, so it has ended\n",
		      stderr);
}

static enum bl_status serve(struct bl_arena *arena, char **argv,
			    struct bl_error *err)
{
	struct bl_str listen =
		bl_arena_printf(arena, "127.0.0.1:%s", argv[BL_UI_PORT]);
	struct bl_str url;
	enum bl_status status;

	if (!listen.ptr)
		return bl_fail_memory(err);
	atomic_init(&app.last_ns, bl_os_monotonic_ns());
	status = ui_serve(&app, listen.ptr, err);
	if (status)
		return status;
	catch_signals();
	url = bl_arena_printf(arena, "%s/#%s", app.session.origin,
			      app.session.token);
	if (!url.ptr)
		return bl_fail_memory(err);
	printf("belay ui: open this link; it is good once, and for you alone\n"
	       "\n  %s\n\nCtrl-C ends it.\n",
	       url.ptr);
	fflush(stdout);
	if (!strcmp(argv[BL_UI_OPEN], "open"))
		browser_open(url.ptr);
	bl_server_run(app.server);
	say_goodbye();
	return BL_OK;
}

int main(int argc, char **argv)
{
	struct bl_arena arena;
	struct bl_error err;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	status = bl_setup_check_person("ui", &err);
	if (!status)
		status = take_arguments(argc, argv, &err);
	if (!status)
		status = find_tools(&arena, &err);
	if (!status)
		status = serve(&arena, argv, &err);
	app.server = bl_server_free(app.server);
	bl_arena_clear(&arena);
	if (status)
		fprintf(stderr, "belay: %s\n", err.message);
	if (!status && atomic_load(&app.is_stolen))
		status = BL_DENIED;
	return bl_status_exit_code(status);
}
