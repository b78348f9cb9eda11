/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/code.c: code of other languages, as far as literals and well-known
 * calls go: which language it is, those that have no calls as others have (Tcl, sed,
 * awk, Lisp), and scripts in files.  The code as a whole is opaque PARTLY.
 */
#include "effects/code.h"

static const struct {
	const char *name;
	char letter;
} languages[] = {
	{ "python", 'P' }, { "node", 'N' }, { "mongo", 'N' },
	{ "perl", 'L' },   { "ruby", 'R' }, { "php", 'H' },
	{ "lua", 'U' },    { "awk", 'A' },  { "lisp", 'E' },
};

/* ---- Tcl ------------------------------------------------------------------------- */

/* exec and spawn run the words behind them; a command ends with the line or ;. */
static void read_tcl(struct effects_reader *r)
{
	static const char *const runners[] = { "exec ", "spawn ", "system " };

	while (r->at < r->text.len && !r->walk->is_over) {
		size_t end = r->at;

		while (end < r->text.len && !strchr(";\n]", r->text.ptr[end]))
			end++;
		while (r->at < end && strchr(" \t[{", r->text.ptr[r->at]))
			r->at++;
		for (size_t i = 0; i < BL_COUNT(runners); i++)
			if (effects_code_has(r, runners[i]))
				effects_run_text(
					r->walk, r->state,
					effects_text(bl_str_slice(
						r->text,
						r->at + strlen(runners[i]),
						end)),
					true, NULL, r->span);
		r->at = end + 1;
	}
}

/* ---- AppleScript -------------------------------------------------------------------- */

/* do shell script "TEXT": the text is for a shell. */
static void read_applescript(struct effects_reader *r)
{
	struct bl_str start = BL_STR("do shell script \"");
	size_t at = bl_str_find(r->text, start, 0);

	while (at != SIZE_MAX && !r->walk->is_over) {
		struct effects_builder text;

		effects_builder_init(&text, r->walk->arena, UINT32_MAX);
		for (at += start.len;
		     at < r->text.len && r->text.ptr[at] != '"'; at++) {
			if (r->text.ptr[at] == '\\' && at + 1 < r->text.len)
				at++;
			effects_put(&text, r->text.ptr + at, 1);
		}
		effects_run_text(r->walk, r->state, effects_built(&text), true,
				 NULL, r->span);
		at = bl_str_find(r->text, start, at);
	}
}

/* ---- sed and awk ------------------------------------------------------------------- */

/* The replacement of s///e is run; a backslash goes from the mark. */
static void run_replacement(struct effects_reader *r, struct bl_str text,
			    char mark)
{
	struct effects_builder command;

	effects_builder_init(&command, r->walk->arena, UINT32_MAX);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\\' && i + 1 < text.len &&
		    text.ptr[i + 1] == mark)
			i++;
		effects_put(&command, text.ptr + i, 1);
	}
	effects_run_text(r->walk, r->state, effects_built(&command), true, NULL,
			 r->span);
}

/* sed: `e` and s///e run, `w FILE` writes. */
static void read_sed(struct effects_reader *r)
{
	struct bl_str text = r->text;

	for (size_t i = 0; i < text.len; i++) {
		bool starts =
			!i || strchr(";{}\n0123456789$/ ", text.ptr[i - 1]);

		if (text.ptr[i] == 's' && starts && i + 1 < text.len) {
			char mark = text.ptr[i + 1];
			size_t parts = 0;
			size_t from[3] = { 0 };

			for (i += 1; i < text.len && parts < 3; i++) {
				if (text.ptr[i] == '\\')
					i++;
				else if (text.ptr[i] == mark)
					from[parts++] = i + 1;
			}
			while (i < text.len && text.ptr[i] != ';' &&
			       text.ptr[i] != '\n' && text.ptr[i] != '}') {
				if (text.ptr[i] == 'e')
					run_replacement(
						r,
						bl_str_slice(text, from[1],
							     from[2] - 1),
						mark);
				if (text.ptr[i] == 'w') {
					effects_code_path(
						r, BL_FACT_WRITE, BL_STR("sed"),
						effects_text(bl_str_trim(
							bl_str_slice(
								text, i + 1,
								SIZE_MAX))),
						0);
					return;
				}
				i++;
			}
			continue;
		}
		if (!starts || (text.ptr[i] != 'e' && text.ptr[i] != 'w'))
			continue;
		if (i + 1 < text.len && text.ptr[i + 1] != ' ' &&
		    text.ptr[i + 1] != ';')
			continue;
		if (text.ptr[i] == 'w')
			effects_code_path(r, BL_FACT_WRITE, BL_STR("sed"),
					  effects_text(bl_str_trim(bl_str_slice(
						  text, i + 1, SIZE_MAX))),
					  0);
		else
			effects_run_text(r->walk, r->state,
					 effects_text(bl_str_slice(text, i + 1,
								   SIZE_MAX)),
					 true, NULL, r->span);
	}
}

