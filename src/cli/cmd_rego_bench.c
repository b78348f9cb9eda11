/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rego_bench.c: belay rego bench, how long one query takes. */
#include <stdlib.h>

#include "cli/rego_eval_options.h"
#include "cli/rego_files.h"
#include "cli/rego_network.h"
#include "json/json.h"
#include "os/os.h"

enum {
	OPT_DATA,
	OPT_INPUT,
	OPT_STDIN,
	OPT_COUNT,
	OPT_FORMAT,
	OPT_CAPABILITIES,
	OPT_ALLOW_NET,
};

enum {
	EXIT_ERROR = 2,
	MAX_RUNS = 1 << 20, /* whose times are kept */
	WARM_UP_RUNS = 10,
};

/* How long a query is run. */
static const int64_t bench_ns = 1000000000;

static const struct cli_option options[] = {
	[OPT_DATA] = { "data", 'd', CLI_LIST, "PATH",
		       "policies (.rego) and data (.json, .yaml), or folders "
		       "of "
		       "them" },
	[OPT_INPUT] = { "input", 'i', CLI_VALUE, "FILE",
			"JSON or YAML file to be input" },
	[OPT_STDIN] = { "stdin-input", 'I', CLI_FLAG, NULL,
			"read input from standard input" },
	[OPT_COUNT] = { "count", 0, CLI_NUMBER, "N",
			"how many times to measure (default: once)" },
	[OPT_FORMAT] = { "format", 0, CLI_VALUE, "BENCH_FORMAT",
			 "pretty (the default) or json" },
	[OPT_CAPABILITIES] = CLI_CAPABILITIES_ROW,
	[OPT_ALLOW_NET] = CLI_ALLOW_NET_ROW,
};

struct bench {
	const struct bl_rego_prepared *prepared;
	struct bl_rego_options query;
	struct cli_network network;
	struct bl_arena arena; /* of one run */
	int64_t *times;        /* MAX_RUNS of them */
	size_t runs;
	int64_t mean_ns;
	size_t bytes; /* of arena that the last run took */
	bool undefined;
};

static enum bl_status run_once(struct bench *bench, struct bl_error *err)
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

/* Runs it for a second, or MAX_RUNS times; then the times are sorted. */
static enum bl_status measure(struct bench *bench, struct bl_error *err)
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

/* The time that so many of a hundred runs do not exceed. */
static int64_t percentile(const struct bench *bench, size_t percent)
{
	size_t rank = (bench->runs * percent + 99) / 100;

	return bench->times[rank ? rank - 1 : 0];
}

static void put_figures(struct cli *cli, const struct bench *bench)
{
	const struct {
		const char *key;
		const char *title;
		int64_t value;
	} figures[] = {
		{ "runs", "runs", (int64_t)bench->runs },
		{ "mean_ns", "ns/op, mean", bench->mean_ns },
		{ "p50_ns", "ns/op, p50", percentile(bench, 50) },
		{ "p90_ns", "ns/op, p90", percentile(bench, 90) },
		{ "p99_ns", "ns/op, p99", percentile(bench, 99) },
		{ "min_ns", "ns/op, min", bench->times[0] },
		{ "bytes", "bytes/op", (int64_t)bench->bytes },
	};
	struct bl_object_builder all;

	if (!bl_str_is(cli_value(cli, OPT_FORMAT), "json")) {
		for (size_t i = 0; i < BL_COUNT(figures); i++)
			bl_buf_printf(&cli->out, "%-12s %12lld\n",
				      figures[i].title,
				      (long long)figures[i].value);
		return;
	}
	bl_object_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < BL_COUNT(figures); i++)
		bl_object_builder_add(&all, bl_str(figures[i].key),
				      bl_value_integer(figures[i].value));
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

static enum bl_status prepare(struct cli *cli, struct bench *bench,
			      struct bl_error *err)
{
	const struct bl_rego_policies *policies;
	struct cli_rego_files files;
	struct bl_diags diags;
	struct bl_rego_compile_options how = { .strict = false };
	const struct cli_rego_paths paths = {
		.files = cli->given[OPT_DATA].values,
		.file_count = cli->given[OPT_DATA].count,
		.how = &how,
	};
	enum bl_status status = cli_read_capabilities(cli, OPT_CAPABILITIES,
						      &how.capabilities, err);

	if (!status)
		status = cli_network_init(&bench->network, cli, OPT_ALLOW_NET,
					  how.capabilities, err);
	if (!status)
		status = cli_compile_rego(cli, &paths, &files, NULL, &policies,
					  err);
	if (status)
		return status;
	bench->query = cli_rego_eval_options(files.data);
	bench->query.network = bench->network.use;
	status = cli_read_rego_input(cli, cli_has(cli, OPT_STDIN),
				     cli_value(cli, OPT_INPUT),
				     &bench->query.input, err);
	if (status)
		return status;
	bl_diags_init(&diags, &cli->arena);
	status = bl_rego_prepare(policies, cli_operand(cli, 0), &cli->arena,
				 &diags, &bench->prepared, err);
	if (status) {
		cli_note_diags(cli, &diags);
		return status;
	}
	bench->times = bl_arena_new_array(&cli->arena, int64_t, MAX_RUNS);
	return bench->times ? BL_OK : bl_arena_fail(&cli->arena, err);
}

static enum bl_status check_options(const struct cli *cli, struct bl_error *err)
{
	struct bl_str format = cli_value(cli, OPT_FORMAT);

	if (format.ptr && !bl_str_is(format, "json") &&
	    !bl_str_is(format, "pretty"))
		return bl_fail(err, BL_USAGE, "--format is pretty or json");
	if (cli_has(cli, OPT_COUNT) && !cli->given[OPT_COUNT].number)
		return bl_fail(err, BL_USAGE, "--count is at least 1");
	return BL_OK;
}

static int run(struct cli *cli)
{
	uint64_t count =
		cli_has(cli, OPT_COUNT) ? cli->given[OPT_COUNT].number : 1;
	struct bench bench = { .prepared = NULL };
	struct bl_error err;
	enum bl_status status = check_options(cli, &err);

	if (status)
		return cli_fail(cli, &err);
	bl_arena_init(&bench.arena, NULL, 0, 0);
	status = prepare(cli, &bench, &err);
	for (uint64_t i = 0; !status && i < count; i++) {
		status = measure(&bench, &err);
		if (status)
			break;
		if (bench.undefined && i == 0)
			cli_note("belay: the query is undefined\n");
		put_figures(cli, &bench);
		status = cli_flush(cli, &err);
	}
	bl_arena_clear(&bench.arena);
	cli_network_clear(&bench.network);
	if (!status)
		return 0;
	cli_fail(cli, &err);
	return EXIT_ERROR;
}

const struct cli_code cli_code_rego_bench = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = 1,
	.details = "QUERY is compiled once, then run for about a second, or "
		   "1048576 times.  Times\n"
		   "are of one run, with the giving back of its memory and a "
		   "look at the clock;\n"
		   "p90 is the time that 90 of 100 runs do not exceed.  With "
		   "--format json every\n"
		   "measurement is an object of its own.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  it was measured\n"
		   "  2  it does not compile, or its evaluation ends with an "
		   "error\n",
	.run = run,
};
