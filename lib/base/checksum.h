/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/checksum.h: finds what a crash or a disk did to bytes.  No protection
 * from somebody who wants to change them.
 */
#ifndef BELAY_BASE_CHECKSUM_H
#define BELAY_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* As fast as memory: images are read at every event. */
uint64_t bl_checksum(const void *data, size_t len);

#endif
