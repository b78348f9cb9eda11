/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/find.c: find, an expression language of its own: where it looks, what it
 * finds, and what it does with the findings.  The findings are one pattern, below each path.
 */
#include "effects/private.h"

static struct effects_text mark_all(struct effects_walk *walk)
{
	struct effects_builder text;

	effects_builder_init(&text, walk->arena, 8);
	effects_put_mark(&text, '*');
	return effects_built(&text);
}

struct finding {
	struct effects_run *run;
	const struct effects_args *args;
	size_t paths_end;         /* words 1..paths_end are where it looks */
	struct effects_text name; /* of -name; ptr NULL: any */
	bool has_test;
	bool has_format; /* it prints in a form of its own */
	bool is_shallow; /* -maxdepth 0: nothing below the paths */
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

/*
 * -exec CMD {} ; : the command for what is found below each path.  Without a test
 * that is the path itself, and all below it.
 */
static void find_exec(const struct finding *f, size_t first, size_t end)
{
	struct finding all = *f;

	all.has_test = true;
	for (size_t p = 1; p < f->paths_end; p++) {
		struct effects_text path = f->args->items[p].text;

		find_exec_on(f, first, end, found_text(f, path));
		if (!f->has_test && !f->is_shallow)
			find_exec_on(f, first, end, found_text(&all, path));
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
		if (effects_is(word, "-maxdepth") && i + 1 < f->args->count)
			f->is_shallow =
				effects_is(f->args->items[i + 1].text, "0");
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
