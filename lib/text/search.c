/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses how to search: plain texts, bits, the automaton, or all threads. */
#include "text/regex.h"

enum {
	/* Shorter texts are done before an automaton has its states. */
	DFA_TEXT_MIN_BYTES = 512,
	MEMCHR_TRIES = 8,
};

static bool at_word_edge(struct bl_str text, size_t at)
{
	bool before = at > 0 && regex_is_word((unsigned char)text.ptr[at - 1]);
	bool after =
		at < text.len && regex_is_word((unsigned char)text.ptr[at]);

	return before != after;
}

bool regex_holds(uint32_t bit, struct bl_str text, size_t at)
{
	switch ((enum regex_assert)bit) {
	case AT_TEXT_BEGIN:
		return at == 0;
	case AT_TEXT_END:
		return at == text.len;
	case AT_LINE_BEGIN:
		return at == 0 || text.ptr[at - 1] == '\n';
	case AT_LINE_END:
		return at == text.len || text.ptr[at] == '\n';
	case AT_WORD_EDGE:
		return at_word_edge(text, at);
	case AT_NO_WORD_EDGE:
		return !at_word_edge(text, at);
	}
	return false;
}

bool regex_set_has_wide(const struct bl_regex *regex,
			const struct regex_set *set, uint32_t rune)
{
	const struct regex_range *ranges = regex_at(regex, regex->ranges_at);
	uint32_t lo = 0, hi = set->range_count;

	ranges += set->range_first;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ranges[mid].hi < rune)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < set->range_count && ranges[lo].lo <= rune;
}

/* memchr beats memmem by far where the first byte is rare. */
static size_t find_text(struct bl_str text, struct bl_str needle, size_t from)
{
	const char *hit;

	for (int tries = 0; tries < MEMCHR_TRIES; tries++) {
		if (from > text.len || text.len - from < needle.len)
			return SIZE_MAX;
		hit = memchr(text.ptr + from, needle.ptr[0],
			     text.len - from - needle.len + 1);
		if (!hit)
			return SIZE_MAX;
		if (!memcmp(hit, needle.ptr, needle.len))
			return (size_t)(hit - text.ptr);
		from = (size_t)(hit - text.ptr) + 1;
	}
	hit = memmem(text.ptr + from, text.len - from, needle.ptr, needle.len);
	return hit ? (size_t)(hit - text.ptr) : SIZE_MAX;
}

size_t regex_next_start(const struct bl_regex *regex, struct bl_str text,
			size_t at)
{
	if (regex->anchored && at > 0)
		return SIZE_MAX;
	if (!regex->has_first || regex->anchored)
		return at;
	if (regex->prefix_len)
		return find_text(
			text,
			(struct bl_str){ regex_text(regex, regex->prefix_at),
					 regex->prefix_len },
			at);
	for (; at < text.len; at++) {
		unsigned char c = (unsigned char)text.ptr[at];

		if (regex->first[c >> 6] >> (c & 63) & 1)
			return at;
	}
	return SIZE_MAX;
}

/* Where literal occurs first, at or after from. */
static size_t find_literal(const struct bl_regex *regex,
			   const struct regex_literal *literal,
			   struct bl_str text, size_t from)
{
	struct bl_str needle = { regex_text(regex, literal->at), literal->len };
	bool begin = literal->asserts & AT_TEXT_BEGIN;
	bool end = literal->asserts & AT_TEXT_END;
	size_t at;

	if (text.len < needle.len || (begin && from > 0) ||
	    (begin && end && text.len != needle.len))
		return SIZE_MAX;
	if (!begin && !end)
		return find_text(text, needle, from);
	at = begin ? 0 : text.len - needle.len;
	return at >= from && !memcmp(text.ptr + at, needle.ptr, needle.len)
		       ? at
		       : SIZE_MAX;
}

/* The leftmost literal, the first in the pattern where two start together. */
static bool search_literals(const struct regex_search *search)
{
	const struct bl_regex *regex = search->regex;
	const struct regex_literal *literals = regex_literals(regex);
	struct bl_span best = { SIZE_MAX, SIZE_MAX };

	for (size_t i = regex->literal_count; i-- > 0;) {
		size_t at = find_literal(regex, &literals[i], search->text,
					 search->from);

		if (at < best.from)
			best = (struct bl_span){ at, at + literals[i].len };
		if (at != SIZE_MAX && !search->span_count)
			return true;
	}
	if (best.from != SIZE_MAX && search->span_count)
		search->spans[0] = best;
	return best.from != SIZE_MAX;
}

static enum bl_status choose(struct regex_search *search, bool *out_found)
{
	bool gave_up = true;
	enum bl_status status;

	if (search->regex->literal_count &&
	    search->span_count <= search->regex->literals_whole) {
		*out_found = search_literals(search);
		return BL_OK;
	}
	if (search->text.len - search->from >= DFA_TEXT_MIN_BYTES) {
		status = regex_dfa(search, out_found, &search->from, &gave_up);
		if (status)
			return status;
	} else if (!search->span_count &&
		   search->regex->inst_count <= REGEX_BITS_MAX) {
		*out_found = regex_bits(search);
		return BL_OK;
	}
	if (!gave_up && (!*out_found || !search->span_count))
		return BL_OK;
	return regex_pike(search, out_found);
}

enum bl_status bl_regex_search(const struct bl_regex *regex,
			       struct bl_arena *arena, struct bl_str text,
			       size_t from, struct bl_span *spans,
			       size_t span_count, bool *out_found)
{
	struct regex_search search = { regex, arena, text,
				       from,  spans, span_count };
	struct bl_arena before = *arena;
	bool found = false;
	enum bl_status status = BL_OK;

	if (from <= text.len)
		status = choose(&search, &found);
	/* Searches in a loop shall not pile up their scratch memory. */
	if (arena->blocks == before.blocks)
		arena->next = before.next;
	if (!status)
		*out_found = found;
	return status;
}
