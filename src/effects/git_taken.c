/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/git_taken.c: guarded files that git takes away without a word about
 * them: those that it does not know (clean, stash -u), and those that it knows
 * and that have changed (checkout ., restore ., stash, reset --hard).  It stands
 * apart from git.c because it reads the repository's index.
 *
 *   .claude/settings.json, just written by `belay init`, not in the index
 *   git clean -fdx     delete /work/.claude/settings.json, action git
 *   git checkout .     nothing
 *
 * A file that is in the index has changed when its size is another: what is
 * guarded grows when belay is registered.
 */
#include "effects/private.h"

enum { INDEX_BYTES = 4 << 20, FILES_MAX = 256, DEPTH_MAX = 4, PARENTS = 64 };

/* The files of a folder that a command takes. */
enum taken { TAKES_UNKNOWN = 1, TAKES_CHANGED = 2 };

struct taking {
	struct effects_run *run;
	uint32_t what;        /* enum taken */
	struct bl_str folder; /* it is about what lies below */
	struct bl_str root;   /* of the repository */
	struct bl_str index;  /* empty: nothing is known */
	uint32_t left;        /* files to look at */
};

/* When a command takes what. */
static const struct {
	const char *row;
	const char *option; /* that it must have; "": none */
	uint32_t what;
	bool has_paths; /* its operands are paths; else it takes from all */
} rows[] = {
	{ "git clean", "force", TAKES_UNKNOWN, true },
	{ "git stash", "", TAKES_CHANGED, true },
	{ "git stash", "include-untracked", TAKES_UNKNOWN, true },
	{ "git stash", "all", TAKES_UNKNOWN, true },
	{ "git checkout", "", TAKES_CHANGED, true },
	{ "git checkout", "force", TAKES_CHANGED, false },
	{ "git switch", "force", TAKES_CHANGED, false },
	{ "git switch", "discard-changes", TAKES_CHANGED, false },
	{ "git restore", "", TAKES_CHANGED, true },
	{ "git reset", "hard", TAKES_CHANGED, false },
};

/* ---- the index ----------------------------------------------------------------- */

/*
 * An entry of the index: 62 bytes whose size is a number of four bytes at 36, the
 * path, a zero.  SIZE_MAX: there is no entry.
 */
static size_t size_in_index(struct bl_str index, struct bl_str path)
{
	enum { ENTRY_BYTES = 62, SIZE_AT = 36 };
	size_t at = bl_str_find(index, path, ENTRY_BYTES);

	while (at != SIZE_MAX && at + path.len < index.len &&
	       index.ptr[at + path.len])
		at = bl_str_find(index, path, at + 1);
	if (at == SIZE_MAX || at + path.len >= index.len)
		return SIZE_MAX;
	index = bl_str_slice(index, at - ENTRY_BYTES + SIZE_AT, SIZE_MAX);
	return (size_t)(unsigned char)index.ptr[0] << 24 |
	       (size_t)(unsigned char)index.ptr[1] << 16 |
	       (size_t)(unsigned char)index.ptr[2] << 8 |
	       (size_t)(unsigned char)index.ptr[3];
}

static struct bl_str read_file(const struct taking *t, struct bl_str path)
{
	const struct bl_effects_world *world = t->run->walk->input->world;
	struct bl_arena *arena = t->run->walk->arena;
	struct bl_str kept = bl_arena_copy_str(arena, path);

	if (!kept.ptr || !world || !world->read)
		return (struct bl_str){ NULL, 0 };
	return world->read(world->context, arena, kept, INDEX_BYTES);
}

static struct bl_str joined(const struct taking *t, struct bl_str folder,
			    struct bl_str name)
{
	return bl_arena_printf(t->run->walk->arena, "%.*s%s%.*s",
			       BL_STR_ARG(folder), folder.len > 1 ? "/" : "",
			       BL_STR_ARG(name));
}

static bool is_there(const struct taking *t, struct bl_str path)
{
	enum bl_effects_file file = path.ptr ? effects_look(t->run->walk, path)
					     : BL_EFFECTS_FILE_UNKNOWN;

	return file != BL_EFFECTS_FILE_UNKNOWN &&
	       file != BL_EFFECTS_FILE_MISSING;
}

/* The repository that the folder is in; false: none. */
static bool open_repository(struct taking *t)
{
	struct bl_str at = t->folder;

	for (int i = 0; i < PARENTS && at.len; i++) {
		if (is_there(t, joined(t, at, BL_STR(".git")))) {
			t->root = at;
			t->index = read_file(
				t, joined(t, at, BL_STR(".git/index")));
			return true;
		}
		while (at.len && at.ptr[--at.len] != '/')
			;
	}
	return false;
}

/* ---- guarded files -------------------------------------------------------------- */

static void take_file(struct taking *t, struct bl_str path)
{
	struct bl_str own = bl_str_slice(path, t->root.len + 1, SIZE_MAX);
	size_t size = size_in_index(t->index, own);
	bool is_known = size != SIZE_MAX;
	bool is_taken = !is_known && (t->what & TAKES_UNKNOWN);

	if (is_known && (t->what & TAKES_CHANGED))
		is_taken = read_file(t, path).len != size;
	if (is_taken)
		effects_add_path(t->run->walk, &t->run->inside, BL_FACT_DELETE,
				 BL_STR("git"), effects_text(path), 0, 0,
				 t->run->span);
}

