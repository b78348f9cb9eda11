/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/parse/print.h: what the printer and the formatter share: how pieces are
 * spelled, and which ways of writing a rule mean the same.
 */
#ifndef BELAY_REGO_COMPILER_PARSE_PRINT_H
#define BELAY_REGO_COMPILER_PARSE_PRINT_H

#include "base/buf.h"
#include "rego/compiler/parse/operators.h"

/* May text stand behind a "." or be a variable? */
bool bl_rego_is_plain_name(struct bl_str text);

/* Is name a keyword in this module? */
bool bl_rego_is_reserved(const struct bl_rego_module *module,
			 struct bl_str name);

/* A term on one line, and a statement; calls as they are written. */
void bl_rego_print_term(struct bl_buf *out, const struct bl_rego_term *term);
void bl_rego_print_expr(struct bl_buf *out, const struct bl_rego_expr *expr);

/* A constant in a template, which is text there; a string is a piece of it. */
void bl_rego_print_piece(struct bl_buf *out, struct bl_value piece, bool raw);

/* Is this part of a template a constant? */
bool bl_rego_is_piece(const struct bl_rego_expr *part);

/*
 * A call as an operator: those of the builtins that operators stand for, also
 * when they are called by name.  text NULL: any other call.
 */
struct bl_rego_infix {
	const char *text;
	const struct bl_rego_operator *row; /* NULL: "in" */
	const struct bl_rego_term *result;  /* x of "plus(1, 2, x)", or NULL */
};

/* A result can only be where the call is a statement. */
struct bl_rego_infix bl_rego_infix_of(const struct bl_rego_term *term,
				      bool is_statement);

/*
 * Are parentheses needed around the only statement of operand i of expr, which
 * is "and" or "or"; and around what stands behind the "not" of expr?
 */
bool bl_rego_operand_is_grouped(const struct bl_rego_expr *expr, uint32_t i);
bool bl_rego_negated_is_grouped(const struct bl_rego_module *module,
				const struct bl_rego_expr *expr);

/* Is there "import future.keywords", or one of this keyword alone? */
bool bl_rego_imports_keyword(const struct bl_rego_module *module,
			     struct bl_str name);

/* Does "not {...}" hold a body in this module? */
bool bl_rego_not_takes_blocks(const struct bl_rego_module *module);

/* Which of BL_KEYWORDS_V2 the rules are written with. */
unsigned bl_rego_used_keywords(const struct bl_rego_module *module);

/* A line with one import. */
void bl_rego_print_import(struct bl_buf *out,
			  const struct bl_rego_import *import);

/*
 * The rules, without what stands before them, and calls of the builtins of
 * operators as operators.
 */
void bl_rego_print_rules(struct bl_buf *out,
			 const struct bl_rego_module *module);

/* Before v1, "p[x]" (and "p.x") without a value is "p contains x". */
bool bl_rego_rule_is_old_set(const struct bl_rego_module *module,
			     const struct bl_rego_rule *rule);

/* A rule without a body, or with the body "true" and nothing behind it. */
bool bl_rego_rule_is_constant(const struct bl_rego_rule *rule);

/* A constant that gives no value: "true" is written all the same. */
bool bl_rego_rule_writes_true(const struct bl_rego_module *module,
			      const struct bl_rego_rule *rule);

/* The value is "true", which a rule with a body has anyway. */
bool bl_rego_rule_value_implied(const struct bl_rego_rule *rule);

/* Is the path of an import head.second, or longer? */
bool bl_rego_path_begins(const struct bl_rego_term *path, const char *head,
			 const char *second);

/* Does the module have an import of head.second ("rego", "v1")? */
bool bl_rego_has_import(const struct bl_rego_module *module, const char *head,
			const char *second);

/* An import of keywords or of a version that another one makes idle. */
bool bl_rego_import_is_idle(const struct bl_rego_module *module,
			    const struct bl_rego_import *import);

#endif
