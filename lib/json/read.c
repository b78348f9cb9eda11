/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader: text to values, in one pass without recursion, with the limits
 * of options.  It also says where it failed, and what it met besides.
 */
#include "json/reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "json/scan.h"

enum { FEW_DIGITS = 18 };

/* ---- errors ------------------------------------------------------------- */

struct bl_place bl_json_reader_place(const struct reader *r, const char *at)
{
	struct bl_place place = r->kept_place;
	const char *line = r->kept, *next;

	if (at < r->kept)
		return place;
	while ((next = memchr(line, '\n', (size_t)(at - line)))) {
		place.line++;
		place.column = 1;
		line = next + 1;
	}
	place.column += (uint32_t)(at - line);
	place.offset += (size_t)(at - r->kept);
	return place;
}

static enum bl_status stop_at(struct reader *r, const char *at)
{
	if (r->out_place)
		*r->out_place = bl_json_reader_place(r, at);
	return BL_SYNTAX;
}

#define FAIL(r, at, ...)                                                       \
	(stop_at((r), (at)), bl_fail((r)->err, BL_SYNTAX, __VA_ARGS__))
#define FAIL_LIMIT(r, at, ...)                                                 \
	(stop_at((r), (at)), bl_fail((r)->err, BL_LIMIT, __VA_ARGS__))

static BL_COLD enum bl_status fail_arena(struct reader *r)
{
	stop_at(r, r->p);
	return bl_arena_fail(r->arena, r->err);
}

enum { MET_BYTES = 48 };

/* The token at a place, in words. */
static const char *met_at(const struct reader *r, const char *at,
			  char room[MET_BYTES])
{
	struct bl_str text = { r->start, (size_t)(r->end - r->start) };
	size_t offset = (size_t)(at - r->start);
	uint32_t rune = 0;
	size_t len = bl_utf8_decode(text, offset, &rune);

	if (at == r->end)
		snprintf(room, MET_BYTES, "the end of the text");
	else if (!len)
		snprintf(room, MET_BYTES, "byte 0x%02X", (unsigned char)*at);
	else if (rune == '\'')
		snprintf(room, MET_BYTES, "a single quote");
	else if (rune > ' ' && rune < 0x7F)
		snprintf(room, MET_BYTES, "'%c'", (char)rune);
	else
		snprintf(room, MET_BYTES, "U+%04X", (unsigned int)rune);
	return room;
}

static BL_COLD enum bl_status fail_expected(struct reader *r, const char *at,
					    const char *expected)
{
	char room[MET_BYTES];

	return FAIL(r, at, "%s, where %s was expected", met_at(r, at, room),
		    expected);
}

/* ---- white space and comments ------------------------------------------- */

static enum bl_status skip_comment(struct reader *r)
{
	const char *from = r->p;
	size_t rest = (size_t)(r->end - from);

	if (rest < 2 || (from[1] != '/' && from[1] != '*'))
		return fail_expected(r, from,
				     "a value, punctuation or comment");
	if (from[1] == '/') {
		const char *newline = memchr(from, '\n', rest);

		r->p = newline ? newline : r->end;
	} else {
		size_t close = bl_str_find((struct bl_str){ from, rest },
					   BL_STR("*/"), 2);

		if (close == SIZE_MAX)
			return FAIL(r, from,
				    "a comment that is not closed with */");
		r->p = from + close + 2;
	}
	rest = bl_utf8_valid_prefix(
		(struct bl_str){ from, (size_t)(r->p - from) });
	if (from + rest != r->p)
		return FAIL(r, from + rest,
			    "byte 0x%02X is not UTF-8 (in a comment)",
			    (unsigned char)from[rest]);
	r->report->had_comments = true;
	return BL_OK;
}

