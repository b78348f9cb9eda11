/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Civil time: seconds to and from dates with a clock, and the names of days and
 * months.  Apart from time.c, since time zones and time formats need them, too.
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

void bl_calendar_from_seconds(int64_t seconds, struct civil *civil)
{
	int64_t days = seconds / SECONDS_A_DAY - (seconds % SECONDS_A_DAY < 0);
	int64_t clock = seconds - days * SECONDS_A_DAY;
	struct bl_date date;

	bl_civil_from_days(days, &date);
	civil->year = date.year;
	civil->month = date.month;
	civil->day = date.day;
	civil->hour = (int)(clock / 3600);
	civil->minute = (int)(clock / 60 % 60);
	civil->second = (int)(clock % 60);
}

int64_t bl_calendar_to_seconds(const struct civil *civil)
{
	int64_t days =
		bl_days_from_civil(civil->year, civil->month, civil->day);

	return days * SECONDS_A_DAY + civil->hour * 3600 + civil->minute * 60 +
	       civil->second;
}
