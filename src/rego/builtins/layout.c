/* SPDX-License-Identifier: Apache-2.0 */
/* Go's time layouts: the reference time Mon Jan 2 15:04:05 MST 2006. */
#include "rego/builtins/calendar.h"

#include <inttypes.h>

enum element {
	ELEMENT_NONE, /* the end of the layout */
	LONG_MONTH,
	SHORT_MONTH,
	LONG_WEEKDAY,
	SHORT_WEEKDAY,
	ZONE_NAME,
	ZERO_MONTH,
	MONTH,
	ZERO_DAY,
	SPACE_DAY,
	DAY,
	ZERO_YEAR_DAY,
	HOUR,
	ZERO_HOUR_12,
	HOUR_12,
	ZERO_MINUTE,
	MINUTE,
	ZERO_SECOND,
	SECOND,
	LONG_YEAR,
	YEAR,
	UPPER_PM,
	LOWER_PM,
	OFFSET, /* in the form that the text itself shows */
	FRACTION,
};

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

/* A layout cut at its first element. */
struct piece {
	struct bl_str before;
	struct bl_str text; /* of the element */
	struct bl_str after;
	enum element element;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char char_at(struct bl_str text, size_t i)
{
	return i < text.len ? text.ptr[i] : '\0';
}

static struct bl_str rest_of(struct bl_str text, size_t from)
{
	return bl_str_slice(text, from, text.len);
}

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
	return is_digit(char_at(text, len)) ? 0 : len;
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

static struct piece next_piece(struct bl_str layout)
{
	struct piece piece = { .before = layout };

