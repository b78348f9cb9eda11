/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks, the text of a time stamp, and random bytes: what has no file and no
 * process.
 */
#include "base/calendar.h"
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

void bl_os_format_time(int64_t wall_ms, char *out)
{
	int64_t day = wall_ms / DAY_MS;
	int64_t ms = wall_ms % DAY_MS;
	struct bl_date date;

	if (ms < 0) {
		ms += DAY_MS;
		day--;
	}
	bl_civil_from_days(day, &date);
	snprintf(out, BL_OS_TIME_TEXT_BYTES,
		 "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d.%03dZ", date.year,
		 date.month, date.day, (int)(ms / 3600000),
		 (int)(ms / 60000 % 60), (int)(ms / 1000 % 60),
		 (int)(ms % 1000));
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
