/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/tools/plan_writer.h: policies to plans (OPA's IR as JSON), what the files of
 * the writer share.
 *
 * A plan has no jumps: what fails leaves its block, and a loop is a statement
 * with a block of its own.  So statements go into the innermost open block; one
 * that goes through a collection opens the block of a scan, which takes in all
 * that follows, until what the scan stands in is closed.
 *
 * Functions are made from a list: naming one that is not in it adds it.  What
 * "with" does to functions and rules is known when the plan is made: each set
 * of such replacements is a generation, and has functions of its own.
 */
#ifndef BELAY_REGO_TOOLS_PLAN_WRITER_H
#define BELAY_REGO_TOOLS_PLAN_WRITER_H

#include "rego/compiler/resolve/analysis.h"
#include "rego/tools/tools.h"

enum {
	PLAN_INPUT = 0, /* locals of every function */
	PLAN_DATA = 1,
	PLAN_FIRST_LOCAL = 2,
	PLAN_WRITER_LOCALS = 28000, /* what a loader takes */
	PLAN_WRITER_DEPTH = 180,
	PLAN_WRITER_BUILTINS = 1024, /* bl_callables_at, at most */
	PLAN_WRITER_FUNCTIONS = 100000,
	PLAN_WRITER_GENERATIONS = 1024,
	PLAN_WRITER_REPLACEMENTS = 64, /* of one generation */
};

enum plan_operand_kind { PLAN_LOCAL, PLAN_STRING, PLAN_BOOLEAN };

struct plan_operand {
	enum plan_operand_kind kind;
	uint32_t number;
};

static inline struct plan_operand plan_local_operand(uint32_t local)
{
	return (struct plan_operand){ PLAN_LOCAL, local };
}

/* What a function, a builtin or the documents below a node are replaced by. */
struct plan_replacement {
	const struct bl_builtin *builtin; /* the target: one of both */
	const struct bl_node *node;
	const struct bl_builtin *by_builtin;
	const struct bl_node *by_node;
	struct bl_value by_value; /* a constant; else undefined */
	bool by_local; /* by a value that is computed: a further argument */
};

/* The local that has the value of such a replacement. */
struct plan_handed_on {
	struct plan_replacement by;
	uint32_t local;
};

struct plan_generation {
	struct plan_replacement items[PLAN_WRITER_REPLACEMENTS];
	size_t count;
};

/* A function that is wanted: of the rules of a node, or of all below it. */
struct plan_wanted {
	const struct bl_node *node;
	uint32_t generation;
	bool is_extent;
};

/* The function with number `from` calls that with number `to`. */
struct plan_edge {
	uint32_t from; /* PLAN_ROOT: a plan does */
	uint32_t to;
};

#define PLAN_ROOT UINT32_MAX

/* Where the lines of a module begin. */
struct plan_lines {
	uint32_t *starts;
	size_t count;
};

struct plan_frame {
	struct bl_array_builder stmts;
	bool is_scan;
	uint32_t source;
	uint32_t key;
	uint32_t value;
};

struct plan_writer {
	struct bl_compiler *compiler;
	struct bl_arena *arena;
	struct bl_error *err;
	enum bl_status status; /* the first failure */

	struct bl_array_builder strings;
	uint32_t *table; /* of strings, by hash: their numbers + 1 */
	size_t table_size;
	uint64_t used_builtins[PLAN_WRITER_BUILTINS / 64]; /* by row */
	bool prints; /* there are calls of PLAN_PRINT */
	struct plan_wanted *wanted;
	size_t wanted_count;
	size_t wanted_cap;
	uint32_t *wanted_table; /* by hash: numbers + 1 */
	size_t wanted_table_size;
	uint32_t making; /* number of the function, or PLAN_ROOT */
	struct plan_edge *edges;
	size_t edge_count;
	size_t edge_cap;
	const struct plan_generation *generations[PLAN_WRITER_GENERATIONS];
	size_t generation_count;

	/* of the function being made */
	uint32_t generation;
	struct bl_resolver *resolver;
	const struct bl_rule *rule;
	bool block_not;
	struct bl_bound bound;
	struct plan_handed_on handed_on[PLAN_WRITER_REPLACEMENTS];
	size_t handed_on_count;
	uint32_t first_arg;
	uint32_t slot_base;
	uint32_t next_local;
	struct plan_frame frames[PLAN_WRITER_DEPTH];
	size_t depth;
	struct plan_lines *lines; /* by module, as they are needed */
	int64_t file;
	int64_t row;
	int64_t column;
};

struct plan_field {
	const char *name;
	struct bl_value value;
};

/* ---- write.c: statements, blocks, functions --------------------------------- */

/* Notes the first failure; always false. */
bool plan_writer_fail(struct plan_writer *w, enum bl_status status,
		      const char *fmt, ...) BL_PRINTF(3, 4);

/* Adds a statement to the innermost block. */
void plan_add(struct plan_writer *w, const char *type,
	      const struct plan_field *fields, size_t count);
#define PLAN_ADD(w, type, ...)                                                 \
	plan_add((w), (type), (const struct plan_field[]){ __VA_ARGS__ },      \
		 sizeof((const struct plan_field[]){ __VA_ARGS__ }) /          \
			 sizeof(struct plan_field))
#define PLAN_NUMBER(n) bl_value_integer((int64_t)(n))

struct bl_value plan_operand_value(struct plan_writer *w,
				   struct plan_operand operand);
uint32_t plan_string(struct plan_writer *w, struct bl_str text);
struct plan_operand plan_string_operand(struct plan_writer *w,
					struct bl_str text);
uint32_t plan_new_local(struct plan_writer *w);

/* The local that holds an operand. */
uint32_t plan_as_local(struct plan_writer *w, struct plan_operand operand);

/* Opens a block; closing gives it, with the scans that were opened in it. */
void plan_open(struct plan_writer *w);
struct bl_value plan_close(struct plan_writer *w);

/* Adds a statement with one block that was just closed. */
void plan_add_block(struct plan_writer *w, struct bl_value block);

/* Opens the block of a scan. */
void plan_open_scan(struct plan_writer *w, struct plan_operand source,
		    uint32_t *out_key, uint32_t *out_value);

/* Where statements are written from here on. */
void plan_at(struct plan_writer *w, const struct bl_rego_module *module,
	     uint32_t offset);

/* The number of a function, which is made if it is not yet. */
uint32_t plan_want(struct plan_writer *w, struct plan_wanted wanted);

/* The name of a function; the same of one that is called here. */
struct bl_str plan_called_name(struct plan_writer *w,
			       struct plan_wanted wanted);
struct bl_str plan_function_name(struct plan_writer *w,
				 struct plan_wanted wanted);

/*
 * The generation with one more replacement; and the one in which what replaces
 * a function is called: without any replacement of functions.
 */
uint32_t plan_generation_with(struct plan_writer *w, uint32_t generation,
			      const struct plan_replacement *more);
uint32_t plan_generation_of_replacements(struct plan_writer *w,
					 uint32_t generation);
const struct plan_replacement *plan_replaced(const struct plan_writer *w,
					     const struct bl_builtin *builtin,
					     const struct bl_node *node);

/* The local with the value of a replacement by_local. */
uint32_t plan_handed_local(const struct plan_writer *w,
			   const struct plan_replacement *by);

/* ---- write_term.c -------------------------------------------------------------- */

static inline uint32_t plan_slot(const struct plan_writer *w, int32_t slot)
{
	if (slot < BL_SLOT_NONE)
		return (uint32_t)(BL_SLOT_NONE - 1 - slot);
	return w->slot_base + (uint32_t)slot;
}

/* Can it be evaluated with what is bound now? */
bool plan_is_ready(struct plan_writer *w, const struct bl_rego_term *term);

struct plan_operand plan_constant_operand(struct plan_writer *w,
					  struct bl_value value);
struct plan_operand plan_value(struct plan_writer *w,
			       const struct bl_rego_term *term);
void plan_match(struct plan_writer *w, const struct bl_rego_term *pattern,
		struct plan_operand value);

/* data..., called or looked up; of a node, and of the base data alone. */
struct plan_operand plan_document(struct plan_writer *w,
				  const struct bl_node *node);
struct plan_operand plan_base(struct plan_writer *w,
			      const struct bl_node *node);

/* Calls a function of the plan with input and data. */
struct plan_operand plan_call_wanted(struct plan_writer *w,
				     struct plan_wanted wanted,
				     const struct plan_operand *args,
				     size_t count);

/* The builtin or the function's node that a term names, either may be NULL. */
void plan_named_function(struct plan_writer *w, const struct bl_rego_term *term,
			 const struct bl_builtin **out_builtin,
			 const struct bl_node **out_node);

/* A constant term's value; undefined when it is none. */
struct bl_value plan_constant_of(struct plan_writer *w,
				 const struct bl_rego_term *term);

/* ---- write_expr.c ---------------------------------------------------------------- */

/* The statements of a body, in an order in which they can run. */
void plan_body(struct plan_writer *w, struct bl_rego_body *body);

/* A copy of what is bound, put back by plan_leave. */
struct bl_bound plan_enter(struct plan_writer *w);
void plan_leave(struct plan_writer *w, struct bl_bound bound);

/* ---- write_print.c --------------------------------------------------------------- */

/* What calls of print() become; it is no builtin that modules can call. */
#define PLAN_PRINT "internal.print"

/* As OPA's: a call with an array that has a set for each operand. */
void plan_print(struct plan_writer *w, const struct bl_rego_term *call);

/* {"name", "decl"} of it. */
struct bl_value plan_print_declaration(struct plan_writer *w);

/* ---- write_rule.c ---------------------------------------------------------------- */

/* The function of wanted, as JSON. */
struct bl_value plan_make_function(struct plan_writer *w,
				   struct plan_wanted wanted);

#endif
