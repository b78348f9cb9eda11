/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/special.c: the modes of rows whose grammar no row can say: shells,
 * find, xargs, parallel, env -S.  (git has a file of its own.)
 */
#include <strings.h>

#include "effects/private.h"

static struct effects_text mark_all(struct effects_walk *walk)
{
	struct effects_builder text;

	effects_builder_init(&text, walk->arena, 8);
	effects_put_mark(&text, '*');
	return effects_built(&text);
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

static bool run_shell(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;
	size_t first = first_operand(args);
	bool is_known;
	struct effects_text input;

	if (effects_has(&run->parsed, "noexec"))
		return true;
	if (effects_has(&run->parsed, "command")) {
		if (first < args->count)
			effects_code(run->walk, &run->inside, BL_STR("shell"),
				     args->items[first].text, args, first + 2,
				     args->items[first].span);
		return true;
	}
	if (first < args->count && !effects_has(&run->parsed, "stdin")) {
		effects_script_file(run->walk, &run->inside, BL_STR("shell"),
				    args->items[first].text, args, first + 1,
				    args->items[first].span);
		return true;
	}
	input = effects_input(run->walk, &run->inside, &is_known);
	if (is_known)
		effects_code(run->walk, &run->inside, BL_STR("shell"), input,
			     args, first, run->span);
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

/* ---- find ------------------------------------------------------------------------- */

struct finding {
	struct effects_run *run;
	const struct effects_args *args;
	size_t paths_end;         /* words 1..paths_end are where it looks */
	struct effects_text name; /* of -name; ptr NULL: any */
	bool has_test;
	bool has_format; /* it prints in a form of its own */
};

/* Words that a test or an action takes behind it. */
static size_t find_arity(struct effects_text word)
{
	static const char *const one[] = {
		"-name",      "-iname",    "-path",      "-ipath",
		"-wholename", "-regex",    "-iregex",    "-lname",
		"-ilname",    "-type",     "-xtype",     "-size",
		"-perm",      "-user",     "-group",     "-uid",
		"-gid",       "-links",    "-inum",      "-samefile",
		"-newer",     "-anewer",   "-cnewer",    "-mtime",
		"-mmin",      "-atime",    "-amin",      "-ctime",
		"-cmin",      "-used",     "-fstype",    "-context",
		"-maxdepth",  "-mindepth", "-regextype", "-files0-from",
		"-printf",    "-fprint",   "-fprint0",   "-fls",
		"-newermt",   "-newerct",
	};

	for (size_t i = 0; i < BL_COUNT(one); i++) {
		if (effects_is(word, one[i]))
			return 1;
	}
	return effects_is(word, "-fprintf") ? 2 : 0;
}

/* Where a path of the search lies: PATH/NAME, or PATH itself without a test. */
static struct effects_text found_text(const struct finding *f,
				      struct effects_text path)
{
	struct effects_walk *walk = f->run->walk;
	struct effects_builder text;

	if (!f->has_test)
		return path;
	effects_builder_init(&text, walk->arena, UINT32_MAX);
	effects_put_text(&text, path);
	effects_put(&text, "/", 1);
	if (!f->name.ptr) {
		effects_put_text(&text, mark_all(walk));
		return effects_built(&text);
	}
	for (size_t i = 0; i < f->name.len; i++) {
		char c = f->name.ptr[i];

		if (c && strchr("*?[", c))
			effects_put_mark(&text, c);
		else
			effects_put(&text, &c, 1);
	}
	return effects_built(&text);
}

static void find_delete(const struct finding *f, struct bl_shell_span span)
{
	for (size_t i = 1; i < f->paths_end; i++)
		effects_add_path(f->run->walk, &f->run->inside, BL_FACT_DELETE,
				 (struct bl_str){ NULL, 0 },
				 found_text(f, f->args->items[i].text),
				 BL_FACT_IS_RECURSIVE, 0, span);
}

/* -exec CMD {} ; : the command for what is found below each path. */
static void find_exec(const struct finding *f, size_t first, size_t end)
{
	struct effects_walk *walk = f->run->walk;
	bool is_maybe = walk->is_maybe;

	for (size_t p = 1; p < f->paths_end; p++) {
		struct effects_args inner = { 0 };
		struct effects_text found =
			found_text(f, f->args->items[p].text);

		for (size_t i = first; i < end; i++) {
			struct effects_text word = f->args->items[i].text;
			size_t at =
				bl_str_find(effects_str(word), BL_STR("{}"), 0);

			if (at != SIZE_MAX) {
				struct effects_text tail =
					effects_cut(word, at + 2, word.len);

				word = effects_join(walk->arena,
						    effects_cut(word, 0, at),
						    found);
				word = effects_join(walk->arena, word, tail);
			}
			effects_args_add(walk, &inner, word,
					 f->args->items[i].span);
		}
		walk->is_maybe = true;
		effects_inner(walk, &f->run->inside, BL_STR("find"), &inner, 0,
			      f->run->span);
		walk->is_maybe = is_maybe;
	}
}

static size_t exec_end(const struct effects_args *args, size_t from)
{
	while (from < args->count && !effects_is(args->items[from].text, ";") &&
	       !(effects_is(args->items[from].text, "+") &&
		 effects_is(args->items[from - 1].text, "{}")))
		from++;
	return from;
}

static bool is_expression(struct effects_text word)
{
	return word.len &&
	       (word.ptr[0] == '-' || word.ptr[0] == '(' ||
		word.ptr[0] == '!') &&
	       word.len > (word.ptr[0] == '-');
}

static void find_actions(struct finding *f, size_t i)
{
	for (; i < f->args->count && !f->run->walk->is_over; i++) {
		struct effects_text word = f->args->items[i].text;
		size_t arity = find_arity(word);

		if (effects_is(word, "-exec") || effects_is(word, "-execdir") ||
		    effects_is(word, "-ok") || effects_is(word, "-okdir")) {
			size_t end = exec_end(f->args, i + 1);

			find_exec(f, i + 1, end);
			i = end;
			continue;
		}
		if (effects_is(word, "-delete"))
			find_delete(f, f->args->items[i].span);
		if (bl_str_has_prefix(effects_str(word), BL_STR("-f")) &&
		    arity && !effects_is(word, "-fstype") &&
		    !effects_is(word, "-files0-from") && i + 1 < f->args->count)
			effects_add_path(f->run->walk, &f->run->inside,
					 BL_FACT_WRITE, BL_STR("find"),
					 f->args->items[i + 1].text, 0, 0,
					 f->args->items[i + 1].span);
		if ((effects_is(word, "-name") || effects_is(word, "-iname")) &&
		    i + 1 < f->args->count && !f->name.ptr)
			f->name = f->args->items[i + 1].text;
		if (arity && !effects_is(word, "-maxdepth") &&
		    !effects_is(word, "-printf") &&
		    !effects_is(word, "-mindepth"))
			f->has_test = true;
		f->has_format |= effects_is(word, "-printf");
		i += arity;
	}
}

static void find_output(const struct finding *f)
{
	struct effects_walk *walk = f->run->walk;

	if (f->has_format) {
		effects_output(walk, &f->run->inside,
			       effects_hole(walk, BL_STR("find"),
					    BL_FACT_FROM_GENERATED, true));
		return;
	}
	for (size_t i = 1; i < f->paths_end; i++) {
		struct finding all = *f;

		all.has_test = true;
		effects_output(
			walk, &f->run->inside,
			effects_join(walk->arena,
				     found_text(&all, f->args->items[i].text),
				     effects_text(BL_STR("\n"))));
	}
}

static bool run_find(struct effects_run *run)
{
	struct effects_walk *walk = run->walk;
	struct effects_args words = { 0 };
	struct finding f = { .run = run, .args = &words };
	const struct effects_args *args = &run->parsed.args;
	size_t i = 1;

	/* -H -L -P -D x -On stand before the paths. */
	while (i < args->count && args->items[i].text.len > 1 &&
	       args->items[i].text.ptr[0] == '-' &&
	       strchr("HLPDO", args->items[i].text.ptr[1]))
		i += args->items[i].text.ptr[1] == 'D' ? 2 : 1;
	effects_args_add(walk, &words, args->items[0].text,
			 args->items[0].span);
	while (i < args->count && !is_expression(args->items[i].text)) {
		effects_args_add(walk, &words, args->items[i].text,
				 args->items[i].span);
		i++;
	}
	if (words.count == 1)
		effects_args_add(walk, &words, effects_text(BL_STR(".")),
				 run->span);
	f.paths_end = words.count;
	for (; i < args->count; i++)
		effects_args_add(walk, &words, args->items[i].text,
				 args->items[i].span);
	for (size_t p = 1; p < f.paths_end; p++)
		effects_add_path(walk, &run->inside, BL_FACT_READ,
				 (struct bl_str){ NULL, 0 },
				 words.items[p].text,
				 BL_FACT_IS_NAMES | BL_FACT_IS_RECURSIVE, 0,
				 words.items[p].span);
	find_actions(&f, f.paths_end);
	find_output(&f);
	return true;
}

/* ---- xargs and parallel ------------------------------------------------------------ */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* The words of a text, as xargs reads them; by_line: only newlines part. */
static void split_words(struct effects_run *run, struct effects_text text,
			bool by_line, struct effects_args *out)
{
	size_t i = 0;

	while (i < text.len) {
		size_t from;

		while (i < text.len &&
		       (by_line ? text.ptr[i] == '\n' : is_blank(text.ptr[i])))
			i++;
		from = i;
		while (i < text.len &&
		       !(by_line ? text.ptr[i] == '\n' : is_blank(text.ptr[i])))
			i += text.ptr[i] ? 1 : 2;
		if (i > text.len)
			i = text.len;
		if (i > from)
			effects_args_add(run->walk, out,
					 effects_cut(text, from, i), run->span);
	}
}

static const struct effects_word *option_word(const struct effects_run *run,
					      const char *option)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		if (bl_str_is(run->parsed.words[i].option, option))
			return &run->parsed.words[i];
	}
	return NULL;
}

