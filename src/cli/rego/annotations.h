/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/annotations.h: METADATA of modules, as opa inspect -a shows it. */
#ifndef BELAY_CLI_REGO_ANNOTATIONS_H
#define BELAY_CLI_REGO_ANNOTATIONS_H

#include "cli/cli.h"
#include "rego/rego.h"

/* One block, and the rule or package that it is about. */
struct cli_annotation {
	struct bl_value path;    /* terms: "data" and names */
	struct bl_value package; /* the same, of the package */
	struct bl_value rule;    /* terms of the head's reference; undefined */
	struct bl_value value;   /* the annotation, without a place */
	struct bl_str file;
	int64_t block_row; /* where it is written */
	int64_t row;       /* what it is about */
	int64_t column;
};

struct cli_annotations {
	struct cli_annotation *items;
	size_t count;
	size_t cap;
};

/* Adds the annotations of a module; file is how it is shown. */
enum bl_status cli_add_annotations(struct cli *cli,
				   const struct bl_rego_module *module,
				   struct bl_str file,
				   struct cli_annotations *all,
				   struct bl_error *err);

/* In OPA's order: by path, then by place. */
void cli_sort_annotations(struct cli_annotations *all);

/* The array "annotations" of opa inspect -a -f json. */
struct bl_value cli_annotations_value(struct bl_arena *arena,
				      const struct cli_annotations *all);

/* For people. */
void cli_put_annotations(struct cli *cli, const struct cli_annotations *all);

#endif
