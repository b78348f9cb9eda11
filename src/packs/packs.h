/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packs/packs.h: the rule packs that belay ships (the folder packs of the source tree), compiled by
 * the build into the programs, so that nothing is read or compiled when an
 * event is decided.
 *
 * A rule is a block of METADATA with custom.id in a module of packs/, and the
 * rules below it that add to data.belay.packs.hits.  compiler.c collects the
 * blocks into a table.
 */
#ifndef BELAY_PACKS_PACKS_H
#define BELAY_PACKS_PACKS_H

#include "base/str.h"

/*
 * The image of lib/rego, aligned to 16 bytes.  The value that it carries is
 * {"rules": {ID: {"title", "severity", "modes", "instead", ...}}}, as the
 * METADATA has it.
 */
struct bl_str bl_packs_image(void);

/* The number of data.belay.packs.hits, for bl_rego_document. */
uint32_t bl_packs_hits(void);

#endif
