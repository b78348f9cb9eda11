/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/buf.h: a growing byte buffer on the heap.
 *
 * Invariants: ptr is never NULL after init and always NUL-terminated at
 * ptr[len]; len never passes max.  Appending cannot fail halfway: a piece is
 * added whole or not at all, and the first failure sticks (status), so a
 * writer may append without looking and check once at the end.
 */
#ifndef BELAY_BASE_BUF_H
#define BELAY_BASE_BUF_H

#include <stdarg.h>

#include "base/error.h"
#include "base/str.h"

struct bl_buf {
	char *ptr;
	size_t len;
	size_t cap; /* 0 while ptr is the shared empty string */
	size_t max; /* largest len allowed */
	enum bl_status status;
};

/* An empty buffer that may grow to max bytes; 0 means no limit. */
void bl_buf_init(struct bl_buf *buf, size_t max);

/* Frees the memory; the buffer is empty and usable again. */
void bl_buf_clear(struct bl_buf *buf);

/* Empties it, keeps the memory, forgets a failure. */
void bl_buf_reset(struct bl_buf *buf);

/* OK, NO_MEMORY, or LIMIT when max would have been passed. */
enum bl_status bl_buf_status(const struct bl_buf *buf);

/* Makes room for extra more bytes.  False on failure, which sticks. */
bool bl_buf_reserve(struct bl_buf *buf, size_t extra);

void bl_buf_put(struct bl_buf *buf, const void *data, size_t len);
void bl_buf_put_char(struct bl_buf *buf, char c);
void bl_buf_printf(struct bl_buf *buf, const char *fmt, ...) BL_PRINTF(2, 3);
void bl_buf_vprintf(struct bl_buf *buf, const char *fmt, va_list args)
	BL_PRINTF(2, 0);

static inline void bl_buf_put_str(struct bl_buf *buf, struct bl_str str)
{
	bl_buf_put(buf, str.ptr, str.len);
}

static inline void bl_buf_puts(struct bl_buf *buf, const char *text)
{
	bl_buf_put(buf, text, strlen(text));
}

/* The content, borrowed until the next change. */
static inline struct bl_str bl_buf_str(const struct bl_buf *buf)
{
	return (struct bl_str){ buf->ptr, buf->len };
}

/*
 * Hands the memory over to the caller, who frees it with free(); the buffer
 * is empty afterwards.  NULL when nothing was ever stored and memory is out.
 */
char *bl_buf_take(struct bl_buf *buf);

#endif
