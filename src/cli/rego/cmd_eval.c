/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_eval.c: belay rego eval, one query. */
#include <ctype.h>
#include <unistd.h>

#include "cli/rego/bundle_options.h"
#include "cli/rego/opa_options.h"
#include "cli/rego/answer.h"
#include "cli/rego/compile.h"
#include "cli/rego/errors.h"
#include "cli/rego/eval_options.h"
#include "cli/rego/files.h"
#include "cli/rego/formats.h"
#include "cli/rego/metrics.h"
#include "cli/rego/partial.h"
#include "cli/rego/query.h"
#include "cli/rego/trace.h"
#include "json/json.h"
#include "os/os.h"

enum {
	OPT_ENTRYPOINT = CLI_QUERY_COUNT,
	OPT_STRICT,
	OPT_STRICT_ERRORS,
	OPT_SHOW_ERRORS,
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
	OPT_COUNT,
	OPT_TIMEOUT,
	OPT_OPTIMIZE,
	OPT_COMPILE, /* CLI_COMPILE_ROWS from here */
	OPT_BUNDLES = OPT_COMPILE +
		      CLI_COMPILE_COUNT, /* CLI_BUNDLE_READ_ROWS from here */
	OPT_PARTIAL = OPT_BUNDLES +
		      CLI_BUNDLE_OPTION_COUNT, /* CLI_PARTIAL_ROWS from here */
};

/* As opa has them: 1 with --fail and --fail-defined, 2 for errors. */
enum { EXIT_FAIL = 1, EXIT_ERROR = 2 };

static const struct cli_option options[] = {
	CLI_QUERY_ROWS,
	[OPT_ENTRYPOINT] = { "entrypoint", 'e', CLI_LIST, "PATH",
			     "ask for this document (pkg/rule) where no QUERY "
			     "is given" },
	[OPT_STRICT] = CLI_STRICT_ROW,
	[OPT_STRICT_ERRORS] = { "strict-builtin-errors", 0, CLI_FLAG, NULL,
				"an error of a builtin ends the evaluation" },
	[OPT_SHOW_ERRORS] = { "show-builtin-errors", 0, CLI_FLAG, NULL,
			      "list the errors of builtins beside the "
			      "result" },
	[OPT_VALUES] = { "values", 0, CLI_FLAG, NULL,
			 "print the values of the statements only" },
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "EVAL_FORMAT",
			 "json (the default), values, lines, bindings, "
			 "pretty, raw or discard; with --partial json, pretty "
			 "or source" },
	[OPT_FAIL] = { "fail", 0, CLI_FLAG, NULL,
		       "exit status 1 when the query is undefined" },
	[OPT_FAIL_DEFINED] = { "fail-defined", 0, CLI_FLAG, NULL,
			       "exit status 1 when it is defined" },
	[OPT_EXPLAIN] = { "explain", 0, CLI_VALUE, "MODE",
			  "say on standard error what happened: full, fails, "
			  "notes, or why the result is as it is: why (default: "
			  "off)" },
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
	[OPT_COUNT] = { "count", 0, CLI_NUMBER, "N",
			"ask so many times, for --metrics and --profile" },
	[OPT_TIMEOUT] = { "timeout", 0, CLI_DURATION, "TIME",
			  "of the evaluation: 500ms, 5s, 1m30s (default: "
			  "none)" },
	[OPT_OPTIMIZE] = CLI_OPTIMIZE_ROW,
	CLI_COMPILE_ROWS(OPT_COMPILE),
	CLI_BUNDLE_READ_ROWS(OPT_BUNDLES),
	CLI_PARTIAL_ROWS(OPT_PARTIAL),
};

_Static_assert(BL_COUNT(options) <= CLI_MAX_OPTIONS, "too many options");

/* Says what went wrong; where JSON is printed, it stands there as well. */
static int fail(struct cli *cli, const struct cli_rego_form *form,
		const struct bl_diags *diags, const struct bl_error *err)
{
	if (form->has_all)
		cli_put_rego_errors(cli,
				    cli_rego_errors(&cli->arena, diags, err));
	cli_note_diags(cli, diags);
	cli_fail(cli, err);
	return EXIT_ERROR;
}

