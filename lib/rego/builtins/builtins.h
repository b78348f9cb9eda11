/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/builtins/builtins.h: what the compiler and the vm know of builtins.
 *
 * builtins.def has one row a builtin; each family of functions is one file
 * here.  A function gets evaluated, defined arguments whose types were already
 * checked against its row, and gives a value, nothing (undefined), or a fault.
 */
#ifndef BELAY_REGO_BUILTINS_BUILTINS_H
#define BELAY_REGO_BUILTINS_BUILTINS_H

#include "base/arena.h"
#include "base/error.h"
#include "rego/builtins/host.h"
#include "value/value.h"

/*
 * Kinds of error of an evaluation; the codes are OPA's (docs/contracts/rego.md
 * "Errors").
 */
enum bl_rego_fault {
	BL_FAULT_NONE,
	BL_FAULT_TYPE,     /* eval_type_error: an operand is not acceptable */
	BL_FAULT_BUILTIN,  /* eval_builtin_error */
	BL_FAULT_CONFLICT, /* eval_conflict_error; always ends the evaluation */
	/* eval_cancel_error: a limit of ours, or what is not done here: never
	   taken for "undefined", which would let pass */
	BL_FAULT_CANCEL,
	BL_FAULT_INTERNAL,   /* eval_internal_error: memory */
	BL_FAULT_WITH_MERGE, /* eval_with_merge_error */
};

/* "eval_type_error", ... */
const char *bl_rego_fault_code(enum bl_rego_fault fault);

enum bl_builtin_flags {
	BL_BUILTIN_DEPRECATED = 1,       /* refused in v1 modules */
	BL_BUILTIN_NONDETERMINISTIC = 2, /* never folded */
	BL_BUILTIN_RELATION = 4,         /* gives an array of solutions */
	BL_BUILTIN_VOID = 8,             /* has no value */
	BL_BUILTIN_INFIX = 16,
	BL_BUILTIN_EXTERNAL = 32, /* of a family that can be left out */
	BL_BUILTIN_FIXED = 64,    /* cannot be replaced by "with" */
	BL_BUILTIN_NETWORK = 128, /* asks other machines */
	/* Not in the tables: an embedder's, or declared by capabilities. */
	BL_BUILTIN_FOREIGN = 256,
	BL_BUILTIN_NOTE = 512, /* its operand is told to an observer */
};

/* Variations of the language; kept in the program. */
enum bl_rego_feature {
	BL_REGO_GRAPHQL_DESCRIPTIONS = 1, /* as OPA 1.22's newer parser */
};

struct bl_builtin_regexes;
struct bl_regex;

/*
 * The state that calls of one query share.  Zero but for what the embedder knows; memo
 * and regexes are in the calls' arena.
 */
struct bl_builtin_state {
	struct bl_rego_host host;
	struct bl_value runtime; /* of opa.runtime; an object */
	unsigned features;       /* enum bl_rego_feature */
	bool quiet; /* nobody reads the message of an ordinary fault */
	bool (*is_over)(void *context); /* may be NULL */
	void *is_over_context;
	/* One value a query for rand.intn, uuid.rfc4122, ...: key to value. */
	struct bl_member *memo;
	size_t memo_count;
	size_t memo_cap;

	struct bl_builtin_regexes *regexes; /* compiled; patterns.c */
};

struct bl_builtin;

struct bl_builtin_call {
	const struct bl_builtin *row; /* set by bl_builtin_run */
	struct bl_arena *arena;
	struct bl_builtin_state *state;
	const struct bl_value *args;
	size_t arg_count;
	/* Of the pattern among args, when it was compiled before; or NULL. */
	const struct bl_regex *regex;
	/* set by the function: */
	struct bl_value result; /* undefined: the call is undefined */
	enum bl_rego_fault fault;
	struct bl_str message; /* of the fault, without the builtin's name */
};

/* True, or false with fault and message set. */
typedef bool (*bl_builtin_function)(struct bl_builtin_call *call);

struct bl_builtin {
	const char *name;
	uint8_t arity;
	uint16_t flags;
	bl_builtin_function function; /* NULL: the vm does it itself */
	/*
	 * Operand types, "," between operands, "|" between alternatives, in
	 * the order in which messages list them: "string, array|set", with
	 * "any" for no check.  The content of a collection is the function's
	 * business.
	 */
	const char *operands;
	/*
	 * As the language declares it, for the checks of types and for
	 * capabilities: operands with their names, then "->" and the result, "" when
	 * it takes anything.  One letter a type:
	 *
	 *   a any   z null   b boolean   n number   s string
	 *   [nn]    array of two numbers       [*n]   array of any length
	 *   {s}     set                        (*sa)  object with any such members
	 *   ('k's)  object with that key       <ns>   either of these
	 */
	const char *signature;
	const char *doc; /* one line */
};

/* NULL when no such name exists. */
const struct bl_builtin *bl_builtin_find(struct bl_str name);

/* Row i, or NULL past the end; the order of rows is fixed. */
const struct bl_builtin *bl_builtin_at(size_t i);

/*
 * The kinds of a builtin's operands, for calls without reading its row:
 * bit K of wanted[i] stands for kind K.
 */
enum { BL_BUILTIN_MASKS = 4 };
struct bl_builtin_masks {
	uint16_t wanted[BL_BUILTIN_MASKS];
};
struct bl_builtin_masks bl_builtin_masks_of(const struct bl_builtin *builtin);

/*
 * Checks the operands and calls; masks are the builtin's, or NULL.  False with fault and message set; the
 * message has "NAME: " in front.
 */
bool bl_builtin_run(const struct bl_builtin *builtin,
		    const struct bl_builtin_masks *masks,
		    struct bl_builtin_call *call);

/* Forgets what the state has in memory of arena that was made since position. */
void bl_builtin_forget(struct bl_builtin_state *state,
		       const struct bl_arena *arena, size_t position);

/* The operands that make up the pattern of a builtin, bit i for operand i
 * (0-based); 0: absent. */
unsigned bl_builtin_pattern_operands(const struct bl_builtin *builtin);

/*
 * The program of the pattern among args, in call->arena; the other operands are
 * not looked at.  False: it is not one, or memory is out.
 */
bool bl_builtin_compile_pattern(const struct bl_builtin *builtin,
				struct bl_builtin_call *call,
				const struct bl_regex **out_regex);

/* ---- for the functions -------------------------------------------------------- */

/* Sets a fault.  Always false, for `return`. */
bool bl_builtin_fault(struct bl_builtin_call *call, enum bl_rego_fault fault,
		      const char *fmt, ...) BL_PRINTF(3, 4);

/* "operand N must be WANTED but got KIND"; n counts from 1. */
bool bl_builtin_operand_fault(struct bl_builtin_call *call, size_t n,
			      const char *wanted, const char *got);

#ifdef __clang_analyzer__
/* The analyzer does not look into other files: a fault is never true. */
#	define bl_builtin_fault(...) ((bl_builtin_fault)(__VA_ARGS__), false)
#	define bl_builtin_operand_fault(...)                                  \
		((bl_builtin_operand_fault)(__VA_ARGS__), false)
#endif

/* Sets the result (undefined through memory: a fault).  For `return`. */
bool bl_builtin_return(struct bl_builtin_call *call, struct bl_value result);

#endif
