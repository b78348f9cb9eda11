/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c: what a request may say: the members of its body, or the names of its
 * query, as its row in routes.c lists them.  A member that is misspelt or of
 * another type would otherwise count as missing: "percent": "10" would roll a set out
 * to all machines.
 *
 *     "version#,percent#,label"
 *
 * # is a whole number, ? true or false, @ a list of texts; others are texts.
 * "..." at the end: more members may be there.
 */
#include "server/app.h"

#include <ctype.h>

enum { MAX_DIGITS = 18, MAX_NAME_SHOWN = 64 };

#define OTHERS "..."

static bool is_text(struct bl_value value)
{
	struct bl_str text = bl_value_text(value);

	/* PostgreSQL has no NUL in texts. */
	return bl_value_is(value, BL_KIND_STRING) &&
	       !memchr(text.ptr, '\0', text.len);
}

static bool is_integer(struct bl_value value)
{
	int64_t number;

	return bl_number_to_integer(value, &number);
}

static bool is_boolean(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_BOOLEAN);
}

static bool is_list(struct bl_value value)
{
	for (size_t i = 0; i < bl_value_count(value); i++)
		if (!is_text(bl_value_item(value, i)))
			return false;
	return bl_value_is(value, BL_KIND_ARRAY);
}

static const struct {
	char mark;
	bool (*is_good)(struct bl_value value);
	const char *what;
} forms[] = {
	{ '#', is_integer, "a whole number" },
	{ '?', is_boolean, "true or false" },
	{ '@', is_list, "a list of texts" },
	{ 0, is_text, "a text without NUL characters" }, /* last */
};

/* The row of forms of a name in the list; BL_COUNT(forms) when it is not there. */
static size_t find_form(const char *fields, struct bl_str name)
{
	struct bl_str all = bl_str(fields);
	size_t at = 0;

	while (at < all.len) {
		size_t end = bl_str_find(all, BL_STR(","), at);
		struct bl_str field = bl_str_slice(all, at, end);
		size_t form = 0;

		at = end == SIZE_MAX ? all.len : end + 1;
		while (forms[form].mark &&
		       field.ptr[field.len - 1] != forms[form].mark)
			form++;
		field.len -= forms[form].mark != 0;
		if (bl_str_equal(field, name))
			return form;
	}
	return BL_COUNT(forms);
}

/* Names the fields that there are. */
static enum bl_status refuse_name(struct call *call, const char *fields,
				  struct bl_str name)
{
	struct bl_str shown = bl_str_slice(name, 0, MAX_NAME_SHOWN);
	struct bl_str text;
	struct bl_buf known;

	bl_buf_init(&known, 0);
	for (const char *c = fields; *c; c++)
		if (*c == ',')
			bl_buf_puts(&known, ", ");
		else if (!strchr("#?@", *c))
			bl_buf_put_char(&known, *c);
	text = bl_buf_str(&known);
	bl_fail(&call->err, BL_INVALID,
		"there is no field \"%.*s\" here; there are %.*s",
		BL_STR_ARG(shown), BL_STR_ARG(text));
	bl_buf_clear(&known);
	return BL_INVALID;
}

enum bl_status app_check_body(struct call *call, const char *fields)
{
	bool is_open = bl_str_has_suffix(bl_str(fields), BL_STR(OTHERS));

	for (size_t i = 0; i < bl_value_count(call->body); i++) {
		struct bl_str name =
			bl_value_text(bl_object_key(call->body, i));
		size_t form = find_form(fields, name);

		if (form == BL_COUNT(forms) && is_open)
			continue;
		if (form == BL_COUNT(forms))
			return refuse_name(call, fields, name);
		if (!forms[form].is_good(bl_object_value(call->body, i)))
			return bl_fail(&call->err, BL_INVALID, "%.*s is not %s",
				       BL_STR_ARG(name), forms[form].what);
	}
	return BL_OK;
}

/* Empty stands for a number that is not given. */
static bool is_number_text(struct bl_str text)
{
	size_t at = text.len && text.ptr[0] == '-';

	if (text.len > MAX_DIGITS || (at && text.len == 1))
		return false;
	while (at < text.len && isdigit((unsigned char)text.ptr[at]))
		at++;
	return at == text.len;
}

enum bl_status app_check_query(struct call *call, const char *fields)
{
	struct bl_str query = call->request->query;
	size_t at = 0;

	while (at < query.len) {
		size_t end = bl_str_find(query, BL_STR("&"), at);
		struct bl_str pair = bl_str_slice(query, at, end);
		struct bl_str name = bl_arena_copy_str(
			call->arena,
			bl_str_slice(pair, 0,
				     bl_str_find(pair, BL_STR("="), 0)));
		size_t form = find_form(fields, name);
		struct bl_str text;

		at = end == SIZE_MAX ? query.len : end + 1;
		if (!name.ptr)
			return bl_fail_memory(&call->err);
		if (!pair.len)
			continue;
		if (form == BL_COUNT(forms))
			return refuse_name(call, fields, name);
		text = call_query(call, name.ptr);
		if (!text.ptr)
			return bl_fail(&call->err, BL_INVALID,
				       "%s is given twice, or without a text",
				       name.ptr);
		if (forms[form].mark == '#' && !is_number_text(text))
			return bl_fail(&call->err, BL_INVALID,
				       "%s is not a whole number", name.ptr);
	}
	return BL_OK;
}
