/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The automaton whose states are lists of threads, made while it runs.  It
 * answers whether there is a match and where to start looking for its groups.
 *
 * A state is the list of places that wait for a character or for an assert,
 * and what the text before says about asserts.  The asserts that hold at a position are
 * known only with the character behind it, so asserts are looked at, and a
 * match is seen, on the way out of a state.
 *
 * a+b in "caab", with the program 0: a, 1: split to 0 and 2, 2: b, 3: match.
 * Splits are followed at once, so only 0, 2 and 3 are ever places:
 *
 *	before	character	places before	places after	kept as
 *	""	c		0		0		first -c-> first
 *	"c"	a		0		0 2		first -a-> second
 *	"ca"	a		0 2		0 2		second -a-> second
 *	"caa"	b		0 2		3 0		second -b-> third
 *	"caab"	end		3 0		match
 *
 * The 0 that comes back everywhere is the attempt that starts at this position.
 * Each arrow is worked out once; in the next "aaab" all four steps are four
 * looks into a table, whatever the pattern.
 */
#include "text/regex.h"

enum {
	STATES_MAX_BYTES = 1024 * 1024, /* then the other engine goes on */
	PROGRAM_MAX = 5000,
	BUCKET_COUNT = 256,
	WIDE_COUNT = 256,
	ASCII_COUNT = 128,
	END_OF_TEXT = ASCII_COUNT, /* a symbol behind the ASCII ones */
	SYMBOL_COUNT,
};

/* The facts that a state keeps about the text before it. */
enum {
	BEFORE_NOTHING = 1,
	BEFORE_NEWLINE = 2,
	BEFORE_WORD = 4,
	BEFORE_COUNT = 8,
	HAS_ASSERTS = 8, /* some places are asserts */
	IS_FRESH = 16,   /* no thread is older than this position */
};

struct state {
	struct state *chain; /* of its bucket */
	uint32_t flags;
	uint32_t count;
	uint32_t *places;
	struct state *next[SYMBOL_COUNT]; /* NULL: not known yet */
};

/* Where a wide character led last. */
struct wide {
	const struct state *from;
	struct state *to;
	uint32_t rune;
};

struct dfa {
	const struct bl_regex *regex;
	const struct regex_inst *insts;
	struct bl_arena *arena;
	size_t bytes;
	enum bl_status status;
	bool full;
	uint32_t generation;
	uint32_t *marks;
	uint32_t *todo;
	uint32_t *now; /* places, asserts resolved */
	uint32_t *places;
	uint32_t place_count;
	bool cut; /* a match ends the list */
	struct state *starts[BEFORE_COUNT];
	struct state *buckets[BUCKET_COUNT];
	struct wide wide[WIDE_COUNT];
	struct state dead; /* the two ends; only their addresses count */
	struct state matched;
};

/* Enters at and what can be reached without a character.  Asserts become
 * places, or are judged when judge is set. */
static void enter(struct dfa *dfa, uint32_t at, bool judge, uint32_t asserts)
{
	uint32_t todo_count = 0;

	dfa->todo[todo_count++] = at;
	while (todo_count && !dfa->cut) {
		const struct regex_inst *inst;

		at = dfa->todo[--todo_count];
		if (dfa->marks[at] == dfa->generation)
			continue;
		dfa->marks[at] = dfa->generation;
		inst = &dfa->insts[at];
		if (inst->op == OP_SPLIT) {
			dfa->todo[todo_count++] = inst->arg;
			dfa->todo[todo_count++] = inst->next;
		} else if (inst->op == OP_SAVE) {
			dfa->todo[todo_count++] = inst->next;
		} else if (inst->op == OP_ASSERT && judge) {
			if (inst->arg & asserts)
				dfa->todo[todo_count++] = inst->next;
		} else {
			dfa->places[dfa->place_count++] = at;
			dfa->cut = inst->op == OP_MATCH;
		}
	}
}

static void new_list(struct dfa *dfa)
{
	dfa->place_count = 0;
	dfa->cut = false;
	if (++dfa->generation == 0) {
		memset(dfa->marks, 0,
		       dfa->regex->inst_count * sizeof(*dfa->marks));
		dfa->generation = 1;
	}
}

static uint32_t hash_of(const struct dfa *dfa, uint32_t flags)
{
	uint32_t hash = flags * 0x9E3779B1u;

	for (uint32_t i = 0; i < dfa->place_count; i++)
		hash = (hash ^ dfa->places[i]) * 0x01000193u;
	return (hash ^ hash >> 15) % BUCKET_COUNT;
}

