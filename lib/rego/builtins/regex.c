/* SPDX-License-Identifier: Apache-2.0 */
/* Regular expressions, as Go's regexp uses them. */
#include "rego/builtins/functions.h"
#include "rego/builtins/runes.h"
#include "text/text.h"

enum { MAX_GROUPS = 1000 };

/* ---- one match ------------------------------------------------------------ */

static bool search_fault(struct bl_builtin_call *call, enum bl_status status)
{
	if (status == BL_NO_MEMORY || bl_arena_status(call->arena))
		return bl_builtin_memory_fault(call);
	return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%s",
				bl_status_text(status));
}

bool bl_fn_regex_match(struct bl_builtin_call *call)
{
	const struct bl_regex *regex;
	enum bl_status status;
	bool found;

	if (!bl_builtin_regex_of(call, 0, &regex))
		return false;
	status = bl_regex_search(regex, call->arena, bl_builtin_text(call, 1),
				 0, NULL, 0, &found);
	if (status)
		return search_fault(call, status);
	return bl_builtin_return_boolean(call, found);
}

bool bl_fn_regex_is_valid(struct bl_builtin_call *call)
{
	const struct bl_regex *regex;
	bool ok = bl_value_is(call->args[0], BL_KIND_STRING) &&
		  bl_builtin_regex(call, bl_builtin_text(call, 0), &regex);

	call->fault = BL_FAULT_NONE;
	return bl_builtin_return_boolean(call, ok);
}

/* ---- all matches -------------------------------------------------------- */

/* Going through the matches of a text, as Go's allMatches does. */
struct matches {
	struct bl_builtin_call *call;
	const struct bl_regex *regex;
	struct bl_str text;
	size_t at;
	size_t last_end; /* SIZE_MAX: no match yet */
	struct bl_span *spans;
	size_t span_count;
};

static bool start(struct matches *matches, struct bl_builtin_call *call,
		  size_t pattern, struct bl_str text)
{
	*matches = (struct matches){ .call = call,
				     .text = text,
				     .last_end = SIZE_MAX };
	if (!bl_builtin_regex_of(call, pattern, &matches->regex))
		return false;
	matches->span_count = bl_regex_group_count(matches->regex) + 1;
	matches->spans = bl_arena_new_array(call->arena, struct bl_span,
					    matches->span_count);
	return matches->spans || bl_builtin_memory_fault(call);
}

/* The next match; *out_found false at the end.  False: fault. */
static bool next(struct matches *matches, size_t span_count, bool *out_found)
{
	while (matches->at <= matches->text.len) {
		struct bl_span *whole = &matches->spans[0];
		bool accept;
		enum bl_status status = bl_regex_search(
			matches->regex, matches->call->arena, matches->text,
			matches->at, matches->spans, span_count, out_found);

		if (status)
			return search_fault(matches->call, status);
		if (!*out_found)
			return true;
		/* No empty match right after a match. */
		accept = whole->to > whole->from ||
			 whole->from != matches->last_end;
		if (whole->to > matches->at)
			matches->at = whole->to;
		else
			matches->at += matches->at < matches->text.len
					       ? bl_rune_length(matches->text,
								matches->at)
					       : 1;
		matches->last_end = whole->to;
		if (accept)
			return true;
	}
	*out_found = false;
	return true;
}

static struct bl_value span_value(const struct matches *matches, size_t i)
{
	struct bl_span span = matches->spans[i];

	if (span.from == SIZE_MAX)
		return bl_value_string(BL_STR(""));
	return bl_value_string(bl_str_slice(matches->text, span.from, span.to));
}

