/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/runtime/private.h: policies and prepared queries from the inside, for those who
 * make them (the compiler, plans).
 */
#ifndef BELAY_REGO_RUNTIME_PRIVATE_H
#define BELAY_REGO_RUNTIME_PRIVATE_H

#include "rego/runtime/vm.h"

struct bl_rego_policies {
	struct bl_program program;
};

struct bl_rego_prepared {
	struct bl_program program;
	uint32_t function;
};

/* Starts an evaluation as options say.  NO_MEMORY. */
enum bl_status bl_rego_begin(struct bl_vm *vm, const struct bl_program *program,
			     const struct bl_rego_options *options,
			     struct bl_arena *arena, struct bl_error *err);

/* Puts down what ended it. */
void bl_rego_note_fault(const struct bl_vm *vm, struct bl_rego_result *result);

#endif
