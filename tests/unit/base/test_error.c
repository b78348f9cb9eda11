/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "base/utf8.h"
#include "tap.h"

static void success_is_zero(void)
{
	CHECK_INT(BL_OK, 0);
	CHECK_INT(bl_status_exit_code(BL_OK), 0);
	CHECK_STR(bl_str(bl_status_name(BL_OK)), "OK");
}

/* Exit statuses 0 to 3 are decisions (base/status.def). */
static void no_failure_looks_like_a_decision(void)
{
	for (int i = BL_OK + 1; i < BL_STATUS_COUNT; i++) {
		enum bl_status status = (enum bl_status)i;

		CHECK(bl_status_exit_code(status) > 3);
		CHECK(bl_status_exit_code(status) < 126);
		CHECK(*bl_status_text(status));
		for (int j = 0; j < i; j++)
			CHECK(bl_status_exit_code((enum bl_status)j) !=
			      bl_status_exit_code(status));
	}
}

static void an_unknown_status_is_a_failure(void)
{
	enum bl_status unknown = (enum bl_status)BL_STATUS_COUNT;

	CHECK_STR(bl_str(bl_status_name(unknown)), "UNKNOWN");
	CHECK(bl_status_exit_code(unknown) > 3);
	CHECK(*bl_status_text(unknown));
}

static void fail_fills_and_returns(void)
{
	struct bl_error err = { .sys_errno = 5 };

	CHECK_STATUS(bl_fail(&err, BL_INVALID, "%s is %d", "x", 7), BL_INVALID);
	CHECK_STATUS(err.status, BL_INVALID);
	CHECK_INT(err.sys_errno, 0);
	CHECK_STR(bl_str(err.message), "x is 7");
	CHECK_STATUS(bl_fail(NULL, BL_LIMIT, "nobody listens"), BL_LIMIT);
	CHECK_STATUS(bl_fail_memory(&err), BL_NO_MEMORY);
	CHECK_STR(bl_str(err.message), bl_status_text(BL_NO_MEMORY));
	CHECK_STATUS(bl_fail_memory(NULL), BL_NO_MEMORY);
}

static void errno_chooses_the_status(void)
{
	static const struct {
		int sys_errno;
		enum bl_status status;
	} rows[] = {
		{ ENOMEM, BL_NO_MEMORY },  { ENOENT, BL_NOT_FOUND },
		{ ENOTDIR, BL_NOT_FOUND }, { EACCES, BL_SYSTEM },
		{ EIO, BL_SYSTEM },
	};

	for (size_t i = 0; i < BL_COUNT(rows); i++) {
		struct bl_error err;
		char text[200];

		CHECK_STATUS(
			bl_fail_errno(&err, rows[i].sys_errno, "open %d", 3),
			rows[i].status);
		CHECK_STATUS(err.status, rows[i].status);
		CHECK_INT(err.sys_errno, rows[i].sys_errno);
		snprintf(text, sizeof(text), "open 3: %s",
			 strerror(rows[i].sys_errno));
		CHECK_STR(bl_str(err.message), text);
		CHECK_STATUS(bl_fail_errno(NULL, rows[i].sys_errno, "x"),
			     rows[i].status);
	}
}

static void context_goes_in_front(void)
{
	struct bl_error err;

	bl_fail_errno(&err, EIO, "read");
	bl_fail(&err, BL_SYNTAX, "bad comma");
	bl_error_context(&err, "%s:%d", "hooks.json", 3);
	bl_error_context(&err, "project");
	CHECK_STR(bl_str(err.message), "project: hooks.json:3: bad comma");
	CHECK_STATUS(err.status, BL_SYNTAX);
	bl_error_context(NULL, "nothing happens");
}

static void a_message_may_be_made_of_the_old_one(void)
{
	struct bl_error err;

	bl_fail(&err, BL_SYNTAX, "bad comma");
	bl_fail(&err, BL_CONFIG, "cannot load: %s", err.message);
	CHECK_STR(bl_str(err.message), "cannot load: bad comma");
	bl_error_context(&err, "again: %s", err.message);
	CHECK_STR(bl_str(err.message),
		  "again: cannot load: bad comma: cannot load: bad comma");
}

static void a_long_message_is_cut_at_the_end(void)
{
	struct bl_error err;
	char text[1000];

	memset(text, 'a', sizeof(text));
	text[999] = '\0';
	bl_fail(&err, BL_INVALID, "%s", text);
	CHECK_INT(strlen(err.message), BL_ERROR_TEXT_BYTES - 1);
	bl_error_context(&err, "front");
	CHECK_INT(strlen(err.message), BL_ERROR_TEXT_BYTES - 1);
	CHECK(!strncmp(err.message, "front: aaa", 10));
	bl_error_context(&err, "%s", text);
	CHECK_INT(strlen(err.message), BL_ERROR_TEXT_BYTES - 1);
	text[BL_ERROR_TEXT_BYTES - 1] = '\0'; /* just fits */
	bl_fail(&err, BL_INVALID, "%s", text);
	CHECK_STR(bl_str(err.message), text);
}

/* However long the characters, and wherever the end falls. */
static void no_character_is_cut_in_two(void)
{
	static const char *const characters[] = { "\xC3\xA9", "\xE2\x82\xAC",
						  "\xF0\x9F\x98\x80" };

	for (size_t c = 0; c < BL_COUNT(characters); c++) {
		size_t len = strlen(characters[c]);

		for (size_t shift = 0; shift < len; shift++) {
			struct bl_error err;
			char text[1000] = "xxx";
			size_t at = shift;

			for (; at + len < sizeof(text); at += len)
				memcpy(text + at, characters[c], len);
			text[at] = '\0';
			bl_fail(&err, BL_INVALID, "%s", text);
			CHECK(bl_utf8_is_valid(bl_str(err.message)));
			CHECK(strlen(err.message) > BL_ERROR_TEXT_BYTES - 5);
			CHECK_INT((strlen(err.message) - shift) % len, 0);
		}
	}
}

int main(void)
{
	RUN(success_is_zero);
	RUN(no_failure_looks_like_a_decision);
	RUN(an_unknown_status_is_a_failure);
	RUN(fail_fills_and_returns);
	RUN(errno_chooses_the_status);
	RUN(context_goes_in_front);
	RUN(a_message_may_be_made_of_the_old_one);
	RUN(a_long_message_is_cut_at_the_end);
	RUN(no_character_is_cut_in_two);
	return tap_end();
}
