/* SPDX-License-Identifier: Apache-2.0 */
/*
 * about.c: what an action was about, in one short text for people: its command
 * or its file, without what looks like a credential.  It stands alone since it
 * is the one part of a payload that a journal has without being asked.
 *
 *   curl -H 'Authorization: Bearer abc' https://u:p@host
 *   curl -H 'Authorization: [REDACTED]' https://[REDACTED]@host
 */
#include "journal/private.h"

#define REDACTED "[REDACTED]"

/* Longer commands are cut before they are looked at, and once more after. */
enum { MAX_READ_BYTES = 4096, MAX_NAME_BYTES = 64 };

/* ---- the subject -------------------------------------------------------- */

/* Where agents put the input of a tool; NULL: at the top. */
static const char *const containers[] = { NULL, "tool_input", "toolInput",
					  "args", "toolArgs" };

static const struct {
	const char *field;
	bool is_command; /* it speaks for itself, without the tool's name */
} subjects[] = {
	{ "command", true },        { "cmd", true },
	{ "file_path", false },     { "filePath", false },
	{ "path", false },          { "notebook_path", false },
	{ "absolute_path", false }, { "url", false },
	{ "query", false },         { "pattern", false },
};

static struct bl_str text_of(struct bl_value object, const char *field)
{
	return bl_value_text(bl_object_find(object, bl_str(field)));
}

/* A list of words, as some tools take a command, with blanks between. */
static bool put_words(struct bl_buf *out, struct bl_value list)
{
	for (size_t i = 0; i < bl_value_count(list); i++) {
		struct bl_str word = bl_value_text(bl_value_item(list, i));

		if (!word.ptr)
			return i > 0;
		if (i > 0)
			bl_buf_put_char(out, ' ');
		bl_buf_put_str(out, word);
	}
	return bl_value_count(list) > 0;
}

static bool put_subject(struct bl_buf *out, struct bl_value object,
			struct bl_str tool)
{
	for (size_t i = 0; i < BL_COUNT(subjects); i++) {
		struct bl_value value =
			bl_object_find(object, bl_str(subjects[i].field));

		if (subjects[i].is_command &&
		    bl_value_is(value, BL_KIND_ARRAY) && put_words(out, value))
			return true;
		if (!bl_value_text(value).len)
			continue;
		if (!subjects[i].is_command && tool.len) {
			bl_buf_put_str(out, tool);
			bl_buf_put_char(out, ' ');
		}
		bl_buf_put_str(out, bl_value_text(value));
		return true;
	}
	return false;
}

static void put_action(struct bl_buf *out, struct bl_value payload)
{
	static const char *const names[] = { "tool_name", "toolName", "tool" };
	struct bl_str tool = BL_STR("");

	for (size_t i = 0; i < BL_COUNT(names) && !tool.len; i++)
		tool = text_of(payload, names[i]);
	for (size_t i = 0; i < BL_COUNT(containers); i++) {
		struct bl_value object = payload;

		if (containers[i])
			object = bl_object_find(payload, bl_str(containers[i]));
		if (bl_value_is(object, BL_KIND_OBJECT) &&
		    put_subject(out, object, tool))
			return;
	}
	bl_buf_put_str(out, tool);
}

/* ---- credentials -------------------------------------------------------- */

/* The beginnings of tokens, and how much follows at least. */
static const struct {
	const char *start;
	size_t least;
} tokens[] = {
	{ "ghp_", 16 },    { "gho_", 16 }, { "ghu_", 16 },
	{ "ghs_", 16 },    { "ghr_", 16 }, { "github_pat_", 16 },
	{ "glpat-", 8 },   { "sk-", 8 },   { "sk_live_", 8 },
	{ "rk_live_", 8 }, { "AKIA", 16 }, { "ASIA", 16 },
	{ "AIza", 20 },    { "xoxb-", 8 }, { "xoxp-", 8 },
	{ "xoxa-", 8 },    { "xapp-", 8 }, { "npm_", 16 },
	{ "pypi-", 16 },   { "hf_", 16 },  { "dckr_pat_", 8 },
	{ "SG.", 16 },     { "eyJ", 24 },  { "AGE-SECRET-KEY-", 8 },
};

/* In lower case, "_" and "-" left out, a name holds one of them. */
static const char *const credential_words[] = {
	"password", "passwd",    "passphrase",    "secret",
	"apikey",   "accesskey", "privatekey",    "credential",
	"token",    "cookie",    "authorization",
};

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool is_token_char(char c)
{
	return is_name_char(c) || c == '.' || c == '/' || c == '+' || c == '=';
}

static size_t token_length(struct bl_str text, size_t at)
{
	size_t end = at;

	while (end < text.len && is_token_char(text.ptr[end]))
		end++;
	return end - at;
}

