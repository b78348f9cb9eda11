/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The script that a command is about to run (docs/contracts/cupcake.md
 * "Scripts").
 */
#include "base/utf8.h"
#include "sources/policies/private.h"

enum { MAX_WORDS = 64, MAX_SCRIPT_BYTES = 1 << 20 };

static const char *const shells[] = {
	"bash", "sh", "zsh", "fish", "ksh", "dash"
};
static const char *const interpreters[] = { "python", "python3", "python2",
					    "node",   "ruby",    "perl",
					    "php" };
static const char *const suffixes[] = {
	".sh",  ".bash", ".zsh", ".fish", ".ksh", ".py",  ".pyw",
	".js",  ".mjs",  ".cjs", ".rb",   ".pl",  ".pm",  ".php",
	".lua", ".r",    ".R",   ".jl",   ".tcl", ".awk", ".sed",
};
static const char *const names[] = {
	"configure", "install", "build", "deploy",  "setup", "bootstrap", "run",
	"test",      "clean",   "make",  "gradlew", "mvnw",  "manage",
};

static bool is_one_of(struct bl_str text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bl_str_is(text, list[i]))
			return true;
	return false;
}

static bool is_script_name(struct bl_str word)
{
	for (size_t i = 0; i < BL_COUNT(suffixes); i++)
		if (bl_str_has_suffix(word, bl_str(suffixes[i])))
			return true;
	return is_one_of(bl_path_base(word), names, BL_COUNT(names));
}

/* Words between blanks, without their quotes. */
static size_t split(struct bl_str command, struct bl_str words[MAX_WORDS])
{
	size_t count = 0;
	size_t at = 0;

	while (at < command.len && count < MAX_WORDS) {
		size_t from;
		struct bl_str word;

		while (at < command.len && strchr(" \t\n", command.ptr[at]))
			at++;
		from = at;
		while (at < command.len && !strchr(" \t\n", command.ptr[at]))
			at++;
		word = bl_str_slice(command, from, at);
		if (word.len > 1 && strchr("'\"", word.ptr[0]) &&
		    word.ptr[word.len - 1] == word.ptr[0])
			word = bl_str_slice(word, 1, word.len - 1);
		if (word.len)
			words[count++] = word;
	}
	return count;
}

/* The script among the words behind an interpreter. */
static struct bl_str behind(const struct bl_str *words, size_t count,
			    bool is_shell)
{
	for (size_t i = 1; i < count; i++) {
		if (is_shell && bl_str_is(words[i], "-c"))
			break;
		if (!bl_str_has_prefix(words[i], BL_STR("-")))
			return words[i];
	}
	return BL_STR("");
}

/* Empty: the command runs no script that is known as one. */
static struct bl_str find_script(struct bl_str command)
{
	struct bl_str words[MAX_WORDS];
	size_t count = split(command, words);
	struct bl_str script = BL_STR("");
	struct bl_str base;

	if (!count)
		return script;
	base = bl_path_base(words[0]);
	if (is_one_of(base, shells, BL_COUNT(shells)))
		script = behind(words, count, true);
	else if (is_one_of(base, interpreters, BL_COUNT(interpreters)))
		script = behind(words, count, false);
	else if (bl_str_has_prefix(words[0], BL_STR("./")) ||
		 bl_path_is_absolute(words[0]))
		script = words[0];
	return script.len && is_script_name(script) ? script : BL_STR("");
}

/* Adds the content; what cannot be shown is reported. */
static enum bl_status add_content(struct policy_run *run, struct bl_str path,
				  struct bl_value *input)
{
	struct bl_error problem = { 0 };
	struct bl_str text;
	enum bl_status status = bl_os_read_file(
		path, 0, MAX_SCRIPT_BYTES, run->arena, &text, NULL, &problem);

	if (status == BL_NOT_FOUND || status == BL_INVALID)
		return BL_OK;
	if (!status && !bl_utf8_is_valid(text))
		status = bl_fail(&problem, BL_INVALID, "it is not UTF-8");
	if (status)
		return policy_trouble(
			run, BL_FAILURE_LIMIT, NULL,
			bl_arena_printf(run->arena,
					"script %.*s cannot be inspected: %s",
					BL_STR_ARG(path), problem.message));
	*input = policy_put(run->arena, *input,
			    BL_STR("executed_script_content"),
			    bl_value_string(text));
	*input = policy_put(run->arena, *input, BL_STR("executed_script_path"),
			    bl_value_string(path));
	*input = policy_put(run->arena, *input,
			    BL_STR("script_inspection_performed"),
			    bl_value_boolean(true));
	return BL_OK;
}

enum bl_status policy_inspect_script(struct policy_run *run,
				     struct bl_value *input)
{
	struct bl_str command = bl_value_text(
		policy_at(run->event->belay, "tool.shell.command"));
	struct bl_str script = find_script(command);
	struct bl_str path;

	if (!script.len)
		return BL_OK;
	if (run->event->cwd.len)
		path = bl_path_join(run->arena, run->event->cwd, script);
	else
		path = bl_arena_copy_str(run->arena, script);
	if (!path.ptr)
		return bl_arena_fail(run->arena, run->err);
	return add_content(run, path, input);
}