/* Steps to the next byte that is part of the grammar, or the end. */
static inline enum bl_status skip_space(struct reader *r)
{
	for (;;) {
		while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' ||
					 *r->p == '\r' || *r->p == '\t'))
			r->p++;
		if (BL_LIKELY(r->p == r->end || *r->p != '/' ||
			      !r->options->allow_comments))
			return BL_OK;
		if (skip_comment(r))
			return BL_SYNTAX;
	}
}

/* ---- strings ------------------------------------------------------------ */

/* Checks the escape at r->p and steps over it. */
static enum bl_status check_escape(struct reader *r)
{
	const char *at = r->p;
	size_t len = bl_json_escape_length(at, r->end);
	char room[MET_BYTES];

	if (BL_LIKELY(len)) {
		r->p += len;
		return BL_OK;
	}
	if (r->end - at < 2) {
		r->p = r->end;
		return BL_OK; /* reported as a string without its end */
	}
	if (at[1] == 'u')
		return FAIL(r, at,
			    "\\u without four hexadecimal digits after it");
	return FAIL(r, at, "a backslash before %s, which is not an escape",
		    met_at(r, at + 1, room));
}

/* The string's last byte that scanning did not like, in words. */
static BL_COLD enum bl_status fail_string(struct reader *r, const char *from)
{
	unsigned char byte;

	if (r->p == r->end)
		return FAIL(r, from - 1,
			    "a string that is not closed with '\"'");
	byte = (unsigned char)*r->p;
	if (byte < 0x20)
		return FAIL(r, r->p,
			    "control character U+%04X in a string (it must be "
			    "escaped)",
			    byte);
	return FAIL(r, r->p, "byte 0x%02X is not UTF-8", byte);
}

/*
 * Steps from the first byte after the quote to the closing quote, checking
 * all that is on the way.
 */
static enum bl_status find_quote(struct reader *r, bool *out_escapes)
{
	const char *from = r->p;
	struct bl_str text = { r->start, (size_t)(r->end - r->start) };

	*out_escapes = false;
	for (;;) {
		uint32_t rune;
		size_t len;

		r->p = scan_plain(r->p, r->end);
		if (r->p == r->end)
			return fail_string(r, from);
		if (BL_LIKELY(*r->p == '"'))
			return BL_OK;
		if (*r->p == '\\') {
			*out_escapes = true;
			if (check_escape(r))
				return BL_SYNTAX;
			continue;
		}
		if ((unsigned char)*r->p < 0x20)
			return fail_string(r, from);
		len = bl_utf8_decode(text, (size_t)(r->p - r->start), &rune);
		if (!len)
			return fail_string(r, from);
		r->p += len;
	}
}

/*
 * A string with escapes, decoded into the arena.  It never gets longer.  Where
 * it is to be packed, which copies it, it is the arena's only until then.
 */
static enum bl_status decode_string(struct reader *r, struct bl_str raw,
				    struct bl_value *out)
{
	char *text = bl_arena_alloc_aligned(r->arena, raw.len, 1);
	size_t len;

	if (!text)
		return fail_arena(r);
	if (r->packer)
		r->arena->next = text;
	len = bl_json_unescape(raw, text, &r->report->had_lone_surrogate);
	*out = bl_value_string((struct bl_str){ text, len });
	return BL_OK;
}

/* The string whose opening quote is at r->p. */
static inline enum bl_status read_string(struct reader *r, struct bl_value *out)
{
	const char *from = ++r->p;
	struct bl_str raw;
	bool escapes;

	if (find_quote(r, &escapes))
		return BL_SYNTAX;
	raw = (struct bl_str){ from, (size_t)(r->p - from) };
	r->p++;
	if (BL_UNLIKELY(escapes))
		return decode_string(r, raw, out);
	*out = bl_value_string(raw);
	return BL_OK;
}

/* ---- numbers and words -------------------------------------------------- */

static bool is_digit(const struct reader *r, const char *p)
{
	return p < r->end && *p >= '0' && *p <= '9';
}