/* As above, for an evaluation that failed. */
static int fail_fault(struct cli *cli, const struct cli_rego_form *form,
		      const struct bl_rego_result *result,
		      const struct bl_error *err)
{
	struct bl_value fault = cli_rego_fault(&cli->arena, result);

	if (form->has_all)
		cli_put_rego_errors(cli, bl_array_make(&cli->arena, &fault, 1));
	cli_fail(cli, err);
	return EXIT_ERROR;
}

struct question {
	struct bl_str query;
	struct bl_rego_compile_options how;
	const struct bl_rego_policies *policies;
	bool is_plan;
	struct bl_rego_options options;
	struct cli_rego_files files;
	struct cli_trace *trace;
	struct cli_metrics metrics;
	struct cli_network network;
	int64_t deadline_ns; /* 0: none */
};

static bool wants_profile(const struct cli *cli)
{
	return cli_has(cli, OPT_PROFILE) || cli_has(cli, OPT_PROFILE_LIMIT) ||
	       cli_has(cli, OPT_PROFILE_SORT);
}

/*
 * Compiling parses, too; how long parsing alone takes is known by doing it
 * once more.
 */
static enum bl_status time_parsing(struct question *question,
				   struct bl_error *err)
{
	enum bl_status status = BL_OK;
	struct bl_arena arena;

	cli_metrics_start(&question->metrics);
	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; !status && i < question->files.source_count; i++) {
		const struct bl_rego_source *source =
			&question->files.sources[i];
		const struct bl_rego_module *module;
		size_t offset;

		status = bl_rego_parse(&arena, source->file, source->text,
				       source->v0, &module, &offset, err);
	}
	cli_metrics_take(&question->metrics, CLI_PART_PARSE, 0);
	bl_arena_clear(&arena);
	return status;
}

static bool is_over(void *context)
{
	const struct question *question = context;

	return bl_os_monotonic_ns() > question->deadline_ns;
}

/* Policies and data. */
static enum bl_status compile(struct cli *cli, struct question *question,
			      struct bl_diags *diags, struct bl_error *err)
{
	struct bl_bundle_options bundle_options;
	struct cli_rego_paths paths = cli_query_paths(cli);
	enum bl_status status = cli_bundle_options(
		cli, OPT_BUNDLES, paths.bundle_count > 0, &bundle_options, err);

	question->how = (struct bl_rego_compile_options){
		.strict = cli_has(cli, OPT_STRICT),
		.print = true,
		.observe = cli_has(cli, OPT_EXPLAIN) ||
			   cli_has(cli, OPT_COVERAGE) || wants_profile(cli),
	};
	paths.how = &question->how;
	paths.bundle_options = &bundle_options;
	if (!status)
		status = cli_compile_options(cli, OPT_COMPILE, &question->how,
					     &question->network, err);
	cli_metrics_start(&question->metrics);
	if (!status)
		status = cli_compile_rego(cli, &paths, &question->files, diags,
					  &question->policies, err);
	if (status)
		return status;
	cli_metrics_add(&question->metrics, CLI_PART_LOAD,
			question->files.read_ns);
	cli_metrics_take(&question->metrics, CLI_PART_COMPILE,
			 question->files.read_ns);
	return cli_has(cli, OPT_METRICS) ? time_parsing(question, err) : BL_OK;
}

/* Policies, data, input and scope. */
static enum bl_status prepare(struct cli *cli, struct question *question,
			      struct bl_diags *diags, struct bl_error *err)
{
	enum bl_status status = compile(cli, question, diags, err);

