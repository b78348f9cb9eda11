/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/apply.c: the operators of ${...} on a value that is known: removal,
 * replacement, case, quoting.  They stand alone because they are functions of
 * texts only, which callers with their own idea of values use as well.
 */
#include <stdio.h>

#include "shell/private.h"

/* Patterns are tried at every length: longer values are not worth it. */
enum { VALUE_MAX = 8192 };

struct result {
	char *ptr;
	size_t len, cap;
	struct bl_arena *arena;
	enum bl_shell_answer answer; /* of the matching so far */
	bool failed;
};

enum { EDGE_SUFFIX = 1, EDGE_LONGEST = 2 };

static void put(struct result *r, struct bl_str text)
{
	for (size_t i = 0; i < text.len && !r->failed; i++) {
		char *ptr = bl_arena_room(r->arena, r->ptr, r->len, &r->cap, 1);

		r->failed = !ptr;
		if (!ptr)
			return;
		r->ptr = ptr;
		ptr[r->len++] = text.ptr[i];
	}
}

static bool matches(struct bl_str pattern, struct bl_str text,
		    enum bl_shell_answer *answer)
{
	bool found = false;

	if (*answer == BL_SHELL_KNOWN)
		*answer = bl_shell_match(pattern, text, 0, &found);
	return found;
}

/* How many bytes at the start (or end) match: the fewest or the most. */
static bool find_edge(struct bl_str value, struct bl_str pattern, unsigned how,
		      size_t *out_len, enum bl_shell_answer *answer)
{
	for (size_t i = 0; i <= value.len; i++) {
		size_t len = how & EDGE_LONGEST ? value.len - i : i;
		struct bl_str part =
			how & EDGE_SUFFIX ? bl_str_slice(value, value.len - len,
							 value.len)
					  : bl_str_slice(value, 0, len);

		if (matches(pattern, part, answer)) {
			*out_len = len;
			return true;
		}
	}
	return false;
}

static enum bl_shell_answer remove_edge(enum bl_shell_operator op,
					struct bl_str value,
					struct bl_str pattern,
					struct bl_str *out)
{
	bool suffix = op == BL_SHELL_OP_REMOVE_SUFFIX ||
		      op == BL_SHELL_OP_REMOVE_LONG_SUFFIX;
	bool longest = op == BL_SHELL_OP_REMOVE_LONG_PREFIX ||
		       op == BL_SHELL_OP_REMOVE_LONG_SUFFIX;
	enum bl_shell_answer answer = BL_SHELL_KNOWN;
	size_t len = 0;

	*out = value;
	if (find_edge(value, pattern,
		      (suffix ? EDGE_SUFFIX : 0) | (longest ? EDGE_LONGEST : 0),
		      &len, &answer))
		*out = suffix ? bl_str_slice(value, 0, value.len - len)
			      : bl_str_slice(value, len, value.len);
	return answer;
}

/* The replacement: & is the match, \& and \\ are & and \. */
static void put_replacement(struct result *r, struct bl_str second,
			    struct bl_str match)
{
	for (size_t i = 0; i < second.len; i++) {
		struct bl_str one = { second.ptr + i, 1 };

		if (*one.ptr == '\\' && i + 1 < second.len) {
			one.ptr++;
			i++;
			put(r, one);
		} else if (*one.ptr == '&') {
			put(r, match);
		} else {
			put(r, one);
		}
	}
}

/* ${x/#p/r} and ${x/%p/r} */
static void replace_edge(struct result *r, bool suffix, struct bl_str value,
			 struct bl_str pattern, struct bl_str second)
{
	size_t len = 0;

	if (!find_edge(value, pattern,
		       EDGE_LONGEST | (suffix ? EDGE_SUFFIX : 0), &len,
		       &r->answer)) {
		put(r, value);
		return;
	}
	if (suffix)
		put(r, bl_str_slice(value, 0, value.len - len));
	put_replacement(r, second,
			suffix ? bl_str_slice(value, value.len - len, value.len)
			       : bl_str_slice(value, 0, len));
	if (!suffix)
		put(r, bl_str_slice(value, len, value.len));
}

/* ${x/p/r} and ${x//p/r}: leftmost, and the longest there. */
static void replace(struct result *r, bool all, struct bl_str value,
		    struct bl_str pattern, struct bl_str second)
{
	bool done = pattern.len == 0;

	for (size_t i = 0; i < value.len;) {
		struct bl_str rest = bl_str_slice(value, i, value.len);
		size_t len = 0;

		if (!done && r->answer == BL_SHELL_KNOWN &&
		    find_edge(rest, pattern, EDGE_LONGEST, &len, &r->answer) &&
		    len) {
			put_replacement(r, second, bl_str_slice(rest, 0, len));
			i += len;
			done = !all;
			continue;
		}
		put(r, bl_str_slice(rest, 0, 1));
		i++;
	}
	if (!value.len && !done && matches(pattern, value, &r->answer))
		put_replacement(r, second, value);
}

static bool is_ascii(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] >= 0x80)
			return false;
	return true;
}