static struct state *new_state(struct dfa *dfa, uint32_t flags)
{
	size_t bytes =
		sizeof(struct state) + dfa->place_count * sizeof(uint32_t);
	struct state *state;

	dfa->bytes += bytes;
	if (dfa->bytes > STATES_MAX_BYTES) {
		dfa->full = true;
		return NULL;
	}
	state = bl_arena_alloc(dfa->arena, bytes);
	if (!state) {
		dfa->status = bl_arena_why(dfa->arena);
		return NULL;
	}
	memset(state, 0, sizeof(*state));
	state->flags = flags;
	state->count = dfa->place_count;
	state->places = (uint32_t *)(state + 1);
	memcpy(state->places, dfa->places, dfa->place_count * sizeof(uint32_t));
	return state;
}

/* The state of the list that was made; NULL: no room. */
static struct state *find_state(struct dfa *dfa, uint32_t flags)
{
	struct state **bucket, *state;

	if (!dfa->place_count && dfa->regex->anchored)
		return &dfa->dead;
	for (uint32_t i = 0; i < dfa->place_count; i++) {
		if (dfa->insts[dfa->places[i]].op == OP_ASSERT)
			flags |= HAS_ASSERTS;
	}
	bucket = &dfa->buckets[hash_of(dfa, flags)];
	for (state = *bucket; state; state = state->chain) {
		if (state->flags == flags && state->count == dfa->place_count &&
		    !memcmp(state->places, dfa->places,
			    state->count * sizeof(uint32_t)))
			return state;
	}
	state = new_state(dfa, flags);
	if (state) {
		state->chain = *bucket;
		*bucket = state;
	}
	return state;
}

static bool uses(const struct dfa *dfa, uint32_t asserts)
{
	return dfa->regex->asserts & asserts;
}

/* The facts at a position behind the character rune. */
static uint32_t before_flags(const struct dfa *dfa, uint32_t rune)
{
	uint32_t flags = 0;

	if (rune == '\n' && uses(dfa, AT_LINE_BEGIN))
		flags |= BEFORE_NEWLINE;
	if (regex_is_word(rune) && uses(dfa, AT_WORD_EDGE | AT_NO_WORD_EDGE))
		flags |= BEFORE_WORD;
	return flags;
}

/* The asserts that hold between a state and the symbol behind it. */
static uint32_t asserts_between(const struct state *state, uint32_t symbol,
				bool at_end)
{
	bool word_before = state->flags & BEFORE_WORD;
	bool word_after = !at_end && regex_is_word(symbol);
	uint32_t asserts =
		word_before != word_after ? AT_WORD_EDGE : AT_NO_WORD_EDGE;

	if (state->flags & BEFORE_NOTHING)
		asserts |= AT_TEXT_BEGIN | AT_LINE_BEGIN;
	if (state->flags & BEFORE_NEWLINE)
		asserts |= AT_LINE_BEGIN;
	if (at_end)
		asserts |= AT_TEXT_END | AT_LINE_END;
	else if (symbol == '\n')
		asserts |= AT_LINE_END;
	return asserts;
}

/* The places of state after its asserts are judged, in dfa->now. */
static uint32_t resolve(struct dfa *dfa, const struct state *state,
			uint32_t symbol, bool at_end)
{
	uint32_t asserts;

	if (!(state->flags & HAS_ASSERTS)) {
		memcpy(dfa->now, state->places,
		       state->count * sizeof(uint32_t));
		return state->count;
	}
	asserts = asserts_between(state, symbol, at_end);
	new_list(dfa);
	for (uint32_t i = 0; i < state->count; i++)
		enter(dfa, state->places[i], true, asserts);
	memcpy(dfa->now, dfa->places, dfa->place_count * sizeof(uint32_t));
	return dfa->place_count;
}

/* Where symbol leads from state; NULL: no room. */
static struct state *make_next(struct dfa *dfa, const struct state *state,
			       uint32_t symbol, bool at_end)
{
	uint32_t count = resolve(dfa, state, symbol, at_end);
	uint32_t flags;

	for (uint32_t i = 0; i < count; i++) {
		if (dfa->insts[dfa->now[i]].op == OP_MATCH)
			return &dfa->matched;
	}
	if (at_end)
		return &dfa->dead;
	new_list(dfa);
	for (uint32_t i = 0; i < count; i++) {
		const struct regex_inst *inst = &dfa->insts[dfa->now[i]];

		if (regex_takes(dfa->regex, inst, symbol))
			enter(dfa, inst->next, false, 0);
	}
	flags = before_flags(dfa, symbol);
	if (!dfa->place_count)
		flags |= IS_FRESH;
	if (!dfa->regex->anchored)
		enter(dfa, dfa->regex->start, false, 0);
	return find_state(dfa, flags);
}

