/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Schema: values that have no parts, and constants. */
#include <stdio.h>

#include "base/ip.h"
#include "rego/builtins/calendar.h"
#include "rego/builtins/external/json_schema.h"
#include "rego/builtins/runes.h"
#include "text/text.h"

/* ---- constants ---------------------------------------------------------- */

/* The name of a place in messages. */
static struct bl_str field_name(struct bl_str context)
{
	const struct bl_str root = BL_STR("(Root).");

	return bl_str_has_prefix(context, root)
		       ? bl_str_slice(context, root.len, SIZE_MAX)
		       : context;
}

static struct bl_str json_text(struct bl_conform *check, struct bl_value value)
{
	struct bl_buf out;
	struct bl_str text;

	bl_buf_init(&out, 0);
	bl_go_json_put(&out, value);
	text = bl_arena_copy_str(check->call->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

static void check_enum(struct bl_conform *check, struct bl_value allowed,
		       struct bl_value node, struct bl_str context)
{
	struct bl_str name;
	struct bl_buf list;

	for (size_t i = 0; i < bl_value_count(allowed); i++) {
		if (bl_value_equal(bl_value_item(allowed, i), node))
			return;
	}
	bl_buf_init(&list, 0);
	for (size_t i = 0; i < bl_value_count(allowed); i++) {
		if (i)
			bl_buf_puts(&list, ", ");
		bl_go_json_put(&list, bl_value_item(allowed, i));
	}
	name = field_name(context);
	bl_conform_error(check, context, "enum",
			 "%.*s must be one of the following: %s",
			 BL_STR_ARG(name), list.ptr);
	bl_buf_clear(&list);
}

void bl_conform_common(struct bl_conform *check, struct bl_value schema,
		       struct bl_value node, struct bl_str context)
{
	struct bl_value constant = bl_conform_get(schema, "const");
	struct bl_value allowed = bl_conform_get(schema, "enum");

	if (bl_value_is_defined(constant) && !bl_value_equal(constant, node)) {
		struct bl_str name = field_name(context);
		struct bl_str text = json_text(check, constant);

		bl_conform_error(check, context, "const",
				 "%.*s does not match: %.*s", BL_STR_ARG(name),
				 BL_STR_ARG(text));
	}

	if (bl_value_is(allowed, BL_KIND_ARRAY))
		check_enum(check, allowed, node, context);
}

/* ---- numbers ------------------------------------------------------------ */

static bool is_multiple(struct bl_conform *check, struct bl_value node,
			struct bl_value of)
{
	bool whole = bl_number_is_integral(node) && bl_number_is_integral(of);
	struct bl_value result;
	int64_t rest = 0;

	if (bl_number_combine(check->call->arena,
			      whole ? BL_NUMBER_REMAINDER : BL_NUMBER_DIVIDED,
			      node, of, &result))
		return false;
	return whole ? bl_number_to_integer(result, &rest) && rest == 0
		     : bl_number_is_integral(result);
}

/* A limit of a number: which way it must lie, and what is said else. */
static const struct {
	const char *key;
	int bad_order; /* compare(node, limit) has this sign */
	bool or_equal;
	const char *type;
	const char *text;
} limits[] = {
	{ "minimum", -1, false, "number_gte",
	  "Must be greater than or equal to" },
	{ "exclusiveMinimum", -1, true, "number_gt", "Must be greater than" },
	{ "maximum", 1, false, "number_lte", "Must be less than or equal to" },
	{ "exclusiveMaximum", 1, true, "number_lt", "Must be less than" },
};

/* Draft 4 has a boolean that makes the limit beside it exclusive. */
static size_t exclusive_limit(struct bl_value schema, size_t i)
{
	if (i % 2 == 0 &&
	    bl_value_is_true(bl_conform_get(schema, limits[i + 1].key)))
		return i + 1;
	return i;
}

static void report_number(struct bl_conform *check, struct bl_str context,
			  const char *type, const char *text,
			  struct bl_value wanted)
{
	struct bl_str number = json_text(check, wanted);

	bl_conform_error(check, context, type, "%s %.*s", text,
			 BL_STR_ARG(number));
}

void bl_conform_number(struct bl_conform *check, struct bl_value schema,
		       struct bl_value node, struct bl_str context)
{
	struct bl_value of = bl_conform_get(schema, "multipleOf");

	if (bl_value_is(of, BL_KIND_NUMBER) && !is_multiple(check, node, of))
		report_number(check, context, "multiple_of",
			      "Must be a multiple of", of);

	for (size_t i = 0; i < BL_COUNT(limits); i++) {
		struct bl_value limit = bl_conform_get(schema, limits[i].key);
		size_t row = exclusive_limit(schema, i);
		int order;

		if (!bl_value_is(limit, BL_KIND_NUMBER))
			continue;
		order = bl_value_compare(node, limit);
		order = (order > 0) - (order < 0);
		if (order == limits[row].bad_order ||
		    (order == 0 && limits[row].or_equal))
			report_number(check, context, limits[row].type,
				      limits[row].text, limit);
	}
}

/* ---- strings ------------------------------------------------------------ */

bool bl_conform_matches(struct bl_conform *check, struct bl_value pattern,
			struct bl_str text)
{
	const struct bl_regex *regex;
	bool found = false;

	if (!bl_builtin_regex(check->call, bl_value_text(pattern), &regex)) {
		check->faulted = true;
		return false;
	}
	if (bl_regex_search(regex, check->call->arena, text, 0, NULL, 0,
			    &found))
		bl_conform_fault(check, "a pattern took too long");
	return found;
}

/* ---- formats ------------------------------------------------------------ */

/* OPA tells the versions apart by what is in the text: "::1.2.3.4" is both. */
static bool is_address(struct bl_str text, const char *with)
{
	struct bl_ip ip;

	return bl_ip_parse(text, &ip) && memchr(text.ptr, *with, text.len);
}

/* One of several formats of Go, with "|" between. */
static bool is_time(struct bl_str text, const char *formats)
{
	struct bl_str rest = bl_str(formats);
	bool is_one = false;

	while (rest.len && !is_one) {
		size_t end = bl_str_find(rest, BL_STR("|"), 0);
		struct civil civil;
		struct bl_buf why;

		bl_buf_init(&why, 0);
		is_one = bl_time_format_parse(bl_str_slice(rest, 0, end), text,
					      &civil, &why);
		bl_buf_clear(&why);
		rest = bl_str_slice(rest, end == SIZE_MAX ? end : end + 1,
				    SIZE_MAX);
	}
	return is_one;
}

static bool is_email(struct bl_str text, const char *mark)
{
	size_t at = bl_str_find(text, bl_str(mark), 0);

	return at != SIZE_MAX && at > 0 && at + 1 < text.len;
}

static bool is_url(struct bl_str text, const char *scheme)
{
	return bl_builtin_is_url(text, *scheme != '\0') &&
	       bl_str_find(text, BL_STR("\\"), 0) == SIZE_MAX;
}

#define LABEL      "[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9]"
#define HEX(count) "[a-fA-F0-9]{" #count "}"
#define POINTER    "(?:/(?:[^~/]|~0|~1)*)*"

/* By a check with an argument, or by a pattern of RE2. */
static const struct {
	const char *name;
	bool (*check)(struct bl_str text, const char *argument);
	const char *argument;
} formats[] = {
	{ "date", is_time, "2006-01-02" },
	{ "time", is_time, "15:04:05Z07:00|15:04:05" },
	{ "date-time", is_time,
	  "15:04:05|15:04:05Z07:00|2006-01-02|2006-01-02T15:04:05Z07:00" },
	{ "email", is_email, "@" },
	{ "idn-email", is_email, "@" },
	{ "ipv4", is_address, "." },
	{ "ipv6", is_address, ":" },
	{ "uri", is_url, "needed" },
	{ "iri", is_url, "needed" },
	{ "uri-reference", is_url, "" },
	{ "iri-reference", is_url, "" },
	{ "hostname", NULL, "^(" LABEL ")(\\.(" LABEL "))*$" },
	{ "uuid", NULL,
	  "^" HEX(8) "-" HEX(4) "-" HEX(4) "-" HEX(4) "-" HEX(12) "$" },
	{ "json-pointer", NULL, "^" POINTER "$" },
	{ "relative-json-pointer", NULL,
	  "^(?:0|[1-9][0-9]*)(?:#|" POINTER ")$" },
};

static bool has_format(struct bl_conform *check, size_t i, struct bl_str text)
{
	struct bl_value pattern;

	if (formats[i].check)
		return formats[i].check(text, formats[i].argument);
	pattern = bl_value_string(bl_str(formats[i].argument));
	return bl_conform_matches(check, pattern, text);
}

/* A pattern is a format, too; of an unknown format anything is. */
static bool is_pattern(struct bl_conform *check, struct bl_str text)
{
	const struct bl_regex *regex;

	return bl_regex_compile(check->call->arena, text, BL_REGEX_RE2, &regex,
				NULL, NULL) == BL_OK;
}

static void check_format(struct bl_conform *check, struct bl_str format,
			 struct bl_str text, struct bl_str context)
{
	bool fits = !bl_str_is(format, "regex") || is_pattern(check, text);

	for (size_t i = 0; i < BL_COUNT(formats); i++)
		if (bl_str_is(format, formats[i].name))
			fits = has_format(check, i, text);
	if (!fits && !check->faulted)
		bl_conform_error(check, context, "format",
				 "Does not match format '%.*s'",
				 BL_STR_ARG(format));
}

void bl_conform_string(struct bl_conform *check, struct bl_value schema,
		       struct bl_value node, struct bl_str context)
{
	struct bl_value pattern = bl_conform_get(schema, "pattern");
	struct bl_str text = bl_value_text(node);
	int64_t length = (int64_t)bl_rune_count(text);
	int64_t limit;

	if (bl_number_to_integer(bl_conform_get(schema, "minLength"), &limit) &&
	    length < limit)
		bl_conform_error(check, context, "string_gte",
				 "String length must be greater than or equal "
				 "to %lld",
				 (long long)limit);
	if (bl_number_to_integer(bl_conform_get(schema, "maxLength"), &limit) &&
	    length > limit)
		bl_conform_error(check, context, "string_lte",
				 "String length must be less than or equal to "
				 "%lld",
				 (long long)limit);
	if (bl_value_is(pattern, BL_KIND_STRING) &&
	    !bl_conform_matches(check, pattern, text)) {
		struct bl_str wanted = bl_value_text(pattern);

		bl_conform_error(check, context, "pattern",
				 "Does not match pattern '%.*s'",
				 BL_STR_ARG(wanted));
	}

	check_format(check, bl_value_text(bl_conform_get(schema, "format")),
		     text, context);
}
