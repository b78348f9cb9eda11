/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as text: what is a number, which integer or double it is, and how
 * it is printed.  Arithmetic is in number_math.c.
 */
#include "base/ascii.h"
#include "value/private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { INTEGER_TEXT_BYTES = 24 };

/*
 * A number as sign, significant digits and exponent: the digits from first to
 * last (both not 0; a point may lie between) with the first one standing for
 * first * 10^exponent.  Zero has first == NULL, and no sign.
 */
struct decimal {
	bool negative;
	const char *first;
	const char *last;
	int64_t exponent;
};

/* ---- grammar ------------------------------------------------------------ */

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && bl_ascii_is_digit(*p))
		p++;
	return p;
}

/* The exponent after "e"; NULL when malformed, capped where it is too big. */
static const char *scan_exponent(const char *p, const char *end, int64_t *out)
{
	bool negative = p < end && *p == '-';
	int64_t value = 0;
	const char *digits;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	for (digits = p; p < end && bl_ascii_is_digit(*p); p++) {
		if (value <= BL_NUMBER_MAX_EXPONENT)
			value = value * 10 + (*p - '0');
	}
	*out = negative ? -value : value;
	return p > digits ? p : NULL;
}

/* An integer as printf would spell it, if it is one and fits. */
static bool parse_integer(struct bl_str text, int64_t *out)
{
	bool negative = text.len && text.ptr[0] == '-';
	uint64_t limit = (uint64_t)INT64_MAX + negative;
	uint64_t value = 0;

	if (text.len - negative > 19 || (negative && text.ptr[1] == '0'))
		return false;
	for (size_t i = negative; i < text.len; i++) {
		if (!bl_ascii_is_digit(text.ptr[i]))
			return false;
		value = value * 10 + (uint64_t)(text.ptr[i] - '0');
	}
	if (value > limit)
		return false;
	*out = (int64_t)(negative ? 0 - value : value);
	return true;
}

/*
 * The exponent with one digit before the point, whatever the
 * spelling of the number: so a number within limits is so in each spelling.
 */
static int64_t scale_of(const char *digits, const char *end, int64_t exponent)
{
	const char *whole_end = skip_digits(digits, end);

	if (*digits != '0')
		return exponent + (whole_end - digits) - 1;
	digits = whole_end + (whole_end < end && *whole_end == '.');
	while (digits < end && *digits == '0') {
		digits++;
		exponent--;
	}
	return exponent - 1;
}

enum bl_status bl_number_from_text(struct bl_str spelling,
				   struct bl_value *out_value)
{
	const char *p = spelling.ptr ? spelling.ptr : "";
	const char *end = p + spelling.len;
	const char *first, *digits;
	int64_t exponent = 0, integer, scale;
	size_t digit_count;

	if (p < end && *p == '-')
		p++;
	first = digits = p;
	p = skip_digits(p, end);
	if (p == digits || (*digits == '0' && p > digits + 1))
		return BL_SYNTAX;
	digit_count = (size_t)(p - digits);
	if (p < end && *p == '.') {
		digits = ++p;
		p = skip_digits(p, end);
		if (p == digits)
			return BL_SYNTAX;
		digit_count += (size_t)(p - digits);
	}
	if (p < end && (*p == 'e' || *p == 'E'))
		p = scan_exponent(p + 1, end, &exponent);
	if (p != end)
		return BL_SYNTAX;
	scale = scale_of(first, end, exponent);
	if (digit_count > BL_NUMBER_MAX_DIGITS ||
	    exponent > BL_NUMBER_MAX_EXPONENT ||
	    exponent < -BL_NUMBER_MAX_EXPONENT ||
	    scale > BL_NUMBER_MAX_EXPONENT || scale < -BL_NUMBER_MAX_EXPONENT ||
	    spelling.len > UINT32_MAX)
		return BL_LIMIT;
	if (parse_integer(spelling, &integer))
		*out_value = bl_value_integer(integer);
	else
		*out_value = (struct bl_value){ .kind = BL_KIND_NUMBER,
						.form = FORM_TEXT,
						.len = (uint32_t)spelling.len,
						.as.text = spelling.ptr };
	return BL_OK;
}

