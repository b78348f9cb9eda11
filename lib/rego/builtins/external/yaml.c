/* SPDX-License-Identifier: Apache-2.0 */
/* The yaml builtins; yaml.marshal writes block style, as sigs.k8s.io/yaml. */
#include "rego/builtins/external/functions.h"
#include "yaml/yaml.h"

#include <stdio.h>
#include <stdlib.h>

struct writer {
	struct bl_arena *arena;
	struct bl_buf *out;
};

static void put_node(const struct writer *w, struct bl_value value,
		     size_t indent, bool in_sequence);

static void put_indent(struct bl_buf *out, size_t indent)
{
	while (indent--)
		bl_buf_put_char(out, ' ');
}

/* ---- strings ------------------------------------------------------------ */

/* Characters that need quotes; a tab does on a line of its own alone. */
static bool has_control(struct bl_str text)
{
	bool has_lines = bl_str_find(text, BL_STR("\n"), 0) != SIZE_MAX;

	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if ((c < 0x20 && c != '\n' && !(c == '\t' && has_lines)) ||
		    c == 0x7F)
			return true;
	}
	return false;
}

/* Can it stand without quotes, as far as its characters go? */
static bool is_plain(struct bl_str text)
{
	static const char indicators[] = "-?:,[]{}#&*!|>'\"%@`";

	if (!text.len || text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' ' ||
	    bl_str_is(text, "---") || bl_str_is(text, "..."))
		return false;
	if (strchr(indicators, text.ptr[0]) &&
	    (!strchr("-?:", text.ptr[0]) || text.len == 1 ||
	     text.ptr[1] == ' '))
		return false;
	return bl_str_find(text, BL_STR(": "), 0) == SIZE_MAX &&
	       bl_str_find(text, BL_STR(" #"), 0) == SIZE_MAX &&
	       text.ptr[text.len - 1] != ':' &&
	       bl_str_find(text, BL_STR("\n"), 0) == SIZE_MAX;
}

static void put_double(struct bl_buf *out, struct bl_str text)
{
	bl_buf_put_char(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '"' || c == '\\')
			bl_buf_printf(out, "\\%c", c);
		else if (c == '\n')
			bl_buf_puts(out, "\\n");
		else if (c == '\t')
			bl_buf_puts(out, "\\t");
		else if ((unsigned char)c < 0x20 || c == 0x7F)
			bl_buf_printf(out, "\\x%02X", (unsigned char)c);
		else
			bl_buf_put_char(out, c);
	}
	bl_buf_put_char(out, '"');
}

static void put_single(struct bl_buf *out, struct bl_str text)
{
	bl_buf_put_char(out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\'')
			bl_buf_put_char(out, '\'');
		bl_buf_put_char(out, text.ptr[i]);
	}
	bl_buf_put_char(out, '\'');
}

/* Lines after "|", each indented. */
static void put_literal(struct bl_buf *out, struct bl_str text, size_t indent)
{
	bool ends = bl_str_has_suffix(text, BL_STR("\n"));
	bool keeps = bl_str_has_suffix(text, BL_STR("\n\n"));
	size_t at = 0;

	bl_buf_puts(out, keeps ? "|+" : ends ? "|" : "|-");
	if (ends)
		text.len--;
	while (at <= text.len) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);
		struct bl_str line = bl_str_slice(text, at, end);

		bl_buf_put_char(out, '\n');
		if (line.len)
			put_indent(out, indent);
		bl_buf_put_str(out, line);
		if (end == SIZE_MAX)
			return;
		at = end + 1;
	}
}

/* Text that readers of YAML 1.1 take for a boolean, so that it gets quotes. */
static bool is_old_boolean(struct bl_str text)
{
	static const char *const words[] = { "y",   "Y",   "yes", "Yes",
					     "YES", "n",   "N",   "no",
					     "No",  "NO",  "on",  "On",
					     "ON",  "off", "Off", "OFF" };

	for (size_t i = 0; i < BL_COUNT(words); i++)
		if (bl_str_is(text, words[i]))
			return true;
	return false;
}

