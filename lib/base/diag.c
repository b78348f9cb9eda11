/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics: findings with places, and how people see them. */
#include "base/diag.h"

#include "base/text_safe.h"

static const struct {
	const char *name;
	const char *colour;
} severities[] = {
	[BL_SEVERITY_NOTE] = { "note", "\033[36m" },
	[BL_SEVERITY_WARNING] = { "warning", "\033[33m" },
	[BL_SEVERITY_ERROR] = { "error", "\033[31m" },
};

enum { SOURCE_LINE_MAX_BYTES = 160 };

void bl_diags_init(struct bl_diags *diags, struct bl_arena *arena)
{
	*diags = (struct bl_diags){ .arena = arena };
	diags->tail = &diags->first;
}

const char *bl_severity_name(enum bl_severity severity)
{
	return severities[severity].name;
}

struct bl_place bl_place_at(struct bl_str text, size_t offset)
{
	struct bl_place place = { .line = 1, .column = 1, .offset = offset };
	size_t line_start = 0;

	if (offset > text.len)
		place.offset = offset = text.len;
	for (size_t i = 0; i < offset; i++) {
		if (text.ptr[i] == '\n') {
			place.line++;
			line_start = i + 1;
		}
	}
	place.column = (uint32_t)(offset - line_start + 1);
	return place;
}

/* The whole line; empty when it is too long to be worth showing. */
static struct bl_str line_around(struct bl_str text, size_t offset)
{
	size_t from = offset < text.len ? offset : text.len;
	size_t to = from;

	while (from > 0 && text.ptr[from - 1] != '\n')
		from--;
	while (to < text.len && text.ptr[to] != '\n')
		to++;
	if (to > from && text.ptr[to - 1] == '\r')
		to--;
	if (to - from > SOURCE_LINE_MAX_BYTES)
		to = from;
	return bl_str_slice(text, from, to);
}

static void count(struct bl_diags *diags, enum bl_severity severity)
{
	if (severity == BL_SEVERITY_ERROR)
		diags->error_count++;
	else if (severity == BL_SEVERITY_WARNING)
		diags->warning_count++;
}

BL_PRINTF(2, 0)
static struct bl_str format(struct bl_arena *arena, const char *fmt,
			    va_list args)
{
	struct bl_buf buf;
	struct bl_str text;

	bl_buf_init(&buf, 0);
	bl_buf_vprintf(&buf, fmt, args);
	text = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return text;
}

struct bl_diag *bl_diags_add(struct bl_diags *diags, enum bl_severity severity,
			     const char *code,
			     const struct bl_diag_source *source,
			     struct bl_place place, const char *hint,
			     const char *fmt, ...)
{
	struct bl_diag *diag;
	va_list args;

	count(diags, severity);
	if (diags->stored_count == (diags->most ? diags->most : BL_DIAGS_MAX)) {
		diags->dropped_count++;
		return NULL;
	}
	diag = bl_arena_new(diags->arena, struct bl_diag);
	if (!diag) {
		diags->out_of_memory = true;
		return NULL;
	}
	diag->severity = severity;
	diag->code = code;
	diag->place = place;
	diag->file = bl_arena_copy_str(diags->arena, source->file);
	if (hint)
		diag->hint = bl_arena_copy_str(diags->arena, bl_str(hint));
	if (place.line && !place.is_secret)
		diag->source_line = bl_arena_copy_str(
			diags->arena, line_around(source->text, place.offset));
	va_start(args, fmt);
	diag->message = format(diags->arena, fmt, args);
	va_end(args);
	if (bl_arena_status(diags->arena))
		diags->out_of_memory = true; /* a text of it is missing */
	diags->stored_count++;
	*diags->tail = diag;
	diags->tail = &diag->next;
	return diag;
}

/* The source line with a caret under the place; tabs keep their width. */
static void print_source(const struct bl_diag *diag, struct bl_buf *out)
{
	struct bl_str line = diag->source_line;
	size_t column = diag->place.column - 1;
	size_t start;
	size_t end;

	if (!line.len || column > line.len)
		return;
	bl_buf_puts(out, "  | ");
	start = out->len;
	bl_text_put_safe(out, bl_str_slice(line, 0, column));
	end = out->len;
	bl_text_put_safe(out, bl_str_slice(line, column, SIZE_MAX));
	bl_buf_puts(out, "\n  | ");
	for (size_t i = start; i < end; i++) {
		unsigned char c = (unsigned char)out->ptr[i];

		if (c == '\t')
			bl_buf_put_char(out, '\t');
		else if ((c & 0xC0) != 0x80)
			bl_buf_put_char(out, ' ');
	}
	bl_buf_puts(out, "^\n");
}

/* Further lines of a message are its details; a tab sets them in. */
static void print_message(struct bl_str message, struct bl_buf *out)
{
	for (;;) {
		size_t len = 0;

		while (len < message.len && message.ptr[len] != '\n')
			len++;
		bl_text_put_safe(out, bl_str_slice(message, 0, len));
		if (len == message.len)
			return;
		message = bl_str_slice(message, len + 1, SIZE_MAX);
		bl_buf_puts(out, "\n    ");
		if (bl_str_has_prefix(message, BL_STR("\t")))
			message = bl_str_slice(message, 1, SIZE_MAX);
	}
}

static void print_one(const struct bl_diag *diag, bool colour,
		      struct bl_buf *out)
{
	bl_text_put_safe(out, diag->file);
	if (diag->place.line)
		bl_buf_printf(out, ":%u:%u", diag->place.line,
			      diag->place.column);
	bl_buf_printf(out, "%s%s%s%s: ", diag->file.len ? ": " : "",
		      colour ? severities[diag->severity].colour : "",
		      severities[diag->severity].name, colour ? "\033[0m" : "");
	print_message(diag->message, out);
	bl_buf_printf(out, " [%s]\n", diag->code);
	print_source(diag, out);
	if (diag->hint.len) {
		bl_buf_puts(out, "  hint: ");
		bl_text_put_safe(out, diag->hint);
		bl_buf_put_char(out, '\n');
	}
}

void bl_diags_print(const struct bl_diags *diags, bool colour,
		    struct bl_buf *out)
{
	for (const struct bl_diag *diag = diags->first; diag; diag = diag->next)
		print_one(diag, colour, out);
	if (diags->dropped_count)
		bl_buf_printf(out, "%zu more finding%s not shown\n",
			      diags->dropped_count,
			      diags->dropped_count == 1 ? " is" : "s are");
	if (diags->out_of_memory)
		bl_buf_puts(out, "memory ran out: findings are missing\n");
}
