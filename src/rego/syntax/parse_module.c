/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: package, imports, rules; and single queries and terms. */
#include "rego/rego.h"

#include "rego/syntax/parser.h"

/* future.keywords.X: the keywords that it turns on. */
static const struct {
	const char *name;
	unsigned keywords;
} future_keywords[] = {
	{ "contains", BL_KEYWORD_CONTAINS },
	{ "every", BL_KEYWORD_EVERY | BL_KEYWORD_IN },
	{ "if", BL_KEYWORD_IF },
	{ "in", BL_KEYWORD_IN },
	{ "not", BL_KEYWORD_NOT_BODY },
	{ "and", BL_KEYWORD_AND },
	{ "or", BL_KEYWORD_OR },
};

/* Part i of a path (0 is its head) as text; ptr NULL when it is none. */
static struct bl_str path_part(const struct bl_rego_term *path, size_t i)
{
	if (path->kind == BL_TERM_VAR)
		return i == 0 ? path->as.name : (struct bl_str){ 0 };
	if (i >= path->count)
		return (struct bl_str){ 0 };
	if (i == 0)
		return path->as.items[0]->as.name;
	return bl_value_text(path->as.items[i]->as.value);
}

static size_t path_length(const struct bl_rego_term *path)
{
	return path->kind == BL_TERM_VAR ? 1 : path->count;
}

/* A name with string parts: a package or an import path. */
static struct bl_rego_term *parse_path(struct bl_rego_parser *parser)
{
	size_t first = parser->at;
	struct bl_rego_term *path;

	if (!bl_parser_is(parser, BL_TOKEN_NAME))
		return bl_parser_unexpected(parser, "ident");
	path = bl_parse_term(parser);
	if (!path)
		return NULL;
	if (path->kind == BL_TERM_VAR)
		return path;
	if (path->kind != BL_TERM_REF || path->as.items[0]->kind != BL_TERM_VAR)
		return bl_parser_fail(parser, "invalid path");
	for (uint32_t i = 1; i < path->count; i++) {
		const struct bl_rego_term *part = path->as.items[i];

		if (part->kind != BL_TERM_SCALAR ||
		    !bl_value_is(part->as.value, BL_KIND_STRING))
			return bl_parser_refuse(parser, first,
						"unexpected path element: "
						"expecting string");
	}
	return path;
}

/* What "import future..." and "import rego..." turn on. */
static bool apply_import(struct bl_rego_parser *parser, size_t first,
			 const struct bl_rego_import *import)
{
	struct bl_str head = path_part(import->path, 0);
	struct bl_str second = path_part(import->path, 1);
	struct bl_str third = path_part(import->path, 2);

	if (bl_str_is(head, "rego")) {
		if (bl_str_is(second, "v1"))
			parser->v0 = false;
		if (bl_str_is(second, "v1"))
			parser->keywords |= BL_KEYWORDS_V1;
		else if (bl_str_is(second, "v2"))
			parser->keywords |= BL_KEYWORDS_V1 | BL_KEYWORDS_V2;
		else
			return bl_parser_refuse(parser, first,
						"invalid import `rego.%.*s`, "
						"must be one of: `rego.v1`, "
						"`rego.v2`",
						BL_STR_ARG(second)),
			       false;
		return true;
	}
	if (!bl_str_is(head, "future"))
		return true;
	if (!bl_str_is(second, "keywords"))
		return bl_parser_refuse(parser, first,
					"invalid import, must be "
					"`future.keywords`"),
		       false;
	if (path_length(import->path) == 2) {
		parser->keywords |= BL_KEYWORDS_V1 | BL_KEYWORDS_V2;
		return true;
	}
	for (size_t i = 0; i < BL_COUNT(future_keywords); i++) {
		if (bl_str_is(third, future_keywords[i].name)) {
			parser->keywords |= future_keywords[i].keywords;
			return true;
		}
	}
	return bl_parser_refuse(parser, first,
				"unexpected keyword, must be one of [and "
				"contains every if in not or]"),
	       false;
}

static struct bl_rego_import *parse_import(struct bl_rego_parser *parser)
{
	static const char *const heads[] = { "data", "input", "future",
					     "rego" };
	struct bl_rego_import *import =
		bl_arena_new(parser->arena, struct bl_rego_import);
	size_t first = parser->at - 1;
	struct bl_str head;
	bool known = false;

	if (!import)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
	import->path = parse_path(parser);
	if (!import->path)
		return NULL;
	head = path_part(import->path, 0);
	for (size_t i = 0; i < BL_COUNT(heads); i++)
		known = known || bl_str_is(head, heads[i]);
	if (!known)
		return bl_parser_refuse(parser, first,
					"unexpected import path, must begin "
					"with one of: {data, future, input, "
					"rego}, got: %.*s",
					BL_STR_ARG(head));
	if (bl_parser_accept_keyword(parser, "as")) {
		if (!bl_parser_is(parser, BL_TOKEN_NAME))
			return bl_parser_unexpected(parser, "ident");
		import->alias = bl_parser_text(parser, bl_parser_token(parser));
		parser->at++;
	}
	import->range = bl_parser_range(parser, first);
	return apply_import(parser, first, import) ? import : NULL;
}

