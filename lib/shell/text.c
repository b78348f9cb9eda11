/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/text.c: texts that know where their bytes come from, and the scratch
 * on which a word's text is built.  It stands alone because every stage of the
 * parser asks for places, and none should know how they are kept.
 *
 * A word is built as a slice of the input as long as nothing in it changes;
 * the first change copies it.  Example: of `a"b\<newline>c"` the slice `a"b` is
 * copied when the backslash-newline is skipped, with the row {0, start}; `c"`
 * then comes with the row {3, start + 5}.
 */
#include "shell/private.h"

/* The row that holds offset: the last one with at <= offset. */
static const struct bl_sh_row *find_row(const struct bl_sh_text *text,
					uint32_t offset)
{
	uint32_t low = 0, high = text->row_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (text->rows[middle].at <= offset)
			low = middle;
		else
			high = middle;
	}
	return &text->rows[low];
}

uint32_t bl_sh_place(const struct bl_sh_text *text, uint32_t offset)
{
	const struct bl_sh_row *row;

	if (!text->row_count)
		return text->base + offset;
	row = find_row(text, offset + text->origin);
	return row->source + (offset + text->origin - row->at);
}

uint32_t bl_sh_place_end(const struct bl_sh_text *text, uint32_t offset)
{
	return offset ? bl_sh_place(text, offset - 1) + 1
		      : bl_sh_place(text, 0);
}

struct bl_shell_span bl_sh_span(const struct bl_sh_text *text, uint32_t start,
				uint32_t end)
{
	struct bl_shell_span span = { bl_sh_place(text, start), 0 };

	span.end = end > start ? bl_sh_place_end(text, end) : span.start;
	if (span.end < span.start)
		span.end = span.start;
	return span;
}

struct bl_sh_text bl_sh_slice(const struct bl_sh_text *text, uint32_t start,
			      uint32_t end)
{
	struct bl_sh_text slice = *text;

	slice.ptr += start;
	slice.len = end - start;
	slice.base += start;
	slice.origin += start;
	return slice;
}

struct bl_sh_build bl_sh_build_begin(struct bl_sh_parser *p)
{
	struct bl_sh_build outer = p->build;

	p->build = (struct bl_sh_build){
		.start = p->in.pos,
		.end = p->in.pos,
		.bytes_at = (uint32_t)p->scratch.byte_count,
		.rows_at = (uint32_t)p->scratch.row_count,
		.substitutions_at = (uint32_t)p->scratch.substitution_count,
	};
	return outer;
}

uint32_t bl_sh_build_length(const struct bl_sh_parser *p)
{
	const struct bl_sh_build *build = &p->build;

	return build->is_copied
		       ? (uint32_t)p->scratch.byte_count - build->bytes_at
		       : build->end - build->start;
}

const char *bl_sh_build_bytes(const struct bl_sh_parser *p)
{
	const struct bl_sh_build *build = &p->build;

	return build->is_copied ? p->scratch.bytes + build->bytes_at
				: p->in.text.ptr + build->start;
}

/* One byte on the stack, with a row where it does not follow the last one. */
static void push(struct bl_sh_parser *p, char byte, uint32_t place)
{
	struct bl_sh_scratch *scratch = &p->scratch;
	uint32_t at = (uint32_t)scratch->byte_count - p->build.bytes_at;
	struct bl_sh_row *rows = scratch->rows;
	char *bytes;

	if (scratch->row_count == p->build.rows_at ||
	    rows[scratch->row_count - 1].source + at -
			    rows[scratch->row_count - 1].at !=
		    place) {
		rows = bl_arena_room(p->arena, rows, scratch->row_count,
				     &scratch->row_cap, sizeof(*rows));
		if (!rows) {
			bl_sh_fault(p, BL_SHELL_TOO_MUCH, 0, 0,
				    "out of memory");
			return;
		}
		scratch->rows = rows;
		rows[scratch->row_count++] = (struct bl_sh_row){ at, place };
	}
	bytes = bl_arena_room(p->arena, scratch->bytes, scratch->byte_count,
			      &scratch->byte_cap, 1);
	if (!bytes) {
		bl_sh_fault(p, BL_SHELL_TOO_MUCH, 0, 0, "out of memory");
		return;
	}
	scratch->bytes = bytes;
	bytes[scratch->byte_count++] = byte;
}

/* From here on the text is a copy. */
static void copy_slice(struct bl_sh_parser *p)
{
	if (p->build.is_copied)
		return;
	p->build.is_copied = true;
	for (uint32_t i = p->build.start; i < p->build.end; i++)
		push(p, p->in.text.ptr[i], bl_sh_place(&p->in.text, i));
}

void bl_sh_build_add(struct bl_sh_parser *p)
{
	struct bl_sh_build *build = &p->build;
	uint32_t at = p->in.pos - 1;

	if (!build->is_copied) {
		if (build->start == build->end)
			build->start = build->end = at;
		if (BL_LIKELY(build->end == at)) {
			build->end++;
			return;
		}
		copy_slice(p);
	}
	push(p, p->in.text.ptr[at], bl_sh_place(&p->in.text, at));
}

void bl_sh_build_put(struct bl_sh_parser *p, struct bl_str bytes,
		     uint32_t first, uint32_t last)
{
	copy_slice(p);
	for (size_t i = 0; i < bytes.len; i++)
		push(p, bytes.ptr[i],
		     i + 1 < bytes.len ? first + (uint32_t)i : last);
}

