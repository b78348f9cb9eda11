/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes annotations out as OPA does: for rego.metadata and, by a
 * writer of references, for syntax trees as JSON.
 */
#include "rego/compiler/resolve/analysis.h"

struct writer {
	struct bl_arena *arena;
	const struct bl_annotation_refs *refs; /* NULL: for rego.metadata */
};

/* ---- references --------------------------------------------------------- */

/* The name or reference that text is; NULL: it is not one. */
static const struct bl_rego_term *read_ref(struct bl_arena *arena,
					   struct bl_str text)
{
	struct bl_rego_body *body = NULL;
	const struct bl_rego_term *term;
	struct bl_error err = { 0 };
	size_t offset;

	if (bl_rego_parse_query(arena, text, &body, &offset, &err) ||
	    body->count != 1 || body->exprs[0]->kind != BL_EXPR_TERM)
		return NULL;
	term = body->exprs[0]->terms[0];
	return term->kind == BL_TERM_VAR || term->kind == BL_TERM_REF ? term
								      : NULL;
}

/* In rego.metadata: the names of all parts. */
static struct bl_value ref_names(struct bl_arena *arena,
				 const struct bl_rego_term *term)
{
	uint32_t count = term->kind == BL_TERM_VAR ? 1 : term->count;
	struct bl_array_builder list;

	bl_array_builder_init(&list, arena);
	for (uint32_t i = 0; i < count; i++) {
		const struct bl_rego_term *part =
			term->kind == BL_TERM_VAR ? term : term->as.items[i];

		bl_array_builder_add(&list,
				     part->kind == BL_TERM_VAR
					     ? bl_value_string(part->as.name)
				     : part->kind == BL_TERM_SCALAR
					     ? part->as.value
					     : bl_value_null());
	}
	return bl_array_builder_end(&list);
}

/* A reference as it is written where w writes to; others as they are. */
static struct bl_value write_ref(const struct writer *w, struct bl_value value,
				 bool with_places)
{
	struct bl_rego_module text = { .text = bl_value_text(value) };
	const struct bl_rego_term *term =
		bl_value_is(value, BL_KIND_STRING)
			? read_ref(w->arena, text.text)
			: NULL;

	if (!term)
		return value;
	if (!w->refs)
		return ref_names(w->arena, term);
	return w->refs->write(w->refs, &text, term, with_places);
}

/* ---- members ------------------------------------------------------------ */

/* "Name <mail>" as an object. */
static struct bl_value author(const struct writer *w, struct bl_value value)
{
	struct bl_str text = bl_value_text(value);
	size_t open = bl_str_find(text, BL_STR("<"), 0);
	size_t close = bl_str_find(text, BL_STR(">"), 0);
	struct bl_object_builder made;
	bool has_mail = open != SIZE_MAX && close != SIZE_MAX && close > open;
	struct bl_str name =
		bl_str_trim(has_mail ? bl_str_slice(text, 0, open) : text);

	bl_object_builder_init(&made, w->arena);
	if (name.len)
		bl_object_builder_add(&made, BL_STR("name"),
				      bl_value_string(name));
	if (has_mail)
		bl_object_builder_add(
			&made, BL_STR("email"),
			bl_value_string(bl_str_slice(text, open + 1, close)));
	return bl_object_builder_end(&made);
}

static struct bl_value resource(const struct writer *w, struct bl_value value)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, w->arena);
	bl_object_builder_add(&made, BL_STR("ref"), value);
	return bl_object_builder_end(&made);
}

/* {path: schema} or {path: {...}} */
static struct bl_value schema(const struct writer *w, struct bl_value value)
{
	struct bl_value to = bl_object_value(value, 0);
	struct bl_object_builder made;

