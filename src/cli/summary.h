/* SPDX-License-Identifier: Apache-2.0 */
/* cli/summary.h: replies and hooks, told to people. */
#ifndef BELAY_CLI_SUMMARY_H
#define BELAY_CLI_SUMMARY_H

#include "cli/cli.h"

/* A decided event: decision, texts, what every hook did, notices. */
void cli_put_reply(struct cli *cli, const struct bl_reply *reply);

/* One hook in a line: its source and what it runs, or else its file. */
void cli_put_hook(struct bl_buf *out, size_t indent,
		  const struct bl_hook *hook);

/* "  - notice" lines under a heading; nothing without notices. */
void cli_put_notices(struct bl_buf *out, struct bl_value notices);

#endif
