/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Days to and from dates.  Our own arithmetic, since gmtime_r reads the time zone
 * files in glibc, and timegm is not everywhere.
 *
 * Years are counted from March, so that the leap day is the last one, and in
 * eras of 400 years, which have 146,097 days.  2024-02-29, for one: March counts
 * as month 0, so February is month 11 of the year 2023; its months before have
 * (153 * 11 + 2) / 5 = 337 days, and the 29th is day 365 of that year, from 0.
 */
#include "base/calendar.h"

enum { ERA_YEARS = 400, ERA_DAYS = 146097, EPOCH_DAY = 719468 };

/* Toward minus infinity. */
static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

int64_t bl_days_from_civil(int64_t year, int64_t month, int64_t day)
{
	int64_t era, year_of_era, day_of_year;

	year += floor_divide(month - 1, 12);
	month = month - 1 - 12 * floor_divide(month - 1, 12);
	year -= month < 2;
	month = (month + 10) % 12;
	era = floor_divide(year, ERA_YEARS);
	year_of_era = year - era * ERA_YEARS;
	day_of_year = (153 * month + 2) / 5 + day - 1;
	return era * ERA_DAYS + year_of_era * 365 + year_of_era / 4 -
	       year_of_era / 100 + day_of_year - EPOCH_DAY;
}

void bl_civil_from_days(int64_t days, struct bl_date *out_date)
{
	int64_t era, day_of_era, year_of_era, day_of_year, month;

	days += EPOCH_DAY;
	era = floor_divide(days, ERA_DAYS);
	day_of_era = days - era * ERA_DAYS;
	year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
		       day_of_era / (ERA_DAYS - 1)) /
		      365;
	day_of_year = day_of_era -
		      (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	month = (5 * day_of_year + 2) / 153;
	out_date->day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
	out_date->month = (int)(month < 10 ? month + 3 : month - 9);
	out_date->year = year_of_era + era * ERA_YEARS + (out_date->month <= 2);
}

int bl_days_in_month(int64_t year, int month)
{
	return (int)(bl_days_from_civil(year, month + 1, 1) -
		     bl_days_from_civil(year, month, 1));
}

int bl_weekday(int64_t days)
{
	return (int)(days + 4 - 7 * floor_divide(days + 4, 7));
}
