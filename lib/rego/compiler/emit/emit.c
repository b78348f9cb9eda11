/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers of every part of the emitter: registers, labels, constants, instructions,
 * and the end of a function, where labels become places.
 */
#include "rego/compiler/emit/private.h"

static const char *const opcode_names[] = {
#define OPCODE(name, operands, checks, meaning) [BL_OP_##name] = #name,
#include "rego/runtime/opcodes.def"
#undef OPCODE
};

const char *bl_opcode_name(enum bl_opcode opcode)
{
	return opcode_names[opcode];
}

bool bl_emit_grow(struct bl_emitter *e, void **items, size_t count, size_t *cap,
		  size_t size)
{
	void *room = bl_arena_room(e->builder->compiler->arena, *items, count,
				   cap, size);

	if (!room) {
		e->failed = true;
		return false;
	}
	*items = room;
	return true;
}

/* Instructions that do nothing but give register a a new value. */
static const bool gives_only_a[BL_OP_COUNT] = {
	[BL_OP_LOAD_INPUT_PART] = true,      [BL_OP_LOAD_CONSTANT] = true,
	[BL_OP_LOAD_INPUT] = true,           [BL_OP_INDEX] = true,
	[BL_OP_INDEX_CONSTANT] = true,       [BL_OP_CALL_FUNCTION] = true,
	[BL_OP_CALL_BUILTIN] = true,         [BL_OP_LOAD_DOCUMENT] = true,
	[BL_OP_CALL_BUILTIN_PATTERN] = true, [BL_OP_COLLECT_END] = true,
	[BL_OP_MAKE_ARRAY] = true,           [BL_OP_MAKE_SET] = true,
	[BL_OP_MAKE_OBJECT] = true,
};

static struct bl_known_part *find_known(struct bl_emitter *e, bl_register reg)
{
	for (uint32_t i = e->known_count; i > 0; i--)
		if (e->known[i - 1].reg == reg)
			return &e->known[i - 1];
	return NULL;
}

bl_register bl_emit_part(struct bl_emitter *e, bl_register value,
			 struct bl_value key)
{
	bl_register result;

	for (uint32_t i = e->known_count; i > e->known_from; i--) {
		struct bl_known_part *part = &e->known[i - 1];

		if (part->of != value || !bl_value_equal(part->key, key) ||
		    bl_value_is(key, BL_KIND_NUMBER))
			continue;
		part->shared = true;
		return part->reg;
	}
	result = bl_emit_registers(e, 1);
	if (value == BL_NO_REGISTER && !bl_value_is_defined(key))
		EMIT(e, LOAD_INPUT, .a = result, .j = e->fail);
	else if (value == BL_NO_REGISTER)
		EMIT(e, LOAD_INPUT_PART, .a = result,
		     .n = bl_emit_constant(e, key), .j = e->fail);
	else
		EMIT(e, INDEX_CONSTANT, .a = result, .b = value,
		     .n = bl_emit_constant(e, key), .j = e->fail);
	if (e->known_count < BL_KNOWN_PARTS_MAX)
		e->known[e->known_count++] = (struct bl_known_part){
			.of = value, .reg = result, .key = key
		};
	return result;
}

void bl_emit_move(struct bl_emitter *e, bl_register to, bl_register from)
{
	uint32_t slots = e->resolver ? (uint32_t)e->resolver->slot_count : 0;
	struct bl_insn *last = e->count ? &e->code[e->count - 1] : NULL;
	struct bl_known_part *part = find_known(e, from);

	/*
	 * A register that is not a variable's is read once: whoever gave it its
	 * value may give it to `to` at once.
	 */
	if (last && e->last_label_at < e->count &&
	    from >= e->slot_base + slots && !(part && part->shared)) {
		if (gives_only_a[last->op] && last->a == from) {
			last->a = to;
			if (part)
				part->reg = to;
			return;
		}
		if (last->op == BL_OP_LOOP_NEXT && last->c == from) {
			last->c = to;
			return;
		}
	}
	bl_emit(e, BL_OP_MOVE, (struct bl_insn){ .a = to, .b = from });
}

