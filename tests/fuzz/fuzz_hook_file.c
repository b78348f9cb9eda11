/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a hook file, under both profiles and as two sources: a file
 * without errors loads, with a hook for each entry that is for this system; a
 * file with errors does not look clean, and what is reported has a place inside
 * the text.
 */
#include "fuzz.h"
#include "sources/hooks/private.h"

enum { ARENA_BYTES_MAX = 64 << 20 };

static void check_places(const struct bl_diags *diags, size_t size)
{
	for (const struct bl_diag *diag = diags->first; diag;
	     diag = diag->next) {
		MUST(diag->message.len > 0);
		MUST(diag->place.line > 0);
		MUST(diag->place.offset <= size);
	}
}

/* The text as loading would read it. */
static void check_loading(const struct bl_profile *profile,
			  enum bl_source source, bool lenient,
			  const struct bl_diag_source *input,
			  const struct bl_diags *found)
{
	struct bl_hook_file file = { .source = source };
	struct bl_arena arena;
	struct bl_diags diags;
	struct bl_limits limits = bl_limits_default();
	struct bl_hook_text text = {
		.profile = profile,
		.contract = bl_contract_get(profile->dialect),
		.limits = &limits,
		.source = source,
		.lenient = lenient,
		.file = &file,
		.text = input,
		.diags = &diags,
		.arena = &arena,
	};

	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	bl_diags_init(&diags, &arena);
	if (bl_hook_parse(&text, NULL) == BL_OK) {
		MUST(diags.error_count == found->error_count);
		MUST(found->error_count > 0 || !text.refused);
		MUST(found->error_count == 0 || lenient || text.refused);
		MUST(text.hooks.count <= text.entry_count);
		for (size_t i = 0; i < text.hooks.count; i++) {
			MUST(text.hooks.items[i].hook_event);
			MUST(text.hooks.items[i].timeout_ms <=
			     BL_HOOK_MAX_TIMEOUT_MS);
		}
	}
	bl_hook_list_clear(&text.hooks);
	bl_arena_clear(&arena);
}

static void check_as(const struct bl_profile *profile, enum bl_source source,
		     const struct bl_diag_source *input)
{
	struct bl_arena arena;
	struct bl_diags diags;

	bl_arena_init(&arena, NULL, 0, ARENA_BYTES_MAX);
	bl_diags_init(&diags, &arena);
	if (bl_hook_file_validate(profile, source, input, &diags, NULL) ==
	    BL_OK) {
		check_places(&diags, input->text.len);
		check_loading(profile, source, false, input, &diags);
		check_loading(profile, source, true, input, &diags);
	}
	bl_arena_clear(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bl_diag_source input = { BL_STR("hooks.json"),
					{ (const char *)data, size } };
	const struct bl_profile *profile;

	for (size_t i = 0; (profile = bl_profile_at(i)); i++) {
		check_as(profile, BL_SOURCE_USER, &input);
		check_as(profile, BL_SOURCE_TEAM, &input);
	}
	return 0;
}
