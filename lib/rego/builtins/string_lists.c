/* SPDX-License-Identifier: Apache-2.0 */
/*
 * concat, split, replace and others with many strings on one side: their cost is
 * in the results, not in the search.
 */
#include "rego/builtins/functions.h"
#include "rego/builtins/runes.h"

bool bl_fn_concat(struct bl_builtin_call *call)
{
	struct bl_str separator = bl_builtin_text(call, 0);
	struct bl_buf out;

	if (!bl_builtin_wants_items(call, 2, BL_KIND_STRING))
		return false;
	bl_buf_init(&out, UINT32_MAX);
	for (size_t i = 0; i < bl_value_count(call->args[1]); i++) {
		if (i)
			bl_buf_put_str(&out, separator);
		bl_buf_put_str(&out,
			       bl_value_text(bl_value_item(call->args[1], i)));
	}
	return bl_builtin_return_buf(call, &out);
}

/* ---- splitting ---------------------------------------------------------- */

/* As Go's strings.Split; the parts borrow from the text. */
static struct bl_value split(struct bl_builtin_call *call)
{
	struct bl_str s = bl_builtin_text(call, 0);
	struct bl_str separator = bl_builtin_text(call, 1);
	struct bl_array_builder out;
	size_t from = 0;

	bl_array_builder_init(&out, call->arena);
	while (separator.len ? from <= s.len : from < s.len) {
		size_t to = separator.len ? bl_str_find(s, separator, from)
					  : from + bl_rune_length(s, from);

		if (to == SIZE_MAX)
			to = s.len;
		bl_array_builder_add(
			&out, bl_value_string(bl_str_slice(s, from, to)));
		if (separator.len && to == s.len)
			break;
		from = to + separator.len;
	}
	return bl_array_builder_end(&out);
}

bool bl_fn_split(struct bl_builtin_call *call)
{
	return bl_builtin_return(call, split(call));
}

bool bl_fn_strings_split_n(struct bl_builtin_call *call)
{
	struct bl_array_builder out;
	struct bl_value parts;
	uint64_t from = 0, to;
	int64_t n;

	if (!bl_builtin_plain_integer(call, 3, &n))
		return false;
	parts = split(call);
	if (!bl_value_is_defined(parts))
		return bl_builtin_memory_fault(call);
	to = bl_value_count(parts);
	if (n >= 0 && (uint64_t)n < to)
		to = (uint64_t)n;
	else if (n < 0 && 0 - (uint64_t)n < to)
		from = to - (0 - (uint64_t)n);
	bl_array_builder_init(&out, call->arena);
	for (; from < to; from++)
		bl_array_builder_add(&out, bl_value_item(parts, (size_t)from));
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

/* ---- replacing ---------------------------------------------------------- */

/* The replacements; of several that fit at a place the first counts. */
struct replacement {
	struct bl_str from;
	struct bl_str to;
};

/* The first that fits s at at; empty ones only when may_be_empty. */
static const struct replacement *find_fit(const struct replacement *list,
					  size_t count, struct bl_str s,
					  bool may_be_empty)
{
	for (size_t i = 0; i < count; i++) {
		if ((list[i].from.len || may_be_empty) &&
		    bl_str_has_prefix(s, list[i].from))
			return &list[i];
	}
	return NULL;
}

/* As Go's strings.Replacer. */
static void replace(struct bl_buf *out, struct bl_str s,
		    const struct replacement *list, size_t count)
{
	bool was_empty = false;
	size_t at = 0;

	while (at <= s.len) {
		const struct replacement *fit = find_fit(
			list, count, bl_str_slice(s, at, s.len), !was_empty);

		was_empty = fit && !fit->from.len;
		if (fit) {
			bl_buf_put_str(out, fit->to);
			at += fit->from.len;
		} else {
			size_t len = at < s.len ? bl_rune_length(s, at) : 1;

			bl_buf_put_str(out, bl_str_slice(s, at, at + len));
			at += len;
		}
	}
}

bool bl_fn_replace(struct bl_builtin_call *call)
{
	struct replacement one = { bl_builtin_text(call, 1),
				   bl_builtin_text(call, 2) };
	struct bl_buf out;

	bl_buf_init(&out, UINT32_MAX);
	replace(&out, bl_builtin_text(call, 0), &one, 1);
	return bl_builtin_return_buf(call, &out);
}

bool bl_fn_strings_replace_n(struct bl_builtin_call *call)
{
	struct bl_value object = call->args[0];
	size_t count = bl_value_count(object);
	struct replacement *list =
		bl_arena_new_array(call->arena, struct replacement, count + 1);
	struct bl_buf out;

	if (!list)
		return bl_builtin_memory_fault(call);
	for (size_t rank = 0; rank < count; rank++) {
		size_t i = bl_object_sorted_index(object, rank);
		struct bl_value key = bl_object_key(object, i);
		struct bl_value value = bl_object_value(object, i);
		const char *wrong = NULL;

		if (!bl_value_is(key, BL_KIND_STRING))
			wrong = "key";
		else if (!bl_value_is(value, BL_KIND_STRING))
			wrong = "value";
		if (wrong)
			return bl_builtin_fault(
				call, BL_FAULT_TYPE,
				"operand 1 non-string %s found in pattern "
				"object",
				wrong);
		list[rank].from = bl_value_text(key);
		list[rank].to = bl_value_text(value);
	}
	bl_buf_init(&out, UINT32_MAX);
	replace(&out, bl_builtin_text(call, 1), list, count);
	return bl_builtin_return_buf(call, &out);
}

/* ---- prefixes and suffixes ---------------------------------------------- */

/* Operand n is a string, or an array or set of strings. */
static bool wants_strings(struct bl_builtin_call *call, size_t n)
{
	return bl_value_is(call->args[n - 1], BL_KIND_STRING) ||
	       bl_builtin_wants_items(call, n, BL_KIND_STRING);
}

/* Text i of a string (only 0) or of a collection of strings. */
static struct bl_str text_at(struct bl_value texts, size_t i)
{
	return bl_value_is(texts, BL_KIND_STRING)
		       ? bl_value_text(texts)
		       : bl_value_text(bl_value_item(texts, i));
}

static size_t text_count(struct bl_value texts)
{
	return bl_value_is(texts, BL_KIND_STRING) ? 1 : bl_value_count(texts);
}

static bool any_match(struct bl_builtin_call *call,
		      bool (*matches)(struct bl_str, struct bl_str))
{
	struct bl_value texts = call->args[0], parts = call->args[1];

	if (!wants_strings(call, 1) || !wants_strings(call, 2))
		return false;
	for (size_t i = 0; i < text_count(texts); i++) {
		for (size_t j = 0; j < text_count(parts); j++) {
			if (matches(text_at(texts, i), text_at(parts, j)))
				return bl_builtin_return_boolean(call, true);
		}
	}
	return bl_builtin_return_boolean(call, false);
}

bool bl_fn_strings_any_prefix_match(struct bl_builtin_call *call)
{
	return any_match(call, bl_str_has_prefix);
}

bool bl_fn_strings_any_suffix_match(struct bl_builtin_call *call)
{
	return any_match(call, bl_str_has_suffix);
}
