/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is released as a whole: blocks that grow, a limit, and one status
 * for the first failure, so that callers check once.
 */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
	SMALLEST_BLOCK_BYTES = 16 * 1024,
	LARGEST_STEP_BYTES = 1024 * 1024,
	HUGE_PAGE_BYTES = 2 * 1024 * 1024,
	LARGE_ARENA_BYTES = 2 * HUGE_PAGE_BYTES, /* takes them from there on */
	FIRST_ITEMS = 8,                         /* of a growing list */
};

struct bl_arena_block {
	struct bl_arena_block *older;
	size_t bytes;  /* of the whole block, this header included */
	size_t before; /* the position where it begins */
	_Alignas(max_align_t) char data[];
};

void bl_arena_init(struct bl_arena *arena, void *first, size_t first_bytes,
		   size_t limit_bytes)
{
	*arena = (struct bl_arena){
		.next = first,
		.end = first ? (char *)first + first_bytes : NULL,
		.first = first,
		.first_bytes = first ? first_bytes : 0,
		.origin = (uintptr_t)first,
		.limit_bytes = limit_bytes ? limit_bytes : SIZE_MAX,
	};
}

static void rewind_to_first(struct bl_arena *arena)
{
	arena->next = arena->first;
	arena->end = arena->first ? arena->first + arena->first_bytes : NULL;
	arena->origin = (uintptr_t)arena->first;
	arena->status = BL_OK;
}

/* Pieces come from block from now on, the first from next on. */
static void enter(struct bl_arena *arena, struct bl_arena_block *block,
		  char *next)
{
	arena->next = next;
	arena->end = (char *)block + block->bytes;
	arena->origin = (uintptr_t)block->data - block->before;
}

void bl_arena_clear(struct bl_arena *arena)
{
	struct bl_arena_block *block = arena->blocks;

	while (block) {
		struct bl_arena_block *older = block->older;

		free(block);
		block = older;
	}
	free(arena->spare);
	arena->spare = NULL;
	arena->blocks = NULL;
	arena->used_bytes = 0;
	rewind_to_first(arena);
}

void bl_arena_reset(struct bl_arena *arena)
{
	struct bl_arena_block *keep = arena->spare;
	struct bl_arena_block *block = arena->blocks;

	arena->spare = NULL;
	while (block) {
		struct bl_arena_block *older = block->older;

		if (!keep || block->bytes > keep->bytes) {
			free(keep);
			keep = block;
		} else {
			free(block);
		}
		block = older;
	}
	arena->blocks = keep;
	arena->used_bytes = keep ? keep->bytes : 0;
	rewind_to_first(arena);
	if (keep) {
		keep->older = NULL;
		keep->before = arena->first_bytes;
		enter(arena, keep, keep->data);
	}
}

/* ---- rewinding ------------------------------------------------------------ */

/* Keeps the larger one of it and the spare one. */
static void put_aside(struct bl_arena *arena, struct bl_arena_block *block)
{
	struct bl_arena_block *other = arena->spare;

	if (!other || other->bytes < block->bytes) {
		arena->spare = block;
		block = other;
	}
	if (block) {
		arena->used_bytes -= block->bytes;
		free(block);
	}
}

void bl_arena_rewind(struct bl_arena *arena, size_t position)
{
	struct bl_arena_block *block;

	while ((block = arena->blocks) && block->before >= position) {
		arena->blocks = block->older;
		put_aside(arena, block);
	}
	block = arena->blocks;
	if (block) {
		enter(arena, block, block->data + (position - block->before));
		return;
	}
	arena->next = arena->first ? arena->first + position : NULL;
	arena->end = arena->first ? arena->first + arena->first_bytes : NULL;
	arena->origin = (uintptr_t)arena->first;
}

size_t bl_arena_position_of(const struct bl_arena *arena, const void *address)
{
	uintptr_t at = (uintptr_t)address;

	for (const struct bl_arena_block *block = arena->blocks; block;
	     block = block->older)
		if (at >= (uintptr_t)block->data &&
		    at < (uintptr_t)block + block->bytes)
			return block->before + (at - (uintptr_t)block->data);
	if (arena->first && at >= (uintptr_t)arena->first &&
	    at < (uintptr_t)arena->first + arena->first_bytes)
		return at - (uintptr_t)arena->first;
	return 0;
}

bool bl_arena_is_newer(const struct bl_arena *arena, size_t position,
		       const void *address)
{
	const struct bl_arena_block *block = arena->blocks;
	uintptr_t at = (uintptr_t)address;
	uintptr_t from;

	for (; block; block = block->older) {
		from = (uintptr_t)block->data;
		if (block->before < position)
			from += position - block->before;
		if (at >= from && at < (uintptr_t)block + block->bytes)
			return true;
		if (block->before < position)
			return false;
	}
	from = (uintptr_t)arena->first + position;
	return arena->first && at >= from &&
	       at < (uintptr_t)arena->first + arena->first_bytes;
}

enum bl_status bl_arena_status(const struct bl_arena *arena)
{
	return arena->status;
}

