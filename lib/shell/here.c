/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/here.c: bodies of here-documents.  It stands alone because a body is
 * read by lines, outside the grammar, and because bash takes it from the lines
 * that it has not read yet, which are not always those behind the newline.
 *
 * Worked example: in `a $(b <<E) c` newline `body` newline `E` newline `d` the
 * substitution ends before its body begins.  bash has read the first line; so
 * the body is the lines behind it, though ` c` is still to be read.  The body
 * is cut out of the input then, so that `d` follows ` c` and its newline.
 */
#include "shell/private.h"

/* Quote removal of the delimiter. */
static struct bl_str plain_delimiter(struct bl_sh_parser *p, struct bl_str text)
{
	char *out = bl_arena_alloc_aligned(p->arena, text.len + 1, 1);
	size_t len = 0;
	char quote = 0;

	if (!out)
		return (struct bl_str){ NULL, 0 };
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
			continue;
		}
		if (c == '\\' && quote != '\'' && i + 1 < text.len &&
		    (!quote || strchr("$`\"\\", text.ptr[i + 1])))
			c = text.ptr[++i];
		out[len++] = c;
	}
	return (struct bl_str){ out, len };
}

/* The delimiter's text, substitutions printed as bash prints them. */
static struct bl_str printed_delimiter(struct bl_sh_parser *p,
				       const struct bl_shell_word *word)
{
	struct bl_buf buf;
	struct bl_str text;

	if (!word->substitution_count)
		return word->text;
	bl_buf_init(&buf, 0);
	bl_shell_print_word(&buf, word);
	text = bl_arena_copy_str(p->arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return text;
}

bool bl_sh_here_expect(struct bl_sh_parser *p,
		       struct bl_shell_redirection *redirection, bool is_quoted)
{
	struct bl_sh_pending *pending = bl_sh_new(p, struct bl_sh_pending);
	struct bl_shell_here *here = bl_sh_new(p, struct bl_shell_here);
	struct bl_str text;

	if (!pending || !here)
		return false;
	if (++p->in.pending_count > BL_SHELL_HERE_MAX) {
		bl_sh_fault(p, BL_SHELL_UNEXPECTED, p->in.taken_end,
			    p->in.taken_end,
			    "more than %d here-documents on one line",
			    BL_SHELL_HERE_MAX);
		return false;
	}
	redirection->here = here;
	here->is_quoted = is_quoted;
	text = printed_delimiter(p, redirection->target);
	here->delimiter = is_quoted ? plain_delimiter(p, text) : text;
	pending->here = here;
	pending->strips_tabs = redirection->kind == BL_SHELL_HERE_TABS;
	if (!p->in.pending)
		p->in.pending_end = &p->in.pending;
	*p->in.pending_end = pending;
	p->in.pending_end = &pending->next;
	return true;
}

/* Where the next line that bash has not read begins. */
static uint32_t unread_line(const struct bl_sh_parser *p)
{
	const struct bl_sh_text *text = &p->in.text;
	uint32_t pos = p->in.reach > p->in.pos ? p->in.reach : p->in.pos;
	const char *newline;

	if (pos && text->ptr[pos - 1] == '\n')
		return pos;
	newline = pos < text->len
			  ? memchr(text->ptr + pos, '\n', text->len - pos)
			  : NULL;
	return newline ? (uint32_t)(newline - text->ptr) + 1 : text->len;
}

/*
 * Whether the line at pos is the end line; *after is where the input goes on.
 * Inside $( ) a ) on the rest of the line will do for the newline.
 */
static bool is_end_line(const struct bl_sh_parser *p,
			const struct bl_shell_here *here, uint32_t pos,
			uint32_t *after)
{
	const struct bl_sh_text *text = &p->in.text;
	const char *newline;
	size_t rest;

	for (size_t i = 0; i < here->delimiter.len; i++, pos++) {
		while (!here->is_quoted && pos + 1 < text->len &&
		       text->ptr[pos] == '\\' && text->ptr[pos + 1] == '\n')
			pos += 2;
		if (pos >= text->len ||
		    text->ptr[pos] != here->delimiter.ptr[i] ||
		    text->ptr[pos] == '\n')
			return false;
	}
	while (!here->is_quoted && pos + 1 < text->len &&
	       text->ptr[pos] == '\\' && text->ptr[pos + 1] == '\n')
		pos += 2;
	*after = pos;
	if (pos == text->len)
		return true;
	if (text->ptr[pos] == '\n') {
		*after = pos + 1;
		return true;
	}
	newline = memchr(text->ptr + pos, '\n', text->len - pos);
	rest = newline ? (size_t)(newline - text->ptr) - pos : text->len - pos;
	return p->in.closes &&
	       memchr(text->ptr + pos, p->in.closes, rest) != NULL;
}

/*
 * Adds the line at p->in.pos to the body, its newline too; at the end of the
 * text that is one that bash adds.
 */
static void add_line(struct bl_sh_parser *p, const struct bl_shell_here *here)
{
	const struct bl_sh_text *text = &p->in.text;
	bool escaped = false;
	uint32_t last;

	while (p->in.pos < text->len && !bl_sh_failed(p)) {
		char c = text->ptr[p->in.pos];

		if (!here->is_quoted && !escaped && c == '\\' &&
		    p->in.pos + 1 < text->len &&
		    text->ptr[p->in.pos + 1] == '\n') {
			p->in.pos += 2;
			continue;
		}
		escaped = !escaped && c == '\\';
		p->in.pos++;
		bl_sh_build_add(p);
		if (c == '\n')
			return;
	}
	last = bl_sh_place(text, text->len - 1);
	bl_sh_build_put(p, BL_STR("\n"), last, last);
}

static void skip_tabs(struct bl_sh_parser *p)
{
	while (p->in.pos < p->in.text.len && p->in.text.ptr[p->in.pos] == '\t')
		p->in.pos++;
}

/* Reads the lines at pos into the build; pos is behind the end line then. */
static void read_lines(struct bl_sh_parser *p, struct bl_shell_here *here,
		       bool strips_tabs, uint32_t *body_end)
{
	uint32_t after;

	while (p->in.pos < p->in.text.len && !bl_sh_failed(p)) {
		*body_end = p->in.pos;
		if (is_end_line(p, here, p->in.pos, &after)) {
			here->is_closed = true;
			p->in.pos = after;
			return;
		}
		if (strips_tabs)
			skip_tabs(p);
		if (strips_tabs && p->in.pos < p->in.text.len &&
		    is_end_line(p, here, p->in.pos, &after)) {
			here->is_closed = true;
			p->in.pos = after;
			return;
		}
		if (p->in.pos < p->in.text.len)
			add_line(p, here);
		*body_end = p->in.pos;
	}
}

/* The body as a word. */
static bool split_body(struct bl_sh_parser *p, struct bl_shell_here *here,
		       const struct bl_sh_text *text)
{
	struct bl_sh_source source = { .text = *text };
	struct bl_shell_word *word;
	struct bl_shell_part *part;

	here->text = (struct bl_str){ text->ptr, text->len };
	if (!here->is_quoted) {
		here->body =
			bl_sh_subword(p, &source, 0, text->len, PARTS_HERE);
		return here->body != NULL;
	}
	word = bl_sh_new(p, struct bl_shell_word);
	if (!word)
		return false;
	here->body = word;
	word->span = here->span;
	word->text = here->text;
	if (!text->len)
		return true;
	part = bl_sh_new(p, struct bl_shell_part);
	if (!part)
		return false;
	part->kind = BL_SHELL_TEXT;
	part->span = here->span;
	part->text = here->text;
	word->parts = part;
	return true;
}

static bool read_body(struct bl_sh_parser *p,
		      const struct bl_sh_pending *pending)
{
	struct bl_shell_here *here = pending->here;
	const struct bl_shell_substitution *list;
	uint32_t count, start = p->in.pos, body_end = start;
	struct bl_sh_build outer = bl_sh_build_begin(p);
	struct bl_sh_text text;

	read_lines(p, here, pending->strips_tabs, &body_end);
	text = bl_sh_build_end(p, &outer, &list, &count);
	here->span = bl_sh_span(&p->in.text, start, body_end);
	return !bl_sh_failed(p) && split_body(p, here, &text);
}

/* The input without start..end: a copy, with rows. */
static bool cut_input(struct bl_sh_parser *p, uint32_t start, uint32_t end)
{
	struct bl_sh_text *text = &p->in.text;
	uint32_t count = 0, length = text->len - (end - start);
	struct bl_sh_row *rows = bl_arena_new_array(p->arena, struct bl_sh_row,
						    text->row_count + 2);
	char *copy = bl_arena_alloc_aligned(p->arena, length + 1, 1);

	if (!rows || !copy || !bl_sh_again(p, text->len)) {
		bl_sh_fault(p, BL_SHELL_TOO_MUCH, start, start,
			    "out of memory");
		return false;
	}
	rows[count++] = (struct bl_sh_row){ 0, bl_sh_place(text, 0) };
	for (uint32_t i = 0; i < text->row_count; i++)
		if (text->rows[i].at > text->origin &&
		    text->rows[i].at - text->origin < start)
			rows[count++] =
				(struct bl_sh_row){ text->rows[i].at -
							    text->origin,
						    text->rows[i].source };
	if (start)
		rows[count++] =
			(struct bl_sh_row){ start, bl_sh_place(text, end) };
	else
		rows[0].source = bl_sh_place(text, end);
	for (uint32_t i = 0; i < text->row_count; i++)
		if (text->rows[i].at > text->origin &&
		    text->rows[i].at - text->origin > end)
			rows[count++] = (struct bl_sh_row){
				text->rows[i].at - text->origin - (end - start),
				text->rows[i].source
			};
	memcpy(copy, text->ptr, start);
	memcpy(copy + start, text->ptr + end, text->len - end);
	*text = (struct bl_sh_text){ copy, length, 0, 0, count, rows };
	return true;
}

bool bl_sh_here_read(struct bl_sh_parser *p)
{
	uint32_t pos = p->in.pos, start = unread_line(p), end;
	struct bl_sh_pending *pending = p->in.pending;

	/* A line that is looked over for its end again and again. */
	if (!bl_sh_again(p, start - pos))
		return false;
	p->in.pending = NULL;
	p->in.pending_count = 0;
	p->in.pos = start;
	for (; pending; pending = pending->next)
		if (!read_body(p, pending))
			return false;
	end = p->in.pos;
	if (start == pos || start == end) {
		p->in.pos = start == pos ? end : pos;
		return true;
	}
	p->in.pos = pos;
	return cut_input(p, start, end);
}
