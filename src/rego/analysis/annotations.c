/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of rules (spec/rego.md 1.21). */
#include "rego/analysis/analysis.h"

/* The path of a rule without "data": the package and the name. */
static struct bl_value rule_path(struct bl_compiler *compiler,
				 const struct bl_rego_module *module,
				 const struct bl_rule *rule)
{
	const struct bl_rego_term *const paths[] = { module->package,
						     rule->syntax->name };
	struct bl_array_builder path;

	bl_array_builder_init(&path, compiler->arena);
	for (size_t i = 0; i < BL_COUNT(paths); i++) {
		const struct bl_rego_term *term = paths[i];
		uint32_t count = term->kind == BL_TERM_VAR ? 1 : term->count;

		for (uint32_t j = 0; j < count; j++) {
			const struct bl_rego_term *part =
				term->kind == BL_TERM_VAR ? term
							  : term->as.items[j];

			if (part->kind == BL_TERM_VAR)
				bl_array_builder_add(
					&path, bl_value_string(part->as.name));
			else if (part->kind == BL_TERM_SCALAR)
				bl_array_builder_add(&path, part->as.value);
		}
	}
	return bl_array_builder_end(&path);
}

struct bl_value bl_annotations_of(struct bl_compiler *compiler,
				  const struct bl_rego_module *module,
				  const struct bl_rule *rule, bool chain)
{
	struct bl_object_builder entry;
	struct bl_value item;

	if (!chain || !rule)
		return chain ? bl_array_make(compiler->arena, NULL, 0)
			     : bl_object_make(compiler->arena, NULL, 0, NULL);
	bl_object_builder_init(&entry, compiler->arena);
	bl_object_builder_add(&entry, BL_STR("path"),
			      rule_path(compiler, module, rule));
	item = bl_object_builder_end(&entry);
	return bl_array_make(compiler->arena, &item, 1);
}
