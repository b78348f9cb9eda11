/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/emit/compile.h: what makes programs: of modules, of queries, and
 * images of them.
 */
#ifndef BELAY_REGO_COMPILER_EMIT_COMPILE_H
#define BELAY_REGO_COMPILER_EMIT_COMPILE_H

#include "rego/compiler/resolve/analysis.h"

/* The maker of patterns for a program. */
struct bl_pattern_maker {
	struct bl_program *program;
	struct bl_arena *arena;
	size_t cap;
	size_t bytes; /* of the programs of all patterns */
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

/* A query: its statements, and the module whose names it sees; NULL: none. */
struct bl_query {
	struct bl_diag_source source;
	const struct bl_rego_body *body;
	const struct bl_rego_module *scope;
	bool is_checked; /* types are not looked at: it was made of checked ones */
};

/*
 * Compiles a query as one more function.  It gives an array with an object for
 * each solution: named variables, and "$N" for the value of statement N.
 * program must be a copy of one that was compiled; its tables are copied into
 * arena before they grow, so the original stays as it was.
 */
enum bl_status
bl_program_add_query(struct bl_program *program, const struct bl_query *query,
		     struct bl_arena *arena, struct bl_diags *diags,
		     uint32_t *out_function, struct bl_error *err);

/*
 * Adds the pattern among the operands of a builtin of the program, compiled in
 * arena; operands that are not part of it are not looked at.  False: there is no
 * pattern, it is wrong, or there is no room for it: it is compiled when it is
 * used.
 */
bool bl_program_add_pattern(struct bl_pattern_maker *maker, uint32_t builtin,
			    const struct bl_value *operands,
			    uint32_t *out_index);

/*
 * Appends the program as an image (docs/formats/image.md) with one value of
 * the caller's.  The buffer must be empty.
 */
enum bl_status bl_program_write_image(const struct bl_program *program,
				      struct bl_value extra, struct bl_buf *out,
				      struct bl_error *err);

#endif
