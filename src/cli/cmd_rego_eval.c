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
	OPT_BUNDLE,
	OPT_INPUT,
	OPT_STDIN,
	OPT_STRICT,
	OPT_VALUES,
	OPT_FORMAT,
	OPT_FAIL,
	OPT_FAIL_DEFINED,
	OPT_EXPLAIN,
	OPT_COVERAGE,
};

/* As opa has them: 1 with --fail and --fail-defined, 2 for errors. */
enum { EXIT_FAIL = 1, EXIT_ERROR = 2 };

static const struct cli_option options[] = {
	[OPT_DATA] = { "data", 'd', CLI_LIST, "PATH",
		       "policies (.rego) and data (.json, .yaml), or folders "
		       "of "
		       "them" },
	[OPT_BUNDLE] = { "bundle", 'b', CLI_LIST, "PATH",
			 "bundle: a folder or a .tar.gz; or alone, an "
			 "image" },
	[OPT_INPUT] = { "input", 'i', CLI_VALUE, "FILE",
			"JSON or YAML file to be input" },
	[OPT_STDIN] = { "stdin-input", 'I', CLI_FLAG, NULL,
			"read input from standard input" },
	[OPT_STRICT] = { "strict-builtin-errors", 0, CLI_FLAG, NULL,
			 "an error of a builtin ends the evaluation" },
	[OPT_VALUES] = { "values", 0, CLI_FLAG, NULL,
			 "print the values of the statements only" },
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "FORMAT",
			 "json (the default), values, bindings, raw or "
			 "discard" },
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
};

static enum bl_status read_input(struct cli *cli, struct bl_value *out_input,
				 struct bl_error *err)
{
	struct bl_str text;
	struct bl_str name = BL_STR("standard input");
	enum bl_status status;

	*out_input = bl_value_undefined();
	if (cli_has(cli, OPT_STDIN)) {
		status = cli_read_payload(cli, &text, err);
	} else if (cli_has(cli, OPT_INPUT)) {
		struct bl_limits limits = bl_limits_default();

		name = cli_value(cli, OPT_INPUT);
		status = bl_os_read_file(name, 0, limits.payload_bytes,
					 &cli->arena, &text, NULL, err);
		if (status)
			bl_error_context(err, "%.*s", BL_STR_ARG(name));
	} else {
		return BL_OK;
	}
	if (status)
		return status;
	return cli_parse_data(cli, name, text, out_input, err);
}

/* Each value of each solution on a line. */
static void put_values(struct cli *cli, struct bl_value solutions)
{
	for (size_t i = 0; i < bl_value_count(solutions); i++) {
		struct bl_value values = bl_object_find(
			bl_value_item(solutions, i), BL_STR("expressions"));

		for (size_t j = 0; j < bl_value_count(values); j++)
			cli_put_json(cli, bl_value_item(values, j));
	}
}

/* {"result": [{"expressions": [{"value": V}], "bindings": {}}]}, as opa has. */
static void put_result(struct cli *cli, struct bl_value solutions)
{
	struct bl_object_builder all;
	struct bl_array_builder shown;

	bl_array_builder_init(&shown, &cli->arena);
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
		bl_array_builder_add(&shown, bl_object_builder_end(&one));
	}
	bl_object_builder_init(&all, &cli->arena);
	if (bl_value_count(solutions))
		bl_object_builder_add(&all, BL_STR("result"),
				      bl_array_builder_end(&shown));
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

