/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: belay-server: serves, and a few commands beside it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/options.h"
#include "server/routes.h"

static struct app app;

/* ---- systemd -------------------------------------------------------------- */

/* One datagram to the socket that systemd names; nothing elsewhere. */
static void notify(const char *text)
{
	struct bl_str path = bl_os_getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (path.len < 2 || path.len >= sizeof(to.sun_path))
		return;
	memcpy(to.sun_path, path.ptr, path.len);
	if (to.sun_path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	(void)sendto(
		fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&to,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + path.len));
	close(fd);
}

/* ---- serving -------------------------------------------------------------- */

static void on_signal(int number)
{
	(void)number;
	atomic_store(&app.is_stopping, true);
	bl_server_stop(app.server);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

static void ignore_signals(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGTERM, &ignore, NULL);
	sigaction(SIGINT, &ignore, NULL);
}

static enum bl_status serve(struct bl_error *err)
{
	enum bl_status status = app_serve(&app, err);

	if (status)
		return status;
	catch_signals();
	/* Partitions and freshness are there before the first request. */
	app_tick(&app);
	status = exports_start(&app, err);
	if (status) {
		exports_stop(&app);
		app.server = bl_server_free(app.server);
		return status;
	}
	printf("belay-server " BELAY_VERSION " listens on http%s://%s\n",
	       app.options.tls_key.len ? "s" : "",
	       bl_server_address(app.server));
	fflush(stdout);
	notify("READY=1");
	bl_server_run(app.server);
	/* A second signal has nothing to stop any more. */
	ignore_signals();
	notify("STOPPING=1");
	exports_stop(&app);
	app.server = bl_server_free(app.server);
	if (seen_write(&app, err) || callers_write(&app, 0, err))
		app_log(LOG_FAILURE, "%s", err->message);
	return BL_OK;
}

/* ---- commands ------------------------------------------------------------- */

static enum bl_status run_serve(const struct command *command,
				struct bl_error *err)
{
	(void)command;
	return serve(err);
}

static enum bl_status run_token(const struct command *command,
				struct bl_error *err)
{
	struct token_row row = {
		.kind = 'p',
		.name = bl_str(command->arguments[1]),
		.role = app_role_find(bl_str(command->arguments[0])),
		.created_by = BL_STR("command line"),
		.expires = bl_os_wall_ms() + 90LL * DAY_MS,
	};
	char token[APP_TOKEN_BYTES];
	char id[APP_ID_BYTES];
	struct bl_db *db;
	enum bl_status status;

	if (!(row.role & ROLE_PEOPLE))
		return bl_fail(err, BL_USAGE,
			       "a role is one of admin, editor, auditor");
	status = bl_db_begin(app.store, BL_DB_WRITE, &db, err);
	if (status)
		return status;
	status = token_insert(db, &row, token, id, err);
	if (!status)
		status = audit_add_by(db, BL_STR("command line"), "token.add",
				      bl_str(id), BL_STR(""), err);
	status = bl_db_end(db, status, err);
	if (!status)
		puts(token);
	return status;
}

static enum bl_status run_backup(const struct command *command,
				 struct bl_error *err)
{
	return bl_store_backup(app.store, bl_str(command->arguments[0]), err);
}

static enum bl_status run_copy(const struct command *command,
			       struct bl_error *err)
{
	struct bl_store *to;
	uint64_t rows = 0;
	enum bl_status status =
		bl_store_open(bl_str(command->arguments[0]), 2, &to, err);

	if (status)
		return status;
	status = bl_store_copy(app.store, to, &rows, err);
	bl_store_close(to);
	if (!status)
		printf("copied %llu rows\n", (unsigned long long)rows);
	return status;
}

static const struct {
	const char *name;
	enum bl_status (*run)(const struct command *command,
			      struct bl_error *err);
} commands[] = {
	{ "serve", run_serve },
	{ "token", run_token },
	{ "backup", run_backup },
	{ "copy", run_copy },
};

/* Answers that need no database; -1: something else was asked. */
static int run_plain(int argc, char **argv)
{
	struct bl_buf out;
	int code = 0;

	bl_buf_init(&out, 0);
	if (argc == 2 && !strcmp(argv[1], "--help"))
		options_put_help(&out);
	else if (argc == 2 && !strcmp(argv[1], "--version"))
		bl_buf_puts(&out, "belay-server " BELAY_VERSION "\n");
	else if (argc == 2 && !strcmp(argv[1], "routes"))
		app_routes_print(&out);
	else
		code = -1;
	if (!code)
		fwrite(out.ptr, 1, out.len, stdout);
	bl_buf_clear(&out);
	return code;
}

static enum bl_status run(const struct app_options *options,
			  const struct command *command, struct bl_error *err)
{
	enum bl_status status = app_open(&app, options, err);

	for (size_t i = 0; !status && i < BL_COUNT(commands); i++)
		if (!strcmp(commands[i].name, command->name))
			status = commands[i].run(command, err);
	app_close(&app);
	return status;
}

int main(int argc, char **argv)
{
	struct app_options options;
	struct command command;
	struct bl_arena arena;
	struct bl_error err;
	enum bl_status status;
	int code = run_plain(argc, argv);

	if (code >= 0)
		return code;
	umask(077);
	bl_arena_init(&arena, NULL, 0, 0);
	status = options_parse(argc, argv, &arena, &options, &command, &err);
	if (!status)
		status = run(&options, &command, &err);
	bl_arena_clear(&arena);
	if (!status)
		return 0;
	fprintf(stderr, "belay-server: %s\n", err.message);
	return bl_status_exit_code(status);
}
