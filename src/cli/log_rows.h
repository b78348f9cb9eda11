/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log_rows.h: entries of the journal as people are told them: one row an
 * entry, and which of them are wanted.
 */
#ifndef BELAY_CLI_LOG_ROWS_H
#define BELAY_CLI_LOG_ROWS_H

#include "cli/cli.h"

/* The entries that commands look at, at the most. */
enum { CLI_LOG_MAX = 50000 };

/* The answer that the agent got, in one word. */
enum cli_log_verdict {
	CLI_LOG_PASSED, /* no opinion */
	CLI_LOG_ALLOWED,
	CLI_LOG_CHANGED,
	CLI_LOG_ASKED,
	CLI_LOG_DENIED,
	CLI_LOG_VERDICT_COUNT
};

struct cli_log_row {
	struct bl_str id;
	struct bl_str time; /* RFC 3339, UTC */
	struct bl_str agent;
	enum cli_log_verdict verdict;
	struct bl_str rule;  /* ids, joined by ", "; or the hook's command */
	struct bl_str about; /* command, or tool and file */
	struct bl_str why;
	struct bl_str code; /* that belay allow takes; empty */
	bool is_canary;
	bool is_overridden; /* a person let it pass */
	struct bl_value entry;
};

struct cli_log_filter {
	bool denied;
	struct bl_str since; /* of RFC 3339, or its beginning; empty: all */
	struct bl_str agent; /* empty: all */
	struct bl_str rule;  /* an id, or a pack */
};

const char *cli_log_verdict_name(enum cli_log_verdict verdict);

/* The row of an entry, in arena. */
void cli_log_read(struct bl_arena *arena, struct bl_value entry,
		  struct cli_log_row *out_row);

bool cli_log_takes(const struct cli_log_filter *filter,
		   const struct cli_log_row *row);

/* "2h", "30m", "7d", "2026-11-28", "2026-11-28T10:00" to a filter's since. */
enum bl_status cli_log_parse_since(struct bl_arena *arena, struct bl_str text,
				   struct bl_str *out_since,
				   struct bl_error *err);

/* Appends the row for people: one line. */
void cli_log_put(struct cli *cli, const struct cli_log_row *row);

/* Appends all that the row's entry says about its decision, for people. */
void cli_log_explain(struct cli *cli, const struct cli_log_row *row);

/* Calls visit with the id of each rule of a list of findings. */
void cli_log_each_rule(struct bl_value findings,
		       void (*visit)(void *context, struct bl_str rule),
		       void *context);

#endif
