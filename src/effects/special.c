/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/special.c: the modes of rows whose grammar no row can say: shells,
 * xargs, parallel, env -S.  (find, git, make and packers
 * have files of their own.)
 */
#include <strings.h>

#include "effects/private.h"

/* The first value of an option; NULL: it is not given with one. */
static const struct effects_word *option_word(const struct effects_run *run,
					      const char *option)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		if (bl_str_is(run->parsed.words[i].option, option))
			return &run->parsed.words[i];
	}
	return NULL;
}

struct effects_text effects_replace(struct effects_walk *walk,
				    struct effects_text word,
				    struct effects_text what,
				    struct effects_text with)
{
	size_t at =
		what.len ? bl_str_find(effects_str(word), effects_str(what), 0)
			 : SIZE_MAX;
	struct effects_text tail;

	if (at == SIZE_MAX)
		return word;
	tail = effects_cut(word, at + what.len, word.len);
	word = effects_join(walk->arena, effects_cut(word, 0, at), with);
	return effects_join(walk->arena, word, tail);
}

/* ---- sh, bash ------------------------------------------------------------------- */

/* +x and +o NAME are options, too; the first other word. */
static size_t first_operand(const struct effects_args *args)
{
	size_t i = 0;

	while (i < args->count && args->items[i].text.len > 1 &&
	       args->items[i].text.ptr[0] == '+') {
		char last =
			args->items[i].text.ptr[args->items[i].text.len - 1];

		i += last == 'o' || last == 'O' ? 2 : 1;
	}
	return i;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* {a,b} and {1..3}, where blanks do not part them */
static bool has_braces(struct bl_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		bool has_list = false;

		if (text.ptr[i] != '{' || (i && text.ptr[i - 1] == '$'))
			continue;
		for (i++; i < text.len && !is_blank(text.ptr[i]) &&
			  text.ptr[i] != '}';
		     i++)
			has_list |=
				text.ptr[i] == ',' ||
				(text.ptr[i] == '.' && text.ptr[i - 1] == '.');
		if (has_list && i < text.len && text.ptr[i] == '}')
			return true;
	}
	return false;
}

/* sh may be another shell than bash, which leaves $'..', a=~ and {a,b} and has no pushd. */
static void mark_foreign(struct effects_run *run, struct effects_text text)
{
	struct bl_str own = effects_str(text);

	if (bl_str_is(run->parsed.row->name, "sh") &&
	    (bl_str_find(own, BL_STR("$'"), 0) != SIZE_MAX ||
	     bl_str_find(own, BL_STR("=~"), 0) != SIZE_MAX ||
	     bl_str_find(own, BL_STR("pushd"), 0) != SIZE_MAX ||
	     has_braces(own)))
		effects_opaque(run->walk, BL_FACT_OPAQUE_FOREIGN, text,
			       run->span);
}

static bool run_shell(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;
	size_t first = first_operand(args);
	bool is_known;
	struct effects_text input;

	if (effects_has(&run->parsed, "noexec")) {
		if (first < args->count &&
		    !effects_has(&run->parsed, "command"))
			effects_add_path(run->walk, &run->inside, BL_FACT_READ,
					 (struct bl_str){ NULL, 0 },
					 args->items[first].text,
					 BL_FACT_IS_QUIET, 0,
					 args->items[first].span);
		return true;
	}
	if (effects_has(&run->parsed, "command")) {
		if (first < args->count)
			mark_foreign(run, args->items[first].text);
		if (first < args->count)
			effects_code(run->walk, &run->inside, BL_STR("shell"),
				     args->items[first].text, args, first + 2,
				     args->items[first].span);
		return true;
	}
	if (first < args->count && !effects_has(&run->parsed, "stdin")) {
		struct effects_path path;

		effects_path(run->walk, &run->inside, args->items[first].text,
			     0, &path);
		if (effects_content(run->walk, &path, &input))
			mark_foreign(run, input);
		effects_script_file(run->walk, &run->inside, BL_STR("shell"),
				    args->items[first].text, args, first + 1,
				    args->items[first].span);
		return true;
	}
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word *word = &run->parsed.words[i];

		/* an interactive shell runs it first */
		if (bl_str_is(word->option, "rcfile") ||
		    bl_str_is(word->option, "init-file"))
			effects_script_file(run->walk, &run->inside,
					    BL_STR("shell"), word->text, args,
					    args->count, word->span);
	}
	input = effects_input(run->walk, &run->inside, &is_known);
	if (is_known) {
		mark_foreign(run, input);
		effects_code(run->walk, &run->inside, BL_STR("shell"), input,
			     args, first, run->span);
	}
	return true;
}

