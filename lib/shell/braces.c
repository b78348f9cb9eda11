/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shell/braces.c: brace expansion: {a,b}, {1..9..2}, {a..e}.  It stands alone
 * because it is the one expansion that makes several words of one before
 * anything else is known, and works on quoted pieces and expansions as on
 * single, opaque characters.
 *
 * A word becomes a row of atoms: an unquoted byte, or a whole part.  Worked
 * example: a{b,"c"}d has the atoms a { b , [DOUBLE] } d; the brace at 1 has a
 * comma before its } at 5, so the result is the head `a` before each of `b` and
 * [DOUBLE], and each of these before each expansion of the tail `d`.
 */
#include <stdio.h>

#include "base/ascii.h"
#include "shell/private.h"

enum { DEPTH_MAX = 64, ATOMS_MAX = 1 << 20 };

struct atom {
	const struct bl_shell_part *part;
	char byte; /* 0: the part as a whole */
};

struct row {
	const struct atom *atoms;
	size_t count;
};

/* The words so far. */
struct rows {
	struct row *list;
	size_t count, cap;
};

struct expansion {
	struct bl_arena *arena;
	size_t max;   /* words */
	size_t atoms; /* written so far */
	uint32_t depth;
	bool exceeded;
};

static bool exceed(struct expansion *x)
{
	x->exceeded = true;
	return false;
}

static bool add_row(struct expansion *x, struct rows *rows, struct row row)
{
	struct row *list;

	if (rows->count >= x->max)
		return exceed(x);
	list = bl_arena_room(x->arena, rows->list, rows->count, &rows->cap,
			     sizeof(*list));
	if (!list)
		return exceed(x);
	rows->list = list;
	list[rows->count++] = row;
	return true;
}

/* a then b as one row. */
static bool join(struct expansion *x, struct row a, struct row b,
		 struct row *out)
{
	struct atom *atoms;

	x->atoms += a.count + b.count;
	if (x->atoms > ATOMS_MAX)
		return exceed(x);
	atoms = bl_arena_new_array(x->arena, struct atom,
				   a.count + b.count + 1);
	if (!atoms)
		return exceed(x);
	if (a.count)
		memcpy(atoms, a.atoms, a.count * sizeof(*atoms));
	if (b.count)
		memcpy(atoms + a.count, b.atoms, b.count * sizeof(*atoms));
	*out = (struct row){ atoms, a.count + b.count };
	return true;
}

static struct row slice(struct row row, size_t from, size_t to)
{
	return (struct row){ row.atoms + from, to - from };
}

static char byte_at(struct row row, size_t i)
{
	return i < row.count ? row.atoms[i].byte : 0;
}

/* The next { from i on that may open: not {} alone. */
static size_t find_open(struct row row, size_t i)
{
	for (; i < row.count; i++)
		if (byte_at(row, i) == '{' &&
		    !(i == 0 && byte_at(row, 1) == '}'))
			break;
	return i;
}

/* The } that closes what opens before i, behind a comma or ..; or count. */
static size_t find_close(struct row row, size_t i)
{
	size_t level = 0;
	bool separated = false;

	for (; i < row.count; i++) {
		char c = byte_at(row, i);

		if (c == '}' && level == 0 && separated)
			return i;
		if (c == '{')
			level++;
		else if (c == '}' && level)
			level--;
		else if (level == 0 &&
			 (c == ',' || (c == '.' && byte_at(row, i + 1) == '.' &&
				       byte_at(row, i + 2) != '}')))
			separated = true;
	}
	return row.count;
}

/* The comma at level 0 from i on, or count. */
static size_t find_comma(struct row row, size_t i)
{
	size_t level = 0;

	for (; i < row.count; i++) {
		char c = byte_at(row, i);

		if (c == ',' && level == 0)
			return i;
		if (c == '{')
			level++;
		else if (c == '}' && level)
			level--;
	}
	return row.count;
}

static bool has_comma(struct row row)
{
	for (size_t i = 0; i < row.count; i++)
		if (byte_at(row, i) == ',')
			return true;
	return false;
}

static bool expand_row(struct expansion *x, struct row row, struct rows *out);

/* The alternatives between the commas, each expanded. */
static bool expand_list(struct expansion *x, struct row row, struct rows *out)
{
	for (size_t from = 0;;) {
		size_t comma = find_comma(row, from);

		if (!expand_row(x, slice(row, from, comma), out))
			return false;
		if (comma == row.count)
			return true;
		from = comma + 1;
	}
}

/* One side of a sequence. */
struct bound {
	int64_t value;
	bool is_letter;
	bool is_padded; /* 01, -05 */
	size_t width;
};

