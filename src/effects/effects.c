/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/effects.c: one line, start to finish: parse it, walk it, hand out the
 * facts.
 */
#include "effects/private.h"

#include "base/utf8.h"

static uint32_t limit(uint32_t given, uint32_t usual)
{
	return given ? given : usual;
}

static void set_limits(struct effects_walk *walk)
{
	const struct bl_effects_limits *given = &walk->input->limits;

	walk->limits = (struct bl_effects_limits){
		.commands = limit(given->commands, 4096),
		.effects = limit(given->effects, 65536),
		.opaque = limit(given->opaque, 1024),
		.steps = limit(given->steps, 65536),
		.depth = limit(given->depth, 24),
		.loop_items = limit(given->loop_items, 64),
		.content_bytes = limit(given->content_bytes, 64 << 10),
		.matches = limit(given->matches, 256),
	};
}

/* The line's own input and output: unknown, and shown. */
static bool open_streams(struct effects_walk *walk, struct effects_state *state)
{
	struct effects_fds *fds = bl_arena_new(walk->arena, struct effects_fds);

	walk->transcript = bl_arena_new(walk->arena, struct effects_sink);
	if (!fds || !walk->transcript)
		return false;
	walk->transcript->is_shown = true;
	walk->transcript->effect = UINT32_MAX;
	fds->items[1].sink = walk->transcript;
	fds->items[2].sink = walk->transcript;
	state->fds = fds;
	return true;
}

/* ---- what a reader does not see ------------------------------------------- */

static bool is_joiner(uint32_t rune)
{
	return rune == 0x200C || rune == 0x200D;
}

/*
 * Invisible, turning the text round, or drawn like a letter, dot or slash of
 * ASCII.  The punctuation of Chinese and Japanese is not in the list.
 */
static bool is_deceptive(uint32_t rune)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0x00AD, 0x00AD }, { 0x180E, 0x180E },   { 0x200B, 0x200B },
		{ 0x202A, 0x202E }, { 0x2060, 0x2064 },   { 0x2066, 0x2069 },
		{ 0xFEFF, 0xFEFF }, { 0xFF0E, 0xFF0F },   { 0xFF21, 0xFF3A },
		{ 0xFF41, 0xFF5A }, { 0xE0000, 0xE007F },
	};

	for (size_t i = 0; i < BL_COUNT(ranges); i++)
		if (rune >= ranges[i].first && rune <= ranges[i].last)
			return true;
	return false;
}

/* The first such character of the line.  Joiners belong to emoji and to
 * scripts, not behind ASCII. */
static void note_deceptive(struct effects_walk *walk)
{
	struct bl_str line = walk->input->line;
	size_t len;

	for (size_t at = 0; at < line.len; at += len) {
		uint32_t rune = 0;

		len = 1;
		if ((unsigned char)line.ptr[at] < 0x80)
			continue;
		len = bl_utf8_decode(line, at, &rune);
		if (!len)
			len = 1;
		if (is_deceptive(rune) ||
		    (is_joiner(rune) && at &&
		     (unsigned char)line.ptr[at - 1] < 0x80)) {
			struct bl_shell_span span = { .start = (uint32_t)at,
						      .end = (uint32_t)(at +
									len) };

			effects_opaque(walk, BL_FACT_OPAQUE_DECEPTIVE,
				       effects_text(bl_arena_printf(
					       walk->arena, "U+%04X", rune)),
				       span);
			return;
		}
	}
}

/* ---- one line ------------------------------------------------------------- */

static void walk_line(struct effects_walk *walk, struct effects_state *state,
		      const struct bl_shell_script *script)
{
	note_deceptive(walk);
	effects_script(walk, state, script);
	effects_settle(walk, state);
	effects_run_traps(walk, state);
}

/* A walk that has not begun; NULL: memory. */
static struct effects_walk *new_walk(struct bl_arena *arena,
				     const struct bl_effects_input *input,
				     struct effects_state *out_state)
{
	struct effects_walk *walk = bl_arena_new(arena, struct effects_walk);

