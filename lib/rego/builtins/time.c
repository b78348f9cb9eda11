/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builtins time.*, on nanoseconds since 1970.  Days, zones and formats
 * are in calendar.c, zone.c, time_format.c and time_parse.c.
 */
#include "rego/builtins/calendar.h"
#include "rego/builtins/functions.h"

enum { NS_A_SECOND = 1000000000 };

/* A time in a zone. */
struct moment {
	int64_t ns;
	struct zone zone;
	struct bl_str format;
	struct civil civil;
};

static bool range_fault(struct bl_builtin_call *call)
{
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"time outside of valid range");
}

/* Returns seconds and nanoseconds as one number. */
static bool return_ns(struct bl_builtin_call *call, int64_t seconds,
		      int64_t nanosecond)
{
	int64_t ns;

	/* Rounded up, so that the least number there is can be told. */
	if (seconds < 0 && nanosecond) {
		seconds++;
		nanosecond -= NS_A_SECOND;
	}
	if (__builtin_mul_overflow(seconds, (int64_t)NS_A_SECOND, &ns) ||
	    __builtin_add_overflow(ns, nanosecond, &ns))
		return range_fault(call);
	return bl_builtin_return_integer(call, ns);
}

/* ---- operands ----------------------------------------------------------- */

/* As Go: nothing that could lead out of the zones' directory. */
static bool is_zone_name(struct bl_str name)
{
	return name.ptr[0] != '/' && !memchr(name.ptr, '\\', name.len) &&
	       !memchr(name.ptr, '\0', name.len) &&
	       bl_str_find(name, BL_STR(".."), 0) == SIZE_MAX;
}

static bool find_zone(struct bl_builtin_call *call, struct bl_str name,
		      struct zone *out)
{
	const struct bl_builtin_state *state = call->state;

	*out = (struct zone){ 0 };
	if (!name.len || bl_str_is(name, "UTC") || bl_str_is(name, "Local"))
		return true;
	if (is_zone_name(name) && state->host.read_zone &&
	    state->host.read_zone(state->host.context, call->arena, name,
				  &out->tzif) &&
	    bl_zone_check(out->tzif))
		return true;
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"unknown time zone %.*s", BL_STR_ARG(name));
}

/* Date and clock of ns in the zone. */
static void set_civil(struct moment *moment)
{
	int64_t seconds = moment->ns / NS_A_SECOND;
	int64_t nanosecond = moment->ns % NS_A_SECOND;

	if (nanosecond < 0) {
		seconds--;
		nanosecond += NS_A_SECOND;
	}
	bl_zone_look_up(&moment->zone, seconds, &moment->civil.offset,
			moment->civil.zone);
	bl_calendar_from_seconds(seconds + moment->civil.offset,
				 &moment->civil);
	moment->civil.nanosecond = nanosecond;
}

/* ns, [ns, zone] or [ns, zone, format]. */
static bool read_moment(struct bl_builtin_call *call, size_t n,
			struct moment *out)
{
	struct bl_value operand = call->args[n - 1];
	struct bl_value parts[3] = { operand };
	size_t count = bl_value_count(operand);

	*out = (struct moment){ .format = bl_time_format_named(
					BL_STR("RFC3339Nano")) };
	if (bl_value_is(operand, BL_KIND_ARRAY)) {
		for (size_t i = 0; i < 3; i++)
			parts[i] = bl_value_item(operand, i);
	}
	for (size_t i = 1; i < count && i < 3; i++) {
		if (!bl_value_is(parts[i], BL_KIND_STRING))
			return bl_builtin_operand_fault(
				call, n, "string",
				bl_kind_name(bl_value_kind(parts[i])));
	}
	if (!bl_value_is(parts[0], BL_KIND_NUMBER))
		return bl_builtin_operand_fault(
			call, n, "number",
			bl_kind_name(bl_value_kind(parts[0])));
	if (!bl_number_to_integer(parts[0], &out->ns))
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"timestamp too big");
	if (count > 2)
		out->format = bl_time_format_named(bl_value_text(parts[2]));
	if (!find_zone(call, bl_value_text(parts[1]), &out->zone))
		return false;
	set_civil(out);
	return true;
}

/* ---- parts -------------------------------------------------------------- */

bool bl_fn_time_now_ns(struct bl_builtin_call *call)
{
	return bl_builtin_return_integer(call, call->state->host.now_ns);
}

