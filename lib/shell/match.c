/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/match.c: glob patterns: * ? [...] and, where they are on, ?(a|b) *()
 * +() @() !().  It stands alone because expansion operators, case, [[ ]] and
 * globbing ask the same question.
 *
 * Without extended patterns only the last * is ever tried again: a text that
 * fails behind the second * cannot be saved by the first taking more.  With
 * them the search is recursive and counts its steps.
 */
#include "shell/shell.h"

enum { STEPS_MAX = 200000, DEPTH_MAX = 200 };

struct matcher {
	uint32_t flags;
	const char *start; /* of the text */
	uint32_t steps;
	uint32_t depth;
	bool exceeded;
};

/* The rest of a pattern or text. */
struct rest {
	const char *at;
	const char *end;
};

static unsigned char fold(const struct matcher *m, char c)
{
	if ((m->flags & BL_SHELL_MATCH_NOCASE) && c >= 'A' && c <= 'Z')
		c = (char)(c - 'A' + 'a');
	return (unsigned char)c;
}

static bool in_class(struct bl_str name, unsigned char c)
{
	bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
	bool digit = c >= '0' && c <= '9', print = c >= ' ' && c < 0x7F;
	bool hex = digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
	bool blank = c == ' ' || c == '\t';
	const struct {
		const char *name;
		bool holds;
	} classes[] = {
		{ "alnum", lower || upper || digit },
		{ "alpha", lower || upper },
		{ "ascii", c < 0x80 },
		{ "blank", blank },
		{ "cntrl", c < ' ' || c == 0x7F },
		{ "digit", digit },
		{ "graph", print && c != ' ' },
		{ "lower", lower },
		{ "print", print },
		{ "punct", print && c != ' ' && !lower && !upper && !digit },
		{ "space", blank || (c >= '\n' && c <= '\r') },
		{ "upper", upper },
		{ "word", lower || upper || digit || c == '_' },
		{ "xdigit", hex },
	};

	for (size_t i = 0; i < BL_COUNT(classes); i++)
		if (bl_str_is(name, classes[i].name))
			return classes[i].holds;
	return false;
}

/* [:name:] at p: whether c is in it; *p goes behind it.  False: no class. */
static bool read_class(struct rest *p, unsigned char c, bool *holds)
{
	const char *close;
	char kind;

	if (p->end - p->at < 4 || p->at[0] != '[' || !strchr(":=.", p->at[1]) ||
	    !p->at[1])
		return false;
	kind = p->at[1];
	for (close = p->at + 2; close + 1 < p->end; close++)
		if (close[0] == kind && close[1] == ']')
			break;
	if (close + 1 >= p->end)
		return false;
	if (kind == ':')
		*holds |=
			in_class((struct bl_str){ p->at + 2,
						  (size_t)(close - p->at) - 2 },
				 c);
	else
		*holds |= close == p->at + 3 && (unsigned char)p->at[2] == c;
	p->at = close + 2;
	return true;
}

/* The byte at p of a bracket expression, with its backslash. */
static unsigned char read_byte(struct rest *p)
{
	if (*p->at == '\\' && p->at + 1 < p->end)
		p->at++;
	return (unsigned char)*p->at++;
}

/* x or x-y at p. */
static bool read_range(const struct matcher *m, struct rest *p, unsigned char c)
{
	unsigned char low = read_byte(p), high = low;

	if (p->end - p->at >= 2 && p->at[0] == '-' && p->at[1] != ']') {
		p->at++;
		high = read_byte(p);
	}
	return (c >= low && c <= high) ||
	       (fold(m, (char)c) >= fold(m, (char)low) &&
		fold(m, (char)c) <= fold(m, (char)high));
}

/* [...] at *p, against c.  False: the [ is a plain byte. */
static bool match_bracket(const struct matcher *m, struct rest *p,
			  unsigned char c, bool *matches)
{
	struct rest r = { p->at + 1, p->end };
	bool inverts = r.at < r.end && (*r.at == '!' || *r.at == '^');
	bool holds = false;
	const char *first;

	r.at += inverts;
	for (first = r.at; r.at < r.end;) {
		if (*r.at == ']' && r.at != first) {
			p->at = r.at + 1;
			*matches = holds != inverts;
			if (c == '/' && (m->flags & BL_SHELL_MATCH_PATH))
				*matches = false;
			return true;
		}
		if (*r.at == '/' && (m->flags & BL_SHELL_MATCH_PATH))
			return false;
		if (!read_class(&r, c, &holds))
			holds |= read_range(m, &r, c);
	}
	return false;
}

/* Whether a * ? [ may not take the byte at t. */
static bool is_guarded(const struct matcher *m, const char *t)
{
	if (*t == '/' && (m->flags & BL_SHELL_MATCH_PATH))
		return true;
	if (*t != '.' || !(m->flags & BL_SHELL_MATCH_PERIOD))
		return false;
	return t == m->start ||
	       ((m->flags & BL_SHELL_MATCH_PATH) && t[-1] == '/');
}

