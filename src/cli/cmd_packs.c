/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_packs.c: belay packs list and belay packs show: the rules that belay
 * ships, and what each does at each level; beside them those of the rulebook
 * here.
 */
#include "cli/cli.h"
#include "packs/packs.h"
#include "sources/policies/policies.h"

enum { OPT_JSON };

static const struct cli_option options[] = {
	[OPT_JSON] = CLI_JSON_ROW,
};

static const char *const levels[] = { "relaxed", "standard", "strict" };

static void put_modes(struct cli *cli, const struct bl_pack_rule *rule)
{
	for (size_t i = 0; i < BL_COUNT(levels); i++)
		bl_buf_printf(&cli->out, "%-9.*s", BL_STR_ARG(rule->modes[i]));
}

/* Does the operand name this rule, or its pack? */
static bool is_wanted(const struct cli *cli, struct bl_str id)
{
	struct bl_str wanted = cli_operand(cli, 0);

	return !wanted.len || bl_str_equal(id, wanted) ||
	       (bl_str_has_prefix(id, wanted) && id.len > wanted.len &&
		id.ptr[wanted.len] == '/');
}

static void put_rows(struct cli *cli, struct bl_value rules)
{
	bl_buf_printf(&cli->out, "%-32s%-9s%-9s%-9s%s\n", "RULE", "RELAXED",
		      "STANDARD", "STRICT", "WHAT");
	for (size_t i = 0; i < bl_value_count(rules); i++) {
		struct bl_pack_rule rule = bl_pack_rule_of(
			rules, bl_value_text(bl_object_key(rules, i)));

		if (!is_wanted(cli, rule.id))
			continue;
		bl_buf_printf(&cli->out, "%-32.*s", BL_STR_ARG(rule.id));
		put_modes(cli, &rule);
		bl_buf_printf(&cli->out, "%.*s\n", BL_STR_ARG(rule.title));
	}
}

/* The rows that are wanted, as an object. */
static void put_json(struct cli *cli, struct bl_value rules)
{
	struct bl_object_builder wanted;

	bl_object_builder_init(&wanted, &cli->arena);
	for (size_t i = 0; i < bl_value_count(rules); i++) {
		struct bl_value id = bl_object_key(rules, i);

		if (is_wanted(cli, bl_value_text(id)))
			bl_object_builder_add(&wanted, bl_value_text(id),
					      bl_object_value(rules, i));
	}
	cli_put_json(cli, bl_object_builder_end(&wanted));
}

/* A rule of a rulebook, in the form of the packs' METADATA. */
static struct bl_value own_row(struct cli *cli, const struct bl_rulebook *book,
			       struct bl_value rule)
{
	struct bl_str verb =
		bl_value_text(bl_object_find(rule, BL_STR("verb")));
	struct bl_str text =
		bl_value_text(bl_object_find(rule, BL_STR("text")));
	struct bl_str subject =
		bl_value_text(bl_object_find(rule, BL_STR("subject")));
	struct bl_value modes[BL_COUNT(levels)];
	struct bl_object_builder custom;
	struct bl_object_builder row;
	int64_t line = 0;

	(void)bl_number_to_integer(bl_object_find(rule, BL_STR("line")), &line);
	for (size_t i = 0; i < BL_COUNT(levels); i++)
		modes[i] = bl_value_string(verb);
	bl_object_builder_init(&custom, &cli->arena);
	bl_object_builder_add(&custom, BL_STR("id"),
			      bl_object_find(rule, BL_STR("id")));
	bl_object_builder_add(
		&custom, BL_STR("modes"),
		bl_array_make(&cli->arena, modes, BL_COUNT(levels)));
	bl_object_builder_add(&custom, BL_STR("instead"),
			      bl_object_find(rule, BL_STR("instead")));
	bl_object_builder_init(&row, &cli->arena);
	bl_object_builder_add(
		&row, BL_STR("title"),
		bl_value_printf(&cli->arena, "%.*s: %.*s (%.*s:%lld)",
				BL_STR_ARG(subject), BL_STR_ARG(text),
				BL_STR_ARG(book->path), (long long)line));
	bl_object_builder_add(&row, BL_STR("description"),
			      bl_object_find(rule, BL_STR("reason")));
	bl_object_builder_add(&row, BL_STR("custom"),
			      bl_object_builder_end(&custom));
	return bl_object_builder_end(&row);
}