/* Digits at r->p, at least one. */
static enum bl_status read_digits(struct reader *r, const char *expected)
{
	if (!is_digit(r, r->p))
		return fail_expected(r, r->p, expected);
	while (is_digit(r, r->p))
		r->p++;
	return BL_OK;
}

/* Numbers that the fast way does not take: fractions, exponents, many digits. */
static enum bl_status read_long_number(struct reader *r, struct bl_value *out)
{
	const char *from = r->p;

	if (*r->p == '-')
		r->p++;
	if (is_digit(r, r->p) && *r->p == '0' && is_digit(r, r->p + 1))
		return FAIL(r, r->p, "a number that starts with a needless 0");
	if (read_digits(r, "a digit of a number"))
		return BL_SYNTAX;
	if (r->p < r->end && *r->p == '.') {
		r->p++;
		if (read_digits(r, "a digit after the decimal point"))
			return BL_SYNTAX;
	}
	if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
		r->p++;
		if (r->p < r->end && (*r->p == '-' || *r->p == '+'))
			r->p++;
		if (read_digits(r, "a digit of the exponent"))
			return BL_SYNTAX;
	}
	if (bl_number_from_text((struct bl_str){ from, (size_t)(r->p - from) },
				out))
		return FAIL_LIMIT(r, from,
				  "a number with more than %d digits or an "
				  "exponent beyond %d",
				  BL_NUMBER_MAX_DIGITS, BL_NUMBER_MAX_EXPONENT);
	return BL_OK;
}

static inline enum bl_status read_number(struct reader *r, struct bl_value *out)
{
	bool negative = *r->p == '-';
	const char *from = r->p + negative;
	const char *p = from;
	uint64_t value = 0; /* may wrap: then there are too many digits */

	while (is_digit(r, p))
		value = value * 10 + (uint64_t)(*p++ - '0');
	/* Whatever is not plainly a small integer takes the long way. */
	if (BL_UNLIKELY(p == from || p - from > FEW_DIGITS ||
			(*from == '0' && (p - from > 1 || negative)) ||
			(p < r->end && (*p == '.' || (*p | 0x20) == 'e'))))
		return read_long_number(r, out);
	r->p = p;
	*out = bl_value_integer(negative ? -(int64_t)value : (int64_t)value);
	return BL_OK;
}

/* true, false and null; also where no value starts. */
static enum bl_status read_word(struct reader *r, struct bl_value *out)
{
	static const struct {
		struct bl_str word;
		struct bl_value value;
	} words[] = {
		{ { "true", 4 },
		  { .kind = BL_KIND_BOOLEAN, .as.boolean = true } },
		{ { "false", 5 }, { .kind = BL_KIND_BOOLEAN } },
		{ { "null", 4 }, { .kind = BL_KIND_NULL } },
	};
	struct bl_str rest = { r->p, (size_t)(r->end - r->p) };

	for (size_t i = 0; i < BL_COUNT(words); i++) {
		if (bl_str_has_prefix(rest, words[i].word)) {
			r->p += words[i].word.len;
			*out = words[i].value;
			return BL_OK;
		}
	}
	return fail_expected(r, r->p, "a value");
}

/* ---- containers --------------------------------------------------------- */

void *bl_json_grow_list(struct reader *r, void *list, const void *first,
			size_t old_bytes)
{
	void *grown;

	if (old_bytes > r->arena->limit_bytes / 2) {
		r->arena->status = BL_LIMIT;
		return NULL;
	}
	grown = realloc(list == first ? NULL : list, 2 * old_bytes);
	if (!grown)
		r->arena->status = BL_NO_MEMORY;
	else if (list == first)
		memcpy(grown, first, old_bytes);
	return grown;
}

static bool grow_values(struct reader *r)
{
	struct bl_value *slots = bl_json_grow_list(
		r, r->slots, r->first_slots, r->slot_cap * sizeof(*slots));

	if (slots)
		r->slots = slots;
	return slots;
}

