/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/cli/cases.h: the parts of run-cases, the runner of .case files
 * (their grammar: README.md here).
 *
 * case.c reads and prints a file, run.c does what it says in a fresh folder,
 * match.c compares texts with placeholders, run_cases.c is the program.
 * Everything about one case lives in one arena.
 */
#ifndef BELAY_TESTS_CLI_CASES_H
#define BELAY_TESTS_CLI_CASES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

/* ---- a case file (case.c) ----------------------------------------------- */

enum section_kind {
	SECTION_ABOUT,
	SECTION_FILE,
	SECTION_DIR,
	SECTION_LINK,
	SECTION_ENV,
	SECTION_RUN,
	SECTION_STDIN,
	SECTION_AS,
	SECTION_STDOUT,
	SECTION_STDERR,
	SECTION_EXIT,
	SECTION_CONTENT,
	SECTION_KIND_COUNT
};

struct words {
	char **list; /* NULL-terminated */
	size_t count;
};

struct section {
	enum section_kind kind;
	struct words words; /* what follows the name on its line */
	struct bl_str body; /* its lines, as they are meant */
	struct bl_str raw;  /* header and body, as the file has them */
	unsigned line;
	bool replaced; /* accepted is printed in the place of raw */
	struct bl_str accepted;
};

struct test_case {
	const char *path;
	struct section *sections;
	size_t count;
};

/* Reads path into *out_case.  SYNTAX with file and line when it is wrong. */
enum bl_status case_load(struct bl_arena *arena, const char *path,
			 struct test_case *out_case, struct bl_error *err);

/* The value of option KEY=VALUE among a section's words, or NULL. */
const char *case_option(const struct section *section, const char *key);

/* Whether the section's words hold the flag. */
bool case_flag(const struct section *section, const char *flag);

/* Splits text into words as a shell would, without any expansion. */
enum bl_status case_words(struct bl_arena *arena, struct bl_str text,
			  struct words *out_words, struct bl_error *err);

/* Appends a section as a file has it: header, and body made safe. */
void case_print_section(struct bl_buf *out, const char *header,
			struct bl_str body);

/* The whole file, replaced sections in their new form. */
void case_print(const struct test_case *test, struct bl_buf *out);

/* ---- doing it (run.c) --------------------------------------------------- */

struct place {
	const char *dir;     /* the folder of this case, absolute */
	const char *bin_dir; /* where `belay` is */
	struct bl_arena *arena;
};

struct run_result {
	struct bl_str out;
	struct bl_str errors;
	const char *end; /* "0", "signal 9", "no end within 30 s" */
};

/* text with the folder's path in the place of <<DIR>>. */
struct bl_str place_fill(const struct place *place, struct bl_str text);

/* Does a file, dir or link section. */
enum bl_status run_setup(const struct place *place,
			 const struct section *section, struct bl_error *err);

/* Runs the command of sections[at] with what the sections after it give. */
enum bl_status run_command(const struct place *place,
			   const struct test_case *test, size_t at,
			   struct run_result *out_result, struct bl_error *err);

/* True for a section that belongs to the run before it. */
bool run_is_part(enum section_kind kind);

/* The content of a file of the case, or NOT_FOUND. */
enum bl_status run_read_file(const struct place *place, const char *name,
			     struct bl_str *out_text, struct bl_error *err);

void run_remove_tree(const char *dir);

/* ---- comparing (match.c) ------------------------------------------------ */

/* Whether actual is what expected, with its placeholders, allows. */
bool match_text(const struct place *place, struct bl_str expected,
		struct bl_str actual);

/* Prints the differing lines of both as TAP notes. */
void match_print(const struct place *place, const char *what,
		 struct bl_str expected, struct bl_str actual);

/* actual, in the words of expected wherever a line of it still matches. */
struct bl_str match_accept(const struct place *place, struct bl_str expected,
			   struct bl_str actual);

#endif