/* ---- env -S --------------------------------------------------------------------- */

static bool run_env(struct effects_run *run)
{
	const struct effects_word *split = NULL;
	struct effects_builder text;
	size_t rest = run->parsed.rest;

	for (size_t i = 0; i < run->parsed.word_count; i++) {
		if (bl_str_is(run->parsed.words[i].option, "split-string"))
			split = &run->parsed.words[i];
	}
	if (!split) {
		if (rest == SIZE_MAX)
			effects_add_plain(run->walk, BL_FACT_SECRET,
					  BL_STR("environment"), NULL, 0,
					  run->span);
		return false;
	}
	effects_builder_init(&text, run->walk->arena,
			     run->walk->limits.content_bytes);
	effects_put(&text, "env ", 4);
	effects_put_text(&text, split->text);
	for (; rest < run->parsed.args.count; rest++) {
		effects_put(&text, " ", 1);
		effects_put_text(&text, run->parsed.args.items[rest].text);
	}
	effects_wrap(run->walk, BL_STR("env"));
	effects_run_text(run->walk, &run->inside, effects_built(&text), true,
			 NULL, split->span);
	effects_unwrap(run->walk);
	return true;
}

/* ---- xargs and parallel ------------------------------------------------------------ */

/*
 * The words of a text, as xargs reads them: parted by blanks, with quotes and
 * backslashes, or by one character alone.  delimiter 0: by blanks.
 */
static void split_words(struct effects_run *run, struct effects_text text,
			char delimiter, struct effects_args *out)
{
	size_t i = 0;

	while (i < text.len) {
		struct effects_builder word;
		char quote = 0;
		bool is_word = false;

		effects_builder_init(&word, run->walk->arena, UINT32_MAX);
		word.origins |= text.origins;
		for (; i < text.len; i++) {
			char c = text.ptr[i];

			if (!c && i + 1 < text.len) {
				effects_put(&word, text.ptr + i++, 2);
				is_word = true;
			} else if (!quote &&
				   (delimiter ? c == delimiter : is_blank(c))) {
				break;
			} else if (!delimiter && c == quote && quote) {
				quote = 0;
			} else if (!delimiter && !quote &&
				   (c == '\'' || c == '"')) {
				quote = c;
				is_word = true;
			} else {
				if (!delimiter && !quote && c == '\\' &&
				    i + 1 < text.len)
					i++;
				effects_put(&word, text.ptr + i, 1);
				is_word = true;
			}
		}
		i++;
		if (is_word)
			effects_args_add(run->walk, out, effects_built(&word),
					 run->span);
	}
}

/* -0, -d X, -I R: which character parts the words; 0: blanks. */
static char delimiter_of(const struct effects_run *run)
{
	const struct effects_word *given = option_word(run, "delimiter");

	if (given && given->text.len == 2 && given->text.ptr[0] == '\\')
		return given->text.ptr[1] == 't' ? '\t' : '\n';
	if (given && given->text.len == 1)
		return given->text.ptr[0];
	return effects_has(&run->parsed, "null") ||
			       effects_has(&run->parsed, "replace")
		       ? '\n'
		       : 0;
}

/* xargs -I R: the command once for each line, R replaced in its words. */
static void run_replaced(struct effects_run *run, struct effects_text what,
			 const struct effects_args *lines)
{
	const struct effects_args *args = &run->parsed.args;

	for (size_t n = 0; n < lines->count; n++) {
		struct effects_args inner = { 0 };

		for (size_t i = run->parsed.rest; i < args->count; i++)
			effects_args_add(
				run->walk, &inner,
				effects_replace(run->walk, args->items[i].text,
						what, lines->items[n].text),
				args->items[i].span);
		effects_inner(run->walk, &run->inside, run->parsed.row->name,
			      &inner, 0, run->span);
	}
}

