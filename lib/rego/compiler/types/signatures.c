/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of builtins, read from the notation of signatures.def. */
#include "rego/compiler/check/callables.h"
#include "rego/compiler/types/types.h"

static const struct {
	const char *name;
	const char *text;
} rows[] = {
#define SIGNATURE(n, t) { n, t },
#include "rego/compiler/types/signatures.def"
#undef SIGNATURE
};

enum { MAX_PARTS = 8 };

/* What stands between the brackets of a composite. */
struct parts {
	const struct bl_type *items[MAX_PARTS];
	struct bl_value keys[MAX_PARTS];
	size_t count;
	const struct bl_type *rest;
	const struct bl_type *key;
};

static const struct bl_type *read_type(struct bl_arena *arena, const char **p);

static void read_parts(struct bl_arena *arena, const char **p, char close,
		       struct parts *parts)
{
	for (; **p != close && parts->count < MAX_PARTS; parts->count++) {
		if (**p == '*') {
			++*p;
			if (close == ')')
				parts->key = read_type(arena, p);
			parts->rest = read_type(arena, p);
			break;
		}
		if (**p == '\'') {
			const char *from = ++*p;

			while (**p != '\'')
				++*p;
			parts->keys[parts->count] = bl_value_string(
				(struct bl_str){ from, (size_t)(*p - from) });
			++*p;
		}
		parts->items[parts->count] = read_type(arena, p);
	}
	++*p;
}

static const struct bl_type *read_composite(struct bl_arena *arena,
					    const char **p,
					    enum bl_type_kind kind, char close)
{
	struct parts parts = { 0 };
	struct bl_type type = { .kind = kind };

	read_parts(arena, p, close, &parts);
	if (kind == BL_TYPE_SET) {
		type.rest = parts.items[0];
		return bl_type_make(arena, &type);
	}
	type.key = parts.key;
	type.rest = parts.rest;
	type.count = parts.count;
	type.items = bl_arena_new_array(arena, const struct bl_type *,
					parts.count + 1);
	type.keys = bl_arena_new_array(arena, struct bl_value, parts.count + 1);
	if (!type.items || !type.keys)
		return &bl_type_any;
	for (size_t i = 0; i < parts.count; i++) {
		type.items[i] = parts.items[i];
		type.keys[i] = parts.keys[i];
	}
	return bl_type_make(arena, &type);
}

static const struct bl_type *read_type(struct bl_arena *arena, const char **p)
{
	switch (*(*p)++) {
	case 'z':
		return bl_type_of_scalar(bl_value_null());
	case 'b':
		return bl_type_of_scalar(bl_value_boolean(true));
	case 'n':
		return bl_type_of_scalar(bl_value_integer(0));
	case 's':
		return bl_type_of_scalar(bl_value_string(BL_STR("")));
	case '[':
		return read_composite(arena, p, BL_TYPE_ARRAY, ']');
	case '{':
		return read_composite(arena, p, BL_TYPE_SET, '}');
	case '(':
		return read_composite(arena, p, BL_TYPE_OBJECT, ')');
	case '<':
		return read_composite(arena, p, BL_TYPE_ANY, '>');
	default:
		return &bl_type_any;
	}
}

static const struct bl_signature *read_signature(struct bl_arena *arena,
						 const char *p)
{
	struct bl_signature *made = bl_arena_new(arena, struct bl_signature);
	struct bl_str *names =
		bl_arena_new_array(arena, struct bl_str, MAX_PARTS);
	struct bl_type type = { .kind = BL_TYPE_FUNCTION };

	type.items =
		bl_arena_new_array(arena, const struct bl_type *, MAX_PARTS);
	if (!made || !names || !type.items)
		return NULL;
	while (!type.rest) {
		bool result = strncmp(p, "->", 2) == 0;
		const char *name = p += result ? 2 : 0;
		size_t len = strcspn(p, ":,-<[({");

		if (p[len] == ':') {
			names[type.count] = (struct bl_str){ name, len };
			p += len + 1;
		}
		if (result)
			type.rest = read_type(arena, &p);
		else
			type.items[type.count++] = read_type(arena, &p);
		p += *p == ',';
	}
	made->names = names;
	made->type = bl_type_make(arena, &type);
	return made->type->kind == BL_TYPE_FUNCTION ? made : NULL;
}

/* The row of a builtin; BL_COUNT(rows): none. */
static size_t find_row(struct bl_str name)
{
	size_t low = 0;
	size_t count = BL_COUNT(rows);

	while (count) {
		size_t half = count / 2;
		int order = bl_str_compare(name, bl_str(rows[low + half].name));

		if (!order)
			return low + half;
		if (order > 0) {
			low += half + 1;
			half = count - half - 1;
		}
		count = half;
	}
	return BL_COUNT(rows);
}

const struct bl_signature *bl_signature_find(struct bl_signatures *signatures,
					     struct bl_str name)
{
	size_t row = find_row(name);
	const struct bl_signature *declared =
		bl_callables_signature(signatures->callables, name);

	if (declared)
		return declared;
	if (row == BL_COUNT(rows))
		return NULL;
	if (!signatures->read)
		signatures->read = bl_arena_new_array(
			signatures->arena, const struct bl_signature *,
			BL_COUNT(rows));
	if (signatures->read && !signatures->read[row])
		signatures->read[row] =
			read_signature(signatures->arena, rows[row].text);
	return signatures->read ? signatures->read[row] : NULL;
}
