/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego/builtins/external/graphql.h: GraphQL, as gqlparser v2 reads and checks it.
 *
 * A syntax tree is a value as the builtins give it (docs/contracts/rego.md
 * "GraphQL"), with one member more: "Position", a number (line << 24 | column),
 * which bl_gql_prune removes.  So trees that come from policies need no
 * conversion.
 */
#ifndef BELAY_REGO_BUILTINS_EXTERNAL_GRAPHQL_H
#define BELAY_REGO_BUILTINS_EXTERNAL_GRAPHQL_H

#include "rego/builtins/external/functions.h"

/* Nesting of selections, values and types; fields of a query, expanded. */
enum { BL_GQL_MAX_DEPTH = 200, BL_GQL_MAX_STEPS = 1000000 };

/* The first error. */
struct bl_gql_error {
	bool failed;
	struct bl_str message; /* without a final "." */
	uint32_t line;         /* 0: not known */
	uint32_t column;
};

/* ---- the lexer ---------------------------------------------------------- */

enum bl_gql_kind {
	BL_GQL_INVALID,
	BL_GQL_EOF,
	BL_GQL_BANG,
	BL_GQL_DOLLAR,
	BL_GQL_AMP,
	BL_GQL_PAREN_L,
	BL_GQL_PAREN_R,
	BL_GQL_SPREAD,
	BL_GQL_COLON,
	BL_GQL_EQUALS,
	BL_GQL_AT,
	BL_GQL_BRACKET_L,
	BL_GQL_BRACKET_R,
	BL_GQL_BRACE_L,
	BL_GQL_BRACE_R,
	BL_GQL_PIPE,
	BL_GQL_NAME, /* this one and what follows have a value */
	BL_GQL_INT,
	BL_GQL_FLOAT,
	BL_GQL_STRING,
	BL_GQL_BLOCK_STRING,
};

struct bl_gql_token {
	enum bl_gql_kind kind;
	struct bl_str value;
	uint32_t line;
	uint32_t column;
};

struct bl_gql_lexer {
	struct bl_arena *arena;
	struct bl_str text;
	size_t at;
	size_t line_start;
	uint32_t line;
};

const char *bl_gql_kind_name(enum bl_gql_kind kind);
struct bl_gql_token bl_gql_lex(struct bl_gql_lexer *lexer);

/* ---- the parser --------------------------------------------------------- */

struct bl_gql_parser {
	struct bl_gql_lexer lexer;
	struct bl_gql_token peek;
	struct bl_gql_token last;
	struct bl_gql_error error;
	uint32_t depth;
	bool describes; /* nodes of queries have descriptions */
};

void bl_gql_parser_init(struct bl_gql_parser *p, struct bl_arena *arena,
			struct bl_str text);

/* The first failure counts. */
void bl_gql_fail(struct bl_gql_parser *p, const struct bl_gql_token *at,
		 const char *fmt, ...) BL_PRINTF(3, 4);
void bl_gql_unexpected(struct bl_gql_parser *p, const struct bl_gql_token *at);

struct bl_gql_token bl_gql_next(struct bl_gql_parser *p);
bool bl_gql_skip(struct bl_gql_parser *p, enum bl_gql_kind kind);
struct bl_gql_token bl_gql_expect(struct bl_gql_parser *p,
				  enum bl_gql_kind kind);
void bl_gql_expect_word(struct bl_gql_parser *p, const char *word);
bool bl_gql_peek_word(const struct bl_gql_parser *p, const char *word);
struct bl_value bl_gql_name(struct bl_gql_parser *p);

/* Deeper by one; false (and failed) at the limit. */
bool bl_gql_enter(struct bl_gql_parser *p);

typedef struct bl_value (*bl_gql_item)(struct bl_gql_parser *p);

/*
 * The items between open and close, when open is there, else
 * undefined.  some: at least one is needed.
 */
struct bl_value bl_gql_list(struct bl_gql_parser *p, enum bl_gql_kind open,
			    enum bl_gql_kind close, bool some,
			    bl_gql_item item);

