/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/parts.c: the text of a word split into parts: text, quotes, expansions.
 * It stands alone because it is bash's second reading of a word, by the rules
 * of expansion; scan.c has the first, by the rules of the parser (private.h).
 *
 * Worked example: a"b${x}"'c' becomes TEXT a, DOUBLE (TEXT b, PARAMETER x),
 * SINGLE c.
 */
#include "shell/private.h"

static int byte_at(const struct bl_sh_split *s, uint32_t pos)
{
	return pos < s->to ? (unsigned char)s->source->text.ptr[pos] : -1;
}

/* Adds a part for from..pos; NULL: out of memory. */
static struct bl_shell_part *add(struct bl_sh_split *s,
				 struct bl_shell_part ***end,
				 enum bl_shell_part_kind kind, uint32_t from)
{
	struct bl_shell_part *part = bl_sh_new(s->p, struct bl_shell_part);

	if (!part)
		return NULL;
	part->kind = kind;
	part->span = bl_sh_span(&s->source->text, from, s->pos);
	**end = part;
	*end = &part->next;
	return part;
}

static struct bl_str text_of(const struct bl_sh_split *s, uint32_t from,
			     uint32_t to)
{
	return (struct bl_str){ s->source->text.ptr + from, to - from };
}

/* Where quotes have no meaning, and \ quotes only a few bytes. */
static bool is_like_double(enum bl_sh_part_mode mode)
{
	return mode != PARTS_WORD;
}

/* The bytes that a \ quotes. */
static bool quotes_byte(enum bl_sh_part_mode mode, int c)
{
	switch (mode) {
	case PARTS_WORD:
		return true;
	case PARTS_DOUBLE:
	case PARTS_ARITHMETIC:
		return c == '$' || c == '`' || c == '"' || c == '\\';
	case PARTS_HERE:
		return c == '$' || c == '`' || c == '\\';
	case PARTS_BRACE:
		return c == '$' || c == '`' || c == '"' || c == '\\' ||
		       c == '}';
	}
	return false;
}

