/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terms as `opa fmt` lays them out: where a collection breaks into lines, and
 * which comments it holds together.
 */
#include "json/json.h"
#include "rego/tools/tools.h"
#include "rego/tools/format.h"
#include "rego/compiler/parse/print.h"

/* as_operand: an operator in it is put in parentheses. */
static bool put_term(struct bl_formatter *f, const struct bl_rego_term *term,
		     bool as_operand);

static bool begins_with(const struct bl_formatter *f,
			const struct bl_rego_term *term, char c)
{
	return term->range.from < term->range.to &&
	       f->module->text.ptr[term->range.from] == c;
}

bool bl_format_is_union(const struct bl_rego_term *term)
{
	return term->kind == BL_TERM_CALL &&
	       term->as.items[0]->kind == BL_TERM_VAR &&
	       bl_str_is(term->as.items[0]->as.name, "or");
}

/* ---- scalars and names -------------------------------------------------- */

static struct bl_str term_text(const struct bl_formatter *f,
			       const struct bl_rego_term *term)
{
	return bl_str_slice(f->module->text, term->range.from, term->range.to);
}

static void put_raw(struct bl_buf *out, struct bl_str text)
{
	bl_buf_printf(out, "`%.*s`", BL_STR_ARG(text));
}

/* Numbers and strings keep their spelling. */
static void put_scalar(struct bl_formatter *f, const struct bl_rego_term *term)
{
	struct bl_str text = term_text(f, term);

	if (text.len &&
	    (strchr("\"`0123456789", text.ptr[0]) ||
	     (text.ptr[0] == '-' && !memchr(text.ptr, ' ', text.len) &&
	      !memchr(text.ptr, '\n', text.len))))
		bl_buf_put_str(f->out, text);
	else if (term->raw)
		put_raw(f->out, bl_value_text(term->as.value));
	else
		bl_json_write(f->out, term->as.value, BL_JSON_COMPACT);
}

static bool put_ref_part(struct bl_formatter *f,
			 const struct bl_rego_term *part)
{
	bool is_string = part->kind == BL_TERM_SCALAR &&
			 bl_value_is(part->as.value, BL_KIND_STRING);
	struct bl_str name = { 0 };
	bool ok = true;

	if (is_string)
		name = bl_value_text(part->as.value);
	if (is_string && bl_rego_is_plain_name(name) &&
	    !(bl_rego_is_reserved(f->module, name) &&
	      begins_with(f, part, '"'))) {
		bl_buf_printf(f->out, ".%.*s", BL_STR_ARG(name));
		return true;
	}
	bl_format_put(f, "[");
	if (is_string)
		bl_json_write(f->out, part->as.value, BL_JSON_COMPACT);
	else if (part->kind == BL_TERM_VAR)
		bl_buf_put_str(f->out, part->as.name);
	else
		ok = bl_format_term(f, part);
	bl_format_put(f, "]");
	return ok;
}

bool bl_format_ref(struct bl_formatter *f, const struct bl_rego_term *term)
{
	const struct bl_rego_term *head;

	if (term->kind == BL_TERM_VAR) {
		bl_buf_put_str(f->out, term->as.name);
		return true;
	}
	head = term->as.items[0];
	if (!put_term(f, head,
		      head->kind == BL_TERM_CALL && begins_with(f, head, '(')))
		return false;
	for (uint32_t i = 1; i < term->count; i++)
		if (!put_ref_part(f, term->as.items[i]))
			return false;
	return true;
}

/* ---- lists -------------------------------------------------------------- */

struct list {
	struct bl_rego_term *const *items;
	size_t count;
	size_t step; /* 2: pairs, as an object has */
	bool is_call;
};

static bool put_grouped(struct bl_formatter *f, const struct bl_rego_term *term,
			bool grouped)
{
	bool ok;

	if (grouped)
		bl_format_put(f, "(");
	ok = bl_format_term(f, term);
	if (grouped)
		bl_format_put(f, ")");
	return ok;
}

static bool put_item(struct bl_formatter *f, const struct list *list, size_t i)
{
	const struct bl_rego_term *term = list->items[i];
	bool grouped = bl_format_is_union(term) &&
		       (!list->is_call || begins_with(f, term, '('));

	if (!put_grouped(f, term, grouped))
		return false;
	if (list->step == 1)
		return true;
	bl_format_put(f, ": ");
	term = list->items[i + 1];
	return put_grouped(f, term, bl_format_is_union(term));
}

/* Does item i begin a line below that of the item before it? */
static bool begins_row(const struct bl_formatter *f, const struct list *list,
		       size_t i)
{
	return i > 0 &&
	       bl_format_term_row(f, list->items[i]) >
		       bl_format_term_row(f, list->items[i - list->step]);
}

/* Does a newline stand before the first item? */
static bool opens_row(const struct bl_formatter *f, const struct list *list,
		      struct bl_rego_range opening)
{
	struct bl_str text =
		bl_str_slice(f->module->text, opening.from, opening.to);
	size_t at;

