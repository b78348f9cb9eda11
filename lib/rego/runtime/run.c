/* SPDX-License-Identifier: Apache-2.0 */
/* The machine: one instruction after the other. */
#include "rego/runtime/vm.h"

#include <stdarg.h>
#include <stdio.h>

enum { STACK_BLOCK_REGISTERS = 256 };

/* The state of a function call between instructions. */
struct frame {
	struct bl_vm *vm;
	const struct bl_function *function;
	struct bl_value *regs;
	const struct with_state *with;
	size_t begun_at; /* position in the arena: the call, or a "with" */
};

/* The state that WITH_END restores. */
struct with_state {
	const struct with_state *outer;
	struct bl_value input;
	struct bl_value data;
	struct bl_vm_memo *memo;
	const struct bl_replacement *replacements;
	const struct bl_override *overrides;
	size_t begun_at;
};

/* ---- faults ---------------------------------------------------------------------------- */

bool bl_vm_fault(struct bl_vm *vm, enum bl_rego_fault fault,
		 const struct bl_insn_place *place, const char *fmt, ...)
{
	va_list args;

	if (vm->fault)
		return false;
	va_start(args, fmt);
	vsnprintf(vm->fault_room, BL_VM_FAULT_BYTES, fmt, args);
	va_end(args);
	vm->fault = fault;
	vm->fault_place = bl_program_place(vm->program, place);
	vm->fault_message = bl_str(vm->fault_room);
	return false;
}

bool bl_vm_no_memory(struct bl_vm *vm)
{
	struct bl_error err;

	bl_arena_fail(vm->arena, &err);
	return bl_vm_fault(vm,
			   err.status == BL_LIMIT ? BL_FAULT_CANCEL
						  : BL_FAULT_INTERNAL,
			   NULL, "%s", err.message);
}

void bl_vm_put_fault(const struct bl_vm *vm, struct bl_buf *out)
{
	struct bl_str file =
		bl_program_file_name(vm->program, vm->fault_place.module);

	if (file.ptr)
		bl_buf_printf(out, "%.*s:%u: ", BL_STR_ARG(file),
			      bl_program_line(vm->program, vm->fault_place));
	bl_buf_printf(out, "%s: %.*s", bl_rego_fault_code(vm->fault),
		      BL_STR_ARG(vm->fault_message));
}

/* ---- frames ---------------------------------------------------------------------------- */

static struct bl_vm_stack *new_block(struct bl_vm *vm, size_t count,
				     struct bl_vm_stack *older)
{
	struct bl_vm_stack *block = bl_arena_new(vm->arena, struct bl_vm_stack);

	if (count < STACK_BLOCK_REGISTERS)
		count = STACK_BLOCK_REGISTERS;
	if (block)
		block->registers = bl_arena_alloc(
			vm->arena, count * sizeof(*block->registers));
	if (!block || !block->registers) {
		bl_vm_no_memory(vm);
		return NULL;
	}
	block->count = count;
	block->older = older;
	return block;
}

static struct bl_value *push_registers(struct bl_vm *vm, size_t count)
{
	struct bl_vm_stack *block = vm->stack;
	struct bl_value *registers;

	while (block->count - block->used < count) {
		if (!block->newer) {
			block->newer = new_block(vm, count, block);
			if (!block->newer)
				return NULL;
		}
		block = block->newer;
		block->used = 0;
	}
	vm->stack = block;
	registers = block->registers + block->used;
	block->used += count;
	return registers;
}

static void pop_registers(struct bl_vm *vm, struct bl_vm_stack *block,
			  size_t used)
{
	vm->stack = block;
	block->used = used;
}

/*
 * In pages: a document of a large program asks a few of its functions, and
 * there are as many evaluations as there are documents.
 */
static struct bl_vm_memo *new_memo(struct bl_vm *vm)
{
	struct bl_vm_memo *memo = bl_arena_new(vm->arena, struct bl_vm_memo);
	size_t pages = vm->program->function_count / BL_MEMO_PAGE + 1;

	if (memo)
		memo->made_at = bl_arena_position(vm->arena);
	if (memo)
		memo->pages = bl_arena_new_array(
			vm->arena, struct bl_vm_memo_page *, pages);
	if (!memo || !memo->pages) {
		bl_vm_no_memory(vm);
		return NULL;
	}
	return memo;
}

