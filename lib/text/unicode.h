/* SPDX-License-Identifier: Apache-2.0 */
/* text/unicode.h: the tables that tools/gen-unicode prints. */
#ifndef BELAY_TEXT_UNICODE_H
#define BELAY_TEXT_UNICODE_H

#include "base/base.h"

/*
 * A general category of two letters ("Lu") or a script ("Greek"), sorted by
 * name.  stream holds its ranges in rising order, each as two numbers of 7
 * bits a byte, low part first: the gap from the end of the range before, and
 * the length minus one.
 */
struct bl_unicode_group {
	const char *name;
	const uint8_t *stream;
	uint16_t bytes;
};

extern const struct bl_unicode_group bl_unicode_groups[];
extern const size_t bl_unicode_group_count;

/* Values of bl_fold_run.delta that stand for pairs of neighbours. */
enum { BL_FOLD_EVEN_ODD = INT32_MAX, BL_FOLD_ODD_EVEN = INT32_MAX - 1 };

/*
 * Characters that fold alike (simple case folding) form a ring.  In a run,
 * each character's successor in its ring is delta away, or its neighbour.
 */
struct bl_fold_run {
	uint32_t lo;
	uint32_t hi;
	int32_t delta;
};

extern const struct bl_fold_run bl_fold_runs[];
extern const size_t bl_fold_run_count;

#endif
