/* SPDX-License-Identifier: Apache-2.0 */
/* Text to tokens, all at once: the parser goes back by setting an index. */
#include "rego/compiler/parse/lexer.h"

#include "base/ascii.h"
#include "base/utf8.h"

enum { TEMPLATE_MAX_DEPTH = 64 };

static const char *const token_names[] = {
#define TOKEN(name, text) [BL_TOKEN_##name] = text,
#include "rego/compiler/parse/tokens.def"
#undef TOKEN
};

/* Operators, longest first for each first byte. */
static const struct {
	char text[3];
	uint8_t len;
	uint8_t kind;
} operators[] = {
	{ ":=", 2, BL_TOKEN_ASSIGN },
	{ "==", 2, BL_TOKEN_EQUAL },
	{ "!=", 2, BL_TOKEN_NOT_EQUAL },
	{ "<=", 2, BL_TOKEN_LESS_EQUAL },
	{ ">=", 2, BL_TOKEN_GREATER_EQUAL },
	{ "[", 1, BL_TOKEN_LBRACKET },
	{ "]", 1, BL_TOKEN_RBRACKET },
	{ "(", 1, BL_TOKEN_LPAREN },
	{ ")", 1, BL_TOKEN_RPAREN },
	{ "{", 1, BL_TOKEN_LBRACE },
	{ "}", 1, BL_TOKEN_RBRACE },
	{ ",", 1, BL_TOKEN_COMMA },
	{ ":", 1, BL_TOKEN_COLON },
	{ ";", 1, BL_TOKEN_SEMICOLON },
	{ ".", 1, BL_TOKEN_DOT },
	{ "=", 1, BL_TOKEN_UNIFY },
	{ "<", 1, BL_TOKEN_LESS },
	{ ">", 1, BL_TOKEN_GREATER },
	{ "+", 1, BL_TOKEN_PLUS },
	{ "-", 1, BL_TOKEN_MINUS },
	{ "*", 1, BL_TOKEN_TIMES },
	{ "/", 1, BL_TOKEN_DIVIDE },
	{ "%", 1, BL_TOKEN_MODULO },
	{ "&", 1, BL_TOKEN_AND },
	{ "|", 1, BL_TOKEN_OR },
};

struct lexer {
	struct bl_arena *arena;
	struct bl_str text; /* up to the end of what is lexed */
	size_t at;
	unsigned template_depth;
	bool open_hole;             /* the text ended in one */
	struct bl_rego_tokens *out; /* NULL: only skip */
	size_t token_cap;
	size_t comment_cap;
	bool space;
	bool newline;
	size_t fail_offset;
	const char *fail_text;
	struct bl_error *err;
};

const char *bl_rego_token_name(enum bl_rego_token_kind kind)
{
	return token_names[kind];
}

/* Nothing more is to be said of it. */
static const char unknown_token[] = "illegal token";

static enum bl_status fail(struct lexer *lexer, size_t offset,
			   const char *message)
{
	lexer->fail_offset = offset;
	lexer->fail_text = message;
	return bl_fail(lexer->err, BL_SYNTAX, "%s", message);
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(const struct lexer *lexer, size_t ahead)
{
	size_t at = lexer->at + ahead;

	return at < lexer->text.len ? lexer->text.ptr[at] : '\0';
}

static enum bl_status add_token(struct lexer *lexer,
				enum bl_rego_token_kind kind, size_t from)
{
	struct bl_rego_tokens *out = lexer->out;

	if (!out)
		return BL_OK;
	out->tokens = bl_arena_room(lexer->arena, out->tokens, out->count,
				    &lexer->token_cap, sizeof(*out->tokens));
	if (!out->tokens)
		return bl_arena_fail(lexer->arena, lexer->err);
	out->tokens[out->count++] = (struct bl_rego_token){
		.kind = (uint8_t)kind,
		.space_before = lexer->space,
		.newline_before = lexer->newline,
		.from = (uint32_t)from,
		.to = (uint32_t)lexer->at,
	};
	lexer->space = lexer->newline = false;
	return BL_OK;
}

static enum bl_status add_comment(struct lexer *lexer, size_t from, size_t to)
{
	struct bl_rego_tokens *out = lexer->out;

	if (!out)
		return BL_OK;
	out->comments =
		bl_arena_room(lexer->arena, (void *)(uintptr_t)out->comments,
			      out->comment_count, &lexer->comment_cap,
			      sizeof(*out->comments));
	if (!out->comments)
		return bl_arena_fail(lexer->arena, lexer->err);
	out->comments[out->comment_count++] = (struct bl_rego_comment){
		(uint32_t)from,
		(uint32_t)to,
	};
	return BL_OK;
}

/* White space and comments. */
static enum bl_status skip_blank(struct lexer *lexer)
{
	while (lexer->at < lexer->text.len) {
		char c = lexer->text.ptr[lexer->at];
		size_t from = lexer->at;
		size_t to;

		if (c == '\n')
			lexer->newline = true;
		if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
			lexer->at++;
			lexer->space = true;
			continue;
		}
		if (c != '#')
			return BL_OK;
		while (lexer->at < lexer->text.len &&
		       lexer->text.ptr[lexer->at] != '\n')
			lexer->at++;
		to = lexer->at;
		if (to > from && lexer->text.ptr[to - 1] == '\r')
			to--;
		lexer->space = true;
		enum bl_status status = add_comment(lexer, from, to);
		if (status)
			return status;
	}
	return BL_OK;
}

