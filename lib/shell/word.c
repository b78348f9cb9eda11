/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/word.c: one word of the input: where it ends, and what kind of token it
 * is.  It stands alone because a word's extent has its own rules (quotes,
 * subscripts of assignments, arrays, extended globs, regular expressions),
 * which are not those of operators (lex.c) nor those of commands (parse.c).
 */
#include "shell/private.h"

/* A word while it is read. */
struct word {
	struct bl_sh_token *token;
	bool is_quoted;
	bool has_dollar; /* an expansion: not a reserved word */
	bool assigns;    /* name=, name+=, name[...]= are assignments here */
	uint32_t flags;  /* enum bl_shell_word_flags that are known already */
	struct bl_shell_word *elements;
	uint32_t array_at; /* the length at the ( of an array */
	bool is_array;
};

enum class {
	PLAIN,
	BREAK, /* ends the word */
	QUOTE, /* ' " ` */
	BACKSLASH,
	DOLLAR,
	ANGLE,   /* < >: ends it unless ( follows */
	BRACKET, /* [ */
	EQUALS,  /* = */
	PATTERN, /* ? * + @ !: may begin an extended glob */
};

static enum class classify(unsigned char c)
{
	static const uint8_t classes[256] = {
		['\t'] = BREAK, ['\n'] = BREAK, [' '] = BREAK, ['('] = BREAK,
		[')'] = BREAK, [';'] = BREAK, ['&'] = BREAK, ['|'] = BREAK,
		['<'] = ANGLE, ['>'] = ANGLE, ['\''] = QUOTE, ['"'] = QUOTE,
		['`'] = QUOTE, ['\\'] = BACKSLASH, ['$'] = DOLLAR,
		['['] = BRACKET, ['='] = EQUALS, ['?'] = PATTERN,
		['*'] = PATTERN, ['+'] = PATTERN, ['@'] = PATTERN,
		['!'] = PATTERN,
	};

	return (enum class)classes[c];
}

static struct bl_str so_far(const struct bl_sh_parser *p)
{
	return (struct bl_str){ bl_sh_build_bytes(p), bl_sh_build_length(p) };
}

/* The length of the name at the start of text; 0: absent. */
static size_t name_length(struct bl_str text)
{
	size_t i = 0;

	for (; i < text.len; i++) {
		char c = text.ptr[i];
		bool letter = (c >= 'a' && c <= 'z') ||
			      (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && (i == 0 || c < '0' || c > '9'))
			break;
	}
	return i;
}

bool bl_sh_is_name(struct bl_str text)
{
	return text.len && name_length(text) == text.len;
}

/* Behind the [ at from, the matching ]; text.len when it is not there. */
static size_t subscript_end(struct bl_str text, size_t from)
{
	int depth = 1;
	size_t i = from;

	for (; i < text.len; i++) {
		if (text.ptr[i] == '\\') {
			i++;
		} else if (text.ptr[i] == '\'') {
			while (++i < text.len && text.ptr[i] != '\'')
				;
		} else if (text.ptr[i] == '[') {
			depth++;
		} else if (text.ptr[i] == ']' && --depth == 0) {
			return i;
		}
	}
	return text.len;
}

/* The length of name, name[...] at the start of text; 0: absent. */
static size_t target_length(struct bl_str text, bool element)
{
	size_t end = name_length(text), close;

	if (!end && !element)
		return 0;
	if (end < text.len && text.ptr[end] == '[') {
		close = subscript_end(text, end + 1);
		return close < text.len ? close + 1 : 0;
	}
	return element ? 0 : end;
}

/* Whether text, which ends before a =, is what an assignment begins with. */
static bool is_target(struct bl_str text, bool element)
{
	if (text.len && text.ptr[text.len - 1] == '+')
		text.len--;
	return text.len && target_length(text, element) == text.len;
}

static bool read_quote(struct bl_sh_parser *p, struct word *w, char c)
{
	p->in.pos++;
	bl_sh_build_add(p);
	if (c != '`')
		w->is_quoted = true;
	w->has_dollar |= c != '\'';
	return bl_sh_scan(p, c, c, 0);
}

static bool read_backslash(struct bl_sh_parser *p, struct word *w)
{
	p->in.pos++;
	bl_sh_build_add(p);
	w->is_quoted = true;
	if (p->in.pos < p->in.text.len) {
		p->in.pos++;
		bl_sh_build_add(p);
	}
	return true;
}

