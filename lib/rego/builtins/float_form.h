/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/float_form.h: the verbs %x, %X and %b of sprintf for doubles. */
#ifndef BELAY_REGO_BUILTINS_FLOAT_FORM_H
#define BELAY_REGO_BUILTINS_FLOAT_FORM_H

#include "base/buf.h"

/*
 * Appends 0x1.8p+00 for 1.5: hexadecimal digits, and an exponent of two of at least
 * two digits.  verb is x or X; precision below 0: as many digits as needed.
 */
void bl_float_put_hex(struct bl_buf *out, char verb, int64_t precision,
		      double real);

/* Appends the mantissa as an integer, and the exponent of two: 1.5 is
 * 6755399441055744p-52. */
void bl_float_put_binary(struct bl_buf *out, double real);

#endif
