/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c: finding a command by its words, and the list of all. */
#include "cli/cli.h"

/* The words of a command's name: one, or two for a subcommand. */
struct words {
	struct bl_str first;
	struct bl_str second;
};

static struct words words_of(const struct cli_command *command)
{
	struct bl_str name = bl_str(command->name);
	size_t blank = bl_str_find(name, BL_STR(" "), 0);

	if (blank == SIZE_MAX)
		return (struct words){ .first = name };
	return (struct words){ bl_str_slice(name, 0, blank),
			       bl_str_slice(name, blank + 1, SIZE_MAX) };
}

bool cli_in_group(const struct cli_command *command, struct bl_str group)
{
	struct words words = words_of(command);

	return words.second.len > 0 && bl_str_equal(words.first, group);
}

/* The first letters alone tell most apart: this runs before each decision. */
static const struct cli_command *find_exact(struct bl_str first,
					    struct bl_str second)
{
	for (size_t i = 0; i < cli_command_count; i++) {
		struct words words;

		if (!first.len || cli_commands[i].name[0] != first.ptr[0])
			continue;
		words = words_of(&cli_commands[i]);
		if (bl_str_equal(words.first, first) &&
		    bl_str_equal(words.second, second))
			return &cli_commands[i];
	}
	return NULL;
}

bool cli_is_group(struct bl_str name)
{
	for (size_t i = 0; i < cli_command_count; i++) {
		if (cli_in_group(&cli_commands[i], name))
			return !find_exact(name, BL_STR(""));
	}
	return false;
}

static void fail_subcommand(struct bl_str group, const char *word,
			    struct bl_error *err)
{
	struct bl_buf names;

	bl_buf_init(&names, 0);
	for (size_t i = 0; i < cli_command_count; i++) {
		if (!cli_in_group(&cli_commands[i], group))
			continue;
		if (names.len)
			bl_buf_puts(&names, ", ");
		bl_buf_put_str(&names, words_of(&cli_commands[i]).second);
	}
	if (word)
		bl_fail(err, BL_USAGE,
			"'%.*s' has no subcommand '%s'; there are %s",
			BL_STR_ARG(group), word, names.ptr);
	else
		bl_fail(err, BL_USAGE, "'%.*s' needs a subcommand: %s",
			BL_STR_ARG(group), names.ptr);
	bl_buf_clear(&names);
}

static void fail_command(struct bl_str name, struct bl_error *err)
{
	struct cli_guess guess = { .text = name };

	for (size_t i = 0; i < cli_command_count; i++)
		cli_guess_offer(&guess, words_of(&cli_commands[i]).first);
	if (guess.best.len)
		bl_fail(err, BL_USAGE,
			"there is no command '%.*s'; did you mean '%.*s'?",
			BL_STR_ARG(name), BL_STR_ARG(guess.best));
	else
		bl_fail(err, BL_USAGE, "there is no command '%.*s'",
			BL_STR_ARG(name));
}

const struct cli_command *cli_find_command(int argc, char **argv, int *out_used,
					   struct bl_error *err)
{
	struct bl_str first = bl_str(argc > 1 ? argv[1] : NULL);
	struct bl_str second = bl_str(argc > 2 ? argv[2] : NULL);
	const struct cli_command *command;

	*out_used = 2;
	command = second.len ? find_exact(first, second) : NULL;
	if (command)
		return command;
	*out_used = 1;
	command = find_exact(first, BL_STR(""));
	if (command)
		return command;
	if (cli_is_group(first))
		fail_subcommand(first, second.len ? second.ptr : NULL, err);
	else
		fail_command(first, err);
	return NULL;
}

/* The headings of the list, each above the command that its group begins with. */
static const struct {
	const char *first;
	const char *title;
} headings[] = {
	{ "init", "Set up, and see whether it works" },
	{ "check", "What is refused, and how to change it" },
	{ "eval", "Called by agents and clients" },
	{ "validate", "Policies of your own" },
	{ "hooks list", "Hooks that belay runs" },
	{ "sandbox run", "Sandboxes" },
	{ "rego eval", "The policy language alone" },
	{ "team login", "Hooks and policies of a team" },
	{ "opa sync", "Policies of an OPA control plane" },
	{ "completion", "More" },
};

static const char *heading_above(const char *command)
{
	for (size_t i = 0; i < BL_COUNT(headings); i++)
		if (!strcmp(command, headings[i].first))
			return headings[i].title;
	return NULL;
}

void cli_put_overview(struct bl_buf *out)
{
	bl_buf_puts(out, "usage: belay COMMAND [OPTION]...\n");
	for (size_t i = 0; i < cli_command_count; i++) {
		const char *heading = heading_above(cli_commands[i].name);

		if (heading)
			bl_buf_printf(out, "\n%s\n", heading);
		bl_buf_printf(out, "  %-18s%s\n", cli_commands[i].name,
			      cli_commands[i].summary);
	}
	bl_buf_puts(out, "\n'belay help COMMAND' explains one; "
			 "'belay --version' prints the version\n"
			 "(--verbose: how it was built).\n");
}
