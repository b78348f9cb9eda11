/* SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"

#include <stdio.h>

/* Placeholders of a line: the longest run of such characters first. */
static bool is_any(unsigned char c)
{
	return c != '\n';
}

static bool is_number(unsigned char c)
{
	return (c >= '0' && c <= '9') || c == '.' || c == '-';
}

static bool is_time(unsigned char c)
{
	return is_number(c) || c == 'T' || c == 'Z' || c == ':' || c == '+';
}

static bool is_id(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

static const struct {
	const char *name;
	bool (*may_hold)(unsigned char c);
	size_t least; /* characters */
} placeholders[] = {
	{ "<<ANY>>", is_any, 0 },
	{ "<<NUM>>", is_number, 1 },
	{ "<<TIME>>", is_time, sizeof("2026-11-28T02:42:41Z") - 1 },
	{ "<<ID>>", is_id, 1 },
};

static size_t placeholder_at(struct bl_str expected, size_t at)
{
	struct bl_str rest = bl_str_slice(expected, at, SIZE_MAX);
	size_t i = 0;

	while (i < BL_COUNT(placeholders) &&
	       !bl_str_has_prefix(rest, bl_str(placeholders[i].name)))
		i++;
	return i;
}

/* Both are lines; expected has its <<DIR>> filled in already. */
static bool match_line(struct bl_str expected, struct bl_str actual)
{
	size_t at = 0; /* the same in both up to the first placeholder */
	size_t which;
	size_t run;
	struct bl_str rest;

	while ((which = placeholder_at(expected, at)) ==
	       BL_COUNT(placeholders)) {
		if (at == expected.len || at == actual.len)
			return expected.len == actual.len;
		if (expected.ptr[at] != actual.ptr[at])
			return false;
		at++;
	}
	rest = bl_str_slice(expected, at + strlen(placeholders[which].name),
			    SIZE_MAX);
	actual = bl_str_slice(actual, at, SIZE_MAX);
	for (run = 0; run < actual.len; run++)
		if (!placeholders[which].may_hold(
			    (unsigned char)actual.ptr[run]))
			break;
	for (run++; run-- > placeholders[which].least;)
		if (match_line(rest, bl_str_slice(actual, run, SIZE_MAX)))
			return true;
	return false;
}

struct lines {
	struct bl_str *list;
	size_t count;
};

/* A last line without a newline is told apart from one with: absent. */
static struct lines split(struct bl_arena *arena, struct bl_str text)
{
	struct lines lines = { 0 };
	size_t room = 1;

	for (size_t i = 0; i < text.len; i++)
		room += text.ptr[i] == '\n';
	lines.list = bl_arena_new_array(arena, struct bl_str, room);
	for (size_t at = 0; lines.list && at < text.len;) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);

		end = end == SIZE_MAX ? text.len : end + 1;
		lines.list[lines.count++] = bl_str_slice(text, at, end);
		at = end;
	}
	return lines;
}

/* The difference: the lines from..to of either text. */
struct difference {
	struct lines expected, actual;
	size_t from, expected_to, actual_to;
};

static struct difference compare(const struct place *place,
				 struct bl_str expected, struct bl_str actual)
{
	struct bl_str filled = place_fill(place, expected);
	struct difference d = {
		.expected = split(place->arena, filled),
		.actual = split(place->arena, actual),
	};

	d.expected_to = d.expected.count;
	d.actual_to = d.actual.count;
	while (d.from < d.expected_to && d.from < d.actual_to &&
	       match_line(d.expected.list[d.from], d.actual.list[d.from]))
		d.from++;
	while (d.expected_to > d.from && d.actual_to > d.from &&
	       match_line(d.expected.list[d.expected_to - 1],
			  d.actual.list[d.actual_to - 1])) {
		d.expected_to--;
		d.actual_to--;
	}
	return d;
}

bool match_text(const struct place *place, struct bl_str expected,
		struct bl_str actual)
{
	struct difference d = compare(place, expected, actual);

	return d.from == d.expected_to && d.from == d.actual_to;
}

static void print_lines(char sign, struct lines lines, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		struct bl_str line = lines.list[i];
		bool whole = bl_str_has_suffix(line, BL_STR("\n"));

		line.len -= whole;
		printf("#   %c %.*s%s\n", sign, BL_STR_ARG(line),
		       whole ? "" : " (no newline)");
	}
}

void match_print(const struct place *place, const char *what,
		 struct bl_str expected, struct bl_str actual)
{
	struct difference d = compare(place, expected, actual);

	printf("# %s, from line %zu (- expected, + actual):\n", what,
	       d.from + 1);
	print_lines('-', d.expected, d.from, d.expected_to);
	print_lines('+', d.actual, d.from, d.actual_to);
}

/* A line of output as a case has it: the folder's path as <<DIR>>. */
static void put_generic(const struct place *place, struct bl_buf *out,
			struct bl_str line)
{
	struct bl_str dir = bl_str(place->dir);
	size_t at = 0;
	size_t hit;

	while ((hit = bl_str_find(line, dir, at)) != SIZE_MAX) {
		bl_buf_put(out, line.ptr + at, hit - at);
		bl_buf_puts(out, "<<DIR>>");
		at = hit + dir.len;
	}
	bl_buf_put_str(out, bl_str_slice(line, at, SIZE_MAX));
}

struct bl_str match_accept(const struct place *place, struct bl_str expected,
			   struct bl_str actual)
{
	struct difference d = compare(place, expected, actual);
	struct lines wording = split(place->arena, expected);
	struct bl_buf out;
	struct bl_str copy;

	bl_buf_init(&out, 0);
	for (size_t i = 0; i < d.actual.count; i++) {
		size_t e =
			i < d.actual_to ? i : i - d.actual_to + d.expected_to;

		if (e < d.expected.count &&
		    match_line(d.expected.list[e], d.actual.list[i]))
			bl_buf_put_str(&out, wording.list[e]);
		else
			put_generic(place, &out, d.actual.list[i]);
	}
	copy = bl_arena_copy_str(place->arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return copy;
}
