/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c: the start of both programs.  A command whose code is in this program
 * is run; any other is left to belay-tools, with the same arguments and the
 * same standard input.
 */
#include <unistd.h>

#include "cli/cli.h"
#include "os/os.h"
#include "setup/setup.h"

/* Most events fit, with the packs: then nothing is allocated for them. */
static _Alignas(max_align_t) char first_memory[256 * 1024];

static bool wants_colour(void)
{
	return isatty(STDOUT_FILENO) && !bl_os_getenv("NO_COLOR").len;
}

/* In a project, belay alone says what guards it: belay status --brief. */
static bool take_status(struct cli *cli)
{
	static char belay[] = "belay", status[] = "status", brief[] = "--brief";
	static char *argv[] = { belay, status, brief, NULL };
	struct bl_str root;
	bool is_project = false;

	if (cli->argc > 1 || cli->is_cupcake ||
	    bl_setup_find_root(&cli->arena, BL_STR("."), &root, &is_project,
			       NULL) ||
	    !is_project)
		return false;
	cli->argv = argv;
	cli->argc = BL_COUNT(argv) - 1;
	return true;
}

/*
 * With --verbose the two programs tell of themselves, one after the other; a
 * belay-tools that is not there is a failure, as for any command of its.
 */
static int run_version(struct cli *cli)
{
	bool is_verbose = cli->argc > 2 && !strcmp(cli->argv[2], "--verbose");
	struct bl_error err;

	if (!is_verbose || !cli_is_tools)
		cli_put_version(&cli->out);
	if (is_verbose)
		cli_put_build(&cli->out);
	if (!is_verbose || cli_is_tools)
		return 0;
	if (cli_flush(cli, &err) == BL_OK)
		cli_become_tools(cli, (struct bl_str){ NULL, 0 }, &err);
	return cli_fail(cli, &err);
}

/* belay alone, --version, --help: no command.  -1: there is one. */
static int run_without_command(struct cli *cli)
{
	struct bl_str first = bl_str(cli->argc > 1 ? cli->argv[1] : NULL);
	struct bl_buf overview;

	if (bl_str_is(first, "--version") || bl_str_is(first, "-V"))
		return run_version(cli);
	if (cli_is_help(first)) {
		cli_put_overview(&cli->out);
		return 0;
	}
	if (cli->argc > 1 || take_status(cli))
		return -1;
	bl_buf_init(&overview, 0);
	cli_put_overview(&overview);
	cli_note("%s", overview.ptr);
	bl_buf_clear(&overview);
	return CLI_EXIT_USAGE;
}

/* belay COMMAND --help is belay help COMMAND, also for a group of commands. */
static int run_help(struct cli *cli, int used)
{
	char help[] = "help";
	char name[] = "belay";
	char *argv[4] = { name, help };
	struct cli other = { .argc = used + 2, .argv = argv };
	struct bl_error err;
	int first;

	for (int i = 1; i <= used; i++)
		argv[i + 1] = cli->argv[i];
	bl_arena_init(&other.arena, NULL, 0, 0);
	bl_buf_init(&other.out, 0);
	other.command = cli_find_command(other.argc, argv, &first, &err);
	if (!other.command->code) {
		cli_become_tools(&other, (struct bl_str){ NULL, 0 }, &err);
		return cli_fail(&other, &err);
	}
	if (cli_parse(&other, first + 1, &err) != CLI_PARSED)
		return cli_fail(&other, &err);
	used = other.command->code->run(&other);
	bl_buf_put_str(&cli->out, bl_buf_str(&other.out));
	bl_buf_clear(&other.out);
	bl_arena_clear(&other.arena);
	return used;
}

static int run(struct cli *cli, struct bl_error *err)
{
	int used;
	int code;

	if (cli_take_cupcake(cli, err))
		return cli_fail(cli, err);
	code = run_without_command(cli);
	if (code >= 0)
		return code;
	if (cli->argc == 3 && cli_is_help(bl_str(cli->argv[2])) &&
	    cli_is_group(bl_str(cli->argv[1])))
		return run_help(cli, 1);
	cli->command = cli_find_command(cli->argc, cli->argv, &used, err);
	if (!cli->command)
		return cli_fail(cli, err);
	if (!cli->command->code) {
		if (cli->command->quick && cli->command->quick(cli, used))
			return 0;
		cli_become_tools(cli, (struct bl_str){ NULL, 0 }, err);
		return cli_fail(cli, err);
	}
	if (cli->command->decides)
		cli_last_word_arm();
	switch (cli_parse(cli, used + 1, err)) {
	case CLI_PARSED:
		return cli->command->code->run(cli);
	case CLI_PARSED_HELP:
		return run_help(cli, used);
	case CLI_PARSED_BAD:
		break;
	}
	return cli_fail(cli, err);
}

int main(int argc, char **argv)
{
	struct bl_limits limits = bl_limits_default();
	struct cli cli = { .argc = argc, .argv = argv };
	struct bl_error err;
	int code;

	cli_note_arrival();
	bl_os_limit_lookups();
	bl_arena_init(&cli.arena, first_memory, sizeof(first_memory),
		      limits.event_arena_bytes);
	bl_buf_init(&cli.out, 0);
	cli.colour = wants_colour();
	code = run(&cli, &err);
	if (cli_flush(&cli, &err))
		code = cli_fail(&cli, &err);
	if (cli.is_cupcake)
		code = cli_cupcake_exit_code(code);
	bl_buf_clear(&cli.out);
	bl_arena_clear(&cli.arena);
	return code;
}
