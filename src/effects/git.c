/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/git.c: what the words of git mean beyond its rows: refspecs, paths that
 * a checkout overwrites, settings that name programs, aliases.
 */
#include "effects/private.h"

enum {
	CONFIG_BYTES = 64 << 10,
	PARENTS = 16, /* how far up a repository may begin */
};

/* Settings whose value is a program or text for a shell. */
static const char *const program_settings[] = {
	"core.sshcommand",
	"core.pager",
	"core.editor",
	"core.fsmonitor",
	"core.askpass",
	"core.gitproxy",
	"core.alternaterefscommand",
	"diff.external",
	"sequence.editor",
	"credential.helper",
	"gpg.program",
	"gpg.ssh.program",
	"interactive.difffilter",
	"uploadpack.packobjectshook",
	"sendemail.smtpserver",
	"init.templatedir",
	"include.path",
};

static const char *const program_endings[] = {
	".command", ".textconv", ".cmd",        ".driver",      ".clean",
	".smudge",  ".process",  ".uploadpack", ".receivepack", ".helper",
};

static void lower(struct bl_str text, char *out, size_t size)
{
	size_t i = 0;

	for (; i < text.len && i + 1 < size; i++) {
		char c = text.ptr[i];

		out[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
	}
	out[i] = 0;
}

static bool names_program(struct bl_str key)
{
	char low[128];
	struct bl_str text;

	lower(key, low, sizeof(low));
	text = bl_str(low);
	for (size_t i = 0; i < BL_COUNT(program_settings); i++) {
		if (bl_str_is(text, program_settings[i]))
			return true;
	}
	for (size_t i = 0; i < BL_COUNT(program_endings); i++) {
		if (bl_str_has_suffix(text, bl_str(program_endings[i])))
			return true;
	}
	return bl_str_has_prefix(text, BL_STR("pager."));
}

static bool is_hooks_path(struct bl_str key)
{
	char low[64];

	lower(key, low, sizeof(low));
	return bl_str_is(bl_str(low), "core.hookspath");
}

/* gc.reflogExpire and its kind with a value that keeps nothing. */
static bool ends_recovery(struct bl_str key, struct effects_text value)
{
	static const char *const settings[] = { "gc.reflogexpire",
						"gc.reflogexpireunreachable",
						"gc.pruneexpire" };
	char low[64];
	bool is_one = false;

	lower(key, low, sizeof(low));
	for (size_t i = 0; i < BL_COUNT(settings); i++)
		is_one |= bl_str_is(bl_str(low), settings[i]);
	return is_one && (effects_is(value, "now") ||
			  effects_is(value, "all") || effects_is(value, "0"));
}

static bool is_alias(struct bl_str key)
{
	char low[64];

	lower(key, low, sizeof(low));
	return bl_str_has_prefix(bl_str(low), BL_STR("alias."));
}

/* cat, less, true, and the like do nothing as a pager or editor. */
static bool is_harmless(struct effects_text value)
{
	static const char *const harmless[] = {
		"", "cat", "less", "true", ":", "false", "more", "ssh", "delta",
	};

	for (size_t i = 0; i < BL_COUNT(harmless); i++) {
		if (effects_is(value, harmless[i]))
			return true;
	}
	return false;
}

static void run_setting(struct effects_run *run, struct effects_text value,
			struct bl_shell_span span)
{
	if (is_harmless(value))
		return;
	if (value.len && value.ptr[0] == '!')
		value = effects_cut(value, 1, value.len);
	effects_wrap(run->walk, BL_STR("git"));
	effects_run_text(run->walk, &run->inside, value, true, NULL, span);
	effects_unwrap(run->walk);
}

/* -c KEY=VALUE */
static void apply_setting(struct effects_run *run,
			  const struct effects_word *word)
{
	const char *equals =
		word->text.len ? memchr(word->text.ptr, '=', word->text.len)
			       : NULL;
	struct bl_str key;
	struct effects_text value;

	if (!equals)
		return;
	key = bl_str_slice(effects_str(word->text), 0,
			   (size_t)(equals - word->text.ptr));
	value = effects_cut(word->text, key.len + 1, word->text.len);
	if (ends_recovery(key, value))
		effects_add_plain(run->walk, BL_FACT_GIT, BL_STR("recovery"),
				  NULL, 0, word->span);
	if (is_hooks_path(key))
		effects_add_plain(run->walk, BL_FACT_GIT, BL_STR("hook-skip"),
				  &value, 0, word->span);
	else if (names_program(key)) {
		struct effects_text name = effects_text(key);

		if (!is_harmless(value))
			effects_add_plain(run->walk, BL_FACT_CONFIG,
					  BL_STR("git-program"), &name, 0,
					  word->span);
		run_setting(run, value, word->span);
	}
}

/* ---- aliases ----------------------------------------------------------------- */

/* FILE in the .git of the repository: that of the folder, or of one above it. */
static struct effects_text git_file(struct effects_run *run, const char *file)
{
	struct bl_arena *arena = run->walk->arena;
	struct effects_text up = effects_text(BL_STR(""));
	struct effects_path path;

	for (unsigned levels = 0; levels < PARENTS; levels++) {
		effects_path(
			run->walk, &run->inside,
			effects_join(arena, up, effects_text(BL_STR(".git"))),
			0, &path);
		if (path.state != BL_FACT_KNOWN)
			break;
		if (path.file == BL_EFFECTS_FILE_FOLDER)
			return effects_join(arena, up,
					    effects_text(bl_arena_printf(
						    arena, ".git/%s", file)));
		up = effects_join(arena, up, effects_text(BL_STR("../")));
	}
	return effects_text(bl_arena_printf(arena, ".git/%s", file));
}

/* The value of NAME in the section [alias] of a configuration's text. */
static struct bl_str alias_in(struct bl_str text, struct bl_str name)
{
	bool is_section = false;
	size_t at = 0;

	while (at < text.len) {
		size_t end = bl_str_find(text, BL_STR("\n"), at);
		struct bl_str line;
		size_t equals;

		if (end == SIZE_MAX)
			end = text.len;
		line = bl_str_trim(bl_str_slice(text, at, end));
		at = end + 1;
		if (line.len && line.ptr[0] == '[')
			is_section = bl_str_is(line, "[alias]");
		equals = bl_str_find(line, BL_STR("="), 0);
		if (!is_section || equals == SIZE_MAX ||
		    !bl_str_equal(bl_str_trim(bl_str_slice(line, 0, equals)),
				  name))
			continue;
		return bl_str_trim(bl_str_slice(line, equals + 1, SIZE_MAX));
	}
	return (struct bl_str){ NULL, 0 };
}

static struct bl_str alias_in_file(struct effects_run *run,
				   struct effects_text file, struct bl_str name)
{
	struct effects_path path;
	struct effects_text content;

	effects_path(run->walk, &run->inside, file, 0, &path);
	if (!effects_content(run->walk, &path, &content))
		return (struct bl_str){ NULL, 0 };
	return alias_in(effects_str(content), name);
}

static struct bl_str find_alias(struct effects_run *run, struct bl_str name)
{
	static const char *const own_files[] = { "/.gitconfig",
						 "/.config/git/config" };
	struct bl_str value = { NULL, 0 };
	struct effects_text home;

	for (size_t i = 0; i < run->parsed.word_count; i++) {
		struct bl_str text = effects_str(run->parsed.words[i].text);
		size_t equals = bl_str_find(text, BL_STR("="), 0);

		if (bl_str_is(run->parsed.words[i].role, "setting") &&
		    equals != SIZE_MAX && is_alias(text) &&
		    bl_str_equal(bl_str_slice(text, 6, equals), name))
			value = bl_str_slice(text, equals + 1, SIZE_MAX);
	}
	if (value.ptr)
		return value;
	value = alias_in_file(run, git_file(run, "config"), name);
	if (!effects_value(run->walk, &run->inside, BL_STR("HOME"), &home))
		return value;
	for (size_t i = 0; !value.ptr && i < BL_COUNT(own_files); i++)
		value = alias_in_file(
			run,
			effects_join(run->walk->arena, home,
				     effects_text(bl_str(own_files[i]))),
			name);
	return value;
}

/* The words behind the name of the alias, options and all, each one word again. */
static void put_arguments(struct effects_run *run, struct effects_builder *text)
{
	const struct effects_args *args = &run->parsed.args;
	const char *name = run->parsed.operands.items[0].text.ptr;
	size_t i = 0;

	while (i < args->count && args->items[i].text.ptr != name)
		i++;
	for (i++; i < args->count; i++) {
		struct effects_text word = args->items[i].text;
		struct bl_str quoted = { NULL, 0 };

		if (effects_is_known(word))
			quoted = bl_shell_single_quote(run->walk->arena,
						       effects_str(word));
		effects_put(text, " ", 1);
		if (quoted.ptr)
			effects_put(text, quoted.ptr, quoted.len);
		else
			effects_put_text(text, word);
	}
}

static bool run_alias(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;
	struct effects_builder text;
	struct bl_str value;
	bool is_shell;

	if (!args->count)
		return true;
	value = find_alias(run, effects_str(args->items[0].text));
	if (!value.ptr) {
		effects_opaque(run->walk, BL_FACT_OPAQUE_SUBCOMMAND,
			       args->items[0].text, args->items[0].span);
		return true;
	}
	is_shell = value.len && value.ptr[0] == '!';
	effects_builder_init(&text, run->walk->arena, CONFIG_BYTES);
	if (!is_shell)
		effects_put(&text, "git ", 4);
	effects_put(&text, value.ptr + is_shell, value.len - is_shell);
	put_arguments(run, &text);
	effects_wrap(run->walk, BL_STR("git"));
	effects_run_text(run->walk, &run->inside, effects_built(&text), true,
			 NULL, run->span);
	effects_unwrap(run->walk);
	return true;
}

/* ---- subcommands ---------------------------------------------------------------- */

/* +ref overwrites, :ref deletes. */
static void apply_push(struct effects_run *run)
{
	if (effects_has(&run->parsed, "dry-run"))
		return;
	for (size_t i = 1; i < run->parsed.operands.count; i++) {
		struct effects_arg *ref = &run->parsed.operands.items[i];
		struct effects_text name =
			effects_cut(ref->text, 1, ref->text.len);

		if (!ref->text.len)
			continue;
		if (ref->text.ptr[0] == '+')
			effects_add_plain(run->walk, BL_FACT_REMOTE,
					  BL_STR("force-push"), &name,
					  BL_FACT_IS_FORCE, ref->span);
		else if (ref->text.ptr[0] == ':' && ref->text.len > 1)
			effects_add_plain(run->walk, BL_FACT_REMOTE,
					  BL_STR("delete-ref"), &name, 0,
					  ref->span);
	}
}

static size_t dashes_at(const struct effects_args *args)
{
	size_t i = 0;

	while (i < args->count && !effects_is(args->items[i].text, "--"))
		i++;
	return i;
}

/* git clone ADDRESS: the folder has the last name of the address. */
static void apply_clone(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;
	struct effects_text name;
	size_t from, end;

	if (args->count != 1)
		return;
	name = args->items[0].text;
	end = name.len;
	while (end && name.ptr[end - 1] == '/')
		end--;
	if (end > 4 && !memcmp(name.ptr + end - 4, ".git", 4) &&
	    !effects_has(&run->parsed, "bare"))
		end -= 4;
	from = end;
	while (from && name.ptr[from - 1] != '/' && name.ptr[from - 1] != ':')
		from--;
	effects_add_path(
		run->walk, &run->inside, BL_FACT_WRITE,
		(struct bl_str){ NULL, 0 }, effects_cut(name, from, end),
		BL_FACT_IS_FOLDER | BL_FACT_IS_RECURSIVE, 0, run->span);
}

static bool is_file(struct effects_run *run, struct effects_text text)
{
	struct effects_path path;

	effects_path(run->walk, &run->inside, text, 0, &path);
	return path.state != BL_FACT_KNOWN ||
	       (path.file != BL_EFFECTS_FILE_MISSING &&
		path.file != BL_EFFECTS_FILE_UNKNOWN);
}

/* Paths that git checkout puts back: those behind --, or files by name. */
static void apply_checkout(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.args;
	size_t dashes = dashes_at(args);
	bool makes_branch = effects_has(&run->parsed, "b") ||
			    effects_has(&run->parsed, "B") ||
			    effects_has(&run->parsed, "orphan") ||
			    effects_has(&run->parsed, "track");

	for (size_t i = dashes + 1; i < args->count; i++)
		effects_add_path(run->walk, &run->inside, BL_FACT_GIT,
				 BL_STR("discard"), args->items[i].text, 0, 0,
				 args->items[i].span);
	if (dashes < args->count || makes_branch)
		return;
	for (size_t i = 0; i < run->parsed.operands.count; i++) {
		const struct effects_arg *arg = &run->parsed.operands.items[i];

		if (i || is_file(run, arg->text))
			effects_add_path(run->walk, &run->inside, BL_FACT_GIT,
					 BL_STR("discard"), arg->text, 0, 0,
					 arg->span);
	}
}

/* REF:PATH is a file's content. */
static void apply_show(struct effects_run *run)
{
	for (size_t i = 0; i < run->parsed.operands.count; i++) {
		struct effects_arg *arg = &run->parsed.operands.items[i];
		const char *colon = arg->text.len ? memchr(arg->text.ptr, ':',
							   arg->text.len)
						  : NULL;

		if (!colon)
			continue;
		effects_add_path(
			run->walk, &run->inside, BL_FACT_READ, BL_STR("git"),
			effects_cut(arg->text,
				    (size_t)(colon - arg->text.ptr) + 1,
				    arg->text.len),
			BL_FACT_IS_HISTORY, 0, arg->span);
	}
}

static void apply_rm(struct effects_run *run)
{
	if (effects_has(&run->parsed, "cached"))
		return;
	for (size_t i = 0; i < run->parsed.operands.count; i++) {
		struct effects_arg *arg = &run->parsed.operands.items[i];

		effects_add_path(run->walk, &run->inside, BL_FACT_DELETE,
				 BL_STR("git"), arg->text, run->parsed.details,
				 0, arg->span);
	}
}

/* The line's next git command finds the alias. */
static void keep_alias(struct effects_run *run, struct bl_str name,
		       struct effects_text value)
{
	struct effects_path path;
	struct effects_text line = effects_text(bl_arena_printf(
		run->walk->arena, "\n[alias]\n%.*s = ", BL_STR_ARG(name)));
	struct effects_text old = { "", 0, 0 };

	effects_path(run->walk, &run->inside, git_file(run, "config"), 0,
		     &path);
	if (path.state != BL_FACT_KNOWN)
		return;
	effects_content(run->walk, &path, &old);
	line = effects_join(run->walk->arena, old,
			    effects_join(run->walk->arena, line, value));
	effects_file_put(run->walk, effects_str(path.text), line, false);
}

static void apply_config(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;
	struct effects_text key, value;
	struct bl_str name;

	if (args->count < 2)
		return;
	key = args->items[0].text;
	value = args->items[1].text;
	name = effects_str(key);
	if (ends_recovery(name, value))
		effects_add_plain(run->walk, BL_FACT_GIT, BL_STR("recovery"),
				  NULL, 0, run->span);
	if (is_hooks_path(name))
		effects_add_plain(run->walk, BL_FACT_GIT, BL_STR("hook-skip"),
				  &value, run->parsed.details, run->span);
	if (is_hooks_path(name) ||
	    (names_program(name) && !is_harmless(value)) ||
	    (is_alias(name) && value.len && value.ptr[0] == '!'))
		effects_add_plain(run->walk, BL_FACT_CONFIG,
				  BL_STR("git-program"), &key,
				  run->parsed.details, run->span);
	else
		effects_add_plain(run->walk, BL_FACT_CONFIG, BL_STR("git"),
				  &key, run->parsed.details, run->span);
	if (is_alias(name))
		keep_alias(run, bl_str_slice(name, 6, SIZE_MAX), value);
	if (bl_str_find(name, BL_STR("insteadOf"), 0) != SIZE_MAX ||
	    bl_str_find(name, BL_STR("pushurl"), 0) != SIZE_MAX)
		effects_add_plain(run->walk, BL_FACT_GIT,
				  BL_STR("remote-change"), &value, 0,
				  run->span);
}

/* ext::TEXT as an address: a shell runs TEXT, in which % quotes. */
static void run_ext(struct effects_run *run, struct effects_text word,
		    struct bl_shell_span span)
{
	struct effects_builder text;

	if (!bl_str_has_prefix(effects_str(word), BL_STR("ext::")))
		return;
	effects_builder_init(&text, run->walk->arena, CONFIG_BYTES);
	for (size_t i = 5; i < word.len; i++) {
		if (word.ptr[i] == '%')
			effects_put(&text, "\\", 1);
		else
			effects_put(&text, word.ptr + i, 1);
	}
	effects_wrap(run->walk, BL_STR("git"));
	effects_run_text(run->walk, &run->inside, effects_built(&text), true,
			 NULL, span);
	effects_unwrap(run->walk);
}

/*
 * Hooks that the line wrote, or that it points git to, run as a script of the line.
 * A hook that was there before belongs to the repository: its settings decide which
 * programs start.
 */
static void run_hooks(struct effects_run *run)
{
	static const char *const hooks[] = {
		"pre-commit",  "prepare-commit-msg", "commit-msg",
		"post-commit", "post-checkout",      "post-merge",
		"pre-push",    "pre-rebase",         "post-rewrite",
	};
	struct effects_text folder = git_file(run, "hooks");
	bool is_moved = false;

	for (size_t i = 0; i < run->parsed.word_count; i++) {
		struct bl_str text = effects_str(run->parsed.words[i].text);
		size_t equals = bl_str_find(text, BL_STR("="), 0);

		if (!bl_str_is(run->parsed.words[i].role, "setting") ||
		    equals == SIZE_MAX ||
		    !is_hooks_path(bl_str_slice(text, 0, equals)))
			continue;
		folder = effects_cut(run->parsed.words[i].text, equals + 1,
				     run->parsed.words[i].text.len);
		is_moved = true;
	}
	for (size_t i = 0; i < BL_COUNT(hooks); i++) {
		struct effects_text file = effects_join(
			run->walk->arena, folder,
			effects_text(bl_arena_printf(run->walk->arena, "/%s",
						     hooks[i])));
		struct effects_path path;

		effects_path(run->walk, &run->inside, file, 0, &path);
		if (path.state != BL_FACT_KNOWN)
			continue;
		if (!is_moved &&
		    !effects_file_find(run->walk, effects_str(path.text))) {
			if (path.file == BL_EFFECTS_FILE_REGULAR)
				effects_opaque(run->walk,
					       BL_FACT_OPAQUE_SETTING,
					       path.text, run->span);
			continue;
		}
		effects_script_file(run->walk, &run->inside,
				    (struct bl_str){ NULL, 0 }, file,
				    &run->parsed.args, run->parsed.args.count,
				    run->span);
	}
}

static bool runs_hooks(struct bl_str row)
{
	static const char *const rows[] = { "git commit",   "git merge",
					    "git checkout", "git push",
					    "git rebase",   "git pull",
					    "git switch",   "git am" };

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		if (bl_str_is(row, rows[i]))
			return true;
	}
	return false;
}

