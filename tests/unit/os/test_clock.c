/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"

#include <time.h>

#include "os/os.h"

static void monotonic_advances(void)
{
	const struct timespec nap = { .tv_nsec = 20 * 1000000 };
	int64_t before = bl_os_monotonic_ns();
	int64_t passed;

	nanosleep(&nap, NULL);
	passed = bl_os_monotonic_ns() - before;
	CHECK(passed >= 20 * 1000000);
	CHECK(passed < (int64_t)5000000000);
}

static void wall_agrees_with_time(void)
{
	int64_t seconds = time(NULL);
	int64_t ms = bl_os_wall_ms();

	CHECK(ms / 1000 >= seconds && ms / 1000 <= seconds + 2);
}

static void known_dates(void)
{
	/* `date -u -d @N` */
	static const struct {
		int64_t ms;
		const char *text;
	} rows[] = {
		{ 0, "1970-01-01T00:00:00.000Z" },
		{ -1, "1969-12-31T23:59:59.999Z" },
		{ 951782400000, "2000-02-29T00:00:00.000Z" },
		{ 951868799999, "2000-02-29T23:59:59.999Z" },
		{ 1709251199001, "2024-02-29T23:59:59.001Z" },
		{ 4107542400000, "2100-03-01T00:00:00.000Z" },
		{ 253402300799999, "9999-12-31T23:59:59.999Z" },
		{ -62167219200000, "0000-01-01T00:00:00.000Z" },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		char text[BL_OS_TIME_TEXT_BYTES];

		bl_os_format_time(rows[i].ms, text);
		CHECK_STR(bl_str(text), rows[i].text);
	}
}

/* Every 11th day of 800 years, against the C library. */
static void dates_against_gmtime(void)
{
	for (int64_t day = -146097; day < 146097; day += 11) {
		char text[BL_OS_TIME_TEXT_BYTES], expected[64];
		time_t seconds = (time_t)(day * 86400 + 45296);
		struct tm tm;

		gmtime_r(&seconds, &tm);
		strftime(expected, sizeof(expected), "%Y-%m-%dT%H:%M:%S.007Z",
			 &tm);
		bl_os_format_time((int64_t)seconds * 1000 + 7, text);
		if (strcmp(text, expected) != 0)
			CHECK_STR(bl_str(text), expected);
	}
}

static void extremes_fit(void)
{
	char text[BL_OS_TIME_TEXT_BYTES + 1];

	text[BL_OS_TIME_TEXT_BYTES] = '!';
	bl_os_format_time(INT64_MAX, text);
	CHECK(strlen(text) < BL_OS_TIME_TEXT_BYTES);
	bl_os_format_time(INT64_MIN, text);
	CHECK(strlen(text) < BL_OS_TIME_TEXT_BYTES);
	CHECK(text[BL_OS_TIME_TEXT_BYTES] == '!');
}

static void random_bytes_differ(void)
{
	uint8_t a[1024] = { 0 }, b[1024] = { 0 };
	int zeros = 0;

	CHECK_STATUS(bl_os_random(a, sizeof(a), NULL), BL_OK);
	CHECK_STATUS(bl_os_random(b, sizeof(b), NULL), BL_OK);
	CHECK(memcmp(a, b, sizeof(a)));
	for (size_t i = 0; i < sizeof(a); i++)
		zeros += !a[i];
	CHECK(zeros < 64);
	CHECK_STATUS(bl_os_random(a, 0, NULL), BL_OK);
}

int main(void)
{
	RUN(monotonic_advances);
	RUN(wall_agrees_with_time);
	RUN(known_dates);
	RUN(dates_against_gmtime);
	RUN(extremes_fit);
	RUN(random_bytes_differ);
	return tap_end();
}
