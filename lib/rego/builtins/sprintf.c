/* SPDX-License-Identifier: Apache-2.0 */
/* sprintf: Go's fmt.Sprintf for integers, floats and strings. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "rego/builtins/float_form.h"
#include "rego/builtins/functions.h"
#include "rego/builtins/runes.h"

enum { MAX_WIDTH = 1000000 }; /* as Go has it */

enum operand_type { TYPE_INT, TYPE_BIG, TYPE_FLOAT, TYPE_STRING };

/* An operand as Go would have it. */
struct operand {
	enum operand_type type;
	struct bl_value number;
	int64_t integer;
	double real;
	struct bl_str text;
};

/* One directive: %[flags][width][.precision]verb. */
struct directive {
	bool sharp, zero, plus, minus, space;
	bool has_width, has_precision;
	int64_t width, precision;
	uint32_t verb;
};

struct printer {
	struct bl_builtin_call *call;
	struct bl_buf *out;
	struct bl_str format;
	size_t at; /* in format */
	struct bl_value operands;
	size_t next; /* operand */
	bool reordered;
	bool after_index;
	bool good_index;
};

/* ---- operands ----------------------------------------------------------- */

static struct operand operand_at(const struct printer *printer, size_t i)
{
	struct bl_value value = bl_value_item(printer->operands, i);
	struct operand operand = { .type = TYPE_STRING, .number = value };
	struct bl_value text = bl_value_undefined();
	struct bl_buf form;

	if (bl_number_is_plain(value, &operand.integer)) {
		operand.type = TYPE_INT;
		return operand;
	}
	bl_buf_init(&form, UINT32_MAX);
	bl_builtin_form_put(&form, value);
	if (!bl_buf_status(&form))
		text = bl_builtin_string(printer->call, bl_buf_str(&form));
	bl_buf_clear(&form);
	operand.text = bl_value_text(text);
	if (!operand.text.ptr)
		printer->out->status = BL_NO_MEMORY;
	if (!bl_value_is(value, BL_KIND_NUMBER) || !operand.text.ptr)
		return operand;
	if (strspn(operand.text.ptr, "-0123456789") == operand.text.len)
		operand.type = TYPE_BIG;
	operand.real = bl_number_to_double(value);
	if (operand.type != TYPE_BIG && isfinite(operand.real))
		operand.type = TYPE_FLOAT;
	return operand;
}

static const char *type_name(enum operand_type type)
{
	static const char *const names[] = { "int64", "*big.Int", "float64",
					     "string" };

	return names[type];
}

/* ---- padding ------------------------------------------------------------ */

static void put_repeated(struct bl_buf *out, char c, int64_t count)
{
	while (count-- > 0)
		bl_buf_put_char(out, c);
}

static void put_padded(struct bl_buf *out, const struct directive *d,
		       struct bl_str text, bool zero)
{
	int64_t missing = 0;

	if (d->has_width)
		missing = d->width - (int64_t)bl_rune_count(text);
	if (!d->minus)
		put_repeated(out, zero ? '0' : ' ', missing);
	bl_buf_put_str(out, text);
	if (d->minus)
		put_repeated(out, ' ', missing);
}

/* ---- integers ----------------------------------------------------------- */

static const char *sign_of(const struct directive *d, bool negative)
{
	if (negative)
		return "-";
	if (d->plus)
		return "+";
	return d->space ? " " : "";
}

static const char *prefix_of(const struct directive *d, uint32_t base,
			     struct bl_str digits)
{
	if (d->verb == 'O')
		return "0o";
	if (!d->sharp)
		return "";
	if (base == 2)
		return "0b";
	if (base == 8)
		return digits.len && digits.ptr[0] == '0' ? "" : "0";
	if (base == 16)
		return d->verb == 'X' ? "0X" : "0x";
	return "";
}

/* The magnitude's digits, filled up with zeros, then sign and prefix. */
static void put_digits(struct bl_buf *out, const struct directive *d,
		       struct bl_str digits, bool negative, uint32_t base)
{
	const char *sign = sign_of(d, negative);
	int64_t least = 0;
	struct bl_buf text;

