/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a hook fire?  The rules of docs/contracts/everruns.md "Matchers", in
 * their order.
 */
#include "sources/hooks/everruns/private.h"

static bool glob_matches(struct bl_str glob, struct bl_str name)
{
	struct bl_str part;

	while (bl_everruns_next_alternative(&glob, &part)) {
		if (part.ptr[part.len - 1] == '*') {
			part.len--;
			if (bl_str_has_prefix(name, part))
				return true;
		} else if (bl_str_equal(name, part)) {
			return true;
		}
	}
	return false;
}

static struct bl_value follow(struct bl_value value, struct bl_str path)
{
	if (bl_str_has_prefix(path, BL_STR("$.")))
		path = bl_str_slice(path, 2, path.len);
	while (path.len > 0) {
		size_t dot = bl_str_find(path, BL_STR("."), 0);
		struct bl_str key = bl_str_slice(path, 0, dot);

		path = dot == SIZE_MAX ? BL_STR("")
				       : bl_str_slice(path, dot + 1, path.len);
		if (key.len > 0)
			value = bl_object_find(value, key);
	}
	return value;
}

/* ptr NULL: memory. */
static struct bl_str text_of(struct bl_value value, struct bl_arena *arena)
{
	struct bl_str text = { NULL, 0 };
	struct bl_buf buf;

	if (!bl_value_is_defined(value) || bl_value_is(value, BL_KIND_NULL))
		return BL_STR("");
	if (bl_value_is(value, BL_KIND_STRING))
		return value.len ? bl_value_text(value) : BL_STR("");
	bl_buf_init(&buf, 0);
	bl_json_write(&buf, value, BL_JSON_COMPACT);
	if (bl_buf_status(&buf) == BL_OK)
		text = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return text;
}

/* A matcher that cannot be decided fires: the hook then decides. */
static bool finds(const struct bl_regex *regex, struct bl_str text,
		  struct bl_arena *arena)
{
	bool found = false;

	return bl_regex_search(regex, arena, text, 0, NULL, 0, &found) !=
		       BL_OK ||
	       found;
}

static bool arguments_match(const struct bl_everruns_matcher *matcher,
			    struct bl_value at, struct bl_arena *arena)
{
	const struct bl_str *text = matcher->text;
	bool match = text[BL_EVERRUNS_MATCH_REGEX].ptr;
	bool deny = text[BL_EVERRUNS_DENY_REGEX].ptr;
	bool has_path = text[BL_EVERRUNS_ARGS_JSONPATH].ptr;
	struct bl_str found = text_of(at, arena);

	if (!found.ptr)
		return true;
	if (!match && !deny)
		return !has_path || found.len > 0;
	if (!has_path || (match && deny) || !matcher->regex)
		return false;
	return finds(matcher->regex, found, arena);
}

enum bl_everruns_match
bl_everruns_match(const struct bl_everruns_matcher *matcher,
		  struct bl_value data, struct bl_arena *arena)
{
	const struct bl_str *text = matcher->text;
	struct bl_str name =
		bl_value_text(bl_object_find(data, BL_STR("tool_name")));
	struct bl_str path = text[BL_EVERRUNS_ARGS_JSONPATH];
	struct bl_value at = bl_value_undefined();

	if (text[BL_EVERRUNS_TOOL_NAME].ptr &&
	    !bl_str_equal(text[BL_EVERRUNS_TOOL_NAME], name))
		return BL_EVERRUNS_NO_MATCH;
	if (text[BL_EVERRUNS_TOOL_NAME_GLOB].ptr &&
	    !glob_matches(text[BL_EVERRUNS_TOOL_NAME_GLOB], name))
		return BL_EVERRUNS_NO_MATCH;
	if (path.ptr)
		at = follow(bl_object_find(data, BL_STR("arguments")), path);
	if (arguments_match(matcher, at, arena))
		return BL_EVERRUNS_FIRES;
	return path.ptr && !bl_value_is_defined(at) ? BL_EVERRUNS_UNRESOLVED
						    : BL_EVERRUNS_NO_MATCH;
}
