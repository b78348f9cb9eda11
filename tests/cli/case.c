/* SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"

#include <errno.h>
#include <stdio.h>

/* Names of sections, and how many words must, or may, follow on the line. */
static const struct {
	const char *name;
	size_t least, most;
} kinds[] = {
	[SECTION_ABOUT] = { "about", 0, 0 },
	[SECTION_FILE] = { "file", 1, 3 },
	[SECTION_DIR] = { "dir", 1, 2 },
	[SECTION_LINK] = { "link", 2, 2 },
	[SECTION_ENV] = { "env", 1, 1 },
	[SECTION_RUN] = { "run", 0, 1 },
	[SECTION_STDIN] = { "stdin", 0, 1 },
	[SECTION_AS] = { "as", 1, 1 },
	[SECTION_STDOUT] = { "stdout", 0, 1 },
	[SECTION_STDERR] = { "stderr", 0, 1 },
	[SECTION_EXIT] = { "exit", 1, 2 },
	[SECTION_CONTENT] = { "content", 1, 2 },
};

#define MARK "--- "

enum { WORDS_MAX = 256 };

/* ---- words -------------------------------------------------------------- */

struct splitter {
	struct bl_str text;
	size_t at;
	char *out; /* next free byte of the words */
};

static bool is_white(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Copies up to the closing quote; false when absent. */
static bool quoted(struct splitter *s, char quote)
{
	while (s->at < s->text.len) {
		char c = s->text.ptr[s->at++];

		if (c == quote)
			return true;
		if (c == '\\' && quote == '"' && s->at < s->text.len)
			c = s->text.ptr[s->at++];
		*s->out++ = c;
	}
	return false;
}

static bool one_word(struct splitter *s)
{
	while (s->at < s->text.len && !is_white(s->text.ptr[s->at])) {
		char c = s->text.ptr[s->at++];

		if (c == '\'' || c == '"') {
			if (!quoted(s, c))
				return false;
			continue;
		}
		if (c == '\\' && s->at < s->text.len)
			c = s->text.ptr[s->at++];
		*s->out++ = c;
	}
	*s->out++ = '\0';
	return true;
}

enum bl_status case_words(struct bl_arena *arena, struct bl_str text,
			  struct words *out_words, struct bl_error *err)
{
	struct splitter s = { .text = text };
	struct words words = { 0 };

	/* each word is followed by white space or the end: room for its NUL */
	s.out = bl_arena_alloc(arena, text.len + 1);
	words.list = bl_arena_new_array(arena, char *, WORDS_MAX + 1);
	if (!s.out || !words.list)
		return bl_arena_fail(arena, err);
	for (;;) {
		while (s.at < text.len && is_white(text.ptr[s.at]))
			s.at++;
		if (s.at == text.len)
			break;
		if (words.count == WORDS_MAX)
			return bl_fail(err, BL_LIMIT, "more than %d words",
				       WORDS_MAX);
		words.list[words.count++] = s.out;
		if (!one_word(&s))
			return bl_fail(err, BL_SYNTAX, "a quote is not closed");
	}
	*out_words = words;
	return BL_OK;
}

const char *case_option(const struct section *section, const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < section->words.count; i++) {
		const char *word = section->words.list[i];

		if (!strncmp(word, key, len) && word[len] == '=')
			return word + len + 1;
	}
	return NULL;
}

bool case_flag(const struct section *section, const char *flag)
{
	for (size_t i = 0; i < section->words.count; i++)
		if (!strcmp(section->words.list[i], flag))
			return true;
	return false;
}

/* ---- reading ------------------------------------------------------------ */

static struct bl_str next_line(struct bl_str text, size_t at)
{
	const char *end = memchr(text.ptr + at, '\n', text.len - at);

	return bl_str_slice(text, at,
			    end ? (size_t)(end - text.ptr) + 1 : text.len);
}

static bool is_header(struct bl_str line)
{
	return bl_str_has_prefix(line, BL_STR(MARK));
}

static enum bl_status parse_header(struct bl_arena *arena, struct bl_str line,
				   struct section *section,
				   struct bl_error *err)
{
	struct bl_str rest = bl_str_trim(bl_str_slice(line, 4, SIZE_MAX));
	struct bl_str name = rest;
	size_t space = bl_str_find(rest, BL_STR(" "), 0);
	enum bl_status status;

