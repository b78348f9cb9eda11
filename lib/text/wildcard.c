/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wildcard.c: "*", "**" and "?", without a compiled form and without memory, for
 * the few patterns that belay's own files have.  Rego's glob.match and the
 * patterns of a shell are engines of their own, with other rules.
 *
 * Where the rest does not fit, the last "*" takes one byte more, or else the last
 * "**": what an earlier one takes more, a later one takes less.
 */
#include "text/text.h"

/* Where to go on when the rest does not fit. */
struct retry {
	size_t pattern; /* SIZE_MAX: nowhere */
	size_t text;
	bool by_folders; /* only behind the next slash */
};

struct match {
	struct bl_str pattern;
	struct bl_str text;
	unsigned flags;
	size_t p;
	size_t t;
	struct retry one; /* of the last "*" */
	struct retry any; /* of the last "**" */
};

static char at(struct bl_str s, size_t i)
{
	return i < s.len ? s.ptr[i] : '\0';
}

static bool stops_star(const struct match *m, size_t t)
{
	return (m->flags & BL_WILDCARD_PATH) && m->text.ptr[t] == '/';
}

/* Goes behind a star at m->p; false: nothing of the kind is there. */
static bool take_star(struct match *m)
{
	bool is_path = m->flags & BL_WILDCARD_PATH;

	if (at(m->pattern, m->p) != '*')
		return false;
	if (!is_path || at(m->pattern, m->p + 1) != '*') {
		m->one = (struct retry){ ++m->p, m->t, false };
		return true;
	}
	m->any.by_folders = at(m->pattern, m->p + 2) == '/' &&
			    (!m->t || m->text.ptr[m->t - 1] == '/');
	m->p += m->any.by_folders ? 3 : 2;
	m->any.pattern = m->p;
	m->any.text = m->t;
	m->one.pattern = SIZE_MAX;
	return true;
}

static bool is_end(const struct match *m)
{
	return m->p == m->pattern.len &&
	       (m->t == m->text.len || ((m->flags & BL_WILDCARD_BELOW) &&
					m->t && m->text.ptr[m->t] == '/'));
}

static bool take_byte(struct match *m)
{
	if (m->p == m->pattern.len || m->t == m->text.len ||
	    (m->pattern.ptr[m->p] != m->text.ptr[m->t] &&
	     (m->pattern.ptr[m->p] != '?' || stops_star(m, m->t))))
		return false;
	m->p++;
	m->t++;
	return true;
}

/* The last "**" takes more; false: all of the text has been tried. */
static bool retry_any(struct match *m)
{
	struct retry *any = &m->any;

	if (any->pattern == SIZE_MAX || any->text >= m->text.len)
		return false;
	while (any->by_folders && any->text < m->text.len &&
	       m->text.ptr[any->text] != '/')
		any->text++;
	if (any->text == m->text.len && any->by_folders)
		return false;
	m->p = any->pattern;
	m->t = ++any->text;
	m->one.pattern = SIZE_MAX;
	return true;
}

static bool retry(struct match *m)
{
	if (m->one.pattern == SIZE_MAX || m->one.text == m->text.len ||
	    stops_star(m, m->one.text))
		return retry_any(m);
	m->p = m->one.pattern;
	m->t = ++m->one.text;
	return true;
}

bool bl_wildcard_match(struct bl_str pattern, struct bl_str text,
		       unsigned flags)
{
	struct match m = { .pattern = pattern,
			   .text = text,
			   .flags = flags,
			   .one.pattern = SIZE_MAX,
			   .any.pattern = SIZE_MAX };

	for (;;) {
		if (take_star(&m))
			continue;
		if (is_end(&m))
			return true;
		if (!take_byte(&m) && !retry(&m))
			return false;
	}
}
