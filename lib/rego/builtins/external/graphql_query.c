/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GraphQL: executable documents, that is operations and fragments. Type systems
 * have a grammar of their own (graphql_schema_parse.c).
 */
#include "rego/builtins/external/graphql.h"

static struct bl_value selection(struct bl_gql_parser *p);

static struct bl_value selection_set(struct bl_gql_parser *p)
{
	struct bl_value set;

	if (p->peek.kind != BL_GQL_BRACE_L) {
		bl_gql_expect(p, BL_GQL_BRACE_L);
		return bl_value_undefined();
	}
	if (!bl_gql_enter(p))
		return bl_value_undefined();
	set = bl_gql_list(p, BL_GQL_BRACE_L, BL_GQL_BRACE_R, true, selection);
	p->depth--;
	return set;
}

/* The text before a node, where nodes have such. */
static struct bl_value description(struct bl_gql_parser *p)
{
	return p->describes ? bl_gql_description(p) : bl_value_undefined();
}

static void add_description(const struct bl_gql_parser *p,
			    struct bl_object_builder *node,
			    struct bl_value text)
{
	if (p->describes)
		bl_gql_add(node, "Description", text);
}

static struct bl_value variable_definition(struct bl_gql_parser *p)
{
	struct bl_value text = description(p);
	struct bl_object_builder node;

	bl_gql_node(p, &node);
	add_description(p, &node, text);
	bl_gql_add(&node, "Variable", bl_gql_variable(p));
	bl_gql_expect(p, BL_GQL_COLON);
	bl_gql_add(&node, "Type", bl_gql_type(p));
	if (bl_gql_skip(p, BL_GQL_EQUALS))
		bl_gql_add(&node, "DefaultValue", bl_gql_value(p, true));
	bl_gql_add(&node, "Directives", bl_gql_directives(p, false));
	bl_gql_add(&node, "Used", bl_value_boolean(false));
	return bl_object_builder_end(&node);
}

static struct bl_value variable_definitions(struct bl_gql_parser *p)
{
	return bl_gql_list(p, BL_GQL_PAREN_L, BL_GQL_PAREN_R, true,
			   variable_definition);
}

static struct bl_value field(struct bl_gql_parser *p)
{
	struct bl_object_builder node;
	struct bl_value alias;
	struct bl_value name;

	bl_gql_node(p, &node);
	alias = name = bl_gql_name(p);
	if (bl_gql_skip(p, BL_GQL_COLON))
		name = bl_gql_name(p);
	bl_gql_add(&node, "Alias", alias);
	bl_gql_add(&node, "Name", name);
	bl_gql_add(&node, "Arguments", bl_gql_arguments(p, false));
	bl_gql_add(&node, "Directives", bl_gql_directives(p, false));
	if (p->peek.kind == BL_GQL_BRACE_L)
		bl_gql_add(&node, "SelectionSet", selection_set(p));
	return bl_object_builder_end(&node);
}

/* "...NAME" or "... on TYPE { }". */
static struct bl_value spread(struct bl_gql_parser *p)
{
	struct bl_object_builder node;

	bl_gql_expect(p, BL_GQL_SPREAD);
	bl_gql_node(p, &node);
	if (p->peek.kind == BL_GQL_NAME && !bl_gql_peek_word(p, "on")) {
		bl_gql_add(&node, "Name", bl_gql_name(p));
		bl_gql_add(&node, "Directives", bl_gql_directives(p, false));
		return bl_object_builder_end(&node);
	}
	if (bl_gql_peek_word(p, "on")) {
		bl_gql_next(p);
		bl_gql_add(&node, "TypeCondition", bl_gql_name(p));
	} else {
		bl_gql_add(&node, "TypeCondition", bl_gql_text(""));
	}
	bl_gql_add(&node, "Directives", bl_gql_directives(p, false));
	bl_gql_add(&node, "SelectionSet", selection_set(p));
	return bl_object_builder_end(&node);
}

