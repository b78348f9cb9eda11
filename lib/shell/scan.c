/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/scan.c: balanced text: "...", `...`, ${...}, $[...], $((...)) and the
 * brackets of subscripts, by the rules of bash's parser.  It stands alone
 * because these rules know nothing of commands; only $( ) leads back to the
 * parser.
 *
 * Worked example: "a${x:-'}'}b" is scanned as
 *   " ... "            double quotes, in them ${ is special
 *     ${ ... }         the first } ends it, quotes are scanned
 *       ' } '          so this } does not count
 */
#include "shell/private.h"

static int byte_at(const struct bl_sh_parser *p, uint32_t pos)
{
	return pos < p->in.text.len ? (unsigned char)p->in.text.ptr[pos] : -1;
}

/* pos behind the backslash-newlines that stand there. */
static uint32_t behind_joins(const struct bl_sh_parser *p, uint32_t pos)
{
	while (byte_at(p, pos) == '\\' && byte_at(p, pos + 1) == '\n')
		pos += 2;
	return pos;
}

int bl_sh_peek(struct bl_sh_parser *p)
{
	int c = byte_at(p, p->in.pos);

	if (BL_UNLIKELY(c == '\\')) {
		p->in.pos = behind_joins(p, p->in.pos);
		c = byte_at(p, p->in.pos);
	}
	return c;
}

int bl_sh_peek_second(struct bl_sh_parser *p)
{
	return byte_at(p, behind_joins(p, p->in.pos + 1));
}

/* Where in ${name op word} the scan is: decides what ' is (see scan_quote). */
enum brace_state { BRACE_NAME, BRACE_OPERATOR, BRACE_WORD, BRACE_PATTERN };

struct scan {
	char open, close;
	unsigned flags;
	unsigned inner; /* flags that hold inside too */
	uint32_t start; /* length of the build behind open */
	uint32_t count; /* of open ones */
	bool escaped;
	bool dollar; /* the last byte was a $ that counts */
	bool angle;  /* it was a < or > that counts */
	enum brace_state state;
};

static void note_operator(struct scan *s, int c, uint32_t length)
{
	if (s->state == BRACE_NAME) {
		if (strchr("%#/^,", c) && length > s->start + 1)
			s->state = BRACE_PATTERN;
		else if (strchr("#%^,~:-=?+/", c))
			s->state = BRACE_OPERATOR;
	} else if (s->state == BRACE_OPERATOR && !strchr("#%^,~:-=?+/", c)) {
		s->state = BRACE_WORD;
	}
}

bool bl_sh_scan_dollar_quote(struct bl_sh_parser *p, unsigned flags,
			     bool keeps_quotes)
{
	uint32_t at = bl_sh_build_length(p) - 1, place, from;
	char quote = p->in.text.ptr[p->in.pos];
	struct bl_str text;

	/* The place of the $, which may not be next to the quote. */
	place = p->in.pos - 1;
	while (p->in.text.ptr[place] != '$')
		place--;
	place = bl_sh_place(&p->in.text, place);
	if (quote == '"') {
		bl_sh_build_cut(p, at);
		p->in.pos++;
		bl_sh_build_put(p, BL_STR("\""), place, place);
		return bl_sh_scan(p, '"', '"', flags & SCAN_DOUBLE);
	}
	p->in.pos++;
	bl_sh_build_add(p);
	from = bl_sh_build_length(p);
	if (!bl_sh_scan(p, '\'', '\'', SCAN_ESCAPES))
		return false;
	text.ptr = bl_sh_build_bytes(p) + from;
	text.len = bl_sh_build_length(p) - 1 - from;
	text = bl_shell_decode_ansi(p->arena, text);
	if (text.ptr && keeps_quotes)
		text = bl_shell_single_quote(p->arena, text);
	if (!text.ptr) {
		bl_sh_fault(p, BL_SHELL_TOO_MUCH, 0, 0, "out of memory");
		return false;
	}
	bl_sh_build_cut(p, at);
	bl_sh_build_put(p, text, place,
			bl_sh_place(&p->in.text, p->in.pos - 1));
	return !bl_sh_failed(p);
}

/* A quote inside brackets: ' " or `, which was just added. */
static bool scan_quote(struct bl_sh_parser *p, const struct scan *s, char c)
{
	bool keeps_quotes =
		!(s->inner & SCAN_DOUBLE) || s->state == BRACE_PATTERN;

	if (s->dollar && c != '`') {
		bl_sh_build_cut(p, bl_sh_build_length(p) - 1);
		p->in.pos--;
		return bl_sh_scan_dollar_quote(p, s->inner, keeps_quotes);
	}
	return bl_sh_scan(p, c, c, s->inner);
}

/* ( { or [ behind a $ that counts, or ( behind < or >; it was just added. */
static bool scan_expansion(struct bl_sh_parser *p, struct scan *s, char c)
{
	if (s->open == c)
		s->count--;
	if (c == '(')
		return bl_sh_scan_substitution(p, bl_sh_build_length(p) - 2);
	if (c == '{')
		return bl_sh_scan(p, '{', '}',
				  SCAN_FIRST | SCAN_BRACE | s->inner);
	return bl_sh_scan(p, '[', ']', SCAN_ARITHMETIC | s->inner);
}