	if (status)
		return status;
	question->is_plan = bl_value_is_defined(question->files.plan);
	question->options = cli_rego_eval_options(question->files.data);
	question->options.host.network = question->network.use;
	question->options.strict_builtin_errors =
		cli_has(cli, OPT_STRICT_ERRORS);
	if (cli_has(cli, OPT_TIMEOUT)) {
		question->options.is_over = is_over;
		question->options.is_over_context = question;
	}
	status = cli_read_scope(cli, &question->options.scope, diags, err);
	if (status)
		return status;
	cli_metrics_start(&question->metrics);
	status = cli_read_rego_input(cli, cli_has(cli, CLI_QUERY_STDIN_INPUT),
				     cli_value(cli, CLI_QUERY_INPUT),
				     &question->options.input, err);
	cli_metrics_take(&question->metrics, CLI_PART_INPUT, 0);
	return status;
}

/* A plan answers what it was made for alone: "data.pkg.rule". */
static enum bl_status run_plan(struct cli *cli, const struct question *question,
			       struct bl_rego_result *out_result,
			       struct bl_error *err)
{
	static const struct bl_str data = { "data.", 5 };
	struct bl_str query = bl_str_trim(question->query);
	struct bl_array_builder solutions;
	char *path;
	enum bl_status status;

	if (question->options.scope || !bl_str_has_prefix(query, data))
		return bl_fail(err, BL_USAGE,
			       "a plan answers for its entry points only: "
			       "'data.' and a path");
	query = bl_arena_copy_str(&cli->arena,
				  bl_str_slice(query, data.len, SIZE_MAX));
	if (!query.ptr)
		return bl_arena_fail(&cli->arena, err);
	path = (char *)(uintptr_t)query.ptr;
	for (size_t i = 0; i < query.len; i++)
		if (path[i] == '.')
			path[i] = '/';
	status = bl_rego_run_plan(question->policies, query, &question->options,
				  &cli->arena, out_result, err);
	if (status || out_result->fault_code)
		return status;
	bl_array_builder_init(&solutions, &cli->arena);
	for (size_t i = 0; i < bl_value_count(out_result->solutions); i++) {
		struct bl_value value =
			bl_object_find(bl_value_item(out_result->solutions, i),
				       BL_STR("result"));
		struct bl_object_builder one;

		bl_object_builder_init(&one, &cli->arena);
		bl_object_builder_add(&one, BL_STR("expressions"),
				      bl_array_make(&cli->arena, &value, 1));
		bl_array_builder_add(&solutions, bl_object_builder_end(&one));
	}
	out_result->solutions = bl_array_builder_end(&solutions);
	return BL_OK;
}

/* Compiles the query and runs it. */
static enum bl_status evaluate(struct cli *cli, struct question *question,
			       struct bl_diags *diags,
			       struct bl_rego_result *out_result,
			       struct bl_error *err)
{
	const struct bl_rego_prepared *prepared = NULL;
	enum bl_status status = BL_OK;

	cli_metrics_start(&question->metrics);
	if (!question->is_plan)
		status = bl_rego_prepare_in(
			question->policies, question->options.scope,
			question->query, &cli->arena, diags, &prepared, err);
	if (status)
		return status;
	cli_metrics_take(&question->metrics, CLI_PART_QUERY, 0);
	question->deadline_ns = question->metrics.since +
				(int64_t)cli->given[OPT_TIMEOUT].number;
	if (question->trace->profile)
		cli_profile_resume(question->trace->profile);
	status = question->is_plan ? run_plan(cli, question, out_result, err)
				   : bl_rego_run(prepared, &question->options,
						 &cli->arena, out_result, err);
	cli_metrics_take(&question->metrics, CLI_PART_EVAL, 0);
	return status;
}

/* The answer, then tables where it is not JSON that has them within. */
static enum bl_status put_answer(struct cli *cli,
				 const struct question *question,
				 const struct cli_rego_form *form,
				 struct bl_value solutions,
				 struct bl_error *err)
{
	const struct cli_given *limit = &cli->given[OPT_PROFILE_LIMIT];
	struct cli_profile *profile = question->trace->profile;
	struct cli_rego_shown shown = {
		.answer = cli_rego_answer(cli, question->query, solutions),
		.profile = bl_value_undefined(),
		.metrics = bl_value_undefined(),
		.errors = bl_value_undefined(),
		.several = question->metrics.runs > 1,
	};

