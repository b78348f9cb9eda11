/* SPDX-License-Identifier: Apache-2.0 */
/* Statements and bodies as `opa fmt` lays them out. */
#include "rego/tools/format.h"
#include "rego/compiler/parse/print.h"

/* The offset of the "with" before target. */
static uint32_t with_from(const struct bl_formatter *f,
			  const struct bl_rego_with *with)
{
	const char *text = f->module->text.ptr;
	uint32_t at = with->target->range.from;

	while (at > 4 && strchr(" \t\r\n", text[at - 1]))
		at--;
	return at - 4;
}

static bool put_with(struct bl_formatter *f, const struct bl_rego_with *with,
		     bool on_own_line)
{
	if (!bl_format_comments(f, bl_format_row(f, with_from(f, with))))
		return false;
	if (!on_own_line)
		bl_format_put(f, " ");
	bl_format_put(f, "with ");
	if (!bl_format_term(f, with->target))
		return false;
	bl_format_put(f, " as ");
	bl_format_term(f, with->value);
	return true;
}

static int trimmed_end_row(const struct bl_formatter *f, uint32_t from,
			   uint32_t to)
{
	while (to > from && strchr(" \t\r\n", f->module->text.ptr[to - 1]))
		to--;
	return bl_format_row(f, to > from ? to - 1 : from);
}

/* Those on lines of their own are indented. */
static bool put_withs(struct bl_formatter *f, const struct bl_rego_expr *expr)
{
	int row = trimmed_end_row(f, expr->range.from,
				  with_from(f, &expr->withs[0]));
	bool indented = false;
	bool ok = true;

	for (uint32_t i = 0; ok && i < expr->with_count; i++) {
		int at = bl_format_row(f, with_from(f, &expr->withs[i]));
		bool below = at > row;

		if (below) {
			f->level += !indented;
			indented = true;
			bl_format_end_line(f);
			bl_format_start_line(f);
		}
		row = at;
		ok = put_with(f, &expr->withs[i], below);
	}
	f->level -= indented;
	return ok;
}

/* ---- some, every, and, or ----------------------------------------------- */

static bool put_some(struct bl_formatter *f, const struct bl_rego_expr *expr)
{
	int row = bl_format_row(f, expr->range.from);

	bl_format_put(f, "some ");
	if (expr->kind == BL_EXPR_SOME_IN)
		return bl_format_in(f, expr->terms, expr->term_count);
	for (uint32_t i = 0; i < expr->term_count; i++) {
		int at = bl_format_term_row(f, expr->terms[i]);

		if (i > 0)
			bl_format_put(f, ",");
		if (at > row) {
			bl_format_end_line(f);
			bl_format_start_line(f);
			bl_format_put(f, "\t");
			row = at;
		} else if (i > 0) {
			bl_format_put(f, " ");
		}
		if (!bl_format_term(f, expr->terms[i]))
			return false;
	}
	return true;
}

/* "{...}" whose opening brace is in row. */
static bool put_block(struct bl_formatter *f, const struct bl_rego_body *body,
		      int row, int closing)
{
	bool ok;

	bl_format_put(f, "{");
	ok = bl_format_inner_body(f, body, row, closing);
	if (bl_format_row(f, body->exprs[body->count - 1]->range.from) == row)
		bl_format_put(f, " ");
	bl_format_put(f, "}");
	return ok;
}

static bool put_every(struct bl_formatter *f, const struct bl_rego_expr *expr)
{
	const struct bl_rego_body *body = expr->bodies[0];
	int row = bl_format_row(f, expr->range.from);
	uint32_t last = expr->term_count - 1;
	bool ok;

	bl_format_put(f, "every ");
	for (uint32_t i = 0; i <= last; i++) {
		if (i > 0)
			bl_format_put(f, i == last ? " in " : ", ");
		if (!bl_format_term(f, expr->terms[i]))
			return false;
	}
	bl_format_put(f, " {");
	ok = bl_format_inner_body(
		f, body, row,
		bl_format_closing_row(f, expr->range, NULL, "{}"));
	/* So opa fmt has it: "{ a; b}". */
	if (body->count == 1 &&
	    bl_format_row(f, body->exprs[0]->range.from) == row)
		bl_format_put(f, " ");
	bl_format_put(f, "}");
	return ok;
}

/* An operand without braces; it may need parentheses. */
static bool put_operand(struct bl_formatter *f, const struct bl_rego_expr *expr,
			uint32_t i)
{
	bool grouped = bl_rego_operand_is_grouped(expr, i);
	bool ok;

	if (grouped)
		bl_format_put(f, "(");
	ok = bl_format_expr(f, expr->bodies[i]->exprs[0]);
	if (grouped)
		bl_format_put(f, ")");
	return ok;
}

static bool put_logical(struct bl_formatter *f, const struct bl_rego_expr *expr)
{
	bool indented = false;
	bool ok = true;

	for (uint32_t i = 0; ok && i < expr->body_count; i++) {
		const struct bl_rego_body *body = expr->bodies[i];
		int row = bl_format_row(f, body->range.from);

		if (i > 0)
			bl_format_put(f, expr->is_or ? " or" : " and");
		if (i > 0 &&
		    row > trimmed_end_row(f, expr->range.from,
					  expr->bodies[i - 1]->range.to)) {
			f->level += !indented;
			indented = true;
			bl_format_end_line(f);
			bl_format_start_line(f);
		} else if (i > 0) {
			bl_format_put(f, " ");
		}
		if (body->braced) {
			bl_format_group_lead(f, body->exprs[0]);
			ok = put_block(f, body, row,
				       bl_format_closing_row(f, body->range,
							     NULL, "{}"));
		} else {
			ok = put_operand(f, expr, i);
		}
	}
	f->level -= indented;
	return ok;
}

