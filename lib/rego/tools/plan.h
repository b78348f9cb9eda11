/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/tools/plan.h: plans of OPA's planner (its IR as JSON: "plan.json" of a
 * bundle; docs/contracts/rego.md "Plans") to code of our machine.
 *
 * A function of a plan becomes a function with the same arguments; a plan one
 * of input and data, which gives the result set as an array.  Locals are
 * registers; "break" and what fails are jumps to the ends of blocks.
 *
 * The tree of documents of such a program has the functions under the strings
 * of their paths, and the plans, by name, under the key null.
 */
#ifndef BELAY_REGO_TOOLS_PLAN_H
#define BELAY_REGO_TOOLS_PLAN_H

#include "rego/compiler/emit/compile.h"

/*
 * Fills program from a plan.  INVALID: it is not a plan, or one that refers to
 * what is not there; UNSUPPORTED: a builtin or statement that we do not have;
 * LIMIT; NO_MEMORY.
 */
enum bl_status bl_plan_load(struct bl_arena *arena, struct bl_value plan,
			    const struct bl_callables *callables,
			    struct bl_program *out_program,
			    struct bl_error *err);

/* The function of a plan, or BL_NO_FUNCTION. */
uint32_t bl_plan_find(const struct bl_program *program, struct bl_str name);

/* ---- between the files ----------------------------------------------------- */

enum {
	PLAN_MAX_LOCALS = 28000,
	PLAN_MAX_BLOCKS = 200, /* in each other */
	PLAN_MAX_CODE = 1 << 22,
	PLAN_MAX_ROW = 1 << 20,
	/*
	 * Registers that are not local's are counted from here until a function
	 * is complete.
	 */
	PLAN_TEMPORARY = 32768,
};

struct plan_local {
	uint32_t function; /* in which it was met + 1 */
	uint16_t reg;
	bool may_grow; /* it may hold a collection that grows */
	bool is_base; /* data, or a part of it that was reached by Dots alone */
};

/* A call whose builtin takes a pattern. */
struct plan_call {
	size_t at;     /* instruction */
	uint16_t from; /* its first argument */
	uint32_t builtin;
};

/* A block being translated; leaving it is a jump to its end. */
struct plan_block {
	uint32_t end; /* label */
	size_t withs; /* of the loader, inside of the block */
};

struct plan_with {
	uint16_t local;
	uint16_t saved;
};

struct plan_loader {
	struct bl_arena *arena;
	struct bl_error *err;
	enum bl_status status; /* the first failure */
	struct bl_program *program;
	size_t constant_cap;
	size_t builtin_cap;
	struct bl_pattern_maker patterns;
	size_t looked_at;    /* instructions, by constants.c */
	size_t string_count; /* constants 0 ... are the strings */
	size_t file_count;
	uint32_t max_row;
	struct bl_value function_names; /* to numbers */
	struct plan_local *locals;

	/* of the function being translated */
	uint32_t function;
	uint32_t arity;
	uint32_t local_count;
	uint32_t temporaries;
	uint32_t max_temporaries;
	struct bl_insn *code;
	struct bl_insn_place *places;
	size_t count;
	size_t cap;
	size_t place_cap;
	struct bl_insn_place place;
	uint32_t *labels;
	size_t label_count;
	size_t label_cap;
	struct plan_block blocks[PLAN_MAX_BLOCKS];
	size_t block_count;
	struct plan_with withs[PLAN_MAX_BLOCKS];
	size_t with_count;
	struct plan_call *calls;
	size_t call_count;
	size_t call_cap;
	bool is_plan;
	uint16_t result_set;
};

/* Notes the first failure; always false. */
bool plan_fail(struct plan_loader *loader, enum bl_status status,
	       const char *fmt, ...) BL_PRINTF(3, 4);
bool plan_grow(struct plan_loader *loader, void **items, size_t count,
	       size_t *cap, size_t size);

/* A number of a statement from 0 to below limit. */
bool plan_index(struct plan_loader *loader, struct bl_value value,
		const char *what, size_t limit, uint32_t *out_index);

uint32_t plan_constant(struct plan_loader *loader, struct bl_value value);
void plan_emit(struct plan_loader *loader, enum bl_opcode op,
	       struct bl_insn operands);
uint32_t plan_new_label(struct plan_loader *loader);
void plan_place_label(struct plan_loader *loader, uint32_t label);
uint16_t plan_temporaries(struct plan_loader *loader, size_t count);

/* The end of the innermost block: where to go when a statement fails. */
uint32_t plan_end(const struct plan_loader *loader);

/* Leaves levels + 1 blocks. */
bool plan_break(struct plan_loader *loader, size_t levels);

/* Statements of one block, inside of a block whose end is label. */
bool plan_block(struct plan_loader *loader, struct bl_value block,
		uint32_t end);

/* One function: blocks, and the locals that are its arguments. */
bool plan_function(struct plan_loader *loader, uint32_t index,
		   struct bl_value params, struct bl_value blocks);

/* constants.c: compiles the patterns of calls that are constants. */
bool plan_compile_patterns(struct plan_loader *loader);

/* statements.c */
bool plan_statement(struct plan_loader *loader, struct bl_value statement);
bool plan_local(struct plan_loader *loader, struct bl_value number,
		struct plan_local **out_local);

#endif
