/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/time_format.h: a format in pieces, for its writer and its reader. */
#ifndef BELAY_REGO_BUILTINS_TIME_FORMAT_H
#define BELAY_REGO_BUILTINS_TIME_FORMAT_H

#include "base/ascii.h"
#include "rego/builtins/calendar.h"

enum element {
	ELEMENT_NONE, /* the end of the format */
	LONG_MONTH,
	SHORT_MONTH,
	LONG_WEEKDAY,
	SHORT_WEEKDAY,
	ZONE_NAME,
	ZERO_MONTH,
	MONTH,
	ZERO_DAY,
	SPACE_DAY,
	DAY,
	ZERO_YEAR_DAY,
	SPACE_YEAR_DAY,
	HOUR,
	ZERO_HOUR_12,
	HOUR_12,
	ZERO_MINUTE,
	MINUTE,
	ZERO_SECOND,
	SECOND,
	LONG_YEAR,
	YEAR,
	UPPER_PM,
	LOWER_PM,
	OFFSET, /* in the form that the text itself shows */
	FRACTION,
};

/* A format cut at its first element. */
struct piece {
	struct bl_str before;
	struct bl_str text; /* of the element */
	struct bl_str after;
	enum element element;
};

/* Cuts format at its first element. */
struct piece bl_time_format_next(struct bl_str format);

/* Character i, or NUL past the end. */
static inline char char_at(struct bl_str text, size_t i)
{
	return i < text.len ? text.ptr[i] : '\0';
}

static inline struct bl_str rest_of(struct bl_str text, size_t from)
{
	return bl_str_slice(text, from, text.len);
}

#endif
