/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/cmd_exec.c: belay rego exec, one decision about each of many files. */
#include "cli/rego/bundle_options.h"
#include "cli/rego/compile.h"
#include "cli/rego/errors.h"
#include "cli/rego/eval_options.h"
#include "cli/rego/files.h"
#include "cli/rego/formats.h"
#include "cli/rego/opa_options.h"
#include "json/json.h"
#include "os/os.h"

enum {
	OPT_BUNDLE,
	OPT_DATA,
	OPT_DECISION,
	OPT_FAIL,
	OPT_FAIL_DEFINED,
	OPT_FAIL_NON_EMPTY,
	OPT_STDIN_INPUT,
	OPT_FORMAT,
	OPT_TIMEOUT,
	OPT_COMPILE, /* CLI_COMPILE_ROWS from here */
	OPT_BUNDLES = OPT_COMPILE + CLI_COMPILE_COUNT,
};

enum { EXIT_ERROR = 1 /* as opa has it */, MAX_NAMES = 100000, MAX_DEPTH = 64 };

static const struct cli_option options[] = {
	[OPT_BUNDLE] = { "bundle", 'b', CLI_LIST, "PATH",
			 "policies and data: a folder or a .tar.gz" },
	[OPT_DATA] = { "data", 'd', CLI_LIST, "PATH",
		       "policies (.rego) and data (.json, .yaml), or folders "
		       "of them" },
	[OPT_DECISION] = { "decision", 0, CLI_VALUE, "PATH",
			   "the document to ask for, such as pkg/rule "
			   "(default: system/main)" },
	[OPT_FAIL] = { "fail", 0, CLI_FLAG, NULL,
		       "exit status 1 when a decision is undefined, and for "
		       "files that are not JSON or YAML" },
	[OPT_FAIL_DEFINED] = { "fail-defined", 0, CLI_FLAG, NULL,
			       "exit status 1 when a decision is defined, and "
			       "for errors" },
	[OPT_FAIL_NON_EMPTY] = { "fail-non-empty", 0, CLI_FLAG, NULL,
				 "exit status 1 when a decision is anything "
				 "but an empty array or set, and for errors" },
	[OPT_STDIN_INPUT] = { "stdin-input", 'I', CLI_FLAG, NULL,
			      "read input from standard input" },
	[OPT_FORMAT] = { "format", 'f', CLI_VALUE, "EXEC_FORMAT",
			 "json, which it is anyway" },
	[OPT_TIMEOUT] = { "timeout", 0, CLI_DURATION, "TIME",
			  "of all decisions: 500ms, 5s, 1m30s (default: "
			  "none)" },
	CLI_COMPILE_ROWS(OPT_COMPILE),
	CLI_BUNDLE_READ_ROWS(OPT_BUNDLES),
};

struct executor {
	struct cli *cli;
	struct bl_str decision;
	const struct bl_rego_prepared *prepared;
	struct bl_rego_options run;
	int64_t deadline_ns;
	struct bl_array_builder results;
	size_t failures; /* decisions that an option counts */
	size_t errors;
};

static bool is_over(void *context)
{
	return bl_os_monotonic_ns() >
	       ((const struct executor *)context)->deadline_ns;
}

static bool counts_all(const struct executor *e)
{
	return cli_has(e->cli, OPT_FAIL) || cli_has(e->cli, OPT_FAIL_DEFINED) ||
	       cli_has(e->cli, OPT_FAIL_NON_EMPTY);
}

/* ---- results ---------------------------------------------------------------- */

static void add_result(struct executor *e, struct bl_str path,
		       const char *member, struct bl_value value)
{
	struct bl_object_builder one;

	bl_object_builder_init(&one, &e->cli->arena);
	bl_object_builder_add(&one, BL_STR("path"), bl_value_string(path));
	bl_object_builder_add(&one, bl_str(member), value);
	bl_array_builder_add(&e->results, bl_object_builder_end(&one));
}

static void add_error(struct executor *e, struct bl_str path, const char *code,
		      struct bl_str message)
{
	struct bl_object_builder error;
	struct bl_str copy = bl_arena_copy_str(&e->cli->arena, message);

	bl_object_builder_init(&error, &e->cli->arena);
	if (code)
		bl_object_builder_add(&error, BL_STR("code"),
				      bl_value_string(bl_str(code)));
	bl_object_builder_add(&error, BL_STR("message"), bl_value_string(copy));
	add_result(e, path, "error", bl_object_builder_end(&error));
}

/* The one value of the decision. */
static void add_decision(struct executor *e, struct bl_str path,
			 struct bl_value value)
{
	bool is_list = bl_value_is(value, BL_KIND_ARRAY) ||
		       bl_value_is(value, BL_KIND_SET);

