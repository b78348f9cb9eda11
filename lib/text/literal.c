/* SPDX-License-Identifier: Apache-2.0 */
/* Facts for a search before it runs the program: how a match starts, and
 * whether the pattern is only an alternation of plain texts. */
#include "text/program.h"

enum {
	WALK_STEPS_MAX = 256, /* then nothing is known about starts */
	PREFIX_BYTES_MAX = 64,
	LAST_RUNE = 0x10FFFF,
};

/* ---- starts ----------------------------------------------------------------
 */

struct walk {
	const struct program *program;
	uint64_t first[4];
	uint32_t todo[WALK_STEPS_MAX]; /* 2 * number + seen the text's begin */
	uint32_t todo_count;
	bool floating; /* a match can start elsewhere, too */
	bool empty;    /* it can be empty: any byte may follow */
};

static void note_first(struct walk *walk, const struct regex_inst *inst)
{
	const struct regex_set *set;

	if (inst->op == OP_CHAR && inst->arg < 128) {
		walk->first[inst->arg >> 6] |= (uint64_t)1 << (inst->arg & 63);
		return;
	}
	if (inst->op == OP_SET) {
		set = (const struct regex_set *)walk->program->sets.ptr +
		      inst->arg;
		walk->first[0] |= set->ascii[0];
		walk->first[1] |= set->ascii[1];
		if (!set->range_count)
			return;
	}
	/* Lead bytes, and those of broken text, which are U+FFFD. */
	walk->first[2] = walk->first[3] = UINT64_MAX;
}

static void walk_push(struct walk *walk, uint32_t at, uint32_t seen)
{
	walk->todo[walk->todo_count++] = 2 * at + seen;
}

static void walk_step(struct walk *walk, uint32_t at, uint32_t seen)
{
	const struct regex_inst *inst =
		(const struct regex_inst *)walk->program->insts.ptr + at;

	switch ((enum regex_op)inst->op) {
	case OP_MATCH:
		walk->empty = true;
		walk->floating = walk->floating || !seen;
		break;
	case OP_CHAR:
	case OP_SET:
		note_first(walk, inst);
		walk->floating = walk->floating || !seen;
		break;
	case OP_SPLIT:
		walk_push(walk, inst->arg, seen);
		walk_push(walk, inst->next, seen);
		break;
	case OP_ASSERT:
		seen |= inst->arg == AT_TEXT_BEGIN;
		walk_push(walk, inst->next, seen);
		break;
	case OP_SAVE:
		walk_push(walk, inst->next, seen);
		break;
	}
}

/* The bytes that every match starts with. */
static bool note_prefix(struct program *program)
{
	const struct regex_inst *insts =
		(const struct regex_inst *)program->insts.ptr;
	uint32_t at = program->head.start;
	char encoded[BL_UTF8_MAX_BYTES];
	bool plain = true; /* nothing but the prefix has to hold */

	program->head.prefix_at = (uint32_t)program->bytes.len;
	for (;; at = insts[at].next) {
		size_t len;

		if (insts[at].op == OP_SAVE || insts[at].op == OP_ASSERT) {
			plain &= insts[at].op == OP_SAVE ||
				 (insts[at].arg == AT_TEXT_BEGIN &&
				  !program->head.prefix_len);
			continue;
		}
		if (insts[at].op != OP_CHAR ||
		    insts[at].arg == BL_REPLACEMENT_CHAR ||
		    program->head.prefix_len >= PREFIX_BYTES_MAX)
			break;
		len = bl_utf8_encode(insts[at].arg, encoded);
		if (!program_put(program, &program->bytes, encoded, len))
			return false;
		program->head.prefix_len += (uint32_t)len;
	}
	if (plain && program->head.anchored) {
		program->head.skip_bytes = program->head.prefix_len;
		program->head.skip_to = at;
	}
	return true;
}

bool program_note_starts(struct program *program)
{
	struct walk walk;
	uint32_t steps = 0;

	walk.program = program;
	memset(walk.first, 0, sizeof(walk.first));
	walk.todo_count = 0;
	walk.floating = walk.empty = false;
	walk_push(&walk, program->head.start, 0);
	while (walk.todo_count) {
		uint32_t todo = walk.todo[--walk.todo_count];

		if (++steps >= WALK_STEPS_MAX / 2)
			return true;
		walk_step(&walk, todo / 2, todo & 1);
	}
	program->head.anchored = !walk.floating;
	program->head.has_first = !walk.empty;
	memcpy(program->head.first, walk.first, sizeof(walk.first));
	return note_prefix(program);
}

/* ---- bits ------------------------------------------------------------------
 */

/* Is `at` the end of the text and then the match? */
static bool is_end(const struct regex_inst *insts, uint32_t at)
{
	if (insts[at].op != OP_ASSERT || insts[at].arg != AT_TEXT_END)
		return false;
	do
		at = insts[at].next;
	while (insts[at].op == OP_SAVE);
	return insts[at].op == OP_MATCH;
}

/*
 * Notes x*$ at the end, where x is a set.  Only of anchored patterns: elsewhere
 * a match may begin behind what is not in the set.
 */
static void note_tail(struct program *program, const struct regex_inst *insts,
		      uint32_t split)
{
	uint32_t set = insts[split].next, end = insts[split].arg;

	if (insts[set].op != OP_SET) {
		set = insts[split].arg;
		end = insts[split].next;
	}
	if (insts[set].op != OP_SET || insts[set].next != split)
		return;
	while (insts[end].op == OP_SAVE)
		end = insts[end].next;
	if (!is_end(insts, end))
		return;
	program->head.tail = (uint64_t)1 << set | (uint64_t)1 << end;
	program->head.tail_set = insts[set].arg;
}

