/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scripts.c: can the program of a hook be started?  A guard whose script is
 * missing, or has "#!/bin/sh" with a carriage return behind it, fails at every
 * event and stops nothing; people should hear of it when they list or check
 * their hooks, and not from the shell's "not found".
 *
 * Only the first word of a command is looked at, and the script behind an
 * interpreter's name, and only when they are plain: what a shell would expand
 * is left to the shell.
 */
#include "sources/hooks/private.h"

enum { FIRST_LINE_BYTES = 256, MAX_PATH_FOLDERS = 64 };

/* Programs whose first argument is a script. */
static const char *const interpreters[] = {
	"sh",      "bash", "dash", "zsh",  "ksh",  "fish", "python",
	"python3", "node", "bun",  "ruby", "perl", "php",
};

/* One hook being looked at. */
struct script_check {
	const struct bl_hook *hook;
	struct bl_arena *arena;
	struct bl_script_fault fault;
};

/* ---- words ---------------------------------------------------------------- */

static struct bl_str take_word(struct bl_str *rest)
{
	size_t from = 0;
	size_t to;
	struct bl_str word;

	while (from < rest->len && strchr(" \t\n", rest->ptr[from]))
		from++;
	to = from;
	while (to < rest->len && !strchr(" \t\n", rest->ptr[to]))
		to++;
	word = bl_str_slice(*rest, from, to);
	*rest = bl_str_slice(*rest, to, SIZE_MAX);
	return word;
}

/* Without anything that a shell would read otherwise. */
static bool is_plain(struct bl_str word)
{
	for (size_t i = 0; i < word.len; i++)
		if (!word.ptr[i] ||
		    strchr("$`\"'|&;<>()*?[]{}#=!\\", word.ptr[i]))
			return false;
	return word.len > 0;
}

/* .\hooks\x.sh, C:\x: the shell takes the backslashes away. */
static bool has_backslashes(struct bl_str word)
{
	size_t at = bl_str_find(word, BL_STR("\\"), 0);

	return at != SIZE_MAX && at + 1 < word.len &&
	       !strchr(" $`\"'|&;<>()*?", word.ptr[at + 1]);
}

/* ---- files ---------------------------------------------------------------- */

static struct bl_str path_of(struct script_check *c, struct bl_str word)
{
	struct bl_str home;

	while (bl_str_has_prefix(word, BL_STR("./")))
		word = bl_str_slice(word, 2, SIZE_MAX);
	if (!bl_str_has_prefix(word, BL_STR("~/")))
		return bl_path_join(c->arena, c->hook->file->dir, word);
	home = bl_os_getenv("HOME");
	return bl_path_is_absolute(home)
		       ? bl_path_join(c->arena, home,
				      bl_str_slice(word, 2, SIZE_MAX))
		       : (struct bl_str){ NULL, 0 };
}

static void fault(struct script_check *c, bool of_interpreter,
		  struct bl_str text)
{
	c->fault = (struct bl_script_fault){ text, of_interpreter };
}

static bool is_there(struct bl_str path)
{
	struct bl_file_info info;

	return bl_os_info_target(path, &info, NULL) == BL_OK;
}

/* The program behind "#!", and what keeps it from being one. */
static void check_first_line(struct script_check *c, struct bl_str path,
			     struct bl_str text)
{
	size_t end = bl_str_find(text, BL_STR("\n"), 0);
	struct bl_str line = bl_str_slice(text, 2, end);
	struct bl_str interpreter;

	if (line.len && line.ptr[line.len - 1] == '\r') {
		fault(c, true,
		      bl_arena_printf(c->arena,
				      "the first line of %.*s ends with a "
				      "carriage return, which becomes part of "
				      "the interpreter's name: save it with "
				      "Unix line ends",
				      BL_STR_ARG(path)));
		return;
	}
	interpreter = take_word(&line);
	if (bl_path_is_absolute(interpreter) && !is_there(interpreter))
		fault(c, true,
		      bl_arena_printf(c->arena,
				      "the interpreter of %.*s is missing: "
				      "%.*s",
				      BL_STR_ARG(path),
				      BL_STR_ARG(interpreter)));
}

