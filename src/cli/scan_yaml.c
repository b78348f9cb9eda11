/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_yaml.c: the command lines of CI files.  GitHub's workflows and actions
 * have them in steps ("run"), GitLab's files in jobs ("script" and those before
 * and after it).  Where a text stands in the file is YAML's to say.
 *
 * ${{ github.ref }} is put in before a shell sees the line: it becomes a
 * variable of the same length that nobody knows, so that places stay.
 */
#include "cli/scan.h"
#include "yaml/yaml.h"

/* One file on the way through its value. */
struct reading {
	struct cli_scan_file *file;
	const struct bl_yaml_places *places;
	struct bl_error *err;
	enum bl_status status;
};

static struct bl_str text_of(struct bl_value object, const char *name)
{
	return bl_value_text(bl_object_find(object, bl_str(name)));
}

/* "${{ x }}" to "${EEEE}". */
static struct bl_str without_expressions(struct bl_arena *arena,
					 struct bl_str text)
{
	char *copy;
	size_t at = bl_str_find(text, BL_STR("${{"), 0);

	if (at == SIZE_MAX)
		return text;
	copy = bl_arena_alloc_aligned(arena, text.len + 1, 1);
	if (!copy)
		return text;
	memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	while (at != SIZE_MAX) {
		size_t end = bl_str_find(text, BL_STR("}}"), at);

		if (end == SIZE_MAX)
			break;
		memset(copy + at + 2, 'E', end + 1 - (at + 2));
		at = bl_str_find(text, BL_STR("${{"), end);
	}
	return (struct bl_str){ copy, text.len };
}

/* The line where the text of a scalar begins: below the mark of a block. */
static uint32_t line_of(const struct reading *r, struct bl_value value)
{
	struct bl_place place = bl_yaml_place(r->places, value);
	struct bl_str text = r->file->text;

	if (place.line && place.offset < text.len &&
	    (text.ptr[place.offset] == '|' || text.ptr[place.offset] == '>'))
		return place.line + 1;
	return place.line;
}

static void add(struct reading *r, struct bl_value value)
{
	if (r->status || !bl_value_is(value, BL_KIND_STRING))
		return;
	r->status = cli_scan_add(
		r->file,
		without_expressions(r->file->arena, bl_value_text(value)),
		line_of(r, value), r->err);
	if (!r->status && r->file->count)
		r->file->pieces[r->file->count - 1].is_in_project = true;
}

static enum bl_status begin(struct reading *r, struct bl_value *out_root)
{
	return bl_yaml_read(r->file->arena, r->file->text, out_root, NULL,
			    &r->places, r->err);
}

/* ---- GitHub ------------------------------------------------------------------------ */

static bool is_shell(struct bl_str name)
{
	return !name.len || bl_str_has_prefix(name, BL_STR("bash")) ||
	       bl_str_has_prefix(name, BL_STR("sh"));
}

/* The shell of a step, else that of its job, else that of the file. */
static void read_steps(struct reading *r, struct bl_value steps,
		       struct bl_str usual)
{
	for (size_t i = 0; i < bl_value_count(steps); i++) {
		struct bl_value step = bl_value_item(steps, i);
		struct bl_value run = bl_object_find(step, BL_STR("run"));
		struct bl_str shell = text_of(step, "shell");

		if (!shell.len)
			shell = usual;
		if (is_shell(shell)) {
			add(r, run);
			continue;
		}
		r->file->unread = shell;
		r->file->unread_line = line_of(r, run);
	}
}

static struct bl_str usual_shell(struct bl_value holder, struct bl_str above)
{
	struct bl_value defaults = bl_object_find(holder, BL_STR("defaults"));
	struct bl_str shell =
		text_of(bl_object_find(defaults, BL_STR("run")), "shell");

	return shell.len ? shell : above;
}

enum bl_status cli_scan_workflow(struct cli_scan_file *file,
				 struct bl_error *err)
{
	struct reading r = { .file = file, .err = err };
	struct bl_value root;
	struct bl_value jobs;
	struct bl_str usual;

	r.status = begin(&r, &root);
	if (r.status)
		return r.status;
	usual = usual_shell(root, BL_STR(""));
	jobs = bl_object_find(root, BL_STR("jobs"));
	for (size_t i = 0; i < bl_value_count(jobs); i++) {
		struct bl_value job = bl_object_value(jobs, i);

		read_steps(&r, bl_object_find(job, BL_STR("steps")),
			   usual_shell(job, usual));
	}
	read_steps(&r,
		   bl_object_find(bl_object_find(root, BL_STR("runs")),
				  BL_STR("steps")),
		   usual);
	return r.status;
}

/* ---- GitLab ------------------------------------------------------------------------ */

enum { LIST_DEPTH = 10 }; /* as GitLab has it */

/* A text, or a list of texts and lists. */
static void add_lines(struct reading *r, struct bl_value value, int depth)
{
	add(r, value);
	if (!bl_value_is(value, BL_KIND_ARRAY) || depth > LIST_DEPTH)
		return;
	for (size_t i = 0; i < bl_value_count(value); i++)
		add_lines(r, bl_value_item(value, i), depth + 1);
}

static void read_job(struct reading *r, struct bl_value job)
{
	static const char *const names[] = { "before_script", "script",
					     "after_script" };

	for (size_t i = 0; i < BL_COUNT(names); i++)
		add_lines(r, bl_object_find(job, bl_str(names[i])), 0);
}

/* Jobs, templates and "default" are members of the file like any other. */
enum bl_status cli_scan_gitlab(struct cli_scan_file *file, struct bl_error *err)
{
	struct reading r = { .file = file, .err = err };
	struct bl_value root;

	r.status = begin(&r, &root);
	if (r.status)
		return r.status;
	read_job(&r, root);
	for (size_t i = 0; i < bl_value_count(root); i++)
		read_job(&r, bl_object_value(root, i));
	return r.status;
}
