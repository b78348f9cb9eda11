/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rego_eval.c: belay rego eval, one query. */
#include <unistd.h>

#include "cli/bundle_options.h"
#include "cli/rego_answer.h"
#include "cli/rego_errors.h"
#include "cli/rego_eval_options.h"
#include "cli/rego_files.h"
#include "cli/rego_network.h"
#include "cli/rego_forms.h"
#include "cli/rego_trace.h"
#include "json/json.h"
#include "os/os.h"

enum {
	OPT_DATA,
	OPT_BUNDLE,
	OPT_INPUT,
	OPT_STDIN,
	OPT_QUERY,
	OPT_PACKAGE,
	OPT_IMPORT,
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
	OPT_CAPABILITIES,
	OPT_ALLOW_NET,
	OPT_BUNDLES, /* CLI_BUNDLE_READ_ROWS from here */
};

/* As opa has them: 1 with --fail and --fail-defined, 2 for errors. */
enum { EXIT_FAIL = 1, EXIT_ERROR = 2 };

static const struct cli_option options[] = {
	[OPT_DATA] = { "data", 'd', CLI_LIST, "PATH",
		       "policies (.rego) and data (.json, .yaml), or folders "
		       "of them" },
	[OPT_BUNDLE] = { "bundle", 'b', CLI_LIST, "PATH",
			 "bundle: a folder or a .tar.gz; or alone, an "
			 "image" },
	[OPT_INPUT] = { "input", 'i', CLI_VALUE, "FILE",
			"JSON or YAML file to be input" },
	[OPT_STDIN] = { "stdin-input", 'I', CLI_FLAG, NULL,
			"read input from standard input" },
	[OPT_QUERY] = { "stdin", 0, CLI_FLAG, NULL,
			"read the query from standard input" },
	[OPT_PACKAGE] = { "package", 0, CLI_VALUE, "NAME",
			  "the query sees the rules of this package" },
	[OPT_IMPORT] = { "import", 0, CLI_LIST, "REF",
			 "the query sees this import ('data.a.b as c')" },
	[OPT_STRICT] = { "strict-builtin-errors", 0, CLI_FLAG, NULL,
			 "an error of a builtin ends the evaluation" },
	[OPT_VALUES] = { "values", 0, CLI_FLAG, NULL,
			 "print the values of the statements only" },
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "FORMAT",
			 "json (the default), values, lines, bindings, "
			 "pretty, raw or discard" },
	[OPT_FAIL] = { "fail", 0, CLI_FLAG, NULL,
		       "exit status 1 when the query is undefined" },
	[OPT_FAIL_DEFINED] = { "fail-defined", 0, CLI_FLAG, NULL,
			       "exit status 1 when it is defined" },
	[OPT_EXPLAIN] = { "explain", 0, CLI_VALUE, "MODE",
			  "say on standard error what happened: full, fails, "
			  "notes, or why the result is as it is: why" },
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
	[OPT_CAPABILITIES] = CLI_CAPABILITIES_ROW,
	[OPT_ALLOW_NET] = CLI_ALLOW_NET_ROW,
	CLI_BUNDLE_READ_ROWS(OPT_BUNDLES),
};

_Static_assert(BL_COUNT(options) <= CLI_MAX_OPTIONS, "too many options");

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

/* The query: the operand, or standard input. */
static enum bl_status read_query(struct cli *cli, struct bl_str *out_query,
				 struct bl_error *err)
{
	*out_query = cli_operand(cli, 0);
	if (cli_has(cli, OPT_QUERY) == (cli->operand_count > 0))
		return bl_fail(err, BL_USAGE,
			       "give a query or --stdin, one of them");
	if (!cli_has(cli, OPT_QUERY))
		return BL_OK;
	if (cli_has(cli, OPT_STDIN))
		return bl_fail(err, BL_USAGE,
			       "--stdin and --stdin-input exclude each other");
	return cli_read_payload(cli, out_query, err);
}

/*
 * The module whose names the query sees; NULL without --package and --import.
 * Imports alone stand in a package that nobody has.
 */
static enum bl_status read_scope(struct cli *cli,
				 const struct bl_rego_module **out_scope,
				 struct bl_diags *diags, struct bl_error *err)
{
	const struct cli_given *imports = &cli->given[OPT_IMPORT];
	struct bl_diag_source source = { .file = BL_STR("scope") };
	struct bl_buf text;
	size_t offset = 0;
	enum bl_status status;

