/* SPDX-License-Identifier: Apache-2.0 */
/* rego/compiler/check/private.h: what callables.c and capabilities.c share. */
#ifndef BELAY_REGO_COMPILER_CHECK_PRIVATE_H
#define BELAY_REGO_COMPILER_CHECK_PRIVATE_H

#include "rego/compiler/check/callables.h"

/* A function that is declared by somebody else than the tables. */
struct bl_declared {
	const struct bl_builtin *row;
	const struct bl_signature *signature; /* NULL: as the tables say */
};

/* Sorted by name. */
struct bl_declared_list {
	struct bl_declared *items;
	size_t count;
};

struct bl_rego_capabilities {
	struct bl_declared_list builtins;
	unsigned features;
	struct bl_str keyword; /* that nobody knows; ptr NULL: none */
	unsigned keywords;     /* that may be imported: bits of the table */
	struct bl_str *hosts;
	size_t host_count;
};

struct bl_callables {
	const struct bl_rego_capabilities *capabilities; /* NULL: all */
	struct bl_declared_list functions;
};

/* Puts it where it belongs; false: there is one of that name. */
bool bl_declared_insert(struct bl_declared_list *list, struct bl_declared one);

/*
 * A row of its own for a function, whose code may be missing.  INVALID: there
 * is one of that name.
 */
enum bl_status bl_declared_add(struct bl_arena *arena,
			       struct bl_declared_list *list,
			       const struct bl_rego_function *function,
			       const struct bl_signature *signature,
			       struct bl_error *err);

#endif
