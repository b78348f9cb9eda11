/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/names.c: the names of kinds, places, origins, details and reasons,
 * from the lists that the header's enums are made of.
 */
#include "effects/effects.h"

static const char *const kinds[] = {
#define KIND(name, text, meaning) text,
#include "effects/kinds.def"
#undef KIND
};

static const char *const places[] = {
#define PLACE(name, text, meaning) text,
#include "effects/places.def"
#undef PLACE
};

static const char *const origins[] = {
#define ORIGIN(name, text, meaning) text,
#include "effects/origins.def"
#undef ORIGIN
};

static const char *const details[] = {
#define DETAIL(name, text, meaning) text,
#include "effects/details.def"
#undef DETAIL
};

static const struct {
	const char *name;
	const char *text;
} reasons[] = {
#define REASON(name, text, meaning) { text, meaning },
#include "effects/reasons.def"
#undef REASON
};

static const char *const states[] = { "known", "pattern", "unknown" };
static const char *const runs_names[] = { "always", "maybe", "later" };
static const char *const where_names[] = { "here", "remote-host", "contained" };

const char *bl_fact_kind_name(enum bl_fact_kind kind)
{
	return kinds[kind];
}

const char *bl_fact_place_name(enum bl_fact_place place)
{
	return places[place];
}

const char *bl_fact_origin_name(enum bl_fact_origin_index origin)
{
	return origins[origin];
}

const char *bl_fact_detail_name(enum bl_fact_detail_index detail)
{
	return details[detail];
}

const char *bl_fact_reason_name(enum bl_fact_reason reason)
{
	return reasons[reason].name;
}

const char *bl_fact_reason_text(enum bl_fact_reason reason)
{
	return reasons[reason].text;
}

const char *bl_fact_state_name(enum bl_fact_state state)
{
	return states[state];
}

const char *bl_fact_runs_name(enum bl_fact_runs runs)
{
	return runs_names[runs];
}

const char *bl_fact_where_name(enum bl_fact_where where)
{
	return where_names[where];
}
