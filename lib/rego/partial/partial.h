/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/partial/partial.h: partial evaluation: what is left of a query when some
 * of input and data is not known yet.
 *
 *     allow if { input.role == data.roles[_]; input.level > 2 + 1 }
 *
 * with data.roles = ["a", "b"] leaves two queries, each of which is enough:
 *
 *     "a" = input.role; input.level > 3
 *     "b" = input.role; input.level > 3
 *
 * Rules that cannot become a part of the queries (those with a default, whole
 * sets) are written out as further modules, below data.partial.
 */
#ifndef BELAY_REGO_PARTIAL_PARTIAL_H
#define BELAY_REGO_PARTIAL_PARTIAL_H

#include "rego/compiler/compiler.h"

struct bl_rego_partial_options {
	/* The sources that policies were compiled from, and how. */
	const struct bl_rego_source *sources;
	size_t source_count;
	const struct bl_rego_compile_options *compile; /* may be NULL */

	/* Input (undefined: nothing of it is known), data, limits, host. */
	struct bl_rego_options run;

	/* References to what is not known: "input", "data.users"; none: input. */
	const struct bl_str *unknowns;
	size_t unknown_count;

	/* References to rules that are written out, never put in place. */
	const struct bl_str *disable_inlining;
	size_t disable_count;

	bool shallow; /* rules that need something unknown are written out */
	bool nondeterministic; /* builtins like time.now_ns are called, too */
};

struct bl_rego_partial_query {
	/*
	 * A statement a line; "" always holds.  bl_rego_print_query has it with
	 * operators once it is parsed.
	 */
	struct bl_str text;
	/* It has "and", "or" or "not {...}", which are parsed with imports only. */
	bool needs_imports;
};

struct bl_rego_partial {
	const struct bl_rego_partial_query *queries;
	size_t query_count;
	/* Each is the text of a module, in the order of their packages. */
	const struct bl_str *support;
	size_t support_count;
	/* The evaluation failed, as in struct bl_rego_result. */
	const char *fault_code;
	struct bl_str fault;
};

/*
 * Evaluates a query as far as it goes.  Everything is in arena.  INVALID or
 * SYNTAX when it does not compile (see diags) or something given is not a reference
 * to input or data; LIMIT when there are too many ways to go, or too deep ones;
 * NO_MEMORY.
 */
enum bl_status
bl_rego_partial_run(const struct bl_rego_policies *policies,
		    const struct bl_rego_partial_options *options,
		    struct bl_str query, struct bl_arena *arena,
		    struct bl_diags *diags, struct bl_rego_partial *out_partial,
		    struct bl_error *err);

#endif
