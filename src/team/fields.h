/* SPDX-License-Identifier: Apache-2.0 */
/*
 * team/fields.h: the fields of the messages, one table for both forms and both
 * directions (wire.c, wire_json.c).
 */
#ifndef BELAY_TEAM_FIELDS_H
#define BELAY_TEAM_FIELDS_H

#include "team/team.h"

enum field_type {
	FIELD_BOOL,
	FIELD_INT64,
	FIELD_STRING,
	FIELD_STRINGS,  /* repeated string */
	FIELD_MESSAGES, /* repeated message */
};

struct field {
	uint32_t number;
	enum field_type type;
	const char *name;             /* "hook_step" */
	const char *json_name;        /* "hookStep" */
	size_t offset;                /* of the value, or of a list's pointer */
	size_t count_offset;          /* of a list's length */
	size_t most;                  /* items of a list */
	enum bl_team_message message; /* of MESSAGES */
};

enum { TEAM_MAX_FIELDS = 8 };

struct message {
	const char *name;
	size_t size;
	size_t align;
	size_t field_count;
	struct field fields[TEAM_MAX_FIELDS]; /* by number */
};

const struct message *team_message(enum bl_team_message message);

/* The position of the field in its message; SIZE_MAX when it is not one of them. */
size_t team_field_index(const struct message *message, uint32_t number);
size_t team_field_named(const struct message *message, struct bl_str name);

static inline void *team_field_at(void *record, const struct field *field)
{
	return (char *)record + field->offset;
}

/* A list of a message's struct: its items and their number. */
struct list {
	void *items;
	size_t count;
};

struct list team_list_get(const void *record, const struct field *field);
void team_list_set(void *record, const struct field *field, struct list list);

/* The size of an item of a list. */
size_t team_item_size(const struct field *field);

/* Is the text one that a message may hold?  SYNTAX with its field. */
enum bl_status team_check_text(struct bl_str text, const struct field *field,
			       struct bl_error *err);

#endif
