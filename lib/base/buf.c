/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that grows, up to a limit; its status says what went wrong, so that
 * callers check once.
 */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

enum { SMALLEST_CAP_BYTES = 64 };

/* The target of ptr while nothing is stored; never written to. */
static char empty[1];

void bl_buf_init(struct bl_buf *buf, size_t max)
{
	*buf = (struct bl_buf){ .ptr = empty, .max = max ? max : SIZE_MAX - 1 };
}

void bl_buf_clear(struct bl_buf *buf)
{
	if (buf->cap)
		free(buf->ptr);
	bl_buf_init(buf, buf->max);
}

void bl_buf_reset(struct bl_buf *buf)
{
	buf->len = 0;
	buf->status = BL_OK;
	if (buf->cap)
		buf->ptr[0] = '\0';
}

enum bl_status bl_buf_status(const struct bl_buf *buf)
{
	return buf->status;
}

static bool grow(struct bl_buf *buf, size_t need)
{
	size_t cap =
		buf->cap < SMALLEST_CAP_BYTES ? SMALLEST_CAP_BYTES : buf->cap;
	char *ptr;

	while (cap < need) {
		if (!bl_mul_size(cap, 2, &cap))
			cap = need;
	}
	if (cap > buf->max)
		cap = buf->max + 1 > need ? buf->max + 1 : need;
	ptr = realloc(buf->cap ? buf->ptr : NULL, cap);
	if (!ptr) {
		buf->status = BL_NO_MEMORY;
		return false;
	}
	if (!buf->cap)
		ptr[0] = '\0';
	buf->ptr = ptr;
	buf->cap = cap;
	return true;
}

bool bl_buf_reserve(struct bl_buf *buf, size_t extra)
{
	size_t need;

	if (buf->status)
		return false;
	if (!bl_add_size(buf->len, extra, &need) || need > buf->max) {
		buf->status = BL_LIMIT;
		return false;
	}
	return need < buf->cap || grow(buf, need + 1);
}

void bl_buf_put(struct bl_buf *buf, const void *data, size_t len)
{
	if (!len || !bl_buf_reserve(buf, len))
		return;
	memcpy(buf->ptr + buf->len, data, len);
	buf->len += len;
	buf->ptr[buf->len] = '\0';
}

void bl_buf_put_char(struct bl_buf *buf, char c)
{
	bl_buf_put(buf, &c, 1);
}

void bl_buf_vprintf(struct bl_buf *buf, const char *fmt, va_list args)
{
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0 && !buf->status)
		buf->status = BL_LIMIT; /* INT_MAX, or no text */
	if (len <= 0 || !bl_buf_reserve(buf, (size_t)len))
		return;
	vsnprintf(buf->ptr + buf->len, (size_t)len + 1, fmt, args);
	buf->len += (size_t)len;
}

void bl_buf_printf(struct bl_buf *buf, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	bl_buf_vprintf(buf, fmt, args);
	va_end(args);
}

char *bl_buf_take(struct bl_buf *buf)
{
	char *ptr = buf->cap ? buf->ptr : calloc(1, 1);

	bl_buf_init(buf, buf->max);
	return ptr;
}
