/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/schemas.h: JSON schemas that types are checked by. */
#ifndef BELAY_CLI_REGO_SCHEMAS_H
#define BELAY_CLI_REGO_SCHEMAS_H

#include "cli/cli.h"
#include "value/value.h"

#define CLI_SCHEMA_ROW                                                         \
	{                                                                      \
		"schema", 's', CLI_VALUE, "PATH",                              \
			"JSON schema of input, or a folder of those that "     \
			"annotations name"                                     \
	}

/*
 * Reads a file, the schema of input, or a folder: "a/b.json" below it is
 * schema.a.b.  ptr NULL: undefined.  The result is for
 * bl_rego_compile_options.
 */
enum bl_status cli_read_schemas(struct cli *cli, struct bl_str path,
				struct bl_value *out_schemas,
				struct bl_error *err);

#endif