	if (!list->count)
		return false;
	at = bl_str_find(text, term_text(f, list->items[0]), 0);
	return at != SIZE_MAX && at > 0 && memchr(text.ptr, '\n', at) != NULL;
}

static bool put_list(struct bl_formatter *f, const struct list *list,
		     struct bl_rego_range opening, int opening_row, int closing)
{
	bool made = false;
	bool rows = false;

	for (size_t i = 0; list->step == 1 && i < list->count; i++)
		made = made ||
		       bl_format_has_made_name(f, list->items[i]->range);
	for (size_t i = 0; !made && i < list->count; i += list->step)
		rows = rows || begins_row(f, list, i);
	if (!rows && bl_format_comment_between(f, opening_row, closing))
		return false;
	rows = rows || opens_row(f, list, opening);
	if (rows) {
		f->delayed = true;
		bl_format_end_line(f);
		f->level++;
		bl_format_start_line(f);
	}
	for (size_t i = 0; i < list->count; i += list->step) {
		if (!made && begins_row(f, list, i)) {
			bl_format_put(f, ",");
			bl_format_end_line(f);
			bl_format_start_line(f);
		} else if (i > 0) {
			bl_format_put(f, ", ");
		}
		if (!put_item(f, list, i))
			return false;
	}
	if (!rows)
		return true;
	bl_format_put(f, ",");
	bl_format_end_line(f);
	if (!bl_format_comments(f, closing))
		return false;
	f->level--;
	bl_format_start_line(f);
	return true;
}

bool bl_format_items(struct bl_formatter *f, struct bl_rego_term *const *items,
		     size_t count, struct bl_rego_range opening, int closing)
{
	struct list list = { items, count, 1, true };

	return put_list(f, &list, opening, bl_format_row(f, opening.from),
			closing);
}

static bool put_collection(struct bl_formatter *f,
			   const struct bl_rego_term *term, const char *pair)
{
	struct list list = { term->as.items, term->count,
			     term->kind == BL_TERM_OBJECT ? 2 : 1, false };
	char bracket[2] = { pair[0], '\0' };
	bool ok;

	bl_format_put(f, bracket);
	ok = put_list(f, &list, term->range, bl_format_term_row(f, term),
		      bl_format_closing_row(f, term->range, NULL, pair));
	bl_format_put(f, pair + 1);
	return ok;
}

/* ---- comprehensions ----------------------------------------------------- */

static bool put_comprehension(struct bl_formatter *f,
			      const struct bl_rego_term *term)
{
	const char *pair =
		term->kind == BL_TERM_ARRAY_COMPREHENSION ? "[]" : "{}";
	const struct bl_rego_term *head = term->as.items[term->count - 1];
	char bracket[2] = { pair[0], '\0' };
	int row = bl_format_term_row(f, term);
	int head_row = bl_format_term_row(f, head);
	bool ok;

	bl_format_put(f, bracket);
	if (term->count == 2) {
		if (!put_grouped(f, term->as.items[0],
				 bl_format_is_union(term->as.items[0])))
			return false;
		bl_format_put(f, ": ");
		head_row = row;
	}
	if (head_row > row) {
		bl_format_end_line(f);
		bl_format_start_line(f);
	}
	ok = put_term(f, head,
		      head->kind == BL_TERM_CALL &&
			      (bl_format_is_union(head) ||
			       begins_with(f, head, '(')));
	if (!ok)
		return false;
	bl_format_put(f, " |");
	ok = bl_format_inner_body(
		f, term->body, head_row,
		bl_format_closing_row(f, term->range, NULL, pair));
	bl_format_put(f, pair + 1);
	return ok;
}

/* ---- calls -------------------------------------------------------------- */

static bool put_plain_call(struct bl_formatter *f,
			   const struct bl_rego_term *call)
{
	const struct bl_rego_term *name = call->as.items[0];
	bool ok = bl_format_ref(f, name);

	if (!ok)
		return false;
	bl_format_put(f, "(");
	ok = bl_format_items(f, call->as.items + 1, call->count - 1,
			     name->range, BL_FORMAT_NO_ROW);
	bl_format_put(f, ")");
	return ok;
}

/* An "in" in an "in": the parentheses must stay, but for the first operand. */
static bool put_in_operand(struct bl_formatter *f,
			   const struct bl_rego_term *term, bool keep)
{
	struct bl_rego_infix infix = bl_rego_infix_of(term, false);
	bool grouped = keep && infix.text && !infix.row && term->count == 3;
	bool ok;

	if (grouped)
		bl_format_put(f, "(");
	ok = put_term(f, term, true);
	if (grouped)
		bl_format_put(f, ")");
	return ok;
}

bool bl_format_in(struct bl_formatter *f, struct bl_rego_term *const *operands,
		  size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			bl_format_put(f, i + 1 == count ? " in " : ", ");
		if (!put_in_operand(f, operands[i], i > 0 || count > 2))
			return false;
	}
	return true;
}

