/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/sql.c: statements for databases, looked at for what destroys: SQL by
 * its keywords outside strings and comments, commands of Redis, calls of Mongo.
 */
#include "effects/private.h"

enum { KEYWORDS = 8, STATEMENT_WORDS = 64 };

struct statement {
	struct bl_str words[STATEMENT_WORDS];
	size_t count;
};

static bool is_word(char c)
{
	return c == '_' || c == '.' || c == '$' || c == '*' ||
	       (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c > 127;
}

static bool is(struct bl_str word, const char *upper)
{
	size_t len = strlen(upper);

	if (word.len != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = word.ptr[i];

		if (c >= 'a' && c <= 'z')
			c = (char)(c - 32);
		if (c != upper[i])
			return false;
	}
	return true;
}

/* Behind a comment or string that begins at at; at itself: neither does. */
static size_t skip_text(struct bl_str text, size_t at)
{
	char c = text.ptr[at];
	char next = at + 1 < text.len ? text.ptr[at + 1] : 0;
	size_t end;

	if ((c == '-' && next == '-') || (c == '#')) {
		end = bl_str_find(text, BL_STR("\n"), at);
		return end == SIZE_MAX ? text.len : end;
	}
	if (c == '/' && next == '*') {
		end = bl_str_find(text, BL_STR("*/"), at + 2);
		return end == SIZE_MAX ? text.len : end + 2;
	}
	if (c != '\'')
		return at;
	for (end = at + 1; end < text.len; end++) {
		if (text.ptr[end] == '\\')
			end++;
		else if (text.ptr[end] == '\'')
			return end + 1;
	}
	return text.len;
}

/* A command of the client, \c NAME, .open FILE, USE NAME: its line ends it. */
static bool is_of_client(const struct statement *s)
{
	static const char *const words[] = { "USE", "GO", "SOURCE",
					     "DELIMITER" };

	if (!s->count || !s->words[0].len)
		return false;
	for (size_t i = 0; i < BL_COUNT(words); i++)
		if (is(s->words[0], words[i]))
			return true;
	return s->words[0].ptr[0] == '\\' || s->words[0].ptr[0] == '.';
}

/* The next statement's words; false: the text is at its end. */
static bool next_statement(struct bl_str text, size_t *at,
			   struct statement *out)
{
	out->count = 0;
	while (*at < text.len) {
		char c = text.ptr[*at];
		size_t skipped = skip_text(text, *at);

		if (skipped > *at) {
			if (c == '\'' && out->count < STATEMENT_WORDS)
				out->words[out->count++] = BL_STR("''");
			*at = skipped;
		} else if (!c) { /* a mark: a value that is not known */
			if (out->count < STATEMENT_WORDS)
				out->words[out->count++] = BL_STR("?");
			*at += 2;
		} else if (c == ';' || (c == '\n' && is_of_client(out))) {
			(*at)++;
			return true;
		} else if (is_word(c) || (c == '\\' && !out->count)) {
			size_t from = (*at)++;

			while (*at < text.len && is_word(text.ptr[*at]))
				(*at)++;
			if (out->count < STATEMENT_WORDS)
				out->words[out->count++] =
					bl_str_slice(text, from, *at);
		} else {
			if ((c == '=' || c == '<' || c == '>' || c == '!') &&
			    out->count < STATEMENT_WORDS)
				out->words[out->count++] =
					bl_str_slice(text, *at, *at + 1);
			(*at)++;
		}
	}
	return out->count > 0;
}

static void add(struct effects_walk *walk, const char *action,
		const struct statement *s, size_t from, size_t to,
		struct bl_shell_span span)
{
	struct effects_builder target;
	struct effects_text text;

	effects_builder_init(&target, walk->arena, 512);
	for (size_t i = from; i < to && i < s->count; i++) {
		if (i > from)
			effects_put(&target, " ", 1);
		effects_put(&target, s->words[i].ptr, s->words[i].len);
	}
	text = effects_built(&target);
	effects_add_plain(walk, BL_FACT_DATABASE, bl_str(action), &text, 0,
			  span);
}

static size_t find_word(const struct statement *s, const char *word)
{
	for (size_t i = 0; i < s->count; i++) {
		if (is(s->words[i], word))
			return i;
	}
	return SIZE_MAX;
}

/* WHERE 1=1, WHERE true, or no WHERE: all rows. */
static bool takes_all(const struct statement *s)
{
	size_t at = find_word(s, "WHERE");

	if (at == SIZE_MAX)
		return true;
	if (at + 1 < s->count && is(s->words[at + 1], "TRUE"))
		return at + 2 >= s->count;
	return at + 4 == s->count && bl_str_is(s->words[at + 2], "=") &&
	       bl_str_equal(s->words[at + 1], s->words[at + 3]);
}

/* USE shop, \c shop, ATTACH 'shop.db': what follows is for another database. */
static bool connects(struct bl_str first)
{
	static const char *const words[] = {
		"USE", "ATTACH", "\\C", "\\CONNECT", "\\U", ".OPEN",
	};

	for (size_t i = 0; i < BL_COUNT(words); i++)
		if (is(first, words[i]))
			return true;
	return false;
}

static void run_statement(struct effects_walk *walk, const struct statement *s,
			  struct bl_shell_span span)
{
	struct bl_str first;
	size_t at = 0;

	if (!s->count)
		return;
	/* WITH x AS (DELETE ...): the verb stands further on. */
	if (is(s->words[0], "WITH") || is(s->words[0], "EXPLAIN")) {
		while (at < s->count && !is(s->words[at], "DELETE") &&
		       !is(s->words[at], "UPDATE") &&
		       !is(s->words[at], "TRUNCATE"))
			at++;
		if (at == s->count)
			return;
	}
	first = s->words[at];
	if (is(first, "DROP"))
		add(walk, "drop", s, at + 1, at + 5, span);
	else if (is(first, "TRUNCATE"))
		add(walk, "truncate", s, at + 1, at + 3, span);
	else if (is(first, "DELETE"))
		add(walk, takes_all(s) ? "delete-all" : "delete", s, at + 2,
		    at + 3, span);
	else if (is(first, "UPDATE"))
		add(walk, takes_all(s) ? "update-all" : "update", s, at + 1,
		    at + 2, span);
	else if (is(first, "ALTER") && find_word(s, "DROP") != SIZE_MAX)
		add(walk, "drop", s, find_word(s, "DROP") + 1, s->count, span);
	else if (is(first, "GRANT") || is(first, "REVOKE") ||
		 is(first, "ALTER"))
		add(walk, is(first, "ALTER") ? "alter" : "grant", s, at + 1,
		    at + 3, span);
	else if (is(first, "INSERT") || is(first, "CREATE") ||
		 is(first, "REPLACE"))
		add(walk, "write", s, at + 1, at + 3, span);
	else if (is(first, ".RESTORE"))
		add(walk, "restore-over", s, at + 1, at + 2, span);
	else if (connects(first))
		add(walk, "connect", s, at + 1, at + 2, span);
	else if (is(first, "COPY") && find_word(s, "PROGRAM") != SIZE_MAX)
		add(walk, "program", s, at, s->count, span);
	else
		add(walk, "read", s, at, at + 1, span);
	if (find_word(s, "OUTFILE") != SIZE_MAX ||
	    find_word(s, "DUMPFILE") != SIZE_MAX ||
	    find_word(s, "XP_CMDSHELL") != SIZE_MAX)
		add(walk, "program", s, 0, s->count, span);
}

/* \! CMD of psql and mysql, .shell CMD of sqlite3: a shell runs it. */
static void run_escape(struct effects_walk *walk, struct bl_str line,
		       struct bl_shell_span span)
{
	static const char *const starts[] = { "\\!", ".shell ", ".system ",
					      "system " };

	for (size_t i = 0; i < BL_COUNT(starts); i++) {
		struct effects_text text;

		if (!bl_str_has_prefix(line, bl_str(starts[i])))
			continue;
		text = effects_text(
			bl_str_slice(line, strlen(starts[i]), SIZE_MAX));
		effects_add_plain(walk, BL_FACT_DATABASE, BL_STR("program"),
				  &text, 0, span);
	}
}

static void run_escapes(struct effects_walk *walk, struct bl_str text,
			struct bl_shell_span span)
{
	size_t at = 0;

	while (at < text.len) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);

		if (end == SIZE_MAX)
			end = text.len;
		run_escape(walk, bl_str_trim(bl_str_slice(text, at, end)),
			   span);
		at = end + 1;
	}
}

