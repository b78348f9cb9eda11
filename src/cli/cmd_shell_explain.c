/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_shell_explain.c: belay shell explain: how a command line is read, which
 * commands would run, what they would do, and what cannot be known.  Nothing is
 * run.
 */
#include "cli/cli.h"
#include "effects/effects.h"
#include "json/json.h"
#include "os/os.h"
#include "shell/shell.h"
#include "sources/policies/policies.h"

enum { OPT_CWD, OPT_HOME, OPT_JSON };

static const struct cli_option options[] = {
	[OPT_CWD] = { "cwd", 0, CLI_VALUE, "DIR",
		      "where the line would run (default: here)" },
	[OPT_HOME] = CLI_HOME_ROW,
	[OPT_JSON] = CLI_JSON_ROW,
};

enum { TREE_DEPTH = 12, INDENT = 2 };

static void indent(struct cli *cli, size_t depth)
{
	for (size_t i = 0; i < depth * INDENT; i++)
		bl_buf_put_char(&cli->out, ' ');
}

static void put_title(struct cli *cli, const char *title)
{
	cli_put_styled(cli, CLI_BOLD, title);
	bl_buf_puts(&cli->out, "\n");
}

/* ---- the tree ---------------------------------------------------------------- */

static void put_list(struct cli *cli, const struct bl_shell_list *list,
		     size_t depth);

static void put_span(struct cli *cli, struct bl_str line,
		     struct bl_shell_span span, size_t depth)
{
	struct bl_str text = bl_str_slice(line, span.start, span.end);
	size_t newline = bl_str_find(text, BL_STR("\n"), 0);

	cli_put_text(&cli->out, depth * INDENT, bl_str_slice(text, 0, newline));
	bl_buf_puts(&cli->out, newline == SIZE_MAX ? "\n" : " ...\n");
}

static void put_branches(struct cli *cli,
			 const struct bl_shell_command *command, size_t depth)
{
	const struct bl_shell_branch *branch = command->choice.branches;

	for (; branch; branch = branch->next) {
		put_list(cli, branch->condition, depth);
		put_list(cli, branch->body, depth + 1);
	}
	put_list(cli, command->choice.otherwise, depth + 1);
}

static void put_clauses(struct cli *cli, const struct bl_shell_command *command,
			size_t depth)
{
	const struct bl_shell_clause *clause = command->cases.clauses;

	for (; clause; clause = clause->next)
		put_list(cli, clause->body, depth);
}

/* The inside of a compound command. */
static void put_inside(struct cli *cli, const struct bl_shell_command *command,
		       size_t depth)
{
	switch (command->kind) {
	case BL_SHELL_GROUP_COMMAND:
	case BL_SHELL_SUBSHELL_COMMAND:
		put_list(cli, command->list, depth);
		break;
	case BL_SHELL_IF_COMMAND:
		put_branches(cli, command, depth);
		break;
	case BL_SHELL_WHILE_COMMAND:
	case BL_SHELL_UNTIL_COMMAND:
		put_list(cli, command->loop.condition, depth);
		put_list(cli, command->loop.body, depth + 1);
		break;
	case BL_SHELL_FOR_COMMAND:
	case BL_SHELL_SELECT_COMMAND:
		put_list(cli, command->each.body, depth);
		break;
	case BL_SHELL_ARITHMETIC_FOR_COMMAND:
		put_list(cli, command->count.body, depth);
		break;
	case BL_SHELL_CASE_COMMAND:
		put_clauses(cli, command, depth);
		break;
	case BL_SHELL_FUNCTION_COMMAND:
		put_inside(cli, command->function.body, depth);
		break;
	case BL_SHELL_COPROCESS_COMMAND:
		put_inside(cli, command->coprocess.body, depth);
		break;
	case BL_SHELL_SIMPLE_COMMAND:
	case BL_SHELL_ARITHMETIC_COMMAND:
	case BL_SHELL_CONDITION_COMMAND:
	case BL_SHELL_COMMAND_COUNT:
		break;
	}
}