static bool remember(struct bl_vm *vm, struct bl_vm_memo *memo,
		     uint32_t function, struct bl_value value)
{
	struct bl_vm_memo_page **page = &memo->pages[function / BL_MEMO_PAGE];
	uint32_t n = function % BL_MEMO_PAGE;

	if (!*page) {
		*page = bl_arena_alloc(vm->arena, sizeof(**page));
		if (!*page)
			return bl_vm_no_memory(vm);
		(*page)->known = 0;
	}
	(*page)->values[n] = value;
	(*page)->known |= UINT32_C(1) << n;
	bl_vm_pin(vm, memo->made_at);
	return true;
}

enum bl_status bl_vm_init(struct bl_vm *vm, const struct bl_program *program,
			  struct bl_arena *arena, struct bl_value input,
			  struct bl_value data, struct bl_error *err)
{
	memset(vm, 0, offsetof(struct bl_vm, pins));
	vm->program = program;
	vm->arena = arena;
	vm->input = input;
	vm->data = data;
	vm->garbage_bytes = BL_VM_GARBAGE_BYTES;
	vm->fault_room = bl_arena_alloc(arena, BL_VM_FAULT_BYTES);
	if (!vm->fault_room)
		return bl_arena_fail(arena, err);
	vm->memo = new_memo(vm);
	vm->stack = new_block(vm, 0, NULL);
	vm->base_is_apart = bl_vm_is_apart(vm, 0, data);
	if (!vm->memo || !vm->stack)
		return bl_arena_fail(arena, err);
	return BL_OK;
}

/* ---- registers ----------------------------------------------------------- */

static struct bl_value keep(const void *kept, uint16_t mark)
{
	struct bl_value reg = bl_value_undefined();

	reg.reserved = mark;
	reg.as.object = kept;
	return reg;
}

static void *kept_in(struct bl_value reg, uint16_t mark)
{
	if (bl_value_is_defined(reg) || reg.reserved != mark)
		return NULL;
	return (void *)(uintptr_t)reg.as.object;
}

/* ---- iteration --------------------------------------------------------------------------- */

static bool is_collection(struct bl_value value)
{
	return bl_value_kind(value) >= BL_KIND_ARRAY;
}

/* Key and value of round i; false behind the last one. */
static bool member_at(struct bl_value collection, size_t i,
		      struct bl_value *key, struct bl_value *value)
{
	if (i >= bl_value_count(collection))
		return false;
	if (bl_value_is(collection, BL_KIND_OBJECT)) {
		i = bl_object_sorted_index(collection, i);
		*key = bl_object_key(collection, i);
		*value = bl_object_value(collection, i);
		return true;
	}
	*value = bl_value_item(collection, i);
	*key = bl_value_is(collection, BL_KIND_SET)
		       ? *value
		       : bl_value_integer((int64_t)i);
	return true;
}

/*
 * The state of a loop is two registers: the collection, or a cursor, and the
 * number of rounds done (len) with the arena's position at the beginning
 * (as.integer).
 */
static struct bl_value loop_state(struct bl_vm *vm)
{
	/* A byte, so that it begins behind what an outer one keeps (KEEP). */
	char *apart = bl_arena_alloc_aligned(vm->arena, 1, 1);

	if (apart)
		*apart = 0;
	return bl_value_integer((int64_t)bl_arena_position(vm->arena));
}

/* False at the end. */
static bool next_member(struct bl_value *state, struct bl_value *key,
			struct bl_value *value)
{
	struct bl_join_cursor *cursor;

	if (bl_value_is_defined(state[0]))
		return member_at(state[0], state[1].len++, key, value);
	cursor = kept_in(state[0], BL_KEPT_CURSOR);
	return cursor && member_at(cursor->collection, bl_vm_next_round(cursor),
				   key, value);
}

/* Where much was made since the loop began, most often by its rounds. */
static void free_round(struct frame *frame, struct bl_value state)
{
	struct bl_vm *vm = frame->vm;
	struct bl_vm_round round = { .regs = frame->regs,
				     .count = frame->function->register_count,
				     .begun_at = frame->begun_at,
				     .mark = (size_t)state.as.integer };

	if (bl_arena_position(vm->arena) - round.mark >= vm->garbage_bytes)
		bl_vm_free_round(vm, &round);
}

static bool iterate_where(struct bl_vm *vm, const struct bl_insn *insn,
			  struct bl_value *regs)
{
	struct bl_value *state = regs + insn->a;
	struct bl_join_cursor *cursor;
	struct bl_value collection = regs[insn->b];

