/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_completion.c: belay completion: scripts made from the command table, so
 * that they cannot know another set of commands than belay itself.
 *
 * bash and zsh share one body: from the words typed so far it sets list to the
 * candidates.  fish has a line for every word, with the place where it may
 * stand.  Files complete where nothing else is known.
 */
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

static struct bl_str first_word(const struct cli_command *command)
{
	struct bl_str name = bl_str(command->name);

	return bl_str_slice(name, 0, bl_str_find(name, BL_STR(" "), 0));
}

/* The second word; empty: the name has one. */
static struct bl_str second_word(const struct cli_command *command)
{
	return bl_str_slice(bl_str(command->name), first_word(command).len + 1,
			    SIZE_MAX);
}

/* Is command the first of the table that begins with its word? */
static bool begins_word(const struct cli_command *command)
{
	return command == cli_commands ||
	       !bl_str_equal(first_word(command), first_word(command - 1));
}

static void put_first_words(struct bl_buf *out)
{
	for (size_t i = 0; i < cli_command_count; i++) {
		struct bl_str word = first_word(&cli_commands[i]);

		if (begins_word(&cli_commands[i]))
			bl_buf_printf(out, " %.*s", BL_STR_ARG(word));
	}
}

static void put_second_words(struct bl_buf *out, struct bl_str first)
{
	for (size_t i = 0; i < cli_command_count; i++) {
		struct bl_str word = second_word(&cli_commands[i]);

		if (cli_in_group(&cli_commands[i], first))
			bl_buf_printf(out, " %.*s", BL_STR_ARG(word));
	}
}

static void put_operand_words(struct bl_buf *out,
			      const struct cli_command *command)
{
	char name[16] = "";
	struct bl_str operand = operand_name(command);

	if (bl_str_is(operand, "COMMAND")) {
		put_first_words(out);
		return;
	}
	memcpy(name, operand.ptr,
	       operand.len < sizeof(name) ? operand.len : sizeof(name) - 1);
	cli_each_word(name, put_word, out);
}

/* ---- bash and zsh ------------------------------------------------------- */

/* "	'COMMAND') list='--a --b' ;;": what may follow a command. */
static void put_case(struct bl_buf *out, const struct cli_command *command)
{
	bl_buf_printf(out, "\t'%s') list='", command->name);
	for (size_t i = 0; i < command->code->option_count; i++)
		bl_buf_printf(out, " --%s", command->code->options[i].name);
	put_operand_words(out, command);
	if (!second_word(command).len)
		put_second_words(out, first_word(command));
	bl_buf_puts(out, "' ;;\n");
}

/* Groups that are not commands: "	hooks) list='list validate' ;;". */
static void put_group_case(struct bl_buf *out, struct bl_str group)
{
	if (!cli_is_group(group))
		return;
	bl_buf_printf(out, "\t%.*s) list='", BL_STR_ARG(group));
	put_second_words(out, group);
	bl_buf_puts(out, "' ;;\n");
}

/* Has no command before this one an option of that name? */
static bool is_new_option(const struct cli_command *before, const char *name)
{
	for (const struct cli_command *c = cli_commands; c < before; c++) {
		for (size_t i = 0; i < c->code->option_count; i++) {
			if (!strcmp(c->code->options[i].name, name))
				return false;
		}
	}
	return true;
}

/* After an option that takes a value: its values, or none (files complete). */
static void put_value_cases(struct bl_buf *out,
			    const struct cli_command *command)
{
	for (size_t i = 0; i < command->code->option_count; i++) {
		const struct cli_option *option = &command->code->options[i];

		if (!option->value || !is_new_option(command, option->name))
			continue;
		bl_buf_printf(out, "\t--%s", option->name);
		if (option->letter)
			bl_buf_printf(out, " | -%c", option->letter);
		bl_buf_puts(out, ") list='");
		cli_each_word(option->value, put_word, out);
		bl_buf_puts(out, "' ;;\n");
	}
}

/* Expects first, second, previous and at (the index of the word); sets list. */
static void put_body(struct bl_buf *out)
{
	bl_buf_puts(out, "\tcase \"$previous\" in\n");
	for (size_t i = 0; i < cli_command_count; i++)
		put_value_cases(out, &cli_commands[i]);
	bl_buf_puts(out,
		    "\t*)\n\tcase \"$at $first $second\" in\n\t'1 '*) list='");
	put_first_words(out);
	bl_buf_puts(out, " --version --help' ;;\n\t*)\n"
			 "\tcase \"$first $second\" in\n");
	for (size_t i = 0; i < cli_command_count; i++) {
		if (second_word(&cli_commands[i]).len)
			put_case(out, &cli_commands[i]);
	}
	bl_buf_puts(out, "\t*)\n\tcase \"$first\" in\n");
	for (size_t i = 0; i < cli_command_count; i++) {
		if (!second_word(&cli_commands[i]).len)
			put_case(out, &cli_commands[i]);
		else if (begins_word(&cli_commands[i]))
			put_group_case(out, first_word(&cli_commands[i]));
	}
	bl_buf_puts(out, "\tesac ;;\n\tesac ;;\n\tesac ;;\n\tesac\n");
}

static void put_bash(struct bl_buf *out)
{
	bl_buf_puts(out, "# completion of belay for bash; "
			 "made by 'belay completion bash'\n"
			 "_belay()\n{\n"
			 "\tlocal list= at=$COMP_CWORD\n"
			 "\tlocal first=${COMP_WORDS[1]-} "
			 "second=${COMP_WORDS[2]-}\n"
			 "\tlocal previous=${COMP_WORDS[COMP_CWORD - 1]-}\n");
	put_body(out);
	bl_buf_puts(out, "\tCOMPREPLY=($(compgen -W \"$list\" -- "
			 "\"${COMP_WORDS[COMP_CWORD]-}\"))\n"
			 "}\n"
			 "complete -o default -F _belay belay\n");
}

