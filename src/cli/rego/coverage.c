/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coverage: an observer that notes which rules and statements ran, and its report.
 */
#include "cli/rego/coverage.h"

#include <stdio.h>
#include <stdlib.h>

static void count_mark(void *context, uint32_t number,
		       const struct bl_rego_mark *mark)
{
	uint32_t *count = context;

	(void)mark;
	*count = number + 1;
}

bool cli_coverage_init(struct cli_coverage *coverage, struct bl_arena *arena,
		       const struct bl_rego_policies *policies)
{
	*coverage = (struct cli_coverage){ 0 };
	bl_rego_each_mark(policies, count_mark, &coverage->count);
	coverage->counts =
		bl_arena_new_array(arena, uint64_t, coverage->count + 1u);
	return coverage->counts;
}

void cli_coverage_notice(struct cli_coverage *coverage,
			 const struct bl_rego_event *event)
{
	/* Marks of the query come behind those of the policies. */
	if ((event->kind == BL_REGO_EVAL || event->kind == BL_REGO_EXIT) &&
	    event->mark_number < coverage->count)
		coverage->counts[event->mark_number]++;
}

void cli_coverage_add(struct cli_coverage *sum,
		      const struct cli_coverage *coverage)
{
	for (uint32_t i = 0; i < sum->count; i++)
		sum->counts[i] += coverage->counts[i];
}

/* ---- report ----------------------------------------------------------------- */

struct spot {
	const struct bl_rego_mark *mark;
	uint32_t number;
};

struct report {
	struct bl_arena *arena;
	struct spot *spots;
	size_t count;
};

static void collect(void *context, uint32_t number,
		    const struct bl_rego_mark *mark)
{
	struct report *report = context;

	report->spots[report->count++] = (struct spot){ mark, number };
}

static int compare_spots(const void *a, const void *b)
{
	const struct bl_rego_mark *x = ((const struct spot *)a)->mark;
	const struct bl_rego_mark *y = ((const struct spot *)b)->mark;
	int order = bl_str_compare(x->file, y->file);

	if (order)
		return order;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->column > y->column) - (x->column < y->column);
}

static struct bl_value make_place(struct bl_arena *arena, uint32_t row,
				  uint32_t col)
{
	struct bl_object_builder place;

	bl_object_builder_init(&place, arena);
	bl_object_builder_add(&place, BL_STR("row"), bl_value_integer(row));
	bl_object_builder_add(&place, BL_STR("col"), bl_value_integer(col));
	return bl_object_builder_end(&place);
}

static struct bl_value make_range(struct bl_arena *arena,
				  const struct bl_rego_mark *mark)
{
	struct bl_object_builder range;
	uint32_t row = mark->line;
	uint32_t col = mark->column;

	for (size_t i = 0; i < mark->text.len; i++) {
		bool ends = mark->text.ptr[i] == '\n';

		row += ends;
		col = ends ? 1 : col + 1;
	}
	bl_object_builder_init(&range, arena);
	bl_object_builder_add(&range, BL_STR("start"),
			      make_place(arena, mark->line, mark->column));
	bl_object_builder_add(&range, BL_STR("end"),
			      make_place(arena, row, col));
	return bl_object_builder_end(&range);
}

/* How many rows the ranges of each kind touch; a row may count for both. */
struct lines {
	size_t covered;
	size_t not_covered;
};

/* Counts rows once, of ranges that come in the order of their first rows. */
struct rows {
	size_t count;
	uint32_t last; /* counted so far */
};

static void count_rows(struct rows *rows, const struct bl_rego_mark *mark)
{
	uint32_t to = mark->line;

	for (size_t i = 0; i < mark->text.len; i++)
		to += mark->text.ptr[i] == '\n';
	if (to <= rows->last)
		return;
	rows->count +=
		to - (rows->last >= mark->line ? rows->last : mark->line - 1);
	rows->last = to;
}

/* In hundredths of a percent, rounded, as OPA has two digits. */
static size_t percent(struct lines lines)
{
	size_t all = lines.covered + lines.not_covered;

	return all ? (lines.covered * 20000 + all) / (all * 2) : 0;
}

