/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.c: state.json, what this machine remembers of earlier syncs: the versions
 * that it must not go below, the times that it must not go back behind.
 */
#include "team/client/private.h"

enum { MAX_STATE_BYTES = 256 * 1024, MAX_DEPTH = 8 };

#define STATE_FILE "state.json"

/* Its numbers and texts, by name. */
static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
#define NUMBER(member)                                                         \
	{                                                                      \
#		member, offsetof(struct team_state, member)                   \
	}
	NUMBER(root_version), NUMBER(floor),   NUMBER(version),
	NUMBER(highest),      NUMBER(checked), NUMBER(fresh_until),
	NUMBER(since),        NUMBER(tried),   NUMBER(next_try),
	NUMBER(failures),
#undef NUMBER
};

static const struct {
	const char *name;
	size_t offset;
} texts[] = {
#define TEXT(member)                                                           \
	{                                                                      \
#		member, offsetof(struct team_state, member)                   \
	}
	TEXT(team_id), TEXT(manifest_sha256), TEXT(refused_sha256),
	TEXT(etag),    TEXT(detail),
#undef TEXT
};

static enum bl_status read_seen(struct bl_value list, struct team_state *out,
				struct bl_error *err)
{
	size_t count = bl_value_count(list);

	if (count > TEAM_MAX_SEEN)
		return bl_fail(err, BL_INVALID, "it has seen too much");
	for (size_t i = 0; i < count; i++) {
		struct bl_value one = bl_value_item(list, i);
		struct team_seen *seen = &out->seen[i];
		uint8_t digest[BL_SHA256_BYTES];

		if (!bl_number_is_plain(bl_object_find(one, BL_STR("version")),
					&seen->version) ||
		    !bl_hex_decode(bl_value_text(bl_object_find(
					   one, BL_STR("sha256"))),
				   digest, sizeof(digest)))
			return bl_fail(err, BL_INVALID,
				       "a version that it has seen is broken");
		bl_hex_encode(digest, sizeof(digest), seen->sha256);
	}
	out->seen_count = count;
	return BL_OK;
}

static enum bl_status read_members(struct bl_value value,
				   struct team_state *out, struct bl_error *err)
{
	struct bl_str state =
		bl_value_text(bl_object_find(value, BL_STR("state")));

	for (size_t i = 0; i < BL_COUNT(numbers); i++) {
		int64_t number;

		if (!bl_number_is_plain(
			    bl_object_find(value, bl_str(numbers[i].name)),
			    &number) ||
		    number < 0)
			return bl_fail(err, BL_INVALID,
				       "its %s is not a number",
				       numbers[i].name);
		memcpy((char *)out + numbers[i].offset, &number,
		       sizeof(number));
	}
	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		struct bl_str text = bl_value_text(
			bl_object_find(value, bl_str(texts[i].name)));

		memcpy((char *)out + texts[i].offset, &text, sizeof(text));
	}
	if (!bl_team_state_find(state, &out->state))
		return bl_fail(err, BL_INVALID, "there is no state '%.*s'",
			       BL_STR_ARG(state));
	return read_seen(bl_object_find(value, BL_STR("seen")), out, err);
}

enum bl_status team_state_read(const struct bl_team_place *place,
			       struct bl_arena *arena, struct team_state *out,
			       struct bl_error *err)
{
	struct bl_json_options options = { .max_depth = MAX_DEPTH };
	struct bl_value value;
	struct bl_str text;
	enum bl_status status = team_read_own(
		place, STATE_FILE, MAX_STATE_BYTES, arena, &text, err);

	*out = (struct team_state){ .state = BL_TEAM_LOGGED_OUT };
	if (status == BL_NOT_FOUND)
		return BL_OK;
	if (status)
		return status;
	status = bl_json_read(arena, text, &options, &value, NULL, NULL, err);
	if (!status)
		status = read_members(value, out, err);
	if (status)
		bl_error_context(err, "%.*s/" STATE_FILE,
				 BL_STR_ARG(place->dir));
	return status;
}

static struct bl_value seen_value(const struct team_state *state,
				  struct bl_arena *arena)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (size_t i = 0; i < state->seen_count; i++) {
		struct bl_object_builder one;

		bl_object_builder_init(&one, arena);
		bl_object_builder_add(&one, BL_STR("version"),
				      bl_value_integer(state->seen[i].version));
		bl_object_builder_add(
			&one, BL_STR("sha256"),
			bl_value_string(bl_str(state->seen[i].sha256)));
		bl_array_builder_add(&list, bl_object_builder_end(&one));
	}
	return bl_array_builder_end(&list);
}

static struct bl_value state_value(const struct team_state *state,
				   struct bl_arena *arena)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	for (size_t i = 0; i < BL_COUNT(texts); i++) {
		struct bl_str text;

		memcpy(&text, (const char *)state + texts[i].offset,
		       sizeof(text));
		bl_object_builder_add(&object, bl_str(texts[i].name),
				      bl_value_string(text));
	}
	for (size_t i = 0; i < BL_COUNT(numbers); i++) {
		int64_t number;

		memcpy(&number, (const char *)state + numbers[i].offset,
		       sizeof(number));
		bl_object_builder_add(&object, bl_str(numbers[i].name),
				      bl_value_integer(number));
	}
	bl_object_builder_add(
		&object, BL_STR("state"),
		bl_value_string(bl_str(bl_team_state_name(state->state))));
	bl_object_builder_add(&object, BL_STR("seen"),
			      seen_value(state, arena));
	return bl_object_builder_end(&object);
}

enum bl_status team_state_write(const struct bl_team_place *place,
				const struct team_state *state,
				struct bl_error *err)
{
	struct bl_arena arena;
	struct bl_buf text;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_buf_init(&text, MAX_STATE_BYTES);
	bl_json_write(&text, state_value(state, &arena), BL_JSON_PRETTY);
	bl_buf_put_char(&text, '\n');
	status = bl_buf_status(&text);
	if (status)
		status = bl_fail(err, status, STATE_FILE);
	else
		status = team_write_own(place, STATE_FILE, bl_buf_str(&text),
					place->is_managed
						? TEAM_MANAGED_FILE_MODE
						: TEAM_FILE_MODE,
					err);
	bl_buf_clear(&text);
	bl_arena_clear(&arena);
	return status;
}
