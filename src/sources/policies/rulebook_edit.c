/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rulebook_edit.c: puts one more entry into a list of a rulebook, as text, so
 * that comments, order and layout stay.  It stands apart from the reader, which
 * has values and no layout.  The result is read again: a text that does not have
 * exactly one entry more is never handed out.
 *
 *   level: standard            level: standard
 *   rules:                     rules:
 *     # infrastructure           # infrastructure
 *     - {deny: a}                - {deny: a}
 *                                - {deny: "b"}
 *   modes: {git: ask}
 *                              modes: {git: ask}
 */
#include "sources/policies/private.h"

/* Where an entry goes. */
struct place {
	size_t at;     /* byte of the text */
	size_t indent; /* blanks in front of the entry's dash */
	bool is_found; /* the section is there */
	/* rules: [] : these bytes go. */
	size_t cut_from;
	size_t cut_to;
	bool is_flow; /* rules: [a, b]: in front of the bracket at `at` */
};

static size_t line_end(struct bl_str text, size_t at)
{
	size_t end = bl_str_find(text, BL_STR("\n"), at);

	return end == SIZE_MAX ? text.len : end + 1;
}

/* The bytes of the line behind "section:", without a comment. */
static struct bl_str value_in_line(struct bl_str line, size_t from)
{
	size_t comment = bl_str_find(line, BL_STR(" #"), from);

	return bl_str_trim(bl_str_slice(
		line, from, comment == SIZE_MAX ? line.len : comment));
}

static bool is_nothing(struct bl_str value)
{
	return !value.len || bl_str_is(value, "[]") ||
	       bl_str_is(value, "null") || bl_str_is(value, "~");
}

/* Goes through the lines of a list in block style, to behind its last entry. */
static void find_end(struct bl_str text, size_t at, struct place *place)
{
	bool has_dash = false;

	place->at = at;
	for (size_t end; at < text.len; at = end) {
		struct bl_str line;
		struct bl_str bare;

		end = line_end(text, at);
		line = bl_str_slice(text, at, end);
		bare = bl_str_trim(line);
		if (!bare.len || bare.ptr[0] == '#')
			continue;
		if (line.ptr[0] != ' ' && line.ptr[0] != '-')
			return;
		if (bare.ptr[0] == '-' && !has_dash) {
			has_dash = true;
			place->indent = (size_t)(bare.ptr - line.ptr);
		}
		place->at = end;
	}
}

static void take_section(struct bl_str text, struct bl_str line, size_t at,
			 struct place *place)
{
	size_t colon = bl_str_find(line, BL_STR(":"), 0);
	struct bl_str value = value_in_line(line, colon + 1);

	place->is_found = true;
	if (is_nothing(value)) {
		if (value.len) {
			place->cut_from = (size_t)(value.ptr - text.ptr);
			place->cut_to = place->cut_from + value.len;
		}
		find_end(text, at + line.len, place);
		return;
	}
	place->is_flow = true;
	place->at = (size_t)(value.ptr - text.ptr) + value.len - 1;
}

static struct place find_place(const struct bl_rulebook_entry *entry)
{
	struct bl_str section = bl_str(entry->section);
	struct place place = { .at = entry->text.len, .indent = 2 };

	for (size_t at = 0; at < entry->text.len;) {
		size_t end = line_end(entry->text, at);
		struct bl_str line = bl_str_slice(entry->text, at, end);

		if (bl_str_has_prefix(line, section) &&
		    line.len > section.len && line.ptr[section.len] == ':') {
			take_section(entry->text, line, at, &place);
			break;
		}
		at = end;
	}
	return place;
}

static void put_entry(const struct bl_rulebook_entry *entry,
		      const struct place *place, struct bl_buf *out)
{
	struct bl_str text = entry->text;
	struct bl_str head = bl_str_slice(text, 0, place->at);

	if (place->cut_to) {
		bl_buf_put_str(out, bl_str_slice(text, 0, place->cut_from));
		head = bl_str_slice(text, place->cut_to, place->at);
	}
	bl_buf_put_str(out, head);
	if (place->is_flow) {
		bl_buf_printf(out, ", %.*s", BL_STR_ARG(entry->entry));
	} else {
		if (head.len && head.ptr[head.len - 1] != '\n')
			bl_buf_put_char(out, '\n');
		if (!place->is_found)
			bl_buf_printf(out, "%s%s:\n", text.len ? "\n" : "",
				      entry->section);
		bl_buf_printf(out, "%*s- %.*s\n", (int)place->indent, "",
			      BL_STR_ARG(entry->entry));
	}
	bl_buf_put_str(out, bl_str_slice(text, place->at, SIZE_MAX));
}

/* How many entries the list of a text has; the first error in *out_error. */
static enum bl_status count_entries(const struct bl_rulebook_entry *entry,
				    struct bl_str text, struct bl_arena *arena,
				    size_t *out_count, struct bl_str *out_error)
{
	struct bl_rulebook book;
	struct bl_diags diags;
	struct bl_error err;
	enum bl_status status;

	bl_diags_init(&diags, arena);
	status = bl_rulebook_parse(entry->path, text, arena, &diags, &book,
				   &err);
	*out_error = BL_STR("");
	for (const struct bl_diag *one = diags.first; one && !out_error->len;
	     one = one->next)
		if (one->severity == BL_SEVERITY_ERROR)
			*out_error = one->message;
	*out_count = bl_value_count(
		bl_object_find(book.own, bl_str(entry->section)));
	return status;
}

/* Compares by reading both: what was there is still there, and one more. */
static enum bl_status check_result(const struct bl_rulebook_entry *entry,
				   struct bl_str text, struct bl_arena *arena,
				   struct bl_error *err)
{
	struct bl_str error;
	size_t before;
	size_t after;
	enum bl_status status =
		count_entries(entry, entry->text, arena, &before, &error);

	if (!status && error.len)
		return bl_fail(err, BL_INVALID,
			       "%.*s is broken: %.*s (see 'belay validate')",
			       BL_STR_ARG(entry->path), BL_STR_ARG(error));
	if (!status)
		status = count_entries(entry, text, arena, &after, &error);
	if (status)
		return bl_arena_fail(arena, err);
	if (error.len)
		return bl_fail(err, BL_INVALID, "%.*s", BL_STR_ARG(error));
	if (after != before + 1)
		return bl_fail(err, BL_INVALID,
			       "%.*s is laid out so that nothing can be added: "
			       "put '- %.*s' below %s: yourself",
			       BL_STR_ARG(entry->path),
			       BL_STR_ARG(entry->entry), entry->section);
	return BL_OK;
}

enum bl_status bl_rulebook_add(const struct bl_rulebook_entry *entry,
			       struct bl_arena *arena, struct bl_str *out_text,
			       struct bl_error *err)
{
	struct place place = find_place(entry);
	struct bl_str text;
	struct bl_buf buf;
	enum bl_status status;

	bl_buf_init(&buf, 0);
	put_entry(entry, &place, &buf);
	text = bl_arena_copy_str(arena, bl_buf_str(&buf));
	status = bl_buf_status(&buf);
	bl_buf_clear(&buf);
	if (status || !text.ptr)
		return bl_fail_memory(err);
	status = check_result(entry, text, arena, err);
	if (!status)
		*out_text = text;
	return status;
}
