/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/parse/operators.h: the operators, read by the parser and the printer.
 */
#ifndef BELAY_REGO_COMPILER_PARSE_OPERATORS_H
#define BELAY_REGO_COMPILER_PARSE_OPERATORS_H

#include "rego/compiler/parse/parser.h"

/* How tightly an operator binds, loosest first. */
enum bl_rego_level {
	BL_REGO_LEVEL_STATEMENT, /* once, at the level of a statement */
	BL_REGO_LEVEL_IN,
	BL_REGO_LEVEL_RELATION,
	BL_REGO_LEVEL_OR,
	BL_REGO_LEVEL_AND,
	BL_REGO_LEVEL_ADD,
	BL_REGO_LEVEL_MULTIPLY,
	BL_REGO_LEVEL_TERM,
};

struct bl_rego_operator {
	uint8_t token;
	uint8_t level;
	const char *text;
	const char *builtin; /* that a call of it names */
};

extern const struct bl_rego_operator bl_rego_operators[];
extern const size_t bl_rego_operator_count;

/* The row of the operator that stands for this builtin, or NULL. */
const struct bl_rego_operator *bl_rego_operator_of(struct bl_str builtin);

/* The call of builtin on operands, as an operator. */
struct bl_rego_term *bl_parse_infix(struct bl_rego_parser *parser,
				    const char *builtin,
				    struct bl_rego_term *const *operands,
				    size_t count);

#endif
