/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of builtins, read from the notation of their tables: most policies
 * call a handful of the two hundred.
 */
#include "rego/compiler/check/callables.h"
#include "rego/compiler/types/types.h"

enum { MAX_PARTS = 8 };

/* The text between the brackets of a composite. */
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

const struct bl_signature *bl_signature_of(struct bl_arena *arena,
					   const struct bl_builtin *builtin)
{
	const char *p = builtin->signature;
	struct bl_signature *made = bl_arena_new(arena, struct bl_signature);
	struct bl_str *names =
		bl_arena_new_array(arena, struct bl_str, MAX_PARTS);
	struct bl_type type = { .kind = BL_TYPE_FUNCTION };

	type.items =
		bl_arena_new_array(arena, const struct bl_type *, MAX_PARTS);
	if (!*p || !made || !names || !type.items)
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

struct bl_read_signature {
	const struct bl_builtin *builtin;
	const struct bl_signature *signature;
	struct bl_read_signature *older;
};

const struct bl_signature *bl_signature_find(struct bl_signatures *signatures,
					     struct bl_str name)
{
	const struct bl_builtin *builtin = bl_builtin_find(name);
	const struct bl_signature *declared =
		bl_callables_signature(signatures->callables, name);
	struct bl_read_signature *read = signatures->read;

	if (declared || !builtin)
		return declared;
	while (read && read->builtin != builtin)
		read = read->older;
	if (read)
		return read->signature;
	read = bl_arena_new(signatures->arena, struct bl_read_signature);
	if (!read)
		return NULL;
	read->builtin = builtin;
	read->signature = bl_signature_of(signatures->arena, builtin);
	read->older = signatures->read;
	signatures->read = read;
	return read->signature;
}