void program_note_bits(struct program *program)
{
	const struct regex_inst *insts =
		(const struct regex_inst *)program->insts.ptr;

	if (program->head.inst_count > REGEX_BITS_MAX)
		return;
	for (uint32_t i = 0; i < program->head.inst_count; i++) {
		if (insts[i].op == OP_ASSERT)
			program->head.asserts_at |= (uint64_t)1 << i;
		else if (insts[i].op == OP_MATCH)
			program->head.matches_at |= (uint64_t)1 << i;
		else if (insts[i].op == OP_SPLIT && program->head.anchored)
			note_tail(program, insts, i);
	}
}

/* ---- alternations of literals -----------------------------------------------
 */

/* The text of the CHAR nodes from last back to the one before stop. */
static bool put_chars(struct program *program, const struct node *last,
		      const struct node *stop, struct regex_literal *literal)
{
	const struct node *node;
	char encoded[BL_UTF8_MAX_BYTES];
	char *to;

	for (node = last; node != stop; node = node->prev) {
		if (node->kind != NODE_CHAR ||
		    node->value == BL_REPLACEMENT_CHAR)
			return false;
		literal->len += (uint32_t)bl_utf8_encode(node->value, encoded);
	}
	if (!literal->len)
		return false;
	literal->at = (uint32_t)program->bytes.len;
	for (uint32_t i = 0; i < literal->len; i++) {
		if (!program_put(program, &program->bytes, "", 1))
			return false;
	}
	to = program->bytes.ptr + program->bytes.len;
	for (node = last; node != stop; node = node->prev) {
		size_t len = bl_utf8_encode(node->value, encoded);

		to -= len;
		memcpy(to, encoded, len);
	}
	return true;
}

static bool is_assert(const struct node *node, enum regex_assert bit)
{
	return node && node->kind == NODE_ASSERT && node->value == bit;
}

static const struct node *first_of(const struct node *last)
{
	while (last && last->prev)
		last = last->prev;
	return last;
}

static bool note_literal(struct program *program, const struct node *node,
			 uint32_t asserts);

static bool note_alternatives(struct program *program, const struct node *alt,
			      uint32_t asserts)
{
	for (const struct node *node = alt->last; node; node = node->prev) {
		if (!note_literal(program, node, asserts))
			return false;
	}
	return true;
}

/* .* of which any text is one. */
static bool is_anything(const struct node *node)
{
	const struct node *of = node->last;

	return node->kind == NODE_REPEAT && !node->min &&
	       node->max == REPEAT_FOREVER && of->kind == NODE_SET &&
	       of->set->count == 1 && of->set->ranges[0].lo == 0 &&
	       of->set->ranges[0].hi == LAST_RUNE;
}

/*
 * Can the item at an end of a sequence be left out, as it may be empty, or
 * takes everything up to that end of the text?  `assert` is then none there.
 */
static bool is_loose(const struct node *node, enum regex_assert assert,
		     struct regex_literal *literal)
{
	if (!(literal->asserts & (uint32_t)assert))
		return node->kind == NODE_REPEAT && !node->min;
	if (!is_anything(node))
		return false;
	literal->asserts &= ~(uint32_t)assert;
	return true;
}

/* The item behind stop, of those that end with last. */
static const struct node *item_behind(const struct node *last,
				      const struct node *stop)
{
	while (last->prev != stop)
		last = last->prev;
	return last;
}

static bool note_sequence(struct program *program, const struct node *cat,
			  struct regex_literal literal)
{
	const struct node *last = cat->last;
	const struct node *first = first_of(last), *stop = NULL;

	if (is_assert(last, AT_TEXT_END)) {
		literal.asserts |= AT_TEXT_END;
		last = last->prev;
	}
	if (is_assert(first, AT_TEXT_BEGIN)) {
		literal.asserts |= AT_TEXT_BEGIN;
		stop = first;
	}
	if (last != stop && is_loose(last, AT_TEXT_END, &literal)) {
		last = last->prev;
		program->head.literals_whole = 0;
	}
	if (last == stop)
		return false;
	first = item_behind(last, stop);
	if (is_loose(first, AT_TEXT_BEGIN, &literal)) {
		stop = first;
		program->head.literals_whole = 0;
	}
	if (last == stop)
		return false;
	if (last->prev == stop && last->kind != NODE_CHAR)
		return note_literal(program, last, literal.asserts);
	return put_chars(program, last, stop, &literal) &&
	       program_put(program, &program->literals, &literal,
			   sizeof(literal));
}

static bool note_literal(struct program *program, const struct node *node,
			 uint32_t asserts)
{
	struct regex_literal literal = { .asserts = asserts };

	while (node->kind == NODE_GROUP)
		node = node->last;
	if (node->kind == NODE_ALT)
		return note_alternatives(program, node, asserts);
	if (node->kind == NODE_CHAR)
		return put_chars(program, node, node->prev, &literal) &&
		       program_put(program, &program->literals, &literal,
				   sizeof(literal));
	return node->kind == NODE_CAT && note_sequence(program, node, literal);
}

bool program_note_literals(struct program *program, const struct node *tree)
{
	program->head.literals_whole = 1;
	if (!note_literal(program, tree, 0))
		program->literals.len = 0;
	program->head.literal_count = (uint32_t)(program->literals.len /
						 sizeof(struct regex_literal));
	return !program->status;
}
