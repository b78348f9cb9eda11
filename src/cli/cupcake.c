/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cupcake.c: Cupcake's command line (spec/cupcake.md section 2), for hooks that
 * were written for it: `cupcake` is a link to belay.  Its commands have the
 * same names here; its options that belong to every command may stand before
 * the command, and most of them are about things that belay has not.
 */
#include "cli/cli.h"

#include "os/os.h"

/* An option of Cupcake's that is not handed on as it is. */
static const struct {
	const char *name;
	bool has_value;
	bool moves; /* behind everything else; else it is left out */
} global_options[] = {
	{ "--global-config", true, true }, { "--trace", true, false },
	{ "--log-level", true, false },    { "--wasm-max-memory", true, false },
	{ "--opa-path", true, false },     { "--debug-dir", true, false },
	{ "--debug-files", false, false }, { "--debug-routing", false, false },
	{ "--debug", false, false },
};

/* The words so far, and those that come behind them. */
struct words {
	char **kept;
	char **moved;
	int kept_count;
	int moved_count;
};

/* The row of argv[i], with or without "=value"; SIZE_MAX: none. */
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
	for (int j = 0; global_options[row].moves && j < count; j++)
		words->moved[words->moved_count++] = cli->argv[i + j];
	return count;
}

enum bl_status cli_take_cupcake(struct cli *cli, struct bl_error *err)
{
	struct words words = { .kept = NULL };
	size_t count = (size_t)cli->argc + 1;

	if (cli->argc < 1 ||
	    !bl_str_is(bl_path_base(bl_str(cli->argv[0])), "cupcake"))
		return BL_OK;
	cli->is_cupcake = true;
	words.kept = bl_arena_new_array(&cli->arena, char *, count);
	words.moved = bl_arena_new_array(&cli->arena, char *, count);
	if (!words.kept || !words.moved)
		return bl_arena_fail(&cli->arena, err);
	words.kept[words.kept_count++] = cli->argv[0];
	for (int i = 1; i < cli->argc;)
		i += take_word(cli, i, &words);
	/* init and verify know no other global directory */
	if (words.kept_count > 1 && (!strcmp(words.kept[1], "init") ||
				     !strcmp(words.kept[1], "verify")))
		words.moved_count = 0;
	for (int i = 0; i < words.moved_count; i++)
		words.kept[words.kept_count++] = words.moved[i];
	cli->argv = words.kept;
	cli->argc = words.kept_count;
	return BL_OK;
}

int cli_cupcake_exit_code(int code)
{
	if (code == CLI_EXIT_USAGE)
		return 2;
	return code > CLI_EXIT_USAGE ? 1 : code;
}
