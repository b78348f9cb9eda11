/* SPDX-License-Identifier: Apache-2.0 */
/* Time zones: TZif files (RFC 8536), with the rule at their end. */
#include "rego/builtins/calendar.h"

enum { HEADER_BYTES = 44, TYPE_BYTES = 6 };

/* The tables of a file's 64-bit part. */
struct tables {
	const uint8_t *times; /* of the changes, 8 bytes each */
	size_t time_count;
	const uint8_t *indexes; /* the type that begins at a change */
	const uint8_t *types;
	size_t type_count;
	const char *names;
	size_t name_bytes;
	struct bl_str rule;
};

static uint32_t read_u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static int64_t read_i64(const uint8_t *p)
{
	return (int64_t)((uint64_t)read_u32(p) << 32 | read_u32(p + 4));
}

/* Counts of a header: utc, standard, leap, times, types, name bytes. */
static bool read_counts(const uint8_t *p, const uint8_t *end, size_t counts[6])
{
	if (end - p < HEADER_BYTES || memcmp(p, "TZif", 4) != 0)
		return false;
	for (size_t i = 0; i < 6; i++) {
		counts[i] = read_u32(p + 20 + 4 * i);
		if (counts[i] > 1000000)
			return false;
	}
	return true;
}

/* Bytes of the block after a header with times of width bytes. */
static size_t block_bytes(const size_t counts[6], size_t width)
{
	return counts[3] * (width + 1) + counts[4] * TYPE_BYTES + counts[5] +
	       counts[2] * (width + 4) + counts[1] + counts[0];
}

static bool read_tables(struct bl_str tzif, struct tables *out)
{
	const uint8_t *p, *end;
	size_t counts[6], bytes;

	if (!tzif.len)
		return false;
	p = (const uint8_t *)tzif.ptr;
	end = p + tzif.len;
	if (!read_counts(p, end, counts) || p[4] < '2')
		return false;
	bytes = HEADER_BYTES + block_bytes(counts, 4);
	if ((size_t)(end - p) < bytes)
		return false;
	p += bytes;
	if (!read_counts(p, end, counts))
		return false;
	bytes = block_bytes(counts, 8);
	p += HEADER_BYTES;
	if ((size_t)(end - p) < bytes + 2 || !counts[4])
		return false;
	out->time_count = counts[3];
	out->type_count = counts[4];
	out->name_bytes = counts[5];
	out->times = p;
	out->indexes = p + counts[3] * 8;
	out->types = out->indexes + counts[3];
	out->names = (const char *)(out->types + counts[4] * TYPE_BYTES);
	p += bytes;
	out->rule.ptr = (const char *)p + 1;
	out->rule.len = (size_t)(end - p) - 2;
	for (size_t i = 0; i < out->time_count; i++) {
		if (out->indexes[i] >= out->type_count)
			return false;
	}
	return true;
}

bool bl_zone_check(struct bl_str tzif)
{
	struct tables tables;

	return read_tables(tzif, &tables);
}

static void set_name(char out_name[ZONE_NAME_BYTES], const char *name,
		     size_t most)
{
	size_t len = strnlen(name, most);

	if (len > ZONE_NAME_BYTES - 1)
		len = ZONE_NAME_BYTES - 1;
	memcpy(out_name, name, len);
	out_name[len] = '\0';
}

static void use_type(const struct tables *tables, size_t i, int *out_offset,
		     char out_name[ZONE_NAME_BYTES])
{
	const uint8_t *type = tables->types + i * TYPE_BYTES;
	size_t at = type[5];

	*out_offset = (int)(int32_t)read_u32(type);
	if (at < tables->name_bytes)
		set_name(out_name, tables->names + at, tables->name_bytes - at);
}

/* ---- the rule: "CET-1CEST,M3.5.0,M10.5.0/3" ------------------------------- */

struct rule_day {
	char kind; /* M, J, or 0 for days from 0 */
	int month, week, weekday;
	int day;
	int seconds; /* of the change, local */
};

struct rule {
	struct bl_str names[2]; /* standard, summer */
	int offsets[2];
	struct rule_day changes[2]; /* to summer, and back */
	bool has_summer;
};

static bool peek(const struct bl_str *text, char c)
{
	return text->len && text->ptr[0] == c;
}

static void skip(struct bl_str *text, size_t count)
{
	*text = bl_str_slice(*text, count, text->len);
}

static bool take_number(struct bl_str *text, int *out)
{
	size_t len = 0;

	*out = 0;
	while (len < text->len && len < 4 && text->ptr[len] >= '0' &&
	       text->ptr[len] <= '9')
		*out = *out * 10 + (text->ptr[len++] - '0');
	skip(text, len);
	return len > 0;
}