static const struct {
	const char *word;
	const char *action;
} redis_commands[] = {
	{ "FLUSHALL", "flush" }, { "FLUSHDB", "flush" }, { "DEL", "delete" },
	{ "UNLINK", "delete" },	 { "SHUTDOWN", "shutdown" },
	{ "CONFIG", "config" },	 { "DEBUG", "debug" },	 { "EVAL", "program" },
	{ "SWAPDB", "drop" },	 { "SET", "write" },
	{ "REPLICAOF", "flush" }, { "SLAVEOF", "flush" },
}, mongo_calls[] = {
	{ "dropDatabase", "drop" },   { ".drop(", "drop" },
	{ "deleteMany({})", "delete-all" }, { "remove({})", "delete-all" },
	{ "deleteMany(", "delete" },  { "deleteOne(", "delete" },
	{ "updateMany({}", "update-all" }, { "insert", "write" },
	{ "dropIndex", "drop" },      { "dropUser", "drop" },
};

static void run_redis(struct effects_walk *walk, const struct statement *s,
		      struct bl_shell_span span)
{
	if (s->count > 2 && is(s->words[0], "CONFIG") &&
	    is(s->words[1], "SET")) {
		add(walk, "setting", s, 0, 3, span);
		return;
	}
	for (size_t i = 0; s->count && i < BL_COUNT(redis_commands); i++) {
		if (is(s->words[0], redis_commands[i].word)) {
			add(walk, redis_commands[i].action, s, 0, 3, span);
			return;
		}
	}
}

