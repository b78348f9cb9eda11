/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite_host.h: what the suite gives policies as an embedder: test.sleep, which
 * OPA's own tests register, and features by name.
 */
#ifndef BELAY_TESTS_CONFORMANCE_SUITE_HOST_H
#define BELAY_TESTS_CONFORMANCE_SUITE_HOST_H

#include "rego/rego.h"

enum { SUITE_MAX_FEATURES = 8 };

/*
 * How each case is compiled, in arena; features beside those of
 * bl_rego_own_capabilities.  False: no memory.
 */
bool suite_compile_options(struct bl_arena *arena, const char *const *features,
			   size_t feature_count,
			   struct bl_rego_compile_options *out_options);

#endif
