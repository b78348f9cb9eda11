/* SPDX-License-Identifier: Apache-2.0 */
/* YAML: plain scalars, by the mix of 1.1 and 1.2 that go-yaml reads. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/calendar.h"
#include "base/hex.h"
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

/*
 * A number with a point or an exponent is a double to go-yaml, which is JSON by
 * its fewest digits: 1.0 is 1, 1e3 is 1000.  Undefined: memory.
 */
static struct bl_value as_double(struct bl_arena *arena, struct bl_value number)
{
	enum { MOST_DIGITS = 17, PLAIN_LEAST = -6, PLAIN_MOST = 21 };
	double real = bl_number_to_double(number);
	char text[64];
	int exponent, digits = 0;
	struct bl_str copy;

	do
		snprintf(text, sizeof(text), "%.*e", digits, real);
	while (strtod(text, NULL) != real && ++digits < MOST_DIGITS);
	exponent = atoi(strchr(text, 'e') + 1);
	if (exponent >= PLAIN_LEAST && exponent < PLAIN_MOST)
		snprintf(text, sizeof(text), "%.*f",
			 digits > exponent ? digits - exponent : 0, real);
	copy = bl_arena_copy_str(arena, bl_str(text));
	if (!copy.ptr || bl_number_from_text(copy, &number))
		return bl_value_undefined();
	return number;
}

static bool is_whole(struct bl_str number)
{
	size_t from = number.len && number.ptr[0] == '-';

	for (size_t i = from; i < number.len; i++)
		if (!isdigit((unsigned char)number.ptr[i]))
			return false;
	return true;
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
		return is_whole(number) ? value : as_double(arena, value);
	return bl_value_string(text);
}

/* ---- timestamps ---------------------------------------------------------- */

/* Takes at least `least` digits, `most` at most, as a number up to `limit`. */
static bool take_digits(struct bl_str *text, size_t least, size_t most,
			unsigned limit, unsigned *out)
{
	size_t len = 0;
	unsigned value = 0;

	while (len < text->len && len < most &&
	       isdigit((unsigned char)text->ptr[len]))
		value = value * 10 + (unsigned)(text->ptr[len++] - '0');
	if (len < least || value > limit)
		return false;
	*text = bl_str_slice(*text, len, SIZE_MAX);
	*out = value;
	return true;
}

static bool take_char(struct bl_str *text, char c)
{
	if (!text->len || text->ptr[0] != c)
		return false;
	*text = bl_str_slice(*text, 1, SIZE_MAX);
	return true;
}

/* "2020-1-2", and nothing of it that does not exist. */
static bool take_date(struct bl_str *text, unsigned date[3])
{
	return take_digits(text, 4, 4, 9999, &date[0]) &&
	       take_char(text, '-') && take_digits(text, 1, 2, 12, &date[1]) &&
	       date[1] && take_char(text, '-') &&
	       take_digits(text, 1, 2, 31, &date[2]) && date[2] &&
	       (int)date[2] <= bl_days_in_month(date[0], (int)date[1]);
}

/* ".5", as it is to be written: without zeros at its end. */
static struct bl_str take_fraction(struct bl_str *text)
{
	struct bl_str rest = *text;
	size_t len = 0;

	if (!take_char(&rest, '.'))
		return BL_STR("");
	while (len < rest.len && isdigit((unsigned char)rest.ptr[len]))
		len++;
	rest = bl_str_slice(*text, 0, len + 1);
	*text = bl_str_slice(*text, len + 1, SIZE_MAX);
	while (rest.len && strchr("0.", rest.ptr[rest.len - 1]))
		rest.len--;
	return rest;
}

/* "Z", "+01:00"; after a blank nothing may follow. */
static bool take_zone(struct bl_str *text, bool is_needed,
		      struct bl_str *out_zone)
{
	struct bl_str whole = *text;
	unsigned number;

	*out_zone = BL_STR("Z");
	if (!text->len || take_char(text, 'Z'))
		return whole.len || !is_needed;
	if (!is_needed || (!take_char(text, '+') && !take_char(text, '-')) ||
	    !take_digits(text, 2, 2, 23, &number) || !take_char(text, ':') ||
	    !take_digits(text, 2, 2, 59, &number))
		return false;
	*out_zone = bl_str_slice(whole, 0, 6);
	return true;
}

bool bl_yaml_timestamp(struct bl_arena *arena, struct bl_str text,
		       struct bl_str *out_text)
{
	struct bl_str fraction = BL_STR("");
	struct bl_str zone = BL_STR("Z");
	unsigned date[3];
	unsigned time[3] = { 0 };
	bool has_blank;

	if (!take_date(&text, date))
		return false;
	if (text.len) {
		has_blank = take_char(&text, ' ');
		if (!has_blank && !take_char(&text, 'T') &&
		    !take_char(&text, 't'))
			return false;
		if (!take_digits(&text, 1, 2, 23, &time[0]) ||
		    !take_char(&text, ':') ||
		    !take_digits(&text, 1, 2, 59, &time[1]) ||
		    !take_char(&text, ':') ||
		    !take_digits(&text, 1, 2, 59, &time[2]))
			return false;
		fraction = take_fraction(&text);
		if (!take_zone(&text, !has_blank, &zone) || text.len)
			return false;
	}
	*out_text = bl_arena_printf(
		arena, "%04u-%02u-%02uT%02u:%02u:%02u%.*s%.*s", date[0],
		date[1], date[2], time[0], time[1], time[2],
		BL_STR_ARG(fraction), BL_STR_ARG(zone));
	return true;
}
