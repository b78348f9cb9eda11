/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/lex.c: tokens: operators, words, reserved words where they count.  It
 * stands alone because the same bytes are different tokens in different places:
 * whether "if", "a=(" or "((" means anything depends on the token before it
 * (tokens.def: begins) and on the mode, and all of that is here.
 */
#include "shell/private.h"

static const struct token_row {
	const char *text;
	bool begins;
	bool is_reserved;
} rows[] = {
#define TOKEN(name, text, begins)    [SH_##name] = { text, begins, false },
#define RESERVED(name, text, begins) [SH_##name] = { text, begins, true },
#include "shell/tokens.def"
#undef TOKEN
};

bool bl_sh_token_begins(enum bl_sh_token_kind kind)
{
	return rows[kind].begins;
}

const char *bl_sh_token_text(enum bl_sh_token_kind kind)
{
	return rows[kind].text;
}

enum bl_sh_token_kind bl_sh_find_reserved(struct bl_str text)
{
	if (text.len > strlen("function"))
		return SH_WORD;
	for (int i = SH_BANG; i < SH_TOKEN_COUNT; i++)
		if (rows[i].text[0] == text.ptr[0] &&
		    bl_str_is(text, rows[i].text))
			return (enum bl_sh_token_kind)i;
	return SH_WORD;
}

/* Where `time` is reserved; not behind | as other reserved words are. */
static bool can_time(const struct bl_sh_input *in)
{
	switch ((int)in->previous) {
	case SH_START: /* not in $( ): bash's parser sees a program there */
		return !in->closes;
	case SH_SEMICOLON:
	case SH_NEWLINE:
		return in->before_previous != SH_PIPE;
	case SH_AND:
	case SH_OR:
	case SH_BACKGROUND:
	case SH_WHILE:
	case SH_DO:
	case SH_UNTIL:
	case SH_IF:
	case SH_THEN:
	case SH_ELIF:
	case SH_ELSE:
	case SH_GROUP:
	case SH_OPEN:
	case SH_CLOSE:
	case SH_BANG:
	case SH_TIME:
	case SH_TIME_POSIX:
	case SH_TIME_DASHES:
		return true;
	default:
		return false;
	}
}

static bool is_loop_head(enum bl_sh_token_kind kind)
{
	return kind == SH_FOR || kind == SH_SELECT;
}

/* in, do, {, esac, -p, -- where the token before them is not enough. */
static enum bl_sh_token_kind special_word(struct bl_sh_parser *p,
					  enum bl_sh_token_kind kind,
					  struct bl_str text)
{
	struct bl_sh_input *in = &p->in;
	bool behind_word = in->previous == SH_WORD;

	if (kind == SH_IN && in->mode.expects_in &&
	    (behind_word || in->previous == SH_NEWLINE)) {
		in->mode.expects_in = false;
		in->mode.case_pattern = in->mode.in_case;
		return SH_IN;
	}
	if (kind == SH_DO &&
	    ((behind_word && is_loop_head(in->before_previous)) ||
	     in->previous == SH_COUNTING))
		return SH_DO;
	if (kind == SH_GROUP &&
	    (in->mode.function_name || in->previous == SH_COUNTING))
		return SH_GROUP;
	if (kind == SH_ESAC && in->previous == SH_IN && in->mode.in_case)
		return SH_ESAC;
	if (in->previous == SH_TIME && bl_str_is(text, "-p"))
		return SH_TIME_POSIX;
	if ((in->previous == SH_TIME || in->previous == SH_TIME_POSIX) &&
	    bl_str_is(text, "--"))
		return SH_TIME_DASHES;
	if (kind == SH_CONDITION_END && in->mode.in_condition)
		return SH_CONDITION_END;
	return SH_WORD;
}

/* Whether a reserved word counts behind the token that was read last. */
static bool can_reserve(const struct bl_sh_input *in)
{
	return rows[in->previous].begins ||
	       (in->previous == SH_WORD &&
		(in->before_previous == SH_COPROC ||
		 in->before_previous == SH_FUNCTION));
}

enum bl_sh_token_kind bl_sh_reserved(struct bl_sh_parser *p, struct bl_str text)
{
	struct bl_sh_input *in = &p->in;
	enum bl_sh_token_kind kind, special;

