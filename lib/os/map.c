/* SPDX-License-Identifier: Apache-2.0 */
/* A file in memory, for images: the one place that maps. */
#include "os/os.h"

#include <errno.h>
#include <sys/mman.h>

#ifndef MAP_POPULATE
#	define MAP_POPULATE                                                   \
		0 /* of Linux; elsewhere pages come as they are read */
#endif

enum bl_status bl_os_map(int fd, size_t len, struct bl_str *out_bytes,
			 struct bl_error *err)
{
	void *bytes;

	if (!len)
		return bl_fail(err, BL_INVALID, "an empty file");
	bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	if (bytes == MAP_FAILED)
		return bl_fail_errno(err, errno, "cannot map a file");
	*out_bytes = (struct bl_str){ bytes, len };
	return BL_OK;
}

void bl_os_unmap(struct bl_str bytes)
{
	if (bytes.len)
		munmap((void *)(uintptr_t)bytes.ptr, bytes.len);
}
