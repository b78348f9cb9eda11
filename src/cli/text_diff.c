/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two texts line by line and appends the difference as hunks, for the
 * commands that show a change without making it.  It stands alone because it
 * knows neither files nor options.
 */
#include "cli/text_diff.h"

enum {
	CONTEXT = 3,
	MAX_CELLS = 4 << 20, /* of the table of common lines */
};

struct lines {
	struct bl_str *items; /* each with its newline */
	size_t count;
};

/* A step of the way from one text to the other. */
struct step {
	char sign; /* ' ', '-', '+' */
	struct bl_str line;
};

struct diff {
	struct lines sides[2];
	size_t head; /* lines that both begin with */
	size_t tail; /* lines that both end with, of the rest */
	struct step *steps;
	size_t count;
};

static bool split(struct bl_arena *arena, struct bl_str text, struct lines *out)
{
	size_t count = 1;

	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == '\n';
	out->items = bl_arena_new_array(arena, struct bl_str, count);
	out->count = 0;
	for (size_t at = 0; out->items && at < text.len;) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);

		end = end == SIZE_MAX ? text.len : end + 1;
		out->items[out->count++] = bl_str_slice(text, at, end);
		at = end;
	}
	return out->items != NULL;
}

static void add(struct diff *diff, char sign, struct bl_str line)
{
	diff->steps[diff->count++] = (struct step){ sign, line };
}

static void add_lines(struct diff *diff, char sign, const struct lines *from,
		      size_t first, size_t last)
{
	for (size_t i = first; i < last; i++)
		add(diff, sign, from->items[i]);
}

static bool same(const struct diff *diff, size_t i, size_t j)
{
	return bl_str_equal(diff->sides[0].items[i], diff->sides[1].items[j]);
}

/*
 * The lines between head and tail.  common[i][j]: how many lines the texts have
 * in common from their lines i and j on.
 */
static bool add_middle(struct bl_arena *arena, struct diff *diff)
{
	size_t from = diff->head;
	size_t n = diff->sides[0].count - diff->tail - from;
	size_t m = diff->sides[1].count - diff->tail - from;
	size_t width = m + 1;
	size_t i = 0;
	size_t j = 0;
	uint32_t *common;

	if (!n || !m || n + 1 > MAX_CELLS / width) {
		add_lines(diff, '-', &diff->sides[0], from, from + n);
		add_lines(diff, '+', &diff->sides[1], from, from + m);
		return true;
	}
	common = bl_arena_new_array(arena, uint32_t, (n + 1) * width);
	if (!common)
		return false;
	for (i = n; i-- > 0;)
		for (j = m; j-- > 0;) {
			uint32_t down = common[(i + 1) * width + j];
			uint32_t right = common[i * width + j + 1];

			common[i * width + j] =
				same(diff, from + i, from + j)
					? common[(i + 1) * width + j + 1] + 1
				: down > right ? down
					       : right;
		}
	for (i = j = 0; i < n || j < m;) {
		if (i < n && j < m && same(diff, from + i, from + j)) {
			add(diff, ' ', diff->sides[0].items[from + i++]);
			j++;
		} else if (j == m ||
			   (i < n && common[(i + 1) * width + j] >=
					     common[i * width + j + 1])) {
			add(diff, '-', diff->sides[0].items[from + i++]);
		} else {
			add(diff, '+', diff->sides[1].items[from + j++]);
		}
	}
	return true;
}

static void put_line(struct bl_buf *out, const struct step *step)
{
	bl_buf_put_char(out, step->sign);
	bl_buf_put_str(out, step->line);
	if (!bl_str_has_suffix(step->line, BL_STR("\n")))
		bl_buf_puts(out, "\n\\ No newline at end of file\n");
}

/* Where the change at first ends: before more than twice CONTEXT alike. */
static size_t hunk_end(const struct diff *diff, size_t first)
{
	size_t end = first;

	for (size_t i = first; i < diff->count && i <= end + 2 * CONTEXT; i++)
		if (diff->steps[i].sign != ' ')
			end = i + 1;
	return end;
}

static void put_hunks(struct bl_buf *out, const struct diff *diff)
{
	size_t lines[2] = { 0, 0 }; /* before step at */
	size_t at = 0;

	for (size_t i = 0; i < diff->count;) {
		size_t counts[2] = { 0, 0 };
		size_t from;
		size_t to;

		if (diff->steps[i].sign == ' ') {
			i++;
			continue;
		}
		from = i > CONTEXT ? i - CONTEXT : 0;
		to = hunk_end(diff, i) + CONTEXT;
		if (to > diff->count)
			to = diff->count;
		for (; at < from; at++) {
			lines[0] += diff->steps[at].sign != '+';
			lines[1] += diff->steps[at].sign != '-';
		}
		for (size_t j = from; j < to; j++) {
			counts[0] += diff->steps[j].sign != '+';
			counts[1] += diff->steps[j].sign != '-';
		}
		bl_buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n",
			      lines[0] + (counts[0] > 0), counts[0],
			      lines[1] + (counts[1] > 0), counts[1]);
		for (size_t j = from; j < to; j++)
			put_line(out, &diff->steps[j]);
		i = to;
	}
}

enum bl_status cli_put_diff(struct bl_arena *arena, struct bl_buf *out,
			    struct bl_str name, struct bl_str before,
			    struct bl_str after, struct bl_error *err)
{
	struct diff diff = { 0 };
	size_t least;

	if (!split(arena, before, &diff.sides[0]) ||
	    !split(arena, after, &diff.sides[1]))
		return bl_arena_fail(arena, err);
	diff.steps = bl_arena_new_array(arena, struct step,
					diff.sides[0].count +
						diff.sides[1].count + 1);
	if (!diff.steps)
		return bl_arena_fail(arena, err);
	least = diff.sides[0].count < diff.sides[1].count ? diff.sides[0].count
							  : diff.sides[1].count;
	while (diff.head < least && same(&diff, diff.head, diff.head))
		diff.head++;
	while (diff.tail < least - diff.head &&
	       same(&diff, diff.sides[0].count - diff.tail - 1,
		    diff.sides[1].count - diff.tail - 1))
		diff.tail++;
	add_lines(&diff, ' ', &diff.sides[0], 0, diff.head);
	if (!add_middle(arena, &diff))
		return bl_arena_fail(arena, err);
	add_lines(&diff, ' ', &diff.sides[0], diff.sides[0].count - diff.tail,
		  diff.sides[0].count);
	bl_buf_printf(out, "--- %.*s\n+++ %.*s\n", BL_STR_ARG(name),
		      BL_STR_ARG(name));
	put_hunks(out, &diff);
	return BL_OK;
}
