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

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "value/value.h"

/*
 * The image of lib/rego, aligned to 16 bytes.  The value that it carries is
 * {"rules": {ID: {"title", "severity", "modes", "instead", ...}}}, as the
 * METADATA has it.
 */
struct bl_str bl_packs_image(void);

/* The number of data.belay.packs.all_hits, for bl_rego_document. */
uint32_t bl_packs_hits(void);

/* That of the rules of the pack guard: data.belay.packs.guard_hits. */
uint32_t bl_packs_guard_hits(void);

/*
 * One rule, as its METADATA has it.  Texts are borrowed; empty where it says
 * nothing.
 */
struct bl_pack_rule {
	struct bl_str id; /* "git/force-push" */
	struct bl_str title;
	struct bl_str description;
	struct bl_str severity; /* "low", "medium", "high", "critical" */
	struct bl_str instead;  /* what to do in its place */
	struct bl_str modes[3]; /* relaxed, standard, strict */
};

/* A line that tries a rule: examples.def. */
struct bl_pack_example {
	const char *rule;
	const char *line;
	bool holds;
};
extern const struct bl_pack_example bl_pack_examples[];
extern const size_t bl_pack_example_count;

/* The table of all rules: an object by id.  In arena, which it borrows. */
enum bl_status bl_packs_rules(struct bl_arena *arena,
			      struct bl_value *out_rules, struct bl_error *err);

/* The rule of one row of that table. */
struct bl_pack_rule bl_pack_rule_of(struct bl_value rules, struct bl_str id);

#endif
