/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/code_imports.c: names that imports give to what other modules have, so
 * that `from os import system as s; s("...")` is os.system.  Apart from
 * code_read.c: they are learnt once, before the code is read.
 */
#include "effects/code.h"

/* from os import system as s: s stands for os.system. */
static void add_import(struct effects_reader *r, struct bl_str name,
		       struct bl_str module, struct bl_str member)
{
	struct bl_arena *arena = r->walk->arena;
	struct bl_str *full = bl_arena_new(arena, struct bl_str);

	if (!full)
		return;
	*full = module.len && member.len ? bl_arena_printf(arena, "%.*s.%.*s",
							   BL_STR_ARG(module),
							   BL_STR_ARG(member))
					 : (module.len ? module : member);
	r->imports = effects_map_set(
		arena, r->imports,
		effects_name_id(arena, &r->walk->names, name), full);
}

/* Behind from or import: NAME [as NAME], ... */
static void learn_import(struct effects_reader *r, struct bl_str module)
{
	while (r->at < r->text.len) {
		struct bl_str member, name;

		effects_code_skip(r);
		while (effects_code_peek(r, 0) == '(' ||
		       effects_code_peek(r, 0) == '{')
			r->at++;
		effects_code_skip(r);
		member = name = effects_code_name(r);
		effects_code_skip(r);
		if (effects_code_has(r, "as ")) {
			r->at += 3;
			effects_code_skip(r);
			name = effects_code_name(r);
			effects_code_skip(r);
		}
		if (!member.len || !name.len)
			return;
		if (module.len || !bl_str_equal(member, name))
			add_import(r, name, module, member);
		if (effects_code_peek(r, 0) != ',')
			return;
		r->at++;
	}
}

/* The imports of Python and of JavaScript's modules. */
void effects_code_imports(struct effects_reader *r)
{
	size_t from = r->at;

	for (size_t at = 0;
	     (at = bl_str_find(r->text, BL_STR("import "), at)) != SIZE_MAX;
	     at += 7) {
		struct bl_str front = bl_str_trim(bl_str_slice(r->text, 0, at));
		struct bl_str module = { "", 0 };
		size_t start = front.len;

		while (start && (effects_is_name(front.ptr[start - 1]) ||
				 front.ptr[start - 1] == '.'))
			start--;
		if (r->letter == 'P' && start >= 5 &&
		    !memcmp(front.ptr + start - 5, "from ", 5))
			module = bl_str_slice(front, start, front.len);
		r->at = at + 7;
		learn_import(r, module);
	}
	r->at = from;
}

/* The name with its module, as the imports have it. */
struct bl_str effects_code_imported(struct effects_reader *r,
				    struct bl_str name)
{
	size_t dot = bl_str_find(name, BL_STR("."), 0);
	const struct bl_str *full = effects_map_get(
		r->imports, effects_name_id(r->walk->arena, &r->walk->names,
					    bl_str_slice(name, 0, dot)));

	if (!full)
		return name;
	if (dot == SIZE_MAX)
		return *full;
	name = bl_str_slice(name, dot, SIZE_MAX);
	return bl_arena_printf(r->walk->arena, "%.*s%.*s", BL_STR_ARG(*full),
			       BL_STR_ARG(name));
}
