/* SPDX-License-Identifier: Apache-2.0 */
/* schemas.h: JSON Schemas of the files that people write and programs read. */
#ifndef BELAY_CLI_SCHEMAS_H
#define BELAY_CLI_SCHEMAS_H

#include "base/arena.h"
#include "value/value.h"

/* The name of schema i; NULL: there are no more. */
const char *cli_schema_name(size_t i);

/* The schema of that name, in arena; undefined: none, or memory is out. */
struct bl_value cli_schema(struct bl_arena *arena, struct bl_str name);

#endif
