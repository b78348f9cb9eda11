/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of phases, of kinds of events and of the types of fields, and the check
 * of a value against such a type, all read from the tables of this module.
 */
#include "event/event.h"

static const char *const phase_names[BL_PHASE_COUNT] = {
	[BL_PHASE_BEFORE] = "before",
	[BL_PHASE_AFTER] = "after",
	[BL_PHASE_NOTICE] = "notice",
};

const char *bl_phase_name(enum bl_phase phase)
{
	return phase_names[phase];
}

struct kind_row {
	const char *name;
	const char *purpose;
	enum bl_phase phase;
};

static const struct kind_row kinds[BL_EVENT_KIND_COUNT] = {
#define KIND(name, text, phase, purpose)                                       \
	[BL_EVENT_##name] = { text, purpose, BL_PHASE_##phase },
#include "event/kinds.def"
#undef KIND
};

const char *bl_event_kind_name(enum bl_event_kind kind)
{
	return kinds[kind].name;
}

enum bl_phase bl_event_kind_phase(enum bl_event_kind kind)
{
	return kinds[kind].phase;
}

const char *bl_event_kind_purpose(enum bl_event_kind kind)
{
	return kinds[kind].purpose;
}

/* ---- field types -------------------------------------------------------- */

static const char *const type_names[BL_FIELD_TYPE_COUNT] = {
#define FIELD_TYPE(name, text) [BL_FIELD_##name] = text,
#include "event/field_types.def"
#undef FIELD_TYPE
};

const char *bl_field_type_name(enum bl_field_type type)
{
	return type_names[type];
}

static bool is_any(struct bl_value value)
{
	return bl_value_is_defined(value);
}

static bool is_string(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_STRING);
}

static bool is_string_or_null(struct bl_value value)
{
	return is_string(value) || bl_value_is(value, BL_KIND_NULL);
}

static bool is_boolean(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_BOOLEAN);
}

static bool is_number(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_NUMBER);
}

static bool is_integer(struct bl_value value)
{
	return is_number(value) && bl_number_is_integral(value);
}

static bool is_object(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_OBJECT);
}

static bool is_array(struct bl_value value)
{
	return bl_value_is(value, BL_KIND_ARRAY);
}

static bool is_strings(struct bl_value value)
{
	if (!is_array(value))
		return false;
	for (size_t i = 0; i < bl_value_count(value); i++)
		if (!is_string(bl_value_item(value, i)))
			return false;
	return true;
}

static bool is_string_map(struct bl_value value)
{
	if (!is_object(value))
		return false;
	for (size_t i = 0; i < bl_value_count(value); i++)
		if (!is_string(bl_object_key(value, i)) ||
		    !is_string(bl_object_value(value, i)))
			return false;
	return true;
}

static bool is_permission_read(struct bl_value value)
{
	struct bl_str text = bl_value_text(value);

	return bl_str_is(text, "allow") || bl_str_is(text, "deny");
}

static bool is_permission(struct bl_value value)
{
	return is_permission_read(value) ||
	       bl_str_is(bl_value_text(value), "ask");
}

typedef bool accepts_fn(struct bl_value value);

static accepts_fn *const accepts[BL_FIELD_TYPE_COUNT] = {
	[BL_FIELD_ANY] = is_any,
	[BL_FIELD_STRING] = is_string,
	[BL_FIELD_STRING_OR_NULL] = is_string_or_null,
	[BL_FIELD_BOOLEAN] = is_boolean,
	[BL_FIELD_NUMBER] = is_number,
	[BL_FIELD_INTEGER] = is_integer,
	[BL_FIELD_OBJECT] = is_object,
	[BL_FIELD_ARRAY] = is_array,
	[BL_FIELD_STRINGS] = is_strings,
	[BL_FIELD_STRING_MAP] = is_string_map,
	[BL_FIELD_PERMISSION] = is_permission,
	[BL_FIELD_PERMISSION_READ] = is_permission_read,
};

bool bl_field_type_accepts(enum bl_field_type type, struct bl_value value)
{
	return accepts[type](value);
}
