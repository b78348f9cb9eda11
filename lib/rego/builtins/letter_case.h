/* SPDX-License-Identifier: Apache-2.0 */
/* rego/builtins/letter_case.h: upper and lower case, one character to one. */
#ifndef BELAY_REGO_BUILTINS_LETTER_CASE_H
#define BELAY_REGO_BUILTINS_LETTER_CASE_H

#include "base/base.h"

uint32_t bl_rune_upper(uint32_t rune);
uint32_t bl_rune_lower(uint32_t rune);

#endif
