/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of characters as sorted ranges: union, complement, folding of case.
 * Apart from the parser, which only asks for them, and from the compiler, which
 * only reads them.
 */
#include "text/ast.h"

#include <stdlib.h>

#include "text/unicode.h"

enum { LAST_RUNE = 0x10FFFF, FOLD_RING_MAX = 4 };

#define CHARSET(name, ...)                                                     \
	static const struct regex_range name##_ranges[] = { __VA_ARGS__ };     \
	const struct charset charset_##name = { name##_ranges,                 \
						BL_COUNT(name##_ranges) }

CHARSET(digit, { '0', '9' });
CHARSET(word, { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' });
CHARSET(space_re2, { '\t', '\n' }, { '\f', '\r' }, { ' ', ' ' });
CHARSET(space_js, { '\t', '\r' }, { ' ', ' ' }, { 0xA0, 0xA0 },
	{ 0x1680, 0x1680 }, { 0x2000, 0x200A }, { 0x2028, 0x2029 },
	{ 0x202F, 0x202F }, { 0x205F, 0x205F }, { 0x3000, 0x3000 },
	{ 0xFEFF, 0xFEFF });
CHARSET(dot_re2, { 0, '\n' - 1 }, { '\n' + 1, LAST_RUNE });
CHARSET(dot_js, { 0, '\n' - 1 }, { '\n' + 1, '\r' - 1 }, { '\r' + 1, 0x2027 },
	{ 0x202A, LAST_RUNE });
CHARSET(all, { 0, LAST_RUNE });

static void put(struct charset_build *build, uint32_t lo, uint32_t hi)
{
	if (build->count && build->ranges[build->count - 1].hi + 1 == lo) {
		build->ranges[build->count - 1].hi = hi;
		return;
	}
	if (build->count == build->room) {
		uint32_t room = build->room ? build->room * 2 : 16;
		struct regex_range *ranges =
			bl_arena_alloc(build->arena, room * sizeof(*ranges));

		if (!ranges) {
			build->failed = true;
			return;
		}
		if (build->count)
			memcpy(ranges, build->ranges,
			       build->count * sizeof(*ranges));
		build->ranges = ranges;
		build->room = room;
	}
	build->ranges[build->count++] = (struct regex_range){ lo, hi };
}

/* The first fold run that ends at or after rune. */
static size_t find_run(uint32_t rune)
{
	size_t lo = 0, hi = bl_fold_run_count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (bl_fold_runs[mid].hi < rune)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool charset_folds(uint32_t rune)
{
	size_t run;

	if (rune < 'A')
		return false;
	run = find_run(rune);
	return run < bl_fold_run_count && bl_fold_runs[run].lo <= rune;
}

/* Where the characters lo..hi of one run go, as one covering range.  Pairs
 * are widened to whole pairs, which is right as both are in the answer. */
static struct regex_range apply_run(const struct bl_fold_run *run, uint32_t lo,
				    uint32_t hi)
{
	uint32_t odd;

	if (run->delta != BL_FOLD_EVEN_ODD && run->delta != BL_FOLD_ODD_EVEN)
		return (struct regex_range){ lo + (uint32_t)run->delta,
					     hi + (uint32_t)run->delta };
	odd = run->delta == BL_FOLD_ODD_EVEN;
	if ((lo & 1) != odd)
		lo--;
	if ((hi & 1) == odd)
		hi++;
	return (struct regex_range){ lo, hi };
}

/* Follows the rings of lo..hi, at most depth steps. */
static void add_folded(struct charset_build *build, uint32_t lo, uint32_t hi,
		       int depth)
{
	put(build, lo, hi);
	if (depth == 0)
		return;
	for (size_t i = find_run(lo);
	     i < bl_fold_run_count && bl_fold_runs[i].lo <= hi; i++) {
		const struct bl_fold_run *run = &bl_fold_runs[i];
		struct regex_range to =
			apply_run(run, lo > run->lo ? lo : run->lo,
				  hi < run->hi ? hi : run->hi);

		if (to.lo < lo || to.hi > hi)
			add_folded(build, to.lo, to.hi, depth - 1);
	}
}

void charset_add(struct charset_build *build, uint32_t lo, uint32_t hi)
{
	if (build->fold)
		add_folded(build, lo, hi, FOLD_RING_MAX - 1);
	else
		put(build, lo, hi);
}

void charset_add_set(struct charset_build *build, const struct charset *set,
		     bool negate)
{
	struct charset_build other = { .arena = build->arena,
				       .fold = build->fold };

	if (negate) {
		for (uint32_t i = 0; i < set->count; i++)
			charset_add(&other, set->ranges[i].lo,
				    set->ranges[i].hi);
		set = charset_finish(&other, true);
		if (!set) {
			build->failed = true;
			return;
		}
	}
	for (uint32_t i = 0; i < set->count; i++) {
		if (negate)
			put(build, set->ranges[i].lo, set->ranges[i].hi);
		else
			charset_add(build, set->ranges[i].lo,
				    set->ranges[i].hi);
	}
}

static int by_lo(const void *left, const void *right)
{
	const struct regex_range *a = left, *b = right;

	return (a->lo > b->lo) - (a->lo < b->lo);
}

/* Sorts short lists without the cost of qsort. */
static void sort_ranges(struct regex_range *ranges, uint32_t count)
{
	if (count > 16) {
		qsort(ranges, count, sizeof(*ranges), by_lo);
		return;
	}
	for (uint32_t i = 1; i < count; i++) {
		struct regex_range range = ranges[i];
		uint32_t j = i;

		for (; j > 0 && ranges[j - 1].lo > range.lo; j--)
			ranges[j] = ranges[j - 1];
		ranges[j] = range;
	}
}

/* Joins sorted ranges that touch or overlap; returns how many are left. */
static uint32_t join_ranges(struct regex_range *ranges, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (kept && ranges[i].lo <= ranges[kept - 1].hi + 1) {
			if (ranges[i].hi > ranges[kept - 1].hi)
				ranges[kept - 1].hi = ranges[i].hi;
		} else {
			ranges[kept++] = ranges[i];
		}
	}
	return kept;
}

/* The complement of set; NULL: out of memory. */
static const struct charset *complement(struct bl_arena *arena,
					const struct charset *set)
{
	struct regex_range *ranges =
		bl_arena_alloc(arena, (set->count + 1) * sizeof(*ranges));
	struct charset *out = bl_arena_alloc(arena, sizeof(*out));
	uint32_t count = 0, next = 0;

	if (!ranges || !out)
		return NULL;
	for (uint32_t i = 0; i < set->count; i++) {
		if (set->ranges[i].lo > next)
			ranges[count++] =
				(struct regex_range){ next,
						      set->ranges[i].lo - 1 };
		next = set->ranges[i].hi + 1;
	}
	if (next <= LAST_RUNE)
		ranges[count++] = (struct regex_range){ next, LAST_RUNE };
	*out = (struct charset){ ranges, count };
	return out;
}

const struct charset *charset_finish(struct charset_build *build, bool negate)
{
	struct charset *set;

	if (build->failed)
		return NULL;
	set = bl_arena_alloc(build->arena, sizeof(*set));
	if (!set)
		return NULL;
	sort_ranges(build->ranges, build->count);
	*set = (struct charset){ build->ranges,
				 join_ranges(build->ranges, build->count) };
	return negate ? complement(build->arena, set) : set;
}

/* ASCII letters that fold only among themselves: all but k and s. */
static bool is_plain_letter(uint32_t rune)
{
	uint32_t lower = rune | 0x20;

	return rune < 128 && lower >= 'a' && lower <= 'z' && lower != 'k' &&
	       lower != 's';
}

const struct charset *charset_folded(struct bl_arena *arena, uint32_t rune)
{
	struct charset_build build = { .arena = arena, .fold = true };

	if (is_plain_letter(rune)) {
		build.fold = false;
		charset_add(&build, rune & ~0x20u, rune & ~0x20u);
		charset_add(&build, rune | 0x20, rune | 0x20);
	} else {
		charset_add(&build, rune, rune);
	}
	return charset_finish(&build, false);
}

/* ---- groups with names ----------------------------------------------------
 */

static uint32_t read_number(const uint8_t **p)
{
	uint32_t number = 0;
	unsigned shift = 0;

	for (;; shift += 7) {
		uint8_t byte = *(*p)++;

		number |= (byte & 0x7Fu) << shift;
		if (!(byte & 0x80))
			return number;
	}
}

static void add_group(struct charset_build *build,
		      const struct bl_unicode_group *group)
{
	const uint8_t *p = group->stream;
	uint32_t next = 0;

	while (p < group->stream + group->bytes) {
		uint32_t lo = next + read_number(&p);
		uint32_t hi = lo + read_number(&p);

		charset_add(build, lo, hi);
		next = hi + 1;
	}
}

/* A name of one letter takes all categories that start with it. */
static bool is_named(const struct bl_unicode_group *group, struct bl_str name)
{
	if (name.len == 1)
		return group->name[0] == name.ptr[0] && !group->name[2];
	return bl_str_is(name, group->name);
}

static bool group_has(const struct bl_unicode_group *group, uint32_t rune)
{
	const uint8_t *p = group->stream;
	uint32_t next = 0;

	while (p < group->stream + group->bytes && next <= rune) {
		uint32_t lo = next + read_number(&p);
		uint32_t hi = lo + read_number(&p);

		if (rune >= lo && rune <= hi)
			return true;
		next = hi + 1;
	}
	return false;
}

bool charset_unicode_has(struct bl_str name, uint32_t rune)
{
	for (size_t i = 0; i < bl_unicode_group_count; i++) {
		if (is_named(&bl_unicode_groups[i], name) &&
		    group_has(&bl_unicode_groups[i], rune))
			return true;
	}
	return false;
}

bool charset_add_unicode(struct charset_build *build, struct bl_str name)
{
	bool found = false;

	if (bl_str_is(name, "Any")) {
		charset_add(build, 0, LAST_RUNE);
		return true;
	}
	for (size_t i = 0; i < bl_unicode_group_count; i++) {
		if (is_named(&bl_unicode_groups[i], name)) {
			add_group(build, &bl_unicode_groups[i]);
			found = true;
		}
	}
	return found;
}

enum { POSIX_RANGES_MAX = 4 };

static const struct {
	const char *name;
	struct {
		uint8_t lo, hi;
	} ranges[POSIX_RANGES_MAX];
} posix_classes[] = {
	{ "alnum", { { '0', '9' }, { 'A', 'Z' }, { 'a', 'z' } } },
	{ "alpha", { { 'A', 'Z' }, { 'a', 'z' } } },
	{ "ascii", { { 0, 0x7F } } },
	{ "blank", { { '\t', '\t' }, { ' ', ' ' } } },
	{ "cntrl", { { 0, 0x1F }, { 0x7F, 0x7F } } },
	{ "digit", { { '0', '9' } } },
	{ "graph", { { '!', '~' } } },
	{ "lower", { { 'a', 'z' } } },
	{ "print", { { ' ', '~' } } },
	{ "punct", { { '!', '/' }, { ':', '@' }, { '[', '`' }, { '{', '~' } } },
	{ "space", { { '\t', '\r' }, { ' ', ' ' } } },
	{ "upper", { { 'A', 'Z' } } },
	{ "word", { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } } },
	{ "xdigit", { { '0', '9' }, { 'A', 'F' }, { 'a', 'f' } } },
};

bool charset_add_posix(struct charset_build *build, struct bl_str name,
		       bool negate)
{
	struct regex_range ranges[POSIX_RANGES_MAX];
	struct charset set = { ranges, 0 };

	for (size_t i = 0; i < BL_COUNT(posix_classes); i++) {
		if (!bl_str_is(name, posix_classes[i].name))
			continue;
		while (set.count < POSIX_RANGES_MAX &&
		       posix_classes[i].ranges[set.count].hi) {
			ranges[set.count] = (struct regex_range){
				posix_classes[i].ranges[set.count].lo,
				posix_classes[i].ranges[set.count].hi
			};
			set.count++;
		}
		charset_add_set(build, &set, negate);
		return true;
	}
	return false;
}
