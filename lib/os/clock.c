/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks, the text of a time stamp, and random bytes: what has no file and no
 * process.
 */
#include "os/os.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

int64_t bl_os_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t bl_os_wall_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum { DAY_MS = 24 * 60 * 60 * 1000 };

/*
 * The date of a day counted from 1970-01-01, in the Gregorian calendar.  Own
 * arithmetic, since gmtime_r reads the time zone files in glibc.  Years are
 * counted from March, so that the leap day is the last of its year.
 */
static void date_of_day(int64_t day, int64_t *year, int *month, int *mday)
{
	int64_t shifted = day + 719468; /* days since 0000-03-01 */
	int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
	int64_t of_era = shifted - era * 146097;
	int64_t year_of_era =
		(of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) /
		365;
	int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 -
				    year_of_era / 100);
	int64_t march_month = (5 * of_year + 2) / 153;

	*mday = (int)(of_year - (153 * march_month + 2) / 5 + 1);
	*month = (int)(march_month < 10 ? march_month + 3 : march_month - 9);
	*year = year_of_era + era * 400 + (*month <= 2);
}

void bl_os_format_time(int64_t wall_ms, char *out)
{
	int64_t day = wall_ms / DAY_MS;
	int64_t ms = wall_ms % DAY_MS;
	int64_t year;
	int month, mday;

	if (ms < 0) {
		ms += DAY_MS;
		day--;
	}
	date_of_day(day, &year, &month, &mday);
	snprintf(out, BL_OS_TIME_TEXT_BYTES,
		 "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d.%03dZ", year, month,
		 mday, (int)(ms / 3600000), (int)(ms / 60000 % 60),
		 (int)(ms / 1000 % 60), (int)(ms % 1000));
}

enum bl_status bl_os_random(void *out, size_t len, struct bl_error *err)
{
	char *at = out;

	while (len) {
		ssize_t got = getrandom(at, len, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bl_fail_errno(err, errno,
					     "cannot read random bytes");
		at += got;
		len -= (size_t)got;
	}
	return BL_OK;
}
