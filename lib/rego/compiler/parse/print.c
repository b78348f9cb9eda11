/* SPDX-License-Identifier: Apache-2.0 */
/* The tree back to text, in one canonical layout. */
#include "json/json.h"
#include "rego/compiler/compiler.h"
#include "rego/compiler/parse/operators.h"
#include "rego/compiler/parse/print.h"

struct printer {
	struct bl_buf *out;
	unsigned indent;
	bool one_line;  /* inside a comprehension: no line breaks */
	bool operators; /* also where their builtins are called by name */
	const struct bl_rego_module *module;
};

static void print_expr(struct printer *printer,
		       const struct bl_rego_expr *expr);
static void print_term(struct printer *printer,
		       const struct bl_rego_term *term);

static void put(struct printer *printer, const char *text)
{
	bl_buf_puts(printer->out, text);
}

static void new_line(struct printer *printer)
{
	put(printer, "\n");
	for (unsigned i = 0; i < printer->indent; i++)
		put(printer, "\t");
}

/* ---- terms ------------------------------------------------------------------
 */

bool bl_rego_is_plain_name(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool letter = (c >= 'a' && c <= 'z') ||
			      (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && !(i > 0 && c >= '0' && c <= '9'))
			return false;
	}
	return text.len > 0;
}

static struct bl_rego_infix infix_of(const struct printer *printer,
				     const struct bl_rego_term *term,
				     bool is_statement)
{
	if (term->kind != BL_TERM_CALL || (!term->infix && !printer->operators))
		return (struct bl_rego_infix){ 0 };
	return bl_rego_infix_of(term, is_statement);
}

/* How tightly a term binds where it stands. */
static unsigned level_of(const struct printer *printer,
			 const struct bl_rego_term *term)
{
	struct bl_rego_infix infix = infix_of(printer, term, false);

	if (infix.row)
		return infix.row->level;
	return infix.text ? BL_REGO_LEVEL_IN : BL_REGO_LEVEL_TERM;
}

/* In parentheses when it binds less tightly than needed. */
static void print_at_level(struct printer *printer,
			   const struct bl_rego_term *term, unsigned needed)
{
	bool group = level_of(printer, term) < needed;

	if (group)
		put(printer, "(");
	print_term(printer, term);
	if (group)
		put(printer, ")");
}

static void print_infix(struct printer *printer,
			const struct bl_rego_term *term,
			const struct bl_rego_operator *op)
{
	struct bl_rego_term **items = term->as.items;

	if (!op) { /* "in" */
		print_at_level(printer, items[1],
			       term->count == 3 ? BL_REGO_LEVEL_IN
						: BL_REGO_LEVEL_RELATION);
		if (term->count == 4) {
			put(printer, ", ");
			print_at_level(printer, items[2],
				       BL_REGO_LEVEL_RELATION);
		}
		put(printer, " in ");
		print_at_level(printer, items[term->count - 1],
			       BL_REGO_LEVEL_RELATION);
		return;
	}
	print_at_level(printer, items[1],
		       op->level == BL_REGO_LEVEL_STATEMENT ? BL_REGO_LEVEL_IN
							    : op->level);
	bl_buf_printf(printer->out, " %s ", op->text);
	print_at_level(printer, items[2],
		       op->level == BL_REGO_LEVEL_STATEMENT ? BL_REGO_LEVEL_IN
							    : op->level + 1U);
}

/*
 * An item of a list.  "a, b in c" needs parentheses there, and so does "|",
 * which would begin the body of a comprehension.
 */
static void print_item(struct printer *printer, const struct bl_rego_term *term)
{
	struct bl_rego_infix infix = infix_of(printer, term, false);
	bool group = infix.row ? infix.row->level == BL_REGO_LEVEL_OR
			       : infix.text && term->count == 4;

	print_at_level(printer, term,
		       group ? BL_REGO_LEVEL_TERM : BL_REGO_LEVEL_IN);
}

static void print_items(struct printer *printer,
			struct bl_rego_term *const *items, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			put(printer, ", ");
		print_item(printer, items[i]);
	}
}

static void print_scalar(struct printer *printer,
			 const struct bl_rego_term *term)
{
	struct bl_str text = bl_value_text(term->as.value);

	if (term->raw && (text.len == 0 || !memchr(text.ptr, '`', text.len)))
		bl_buf_printf(printer->out, "`%.*s`", BL_STR_ARG(text));
	else
		bl_json_write(printer->out, term->as.value, BL_JSON_COMPACT);
}

