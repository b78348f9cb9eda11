/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/find.c: find, an expression language of its own: where it looks, what it
 * finds, and what it does with the findings; and fd, which says the same in options.
 *
 * The findings below PATH with -name NAME are PATH/NAME and, deeper, PATH/[*]/NAME,
 * where the star stands for any depth; without a name PATH/[*].  PATH is a finding
 * itself where the tests let it pass.  Alternatives (-o) have names of their own:
 *
 *     find . -name .git -prune -o ( -name a -o -name b ) -delete
 *
 * The first alternative finds nothing (-prune), the second ./a, ./b and below.
 */
#include "effects/private.h"

enum { FIND_NAMES = 8, FIND_DEPTH = 16 };

/* The files that one side of an -o lets pass, or several of them together. */
struct findings {
	struct effects_text names[FIND_NAMES];
	uint32_t name_count;
	bool is_any; /* a name is not asked for, another test is */
	bool is_all; /* nothing is asked for */
};

struct finding {
	struct effects_run *run;
	const struct effects_args *args;
	size_t paths_end;       /* words 1..paths_end are where it looks */
	struct findings found;  /* of this side of an -o outside of brackets */
	struct findings before; /* of the sides in front of it */
	uint32_t first; /* of found.names: the first of this alternative */
	uint32_t firsts[FIND_DEPTH]; /* the same, of the brackets around */
	uint32_t depth;
	bool has_test;   /* this alternative has a test that is not a name */
	bool is_pruned;  /* it has -prune */
	bool is_inner;   /* the tests never let the path itself pass */
	bool is_flat;    /* -maxdepth 1 */
	bool is_shallow; /* -maxdepth 0: nothing below the paths */
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

/* ---- what it finds ----------------------------------------------------------------- */

static void add_name(struct findings *found, struct effects_text name)
{
	if (found->name_count < FIND_NAMES)
		found->names[found->name_count++] = name;
	else
		found->is_any = true;
}

/* An alternative is read to its end. */
static void end_alternative(struct finding *f)
{
	if (f->is_pruned)
		f->found.name_count = f->first;
	else if (f->found.name_count == f->first && f->has_test)
		f->found.is_any = true;
	else if (f->found.name_count == f->first)
		f->found.is_all = true;
	f->first = f->found.name_count;
	f->has_test = false;
	f->is_pruned = false;
}

static void join(struct findings *all, const struct findings *more)
{
	for (uint32_t i = 0; i < more->name_count; i++)
		add_name(all, more->names[i]);
	all->is_any |= more->is_any;
	all->is_all |= more->is_all;
}

/* -o, and the brackets around alternatives. */
static bool find_operator(struct finding *f, struct effects_text word)
{
	if (effects_is(word, "-o") || effects_is(word, "-or") ||
	    effects_is(word, ",")) {
		end_alternative(f);
		if (f->depth)
			return true;
		join(&f->before, &f->found);
		f->found = (struct findings){ .name_count = 0 };
		f->first = 0;
	} else if (effects_is(word, "(") && f->depth < FIND_DEPTH) {
		f->firsts[f->depth++] = f->first;
		f->first = f->found.name_count;
	} else if (effects_is(word, ")") && f->depth) {
		end_alternative(f);
		f->first = f->firsts[--f->depth];
	} else {
		return false;
	}
	return true;
}

static void put_name(struct effects_builder *out, struct effects_text name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (c && strchr("*?[", c))
			effects_put_mark(out, c);
		else
			effects_put(out, &c, 1);
	}
}

/* PATH/NAME, deep: PATH/[*]/NAME; a NAME without text is any. */
static void add_below(const struct finding *f, const struct effects_arg *path,
		      struct effects_text name, bool is_deep,
		      struct effects_args *out)
{
	struct effects_walk *walk = f->run->walk;
	struct effects_builder text;

	effects_builder_init(&text, walk->arena, UINT32_MAX);
	effects_put_text(&text, path->text);
	if (!path->text.len || path->text.ptr[path->text.len - 1] != '/')
		effects_put(&text, "/", 1);
	if (is_deep || !name.len)
		effects_put_mark(&text, '*');
	if (is_deep)
		effects_put(&text, "/", 1);
	put_name(&text, name);
	if (!is_deep && !f->is_flat && name.len)
		text.origins |= EFFECTS_FROM_FIND;
	effects_args_add(walk, out, effects_built(&text), path->span);
}

/* Is the path a finding, by its own name? */
static bool has_name(struct effects_text path, struct effects_text name)
{
	size_t end = path.len;
	size_t at;
	bool matches = false;

	while (end > 1 && path.ptr[end - 1] == '/')
		end--;
	at = end;
	while (at && path.ptr[at - 1] != '/')
		at--;
	if (effects_is_known(path) && effects_is_known(name))
		bl_shell_match(effects_str(name),
			       effects_str(effects_cut(path, at, end)), 0,
			       &matches);
	return matches;
}

