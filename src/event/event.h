/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event/event.h: the agent-neutral catalogue of events.
 *
 * The native names of an agent's events (its *steps* in hook files) are
 * the business of agents; every event has a kind here, so that everything
 * past src/agents need not know the agent.  Pure tables, no I/O.
 */
#ifndef BELAY_EVENT_EVENT_H
#define BELAY_EVENT_EVENT_H

#include "base/str.h"
#include "value/value.h"

/* When an event happens, seen from the action that it is about. */
enum bl_phase {
	BL_PHASE_BEFORE, /* the action has not happened: it can be stopped */
	BL_PHASE_AFTER,  /* it has happened: hooks observe */
	BL_PHASE_NOTICE, /* no action: session starts, loop ends, ... */
	BL_PHASE_COUNT
};

/* "before", "after", "notice". */
const char *bl_phase_name(enum bl_phase phase);

/* Kinds are listed in event/kinds.def: KIND(NAME, "name", PHASE, "purpose"). */
enum bl_event_kind {
#define KIND(name, text, phase, purpose) BL_EVENT_##name,
#include "event/kinds.def"
#undef KIND
	BL_EVENT_KIND_COUNT
};

/* "tool.before" and the like; the phase; one line of purpose. */
const char *bl_event_kind_name(enum bl_event_kind kind);
enum bl_phase bl_event_kind_phase(enum bl_event_kind kind);
const char *bl_event_kind_purpose(enum bl_event_kind kind);

/* ---- fields of payloads and answers --------------------------------------- */

/* The types of a field; "x or null" types are listed as such. */
enum bl_field_type {
#define FIELD_TYPE(name, text) BL_FIELD_##name,
#include "event/field_types.def"
#undef FIELD_TYPE
	BL_FIELD_TYPE_COUNT
};

/* "string", "boolean", "array of strings", ... */
const char *bl_field_type_name(enum bl_field_type type);

/* Is value (defined) of this type?  Arrays and objects are checked through. */
bool bl_field_type_accepts(enum bl_field_type type, struct bl_value value);

/* How a payload field comes about when the caller leaves it out. */
enum bl_field_presence {
	BL_FIELD_REQUIRED, /* the caller's; its absence is reported */
	BL_FIELD_FILLED,   /* belay fills it in (agents/agents.h) */
	BL_FIELD_OPTIONAL, /* may be absent */
};

/* One field of one payload. */
struct bl_field {
	const char *name;
	enum bl_field_type type;
	enum bl_field_presence presence;
	const char *doc; /* one line, with the unit */
};

#endif
