/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text/regex.h: the compiled program.
 *
 * One piece of memory that holds no pointers: offsets count from the struct's
 * first byte, so it can be copied and mapped.  Nothing in it changes after
 * bl_regex_compile.
 */
#ifndef BELAY_TEXT_REGEX_H
#define BELAY_TEXT_REGEX_H

#include "base/utf8.h"
#include "text/text.h"

enum regex_op {
	OP_MATCH,
	OP_CHAR,   /* arg: the character */
	OP_SET,    /* arg: index of the set */
	OP_SPLIT,  /* prefer next, then arg */
	OP_SAVE,   /* arg: the slot that takes the position */
	OP_ASSERT, /* arg: an enum regex_assert bit that must hold here */
};

/* The asserts that can hold at a position. */
enum regex_assert {
	AT_TEXT_BEGIN = 1,
	AT_TEXT_END = 2,
	AT_LINE_BEGIN = 4,
	AT_LINE_END = 8,
	AT_WORD_EDGE = 16,
	AT_NO_WORD_EDGE = 32,
};

struct regex_inst {
	uint32_t op;
	uint32_t next;
	uint32_t arg;
};

struct regex_range {
	uint32_t lo;
	uint32_t hi;
};

struct regex_set {
	uint64_t ascii[2];
	uint32_t range_first; /* the ranges from U+0080 up, rising */
	uint32_t range_count;
};

struct regex_name {
	uint32_t at;
	uint32_t len;
};

/*
 * A pattern that is only an alternation of these; what may be anything before or
 * behind them is left out when only the answer counts.
 */
struct regex_literal {
	uint32_t at;
	uint32_t len;
	uint32_t asserts; /* AT_TEXT_BEGIN, AT_TEXT_END or both */
};

struct bl_regex {
	uint32_t bytes; /* of everything */
	uint32_t start; /* the first instruction */
	uint32_t inst_count;
	uint32_t group_count;
	uint32_t literal_count;  /* 0: not an alternation of literals */
	uint32_t literals_whole; /* nothing is left out: they are the match */
	uint32_t asserts;        /* all asserts in use */
	uint32_t prefix_at;      /* every match starts with these bytes */
	uint32_t prefix_len;
	uint32_t anchored;  /* a match can only start where the text does */
	uint32_t has_first; /* a match starts with a byte of first */
	/*
	 * Where an anchored program goes on behind its prefix, when nothing but
	 * the prefix has to hold there; bytes 0: not known.
	 */
	uint32_t skip_bytes;
	uint32_t skip_to;
	/* The set of a loop that only the end of the text may follow (tail). */
	uint32_t tail_set;
	uint32_t insts_at;
	uint32_t sets_at;
	uint32_t ranges_at;
	uint32_t names_at;
	uint32_t literals_at;
	uint32_t bytes_at; /* what the texts below count from */
	uint64_t first[4];
	/* Of programs with at most REGEX_BITS_MAX instructions, bit by bit. */
	uint64_t asserts_at;
	uint64_t matches_at;
	uint64_t tail; /* threads in the loop of tail_set, and at its end */
};

_Static_assert(sizeof(struct bl_regex) == 136, "no padding: it is written out");

static inline const void *regex_at(const struct bl_regex *regex, uint32_t at)
{
	return (const char *)regex + at;
}

static inline const struct regex_inst *regex_insts(const struct bl_regex *regex)
{
	return regex_at(regex, regex->insts_at);
}

static inline const struct regex_set *regex_sets(const struct bl_regex *regex)
{
	return regex_at(regex, regex->sets_at);
}

static inline const struct regex_literal *
regex_literals(const struct bl_regex *regex)
{
	return regex_at(regex, regex->literals_at);
}

/* The text at byte at of the texts (names, literals, the prefix). */
static inline const char *regex_text(const struct bl_regex *regex, uint32_t at)
{
	return (const char *)regex + regex->bytes_at + at;
}

bool regex_set_has_wide(const struct bl_regex *regex,
			const struct regex_set *set, uint32_t rune);

/* Whether inst, an OP_CHAR or OP_SET, takes rune. */
static inline bool regex_takes(const struct bl_regex *regex,
			       const struct regex_inst *inst, uint32_t rune)
{
	const struct regex_set *set;

	if (inst->op == OP_CHAR)
		return inst->arg == rune;
	set = regex_sets(regex) + inst->arg;
	if (rune < 128)
		return set->ascii[rune >> 6] >> (rune & 63) & 1;
	return regex_set_has_wide(regex, set, rune);
}

static inline bool regex_is_word(uint32_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || c == '_';
}

/* Whether bit, an enum regex_assert, holds at byte at. */
bool regex_holds(uint32_t bit, struct bl_str text, size_t at);

/* The character at byte at (< text.len); not UTF-8 is U+FFFD of one byte. */
static inline size_t regex_decode(struct bl_str text, size_t at,
				  uint32_t *out_rune)
{
	unsigned char c = (unsigned char)text.ptr[at];
	size_t len;

	if (c < 128) {
		*out_rune = c;
		return 1;
	}
	len = bl_utf8_decode(text, at, out_rune);
	if (len)
		return len;
	*out_rune = BL_REPLACEMENT_CHAR;
	return 1;
}

/* The next place at or after at where a match could start, or SIZE_MAX. */
size_t regex_next_start(const struct bl_regex *regex, struct bl_str text,
			size_t at);

/* One search, as all engines take it. */
struct regex_search {
	const struct bl_regex *regex;
	struct bl_arena *arena;
	struct bl_str text;
	size_t from;
	struct bl_span *spans;
	size_t span_count;
};

/* Each sets *out_found on OK, and fails with NO_MEMORY or LIMIT. */
enum bl_status regex_pike(const struct regex_search *search, bool *out_found);

/* Only whether there is a match; for at most REGEX_BITS_MAX instructions. */
enum { REGEX_BITS_MAX = 64 };
bool regex_bits(const struct regex_search *search);

/*
 * Only whether there is a match, and a place not after the start of the
 * leftmost one.  *out_gave_up: the states do not fit; nothing is known.
 */
enum bl_status regex_dfa(const struct regex_search *search, bool *out_found,
			 size_t *out_start_after, bool *out_gave_up);

#endif