	if (!walk)
		return NULL;
	walk->arena = arena;
	walk->input = input;
	walk->source = input->line;
	walk->command = UINT32_MAX;
	walk->next_fd = 63;
	walk->holes[EFFECTS_HOLES] =
		(struct effects_hole){ BL_STR("..."), 0, UINT32_MAX, true };
	set_limits(walk);
	walk->no_folder = effects_hole(walk, BL_STR("$PWD"), 0, false);
	effects_state_init(walk, out_state);
	return open_streams(walk, out_state) ? walk : NULL;
}

/* The facts found; the arena may have run out on the way. */
static enum bl_status end_walk(const struct effects_walk *walk,
			       const struct bl_shell_script *script,
			       struct bl_facts *out_facts, struct bl_error *err)
{
	if (bl_arena_status(walk->arena))
		return bl_arena_fail(walk->arena, err);
	*out_facts = (struct bl_facts){
		.commands = walk->commands,
		.command_count = walk->command_count,
		.effects = walk->effects,
		.effect_count = walk->effect_count,
		.opaque = walk->opaque,
		.opaque_count = walk->opaque_count,
		.script = script,
	};
	return BL_OK;
}

/* Parses and walks the line of a walk that has begun. */
static enum bl_status finish(struct effects_walk *walk,
			     struct effects_state *state,
			     struct bl_facts *out_facts, struct bl_error *err)
{
	struct bl_shell_script *script;

	bl_shell_parse(walk->arena, walk->input->line, NULL, &script, NULL);
	if (!script)
		return bl_arena_fail(walk->arena, err);
	walk_line(walk, state, script);
	return end_walk(walk, script, out_facts, err);
}

enum bl_status effects_find_behind(const struct effects_walk *walk,
				   const struct bl_effects_input *input,
				   struct bl_facts *out_facts,
				   struct bl_error *err)
{
	struct effects_state state;
	struct effects_walk *next = new_walk(walk->arena, input, &state);

	if (!next)
		return bl_arena_fail(walk->arena, err);
	next->paths = walk->paths;
	next->files = walk->files;
	next->looks = walk->looks;
	return finish(next, &state, out_facts, err);
}

/* A file that a tool names. */
static void touch(struct effects_walk *walk, struct effects_state *state,
		  const struct bl_effects_touch *touch)
{
	struct effects_text file = effects_text(touch->path);
	struct effects_path path;

	effects_add_path(walk, state, touch->kind, BL_STR(""), file,
			 touch->details, 0, (struct bl_shell_span){ 0 });
	if (!touch->content.ptr)
		return;
	effects_path(walk, state, file, 0, &path);
	if (path.state == BL_FACT_KNOWN)
		effects_file_put(walk, effects_str(path.text),
				 effects_text(touch->content), false);
}

enum bl_status bl_effects_find(struct bl_arena *arena,
			       const struct bl_effects_input *input,
			       struct bl_facts *out_facts, struct bl_error *err)
{
	struct effects_state state;
	struct effects_walk *walk = new_walk(arena, input, &state);
	enum bl_status status;

	if (!walk)
		return bl_arena_fail(arena, err);
	for (size_t i = 0; i < input->touch_count; i++)
		touch(walk, &state, &input->touches[i]);
	if (input->unread.len)
		effects_opaque(walk, BL_FACT_OPAQUE_SYNTAX,
			       effects_text(input->unread),
			       (struct bl_shell_span){ 0 });
	status = finish(walk, &state, out_facts, err);
	return status ? status : effects_find_staged(walk, out_facts, err);
}

struct bl_str bl_effects_line(struct bl_arena *arena,
			      const struct bl_str *words, size_t count)
{
	struct effects_builder line;

	effects_builder_init(&line, arena, UINT32_MAX);
	for (size_t i = 0; i < count; i++) {
		struct bl_str word = bl_shell_single_quote(arena, words[i]);

		if (!word.ptr)
			return word;
		if (i)
			effects_put(&line, " ", 1);
		effects_put(&line, word.ptr, word.len);
	}
	return effects_str(effects_built(&line));
}