/* "12:30", which readers of YAML 1.1 take for a number of base 60. */
static bool is_old_number(struct bl_str text)
{
	size_t at = text.len && strchr("+-", text.ptr[0]) ? 1 : 0;
	size_t parts = 0;

	if (at >= text.len || !strchr("0123456789", text.ptr[at]))
		return false;
	while (at < text.len && strchr("0123456789_", text.ptr[at]))
		at++;
	while (at + 1 < text.len && text.ptr[at] == ':') {
		size_t digits = 0;

		while (at + 1 + digits < text.len &&
		       strchr("0123456789", text.ptr[at + 1 + digits]))
			digits++;
		if (!digits || digits > 2 ||
		    (digits == 2 && text.ptr[at + 1] > '5'))
			return false;
		at += 1 + digits;
		parts++;
	}
	if (at < text.len && text.ptr[at] == '.')
		for (at++;
		     at < text.len && strchr("0123456789_", text.ptr[at]);)
			at++;
	return parts && at == text.len;
}

/* Text that stands for something else without quotes, to some reader. */
static bool is_taken(const struct writer *w, struct bl_str text)
{
	struct bl_str time;

	return is_old_boolean(text) || is_old_number(text) ||
	       bl_str_is(text, "<<") ||
	       bl_yaml_timestamp(w->arena, text, &time);
}

static void put_string(const struct writer *w, struct bl_str text,
		       size_t indent, bool is_key)
{
	struct bl_value other =
		text.len ? bl_yaml_resolve(w->arena, text) : bl_value_null();

	bool is_text = bl_value_is(other, BL_KIND_STRING) &&
		       !is_taken(w, text) && !has_control(text);

	if (is_text && is_plain(text))
		bl_buf_put_str(w->out, text);
	else if (is_text && bl_str_find(text, BL_STR("\n"), 0) == SIZE_MAX)
		put_single(w->out, text);
	else if (is_text && !is_key && text.ptr[0] != ' ' &&
		 text.ptr[0] != '\n')
		put_literal(w->out, text, indent + 2);
	else
		put_double(w->out, text);
}

/* ---- numbers ------------------------------------------------------------ */

/* Does it read as an integer of 64 bits, with a sign or without? */
static bool is_integer(struct bl_value number)
{
	static const char most[] = "18446744073709551615";
	struct bl_buf text;
	struct bl_str digits;
	int64_t integer;
	bool fits;

	if (bl_number_is_plain(number, &integer))
		return true;
	bl_buf_init(&text, 0);
	bl_number_put(&text, number);
	digits = bl_buf_str(&text);
	fits = digits.len <= strlen(most) &&
	       strspn(digits.ptr, "0123456789") == digits.len &&
	       (digits.len < strlen(most) ||
		bl_str_compare(digits, bl_str(most)) <= 0);
	bl_buf_clear(&text);
	return fits;
}

/*
 * Others are doubles, in the fewest digits that read back as the same; an exponent
 * below -4 or from 6 on is written, as Go's 'g' does.
 */
static void put_number(struct bl_buf *out, struct bl_value number)
{
	enum { PLAIN_LEAST = -4, PLAIN_MOST = 6, MOST_DIGITS = 17 };
	double real = bl_number_to_double(number);
	char text[64];
	int exponent, digits = 0;

	if (is_integer(number)) {
		bl_number_put(out, number);
		return;
	}
	do
		snprintf(text, sizeof(text), "%.*e", digits, real);
	while (strtod(text, NULL) != real && ++digits < MOST_DIGITS);
	exponent = atoi(strchr(text, 'e') + 1);
	if (exponent < PLAIN_LEAST || exponent >= PLAIN_MOST)
		bl_buf_puts(out, text);
	else
		bl_buf_printf(out, "%.*f",
			      digits > exponent ? digits - exponent : 0, real);
}

/* ---- collections -------------------------------------------------------- */

