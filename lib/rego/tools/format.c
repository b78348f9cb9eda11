/* SPDX-License-Identifier: Apache-2.0 */
/* Modules as `opa fmt` lays them out: lines, comments, imports. */
#include "rego/tools/format.h"

#include <stdlib.h>
#include "rego/compiler/parse/print.h"

#include "rego/tools/tools.h"
#include "rego/compiler/parse/lexer.h"

/* ---- rows --------------------------------------------------------------- */

int bl_format_row(const struct bl_formatter *f, uint32_t offset)
{
	size_t low = 0;
	size_t high = f->line_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->line_ends[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return (int)low;
}

/* A term in parentheses is where the first thing inside them is. */
int bl_format_term_row(const struct bl_formatter *f,
		       const struct bl_rego_term *term)
{
	struct bl_str text = f->module->text;
	size_t at = term->range.from;

	if (term == f->moved)
		return f->moved_row;
	while (at < term->range.to && strchr("( \t\r\n", text.ptr[at]))
		at++;
	return bl_format_row(f, (uint32_t)at);
}

/* The end of the pair that opens at or behind at, or to. */
static size_t pair_end(struct bl_str text, size_t at, size_t to,
		       const char *pair)
{
	size_t depth = 0;

	for (; at < to; at++) {
		if (text.ptr[at] == pair[0])
			depth++;
		else if (text.ptr[at] == pair[1] && depth && --depth == 0)
			return at;
	}
	return to;
}

int bl_format_closing_row(const struct bl_formatter *f,
			  struct bl_rego_range range, const char *skip,
			  const char *pair)
{
	struct bl_str text = f->module->text;
	size_t at = range.from;

	if (skip)
		at = pair_end(text, at, range.to, skip);
	at = pair_end(text, at, range.to, pair);
	return at < range.to ? bl_format_row(f, (uint32_t)at)
			     : BL_FORMAT_NO_ROW;
}

bool bl_format_has_made_name(const struct bl_formatter *f,
			     struct bl_rego_range range)
{
	struct bl_str text = bl_str_slice(f->module->text, 0, range.to);
	size_t at = bl_str_find(text, BL_STR("__local"), range.from);

	/* Not in the middle of a name, behind a "." or in a string. */
	while (at != SIZE_MAX && at > 0 &&
	       (strchr("_.\"", text.ptr[at - 1]) ||
		bl_rego_is_plain_name(bl_str_slice(text, at - 1, at))))
		at = bl_str_find(text, BL_STR("__local"), at + 1);
	return at != SIZE_MAX;
}

/* ---- lines -------------------------------------------------------------- */

void bl_format_put(struct bl_formatter *f, const char *text)
{
	bl_buf_puts(f->out, text);
}

void bl_format_start_line(struct bl_formatter *f)
{
	f->in_line = true;
	for (unsigned i = 0; i < f->level; i++)
		bl_format_put(f, "\t");
}

/* A comment without the blanks at its end. */
static struct bl_str comment_text(const struct bl_formatter *f, size_t index)
{
	const struct bl_rego_comment *comment = &f->module->comments[index];
	uint32_t to = comment->to;

	while (to > comment->from &&
	       strchr(" \t\r\v\f", f->module->text.ptr[to - 1]))
		to--;
	return bl_str_slice(f->module->text, comment->from, to);
}

void bl_format_end_line(struct bl_formatter *f)
{
	f->in_line = false;
	if (f->pending != BL_FORMAT_NONE && !f->delayed) {
		bl_format_put(f, " ");
		bl_buf_put_str(f->out, comment_text(f, f->pending));
		f->pending = BL_FORMAT_NONE;
	}
	f->delayed = false;
	bl_format_put(f, "\n");
}

void bl_format_blank_line(struct bl_formatter *f)
{
	if (f->in_line)
		bl_format_end_line(f);
	bl_format_put(f, "\n");
}

/* ---- comments ----------------------------------------------------------- */

static int comment_row(const struct bl_formatter *f, size_t index)
{
	return bl_format_row(f, f->module->comments[index].from);
}

static bool is_metadata(struct bl_str comment)
{
	return bl_str_is(bl_str_trim(bl_str_slice(comment, 1, SIZE_MAX)),
			 "METADATA");
}

/* The next comment that is not taken; comment_count when absent. */
static size_t next_comment(struct bl_formatter *f)
{
	while (f->next < f->module->comment_count && f->taken[f->next])
		f->next++;
	return f->next;
}

/* Comments of rows before row on lines of their own.  The row of the last. */
static int put_comments_before(struct bl_formatter *f, int row)
{
	bool in_metadata = false;
	int last = BL_FORMAT_NO_ROW;

	for (;;) {
		size_t index = next_comment(f);
		struct bl_str text;
		int at;

		if (index == f->module->comment_count)
			return last;
		at = comment_row(f, index);
		if (at >= row)
			return last;
		text = comment_text(f, index);
		if (last != BL_FORMAT_NO_ROW && at - last > 1) {
			bl_format_blank_line(f);
			in_metadata = false;
		} else if (last != BL_FORMAT_NO_ROW && in_metadata &&
			   is_metadata(text)) {
			bl_format_blank_line(f);
		}
		in_metadata = in_metadata || is_metadata(text);
		if (!f->in_line)
			bl_format_start_line(f);
		bl_buf_put_str(f->out, text);
		bl_format_end_line(f);
		f->next++;
		last = at;
	}
}

bool bl_format_comments(struct bl_formatter *f, int row)
{
	int last = put_comments_before(f, row);
	size_t index = next_comment(f);

	if (last != BL_FORMAT_NO_ROW && row - last > 1)
		bl_format_blank_line(f);
	if (index == f->module->comment_count || comment_row(f, index) != row)
		return true;
	if (f->pending != BL_FORMAT_NONE) {
		f->pending = BL_FORMAT_NONE;
		return false;
	}
	f->pending = index;
	f->next++;
	return true;
}

bool bl_format_comment_between(const struct bl_formatter *f, int from, int to)
{
	for (size_t i = f->next; i < f->module->comment_count; i++) {
		int row = comment_row(f, i);

		if (row >= to)
			return false;
		if (row > from && !f->taken[i])
			return true;
	}
	return false;
}

struct bl_format_mark bl_format_mark(const struct bl_formatter *f)
{
	return (struct bl_format_mark){ f->out->len, f->next, f->level,
					f->in_line };
}

void bl_format_as_it_stands(struct bl_formatter *f, struct bl_format_mark mark,
			    struct bl_rego_range range)
{
	int first = bl_format_row(f, range.from);
	int last = bl_format_row(f, range.to ? range.to - 1 : 0);
	size_t index;

	f->out->len = mark.len;
	f->level = mark.level;
	f->next = mark.next;
	if (f->pending != BL_FORMAT_NONE &&
	    comment_row(f, f->pending) >= first &&
	    comment_row(f, f->pending) <= last)
		f->pending = BL_FORMAT_NONE;
	if (!mark.in_line)
		bl_format_start_line(f);
	f->in_line = true;
	bl_buf_put_str(f->out,
		       bl_str_slice(f->module->text, range.from, range.to));
	while ((index = next_comment(f)) < f->module->comment_count &&
	       f->module->comments[index].from < range.to)
		f->next++;
	if (f->take_last_comment && index < f->module->comment_count &&
	    comment_row(f, index) == last) {
		bl_format_put(f, " ");
		bl_buf_put_str(f->out, comment_text(f, index));
		f->next++;
	}
}

/* ---- imports ------------------------------------------------------------ */

static struct bl_str import_part(const struct bl_rego_import *import, size_t i)
{
	const struct bl_rego_term *path = import->path;
	const struct bl_str none = { NULL, 0 };

	if (path->kind == BL_TERM_VAR)
		return i ? none : path->as.name;
	if (i >= path->count)
		return none;
	return i ? bl_value_text(path->as.items[i]->as.value)
		 : path->as.items[0]->as.name;
}

static int compare_imports(const struct bl_rego_import *a,
			   const struct bl_rego_import *b)
{
	for (size_t i = 0;; i++) {
		struct bl_str left = import_part(a, i);
		struct bl_str right = import_part(b, i);
		int order;

		if (!left.ptr && !right.ptr)
			return bl_str_compare(a->alias, b->alias);
		if (!left.ptr || !right.ptr)
			return left.ptr ? 1 : -1;
		order = bl_str_compare(left, right);
		if (order)
			return order;
	}
}

struct import_line {
	const struct bl_rego_import *import;
	uint32_t from; /* where it is in the text, or would be */
	int row;
	bool added; /* by the formatter */
	size_t comment;
};

/* The comment that stands behind import, or NONE; from then on it is taken. */
static size_t take_comment(struct bl_formatter *f,
			   const struct import_line *line)
{
	for (size_t i = f->next; !line->added && i < f->module->comment_count;
	     i++) {
		if (comment_row(f, i) > line->row)
			break;
		if (comment_row(f, i) == line->row) {
			f->taken[i] = true;
			return i;
		}
	}
	return BL_FORMAT_NONE;
}

static int compare_lines(const void *left, const void *right)
{
	const struct import_line *a = left;
	const struct import_line *b = right;
	int order = compare_imports(a->import, b->import);

	if (order)
		return order;
	return a->from < b->from ? -1 : 1;
}

static void put_import(struct bl_formatter *f, const struct import_line *line)
{
	bl_format_start_line(f);
	bl_format_put(f, "import ");
	bl_format_ref(f, line->import->path);
	if (line->import->alias.len)
		bl_buf_printf(f->out, " as %.*s",
			      BL_STR_ARG(line->import->alias));
	if (line->comment != BL_FORMAT_NONE) {
		bl_format_put(f, " ");
		bl_buf_put_str(f->out, comment_text(f, line->comment));
	}
	bl_format_end_line(f);
}

/* One group of imports, sorted. */
static void put_group(struct bl_formatter *f, struct import_line *lines,
		      size_t count)
{
	bl_format_comments(f, lines[0].row);
	qsort(lines, count, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < count; i++)
		put_import(f, &lines[i]);
	bl_format_blank_line(f);
}

static void put_imports(struct bl_formatter *f, struct import_line *lines,
			size_t count)
{
	size_t from = 0;

	for (size_t i = 0; i < count; i++)
		lines[i].comment = take_comment(f, &lines[i]);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && lines[i].row - lines[i - 1].row <= 1)
			continue;
		put_group(f, lines + from, i - from);
		from = i;
	}
}

