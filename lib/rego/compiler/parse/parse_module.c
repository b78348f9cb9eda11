/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: package, imports, rules; and single queries and terms. */
#include "rego/compiler/compiler.h"

#include "rego/compiler/parse/parser.h"

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

/* Part i of a path (0 is its head) as text; ptr NULL when it is not one. */
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

/* The path behind "package" and "import"; a keyword is a name in it. */
static struct bl_rego_term *parse_path(struct bl_rego_parser *parser,
				       bool import)
{
	struct bl_rego_term *path;

	if (!bl_parser_is(parser, BL_TOKEN_NAME))
		return bl_parser_unexpected(parser, NULL);
	parser->plain = parser->at;
	path = bl_parse_term(parser);
	if (path && path->kind == BL_TERM_VAR)
		return path;
	if (import && (!path || path->kind != BL_TERM_REF))
		return bl_parser_fail(parser, "expected path");
	if (!path)
		return NULL;
	if (path->kind != BL_TERM_REF)
		return bl_parser_unexpected(parser, NULL);
	for (uint32_t i = 0; i < path->count; i++) {
		const struct bl_rego_term *part = path->as.items[i];
		bool is_name = i == 0 ? part->kind == BL_TERM_VAR
				      : part->kind == BL_TERM_SCALAR &&
						bl_value_is(part->as.value,
							    BL_KIND_STRING);

		if (!is_name)
			return bl_parser_fail_at(
				parser, part->range.from,
				"unexpected %s token: expecting %s",
				bl_rego_term_kind_name(part),
				i == 0 ? "var" : "string");
	}
	return path;
}

/* ---- imports ----------------------------------------------------------------
 */

static void apply_rego_import(struct bl_rego_parser *parser,
			      const struct bl_rego_import *import,
			      struct bl_rego_range alias)
{
	static const struct {
		const char *version;
		unsigned keywords;
	} versions[] = {
		{ "v1", BL_KEYWORDS_V1 },
		{ "v2", BL_KEYWORDS_V1 | BL_KEYWORDS_V2 },
	};
	struct bl_str second = path_part(import->path, 1);
	struct bl_str path = bl_str_slice(
		parser->text, import->path->range.from, import->path->range.to);

	for (size_t i = 0; i < BL_COUNT(versions); i++) {
		if (bl_rego_path_length(import->path) != 2 ||
		    !bl_str_is(second, versions[i].version))
			continue;
		if (import->alias.len) {
			bl_parser_fail_at(parser, alias.from,
					  "`rego` imports cannot be aliased");
			return;
		}
		parser->keywords |= versions[i].keywords;
		parser->is_v1 = true;
		return;
	}
	bl_parser_fail_at(parser, import->path->range.from,
			  "invalid import `%.*s`, must be one of: `rego.v1`, "
			  "`rego.v2`",
			  BL_STR_ARG(path));
}

static void apply_future_import(struct bl_rego_parser *parser,
				const struct bl_rego_import *import,
				struct bl_rego_range alias)
{
	uint32_t from = import->path->range.from;
	struct bl_str third = path_part(import->path, 2);

	if (!bl_str_is(path_part(import->path, 1), "keywords")) {
		bl_parser_fail_at(parser, from,
				  "invalid import, must be `future.keywords`");
		return;
	}
	if (import->alias.len) {
		bl_parser_fail_at(parser, alias.from,
				  "`future` imports cannot be aliased");
		return;
	}
	if (bl_rego_path_length(import->path) != 3) {
		parser->keywords |= BL_KEYWORDS_V1 | BL_KEYWORDS_V2;
		return;
	}
	for (size_t i = 0; i < BL_COUNT(future_keywords); i++) {
		if (bl_str_is(third, future_keywords[i].name)) {
			parser->keywords |= future_keywords[i].keywords;
			return;
		}
	}
	bl_parser_fail_at(parser, from,
			  "unexpected keyword, must be one of [and contains "
			  "every if in not or]");
}

/* "as" and a name. */
static bool parse_alias(struct bl_rego_parser *parser,
			struct bl_rego_import *import,
			struct bl_rego_range *out_range)
{
	size_t first = ++parser->at;
	struct bl_str name = bl_parser_text(parser, bl_parser_token(parser));
	const struct bl_rego_term *term;

	if (!bl_parser_is(parser, BL_TOKEN_NAME) ||
	    bl_rego_is_keyword(parser, name))
		return bl_parser_unexpected(parser, "expected var"), false;
	term = bl_parse_term(parser);
	if (!term || term->kind != BL_TERM_VAR)
		return bl_parser_unexpected(parser, "expected var"), false;
	*out_range = bl_parser_range(parser, first);
	if (strcmp(bl_rego_term_kind_name(term), "ref") == 0)
		return bl_parser_fail_at(parser, out_range->from,
					 "unexpected import alias, must not be "
					 "a reserved name, got: %.*s",
					 BL_STR_ARG(name)),
		       false;
	import->alias = name;
	return true;
}

