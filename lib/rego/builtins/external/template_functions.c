/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: the functions, truth, and how values print. */
#include "base/utf8.h"
#include "rego/builtins/external/template.h"

bool bl_template_truth(struct bl_value value)
{
	switch (bl_value_kind(value)) {
	case BL_KIND_BOOLEAN:
		return bl_value_is_true(value);
	case BL_KIND_NUMBER:
		return bl_value_compare(value, bl_value_integer(0)) != 0;
	case BL_KIND_STRING:
		return bl_value_text(value).len > 0;
	case BL_KIND_ARRAY:
	case BL_KIND_OBJECT:
	case BL_KIND_SET:
		return bl_value_count(value) > 0;
	case BL_KIND_UNDEFINED:
	case BL_KIND_NULL:
	case BL_KIND_COUNT:
		break;
	}
	return false;
}

static void print_map(struct bl_buf *out, struct bl_value map)
{
	bl_buf_puts(out, "map[");
	for (size_t i = 0; i < bl_value_count(map); i++) {
		size_t at = bl_object_sorted_index(map, i);

		if (i)
			bl_buf_put_char(out, ' ');
		bl_template_print(out, bl_object_key(map, at));
		bl_buf_put_char(out, ':');
		bl_template_print(out, bl_object_value(map, at));
	}
	bl_buf_put_char(out, ']');
}

void bl_template_print(struct bl_buf *out, struct bl_value value)
{
	if (!bl_value_is_defined(value)) {
		bl_buf_puts(out, "<undefined>");
	} else if (bl_value_is(value, BL_KIND_NULL)) {
		bl_buf_puts(out, "<nil>");
	} else if (bl_value_is(value, BL_KIND_OBJECT)) {
		print_map(out, value);
	} else if (value.kind >= BL_KIND_ARRAY) {
		bl_buf_put_char(out, '[');
		for (size_t i = 0; i < bl_value_count(value); i++) {
			if (i)
				bl_buf_put_char(out, ' ');
			bl_template_print(out, bl_value_item(value, i));
		}
		bl_buf_put_char(out, ']');
	} else {
		bl_builtin_form_put(out, value);
	}
}

/* ---- functions ---------------------------------------------------------- */

struct arguments {
	struct bl_template *t;
	const struct bl_value *items;
	size_t count;
	struct bl_value *out;
};

typedef bool (*template_function)(const struct arguments *a);

static bool fn_and(const struct arguments *a)
{
	size_t i = 0;

	while (i + 1 < a->count && bl_template_truth(a->items[i]))
		i++;
	*a->out = a->items[i];
	return true;
}

static bool fn_or(const struct arguments *a)
{
	size_t i = 0;

	while (i + 1 < a->count && !bl_template_truth(a->items[i]))
		i++;
	*a->out = a->items[i];
	return true;
}

static bool fn_not(const struct arguments *a)
{
	*a->out = bl_value_boolean(!bl_template_truth(a->items[0]));
	return true;
}

static bool fn_eq(const struct arguments *a)
{
	bool equal = false;

	for (size_t i = 1; i < a->count; i++)
		equal |= bl_value_equal(a->items[0], a->items[i]);
	*a->out = bl_value_boolean(equal);
	return true;
}

static bool fn_ne(const struct arguments *a)
{
	*a->out = bl_value_boolean(!bl_value_equal(a->items[0], a->items[1]));
	return true;
}

/* The order of two numbers or two strings. */
static bool ordered(const struct arguments *a, int *out)
{
	if (a->items[0].kind != a->items[1].kind ||
	    (a->items[0].kind != BL_KIND_NUMBER &&
	     a->items[0].kind != BL_KIND_STRING))
		return bl_template_fail(a->t,
					"incompatible types for comparison");
	*out = bl_value_compare(a->items[0], a->items[1]);
	return true;
}

#define ORDER(name, sign)                                                      \
	static bool name(const struct arguments *a)                            \
	{                                                                      \
		int order = 0;                                                 \
		bool ok = ordered(a, &order);                                  \
                                                                               \
		*a->out = bl_value_boolean(order sign 0);                      \
		return ok;                                                     \
	}

ORDER(fn_lt, <)
ORDER(fn_le, <=)
ORDER(fn_gt, >)
ORDER(fn_ge, >=)

static bool fn_len(const struct arguments *a)
{
	struct bl_value value = a->items[0];

	if (value.kind != BL_KIND_STRING && value.kind < BL_KIND_ARRAY)
		return bl_template_fail(a->t, "len of type %s",
					bl_kind_name(bl_value_kind(value)));
	*a->out = bl_value_integer((int64_t)(value.kind == BL_KIND_STRING
						     ? bl_value_text(value).len
						     : bl_value_count(value)));
	return true;
}

