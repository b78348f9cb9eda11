/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/print_word.c: words and redirections as bash prints them.  It stands
 * alone because it needs no indentation: a word's text is as written but for
 * the substitutions in it, which are printed from their trees.
 */
#include "shell/print.h"

/* bash prints a blank before ( so that $( ( does not become $((. */
static void print_script(struct bl_buf *out,
			 const struct bl_shell_script *script)
{
	struct bl_sh_printer p = { .out = out, .in_substitution = true };
	size_t at = out->len;

	if (!script->list)
		return;
	bl_sh_print_list(&p, script->list);
	if (out->len > at && out->ptr[at] == '(') {
		bl_buf_put_char(out, ' ');
		if (bl_buf_status(out))
			return;
		memmove(out->ptr + at + 1, out->ptr + at, out->len - 1 - at);
		out->ptr[at] = ' ';
	}
}

void bl_sh_print_word(struct bl_buf *out, const struct bl_shell_word *word)
{
	size_t done = 0;

	for (uint32_t i = 0; i < word->substitution_count; i++) {
		const struct bl_shell_substitution *sub =
			&word->substitutions[i];
		size_t opening = sub->elements ? 1 : 2;

		if (sub->is_verbatim || (!sub->script && !sub->elements))
			continue;
		bl_buf_put(out, word->text.ptr + done,
			   sub->at + opening - done);
		if (sub->elements)
			bl_sh_print_words(out, sub->elements, " ");
		else
			print_script(out, sub->script);
		done = sub->end - 1;
	}
	bl_buf_put(out, word->text.ptr + done, word->text.len - done);
}

void bl_sh_print_words(struct bl_buf *out, const struct bl_shell_word *words,
		       const char *separator)
{
	for (; words; words = words->next) {
		bl_sh_print_word(out, words);
		if (words->next)
			bl_buf_puts(out, separator);
	}
}

static bool is_here(const struct bl_shell_redirection *redirection)
{
	return redirection->here != NULL;
}

/* Which descriptor bash does not print. */
static int32_t silent_descriptor(const struct bl_shell_redirection *r)
{
	switch (r->kind) {
	case BL_SHELL_READ_WRITE:
		return 1;
	case BL_SHELL_READ:
	case BL_SHELL_COPY_IN:
	case BL_SHELL_HERE:
	case BL_SHELL_HERE_TABS:
	case BL_SHELL_HERE_STRING:
		return 0;
	case BL_SHELL_WRITE:
	case BL_SHELL_APPEND:
	case BL_SHELL_CLOBBER:
	case BL_SHELL_COPY_OUT:
	case BL_SHELL_WRITE_BOTH:
	case BL_SHELL_APPEND_BOTH:
	case BL_SHELL_REDIRECTION_COUNT:
		break;
	}
	return 1;
}

/* {name}, or the number unless it is the silent one. */
static void print_descriptor(struct bl_buf *out,
			     const struct bl_shell_redirection *r, bool always)
{
	if (r->variable.len)
		bl_buf_printf(out, "{%.*s}", BL_STR_ARG(r->variable));
	else if (always || r->descriptor != silent_descriptor(r))
		bl_buf_printf(out, "%d", r->descriptor);
}

static void print_quoted(struct bl_buf *out, struct bl_str text)
{
	bl_buf_put_char(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			bl_buf_puts(out, "'\\''");
		else
			bl_buf_put_char(out, text.ptr[i]);
	}
	bl_buf_put_char(out, '\'');
}

static void print_here(struct bl_buf *out, const struct bl_shell_redirection *r)
{
	print_descriptor(out, r, false);
	bl_buf_puts(out, bl_shell_redirection_text(r->kind));
	if (r->here->is_quoted)
		print_quoted(out, r->here->delimiter);
	else
		bl_buf_put_str(out, r->here->delimiter);
}

static void print_copy(struct bl_buf *out, const struct bl_shell_redirection *r)
{
	struct bl_str text = r->target->text;
	bool moves = text.len > 1 && text.ptr[text.len - 1] == '-';
	const char *op = bl_shell_redirection_text(r->kind);

	switch (r->copy) {
	case BL_SHELL_COPY_CLOSE:
		print_descriptor(out, r, true);
		bl_buf_puts(out, ">&-");
		break;
	case BL_SHELL_COPY_FD:
		print_descriptor(out, r, true);
		bl_buf_printf(out, "%s%d", op, r->source);
		break;
	case BL_SHELL_COPY_MOVE:
		print_descriptor(out, r, true);
		bl_buf_printf(out, "%s%d-", op, r->source);
		break;
	case BL_SHELL_COPY_WORD:
		print_descriptor(out, r, moves);
		bl_buf_puts(out, op);
		bl_sh_print_word(out, r->target);
		break;
	}
}

static void print_redirection(struct bl_buf *out,
			      const struct bl_shell_redirection *r)
{
	if (is_here(r)) {
		print_here(out, r);
	} else if (r->kind == BL_SHELL_COPY_IN ||
		   r->kind == BL_SHELL_COPY_OUT) {
		print_copy(out, r);
	} else {
		print_descriptor(out, r, false);
		bl_buf_printf(out, "%s ", bl_shell_redirection_text(r->kind));
		bl_sh_print_word(out, r->target);
	}
}

static void print_bodies(struct bl_sh_printer *p,
			 const struct bl_shell_redirection *list)
{
	bl_buf_put_char(p->out, '\n');
	for (; list; list = list->next) {
		if (!is_here(list))
			continue;
		bl_buf_put_str(p->out, list->here->text);
		bl_buf_put_str(p->out, list->here->delimiter);
		bl_buf_put_char(p->out, '\n');
	}
	p->had_body = true;
}

void bl_sh_print_owed(struct bl_sh_printer *p, const char *op)
{
	bl_buf_puts(p->out, op);
	if (p->owed) {
		print_bodies(p, p->owed);
		if (*op)
			bl_buf_put_char(p->out, ' ');
	}
	p->owed = NULL;
}

void bl_sh_print_redirections(struct bl_sh_printer *p,
			      const struct bl_shell_redirection *list,
			      bool errors)
{
	bool has_here = false;

	p->had_body = false;
	for (const struct bl_shell_redirection *r = list; r; r = r->next) {
		print_redirection(p->out, r);
		has_here |= is_here(r);
		if (r->next || errors)
			bl_buf_put_char(p->out, ' ');
	}
	if (errors)
		bl_buf_puts(p->out, "2>&1");
	if (!has_here)
		return;
	if (p->connections)
		p->owed = list;
	else
		print_bodies(p, list);
}
