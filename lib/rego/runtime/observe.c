/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports to an observer.  Code says when a statement begins and when it has
 * a solution.  That it has failed is concluded: by what comes next in the same
 * call, an open statement above that never held is over.
 */
#include "rego/builtins/functions.h"
#include "rego/runtime/vm.h"

enum {
	MAX_PRINTED = 1000, /* lines of one print */
	MAX_ERRORS = 10000, /* of builtins that one evaluation tells */
};

struct open_statement {
	uint32_t mark;
	uint32_t depth;
	bool held;
	struct bl_value operands[2];
	struct bl_value *values; /* what its variables had when it began */
};

struct bl_vm_watch {
	struct open_statement *open;
	size_t count;
	size_t cap;
};

/* The observer may keep what it takes of it in the arena of the evaluation. */
static void tell(struct bl_vm *vm, const struct bl_rego_event *event)
{
	size_t position = bl_arena_position(vm->arena);

	vm->observer->notice(vm->observer->context, event);
	if (bl_arena_position(vm->arena) != position)
		bl_vm_pin(vm, 0);
}

static void close_top(struct bl_vm *vm, bool silent)
{
	const struct open_statement *top = &vm->watch->open[--vm->watch->count];
	const struct bl_program_mark *mark = &vm->program->marks[top->mark];
	struct bl_rego_event event = {
		.kind = BL_REGO_FAIL,
		.mark = &mark->shown,
		.mark_number = top->mark,
		.depth = top->depth,
		.operands = { top->operands[0], top->operands[1] },
		.names = mark->names,
		.values = top->values,
		.count = mark->bound_before,
	};

	if (!top->held && !silent)
		tell(vm, &event);
}

static struct open_statement *top_of(struct bl_vm *vm)
{
	struct bl_vm_watch *watch = vm->watch;
	struct open_statement *top =
		watch->count ? &watch->open[watch->count - 1] : NULL;

	return top && top->depth == vm->depth ? top : NULL;
}

static uint32_t nesting_of(const struct bl_vm *vm, uint32_t mark)
{
	return vm->program->marks[mark].shown.nesting;
}

static bool is_open(struct bl_vm *vm, uint32_t mark)
{
	for (size_t i = vm->watch->count; i > 0; i--) {
		const struct open_statement *at = &vm->watch->open[i - 1];

		if (at->depth != vm->depth)
			return false;
		if (at->mark == mark)
			return true;
	}
	return false;
}

static bool start_watching(struct bl_vm *vm)
{
	if (!vm->watch)
		vm->watch = bl_arena_new(vm->arena, struct bl_vm_watch);
	return vm->watch || bl_vm_no_memory(vm);
}

static bool open_one(struct bl_vm *vm, uint32_t mark, struct bl_value *values)
{
	struct bl_vm_watch *watch = vm->watch;
	void *room;

	room = bl_arena_room(vm->arena, watch->open, watch->count, &watch->cap,
			     sizeof(*watch->open));
	if (!room)
		return bl_vm_no_memory(vm);
	watch->open = room;
	watch->open[watch->count++] = (struct open_statement){
		.mark = mark,
		.depth = vm->depth,
		.operands = { bl_value_undefined(), bl_value_undefined() },
		.values = values,
	};
	return true;
}

static struct bl_value *copy_values(struct bl_vm *vm, uint32_t number,
				    uint32_t count, const struct bl_value *regs)
{
	const struct bl_program_mark *mark = &vm->program->marks[number];
	struct bl_value *values =
		bl_arena_new_array(vm->arena, struct bl_value, count + 1);

	if (!values) {
		bl_vm_no_memory(vm);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++)
		values[i] = regs[mark->registers[i]];
	return values;
}

/* A statement begins: one that began before it, inside or the same, is over. */
static bool begin_statement(struct bl_vm *vm, uint32_t number,
			    struct bl_rego_event *event,
			    const struct bl_value *regs)
{
	struct bl_value *values;

	while (top_of(vm) &&
	       nesting_of(vm, top_of(vm)->mark) > nesting_of(vm, number))
		close_top(vm, false);
	while (is_open(vm, number))
		close_top(vm, false);
	event->count = vm->program->marks[number].bound_before;
	values = copy_values(vm, number, event->count, regs);
	event->values = values;
	return values && open_one(vm, number, values);
}

static bool hold_statement(struct bl_vm *vm, uint32_t number,
			   struct bl_rego_event *event,
			   const struct bl_value *regs)
{
	struct open_statement *top;

	while ((top = top_of(vm)) && top->mark != number)
		close_top(vm, false);
	if (top) {
		event->again = top->held;
		top->held = true;
	}
	event->count = vm->program->marks[number].count;
	event->values = copy_values(vm, number, event->count, regs);
	return event->values != NULL;
}

static void tell_case(struct bl_vm *vm, const struct bl_value *keys,
		      uint32_t count)
{
	struct bl_rego_event event = {
		.kind = BL_REGO_CASE,
		.depth = vm->depth,
		.keys = keys,
		.key_count = count,
	};

	tell(vm, &event);
}