	if (!bl_value_is_defined(shown.answer))
		return bl_arena_fail(&cli->arena, err);
	if (profile) {
		enum bl_status status = cli_profile_finish(
			profile, cli_value(cli, OPT_PROFILE_SORT),
			limit->count ? limit->number : CLI_PROFILE_LIMIT, err);

		if (status)
			return status;
		shown.profile = cli_profile_value(profile);
	}
	if (cli_has(cli, OPT_METRICS))
		shown.metrics =
			cli_metrics_value(&question->metrics, &cli->arena);
	if (cli_has(cli, OPT_SHOW_ERRORS) && question->trace->errors.count)
		shown.errors = bl_array_builder_end(&question->trace->errors);
	form->put(cli, &shown);
	if (!form->has_all && cli_has(cli, OPT_METRICS))
		cli_metrics_put(&question->metrics, &cli->out);
	if (!form->has_all && profile)
		cli_profile_put(profile, &cli->out);
	return BL_OK;
}

static int answer(struct cli *cli, struct question *question,
		  const struct cli_rego_form *form, struct bl_diags *diags)
{
	struct bl_rego_result result = { 0 };
	struct bl_error err;
	bool defined;

	for (size_t i = 0; i < question->metrics.runs && !result.fault_code;
	     i++) {
		cli_trace_reset(question->trace);
		if (evaluate(cli, question, diags, &result, &err))
			return fail(cli, form, diags, &err);
	}
	if (result.fault_code) {
		bl_fail(&err, BL_INVALID, "%.*s", BL_STR_ARG(result.fault));
		return fail_fault(cli, form, &result, &err);
	}
	if (put_answer(cli, question, form, result.solutions, &err))
		return fail(cli, form, diags, &err);
	defined = bl_value_count(result.solutions) > 0;
	return (cli_has(cli, OPT_FAIL) && !defined) ||
			       (cli_has(cli, OPT_FAIL_DEFINED) && defined)
		       ? EXIT_FAIL
		       : 0;
}

/* The explanation of the result of the query. */
static void put_why(struct cli *cli, const struct bl_rego_explainer *explainer,
		    struct bl_buf *out)
{
	const struct bl_rego_explain_options whole_query = { 0 };
	struct bl_buf text;
	struct bl_value tree;
	struct bl_error err;

	if (bl_rego_explain(explainer, &whole_query, &cli->arena, &tree,
			    &err)) {
		bl_buf_printf(out, "belay: not explained: %s\n", err.message);
		return;
	}
	bl_buf_init(&text, 0);
	bl_rego_put_explanation(&text, tree, 0);
	cli_put_text(out, 0, bl_buf_str(&text));
	bl_buf_clear(&text);
}

/* Errors of builtins, where the answer does not have them. */
static void put_errors(struct bl_value errors, struct bl_buf *out)
{
	for (size_t i = 0; i < bl_value_count(errors); i++) {
		struct bl_value one = bl_value_item(errors, i);
		struct bl_value place = bl_object_find(one, BL_STR("location"));
		struct bl_str code =
			bl_value_text(bl_object_find(one, BL_STR("code")));
		int64_t row = 0;

		(void)bl_number_to_integer(bl_object_find(place, BL_STR("row")),
					   &row);
		bl_buf_puts(out, "belay: ");
		cli_put_text(
			out, 2,
			bl_value_text(bl_object_find(place, BL_STR("file"))));
		bl_buf_printf(out, ":%lld: %.*s: ", (long long)row,
			      BL_STR_ARG(code));
		cli_put_text(
			out, 2,
			bl_value_text(bl_object_find(one, BL_STR("message"))));
		bl_buf_put_char(out, '\n');
	}
}