static BL_COLD bool grow_slots(struct reader *r)
{
	uint32_t *offsets;

	if (r->packer ? !bl_json_compact_grow(r) : !grow_values(r))
		return false;
	offsets = bl_json_grow_list(r, r->offsets, r->first_offsets,
				    r->slot_cap * sizeof(*offsets));
	if (!offsets)
		return false;
	r->offsets = offsets;
	r->slot_cap *= 2;
	return true;
}

static BL_COLD bool grow_levels(struct reader *r)
{
	struct level *levels = bl_json_grow_list(
		r, r->levels, r->first_levels, r->level_cap * sizeof(*levels));

	if (!levels)
		return false;
	r->levels = levels;
	r->level_cap *= 2;
	return true;
}

/* Takes the next slot, for what stands at r->p; NULL when memory is out. */
static inline struct bl_value *take_slot(struct reader *r)
{
	if (BL_UNLIKELY(r->slot_count == r->slot_cap) && !grow_slots(r))
		return NULL;
	r->offsets[r->slot_count] = (uint32_t)(r->p - r->start);
	if (!r->packer)
		return &r->slots[r->slot_count++];
	if (BL_UNLIKELY(r->p >= r->give_back_at))
		bl_json_compact_give_back(r);
	r->slot_count++;
	return r->slots;
}

/* Steps over the bracket at r->p and into its level. */
static enum bl_status open_level(struct reader *r)
{
	if (r->depth == r->max_depth)
		return FAIL_LIMIT(r, r->p, "nested more than %zu levels deep",
				  r->max_depth);
	if (r->depth == r->level_cap && !grow_levels(r))
		return fail_arena(r);
	if (!take_slot(r)) /* for the container itself */
		return fail_arena(r);
	r->levels[r->depth++] =
		(struct level){ (uint32_t)r->slot_count, *r->p == '{' };
	r->p++;
	return BL_OK;
}

/*
 * Notes that count keys of an object repeat one before them, the first of them
 * in slot.
 */
static BL_COLD void note_repeat(struct reader *r, size_t slot, size_t count,
				struct bl_str key)
{
	struct bl_json_report *report = r->report;

	report->repeated_key_count += count;
	if (report->repeated_key_count > count)
		return;
	report->repeated_place =
		bl_json_reader_place(r, r->start + r->offsets[slot]);
	report->repeated_key = key;
}

static enum bl_status close_packed(struct reader *r, struct level level)
{
	size_t first = level.first_slot;
	size_t count = (r->slot_count - first) / 2, kept = count;
	struct bl_packed_repeat repeat = { .index = SIZE_MAX };

	if (!bl_json_compact_close(r, first, level.is_object, &kept, &repeat))
		return fail_arena(r);
	if (BL_UNLIKELY(repeat.index != SIZE_MAX)) {
		struct bl_str key = bl_arena_copy_str(
			r->arena, bl_value_text(bl_unpack(&repeat.key)));

		if (!key.ptr)
			return fail_arena(r);
		note_repeat(r, first + 2 * repeat.index, count - kept, key);
	}
	r->slot_count = first;
	r->p++;
	return BL_OK;
}

/* The bracket at r->p closes the innermost level. */
static enum bl_status close_level(struct reader *r)
{
	struct level level = r->levels[--r->depth];
	size_t first = level.first_slot;
	size_t count = r->slot_count - first;
	struct bl_value *slots = r->slots + first;
	struct bl_value made;
	size_t repeat = SIZE_MAX;

	if (r->packer)
		return close_packed(r, level);
	if (level.is_object)
		made = bl_object_make(r->arena, (const void *)slots, count / 2,
				      &repeat);
	else
		made = bl_array_make(r->arena, slots, count);
	if (BL_UNLIKELY(!bl_value_is_defined(made)))
		return fail_arena(r);
	if (BL_UNLIKELY(repeat != SIZE_MAX))
		note_repeat(r, first + 2 * repeat, count / 2 - made.len,
			    bl_value_text(slots[2 * repeat]));
	if (r->places && !bl_json_places_add(r->places, made, slots,
					     r->offsets + first, count))
		return fail_arena(r);
	r->slot_count = first;
	r->slots[first - 1] = made;
	r->p++;
	return BL_OK;
}

