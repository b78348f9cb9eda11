/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/print_compound.c: one small function for each form of command, as bash
 * prints it.  They stand alone as the grammar's other half (compound.c) does.
 */
#include "shell/print.h"

enum { INDENT = 4 };

static void put_line(struct bl_sh_printer *p, const char *text)
{
	bl_buf_put_char(p->out, '\n');
	for (uint32_t i = 0; i < p->indent; i++)
		bl_buf_put_char(p->out, ' ');
	bl_buf_puts(p->out, text);
}

/* ; unless & or a newline was printed last. */
static void put_semicolon(struct bl_sh_printer *p)
{
	const struct bl_buf *out = p->out;

	if (out->len &&
	    (out->ptr[out->len - 1] == '&' || out->ptr[out->len - 1] == '\n'))
		return;
	bl_buf_put_char(p->out, ';');
}

/* A list one level deeper, and what ends it. */
static void print_inner(struct bl_sh_printer *p,
			const struct bl_shell_list *list)
{
	p->indent += INDENT;
	bl_sh_print_list(p, list);
	bl_sh_print_owed(p, "");
	p->indent -= INDENT;
}

/* Behind while, if: on the same line. */
static void print_condition_list(struct bl_sh_printer *p, const char *word,
				 const struct bl_shell_list *list)
{
	bl_buf_puts(p->out, word);
	p->skips++;
	bl_sh_print_list(p, list);
}

static void print_do(struct bl_sh_printer *p, const struct bl_shell_list *body)
{
	put_line(p, "do\n");
	print_inner(p, body);
	put_semicolon(p);
	put_line(p, "done");
}

static void print_loop(struct bl_sh_printer *p,
		       const struct bl_shell_command *command)
{
	print_condition_list(p,
			     command->kind == BL_SHELL_WHILE_COMMAND ? "while "
								     : "until ",
			     command->loop.condition);
	bl_sh_print_owed(p, "");
	put_semicolon(p);
	bl_buf_puts(p->out, " do\n");
	print_inner(p, command->loop.body);
	put_semicolon(p);
	put_line(p, "done");
}

static void print_each(struct bl_sh_printer *p,
		       const struct bl_shell_command *command)
{
	bl_buf_puts(p->out,
		    command->kind == BL_SHELL_FOR_COMMAND ? "for " : "select ");
	bl_sh_print_word(p->out, command->each.name);
	bl_buf_puts(p->out, " in ");
	if (command->each.has_words)
		bl_sh_print_words(p->out, command->each.words, " ");
	else
		bl_buf_puts(p->out, "\"$@\"");
	bl_buf_put_char(p->out, ';');
	print_do(p, command->each.body);
}

static void print_expression(struct bl_sh_printer *p,
			     const struct bl_shell_word *word)
{
	if (word)
		bl_sh_print_word(p->out, word);
	else
		bl_buf_put_char(p->out, '1');
}

static void print_count(struct bl_sh_printer *p,
			const struct bl_shell_command *command)
{
	bl_buf_puts(p->out, "for ((");
	print_expression(p, command->count.start);
	bl_buf_puts(p->out, "; ");
	print_expression(p, command->count.test);
	bl_buf_puts(p->out, "; ");
	print_expression(p, command->count.step);
	bl_buf_puts(p->out, "))");
	print_do(p, command->count.body);
}

/* elif is printed as else with an if inside, one level deeper. */
static void print_branches(struct bl_sh_printer *p,
			   const struct bl_shell_branch *branch,
			   const struct bl_shell_list *otherwise)
{
	print_condition_list(p, "if ", branch->condition);
	/* No print_owed: bash forgets it here. */
	put_semicolon(p);
	bl_buf_puts(p->out, " then\n");
	print_inner(p, branch->body);
	if (branch->next || otherwise) {
		put_semicolon(p);
		put_line(p, "else\n");
	}
	if (branch->next) {
		p->indent += INDENT;
		bl_sh_print_enter(p);
		print_branches(p, branch->next, otherwise);
		p->indent -= INDENT;
	} else if (otherwise) {
		print_inner(p, otherwise);
	}
	put_semicolon(p);
	put_line(p, "fi");
}

static void print_clause(struct bl_sh_printer *p,
			 const struct bl_shell_clause *clause)
{
	put_line(p, "");
	bl_sh_print_words(p->out, clause->patterns, " | ");
	bl_buf_puts(p->out, ")\n");
	p->indent += INDENT;
	if (clause->body)
		bl_sh_print_list(p, clause->body);
	p->indent -= INDENT;
	bl_sh_print_owed(p, "");
	put_line(p, clause->end == BL_SHELL_CLAUSE_BREAK  ? ";;"
		    : clause->end == BL_SHELL_CLAUSE_FALL ? ";&"
							  : ";;&");
}

static void print_case(struct bl_sh_printer *p,
		       const struct bl_shell_command *command)
{
	bl_buf_puts(p->out, "case ");
	bl_sh_print_word(p->out, command->cases.subject);
	bl_buf_puts(p->out, " in ");
	p->indent += INDENT;
	for (const struct bl_shell_clause *clause = command->cases.clauses;
	     clause; clause = clause->next)
		print_clause(p, clause);
	p->indent -= INDENT;
	put_line(p, "esac");
}