enum bl_status bl_arena_fail(const struct bl_arena *arena, struct bl_error *err)
{
	if (arena->status == BL_LIMIT)
		return bl_fail(err, BL_LIMIT,
			       "more than %zu bytes of memory would be needed",
			       arena->limit_bytes);
	return bl_fail_memory(err);
}

static size_t step_bytes(const struct bl_arena *arena)
{
	size_t step = arena->used_bytes;

	if (step < SMALLEST_BLOCK_BYTES)
		return SMALLEST_BLOCK_BYTES;
	if (step >= LARGE_ARENA_BYTES)
		return HUGE_PAGE_BYTES;
	return step < LARGEST_STEP_BYTES ? step : LARGEST_STEP_BYTES;
}

static void *refuse(struct bl_arena *arena, enum bl_status status)
{
	arena->status = status;
	return NULL;
}

/* The spare block, when it is large enough; else it is given back. */
static struct bl_arena_block *take_spare(struct bl_arena *arena, size_t bytes)
{
	struct bl_arena_block *spare = arena->spare;

	arena->spare = NULL;
	if (spare && spare->bytes < bytes) {
		arena->used_bytes -= spare->bytes;
		free(spare);
		spare = NULL;
	}
	return spare;
}

static size_t data_bytes(const struct bl_arena_block *block)
{
	return block->bytes - offsetof(struct bl_arena_block, data);
}

/*
 * Memory of a large arena comes in huge pages where the system has them: a
 * page fault for each 4 KiB takes longer than what is then written there.
 */
static struct bl_arena_block *new_block(size_t bytes)
{
	struct bl_arena_block *block;

	if (bytes % HUGE_PAGE_BYTES)
		return malloc(bytes);
	block = aligned_alloc(HUGE_PAGE_BYTES, bytes);
#ifdef MADV_HUGEPAGE
	if (block)
		(void)madvise(block, bytes, MADV_HUGEPAGE);
#endif
	return block;
}

void *bl_arena_grow(struct bl_arena *arena, size_t bytes, size_t align)
{
	struct bl_arena_block *block;
	size_t need;
	size_t step = step_bytes(arena);

	if (!bl_add_size(bytes, sizeof(*block) + align, &need))
		return refuse(arena, BL_LIMIT);
	if (need < step && step <= arena->limit_bytes - arena->used_bytes)
		need = step;
	block = take_spare(arena, need);
	if (!block && need > arena->limit_bytes - arena->used_bytes)
		return refuse(arena, BL_LIMIT);
	if (!block) {
		block = new_block(need);
		if (!block)
			return refuse(arena, BL_NO_MEMORY);
		block->bytes = need;
		arena->used_bytes += need;
	}
	block->before = arena->blocks ? arena->blocks->before +
						data_bytes(arena->blocks)
				      : arena->first_bytes;
	block->older = arena->blocks;
	arena->blocks = block;
	enter(arena, block, block->data);
	return bl_arena_alloc_aligned(arena, bytes, align);
}

void *bl_arena_zalloc(struct bl_arena *arena, size_t count, size_t size)
{
	size_t bytes;
	void *piece;

	if (!bl_mul_size(count, size, &bytes))
		return refuse(arena, BL_LIMIT);
	piece = bl_arena_alloc(arena, bytes);
	if (piece)
		memset(piece, 0, bytes);
	return piece;
}

void *bl_arena_room(struct bl_arena *arena, void *items, size_t count,
		    size_t *cap, size_t size)
{
	size_t wanted = *cap ? *cap * 2 : FIRST_ITEMS;
	void *bigger;

	if (count < *cap)
		return items;
	if (wanted < *cap)
		return refuse(arena, BL_LIMIT);
	bigger = bl_arena_zalloc(arena, wanted, size);
	if (!bigger)
		return NULL;
	if (count)
		memcpy(bigger, items, count * size);
	*cap = wanted;
	return bigger;
}

struct bl_str bl_arena_copy_str(struct bl_arena *arena, struct bl_str str)
{
	char *copy;
	size_t bytes;

	if (!bl_add_size(str.len, 1, &bytes))
		return (struct bl_str){ refuse(arena, BL_LIMIT), 0 };
	copy = bl_arena_alloc_aligned(arena, bytes, 1);
	if (!copy)
		return (struct bl_str){ NULL, 0 };
	if (str.len)
		memcpy(copy, str.ptr, str.len);
	copy[str.len] = '\0';
	return (struct bl_str){ copy, str.len };
}

struct bl_str bl_arena_vprintf(struct bl_arena *arena, const char *fmt,
			       va_list args)
{
	va_list again;
	char *text;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, args);
	text = len < 0 ? refuse(arena, BL_LIMIT) /* INT_MAX, or no text */
		       : bl_arena_alloc_aligned(arena, (size_t)len + 1, 1);
	if (text)
		vsnprintf(text, (size_t)len + 1, fmt, again);
	va_end(again);
	return (struct bl_str){ text, text ? (size_t)len : 0 };
}

struct bl_str bl_arena_printf(struct bl_arena *arena, const char *fmt, ...)
{
	struct bl_str text;
	va_list args;

	va_start(args, fmt);
	text = bl_arena_vprintf(arena, fmt, args);
	va_end(args);
	return text;
}
