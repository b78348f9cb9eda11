/* SPDX-License-Identifier: Apache-2.0 */
/* What the type checker says, in OPA's words. */
#include "rego/analysis/check_types.h"

#include <stdlib.h>

#include "json/json.h"
#include "rego/analysis/checks.h"

/* Is it an error that OPA does not have here (enum leniency)? */
static bool is_forgiven(const struct checker *checker, struct bl_str text)
{
	if (checker->leniency == STRICT)
		return false;
	if (checker->leniency == IN_EVERY &&
	    bl_str_has_prefix(text, BL_STR("match error")))
		return true;
	return checker->of_variable &&
	       bl_str_has_prefix(text, BL_STR("undefined ref: "));
}

void bl_types_report(struct checker *checker, uint32_t offset,
		     const struct bl_buf *text)
{
	if (is_forgiven(checker, bl_buf_str(text)))
		return;
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
		     const struct bl_rego_term *part, bool bare)
{
	struct bl_rego_range range = part->range;

	if (part->kind == BL_TERM_SCALAR)
		bl_json_write(out, part->as.value, BL_JSON_COMPACT);
	else if (part->kind == BL_TERM_VAR)
		bl_buf_put_str(out, part->as.name);
	else if (bare || !checker->module)
		bl_buf_puts(out, "_");
	else
		bl_buf_put_str(out, bl_str_slice(checker->module->text,
						 range.from, range.to));
}

/* The first count parts of a reference. */
static void put_ref(struct checker *checker, struct bl_buf *out,
		    const struct bl_rego_term *ref, uint32_t count)
{
	put_part(checker, out, ref->as.items[0], false);
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
		put_part(checker, out, part, false);
		bl_buf_put_char(out, ']');
	}
}

static void begin_ref_error(struct checker *checker, struct bl_buf *out,
			    const struct bl_rego_term *ref)
{
	const struct bl_rego_term *head = ref->as.items[0];

	checker->of_variable = head->kind == BL_TERM_VAR && head->slot >= 0;
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
	bl_types_report(checker, ref->range.from, &text);
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
		       const struct bl_type *type, const struct bl_type *keys)
{
	size_t count = count_keys(type);
	struct bl_value *list = bl_types_alloc(checker, count, sizeof(*list));

	if (!list || (!count && keys)) {
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
	const struct bl_type *keys = bl_type_keys(checker->arena, type);
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
		put_part(checker, &text, ref->as.items[at], false);
	bl_buf_printf(&text, "\n\t%.*s", BL_STR_ARG(bl_buf_str(&pad)));
	put_wanted(checker, &text, type, keys);
	bl_types_report(checker, ref->range.from, &text);
	bl_buf_clear(&pad);
	bl_buf_clear(&text);
}

static void put_types(struct bl_buf *out, const struct bl_type *const *types,
		      const struct bl_str *names, size_t count)
{
	bl_buf_put_char(out, '(');
	for (size_t i = 0; i < count; i++) {
		bl_buf_puts(out, i ? ", " : "");
		if (names && names[i].len)
			bl_buf_printf(out, "%.*s: ", BL_STR_ARG(names[i]));
		bl_type_put(out, types[i]);
	}
	bl_buf_put_char(out, ')');
}

/* Operands as they are, and the result that a nested call still lacks. */
void bl_types_report_args(struct checker *checker,
			  const struct bl_rego_term *call,
			  const struct bl_signature *signature, bool nested)
{
	const struct bl_rego_term *callee = call->as.items[0];
	size_t count = call->count - 1 + nested;
	const struct bl_type **have =
		bl_types_alloc(checker, count, sizeof(*have));
	struct bl_buf text;

	if (!have)
		return;
	for (uint32_t i = 1; i < call->count; i++)
		have[i - 1] = bl_types_of(checker, call->as.items[i]);
	bl_buf_init(&text, 0);
	if (callee->kind == BL_TERM_REF)
		put_ref(checker, &text, callee, callee->count);
	else
		bl_buf_put_str(&text, callee->as.name);
	bl_buf_puts(&text, ": invalid argument(s)\n\thave: ");
	put_types(&text, have, NULL, count);
	bl_buf_puts(&text, "\n\twant: ");
	put_types(&text, signature->types, signature->names,
		  signature->arity + 1);
	bl_types_report(checker, call->range.from, &text);
	bl_buf_clear(&text);
}
