/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/print.c: lists, pipelines and functions as bash prints them
 * (declare -f): docs/internals/shell.md says how bash does it.  It stands alone
 * because where newlines, blanks and ; go between commands is one set of rules,
 * which the forms of commands (print_compound.c) only use.
 *
 * bash prints a tree of operators with a left spine; here the spine is a loop.
 * Three pieces of its state show in the result and so are kept: how many
 * indents are left out (skips), whether the bodies of here-documents wait for
 * an operator (connections, owed), and whether one was just printed (had_body).
 */
#include "shell/print.h"

enum { INDENT = 4 };

static void put_indent(struct bl_sh_printer *p)
{
	for (uint32_t i = 0; i < p->indent; i++)
		bl_buf_put_char(p->out, ' ');
}

void bl_sh_print_enter(struct bl_sh_printer *p)
{
	if (p->skips)
		p->skips--;
	else
		put_indent(p);
}

static void print_simple(struct bl_sh_printer *p,
			 const struct bl_shell_command *command)
{
	bl_sh_print_words(p->out, command->simple.assignments, " ");
	if (command->simple.assignments && command->simple.words)
		bl_buf_put_char(p->out, ' ');
	bl_sh_print_words(p->out, command->simple.words, " ");
}

void bl_sh_print_command(struct bl_sh_printer *p,
			 const struct bl_shell_command *command)
{
	bool errors = command->pipes_errors;

	if (command->kind == BL_SHELL_SIMPLE_COMMAND)
		print_simple(p, command);
	else
		bl_sh_print_compound(p, command);
	if (!command->redirections && !errors)
		return;
	if (command->kind != BL_SHELL_SIMPLE_COMMAND || command->simple.words ||
	    command->simple.assignments)
		bl_buf_put_char(p->out, ' ');
	bl_sh_print_redirections(p, command->redirections, errors);
}

static void print_pipeline(struct bl_sh_printer *p,
			   const struct bl_shell_pipeline *pipeline)
{
	const struct bl_shell_command *command = pipeline->commands;

	bl_sh_print_enter(p);
	if (pipeline->timing)
		bl_buf_puts(p->out, "time ");
	if (pipeline->timing == BL_SHELL_TIMED_POSIX)
		bl_buf_puts(p->out, "-p ");
	if (pipeline->is_negated)
		bl_buf_puts(p->out, "! ");
	if (!command)
		return;
	if (!command->next) {
		bl_sh_print_command(p, command);
		return;
	}
	p->connections++;
	bl_sh_print_command(p, command);
	for (command = command->next; command; command = command->next) {
		bl_sh_print_owed(p, " |");
		bl_buf_put_char(p->out, ' ');
		bl_sh_print_command(p, command);
	}
	bl_sh_print_owed(p, "");
	p->connections--;
}

static void print_chain(struct bl_sh_printer *p,
			const struct bl_shell_chain *chain)
{
	const struct bl_shell_pipeline *pipeline = chain->pipelines;

	if (!pipeline->next) {
		print_pipeline(p, pipeline);
		return;
	}
	p->connections++;
	print_pipeline(p, pipeline);
	for (pipeline = pipeline->next; pipeline; pipeline = pipeline->next) {
		bl_sh_print_owed(p, pipeline->join == BL_SHELL_AND ? " && "
								   : " || ");
		p->skips++;
		print_pipeline(p, pipeline);
		bl_sh_print_owed(p, "");
	}
	p->connections--;
}

/* The separator between chain and the next one. */
static void print_separator(struct bl_sh_printer *p,
			    const struct bl_shell_chain *chain)
{
	bool line = p->in_substitution && chain->is_line;
	bool body = p->owed || p->had_body;

	if (chain->is_background) {
		bl_sh_print_owed(p, " &");
		if (chain->next) {
			bl_buf_put_char(p->out, ' ');
			p->skips++;
		}
		return;
	}
	if (p->owed)
		bl_sh_print_owed(p, "");
	else
		p->had_body = false;
	if (p->functions) {
		if (!body)
			bl_buf_put_char(p->out, line ? '\n' : ';');
		bl_buf_put_char(p->out, '\n');
		return;
	}
	if (!body && !line)
		bl_buf_put_char(p->out, ';');
	bl_buf_put_char(p->out, line ? '\n' : ' ');
	if (!line || !body)
		p->skips++;
}

/* Of a; b & the & binds b alone, so that its body waits for the &. */
static bool groups_right(const struct bl_sh_printer *p,
			 const struct bl_shell_chain *chain)
{
	return chain->next->is_background && !chain->is_background &&
	       !(p->in_substitution && chain->is_line);
}

void bl_sh_print_list(struct bl_sh_printer *p, const struct bl_shell_list *list)
{
	const struct bl_shell_chain *chain = list->chains;
	bool connects = chain->next || chain->is_background;

	p->connections += connects;
	print_chain(p, chain);
	for (; chain->next || chain->is_background; chain = chain->next) {
		print_separator(p, chain);
		if (!chain->next)
			break;
		print_chain(p, chain->next);
		if (!groups_right(p, chain))
			bl_sh_print_owed(p, "");
	}
	p->connections -= connects;
	if (!p->connections && p->owed)
		bl_sh_print_owed(p, "");
}

void bl_sh_print_body(struct bl_sh_printer *p,
		      const struct bl_shell_command *body)
{
	bool group = body->kind == BL_SHELL_GROUP_COMMAND;

	put_indent(p);
	bl_buf_puts(p->out, "{ \n");
	p->functions++;
	p->indent += INDENT;
	if (group) {
		bl_sh_print_list(p, body->list);
	} else {
		bl_sh_print_enter(p);
		bl_sh_print_command(p, body);
	}
	bl_sh_print_owed(p, "");
	p->indent -= INDENT;
	p->functions--;
	bl_buf_put_char(p->out, '\n');
	put_indent(p);
	bl_buf_put_char(p->out, '}');
	p->had_body = false;
	if (group && body->redirections) {
		bl_buf_put_char(p->out, ' ');
		bl_sh_print_redirections(p, body->redirections, false);
	}
}

void bl_shell_print_function(struct bl_buf *out, struct bl_str name,
			     const struct bl_shell_list *list)
{
	struct bl_sh_printer p = { .out = out };
	struct bl_shell_command body = { .kind = BL_SHELL_GROUP_COMMAND };
	struct bl_shell_list copy = *list;

	body.list = &copy;
	bl_buf_put_str(out, name);
	bl_buf_puts(out, " () \n");
	bl_sh_print_body(&p, &body);
	bl_buf_put_char(out, '\n');
}

void bl_shell_print_list(struct bl_buf *out, const struct bl_shell_list *list)
{
	struct bl_sh_printer p = { .out = out, .in_substitution = true };

	bl_sh_print_list(&p, list);
}

void bl_shell_print_word(struct bl_buf *out, const struct bl_shell_word *word)
{
	bl_sh_print_word(out, word);
}
