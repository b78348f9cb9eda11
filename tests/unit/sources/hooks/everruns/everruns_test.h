/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers that the tests of everruns share. */
#ifndef BELAY_TESTS_EVERRUNS_H
#define BELAY_TESTS_EVERRUNS_H

#include "sources/hooks/everruns/everruns.h"
#include "json/json.h"
#include "tap.h"

static struct bl_arena arena;

static inline const struct bl_everruns_rules *rules(const char *name)
{
	return bl_everruns_rules_find(bl_str(name));
}

static inline struct bl_value json(const char *text)
{
	struct bl_value value = bl_value_undefined();

	CHECK_STATUS(bl_json_read(&arena, bl_str(text), NULL, &value, NULL,
				  NULL, NULL),
		     BL_OK);
	return value;
}

/* Adds a configuration, which may be broken. */
static inline void add(struct bl_everruns_set *set, const char *text)
{
	struct bl_everruns_source source = {
		.text = { BL_STR("hooks.json"), bl_str(text) },
	};

	CHECK_STATUS(bl_everruns_set_add(set, &source, NULL, NULL), BL_OK);
}

#endif
