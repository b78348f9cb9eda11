/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/rego/table.c: answers for people, as `opa eval --format pretty` has them: a
 * value alone, or a table with a column for each variable and statement.
 */
#include "base/utf8.h"
#include "cli/rego/formats.h"
#include "json/json.h"

enum { MAX_COLUMNS = 256 };

struct column {
	struct bl_str name;
	size_t statement; /* SIZE_MAX: it is a variable */
	size_t width;
};

struct table {
	struct cli *cli;
	struct bl_value answer;
	struct column columns[MAX_COLUMNS];
	size_t count;
};

/* ---- columns ------------------------------------------------------------ */

/* Keeps the columns sorted by name. */
static void add_column(struct table *table, struct bl_str name,
		       size_t statement)
{
	size_t at = table->count;

	if (at == MAX_COLUMNS)
		return;
	for (; at && bl_str_compare(table->columns[at - 1].name, name) > 0;
	     at--)
		table->columns[at] = table->columns[at - 1];
	table->columns[at] = (struct column){ name, statement, 0 };
	table->count++;
}

static struct bl_value find(struct bl_value solution, const char *part)
{
	return bl_object_find(solution, bl_str(part));
}

static bool is_boolean(struct bl_value statement)
{
	return bl_value_is(find(statement, "value"), BL_KIND_BOOLEAN);
}

static struct bl_value cell(const struct table *table, size_t row,
			    const struct column *column)
{
	struct bl_value solution = bl_value_item(table->answer, row);

	if (column->statement == SIZE_MAX)
		return bl_object_find(find(solution, "bindings"), column->name);
	return find(
		bl_value_item(find(solution, "expressions"), column->statement),
		"value");
}

/* Beside variables, a statement that only is true or false tells nothing. */
static void add_columns(struct table *table)
{
	struct bl_value first = bl_value_item(table->answer, 0);
	struct bl_value bindings = find(first, "bindings");
	struct bl_value statements = find(first, "expressions");

	for (size_t i = 0; i < bl_value_count(bindings); i++)
		add_column(table, bl_value_text(bl_object_key(bindings, i)),
			   SIZE_MAX);
	for (size_t i = 0; i < bl_value_count(statements); i++) {
		struct bl_value one = bl_value_item(statements, i);

		if (!bl_value_count(bindings) || !is_boolean(one))
			add_column(table, bl_value_text(find(one, "text")), i);
	}
}

/* ---- printing ----------------------------------------------------------- */

static bool is_wide(uint32_t rune)
{
	static const struct {
		uint32_t from, to;
	} wide[] = {
		{ 0x1100, 0x115f },   { 0x2e80, 0xa4cf },
		{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f },
		{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
	};

	for (size_t i = 0; i < BL_COUNT(wide); i++)
		if (rune >= wide[i].from && rune <= wide[i].to)
			return true;
	return false;
}

/* Columns of a terminal. */
static size_t width_of(struct bl_str text)
{
	size_t width = 0;

	for (size_t at = 0; at < text.len;) {
		uint32_t rune = 0;
		size_t len = bl_utf8_decode(text, at, &rune);

		width += is_wide(rune) ? 2 : 1;
		at += len ? len : 1;
	}
	return width;
}

/* One line: line ends of a statement are blanks. */
static struct bl_str heading(const struct table *table, struct bl_str text)
{
	char *copy = bl_arena_alloc(&table->cli->arena, text.len + 1);

	for (size_t i = 0; copy && i < text.len; i++)
		copy[i] = (unsigned char)text.ptr[i] < ' ' ? ' ' : text.ptr[i];
	return (struct bl_str){ copy, copy ? text.len : 0 };
}

static struct bl_str cell_text(const struct table *table, size_t row,
			       const struct column *column)
{
	struct bl_buf buf;
	struct bl_str text;

	bl_buf_init(&buf, 0);
	bl_json_write(&buf, cell(table, row, column), BL_JSON_COMPACT);
	text = bl_arena_copy_str(&table->cli->arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return text;
}

static void measure(struct table *table)
{
	for (size_t c = 0; c < table->count; c++) {
		struct column *column = &table->columns[c];

		column->width = width_of(column->name);
		for (size_t i = 0; i < bl_value_count(table->answer); i++) {
			size_t width = width_of(cell_text(table, i, column));

			if (width > column->width)
				column->width = width;
		}
	}
}

static void put_border(const struct table *table, const char *left,
		       const char *middle, const char *right)
{
	struct bl_buf *out = &table->cli->out;

	for (size_t c = 0; c < table->count; c++) {
		bl_buf_puts(out, c ? middle : left);
		for (size_t i = 0; i < table->columns[c].width + 2; i++)
			bl_buf_puts(out, "─");
	}
	bl_buf_puts(out, right);
	bl_buf_put_char(out, '\n');
}

static void put_cell(const struct table *table, const struct column *column,
		     struct bl_str text, bool centred)
{
	size_t spare = column->width - width_of(text);
	size_t left = centred ? spare / 2 : 0;

	bl_buf_printf(&table->cli->out, "│ %*s%.*s%*s ", (int)left, "",
		      BL_STR_ARG(text), (int)(spare - left), "");
}

static void put_table(struct table *table)
{
	struct bl_buf *out = &table->cli->out;

	measure(table);
	put_border(table, "┌", "┬", "┐");
	for (size_t c = 0; c < table->count; c++)
		put_cell(table, &table->columns[c],
			 heading(table, table->columns[c].name), true);
	bl_buf_puts(out, "│\n");
	put_border(table, "├", "┼", "┤");
	for (size_t i = 0; i < bl_value_count(table->answer); i++) {
		for (size_t c = 0; c < table->count; c++)
			put_cell(table, &table->columns[c],
				 cell_text(table, i, &table->columns[c]),
				 false);
		bl_buf_puts(out, "│\n");
	}
	put_border(table, "└", "┴", "┘");
}

/* One solution without variables, of one statement or of mere tests. */
static bool is_plain(struct bl_value answer)
{
	struct bl_value first = bl_value_item(answer, 0);
	struct bl_value statements = find(first, "expressions");

	if (bl_value_count(answer) > 1 ||
	    bl_value_count(find(first, "bindings")))
		return false;
	for (size_t i = 0; i < bl_value_count(statements); i++)
		if (!is_boolean(bl_value_item(statements, i)))
			return bl_value_count(statements) == 1;
	return bl_value_count(statements) > 0;
}

void cli_put_rego_table(struct cli *cli, struct bl_value answer)
{
	struct table table = { .cli = cli, .answer = answer };

	if (!bl_value_count(answer)) {
		bl_buf_puts(&cli->out, "undefined\n");
	} else if (is_plain(answer)) {
		bl_json_write(&cli->out, cell(&table, 0, &(struct column){ 0 }),
			      BL_JSON_PRETTY);
		bl_buf_put_char(&cli->out, '\n');
	} else {
		add_columns(&table);
		put_table(&table);
	}
}