/* ---- statements --------------------------------------------------------- */

bool bl_format_is_set(const struct bl_rego_expr *expr)
{
	return expr->kind == BL_EXPR_TERM && !expr->negated &&
	       expr->terms[0]->kind == BL_TERM_SET;
}

void bl_format_group_lead(struct bl_formatter *f,
			  const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *term;
	struct bl_rego_infix infix;

	if (expr->negated)
		return;
	if (expr->kind == BL_EXPR_LOGICAL && !expr->bodies[0]->braced) {
		if (!bl_rego_operand_is_grouped(expr, 0))
			bl_format_group_lead(f, expr->bodies[0]->exprs[0]);
		return;
	}
	if (expr->kind != BL_EXPR_TERM)
		return;
	term = expr->terms[0];
	infix = bl_rego_infix_of(term, true);
	if (infix.result)
		term = infix.result;
	else if (infix.text && !bl_format_is_union(term))
		term = term->as.items[1];
	if (bl_format_is_union(term))
		f->grouped = term;
}

static bool put_statement(struct bl_formatter *f,
			  const struct bl_rego_expr *expr)
{
	const struct bl_rego_term *term;
	int row;

	switch ((enum bl_rego_expr_kind)expr->kind) {
	case BL_EXPR_TERM:
		term = expr->terms[0];
		if (term->kind != BL_TERM_CALL || f->grouped == term)
			return bl_format_term(f, term);
		return bl_format_call_statement(f, term);
	case BL_EXPR_SOME:
	case BL_EXPR_SOME_IN:
		return put_some(f, expr);
	case BL_EXPR_EVERY:
		return put_every(f, expr);
	case BL_EXPR_NOT_BODY:
		row = bl_format_row(f, expr->range.from);
		bl_format_put(f, "not ");
		bl_format_group_lead(f, expr->bodies[0]->exprs[0]);
		return put_block(
			f, expr->bodies[0], row,
			bl_format_closing_row(f, expr->range, NULL, "{}"));
	case BL_EXPR_LOGICAL:
		return put_logical(f, expr);
	}
	return true;
}

static bool put_expr(struct bl_formatter *f, const struct bl_rego_expr *expr)
{
	bool grouped = bl_rego_negated_is_grouped(f->module, expr);
	bool ok;

	if (!bl_format_comments(f, bl_format_row(f, expr->range.from)))
		return false;
	if (!f->in_line)
		bl_format_start_line(f);
	if (expr->negated)
		bl_format_put(f, "not ");
	if (grouped)
		bl_format_put(f, "(");
	ok = put_statement(f, expr);
	if (grouped)
		bl_format_put(f, ")");
	if (ok && expr->with_count)
		ok = put_withs(f, expr);
	return ok;
}

/*
 * The last thing of a statement may be as it stands; when something else is,
 * the whole statement has to be.
 */
bool bl_format_expr(struct bl_formatter *f, const struct bl_rego_expr *expr)
{
	struct bl_format_mark mark = bl_format_mark(f);
	const struct bl_rego_term *last =
		expr->kind == BL_EXPR_TERM && !expr->with_count ? expr->terms[0]
								: NULL;

	if (put_expr(f, expr))
		return true;
	if (last && bl_rego_infix_of(last, true).row)
		last = last->as.items[2];
	else if (last && bl_rego_infix_of(last, true).text)
		last = last->as.items[last->count - 1];
	if (!last || last->range.to != expr->range.to ||
	    !bl_str_has_suffix(
		    bl_str_slice(bl_buf_str(f->out), mark.len, SIZE_MAX),
		    bl_str_slice(f->module->text, last->range.from,
				 last->range.to)))
		bl_format_as_it_stands(f, mark, expr->range);
	return false;
}

bool bl_format_body(struct bl_formatter *f, const struct bl_rego_body *body)
{
	if (!bl_format_comments(f,
				bl_format_row(f, body->exprs[0]->range.from)))
		return false;
	for (size_t i = 0; i < body->count; i++) {
		const struct bl_rego_expr *expr = body->exprs[i];

		if (i > 0 &&
		    bl_format_row(f, expr->range.from) >
			    bl_format_row(f, body->exprs[i - 1]->range.to - 1) +
				    1)
			bl_format_blank_line(f);
		bl_format_start_line(f);
		bl_format_expr(f, expr);
		bl_format_end_line(f);
	}
	return true;
}

bool bl_format_inner_body(struct bl_formatter *f,
			  const struct bl_rego_body *body, int head,
			  int closing)
{
	int row = bl_format_row(f, body->exprs[0]->range.from);
	int last = bl_format_row(f, body->exprs[body->count - 1]->range.from);
	bool ok = true;

	if (row > head ||
	    (last > row && !bl_format_has_made_name(f, body->range))) {
		bl_format_end_line(f);
		f->level++;
		ok = bl_format_body(f, body) && bl_format_comments(f, closing);
		f->level--;
		bl_format_start_line(f);
		return ok;
	}
	for (size_t i = 0; ok && i < body->count; i++) {
		bl_format_put(f, i > 0 ? "; " : " ");
		ok = bl_format_expr(f, body->exprs[i]);
	}
	return ok && bl_format_comments(f, closing);
}