	*out_scope = NULL;
	if (!cli_has(cli, OPT_PACKAGE) && !imports->count)
		return BL_OK;
	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "package ");
	bl_buf_put_str(&text, cli_has(cli, OPT_PACKAGE)
				      ? cli_value(cli, OPT_PACKAGE)
				      : BL_STR("query[\"\"]"));
	for (size_t i = 0; i < imports->count; i++) {
		bl_buf_puts(&text, "\nimport ");
		bl_buf_put_str(&text, imports->values[i]);
	}
	source.text = bl_arena_copy_str(&cli->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	if (!source.text.ptr)
		return bl_arena_fail(&cli->arena, err);
	status = bl_rego_parse(&cli->arena, source.file, source.text, false,
			       out_scope, &offset, err);
	if (status == BL_SYNTAX)
		bl_diags_add(diags, BL_SEVERITY_ERROR, "rego_parse_error",
			     &source, bl_place_at(source.text, offset), NULL,
			     "%s", err->message);
	return status;
}

/*
 * Says what went wrong: code is that of an evaluation, NULL elsewhere.  Where
 * JSON is printed, it stands there as well.
 */
static int fail(struct cli *cli, const struct cli_rego_form *form,
		const struct bl_diags *diags, const char *code,
		const struct bl_error *err)
{
	if (form->has_all)
		cli_put_rego_errors(cli, diags, code, err);
	cli_note_diags(cli, diags);
	cli_fail(cli, err);
	return EXIT_ERROR;
}

struct question {
	struct bl_str query;
	const struct bl_rego_policies *policies;
	bool is_plan;
	struct bl_rego_options options;
	struct cli_rego_files files;
	struct cli_trace *trace;
	struct cli_network network;
	int64_t times[TIME_COUNT];
};

/* Nanoseconds since the last call, into the time of a part. */
static void take_time(struct question *question, int64_t *since, enum part part)
{
	int64_t now = bl_os_monotonic_ns();

	question->times[part] = now - *since;
	*since = now;
}

static struct bl_value metrics_value(struct cli *cli,
				     const struct question *question)
{
	struct bl_object_builder all;

	bl_object_builder_init(&all, &cli->arena);
	for (size_t i = 0; i < TIME_COUNT; i++)
		bl_object_builder_add(&all, bl_str(parts[i]),
				      bl_value_integer(question->times[i]));
	return bl_object_builder_end(&all);
}

static void put_metrics(struct cli *cli, const struct question *question)
{
	for (size_t i = 0; i < TIME_COUNT; i++)
		bl_buf_printf(&cli->out, "%-30s %12lld\n", parts[i],
			      (long long)question->times[i]);
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
static enum bl_status time_parsing(struct question *question,
				   struct bl_error *err)
{
	int64_t since = bl_os_monotonic_ns();
	enum bl_status status = BL_OK;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; !status && i < question->files.source_count; i++) {
		const struct bl_rego_source *source =
			&question->files.sources[i];
		const struct bl_rego_module *module;
		size_t offset;

		status = bl_rego_parse(&arena, source->file, source->text,
				       source->v0, &module, &offset, err);
	}
	take_time(question, &since, TIME_PARSE);
	bl_arena_clear(&arena);
	return status;
}

/* Policies, data, input and scope. */
static enum bl_status prepare(struct cli *cli, struct question *question,
			      struct bl_diags *diags, struct bl_error *err)
{
	struct bl_rego_compile_options how = {
		.print = true,
		.observe = cli_has(cli, OPT_EXPLAIN) ||
			   cli_has(cli, OPT_COVERAGE) || wants_profile(cli),
	};
	struct bl_bundle_options bundle_options;
	const struct cli_rego_paths paths = {
		.bundle_options = &bundle_options,
		.files = cli->given[OPT_DATA].values,
		.file_count = cli->given[OPT_DATA].count,
		.bundles = cli->given[OPT_BUNDLE].values,
		.bundle_count = cli->given[OPT_BUNDLE].count,
		.how = &how,
	};
	int64_t since = bl_os_monotonic_ns();
	enum bl_status status =
		cli_bundle_options(cli, OPT_BUNDLES, cli_has(cli, OPT_BUNDLE),
				   &bundle_options, err);