/* $ < or >, which bl_sh_peek saw.  *ends: it ends the word. */
static bool read_expansion(struct bl_sh_parser *p, struct word *w, bool *ends)
{
	char c = p->in.text.ptr[p->in.pos];
	int next = bl_sh_peek_second(p);
	bool dollar = c == '$';

	if (next != '(' && !dollar) {
		*ends = true;
		return true;
	}
	p->in.pos++;
	bl_sh_build_add(p);
	if (next < 0 || !strchr("({['\"$", next) || !next)
		return true;
	bl_sh_peek(p);
	w->has_dollar = true;
	if (next == '\'' || next == '"') {
		w->is_quoted = true;
		return bl_sh_scan_dollar_quote(p, 0, true);
	}
	p->in.pos++;
	bl_sh_build_add(p);
	if (next == '$')
		return true;
	if (next == '(')
		return bl_sh_scan_substitution(p, bl_sh_build_length(p) - 2);
	if (next == '{')
		return bl_sh_scan(p, '{', '}', SCAN_FIRST | SCAN_BRACE);
	return bl_sh_scan(p, '[', ']', SCAN_ARITHMETIC);
}

/* The elements between ( and ), which was just read. */
static bool read_elements(struct bl_sh_parser *p, struct word *w)
{
	struct bl_shell_word **end = &w->elements;
	struct bl_sh_token token;

	p->in.previous = SH_WORD;
	p->in.mode =
		(struct bl_sh_mode){ .in_array = true, .extglob = p->extglob };
	p->in.has_token = false;
	while (!bl_sh_failed(p)) {
		token = bl_sh_take(p);
		if (token.kind == SH_CLOSE)
			break;
		if (token.kind == SH_NEWLINE)
			continue;
		if (token.kind != SH_WORD && token.kind != SH_ASSIGNMENT) {
			p->in.token = token;
			bl_sh_unexpected(p);
			break;
		}
		*end = token.word;
		end = &token.word->next;
	}
	return !bl_sh_failed(p);
}

/* =( ... ): an array.  The ( is next. */
static bool read_array(struct bl_sh_parser *p, struct word *w)
{
	struct bl_sh_input saved;

	p->in.pos++;
	bl_sh_build_add(p);
	w->is_array = true;
	w->has_dollar = true;
	w->array_at = bl_sh_build_length(p) - 1;
	saved = p->in;
	if (!bl_sh_enter(p) || !read_elements(p, w))
		return false;
	bl_sh_leave(p);
	saved.pos = p->in.pos;
	saved.text = p->in.text;
	saved.reach = p->in.reach;
	saved.pending = p->in.pending;
	saved.pending_end =
		p->in.pending ? p->in.pending_end : saved.pending_end;
	saved.pending_count = p->in.pending_count;
	p->in = saved;
	bl_sh_build_array(p, w->array_at, w->elements);
	return !bl_sh_failed(p);
}

/* Whether =( can begin an array here; inside one only of declare and so on. */
static bool takes_array(const struct bl_sh_parser *p, const struct word *w)
{
	return p->in.mode.assigns || (w->assigns && !p->in.mode.in_array);
}

/* A byte that may begin something longer; *done when it did. */
static bool read_special(struct bl_sh_parser *p, struct word *w, char c,
			 bool *done)
{
	struct bl_str text = so_far(p);
	bool element = p->in.mode.in_array && !text.len;

	*done = true;
	if (c == '[' && (element || (w->assigns && bl_sh_is_name(text)))) {
		p->in.pos++;
		bl_sh_build_add(p);
		return bl_sh_scan(p, '[', ']', SCAN_SUBSCRIPT);
	}
	if (c == '=' && !w->is_array && takes_array(p, w) &&
	    is_target(text, p->in.mode.in_array) &&
	    bl_sh_peek_second(p) == '(') {
		p->in.pos++;
		bl_sh_build_add(p);
		bl_sh_peek(p);
		return read_array(p, w);
	}
	if (strchr("?*+@!", c) && p->in.mode.extglob &&
	    bl_sh_peek_second(p) == '(') {
		p->in.pos++;
		bl_sh_build_add(p);
		bl_sh_peek(p);
		p->in.pos++;
		bl_sh_build_add(p);
		return bl_sh_scan(p, '(', ')', 0);
	}
	*done = false;
	return true;
}

/* Reads what stands at pos; *ends when the word ended before it. */
static bool read_piece(struct bl_sh_parser *p, struct word *w, bool *ends)
{
	int c = bl_sh_peek(p);
	bool done = false;

	if (c < 0) {
		*ends = true;
		return true;
	}
	switch (classify((unsigned char)c)) {
	case QUOTE:
		return read_quote(p, w, (char)c);
	case BACKSLASH:
		return read_backslash(p, w);
	case DOLLAR:
	case ANGLE:
		return read_expansion(p, w, ends);
	case BREAK:
		if (!p->in.mode.regex || (c != '(' && c != '|')) {
			*ends = true;
			return true;
		}
		p->in.pos++;
		bl_sh_build_add(p);
		w->has_dollar |= c == '(';
		return c == '|' || bl_sh_scan(p, '(', ')', 0);
	case BRACKET:
	case EQUALS:
	case PATTERN:
		if (!read_special(p, w, (char)c, &done) || done)
			return !bl_sh_failed(p);
		break;
	case PLAIN:
		break;
	}
	p->in.pos++;
	bl_sh_build_add(p);
	return true;
}