	if (!text.len || in->mode.in_array)
		return SH_WORD;
	kind = bl_sh_find_reserved(text);
	special = special_word(p, kind, text);
	in->mode.function_name = false;
	if (special != SH_WORD || kind == SH_WORD || in->mode.in_condition)
		return special;
	if (!can_reserve(in))
		return SH_WORD;
	if (in->mode.case_pattern &&
	    (kind != SH_ESAC || in->previous == SH_PIPE ||
	     in->previous == SH_OPEN))
		return SH_WORD;
	if (kind == SH_TIME && !can_time(in))
		return SH_WORD;
	return kind;
}

/* Operators, longest first where one begins another. */
static const struct {
	char text[4];
	enum bl_sh_token_kind kind;
} operators[] = {
	{ "<<<", SH_HERE_STRING }, { "<<-", SH_HERE_TABS },
	{ "&>>", SH_APPEND_BOTH }, { ";;&", SH_CLAUSE_TEST },
	{ "<<", SH_HERE },         { ">>", SH_APPEND },
	{ "&&", SH_AND },          { "||", SH_OR },
	{ ";;", SH_CLAUSE_BREAK }, { "<&", SH_COPY_IN },
	{ ">&", SH_COPY_OUT },     { "<>", SH_LESS_GREATER },
	{ ">|", SH_CLOBBER },      { "&>", SH_BOTH },
	{ "|&", SH_PIPE_BOTH },    { ";&", SH_CLAUSE_FALL },
	{ "<", SH_LESS },          { ">", SH_GREATER },
	{ "&", SH_BACKGROUND },    { "|", SH_PIPE },
	{ ";", SH_SEMICOLON },     { "(", SH_OPEN },
	{ ")", SH_CLOSE },
};

/* Up to three bytes at pos, and where each ends. */
static void look_ahead(struct bl_sh_parser *p, char bytes[4], uint32_t ends[3])
{
	uint32_t pos = p->in.pos;

	memset(bytes, 0, 4);
	for (int i = 0; i < 3; i++) {
		int c = bl_sh_peek(p);

		if (c < 0 || !strchr("<>&|;()-", c))
			break;
		bytes[i] = (char)c;
		ends[i] = ++p->in.pos;
	}
	p->in.pos = pos;
}

static void lex_operator(struct bl_sh_parser *p, struct bl_sh_token *token)
{
	uint32_t ends[3] = { 0 };
	char bytes[4];

	p->in.mode.assigns = false;
	look_ahead(p, bytes, ends);
	for (size_t i = 0; i < BL_COUNT(operators); i++) {
		size_t length = strlen(operators[i].text);

		if (strncmp(bytes, operators[i].text, length) != 0)
			continue;
		token->kind = operators[i].kind;
		p->in.pos = ends[length - 1];
		token->end = p->in.pos;
		return;
	}
}

/*
 * (( as a command, or behind for.  Without )) it is read again as (; the text
 * read on the way stays read for here-documents.
 */
static bool lex_arithmetic(struct bl_sh_parser *p, struct bl_sh_token *token)
{
	struct bl_sh_input saved = p->in;
	uint32_t reach;

	bl_sh_peek(p);
	p->in.pos++;
	bl_sh_peek(p);
	p->in.pos++;
	token->kind = p->in.previous == SH_FOR ? SH_COUNTING : SH_ARITHMETIC;
	token->word = bl_sh_read_arithmetic(p, token->kind == SH_COUNTING);
	if (token->word || bl_sh_failed(p)) {
		token->end = p->in.pos;
		return !bl_sh_failed(p);
	}
	if (saved.previous == SH_FOR) {
		bl_sh_fault(p, BL_SHELL_CONDITION, saved.pos, p->in.pos,
			    "for (( has no ))");
		return false;
	}
	reach = p->in.pos + 1;
	if (!bl_sh_again(p, p->in.pos - saved.pos))
		return false;
	saved.text = p->in.text;
	p->in = saved;
	if (reach > p->in.reach)
		p->in.reach = reach < p->in.text.len ? reach : p->in.text.len;
	lex_operator(p, token);
	return true;
}