struct bl_value bl_gql_value(struct bl_gql_parser *p, bool is_const);
struct bl_value bl_gql_type(struct bl_gql_parser *p);
struct bl_value bl_gql_arguments(struct bl_gql_parser *p, bool is_const);
struct bl_value bl_gql_directives(struct bl_gql_parser *p, bool is_const);
struct bl_value bl_gql_variable(struct bl_gql_parser *p);

/* A node under construction; starts with its position at the next token. */
void bl_gql_node(struct bl_gql_parser *p, struct bl_object_builder *node);
void bl_gql_add(struct bl_object_builder *node, const char *key,
		struct bl_value value);
struct bl_value bl_gql_text(const char *text);

/* The two kinds of document; failures are in *out_error. */
struct bl_value bl_gql_parse_query(struct bl_arena *arena, struct bl_str text,
				   struct bl_gql_error *out_error);
/* As above with the descriptions of operations, fragments and variables. */
struct bl_value bl_gql_parse_described_query(struct bl_arena *arena,
					     struct bl_str text,
					     struct bl_gql_error *out_error);
struct bl_value bl_gql_parse_schema(struct bl_arena *arena, struct bl_str text,
				    struct bl_gql_error *out_error);

/* Is a description next?  It, or "". */
bool bl_gql_at_description(const struct bl_gql_parser *p);
struct bl_value bl_gql_description(struct bl_gql_parser *p);

/* Without positions, null, and empty arrays and objects. */
struct bl_value bl_gql_prune(struct bl_arena *arena, struct bl_value tree);

/* ---- reading trees ------------------------------------------------------ */

static inline struct bl_value bl_gql_get(struct bl_value node, const char *key)
{
	return bl_object_find(node, bl_str(key));
}

static inline struct bl_str bl_gql_get_text(struct bl_value node,
					    const char *key)
{
	return bl_value_text(bl_gql_get(node, key));
}

/* The item of a list whose "Name" is name; undefined when absent. */
struct bl_value bl_gql_find(struct bl_value list, struct bl_str name);

/* The name of a type without its brackets. */
struct bl_str bl_gql_type_name(struct bl_value type);

/* A type as GraphQL writes it. */
struct bl_str bl_gql_type_text(struct bl_arena *arena, struct bl_value type);

/* Sets the failure, at the node's position.  Always false. */
bool bl_gql_fail_at(struct bl_arena *arena, struct bl_gql_error *error,
		    struct bl_value node, const char *fmt, ...) BL_PRINTF(4, 5);

/* ---- schemas ------------------------------------------------------------ */

struct bl_gql_schema {
	struct bl_arena *arena;
	struct bl_value types;      /* object: name to definition */
	struct bl_value directives; /* the same */
	struct bl_value query;      /* root definitions or undefined */
	struct bl_value mutation;
	struct bl_value subscription;
};

/* Checks a schema document together with the prelude. */
bool bl_gql_schema_make(struct bl_arena *arena, struct bl_value document,
			struct bl_gql_schema *out, struct bl_gql_error *error);

static inline struct bl_value
bl_gql_schema_type(const struct bl_gql_schema *schema, struct bl_str name)
{
	return bl_object_find(schema->types, name);
}

/* May an object of type name be where def (any composite type) is? */
bool bl_gql_is_possible(struct bl_value def, struct bl_value object);

bool bl_gql_is_kind(struct bl_value def, const char *kind);
bool bl_gql_is_input_type(struct bl_value def);
bool bl_gql_is_composite(struct bl_value def);

/* ---- queries ------------------------------------------------------------ */

/* Checks a query document by all rules. */
bool bl_gql_validate(const struct bl_gql_schema *schema,
		     struct bl_value document, struct bl_gql_error *error);

/* Fields of a selection set that cannot be merged. */
bool bl_gql_check_overlap(const struct bl_gql_schema *schema,
			  struct bl_value document, struct bl_value selections,
			  struct bl_value parent, size_t *steps,
			  struct bl_gql_error *error);

/* Is value, given for a place of type, right?  No error: undefined places. */
bool bl_gql_check_value(const struct bl_gql_schema *schema,
			struct bl_value value, struct bl_value type,
			struct bl_value def, struct bl_gql_error *error);

/* " Did you mean ...?" of the options close to input, or "". */
struct bl_str bl_gql_suggest(struct bl_arena *arena, struct bl_str input,
			     const struct bl_str *options, size_t count);

#endif