static void print_group(struct bl_sh_printer *p,
			const struct bl_shell_command *command)
{
	bl_buf_puts(p->out, "{ ");
	if (!p->functions) {
		p->skips++;
		bl_sh_print_list(p, command->list);
		bl_sh_print_owed(p, "");
		put_semicolon(p);
		bl_buf_puts(p->out, " }");
		return;
	}
	bl_buf_put_char(p->out, '\n');
	print_inner(p, command->list);
	put_line(p, "}");
}

static void print_subshell(struct bl_sh_printer *p,
			   const struct bl_shell_command *command)
{
	bl_buf_puts(p->out, "( ");
	p->skips++;
	bl_sh_print_list(p, command->list);
	bl_sh_print_owed(p, "");
	bl_buf_puts(p->out, " )");
}

static void print_test(struct bl_buf *out, const struct bl_shell_test *test,
		       bool inverts)
{
	while (test->kind == BL_SHELL_TEST_NOT) {
		inverts = !inverts;
		test = test->first;
	}
	if (inverts)
		bl_buf_puts(out, "! ");
	switch (test->kind) {
	case BL_SHELL_TEST_WORD:
		bl_buf_puts(out, "-n ");
		bl_sh_print_word(out, test->left);
		break;
	case BL_SHELL_TEST_UNARY:
		bl_buf_put_str(out, test->op);
		bl_buf_put_char(out, ' ');
		bl_sh_print_word(out, test->left);
		break;
	case BL_SHELL_TEST_BINARY:
		bl_sh_print_word(out, test->left);
		bl_buf_printf(out, " %.*s ", BL_STR_ARG(test->op));
		bl_sh_print_word(out, test->right);
		break;
	case BL_SHELL_TEST_GROUP:
		bl_buf_puts(out, "( ");
		print_test(out, test->first, false);
		bl_buf_puts(out, " )");
		break;
	case BL_SHELL_TEST_NOT:
	case BL_SHELL_TEST_AND:
	case BL_SHELL_TEST_OR:
		print_test(out, test->first, false);
		bl_buf_puts(out,
			    test->kind == BL_SHELL_TEST_AND ? " && " : " || ");
		print_test(out, test->second, false);
		break;
	}
}

static void print_function(struct bl_sh_printer *p,
			   const struct bl_shell_command *command)
{
	bl_buf_puts(p->out, "function ");
	bl_sh_print_word(p->out, command->function.name);
	bl_buf_puts(p->out, " () \n");
	bl_sh_print_body(p, command->function.body);
}

static void print_coprocess(struct bl_sh_printer *p,
			    const struct bl_shell_command *command)
{
	bl_buf_puts(p->out, "coproc ");
	if (command->coprocess.name.len)
		bl_buf_put_str(p->out, command->coprocess.name);
	else
		bl_buf_puts(p->out, "COPROC");
	bl_buf_put_char(p->out, ' ');
	bl_sh_print_command(p, command->coprocess.body);
}

static void print_arithmetic(struct bl_sh_printer *p,
			     const struct bl_shell_command *command)
{
	bl_buf_puts(p->out, "((");
	bl_sh_print_word(p->out, command->expression);
	bl_buf_puts(p->out, "))");
}

static void print_condition(struct bl_sh_printer *p,
			    const struct bl_shell_command *command)
{
	bl_buf_puts(p->out, "[[ ");
	print_test(p->out, command->test, false);
	bl_buf_puts(p->out, " ]]");
}

void bl_sh_print_compound(struct bl_sh_printer *p,
			  const struct bl_shell_command *command)
{
	switch (command->kind) {
	case BL_SHELL_GROUP_COMMAND:
		print_group(p, command);
		break;
	case BL_SHELL_SUBSHELL_COMMAND:
		print_subshell(p, command);
		break;
	case BL_SHELL_IF_COMMAND:
		print_branches(p, command->choice.branches,
			       command->choice.otherwise);
		break;
	case BL_SHELL_WHILE_COMMAND:
	case BL_SHELL_UNTIL_COMMAND:
		print_loop(p, command);
		break;
	case BL_SHELL_FOR_COMMAND:
	case BL_SHELL_SELECT_COMMAND:
		print_each(p, command);
		break;
	case BL_SHELL_ARITHMETIC_FOR_COMMAND:
		print_count(p, command);
		break;
	case BL_SHELL_CASE_COMMAND:
		print_case(p, command);
		break;
	case BL_SHELL_ARITHMETIC_COMMAND:
		print_arithmetic(p, command);
		break;
	case BL_SHELL_CONDITION_COMMAND:
		print_condition(p, command);
		break;
	case BL_SHELL_FUNCTION_COMMAND:
		print_function(p, command);
		break;
	case BL_SHELL_COPROCESS_COMMAND:
		print_coprocess(p, command);
		break;
	case BL_SHELL_SIMPLE_COMMAND:
	case BL_SHELL_COMMAND_COUNT:
		break;
	}
}