static bool run_xargs(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.args;
	const struct effects_word *what = option_word(run, "replace");
	const struct effects_word *file = option_word(run, "arg-file");
	struct effects_args inner = { 0 };
	struct effects_args words = { 0 };
	bool is_maybe = run->walk->is_maybe;
	bool is_known;
	struct effects_text input =
		file ? effects_read(run, file->text)
		     : effects_input(run->walk, &run->inside, &is_known);

	if (run->parsed.has_unknown_option)
		effects_opaque(run->walk, BL_FACT_OPAQUE_OPTION,
			       run->parsed.unknown_option, run->span);
	split_words(run, input, delimiter_of(run), &words);
	if (run->parsed.rest == SIZE_MAX) {
		for (size_t i = 0; i < words.count; i++)
			effects_output(run->walk, &run->inside,
				       words.items[i].text);
		return true;
	}
	run->walk->is_maybe = is_maybe || !effects_is_known(input);
	if (what || effects_has(&run->parsed, "replace")) {
		run_replaced(run,
			     what ? what->text : effects_text(BL_STR("{}")),
			     &words);
	} else {
		for (size_t i = run->parsed.rest; i < args->count; i++)
			effects_args_add(run->walk, &inner, args->items[i].text,
					 args->items[i].span);
		for (size_t i = 0; i < words.count; i++)
			effects_args_add(run->walk, &inner, words.items[i].text,
					 words.items[i].span);
		effects_inner(run->walk, &run->inside, run->parsed.row->name,
			      &inner, 0, run->span);
	}
	run->walk->is_maybe = is_maybe;
	return true;
}

static bool is_separator(struct effects_text word)
{
	return effects_is(word, ":::") || effects_is(word, ":::+") ||
	       effects_is(word, "::::") || effects_is(word, "::::+");
}

static bool run_parallel(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.args;
	size_t first =
		run->parsed.rest == SIZE_MAX ? args->count : run->parsed.rest;
	size_t end = first;
	struct effects_args lines = { 0 };
	struct effects_builder command;
	bool is_known;

	while (end < args->count && !is_separator(args->items[end].text))
		end++;
	effects_builder_init(&command, run->walk->arena, UINT32_MAX);
	for (size_t i = first; i < end; i++) {
		effects_put_text(&command, args->items[i].text);
		effects_put(&command, " ", 1);
	}
	for (size_t i = end + 1; i < args->count; i++) {
		if (!is_separator(args->items[i].text))
			effects_args_add(run->walk, &lines, args->items[i].text,
					 args->items[i].span);
	}
	if (end == args->count)
		split_words(run,
			    effects_input(run->walk, &run->inside, &is_known),
			    '\n', &lines);
	effects_wrap(run->walk, BL_STR("parallel"));
	for (size_t i = 0; i < lines.count; i++) {
		struct effects_text text = effects_built(&command);
		struct effects_text own = effects_replace(
			run->walk, text, effects_text(BL_STR("{}")),
			lines.items[i].text);

		if (own.ptr == text.ptr)
			own = effects_join(run->walk->arena, text,
					   lines.items[i].text);
		effects_run_text(run->walk, &run->inside, own, true, NULL,
				 run->span);
	}
	effects_unwrap(run->walk);
	return true;
}

/* ---- what is made of nothing but a name ---------------------------------------------- */

/* NAME.XXXXXX in the folder, with a hole in place of the Xs and what follows. */
static struct effects_text temporary_name(struct effects_run *run,
					  struct effects_text folder,
					  struct effects_text name)
{
	struct effects_walk *walk = run->walk;
	size_t at = bl_str_find(effects_str(name), BL_STR("XXX"), 0);
	struct effects_text hole =
		effects_hole(walk, BL_STR("XXXXXX"), 0, false);

	if (folder.ptr && !(name.len && name.ptr[0] == '/')) {
		folder = effects_join(walk->arena, folder,
				      effects_text(BL_STR("/")));
		name = effects_join(walk->arena, folder, name);
		at += at == SIZE_MAX ? 0 : folder.len;
	}
	return effects_join(
		walk->arena,
		effects_cut(name, 0, at == SIZE_MAX ? name.len : at), hole);
}

/*
 * mktemp: a new file or folder.  Its name begins with the template; without one, or
 * with -p or -t, it is below the folder for temporary files.
 */
