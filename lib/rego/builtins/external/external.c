/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The builtins that need a library or are large, a table for each family that
 * this build has (-Drego_builtins).  The static program has no_external.c in the
 * place of this file.
 */
#include "rego/builtins/external/functions.h"

#define BUILTIN(n, fn, a, f, o, s, d)                                          \
	{ .name = n,                                                           \
	  .arity = a,                                                          \
	  .flags = f,                                                          \
	  .function = fn,                                                      \
	  .operands = o,                                                       \
	  .signature = s,                                                      \
	  .doc = d },
#ifdef REGO_BUILTINS_AWS
static const struct bl_builtin aws[] = {
#	include "rego/builtins/external/aws.def"
};
#endif
#ifdef REGO_BUILTINS_CRYPTO
static const struct bl_builtin crypto[] = {
#	include "rego/builtins/external/crypto.def"
};
#endif
#ifdef REGO_BUILTINS_GRAPHQL
static const struct bl_builtin graphql[] = {
#	include "rego/builtins/external/graphql.def"
};
#endif
#ifdef REGO_BUILTINS_HTTP
static const struct bl_builtin http[] = {
#	include "rego/builtins/external/http.def"
};
#endif
#ifdef REGO_BUILTINS_JSON_SCHEMA
static const struct bl_builtin json_schema[] = {
#	include "rego/builtins/external/json_schema.def"
};
#endif
#ifdef REGO_BUILTINS_JWT
static const struct bl_builtin jwt[] = {
#	include "rego/builtins/external/jwt.def"
};
#endif
#ifdef REGO_BUILTINS_PARSE_MODULE
static const struct bl_builtin parse_module[] = {
#	include "rego/builtins/external/parse_module.def"
};
#endif
#ifdef REGO_BUILTINS_TEMPLATE
static const struct bl_builtin template[] = {
#	include "rego/builtins/external/template.def"
};
#endif
#ifdef REGO_BUILTINS_X509
static const struct bl_builtin x509[] = {
#	include "rego/builtins/external/x509.def"
};
#endif
#ifdef REGO_BUILTINS_YAML
static const struct bl_builtin yaml[] = {
#	include "rego/builtins/external/yaml.def"
};
#endif
#undef BUILTIN

const struct bl_builtin_family bl_builtin_external[] = {
#ifdef REGO_BUILTINS_AWS
	{ aws, BL_COUNT(aws) },
#endif
#ifdef REGO_BUILTINS_CRYPTO
	{ crypto, BL_COUNT(crypto) },
#endif
#ifdef REGO_BUILTINS_GRAPHQL
	{ graphql, BL_COUNT(graphql) },
#endif
#ifdef REGO_BUILTINS_HTTP
	{ http, BL_COUNT(http) },
#endif
#ifdef REGO_BUILTINS_JSON_SCHEMA
	{ json_schema, BL_COUNT(json_schema) },
#endif
#ifdef REGO_BUILTINS_JWT
	{ jwt, BL_COUNT(jwt) },
#endif
#ifdef REGO_BUILTINS_PARSE_MODULE
	{ parse_module, BL_COUNT(parse_module) },
#endif
#ifdef REGO_BUILTINS_TEMPLATE
	{ template, BL_COUNT(template) },
#endif
#ifdef REGO_BUILTINS_X509
	{ x509, BL_COUNT(x509) },
#endif
#ifdef REGO_BUILTINS_YAML
	{ yaml, BL_COUNT(yaml) },
#endif
	{ NULL, 0 },
};
