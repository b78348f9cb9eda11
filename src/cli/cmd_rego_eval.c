/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rego_eval.c: belay rego eval, one query. */
#include <unistd.h>

#include "cli/rego_eval_options.h"
#include "cli/rego_files.h"
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
			 "json (the default), pretty, values, bindings, raw "
			 "or discard" },
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

/* What forms print. */
struct shown {
	struct bl_value solutions;
	struct bl_value profile; /* undefined: not asked for */
	struct bl_value metrics; /* the same */
};

/* Each value of each solution on a line. */
static void put_values(struct cli *cli, const struct shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->solutions); i++) {
		struct bl_value values =
			bl_object_find(bl_value_item(shown->solutions, i),
				       BL_STR("expressions"));

		for (size_t j = 0; j < bl_value_count(values); j++)
			cli_put_json(cli, bl_value_item(values, j));
	}
}

/* {"result": [{"expressions": [{"value": V}], "bindings": {}}]}, as opa has. */
static void put_result(struct cli *cli, const struct shown *shown)
{
	struct bl_object_builder all;
	struct bl_array_builder list;
	struct bl_value solutions = shown->solutions;

	bl_array_builder_init(&list, &cli->arena);
	for (size_t i = 0; i < bl_value_count(solutions); i++) {
		struct bl_value solution = bl_value_item(solutions, i);
		struct bl_value values =
			bl_object_find(solution, BL_STR("expressions"));
		struct bl_value bindings =
			bl_object_find(solution, BL_STR("bindings"));
		struct bl_object_builder one;
		struct bl_array_builder expressions;

		bl_object_builder_init(&one, &cli->arena);
		bl_array_builder_init(&expressions, &cli->arena);
		for (size_t j = 0; j < bl_value_count(values); j++) {
			struct bl_object_builder expression;

			bl_object_builder_init(&expression, &cli->arena);
			bl_object_builder_add(&expression, BL_STR("value"),
					      bl_value_item(values, j));
			bl_array_builder_add(
				&expressions,
				bl_object_builder_end(&expression));
		}
		if (bl_value_count(values))
			bl_object_builder_add(
				&one, BL_STR("expressions"),
				bl_array_builder_end(&expressions));
		if (bl_value_count(bindings))
			bl_object_builder_add(&one, BL_STR("bindings"),
					      bindings);
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	bl_object_builder_init(&all, &cli->arena);
	if (bl_value_count(solutions))
		bl_object_builder_add(&all, BL_STR("result"),
				      bl_array_builder_end(&list));
	if (bl_value_is_defined(shown->metrics))
		bl_object_builder_add(&all, BL_STR("metrics"), shown->metrics);
	if (bl_value_is_defined(shown->profile))
		bl_object_builder_add(&all, BL_STR("profile"), shown->profile);
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

static void put_pretty(struct cli *cli, struct bl_value value)
{
	bl_json_write(&cli->out, value, BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

/* The values of each solution as one array. */
static void put_arrays(struct cli *cli, const struct shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->solutions); i++)
		put_pretty(cli,
			   bl_object_find(bl_value_item(shown->solutions, i),
					  BL_STR("expressions")));
}

/* The bindings of each solution. */
static void put_bindings(struct cli *cli, const struct shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->solutions); i++)
		put_pretty(cli,
			   bl_object_find(bl_value_item(shown->solutions, i),
					  BL_STR("bindings")));
}

/* Values on a line for each solution; strings without their quotes. */
static void put_raw(struct cli *cli, const struct shown *shown)
{
	for (size_t i = 0; i < bl_value_count(shown->solutions); i++) {
		struct bl_value values =
			bl_object_find(bl_value_item(shown->solutions, i),
				       BL_STR("expressions"));

		for (size_t j = 0; j < bl_value_count(values); j++) {
			struct bl_value value = bl_value_item(values, j);

			if (j > 0)
				bl_buf_put_char(&cli->out, ' ');
			if (bl_value_is(value, BL_KIND_STRING))
				bl_buf_put_str(&cli->out, bl_value_text(value));
			else
				bl_json_write(&cli->out, value,
					      BL_JSON_COMPACT);
		}
		bl_buf_put_char(&cli->out, '\n');
	}
}

/* Values, or variables where the query has some. */
static void put_for_people(struct cli *cli, const struct shown *shown)
{
	if (!bl_value_count(shown->solutions))
		bl_buf_puts(&cli->out, "undefined\n");
	for (size_t i = 0; i < bl_value_count(shown->solutions); i++) {
		struct bl_value solution = bl_value_item(shown->solutions, i);
		struct bl_value bindings =
			bl_object_find(solution, BL_STR("bindings"));
		struct bl_value values =
			bl_object_find(solution, BL_STR("expressions"));

		if (bl_value_count(bindings)) {
			put_pretty(cli, bindings);
			continue;
		}
		for (size_t j = 0; j < bl_value_count(values); j++)
			put_pretty(cli, bl_value_item(values, j));
	}
}