static void check_content(struct script_check *c, struct bl_str path)
{
	char text[FIRST_LINE_BYTES];
	size_t got = 0;
	int fd;

	if (bl_os_open(path, 0, &fd, NULL) != BL_OK)
		return;
	if (bl_os_read_at(fd, 0, text, sizeof(text), &got, NULL) == BL_OK &&
	    got > 2 && text[0] == '#' && text[1] == '!')
		check_first_line(c, path, (struct bl_str){ text, got });
	bl_os_close(fd);
}

/* A file that is to be run, or read by an interpreter. */
static void check_file(struct script_check *c, struct bl_str path, bool is_run)
{
	struct bl_file_info info;
	struct bl_error why = { 0 };

	if (bl_os_info_target(path, &info, &why) != BL_OK) {
		if (why.status == BL_NOT_FOUND)
			fault(c, false,
			      bl_arena_printf(c->arena, "there is no file %.*s",
					      BL_STR_ARG(path)));
		return;
	}
	if (info.type == BL_FILE_DIRECTORY && is_run)
		fault(c, false,
		      bl_arena_printf(c->arena, "%.*s is a folder",
				      BL_STR_ARG(path)));
	else if (is_run && !(info.mode & 0111))
		fault(c, false,
		      bl_arena_printf(c->arena,
				      "%.*s is not executable: chmod +x %.*s",
				      BL_STR_ARG(path), BL_STR_ARG(path)));
	else if (is_run)
		check_content(c, path);
}

static bool is_on_path(struct script_check *c, struct bl_str name)
{
	struct bl_str folders = bl_os_getenv("PATH");
	size_t at = 0;

	for (size_t i = 0; i < MAX_PATH_FOLDERS && at <= folders.len; i++) {
		size_t end = bl_str_find(folders, BL_STR(":"), at);
		struct bl_str path = bl_path_join(
			c->arena, bl_str_slice(folders, at, end), name);

		if (path.ptr && is_there(path))
			return true;
		if (end == SIZE_MAX)
			return false;
		at = end + 1;
	}
	return true; /* too long a list to say */
}

static bool is_interpreter(struct bl_str word)
{
	struct bl_str name = bl_path_base(word);

	for (size_t i = 0; i < BL_COUNT(interpreters); i++)
		if (bl_str_is(name, interpreters[i]))
			return true;
	return false;
}

/* Words that the shell itself understands, beside what is on the PATH. */
static bool is_shell_word(struct bl_str word)
{
	static const char *const words[] = {
		".",      "cd",      "exec",  "exit",   "eval",   "if",
		"for",    "while",   "until", "case",   "read",   "set",
		"export", "command", "trap",  "ulimit", "umask",  "test",
		"true",   "false",   "echo",  "printf", "return", "type",
		"unset",  "wait",    ":",
	};

	for (size_t i = 0; i < BL_COUNT(words); i++)
		if (bl_str_is(word, words[i]))
			return true;
	return false;
}

static void check_program(struct script_check *c, struct bl_str word,
			  struct bl_str rest)
{
	struct bl_str script;

	if (memchr(word.ptr, '/', word.len))
		check_file(c, path_of(c, word), true);
	else if (!is_shell_word(word) && !is_on_path(c, word))
		fault(c, false,
		      bl_arena_printf(c->arena,
				      "there is no program %.*s on the PATH",
				      BL_STR_ARG(word)));
	if (c->fault.text.ptr || !is_interpreter(word))
		return;
	script = take_word(&rest);
	if (is_plain(script) && script.ptr[0] != '-' &&
	    memchr(script.ptr, '/', script.len))
		check_file(c, path_of(c, script), false);
}

struct bl_script_fault bl_hook_check_start(const struct bl_hook *hook,
					   struct bl_arena *arena)
{
	struct script_check c = { .hook = hook, .arena = arena };
	struct bl_str rest = hook->command;
	struct bl_str word = take_word(&rest);

	if (hook->type != BL_HOOK_COMMAND)
		return c.fault;
	if (has_backslashes(word))
		fault(&c, false,
		      bl_arena_printf(arena,
				      "the shell takes the backslashes of %.*s "
				      "away: write slashes",
				      BL_STR_ARG(word)));
	else if (is_plain(word))
		check_program(&c, word, rest);
	return c.fault;
}
