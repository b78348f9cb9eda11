/* SPDX-License-Identifier: Apache-2.0 */
#include "torture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *ptr, size_t bytes);
ssize_t __real_write(int fd, const void *data, size_t len);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *ptr, size_t bytes);
ssize_t __wrap_write(int fd, const void *data, size_t len);

static enum torture_kind failing_kind;
static int calls_left; /* until the one that fails; 0: none does */
static bool struck;

static bool strikes(enum torture_kind kind)
{
	if (kind != failing_kind || calls_left == 0 || --calls_left > 0)
		return false;
	struck = true;
	return true;
}

void *__wrap_malloc(size_t bytes)
{
	return strikes(TORTURE_ALLOCATIONS) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return strikes(TORTURE_ALLOCATIONS) ? NULL
					    : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *ptr, size_t bytes)
{
	return strikes(TORTURE_ALLOCATIONS) ? NULL : __real_realloc(ptr, bytes);
}

ssize_t __wrap_write(int fd, const void *data, size_t len)
{
	if (!strikes(TORTURE_WRITES))
		return __real_write(fd, data, len);
	errno = ENOSPC;
	return -1;
}

bool torture_has_struck(void)
{
	return struck;
}

enum bl_status torture_once(enum torture_kind kind, int n, torture_op *op)
{
	enum bl_status status;

	struck = false;
	failing_kind = kind;
	calls_left = n;
	status = op();
	calls_left = 0;
	return status;
}

int torture_run(enum torture_kind kind, torture_op *op, enum bl_status expected)
{
	for (int n = 1; n < TORTURE_LIMIT; n++) {
		enum bl_status status = torture_once(kind, n, op);

		if (status == (struck ? expected : BL_OK)) {
			if (!struck)
				return n - 1;
			continue;
		}
		printf("# with call %d failing%s: %s\n", n,
		       struck ? "" : " (not reached)", bl_status_name(status));
		return -1;
	}
	printf("# more than %d calls\n", TORTURE_LIMIT);
	return -1;
}