/* Without an alias the last part of the path becomes a name. */
static void check_tail(struct bl_rego_parser *parser,
		       const struct bl_rego_term *path)
{
	struct bl_rego_parser plain = { .keywords = parser->v0
							    ? 0
							    : BL_KEYWORDS_V1 };
	size_t last = bl_rego_path_length(path) - 1;
	struct bl_str tail = path_part(path, last);
	uint32_t from =
		last ? path->as.items[last]->range.from : path->range.from;

	if ((last && bl_str_is(path_part(path, 0), "future")) ||
	    !bl_rego_is_keyword(&plain, tail))
		return;
	bl_parser_hint(parser, "import a different path or use an alias");
	bl_parser_fail_at(parser, from,
			  "unexpected import path, must not end with a "
			  "keyword, got: %.*s",
			  BL_STR_ARG(tail));
}

/* Behind "import", which is the token with index first. */
static struct bl_rego_import *parse_import(struct bl_rego_parser *parser,
					   size_t first)
{
	static const char *const heads[] = { "data", "input", "future",
					     "rego" };
	struct bl_rego_import *import =
		bl_arena_new(parser->arena, struct bl_rego_import);
	struct bl_rego_range alias = { 0 };
	struct bl_str head;
	bool known = false;

	if (!import)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory");
	import->path = parse_path(parser, true);
	if (!import->path)
		return NULL;
	head = path_part(import->path, 0);
	for (size_t i = 0; i < BL_COUNT(heads); i++)
		known = known || bl_str_is(head, heads[i]);
	if (!known) {
		bl_parser_hint(parser,
			       "if this is unexpected, try updating OPA");
		return bl_parser_fail_at(parser, import->path->range.from,
					 "unexpected import path, must begin "
					 "with one of: {data, future, input, "
					 "rego}, got: %.*s",
					 BL_STR_ARG(head));
	}
	if (!bl_parser_is_word(parser, "as"))
		check_tail(parser, import->path);
	else if (!parse_alias(parser, import, &alias))
		return NULL;
	import->range = bl_parser_range(parser, first);
	if (bl_parser_is(parser, BL_TOKEN_MINUS))
		return bl_parser_unexpected(parser, NULL);
	if (bl_str_is(head, "rego"))
		apply_rego_import(parser, import, alias);
	else if (bl_str_is(head, "future"))
		apply_future_import(parser, import, alias);
	return import;
}

/* ---- statements -------------------------------------------------------------
 */

struct statements {
	struct bl_rego_module *module;
	struct bl_rego_list imports;
	struct bl_rego_list rules;
	size_t count;
	struct bl_parser_fault *no_rule; /* of the statement before */
};

static bool parse_package(struct bl_rego_parser *parser, struct statements *all)
{
	uint32_t from = bl_parser_token(parser)->from;
	struct bl_rego_term *path;

	parser->at++;
	path = parse_path(parser, false);
	if (!path)
		return false;
	if (bl_parser_is(parser, BL_TOKEN_MINUS))
		return bl_parser_unexpected(parser, NULL), false;
	if (all->count)
		bl_parser_fail_late(parser, from, "unexpected package");
	else
		all->module->package = path;
	return true;
}

/* Rules: by what marks them, else by their shape. */
static bool parse_rule(struct bl_rego_parser *parser, struct statements *all)
{
	struct bl_parser_mark mark = bl_parser_mark(parser);
	struct bl_rego_rule *rule = bl_parse_rule(parser);

	if (!rule) {
		if (parser->faults || parser->status)
			return false;
		bl_parser_go(parser, mark);
		if (!bl_parse_short_rule(parser, &rule))
			return false;
	}
	return !rule || bl_rego_list_add(parser, &all->rules, rule);
}

static bool parse_statement(struct bl_rego_parser *parser,
			    struct statements *all)
{
	size_t first = parser->at;

	if (bl_parser_is(parser, BL_TOKEN_ILLEGAL) && parser->lex_text)
		return parser->faults
			       ? false
			       : bl_parser_fail(parser, "%s",
						parser->lex_text) != NULL;
	if (bl_parse_keyword_name(parser, false))
		return false;
	if (bl_parser_is_keyword(parser, "package"))
		return parse_package(parser, all);
	if (bl_parser_accept_keyword(parser, "import"))
		return bl_rego_list_add(parser, &all->imports,
					parse_import(parser, first));
	return parse_rule(parser, all);
}

