/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz/fuzz.h: what every fuzz target has. */
#ifndef BELAY_FUZZ_FUZZ_H
#define BELAY_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The entry that libFuzzer and replay_main.c call. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold for every input. */
#define MUST(condition)                                                        \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: not true: %s\n", __FILE__,     \
				__LINE__, #condition);                         \
			abort();                                               \
		}                                                              \
	} while (0)

#endif
