/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/external/graphql_checks.h: the checks of a schema's definitions. */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_GRAPHQL_CHECKS_H
#define BELAY_REGO_BUILTINS_EXTERNAL_GRAPHQL_CHECKS_H

#include "rego/builtins/external/graphql.h"

/* The first built_in_count types are the prelude's: their names are free. */
bool bl_gql_check_definitions(const struct bl_gql_schema *schema,
			      size_t built_in_count,
			      struct bl_gql_error *error);

#endif
