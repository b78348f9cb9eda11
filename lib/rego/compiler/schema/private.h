/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/compiler/schema/private.h: JSON schemas, as far as types are told by them
 * (docs/contracts/rego.md "Types", "Metadata").
 *
 *   schema_read.c    a schema as a value to nodes, with the checks that OPA makes
 *   schema_refs.c    where a "$ref" leads
 *   schema_types.c   nodes to types
 *   schema_scopes.c  annotations: which schemas are of which rules
 *
 * Nothing is fetched: a reference leads into the schema itself, by pointer or
 * by "$id".  The reason against a type is a message in OPA's words.
 */
#ifndef BELAY_REGO_COMPILER_SCHEMA_PRIVATE_H
#define BELAY_REGO_COMPILER_SCHEMA_PRIVATE_H

#include "rego/compiler/types/types.h"

enum {
	BL_SCHEMA_MAX_NESTING = 400, /* of schemas, references counted */
	BL_SCHEMA_MAX_IDS = 1000,    /* schemas with "$id" */
	BL_SCHEMA_BUCKETS = 256,
	BL_SCHEMA_MAX_NODES = 50000, /* schemas in a schema, as they are read */
	BL_SCHEMA_MAX_TYPE = 100000, /* parts of a type with all in it */
	BL_SCHEMA_MAX_MEMBERS = 900, /* of one object, array or union */
	BL_SCHEMA_MAX_PROBLEM = 4000, /* bytes of a text */
};

/* The order is that in which OPA decides for one of several. */
enum bl_schema_type {
	BL_SCHEMA_BOOLEAN,
	BL_SCHEMA_STRING,
	BL_SCHEMA_INTEGER,
	BL_SCHEMA_NUMBER,
	BL_SCHEMA_OBJECT,
	BL_SCHEMA_ARRAY,
	BL_SCHEMA_NULL,
	BL_SCHEMA_TYPE_COUNT,
};

extern const char *const bl_schema_type_names[BL_SCHEMA_TYPE_COUNT];

struct bl_schema_list {
	struct bl_schema_node **nodes;
	size_t count;
	size_t cap;
};

struct bl_schema_node {
	struct bl_str name; /* of a property */
	uint8_t types[BL_SCHEMA_TYPE_COUNT];
	uint8_t type_count;
	struct bl_schema_list properties;
	struct bl_schema_list items;
	bool is_every_item; /* of which each is the same */
	struct bl_schema_list any_of;
	struct bl_schema_list all_of;
	struct bl_schema_node *target; /* of "$ref" */

	/* of targets, while their types are made */
	struct bl_str ref;          /* as it was written, made absolute */
	const struct bl_type *type; /* NULL: not yet */
	size_t type_size;
	struct bl_type *box; /* of what has itself inside */
	bool is_open;
};

/* A "$ref" that was met, and what it leads to. */
struct bl_schema_target {
	struct bl_str ref;
	struct bl_schema_node *node;
	struct bl_schema_target *next;
};

/* A schema that says what it is called. */
struct bl_schema_id {
	struct bl_str id; /* absolute */
	struct bl_value schema;
	struct bl_schema_id *next;
};

struct bl_schema_reader {
	struct bl_arena *arena;
	struct bl_value root;
	struct bl_schema_target *targets[BL_SCHEMA_BUCKETS];
	struct bl_schema_id *ids;
	size_t id_count;
	size_t node_count;
	unsigned nesting;
	int draft;             /* 4, 6, 7 */
	struct bl_str problem; /* ptr NULL: none */
};

/* Notes why the schema is invalid, the first time; false. */
bool bl_schema_refuse(struct bl_schema_reader *reader, const char *fmt, ...)
	BL_PRINTF(2, 3);

/* The schema as nodes; NULL: problem says why, or the arena is full. */
struct bl_schema_node *bl_schema_read(struct bl_schema_reader *reader);

/* Finds what schemas are called, before any "$ref" is followed. */
bool bl_schema_note_ids(struct bl_schema_reader *reader, struct bl_value value,
			struct bl_str base);

/* A reference or an identifier as it is seen from base; ptr NULL: memory. */
struct bl_str bl_schema_absolute(struct bl_arena *arena, struct bl_str base,
				 struct bl_str ref);

/* Where an absolute reference leads; false: problem says why not. */
bool bl_schema_follow(struct bl_schema_reader *reader, struct bl_str ref,
		      struct bl_value *out_schema);

/*
 * The type of a schema, in arena; NULL: *out_problem says why
 * (empty: no memory).
 */
const struct bl_type *bl_schema_type(struct bl_arena *arena,
				     struct bl_value schema,
				     struct bl_str *out_problem);

#endif
