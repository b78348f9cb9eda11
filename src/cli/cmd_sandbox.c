/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_sandbox.c: belay sandbox run and explain. */
#include "cli/cli.h"

#include <unistd.h>

#include "sandbox/sandbox.h"

enum {
	OPT_PROFILE,
	OPT_WORKSPACE,
	OPT_READABLE,
	OPT_TIMEOUT,
	EXPLAIN_OPTIONS = OPT_TIMEOUT,
};

static const struct cli_option options[] = {
	[OPT_PROFILE] = { "profile", 0, CLI_VALUE, "SANDBOX",
			  "what it may reach (default: workspace)" },
	[OPT_WORKSPACE] = { "workspace", 0, CLI_VALUE, "DIR",
			    "its workspace (default: the current folder)" },
	[OPT_READABLE] = { "readable", 0, CLI_LIST, "DIR",
			   "a further folder that it may read" },
	[OPT_TIMEOUT] = { "timeout", 0, CLI_NUMBER, "SECONDS",
			  "kill it and all its descendants after that" },
};

/* ---- the request ---------------------------------------------------- */

static enum bl_status find_profile(struct cli *cli,
				   struct bl_sandbox_request *request,
				   struct bl_error *err)
{
	struct bl_str name = cli_has(cli, OPT_PROFILE)
				     ? cli_value(cli, OPT_PROFILE)
				     : BL_STR("workspace");
	struct bl_buf names;
	enum bl_status status;

	if (bl_sandbox_parse(name, request))
		return BL_OK;
	bl_buf_init(&names, 0);
	bl_sandbox_print_names(&names);
	status = bl_fail(err, BL_USAGE,
			 "there is no sandbox profile '%.*s'; there are %s, "
			 "and each may end in +network",
			 BL_STR_ARG(name), names.ptr);
	bl_buf_clear(&names);
	return status;
}

static enum bl_status make_request(struct cli *cli,
				   struct bl_sandbox_request *request,
				   struct bl_error *err)
{
	size_t count = cli->given[OPT_READABLE].count;
	struct bl_str *readable =
		bl_arena_new_array(&cli->arena, struct bl_str, count + 1);
	enum bl_status status = find_profile(cli, request, err);

	if (!status && !readable)
		status = bl_arena_fail(&cli->arena, err);
	if (!status && cli_has(cli, OPT_WORKSPACE))
		status = cli_absolute(cli, cli_value(cli, OPT_WORKSPACE),
				      &request->workspace, err);
	else if (!status)
		status = bl_path_current(&cli->arena, &request->workspace, err);
	for (size_t i = 0; i < count && !status; i++)
		status = cli_absolute(cli, cli->given[OPT_READABLE].values[i],
				      &readable[i], err);
	request->readable = readable;
	request->readable_count = count;
	return status;
}

/* ---- run ------------------------------------------------------------ */

static const char *const *make_argv(struct cli *cli)
{
	const char **argv = bl_arena_new_array(&cli->arena, const char *,
					       cli->operand_count + 1);

	/* Operands are arguments of this program, so they end in NUL. */
	for (size_t i = 0; argv && i < cli->operand_count; i++)
		argv[i] = cli->operands[i].ptr;
	return argv;
}

static void note_missing(const struct bl_sandbox_job *job,
			 const struct bl_sandbox_machine *machine)
{
	struct bl_buf text;

	if (!job->missing)
		return;
	bl_buf_init(&text, 0);
	bl_sandbox_print_missing(&text, machine, job->missing);
	cli_note("belay: the sandbox is without %s\n", text.ptr);
	bl_buf_clear(&text);
}

static enum bl_status fail_start(const struct bl_sandbox_job *job,
				 struct bl_error *err)
{
	if (job->refusal.len)
		return bl_fail(err, BL_UNSUPPORTED, "%.*s",
			       BL_STR_ARG(job->refusal));
	return bl_fail_errno(err, job->result.code, "cannot start '%s' (%s)",
			     job->spec.argv[0], job->result.stage);
}