static void put_sequence(const struct writer *w, struct bl_value value,
			 size_t indent, bool in_sequence)
{
	for (size_t i = 0; i < bl_value_count(value); i++) {
		if (i || !in_sequence) {
			bl_buf_put_char(w->out, '\n');
			put_indent(w->out, indent);
		}
		bl_buf_puts(w->out, "- ");
		put_node(w, bl_value_item(value, i), indent + 2, true);
	}
}

static void put_mapping(const struct writer *w, struct bl_value value,
			size_t indent, bool in_sequence)
{
	for (size_t i = 0; i < bl_value_count(value); i++) {
		size_t at = bl_object_sorted_index(value, i);
		struct bl_value inner = bl_object_value(value, at);

		if (i || !in_sequence) {
			bl_buf_put_char(w->out, '\n');
			put_indent(w->out, indent);
		}
		put_string(w, bl_value_text(bl_object_key(value, at)), indent,
			   true);
		bl_buf_put_char(w->out, ':');
		if (inner.kind < BL_KIND_ARRAY || !bl_value_count(inner))
			bl_buf_put_char(w->out, ' ');
		put_node(w, inner,
			 inner.kind < BL_KIND_ARRAY ? indent : indent + 2,
			 false);
	}
}

/* Collections start with a line end, unless they follow "- ". */
static void put_node(const struct writer *w, struct bl_value value,
		     size_t indent, bool in_sequence)
{
	bool is_map = bl_value_is(value, BL_KIND_OBJECT);

	if (bl_value_is(value, BL_KIND_STRING))
		/* Lines after "- |" are as far in as the item is. */
		put_string(w, bl_value_text(value),
			   in_sequence && indent ? indent - 2 : indent, false);
	else if (bl_value_is(value, BL_KIND_NUMBER))
		put_number(w->out, value);
	else if (value.kind < BL_KIND_ARRAY)
		bl_go_json_put(w->out, value);
	else if (!bl_value_count(value))
		bl_buf_puts(w->out, is_map ? "{}" : "[]");
	else if (is_map)
		put_mapping(w, value, indent, in_sequence);
	else
		put_sequence(w, value, indent, in_sequence);
}

/* Appends value in block style, keys sorted. */
static void put_yaml(struct bl_arena *arena, struct bl_buf *out,
		     struct bl_value value)
{
	struct writer w = { arena, out };

	/* The outermost collection has no line end before it. */
	put_node(&w, value, 0, true);
	bl_buf_put_char(out, '\n');
}

bool bl_fn_yaml_marshal(struct bl_builtin_call *call)
{
	struct bl_buf json;
	struct bl_buf out;
	struct bl_value plain;
	struct bl_str text;

	/* JSON has no sets, and no keys but strings. */
	bl_buf_init(&json, 0);
	bl_go_json_put(&json, call->args[0]);
	text = bl_arena_copy_str(call->arena, bl_buf_str(&json));
	bl_buf_clear(&json);
	if (!text.ptr)
		return bl_builtin_memory_fault(call);
	if (!bl_builtin_read_json(call, text, &plain))
		return false;
	bl_buf_init(&out, 0);
	put_yaml(call->arena, &out, plain);
	return bl_builtin_return_buf(call, &out);
}

/* ---- reading ------------------------------------------------------------ */

static bool read_yaml(struct bl_builtin_call *call, struct bl_value *out)
{
	struct bl_error err = { 0 };
	enum bl_status status = bl_yaml_read(
		call->arena, bl_builtin_text(call, 0), out, NULL, NULL, &err);

	call->fault = BL_FAULT_NONE;
	if (!status)
		return true;
	if (status == BL_NO_MEMORY)
		return bl_builtin_memory_fault(call);
	return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%s", err.message);
}

bool bl_fn_yaml_unmarshal(struct bl_builtin_call *call)
{
	struct bl_value value;

	return read_yaml(call, &value) && bl_builtin_return(call, value);
}

bool bl_fn_yaml_is_valid(struct bl_builtin_call *call)
{
	struct bl_value value;
	bool ok = bl_value_is(call->args[0], BL_KIND_STRING) &&
		  read_yaml(call, &value);

	call->fault = BL_FAULT_NONE;
	return bl_builtin_return_boolean(call, ok);
}