/* The construct that begins with c inside, if any. */
static bool scan_nested(struct bl_sh_parser *p, struct scan *s, char c)
{
	bool groups = s->open != s->close;
	bool opens = c == '(' || c == '{' || c == '[';

	if (groups && (c == '\'' || c == '"' || c == '`'))
		return scan_quote(p, s, c);
	if (groups && s->dollar && opens &&
	    (s->flags & (SCAN_SUBSCRIPT | SCAN_BRACE)))
		return scan_expansion(p, s, c);
	if (groups && s->dollar && c == '(' && (s->flags & SCAN_ARITHMETIC))
		return scan_expansion(p, s, c);
	if (groups && s->angle && c == '(' &&
	    (s->flags & (SCAN_SUBSCRIPT | SCAN_BRACE)))
		return scan_expansion(p, s, c);
	if (s->open == '"' && c == '`')
		return bl_sh_scan(p, '`', '`', s->inner);
	if (s->open == '"' && s->dollar && opens)
		return scan_expansion(p, s, c);
	return true;
}

/* Counts what opens and closes; false when c closed the last one. */
static bool count_brackets(struct scan *s, char c)
{
	if (c == s->close)
		s->count--;
	else if (c == s->open &&
		 (!(s->flags & SCAN_FIRST) || (s->open == '{' && s->dollar)))
		s->count++;
	return s->count > 0;
}

static bool scan_byte(struct bl_sh_parser *p, struct scan *s, char c)
{
	if (s->open == '\'') {
		s->escaped = (s->flags & SCAN_ESCAPES) && c == '\\';
		return true;
	}
	s->escaped = c == '\\';
	if (s->flags & SCAN_BRACE)
		note_operator(s, c, bl_sh_build_length(p));
	if (!scan_nested(p, s, c))
		return false;
	s->dollar = c == '$' && !s->dollar;
	s->angle = (c == '<' || c == '>') && !s->angle;
	return true;
}

static void no_end(struct bl_sh_parser *p, char close)
{
	bl_sh_fault(p, BL_SHELL_INCOMPLETE, p->in.text.len, p->in.text.len,
		    "the text ends where %c is expected", close);
}

bool bl_sh_scan(struct bl_sh_parser *p, char open, char close, unsigned flags)
{
	struct scan s = {
		.open = open, .close = close, .flags = flags, .count = 1
	};

	if (!bl_sh_enter(p))
		return false;
	s.inner = open == '"' ? SCAN_DOUBLE : flags & SCAN_DOUBLE;
	s.start = bl_sh_build_length(p);
	for (;;) {
		int c = s.escaped || open == '\'' ? byte_at(p, p->in.pos)
						  : bl_sh_peek(p);

		if (c < 0) {
			no_end(p, close);
			return false;
		}
		p->in.pos++;
		bl_sh_build_add(p);
		if (s.escaped) {
			s.escaped = false;
			continue;
		}
		if (!count_brackets(&s, (char)c))
			break;
		if (!scan_byte(p, &s, (char)c))
			return false;
	}
	bl_sh_leave(p);
	return !bl_sh_failed(p);
}

/* Whether the ( ) in text..., without quoted ones, are in pairs. */
static bool is_paired(const struct bl_sh_parser *p, uint32_t from, uint32_t to,
		      size_t substitution)
{
	const struct bl_sh_scratch *scratch = &p->scratch;
	const char *text = bl_sh_build_bytes(p);
	int depth = 0;

	for (uint32_t i = from; i < to && depth >= 0; i++) {
		char c = text[i];

		while (substitution < scratch->substitution_count &&
		       scratch->substitutions[substitution].at < i)
			substitution++;
		if (substitution < scratch->substitution_count &&
		    scratch->substitutions[substitution].at == i) {
			i = scratch->substitutions[substitution].end - 1;
			continue;
		}
		depth += c == '(' ? 1 : c == ')' ? -1 : 0;
		if (c == '\\')
			i++;
		else if (c == '\'')
			while (++i < to && text[i] != '\'')
				;
		else if (c == '"')
			while (++i < to && text[i] != '"')
				i += text[i] == '\\';
	}
	return depth == 0;
}

/*
 * $((...: balanced first.  Text that does not end in )) or is not in pairs is
 * $( ( ... and is parsed as such.  The substitutions inside stay in the list
 * for the printer; an entry for the whole stands before them.
 */
static bool scan_arithmetic(struct bl_sh_parser *p, uint32_t at)
{
	size_t entry = p->scratch.substitution_count;
	bool is_process = bl_sh_build_bytes(p)[at] != '$';
	uint32_t from = p->in.pos, to, length;
	struct bl_sh_input saved;
	struct bl_sh_text text;
	struct bl_shell_script *script;

	bl_sh_build_reserve(p, at);
	if (!bl_sh_scan(p, '(', ')', SCAN_ARITHMETIC))
		return false;
	length = bl_sh_build_length(p);
	to = p->in.pos - 1;
	if (!is_process && bl_sh_build_bytes(p)[length - 2] == ')' &&
	    is_paired(p, at + 3, length - 2, entry + 1)) {
		p->scratch.substitutions[entry].end = length;
		return true;
	}
	if (!bl_sh_again(p, to - from))
		return false;
	saved = p->in;
	text = bl_sh_slice(&p->in.text, from, to);
	script = bl_sh_parse_text(p, &text);
	p->in = saved;
	p->scratch.substitutions[entry].end = length;
	p->scratch.substitutions[entry].script = script;
	return script != NULL;
}

bool bl_sh_scan_substitution(struct bl_sh_parser *p, uint32_t at)
{
	struct bl_sh_build build;
	struct bl_shell_script *script;
	struct bl_sh_input saved;

	if (bl_sh_peek(p) == '(')
		return scan_arithmetic(p, at);
	saved = p->in;
	script = bl_sh_parse_script(p, ')');
	if (!script)
		return false;
	build = p->build;
	saved.pos = p->in.pos;
	saved.text = p->in.text;
	saved.reach = p->in.reach;
	p->in = saved;
	p->build = build;
	bl_sh_build_substitution(p, at, script);
	return !bl_sh_failed(p);
}
