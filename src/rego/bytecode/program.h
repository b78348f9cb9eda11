/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/bytecode/program.h: compiled policies.
 *
 * A program is a table of functions over registers, constants, the tree of
 * documents, and the builtins that it calls.  Undefined is a value of a
 * register; every test names the place to go to when it does not hold, so that
 * "undefined, try the next" is a plain jump and nothing is unwound.
 */
#ifndef BELAY_REGO_BYTECODE_PROGRAM_H
#define BELAY_REGO_BYTECODE_PROGRAM_H

#include "rego/analysis/analysis.h"
#include "rego/builtins/builtins.h"

enum bl_opcode {
#define OPCODE(name, operands, meaning) BL_OP_##name,
#include "rego/bytecode/opcodes.def"
#undef OPCODE
	BL_OP_COUNT
};

const char *bl_opcode_name(enum bl_opcode opcode);

struct bl_insn {
	uint16_t op;
	uint16_t a;
	uint16_t b;
	uint16_t c;
	uint32_t n;
	uint32_t j; /* index of an instruction of the same function */
};

/* Where an instruction comes from, for messages. */
struct bl_insn_place {
	uint32_t module;
	uint32_t offset;
};

enum bl_collector_kind {
	BL_COLLECT_ARRAY,
	BL_COLLECT_SET,
	BL_COLLECT_OBJECT,
	BL_COLLECT_DOCUMENT, /* nested, by ADD_PATH */
};

#define BL_NO_FUNCTION    UINT32_MAX
#define BL_TARGET_BUILTIN UINT32_C(0x80000000) /* in targets of "with" */

enum { BL_MAX_REGISTERS = 60000 };

struct bl_function {
	const struct bl_insn *code;
	const struct bl_insn_place *places;
	size_t code_count;
	uint32_t register_count;
	uint32_t arity;
	bool is_rule; /* has no arguments: remembered once a query */
};

struct bl_program {
	const struct bl_rego_module *const *modules;
	size_t module_count;
	struct bl_value *constants;
	size_t constant_count;
	struct bl_function *functions;
	size_t function_count;
	const struct bl_builtin **builtins;
	size_t builtin_count;
	struct bl_node *root;
	struct bl_node **nodes; /* by index */
	size_t node_count;
};

/*
 * Compiles modules into a program.  Everything is in arena.  INVALID when diags
 * has errors.
 */
enum bl_status bl_program_compile(const struct bl_rego_module *const *modules,
				  size_t module_count,
				  const struct bl_rego_compile_options *options,
				  struct bl_arena *arena,
				  struct bl_diags *diags,
				  struct bl_program *out_program,
				  struct bl_error *err);

/*
 * Compiles a query as one more function.  It gives an array with an object for
 * each solution: named variables, and "$N" for the value of statement N.
 * program must be a copy of one that was compiled; its tables are copied into
 * arena before they grow, so the original stays as it was.
 */
enum bl_status bl_program_add_query(struct bl_program *program,
				    const struct bl_rego_body *body,
				    struct bl_arena *arena,
				    struct bl_diags *diags,
				    uint32_t *out_function,
				    struct bl_error *err);

/* Appends the code of a function, one instruction a line. */
void bl_program_disassemble(struct bl_buf *out,
			    const struct bl_program *program,
			    const struct bl_function *function);

#endif
