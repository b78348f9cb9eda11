/* SPDX-License-Identifier: Apache-2.0 */
/* Code as text: one instruction a line, with the operands that its row names. */
#include "json/json.h"
#include "rego/runtime/private.h"
#include "rego/tools/tools.h"

static const char *const operand_lists[] = {
#define OPCODE(name, operands, checks, meaning) [BL_OP_##name] = operands,
#include "rego/runtime/opcodes.def"
#undef OPCODE
};

/* The meaning of an instruction's number, behind the operands. */
static void put_number(struct bl_buf *out, const struct bl_program *program,
		       const struct bl_insn *insn)
{
	switch (insn->op) {
	case BL_OP_LOAD_CONSTANT:
	case BL_OP_INDEX_CONSTANT:
	case BL_OP_LOAD_INPUT_PART:
	case BL_OP_JUMP_UNLESS_CONSTANT:
		bl_buf_puts(out, "  ; ");
		bl_json_write(out, bl_program_constant(program, insn->n),
			      BL_JSON_COMPACT);
		break;
	case BL_OP_CALL_BUILTIN:
		bl_buf_printf(out, "  ; %s",
			      program->builtins[insn->n].row->name);
		break;
	case BL_OP_CALL_BUILTIN_PATTERN:
		bl_buf_printf(
			out, "  ; %s",
			program->builtins[program->patterns[insn->n].builtin]
				.row->name);
		break;
	default:
		break;
	}
}

static void put_operand(struct bl_buf *out, const struct bl_insn *insn,
			char operand)
{
	switch (operand) {
	case 'a':
		bl_buf_printf(out, " r%u", insn->a);
		break;
	case 'b':
		bl_buf_printf(out, " r%u", insn->b);
		break;
	case 'c':
		bl_buf_printf(out, " r%u", insn->c);
		break;
	case 'n':
		bl_buf_printf(out, " #%u", insn->n);
		break;
	case 'j':
		bl_buf_printf(out, " ->%u", insn->j);
		break;
	default:
		break;
	}
}

static void put_function(struct bl_buf *out, const struct bl_program *program,
			 const struct bl_function *function)
{
	const struct bl_insn *code = bl_function_code(program, function);

	for (size_t i = 0; i < function->code_count; i++) {
		const struct bl_insn *insn = &code[i];

		bl_buf_printf(out, "%5zu  %s", i,
			      bl_opcode_name((enum bl_opcode)insn->op));
		for (const char *at = operand_lists[insn->op]; *at; at++)
			put_operand(out, insn, *at);
		put_number(out, program, insn);
		bl_buf_puts(out, "\n");
	}
}

void bl_rego_disassemble(struct bl_buf *out,
			 const struct bl_rego_policies *policies)
{
	const struct bl_program *program = &policies->program;
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	for (uint32_t i = 0; i < program->node_count; i++) {
		const struct bl_program_node *node = &program->nodes[i];

		if (node->function == BL_NO_FUNCTION)
			continue;
		bl_buf_put_str(out, bl_program_path(program, &arena, i));
		bl_buf_puts(out, ":\n");
		put_function(out, program, &program->functions[node->function]);
	}
	bl_arena_clear(&arena);
}
