/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files below one folder of a policy directory: links are followed, loops
 * and what cannot be read are findings.  Which folders there are is collect.c's.
 */
#include <strings.h>

#include "sources/policies/private.h"

struct walk {
	enum policy_file_kind kind;
	struct bl_arena *arena;
	struct bl_diags *diags;
	struct policy_files *files;
	struct bl_error *err;
	/* The folders on the way, by which loops of links are known. */
	struct bl_file_info above[POLICY_MAX_DEPTH];
	size_t depth;
};

static enum bl_status add_folder(struct walk *walk, struct bl_str path);

void policy_note_path(struct bl_diags *diags, struct bl_str path,
		      const char *code, const char *message)
{
	const struct bl_diag_source source = { path, BL_STR("") };

	bl_diags_add(diags, BL_SEVERITY_ERROR, code, &source,
		     (struct bl_place){ 0 }, NULL, "%s", message);
}

static void note(struct walk *walk, struct bl_str path, const char *code,
		 const char *message)
{
	policy_note_path(walk->diags, path, code, message);
}

bool policy_looks_like_rego(struct bl_str name)
{
	static const char suffix[] = ".rego";
	size_t len = sizeof(suffix) - 1;

	return name.len > len &&
	       !strncasecmp(name.ptr + name.len - len, suffix, len);
}

static enum bl_status add_file(struct walk *walk, struct bl_str path)
{
	struct policy_files *files = walk->files;
	struct bl_error problem = { 0 };
	struct policy_file file = { .path = path, .kind = walk->kind };
	enum bl_status status;

	if (files->count == POLICY_MAX_FILES)
		return bl_fail(walk->err, BL_LIMIT, "more than %d policy files",
			       POLICY_MAX_FILES);
	if (file.kind == POLICY_FILE_POLICY &&
	    bl_str_is(bl_path_base(bl_path_dir(path)), "builtins"))
		file.kind = POLICY_FILE_BUILTIN;
	files->items = bl_arena_room(walk->arena, files->items, files->count,
				     &files->cap, sizeof(file));
	if (!files->items)
		return bl_arena_fail(walk->arena, walk->err);
	status = bl_os_read_file(path, 0, POLICY_MAX_FILE_BYTES, walk->arena,
				 &file.text, NULL, &problem);
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(walk->err);
	if (status)
		note(walk, path, "policy/unreadable", problem.message);
	else
		files->items[files->count++] = file;
	return BL_OK;
}

/*
 * OK for a folder; *out_info is about it.  NOT_FOUND: there is nothing, or no
 * folder.  Anything else: nobody knows, and it may hold policies.
 */
static enum bl_status open_folder(struct bl_str path,
				  struct bl_file_info *out_info)
{
	int fd;
	enum bl_status status = bl_os_open(path, BL_OPEN_DIRECTORY, &fd, NULL);

	if (status)
		return status;
	status = bl_os_info(fd, out_info, NULL);
	bl_os_close(fd);
	return status;
}

/* A folder inside: its policies, its tests, or those of another agent. */
static enum bl_status add_inner_folder(struct walk *walk, struct bl_str path,
				       struct bl_str name)
{
	enum policy_file_kind kind = walk->kind;
	enum bl_status status;

	if (kind == POLICY_FILE_POLICY && walk->depth == 1 &&
	    policy_is_foreign(walk->files, name))
		return BL_OK;
	if (kind != POLICY_FILE_STRAY && bl_str_is(name, "tests"))
		walk->kind = POLICY_FILE_TEST;
	status = walk->kind != POLICY_FILE_TEST || walk->files->with_tests
			 ? add_folder(walk, path)
			 : BL_OK;
	walk->kind = kind;
	return status;
}

/*
 * A file that is meant to be a policy, by its name.  Editors leave links that
 * lead nowhere beside what they hold open: those are not files.
 */
static enum bl_status add_named(struct walk *walk, struct bl_str path,
				struct bl_str name)
{
	struct bl_file_info info;

