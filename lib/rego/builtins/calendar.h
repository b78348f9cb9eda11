/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/builtins/calendar.h: civil time: days and months, zones, time formats.
 */
#ifndef BELAY_REGO_BUILTINS_CALENDAR_H
#define BELAY_REGO_BUILTINS_CALENDAR_H

#include "base/buf.h"
#include "base/calendar.h"
#include "base/str.h"

enum {
	SECONDS_A_DAY = 86400,
	ZONE_NAME_BYTES = 16,
};

struct civil {
	int64_t year;
	int month; /* from 1 */
	int day;   /* from 1 */
	int hour;
	int minute;
	int second;
	int64_t nanosecond;
	int offset;                 /* seconds east of UTC */
	char zone[ZONE_NAME_BYTES]; /* "UTC", "CET" */
};

/* ---- calendar.c --------------------------------------------------------- */

/* Date and clock of seconds since 1970 (offset and zone are left alone). */
void bl_calendar_from_seconds(int64_t seconds, struct civil *civil);

/* Seconds since 1970 of date and clock, as if in UTC. */
int64_t bl_calendar_to_seconds(const struct civil *civil);

/* ---- zone.c ------------------------------------------------------------- */

struct zone {
	struct bl_str tzif; /* empty: UTC */
};

/* Are these the bytes of a TZif file that bl_zone_look_up can read? */
bool bl_zone_check(struct bl_str tzif);

/* Offset and short name that hold at a time in seconds since 1970. */
void bl_zone_look_up(const struct zone *zone, int64_t seconds, int *out_offset,
		     char out_name[ZONE_NAME_BYTES]);

/* ---- time_format.c, time_parse.c ------------------------------------------ */

/* Go's name of a format ("RFC3339") as the format; else text itself. */
struct bl_str bl_time_format_named(struct bl_str text);

void bl_time_format_put(struct bl_buf *out, struct bl_str format,
			const struct civil *civil);

/*
 * Reads text in a format.  False: err holds Go's message.  *out_civil has the
 * offset that the text says, or 0.
 */
bool bl_time_format_parse(struct bl_str format, struct bl_str text,
			  struct civil *out_civil, struct bl_buf *err);

extern const char *const bl_weekday_names[7];
extern const char *const bl_month_names[12];

#endif
