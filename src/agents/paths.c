/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths and command lines as Cupcake shows them to policies: pure functions of
 * text, with no event in sight.
 */
#include "agents/private.h"

#include "base/utf8.h"

/* ---- paths -------------------------------------------------------------- */

static bool is_absolute(struct bl_str path)
{
	return path.len > 0 && path.ptr[0] == '/';
}

/* path, with cwd in front when it is relative. */
static struct bl_str join(struct bl_arena *arena, struct bl_str cwd,
			  struct bl_str path)
{
	struct bl_str parts[3] = { cwd, BL_STR("/"), path };

	if (is_absolute(path) || !is_absolute(cwd))
		return path;
	return bl_agent_concat(arena, parts, BL_COUNT(parts));
}

/* Drops the last part of the len bytes that are done. */
static size_t up(const char *path, size_t len)
{
	while (len > 0 && path[--len] != '/')
		;
	return len;
}

/* The absolute path from without "." and ".." into to; its length. */
static size_t clean(struct bl_str from, char *to)
{
	size_t len = 0;

	for (size_t at = 0, end; at < from.len; at = end + 1) {
		struct bl_str part;

		end = bl_str_find(from, BL_STR("/"), at);
		if (end == SIZE_MAX)
			end = from.len;
		part = bl_str_slice(from, at, end);
		if (bl_str_is(part, "..")) {
			len = up(to, len);
		} else if (part.len && !bl_str_is(part, ".")) {
			to[len++] = '/';
			memcpy(to + len, part.ptr, part.len);
			len += part.len;
		}
	}
	if (len == 0)
		to[len++] = '/';
	return len;
}

struct bl_str bl_agent_join(struct bl_arena *arena, struct bl_str cwd,
			    struct bl_str path)
{
	struct bl_str joined = join(arena, cwd, path);
	char *text;

	if (!is_absolute(joined))
		return joined;
	text = bl_arena_alloc_aligned(arena, joined.len + 1, 1);
	if (!text)
		return (struct bl_str){ NULL, 0 };
	return (struct bl_str){ text, clean(joined, text) };
}

struct bl_agent_path bl_agent_resolve(const struct bl_agent_facts *facts,
				      struct bl_str cwd, struct bl_str path,
				      struct bl_arena *arena)
{
	struct bl_agent_path resolved = { .is_link = false };
	struct bl_str joined = join(arena, cwd, path);

	if (facts->resolve && is_absolute(joined) &&
	    !memchr(joined.ptr, '\0', joined.len) &&
	    facts->resolve(facts->context, joined, arena, &resolved))
		return resolved;
	return (struct bl_agent_path){
		.real = bl_agent_join(arena, cwd, path),
	};
}

/* ---- command lines ------------------------------------------------------ */

/* The length of the white space character at at; 0: absent. */
static size_t space_at(struct bl_str text, size_t at)
{
	uint32_t rune;
	size_t len = bl_utf8_decode(text, at, &rune);

	if (!len)
		return 0;
	if ((rune >= 0x09 && rune <= 0x0D) || rune == 0x20 || rune == 0x85 ||
	    rune == 0xA0 || rune == 0x1680 ||
	    (rune >= 0x2000 && rune <= 0x200A) || rune == 0x2028 ||
	    rune == 0x2029 || rune == 0x202F || rune == 0x205F ||
	    rune == 0x3000)
		return len;
	return 0;
}

/* A command line, read character by character with the shell's quotes. */
struct line {
	struct bl_str text;
	size_t at;
	char quote; /* 0, ' or " */
};

enum unit {
	UNIT_END,
	UNIT_SPACE,  /* outside quotes */
	UNIT_QUOTE,  /* opens or closes */
	UNIT_ESCAPE, /* a backslash and what it protects */
	UNIT_BYTE,
};

/* The next unit, *out_len bytes from line->at on, which is moved past it. */
static enum unit next_unit(struct line *line, size_t *out_len)
{
	struct bl_str text = line->text;
	size_t at = line->at;
	enum unit unit = UNIT_BYTE;
	size_t len = 1;
	char c;