static bool read_bound(struct row row, struct bound *out)
{
	bool minus = byte_at(row, 0) == '-';
	size_t i = minus || byte_at(row, 0) == '+';
	bool digits = false;

	*out = (struct bound){ .width = row.count };
	if (row.count == 1 && bl_ascii_is_letter(byte_at(row, 0))) {
		out->is_letter = true;
		out->value = (unsigned char)byte_at(row, 0);
		return true;
	}
	out->is_padded = row.count > i + 1 && byte_at(row, i) == '0';
	for (; i < row.count; i++) {
		char c = byte_at(row, i);

		if (c < '0' || c > '9' || out->value > INT64_MAX / 10 - 10)
			return false;
		out->value = out->value * 10 + (c - '0');
		digits = true;
	}
	if (minus)
		out->value = -out->value;
	return digits;
}

/* Splits low..high[..step] at its dots; false: it is not a sequence. */
static bool read_sequence(struct row row, struct bound bounds[3], int *count)
{
	size_t from = 0;

	for (*count = 0; *count < 3; (*count)++) {
		size_t dots = from;

		while (dots < row.count && !(byte_at(row, dots) == '.' &&
					     byte_at(row, dots + 1) == '.'))
			dots++;
		if (!read_bound(slice(row, from, dots), &bounds[*count]))
			return false;
		if (dots == row.count) {
			(*count)++;
			return *count >= 2 &&
			       bounds[0].is_letter == bounds[1].is_letter &&
			       (*count < 3 || !bounds[2].is_letter);
		}
		from = dots + 2;
	}
	return false;
}

static bool add_value(struct expansion *x, struct rows *out, int64_t value,
		      const struct bound *shape,
		      const struct bl_shell_part *part)
{
	char text[32];
	struct atom *atoms;
	size_t length;

	if (shape->is_letter)
		snprintf(text, sizeof(text), "%c", (char)value);
	else
		snprintf(text, sizeof(text), "%0*lld",
			 shape->is_padded ? (int)shape->width : 0,
			 (long long)value);
	length = strlen(text);
	atoms = bl_arena_new_array(x->arena, struct atom, length + 1);
	if (!atoms)
		return exceed(x);
	for (size_t i = 0; i < length; i++)
		atoms[i] = (struct atom){ part, text[i] };
	return add_row(x, out, (struct row){ atoms, length });
}

/* {low..high..step}: false with *is_one false when it is not one. */
static bool expand_sequence(struct expansion *x, struct row row,
			    struct rows *out, bool *is_one)
{
	struct bound bounds[3];
	struct bound shape;
	int64_t step, low, high;
	int count;

	*is_one = read_sequence(row, bounds, &count);
	if (!*is_one)
		return false;
	low = bounds[0].value;
	high = bounds[1].value;
	shape = bounds[0];
	shape.is_padded = bounds[0].is_padded || bounds[1].is_padded;
	if (bounds[1].width > shape.width)
		shape.width = bounds[1].width;
	if (shape.width > 20)
		return exceed(x);
	step = count == 3 ? bounds[2].value : 1;
	step = step < 0 ? -step : step ? step : 1;
	for (;; low += low <= high ? step : -step) {
		int64_t left = low <= high ? high - low : low - high;

		if (!add_value(x, out, low, &shape, row.atoms[0].part))
			return false;
		if (left < step)
			return true;
	}
}

/* head before each of middle, each of these before each of tail. */
static bool combine(struct expansion *x, struct row head,
		    const struct rows *middle, const struct rows *tail,
		    struct rows *out)
{
	for (size_t i = 0; i < middle->count; i++) {
		struct row start, whole;

		if (!join(x, head, middle->list[i], &start))
			return false;
		for (size_t j = 0; j < tail->count; j++)
			if (!join(x, start, tail->list[j], &whole) ||
			    !add_row(x, out, whole))
				return false;
	}
	return true;
}

/* The brace at open..close and what is behind it. */
static bool expand_brace(struct expansion *x, struct row row, size_t open,
			 size_t close, struct rows *out)
{
	struct row inner = slice(row, open + 1, close);
	struct rows middle = { 0 }, tail = { 0 };
	bool is_one = true;

	if (has_comma(inner)) {
		if (!expand_list(x, inner, &middle))
			return false;
	} else if (!expand_sequence(x, inner, &middle, &is_one)) {
		if (is_one || !add_row(x, &middle, slice(row, open, close + 1)))
			return exceed(x);
	}
	return expand_row(x, slice(row, close + 1, row.count), &tail) &&
	       combine(x, slice(row, 0, open), &middle, &tail, out);
}

static bool expand_row(struct expansion *x, struct row row, struct rows *out)
{
	size_t open = 0, close = row.count;
	bool done;

	if (++x->depth > DEPTH_MAX)
		return exceed(x);
	for (;; open++) {
		open = find_open(row, open);
		if (open == row.count)
			break;
		close = find_close(row, open + 1);
		if (close < row.count)
			break;
	}
	done = open == row.count ? add_row(x, out, row)
				 : expand_brace(x, row, open, close, out);
	x->depth--;
	return done;
}

