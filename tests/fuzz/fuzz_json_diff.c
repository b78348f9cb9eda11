/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives the same bytes to our reader and to jansson.  They must agree on accepting,
 * and on the value, except where both are right to differ: numbers past a
 * double or a long long (jansson refuses them), NUL in keys, lone surrogates
 * (jansson refuses, we read U+FFFD), and each one's own depth and limits.  A
 * NUL byte outside strings, which jansson skips after a number, is left out.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "json/json.h"

enum { ARENA_BYTES_MAX = 64 << 20 };

static bool same_number(struct bl_value ours, const json_t *theirs)
{
	int64_t integer;

	if (!json_is_number(theirs))
		return false;
	if (json_is_integer(theirs))
		return bl_number_to_integer(ours, &integer) &&
		       integer == json_integer_value(theirs);
	return bl_number_to_double(ours) == json_real_value(theirs);
}

static bool same_string(struct bl_value ours, const json_t *theirs)
{
	struct bl_str text = { json_string_value(theirs),
			       json_string_length(theirs) };

	return json_is_string(theirs) &&
	       bl_str_equal(bl_value_text(ours), text);
}

static bool same(struct bl_value ours, const json_t *theirs);

static bool same_array(struct bl_value ours, const json_t *theirs)
{
	if (!json_is_array(theirs) ||
	    json_array_size(theirs) != bl_value_count(ours))
		return false;
	for (size_t i = 0; i < bl_value_count(ours); i++) {
		if (!same(bl_value_item(ours, i), json_array_get(theirs, i)))
			return false;
	}
	return true;
}

static bool same_object(struct bl_value ours, const json_t *theirs)
{
	const char *key;
	json_t *value;
	json_t *all = (json_t *)(uintptr_t)theirs;

	if (!json_is_object(theirs) ||
	    json_object_size(theirs) != bl_value_count(ours))
		return false;
	json_object_foreach(all, key, value)
	{
		if (!same(bl_object_find(ours, bl_str(key)), value))
			return false;
	}
	return true;
}

static bool same(struct bl_value ours, const json_t *theirs)
{
	switch (bl_value_kind(ours)) {
	case BL_KIND_NULL:
		return json_is_null(theirs);
	case BL_KIND_BOOLEAN:
		return json_is_boolean(theirs) &&
		       json_is_true(theirs) == bl_value_is_true(ours);
	case BL_KIND_NUMBER:
		return same_number(ours, theirs);
	case BL_KIND_STRING:
		return same_string(ours, theirs);
	case BL_KIND_ARRAY:
		return same_array(ours, theirs);
	case BL_KIND_OBJECT:
		return same_object(ours, theirs);
	case BL_KIND_UNDEFINED:
	case BL_KIND_SET:
	case BL_KIND_COUNT:
		break;
	}
	return false;
}

/* Did jansson refuse for a reason that is its own? */
static bool is_their_limit(const json_error_t *error)
{
	static const char *const reasons[] = {
		"real number overflow",   "too big integer", "too big negative",
		"NUL byte in object key", "invalid Unicode", "maximum parsing",
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (strstr(error->text, reasons[i]))
			return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bl_str text = { (const char *)data, size };
	struct bl_arena arena;
	struct bl_value ours;
	enum bl_status status;
	json_error_t error;
	json_t *theirs;

	if (size && memchr(data, '\0', size))
		return 0;
	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	status = bl_json_read(&arena, text, NULL, &ours, NULL, NULL, NULL);
	theirs = json_loadb((const char *)data, size,
			    JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
	if (theirs && !status)
		MUST(same(ours, theirs));
	else if (theirs)
		MUST(status == BL_LIMIT);
	else if (!status)
		MUST(is_their_limit(&error));
	json_decref(theirs);
	bl_arena_clear(&arena);
	return 0;
}