/* Prints the observer's report on standard error; then coverage. */
static void put_trace(struct cli *cli, struct cli_trace *trace,
		      const struct bl_rego_policies *policies, bool has_errors)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	cli_put_text(&text, 0, bl_buf_str(&trace->lines));
	if (trace->explainer)
		put_why(cli, trace->explainer, &text);
	cli_put_text(&text, 0, bl_buf_str(&trace->printed));
	if (cli_has(cli, OPT_SHOW_ERRORS) && !has_errors)
		put_errors(bl_array_builder_end(&trace->errors), &text);
	(void)!bl_os_write_all(STDERR_FILENO, bl_buf_str(&text), NULL);
	bl_buf_clear(&text);
	if (!cli_has(cli, OPT_COVERAGE))
		return;
	bl_json_write(&cli->out,
		      cli_coverage_report(&trace->coverage, &cli->arena,
					  policies, NULL),
		      BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

static enum bl_status watch(struct cli *cli, struct question *question,
			    struct bl_error *err)
{
	struct cli_trace *trace = question->trace;

	question->options.observer = &trace->observer;
	if (cli_has(cli, OPT_COVERAGE) &&
	    !cli_coverage_init(&trace->coverage, &cli->arena,
			       question->policies))
		return bl_arena_fail(&cli->arena, err);
	if (trace->wants_why &&
	    bl_rego_explainer_new(&cli->arena, &trace->explainer, err))
		return err->status;
	if (!wants_profile(cli))
		return BL_OK;
	trace->profile = cli_profile_new(&cli->arena);
	return trace->profile ? BL_OK : bl_arena_fail(&cli->arena, err);
}

/* data.pkg.rule of "pkg/rule". */
static enum bl_status query_of(struct cli *cli, struct bl_str entrypoint,
			       struct bl_str *out_query, struct bl_error *err)
{
	struct bl_buf text;
	size_t at = 0;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "data");
	while (at != SIZE_MAX) {
		size_t slash = bl_str_find(entrypoint, BL_STR("/"), at);
		struct bl_str part = bl_str_slice(entrypoint, at, slash);

		bl_rego_put_key(&text, bl_value_string(part));
		at = slash == SIZE_MAX ? slash : slash + 1;
	}
	*out_query = bl_arena_copy_str(&cli->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return out_query->ptr ? BL_OK : bl_arena_fail(&cli->arena, err);
}

static enum bl_status read_query(struct cli *cli, struct bl_str *out_query,
				 struct bl_error *err)
{
	const struct cli_given *entrypoint = &cli->given[OPT_ENTRYPOINT];

	if (cli->operand_count || cli_has(cli, CLI_QUERY_STDIN) ||
	    !entrypoint->count)
		return cli_read_query(cli, out_query, err);
	if (entrypoint->count > 1)
		return bl_fail(err, BL_USAGE,
			       "one entry point is asked for at a time");
	return query_of(cli, entrypoint->values[0], out_query, err);
}

static enum bl_status check_options(struct cli *cli, struct bl_error *err)
{
	uint64_t runs = cli->given[OPT_COUNT].number;

	if (cli_has(cli, OPT_COUNT) && (!runs || runs > CLI_MAX_RUNS))
		return bl_fail(err, BL_USAGE, "--count is from 1 to %d",
			       CLI_MAX_RUNS);
	return cli_check_level(cli, OPT_OPTIMIZE, err);
}

/* Evaluates as far as it goes without the unknowns. */
static int answer_in_part(struct cli *cli, struct question *question,
			  struct bl_str format, struct bl_diags *diags)
{
	static const struct cli_rego_form json = { "json", NULL, true };
	static const struct cli_rego_form text = { "source", NULL, false };
	const struct cli_rego_form *form =
		bl_str_is(format, "json") ? &json : &text;
	struct cli_partial asked = { question->query, NULL, &question->how,
				     &question->files, &question->options };
	struct bl_rego_partial partial;
	struct bl_rego_result result = { 0 };
	struct bl_error err = { 0 };
	bool defined;

	if (prepare(cli, question, diags, &err))
		return fail(cli, form, diags, &err);
	asked.policies = question->policies;
	question->deadline_ns =
		bl_os_monotonic_ns() + (int64_t)cli->given[OPT_TIMEOUT].number;
	if (cli_partial_ask(cli, OPT_PARTIAL, &asked, diags, &partial, &err))
		return fail(cli, form, diags, &err);
	if (partial.fault_code) {
		result.fault_code = partial.fault_code;
		result.fault = result.fault_text = partial.fault;
		return fail_fault(cli, form, &result, &err);
	}
	if (cli_partial_put(cli, format, &partial, &err))
		return fail(cli, form, diags, &err);
	defined = partial.query_count > 0;
	return (cli_has(cli, OPT_FAIL) && !defined) ||
			       (cli_has(cli, OPT_FAIL_DEFINED) && defined)
		       ? EXIT_FAIL
		       : 0;
}

static int ask_with(struct cli *cli, struct question *question,
		    const struct cli_rego_form *form, struct bl_diags *diags)
{
	struct bl_error err;
	int code;

	if (cli_has(cli, OPT_PARTIAL + CLI_PARTIAL_ON))
		return answer_in_part(cli, question,
				      cli_has(cli, OPT_FORMAT)
					      ? cli_value(cli, OPT_FORMAT)
					      : BL_STR("json"),
				      diags);
	if (prepare(cli, question, diags, &err) || watch(cli, question, &err))
		return fail(cli, form, diags, &err);
	code = answer(cli, question, form, diags);
	put_trace(cli, question->trace, question->policies, form->has_all);
	return code;
}

/* Asks and answers, with form. */
static int ask(struct cli *cli, const struct cli_rego_form *form,
	       struct cli_trace *trace, struct bl_diags *diags)
{
	struct question question = { .trace = trace };
	struct bl_error err;
	int code;

	if (read_query(cli, &question.query, &err) ||
	    check_options(cli, &err) ||
	    cli_metrics_init(
		    &question.metrics, &cli->arena,
		    cli_has(cli, OPT_COUNT) ? cli->given[OPT_COUNT].number : 1,
		    &err))
		return err.status == BL_USAGE ? cli_fail(cli, &err)
					      : fail(cli, form, diags, &err);
	code = ask_with(cli, &question, form, diags);
	cli_network_clear(&question.network);
	return code;
}

static int run_eval(struct cli *cli)
{
	const char *usual = cli_has(cli, OPT_VALUES) ? "lines" : "json";
	struct bl_str name = cli_has(cli, OPT_FORMAT)
				     ? cli_value(cli, OPT_FORMAT)
				     : bl_str(usual);
	bool is_partial = cli_has(cli, OPT_PARTIAL + CLI_PARTIAL_ON);
	const struct cli_rego_form *form =
		cli_rego_form_find(is_partial ? BL_STR("json") : name);
	struct cli_trace trace;
	struct bl_diags diags;
	struct bl_error err;
	int code;

	if (is_partial && cli_has(cli, OPT_FORMAT) &&
	    cli_partial_check(name, &err))
		return cli_fail(cli, &err);
	if (!form) {
		bl_fail(&err, BL_USAGE, "there is no format '%.*s'%s",
			BL_STR_ARG(name),
			bl_str_is(name, "source")
				? " without --partial: it is of what is left "
				  "of a query"
				: "");
		return cli_fail(cli, &err);
	}
	if (!cli_trace_init(&trace, &cli->arena, cli_value(cli, OPT_EXPLAIN))) {
		bl_fail(&err, BL_USAGE,
			"--explain is off, full, debug, fails, notes or why");
		return cli_fail(cli, &err);
	}
	if (!cli_profile_has_key(cli_value(cli, OPT_PROFILE_SORT))) {
		bl_fail(&err, BL_USAGE,
			"--profile-sort is total_time_ns, num_eval, "
			"num_held, file or line");
		return cli_fail(cli, &err);
	}
	bl_diags_init(&diags, &cli->arena);
	diags.most = CLI_MAX_DIAGS;
	code = ask(cli, form, &trace, &diags);
	cli_trace_clear(&trace);
	return code;
}

const struct cli_code cli_code_rego_eval = {
	.options = options,
	.option_count = BL_COUNT(options),
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
	.run = run_eval,
	.foreign = cli_opa_options,
};