static enum bl_status lex_name(struct lexer *lexer)
{
	size_t from = lexer->at;

	while (is_name_start(peek(lexer, 0)) ||
	       bl_ascii_is_digit(peek(lexer, 0)))
		lexer->at++;
	return add_token(lexer, BL_TOKEN_NAME, from);
}

static void skip_digits(struct lexer *lexer)
{
	while (bl_ascii_is_digit(peek(lexer, 0)))
		lexer->at++;
}

static enum bl_status lex_number(struct lexer *lexer)
{
	size_t from = lexer->at;

	skip_digits(lexer);
	if (peek(lexer, 0) == '.') {
		lexer->at++;
		if (!bl_ascii_is_digit(peek(lexer, 0)))
			return fail(lexer, from, "expected fraction");
		skip_digits(lexer);
	}
	if (peek(lexer, 0) == 'e' || peek(lexer, 0) == 'E') {
		lexer->at++;
		if (peek(lexer, 0) == '+' || peek(lexer, 0) == '-')
			lexer->at++;
		if (!bl_ascii_is_digit(peek(lexer, 0)))
			return fail(lexer, from, "expected exponent");
		skip_digits(lexer);
	}
	if (is_name_start(peek(lexer, 0)))
		return fail(lexer, from, "illegal number format");
	return add_token(lexer, BL_TOKEN_NUMBER, from);
}

/* A string from its opening quote at lexer->at; ends after the closing one. */
static enum bl_status skip_string(struct lexer *lexer)
{
	size_t from = lexer->at;
	char quote = lexer->text.ptr[lexer->at++];

	while (lexer->at < lexer->text.len) {
		char c = lexer->text.ptr[lexer->at++];

		if (c == quote)
			return BL_OK;
		if (quote == '`')
			continue;
		if (c == '\n')
			break;
		if (c == '\\' && !strchr("\\\"/bfnrtu", peek(lexer, 0)))
			return fail(lexer, from, "illegal escape sequence");
		if (c == '\\')
			lexer->at++;
	}
	return fail(lexer, from, "non-terminated string");
}

static enum bl_status lex_one(struct lexer *lexer);

/* From the "{" of a template at lexer->at to after its "}", or to the end. */
static enum bl_status skip_hole(struct lexer *lexer)
{
	struct bl_rego_tokens *out = lexer->out;
	unsigned depth = 0;
	enum bl_status status = BL_OK;

	lexer->out = NULL;
	do {
		status = skip_blank(lexer);
		if (status)
			break;
		lexer->open_hole = lexer->at >= lexer->text.len;
		if (lexer->open_hole)
			break;
		if (lexer->text.ptr[lexer->at] == '{')
			depth++;
		else if (lexer->text.ptr[lexer->at] == '}')
			depth--;
		status = lex_one(lexer);
	} while (!status && depth > 0);
	lexer->out = out;
	return status;
}

/* A template from its opening quote at lexer->at. */
static enum bl_status skip_template(struct lexer *lexer)
{
	size_t from = lexer->at;
	char quote = lexer->text.ptr[lexer->at++];
	enum bl_status status = BL_OK;

	if (++lexer->template_depth > TEMPLATE_MAX_DEPTH)
		return fail(lexer, from, "template strings nested too deeply");
	while (!status && lexer->at < lexer->text.len) {
		char c = lexer->text.ptr[lexer->at];

		if (c == quote) {
			lexer->at++;
			lexer->template_depth--;
			return BL_OK;
		}
		if (c == '\n' && quote == '"')
			break;
		if (c == '{')
			status = skip_hole(lexer);
		else
			lexer->at += c == '\\' && (quote == '"' ||
						   peek(lexer, 1) == '{')
					     ? 2
					     : 1;
	}
	/* An open hole is left to the parser, that says where it misses "}". */
	return status || lexer->open_hole
		       ? status
		       : fail(lexer, from, "non-terminated string");
}

static enum bl_status lex_quoted(struct lexer *lexer)
{
	bool is_template = peek(lexer, 0) == '$';
	size_t from = lexer->at;
	bool raw;
	enum bl_status status;

	lexer->at += is_template;
	raw = peek(lexer, 0) == '`';
	status = is_template ? skip_template(lexer) : skip_string(lexer);
	if (status)
		return status;
	if (is_template)
		return add_token(
			lexer, raw ? BL_TOKEN_RAW_TEMPLATE : BL_TOKEN_TEMPLATE,
			from);
	return add_token(lexer, raw ? BL_TOKEN_RAW_STRING : BL_TOKEN_STRING,
			 from);
}

