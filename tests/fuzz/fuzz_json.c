/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as JSON: what is accepted survives writing, copying, comparing. */
#include <stdlib.h>

#include "fuzz.h"
#include "json/json.h"

enum { ARENA_BYTES_MAX = 64 << 20 };

static void check_round_trip(struct bl_value value, enum bl_json_style style)
{
	struct bl_arena arena;
	struct bl_buf once, twice;
	struct bl_value again;

	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	bl_buf_init(&once, 0);
	bl_buf_init(&twice, 0);
	bl_json_write(&once, value, style);
	MUST(!bl_buf_status(&once));
	MUST(!bl_json_read(&arena, bl_buf_str(&once), NULL, &again, NULL, NULL,
			   NULL));
	MUST(bl_value_compare(value, again) == 0);
	MUST(bl_value_compare(again, value) == 0);
	MUST(bl_value_equal(value, again));
	MUST(bl_value_hash(value) == bl_value_hash(again));
	bl_json_write(&twice, again, style);
	MUST(bl_str_equal(bl_buf_str(&once), bl_buf_str(&twice)));
	bl_buf_clear(&once);
	bl_buf_clear(&twice);
	bl_arena_clear(&arena);
}

static void check_copy(struct bl_value value)
{
	struct bl_arena arena;
	struct bl_value copy;

	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	copy = bl_value_copy(&arena, value);
	MUST(bl_value_compare(value, copy) == 0);
	MUST(bl_value_hash(value) == bl_value_hash(copy));
	bl_arena_clear(&arena);
}

/* Every member of an object is found by its key, and by its rank. */
static void check_keys(struct bl_value value)
{
	if (!bl_value_is(value, BL_KIND_OBJECT))
		return;
	for (size_t i = 0; i < bl_value_count(value); i++)
		MUST(bl_object_find_index(value, bl_object_key(value, i)) == i);
	for (size_t i = 1; i < bl_value_count(value); i++) {
		size_t before = bl_object_sorted_index(value, i - 1);
		size_t after = bl_object_sorted_index(value, i);

		MUST(bl_value_compare(bl_object_key(value, before),
				      bl_object_key(value, after)) < 0);
	}
}

/*
 * Compact, the same is accepted, and the value is the same, though the text is
 * gone; expected is NULL when it was refused at offset.
 */
static void check_compact(struct bl_str text, bool allow_comments,
			  const struct bl_value *expected, size_t offset)
{
	struct bl_json_options options = { .allow_comments = allow_comments,
					   .allow_bom = allow_comments,
					   .compact = true };
	struct bl_place place = { 0 };
	struct bl_arena arena;
	struct bl_value value;
	char *own = malloc(text.len + 1);

	MUST(own);
	if (text.len)
		memcpy(own, text.ptr, text.len);
	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	if (bl_json_read(&arena, (struct bl_str){ own, text.len }, &options,
			 &value, NULL, &place, NULL)) {
		MUST(!expected && place.offset == offset);
	} else {
		free(own);
		own = NULL;
		MUST(expected && bl_value_compare(*expected, value) == 0);
		MUST(bl_value_hash(*expected) == bl_value_hash(value));
		check_round_trip(value, BL_JSON_COMPACT);
		check_copy(value);
		check_keys(value);
	}
	free(own);
	bl_arena_clear(&arena);
}

/* Every member has a place. */
static void check_members(const struct bl_json_places *places,
			  struct bl_value value)
{
	for (size_t i = 0; i < bl_value_count(value); i++) {
		MUST(bl_json_value_place(places, value, i).line);
		if (bl_value_is(value, BL_KIND_OBJECT))
			MUST(bl_json_key_place(places, value, i).line);
	}
	check_keys(value);
}

static void check_text(struct bl_str text, bool allow_comments)
{
	struct bl_json_places *places = NULL;
	struct bl_json_options options = { .allow_comments = allow_comments,
					   .allow_bom = allow_comments,
					   .out_places = &places };
	struct bl_place place = { 0 };
	struct bl_error err = { 0 };
	struct bl_arena arena;
	struct bl_value value;

	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	if (bl_json_read(&arena, text, &options, &value, NULL, &place, &err)) {
		MUST(place.line && place.column && place.offset <= text.len);
		MUST(err.message[0]);
		check_compact(text, allow_comments, NULL, place.offset);
	} else {
		MUST(bl_json_root_place(places).line);
		check_members(places, value);
		check_round_trip(value, BL_JSON_COMPACT);
		check_round_trip(value, BL_JSON_PRETTY);
		check_round_trip(value, BL_JSON_CANONICAL);
		check_copy(value);
		check_compact(text, allow_comments, &value, 0);
	}
	bl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bl_str text = { (const char *)data, size };

	check_text(text, false);
	check_text(text, true);
	return 0;
}
