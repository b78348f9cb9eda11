/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/external/functions.h: the functions behind the tables here. */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_FUNCTIONS_H
#define BELAY_REGO_BUILTINS_EXTERNAL_FUNCTIONS_H

#include "rego/builtins/functions.h"

#define BUILTIN(name, function, arity, flags, operands, signature, doc)        \
	bool function(struct bl_builtin_call *call);
#include "rego/builtins/external/aws.def"
#include "rego/builtins/external/crypto.def"
#include "rego/builtins/external/graphql.def"
#include "rego/builtins/external/http.def"
#include "rego/builtins/external/json_schema.def"
#include "rego/builtins/external/jwt.def"
#include "rego/builtins/external/parse_module.def"
#include "rego/builtins/external/template.def"
#include "rego/builtins/external/x509.def"
#include "rego/builtins/external/yaml.def"
#undef BUILTIN

#endif