/* awk: "cmd" | getline, print | "cmd", print > "file", for (k in ENVIRON). */
static void read_awk(struct effects_reader *r)
{
	if (bl_str_find(r->text, BL_STR("in ENVIRON"), 0) != SIZE_MAX)
		effects_add_plain(r->walk, BL_FACT_SECRET,
				  BL_STR("environment"), NULL, 0, r->span);
	for (r->at = 0; r->at < r->text.len;) {
		char c = effects_code_peek(r, 0);
		struct effects_text text;
		size_t before = r->at;

		if (c == '/' && (!before || strchr(" ({!~&|;\n",
						   r->text.ptr[before - 1]))) {
			/* A regular expression. */
			for (r->at++; r->at < r->text.len &&
				      effects_code_peek(r, 0) != '/' &&
				      effects_code_peek(r, 0) != '\n';
			     r->at++)
				r->at += effects_code_peek(r, 0) == '\\';
			r->at++;
			continue;
		}
		if (c != '"') {
			r->at++;
			continue;
		}
		text = effects_code_string(r, false);
		while (before && r->text.ptr[before - 1] == ' ')
			before--;
		effects_code_skip(r);
		if (before && r->text.ptr[before - 1] == '>')
			effects_code_path(r, BL_FACT_WRITE, BL_STR("awk"), text,
					  0);
		else if ((before && r->text.ptr[before - 1] == '|' &&
			  !(before > 1 && r->text.ptr[before - 2] == '|')) ||
			 (effects_code_peek(r, 0) == '|' &&
			  effects_code_peek(r, 1) != '|'))
			effects_run_text(r->walk, r->state, text, true, NULL,
					 r->span);
	}
}

/* ---- by language ------------------------------------------------------------------- */

static char letter_of(struct bl_str lang)
{
	for (size_t i = 0; i < BL_COUNT(languages); i++) {
		if (bl_str_is(lang, languages[i].name))
			return languages[i].letter;
	}
	return 0;
}

static void run_shell_code(struct effects_walk *walk,
			   struct effects_state *state,
			   struct effects_text text,
			   const struct effects_args *args, size_t first_arg,
			   struct bl_shell_span span)
{
	size_t count =
		args && first_arg < args->count ? args->count - first_arg : 0;
	struct effects_text *items =
		bl_arena_new_array(walk->arena, struct effects_text, count + 1);
	struct effects_params params = { items, 0, true };

	if (!items)
		return;
	/* sh -c TEXT NAME A: NAME is $0 */
	for (size_t i = 0; i < count; i++)
		items[i] = args->items[first_arg + i].text;
	params.count = (uint32_t)count;
	effects_wrap(walk, BL_STR("sh"));
	effects_run_text(walk, state, text, true, &params, span);
	effects_unwrap(walk);
}

/* (delete-file "a" "b") as delete_file("a", "b"), which the reader knows. */
static struct bl_str calls_of_lisp(struct effects_walk *walk,
				   struct bl_str text)
{
	struct effects_builder out;
	bool is_string = false;
	bool is_head = false; /* in the name behind a bracket */

