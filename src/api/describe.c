/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptions that need no file: profiles with their hook events, and the
 * sample set-up.  Two kinds of profile have two tables; this file is where they
 * look alike.
 */
#include "api/private.h"
#include "sources/hooks/everruns/everruns.h"
#include "setup/setup.h"

#define ADD(object, name, value)                                               \
	bl_object_builder_add(object, BL_STR(name), value)

static struct bl_value word(const char *text)
{
	return bl_value_string(bl_str(text));
}

/* ---- events --------------------------------------------------------------- */

static struct bl_value event_value(struct bl_arena *arena, const char *name,
				   const char *kind, bool can_refuse,
				   bool can_ask)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	ADD(&object, "name", word(name));
	if (kind)
		ADD(&object, "kind", word(kind));
	ADD(&object, "can_refuse", bl_value_boolean(can_refuse));
	ADD(&object, "can_ask", bl_value_boolean(can_ask));
	return bl_object_builder_end(&object);
}

static struct bl_value events_of_profile(const struct bl_profile *profile,
					 struct bl_arena *arena)
{
	const struct bl_contract *contract = bl_contract_get(profile->dialect);
	struct bl_array_builder events;

	bl_array_builder_init(&events, arena);
	for (size_t i = 0; i < contract->event_count; i++) {
		const struct bl_hook_event *event = &contract->events[i];

		bl_array_builder_add(
			&events, event_value(arena, event->name,
					     bl_event_kind_name(event->kind),
					     event->class != BL_CLASS_OBSERVE,
					     event->can_ask));
	}
	return bl_array_builder_end(&events);
}

static struct bl_value events_of_everruns(struct bl_arena *arena)
{
	struct bl_array_builder events;

	bl_array_builder_init(&events, arena);
	for (enum bl_everruns_event i = 0; i < BL_EVERRUNS_EVENT_COUNT; i++)
		bl_array_builder_add(
			&events,
			event_value(arena, bl_everruns_event_name(i), NULL,
				    bl_everruns_event_can_block(i), false));
	return bl_array_builder_end(&events);
}

static struct bl_value profile_value(struct bl_arena *arena, const char *name,
				     const char *summary,
				     struct bl_value events)
{
	struct bl_object_builder object;

	bl_object_builder_init(&object, arena);
	ADD(&object, "name", word(name));
	ADD(&object, "summary", word(summary));
	ADD(&object, "events", events);
	return bl_object_builder_end(&object);
}

/* ---- the functions ---------------------------------------------------------- */

const char *belay_profile_name(size_t i)
{
	size_t own = 0;

	while (bl_profile_at(own))
		own++;
	if (i < own)
		return bl_profile_at(i)->name;
	return bl_everruns_rules_at(i - own)
		       ? bl_everruns_rules_at(i - own)->name
		       : NULL;
}

belay_status belay_profile_json(const char *profile, belay_text **out_text,
				belay_error *error)
{
	const struct bl_profile *own =
		profile ? bl_profile_find(bl_str(profile)) : bl_profile_at(0);
	struct bl_arena arena;
	struct bl_value value;
	belay_status status;

	if (!out_text)
		return bl_api_fail_null(error, "out_text");
	if (!own)
		return bl_api_fail_profile(error, profile);
	bl_arena_init(&arena, NULL, 0, 0);
	value = profile_value(&arena, own->name, own->summary,
			      own->everruns ? events_of_everruns(&arena)
					    : events_of_profile(own, &arena));
	status = bl_api_text(value, out_text, error);
	bl_arena_clear(&arena);
	return status;
}

belay_status belay_sample_json(int32_t is_project, belay_text **out_text,
			       belay_error *error)
{
	const struct bl_setup_sample *sample;
	struct bl_array_builder files;
	struct bl_arena arena;
	belay_status status;

	if (!out_text)
		return bl_api_fail_null(error, "out_text");
	bl_arena_init(&arena, NULL, 0, 0);
	bl_array_builder_init(&files, &arena);
	for (size_t i = 0; (sample = bl_setup_sample(is_project, i)); i++) {
		struct bl_object_builder object;

		bl_object_builder_init(&object, &arena);
		ADD(&object, "path", word(sample->path));
		ADD(&object, "mode", bl_value_integer(sample->mode));
		ADD(&object, "text", word(sample->text));
		bl_array_builder_add(&files, bl_object_builder_end(&object));
	}
	status = bl_api_text(bl_array_builder_end(&files), out_text, error);
	bl_arena_clear(&arena);
	return status;
}
