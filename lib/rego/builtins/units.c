/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units.parse and units.parse_bytes: "10Ki", "1.5GB", "250m", with exact numbers
 * all the way, as 1.1 has no binary form.
 */
#include "base/ascii.h"
#include "rego/builtins/functions.h"

enum {
	FRACTION_DIGITS = 10, /* of a result that is not whole */
	EXPONENT_DIGITS = 6,
	MAX_EXPONENT = 60000, /* what exact integers can hold */
};

#define KIBI INT64_C(1024)
#define KILO INT64_C(1000)

/* The factors of the letters k, m, g, t, p and e. */
static const char letters[] = "kmgtpe";

static const int64_t binary[] = {
	KIBI,
	KIBI *KIBI,
	KIBI *KIBI *KIBI,
	KIBI *KIBI *KIBI *KIBI,
	KIBI *KIBI *KIBI *KIBI *KIBI,
	KIBI *KIBI *KIBI *KIBI *KIBI *KIBI,
};

static const int64_t decimal[] = {
	KILO,
	KILO *KILO,
	KILO *KILO *KILO,
	KILO *KILO *KILO *KILO,
	KILO *KILO *KILO *KILO *KILO,
	KILO *KILO *KILO *KILO *KILO *KILO,
};

/* The differences between the two functions. */
struct family {
	const char *no_amount;
	const char *bad_amount;
	bool bytes; /* suffix "b" allowed, no "m" for a thousandth, whole */
};

static const struct family plain = {
	.no_amount = "no amount provided",
	.bad_amount = "could not parse amount to a number",
};

static const struct family bytes = {
	.no_amount = "no byte amount provided",
	.bad_amount = "could not parse byte amount to a number",
	.bytes = true,
};

/* digits * 10^exponent */
struct amount {
	struct bl_str digits; /* with sign */
	int64_t exponent;
};

static bool is_sign(char c)
{
	return c == '+' || c == '-';
}

/* ---- reading ------------------------------------------------------------ */

/* Where the unit begins. */
static size_t amount_length(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		char next = i + 1 < text.len ? text.ptr[i + 1] : '\0';

		if (bl_ascii_lower(c) == 'e') {
			if (!bl_ascii_is_digit(next) && !is_sign(next))
				return i;
			i += is_sign(next);
		} else if (!bl_ascii_is_digit(c) && c != '.' && !is_sign(c)) {
			return i;
		}
	}
	return text.len;
}

/* The exponent after "e"; false when it is not one. */
static bool read_exponent(struct bl_builtin_call *call, struct bl_str text,
			  const struct family *family, int64_t *out)
{
	bool negative = text.len && text.ptr[0] == '-';
	size_t at = text.len && is_sign(text.ptr[0]);

	*out = 0;
	if (at == text.len)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%s",
					family->bad_amount);
	if (text.len - at > EXPONENT_DIGITS)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"exponent too large");
	for (; at < text.len; at++) {
		if (!bl_ascii_is_digit(text.ptr[at]))
			return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%s",
						family->bad_amount);
		*out = *out * 10 + (text.ptr[at] - '0');
	}
	if (negative)
		*out = -*out;
	return true;
}

static bool read_amount(struct bl_builtin_call *call, struct bl_str text,
			const struct family *family, struct amount *out)
{
	char *digits = bl_arena_alloc_aligned(call->arena, text.len + 1, 1);
	bool after_point = false, some = false;
	size_t len = 0, at = 0;

	if (!digits)
		return bl_builtin_memory_fault(call);
	out->exponent = 0;
	if (is_sign(text.ptr[0]) && text.ptr[at++] == '-')
		digits[len++] = '-';
	for (; at < text.len && bl_ascii_lower(text.ptr[at]) != 'e'; at++) {
		char c = text.ptr[at];

		if (is_sign(c) || (c == '.' && after_point))
			return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%s",
						family->bad_amount);
		if (c == '.') {
			after_point = true;
			continue;
		}
		some = true;
		out->exponent -= after_point;
		/* No leading zeros. */
		if (len && digits[len - 1] == '0' &&
		    (len == 1 || (len == 2 && digits[0] == '-')))
			len--;
		digits[len++] = c;
	}
	out->digits = (struct bl_str){ digits, len };
	if (!some)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%s",
					family->bad_amount);
	if (at < text.len) {
		int64_t exponent;

		if (!read_exponent(call, bl_str_slice(text, at + 1, text.len),
				   family, &exponent))
			return false;
		out->exponent += exponent;
	}
	return true;
}

static bool find_factor(const int64_t *factors, char letter, int64_t *out)
{
	const char *at =
		letter ? strchr(letters, bl_ascii_lower(letter)) : NULL;

	if (at)
		*out = factors[at - letters];
	return at != NULL;
}

/* The factor of a unit; *out_exponent is -3 for the thousandth. */
static bool find_unit(struct bl_str unit, const struct family *family,
		      int64_t *out_factor, int64_t *out_exponent)
{
	size_t len = unit.len;

	*out_exponent = 0;
	*out_factor = 1;
	if (!len)
		return true;
	if (!family->bytes && bl_str_is(unit, "m")) {
		*out_exponent = -3;
		return true;
	}
	if (family->bytes && len > 1 &&
	    bl_ascii_lower(unit.ptr[len - 1]) == 'b')
		len--;
	if (len == 1)
		return find_factor(decimal, unit.ptr[0], out_factor);
	return len == 2 && bl_ascii_lower(unit.ptr[1]) == 'i' &&
	       find_factor(binary, unit.ptr[0], out_factor);
}

