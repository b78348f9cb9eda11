/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of a team and its documents.  Input: 'b' and a binary message, 'j'
 * and a JSON one, anything else and a document.  Whatever is accepted
 * is written and read back equal; a document reads as one kind at most.
 */
#include "team/team.h"

#include "fuzz.h"

enum { ARENA_BYTES_MAX = 32 << 20 };

static void check_hooks(struct bl_arena *arena,
			const struct bl_team_hooks *hooks)
{
	struct bl_team_hooks again;
	struct bl_buf binary, json;

	MUST(hooks->count <= BL_TEAM_MAX_HOOKS);
	bl_buf_init(&binary, 0);
	bl_buf_init(&json, 0);
	bl_team_encode(BL_TEAM_RESPONSE, hooks, &binary);
	MUST(!bl_team_decode(BL_TEAM_RESPONSE, bl_buf_str(&binary), arena,
			     &again, NULL));
	bl_team_encode_json(BL_TEAM_RESPONSE, &again, &json);
	MUST(!bl_team_decode_json(BL_TEAM_RESPONSE, bl_buf_str(&json), false,
				  arena, &again, NULL));
	MUST(again.count == hooks->count);
	for (size_t i = 0; i < again.count; i++) {
		MUST(again.items[i].id == hooks->items[i].id);
		MUST(bl_str_equal(again.items[i].content,
				  hooks->items[i].content));
		MUST(bl_str_equal(again.items[i].script_name,
				  hooks->items[i].script_name));
	}
	(void)bl_team_check_hooks(hooks, bl_contract_get(BL_DIALECT_CURSOR_2_3),
				  NULL);
	bl_buf_clear(&binary);
	bl_buf_clear(&json);
}

static void check_document(struct bl_arena *arena, struct bl_str text)
{
	struct bl_team_root root;
	struct bl_team_manifest manifest;
	struct bl_team_fresh fresh;
	struct bl_error err = { 0 };
	int kinds = 0;

	kinds += !bl_team_read_root(text, arena, &root, &err);
	if (!bl_team_read_manifest(text, arena, &manifest, &err)) {
		kinds++;
		for (size_t i = 0; i < manifest.file_count; i++)
			MUST(bl_team_path_is_good(manifest.files[i].path));
	}
	if (!bl_team_read_fresh(text, arena, &fresh, &err)) {
		kinds++;
		MUST(bl_team_choose(&fresh, BL_STR("m"), NULL, 0));
	}
	MUST(kinds <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bl_team_hooks hooks;
	struct bl_arena arena;
	struct bl_str rest;
	enum bl_status status;

	if (!size)
		return 0;
	rest = (struct bl_str){ (const char *)data + 1, size - 1 };
	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	if (data[0] == 'b' || data[0] == 'j') {
		status = data[0] == 'b'
				 ? bl_team_decode(BL_TEAM_RESPONSE, rest,
						  &arena, &hooks, NULL)
				 : bl_team_decode_json(BL_TEAM_RESPONSE, rest,
						       true, &arena, &hooks,
						       NULL);
		if (!status)
			check_hooks(&arena, &hooks);
	} else {
		check_document(&arena, rest);
	}
	bl_arena_clear(&arena);
	return 0;
}
