/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of the type checker, in OPA's words. */
#include "rego/compiler/types/check_types.h"
#include "rego/compiler/parse/print.h"

#include <stdlib.h>

#include "rego/builtins/runes.h"
#include "json/json.h"
#include "rego/compiler/check/checks.h"

enum { MAX_WIDTH = 80 }; /* of a line with types in full */

static void report_as(struct checker *checker, enum bl_rego_finding kind,
		      uint32_t offset, const struct bl_buf *text)
{
	bl_compiler_error(checker->compiler, checker->module, offset, kind,
			  "%s", text->ptr);
}

static void report(struct checker *checker, uint32_t offset,
		   const struct bl_buf *text)
{
	report_as(checker, BL_FINDING_TYPE, offset, text);
}

static struct bl_str text_of(const struct checker *checker)
{
	return checker->module ? checker->module->text
			       : checker->compiler->query.text;
}

/* Of scalars alone: written in one way, however it is spelled. */
static bool is_constant(const struct bl_rego_term *term)
{
	if (term->kind == BL_TERM_SCALAR)
		return true;
	if (term->kind != BL_TERM_ARRAY && term->kind != BL_TERM_OBJECT)
		return false;
	for (uint32_t i = 0; i < term->count; i++)
		if (!is_constant(term->as.items[i]))
			return false;
	return true;
}

static void put_part(struct checker *checker, struct bl_buf *out,
		     const struct bl_rego_term *part)
{
	struct bl_rego_range range = part->range;

	if (part->kind == BL_TERM_SCALAR)
		bl_json_write(out, part->as.value, BL_JSON_COMPACT);
	else if (is_constant(part))
		bl_rego_print_term(out, part);
	else if (part->kind == BL_TERM_VAR)
		bl_buf_put_str(out, part->as.name);
	else
		bl_buf_put_str(out, bl_str_slice(text_of(checker), range.from,
						 range.to));
}

void bl_types_put_ref(struct checker *checker, struct bl_buf *out,
		      const struct bl_rego_term *ref, uint32_t count)
{
	put_part(checker, out, ref->as.items[0]);
	for (uint32_t i = 1; i < count; i++) {
		const struct bl_rego_term *part = ref->as.items[i];
		struct bl_str text = part->kind == BL_TERM_SCALAR
					     ? bl_value_text(part->as.value)
					     : BL_STR("");

		if (bl_rego_is_plain_name(text)) {
			bl_buf_printf(out, ".%.*s", BL_STR_ARG(text));
			continue;
		}
		bl_buf_put_char(out, '[');
		put_part(checker, out, part);
		bl_buf_put_char(out, ']');
	}
}

/* type: of what stands before the part that is wrong */
static void begin_ref_error(struct checker *checker, struct bl_buf *out,
			    const struct bl_rego_term *ref,
			    const struct bl_type *type)
{
	bool function = type && type->kind == BL_TYPE_FUNCTION;

	bl_buf_init(out, 0);
	bl_buf_puts(out, function ? "function " : "undefined ref: ");
	bl_types_put_ref(checker, out, ref, ref->count);
	bl_buf_puts(out,
		    function ? " used as reference, not called\n\t" : "\n\t");
	bl_types_put_ref(checker, out, ref, ref->count);
	bl_buf_puts(out, "\n\t");
}

/* The value looked up has no parts at all. */
void bl_types_report_no_parts(struct checker *checker,
			      const struct bl_rego_term *ref, uint32_t at,
			      const struct bl_type *type)
{
	struct bl_buf prefix;
	struct bl_buf text;

	begin_ref_error(checker, &text, ref, type);
	bl_buf_init(&prefix, 0);
	bl_types_put_ref(checker, &prefix, ref, at);
	for (size_t i = 0; i < prefix.len; i++)
		bl_buf_put_char(&text, '^');
	bl_buf_puts(&text, "\n\thave: ");
	bl_type_put(&text, type);
	report(checker, ref->range.from, &text);
	bl_buf_clear(&prefix);
	bl_buf_clear(&text);
}

static int compare_values(const void *a, const void *b)
{
	const struct bl_value *x = a;
	const struct bl_value *y = b;

	return bl_value_compare(*x, *y);
}

/* Of "one of" within "one of" nothing is listed. */
static const struct bl_type *choice(const struct bl_type *any, size_t i)
{
	const struct bl_type *item = bl_type_open(any->items[i]);

	return !item || item->kind == BL_TYPE_ANY ? &bl_type_any : item;
}

static size_t count_keys(const struct bl_type *type)
{
	size_t count = type && type->kind == BL_TYPE_OBJECT ? type->count : 0;

	if (!type)
		return 0;
	for (size_t i = 0; type->kind == BL_TYPE_ANY && i < type->count; i++)
		count += count_keys(choice(type, i));
	return count;
}