	add_result(e, path, "result", cli_rego_sorted(&e->cli->arena, value));
	if (cli_has(e->cli, OPT_FAIL_DEFINED) ||
	    (cli_has(e->cli, OPT_FAIL_NON_EMPTY) &&
	     !(is_list && !bl_value_count(value))))
		e->failures++;
}

static enum bl_status decide(struct executor *e, struct bl_str path,
			     struct bl_value input, struct bl_error *err)
{
	struct bl_rego_result result = { 0 };
	struct bl_value solution;
	struct bl_str text;
	enum bl_status status;

	e->run.input = input;
	status =
		bl_rego_run(e->prepared, &e->run, &e->cli->arena, &result, err);
	if (status)
		return status;
	if (result.fault_code) {
		add_result(e, path, "error",
			   cli_rego_fault(&e->cli->arena, &result));
		e->errors += cli_has(e->cli, OPT_FAIL_DEFINED) ||
			     cli_has(e->cli, OPT_FAIL_NON_EMPTY);
		return BL_OK;
	}
	if (!bl_value_count(result.solutions)) {
		text = bl_arena_printf(&e->cli->arena,
				       "%.*s decision was undefined",
				       BL_STR_ARG(e->decision));
		add_error(e, path, "opa_undefined_error", text);
		e->errors += cli_has(e->cli, OPT_FAIL);
		return BL_OK;
	}
	solution = bl_value_item(result.solutions, 0);
	add_decision(
		e, path,
		bl_value_item(bl_object_find(solution, BL_STR("expressions")),
			      0));
	return BL_OK;
}

/* ---- inputs ----------------------------------------------------------------- */

static bool is_input(struct bl_str path)
{
	return bl_str_has_suffix(path, BL_STR(".json")) ||
	       bl_str_has_suffix(path, BL_STR(".yaml")) ||
	       bl_str_has_suffix(path, BL_STR(".yml"));
}

static enum bl_status decide_file(struct executor *e, struct bl_str path,
				  struct bl_error *err)
{
	struct bl_value input;
	struct bl_error problem = { 0 };

	if (!is_input(path))
		return BL_OK;
	if (!cli_read_rego_input(e->cli, false, path, &input, &problem))
		return decide(e, path, input, err);
	add_error(e, path, NULL, bl_str(problem.message));
	e->errors += counts_all(e);
	return BL_OK;
}

static enum bl_status decide_path(struct executor *e, struct bl_str path,
				  unsigned depth, struct bl_error *err)
{
	struct bl_file_info info;
	struct bl_str *names;
	size_t count;
	enum bl_status status = bl_os_info_path(path, &info, err);

	if (status) {
		bl_error_context(err, "%.*s", BL_STR_ARG(path));
		return status;
	}
	if (info.type != BL_FILE_DIRECTORY)
		return decide_file(e, path, err);
	if (depth == MAX_DEPTH)
		return bl_fail(err, BL_LIMIT,
			       "%.*s: folders are nested more than %d deep",
			       BL_STR_ARG(path), MAX_DEPTH);
	status = bl_os_list_dir(path, MAX_NAMES, &e->cli->arena, &names, &count,
				err);
	for (size_t i = 0; !status && i < count; i++) {
		struct bl_str child =
			bl_path_join(&e->cli->arena, path, names[i]);

		if (!child.ptr)
			return bl_arena_fail(&e->cli->arena, err);
		status = decide_path(e, child, depth + 1, err);
	}
	return status;
}

static enum bl_status decide_all(struct executor *e, struct bl_error *err)
{
	struct cli *cli = e->cli;
	enum bl_status status = BL_OK;

	if (cli_has(cli, OPT_STDIN_INPUT)) {
		struct bl_value input;

		status =
			cli_read_rego_input(cli, true, BL_STR(""), &input, err);
		if (!status)
			status = decide(e, BL_STR("--stdin-input"), input, err);
	}
	for (size_t i = 0; !status && i < cli->operand_count; i++)
		status = decide_path(e, cli->operands[i], 0, err);
	return status;
}

/* ---- the command ------------------------------------------------------------ */

