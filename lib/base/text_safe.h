/* SPDX-License-Identifier: Apache-2.0 */
/* base/text_safe.h: text from elsewhere, made safe to show on a terminal. */
#ifndef BELAY_BASE_TEXT_SAFE_H
#define BELAY_BASE_TEXT_SAFE_H

#include "base/buf.h"

/*
 * Appends text with control characters (tab excepted), bytes that are not
 * UTF-8, and the characters that reorder or hide text (bidirectional
 * controls, zero-width, tags) written as \xNN or \u{N}, so that hostile input
 * cannot drive the reader's terminal or disguise itself.
 */
void bl_text_put_safe(struct bl_buf *out, struct bl_str text);

#endif