/* Loaded by compinit as the function _belay, or sourced. */
static void put_zsh(struct bl_buf *out)
{
	bl_buf_puts(out, "#compdef belay\n"
			 "# completion of belay for zsh; "
			 "made by 'belay completion zsh'\n"
			 "_belay()\n{\n"
			 "\tlocal list= at=$((CURRENT - 1))\n"
			 "\tlocal first=${words[2]-} second=${words[3]-}\n"
			 "\tlocal previous=${words[CURRENT - 1]-}\n");
	put_body(out);
	bl_buf_puts(out, "\tcompadd -- ${=list} || _files\n"
			 "}\n"
			 "if [ \"${funcstack[1]-}\" = _belay ]; then\n"
			 "\t_belay \"$@\"\n"
			 "else\n"
			 "\tcompdef _belay belay\n"
			 "fi\n");
}

/* ---- fish --------------------------------------------------------------- */

static const char fish_head[] =
	"# completion of belay for fish; made by 'belay completion fish'\n"
	"function __belay_at # are these all words so far?\n"
	"\tset -l typed (commandline -opc)\n"
	"\ttest \"$typed[2..-1]\" = \"$argv\"\n"
	"end\n"
	"function __belay_in # do the words so far begin with these?\n"
	"\tset -l typed (commandline -opc)\n"
	"\tset -l last (math 1 + (count $argv))\n"
	"\ttest (count $typed) -ge $last\n"
	"\tand test \"$typed[2..$last]\" = \"$argv\"\n"
	"end\n"
	"complete -c belay -f\n";

/* A text in single quotes. */
static void put_fish_quoted(struct bl_buf *out, const char *text)
{
	bl_buf_put_char(out, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			bl_buf_put_char(out, '\\');
		bl_buf_put_char(out, *text);
	}
	bl_buf_put_char(out, '\'');
}

/* "complete -c belay -n '__belay_in hooks list'" */
static void put_fish_place(struct bl_buf *out,
			   const struct cli_command *command)
{
	bool is_prefix = false;

	for (size_t i = 0; i < cli_command_count; i++)
		is_prefix |=
			cli_in_group(&cli_commands[i], bl_str(command->name));
	bl_buf_printf(out, "complete -c belay -n '__belay_in %s",
		      command->name);
	for (size_t i = 0; is_prefix && i < cli_command_count; i++) {
		if (cli_in_group(&cli_commands[i], bl_str(command->name)))
			bl_buf_printf(out, "; and not __belay_in %s",
				      cli_commands[i].name);
	}
	bl_buf_put_char(out, '\'');
}

static void put_fish_values(struct bl_buf *out, const char *value)
{
	if (!strcmp(value, "DIR")) {
		bl_buf_puts(out, " -x -a '(__fish_complete_directories)'");
		return;
	}
	bl_buf_puts(out, " -x -a '");
	cli_each_word(value, put_word, out);
	bl_buf_put_char(out, '\'');
}

static void put_fish_options(struct bl_buf *out,
			     const struct cli_command *command)
{
	for (size_t i = 0; i < command->code->option_count; i++) {
		const struct cli_option *option = &command->code->options[i];

		put_fish_place(out, command);
		bl_buf_printf(out, " -l %s", option->name);
		if (option->letter)
			bl_buf_printf(out, " -s %c", option->letter);
		if (option->value)
			put_fish_values(out, option->value);
		bl_buf_puts(out, " -d ");
		put_fish_quoted(out, option->help);
		bl_buf_put_char(out, '\n');
	}
}

static void put_fish_operands(struct bl_buf *out,
			      const struct cli_command *command)
{
	struct bl_str name = operand_name(command);

	if (!name.len || bl_str_is(name, "ID"))
		return;
	put_fish_place(out, command);
	if (bl_str_is(name, "FILE")) {
		bl_buf_puts(out, " -F\n");
		return;
	}
	if (bl_str_is(name, "DIR")) {
		bl_buf_puts(out, " -a '(__fish_complete_directories)'\n");
		return;
	}
	bl_buf_puts(out, " -a '");
	put_operand_words(out, command);
	bl_buf_puts(out, "'\n");
}

/* The words of a command's name, each where it may stand. */
static void put_fish_name(struct bl_buf *out, const struct cli_command *command)
{
	struct bl_str first = first_word(command);
	struct bl_str second = second_word(command);

	if (begins_word(command)) {
		bl_buf_printf(out, "complete -c belay -n __belay_at -a %.*s",
			      BL_STR_ARG(first));
		if (!second.len) {
			bl_buf_puts(out, " -d ");
			put_fish_quoted(out, command->summary);
		}
		bl_buf_put_char(out, '\n');
	}
	if (second.len) {
		bl_buf_printf(
			out,
			"complete -c belay -n '__belay_at %.*s' -a %.*s -d ",
			BL_STR_ARG(first), BL_STR_ARG(second));
		put_fish_quoted(out, command->summary);
		bl_buf_put_char(out, '\n');
	}
}

static void put_fish(struct bl_buf *out)
{
	bl_buf_puts(out, fish_head);
	for (size_t i = 0; i < cli_command_count; i++) {
		put_fish_name(out, &cli_commands[i]);
		put_fish_options(out, &cli_commands[i]);
		put_fish_operands(out, &cli_commands[i]);
	}
}

static const struct {
	const char *name;
	void (*put)(struct bl_buf *out);
} shells[] = {
	{ "bash", put_bash },
	{ "zsh", put_zsh },
	{ "fish", put_fish },
};

static int run_completion(struct cli *cli)
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
	.run = run_completion,
};
