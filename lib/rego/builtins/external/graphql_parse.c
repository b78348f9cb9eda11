/* SPDX-License-Identifier: Apache-2.0 */
/* GraphQL: what both kinds of document are made of. */
#include <stdio.h>

#include "rego/builtins/external/graphql.h"

enum value_kind {
	VALUE_VARIABLE,
	VALUE_INT,
	VALUE_FLOAT,
	VALUE_STRING,
	VALUE_BLOCK,
	VALUE_BOOLEAN,
	VALUE_NULL,
	VALUE_ENUM,
	VALUE_LIST,
	VALUE_OBJECT,
};

void bl_gql_parser_init(struct bl_gql_parser *p, struct bl_arena *arena,
			struct bl_str text)
{
	*p = (struct bl_gql_parser){
		.lexer = { .arena = arena, .text = text, .line = 1 },
	};
	p->peek = bl_gql_lex(&p->lexer);
}

/* ---- failures ----------------------------------------------------------- */

void bl_gql_fail(struct bl_gql_parser *p, const struct bl_gql_token *at,
		 const char *fmt, ...)
{
	char message[512];
	va_list args;

	if (p->error.failed)
		return;
	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	p->error = (struct bl_gql_error){
		.failed = true,
		.message = bl_arena_copy_str(p->lexer.arena, bl_str(message)),
		.line = at->line,
		.column = at->column,
	};
}

static struct bl_str token_text(struct bl_gql_parser *p,
				const struct bl_gql_token *token)
{
	struct bl_str text = bl_str(bl_gql_kind_name(token->kind));
	struct bl_buf quoted;

	if (token->kind < BL_GQL_NAME || !token->value.len)
		return text;
	bl_buf_init(&quoted, 0);
	bl_builtin_form_quote(&quoted, token->value);
	text = bl_arena_printf(p->lexer.arena, "%s %s", text.ptr, quoted.ptr);
	bl_buf_clear(&quoted);
	return text;
}

void bl_gql_unexpected(struct bl_gql_parser *p, const struct bl_gql_token *at)
{
	struct bl_str found = token_text(p, at);

	bl_gql_fail(p, at, "Unexpected %.*s", BL_STR_ARG(found));
}

/* ---- tokens ------------------------------------------------------------- */

struct bl_gql_token bl_gql_next(struct bl_gql_parser *p)
{
	p->last = p->peek;
	if (p->peek.kind == BL_GQL_INVALID)
		bl_gql_unexpected(p, &p->peek);
	else if (p->peek.kind != BL_GQL_EOF)
		p->peek = bl_gql_lex(&p->lexer);
	return p->last;
}

bool bl_gql_skip(struct bl_gql_parser *p, enum bl_gql_kind kind)
{
	if (p->error.failed || p->peek.kind != kind)
		return false;
	bl_gql_next(p);
	return true;
}

struct bl_gql_token bl_gql_expect(struct bl_gql_parser *p,
				  enum bl_gql_kind kind)
{
	if (p->peek.kind == kind)
		return bl_gql_next(p);
	bl_gql_fail(p, &p->peek, "Expected %s, found %s",
		    bl_gql_kind_name(kind), bl_gql_kind_name(p->peek.kind));
	return (struct bl_gql_token){ .kind = BL_GQL_INVALID };
}

bool bl_gql_peek_word(const struct bl_gql_parser *p, const char *word)
{
	return p->peek.kind == BL_GQL_NAME && bl_str_is(p->peek.value, word);
}

void bl_gql_expect_word(struct bl_gql_parser *p, const char *word)
{
	struct bl_str found;

	if (bl_gql_peek_word(p, word)) {
		bl_gql_next(p);
		return;
	}
	found = token_text(p, &p->peek);
	bl_gql_fail(p, &p->peek, "Expected \"%s\", found %.*s", word,
		    BL_STR_ARG(found));
}

struct bl_value bl_gql_name(struct bl_gql_parser *p)
{
	return bl_value_string(bl_gql_expect(p, BL_GQL_NAME).value);
}