	for (size_t i = 0; i < layout.len; i++) {
		struct bl_str rest = rest_of(layout, i);
		size_t len;

		/* "_2006" is an underline and a year. */
		if (bl_str_has_prefix(rest, BL_STR("_2006")))
			continue;
		piece.element = element_at(rest, &len);
		if (!piece.element)
			continue;
		piece.before = bl_str_slice(layout, 0, i);
		piece.text = bl_str_slice(rest, 0, len);
		piece.after = rest_of(rest, len);
		return piece;
	}
	return piece;
}

struct bl_str bl_layout_named(struct bl_str text)
{
	static const struct {
		const char *name;
		const char *layout;
	} layouts[] = {
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

	for (size_t i = 0; i < BL_COUNT(layouts); i++) {
		if (bl_str_is(text, layouts[i].name))
			return bl_str(layouts[i].layout);
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

static void put_element(struct bl_buf *out, const struct piece *piece,
			const struct civil *civil)
{
	int64_t days =
		bl_days_from_civil(civil->year, civil->month, civil->day);
	const char *weekday = bl_weekday_names[bl_weekday(days)];
	const char *month = bl_month_names[civil->month - 1];

	switch (piece->element) {
	case ELEMENT_NONE:
		break;
	case LONG_MONTH:
		bl_buf_puts(out, month);
		break;
	case SHORT_MONTH:
		bl_buf_put(out, month, 3);
		break;
	case LONG_WEEKDAY:
		bl_buf_puts(out, weekday);
		break;
	case SHORT_WEEKDAY:
		bl_buf_put(out, weekday, 3);
		break;
	case ZONE_NAME:
		put_zone_name(out, civil);
		break;
	case ZERO_MONTH:
		bl_buf_printf(out, "%02d", civil->month);
		break;
	case MONTH:
		bl_buf_printf(out, "%d", civil->month);
		break;
	case ZERO_DAY:
		bl_buf_printf(out, "%02d", civil->day);
		break;
	case SPACE_DAY:
		bl_buf_printf(out, "%2d", civil->day);
		break;
	case DAY:
		bl_buf_printf(out, "%d", civil->day);
		break;
	case ZERO_YEAR_DAY:
		bl_buf_printf(out, "%03d",
			      (int)(days + 1 -
				    bl_days_from_civil(civil->year, 1, 1)));
		break;
	case HOUR:
		bl_buf_printf(out, "%02d", civil->hour);
		break;
	case ZERO_HOUR_12:
		bl_buf_printf(out, "%02d", hour_12(civil));
		break;
	case HOUR_12:
		bl_buf_printf(out, "%d", hour_12(civil));
		break;
	case ZERO_MINUTE:
		bl_buf_printf(out, "%02d", civil->minute);
		break;
	case MINUTE:
		bl_buf_printf(out, "%d", civil->minute);
		break;
	case ZERO_SECOND:
		bl_buf_printf(out, "%02d", civil->second);
		break;
	case SECOND:
		bl_buf_printf(out, "%d", civil->second);
		break;
	case LONG_YEAR:
		put_year(out, civil->year);
		break;
	case YEAR:
		bl_buf_printf(out, "%02d",
			      (int)((civil->year % 100 + 100) % 100));
		break;
	case UPPER_PM:
		bl_buf_puts(out, civil->hour >= 12 ? "PM" : "AM");
		break;
	case LOWER_PM:
		bl_buf_puts(out, civil->hour >= 12 ? "pm" : "am");
		break;
	case OFFSET:
		put_offset(out, piece->text, civil);
		break;
	case FRACTION:
		put_fraction(out, piece->text, civil->nanosecond);
		break;
	}
}

void bl_layout_format(struct bl_buf *out, struct bl_str layout,
		      const struct civil *civil)
{
	while (layout.len) {
		struct piece piece = next_piece(layout);

		bl_buf_put_str(out, piece.before);
		put_element(out, &piece, civil);
		layout = piece.after;
	}
}

/* ---- reading ------------------------------------------------------------ */

/* What a text has told so far. */
struct reader {
	struct bl_str text; /* what is left */
	struct civil civil;
	bool pm;
	bool am;
	int year_day; /* 0: not told */
	const char *out_of_range;
};

/* Takes a number of at most most digits, and at least least. */
static bool take_number(struct reader *reader, size_t least, size_t most,
			int *out)
{
	size_t len = 0;

	*out = 0;
	while (len < most && is_digit(char_at(reader->text, len)))
		*out = *out * 10 + (reader->text.ptr[len++] - '0');
	if (len < least)
		return false;
	reader->text = rest_of(reader->text, len);
	return true;
}

/* The same with a range; out of it is an error of its own. */
static bool take_ranged(struct reader *reader, bool two, int from, int to,
			const char *what)
{
	int value;

	if (!take_number(reader, two ? 2 : 1, 2, &value))
		return false;
	if (value < from || value > to)
		reader->out_of_range = what;
	if (!strcmp(what, "month"))
		reader->civil.month = value;
	else if (!strcmp(what, "hour"))
		reader->civil.hour = value;
	else if (!strcmp(what, "minute"))
		reader->civil.minute = value;
	else
		reader->civil.second = value;
	return true;
}

/* A name of a list, of which len bytes (0: all) are written, any case. */
static bool take_name(struct reader *reader, const char *const *names,
		      size_t count, size_t len, int *out)
{
	for (size_t i = 0; i < count; i++) {
		size_t want = len ? len : strlen(names[i]);

		if (reader->text.len < want ||
		    strncasecmp(reader->text.ptr, names[i], want))
			continue;
		reader->text = rest_of(reader->text, want);
		*out = (int)i;
		return true;
	}
	return false;
}

static bool take_fraction(struct reader *reader)
{
	int64_t unit = 100000000;
	size_t len = 1;

	reader->civil.nanosecond = 0;
	while (is_digit(char_at(reader->text, len))) {
		reader->civil.nanosecond +=
			(reader->text.ptr[len++] - '0') * unit;
		unit /= 10;
	}
	reader->text = rest_of(reader->text, len);
	return true;
}

static bool begins_fraction(struct bl_str text)
{
	char c = char_at(text, 0);

	return (c == '.' || c == ',') && is_digit(char_at(text, 1));
}

static bool take_offset(struct reader *reader, struct bl_str form)
{
	bool colon = memchr(form.ptr, ':', form.len) != NULL;
	size_t parts = form.len > 6 ? 3 : form.len > 3 ? 2 : 1;
	char sign = char_at(reader->text, 0);
	int unit = 3600, offset = 0;

	if (form.ptr[0] == 'Z' && sign == 'Z') {
		reader->text = rest_of(reader->text, 1);
		reader->civil.offset = 0;
		return true;
	}
	if (sign != '+' && sign != '-')
		return false;
	reader->text = rest_of(reader->text, 1);
	for (size_t i = 0; i < parts; i++, unit /= 60) {
		int part;

		if (i && colon) {
			if (char_at(reader->text, 0) != ':')
				return false;
			reader->text = rest_of(reader->text, 1);
		}
		if (!take_number(reader, 2, 2, &part))
			return false;
		if (part > (i ? 60 : 24))
			reader->out_of_range = "time zone offset";
		offset += part * unit;
	}
	reader->civil.offset = sign == '-' ? -offset : offset;
	return true;
}

/* A short name; only UTC and GMT+3 say what they mean. */
static bool take_zone_name(struct reader *reader)
{
	size_t len = 0;

	while (char_at(reader->text, len) >= 'A' &&
	       char_at(reader->text, len) <= 'Z' && len < 6)
		len++;
	if (bl_str_has_prefix(reader->text, BL_STR("GMT")) &&
	    (char_at(reader->text, 3) == '+' ||
	     char_at(reader->text, 3) == '-')) {
		bool negative = char_at(reader->text, 3) == '-';
		int hours;

		reader->text = rest_of(reader->text, 4);
		if (!take_number(reader, 1, 2, &hours) || hours > 23)
			return false;
		reader->civil.offset = (negative ? -hours : hours) * 3600;
		return true;
	}
	if (len < 3 || len > 5)
		return false;
	reader->text = rest_of(reader->text, len);
	return true;
}

static bool take_pm(struct reader *reader, const char *am, const char *pm)
{
	if (bl_str_has_prefix(reader->text, bl_str(pm)))
		reader->pm = true;
	else if (bl_str_has_prefix(reader->text, bl_str(am)))
		reader->am = true;
	else
		return false;
	reader->text = rest_of(reader->text, 2);
	return true;
}

static bool take_year(struct reader *reader, bool two)
{
	int year;

	if (!take_number(reader, two ? 2 : 4, two ? 2 : 4, &year))
		return false;
	if (two)
		year += year >= 69 ? 1900 : 2000;
	reader->civil.year = year;
	return true;
}

static bool take_month(struct reader *reader, size_t len)
{
	int month;

	if (!take_name(reader, bl_month_names, 12, len, &month))
		return false;
	reader->civil.month = month + 1;
	return true;
}

static bool take_day(struct reader *reader, enum element element)
{
	if (element == SPACE_DAY && char_at(reader->text, 0) == ' ')
		reader->text = rest_of(reader->text, 1);
	return take_number(reader, element == ZERO_DAY ? 2 : 1, 2,
			   &reader->civil.day);
}

/* A second may have a fraction that the layout does not show. */
static bool take_second(struct reader *reader, const struct piece *piece)
{
	struct piece next = next_piece(piece->after);

	if (!take_ranged(reader, piece->element == ZERO_SECOND, 0, 59,
			 "second"))
		return false;
	if (next.element == FRACTION && !next.before.len)
		return true;
	return !begins_fraction(reader->text) || take_fraction(reader);
}

static bool take_written_fraction(struct reader *reader, struct bl_str form)
{
	if (form.ptr[1] == '9')
		return !begins_fraction(reader->text) || take_fraction(reader);
	for (size_t i = 1; i < form.len; i++) {
		if (!is_digit(char_at(reader->text, i)))
			return false;
	}
	return begins_fraction(reader->text) && take_fraction(reader);
}

static bool take_element(struct reader *reader, const struct piece *piece)
{
	enum element element = piece->element;
	int ignored;

	switch (element) {
	case ELEMENT_NONE:
		return true;
	case LONG_MONTH:
		return take_month(reader, 0);
	case SHORT_MONTH:
		return take_month(reader, 3);
	case LONG_WEEKDAY:
		return take_name(reader, bl_weekday_names, 7, 0, &ignored);
	case SHORT_WEEKDAY:
		return take_name(reader, bl_weekday_names, 7, 3, &ignored);
	case ZONE_NAME:
		return take_zone_name(reader);
	case ZERO_MONTH:
	case MONTH:
		return take_ranged(reader, element == ZERO_MONTH, 1, 12,
				   "month");
	case ZERO_DAY:
	case SPACE_DAY:
	case DAY:
		return take_day(reader, element);
	case ZERO_YEAR_DAY:
		return take_number(reader, 3, 3, &reader->year_day);
	case HOUR:
		return take_ranged(reader, false, 0, 23, "hour");
	case ZERO_HOUR_12:
	case HOUR_12:
		return take_ranged(reader, element == ZERO_HOUR_12, 0, 12,
				   "hour");
	case ZERO_MINUTE:
	case MINUTE:
		return take_ranged(reader, element == ZERO_MINUTE, 0, 59,
				   "minute");
	case ZERO_SECOND:
	case SECOND:
		return take_second(reader, piece);
	case LONG_YEAR:
		return take_year(reader, false);
	case YEAR:
		return take_year(reader, true);
	case UPPER_PM:
		return take_pm(reader, "AM", "PM");
	case LOWER_PM:
		return take_pm(reader, "am", "pm");
	case OFFSET:
		return take_offset(reader, piece->text);
	case FRACTION:
		return take_written_fraction(reader, piece->text);
	}
	return false;
}

/* Literal text; a run of spaces stands for any run of them. */
static bool take_literal(struct reader *reader, struct bl_str literal)
{
	while (literal.len) {
		if (literal.ptr[0] != ' ') {
			if (char_at(reader->text, 0) != literal.ptr[0] ||
			    !reader->text.len)
				return false;
			reader->text = rest_of(reader->text, 1);
			literal = rest_of(literal, 1);
			continue;
		}
		if (reader->text.len && reader->text.ptr[0] != ' ')
			return false;
		while (char_at(literal, 0) == ' ')
			literal = rest_of(literal, 1);
		while (char_at(reader->text, 0) == ' ')
			reader->text = rest_of(reader->text, 1);
	}
	return true;
}

/* Puts hours and days right.  False: out of range. */
static bool finish(struct reader *reader)
{
	struct civil *civil = &reader->civil;

	if (reader->pm && civil->hour < 12)
		civil->hour += 12;
	else if (reader->am && civil->hour == 12)
		civil->hour = 0;
	if (reader->year_day) {
		struct civil found;
		int64_t days =
			bl_days_from_civil(civil->year, 1, reader->year_day);

		bl_civil_from_seconds(days * SECONDS_A_DAY, &found);
		if (found.year != civil->year)
			return false;
		civil->month = found.month;
		civil->day = found.day;
	}
	return civil->day >= 1 &&
	       civil->day <= bl_days_in_month(civil->year, civil->month);
}

bool bl_layout_parse(struct bl_str layout, struct bl_str text,
		     struct civil *out_civil, struct bl_buf *err)
{
	struct reader reader = { .text = text,
				 .civil = { .month = 1, .day = 1 } };
	struct bl_str left = layout;

	while (left.len) {
		struct piece piece = next_piece(left);
		struct bl_str held = reader.text;
		bool literal = take_literal(&reader, piece.before);

		if (literal)
			held = reader.text;
		if (!literal || !take_element(&reader, &piece)) {
			struct bl_str wanted =
				literal ? piece.text : piece.before;

			bl_buf_printf(err,
				      "parsing time \"%.*s\" as \"%.*s\": "
				      "cannot parse \"%.*s\" as \"%.*s\"",
				      BL_STR_ARG(text), BL_STR_ARG(layout),
				      BL_STR_ARG(held), BL_STR_ARG(wanted));
			return false;
		}
		left = piece.after;
	}
	if (reader.text.len)
		bl_buf_printf(err,
			      "parsing time \"%.*s\": extra text: \"%.*s\"",
			      BL_STR_ARG(text), BL_STR_ARG(reader.text));
	else if (reader.out_of_range)
		bl_buf_printf(err, "parsing time \"%.*s\": %s out of range",
			      BL_STR_ARG(text), reader.out_of_range);
	else if (!finish(&reader))
		bl_buf_printf(err, "parsing time \"%.*s\": day out of range",
			      BL_STR_ARG(text));
	*out_civil = reader.civil;
	return err->len == 0;
}
