/* SPDX-License-Identifier: Apache-2.0 */
/* What the type checker says, in OPA's words. */
#include "rego/analysis/check_types.h"

#include <stdlib.h>

#include "json/json.h"
#include "rego/analysis/checks.h"

static void report(struct checker *checker, uint32_t offset,
		   const struct bl_buf *text)
{
	bl_compiler_error(checker->compiler, checker->module, offset,
			  "rego_type_error", "%.*s",
			  BL_STR_ARG(bl_buf_str(text)));
}

static bool is_word(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!(c == '_' || (c >= 'a' && c <= 'z') ||
		      (c >= 'A' && c <= 'Z') || (i && c >= '0' && c <= '9')))
			return false;
	}
	return text.len > 0;
}

static void put_part(struct checker *checker, struct bl_buf *out,
		     const struct bl_rego_term *part)
{
	struct bl_rego_range range = part->range;

	if (part->kind == BL_TERM_SCALAR)
		bl_json_write(out, part->as.value, BL_JSON_COMPACT);
	else if (part->kind == BL_TERM_VAR)
		bl_buf_put_str(out, part->as.name);
	else
		bl_buf_put_str(out, bl_str_slice(checker->module
							 ? checker->module->text
							 : checker->compiler->query.text,
						 range.from, range.to));
}

/* The first count parts of a reference. */
static void put_ref(struct checker *checker, struct bl_buf *out,
		    const struct bl_rego_term *ref, uint32_t count)
{
	put_part(checker, out, ref->as.items[0]);
	for (uint32_t i = 1; i < count; i++) {
		const struct bl_rego_term *part = ref->as.items[i];
		struct bl_str text = part->kind == BL_TERM_SCALAR
					     ? bl_value_text(part->as.value)
					     : BL_STR("");

		if (is_word(text)) {
			bl_buf_printf(out, ".%.*s", BL_STR_ARG(text));
			continue;
		}
		bl_buf_put_char(out, '[');
		put_part(checker, out, part);
		bl_buf_put_char(out, ']');
	}
}

static void begin_ref_error(struct checker *checker, struct bl_buf *out,
			    const struct bl_rego_term *ref)
{
	bl_buf_init(out, 0);
	bl_buf_puts(out, "undefined ref: ");
	put_ref(checker, out, ref, ref->count);
	bl_buf_puts(out, "\n\t");
	put_ref(checker, out, ref, ref->count);
	bl_buf_puts(out, "\n\t");
}

/* What was looked up has no parts at all. */
void bl_types_report_no_parts(struct checker *checker,
			      const struct bl_rego_term *ref, uint32_t at,
			      const struct bl_type *type)
{
	struct bl_buf prefix;
	struct bl_buf text;

	begin_ref_error(checker, &text, ref);
	bl_buf_init(&prefix, 0);
	put_ref(checker, &prefix, ref, at);
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

static size_t count_keys(const struct bl_type *type)
{
	size_t count = type->kind == BL_TYPE_OBJECT ? type->count : 0;

	for (size_t i = 0; type->kind == BL_TYPE_ANY && i < type->count; i++)
		count += count_keys(type->items[i]);
	return count;
}

static size_t list_keys(const struct bl_type *type, struct bl_value *out)
{
	size_t count = 0;

	for (size_t i = 0; i < type->count; i++) {
		if (type->kind == BL_TYPE_OBJECT)
			out[count++] = type->keys[i];
		if (type->kind == BL_TYPE_ANY)
			count += list_keys(type->items[i], out + count);
	}
	return count;
}

/* "want (one of): [...]", or the type of keys. */
static void put_wanted(struct checker *checker, struct bl_buf *out,
		       const struct bl_type *type, bool composite)
{
	const struct bl_type *keys = bl_type_keys(checker->arena, type);
	size_t count = count_keys(type);
	struct bl_value *list = bl_types_alloc(checker, count, sizeof(*list));

	if (!list || (!count && keys) || composite) {
		bl_buf_puts(out, "want (type): ");
		bl_type_put(out, keys);
		return;
	}
	list_keys(type, list);
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

	begin_ref_error(checker, &text, ref);
	bl_buf_init(&pad, 0);
	put_ref(checker, &pad, ref, at);
	for (size_t i = 0; i < pad.len; i++)
		pad.ptr[i] = ' ';
	bl_buf_put_char(&pad, ' ');
	bl_buf_printf(&text,
		      "%.*s^\n\t%.*shave%s: ", BL_STR_ARG(bl_buf_str(&pad)),
		      BL_STR_ARG(bl_buf_str(&pad)), have ? " (type)" : "");
	if (have)
		bl_type_put(&text, have);
	else
		put_part(checker, &text, part);
	bl_buf_printf(&text, "\n\t%.*s", BL_STR_ARG(bl_buf_str(&pad)));
	put_wanted(checker, &text, type, composite);
	report(checker, ref->range.from, &text);
	bl_buf_clear(&pad);
	bl_buf_clear(&text);
}

/* Operands as they are, and the result that a nested call still lacks. */
void bl_types_report_args(struct checker *checker,
			  const struct bl_rego_term *call,
			  const struct bl_type *const *have,
			  const struct bl_signature *signature, bool nested)
{
	const struct bl_rego_term *callee = call->as.items[0];
	const struct bl_type *type = signature->type;
	struct bl_buf text;

	bl_buf_init(&text, 0);
	if (callee->kind == BL_TERM_REF)
		put_ref(checker, &text, callee, callee->count);
	else
		bl_buf_put_str(&text, callee->as.name);
	bl_buf_puts(&text, ": invalid argument(s)\n\thave: (");
	for (uint32_t i = 0; i + 1 < call->count; i++) {
		bl_buf_puts(&text, i ? ", " : "");
		bl_type_put(&text, have[i]);
	}
	if (nested) {
		bl_buf_puts(&text, ", ");
		bl_type_put(&text, NULL);
	}
	bl_buf_puts(&text, ")\n\twant: (");
	for (size_t i = 0; i <= type->count; i++) {
		bl_buf_puts(&text, i ? ", " : "");
		if (signature->names && signature->names[i].len)
			bl_buf_printf(&text, "%.*s: ",
				      BL_STR_ARG(signature->names[i]));
		bl_type_put(&text,
			    i < type->count ? type->items[i] : type->rest);
	}
	bl_buf_put_char(&text, ')');
	report(checker, call->range.from, &text);
	bl_buf_clear(&text);
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
	bl_buf_puts(&text, "match error\n\tleft  : ");
	bl_type_put(&text, left);
	bl_buf_puts(&text, "\n\tright : ");
	bl_type_put(&text, right);
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
