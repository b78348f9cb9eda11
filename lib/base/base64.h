/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/base64.h: base64 text (RFC 4648, sections 4 and 5) to and from bytes.
 *
 *	bl_base64_put(&text, bytes, BL_BASE64_URL | BL_BASE64_NO_PAD);
 *
 * Both append to a buffer of the caller's, whose status says when memory is out.
 */
#ifndef BELAY_BASE_BASE64_H
#define BELAY_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

enum bl_base64_flags {
	BL_BASE64_URL = 1,    /* - and _ for + and / */
	BL_BASE64_NO_PAD = 2, /* no "=" */
};

void bl_base64_put(struct bl_buf *out, struct bl_str bytes, unsigned flags);

/*
 * Appends the decoded bytes, as strictly as Go's encoding/base64 (line ends
 * are skipped).  False, with the input's offset in *out_offset, on bad input.
 */
bool bl_base64_decode(struct bl_buf *out, struct bl_str text, unsigned flags,
		      size_t *out_offset);

#endif
