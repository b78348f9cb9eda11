/* SPDX-License-Identifier: Apache-2.0 */
/* json/reader.h: the state of one reading. */
#ifndef BELAY_JSON_READER_H
#define BELAY_JSON_READER_H

#include "json/private.h"

enum { FIRST_SLOTS = 96, FIRST_LEVELS = 32 };

/* An array or object that is still open. */
struct level {
	uint32_t first_slot;
	bool is_object;
};

/*
 * Values that do not have their container yet wait in slots (of an object key
 * and value in turn), with the offset of each.  Both lists and the open
 * levels start in the reader itself and go to the heap when they grow.  While
 * packing the values wait packed, in cells.
 */
struct reader {
	const char *p;
	const char *start;
	const char *end;
	struct bl_arena *arena;
	const struct bl_json_options *options;
	struct bl_json_report *report;
	struct bl_json_places *places;
	struct bl_error *err;
	struct bl_place *out_place;
	struct bl_value *slots; /* while packing only the first, for one */
	uint32_t *offsets;
	size_t slot_count;
	size_t slot_cap;
	struct level *levels;
	size_t depth;
	size_t level_cap;
	size_t max_depth;
	struct bl_packer *packer; /* NULL: the value is not to be compact */
	struct bl_packed *cells;  /* slots while packing */
	const char *kept;         /* text before it was given back */
	const char *give_back_at; /* once the reader is there */
	struct bl_place kept_place;
	struct bl_value first_slots[FIRST_SLOTS];
	uint32_t first_offsets[FIRST_SLOTS];
	struct level first_levels[FIRST_LEVELS];
};

/* The place of a byte that was not given back. */
struct bl_place bl_json_reader_place(const struct reader *r, const char *at);

/*
 * A list twice as long, on the heap; first is where it started.  The memory that the
 * reader needs meanwhile may not pass the arena's limit either, and the arena
 * is told why there was no list.
 */
void *bl_json_grow_list(struct reader *r, void *list, const void *first,
			size_t old_bytes);

/* ---- compact.c: when the value is to be compact (options) ---------------- */

/* Sets packer and what goes with it.  False when memory is out. */
bool bl_json_compact_begin(struct reader *r);
void bl_json_compact_end(struct reader *r);

/* Twice as many cells. */
bool bl_json_compact_grow(struct reader *r);

/* Gives the text before r->p back to the system, in whole pages. */
void bl_json_compact_give_back(struct reader *r);

/* The cells from first on become a container in the cell before them. */
bool bl_json_compact_close(struct reader *r, size_t first, bool is_object,
			   size_t *out_count,
			   struct bl_packed_repeat *out_repeat);

/* The value that was read, at the end. */
bool bl_json_compact_root(struct reader *r, struct bl_value *out_value);

/* Packs the slot that was filled last. */
static inline bool pack_slot(struct reader *r)
{
	return !r->packer ||
	       bl_pack(r->packer, r->slots[0], &r->cells[r->slot_count - 1]);
}

#endif
