/* SPDX-License-Identifier: Apache-2.0 */
/* Semantic versions 2.0.0; a leading "v" is let through. */
#include "base/ascii.h"
#include "rego/builtins/functions.h"

/* The largest number of a version's core, as OPA has it. */
#define MOST "9223372036854775807"

struct version {
	struct bl_str core[3]; /* major, minor, patch */
	struct bl_str pre_release;
};

static bool is_number(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!bl_ascii_is_digit(text.ptr[i]))
			return false;
	}
	return text.len > 0;
}

static bool is_plain_number(struct bl_str text)
{
	return is_number(text) && (text.len == 1 || text.ptr[0] != '0');
}

static bool is_identifier(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!bl_ascii_is_digit(c) && !(c >= 'a' && c <= 'z') &&
		    !(c >= 'A' && c <= 'Z') && c != '-')
			return false;
	}
	return text.len > 0;
}

/* Takes the part before the next c off; false when it was the last one. */
static bool take_part(struct bl_str *text, const char *c,
		      struct bl_str *out_part)
{
	size_t at = bl_str_find(*text, bl_str(c), 0);

	*out_part = bl_str_slice(*text, 0, at);
	*text = bl_str_slice(*text, at == SIZE_MAX ? text->len : at + 1,
			     text->len);
	return at != SIZE_MAX;
}

/* Identifiers between points; numbers among them without leading zeros. */
static bool are_identifiers(struct bl_str text, bool numbers_matter)
{
	struct bl_str part;
	bool more;

	do {
		more = take_part(&text, ".", &part);
		if (!is_identifier(part) ||
		    (numbers_matter && is_number(part) &&
		     !is_plain_number(part)))
			return false;
	} while (more);
	return true;
}

static int compare_numbers(struct bl_str a, struct bl_str b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return bl_str_compare(a, b);
}

static bool parse(struct bl_str text, struct version *out)
{
	struct bl_str head;

	if (bl_str_has_prefix(text, BL_STR("v")))
		text = bl_str_slice(text, 1, text.len);
	if (take_part(&text, "+", &head) && !are_identifiers(text, false))
		return false;
	text = head;
	if (take_part(&text, "-", &head) && !are_identifiers(text, true))
		return false;
	out->pre_release = text;
	for (size_t i = 0; i < 3; i++) {
		bool more = take_part(&head, ".", &out->core[i]);

		if (more != (i < 2) || !is_plain_number(out->core[i]) ||
		    compare_numbers(out->core[i], BL_STR(MOST)) > 0)
			return false;
	}
	return true;
}

static int compare_identifiers(struct bl_str a, struct bl_str b)
{
	bool a_number = is_number(a), b_number = is_number(b);

	if (a_number && b_number)
		return compare_numbers(a, b);
	if (a_number != b_number)
		return a_number ? -1 : 1;
	return bl_str_compare(a, b);
}

static int compare_pre_releases(struct bl_str a, struct bl_str b)
{
	if (!a.len || !b.len)
		return (a.len == 0) - (b.len == 0);
	while (a.len && b.len) {
		struct bl_str x, y;
		int order;

		take_part(&a, ".", &x);
		take_part(&b, ".", &y);
		order = compare_identifiers(x, y);
		if (order)
			return order;
	}
	return (a.len > 0) - (b.len > 0);
}

static int compare(const struct version *a, const struct version *b)
{
	for (size_t i = 0; i < 3; i++) {
		int order = compare_numbers(a->core[i], b->core[i]);

		if (order)
			return order;
	}
	return compare_pre_releases(a->pre_release, b->pre_release);
}

bool bl_fn_semver_compare(struct bl_builtin_call *call)
{
	struct version versions[2];
	int order;

	for (size_t i = 0; i < 2; i++) {
		struct bl_str text = bl_builtin_text(call, i);

		if (!parse(text, &versions[i]))
			return bl_builtin_fault(
				call, BL_FAULT_BUILTIN,
				"operand %zu: string \"%.*s\" is not a valid "
				"SemVer",
				i + 1, BL_STR_ARG(text));
	}
	order = compare(&versions[0], &versions[1]);
	return bl_builtin_return_integer(call, (order > 0) - (order < 0));
}

bool bl_fn_semver_is_valid(struct bl_builtin_call *call)
{
	struct version version;

	return bl_builtin_return_boolean(
		call, parse(bl_builtin_text(call, 0), &version));
}
