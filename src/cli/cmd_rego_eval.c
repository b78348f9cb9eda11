/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rego_eval.c: belay rego eval, one query. */
#include <unistd.h>

#include "cli/rego_eval_options.h"
#include "cli/rego_files.h"
#include "cli/rego_forms.h"
#include "cli/rego_trace.h"
#include "json/json.h"
#include "os/os.h"

enum {
	OPT_DATA,
	OPT_INPUT,
	OPT_STDIN,
	OPT_STRICT,
	OPT_VALUES,
	OPT_FORMAT,
	OPT_FAIL,
	OPT_FAIL_DEFINED,
	OPT_EXPLAIN,
	OPT_COVERAGE,
	OPT_PROFILE,
	OPT_PROFILE_LIMIT,
	OPT_PROFILE_SORT,
	OPT_METRICS,
};

/* As opa has them: 1 with --fail and --fail-defined, 2 for errors. */
enum { EXIT_FAIL = 1, EXIT_ERROR = 2 };

static const struct cli_option options[] = {
	[OPT_DATA] = { "data", 'd', CLI_LIST, "PATH",
		       "policies (.rego) and data (.json, .yaml), or folders "
		       "of "
		       "them" },
	[OPT_INPUT] = { "input", 'i', CLI_VALUE, "FILE",
			"JSON or YAML file to be input" },
	[OPT_STDIN] = { "stdin-input", 'I', CLI_FLAG, NULL,
			"read input from standard input" },
	[OPT_STRICT] = { "strict-builtin-errors", 0, CLI_FLAG, NULL,
			 "an error of a builtin ends the evaluation" },
	[OPT_VALUES] = { "values", 0, CLI_FLAG, NULL,
			 "print the values of the statements only" },
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "FORMAT",
			 "json (the default), pretty, values, lines, bindings, "
			 "raw or discard" },
	[OPT_FAIL] = { "fail", 0, CLI_FLAG, NULL,
		       "exit status 1 when the query is undefined" },
	[OPT_FAIL_DEFINED] = { "fail-defined", 0, CLI_FLAG, NULL,
			       "exit status 1 when it is defined" },
	[OPT_EXPLAIN] = { "explain", 0, CLI_VALUE, "MODE",
			  "say on standard error what happened: full, fails "
			  "or notes" },
	[OPT_COVERAGE] = { "coverage", 0, CLI_FLAG, NULL,
			   "print which lines ran, as JSON, behind the "
			   "result" },
	[OPT_PROFILE] = { "profile", 0, CLI_FLAG, NULL,
			  "print how long each statement took, and how often "
			  "it ran" },
	[OPT_PROFILE_LIMIT] = { "profile-limit", 0, CLI_NUMBER, "N",
				"how many statements (default: 10)" },
	[OPT_PROFILE_SORT] = { "profile-sort", 0, CLI_VALUE, "KEY",
			       "total_time_ns (the default), num_eval, "
			       "num_held, file or line" },
	[OPT_METRICS] = { "metrics", 0, CLI_FLAG, NULL,
			  "print how long reading, compiling and evaluating "
			  "took" },
};

/* The parts of an evaluation that take time, by OPA's names. */
enum part {
	TIME_LOAD,
	TIME_PARSE,
	TIME_COMPILE,
	TIME_INPUT,
	TIME_QUERY,
	TIME_EVAL,
	TIME_COUNT
};

static const char *const parts[TIME_COUNT] = {
	[TIME_LOAD] = "timer_rego_load_files_ns",
	[TIME_PARSE] = "timer_rego_module_parse_ns",
	[TIME_COMPILE] = "timer_rego_module_compile_ns",
	[TIME_INPUT] = "timer_rego_input_parse_ns",
	[TIME_QUERY] = "timer_rego_query_compile_ns",
	[TIME_EVAL] = "timer_rego_query_eval_ns",
};

/* What evaluating once needs, and how long the parts of it took. */
struct evaluation {
	const struct cli_rego_form *form;
	const struct bl_rego_policies *policies;
	struct bl_rego_options query;
	struct cli_rego_files files;
	struct cli_trace trace;
	int64_t times[TIME_COUNT];
};

/* Nanoseconds since the last call, into the time of a part. */
static void take_time(struct evaluation *e, int64_t *since, enum part part)
{
	int64_t now = bl_os_monotonic_ns();

	e->times[part] = now - *since;
	*since = now;
}