	if (!bl_vm_look_up(vm, collection, regs[insn->c], insn->n, &cursor))
		return false;
	state[1] = loop_state(vm);
	state[0] = cursor ? keep(cursor, BL_KEPT_CURSOR) : collection;
	return true;
}

/* ---- calls --------------------------------------------------------------------------------- */

static const struct bl_replacement *find_replacement(const struct bl_vm *vm,
						     uint32_t target)
{
	const struct bl_replacement *at = vm->replacements;

	while (at && at->target != target)
		at = at->older;
	return at;
}

static const struct bl_insn_place *
place_of(const struct bl_vm *vm, const struct bl_function *function, size_t pc)
{
	return bl_function_places(vm->program, function) + pc;
}

/*
 * Counts a step: a round of a loop, or a call.  False, with a fault, when
 * there have been too many or the time is over.
 */
static bool too_many_steps(struct bl_vm *vm, const struct bl_insn_place *place)
{
	const struct bl_rego_limits *limits = &vm->limits;

	if (limits->steps && vm->steps > limits->steps)
		return bl_vm_fault(vm, BL_FAULT_CANCEL, place,
				   "the limit of %llu steps was reached",
				   (unsigned long long)limits->steps);
	if (vm->state.is_over && vm->state.is_over(vm->state.is_over_context))
		return bl_vm_fault(vm, BL_FAULT_CANCEL, place,
				   "the time for the evaluation is over");
	if (bl_vm_grouping_is_over(vm))
		return bl_vm_fault(vm, BL_FAULT_CANCEL, place,
				   "making groups takes too long");
	vm->next_check = vm->steps + BL_VM_CLOCK_STEPS;
	if (limits->steps && vm->next_check > limits->steps)
		vm->next_check = limits->steps;
	if (vm->next_check > bl_vm_grouping_last_step(vm))
		vm->next_check = bl_vm_grouping_last_step(vm);
	return true;
}

static inline bool count_step(struct bl_vm *vm,
			      const struct bl_function *function, size_t pc)
{
	return ++vm->steps <= vm->next_check ||
	       too_many_steps(vm, place_of(vm, function, pc));
}

/* Is it not too large to go through?  False, with a fault. */
static bool is_light(struct bl_vm *vm, const struct bl_insn_place *place,
		     struct bl_value value)
{
	if (BL_LIKELY(bl_value_weight(value) <= BL_VM_MAX_WEIGHT))
		return true;
	return bl_vm_fault(vm, BL_FAULT_CANCEL, place,
			   "a value of more than %d parts (shared ones count "
			   "each time)",
			   (int)BL_VM_MAX_WEIGHT);
}

/* Operands that take long to go through: is there time? */
static bool has_time(struct bl_vm *vm, const struct bl_insn_place *place,
		     const struct bl_value *args, size_t count)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < count; i++)
		if (bl_value_kind(args[i]) >= BL_KIND_ARRAY)
			weight += bl_value_weight(args[i]);
	return weight < BL_VM_HEAVY || too_many_steps(vm, place);
}

/* See bl_vm_shows. */
static bool may_call(struct bl_vm *vm, const struct bl_insn_place *place,
		     const struct bl_builtin *builtin)
{
	uint16_t shown = BL_BUILTIN_NONDETERMINISTIC | BL_BUILTIN_NETWORK |
			 BL_BUILTIN_FOREIGN;

	if (vm->observer)
		shown |= BL_BUILTIN_NOTE;
	return !(builtin->flags & shown) || bl_vm_shows(vm, place);
}

static bool call_builtin(struct bl_vm *vm, const struct bl_insn_place *place,
			 uint32_t index, const struct bl_regex *regex,
			 const struct bl_value *args, size_t count,
			 struct bl_value *out_result)
{
	const struct bl_builtin_use *use = &vm->program->builtins[index];
	struct bl_builtin_call call = { .arena = vm->arena,
					.state = &vm->state,
					.args = args,
					.arg_count = count,
					.regex = regex };

	size_t remembered = vm->state.memo_count;
	bool ok;