	if (d->has_precision) {
		least = d->precision;
		if (!least && bl_str_is(digits, "0"))
			digits.len = 0;
	} else if (d->zero && !d->minus && d->has_width) {
		least = d->width - (int64_t)strlen(sign);
	}
	bl_buf_init(&text, UINT32_MAX);
	if (!d->has_precision || d->precision || digits.len) {
		bl_buf_puts(&text, sign);
		bl_buf_puts(&text, prefix_of(d, base, digits));
	}
	put_repeated(&text, '0', least - (int64_t)digits.len);
	bl_buf_put_str(&text, digits);
	if (d->verb == 'X') {
		for (size_t i = 0; i < text.len; i++) {
			if (text.ptr[i] >= 'a' && text.ptr[i] <= 'f')
				text.ptr[i] -= 'a' - 'A';
		}
	}
	put_padded(out, d, bl_buf_str(&text), false);
	if (bl_buf_status(&text))
		out->status = bl_buf_status(&text);
	bl_buf_clear(&text);
}

static void put_in_base(struct printer *printer, const struct directive *d,
			const struct operand *operand, uint32_t base)
{
	struct bl_str digits;
	bool negative;

	if (bl_number_radix_text(printer->call->arena, operand->number, base,
				 &digits)) {
		printer->out->status = BL_NO_MEMORY;
		return;
	}
	negative = digits.ptr[0] == '-';
	put_digits(printer->out, d, bl_str_slice(digits, negative, digits.len),
		   negative, base);
}

static void put_character(struct bl_buf *out, const struct directive *d,
			  int64_t integer)
{
	bool valid = integer >= 0 && integer <= 0x10FFFF;
	uint32_t rune = valid ? (uint32_t)integer : BL_REPLACEMENT_CHAR;
	char bytes[BL_UTF8_MAX_BYTES];
	struct bl_str text = { bytes, bl_utf8_encode(rune, bytes) };
	struct bl_buf quoted;

	if (d->verb == 'c') {
		put_padded(out, d, text, false);
		return;
	}
	/* In single quotes, and so with the other kind escaped. */
	bl_buf_init(&quoted, 0);
	if (rune == '\'' || rune == '"')
		bl_buf_puts(&quoted, rune == '"' ? "\"\"\"" : "\"\\'\"");
	else
		bl_builtin_form_quote(&quoted, text);
	if (quoted.len) {
		quoted.ptr[0] = '\'';
		quoted.ptr[quoted.len - 1] = '\'';
	}
	put_padded(out, d, bl_buf_str(&quoted), false);
	bl_buf_clear(&quoted);
}

static void put_code_point(struct bl_buf *out, const struct directive *d,
			   int64_t integer)
{
	char text[64], bytes[BL_UTF8_MAX_BYTES];
	int precision = 4;

	if (d->has_precision && d->precision > 4 && d->precision < 32)
		precision = (int)d->precision;
	snprintf(text, sizeof(text), "U+%0*" PRIX64, precision,
		 (uint64_t)integer);
	if (d->sharp && integer >= ' ' && integer <= 0x10FFFF)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 " '%.*s'",
			 (int)bl_utf8_encode((uint32_t)integer, bytes), bytes);
	put_padded(out, d, bl_str(text), false);
}

/* The base of an integer verb; 0 when it is not one. */
static uint32_t base_of(const struct operand *operand, uint32_t verb)
{
	switch (verb) {
	case 'b':
		return 2;
	case 'o':
	case 'O':
		return 8;
	case 'd':
	case 'v':
		return 10;
	case 'x':
	case 'X':
		return 16;
	case 's':
		return operand->type == TYPE_BIG ? 10 : 0;
	default:
		return 0;
	}
}

static bool put_integer(struct printer *printer, const struct directive *d,
			const struct operand *operand)
{
	uint32_t base = base_of(operand, d->verb);

	if (base) {
		put_in_base(printer, d, operand, base);
		return true;
	}
	if (operand->type == TYPE_BIG)
		return false;
	if (d->verb == 'c' || d->verb == 'q')
		put_character(printer->out, d, operand->integer);
	else if (d->verb == 'U')
		put_code_point(printer->out, d, operand->integer);
	else
		return false;
	return true;
}

/* ---- floats ------------------------------------------------------------- */

