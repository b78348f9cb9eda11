/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/check/callables.h: which functions are there, beside those of rules:
 * the tables of builtins, or what capabilities leave of them, and the
 * embedder's.  NULL stands for the tables as they are.
 */
#ifndef BELAY_REGO_COMPILER_CHECK_CALLABLES_H
#define BELAY_REGO_COMPILER_CHECK_CALLABLES_H

#include "rego/compiler/compiler.h"

struct bl_callables;
struct bl_signature;
struct bl_type;

/*
 * *out_callables is NULL when options ask for nothing special.  INVALID: a
 * function cannot be as it is declared.  In arena.
 */
enum bl_status bl_callables_make(struct bl_arena *arena,
				 const struct bl_rego_compile_options *options,
				 const struct bl_callables **out_callables,
				 struct bl_error *err);

/* NULL when nothing is called so. */
const struct bl_builtin *
bl_callables_builtin(const struct bl_callables *callables, struct bl_str name);

/* As it was declared; NULL: as the tables say. */
const struct bl_signature *
bl_callables_signature(const struct bl_callables *callables,
		       struct bl_str name);

/* enum bl_rego_feature of what is evaluated. */
unsigned bl_callables_features(const struct bl_callables *callables);

/*
 * Refuses what capabilities leave out of the language: in modules as they were
 * parsed, before anything else.
 */
void bl_callables_check_modules(const struct bl_callables *callables,
				const struct bl_rego_module *const *modules,
				size_t count, struct bl_diags *diags);

/* May a module have template strings? */
bool bl_callables_has_templates(const struct bl_callables *callables);

/* ---- declarations as JSON (declaration.c) ----------------------------------- */

/*
 * The type of a builtin, as OPA's capabilities have it: {"args",
 * "result", "type"}.
 */
struct bl_value bl_declaration_write(struct bl_arena *arena,
				     const struct bl_builtin *builtin,
				     const struct bl_signature *signature);

/*
 * Reads one; *out_is_void: it has no result (the signature says boolean then).
 * INVALID; NO_MEMORY.
 */
enum bl_status bl_declaration_read(struct bl_arena *arena,
				   struct bl_value declaration,
				   const struct bl_signature **out_signature,
				   bool *out_is_void, struct bl_error *err);

#endif
