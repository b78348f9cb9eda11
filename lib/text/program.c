/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the tree to instructions, backwards: each piece is written when what
 * follows it is known, so nothing has to be patched but loops.
 */
#include "text/program.h"

enum {
	/* Nodes written, repetitions included; bounds x{1000} of nothing. */
	MAX_WORK = 8 * BL_REGEX_MAX_PROGRAM,
	MAX_RANGES_BYTES = 8 * 1024 * 1024,
	PILE_FIRST_BYTES = 512,
};

void *program_put(struct program *program, struct pile *pile, const void *data,
		  size_t size)
{
	char *to;

	if (pile->room - pile->len < size) {
		size_t room = 2 * pile->room + size + PILE_FIRST_BYTES;
		char *ptr = bl_arena_alloc(program->arena, room);

		if (!ptr) {
			program->status = bl_arena_why(program->arena);
			return NULL;
		}
		if (pile->len)
			memcpy(ptr, pile->ptr, pile->len);
		pile->ptr = ptr;
		pile->room = room;
	}
	to = pile->ptr + pile->len;
	memcpy(to, data, size);
	pile->len += size;
	return to;
}

static struct regex_inst *inst_at(const struct program *program, uint32_t at)
{
	return (struct regex_inst *)program->insts.ptr + at;
}

/* The new instruction's number; 0 on failure, which is an OP_MATCH. */
static uint32_t put_inst(struct program *program, enum regex_op op,
			 uint32_t next, uint32_t arg)
{
	struct regex_inst inst = { (uint32_t)op, next, arg };
	uint32_t at = program->head.inst_count;

	if (program->status)
		return 0;
	if (at == BL_REGEX_MAX_PROGRAM) {
		program->status = BL_LIMIT;
		return 0;
	}
	if (!program_put(program, &program->insts, &inst, sizeof(inst)))
		return 0;
	program->head.inst_count++;
	return at;
}

static uint64_t bits_between(uint32_t lo, uint32_t hi)
{
	return (UINT64_MAX >> (63 - (hi - lo))) << lo;
}

static void note_ascii(struct regex_set *set, uint32_t lo, uint32_t hi)
{
	if (hi > 127)
		hi = 127;
	if (lo < 64)
		set->ascii[0] |= bits_between(lo, hi < 63 ? hi : 63);
	if (hi > 63)
		set->ascii[1] |= bits_between(lo > 64 ? lo - 64 : 0, hi - 64);
}

/* The number of the set, which the node remembers. */
static uint32_t put_set(struct program *program, struct node *node)
{
	const struct charset *from = node->set;
	struct regex_set set = {
		.range_first = (uint32_t)(program->ranges.len /
					  sizeof(struct regex_range))
	};
	uint32_t number =
		(uint32_t)(program->sets.len / sizeof(struct regex_set));
	uint32_t i = 0;

	if (node->value)
		return node->value - 1;
	for (; i < from->count && from->ranges[i].lo < 128; i++) {
		note_ascii(&set, from->ranges[i].lo, from->ranges[i].hi);
		if (from->ranges[i].hi >= 128)
			break;
	}
	set.range_count = from->count - i;
	if (program->ranges.len > MAX_RANGES_BYTES)
		program->status = BL_LIMIT;
	else if (set.range_count)
		program_put(program, &program->ranges, from->ranges + i,
			    set.range_count * sizeof(struct regex_range));
	program_put(program, &program->sets, &set, sizeof(set));
	node->value = number + 1;
	return number;
}

static uint32_t put(struct program *program, struct node *node, uint32_t next);

/* x or next, the preferred one first. */
static uint32_t put_choice(struct program *program, const struct node *repeat,
			   uint32_t body, uint32_t next)
{
	return repeat->lazy ? put_inst(program, OP_SPLIT, next, body)
			    : put_inst(program, OP_SPLIT, body, next);
}

/* x+, and in *out_loop the choice at its end, which is x* when x is never
 * empty. */
static uint32_t put_plus(struct program *program, const struct node *repeat,
			 uint32_t next, uint32_t *out_loop)
{
	uint32_t loop = put_choice(program, repeat, 0, next);
	uint32_t body = put(program, repeat->last, loop);

	if (program->status)
		return 0;
	if (repeat->lazy)
		inst_at(program, loop)->arg = body;
	else
		inst_at(program, loop)->next = body;
	*out_loop = loop;
	return body;
}

/*
 * x* of an x that can be empty is (x+)?, since one choice for both ends of
 * the loop would mix up the order of preference.
 */
static uint32_t put_star(struct program *program, const struct node *repeat,
			 uint32_t next)
{
	uint32_t loop = 0;
	uint32_t body = put_plus(program, repeat, next, &loop);

	return repeat->last->nullable ? put_choice(program, repeat, body, next)
				      : loop;
}

static uint32_t put_repeat(struct program *program, const struct node *repeat,
			   uint32_t next)
{
	uint32_t copies = repeat->min;
	uint32_t after = next, loop;

	if (repeat->max == REPEAT_FOREVER) {
		if (copies == 0)
			return put_star(program, repeat, next);
		next = put_plus(program, repeat, next, &loop);
		copies--;
	} else {
		for (uint32_t i = repeat->min; i < repeat->max; i++) {
			next = put(program, repeat->last, next);
			next = put_choice(program, repeat, next, after);
			if (program->status)
				return 0;
		}
	}
	while (copies-- > 0 && !program->status)
		next = put(program, repeat->last, next);
	return next;
}

static uint32_t put_group(struct program *program, const struct node *group,
			  uint32_t next)
{
	next = put_inst(program, OP_SAVE, next, 2 * group->value + 1);
	next = put(program, group->last, next);
	return put_inst(program, OP_SAVE, next, 2 * group->value);
}

static uint32_t put_alternatives(struct program *program,
				 const struct node *alt, uint32_t next)
{
	struct node *choice = alt->last;
	uint32_t at = put(program, choice, next);

	while ((choice = choice->prev) && !program->status)
		at = put_inst(program, OP_SPLIT, put(program, choice, next),
			      at);
	return at;
}

/* Writes node, after which the program goes on at next. */
static uint32_t put(struct program *program, struct node *node, uint32_t next)
{
	struct node *child;

	if (++program->work > MAX_WORK)
		program->status = BL_LIMIT;
	if (program->status)
		return 0;
	switch ((enum node_kind)node->kind) {
	case NODE_CHAR:
		return put_inst(program, OP_CHAR, next, node->value);
	case NODE_SET:
		return put_inst(program, OP_SET, next, put_set(program, node));
	case NODE_ASSERT:
		program->head.asserts |= node->value;
		return put_inst(program, OP_ASSERT, next, node->value);
	case NODE_GROUP:
		return put_group(program, node, next);
	case NODE_CAT:
		for (child = node->last; child && !program->status;
		     child = child->prev)
			next = put(program, child, next);
		return next;
	case NODE_ALT:
		return put_alternatives(program, node, next);
	case NODE_REPEAT:
		return put_repeat(program, node, next);
	case NODE_EMPTY:
	case NODE_LOOK: /* the next two are refused before */
	case NODE_BACKREF:
		break;
	}
	return next;
}

bool program_write(struct program *program, struct node *tree)
{
	uint32_t match = put_inst(program, OP_MATCH, 0, 0);

	program->head.start = put(program, tree, match);
	return !program->status;
}
