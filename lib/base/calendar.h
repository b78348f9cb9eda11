/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/calendar.h: days of the proleptic Gregorian calendar, counted from
 * 1970-01-01, to and from dates.  No time zones, no state.
 */
#ifndef BELAY_BASE_CALENDAR_H
#define BELAY_BASE_CALENDAR_H

#include "base/base.h"

struct bl_date {
	int64_t year;
	int month; /* from 1 */
	int day;   /* from 1 */
};

/* Month and day may be out of range: month 13 is the next year's first. */
int64_t bl_days_from_civil(int64_t year, int64_t month, int64_t day);

void bl_civil_from_days(int64_t days, struct bl_date *out_date);

int bl_days_in_month(int64_t year, int month);

/* 0 is Sunday. */
int bl_weekday(int64_t days);

#endif
