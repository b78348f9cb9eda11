/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c: the words of a shell command that may name a script.
 *
 * This is not a shell: it only has to find every text that a shell could take
 * for the name of a file.  A quoted word that holds blanks or operators is
 * reported whole (a path with spaces) and then split again (the argument of
 * `sh -c`).
 */
#include "base/buf.h"
#include "trust/trust.h"

enum { MAX_QUOTE_DEPTH = 4 };

struct splitter {
	void (*visit)(void *context, struct bl_str word);
	void *context;
	unsigned depth;
};

static enum bl_status split(struct splitter *splitter, struct bl_str command);

static bool is_separator(char c)
{
	return c != '\0' && strchr(" \t\r\n\v\f;&|<>()`", c);
}

static bool has_separator(struct bl_str word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (is_separator(word.ptr[i]) || word.ptr[i] == '"' ||
		    word.ptr[i] == '\'')
			return true;
	}
	return false;
}

/* Appends one quoted stretch; *at is behind the closing quote afterwards. */
static void take_quoted(struct bl_str command, size_t *at, struct bl_buf *word)
{
	char quote = command.ptr[(*at)++];

	while (*at < command.len && command.ptr[*at] != quote) {
		char c = command.ptr[(*at)++];

		if (c == '\\' && quote == '"' && *at < command.len &&
		    strchr("\"\\$`\n", command.ptr[*at]))
			c = command.ptr[(*at)++];
		if (c != '\n' || command.ptr[*at - 2] != '\\')
			bl_buf_put_char(word, c);
	}
	if (*at < command.len)
		(*at)++;
}

/* Appends one word without its quotes, up to the next separator. */
static void take_word(struct bl_str command, size_t *at, struct bl_buf *word)
{
	while (*at < command.len && !is_separator(command.ptr[*at])) {
		char c = command.ptr[*at];

		if (c == '"' || c == '\'') {
			take_quoted(command, at, word);
			continue;
		}
		(*at)++;
		if (c == '\\' && *at < command.len)
			c = command.ptr[(*at)++];
		/* A line that goes on: neither byte is part of the word. */
		if (c != '\n')
			bl_buf_put_char(word, c);
	}
}

/* The word, what follows its first '=' or its option, and what its quotes held. */
static enum bl_status report(struct splitter *splitter, struct bl_str word)
{
	size_t equals = bl_str_find(word, BL_STR("="), 0);
	enum bl_status status = BL_OK;

	if (word.len == 0)
		return BL_OK;
	splitter->visit(splitter->context, word);
	if (equals != SIZE_MAX && equals + 1 < word.len)
		splitter->visit(splitter->context,
				bl_str_slice(word, equals + 1, SIZE_MAX));
	if (word.len > 2 && word.ptr[0] == '-' && word.ptr[1] != '-')
		splitter->visit(splitter->context,
				bl_str_slice(word, 2, SIZE_MAX));
	if (!has_separator(word))
		return BL_OK;
	if (splitter->depth >= MAX_QUOTE_DEPTH)
		return BL_LIMIT;
	splitter->depth++;
	status = split(splitter, word);
	splitter->depth--;
	return status;
}

static enum bl_status split(struct splitter *splitter, struct bl_str command)
{
	struct bl_buf word;
	enum bl_status status = BL_OK;

	bl_buf_init(&word, 0);
	for (size_t at = 0; at < command.len && status == BL_OK;) {
		if (is_separator(command.ptr[at])) {
			at++;
			continue;
		}
		bl_buf_reset(&word);
		take_word(command, &at, &word);
		status = bl_buf_status(&word);
		if (status == BL_OK)
			status = report(splitter, bl_buf_str(&word));
	}
	bl_buf_clear(&word);
	return status;
}

enum bl_status bl_trust_each_script(struct bl_str command,
				    void (*visit)(void *context,
						  struct bl_str word),
				    void *context)
{
	struct splitter splitter = { .visit = visit, .context = context };

	return split(&splitter, command);
}