/* "import future.keywords.name"; NULL: memory. */
static struct bl_rego_import *make_import(struct bl_arena *arena,
					  const char *name)
{
	struct bl_rego_import *import =
		bl_arena_new(arena, struct bl_rego_import);
	struct bl_rego_term *path = bl_arena_new(arena, struct bl_rego_term);
	struct bl_rego_term *parts =
		bl_arena_new_array(arena, struct bl_rego_term, 3);
	struct bl_rego_term **items =
		bl_arena_new_array(arena, struct bl_rego_term *, 3);

	if (!import || !path || !parts || !items)
		return NULL;
	for (size_t i = 0; i < 3; i++)
		items[i] = &parts[i];
	parts[0].kind = BL_TERM_VAR;
	parts[0].as.name = BL_STR("future");
	parts[1].as.value = bl_value_string(BL_STR("keywords"));
	parts[2].as.value = bl_value_string(bl_str(name));
	path->kind = BL_TERM_REF;
	path->count = 3;
	path->as.items = items;
	import->path = path;
	return import;
}

/* The offset where row begins, at most the end of the text. */
static uint32_t row_start(const struct bl_formatter *f, int row)
{
	if (!row)
		return 0;
	return (size_t)row <= f->line_count ? f->line_ends[row - 1] + 1
					    : (uint32_t)f->module->text.len;
}

