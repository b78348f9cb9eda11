/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_make.c: the recipes of a Makefile, each line as make hands it to a shell.
 * Variables of the file are put in; what make itself computes becomes a
 * variable of the shell that nobody knows.
 *
 *   OUT := build
 *   clean:
 *   	@rm -rf $(OUT) $@        ->   rm -rf build ${make_target}
 */
#include "cli/scan.h"

#include "effects/effects.h"

enum { MOST_DEPTH = 8, MOST_BYTES = 64 << 10 };

static bool is_name(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '_')
			return false;
	}
	return text.len > 0;
}

static void put_expanded(struct bl_buf *out, struct bl_str file,
			 struct bl_str text, int depth);

/* $(NAME) and $(function ...), by what is between the brackets. */
static void put_reference(struct bl_buf *out, struct bl_str file,
			  struct bl_str inside, int depth)
{
	struct bl_str value = bl_effects_make_value(file, inside);

	if (bl_str_has_prefix(inside, BL_STR("shell "))) {
		bl_buf_puts(out, "$(");
		put_expanded(out, file, bl_str_slice(inside, 6, SIZE_MAX),
			     depth + 1);
		bl_buf_puts(out, ")");
	} else if (value.ptr && depth < MOST_DEPTH) {
		put_expanded(out, file, value, depth + 1);
	} else {
		bl_buf_printf(out, "${%.*s}",
			      is_name(inside) ? (int)inside.len : 9,
			      is_name(inside) ? inside.ptr : "make_text");
	}
}

/* The index of the bracket that closes the one at open; text.len: none. */
static size_t closing(struct bl_str text, size_t open)
{
	char opens = text.ptr[open];
	char closes = opens == '(' ? ')' : '}';
	size_t depth = 0;

	for (size_t i = open; i < text.len; i++) {
		depth += text.ptr[i] == opens;
		if (text.ptr[i] == closes && !--depth)
			return i;
	}
	return text.len;
}

static void put_expanded(struct bl_buf *out, struct bl_str file,
			 struct bl_str text, int depth)
{
	for (size_t i = 0; i < text.len; i++) {
		char next = i + 1 < text.len ? text.ptr[i + 1] : '\0';
		size_t end;

		if (text.ptr[i] != '$' || !next) {
			bl_buf_put_char(out, text.ptr[i]);
			continue;
		}
		i++;
		if (next == '$') {
			bl_buf_put_char(out, '$');
		} else if (next == '(' || next == '{') {
			end = closing(text, i);
			put_reference(out, file, bl_str_slice(text, i + 1, end),
				      depth);
			i = end;
		} else {
			bl_buf_puts(out, "${make_target}");
		}
	}
}

static enum bl_status add_recipe(struct cli_scan_file *file, struct bl_str line,
				 uint32_t number, struct bl_error *err)
{
	struct bl_buf text;
	struct bl_str copy;
	enum bl_status status;

	while (line.len && strchr("@-+\t ", line.ptr[0]))
		line = bl_str_slice(line, 1, SIZE_MAX);
	bl_buf_init(&text, MOST_BYTES);
	put_expanded(&text, file->text, line, 0);
	status = bl_buf_status(&text);
	copy = bl_arena_copy_str(file->arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	if (status)
		return bl_fail(err, status, "line %u: the recipe is too long",
			       (unsigned)number);
	return copy.ptr ? cli_scan_add(file, copy, number, err)
			: bl_arena_fail(file->arena, err);
}

enum bl_status cli_scan_make(struct cli_scan_file *file, struct bl_error *err)
{
	struct bl_str line;
	uint32_t number = 1;
	bool has_rule = false;
	size_t at = 0;
	size_t counted = 0;
	enum bl_status status = BL_OK;

	while (!status && bl_effects_make_line(file->text, &at, &line)) {
		size_t start = (size_t)(line.ptr - file->text.ptr);

		for (; counted < start; counted++)
			number += file->text.ptr[counted] == '\n';
		if (line.len && line.ptr[0] == '\t' && has_rule)
			status = add_recipe(file, line, number, err);
		else if (line.len && line.ptr[0] != '#')
			has_rule |= memchr(line.ptr, ':', line.len) != NULL;
	}
	return status;
}
