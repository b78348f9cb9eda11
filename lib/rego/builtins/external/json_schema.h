/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/builtins/external/json_schema.h: does a document conform to a JSON Schema?
 * Shared by its two files; rego/schema reads the schema.
 */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_JSON_SCHEMA_H
#define BELAY_REGO_BUILTINS_EXTERNAL_JSON_SCHEMA_H

#include "rego/builtins/external/functions.h"
#include "rego/schema/schema.h"

/* Nesting of a check, references counted; checks of one document. */
enum { BL_CONFORM_MAX_DEPTH = 300, BL_CONFORM_MAX_STEPS = 1000000 };

struct bl_conform {
	struct bl_builtin_call *call;
	struct bl_schema_reader schema; /* has read it */
	struct bl_array_builder errors;
	bool faulted; /* the call's fault is set; nothing counts any more */
	size_t steps;
	uint32_t depth;
};

static inline struct bl_value bl_conform_get(struct bl_value schema,
					     const char *key)
{
	return bl_object_find(schema, bl_str(key));
}

/* Notes an error at the place called context ("(root).a"). */
void bl_conform_error(struct bl_conform *check, struct bl_str context,
		      const char *type, const char *fmt, ...) BL_PRINTF(4, 5);

/* Sets the call's fault, once. */
void bl_conform_fault(struct bl_conform *check, const char *reason);

/* The checks of one node that do not go deeper. */
void bl_conform_common(struct bl_conform *check, struct bl_value schema,
		       struct bl_value node, struct bl_str context);
void bl_conform_number(struct bl_conform *check, struct bl_value schema,
		       struct bl_value node, struct bl_str context);
void bl_conform_string(struct bl_conform *check, struct bl_value schema,
		       struct bl_value node, struct bl_str context);

/* Does text match the pattern (anywhere)?  A bad pattern is a fault. */
bool bl_conform_matches(struct bl_conform *check, struct bl_value pattern,
			struct bl_str text);

#endif
