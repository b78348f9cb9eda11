/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.c: state.json, what this machine remembers of earlier syncs: the versions
 * that it must not go below, the times that it must not go back behind.
 */
#include "base/hex.h"
#include "team/client/private.h"

static const struct bl_team_member items[] = {
#define MEMBER(member, kind) BL_TEAM_MEMBER(struct team_state, member, kind)
	MEMBER(root_version, NUMBER), MEMBER(floor, NUMBER),
	MEMBER(version, NUMBER),      MEMBER(highest, TIME),
	MEMBER(checked, TIME),        MEMBER(fresh_until, TIME),
	MEMBER(since, TIME),          MEMBER(tried, TIME),
	MEMBER(next_try, TIME),       MEMBER(failures, NUMBER),
	MEMBER(team_id, TEXT),        MEMBER(manifest_sha256, TEXT),
	MEMBER(refused_sha256, TEXT), MEMBER(etag, TEXT),
	MEMBER(detail, TEXT),         MEMBER(state, STATE),
#undef MEMBER
};

static const struct bl_team_members members = { items, BL_COUNT(items) };

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

enum bl_status team_state_read(const struct bl_team_place *place,
			       struct bl_arena *arena, struct team_state *out,
			       struct bl_error *err)
{
	const struct bl_team_store store = team_store(place);
	struct bl_value value;
	enum bl_status status;

	*out = (struct team_state){ .state = BL_TEAM_LOGGED_OUT };
	status = bl_team_store_read_state(&store, &members, arena, out, &value,
					  err);
	if (status == BL_NOT_FOUND)
		return BL_OK;
	if (status)
		return status;
	status = read_seen(bl_object_find(value, BL_STR("seen")), out, err);
	if (status)
		bl_error_context(err, "%.*s/state.json",
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

enum bl_status team_state_write(const struct bl_team_place *place,
				const struct team_state *state,
				struct bl_error *err)
{
	const struct bl_team_store store = team_store(place);
	struct bl_object_builder object;
	struct bl_arena arena;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_object_builder_init(&object, &arena);
	bl_team_add_members(&object, &members, state);
	bl_object_builder_add(&object, BL_STR("seen"),
			      seen_value(state, &arena));
	status = bl_team_store_write_state(&store,
					   bl_object_builder_end(&object), err);
	bl_arena_clear(&arena);
	return status;
}
