/* SPDX-License-Identifier: Apache-2.0 */
/* The nine small policies of bench/rego/policies as somebody would write them in C. */
#ifndef BELAY_BENCH_REGO_BY_HAND_H
#define BELAY_BENCH_REGO_BY_HAND_H

#include "value/value.h"

typedef bool by_hand_fn(struct bl_value input);

/* That of a policy's file; NULL: nobody wrote it. */
by_hand_fn *by_hand(struct bl_str path);

#endif
