/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/parse/visit.h: going through a syntax tree, as parsed or as
 * resolved.
 *
 * A visitor has a function for each kind of node that it wants to see; NULL: none.
 * It is called before what is in the node, and says whether that is gone through
 * at all.  The order is that of the text, but
 * what a comprehension gives comes before its body, and the terms of a statement
 * before its bodies and the values of "with".  The targets of "with" are left out.
 *
 * A closure is a body with all that its names may stand in: what a comprehension
 * gives, the key and the value of "every".  The function of a body is called before any
 * of it, and `closures` are those around the node that is being seen.
 *
 * How many names stand in a term, outside of comprehensions?
 *
 *     struct counter {
 *             struct bl_visitor visitor; // first: see_term is given this
 *             size_t names;
 *     };
 *
 *     static bool see_term(struct bl_visitor *visitor,
 *                          const struct bl_rego_term *term)
 *     {
 *             struct counter *counter = (struct counter *)visitor;
 *
 *             counter->names += term->kind == BL_TERM_VAR;
 *             return !bl_term_is_comprehension(term);
 *     }
 *
 *     struct counter counter = { .visitor.term = see_term };
 *
 *     bl_visit_term(&counter.visitor, term);
 *
 * The depth is that of the tree, which the parser limits (BL_REGO_MAX_NESTING).
 */
#ifndef BELAY_REGO_COMPILER_PARSE_VISIT_H
#define BELAY_REGO_COMPILER_PARSE_VISIT_H

#include "rego/compiler/parse/ast.h"

static inline bool bl_term_is_comprehension(const struct bl_rego_term *term)
{
	return term->kind >= BL_TERM_ARRAY_COMPREHENSION;
}

struct bl_visit_closure {
	const struct bl_rego_body *body;
	const struct bl_visit_closure *outer;
};

struct bl_visitor {
	bool (*term)(struct bl_visitor *visitor,
		     const struct bl_rego_term *term);
	bool (*expr)(struct bl_visitor *visitor,
		     const struct bl_rego_expr *expr);
	bool (*body)(struct bl_visitor *visitor,
		     const struct bl_rego_body *body);
	bool is_done; /* set by one of them: nothing more is gone through */
	const struct bl_visit_closure *closures; /* innermost first */
};

/* NULL is a term without anything. */
void bl_visit_term(struct bl_visitor *visitor, const struct bl_rego_term *term);
void bl_visit_terms(struct bl_visitor *visitor,
		    struct bl_rego_term *const *terms, size_t count);
void bl_visit_expr(struct bl_visitor *visitor, const struct bl_rego_expr *expr);
void bl_visit_body(struct bl_visitor *visitor, const struct bl_rego_body *body);

/* Is it a scalar, or a collection of such only? */
bool bl_term_is_constant(const struct bl_rego_term *term);

/* Does a closure around the node that is being seen own the variable? */
bool bl_visit_is_own(const struct bl_visitor *visitor,
		     const struct bl_rego_term *var);

#endif
