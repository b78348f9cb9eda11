/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/limits.h: the limits of belay, one field each.
 *
 * Where input, a child or a recursion could go on for ever, a field here says
 * how far it may go, and the outcome of going further has a name; it is never
 * silence.  limits.def holds the names, defaults, bounds and texts.
 */
#ifndef BELAY_BASE_LIMITS_H
#define BELAY_BASE_LIMITS_H

#include "base/buf.h"

struct bl_limits {
#define LIMIT(name, usual, least, most, unit, text) uint64_t name;
#include "base/limits.def"
#undef LIMIT
};

struct bl_limits bl_limits_default(void);

/* Appends the rows as a Markdown table, for docs/reference/limits.md. */
void bl_limits_print(struct bl_buf *out);

#endif
