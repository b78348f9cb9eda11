/* SPDX-License-Identifier: Apache-2.0 */
/* Modules before and after v1: rules of one as those of the other, imports. */
#include "rego/tools/tools.h"
#include "rego/compiler/parse/print.h"

struct converter {
	struct bl_arena *arena;
	const struct bl_rego_module *module; /* as it was written */
	bool failed;
};

static bool is_of_v0(const struct bl_rego_import *import)
{
	const struct bl_rego_term *path = import->path;

	return path->kind == BL_TERM_REF &&
	       (bl_str_is(path->as.items[0]->as.name, "future") ||
		bl_str_is(path->as.items[0]->as.name, "rego"));
}

static bool is_rego_v1(const struct bl_rego_import *import)
{
	return is_of_v0(import) &&
	       bl_str_is(import->path->as.items[0]->as.name, "rego") &&
	       bl_str_is(bl_value_text(import->path->as.items[1]->as.value),
			 "v1");
}

static struct bl_rego_rule *rule_as_v1(struct converter *c,
				       const struct bl_rego_rule *rule)
{
	struct bl_rego_rule *first = NULL;
	struct bl_rego_rule **to = &first;

	for (; rule && !c->failed; rule = rule->chained) {
		struct bl_rego_rule *copy =
			bl_arena_new(c->arena, struct bl_rego_rule);

		if (!copy) {
			c->failed = true;
			break;
		}
		*copy = *rule;
		copy->uses_if = rule->body != NULL;
		copy->chained = NULL;
		if (!rule->is_else &&
		    bl_rego_rule_is_old_set(c->module, rule)) {
			copy->name = rule->name->as.items[0];
			copy->contains = rule->name->as.items[1];
		}
		if (rule->else_rule)
			copy->else_rule = rule_as_v1(c, rule->else_rule);
		*to = copy;
		to = &copy->chained;
	}
	return first;
}

static struct bl_rego_term *new_term(struct converter *c, uint8_t kind)
{
	struct bl_rego_term *term = bl_arena_new(c->arena, struct bl_rego_term);

	if (term)
		term->kind = kind;
	else
		c->failed = true;
	return term;
}

/* rego.v1, in the line behind the last import of its kind, or at the top. */
static struct bl_rego_import import_v1(struct converter *c)
{
	const struct bl_rego_module *module = c->module;
	struct bl_rego_term *path = new_term(c, BL_TERM_REF);
	struct bl_rego_term *head = new_term(c, BL_TERM_VAR);
	struct bl_rego_term *name = new_term(c, BL_TERM_SCALAR);
	struct bl_rego_import import = { .path = path };
	size_t at = 0;

	for (size_t i = 0; i < module->import_count; i++) {
		if (!is_of_v0(&module->imports[i]))
			continue;
		at = bl_str_find(module->text, BL_STR("\n"),
				 module->imports[i].range.from);
		at = at == SIZE_MAX ? module->text.len : at + 1;
	}
	import.range = (struct bl_rego_range){ (uint32_t)at, (uint32_t)at };
	if (c->failed)
		return import;
	head->as.name = BL_STR("rego");
	name->as.value = bl_value_string(BL_STR("v1"));
	path->count = 2;
	path->as.items = bl_arena_new_array(c->arena, struct bl_rego_term *, 2);
	if (!path->as.items) {
		c->failed = true;
		return import;
	}
	path->as.items[0] = head;
	path->as.items[1] = name;
	return import;
}

static void add_import_v1(struct converter *c, struct bl_rego_module *out)
{
	struct bl_rego_import new = import_v1(c);
	size_t at = out->import_count;

	for (size_t i = 0; i < out->import_count; i++)
		if (is_rego_v1(&out->imports[i]))
			return;
	while (at > 0 && out->imports[at - 1].range.from > new.range.from) {
		out->imports[at] = out->imports[at - 1];
		at--;
	}
	out->imports[at] = new;
	out->import_count++;
}

const struct bl_rego_module *
bl_rego_change_version(struct bl_arena *arena,
		       const struct bl_rego_module *module,
		       enum bl_rego_version_change how)
{
	struct converter c = { arena, module, false };
	struct bl_rego_module *out = bl_arena_new(arena, struct bl_rego_module);

	if (!out)
		return NULL;
	*out = *module;
	out->imports = bl_arena_new_array(arena, struct bl_rego_import,
					  module->import_count + 1);
	out->rules = bl_arena_new_array(arena, struct bl_rego_rule *,
					module->rule_count + 1);
	if (!out->imports || !out->rules)
		return NULL;
	out->import_count = 0;
	for (size_t i = 0; i < module->import_count; i++)
		if (how != BL_REGO_DROP_V0_IMPORTS ||
		    !is_of_v0(&module->imports[i]))
			out->imports[out->import_count++] = module->imports[i];
	for (size_t i = 0; i < module->rule_count; i++)
		out->rules[i] = how == BL_REGO_V0_AND_V1
					? rule_as_v1(&c, module->rules[i])
					: module->rules[i];
	if (how == BL_REGO_V0_AND_V1) {
		out->v0 = false;
		add_import_v1(&c, out);
	}
	return c.failed ? NULL : out;
}