/* The exit status, as a shell would have it. */
static int end_of(struct cli *cli, const struct bl_sandbox_job *job)
{
	const struct bl_child_result *result = &job->result;
	struct bl_error err;

	switch (result->end) {
	case BL_CHILD_EXITED:
		return result->code;
	case BL_CHILD_SIGNALLED:
		return 128 + result->code;
	case BL_CHILD_TIMED_OUT:
		bl_fail(&err, BL_TIMEOUT, "killed after %u s",
			(unsigned)(job->spec.timeout_ms / 1000));
		break;
	case BL_CHILD_TOO_MUCH:
		bl_fail(&err, BL_LIMIT, "killed after %d bytes of output",
			BL_SANDBOX_OUTPUT_BYTES);
		break;
	case BL_CHILD_UNREADABLE:
		bl_fail_errno(&err, result->code,
			      "its output could not be read to the end");
		break;
	case BL_CHILD_STOPPED:
	case BL_CHILD_CANNOT_START:
		fail_start(job, &err);
		break;
	}
	return cli_fail(cli, &err);
}

static enum bl_status read_input(struct cli *cli, struct bl_str *out_input,
				 struct bl_error *err)
{
	*out_input = BL_STR("");
	return isatty(STDIN_FILENO) ? BL_OK
				    : cli_read_input(cli, out_input, err);
}

static int run_sandbox(struct cli *cli)
{
	struct bl_sandbox_machine machine;
	struct bl_sandbox_request request = { 0 };
	struct bl_sandbox_job job = {
		.request = &request,
		.spec = { .argv = make_argv(cli),
			  .timeout_ms =
				  (uint32_t)cli->given[OPT_TIMEOUT].number *
				  1000 },
	};
	struct bl_error err;
	enum bl_status status = make_request(cli, &request, &err);

	if (!status)
		status = read_input(cli, &job.spec.input, &err);
	if (!status && !job.spec.argv)
		status = bl_arena_fail(&cli->arena, &err);
	bl_sandbox_look(&machine);
	if (!status)
		status = bl_sandbox_run(&job, 1, &machine, &cli->arena, &err);
	if (status)
		return cli_fail(cli, &err);
	note_missing(&job, &machine);
	(void)!bl_os_write_all(STDERR_FILENO, job.result.errors, NULL);
	if (job.result.has_leftovers)
		cli_note("belay: processes of the command may still be "
			 "running\n");
	bl_buf_put_str(&cli->out, job.result.output);
	return end_of(cli, &job);
}

const struct cli_code cli_code_sandbox_run = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = CLI_MAX_OPERANDS,
	.details = "Its standard input is that of belay, read to its end. What "
		   "it writes is shown when it has ended; both outputs "
		   "together may have 64 KiB. The exit status is that of the "
		   "command, 128 and the number of the signal that ended it, "
		   "69 when the machine does not have what the profile needs, "
		   "75 for too much output, 76 for a timeout.\n"
		   "\n"
		   "'belay sandbox explain' shows what a profile does, 'belay "
		   "doctor' what this machine can do.\n",
	.run = run_sandbox,
};

/* ---- explain -------------------------------------------------------- */

static void put_plan(struct cli *cli, const struct bl_sandbox_machine *machine,
		     const struct bl_sandbox_plan *plan)
{
	bl_sandbox_plan_print(&cli->out, plan);
	if (!plan->missing)
		return;
	bl_buf_puts(&cli->out, "missing: ");
	bl_sandbox_print_missing(&cli->out, machine, plan->missing);
	bl_buf_put_char(&cli->out, '\n');
}

static int explain(struct cli *cli)
{
	struct bl_sandbox_machine machine;
	struct bl_sandbox_request request = { 0 };
	struct bl_sandbox_plan plan;
	struct bl_error err;
	bl_layers works;
	enum bl_status status = make_request(cli, &request, &err);

	if (status)
		return cli_fail(cli, &err);
	bl_buf_printf(&cli->out, "%s: %s\n", request.profile->name,
		      request.profile->summary);
	if (!request.profile->is_confined)
		return 0;
	status = bl_sandbox_probe(&machine, &works, &cli->arena, &err);
	if (!status)
		status = bl_sandbox_plan_make(&request, &machine, &cli->arena,
					      &plan, &err);
	if (status)
		return cli_fail(cli, &err);
	put_plan(cli, &machine, &plan);
	return 0;
}

const struct cli_code cli_code_sandbox_explain = {
	.options = options,
	.option_count = EXPLAIN_OPTIONS,
	.details = "Every step in order, as it would be taken on this machine "
		   "now, and at the end the environment. Nothing is run but a "
		   "child that tries the layers.\n",
	.run = explain,
};
