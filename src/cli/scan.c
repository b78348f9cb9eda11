/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c: which files belay scan reads and how, and the plain ones of them:
 * scripts and package.json.
 */
#include "cli/scan.h"

#include "json/json.h"
#include "os/os.h"

enum bl_status cli_scan_add(struct cli_scan_file *file, struct bl_str text,
			    uint32_t line, struct bl_error *err)
{
	if (!bl_str_trim(text).len)
		return BL_OK;
	if (file->count == CLI_SCAN_PIECES)
		return bl_fail(err, BL_LIMIT, "more than %d command lines",
			       CLI_SCAN_PIECES);
	file->pieces = bl_arena_room(file->arena, file->pieces, file->count,
				     &file->cap, sizeof(*file->pieces));
	if (!file->pieces)
		return bl_arena_fail(file->arena, err);
	file->pieces[file->count++] = (struct cli_scan_piece){ text, line };
	return BL_OK;
}

/* One text, as the shell reads it: functions and variables are known in it. */
static enum bl_status read_script(struct cli_scan_file *file,
				  struct bl_error *err)
{
	return cli_scan_add(file, file->text, 1, err);
}

/* {"scripts": {"build": "tsc && rm -rf out"}} */
static enum bl_status read_package(struct cli_scan_file *file,
				   struct bl_error *err)
{
	struct bl_json_places *places = NULL;
	const struct bl_json_options options = { .out_places = &places };
	struct bl_place place = { 0 };
	struct bl_value root;
	struct bl_value scripts;
	enum bl_status status = bl_json_read(file->arena, file->text, &options,
					     &root, NULL, &place, err);

	if (status) {
		bl_error_context(err, "line %u", (unsigned)place.line);
		return status;
	}
	scripts = bl_object_find(root, BL_STR("scripts"));
	for (size_t i = 0; !status && i < bl_value_count(scripts); i++)
		status = cli_scan_add(
			file, bl_value_text(bl_object_value(scripts, i)),
			bl_json_value_place(places, scripts, i).line, err);
	return status;
}

/* ---- which -------------------------------------------------------------------- */

/* A name is equal to, begins or ends with text; a path ends with folder/text. */
enum match { IS, BEGINS, ENDS, IN_FOLDER };

static const struct {
	enum match match;
	const char *text;
	cli_scan_reader *reader;
} kinds[] = {
	{ IS, "package.json", read_package },
	{ IS, "Makefile", cli_scan_make },
	{ IS, "makefile", cli_scan_make },
	{ IS, "GNUmakefile", cli_scan_make },
	{ ENDS, ".mk", cli_scan_make },
	{ IS, "Dockerfile", cli_scan_docker },
	{ IS, "Containerfile", cli_scan_docker },
	{ BEGINS, "Dockerfile.", cli_scan_docker },
	{ ENDS, ".dockerfile", cli_scan_docker },
	{ ENDS, ".Dockerfile", cli_scan_docker },
	{ ENDS, ".gitlab-ci.yml", cli_scan_gitlab },
	{ ENDS, ".gitlab-ci.yaml", cli_scan_gitlab },
	{ IN_FOLDER, ".github/workflows/", cli_scan_workflow },
	{ IS, "action.yml", cli_scan_workflow },
	{ IS, "action.yaml", cli_scan_workflow },
	{ ENDS, ".sh", read_script },
	{ ENDS, ".bash", read_script },
	{ ENDS, ".ksh", read_script },
	{ IS, ".envrc", read_script },
	{ IS, ".bashrc", read_script },
	{ IS, ".profile", read_script },
};

static bool is_yaml(struct bl_str name)
{
	return bl_str_has_suffix(name, BL_STR(".yml")) ||
	       bl_str_has_suffix(name, BL_STR(".yaml"));
}

static bool fits(size_t i, struct bl_str path)
{
	struct bl_str text = bl_str(kinds[i].text);
	struct bl_str name = bl_path_base(path);
	struct bl_str folder = bl_str_slice(path, 0, path.len - name.len);

	switch (kinds[i].match) {
	case IS:
		return bl_str_equal(name, text);
	case BEGINS:
		return bl_str_has_prefix(name, text);
	case ENDS:
		return bl_str_has_suffix(name, text);
	case IN_FOLDER:
		return bl_str_has_suffix(folder, text) && is_yaml(name);
	}
	return false;
}

/* #!/bin/sh, #!/usr/bin/env bash, #! /bin/ksh -e */
static bool names_shell(struct bl_str first)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ksh",
					      "ash" };
	size_t at = 0;

	if (!bl_str_has_prefix(first, BL_STR("#!")))
		return false;
	first = bl_str_slice(first, 2, bl_str_find(first, BL_STR("\n"), 0));
	while (at < first.len) {
		size_t end = bl_str_find(first, BL_STR(" "), at);
		struct bl_str word = bl_path_base(bl_str_slice(first, at, end));

		for (size_t i = 0; i < BL_COUNT(shells); i++)
			if (bl_str_is(word, shells[i]))
				return true;
		at = end == SIZE_MAX ? first.len : end + 1;
	}
	return false;
}

cli_scan_reader *cli_scan_reader_of(struct bl_str path, struct bl_str first)
{
	for (size_t i = 0; i < BL_COUNT(kinds); i++)
		if (fits(i, path))
			return kinds[i].reader;
	return names_shell(first) ? read_script : NULL;
}
