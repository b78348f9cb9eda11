/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The garbage of loops.  All values of an evaluation are in one arena, which takes
 * no single piece back; so a loop of millions of rounds would need memory for all
 * that its rounds computed on the way.  A loop notes the arena's position where it
 * begins, its mark; when a round ends and much was made since, the arena is rewound
 * to the mark.
 *
 * A value has to stay when something older than the loop points to it: values are
 * immutable, so that can only be a collector, the memo of rules, a builtin's memory,
 * groups of comprehensions, or a register.  Code that adds to one of these notes a
 * pin (bl_vm_pin), with the position at which the thing itself was made:
 *
 *      position   0 ......... 100 ....... 200 ......... 300
 *                 collector   mark of     a round's     the pin
 *                 made at 90  the loop    garbage       {container 90, until 300}
 *
 * A pin counts for a loop whose mark is not below its container: here memory up to
 * 300 stays, and what is made behind it is freed with the next round.  Had the
 * collector been made at 150, inside of the round, it would be garbage itself.
 * Pins are a stack: a new one replaces those with a younger container, as it keeps
 * all that they keep.
 *
 * Registers are the compiler's business: a value that a later round reads is kept
 * by KEEP and MOVE_ONCE; code of plans (LOOP_NEXT with n 0) and observed code free
 * nothing.  The machine does not rely on that: registers that point to freed memory
 * become undefined, whatever the code is.
 */
#include "rego/runtime/vm.h"

void bl_vm_pin(struct bl_vm *vm, size_t container)
{
	struct bl_vm_pin pin = { container, bl_arena_position(vm->arena) };

	while (vm->pin_count &&
	       vm->pins[vm->pin_count - 1].container >= container)
		vm->pin_count--;
	if (vm->pin_count == BL_VM_PINS) {
		/* No room: it keeps more than it has to. */
		vm->pin_count = 1;
		pin.container = vm->pins[0].container;
		vm->pins[0] = pin;
		return;
	}
	vm->pins[vm->pin_count++] = pin;
}

void bl_vm_unpin(struct bl_vm *vm, size_t container, uint32_t oldest)
{
	while (vm->pin_count > oldest &&
	       vm->pins[vm->pin_count - 1].container >= container)
		vm->pin_count--;
}

/* The position up to which memory stays. */
static size_t kept_until(const struct bl_vm *vm,
			 const struct bl_vm_round *round)
{
	size_t until =
		round->mark > round->begun_at ? round->mark : round->begun_at;

	for (uint32_t i = 0; i < vm->pin_count; i++)
		if (vm->pins[i].container <= until && vm->pins[i].until > until)
			until = vm->pins[i].until;
	return until;
}

/*
 * Does a register hold a value, or something of the machine's, made since?  Or a
 * collector that something was added to since: it was closed, or code that no
 * compiler made is about to use it.
 */
static bool is_freed(const struct bl_vm *vm, size_t position,
		     struct bl_value reg)
{
	const struct bl_collector *collector = (const void *)reg.as.object;

	if (!bl_vm_is_made(reg) && (bl_value_is_defined(reg) || !reg.reserved))
		return false;
	if (bl_arena_is_newer(vm->arena, position, reg.as.text))
		return true;
	return !bl_value_is_defined(reg) && reg.reserved == BL_KEPT_COLLECTOR &&
	       collector->kept_until > position;
}

/* Blocks of registers behind the running one that were made since. */
static void drop_blocks(struct bl_vm *vm, size_t position)
{
	struct bl_vm_stack *block = vm->stack;

	while (block->newer &&
	       !bl_arena_is_newer(vm->arena, position, block->newer) &&
	       !bl_arena_is_newer(vm->arena, position, block->newer->registers))
		block = block->newer;
	block->newer = NULL;
}

void bl_vm_free_round(struct bl_vm *vm, const struct bl_vm_round *round)
{
	size_t position = kept_until(vm, round);

	if (vm->program->is_observed || vm->conflicts ||
	    bl_arena_position(vm->arena) - position < vm->garbage_bytes)
		return;
	while (vm->pin_count &&
	       vm->pins[vm->pin_count - 1].container > position)
		vm->pin_count--;
	for (size_t i = 0; i < round->count; i++)
		if (is_freed(vm, position, round->regs[i]))
			round->regs[i] = bl_value_undefined();
	drop_blocks(vm, position);
	bl_vm_drop_joins(vm, position);
	bl_vm_drop_groups(vm, position);
	bl_builtin_forget(&vm->state, vm->arena, position);
	bl_arena_rewind(vm->arena, position);
}
