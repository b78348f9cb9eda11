/* SPDX-License-Identifier: Apache-2.0 */
/* cli/tables.h: the reference tables, printed from what the program uses. */
#ifndef BELAY_CLI_TABLES_H
#define BELAY_CLI_TABLES_H

#include "cli/cli.h"

/* Appends one table as Markdown.  USAGE when no table has that name. */
enum bl_status cli_put_table(struct bl_buf *out, struct bl_str name,
			     struct bl_error *err);

/* All of them, each under its heading. */
void cli_put_tables(struct bl_buf *out);

#endif