static size_t list_keys(const struct bl_type *type, struct bl_value *out)
{
	size_t count = 0;

	for (size_t i = 0; i < type->count; i++) {
		if (type->kind == BL_TYPE_OBJECT)
			out[count++] = type->keys[i];
		if (type->kind == BL_TYPE_ANY)
			count += list_keys(choice(type, i), out + count);
	}
	return count;
}

/* "want (one of): [...]", or the type of keys. */
static void put_wanted(struct checker *checker, struct bl_buf *out,
		       const struct bl_type *type, bool composite)
{
	const struct bl_type *keys = bl_type_keys(checker->arena, type);
	size_t count = count_keys(bl_type_open(type));
	struct bl_value *list = bl_types_alloc(checker, count, sizeof(*list));

	if (!list || !type || (!count && keys) || composite) {
		bl_buf_puts(out, "want (type): ");
		bl_type_put(out, keys);
		return;
	}
	list_keys(bl_type_open(type), list);
	qsort(list, count, sizeof(*list), compare_values);
	bl_buf_puts(out, "want (one of): [");
	for (size_t i = 0; i < count; i++) {
		if (i && bl_value_equal(list[i - 1], list[i]))
			continue;
		bl_buf_puts(out, i ? " " : "");
		bl_json_write(out, list[i], BL_JSON_COMPACT);
	}
	bl_buf_put_char(out, ']');
}

/* Part `at` cannot be inside of what stands before it. */
void bl_types_report_part(struct checker *checker,
			  const struct bl_rego_term *ref, uint32_t at,
			  const struct bl_type *type,
			  const struct bl_type *have)
{
	const struct bl_rego_term *part = ref->as.items[at];
	bool composite = part->kind == BL_TERM_ARRAY ||
			 part->kind == BL_TERM_OBJECT ||
			 part->kind == BL_TERM_SET;
	struct bl_buf pad;
	struct bl_buf text;

	begin_ref_error(checker, &text, ref, type);
	bl_buf_init(&pad, 0);
	bl_types_put_ref(checker, &pad, ref, at);
	for (size_t i = 0; i < pad.len; i++)
		pad.ptr[i] = ' ';
	bl_buf_put_char(&pad, ' ');
	bl_buf_printf(&text, "%s^\n\t%shave%s: ", pad.ptr, pad.ptr,
		      have ? " (type)" : "");
	if (have)
		bl_type_put(&text, have);
	else
		put_part(checker, &text, part);
	bl_buf_printf(&text, "\n\t%s", pad.ptr);
	put_wanted(checker, &text, type, composite);
	report(checker, ref->range.from, &text);
	bl_buf_clear(&pad);
	bl_buf_clear(&text);
}

static bool is_too_wide(const struct bl_buf *line)
{
	return bl_rune_count(bl_buf_str(line)) > MAX_WIDTH;
}

static void put_named(struct bl_buf *out, const struct bl_signature *signature,
		      size_t i)
{
	bl_buf_puts(out, i ? ", " : "");
	if (signature->names && signature->names[i].len)
		bl_buf_printf(out, "%.*s: ", BL_STR_ARG(signature->names[i]));
}

/* Types of operands, and those that there should have been. */
struct operands {
	enum bl_rego_finding kind; /* of the error */
	const struct bl_type *const *have;
	size_t have_count;
	const struct bl_signature *signature;
	size_t want_count;
};

/* In full, or what is wrong with them. */
static void put_operands_as(struct bl_buf *have, struct bl_buf *want,
			    const struct operands *operands, bool full)
{
	const struct bl_type *type = operands->signature->type;
	size_t have_count = operands->have_count;
	size_t want_count = operands->want_count;

	bl_buf_puts(have, "have: (");
	bl_buf_puts(want, "want: (");
	for (size_t i = 0; i < have_count || i < want_count; i++) {
		const struct bl_type *a =
			i < have_count ? operands->have[i] : NULL;
		const struct bl_type *b =
			i < type->count ? type->items[i] : type->rest;
		bool differ = i < have_count && i < want_count &&
			      !bl_type_unifies(a, b);

		if (i < have_count)
			bl_buf_puts(have, i ? ", " : "");
		if (i < want_count)
			put_named(want, operands->signature, i);
		if (differ && !full) {
			bl_type_put_difference(have, want, a, b);
			continue;
		}
		if (i < have_count)
			(full ? bl_type_put : bl_type_put_short)(have, a);
		if (i < want_count)
			(full ? bl_type_put : bl_type_put_short)(want, b);
	}
	bl_buf_put_char(have, ')');
	bl_buf_put_char(want, ')');
}

static void put_operands(struct bl_buf *out, const struct operands *operands)
{
	struct bl_buf have;
	struct bl_buf want;

	bl_buf_init(&have, 0);
	bl_buf_init(&want, 0);
	put_operands_as(&have, &want, operands, true);
	if (is_too_wide(&have) || is_too_wide(&want)) {
		bl_buf_reset(&have);
		bl_buf_reset(&want);
		put_operands_as(&have, &want, operands, false);
	}
	bl_buf_put_str(out, bl_buf_str(&have));
	bl_buf_puts(out, "\n\t");
	bl_buf_put_str(out, bl_buf_str(&want));
	bl_buf_clear(&have);
	bl_buf_clear(&want);
}

