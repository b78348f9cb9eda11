/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fresh.c: the statement, signed every hour, which set is the newest.
 *
 *     {"audit":"...","choices":[{"manifest_sha256":"...","share":10000,
 *      "version":7}],"expires":2,"issued":1,"root_version":1,"spec":1,
 *      "team_id":"acme","type":"belay-fresh"}
 *
 * A staged roll-out is two choices: the new set with a share or a label, then the
 * former one for all others.
 */
#include "team/document.h"

static enum bl_status read_choice(struct bl_value value,
				  struct bl_team_choice *out,
				  struct bl_error *err)
{
	struct bl_value label = bl_object_find(value, BL_STR("label"));
	int64_t share = 0;
	enum bl_status status =
		team_get_integer(value, "version", 1, &out->version, err);

	if (!status)
		status = team_get_digest(value, "manifest_sha256", out->sha256,
					 err);
	if (!status)
		status = team_get_integer(value, "share", 0, &share, err);
	if (!status && share > BL_TEAM_SHARES)
		status = bl_fail(err, BL_INVALID, "its share is above %d",
				 (int)BL_TEAM_SHARES);
	if (status)
		return status;
	out->share = (uint32_t)share;
	if (bl_value_is_defined(label))
		status = team_get_text(value, "label", &out->label, err);
	if (!status && bl_value_is_defined(label) &&
	    !bl_team_id_is_good(out->label))
		status = bl_fail(err, BL_INVALID, "its label is not a name");
	return status;
}

static enum bl_status read_choices(struct bl_value value,
				   struct bl_arena *arena,
				   struct bl_team_fresh *out,
				   struct bl_error *err)
{
	const struct bl_team_choice *last;
	struct bl_value list;
	enum bl_status status =
		team_get_list(value, "choices", BL_TEAM_MAX_SETS, &list, err);

	if (status)
		return status;
	out->choice_count = bl_value_count(list);
	out->choices = bl_arena_new_array(arena, struct bl_team_choice,
					  out->choice_count + 1);
	if (!out->choices)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; !status && i < out->choice_count; i++) {
		status = read_choice(bl_value_item(list, i), &out->choices[i],
				     err);
		if (status)
			bl_error_context(err, "choice %zu", i + 1);
	}
	if (status)
		return status;
	last = &out->choices[out->choice_count ? out->choice_count - 1 : 0];
	if (last->share != BL_TEAM_SHARES || last->label.len)
		return bl_fail(err, BL_INVALID,
			       "its last choice is not for all machines");
	return BL_OK;
}

enum bl_status bl_team_read_fresh(struct bl_str text, struct bl_arena *arena,
				  struct bl_team_fresh *out,
				  struct bl_error *err)
{
	char digest[BL_SHA256_HEX_BYTES];
	struct bl_value value;
	enum bl_status status =
		team_document_value(BL_TEAM_FRESH, text, arena, &value, err);

	*out = (struct bl_team_fresh){ .issued = 0 };
	if (status)
		return status;
	status = team_get_text(value, "team_id", &out->team_id, err);
	if (!status)
		status = team_get_integer(value, "root_version", 1,
					  &out->root_version, err);
	if (!status)
		status =
			team_get_integer(value, "issued", 0, &out->issued, err);
	if (!status)
		status = team_get_integer(value, "expires", 0, &out->expires,
					  err);
	if (!status)
		status = read_choices(value, arena, out, err);
	if (!status &&
	    bl_value_is_defined(bl_object_find(value, BL_STR("audit")))) {
		status = team_get_digest(value, "audit", digest, err);
		if (!status)
			status =
				team_get_text(value, "audit", &out->audit, err);
	}
	if (status)
		bl_error_context(err, "fresh");
	return status;
}

static enum bl_status check_fresh(struct bl_str text, struct bl_arena *arena,
				  struct bl_error *err)
{
	struct bl_team_fresh again;

	return bl_team_read_fresh(text, arena, &again, err);
}

/* ---- choosing ----------------------------------------------------------------- */

/* SHA-256(set || machine) as a number, modulo the shares. */
static uint32_t share_of(const char *set, struct bl_str machine)
{
	uint8_t digest[BL_SHA256_BYTES];
	struct bl_sha256 sha;
	uint32_t rest = 0;

	bl_sha256_init(&sha);
	bl_sha256_update(&sha, set, strlen(set));
	bl_sha256_update(&sha, machine.ptr, machine.len);
	bl_sha256_end(&sha, digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		rest = (rest * 256 + digest[i]) % BL_TEAM_SHARES;
	return rest;
}

const struct bl_team_choice *bl_team_choose(const struct bl_team_fresh *fresh,
					    struct bl_str machine,
					    const struct bl_str *labels,
					    size_t label_count)
{
	for (size_t i = 0; i + 1 < fresh->choice_count; i++) {
		const struct bl_team_choice *choice = &fresh->choices[i];
		bool labelled = !choice->label.len;

		for (size_t j = 0; !labelled && j < label_count; j++)
			labelled = bl_str_equal(labels[j], choice->label);
		if (labelled &&
		    share_of(choice->sha256, machine) < choice->share)
			return choice;
	}
	return &fresh->choices[fresh->choice_count - 1];
}

/* ---- writing ------------------------------------------------------------------ */

static struct bl_value choice_value(struct bl_arena *arena,
				    const struct bl_team_choice *choice)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	bl_object_builder_add(&object, BL_STR("version"),
			      bl_value_integer(choice->version));
	bl_object_builder_add(&object, BL_STR("manifest_sha256"),
			      bl_value_string(bl_str(choice->sha256)));
	bl_object_builder_add(&object, BL_STR("share"),
			      bl_value_integer(choice->share));
	if (choice->label.len)
		bl_object_builder_add(&object, BL_STR("label"),
				      bl_value_string(choice->label));
	return bl_object_builder_end(&object);
}

enum bl_status bl_team_write_fresh(const struct bl_team_fresh *fresh,
				   struct bl_buf *out, struct bl_error *err)
{
	struct bl_object_builder object;
	struct bl_array_builder choices;
	struct bl_arena arena;
	enum bl_status status;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_array_builder_init(&choices, &arena);
	for (size_t i = 0; i < fresh->choice_count; i++)
		bl_array_builder_add(&choices,
				     choice_value(&arena, &fresh->choices[i]));
	team_begin(&object, &arena, BL_TEAM_FRESH, fresh->team_id);
	bl_object_builder_add(&object, BL_STR("root_version"),
			      bl_value_integer(fresh->root_version));
	bl_object_builder_add(&object, BL_STR("issued"),
			      bl_value_integer(fresh->issued));
	bl_object_builder_add(&object, BL_STR("expires"),
			      bl_value_integer(fresh->expires));
	bl_object_builder_add(&object, BL_STR("choices"),
			      bl_array_builder_end(&choices));
	if (fresh->audit.len)
		bl_object_builder_add(&object, BL_STR("audit"),
				      bl_value_string(fresh->audit));
	status = team_end(&object, BL_TEAM_FRESH, check_fresh, out, err);
	bl_arena_clear(&arena);
	return status;
}