/* The whole matches, or arrays of them and their groups. */
static bool find_all(struct bl_builtin_call *call, bool with_groups)
{
	struct bl_array_builder out;
	struct matches matches;
	int64_t limit;

	if (!bl_builtin_plain_integer(call, 3, &limit) ||
	    !start(&matches, call, 0, bl_builtin_text(call, 1)))
		return false;
	bl_array_builder_init(&out, call->arena);
	while (limit < 0 || (int64_t)out.count < limit) {
		struct bl_array_builder groups;
		bool found;

		if (!next(&matches, with_groups ? matches.span_count : 1,
			  &found))
			return false;
		if (!found)
			break;
		if (!with_groups) {
			bl_array_builder_add(&out, span_value(&matches, 0));
			continue;
		}
		bl_array_builder_init(&groups, call->arena);
		for (size_t i = 0; i < matches.span_count; i++)
			bl_array_builder_add(&groups, span_value(&matches, i));
		bl_array_builder_add(&out, bl_array_builder_end(&groups));
	}
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

bool bl_fn_regex_find_n(struct bl_builtin_call *call)
{
	return find_all(call, false);
}

bool bl_fn_regex_find_all_string_submatch_n(struct bl_builtin_call *call)
{
	return find_all(call, true);
}

bool bl_fn_regex_split(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 1);
	struct bl_array_builder out;
	struct matches matches;
	size_t begin = 0, end = 0;
	bool found;

	if (!start(&matches, call, 0, text))
		return false;
	bl_array_builder_init(&out, call->arena);
	if (!text.len && bl_builtin_text(call, 0).len) {
		bl_array_builder_add(&out, bl_value_string(text));
		return bl_builtin_return(call, bl_array_builder_end(&out));
	}
	do {
		struct bl_span span;

		if (!next(&matches, 1, &found))
			return false;
		if (!found)
			break;
		span = matches.spans[0];
		end = span.from;
		/* An empty match at the start splits nothing off. */
		if (span.to)
			bl_array_builder_add(&out, bl_value_string(bl_str_slice(
							   text, begin, end)));
		begin = span.to;
	} while (found);
	if (end != text.len)
		bl_array_builder_add(&out, bl_value_string(bl_str_slice(
						   text, begin, text.len)));
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

/* ---- replacing ---------------------------------------------------------- */

/* The group that a name or number means; SIZE_MAX when absent. */
static size_t find_group(const struct matches *matches, struct bl_str name)
{
	size_t number = 0;
	bool digits = name.len > 0;

	for (size_t i = 0; i < name.len; i++) {
		digits = digits && name.ptr[i] >= '0' && name.ptr[i] <= '9';
		if (digits && number < MAX_GROUPS)
			number = number * 10 + (size_t)(name.ptr[i] - '0');
	}
	if (digits)
		return number < matches->span_count ? number : SIZE_MAX;
	for (size_t i = 1; i < matches->span_count; i++) {
		if (bl_str_equal(bl_regex_group_name(matches->regex, i), name))
			return i;
	}
	return SIZE_MAX;
}

static size_t name_length(struct bl_str text)
{
	size_t len = 0;

	while (len < text.len &&
	       (text.ptr[len] == '_' ||
		(text.ptr[len] >= '0' && text.ptr[len] <= '9') ||
		(text.ptr[len] >= 'a' && text.ptr[len] <= 'z') ||
		(text.ptr[len] >= 'A' && text.ptr[len] <= 'Z')))
		len++;
	return len;
}

/*
 * Reads "name" or "{name}" at the start of text.  Gives the length; 0 without
 * one.
 */
static size_t read_name(struct bl_str text, struct bl_str *out_name)
{
	bool braces = text.len && text.ptr[0] == '{';
	size_t len;

	if (braces)
		text = bl_str_slice(text, 1, text.len);
	len = name_length(text);
	*out_name = bl_str_slice(text, 0, len);
	if (!len)
		return 0;
	if (!braces)
		return len;
	return len < text.len && text.ptr[len] == '}' ? len + 2 : 0;
}

/* Appends template with $name filled in. */
static void expand(struct bl_buf *out, const struct matches *matches,
		   struct bl_str template)
{
	while (template.len) {
		size_t dollar = bl_str_find(template, BL_STR("$"), 0);
		struct bl_str name;
		size_t len, group;

		bl_buf_put_str(out, bl_str_slice(template, 0, dollar));
		if (dollar == SIZE_MAX)
			return;
		template = bl_str_slice(template, dollar + 1, template.len);
		if (bl_str_has_prefix(template, BL_STR("$"))) {
			bl_buf_put_char(out, '$');
			template = bl_str_slice(template, 1, template.len);
			continue;
		}
		len = read_name(template, &name);
		if (!len) {
			bl_buf_put_char(out, '$');
			continue;
		}
		template = bl_str_slice(template, len, template.len);
		group = find_group(matches, name);
		if (group != SIZE_MAX)
			bl_buf_put_str(
				out, bl_value_text(span_value(matches, group)));
	}
}

bool bl_fn_regex_replace(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);
	struct matches matches;
	size_t copied = 0;
	struct bl_buf out;
	bool found;

	if (!start(&matches, call, 1, text))
		return false;
	bl_buf_init(&out, UINT32_MAX);
	while (next(&matches, matches.span_count, &found)) {
		struct bl_span span = matches.spans[0];

		if (!found) {
			bl_buf_put_str(&out,
				       bl_str_slice(text, copied, text.len));
			return bl_builtin_return_buf(call, &out);
		}
		bl_buf_put_str(&out, bl_str_slice(text, copied, span.from));
		expand(&out, &matches, bl_builtin_text(call, 2));
		copied = span.to;
	}
	bl_buf_clear(&out);
	return false;
}