	effects_builder_init(&out, walk->arena, UINT32_MAX);
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '\\' && is_string && i + 1 < text.len) {
			effects_put(&out, text.ptr + i++, 2);
			continue;
		}
		is_string ^= c == '"';
		if (is_string || c == '"') {
			effects_put(&out, &c, 1);
			continue;
		}
		if (is_head && !effects_is_name(c) && c != '-') {
			effects_put(&out, "(", 1);
			is_head = false;
		}
		if (c == '(')
			is_head = true;
		else if (c == ' ' || c == '\n' || c == '\t')
			effects_put(&out, ",", 1);
		else
			effects_put(&out, c == '-' ? "_" : &c, 1);
	}
	return effects_str(effects_built(&out));
}

/* Does the text have the word by itself? */
static bool has_word(struct bl_str text, const char *word)
{
	size_t len = strlen(word);

	for (size_t at = 0;
	     (at = bl_str_find(text, bl_str(word), at)) != SIZE_MAX; at++) {
		bool starts = !at || !effects_is_name(text.ptr[at - 1]) ||
			      !effects_is_name(word[0]);
		bool ends = at + len >= text.len ||
			    !effects_is_name(text.ptr[at + len]) ||
			    !effects_is_name(word[len - 1]);

		if (starts && ends)
			return true;
	}
	return false;
}

/*
 * A shell that is joined to a connection, and text from the network that is run,
 * take many calls and go through values that are not followed; the words that all of
 * them need stand for it.
 */
static void add_by_signs(struct effects_reader *r)
{
	static const struct {
		char letter;
		bool is_eval; /* else: a shell for the other side */
		const char *words[3];
	} signs[] = {
		{ 'P', false, { "socket", "connect", "dup2" } },
		{ 'P', false, { "socket", "connect", "pty.spawn" } },
		{ 'P', false, { "socket", "connect", "/bin/sh" } },
		{ 'P', false, { "socket", "connect", "/bin/bash" } },
		{ 'L', false, { "socket", "STDIN", "/bin/" } },
		{ 'L', false, { "Socket", "STDIN", "/bin/" } },
		{ 'L', false, { "socket", "connect", "/bin/" } },
		{ 'L', false, { "IO::Socket", "exec", "/bin/" } },
		{ 'R', false, { "TCPSocket", "/bin/", "" } },
		{ 'R', false, { "TCPSocket", "popen", "" } },
		{ 'N', false, { "net", "connect", "/bin/" } },
		{ 'N', false, { "net", "Socket", "/bin/" } },
		{ 'H', false, { "fsockopen", "/bin/", "" } },
		{ 'U', false, { "socket", "connect", "popen" } },
		{ 'U', false, { "socket", "connect", "/bin/" } },
		{ 'N', true, { "fetch", "eval", "" } },
		{ 'N', true, { "fetch", "Function", "" } },
		{ 'L', true, { "get", "eval", "http" } },
		{ 'L', true, { "LWP", "eval", "" } },
		{ 'R', true, { "URI.open", "eval", "" } },
		{ 'R', true, { "open-uri", "eval", "" } },
		{ 'R', true, { "Net::HTTP", "eval", "" } },
		{ 'U', true, { "http", "load", "request" } },
	};

	for (size_t i = 0; i < BL_COUNT(signs); i++) {
		struct bl_fact_effect effect = { .span = r->span };
		bool fits = signs[i].letter == r->letter;

		for (size_t k = 0; k < BL_COUNT(signs[i].words) && fits; k++)
			fits = !*signs[i].words[k] ||
			       has_word(r->text, signs[i].words[k]);
		if (!fits)
			continue;
		effect.kind =
			signs[i].is_eval ? BL_FACT_EXECUTE : BL_FACT_NETWORK;
		effect.action = signs[i].is_eval ? r->lang : BL_STR("shell");
		if (signs[i].is_eval)
			effect.origins = BL_FACT_FROM_NETWORK;
		else
			effect.details = BL_FACT_IS_SEND | BL_FACT_IS_RECEIVE;
		effects_add(r->walk, &effect);
		return;
	}
}

