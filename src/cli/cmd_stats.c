/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_stats.c: belay stats: the log counted by rule and by day, as bars, as
 * JSON, or as a page.
 */
#include <stdlib.h>

#include "cli/stats.h"

enum { OPT_HOME, OPT_STATE_DIR, OPT_JSON, OPT_SINCE, OPT_AGENT, OPT_HTML };

static const struct cli_option options[] = {
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_STATE_DIR] = CLI_STATE_DIR_ROW,
	[OPT_JSON] = CLI_JSON_ROW,
	[OPT_SINCE] = { "since", 0, CLI_VALUE, "TIME",
			"from then on: 2h, 7d, 2026-11-28 (default: 30d)" },
	[OPT_AGENT] = { "agent", 0, CLI_VALUE, "AGENT",
			"only of this agent, or profile" },
	[OPT_HTML] = { "html", 0, CLI_FLAG, NULL,
		       "print a page that stands alone" },
};

enum { DATE_LEN = 10, BAR_WIDTH = 30, SHOWN_RULES = 20 };

/* ---- counting ----------------------------------------------------------- */

/* The row of that name, a new one where it is missing; NULL: no room. */
static struct cli_stats_row *row_of(struct cli_stats_table *table,
				    struct bl_str name)
{
	for (size_t i = table->count; i-- > 0;)
		if (bl_str_equal(table->rows[i].name, name))
			return &table->rows[i];
	if (table->count >= table->most)
		return NULL;
	table->rows[table->count] = (struct cli_stats_row){ .name = name };
	return &table->rows[table->count++];
}

static void count_in(struct cli_stats_row *row, const struct cli_log_row *entry)
{
	row->actions++;
	row->denied += entry->verdict == CLI_LOG_DENIED;
	row->asked += entry->verdict == CLI_LOG_ASKED;
	row->overridden += entry->is_overridden;
}

struct counting {
	struct cli_stats *stats;
	struct cli_stats_row *day; /* NULL: no room */
	const struct cli_log_row *entry;
};

static void count_finding(void *context, struct bl_str rule)
{
	const struct counting *counting = context;
	struct cli_stats_row *row = row_of(&counting->stats->rules, rule);

	if (row)
		count_in(row, counting->entry);
}

static void count_allowed(void *context, struct bl_str rule)
{
	const struct counting *counting = context;
	struct cli_stats_row *row = row_of(&counting->stats->rules, rule);

	if (row)
		row->overridden++;
}

static void count_monitored(void *context, struct bl_str rule)
{
	const struct counting *counting = context;
	struct cli_stats_row *row = row_of(&counting->stats->rules, rule);

	if (row)
		row->monitored++;
	if (counting->day)
		counting->day->monitored++;
	counting->stats->all.monitored++;
}

static void count_entry(struct cli_stats *stats,
			const struct cli_log_row *entry)
{
	struct bl_value response =
		bl_object_find(entry->entry, BL_STR("response"));
	struct cli_stats_row *day =
		row_of(&stats->days, bl_str_slice(entry->time, 0, DATE_LEN));
	struct counting counting = { stats, day, entry };

	if (day)
		count_in(day, entry);
	count_in(&stats->all, entry);
	if (entry->verdict >= CLI_LOG_ASKED)
		cli_log_each_rule(bl_object_find(response, BL_STR("findings")),
				  count_finding, &counting);
	cli_log_each_rule(bl_object_find(response, BL_STR("allowed")),
			  count_allowed, &counting);
	cli_log_each_rule(bl_object_find(response, BL_STR("monitored")),
			  count_monitored, &counting);
}

static int compare_rules(const void *a, const void *b)
{
	const struct cli_stats_row *x = a;
	const struct cli_stats_row *y = b;
	size_t of_x = x->denied + x->asked;
	size_t of_y = y->denied + y->asked;

	if (of_x != of_y)
		return of_x < of_y ? 1 : -1;
	return bl_str_compare(x->name, y->name);
}

static enum bl_status make_table(struct cli *cli, struct cli_stats_table *table,
				 struct bl_error *err)
{
	table->most = CLI_STATS_MAX_ROWS;
	table->rows = bl_arena_new_array(&cli->arena, struct cli_stats_row,
					 table->most);
	return table->rows ? BL_OK : bl_arena_fail(&cli->arena, err);
}

static enum bl_status count(struct cli *cli, struct cli_stats *stats,
			    struct bl_error *err)
{
	struct cli_log_filter filter = { .agent = cli_value(cli, OPT_AGENT) };
	struct bl_str since = cli_has(cli, OPT_SINCE)
				      ? cli_value(cli, OPT_SINCE)
				      : BL_STR("30d");
	struct bl_value *entries;
	struct bl_str dir;
	size_t count;
	enum bl_status status =
		cli_log_parse_since(&cli->arena, since, &filter.since, err);

	if (!status)
		status = cli_journal_dir(cli, OPT_STATE_DIR, OPT_HOME, &dir,
					 err);
	if (!status)
		status = make_table(cli, &stats->rules, err);
	if (!status)
		status = make_table(cli, &stats->days, err);
	if (!status)
		status = bl_journal_read_last(dir, CLI_LOG_MAX, &cli->arena,
					      &entries, &count, NULL, err);
	for (size_t i = 0; !status && i < count; i++) {
		struct cli_log_row row;

		cli_log_read(&cli->arena, entries[i], &row);
		if (!row.is_canary && cli_log_takes(&filter, &row))
			count_entry(stats, &row);
	}
	stats->since = filter.since;
	if (!status)
		qsort(stats->rules.rows, stats->rules.count,
		      sizeof(*stats->rules.rows), compare_rules);
	return status;
}