static void put_pretty(struct cli *cli, struct bl_value value)
{
	bl_json_write(&cli->out, value, BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

/* The values of each solution as one array. */
static void put_arrays(struct cli *cli, struct bl_value solutions)
{
	for (size_t i = 0; i < bl_value_count(solutions); i++)
		put_pretty(cli, bl_object_find(bl_value_item(solutions, i),
					       BL_STR("expressions")));
}

/* The bindings of each solution. */
static void put_bindings(struct cli *cli, struct bl_value solutions)
{
	for (size_t i = 0; i < bl_value_count(solutions); i++)
		put_pretty(cli, bl_object_find(bl_value_item(solutions, i),
					       BL_STR("bindings")));
}

/* Values on a line for each solution; strings without their quotes. */
static void put_raw(struct cli *cli, struct bl_value solutions)
{
	for (size_t i = 0; i < bl_value_count(solutions); i++) {
		struct bl_value values = bl_object_find(
			bl_value_item(solutions, i), BL_STR("expressions"));

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

/* That something was evaluated, whatever came out. */
static void put_nothing(struct cli *cli, struct bl_value solutions)
{
	(void)solutions;
	bl_buf_puts(&cli->out, "{\n  \"result\": \"discarded\"\n}\n");
}

static const struct form {
	const char *name;
	void (*put)(struct cli *cli, struct bl_value solutions);
} forms[] = {
	{ "json", put_result },       { "values", put_arrays },
	{ "bindings", put_bindings }, { "raw", put_raw },
	{ "discard", put_nothing },
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

/* A plan answers what it was made for alone: "data.pkg.rule". */
static enum bl_status run_plan(struct cli *cli,
			       const struct bl_rego_policies *plan,
			       const struct bl_rego_options *how,
			       struct bl_rego_result *out_result,
			       struct bl_error *err)
{
	static const struct bl_str data = { "data.", 5 };
	struct bl_str query = bl_str_trim(cli_operand(cli, 0));
	struct bl_array_builder solutions;
	char *path;
	enum bl_status status;

	if (!bl_str_has_prefix(query, data))
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
	status = bl_rego_run_plan(plan, query, how, &cli->arena, out_result,
				  err);
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

static int answer(struct cli *cli, const struct bl_rego_policies *policies,
		  const struct bl_rego_options *query, const struct form *form,
		  bool is_plan)
{
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err;
	bool defined;

	enum bl_status status;

	bl_diags_init(&diags, &cli->arena);
	status = is_plan ? run_plan(cli, policies, query, &result, &err)
			 : bl_rego_query(policies, cli_operand(cli, 0), query,
					 &cli->arena, &diags, &result, &err);
	if (status) {
		if (!is_plan)
			put_errors(cli, form, &diags, NULL);
		cli_note_diags(cli, &diags);
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	if (result.fault_code) {
		put_errors(cli, form, &diags, &result);
		bl_fail(&err, BL_INVALID, "%.*s", BL_STR_ARG(result.fault));
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	form->put(cli, result.solutions);
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

static int run(struct cli *cli)
{
	struct bl_rego_compile_options how = {
		.print = true,
		.observe =
			cli_has(cli, OPT_EXPLAIN) || cli_has(cli, OPT_COVERAGE),
	};
	const struct cli_rego_paths paths = {
		.files = cli->given[OPT_DATA].values,
		.file_count = cli->given[OPT_DATA].count,
		.bundles = cli->given[OPT_BUNDLE].values,
		.bundle_count = cli->given[OPT_BUNDLE].count,
		.how = &how,
	};
	const struct bl_rego_policies *policies;
	struct bl_rego_options query;
	struct cli_rego_files files;
	struct bl_error err;
	struct cli_trace trace;
	const struct form *form = find_form(cli, &err);
	int code;

	if (!form)
		return cli_fail(cli, &err);
	if (!cli_trace_init(&trace, cli_value(cli, OPT_EXPLAIN))) {
		bl_fail(&err, BL_USAGE, "--explain is full, fails or notes");
		return cli_fail(cli, &err);
	}
	if (cli_compile_rego(cli, &paths, &files, &policies, &err)) {
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	query = cli_rego_eval_options(files.data);
	query.strict_builtin_errors = cli_has(cli, OPT_STRICT);
	if (read_input(cli, &query.input, &err)) {
		cli_fail(cli, &err);
		return EXIT_ERROR;
	}
	query.observer = &trace.observer;
	if (cli_has(cli, OPT_COVERAGE) &&
	    !cli_coverage_init(&trace.coverage, &cli->arena, policies))
		return cli_fail(cli, (bl_arena_fail(&cli->arena, &err), &err));
	code = answer(cli, policies, &query, form,
		      bl_value_is_defined(files.plan));
	put_trace(cli, &trace, policies);
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
		   "Exit status:\n"
		   "  0  there is an answer, or the query is undefined\n"
		   "  1  it is undefined with --fail, or defined with "
		   "--fail-defined\n"
		   "  2  it does not compile, or its evaluation ends with an "
		   "error\n",
	.run = run,
};
