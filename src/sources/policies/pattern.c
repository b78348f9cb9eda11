/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern.c: compares compiled patterns (patterns.h) with the commands of an
 * event.  It stands apart from own_rules.c, which says what follows from a
 * match.
 *
 *   pattern  terraform destroy      line  sudo terraform -chdir=x destroy
 *   commands of the line            sudo; terraform, wrapped by sudo
 *   the second: program the same, no option is asked for, operand 0 is the verb
 */
#include "sources/policies/patterns.h"
#include "text/text.h"

static struct bl_value member(struct bl_value object, const char *name)
{
	return bl_object_find(object, bl_str(name));
}

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(member(object, name));
}

static enum policy_match least(enum policy_match a, enum policy_match b)
{
	return a < b ? a : b;
}

static enum policy_match most(enum policy_match a, enum policy_match b)
{
	return a > b ? a : b;
}

/* ---- words -------------------------------------------------------------------- */

static bool looks_like_path(struct bl_str word)
{
	return word.len &&
	       (memchr(word.ptr, '/', word.len) || word.ptr[0] == '.');
}

/* May a text that begins with prefix and goes on be what the glob matches? */
static bool may_become(struct bl_str glob, struct bl_str prefix)
{
	size_t fixed = 0;

	while (fixed < glob.len && glob.ptr[fixed] != '*' &&
	       glob.ptr[fixed] != '?')
		fixed++;
	if (prefix.len < fixed)
		fixed = prefix.len;
	return !fixed || memcmp(glob.ptr, prefix.ptr, fixed) == 0;
}

static bool is_same_file(const struct policy_view *view,
			 const struct bl_fact_command *command,
			 struct bl_str glob, struct bl_str word)
{
	struct bl_str path = word;

	if (!looks_like_path(glob) && !looks_like_path(word))
		return false;
	if (!bl_path_is_absolute(path)) {
		if (command->cwd.state != BL_FACT_KNOWN ||
		    !command->cwd.text.len)
			return false;
		path = bl_path_join(view->arena, command->cwd.text, word);
	}
	return path.ptr &&
	       !bl_path_follow(view->arena, path, &path, NULL, NULL) &&
	       policy_path_match(view, view->root_count, glob, path);
}

static enum policy_match match_word(const struct policy_view *view,
				    const struct bl_fact_command *command,
				    struct bl_str glob,
				    const struct bl_fact_text *word)
{
	if (word->state == BL_FACT_UNKNOWN)
		return may_become(glob, word->prefix) ? POLICY_MATCH_MAYBE
						      : POLICY_MATCH_NO;
	if (bl_wildcard_match(glob, word->text, 0) ||
	    is_same_file(view, command, glob, word->text))
		return POLICY_MATCH_YES;
	if (word->state == BL_FACT_PATTERN &&
	    bl_wildcard_match(word->text, glob, 0))
		return POLICY_MATCH_MAYBE;
	return POLICY_MATCH_NO;
}

/* The operands that a pattern is compared with. */
struct words {
	const struct bl_fact_text **items;
	size_t count;
};

static bool is_dashed(const struct bl_fact_text *word)
{
	return word->state == BL_FACT_KNOWN && word->text.len > 1 &&
	       word->text.ptr[0] == '-';
}

/* Of a program with a row its operands; else all words behind first. */
static struct words operands_of(const struct policy_view *view,
				const struct bl_fact_command *command,
				bool is_listed, size_t first)
{
	size_t count = is_listed ? command->operand_count : command->argc;
	struct words words = { bl_arena_new_array(view->arena,
						  const struct bl_fact_text *,
						  count + 1),
			       0 };

	for (size_t i = is_listed ? 0 : first; words.items && i < count; i++) {
		const struct bl_fact_text *word =
			is_listed ? &command->operands[i] : &command->argv[i];

		if (is_listed || !is_dashed(word))
			words.items[words.count++] = word;
	}
	return words;
}

/*
 * The globs in their order among the words, with any others between; the first
 * `verbs` of them each in its own place.
 */
