/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/base.h: what every file may use: attributes, checked arithmetic and
 * small helpers.  No state, no allocation.
 */
#ifndef BELAY_BASE_BASE_H
#define BELAY_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define BL_MUST_CHECK        __attribute__((warn_unused_result))
#define BL_COLD              __attribute__((cold))
#define BL_LIKELY(x)         __builtin_expect(!!(x), 1)
#define BL_UNLIKELY(x)       __builtin_expect(!!(x), 0)

#define BL_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Checked arithmetic: false on overflow, *out is then unspecified. */
static inline bool bl_add_size(size_t a, size_t b, size_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}

static inline bool bl_mul_size(size_t a, size_t b, size_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

#endif
