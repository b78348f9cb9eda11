/* SPDX-License-Identifier: Apache-2.0 */
/* Functions and blocks, and what emitting code needs. */
#include "rego/tools/plan.h"

#include <stdarg.h>
#include <stdio.h>

bool plan_fail(struct plan_loader *loader, enum bl_status status,
	       const char *fmt, ...)
{
	char message[256];
	va_list args;

	if (loader->status)
		return false;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	loader->status = bl_fail(loader->err, status, "plan: %s", message);
	return false;
}

bool plan_grow(struct plan_loader *loader, void **items, size_t count,
	       size_t *cap, size_t size)
{
	void *room = bl_arena_room(loader->arena, *items, count, cap, size);

	if (!room)
		return plan_fail(loader, bl_arena_why(loader->arena),
				 "there is no memory for it");
	*items = room;
	return true;
}

bool plan_index(struct plan_loader *loader, struct bl_value value,
		const char *what, size_t limit, uint32_t *out_index)
{
	int64_t number;

	if (!bl_value_is(value, BL_KIND_NUMBER) ||
	    !bl_number_to_integer(value, &number) || number < 0 ||
	    (uint64_t)number >= limit)
		return plan_fail(loader, BL_INVALID,
				 "%s must be a number from 0 to below %zu",
				 what, limit);
	*out_index = (uint32_t)number;
	return true;
}

uint32_t plan_constant(struct plan_loader *loader, struct bl_value value)
{
	struct bl_program *program = loader->program;

	if (!plan_grow(loader, (void **)&program->constants,
		       program->constant_count, &loader->constant_cap,
		       sizeof(value)))
		return 0;
	program->constants[program->constant_count] = value;
	return (uint32_t)program->constant_count++;
}

void plan_emit(struct plan_loader *loader, enum bl_opcode op,
	       struct bl_insn operands)
{
	if (loader->count >= PLAN_MAX_CODE) {
		plan_fail(loader, BL_LIMIT, "a function is too long");
		return;
	}
	if (!plan_grow(loader, (void **)&loader->code, loader->count,
		       &loader->cap, sizeof(*loader->code)) ||
	    !plan_grow(loader, (void **)&loader->places, loader->count,
		       &loader->place_cap, sizeof(*loader->places)))
		return;
	operands.op = (uint16_t)op;
	loader->places[loader->count] = loader->place;
	loader->code[loader->count++] = operands;
}

uint32_t plan_new_label(struct plan_loader *loader)
{
	if (!plan_grow(loader, (void **)&loader->labels, loader->label_count,
		       &loader->label_cap, sizeof(*loader->labels)))
		return 0;
	return (uint32_t)loader->label_count++;
}

void plan_place_label(struct plan_loader *loader, uint32_t label)
{
	if (!loader->status)
		loader->labels[label] = (uint32_t)loader->count;
}

uint16_t plan_temporaries(struct plan_loader *loader, size_t count)
{
	uint32_t first = loader->temporaries;

	if (count > PLAN_MAX_LOCALS - first) {
		plan_fail(loader, BL_LIMIT, "a function needs too many values");
		return PLAN_TEMPORARY;
	}
	loader->temporaries += (uint32_t)count;
	if (loader->temporaries > loader->max_temporaries)
		loader->max_temporaries = loader->temporaries;
	return (uint16_t)(PLAN_TEMPORARY + first);
}

/* ---- blocks ------------------------------------------------------------------ */

uint32_t plan_end(const struct plan_loader *loader)
{
	return loader->blocks[loader->block_count - 1].end;
}

bool plan_break(struct plan_loader *loader, size_t levels)
{
	const struct plan_block *block;

	if (levels >= loader->block_count)
		return plan_fail(loader, BL_INVALID,
				 "a break leaves more blocks than there are");
	block = &loader->blocks[loader->block_count - 1 - levels];
	for (size_t i = loader->with_count; i > block->withs; i--) {
		const struct plan_with *with = &loader->withs[i - 1];

		plan_emit(loader, BL_OP_WITH_END, (struct bl_insn){ 0 });
		plan_emit(
			loader, BL_OP_MOVE,
			(struct bl_insn){ .a = with->local, .b = with->saved });
	}
	plan_emit(loader, BL_OP_JUMP, (struct bl_insn){ .j = block->end });
	return true;
}