void effects_code(struct effects_walk *walk, struct effects_state *state,
		  struct bl_str lang, struct effects_text text,
		  const struct effects_args *args, size_t first_arg,
		  struct bl_shell_span span)
{
	struct effects_reader reader = { .walk = walk,
					 .state = state,
					 .text = effects_str(text),
					 .lang = lang,
					 .letter = letter_of(lang),
					 .span = span };
	struct bl_fact_effect effect = { .kind = BL_FACT_EXECUTE,
					 .action = lang,
					 .span = span };

	if (bl_str_is(lang, "shell")) {
		run_shell_code(walk, state, text, args, first_arg, span);
		return;
	}
	effects_mark_cut(walk, text, span);
	effect.origins = effects_fact_text(walk, text).origins;
	if (effect.origins)
		effects_add(walk, &effect);
	if (!text.len)
		return;
	if (effects_known_prefix(text) == 0) {
		effects_opaque(walk, BL_FACT_OPAQUE_CODE, text, span);
		return;
	}
	if (bl_str_is(lang, "sed")) {
		read_sed(&reader);
		return;
	}
	effects_opaque(walk, BL_FACT_OPAQUE_PARTLY, effects_text(lang), span);
	if (bl_str_is(lang, "tcl"))
		read_tcl(&reader);
	if (bl_str_is(lang, "applescript"))
		read_applescript(&reader);
	if (bl_str_is(lang, "mongo"))
		effects_sql(walk, lang, text, span);
	if (reader.letter == 'E')
		reader.text = calls_of_lisp(walk, reader.text);
	if (reader.letter == 'P' || reader.letter == 'N') {
		effects_code_imports(&reader);
		effects_code_loops(&reader);
	}
	if (reader.letter)
		effects_code_read(&reader);
	add_by_signs(&reader);
	if (reader.letter == 'A')
		read_awk(&reader);
}

/* The language that a script's first line or its name says. */
static struct bl_str script_language(struct bl_str lang,
				     struct effects_text content,
				     struct bl_str path)
{
	static const struct {
		const char *mark;
		const char *lang;
	} marks[] = {
		{ "python", "python" }, { "node", "node" }, { "perl", "perl" },
		{ "ruby", "ruby" },     { "php", "php" },   { "lua", "lua" },
		{ "awk", "awk" },       { "sh", "shell" },
	};
	struct bl_str line = effects_str(content);
	size_t end = bl_str_find(line, BL_STR("\n"), 0);

	if (lang.len)
		return lang;
	line = bl_str_slice(line, 0, end);
	if (!bl_str_has_prefix(line, BL_STR("#!")))
		return bl_str_has_suffix(path, BL_STR(".py")) ? BL_STR("python")
							      : BL_STR("shell");
	for (size_t i = 0; i < BL_COUNT(marks); i++) {
		if (bl_str_find(line, bl_str(marks[i].mark), 0) != SIZE_MAX)
			return bl_str(marks[i].lang);
	}
	return BL_STR("");
}

static bool is_address(struct effects_text text)
{
	return bl_str_has_prefix(effects_str(text), BL_STR("http://")) ||
	       bl_str_has_prefix(effects_str(text), BL_STR("https://"));
}

static bool looks_binary(struct effects_text content)
{
	return content.len > 3 && !memcmp(content.ptr, "\177ELF", 4);
}

/* Origins that say where the script itself comes from. */
static uint32_t script_origins(struct effects_walk *walk,
			       struct effects_text content)
{
	return effects_fact_text(walk, content).origins &
	       ~(uint32_t)BL_FACT_FROM_FILE;
}

/* The file that content is a copy of as a whole; ptr NULL: it is not one. */
static struct bl_str copied_from(struct effects_walk *walk,
				 struct effects_text content)
{
	if (content.len != 2 || content.ptr[0] ||
	    (unsigned char)content.ptr[1] < EFFECTS_HOLE)
		return (struct bl_str){ NULL, 0 };
	return walk->holes[(unsigned char)content.ptr[1] - EFFECTS_HOLE].label;
}

/*
 * A program of the system under another name, as a copy or a link of the line:
 * cp /bin/rm r; ./r.  Runs it with the words from first_arg on; false: it is not one.
 */