/* The findings below one path.  has_self: and the path itself, where it may be. */
static void list_found(const struct finding *f, const struct findings *found,
		       const struct effects_arg *path, bool has_self,
		       struct effects_args *out)
{
	struct effects_text any = { "", 0, 0 };
	bool is_self =
		found->is_all || (found->is_any && has_self && !f->is_inner &&
				  !effects_is(path->text, "."));

	for (uint32_t i = 0; i < found->name_count; i++)
		is_self |=
			!f->is_inner && has_name(path->text, found->names[i]);
	if (is_self)
		effects_args_add(f->run->walk, out, path->text, path->span);
	if (f->is_shallow || (found->is_all && !has_self))
		return;
	if (found->is_all || found->is_any) {
		add_below(f, path, any, false, out);
		return;
	}
	for (uint32_t i = 0; i < found->name_count; i++) {
		struct effects_text name = found->names[i];

		add_below(f, path, name, false, out);
		if (!f->is_flat && name.len && name.ptr[0] != '*')
			add_below(f, path, name, true, out);
	}
}

/* ---- what it does with that ------------------------------------------------------- */

static void find_delete(const struct finding *f, struct bl_shell_span span)
{
	struct effects_args paths = { 0 };
	struct finding here = *f;

	here.is_pruned = false; /* what is pruned is found all the same */
	end_alternative(&here);
	for (size_t p = 1; p < f->paths_end; p++)
		list_found(&here, &here.found, &f->args->items[p], false,
			   &paths);
	for (size_t i = 0; i < paths.count; i++)
		effects_add_path(f->run->walk, &f->run->inside, BL_FACT_DELETE,
				 (struct bl_str){ NULL, 0 },
				 paths.items[i].text, BL_FACT_IS_RECURSIVE, 0,
				 span);
}

/* The command once, with what was found in place of {}. */
static void find_exec_on(const struct finding *f, size_t first, size_t end,
			 struct effects_text found)
{
	struct effects_walk *walk = f->run->walk;
	struct effects_args inner = { 0 };
	bool is_maybe = walk->is_maybe;

	for (size_t i = first; i < end; i++)
		effects_args_add(walk, &inner,
				 effects_replace(walk, f->args->items[i].text,
						 effects_text(BL_STR("{}")),
						 found),
				 f->args->items[i].span);
	walk->is_maybe = true;
	effects_inner(walk, &f->run->inside, BL_STR("find"), &inner, 0,
		      f->run->span);
	walk->is_maybe = is_maybe;
}

