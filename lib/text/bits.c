/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small programs on short texts, when only the answer counts and not where:
 * all threads are bits of one word, one per instruction.
 */
#include "text/regex.h"

struct bits {
	const struct regex_inst *insts;
	uint64_t follow[REGEX_BITS_MAX]; /* see follow_of */
	uint64_t known;                  /* which of them are filled in */
	uint64_t asserts;                /* the instructions that are one */
};

static uint64_t bit(uint32_t at)
{
	return (uint64_t)1 << at;
}

/* Takes the lowest bit out of *mask. */
static uint32_t take(uint64_t *mask)
{
	uint32_t at = (uint32_t)__builtin_ctzll(*mask);

	*mask &= *mask - 1;
	return at;
}

/* The states that can be reached from at without a character or an assert. */
static uint64_t follow_of(struct bits *bits, uint32_t at)
{
	uint64_t todo = bit(at), seen = 0, reached = 0;

	if (bits->known & bit(at))
		return bits->follow[at];
	while (todo) {
		uint32_t next = take(&todo);
		const struct regex_inst *inst = &bits->insts[next];

		seen |= bit(next);
		if (inst->op == OP_SPLIT)
			todo |= bit(inst->next) | bit(inst->arg);
		else if (inst->op == OP_SAVE)
			todo |= bit(inst->next);
		else
			reached |= bit(next);
		todo &= ~seen;
	}
	bits->known |= bit(at);
	bits->follow[at] = reached;
	return reached;
}

/* Follows the asserts among mask that hold at byte at. */
static uint64_t pass_asserts(struct bits *bits, uint64_t mask,
			     struct bl_str text, size_t at)
{
	uint64_t todo = mask & bits->asserts;

	while (todo) {
		const struct regex_inst *inst = &bits->insts[take(&todo)];
		uint64_t more;

		if (!regex_holds(inst->arg, text, at))
			continue;
		more = follow_of(bits, inst->next) & ~mask;
		mask |= more;
		todo |= more & bits->asserts;
	}
	return mask & ~bits->asserts;
}

static uint64_t step(const struct bl_regex *regex, struct bits *bits,
		     uint64_t mask, uint32_t rune)
{
	uint64_t next = 0;

	while (mask) {
		const struct regex_inst *inst = &bits->insts[take(&mask)];

		if (regex_takes(regex, inst, rune))
			next |= follow_of(bits, inst->next);
	}
	return next;
}

/* Does the rest of the text consist of characters of the set? */
static bool rest_is_in(const struct bl_regex *regex, struct bl_str text,
		       size_t at)
{
	const struct regex_set *set = regex_sets(regex) + regex->tail_set;
	uint32_t rune;

	while (at < text.len) {
		unsigned char c = (unsigned char)text.ptr[at];

		if (c < 128) {
			if (!(set->ascii[c >> 6] >> (c & 63) & 1))
				return false;
			at++;
			continue;
		}
		at += regex_decode(text, at, &rune);
		if (!regex_set_has_wide(regex, set, rune))
			return false;
	}
	return true;
}

bool regex_bits(const struct regex_search *search)
{
	const struct bl_regex *regex = search->regex;
	struct bl_str text = search->text;
	uint64_t mask = 0;
	size_t at = search->from;
	struct bits bits;
	uint32_t rune;

	bits.insts = regex_insts(regex);
	bits.known = 0;
	bits.asserts = regex->asserts_at;
	if (regex->skip_bytes && at == 0) {
		if (text.len < regex->skip_bytes ||
		    memcmp(text.ptr, regex_text(regex, regex->prefix_at),
			   regex->skip_bytes) != 0)
			return false;
		at = regex->skip_bytes;
		mask = follow_of(&bits, regex->skip_to);
	}
	for (;;) {
		if (!mask) {
			at = regex_next_start(regex, text, at);
			if (at == SIZE_MAX)
				return false;
		}
		if (!regex->anchored || at == 0)
			mask |= follow_of(&bits, regex->start);
		if (regex->tail && mask == regex->tail)
			return rest_is_in(regex, text, at);
		if (mask & bits.asserts)
			mask = pass_asserts(&bits, mask, text, at);
		if (mask & regex->matches_at)
			return true;
		if (at == text.len)
			return false;
		at += regex_decode(text, at, &rune);
		mask = step(regex, &bits, mask, rune);
	}
}