enum { MOST_KEYWORDS = 3, MOST_ADDED = 4 /* and rego.v1 */ };

/*
 * "import rego.v1" makes idle all imports of keywords; those that it does not
 * bring and that are in use are written in the rows behind it.
 */
static bool add_keywords(struct bl_formatter *f, struct bl_arena *arena,
			 struct import_line *lines, size_t *count)
{
	static const struct {
		unsigned keyword;
		const char *name;
	} names[MOST_KEYWORDS] = {
		{ BL_KEYWORD_AND, "and" },
		{ BL_KEYWORD_NOT_BODY, "not" },
		{ BL_KEYWORD_OR, "or" },
	};
	const struct bl_rego_module *module = f->module;
	unsigned used = bl_rego_used_keywords(module);
	int row = 0;

	if (!bl_rego_has_import(module, "rego", "v1") ||
	    bl_rego_has_import(module, "rego", "v2"))
		return true;
	for (size_t i = 0; i < *count; i++)
		if (bl_rego_path_begins(lines[i].import->path, "rego", "v1"))
			row = lines[i].row;
	for (size_t i = 0; i < MOST_KEYWORDS; i++) {
		struct import_line *line = &lines[*count];

		if (!(used & names[i].keyword))
			continue;
		row++;
		*line = (struct import_line){
			.import = make_import(arena, names[i].name),
			.from = row_start(f, row),
			.row = row,
			.added = true,
		};
		if (!line->import)
			return false;
		(*count)++;
	}
	return true;
}

