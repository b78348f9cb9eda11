/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/emit/private.h: what the files of the emitter share.
 *
 * Code for one function is made in one pass over resolved, ordered bodies.
 * `fail` is where the code being made goes when something is undefined: the
 * next round of the innermost loop, or the end of the block.  A statement that
 * goes through a collection moves `fail` to its own loop, so what follows runs
 * once for each solution.
 */
#ifndef BELAY_REGO_COMPILER_EMIT_PRIVATE_H
#define BELAY_REGO_COMPILER_EMIT_PRIVATE_H

#include "rego/compiler/emit/compile.h"
#include "rego/compiler/parse/visit.h"

typedef uint16_t bl_register;
typedef uint32_t bl_label;

/* The state that all functions of a program share while it is made. */
enum { BL_LATE_CONSTANTS = 64 };

struct bl_program_builder {
	struct bl_compiler *compiler;
	struct bl_program *program;
	size_t constant_cap;
	uint32_t
		lately[BL_LATE_CONSTANTS]; /* constants, by hash: numbers + 1 */
	size_t builtin_cap;
	size_t function_cap;
	size_t rule_index_cap;
	struct bl_pattern_maker patterns;
	size_t mark_cap;
};

/*
 * A part of a value (or input, when `of` is BL_NO_REGISTER) that a register
 * has wherever the code being made is reached.
 */
struct bl_known_part {
	bl_register of;
	bl_register reg;
	bool shared; /* read by more than the statement that made it */
	struct bl_value key;
};

/* A term that is found out once for all rounds of a loop around it. */
struct bl_hoisted {
	const struct bl_rego_term *term;
	bl_register reg;
	bl_register loop; /* its state */
};

/* The loop that code begins with, and the value by which it is looked up. */
struct bl_first_loop {
	bool is_there;
	const struct bl_rego_term *joined_with; /* NULL: it is gone through */
};

/* The code of a comprehension as it is written. */
struct bl_emitted {
	uint32_t from; /* its first instruction */
	bl_label label_from;
	bl_register result;
	struct bl_first_loop first_loop;
};

#define BL_NO_REGISTER UINT16_MAX

enum { BL_KNOWN_PARTS_MAX = 64, BL_HOISTED_MAX = 32 };

struct bl_emitter {
	struct bl_program_builder *builder;
	struct bl_resolver *resolver;
	const struct bl_rule *rule; /* being compiled; NULL: a query */
	struct bl_bound bound;
	uint32_t slot_base; /* register of slot 0 */
	uint32_t next_register;
	uint32_t max_register;
	bl_label fail;
	struct bl_insn_place place;
	bool block_not; /* "not" takes in all of its expression */
	bool failed;    /* memory or limits */
	bool unfolded;  /* in code for when what was folded does not count */
	bool one_value; /* all rules give the same: the first one decides */

	struct bl_insn *code;
	struct bl_insn_place *places;
	size_t count;
	size_t cap;
	uint32_t *labels; /* label to instruction */
	size_t label_count;
	size_t label_cap;
	struct bl_known_part known[BL_KNOWN_PARTS_MAX];
	uint32_t known_from; /* below: of before a "with" */
	uint32_t known_count;
	struct bl_hoisted hoisted[BL_HOISTED_MAX];
	uint32_t hoisted_from; /* below: of before a "with" */
	uint32_t hoisted_count;
	const struct bl_rego_body *body; /* whose statement is being made */
	size_t body_at;

	struct bl_first_loop first_loop;
	uint32_t loop_count;  /* around the code being made */
	uint32_t group_depth; /* of functions that make groups */

	uint32_t last_label_at; /* an instruction that can be jumped to */
	uint32_t fixed_count;   /* registers of the function's own */

	struct bl_str path;                   /* observed: of the rule */
	const struct bl_resolved_rule *cases; /* whose keys are to be told */
	uint32_t nesting;                     /* of bodies */
};

/* ---- emit.c: the basics ------------------------------------------------------------ */

void bl_emit(struct bl_emitter *e, enum bl_opcode op, struct bl_insn operands);
/*
 * value[key] in a register; goes to fail.  BL_NO_REGISTER stands for input,
 * whose whole is the part with an undefined key.
 */
bl_register bl_emit_part(struct bl_emitter *e, bl_register value,
			 struct bl_value key);

/* to := from, which nothing reads afterwards unless it is a variable's. */
void bl_emit_move(struct bl_emitter *e, bl_register to, bl_register from);

