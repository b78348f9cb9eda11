/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/tools/explain.h: what the explainer remembers (explain.c), what of it a
 * statement is about (explain_terms.c), and the tree of it (explain_tree.c).
 *
 * A *derivation* is one solution of one rule: the statements that held, each
 * with the values of its variables, and the window of derivations that were
 * made while it was evaluated.  A rule without parameters is evaluated once,
 * and may be needed again outside of the window: then it is found by its path.
 */
#ifndef BELAY_REGO_TOOLS_EXPLAIN_H
#define BELAY_REGO_TOOLS_EXPLAIN_H

#include "rego/compiler/parse/ast.h"
#include "rego/runtime/vm.h"
#include "rego/tools/tools.h"

enum {
	EXPLAIN_MAX_DERIVATIONS = 20000,
	EXPLAIN_USUAL_DEPTH = 8,
	EXPLAIN_USUAL_NODES = 200,
	EXPLAIN_USUAL_BYTES = 200,
};

#define EXPLAIN_NO_MARK UINT32_MAX

/* A statement of a body that has held. */
struct explain_note {
	uint32_t mark;
	uint32_t count; /* of values, in the order of the mark's names */
	const struct bl_value *values;
	size_t begin;      /* derivations before it began */
	size_t first_held; /* before its first solution came */
	size_t last_held;  /* before the one at hand came */
	bool held;
};

struct explain_derivation {
	uint32_t mark; /* of the rule; EXPLAIN_NO_MARK: the query */
	uint32_t depth;
	size_t call;  /* those of one call have the same number */
	size_t begin; /* derivations before the call */
	size_t more;  /* further solutions with the same result */
	const struct explain_note *notes;
	size_t note_count;
	struct explain_note head;
	struct bl_value *keys;
	uint32_t key_count;
	struct bl_value value;
	uint64_t hash; /* of keys and value */
	/* where it was evaluated */
	struct bl_value input;
	struct bl_value data;
	const struct bl_vm_memo *memo;
};

/* A rule that is being tried. */
struct explain_attempt {
	uint32_t mark;
	size_t call;
	size_t begin;
	struct explain_note *notes;
	size_t count;
	size_t cap;
};

struct bl_rego_explainer {
	struct bl_arena *arena;
	const struct bl_program *program; /* NULL: nothing was observed */
	struct explain_derivation *derivations;
	size_t count;
	size_t cap;
	struct explain_attempt *attempts; /* by depth */
	size_t attempt_count;
	size_t attempt_cap;
	size_t calls;
	size_t query_statements;
	bool is_full;   /* EXPLAIN_MAX_DERIVATIONS */
	bool no_memory; /* the rest is not remembered */
};

/* ---- what a statement is about (explain_terms.c) ------------------------- */

/* A value that a statement names. */
struct explain_fact {
	struct bl_str name;
	struct bl_value value; /* undefined, below "not" */
};

/* Some derivations, in the order in which they were made. */
struct explain_found {
	struct explain_fact *facts;
	size_t fact_count;
	size_t fact_cap;
	size_t *children; /* numbers of derivations */
	size_t child_count;
	size_t child_cap;
};

/* False: memory is out. */
bool explain_statement(const struct bl_rego_explainer *explainer,
		       const struct explain_derivation *derivation,
		       const struct explain_note *note, struct bl_arena *arena,
		       struct explain_found *out_found);

#endif
