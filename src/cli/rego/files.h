/* SPDX-License-Identifier: Apache-2.0 */
/* cli/rego/files.h: policies and data from files and folders. */
#ifndef BELAY_CLI_REGO_FILES_H
#define BELAY_CLI_REGO_FILES_H

#include "rego/bundle/bundle.h"
#include "cli/cli.h"
#include "rego/rego.h"

/* The files to read. */
struct cli_rego_paths {
	const struct bl_str *files; /* or folders of them */
	size_t file_count;
	const struct bl_str *bundles;
	size_t bundle_count;
	const struct bl_rego_compile_options *how; /* may be NULL */
	/* of bundles; what they ignore is left out of folders, too; may be NULL */
	const struct bl_bundle_options *bundle_options;
	bool modules_only; /* of files and folders: no data */
	/* For every file whose data conflicts with that of others; may be NULL. */
	struct bl_diags *diags;
};

/* The operands: all bundles, or all files and folders. */
struct cli_rego_paths cli_rego_operands(const struct cli *cli, bool as_bundles);

#define CLI_BUNDLE_ROW                                                         \
	{                                                                      \
		"bundle", 'b', CLI_FLAG, NULL,                                 \
			"each PATH is a bundle: a folder or a .tar.gz"         \
	}

struct cli_rego_files {
	struct bl_rego_source *sources;
	size_t source_count;
	struct bl_value data; /* an object */
	/* of a bundle that has a plan and no sources; else undefined */
	struct bl_value plan;
	bool is_image;   /* no sources either */
	int64_t read_ns; /* how long cli_compile_rego took to read them */
	struct bl_bundle *bundles;
	size_t bundle_count;
};

/* JSON, or YAML when the name says so.  Messages begin with path. */
enum bl_status cli_parse_data(struct cli *cli, struct bl_str path,
			      struct bl_str text, struct bl_value *out_value,
			      struct bl_error *err);

/*
 * The input of a query: standard input, or a file, or (ptr NULL) undefined.
 */
enum bl_status cli_read_rego_input(struct cli *cli, bool from_stdin,
				   struct bl_str path,
				   struct bl_value *out_input,
				   struct bl_error *err);

/*
 * Reads files and, with all below them, folders: NAME.rego is a module,
 * NAME.json, NAME.yaml and NAME.yml are data: of a file at the root, of a
 * folder's file under the path that leads to it.  "a.b:PATH" puts the data of
 * PATH under data.a.b.  Other names are left out below folders and INVALID when
 * given; so are two files that give one path different values.
 * Bundles are read by their own rules (bundle/bundle.h).
 */
enum bl_status cli_read_rego(struct cli *cli,
			     const struct cli_rego_paths *paths,
			     struct cli_rego_files *out_files,
			     struct bl_error *err);

/* As above, of modules in files alone: other names are left out. */
enum bl_status cli_read_rego_sources(struct cli *cli,
				     const struct bl_str *paths, size_t count,
				     struct cli_rego_files *out_files,
				     struct bl_error *err);

/*
 * Reads and compiles.  Errors are added to diags, or printed on
 * standard error where diags is NULL; with errors, *out_policies is NULL.  The
 * policies of a plan are for bl_rego_run_plan.  One bundle alone, named *.image,
 * is an image of rego build: opened, not compiled.
 */
enum bl_status cli_compile_rego(struct cli *cli,
				const struct cli_rego_paths *paths,
				struct cli_rego_files *out_files,
				struct bl_diags *diags,
				const struct bl_rego_policies **out_policies,
				struct bl_error *err);

/* Findings on standard error, for people. */
void cli_note_diags(struct cli *cli, const struct bl_diags *diags);

#endif
