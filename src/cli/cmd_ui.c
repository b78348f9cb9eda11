/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_ui.c: belay ui: finds out where everything is, and becomes belay-ui, which
 * serves the pages.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/guard.h"
#include "cli/person.h"
#include "os/os.h"
#include "ui/ui.h"

enum { OPT_HOME, OPT_STATE_DIR, OPT_DIR, OPT_PORT, OPT_IDLE, OPT_NO_OPEN };

static const struct cli_option options[] = {
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_DIR] = { "dir", 0, CLI_VALUE, "DIR",
		      "a folder of the project (default: the current one)" },
	[OPT_PORT] = { "port", 0, CLI_NUMBER, "N",
		       "the port of 127.0.0.1 (default: a free one)" },
	[OPT_IDLE] = { "idle", 0, CLI_DURATION, "TIME",
		       "end after so long without a request (default: 30m)" },
	[OPT_NO_OPEN] = { "no-open", 0, CLI_FLAG, NULL,
			  "print the link, and open no browser" },
};

enum {
	MAX_PORT = 65535,
	USUAL_IDLE_S = 1800,
	MAX_IDLE_S = 86400,
	SECOND_NS = 1000000000,
	NUMBER_BYTES = 24,
};

/* belay-ui lies beside this program, where libmicrohttpd was there. */
static enum bl_status find_program(struct cli *cli, struct bl_str *out_path,
				   struct bl_error *err)
{
	struct bl_file_info info;
	struct bl_str self;
	enum bl_status status = bl_os_self_path(&cli->arena, &self, err);

	if (status)
		return status;
	*out_path = bl_path_join(&cli->arena, bl_path_dir(self),
				 BL_STR("belay-ui"));
	if (!out_path->ptr)
		return bl_arena_fail(&cli->arena, err);
	if (!bl_os_info_path(*out_path, &info, NULL) && (info.mode & 0111))
		return BL_OK;
	return bl_fail(err, BL_NOT_FOUND,
		       "'%.*s' is missing: it is in Debian's package "
		       "belay-ui; to build it: apt-get install "
		       "libmicrohttpd-dev, then make install",
		       BL_STR_ARG(*out_path));
}

static enum bl_status read_numbers(struct cli *cli, char port[NUMBER_BYTES],
				   char idle[NUMBER_BYTES],
				   struct bl_error *err)
{
	uint64_t idle_s = cli_has(cli, OPT_IDLE)
				  ? cli->given[OPT_IDLE].number / SECOND_NS
				  : USUAL_IDLE_S;
	uint64_t number = cli->given[OPT_PORT].number;

	if (number > MAX_PORT)
		return bl_fail(err, BL_USAGE, "--port is from 0 to %d",
			       MAX_PORT);
	if (!idle_s || idle_s > MAX_IDLE_S)
		return bl_fail(err, BL_USAGE, "--idle is from 1s to 24h");
	snprintf(port, NUMBER_BYTES, "%llu", (unsigned long long)number);
	snprintf(idle, NUMBER_BYTES, "%llu", (unsigned long long)idle_s);
	return BL_OK;
}

static int run_ui(struct cli *cli)
{
	struct cli_guard_places places;
	struct bl_error err = { 0 };
	struct bl_str program;
	char port[NUMBER_BYTES];
	char idle[NUMBER_BYTES];
	enum bl_status status = cli_check_person(cli, &err);

	if (!status)
		status = read_numbers(cli, port, idle, &err);
	if (!status)
		status = find_program(cli, &program, &err);
	if (!status)
		status = cli_guard_find_places(cli, cli_value(cli, OPT_DIR),
					       OPT_HOME, OPT_STATE_DIR, &places,
					       &err);
	if (!status) {
		const char *argv[BL_UI_ARGUMENTS + 1] = {
			[BL_UI_PROGRAM] = "belay-ui",
			[BL_UI_PROJECT] = places.setup.project.ptr,
			[BL_UI_HOME] = places.setup.home.ptr,
			[BL_UI_CONFIG] = places.config_home.ptr,
			[BL_UI_STATE] = places.state_dir.ptr,
			[BL_UI_PORT] = port,
			[BL_UI_IDLE_S] = idle,
			[BL_UI_OPEN] =
				cli_has(cli, OPT_NO_OPEN) ? "print" : "open",
		};

		status = bl_os_exec(program, argv, (struct bl_str){ NULL, 0 },
				    &err);
	}
	return status ? cli_fail(cli, &err) : 0;
}

const struct cli_code cli_code_ui = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"Serves pages of this machine on 127.0.0.1 and prints a link "
		"to them: what was refused, hooks and their errors, trust, "
		"rules and their modes, the log as it grows, and what would be "
		"decided about an action. The link is good once. It wants a "
		"person in a terminal, since the pages can change trust and "
		"rules.\n"
		"\n"
		"Ctrl-C ends it, and so does half an hour without a request.\n"
		"\n"
		"Exit status: 77 when there is no person, or when the link was "
		"used twice.\n",
	.run = run_ui,
};