void bl_sh_build_cut(struct bl_sh_parser *p, uint32_t length)
{
	struct bl_sh_scratch *scratch = &p->scratch;

	if (!p->build.is_copied) {
		p->build.end = p->build.start + length;
		return;
	}
	scratch->byte_count = p->build.bytes_at + length;
	while (scratch->row_count > p->build.rows_at &&
	       scratch->rows[scratch->row_count - 1].at >= length)
		scratch->row_count--;
}

static void add_substitution(struct bl_sh_parser *p,
			     struct bl_shell_substitution entry)
{
	struct bl_sh_scratch *scratch = &p->scratch;
	struct bl_shell_substitution *list;

	list = bl_arena_room(p->arena, scratch->substitutions,
			     scratch->substitution_count,
			     &scratch->substitution_cap, sizeof(*list));
	if (!list) {
		bl_sh_fault(p, BL_SHELL_TOO_MUCH, 0, 0, "out of memory");
		return;
	}
	scratch->substitutions = list;
	list[scratch->substitution_count++] = entry;
}

void bl_sh_build_reserve(struct bl_sh_parser *p, uint32_t at)
{
	add_substitution(
		p, (struct bl_shell_substitution){ at, at, NULL, true, NULL });
}

void bl_sh_build_substitution(struct bl_sh_parser *p, uint32_t at,
			      struct bl_shell_script *script)
{
	if (p->build.is_copied)
		push(p, ')', bl_sh_place(&p->in.text, p->in.pos - 1));
	else
		p->build.end = p->in.pos;
	add_substitution(
		p, (struct bl_shell_substitution){ at, bl_sh_build_length(p),
						   script, false, NULL });
}

void bl_sh_build_array(struct bl_sh_parser *p, uint32_t at,
		       struct bl_shell_word *elements)
{
	uint32_t place = bl_sh_place(&p->in.text, p->in.pos - 1);

	bl_sh_build_put(p, BL_STR(")"), place, place);
	add_substitution(
		p, (struct bl_shell_substitution){ at, bl_sh_build_length(p),
						   NULL, false, elements });
}

static void *keep(struct bl_sh_parser *p, const void *items, size_t count,
		  size_t size)
{
	void *copy = bl_arena_alloc(p->arena, count * size + 1);

	if (copy && count)
		memcpy(copy, items, count * size);
	else if (!copy)
		bl_sh_fault(p, BL_SHELL_TOO_MUCH, 0, 0, "out of memory");
	return copy;
}

struct bl_sh_text bl_sh_build_end(struct bl_sh_parser *p,
				  const struct bl_sh_build *outer,
				  const struct bl_shell_substitution **out_list,
				  uint32_t *out_count)
{
	struct bl_sh_scratch *scratch = &p->scratch;
	struct bl_sh_build build = p->build;
	struct bl_sh_text text;

	*out_count =
		(uint32_t)scratch->substitution_count - build.substitutions_at;
	*out_list = NULL;
	if (*out_count)
		*out_list =
			keep(p, scratch->substitutions + build.substitutions_at,
			     *out_count, sizeof(**out_list));
	if (!build.is_copied) {
		text = bl_sh_slice(&p->in.text, build.start, build.end);
	} else {
		text = (struct bl_sh_text){
			.len = (uint32_t)scratch->byte_count - build.bytes_at,
			.row_count =
				(uint32_t)scratch->row_count - build.rows_at,
		};
		text.ptr =
			keep(p, scratch->bytes + build.bytes_at, text.len, 1);
		text.rows = keep(p, scratch->rows + build.rows_at,
				 text.row_count, sizeof(*text.rows));
	}
	scratch->byte_count = build.bytes_at;
	scratch->row_count = build.rows_at;
	scratch->substitution_count = build.substitutions_at;
	p->build = *outer;
	return text;
}

void bl_sh_fault(struct bl_sh_parser *p, enum bl_shell_fault_kind kind,
		 uint32_t start, uint32_t end, const char *fmt, ...)
{
	va_list args;

	if (bl_sh_failed(p))
		return;
	p->fault.kind = kind;
	p->fault.span = bl_sh_span(&p->in.text, start, end);
	p->is_fatal = kind == BL_SHELL_TOO_DEEP || kind == BL_SHELL_TOO_MUCH;
	va_start(args, fmt);
	p->fault.message = bl_arena_vprintf(p->arena, fmt, args);
	va_end(args);
}

void *bl_sh_node(struct bl_sh_parser *p, size_t bytes)
{
	void *node;

	if (++p->nodes > p->nodes_max) {
		bl_sh_fault(p, BL_SHELL_TOO_MUCH, p->in.pos, p->in.pos,
			    "more than %u commands, words and parts",
			    p->nodes_max);
		return NULL;
	}
	node = bl_arena_zalloc(p->arena, 1, bytes);
	if (!node)
		bl_sh_fault(p, BL_SHELL_TOO_MUCH, p->in.pos, p->in.pos,
			    "out of memory");
	return node;
}

bool bl_sh_enter(struct bl_sh_parser *p)
{
	p->depth++;
	if (p->depth > p->depth_max)
		bl_sh_fault(p, BL_SHELL_TOO_DEEP, p->in.pos, p->in.pos,
			    "more than %u constructs inside each other",
			    p->depth_max);
	return !bl_sh_failed(p);
}

bool bl_sh_again(struct bl_sh_parser *p, uint32_t bytes)
{
	p->work += bytes;
	if (p->work > p->work_max)
		bl_sh_fault(p, BL_SHELL_TOO_MUCH, p->in.pos, p->in.pos,
			    "too many ( that may be arithmetic or not");
	return !bl_sh_failed(p);
}
