/* SPDX-License-Identifier: Apache-2.0 */
/* Go's time formats: the reference time Mon Jan 2 15:04:05 MST 2006. */
#include "rego/builtins/time_format.h"

#include <inttypes.h>

/* Longer ones first where one begins with another. */
static const struct {
	const char *text;
	enum element element;
	bool word; /* not when a lower case letter follows */
} elements[] = {
	{ "January", LONG_MONTH, false },
	{ "Jan", SHORT_MONTH, true },
	{ "Monday", LONG_WEEKDAY, false },
	{ "Mon", SHORT_WEEKDAY, true },
	{ "MST", ZONE_NAME, false },
	{ "2006", LONG_YEAR, false },
	{ "002", ZERO_YEAR_DAY, false },
	{ "01", ZERO_MONTH, false },
	{ "02", ZERO_DAY, false },
	{ "03", ZERO_HOUR_12, false },
	{ "04", ZERO_MINUTE, false },
	{ "05", ZERO_SECOND, false },
	{ "06", YEAR, false },
	{ "15", HOUR, false },
	{ "1", MONTH, false },
	{ "__2", SPACE_YEAR_DAY, false },
	{ "_2", SPACE_DAY, false },
	{ "2", DAY, false },
	{ "3", HOUR_12, false },
	{ "4", MINUTE, false },
	{ "5", SECOND, false },
	{ "PM", UPPER_PM, false },
	{ "pm", LOWER_PM, false },
	{ "-07:00:00", OFFSET, false },
	{ "-070000", OFFSET, false },
	{ "-07:00", OFFSET, false },
	{ "-0700", OFFSET, false },
	{ "-07", OFFSET, false },
	{ "Z07:00:00", OFFSET, false },
	{ "Z070000", OFFSET, false },
	{ "Z07:00", OFFSET, false },
	{ "Z0700", OFFSET, false },
	{ "Z07", OFFSET, false },
};

/* ".000" or ",999": the length, or 0; no digit may follow. */
static size_t fraction_length(struct bl_str text)
{
	char digit = char_at(text, 1);
	size_t len = 1;

	if ((char_at(text, 0) != '.' && char_at(text, 0) != ',') ||
	    (digit != '0' && digit != '9'))
		return 0;
	while (char_at(text, len) == digit)
		len++;
	return bl_ascii_is_digit(char_at(text, len)) ? 0 : len;
}

/* The element at the start of text; its length in *out_len. */
static enum element element_at(struct bl_str text, size_t *out_len)
{
	*out_len = fraction_length(text);
	if (*out_len)
		return FRACTION;
	for (size_t i = 0; i < BL_COUNT(elements); i++) {
		struct bl_str name = bl_str(elements[i].text);
		char next = char_at(text, name.len);

		if (!bl_str_has_prefix(text, name) ||
		    (elements[i].word && next >= 'a' && next <= 'z'))
			continue;
		*out_len = name.len;
		return elements[i].element;
	}
	return ELEMENT_NONE;
}

struct piece bl_time_format_next(struct bl_str format)
{
	struct piece piece = { .before = format };

	for (size_t i = 0; i < format.len; i++) {
		struct bl_str rest = rest_of(format, i);
		size_t len;

		/* "_2006" is an underline and a year. */
		if (bl_str_has_prefix(rest, BL_STR("_2006")))
			continue;
		piece.element = element_at(rest, &len);
		if (!piece.element)
			continue;
		piece.before = bl_str_slice(format, 0, i);
		piece.text = bl_str_slice(rest, 0, len);
		piece.after = rest_of(rest, len);
		return piece;
	}
	return piece;
}

struct bl_str bl_time_format_named(struct bl_str text)
{
	static const struct {
		const char *name;
		const char *format;
	} formats[] = {
		{ "ANSIC", "Mon Jan _2 15:04:05 2006" },
		{ "UnixDate", "Mon Jan _2 15:04:05 MST 2006" },
		{ "RubyDate", "Mon Jan 02 15:04:05 -0700 2006" },
		{ "RFC822", "02 Jan 06 15:04 MST" },
		{ "RFC822Z", "02 Jan 06 15:04 -0700" },
		{ "RFC850", "Monday, 02-Jan-06 15:04:05 MST" },
		{ "RFC1123", "Mon, 02 Jan 2006 15:04:05 MST" },
		{ "RFC1123Z", "Mon, 02 Jan 2006 15:04:05 -0700" },
		{ "RFC3339", "2006-01-02T15:04:05Z07:00" },
		{ "RFC3339Nano", "2006-01-02T15:04:05.999999999Z07:00" },
	};

	for (size_t i = 0; i < BL_COUNT(formats); i++) {
		if (bl_str_is(text, formats[i].name))
			return bl_str(formats[i].format);
	}
	return text;
}

/* ---- writing ------------------------------------------------------------ */

static int hour_12(const struct civil *civil)
{
	return civil->hour % 12 ? civil->hour % 12 : 12;
}

/* In the form of text: with Z for UTC, colons, seconds. */
static void put_offset(struct bl_buf *out, struct bl_str text,
		       const struct civil *civil)
{
	int offset = civil->offset < 0 ? -civil->offset : civil->offset;
	const char *colon = memchr(text.ptr, ':', text.len) ? ":" : "";

	if (text.ptr[0] == 'Z' && !offset) {
		bl_buf_put_char(out, 'Z');
		return;
	}
	bl_buf_printf(out, "%c%02d", civil->offset < 0 ? '-' : '+',
		      offset / 3600);
	if (text.len > 3)
		bl_buf_printf(out, "%s%02d", colon, offset / 60 % 60);
	if (text.len > 6)
		bl_buf_printf(out, "%s%02d", colon, offset % 60);
}