static enum policy_match match_operands(const struct policy_view *view,
					const struct bl_fact_command *command,
					struct bl_value pattern,
					const struct words *words)
{
	struct bl_value globs = member(pattern, "operands");
	enum policy_match all = POLICY_MATCH_YES;
	int64_t verbs = 0;
	size_t at = 0;

	(void)bl_number_to_integer(member(pattern, "verbs"), &verbs);
	for (size_t i = 0; i < bl_value_count(globs); i++) {
		struct bl_str glob = bl_value_text(bl_value_item(globs, i));
		enum policy_match found = POLICY_MATCH_NO;
		bool is_fixed = (int64_t)i < verbs;

		for (; at < words->count && found == POLICY_MATCH_NO; at++) {
			found = match_word(view, command, glob,
					   words->items[at]);
			if (is_fixed && found == POLICY_MATCH_NO)
				return found;
		}
		all = least(all, found);
		if (all == POLICY_MATCH_NO)
			break;
	}
	return all;
}

/* ---- options ------------------------------------------------------------------- */

static bool has_value(const struct bl_fact_option *option,
		      struct bl_value globs)
{
	if (!bl_value_count(globs))
		return true;
	for (size_t i = 0; option->value && i < bl_value_count(globs); i++)
		if (bl_wildcard_match(bl_value_text(bl_value_item(globs, i)),
				      option->value->text, 0))
			return true;
	return false;
}

static enum policy_match find_option(const struct bl_fact_command *command,
				     struct bl_str name, struct bl_value globs)
{
	enum policy_match found = POLICY_MATCH_NO;

	for (size_t i = 0; i < command->option_count; i++) {
		const struct bl_fact_option *option = &command->options[i];

		if (!bl_str_equal(option->name, name))
			continue;
		if (has_value(option, globs))
			return POLICY_MATCH_YES;
		if (option->value && option->value->state != BL_FACT_KNOWN)
			found = POLICY_MATCH_MAYBE;
	}
	return found;
}

/* "--force", or "--force=yes", as it stands in the line. */
static enum policy_match find_written(const struct bl_fact_command *command,
				      struct bl_str name)
{
	for (size_t i = 1; i < command->argc; i++) {
		struct bl_str word = command->argv[i].text;

		if (bl_str_has_prefix(word, name) &&
		    (word.len == name.len || word.ptr[name.len] == '='))
			return POLICY_MATCH_YES;
	}
	return POLICY_MATCH_NO;
}

/* A word that is not known, and that begins as options do. */
static bool may_have_options(const struct bl_fact_command *command)
{
	for (size_t i = 1; i < command->argc; i++)
		if (command->argv[i].state == BL_FACT_UNKNOWN &&
		    command->argv[i].prefix.len &&
		    command->argv[i].prefix.ptr[0] == '-')
			return true;
	return false;
}

/* Does the command do all that only the pattern's options do? */
static bool has_actions(const struct policy_view *view, struct bl_value pattern,
			size_t index)
{
	struct bl_value actions = member(pattern, "actions");

	for (size_t i = 0; i < bl_value_count(actions); i++) {
		struct bl_str action = bl_value_text(bl_value_item(actions, i));
		bool found = false;

		for (size_t j = 0; j < view->facts->effect_count; j++)
			found |= view->facts->effects[j].command == index &&
				 bl_str_equal(view->facts->effects[j].action,
					      action);
		if (!found)
			return false;
	}
	return bl_value_count(actions) > 0;
}

static enum policy_match match_options(const struct policy_view *view,
				       struct bl_value pattern, size_t index)
{
	const struct bl_fact_command *command = &view->facts->commands[index];
	struct bl_value options = member(pattern, "options");
	bool is_listed = bl_value_is_true(member(pattern, "listed"));
	enum policy_match all = POLICY_MATCH_YES;

	for (size_t i = 0; i < bl_value_count(options); i++) {
		struct bl_str name = bl_value_text(bl_object_key(options, i));

		all = least(all,
			    is_listed ? find_option(command, name,
						    bl_object_value(options, i))
				      : find_written(command, name));
	}
	if (all == POLICY_MATCH_YES || has_actions(view, pattern, index))
		return POLICY_MATCH_YES;
	return most(all, may_have_options(command) ? POLICY_MATCH_MAYBE
						   : POLICY_MATCH_NO);
}

/* ---- programs ------------------------------------------------------------------- */

/* python3.12 is python. */
static bool is_program(struct bl_str wanted, struct bl_str program)
{
	size_t end = program.len;

	if (bl_wildcard_match(wanted, program, 0))
		return true;
	while (end && strchr("0123456789.-", program.ptr[end - 1]))
		end--;
	return end && bl_str_equal(wanted, bl_str_slice(program, 0, end));
}

static struct bl_str subcommand_of(const struct bl_fact_command *command)
{
	struct bl_str row = command->row;
	const char *blank = row.len ? memchr(row.ptr, ' ', row.len) : NULL;

