/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the words of a command lead: from its folder, through links, and after
 * "cd".  Text alone cannot tell that "notes" is a link to what is protected, or
 * that "cd .git && rm config" is about .git/config.
 */
#include "sources/policies/private.h"

enum {
	/* A command that a kernel takes has fewer (MAX_ARG_STRLEN). */
	MAX_WORDS = 65536, /* or values of an input */
	MAX_BASES = 64,
	MAX_DEPTH = 600, /* more than JSON may have */
	MAX_PATH_BYTES = 4096,
};

/* One command at hand. */
struct walk {
	struct policy_run *run;
	struct bl_str text;
	size_t at;
	char *word;                     /* has room for the whole text */
	struct bl_str bases[MAX_BASES]; /* where relative words may start */
	size_t base_count;
	size_t last; /* base after every "cd" so far */
	size_t before;
	size_t word_count;
	struct bl_array_builder list;
	enum bl_status status;
};

static const char separators[] = " \t\n\r\v\f;&|<>()=,:@`{}";

/*
 * The next word between separators, without quotes and backslashes, as
 * belay.system.shell splits them; ptr NULL at the end.
 */
static struct bl_str next_word(struct walk *w)
{
	size_t len = 0;

	while (w->at < w->text.len) {
		char c = w->text.ptr[w->at++];

		if (c == '\\' && w->at < w->text.len &&
		    w->text.ptr[w->at] == '\n')
			w->at++;
		else if (c == '\\' || c == '\'' || c == '"')
			continue;
		else if (c && !strchr(separators, c))
			w->word[len++] = c;
		else if (len)
			break;
	}
	return (struct bl_str){ len ? w->word : NULL, len };
}

/* ~/x is x in the user's home. */
static struct bl_str join(struct walk *w, struct bl_str base,
			  struct bl_str word)
{
	struct bl_arena *arena = w->run->arena;
	struct bl_str home;

	if (bl_str_has_prefix(word, BL_STR("~/")) &&
	    !bl_os_home(arena, &home, NULL))
		return bl_path_join(arena, home,
				    bl_str_slice(word, 2, SIZE_MAX));
	return bl_path_join(arena, base, word);
}

/* Is there anything at the first part of the word?  Else no link can be. */
static bool has_start(struct walk *w, struct bl_str base, struct bl_str word)
{
	size_t from = word.ptr[0] == '/' || word.ptr[0] == '~';
	size_t slash = bl_str_find(word, BL_STR("/"), from);
	struct bl_file_info info;
	struct bl_str start;

	if (word.ptr[0] == '~')
		return true;
	if (slash != SIZE_MAX)
		word = bl_str_slice(word, 0, slash);
	start = bl_path_join(w->run->arena, base, word);
	return start.ptr && !bl_os_info_path(start, &info, NULL);
}

static void add(struct walk *w, struct bl_str word, struct bl_str real)
{
	struct bl_object_builder one;

	bl_object_builder_init(&one, w->run->arena);
	bl_object_builder_add(
		&one, BL_STR("word"),
		bl_value_string(bl_arena_copy_str(w->run->arena, word)));
	bl_object_builder_add(&one, BL_STR("real"), bl_value_string(real));
	bl_array_builder_add(&w->list, bl_object_builder_end(&one));
}

/* The word as it is read at each of the bases. */
static void add_word(struct walk *w, struct bl_str word)
{
	for (size_t i = 0; i < w->base_count; i++) {
		struct bl_str path;
		struct bl_str real;

		if (!i && !has_start(w, w->bases[0], word))
			continue;
		path = join(w, w->bases[i], word);
		if (!path.ptr ||
		    bl_path_follow(w->run->arena, path, &real, NULL, NULL))
			continue;
		if (!bl_str_equal(real, word))
			add(w, word, real);
	}
}

/* The base's number; it may have been there. */
static size_t add_base(struct walk *w, struct bl_str from, struct bl_str word)
{
	struct bl_str path = join(w, from, word);
	struct bl_str real;
	size_t i = 0;

	if (!path.ptr || bl_path_follow(w->run->arena, path, &real, NULL, NULL))
		return 0;
	while (i < w->base_count && !bl_str_equal(w->bases[i], real))
		i++;
	if (i == MAX_BASES)
		w->status = policy_trouble(
			w->run, BL_FAILURE_LIMIT, NULL,
			BL_STR("the command changes folders too often to "
			       "follow it"));
	else if (i == w->base_count)
		w->bases[w->base_count++] = real;
	return i == MAX_BASES ? 0 : i;
}

/*
 * After "cd word": what went before may have been undone (in a subshell, by a
 * failure), so the word also starts from where the last one did, and from the
 * very first folder.
 */
