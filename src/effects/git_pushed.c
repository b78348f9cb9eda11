/* SPDX-License-Identifier: Apache-2.0 */
/*
 * effects/git_pushed.c: does a remote have the commit that is to be rewritten?
 *
 * git writes down what it knows of a remote: refs/remotes/origin/main, and in the log of
 * that reference all that it ever was.  HEAD is pushed when it is one of these.  A line
 * that pushes first makes it so.  Apart from git.c because only amend and rebase ask, and
 * because the files of a repository are read.
 *
 * A commit is not followed to its parents: HEAD with a commit on top that was not pushed
 * counts as new, and so it is for an amend.  A file that is there and cannot be read (it is
 * too large, it is not a file, it may not be opened) leaves the answer open, and then the
 * commit counts as pushed.
 */
#include "effects/private.h"

enum { PARENTS = 16, ID_BYTES = 40 };

/* The folders that hold HEAD, and the references that all work trees share. */
struct repository {
	struct effects_run *run;
	struct bl_str own;
	struct bl_str common;
	bool is_unsure; /* a file is there, and cannot be read */
};

static struct bl_str joined(const struct repository *r, struct bl_str folder,
			    struct bl_str name)
{
	if (name.len && name.ptr[0] == '/')
		return name;
	return bl_arena_printf(r->run->walk->arena, "%.*s/%.*s",
			       BL_STR_ARG(folder), BL_STR_ARG(name));
}

/* The text of a file, without blanks around it; ptr NULL: it is not known. */
static struct bl_str text_of(struct repository *r, struct bl_str folder,
			     struct bl_str name)
{
	struct effects_path path;
	struct effects_text content;

	effects_path(r->run->walk, &r->run->inside,
		     effects_text(joined(r, folder, name)), 0, &path);
	if (effects_content(r->run->walk, &path, &content) &&
	    effects_is_known(content))
		return bl_str_trim(effects_str(content));
	r->is_unsure |= path.state != BL_FACT_KNOWN ||
			(path.file != BL_EFFECTS_FILE_MISSING &&
			 path.file != BL_EFFECTS_FILE_FOLDER);
	return (struct bl_str){ NULL, 0 };
}

/* The text behind prefix; ptr NULL: it begins otherwise. */
static struct bl_str behind(struct bl_str text, const char *prefix)
{
	return bl_str_has_prefix(text, bl_str(prefix))
		       ? bl_str_slice(text, strlen(prefix), SIZE_MAX)
		       : (struct bl_str){ NULL, 0 };
}

/* The .git in a folder; a file there names the folder.  False: it is missing. */
static bool open_git(struct repository *r, struct bl_str at)
{
	struct bl_str git = joined(r, at, BL_STR(".git"));
	struct bl_str named, common;
	struct effects_path path;

	effects_path(r->run->walk, &r->run->inside, effects_text(git), 0,
		     &path);
	if (path.file == BL_EFFECTS_FILE_MISSING)
		return false;
	r->own = git;
	if (path.file != BL_EFFECTS_FILE_FOLDER) {
		named = behind(text_of(r, at, BL_STR(".git")), "gitdir: ");
		r->is_unsure |= !named.ptr;
		if (named.ptr)
			r->own = joined(r, at, named);
	}
	common = text_of(r, r->own, BL_STR("commondir"));
	r->common = common.ptr ? joined(r, r->own, common) : r->own;
	return true;
}

/* The .git of the folder or of one above it. */
static bool open_repository(struct repository *r)
{
	struct effects_text cwd = effects_cwd(r->run->walk, &r->run->inside);
	struct bl_str at = effects_str(cwd);

	if (!r->run->walk->input->world || !effects_is_known(cwd))
		return false;
	for (int i = 0; i < PARENTS && at.len; i++) {
		if (open_git(r, at))
			return true;
		while (at.len && at.ptr[--at.len] != '/')
			;
	}
	return false;
}

/* The commit that a reference is, from its file or from packed-refs. */
static struct bl_str commit_of(struct repository *r, struct bl_str ref)
{
	struct bl_str id = text_of(r, r->common, ref);
	struct bl_str packed;
	size_t at;

	if (id.ptr)
		return id;
	packed = text_of(r, r->common, BL_STR("packed-refs"));
	at = packed.ptr ? bl_str_find(packed,
				      bl_arena_printf(r->run->walk->arena,
						      " %.*s", BL_STR_ARG(ref)),
				      0)
			: SIZE_MAX;
	if (at == SIZE_MAX || at < ID_BYTES ||
	    (at + 1 + ref.len < packed.len &&
	     packed.ptr[at + 1 + ref.len] != '\n'))
		return (struct bl_str){ NULL, 0 };
	return bl_str_slice(packed, at - ID_BYTES, at);
}

/*
 * Has the remote's copy of the branch ever been the commit?  The copy is looked for under
 * the name that a push gives it: origin/BRANCH.
 */
static bool is_pushed(struct repository *r)
{
	struct bl_str head = text_of(r, r->own, BL_STR("HEAD"));
	struct bl_str branch = behind(head, "ref: refs/heads/");
	struct bl_str id, copy, theirs, log;

	if (!branch.ptr)
		return false;
	id = commit_of(r, behind(head, "ref: "));
	copy = bl_arena_printf(r->run->walk->arena, "refs/remotes/origin/%.*s",
			       BL_STR_ARG(branch));
	theirs = commit_of(r, copy);
	if (id.len < ID_BYTES || !theirs.ptr)
		return false;
	if (bl_str_equal(id, theirs))
		return true;
	log = text_of(r, joined(r, r->common, BL_STR("logs")), copy);
	return log.ptr && bl_str_find(log, id, 0) != SIZE_MAX;
}

/* Does an earlier command of the line push? */
static bool has_pushed(const struct effects_walk *walk)
{
	for (size_t i = 0; i < walk->effect_count; i++)
		if (walk->effects[i].kind == BL_FACT_REMOTE &&
		    bl_str_is(walk->effects[i].action, "push"))
			return true;
	return false;
}

static bool rewrites(const struct effects_parsed *parsed)
{
	static const char *const others[] = { "abort", "continue", "skip",
					      "quit", "edit-todo" };

	if (bl_str_is(parsed->row->name, "git commit"))
		return effects_has(parsed, "amend");
	if (!bl_str_is(parsed->row->name, "git rebase"))
		return false;
	for (size_t i = 0; i < BL_COUNT(others); i++)
		if (effects_has(parsed, others[i]))
			return false;
	return true;
}

void effects_git_pushed(struct effects_run *run)
{
	struct repository r = { .run = run };

	if (rewrites(&run->parsed) &&
	    (has_pushed(run->walk) ||
	     (open_repository(&r) && (is_pushed(&r) || r.is_unsure))))
		effects_add_plain(run->walk, BL_FACT_GIT,
				  BL_STR("rewrite-pushed"), NULL, 0, run->span);
}
