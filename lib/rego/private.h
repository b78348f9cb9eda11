/* SPDX-License-Identifier: Apache-2.0 */
/* rego/private.h: what policies.c and document.c share. */
#ifndef BELAY_REGO_PRIVATE_H
#define BELAY_REGO_PRIVATE_H

#include "rego/vm/vm.h"

struct bl_rego_policies {
	struct bl_program program;
};

/* Starts an evaluation as options say.  NO_MEMORY. */
enum bl_status bl_rego_begin(struct bl_vm *vm, const struct bl_program *program,
			     const struct bl_rego_options *options,
			     struct bl_arena *arena, struct bl_error *err);

/* Puts down what ended it. */
void bl_rego_note_fault(const struct bl_vm *vm, struct bl_rego_result *result);

#endif