	*out_result = bl_value_undefined();
	if (!has_time(vm, place, args, count) || !may_call(vm, place, use->row))
		return false;
	ok = bl_builtin_run(use->row, &use->masks, &call);
	if (vm->state.memo_count != remembered)
		bl_vm_pin(vm, 0);
	/* Whatever it made of it: without memory nothing is undefined or false. */
	if (bl_arena_status(vm->arena))
		return bl_vm_no_memory(vm);
	if (ok) {
		if (vm->observer && use->row->flags & BL_BUILTIN_NOTE)
			bl_vm_observe_note(vm, place, bl_value_text(args[0]));
		*out_result = call.result;
		return is_light(vm, place, call.result);
	}
	if (!vm->strict_builtin_errors &&
	    (call.fault == BL_FAULT_TYPE || call.fault == BL_FAULT_BUILTIN)) {
		if (!bl_vm_hears_errors(vm))
			return true;
		if (!bl_vm_shows(vm, place))
			return false;
		bl_vm_observe_error(vm, place, &call);
		return true;
	}
	return bl_vm_fault(vm, call.fault, place, "%.*s",
			   BL_STR_ARG(call.message));
}

static bool call_target(struct bl_vm *vm, const struct bl_insn_place *place,
			uint32_t target, const struct bl_value *args,
			size_t count, struct bl_value *out_result)
{
	const struct bl_replacement *replacement = find_replacement(vm, target);
	const struct bl_replacement *before = vm->replacements;
	bool ok;

	if (!replacement)
		return target & BL_TARGET_BUILTIN
			       ? call_builtin(vm, place,
					      target & ~BL_TARGET_BUILTIN, NULL,
					      args, count, out_result)
			       : bl_vm_call(vm, target, args, count,
					    out_result);
	if (replacement->by == BL_NO_FUNCTION) {
		*out_result = replacement->value;
		return true;
	}
	/* Inside of a replacement functions are the original ones. */
	vm->replacements = NULL;
	ok = call_target(vm, place, replacement->by, args, count, out_result);
	vm->replacements = before;
	return ok;
}

/* CALL_BUILTIN_PATTERN: under "with" the operands may be others. */
static bool call_pattern(struct frame *frame, const struct bl_insn *insn,
			 const struct bl_insn_place *place)
{
	struct bl_vm *vm = frame->vm;
	const struct bl_pattern *pattern = &vm->program->patterns[insn->n];
	const struct bl_value *args = frame->regs + insn->b;
	struct bl_value *result = frame->regs + insn->a;

	if (!bl_vm_is_plain(vm))
		return call_target(vm, place,
				   pattern->builtin | BL_TARGET_BUILTIN, args,
				   insn->c, result);
	return call_builtin(vm, place, pattern->builtin,
			    bl_program_at(vm->program, pattern->regex), args,
			    insn->c, result);
}

/* ---- with ------------------------------------------------------------------------------------ */

static bool with_begin(struct frame *frame)
{
	struct bl_vm *vm = frame->vm;
	struct with_state *state = bl_arena_new(vm->arena, struct with_state);

	if (!state)
		return bl_vm_no_memory(vm);
	*state = (struct with_state){ .outer = frame->with,
				      .input = vm->input,
				      .data = vm->data,
				      .memo = vm->memo,
				      .replacements = vm->replacements,
				      .overrides = vm->overrides,
				      .begun_at = frame->begun_at };
	frame->with = state;
	vm->memo = new_memo(vm);
	frame->begun_at = bl_arena_position(vm->arena);
	return vm->memo != NULL;
}

static void with_end(struct frame *frame)
{
	const struct with_state *state = frame->with;
	struct bl_vm *vm = frame->vm;

	vm->input = state->input;
	vm->data = state->data;
	vm->memo = state->memo;
	vm->replacements = state->replacements;
	vm->overrides = state->overrides;
	frame->begun_at = state->begun_at;
	frame->with = state->outer;
}

static bool with_data(struct bl_vm *vm, const struct bl_value *keys,
		      size_t count, struct bl_value value)
{
	struct bl_override *override =
		bl_arena_new(vm->arena, struct bl_override);
	struct bl_value *copy =
		bl_arena_new_array(vm->arena, struct bl_value, count + 1);

	if (!override || !copy)
		return bl_vm_no_memory(vm);
	memcpy(copy, keys, count * sizeof(*copy));
	*override = (struct bl_override){ .older = vm->overrides,
					  .keys = copy,
					  .count = count };
	vm->overrides = override;
	return bl_vm_put_path(vm, vm->data, keys, count, value, &vm->data);
}

static bool with_call(struct bl_vm *vm, uint32_t target, uint32_t by,
		      struct bl_value value)
{
	struct bl_replacement *replacement =
		bl_arena_new(vm->arena, struct bl_replacement);

