/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rego_print FOLDER...: every module of OPA's cases (docs/contracts/rego.md
 * "Suite") parses, prints, and the printed text is a fixed point: it parses and
 * prints as itself; and the same of what the formatter makes of it.  One TAP
 * point for each folder given, one note for each failure.
 */
#include <stdio.h>
#include <string.h>

#include "json/json.h"
#include "os/os.h"
#include "rego/rego.h"

enum { MAX_FILES = 100000, MAX_FILE_BYTES = 64 << 20 };

struct totals {
	size_t modules;
	size_t failures;
};

static void note(struct totals *totals, struct bl_str id, size_t number,
		 const char *what, struct bl_str detail)
{
	totals->failures++;
	printf("# %.*s:%zu: %s: %.*s\n", BL_STR_ARG(id), number, what,
	       BL_STR_ARG(detail));
}

/* Parses text and prints it; the failure's message otherwise. */
static bool print_text(struct bl_arena *arena, struct bl_str text,
		       struct bl_str *out_printed, struct bl_error *err)
{
	const struct bl_rego_module *module;
	size_t offset;
	struct bl_buf out;

	if (bl_rego_parse(arena, BL_STR("m.rego"), text, false, &module,
			  &offset, err))
		return false;
	bl_buf_init(&out, 0);
	bl_rego_print(&out, module);
	*out_printed = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return true;
}

/* Formats text; what comes out of that is compared there with what went in. */
static bool format_text(struct bl_arena *arena, struct bl_str text,
			struct bl_str *out_formatted, struct bl_error *err)
{
	const struct bl_rego_module *module;
	enum bl_status status;
	size_t offset;
	struct bl_buf out;

	if (bl_rego_parse(arena, BL_STR("m.rego"), text, false, &module,
			  &offset, err))
		return false;
	bl_buf_init(&out, 0);
	status = bl_rego_format(arena, module, &out, err);
	*out_formatted = bl_arena_copy_str(arena, bl_buf_str(&out));
	bl_buf_clear(&out);
	return status == BL_OK;
}

static void check_format(struct totals *totals, struct bl_str id, size_t number,
			 struct bl_str text)
{
	struct bl_arena arena;
	struct bl_error err = { 0 };
	struct bl_str once;
	struct bl_str twice;

	bl_arena_init(&arena, NULL, 0, 0);
	if (!format_text(&arena, text, &once, &err) ||
	    !format_text(&arena, once, &twice, &err))
		note(totals, id, number, "is not formatted",
		     bl_str(err.message));
	else if (!bl_str_equal(once, twice))
		note(totals, id, number, "formatted twice is not the same",
		     once);
	bl_arena_clear(&arena);
}

static void check_module(struct totals *totals, struct bl_str id, size_t number,
			 struct bl_str text)
{
	struct bl_arena arena;
	struct bl_error err = { 0 };
	struct bl_str once;
	struct bl_str twice;

	bl_arena_init(&arena, NULL, 0, 0);
	totals->modules++;
	if (!print_text(&arena, text, &once, &err))
		note(totals, id, number, "does not parse", bl_str(err.message));
	else if (!print_text(&arena, once, &twice, &err))
		note(totals, id, number, "the printed text does not parse",
		     bl_str(err.message));
	else if (!bl_str_equal(once, twice))
		note(totals, id, number, "no fixed point", once);
	else
		check_format(totals, id, number, text);
	bl_arena_clear(&arena);
}

static void check_file(struct totals *totals, struct bl_str path)
{
	struct bl_arena arena;
	struct bl_error err = { 0 };
	struct bl_str text;
	struct bl_value content;
	struct bl_value cases;

	bl_arena_init(&arena, NULL, 0, 0);
	if (bl_os_read_file(path, 0, MAX_FILE_BYTES, &arena, &text, NULL,
			    &err) ||
	    bl_json_read(&arena, text, NULL, &content, NULL, NULL, &err)) {
		note(totals, path, 0, "not read", bl_str(err.message));
		bl_arena_clear(&arena);
		return;
	}
	cases = bl_object_find(content, BL_STR("cases"));
	for (size_t i = 0; i < bl_value_count(cases); i++) {
		struct bl_value modules = bl_object_find(
			bl_value_item(cases, i), BL_STR("modules"));

		for (size_t j = 0; j < bl_value_count(modules); j++)
			check_module(totals, path, i,
				     bl_value_text(bl_value_item(modules, j)));
	}
	bl_arena_clear(&arena);
}

/* The files of folder and of the folders directly in it; false: no folder. */
static bool check_folder(struct totals *totals, struct bl_str folder, int depth)
{
	struct bl_arena arena;
	struct bl_str *names;
	size_t count;
	struct bl_error err;
	bool found;

	bl_arena_init(&arena, NULL, 0, 0);
	found = !bl_os_list_dir(folder, MAX_FILES, &arena, &names, &count,
				&err);
	for (size_t i = 0; found && i < count; i++) {
		struct bl_str path = bl_path_join(&arena, folder, names[i]);

		if (bl_str_has_suffix(names[i], BL_STR(".json")))
			check_file(totals, path);
		else if (depth > 0)
			check_folder(totals, path, depth - 1);
	}
	bl_arena_clear(&arena);
	return found;
}

int main(int argc, char **argv)
{
	size_t bad = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: rego_print FOLDER...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		struct totals totals = { 0 };

		if (!check_folder(&totals, bl_str(argv[i]), 1)) {
			printf("ok %d # SKIP %s not found\n", i, argv[i]);
			continue;
		}
		bad += totals.failures > 0 || totals.modules == 0;
		printf("%s %d - %s: %zu of %zu modules\n",
		       totals.failures || !totals.modules ? "not ok" : "ok", i,
		       argv[i], totals.modules - totals.failures,
		       totals.modules);
	}
	printf("1..%d\n", argc - 1);
	return bad > 0;
}
