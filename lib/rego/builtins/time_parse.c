/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a time in a format, as Go's time.Parse. */
#include "rego/builtins/time_format.h"

/* The fields read so far. */
struct reader {
	struct bl_str text; /* what is left */
	struct civil civil;
	bool pm;
	bool am;
	int year_day;
	bool has_year_day;
	bool has_month;
	bool has_day;
	const char *out_of_range;
};

/* Takes a number of at most most digits, and at least least. */
static bool take_number(struct reader *reader, size_t least, size_t most,
			int *out)
{
	size_t len = 0;

	*out = 0;
	while (len < most && bl_ascii_is_digit(char_at(reader->text, len)))
		*out = *out * 10 + (reader->text.ptr[len++] - '0');
	if (len < least)
		return false;
	reader->text = rest_of(reader->text, len);
	return true;
}

/* As above with a range, whose violation is an error of its own. */
static bool take_ranged(struct reader *reader, bool two, int from, int to,
			const char *what)
{
	int value;

	if (!take_number(reader, two ? 2 : 1, 2, &value))
		return false;
	if (value < from || value > to)
		reader->out_of_range = what;
	reader->has_month |= !strcmp(what, "month");
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
		    strncasecmp(reader->text.ptr, names[i], want) != 0)
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
	while (bl_ascii_is_digit(char_at(reader->text, len))) {
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

	return (c == '.' || c == ',') && bl_ascii_is_digit(char_at(text, 1));
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
	reader->has_month = true;
	return true;
}

static bool take_day(struct reader *reader, enum element element)
{
	if (element == SPACE_DAY && char_at(reader->text, 0) == ' ')
		reader->text = rest_of(reader->text, 1);
	reader->has_day = true;
	return take_number(reader, element == ZERO_DAY ? 2 : 1, 2,
			   &reader->civil.day);
}

/* Two spaces may stand for digits of "__2". */
static bool take_year_day(struct reader *reader, enum element element)
{
	bool padded = element == ZERO_YEAR_DAY;

	for (int i = 0; i < 2 && !padded; i++)
		if (char_at(reader->text, 0) == ' ')
			reader->text = rest_of(reader->text, 1);
	reader->has_year_day = true;
	return take_number(reader, padded ? 3 : 1, 3, &reader->year_day);
}

/* A second may have a fraction that the format does not show. */
static bool take_second(struct reader *reader, const struct piece *piece)
{
	struct piece next = bl_time_format_next(piece->after);

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
		if (!bl_ascii_is_digit(char_at(reader->text, i)))
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
	case SPACE_YEAR_DAY:
		return take_year_day(reader, element);
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

/* The day of the year as month and day; NULL, or what is wrong. */
static const char *settle_year_day(struct reader *reader)
{
	struct civil *civil = &reader->civil;
	int64_t days = bl_days_from_civil(civil->year, 1, 1);
	struct civil found;

	if (reader->year_day < 1 ||
	    days + reader->year_day > bl_days_from_civil(civil->year + 1, 1, 1))
		return "day-of-year out of range";
	bl_calendar_from_seconds((days + reader->year_day - 1) * SECONDS_A_DAY,
				 &found);
	if (reader->has_month && civil->month != found.month)
		return "day-of-year does not match month";
	if (reader->has_day && civil->day != found.day)
		return "day-of-year does not match day";
	civil->month = found.month;
	civil->day = found.day;
	return NULL;
}

/* Puts hours and days right; NULL, or what is wrong. */
static const char *finish(struct reader *reader)
{
	const char *problem = NULL;

	struct civil *civil = &reader->civil;

	if (reader->pm && civil->hour < 12)
		civil->hour += 12;
	else if (reader->am && civil->hour == 12)
		civil->hour = 0;
	if (reader->has_year_day)
		problem = settle_year_day(reader);
	if (!problem &&
	    (civil->day < 1 ||
	     civil->day > bl_days_in_month(civil->year, civil->month)))
		problem = "day out of range";
	return problem;
}

bool bl_time_format_parse(struct bl_str format, struct bl_str text,
			  struct civil *out_civil, struct bl_buf *err)
{
	struct reader reader = { .text = text,
				 .civil = { .month = 1, .day = 1 } };
	struct bl_str left = format;
	const char *problem;

	while (left.len) {
		struct piece piece = bl_time_format_next(left);
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
				      BL_STR_ARG(text), BL_STR_ARG(format),
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
	else if ((problem = finish(&reader)))
		bl_buf_printf(err, "parsing time \"%.*s\": %s",
			      BL_STR_ARG(text), problem);
	*out_civil = reader.civil;
	return err->len == 0;
}
