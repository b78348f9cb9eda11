/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the output of a hook in the exact order of docs/contracts/everruns.md
 * "Output".
 */
#include "sources/hooks/everruns/private.h"

enum { EXCERPT_BYTES = 80 };

static const char *const names[BL_EVERRUNS_OUTCOME_COUNT] = {
	[BL_EVERRUNS_ALLOWED] = "allow",
	[BL_EVERRUNS_MUTATED] = "mutate",
	[BL_EVERRUNS_BLOCKED] = "block",
	[BL_EVERRUNS_FAILED] = "error",
};

const char *bl_everruns_outcome_name(enum bl_everruns_outcome_kind kind)
{
	return names[kind];
}

static void BL_PRINTF(3, 4) failed(struct bl_everruns_outcome *outcome,
				   struct bl_arena *arena, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	outcome->kind = BL_EVERRUNS_FAILED;
	outcome->reason = bl_arena_vprintf(arena, fmt, args);
	va_end(args);
}

static void blocked(struct bl_everruns_outcome *outcome, struct bl_str reason)
{
	outcome->kind = BL_EVERRUNS_BLOCKED;
	outcome->reason = reason;
}

static void read_silence(int exit_code, struct bl_str errors,
			 struct bl_everruns_outcome *outcome)
{
	if (exit_code == 0)
		return;
	errors = bl_everruns_trim(errors);
	blocked(outcome, errors.len > 0 ? errors
					: BL_STR("hook exited "
						 "non-zero"));
}

static struct bl_str excerpt(struct bl_str text)
{
	size_t end = EXCERPT_BYTES;

	if (text.len <= end)
		return text;
	while (end > 0 && ((unsigned char)text.ptr[end] & 0xC0) == 0x80)
		end--;
	return bl_str_slice(text, 0, end);
}

static void failed_without_json(struct bl_everruns_outcome *outcome,
				struct bl_arena *arena, struct bl_str text)
{
	struct bl_str begin = excerpt(text);

	failed(outcome, arena, "hook stdout is not JSON (first 80 bytes: %.*s)",
	       BL_STR_ARG(begin));
}

/* ---- the object --------------------------------------------------------- */

enum field { DECISION, REASON, USER_MESSAGE, PATCH, FIELD_COUNT };

static const char *const fields[FIELD_COUNT] = {
	[DECISION] = "decision",
	[REASON] = "reason",
	[USER_MESSAGE] = "user_message",
	[PATCH] = "patch",
};

/* The end of the string that begins at from, its quotes included. */
static size_t string_end(struct bl_str text, size_t from)
{
	size_t at = from + 1;

	while (at < text.len && text.ptr[at] != '"')
		at += text.ptr[at] == '\\' ? 2 : 1;
	return at < text.len ? at + 1 : text.len;
}

/* The field that a key's spelling means; FIELD_COUNT: none. */
static enum field field_of(struct bl_str spelling, struct bl_arena *arena)
{
	struct bl_value key;
	enum field i = DECISION;

	if (bl_json_read(arena, spelling, NULL, &key, NULL, NULL, NULL))
		return FIELD_COUNT;
	while (i < FIELD_COUNT && !bl_str_is(bl_value_text(key), fields[i]))
		i++;
	return i;
}

/* The known key that valid JSON has twice at its top; NULL: none. */
static const char *repeated_field(struct bl_str text, struct bl_arena *arena)
{
	size_t seen[FIELD_COUNT] = { 0 };
	size_t depth = 0;
	bool at_key = false;

	for (size_t at = 0; at < text.len; at++) {
		char c = text.ptr[at];

		if (c == '"') {
			size_t end = string_end(text, at);
			enum field field = FIELD_COUNT;

			if (depth == 1 && at_key)
				field = field_of(bl_str_slice(text, at, end),
						 arena);
			if (field < FIELD_COUNT && seen[field]++ > 0)
				return fields[field];
			at = end - 1;
			at_key = false;
		} else if (c == '{' || c == '[') {
			depth++;
			at_key = true;
		} else if (c == '}' || c == ']') {
			depth--;
		} else if (c == ',') {
			at_key = true;
		}
	}
	return NULL;
}