static bool lies_below(struct bl_str path, struct bl_str folder)
{
	return bl_str_has_prefix(path, folder) &&
	       (path.len == folder.len || folder.len <= 1 ||
		path.ptr[folder.len] == '/');
}

static bool list(const struct taking *t, struct bl_str folder,
		 const struct bl_str **out_names, size_t *out_count)
{
	const struct bl_effects_world *world = t->run->walk->input->world;

	return world && world->list &&
	       world->list(world->context, t->run->walk->arena, folder,
			   FILES_MAX, out_names, out_count);
}

/* The file at path, or the files of the folder there. */
static void take(struct taking *t, struct bl_str path, int depth)
{
	const struct bl_str *names;
	size_t count;

	if (depth == DEPTH_MAX || !t->left || !is_there(t, path) ||
	    !(lies_below(path, t->folder) || lies_below(t->folder, path)) ||
	    !lies_below(path, t->root))
		return;
	if (effects_look(t->run->walk, path) != BL_EFFECTS_FILE_FOLDER) {
		t->left--;
		if (lies_below(path, t->folder))
			take_file(t, path);
		return;
	}
	if (!list(t, path, &names, &count))
		return;
	for (size_t i = 0; i < count; i++)
		take(t, joined(t, path, names[i]), depth + 1);
}

/* A pattern of the table of guards, relative to a workspace; its last part may have "*". */
static void take_pattern(struct taking *t, struct bl_str workspace,
			 struct bl_str pattern)
{
	struct bl_str path = joined(t, workspace, pattern);
	struct bl_str folder = path;
	const struct bl_str *names;
	size_t count;

	if (!path.ptr || bl_str_find(pattern, BL_STR("*"), 0) == SIZE_MAX) {
		take(t, path, 0);
		return;
	}
	while (folder.len && folder.ptr[--folder.len] != '/')
		;
	pattern = bl_str_slice(path, folder.len + 1, SIZE_MAX);
	if (!list(t, bl_arena_copy_str(t->run->walk->arena, folder), &names,
		  &count))
		return;
	for (size_t i = 0; i < count; i++) {
		bool matches = false;

		bl_shell_match(pattern, names[i], 0, &matches);
		if (matches)
			take(t, joined(t, folder, names[i]), 0);
	}
}

static void take_below(struct taking *t, struct bl_str folder)
{
	const struct bl_effects_input *input = t->run->walk->input;
	struct bl_str pattern;

	t->folder = folder;
	t->left = FILES_MAX;
	if (!folder.len || folder.ptr[0] != '/' || !open_repository(t))
		return;
	for (size_t n = 0; effects_guard(n, &pattern); n++)
		for (size_t i = 0; i < input->workspace_count; i++)
			if (pattern.ptr[0] != '/' && pattern.ptr[0] != '~')
				take_pattern(t, input->workspaces[i], pattern);
	for (size_t i = 0; i < input->guard_count; i++)
		take(t, input->guards[i].path, 0);
}

/* ---- commands -------------------------------------------------------------------- */

static void take_at(struct taking *t, struct effects_text word)
{
	struct effects_path path;

	effects_path(t->run->walk, &t->run->inside, word, 0, &path);
	if (path.state == BL_FACT_KNOWN)
		take_below(t, effects_str(path.text));
}

/* From the folder of the command upwards: all of the repository. */
static void take_all(struct taking *t)
{
	struct effects_path path;

	effects_path(t->run->walk, &t->run->inside, effects_text(BL_STR(".")),
		     0, &path);
	t->folder = effects_str(path.text);
	if (path.state == BL_FACT_KNOWN && open_repository(t))
		take_below(t, t->root);
}

/* `stash list`, `stash pop` and the like take nothing. */
static bool is_other_verb(const struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;

	return bl_str_is(run->parsed.row->name, "git stash") && args->count &&
	       !effects_is(args->items[0].text, "push") &&
	       !effects_is(args->items[0].text, "save");
}

/* Does the command take something?  The first operand that is a path, too. */
static bool find_rows(struct taking *t, size_t *out_first, bool *out_all)
{
	const struct effects_run *run = t->run;
	struct bl_str name = run->parsed.row->name;
	size_t count = run->parsed.operands.count;

	*out_first = bl_str_is(name, "git stash");
	*out_all = count <= *out_first && !bl_str_is(name, "git checkout") &&
		   !bl_str_is(name, "git restore");
	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		if (!bl_str_is(name, rows[i].row) ||
		    (rows[i].option[0] &&
		     !effects_has(&run->parsed, rows[i].option)))
			continue;
		t->what |= rows[i].what;
		*out_all |= !rows[i].has_paths;
	}
	return t->what;
}

void effects_git_taken(struct effects_run *run)
{
	const struct effects_args *args = &run->parsed.operands;
	struct taking t = { .run = run };
	size_t first;
	bool is_all;

	if (run->parsed.is_dry || is_other_verb(run) ||
	    !find_rows(&t, &first, &is_all))
		return;
	if (is_all)
		take_all(&t);
	for (size_t i = first; !is_all && i < args->count; i++)
		take_at(&t, args->items[i].text);
}
