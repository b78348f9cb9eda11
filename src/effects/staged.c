/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/staged.c: scripts that a line or a tool of files leaves outside of the
 * workspace.  Nobody reads them there, and what runs them later may be a job or a person: so
 * each is walked for itself, as if it ran now, and has facts of its own.  Those that the line
 * runs need none: their commands are the line's.
 *
 * `printf '#!/bin/sh\nrm -rf ~\n' > /tmp/x.sh` has one effect, a write, and one staged script,
 * whose facts have the effect delete.
 */
#include "effects/private.h"

enum { STAGED_MAX = 16 };

/* Endings of files that are programs in a language that code.c knows. */
static const char *const endings[] = {
	".sh", ".bash", ".zsh", ".command", ".py",
	".js", ".mjs",  ".cjs", ".rb",      ".pl",
};

static bool is_script(struct bl_str path, struct bl_str content)
{
	if (bl_str_has_prefix(content, BL_STR("#!")))
		return true;
	for (size_t i = 0; i < BL_COUNT(endings); i++)
		if (bl_str_has_suffix(path, bl_str(endings[i])))
			return true;
	return false;
}

/* The whole text that the line wrote to the file; ptr NULL: it is not known. */
static struct bl_str written_to(struct effects_walk *walk, struct bl_str path)
{
	const struct effects_file *file = effects_file_find(walk, path);

	if (!file || file->count != 1 || !file->contents[0].len ||
	    !effects_is_known(file->contents[0]))
		return (struct bl_str){ NULL, 0 };
	return effects_str(file->contents[0]);
}

static bool is_staged(struct effects_walk *walk,
		      const struct bl_fact_effect *effect)
{
	struct bl_str content;

	if (effect->kind != BL_FACT_WRITE || !effect->is_path ||
	    effect->target.state != BL_FACT_KNOWN ||
	    (effect->place != BL_FACT_PLACE_TEMP &&
	     effect->place != BL_FACT_PLACE_HOME &&
	     effect->place != BL_FACT_PLACE_SYSTEM &&
	     effect->place != BL_FACT_PLACE_OTHER))
		return false;
	content = written_to(walk, effect->target.text);
	return content.ptr && is_script(effect->target.text, content);
}

/* The line runs it itself, or it was found already. */
static bool is_known_already(const struct effects_walk *walk,
			     const struct bl_facts *facts, struct bl_str path)
{
	for (size_t i = 0; i < walk->effect_count; i++)
		if (walk->effects[i].kind == BL_FACT_EXECUTE &&
		    bl_str_equal(walk->effects[i].target.text, path))
			return true;
	for (size_t i = 0; i < facts->staged_count; i++)
		if (bl_str_equal(facts->staged[i].path, path))
			return true;
	return false;
}

/* Those past the limit are not walked, and opaque says so. */
static void note_limit(struct effects_walk *walk, struct bl_facts *facts,
		       struct bl_shell_span span)
{
	effects_opaque(
		walk, BL_FACT_OPAQUE_LIMIT,
		effects_text(BL_STR(
			"too many scripts are left outside of the workspace")),
		span);
	facts->opaque = walk->opaque;
	facts->opaque_count = walk->opaque_count;
}

/* Walks the script that effect writes, and adds its facts. */
static enum bl_status add_staged(struct effects_walk *walk,
				 struct bl_facts *facts,
				 const struct bl_fact_effect *effect,
				 struct bl_fact_staged *out,
				 struct bl_error *err)
{
	struct bl_effects_input input = *walk->input;

	input.touch_count = 0;
	out->path = effect->target.text;
	out->span = effect->span;
	input.line = bl_effects_line(walk->arena, &out->path, 1);
	facts->staged_count++;
	return effects_find_behind(walk, &input, &out->facts, err);
}

enum bl_status effects_find_staged(struct effects_walk *walk,
				   struct bl_facts *facts, struct bl_error *err)
{
	struct bl_fact_staged *list = NULL;
	enum bl_status status = BL_OK;

	for (size_t i = 0; i < walk->effect_count && !status; i++) {
		const struct bl_fact_effect *effect = &walk->effects[i];

		if (!is_staged(walk, effect) ||
		    is_known_already(walk, facts, effect->target.text))
			continue;
		if (facts->staged_count == STAGED_MAX) {
			note_limit(walk, facts, effect->span);
			break;
		}
		if (!list)
			list = bl_arena_new_array(
				walk->arena, struct bl_fact_staged, STAGED_MAX);
		if (!list)
			return bl_arena_fail(walk->arena, err);
		facts->staged = list;
		status = add_staged(walk, facts, effect,
				    &list[facts->staged_count], err);
	}
	return status;
}