/* One byte of the pattern against one of the text; both move on. */
static bool match_one(const struct matcher *m, struct rest *p, struct rest *t)
{
	unsigned char c = (unsigned char)*t->at;
	bool matches;

	if (*p->at == '?') {
		if (is_guarded(m, t->at))
			return false;
		p->at++;
		t->at++;
		return true;
	}
	if (*p->at == '[' && match_bracket(m, p, c, &matches)) {
		if (!matches || is_guarded(m, t->at))
			return false;
		t->at++;
		return true;
	}
	if (*p->at == '\\' && p->at + 1 < p->end)
		p->at++;
	if (fold(m, *p->at) != fold(m, (char)c))
		return false;
	p->at++;
	t->at++;
	return true;
}

static bool match_here(struct matcher *m, struct rest p, struct rest t);

/* Behind the ) of the group whose ( is before at; NULL: absent. */
static const char *group_end(const char *at, const char *end)
{
	int depth = 1;

	for (; at < end; at++) {
		if (*at == '\\')
			at++;
		else if (*at == '(')
			depth++;
		else if (*at == ')' && --depth == 0)
			return at + 1;
	}
	return NULL;
}

/* The end of the alternative at: its | or ). */
static const char *alternative_end(const char *at, const char *end)
{
	int depth = 0;

	for (; at < end; at++) {
		if (*at == '\\')
			at++;
		else if (*at == '(')
			depth++;
		else if (depth == 0 && (*at == ')' || *at == '|'))
			break;
		else if (*at == ')')
			depth--;
	}
	return at;
}

/* Whether t as a whole is one of the alternatives of group. */
static bool match_any(struct matcher *m, struct rest group, struct rest t)
{
	while (group.at <= group.end) {
		const char *end = alternative_end(group.at, group.end);

		if (match_here(m, (struct rest){ group.at, end }, t))
			return true;
		group.at = end + 1;
	}
	return false;
}

/* kind(group) at the front, then p, against t. */
static bool match_group(struct matcher *m, char kind, struct rest group,
			struct rest p, struct rest t)
{
	bool repeats = kind == '*' || kind == '+';

	if ((kind == '*' || kind == '?') && match_here(m, p, t))
		return true;
	for (const char *cut = t.at; cut <= t.end && !m->exceeded; cut++) {
		struct rest head = { t.at, cut }, tail = { cut, t.end };
		bool fits = match_any(m, group, head);

		if (fits == (kind == '!'))
			continue;
		if (match_here(m, p, tail))
			return true;
		if (repeats && cut > t.at &&
		    match_group(m, '*', group, p, tail))
			return true;
	}
	return false;
}

static bool is_group(const struct matcher *m, const struct rest *p)
{
	return (m->flags & BL_SHELL_MATCH_EXTGLOB) && p->end - p->at >= 2 &&
	       p->at[1] == '(' && strchr("?*+@!", p->at[0]) &&
	       group_end(p->at + 2, p->end);
}

/* With extended patterns: recursive. */
static bool match_here(struct matcher *m, struct rest p, struct rest t)
{
	bool found = false;

	if (++m->steps > STEPS_MAX || m->depth >= DEPTH_MAX) {
		m->exceeded = true;
		return false;
	}
	m->depth++;
	while (p.at < p.end && !m->exceeded) {
		if (is_group(m, &p)) {
			const char *end = group_end(p.at + 2, p.end);
			struct rest group = { p.at + 2, end - 1 };

			found = match_group(m, *p.at, group,
					    (struct rest){ end, p.end }, t);
			break;
		}
		if (*p.at == '*') {
			p.at++;
			for (; !found && !m->exceeded; t.at++) {
				found = match_here(m, p, t);
				if (t.at == t.end || is_guarded(m, t.at))
					break;
			}
			break;
		}
		if (t.at == t.end || !match_one(m, &p, &t))
			break;
		if (p.at == p.end)
			found = t.at == t.end;
	}
	if (p.at == p.end && !found)
		found = t.at == t.end;
	m->depth--;
	return found;
}

/* Without them: one * at a time. */
static bool match_simple(const struct matcher *m, struct rest p, struct rest t)
{
	const char *star = NULL, *tried = NULL;

	for (;;) {
		if (p.at < p.end && *p.at == '*') {
			star = ++p.at;
			tried = t.at;
			continue;
		}
		if (p.at == p.end && t.at == t.end)
			return true;
		if (p.at < p.end && t.at < t.end && match_one(m, &p, &t))
			continue;
		if (!star || tried >= t.end || is_guarded(m, tried))
			return false;
		t.at = ++tried;
		p.at = star;
	}
}

enum bl_shell_answer bl_shell_match(struct bl_str pattern, struct bl_str text,
				    uint32_t flags, bool *out_matches)
{
	struct matcher m = { .flags = flags };
	struct rest p = { pattern.len ? pattern.ptr : "", NULL };
	struct rest t = { text.len ? text.ptr : "", NULL };

	p.end = p.at + pattern.len;
	t.end = t.at + text.len;
	m.start = t.at;
	if (!(flags & BL_SHELL_MATCH_EXTGLOB) || !pattern.len ||
	    !memchr(pattern.ptr, '(', pattern.len))
		*out_matches = match_simple(&m, p, t);
	else
		*out_matches = match_here(&m, p, t);
	return m.exceeded ? BL_SHELL_EXCEEDS : BL_SHELL_KNOWN;
}
