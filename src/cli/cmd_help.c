/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_help.c: belay help. */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/tables.h"

enum { OPT_TABLES };

static const struct cli_option options[] = {
	[OPT_TABLES] = { "tables", 0, CLI_FLAG, NULL,
			 "print the reference tables (or those named) as "
			 "Markdown" },
};

enum { LINE_MAX_BYTES = 80 };

/* The usage line, broken between options. */
static void put_wrapped_usage(struct bl_buf *out,
			      const struct cli_command *command)
{
	struct bl_buf line;
	size_t column = 7;
	size_t from = 0;

	bl_buf_init(&line, 0);
	cli_put_usage(&line, command);
	bl_buf_puts(out, "usage: ");
	while (from < line.len) {
		size_t to =
			bl_str_find(bl_buf_str(&line), BL_STR(" ["), from + 1);
		struct bl_str piece = bl_str_slice(bl_buf_str(&line), from, to);

		if (from && column + piece.len > LINE_MAX_BYTES) {
			bl_buf_puts(out, "\n          ");
			column = 10;
		}
		bl_buf_put_str(out, piece);
		column += piece.len;
		from += piece.len;
	}
	bl_buf_put_char(out, '\n');
	bl_buf_clear(&line);
}

static void put_option(struct bl_buf *out, const struct cli_option *option)
{
	char left[40];
	char letter[6] = "";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", letter, option->name,
		 option->value ? " " : "", option->value ? option->value : "");
	bl_buf_printf(out, "  %-24s%s\n", left, option->help);
}

static void put_command(struct bl_buf *out, const struct cli_command *command)
{
	const struct cli_code *code = command->code;

	put_wrapped_usage(out, command);
	bl_buf_printf(out, "\nbelay %s: %s.\n", command->name,
		      command->summary);
	if (code->option_count)
		bl_buf_put_char(out, '\n');
	for (size_t i = 0; i < code->option_count; i++)
		put_option(out, &code->options[i]);
	if (code->details)
		bl_buf_printf(out, "\n%s", code->details);
}

/* A group: the lines of its commands. */
static void put_group(struct bl_buf *out, struct bl_str group)
{
	for (size_t i = 0; i < cli_command_count; i++) {
		const struct cli_command *command = &cli_commands[i];

		if (cli_in_group(command, group))
			bl_buf_printf(out, "  belay %-16s%s\n", command->name,
				      command->summary);
	}
	bl_buf_printf(out, "\n'belay help %.*s SUBCOMMAND' explains one.\n",
		      BL_STR_ARG(group));
}

static int explain(struct cli *cli)
{
	char belay[] = "belay";
	char *argv[3] = { belay };
	const struct cli_command *command;
	struct bl_error err;
	int used;

	if (cli->operand_count == 1 && cli_is_group(cli->operands[0])) {
		put_group(&cli->out, cli->operands[0]);
		return 0;
	}
	/* operands are arguments of the program, and NUL-terminated */
	for (size_t i = 0; i < cli->operand_count; i++)
		argv[i + 1] = (char *)(uintptr_t)cli->operands[i].ptr;
	command = cli_find_command((int)cli->operand_count + 1, argv, &used,
				   &err);
	if (!command)
		return cli_fail(cli, &err);
	put_command(&cli->out, command);
	return 0;
}

static int run(struct cli *cli)
{
	struct bl_error err;

	if (cli_has(cli, OPT_TABLES)) {
		if (!cli->operand_count)
			cli_put_tables(&cli->out);
		for (size_t i = 0; i < cli->operand_count; i++) {
			if (cli_put_table(&cli->out, cli->operands[i], &err))
				return cli_fail(cli, &err);
		}
		return 0;
	}
	if (cli->operand_count)
		return explain(cli);
	cli_put_overview(&cli->out);
	return 0;
}

const struct cli_code cli_code_help = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 2,
	.details = "The tables: statuses, outcomes, kinds, events, profiles, "
		   "effects, limits, commands.\n",
	.run = run,
};
