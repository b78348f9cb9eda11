/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h: what `belay stats` counts, and its page. */
#ifndef BELAY_CLI_STATS_H
#define BELAY_CLI_STATS_H

#include "cli/log_rows.h"

/* A line of either table: a rule, or a day. */
struct cli_stats_row {
	struct bl_str name;
	size_t actions; /* of a day: all entries */
	size_t denied;
	size_t asked;
	size_t overridden; /* a person let it pass */
	size_t monitored;
};

struct cli_stats_table {
	struct cli_stats_row *rows;
	size_t count;
	size_t most; /* that there is room for */
};

enum { CLI_STATS_MAX_ROWS = 1000 };

struct cli_stats {
	struct cli_stats_table rules; /* most often stopped first */
	struct cli_stats_table days;
	struct cli_stats_row all;
	struct bl_str since;
};

/* Appends a page that stands alone: no script, nothing from elsewhere. */
void cli_stats_put_html(struct bl_buf *out, const struct cli_stats *stats);

#endif