	return blank ? bl_str_slice(row, (size_t)(blank - row.ptr) + 1,
				    SIZE_MAX)
		     : (struct bl_str){ NULL, 0 };
}

static bool runs_file(const struct policy_view *view, size_t index,
		      struct bl_str glob)
{
	for (size_t i = 0; i < view->facts->effect_count; i++) {
		const struct bl_fact_effect *effect = &view->facts->effects[i];

		if (effect->command == index &&
		    effect->kind == BL_FACT_EXECUTE && effect->is_path &&
		    policy_path_match(view, view->root_count, glob,
				      effect->target.text))
			return true;
	}
	return false;
}

/*
 * A program by its path, run by itself or by an interpreter: *out_first is the
 * word behind it.
 */
static bool finds_script(const struct policy_view *view, struct bl_str glob,
			 size_t index, size_t *out_first)
{
	const struct bl_fact_command *command = &view->facts->commands[index];

	for (size_t i = 0; i < command->argc; i++) {
		*out_first = i + 1;
		if (is_same_file(view, command, glob, command->argv[i].text))
			return i == 0 || runs_file(view, index, glob);
	}
	return false;
}

/*
 * A program that is not known may be any; it is taken for the pattern's only
 * when the rest of the pattern is there, word for word.
 */
static enum policy_match match_unknown(const struct policy_view *view,
				       struct bl_value pattern, size_t index)
{
	const struct bl_fact_command *command = &view->facts->commands[index];
	struct words words = operands_of(view, command, false, 1);
	struct bl_str sub = text_of(pattern, "sub");
	size_t wanted = bl_value_count(member(pattern, "operands"));

	if (!words.items || sub.len + wanted == 0 ||
	    !may_become(text_of(pattern, "program"),
			bl_path_base(command->argv[0].prefix)))
		return POLICY_MATCH_NO;
	if (sub.len &&
	    (!words.count || !bl_str_has_prefix(sub, words.items[0]->text) ||
	     words.items[0]->state != BL_FACT_KNOWN))
		return POLICY_MATCH_NO;
	return least(POLICY_MATCH_MAYBE,
		     match_operands(view, command, pattern, &words));
}

/* The program and its subcommand, when that is known. */
static enum policy_match match_program(const struct policy_view *view,
				       struct bl_value pattern, size_t index,
				       size_t *out_first)
{
	const struct bl_fact_command *command = &view->facts->commands[index];
	struct bl_str sub = text_of(pattern, "sub");
	struct bl_str path = text_of(pattern, "path");

	*out_first = 1;
	if (path.len)
		return finds_script(view, path, index, out_first)
			       ? POLICY_MATCH_YES
			       : POLICY_MATCH_NO;
	if (!is_program(text_of(pattern, "program"), command->program))
		return POLICY_MATCH_NO;
	if (bl_str_equal(sub, subcommand_of(command)))
		return POLICY_MATCH_YES;
	/* git $X: the subcommand is what is not known. */
	if (sub.len && !subcommand_of(command).len && command->operand_count &&
	    command->operands[0].state == BL_FACT_UNKNOWN &&
	    may_become(sub, command->operands[0].prefix))
		return POLICY_MATCH_MAYBE;
	return POLICY_MATCH_NO;
}

static bool is_inside(const struct bl_fact_command *command,
		      struct bl_value wrappers)
{
	size_t at = 0;

	for (size_t i = 0; i < bl_value_count(wrappers); i++) {
		struct bl_str wanted =
			bl_value_text(bl_value_item(wrappers, i));

		while (at < command->wrapper_count &&
		       !bl_str_equal(command->wrappers[at], wanted))
			at++;
		if (at++ == command->wrapper_count)
			return false;
	}
	return true;
}

enum policy_match policy_pattern_match(const struct policy_view *view,
				       struct bl_value pattern, size_t index)
{
	const struct bl_fact_command *command = &view->facts->commands[index];
	bool is_listed = bl_value_is_true(member(pattern, "listed"));
	enum policy_match match;
	struct words words;
	size_t first;

	if (!is_inside(command, member(pattern, "inside")))
		return POLICY_MATCH_NO;
	if (!command->program.len)
		return match_unknown(view, pattern, index);
	match = match_program(view, pattern, index, &first);
	if (match != POLICY_MATCH_YES)
		return match;
	words = operands_of(view, command, is_listed, first);
	if (!words.items)
		return POLICY_MATCH_YES; /* memory is out: the event fails */
	match = match_operands(view, command, pattern, &words);
	return match == POLICY_MATCH_NO
		       ? match
		       : least(match, match_options(view, pattern, index));
}

