/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c: the table of rules that the packs' image carries, for listings.  It
 * stands apart from the image so that deciding an event does not need it.
 */
#include "packs/packs.h"
#include "rego/rego.h"

enum bl_status bl_packs_rules(struct bl_arena *arena,
			      struct bl_value *out_rules, struct bl_error *err)
{
	const struct bl_rego_policies *policies;
	struct bl_value extra;
	enum bl_status status = bl_rego_image_open(bl_packs_image(), arena,
						   &policies, &extra, err);

	if (!status)
		*out_rules = bl_object_find(extra, BL_STR("rules"));
	return status;
}

static struct bl_str member(struct bl_value object, const char *name)
{
	return bl_value_text(bl_object_find(object, bl_str(name)));
}

struct bl_pack_rule bl_pack_rule_of(struct bl_value rules, struct bl_str id)
{
	struct bl_value row = bl_object_find(rules, id);
	struct bl_value custom = bl_object_find(row, BL_STR("custom"));
	struct bl_value modes = bl_object_find(custom, BL_STR("modes"));
	struct bl_pack_rule rule = {
		.id = id,
		.title = member(row, "title"),
		.description = member(row, "description"),
		.severity = member(custom, "severity"),
		.instead = member(custom, "instead"),
	};

	for (size_t i = 0; i < BL_COUNT(rule.modes); i++)
		rule.modes[i] = bl_value_text(bl_value_item(modes, i));
	return rule;
}