/* A key and its colon. */
static enum bl_status read_key(struct reader *r)
{
	struct bl_value *slot;
	enum bl_status status;

	if (r->p == r->end || *r->p != '"')
		return fail_expected(r, r->p, "a key in double quotes");
	slot = take_slot(r);
	if (!slot)
		return fail_arena(r);
	status = read_string(r, slot);
	if (status)
		return status;
	if (BL_UNLIKELY(!pack_slot(r)))
		return fail_arena(r);
	if (r->p < r->end && *r->p == ':') {
		r->p++;
		return BL_OK;
	}
	if (skip_space(r))
		return BL_SYNTAX;
	if (r->p == r->end || *r->p != ':')
		return fail_expected(r, r->p, "':' after a key");
	r->p++;
	return BL_OK;
}

static enum bl_status read_scalar(struct reader *r)
{
	struct bl_value *slot = take_slot(r);
	enum bl_status status;

	if (!slot)
		return fail_arena(r);
	if (*r->p == '"')
		status = read_string(r, slot);
	else if (*r->p == '-' || (*r->p >= '0' && *r->p <= '9'))
		status = read_number(r, slot);
	else
		status = read_word(r, slot);
	if (!status && BL_UNLIKELY(!pack_slot(r)))
		return fail_arena(r);
	return status;
}

static bool closes(const struct reader *r, const struct level *level)
{
	return r->p < r->end && *r->p == (level->is_object ? '}' : ']');
}

/*
 * After a value: closes every level that ends here.  Then either all is read
 * (depth 0), or a comma was and the next member is to come.
 */
static enum bl_status read_after_value(struct reader *r)
{
	enum bl_status status;

	while (r->depth) {
		const struct level *level = &r->levels[r->depth - 1];
		const char *comma;

		if (skip_space(r))
			return BL_SYNTAX;
		if (closes(r, level)) {
			status = close_level(r);
			if (status)
				return status;
			continue;
		}
		if (r->p == r->end || *r->p != ',')
			return fail_expected(r, r->p,
					     level->is_object ? "',' or '}'"
							      : "',' or ']'");
		comma = r->p++;
		if (skip_space(r))
			return BL_SYNTAX;
		if (BL_UNLIKELY(closes(r, level)))
			return FAIL(r, comma,
				    "a comma before '%c' (trailing commas are "
				    "not JSON)",
				    *r->p);
		return level->is_object ? read_key(r) : BL_OK;
	}
	return BL_OK;
}

/*
 * At the start of a value: reads it, or opens it and reads up to its first
 * member (*out_more).
 */
static enum bl_status read_value(struct reader *r, bool *out_more)
{
	const struct level *level;
	enum bl_status status;

	*out_more = false;
	if (skip_space(r))
		return BL_SYNTAX;
	if (r->p == r->end)
		return fail_expected(r, r->p, "a value");
	if (*r->p != '{' && *r->p != '[')
		return read_scalar(r);
	status = open_level(r);
	if (status)
		return status;
	level = &r->levels[r->depth - 1];
	if (skip_space(r))
		return BL_SYNTAX;
	if (closes(r, level))
		return close_level(r);
	*out_more = true;
	if (!level->is_object)
		return BL_OK;
	if (r->p == r->end || *r->p != '"')
		return fail_expected(r, r->p, "a key in double quotes or '}'");
	return read_key(r);
}

static enum bl_status read_all(struct reader *r)
{
	enum bl_status status;
	bool more;

