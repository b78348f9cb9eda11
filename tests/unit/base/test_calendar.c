/* SPDX-License-Identifier: Apache-2.0 */
/* Days and dates; the right values are of `date -u -d DATE +%s` divided by 86400. */
#include "tap.h"

#include "base/calendar.h"

static const struct {
	int64_t year;
	int month;
	int day;
	int64_t days;
	int weekday;
} dates[] = {
	{ 1970, 1, 1, 0, 4 },       { 1969, 12, 31, -1, 3 },
	{ 2000, 2, 29, 11016, 2 },  { 2000, 3, 1, 11017, 3 },
	{ 1900, 2, 28, -25509, 3 }, { 1900, 3, 1, -25508, 4 },
	{ 2024, 2, 29, 19782, 4 },  { 2026, 11, 29, 20786, 0 },
	{ 1600, 1, 1, -135140, 6 }, { 2400, 12, 31, 157419, 0 },
	{ 1, 1, 1, -719162, 1 },    { 9999, 12, 31, 2932896, 5 },
};

static void test_dates(void)
{
	for (size_t i = 0; i < BL_COUNT(dates); i++) {
		struct bl_date date;

		CHECK_INT(bl_days_from_civil(dates[i].year, dates[i].month,
					     dates[i].day),
			  dates[i].days);
		bl_civil_from_days(dates[i].days, &date);
		CHECK_INT(date.year, dates[i].year);
		CHECK_INT(date.month, dates[i].month);
		CHECK_INT(date.day, dates[i].day);
		CHECK_INT(bl_weekday(dates[i].days), dates[i].weekday);
	}
}

/* Every day of 800 years follows the one before. */
static void test_every_day(void)
{
	int64_t days = bl_days_from_civil(1600, 1, 1);
	struct bl_date before = { .year = 1599, .month = 12, .day = 31 };

	for (; days < bl_days_from_civil(2400, 1, 1); days++) {
		struct bl_date date;
		bool is_next;

		bl_civil_from_days(days, &date);
		is_next = date.day == before.day + 1 ||
			  (date.day == 1 &&
			   before.day ==
				   bl_days_in_month(before.year, before.month));
		if (!is_next || bl_days_from_civil(date.year, date.month,
						   date.day) != days) {
			CHECK_INT(days, 0);
			return;
		}
		before = date;
	}
}

static void test_out_of_range(void)
{
	CHECK_INT(bl_days_from_civil(2025, 13, 1),
		  bl_days_from_civil(2026, 1, 1));
	CHECK_INT(bl_days_from_civil(2025, 0, 1),
		  bl_days_from_civil(2024, 12, 1));
	CHECK_INT(bl_days_from_civil(2025, 3, 0),
		  bl_days_from_civil(2025, 2, 28));
	CHECK_INT(bl_days_in_month(2023, 2), 28);
	CHECK_INT(bl_days_in_month(2000, 2), 29);
	CHECK_INT(bl_days_in_month(1900, 2), 28);
	CHECK_INT(bl_days_in_month(2026, 12), 31);
}

int main(void)
{
	RUN(test_dates);
	RUN(test_every_day);
	RUN(test_out_of_range);
	return tap_end();
}
