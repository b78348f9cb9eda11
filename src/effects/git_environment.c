/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that git reads: its settings, and those that leave hooks out. */
#include "effects/private.h"

enum { SETTING_BYTES = 4096 };

/* As if "-c KEY=VALUE" stood in the line; false: no memory. */
static bool add_setting(struct effects_run *run, struct effects_text text)
{
	struct effects_word *words = bl_arena_room(
		run->walk->arena, run->parsed.words, run->parsed.word_count,
		&run->parsed.word_cap, sizeof(*words));

	if (!words)
		return false;
	run->parsed.words = words;
	words[run->parsed.word_count++] = (struct effects_word){
		.role = BL_STR("setting"), .text = text, .span = run->span
	};
	return true;
}

/* GIT_CONFIG_PARAMETERS: 'KEY=VALUE' or 'KEY'='VALUE', with blanks between. */
static void add_parameters(struct effects_run *run, struct effects_text all)
{
	size_t at = 0;

	while (at < all.len) {
		struct effects_builder one;
		bool is_quoted = false;

		effects_builder_init(&one, run->walk->arena, SETTING_BYTES);
		for (; at < all.len && (is_quoted || all.ptr[at] != ' ');
		     at++) {
			if (all.ptr[at] == '\'')
				is_quoted = !is_quoted;
			else
				effects_put(&one, all.ptr + at, 1);
		}
		at++;
		if (effects_built(&one).len &&
		    !add_setting(run, effects_built(&one)))
			return;
	}
}

/* GIT_CONFIG_COUNT, GIT_CONFIG_KEY_n, GIT_CONFIG_VALUE_n: settings. */
void effects_git_settings(struct effects_run *run)
{
	struct bl_arena *arena = run->walk->arena;
	struct effects_text key, value;

	if (effects_value(run->walk, &run->inside,
			  BL_STR("GIT_CONFIG_PARAMETERS"), &value))
		add_parameters(run, value);
	for (uint32_t i = 0; i < EFFECTS_CHOICES; i++) {
		if (!effects_value(
			    run->walk, &run->inside,
			    bl_arena_printf(arena, "GIT_CONFIG_KEY_%u", i),
			    &key) ||
		    !effects_value(
			    run->walk, &run->inside,
			    bl_arena_printf(arena, "GIT_CONFIG_VALUE_%u", i),
			    &value))
			return;
		key = effects_join(arena, key, effects_text(BL_STR("=")));
		if (!add_setting(run, effects_join(arena, key, value)))
			return;
	}
}

/* Variables by which those who install hooks leave them out. */
void effects_git_skips(struct effects_run *run)
{
	static const struct {
		const char *name;
		const char *value; /* NULL: any but none */
	} skips[] = {
		{ "HUSKY", "0" },    { "HUSKY_SKIP_HOOKS", NULL },
		{ "LEFTHOOK", "0" }, { "LEFTHOOK", "false" },
		{ "SKIP", NULL },    { "OVERCOMMIT_DISABLE", NULL },
	};
	struct effects_text value;

	for (size_t i = 0; i < BL_COUNT(skips); i++)
		if (effects_value(run->walk, &run->inside,
				  bl_str(skips[i].name), &value) &&
		    (skips[i].value ? effects_is(value, skips[i].value)
				    : value.len > 0))
			effects_add_plain(run->walk, BL_FACT_GIT,
					  BL_STR("hook-skip"), &value, 0,
					  run->span);
}
