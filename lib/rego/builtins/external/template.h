/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/external/template.h: what the files of templates share. */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_TEMPLATE_H
#define BELAY_REGO_BUILTINS_EXTERNAL_TEMPLATE_H

#include "rego/builtins/external/functions.h"

enum {
	BL_TEMPLATE_MAX_DEPTH = 100,
	BL_TEMPLATE_MAX_STEPS = 1000000,
	BL_TEMPLATE_MAX_VARIABLES = 256,
	BL_TEMPLATE_MAX_ARGUMENTS = 64,
	BL_TEMPLATE_MAX_BYTES = 64 << 20,
};

struct bl_template {
	struct bl_builtin_call *call;
	struct bl_str text;
	struct bl_buf out;
	struct bl_member variables[BL_TEMPLATE_MAX_VARIABLES];
	size_t variable_count;
	size_t steps;
	uint32_t depth;
};

/* Always false: a fault with "template: " in front. */
bool bl_template_fail(struct bl_template *t, const char *fmt, ...)
	BL_PRINTF(2, 3);

bool bl_template_enter(struct bl_template *t);

/* One more variable ("$x"). */
bool bl_template_declare(struct bl_template *t, struct bl_str name,
			 struct bl_value value);

/*
 * The value of a pipeline; *out_declares: it was only for a variable.  An
 * undefined value is a key that is missing.
 */
bool bl_template_pipeline(struct bl_template *t, struct bl_str text,
			  struct bl_value dot, struct bl_value *out,
			  bool *out_declares);

/* A function by its name; false: a fault, also for an unknown name. */
bool bl_template_apply(struct bl_template *t, struct bl_str name,
		       const struct bl_value *args, size_t count,
		       struct bl_value *out);

/* Not false, 0, nil, or empty. */
bool bl_template_truth(struct bl_value value);

/* Appends value as Go prints it. */
void bl_template_print(struct bl_buf *out, struct bl_value value);

#endif