static void change_folder(struct walk *w, struct bl_str word)
{
	size_t next = add_base(w, w->bases[w->last], word);

	if (!w->status)
		add_base(w, w->bases[w->before], word);
	if (!w->status)
		add_base(w, w->bases[0], word);
	w->before = w->last;
	w->last = next;
}

/* Words before the name of the folder that the next ones start from. */
static bool changes_folder(struct bl_str word)
{
	return bl_str_is(word, "cd") || bl_str_is(word, "pushd") ||
	       bl_str_is(word, "-C") || bl_str_is(word, "chdir");
}

static enum bl_status walk_words(struct walk *w)
{
	bool is_folder = false;
	struct bl_str word;

	for (word = next_word(w); word.ptr && !w->status; word = next_word(w)) {
		bool was_folder = is_folder;

		if (++w->word_count > MAX_WORDS)
			return policy_trouble(w->run, BL_FAILURE_LIMIT, NULL,
					      BL_STR("the command has too many "
						     "words to look at"));
		is_folder = changes_folder(word);
		if (word.ptr[0] == '-' || is_folder) {
			is_folder |= was_folder;
			continue;
		}
		add_word(w, word);
		if (was_folder)
			change_folder(w, word);
	}
	return w->status;
}

/* A search: the folder that its pattern starts from. */
static void walk_pattern(struct walk *w, struct bl_value input)
{
	static const char *const keys[] = { "pattern", "glob", "glob_pattern" };

	for (size_t i = 0; i < BL_COUNT(keys); i++) {
		struct bl_str text =
			bl_value_text(bl_object_find(input, bl_str(keys[i])));
		size_t end = 0;

		for (size_t j = 0; j < text.len; j++) {
			if (strchr("*?[{", text.ptr[j]))
				break;
			if (text.ptr[j] == '/')
				end = j;
		}
		if (end)
			add_word(w, bl_str_slice(text, 0, end));
	}
}

/* The operands of a foreign tool: any string may be a path. */
static enum bl_status walk_texts(struct walk *w, struct bl_value value,
				 int depth)
{
	bool is_object = bl_value_is(value, BL_KIND_OBJECT);
	struct bl_str text = bl_value_text(value);

	if (depth == MAX_DEPTH || ++w->word_count > MAX_WORDS)
		return policy_trouble(w->run, BL_FAILURE_LIMIT, NULL,
				      BL_STR("the tool's input has too many "
					     "values to look at"));
	if (text.len) {
		if (text.len <= MAX_PATH_BYTES &&
		    bl_str_find(text, BL_STR("\n"), 0) == SIZE_MAX)
			add_word(w, text);
		return BL_OK;
	}
	for (size_t i = 0; !w->status && i < bl_value_count(value); i++)
		w->status = walk_texts(w,
				       is_object ? bl_object_value(value, i)
						 : bl_value_item(value, i),
				       depth + 1);
	return w->status;
}

static enum bl_status look(struct walk *w, struct bl_str kind)
{
	struct bl_value input = policy_at(w->run->event->belay, "tool.input");
	struct bl_str path =
		bl_value_text(bl_object_find(input, BL_STR("path")));

	if (bl_str_is(kind, "shell"))
		return walk_words(w);
	if (!bl_str_is(kind, "search"))
		return walk_texts(w, input, 0);
	if (path.len)
		change_folder(w, path);
	walk_pattern(w, input);
	return w->status;
}

enum bl_status policy_add_named_paths(struct policy_run *run,
				      struct bl_value *input)
{
	static const char *const kinds[] = { "shell", "search", "mcp",
					     "other" };
	struct bl_value belay = run->event->belay;
	struct bl_str kind = bl_value_text(policy_at(belay, "tool.kind"));
	struct bl_str cwd = bl_value_text(policy_at(belay, "tool.shell.cwd"));
	struct walk w = {
		.run = run,
		.text = bl_value_text(policy_at(belay, "tool.shell.command")),
	};
	bool is_meant = false;
	enum bl_status status;

	for (size_t i = 0; i < BL_COUNT(kinds); i++)
		is_meant |= bl_str_is(kind, kinds[i]);
	if (!bl_path_is_absolute(cwd))
		cwd = run->event->cwd;
	if (!is_meant || !bl_path_is_absolute(cwd))
		return BL_OK;
	w.bases[w.base_count++] = cwd;
	w.word = bl_arena_alloc_aligned(run->arena, w.text.len + 1, 1);
	if (!w.word)
		return bl_arena_fail(run->arena, run->err);
	bl_array_builder_init(&w.list, run->arena);
	status = look(&w, kind);
	if (!status && w.list.count)
		*input = policy_put(run->arena, *input, BL_STR("named_paths"),
				    bl_array_builder_end(&w.list));
	return status;
}
