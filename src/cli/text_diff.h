/* SPDX-License-Identifier: Apache-2.0 */
/* text_diff.h: what changed in a text, as a unified diff. */
#ifndef BELAY_CLI_TEXT_DIFF_H
#define BELAY_CLI_TEXT_DIFF_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

/*
 * Appends the difference of two texts, with three lines around each change.
 * Texts that differ in too many lines are one change.
 */
enum bl_status cli_put_diff(struct bl_arena *arena, struct bl_buf *out,
			    struct bl_str name, struct bl_str before,
			    struct bl_str after, struct bl_error *err);

#endif
