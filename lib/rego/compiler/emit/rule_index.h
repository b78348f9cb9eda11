/* SPDX-License-Identifier: Apache-2.0 */
/* rego/compiler/emit/rule_index.h: making rule indexes (program.h) out of conditions. */
#ifndef BELAY_REGO_COMPILER_EMIT_RULE_INDEX_H
#define BELAY_REGO_COMPILER_EMIT_RULE_INDEX_H

#include "rego/compiler/emit/rule_index_choose.h"

/*
 * A new rule index of the program for rules with one condition each; *out_index is
 * its number.  *out_targets has count places for where each rule begins, which
 * the caller fills.  False: e->failed.
 */
bool bl_rule_index_make(struct bl_emitter *e,
			struct bl_condition *const *conditions, size_t count,
			uint32_t *out_index, uint32_t **out_targets);

#endif
