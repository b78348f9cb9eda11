/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_completion.c: belay completion: scripts made from the command table, so
 * that they cannot know another set of commands than belay itself.
 *
 * bash and zsh share one function: a case over the words typed so far gives
 * the candidates; folders and files complete where nothing else is known.
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static void put_word(void *context, const char *word)
{
	bl_buf_printf(context, " %s", word);
}

/* The name of an operand: "[EVENT]" and "[COMMAND]..." without the marks. */
static struct bl_str operand_name(const struct cli_command *command)
{
	struct bl_str name = bl_str(command->operands);
	size_t end = 0;

	if (name.len && name.ptr[0] == '[')
		name = bl_str_slice(name, 1, SIZE_MAX);
	while (end < name.len && name.ptr[end] >= 'A' && name.ptr[end] <= 'Z')
		end++;
	return bl_str_slice(name, 0, end);
}

static void put_operand_words(struct bl_buf *out,
			      const struct cli_command *command)
{
	char name[16];
	struct bl_str operand = operand_name(command);

	snprintf(name, sizeof(name), "%.*s", BL_STR_ARG(operand));
	cli_each_word(name, put_word, out);
}

/* "COMMAND) words='--a --b'": what may follow a command. */
static void put_bash_command(struct bl_buf *out,
			     const struct cli_command *command)
{
	bl_buf_printf(out, "\t'%s') words='", command->name);
	for (size_t i = 0; i < command->code->option_count; i++)
		bl_buf_printf(out, " --%s", command->code->options[i].name);
	put_operand_words(out, command);
	bl_buf_puts(out, "' ;;\n");
}

/* The words that may follow "belay" (group empty) or a group. */
static void put_first_words(struct bl_buf *out, struct bl_str group)
{
	for (size_t i = 0; i < cli_command_count; i++) {
		struct bl_str name = bl_str(cli_commands[i].name);
		size_t blank = bl_str_find(name, BL_STR(" "), 0);
		struct bl_str word = bl_str_slice(name, 0, blank);
		struct bl_str previous = bl_str_slice(
			bl_str(i ? cli_commands[i - 1].name : ""), 0, word.len);

		if (group.len && cli_in_group(&cli_commands[i], group))
			bl_buf_printf(out, " %.*s",
				      BL_STR_ARG(bl_str_slice(name, blank + 1,
							      SIZE_MAX)));
		else if (!group.len && !bl_str_equal(word, previous))
			bl_buf_printf(out, " %.*s", BL_STR_ARG(word));
	}
}

static void put_bash(struct bl_buf *out)
{
	static const char *const groups[] = { "hooks", "trust" };

	bl_buf_puts(out, "# completion of belay for bash; "
			 "made by 'belay completion bash'\n"
			 "_belay()\n{\n"
			 "\tlocal words= word=${COMP_WORDS[COMP_CWORD]}\n"
			 "\tlocal first=${COMP_WORDS[1]-} "
			 "second=${COMP_WORDS[2]-}\n"
			 "\tif [ \"$COMP_CWORD\" = 1 ]; then\n\t\twords='");
	put_first_words(out, BL_STR(""));
	bl_buf_puts(out, " --version --help'\n\telse\n"
			 "\tcase \"$first $second\" in\n");
	for (size_t i = 0; i < cli_command_count; i++) {
		const char *name = cli_commands[i].name;

		if (strchr(name, ' '))
			put_bash_command(out, &cli_commands[i]);
	}
	bl_buf_puts(out, "\t*)\n\tcase \"$first\" in\n");
	for (size_t i = 0; i < cli_command_count; i++) {
		if (!strchr(cli_commands[i].name, ' '))
			put_bash_command(out, &cli_commands[i]);
	}
	for (size_t i = 0; i < BL_COUNT(groups); i++) {
		bl_buf_printf(out, "\t%s) words='", groups[i]);
		put_first_words(out, bl_str(groups[i]));
		bl_buf_puts(out, "' ;;\n");
	}
	bl_buf_puts(out, "\tesac ;;\n\tesac\n\tfi\n"
			 "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
			 "}\n"
			 "complete -o default -F _belay belay\n");
}

static void put_zsh(struct bl_buf *out)
{
	bl_buf_puts(out, "#compdef belay\n"
			 "autoload -U +X bashcompinit && bashcompinit\n");
	put_bash(out);
}

static void put_fish_command(struct bl_buf *out,
			     const struct cli_command *command)
{
	const char *blank = strchr(command->name, ' ');
	size_t first =
		blank ? (size_t)(blank - command->name) : strlen(command->name);

	bl_buf_printf(out,
		      "complete -c belay -n __fish_use_subcommand "
		      "-a %.*s -d '%s'\n",
		      (int)first, command->name, blank ? "" : command->summary);
	if (blank)
		bl_buf_printf(out,
			      "complete -c belay -n "
			      "'__fish_seen_subcommand_from %.*s' "
			      "-a %s -d '%s'\n",
			      (int)first, command->name, blank + 1,
			      command->summary);
	for (size_t i = 0; i < command->code->option_count; i++)
		bl_buf_printf(out,
			      "complete -c belay -n "
			      "'__fish_seen_subcommand_from %s' -l %s%s\n",
			      blank ? blank + 1 : command->name,
			      command->code->options[i].name,
			      command->code->options[i].value ? " -r" : "");
}

static void put_fish(struct bl_buf *out)
{
	bl_buf_puts(out, "# completion of belay for fish; "
			 "made by 'belay completion fish'\n");
	for (size_t i = 0; i < cli_command_count; i++)
		put_fish_command(out, &cli_commands[i]);
}

static const struct {
	const char *name;
	void (*put)(struct bl_buf *out);
} shells[] = {
	{ "bash", put_bash },
	{ "zsh", put_zsh },
	{ "fish", put_fish },
};

static int run(struct cli *cli)
{
	struct bl_str name = cli_operand(cli, 0);
	struct bl_error err;

	for (size_t i = 0; i < BL_COUNT(shells); i++) {
		if (bl_str_is(name, shells[i].name)) {
			shells[i].put(&cli->out);
			return 0;
		}
	}
	bl_fail(&err, BL_USAGE,
		"there is no completion for '%.*s'; there are bash, zsh and "
		"fish",
		BL_STR_ARG(name));
	return cli_fail(cli, &err);
}

const struct cli_code cli_code_completion = {
	.least_operands = 1,
	.most_operands = 1,
	.run = run,
};