/*
 * In v0 "p if {...}" is two statements of which the first is not a rule.  The one
 * with index first was parsed, late is the fault by then: its own fault, and the
 * one of what is before it on the line, get the hint that an import is missing.
 */
static void hint_keyword(struct bl_rego_parser *parser, struct statements *all,
			 size_t first, const struct bl_parser_fault *late)
{
	static const struct {
		const char *word;
		struct bl_parser_hint hint;
	} hints[] = {
		{ "if",
		  { NULL, "`import future.keywords.if` for `p if { ... "
			  "}` rules" } },
		{ "contains",
		  { NULL, "`import future.keywords.contains` for "
			  "`p contains x` rules" } },
	};
	const struct bl_rego_token *token = &parser->tokens[first];
	struct bl_parser_fault *own =
		parser->late != late ? parser->late : NULL;
	struct bl_parser_fault *before =
		token->newline_before ? NULL : all->no_rule;
	struct bl_str word = bl_parser_text(parser, token);

	all->no_rule = own;
	for (size_t i = 0; i < BL_COUNT(hints); i++) {
		if (!bl_str_is(word, hints[i].word))
			continue;
		if (own && !own->hints)
			own->hints = &hints[i].hint;
		if (before && !before->hints)
			before->hints = &hints[i].hint;
	}
}

static bool keep(struct bl_rego_parser *parser, const struct statements *all)
{
	struct bl_rego_module *module = all->module;
	size_t count = all->imports.count;

	module->imports = bl_arena_new_array(parser->arena,
					     struct bl_rego_import, count + 1);
	if (!module->imports)
		return bl_parser_stop(parser, BL_NO_MEMORY, "out of memory"),
		       false;
	for (size_t i = 0; i < count; i++)
		module->imports[i] =
			*(struct bl_rego_import *)all->imports.items[i];
	module->import_count = count;
	module->rules = (struct bl_rego_rule **)all->rules.items;
	module->rule_count = all->rules.count;
	return true;
}

/* One statement follows another, on the same line or not. */
static bool parse_statements(struct bl_rego_parser *parser,
			     struct bl_rego_module *module)
{
	struct statements all = { .module = module };

	module->package_from = bl_parser_token(parser)->from;
	for (; !bl_parser_is(parser, BL_TOKEN_EOF); all.count++) {
		const struct bl_parser_fault *late = parser->late;
		uint32_t from = bl_parser_token(parser)->from;
		size_t first = parser->at;

		if (!parse_statement(parser, &all))
			return false;
		if (parser->v0 && !parser->is_v1)
			hint_keyword(parser, &all, first, late);
		if (all.count || module->package)
			continue;
		all.rules.count = 0; /* whatever it was */
		parser->late = NULL;
		bl_parser_fail_late(parser, from, "package expected");
	}
	if (!all.count)
		bl_parser_fail(parser, "empty module");
	for (size_t i = 0; i < all.rules.count; i++)
		if (!parser->v0 || parser->is_v1)
			bl_parse_check_v1(parser, all.rules.items[i]);
	return keep(parser, &all);
}

/* ---- results ----------------------------------------------------------------
 */

/* The first fault, and the others in order to diags when there are some. */
static enum bl_status report(const struct bl_rego_parser *parser,
			     struct bl_diags *diags,
			     const struct bl_diag_source *source,
			     size_t *out_offset, struct bl_error *err)
{
	const struct bl_parser_fault *last =
		parser->faults ? parser->faults : parser->late;
	const struct bl_parser_fault **faults;
	struct bl_str first = { 0 };
	struct bl_str text;
	size_t count = 0;

	for (const struct bl_parser_fault *f = last; f; f = f->before)
		count++;
	faults = bl_arena_new_array(parser->arena,
				    const struct bl_parser_fault *, count + 1);
	if (!faults)
		return bl_arena_fail(parser->arena, err);
	for (size_t i = count; i-- > 0; last = last->before)
		faults[i] = last;
	for (size_t i = 0; i < count && (diags || i == 0); i++) {
		text = bl_parser_fault_text(parser, faults[i]);
		if (!text.ptr)
			return bl_arena_fail(parser->arena, err);
		if (i == 0)
			first = text;
		if (diags)
			bl_diags_add(diags, BL_SEVERITY_ERROR,
				     "rego_parse_error", source,
				     bl_place_at(source->text, faults[i]->from),
				     NULL, "%.*s", BL_STR_ARG(text));
	}
	*out_offset = count ? faults[0]->from : 0;
	return bl_fail(err, BL_SYNTAX, "%.*s", BL_STR_ARG(first));
}