static bool run_renamed(struct effects_walk *walk, struct effects_state *state,
			struct bl_str source, const struct effects_args *args,
			size_t first_arg)
{
	static const char *const folders[] = { "/usr/", "/bin/", "/sbin/" };
	struct effects_args words = { 0 };
	struct bl_shell_span span;
	size_t i = 0;

	while (i < BL_COUNT(folders) &&
	       !bl_str_has_prefix(source, bl_str(folders[i])))
		i++;
	if (i == BL_COUNT(folders) || !args->count)
		return false;
	span = args->items[0].span;
	effects_args_add(walk, &words, effects_text(source), span);
	for (i = first_arg; i < args->count; i++)
		effects_args_add(walk, &words, args->items[i].text,
				 args->items[i].span);
	effects_dispatch(walk, state, &words, span, EFFECTS_LOOKUP_PROGRAMS);
	return true;
}

void effects_script_file(struct effects_walk *walk, struct effects_state *state,
			 struct bl_str lang, struct effects_text file,
			 const struct effects_args *args, size_t first_arg,
			 struct bl_shell_span span)
{
	struct effects_path path;
	struct effects_text content;
	const struct effects_file *written;
	uint32_t origins = 0;
	bool is_known;
	int descriptor;

	if (effects_is(file, "-") || effects_is(file, "/dev/stdin")) {
		content = effects_input(walk, state, &is_known);
		effects_code(walk, state, lang.len ? lang : BL_STR("shell"),
			     content, args, first_arg, span);
		return;
	}
	descriptor = effects_descriptor(file);
	if (descriptor >= 0 && state->fds->items[descriptor].is_known) {
		effects_code(walk, state, lang.len ? lang : BL_STR("shell"),
			     state->fds->items[descriptor].content, args,
			     first_arg, span);
		return;
	}
	if (is_address(file)) {
		file.origins |= BL_FACT_FROM_NETWORK;
		effects_add_plain(walk, BL_FACT_EXECUTE, BL_STR("script"),
				  &file, 0, span);
		return;
	}
	effects_path(walk, state, file, 0, &path);
	written = path.state == BL_FACT_KNOWN
			  ? effects_file_find(walk, effects_str(path.text))
			  : NULL;
	if (written)
		origins = BL_FACT_FROM_WRITTEN;
	is_known = effects_content(walk, &path, &content);
	if (is_known)
		origins |= script_origins(walk, content);
	if (!written ||
	    !bl_str_has_prefix(effects_str(path.text), BL_STR("/dev/fd/")))
		effects_add_path(walk, state, BL_FACT_EXECUTE, BL_STR("script"),
				 file, 0, origins, span);
	if (path.state == BL_FACT_KNOWN && !lang.len &&
	    !bl_str_equal(effects_str(path.text), effects_str(file)) &&
	    run_renamed(walk, state, effects_str(path.text), args, first_arg))
		return;
	if (is_known &&
	    (looks_binary(content) ||
	     (written && run_renamed(walk, state, copied_from(walk, content),
				     args, first_arg))))
		return;
	if (is_known && script_origins(walk, content) &&
	    effects_known_prefix(content) == 0 && content.len) {
		effects_code(walk, state, lang.len ? lang : BL_STR("shell"),
			     content, args, first_arg, span);
		return;
	}
	if (!is_known || (content.len && effects_known_prefix(content) == 0)) {
		if (is_known)
			effects_mark_cut(walk, content, span);
		effects_opaque(walk, BL_FACT_OPAQUE_SCRIPT, file, span);
		return;
	}
	lang = script_language(lang, content, effects_str(path.text));
	if (!written)
		content.origins = 0;
	effects_wrap(walk, bl_arena_printf(walk->arena, "script:%.*s",
					   (int)path.text.len, path.text.ptr));
	if (walk->depth < walk->limits.depth) {
		walk->depth++;
		effects_code(walk, state, lang, content, args, first_arg, span);
		walk->depth--;
	} else {
		effects_too_deep(walk, span);
	}
	effects_unwrap(walk);
}
