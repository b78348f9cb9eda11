/* SPDX-License-Identifier: Apache-2.0 */
/* log_explain.c: one entry of the log in sentences. */
#include "cli/log_rows.h"

#include "packs/packs.h"

static struct bl_str text_of(struct bl_value entry, const char *key)
{
	return bl_value_text(bl_object_find(entry, bl_str(key)));
}

static void put_row(struct cli *cli, const char *label, struct bl_str text)
{
	if (!text.len)
		return;
	bl_buf_printf(&cli->out, "%-10s", label);
	cli_put_text(&cli->out, 10, text);
	bl_buf_put_char(&cli->out, '\n');
}

struct rules {
	struct cli *cli;
	struct bl_value packs; /* the table; undefined: it cannot be read */
};

/* Of a rule that belay ships, its title and what to do in its place. */
static void put_rule(void *context, struct bl_str id)
{
	struct rules *rules = context;
	struct bl_pack_rule rule = { .id = id };

	if (bl_value_is_defined(bl_object_find(rules->packs, id)))
		rule = bl_pack_rule_of(rules->packs, id);
	put_row(rules->cli, "rule", id);
	put_row(rules->cli, "", rule.title);
	put_row(rules->cli, "instead", rule.instead);
}

static void put_list(struct cli *cli, struct bl_value response, const char *key,
		     const char *heading)
{
	struct bl_value list = bl_object_find(response, bl_str(key));
	struct rules rules = { .cli = cli, .packs = bl_value_undefined() };

	if (!bl_value_count(list))
		return;
	if (heading)
		bl_buf_printf(&cli->out, "%s\n", heading);
	if (bl_packs_rules(&cli->arena, &rules.packs, NULL))
		rules.packs = bl_value_undefined();
	cli_log_each_rule(list, put_rule, &rules);
}

static void put_troubles(struct cli *cli, struct bl_value response)
{
	struct bl_value list = bl_object_find(response, BL_STR("troubles"));

	for (size_t i = 0; i < bl_value_count(list); i++)
		put_row(cli, "trouble", bl_value_text(bl_value_item(list, i)));
}

void cli_log_explain(struct cli *cli, const struct cli_log_row *row)
{
	struct bl_value response =
		bl_object_find(row->entry, BL_STR("response"));
	struct bl_str decision = text_of(row->entry, "decision");

	put_row(cli, "id", row->id);
	put_row(cli, "time", row->time);
	put_row(cli, "agent", row->agent);
	put_row(cli, "event", text_of(row->entry, "step"));
	put_row(cli, "about", row->about);
	put_row(cli, "told", bl_str(cli_log_verdict_name(row->verdict)));
	if (decision.len &&
	    !bl_str_equal(decision, text_of(row->entry, "enforced")))
		put_row(cli, "decided", decision);
	put_row(cli, "why", row->why);
	put_list(cli, response, "findings", NULL);
	put_list(cli, response, "allowed", "a person let this pass:");
	put_list(cli, response, "monitored",
		 "only watched, by the mode monitor:");
	put_troubles(cli, response);
	put_row(cli, "source", text_of(row->entry, "source"));
	put_row(cli, "file", text_of(row->entry, "file"));
	put_row(cli, "command", text_of(row->entry, "command"));
	put_row(cli, "outcome", text_of(row->entry, "outcome"));
	if (row->code.len)
		bl_buf_printf(&cli->out,
			      "to let it pass once: belay allow %.*s\n",
			      BL_STR_ARG(row->code));
	if (row->is_canary)
		bl_buf_puts(&cli->out, "an event with which belay init tried "
				       "itself out\n");
}