/* "pkg/rule" or "/pkg/rule" as a query. */
static struct bl_str query_of(struct cli *cli, struct bl_str decision)
{
	struct bl_buf text;
	struct bl_str copy;
	size_t at = bl_str_has_prefix(decision, BL_STR("/"));

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "data");
	while (at < decision.len) {
		size_t slash = bl_str_find(decision, BL_STR("/"), at);

		bl_rego_put_key(&text, bl_value_string(bl_str_slice(
					       decision, at, slash)));
		at = slash == SIZE_MAX ? decision.len : slash + 1;
	}
	copy = bl_arena_copy_str(&cli->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

static enum bl_status prepare(struct executor *e, struct cli_network *network,
			      struct bl_diags *diags, struct bl_error *err)
{
	struct cli *cli = e->cli;
	struct bl_rego_compile_options how = { .print = true };
	struct bl_bundle_options bundle_options;
	struct cli_rego_files files;
	struct cli_rego_paths paths = {
		.files = cli->given[OPT_DATA].values,
		.file_count = cli->given[OPT_DATA].count,
		.bundles = cli->given[OPT_BUNDLE].values,
		.bundle_count = cli->given[OPT_BUNDLE].count,
		.how = &how,
		.bundle_options = &bundle_options,
	};
	const struct bl_rego_policies *policies;
	enum bl_status status = cli_bundle_options(
		cli, OPT_BUNDLES, paths.bundle_count > 0, &bundle_options, err);

	if (!status)
		status = cli_compile_options(cli, OPT_COMPILE, &how, network,
					     err);
	if (!status)
		status = cli_compile_rego(cli, &paths, &files, diags, &policies,
					  err);
	if (status)
		return status;
	if (bl_value_is_defined(files.plan))
		return bl_fail(err, BL_UNSUPPORTED,
			       "rego exec needs the sources of policies, "
			       "which plans do not have");
	e->run = cli_rego_eval_options(files.data);
	e->run.host.network = network->use;
	if (cli_has(cli, OPT_TIMEOUT)) {
		e->deadline_ns = bl_os_monotonic_ns() +
				 (int64_t)cli->given[OPT_TIMEOUT].number;
		e->run.is_over = is_over;
		e->run.is_over_context = e;
	}
	return bl_rego_prepare(policies, query_of(cli, e->decision),
			       &cli->arena, diags, &e->prepared, err);
}

static enum bl_status check_options(struct cli *cli, struct bl_error *err)
{
	struct bl_str format = cli_value(cli, OPT_FORMAT);
	int count = cli_has(cli, OPT_FAIL) + cli_has(cli, OPT_FAIL_DEFINED) +
		    cli_has(cli, OPT_FAIL_NON_EMPTY);

	if (format.ptr && !bl_str_is(format, "json"))
		return bl_fail(err, BL_USAGE, "there is no format '%.*s'",
			       BL_STR_ARG(format));
	if (count > 1)
		return bl_fail(err, BL_USAGE,
			       "give one of --fail, --fail-defined and "
			       "--fail-non-empty");
	if (!cli->operand_count && !cli_has(cli, OPT_STDIN_INPUT))
		return bl_fail(err, BL_USAGE,
			       "give files to decide about, or --stdin-input");
	return BL_OK;
}

static int report(struct executor *e)
{
	struct cli *cli = e->cli;
	struct bl_object_builder all;
	struct bl_error err;

	bl_object_builder_init(&all, &cli->arena);
	bl_object_builder_add(&all, BL_STR("result"),
			      bl_array_builder_end(&e->results));
	bl_json_write(&cli->out, bl_object_builder_end(&all), BL_JSON_PRETTY);
	bl_buf_put_char(&cli->out, '\n');
	if (!counts_all(e) || !(e->failures + e->errors))
		return 0;
	bl_fail(&err, BL_INVALID,
		"%zu failures and %zu errors are in the results, and --%s is "
		"set",
		e->failures, e->errors,
		cli_has(cli, OPT_FAIL)           ? "fail"
		: cli_has(cli, OPT_FAIL_DEFINED) ? "fail-defined"
						 : "fail-non-empty");
	return cli_fail_with(cli, &err, EXIT_ERROR);
}

static int run_exec(struct cli *cli)
{
	struct executor e = {
		.cli = cli,
		.decision = cli_has(cli, OPT_DECISION)
				    ? cli_value(cli, OPT_DECISION)
				    : BL_STR("/system/main"),
	};
	struct cli_network network = { 0 };
	struct bl_diags diags;
	struct bl_error err = { 0 };
	int code;

	if (check_options(cli, &err))
		return cli_fail(cli, &err);
	bl_diags_init(&diags, &cli->arena);
	bl_array_builder_init(&e.results, &cli->arena);
	if (prepare(&e, &network, &diags, &err) || decide_all(&e, &err)) {
		cli_note_diags(cli, &diags);
		code = cli_fail_with(cli, &err, EXIT_ERROR);
	} else {
		code = report(&e);
	}
	cli_network_clear(&network);
	return code;
}

const struct cli_code cli_code_rego_exec = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = CLI_MAX_OPERANDS,
	.details = "Policies are read and compiled once; then each .json, "
		   ".yaml and .yml file of\n"
		   "PATH (a folder: all below it) is input, and the decision "
		   "about it is printed\n"
		   "as 'opa exec' does, without decision_id.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  decisions were made\n"
		   "  1  policies do not compile, PATH is not there, or "
		   "--fail, --fail-defined or\n"
		   "     --fail-non-empty found something\n",
	.run = run_exec,
	.foreign = cli_opa_options,
};
