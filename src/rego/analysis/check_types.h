/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/analysis/check_types.h: the state of the type checker, and its errors.
 */
#ifndef BELAY_REGO_ANALYSIS_CHECK_TYPES_H
#define BELAY_REGO_ANALYSIS_CHECK_TYPES_H

#include "rego/analysis/types.h"

/* Types of calls, references and comprehensions: each is looked at once. */
struct known_type {
	const struct bl_rego_term *term;
	const struct bl_type *type;
};

/*
 * In heads and in bodies of "every" OPA infers types, too, but refuses less;
 * what it accepts must not be refused here.
 */
enum leniency { STRICT, IN_HEAD, IN_EVERY };

struct checker {
	struct bl_compiler *compiler;
	struct bl_arena *arena;
	const struct bl_rego_module *module;
	const struct bl_type **vars;    /* by slot */
	const struct bl_type **results; /* by node: its value */
	struct bl_signature *functions; /* by node; arity 0: not known */
	struct known_type *known;
	size_t known_count;
	size_t known_size; /* a power of two */
	bool replaced;     /* under "with": documents are of any type */
	enum leniency leniency;
	bool of_variable; /* the reference at hand is into a local variable */
};

/* count zeroed things of size bytes; NULL, noted in the compiler. */
void *bl_types_alloc(struct checker *checker, size_t count, size_t size);

/* NULL when it has no type yet. */
const struct bl_type *bl_types_of(struct checker *checker,
				  const struct bl_rego_term *term);

/* ---- type_errors.c: errors with OPA's texts -------------------------------- */

void bl_types_report(struct checker *checker, uint32_t offset,
		     const struct bl_buf *text);

void bl_types_report_no_parts(struct checker *checker,
			      const struct bl_rego_term *ref, uint32_t at,
			      const struct bl_type *type);

void bl_types_report_part(struct checker *checker,
			  const struct bl_rego_term *ref, uint32_t at,
			  const struct bl_type *type,
			  const struct bl_type *have);

void bl_types_report_args(struct checker *checker,
			  const struct bl_rego_term *call,
			  const struct bl_signature *signature, bool nested);

#endif