void bl_rego_print_piece(struct bl_buf *out, struct bl_value piece, bool raw)
{
	struct bl_buf quoted;
	struct bl_str inside = bl_value_text(piece);

	if (!bl_value_is(piece, BL_KIND_STRING)) {
		bl_json_write(out, piece, BL_JSON_COMPACT);
		return;
	}
	bl_buf_init(&quoted, 0);
	if (!raw) {
		bl_json_write_string(&quoted, inside);
		inside = bl_str_slice(bl_buf_str(&quoted), 1, quoted.len - 1);
	}
	for (size_t i = 0; i < inside.len; i++) {
		if (inside.ptr[i] == '{')
			bl_buf_puts(out, "\\");
		bl_buf_put_char(out, inside.ptr[i]);
	}
	if (bl_buf_status(&quoted))
		out->status = bl_buf_status(&quoted);
	bl_buf_clear(&quoted);
}

static void print_template(struct printer *printer,
			   const struct bl_rego_term *term)
{
	const char *quote = term->raw ? "`" : "\"";

	put(printer, "$");
	put(printer, quote);
	for (size_t i = 0; i < term->body->count; i++) {
		const struct bl_rego_expr *part = term->body->exprs[i];

		if (bl_rego_is_piece(part)) {
			bl_rego_print_piece(printer->out,
					    part->terms[0]->as.value,
					    term->raw);
			continue;
		}
		put(printer, "{");
		print_expr(printer, part);
		put(printer, "}");
	}
	put(printer, quote);
}

static void print_ref(struct printer *printer, const struct bl_rego_term *term)
{
	print_at_level(printer, term->as.items[0], BL_REGO_LEVEL_TERM);
	for (uint32_t i = 1; i < term->count; i++) {
		const struct bl_rego_term *part = term->as.items[i];

		if (part->kind == BL_TERM_SCALAR && !part->raw &&
		    bl_rego_is_plain_name(bl_value_text(part->as.value))) {
			put(printer, ".");
			bl_buf_put_str(printer->out,
				       bl_value_text(part->as.value));
			continue;
		}
		put(printer, "[");
		print_term(printer, part);
		put(printer, "]");
	}
}

/* Statements on one line, separated by "; ". */
static void print_query(struct printer *printer,
			const struct bl_rego_body *body)
{
	for (size_t i = 0; i < body->count; i++) {
		if (i > 0)
			put(printer, "; ");
		print_expr(printer, body->exprs[i]);
	}
}

static void print_comprehension(struct printer *printer,
				const struct bl_rego_term *term)
{
	bool is_array = term->kind == BL_TERM_ARRAY_COMPREHENSION;
	bool one_line = printer->one_line;

	printer->one_line = true;
	put(printer, is_array ? "[" : "{");
	print_at_level(printer, term->as.items[0], BL_REGO_LEVEL_TERM);
	if (term->count == 2) {
		put(printer, ": ");
		print_at_level(printer, term->as.items[1], BL_REGO_LEVEL_TERM);
	}
	put(printer, " | ");
	print_query(printer, term->body);
	put(printer, is_array ? "]" : "}");
	printer->one_line = one_line;
}

static void print_object(struct printer *printer,
			 const struct bl_rego_term *term)
{
	put(printer, "{");
	for (uint32_t i = 0; i < term->count; i += 2) {
		if (i > 0)
			put(printer, ", ");
		print_item(printer, term->as.items[i]);
		put(printer, ": ");
		print_item(printer, term->as.items[i + 1]);
	}
	put(printer, "}");
}

static void print_list(struct printer *printer, const char *open,
		       struct bl_rego_term *const *items, size_t count,
		       const char *close)
{
	put(printer, open);
	print_items(printer, items, count);
	put(printer, close);
}

static void print_call(struct printer *printer, const struct bl_rego_term *term)
{
	struct bl_rego_infix infix = infix_of(printer, term, false);

	if (infix.text) {
		print_infix(printer, term, infix.row);
		return;
	}
	print_term(printer, term->as.items[0]);
	print_list(printer, "(", term->as.items + 1, term->count - 1, ")");
}