/* Characters that are not token, of which there is something to say. */
static const struct {
	struct bl_str text;
	const char *message;
} strays[] = {
	{ { "!", 1 }, "illegal ! character" },
	{ { "$", 1 }, "illegal $ character" },
	{ { "\0", 1 }, "illegal null character" },
	{ { "\xC2\xA0", 2 },
	  "illegal non-breaking space character, use a regular space "
	  "instead" },
};

static enum bl_status lex_operator(struct lexer *lexer)
{
	struct bl_str rest = bl_str_slice(lexer->text, lexer->at, SIZE_MAX);

	for (size_t i = 0; i < BL_COUNT(operators); i++) {
		struct bl_str text = { operators[i].text, operators[i].len };

		if (rest.ptr[0] == text.ptr[0] &&
		    bl_str_has_prefix(rest, text)) {
			lexer->at += text.len;
			return add_token(lexer, operators[i].kind,
					 lexer->at - text.len);
		}
	}
	for (size_t i = 0; i < BL_COUNT(strays); i++)
		if (bl_str_has_prefix(rest, strays[i].text))
			return fail(lexer, lexer->at, strays[i].message);
	return fail(lexer, lexer->at, unknown_token);
}

static enum bl_status lex_one(struct lexer *lexer)
{
	char c = peek(lexer, 0);

	if (is_name_start(c))
		return lex_name(lexer);
	if (bl_ascii_is_digit(c) ||
	    (c == '.' && bl_ascii_is_digit(peek(lexer, 1))))
		return lex_number(lexer);
	if (c == '"' || c == '`' ||
	    (c == '$' && (peek(lexer, 1) == '"' || peek(lexer, 1) == '`')))
		return lex_quoted(lexer);
	return lex_operator(lexer);
}

static enum bl_status lex_all(struct lexer *lexer)
{
	enum bl_status status = skip_blank(lexer);

	while (!status && lexer->at < lexer->text.len) {
		status = lex_one(lexer);
		if (!status)
			status = skip_blank(lexer);
	}
	return status ? status : add_token(lexer, BL_TOKEN_EOF, lexer->at);
}

/* Adds the illegal token and the end behind the tokens so far. */
static enum bl_status end_illegal(struct lexer *lexer)
{
	enum bl_status status;

	lexer->at = lexer->text.len;
	if (lexer->fail_text != unknown_token)
		lexer->out->illegal = lexer->fail_text;
	status = add_token(lexer, BL_TOKEN_ILLEGAL, lexer->fail_offset);
	return status ? status : add_token(lexer, BL_TOKEN_EOF, lexer->at);
}

enum bl_status bl_rego_lex(struct bl_arena *arena, struct bl_str text,
			   size_t from, size_t to,
			   struct bl_rego_tokens *out_tokens,
			   size_t *out_offset, struct bl_error *err)
{
	static const char bom[] = "\xEF\xBB\xBF";
	struct bl_rego_tokens tokens = { 0 };
	struct lexer lexer = { .arena = arena, .err = err, .out = &tokens };
	size_t valid;
	enum bl_status status;

	if (text.len > BL_REGO_MAX_SOURCE_BYTES) {
		*out_offset = 0;
		return bl_fail(err, BL_LIMIT, "the module is over %d MiB",
			       BL_REGO_MAX_SOURCE_BYTES >> 20);
	}
	lexer.text = bl_str_slice(text, 0, to);
	lexer.at = from;
	if (from == 0 && bl_str_has_prefix(lexer.text, BL_STR("\xEF\xBB\xBF")))
		lexer.at = sizeof(bom) - 1;
	valid = bl_utf8_valid_prefix(lexer.text);
	status = valid < lexer.text.len
			 ? fail(&lexer, valid, "illegal utf-8 character")
			 : lex_all(&lexer);
	if (status) {
		*out_offset = lexer.fail_offset;
		lexer.out = &tokens;
		if (status != BL_SYNTAX || end_illegal(&lexer))
			return status == BL_SYNTAX ? BL_NO_MEMORY : status;
	}
	*out_tokens = tokens;
	return status;
}

size_t bl_rego_template_piece_end(struct bl_str text, size_t from, size_t to,
				  enum bl_rego_quoting quoting)
{
	size_t at = from;

	while (at < to && text.ptr[at] != '{') {
		bool pair = text.ptr[at] == '\\' && at + 1 < to &&
			    (quoting != BL_REGO_RAW_TEMPLATE ||
			     text.ptr[at + 1] == '{');

		at += pair ? 2 : 1;
	}
	return at;
}

enum bl_status bl_rego_template_hole_end(struct bl_arena *arena,
					 struct bl_str text, size_t from,
					 size_t *out_end, size_t *out_offset,
					 struct bl_error *err)
{
	struct lexer lexer = {
		.arena = arena, .text = text, .at = from, .err = err
	};
	enum bl_status status = skip_hole(&lexer);

	if (!status && lexer.open_hole)
		status = fail(&lexer, from, "non-terminated expression");
	if (status)
		*out_offset = lexer.fail_offset;
	else
		*out_end = lexer.at;
	return status;
}
