/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators (docs/contracts/rego.md "Grammar"): each is a call of the builtin
 * it stands for.
 */
#include "rego/compiler/parse/operators.h"
#include "rego/compiler/parse/parser.h"

/* The operator rows; bl_rego_operators is in order of binding, loosest first.
 */
const struct bl_rego_operator bl_rego_operators[] = {
	{ BL_TOKEN_ASSIGN, BL_REGO_LEVEL_STATEMENT, ":=", "assign" },
	{ BL_TOKEN_UNIFY, BL_REGO_LEVEL_STATEMENT, "=", "eq" },
	{ BL_TOKEN_EQUAL, BL_REGO_LEVEL_RELATION, "==", "equal" },
	{ BL_TOKEN_NOT_EQUAL, BL_REGO_LEVEL_RELATION, "!=", "neq" },
	{ BL_TOKEN_LESS, BL_REGO_LEVEL_RELATION, "<", "lt" },
	{ BL_TOKEN_LESS_EQUAL, BL_REGO_LEVEL_RELATION, "<=", "lte" },
	{ BL_TOKEN_GREATER, BL_REGO_LEVEL_RELATION, ">", "gt" },
	{ BL_TOKEN_GREATER_EQUAL, BL_REGO_LEVEL_RELATION, ">=", "gte" },
	{ BL_TOKEN_OR, BL_REGO_LEVEL_OR, "|", "or" },
	{ BL_TOKEN_AND, BL_REGO_LEVEL_AND, "&", "and" },
	{ BL_TOKEN_PLUS, BL_REGO_LEVEL_ADD, "+", "plus" },
	{ BL_TOKEN_MINUS, BL_REGO_LEVEL_ADD, "-", "minus" },
	{ BL_TOKEN_TIMES, BL_REGO_LEVEL_MULTIPLY, "*", "mul" },
	{ BL_TOKEN_DIVIDE, BL_REGO_LEVEL_MULTIPLY, "/", "div" },
	{ BL_TOKEN_MODULO, BL_REGO_LEVEL_MULTIPLY, "%", "rem" },
};

const size_t bl_rego_operator_count = BL_COUNT(bl_rego_operators);

const struct bl_rego_operator *bl_rego_operator_of(struct bl_str builtin)
{
	for (size_t i = 0; i < BL_COUNT(bl_rego_operators); i++)
		if (bl_str_is(builtin, bl_rego_operators[i].builtin))
			return &bl_rego_operators[i];
	return NULL;
}

/* The operator that stands here, and binds at least as tightly as level. */
static const struct bl_rego_operator *
operator_at(const struct bl_rego_parser *parser, unsigned level)
{
	uint8_t token = bl_parser_token(parser)->kind;

	if (token < BL_TOKEN_ASSIGN || token > BL_TOKEN_OR)
		return NULL;
	for (size_t i = 0; i < BL_COUNT(bl_rego_operators); i++)
		if (bl_rego_operators[i].token == token)
			return bl_rego_operators[i].level >= level
				       ? &bl_rego_operators[i]
				       : NULL;
	return NULL;
}

struct bl_rego_term *bl_parse_infix(struct bl_rego_parser *parser,
				    const char *builtin,
				    struct bl_rego_term *const *operands,
				    size_t count)
{
	struct bl_rego_list items = { 0 };
	struct bl_rego_term *term = bl_parse_new_term(parser, BL_TERM_VAR);

	if (!term)
		return NULL;
	term->as.name = bl_str(builtin);
	if (!bl_rego_list_add(parser, &items, term))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!bl_rego_list_add(parser, &items, operands[i]))
			return NULL;
	term = bl_parse_list_term(parser, BL_TERM_CALL, &items);
	if (!term)
		return NULL;
	term->infix = true;
	term->range.from = operands[0]->range.from;
	term->range.to = operands[count - 1]->range.to;
	return term;
}

/*
 * Chains of left-associative operators of that level or tighter.  An operator
 * without a right side is a fault, and what was in front of it is the term.
 */
static struct bl_rego_term *parse_level(struct bl_rego_parser *parser,
					unsigned level)
{
	struct bl_rego_term *operands[2];
	const struct bl_rego_operator *op;

	operands[0] = bl_parse_term(parser);
	while (operands[0] && (op = operator_at(parser, level)) != NULL) {
		parser->at++;
		operands[1] = parse_level(parser, op->level + 1);
		if (!operands[1])
			break;
		operands[0] = bl_parse_infix(parser, op->builtin, operands, 2);
	}
	return operands[0];
}

/* "a, b in c" behind a: the three operands, or false with nothing taken. */
static bool accept_pair_in(struct bl_rego_parser *parser,
			   struct bl_rego_term *operands[3])
{
	struct bl_parser_mark mark = bl_parser_mark(parser);

	if (!bl_parser_accept(parser, BL_TOKEN_COMMA))
		return false;
	operands[1] = parse_level(parser, BL_REGO_LEVEL_RELATION);
	if (operands[1] && bl_parser_accept_word(parser, "in")) {
		operands[2] = parse_level(parser, BL_REGO_LEVEL_RELATION);
		if (operands[2])
			return true;
	}
	bl_parser_go(parser, mark);
	return false;
}

struct bl_rego_term *bl_parse_expr_term(struct bl_rego_parser *parser,
					bool in_comma)
{
	struct bl_rego_term *operands[3];

	if (!bl_parser_enter(parser))
		return NULL;
	operands[0] = parse_level(parser, BL_REGO_LEVEL_RELATION);
	if (operands[0] && in_comma && accept_pair_in(parser, operands))
		operands[0] = bl_parse_infix(parser, "internal.member_3",
					     operands, 3);
	while (operands[0] && bl_parser_accept_keyword(parser, "in")) {
		operands[1] = parse_level(parser, BL_REGO_LEVEL_RELATION);
		if (!operands[1])
			break;
		operands[0] = bl_parse_infix(parser, "internal.member_2",
					     operands, 2);
	}
	bl_parser_leave(parser);
	return operands[0];
}
