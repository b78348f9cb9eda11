/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cupcake.c: Cupcake's command line (docs/contracts/cupcake.md "Command line"),
 * for hooks that were written for it: `cupcake` is a link to belay.  Its
 * commands have the same names here; its options that belong to every command
 * may stand before the command, and a command that has no use for one goes
 * without.
 */
#include "cli/cli.h"

#include "os/os.h"

/* The options of Cupcake's that every command takes. */
static const struct {
	const char *name;
	bool has_value;
} global_options[] = {
	{ "--global-config", true }, { "--trace", true },
	{ "--log-level", true },     { "--wasm-max-memory", true },
	{ "--opa-path", true },      { "--debug-dir", true },
	{ "--debug-files", false },  { "--debug-routing", false },
	{ "--debug", false },
};

/* The words so far, and those that come behind them. */
struct words {
	char **kept;
	char **moved;
	int kept_count;
	int moved_count;
};

/* The row of a word, with or without "=value"; SIZE_MAX: none. */
static size_t find_option(struct bl_str word, bool *out_has_equals)
{
	size_t equals = bl_str_find(word, BL_STR("="), 0);

	*out_has_equals = equals != SIZE_MAX;
	for (size_t i = 0; i < BL_COUNT(global_options); i++)
		if (bl_str_is(bl_str_slice(word, 0, equals),
			      global_options[i].name))
			return i;
	return SIZE_MAX;
}

/* Takes argv[i], and its value; how many words that were. */
static int take_word(struct cli *cli, int i, struct words *words)
{
	bool has_equals;
	size_t row = find_option(bl_str(cli->argv[i]), &has_equals);
	int count = 1;

	if (row == SIZE_MAX) {
		words->kept[words->kept_count++] = cli->argv[i];
		return 1;
	}
	if (global_options[row].has_value && !has_equals && i + 1 < cli->argc)
		count = 2;
	for (int j = 0; j < count; j++)
		words->moved[words->moved_count++] = cli->argv[i + j];
	return count;
}

/* Does the command have this option?  Yes, where belay-tools has its code. */
static bool takes(const struct cli_command *command, struct bl_str word)
{
	struct bl_str name =
		bl_str_slice(word, 2, bl_str_find(word, BL_STR("="), 0));

	if (!command->code)
		return true;
	for (size_t i = 0; i < command->code->option_count; i++)
		if (bl_str_is(name, command->code->options[i].name))
			return true;
	return false;
}

/* Puts those behind that the command has. */
static void put_moved(struct cli *cli, struct words *words)
{
	int used;
	struct bl_error err;
	const struct cli_command *command =
		cli_find_command(words->kept_count, words->kept, &used, &err);

	for (int i = 0, count; command && i < words->moved_count; i += count) {
		bool has_equals;
		struct bl_str word = bl_str(words->moved[i]);
		size_t row = find_option(word, &has_equals);

		count = global_options[row].has_value && !has_equals ? 2 : 1;
		for (int j = 0; takes(command, word) && j < count &&
				i + j < words->moved_count;
		     j++)
			words->kept[words->kept_count++] = words->moved[i + j];
	}
	cli->argv = words->kept;
	cli->argc = words->kept_count;
}

enum bl_status cli_take_cupcake(struct cli *cli, struct bl_error *err)
{
	struct words words = { .kept = NULL };
	size_t count = (size_t)cli->argc + 1;

	if (cli->argc < 1 ||
	    !bl_str_is(bl_path_base(bl_str(cli->argv[0])), "cupcake"))
		return BL_OK;
	cli->is_cupcake = true;
	cli_call_it_cupcake();
	words.kept = bl_arena_new_array(&cli->arena, char *, count);
	words.moved = bl_arena_new_array(&cli->arena, char *, count);
	if (!words.kept || !words.moved)
		return bl_arena_fail(&cli->arena, err);
	words.kept[words.kept_count++] = cli->argv[0];
	for (int i = 1; i < cli->argc;)
		i += take_word(cli, i, &words);
	put_moved(cli, &words);
	return BL_OK;
}

int cli_cupcake_exit_code(int code)
{
	if (code == CLI_EXIT_USAGE)
		return 2;
	return code > CLI_EXIT_USAGE ? 1 : code;
}