bool bl_gql_enter(struct bl_gql_parser *p)
{
	if (p->depth++ < BL_GQL_MAX_DEPTH)
		return true;
	bl_gql_fail(p, &p->peek, "nested more than %d levels deep",
		    BL_GQL_MAX_DEPTH);
	return false;
}

struct bl_value bl_gql_list(struct bl_gql_parser *p, enum bl_gql_kind open,
			    enum bl_gql_kind close, bool some, bl_gql_item item)
{
	struct bl_array_builder items;

	bl_array_builder_init(&items, p->lexer.arena);
	if (!bl_gql_skip(p, open))
		return bl_value_undefined();
	while (p->peek.kind != close && !p->error.failed)
		bl_array_builder_add(&items, item(p));
	if (some && !items.count) {
		bl_gql_fail(p, &p->peek,
			    "expected at least one definition, found %s",
			    bl_gql_kind_name(p->peek.kind));
		return bl_value_undefined();
	}
	bl_gql_skip(p, close);
	return items.count ? bl_array_builder_end(&items)
			   : bl_value_undefined();
}

/* ---- nodes -------------------------------------------------------------- */

void bl_gql_node(struct bl_gql_parser *p, struct bl_object_builder *node)
{
	int64_t place = (int64_t)p->peek.line << 24 | p->peek.column;

	bl_object_builder_init(node, p->lexer.arena);
	bl_gql_add(node, "Position", bl_value_integer(place));
}

void bl_gql_add(struct bl_object_builder *node, const char *key,
		struct bl_value value)
{
	bl_object_builder_add(node, bl_str(key), value);
}

struct bl_value bl_gql_text(const char *text)
{
	return bl_value_string(bl_str(text));
}

/* ---- values ------------------------------------------------------------- */

static struct bl_value const_value(struct bl_gql_parser *p)
{
	return bl_gql_value(p, true);
}

static struct bl_value variable_value(struct bl_gql_parser *p)
{
	return bl_gql_value(p, false);
}

/* An item of a list, or (named) a field of an object. */
static struct bl_value child(struct bl_gql_parser *p, bool named,
			     bl_gql_item value)
{
	struct bl_object_builder node;

	bl_gql_node(p, &node);
	bl_gql_add(&node, "Name", named ? bl_gql_name(p) : bl_gql_text(""));
	if (named)
		bl_gql_expect(p, BL_GQL_COLON);
	bl_gql_add(&node, "Value", value(p));
	return bl_object_builder_end(&node);
}

#define CHILD(name, named, value)                                              \
	static struct bl_value name(struct bl_gql_parser *p)                   \
	{                                                                      \
		return child(p, named, value);                                 \
	}

CHILD(const_item, false, const_value)
CHILD(const_field, true, const_value)
CHILD(variable_item, false, variable_value)
CHILD(variable_field, true, variable_value)

struct bl_value bl_gql_variable(struct bl_gql_parser *p)
{
	bl_gql_expect(p, BL_GQL_DOLLAR);
	return bl_gql_name(p);
}

static enum value_kind name_kind(struct bl_str name)
{
	if (bl_str_is(name, "true") || bl_str_is(name, "false"))
		return VALUE_BOOLEAN;
	return bl_str_is(name, "null") ? VALUE_NULL : VALUE_ENUM;
}

/* A value that is one token, or *out_kind -1 when it is not one. */
static struct bl_value scalar(struct bl_gql_parser *p, int *out_kind)
{
	enum bl_gql_kind kind = p->peek.kind;

	switch (kind) {
	case BL_GQL_INT:
		*out_kind = VALUE_INT;
		break;
	case BL_GQL_FLOAT:
		*out_kind = VALUE_FLOAT;
		break;
	case BL_GQL_STRING:
		*out_kind = VALUE_STRING;
		break;
	case BL_GQL_BLOCK_STRING:
		*out_kind = VALUE_BLOCK;
		break;
	case BL_GQL_NAME:
		*out_kind = (int)name_kind(p->peek.value);
		break;
	case BL_GQL_INVALID:
	case BL_GQL_EOF:
	case BL_GQL_BANG:
	case BL_GQL_DOLLAR:
	case BL_GQL_AMP:
	case BL_GQL_PAREN_L:
	case BL_GQL_PAREN_R:
	case BL_GQL_SPREAD:
	case BL_GQL_COLON:
	case BL_GQL_EQUALS:
	case BL_GQL_AT:
	case BL_GQL_BRACKET_L:
	case BL_GQL_BRACKET_R:
	case BL_GQL_BRACE_L:
	case BL_GQL_BRACE_R:
	case BL_GQL_PIPE:
		*out_kind = -1;
		bl_gql_unexpected(p, &p->peek);
		return bl_value_undefined();
	}
	return bl_value_string(bl_gql_next(p).value);
}