/* ---- decimals ----------------------------------------------------------- */

/* The spelling; a small integer is printed into room. */
static struct bl_str spelling_of(struct bl_value number,
				 char room[INTEGER_TEXT_BYTES])
{
	int len;

	if (number.form == FORM_TEXT)
		return (struct bl_str){ number.as.text, number.len };
	len = snprintf(room, INTEGER_TEXT_BYTES, "%" PRId64, number.as.integer);
	return (struct bl_str){ room, (size_t)len };
}

static struct decimal decimal_of(struct bl_str text)
{
	struct decimal d = { .negative = text.ptr[0] == '-' };
	const char *end = text.ptr + text.len;
	int64_t before_point = -1; /* digits before it, less one */
	const char *p = text.ptr + d.negative;

	for (; p < end && bl_ascii_is_digit(*p); p++) {
		before_point++;
		if (*p != '0' && !d.first) {
			d.first = p;
			d.exponent = -before_point;
		}
		if (*p != '0')
			d.last = p;
	}
	d.exponent += d.first ? before_point : 0;
	if (p < end && *p == '.') {
		const char *point = p++;

		for (; p < end && bl_ascii_is_digit(*p); p++) {
			if (*p != '0' && !d.first) {
				d.first = p;
				d.exponent = -(p - point);
			}
			if (*p != '0')
				d.last = p;
		}
	}
	if (p < end) {
		int64_t exponent;

		scan_exponent(p + 1, end, &exponent);
		d.exponent += exponent;
	}
	if (!d.first)
		d = (struct decimal){ 0 };
	return d;
}

/* The digit at *p, which steps on; '0' after the last. */
static char next_digit(const struct decimal *d, const char **p)
{
	char digit;

	if (*p > d->last)
		return '0';
	digit = *(*p)++;
	if (*p <= d->last && **p == '.')
		(*p)++;
	return digit;
}

/* Digits from first to last. */
static size_t digit_count(const struct decimal *d)
{
	size_t span;

	if (!d->first)
		return 0;
	span = (size_t)(d->last - d->first) + 1;
	return span - (memchr(d->first, '.', span) != NULL);
}

static bool has_fraction(const struct decimal *d)
{
	return d->first && (int64_t)digit_count(d) > d->exponent + 1;
}