/* OK, or what failed: to diags when there are some, and to err. */
static enum bl_status finish(const struct bl_rego_parser *parser,
			     struct bl_diags *diags,
			     const struct bl_diag_source *source,
			     size_t *out_offset, struct bl_error *err)
{
	if (!parser->status && !parser->faults && !parser->late)
		return BL_OK;
	if (!parser->status)
		return report(parser, diags, source, out_offset, err);
	*out_offset = parser->stop_from;
	if (diags && parser->status == BL_LIMIT)
		bl_diags_add(diags, BL_SEVERITY_ERROR, "rego_parse_error",
			     source, bl_place_at(source->text, *out_offset),
			     NULL, "%s", parser->stop_error.message);
	if (err)
		*err = parser->stop_error;
	return parser->status;
}

/* Lexes text; what is not a token becomes a fault where the parser meets it. */
static enum bl_status begin(struct bl_rego_parser *parser,
			    struct bl_rego_tokens *out_tokens)
{
	size_t offset = 0;
	enum bl_status status =
		bl_rego_lex(parser->arena, parser->text, 0, parser->text.len,
			    out_tokens, &offset, &parser->stop_error);

	if (status && status != BL_SYNTAX) {
		parser->status = status;
		parser->stop_from = (uint32_t)offset;
		return status;
	}
	parser->tokens = out_tokens->tokens;
	parser->lex_text = out_tokens->illegal;
	parser->plain = SIZE_MAX;
	parser->memo = bl_arena_new_array(parser->arena, struct bl_rego_memo,
					  out_tokens->count);
	return parser->memo ? BL_OK
			    : bl_arena_fail(parser->arena, &parser->stop_error);
}

static enum bl_status parse_module(struct bl_arena *arena,
				   const struct bl_rego_source *source,
				   struct bl_diags *diags,
				   const struct bl_rego_module **out_module,
				   size_t *out_offset, struct bl_error *err)
{
	const struct bl_diag_source place = { source->file, source->text };
	struct bl_rego_module *module =
		bl_arena_new(arena, struct bl_rego_module);
	struct bl_rego_tokens tokens;
	struct bl_rego_parser parser = {
		.arena = arena,
		.text = source->text,
		.v0 = source->v0,
		.keywords = source->v0 ? 0 : BL_KEYWORDS_V1,
	};
	enum bl_status status = begin(&parser, &tokens);

	if (!module)
		return bl_arena_fail(arena, err);
	if (!status) {
		module->file = source->file;
		module->text = source->text;
		module->comments = tokens.comments;
		module->comment_count = tokens.comment_count;
		parse_statements(&parser, module);
	} else {
		parser.status = status;
	}
	module->v0 = parser.v0 && !parser.is_v1;
	*out_module = module;
	return finish(&parser, diags, &place, out_offset, err);
}

enum bl_status bl_rego_parse(struct bl_arena *arena, struct bl_str file,
			     struct bl_str text, bool v0,
			     const struct bl_rego_module **out_module,
			     size_t *out_offset, struct bl_error *err)
{
	const struct bl_rego_source source = { file, text, v0 };

	return parse_module(arena, &source, NULL, out_module, out_offset, err);
}

enum bl_status bl_rego_parse_all(struct bl_arena *arena,
				 const struct bl_rego_source *source,
				 struct bl_diags *diags,
				 const struct bl_rego_module **out_module,
				 struct bl_error *err)
{
	size_t offset;

	return parse_module(arena, source, diags, out_module, &offset, err);
}

enum bl_status bl_rego_parse_query(struct bl_arena *arena, struct bl_str text,
				   struct bl_rego_body **out_body,
				   size_t *out_offset, struct bl_error *err)
{
	const struct bl_diag_source place = { BL_STR("query"), text };
	struct bl_rego_tokens tokens;
	struct bl_rego_list exprs = { 0 };
	struct bl_rego_parser parser = {
		.arena = arena,
		.text = text,
		.keywords = BL_KEYWORDS_V1,
	};
	enum bl_status status = begin(&parser, &tokens);
	struct bl_rego_body *body;

	if (status) {
		parser.status = status;
		return finish(&parser, NULL, &place, out_offset, err);
	}
	do {
		body = bl_parse_query(&parser, BL_TOKEN_EOF);
		for (size_t i = 0; body && i < body->count; i++)
			bl_rego_list_add(&parser, &exprs, body->exprs[i]);
	} while (body && !bl_parser_is(&parser, BL_TOKEN_EOF));
	body = bl_parse_new_body(&parser, &exprs);
	if (body)
		body->range = bl_parser_range(&parser, 0);
	*out_body = body;
	return finish(&parser, NULL, &place, out_offset, err);
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
