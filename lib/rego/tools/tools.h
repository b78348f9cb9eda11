/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/tools/tools.h: what is done with policies besides compiling and
 * evaluating them: format, syntax trees as JSON, explanations, plans, code as
 * text, the tables of the reference pages.
 */
#ifndef BELAY_REGO_TOOLS_TOOLS_H
#define BELAY_REGO_TOOLS_TOOLS_H

#include "rego/compiler/compiler.h"

/* ---- syntax trees and format ---------------------------------------------- */

enum bl_rego_ast_parts {
	BL_REGO_AST_COMMENTS = 1,
	BL_REGO_AST_LOCATIONS = 2,
	BL_REGO_AST_ANNOTATIONS = 4, /* METADATA */
};

/*
 * The tree as OPA writes it in JSON, with some of enum bl_rego_ast_parts.
 * Undefined when memory is out.
 */
struct bl_value bl_rego_ast_json(const struct bl_rego_module *module,
				 unsigned parts, struct bl_arena *arena);

/* As above for the statements of a query. */
struct bl_value bl_rego_query_json(const struct bl_rego_body *body,
				   struct bl_arena *arena);

enum bl_rego_version_change {
	/* "import rego.v1" and "future.keywords" are left out; of v1 modules */
	BL_REGO_DROP_V0_IMPORTS,
	/* rules as v1 wants them, and "import rego.v1": right by both */
	BL_REGO_V0_AND_V1,
};

/* A changed copy of a module, for bl_rego_format; NULL: no memory. */
const struct bl_rego_module *
bl_rego_change_version(struct bl_arena *arena,
		       const struct bl_rego_module *module,
		       enum bl_rego_version_change how);

/*
 * Appends the module as `opa fmt` lays it out, with its comments.  The output
 * is parsed again and compared: UNSUPPORTED when it is not the same policy
 * with the same comments (out is then of no use), else NO_MEMORY or LIMIT.
 */
enum bl_status bl_rego_format(struct bl_arena *arena,
			      const struct bl_rego_module *module,
			      struct bl_buf *out, struct bl_error *err);

/* ---- explaining ----------------------------------------------------------- */

/*
 * Why a result is as it is: an observer that remembers the ways that led to
 * something, and gives them as a tree.  Only what contributed is in it.
 */
struct bl_rego_explainer;

/* The query to explain, and its limits. */
struct bl_rego_explain_options {
	struct bl_str path; /* "data.p.deny", a package; empty: the query */
	/* The one member of a set, or the first key of an object. */
	struct bl_value element; /* undefined: all */
	/* 0: the usual ones */
	uint32_t depth;       /* of rules within rules; usually 8 */
	uint32_t nodes;       /* rules and statements; usually 200 */
	uint32_t value_bytes; /* of one value or text; usually 200 */
};

/* Everything it remembers is in arena, which is that of the evaluation. */
enum bl_status bl_rego_explainer_new(struct bl_arena *arena,
				     struct bl_rego_explainer **out_explainer,
				     struct bl_error *err);

/* For struct bl_rego_observer: the context is the explainer. */
void bl_rego_explainer_notice(void *context, const struct bl_rego_event *event);

/*
 * The tree of what was observed, as JSON's types, in arena (docs/internals/
 * rego.md has its form).  NO_MEMORY or LIMIT.
 */
enum bl_status bl_rego_explain(const struct bl_rego_explainer *explainer,
			       const struct bl_rego_explain_options *options,
			       struct bl_arena *arena,
			       struct bl_value *out_tree, struct bl_error *err);

/* Appends such a tree for people, each line indented by indent blanks. */
void bl_rego_put_explanation(struct bl_buf *out, struct bl_value tree,
			     size_t indent);

/* ---- dependencies --------------------------------------------------------- */

/* Arrays of paths, sorted; a path is an array: "input" or "data", then keys. */
struct bl_rego_dependencies {
	struct bl_value base; /* parts of input and data that no rule makes */
	struct bl_value virtual; /* rules */
};

/*
 * The documents that evaluating the query may need, as `opa deps` lists them.
 * The sources must compile.  SYNTAX: of the query; LIMIT; NO_MEMORY.
 */
enum bl_status bl_rego_find_dependencies(
	struct bl_arena *arena, const struct bl_rego_source *sources,
	size_t source_count, struct bl_str query, struct bl_diags *diags,
	struct bl_rego_dependencies *out_dependencies, struct bl_error *err);

/* ---- plans (OPA's IR, "plan.json" of a bundle) ---------------------------- */

/*
 * Policies from a plan as JSON, which must live as long as they.  INVALID: it
 * is not a sound plan; UNSUPPORTED: it needs a builtin that is not here; LIMIT.
 * Of options, which may be NULL, functions and capabilities count.  Such
 * policies are run by bl_rego_run_plan; queries find no rules in them.
 */
enum bl_status bl_rego_load_plan(struct bl_arena *arena, struct bl_value plan,
				 const struct bl_rego_compile_options *options,
				 const struct bl_rego_policies **out_policies,
				 struct bl_error *err);

/*
 * Runs an entry point ("pkg/rule"): solutions are the objects of its result
 * set (of OPA's: {"result": value}).  NOT_FOUND when there is no such plan;
 * otherwise as bl_rego_run.
 */
enum bl_status bl_rego_run_plan(const struct bl_rego_policies *policies,
				struct bl_str entrypoint,
				const struct bl_rego_options *options,
				struct bl_arena *arena,
				struct bl_rego_result *out_result,
				struct bl_error *err);

/* Appends the code of every function, one instruction a line. */
void bl_rego_disassemble(struct bl_buf *out,
			 const struct bl_rego_policies *policies);

/* ---- reference ---------------------------------------------------------- */

/* Append the tables of builtins and of opcodes, as Markdown. */
void bl_rego_put_builtins(struct bl_buf *out);
void bl_rego_put_opcodes(struct bl_buf *out);

#endif