	if (at >= text.len)
		return UNIT_END;
	c = text.ptr[at];
	if (c == '\\' && line->quote != '\'' && at + 1 < text.len) {
		unit = UNIT_ESCAPE;
		len = 2;
	} else if ((c == '\'' || c == '"') &&
		   (!line->quote || line->quote == c)) {
		unit = UNIT_QUOTE;
		line->quote = line->quote ? 0 : c;
	} else if (!line->quote && space_at(text, at)) {
		unit = UNIT_SPACE;
		len = space_at(text, at);
	}
	line->at += len;
	*out_len = len;
	return unit;
}

struct bl_str bl_agent_squeeze(struct bl_arena *arena, struct bl_str command)
{
	struct line line = { .text = command };
	char *text = bl_arena_alloc_aligned(arena, command.len + 1, 1);
	bool owes_space = false;
	enum unit unit;
	size_t len = 0;
	size_t n = 0;

	if (!text)
		return (struct bl_str){ NULL, 0 };
	while ((unit = next_unit(&line, &n)) != UNIT_END) {
		if (unit == UNIT_SPACE) {
			owes_space = len > 0;
			continue;
		}
		if (owes_space)
			text[len++] = ' ';
		owes_space = false;
		memcpy(text + len, command.ptr + line.at - n, n);
		len += n;
	}
	return (struct bl_str){ text, len };
}

/* ---- affected directories ----------------------------------------------- */

/*
 * The next word, without its quotes, at text, which has room for the line;
 * ptr NULL at the end.  With ignores_quotes only white space counts.
 */
static struct bl_str next_word(struct line *line, bool ignores_quotes,
			       char *text)
{
	bool has_word = false;
	size_t len = 0;
	size_t n = 0;
	enum unit unit;

	while ((unit = next_unit(line, &n)) != UNIT_END) {
		const char *from = line->text.ptr + line->at - n;

		if (ignores_quotes)
			line->quote = 0;
		if (unit == UNIT_SPACE && has_word)
			break;
		if (unit == UNIT_SPACE)
			continue;
		has_word = true;
		if (unit == UNIT_QUOTE && !ignores_quotes)
			continue;
		if (unit == UNIT_ESCAPE && !ignores_quotes) {
			from++;
			n--;
		}
		memcpy(text + len, from, n);
		len += n;
	}
	return (struct bl_str){ has_word ? text : NULL, len };
}

static bool has_any(struct bl_str word, const char *chars)
{
	for (size_t i = 0; i < word.len; i++)
		if (word.ptr[i] && strchr(chars, word.ptr[i]))
			return true;
	return false;
}

static bool is_number(struct bl_str word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word.ptr[i] < '0' || word.ptr[i] > '9')
			return false;
	return true;
}

static bool may_be_path(struct bl_str word)
{
	if (!word.len || word.ptr[0] == '-' || is_number(word))
		return false;
	return has_any(word, "/\\*?[") ||
	       has_any(bl_str_slice(word, 0, 1), ".$~");
}

/* All before the first character of a glob, up to a separator. */
static struct bl_str before_glob(struct bl_str word)
{
	size_t end = 0;

	for (size_t i = 0; i < word.len; i++) {
		if (has_any(bl_str_slice(word, i, i + 1), "*?["))
			return end ? bl_str_slice(word, 0, end) : BL_STR(".");
		if (word.ptr[i] == '/' || word.ptr[i] == '\\')
			end = i + 1;
	}
	return word;
}

struct bl_value bl_agent_directories(const struct bl_agent_facts *facts,
				     struct bl_str cwd, struct bl_str command,
				     struct bl_arena *arena)
{
	struct line check = { .text = command };
	struct line line = { .text = command };
	struct bl_array_builder builder;
	struct bl_str word;
	size_t n;
	char *text = bl_arena_alloc_aligned(arena, command.len + 1, 1);

	bl_array_builder_init(&builder, arena);
	if (!text)
		return bl_value_undefined();
	while (next_unit(&check, &n) != UNIT_END)
		;
	word = next_word(&line, check.quote, text);
	while (word.ptr && builder.count <= MAX_PATHS) {
		word = next_word(&line, check.quote, text);
		if (!may_be_path(word))
			continue;
		/* the word's memory is used again */
		word = bl_arena_copy_str(arena, before_glob(word));
		bl_array_builder_add(
			&builder, bl_value_string(bl_agent_resolve(facts, cwd,
								   word, arena)
							  .real));
	}
	if (!builder.count)
		return bl_value_undefined();
	return bl_array_builder_end(&builder);
}