static struct bl_value selection(struct bl_gql_parser *p)
{
	return p->peek.kind == BL_GQL_SPREAD ? spread(p) : field(p);
}

static struct bl_value operation(struct bl_gql_parser *p, struct bl_value text)
{
	bool is_short = p->peek.kind == BL_GQL_BRACE_L;
	struct bl_object_builder node;

	bl_gql_node(p, &node);
	add_description(p, &node, text);
	bl_gql_add(&node, "Operation",
		   is_short ? bl_gql_text("query") : bl_gql_name(p));
	bl_gql_add(&node, "Name",
		   !is_short && p->peek.kind == BL_GQL_NAME ? bl_gql_name(p)
							    : bl_gql_text(""));
	if (!is_short) {
		bl_gql_add(&node, "VariableDefinitions",
			   variable_definitions(p));
		bl_gql_add(&node, "Directives", bl_gql_directives(p, false));
	}
	bl_gql_add(&node, "SelectionSet", selection_set(p));
	return bl_object_builder_end(&node);
}

static struct bl_value fragment(struct bl_gql_parser *p, struct bl_value text)
{
	struct bl_object_builder node;

	bl_gql_node(p, &node);
	add_description(p, &node, text);
	bl_gql_expect_word(p, "fragment");
	if (bl_gql_peek_word(p, "on"))
		bl_gql_unexpected(p, &p->peek);
	bl_gql_add(&node, "Name", bl_gql_name(p));
	bl_gql_add(&node, "VariableDefinition", variable_definitions(p));
	bl_gql_expect_word(p, "on");
	bl_gql_add(&node, "TypeCondition", bl_gql_name(p));
	bl_gql_add(&node, "Directives", bl_gql_directives(p, false));
	bl_gql_add(&node, "SelectionSet", selection_set(p));
	return bl_object_builder_end(&node);
}

static bool starts_operation(const struct bl_gql_parser *p)
{
	return p->peek.kind == BL_GQL_BRACE_L || bl_gql_peek_word(p, "query") ||
	       bl_gql_peek_word(p, "mutation") ||
	       bl_gql_peek_word(p, "subscription");
}

static struct bl_value parse(struct bl_arena *arena, struct bl_str text,
			     bool describes, struct bl_gql_error *out_error)
{
	struct bl_array_builder operations;
	struct bl_array_builder fragments;
	struct bl_object_builder node;
	struct bl_gql_parser p;

	bl_gql_parser_init(&p, arena, text);
	p.describes = describes;
	bl_array_builder_init(&operations, arena);
	bl_array_builder_init(&fragments, arena);
	bl_object_builder_init(&node, arena);
	while (p.peek.kind != BL_GQL_EOF && !p.error.failed) {
		bool described = describes && bl_gql_at_description(&p);
		struct bl_value told = description(&p);

		/* "{" alone takes none. */
		if (described && p.peek.kind == BL_GQL_BRACE_L)
			bl_gql_unexpected(&p, &p.last);
		else if (starts_operation(&p))
			bl_array_builder_add(&operations, operation(&p, told));
		else if (bl_gql_peek_word(&p, "fragment"))
			bl_array_builder_add(&fragments, fragment(&p, told));
		else
			bl_gql_unexpected(&p, &p.peek);
	}
	*out_error = p.error;
	if (p.error.failed)
		return bl_value_undefined();
	bl_gql_add(&node, "Operations", bl_array_builder_end(&operations));
	bl_gql_add(&node, "Fragments", bl_array_builder_end(&fragments));
	return bl_object_builder_end(&node);
}

struct bl_value bl_gql_parse_query(struct bl_arena *arena, struct bl_str text,
				   struct bl_gql_error *out_error)
{
	return parse(arena, text, false, out_error);
}

struct bl_value bl_gql_parse_described_query(struct bl_arena *arena,
					     struct bl_str text,
					     struct bl_gql_error *out_error)
{
	return parse(arena, text, true, out_error);
}