/* As Go writes it: with as few digits as tell it from every other number. */
static void put_percent(struct lines lines, char *out, size_t size)
{
	double value = 100.0 * (double)lines.covered /
		       (double)(lines.covered + lines.not_covered);

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(out, size, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
}

/* Of a file (of_all false) numbers that are 0 are left out, as in OPA. */
static void add_lines(struct bl_object_builder *object, struct lines lines,
		      bool of_all)
{
	struct bl_arena *arena = object->arena;
	struct bl_value number;
	char text[32];

	if (lines.covered || of_all)
		bl_object_builder_add(object, BL_STR("covered_lines"),
				      bl_value_integer((int64_t)lines.covered));
	if (lines.not_covered || of_all)
		bl_object_builder_add(
			object, BL_STR("not_covered_lines"),
			bl_value_integer((int64_t)lines.not_covered));
	if (!lines.covered) {
		if (of_all)
			bl_object_builder_add(object, BL_STR("coverage"),
					      bl_value_integer(0));
		return;
	}
	put_percent(lines, text, sizeof(text));
	if (bl_number_from_text(bl_arena_copy_str(arena, bl_str(text)),
				&number))
		return;
	bl_object_builder_add(object, BL_STR("coverage"), number);
}

/* Is a range of the same text, or one that it lies within, among those that ran? */
static bool lies_within(const struct report *report, size_t i, size_t from,
			const struct cli_coverage *coverage)
{
	const struct bl_rego_mark *mark = report->spots[i].mark;
	const char *end = mark->text.ptr + mark->text.len;

	for (size_t j = from; j < report->count; j++) {
		const struct bl_rego_mark *other = report->spots[j].mark;

		if (other->text.ptr > mark->text.ptr ||
		    !bl_str_equal(other->file, mark->file))
			break;
		if (coverage->counts[report->spots[j].number] &&
		    other->text.ptr + other->text.len >= end)
			return true;
	}
	return false;
}

/* The spots from..to are of one file. */
static struct bl_value report_file(const struct cli_coverage *coverage,
				   struct report *report, size_t from,
				   size_t to, struct lines *sum)
{
	struct bl_array_builder lists[2]; /* not covered, covered */
	struct rows rows[2] = { 0 };
	struct bl_object_builder file;
	struct lines lines;

	bl_array_builder_init(&lists[0], report->arena);
	bl_array_builder_init(&lists[1], report->arena);
	for (size_t i = from; i < to; i++) {
		const struct bl_rego_mark *mark = report->spots[i].mark;
		bool ran = coverage->counts[report->spots[i].number] > 0;

		if (mark->is_declaration)
			continue;
		if (!ran && (mark->is_some_in ||
			     lies_within(report, i, from, coverage)))
			continue;
		bl_array_builder_add(&lists[ran],
				     make_range(report->arena, mark));
		count_rows(&rows[ran], mark);
	}
	lines = (struct lines){ rows[1].count, rows[0].count };
	sum->covered += lines.covered;
	sum->not_covered += lines.not_covered;
	bl_object_builder_init(&file, report->arena);
	for (int ran = 1; ran >= 0; ran--) {
		struct bl_value list = bl_array_builder_end(&lists[ran]);

		if (bl_value_count(list))
			bl_object_builder_add(&file,
					      ran ? BL_STR("covered")
						  : BL_STR("not_covered"),
					      list);
	}
	add_lines(&file, lines, false);
	return bl_object_builder_end(&file);
}

struct file_list {
	struct bl_object_builder *files;
	const struct report *report;
};

/* Of a module without rules there is nothing to report but its name. */
static void add_empty_file(void *context, struct bl_str name)
{
	const struct file_list *list = context;
	struct bl_object_builder nothing;

	for (size_t i = 0; i < list->report->count; i++)
		if (bl_str_equal(list->report->spots[i].mark->file, name))
			return;
	bl_object_builder_init(&nothing, list->report->arena);
	bl_object_builder_add(list->files, name,
			      bl_object_builder_end(&nothing));
}

struct bl_value cli_coverage_report(const struct cli_coverage *coverage,
				    struct bl_arena *arena,
				    const struct bl_rego_policies *policies,
				    size_t *out_percent)
{
	struct report report = { .arena = arena };
	struct bl_object_builder all;
	struct bl_object_builder files;
	struct lines sum = { 0 };

	report.spots =
		bl_arena_new_array(arena, struct spot, coverage->count + 1u);
	if (!report.spots)
		return bl_value_undefined();
	bl_rego_each_mark(policies, collect, &report);
	if (report.count)
		qsort(report.spots, report.count, sizeof(*report.spots),
		      compare_spots);
	bl_object_builder_init(&files, arena);
	for (size_t from = 0, to; from < report.count; from = to) {
		struct bl_str name = report.spots[from].mark->file;

		for (to = from;
		     to < report.count &&
		     bl_str_equal(report.spots[to].mark->file, name);)
			to++;
		bl_object_builder_add(
			&files, name,
			report_file(coverage, &report, from, to, &sum));
	}
	bl_rego_each_file(policies, add_empty_file,
			  &(struct file_list){ &files, &report });
	bl_object_builder_init(&all, arena);
	bl_object_builder_add(&all, BL_STR("files"),
			      bl_object_builder_end(&files));
	add_lines(&all, sum, true);
	if (out_percent)
		*out_percent = percent(sum);
	return bl_object_builder_end(&all);
}