static struct bl_value metrics_value(struct cli *cli,
				     const struct evaluation *e)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < TIME_COUNT; i++)
		bl_object_builder_add(&all, bl_str(parts[i]),
				      bl_value_integer(e->times[i]));
	return bl_object_builder_end(&all);
}

static void put_metrics(struct cli *cli, const struct evaluation *e)
{
	for (size_t i = 0; i < TIME_COUNT; i++)
		bl_buf_printf(&cli->out, "%-30s %12lld\n", parts[i],
			      (long long)e->times[i]);
}

/* The result, then tables where it is not JSON that has them within. */
static enum bl_status put_answer(struct cli *cli, struct evaluation *e,
				 struct bl_value solutions,
				 struct bl_error *err)
{
	const struct cli_given *limit = &cli->given[OPT_PROFILE_LIMIT];
	struct cli_rego_shown shown = {
		.solutions = solutions,
		.profile = bl_value_undefined(),
		.metrics = bl_value_undefined(),
	};

	if (e->trace.profile) {
		enum bl_status status = cli_profile_finish(
			e->trace.profile, cli_value(cli, OPT_PROFILE_SORT),
			limit->count ? limit->number : CLI_PROFILE_LIMIT, err);

		if (status)
			return status;
		shown.profile = cli_profile_value(e->trace.profile);
	}
	if (cli_has(cli, OPT_METRICS))
		shown.metrics = metrics_value(cli, e);
	e->form->put(cli, &shown);
	if (!e->form->has_all && cli_has(cli, OPT_METRICS))
		put_metrics(cli, e);
	if (!e->form->has_all && e->trace.profile)
		cli_profile_put(e->trace.profile, &cli->out);
	return BL_OK;
}

static enum bl_status evaluate(struct cli *cli, struct evaluation *e,
			       struct bl_diags *diags,
			       struct bl_rego_result *out_result,
			       struct bl_error *err)
{
	const struct bl_rego_prepared *prepared;
	int64_t since = bl_os_monotonic_ns();
	enum bl_status status =
		bl_rego_prepare(e->policies, cli_operand(cli, 0), &cli->arena,
				diags, &prepared, err);

	if (status)
		return status;
	take_time(e, &since, TIME_QUERY);
	if (e->trace.profile)
		cli_profile_resume(e->trace.profile);
	status = bl_rego_run(prepared, &e->query, &cli->arena, out_result, err);
	take_time(e, &since, TIME_EVAL);
	return status;
}