static struct effects_text replace(struct effects_walk *walk,
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

/* xargs -I R: the command once for each line, R replaced in its words. */
static void run_replaced(struct effects_run *run, struct effects_text what,
			 const struct effects_args *lines)
{
	const struct effects_args *args = &run->parsed.args;

	for (size_t n = 0; n < lines->count; n++) {
		struct effects_args inner = { 0 };

		for (size_t i = run->parsed.rest; i < args->count; i++)
			effects_args_add(run->walk, &inner,
					 replace(run->walk, args->items[i].text,
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
	split_words(run, input, what || effects_has(&run->parsed, "replace"),
		    &words);
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
			    true, &lines);
	effects_wrap(run->walk, BL_STR("parallel"));
	for (size_t i = 0; i < lines.count; i++) {
		struct effects_text text = effects_built(&command);
		struct effects_text own =
			replace(run->walk, text, effects_text(BL_STR("{}")),
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

/* mktemp: a new name below the folder for temporary files. */
static bool run_mktemp(struct effects_run *run)
{
	struct effects_text folder = { "/tmp", 4, 0 };
	struct effects_text path;

	effects_value(run->walk, &run->inside, BL_STR("TMPDIR"), &folder);
	path = effects_join(run->walk->arena, folder,
			    effects_text(BL_STR("/tmp.")));
	path = effects_join(
		run->walk->arena, path,
		effects_hole(run->walk, BL_STR("XXXXXX"), 0, false));
	effects_output(run->walk, &run->inside, path);
	return true;
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

/* -c '!TEXT', '+!TEXT', ':r !TEXT': a shell runs it. */
static void run_ex(struct effects_run *run, struct effects_text text,
		   struct bl_shell_span span)
{
	const char *mark = text.len ? memchr(text.ptr, '!', text.len) : NULL;
	size_t at = mark ? (size_t)(mark - text.ptr) : 0;

	/* q! and w! only force. */
	if (!mark || at + 1 >= text.len)
		return;
	effects_run_text(run->walk, &run->inside,
			 effects_cut(text, at + 1, text.len), true, NULL, span);
}

static bool run_vim(struct effects_run *run)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word word = run->parsed.words[i];

		if (bl_str_is(word.role, "text") ||
		    (word.text.len && word.text.ptr[0] == '+'))
			run_ex(run, word.text, word.span);
	}
	return false;
}

/* gdb -ex 'shell TEXT', '!TEXT' */
static bool run_gdb(struct effects_run *run)
{
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word word = run->parsed.words[i];

		if (!bl_str_is(word.role, "text"))
			continue;
		if (bl_str_has_prefix(effects_str(word.text), BL_STR("shell ")))
			effects_run_text(
				run->walk, &run->inside,
				effects_cut(word.text, 6, word.text.len), true,
				NULL, word.span);
		else
			run_ex(run, word.text, word.span);
	}
	return false;
}

/* ed reads commands: lines with a ! run. */
static bool run_ed(struct effects_run *run)
{
	bool is_known;
	struct effects_text input =
		effects_input(run->walk, &run->inside, &is_known);
	size_t from = 0;

	for (size_t i = 0; is_known && i <= input.len; i++) {
		if (i < input.len && input.ptr[i] != '\n')
			continue;
		run_ex(run, effects_cut(input, from, i), run->span);
		from = i + 1;
	}
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
	{ "@find", run_find },
	{ "@xargs", run_xargs },
	{ "@parallel", run_parallel },
	{ "@mktemp", run_mktemp },
	{ "@tar", run_tar },
	{ "@ln", run_ln },
	{ "@vim", run_vim },
	{ "@gdb", run_gdb },
	{ "@ed", run_ed },
	{ "@keys", run_keys },
	{ "@ssh", run_ssh },
	{ "@make", effects_make },
	{ "@package-script", effects_package_script },
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