static void put_pipeline(struct cli *cli,
			 const struct bl_shell_pipeline *pipeline, size_t depth)
{
	const struct bl_shell_command *command = pipeline->commands;
	const char *join = pipeline->join == BL_SHELL_AND  ? "&& "
			   : pipeline->join == BL_SHELL_OR ? "|| "
							   : "";

	for (; command; command = command->next) {
		indent(cli, depth);
		bl_buf_puts(&cli->out, join);
		if (pipeline->is_negated && command == pipeline->commands)
			bl_buf_puts(&cli->out, "! ");
		if (command->kind != BL_SHELL_SIMPLE_COMMAND)
			bl_buf_printf(&cli->out, "%s: ",
				      bl_shell_command_name(command->kind));
		put_span(cli, cli->operands[0], command->span, depth);
		put_inside(cli, command, depth + 1);
		join = "| ";
	}
}

static void put_list(struct cli *cli, const struct bl_shell_list *list,
		     size_t depth)
{
	const struct bl_shell_chain *chain = list ? list->chains : NULL;

	for (; chain && depth < TREE_DEPTH; chain = chain->next) {
		const struct bl_shell_pipeline *pipeline = chain->pipelines;

		for (; pipeline; pipeline = pipeline->next)
			put_pipeline(cli, pipeline, depth);
	}
}

/* ---- facts ------------------------------------------------------------------- */

/* The part of the line that a fact comes from, underlined. */
static void put_place(struct cli *cli, struct bl_shell_span span)
{
	struct bl_str line = cli->operands[0];
	size_t from = span.start;
	size_t to = bl_str_find(line, BL_STR("\n"), span.start);
	size_t end = span.end;

	while (from && line.ptr[from - 1] != '\n')
		from--;
	if (to == SIZE_MAX)
		to = line.len;
	if (end > to)
		end = to;
	indent(cli, 2);
	cli_put_text(&cli->out, 2 * INDENT, bl_str_slice(line, from, to));
	bl_buf_puts(&cli->out, "\n");
	indent(cli, 2);
	for (size_t i = from; i < end; i++) {
		/* One mark a character, not a byte. */
		if (((unsigned char)line.ptr[i] & 0xC0) == 0x80)
			continue;
		if (i < span.start)
			bl_buf_put_char(&cli->out,
					line.ptr[i] == '\t' ? '\t' : ' ');
		else
			cli_put_styled(cli, CLI_YELLOW, "^");
	}
	bl_buf_puts(&cli->out, "\n");
}

static void put_known(struct cli *cli, const struct bl_fact_text *text)
{
	cli_put_text(&cli->out, 2 * INDENT, text->text);
	if (text->state != BL_FACT_KNOWN)
		bl_buf_printf(&cli->out, " (%s)",
			      bl_fact_state_name(text->state));
}

static void put_command(struct cli *cli, const struct bl_fact_command *command,
			size_t number)
{
	bl_buf_printf(&cli->out, "  %zu ", number);
	for (size_t i = 0; i < command->wrapper_count; i++) {
		cli_put_text(&cli->out, 2 * INDENT, command->wrappers[i]);
		bl_buf_puts(&cli->out, " > ");
	}
	for (size_t i = 0; i < command->argc; i++) {
		bl_buf_puts(&cli->out, i ? " " : "");
		put_known(cli, &command->argv[i]);
	}
	if (command->runs != BL_FACT_ALWAYS)
		bl_buf_printf(&cli->out, ", %s",
			      bl_fact_runs_name(command->runs));
	if (command->where != BL_FACT_HERE)
		bl_buf_printf(&cli->out, ", %s",
			      bl_fact_where_name(command->where));
	if (command->is_dry)
		bl_buf_puts(&cli->out, ", without effect");
	bl_buf_puts(&cli->out, "\n");
}

static void put_names(struct cli *cli, uint32_t bits, uint32_t count,
		      const char *before, bool as_origins)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!(bits >> i & 1))
			continue;
		bl_buf_printf(&cli->out, "%s%s", before,
			      as_origins
				      ? bl_fact_origin_name(
						(enum bl_fact_origin_index)i)
				      : bl_fact_detail_name(
						(enum bl_fact_detail_index)i));
		before = ", ";
	}
}

