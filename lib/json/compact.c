/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading into packed values (bl_pack): the same grammar as read.c, but what
 * was read is packed at once and the text's memory is given back on the way, so
 * that a document of 100 MB never is there twice.
 */
#include "json/reader.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	FIRST_CELLS = FIRST_SLOTS,
	GIVE_BACK_BYTES = 256 * 1024, /* at a time */
};

bool bl_json_compact_begin(struct reader *r)
{
	r->packer = bl_packer_new(r->arena);
	r->cells = malloc(FIRST_CELLS * sizeof(*r->cells));
	r->give_back_at = r->end;
	if (r->options->give_back_text &&
	    r->end - r->start > 2 * GIVE_BACK_BYTES)
		r->give_back_at = r->start + GIVE_BACK_BYTES;
	if (r->packer && r->cells)
		return true;
	r->arena->status = BL_NO_MEMORY;
	return false;
}

void bl_json_compact_end(struct reader *r)
{
	bl_packer_free(r->packer);
	free(r->cells);
}

bool bl_json_compact_grow(struct reader *r)
{
	struct bl_packed *cells = bl_json_grow_list(
		r, r->cells, NULL, r->slot_cap * sizeof(*cells));

	if (cells)
		r->cells = cells;
	return cells;
}

void bl_json_compact_give_back(struct reader *r)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)r->kept + page - 1) & ~(page - 1);
	uintptr_t to = (uintptr_t)r->p & ~(page - 1);

	r->give_back_at = r->end - r->p > GIVE_BACK_BYTES
				  ? r->p + GIVE_BACK_BYTES
				  : r->end;
	if (from >= to)
		return;
	r->kept_place =
		bl_json_reader_place(r, r->kept + (to - (uintptr_t)r->kept));
	r->kept += to - (uintptr_t)r->kept;
	/* Without it nothing is lost but memory. */
	(void)madvise((void *)from, to - from, MADV_DONTNEED);
}

bool bl_json_compact_close(struct reader *r, size_t first, bool is_object,
			   size_t *out_count,
			   struct bl_packed_repeat *out_repeat)
{
	struct bl_packed *cells = r->cells + first;

	if (is_object)
		return bl_pack_object(r->packer, (void *)cells, out_count,
				      out_repeat, cells - 1);
	return bl_pack_array(r->packer, cells, r->slot_count - first,
			     cells - 1);
}

/* A short text lies in its cell, which therefore has to stay. */
bool bl_json_compact_root(struct reader *r, struct bl_value *out_value)
{
	struct bl_packed *root = bl_arena_alloc_aligned(
		r->arena, sizeof(*root), _Alignof(struct bl_packed));

	if (!root)
		return false;
	*root = r->cells[0];
	*out_value = bl_unpack(root);
	return true;
}