static bool put_call(struct bl_formatter *f, const struct bl_rego_term *call,
		     bool as_operand)
{
	struct bl_rego_infix infix = bl_rego_infix_of(call, false);
	bool grouped = infix.row ? as_operand : call->count == 4;
	bool ok;

	if (!infix.text)
		return put_plain_call(f, call);
	if (grouped)
		bl_format_put(f, "(");
	if (infix.row) {
		ok = put_in_operand(f, call->as.items[1], true);
		if (!ok)
			return false;
		bl_buf_printf(f->out, " %s ", infix.text);
		ok = put_in_operand(f, call->as.items[2], true);
	} else {
		ok = bl_format_in(f, call->as.items + 1, call->count - 1);
	}
	if (grouped)
		bl_format_put(f, ")");
	return ok;
}

/*
 * A side of the operator of a statement, which binds at that level.  opa fmt
 * writes no parentheses there, also when that makes another policy.
 */
static bool put_side(struct bl_formatter *f, const struct bl_rego_term *term,
		     unsigned level)
{
	struct bl_rego_infix infix = bl_rego_infix_of(term, false);

	if (level > BL_REGO_LEVEL_IN && infix.row && infix.row->level < level)
		f->grouped = term;
	return put_grouped(f, term,
			   level > BL_REGO_LEVEL_IN && infix.text &&
				   !infix.row && term->count == 3);
}

bool bl_format_call_statement(struct bl_formatter *f,
			      const struct bl_rego_term *call)
{
	struct bl_rego_infix infix = bl_rego_infix_of(call, true);

	if (!infix.text)
		return put_plain_call(f, call);
	if (!infix.row)
		return bl_format_in(f, call->as.items + 1, call->count - 1);
	if (infix.result) {
		if (!bl_format_term(f, infix.result))
			return false;
		bl_format_put(f, " = ");
	}
	if (!put_side(f, call->as.items[1], infix.row->level))
		return false;
	bl_buf_printf(f->out, " %s ", infix.text);
	return put_side(f, call->as.items[2], infix.row->level + 1U);
}

/* ---- templates ---------------------------------------------------------- */

static bool put_template(struct bl_formatter *f,
			 const struct bl_rego_term *term)
{
	const char *quote = term->raw ? "`" : "\"";

	if (memchr(term_text(f, term).ptr, '#', term_text(f, term).len)) {
		bl_buf_put_str(f->out, term_text(f, term));
		return true;
	}
	bl_buf_printf(f->out, "$%s", quote);
	for (size_t i = 0; i < term->body->count; i++) {
		const struct bl_rego_expr *part = term->body->exprs[i];

		if (bl_rego_is_piece(part)) {
			bl_rego_print_piece(f->out, part->terms[0]->as.value,
					    term->raw);
			continue;
		}
		bl_format_put(f, "{");
		f->level++;
		if (!bl_format_expr(f, part))
			return false;
		f->level--;
		bl_format_put(f, "}");
	}
	bl_format_put(f, quote);
	return true;
}

/* ---- terms -------------------------------------------------------------- */

static bool put_value(struct bl_formatter *f, const struct bl_rego_term *term,
		      bool as_operand)
{
	switch ((enum bl_rego_term_kind)term->kind) {
	case BL_TERM_SCALAR:
		put_scalar(f, term);
		return true;
	case BL_TERM_TEMPLATE:
		return put_template(f, term);
	case BL_TERM_VAR:
	case BL_TERM_REF:
		return bl_format_ref(f, term);
	case BL_TERM_CALL:
		return put_call(f, term, as_operand);
	case BL_TERM_ARRAY:
		return put_collection(f, term, "[]");
	case BL_TERM_SET:
		if (term->count)
			return put_collection(f, term, "{}");
		bl_format_put(f, "set()");
		return bl_format_comments(
			f, bl_format_closing_row(f, term->range, NULL, "()"));
	case BL_TERM_OBJECT:
		return put_collection(f, term, "{}");
	case BL_TERM_ARRAY_COMPREHENSION:
	case BL_TERM_SET_COMPREHENSION:
	case BL_TERM_OBJECT_COMPREHENSION:
		return put_comprehension(f, term);
	}
	return true;
}

static bool put_term(struct bl_formatter *f, const struct bl_rego_term *term,
		     bool as_operand)
{
	bool ok;

	if (f->grouped == term) {
		f->grouped = NULL;
		as_operand = true;
	}
	if (term->range.to &&
	    !bl_format_comments(f, bl_format_term_row(f, term)))
		return false;
	if (!f->in_line)
		bl_format_start_line(f);
	ok = put_value(f, term, as_operand);
	if (ok && !f->in_line)
		bl_format_start_line(f);
	return ok;
}

bool bl_format_term(struct bl_formatter *f, const struct bl_rego_term *term)
{
	struct bl_format_mark mark = bl_format_mark(f);

	if (put_term(f, term, false))
		return true;
	bl_format_as_it_stands(f, mark, term->range);
	return false;
}
