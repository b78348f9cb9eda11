/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: how often and how long each statement ran (--profile). */
#include "cli/rego/profile.h"

#include <stdlib.h>

#include "os/os.h"

enum { MAX_SHOWN = 60 /* bytes of a statement in the table */ };

struct cli_profile *cli_profile_new(struct bl_arena *arena)
{
	struct cli_profile *profile = bl_arena_new(arena, struct cli_profile);

	if (!profile)
		return NULL;
	profile->arena = arena;
	for (size_t i = 0; i < CLI_PROFILE_DEPTH; i++)
		profile->open[i] = UINT32_MAX;
	cli_profile_resume(profile);
	return profile;
}

void cli_profile_resume(struct cli_profile *profile)
{
	profile->since_ns = bl_os_monotonic_ns();
}

/* ---- while it runs -------------------------------------------------------- */

static bool make_room(struct cli_profile *profile, uint32_t number)
{
	size_t count = profile->count ? profile->count : 64;
	struct cli_profile_row *bigger;

	if (number < profile->count)
		return true;
	while (count <= number)
		count *= 2;
	bigger = bl_arena_new_array(profile->arena, struct cli_profile_row,
				    count);
	if (!bigger) {
		profile->out_of_memory = true;
		return false;
	}
	if (profile->count)
		memcpy(bigger, profile->rows, profile->count * sizeof(*bigger));
	profile->rows = bigger;
	profile->count = count;
	return true;
}

/* Marks of the query end with it, so what they say is copied. */
static void name_row(struct cli_profile *profile, struct cli_profile_row *row,
		     const struct bl_rego_mark *mark)
{
	row->mark = *mark;
	row->mark.path = bl_arena_copy_str(profile->arena, mark->path);
	row->mark.file = bl_arena_copy_str(profile->arena, mark->file);
	row->mark.text = bl_arena_copy_str(profile->arena, mark->text);
	profile->out_of_memory |= !row->mark.path.ptr || !row->mark.file.ptr ||
				  !row->mark.text.ptr;
}

void cli_profile_notice(struct cli_profile *profile,
			const struct bl_rego_event *event)
{
	int64_t passed = bl_os_monotonic_ns() - profile->since_ns;
	uint32_t depth = event->depth < CLI_PROFILE_DEPTH
				 ? event->depth
				 : CLI_PROFILE_DEPTH - 1;
	bool begins =
		event->kind == BL_REGO_ENTER || event->kind == BL_REGO_EVAL;
	uint32_t payer = event->mark_number;
	struct cli_profile_row *row;

	if (!make_room(profile, event->mark_number))
		return;
	row = &profile->rows[event->mark_number];
	if (!row->mark.text.ptr)
		name_row(profile, row, event->mark);
	/* Until a rule begins, time is that of the statement that calls it. */
	if (begins)
		payer = profile->open[event->kind == BL_REGO_ENTER && depth
					      ? depth - 1
					      : depth];
	if (payer < profile->count)
		profile->rows[payer].time_ns += passed;
	row->evals += begins;
	row->held += event->kind == BL_REGO_HELD || event->kind == BL_REGO_EXIT;
	if (begins || event->kind == BL_REGO_HELD)
		profile->open[depth] = event->mark_number;
}

/* ---- report --------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct bl_rego_mark *x =
		&((const struct cli_profile_row *)a)->mark;
	const struct bl_rego_mark *y =
		&((const struct cli_profile_row *)b)->mark;
	int order = bl_str_compare(x->file, y->file);

	if (!order)
		order = compare_numbers(x->line, y->line);
	if (!order)
		order = compare_numbers(x->column, y->column);
	return order ? order : y->is_rule - x->is_rule;
}

static int by_line(const void *a, const void *b)
{
	const struct cli_profile_row *x = a;
	const struct cli_profile_row *y = b;
	int order = compare_numbers(x->mark.line, y->mark.line);

	return order ? order : by_place(a, b);
}

static int by_time(const void *a, const void *b)
{
	const struct cli_profile_row *x = a;
	const struct cli_profile_row *y = b;
	int order = compare_numbers((uint64_t)y->time_ns, (uint64_t)x->time_ns);

	return order ? order : by_place(a, b);
}

static int by_evals(const void *a, const void *b)
{
	const struct cli_profile_row *x = a;
	const struct cli_profile_row *y = b;
	int order = compare_numbers(y->evals, x->evals);

	return order ? order : by_time(a, b);
}

static int by_held(const void *a, const void *b)
{
	const struct cli_profile_row *x = a;
	const struct cli_profile_row *y = b;
	int order = compare_numbers(y->held, x->held);

	return order ? order : by_time(a, b);
}

static const struct {
	const char *name;
	int (*compare)(const void *a, const void *b);
} keys[] = {
	{ "total_time_ns", by_time }, { "num_eval", by_evals },
	{ "num_held", by_held },      { "file", by_place },
	{ "line", by_line },
};

static size_t find_key(struct bl_str key)
{
	size_t i = 0;

	while (key.ptr && i < BL_COUNT(keys) && !bl_str_is(key, keys[i].name))
		i++;
	return i;
}

bool cli_profile_has_key(struct bl_str key)
{
	return find_key(key) < BL_COUNT(keys);
}

/* Rows that began, those of one place as one. */
static size_t fold(struct cli_profile_row *rows, size_t count)
{
	size_t named = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].mark.text.ptr)
			rows[named++] = rows[i];
	if (named)
		qsort(rows, named, sizeof(*rows), by_place);
	for (size_t i = 0; i < named; i++) {
		if (kept && !by_place(&rows[kept - 1], &rows[i])) {
			rows[kept - 1].time_ns += rows[i].time_ns;
			rows[kept - 1].evals += rows[i].evals;
			rows[kept - 1].held += rows[i].held;
		} else {
			rows[kept++] = rows[i];
		}
	}
	return kept;
}