/* Where value and subscript of an assignment are. */
static bool split_assignment(struct bl_sh_parser *p, struct bl_shell_word *word,
			     const struct bl_sh_source *source, size_t target,
			     const struct word *w)
{
	struct bl_shell_assignment *as =
		bl_sh_new(p, struct bl_shell_assignment);
	const char *text = source->text.ptr;
	uint32_t name = 0, value;

	if (!as)
		return false;
	while (name < target && text[name] != '[')
		name++;
	as->name = (struct bl_str){ text, name };
	as->is_append = text[target] == '+';
	value = (uint32_t)target + (as->is_append ? 2 : 1);
	if (name < target) {
		as->subscript = bl_sh_subword(p, source, name + 1,
					      (uint32_t)target - 1, PARTS_WORD);
		if (!as->subscript)
			return false;
	}
	word->assignment = as;
	if (w->is_array) {
		as->is_array = true;
		as->elements = w->elements;
		return true;
	}
	as->value =
		bl_sh_subword(p, source, value, source->text.len, PARTS_WORD);
	return as->value != NULL;
}

/* The length of an assignment's target in text, with no + and =; or 0. */
static size_t assignment_length(struct bl_str text, bool element)
{
	size_t length = target_length(text, element);
	size_t next = length;

	if (next < text.len && text.ptr[next] == '+')
		next++;
	return length && next < text.len && text.ptr[next] == '=' ? length : 0;
}

static void add_part(struct bl_shell_word *word, struct bl_shell_part *part)
{
	struct bl_shell_part **end = &word->parts;

	while (*end)
		end = &(*end)->next;
	*end = part;
}

/* The parts of name=( ... ): the text before it, and the array. */
static bool add_array(struct bl_sh_parser *p, struct bl_shell_word *word,
		      const struct bl_sh_source *source, const struct word *w)
{
	struct bl_shell_word tail = { 0 };
	struct bl_shell_part *part;
	uint32_t rest;

	if (!bl_sh_split(p, source, 0, w->array_at, PARTS_WORD, word))
		return false;
	part = bl_sh_new(p, struct bl_shell_part);
	if (!part)
		return false;
	part->kind = BL_SHELL_ARRAY;
	part->elements = w->elements;
	for (const struct bl_shell_word *e = w->elements; e; e = e->next)
		word->flags |=
			e->flags & (BL_SHELL_WORD_EXPANDS | BL_SHELL_WORD_RUNS |
				    BL_SHELL_WORD_BAD);
	add_part(word, part);
	rest = w->array_at + 2;
	part->span = bl_sh_span(&source->text, w->array_at, rest);
	if (rest == source->text.len)
		return true;
	if (!bl_sh_split(p, source, rest, source->text.len, PARTS_WORD, &tail))
		return false;
	part->next = tail.parts;
	word->flags |= tail.flags;
	return true;
}

static bool finish_word(struct bl_sh_parser *p, struct word *w,
			const struct bl_sh_source *source)
{
	struct bl_shell_word *word = bl_sh_new(p, struct bl_shell_word);
	struct bl_str text = { source->text.ptr, source->text.len };
	size_t target;

	if (!word)
		return false;
	word->text = text;
	word->substitutions = source->substitutions;
	word->substitution_count = source->substitution_count;
	word->span = bl_sh_span(&source->text, 0, source->text.len);
	w->token->word = word;
	target = assignment_length(text, p->in.mode.in_array);
	if (w->is_array ? !add_array(p, word, source, w)
			: !bl_sh_split(p, source, 0, source->text.len,
				       PARTS_WORD, word))
		return false;
	return !target || split_assignment(p, word, source, target, w);
}

/* Digits that fit into a descriptor. */
static bool read_number(struct bl_str text, int32_t *out)
{
	int64_t number = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		number = number * 10 + (text.ptr[i] - '0');
		if (number > INT32_MAX)
			return false;
	}
	*out = (int32_t)number;
	return text.len > 0;
}

/* {name}, {name[subscript]} */
static bool is_variable(struct bl_str text)
{
	struct bl_str inner = bl_str_slice(text, 1, text.len - 1);

	return text.len > 2 && text.ptr[0] == '{' &&
	       text.ptr[text.len - 1] == '}' &&
	       target_length(inner, false) == inner.len;
}

