/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/schema/schema.h: reading a JSON Schema, with all the checks and in the
 * words of OPA's library (docs/contracts/rego.md "Types", "Metadata").
 *
 *   read.c  a schema as a value to nodes
 *   refs.c  where a "$ref" leads
 *
 * Two need it: the compiler, to which a schema tells types, and json.match_schema,
 * which checks a document by one.  Nothing is fetched: a reference leads into the
 * schema itself, by pointer or by "$id".
 */
#ifndef BELAY_REGO_SCHEMA_SCHEMA_H
#define BELAY_REGO_SCHEMA_SCHEMA_H

#include "base/base.h"
#include "value/value.h"

enum {
	BL_SCHEMA_MAX_NESTING = 400, /* of schemas, references counted */
	BL_SCHEMA_MAX_IDS = 1000,    /* schemas with "$id" */
	BL_SCHEMA_BUCKETS = 256,
	BL_SCHEMA_MAX_NODES = 50000, /* schemas in a schema, as they are read */
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

struct bl_type; /* the compiler's */

struct bl_schema_node {
	struct bl_value schema; /* that it was read from */
	struct bl_str name;     /* of a property */
	uint8_t types[BL_SCHEMA_TYPE_COUNT];
	uint8_t type_count;
	struct bl_schema_list properties;
	struct bl_schema_list items;
	bool is_every_item; /* of which each is the same */
	struct bl_schema_list any_of;
	struct bl_schema_list all_of;
	struct bl_schema_node *target; /* of "$ref" */

	/* of targets, while the compiler makes their types */
	struct bl_str ref;          /* as it was written, made absolute */
	const struct bl_type *type; /* NULL: not yet */
	size_t type_size;
	struct bl_type *box; /* of what has itself inside */
	bool is_open;
};

/* An absolute reference that was met, and what it leads to. */
struct bl_schema_target {
	struct bl_str ref;
	struct bl_schema_node *node;
	struct bl_schema_target *next;
};

/* A schema with "$ref", and what that leads to. */
struct bl_schema_ref {
	const struct bl_object *from;
	const struct bl_schema_node *to;
	struct bl_schema_ref *next;
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
	bool has_patterns; /* "pattern" must be a regular expression of RE2 */
	struct bl_schema_ref *refs[BL_SCHEMA_BUCKETS];
	struct bl_schema_target *targets[BL_SCHEMA_BUCKETS];
	struct bl_schema_id *ids;
	size_t id_count;
	size_t node_count;
	unsigned nesting;
	int draft;             /* 4, 6, 7 */
	struct bl_str problem; /* ptr NULL: none */
};

/*
 * The schema root as nodes of arena (set both; the rest is 0): NULL: problem says
 * in OPA's words why it is invalid, or the arena is full.
 */
struct bl_schema_node *bl_schema_read(struct bl_schema_reader *reader);

/*
 * The schema that the "$ref" of a schema leads to, which may have a "$ref" itself;
 * undefined without "$ref".
 */
struct bl_value bl_schema_target(const struct bl_schema_reader *reader,
				 struct bl_value schema);

/* Notes why the schema is invalid, the first time; false. */
bool bl_schema_refuse(struct bl_schema_reader *reader, const char *fmt, ...)
	BL_PRINTF(2, 3);

/* ---- between the two files ------------------------------------------------ */

/* Finds what schemas are called, before any "$ref" is followed. */
bool bl_schema_note_ids(struct bl_schema_reader *reader, struct bl_value value,
			struct bl_str base);

/* A reference or an identifier as it is seen from base; ptr NULL: memory. */
struct bl_str bl_schema_absolute(struct bl_arena *arena, struct bl_str base,
				 struct bl_str ref);

/* Where an absolute reference leads; false: problem says why not. */
bool bl_schema_follow(struct bl_schema_reader *reader, struct bl_str ref,
		      struct bl_value *out_schema);

#endif
