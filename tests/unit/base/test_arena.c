/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <wchar.h>

#include "base/arena.h"
#include "tap.h"

/* Asking for too much must come back as NULL under ASan as well. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static bool is_aligned(const void *piece, size_t align)
{
	return (uintptr_t)piece % align == 0;
}

static void pieces_are_apart_and_aligned(void)
{
	struct bl_arena arena;
	char *pieces[200];

	bl_arena_init(&arena, NULL, 0, 0);
	for (size_t i = 0; i < 200; i++) {
		pieces[i] = bl_arena_alloc(&arena, 1 + i * 7);
		REQUIRE(pieces[i]);
		CHECK(is_aligned(pieces[i], _Alignof(max_align_t)));
		memset(pieces[i], (int)i, 1 + i * 7);
	}
	for (size_t i = 0; i < 200; i++) {
		CHECK_INT((unsigned char)pieces[i][0], i);
		CHECK_INT((unsigned char)pieces[i][i * 7], i);
	}
	CHECK(is_aligned(bl_arena_alloc_aligned(&arena, 3, 1), 1));
	CHECK(is_aligned(bl_arena_alloc_aligned(&arena, 3, 64), 64));
	CHECK_STATUS(bl_arena_status(&arena), BL_OK);
	bl_arena_clear(&arena);
}

static void a_piece_may_be_larger_than_a_block(void)
{
	struct bl_arena arena;
	char *large, *small;

	bl_arena_init(&arena, NULL, 0, 0);
	large = bl_arena_alloc(&arena, 3000000);
	small = bl_arena_alloc(&arena, 10);
	REQUIRE(large && small);
	memset(large, 1, 3000000);
	memset(small, 2, 10);
	CHECK_INT(large[2999999], 1);
	bl_arena_clear(&arena);
}

static void the_callers_block_is_used_first(void)
{
	_Alignas(max_align_t) char block[256];
	struct bl_arena arena;
	char *piece;

	bl_arena_init(&arena, block, sizeof(block), 0);
	piece = bl_arena_alloc(&arena, 200);
	CHECK(piece >= block && piece + 200 <= block + sizeof(block));
	CHECK_INT(arena.used_bytes, 0);
	piece = bl_arena_alloc(&arena, 200);
	CHECK(piece && (piece < block || piece >= block + sizeof(block)));
	bl_arena_clear(&arena);
	CHECK(bl_arena_alloc_aligned(&arena, 1, 1) == block);
	bl_arena_clear(&arena);
}

static void the_limit_has_a_name_and_lasts(void)
{
	struct bl_arena arena;
	struct bl_error err;

	bl_arena_init(&arena, NULL, 0, 100000);
	CHECK(bl_arena_alloc(&arena, 50000));
	CHECK_STATUS(bl_arena_status(&arena), BL_OK);
	CHECK(!bl_arena_alloc(&arena, 60000));
	CHECK_STATUS(bl_arena_status(&arena), BL_LIMIT);
	CHECK(arena.used_bytes <= 100000);
	/* what still fits is given, the failure stays known */
	CHECK(bl_arena_alloc(&arena, 100));
	CHECK_STATUS(bl_arena_status(&arena), BL_LIMIT);
	CHECK_STATUS(bl_arena_fail(&arena, &err), BL_LIMIT);
	CHECK_STATUS(err.status, BL_LIMIT);
	CHECK(strstr(err.message, "100000"));
	bl_arena_reset(&arena);
	CHECK_STATUS(bl_arena_status(&arena), BL_OK);
	bl_arena_clear(&arena);
}

static void memory_that_is_out_has_a_name(void)
{
	struct bl_arena arena;
	struct bl_error err;

	bl_arena_init(&arena, NULL, 0, 0);
	CHECK(!bl_arena_alloc(&arena, SIZE_MAX / 2));
	CHECK_STATUS(bl_arena_status(&arena), BL_NO_MEMORY);
	CHECK_STATUS(bl_arena_fail(&arena, &err), BL_NO_MEMORY);
	CHECK_STATUS(bl_arena_fail(&arena, NULL), BL_NO_MEMORY);
	bl_arena_clear(&arena);
	CHECK_STATUS(bl_arena_status(&arena), BL_OK);
}