enum bl_status cli_profile_finish(struct cli_profile *profile,
				  struct bl_str key, uint64_t limit,
				  struct bl_error *err)
{
	if (profile->out_of_memory)
		return bl_arena_fail(profile->arena, err);
	profile->count = fold(profile->rows, profile->count);
	if (profile->count)
		qsort(profile->rows, profile->count, sizeof(*profile->rows),
		      keys[find_key(key)].compare);
	if (profile->count > limit)
		profile->count = (size_t)limit;
	return BL_OK;
}

static struct bl_str shown_text(const struct bl_rego_mark *mark)
{
	struct bl_str text = mark->is_rule ? mark->path : mark->text;
	size_t len = 0;

	while (len < text.len && len < MAX_SHOWN && text.ptr[len] != '\n')
		len++;
	/* Never in the middle of a character. */
	while (len && len < text.len &&
	       ((unsigned char)text.ptr[len] & 0xc0) == 0x80)
		len--;
	return bl_str_slice(text, 0, len);
}

static struct bl_value row_value(const struct cli_profile_row *row,
				 struct bl_arena *arena)
{
	struct bl_object_builder place;
	struct bl_object_builder one;

	bl_object_builder_init(&place, arena);
	bl_object_builder_add(&place, BL_STR("file"),
			      bl_value_string(row->mark.file));
	bl_object_builder_add(&place, BL_STR("row"),
			      bl_value_integer(row->mark.line));
	bl_object_builder_add(&place, BL_STR("col"),
			      bl_value_integer(row->mark.column));
	bl_object_builder_init(&one, arena);
	bl_object_builder_add(&one, BL_STR("total_time_ns"),
			      bl_value_integer(row->time_ns));
	bl_object_builder_add(&one, BL_STR("num_eval"),
			      bl_value_integer((int64_t)row->evals));
	bl_object_builder_add(&one, BL_STR("num_held"),
			      bl_value_integer((int64_t)row->held));
	bl_object_builder_add(&one, BL_STR("location"),
			      bl_object_builder_end(&place));
	bl_object_builder_add(&one, BL_STR("text"),
			      bl_value_string(row->mark.is_rule
						      ? row->mark.path
						      : row->mark.text));
	return bl_object_builder_end(&one);
}

struct bl_value cli_profile_value(const struct cli_profile *profile)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, profile->arena);
	for (size_t i = 0; i < profile->count; i++)
		bl_array_builder_add(
			&list, row_value(&profile->rows[i], profile->arena));
	return bl_array_builder_end(&list);
}

void cli_profile_put(const struct cli_profile *profile, struct bl_buf *out)
{
	bl_buf_printf(out, "%12s %9s %9s  %s\n", "time (ns)", "evaluated",
		      "held", "statement");
	for (size_t i = 0; i < profile->count; i++) {
		const struct cli_profile_row *row = &profile->rows[i];

		bl_buf_printf(out, "%12lld %9llu %9llu  ",
			      (long long)row->time_ns,
			      (unsigned long long)row->evals,
			      (unsigned long long)row->held);
		cli_put_text(out, 0,
			     row->mark.file.len ? row->mark.file
						: BL_STR("query"));
		bl_buf_printf(out, ":%u: ", row->mark.line);
		cli_put_text(out, 0, shown_text(&row->mark));
		bl_buf_put_char(out, '\n');
	}
}
