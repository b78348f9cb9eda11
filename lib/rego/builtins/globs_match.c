/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.globs_match: do two simple patterns (characters, ".", "[a-z]", "\",
 * "*" and "+") match a common text?  Decided on pairs of places, one in each
 * pattern, which both can come to with the same text.
 */
#include "rego/builtins/functions.h"
#include "rego/builtins/runes.h"

enum { MAX_TOKENS = 2000 };

/* Characters from from to to; a token has a list of such. */
struct range {
	uint32_t from;
	uint32_t to;
};

struct token {
	size_t first; /* of its ranges */
	size_t count;
	bool repeats; /* any number of times, or none */
};

struct pattern {
	struct bl_builtin_call *call;
	struct bl_str text;
	size_t at;
	struct token *tokens;
	size_t count;
	struct range *ranges;
	size_t range_count;
};

static bool fault(struct pattern *pattern, const char *what)
{
	struct bl_str before = bl_str_slice(pattern->text, 0, pattern->at);

	return bl_builtin_fault(
		pattern->call, BL_FAULT_BUILTIN,
		"input:%.*s, pos:%zu, %s: the input provided is invalid",
		BL_STR_ARG(pattern->text), bl_rune_count(before), what);
}

/* The next character; "\" is stepped over. */
static uint32_t take(struct pattern *pattern)
{
	uint32_t rune = BL_REPLACEMENT_CHAR;

	if (pattern->text.ptr[pattern->at] == '\\' &&
	    pattern->at + 1 < pattern->text.len)
		pattern->at++;
	bl_utf8_decode(pattern->text, pattern->at, &rune);
	pattern->at += bl_rune_length(pattern->text, pattern->at);
	return rune;
}

static bool peek(const struct pattern *pattern, char c)
{
	return pattern->at < pattern->text.len &&
	       pattern->text.ptr[pattern->at] == c;
}

static void add_range(struct pattern *pattern, uint32_t from, uint32_t to)
{
	pattern->ranges[pattern->range_count++] = (struct range){ from, to };
}

/* After "[". */
static bool read_set(struct pattern *pattern)
{
	while (!peek(pattern, ']')) {
		uint32_t from, to;

		if (pattern->at >= pattern->text.len)
			return fault(pattern,
				     "set-open '[' with no following ']'");
		if (peek(pattern, '-'))
			return fault(pattern,
				     "range character '-' must be preceded by "
				     "a Unicode character");
		from = to = take(pattern);
		if (peek(pattern, '-')) {
			pattern->at++;
			if (pattern->at >= pattern->text.len)
				continue;
			to = take(pattern);
			if (to < from)
				return fault(pattern, "range is not ordered");
		}
		add_range(pattern, from, to);
	}
	pattern->at++;
	return true;
}

static bool read_token(struct pattern *pattern)
{
	struct token *token = &pattern->tokens[pattern->count++];
	char c = pattern->text.ptr[pattern->at];

	token->first = pattern->range_count;
	if (c == '[') {
		pattern->at++;
		if (!read_set(pattern))
			return false;
	} else if (c == '.') {
		pattern->at++;
		add_range(pattern, 0, 0x10FFFF);
	} else if (c == ']' || c == '*' || c == '+') {
		pattern->at++;
		return fault(pattern,
			     c == ']' ? "set-close ']' with no preceding '['"
				      : "flag must be preceded by a non-flag");
	} else if (c == '\\' && pattern->at + 1 == pattern->text.len) {
		return fault(pattern, "escape character '\\' must be followed "
				      "by another character");
	} else {
		uint32_t rune = take(pattern);

		add_range(pattern, rune, rune);
	}
	token->count = pattern->range_count - token->first;
	if (peek(pattern, '*')) {
		token->repeats = true;
		pattern->at++;
	} else if (peek(pattern, '+')) {
		pattern->tokens[pattern->count] = *token;
		pattern->tokens[pattern->count++].repeats = true;
		pattern->at++;
	}
	return true;
}

static bool read_pattern(struct bl_builtin_call *call, size_t operand,
			 struct pattern *pattern)
{
	*pattern = (struct pattern){ .call = call,
				     .text = bl_builtin_text(call, operand) };
	if (pattern->text.len > MAX_TOKENS)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"pattern is too long");
	pattern->tokens = bl_arena_new_array(call->arena, struct token,
					     pattern->text.len + 1);
	pattern->ranges = bl_arena_new_array(call->arena, struct range,
					     pattern->text.len + 1);
	if (!pattern->tokens || !pattern->ranges)
		return bl_builtin_memory_fault(call);
	while (pattern->at < pattern->text.len) {
		if (!read_token(pattern))
			return false;
	}
	return true;
}

static bool meet(const struct pattern *a, const struct token *x,
		 const struct pattern *b, const struct token *y)
{
	for (size_t i = x->first; i < x->first + x->count; i++) {
		for (size_t j = y->first; j < y->first + y->count; j++) {
			if (a->ranges[i].from <= b->ranges[j].to &&
			    b->ranges[j].from <= a->ranges[i].to)
				return true;
		}
	}
	return false;
}

/* How a pair of places was come to: with the empty text, with another. */
enum { EMPTY = 1, TEXT = 2 };

/*
 * Places (i, j) in order; each marks those that can follow it.  A repeating
 * token may be passed over, or take a character and stay.  The empty text counts
 * only where both patterns are empty, as in OPA.
 */
static bool have_common(const struct pattern *a, const struct pattern *b,
			uint8_t *reached)
{
	size_t width = b->count + 1;

	reached[0] = EMPTY;
	for (size_t i = 0; i <= a->count; i++) {
		for (size_t j = 0; j <= b->count; j++) {
			const struct token *x = &a->tokens[i];
			const struct token *y = &b->tokens[j];
			uint8_t *here = &reached[i * width + j];
			bool more_x = i < a->count, more_y = j < b->count;

			if (!*here)
				continue;
			if (more_x && more_y && meet(a, x, b, y)) {
				if (!x->repeats && !y->repeats)
					here[width + 1] |= TEXT;
				else if (!x->repeats)
					here[width] |= TEXT;
				else if (!y->repeats)
					here[1] |= TEXT;
				else
					*here |= TEXT;
			}
			if (more_x && x->repeats)
				here[width] |= *here;
			if (more_y && y->repeats)
				here[1] |= *here;
		}
	}
	return reached[a->count * width + b->count] &
	       (a->count || b->count ? TEXT : EMPTY);
}

bool bl_fn_regex_globs_match(struct bl_builtin_call *call)
{
	struct pattern a, b;
	uint8_t *reached;

	if (!read_pattern(call, 0, &a) || !read_pattern(call, 1, &b))
		return false;
	reached = bl_arena_new_array(call->arena, uint8_t,
				     (a.count + 1) * (b.count + 1));
	if (!reached)
		return bl_builtin_memory_fault(call);
	return bl_builtin_return_boolean(call, have_common(&a, &b, reached));
}