/* Reads text; the failure is an outcome already when it is false. */
static bool parse(struct bl_str text, struct bl_arena *arena,
		  struct bl_everruns_outcome *outcome,
		  struct bl_value *out_object)
{
	static const char prefix[] = "hook stdout JSON parse failed:";
	struct bl_json_options options = {
		.max_depth = BL_EVERRUNS_OUTPUT_DEPTH,
	};
	struct bl_json_report met = { 0 };
	struct bl_place place = { 0 };
	struct bl_error why;
	const char *repeated = NULL;

	if (bl_json_read(arena, text, &options, out_object, &met, &place,
			 &why) != BL_OK) {
		failed(outcome, arena, "%s %s at line %u column %u", prefix,
		       why.message, (unsigned)place.line,
		       (unsigned)place.column);
		return false;
	}
	if (met.had_lone_surrogate) {
		failed(outcome, arena, "%s half of a surrogate pair", prefix);
		return false;
	}
	if (met.repeated_key_count > 0)
		repeated = repeated_field(text, arena);
	if (repeated) {
		failed(outcome, arena, "%s duplicate field `%s`", prefix,
		       repeated);
		return false;
	}
	for (enum field i = DECISION; i < PATCH; i++) {
		struct bl_value value =
			bl_object_find(*out_object, bl_str(fields[i]));
		enum bl_kind kind = bl_value_kind(value);

		if (kind == BL_KIND_STRING || kind == BL_KIND_NULL ||
		    kind == BL_KIND_UNDEFINED)
			continue;
		failed(outcome, arena, "%s `%s` is of type %s, not string",
		       prefix, fields[i], bl_kind_name(kind));
		return false;
	}
	return true;
}

/* ptr NULL when the object has no such text. */
static struct bl_str text_of(struct bl_value object, enum field field)
{
	struct bl_value value = bl_object_find(object, bl_str(fields[field]));

	if (!bl_value_is(value, BL_KIND_STRING))
		return (struct bl_str){ NULL, 0 };
	return value.len > 0 ? bl_value_text(value) : BL_STR("");
}

static void read_object(struct bl_value object, struct bl_arena *arena,
			struct bl_everruns_outcome *outcome)
{
	struct bl_str decision = text_of(object, DECISION);
	struct bl_str reason = text_of(object, REASON);
	struct bl_value patch = bl_object_find(object, bl_str(fields[PATCH]));

	if (!decision.ptr || bl_str_is(decision, "allow"))
		return;
	if (bl_str_is(decision, "block")) {
		blocked(outcome, reason.ptr ? reason : BL_STR("hook blocked"));
		outcome->user_message = text_of(object, USER_MESSAGE);
	} else if (!bl_str_is(decision, "mutate")) {
		failed(outcome, arena, "unknown hook decision `%.*s`",
		       BL_STR_ARG(decision));
	} else if (!bl_value_is_defined(patch) ||
		   bl_value_is(patch, BL_KIND_NULL)) {
		failed(outcome, arena,
		       "hook decision `mutate` missing `patch`");
	} else {
		outcome->kind = BL_EVERRUNS_MUTATED;
		outcome->patch = patch;
		outcome->reason = reason.ptr ? reason : BL_STR("");
	}
}

enum bl_status bl_everruns_parse_output(int exit_code, struct bl_str output,
					struct bl_str errors,
					struct bl_arena *arena,
					struct bl_everruns_outcome *out_outcome,
					struct bl_error *err)
{
	struct bl_everruns_outcome outcome = { .reason = BL_STR("") };
	struct bl_str text = bl_everruns_clean(arena, output);
	struct bl_value object;

	errors = bl_everruns_clean(arena, errors);
	if (!text.ptr || !errors.ptr)
		return bl_arena_fail(arena, err);
	text = bl_everruns_trim_start(text);
	if (text.len == 0)
		read_silence(exit_code, errors, &outcome);
	else if (text.ptr[0] != '{')
		failed_without_json(&outcome, arena, text);
	else if (parse(text, arena, &outcome, &object))
		read_object(object, arena, &outcome);
	if (!outcome.reason.ptr || bl_arena_status(arena) != BL_OK)
		return bl_arena_fail(arena, err);
	*out_outcome = outcome;
	return BL_OK;
}
