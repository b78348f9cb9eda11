/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/tree.h: syntax trees for people. */
#ifndef BELAY_CLI_REGO_TREE_H
#define BELAY_CLI_REGO_TREE_H

#include "cli/cli.h"

/*
 * Appends a tree (bl_rego_ast_json) as `opa parse` prints it: a node a line, what
 * is below it indented by one blank more.
 */
void cli_put_rego_tree(struct bl_buf *out, struct bl_value tree);

#endif
