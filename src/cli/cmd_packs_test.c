/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_packs_test.c: belay packs test: do the rules hold for the lines that they
 * are for, and not for those that only look like them?  The lines are compiled
 * in (packs/examples.def), so that a person can try the program that guards them,
 * as it is installed.
 */
#include "cli/question.h"
#include "os/os.h"
#include "packs/packs.h"

/* Does the operand name this rule, or its pack?  None: all. */
static bool is_wanted(struct bl_str wanted, struct bl_str rule)
{
	return !wanted.len || bl_str_equal(rule, wanted) ||
	       (bl_str_has_prefix(rule, wanted) && rule.len > wanted.len &&
		rule.ptr[wanted.len] == '/');
}

static bool is_in(const struct bl_policy_finding *findings, size_t count,
		  struct bl_str rule)
{
	for (size_t i = 0; i < count; i++)
		if (bl_str_equal(findings[i].rule_id, rule))
			return true;
	return false;
}

/* Does the rule hold for the line, whatever its mode makes of that? */
static enum bl_status try_one(struct bl_engine *engine, struct bl_str cwd,
			      const struct bl_pack_example *example,
			      bool *out_holds, struct bl_error *err)
{
	struct bl_request request = { .payload = BL_STR("") };
	struct cli_question question;
	struct bl_reply reply;
	struct bl_arena arena;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	cli_question_about(BL_STR("command"), bl_str(example->line), &question);
	question.cwd = cwd;
	status = cli_question_payload(&arena, &question, &request.payload, err);
	if (!status)
		status = bl_engine_dispatch(engine, &request, &arena, &reply,
					    err);
	if (!status) {
		const struct bl_policy_report *report = &reply.report;
		struct bl_str rule = bl_str(example->rule);

		*out_holds =
			is_in(report->findings, report->finding_count, rule) ||
			is_in(report->spared, report->spared_count, rule);
		bl_reply_clear(&reply);
	}
	bl_arena_clear(&arena);
	return status;
}

/* An engine at the level where most rules do something. */
static enum bl_status begin(struct cli *cli, struct bl_str *out_cwd,
			    struct bl_engine **out_engine, struct bl_error *err)
{
	struct cli_question any;
	enum bl_status status = bl_path_current(&cli->arena, out_cwd, err);

	cli_question_about(BL_STR("command"), BL_STR(""), &any);
	any.cwd = *out_cwd;
	any.level = BL_LEVEL_STRICT;
	return status ? status
		      : cli_question_engine(cli, &any, out_engine, err);
}

static enum bl_status try_all(struct cli *cli, size_t *out_tried,
			      size_t *out_failed, struct bl_error *err)
{
	struct bl_engine *engine = NULL;
	struct bl_str cwd;
	enum bl_status status = begin(cli, &cwd, &engine, err);

	for (size_t i = 0; !status && i < bl_pack_example_count; i++) {
		const struct bl_pack_example *example = &bl_pack_examples[i];
		bool holds = false;

		if (!is_wanted(cli_operand(cli, 0), bl_str(example->rule)))
			continue;
		status = try_one(engine, cwd, example, &holds, err);
		(*out_tried)++;
		if (status || holds == example->holds)
			continue;
		(*out_failed)++;
		bl_buf_printf(&cli->out, "%s %s: %s\n", example->rule,
			      holds ? "holds for" : "does not hold for",
			      example->line);
	}
	bl_engine_free(engine);
	return status;
}

static int run_packs_test(struct cli *cli)
{
	struct bl_error err = { 0 };
	size_t tried = 0;
	size_t failed = 0;
	enum bl_status status = try_all(cli, &tried, &failed, &err);

	if (!status && !tried)
		status = bl_fail(&err, BL_NOT_FOUND,
				 "no example is of that rule or pack: see "
				 "'belay packs list'");
	if (status)
		return cli_fail(cli, &err);
	bl_buf_printf(&cli->out, "%zu passed, %zu failed\n", tried - failed,
		      failed);
	return failed ? 1 : 0;
}

static const struct cli_option options[] = { CLI_POLICY_ROWS };

const struct cli_code cli_code_packs_test = {
	.options = options,
	.option_count = BL_COUNT(options),
	.most_operands = 1,
	.details =
		"Tries the rules that belay ships on lines for which they must "
		"hold, and on lines that only look like those, at level "
		"strict.  Nothing is run.  A mode 'off' and an exception in "
		"the rulebook keep a rule from holding.\n"
		"\n"
		"Exit status: 1 when a rule is not as it should be.\n",
	.run = run_packs_test,
};