/* As they stand in the text; what was added comes last of a place. */
static void sort_by_place(struct import_line *lines, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct import_line line = lines[i];
		size_t at = i;

		for (; at > 0 && (lines[at - 1].from > line.from ||
				  (lines[at - 1].from == line.from &&
				   lines[at - 1].row > line.row));
		     at--)
			lines[at] = lines[at - 1];
		lines[at] = line;
	}
}

/* The lines of imports in order of place; count is set, NULL: memory. */
static struct import_line *find_imports(struct bl_formatter *f,
					struct bl_arena *arena, size_t *count)
{
	const struct bl_rego_module *module = f->module;
	struct import_line *lines = bl_arena_new_array(
		arena, struct import_line, module->import_count + MOST_ADDED);

	*count = 0;
	for (size_t i = 0; lines && i < module->import_count; i++) {
		const struct bl_rego_import *import = &module->imports[i];

		if (!bl_rego_import_is_idle(module, import))
			lines[(*count)++] = (struct import_line){
				.import = import,
				.from = import->range.from,
				.row = bl_format_row(f, import->range.from),
				.added = import->range.from == import->range.to,
			};
	}
	if (!lines || !add_keywords(f, arena, lines, count))
		return NULL;
	sort_by_place(lines, *count);
	return lines;
}

/*
 * Added imports must not be behind a rule; otherwise all of it comes first.
 * Says how many lines of the front are written.
 */
static size_t put_added_first(struct bl_formatter *f, struct import_line *lines,
			      size_t count)
{
	const struct bl_rego_module *module = f->module;
	struct import_line added[MOST_ADDED];
	size_t found = 0;
	bool behind = false;

	for (size_t i = 0; i < count; i++)
		if (lines[i].added && module->rule_count &&
		    lines[i].row >=
			    bl_format_row(f, module->rules[0]->range.from))
			behind = true;
	if (!behind)
		return 0;
	for (size_t i = count; i > 0; i--) {
		if (lines[i - 1].added)
			added[found++] = lines[i - 1];
		else
			lines[i - 1 + found] = lines[i - 1];
	}
	for (size_t i = 0; i < found; i++)
		lines[found - 1 - i] = added[i];
	put_imports(f, lines, found);
	return found;
}

/* ---- modules ------------------------------------------------------------ */

static void put_statements(struct bl_formatter *f, struct import_line *lines,
			   size_t import_count)
{
	const struct bl_rego_module *module = f->module;
	size_t rule = 0;
	size_t import = 0;

	while (rule < module->rule_count || import < import_count) {
		size_t first = import;

		while (import < import_count &&
		       (rule == module->rule_count ||
			lines[import].from < module->rules[rule]->range.from))
			import++;
		if (import > first)
			put_imports(f, lines + first, import - first);
		first = rule;
		while (rule < module->rule_count &&
		       (import == import_count ||
			module->rules[rule]->range.from < lines[import].from))
			rule++;
		bl_format_rules(f, module->rules + first, rule - first);
	}
}

static void put_module(struct bl_formatter *f, struct import_line *lines,
		       size_t import_count)
{
	const struct bl_rego_module *module = f->module;
	size_t first;

	for (size_t i = 0; i < module->rule_count; i++) {
		const struct bl_rego_rule *rule = module->rules[i];

		if (rule->name->kind == BL_TERM_REF &&
		    rule->name->count > (rule->contains ? 1U : 2U))
			f->long_names = true;
	}
	bl_format_comments(f, bl_format_row(f, module->package_from));
	bl_format_start_line(f);
	bl_format_put(f, "package ");
	bl_format_ref(f, module->package);
	bl_format_blank_line(f);
	first = put_added_first(f, lines, import_count);
	put_statements(f, lines + first, import_count - first);
	/* Those behind everything stand without blank lines between them. */
	while (next_comment(f) < module->comment_count) {
		if (!f->in_line)
			bl_format_start_line(f);
		bl_buf_put_str(f->out, comment_text(f, f->next++));
		bl_format_end_line(f);
	}
	while (f->out->len > 1 && f->out->ptr[f->out->len - 1] == '\n')
		f->out->len--;
	bl_format_put(f, "\n");
}

