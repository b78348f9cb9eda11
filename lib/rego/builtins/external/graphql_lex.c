/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GraphQL: characters to tokens, for the two parsers, of queries and of schemas.
 */
#include "base/ascii.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "rego/builtins/external/graphql.h"

const char *bl_gql_kind_name(enum bl_gql_kind kind)
{
	static const char *const names[] = {
		"<Invalid>", "<EOF>",  "!",           "$", "&",    "(",
		")",         "...",    ":",           "=", "@",    "[",
		"]",         "{",      "}",           "|", "Name", "Int",
		"Float",     "String", "BlockString",
	};

	return names[kind];
}

static bool is_name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The byte ahead, or NUL at the end. */
static char ahead(const struct bl_gql_lexer *l, size_t by)
{
	return by < l->text.len - l->at ? l->text.ptr[l->at + by] : '\0';
}

/* The column of a byte, counted in characters. */
static uint32_t column_of(const struct bl_gql_lexer *l, size_t at)
{
	uint32_t column = 1;

	for (size_t i = l->line_start; i < at; i++)
		column += ((unsigned char)l->text.ptr[i] & 0xC0) != 0x80;
	return column;
}

/* Steps over a line end, when there is one. */
static bool skip_line_end(struct bl_gql_lexer *l)
{
	char c = ahead(l, 0);

	if (l->at >= l->text.len || (c != '\n' && c != '\r'))
		return false;
	l->at += c == '\r' && ahead(l, 1) == '\n' ? 2 : 1;
	l->line++;
	l->line_start = l->at;
	return true;
}

static void skip_ignored(struct bl_gql_lexer *l)
{
	while (l->at < l->text.len) {
		char c = ahead(l, 0);

		if (skip_line_end(l))
			continue;
		if (c == '#') {
			while (l->at < l->text.len && ahead(l, 0) != '\n' &&
			       ahead(l, 0) != '\r')
				l->at++;
		} else if (c == ' ' || c == '\t' || c == ',') {
			l->at++;
		} else if (bl_str_has_prefix(
				   bl_str_slice(l->text, l->at, SIZE_MAX),
				   BL_STR("\xEF\xBB\xBF"))) {
			l->at += 3;
		} else {
			return;
		}
	}
}

static struct bl_gql_token token_at(const struct bl_gql_lexer *l,
				    enum bl_gql_kind kind, size_t start)
{
	return (struct bl_gql_token){
		.kind = kind,
		.value = bl_str_slice(l->text, start, l->at),
		.line = l->line,
		.column = column_of(l, start),
	};
}

static void skip_digits(struct bl_gql_lexer *l)
{
	while (bl_ascii_is_digit(ahead(l, 0)))
		l->at++;
}

static struct bl_gql_token lex_number(struct bl_gql_lexer *l)
{
	size_t start = l->at;
	bool is_float = false;
	size_t from;

	l->at += ahead(l, 0) == '-';
	if (ahead(l, 0) == '0' && bl_ascii_is_digit(ahead(l, 1)))
		return token_at(l, BL_GQL_INVALID, l->at + 1);
	from = l->at;
	skip_digits(l);
	if (l->at == from)
		return token_at(l, BL_GQL_INVALID, l->at);
	if (ahead(l, 0) == '.') {
		is_float = true;
		from = ++l->at;
		skip_digits(l);
		if (l->at == from)
			return token_at(l, BL_GQL_INVALID, l->at);
	}
	if (ahead(l, 0) == 'e' || ahead(l, 0) == 'E') {
		is_float = true;
		l->at++;
		l->at += ahead(l, 0) == '-' || ahead(l, 0) == '+';
		from = l->at;
		skip_digits(l);
		if (l->at == from)
			return token_at(l, BL_GQL_INVALID, l->at);
	}
	return token_at(l, is_float ? BL_GQL_FLOAT : BL_GQL_INT, start);
}

/* ---- strings ------------------------------------------------------------ */

static bool lex_unicode(struct bl_gql_lexer *l, struct bl_buf *out)
{
	char bytes[BL_UTF8_MAX_BYTES];
	int32_t rune = bl_hex_read(l->text, l->at, 4);

	if (rune < 0)
		return false;
	l->at += 4;
	bl_buf_put(out, bytes, bl_utf8_encode((uint32_t)rune, bytes));
	return true;
}

static bool lex_escape(struct bl_gql_lexer *l, struct bl_buf *out)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char values[] = "\"\\/\b\f\n\r\t";
	char c = ahead(l, 0);
	const char *found = c ? strchr(letters, c) : NULL;

	l->at++;
	if (c == 'u')
		return lex_unicode(l, out);
	if (!found)
		return false;
	bl_buf_put_char(out, values[found - letters]);
	return true;
}

/* A token whose value is what buf holds; its place is a bit to the right. */
static struct bl_gql_token string_token(struct bl_gql_lexer *l,
					enum bl_gql_kind kind, size_t start,
					struct bl_buf *buf)
{
	struct bl_gql_token token = token_at(l, kind, start);

	token.value = bl_arena_copy_str(l->arena, bl_buf_str(buf));
	if (bl_buf_status(buf) || !token.value.ptr)
		token.kind = BL_GQL_INVALID;
	bl_buf_clear(buf);
	return token;
}

static struct bl_gql_token lex_string(struct bl_gql_lexer *l)
{
	size_t start = ++l->at;
	struct bl_buf out;