static bool names_credential(struct bl_str name)
{
	char plain[MAX_NAME_BYTES];
	size_t len = 0;

	for (size_t i = 0; i < name.len && len < MAX_NAME_BYTES; i++) {
		char c = name.ptr[i];

		if (c == '_' || c == '-')
			continue;
		plain[len++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	for (size_t i = 0; i < BL_COUNT(credential_words); i++)
		if (bl_str_find((struct bl_str){ plain, len },
				bl_str(credential_words[i]), 0) != SIZE_MAX)
			return true;
	return false;
}

/* The length of a token of a known kind at at; 0: nothing there. */
static size_t known_token(struct bl_str text, size_t at)
{
	struct bl_str rest = bl_str_slice(text, at, text.len);

	for (size_t i = 0; i < BL_COUNT(tokens); i++) {
		size_t start = strlen(tokens[i].start);
		size_t len;

		if (!bl_str_has_prefix(rest, bl_str(tokens[i].start)))
			continue;
		len = token_length(rest, start);
		if (len >= tokens[i].least)
			return start + len;
	}
	return 0;
}

/* The length of the part of a URL between "://" and "@"; 0: none. */
static size_t url_credential(struct bl_str text, size_t at)
{
	for (size_t end = at; end < text.len; end++) {
		char c = text.ptr[end];

		if (c == '@')
			return end - at;
		if (c == '/' || c == '\'' || c == '"' ||
		    (unsigned char)c <= ' ')
			return 0;
	}
	return 0;
}

/* The end of the value that begins at at: of a quoted text, or of a word. */
static size_t value_end(struct bl_str text, size_t at, char quote)
{
	while (at < text.len) {
		char c = text.ptr[at];

		if (quote ? c == quote
			  : (unsigned char)c <= ' ' || c == '\'' || c == '"' ||
				    c == ';' || c == '&' || c == '|')
			break;
		at++;
	}
	return at;
}

/*
 * The value that belongs to the name that ends at at: behind "=" or ":" (with
 * blanks and a quote), or, for an option, behind a blank.  *out_from is its
 * first byte; false: the name has no value.
 */
static bool find_value(struct bl_str text, size_t at, bool is_option,
		       size_t *out_from, size_t *out_to)
{
	bool is_header = at < text.len && text.ptr[at] == ':';
	char quote = 0;

	if (at >= text.len)
		return false;
	if (text.ptr[at] == '=' || is_header)
		at++;
	else if (!is_option || text.ptr[at] != ' ')
		return false;
	while (at < text.len && text.ptr[at] == ' ')
		at++;
	if (at < text.len && (text.ptr[at] == '\'' || text.ptr[at] == '"'))
		quote = text.ptr[at++];
	*out_from = at;
	*out_to = value_end(text, at, quote);
	/* "Authorization: Bearer abc": the second word too. */
	while (is_header && !quote && *out_to < text.len &&
	       text.ptr[*out_to] == ' ')
		*out_to = value_end(text, *out_to + 1, 0);
	return *out_to > at;
}

/* The length of a name at at, a word on its own. */
static size_t name_length(struct bl_str text, size_t at)
{
	size_t end = at;

	if (at > 0 && is_name_char(text.ptr[at - 1]))
		return 0;
	while (end < text.len && is_name_char(text.ptr[end]))
		end++;
	return end - at;
}

/* The bytes [*out_from, *out_to) to hide that a word at at is about. */
static bool find_secret(struct bl_str text, size_t at, size_t *out_from,
			size_t *out_to)
{
	struct bl_str rest = bl_str_slice(text, at, text.len);
	size_t name = name_length(text, at);
	size_t len = name ? known_token(text, at) : 0;
	struct bl_str word = bl_str_slice(text, at, at + name);

	if (bl_str_has_prefix(rest, BL_STR("://")))
		at += 3, len = url_credential(text, at);
	if (len) {
		*out_from = at;
		*out_to = at + len;
		return true;
	}
	if (!name || !names_credential(word))
		return false;
	return find_value(text, at + name, word.ptr[0] == '-', out_from,
			  out_to);
}

void bl_journal_put_redacted(struct bl_buf *out, struct bl_str text)
{
	for (size_t at = 0; at < text.len;) {
		size_t from;
		size_t to;

		if (!find_secret(text, at, &from, &to)) {
			bl_buf_put_char(out, text.ptr[at++]);
			continue;
		}
		bl_buf_put_str(out, bl_str_slice(text, at, from));
		bl_buf_puts(out, REDACTED);
		at = to;
	}
}

void bl_journal_put_about(struct bl_buf *out, struct bl_value payload)
{
	struct bl_buf text;

	bl_buf_init(&text, 0);
	put_action(&text, payload);
	if (bl_buf_status(&text) != BL_OK)
		out->status = bl_buf_status(&text);
	bl_journal_put_redacted(
		out, bl_str_slice(bl_buf_str(&text), 0, MAX_READ_BYTES));
	bl_buf_clear(&text);
}