static bool take_name(struct bl_str *text, struct bl_str *out)
{
	bool quoted = peek(text, '<');
	size_t len = 0;

	if (quoted)
		skip(text, 1);
	while (len < text->len &&
	       (quoted ? text->ptr[len] != '>'
		       : (text->ptr[len] >= 'A' && text->ptr[len] <= 'Z') ||
				 (text->ptr[len] >= 'a' &&
				  text->ptr[len] <= 'z')))
		len++;
	*out = bl_str_slice(*text, 0, len);
	skip(text, len + quoted);
	return len > 0;
}

/* [+-]hh[:mm[:ss]] */
static bool take_time(struct bl_str *text, int *out)
{
	bool negative = peek(text, '-');
	int unit = 3600, part;

	*out = 0;
	if (negative || peek(text, '+'))
		skip(text, 1);
	if (!take_number(text, &part))
		return false;
	*out = part * unit;
	while (unit > 1 && peek(text, ':')) {
		skip(text, 1);
		unit /= 60;
		if (!take_number(text, &part))
			return false;
		*out += part * unit;
	}
	if (negative)
		*out = -*out;
	return true;
}

static bool take_day(struct bl_str *text, struct rule_day *out)
{
	*out = (struct rule_day){ .seconds = 2 * 3600 };
	if (!peek(text, ','))
		return false;
	skip(text, 1);
	if (peek(text, 'M') || peek(text, 'J')) {
		out->kind = text->ptr[0];
		skip(text, 1);
	}
	if (!take_number(text, &out->day))
		return false;
	if (out->kind == 'M') {
		out->month = out->day;
		if (!peek(text, '.'))
			return false;
		skip(text, 1);
		if (!take_number(text, &out->week) || !peek(text, '.'))
			return false;
		skip(text, 1);
		if (!take_number(text, &out->weekday))
			return false;
	}
	if (!peek(text, '/'))
		return true;
	skip(text, 1);
	return take_time(text, &out->seconds);
}

static bool read_rule(struct bl_str text, struct rule *out)
{
	int west;

	*out = (struct rule){ 0 };
	if (!take_name(&text, &out->names[0]) || !take_time(&text, &west))
		return false;
	out->offsets[0] = -west;
	if (!text.len)
		return true;
	out->has_summer = true;
	out->offsets[1] = out->offsets[0] + 3600;
	if (!take_name(&text, &out->names[1]))
		return false;
	if (text.len && !peek(&text, ',')) {
		if (!take_time(&text, &west))
			return false;
		out->offsets[1] = -west;
	}
	return take_day(&text, &out->changes[0]) &&
	       take_day(&text, &out->changes[1]);
}

/* Seconds since 1970, local, of the change in a year. */
static int64_t change_in(const struct rule_day *change, int64_t year)
{
	int64_t days = bl_days_from_civil(year, 1, 1);

	if (change->kind == 'M') {
		int64_t first = bl_days_from_civil(year, change->month, 1);
		int day = (change->weekday - bl_weekday(first) + 7) % 7 +
			  (change->week - 1) * 7;

		while (day >= bl_days_in_month(year, change->month))
			day -= 7;
		days = first + day;
	} else if (change->kind == 'J') {
		/* The leap day is never counted. */
		bool leap = bl_days_in_month(year, 2) == 29;

		days += change->day - 1 + (leap && change->day > 59);
	} else {
		days += change->day;
	}
	return days * SECONDS_A_DAY + change->seconds;
}

static bool is_summer(const struct rule *rule, int64_t seconds)
{
	int64_t start, end;
	struct civil civil;

	if (!rule->has_summer)
		return false;
	bl_calendar_from_seconds(seconds + rule->offsets[0], &civil);
	start = change_in(&rule->changes[0], civil.year) - rule->offsets[0];
	end = change_in(&rule->changes[1], civil.year) - rule->offsets[1];
	if (start < end)
		return seconds >= start && seconds < end;
	return seconds >= start || seconds < end;
}

/* ---- look-up ------------------------------------------------------------ */

/* The type before the first change: the first that is not summer time. */
static size_t first_type(const struct tables *tables)
{
	for (size_t i = 0; i < tables->type_count; i++) {
		if (!tables->types[i * TYPE_BYTES + 4])
			return i;
	}
	return 0;
}

void bl_zone_look_up(const struct zone *zone, int64_t seconds, int *out_offset,
		     char out_name[ZONE_NAME_BYTES])
{
	size_t low = 0, high;
	struct tables tables;
	struct rule rule;

	*out_offset = 0;
	set_name(out_name, "UTC", 3);
	if (!read_tables(zone->tzif, &tables))
		return;
	for (high = tables.time_count; low < high;) {
		size_t half = low + (high - low) / 2;

		if (read_i64(tables.times + half * 8) <= seconds)
			low = half + 1;
		else
			high = half;
	}
	if (low == tables.time_count && read_rule(tables.rule, &rule)) {
		bool summer = is_summer(&rule, seconds);

		*out_offset = rule.offsets[summer];
		set_name(out_name, rule.names[summer].ptr,
			 rule.names[summer].len);
		return;
	}
	use_type(&tables, low ? tables.indexes[low - 1] : first_type(&tables),
		 out_offset, out_name);
}
