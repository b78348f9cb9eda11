/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/syntax/print.h: what the printer and the formatter share: how pieces are
 * spelled, and which ways of writing a rule mean the same.
 */
#ifndef BELAY_REGO_SYNTAX_PRINT_H
#define BELAY_REGO_SYNTAX_PRINT_H

#include "base/buf.h"
#include "rego/syntax/ast.h"

/* May text stand behind a "." or be a variable? */
bool bl_rego_is_plain_name(struct bl_str text);

/* Is name a keyword in this module? */
bool bl_rego_is_reserved(const struct bl_rego_module *module,
			 struct bl_str name);

/* A piece of a template's text. */
void bl_rego_print_piece(struct bl_buf *out, struct bl_str text, bool raw);

/* A line with one import; and the rules, without what stands before them. */
void bl_rego_print_import(struct bl_buf *out,
			  const struct bl_rego_import *import);
void bl_rego_print_rules(struct bl_buf *out,
			 const struct bl_rego_module *module);

/* Before v1, "p[x]" (and "p.x") without a value is "p contains x". */
bool bl_rego_rule_is_old_set(const struct bl_rego_module *module,
			     const struct bl_rego_rule *rule);

/* A rule without a body, or with the body "true" and nothing behind it. */
bool bl_rego_rule_is_constant(const struct bl_rego_rule *rule);

/* The value is "true", which a rule with a body has anyway. */
bool bl_rego_rule_value_implied(const struct bl_rego_rule *rule);

/* An import of keywords in a module that has them from "import rego.v1". */
bool bl_rego_import_is_idle(const struct bl_rego_module *module,
			    const struct bl_rego_import *import);

#endif
