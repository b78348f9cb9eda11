/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_bench.c: belay rego bench, how long one query takes. */
#include "cli/rego/bundle_options.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/bench.h"
#include "cli/rego/compile.h"
#include "cli/rego/eval_options.h"
#include "cli/rego/query.h"
#include "json/json.h"

enum {
	OPT_COUNT = CLI_QUERY_COUNT,
	OPT_FORMAT,
	OPT_FAIL,
	OPT_METRICS,
	OPT_COMPILE, /* CLI_COMPILE_ROWS from here */
	OPT_BUNDLES = OPT_COMPILE +
		      CLI_COMPILE_COUNT, /* CLI_BUNDLE_READ_ROWS from here */
};

enum { EXIT_ERROR = 1 /* as opa has it */ };

static const struct cli_option options[] = {
	CLI_QUERY_ROWS,
	[OPT_COUNT] = CLI_BENCH_COUNT_ROW,
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "BENCH_FORMAT",
			 "pretty (the default), json or gobench" },
	[OPT_FAIL] = { "fail", 0, CLI_FLAG, NULL,
		       "an undefined query is an error (the default; "
		       "--fail=false: it is measured)" },
	[OPT_METRICS] = { "metrics", 0, CLI_FLAG, NULL,
			  "print more than the mean (the default; "
			  "--metrics=false: do not)" },
	CLI_COMPILE_ROWS(OPT_COMPILE),
	CLI_BUNDLE_READ_ROWS(OPT_BUNDLES),
};

_Static_assert(BL_COUNT(options) <= CLI_MAX_OPTIONS, "too many options");

static void put_figures(struct cli *cli, const struct cli_bench *bench)
{
	const struct {
		const char *key;
		const char *title;
		int64_t value;
		bool is_more;
	} figures[] = {
		{ "runs", "runs", (int64_t)bench->runs, false },
		{ "mean_ns", "ns/op, mean", bench->mean_ns, false },
		{ "p50_ns", "ns/op, p50", cli_bench_percentile(bench, 50),
		  true },
		{ "p90_ns", "ns/op, p90", cli_bench_percentile(bench, 90),
		  true },
		{ "p99_ns", "ns/op, p99", cli_bench_percentile(bench, 99),
		  true },
		{ "min_ns", "ns/op, min", bench->times[0], true },
		{ "bytes", "bytes/op", (int64_t)bench->bytes, false },
	};
	bool as_json = bl_str_is(cli_value(cli, OPT_FORMAT), "json");
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < BL_COUNT(figures); i++) {
		if (figures[i].is_more && cli->given[OPT_METRICS].is_off)
			continue;
		if (as_json)
			bl_object_builder_add(
				&all, bl_str(figures[i].key),
				bl_value_integer(figures[i].value));
		else
			bl_buf_printf(&cli->out, "%-12s %12lld\n",
				      figures[i].title,
				      (long long)figures[i].value);
	}
	if (!as_json)
		return;
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

static enum bl_status prepare(struct cli *cli, struct cli_bench *bench,
			      struct cli_network *network,
			      struct bl_diags *diags, struct bl_error *err)
{
	const struct bl_rego_policies *policies;
	struct cli_rego_files files;
	struct bl_str query;
	struct bl_bundle_options bundle_options;
	struct bl_rego_compile_options how = { 0 };
	struct cli_rego_paths paths = cli_query_paths(cli);
	enum bl_status status = cli_read_query(cli, &query, err);

	if (!status)
		status = cli_bundle_options(cli, OPT_BUNDLES,
					    paths.bundle_count > 0,
					    &bundle_options, err);
	paths.bundle_options = &bundle_options;
	paths.how = &how;
	if (!status)
		status = cli_compile_options(cli, OPT_COMPILE, &how, network,
					     err);
	if (!status)
		status = cli_compile_rego(cli, &paths, &files, diags, &policies,
					  err);
	if (!status && bl_value_is_defined(files.plan))
		return bl_fail(err, BL_UNSUPPORTED,
			       "a plan is not measured; measure its policies");
	if (status)
		return status;
	bench->query = cli_rego_eval_options(files.data);
	bench->query.host.network = network->use;
	status = cli_read_rego_input(cli, cli_has(cli, CLI_QUERY_STDIN_INPUT),
				     cli_value(cli, CLI_QUERY_INPUT),
				     &bench->query.input, err);
	if (!status)
		status = cli_read_scope(cli, &bench->query.scope, diags, err);
	return status ? status
		      : bl_rego_prepare_in(policies, bench->query.scope, query,
					   &cli->arena, diags, &bench->prepared,
					   err);
}

static enum bl_status check_options(const struct cli *cli, struct bl_error *err)
{
	static const char *const formats[] = { "pretty", "json", "gobench" };
	struct bl_str format = cli_value(cli, OPT_FORMAT);
	bool is_format = !format.ptr;

	for (size_t i = 0; !is_format && i < BL_COUNT(formats); i++)
		is_format = bl_str_is(format, formats[i]);
	if (!is_format)
		return bl_fail(err, BL_USAGE,
			       "--format is pretty, json or gobench");
	if (cli_has(cli, OPT_COUNT) && !cli->given[OPT_COUNT].number)
		return bl_fail(err, BL_USAGE, "--count is at least 1");
	return BL_OK;
}

static enum bl_status measure(struct cli *cli, struct cli_bench *bench,
			      struct bl_error *err)
{
	enum bl_status status = cli_bench_measure(bench, err);

	if (status)
		return status;
	if (bench->undefined && !cli->given[OPT_FAIL].is_off)
		return bl_fail(err, BL_INVALID, "the query is undefined");
	if (bl_str_is(cli_value(cli, OPT_FORMAT), "gobench"))
		cli_bench_put_line(bench, "BenchmarkRegoEval", &cli->out);
	else
		put_figures(cli, bench);
	return cli_flush(cli, err);
}

static int run_bench(struct cli *cli)
{
	uint64_t count =
		cli_has(cli, OPT_COUNT) ? cli->given[OPT_COUNT].number : 1;
	struct cli_network network = { .use = NULL };
	struct cli_bench bench;
	struct bl_diags diags;
	struct bl_error err;
	enum bl_status status = check_options(cli, &err);

	if (!status)
		status = cli_bench_init(&bench, &cli->arena, &err);
	if (status)
		return cli_fail(cli, &err);
	bl_diags_init(&diags, &cli->arena);
	status = prepare(cli, &bench, &network, &diags, &err);
	for (uint64_t i = 0; !status && i < count; i++)
		status = measure(cli, &bench, &err);
	cli_network_clear(&network);
	cli_bench_clear(&bench);
	if (!status)
		return 0;
	cli_note_diags(cli, &diags);
	return cli_fail_with(cli, &err, EXIT_ERROR);
}

const struct cli_code cli_code_rego_bench = {
	.options = options,
	.option_count = BL_COUNT(options),
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
		   "  1  it does not compile, is undefined, or its evaluation "
		   "ends with an\n"
		   "     error\n",
	.run = run_bench,
	.foreign = cli_opa_options,
};