uint32_t bl_sh_find_from(const struct bl_sh_source *source, uint32_t pos)
{
	uint32_t low = 0, high = source->substitution_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (source->substitutions[middle].at < pos)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The substitution of stage 1 that stands at pos, or NULL. */
static const struct bl_shell_substitution *
find_substitution(const struct bl_sh_source *source, uint32_t pos)
{
	uint32_t found = bl_sh_find_from(source, pos);

	if (found < source->substitution_count &&
	    source->substitutions[found].at == pos)
		return &source->substitutions[found];
	return NULL;
}

/* Text that runs commands: marks the word. */
static bool set_script(struct bl_sh_split *s, struct bl_shell_part *part,
		       struct bl_shell_script *script)
{
	part->script = script;
	s->word->flags |= BL_SHELL_WORD_EXPANDS | BL_SHELL_WORD_RUNS;
	if (script && script->fault.kind)
		s->word->flags |= BL_SHELL_WORD_BAD;
	return script != NULL;
}

/* A bad part from..to; false: out of memory. */
static bool add_bad(struct bl_sh_split *s, struct bl_shell_part ***end,
		    uint32_t from, uint32_t to)
{
	struct bl_shell_part *part;

	s->pos = to;
	part = add(s, end, BL_SHELL_BAD, from);
	if (!part)
		return false;
	part->text = text_of(s, from, to);
	s->word->flags |= BL_SHELL_WORD_BAD | BL_SHELL_WORD_EXPANDS;
	return true;
}

/* The ) that ends a $( which stage 1 did not see (in a body, in quotes). */
static bool split_own_command(struct bl_sh_split *s,
			      struct bl_shell_part ***end, uint32_t from,
			      enum bl_shell_part_kind kind)
{
	struct bl_sh_parser *p = s->p;
	struct bl_sh_state saved = bl_sh_save(p);
	struct bl_shell_part *part;
	struct bl_shell_script *script;
	uint32_t behind;

	p->in = (struct bl_sh_input){
		.text = bl_sh_slice(&s->source->text, 0, s->to),
		.pos = from + 2,
	};
	script = bl_sh_parse_script(p, ')');
	behind = p->in.pos;
	bl_sh_restore(p, &saved);
	if (!script) {
		if (p->is_fatal)
			return false;
		p->fault = (struct bl_shell_fault){ BL_SHELL_NO_FAULT };
		return add_bad(s, end, from, s->to);
	}
	s->pos = behind;
	part = add(s, end, kind, from);
	return part && set_script(s, part, script);
}

/* A word of the expression from..to, as the child of an ARITHMETIC part. */
static bool add_arithmetic(struct bl_sh_split *s, struct bl_shell_part ***end,
			   uint32_t start, uint32_t from, uint32_t to)
{
	struct bl_shell_word word = { 0 };
	struct bl_shell_part *part = add(s, end, BL_SHELL_ARITHMETIC, start);

	if (!part ||
	    !bl_sh_split(s->p, s->source, from, to, PARTS_ARITHMETIC, &word))
		return false;
	part->parts = word.parts;
	s->word->flags |=
		BL_SHELL_WORD_EXPANDS |
		(word.flags & (BL_SHELL_WORD_RUNS | BL_SHELL_WORD_BAD));
	return true;
}

/* Behind the bracket that closes the one before pos; to: absent. */
static uint32_t skip_brackets(const struct bl_sh_split *s, uint32_t pos,
			      char open, char close)
{
	uint32_t depth = 1;

	for (; pos < s->to; pos++) {
		char c = s->source->text.ptr[pos];
		const struct bl_shell_substitution *sub =
			c == '$' ? find_substitution(s->source, pos) : NULL;

		if (sub && sub->end > pos + 1) {
			pos = sub->end - 1;
		} else if (c == '\\') {
			pos++;
		} else if (c == '\'' || c == '"' || c == '`') {
			while (++pos < s->to && s->source->text.ptr[pos] != c)
				if (c != '\'' &&
				    s->source->text.ptr[pos] == '\\')
					pos++;
		} else if (c == open) {
			depth++;
		} else if (c == close && --depth == 0) {
			return pos + 1;
		}
	}
	return s->to;
}

/* $(( that stage 1 did not see: )) behind it makes it arithmetic. */
static bool split_own_arithmetic(struct bl_sh_split *s,
				 struct bl_shell_part ***end, uint32_t from)
{
	uint32_t behind = skip_brackets(s, from + 3, '(', ')');

	if (!bl_sh_again(s->p, behind - from))
		return false;
	if (byte_at(s, behind) != ')')
		return split_own_command(s, end, from, BL_SHELL_COMMAND);
	s->pos = behind + 1;
	return add_arithmetic(s, end, from, from + 3, behind - 1);
}

/* $( <( >( at from. */
static bool split_command(struct bl_sh_split *s, struct bl_shell_part ***end,
			  uint32_t from)
{
	const struct bl_shell_substitution *sub =
		find_substitution(s->source, from);
	int first = byte_at(s, from);
	enum bl_shell_part_kind kind = first == '<'   ? BL_SHELL_PROCESS_IN
				       : first == '>' ? BL_SHELL_PROCESS_OUT
						      : BL_SHELL_COMMAND;
	struct bl_shell_part *part;

	if (!sub && first == '$' && byte_at(s, from + 2) == '(')
		return split_own_arithmetic(s, end, from);
	if (!sub)
		return split_own_command(s, end, from, kind);
	s->pos = sub->end;
	if (!sub->script)
		return add_arithmetic(s, end, from, from + 3, sub->end - 2);
	part = add(s, end, kind, from);
	return part && set_script(s, part, sub->script);
}

/* The text inside back-quotes, with one level of \ taken away. */
static struct bl_sh_text unquote_backquotes(struct bl_sh_split *s,
					    uint32_t from, uint32_t to)
{
	struct bl_sh_parser *p = s->p;
	struct bl_sh_input saved = p->in;
	struct bl_sh_build outer;
	const struct bl_shell_substitution *list;
	struct bl_sh_text text;
	uint32_t count;
	bool in_double = s->mode == PARTS_DOUBLE || s->mode == PARTS_BRACE;

	p->in.text = s->source->text;
	p->in.pos = from;
	outer = bl_sh_build_begin(p);
	while (p->in.pos < to && !bl_sh_failed(p)) {
		const char *at = p->in.text.ptr + p->in.pos;

		if (*at == '\\' && p->in.pos + 1 < to &&
		    (at[1] == '$' || at[1] == '`' || at[1] == '\\' ||
		     (at[1] == '"' && in_double)))
			p->in.pos++;
		p->in.pos++;
		bl_sh_build_add(p);
	}
	text = bl_sh_build_end(p, &outer, &list, &count);
	p->in = saved;
	return text;
}

static bool split_backquotes(struct bl_sh_split *s, struct bl_shell_part ***end)
{
	uint32_t from = s->pos, to = from + 1;
	struct bl_shell_part *part;
	struct bl_sh_text text;

	while (to < s->to && s->source->text.ptr[to] != '`')
		to += s->source->text.ptr[to] == '\\' ? 2 : 1;
	if (to >= s->to)
		return add_bad(s, end, from, s->to);
	text = unquote_backquotes(s, from + 1, to);
	if (bl_sh_failed(s->p))
		return false;
	s->pos = to + 1;
	part = add(s, end, BL_SHELL_BACKQUOTE, from);
	return part && set_script(s, part, bl_sh_parse_text(s->p, &text));
}

/* $name, $1, $?: the length of the name at pos; 0: the $ is text. */
static uint32_t short_name(const struct bl_sh_split *s, uint32_t pos)
{
	int c = byte_at(s, pos);
	uint32_t length = 1;

	if (c < 0)
		return 0;
	if ((c >= '0' && c <= '9') || (c && strchr("@*#?-$!", c)))
		return 1;
	if (!bl_sh_is_name(text_of(s, pos, pos + 1)))
		return 0;
	while (pos + length < s->to &&
	       bl_sh_is_name(text_of(s, pos + length, pos + length + 1)))
		length++;
	while (pos + length < s->to) {
		c = byte_at(s, pos + length);
		if (!(c >= '0' && c <= '9') &&
		    !bl_sh_is_name(text_of(s, pos + length, pos + length + 1)))
			break;
		length++;
	}
	return length;
}

static bool split_short(struct bl_sh_split *s, struct bl_shell_part ***end,
			uint32_t from, uint32_t length)
{
	struct bl_shell_parameter *parameter =
		bl_sh_new(s->p, struct bl_shell_parameter);
	struct bl_shell_part *part;

	s->pos = from + 1 + length;
	part = add(s, end, BL_SHELL_PARAMETER, from);
	if (!parameter || !part)
		return false;
	parameter->name = text_of(s, from + 1, s->pos);
	part->parameter = parameter;
	part->is_short = true;
	s->word->flags |= BL_SHELL_WORD_EXPANDS;
	if (byte_at(s, s->pos) == '[')
		s->word->flags |= BL_SHELL_WORD_FOREIGN;
	return true;
}

static bool split_brace(struct bl_sh_split *s, struct bl_shell_part ***end)
{
	uint32_t from = s->pos, behind;
	struct bl_shell_parameter *parameter;
	struct bl_shell_part *part;

	s->word->flags |= BL_SHELL_WORD_EXPANDS;
	parameter = bl_sh_split_parameter(s, &behind);
	if (bl_sh_failed(s->p))
		return false;
	if (!parameter) {
		if (byte_at(s, from + 2) == '(')
			s->word->flags |= BL_SHELL_WORD_FOREIGN;
		return add_bad(s, end, from, behind);
	}
	s->pos = behind;
	part = add(s, end, BL_SHELL_PARAMETER, from);
	if (part)
		part->parameter = parameter;
	return part != NULL;
}

/* $[ ... ] */
static bool split_old_arithmetic(struct bl_sh_split *s,
				 struct bl_shell_part ***end)
{
	uint32_t from = s->pos;
	uint32_t behind = skip_brackets(s, from + 2, '[', ']');
	struct bl_shell_part **at = *end;

	if (s->source->text.ptr[behind - 1] != ']' || behind < from + 3)
		return add_bad(s, end, from, s->to);
	s->pos = behind;
	if (!add_arithmetic(s, end, from, from + 2, behind - 1))
		return false;
	(*at)->is_short = true;
	return true;
}

static bool split_dollar_quote(struct bl_sh_split *s,
			       struct bl_shell_part ***end);

/* The part that begins with the $ at pos; *is_text: plain text. */
static bool split_dollar(struct bl_sh_split *s, struct bl_shell_part ***end,
			 bool *is_text)
{
	int next = byte_at(s, s->pos + 1);
	uint32_t length;

	*is_text = false;
	if (next == '(')
		return split_command(s, end, s->pos);
	if (next == '{')
		return split_brace(s, end);
	if (next == '[')
		return split_old_arithmetic(s, end);
	if ((next == '\'' || next == '"') && s->mode == PARTS_WORD)
		return split_dollar_quote(s, end);
	length = short_name(s, s->pos + 1);
	if (length)
		return split_short(s, end, s->pos, length);
	*is_text = true;
	return true;
}

/* '...' at pos. */
static bool split_single(struct bl_sh_split *s, struct bl_shell_part ***end)
{
	const struct bl_sh_text *text = &s->source->text;
	const char *from = text->ptr + s->pos + 1;
	const char *close = memchr(from, '\'', s->to - s->pos - 1);
	uint32_t start = s->pos, place;
	struct bl_shell_part *part;

	if (!close)
		return add_bad(s, end, start, s->to);
	s->pos = (uint32_t)(close - text->ptr) + 1;
	part = add(s, end, BL_SHELL_SINGLE, start);
	if (!part)
		return false;
	part->text = (struct bl_str){ from, (size_t)(close - from) };
	place = part->span.start;
	if (s->p->source.ptr[place] == '$')
		part->kind = BL_SHELL_ANSI;
	s->word->flags |= BL_SHELL_WORD_QUOTED;
	return true;
}

/* "..." at pos. */
static bool split_double(struct bl_sh_split *s, struct bl_shell_part ***end)
{
	struct bl_shell_word word = { 0 };
	struct bl_sh_split inner = *s;
	uint32_t start = s->pos;
	struct bl_shell_part *part;

	if (!bl_sh_enter(s->p))
		return false;
	inner.pos = start + 1;
	inner.mode = PARTS_DOUBLE;
	inner.stops = "\"";
	inner.open = inner.close = 0;
	inner.word = &word;
	if (!bl_sh_split_run(&inner))
		return false;
	bl_sh_leave(s->p);
	if (inner.pos >= s->to)
		return add_bad(s, end, start, s->to);
	s->pos = inner.pos + 1;
	part = add(s, end, BL_SHELL_DOUBLE, start);
	if (!part)
		return false;
	part->parts = word.parts;
	if (s->p->source.ptr[part->span.start] == '$')
		part->kind = BL_SHELL_LOCALE;
	s->word->flags |=
		BL_SHELL_WORD_QUOTED |
		(word.flags & (BL_SHELL_WORD_EXPANDS | BL_SHELL_WORD_RUNS |
			       BL_SHELL_WORD_BAD | BL_SHELL_WORD_FOREIGN));
	return true;
}

/* $'...' and $"..." that stage 1 left, as in the body of a here-document. */
static bool split_dollar_quote(struct bl_sh_split *s,
			       struct bl_shell_part ***end)
{
	struct bl_shell_part **at = *end;
	uint32_t start = s->pos++;
	bool is_ansi = byte_at(s, s->pos) == '\'';

	if (!(is_ansi ? split_single(s, end) : split_double(s, end)))
		return false;
	if ((*at)->kind == BL_SHELL_BAD)
		return true;
	(*at)->span.start = bl_sh_place(&s->source->text, start);
	(*at)->kind = is_ansi ? BL_SHELL_ANSI : BL_SHELL_LOCALE;
	if (is_ansi)
		(*at)->text = bl_shell_decode_ansi(s->p->arena, (*at)->text);
	return true;
}

static bool split_backslash(struct bl_sh_split *s, struct bl_shell_part ***end)
{
	struct bl_shell_part *part;
	uint32_t from = s->pos;

	s->pos += 2;
	part = add(s, end, BL_SHELL_ESCAPED, from);
	if (!part)
		return false;
	part->text = text_of(s, from + 1, from + 2);
	s->word->flags |= BL_SHELL_WORD_QUOTED;
	return true;
}

/*
 * The part that begins at pos; *is_text: no part does, the byte is plain
 * text.
 */
static bool split_piece(struct bl_sh_split *s, struct bl_shell_part ***end,
			bool *is_text)
{
	int c = byte_at(s, s->pos), next = byte_at(s, s->pos + 1);

	*is_text = false;
	switch (c) {
	case '\\':
		if (next >= 0 && quotes_byte(s->mode, next))
			return split_backslash(s, end);
		break;
	case '$':
		return split_dollar(s, end, is_text);
	case '`':
		return split_backquotes(s, end);
	case '\'':
		if (s->mode == PARTS_WORD)
			return split_single(s, end);
		break;
	case '"':
		if (s->mode == PARTS_WORD || s->mode == PARTS_BRACE)
			return split_double(s, end);
		break;
	case '<':
	case '>':
		if (next == '(' && s->mode == PARTS_WORD)
			return split_command(s, end, s->pos);
		break;
	default:
		break;
	}
	*is_text = true;
	return true;
}

/* Notes what an unquoted byte may do to the word. */
static void note_text(struct bl_sh_split *s, char c, bool at_start)
{
	uint32_t *flags = &s->word->flags;

	if (is_like_double(s->mode))
		return;
	switch (c) {
	case '*':
	case '?':
	case '[':
		*flags |= BL_SHELL_WORD_GLOB;
		break;
	case '{':
		*flags |= BL_SHELL_WORD_BRACE;
		break;
	case '~':
		if (at_start || strchr(":=", s->source->text.ptr[s->pos - 1]))
			*flags |= BL_SHELL_WORD_TILDE;
		break;
	case '=':
		if (at_start && s->to - s->pos > 1)
			*flags |= BL_SHELL_WORD_FOREIGN;
		break;
	default:
		break;
	}
}

/* Closes the text from..pos, if there is some. */
static bool end_text(struct bl_sh_split *s, struct bl_shell_part ***end,
		     uint32_t from)
{
	struct bl_shell_part *part;

	if (from == s->pos)
		return true;
	part = add(s, end, BL_SHELL_TEXT, from);
	if (part)
		part->text = text_of(s, from, s->pos);
	return part != NULL;
}

/* Bytes that are never more than text, in no mode. */
static bool is_plain(char c)
{
	static const bool special[256] = {
		['\\'] = true, ['$'] = true, ['`'] = true, ['\''] = true,
		['"'] = true,  ['<'] = true, ['>'] = true, ['*'] = true,
		['?'] = true,  ['['] = true, [']'] = true, ['{'] = true,
		['}'] = true,  ['~'] = true, ['='] = true, [':'] = true,
		['/'] = true,  ['('] = true, [')'] = true,
	};

	return !special[(unsigned char)c];
}

bool bl_sh_split_run(struct bl_sh_split *s)
{
	struct bl_shell_part **end = &s->word->parts;
	uint32_t from = s->pos, start = s->pos, depth = 0;
	const char *text = s->source->text.ptr;

	while (s->pos < s->to) {
		char c = text[s->pos];
		uint32_t at = s->pos;
		bool is_text;

		if (is_plain(c)) {
			s->pos++;
			continue;
		}
		if (depth == 0 && c && strchr(s->stops, c))
			break;
		if (s->open && c == s->open)
			depth++;
		if (s->close && c == s->close && depth)
			depth--;
		note_text(s, c, s->pos == start);
		/* The piece comes behind the text before it. */
		if (c != '\\' && c != '$' && c != '`' && c != '\'' &&
		    c != '"' && c != '<' && c != '>') {
			s->pos++;
			continue;
		}
		if (!end_text(s, &end, from))
			return false;
		if (!split_piece(s, &end, &is_text))
			return false;
		from = is_text ? at : s->pos;
		if (is_text)
			s->pos = at + 1;
	}
	return end_text(s, &end, from);
}

bool bl_sh_split(struct bl_sh_parser *p, const struct bl_sh_source *source,
		 uint32_t from, uint32_t to, enum bl_sh_part_mode mode,
		 struct bl_shell_word *word)
{
	struct bl_sh_split split = { .p = p,
				     .source = source,
				     .pos = from,
				     .to = to,
				     .mode = mode,
				     .stops = "",
				     .word = word };

	return bl_sh_split_run(&split);
}