static void sizes_that_overflow_are_refused(void)
{
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	CHECK(!bl_arena_alloc(&arena, SIZE_MAX));
	CHECK_STATUS(bl_arena_status(&arena), BL_LIMIT);
	bl_arena_clear(&arena);
	CHECK(!bl_arena_zalloc(&arena, SIZE_MAX / 2, 3));
	CHECK_STATUS(bl_arena_status(&arena), BL_LIMIT);
	bl_arena_clear(&arena);
	CHECK(!bl_arena_copy_str(&arena, (struct bl_str){ "x", SIZE_MAX }).ptr);
	CHECK_STATUS(bl_arena_status(&arena), BL_LIMIT);
	bl_arena_clear(&arena);
}

static void reset_keeps_the_largest_block(void)
{
	struct bl_arena arena;
	char *again;
	size_t held;

	bl_arena_init(&arena, NULL, 0, 0);
	bl_arena_alloc(&arena, 100);
	bl_arena_alloc(&arena, 500000);
	bl_arena_alloc(&arena, 100000);
	bl_arena_reset(&arena);
	held = arena.used_bytes;
	CHECK(held >= 500000 && held < 600000);
	again = bl_arena_alloc(&arena, 400000);
	REQUIRE(again);
	memset(again, 1, 400000);
	CHECK_INT(arena.used_bytes, held);
	bl_arena_reset(&arena);
	bl_arena_clear(&arena);
	CHECK_INT(arena.used_bytes, 0);
}

static void zalloc_zeroes_what_was_used_before(void)
{
	struct bl_arena arena;
	unsigned char *piece;

	bl_arena_init(&arena, NULL, 0, 0);
	memset(bl_arena_alloc(&arena, 4000), 0xAA, 4000);
	bl_arena_reset(&arena);
	piece = bl_arena_zalloc(&arena, 100, 40);
	REQUIRE(piece);
	for (size_t i = 0; i < 4000; i++)
		CHECK_INT(piece[i], 0);
	bl_arena_clear(&arena);
}

static void room_grows_and_keeps(void)
{
	struct bl_arena arena;
	uint32_t *items = NULL;
	size_t cap = 0;
	size_t old_cap;

	bl_arena_init(&arena, NULL, 0, 0);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t *before = items;

		old_cap = cap;
		items = bl_arena_room(&arena, items, i, &cap, sizeof(*items));
		REQUIRE(items);
		CHECK(cap > i);
		CHECK(i < old_cap ? items == before && cap == old_cap
				  : cap >= 2 * old_cap);
		CHECK_INT(items[i], 0);
		items[i] = i + 1;
	}
	for (uint32_t i = 0; i < 1000; i++)
		CHECK_INT(items[i], i + 1);
	bl_arena_clear(&arena);
}

static void room_that_is_not_there_changes_nothing(void)
{
	struct bl_arena arena;
	char items[4] = "abc";
	size_t cap = 4;

	bl_arena_init(&arena, NULL, 0, 64);
	CHECK(!bl_arena_room(&arena, items, 4, &cap, 100000));
	CHECK_INT(cap, 4);
	CHECK_STATUS(bl_arena_status(&arena), BL_LIMIT);
	cap = SIZE_MAX / 2 + 1;
	CHECK(!bl_arena_room(&arena, items, cap, &cap, 1));
	CHECK_INT(cap == SIZE_MAX / 2 + 1, true);
	bl_arena_clear(&arena);
}

