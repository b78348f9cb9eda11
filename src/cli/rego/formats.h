/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/formats.h: answers in the formats of `opa eval`. */
#ifndef BELAY_CLI_REGO_FORMATS_H
#define BELAY_CLI_REGO_FORMATS_H

#include "base/diag.h"
#include "cli/cli.h"

/*
 * The value with the members of all its objects in the order of their keys, as
 * opa prints them.  Undefined: memory.
 */
struct bl_value cli_rego_sorted(struct bl_arena *arena, struct bl_value value);

/* One statement of an answer: {"value", "text", "location"}. */
struct bl_value cli_rego_expression(struct bl_arena *arena, struct bl_str text,
				    struct bl_place place,
				    struct bl_value value);

struct cli_rego_shown {
	struct bl_value answer;
	struct bl_value profile; /* undefined: not asked for */
	struct bl_value metrics; /* the same */
	bool several;            /* the metrics are of several runs */
	struct bl_value errors;  /* of builtins; undefined: none to show */
};

/* Appends it to cli->out. */
struct cli_rego_form {
	const char *name;
	void (*put)(struct cli *cli, const struct cli_rego_shown *shown);
	bool has_all; /* profile, metrics and errors are printed in it, too */
};

/* The form of that name; NULL when unknown. */
const struct cli_rego_form *cli_rego_form_find(struct bl_str name);

/* The table of the form "pretty" (cli/rego/table.c). */
void cli_put_rego_table(struct cli *cli, struct bl_value answer);

#endif