static const uint32_t *find_lines(struct bl_arena *arena, struct bl_str text,
				  size_t *out_count)
{
	size_t count = 0;
	uint32_t *ends;

	for (size_t i = 0; i < text.len; i++)
		count += text.ptr[i] == '\n';
	ends = bl_arena_new_array(arena, uint32_t, count + 1);
	*out_count = count;
	for (size_t i = text.len; ends && i > 0; i--)
		if (text.ptr[i - 1] == '\n')
			ends[--count] = (uint32_t)(i - 1);
	return ends;
}

/* Of a set of texts: the order does not matter. */
static void add_to_sum(uint64_t *sum, struct bl_str text)
{
	uint64_t hash = 1469598103934665603U;

	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (uint8_t)text.ptr[i]) * 1099511628211U;
	*sum += hash;
}

/* Comments and imports, which are sorted, as sums; the rules as text. */
struct digest {
	uint64_t comments;
	uint64_t imports;
	struct bl_buf rules;
};

static void make_digest(const struct bl_rego_module *module, struct digest *out)
{
	struct bl_buf line;

	*out = (struct digest){ 0 };
	bl_buf_init(&line, 0);
	bl_buf_init(&out->rules, 0);
	for (size_t i = 0; i < module->comment_count; i++)
		add_to_sum(&out->comments,
			   bl_str_trim(bl_str_slice(module->text,
						    module->comments[i].from,
						    module->comments[i].to)));
	for (size_t i = 0; i < module->import_count; i++) {
		if (bl_rego_import_is_idle(module, &module->imports[i]))
			continue;
		bl_buf_reset(&line);
		bl_rego_print_import(&line, &module->imports[i]);
		add_to_sum(&out->imports, bl_buf_str(&line));
	}
	bl_rego_print_rules(&out->rules, module);
	bl_buf_clear(&line);
}

/* Is the text the same policy, with the same comments? */
static enum bl_status check_result(struct bl_arena *arena,
				   const struct bl_rego_module *module,
				   struct bl_str text, struct bl_error *err)
{
	const struct bl_rego_module *again;
	struct digest old;
	struct digest new;
	size_t offset;
	enum bl_status status = bl_rego_parse(arena, module->file, text,
					      module->v0, &again, &offset, err);

	if (status == BL_NO_MEMORY)
		return status;
	if (status)
		return bl_fail(err, BL_UNSUPPORTED,
			       "what was formatted does not parse");
	make_digest(module, &old);
	make_digest(again, &new);
	if (bl_buf_status(&old.rules) || bl_buf_status(&new.rules))
		status = bl_fail(err, BL_NO_MEMORY, "out of memory");
	else if (old.comments != new.comments)
		status = bl_fail(err, BL_UNSUPPORTED,
				 "a comment would get lost");
	else if (old.imports != new.imports ||
		 !bl_str_equal(bl_buf_str(&old.rules), bl_buf_str(&new.rules)))
		status = bl_fail(err, BL_UNSUPPORTED,
				 "what was formatted is not the same policy");
	bl_buf_clear(&old.rules);
	bl_buf_clear(&new.rules);
	return status;
}

enum bl_status bl_rego_format(struct bl_arena *arena,
			      const struct bl_rego_module *module,
			      struct bl_buf *out, struct bl_error *err)
{
	struct bl_formatter f = {
		.out = out,
		.module = module,
		.pending = BL_FORMAT_NONE,
		.taken = bl_arena_new_array(arena, bool,
					    module->comment_count + 1),
	};
	struct import_line *lines;
	size_t import_count;
	size_t from = out->len;

	f.line_ends = find_lines(arena, module->text, &f.line_count);
	if (!f.line_ends || !f.taken)
		return bl_arena_fail(arena, err);
	lines = find_imports(&f, arena, &import_count);
	if (!lines)
		return bl_arena_fail(arena, err);
	put_module(&f, lines, import_count);
	if (bl_buf_status(out))
		return bl_fail(err, bl_buf_status(out), "out of memory");
	return check_result(arena, module,
			    bl_str_slice(bl_buf_str(out), from, SIZE_MAX), err);
}
