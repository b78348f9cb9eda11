/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_lines.c: tools of MCP servers as the command that does the same, so that
 * one set of rules judges both (tool_lines.def).  It stands apart because it is a
 * small language of its own: the words of a row, filled with a tool's arguments.
 *
 * drop_table {"table": "users"} fits the row "psql -c 'drop table {table|name}'",
 * which makes the words psql, -c, "drop table users".
 */
#include "effects/effects.h"
#include "json/json.h"
#include "sources/policies/private.h"

enum { MAX_WORDS = 256 };

static const struct {
	const char *tool;
	const char *words;
} rows[] = {
#define LINE(tool, words) { tool, words },
#include "sources/policies/tool_lines.def"
#undef LINE
};

/* The words in the making: the one that is written, and those before it. */
struct line {
	struct bl_arena *arena;
	struct bl_value given;
	struct bl_str words[MAX_WORDS];
	size_t count;
	struct bl_str word;
	bool is_missing; /* an argument of the word is not there */
};

/* ---- names ------------------------------------------------------------------- */

static char plain(char c)
{
	return c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Does the tool's name end with the row's, behind _ or . or as a whole? */
static bool fits(struct bl_str tool, const char *name)
{
	struct bl_str tail = bl_str(name);
	size_t from;

	if (tool.len < tail.len)
		return false;
	from = tool.len - tail.len;
	for (size_t i = 0; i < tail.len; i++)
		if (plain(tool.ptr[from + i]) != tail.ptr[i])
			return false;
	return !from || plain(tool.ptr[from - 1]) == '_' ||
	       tool.ptr[from - 1] == '.';
}

static const char *find_words(struct bl_str tool)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < BL_COUNT(rows); i++)
		if (fits(tool, rows[i].tool) &&
		    (best == SIZE_MAX ||
		     strlen(rows[i].tool) > strlen(rows[best].tool)))
			best = i;
	return best == SIZE_MAX ? NULL : rows[best].words;
}

/* ---- arguments ----------------------------------------------------------------- */

/* The first argument of a|b that is there. */
static struct bl_value find_argument(struct bl_value given, struct bl_str keys)
{
	struct bl_value found = { 0 };
	size_t from = 0;

	while (from < keys.len && !bl_value_is_defined(found)) {
		size_t to = bl_str_find(keys, BL_STR("|"), from);

		found = bl_object_find(given, bl_str_slice(keys, from, to));
		from = to == SIZE_MAX ? keys.len : to + 1;
	}
	return found;
}

/* A text as it is, anything else as JSON. */
static struct bl_str text_of(struct bl_arena *arena, struct bl_value value)
{
	struct bl_str copy;
	struct bl_buf text;

	if (bl_value_is(value, BL_KIND_STRING))
		return bl_value_text(value);
	bl_buf_init(&text, 0);
	bl_json_write(&text, value, BL_JSON_COMPACT);
	copy = bl_arena_copy_str(arena, bl_buf_str(&text));
	bl_buf_clear(&text);
	return copy;
}

static void put(struct line *line, struct bl_str text)
{
	char *joined = bl_arena_alloc_aligned(line->arena,
					      line->word.len + text.len + 1, 1);

	if (!joined)
		return;
	if (line->word.len)
		memcpy(joined, line->word.ptr, line->word.len);
	if (text.len)
		memcpy(joined + line->word.len, text.ptr, text.len);
	line->word = (struct bl_str){ joined, line->word.len + text.len };
}

static void end_word(struct line *line)
{
	if (line->word.len && !line->is_missing && line->count < MAX_WORDS)
		line->words[line->count++] = line->word;
	line->word = BL_STR("");
	line->is_missing = false;
}

/* {a|b} or {a?x} in the word; of a list, each item is a word. */
static void put_argument(struct line *line, struct bl_str inner)
{
	size_t mark = bl_str_find(inner, BL_STR("?"), 0);
	struct bl_value value =
		find_argument(line->given, bl_str_slice(inner, 0, mark));
	struct bl_str front = line->word;

	if (mark != SIZE_MAX) {
		if (bl_value_is_true(value))
			put(line, bl_str_slice(inner, mark + 1, SIZE_MAX));
	} else if (!bl_value_is_defined(value)) {
		line->is_missing = true;
	} else if (bl_value_is(value, BL_KIND_ARRAY)) {
		for (size_t i = 0; i < bl_value_count(value); i++) {
			line->word = front;
			put(line,
			    text_of(line->arena, bl_value_item(value, i)));
			end_word(line);
		}
	} else {
		put(line, text_of(line->arena, value));
	}
}

/* ---- rows ------------------------------------------------------------------------ */

static void fill(struct line *line, struct bl_str words)
{
	bool is_quoted = false;

	for (size_t i = 0; i < words.len; i++) {
		size_t end = bl_str_find(words, BL_STR("}"), i);

		if (words.ptr[i] == '\'') {
			is_quoted = !is_quoted;
		} else if (words.ptr[i] == ' ' && !is_quoted) {
			end_word(line);
		} else if (words.ptr[i] == '{' && end != SIZE_MAX) {
			put_argument(line, bl_str_slice(words, i + 1, end));
			i = end;
		} else {
			put(line, bl_str_slice(words, i, i + 1));
		}
	}
	end_word(line);
}

/* Is a query of the tool one of a database? */
static bool asks_database(struct bl_str tool)
{
	static const char *const words[] = { "sql", "query", "db", "database",
					     "migrat" };

	for (size_t i = 0; i < BL_COUNT(words); i++)
		if (bl_str_find(tool, bl_str(words[i]), 0) != SIZE_MAX)
			return true;
	return false;
}

/* An argument that is SQL. */
static struct bl_str find_sql(struct bl_str tool, struct bl_value given)
{
	static const char *const verbs[] = { "select", "insert",   "update",
					     "delete", "drop",     "alter",
					     "create", "truncate", "with",
					     "grant",  "revoke",   "merge",
					     "begin",  "copy" };
	struct bl_value value = find_argument(
		given, asks_database(tool) ? BL_STR("sql|query|statement")
					   : BL_STR("sql|sql_query"));
	struct bl_str text = bl_str_trim(bl_value_text(value));

	for (size_t i = 0; i < BL_COUNT(verbs); i++) {
		size_t at = 0;

		while (at < text.len && verbs[i][at] &&
		       plain(text.ptr[at]) == verbs[i][at])
			at++;
		if (!verbs[i][at] && at < text.len &&
		    strchr(" \t\n", text.ptr[at]))
			return text;
	}
	return (struct bl_str){ NULL, 0 };
}

bool policy_line_of_tool(struct bl_arena *arena, struct bl_str tool,
			 struct bl_value given, struct bl_str *out_line)
{
	const char *words = find_words(tool);
	struct bl_str sql = find_sql(tool, given);
	struct line line = { .arena = arena, .given = given };

	if (words && words[0] == '=') {
		*out_line = bl_value_text(
			find_argument(given, bl_str_slice(bl_str(words), 2,
							  strlen(words) - 1)));
		return out_line->len;
	}
	if (words)
		fill(&line, bl_str(words));
	else if (sql.len)
		line = (struct line){ .words = { BL_STR("psql"), BL_STR("-c"),
						 sql },
				      .count = 3 };
	if (!line.count)
		return false;
	*out_line = bl_effects_line(arena, line.words, line.count);
	return out_line->ptr;
}
