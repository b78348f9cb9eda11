/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that the tests of the shell module share: a parse, and a walk over the tree. */
#ifndef BELAY_TESTS_SHELL_TEST_H
#define BELAY_TESTS_SHELL_TEST_H

#include "shell/shell.h"
#include "tap.h"

/* The names of all simple commands, in substitutions and bodies too. */
static void names_of_list(struct bl_buf *out, const struct bl_shell_list *list);

static void names_of_script(struct bl_buf *out,
			    const struct bl_shell_script *script)
{
	if (script->fault.kind)
		bl_buf_puts(out, "!fault ");
	if (script->list)
		names_of_list(out, script->list);
}

static void names_of_words(struct bl_buf *out,
			   const struct bl_shell_word *word);

static void names_of_parts(struct bl_buf *out, const struct bl_shell_part *part)
{
	for (; part; part = part->next) {
		switch ((int)part->kind) {
		case BL_SHELL_DOUBLE:
		case BL_SHELL_LOCALE:
		case BL_SHELL_ARITHMETIC:
			names_of_parts(out, part->parts);
			break;
		case BL_SHELL_COMMAND:
		case BL_SHELL_BACKQUOTE:
		case BL_SHELL_PROCESS_IN:
		case BL_SHELL_PROCESS_OUT:
			names_of_script(out, part->script);
			break;
		case BL_SHELL_ARRAY:
			names_of_words(out, part->elements);
			break;
		case BL_SHELL_PARAMETER:
			names_of_words(out, part->parameter->subscript);
			names_of_words(out, part->parameter->operand);
			names_of_words(out, part->parameter->second);
			break;
		case BL_SHELL_BAD:
			bl_buf_puts(out, "!bad ");
			break;
		default:
			break;
		}
	}
}

static void names_of_words(struct bl_buf *out, const struct bl_shell_word *word)
{
	for (; word; word = word->next)
		names_of_parts(out, word->parts);
}

static void names_of_test(struct bl_buf *out, const struct bl_shell_test *test)
{
	if (!test)
		return;
	names_of_words(out, test->left);
	names_of_words(out, test->right);
	names_of_test(out, test->first);
	names_of_test(out, test->second);
}

static void names_of_simple(struct bl_buf *out,
			    const struct bl_shell_command *command)
{
	const struct bl_shell_word *name = command->simple.words;
	struct bl_arena arena;
	struct bl_str text;

	bl_arena_init(&arena, NULL, 0, 0);
	names_of_words(out, command->simple.assignments);
	if (name && bl_shell_word_text(&arena, name, &text))
		bl_buf_printf(out, "%.*s ", BL_STR_ARG(text));
	else if (name)
		bl_buf_printf(out, "?%.*s ", BL_STR_ARG(name->text));
	names_of_words(out, command->simple.words);
	bl_arena_clear(&arena);
}

static void names_of_each(struct bl_buf *out,
			  const struct bl_shell_command *command)
{
	names_of_words(out, command->each.words);
	names_of_list(out, command->each.body);
}

static void names_of_case(struct bl_buf *out,
			  const struct bl_shell_command *command)
{
	names_of_words(out, command->cases.subject);
	for (const struct bl_shell_clause *clause = command->cases.clauses;
	     clause; clause = clause->next) {
		names_of_words(out, clause->patterns);
		if (clause->body)
			names_of_list(out, clause->body);
	}
}

static void names_of_if(struct bl_buf *out,
			const struct bl_shell_command *command)
{
	for (const struct bl_shell_branch *branch = command->choice.branches;
	     branch; branch = branch->next) {
		names_of_list(out, branch->condition);
		names_of_list(out, branch->body);
	}
	if (command->choice.otherwise)
		names_of_list(out, command->choice.otherwise);
}

static void names_of_command(struct bl_buf *out,
			     const struct bl_shell_command *command)
{
	switch (command->kind) {
	case BL_SHELL_SIMPLE_COMMAND:
		names_of_simple(out, command);
		break;
	case BL_SHELL_GROUP_COMMAND:
	case BL_SHELL_SUBSHELL_COMMAND:
		names_of_list(out, command->list);
		break;
	case BL_SHELL_IF_COMMAND:
		names_of_if(out, command);
		break;
	case BL_SHELL_WHILE_COMMAND:
	case BL_SHELL_UNTIL_COMMAND:
		names_of_list(out, command->loop.condition);
		names_of_list(out, command->loop.body);
		break;
	case BL_SHELL_FOR_COMMAND:
	case BL_SHELL_SELECT_COMMAND:
		names_of_each(out, command);
		break;
	case BL_SHELL_ARITHMETIC_FOR_COMMAND:
		names_of_words(out, command->count.start);
		names_of_words(out, command->count.test);
		names_of_words(out, command->count.step);
		names_of_list(out, command->count.body);
		break;
	case BL_SHELL_CASE_COMMAND:
		names_of_case(out, command);
		break;
	case BL_SHELL_ARITHMETIC_COMMAND:
		names_of_words(out, command->expression);
		break;
	case BL_SHELL_CONDITION_COMMAND:
		names_of_test(out, command->test);
		break;
	case BL_SHELL_FUNCTION_COMMAND:
		names_of_command(out, command->function.body);
		break;
	case BL_SHELL_COPROCESS_COMMAND:
		names_of_command(out, command->coprocess.body);
		break;
	case BL_SHELL_COMMAND_COUNT:
		break;
	}
	for (const struct bl_shell_redirection *r = command->redirections; r;
	     r = r->next) {
		names_of_words(out, r->target);
		if (r->here)
			names_of_words(out, r->here->body);
	}
}

static void names_of_list(struct bl_buf *out, const struct bl_shell_list *list)
{
	for (const struct bl_shell_chain *chain = list->chains; chain;
	     chain = chain->next)
		for (const struct bl_shell_pipeline *pipeline =
			     chain->pipelines;
		     pipeline; pipeline = pipeline->next)
			for (const struct bl_shell_command *command =
				     pipeline->commands;
			     command; command = command->next)
				names_of_command(out, command);
}

#endif