/* Bytes of a string, items of an array. */
static uint64_t length_of(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_STRING) ? value.len
						  : bl_value_count(value);
}

static bool fn_index(const struct arguments *a)
{
	struct bl_value value = a->items[0];

	for (size_t i = 1; i < a->count; i++) {
		int64_t at = -1;

		if (bl_value_is(value, BL_KIND_OBJECT)) {
			if (!bl_value_is(a->items[i], BL_KIND_STRING))
				return bl_template_fail(a->t, "a key is not a "
							      "string");
			value = bl_object_find_value(value, a->items[i]);
			continue;
		}
		if (!bl_number_is_plain(a->items[i], &at) || at < 0 ||
		    (uint64_t)at >= length_of(value))
			return bl_template_fail(a->t, "index out of range");
		if (bl_value_is(value, BL_KIND_STRING)) {
			value = bl_value_integer(
				(unsigned char)value.as.text[at]);
			continue;
		}
		value = bl_value_item(value, (size_t)at);
	}
	*a->out = value;
	return true;
}

static bool text_of(const struct arguments *a, struct bl_buf *text)
{
	*a->out = bl_builtin_string(a->t->call, bl_buf_str(text));
	bl_buf_clear(text);
	return bl_value_is_defined(*a->out) ||
	       bl_builtin_memory_fault(a->t->call);
}

/* Go puts spaces between operands when neither is a string. */
static bool fn_print(const struct arguments *a)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	for (size_t i = 0; i < a->count; i++) {
		if (i && a->items[i].kind != BL_KIND_STRING &&
		    a->items[i - 1].kind != BL_KIND_STRING)
			bl_buf_put_char(&text, ' ');
		bl_template_print(&text, a->items[i]);
	}
	return text_of(a, &text);
}

static bool fn_println(const struct arguments *a)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	for (size_t i = 0; i < a->count; i++) {
		if (i)
			bl_buf_put_char(&text, ' ');
		bl_template_print(&text, a->items[i]);
	}
	bl_buf_put_char(&text, '\n');
	return text_of(a, &text);
}

static bool fn_printf(const struct arguments *a)
{
	struct bl_builtin_call call = *a->t->call;
	struct bl_value args[2];

	if (!bl_value_is(a->items[0], BL_KIND_STRING))
		return bl_template_fail(a->t, "printf wants a string first");
	args[0] = a->items[0];
	args[1] = bl_array_make(call.arena, a->items + 1, a->count - 1);
	call.args = args;
	call.arg_count = 2;
	if (!bl_fn_sprintf(&call))
		return bl_template_fail(a->t, "%.*s", BL_STR_ARG(call.message));
	*a->out = call.result;
	return true;
}

static bool fn_html(const struct arguments *a)
{
	static const char marks[] = "<>&\"'";
	static const char *const texts[] = { "&lt;", "&gt;", "&amp;", "&#34;",
					     "&#39;" };
	struct bl_buf plain;
	struct bl_buf text;

	bl_buf_init(&plain, 0);
	bl_buf_init(&text, 0);
	for (size_t i = 0; i < a->count; i++)
		bl_template_print(&plain, a->items[i]);
	for (size_t i = 0; i < plain.len; i++) {
		const char *mark =
			plain.ptr[i] ? strchr(marks, plain.ptr[i]) : NULL;

		if (mark)
			bl_buf_puts(&text, texts[mark - marks]);
		else
			bl_buf_put_char(&text, plain.ptr[i]);
	}
	bl_buf_clear(&plain);
	return text_of(a, &text);
}

/* As Go's JSEscapeString. */
static void put_js(struct bl_buf *out, struct bl_str plain)
{
	static const char quoted[] = "\\'\"";
	static const char escaped[] = "<>&=";

	for (size_t i = 0; i < plain.len;) {
		uint32_t rune = 0;
		size_t len = bl_utf8_decode(plain, i, &rune);
		bool ascii = rune && rune < 0x80;

		len = len ? len : 1;
		if (ascii && strchr(quoted, (int)rune))
			bl_buf_printf(out, "\\%c", (char)rune);
		else if (rune < ' ' || (ascii && strchr(escaped, (int)rune)) ||
			 rune == 0x2028 || rune == 0x2029)
			bl_buf_printf(out, "\\u%04X", (unsigned)rune);
		else
			bl_buf_put(out, plain.ptr + i, len);
		i += len;
	}
}