static void report_operands(struct checker *checker,
			    const struct bl_rego_term *callee, uint32_t from,
			    const char *what, const struct operands *operands)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	if (callee->kind == BL_TERM_REF)
		bl_types_put_ref(checker, &text, callee, callee->count);
	else
		bl_buf_put_str(&text, callee->as.name);
	bl_buf_printf(&text, ": %s\n\t", what);
	put_operands(&text, operands);
	report_as(checker, operands->kind, from, &text);
	bl_buf_clear(&text);
}

/* Of "(a + b)", where a is. */
static uint32_t place_of(const struct checker *checker,
			 const struct bl_rego_term *call)
{
	struct bl_str text = text_of(checker);
	uint32_t from = call->range.from;

	return call->infix && call->count > 1 && from < text.len &&
			       text.ptr[from] == '('
		       ? call->as.items[1]->range.from
		       : from;
}

void bl_types_report_args(struct checker *checker,
			  const struct bl_wrong_call *wrong)
{
	size_t count = wrong->call->count - 1;
	const struct bl_type **have =
		bl_types_alloc(checker, count + 1, sizeof(*have));
	struct operands operands = {
		.kind = wrong->arity ? BL_FINDING_FUNCTION : BL_FINDING_TYPE,
		.have_count = count + wrong->nested,
		.signature = wrong->signature,
		.want_count = wrong->signature->type->count + !wrong->arity,
	};

	for (size_t i = 0; have && i < count; i++)
		have[i] = wrong->have[i];
	operands.have = have;
	if (have)
		report_operands(checker, wrong->call->as.items[0],
				place_of(checker, wrong->call),
				wrong->arity ? "arity mismatch"
					     : "invalid argument(s)",
				&operands);
}

/* Where the "with" of a target stands. */
static uint32_t with_before(const struct checker *checker,
			    const struct bl_rego_term *target)
{
	struct bl_str text = text_of(checker);
	struct bl_str word = BL_STR("with");
	size_t to = target->range.from;

	while (to && strchr(" \t\r\n", text.ptr[to - 1]))
		to--;
	return bl_str_has_suffix(bl_str_slice(text, 0, to), word)
		       ? (uint32_t)(to - word.len)
		       : target->range.from;
}

void bl_types_report_stand_in(struct checker *checker,
			      const struct bl_rego_term *target,
			      const struct bl_type *have,
			      const struct bl_signature *signature)
{
	struct operands operands = {
		.kind = BL_FINDING_TYPE,
		.have = have->items,
		.have_count = have->count,
		.signature = signature,
		.want_count = signature->type->count,
	};

	report_operands(checker, target, with_before(checker, target),
			"arity mismatch", &operands);
}

static void put_sides(struct bl_buf *out, const struct bl_type *left,
		      const struct bl_type *right)
{
	struct bl_buf lines[2];

	for (size_t i = 0; i < 2; i++) {
		bl_buf_init(&lines[i], 0);
		bl_buf_puts(&lines[i], i ? "right : " : "left  : ");
		bl_type_put(&lines[i], i ? right : left);
	}
	if (is_too_wide(&lines[0]) || is_too_wide(&lines[1])) {
		lines[0].len = lines[1].len = sizeof("right : ") - 1;
		bl_type_put_difference(&lines[0], &lines[1], left, right);
	}
	for (size_t i = 0; i < 2; i++) {
		bl_buf_puts(out, i ? "\n\t" : "");
		bl_buf_put_str(out, bl_buf_str(&lines[i]));
		bl_buf_clear(&lines[i]);
	}
}

void bl_types_report_match(struct checker *checker, uint32_t offset,
			   const struct bl_type *left,
			   const struct bl_type *right)
{
	static const char *const plurals[] = {
		[BL_TYPE_ARRAY] = "arrays",
		[BL_TYPE_OBJECT] = "objects",
		[BL_TYPE_SET] = "sets",
	};
	struct bl_buf text;

	bl_buf_init(&text, 0);
	bl_buf_puts(&text, "match error\n\t");
	put_sides(&text, left, right);
	left = bl_type_shown(left);
	right = bl_type_shown(right);
	if (left && right && left->kind == right->kind &&
	    left->kind >= BL_TYPE_ARRAY && left->kind <= BL_TYPE_SET)
		bl_buf_printf(&text,
			      "\n\thint  : both sides are %s but their types "
			      "differ, so they can never be equal (see "
			      "https://www.openpolicyagent.org/docs/errors/"
			      "rego-type-error/match-error)",
			      plurals[left->kind]);
	report(checker, offset, &text);
	bl_buf_clear(&text);
}