	if (!replacement)
		return bl_vm_no_memory(vm);
	*replacement = (struct bl_replacement){ .older = vm->replacements,
						.target = target,
						.by = by,
						.value = value };
	vm->replacements = replacement;
	return true;
}

/* ---- collectors ------------------------------------------------------------------------------ */

static struct bl_collector *collector_of(struct bl_value reg)
{
	return kept_in(reg, BL_KEPT_COLLECTOR);
}

static bool new_collector(struct bl_vm *vm, enum bl_collector_kind kind,
			  bool is_set, struct bl_value *reg)
{
	struct bl_collector *collector =
		bl_arena_new(vm->arena, struct bl_collector);

	if (!collector)
		return bl_vm_no_memory(vm);
	collector->kind = kind;
	collector->is_set = is_set;
	collector->made_at = bl_arena_position(vm->arena);
	*reg = keep(collector, BL_KEPT_COLLECTOR);
	return true;
}

/* Nothing has to be kept for it any more, nor for what was made since. */
static bool collect_end(struct frame *frame,
			const struct bl_collector *collector,
			const struct bl_insn_place *place,
			struct bl_value *out_value)
{
	if (!bl_collector_close(frame->vm, collector, place, out_value))
		return false;
	if (collector->made_at >= frame->begun_at)
		bl_vm_unpin(frame->vm, collector->made_at, 0);
	return true;
}

static struct bl_rule_list *rule_list_of(struct bl_value reg)
{
	return kept_in(reg, BL_KEPT_RULES);
}

static bool new_rule_list(struct bl_vm *vm, struct bl_value *reg)
{
	struct bl_rule_list *list =
		bl_arena_new(vm->arena, struct bl_rule_list);

	if (!list)
		return bl_vm_no_memory(vm);
	*reg = keep(list, BL_KEPT_RULES);
	return true;
}

static size_t next_rule(const struct bl_program *program,
			const struct bl_insn *insn, struct bl_rule_list *list)
{
	const uint32_t *targets =
		bl_program_at(program, program->rule_indexes[insn->n].targets);

	return list && list->at < list->count ? targets[list->rules[list->at++]]
					      : insn->j;
}

/* The path of the rule that a function is of: "data.p.q"; empty: a query. */
static struct bl_str path_of(struct bl_vm *vm,
			     const struct bl_function *function)
{
	const struct bl_program *program = vm->program;

	if (function->node < program->node_count)
		return bl_program_path(program, vm->arena, function->node);
	return (struct bl_str){ "", 0 };
}

static bool once(struct frame *frame, size_t pc, struct bl_value *into,
		 struct bl_value value, bool function)
{
	struct bl_vm *vm = frame->vm;
	struct bl_str path;

	if (bl_vm_lists_conflicts(vm, frame->function, value,
				  place_of(vm, frame->function, pc)))
		return true;
	if (!bl_value_is_defined(*into) || bl_value_equal(*into, value)) {
		*into = value;
		if (bl_vm_is_made(value))
			bl_vm_pin(vm, frame->begun_at);
		return true;
	}
	path = path_of(vm, frame->function);
	bl_vm_fault(vm, BL_FAULT_CONFLICT, place_of(vm, frame->function, pc),
		    "%s%.*s%s",
		    function ? "functions must not produce multiple "
			       "outputs for same inputs: function "
			     : "complete rules must not produce "
			       "multiple outputs: rule ",
		    BL_STR_ARG(path),
		    function ? " produced conflicting values for the "
			       "same inputs"
			     : " produced conflicting values");
	bl_vm_list_conflicts(vm, frame->function, frame->regs);
	return false;
}

/* The items of an array are the sets of values that PRINT has in registers. */
static bool print_all(struct bl_vm *vm, const struct bl_insn_place *place,
		      struct bl_value sets)
{
	return !bl_value_is(sets, BL_KIND_ARRAY) ||
	       bl_vm_print(vm, place, sets.as.items, bl_value_count(sets));
}

static bool is_true(struct bl_value value)
{
	return bl_value_is_defined(value) &&
	       !(bl_value_is(value, BL_KIND_BOOLEAN) && !value.as.boolean);
}

/* A collection out of registers; false when memory is out. */
static bool make(struct bl_vm *vm, struct bl_value *regs, struct bl_insn insn)
{
	const struct bl_value *items = regs + insn.b;

	if (insn.op == BL_OP_MAKE_ARRAY)
		regs[insn.a] = bl_array_make(vm->arena, items, insn.c);
	else if (insn.op == BL_OP_MAKE_SET)
		regs[insn.a] = bl_set_make(vm->arena, items, insn.c);
	else
		regs[insn.a] = bl_object_make(
			vm->arena,
			(const struct bl_member *)(const void *)items, insn.c,
			NULL);
	return bl_value_is_defined(regs[insn.a]) || bl_vm_no_memory(vm);
}