/* The order of two decimals that are not zero, without their signs. */
static int compare_magnitudes(const struct decimal *a, const struct decimal *b)
{
	const char *p = a->first;
	const char *q = b->first;

	if (a->exponent != b->exponent)
		return a->exponent < b->exponent ? -1 : 1;
	while (p <= a->last || q <= b->last) {
		char x = next_digit(a, &p);
		char y = next_digit(b, &q);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int sign_of(const struct decimal *d)
{
	if (!d->first)
		return 0;
	return d->negative ? -1 : 1;
}

int bl_number_compare(struct bl_value a, struct bl_value b)
{
	char a_room[INTEGER_TEXT_BYTES], b_room[INTEGER_TEXT_BYTES];
	struct decimal x, y;
	int sign;

	if (a.form == FORM_INTEGER && b.form == FORM_INTEGER)
		return (a.as.integer > b.as.integer) -
		       (a.as.integer < b.as.integer);
	x = decimal_of(spelling_of(a, a_room));
	y = decimal_of(spelling_of(b, b_room));
	sign = sign_of(&x);
	if (sign != sign_of(&y))
		return sign < sign_of(&y) ? -1 : 1;
	return sign ? sign * compare_magnitudes(&x, &y) : 0;
}

bool bl_number_to_integer(struct bl_value number, int64_t *out_integer)
{
	char digits[INTEGER_TEXT_BYTES];
	struct decimal d;
	const char *p;
	size_t len = 0;

	if (number.kind != BL_KIND_NUMBER)
		return false;
	if (number.form == FORM_INTEGER) {
		*out_integer = number.as.integer;
		return true;
	}
	d = decimal_of(spelling_of(number, digits));
	if (d.exponent > 18 || has_fraction(&d))
		return false;
	if (d.negative)
		digits[len++] = '-';
	p = d.first;
	for (int64_t i = 0; d.first && i <= d.exponent; i++)
		digits[len++] = next_digit(&d, &p);
	return parse_integer((struct bl_str){ digits, len }, out_integer);
}

bool bl_number_is_plain(struct bl_value number, int64_t *out_integer)
{
	struct bl_str text = { number.as.text, number.len };

	if (number.kind != BL_KIND_NUMBER)
		return false;
	if (number.form == FORM_TEXT) {
		*out_integer = 0;
		return bl_str_is(text, "-0");
	}
	*out_integer = number.as.integer;
	return true;
}

int bl_number_sign(struct bl_value number)
{
	char room[INTEGER_TEXT_BYTES];
	struct decimal d;

	if (number.kind != BL_KIND_NUMBER)
		return 0;
	d = decimal_of(spelling_of(number, room));
	return sign_of(&d);
}

bool bl_number_is_integral(struct bl_value number)
{
	char room[INTEGER_TEXT_BYTES];
	struct decimal d;

	if (number.kind != BL_KIND_NUMBER)
		return false;
	if (number.form == FORM_INTEGER)
		return true;
	d = decimal_of(spelling_of(number, room));
	return !has_fraction(&d);
}

uint64_t bl_number_hash(struct bl_value number)
{
	char room[INTEGER_TEXT_BYTES];
	struct decimal d;
	int64_t integer;
	uint64_t h;

	if (bl_number_to_integer(number, &integer))
		return hash_mix(hash_start(BL_KIND_NUMBER), (uint64_t)integer);
	d = decimal_of(spelling_of(number, room));
	h = hash_mix(hash_start(BL_KIND_NUMBER) + d.negative,
		     (uint64_t)d.exponent);
	for (const char *p = d.first; p <= d.last;)
		h = hash_mix(h, (uint64_t)next_digit(&d, &p));
	return h;
}

/* ---- doubles ------------------------------------------------------------ */

/*
 * No two doubles that are neighbours have a middle of more than 767 digits;
 * what comes after so many only matters for being there.
 */
enum { DOUBLE_DIGITS = 800, DOUBLE_TEXT_BYTES = DOUBLE_DIGITS + 32 };

double bl_number_to_double(struct bl_value number)
{
	char room[INTEGER_TEXT_BYTES];
	char text[DOUBLE_TEXT_BYTES];
	struct decimal d;
	const char *p;
	size_t len = 0;

	if (number.kind != BL_KIND_NUMBER)
		return 0;
	if (number.form == FORM_INTEGER)
		return (double)number.as.integer;
	d = decimal_of(spelling_of(number, room));
	if (!d.first)
		return number.as.text[0] == '-' ? -0.0 : 0.0;
	if (d.negative)
		text[len++] = '-';
	p = d.first;
	for (size_t i = 0; i < DOUBLE_DIGITS && p <= d.last; i++)
		text[len++] = next_digit(&d, &p);
	if (p <= d.last)
		text[len++] = '1';
	/* Without a point, so that no locale can change the meaning. */
	snprintf(text + len, sizeof(text) - len, "e%" PRId64,
		 d.exponent + 1 - (int64_t)(len - d.negative));
	return strtod(text, NULL);
}

/* The digits and exponent that "%.*e" gave, whatever the locale's point. */
static size_t digits_of_print(const char *print, char *digits, int *exponent)
{
	const char *e = strchr(print, 'e');
	size_t len = 0;

	for (const char *p = print; p < e; p++) {
		if (bl_ascii_is_digit(*p))
			digits[len++] = *p;
	}
	*exponent = atoi(e + 1);
	return len;
}

struct bl_value bl_number_from_double(struct bl_arena *arena, double number)
{
	enum { MOST_DIGITS = 17 };
	struct bl_value value = bl_value_undefined();
	char print[64], text[64];
	struct bl_str copy;
	struct bl_buf out;

	if (!isfinite(number))
		return value;
	for (int count = 1; count <= MOST_DIGITS; count++) {
		char digits[MOST_DIGITS + 1];
		int exponent;
		size_t len;

		snprintf(print, sizeof(print), "%.*e", count - 1, number);
		len = digits_of_print(print, digits, &exponent);
		snprintf(text, sizeof(text), "%s%.*se%d",
			 signbit(number) ? "-" : "", (int)len, digits,
			 exponent + 1 - count);
		if (strtod(text, NULL) == number)
			break;
	}
	if (bl_number_from_text(bl_str(text), &value))
		return bl_value_undefined();
	bl_buf_init(&out, 0);
	if (number == 0)
		bl_buf_puts(&out, signbit(number) ? "-0" : "0");
	else
		bl_number_put_canonical(&out, value);
	copy = bl_arena_copy_str(arena, bl_buf_str(&out));
	if (bl_buf_status(&out) || !copy.ptr ||
	    bl_number_from_text(copy, &value))
		value = bl_value_undefined();
	bl_buf_clear(&out);
	return value;
}

/* ---- printing ----------------------------------------------------------- */

void bl_number_put(struct bl_buf *out, struct bl_value number)
{
	char room[INTEGER_TEXT_BYTES];

	if (number.kind == BL_KIND_NUMBER)
		bl_buf_put_str(out, spelling_of(number, room));
}

static void put_digits(struct bl_buf *out, const struct decimal *d,
		       const char **p, size_t count)
{
	while (count--)
		bl_buf_put_char(out, next_digit(d, p));
}

/* As 123, 123000, 12.3 or 0.00123. */
static void put_plain(struct bl_buf *out, const struct decimal *d)
{
	size_t count = digit_count(d);
	const char *p = d->first;
	size_t whole = d->exponent >= 0 ? (size_t)d->exponent + 1 : 0;

	put_digits(out, d, &p, whole);
	if (whole >= count)
		return;
	bl_buf_puts(out, whole ? "." : "0.");
	for (int64_t zeros = -1 - d->exponent; zeros > 0; zeros--)
		bl_buf_put_char(out, '0');
	put_digits(out, d, &p, count - whole);
}

/* As 1.23e+45. */
static void put_scientific(struct bl_buf *out, const struct decimal *d)
{
	size_t count = digit_count(d);
	const char *p = d->first;

	put_digits(out, d, &p, 1);
	if (count > 1)
		bl_buf_put_char(out, '.');
	put_digits(out, d, &p, count - 1);
	bl_buf_printf(out, "e%+" PRId64, d->exponent);
}

/*
 * JavaScript's form (and so RFC 8785's) for whatever a double can hold;
 * integers of more digits than a double has are written out.
 */
static bool wants_plain(const struct decimal *d)
{
	enum { PLAIN_LEAST = -6, PLAIN_MOST = 21, DOUBLE_MOST = 17 };
	int64_t count = (int64_t)digit_count(d);

	if (d->exponent < PLAIN_LEAST)
		return false;
	if (d->exponent < PLAIN_MOST)
		return true;
	return count > DOUBLE_MOST && d->exponent - count < PLAIN_MOST;
}

void bl_number_put_canonical(struct bl_buf *out, struct bl_value number)
{
	char room[INTEGER_TEXT_BYTES];
	struct decimal d;

	if (number.kind != BL_KIND_NUMBER)
		return;
	d = decimal_of(spelling_of(number, room));
	if (!d.first) {
		bl_buf_put_char(out, '0');
		return;
	}
	if (d.negative)
		bl_buf_put_char(out, '-');
	if (wants_plain(&d))
		put_plain(out, &d);
	else
		put_scientific(out, &d);
}