static bool return_integers(struct bl_builtin_call *call,
			    const int64_t *integers, size_t count)
{
	struct bl_array_builder out;

	bl_array_builder_init(&out, call->arena);
	for (size_t i = 0; i < count; i++)
		bl_array_builder_add(&out, bl_value_integer(integers[i]));
	return bl_builtin_return(call, bl_array_builder_end(&out));
}

bool bl_fn_time_date(struct bl_builtin_call *call)
{
	struct moment moment;

	if (!read_moment(call, 1, &moment))
		return false;
	return return_integers(call,
			       (int64_t[]){ moment.civil.year,
					    moment.civil.month,
					    moment.civil.day },
			       3);
}

bool bl_fn_time_clock(struct bl_builtin_call *call)
{
	struct moment moment;

	if (!read_moment(call, 1, &moment))
		return false;
	return return_integers(call,
			       (int64_t[]){ moment.civil.hour,
					    moment.civil.minute,
					    moment.civil.second },
			       3);
}

bool bl_fn_time_weekday(struct bl_builtin_call *call)
{
	struct moment moment;
	int64_t days;

	if (!read_moment(call, 1, &moment))
		return false;
	days = bl_days_from_civil(moment.civil.year, moment.civil.month,
				  moment.civil.day);
	call->result =
		bl_value_string(bl_str(bl_weekday_names[bl_weekday(days)]));
	return true;
}

bool bl_fn_time_format(struct bl_builtin_call *call)
{
	struct moment moment;
	struct bl_buf out;

	if (!read_moment(call, 1, &moment))
		return false;
	bl_buf_init(&out, UINT32_MAX);
	bl_time_format_put(&out, moment.format, &moment.civil);
	return bl_builtin_return_buf(call, &out);
}

/* ---- reading ------------------------------------------------------------ */

static bool parse(struct bl_builtin_call *call, struct bl_str format,
		  struct bl_str text)
{
	struct civil civil;
	struct bl_buf err;
	bool ok;

	bl_buf_init(&err, 0);
	ok = bl_time_format_parse(format, text, &civil, &err);
	if (!ok)
		bl_builtin_fault(call, BL_FAULT_BUILTIN, "%s", err.ptr);
	bl_buf_clear(&err);
	return ok &&
	       return_ns(call, bl_calendar_to_seconds(&civil) - civil.offset,
			 civil.nanosecond);
}

bool bl_fn_time_parse_ns(struct bl_builtin_call *call)
{
	return parse(call, bl_time_format_named(bl_builtin_text(call, 0)),
		     bl_builtin_text(call, 1));
}

bool bl_fn_time_parse_rfc3339_ns(struct bl_builtin_call *call)
{
	return parse(call, bl_time_format_named(BL_STR("RFC3339")),
		     bl_builtin_text(call, 0));
}

/* ---- durations ---------------------------------------------------------- */

static bool find_unit(struct bl_str name, uint64_t *out_ns)
{
	static const uint64_t second = NS_A_SECOND;
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },
		{ "us", 1000 },
		{ "\302\265s", 1000 }, /* micro sign */
		{ "\316\274s", 1000 }, /* Greek mu */
		{ "ms", 1000000 },
		{ "s", second },
		{ "m", 60 * second },
		{ "h", 3600 * second },
		{ "d", 24 * 3600 * second },
		{ "w", 7 * 24 * 3600 * second },
		{ "y", 365 * 24 * 3600 * second },
	};

	for (size_t i = 0; i < BL_COUNT(units); i++) {
		if (bl_str_is(name, units[i].name)) {
			*out_ns = units[i].ns;
			return true;
		}
	}
	return false;
}

static bool is_digit_at(struct bl_str text, size_t at)
{
	return at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9';
}