static int answer(struct cli *cli, struct evaluation *e)
{
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err;
	bool defined;

	bl_diags_init(&diags, &cli->arena);
	if (evaluate(cli, e, &diags, &result, &err)) {
		if (e->form->has_all)
			cli_put_rego_errors(cli, &diags, NULL);
		cli_note_diags(cli, &diags);
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	if (result.fault_code) {
		if (e->form->has_all)
			cli_put_rego_errors(cli, &diags, &result);
		bl_fail(&err, BL_INVALID, "%.*s", BL_STR_ARG(result.fault));
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	if (put_answer(cli, e, result.solutions, &err)) {
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	defined = bl_value_count(result.solutions) > 0;
	return (cli_has(cli, OPT_FAIL) && !defined) ||
			       (cli_has(cli, OPT_FAIL_DEFINED) && defined)
		       ? EXIT_FAIL
		       : 0;
}

/* What the observer has to say, on standard error; then coverage. */
static void put_trace(struct cli *cli, struct cli_trace *trace,
		      const struct bl_rego_policies *policies)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	cli_put_text(&text, 0, bl_buf_str(&trace->lines));
	cli_put_text(&text, 0, bl_buf_str(&trace->printed));
	(void)!bl_os_write_all(STDERR_FILENO, bl_buf_str(&text), NULL);
	bl_buf_clear(&text);
	if (cli_has(cli, OPT_COVERAGE)) {
		bl_json_write(&cli->out,
			      cli_coverage_report(&trace->coverage, &cli->arena,
						  policies, NULL),
			      BL_JSON_PRETTY);
		bl_buf_put_char(&cli->out, '\n');
	}
	cli_trace_clear(trace);
}

static bool wants_profile(const struct cli *cli)
{
	return cli_has(cli, OPT_PROFILE) || cli_has(cli, OPT_PROFILE_LIMIT) ||
	       cli_has(cli, OPT_PROFILE_SORT);
}

/*
 * Compiling parses, too; how long parsing alone takes is known by doing it
 * once more.
 */
static enum bl_status time_parsing(struct evaluation *e, struct bl_error *err)
{
	int64_t since = bl_os_monotonic_ns();
	enum bl_status status = BL_OK;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; !status && i < e->files.source_count; i++) {
		const struct bl_rego_source *source = &e->files.sources[i];
		const struct bl_rego_module *module;
		size_t offset;

		status = bl_rego_parse(&arena, source->file, source->text,
				       source->v0, &module, &offset, err);
	}
	take_time(e, &since, TIME_PARSE);
	bl_arena_clear(&arena);
	return status;
}

/* Reads and compiles everything but the query. */
static enum bl_status load(struct cli *cli, struct evaluation *e,
			   struct bl_error *err)
{
	const struct cli_given *data = &cli->given[OPT_DATA];
	struct bl_rego_compile_options how = {
		.print = true,
		.observe = cli_has(cli, OPT_EXPLAIN) ||
			   cli_has(cli, OPT_COVERAGE) || wants_profile(cli),
	};
	int64_t since = bl_os_monotonic_ns();
	enum bl_status status =
		cli_read_rego(cli, data->values, data->count, &e->files, err);

	take_time(e, &since, TIME_LOAD);
	if (!status)
		status = cli_compile_rego_files(cli, &e->files, &how,
						&e->policies, err);
	take_time(e, &since, TIME_COMPILE);
	if (!status && cli_has(cli, OPT_METRICS))
		status = time_parsing(e, err);
	if (status)
		return status;
	e->query = cli_rego_eval_options(e->files.data);
	e->query.strict_builtin_errors = cli_has(cli, OPT_STRICT);
	since = bl_os_monotonic_ns();
	status = cli_read_rego_input(cli, cli_has(cli, OPT_STDIN),
				     cli_value(cli, OPT_INPUT), &e->query.input,
				     err);
	take_time(e, &since, TIME_INPUT);
	return status;
}

static enum bl_status watch(struct cli *cli, struct evaluation *e,
			    struct bl_error *err)
{
	e->query.observer = &e->trace.observer;
	if (cli_has(cli, OPT_COVERAGE) &&
	    !cli_coverage_init(&e->trace.coverage, &cli->arena, e->policies))
		return bl_arena_fail(&cli->arena, err);
	if (wants_profile(cli)) {
		e->trace.profile = cli_profile_new(&cli->arena);
		if (!e->trace.profile)
			return bl_arena_fail(&cli->arena, err);
	}
	return BL_OK;
}

/* What the words of the options mean. */
static enum bl_status read_words(const struct cli *cli, struct evaluation *e,
				 struct bl_error *err)
{
	struct bl_str format = cli_value(cli, OPT_FORMAT);

	if (!format.ptr)
		format = cli_has(cli, OPT_VALUES) ? BL_STR("lines")
						  : BL_STR("json");
	e->form = cli_find_rego_form(format);
	if (!e->form)
		return bl_fail(err, BL_USAGE, "there is no format '%.*s'",
			       BL_STR_ARG(format));
	if (!cli_trace_init(&e->trace, cli_value(cli, OPT_EXPLAIN)))
		return bl_fail(err, BL_USAGE,
			       "--explain is full, fails or notes");
	if (!cli_profile_has_key(cli_value(cli, OPT_PROFILE_SORT)))
		return bl_fail(err, BL_USAGE,
			       "--profile-sort is total_time_ns, num_eval, "
			       "num_held, file or line");
	return BL_OK;
}

static int run(struct cli *cli)
{
	struct evaluation e = { .form = NULL };
	struct bl_error err;
	int code;

	if (read_words(cli, &e, &err))
		return cli_fail(cli, &err);
	if (load(cli, &e, &err)) {
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	if (watch(cli, &e, &err))
		return cli_fail(cli, &err);
	code = answer(cli, &e);
	put_trace(cli, &e.trace, e.policies);
	return code;
}

const struct cli_code cli_code_rego_eval = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = 1,
	.details = "QUERY is Rego: one statement or several with ';' between "
		   "them.  The result\n"
		   "is JSON as 'opa eval' prints it; an undefined query is "
		   "'{}'.\n"
		   "\n"
		   "--profile-limit and --profile-sort mean --profile, too.  "
		   "A profile and\n"
		   "metrics are in the JSON of the result, behind it in other "
		   "formats.  Being\n"
		   "watched is slower: 'belay rego bench' says what a query "
		   "takes.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  there is an answer, or the query is undefined\n"
		   "  1  it is undefined with --fail, or defined with "
		   "--fail-defined\n"
		   "  2  it does not compile, or its evaluation ends with an "
		   "error\n",
	.run = run,
};
