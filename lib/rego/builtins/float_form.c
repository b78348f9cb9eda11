/* SPDX-License-Identifier: Apache-2.0 */
/* Doubles by powers of two, as Go writes them; apart from sprintf.c for its size. */
#include "rego/builtins/float_form.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bl_float_put_hex(struct bl_buf *out, char verb, int64_t precision,
		      double real)
{
	char text[64], *p;
	int exponent;

	if (precision >= 0 && precision < 32)
		snprintf(text, sizeof(text), verb == 'X' ? "%.*A" : "%.*a",
			 (int)precision, real);
	else
		snprintf(text, sizeof(text), verb == 'X' ? "%A" : "%a", real);
	p = strpbrk(text, "pP");
	if (!p) {
		bl_buf_puts(out, text);
		return;
	}
	exponent = atoi(p + 1);
	bl_buf_printf(out, "%.*s%c%02d", (int)(p + 1 - text), text,
		      exponent < 0 ? '-' : '+', abs(exponent));
}

void bl_float_put_binary(struct bl_buf *out, double real)
{
	enum { MANTISSA_BITS = 53, LEAST_EXPONENT = -1074 };
	int exponent;
	double mantissa;

	(void)frexp(real, &exponent);
	exponent -= MANTISSA_BITS;
	if (real == 0 || exponent < LEAST_EXPONENT)
		exponent = LEAST_EXPONENT;
	mantissa = ldexp(real, -exponent);
	bl_buf_printf(out, "%.0fp%+d", mantissa, exponent);
}
