/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/scan.h: the command lines in files that run some: scripts, CI files,
 * package.json, Makefiles, Dockerfiles.  Reading finds *pieces*, each a text as a
 * shell would get it, with the line where it begins.
 *
 *   .github/workflows/ci.yml    - run: |          piece "make\nmake test",
 *                                   make          line 8 of the file
 *                                   make test
 */
#ifndef BELAY_CLI_SCAN_H
#define BELAY_CLI_SCAN_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"

enum {
	CLI_SCAN_FILE_BYTES = 1 << 20,
	CLI_SCAN_PIECES = 10000, /* of one file */
};

struct cli_scan_piece {
	struct bl_str text;
	uint32_t line;      /* of its first line in the file, from 1 */
	uint32_t skipped;   /* lines of text before that line: a wrapper's */
	bool is_in_project; /* runs in the project's folder, not the file's */
};

struct cli_scan_file {
	struct bl_arena *arena;
	struct bl_str path;
	struct bl_str text;
	struct cli_scan_piece *pieces;
	size_t count;
	size_t cap;
	/* A piece in a language that is not read: where; 0: all were read. */
	uint32_t unread_line;
	struct bl_str unread; /* its name */
};

/* Adds a piece; text must live as long as the file.  LIMIT, NO_MEMORY. */
enum bl_status cli_scan_add(struct cli_scan_file *file, struct bl_str text,
			    uint32_t line, struct bl_error *err);

/* Reads the pieces of a text.  SYNTAX: it is not what its name says. */
typedef enum bl_status cli_scan_reader(struct cli_scan_file *file,
				       struct bl_error *err);

/*
 * The reader of a file by its path, or by its first line ("#!/bin/sh"; first may
 * be empty).  NULL: it is not a file that is scanned.
 */
cli_scan_reader *cli_scan_reader_of(struct bl_str path, struct bl_str first);

cli_scan_reader cli_scan_docker;   /* scan_docker.c */
cli_scan_reader cli_scan_make;     /* scan_make.c */
cli_scan_reader cli_scan_workflow; /* scan_yaml.c: of GitHub */
cli_scan_reader cli_scan_gitlab;   /* scan_yaml.c */

#endif
