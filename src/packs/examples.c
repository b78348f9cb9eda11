/* SPDX-License-Identifier: Apache-2.0 */
/*
 * examples.c: the lines that try the packs' rules.  It stands apart from the rules
 * because only `belay packs test` needs it, and the static program has no use for
 * it.
 */
#include "packs/packs.h"

const struct bl_pack_example bl_pack_examples[] = {
#define EXAMPLE(rule, holds, line) { rule, line, holds },
#include "packs/examples.def"
#undef EXAMPLE
};

const size_t bl_pack_example_count = BL_COUNT(bl_pack_examples);
