/* SPDX-License-Identifier: Apache-2.0 */
/* allowance/private.h: what the files of this module share. */
#ifndef BELAY_ALLOWANCE_PRIVATE_H
#define BELAY_ALLOWANCE_PRIVATE_H

#include "allowance/allowance.h"

enum { ALLOWANCE_VERSION = 1, ALLOWANCE_FILE_MODE = 0600 };

/* STATE/allowances. */
struct bl_str allowance_dir(struct bl_arena *arena, struct bl_str state_dir);

/* Reads one file, by its name in the folder.  As bl_allowance_find. */
enum bl_status allowance_read(struct bl_arena *arena, struct bl_str path,
			      struct bl_allowance *out, struct bl_error *err);

/* The object of a file. */
struct bl_value allowance_file_value(const struct bl_allowance *allowance,
				     struct bl_arena *arena);

#endif