/* The fewest digits that read back as the same number, in C's %e form. */
static void shortest(double real, char *text, size_t size)
{
	for (int digits = 0; digits < 17; digits++) {
		snprintf(text, size, "%.*e", digits, real);
		if (strtod(text, NULL) == real)
			return;
	}
}

/* The C form with precision; verb is one of e E f g G. */
static void format_float(struct bl_buf *out, char verb, int64_t precision,
			 double real)
{
	static const char *const forms[] = { "%.*e", "%.*E", "%.*f", "%.*g",
					     "%.*G" };
	static const char verbs[] = "eEfgG";
	int digits = precision > MAX_WIDTH ? MAX_WIDTH : (int)precision;
	const char *form = forms[strchr(verbs, verb) - verbs];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	bl_buf_printf(out, form, digits, real);
#pragma GCC diagnostic pop
}

/* Go's %g without precision: exponents below -4 or from 6 on. */
static void format_shortest(struct bl_buf *out, char verb, double real)
{
	enum { PLAIN_LEAST = -4, PLAIN_MOST = 6 };
	char text[64];
	char *e;
	int exponent, digits;

	shortest(real, text, sizeof(text));
	e = strchr(text, 'e');
	exponent = atoi(e + 1);
	digits = (int)(e - text) - (text[0] == '-') - 1;
	digits = digits > 0 ? digits : 1;
	if (exponent >= PLAIN_LEAST && exponent < PLAIN_MOST) {
		format_float(out, 'f',
			     digits > exponent + 1 ? digits - 1 - exponent : 0,
			     real);
		return;
	}
	if (verb == 'G')
		*e = 'E';
	bl_buf_puts(out, text);
}

static bool put_float(struct bl_buf *out, const struct directive *d,
		      double real)
{
	char verb = d->verb < 0x80 && strchr("eEfFgGvxXb", (int)d->verb)
			    ? (char)d->verb
			    : '\0';
	struct bl_buf text;

	if (!verb)
		return false;
	if (verb == 'F')
		verb = 'f';
	if (verb == 'v')
		verb = 'g';
	bl_buf_init(&text, UINT32_MAX);
	if (!signbit(real))
		bl_buf_puts(&text, sign_of(d, false));
	if (verb == 'x' || verb == 'X')
		bl_float_put_hex(&text, verb,
				 d->has_precision ? d->precision : -1, real);
	else if (verb == 'b')
		bl_float_put_binary(&text, real);
	else if (d->has_precision)
		format_float(&text, verb, d->precision, real);
	else if (verb == 'g' || verb == 'G')
		format_shortest(&text, verb, real);
	else
		format_float(&text, verb, 6, real);
	if (d->zero && !d->minus && d->has_width &&
	    strchr("+- ", text.ptr[0])) {
		struct directive rest = *d;

		bl_buf_put_char(out, text.ptr[0]);
		rest.width--;
		put_padded(out, &rest,
			   bl_str_slice(bl_buf_str(&text), 1, text.len), true);
	} else {
		put_padded(out, d, bl_buf_str(&text), d->zero && !d->minus);
	}
	bl_buf_clear(&text);
	return true;
}

/* ---- strings ------------------------------------------------------------ */

static struct bl_str cut_runes(struct bl_str text, int64_t count)
{
	size_t at = 0;

	while (count-- > 0 && at < text.len)
		at += bl_rune_length(text, at);
	return bl_str_slice(text, 0, at);
}

static void put_hex(struct bl_buf *out, const struct directive *d,
		    struct bl_str text)
{
	const char *prefix = "";

	if (d->sharp)
		prefix = d->verb == 'X' ? "0X" : "0x";
	if (d->has_precision)
		text = bl_str_slice(text, 0, (size_t)d->precision);
	for (size_t i = 0; i < text.len; i++) {
		unsigned byte = (uint8_t)text.ptr[i];

		if (i && d->space)
			bl_buf_put_char(out, ' ');
		if (!i || d->space)
			bl_buf_puts(out, prefix);
		if (d->verb == 'X')
			bl_buf_printf(out, "%02X", byte);
		else
			bl_buf_printf(out, "%02x", byte);
	}
}

static bool put_string(struct bl_buf *out, const struct directive *d,
		       struct bl_str text)
{
	bool quoted = d->verb == 'q' || (d->verb == 'v' && d->sharp);
	struct bl_buf form;

