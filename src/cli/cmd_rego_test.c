/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rego_test.c: belay rego test, the rules named test_... */
#include "cli/rego_eval_options.h"
#include "cli/rego_files.h"

enum { OPT_VERBOSE, OPT_BUNDLE };

enum { EXIT_FAILED = 2 }; /* as opa has it */

static const struct cli_option options[] = {
	[OPT_VERBOSE] = { "verbose", 'v', CLI_FLAG, NULL,
			  "name the tests that pass, too" },
	[OPT_BUNDLE] = CLI_BUNDLE_ROW,
};

struct run {
	struct cli *cli;
	const struct bl_rego_policies *policies;
	struct bl_value data;
	size_t passed;
	size_t failed;
	size_t errors;
	size_t skipped;
};

/* What became of one test: "PASS", "FAIL", "ERROR", with a reason. */
static const char *judge(struct run *run, struct bl_str path,
			 struct bl_arena *arena, struct bl_str *out_why)
{
	struct bl_rego_options query = cli_rego_eval_options(run->data);
	struct bl_rego_result result;
	struct bl_diags diags;
	struct bl_error err;
	struct bl_value value;

	bl_diags_init(&diags, arena);
	*out_why = (struct bl_str){ 0 };
	if (bl_rego_query(run->policies, path, &query, arena, &diags, &result,
			  &err)) {
		*out_why = bl_arena_copy_str(arena, bl_str(err.message));
		return "ERROR";
	}
	if (result.fault_code) {
		*out_why = result.fault;
		return "ERROR";
	}
	value = bl_value_item(bl_object_find(bl_value_item(result.solutions, 0),
					     BL_STR("expressions")),
			      0);
	if (bl_value_is_defined(value) &&
	    !(bl_value_is(value, BL_KIND_BOOLEAN) && !bl_value_is_true(value)))
		return "PASS";
	return "FAIL";
}

static void visit_test(void *context, struct bl_str path, struct bl_str file,
		       uint32_t line)
{
	struct run *run = context;
	struct bl_buf *out = &run->cli->out;
	struct bl_arena arena;
	struct bl_str why;
	const char *word;

	bl_arena_init(&arena, NULL, 0, 0);
	word = judge(run, path, &arena, &why);
	run->passed += word[0] == 'P';
	run->failed += word[0] == 'F';
	run->errors += word[0] == 'E';
	if (word[0] != 'P' || cli_has(run->cli, OPT_VERBOSE)) {
		bl_buf_printf(out, "%.*s:%u: %.*s: ", BL_STR_ARG(file), line,
			      BL_STR_ARG(path));
		cli_put_styled(run->cli, word[0] == 'P' ? CLI_GREEN : CLI_RED,
			       word);
		if (why.len) {
			bl_buf_puts(out, ": ");
			cli_put_text(out, 2, why);
		}
		bl_buf_put_char(out, '\n');
	}
	bl_arena_clear(&arena);
}

static void visit_todo(void *context, struct bl_str path, struct bl_str file,
		       uint32_t line)
{
	struct run *run = context;

	run->skipped++;
	bl_buf_printf(&run->cli->out, "%.*s:%u: %.*s: SKIPPED\n",
		      BL_STR_ARG(file), line, BL_STR_ARG(path));
}

static void put_count(struct bl_buf *out, const char *word, size_t count,
		      size_t total)
{
	if (count)
		bl_buf_printf(out, "%s: %zu/%zu\n", word, count, total);
}

static int run(struct cli *cli)
{
	struct cli_rego_paths paths =
		cli_rego_operands(cli, cli_has(cli, OPT_BUNDLE));
	struct run run = { .cli = cli };
	struct cli_rego_files files;
	struct bl_error err;
	size_t total;

	if (cli_compile_rego(cli, &paths, &files, &run.policies, &err))
		return cli_fail(cli, &err);
	run.data = files.data;
	bl_rego_each_rule(run.policies, BL_STR("test_"), &cli->arena,
			  visit_test, &run);
	bl_rego_each_rule(run.policies, BL_STR("todo_test_"), &cli->arena,
			  visit_todo, &run);
	total = run.passed + run.failed + run.errors + run.skipped;
	put_count(&cli->out, "PASS", run.passed, total);
	put_count(&cli->out, "FAIL", run.failed, total);
	put_count(&cli->out, "ERROR", run.errors, total);
	put_count(&cli->out, "SKIPPED", run.skipped, total);
	if (!total)
		bl_buf_puts(&cli->out, "no tests: no rule is named test_...\n");
	return run.failed || run.errors ? EXIT_FAILED : 0;
}

const struct cli_code cli_code_rego_test = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = CLI_MAX_OPERANDS,
	.details = "A test passes when its rule is defined and not false; "
		   "todo_test_... are skipped.\n"
		   "\n"
		   "Exit status:\n"
		   "  0  every test passes\n"
		   "  2  one fails, or ends with an error\n",
	.run = run,
};
