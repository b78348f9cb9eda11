/* SPDX-License-Identifier: Apache-2.0 */
/* The chain of docs/formats/journal.md: what shows, and what cannot. */
#include "tap.h"

#include "journal/private.h"
#include "logs.h"

#define FIRST "afbf9d0f3560b0fd7795e81c42a0a79ee6b6fc67e064f77826aee642cad28d91"
#define SECOND                                                                 \
	"e8042ca69c6c5155e7e1b72a09d8840efdb494bb4dba89059f89cd02b352586b"

static struct bl_journal_check check;
static struct bl_str noted; /* a link to look for */

static void verify(void)
{
	CHECK_STATUS(bl_journal_verify(options.dir, noted, &check, &error),
		     BL_OK);
}

static void append_many(int count)
{
	for (int i = 0; i < count; i++)
		CHECK_STATUS(append_new(), BL_OK);
}

/* printf '%s' '{"v":1}' | sha256sum; the same with those digits before it */
static void test_links(void)
{
	struct bl_chain chain = { "" };
	struct bl_buf out;

	bl_buf_init(&out, 0);
	for (int i = 0; i < 2; i++) {
		bl_buf_puts(&out, "{\"v\":1");
		bl_chain_put_room(&out);
		bl_buf_put_char(&out, '\n');
	}
	bl_chain_fill(out.ptr, out.len, &chain);
	CHECK_STR(bl_buf_str(&out), "{\"v\":1,\"chain\":\"" FIRST "\"}\n"
				    "{\"v\":1,\"chain\":\"" SECOND "\"}\n");
	bl_buf_clear(&out);
}

static void test_whole(void)
{
	new_journal();
	verify();
	CHECK_INT(check.lines, 0);
	append_many(5);
	verify();
	CHECK_INT(check.lines, 5);
	CHECK_INT(check.chains, 1);
	CHECK(!check.is_broken && !check.begins_within);
	CHECK(bl_str_find(content(CURRENT), bl_str(check.last), 0) != SIZE_MAX);
	CHECK(!check.has_noted);
	noted = bl_arena_copy_str(&arena, bl_str(check.last));
	append_many(1);
	verify();
	CHECK(check.has_noted);
	noted = BL_STR("");
}

/* The chain goes on in the next file, and over those that fell off. */
static void test_rotation(void)
{
	new_journal();
	options.max_file_bytes = 1024;
	options.max_files = 2;
	append_many(20);
	verify();
	CHECK(check.lines < 20 && check.lines > 2);
	CHECK_INT(check.chains, 1);
	CHECK(check.begins_within);
	CHECK(!check.is_broken);
}

/* Rewrites the current file as a program of the user's could. */
static void change(const char *from, const char *to)
{
	struct bl_str text = content(CURRENT);
	size_t place_at = bl_str_find(text, bl_str(from), 0);
	struct bl_str changed =
		bl_arena_printf(&arena, "%.*s%s%.*s", (int)place_at, text.ptr,
				to, (int)(text.len - place_at - strlen(from)),
				text.ptr + place_at + strlen(from));

	CHECK(place_at != SIZE_MAX);
	CHECK_STATUS(bl_os_replace_file(at(CURRENT), changed, 0600, &error),
		     BL_OK);
}

static void test_changed_line(void)
{
	new_journal();
	append_many(2);
	entry.reason = BL_STR("because");
	append_many(1);
	entry.reason = BL_STR("");
	append_many(2);
	change("because", "BECAUSE");
	verify();
	CHECK(check.is_broken);
	CHECK_INT(check.broken_file, 0);
	CHECK_INT(check.broken_line, 3);
}

static void test_missing_line(void)
{
	struct bl_str text;
	size_t first, second;

	new_journal();
	append_many(4);
	text = content(CURRENT);
	first = bl_str_find(text, BL_STR("\n"), 0) + 1;
	second = bl_str_find(text, BL_STR("\n"), first) + 1;
	text = bl_arena_printf(&arena, "%.*s%.*s", (int)first, text.ptr,
			       (int)(text.len - second), text.ptr + second);
	CHECK_STATUS(bl_os_replace_file(at(CURRENT), text, 0600, &error),
		     BL_OK);
	verify();
	CHECK(check.is_broken);
	CHECK_INT(check.broken_line, 2);
}

/* A writer that was killed: the next chain begins behind its torn line. */
static void test_torn_line(void)
{
	struct bl_str text;

	new_journal();
	append_many(2);
	text = content(CURRENT);
	text = bl_arena_printf(&arena, "%.*s{\"v\":1,\"id\":\"to",
			       BL_STR_ARG(text));
	CHECK_STATUS(bl_os_replace_file(at(CURRENT), text, 0600, &error),
		     BL_OK);
	append_many(2);
	verify();
	CHECK(!check.is_broken);
	CHECK_INT(check.unchained, 1);
	CHECK_INT(check.chains, 2);
	CHECK_INT(check.lines, 4);
}

int main(void)
{
	REQUIRE_PLACE();
	RUN(test_links);
	RUN(test_whole);
	RUN(test_rotation);
	RUN(test_changed_line);
	RUN(test_missing_line);
	RUN(test_torn_line);
	place_close();
	return tap_end();
}