static void put_zone_name(struct bl_buf *out, const struct civil *civil)
{
	if (civil->zone[0])
		bl_buf_puts(out, civil->zone);
	else
		put_offset(out, BL_STR("-0700"), civil);
}

/* ".000" always so many digits; ".999" without zeros at the end. */
static void put_fraction(struct bl_buf *out, struct bl_str text,
			 int64_t nanosecond)
{
	size_t count = text.len - 1;
	char digits[9];

	for (size_t i = sizeof(digits); i-- > 0; nanosecond /= 10)
		digits[i] = (char)('0' + nanosecond % 10);
	if (count > sizeof(digits))
		count = sizeof(digits);
	if (text.ptr[1] == '9') {
		while (count && digits[count - 1] == '0')
			count--;
		if (!count)
			return;
	}
	bl_buf_put_char(out, text.ptr[0]);
	bl_buf_put(out, digits, count);
}

static void put_year(struct bl_buf *out, int64_t year)
{
	if (year < 0)
		bl_buf_printf(out, "-%04" PRId64, -year);
	else
		bl_buf_printf(out, "%04" PRId64, year);
}

static void put_number(struct bl_buf *out, int number, bool zero)
{
	bl_buf_printf(out, zero ? "%02d" : "%d", number);
}

/* Month, day, hour of 24, minute or second. */
static void put_field(struct bl_buf *out, enum element element,
		      const struct civil *civil)
{
	static const struct {
		enum element zero;
		enum element plain;
		size_t at;
	} fields[] = {
		{ ZERO_MONTH, MONTH, offsetof(struct civil, month) },
		{ ZERO_DAY, DAY, offsetof(struct civil, day) },
		{ HOUR, HOUR, offsetof(struct civil, hour) },
		{ ZERO_MINUTE, MINUTE, offsetof(struct civil, minute) },
		{ ZERO_SECOND, SECOND, offsetof(struct civil, second) },
	};

	for (size_t i = 0; i < BL_COUNT(fields); i++) {
		int number;

		if (element != fields[i].zero && element != fields[i].plain)
			continue;
		memcpy(&number, (const char *)civil + fields[i].at,
		       sizeof(number));
		put_number(out, number, element == fields[i].zero);
	}
}

static void put_half_day(struct bl_buf *out, bool upper, int hour)
{
	if (upper)
		bl_buf_puts(out, hour >= 12 ? "PM" : "AM");
	else
		bl_buf_puts(out, hour >= 12 ? "pm" : "am");
}

static void put_name(struct bl_buf *out, const char *name, bool cut)
{
	bl_buf_put(out, name, cut ? 3 : strlen(name));
}

static void put_year_day(struct bl_buf *out, int64_t year, int64_t days,
			 enum element element)
{
	bl_buf_printf(out, element == ZERO_YEAR_DAY ? "%03d" : "%3d",
		      (int)(days - bl_days_from_civil(year, 1, 1)) + 1);
}

static void put_element(struct bl_buf *out, const struct piece *piece,
			const struct civil *civil)
{
	int64_t days =
		bl_days_from_civil(civil->year, civil->month, civil->day);
	const char *weekday = bl_weekday_names[bl_weekday(days)];
	const char *month = bl_month_names[civil->month - 1];
	enum element element = piece->element;

	switch (element) {
	case ELEMENT_NONE:
		break;
	case LONG_MONTH:
	case SHORT_MONTH:
		put_name(out, month, element == SHORT_MONTH);
		break;
	case LONG_WEEKDAY:
	case SHORT_WEEKDAY:
		put_name(out, weekday, element == SHORT_WEEKDAY);
		break;
	case ZONE_NAME:
		put_zone_name(out, civil);
		break;
	case ZERO_MONTH:
	case MONTH:
	case ZERO_DAY:
	case DAY:
	case HOUR:
	case ZERO_MINUTE:
	case MINUTE:
	case ZERO_SECOND:
	case SECOND:
		put_field(out, element, civil);
		break;
	case SPACE_DAY:
		bl_buf_printf(out, "%2d", civil->day);
		break;
	case ZERO_YEAR_DAY:
	case SPACE_YEAR_DAY:
		put_year_day(out, civil->year, days, element);
		break;
	case ZERO_HOUR_12:
	case HOUR_12:
		put_number(out, hour_12(civil), element == ZERO_HOUR_12);
		break;
	case LONG_YEAR:
		put_year(out, civil->year);
		break;
	case YEAR:
		put_number(out, (int)((civil->year % 100 + 100) % 100), true);
		break;
	case UPPER_PM:
	case LOWER_PM:
		put_half_day(out, element == UPPER_PM, civil->hour);
		break;
	case OFFSET:
		put_offset(out, piece->text, civil);
		break;
	case FRACTION:
		put_fraction(out, piece->text, civil->nanosecond);
		break;
	}
}

void bl_time_format_put(struct bl_buf *out, struct bl_str format,
			const struct civil *civil)
{
	while (format.len) {
		struct piece piece = bl_time_format_next(format);

		bl_buf_put_str(out, piece.before);
		put_element(out, &piece, civil);
		format = piece.after;
	}
}