/* ---- bars --------------------------------------------------------------- */

static size_t largest(const struct cli_stats_table *table)
{
	size_t most = 1;

	for (size_t i = 0; i < table->count; i++) {
		size_t stopped = table->rows[i].denied + table->rows[i].asked;

		if (stopped > most)
			most = stopped;
	}
	return most;
}

static void put_bar(struct cli *cli, const struct cli_stats_row *row,
		    size_t most)
{
	static const char full[] = "##############################";
	size_t denied = (row->denied * BAR_WIDTH + most - 1) / most;
	size_t asked = row->asked * BAR_WIDTH / most;
	char bar[BAR_WIDTH + 1];

	if (denied > BAR_WIDTH)
		denied = BAR_WIDTH;
	if (asked > BAR_WIDTH - denied)
		asked = BAR_WIDTH - denied;
	memcpy(bar, full, denied);
	bar[denied] = '\0';
	cli_put_styled(cli, CLI_RED, bar);
	memset(bar, '-', asked);
	bar[asked] = '\0';
	cli_put_styled(cli, CLI_YELLOW, bar);
	bl_buf_printf(&cli->out, "%*s", (int)(BAR_WIDTH - denied - asked), "");
}

static void put_row(struct cli *cli, const struct cli_stats_row *row,
		    size_t most)
{
	bl_buf_puts(&cli->out, "  ");
	cli_put_text(&cli->out, 2, row->name);
	if (row->name.len < 30)
		bl_buf_printf(&cli->out, "%*s", (int)(30 - row->name.len), "");
	bl_buf_put_char(&cli->out, ' ');
	put_bar(cli, row, most);
	bl_buf_printf(&cli->out, " %6zu %6zu %6zu %6zu\n", row->denied,
		      row->asked, row->overridden, row->monitored);
}

static void put_table(struct cli *cli, const char *title,
		      const struct cli_stats_table *table, size_t shown)
{
	bl_buf_printf(&cli->out, "\n  %-30s %-30s %6s %6s %6s %6s\n", title, "",
		      "denied", "asked", "overr.", "monit.");
	for (size_t i = 0; i < table->count && i < shown; i++)
		put_row(cli, &table->rows[i], largest(table));
	if (!table->count)
		bl_buf_puts(&cli->out, "  nothing\n");
	if (table->count > shown)
		bl_buf_printf(&cli->out, "  and %zu more (--json has all)\n",
			      table->count - shown);
}

static void put_people(struct cli *cli, const struct cli_stats *stats)
{
	bl_buf_printf(&cli->out,
		      "since %.*s: %zu action%s, %zu denied, %zu asked, %zu "
		      "overridden, %zu only monitored\n",
		      BL_STR_ARG(stats->since), stats->all.actions,
		      stats->all.actions == 1 ? "" : "s", stats->all.denied,
		      stats->all.asked, stats->all.overridden,
		      stats->all.monitored);
	put_table(cli, "BY RULE", &stats->rules, SHOWN_RULES);
	put_table(cli, "BY DAY", &stats->days, CLI_STATS_MAX_ROWS);
}

/* ---- JSON --------------------------------------------------------------- */

static struct bl_value row_value(struct cli *cli, const char *name,
				 const struct cli_stats_row *row)
{
	const struct {
		const char *key;
		size_t count;
	} counts[] = { { "actions", row->actions },
		       { "denied", row->denied },
		       { "asked", row->asked },
		       { "overridden", row->overridden },
		       { "monitored", row->monitored } };
	struct bl_object_builder out;

	bl_object_builder_init(&out, &cli->arena);
	if (name)
		bl_object_builder_add(&out, bl_str(name),
				      bl_value_string(row->name));
	for (size_t i = 0; i < BL_COUNT(counts); i++)
		bl_object_builder_add(
			&out, bl_str(counts[i].key),
			bl_value_integer((int64_t)counts[i].count));
	return bl_object_builder_end(&out);
}

static struct bl_value table_value(struct cli *cli, const char *name,
				   const struct cli_stats_table *table)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; i < table->count; i++)
		bl_array_builder_add(&list,
				     row_value(cli, name, &table->rows[i]));
	return bl_array_builder_end(&list);
}

static void put_json(struct cli *cli, const struct cli_stats *stats)
{
	struct bl_object_builder out;

	bl_object_builder_init(&out, &cli->arena);
	bl_object_builder_add(&out, BL_STR("since"),
			      bl_value_string(stats->since));
	bl_object_builder_add(&out, BL_STR("all"),
			      row_value(cli, NULL, &stats->all));
	bl_object_builder_add(&out, BL_STR("rules"),
			      table_value(cli, "rule", &stats->rules));
	bl_object_builder_add(&out, BL_STR("days"),
			      table_value(cli, "day", &stats->days));
	cli_put_json(cli, bl_object_builder_end(&out));
}

static int run_stats(struct cli *cli)
{
	struct cli_stats stats = { .since = BL_STR("") };
	struct bl_error err;

	if (count(cli, &stats, &err))
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_HTML))
		cli_stats_put_html(&cli->out, &stats);
	else if (cli_has(cli, OPT_JSON))
		put_json(cli, &stats);
	else
		put_people(cli, &stats);
	return 0;
}

const struct cli_code cli_code_stats = {
	.options = options,
	.option_count = BL_COUNT(options),
	.details =
		"Counts the entries of the log, at most the last 50000, "
		"without "
		"those of 'belay init' trying itself out: what was denied and "
		"asked, which of it a person let pass ('belay allow'), and "
		"what "
		"rules in the mode monitor would have stopped.\n",
	.run = run_stats,
};