static void copies_end_with_nul(void)
{
	struct bl_arena arena;
	struct bl_str copy;

	bl_arena_init(&arena, NULL, 0, 0);
	copy = bl_arena_copy_str(&arena, (struct bl_str){ "abcdef", 3 });
	CHECK_STR(copy, "abc");
	CHECK_INT(copy.ptr[3], '\0');
	copy = bl_arena_copy_str(&arena, (struct bl_str){ NULL, 0 });
	REQUIRE(copy.ptr);
	CHECK_INT(copy.ptr[0], '\0');
	CHECK_INT(copy.len, 0);
	bl_arena_clear(&arena);
}

static void printf_measures_first(void)
{
	struct bl_arena arena;
	struct bl_str text;

	bl_arena_init(&arena, NULL, 0, 100000);
	text = bl_arena_printf(&arena, "%s-%05d", "a", 42);
	CHECK_STR(text, "a-00042");
	CHECK_INT(text.ptr[text.len], '\0');
	text = bl_arena_printf(&arena, "%50000s|", "x");
	CHECK_INT(text.len, 50001);
	text = bl_arena_printf(&arena, "%200000s", "x");
	CHECK(!text.ptr);
	CHECK_INT(text.len, 0);
	CHECK_STATUS(bl_arena_status(&arena), BL_LIMIT);
	bl_arena_clear(&arena);
}

/* The C locale has no such character: printf itself fails. */
static void printf_that_fails_is_not_silent(void)
{
	struct bl_arena arena;

	bl_arena_init(&arena, NULL, 0, 0);
	CHECK(!bl_arena_printf(&arena, "a%lcb", (wint_t)0x20AC).ptr);
	CHECK_STATUS(bl_arena_status(&arena), BL_LIMIT);
	bl_arena_clear(&arena);
}

/* Rewinding ends what came since, over blocks as well, and nothing else. */
static void rewinding_ends_what_came_since(void)
{
	static char first[100];
	struct bl_arena arena;
	char *kept;
	char *gone;
	size_t position;

	bl_arena_init(&arena, first, sizeof(first), 4 << 20);
	CHECK_INT(bl_arena_position(&arena), 0);
	kept = bl_arena_alloc(&arena, 16);
	memcpy(kept, "kept", 5);
	position = bl_arena_position(&arena);
	CHECK_INT(bl_arena_position_of(&arena, kept), 0);
	for (int round = 0; round < 1000; round++) {
		size_t last = position;

		for (size_t i = 0; i < 8; i++) {
			gone = bl_arena_alloc(&arena, (size_t)1 << (2 * i));
			CHECK(gone != NULL);
			if (!gone)
				break;
			*gone = 'x';
			CHECK(bl_arena_is_newer(&arena, position, gone));
			CHECK(!bl_arena_is_newer(&arena, position, kept));
			CHECK(bl_arena_position_of(&arena, gone) >= last);
			last = bl_arena_position(&arena);
		}
		bl_arena_rewind(&arena, position);
		CHECK_INT(bl_arena_position(&arena), position);
	}
	CHECK(strcmp(kept, "kept") == 0);
	CHECK(arena.used_bytes < 1 << 20);
	bl_arena_clear(&arena);
	CHECK_INT(arena.used_bytes, 0);
}

int main(void)
{
	RUN(pieces_are_apart_and_aligned);
	RUN(a_piece_may_be_larger_than_a_block);
	RUN(the_callers_block_is_used_first);
	RUN(the_limit_has_a_name_and_lasts);
	RUN(memory_that_is_out_has_a_name);
	RUN(sizes_that_overflow_are_refused);
	RUN(reset_keeps_the_largest_block);
	RUN(rewinding_ends_what_came_since);
	RUN(zalloc_zeroes_what_was_used_before);
	RUN(room_grows_and_keeps);
	RUN(room_that_is_not_there_changes_nothing);
	RUN(copies_end_with_nul);
	RUN(printf_measures_first);
	RUN(printf_that_fails_is_not_silent);
	return tap_end();
}
