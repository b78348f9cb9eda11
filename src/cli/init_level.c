/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init_level.c: what belay init says of the rules that are in force.  It stands
 * apart from the command because it counts the packs, and the command registers.
 */
#include "cli/init_level.h"
#include "os/os.h"
#include "packs/packs.h"

enum { MAX_RULEBOOK_BYTES = 1 << 20 };

enum bl_status cli_init_level(struct cli *cli, size_t option,
			      enum bl_level *out_level, struct bl_error *err)
{
	*out_level = BL_LEVEL_STANDARD;
	if (!cli_has(cli, option) ||
	    bl_level_parse(cli_value(cli, option), out_level))
		return BL_OK;
	return bl_fail(err, BL_USAGE,
		       "--level is off, relaxed, standard or strict");
}

/* The level that a line of the rulebook says; UNSET: none does. */
static enum bl_level level_in(struct bl_str rulebook)
{
	enum bl_level level = BL_LEVEL_UNSET;
	size_t from = 0;

	while (from < rulebook.len) {
		size_t end = bl_str_find(rulebook, BL_STR("\n"), from);
		struct bl_str line = bl_str_slice(rulebook, from, end);

		if (bl_str_has_prefix(line, BL_STR("level:")))
			bl_level_parse(
				bl_str_trim(bl_str_slice(
					line, strlen("level:"),
					bl_str_find(line, BL_STR("#"), 0))),
				&level);
		from = end == SIZE_MAX ? rulebook.len : end + 1;
	}
	return level;
}

enum bl_level cli_init_level_of(struct cli *cli, struct bl_str policy_dir)
{
	struct bl_str path =
		bl_path_join(&cli->arena, policy_dir, BL_STR("rulebook.yml"));
	struct bl_error err = { 0 };
	struct bl_str text;

	if (!path.ptr || bl_os_read_file(path, 0, MAX_RULEBOOK_BYTES,
					 &cli->arena, &text, NULL, &err)) {
		if (err.status != BL_NOT_FOUND)
			cli_note("belay: %s\n", err.message);
		return BL_LEVEL_UNSET;
	}
	return level_in(text);
}

static size_t count_mode(struct bl_value rules, enum bl_level level,
			 const char *mode)
{
	size_t count = 0;

	for (size_t i = 0; i < bl_value_count(rules); i++) {
		struct bl_pack_rule rule = bl_pack_rule_of(
			rules, bl_value_text(bl_object_key(rules, i)));

		count += bl_str_is(rule.modes[level - BL_LEVEL_RELAXED], mode);
	}
	return count;
}

static void put_counts(struct cli *cli, enum bl_level level)
{
	struct bl_value rules;

	if (level <= BL_LEVEL_OFF || bl_packs_rules(&cli->arena, &rules, NULL))
		return;
	bl_buf_printf(&cli->out,
		      "level %s: %zu rules refuse, %zu ask a person, %zu only "
		      "record ('belay packs list')\n"
		      "  what would happen to a line: belay check 'rm -rf ~'\n",
		      bl_level_name(level), count_mode(rules, level, "deny"),
		      count_mode(rules, level, "ask"),
		      count_mode(rules, level, "monitor"));
}

void cli_init_put_level(struct cli *cli, struct bl_str policy_dir,
			enum bl_level asked)
{
	enum bl_level level = cli_init_level_of(cli, policy_dir);

	put_counts(cli, level);
	bl_buf_puts(&cli->out, "  to change it: ");
	cli_put_text(&cli->out, 2, policy_dir);
	bl_buf_puts(&cli->out, "/rulebook.yml");
	if (asked != BL_LEVEL_UNSET && level != asked)
		bl_buf_printf(&cli->out,
			      " (it was there, and says %s: write 'level: "
			      "%s')",
			      level ? bl_level_name(level) : "no level",
			      bl_level_name(asked));
	bl_buf_put_char(&cli->out, '\n');
}
