/* SPDX-License-Identifier: Apache-2.0 */
/*
 * type_name, is_* and to_number with the casts: builtins that look at nothing
 * but the type of a value.
 */
#include "rego/builtins/functions.h"

#include <math.h>

bool bl_fn_type_name(struct bl_builtin_call *call)
{
	const char *name = bl_kind_name(bl_value_kind(call->args[0]));

	call->result = bl_value_string(bl_str(name));
	return true;
}

static bool return_is(struct bl_builtin_call *call, enum bl_kind kind)
{
	return bl_builtin_return_boolean(call,
					 bl_value_is(call->args[0], kind));
}

bool bl_fn_is_array(struct bl_builtin_call *call)
{
	return return_is(call, BL_KIND_ARRAY);
}

bool bl_fn_is_boolean(struct bl_builtin_call *call)
{
	return return_is(call, BL_KIND_BOOLEAN);
}

bool bl_fn_is_null(struct bl_builtin_call *call)
{
	return return_is(call, BL_KIND_NULL);
}

bool bl_fn_is_number(struct bl_builtin_call *call)
{
	return return_is(call, BL_KIND_NUMBER);
}

bool bl_fn_is_object(struct bl_builtin_call *call)
{
	return return_is(call, BL_KIND_OBJECT);
}

bool bl_fn_is_set(struct bl_builtin_call *call)
{
	return return_is(call, BL_KIND_SET);
}

bool bl_fn_is_string(struct bl_builtin_call *call)
{
	return return_is(call, BL_KIND_STRING);
}

/* ---- casts -------------------------------------------------------------- */

/* The value itself; the table lets only the wanted kind through. */
bool bl_fn_cast_same(struct bl_builtin_call *call)
{
	call->result = call->args[0];
	return true;
}

bool bl_fn_cast_array(struct bl_builtin_call *call)
{
	struct bl_value items = call->args[0];

	if (bl_value_is(items, BL_KIND_SET))
		items = bl_array_make(call->arena, items.as.items,
				      bl_value_count(items));
	return bl_builtin_return(call, items);
}

bool bl_fn_cast_set(struct bl_builtin_call *call)
{
	return bl_builtin_return(call, bl_set_of(call->arena, call->args[0]));
}

/* ---- to_number ---------------------------------------------------------- */

static size_t count_digits(struct bl_str text, size_t at)
{
	size_t count = 0;

	while (at + count < text.len && text.ptr[at + count] >= '0' &&
	       text.ptr[at + count] <= '9')
		count++;
	return count;
}

/*
 * Go's decimal floats, put into JSON's grammar: "+1", "007", ".5" and "5."
 * become "1", "7", "0.5" and "5".  False when it is not one.
 */
static bool normalise(struct bl_str text, struct bl_buf *out)
{
	bool negative = text.len && text.ptr[0] == '-';
	size_t at = negative || (text.len && text.ptr[0] == '+');
	size_t whole = count_digits(text, at), fraction = 0;

	if (negative)
		bl_buf_put_char(out, '-');
	for (; whole > 1 && text.ptr[at] == '0'; whole--)
		at++;
	bl_buf_put_str(out, whole ? bl_str_slice(text, at, at + whole)
				  : BL_STR("0"));
	at += whole;
	if (at < text.len && text.ptr[at] == '.') {
		fraction = count_digits(text, ++at);
		if (fraction)
			bl_buf_put_char(out, '.');
		bl_buf_put_str(out, bl_str_slice(text, at, at + fraction));
		at += fraction;
	}
	bl_buf_put_str(out, bl_str_slice(text, at, text.len));
	return whole + fraction > 0;
}

static bool is_not_finite(struct bl_str text)
{
	static const char *const names[] = { "inf", "infinity", "nan" };

	while (text.len && (text.ptr[0] == '+' || text.ptr[0] == '-'))
		text = bl_str_slice(text, 1, text.len);
	for (size_t i = 0; i < BL_COUNT(names); i++) {
		if (strlen(names[i]) == text.len &&
		    !strncasecmp(names[i], text.ptr, text.len))
			return true;
	}
	return false;
}

static bool parse(struct bl_builtin_call *call, struct bl_str text)
{
	struct bl_buf out, quoted;
	const char *wrong = NULL;
	struct bl_str spelling;

	bl_buf_init(&out, 0);
	if (!normalise(text, &out))
		wrong = "invalid syntax";
	spelling = bl_arena_copy_str(call->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	if (!spelling.ptr)
		return bl_builtin_memory_fault(call);
	if (!wrong && bl_number_from_text(spelling, &call->result) == BL_SYNTAX)
		wrong = "invalid syntax";
	else if (!wrong && (!bl_value_is_defined(call->result) ||
			    isinf(bl_number_to_double(call->result))))
		wrong = "value out of range";
	if (!wrong)
		return true;
	bl_buf_init(&quoted, 0);
	bl_builtin_form_quote(&quoted, text);
	bl_builtin_fault(call, BL_FAULT_BUILTIN,
			 "strconv.ParseFloat: parsing %s: %s", quoted.ptr,
			 wrong);
	bl_buf_clear(&quoted);
	return false;
}

bool bl_fn_to_number(struct bl_builtin_call *call)
{
	struct bl_value value = call->args[0];

	if (bl_value_is(value, BL_KIND_NUMBER))
		return bl_builtin_return(call, value);
	if (!bl_value_is(value, BL_KIND_STRING))
		return bl_builtin_return_integer(call, bl_value_is_true(value));
	if (is_not_finite(bl_value_text(value)))
		return bl_builtin_operand_fault(call, 1, "valid number string",
						"string");
	return parse(call, bl_value_text(value));
}
