/* SPDX-License-Identifier: Apache-2.0 */
/* rego_files.h: policies and data from files and folders. */
#ifndef BELAY_CLI_REGO_FILES_H
#define BELAY_CLI_REGO_FILES_H

#include "cli/cli.h"
#include "rego/rego.h"

struct cli_rego_files {
	struct bl_rego_source *sources;
	size_t source_count;
	struct bl_value data; /* an object */
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
 */
enum bl_status cli_read_rego(struct cli *cli, const struct bl_str *paths,
			     size_t count, struct cli_rego_files *out_files,
			     struct bl_error *err);

/* The same of modules alone: files with other names are left out. */
enum bl_status cli_read_rego_sources(struct cli *cli,
				     const struct bl_str *paths, size_t count,
				     struct cli_rego_files *out_files,
				     struct bl_error *err);

/*
 * Reads and compiles.  When that finds errors they are printed on standard
 * error and *out_policies is NULL: then the exit status is that of err.
 */
enum bl_status cli_compile_rego(struct cli *cli, const struct bl_str *paths,
				size_t count, struct cli_rego_files *out_files,
				const struct bl_rego_policies **out_policies,
				struct bl_error *err);

/* The same; how it is compiled may be NULL. */
enum bl_status cli_compile_rego_as(struct cli *cli,
				   const struct cli_given *paths,
				   const struct bl_rego_compile_options *how,
				   struct cli_rego_files *out_files,
				   const struct bl_rego_policies **out_policies,
				   struct bl_error *err);

/* Compiles what was read.  Findings are printed as above. */
enum bl_status
cli_compile_rego_files(struct cli *cli, const struct cli_rego_files *files,
		       const struct bl_rego_compile_options *how,
		       const struct bl_rego_policies **out_policies,
		       struct bl_error *err);

/* Findings on standard error, for people. */
void cli_note_diags(struct cli *cli, const struct bl_diags *diags);

#endif