/* foreach TEXT, run TEXT: the rest is for a shell. */
static void run_foreach(struct effects_run *run, const char *verb)
{
	const struct effects_args *args = &run->parsed.operands;
	struct effects_builder text;

	if (args->count < 2 || !effects_is(args->items[0].text, verb))
		return;
	effects_builder_init(&text, run->walk->arena, CONFIG_BYTES);
	for (size_t i = 1; i < args->count; i++) {
		if (i > 1)
			effects_put(&text, " ", 1);
		effects_put_text(&text, args->items[i].text);
	}
	effects_wrap(run->walk, BL_STR("git"));
	effects_run_text(run->walk, &run->inside, effects_built(&text), true,
			 NULL, run->span);
	effects_unwrap(run->walk);
}

bool effects_git(struct effects_run *run)
{
	const struct bl_effects_row *row = run->parsed.row;

	if (!bl_str_has_prefix(row->name, BL_STR("git")))
		return false;
	effects_git_settings(run);
	for (size_t i = 0; i < run->parsed.word_count; i++) {
		run_ext(run, run->parsed.words[i].text,
			run->parsed.words[i].span);
		if (bl_str_is(run->parsed.words[i].role, "setting"))
			apply_setting(run, &run->parsed.words[i]);
	}
	effects_git_taken(run);
	effects_git_pushed(run);
	if (runs_hooks(row->name))
		effects_git_skips(run);
	if (runs_hooks(row->name) && !effects_has(&run->parsed, "no-verify"))
		run_hooks(run);
	if (bl_str_is(row->name, "git submodule"))
		run_foreach(run, "foreach");
	if (bl_str_is(row->name, "git bisect"))
		run_foreach(run, "run");
	if (effects_mode(row, "@git"))
		return run_alias(run);
	if (effects_mode(row, "@push"))
		apply_push(run);
	else if (effects_mode(row, "@clone"))
		apply_clone(run);
	else if (effects_mode(row, "@checkout"))
		apply_checkout(run);
	else if (effects_mode(row, "@gitshow"))
		apply_show(run);
	else if (effects_mode(row, "@gitrm"))
		apply_rm(run);
	else if (effects_mode(row, "@gitconfig"))
		apply_config(run);
	return false;
}
