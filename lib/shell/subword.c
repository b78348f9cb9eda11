/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/subword.c: a piece of a word as a word of its own: the value of an
 * assignment, a subscript, the operand of ${x:-w}.  It stands alone because the
 * splitting itself (parts.c) knows nothing of where its parts end up.
 */
#include "shell/private.h"

static struct bl_shell_word *new_word(struct bl_sh_parser *p,
				      const struct bl_sh_source *source,
				      uint32_t from)
{
	struct bl_shell_word *word = bl_sh_new(p, struct bl_shell_word);

	if (word)
		word->span.start = bl_sh_place(&source->text, from);
	return word;
}

/* The substitutions of from..to, counted from there. */
static bool take_substitutions(struct bl_sh_parser *p,
			       struct bl_shell_word *word,
			       const struct bl_sh_source *source, uint32_t from,
			       uint32_t to)
{
	uint32_t first = bl_sh_find_from(source, from),
		 last = bl_sh_find_from(source, to);
	struct bl_shell_substitution *list;

	if (first == last)
		return true;
	list = bl_arena_new_array(p->arena, struct bl_shell_substitution,
				  last - first);
	if (!list)
		return false;
	for (uint32_t i = first; i < last; i++) {
		list[i - first] = source->substitutions[i];
		list[i - first].at -= from;
		list[i - first].end -= from;
	}
	word->substitutions = list;
	word->substitution_count = last - first;
	return true;
}

static bool end_word(struct bl_sh_parser *p, struct bl_shell_word *word,
		     const struct bl_sh_source *source, uint32_t from,
		     uint32_t to)
{
	word->span = bl_sh_span(&source->text, from, to);
	word->text = (struct bl_str){ source->text.ptr + from, to - from };
	return take_substitutions(p, word, source, from, to);
}

struct bl_shell_word *bl_sh_subword(struct bl_sh_parser *p,
				    const struct bl_sh_source *source,
				    uint32_t from, uint32_t to,
				    enum bl_sh_part_mode mode)
{
	struct bl_shell_word *word = new_word(p, source, from);

	if (!word || !bl_sh_split(p, source, from, to, mode, word))
		return NULL;
	return end_word(p, word, source, from, to) ? word : NULL;
}

struct bl_shell_word *bl_sh_split_word(const struct bl_sh_split *outer,
				       enum bl_sh_part_mode mode,
				       const char *stops, uint32_t *pos)
{
	struct bl_sh_split split = *outer;

	split.pos = *pos;
	split.mode = mode;
	split.stops = stops;
	split.open = strchr(stops, ']') ? '[' : 0;
	split.close = strchr(stops, ']') ? ']' : 0;
	if (strchr(stops, ':')) {
		split.open = '(';
		split.close = ')';
	}
	split.word = new_word(outer->p, outer->source, *pos);
	if (!split.word || !bl_sh_enter(outer->p) || !bl_sh_split_run(&split))
		return NULL;
	bl_sh_leave(outer->p);
	if (!end_word(outer->p, split.word, outer->source, *pos, split.pos))
		return NULL;
	*pos = split.pos;
	outer->word->flags |=
		split.word->flags & (BL_SHELL_WORD_RUNS | BL_SHELL_WORD_BAD);
	return split.word;
}
