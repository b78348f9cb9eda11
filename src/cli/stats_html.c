/* SPDX-License-Identifier: Apache-2.0 */
/* stats_html.c: the counts as a page that can be mailed around. */
#include "cli/stats.h"

static const char head[] =
	"<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
	"'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<title>What belay stopped</title>\n<style>\n"
	"body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem "
	"auto;padding:0 1rem;color:#222;background:#fff}\n"
	"table{border-collapse:collapse;width:100%}\n"
	"th,td{text-align:left;padding:.2rem .5rem;border-bottom:1px solid "
	"#ddd}\n"
	"td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}\n"
	".bar{display:flex;height:.9rem;min-width:8rem}\n"
	".d{background:#c0392b}.a{background:#e0a800}\n"
	"@media(prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}"
	"th,td{border-color:#444}}\n"
	"</style></head><body>\n<h1>What belay stopped</h1>\n";

static void put_escaped(struct bl_buf *out, struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		/* Names may come from anywhere: plain ASCII, and no markup. */
		if (c < ' ' || c > '~' || c == '<' || c == '>' || c == '&' ||
		    c == '"' || c == '\'')
			bl_buf_printf(out, "&#%u;", c > '~' ? '?' : c);
		else
			bl_buf_put_char(out, (char)c);
	}
}

static double percent(size_t count, size_t most)
{
	return 100.0 * (double)count / (double)most;
}

static void put_table(struct bl_buf *out, const char *title, const char *name,
		      const struct cli_stats_table *table)
{
	size_t most = 1;

	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].denied + table->rows[i].asked > most)
			most = table->rows[i].denied + table->rows[i].asked;
	bl_buf_printf(out,
		      "<h2>%s</h2>\n<table><thead><tr><th>%s</th><th></th>"
		      "<th class=\"n\">denied</th><th class=\"n\">asked</th>"
		      "<th class=\"n\">overridden</th><th class=\"n\">monitored"
		      "</th></tr></thead><tbody>\n",
		      title, name);
	for (size_t i = 0; i < table->count; i++) {
		const struct cli_stats_row *row = &table->rows[i];

		bl_buf_puts(out, "<tr><td>");
		put_escaped(out, row->name);
		bl_buf_printf(out,
			      "</td><td><div class=\"bar\"><span class=\"d\" "
			      "style=\"width:%.1f%%\"></span><span class=\"a\" "
			      "style=\"width:%.1f%%\"></span></div></td>"
			      "<td class=\"n\">%zu</td><td class=\"n\">%zu</td>"
			      "<td class=\"n\">%zu</td><td class=\"n\">%zu</td>"
			      "</tr>\n",
			      percent(row->denied, most),
			      percent(row->asked, most), row->denied,
			      row->asked, row->overridden, row->monitored);
	}
	bl_buf_puts(out, "</tbody></table>\n");
}

void cli_stats_put_html(struct bl_buf *out, const struct cli_stats *stats)
{
	bl_buf_puts(out, head);
	bl_buf_puts(out, "<p>Since ");
	put_escaped(out, stats->since);
	bl_buf_printf(
		out,
		": %zu action%s, %zu denied, %zu asked, %zu overridden by "
		"a person, %zu only monitored.</p>\n",
		stats->all.actions, stats->all.actions == 1 ? "" : "s",
		stats->all.denied, stats->all.asked, stats->all.overridden,
		stats->all.monitored);
	put_table(out, "By rule", "rule", &stats->rules);
	put_table(out, "By day (UTC)", "day", &stats->days);
	bl_buf_puts(out, "</body></html>\n");
}