	if (!quoted && d->verb != 's' && d->verb != 'v' && d->verb != 'x' &&
	    d->verb != 'X')
		return false;
	bl_buf_init(&form, UINT32_MAX);
	if (d->has_precision && d->verb != 'x' && d->verb != 'X')
		text = cut_runes(text, d->precision);
	if (quoted)
		bl_builtin_form_quote(&form, text);
	else if (d->verb == 'x' || d->verb == 'X')
		put_hex(&form, d, text);
	else
		bl_buf_put_str(&form, text);
	put_padded(out, d, bl_buf_str(&form), d->zero && !d->minus);
	if (bl_buf_status(&form))
		out->status = bl_buf_status(&form);
	bl_buf_clear(&form);
	return true;
}

/* ---- directives --------------------------------------------------------- */

static bool put_operand(struct printer *printer, const struct directive *d,
			const struct operand *operand)
{
	switch (operand->type) {
	case TYPE_INT:
	case TYPE_BIG:
		return put_integer(printer, d, operand);
	case TYPE_FLOAT:
		return put_float(printer->out, d, operand->real);
	case TYPE_STRING:
		break;
	}
	return put_string(printer->out, d, operand->text);
}

/* TYPE=VALUE of an operand too many. */
static void put_typed(struct printer *printer, const struct operand *operand)
{
	static const struct directive plain = { .verb = 'v' };

	bl_buf_printf(printer->out, "%s=", type_name(operand->type));
	put_operand(printer, &plain, operand);
}

/* As above for a verb that does not fit; the value as the directive pads it. */
static void put_unfit(struct printer *printer, struct directive d,
		      const struct operand *operand)
{
	d.verb = 'v';
	d.sharp = false;
	/* Numbers of this type say themselves what does not fit. */
	bl_buf_puts(printer->out, operand->type == TYPE_BIG
					  ? "big.Int"
					  : type_name(operand->type));
	bl_buf_put_char(printer->out, '=');
	put_operand(printer, &d, operand);
}

static void put_bad(struct printer *printer, uint32_t verb, const char *what)
{
	char bytes[BL_UTF8_MAX_BYTES];
	struct bl_str text = { bytes, bl_utf8_encode(verb, bytes) };

	bl_buf_printf(printer->out, "%%!%.*s(%s", BL_STR_ARG(text), what);
}

static bool peek(const struct printer *printer, char c)
{
	return printer->at < printer->format.len &&
	       printer->format.ptr[printer->at] == c;
}

/* A decimal number; false when absent, or it is too large. */
static bool read_number(struct printer *printer, int64_t *out)
{
	struct bl_str format = printer->format;
	size_t start = printer->at;

	*out = 0;
	while (printer->at < format.len && format.ptr[printer->at] >= '0' &&
	       format.ptr[printer->at] <= '9') {
		*out = *out * 10 + (format.ptr[printer->at++] - '0');
		if (*out > MAX_WIDTH) {
			/* Go reads no verb behind it. */
			printer->at = format.len;
			*out = 0;
			return false;
		}
	}
	return printer->at > start;
}

/* [n], which chooses the next operand. */
static void read_index(struct printer *printer)
{
	size_t close = bl_str_find(printer->format, BL_STR("]"), printer->at);
	size_t count = bl_value_count(printer->operands);
	int64_t index;

	printer->after_index = false;
	if (!peek(printer, '['))
		return;
	printer->reordered = true;
	printer->at++;
	if (close == SIZE_MAX) {
		printer->good_index = false;
		return;
	}
	if (read_number(printer, &index) && printer->at == close &&
	    index >= 1 && (uint64_t)index <= count) {
		printer->next = (size_t)index - 1;
		printer->after_index = true;
	} else {
		printer->good_index = false;
	}
	printer->at = close + 1;
}

static void read_flags(struct printer *printer, struct directive *d)
{
	for (; printer->at < printer->format.len; printer->at++) {
		switch (printer->format.ptr[printer->at]) {
		case '#':
			d->sharp = true;
			break;
		case '0':
			d->zero = true;
			break;
		case '+':
			d->plus = true;
			break;
		case '-':
			d->minus = true;
			break;
		case ' ':
			d->space = true;
			break;
		default:
			return;
		}
	}
}

