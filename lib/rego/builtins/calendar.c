/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Days of the proleptic Gregorian calendar to and from dates.  Apart from time.c,
 * since time zones and time formats count days, too.
 */
#include "rego/builtins/calendar.h"

const char *const bl_weekday_names[7] = {
	"Sunday",   "Monday", "Tuesday",  "Wednesday",
	"Thursday", "Friday", "Saturday",
};

const char *const bl_month_names[12] = {
	"January", "February", "March",     "April",   "May",      "June",
	"July",    "August",   "September", "October", "November", "December",
};

/* Toward minus infinity. */
static int64_t floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/*
 * Years are counted from March, so that the leap day is the last one, and in
 * eras of 400 years, which have 146097 days.
 */
enum { ERA_YEARS = 400, ERA_DAYS = 146097, EPOCH_DAY = 719468 };

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

int bl_days_in_month(int64_t year, int month)
{
	return (int)(bl_days_from_civil(year, month + 1, 1) -
		     bl_days_from_civil(year, month, 1));
}

int bl_weekday(int64_t days)
{
	int64_t day = (days + 4) % 7;

	return (int)(day < 0 ? day + 7 : day);
}

void bl_civil_from_seconds(int64_t seconds, struct civil *civil)
{
	int64_t days = floor_divide(seconds, SECONDS_A_DAY);
	int64_t clock = seconds - days * SECONDS_A_DAY;
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
	civil->day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
	civil->month = (int)(month < 10 ? month + 3 : month - 9);
	civil->year = year_of_era + era * ERA_YEARS + (civil->month <= 2);
	civil->hour = (int)(clock / 3600);
	civil->minute = (int)(clock / 60 % 60);
	civil->second = (int)(clock % 60);
}

int64_t bl_seconds_from_civil(const struct civil *civil)
{
	int64_t days =
		bl_days_from_civil(civil->year, civil->month, civil->day);

	return days * SECONDS_A_DAY + civil->hour * 3600 + civil->minute * 60 +
	       civil->second;
}
