/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <wchar.h>

#include "base/buf.h"
#include "tap.h"

/* Asking for too much must come back as NULL under ASan as well. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void an_empty_buffer_is_the_empty_string(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	CHECK_STR(bl_buf_str(&buf), "");
	REQUIRE(buf.ptr);
	CHECK_INT(buf.ptr[0], '\0');
	bl_buf_put(&buf, NULL, 0);
	bl_buf_puts(&buf, "");
	bl_buf_put_str(&buf, bl_str(NULL));
	bl_buf_printf(&buf, "%s", "");
	CHECK_STATUS(bl_buf_status(&buf), BL_OK);
	CHECK_INT(buf.len, 0);
	bl_buf_reset(&buf);
	bl_buf_clear(&buf);
	bl_buf_clear(&buf);
}

static void pieces_join_and_end_with_nul(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_buf_puts(&buf, "ab");
	bl_buf_put_char(&buf, 'c');
	bl_buf_put(&buf, "\0d", 2);
	bl_buf_put_str(&buf, BL_STR("e"));
	bl_buf_printf(&buf, "%d%s", 12, "f");
	CHECK(bl_str_equal(bl_buf_str(&buf), BL_STR("abc\0de12f")));
	CHECK_INT(buf.ptr[buf.len], '\0');
	bl_buf_clear(&buf);
}

static void it_grows_without_loss(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	for (int i = 0; i < 10000; i++)
		bl_buf_printf(&buf, "%04d", i);
	REQUIRE(buf.len == 40000);
	CHECK_INT(buf.ptr[40000], '\0');
	for (int i = 0; i < 10000; i++) {
		char text[8];

		snprintf(text, sizeof(text), "%04d", i);
		CHECK(!memcmp(buf.ptr + (size_t)i * 4, text, 4));
	}
	bl_buf_clear(&buf);
}

static void the_limit_is_exact(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 100);
	for (int i = 0; i < 10; i++)
		bl_buf_puts(&buf, "0123456789");
	CHECK_STATUS(bl_buf_status(&buf), BL_OK);
	CHECK_INT(buf.len, 100);
	bl_buf_put_char(&buf, 'x');
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	CHECK_INT(buf.len, 100);
	bl_buf_clear(&buf);
}

static void a_piece_is_added_whole_or_not_at_all(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 10);
	bl_buf_puts(&buf, "1234567");
	bl_buf_puts(&buf, "abcd");
	CHECK_STR(bl_buf_str(&buf), "1234567");
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	/* the failure sticks, also for what would fit */
	bl_buf_puts(&buf, "x");
	bl_buf_printf(&buf, "y");
	CHECK_STR(bl_buf_str(&buf), "1234567");
	CHECK(!bl_buf_reserve(&buf, 0));
	bl_buf_reset(&buf);
	CHECK_STATUS(bl_buf_status(&buf), BL_OK);
	CHECK_STR(bl_buf_str(&buf), "");
	bl_buf_printf(&buf, "%s", "0123456789");
	CHECK_STR(bl_buf_str(&buf), "0123456789");
	bl_buf_printf(&buf, "%d", 1);
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	bl_buf_clear(&buf);
	CHECK_INT(buf.max, 10);
}

static void too_much_memory_fails_and_sticks(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_buf_puts(&buf, "kept");
	CHECK(!bl_buf_reserve(&buf, SIZE_MAX / 2));
	CHECK_STATUS(bl_buf_status(&buf), BL_NO_MEMORY);
	CHECK_STR(bl_buf_str(&buf), "kept");
	bl_buf_reset(&buf);
	bl_buf_puts(&buf, "x");
	CHECK(!bl_buf_reserve(&buf, SIZE_MAX));
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	CHECK_STR(bl_buf_str(&buf), "x");
	bl_buf_clear(&buf);
}

/* The C locale has no such character: printf itself fails. */
static void printf_that_fails_is_not_silent(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	bl_buf_printf(&buf, "a%lcb", (wint_t)0x20AC);
	CHECK_STATUS(bl_buf_status(&buf), BL_LIMIT);
	CHECK_INT(buf.len, 0);
	bl_buf_clear(&buf);
}

static void reserve_leaves_the_text_alone(void)
{
	struct bl_buf buf;

	bl_buf_init(&buf, 0);
	CHECK(bl_buf_reserve(&buf, 5000));
	CHECK_STR(bl_buf_str(&buf), "");
	CHECK_INT(buf.ptr[0], '\0');
	CHECK(buf.cap > 5000);
	bl_buf_clear(&buf);
}

static void take_hands_the_memory_over(void)
{
	struct bl_buf buf;
	char *text;

	bl_buf_init(&buf, 50);
	bl_buf_puts(&buf, "abc");
	text = bl_buf_take(&buf);
	CHECK_STR(bl_str(text), "abc");
	free(text);
	CHECK_STR(bl_buf_str(&buf), "");
	CHECK_INT(buf.max, 50);
	text = bl_buf_take(&buf);
	REQUIRE(text);
	CHECK_STR(bl_str(text), "");
	free(text);
	bl_buf_clear(&buf);
}

int main(void)
{
	RUN(an_empty_buffer_is_the_empty_string);
	RUN(pieces_join_and_end_with_nul);
	RUN(it_grows_without_loss);
	RUN(the_limit_is_exact);
	RUN(a_piece_is_added_whole_or_not_at_all);
	RUN(too_much_memory_fails_and_sticks);
	RUN(printf_that_fails_is_not_silent);
	RUN(reserve_leaves_the_text_alone);
	RUN(take_hands_the_memory_over);
	return tap_end();
}