/* Statements stand on lines of their own, or behind ";". */
static bool end_statement(struct bl_rego_parser *parser)
{
	if (bl_parser_accept(parser, BL_TOKEN_SEMICOLON) ||
	    bl_parser_is(parser, BL_TOKEN_EOF) ||
	    bl_parser_token(parser)->newline_before)
		return true;
	bl_parser_unexpected(parser, NULL);
	return false;
}

static bool parse_statements(struct bl_rego_parser *parser,
			     struct bl_rego_module *module)
{
	struct bl_rego_list imports = { 0 };
	struct bl_rego_list rules = { 0 };

	module->package_from = bl_parser_token(parser)->from;
	if (!bl_parser_accept_keyword(parser, "package"))
		return bl_parser_fail(parser, "%s",
				      bl_parser_is(parser, BL_TOKEN_EOF)
					      ? "empty module"
					      : "package expected"),
		       false;
	module->package = parse_path(parser);
	if (!module->package || !end_statement(parser))
		return false;
	while (!bl_parser_is(parser, BL_TOKEN_EOF)) {
		bool ok = bl_parser_accept_keyword(parser, "import")
				  ? bl_rego_list_add(parser, &imports,
						     parse_import(parser))
				  : bl_rego_list_add(parser, &rules,
						     bl_parse_rule(parser));
		if (!ok || !end_statement(parser))
			return false;
	}
	module->imports = bl_arena_new_array(
		parser->arena, struct bl_rego_import, imports.count + 1);
	if (!module->imports)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory"),
		       false;
	for (size_t i = 0; i < imports.count; i++)
		module->imports[i] = *(struct bl_rego_import *)imports.items[i];
	module->import_count = imports.count;
	module->rules = (struct bl_rego_rule **)rules.items;
	module->rule_count = rules.count;
	return true;
}

enum bl_status bl_rego_parse(struct bl_arena *arena, struct bl_str file,
			     struct bl_str text, bool v0,
			     const struct bl_rego_module **out_module,
			     size_t *out_offset, struct bl_error *err)
{
	struct bl_rego_module *module =
		bl_arena_new(arena, struct bl_rego_module);
	struct bl_rego_tokens tokens;
	struct bl_rego_parser parser = {
		.arena = arena,
		.text = text,
		.v0 = v0,
		.keywords = v0 ? 0 : BL_KEYWORDS_V1,
	};
	enum bl_status status =
		bl_rego_lex(arena, text, 0, text.len, &tokens, out_offset, err);

	if (status)
		return status;
	parser.tokens = tokens.tokens;
	parser.memo =
		bl_arena_new_array(arena, struct bl_rego_memo, tokens.count);
	if (!module || !parser.memo)
		return bl_arena_fail(arena, err);
	module->file = file;
	module->text = text;
	module->comments = tokens.comments;
	module->comment_count = tokens.comment_count;
	if (!parse_statements(&parser, module)) {
		*out_offset = parser.fail_from;
		if (err)
			*err = parser.fail_error;
		return parser.fail_error.status;
	}
	if (v0 && !parser.v0) /* rego.v1 holds for what is above it, too */
		return bl_rego_parse(arena, file, text, false, out_module,
				     out_offset, err);
	module->v0 = parser.v0;
	*out_module = module;
	return BL_OK;
}

enum bl_status bl_rego_parse_query(struct bl_arena *arena, struct bl_str text,
				   struct bl_rego_body **out_body,
				   size_t *out_offset, struct bl_error *err)
{
	struct bl_rego_tokens tokens;
	struct bl_rego_parser parser = {
		.arena = arena,
		.text = text,
		.keywords = BL_KEYWORDS_V1,
	};
	enum bl_status status =
		bl_rego_lex(arena, text, 0, text.len, &tokens, out_offset, err);

	if (status)
		return status;
	parser.tokens = tokens.tokens;
	parser.memo =
		bl_arena_new_array(arena, struct bl_rego_memo, tokens.count);
	if (!parser.memo)
		return bl_arena_fail(arena, err);
	*out_body = bl_parse_query(&parser, BL_TOKEN_EOF);
	if (*out_body)
		return BL_OK;
	*out_offset = parser.fail_from;
	if (err)
		*err = parser.fail_error;
	return parser.fail_error.status;
}

enum bl_status bl_rego_each_statement(
	struct bl_arena *arena, struct bl_str query,
	void (*visit)(void *context, struct bl_str text, size_t offset),
	void *context, struct bl_error *err)
{
	struct bl_rego_body *body = NULL;
	size_t offset;
	enum bl_status status =
		bl_rego_parse_query(arena, query, &body, &offset, err);

	for (size_t i = 0; body && i < body->count; i++) {
		struct bl_rego_range range = body->exprs[i]->range;

		if (body->exprs[i]->kind != BL_EXPR_SOME)
			visit(context,
			      bl_str_slice(query, range.from, range.to),
			      range.from);
	}
	return status;
}
