/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is released as a whole. */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	SMALLEST_BLOCK_BYTES = 16 * 1024,
	LARGEST_STEP_BYTES = 1024 * 1024,
	FIRST_ITEMS = 8, /* of a growing list */
};

struct bl_arena_block {
	struct bl_arena_block *older;
	size_t bytes; /* of the whole block, this header included */
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
		.limit_bytes = limit_bytes ? limit_bytes : SIZE_MAX,
	};
}

static void rewind_to_first(struct bl_arena *arena)
{
	arena->next = arena->first;
	arena->end = arena->first ? arena->first + arena->first_bytes : NULL;
	arena->status = BL_OK;
}

void bl_arena_clear(struct bl_arena *arena)
{
	struct bl_arena_block *block = arena->blocks;

	while (block) {
		struct bl_arena_block *older = block->older;

		free(block);
		block = older;
	}
	arena->blocks = NULL;
	arena->used_bytes = 0;
	rewind_to_first(arena);
}

void bl_arena_reset(struct bl_arena *arena)
{
	struct bl_arena_block *keep = NULL;
	struct bl_arena_block *block = arena->blocks;

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
		arena->next = keep->data;
		arena->end = (char *)keep + keep->bytes;
	}
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
	return step < LARGEST_STEP_BYTES ? step : LARGEST_STEP_BYTES;
}

static void *refuse(struct bl_arena *arena, enum bl_status status)
{
	arena->status = status;
	return NULL;
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
	if (need > arena->limit_bytes - arena->used_bytes)
		return refuse(arena, BL_LIMIT);
	block = malloc(need);
	if (!block)
		return refuse(arena, BL_NO_MEMORY);
	block->bytes = need;
	block->older = arena->blocks;
	arena->blocks = block;
	arena->used_bytes += need;
	arena->next = block->data;
	arena->end = (char *)block + need;
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