static void skip_blanks(struct bl_sh_parser *p)
{
	int c = bl_sh_peek(p);

	while (c == ' ' || c == '\t') {
		p->in.pos++;
		c = bl_sh_peek(p);
	}
	if (c != '#')
		return;
	while (p->in.pos < p->in.text.len && p->in.text.ptr[p->in.pos] != '\n')
		p->in.pos++;
}

/* Newline: the bodies of the here-documents before it follow. */
static bool lex_newline(struct bl_sh_parser *p, struct bl_sh_token *token)
{
	p->in.pos++;
	token->kind = SH_NEWLINE;
	token->end = p->in.pos;
	p->in.mode.assigns = false;
	return !p->in.pending || bl_sh_here_read(p);
}

static bool opens_arithmetic(struct bl_sh_parser *p)
{
	return bl_sh_peek_second(p) == '(' && !p->in.mode.in_array &&
	       !p->in.mode.in_condition && !p->in.mode.case_pattern &&
	       (p->in.previous == SH_FOR || rows[p->in.previous].begins);
}

static bool lex_token(struct bl_sh_parser *p, struct bl_sh_token *token)
{
	int c;

	skip_blanks(p);
	c = bl_sh_peek(p);
	*token = (struct bl_sh_token){ .start = p->in.pos, .end = p->in.pos };
	if (c < 0) {
		token->kind = SH_END;
		return true;
	}
	if (c == '\n')
		return lex_newline(p, token);
	if (p->in.mode.regex && (c == '(' || c == '|'))
		return bl_sh_read_word(p, token);
	if (c == '(' && opens_arithmetic(p))
		return lex_arithmetic(p, token);
	if (c == '-' &&
	    (p->in.previous == SH_COPY_IN || p->in.previous == SH_COPY_OUT)) {
		token->kind = SH_DASH;
		token->end = ++p->in.pos;
		return true;
	}
	if (strchr("&|;()", c) && c) {
		lex_operator(p, token);
		return true;
	}
	if ((c == '<' || c == '>') && bl_sh_peek_second(p) != '(') {
		lex_operator(p, token);
		return true;
	}
	return bl_sh_read_word(p, token);
}

const struct bl_sh_token *bl_sh_token(struct bl_sh_parser *p)
{
	struct bl_sh_token token;

	if (p->in.has_token)
		return &p->in.token;
	if (bl_sh_failed(p) || !lex_token(p, &token))
		token = (struct bl_sh_token){ .kind = SH_END,
					      .start = p->in.pos,
					      .end = p->in.pos };
	p->in.token = token;
	p->in.has_token = true;
	p->in.before_previous = p->in.previous;
	p->in.previous = token.kind;
	return &p->in.token;
}

struct bl_sh_token bl_sh_take(struct bl_sh_parser *p)
{
	struct bl_sh_token token = *bl_sh_token(p);

	p->in.has_token = false;
	p->in.taken_end = token.end;
	return token;
}

bool bl_sh_accept(struct bl_sh_parser *p, enum bl_sh_token_kind kind)
{
	if (bl_sh_token(p)->kind != kind)
		return false;
	bl_sh_take(p);
	return true;
}

bool bl_sh_expect(struct bl_sh_parser *p, enum bl_sh_token_kind kind)
{
	if (bl_sh_accept(p, kind))
		return true;
	bl_sh_unexpected(p);
	return false;
}

void bl_sh_unexpected(struct bl_sh_parser *p)
{
	const struct bl_sh_token *token = bl_sh_token(p);
	struct bl_str text;

	if (token->kind == SH_END) {
		bl_sh_fault(p, BL_SHELL_INCOMPLETE, token->start, token->start,
			    "the text ends too soon");
		return;
	}
	text = (struct bl_str){ p->in.text.ptr + token->start,
				token->end - token->start };
	if (token->kind == SH_NEWLINE)
		text = BL_STR("newline");
	bl_sh_fault(p, BL_SHELL_UNEXPECTED, token->start, token->end,
		    "unexpected '%.*s'", BL_STR_ARG(text));
}

void bl_sh_skip_newlines(struct bl_sh_parser *p)
{
	while (bl_sh_accept(p, SH_NEWLINE))
		;
}
