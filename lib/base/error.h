/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/error.h: statuses and errors.
 *
 * A function that can fail returns enum bl_status and, when the caller gives
 * a struct bl_error, says there what went wrong.  The struct lives on the
 * caller's stack and owns nothing.  Each level may add context on the way up
 * (bl_error_context).  Library code never prints and never exits.
 */
#ifndef BELAY_BASE_ERROR_H
#define BELAY_BASE_ERROR_H

#include "base/base.h"

enum bl_status {
#define STATUS(name, exit_code, text) BL_##name,
#include "base/status.def"
#undef STATUS
	BL_STATUS_COUNT
};

enum { BL_ERROR_TEXT_BYTES = 512 };

struct bl_error {
	enum bl_status status;
	int sys_errno; /* 0 when no system call was involved */
	char message[BL_ERROR_TEXT_BYTES]; /* one line, no final newline */
};

/* The name ("NO_MEMORY") and the general text of a status. */
const char *bl_status_name(enum bl_status status);
const char *bl_status_text(enum bl_status status);

/* The exit status of a program that ends because of it. */
int bl_status_exit_code(enum bl_status status);

/*
 * Fills *err (when not NULL) and returns status, so that a failure is one
 * line.  A message that does not fit is cut at the end, between characters.
 * The arguments may point into the message that *err had.
 */
enum bl_status bl_fail(struct bl_error *err, enum bl_status status,
		       const char *fmt, ...) BL_PRINTF(3, 4) BL_COLD;

/*
 * As above for a failed system call: status SYSTEM (NO_MEMORY for ENOMEM,
 * NOT_FOUND for ENOENT and ENOTDIR), with the text of sys_errno after ": ".
 */
enum bl_status bl_fail_errno(struct bl_error *err, int sys_errno,
			     const char *fmt, ...) BL_PRINTF(3, 4) BL_COLD;

/* NO_MEMORY with its text. */
enum bl_status bl_fail_memory(struct bl_error *err) BL_COLD;

#ifdef __clang_analyzer__
/* The analyzer does not look into other files: a failure is never OK. */
#	define bl_fail(err, status, ...)                                      \
		((bl_fail)(err, status, __VA_ARGS__), (status))
#	define bl_fail_errno(...)  ((bl_fail_errno)(__VA_ARGS__), BL_SYSTEM)
#	define bl_fail_memory(err) ((bl_fail_memory)(err), BL_NO_MEMORY)
#endif

/* Puts "context: " before the message.  No effect when err is NULL. */
void bl_error_context(struct bl_error *err, const char *fmt, ...)
	BL_PRINTF(2, 3) BL_COLD;

#endif
