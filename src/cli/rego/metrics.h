/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/metrics.h: how long the parts of an evaluation take. */
#ifndef BELAY_CLI_REGO_METRICS_H
#define BELAY_CLI_REGO_METRICS_H

#include "cli/cli.h"

enum cli_part {
	CLI_PART_LOAD,
	CLI_PART_PARSE,
	CLI_PART_COMPILE,
	CLI_PART_INPUT,
	CLI_PART_QUERY,
	CLI_PART_EVAL,
	CLI_PART_COUNT
};

enum { CLI_MAX_RUNS = 100000 };

struct cli_metrics {
	int64_t *times
		[CLI_PART_COUNT]; /* in nanoseconds, runs of them at most */
	size_t counts[CLI_PART_COUNT];
	size_t runs;
	int64_t since;
};

/* For so many runs; NO_MEMORY. */
enum bl_status cli_metrics_init(struct cli_metrics *metrics,
				struct bl_arena *arena, size_t runs,
				struct bl_error *err);

/* From now on, until the next cli_metrics_take. */
void cli_metrics_start(struct cli_metrics *metrics);

/* The time of a part, but without some nanoseconds that belong elsewhere. */
void cli_metrics_take(struct cli_metrics *metrics, enum cli_part part,
		      int64_t without_ns);
void cli_metrics_add(struct cli_metrics *metrics, enum cli_part part,
		     int64_t ns);

/*
 * {"timer_rego_...": nanoseconds}, by OPA's names; of several runs a member is
 * an object: count, min, max, mean, median, "75%", "90%", ...
 */
struct bl_value cli_metrics_value(const struct cli_metrics *metrics,
				  struct bl_arena *arena);

/* The metrics as lines. */
void cli_metrics_put(const struct cli_metrics *metrics, struct bl_buf *out);

#endif
