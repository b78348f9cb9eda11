/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graphql.* functions: operands, results and Go's errors. The language
 * itself is in the files beside it, which know nothing of calls.
 */
#include "rego/builtins/external/graphql.h"

/* "MESSAGE in GraphQL string at location ROW:COL". */
static bool fault(struct bl_builtin_call *call,
		  const struct bl_gql_error *error)
{
	if (!error->line)
		return bl_builtin_fault(call, BL_FAULT_BUILTIN, "input: %.*s",
					BL_STR_ARG(error->message));
	return bl_builtin_fault(call, BL_FAULT_BUILTIN,
				"%.*s in GraphQL string at location %u:%u",
				BL_STR_ARG(error->message), error->line,
				error->column);
}

typedef struct bl_value (*parse_function)(struct bl_arena *arena,
					  struct bl_str text,
					  struct bl_gql_error *out_error);

/* Operand i as a tree.  False: *error is set, or a fault is. */
static bool read_tree(struct bl_builtin_call *call, size_t i,
		      parse_function parse, struct bl_value *out,
		      struct bl_gql_error *error)
{
	struct bl_value operand = call->args[i];

	*error = (struct bl_gql_error){ .failed = false };
	if (bl_value_is(operand, BL_KIND_OBJECT)) {
		*out = operand;
		return true;
	}
	if (!bl_value_is(operand, BL_KIND_STRING))
		/* The numbers are OPA's, from 0. */
		return bl_builtin_fault(
			call, BL_FAULT_TYPE,
			"operand %zu must be one of {string, object} but got "
			"%s",
			i, bl_kind_name(bl_value_kind(operand)));
	*out = parse(call->arena, bl_value_text(operand), error);
	if (!error->failed && !bl_value_is_defined(*out))
		return bl_builtin_memory_fault(call);
	return !error->failed;
}

static bool return_tree(struct bl_builtin_call *call, parse_function parse)
{
	struct bl_gql_error error;
	struct bl_value tree;

	if (read_tree(call, 0, parse, &tree, &error))
		return bl_builtin_return(call, bl_gql_prune(call->arena, tree));
	return error.failed ? fault(call, &error) : false;
}

/* As the program's features have it. */
static parse_function query_parser(const struct bl_builtin_call *call)
{
	return call->state->features & BL_REGO_GRAPHQL_DESCRIPTIONS
		       ? bl_gql_parse_described_query
		       : bl_gql_parse_query;
}

bool bl_fn_graphql_parse_query(struct bl_builtin_call *call)
{
	return return_tree(call, query_parser(call));
}

bool bl_fn_graphql_parse_schema(struct bl_builtin_call *call)
{
	return return_tree(call, bl_gql_parse_schema);
}

/* Both trees, checked.  False: *error is set, or a fault is. */
static bool read_both(struct bl_builtin_call *call, struct bl_value *query,
		      struct bl_value *document, struct bl_gql_error *error)
{
	struct bl_gql_schema schema;

	return read_tree(call, 0, query_parser(call), query, error) &&
	       read_tree(call, 1, bl_gql_parse_schema, document, error) &&
	       bl_gql_schema_make(call->arena, *document, &schema, error) &&
	       bl_gql_validate(&schema, *query, error);
}

bool bl_fn_graphql_parse(struct bl_builtin_call *call)
{
	struct bl_gql_error error;
	struct bl_value trees[2];

	if (!read_both(call, &trees[0], &trees[1], &error))
		return error.failed ? fault(call, &error) : false;
	trees[0] = bl_gql_prune(call->arena, trees[0]);
	trees[1] = bl_gql_prune(call->arena, trees[1]);
	return bl_builtin_return(call, bl_array_make(call->arena, trees, 2));
}

bool bl_fn_graphql_parse_and_verify(struct bl_builtin_call *call)
{
	struct bl_gql_error error;
	struct bl_value parts[3];
	bool valid = read_both(call, &parts[1], &parts[2], &error);

	if (!valid && !error.failed)
		return false;
	parts[0] = bl_value_boolean(valid);
	for (size_t i = 1; i < 3; i++)
		parts[i] = valid ? bl_gql_prune(call->arena, parts[i])
				 : bl_object_make(call->arena, NULL, 0, NULL);
	return bl_builtin_return(call, bl_array_make(call->arena, parts, 3));
}

bool bl_fn_graphql_is_valid(struct bl_builtin_call *call)
{
	struct bl_gql_error error;
	struct bl_value query;
	struct bl_value document;
	bool valid = read_both(call, &query, &document, &error);

	if (!valid && !error.failed)
		return false;
	return bl_builtin_return_boolean(call, valid);
}

bool bl_fn_graphql_schema_is_valid(struct bl_builtin_call *call)
{
	struct bl_gql_schema schema;
	struct bl_gql_error error;
	struct bl_value document;
	bool valid =
		read_tree(call, 0, bl_gql_parse_schema, &document, &error) &&
		bl_gql_schema_make(call->arena, document, &schema, &error);

	if (!valid && !error.failed)
		return false;
	return bl_builtin_return_boolean(call, valid);
}
