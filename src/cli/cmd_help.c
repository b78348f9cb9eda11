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

enum { HELP_COLUMN = 26, GROUP_COLUMN = 24 };

/* Options are not parted from their values. */
static void put_wrapped_usage(struct bl_buf *out,
			      const struct cli_command *command)
{
	struct bl_buf line;

	bl_buf_init(&line, 0);
	cli_put_usage(&line, command);
	bl_buf_puts(out, "usage: ");
	cli_put_wrapped(out, bl_buf_str(&line), 7, 11, BL_STR(" ["));
	bl_buf_clear(&line);
}

/* Each line of text is a paragraph. */
static void put_paragraphs(struct bl_buf *out, struct bl_str text)
{
	size_t from = 0;

	while (from < text.len) {
		size_t to = bl_str_find(text, BL_STR("\n"), from);

		cli_put_wrapped(out, bl_str_slice(text, from, to), 0, 0,
				BL_STR(" "));
		from = to == SIZE_MAX ? text.len : to + 1;
	}
}

static void put_option(struct bl_buf *out, const struct cli_option *option)
{
	char left[60];
	char letter[6] = "";

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", letter, option->name,
		 option->value ? " " : "", option->value ? option->value : "");
	bl_buf_printf(out, "  %-23s", left);
	if (strlen(left) > HELP_COLUMN - 3) /* it has a line of its own */
		bl_buf_printf(out, "\n%*s", HELP_COLUMN - 1, "");
	bl_buf_put_char(out, ' ');
	cli_put_wrapped(out, bl_str(option->help), HELP_COLUMN, HELP_COLUMN,
			BL_STR(" "));
}

static void put_command(struct bl_buf *out, const struct cli_command *command)
{
	const struct cli_code *code = command->code;

	put_wrapped_usage(out, command);
	bl_buf_printf(out, "\nbelay %s: ", command->name);
	cli_put_wrapped(out, bl_str(command->summary),
			8 + strlen(command->name), 2, BL_STR(" "));
	if (code->option_count)
		bl_buf_put_char(out, '\n');
	for (size_t i = 0; i < code->option_count; i++)
		put_option(out, &code->options[i]);
	if (code->details) {
		bl_buf_put_char(out, '\n');
		put_paragraphs(out, bl_str(code->details));
	}
}

/* A group: the lines of its commands. */
static void put_group(struct bl_buf *out, struct bl_str group)
{
	for (size_t i = 0; i < cli_command_count; i++) {
		const struct cli_command *command = &cli_commands[i];

		if (!cli_in_group(command, group))
			continue;
		bl_buf_printf(out, "  belay %-17s ", command->name);
		cli_put_wrapped(out, bl_str(command->summary), GROUP_COLUMN,
				GROUP_COLUMN, BL_STR(" "));
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
	if (!command) {
		cli->command = NULL; /* what was wrong is not about help */
		return cli_fail(cli, &err);
	}
	put_command(&cli->out, command);
	return 0;
}

static int run_help(struct cli *cli)
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
		   "effects, capabilities, limits, rules, commands, builtins, "
		   "opcodes.\n",
	.run = run_help,
};