static bool fn_js(const struct arguments *a)
{
	struct bl_buf plain;
	struct bl_buf text;
	bool ok = true;

	bl_buf_init(&plain, 0);
	bl_buf_init(&text, 0);
	for (size_t i = 0; i < a->count; i++) {
		/* A space between two that are not strings, as print does. */
		if (i && !bl_value_is(a->items[i], BL_KIND_STRING) &&
		    !bl_value_is(a->items[i - 1], BL_KIND_STRING))
			bl_buf_put_char(&plain, ' ');
		bl_template_print(&plain, a->items[i]);
	}
	put_js(&text, bl_buf_str(&plain));
	bl_buf_clear(&plain);
	ok = text_of(a, &text);
	return ok;
}

static bool fn_urlquery(const struct arguments *a)
{
	struct bl_builtin_call call = *a->t->call;
	struct bl_value plain;
	struct bl_buf text;

	bl_buf_init(&text, 0);
	for (size_t i = 0; i < a->count; i++)
		bl_template_print(&text, a->items[i]);
	plain = bl_builtin_string(a->t->call, bl_buf_str(&text));
	bl_buf_clear(&text);
	call.args = &plain;
	call.arg_count = 1;
	if (!bl_value_is_defined(plain) || !bl_fn_urlquery_encode(&call))
		return bl_builtin_memory_fault(a->t->call);
	*a->out = call.result;
	return true;
}

/* "slice x 1 2" is x[1:2]: bytes of a string, items of an array. */
static bool fn_slice(const struct arguments *a)
{
	struct bl_value value = a->items[0];
	bool is_text = bl_value_is(value, BL_KIND_STRING);
	int64_t bounds[2] = { 0, 0 };

	if (!is_text && !bl_value_is(value, BL_KIND_ARRAY))
		return bl_template_fail(a->t, "can't slice item of type %s",
					bl_kind_name(bl_value_kind(value)));
	bounds[1] = (int64_t)length_of(value);
	for (size_t i = 1; i < a->count; i++)
		if (!bl_number_is_plain(a->items[i], &bounds[i - 1]) ||
		    bounds[i - 1] < 0 ||
		    (uint64_t)bounds[i - 1] > length_of(value))
			return bl_template_fail(a->t, "index out of range");
	if (bounds[0] > bounds[1])
		return bl_template_fail(a->t, "invalid slice index");
	*a->out = is_text ? bl_value_string(bl_str_slice(bl_value_text(value),
							 (size_t)bounds[0],
							 (size_t)bounds[1]))
			  : bl_array_make(a->t->call->arena,
					  value.as.items + bounds[0],
					  (size_t)(bounds[1] - bounds[0]));
	return bl_value_is_defined(*a->out) ||
	       bl_builtin_memory_fault(a->t->call);
}

static const struct {
	const char *name;
	size_t least;
	size_t most;
	template_function function;
} functions[] = {
	{ "and", 1, SIZE_MAX, fn_and },
	{ "eq", 2, SIZE_MAX, fn_eq },
	{ "ge", 2, 2, fn_ge },
	{ "gt", 2, 2, fn_gt },
	{ "html", 1, SIZE_MAX, fn_html },
	{ "index", 1, SIZE_MAX, fn_index },
	{ "js", 0, SIZE_MAX, fn_js },
	{ "le", 2, 2, fn_le },
	{ "len", 1, 1, fn_len },
	{ "lt", 2, 2, fn_lt },
	{ "ne", 2, 2, fn_ne },
	{ "not", 1, 1, fn_not },
	{ "or", 1, SIZE_MAX, fn_or },
	{ "print", 0, SIZE_MAX, fn_print },
	{ "printf", 1, SIZE_MAX, fn_printf },
	{ "println", 0, SIZE_MAX, fn_println },
	{ "slice", 1, 3, fn_slice },
	{ "urlquery", 0, SIZE_MAX, fn_urlquery },
};

bool bl_template_apply(struct bl_template *t, struct bl_str name,
		       const struct bl_value *args, size_t count,
		       struct bl_value *out)
{
	struct arguments a = { t, args, count, out };

	for (size_t i = 0; i < BL_COUNT(functions); i++) {
		if (!bl_str_is(name, functions[i].name))
			continue;
		if (count < functions[i].least || count > functions[i].most)
			return bl_template_fail(t,
						"wrong number of args for %s",
						functions[i].name);
		return functions[i].function(&a);
	}
	return bl_template_fail(t, "function \"%.*s\" not defined",
				BL_STR_ARG(name));
}