void bl_emit(struct bl_emitter *e, enum bl_opcode op, struct bl_insn operands)
{
	size_t place_cap = e->cap;

	if (!bl_emit_grow(e, (void **)&e->places, e->count, &place_cap,
			  sizeof(*e->places)) ||
	    !bl_emit_grow(e, (void **)&e->code, e->count, &e->cap,
			  sizeof(*e->code)) ||
	    !e->places || !e->code)
		return;
	operands.op = (uint16_t)op;
	e->places[e->count] = e->place;
	e->code[e->count++] = operands;
}

bl_label bl_emit_new_label(struct bl_emitter *e)
{
	if (!bl_emit_grow(e, (void **)&e->labels, e->label_count, &e->label_cap,
			  sizeof(*e->labels)))
		return 0;
	return (bl_label)e->label_count++;
}

void bl_emit_place_label(struct bl_emitter *e, bl_label label)
{
	if (!e->failed)
		e->labels[label] = e->last_label_at = (uint32_t)e->count;
}

bl_register bl_emit_registers(struct bl_emitter *e, size_t count)
{
	uint32_t first = e->next_register;

	if (count > BL_MAX_REGISTERS - first) {
		e->failed = true;
		return 0;
	}
	e->next_register += (uint32_t)count;
	if (e->next_register > e->max_register)
		e->max_register = e->next_register;
	return (bl_register)first;
}

/*
 * Equal numbers may be spelled in two ways (1 and 1.0), so each stays; of other
 * constants the one met lately with the same hash is shared.
 */
uint32_t bl_emit_constant(struct bl_emitter *e, struct bl_value value)
{
	struct bl_program *program = e->builder->program;
	uint32_t unshared = 0;
	uint32_t *lately = &unshared; /* its number + 1 */

	if (!bl_value_is(value, BL_KIND_NUMBER))
		lately = &e->builder->lately[bl_value_hash(value) %
					     BL_LATE_CONSTANTS];
	if (*lately &&
	    bl_value_equal(bl_program_constant(program, *lately - 1), value))
		return *lately - 1;
	if (!bl_emit_grow(e, (void **)&program->constants,
			  program->constant_count, &e->builder->constant_cap,
			  sizeof(value)))
		return 0;
	program->constants[program->constant_count] = value;
	*lately = (uint32_t)++program->constant_count;
	return *lately - 1;
}

uint32_t bl_emit_builtin_index(struct bl_emitter *e,
			       const struct bl_builtin *builtin)
{
	struct bl_program *program = e->builder->program;

	for (size_t i = 0; i < program->builtin_count; i++)
		if (program->builtins[i].row == builtin)
			return (uint32_t)i;
	if (!bl_emit_grow(e, (void **)&program->builtins,
			  program->builtin_count, &e->builder->builtin_cap,
			  sizeof(*program->builtins)))
		return 0;
	program->builtins[program->builtin_count] =
		(struct bl_builtin_use){ builtin,
					 bl_builtin_masks_of(builtin) };
	return (uint32_t)program->builtin_count++;
}

void bl_emit_finish(struct bl_emitter *e, uint32_t index, size_t arity)
{
	struct bl_function *function = &e->builder->program->functions[index];

	if (e->failed)
		return;
	for (size_t i = 0; i < e->count; i++)
		if (e->code[i].op != BL_OP_WITH_FUNCTION && e->label_count > 0)
			e->code[i].j = e->code[i].j < e->label_count
					       ? e->labels[e->code[i].j]
					       : 0;
	*function = (struct bl_function){
		.code = bl_program_rel(e->builder->program, e->code),
		.places = bl_program_rel(e->builder->program, e->places),
		.code_count = (uint32_t)e->count,
		.register_count = e->max_register,
		.arity = (uint32_t)arity,
		.is_rule = arity == 0,
		.node = BL_NO_NODE,
	};
}
