/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of a benchmark: rounds, percentiles, the printed report.  Shared by
 * `rego bench` and `rego test --bench`.
 */
#include "cli/rego/bench.h"

#include <stdlib.h>

#include "os/os.h"

enum {
	MAX_RUNS = 1 << 20, /* whose times are kept */
	WARM_UP_RUNS = 10,
};

/* How long a query is run. */
static const int64_t bench_ns = 1000000000;

enum bl_status cli_bench_init(struct cli_bench *bench, struct bl_arena *arena,
			      struct bl_error *err)
{
	*bench = (struct cli_bench){ 0 };
	bl_arena_init(&bench->arena, NULL, 0, 0);
	bench->times = bl_arena_new_array(arena, int64_t, MAX_RUNS);
	return bench->times ? BL_OK : bl_arena_fail(arena, err);
}

void cli_bench_clear(struct cli_bench *bench)
{
	bl_arena_clear(&bench->arena);
}

static enum bl_status run_once(struct cli_bench *bench, struct bl_error *err)
{
	struct bl_rego_result result;
	enum bl_status status;

	bl_arena_reset(&bench->arena);
	status = bl_rego_run(bench->prepared, &bench->query, &bench->arena,
			     &result, err);
	if (status)
		return status;
	if (result.fault_code)
		return bl_fail(err, BL_INVALID, "%.*s",
			       BL_STR_ARG(result.fault));
	bench->undefined = bl_value_count(result.solutions) == 0;
	bench->bytes = bench->arena.used_bytes -
		       (size_t)(bench->arena.end - bench->arena.next);
	return BL_OK;
}

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

enum bl_status cli_bench_measure(struct cli_bench *bench, struct bl_error *err)
{
	enum bl_status status = BL_OK;
	size_t runs = 0;
	int64_t start;
	int64_t now;

	for (int i = 0; !status && i < WARM_UP_RUNS; i++)
		status = run_once(bench, err);
	if (status)
		return status;
	start = now = bl_os_monotonic_ns();
	do {
		int64_t before = now;

		status = run_once(bench, err);
		now = bl_os_monotonic_ns();
		bench->times[runs++] = now - before;
	} while (!status && runs < MAX_RUNS && now - start < bench_ns);
	bench->runs = runs;
	bench->mean_ns = (now - start) / (int64_t)runs;
	qsort(bench->times, runs, sizeof(*bench->times), compare_times);
	return status;
}

int64_t cli_bench_percentile(const struct cli_bench *bench, size_t percent)
{
	size_t rank = (bench->runs * percent + 99) / 100;

	return bench->times[rank ? rank - 1 : 0];
}

void cli_bench_put_line(const struct cli_bench *bench, const char *name,
			struct bl_buf *out)
{
	bl_buf_printf(out, "%s\t%8zu\t%10lld ns/op\t%8zu B/op\n", name,
		      bench->runs, (long long)bench->mean_ns, bench->bytes);
}
