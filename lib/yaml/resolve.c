/* SPDX-License-Identifier: Apache-2.0 */
/* YAML: plain scalars, by the mix of 1.1 and 1.2 that go-yaml reads. */
#include <ctype.h>
#include <stdlib.h>

#include "yaml/yaml.h"

static bool is_one_of(struct bl_str text, const char *const *words)
{
	for (; *words; words++) {
		if (bl_str_is(text, *words))
			return true;
	}
	return false;
}

/* Digits of a radix, with "_" between. */
static bool parse_radix(struct bl_str text, unsigned radix, int64_t *out)
{
	uint64_t value = 0;
	bool any = false;

	for (size_t i = 0; i < text.len; i++) {
		int digit = bl_hex_value(text.ptr[i]);

		if (text.ptr[i] == '_')
			continue;
		if (digit < 0 || (unsigned)digit >= radix ||
		    value > (INT64_MAX - (uint64_t)digit) / radix)
			return false;
		value = value * radix + (uint64_t)digit;
		any = true;
	}
	*out = (int64_t)value;
	return any;
}

/* 0x1F, 0o17, 0b11, 017; decimal numbers are for later. */
static bool parse_prefixed(struct bl_str text, int64_t *out)
{
	bool negative = bl_str_has_prefix(text, BL_STR("-"));
	unsigned radix = 8;
	size_t skip = 1;

	if (negative || bl_str_has_prefix(text, BL_STR("+")))
		text = bl_str_slice(text, 1, SIZE_MAX);
	if (text.len < 2 || text.ptr[0] != '0')
		return false;
	if (text.ptr[1] == 'x' || text.ptr[1] == 'b' || text.ptr[1] == 'o') {
		radix = text.ptr[1] == 'x' ? 16 : text.ptr[1] == 'b' ? 2 : 8;
		skip = 2;
	}
	if (!parse_radix(bl_str_slice(text, skip, SIZE_MAX), radix, out))
		return false;
	if (negative)
		*out = -*out;
	return true;
}

/* Digits, a point, an exponent, as JSON would have them; ptr NULL: none. */
static struct bl_str json_number(struct bl_arena *arena, struct bl_str text)
{
	char *to = bl_arena_alloc(arena, text.len + 4);
	size_t len = 0;
	size_t i = 0;

	if (!to)
		return (struct bl_str){ NULL, 0 };
	if (text.ptr[i] == '-')
		to[len++] = '-';
	i += text.ptr[0] == '-' || text.ptr[0] == '+';
	if (i < text.len && text.ptr[i] == '.')
		to[len++] = '0';
	for (; i < text.len; i++) {
		char c = text.ptr[i];
		bool last = i + 1 == text.len;

		if (c == '_')
			continue;
		to[len++] = c;
		/* "1." and "1.e3" have a digit missing. */
		if (c == '.' &&
		    (last || !isdigit((unsigned char)text.ptr[i + 1])))
			to[len++] = '0';
	}
	return (struct bl_str){ to, len };
}

struct bl_value bl_yaml_resolve(struct bl_arena *arena, struct bl_str text)
{
	static const char *const nulls[] = { "",     "~",    "null",
					     "Null", "NULL", NULL };
	/* Not "yes", "no", "on", "off": texts in 1.2, and for OPA. */
	static const char *const trues[] = { "true", "True", "TRUE", NULL };
	static const char *const falses[] = { "false", "False", "FALSE", NULL };
	static const char *const endless[] = {
		".inf",  ".Inf",  ".INF", "+.inf", "+.Inf", "+.INF", "-.inf",
		"-.Inf", "-.INF", ".nan", ".NaN",  ".NAN",  NULL
	};
	struct bl_value value;
	struct bl_str number;
	int64_t integer;

	if (is_one_of(text, nulls))
		return bl_value_null();
	if (is_one_of(text, trues) || is_one_of(text, falses))
		return bl_value_boolean(is_one_of(text, trues));
	if (is_one_of(text, endless))
		return bl_value_undefined();
	if (!strchr("0123456789+-.", text.ptr[0]) || text.len > 1000)
		return bl_value_string(text);
	if (parse_prefixed(text, &integer))
		return bl_value_integer(integer);
	number = json_number(arena, text);
	if (number.ptr && !bl_number_from_text(number, &value))
		return value;
	return bl_value_string(text);
}