/* "*": the next operand is a width or precision. */
static bool read_star(struct printer *printer, int64_t *out)
{
	struct operand operand = operand_at(printer, printer->next);
	bool there = printer->next < bl_value_count(printer->operands);

	printer->at++;
	printer->next += there;
	printer->after_index = false;
	*out = operand.integer;
	return there && operand.type == TYPE_INT &&
	       operand.integer <= MAX_WIDTH && operand.integer >= -MAX_WIDTH;
}

static void read_width(struct printer *printer, struct directive *d)
{
	if (peek(printer, '*')) {
		d->has_width = read_star(printer, &d->width);
		if (!d->has_width)
			bl_buf_puts(printer->out, "%!(BADWIDTH)");
		if (d->width < 0) {
			d->width = -d->width;
			d->minus = true;
		}
		return;
	}
	d->has_width = read_number(printer, &d->width);
	if (printer->after_index && d->has_width)
		printer->good_index = false;
}

static void read_precision(struct printer *printer, struct directive *d)
{
	if (!peek(printer, '.'))
		return;
	printer->at++;
	if (printer->after_index)
		printer->good_index = false;
	read_index(printer);
	if (peek(printer, '*')) {
		d->has_precision =
			read_star(printer, &d->precision) && d->precision >= 0;
		if (!d->has_precision)
			bl_buf_puts(printer->out, "%!(BADPREC)");
		return;
	}
	read_number(printer, &d->precision);
	d->has_precision = true;
}

static void put_directive(struct printer *printer)
{
	struct directive d = { 0 };
	struct operand operand;
	size_t len;

	printer->good_index = true;
	printer->after_index = false;
	read_flags(printer, &d);
	read_index(printer);
	read_width(printer, &d);
	read_precision(printer, &d);
	if (!printer->after_index)
		read_index(printer);
	if (printer->at >= printer->format.len) {
		bl_buf_puts(printer->out, "%!(NOVERB)");
		return;
	}
	d.verb = BL_REPLACEMENT_CHAR;
	len = bl_utf8_decode(printer->format, printer->at, &d.verb);
	printer->at += len ? len : 1;
	d.plus &= d.verb != 'v';
	if (d.verb == '%') {
		bl_buf_put_char(printer->out, '%');
	} else if (!printer->good_index) {
		put_bad(printer, d.verb, "BADINDEX)");
	} else if (printer->next >= bl_value_count(printer->operands)) {
		put_bad(printer, d.verb, "MISSING)");
	} else {
		operand = operand_at(printer, printer->next++);
		if (d.verb == 'T') {
			d.verb = 's';
			put_string(printer->out, &d,
				   bl_str(type_name(operand.type)));
		} else if (!put_operand(printer, &d, &operand)) {
			put_bad(printer, d.verb, "");
			put_unfit(printer, d, &operand);
			bl_buf_put_char(printer->out, ')');
		}
	}
}

static void put_extra(struct printer *printer)
{
	size_t count = bl_value_count(printer->operands);

	if (printer->reordered || printer->next >= count)
		return;
	bl_buf_puts(printer->out, "%!(EXTRA ");
	for (size_t i = printer->next; i < count; i++) {
		struct operand operand = operand_at(printer, i);

		if (i > printer->next)
			bl_buf_puts(printer->out, ", ");
		put_typed(printer, &operand);
	}
	bl_buf_put_char(printer->out, ')');
}

bool bl_fn_sprintf(struct bl_builtin_call *call)
{
	struct bl_buf out;
	struct printer printer = { .call = call,
				   .out = &out,
				   .format = bl_builtin_text(call, 0),
				   .operands = call->args[1] };

	bl_buf_init(&out, UINT32_MAX);
	while (printer.at < printer.format.len) {
		size_t to =
			bl_str_find(printer.format, BL_STR("%"), printer.at);

		bl_buf_put_str(&out,
			       bl_str_slice(printer.format, printer.at, to));
		if (to == SIZE_MAX)
			break;
		printer.at = to + 1;
		put_directive(&printer);
	}
	put_extra(&printer);
	return bl_builtin_return_buf(call, &out);
}