struct bl_value bl_gql_value(struct bl_gql_parser *p, bool is_const)
{
	enum bl_gql_kind next = p->peek.kind;
	struct bl_value children = bl_value_undefined();
	struct bl_value raw = bl_gql_text("");
	struct bl_object_builder node;
	int kind = -1;

	if (!bl_gql_enter(p))
		return bl_value_undefined();
	bl_gql_node(p, &node);
	if (next == BL_GQL_BRACKET_L) {
		kind = VALUE_LIST;
		children = bl_gql_list(p, next, BL_GQL_BRACKET_R, false,
				       is_const ? const_item : variable_item);
	} else if (next == BL_GQL_BRACE_L) {
		kind = VALUE_OBJECT;
		children = bl_gql_list(p, next, BL_GQL_BRACE_R, false,
				       is_const ? const_field : variable_field);
	} else if (next == BL_GQL_DOLLAR && !is_const) {
		kind = VALUE_VARIABLE;
		raw = bl_gql_variable(p);
	} else {
		raw = scalar(p, &kind);
	}
	p->depth--;
	bl_gql_add(&node, "Raw", raw);
	bl_gql_add(&node, "Children", children);
	bl_gql_add(&node, "Kind", bl_value_integer(kind));
	bl_gql_add(&node, "ExpectedTypeHasDefault", bl_value_boolean(false));
	return bl_object_builder_end(&node);
}

/* ---- types, arguments, directives --------------------------------------- */

struct bl_value bl_gql_type(struct bl_gql_parser *p)
{
	struct bl_object_builder node;

	if (!bl_gql_enter(p))
		return bl_value_undefined();
	bl_gql_node(p, &node);
	if (bl_gql_skip(p, BL_GQL_BRACKET_L)) {
		bl_gql_add(&node, "NamedType", bl_gql_text(""));
		bl_gql_add(&node, "Elem", bl_gql_type(p));
		bl_gql_expect(p, BL_GQL_BRACKET_R);
	} else {
		bl_gql_add(&node, "NamedType", bl_gql_name(p));
	}
	p->depth--;
	bl_gql_add(&node, "NonNull",
		   bl_value_boolean(bl_gql_skip(p, BL_GQL_BANG)));
	return bl_object_builder_end(&node);
}

struct bl_value bl_gql_arguments(struct bl_gql_parser *p, bool is_const)
{
	return bl_gql_list(p, BL_GQL_PAREN_L, BL_GQL_PAREN_R, true,
			   is_const ? const_field : variable_field);
}

struct bl_value bl_gql_directives(struct bl_gql_parser *p, bool is_const)
{
	struct bl_array_builder list;

	bl_array_builder_init(&list, p->lexer.arena);
	while (p->peek.kind == BL_GQL_AT && !p->error.failed) {
		struct bl_object_builder node;

		bl_gql_next(p);
		bl_gql_node(p, &node);
		bl_gql_add(&node, "Name", bl_gql_name(p));
		bl_gql_add(&node, "Arguments", bl_gql_arguments(p, is_const));
		bl_gql_add(&node, "Location", bl_gql_text(""));
		bl_array_builder_add(&list, bl_object_builder_end(&node));
	}
	return list.count ? bl_array_builder_end(&list) : bl_value_undefined();
}

/* ---- trees -------------------------------------------------------------- */

static bool is_empty(struct bl_value value)
{
	return !bl_value_is_defined(value) ||
	       bl_value_is(value, BL_KIND_NULL) ||
	       (value.kind >= BL_KIND_ARRAY && !bl_value_count(value));
}

