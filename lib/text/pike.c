/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program run for all its threads at once, in order of preference, one
 * character after the other (Pike's way).  A thread is a place in the program
 * and, when asked for, the positions of the groups so far.
 */
#include "text/regex.h"

enum { SCRATCH_MAX_BYTES = 64 * 1024 * 1024 };

struct threads {
	uint32_t *at;  /* places, preferred first */
	size_t *slots; /* slot_count of each */
	uint32_t count;
};

#define NO_SLOT UINT32_MAX

/* Work to do for add: a place to enter, or a slot to put back. */
struct todo {
	uint32_t at;
	uint32_t slot; /* NO_SLOT: enter at */
	size_t old;
};

struct pike {
	const struct bl_regex *regex;
	const struct regex_inst *insts;
	struct bl_str text;
	struct threads lists[2];
	uint32_t *marks; /* generation in which a place was entered */
	uint32_t generation;
	struct todo *todo;
	size_t slot_count; /* positions kept per thread */
	size_t *slots;     /* of the thread that is being added */
	size_t *best;      /* of the match so far */
	bool matched;
};

static void copy_slots(size_t *to, const size_t *from, size_t count)
{
	if (count)
		memcpy(to, from, count * sizeof(*to));
}

/* Divides one piece of memory; slots first, as they need the alignment. */
static enum bl_status start(struct pike *pike,
			    const struct regex_search *search)
{
	size_t n = search->regex->inst_count;
	size_t groups = (size_t)search->regex->group_count + 1;
	size_t slot_count =
		2 * (search->span_count < groups ? search->span_count : groups);
	size_t slots_bytes = (2 * n + 2) * slot_count * sizeof(size_t);
	size_t todo_bytes = (2 * n + 1) * sizeof(struct todo);
	size_t *slots;
	char *rest;

	*pike = (struct pike){
		.regex = search->regex,
		.insts = regex_insts(search->regex),
		.text = search->text,
		.slot_count = slot_count,
	};
	if (slots_bytes > SCRATCH_MAX_BYTES)
		return BL_LIMIT;
	slots = bl_arena_alloc(search->arena, slots_bytes + todo_bytes +
						      3 * n * sizeof(uint32_t));
	if (!slots)
		return bl_arena_why(search->arena);
	pike->slots = slots;
	pike->best = slots + slot_count;
	pike->lists[0].slots = pike->best + slot_count;
	pike->lists[1].slots = pike->lists[0].slots + n * slot_count;
	rest = (char *)slots + slots_bytes;
	pike->todo = (struct todo *)(void *)rest;
	pike->marks = (uint32_t *)(void *)(rest + todo_bytes);
	pike->lists[0].at = pike->marks + n;
	pike->lists[1].at = pike->lists[0].at + n;
	memset(pike->marks, 0, n * sizeof(uint32_t));
	return BL_OK;
}

static void next_generation(struct pike *pike)
{
	if (++pike->generation == 0) {
		memset(pike->marks, 0,
		       pike->regex->inst_count * sizeof(uint32_t));
		pike->generation = 1;
	}
}

/* Enters at and what can be reached from there without a character. */
static void enter(struct pike *pike, struct threads *list, uint32_t at,
		  size_t position, size_t *todo_count)
{
	const struct regex_inst *inst;

	while (pike->marks[at] != pike->generation) {
		pike->marks[at] = pike->generation;
		inst = &pike->insts[at];
		switch ((enum regex_op)inst->op) {
		case OP_SPLIT:
			pike->todo[(*todo_count)++] =
				(struct todo){ inst->arg, NO_SLOT, 0 };
			break;
		case OP_SAVE:
			if (inst->arg >= pike->slot_count)
				break;
			pike->todo[(*todo_count)++] =
				(struct todo){ 0, inst->arg,
					       pike->slots[inst->arg] };
			pike->slots[inst->arg] = position;
			break;
		case OP_ASSERT:
			if (!regex_holds(inst->arg, pike->text, position))
				return;
			break;
		case OP_MATCH:
		case OP_CHAR:
		case OP_SET:
			copy_slots(list->slots + list->count * pike->slot_count,
				   pike->slots, pike->slot_count);
			list->at[list->count++] = at;
			return;
		}
		at = inst->next;
	}
}

/* Adds the thread at with pike->slots, which it leaves as they were. */
static void add(struct pike *pike, struct threads *list, uint32_t at,
		size_t position)
{
	size_t todo_count = 0;

	enter(pike, list, at, position, &todo_count);
	while (todo_count) {
		struct todo todo = pike->todo[--todo_count];

		if (todo.slot == NO_SLOT)
			enter(pike, list, todo.at, position, &todo_count);
		else
			pike->slots[todo.slot] = todo.old;
	}
}

static void add_start(struct pike *pike, struct threads *list, size_t position)
{
	for (size_t i = 0; i < pike->slot_count; i++)
		pike->slots[i] = SIZE_MAX;
	if (pike->slot_count)
		pike->slots[0] = position;
	add(pike, list, pike->regex->start, position);
}

/* Moves the threads of now over rune into next, which is at position. */
static void step(struct pike *pike, const struct threads *now,
		 struct threads *next, uint32_t rune, size_t position)
{
	next->count = 0;
	next_generation(pike);
	for (uint32_t i = 0; i < now->count; i++) {
		const struct regex_inst *inst = &pike->insts[now->at[i]];
		const size_t *slots = now->slots + i * pike->slot_count;

		if (inst->op == OP_MATCH)
			return;
		if (!regex_takes(pike->regex, inst, rune))
			continue;
		copy_slots(pike->slots, slots, pike->slot_count);
		add(pike, next, inst->next, position);
	}
}

/* Whether one of the threads is at its end; notes the preferred one. */
static bool note_match(struct pike *pike, const struct threads *now,
		       size_t position)
{
	for (uint32_t i = 0; i < now->count; i++) {
		if (pike->insts[now->at[i]].op != OP_MATCH)
			continue;
		copy_slots(pike->best, now->slots + i * pike->slot_count,
			   pike->slot_count);
		if (pike->slot_count)
			pike->best[1] = position;
		pike->matched = true;
		return true;
	}
	return false;
}

static void run(struct pike *pike, size_t position)
{
	const struct bl_regex *regex = pike->regex;
	struct threads *now = &pike->lists[0], *next = &pike->lists[1];

	next_generation(pike);
	for (;;) {
		struct threads *swap = now;
		uint32_t rune = 0;
		size_t len;

		if (!now->count) {
			if (pike->matched)
				return;
			position =
				regex_next_start(regex, pike->text, position);
			if (position == SIZE_MAX)
				return;
			next_generation(pike);
		}
		if (!pike->matched && (!regex->anchored || position == 0))
			add_start(pike, now, position);
		if (note_match(pike, now, position) && !pike->slot_count)
			return;
		if (position == pike->text.len)
			return;
		len = regex_decode(pike->text, position, &rune);
		position += len;
		step(pike, now, next, rune, position);
		now = next;
		next = swap;
	}
}

enum bl_status regex_pike(const struct regex_search *search, bool *out_found)
{
	struct pike pike;
	enum bl_status status = start(&pike, search);

	if (status)
		return status;
	run(&pike, search->from);
	*out_found = pike.matched;
	for (size_t i = 0; pike.matched && i < search->span_count; i++) {
		struct bl_span none = { SIZE_MAX, SIZE_MAX };

		search->spans[i] = none;
		/* The order holds unless the program was written by hand. */
		if (2 * i + 1 < pike.slot_count &&
		    pike.best[2 * i + 1] != SIZE_MAX &&
		    pike.best[2 * i] <= pike.best[2 * i + 1])
			search->spans[i] =
				(struct bl_span){ pike.best[2 * i],
						  pike.best[2 * i + 1] };
	}
	return BL_OK;
}
