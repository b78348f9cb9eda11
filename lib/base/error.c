/* SPDX-License-Identifier: Apache-2.0 */
/* Why a call failed: a status and a sentence, to which each level adds. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

/* what the header says to the analyzer is about their callers */
#undef bl_fail
#undef bl_fail_errno
#undef bl_fail_memory

static const struct {
	const char *name;
	const char *text;
	int exit_code;
} statuses[] = {
#define STATUS(name, exit_code, text) { #name, text, exit_code },
#include "base/status.def"
#undef STATUS
};

const char *bl_status_name(enum bl_status status)
{
	return (size_t)status < BL_COUNT(statuses) ? statuses[status].name
						   : "UNKNOWN";
}

const char *bl_status_text(enum bl_status status)
{
	return (size_t)status < BL_COUNT(statuses) ? statuses[status].text
						   : "unknown status";
}

int bl_status_exit_code(enum bl_status status)
{
	return (size_t)status < BL_COUNT(statuses) ? statuses[status].exit_code
						   : 70;
}

/*
 * A message in the making.  It has one byte more than a message may have, to
 * tell one that fits from one that is cut; and it is not the message itself,
 * since the arguments may point into that.  It begins empty with one byte, not with
 * all of them: files that are looked for and missing are many.
 */
struct draft {
	char text[BL_ERROR_TEXT_BYTES + 1];
};

/* Appends; what does not fit is lost. */
BL_PRINTF(2, 0)
static void draft_add_args(struct draft *draft, const char *fmt, va_list args)
{
	size_t used = strlen(draft->text);

	vsnprintf(draft->text + used, sizeof(draft->text) - used, fmt, args);
}

static void draft_add_text(struct draft *draft, const char *text)
{
	size_t used = strlen(draft->text);
	size_t len = strnlen(text, sizeof(draft->text) - 1 - used);

	memcpy(draft->text + used, text, len);
	draft->text[used + len] = '\0';
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* Puts the draft in the place of the message, never half a character. */
static void draft_finish(const struct draft *draft, struct bl_error *err)
{
	size_t len = strlen(draft->text);

	if (len >= sizeof(err->message)) {
		size_t whole = --len;

		while (len - whole < 3 && is_continuation(draft->text[whole]))
			whole--;
		if (!is_continuation(draft->text[whole]))
			len = whole;
	}
	memcpy(err->message, draft->text, len);
	err->message[len] = '\0';
}

enum bl_status bl_fail(struct bl_error *err, enum bl_status status,
		       const char *fmt, ...)
{
	struct draft draft;
	va_list args;

	if (!err)
		return status;
	draft.text[0] = '\0';
	va_start(args, fmt);
	draft_add_args(&draft, fmt, args);
	va_end(args);
	err->status = status;
	err->sys_errno = 0;
	draft_finish(&draft, err);
	return status;
}

static enum bl_status status_of_errno(int sys_errno)
{
	switch (sys_errno) {
	case ENOMEM:
		return BL_NO_MEMORY;
	case ENOENT:
	case ENOTDIR:
		return BL_NOT_FOUND;
	default:
		return BL_SYSTEM;
	}
}

enum bl_status bl_fail_errno(struct bl_error *err, int sys_errno,
			     const char *fmt, ...)
{
	enum bl_status status = status_of_errno(sys_errno);
	struct draft draft;
	va_list args;

	if (!err)
		return status;
	draft.text[0] = '\0';
	va_start(args, fmt);
	draft_add_args(&draft, fmt, args);
	va_end(args);
	draft_add_text(&draft, ": ");
	draft_add_text(&draft, strerror(sys_errno));
	err->status = status;
	err->sys_errno = sys_errno;
	draft_finish(&draft, err);
	return status;
}

enum bl_status bl_fail_memory(struct bl_error *err)
{
	return bl_fail(err, BL_NO_MEMORY, "%s", bl_status_text(BL_NO_MEMORY));
}

void bl_error_context(struct bl_error *err, const char *fmt, ...)
{
	struct draft draft;
	va_list args;

	if (!err)
		return;
	draft.text[0] = '\0';
	va_start(args, fmt);
	draft_add_args(&draft, fmt, args);
	va_end(args);
	draft_add_text(&draft, ": ");
	draft_add_text(&draft, err->message);
	draft_finish(&draft, err);
}