static bool run_mktemp(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;
	const struct effects_word *where = option_word(run, "p");
	struct effects_text folder = { "/tmp", 4, 0 };
	struct effects_text path;

	if (!where)
		where = option_word(run, "tmpdir");
	effects_value(run->walk, &run->inside, BL_STR("TMPDIR"), &folder);
	if (where && where->text.len)
		folder = where->text;
	else if (args->count && !effects_has(&run->parsed, "tmpdir") &&
		 !effects_has(&run->parsed, "t"))
		folder = (struct effects_text){ NULL, 0, 0 };
	path = temporary_name(run, folder,
			      args->count ? args->items[0].text
					  : effects_text(BL_STR("tmp.XXX")));
	if (!effects_has(&run->parsed, "dry-run"))
		effects_add_path(run->walk, &run->inside, BL_FACT_WRITE,
				 (struct bl_str){ NULL, 0 }, path,
				 effects_has(&run->parsed, "directory")
					 ? BL_FACT_IS_FOLDER
					 : 0,
				 0, run->span);
	effects_output(run->walk, &run->inside, path);
	return true;
}

/* grep -r without a file searches the folder where it runs. */
static bool run_grep(struct effects_run *run)
{
	if (effects_has(&run->parsed, "recursive") &&
	    !effects_word_of(run, "read", 0))
		effects_add_path(run->walk, &run->inside, BL_FACT_READ,
				 (struct bl_str){ NULL, 0 },
				 effects_text(BL_STR(".")), run->parsed.details,
				 0, run->span);
	return false;
}

/* wget URL, curl -O URL: a file with the last name of the address. */
static bool run_download(struct effects_run *run)
{
	bool is_curl = bl_str_is(run->parsed.row->name, "curl");

	if (effects_has(&run->parsed, "output-document") ||
	    (is_curl && !effects_has(&run->parsed, "remote-name") &&
	     !effects_has(&run->parsed, "remote-name-all")))
		return false;
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		struct effects_text url = run->parsed.words[i].text;
		struct effects_path path;
		size_t end = url.len, from;

		if (!bl_str_is(run->parsed.words[i].role, "url") ||
		    !effects_is_known(url))
			continue;
		for (size_t k = 0; k < url.len && end == url.len; k++)
			if (url.ptr[k] == '?' || url.ptr[k] == '#')
				end = k;
		from = end;
		while (from && url.ptr[from - 1] != '/')
			from--;
		if (from == end)
			continue;
		effects_path(run->walk, &run->inside,
			     effects_cut(url, from, end), 0, &path);
		if (path.state == BL_FACT_KNOWN)
			effects_file_put(
				run->walk, effects_str(path.text),
				effects_hole(run->walk, effects_str(url),
					     BL_FACT_FROM_NETWORK, true),
				false);
	}
	return false;
}

/* flock FILE COMMAND makes the file; a number is a descriptor. */
static bool run_flock(struct effects_run *run)
{
	const struct effects_word *lock = effects_word_of(run, "skip", 0);
	size_t digits = 0;

	while (lock && digits < lock->text.len &&
	       lock->text.ptr[digits] >= '0' && lock->text.ptr[digits] <= '9')
		digits++;
	if (lock && digits < lock->text.len)
		effects_add_path(run->walk, &run->inside, BL_FACT_WRITE,
				 (struct bl_str){ NULL, 0 }, lock->text,
				 BL_FACT_IS_APPEND, 0, lock->span);
	return false;
}

/* npm pkg set scripts.NAME=TEXT: a line that is run later. */
static bool run_npm_pkg(struct effects_run *run)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		struct effects_text word = run->parsed.words[i].text;
		const char *equals =
			word.len ? memchr(word.ptr, '=', word.len) : NULL;

		if (equals &&
		    bl_str_has_prefix(effects_str(word), BL_STR("scripts.")))
			effects_run_text(
				run->walk, &run->inside,
				effects_cut(word,
					    (size_t)(equals + 1 - word.ptr),
					    word.len),
				true, NULL, run->parsed.words[i].span);
	}
	return effects_package_edit(run);
}

/* ---- tar, ln, vim, tmux --------------------------------------------------------------- */