	bl_object_builder_init(&made, w->arena);
	bl_object_builder_add(&made, BL_STR("path"),
			      write_ref(w, bl_object_key(value, 0), false));
	if (bl_value_is(to, BL_KIND_STRING))
		bl_object_builder_add(&made, BL_STR("schema"),
				      write_ref(w, to, true));
	else
		bl_object_builder_add(&made, BL_STR("definition"), to);
	return bl_object_builder_end(&made);
}

static struct bl_value unknown(const struct writer *w, struct bl_value value)
{
	return write_ref(w, value, true);
}

/* Members of lists, written out where they are of that kind. */
static const struct form {
	const char *key;
	enum bl_kind kind;
	struct bl_value (*write_out)(const struct writer *w,
				     struct bl_value value);
} forms[] = {
	{ "authors", BL_KIND_STRING, author },
	{ "related_resources", BL_KIND_STRING, resource },
	{ "schemas", BL_KIND_OBJECT, schema },
	{ "unknowns", BL_KIND_STRING, unknown },
};

static struct bl_value write_list(const struct writer *w,
				  const struct form *form,
				  struct bl_value value)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, w->arena);
	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_value item = bl_value_item(value, i);

		if (bl_value_is(item, form->kind) &&
		    (form->kind == BL_KIND_STRING || bl_value_count(item)))
			item = form->write_out(w, item);
		bl_array_builder_add(&list, item);
	}
	return bl_array_builder_end(&list);
}

static struct bl_value write_out(const struct writer *w, struct bl_str key,
				 struct bl_value value)
{
	for (size_t i = 0; i < BL_COUNT(forms); i++)
		if (bl_str_is(key, forms[i].key) &&
		    bl_value_is(value, BL_KIND_ARRAY))
			return write_list(w, &forms[i], value);
	return bl_str_is(key, "mask_rule") ? write_ref(w, value, true) : value;
}

/* Empty members are left out. */
static bool is_empty(struct bl_value value)
{
	if (bl_value_is(value, BL_KIND_BOOLEAN))
		return !bl_value_is_true(value);
	if (bl_value_is(value, BL_KIND_STRING))
		return !bl_value_text(value).len;
	if (bl_value_is(value, BL_KIND_ARRAY) ||
	    bl_value_is(value, BL_KIND_OBJECT))
		return !bl_value_count(value);
	return bl_value_is(value, BL_KIND_NULL);
}

static struct bl_value compile(const struct writer *w, struct bl_value value)
{
	struct bl_object_builder made;

	bl_object_builder_init(&made, w->arena);
	for (size_t i = 0; i < bl_value_count(value); i++) {
		struct bl_str key = bl_value_text(bl_object_key(value, i));

		bl_object_builder_add(
			&made, key,
			write_out(w, key, bl_object_value(value, i)));
	}
	return bl_object_builder_end(&made);
}

struct bl_value bl_annotation_write_out(struct bl_arena *arena,
					struct bl_value read,
					const char *default_scope,
					const struct bl_annotation_refs *refs)
{
	static const char *const keys[] = {
		"authors", "custom",        "description",       "entrypoint",
		"labels",  "organizations", "related_resources", "schemas",
		"scope",   "title",
	};
	struct writer w = { arena, refs };
	struct bl_object_builder made;
	struct bl_value value = bl_object_find(read, BL_STR("compile"));

	bl_object_builder_init(&made, arena);
	if (refs && bl_value_is(value, BL_KIND_OBJECT))
		bl_object_builder_add(&made, BL_STR("compile"),
				      compile(&w, value));
	if (!bl_value_is_defined(bl_object_find(read, BL_STR("scope"))))
		bl_object_builder_add(&made, BL_STR("scope"),
				      bl_value_string(bl_str(default_scope)));
	for (size_t i = 0; i < BL_COUNT(keys); i++) {
		value = bl_object_find(read, bl_str(keys[i]));
		if (bl_value_is_defined(value) && !is_empty(value))
			bl_object_builder_add(
				&made, bl_str(keys[i]),
				write_out(&w, bl_str(keys[i]), value));
	}
	return bl_object_builder_end(&made);
}