/* ---- templates ---------------------------------------------------------- */

/* The end of the part that begins before at, or SIZE_MAX. */
static size_t find_close(struct bl_str template, size_t at, char open,
			 char close)
{
	size_t depth = 1;

	for (; at < template.len; at++) {
		if (template.ptr[at] == close && !--depth)
			return at;
		if (template.ptr[at] == open && open != close)
			depth++;
	}
	return SIZE_MAX;
}

static void put_literal(struct bl_buf *out, struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] && strchr("\\.+*?()|[]{}^$", text.ptr[i]))
			bl_buf_put_char(out, '\\');
		bl_buf_put_char(out, text.ptr[i]);
	}
}

/* The template as one pattern.  False: unbalanced. */
static bool put_template(struct bl_buf *out, struct bl_str template, char open,
			 char close)
{
	size_t at = 0;

	bl_buf_put_char(out, '^');
	while (at < template.len) {
		char c = template.ptr[at];
		size_t end;

		if (c == close && open != close)
			return false;
		if (c != open) {
			put_literal(out, bl_str_slice(template, at, at + 1));
			at++;
			continue;
		}
		end = find_close(template, at + 1, open, close);
		if (end == SIZE_MAX)
			return false;
		bl_buf_put_char(out, '(');
		bl_buf_put_str(out, bl_str_slice(template, at + 1, end));
		bl_buf_put_char(out, ')');
		at = end + 1;
	}
	bl_buf_put_char(out, '$');
	return true;
}

bool bl_builtin_template_pattern(struct bl_builtin_call *call,
				 struct bl_str *out_pattern)
{
	struct bl_str template = bl_builtin_text(call, 0);
	struct bl_str open = bl_builtin_text(call, 2);
	struct bl_str close = bl_builtin_text(call, 3);
	struct bl_value pattern;
	struct bl_buf out;
	bool balanced;

	if (open.len != 1 || close.len != 1)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"%s delimiter is not exactly one "
					"character long",
					open.len != 1 ? "start" : "end");
	bl_buf_init(&out, UINT32_MAX);
	balanced = put_template(&out, template, open.ptr[0], close.ptr[0]);
	pattern = bl_builtin_string(call, bl_buf_str(&out));
	bl_buf_clear(&out);
	if (!balanced)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"unbalanced braces in \"%.*s\"",
					BL_STR_ARG(template));
	if (!bl_value_is_defined(pattern))
		return bl_builtin_memory_fault(call);
	*out_pattern = bl_value_text(pattern);
	return true;
}

bool bl_fn_regex_template_match(struct bl_builtin_call *call)
{
	const struct bl_regex *regex = call->regex;
	struct bl_str pattern;
	enum bl_status status;
	bool found;

	if (!regex && (!bl_builtin_template_pattern(call, &pattern) ||
		       !bl_builtin_regex(call, pattern, &regex)))
		return false;
	status = bl_regex_search(regex, call->arena, bl_builtin_text(call, 1),
				 0, NULL, 0, &found);
	if (status)
		return search_fault(call, status);
	return bl_builtin_return_boolean(call, found);
}
