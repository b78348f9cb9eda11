/* SPDX-License-Identifier: Apache-2.0 */
/* Which ways of writing mean the same: for the printer and the formatter. */
#include "rego/compiler/parse/operators.h"
#include "rego/compiler/parse/print.h"
#include "rego/compiler/parse/visit.h"

/* ---- calls -------------------------------------------------------------- */

/* The operands of internal.member_2 and internal.member_3; 0: another name. */
static uint32_t member_operands(const struct bl_rego_term *name)
{
	struct bl_str text = { 0 };

	if (name->kind == BL_TERM_VAR) /* as the parser has it for "in" */
		text = bl_str_has_prefix(name->as.name, BL_STR("internal."))
			       ? bl_str_slice(name->as.name, 9, SIZE_MAX)
			       : text;
	else if (name->kind == BL_TERM_REF && name->count == 2 &&
		 name->as.items[0]->kind == BL_TERM_VAR &&
		 bl_str_is(name->as.items[0]->as.name, "internal") &&
		 name->as.items[1]->kind == BL_TERM_SCALAR)
		text = bl_value_text(name->as.items[1]->as.value);
	if (bl_str_is(text, "member_2"))
		return 2;
	return bl_str_is(text, "member_3") ? 3 : 0;
}

struct bl_rego_infix bl_rego_infix_of(const struct bl_rego_term *term,
				      bool is_statement)
{
	struct bl_rego_infix none = { 0 };
	const struct bl_rego_operator *row;
	uint32_t operands;

	if (term->kind != BL_TERM_CALL)
		return none;
	operands = member_operands(term->as.items[0]);
	if (operands && term->count != operands + 1)
		return none;
	if (operands)
		return (struct bl_rego_infix){ .text = "in" };
	row = term->as.items[0]->kind == BL_TERM_VAR
		      ? bl_rego_operator_of(term->as.items[0]->as.name)
		      : NULL;
	if (!row)
		return none;
	if (term->count == 3 && (term->infix || is_statement ||
				 row->level != BL_REGO_LEVEL_STATEMENT))
		return (struct bl_rego_infix){ row->text, row, NULL };
	if (term->count == 4 && is_statement &&
	    row->level != BL_REGO_LEVEL_STATEMENT)
		return (struct bl_rego_infix){ row->text, row,
					       term->as.items[3] };
	return none;
}

/* ---- statements --------------------------------------------------------- */

/* Is the first thing written of it a "{"? */
static bool leads_with_brace(const struct bl_rego_term *term)
{
	for (;;) {
		switch ((enum bl_rego_term_kind)term->kind) {
		case BL_TERM_SET:
			return term->count > 0;
		case BL_TERM_OBJECT:
		case BL_TERM_SET_COMPREHENSION:
		case BL_TERM_OBJECT_COMPREHENSION:
			return true;
		case BL_TERM_REF:
			term = term->as.items[0];
			break;
		case BL_TERM_CALL:
			if (!bl_rego_infix_of(term, false).text)
				return false;
			term = term->as.items[1];
			break;
		case BL_TERM_SCALAR:
		case BL_TERM_TEMPLATE:
		case BL_TERM_VAR:
		case BL_TERM_ARRAY:
		case BL_TERM_ARRAY_COMPREHENSION:
			return false;
		}
	}
}

static bool statement_leads_with_brace(const struct bl_rego_expr *expr)
{
	struct bl_rego_infix infix;

	if (expr->kind != BL_EXPR_TERM)
		return false;
	infix = bl_rego_infix_of(expr->terms[0], true);
	if (infix.result)
		return leads_with_brace(infix.result);
	return leads_with_brace(infix.text ? expr->terms[0]->as.items[1]
					   : expr->terms[0]);
}

bool bl_rego_operand_is_grouped(const struct bl_rego_expr *expr, uint32_t i)
{
	const struct bl_rego_expr *inner = expr->bodies[i]->exprs[0];

	if (expr->body_count == 1) /* the group that "not" negates */
		return false;
	if (inner->with_count)
		return true;
	if (inner->negated)
		return false;
	if (inner->kind != BL_EXPR_LOGICAL)
		return statement_leads_with_brace(inner);
	if (inner->is_or)
		return !expr->is_or || i > 0;
	return !expr->is_or && i > 0;
}

bool bl_rego_negated_is_grouped(const struct bl_rego_module *module,
				const struct bl_rego_expr *expr)
{
	return expr->negated && (expr->kind == BL_EXPR_LOGICAL ||
				 (bl_rego_not_takes_blocks(module) &&
				  statement_leads_with_brace(expr)));
}

bool bl_rego_is_piece(const struct bl_rego_expr *part)
{
	return part->kind == BL_EXPR_TERM && !part->with_count &&
	       part->terms[0]->kind == BL_TERM_SCALAR;
}

/* ---- rules -------------------------------------------------------------- */

static bool is_true(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_SCALAR &&
	       bl_value_is(term->as.value, BL_KIND_BOOLEAN) &&
	       bl_value_is_true(term->as.value);
}

bool bl_rego_rule_is_old_set(const struct bl_rego_module *module,
			     const struct bl_rego_rule *rule)
{
	return module->v0 && rule->name && rule->name->kind == BL_TERM_REF &&
	       rule->name->count == 2 && !rule->contains && !rule->value &&
	       !rule->has_args && !rule->uses_if;
}

