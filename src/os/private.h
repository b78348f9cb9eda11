/* SPDX-License-Identifier: Apache-2.0 */
/* os/private.h: what the files of this module share. */
#ifndef BELAY_OS_PRIVATE_H
#define BELAY_OS_PRIVATE_H

#include <limits.h>

#include "os/os.h"

/*
 * path as a C string in out (PATH_MAX bytes).  INVALID when it holds a NUL,
 * SYSTEM (ENAMETOOLONG) when it is too long for the system.
 */
enum bl_status bl_os_path_text(struct bl_str path, char *out,
			       struct bl_error *err);

/*
 * A failed call about path: like bl_fail_errno, and DENIED for EACCES and
 * EPERM, EXISTS for EEXIST.
 */
enum bl_status bl_os_fail_path(struct bl_error *err, int sys_errno,
			       const char *verb, struct bl_str path);

#endif
