/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rego_eval.c: belay rego eval, one query. */
#include <unistd.h>

#include "cli/rego_answer.h"
#include "cli/rego_errors.h"
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
	if (form->has_errors)
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
};

/* Policies, data, input and scope. */
static enum bl_status prepare(struct cli *cli, struct question *question,
			      struct bl_diags *diags, struct bl_error *err)
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
	struct cli_rego_files files;
	enum bl_status status = cli_compile_rego(cli, &paths, &files, diags,
						 &question->policies, err);

	if (status)
		return status;
	question->is_plan = bl_value_is_defined(files.plan);
	question->options = cli_rego_eval_options(files.data);
	question->options.strict_builtin_errors = cli_has(cli, OPT_STRICT);
	status = read_scope(cli, &question->options.scope, diags, err);
	return status ? status : read_input(cli, &question->options.input, err);
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

static int answer(struct cli *cli, const struct question *question,
		  const struct cli_rego_form *form, struct bl_diags *diags)
{
	struct bl_rego_result result;
	struct bl_value shown;
	struct bl_error err;
	bool defined;

	if (question->is_plan
		    ? run_plan(cli, question, &result, &err)
		    : bl_rego_query(question->policies, question->query,
				    &question->options, &cli->arena, diags,
				    &result, &err))
		return fail(cli, form, diags, NULL, &err);
	if (result.fault_code) {
		bl_fail(&err, BL_INVALID, "%.*s", BL_STR_ARG(result.fault));
		return fail(cli, form, diags, result.fault_code, &err);
	}
	shown = cli_rego_answer(cli, question->query, result.solutions);
	if (!bl_value_is_defined(shown)) {
		bl_arena_fail(&cli->arena, &err);
		return fail(cli, form, diags, NULL, &err);
	}
	form->put(cli, shown);
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
	if (!cli_has(cli, OPT_COVERAGE))
		return;
	bl_json_write(&cli->out,
		      cli_coverage_report(&trace->coverage, &cli->arena,
					  policies, NULL),
		      BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
}

/* Asks and answers, with form. */
static int ask(struct cli *cli, const struct cli_rego_form *form,
	       struct cli_trace *trace, struct bl_diags *diags)
{
	struct question question;
	struct bl_error err;
	int code;

	if (read_query(cli, &question.query, &err))
		return err.status == BL_USAGE
			       ? cli_fail(cli, &err)
			       : fail(cli, form, diags, NULL, &err);
	if (prepare(cli, &question, diags, &err))
		return fail(cli, form, diags, NULL, &err);
	question.options.observer = &trace->observer;
	if (cli_has(cli, OPT_COVERAGE) &&
	    !cli_coverage_init(&trace->coverage, &cli->arena,
			       question.policies)) {
		bl_arena_fail(&cli->arena, &err);
		return fail(cli, form, diags, NULL, &err);
	}
	code = answer(cli, &question, form, diags);
	put_trace(cli, trace, question.policies);
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
		bl_fail(&err, BL_USAGE, "--explain is full, fails or notes");
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
		   "Exit status:\n"
		   "  0  there is an answer, or the query is undefined\n"
		   "  1  it is undefined with --fail, or defined with "
		   "--fail-defined\n"
		   "  2  it does not compile, or its evaluation ends with an "
		   "error\n",
	.run = run,
};