/* -exec CMD {} ; : the command for each pattern of findings. */
static void find_exec(const struct finding *f, size_t first, size_t end)
{
	struct effects_args paths = { 0 };
	struct finding here = *f;

	here.is_pruned = false;
	end_alternative(&here);
	for (size_t p = 1; p < f->paths_end; p++)
		list_found(&here, &here.found, &f->args->items[p], true,
			   &paths);
	for (size_t i = 0; i < paths.count; i++)
		find_exec_on(f, first, end, paths.items[i].text);
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

/* -fprint FILE and its kind */
static void find_file(const struct finding *f, size_t i)
{
	struct effects_text word = f->args->items[i].text;

	if (!bl_str_has_prefix(effects_str(word), BL_STR("-f")) ||
	    effects_is(word, "-fstype") || effects_is(word, "-files0-from") ||
	    !find_arity(word) || i + 1 >= f->args->count)
		return;
	effects_add_path(f->run->walk, &f->run->inside, BL_FACT_WRITE,
			 BL_STR("find"), f->args->items[i + 1].text, 0, 0,
			 f->args->items[i + 1].span);
}

/* A test: its name, or what else it says of the findings. */
static void find_test(struct finding *f, size_t i)
{
	struct effects_text word = f->args->items[i].text;
	struct effects_text value = i + 1 < f->args->count
					    ? f->args->items[i + 1].text
					    : effects_text(BL_STR(""));
	bool is_not = effects_is(f->args->items[i - 1].text, "!") ||
		      effects_is(f->args->items[i - 1].text, "-not");

	if (effects_is(word, "-maxdepth")) {
		f->is_shallow = effects_is(value, "0");
		f->is_flat = effects_is(value, "1");
	} else if (effects_is(word, "-mindepth")) {
		f->is_inner |= !effects_is(value, "0");
	} else if ((effects_is(word, "-name") || effects_is(word, "-iname")) &&
		   !is_not) {
		add_name(&f->found, value);
	} else if (effects_is(word, "-printf")) {
		f->has_format = true;
	} else if (find_arity(word) || effects_is(word, "-empty")) {
		f->has_test = true;
		f->is_inner |= (effects_is(word, "-type") &&
				!effects_is(value, "d") && !is_not) ||
			       effects_is(word, "-path") ||
			       effects_is(word, "-regex");
	}
}

static void find_actions(struct finding *f, size_t i)
{
	while (i < f->args->count && !f->run->walk->is_over) {
		struct effects_text word = f->args->items[i].text;

		if (effects_is(word, "-exec") || effects_is(word, "-execdir") ||
		    effects_is(word, "-ok") || effects_is(word, "-okdir")) {
			size_t end = exec_end(f->args, i + 1);

			find_exec(f, i + 1, end);
			i = end + 1;
			continue;
		}
		if (effects_is(word, "-delete"))
			find_delete(f, f->args->items[i].span);
		f->is_pruned |= effects_is(word, "-prune");
		if (!find_operator(f, word)) {
			find_file(f, i);
			find_test(f, i);
		}
		i += 1 + find_arity(word);
	}
}

static void find_output(struct finding *f)
{
	struct effects_walk *walk = f->run->walk;
	struct effects_args paths = { 0 };

	if (f->has_format) {
		effects_output(walk, &f->run->inside,
			       effects_hole(walk, BL_STR("find"),
					    BL_FACT_FROM_GENERATED, true));
		return;
	}
	end_alternative(f);
	join(&f->before, &f->found);
	for (size_t p = 1; p < f->paths_end; p++)
		list_found(f, &f->before, &f->args->items[p], true, &paths);
	for (size_t i = 0; i < paths.count; i++)
		effects_output(walk, &f->run->inside,
			       effects_join(walk->arena, paths.items[i].text,
					    effects_text(BL_STR("\n"))));
}

bool effects_find(struct effects_run *run)
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

/* ---- fd ---------------------------------------------------------------------------- */

/* The longest plain part of a pattern, which names have somewhere: \.pyc$ has pyc. */
static struct bl_str plain_part(struct bl_str pattern)
{
	struct bl_str best = { "", 0 };
	size_t from = 0;

	for (size_t i = 0; i <= pattern.len; i++) {
		if (i < pattern.len &&
		    (effects_is_name(pattern.ptr[i]) || pattern.ptr[i] == '-'))
			continue;
		if (i - from > best.len)
			best = bl_str_slice(pattern, from, i);
		from = i + 1;
	}
	return best;
}

/* The tests of fd, as find would have them. */
static void fd_tests(struct finding *f)
{
	const struct effects_parsed *parsed = &f->run->parsed;
	struct bl_arena *arena = f->run->walk->arena;

	f->is_inner = true;
	f->has_test = effects_has(parsed, "type");
	for (size_t i = 0; i < parsed->word_count; i++) {
		const struct effects_word *word = &parsed->words[i];
		struct bl_str part = plain_part(effects_str(word->text));

		if (bl_str_is(word->option, "extension"))
			add_name(&f->found,
				 effects_text(bl_arena_printf(
					 arena, "*.%.*s", BL_STR_ARG(part))));
		else if (bl_str_is(word->role, "pattern") && part.len &&
			 !f->found.name_count)
			add_name(&f->found,
				 effects_text(bl_arena_printf(
					 arena, "*%.*s*", BL_STR_ARG(part))));
	}
}

/* A word of the command, with {} in place of the forms of fd; true: it has one. */
static bool add_fd_word(struct finding *f, const struct effects_arg *arg,
			struct effects_args *out)
{
	static const char *const forms[] = { "{}", "{/}", "{//}", "{.}",
					     "{/.}" };
	struct effects_text text = arg->text;
	bool has_form = false;

	for (size_t i = 0; i < BL_COUNT(forms); i++) {
		has_form |= bl_str_find(effects_str(text), bl_str(forms[i]),
					0) != SIZE_MAX;
		text = effects_replace(f->run->walk, text,
				       effects_text(bl_str(forms[i])),
				       effects_text(BL_STR("{}")));
	}
	effects_args_add(f->run->walk, out, text, arg->span);
	return has_form;
}

bool effects_fd(struct effects_run *run)
{
	struct effects_args words = { 0 };
	struct finding f = { .run = run, .args = &words };
	const struct effects_args *args = &run->parsed.args;
	const struct effects_word *exec = NULL;
	bool has_form = false;
	size_t i;

	for (i = 0; i < run->parsed.word_count && !exec; i++)
		if (bl_str_is(run->parsed.words[i].option, "exec") ||
		    bl_str_is(run->parsed.words[i].option, "exec-batch"))
			exec = &run->parsed.words[i];
	if (!exec)
		return false;
	effects_args_add(run->walk, &words, args->items[0].text,
			 args->items[0].span);
	for (i = 0; i < run->parsed.word_count; i++) {
		const struct effects_word *word = &run->parsed.words[i];

		if (bl_str_is(word->role, "names") && word->index < exec->index)
			effects_args_add(run->walk, &words, word->text,
					 word->span);
	}
	if (words.count == 1)
		effects_args_add(run->walk, &words, effects_text(BL_STR(".")),
				 run->span);
	f.paths_end = words.count;
	fd_tests(&f);
	for (i = exec->index;
	     i < args->count && !effects_is(args->items[i].text, ";"); i++)
		has_form |= add_fd_word(&f, &args->items[i], &words);
	if (!has_form)
		effects_args_add(run->walk, &words, effects_text(BL_STR("{}")),
				 exec->span);
	find_exec(&f, f.paths_end, words.count);
	return false;
}