bool plan_block(struct plan_loader *loader, struct bl_value block, uint32_t end)
{
	struct bl_value statements = bl_object_find(block, BL_STR("stmts"));

	if (loader->block_count == PLAN_MAX_BLOCKS)
		return plan_fail(loader, BL_LIMIT,
				 "blocks are nested more than %d deep",
				 PLAN_MAX_BLOCKS);
	if (!bl_value_is(block, BL_KIND_OBJECT))
		return plan_fail(loader, BL_INVALID,
				 "a block is not an object");
	loader->blocks[loader->block_count++] =
		(struct plan_block){ .end = end, .withs = loader->with_count };
	for (size_t i = 0; i < bl_value_count(statements); i++) {
		uint32_t before = loader->temporaries;

		if (!plan_statement(loader, bl_value_item(statements, i)) ||
		    loader->status)
			return false;
		loader->temporaries = before;
	}
	loader->block_count--;
	return true;
}

/* ---- functions ----------------------------------------------------------------- */

/* Labels become indexes; temporaries go behind the locals. */
static void settle_operands(const struct plan_loader *loader)
{
	for (size_t i = 0; i < loader->count; i++) {
		struct bl_insn *insn = &loader->code[i];
		uint16_t *regs[] = { &insn->a, &insn->b, &insn->c };

		for (size_t j = 0; j < BL_COUNT(regs); j++)
			if (*regs[j] >= PLAN_TEMPORARY)
				*regs[j] =
					(uint16_t)(*regs[j] - PLAN_TEMPORARY +
						   loader->local_count);
		insn->j = insn->j < loader->label_count
				  ? loader->labels[insn->j]
				  : 0;
	}
}

static bool begin_function(struct plan_loader *loader, uint32_t index,
			   struct bl_value params)
{
	struct plan_local *local;

	loader->function = index;
	loader->arity = (uint32_t)bl_value_count(params);
	loader->local_count = loader->temporaries = 0;
	loader->max_temporaries = 0;
	loader->code = NULL;
	loader->places = NULL;
	loader->count = loader->cap = loader->place_cap = 0;
	loader->label_count = loader->block_count = loader->with_count = 0;
	loader->call_count = 0;
	loader->place = (struct bl_insn_place){ UINT32_MAX, 0 };
	for (size_t i = 0; i < bl_value_count(params); i++) {
		if (!plan_local(loader, bl_value_item(params, i), &local))
			return false;
		if (local->reg != i)
			return plan_fail(loader, BL_INVALID,
					 "a parameter is there twice");
		local->is_base = i == 1;
	}
	/* Label 0 belongs to nobody: it stands for "no jump". */
	plan_place_label(loader, plan_new_label(loader));
	return !loader->status;
}

bool plan_function(struct plan_loader *loader, uint32_t index,
		   struct bl_value params, struct bl_value blocks)
{
	struct bl_function *function = &loader->program->functions[index];
	uint16_t result;

	if (!begin_function(loader, index, params))
		return false;
	result = plan_temporaries(loader, 1);
	loader->result_set = result;
	if (loader->is_plan)
		plan_emit(
			loader, BL_OP_MAKE_PARTIAL,
			(struct bl_insn){ .a = result, .n = BL_COLLECT_ARRAY });
	for (size_t i = 0; i < bl_value_count(blocks); i++) {
		uint32_t end = plan_new_label(loader);

		if (!plan_block(loader, bl_value_item(blocks, i), end))
			return false;
		plan_place_label(loader, end);
	}
	plan_emit(loader, loader->is_plan ? BL_OP_FREEZE : BL_OP_UNDEFINE,
		  (struct bl_insn){ .a = result, .b = result });
	plan_emit(loader, BL_OP_RETURN, (struct bl_insn){ .a = result });
	if (loader->status || !plan_compile_patterns(loader))
		return false;
	settle_operands(loader);
	*function = (struct bl_function){
		.code = bl_program_rel(loader->program, loader->code),
		.places = bl_program_rel(loader->program, loader->places),
		.code_count = (uint32_t)loader->count,
		.register_count = loader->local_count + loader->max_temporaries,
		.arity = loader->arity,
		.is_rule = !loader->is_plan && loader->arity == 2,
		.node = BL_NO_NODE,
	};
	return true;
}