static struct bl_value prune_array(struct bl_arena *arena, struct bl_value tree)
{
	struct bl_array_builder items;

	bl_array_builder_init(&items, arena);
	for (size_t i = 0; i < bl_value_count(tree); i++) {
		struct bl_value item =
			bl_gql_prune(arena, bl_value_item(tree, i));

		if (!is_empty(item))
			bl_array_builder_add(&items, item);
	}
	return bl_array_builder_end(&items);
}

struct bl_value bl_gql_prune(struct bl_arena *arena, struct bl_value tree)
{
	struct bl_object_builder node;

	if (bl_value_is(tree, BL_KIND_ARRAY))
		return prune_array(arena, tree);
	if (!bl_value_is(tree, BL_KIND_OBJECT))
		return tree;
	bl_object_builder_init(&node, arena);
	for (size_t i = 0; i < bl_value_count(tree); i++) {
		struct bl_str key = bl_value_text(bl_object_key(tree, i));
		struct bl_value value;

		if (bl_str_is(key, "Position"))
			continue;
		value = bl_gql_prune(arena, bl_object_value(tree, i));
		if (!is_empty(value))
			bl_object_builder_add(&node, key, value);
	}
	return bl_object_builder_end(&node);
}

struct bl_value bl_gql_find(struct bl_value list, struct bl_str name)
{
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_value item = bl_value_item(list, i);

		if (bl_str_equal(bl_gql_get_text(item, "Name"), name))
			return item;
	}
	return bl_value_undefined();
}

struct bl_str bl_gql_type_name(struct bl_value type)
{
	for (size_t depth = 0; depth <= BL_GQL_MAX_DEPTH; depth++) {
		struct bl_str name = bl_gql_get_text(type, "NamedType");

		if (name.len)
			return name;
		type = bl_gql_get(type, "Elem");
	}
	return BL_STR("");
}

struct bl_str bl_gql_type_text(struct bl_arena *arena, struct bl_value type)
{
	struct bl_value inner = type;
	struct bl_buf out;
	struct bl_str text;
	bool non_null[BL_GQL_MAX_DEPTH + 1];
	size_t depth = 0;

	bl_buf_init(&out, 0);
	while (depth < BL_GQL_MAX_DEPTH &&
	       !bl_gql_get_text(inner, "NamedType").len &&
	       bl_value_is_defined(bl_gql_get(inner, "Elem"))) {
		non_null[depth++] =
			bl_value_is_true(bl_gql_get(inner, "NonNull"));
		bl_buf_put_char(&out, '[');
		inner = bl_gql_get(inner, "Elem");
	}
	bl_buf_put_str(&out, bl_gql_get_text(inner, "NamedType"));
	if (bl_value_is_true(bl_gql_get(inner, "NonNull")))
		bl_buf_put_char(&out, '!');
	while (depth--)
		bl_buf_puts(&out, non_null[depth] ? "]!" : "]");
	text = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return text;
}

bool bl_gql_fail_at(struct bl_arena *arena, struct bl_gql_error *error,
		    struct bl_value node, const char *fmt, ...)
{
	char message[1024];
	va_list args;
	int64_t place = 0;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	if (!bl_number_to_integer(bl_gql_get(node, "Position"), &place) ||
	    place < 0)
		place = 0;
	*error = (struct bl_gql_error){
		.failed = true,
		.message = bl_arena_copy_str(arena, bl_str(message)),
		.line = (uint32_t)(place >> 24),
		.column = (uint32_t)(place & 0xFFFFFF),
	};
	return false;
}

/* ---- descriptions ------------------------------------------------------------ */

bool bl_gql_at_description(const struct bl_gql_parser *p)
{
	return p->peek.kind == BL_GQL_STRING ||
	       p->peek.kind == BL_GQL_BLOCK_STRING;
}

struct bl_value bl_gql_description(struct bl_gql_parser *p)
{
	return bl_gql_at_description(p) ? bl_value_string(bl_gql_next(p).value)
					: bl_gql_text("");
}
