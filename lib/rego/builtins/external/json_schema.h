/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/external/json_schema.h: what the files of JSON Schema share. */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_JSON_SCHEMA_H
#define BELAY_REGO_BUILTINS_EXTERNAL_JSON_SCHEMA_H

#include "rego/builtins/external/functions.h"

/* Nesting of a check, references counted; checks of one document. */
enum { BL_SCHEMA_MAX_DEPTH = 300, BL_SCHEMA_MAX_STEPS = 1000000 };

struct bl_schema_check {
	struct bl_builtin_call *call;
	struct bl_value root; /* schema */
	struct bl_array_builder errors;
	bool faulted; /* the call's fault is set; nothing counts any more */
	size_t steps;
	uint32_t depth;
};

static inline struct bl_value bl_schema_get(struct bl_value schema,
					    const char *key)
{
	return bl_object_find(schema, bl_str(key));
}

/* Notes an error at the place called context ("(root).a"). */
void bl_schema_error(struct bl_schema_check *check, struct bl_str context,
		     const char *type, const char *fmt, ...) BL_PRINTF(4, 5);

/* Sets the call's fault, once. */
void bl_schema_fault(struct bl_schema_check *check, const char *reason);

/* The checks of one node that do not go deeper. */
void bl_schema_common(struct bl_schema_check *check, struct bl_value schema,
		      struct bl_value node, struct bl_str context);
void bl_schema_number(struct bl_schema_check *check, struct bl_value schema,
		      struct bl_value node, struct bl_str context);
void bl_schema_string(struct bl_schema_check *check, struct bl_value schema,
		      struct bl_value node, struct bl_str context);

/* Does text match the pattern (anywhere)?  A bad pattern is a fault. */
bool bl_schema_matches(struct bl_schema_check *check, struct bl_value pattern,
		       struct bl_str text);

/* Is the schema itself right?  False: the call's fault is set. */
bool bl_schema_compile(struct bl_builtin_call *call, struct bl_value schema);

#endif
