/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/packers.c: programs that make files beside the one that they are given,
 * with a name of their own: split, gzip and its kind.
 */
#include "effects/private.h"

/* split [FILE [PREFIX]]: the pieces begin with PREFIX, or x. */
bool effects_split(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;
	struct effects_walk *walk = run->walk;
	struct effects_builder text;

	effects_builder_init(&text, walk->arena, UINT32_MAX);
	effects_put_text(&text, args->count > 1 ? args->items[1].text
						: effects_text(BL_STR("x")));
	effects_put_mark(&text, '*');
	effects_add_path(walk, &run->inside, BL_FACT_WRITE,
			 (struct bl_str){ NULL, 0 }, effects_built(&text), 0, 0,
			 run->span);
	return false;
}

/* gzip FILE makes FILE.gz of it, gunzip FILE.gz FILE; the one it read goes (-k: stays). */
static bool run_compress(struct effects_run *run)
{
	static const char *const endings[][2] = { { "bzip2", ".bz2" },
						  { "xz", ".xz" },
						  { "zstd", ".zst" } };
	struct bl_str name = run->parsed.row->name;
	const char *ending = ".gz";
	bool is_back = effects_has(&run->parsed, "decompress") ||
		       bl_str_is(name, "gunzip");

	for (size_t i = 0; i < BL_COUNT(endings); i++) {
		if (bl_str_is(name, endings[i][0]))
			ending = endings[i][1];
	}
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word *word = &run->parsed.words[i];
		struct effects_text made = word->text;
		size_t end = made.len;

		if (!bl_str_is(word->role, "read") || effects_is(made, "-"))
			continue;
		while (is_back && end && made.ptr[end - 1] != '.')
			end--;
		made = is_back ? effects_cut(made, 0, end ? end - 1 : made.len)
			       : effects_join(run->walk->arena, made,
					      effects_text(bl_str(ending)));
		effects_add_path(run->walk, &run->inside, BL_FACT_WRITE,
				 BL_STR("compress"), made, run->parsed.details,
				 0, word->span);
		if (!effects_has(&run->parsed, "keep"))
			effects_add_path(run->walk, &run->inside,
					 BL_FACT_DELETE, BL_STR("compress"),
					 word->text,
					 run->parsed.details | BL_FACT_IS_MOVE,
					 0, word->span);
	}
	return false;
}

bool effects_compress(struct effects_run *run)
{
	if (effects_has(&run->parsed, "stdout") ||
	    effects_has(&run->parsed, "to-stdout") ||
	    effects_has(&run->parsed, "list") ||
	    effects_has(&run->parsed, "test"))
		return false;
	return run_compress(run);
}
