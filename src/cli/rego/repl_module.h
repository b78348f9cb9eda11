/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/repl_module.h: the package that rego run's own rules and imports are in. */
#ifndef BELAY_CLI_REGO_REPL_MODULE_H
#define BELAY_CLI_REGO_REPL_MODULE_H

#include "cli/cli.h"
#include "rego/rego.h"

enum { REPL_MAX_PARTS = 10000 };

/* One rule or import as it was typed. */
struct repl_part {
	char *text;
	char *name; /* of the rule; NULL: an import */
};

struct repl_module {
	char *package;
	struct repl_part *parts;
	size_t count;
};

void repl_module_init(struct repl_module *module);
void repl_module_clear(struct repl_module *module);

/* The module as a text; ptr NULL: memory. */
struct bl_str repl_module_text(const struct repl_module *module,
			       struct bl_arena *arena);

enum repl_line {
	REPL_QUERY,
	REPL_CHANGED,    /* it was a rule, an import or a package */
	REPL_INCOMPLETE, /* more has to come */
	REPL_WRONG,      /* err says what is wrong */
};

/*
 * Reads what was typed: a rule or an import goes into the module; a rule with
 * ":=" or "=" takes the place of those of its name.  Appends what happened to
 * out.
 */
enum repl_line repl_module_add(struct repl_module *module,
			       struct bl_arena *arena, struct bl_str line,
			       struct bl_buf *out, struct bl_error *err);

/* Takes the newest parts away again, until count are left. */
void repl_module_shorten(struct repl_module *module, size_t count);

/* Takes all rules of a name away; false: no rule is called so. */
bool repl_module_unset(struct repl_module *module, struct bl_str name);

#endif