/* That something was evaluated, whatever came out. */
static void put_nothing(struct cli *cli, const struct shown *shown)
{
	(void)shown;
	bl_buf_puts(&cli->out, "{\n  \"result\": \"discarded\"\n}\n");
}

static const struct form {
	const char *name;
	void (*put)(struct cli *cli, const struct shown *shown);
} forms[] = {
	{ "json", put_result },   { "pretty", put_for_people },
	{ "values", put_arrays }, { "bindings", put_bindings },
	{ "raw", put_raw },       { "discard", put_nothing },
};

static const struct form *find_form(struct cli *cli, struct bl_error *err)
{
	struct bl_str name = cli_value(cli, OPT_FORMAT);

	static const struct form lines = { "lines", put_values };

	if (!name.ptr)
		return cli_has(cli, OPT_VALUES) ? &lines : &forms[0];
	for (size_t i = 0; i < BL_COUNT(forms); i++)
		if (bl_str_is(name, forms[i].name))
			return &forms[i];
	bl_fail(err, BL_USAGE, "there is no format '%.*s'", BL_STR_ARG(name));
	return NULL;
}

/* {"errors": [{"code", "location", "message"}]}, as opa has it. */
static void put_error(struct bl_array_builder *list, struct bl_arena *arena,
		      struct bl_str code, struct bl_str message,
		      const struct bl_diag *diag)
{
	struct bl_object_builder one;
	struct bl_object_builder place;

	bl_object_builder_init(&one, arena);
	bl_object_builder_add(&one, BL_STR("message"),
			      bl_value_string(message));
	bl_object_builder_add(&one, BL_STR("code"), bl_value_string(code));
	if (diag) {
		bl_object_builder_init(&place, arena);
		bl_object_builder_add(&place, BL_STR("file"),
				      bl_value_string(diag->file));
		bl_object_builder_add(&place, BL_STR("row"),
				      bl_value_integer(diag->place.line));
		bl_object_builder_add(&place, BL_STR("col"),
				      bl_value_integer(diag->place.column));
		bl_object_builder_add(&one, BL_STR("location"),
				      bl_object_builder_end(&place));
	}
	bl_array_builder_add(list, bl_object_builder_end(&one));
}

/* Errors on standard output, where json is what is printed there. */
static void put_errors(struct cli *cli, const struct form *form,
		       const struct bl_diags *diags,
		       const struct bl_rego_result *result)
{
	struct bl_object_builder all;
	struct bl_array_builder list;

	if (form->put != put_result)
		return;
	bl_array_builder_init(&list, &cli->arena);
	for (const struct bl_diag *diag = diags->first; diag; diag = diag->next)
		put_error(&list, &cli->arena, bl_str(diag->code), diag->message,
			  diag);
	if (result)
		put_error(&list, &cli->arena, bl_str(result->fault_code),
			  result->fault, NULL);
	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("errors"),
			      bl_array_builder_end(&list));
	put_pretty(cli, bl_object_builder_end(&all));
}

/* What evaluating once needs, and how long the parts of it took. */
struct evaluation {
	const struct form *form;
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
	struct shown shown = {
		.solutions = solutions,
		.profile = bl_value_undefined(),
		.metrics = bl_value_undefined(),
	};
	bool apart = e->form->put != put_result;

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
	if (apart && cli_has(cli, OPT_METRICS))
		put_metrics(cli, e);
	if (apart && e->trace.profile)
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
		put_errors(cli, e->form, &diags, NULL);
		cli_note_diags(cli, &diags);
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	if (result.fault_code) {
		put_errors(cli, e->form, &diags, &result);
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
	if (cli_has(cli, OPT_COVERAGE))
		put_pretty(cli,
			   cli_coverage_report(&trace->coverage, &cli->arena,
					       policies, NULL));
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

static int run(struct cli *cli)
{
	struct bl_error err;
	struct evaluation e = { .form = find_form(cli, &err) };
	int code;

	if (!e.form)
		return cli_fail(cli, &err);
	if (!cli_trace_init(&e.trace, cli_value(cli, OPT_EXPLAIN))) {
		bl_fail(&err, BL_USAGE, "--explain is full, fails or notes");
		return cli_fail(cli, &err);
	}
	if (!cli_profile_has_key(cli_value(cli, OPT_PROFILE_SORT))) {
		bl_fail(&err, BL_USAGE,
			"--profile-sort is total_time_ns, num_eval, num_held, "
			"file or line");
		return cli_fail(cli, &err);
	}
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
