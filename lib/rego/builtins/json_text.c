/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.marshal, json.unmarshal and their like, in the form that Go writes. The
 * reader is lib/json's.
 */
#include <stdlib.h>
#include <string.h>

#include "rego/builtins/functions.h"

bool bl_fn_json_marshal(struct bl_builtin_call *call)
{
	struct bl_buf out;

	bl_buf_init(&out, UINT32_MAX);
	bl_go_json_put(&out, call->args[0]);
	return bl_builtin_return_buf(call, &out);
}

/* As far as OPA lets numbers of a text go, 2^100000: 10^30103. */
enum { MAX_SCALE = 30103 };

/* The place of a number's first digit, as a power of ten. */
static bool is_number_in_range(struct bl_value number)
{
	struct bl_buf out;
	struct bl_str text;
	const char *e;
	int64_t scale = 0;
	int64_t integer;

	if (bl_number_is_plain(number, &integer))
		return true;
	bl_buf_init(&out, 0);
	bl_number_put_canonical(&out, number);
	bl_buf_put_char(&out, '\0');
	text = bl_buf_str(&out);
	e = text.ptr ? strpbrk(text.ptr, "eE") : NULL;
	if (e)
		scale = strtoll(e + 1, NULL, 10) +
			(int64_t)strspn(text.ptr + (text.ptr[0] == '-'),
					"0123456789") -
			1;
	bl_buf_clear(&out);
	return scale < MAX_SCALE && scale > -MAX_SCALE;
}

/* The reader has limited the depth. */
static bool is_in_range(struct bl_value value)
{
	size_t count = bl_value_is(value, BL_KIND_ARRAY) ||
				       bl_value_is(value, BL_KIND_OBJECT)
			       ? bl_value_count(value)
			       : 0;

	if (bl_value_is(value, BL_KIND_NUMBER))
		return is_number_in_range(value);
	for (size_t i = 0; i < count; i++) {
		if (!is_in_range(bl_value_is(value, BL_KIND_ARRAY)
					 ? bl_value_item(value, i)
					 : bl_object_value(value, i)))
			return false;
	}
	return true;
}

bool bl_fn_json_unmarshal(struct bl_builtin_call *call)
{
	if (!bl_builtin_read_json(call, bl_builtin_text(call, 0),
				  &call->result))
		return false;
	return is_in_range(call->result) ||
	       bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"invalid number: number too big");
}

bool bl_fn_json_is_valid(struct bl_builtin_call *call)
{
	struct bl_value value;
	bool ok = bl_value_is(call->args[0], BL_KIND_STRING) &&
		  bl_builtin_read_json(call, bl_builtin_text(call, 0), &value);

	call->fault = BL_FAULT_NONE;
	return bl_builtin_return_boolean(call, ok);
}

/* ---- indentation -------------------------------------------------------- */

struct layout {
	bool pretty;
	struct bl_str prefix;
	struct bl_str indent;
};

static void put_line(struct bl_buf *out, const struct layout *layout,
		     size_t depth)
{
	bl_buf_put_char(out, '\n');
	bl_buf_put_str(out, layout->prefix);
	while (depth--)
		bl_buf_put_str(out, layout->indent);
}

/* Compact JSON with line ends and indentation put in. */
static void put_pretty(struct bl_buf *out, const struct layout *layout,
		       struct bl_str compact)
{
	bool in_string = false;
	size_t depth = 0;

	bl_buf_put_str(out, layout->prefix);
	for (size_t i = 0; i < compact.len; i++) {
		char c = compact.ptr[i];
		char next = i + 1 < compact.len ? compact.ptr[i + 1] : '\0';

		if (in_string && c == '\\') {
			bl_buf_put(out, compact.ptr + i++, 2);
			continue;
		}
		if (c == '"')
			in_string = !in_string;
		if (!in_string && (c == ']' || c == '}'))
			put_line(out, layout, --depth);
		bl_buf_put_char(out, c);
		if (in_string)
			continue;
		if (c == ':') {
			bl_buf_put_char(out, ' ');
		} else if (c == ',') {
			put_line(out, layout, depth);
		} else if (c == '[' || c == '{') {
			if (next == ']' || next == '}')
				bl_buf_put_char(out, compact.ptr[++i]);
			else
				put_line(out, layout, ++depth);
		}
	}
}

static bool option_fault(struct bl_builtin_call *call, struct bl_str key,
			 const char *wanted, struct bl_value value)
{
	return bl_builtin_fault(call, BL_FAULT_TYPE,
				"operand 2 key \"%.*s\" must be %s but got %s",
				BL_STR_ARG(key), wanted,
				bl_kind_name(bl_value_kind(value)));
}

static bool read_option(struct bl_builtin_call *call, struct bl_value key,
			struct bl_value value, struct layout *layout)
{
	struct bl_str name = bl_value_text(key);
	struct bl_buf form;

	if (bl_str_is(name, "pretty")) {
		if (!bl_value_is(value, BL_KIND_BOOLEAN))
			return option_fault(call, name, "boolean", value);
		return true;
	}
	if (bl_str_is(name, "indent") || bl_str_is(name, "prefix")) {
		if (!bl_value_is(value, BL_KIND_STRING))
			return option_fault(call, name, "string", value);
		*(bl_str_is(name, "indent") ? &layout->indent
					    : &layout->prefix) =
			bl_value_text(value);
		layout->pretty = true;
		return true;
	}
	bl_buf_init(&form, UINT32_MAX);
	if (bl_value_is(key, BL_KIND_STRING))
		bl_builtin_form_quote(&form, name);
	else
		bl_builtin_form_put(&form, key);
	bl_builtin_fault(call, BL_FAULT_TYPE,
			 "operand 2 object contained unknown key %s", form.ptr);
	bl_buf_clear(&form);
	return false;
}

bool bl_fn_json_marshal_with_options(struct bl_builtin_call *call)
{
	struct layout layout = { .indent = BL_STR("\t") };
	struct bl_value options = call->args[1], pretty;
	struct bl_buf compact, out;

	for (size_t i = 0; i < bl_value_count(options); i++) {
		if (!read_option(call, bl_object_key(options, i),
				 bl_object_value(options, i), &layout))
			return false;
	}
	pretty = bl_object_find(options, BL_STR("pretty"));
	if (bl_value_is_defined(pretty))
		layout.pretty = bl_value_is_true(pretty);
	if (!layout.pretty)
		return bl_fn_json_marshal(call);
	bl_buf_init(&compact, UINT32_MAX);
	bl_buf_init(&out, UINT32_MAX);
	bl_go_json_put(&compact, call->args[0]);
	put_pretty(&out, &layout, bl_buf_str(&compact));
	if (bl_buf_status(&compact))
		out.status = bl_buf_status(&compact);
	bl_buf_clear(&compact);
	return bl_builtin_return_buf(call, &out);
}
