/* SPDX-License-Identifier: Apache-2.0 */
/* How long reading, compiling and evaluating took: --metrics. */
#include "cli/rego/metrics.h"

#include <stdlib.h>

#include "os/os.h"

static const char *const names[CLI_PART_COUNT] = {
	[CLI_PART_LOAD] = "timer_rego_load_files_ns",
	[CLI_PART_PARSE] = "timer_rego_module_parse_ns",
	[CLI_PART_COMPILE] = "timer_rego_module_compile_ns",
	[CLI_PART_INPUT] = "timer_rego_input_parse_ns",
	[CLI_PART_QUERY] = "timer_rego_query_compile_ns",
	[CLI_PART_EVAL] = "timer_rego_query_eval_ns",
};

enum bl_status cli_metrics_init(struct cli_metrics *metrics,
				struct bl_arena *arena, size_t runs,
				struct bl_error *err)
{
	*metrics = (struct cli_metrics){ .runs = runs };
	for (size_t i = 0; i < CLI_PART_COUNT; i++) {
		metrics->times[i] = bl_arena_new_array(arena, int64_t, runs);
		if (!metrics->times[i])
			return bl_arena_fail(arena, err);
	}
	cli_metrics_start(metrics);
	return BL_OK;
}

void cli_metrics_start(struct cli_metrics *metrics)
{
	metrics->since = bl_os_monotonic_ns();
}

void cli_metrics_add(struct cli_metrics *metrics, enum cli_part part,
		     int64_t ns)
{
	if (metrics->counts[part] < metrics->runs)
		metrics->times[part][metrics->counts[part]++] = ns;
}

void cli_metrics_take(struct cli_metrics *metrics, enum cli_part part,
		      int64_t without_ns)
{
	int64_t now = bl_os_monotonic_ns();

	cli_metrics_add(metrics, part, now - metrics->since - without_ns);
	metrics->since = now;
}

/* ---- of several runs -------------------------------------------------------- */

struct summary {
	int64_t *sorted;
	size_t count;
	double mean;
};

static int compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static struct summary summary_of(const struct cli_metrics *metrics,
				 enum cli_part part)
{
	struct summary all = { metrics->times[part], metrics->counts[part], 0 };

	qsort(all.sorted, all.count, sizeof(*all.sorted), compare_times);
	for (size_t i = 0; i < all.count; i++)
		all.mean += (double)all.sorted[i] / (double)all.count;
	return all;
}

/* The time that so many of ten thousand runs do not exceed. */
static int64_t percentile(const struct summary *all, size_t of_10000)
{
	size_t rank = (all->count * of_10000 + 9999) / 10000;

	return all->sorted[rank ? rank - 1 : 0];
}

static struct bl_value summary_value(const struct summary *all,
				     struct bl_arena *arena)
{
	const struct {
		const char *name;
		int64_t value;
	} figures[] = {
		{ "count", (int64_t)all->count },
		{ "min", all->sorted[0] },
		{ "max", all->sorted[all->count - 1] },
		{ "mean", (int64_t)all->mean },
		{ "median", percentile(all, 5000) },
		{ "75%", percentile(all, 7500) },
		{ "90%", percentile(all, 9000) },
		{ "95%", percentile(all, 9500) },
		{ "99%", percentile(all, 9900) },
		{ "99.9%", percentile(all, 9990) },
		{ "99.99%", percentile(all, 9999) },
	};
	struct bl_object_builder out;

	bl_object_builder_init(&out, arena);
	for (size_t i = 0; i < BL_COUNT(figures); i++)
		bl_object_builder_add(&out, bl_str(figures[i].name),
				      bl_value_integer(figures[i].value));
	return bl_object_builder_end(&out);
}

struct bl_value cli_metrics_value(const struct cli_metrics *metrics,
				  struct bl_arena *arena)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, arena);
	for (enum cli_part i = 0; i < CLI_PART_COUNT; i++) {
		struct summary summary;

		if (!metrics->counts[i])
			continue;
		summary = summary_of(metrics, i);
		bl_object_builder_add(
			&all, bl_str(names[i]),
			metrics->runs == 1 ? bl_value_integer(summary.sorted[0])
					   : summary_value(&summary, arena));
	}
	return bl_object_builder_end(&all);
}

void cli_metrics_put(const struct cli_metrics *metrics, struct bl_buf *out)
{
	if (metrics->runs > 1)
		bl_buf_printf(out, "%-30s %12s %12s %12s %12s\n", "", "mean",
			      "min", "90%", "max");
	for (enum cli_part i = 0; i < CLI_PART_COUNT; i++) {
		struct summary all;

		if (!metrics->counts[i])
			continue;
		all = summary_of(metrics, i);
		bl_buf_printf(out, "%-30s %12lld", names[i],
			      (long long)all.mean);
		if (metrics->runs > 1)
			bl_buf_printf(out, " %12lld %12lld %12lld",
				      (long long)all.sorted[0],
				      (long long)percentile(&all, 9000),
				      (long long)all.sorted[all.count - 1]);
		bl_buf_put_char(out, '\n');
	}
}
