/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/arena.h: memory that is given back all at once.
 *
 * An arena hands out pieces of growing blocks and never takes one back; reset
 * or clear ends the life of all of them together.  One arena is one lifetime
 * (design: event, snapshot).  An arena is used by one thread at a time.
 *
 * Every arena has a limit in bytes.  A piece that would pass it, or that the
 * system refuses, comes back as NULL, and the arena remembers which of the
 * two it was (bl_arena_status), so that callers can report it once, at the
 * end of a longer piece of work.
 */
#ifndef BELAY_BASE_ARENA_H
#define BELAY_BASE_ARENA_H

#include <stdarg.h>

#include "base/error.h"
#include "base/str.h"

struct bl_arena_block;

struct bl_arena {
	char *next; /* first free byte of the current block */
	char *end;
	struct bl_arena_block *blocks; /* heap blocks, newest first */
	struct bl_arena_block *spare;  /* one that rewinding gave back */
	char *first;                   /* the caller's block, may be NULL */
	size_t first_bytes;
	size_t used_bytes; /* heap bytes held */
	size_t limit_bytes;
	uintptr_t origin;      /* private: where position 0 would be */
	enum bl_status status; /* OK until a request failed */
};

/*
 * Starts an empty arena.  first (first_bytes long, may be NULL) is memory of
 * the caller that is used before any heap block and is never freed; it must
 * outlive the arena.  limit_bytes caps the heap bytes, 0 means no cap.
 */
void bl_arena_init(struct bl_arena *arena, void *first, size_t first_bytes,
		   size_t limit_bytes);

/* Ends every piece and frees every heap block.  The arena can be used again. */
void bl_arena_clear(struct bl_arena *arena);

/* Like clear, but keeps the largest heap block for the next round. */
void bl_arena_reset(struct bl_arena *arena);

/*
 * How far an arena has come: a number that rises with every piece.  Rewinding to
 * an earlier one ends the pieces handed out since (and those only).
 */
static inline size_t bl_arena_position(const struct bl_arena *arena)
{
	return (uintptr_t)arena->next - arena->origin;
}

void bl_arena_rewind(struct bl_arena *arena, size_t position);

/* Where address is; 0: not in the arena. */
size_t bl_arena_position_of(const struct bl_arena *arena, const void *address);

/* Is address in a piece that was handed out since? */
bool bl_arena_is_newer(const struct bl_arena *arena, size_t position,
		       const void *address);

/* OK, or why a request came back NULL: NO_MEMORY or LIMIT. */
enum bl_status bl_arena_status(const struct bl_arena *arena);

/* The status after a request that did return NULL: never OK. */
static inline enum bl_status bl_arena_why(const struct bl_arena *arena)
{
	enum bl_status status = bl_arena_status(arena);

	return status == BL_OK ? BL_NO_MEMORY : status;
}

/* bl_arena_status as a failure with its text in *err. */
enum bl_status bl_arena_fail(const struct bl_arena *arena,
			     struct bl_error *err);

/* The slow path of bl_arena_alloc. */
void *bl_arena_grow(struct bl_arena *arena, size_t bytes, size_t align);

/* bytes of uninitialised memory, aligned to align (a power of two). */
static inline void *bl_arena_alloc_aligned(struct bl_arena *arena, size_t bytes,
					   size_t align)
{
	uintptr_t at = ((uintptr_t)arena->next + (align - 1)) & ~(align - 1);

	if (BL_LIKELY(arena->next && at <= (uintptr_t)arena->end &&
		      bytes <= (uintptr_t)arena->end - at)) {
		arena->next = (char *)at + bytes;
		return (char *)at;
	}
	return bl_arena_grow(arena, bytes, align);
}

/* As above, aligned for any object. */
static inline void *bl_arena_alloc(struct bl_arena *arena, size_t bytes)
{
	return bl_arena_alloc_aligned(arena, bytes, _Alignof(max_align_t));
}

/* count zeroed objects of size bytes; NULL also when the product overflows. */
void *bl_arena_zalloc(struct bl_arena *arena, size_t count, size_t size);

/*
 * Room for one more behind count items of size bytes: items itself while *cap
 * is more, else a copy with at least twice the room, whose rest is zeroed (the
 * old one stays in the arena), and *cap.  NULL when memory is out; items are
 * then as they were.
 */
void *bl_arena_room(struct bl_arena *arena, void *items, size_t count,
		    size_t *cap, size_t size);

/* A NUL-terminated copy.  The result's ptr is NULL when memory is out. */
struct bl_str bl_arena_copy_str(struct bl_arena *arena, struct bl_str str);

/* printf into the arena, NUL-terminated; ptr is NULL when memory is out. */
struct bl_str bl_arena_printf(struct bl_arena *arena, const char *fmt, ...)
	BL_PRINTF(2, 3);
struct bl_str bl_arena_vprintf(struct bl_arena *arena, const char *fmt,
			       va_list args) BL_PRINTF(2, 0);

#define bl_arena_new(arena, type)                                              \
	((type *)bl_arena_zalloc((arena), 1, sizeof(type)))
#define bl_arena_new_array(arena, type, count)                                 \
	((type *)bl_arena_zalloc((arena), (count), sizeof(type)))

#endif