static char change_case(enum bl_shell_operator op, char c)
{
	bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
	bool up = op == BL_SHELL_OP_UPPER || op == BL_SHELL_OP_UPPER_FIRST;
	bool down = op == BL_SHELL_OP_LOWER || op == BL_SHELL_OP_LOWER_FIRST;

	if (lower && !down)
		return (char)(c - 'a' + 'A');
	if (upper && !up)
		return (char)(c - 'A' + 'a');
	return c;
}

static enum bl_shell_answer put_case(struct result *r,
				     enum bl_shell_operator op,
				     struct bl_str value, struct bl_str pattern)
{
	bool first = op == BL_SHELL_OP_UPPER_FIRST ||
		     op == BL_SHELL_OP_LOWER_FIRST ||
		     op == BL_SHELL_OP_TOGGLE_FIRST;
	enum bl_shell_answer answer = BL_SHELL_KNOWN;

	if (!is_ascii(value))
		return BL_SHELL_UNKNOWN; /* the locale decides */
	for (size_t i = 0; i < value.len; i++) {
		struct bl_str one = bl_str_slice(value, i, i + 1);
		char c = value.ptr[i];

		if ((i == 0 || !first) &&
		    (!pattern.len || matches(pattern, one, &answer)))
			c = change_case(op, c);
		put(r, (struct bl_str){ &c, 1 });
	}
	return answer;
}

/* ${x@Q}: '...', or $'...' when there are control characters. */
static enum bl_shell_answer put_quoted(struct result *r, struct bl_str value)
{
	static const char escapes[] = "\aa\bb\tt\nn\vv\ff\rr\033E\\\\''";
	struct bl_str quoted;
	bool control = false;
	char octal[8];

	for (size_t i = 0; i < value.len; i++)
		control |= (unsigned char)value.ptr[i] < ' ' ||
			   value.ptr[i] == 0x7F;
	if (!control) {
		quoted = bl_shell_single_quote(r->arena, value);
		r->failed = !quoted.ptr;
		put(r, quoted);
		return is_ascii(value) ? BL_SHELL_KNOWN : BL_SHELL_UNKNOWN;
	}
	put(r, BL_STR("$'"));
	for (size_t i = 0; i < value.len; i++) {
		const char *found = NULL;
		unsigned char c = (unsigned char)value.ptr[i];

		for (size_t j = 0; j + 1 < sizeof(escapes) && !found; j += 2)
			if (escapes[j] == (char)c)
				found = &escapes[j + 1];
		if (found) {
			put(r, BL_STR("\\"));
			put(r, (struct bl_str){ found, 1 });
		} else if (c < ' ' || c == 0x7F) {
			snprintf(octal, sizeof(octal), "\\%03o", c);
			put(r, bl_str(octal));
		} else {
			put(r, bl_str_slice(value, i, i + 1));
		}
	}
	put(r, BL_STR("'"));
	return is_ascii(value) ? BL_SHELL_KNOWN : BL_SHELL_UNKNOWN;
}

static enum bl_shell_answer transform(struct result *r, char letter,
				      struct bl_str value)
{
	struct bl_str none = { NULL, 0 };

	switch (letter) {
	case 'Q':
		return put_quoted(r, value);
	case 'E':
		value = bl_shell_decode_ansi(r->arena, value);
		r->failed = !value.ptr;
		put(r, value);
		return BL_SHELL_KNOWN;
	case 'U':
		return put_case(r, BL_SHELL_OP_UPPER, value, none);
	case 'u':
		return put_case(r, BL_SHELL_OP_UPPER_FIRST, value, none);
	case 'L':
		return put_case(r, BL_SHELL_OP_LOWER, value, none);
	default:
		return BL_SHELL_UNKNOWN;
	}
}

enum bl_shell_answer bl_shell_apply(struct bl_arena *arena,
				    const struct bl_shell_parameter *parameter,
				    struct bl_str value, struct bl_str pattern,
				    struct bl_str second, struct bl_str *out)
{
	enum bl_shell_answer answer = BL_SHELL_KNOWN;
	enum bl_shell_operator op = parameter->op;
	struct result r = { .arena = arena };

	if (value.len > VALUE_MAX)
		return BL_SHELL_EXCEEDS;
	if (op >= BL_SHELL_OP_REMOVE_PREFIX &&
	    op <= BL_SHELL_OP_REMOVE_LONG_SUFFIX)
		return remove_edge(op, value, pattern, out);
	if (op == BL_SHELL_OP_REPLACE || op == BL_SHELL_OP_REPLACE_ALL)
		replace(&r, op == BL_SHELL_OP_REPLACE_ALL, value, pattern,
			second);
	else if (op == BL_SHELL_OP_REPLACE_PREFIX ||
		 op == BL_SHELL_OP_REPLACE_SUFFIX)
		replace_edge(&r, op == BL_SHELL_OP_REPLACE_SUFFIX, value,
			     pattern, second);
	else if (op >= BL_SHELL_OP_UPPER_FIRST && op <= BL_SHELL_OP_TOGGLE)
		answer = put_case(&r, op, value, pattern);
	else if (op == BL_SHELL_OP_TRANSFORM)
		answer = transform(&r, parameter->letter, value);
	else
		put(&r, value);
	if (answer == BL_SHELL_KNOWN)
		answer = r.answer;
	if (r.failed)
		return BL_SHELL_EXCEEDS;
	*out = (struct bl_str){ r.ptr, r.len };
	return answer;
}
