/* SPDX-License-Identifier: Apache-2.0 */
/* text/program.h: a program while it is being written (compile.c). */
#ifndef BELAY_TEXT_PROGRAM_H
#define BELAY_TEXT_PROGRAM_H

#include "text/ast.h"

/* One piece of memory; the first byte that is free is at len. */
struct pile {
	char *ptr;
	size_t len;
	size_t room;
};

struct program {
	struct bl_arena *arena; /* for everything here */
	struct bl_regex head;
	struct pile insts;    /* struct regex_inst */
	struct pile sets;     /* struct regex_set */
	struct pile ranges;   /* struct regex_range */
	struct pile names;    /* struct regex_name */
	struct pile literals; /* struct regex_literal */
	struct pile bytes;    /* of names, literals and the prefix */
	uint32_t work;        /* nodes written */
	enum bl_status status;
};

/* Adds size bytes; NULL and program->status on failure. */
void *program_put(struct program *program, struct pile *pile, const void *data,
		  size_t size);

/* Writes the instructions of tree. */
bool program_write(struct program *program, struct node *tree);

/* Finds out what speeds up a search (literal.c). */
bool program_note_starts(struct program *program);
void program_note_bits(struct program *program);
bool program_note_literals(struct program *program, const struct node *tree);

#endif