/* --checkpoint-action=exec=TEXT */
static bool run_tar(struct effects_run *run)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word word = run->parsed.words[i];

		if (bl_str_is(word.option, "checkpoint-action") &&
		    bl_str_has_prefix(effects_str(word.text), BL_STR("exec=")))
			effects_run_text(
				run->walk, &run->inside,
				effects_cut(word.text, 5, word.text.len), true,
				NULL, word.span);
	}
	return false;
}

/* ln -s TARGET NAME: later words of the line go through the link. */
static bool run_ln(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;
	struct effects_path path;

	if (args->count != 2 || !effects_is_known(args->items[0].text))
		return false;
	effects_path(run->walk, &run->inside, args->items[1].text,
		     EFFECTS_PATH_KEEP_LINK, &path);
	if (path.state == BL_FACT_KNOWN && path.file != BL_EFFECTS_FILE_FOLDER)
		effects_link(run->walk, effects_str(path.text),
			     effects_str(args->items[0].text));
	return false;
}

/* tmux send-keys: words are typed; Enter and C-m end a line. */
static bool run_keys(struct effects_run *run)
{
	struct effects_builder text;
	const struct effects_args *args = &run->parsed.operands;

	effects_builder_init(&text, run->walk->arena, UINT32_MAX);
	for (size_t i = 0; i < args->count; i++) {
		struct effects_text word = args->items[i].text;

		if (effects_is(word, "Enter") || effects_is(word, "C-m") ||
		    effects_is(word, "KPEnter"))
			effects_put(&text, "\n", 1);
		else if (effects_is(word, "Space"))
			effects_put(&text, " ", 1);
		else
			effects_put_text(&text, word);
	}
	effects_wrap(run->walk, BL_STR("tmux"));
	effects_run_text(run->walk, &run->inside, effects_built(&text), true,
			 NULL, run->span);
	effects_unwrap(run->walk);
	return true;
}

/* -o ProxyCommand=TEXT, LocalCommand, KnownHostsCommand run here. */
static bool run_ssh(struct effects_run *run)
{
	static const char *const keys[] = { "proxycommand", "localcommand",
					    "knownhostscommand" };
	enum bl_fact_where where = run->walk->where;

	run->walk->where = BL_FACT_HERE;
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word word = run->parsed.words[i];
		size_t len;

		if (!bl_str_is(word.role, "sshoption"))
			continue;
		for (size_t k = 0; k < BL_COUNT(keys); k++) {
			len = strlen(keys[k]);
			if (word.text.len <= len ||
			    strncasecmp(word.text.ptr, keys[k], len) != 0)
				continue;
			effects_run_text(
				run->walk, run->state,
				effects_cut(word.text, len + 1, word.text.len),
				true, NULL, word.span);
		}
	}
	run->walk->where = where;
	return false;
}

static const struct {
	const char *mode;
	bool (*run)(struct effects_run *run);
} modes[] = {
	{ "@shell", run_shell },
	{ "@env", run_env },
	{ "@fd", effects_fd },
	{ "@find", effects_find },
	{ "@xargs", run_xargs },
	{ "@parallel", run_parallel },
	{ "@mktemp", run_mktemp },
	{ "@grep", run_grep },
	{ "@flock", run_flock },
	{ "@download", run_download },
	{ "@split", effects_split },
	{ "@compress", effects_compress },
	{ "@tar", run_tar },
	{ "@npm-pkg", run_npm_pkg },
	{ "@ln", run_ln },
	{ "@vim", effects_vim },
	{ "@gdb", effects_gdb },
	{ "@less", effects_less },
	{ "@socat", effects_socat },
	{ "@ed", effects_ed },
	{ "@keys", run_keys },
	{ "@ssh", run_ssh },
	{ "@make", effects_make },
	{ "@package-script", effects_package_script },
	{ "@lifecycle", effects_lifecycle },
};

bool effects_special(struct effects_run *run)
{
	if (effects_git(run))
		return true;
	for (size_t i = 0; i < BL_COUNT(modes); i++) {
		if (!effects_mode(run->parsed.row, modes[i].mode))
			continue;
		/* A mode that does all of it prints, too. */
		run->has_printed = modes[i].run(run);
		return run->has_printed;
	}
	return false;
}