static void print_term(struct printer *printer, const struct bl_rego_term *term)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		print_scalar(printer, term);
		break;
	case BL_TERM_TEMPLATE:
		print_template(printer, term);
		break;
	case BL_TERM_VAR:
		bl_buf_put_str(printer->out, term->as.name);
		break;
	case BL_TERM_REF:
		print_ref(printer, term);
		break;
	case BL_TERM_CALL:
		print_call(printer, term);
		break;
	case BL_TERM_ARRAY:
		print_list(printer, "[", term->as.items, term->count, "]");
		break;
	case BL_TERM_SET:
		if (term->count == 0)
			put(printer, "set()");
		else
			print_list(printer, "{", term->as.items, term->count,
				   "}");
		break;
	case BL_TERM_OBJECT:
		print_object(printer, term);
		break;
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		print_comprehension(printer, term);
		break;
	}
}

/* ---- statements
 * -------------------------------------------------------------- */

static void print_braced(struct printer *printer,
			 const struct bl_rego_body *body)
{
	if (printer->one_line) {
		put(printer, "{ ");
		print_query(printer, body);
		put(printer, " }");
		return;
	}
	put(printer, "{");
	printer->indent++;
	for (size_t i = 0; i < body->count; i++) {
		new_line(printer);
		print_expr(printer, body->exprs[i]);
	}
	printer->indent--;
	new_line(printer);
	put(printer, "}");
}

static void print_grouped(struct printer *printer,
			  const struct bl_rego_expr *expr, bool grouped)
{
	if (grouped)
		put(printer, "(");
	print_expr(printer, expr);
	if (grouped)
		put(printer, ")");
}

static void print_logical(struct printer *printer,
			  const struct bl_rego_expr *expr)
{
	for (uint32_t i = 0; i < expr->body_count; i++) {
		const struct bl_rego_body *body = expr->bodies[i];

		if (i > 0)
			put(printer, expr->is_or ? " or " : " and ");
		if (body->braced)
			print_braced(printer, body);
		else
			print_grouped(printer, body->exprs[0],
				      bl_rego_operand_is_grouped(expr, i));
	}
}

static void print_some_in(struct printer *printer,
			  const struct bl_rego_expr *expr)
{
	for (uint32_t i = 0; i + 1 < expr->term_count; i++) {
		put(printer, i > 0 ? ", " : " ");
		print_term(printer, expr->terms[i]);
	}
	put(printer, " in ");
	print_at_level(printer, expr->terms[expr->term_count - 1],
		       BL_REGO_LEVEL_IN);
}

/* "plus(1, 2, x)" may be "x = 1 + 2". */
static void print_statement_term(struct printer *printer,
				 const struct bl_rego_term *term)
{
	struct bl_rego_infix infix = infix_of(printer, term, true);

	if (!infix.text) {
		print_term(printer, term);
		return;
	}
	if (infix.result) {
		print_at_level(printer, infix.result, BL_REGO_LEVEL_IN);
		put(printer, " = ");
	}
	print_infix(printer, term, infix.row);
}

static void print_plain(struct printer *printer,
			const struct bl_rego_expr *expr)
{
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		print_statement_term(printer, expr->terms[0]);
		break;
	case BL_EXPR_SOME:
		put(printer, "some ");
		print_items(printer, expr->terms, expr->term_count);
		break;
	case BL_EXPR_SOME_IN:
		put(printer, "some");
		print_some_in(printer, expr);
		break;
	case BL_EXPR_EVERY:
		put(printer, "every");
		print_some_in(printer, expr);
		put(printer, " ");
		print_braced(printer, expr->bodies[0]);
		break;
	case BL_EXPR_NOT_BODY:
		put(printer, "not ");
		print_braced(printer, expr->bodies[0]);
		break;
	case BL_EXPR_LOGICAL:
		print_logical(printer, expr);
		break;
	}
}

static void print_expr(struct printer *printer, const struct bl_rego_expr *expr)
{
	bool grouped = bl_rego_negated_is_grouped(printer->module, expr);

	if (expr->negated)
		put(printer, "not ");
	if (grouped)
		put(printer, "(");
	print_plain(printer, expr);
	if (grouped)
		put(printer, ")");
	for (uint32_t i = 0; i < expr->with_count; i++) {
		put(printer, " with ");
		print_term(printer, expr->withs[i].target);
		put(printer, " as ");
		print_at_level(printer, expr->withs[i].value, BL_REGO_LEVEL_IN);
	}
}