static void put_effect(struct cli *cli, const struct bl_fact_effect *effect)
{
	bl_buf_puts(&cli->out, "  ");
	cli_put_styled(cli, CLI_BOLD, bl_fact_kind_name(effect->kind));
	if (effect->action.len) {
		bl_buf_puts(&cli->out, " ");
		cli_put_text(&cli->out, 2 * INDENT, effect->action);
	}
	if (effect->has_target) {
		bl_buf_puts(&cli->out, " ");
		put_known(cli, &effect->target);
	}
	if (effect->is_path)
		bl_buf_printf(&cli->out, ", %s",
			      bl_fact_place_name(effect->place));
	if (effect->secret.len)
		bl_buf_printf(&cli->out, ", secret (%.*s)",
			      BL_STR_ARG(effect->secret));
	if (effect->guard.len)
		bl_buf_printf(&cli->out, ", guarded (%.*s)",
			      BL_STR_ARG(effect->guard));
	put_names(cli, effect->details, BL_FACT_DETAIL_COUNT, ", ", false);
	put_names(cli, effect->origins, BL_FACT_ORIGIN_COUNT, ", from ", true);
	if (effect->at_worst.len) {
		bl_buf_puts(&cli->out, ", at worst ");
		cli_put_text(&cli->out, 2 * INDENT, effect->at_worst);
	}
	if (!effect->is_certain)
		bl_buf_puts(&cli->out, ", possible");
	bl_buf_puts(&cli->out, "\n");
	put_place(cli, effect->span);
}

static void put_opaque(struct cli *cli, const struct bl_fact_opaque *opaque)
{
	bl_buf_puts(&cli->out, "  ");
	cli_put_styled(cli, CLI_RED, bl_fact_reason_name(opaque->reason));
	bl_buf_puts(&cli->out, " ");
	cli_put_text(&cli->out, 2 * INDENT, opaque->what);
	bl_buf_printf(&cli->out, ": %s\n", bl_fact_reason_text(opaque->reason));
	put_place(cli, opaque->span);
}

static void put_people(struct cli *cli, const struct bl_facts *facts)
{
	put_title(cli, "tree");
	put_list(cli, facts->script->list, 1);
	put_title(cli, "commands");
	for (size_t i = 0; i < facts->command_count; i++)
		put_command(cli, &facts->commands[i], i);
	put_title(cli, "effects");
	for (size_t i = 0; i < facts->effect_count; i++)
		put_effect(cli, &facts->effects[i]);
	put_title(cli, "opaque");
	for (size_t i = 0; i < facts->opaque_count; i++)
		put_opaque(cli, &facts->opaque[i]);
}

/* ---- the whole --------------------------------------------------------------- */

static enum bl_status describe(struct cli *cli, struct bl_effects_input *input,
			       struct bl_error *err)
{
	enum bl_status status = BL_OK;
	struct bl_str current;

	input->line = cli_operand(cli, 0);
	input->world = bl_policy_world();
	input->home = cli_value(cli, OPT_HOME);
	if (!input->home.len)
		status = bl_os_home(&cli->arena, &input->home, err);
	if (!status)
		status = bl_path_current(&cli->arena, &current, err);
	if (status)
		return status;
	input->cwd = current;
	if (cli_has(cli, OPT_CWD))
		status = bl_path_resolve(&cli->arena, cli_value(cli, OPT_CWD),
					 &input->cwd, err);
	input->workspaces = &input->cwd;
	input->workspace_count = 1;
	return status;
}

static int run_explain(struct cli *cli)
{
	struct bl_effects_input input = { 0 };
	struct bl_error err = { 0 };
	struct bl_facts facts;
	enum bl_status status = describe(cli, &input, &err);

	if (!status)
		status = bl_effects_find(&cli->arena, &input, &facts, &err);
	if (status)
		return cli_fail(cli, &err);
	if (cli_has(cli, OPT_JSON)) {
		bl_json_write(&cli->out, bl_effects_encode(&cli->arena, &facts),
			      BL_JSON_PRETTY);
		bl_buf_puts(&cli->out, "\n");
	} else {
		put_people(cli, &facts);
	}
	return 0;
}

const struct cli_code cli_code_shell_explain = {
	.options = options,
	.option_count = BL_COUNT(options),
	.least_operands = 1,
	.most_operands = 1,
	.details = "Says how the line is read, which commands would run, what "
		   "they would do, and what cannot be known.  Nothing is run.",
	.run = run_explain,
};