static struct bl_value length_of(struct bl_value value)
{
	if (bl_value_is(value, BL_KIND_STRING))
		return bl_value_integer((int64_t)value.len);
	return is_collection(value)
		       ? bl_value_integer((int64_t)bl_value_count(value))
		       : bl_value_undefined();
}

/* ---- the loop -------------------------------------------------------------------------------- */

/*
 * One instruction after the other: each goes straight to the code of the next
 * one, which is what labels as values are for; the table has one for every row
 * of opcodes.def, and the verifier lets no other opcode in.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

#define GO_ON()                                                                \
	do {                                                                   \
		insn = &code[pc++];                                            \
		goto *labels[insn->op];                                        \
	} while (0)
#define JUMP_UNLESS(condition)                                                 \
	do {                                                                   \
		if (!(condition))                                              \
			pc = insn->j;                                          \
	} while (0)
#define MUST(condition)                                                        \
	do {                                                                   \
		if (!(condition))                                              \
			return false;                                          \
	} while (0)
#define A (&regs[insn->a])
#define B (&regs[insn->b])
#define C (&regs[insn->c])

static bool run(struct frame *frame, struct bl_value *out_result)
{
	static const void *const labels[BL_OP_COUNT] = {
#define OPCODE(name, operands, checks, meaning) [BL_OP_##name] = &&name,
#include "rego/runtime/opcodes.def"
#undef OPCODE
	};
	struct bl_vm *vm = frame->vm;
	const struct bl_program *program = vm->program;
	const struct bl_function *function = frame->function;
	const struct bl_insn *code = bl_function_code(program, function);
	struct bl_value *regs = frame->regs;
	const struct bl_insn *insn;
	size_t pc = 0;

	GO_ON();
LOAD_CONSTANT:
	*A = bl_program_constant(program, insn->n);
	GO_ON();
LOAD_UNLESS_REPLACED:
	if (bl_vm_is_plain(vm)) {
		*A = bl_program_constant(program, insn->n);
		pc = insn->j;
	}
	GO_ON();
LOAD_INPUT:
	*A = vm->input;
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
LOAD_INPUT_PART:
	*A = bl_vm_index(vm->input, bl_program_constant(program, insn->n));
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
MOVE:
	*A = *B;
	GO_ON();
UNDEFINE:
	*A = bl_value_undefined();
	GO_ON();
INDEX:
	*A = bl_vm_index(*B, *C);
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
INDEX_BASE:
	MUST(bl_vm_base_step(vm, *B, *C, A));
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
INDEX_CONSTANT:
	*A = bl_vm_index(*B, bl_program_constant(program, insn->n));
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
LOOP_BEGIN:
	A[0] = *B;
	A[1] = loop_state(vm);
	JUMP_UNLESS(is_collection(*B));
	GO_ON();
LOOP_BEGIN_WHERE:
	JUMP_UNLESS(is_collection(*B));
	MUST(!is_collection(*B) || iterate_where(vm, insn, regs));
	GO_ON();
LOOP_NEXT:
	MUST(count_step(vm, function, pc - 1));
	if (insn->n)
		free_round(frame, A[1]);
	JUMP_UNLESS(next_member(A, B, C));
	GO_ON();
KEEP:
	bl_vm_pin(vm, (size_t)A[1].as.integer);
	GO_ON();
JUMP:
	MUST(count_step(vm, function, pc - 1));
	pc = insn->j;
	GO_ON();
JUMP_UNLESS_EQUAL:
	JUMP_UNLESS(bl_value_equal(*B, *C));
	GO_ON();
JUMP_IF_EQUAL:
	JUMP_UNLESS(!bl_value_equal(*B, *C));
	GO_ON();
JUMP_UNLESS_LESS:
	JUMP_UNLESS(bl_value_compare(*B, *C) < 0);
	GO_ON();
JUMP_UNLESS_LESS_EQUAL:
	JUMP_UNLESS(bl_value_compare(*B, *C) <= 0);
	GO_ON();
JUMP_UNLESS_CONSTANT:
	JUMP_UNLESS(bl_value_equal(*B, bl_program_constant(program, insn->n)));
	GO_ON();
JUMP_UNLESS_TRUE:
	JUMP_UNLESS(is_true(*B));
	GO_ON();
JUMP_IF_DEFINED:
	JUMP_UNLESS(!bl_value_is_defined(*B));
	GO_ON();
JUMP_UNLESS_DEFINED:
	JUMP_UNLESS(bl_value_is_defined(*B));
	GO_ON();
JUMP_UNLESS_ARRAY:
	JUMP_UNLESS(bl_value_is(*B, BL_KIND_ARRAY) &&
		    bl_value_count(*B) == insn->n);
	GO_ON();
JUMP_UNLESS_OBJECT:
	JUMP_UNLESS(bl_value_is(*B, BL_KIND_OBJECT) &&
		    bl_value_count(*B) == insn->n);
	GO_ON();
JUMP_UNLESS_COLLECTION:
	JUMP_UNLESS(is_collection(*B));
	GO_ON();
CALL_FUNCTION:
CALL_BUILTIN:
	MUST(count_step(vm, function, pc - 1) &&
	     call_target(vm, place_of(vm, function, pc - 1),
			 insn->op == BL_OP_CALL_BUILTIN
				 ? insn->n | BL_TARGET_BUILTIN
				 : insn->n,
			 B, insn->c, A));
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
CALL_BUILTIN_PATTERN:
	MUST(count_step(vm, function, pc - 1) &&
	     call_pattern(frame, insn, place_of(vm, function, pc - 1)));
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
LOAD_DOCUMENT:
	MUST(count_step(vm, function, pc - 1) &&
	     bl_vm_data(vm, insn->n, B, insn->c, A) &&
	     is_light(vm, place_of(vm, function, pc - 1), *A));
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
LOAD_DOCUMENT_KEYS:
	MUST(count_step(vm, function, pc - 1) &&
	     bl_vm_data_keys(vm, insn->n, B, insn->c, A));
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
COLLECT_BEGIN:
	MUST(new_collector(vm, (enum bl_collector_kind)insn->n, insn->b != 0,
			   A));
	GO_ON();
COLLECT_VALUE:
	MUST(bl_collector_add(vm, collector_of(*A), *B));
	GO_ON();
COLLECT_MEMBER:
	MUST(bl_collector_add_member(vm, collector_of(*A), *B, *C));
	GO_ON();
COLLECT_PATH:
	MUST(bl_collector_add_path(
		vm, collector_of(*A),
		&(struct bl_document_entry){
			.keys = B,
			.key_count = insn->c,
			.is_set = insn->n != 0,
			.value = B[insn->c],
			.place = place_of(vm, function, pc - 1),
		}));
	GO_ON();
COLLECT_END:
	MUST(collect_end(frame, collector_of(*B),
			 place_of(vm, function, pc - 1), A) &&
	     is_light(vm, place_of(vm, function, pc - 1), *A));
	GO_ON();
FIND_GROUP:
	MUST(bl_vm_find_group(vm, insn, B, A));
	JUMP_UNLESS(!bl_value_is_defined(*A));
	GO_ON();
ADD_TO_GROUP:
	MUST(bl_vm_add_to_group(vm, insn, B));
	GO_ON();
MOVE_ONCE:
	MUST(once(frame, pc - 1, A, *B, insn->n != 0));
	GO_ON();
MAKE_ARRAY:
MAKE_SET:
MAKE_OBJECT:
	MUST(make(vm, regs, *insn) &&
	     is_light(vm, place_of(vm, function, pc - 1), *A));
	GO_ON();
WITH_BEGIN:
	MUST(with_begin(frame));
	GO_ON();
WITH_INPUT:
	MUST(bl_vm_put_path(vm, vm->input, B, insn->c, *A, &vm->input));
	goto replaced;
WITH_DATA:
	MUST(with_data(vm, B, insn->c, *A));
	goto replaced;
WITH_CALL:
	MUST(with_call(vm, insn->n, BL_NO_FUNCTION, *A));
	goto replaced;
WITH_FUNCTION:
	MUST(with_call(vm, insn->n, insn->j, bl_value_undefined()));
replaced:
	frame->begun_at = bl_arena_position(vm->arena);
	GO_ON();
WITH_END:
	if (frame->with)
		with_end(frame);
	GO_ON();
INDEX_ALL_RULES:
	if (!vm->strict_builtin_errors && bl_vm_is_plain(vm))
		GO_ON();
	MUST(new_rule_list(vm, A) &&
	     bl_vm_all_rules(vm, &program->rule_indexes[insn->n],
			     rule_list_of(*A)));
	pc = insn->j;
	GO_ON();
INDEX_RULES:
	MUST(new_rule_list(vm, A) &&
	     bl_vm_find_rules(vm, &program->rule_indexes[insn->n], *B,
			      rule_list_of(*A)));
	GO_ON();
OBSERVE:
	MUST(bl_vm_observe(vm, insn, regs));
	GO_ON();
PRINT:
	MUST(bl_vm_print(vm, place_of(vm, function, pc - 1), B, insn->c));
	GO_ON();
PRINT_ALL:
	MUST(print_all(vm, place_of(vm, function, pc - 1), *B));
	GO_ON();
JUMP_TO_RULE:
	MUST(count_step(vm, function, pc - 1));
	pc = next_rule(program, insn, rule_list_of(*A));
	GO_ON();
RETURN:
	*out_result = *A;
	return true;
MAKE_PARTIAL:
	MUST(bl_vm_build(vm, (enum bl_collector_kind)insn->n, A));
	GO_ON();
APPEND_PARTIAL:
	MUST(bl_vm_append(vm, *A, *B));
	GO_ON();
INSERT_PARTIAL:
INSERT_PARTIAL_ONCE:
	MUST(bl_vm_insert(vm, *A, *B, *C, insn->op == BL_OP_INSERT_PARTIAL_ONCE,
			  place_of(vm, function, pc - 1)));
	GO_ON();
FREEZE:
	MUST(bl_vm_settle(vm, *B, A) &&
	     is_light(vm, place_of(vm, function, pc - 1), *A));
	GO_ON();
JUMP_UNLESS_PRESENT:
	JUMP_UNLESS(bl_vm_exists(*B));
	GO_ON();
INDEX_PARTIAL:
	MUST(bl_vm_look(vm, *B, *C, A));
	JUMP_UNLESS(bl_vm_exists(*A));
	GO_ON();
JUMP_UNLESS_KIND:
	JUMP_UNLESS(B->kind == insn->n);
	GO_ON();
LENGTH:
	*A = length_of(*B);
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
MERGE_OBJECTS:
	MUST(bl_vm_merge(vm, *B, *C, A));
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
REPLACE_PATH:
	MUST(bl_vm_put_path(vm, *A, B, insn->c, B[insn->c], A));
	GO_ON();
CALL_PATH:
	MUST(count_step(vm, function, pc - 1) &&
	     bl_vm_call_path(vm, B, insn->n, B + insn->n, insn->c - insn->n,
			     A));
	JUMP_UNLESS(bl_value_is_defined(*A));
	GO_ON();
}

#undef A
#undef B
#undef C
#pragma GCC diagnostic pop

bool bl_vm_call(struct bl_vm *vm, uint32_t index, const struct bl_value *args,
		size_t count, struct bl_value *out_result)
{
	const struct bl_function *function = &vm->program->functions[index];
	struct bl_vm_stack *block = vm->stack;
	size_t used = block->used;
	struct frame frame = { .vm = vm, .function = function };
	uint32_t max_depth =
		vm->limits.depth ? vm->limits.depth : (uint32_t)BL_VM_MAX_DEPTH;
	struct bl_vm_memo *memo = vm->memo;
	size_t begun_at;
	uint32_t pins;
	const struct bl_value *known =
		function->is_rule ? bl_vm_recall(memo, index) : NULL;
	bool ok;

	*out_result = known ? *known : bl_value_undefined();
	if (known)
		return true;
	if (vm->depth >= max_depth)
		return bl_vm_fault(vm, BL_FAULT_CANCEL,
				   place_of(vm, function, 0),
				   "the limit of call depth was reached");
	frame.regs = push_registers(vm, function->register_count);
	if (!frame.regs)
		return false;
	if (count)
		memcpy(frame.regs, args, count * sizeof(*args));
	memset(frame.regs + count, 0,
	       (function->register_count - count) * sizeof(*frame.regs));
	pins = vm->pin_count;
	begun_at = frame.begun_at = bl_arena_position(vm->arena);
	vm->depth++;
	ok = run(&frame, out_result);
	bl_vm_unpin(vm, begun_at, pins);
	if (vm->watch)
		bl_vm_observe_end(vm, !ok);
	vm->depth--;
	pop_registers(vm, block, used);
	if (ok && function->is_rule)
		ok = remember(vm, memo, index, *out_result);
	return ok;
}