/* ---- arithmetic --------------------------------------------------------- */

static bool combine(struct bl_builtin_call *call, enum bl_number_operator op,
		    struct bl_value a, struct bl_value b, struct bl_value *out)
{
	enum bl_status status = bl_number_combine(call->arena, op, a, b, out);

	if (status == BL_LIMIT)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"number too big");
	return !status || bl_builtin_memory_fault(call);
}

static bool power_of_10(struct bl_builtin_call *call, int64_t exponent,
			struct bl_value *out)
{
	struct bl_str text;

	if (exponent > MAX_EXPONENT)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"number too big");
	text = bl_arena_printf(call->arena, "1e%d", (int)exponent);
	if (!text.ptr || bl_number_from_text(text, out))
		return bl_builtin_memory_fault(call);
	return true;
}

/* number / divisor with FRACTION_DIGITS digits, halves away from zero. */
static bool return_fraction(struct bl_builtin_call *call,
			    struct bl_value number, struct bl_value divisor)
{
	struct bl_value scaled, twice;
	struct bl_buf digits, out;
	size_t sign, whole;
	bool negative = bl_number_sign(number) < 0;

	/* round(n / d) is (2 n + d) / 2 d, away from zero. */
	if (!combine(call, BL_NUMBER_TIMES, number,
		     bl_value_integer(INT64_C(20000000000)), &scaled) ||
	    !combine(call, BL_NUMBER_TIMES, divisor, bl_value_integer(2),
		     &twice) ||
	    !combine(call, negative ? BL_NUMBER_MINUS : BL_NUMBER_PLUS, scaled,
		     divisor, &scaled) ||
	    !combine(call, BL_NUMBER_QUOTIENT, scaled, twice, &scaled))
		return false;
	bl_buf_init(&digits, 0);
	bl_buf_init(&out, UINT32_MAX);
	bl_number_put(&digits, scaled);
	sign = digits.len && digits.ptr[0] == '-';
	if (negative)
		bl_buf_put_char(&out, '-');
	whole = digits.len - sign;
	if (whole <= FRACTION_DIGITS)
		bl_buf_puts(&out, "0.");
	for (size_t i = whole; i < FRACTION_DIGITS; i++)
		bl_buf_put_char(&out, '0');
	for (size_t i = sign; i < digits.len; i++) {
		if (digits.len - i == FRACTION_DIGITS &&
		    whole > FRACTION_DIGITS)
			bl_buf_put_char(&out, '.');
		bl_buf_put_char(&out, digits.ptr[i]);
	}
	bl_buf_clear(&digits);
	if (!bl_builtin_return_buf(call, &out))
		return false;
	if (bl_number_from_text(bl_value_text(call->result), &call->result))
		return bl_builtin_memory_fault(call);
	return true;
}

/* digits * factor * 10^exponent */
static bool return_product(struct bl_builtin_call *call, struct amount amount,
			   int64_t factor, const struct family *family)
{
	struct bl_value number, scale, rest;

	if (bl_number_from_text(amount.digits, &number))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"number too big");
	if (!combine(call, BL_NUMBER_TIMES, number, bl_value_integer(factor),
		     &number) ||
	    !power_of_10(call,
			 amount.exponent < 0 ? -amount.exponent
					     : amount.exponent,
			 &scale))
		return false;
	if (amount.exponent >= 0)
		return combine(call, BL_NUMBER_TIMES, number, scale,
			       &call->result);
	if (!combine(call, BL_NUMBER_REMAINDER, number, scale, &rest))
		return false;
	if (family->bytes || !bl_number_sign(rest))
		return combine(call, BL_NUMBER_QUOTIENT, number, scale,
			       &call->result);
	return return_fraction(call, number, scale);
}

/* The operand without quotes. */
static struct bl_str without_quotes(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0);
	char *copy = bl_arena_alloc_aligned(call->arena, text.len + 1, 1);
	size_t len = 0;

	for (size_t i = 0; copy && i < text.len; i++) {
		if (text.ptr[i] != '"')
			copy[len++] = text.ptr[i];
	}
	return (struct bl_str){ copy, len };
}

static bool parse(struct bl_builtin_call *call, const struct family *family)
{
	struct bl_str text = without_quotes(call);
	size_t len = amount_length(text);
	struct bl_str unit = bl_str_slice(text, len, text.len);
	int64_t factor, exponent;
	struct amount amount;

	if (!text.ptr)
		return bl_builtin_memory_fault(call);
	if (memchr(text.ptr, ' ', text.len))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"spaces not allowed in resource "
					"strings");
	if (!len)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN, "%s",
					family->no_amount);
	if (!find_unit(unit, family, &factor, &exponent))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					family->bytes ? "byte unit %.*s not "
							"recognized"
						      : "unit %.*s not "
							"recognized",
					BL_STR_ARG(unit));
	if (!read_amount(call, bl_str_slice(text, 0, len), family, &amount))
		return false;
	amount.exponent += exponent;
	return return_product(call, amount, factor, family);
}

bool bl_fn_units_parse(struct bl_builtin_call *call)
{
	return parse(call, &plain);
}

bool bl_fn_units_parse_bytes(struct bl_builtin_call *call)
{
	return parse(call, &bytes);
}