static void run_mongo(struct effects_walk *walk, struct effects_text text,
		      struct bl_shell_span span)
{
	for (size_t i = 0; i < BL_COUNT(mongo_calls); i++) {
		if (bl_str_find(effects_str(text), bl_str(mongo_calls[i].word),
				0) == SIZE_MAX)
			continue;
		effects_add_plain(walk, BL_FACT_DATABASE,
				  bl_str(mongo_calls[i].action), &text, 0,
				  span);
		return;
	}
}

/* A value that is not known matters where a statement begins. */
static bool hides_statement(struct effects_text text)
{
	char last = ';';

	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (!c && last == ';')
			return true;
		if (!c)
			i++; /* the second byte of the mark */
		if (c != ' ' && c != '\t' && c != '\n')
			last = c ? c : 'x';
	}
	return false;
}

bool effects_sql_reads(struct effects_text text)
{
	static const char *const reading[] = {
		"SELECT",  "EXPLAIN",  "PRAGMA",  "SHOW",       "DESCRIBE",
		".schema", ".tables",  ".header", ".headers",   ".mode",
		".width",  ".indexes", ".dbinfo", ".databases",
	};
	struct statement statement;
	size_t at = 0;

	if (hides_statement(text))
		return false;
	while (next_statement(effects_str(text), &at, &statement)) {
		bool reads = !statement.count;

		for (size_t i = 0; !reads && i < BL_COUNT(reading); i++)
			reads = is(statement.words[0], reading[i]);
		if (!reads || find_word(&statement, "INTO") != SIZE_MAX)
			return false;
	}
	return true;
}

void effects_sql(struct effects_walk *walk, struct bl_str lang,
		 struct effects_text text, struct bl_shell_span span)
{
	struct statement statement;
	size_t at = 0;

	if (hides_statement(text) ||
	    (!effects_is_known(text) && !bl_str_is(lang, "sql")))
		effects_opaque(walk, BL_FACT_OPAQUE_CODE, text, span);
	if (bl_str_is(lang, "mongo")) {
		run_mongo(walk, text, span);
		return;
	}
	if (!bl_str_is(lang, "redis"))
		run_escapes(walk, effects_str(text), span);
	while (!walk->is_over &&
	       next_statement(effects_str(text), &at, &statement)) {
		if (bl_str_is(lang, "redis"))
			run_redis(walk, &statement, span);
		else
			run_statement(walk, &statement, span);
	}
}
