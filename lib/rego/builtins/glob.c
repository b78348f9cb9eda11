/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Globs, translated to regular expressions, so that they take linear time as well.
 * globs_match.c asks whether two of them meet.
 */
#include "rego/builtins/functions.h"
#include "rego/builtins/runes.h"
#include "text/text.h"

/* A glob being made into a pattern. */
struct translator {
	struct bl_builtin_call *call;
	struct bl_buf out;
	struct bl_buf delimiters; /* escaped, for use in a class */
	struct bl_str glob;
	size_t at;
	size_t depth; /* of braces */
};

static void put_rune(struct bl_buf *out, struct bl_str rune)
{
	if (rune.len == 1 && strchr("\\.+*?()|[]{}^$-&~#", rune.ptr[0]) &&
	    rune.ptr[0])
		bl_buf_put_char(out, '\\');
	bl_buf_put_str(out, rune);
}

/* The character at the current place, which is stepped over. */
static struct bl_str take(struct translator *t)
{
	size_t len = bl_rune_length(t->glob, t->at);
	struct bl_str rune = bl_str_slice(t->glob, t->at, t->at + len);

	t->at += len;
	return rune;
}

/* As above, where "\" makes the next one plain. */
static struct bl_str take_plain(struct translator *t)
{
	struct bl_str rune = take(t);

	if (rune.ptr[0] == '\\' && t->at < t->glob.len)
		rune = take(t);
	return rune;
}

static bool peek(const struct translator *t, char c)
{
	return t->at < t->glob.len && t->glob.ptr[t->at] == c;
}

static void put_one(struct translator *t)
{
	if (!t->delimiters.len) {
		bl_buf_put_char(&t->out, '.');
		return;
	}
	bl_buf_puts(&t->out, "[^");
	bl_buf_put_str(&t->out, bl_buf_str(&t->delimiters));
	bl_buf_put_char(&t->out, ']');
}

/* After "*". */
static void put_many(struct translator *t)
{
	if (peek(t, '*')) {
		t->at++;
		bl_buf_put_char(&t->out, '.');
	} else {
		put_one(t);
	}
	bl_buf_put_char(&t->out, '*');
}

/* After "[": characters, or one range, up to "]". */
static bool put_class(struct translator *t)
{
	bl_buf_put_char(&t->out, '[');
	if (peek(t, '!')) {
		t->at++;
		bl_buf_put_char(&t->out, '^');
	}
	if (peek(t, ']'))
		return false;
	while (t->at < t->glob.len) {
		if (peek(t, ']')) {
			t->at++;
			bl_buf_put_char(&t->out, ']');
			return true;
		}
		put_rune(&t->out, take_plain(t));
		if (!peek(t, '-'))
			continue;
		t->at++;
		if (t->at >= t->glob.len || peek(t, ']'))
			return false;
		bl_buf_put_char(&t->out, '-');
		put_rune(&t->out, take_plain(t));
	}
	return false;
}

/* One item of the glob.  False: not a glob. */
static bool put_item(struct translator *t)
{
	struct bl_str rune = take(t);

	switch (rune.ptr[0]) {
	case '*':
		put_many(t);
		return true;
	case '?':
		put_one(t);
		return true;
	case '[':
		return put_class(t);
	case '{':
		t->depth++;
		bl_buf_puts(&t->out, "(?:");
		return true;
	case '}':
		if (!t->depth)
			break;
		t->depth--;
		bl_buf_put_char(&t->out, ')');
		return true;
	case ',':
		if (!t->depth)
			break;
		bl_buf_put_char(&t->out, '|');
		return true;
	case '\\':
		if (t->at >= t->glob.len)
			return false;
		rune = take(t);
		break;
	default:
		break;
	}
	put_rune(&t->out, rune);
	return true;
}

static bool translate(struct translator *t)
{
	bl_buf_puts(&t->out, "\\A(?s:");
	while (t->at < t->glob.len) {
		if (!put_item(t))
			return false;
	}
	bl_buf_puts(&t->out, ")\\z");
	return t->depth == 0;
}

/* null: none; an empty array: the point. */
static bool read_delimiters(struct translator *t, struct bl_value delimiters)
{
	if (bl_value_is(delimiters, BL_KIND_NULL))
		return true;
	if (!bl_value_count(delimiters))
		put_rune(&t->delimiters, BL_STR("."));
	if (!bl_builtin_wants_items(t->call, 2, BL_KIND_STRING))
		return false;
	for (size_t i = 0; i < bl_value_count(delimiters); i++) {
		struct bl_str text =
			bl_value_text(bl_value_item(delimiters, i));

		if (bl_rune_count(text) != 1)
			return bl_builtin_fault(t->call, BL_FAULT_TYPE,
						"operand 2 must be array of "
						"single characters");
		put_rune(&t->delimiters, text);
	}
	return true;
}

bool bl_builtin_glob_pattern(struct bl_builtin_call *call,
			     struct bl_str *out_pattern)
{
	struct translator t = { .call = call,
				.glob = bl_builtin_text(call, 0) };
	struct bl_value pattern;
	bool ok, is_glob = false;

	bl_buf_init(&t.out, UINT32_MAX);
	bl_buf_init(&t.delimiters, UINT32_MAX);
	ok = read_delimiters(&t, call->args[1]);
	if (ok)
		is_glob = translate(&t);
	pattern = bl_builtin_string(call, bl_buf_str(&t.out));
	bl_buf_clear(&t.out);
	bl_buf_clear(&t.delimiters);
	if (!ok)
		return false;
	if (!is_glob)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"not a glob: %.*s", BL_STR_ARG(t.glob));
	*out_pattern = bl_value_text(pattern);
	return bl_value_is_defined(pattern) || bl_builtin_memory_fault(call);
}

bool bl_fn_glob_match(struct bl_builtin_call *call)
{
	const struct bl_regex *regex = call->regex;
	struct bl_str pattern;
	bool found;

	if (!regex && (!bl_builtin_glob_pattern(call, &pattern) ||
		       !bl_builtin_regex(call, pattern, &regex)))
		return false;
	if (bl_regex_search(regex, call->arena, bl_builtin_text(call, 2), 0,
			    NULL, 0, &found))
		return bl_builtin_memory_fault(call);
	return bl_builtin_return_boolean(call, found);
}

bool bl_fn_glob_quote_meta(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);
	struct bl_buf out;

	bl_buf_init(&out, UINT32_MAX);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] && strchr("\\*?[]{}", text.ptr[i]))
			bl_buf_put_char(&out, '\\');
		bl_buf_put_char(&out, text.ptr[i]);
	}
	return bl_builtin_return_buf(call, &out);
}