/* One number with its unit, added to *total.  NULL, or what is wrong. */
static const char *take_span(struct bl_str *text, uint64_t *total)
{
	uint64_t whole = 0, fraction = 0, unit, ns;
	double scale = 1;
	size_t at = 0, digits, unit_at;

	for (; is_digit_at(*text, at); at++) {
		if (__builtin_mul_overflow(whole, 10u, &whole) ||
		    __builtin_add_overflow(
			    whole, (uint64_t)(text->ptr[at] - '0'), &whole))
			return "invalid duration";
	}
	digits = at;
	if (at < text->len && text->ptr[at] == '.') {
		for (at++; is_digit_at(*text, at); at++) {
			digits++;
			if (fraction >= INT64_MAX / 10)
				continue;
			fraction =
				fraction * 10 + (uint64_t)(text->ptr[at] - '0');
			scale *= 10;
		}
	}
	if (!digits)
		return "invalid duration";
	unit_at = at;
	while (at < text->len && text->ptr[at] != '.' &&
	       !is_digit_at(*text, at))
		at++;
	if (at == unit_at)
		return "missing unit in duration";
	if (!find_unit(bl_str_slice(*text, unit_at, at), &unit))
		return "unknown unit in duration";
	if (__builtin_mul_overflow(whole, unit, &ns))
		return "invalid duration";
	ns += (uint64_t)((double)fraction * ((double)unit / scale));
	if (__builtin_add_overflow(*total, ns, total))
		return "invalid duration";
	*text = bl_str_slice(*text, at, text->len);
	return NULL;
}

bool bl_fn_time_parse_duration_ns(struct bl_builtin_call *call)
{
	struct bl_str text = bl_builtin_text(call, 0), left = text;
	bool negative = left.len && left.ptr[0] == '-';
	const char *wrong = NULL;
	uint64_t total = 0;

	if (negative || (left.len && left.ptr[0] == '+'))
		left = bl_str_slice(left, 1, left.len);
	if (bl_str_is(left, "0"))
		return bl_builtin_return_integer(call, 0);
	if (!left.len)
		wrong = "invalid duration";
	while (left.len && !wrong)
		wrong = take_span(&left, &total);
	if (!wrong && total > (uint64_t)INT64_MAX + negative)
		wrong = "invalid duration";
	if (wrong)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN,
					"time: %s \"%.*s\"", wrong,
					BL_STR_ARG(text));
	return bl_builtin_return_integer(
		call, (int64_t)(negative ? 0 - total : total));
}

/* ---- calculating -------------------------------------------------------- */

bool bl_fn_time_add_date(struct bl_builtin_call *call)
{
	enum { MOST = 100000000 }; /* of years, months or days */
	int64_t add[3], local, seconds;
	char name[ZONE_NAME_BYTES];
	struct moment moment;
	int offset, again;

	if (!read_moment(call, 1, &moment))
		return false;
	for (size_t i = 0; i < 3; i++) {
		if (!bl_builtin_plain_integer(call, i + 2, &add[i]))
			return false;
		if (add[i] > MOST || add[i] < -MOST)
			return range_fault(call);
	}
	local = bl_days_from_civil(moment.civil.year + add[0],
				   moment.civil.month + add[1],
				   moment.civil.day + add[2]) *
			SECONDS_A_DAY +
		moment.civil.hour * 3600 + moment.civil.minute * 60 +
		moment.civil.second;
	/* The offset that holds at the new time, as Go looks for it. */
	bl_zone_look_up(&moment.zone, local, &offset, name);
	seconds = local - offset;
	bl_zone_look_up(&moment.zone, seconds, &again, name);
	if (offset && again != offset)
		seconds = local - again;
	return return_ns(call, seconds, moment.civil.nanosecond);
}

/* Moves a unit over from the next larger one when a part is negative. */
static void borrow(int64_t *part, int64_t size, int64_t *larger)
{
	if (*part < 0) {
		*part += size;
		--*larger;
	}
}

bool bl_fn_time_diff(struct bl_builtin_call *call)
{
	struct moment a, b;
	int64_t parts[6];

	if (!read_moment(call, 1, &a) || !read_moment(call, 2, &b))
		return false;
	b.zone = a.zone;
	set_civil(&b);
	if (a.ns > b.ns) {
		struct moment swap = a;

		a = b;
		b = swap;
	}
	parts[0] = b.civil.year - a.civil.year;
	parts[1] = b.civil.month - a.civil.month;
	parts[2] = b.civil.day - a.civil.day;
	parts[3] = b.civil.hour - a.civil.hour;
	parts[4] = b.civil.minute - a.civil.minute;
	parts[5] = b.civil.second - a.civil.second;
	borrow(&parts[5], 60, &parts[4]);
	borrow(&parts[4], 60, &parts[3]);
	borrow(&parts[3], 24, &parts[2]);
	borrow(&parts[2], bl_days_in_month(a.civil.year, a.civil.month),
	       &parts[1]);
	borrow(&parts[1], 12, &parts[0]);
	return return_integers(call, parts, 6);
}