/* Adds the rules of the rulebook of the current folder, if it has some. */
static enum bl_status add_own(struct cli *cli, struct bl_value *rules,
			      struct bl_error *err)
{
	struct bl_str dir = bl_policy_dir_of(BL_STR("."), &cli->arena);
	struct bl_object_builder all;
	struct bl_rulebook book;
	struct bl_diags diags;
	struct bl_value own;
	enum bl_status status;

	if (!dir.ptr)
		return BL_OK;
	bl_diags_init(&diags, &cli->arena);
	status = bl_rulebook_read(dir, &cli->arena, &diags, &book, err);
	if (status)
		return status;
	own = bl_object_find(book.own, BL_STR("rules"));
	bl_object_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < bl_value_count(*rules); i++)
		bl_object_builder_add(&all,
				      bl_value_text(bl_object_key(*rules, i)),
				      bl_object_value(*rules, i));
	for (size_t i = 0; i < bl_value_count(own); i++) {
		struct bl_value rule = bl_value_item(own, i);

		bl_object_builder_add(
			&all, bl_value_text(bl_object_find(rule, BL_STR("id"))),
			own_row(cli, &book, rule));
	}
	*rules = bl_object_builder_end(&all);
	return bl_value_is_defined(*rules) ? BL_OK
					   : bl_arena_fail(&cli->arena, err);
}

static enum bl_status find_rules(struct cli *cli, struct bl_value *out_rules,
				 struct bl_error *err)
{
	struct bl_str wanted = cli_operand(cli, 0);
	struct cli_guess guess = { .text = wanted };
	enum bl_status status = bl_packs_rules(&cli->arena, out_rules, err);

	if (!status)
		status = add_own(cli, out_rules, err);
	for (size_t i = 0; !status && i < bl_value_count(*out_rules); i++) {
		struct bl_str id = bl_value_text(bl_object_key(*out_rules, i));

		if (is_wanted(cli, id))
			return BL_OK;
		cli_guess_offer(&guess, id);
	}
	if (status)
		return status;
	if (guess.best.len)
		return bl_fail(err, BL_NOT_FOUND,
			       "there is no rule or pack '%.*s'; did you mean "
			       "'%.*s'?",
			       BL_STR_ARG(wanted), BL_STR_ARG(guess.best));
	return bl_fail(err, BL_NOT_FOUND,
		       "there is no rule or pack '%.*s': see 'belay packs "
		       "list'",
		       BL_STR_ARG(wanted));
}

static int run_list(struct cli *cli)
{
	struct bl_value rules;
	struct bl_error err;

	if (find_rules(cli, &rules, &err))
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_JSON))
		put_json(cli, rules);
	else
		put_rows(cli, rules);
	return 0;
}

static void put_text(struct cli *cli, const char *label, struct bl_str text)
{
	if (text.len)
		bl_buf_printf(&cli->out, "  %-9s%.*s\n", label,
			      BL_STR_ARG(text));
}

static int run_show(struct cli *cli)
{
	struct bl_value rules;
	struct bl_error err;

	if (find_rules(cli, &rules, &err))
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_JSON)) {
		put_json(cli, rules);
		return 0;
	}
	for (size_t i = 0; i < bl_value_count(rules); i++) {
		struct bl_pack_rule rule = bl_pack_rule_of(
			rules, bl_value_text(bl_object_key(rules, i)));

		if (!is_wanted(cli, rule.id))
			continue;
		cli_put_styled(cli, CLI_BOLD,
			       bl_arena_copy_str(&cli->arena, rule.id).ptr);
		bl_buf_printf(&cli->out, ": %.*s\n", BL_STR_ARG(rule.title));
		put_text(cli, "when", rule.description);
		put_text(cli, "instead", rule.instead);
		put_text(cli, "severity", rule.severity);
		for (size_t j = 0; j < BL_COUNT(levels); j++)
			put_text(cli, levels[j], rule.modes[j]);
	}
	return 0;
}

#define HOW_TO_CHANGE                                                          \
	"A level in rulebook.yml (level: off, relaxed, standard, strict) "     \
	"sets "                                                                \
	"all modes; modes: {RULE: off|monitor|ask|deny} sets one rule, or a "  \
	"whole pack."

const struct cli_code cli_code_packs_list = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 1,
	.details = HOW_TO_CHANGE,
	.run = run_list,
};

const struct cli_code cli_code_packs_show = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = 1,
	.details = HOW_TO_CHANGE,
	.run = run_show,
};