static bool classify_word(struct bl_sh_parser *p, struct word *w,
			  const struct bl_sh_source *source)
{
	struct bl_str text = { source->text.ptr, source->text.len };
	int next = bl_sh_peek(p);
	bool redirects = next == '<' || next == '>';
	struct bl_sh_token *token = w->token;

	if (read_number(text, &token->number) &&
	    (redirects || p->in.previous == SH_COPY_IN ||
	     p->in.previous == SH_COPY_OUT))
		token->kind = SH_NUMBER;
	else if (redirects && is_variable(text))
		token->kind = SH_VARIABLE;
	else if (!w->has_dollar && !w->is_quoted)
		token->kind = bl_sh_reserved(p, text);
	else
		token->kind = SH_WORD;
	if (token->kind != SH_WORD && token->kind != SH_VARIABLE &&
	    token->kind != SH_NUMBER)
		return true;
	if (!finish_word(p, w, source))
		return false;
	if (token->kind == SH_WORD && w->assigns && token->word->assignment)
		token->kind = SH_ASSIGNMENT;
	return true;
}

bool bl_sh_read_word(struct bl_sh_parser *p, struct bl_sh_token *token)
{
	struct word w = { .token = token };
	struct bl_sh_source source;
	struct bl_sh_build outer;
	bool ends = false;

	w.assigns = !p->in.mode.case_pattern &&
		    (p->in.mode.in_array || p->in.mode.prefix ||
		     bl_sh_token_begins(p->in.previous));
	outer = bl_sh_build_begin(p);
	token->start = p->in.pos;
	while (!ends)
		if (!read_piece(p, &w, &ends) || bl_sh_failed(p))
			return false;
	source.text = bl_sh_build_end(p, &outer, &source.substitutions,
				      &source.substitution_count);
	token->end = p->in.pos;
	token->is_quoted = w.is_quoted;
	return classify_word(p, &w, &source);
}

/* The ; behind from that is not quoted, or the end. */
static uint32_t find_semicolon(const struct bl_sh_source *source, uint32_t from)
{
	const char *text = source->text.ptr;
	uint32_t next = 0, i;

	for (i = from; i < source->text.len && text[i] != ';'; i++) {
		while (next < source->substitution_count &&
		       source->substitutions[next].at < i)
			next++;
		if (next < source->substitution_count &&
		    source->substitutions[next].at == i)
			i = source->substitutions[next].end - 1;
		else if (text[i] == '\\')
			i++;
		else if (text[i] == '"' || text[i] == '\'')
			for (char quote = text[i++];
			     i < source->text.len && text[i] != quote; i++)
				i += quote == '"' && text[i] == '\\';
	}
	return i < source->text.len ? i : source->text.len;
}

/* The three expressions of for (( ; ; )), linked; blanks before each go. */
static struct bl_shell_word *split_count(struct bl_sh_parser *p,
					 const struct bl_sh_source *source)
{
	struct bl_shell_word *first = NULL, **end = &first;
	uint32_t from = 0, to;

	for (int i = 0; i < 3; i++, from = to + 1) {
		to = i < 2 ? find_semicolon(source, from) : source->text.len;
		if (to == source->text.len && i < 2) {
			bl_sh_fault(p, BL_SHELL_UNEXPECTED, p->in.pos,
				    p->in.pos,
				    "for (( )) takes three "
				    "expressions");
			return NULL;
		}
		while (from < to && strchr(" \t\n", source->text.ptr[from]))
			from++;
		if (i == 2 && find_semicolon(source, from) < to)
			bl_sh_fault(p, BL_SHELL_UNEXPECTED, p->in.pos,
				    p->in.pos,
				    "for (( )) takes three "
				    "expressions");
		*end = bl_sh_subword(p, source, from, to, PARTS_ARITHMETIC);
		if (!*end)
			return NULL;
		end = &(*end)->next;
	}
	return bl_sh_failed(p) ? NULL : first;
}

struct bl_shell_word *bl_sh_read_arithmetic(struct bl_sh_parser *p,
					    bool is_count)
{
	struct bl_sh_build outer = bl_sh_build_begin(p);
	struct bl_sh_source source;
	uint32_t length;

	if (!bl_sh_scan(p, '(', ')', SCAN_ARITHMETIC))
		return NULL;
	length = bl_sh_build_length(p) - 1;
	bl_sh_build_cut(p, length);
	source.text = bl_sh_build_end(p, &outer, &source.substitutions,
				      &source.substitution_count);
	if (bl_sh_peek(p) != ')')
		return NULL;
	p->in.pos++;
	if (is_count)
		return split_count(p, &source);
	return bl_sh_subword(p, &source, 0, length, PARTS_ARITHMETIC);
}