	if (name.ptr[0] == '.') {
		if (!bl_os_info_target(path, &info, NULL))
			note(walk, path, "policy/not-loaded",
			     "a file whose name begins with a dot is not "
			     "loaded: rename or remove it");
		return BL_OK;
	}
	if (bl_str_has_suffix(name, BL_STR(".rego")))
		return add_file(walk, path);
	note(walk, path, "policy/not-loaded",
	     "only names that end in .rego, in small letters, are loaded: "
	     "rename or remove it");
	return BL_OK;
}

static enum bl_status add_entry(struct walk *walk, struct bl_str folder,
				struct bl_str name)
{
	struct bl_str path = bl_path_join(walk->arena, folder, name);
	bool is_rego = policy_looks_like_rego(name);
	struct bl_file_info info;
	enum bl_status status;

	if (!path.ptr)
		return bl_arena_fail(walk->arena, walk->err);
	if (name.ptr[0] == '.' && !is_rego)
		return BL_OK;
	/* Also of what is left out: a link may lead to a folder tomorrow. */
	if ((is_rego || walk->kind != POLICY_FILE_STRAY) &&
	    !policy_add_stamp(walk->files->stamps, path))
		return bl_arena_fail(walk->arena, walk->err);
	status = name.ptr[0] == '.' ? BL_NOT_FOUND : open_folder(path, &info);
	if (status != BL_NOT_FOUND)
		return add_inner_folder(walk, path, name);
	return is_rego ? add_named(walk, path, name) : BL_OK;
}

/* False (and a finding) for a folder that cannot or need not be entered. */
static bool enter(struct walk *walk, struct bl_str path)
{
	struct bl_file_info info;

	if (walk->kind == POLICY_FILE_STRAY &&
	    !policy_add_stamp(walk->files->stamps, path))
		return false;
	if (open_folder(path, &info)) {
		note(walk, path, "policy/unreadable",
		     "the folder cannot be opened");
		return false;
	}
	for (size_t i = 0; i < walk->depth; i++) {
		if (walk->above[i].device == info.device &&
		    walk->above[i].inode == info.inode) {
			note(walk, path, "policy/link-loop",
			     "a link leads back to a folder above it");
			return false;
		}
	}
	if (walk->depth == POLICY_MAX_DEPTH) {
		note(walk, path, "policy/too-deep",
		     "too many folders inside each other");
		return false;
	}
	walk->above[walk->depth++] = info;
	return true;
}

static enum bl_status add_folder(struct walk *walk, struct bl_str path)
{
	struct bl_error problem = { 0 };
	struct bl_str *names;
	size_t count;
	enum bl_status status;

	if (!enter(walk, path))
		return BL_OK;
	status = bl_os_list_dir(path, POLICY_MAX_FILES, walk->arena, &names,
				&count, &problem);
	if (status == BL_NO_MEMORY)
		return bl_fail_memory(walk->err);
	if (status) {
		note(walk, path, "policy/unreadable", problem.message);
		count = 0;
		status = BL_OK;
	}
	for (size_t i = 0; !status && i < count; i++)
		status = add_entry(walk, path, names[i]);
	walk->depth--;
	return status;
}

enum bl_status policy_read_tree(struct policy_files *files,
				struct bl_str folder,
				enum policy_file_kind kind, bool *out_found,
				struct bl_error *err)
{
	struct walk walk = { .kind = kind,
			     .arena = files->arena,
			     .diags = files->diags,
			     .files = files,
			     .err = err };
	struct bl_file_info info;
	enum bl_status status;
	bool found;

	if (!policy_add_stamp(files->stamps, folder))
		return bl_arena_fail(files->arena, err);
	status = open_folder(folder, &info);
	found = status != BL_NOT_FOUND;
	if (out_found)
		*out_found = found;
	return found ? add_folder(&walk, folder) : BL_OK;
}