/* ---- rules and modules
 * -------------------------------------------------------- */

/*
 * Rules are printed one way, however they were written: ":=", no value "true"
 * before a body, no body "true", no braces around one statement.
 */
static void print_value_and_body(struct printer *printer,
				 const struct bl_rego_rule *rule)
{
	const struct bl_rego_body *body = rule->body;
	const struct bl_rego_expr *only;

	if (rule->value && !bl_rego_rule_value_implied(rule)) {
		put(printer,
		    printer->module->v0 && !rule->assigns ? " = " : " := ");
		print_at_level(printer, rule->value, BL_REGO_LEVEL_IN);
	} else if (bl_rego_rule_writes_true(printer->module, rule)) {
		put(printer, printer->module->v0 ? " = true" : " := true");
	}
	if (bl_rego_rule_is_constant(rule))
		return;
	put(printer, rule->uses_if ? " if " : " ");
	only = body->exprs[0];
	if (!rule->uses_if || body->count > 1 ||
	    (only->kind == BL_EXPR_TERM && !only->negated &&
	     only->terms[0]->kind == BL_TERM_SET))
		print_braced(printer, body);
	else
		print_expr(printer, only);
}

static void print_rule(struct printer *printer, const struct bl_rego_rule *rule)
{
	if (rule->is_default)
		put(printer, "default ");
	print_term(printer, rule->name);
	if (rule->arg_count)
		print_list(printer, "(", rule->args, rule->arg_count, ")");
	if (rule->contains) {
		put(printer, " contains ");
		print_at_level(printer, rule->contains, BL_REGO_LEVEL_IN);
	}
	print_value_and_body(printer, rule);
	for (const struct bl_rego_rule *next = rule->else_rule; next;
	     next = next->else_rule) {
		put(printer, " else");
		print_value_and_body(printer, next);
	}
	put(printer, "\n");
}

void bl_rego_print_term(struct bl_buf *out, const struct bl_rego_term *term)
{
	struct printer printer = { .out = out,
				   .one_line = true,
				   .operators = true };

	print_term(&printer, term);
}

void bl_rego_print_expr(struct bl_buf *out, const struct bl_rego_expr *expr)
{
	static const struct bl_rego_module of_v1 = { 0 };
	struct printer printer = { .out = out,
				   .one_line = true,
				   .module = &of_v1 };

	print_expr(&printer, expr);
}

void bl_rego_print_query(struct bl_buf *out, const struct bl_rego_body *query)
{
	static const struct bl_rego_module of_v1 = { 0 };
	struct printer printer = { .out = out,
				   .one_line = true,
				   .operators = true,
				   .module = &of_v1 };

	for (size_t i = 0; i < query->count; i++) {
		if (i > 0)
			put(&printer, "\n");
		print_expr(&printer, query->exprs[i]);
	}
}

void bl_rego_print_import(struct bl_buf *out,
			  const struct bl_rego_import *import)
{
	struct printer printer = { .out = out };

	put(&printer, "import ");
	print_term(&printer, import->path);
	if (import->alias.len)
		bl_buf_printf(out, " as %.*s", BL_STR_ARG(import->alias));
	put(&printer, "\n");
}

static void print_rules(struct printer *printer)
{
	const struct bl_rego_module *module = printer->module;

	for (size_t i = 0; i < module->rule_count; i++) {
		const struct bl_rego_rule *rule = module->rules[i];

		/* Further bodies of one head are rules of their own. */
		for (; rule; rule = rule->chained) {
			put(printer, "\n");
			print_rule(printer, rule);
		}
	}
}

void bl_rego_print(struct bl_buf *out, const struct bl_rego_module *module)
{
	struct printer printer = { .out = out, .module = module };

	put(&printer, "package ");
	print_term(&printer, module->package);
	put(&printer, "\n");
	for (size_t i = 0; i < module->import_count; i++) {
		if (i == 0)
			put(&printer, "\n");
		bl_rego_print_import(out, &module->imports[i]);
	}
	print_rules(&printer);
}

void bl_rego_print_rules(struct bl_buf *out,
			 const struct bl_rego_module *module)
{
	struct printer printer = { .out = out,
				   .operators = true,
				   .module = module };

	print_rules(&printer);
}