	if (space != SIZE_MAX)
		name = bl_str_slice(rest, 0, space);
	section->kind = SECTION_ABOUT;
	while (section->kind < SECTION_KIND_COUNT &&
	       !bl_str_is(name, kinds[section->kind].name))
		section->kind++;
	if (section->kind == SECTION_KIND_COUNT)
		return bl_fail(err, BL_SYNTAX, "no section is named '%.*s'",
			       BL_STR_ARG(name));
	status = case_words(arena, bl_str_slice(rest, name.len, SIZE_MAX),
			    &section->words, err);
	if (status)
		return status;
	if (section->words.count < kinds[section->kind].least ||
	    section->words.count > kinds[section->kind].most)
		return bl_fail(err, BL_SYNTAX,
			       "'%.*s' takes %zu to %zu words on its line",
			       BL_STR_ARG(name), kinds[section->kind].least,
			       kinds[section->kind].most);
	return BL_OK;
}

/* The lines as they are meant: "\--- " at the start stands for "--- ". */
static struct bl_str unescape(struct bl_arena *arena, struct bl_str body)
{
	struct bl_buf buf;
	struct bl_str copy;

	bl_buf_init(&buf, 0);
	for (size_t at = 0; at < body.len;) {
		struct bl_str line = next_line(body, at);

		at += line.len;
		if (bl_str_has_prefix(line, BL_STR("\\" MARK)))
			line = bl_str_slice(line, 1, SIZE_MAX);
		bl_buf_put_str(&buf, line);
	}
	copy = bl_arena_copy_str(arena, bl_buf_str(&buf));
	bl_buf_clear(&buf);
	return copy;
}

static void cut_newline(struct section *section)
{
	if (case_flag(section, "no-newline") &&
	    bl_str_has_suffix(section->body, BL_STR("\n")))
		section->body.len--;
}

struct reader {
	struct bl_arena *arena;
	struct bl_str text;
	size_t at;
	unsigned line;
};

/* Reads the section that starts here. */
static enum bl_status parse_section(struct reader *reader,
				    struct section *section,
				    struct bl_error *err)
{
	struct bl_str header = next_line(reader->text, reader->at);
	size_t start = reader->at;
	enum bl_status status;

	section->line = reader->line;
	status = parse_header(reader->arena, header, section, err);
	if (status)
		return status;
	reader->at += header.len;
	for (reader->line++; reader->at < reader->text.len; reader->line++) {
		struct bl_str next = next_line(reader->text, reader->at);

		if (is_header(next))
			break;
		reader->at += next.len;
	}
	section->raw = bl_str_slice(reader->text, start, reader->at);
	section->body =
		unescape(reader->arena,
			 bl_str_slice(section->raw, header.len, SIZE_MAX));
	cut_newline(section);
	return BL_OK;
}

static enum bl_status parse(struct bl_arena *arena, struct bl_str text,
			    struct test_case *test, struct bl_error *err)
{
	struct reader reader = { .arena = arena, .text = text, .line = 1 };
	size_t room = 1;

	for (size_t i = 0; i < text.len; i++)
		room += text.ptr[i] == '\n';
	test->sections = bl_arena_new_array(arena, struct section, room);
	if (!test->sections)
		return bl_arena_fail(arena, err);
	if (!is_header(text))
		return bl_fail(err, BL_SYNTAX,
			       "%s: a case starts with '--- about'",
			       test->path);
	while (reader.at < text.len) {
		struct section *section = &test->sections[test->count++];
		enum bl_status status = parse_section(&reader, section, err);

		if (status) {
			bl_error_context(err, "%s:%u", test->path,
					 section->line);
			return status;
		}
	}
	return bl_arena_status(arena) ? bl_arena_fail(arena, err) : BL_OK;
}

enum bl_status case_load(struct bl_arena *arena, const char *path,
			 struct test_case *out_case, struct bl_error *err)
{
	struct bl_buf text;
	char piece[4096];
	size_t got;
	FILE *file = fopen(path, "re");
	struct bl_str copy;

	*out_case = (struct test_case){ .path = path };
	if (!file)
		return bl_fail_errno(err, errno, "%s", path);
	bl_buf_init(&text, 0);
	while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
		bl_buf_put(&text, piece, got);
	fclose(file);
	copy = bl_arena_copy_str(arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return parse(arena, copy, out_case, err);
}

/* ---- printing ----------------------------------------------------------- */

void case_print_section(struct bl_buf *out, const char *header,
			struct bl_str body)
{
	bool cut = body.len && !bl_str_has_suffix(body, BL_STR("\n"));

	bl_buf_printf(out, MARK "%s%s\n", header, cut ? " no-newline" : "");
	for (size_t at = 0; at < body.len;) {
		struct bl_str line = next_line(body, at);

		at += line.len;
		if (is_header(line))
			bl_buf_put_char(out, '\\');
		bl_buf_put_str(out, line);
	}
	if (cut)
		bl_buf_put_char(out, '\n');
}

void case_print(const struct test_case *test, struct bl_buf *out)
{
	for (size_t i = 0; i < test->count; i++)
		bl_buf_put_str(out, test->sections[i].replaced
					    ? test->sections[i].accepted
					    : test->sections[i].raw);
}
