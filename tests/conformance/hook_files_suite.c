/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hook_files_suite corpus FOLDER: every file of FOLDER/manifest.tsv gets, under
 * cursor-2.3 and cursor, the verdict of its columns 4 and 5, reasons included:
 * "ok", or the first three findings and how many more ("version; hooks",
 * "unknown event X; stop[0] command (+2)").
 *
 * hook_files_suite own FOLDER: every file of FOLDER/expected.tsv gets under
 * cursor-2.3 and cursor the findings of its columns 2 and 3: "ok", or severity,
 * code and place of each ("E version@1:12 W misspelt-key@2:3").
 */
#include <stdlib.h>

#include "base/buf.h"
#include "sources/hooks/hooks.h"
#include "os/os.h"
#include "tap.h"

enum { MAX_FILE_BYTES = 4 << 20, MAX_COLUMNS = 8 };

static struct bl_arena arena;

/* ---- the findings of one file --------------------------------------- */

/* "hooks/version" and the like to the manifest's words. */
static const struct {
	const char *code;
	const char *words;
} plain_words[] = {
	{ "hooks/version", "version" },
	{ "hooks/hooks-object", "hooks" },
	{ "hooks/config-object", "root" },
};

/* The text of message between start and end. */
static struct bl_str between(struct bl_str message, const char *start,
			     const char *end)
{
	size_t from = bl_str_find(message, bl_str(start), 0);
	size_t to = bl_str_find(message, bl_str(end), 0);

	if (from == SIZE_MAX || to == SIZE_MAX)
		return BL_STR("?");
	return bl_str_slice(message, from + strlen(start), to);
}

static void put_words(struct bl_buf *out, const struct bl_diag *diag)
{
	for (size_t i = 0; i < BL_COUNT(plain_words); i++) {
		if (!strcmp(diag->code, plain_words[i].code)) {
			bl_buf_puts(out, plain_words[i].words);
			return;
		}
	}
	if (!strcmp(diag->code, "hooks/unknown-step")) {
		bl_buf_puts(out, "unknown event ");
		bl_buf_put_str(out,
			       between(diag->message,
				       "Unknown hook type: ", ". Valid types"));
	} else if (!strcmp(diag->code, "hooks/command")) {
		bl_buf_put_str(out, between(diag->hint, "", ":"));
		bl_buf_puts(out, " command");
	} else if (!strcmp(diag->code, "hooks/syntax")) {
		bool comments = bl_str_find(diag->hint,
					    BL_STR("comments are not allowed"),
					    0) != SIZE_MAX;

		bl_buf_puts(out, comments ? "not strict JSON" : "invalid JSON");
	} else {
		bl_buf_puts(out, diag->code);
	}
}

static void put_verdict(struct bl_buf *out, const struct bl_diags *diags)
{
	size_t count = 0;

	for (const struct bl_diag *diag = diags->first; diag;
	     diag = diag->next) {
		if (diag->severity != BL_SEVERITY_ERROR)
			continue;
		if (++count > 3)
			continue;
		bl_buf_puts(out, count > 1 ? "; " : "");
		put_words(out, diag);
	}
	if (count == 0)
		bl_buf_puts(out, "ok");
	if (count > 3)
		bl_buf_printf(out, " (+%zu)", count - 3);
}

static void put_findings(struct bl_buf *out, const struct bl_diags *diags)
{
	for (const struct bl_diag *diag = diags->first; diag; diag = diag->next)
		bl_buf_printf(out, "%s%c %s@%u:%u", out->len ? " " : "",
			      "NWE"[diag->severity],
			      diag -> code + strlen("hooks/"),
			      (unsigned)diag -> place.line,
			      (unsigned)diag->place.column);
	if (out->len == 0)
		bl_buf_puts(out, "ok");
}

/* ---- one line of the table ---------------------------------------- */

static void check_under(const char *profile, struct bl_str name,
			struct bl_str text, struct bl_str expected,
			void (*show)(struct bl_buf *, const struct bl_diags *))
{
	struct bl_diag_source source = { name, text };
	struct bl_diags diags;
	struct bl_buf found;
	struct bl_error err;

	bl_diags_init(&diags, &arena);
	bl_buf_init(&found, 0);
	CHECK_STATUS(bl_hook_file_validate(bl_profile_find(bl_str(profile)),
					   BL_SOURCE_PROJECT, &source, &diags,
					   &err),
		     BL_OK);
	show(&found, &diags);
	if (!bl_str_equal(bl_buf_str(&found), expected)) {
		tap_failures++;
		TAP_NOTE("%.*s under %s: %s, not %.*s", BL_STR_ARG(name),
			 profile, found.ptr, BL_STR_ARG(expected));
	}
	bl_buf_clear(&found);
}

static size_t split(struct bl_str line, struct bl_str *columns)
{
	size_t count = 0;
	size_t from = 0;

	while (count < MAX_COLUMNS) {
		size_t tab = bl_str_find(line, BL_STR("\t"), from);

		columns[count++] = bl_str_slice(line, from, tab);
		if (tab == SIZE_MAX)
			break;
		from = tab + 1;
	}
	return count;
}

static void check_line(struct bl_str folder, struct bl_str line, bool is_own)
{
	struct bl_str columns[MAX_COLUMNS];
	size_t count = split(line, columns);
	size_t first = is_own ? 1 : 3; /* column of cursor-2.3 */
	struct bl_str text;
	struct bl_error err;

	tap_failures = 0;
	CHECK_INT(count, is_own ? 3 : 5);
	CHECK_STATUS(bl_os_read_file(bl_path_join(&arena, folder, columns[0]),
				     0, MAX_FILE_BYTES, &arena, &text, NULL,
				     &err),
		     BL_OK);
	if (tap_failures == 0) {
		check_under("cursor-2.3", columns[0], text, columns[first],
			    is_own ? put_findings : put_verdict);
		check_under("cursor", columns[0], text, columns[first + 1],
			    is_own ? put_findings : put_verdict);
	}
	tap_count++;
	tap_failed_tests += tap_failures > 0;
	printf("%s %d - %.*s\n", tap_failures ? "not ok" : "ok", tap_count,
	       BL_STR_ARG(columns[0]));
}

static int run(struct bl_str folder, bool is_own)
{
	const char *table = is_own ? "expected.tsv" : "manifest.tsv";
	struct bl_str text;
	size_t from = 0;

	if (bl_os_read_file(bl_path_join(&arena, folder, bl_str(table)), 0,
			    MAX_FILE_BYTES, &arena, &text, NULL,
			    NULL) != BL_OK) {
		if (is_own)
			return 1;
		printf("ok 1 # SKIP ../shared not found\n1..1\n");
		return 0;
	}
	while (from < text.len) {
		size_t end = bl_str_find(text, BL_STR("\n"), from);
		struct bl_str line = bl_str_slice(text, from, end);

		/* The first line names the columns. */
		if (from > 0 && line.len > 0)
			check_line(folder, line, is_own);
		if (end == SIZE_MAX)
			break;
		from = end + 1;
	}
	return tap_end();
}

int main(int argc, char **argv)
{
	int status;

	if (argc != 3)
		return 2;
	bl_arena_init(&arena, NULL, 0, 0);
	status = run(bl_str(argv[2]), !strcmp(argv[1], "own"));
	bl_arena_clear(&arena);
	return status;
}
