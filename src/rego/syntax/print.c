/* SPDX-License-Identifier: Apache-2.0 */
/* The tree back to text, in one canonical layout. */
#include "json/json.h"
#include "rego/rego.h"
#include "rego/syntax/operators.h"
#include "rego/syntax/print.h"

struct printer {
	struct bl_buf *out;
	unsigned indent;
	bool one_line; /* inside a comprehension: no line breaks */
	bool v0;
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

static const struct bl_rego_operator *
operator_of(const struct bl_rego_term *term)
{
	if (term->kind != BL_TERM_CALL || !term->infix)
		return NULL;
	return bl_rego_operator_of(term->as.items[0]->as.name);
}

/* How tightly a term binds where it stands. */
static unsigned level_of(const struct bl_rego_term *term)
{
	const struct bl_rego_operator *op = operator_of(term);

	if (op)
		return op->level;
	return term->kind == BL_TERM_CALL && term->infix ? BL_REGO_LEVEL_IN
							 : BL_REGO_LEVEL_TERM;
}

/* In parentheses when it binds less tightly than needed. */
static void print_at_level(struct printer *printer,
			   const struct bl_rego_term *term, unsigned needed)
{
	bool group = level_of(term) < needed;

	if (group)
		put(printer, "(");
	print_term(printer, term);
	if (group)
		put(printer, ")");
}

static void print_infix(struct printer *printer,
			const struct bl_rego_term *term)
{
	const struct bl_rego_operator *op = operator_of(term);
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
	const struct bl_rego_operator *op = operator_of(term);
	bool group = term->kind == BL_TERM_CALL && term->infix &&
		     (op ? op->level == BL_REGO_LEVEL_OR : term->count == 4);

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

/* A piece of a template's text. */
void bl_rego_print_piece(struct bl_buf *out, struct bl_str text, bool raw)
{
	struct bl_buf quoted;
	struct bl_str inside = text;

	bl_buf_init(&quoted, 0);
	if (!raw) {
		bl_json_write_string(&quoted, text);
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
		const struct bl_rego_term *piece = part->terms[0];

		if (piece->kind == BL_TERM_SCALAR && !part->with_count &&
		    bl_value_is(piece->as.value, BL_KIND_STRING)) {
			bl_rego_print_piece(printer->out,
					    bl_value_text(piece->as.value),
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
			bl_buf_printf(
				printer->out, ".%.*s",
				BL_STR_ARG(bl_value_text(part->as.value)));
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
	if (term->infix) {
		print_infix(printer, term);
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
			print_expr(printer, body->exprs[0]);
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

static void print_plain(struct printer *printer,
			const struct bl_rego_expr *expr)
{
	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		print_term(printer, expr->terms[0]);
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

static bool begins_with_brace(const struct bl_rego_term *term)
{
	while (term->kind == BL_TERM_REF ||
	       (term->kind == BL_TERM_CALL && term->infix))
		term = term->as.items[term->kind == BL_TERM_CALL];
	return term->kind == BL_TERM_OBJECT ||
	       (term->kind == BL_TERM_SET && term->count > 0) ||
	       term->kind == BL_TERM_SET_COMPREHENSION ||
	       term->kind == BL_TERM_OBJECT_COMPREHENSION;
}

/*
 * Imports are printed first, also one that stood behind this statement: where
 * it makes braces behind "not" a block, a value in braces needs others.
 */
static bool needs_group(const struct bl_rego_expr *expr)
{
	return expr->grouped || (expr->negated && expr->kind == BL_EXPR_TERM &&
				 begins_with_brace(expr->terms[0]));
}

static void print_expr(struct printer *printer, const struct bl_rego_expr *expr)
{
	bool group = needs_group(expr);

	if (expr->negated)
		put(printer, "not ");
	if (group)
		put(printer, "(");
	print_plain(printer, expr);
	if (group)
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

static bool is_true(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_SCALAR &&
	       bl_value_is(term->as.value, BL_KIND_BOOLEAN) &&
	       bl_value_is_true(term->as.value);
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

bool bl_rego_is_reserved(const struct bl_rego_module *module,
			 struct bl_str name)
{
	struct bl_rego_parser parser = {
		.keywords = module->v0 ? 0 : BL_KEYWORDS_V1,
	};

	return bl_rego_is_keyword(&parser, name);
}

static bool path_begins(const struct bl_rego_term *path, const char *head,
			const char *second)
{
	return path->kind == BL_TERM_REF &&
	       bl_str_is(path->as.items[0]->as.name, head) &&
	       bl_str_is(bl_value_text(path->as.items[1]->as.value), second);
}

bool bl_rego_import_is_idle(const struct bl_rego_module *module,
			    const struct bl_rego_import *import)
{
	static const char *const names[] = { "contains", "every", "if", "in" };
	const struct bl_rego_term *path = import->path;
	bool v1 = false;

	if (!path_begins(path, "future", "keywords"))
		return false;
	for (size_t i = 0; i < module->import_count; i++)
		v1 = v1 || path_begins(module->imports[i].path, "rego", "v1");
	for (size_t i = 0; v1 && path->count > 2 && i < BL_COUNT(names); i++)
		if (bl_str_is(bl_value_text(path->as.items[2]->as.value),
			      names[i]))
			return true;
	return v1 && path->count == 2;
}

/*
 * Rules are printed one way, however they were written: ":=", no value "true"
 * before a body, no body "true", no braces around one statement.
 */
static void print_value_and_body(struct printer *printer,
				 const struct bl_rego_rule *rule)
{
	const struct bl_rego_body *body = rule->body;
	bool constant = bl_rego_rule_is_constant(rule);
	const struct bl_rego_expr *only;

	if (rule->value && !bl_rego_rule_value_implied(rule)) {
		put(printer, printer->v0 && !rule->assigns ? " = " : " := ");
		print_at_level(printer, rule->value, BL_REGO_LEVEL_IN);
	} else if (!rule->value && constant && !printer->v0 &&
		   !rule->contains) {
		put(printer, " := true");
	}
	if (!body || (constant && !printer->v0))
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
	if (rule->has_args)
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

void bl_rego_print(struct bl_buf *out, const struct bl_rego_module *module)
{
	struct printer printer = { .out = out, .v0 = module->v0 };

	put(&printer, "package ");
	print_term(&printer, module->package);
	put(&printer, "\n");
	for (size_t i = 0; i < module->import_count; i++) {
		if (i == 0)
			put(&printer, "\n");
		bl_rego_print_import(out, &module->imports[i]);
	}
	bl_rego_print_rules(out, module);
}

void bl_rego_print_rules(struct bl_buf *out,
			 const struct bl_rego_module *module)
{
	struct printer printer = { .out = out, .v0 = module->v0 };

	for (size_t i = 0; i < module->rule_count; i++) {
		const struct bl_rego_rule *rule = module->rules[i];

		/* Further bodies of one head are rules of their own. */
		for (; rule; rule = rule->chained) {
			put(&printer, "\n");
			print_rule(&printer, rule);
		}
	}
}