/* The atoms of a word. */
static bool make_row(struct expansion *x, const struct bl_shell_word *word,
		     struct row *out)
{
	struct atom *atoms;
	size_t count = 0;

	for (const struct bl_shell_part *part = word->parts; part;
	     part = part->next)
		count += part->kind == BL_SHELL_TEXT ? part->text.len : 1;
	if (count > ATOMS_MAX)
		return exceed(x);
	atoms = bl_arena_new_array(x->arena, struct atom, count + 1);
	if (!atoms)
		return exceed(x);
	count = 0;
	for (const struct bl_shell_part *part = word->parts; part;
	     part = part->next) {
		if (part->kind != BL_SHELL_TEXT)
			atoms[count++] = (struct atom){ part, 0 };
		else
			for (size_t i = 0; i < part->text.len; i++)
				atoms[count++] =
					(struct atom){ part,
						       part->text.ptr[i] };
	}
	*out = (struct row){ atoms, count };
	return true;
}

/* A run of bytes from i on as one part TEXT; *i goes behind it. */
static bool fill_text(struct expansion *x, struct row row, size_t *i,
		      struct bl_shell_part *part)
{
	size_t length = 0;
	char *text;

	while (*i + length < row.count && row.atoms[*i + length].byte)
		length++;
	text = bl_arena_alloc_aligned(x->arena, length + 1, 1);
	if (!text)
		return exceed(x);
	for (size_t k = 0; k < length; k++)
		text[k] = row.atoms[*i + k].byte;
	part->kind = BL_SHELL_TEXT;
	part->span = row.atoms[*i].part->span;
	part->span.end = row.atoms[*i + length - 1].part->span.end;
	part->text = (struct bl_str){ text, length };
	*i += length;
	return true;
}

static bool is_name_byte(char c)
{
	return bl_ascii_is_letter(c) || c == '_' || (c >= '0' && c <= '9');
}

/* $x before text that could be more of its name: {a,b} behind $x gives $xa. */
static bool lengthen_name(struct expansion *x, struct row row, size_t *i,
			  struct bl_shell_part *part)
{
	struct bl_shell_parameter *longer;
	struct bl_str name;
	size_t count = 0;
	char *text;

	if (part->kind != BL_SHELL_PARAMETER || !part->is_short)
		return true;
	name = part->parameter->name;
	while (*i + count < row.count &&
	       is_name_byte(row.atoms[*i + count].byte))
		count++;
	if (!count || !bl_sh_is_name(name))
		return true;
	longer = bl_arena_new(x->arena, struct bl_shell_parameter);
	text = bl_arena_alloc_aligned(x->arena, name.len + count, 1);
	if (!longer || !text)
		return exceed(x);
	memcpy(text, name.ptr, name.len);
	for (size_t k = 0; k < count; k++)
		text[name.len + k] = row.atoms[*i + k].byte;
	*longer = *part->parameter;
	longer->name = (struct bl_str){ text, name.len + count };
	part->parameter = longer;
	*i += count;
	return true;
}

/* A row as a word again. */
static struct bl_shell_word *make_word(struct expansion *x, struct row row,
				       const struct bl_shell_word *from)
{
	struct bl_shell_word *word =
		bl_arena_new(x->arena, struct bl_shell_word);
	struct bl_shell_part **end, *part;

	if (!word)
		return NULL;
	word->span = from->span;
	word->flags = from->flags & ~(uint32_t)BL_SHELL_WORD_BRACE;
	end = &word->parts;
	for (size_t i = 0; i < row.count;) {
		part = bl_arena_new(x->arena, struct bl_shell_part);
		if (!part)
			return NULL;
		if (row.atoms[i].byte) {
			if (!fill_text(x, row, &i, part))
				return NULL;
		} else {
			*part = *row.atoms[i++].part;
			part->next = NULL;
			if (!lengthen_name(x, row, &i, part))
				return NULL;
		}
		*end = part;
		end = &part->next;
	}
	return word;
}

enum bl_shell_answer bl_shell_expand_braces(struct bl_arena *arena,
					    const struct bl_shell_word *word,
					    size_t max,
					    const struct bl_shell_word **out)
{
	struct expansion x = { .arena = arena, .max = max ? max : 1 };
	struct rows rows = { 0 };
	struct bl_shell_word *first = NULL, **end = &first;
	struct row row;

	if (!(word->flags & BL_SHELL_WORD_BRACE)) {
		*out = word;
		return BL_SHELL_KNOWN;
	}
	if (!make_row(&x, word, &row) || !expand_row(&x, row, &rows))
		return BL_SHELL_EXCEEDS;
	for (size_t i = 0; i < rows.count; i++) {
		/* A word of which nothing is left vanishes. */
		if (!rows.list[i].count && rows.count > 1)
			continue;
		*end = make_word(&x, rows.list[i], word);
		if (!*end)
			return BL_SHELL_EXCEEDS;
		end = &(*end)->next;
	}
	*out = first;
	return BL_SHELL_KNOWN;
}