	do {
		status = read_value(r, &more);
		if (!status && !more)
			status = read_after_value(r);
		if (status)
			return status;
	} while (r->depth);
	if (skip_space(r))
		return BL_SYNTAX;
	if (r->p != r->end)
		return fail_expected(r, r->p, "the end of the text");
	return BL_OK;
}

/* ---- entry points ------------------------------------------------------- */

static enum bl_status skip_bom(struct reader *r)
{
	struct bl_str text = { r->start, (size_t)(r->end - r->start) };

	if (!bl_str_has_prefix(text, BL_STR("\xEF\xBB\xBF")))
		return BL_OK;
	if (!r->options->allow_bom)
		return FAIL(r, r->p,
			    "a byte order mark (U+FEFF) before the value");
	r->report->had_bom = true;
	r->p += 3;
	return BL_OK;
}

static enum bl_status check_size(struct reader *r)
{
	size_t max = r->options->max_bytes;

	if (!max || max > UINT32_MAX)
		max = UINT32_MAX;
	if ((size_t)(r->end - r->start) > max)
		return FAIL_LIMIT(r, r->start, "a text of more than %zu bytes",
				  max);
	return BL_OK;
}

static enum bl_status read_text(struct reader *r)
{
	enum bl_status status = check_size(r);

	if (!status)
		status = skip_bom(r);
	if (!status)
		status = skip_space(r);
	if (status)
		return status;
	if (r->options->out_places) {
		r->places = bl_json_places_new(
			r->arena,
			(struct bl_str){ r->start,
					 (size_t)(r->end - r->start) });
		if (!r->places)
			return fail_arena(r);
	}
	if (r->options->compact && !r->places && !bl_json_compact_begin(r))
		return fail_arena(r);
	status = read_all(r);
	if (!status && r->places &&
	    !bl_json_places_end(r->places, r->offsets[0]))
		return fail_arena(r);
	return status;
}

/* The lists of the reader itself; it is not cleared, which would take long. */
static void init_lists(struct reader *r)
{
	r->slots = r->first_slots;
	r->offsets = r->first_offsets;
	r->slot_count = 0;
	r->slot_cap = FIRST_SLOTS;
	r->levels = r->first_levels;
	r->depth = 0;
	r->level_cap = FIRST_LEVELS;
}

static void free_lists(struct reader *r)
{
	if (r->slots != r->first_slots)
		free(r->slots);
	if (r->offsets != r->first_offsets)
		free(r->offsets);
	if (r->levels != r->first_levels)
		free(r->levels);
	if (r->packer)
		bl_json_compact_end(r);
}

enum bl_status bl_json_read(struct bl_arena *arena, struct bl_str text,
			    const struct bl_json_options *options,
			    struct bl_value *out_value,
			    struct bl_json_report *report,
			    struct bl_place *out_place, struct bl_error *err)
{
	static const struct bl_json_options strict;
	struct bl_json_report unread = { 0 };
	struct reader r;
	enum bl_status status;
	uint32_t depth;

	options = options ? options : &strict;
	depth = options->max_depth ? options->max_depth : BL_JSON_DEFAULT_DEPTH;
	r.start = r.p = text.ptr ? text.ptr : "";
	r.end = r.start + text.len;
	r.arena = arena;
	r.options = options;
	r.report = report ? report : &unread;
	r.places = NULL;
	r.packer = NULL;
	r.kept = r.start;
	r.kept_place = (struct bl_place){ .line = 1, .column = 1 };
	r.err = err;
	r.out_place = out_place;
	r.max_depth = depth < BL_JSON_MAX_DEPTH ? depth : BL_JSON_MAX_DEPTH;
	*r.report = (struct bl_json_report){ 0 };
	init_lists(&r);
	status = read_text(&r);
	if (!status && r.packer && !bl_json_compact_root(&r, out_value))
		status = fail_arena(&r);
	if (!status) {
		if (!r.packer)
			*out_value = r.slots[0];
		if (options->out_places)
			*options->out_places = r.places;
	}
	free_lists(&r);
	return status;
}
