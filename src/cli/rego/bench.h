/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/bench.h: measuring one query. */
#ifndef BELAY_CLI_REGO_BENCH_H
#define BELAY_CLI_REGO_BENCH_H

#include "cli/cli.h"
#include "rego/rego.h"

struct cli_bench {
	const struct bl_rego_prepared *prepared;
	struct bl_rego_options query;
	struct bl_arena arena; /* of one run */
	int64_t *times;        /* of the runs, sorted */
	size_t runs;
	int64_t mean_ns;
	size_t bytes; /* of memory that the last run took */
	bool undefined;
};

#define CLI_BENCH_COUNT_ROW                                                    \
	{                                                                      \
		"count", 0, CLI_NUMBER, "N",                                   \
			"how many times to measure (default: once)"            \
	}

/* Room for the times, in arena.  To be cleared. */
enum bl_status cli_bench_init(struct cli_bench *bench, struct bl_arena *arena,
			      struct bl_error *err);
void cli_bench_clear(struct cli_bench *bench);

/* Runs the query for about a second.  INVALID: its evaluation failed. */
enum bl_status cli_bench_measure(struct cli_bench *bench, struct bl_error *err);

/* The time that so many of a hundred runs do not exceed. */
int64_t cli_bench_percentile(const struct cli_bench *bench, size_t percent);

/* A line as Go's benchmarks have it: name, runs, ns/op, B/op. */
void cli_bench_put_line(const struct cli_bench *bench, const char *name,
			struct bl_buf *out);

#endif