/* The state of a search that starts at position. */
static struct state *start_state(struct dfa *dfa, struct bl_str text,
				 size_t position)
{
	uint32_t flags = BEFORE_NOTHING;
	struct state *state;

	if (position)
		flags = before_flags(dfa,
				     (unsigned char)text.ptr[position - 1]);
	state = dfa->starts[flags];
	if (state)
		return state;
	new_list(dfa);
	if (!position || !dfa->regex->anchored)
		enter(dfa, dfa->regex->start, false, 0);
	state = find_state(dfa, flags | IS_FRESH);
	dfa->starts[flags] = state;
	return state;
}

static struct state *wide_next(struct dfa *dfa, struct state *state,
			       uint32_t rune)
{
	struct wide *wide =
		&dfa->wide[(rune ^ (uintptr_t)state >> 6) % WIDE_COUNT];

	if (wide->from != state || wide->rune != rune) {
		struct state *to = make_next(dfa, state, rune, false);

		if (!to)
			return NULL;
		*wide = (struct wide){ state, to, rune };
	}
	return wide->to;
}

/* The next state; *position moves behind the character. */
static struct state *advance(struct dfa *dfa, struct state *state,
			     struct bl_str text, size_t *position)
{
	bool at_end = *position == text.len;
	uint32_t symbol = END_OF_TEXT;

	if (!at_end)
		*position += regex_decode(text, *position, &symbol);
	if (!at_end && symbol >= ASCII_COUNT)
		return wide_next(dfa, state, symbol);
	if (!state->next[symbol])
		state->next[symbol] = make_next(dfa, state, symbol, at_end);
	return state->next[symbol];
}

/* As far as next states are known and text is ASCII and states old. */
static struct state *race(struct dfa *dfa, struct state *state,
			  struct bl_str text, size_t *position)
{
	size_t at = *position;

	while (at < text.len && !(state->flags & IS_FRESH)) {
		unsigned char c = (unsigned char)text.ptr[at];
		struct state *next;

		if (c >= ASCII_COUNT)
			break;
		next = state->next[c];
		if (!next || next == &dfa->matched)
			break;
		state = next;
		at++;
		if (state == &dfa->dead)
			break;
	}
	*position = at;
	return state;
}

/* The state at the end: matched, dead, or NULL when there was no room. */
static struct state *run(struct dfa *dfa, struct bl_str text, size_t position,
			 size_t *out_start_after)
{
	struct state *state = start_state(dfa, text, position);

	*out_start_after = position;
	while (state && state != &dfa->matched && state != &dfa->dead) {
		if (state->flags & IS_FRESH) {
			position = regex_next_start(dfa->regex, text, position);
			if (position == SIZE_MAX)
				return &dfa->dead;
			*out_start_after = position;
			state = start_state(dfa, text, position);
		} else {
			state = race(dfa, state, text, &position);
		}
		if (state && state != &dfa->dead)
			state = advance(dfa, state, text, &position);
	}
	return state;
}

static bool prepare(struct dfa *dfa, const struct regex_search *search)
{
	size_t n = search->regex->inst_count;
	uint32_t *words =
		bl_arena_alloc(search->arena, (5 * n + 2) * sizeof(*words));

	memset(dfa, 0, sizeof(*dfa));
	dfa->regex = search->regex;
	dfa->insts = regex_insts(search->regex);
	dfa->arena = search->arena;
	if (!words)
		return false;
	memset(words, 0, n * sizeof(*words));
	dfa->marks = words;
	dfa->now = words + n;
	dfa->places = words + 2 * n;
	dfa->todo = words + 3 * n;
	return true;
}

enum bl_status regex_dfa(const struct regex_search *search, bool *out_found,
			 size_t *out_start_after, bool *out_gave_up)
{
	struct dfa dfa;
	struct state *end;

	*out_start_after = search->from;
	*out_gave_up = search->regex->inst_count > PROGRAM_MAX;
	if (*out_gave_up)
		return BL_OK;
	if (!prepare(&dfa, search))
		return bl_arena_why(search->arena);
	end = run(&dfa, search->text, search->from, out_start_after);
	*out_gave_up = !end;
	*out_found = end == &dfa.matched;
	return dfa.status;
}
