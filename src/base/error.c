/* SPDX-License-Identifier: Apache-2.0 */
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

enum bl_status bl_fail(struct bl_error *err, enum bl_status status,
		       const char *fmt, ...)
{
	va_list args;

	if (!err)
		return status;
	err->status = status;
	err->sys_errno = 0;
	va_start(args, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, args);
	va_end(args);
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
	va_list args;
	size_t used;

	if (!err)
		return status;
	err->status = status;
	err->sys_errno = sys_errno;
	va_start(args, fmt);
	vsnprintf(err->message, sizeof(err->message), fmt, args);
	va_end(args);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s",
		 strerror(sys_errno));
	return status;
}

enum bl_status bl_fail_memory(struct bl_error *err)
{
	return bl_fail(err, BL_NO_MEMORY, "%s", bl_status_text(BL_NO_MEMORY));
}

void bl_error_context(struct bl_error *err, const char *fmt, ...)
{
	char joined[sizeof(err->message)];
	va_list args;
	size_t used;

	if (!err)
		return;
	va_start(args, fmt);
	vsnprintf(joined, sizeof(joined), fmt, args);
	va_end(args);
	used = strlen(joined);
	snprintf(joined + used, sizeof(joined) - used, ": %s", err->message);
	memcpy(err->message, joined, sizeof(joined));
}