bool bl_rego_rule_is_constant(const struct bl_rego_rule *rule)
{
	const struct bl_rego_expr *only;

	if (!rule->body)
		return true;
	only = rule->body->exprs[0];
	return rule->body->count == 1 && !rule->else_rule &&
	       only->kind == BL_EXPR_TERM && !only->negated &&
	       !only->with_count && is_true(only->terms[0]);
}

bool bl_rego_rule_value_implied(const struct bl_rego_rule *rule)
{
	const struct bl_rego_term *name = rule->name;
	bool has_key = name && name->kind == BL_TERM_REF && !rule->has_args &&
		       name->count == 2 &&
		       name->as.items[1]->kind != BL_TERM_SCALAR;

	return is_true(rule->value) && !rule->is_default && !has_key &&
	       !bl_rego_rule_is_constant(rule);
}

bool bl_rego_rule_writes_true(const struct bl_rego_module *module,
			      const struct bl_rego_rule *rule)
{
	return !rule->value && !rule->contains &&
	       (rule->body || !rule->has_args) &&
	       !bl_rego_rule_is_old_set(module, rule) &&
	       bl_rego_rule_is_constant(rule);
}

/* ---- imports ------------------------------------------------------------ */

bool bl_rego_path_begins(const struct bl_rego_term *path, const char *head,
			 const char *second)
{
	return path->kind == BL_TERM_REF &&
	       bl_str_is(path->as.items[0]->as.name, head) &&
	       bl_str_is(bl_value_text(path->as.items[1]->as.value), second);
}

bool bl_rego_has_import(const struct bl_rego_module *module, const char *head,
			const char *second)
{
	for (size_t i = 0; i < module->import_count; i++)
		if (bl_rego_path_begins(module->imports[i].path, head, second))
			return true;
	return false;
}

/* "import future.keywords.name" */
static bool names_keyword(const struct bl_rego_import *import,
			  struct bl_str name)
{
	const struct bl_rego_term *path = import->path;

	return bl_rego_path_begins(path, "future", "keywords") &&
	       path->count == 3 &&
	       bl_str_equal(bl_value_text(path->as.items[2]->as.value), name);
}

bool bl_rego_imports_keyword(const struct bl_rego_module *module,
			     struct bl_str name)
{
	for (size_t i = 0; i < module->import_count; i++) {
		const struct bl_rego_import *import = &module->imports[i];

		if (names_keyword(import, name) ||
		    (bl_rego_path_begins(import->path, "future", "keywords") &&
		     import->path->count == 2))
			return true;
	}
	return false;
}

bool bl_rego_not_takes_blocks(const struct bl_rego_module *module)
{
	return bl_rego_has_import(module, "rego", "v2") ||
	       bl_rego_imports_keyword(module, BL_STR("not"));
}

bool bl_rego_is_reserved(const struct bl_rego_module *module,
			 struct bl_str name)
{
	struct bl_rego_parser parser = {
		.keywords = module->v0 ? 0 : BL_KEYWORDS_V1,
	};

	bool on = bl_rego_has_import(module, "rego", "v2");

	for (size_t i = 0; i < module->import_count; i++)
		on = on || names_keyword(&module->imports[i], name);
	if (on)
		parser.keywords = BL_KEYWORDS_V1 | BL_KEYWORDS_V2;
	return bl_rego_is_keyword(&parser, name);
}

bool bl_rego_import_is_idle(const struct bl_rego_module *module,
			    const struct bl_rego_import *import)
{
	bool v2 = bl_rego_has_import(module, "rego", "v2");

	if (bl_rego_path_begins(import->path, "rego", "v1"))
		return v2;
	return bl_rego_path_begins(import->path, "future", "keywords") &&
	       (v2 || bl_rego_has_import(module, "rego", "v1"));
}

/* ---- keywords in use ---------------------------------------------------- */

struct keyword_use {
	struct bl_visitor visitor; /* first: see_expr is given this */
	unsigned used;
};

static bool see_expr(struct bl_visitor *visitor,
		     const struct bl_rego_expr *expr)
{
	struct keyword_use *use = (struct keyword_use *)visitor;

	if (expr->negated || expr->kind == BL_EXPR_NOT_BODY)
		use->used |= BL_KEYWORD_NOT_BODY;
	if (expr->kind == BL_EXPR_LOGICAL && expr->body_count > 1)
		use->used |= expr->is_or ? BL_KEYWORD_OR : BL_KEYWORD_AND;
	return true;
}

static unsigned used_in_rule(const struct bl_rego_rule *rule)
{
	struct keyword_use use = { .visitor.expr = see_expr };

	if (rule->body)
		bl_visit_body(&use.visitor, rule->body);
	bl_visit_term(&use.visitor, rule->name);
	bl_visit_terms(&use.visitor, rule->args, rule->arg_count);
	bl_visit_term(&use.visitor, rule->contains);
	bl_visit_term(&use.visitor, rule->value);
	return use.used;
}

/* Else and further bodies can be many: a loop, not recursion. */
unsigned bl_rego_used_keywords(const struct bl_rego_module *module)
{
	unsigned used = 0;

	for (size_t i = 0; i < module->rule_count; i++) {
		const struct bl_rego_rule *rule = module->rules[i];

		for (; rule; rule = rule->chained)
			for (const struct bl_rego_rule *one = rule; one;
			     one = one->else_rule)
				used |= used_in_rule(one);
	}
	if (!bl_rego_not_takes_blocks(module))
		used &= ~(unsigned)BL_KEYWORD_NOT_BODY;
	return used;
}