/* ---- exactly -------------------------------------------------------------------- */

/* These run a command as it is written, as the same user, here. */
static bool is_harmless(struct bl_str wrapper)
{
	static const char *const names[] = {
		"bash", "sh",      "dash", "zsh",     "eval",
		"time", "command", "nice", "timeout", "ionice",
	};

	for (size_t i = 0; i < BL_COUNT(names); i++)
		if (bl_str_is(wrapper, names[i]))
			return true;
	return false;
}

/* No wrapper but those of the pattern and harmless ones. */
static bool is_bare(const struct bl_fact_command *command,
		    struct bl_value wrappers)
{
	size_t more = 0;

	for (size_t i = 0; i < command->wrapper_count; i++)
		more += !is_harmless(command->wrappers[i]);
	for (size_t i = 0; i < bl_value_count(wrappers); i++)
		more -= !is_harmless(bl_value_text(bl_value_item(wrappers, i)));
	return is_inside(command, wrappers) && !more;
}

/* 2>&1, >/dev/null: nothing is written that is kept, nothing is read. */
static bool is_no_file(struct bl_str target)
{
	if (bl_str_is(target, "/dev/null") || bl_str_is(target, "-"))
		return true;
	for (size_t i = 0; i < target.len; i++)
		if (target.ptr[i] < '0' || target.ptr[i] > '9')
			return false;
	return target.len > 0;
}

static bool is_plain(const struct bl_fact_command *command)
{
	for (size_t i = 0; i < command->redirection_count; i++)
		if (!is_no_file(command->redirections[i].target.text))
			return false;
	for (size_t i = 0; i < command->argc; i++)
		if (command->argv[i].state != BL_FACT_KNOWN)
			return false;
	return command->argc && command->where == BL_FACT_HERE &&
	       !command->environment_count &&
	       command->cwd.state == BL_FACT_KNOWN;
}

/* No option that the pattern does not have, and no operand. */
static bool has_no_more(const struct bl_fact_command *command,
			struct bl_value pattern, const struct words *words)
{
	struct bl_value options = member(pattern, "options");
	bool is_listed = bl_value_is_true(member(pattern, "listed"));

	if (bl_value_is_true(member(pattern, "open")))
		return true;
	if (words->count != bl_value_count(member(pattern, "operands")))
		return false;
	for (size_t i = 0; is_listed && i < command->option_count; i++)
		if (!bl_value_is_defined(
			    bl_object_find(options, command->options[i].name)))
			return false;
	for (size_t i = 1; !is_listed && i < command->argc; i++)
		if (is_dashed(&command->argv[i]) &&
		    !bl_value_is_defined(
			    bl_object_find(options, command->argv[i].text)))
			return false;
	return true;
}

bool policy_pattern_is(const struct policy_view *view, struct bl_value pattern,
		       size_t index)
{
	const struct bl_fact_command *command = &view->facts->commands[index];
	bool is_listed = bl_value_is_true(member(pattern, "listed"));
	struct words words;
	size_t first;

	if (!is_plain(command) || !is_bare(command, member(pattern, "inside")))
		return false;
	/* ./rm is not rm. */
	if (!text_of(pattern, "path").len &&
	    memchr(command->argv[0].text.ptr, '/', command->argv[0].text.len))
		return false;
	if (match_program(view, pattern, index, &first) != POLICY_MATCH_YES)
		return false;
	words = operands_of(view, command, is_listed, first);
	return words.items && has_no_more(command, pattern, &words) &&
	       match_operands(view, command, pattern, &words) ==
		       POLICY_MATCH_YES &&
	       match_options(view, pattern, index) == POLICY_MATCH_YES;
}

bool policy_pattern_reaches(const struct policy_view *view,
			    struct bl_value pattern, struct bl_str path)
{
	struct bl_value globs = member(pattern, "operands");
	size_t count = bl_value_count(globs);
	int64_t verbs = 0;

	(void)bl_number_to_integer(member(pattern, "verbs"), &verbs);
	if ((int64_t)count <= verbs)
		return true;
	for (size_t i = 0; i < count; i++)
		if (policy_path_match(view, view->own_roots,
				      bl_value_text(bl_value_item(globs, i)),
				      path))
			return true;
	return false;
}
