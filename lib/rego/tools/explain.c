/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remembers what led to a result: an observer that keeps each solution of a rule.
 * explain_tree.c makes the tree of it, explain_text.c the text.
 */
#include "rego/tools/explain.h"

enum bl_status bl_rego_explainer_new(struct bl_arena *arena,
				     struct bl_rego_explainer **out_explainer,
				     struct bl_error *err)
{
	struct bl_rego_explainer *explainer =
		bl_arena_new(arena, struct bl_rego_explainer);

	if (!explainer)
		return bl_arena_fail(arena, err);
	explainer->arena = arena;
	*out_explainer = explainer;
	return BL_OK;
}

static const struct bl_rego_mark *mark_of(const struct bl_rego_explainer *x,
					  uint32_t number)
{
	return &x->program->marks[number].shown;
}

/* ---- attempts ------------------------------------------------------------- */

static struct explain_attempt *attempt_at(struct bl_rego_explainer *x,
					  uint32_t depth)
{
	while (x->attempt_count <= depth) {
		x->attempts =
			bl_arena_room(x->arena, x->attempts, x->attempt_count,
				      &x->attempt_cap, sizeof(*x->attempts));
		if (!x->attempts) {
			x->attempt_count = 0;
			x->no_memory = true;
			return NULL;
		}
		x->attempts[x->attempt_count++] =
			(struct explain_attempt){ .mark = EXPLAIN_NO_MARK };
	}
	return &x->attempts[depth];
}

/* The rules of a function are tried in order, the first one in every call. */
static void enter(struct bl_rego_explainer *x, struct explain_attempt *attempt,
		  uint32_t mark)
{
	bool same_call = attempt->mark != EXPLAIN_NO_MARK &&
			 mark > attempt->mark &&
			 bl_str_equal(mark_of(x, mark)->path,
				      mark_of(x, attempt->mark)->path);

	if (!same_call) {
		attempt->call = ++x->calls;
		attempt->begin = x->count;
	}
	attempt->mark = mark;
	attempt->count = 0;
}

/* The statement's index; count when it has not begun. */
static size_t find_note(const struct explain_attempt *attempt, uint32_t mark)
{
	size_t i = 0;

	while (i < attempt->count && attempt->notes[i].mark != mark)
		i++;
	return i;
}

/* A statement begins: what began behind it is over. */
static void begin(struct bl_rego_explainer *x, struct explain_attempt *attempt,
		  uint32_t mark)
{
	size_t at = find_note(attempt, mark);

	attempt->count = at;
	attempt->notes = bl_arena_room(x->arena, attempt->notes, at,
				       &attempt->cap, sizeof(*attempt->notes));
	if (!attempt->notes) {
		x->no_memory = true;
		return;
	}
	attempt->notes[attempt->count++] =
		(struct explain_note){ .mark = mark, .begin = x->count };
}

static void hold(struct bl_rego_explainer *x, struct explain_attempt *attempt,
		 const struct bl_rego_event *event)
{
	size_t at = find_note(attempt, event->mark_number);
	struct explain_note *note = attempt->notes + at;

	if (at == attempt->count)
		return;
	attempt->count = at + 1;
	if (!note->held)
		note->first_held = x->count;
	note->held = true;
	note->last_held = x->count;
	note->values = event->values;
	note->count = event->count;
}

/* ---- derivations ---------------------------------------------------------- */

static bool same_result(const struct explain_derivation *a,
			const struct explain_derivation *b)
{
	if (a->hash != b->hash || a->mark != b->mark || a->call != b->call ||
	    a->key_count != b->key_count || !bl_value_equal(a->value, b->value))
		return false;
	for (uint32_t i = 0; i < a->key_count; i++)
		if (!bl_value_equal(a->keys[i], b->keys[i]))
			return false;
	return true;
}

static uint64_t hash_of(const struct bl_rego_event *event)
{
	uint64_t hash = bl_value_hash(event->value);

	for (uint32_t i = 0; i < event->key_count; i++)
		hash = hash * 31 + bl_value_hash(event->keys[i]);
	return hash;
}