	bl_buf_init(&out, 0);
	while (l->at < l->text.len) {
		char c = ahead(l, 0);

		if (c == '\n' || c == '\r' ||
		    ((unsigned char)c < 0x20 && c != '\t'))
			break;
		l->at++;
		if (c == '"')
			return string_token(l, BL_GQL_STRING, start, &out);
		if (c != '\\')
			bl_buf_put_char(&out, c);
		else if (!lex_escape(l, &out))
			break;
	}
	bl_buf_clear(&out);
	return token_at(l, BL_GQL_INVALID, l->at);
}

/* The indent that all lines but the first have. */
static size_t common_indent(struct bl_str raw)
{
	size_t common = SIZE_MAX;
	size_t at = bl_str_find(raw, BL_STR("\n"), 0);

	while (at != SIZE_MAX) {
		size_t end = bl_str_find(raw, BL_STR("\n"), at + 1);
		struct bl_str line = bl_str_slice(raw, at + 1, end);
		size_t indent = 0;

		while (indent < line.len &&
		       (line.ptr[indent] == ' ' || line.ptr[indent] == '\t'))
			indent++;
		if (indent < line.len && indent < common)
			common = indent;
		at = end;
	}
	return common == SIZE_MAX ? 0 : common;
}

/* The value of a block string (GraphQL, 2.9.4). */
static void put_block(struct bl_buf *out, struct bl_str raw)
{
	size_t indent = common_indent(raw);
	size_t filled = 0; /* length up to the last line that is not blank */
	bool first = true;
	size_t at = 0;

	while (at <= raw.len) {
		size_t end = bl_str_find(raw, BL_STR("\n"), at);
		struct bl_str line = bl_str_slice(raw, at, end);
		bool blank = !bl_str_trim(line).len;

		if (!first)
			line = bl_str_slice(line, indent, SIZE_MAX);
		if (out->len || !blank) {
			if (filled)
				bl_buf_put_char(out, '\n');
			bl_buf_put_str(out, line);
			if (!blank)
				filled = out->len;
			else if (!filled)
				bl_buf_reset(out);
		}
		first = false;
		at = end == SIZE_MAX ? SIZE_MAX : end + 1;
		if (at == SIZE_MAX)
			break;
	}
	if (!bl_buf_status(out) && filled < out->len) {
		out->len = filled;
		out->ptr[filled] = '\0';
	}
}

static struct bl_gql_token lex_block(struct bl_gql_lexer *l)
{
	const struct bl_str quotes = BL_STR("\"\"\"");
	size_t start = l->at += 3;
	struct bl_buf raw;
	struct bl_buf out;

	bl_buf_init(&raw, 0);
	bl_buf_init(&out, 0);
	while (l->at < l->text.len) {
		struct bl_str rest = bl_str_slice(l->text, l->at, SIZE_MAX);

		if (bl_str_has_prefix(rest, quotes)) {
			l->at += 3;
			put_block(&out, bl_buf_str(&raw));
			bl_buf_clear(&raw);
			if (start < l->line_start)
				start = l->line_start;
			return string_token(l, BL_GQL_BLOCK_STRING, start,
					    &out);
		}
		if (bl_str_has_prefix(rest, BL_STR("\\\"\"\""))) {
			bl_buf_put_str(&raw, quotes);
			l->at += 4;
		} else if (skip_line_end(l)) {
			bl_buf_put_char(&raw, '\n');
		} else {
			bl_buf_put_char(&raw, rest.ptr[0]);
			l->at++;
		}
	}
	bl_buf_clear(&raw);
	bl_buf_clear(&out);
	return token_at(l, BL_GQL_INVALID, l->at);
}

struct bl_gql_token bl_gql_lex(struct bl_gql_lexer *l)
{
	static const char marks[] = "!$&():=@[]{|}";
	static const enum bl_gql_kind kinds[] = {
		BL_GQL_BANG,      BL_GQL_DOLLAR,  BL_GQL_AMP,
		BL_GQL_PAREN_L,   BL_GQL_PAREN_R, BL_GQL_COLON,
		BL_GQL_EQUALS,    BL_GQL_AT,      BL_GQL_BRACKET_L,
		BL_GQL_BRACKET_R, BL_GQL_BRACE_L, BL_GQL_PIPE,
		BL_GQL_BRACE_R,
	};
	const char *mark;
	size_t start;
	char c;

	skip_ignored(l);
	start = l->at;
	if (start >= l->text.len)
		return token_at(l, BL_GQL_EOF, start);
	c = ahead(l, 0);
	mark = c ? strchr(marks, c) : NULL;
	if (mark) {
		l->at++;
		return token_at(l, kinds[mark - marks], start);
	}
	if (c == '.' && ahead(l, 1) == '.' && ahead(l, 2) == '.') {
		l->at += 3;
		return token_at(l, BL_GQL_SPREAD, start);
	}
	if (c == '"' && ahead(l, 1) == '"' && ahead(l, 2) == '"')
		return lex_block(l);
	if (c == '"')
		return lex_string(l);
	if (bl_ascii_is_digit(c) || c == '-')
		return lex_number(l);
	if (!is_name_start(c))
		return token_at(l, BL_GQL_INVALID, start);
	while (is_name_start(ahead(l, 0)) || bl_ascii_is_digit(ahead(l, 0)))
		l->at++;
	return token_at(l, BL_GQL_NAME, start);
}