	if (!status)
		status = cli_read_capabilities(cli, OPT_CAPABILITIES,
					       &how.capabilities, err);
	if (!status)
		status = cli_network_init(&question->network, cli,
					  OPT_ALLOW_NET, how.capabilities, err);
	if (!status)
		status = cli_compile_rego(cli, &paths, &question->files, diags,
					  &question->policies, err);
	take_time(question, &since, TIME_COMPILE);
	if (!status && cli_has(cli, OPT_METRICS))
		status = time_parsing(question, err);
	if (status)
		return status;
	question->times[TIME_LOAD] = question->files.read_ns;
	question->times[TIME_COMPILE] -= question->files.read_ns;
	question->is_plan = bl_value_is_defined(question->files.plan);
	question->options = cli_rego_eval_options(question->files.data);
	question->options.strict_builtin_errors = cli_has(cli, OPT_STRICT);
	question->options.network = question->network.use;
	status = read_scope(cli, &question->options.scope, diags, err);
	if (status)
		return status;
	since = bl_os_monotonic_ns();
	status = cli_read_rego_input(cli, cli_has(cli, OPT_STDIN),
				     cli_value(cli, OPT_INPUT),
				     &question->options.input, err);
	take_time(question, &since, TIME_INPUT);
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
	int64_t since = bl_os_monotonic_ns();
	enum bl_status status = BL_OK;

	if (!question->is_plan)
		status = bl_rego_prepare_in(
			question->policies, question->options.scope,
			question->query, &cli->arena, diags, &prepared, err);
	if (status)
		return status;
	take_time(question, &since, TIME_QUERY);
	if (question->trace->profile)
		cli_profile_resume(question->trace->profile);
	status = question->is_plan ? run_plan(cli, question, out_result, err)
				   : bl_rego_run(prepared, &question->options,
						 &cli->arena, out_result, err);
	take_time(question, &since, TIME_EVAL);
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
		shown.metrics = metrics_value(cli, question);
	form->put(cli, &shown);
	if (!form->has_all && cli_has(cli, OPT_METRICS))
		put_metrics(cli, question);
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

	if (evaluate(cli, question, diags, &result, &err))
		return fail(cli, form, diags, NULL, &err);
	if (result.fault_code) {
		bl_fail(&err, BL_INVALID, "%.*s", BL_STR_ARG(result.fault));
		return fail(cli, form, diags, result.fault_code, &err);
	}
	if (put_answer(cli, question, form, result.solutions, &err))
		return fail(cli, form, diags, NULL, &err);
	defined = bl_value_count(result.solutions) > 0;
	return (cli_has(cli, OPT_FAIL) && !defined) ||
			       (cli_has(cli, OPT_FAIL_DEFINED) && defined)
		       ? EXIT_FAIL
		       : 0;
}

/* What led to the result of the query. */
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

/* What the observer has to say, on standard error; then coverage. */
static void put_trace(struct cli *cli, struct cli_trace *trace,
		      const struct bl_rego_policies *policies)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	cli_put_text(&text, 0, bl_buf_str(&trace->lines));
	if (trace->explainer)
		put_why(cli, trace->explainer, &text);
	cli_put_text(&text, 0, bl_buf_str(&trace->printed));
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

static int ask_with(struct cli *cli, struct question *question,
		    const struct cli_rego_form *form, struct bl_diags *diags)
{
	struct bl_error err;
	int code;

	if (prepare(cli, question, diags, &err) || watch(cli, question, &err))
		return fail(cli, form, diags, NULL, &err);
	code = answer(cli, question, form, diags);
	put_trace(cli, question->trace, question->policies);
	return code;
}

/* Asks and answers, with form. */
static int ask(struct cli *cli, const struct cli_rego_form *form,
	       struct cli_trace *trace, struct bl_diags *diags)
{
	struct question question = { .trace = trace };
	struct bl_error err;
	int code;

	if (read_query(cli, &question.query, &err))
		return err.status == BL_USAGE
			       ? cli_fail(cli, &err)
			       : fail(cli, form, diags, NULL, &err);
	code = ask_with(cli, &question, form, diags);
	cli_network_clear(&question.network);
	return code;
}

static int run(struct cli *cli)
{
	const char *usual = cli_has(cli, OPT_VALUES) ? "lines" : "json";
	struct bl_str name = cli_value(cli, OPT_FORMAT);
	const struct cli_rego_form *form =
		cli_rego_form_find(name.ptr ? name : bl_str(usual));
	struct cli_trace trace;
	struct bl_diags diags;
	struct bl_error err;
	int code;

	if (!form) {
		bl_fail(&err, BL_USAGE, "there is no format '%.*s'",
			BL_STR_ARG(name));
		return cli_fail(cli, &err);
	}
	if (!cli_trace_init(&trace, cli_value(cli, OPT_EXPLAIN))) {
		bl_fail(&err, BL_USAGE,
			"--explain is full, fails, notes or why");
		return cli_fail(cli, &err);
	}
	if (!cli_profile_has_key(cli_value(cli, OPT_PROFILE_SORT))) {
		bl_fail(&err, BL_USAGE,
			"--profile-sort is total_time_ns, num_eval, "
			"num_held, file or line");
		return cli_fail(cli, &err);
	}
	bl_diags_init(&diags, &cli->arena);
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
	.run = run,
};
