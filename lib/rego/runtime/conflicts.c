/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rules are in conflict.  The machine stops at the second value of a document, and
 * so knows two of the rules.  Its function is called once more, with a list that each
 * rule's value goes into instead of the result: that costs nothing where there is
 * no conflict.
 *
 *   rule data.p.x produced conflicting values:
 *     1 at p.rego:3
 *     2 at p.rego:4
 */
#include "base/utf8.h"
#include "json/json.h"
#include "rego/builtins/functions.h"
#include "rego/runtime/vm.h"

#include <stdlib.h>

enum {
	MAX_LISTED = 10, /* as opa lists */
	MAX_SHOWN = 80,  /* characters of a value */
};

struct conflict {
	struct bl_value value;
	struct bl_insn_place place; /* of its rule */
};

struct bl_vm_conflicts {
	const struct bl_function *function;
	uint32_t depth; /* of its call */
	struct conflict found[MAX_LISTED];
	size_t count;
	bool more;
};

bool bl_vm_lists_conflicts(struct bl_vm *vm, const struct bl_function *function,
			   struct bl_value value,
			   const struct bl_insn_place *place)
{
	struct bl_vm_conflicts *list = vm->conflicts;

	if (!list || list->function != function || list->depth != vm->depth)
		return false;
	if (list->count && bl_value_equal(list->found[0].value, value))
		return true;
	bl_vm_pin(vm, 0);
	list->more |= list->count == MAX_LISTED;
	if (list->count < MAX_LISTED)
		list->found[list->count++] =
			(struct conflict){ value, bl_program_place(vm->program,
								   place) };
	return true;
}

static int compare_places(const void *a, const void *b)
{
	const struct bl_insn_place *x = &((const struct conflict *)a)->place;
	const struct bl_insn_place *y = &((const struct conflict *)b)->place;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void put_value(struct bl_buf *out, struct bl_value value)
{
	struct bl_buf text;
	struct bl_str shown;
	uint32_t rune;

	bl_buf_init(&text, 0);
	if (bl_value_is(value, BL_KIND_STRING))
		bl_json_write(&text, value, BL_JSON_COMPACT);
	else
		bl_builtin_form_put(&text, value);
	shown = bl_buf_str(&text);
	for (size_t i = 0, at = 0; at < shown.len; i++) {
		if (i == MAX_SHOWN)
			shown.len = at;
		else
			at += bl_utf8_decode(shown, at, &rune);
	}
	bl_buf_put_str(out, shown);
	if (shown.len < text.len)
		bl_buf_puts(out, "...");
	bl_buf_clear(&text);
}

static void put_list(const struct bl_vm *vm, struct bl_vm_conflicts *list,
		     struct bl_buf *out)
{
	qsort(list->found, list->count, sizeof(*list->found), compare_places);
	bl_buf_put_char(out, ':');
	for (size_t i = 0; i < list->count; i++) {
		struct bl_insn_place place = list->found[i].place;
		struct bl_str file =
			bl_program_file_name(vm->program, place.module);

		bl_buf_puts(out, "\n  ");
		put_value(out, list->found[i].value);
		bl_buf_printf(out, " at %.*s:%u", BL_STR_ARG(file),
			      bl_program_line(vm->program, place));
	}
	if (list->more)
		bl_buf_puts(out, "\n  ...");
}

void bl_vm_list_conflicts(struct bl_vm *vm, const struct bl_function *function,
			  const struct bl_value *args)
{
	struct bl_vm_conflicts list = { .function = function,
					.depth = vm->depth + 1 };
	struct bl_vm_conflicts *outer = vm->conflicts;
	const struct bl_rego_observer *observer = vm->observer;
	enum bl_rego_fault fault = vm->fault;
	struct bl_str message = bl_arena_copy_str(vm->arena, vm->fault_message);
	struct bl_insn_place place = vm->fault_place;
	struct bl_value unused;
	struct bl_buf text;

	/* Within a list, the outer one is that of the conflict that counts. */
	if (outer || !message.ptr)
		return;
	vm->conflicts = &list;
	vm->observer = NULL;
	vm->fault = BL_FAULT_NONE;
	/* Whatever else goes wrong now did not end the evaluation. */
	(void)bl_vm_call(vm, (uint32_t)(function - vm->program->functions),
			 args, function->arity, &unused);
	vm->conflicts = NULL;
	vm->observer = observer;
	vm->fault = fault;
	vm->fault_message = message;
	vm->fault_place = place;
	if (list.count < 2)
		return;
	bl_buf_init(&text, 0);
	bl_buf_put_str(&text, message);
	put_list(vm, &list, &text);
	message = bl_arena_copy_str(vm->arena, bl_buf_str(&text));
	if (message.ptr)
		vm->fault_message = message;
	bl_buf_clear(&text);
}