bool bl_vm_observe(struct bl_vm *vm, const struct bl_insn *insn,
		   const struct bl_value *regs)
{
	const struct bl_program_mark *mark;
	struct bl_rego_event event = {
		.kind = (enum bl_rego_event_kind)insn->c,
		.mark_number = insn->n,
		.depth = vm->depth,
		.vm = vm,
	};
	bool ok = true;

	if (!vm->observer)
		return true;
	if (event.kind == BL_REGO_CASE) {
		tell_case(vm, regs + insn->b, insn->n);
		return true;
	}
	if (!start_watching(vm))
		return false;
	mark = &vm->program->marks[insn->n];
	event.mark = &mark->shown;
	event.names = mark->names;
	switch (event.kind) {
	case BL_REGO_ENTER:
		while (top_of(vm))
			close_top(vm, false);
		break;
	case BL_REGO_EVAL:
		ok = begin_statement(vm, insn->n, &event, regs);
		break;
	case BL_REGO_OPERANDS:
		if (top_of(vm))
			memcpy(top_of(vm)->operands, regs + insn->b,
			       sizeof(event.operands));
		return true;
	case BL_REGO_HELD:
		ok = hold_statement(vm, insn->n, &event, regs);
		break;
	case BL_REGO_EXIT:
		event.value = regs[insn->b];
		event.keys = regs + insn->b - mark->key_count;
		event.key_count = mark->key_count + mark->is_set;
		break;
	case BL_REGO_CASE:
	case BL_REGO_FAIL:
	case BL_REGO_ERROR:
	case BL_REGO_PRINT:
	case BL_REGO_NOTE:
		return true;
	}
	if (ok)
		tell(vm, &event);
	return ok;
}

void bl_vm_observe_end(struct bl_vm *vm, bool failed)
{
	while (top_of(vm))
		close_top(vm, failed);
}

static struct bl_rego_event event_at(const struct bl_vm *vm,
				     enum bl_rego_event_kind kind,
				     const struct bl_insn_place *at)
{
	const struct bl_insn_place place = bl_program_place(vm->program, at);

	return (struct bl_rego_event){
		.kind = kind,
		.depth = vm->depth,
		.file = bl_program_file_name(vm->program, place.module),
		.line = bl_program_line(vm->program, place),
	};
}

static void tell_text(struct bl_vm *vm, enum bl_rego_event_kind kind,
		      const struct bl_insn_place *place, struct bl_str text)
{
	struct bl_rego_event event = event_at(vm, kind, place);

	event.text = text;
	tell(vm, &event);
}

void bl_vm_observe_note(struct bl_vm *vm, const struct bl_insn_place *place,
			struct bl_str text)
{
	tell_text(vm, BL_REGO_NOTE, place, text);
}

/* Wording a message takes memory, and a loop may have millions. */
void bl_vm_observe_error(struct bl_vm *vm, const struct bl_insn_place *place,
			 const struct bl_builtin_call *call)
{
	struct bl_rego_event event;

	if (vm->state.quiet)
		return;
	vm->state.quiet = ++vm->errors >= MAX_ERRORS;
	event = event_at(vm, BL_REGO_ERROR, place);
	event.code = bl_rego_fault_code(call->fault);
	event.text = vm->state.quiet ? BL_STR("further errors are not told")
				     : call->message;
	tell(vm, &event);
}

/* Line n of the cross product of the sets; an empty one is <undefined>. */
static void put_line(struct bl_buf *out, const struct bl_value *sets,
		     size_t count, size_t n)
{
	bl_buf_reset(out);
	for (size_t i = 0; i < count; i++) {
		size_t left = 1;
		size_t members = bl_value_count(sets[i]);
		struct bl_value value;

		for (size_t j = i + 1; j < count; j++)
			left *= bl_value_count(sets[j])
					? bl_value_count(sets[j])
					: 1;
		if (i)
			bl_buf_put_char(out, ' ');
		if (!members) {
			bl_buf_puts(out, "<undefined>");
			continue;
		}
		value = bl_value_item(sets[i], n / left % members);
		if (bl_value_is(value, BL_KIND_STRING))
			bl_buf_put_str(out, bl_value_text(value));
		else
			bl_builtin_form_put(out, value);
	}
}

bool bl_vm_print(struct bl_vm *vm, const struct bl_insn_place *place,
		 const struct bl_value *sets, size_t count)
{
	struct bl_buf line;
	size_t lines = 1;

	if (!vm->observer)
		return true;
	if (!bl_vm_shows(vm, place))
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t members = bl_value_count(sets[i]);

		if (members > MAX_PRINTED ||
		    lines * (members ? members : 1) > MAX_PRINTED)
			return bl_vm_fault(vm, BL_FAULT_CANCEL, place,
					   "print: more than %d lines",
					   MAX_PRINTED);
		lines *= members ? members : 1;
	}
	bl_buf_init(&line, 0);
	for (size_t n = 0; n < lines; n++) {
		put_line(&line, sets, count, n);
		tell_text(vm, BL_REGO_PRINT, place, bl_buf_str(&line));
	}
	bl_buf_clear(&line);
	return true;
}