bl_label bl_emit_new_label(struct bl_emitter *e);
void bl_emit_place_label(struct bl_emitter *e, bl_label label);
bl_register bl_emit_registers(struct bl_emitter *e, size_t count);
uint32_t bl_emit_constant(struct bl_emitter *e, struct bl_value value);
uint32_t bl_emit_builtin_index(struct bl_emitter *e,
			       const struct bl_builtin *builtin);

/*
 * The slot of a variable that stands for a register; such slots are below
 * BL_SLOT_NONE, and count as bound.
 */
static inline int32_t bl_register_slot(bl_register reg)
{
	return BL_SLOT_NONE - 1 - (int32_t)reg;
}

static inline bl_register bl_emit_slot(const struct bl_emitter *e, int32_t slot)
{
	if (slot < BL_SLOT_NONE)
		return (bl_register)(BL_SLOT_NONE - 1 - slot);
	return (bl_register)(e->slot_base + (uint32_t)slot);
}

#define EMIT(e, opcode, ...)                                                   \
	bl_emit((e), BL_OP_##opcode, (struct bl_insn){ __VA_ARGS__ })

/* ---- emit_term.c ---------------------------------------------------------------------- */

/* The value of a term, in a register; goes to fail when undefined. */
bl_register bl_emit_value(struct bl_emitter *e,
			  const struct bl_rego_term *term);

/* Values of count terms in consecutive registers. */
bl_register bl_emit_values(struct bl_emitter *e,
			   struct bl_rego_term *const *terms, size_t count);

/* Matches a pattern with the value in a register, binding its variables. */
void bl_emit_match(struct bl_emitter *e, const struct bl_rego_term *pattern,
		   bl_register value);

/* The registers of each round of a loop. */
struct bl_emit_round {
	bl_register key;
	bl_register value;
};

/* A loop over the collection in a register: key and value of each round. */
struct bl_emit_round bl_emit_loop(struct bl_emitter *e, bl_register collection);

/*
 * As above where the values of the rounds are matched with pattern.  When a
 * statement behind it compares a part of them with something that is known
 * before the loop, the machine may look these rounds up.
 */
struct bl_emit_round bl_emit_value_loop(struct bl_emitter *e,
					bl_register collection,
					const struct bl_rego_term *pattern);

/* As above for a loop in the middle of a reference, which is compared with
 * another term: `ref` from part i on. */
struct bl_emit_round bl_emit_ref_loop(struct bl_emitter *e,
				      bl_register collection,
				      const struct bl_rego_term *ref,
				      uint32_t i);

/* Is it a builtin that compares two operands? */
bool bl_rego_is_comparison(struct bl_str builtin);

/* Two operands compared as it does; goes to `no` when not so. */
void bl_emit_comparison(struct bl_emitter *e, struct bl_str builtin,
			const bl_register operands[2], bl_label no);

/* Values of two terms, one of which may bind what the other needs. */
void bl_emit_operands(struct bl_emitter *e, struct bl_rego_term *const *terms,
		      bl_register out_operands[2]);

/* The value of a term that is constant (bl_term_is_constant). */
struct bl_value bl_emit_make_constant(struct bl_emitter *e,
				      const struct bl_rego_term *term);

/* Can it be evaluated with what is bound now? */
bool bl_emit_is_ready(struct bl_emitter *e, const struct bl_rego_term *term);

/* ---- emit_comprehension.c --------------------------------------------------------------- */

bl_register bl_emit_comprehension(struct bl_emitter *e,
				  const struct bl_rego_term *term);

enum bl_collector_kind bl_comprehension_kind(const struct bl_rego_term *term);

/*
 * Code that is reached with each solution of body, and the values of the items of a
 * comprehension in it; false: failed.
 */
bool bl_emit_solutions(struct bl_emitter *e, const struct bl_rego_term *term,
		       struct bl_rego_body *body, bl_register out_values[2]);

/* ---- emit_groups.c ----------------------------------------------------------------------- */

/*
 * Behind the code of a comprehension that was just made: puts in front of it that
 * groups are looked up (runtime/groups.c), when they may be of use.
 */
void bl_emit_groups(struct bl_emitter *e, const struct bl_rego_term *term,
		    const struct bl_emitted *code);

/* ---- emit_fold.c ------------------------------------------------------------------------ */

/*
 * The value that a term has unless functions or documents are replaced, or base
 * data stands where rules do.
 */
bool bl_fold(struct bl_emitter *e, const struct bl_rego_term *term,
	     struct bl_value *out_value);
bool bl_fold_node(struct bl_emitter *e, const struct bl_node *node,
		  struct bl_value *out_value);

/* How many parts of a reference lead to a rule with such a value; 0: none. */
uint32_t bl_fold_parts(struct bl_emitter *e, const struct bl_rego_term *ref,
		       struct bl_value *out_value);

/*
 * Code between the two finds the value out when it does not count; it is in the
 * register that the second gives.
 */
struct bl_fold_block {
	bl_register result;
	bl_label end;
	uint32_t known_count;
};
struct bl_fold_block bl_fold_begin(struct bl_emitter *e, struct bl_value value);
bl_register bl_fold_end(struct bl_emitter *e, struct bl_fold_block block,
			bl_register value);

/* ---- emit_hoist.c ----------------------------------------------------------------------- */

/*
 * Before a loop, whose state is in a register: notes what its rounds need not
 * find out each.
 */
void bl_emit_hoist(struct bl_emitter *e, bl_register loop);

/* The term, when it was noted; NULL: it was not. */
const struct bl_hoisted *bl_emit_hoisted(const struct bl_emitter *e,
					 const struct bl_rego_term *term);

/* ---- emit_pattern.c -------------------------------------------------------------------- */

/*
 * The pattern among the operands of a call, compiled; *out_index is its number.
 * False: the call has no valid constant of that kind.
 */
bool bl_emit_pattern(struct bl_emitter *e, const struct bl_builtin *builtin,
		     struct bl_rego_term *const *terms, uint32_t *out_index);

/* ---- emit_expr.c ---------------------------------------------------------------------- */

/* The statements of a body, ordered first; on success falls through. */
void bl_emit_body(struct bl_emitter *e, struct bl_rego_body *body);

/* Grows an array of the compiler's arena when it is full; false: no memory. */
bool bl_emit_grow(struct bl_emitter *e, void **items, size_t count, size_t *cap,
		  size_t size);

/* Turns labels into places and puts the function into the program. */
void bl_emit_finish(struct bl_emitter *e, uint32_t index, size_t arity);

/* ---- emit_observe.c ------------------------------------------------------------------- */

static inline bool bl_emit_observes(const struct bl_emitter *e)
{
	return e->builder->compiler->options.observe;
}

/*
 * An observer wants to see each round of a loop, also one that a later statement
 * ends: those of a test_x[case] are its cases.
 */
static inline bool bl_emit_shows_rounds(const struct bl_emitter *e)
{
	return bl_emit_observes(e) || e->cases;
}

/* Each does nothing unless the code is to be observed; cases are told anyway. */
uint32_t bl_emit_enter(struct bl_emitter *e, const struct bl_rego_rule *rule);
/* The keys stand in the registers before the value. */
void bl_emit_exit(struct bl_emitter *e, uint32_t number, bl_register value,
		  const struct bl_resolved_rule *rule, bool is_set);
uint32_t bl_emit_begin_statement(struct bl_emitter *e,
				 const struct bl_rego_expr *expr);
void bl_emit_end_statement(struct bl_emitter *e,
			   const struct bl_rego_expr *expr, uint32_t mark);

/* Before the body of a partial rule, which may be test_x[case]. */
void bl_emit_begin_cases(struct bl_emitter *e,
			 const struct bl_resolved_rule *rule, bool is_set);

/* Two operands, in order, that are about to be compared. */
void bl_emit_note_operands(struct bl_emitter *e, bl_register a, bl_register b);

/* print(), when calls of it are kept. */
void bl_emit_print(struct bl_emitter *e, const struct bl_rego_term *call);

/* ---- emit_rule.c ---------------------------------------------------------------------- */

/* Registers of a rule function behind its arguments. */
enum { BL_RULE_RESULT, BL_RULE_CHAIN, BL_RULE_FIXED_COUNT };

/* Gets the emitter ready for one rule, whose slots it has to know. */
struct bl_resolved_rule *bl_emit_begin_rule(struct bl_emitter *e,
					    struct bl_resolver *resolver,
					    const struct bl_node *node,
					    const struct bl_rule *rule);

/* Its code; afterwards the statements of its bodies are in order. */
void bl_emit_rule(struct bl_emitter *e, const struct bl_node *node,
		  const struct bl_rule *rule,
		  const struct bl_resolved_rule *resolved);

/* The value of a node for which no rule holds, when it has a default. */
void bl_emit_default(struct bl_emitter *e, const struct bl_node *node);

/* ---- emit_node.c ---------------------------------------------------------------------- */

/* Makes the function of a node that has rules. */
void bl_emit_node(struct bl_program_builder *builder,
		  const struct bl_node *node);

#endif