/* One of the same call with the same result; the first way is enough. */
static bool is_known(struct bl_rego_explainer *x,
		     const struct explain_derivation *derivation)
{
	for (size_t i = x->count; i > derivation->begin; i--) {
		if (!same_result(&x->derivations[i - 1], derivation))
			continue;
		x->derivations[i - 1].more++;
		return true;
	}
	return false;
}

static void *copy(struct bl_rego_explainer *x, const void *items, size_t count,
		  size_t size)
{
	void *room = bl_arena_zalloc(x->arena, count + 1, size);

	if (room && count)
		memcpy(room, items, count * size);
	x->no_memory |= !room;
	return room;
}

/* The functions in the head are called when all statements hold. */
static struct explain_note head_note(const struct bl_rego_explainer *x,
				     const struct explain_attempt *attempt)
{
	return (struct explain_note){
		.mark = attempt->mark,
		.begin = attempt->count
				 ? attempt->notes[attempt->count - 1].last_held
				 : attempt->begin,
		.first_held = x->count,
		.last_held = x->count,
		.held = true,
	};
}

static void derive(struct bl_rego_explainer *x,
		   const struct explain_attempt *attempt,
		   const struct bl_rego_event *event)
{
	struct explain_derivation derivation = {
		.mark = attempt->mark,
		.depth = event->depth,
		.call = attempt->call,
		.begin = attempt->begin,
		.note_count = attempt->count,
		.head = head_note(x, attempt),
		.key_count = event->key_count,
		.value = event->value,
		.hash = hash_of(event),
		.input = event->vm->input,
		.data = event->vm->data,
		.memo = event->vm->memo,
	};

	if (x->count >= EXPLAIN_MAX_DERIVATIONS) {
		x->is_full = true;
		return;
	}
	derivation.keys = copy(x, event->keys, event->key_count,
			       sizeof(*derivation.keys));
	if (x->no_memory || is_known(x, &derivation))
		return;
	derivation.notes = copy(x, attempt->notes, attempt->count,
				sizeof(*derivation.notes));
	x->derivations = bl_arena_room(x->arena, x->derivations, x->count,
				       &x->cap, sizeof(*x->derivations));
	x->no_memory |= !x->derivations;
	if (!x->no_memory)
		x->derivations[x->count++] = derivation;
}

/*
 * A query has no rule that would be left: it has a solution when all of its
 * statements hold.
 */
static void derive_query(struct bl_rego_explainer *x,
			 const struct explain_attempt *attempt,
			 const struct bl_rego_event *event)
{
	struct bl_rego_event solution = *event;

	if (attempt->mark != EXPLAIN_NO_MARK ||
	    attempt->count < x->query_statements)
		return;
	solution.value = bl_value_boolean(true);
	derive(x, attempt, &solution);
}

/* ---- events ----------------------------------------------------------------- */

static void start(struct bl_rego_explainer *x, const struct bl_program *program)
{
	x->program = program;
	for (size_t i = 0; i < program->mark_count; i++) {
		const struct bl_rego_mark *mark = &program->marks[i].shown;

		x->query_statements += !mark->path.len && mark->nesting == 1;
	}
}

void bl_rego_explainer_notice(void *context, const struct bl_rego_event *event)
{
	struct bl_rego_explainer *x = context;
	struct explain_attempt *attempt;

	if (!event->mark || !event->vm || x->no_memory)
		return;
	if (!x->program)
		start(x, event->vm->program);
	attempt = attempt_at(x, event->depth);
	/* Statements within statements are part of their text. */
	if (!attempt || event->mark->nesting > 1)
		return;
	switch ((unsigned)event->kind) {
	case BL_REGO_ENTER:
		enter(x, attempt, event->mark_number);
		break;
	case BL_REGO_EVAL:
		begin(x, attempt, event->mark_number);
		break;
	case BL_REGO_HELD:
		hold(x, attempt, event);
		derive_query(x, attempt, event);
		break;
	case BL_REGO_EXIT:
		derive(x, attempt, event);
		break;
	default:
		break;
	}
}
